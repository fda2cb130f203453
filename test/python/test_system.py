"""Accelerations against closed forms and SciPy; linear systems against scipy.linalg."""
import numpy
import trammel

from common import MODELS, PENDULUM, needs, raised, test


@test
def one_state_and_many_agree():
    system = trammel.Model.load(PENDULUM).compile()
    assert system.coordinates == ("x1", "y1", "x2", "y2") and system.constraints == ("upper", "lower")
    random = numpy.random.default_rng(1)
    angles = random.uniform(0, 6, (50, 2))
    q = numpy.stack([numpy.cos(angles[:, 0]), numpy.sin(angles[:, 0]), numpy.cos(angles).sum(1), numpy.sin(angles).sum(1)], 1)
    v = numpy.zeros_like(q)
    many = system.acceleration(0.0, q, v)
    assert [one.shape for one in many] == [(50, 4), (50, 4), (50, 2)]
    for k in range(50):
        for one, row in zip(system.acceleration(0, q[k], v[k].tolist()), many):
            assert numpy.abs(one - row[k]).max() < 1e-9
    a, force, multiplier = many
    assert numpy.abs(force - (a - [0, -9.81, 0, -9.81])).max() < 1e-9
    assert (system.acceleration(numpy.linspace(0, 1, 50), q, v)[0] == a).all()


@test
def arrays_that_are_given_are_filled():
    system = trammel.Model.load(PENDULUM).compile()
    q, v = numpy.array([0, -1.0, 0, -2]), numpy.zeros(4)
    out = numpy.empty(4), None, numpy.empty(2)
    assert system.acceleration(0, q, v, out=out) is out
    assert numpy.abs(out[0]).max() < 1e-12
    q[:] = 1, 0, 2, 0
    assert system.acceleration(0, q, v, out=out) is out  # the same arrays with other numbers
    assert numpy.abs(out[0] - [0, -9.81, 0, -9.81]).max() < 1e-12
    raised(ValueError, system.acceleration, 0, q[:3], v)
    raised(ValueError, system.acceleration, 0, q, v, out=(numpy.empty(3), None, None))
    raised(ValueError, system.acceleration, 0, q, v, out=(numpy.empty(8)[::2], None, None))
    raised(ValueError, system.acceleration, 0, q, v, out=(numpy.empty(4, "f4"), None, None))


@test
def angles_count_whole_turns_from_where_they_are_kept():
    system = trammel.Model("body B: mass = 1, inertia = (1, 1, 2)\njoint h: revolute(ground, B, at = (0, 0, 0), axis = (0, 0, 1))\n"
                           "output turned = angle(h)\ncoordinates bodies\n").compile()
    for turned in numpy.arange(0, 20, 0.5):
        q = numpy.array([0, 0, 0, numpy.cos(turned / 2), 0, 0, numpy.sin(turned / 2)])
        assert abs(system.outputs(0, q, 0 * q)["turned"] - turned) < 1e-9
        system.keep_turns(0, q)
    raised(ValueError, system.keep_turns, 0, q[:3])


@test
def no_solution_is_told():
    system = trammel.Model("coord x, y\nkinetic x'^2\nforce y = 1\n").compile()
    error = raised(trammel.NoSolution, system.acceleration, 2.0, [0, 0], [0, 0])
    assert error.time == 2.0 and "the motion is not unique" in str(error)
    assert numpy.isnan(system.acceleration(0, [[0, 0]], [[0, 0]])[0]).any()


@test
def a_control_is_computed():
    system = trammel.Model("coord x\nkinetic x'^2\ncontrol path: x = sin(t)\nsimulate until 1\n").compile()
    control, back, forward = system.control(0.5, [numpy.sin(0.5)], [numpy.cos(0.5)])
    assert abs(control[0] + 2 * numpy.sin(0.5)) < 1e-9 and abs(control - back - forward).max() < 1e-12
    raised(ValueError, system.control, 0, [1, 2], [0])


@needs("scipy")
def scipy_reaches_the_same_end():
    from scipy.integrate import solve_ivp
    model = trammel.Model.load(PENDULUM)
    run, system = model.run(until=2, tolerance=1e-12), model.compile()
    n = len(system.coordinates)
    start = numpy.concatenate([run[list(system.coordinates)][0], run[[name + "'" for name in system.coordinates]][0]])
    found = solve_ivp(lambda t, y: numpy.concatenate([y[n:], system.acceleration(t, y[:n], y[n:])[0]]), (0, 2), start, "DOP853",
                      rtol=1e-11, atol=1e-12)
    assert numpy.abs(found.y[:n, -1] - [run[name][-1] for name in system.coordinates]).max() < 1e-8


@needs("scipy")
def scipy_finds_the_same_eigenvalues_and_modes():
    from scipy.linalg import eigvals
    for path in (MODELS / "mechanisms" / "governor.tram", MODELS / "mechanisms" / "bicycle.tram"):
        linear = trammel.Model.load(path).linearize()
        assert linear.A.shape == (len(linear.states),) * 2
        for value in linear.eigenvalues:  # zeros that are repeated are found to the root of rounding
            assert numpy.abs(eigvals(linear.matrix) - value).min() < 1e-3
        large = linear.eigenvalues[numpy.abs(linear.eigenvalues) > 1]
        for value in large:
            assert numpy.abs(eigvals(linear.A) - value).min() < 1e-8 * abs(value)
        for value, mode in zip(linear.eigenvalues, linear.modes):
            if not numpy.isnan(mode).any():
                assert numpy.abs(linear.matrix @ mode - value * mode).max() < 1e-6 * max(1, abs(value))


@test
def inputs_and_outputs_have_their_shapes():
    text = "param k = 4\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential k/2*x^2 + y^2/2\n"
    linear = trammel.Model(text).linearize(inputs=["x", "y"], outputs="x, x''")
    assert linear.inputs == ["x", "y"] and len(linear.outputs) == 2
    assert [one.shape for one in (linear.A, linear.B, linear.C, linear.D)] == [(4, 4), (4, 2), (2, 4), (2, 2)]
    row = linear.states.index("x'")
    assert abs(linear.A[row, linear.states.index("x")] + 4) < 1e-9 and abs(linear.B[row, 0] - 1) < 1e-9
    assert abs(linear.D[1, 0] - 1) < 1e-9
    plain = trammel.Model(text).linearize()
    assert plain.B.shape == (4, 0) and plain.C.shape == (0, 4) and plain.D.shape == (0, 0)
    assert trammel.Model(text).linearize(at="equilibrium").at_rest
