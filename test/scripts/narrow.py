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


def travelling(d):
    """a barrier that moves: in its frame the particle passes, or turns"""
    w, c, speed = width(d, -5), d.uniform(5, 40), d.choice([0.2, 0.5, -0.6, -3.0])
    energy = (1 - speed) ** 2 / 2
    top = energy * d.choice([0.3, 0.9, 1.4, 10])
    u = f"((x - {number(c)} - {number(speed)}*t)/{number(w)})"
    form = d.choice([f"exp(-{u}^2)", f"2^(-{u}^2)", f"1/(1 + {u}^2)^8", f"(1 - tanh({u})^2)", f"max(0, 1 - {u}^2)^2",
                     f"(1 + cos(pi*min(max({u}, -1), 1)))/2", f"max(0, 1 - abs({u}))^1.5"])
    text = f"{HEAD}initial x' = 1\npotential {number(top)}*{form}\n"
    return text, {"x'": 2 * speed - 1 if top > energy else 1}, lambda tolerance: 1e-4 + 1e5 * tolerance * (1 + 1 / w)


def steep_functions(d):
    """pulses of unit area by functions that are steep in a small part of their argument"""
    w, c = width(d, -6), place(d)
    u = f"((x - {number(c)})/{number(w)})"
    p = d.choice([0.5, 0.8, 1.5, 2.7])
    form, area = d.choice([
        (f"2^(-{u}^2)", math.sqrt(math.pi / math.log(2))),
        (f"(1 + {u}^2)^(-3)", 3 * math.pi / 8),
        (f"max(0, 1 - {u}^2)^{p}", math.sqrt(math.pi) * math.gamma(p + 1) / math.gamma(p + 1.5)),
        (f"(atan2(x - {number(c - 3 * w)}, {number(w)}) - atan2(x - {number(c + 3 * w)}, {number(w)}))", 6 * math.pi),
        (f"if(abs({u}) < 1, acos({u}), 0)", math.pi),
        (f"if(abs({u}) < 1, sqrt(1 - {u}^2), 0)", math.pi / 2),
        (f"log(1 + 1/(1 + {u}^2)^2)", None),
    ])
    if area is None:  # with u = tan(a)
        area = simpson(lambda a: math.log(1 + math.cos(a) ** 4) / math.cos(a) ** 2 if abs(a) < 1.5707 else 0,
                       -math.pi / 2, math.pi / 2, 4000)
    long_tails = "atan2" in form
    f = d.choice([1.5, 0.4, -0.3]) / (w * area)
    text = f"{HEAD}initial x' = 1\nforce x = {number(f)}*{form}\nstop when x > 98\n"
    lost = (6 * w * (1 / (c + 3 * w) + 1 / (98 - c)) / area) if long_tails else 0
    v2 = 1 + 2 * f * w * area
    if c + 30 * w > 98 or c - 30 * w < 0 or c + (98 - c) / math.sqrt(v2) > 99:
        return None
    return text, {"x'": math.sqrt(v2)}, lambda tolerance: 1e-4 + 10 * lost + 1e5 * tolerance * (1 + 1 / w)


def poles_of_tan(d):
    """1/(1 + (tan(x)/w)^2) has the area pi w/(1 + w) in each period"""
    w, f, n = 10 ** d.uniform(-4, 0), d.uniform(0.1, 5), d.randint(2, 20)
    form = d.choice([f"1/(1 + (tan(x)/{number(w)})^2)", f"cos(x)^2/(cos(x)^2 + (sin(x)/{number(w)})^2)"])
    text = f"{HEAD}initial x = 1.5707963267948966, x' = 1\nforce x = {number(f)}*{form}\nstop when x > {number(math.pi * (n + 0.5))}\n"
    return text, {"x'": math.sqrt(1 + 2 * f * n * math.pi * w / (1 + w))}, lambda tolerance: 1e-4 + 3e4 * tolerance * (1 + f / w)


def floors_of_products(d):
    """windows where a x^2 is just above a whole number"""
    a, w, f = d.uniform(0.02, 2), 10 ** d.uniform(-4, -0.5), d.uniform(0.5, 10)
    square = f"{number(a)}*x*x"
    form = d.choice([f"floor({square}) - floor({square} - {number(w)})", f"if({square} - floor({square}) < {number(w)}, 1, 0)"])
    text = f"{HEAD}initial x = 0, x' = 1\nforce x = {number(f)}*({form})\nstop when x > 10\n"
    length = 0
    for n in range(int(a * 100) + 1):
        length += min(10, math.sqrt((n + w) / a)) - min(10, math.sqrt(n / a))
    return text, {"x'": math.sqrt(1 + 2 * f * length)}, lambda tolerance: 1e-4 + 3e5 * tolerance * (1 + f / w)


