"""What is narrow, in time or in the state, must not be passed over: ten thousand random models with pulses, windows, hills,
combs, walls and stops, in forces, constraints, friction, weights and drives, each with a reference that no simulator made:
closed forms, or quadrature of a potential. A run may fail, or warn that something may be missed; it may not be wrong in
silence.

Surroundings: TRAMMEL, the program. Prints "N passed, M failed", exit code 1 on failure.
"""
import json
import math
import os
import random
import subprocess
import sys
import tempfile

from suite import takes

program = os.environ["TRAMMEL"]
CASES = 10000
SPAN = 100
HEAD = "coord x\nkinetic x'^2/2\n"


def width(d, least=-7.0):
    return 10 ** d.uniform(least, 0.3)


def place(d):
    return d.uniform(5, 95)


def number(x):
    return repr(float(x))


def simpson(f, a, b, n):
    h = (b - a) / (2 * n)
    total = f(a) + f(b)
    for i in range(1, 2 * n):
        total += (4 if i % 2 else 2) * f(a + i * h)
    return total * h / 3


# ---- forces in time: v = integral

def pulse(d):
    """a smooth pulse of unit area"""
    w = width(d)
    c = d.uniform(20 * w, SPAN - 20 * w)
    u = f"(t - {number(c)})/{number(w)}"
    shape, area = d.choice([
        (f"exp(-({u})^2)", math.sqrt(math.pi)),
        (f"1/cosh(min(max({u}, -300), 300))^2", 2),
        (f"(1 - tanh({u})^2)", 2),
        (f"(tanh({u} + 3) - tanh({u} - 3))", 12),
        (f"exp(-abs({u}))", 2),
    ])
    rest = "" if d.random() < 0.7 else "quasi s = x'\n"
    text = f"{HEAD}{rest}force x = {number(1 / (w * area))}*{shape}\n"
    return text, {"x'": 1}, 1


def window_in_time(d):
    w, c, a = width(d), place(d), d.uniform(-5, 5)
    lo, hi = number(c), number(c + w)
    real = c + w - c
    condition = d.choice([
        f"t > {lo} and t < {hi}", f"not (t < {lo} or t > {hi})", f"abs(t - {number(c + real / 2)}) < {number(real / 2)}",
        f"(t - {lo})*(t - {hi}) < 0",
    ])
    form = d.choice([f"if({condition}, {number(a / real)}, 0)", f"{number(a / real)}*if({condition}, 1, 0)"])
    rest = "" if d.random() < 0.7 else "quasi s = 2*x'\n"
    return f"{HEAD}{rest}force x = {form}\n", {"x'": a}, max(1, abs(a)) * max(1, 1e-9 / real)


def comb_in_time(d):
    """pulses at every period, each with an area of its own: max(0, sin) to some height"""
    period = d.uniform(0.5, 20)
    top = d.choice([0.5, 0.9, 0.99, 0.9999])
    k = 2 * math.pi / period
    text = f"{HEAD}force x = max(0, sin({number(k)}*t) - {top})*{number(1 / (1 - top))}\n"

    def integral(t):
        """of max(0, sin - top) from 0 to t"""
        a, b = math.asin(top), math.pi - math.asin(top)
        one = (math.cos(a) - math.cos(b)) - top * (b - a)
        whole, part = divmod(k * t, 2 * math.pi)
        part = min(max(part, a), b)
        return (whole * one + (math.cos(a) - math.cos(part)) - top * (part - a)) / k
    return text, {"x'": integral(SPAN) / (1 - top)}, 1


# ---- forces in the state: energy

def barrier(d):
    """a window in x that turns the particle back, or lets it pass slower"""
    w, c = width(d), place(d)
    depth = d.choice([0.3, 0.45, 0.7, 5.0])  # of the potential step, against an energy of 0.5
    lo, hi = number(c), number(c + w)
    real = (c + w) - c
    f = depth / real
    condition = d.choice([
        f"x > {lo} and x < {hi}", f"not (x <= {lo} or x >= {hi})", f"abs(x - {number(c + real / 2)}) < {number(real / 2)}",
        f"(x - {lo})*({hi} - x) > 0", f"x > {lo} and not x > {hi} or x < -1000",
    ])
    form = d.choice([
        f"if({condition}, {number(-f)}, 0)", f"if(x > {lo}, if(x < {hi}, {number(-f)}, 0), 0)",
        f"{number(-f)}*(sign(x - {lo}) - sign(x - {hi}))/2", f"{number(-f)}*if({condition}, 1, 0)",
    ])
    rest = "" if d.random() < 0.7 else "quasi s = x'\n"
    text = f"{HEAD}{rest}initial x' = 1\nforce x = {form}\n"
    # the work is known as well as the position, in parts of the width
    allowed = lambda tolerance: 1e-5 + 3e4 * tolerance + 5000 * tolerance / real
    return text, {"x'": -1 if depth > 0.5 else math.sqrt(1 - 2 * depth)}, allowed


