"""Models, runs and sessions: what is asked of them, and what is said of wrong ones."""
import gc
import math
import subprocess
import warnings

import numpy
import trammel

from common import MODELS, PENDULUM, PROGRAM, folder, raised, test

CART = """title "Cart"
param M = 2, k = 8, c = 0, push = 0
coord x
initial x = 1
kinetic M/2*x'^2
potential k/2*x^2
dissipation c/2*x'^2
force x = push
simulate until 1
"""


@test
def a_model_tells_its_names():
    model = trammel.Model.load(PENDULUM, L=2, m="1 + 1/3")
    assert model.title == "Double pendulum"
    assert model.coordinates == ("x1", "y1", "x2", "y2") and model.constraints == ("upper", "lower")
    assert model.parameters == {"m": 1 + 1 / 3, "L": 2, "g": 9.81}
    assert model.columns[:3] == ("t", "x1", "y1") and model.number("2*L") == 4
    assert repr(model) == "<Model 'Double pendulum': 4 coordinates, 2 constraint rows>"
    assert model.messages == ""


@test
def parameters_may_have_any_name_and_all_digits():
    model = trammel.Model("param lambda = 1, a = 1\ncoord x\nkinetic lambda*x'^2\n", {"lambda": 0.1 + 0.2}, a=numpy.float64(1e-300))
    assert model.parameters == {"lambda": 0.1 + 0.2, "a": 1e-300}
    other = model.replace(a=3)
    assert other.parameters == {"lambda": 0.1 + 0.2, "a": 3} and model.parameters["a"] == 1e-300
    assert "nan is no number" in str(raised(ValueError, model.replace, a=math.nan))


@test
def parameters_are_set_without_reading():
    model = trammel.Model(CART)
    before = model.run()
    model.set(k=3, M="1/2")
    assert model.parameters == {"M": 0.5, "k": 3, "c": 0, "push": 0}
    assert (model.run()["x"] == trammel.Model(CART, k=3, M=0.5).run()["x"]).all() and before.final["x"] != model.run().final["x"]
    assert "no" in str(raised(trammel.ModelError, model.set, z=1)) and model.parameters["k"] == 3
    chain = trammel.Model("param N = 2\ncoord x[1..N]\nkinetic sum(i in 1..N: x[i]'^2)\n")
    assert len(chain.coordinates) == 2
    chain.set(N=3)
    assert len(chain.coordinates) == 3 and len(chain.columns) > 6


@test
def equations_are_those_of_the_program():
    model = trammel.Model.load(PENDULUM)
    for notation, options in (("text", []), ("latex", ["--latex"])):
        said = subprocess.run([PROGRAM, "equations", PENDULUM, *options], capture_output=True, text=True).stdout
        assert said.rstrip("\n") == model.equations(notation).rstrip("\n"), notation
    assert "<math" in model.equations("mathml")
    assert "text, latex, mathml" in str(raised(ValueError, model.equations, "html"))


@test
def check_and_compare_find_what_the_program_does():
    model = trammel.Model.load(MODELS / "papers" / "002-auxiliary.tram")
    found = model.check()
    assert found.rank == found["rank"] and "redundant" in found and found.redundant == found.summary["redundant"]
    assert "nothing was found of the name 'nothing'" in str(raised(AttributeError, getattr, found, "nothing"))
    compared = model.compare(choices={"alpha": 30})
    assert compared.choices["given"] == {"alpha": "30.0"}
    assert compared.largest_difference["acceleration"]["relative"] < 1e-9
    assert str(found).startswith(model.title)


@test
def a_run_has_its_numbers_by_name():
    run = trammel.Model(CART).run(until="pi", every=0.5)
    assert len(run) == 8 and run.t[-1] == math.pi and "x'" in run and list(run) == list(run.columns)
    assert numpy.abs(run["x"] - numpy.cos(2 * run.t)).max() < 1e-8
    assert run[["x", "x'"]].shape == (8, 2) and (run[["x", "x'"]][:, 1] == run["x'"]).all()
    assert run.final["x"] == run["x"][-1] and run.summary["degrees_of_freedom"] == 1
    assert run.failures == [] and run.warnings == [] and run.residual == {}
    assert "no column 'z'; there are: t, x, x'" in str(raised(KeyError, run.__getitem__, "z"))
    assert repr(run) == "<Run of 'Cart': 8 samples, t = 0 to 3.14159>" and "in " in str(run)
    raised(ValueError, run["x"].__setitem__, 0, 1.0)


