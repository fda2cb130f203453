"""Mechanisms that are known to be hard, one test each: docs/how-to/hard-cases.md says what is hard about them.

A test runs a shipped model, whose own claims must hold, also turned off the world axes, with other dimensions, starts and
tolerances. What it ends with is then held against a reduced model that is solved here, in plain Python and in the least
number of coordinates, by the classical Runge-Kutta method.

Surroundings: TRAMMEL, the program; SOURCE_DIR, the clone. Arguments: words of the tests to run; all without.
Prints "N passed, M failed", exit code 1 on failure.
"""
import json
import math
import os
import pathlib
import subprocess
import sys

from shipped import WARNINGS
from suite import taken

program, folder = os.environ["TRAMMEL"], pathlib.Path(os.environ["SOURCE_DIR"], "models")
UPRIGHT = ["turnx=0", "turny=0", "turnz=0"]  # for models that are turned off the world axes
QUATERNION_NORM = 1e-13


class Wrong(Exception):
    pass


def require(condition, message):
    if not condition:
        raise Wrong(message)


def near(what, found, known, bound):
    require(abs(found - known) <= bound, f"{what} is {found!r} instead of {known!r}")


# ---- running


def ask(command, name, settings, options):
    path = folder / f"{name}.tram"
    arguments = [program, command, "--json", str(path), *options]
    for setting in settings:
        arguments += ["--set", setting]
    done = subprocess.run(arguments, capture_output=True, text=True)
    require(done.returncode in (0, 1), f"exit code {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def off(expectation):
    """By how much a claim 'value < bound' was missed or held: the worst value, or None."""
    bound = expectation["text"].rpartition("<")[2]
    try:
        return float(bound) - expectation["worst"]
    except (ValueError, TypeError):
        return None


def run(name, *settings, tolerance=None):
    """The summary of a run; with a tolerance of one's own, claims need hold only to 1e5 times that."""
    summary = ask("run", name, settings, ["--tolerance", str(tolerance)] if tolerance else [])
    for e in summary["expectations"]:
        value = off(e)
        loose = tolerance and value is not None and value < 1e5 * tolerance
        require(e["holds"] or loose, f"{e['text']}: {value}")
    for row, residual in summary["residual"].items():
        allowed = residual["allowed"]
        require(allowed is None or residual["worst"] <= allowed, f"{row} is off by {residual['worst']}")
        require(not row.endswith(".norm") or residual["worst"] < QUATERNION_NORM, f"{row}: {residual['worst']}")
    for warning in summary["warnings"]:
        require(warning in WARNINGS.get(pathlib.Path(name).stem, []), f"warning: {warning}")
    return summary


def check(name, rows, rank, *settings):
    found = ask("check", name, settings, [])
    require((found["constraints"], found["rank"]) == (rows, rank), f"{found['constraints']} rows of rank {found['rank']}")
    require(len(found["redundant"]) == rows - rank, f"redundant {found['redundant']}")


# ---- reduced models


def runge_kutta(rate, y, until, steps):
    """y' = rate(t, y), by the classical method of order 4"""
    h = until / steps
    for i in range(steps):
        t = i * h
        a = rate(t, y)
        b = rate(t + h / 2, [u + h / 2 * k for u, k in zip(y, a)])
        c = rate(t + h / 2, [u + h / 2 * k for u, k in zip(y, b)])
        d = rate(t + h, [u + h * k for u, k in zip(y, c)])
        y = [u + h / 6 * (p + 2 * q + 2 * r + s) for u, p, q, r, s in zip(y, a, b, c, d)]
    return y


def slope(f, x, h=1e-3):
    """f'(x) from ten values around it"""
    return sum(c * (f(x + k * h) - f(x - k * h)) for k, c in enumerate((2100, -600, 150, -25, 2), 1)) / (2520 * h)


def one_freedom(inertia, potential, q, v, until, steps=2000):
    """(q, q') of a system with T = inertia(q) q'^2/2 and V = potential(q)"""

    def rate(_, y):
        return [y[1], -(slope(potential, y[0]) + slope(inertia, y[0]) * y[1]**2 / 2) / inertia(y[0])]
    return runge_kutta(rate, [q, v], until, steps)


def meet(p, q, r, s, side):
    """Where the circles about p and q with radii r and s meet: left (1) or right (-1) of the way from p to q."""
    d = math.dist(p, q)
    ux, uy = (q[0] - p[0]) / d, (q[1] - p[1]) / d
    a = (r**2 - s**2 + d**2) / (2 * d)
    h = side * math.sqrt(r**2 - a**2)
    return p[0] + a * ux - h * uy, p[1] + a * uy + h * ux


def meet_rate(p, u, q, c):
    """The velocity of that point c, where p moves with u and q stays: c - p and c - q keep their lengths."""
    a, b = (c[0] - p[0], c[1] - p[1]), (c[0] - q[0], c[1] - q[1])
    along, det = a[0] * u[0] + a[1] * u[1], a[0] * b[1] - a[1] * b[0]
    return along * b[1] / det, -along * b[0] / det


def square(*parts):
    return sum(part**2 for part in parts)


# ---- the cases


def slider_crank():
    """Slider crank through dead centre, the rod a distance"""
    name = "mechanisms/slider-crank-bodies"
    run(name)
    run(name, *UPRIGHT)
    run(name, tolerance=1e-8)
    # a turn takes the integral of sqrt(1 + m/J s_phi^2)/w0; trapezoids are exact for what is periodic
    R, L, m, J = 0.4, 0.7, 1.5, 0.2
    w0 = math.sqrt(0.993 / (R * (1 + R / L)))

    def s1(phi):
        return -R * math.sin(phi) * (1 + R * math.cos(phi) / math.sqrt(L**2 - (R * math.sin(phi))**2))
    turn = sum(math.sqrt(1 + m / J * s1(2 * math.pi * i / 400)**2) for i in range(400)) * 2 * math.pi / 400 / w0
    settings = [f"R={R}", f"L={L}", f"m={m}", f"J={J}"]
    path = folder / f"{name}.tram"
    done = subprocess.run([program, "run", "--json", str(path), "--until", repr(2.5 * turn)] +
                          [a for s in settings for a in ("--set", s)], capture_output=True, text=True)
    final = json.loads(done.stdout)["final"]
    near("the angle after two and a half turns", final["crank.angle"], 5 * math.pi, 1e-9)
    near("its rate in the other dead centre", final["crank.angle'"], w0, 1e-9)
    near("the slider there", final["slider.x"], L - R, 1e-10)
    near("what pulls it there", final["reaction(slider.x)"], m * R * (1 - R / L) * w0**2, 1e-8)


def four_bar():
    """Four-bar linkage in space with four hinges"""
    name = "mechanisms/four-bar-3d"
    a, b, c, d, g = 0.4, 1, 0.8, 1.1, 9.81
    check(name, 31, 28)
    run(name, tolerance=1e-7)
    for start, turned in ((70, UPRIGHT), (70, ["turnx=1.5", "turny=2", "turnz=-1"]), (200, [])):
        def at(q):
            pin = (a * math.cos(q), a * math.sin(q))
            return pin, meet(pin, (d, 0), b, c, 1)

        def inertia(q):
            pin, other = at(q)
            u, v = -pin[1], pin[0]
            x, y = meet_rate(pin, (u, v), (d, 0), other)
            coupler = 2 * (square(u + x, v + y) / 4 + square(x - u, y - v) / 12)
            return a**2 / 3 + coupler + 1.5 * square(x, y) / 3

        def potential(q):
            pin, other = at(q)
            return g * (pin[1] / 2 + (pin[1] + other[1]) + 1.5 * other[1] / 2)
        q, v = one_freedom(inertia, potential, math.radians(start), 0, 5, 5000)
        final = run(name, f"start1={start}*deg", *turned)["final"]
        near("the crank", final["crank2.angle"], q, 1e-7)
        near("its rate", final["crank2.angle'"], v, 1e-6)


def lift():
    """Double Scott-Russell lift in space"""
    name = "mechanisms/double-scott-russell"
    check(name, 64, 55)
    run(name, tolerance=1e-8)
    for start, turned in ((55, UPRIGHT), (30, [])):
        l, w, k, rest, thick = 0.5, 0.6, 150, 1.2, 0.04**2 / 12
        short, long, foot, plate = 0.4, 0.9, 0.3, 2.2  # with the block

        def inertia(a):
            still = 2 * (short * (l**2 / 3 + thick) + long * (4 * l**2 / 3 + thick))
            return still + 4 * l**2 * (2 * foot * math.sin(a)**2 + plate * math.cos(a)**2)

        def potential(a):
            rise = 9.81 * l * math.sin(a) * (short + 2 * long + 2 * plate)
            return rise + k / 2 * (w + 4 * l * math.cos(a) - rest)**2
        a, v = one_freedom(inertia, potential, math.radians(start), 0, 5, 4000)
        final = run(name, f"start1={start}*deg", *turned)["final"]
        near("the angle", final["a"], a, 1e-7)
        near("its rate", final["a'"], v, 1e-6)
        if turned:
            near("the platform", final["plate.y"], 2 * l * math.sin(a), 1e-7)


def platform():
    """6-RSS platform"""
    name = "mechanisms/six-rss"
    check(name, 85, 85)
    for settings in ([], ["rough=0.3"], ["rough=-0.1"], ["w=4", "heave=0.03", "sway=0.1"]):
        heave, sway, w = (0.03, 0.1, 4) if "w=4" in settings else (0.05, 0.06, 3)
        final = run(name, *settings)["final"]
        near("x", final["platform.x"], sway * math.sin(w * 4), 1e-9)
        near("y", final["platform.y"], sway * (math.cos(w * 4) - 1), 1e-9)
        near("z", final["platform.z"], 0.5 + heave * math.sin(2 * w * 4), 1e-9)
        near("the turn", 2 * math.atan(final["platform.q1"] / final["platform.q0"]), 0.25 * math.sin(w * 4), 1e-9)
    run(name, tolerance=1e-6)


def double_cardan():
    """Two double Cardan joints in parallel"""
    name = "mechanisms/double-cardan"
    check(name, 30, 27)
    run(name, tolerance=1e-8)
    for bend, turned in ((35, UPRIGHT), (60, []), (-20, ["turnx=2"])):
        c = math.cos(math.radians(bend))

        def inertia(a):
            return 0.07 + 0.06 * (c / (c**2 * math.cos(a)**2 + math.sin(a)**2))**2
        a, v = one_freedom(inertia, lambda a: -0.02 * a, 0, 4, 6, 5000)
        final = run(name, f"bend={bend}*deg", *turned)["final"]
        near("the angle", final["a"], a, 1e-7)
        near("its rate", final["a'"], v, 1e-7)


def governor():
    """Watt governor"""
    name = "mechanisms/governor"
    m, M, l, g = 1, 2, 0.3, 9.81
    check(name, 47, 41)
    for fast, start in ((1, 40), (1.2, 40), (0.9, 55)):
        first = math.radians(start)
        w = fast * math.sqrt((m + M) * g / (m * l * math.cos(first)))

        def inertia(a):
            return 2 * m * l**2 + 4 * M * l**2 * math.sin(a)**2

        def potential(a):  # with that of the spindle's turning
            return -m * (l * w * math.sin(a))**2 - 2 * (m + M) * g * l * math.cos(a)
        a, _ = one_freedom(inertia, potential, first, 0, 2)
        final = run(name, f"fast={fast}", f"a={start}*deg")["final"]
        near("the sleeve", final["sleeve.z"], -2 * l * math.cos(a), 1e-7)


def strandbeest():
    """Strandbeest (Jansen linkage), long run"""
    name = "mechanisms/strandbeest"
    pivot = (-38, -7.8)
    for until, tolerance in ((60, None), (1000, None), (60, 1e-5)):
        crank = (15 * math.cos(until), 15 * math.sin(until))
        knee, hip = meet(crank, pivot, 50, 41.5, -1), meet(crank, pivot, 61.9, 39.3, 1)
        elbow = meet(knee, pivot, 55.8, 40.1, -1)
        heel = meet(elbow, hip, 39.4, 36.7, -1)
        foot = meet(heel, hip, 65.7, 49, -1)
        arguments = [program, "run", "--json", str(folder / f"{name}.tram"), "--until", str(until), "--every", "0.1"]
        arguments += ["--tolerance", str(tolerance)] if tolerance else []
        final = json.loads(subprocess.run(arguments, capture_output=True, text=True).stdout)["final"]
        near("the foot", final["foot.x"], foot[0], 1e-6 if not tolerance else 1e-2)
        near("its height", final["foot.y"], foot[1], 1e-6 if not tolerance else 1e-2)
    run(name)


def closed_pendulums():
    """Closed pendulums with four and five links for 30 s"""
    name = "mechanisms/closed-pendulum-4"
    run(name)
    run("mechanisms/closed-pendulum-5")
    for start in (10, -40):
        def third(q):
            return meet((0.8 * math.cos(q), 0.8 * math.sin(q)), (2, 0), 2, 1, 1)

        def inertia(q):
            pin = (0.8 * math.cos(q), 0.8 * math.sin(q))
            return 0.64 + square(*meet_rate(pin, (-pin[1], pin[0]), (2, 0), third(q)))

        def potential(q):
            return 9.81 * (0.8 * math.sin(q) + third(q)[1])
        q, _ = one_freedom(inertia, potential, math.radians(start), 0, 5, 5000)
        arguments = ["--until", "5", "--set", f"q1={start}*deg", str(folder / f"{name}.tram")]
        done = subprocess.run([program, "run", "--json", *arguments], capture_output=True, text=True)
        final = json.loads(done.stdout)["final"]
        near("the first particle", final["x2"], 0.8 * math.cos(q), 1e-7)
        near("the second one", final["y3"], third(q)[1], 1e-7)


def leaning_disk():
    """Leaning rolling disk with five coordinates"""
    name = "mechanisms/leaning-disk"
    run(name)
    run("papers/000-rolling-disk")
    run("benchmarks/rolling-disk")
    g, r = 9.81, 0.5
    for lean, kick, heading, spin in ((0.3, 0.5, 1.2, -3.667), (-0.2, -0.3, 0.5, 6)):
        def rate(_, y):
            (_, q2, _, u1, u2, u3, _, _) = y
            return [u1, u2, u3, -2 * u2 * u3 / math.cos(q2),
                    4 * g * math.sin(q2) / (5 * r) + math.sin(2 * q2) * u1**2 / 2 + 6 / 5 * math.cos(q2) * u1 * u3,
                    -(5 / 3 * math.cos(q2) * u1 - 2 * math.tan(q2) * u3) * u2,
                    r * u3 * math.cos(y[0]), r * u3 * math.sin(y[0])]
        y = runge_kutta(rate, [0, lean, 0, heading, kick, spin, 0, 0], 10, 20000)
        settings = [f"lean0={lean}", f"lean1={kick}", f"heading1={heading}", f"spin1={spin}"]
        final = run(name, *settings)["final"]
        for what, known in zip(("heading", "lean", "spin", "heading'", "lean'", "spin'", "x", "y"), y):
            near(what, final[what], known, 1e-7)


def perpendicular():
    """Two particles with perpendicular velocities"""
    name = "mechanisms/perpendicular"
    run(name)
    m1, m2, g, k = 1, 2, 9.81, 20
    u1, u2, first = 2, 3, -0.4

    def rate(_, y):
        x1, y1, x2, y2, a, b, th = y
        c, s = math.cos(th), math.sin(th)
        d = math.dist((x1, y1), (x2, y2))
        px, py = k * (d - 1) * (x2 - x1) / d, k * (d - 1) * (y2 - y1) / d
        F1, F2 = (px, py - m1 * g), (-px, -py - m2 * g)
        turn = (a * (-F1[0] * s + F1[1] * c) - b * (F2[0] * c + F2[1] * s)) / (m1 * a**2 + m2 * b**2)
        return [a * c, a * s, -b * s, b * c, (F1[0] * c + F1[1] * s) / m1, (-F2[0] * s + F2[1] * c) / m2, turn]
    y = runge_kutta(rate, [0, 0, 1, 0.5, u1, u2, first], 2, 20000)
    arguments = ["--until", "2", "--set", f"u1={u1}", "--set", f"u2={u2}", "--set", f"heading={first}"]
    done = subprocess.run([program, "run", "--json", *arguments, str(folder / f"{name}.tram")], capture_output=True, text=True)
    final = json.loads(done.stdout)["final"]
    for what, known in zip(("x1", "y1", "x2", "y2"), y):
        near(what, final[what], known, 1e-8)


def massless_link():
    """A massless link between two hinges"""
    run("mechanisms/massless-link")
    run("mechanisms/massless-link-body")
    run("mechanisms/massless-link-body", "r2=0.9", "start2=-10*deg")
    r1, r2, D, g = 1, 0.7, 1.2, 9.81
    first, other = math.radians(40), math.radians(25)
    l = math.dist((r1 * math.sin(first), -r1 * math.cos(first)), (D + r2 * math.sin(other), -r2 * math.cos(other)))

    def ends(a):
        end = (r1 * math.sin(a), -r1 * math.cos(a))
        return end, meet(end, (D, 0), l, r2, -1)

    near("the second pendulum at the start", ends(first)[1][1], -r2 * math.cos(other), 1e-12)

    def inertia(a):
        end, far = ends(a)
        return (r1**2 + 2 * square(*meet_rate(end, (-end[1], end[0]), (D, 0), far))) / 3

    def potential(a):
        end, far = ends(a)
        return g * (end[1] / 2 + far[1])
    a, v = one_freedom(inertia, potential, first, 0, 10, 6000)
    final = run("mechanisms/massless-link-body")["final"]
    near("the first pendulum", final["a1.angle"], a, 1e-7)
    near("its rate", final["a1.angle'"], v, 1e-6)


def h_frame():
    """H-frame on two hinges"""
    name = "mechanisms/h-frame"
    check(name, 11, 6)
    run(name, tolerance=1e-8)
    for m, w, h in ((3, 2, 0.5), (5, 0.7, 0.8)):
        J = m * (0.1**2 + 4 * h**2) / 12 + m * h**2
        a, v = one_freedom(lambda _: J, lambda a: -m * 9.81 * h * math.sin(a), 0, 0, 3, 3000)
        final = run(name, f"m={m}", f"w={w}", f"h={h}")["final"]
        near("the angle", final["phi"], a, 1e-7)
        # both hinges carry half of what moves the centre
        turning = m * 9.81 * h * math.cos(a) / J
        lift = m * (9.81 - h * (turning * math.cos(a) - v**2 * math.sin(a)))
        near("what the hinges carry", final["reaction(frame.z)"], lift, 1e-5)


def held_by_friction():
    """A box held by friction below the limit does not creep"""
    name, limit = "mechanisms/incline-stick", math.degrees(math.atan(0.5))
    for settings in ([], ["a=0"], ["a=-20*deg"], [f"a={limit - 1e-6}*deg"]):
        for tolerance in (1e-3, 1e-6, 1e-9):
            found = run(name, *settings, tolerance=tolerance)
            final = found["final"]
            require(found["rank_changes"] == [], f"it slipped: {found['rank_changes']}")
            require(max(abs(final["box.x"]), abs(final["box.y"])) < 1e-14, f"it crept to {final['box.x']}, {final['box.y']}")
    # a millionth of a degree beyond the limit it slides, with mu = 0.4: after 1000 s it is g (sin a - mu cos a)/2 1e6 away
    beyond = math.radians(limit + 1e-6)
    final = ask("run", name, [f"a={limit + 1e-6}*deg"], [])["final"]
    far = 9.81 * (math.sin(beyond) - 0.4 * math.cos(beyond)) / 2 * 1e6
    near("how far it slid", math.hypot(final["box.x"], final["box.y"]), far, 1e-9 * far)
    run("mechanisms/incline-slide")


def quaternions():
    """Quaternions stay of length one at any tolerance"""
    for name in ("benchmarks/torque-free-top", "benchmarks/heavy-top", "mechanisms/four-bar-3d", "mechanisms/gears"):
        for tolerance in ("1e-3", "1e-6", "1e-9"):
            summary = ask("run", name, [], ["--tolerance", tolerance])
            worst = max(r["worst"] for row, r in summary["residual"].items() if row.endswith(".norm"))
            require(worst < QUATERNION_NORM, f"{name} at {tolerance}: {worst}")


CASES = [slider_crank, four_bar, lift, platform, double_cardan, governor, strandbeest, closed_pendulums, leaning_disk,
         perpendicular, massless_link, h_frame, held_by_friction, quaternions]

passed = failed = 0
for case in taken(CASES):
    if len(sys.argv) > 1 and not any(word in case.__name__ for word in sys.argv[1:]):
        continue
    try:
        case()
        passed += 1
    except Wrong as error:
        failed += 1
        print(f"{case.__doc__}: {error}")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0 or passed == 0)