def chirp(d):
    """windows in time that come ever faster"""
    k, level, f = 10 ** d.uniform(-3, -0.5), d.choice([0.3, 0.9, 0.99]), d.uniform(0.1, 3)
    form = d.choice([f"if(sin({number(k)}*t^2) > {level}, {number(f)}, 0)", f"{number(f)}*(1 + sign(sin({number(k)}*t^2) - {level}))/2"])
    a, b = math.asin(level), math.pi - math.asin(level)
    total, n = 0, 0
    while 2 * math.pi * n < k * SPAN ** 2:
        lo, hi = (min(SPAN, math.sqrt((2 * math.pi * n + e) / k)) for e in (a, b))
        total += hi - lo
        n += 1
    return f"{HEAD}force x = {form}\n", {"x'": f * total}, 10


def close_together(d):
    """windows nearer to each other than any step would be without them, nested and joined at random"""
    w, c, n = width(d, -6), d.uniform(5, 90), d.randint(2, 5)
    edges = sorted(d.uniform(0, 1) for _ in range(2 * n))
    at = [c + w * e for e in edges]
    f = d.choice([2.0, 0.4, -0.4]) / w
    windows = [f"x > {number(at[2 * i])} and x < {number(at[2 * i + 1])}" for i in range(n)]
    outside = [f"(x < {number(at[2 * i])} or x > {number(at[2 * i + 1])})" for i in range(n)]
    condition = d.choice([" or ".join(windows), f"not ({' and '.join(outside)})",
                          f"not ({outside[0]} and not ({' or '.join(windows[1:])}))"])
    form = d.choice([f"if({condition}, {number(f)}, 0)", f"{number(f)}*if({condition}, 1, 0)*if(x > 1, 1, 0)",
                     "+".join(f"if({one}, {number(f)}, 0)" for one in windows)])
    rest = d.choice(["", "quasi s = x'\n", "quasi s = (2 + sin(t))*x'\n"])
    work = f * sum(at[2 * i + 1] - at[2 * i] for i in range(n))
    v = math.sqrt(1 + 2 * work)
    if c + w > 95 or c + (99 - c) / v > 99.9:
        return None
    text = f"{HEAD}{rest}initial x' = 1\nforce x = {form}\nstop when x > 99\n"
    return text, {"x'": v}, lambda tolerance: 1e-5 + 3e4 * tolerance + 5e4 * tolerance / w


def at_an_end(d):
    """right at the start, at the end, or at a sample"""
    w, a = width(d, -6), d.uniform(-3, 3)
    where = d.choice(["start", "end", "sample"])
    c = {"start": 0.0, "end": SPAN - w, "sample": d.randint(1, 99) - d.choice([0, w, w / 2])}[where]
    real = (c + w) - c
    lo, hi = number(c), number(c + w)
    if where == "end":
        hi = number(SPAN + 1)
        real = SPAN - c
    form = d.choice([f"if(t >= {lo} and t < {hi}, {number(a / real)}, 0)", f"if(t < {lo}, 0, if(t < {hi}, {number(a / real)}, 0))"])
    return f"{HEAD}force x = {form}\n", {"x'": a}, max(1, abs(a)) * max(1, 1e-9 / real)


def in_velocity(d):
    """the force is another one while the velocity, or a quasi-velocity, is within a window"""
    w, c = width(d, -6), d.uniform(5, 60)
    g = d.choice([-0.9, -0.5, 5.0, 100.0])
    quasi, speed = d.choice([("", "x'"), ("quasi s = x'\n", "x'"), ("quasi s = 2*x'\n", "s/2")])
    lo, hi = number(c), number(c + w)
    real = (c + w) - c
    condition = d.choice([f"{speed} > {lo} and {speed} < {hi}", f"not ({speed} < {lo} or {speed} > {hi})",
                          f"abs({speed} - {number(c + real / 2)}) < {number(real / 2)}"])
    text = f"{HEAD}{quasi}force x = 1 + if({condition}, {number(g)}, 0)\n"
    late = c + real / (1 + g)
    if late > 99:
        return None
    return text, {"x'": c + real + SPAN - late}, lambda tolerance: 1e-5 + 1e5 * tolerance * (1 + 1 / (1 + g))