@test
def results_over_a_run_by_name():
    text = CART + "output span = maximum(x) - minimum(x)\noutput peak = maximum(x')\noutput never = first(x > 2)\nexpect integral(x) < 1\n"
    run = trammel.Model(text).run(until="pi", every=1.1)
    found = run.results
    assert list(found) == ["span", "peak", "never", "maximum(x)", "minimum(x)", "integral(x)"]
    assert abs(found["peak"]["value"] - 2) < 1e-7 and abs(found["peak"]["at"] - 0.75 * math.pi) < 1e-4
    assert abs(found["span"]["value"] - 2) < 1e-8 and math.isnan(found["span"]["at"])
    assert math.isnan(found["never"]["value"]) and run.summary["results"]["never"] == {"value": None, "at": None}
    assert found["peak"] == run.summary["results"]["peak"] and run["peak"][-1] == found["peak"]["value"]
    assert trammel.Model(text).run(until="pi", every=0.01).results["peak"] == found["peak"]
    session = trammel.Model(text).session()
    session.advance(1.0)
    assert abs(session["span"] - (1 - math.cos(2))) < 1e-7 and math.isnan(session["never"])


@test
def arrays_outlive_their_run_and_its_model():
    x = trammel.Model(CART).run(every=0.25)["x"]
    copy = x.copy()
    gc.collect()
    trammel.Model(CART, k=2).run(every=0.25)
    assert (x == copy).all()


@test
def options_reach_the_run():
    model = trammel.Model(CART)
    assert model.run(integrator="rk5").summary["integrator"] == "rk5"
    assert model.run(tolerance=1e-5).summary["tolerance"] == 1e-5
    assert model.run(from_=0.5).t[0] == 0.5
    assert model.run(formulation="fundamental").summary["formulation"] == "fundamental"
    parts = []
    model.run(progress=parts.append)
    assert parts and all(0 <= part <= 1 for part in parts)
    assert "rk9" in str(raised(trammel.ModelError, model.run, integrator="rk9"))
    raised(TypeError, model.run, untill=3)


@test
def a_wrong_text_is_told_with_its_place():
    error = raised(trammel.ModelError, trammel.Model, "coord x\nkinetic y\n")
    assert error.line == 2 and "model:2:9: error: unknown name 'y'" in error.messages and str(error) == error.messages
    error = raised(trammel.ModelError, trammel.Model.load, PENDULUM, LL=3)
    assert "LL" in str(error) and error.line is None
    assert "cannot" in str(raised(OSError, trammel.Model.load, folder / "none.tram"))
    assert isinstance(error, trammel.Error)


STRETCHED = """coord x, y
initial x = 1, y = 0
kinetic x'^2 + y'^2
constraint a: x^2 + y^2 = 1
constraint b: x = 1 + t
simulate until 1
"""


@test
def a_run_without_solution_keeps_what_was_reached():
    text = "coord x\ninitial x = 1\nkinetic x'^2/2\nforce x = 2/x^3*0 + 1/(0.5 - t)^2\nsimulate until 1, every 0.1\n"
    error = raised(trammel.NoSolution, trammel.Model(text).run)
    assert 0.4 <= error.time <= 0.6 and len(error.run) >= 4 and error.run.t[-1] <= error.time
    error = raised(trammel.NoSolution, trammel.Model(STRETCHED).run)
    assert error.constraint in ("a", "b") and error.constraint in str(error), (error.constraint, str(error))


@test
def expectations_fail_loudly_only_if_asked():
    model = trammel.Model(CART + "expect finally x > 2\n")
    run = model.run()
    assert len(run.failures) == 1 and "expect finally x > 2" in run.failures[0]
    error = raised(trammel.ExpectationFailed, model.run, strict=True)
    assert error.failures == error.run.failures and "expect finally x > 2" in str(error)