def smooth_barrier(d):
    w, c = width(d), place(d)
    top = d.choice([0.3, 0.45, 0.7, 5.0])
    u = f"(x - {number(c)})/{number(w)}"
    form = d.choice([f"exp(-({u})^2)", f"1/(1 + ({u})^2)^8", f"(1 - tanh({u})^2)", f"max(0, 1 - ({u})^2)^2",
                     f"max(0, 1 - abs({u}))"])
    text = f"{HEAD}initial x' = 1\npotential {top}*{form}\n"
    return text, {"x'": -1 if top > 0.5 else 1}, lambda tolerance: 1e-5 + 3e4 * tolerance + 5000 * tolerance / w


def rectified(d):
    """-k max(0, sin sin sin - h): passes, or turns at the first peak that is high enough"""
    a, b, c = d.uniform(0.5, 2), d.uniform(2, 5), d.uniform(5, 9)
    level, k = d.choice([0.7, 0.9, 0.95]), d.choice([1, 10, 100])
    force = lambda x: max(0, math.sin(a * x) * math.sin(b * x) * math.sin(c * x) - level) * k
    text = (f"{HEAD}initial x' = 1\nforce x = max(0, sin({number(a)}*x)*sin({number(b)}*x)*sin({number(c)}*x) - {level})"
            f"*{k}\nstop when x > 30\n")
    n = 60000
    return text, {"x'": math.sqrt(1 + 2 * simpson(force, 0, 30, n))}, 10


def comb(d):
    """a force where sin(k x) is large"""
    k, level, f = d.uniform(1, 40), d.choice([0.5, 0.9, 0.99, 0.999]), d.uniform(0.1, 2)
    text = f"{HEAD}initial x' = 1\nforce x = if(sin({number(k)}*x) > {level}, {number(f)}, 0)\nstop when x > 20\n"
    a, b = math.asin(level), math.pi - math.asin(level)
    whole, part = divmod(k * 20, 2 * math.pi)
    length = (whole * (b - a) + min(max(part, a), b) - a) / k
    return text, {"x'": math.sqrt(1 + 2 * f * length)}, 10


def steps_of_floor(d):
    """a force where x is just above a whole number"""
    w, f = 10 ** d.uniform(-4, -1), d.uniform(1, 30)
    a = number(w)
    form = d.choice([f"floor(x) - floor(x - {a})", f"if(x - floor(x) < {a}, 1, 0)", f"if(x - floor(x) >= {a}, 0, 1)",
                     f"sign(max(0, {a} - (x - floor(x))))"])
    text = f"{HEAD}initial x = 0.5, x' = 1\nforce x = {number(f)}*({form})\nstop when x > 10.5\n"
    return text, {"x'": math.sqrt(1 + 20 * f * w)}, lambda tolerance: 1e-5 + 3e4 * tolerance * (1 + f + 1 / w)


def two_windows(d):
    """several conditions at once, nested, and beside each other"""
    w, c = width(d, -5), d.uniform(5, 40)
    w2, c2 = width(d, -5), d.uniform(50, 90)
    f, f2 = d.uniform(-0.4, 2) / w, d.uniform(-0.04, 2) / w2
    a, b, e, g = number(c), number(c + w), number(c2), number(c2 + w2)
    one, two = f"x > {a} and x < {b}", f"x > {e} and x < {g}"
    form = d.choice([
        f"if({one}, {number(f)}, if({two}, {number(f2)}, 0))",
        f"if({one} or {two}, if(x < 45, {number(f)}, {number(f2)}), 0)",
        f"if(not (x <= {a} or x >= {b} and x <= {e} or x >= {g}), if(x > 45, {number(f2)}, {number(f)}), 0)",
        f"{number(f)}*if({one}, 1, 0) + {number(f2)}*abs(if({two}, -1, 0))",
        f"max(if({one}, {number(f)}, -1e9), if({two}, {number(f2)}, -1e9), -1e8)*if({one} or {two}, 1, 0)",
    ])
    rest = d.choice(["", "quasi s = x'\n", "quasi s = (1 + t/100)*x'\n"])
    text = f"{HEAD}{rest}initial x' = 1\nforce x = {form}\nstop when x > 95\n"
    real, real2 = (c + w) - c, (c2 + w2) - c2
    between = math.sqrt(1 + 2 * f * real)
    last = math.sqrt(between ** 2 + 2 * f2 * real2)
    if c + 2 * real / (1 + between) + (c2 - c - w) / between + 2 * real2 / (between + last) > 0.99 * SPAN:
        return None  # it does not get there in time
    return text, {"x'": last}, lambda tolerance: 1e-5 + 3e4 * tolerance + 5000 * tolerance * (1 / w + 1 / w2)