def around_the_cut(d):
    """a window of an angle from atan2, beside its cut or elsewhere"""
    w, f = 10 ** d.uniform(-6, -0.5), d.uniform(0.2, 5)
    c = d.choice([math.pi - w, -math.pi, -w / 2, d.uniform(-3, 2.5)])
    angle = d.choice(["atan2(sin(x), cos(x))", "atan2(3*sin(x), 3*cos(x))"])
    form = d.choice([f"if({angle} > {number(c)} and {angle} < {number(c + w)}, 1, 0)",
                     f"if(abs({angle} - {number(c + w / 2)}) < {number(w / 2)}, 1, 0)"])
    turns = d.randint(1, 8)
    text = (f"{HEAD}initial x = 1, x' = 1\nforce x = {number(f)}*{form}\n"
            f"stop when x > {number(1 + 2 * math.pi * turns)}\n")
    if abs(c - 1) < 2 * w:
        return None
    return text, {"x'": math.sqrt(1 + 2 * f * w * turns)}, lambda tolerance: 1e-5 + 1e5 * tolerance * (1 + f / w)


def in_the_state(d):
    """a measured constraint that counts in a window of the state"""
    w, c, a = width(d, -6), place(d), d.choice([1.0, 3.0, -0.5])
    lo, hi = number(c), number(c + w)
    real = (c + w) - c
    text = ("coord x, y\nkinetic (x'^2 + y'^2)/2\ninitial x' = 1\n"
            f"constraint m (weight = if(x > {lo} and x < {hi}, 4, 0)): x'' + y'' = {number(a / real)}\n")
    v = math.sqrt(1 + a)
    return text, {"x'": v, "y'": v - 1}, lambda tolerance: 1e-5 + 3e4 * tolerance + 5e4 * tolerance / real


def hub(d):
    """a wheel whose bearing has friction in a window of its angle; in the plane and in space"""
    w, c, space = width(d, -5), d.uniform(2, 40), d.random() < 0.5
    mu = d.uniform(0.1, 0.9) / w
    lo, hi = number(c), number(c + w)
    real = (c + w) - c
    condition = d.choice([f"angle(hub) > {lo} and angle(hub) < {hi}", f"not (angle(hub) < {lo} or angle(hub) > {hi})"])
    end = 13 * math.pi if space else 45
    body = ("gravity (0, -10, 0)\nbody wheel: mass = 2, inertia = (0.5, 0.5, 0.5), at = (0, 0, 0), omega = (0, 0, 3)\n"
            "joint hub: revolute(ground, wheel, at = (0, 0, 0), axis = (0, 0, 1))\n" if space else
            "gravity (0, -10)\nbody2 wheel: mass = 2, inertia = 0.5, at = (0, 0), omega = 3\n"
            "joint hub: revolute(ground, wheel, at = (0, 0))\n")
    text = body + f"friction hub: mu = if({condition}, {number(mu)}, 0), radius = 0.1\nstop when angle(hub) > {number(end)}\n"
    if c + w > 40:
        return None
    v = math.sqrt(9 - 8 * mu * real)  # the torque is mu N r = 2 mu, of an inertia of 0.5
    allowed = lambda tolerance: 1e-4 + 1e5 * tolerance * (1 + 1 / real)
    # at 13 pi the quaternion is (0, 0, 0, 1) or its negative, and its rate v/2
    return (text, {"wheel.q0'": -v / 2}, allowed) if space else (text, {"wheel.angle'": v}, allowed)


def tumbling(d):
    """a body in space that turns as it likes, and passes a window"""
    w, c = width(d, -5), d.uniform(5, 60)
    spin = [number(d.uniform(-0.3, 0.3)) for _ in range(3)]
    f = d.choice([2.0, 0.4, -0.4]) / w
    lo, hi = number(c), number(c + w)
    real = (c + w) - c
    condition = d.choice([f"B.x > {lo} and B.x < {hi}", f"abs(B.x - {number(c + real / 2)}) < {number(real / 2)}"])
    text = (f"body B: mass = 1, inertia = (0.2, 0.3, 0.4), at = (0, 0, 0), velocity = (1, 0.5, 0), omega = ({', '.join(spin)})\n"
            f"force B = (if({condition}, {number(f)}, 0), 0, 0)\nstop when B.x > 65\n")
    v = math.sqrt(1 + 2 * f * real)
    if c + w > 64 or c + (65 - c) / v > 99:
        return None
    return text, {"B.x'": v}, lambda tolerance: 1e-5 + 3e4 * tolerance + 5e4 * tolerance / real