@test
def a_session_is_the_run_in_pieces():
    model = trammel.Model.load(PENDULUM)
    run = model.run(until=1, every=0.5)
    with model.session(until=1) as session:
        assert session.t == 0
        for k, t in enumerate((0, 0.5, 1)):
            assert session.advance(t) == t
            assert session["x1"] == run["x1"][k] and (session.values == run[run.columns][k]).all()
        held = session.values
        session.advance(1.5)
        assert held[0] == 1 and session.t == 1.5
        assert "no column" in str(raised(KeyError, session.__getitem__, "z"))
    assert "closed" in str(raised(ValueError, session.advance, 2))
    assert "error" in str(raised(trammel.ModelError, model.session, integrator="rk9"))


@test
def an_equilibrium_is_found_or_not():
    found = trammel.Model(CART, push=4).equilibrium()
    assert found.stable and abs(found.state["x"] - 0.5) < 1e-9
    text = found.model_text("cart.tram")
    assert 'include "cart.tram"' in text
    error = raised(trammel.NoSolution, trammel.Model("coord x\nkinetic x'^2/2\nforce x = 1\n").equilibrium)
    assert error.run.found is False and "x" in str(error)


@test
def a_robot_becomes_a_model():
    with warnings.catch_warnings(record=True) as told:
        text = trammel.import_robot(MODELS / "mechanisms" / "robot.urdf", loops=MODELS / "mechanisms" / "robot.loops")
    assert len(told) == 1 and "<limit> is not enforced" in str(told[0].message)
    assert len(trammel.Model(text).constraints) > 0
    raised(OSError, trammel.import_robot, folder / "none.urdf")
    (folder / "wrong.urdf").write_text("<robot><link/></robot>")
    assert "wrong.urdf" in str(raised(trammel.ModelError, trammel.import_robot, folder / "wrong.urdf"))


@test
def a_session_is_set_and_copied():
    model = trammel.Model(CART)
    with model.session() as session:
        session.advance(0.5)
        with session.copy() as other:
            session.advance(1)
            assert other.t == 0.5 and other.advance(1) == 1 and (other.values == session.values).all()
            other.set({"x'": 0}, x=0.25)
            assert other["x"] == 0.25 and other["x'"] == 0 and session["x"] != 0.25
            other.set(k=0)
            other.advance(2)
            assert abs(other["x"] - 0.25) < 1e-12
        assert "z" in str(raised(trammel.ModelError, session.set, z=1))


@test
def a_model_becomes_c():
    model = trammel.Model.load(PENDULUM)
    made = model.emit_c("dp", solver="direct")
    assert list(made.files) == ["dp.h", "dp.c", "dp_main.c"] and "operations" in made.summary
    assert list(model.emit_c(main=False).files) == ["double_pendulum.h", "double_pendulum.c"]
    paths = made.write(folder / "emitted")
    program = folder / "emitted-dp"
    subprocess.run(["cc", "-std=c99", *paths[1:], "-o", program, "-lm"], check=True)
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout.startswith("t,x1,y1,x2,y2,")
    assert "cannot begin with '9'" in str(raised(trammel.ModelError, model.emit_c, "9"))


@test
def odd_calls_are_told_so():
    for text in None, b"coord x", 3:
        assert "Model.load" in str(raised(TypeError, trammel.Model, text))
    model = trammel.Model.load(PENDULUM)
    assert "found the end" in str(raised(trammel.ModelError, model.number, "2*"))
    assert model.number(3) == 3
    run = model.run(until=0.1)
    for name in None, 0:
        assert "by its name" in str(raised(TypeError, run.__getitem__, name))
    many = numpy.zeros((5, 4))
    assert "one for each state" in str(raised(ValueError, model.compile().acceleration, numpy.zeros(4), many, many))
    session = model.session()
    assert repr(session) == "<Session at t = 0>"
    raised(ValueError, session.advance, "soon")
    raised(TypeError, session.set, g=None)
    session.close()
    assert repr(session) == "<Session, closed>"
    for ask in session.copy, lambda: session.messages, lambda: session.advance(1):
        assert "closed" in str(raised(ValueError, ask))