def patch(d):
    """a disc in the plane, in which a constant force acts along the way"""
    r, off = width(d, -5), d.uniform(-0.9, 0.9)
    cx, angle = place(d), d.uniform(0, 2 * math.pi)
    ux, uy = math.cos(angle), math.sin(angle)
    px, py = cx * ux - off * r * uy, cx * uy + off * r * ux
    chord = 2 * r * math.sqrt(1 - off * off)
    f = d.choice([0.3, 0.45, -2.0]) / chord
    text = ("coord x, y\nkinetic (x'^2 + y'^2)/2\n"
            f"initial x' = {number(ux)}, y' = {number(uy)}\n"
            f"let inside = (x - {number(px)})^2 + (y - {number(py)})^2 < {number(r)}^2\n"
            f"force x = if(inside, {number(-f * ux)}, 0)\nforce y = if(inside, {number(-f * uy)}, 0)\n")
    v = math.sqrt(1 - 2 * f * chord)
    return text, {"x'": v * ux, "y'": v * uy}, lambda tolerance: 1e-5 + 1e4 * tolerance * (1 + 1 / r)


def bumper(d):
    """a spring that begins at a wall, which may move: half an oscillation in its frame"""
    k, c, speed = 10 ** d.uniform(2, 10), d.uniform(20, 60), d.choice([0.0, 0.3, -0.5])
    wall = f"({number(c)} + {number(speed)}*t)"
    form = d.choice([f"-{number(k)}*max(0, x - {wall})", f"if(x > {wall}, -{number(k)}*(x - {wall}), 0)",
                     f"-{number(k)}*(x - {wall} + abs(x - {wall}))/2"])
    text = f"{HEAD}initial x' = 1\nforce x = {form}\n"
    return text, {"x'": 2 * speed - 1}, max(1, math.sqrt(k) * 1e-3) * 10


# ---- constraints

def hill(d):
    """a track with a hill that the bead cannot climb, or can"""
    w, top = width(d, -5), d.choice([0.03, 0.045, 0.2, 1])
    c = d.uniform(20 * w, SPAN - 5 - 15 * w)  # it takes longer over the hill
    u = f"(x - {number(c)})/{number(w)}"
    form = d.choice([f"exp(-({u})^2)", f"1/(1 + ({u})^2)^8", f"1/cosh(min(max({u}, -300), 300))^2",
                     f"max(0, 1 - ({u})^2)^3"])
    if d.random() < 0.2:
        form, c = f"(exp(-({u})^2) + exp(-((x - {number(c + 3 * w)})/{number(w)})^2))", c
    text = ("coord x, y\ninitial x' = 1\nkinetic (x'^2 + y'^2)/2\npotential 10*y\n"
            f"constraint track: y = {top}*{form}\n")
    return text, {"x'": 1 if top < 0.05 else -1}, 10


def driven(d):
    """a pulse of a moving constraint pushes a mass on a spring: x + y = pulse, x'' + 3 ... by Duhamel's integral"""
    w, c = width(d, -3), d.uniform(10, 90)
    text = ("coord x, y\nkinetic (x'^2 + 3*y'^2)/2\n"
            f"constraint c: x + y = {number(w)}*exp(-((t - {number(c)})/{number(w)})^2)\nforce x = -(x - y)\n")
    # 4 x'' = 3 p'' - 2 x + p: of the pulse p in all x = 3/4 p + z, 4 z'' = -2 z - p/2
    omega, area = math.sqrt(0.5), w * w * math.sqrt(math.pi)
    weight = math.exp(-(omega * w) ** 2 / 4)  # of a Gaussian under a cosine
    return text, {"x": -area / 8 / omega * weight * math.sin(omega * (SPAN - c))}, 1


def drive_in_pieces(d):
    """a drive by if, smooth enough for no impact"""
    w, c = width(d, -3), place(d)
    a, b = number(c), number(c + w)
    # 0, then a cubic step of height 1, then 1 (continuous velocity)
    s = f"((t - {a})/({b} - {a}))"
    text = ("coord x, y\nkinetic (x'^2 + y'^2)/2\nforce y = -(y - x)\n"
            f"constraint drive: x = if(t < {a}, 0, if(t < {b}, {s}^2*(3 - 2*{s}), 1))\n")
    # y'' = x - y: 1 - cos after a ramp of width w
    omega = lambda t: simpson(lambda u: math.sin(t - (c + w * u)) * (u * u * (3 - 2 * u)), 0, 1, 40) * w
    t = SPAN
    if c + w >= t:
        return None
    y = omega(t) + (1 - math.cos(t - (c + w)))
    return text, {"y": y}, 10