def driven_joint(d):
    """a slider with a prescribed motion, and what hangs on it by a spring"""
    w, c = width(d, -3), d.uniform(20, 80)
    text = ("body2 slider: mass = 1, inertia = 1, at = (0, 0)\nparticle P: mass = 1, at = (0, 0), velocity = (0, 0)\n"
            f"joint rail (motion = exp(-((t - {number(c)})/{number(w)})^2)): prismatic(ground, slider, axis = (1, 0))\n"
            "spring s: point(slider, (0, 0)), P, stiffness = 1\n")
    expected = w * math.sqrt(math.pi) * math.exp(-w * w / 4) * math.sin(SPAN - c)
    return text, {"P.x": expected}, 10


def spring_for_a_while(d):
    """a spring that is stiff for a short time"""
    w, c = width(d, -5), d.uniform(5, 95)
    phase = d.uniform(0.2, 6)
    lo, hi = number(c), number(c + w)
    real = (c + w) - c
    k = (phase / real) ** 2
    text = ("particle P: mass = 1, at = (1, 0), velocity = (0, 0)\n"
            f"spring s: (0, 0), P, stiffness = if(t > {lo} and t < {hi}, {number(k)}, 0)\n")
    v = -math.sqrt(k) * math.sin(phase)
    if c + w > 99:
        return None
    allowed = lambda tolerance: (1 + math.sqrt(k)) * (1e-5 + 3e4 * tolerance) * (1 + 3e-10 / real)
    return text, {"P.x'": v}, allowed


def in_a_crowd(d):
    """one of many particles meets a window; more than 500 coordinates are assembled"""
    n = 520 if d.random() < 0.03 else d.randint(2, 30)
    w, c, which = width(d, -5), d.uniform(10, 80), d.randint(1, n)
    f = d.choice([2.0, -0.4]) / w
    lo, hi = number(c), number(c + w)
    real = (c + w) - c
    text = (f"param N = {n}\ncoord x[1..N]\nkinetic sum(i in 1..N: x[i]'^2/2)\n"
            f"for i in 1..N: initial x[i]' = if(i == {which}, 1, -1/i)\n"
            f"for i in 1..N: force x[i] = if(x[i] > {lo} and x[i] < {hi}, {number(f)}, 0)\n")
    if c + w > 90:
        return None
    return text, {f"x[{which}]'": math.sqrt(1 + 2 * f * real)}, lambda tolerance: 1e-5 + 3e4 * tolerance + 5e4 * tolerance / real


def stop_at_both(d):
    """two narrow conditions that must hold at once"""
    w, c, v = width(d, -7), place(d), d.uniform(0.3, 3)
    share = d.uniform(0.2, 3)
    w2, y0 = w * v * share, d.uniform(-1, 1)
    off = d.choice([0.0, 0.5, -0.5, 3.0, -5.0]) * (w + w2 / v)
    d2 = y0 + v * (c + off)  # where y is when x is at c + off
    text = (f"coord x, y\nkinetic (x'^2 + y'^2)/2\ninitial x' = 1, y' = {number(v)}, y = {number(y0)}\n"
            f"stop when abs(x - {number(c)}) < {number(w)} and abs(y - {number(d2)}) < {number(w2)}\n")
    if abs(off) > w + w2 / v:
        return text, {"x": SPAN}, 1
    return text, {"x": max(c - w, c + off - w2 / v)}, max(1, w)


FAMILIES = [pulse, window_in_time, comb_in_time, barrier, smooth_barrier, rectified, comb, steps_of_floor, two_windows, patch,
            bumper, hill, driven, drive_in_pieces, weighted, rough_patch, stop, travelling, steep_functions, poles_of_tan,
            floors_of_products, chirp, close_together, at_an_end, in_velocity, around_the_cut, in_the_state, hub, tumbling,
            driven_joint, spring_for_a_while, in_a_crowd, stop_at_both]


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
