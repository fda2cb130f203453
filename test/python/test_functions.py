"""Forces and systems from functions of Python, against the same in the language; matrices, energies and outputs at a state."""
import gc

import numpy
import trammel

from common import PENDULUM, raised, test

SPRING = "param k = 0\ncoord x, y\ninitial x = 1, y = 2\nkinetic (x'^2 + y'^2)/2\nforce x = -k*x\nsimulate until 3, every 0.1\n"


@test
def a_force_of_python_is_as_one_of_the_language():
    expected = trammel.Model(SPRING, k=4).run(tolerance=1e-11)
    everywhere, named = trammel.Model(SPRING), trammel.Model(SPRING)
    everywhere.add_force(lambda t, q, v: [-4 * q[0], 0])
    named.add_force(lambda t, q, v: -4 * q[0], on="x")
    for model in (everywhere, named, named.replace(k=0)):
        run = model.run(tolerance=1e-11)
        assert numpy.abs(run["x"] - expected["x"]).max() < 1e-9
        assert abs(model.compile().acceleration(0, [1, 0], [0, 0])[0][0] + 4) < 1e-12


@test
def a_controller_may_keep_what_it_needs():
    def controller(p, d):
        return lambda t, q, v: -p * q - d * v
    model = trammel.Model(SPRING)
    model.add_force(controller(100, 20))
    gc.collect()
    run = model.run()
    assert abs(run["x"][-1]) < 1e-9 and abs(run["y"][-1]) < 1e-9
    with model.session() as session:
        session.advance(0.1)
        assert session["x"] == run["x"][1]


@test
def a_function_may_ask_its_model():
    model, asked = trammel.Model(SPRING, k=4), []

    def force(t, q, v):
        asked.append(model.title + str(model.number("2*k")))
        return 0 * q
    model.add_force(force)
    model.run(until=0.1, progress=lambda part: asked.append(model.messages))
    assert "8.0" in asked and "" in asked


@test
def what_a_function_raises_comes_out_of_every_call():
    def refuse(t, q, v):
        if t > 0.5:
            raise ZeroDivisionError("no force")
        return 0 * q
    model = trammel.Model(SPRING)
    model.add_force(refuse)
    assert str(raised(ZeroDivisionError, model.run)) == "no force"
    system = model.compile()
    system.acceleration(0, [1, 0], [0, 0])
    raised(ZeroDivisionError, system.acceleration, 1, [1, 0], [0, 0])
    with model.session() as session:
        raised(ZeroDivisionError, session.advance, 2)
    short = trammel.Model(SPRING)
    short.add_force(lambda t, q, v: [1, 2, 3])
    assert "returned 3 numbers, not 2" in str(raised(ValueError, short.run))
    assert "no coordinate 'z'; there are: x, y" in str(raised(ValueError, trammel.Model(SPRING).add_force, refuse, "z"))


@test
def a_system_may_be_functions_alone():
    ring = dict(mass=lambda t, q: numpy.eye(2), force=lambda t, q, v: [0, -9.81], rows=["rod"], position_rows=1, q=[1, 0],
                constraint=lambda t, q, v: ([2 * q], [-2 * v @ v]), position=lambda t, q: [q @ q - 1],
                velocity=lambda t, q, v: [2 * q @ v], energy=lambda t, q, v: (v @ v / 2, 9.81 * q[1]))
    model = trammel.Model.from_functions(["x", "y"], **ring)
    text = trammel.Model("coord x, y\ninitial x = 1, y = 0\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n")
    assert model.coordinates == ("x", "y") and model.constraints == ("rod",)
    run, expected = (one.run(until=3, every=0.5, tolerance=1e-11) for one in (model, text))
    assert numpy.abs(run[["x", "y", "reaction(x)"]] - expected[["x", "y", "reaction(x)"]]).max() < 1e-7
    assert "no function 'weight'" in str(raised(TypeError, trammel.Model.from_functions, ["x"], weight=len))
    assert str(raised(trammel.ModelError, trammel.Model.from_functions, ["x"]))


@test
def matrices_and_energies_are_those_of_the_state():
    model = trammel.Model.load(PENDULUM)
    system, (q, v) = model.compile(), model.start()
    assert (q == [1, 0, 2, 0]).all() and (v == 0).all()
    v = numpy.array([0, 1.0, 0, 2])
    M, Q, A, b = system.matrices(0, q, v)
    assert (M == numpy.eye(4)).all() and (Q == [0, -9.81, 0, -9.81]).all()
    assert (A == [[2, 0, 0, 0], [-2, 0, 2, 0]]).all() and (b == [-2, -2]).all()
    a, force, _ = system.acceleration(0, q, v)
    assert numpy.abs(M @ a - Q - force).max() < 1e-12 and numpy.abs(A @ a - b).max() < 1e-12
    kinetic, potential, jacobi = system.energies(0, q, v)
    assert (kinetic, potential, jacobi) == (2.5, 0, 2.5)
    off, rate = system.residuals(0, q * 2, v)
    assert numpy.abs(off - [3, 3]).max() < 1e-12 and off.shape == rate.shape == (2,)
    assert "there is no matrix 'Z'" in str(raised(ValueError, system.matrices, 0, q, v, "Z"))
    assert "the model has none" in str(raised(ValueError, system.matrices, 0, q, v, "M_s"))
    free = trammel.Model("coord x\nkinetic x'^2\noutput twice = 2*x\n").compile()
    assert free.outputs(0, [3.0], [0.0]) == {"twice": 6} and free.matrices(0, [1], [0], "A", "b")[0].shape == (0, 1)
    nowhere = trammel.Model("coord x\nkinetic x'^2\nconstraint a: x^2 = -1\n")
    assert "no start was found that satisfies constraint 'a'" in str(raised(trammel.NoSolution, nowhere.start))


@test
def functions_that_cannot_be():
    spring = trammel.Model(SPRING)
    assert "not int" in str(raised(TypeError, spring.add_force, 3))
    assert "mass must be a function" in str(raised(TypeError, trammel.Model.from_functions, ["a"], mass=1))
    for short in [], [1], [1, 2, 3]:  # what is beyond would be read from anywhere
        assert "2 numbers" in str(raised(ValueError, trammel.Model.from_functions, ["a", "b"], mass=lambda t, q: numpy.eye(2), v=short))
    for wrong in None, [1, 2, 3]:
        model = trammel.Model(SPRING)
        model.add_force(lambda t, q, v: wrong)
        assert "the function of the force returned" in str(raised(ValueError, model.run))
    spring.set(k=1)
    assert "something was made of the model before" in str(raised(trammel.ModelError, spring.add_force, lambda t, q, v: 0 * q))
    assert len(spring.run()) == 31