def weighted(d):
    """a measured constraint that counts for a while"""
    w, c = width(d), place(d)
    lo, hi = number(c), number(c + w)
    real = (c + w) - c
    text = ("coord x, y\nkinetic (x'^2 + y'^2)/2\n"
            f"constraint m (weight = if(t > {lo} and t < {hi}, {number(4.0)}, 0)): x'' + y'' = {number(1 / real)}\n")
    return text, {"x'": 0.5, "y'": 0.5}, max(1, 1e-9 / real)


# ---- friction

def rough_patch(d):
    w, c = width(d, -5), d.uniform(10, 60)
    mu = d.uniform(0.5, 3) / (10 * w)
    lo, hi = number(c), number(c + w)
    real = (c + w) - c
    condition = d.choice([f"x > {lo} and x < {hi}", f"abs(x - {number(c + real / 2)}) < {number(real / 2)}"])
    text = ("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\ninitial x' = 3\nconstraint f: y = 0\n"
            f"friction f: mu = if({condition}, {number(mu)}, 0), slip = x'\nstop when x > 90\n")
    square = 9 - 20 * mu * real
    if square < 0.01:
        return None if square > -0.5 else (text, {"x'": 0}, 10)
    return text, {"x'": math.sqrt(square)}, lambda tolerance: 1e-4 + 3e5 * tolerance + 3000 * tolerance / real


# ---- stops

def stop(d):
    w, c = width(d, -8), place(d)
    u = f"(x - {number(c)})/{number(w)}"
    condition, at = d.choice([
        (f"exp(-({u})^2) > 0.5", c - w * math.sqrt(math.log(2))),
        (f"abs(x - {number(c)}) < {number(w)}", c - w),
        (f"1/(1 + ({u})^2) > 0.5 and x > 1", c - w),
        (f"x > {number(c - w)} and x < {number(c + w)}", c - w),
        (f"max(0, 1 - abs({u})) > 0.25", c - 0.75 * w),
        (f"sin(x)^2 > 2 or tanh({u}) > 0", c),
        (f"({u})^2 < 1", c - w),
    ])
    return f"{HEAD}initial x' = 1\nstop when {condition}\n", {"x": at}, max(1, w)


FAMILIES = [pulse, window_in_time, comb_in_time, barrier, smooth_barrier, rectified, comb, steps_of_floor, two_windows, patch,
            bumper, hill, driven, drive_in_pieces, weighted, rough_patch, stop]


def integrators():
    found = []
    for name in ("rk8", "rk5", "bdf", "adams"):
        done = run(f"{HEAD}simulate until 1\n", ["--integrator", name])
        if done.returncode == 0:
            found.append(name)
    return found


def run(text, options):
    with tempfile.NamedTemporaryFile("w", suffix=".tram") as file:
        file.write(text)
        file.flush()
        return subprocess.run([program, "run", file.name, "--json", *options], capture_output=True, text=True)


def case(k, methods):
    """None if the case is fine, else what is wrong"""
    d = random.Random(k)
    made = FAMILIES[k % len(FAMILIES)](d)
    if made is None or made[1] is None:
        return None
    text, expected, scale = made
    method = d.choice(methods)
    tolerance = d.choice(["1e-6", "1e-8", "1e-9", "1e-10"])
    text += f"simulate until {SPAN}, every {d.choice([0.05, 0.1, 1, 100])}\n"
    done = run(text, ["--integrator", method, "--tolerance", tolerance])
    what = f"case {k}, {FAMILIES[k % len(FAMILIES)].__name__}, {method}, {tolerance}:\n{text}"
    if done.returncode == 3 or "may be missed" in done.stderr:
        return ("said", what + done.stderr)
    if done.returncode != 0:
        return ("wrong", what + done.stderr)
    final = json.loads(done.stdout)["final"]
    allowed = scale(float(tolerance)) if callable(scale) else scale * max(1e-5, 3e4 * float(tolerance))
    for name, value in expected.items():
        if not abs(final[name] - value) <= allowed * max(1, abs(value)):
            return ("wrong", what + f"{name} = {final[name]} instead of {value}, allowed {allowed}")
    return None


def main():
    methods = integrators()
    count = said = wrong = 0
    for k in range(CASES):
        if not takes(k):
            continue
        count += 1
        outcome = case(k, methods)
        if outcome and outcome[0] == "wrong":
            wrong += 1
            print(outcome[1])
        elif outcome:
            said += 1
            if "-v" in sys.argv:
                print(outcome[1])
    print(f"{count} models, {said} of which failed or warned, {wrong} wrong in silence")
    print(f"{count - wrong} passed, {wrong} failed")
    return 1 if wrong or said > 0.02 * count + 1 or not count else 0


sys.exit(main())
