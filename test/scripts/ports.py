"""`trammel linearize --at STATE --inputs LIST --outputs LIST`: A, B, C, D against closed forms, against differences of runs, poles and
zeros against SciPy, and what is said of wrong names.

Surroundings: TRAMMEL, the program; SOURCE_DIR, the clone. Prints "N passed, M failed", exit code 1 on failure. What needs SciPy
is left out where that is missing, with a word.
"""
import cmath
import csv
import io
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

from suite import run_all, test

try:
    import numpy
    import scipy.linalg
except ImportError:
    numpy = None
    print("SciPy is missing: poles, zeros and responses are not held against it")

program, source = os.environ["TRAMMEL"], pathlib.Path(os.environ["SOURCE_DIR"])
folder = pathlib.Path(tempfile.mkdtemp())


def call(command, text, *options):
    file = folder / "model.tram"
    if isinstance(text, str):
        file.write_text(text)
    return subprocess.run([program, command, str(text if isinstance(text, pathlib.Path) else file), *options],
                          capture_output=True, text=True)


def linear(text, inputs="", outputs="", *options):
    done = call("linearize", text, "--json", *(["--inputs", inputs] if inputs else []), *(["--outputs", outputs] if outputs else []),
                *options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def same(found, expected, tolerance=1e-9):
    assert len(found) == len(expected) and all(len(f) == len(e) for f, e in zip(found, expected)), (found, expected)
    for f, e in zip(found, expected):
        for x, y in zip(f, e):
            assert abs(x - y) <= tolerance * max(1, abs(y)), (found, expected)


SPRING = """param m = 2, k = 8, c = 0.4, push = 0
coord x
kinetic m/2*x'^2
potential k/2*x^2
dissipation c/2*x'^2
force x = push
"""


@test
def a_mass_on_a_spring():
    at = linear(SPRING, "x,push", "x,x',x'',k*x")
    assert at["states"] == ["x", "x'"] and at["inputs"] == ["x", "push"] and at["outputs"] == ["x", "x'", "x''", "k*x"], at
    same(at["A"], [[0, 1], [-4, -0.2]])
    same(at["B"], [[0, 0], [0.5, 0.5]])
    same(at["C"], [[1, 0], [0, 1], [-4, -0.2], [8, 0]])
    same(at["D"], [[0, 0], [0, 0], [0.5, 0.5], [0, 0]])
    assert at["zeros"][0][0] == [] and len(at["zeros"][1][0]) == 1 and len(at["zeros"][2][0]) == 2, at["zeros"]
    assert at["coordinates"] == ["x", "x'"] and at["matrix"] == at["A"]
    # away from 0 the stiffness is an input, too
    same(linear(SPRING + "initial x = 3\n", "k,m")["B"], [[0, 0], [-1.5, 24 / 4]], 1e-8)


CART = """param M = 3, m = 0.5, L = 0.8, g = 9.81, up = 1
coord x, px, py
initial x = 0, px = 0, py = up*L
kinetic M/2*x'^2 + m/2*(px'^2 + py'^2)
potential m*g*py
constraint rod: (px - x)^2 + py^2 = L^2
output lean = atan2(px - x, up*py)
"""


@test
def a_pole_on_a_cart():
    """the textbook's, in coordinates that a constraint joins"""
    M, m, L, g = 3, 0.5, 0.8, 9.81
    for up in (1, -1):
        at = linear(CART, "x", "x,lean,lean'", "--set", f"up={up}")
        grow = up * g * (M + m) / (M * L)
        assert abs(max(abs(complex(*e)) for e in at["eigenvalues"]) ** 2 - abs(grow)) < 1e-9
        # from the force to the lean: -1/(M L (s^2 - grow)); to the cart: (s^2 - up g/L)/(M s^2 (s^2 - grow))
        numbers = [z[1] ** 2 - z[0] ** 2 for z in at["zeros"][0][0]]
        assert len(numbers) == 2 and all(abs(z + up * g / L) < 1e-9 for z in numbers), at["zeros"]
        if numpy:
            A, B, C = (numpy.array(at[k]) for k in "ABC")
            for s in (0.3 + 1.1j, -2 + 0.4j):
                y = C @ numpy.linalg.solve(s * numpy.eye(len(A)) - A, B)
                assert abs(y[0, 0] - (s**2 - up * g / L) / (M * s**2 * (s**2 - grow))) < 1e-9, y
                assert abs(y[1, 0] + 1 / (M * L * (s**2 - grow))) < 1e-9 and abs(y[2, 0] - s * y[1, 0]) < 1e-9, y


@test
def a_drive():
    """A pendulum below a carriage that is driven: th'' = -g/L th - x''/L, and the force that drives"""
    text = ("param m = 2, M = 1, L = 0.5, g = 9.81\nbody2 c: mass = M, inertia = 1, at = (0, 0)\n"
            "body2 p: mass = m, inertia = 1, at = (0, -L)\nconstraint upright: p.angle = 0\ngravity (0, -g)\njoint rail (motion = 0): prismatic(ground, c, axis = (1, 0))\n"
            "constraint rod: dot(p - c, p - c) = L^2\noutput th = atan2(p.x - c.x, c.y - p.y)\n")
    at = linear(text, "drive(rail)", "th,drive(rail),c.x,c.x'")
    assert at["inputs"] == ["rail.motion''"] and at["states"][-2:] == ["rail.motion", "rail.motion'"], at["states"]
    assert len(at["states"]) == 4, at["states"]
    if numpy:
        A, B, C, D = (numpy.array(at[k]) for k in "ABCD")
        for s in (0.3 + 1.1j, -2 + 0.4j):
            y = C @ numpy.linalg.solve(s * numpy.eye(4) - A, B) + D
            th = -1 / 0.5 / (s**2 + 9.81 / 0.5)
            assert abs(y[0, 0] - th) < 1e-8, (y, th)
            assert abs(y[1, 0] - (1 + 2 * (1 + 0.5 * s**2 * th))) < 1e-8, y
            assert abs(y[2, 0] - 1 / s**2) < 1e-8 and abs(y[3, 0] - 1 / s) < 1e-8, y


ARM = """gravity (0, 0, -9.81)
param c = 40, push = 0
body a: mass = 1, inertia = (0.1, 0.12, 0.1), at = (1, 0, 0)
body b: mass = 1, inertia = (0.1, 0.1, 0.1), at = (3, 0, 0)
joint h: revolute(ground, a, at = (0, 0, 0), axis = (0, 1, 0))
joint k: spherical(a, b, at = (2, 0, 0))
potential c*angle(h)^2 + 30*dot(vector(a, (1, 0, 0)) - vector(b, (1, 0, 0)), vector(a, (1, 0, 0)) - vector(b, (1, 0, 0)))
dissipation angle(h)'^2/5 + dot(omega(b), omega(b))/20
torque a = (0, push, 0)
simulate until 2
"""


@test
def no_quaternion_is_a_state():
    at = linear(ARM, "torque(h),torque(a).y,push", "b.z", "--at", "equilibrium")
    assert not any(".q" in name for name in at["states"]) and at["states"][0] == "angle(h)", at["states"]
    assert any(name.startswith("turn(b).") for name in at["states"]), at["states"]
    same([[row[0], row[0]] for row in at["B"]], [row[1:] for row in at["B"]])  # one torque by three names
    free = linear("body b: mass = 1, inertia = (1, 2, 3)\n", "torque(b).x,force(b).y", "omega(b).x")
    assert free["states"] == ["b.x", "b.y", "b.z", "turn(b).x", "turn(b).y", "turn(b).z", "b.x'", "b.y'", "b.z'", "turn(b).x'",
                              "turn(b).y'", "turn(b).z'"], free["states"]
    assert abs(free["B"][9][0] - 1) < 1e-9 and abs(free["B"][7][1] - 1) < 1e-9, free["B"]
    if numpy:
        for answer in (at, free):
            poles = numpy.linalg.eigvals(numpy.array(answer["A"]))
            for e in answer["eigenvalues"]:
                assert min(abs(poles - complex(*e))) < 1e-6, (e, poles)


TWO_LINKS = {"space": """body upper: mass = 2, shape = rod(1), at = (0.5, 0, 0)
body lower: mass = 3, shape = rod(2), at = (2, 0, 0)
joint shoulder: revolute(ground, upper, at = (0, 0, 0), axis = (0, 0, 1))
joint elbow: revolute(upper, lower, at = (1, 0, 0), axis = (0, 0, 1))
""", "plane": """body2 upper: mass = 2, inertia = 2/12, at = (0.5, 0)
body2 lower: mass = 3, inertia = 3*4/12, at = (2, 0)
joint shoulder: revolute(ground, upper, at = (0, 0))
joint elbow: revolute(upper, lower, at = (1, 0))
"""}


@test
def angles_of_joints_are_the_states_in_every_position():
    for text in TWO_LINKS.values():
        for shoulder, elbow in ((0, 0), (0.6, 0.9), (-2, 2.5), (1.6, -1.5)):
            start = f"initial angle(shoulder) = {shoulder}, angle(elbow) = {elbow}\n"
            found = linear(text + start, "torque(shoulder),torque(elbow)")
            assert found["states"] == ["angle(shoulder)", "angle(elbow)", "angle(shoulder)'", "angle(elbow)'"], found["states"]
            b, c = 4.0, 4 + 3 * math.cos(elbow)  # the inverse of the mass matrix, (a, c; c, b)
            a = 2 / 3 + 3 + b + 6 * math.cos(elbow)
            det = a * b - c * c
            same(found["B"], [[0, 0], [0, 0], [b / det, -c / det], [-c / det, a / det]])
            same(found["A"], [[0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]])


@test
def poles_and_zeros_by_scipy():
    if not numpy:
        return
    text = ARM.replace("angle(h)'^2/5", "angle(h)'^2/2")
    at = linear(text, "torque(h)", "b.z,angle(h),b.z'',reaction(h).z", "--at", "equilibrium")
    A, B, C, D = (numpy.array(at[k]) for k in "ABCD")
    n = len(A)
    for o, listed in enumerate(at["zeros"]):
        pencil = numpy.block([[A, B], [C[o:o + 1], D[o:o + 1]]])
        found = scipy.linalg.eigvals(pencil, scipy.linalg.block_diag(numpy.eye(n), numpy.zeros((1, 1))))
        found = [z for z in found if numpy.isfinite(z) and abs(z) < 1e4]
        for z in (complex(*z) for z in listed[0]):
            # what the input does not reach, or is repeated, is known to fewer digits
            assert min(abs(f - z) for f in found) < 1e-5 * max(1, abs(z)), (o, z, found)
        assert len(found) == len(listed[0]), (o, found, listed[0])


@test
def runs_beside_an_equilibrium():
    """A step of a parameter: the run beside the equilibrium, less the rest, against the linear system"""
    if not numpy:
        return
    at = linear(ARM, "push,c", "b.z,angle(h)", "--at", "equilibrium")
    (folder / "arm.tram").write_text(ARM)
    assert call("equilibrium", folder / "arm.tram", "-o", str(folder / "rest.tram")).returncode == 0
    A, B, C, D = (numpy.array(at[k]) for k in "ABCD")
    for column, setting in enumerate(("push={}", "c=40 + {}")):
        h, times = (1e-3, 1e-2)[column], numpy.arange(0, 1.01, 0.1)
        runs = []
        for step in (h, -h):
            done = call("run", folder / "rest.tram", "--set", setting.format(step), "--tolerance", "1e-12", "--until", "1", "--every",
                        "0.1", "-o", "-")
            assert done.returncode == 0, done.stderr
            runs.append([[float(row["b.z"]), float(row["angle(h)"])] for row in csv.DictReader(io.StringIO(done.stdout))])
        difference = (numpy.array(runs[0]) - numpy.array(runs[1])) / (2 * h)
        n = len(A)
        whole = numpy.zeros((n + 1, n + 1))
        whole[:n, :n], whole[:n, n] = A, B[:, column]
        for t, y in zip(times, difference):
            expected = C @ scipy.linalg.expm(whole * t)[:n, n] + D[:, column]
            assert numpy.max(abs(y - expected)) < 1e-6 * max(1e-2, numpy.max(abs(difference))), (setting, t, y, expected)


def characteristic(rows, z):
    """det(rows - z 1), by elimination"""
    a = [[x - (z if i == j else 0) for j, x in enumerate(row)] for i, row in enumerate(rows)]
    det = 1
    for k in range(len(a)):
        pivot = max(range(k, len(a)), key=lambda i: abs(a[i][k]))
        det *= a[pivot][k] * (1 if pivot == k else -1)
        a[k], a[pivot] = a[pivot], a[k]
        for i in range(k + 1, len(a)):
            f = a[i][k] / a[k][k]
            a[i] = [x - f * y for x, y in zip(a[i], a[k])]
    return det


def grows_as(rows, z):
    """the eigenvalue next to z, by secants"""
    before, at = z * (1 + 1e-4), z
    f_before = characteristic(rows, before)
    for _ in range(40):
        f = characteristic(rows, at)
        if f == f_before or abs(at - before) < 1e-14 * abs(at):
            break
        before, at, f_before = at, at - f * (at - before) / (f - f_before), f
    return at


def slopes(end, h):
    """of the state that end(step) ends in: central differences, extrapolated twice"""
    d = [[(u - l) / (2 * h * k) for u, l in zip(end(h * k), end(-h * k))] for k in (1, 2, 4)]
    once = [[(4 * f - c) / 3 for f, c in zip(*pair)] for pair in zip(d, d[1:])]
    return [(16 * f - c) / 15 for f, c in zip(*once)]


def same_eigenvalues(listed, columns, time):
    """of A and of the map over that time, whose eigenvalues are exp(lambda time)"""
    rows = [list(row) for row in zip(*columns)]
    for e in (complex(*e) for e in listed):
        off = abs(cmath.log(grows_as(rows, cmath.exp(e * time)) / cmath.exp(e * time))) / time
        assert off < 1e-7 * max(1, abs(e)), (e, off)


@test
def eigenvalues_by_differences_of_runs():
    """The map from a state beside the equilibrium to that after a second has the eigenvalues exp(lambda)."""
    text = ("coord a, b\ninitial a = 0.3, b = -0.4\nkinetic a'^2 + b'^2/2 + cos(a - b)*a'*b'\n"
            "potential -19.62*cos(a) - 9.81*cos(b) + 3*a + 2*b^4\ndissipation 0.3*a'^2 + 0.2*(b' - a')^2\n")
    at = linear(text, "", "", "--at", "equilibrium")
    rest = json.loads(call("equilibrium", text, "--json").stdout)["state"]
    names, h = ["a", "b", "a'", "b'"], 2e-3
    columns = []
    for name in names:
        def end(step):
            start = "".join(f"initial instead {k} ~ {rest[k] + (step if k == name else 0)!r}\n" for k in names)
            done = call("run", text + start, "--until", "1", "--every", "1", "--tolerance", "1e-14", "--json")
            final = json.loads(done.stdout)["final"]
            return [final[k] for k in names]
        columns.append(slopes(end, h))
    same_eigenvalues(at["eigenvalues"], columns, 1)


ROBOT = """gravity (0, 0, -9.81)
body turret: mass = 5, inertia = (0.1, 0.1, 0.2), at = (0, 0, 0.2)
body upper: mass = 2, inertia = (0.02, 0.05, 0.05), at = (0.25, 0, 0.4)
body lower: mass = 1, inertia = (0.01, 0.03, 0.04), at = (0.7, 0.05, 0.4)
joint pan: revolute(ground, turret, at = (0, 0, 0), axis = (0, 0.1, 1))
joint shoulder: revolute(turret, upper, at = (0, 0, 0.4), axis = (0, 1, 0))
joint elbow: revolute(upper, lower, at = (0.5, 0, 0.4), axis = (0.1, 1, 0))
torque pan = -30*(angle(pan) - 0.2) - 2*angle(pan)'
torque shoulder = -25*angle(shoulder) - 1.5*angle(shoulder)' + 3*sin(angle(elbow))
torque elbow = -8*(angle(elbow) - 0.4) - 0.5*angle(elbow)'
"""


@test
def eigenvalues_of_a_robot_by_differences_of_runs():
    """The same of an arm in joint coordinates, which starts beside its equilibrium by initial values of its joints"""
    rest = linear(ROBOT, "torque(elbow)", "", "--at", "equilibrium")
    joints, h = ("pan", "shoulder", "elbow"), 2e-3
    names = [f"angle({j})" for j in joints] + [f"angle({j})'" for j in joints]
    assert rest["states"] == names and rest["at_rest"], rest["states"]

    def end(name, step):
        start = "initial " + ", ".join(f"{k} = {rest['state'][k] * (not k.endswith(chr(39))) + (step if k == name else 0)!r}" for k in names)
        done = call("run", ROBOT + start + "\n", "--until", "0.5", "--every", "0.5", "--tolerance", "1e-14", "--json", "--coordinates", "joints")
        final = json.loads(done.stdout)["final"]
        return [final[k] for k in names]
    same_eigenvalues(rest["eigenvalues"], [slopes(lambda step, name=name: end(name, step), h) for name in names], 0.5)


@test
def at_a_time():
    text = "coord x\ninitial x = 1, x' = 0.5\nkinetic x'^2/2\npotential x^4/4\nsimulate until 2\n"
    x = json.loads(call("run", text, "--json", "--until", "0.7", "--tolerance", "1e-12").stdout)["final"]["x"]
    at = linear(text, "", "", "--at", "0.7", "--tolerance", "1e-12")
    assert abs(at["A"][1][0] + 3 * x**2) < 1e-8 and at["time"] == 0.7 and "no steady motion" in at["warnings"][0], at
    same(linear(text, "", "", "--at", "start")["A"], [[0, 1], [-3, 0]])
    same(linear(text, "", "", "--at", "0")["A"], [[0, 1], [-3, 0]])


@test
def full_turns_of_joints_count():
    """A spring on an angle after two turns, in space and in the plane; and the state that is told"""
    spring = ("joint j: revolute(ground, a, at = (0, 0%s)\ninitial angle(j)' = 20\npotential 0.3*angle(j)^2 + 0.1*angle(j)^4\n")
    for text in ("body a: mass = 1, inertia = (1, 2, 3), at = (1, 0, 0)\n" + spring % ", 0), axis = (0, 1, 0)",
                 "body2 a: mass = 1, inertia = 2, at = (1, 0)\n" + spring % ")"):
        for time in ("0.3", "0.8"):
            at = linear(text, "", "", "--at", time, "--tolerance", "1e-12")
            final = json.loads(call("run", text, "--until", time, "--tolerance", "1e-12", "--json").stdout)["final"]
            for name, x in at["state"].items():
                assert abs(x - final[name]) < 1e-8 * max(1, abs(x)), (name, x, final[name])
            angle = at["state"]["angle(j)"]
            same([at["A"][1]], [[-(0.6 + 1.2*angle**2) / 3, 0]], 1e-7)
        assert angle > 4 * math.pi / 2, angle
    assert set(linear(SPRING)["state"]) == {"x", "x'"}


SWINGING = """gravity (0, 0, -9.81)
body a: mass = 1, inertia = (0.1, 0.12, 0.1), at = (1, 0, 0)
body b: mass = 1, inertia = (0.1, 0.13, 0.11), at = (3, 0, 0)
joint h: revolute(ground, a, at = (0, 0, 0), axis = (0, 0.6, 0.8))
joint k: revolute(a, b, at = (2, 0, 0), axis = (0, 1, 0))
torque k = -angle(k)' + 3*angle(h)
"""


@test
def on_the_way_angles_have_the_slopes_of_their_rates():
    """A against differences of the rates of states that are typed"""
    names = ["angle(h)", "angle(k)", "angle(h)'", "angle(k)'"]
    text = SWINGING + "initial angle(h) = 0.3, angle(k) = -0.8, angle(h)' = 1.5, angle(k)' = -0.7\n"
    at = linear(text, "torque(h)", "angle(k)''", "--at", "0.4", "--tolerance", "1e-13")
    assert at["states"] == at["coordinates"] == names and not at["steady"], at
    same(at["matrix"], at["A"], 1e-14)
    state = json.loads(call("run", text, "--until", "0.4", "--tolerance", "1e-13", "--json").stdout)["final"]

    def rates(which, by):
        start = "initial " + ", ".join(f"{n} = {state[n] + (by if n == which else 0)!r}" for n in names) + "\n"
        done = call("run", SWINGING + start + "output oh = angle(h)''\noutput ok = angle(k)''\n", "--until", "0", "--json")
        final = json.loads(done.stdout)["final"]
        return [final["angle(h)'"], final["angle(k)'"], final["oh"], final["ok"]]
    for j, name in enumerate(names):
        once = [[(u - d) / (2 * h) for u, d in zip(rates(name, h), rates(name, -h))] for h in (1e-2, 2e-2, 4e-2)]
        twice = [[(4 * f - c) / 3 for f, c in zip(*pair)] for pair in zip(once, once[1:])]
        slope = [(16 * f - c) / 15 for f, c in zip(*twice)]
        same([[row[j]] for row in at["A"]], [[s] for s in slope], 1e-7)
    if numpy:
        poles = numpy.linalg.eigvals(numpy.array(at["A"]))
        assert all(min(abs(poles - complex(*e))) < 1e-7 for e in at["eigenvalues"]), (poles, at["eigenvalues"])


@test
def a_tumbling_body():
    """turns about the axes of space, and angular velocities, by Euler's equations"""
    if not numpy:
        return
    at = linear("body b: mass = 1, inertia = (1, 2, 2.5), at = (0, 0, 0), omega = (0.4, 1, -0.3)\n", "", "", "--at", "1.3",
                "--tolerance", "1e-12")
    text = "body b: mass = 1, inertia = (1, 2, 2.5), at = (0, 0, 0), omega = (0.4, 1, -0.3)\noutput w = omega(b)\n"
    text += "output e1 = vector(b, (1, 0, 0))\noutput e2 = vector(b, (0, 1, 0))\noutput e3 = vector(b, (0, 0, 1))\n"
    final = json.loads(call("run", text, "--until", "1.3", "--tolerance", "1e-12", "--json").stdout)["final"]
    R = numpy.array([[final[f"e{k}.{c}"] for k in (1, 2, 3)] for c in "xyz"])
    w, I = R @ [final["w." + c] for c in "xyz"], R @ numpy.diag([1, 2, 2.5]) @ R.T

    def cross(a):
        return numpy.cross(a, numpy.eye(3)).T
    J, L = numpy.linalg.inv(I), I @ w
    alpha = J @ -numpy.cross(w, L)
    dI = [cross(e) @ I - I @ cross(e) for e in numpy.eye(3)]
    by_turn = numpy.array([J @ (-numpy.cross(w, d @ w) - d @ alpha) for d in dI]).T
    by_rate = J @ (cross(L) - cross(w) @ I)
    expected = numpy.block([[cross(w), numpy.eye(3)], [by_turn, by_rate]])
    turns = [at["states"].index(f"turn(b).{c}{p}") for p in ("", "'") for c in "xyz"]
    assert len(at["states"]) == 12 and not at["steady"], at["states"]
    A = numpy.array(at["A"])[numpy.ix_(turns, turns)]
    assert numpy.max(abs(A - expected)) < 1e-8, (A, expected)


@test
def about_an_equilibrium_at_0():
    """where nothing but rounding is left to compare with"""
    at = linear("coord phi\ninitial phi = 60*deg\nkinetic phi'^2/2\npotential -9.81*cos(phi)\n", "", "", "--at", "equilibrium")
    assert at["at_rest"] and at["warnings"] == [] and abs(at["eigenvalues"][0][1] - math.sqrt(9.81)) < 1e-9, at


@test
def a_table():
    done = call("linearize", SPRING, "--inputs", "x", "--outputs", "x''", "-o", "-")
    rows = list(csv.reader(io.StringIO(done.stdout)))
    assert [row[0] for row in rows] == ["", "(x)'", "(x')'", "x''"] and rows[0][1:] == ["x", "x'", "x"], rows
    same([[float(c) for c in row[1:]] for row in rows[1:]], [[0, 1, 0], [-4, -0.2, 0.5], [-4, -0.2, 0.5]])
    done = call("linearize", SPRING, "--inputs", "x", "--outputs", "x''", "-o", str(folder / "out.csv"))
    assert done.returncode == 0 and (folder / "out.csv").read_text().startswith(",\"x\""), done


@test
def what_is_wrong_is_told():
    for options, message in [
            (("--inputs", "push,q"), "there is no coordinate or parameter 'q'"),
            (("--inputs", "pusch"), "did you mean 'push'?"),
            (("--inputs", "push,push"), "names 'push' twice"),
            (("--inputs", "push,,c"), "has an empty name"),
            (("--inputs", "torque(h)"), "there is no joint with an angle"),
            (("--inputs", "drive(x)"), "nothing drives 'x'"),
            (("--inputs", "speed(x)"), "nothing of this kind is an input"),
            (("--outputs", "y"), "unknown name 'y'"),
            (("--outputs", "x <"), "--outputs:1"),
            (("--outputs", "x < 1"), "an output is a number, not a condition"),
            (("--at", "soon"), "write start, equilibrium, or a time"),
            (("--at", "-1"), "before the start of the run"),
            (("--at", "3"), "beyond the end of the run, 2")]:
        done = call("linearize", SPRING + "simulate until 2\n", *options)
        assert done.returncode == 2 and message in done.stderr and done.stdout == "", (options, done)
    done = call("linearize", SPRING, "--inputs", "k")
    assert done.returncode == 3 and "k changes nothing at this state" in done.stderr, done
    done = call("linearize", CART, "--inputs", "L")
    assert done.returncode == 3 and "L changes the constraints" in done.stderr, done
    done = call("linearize", "coord x\nkinetic x'^2\nforce x = 1\n", "--at", "equilibrium", "--json")
    assert done.returncode == 3 and json.loads(done.stdout)["found"] is False, done
    assert call("run", SPRING, "--until", "1", "--inputs", "x").returncode == 2


sys.exit(run_all())
