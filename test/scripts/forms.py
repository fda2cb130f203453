"""Bodies and joints in the coordinates of joints and in those of bodies: the same motion, reactions, multipliers, work, rank,
redundant rows, expectations, exit codes.

Shipped models with bodies, and models made at random, each by its number: open
trees, closed loops, drives, gears, wheels, rough guesses, contradictions, actuators,
starts of joints.

Surroundings: TRAMMEL, the program; SOURCE_DIR, the clone. Prints "N passed, M failed", exit code 1 on failure.
By hand: forms.py NUMBER ... takes these random models only, forms.py -p NUMBER prints one.
"""
import csv
import io
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from shipped import SETTINGS
from suite import takes

program, source = os.environ["TRAMMEL"], pathlib.Path(os.environ["SOURCE_DIR"])
CASES = [*range(420), *range(10000, 10100), *range(15000, 15040)]
FURTHER, FURTHER_CASES = 20000, 160  # the numbers of models with forces and rows that ask for more
BEYOND = 579, 619, 745, 1291, 1335, 1522  # starts near singular positions, and rows that vanish at the start: they ended once
TOLERANCE = 1e-11
CLOSE = 1e-9      # of a quantity's size, or
TIMES = 30        # as much as the bodies' form differs from itself at another tolerance, if this is more
STEPS = 1.6, 40   # what the steps in joints may be: so many times those in bodies, and some
BY_STEPS = "the energy is off|changes so often"  # warnings that depend on the steps taken
FIXED = "all bodies are fixed"
REFUSED = "the coordinates of joints cannot be used"


# ---- vectors and rotations

def add(*vectors):
    return [sum(parts) for parts in zip(*vectors)]


def scale(c, v):
    return [c * x for x in v]


def less(a, b):
    return [x - y for x, y in zip(a, b)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(v):
    return scale(1 / math.sqrt(dot(v, v)), v)


def times(p, q):
    """the product of quaternions"""
    return [p[0] * q[0] - dot(p[1:], q[1:])] + add(scale(p[0], q[1:]), scale(q[0], p[1:]), cross(p[1:], q[1:]))


def about(axis, angle):
    return [math.cos(angle / 2)] + scale(math.sin(angle / 2), unit(axis))


def turned(q, v):
    return times(times(q, [0] + v), [q[0]] + scale(-1, q[1:]))[1:]


def back(q, v):
    return turned([q[0]] + scale(-1, q[1:]), v)


def meet(a, ra, b, rb, side):
    """where circles about two points of the plane meet"""
    along = less(b, a)
    far = math.hypot(*along)
    x = (far * far + ra * ra - rb * rb) / (2 * far)
    y = side * math.sqrt(ra * ra - x * x)
    e = scale(1 / far, along)
    return [a[0] + x * e[0] - y * e[1], a[1] + x * e[1] + y * e[0]]


# ---- text

def text_of(x):
    return x if isinstance(x, str) else repr(float(x)) if not isinstance(x, (list, tuple)) else "(%s)" % ", ".join(map(text_of, x))


class Model:
    """The text of a model, in units of its own: lengths, times and masses are L, T and K of the program's."""

    def __init__(self, d, units=True):
        self.d, self.lines, self.bodies, self.at, self.turn = d, [], [], {}, {}
        self.L = self.T = self.K = 1.0
        kind = d.random()
        if units and kind < 0.15:
            self.L = 1000.0                                                   # mm, s, kg
        elif units and kind < 0.25:
            self.L, self.T, self.K = (10 ** d.uniform(-3, 3) for _ in range(3))
        self.planar, self.span, self.every, self.fails, self.singular, self.check = False, 1.0, 20, False, False, None
        self.may_end = self.rubs = False

    def say(self, line):
        self.lines.append(line)

    def text(self):
        span = self.span * self.T
        return "\n".join(self.lines + [f"simulate until {span!r}, every {span / self.every!r}, tolerance {TOLERANCE!r}", ""])

    # factors of what is written
    def force(self):
        return self.K * self.L / self.T ** 2

    def torque(self):
        return self.force() * self.L

    def vector(self, size=1.0):
        return [self.d.uniform(-size, size) for _ in range(2 if self.planar else 3)]

    def direction(self):
        """along an axis of the world, in one of its planes, or anywhere"""
        d = self.d
        if self.planar:
            return d.choice([[1, 0], [0, -1], unit(self.vector())])
        plain = [0, 0, 0]
        plain[d.randrange(3)] = d.choice([-1, 1])
        return d.choice([plain, unit([d.uniform(-1, 1), d.uniform(0.1, 1), 0]), unit(self.vector()), unit(self.vector())])

    def rotation(self):
        d = self.d
        return d.choice([[1.0, 0.0, 0.0, 0.0], about(self.direction(), d.choice([math.pi / 2, math.pi, d.uniform(-3, 3)])),
                         about(self.vector(), d.uniform(-3, 3))])

    def gravity(self):
        if self.d.random() < 0.8:
            g = scale(9.81 * self.L / self.T ** 2, self.direction())
            self.say(f"gravity {text_of(g)}")

    def inertia(self, mass, size):
        """of some points at random, so that it is one that a body can have"""
        d = self.d
        if self.planar:
            return text_of(mass * size ** 2 * d.uniform(0.02, 0.3) * self.L ** 2)
        points = [[d.uniform(-size, size) for _ in range(3)] for _ in range(4)]
        J = [[0.0] * 3 for _ in range(3)]
        for p in points:
            for i in range(3):
                for j in range(3):
                    J[i][j] += mass / 8 * ((dot(p, p) if i == j else 0) - p[i] * p[j]) * self.L ** 2
        if d.random() < 0.4:
            return text_of([J[0][0], J[1][1], J[2][2]])
        return text_of([J[0][0], J[1][1], J[2][2], J[0][1], J[0][2], J[1][2]])

    def body(self, name, at, turn=None, mass=None, size=0.4, moving=1.0, settings=""):
        """at in L; moving: how fast its start is; it is a guess, which joints put right"""
        d = self.d
        turn = (d.uniform(-3, 3) if self.planar else self.rotation()) if turn is None else turn
        mass = d.uniform(0.3, 3) if mass is None else mass
        kind = "body2" if self.planar else "body"
        rotation = f"angle = {turn!r}" if self.planar else f"rotation = {text_of(turn)}"
        line = f"{kind} {name}: mass = {mass * self.K!r}, inertia = {self.inertia(mass, size) if mass else text_of(0 if self.planar else [0, 0, 0])}, " \
               f"at = {text_of(scale(self.L, at))}, {rotation}"
        if moving:
            omega = self.d.uniform(-2, 2) * moving if self.planar else self.vector(2 * moving)
            line += f", velocity ~ {text_of(scale(self.L / self.T, self.vector(moving)))}, " \
                    f"omega ~ {text_of(omega / self.T if self.planar else scale(1 / self.T, omega))}"
        self.say(line + settings)
        self.bodies.append(name)
        self.at[name], self.turn[name] = at, turn

    def pair(self, one, two):
        return (one, two) if self.d.random() < 0.5 else (two, one)

    def joint(self, name, kind, one, two, at=None, axis=None, options=""):
        """of the world's axes, at the start"""
        d, near = self.d, self.at.get(two, self.at.get(one))
        at = add(near, self.vector(0.5)) if at is None else at
        axis = self.direction() if axis is None else axis
        place = f"at = {text_of(scale(self.L, at))}"
        along = f"axis = {text_of(axis)}"
        parts = {"revolute": [place] if self.planar else [place, along], "spherical": [place], "fixed": [],
                 "prismatic": [along] + d.choice([[], [place]]), "cylindrical": [place, along],
                 "planar": [place, f"normal = {text_of(axis)}"]}
        if kind == "universal":
            second = unit(cross(axis, self.vector()))
            parts["universal"] = [place, f"axis1 = {text_of(axis)}", f"axis2 = {text_of(second)}"]
        self.say(f"joint {name}{options}: {kind}({', '.join([one, two] + parts[kind])})")

    def loads(self, joints=()):
        """some springs, forces, torques and potentials; joints: those that have an angle or displacement"""
        d, names = self.d, self.bodies
        F, N = self.force(), self.torque()
        size = 2 if self.planar else 3
        point = lambda b: f"point({b}, {text_of(scale(self.L, self.vector(0.3)))})"
        if d.random() < 0.4:
            for i in range(d.randint(1, 2)):
                one = d.choice(names)
                ends = [point(one), d.choice([text_of(scale(self.L, self.vector(2))), point(d.choice(names))])]
                if one in ends[1]:
                    ends[1] = text_of(scale(self.L, self.vector(2)))
                rest = d.choice(["", f", length = {self.L * d.uniform(0.1, 1)!r}"])
                damping = d.choice(["", f", damping = {d.uniform(0, 2) * F * self.T / self.L!r}"])
                self.say(f"spring s{i}: {', '.join(ends)}, stiffness = {d.uniform(1, 30) * F / self.L!r}{rest}{damping}")
        if d.random() < 0.4:
            b = d.choice(names)
            f = [d.choice([text_of(F * d.uniform(-3, 3)), f"{F!r}*sin({3 / self.T!r}*t)", f"{-F * self.T / self.L!r}*{b}.x'",
                           f"{F / self.L!r}*{d.choice(names)}.y"]) for _ in range(size)]
            at = d.choice(["", f" at {text_of(scale(self.L, self.vector(0.3)))}"])
            self.say(f"force {b}{at} = ({', '.join(f)})")
        if d.random() < 0.4:
            b = d.choice(names)
            n = [d.choice([text_of(N * d.uniform(-1, 1)), f"{N!r}*cos({2 / self.T!r}*t)"]) for _ in range(1 if self.planar else 3)]
            self.say(f"torque {b} = {n[0] if self.planar else '(%s)' % ', '.join(n)}")
        if d.random() < 0.3:
            b, c = d.choice(names), d.choice(names)
            self.say(f"potential {F / self.L!r}*({b}.x - 2*{c}.y)^2 + {F!r}*{b}.x*" +
                     (f"sin({c}.angle)" if self.planar else f"{c}.q2*{b}.q0"))
        if joints and d.random() < 0.4:
            j, angle = d.choice(list(joints))
            self.say(f"potential {N!r}*sin({angle})" if angle.startswith("angle") else f"potential {F / self.L!r}*{angle}^2")
        if d.random() < 0.2:
            b, edge = d.choice(names), self.L * d.uniform(0.05, 0.3)  # at 0 rounding would decide on what stays there
            self.say(d.choice([f"force {b} = {text_of([f'-{F!r}*sign({b}.x - {edge!r})'] + [0] * (size - 1))}",
                               f"force {b} = {text_of([f'if({b}.y > {edge!r}, {F!r}, 0)'] + [0] * (size - 1))}",
                               f"potential {F!r}*abs({b}.y - {edge!r})"]))

    def stiff(self, kind):
        """settings of a joint that has one freedom: a spring and a damper, sometimes"""
        F, N, d = self.force(), self.torque(), self.d
        if self.d.random() < 0.75 or kind not in ("revolute", "prismatic"):
            return ""
        k, c = (N, N * self.T) if kind == "revolute" else (F / self.L, F * self.T / self.L)
        return d.choice([f" (stiffness = {5 * k!r})", f" (damping = {0.5 * c!r})", f" (stiffness = {5 * k!r}, damping = {0.5 * c!r})"])


def speaks(kind, name):
    """(joint, expression) of what a joint shows, or nothing"""
    what = {"revolute": "angle", "cylindrical": "angle", "prismatic": "displacement"}.get(kind)
    return [(name, f"{what}({name})")] if what else []


SPACE = ["revolute", "revolute", "spherical", "fixed", "prismatic", "cylindrical", "universal", "planar"]
PLANE = ["revolute", "revolute", "fixed", "prismatic"]
FREEDOMS = {"revolute": 1, "spherical": 3, "fixed": 0, "prismatic": 1, "cylindrical": 2, "universal": 2, "planar": 3}


# ---- families: each makes a Model of a number

def open_tree(m, most=5):
    """bodies on others or on the ground, some of them free; the freedoms of all, and the joints that show one"""
    d = m.d
    m.gravity()
    shown, freedoms = [], 0
    for i in range(d.randint(1, most)):
        parent = d.choice(["ground"] + m.bodies[-2:] + m.bodies)
        near = m.at.get(parent, [0.0] * (2 if m.planar else 3))
        m.body(f"b{i}", add(near, m.vector(0.8)))
        if d.random() < 0.12:
            freedoms += 3 if m.planar else 6
            continue
        kind = d.choice(PLANE if m.planar else SPACE)
        m.joint(f"j{i}", kind, *m.pair(parent, f"b{i}"), options=m.stiff(kind))
        freedoms += FREEDOMS[kind]
        shown += speaks(kind, f"j{i}")
    return freedoms, shown


def tree_in_space(d):
    m = Model(d)
    _, shown = open_tree(m)
    m.loads(shown)
    return m


def tree_in_plane(d):
    m = Model(d)
    m.planar = True
    _, shown = open_tree(m)
    m.loads(shown)
    return m


def close_at_random(m, freedoms, shown):
    """joints between bodies that already hang together somehow: any of them can be closed at the start"""
    d = m.d
    rows = {kind: (3 if m.planar else 6) - (1 if m.planar and kind in ("revolute", "prismatic") else FREEDOMS[kind]) for kind in FREEDOMS}
    for i in range(d.randint(1, 2)):
        fits = [kind for kind in set(PLANE if m.planar else SPACE) if rows[kind] < freedoms]
        if not fits:
            break
        kind = d.choice(sorted(fits))
        one, two = d.sample(["ground"] + m.bodies, 2) if len(m.bodies) > 1 else ("ground", m.bodies[0])
        m.joint(f"c{i}", kind, *m.pair(one, two), options=m.stiff(kind))
        freedoms -= rows[kind]
        shown += speaks(kind, f"c{i}")
    return freedoms


def graph_in_space(d):
    m = Model(d)
    freedoms, shown = open_tree(m, 6)
    close_at_random(m, freedoms, shown)
    m.loads(shown)
    m.span = 0.5
    return m


def graph_in_plane(d):
    m = Model(d)
    m.planar = True
    freedoms, shown = open_tree(m, 6)
    close_at_random(m, freedoms, shown)
    m.loads(shown)
    m.span = 0.5
    return m


def chain_of(m, points, closed_by, base, out, names="link"):
    """Bars from point to point, given in a plane that out takes to the world; the first and the last are on the base."""
    d = m.d
    axis = out([0, 0, 1], True)
    for i in range(len(points) - 1):
        a, b = points[i], points[i + 1]
        centre = add(scale(0.5, add(a, b)), scale(d.choice([0, 0.1]), m.vector()[:2]))
        if m.planar:
            m.body(f"{names}{i}", centre, math.atan2(b[1] - a[1], b[0] - a[0]))
        else:
            m.body(f"{names}{i}", out(centre + [0]), None)
    for i, p in enumerate(points):
        one = f"{names}{i - 1}" if i else base
        two = f"{names}{i}" if i < len(points) - 1 else base
        at = p if m.planar else out(p + [0])
        kind = closed_by if i == len(points) - 1 else "revolute"
        m.joint(f"{names}_pin{i}", kind, *m.pair(one, two), at=at, axis=axis, options=m.stiff(kind) if i == 0 else "")


def placing(m):
    """a plane of space, turned and shifted"""
    if m.planar:
        return lambda v, only_turned=False: v
    q, shift = m.rotation(), scale(m.d.choice([0, 1]), m.vector())
    return lambda v, only_turned=False: turned(q, v) if only_turned else add(turned(q, v), shift)


def flat_loop(d):
    """four-bars and five-bars of planar bodies, or turned in space, where rows are redundant; on a base that may move"""
    m = Model(d)
    m.planar = d.random() < 0.3
    m.gravity()
    out, base = placing(m), "ground"
    if d.random() < 0.3:
        base = "base"
        kind = d.choice(["revolute", "prismatic"] if m.planar else ["revolute", "prismatic", "spherical", "universal", "planar", "cylindrical", None])
        m.body("base", [1.2, -0.5] if m.planar else out([1.2, -0.5, 0.0]))
        if kind:
            m.joint("hold", kind, *m.pair("ground", "base"))
    a = scale(0.5, [math.cos(x := d.uniform(0.4, 2.6)), math.sin(x)])
    e = [d.uniform(1.6, 2.4), 0.0]
    if d.random() < 0.5:
        points = [[0.0, 0.0], a, meet(a, 2.0, e, 1.3, 1), e]
    else:
        b = add(a, scale(1.1, [math.cos(x := d.uniform(0.3, 1.2)), math.sin(x)]))
        points = [[0.0, 0.0], a, b, meet(b, 1.5, e, 1.2, 1), e]
    chain_of(m, points, "revolute" if m.planar else d.choice(["revolute", "revolute", "revolute", "cylindrical", "spherical", "universal"]),
             base, out)
    m.loads([("link_pin0", "angle(link_pin0)")])
    m.span = 0.7
    return m


def shared_links(d):
    """Watt's two loops, which share a plate"""
    m = Model(d)
    m.planar = d.random() < 0.3
    m.gravity()
    out = placing(m)
    o, c, e = [0.0, 0.0], [2.0, 0.0], [4.0, 0.0]
    a = scale(0.7, [math.cos(x := d.uniform(0.9, 1.3)), math.sin(x)])
    b = meet(a, 1.9, c, 1.3, 1)
    p = meet(b, 0.8, c, 1.1, 1)
    f = meet(p, 1.7, e, 1.2, 1)
    bars = {"crank": (o, a), "coupler": (a, b), "plate": (c, b, p), "second": (p, f), "rocker": (e, f)}
    for name, corners in bars.items():
        centre = scale(1 / len(corners), add(*corners))
        m.body(name, centre if m.planar else out(centre + [0.0]))
    pins = [("O", "ground", "crank", o), ("A", "crank", "coupler", a), ("B", "coupler", "plate", b), ("C", "ground", "plate", c),
            ("D", "plate", "second", p), ("F", "second", "rocker", f), ("E", "ground", "rocker", e)]
    d.shuffle(pins)
    for name, one, two, at in pins:
        m.joint(name, "revolute", *m.pair(one, two), at=at if m.planar else out(at + [0.0]), axis=out([0, 0, 1], True) if not m.planar else None)
    m.loads([("A", "angle(A)"), ("F", "angle(F)")])
    m.span = 0.4
    return m


def parallelogram(d):
    """passes positions where all bars lie on one line, or starts near one"""
    m = Model(d)
    m.planar = d.random() < 0.5
    out, far = placing(m), d.choice([0.5, 1.0, 2.0])
    angle = d.choice([0.5, 1.2, 1e-2, -1e-3, math.pi / 2])
    top = [math.cos(angle), math.sin(angle)]
    points = [[0.0, 0.0], top, add(top, [far, 0.0]), [far, 0.0]]
    w = d.uniform(3, 6) / m.T
    spin = lambda p: scale(w, [-p[1], p[0]])
    for i, (a, b) in enumerate(zip(points, points[1:])):
        centre = scale(0.5, add(a, b))
        v = [spin(scale(0.5, top)), spin(top), spin(scale(0.5, top))][i]
        rate = 0.0 if i == 1 else w
        if m.planar:
            m.body(f"link{i}", centre, moving=0,
                   settings=f", velocity ~ {text_of(scale(m.L, v))}, omega ~ {text_of(rate)}")
        else:
            turn = m.rotation()
            m.body(f"link{i}", out(centre + [0.0]), turn, moving=0,
                   settings=f", velocity ~ {text_of(scale(m.L, out(v + [0.0], True)))}, "
                            f"omega ~ {text_of(scale(rate, back(turn, out([0, 0, 1], True))))}")
    for i, p in enumerate(points):
        one, two = ("ground" if i == 0 else f"link{i - 1}"), (f"link{i}" if i < 3 else "ground")
        m.joint(f"pin{i}", "revolute", *m.pair(one, two), at=p if m.planar else out(p + [0.0]), axis=None if m.planar else out([0, 0, 1], True))
    m.span, m.singular, m.check = d.choice([0.3, 1.0, 1.0]), True, coupler_stays_parallel
    return m


def coupler_stays_parallel(m, rows):
    """nothing else than a steady rotation of the cranks"""
    names = ["link1.angle"] if m.planar else [f"link1.q{k}" for k in range(4)]
    off = max(abs(row[name] - rows[0][name]) for row in rows for name in names)
    return [] if off < 1e-6 else [f"the coupler turns by {off}"]


def slider_crank(d):
    m = Model(d)
    m.planar = d.random() < 0.4
    m.gravity()
    out = placing(m)
    a = scale(0.4, [math.cos(x := d.uniform(0, 6)), math.sin(x)])
    p = [a[0] + math.sqrt(1.2 ** 2 - a[1] ** 2), 0.0]
    put = (lambda v: v) if m.planar else (lambda v: out(v + [0.0]))
    for name, at in [("crank", scale(0.5, a)), ("rod", scale(0.5, add(a, p))), ("slider", add(p, [0.1, 0.0]))]:
        m.body(name, put(at))
    z, x = (None, [1, 0]) if m.planar else (out([0, 0, 1], True), out([1, 0, 0], True))
    motion = d.choice(["", "", f" (motion = {d.uniform(1, 6) / m.T!r}*t)"])
    m.joint("O", "revolute", *m.pair("ground", "crank"), at=put([0.0, 0.0]), axis=z, options=motion)
    m.joint("A", d.choice(["revolute"] if m.planar else ["revolute", "spherical"]), *m.pair("crank", "rod"), at=put(a), axis=z)
    kind = "prismatic" if m.planar else d.choice(["prismatic", "prismatic", "cylindrical", "planar"])
    ends = ["revolute"] if m.planar else ["revolute", "universal", "cylindrical"]
    m.joint("B", d.choice(ends), *m.pair("rod", "slider"), at=put(p), axis=z)
    m.joint("rail", kind, *m.pair("ground", "slider"), at=put(p), axis=z if kind == "planar" else x)
    if kind == "planar":
        m.say(f"constraint stay: dot(slider - {text_of(scale(m.L, put(p)))}, {text_of(out([0, 1, 0], True))}) = 0")
    m.loads([("O", "angle(O)")] + speaks("prismatic" if kind == "prismatic" else "", "rail"))
    m.span = 0.6
    return m


def spatial_four_bar(d):
    """a crank, a rod with a ball at each end, or with one ball and a cross, and a rocker"""
    m = Model(d)
    m.gravity()
    o, e = [0.0, 0.0, 0.0], add([1.5, 0.3, 0.2], m.vector(0.3))
    first, last = m.direction(), m.direction()
    a = add(o, scale(0.5, unit(cross(first, m.vector()))))
    b = add(e, scale(1.1, unit(cross(last, m.vector()))))
    m.body("crank", scale(0.5, add(o, a)))
    m.body("rod", scale(0.5, add(a, b)))
    m.body("rocker", scale(0.5, add(b, e)))
    m.joint("O", d.choice(["revolute", "revolute", "cylindrical"]), *m.pair("ground", "crank"), at=o, axis=first)
    m.joint("A", "spherical", *m.pair("crank", "rod"), at=a)
    m.joint("B", d.choice(["spherical", "universal", "spherical"]), *m.pair("rod", "rocker"), at=b)
    m.joint("E", "revolute", *m.pair("rocker", "ground"), at=e, axis=last, options=m.stiff("revolute"))
    m.loads([("O", "angle(O)"), ("E", "angle(E)")])
    m.span = 0.5
    return m


def platform(d):
    """a plate on legs"""
    m = Model(d)
    m.gravity()
    legs = d.choice([2, 3, 3, 6])
    m.body("plate", [0.0, 0.0, 1.0])
    shown = []
    for i in range(legs):
        x = 2 * math.pi * i / legs
        foot, top = [math.cos(x), math.sin(x), d.uniform(-0.1, 0.1)], [0.6 * math.cos(x + 0.4), 0.6 * math.sin(x + 0.4), d.uniform(0.9, 1.1)]
        kind = d.choice(["slide", "rod", "knee"])
        if kind == "rod" and legs < 6 or kind == "knee":
            knee = add(scale(0.5, add(foot, top)), [0.3 * math.cos(x), 0.3 * math.sin(x), 0.1])
            m.body(f"shin{i}", scale(0.5, add(foot, knee)))
            m.body(f"thigh{i}", scale(0.5, add(knee, top)))
            m.joint(f"foot{i}", d.choice(["revolute", "universal"]), *m.pair("ground", f"shin{i}"), at=foot)
            m.joint(f"knee{i}", d.choice(["spherical", "universal"]), *m.pair(f"shin{i}", f"thigh{i}"), at=knee)
        else:
            m.body(f"shin{i}", add(foot, scale(0.2, less(top, foot))))
            m.body(f"thigh{i}", add(foot, scale(0.7, less(top, foot))))
            m.joint(f"foot{i}", "universal", *m.pair("ground", f"shin{i}"), at=foot)
            m.joint(f"knee{i}", d.choice(["prismatic", "cylindrical"]), *m.pair(f"shin{i}", f"thigh{i}"), at=foot, axis=unit(less(top, foot)))
            shown += [(f"knee{i}", f"displacement(knee{i})")]
        m.joint(f"top{i}", "spherical", *m.pair("plate", f"thigh{i}"), at=top)
    m.loads(shown)
    m.span = 0.25
    return m


def driven(d):
    """drives, gears and racks between joints of a tree, or of a closure"""
    m = Model(d)
    m.planar = d.random() < 0.3
    m.gravity()
    motions = [f"{d.uniform(-2, 2) / m.T!r}*t", f"sin({2 / m.T!r}*t)", f"0.3*(1 - cos({3 / m.T!r}*t))"]
    turns, slides = [], []
    for i in range(d.randint(2, 4)):
        parent = d.choice(["ground"] + m.bodies)
        m.body(f"b{i}", add(m.at.get(parent, [0.0] * (2 if m.planar else 3)), m.vector(0.8)))
        kind = d.choice(["revolute", "revolute", "prismatic"] + ([] if m.planar else ["cylindrical"]))
        motion = d.choice(motions)
        motion = f"{m.L!r}*({motion})" if kind == "prismatic" else motion
        options = f" (motion = {motion})" if d.random() < 0.35 and kind != "cylindrical" else m.stiff(kind)
        m.joint(f"j{i}", kind, *m.pair(parent, f"b{i}"), options=options)
        if "motion" in options:
            m.say(f"output drive{i} = drive(j{i})")
        else:
            (slides if kind == "prismatic" else turns).append(f"j{i}")
    if len(turns) > 1:
        m.say(f"joint g: gear({turns[0]}, {turns[1]}, ratio = {d.choice([-2, 0.5, 1.3])!r})")
    elif turns and slides:
        m.say(f"joint g: rack({turns[0]}, {slides[0]}, radius = {d.choice([-0.2, 0.4]) * m.L!r})")
    m.loads([(j, f"angle({j})") for j in turns])
    return m


def distances(d):
    """bodies and particles that hang on rods, some of them on nothing else; assembly finds where"""
    m = Model(d)
    _, shown = open_tree(m, 3)
    m.at["P"] = m.vector(2)
    m.say(f"particle P: mass = {m.K!r}, at = {text_of(scale(m.L, m.at['P']))}, velocity ~ {text_of(scale(m.L / m.T, m.vector()))}")
    m.body("lone", m.vector(1.5))

    def end(name):
        """its text, and where it is"""
        if name is None:
            at = m.vector(2)
            return text_of(scale(m.L, at)), at
        if name == "P":
            return name, m.at[name]
        own = m.vector(0.5)
        return f"point({name}, {text_of(scale(m.L, own))})", add(m.at[name], turned(m.turn[name], own))

    others = [None] + m.bodies[:-1]
    for i, own in enumerate(["lone", "P"][:d.randint(1, 2)]):
        (one, a), (two, b) = end(own), end(d.choice(others + ["lone"] * (own == "P")))
        swing = d.choice(["", f"*(1 + 0.2*sin({2 / m.T!r}*t))"])
        m.say(f"joint d{i}: distance({one}, {two}, length = {m.L * math.dist(a, b) * d.uniform(0.9, 1.1)!r}{swing})")
    m.lines = [line.replace("at = ", "at ~ ", 1).replace("rotation = ", "rotation ~ ", 1) if line.startswith(("body", "particle"))
               else line for line in m.lines]
    m.loads(shown)
    m.span = 0.5
    return m


def wheels(d):
    """a ball or a disk that rolls, alone, on a moving plane, or in a cart"""
    m = Model(d)
    n = unit(add([0, 0, 1], m.vector(0.2)))
    side = unit(cross(n, [1, 0.2, 0]))
    fore = cross(side, n)
    turn = about(cross([0, 0, 1], side) if d.random() < 0.8 else [0, 0, 1], math.acos(side[2]) if d.random() < 0.8 else 0.3)
    turn = about(cross([0, 0, 1], side), math.acos(side[2]))
    r = 0.5
    base = "ground"
    if d.random() < 0.3:
        base = "table"
        m.body("table", [0.2, 0.1, -0.3], mass=5)
        m.joint("support", d.choice(["revolute", "prismatic", "spherical", "planar"]), "ground", "table", options="")
        m.say("torque table = (0, 0, 0)")
    m.say(f"gravity {text_of([0, 0, -9.81 * m.L / m.T ** 2])}")
    spin = f", omega ~ {text_of(scale(d.uniform(-5, 5) / m.T, [0, 0, 1]))}"
    lean = d.uniform(-0.3, 0.3)
    tilt = about(fore, lean)
    up = turned(tilt, n)
    ball = d.random() < 0.4
    m.body("wheel", scale(r, n if ball else up), times(tilt, turn), moving=0, settings=spin)
    axis = "" if ball else f", axis = {text_of(turned(tilt, side))}"
    m.say(f"joint roll: rolling({base}, wheel, at = (0, 0, 0), normal = {text_of(n)}, radius = {r * m.L!r}{axis})")
    if d.random() < 0.4:
        m.body("frame", add(scale(r, n), [0.3, 0.2, 0.4]))
        m.joint("hub", "spherical" if ball else "revolute", *m.pair("wheel", "frame"), at=scale(r, n if ball else up), axis=turned(tilt, side))
    m.say(f"force wheel = {text_of(scale(m.force(), m.vector(2)))}")
    m.span = 0.5
    return m


def user_constraints(d):
    """on points of bodies, on velocities, with time, controls; particles and plain coordinates"""
    m = Model(d)
    freedoms, shown = open_tree(m, 4)
    b, c = d.choice(m.bodies), d.choice(m.bodies)
    L, T = m.L, m.T
    m.body("loose", m.vector())
    p = f"point(loose, {text_of(scale(L, m.vector(0.4)))})"
    kind = d.randrange(7)
    m.say([f"constraint c: {p}.z = {0.2 * L!r}*sin({2 / T!r}*t) + 0.5*{b}.x",
           f"constraint c: {p}' = 0.3*({c}.y', {b}.z', {0.2 * L / T!r})",
           f"constraint c: dot(vector(loose, (1, 0.3, 0)), {p}') = {0.3 * L / T!r}",
           f"control c: {p}.x = {b}.y + {0.3 * L!r}*sin({3 / T!r}*t)",
           f"coord z\nmass z = {2 * m.K!r}\ninitial z ~ {0.3 * L!r}\nconstraint c: z^2 + {p}.x^2 = {2 * L * L!r}*(1.2 + {b}.q1*{b}.q2)",
           f"constraint c (damping = {3 / T!r}, stiffness = {10 / T ** 2!r}): {p}.y = {0.3 * L!r}*{b}.q3",
           f"control c (damping = {2 / T!r}): loose.x' = {0.2 * L / T!r}*(1 + {b}.q0)\nconstraint e: loose.z'' = {L / T ** 2!r}*cos({t_rate(T)}*t)"][kind])
    m.lines = [line.replace("at = ", "at ~ ", 1) if line.startswith("body loose") else line for line in m.lines]
    m.loads(shown)
    m.span = 0.4
    return m


def t_rate(T):
    return repr(2 / T)


def massless(d):
    """links without mass between heavy bodies"""
    m = Model(d)
    m.planar = d.random() < 0.4
    m.gravity()
    before = "ground"
    at = [0.0] * (2 if m.planar else 3)
    for i in range(d.randint(2, 4)):
        light = i % 2 == 0
        at = add(at, m.vector(0.4), scale(0.5, [0, -1] if m.planar else [0, 0, -1]))
        m.body(f"b{i}", at, mass=0 if light else None, moving=0)  # assembly of velocities depends on the mass that is not there
        # what has no mass is held by the next, whose joint takes it along in all its freedoms
        kind = d.choice(["revolute", "prismatic"] if m.planar else ["revolute", "prismatic", "universal", "cylindrical"]) if light else \
            d.choice(["fixed", "revolute"])
        m.joint(f"j{i}", kind, *m.pair(before, f"b{i}"))
        before = f"b{i}"
    if light:
        m.body("end", add(at, m.vector(0.5)), moving=0)
        m.joint("last", "fixed", *m.pair(before, "end"))
    m.span = 0.5
    return m


def spinning(d):
    """fast free bodies, and balls through several turns: the momentum of a free one stays"""
    m = Model(d)
    w = d.uniform(10, 60)
    m.body("top", m.vector(), moving=0, settings=f", omega = {text_of(scale(w / m.T, unit(m.vector())))}, velocity = {text_of(scale(m.L / m.T, m.vector()))}")
    kind = d.choice([None, None, "spherical", "universal", "planar"])
    if kind:
        m.lines = [line.replace("omega = ", "omega ~ ").replace("velocity = ", "velocity ~ ") for line in m.lines]
        m.gravity()
        m.joint("j", kind, *m.pair("ground", "top"))
        m.body("hung", add(m.at["top"], m.vector(0.5)))
        m.joint("k", d.choice(["spherical", "revolute"]), *m.pair("top", "hung"))
    else:
        m.check = momentum_stays
    m.span = 1.0
    return m


def momentum_stays(m, rows):
    """in the world's axes, of a free body"""
    found = re.search(r"inertia = \(([^)]*)\)", m.lines[0]).group(1)
    J = [float(x) for x in found.split(",")] + [0.0] * 3
    J = [[J[0], J[3], J[4]], [J[3], J[1], J[5]], [J[4], J[5], J[2]]]
    momenta = []
    for row in rows:
        q = [row[f"top.q{k}"] for k in range(4)]
        rate = [row[f"top.q{k}'"] for k in range(4)]
        w = scale(2, times([q[0]] + scale(-1, q[1:]), rate)[1:])
        momenta.append(turned(q, [dot(line, w) for line in J]))
    size = math.sqrt(dot(momenta[0], momenta[0]))
    off = max(math.dist(h, momenta[0]) for h in momenta)
    return [] if off < 1e-8 * size else [f"the momentum is off by {off / size} of it"]


def rough(d):
    """guesses that assembly has to close, with each side of a joint in its own axes"""
    m = Model(d)
    m.gravity()
    L = m.L
    off = lambda v: scale(L, add(v, m.vector(0.12)))
    for name, at, turn in [("crank", [0.15, 0.25, 0], 1.0), ("rod", [0.9, 0.8, 0], 0.35), ("rocker", [1.7, 0.6, 0], 1.2)]:
        size = {"crank": 0.3, "rod": 1.0, "rocker": 0.65}[name]
        q = times(about([0, 0, 1], turn), about(m.vector(), d.uniform(-0.15, 0.15)))
        m.say(f"body {name}: mass = {m.K * d.uniform(1, 2)!r}, inertia = {m.inertia(1.0, size)}, at ~ {text_of(off(at))}, rotation ~ {text_of(q)}")
        m.bodies.append(name)
    z = text_of([0, 0, 1])
    side = lambda x: text_of([x * L, 0, 0])
    hinge = f"axis1 = {z}, axis2 = {z}"
    m.say(f"joint O: revolute(ground, crank, at1 = (0, 0, 0), at2 = {side(-0.3)}, {hinge})")
    m.say(d.choice([f"joint A: spherical(crank, rod, at1 = {side(0.3)}, at2 = {side(-1.0)})",
                    f"joint A: universal(crank, rod, at1 = {side(0.3)}, at2 = {side(-1.0)}, axis1 = {z}, axis2 = {text_of([0, 1, 0])})",
                    f"joint A: revolute(crank, rod, at1 = {side(0.3)}, at2 = {side(-1.0)}, {hinge})"]))
    m.say(d.choice([f"joint B: spherical(rod, rocker, at1 = {side(1.0)}, at2 = {side(0.65)})",
                    f"joint B: cylindrical(rocker, rod, at1 = {side(0.65)}, at2 = {side(1.0)}, {hinge})"]))
    m.say(f"joint E: revolute(rocker, ground, at1 = {side(-0.65)}, at2 = {text_of([2.0 * L, 0, 0])}, {hinge})")
    if d.random() < 0.3:
        m.say(f"body extra: mass = {m.K!r}, inertia = {m.inertia(1.0, 0.4)}, at ~ {text_of(off([1.7, 1.2, 0.2]))}")
        m.say(d.choice([f"joint F: planar(rocker, extra, at1 = {side(0.1)}, at2 = {side(0.2)}, normal1 = {z}, normal2 = (0, 1, 0))",
                        f"joint F: prismatic(rocker, extra, at1 = {side(0.1)}, at2 = {side(0.2)}, axis1 = {z}, axis2 = (0, 1, 0))",
                        f"joint F: fixed(extra, rocker)"]))
    m.span = 0.3
    return m


def stops_and_switches(d):
    """stop when, and results in outputs"""
    m = Model(d)
    m.planar = d.random() < 0.4
    _, shown = open_tree(m, 3)
    b = d.choice(m.bodies)
    x = m.at[b][0] * m.L
    m.say(f"force {b} = {text_of([f'{m.force()!r}*if({b}.x > {x + 0.05 * m.L!r}, -3, 2)'] + [0] * (1 if m.planar else 2))}")
    m.say(f"stop when abs({b}.y - {m.at[b][1] * m.L!r}) > {0.3 * m.L!r}")
    names = [line.split()[1].rstrip(":") for line in m.lines if line.startswith("joint")]
    if names:
        m.say(f"output pull = norm(reaction({names[0]}))\noutput twist = torque({names[0]})")
    m.say(f"output acc = {b}''\noutput spin = omega({b})\nexpect always {b}.x < {x + 0.2 * m.L!r}")
    if shown:
        m.say(f"expect finally {shown[0][1]} > 0\noutput shown = {shown[0][1]}\noutput rate = {shown[0][1]}'")
    m.loads(shown)
    return m


def odd_graphs(d):
    """two joints between two bodies, joints to grandparents, fixed chains, bodies that only turn, hung on rods"""
    m = Model(d)
    m.gravity()
    kind = d.randrange(7)
    if kind == 0:       # two hinges on one axis
        at, axis = m.vector(), m.direction()
        m.body("door", add(at, [0.5, 0.1, 0]))
        m.joint("low", d.choice(["revolute", "cylindrical"]), *m.pair("ground", "door"), at=at, axis=axis)
        m.joint("high", d.choice(["revolute", "cylindrical", "spherical"]), *m.pair("ground", "door"), at=add(at, axis), axis=axis)
    elif kind == 1:     # a joint to the grandparent
        for i, parent in enumerate(["ground", "b0", "b1"]):
            m.body(f"b{i}", add(m.at.get(parent, [0.0] * 3), m.vector()))
            m.joint(f"j{i}", d.choice(["universal", "spherical", "cylindrical"]), *m.pair(parent, f"b{i}"))
        m.joint("again", d.choice(["spherical", "planar", "universal"]), *m.pair("b0", "b2"))
    elif kind == 2:     # fixed chains, closed by a fixed joint
        for i, parent in enumerate(["ground", "b0", "b1", "b0"]):
            m.body(f"b{i}", add(m.at.get(parent, [0.0] * 3), m.vector()))
            m.joint(f"j{i}", "revolute" if i == 0 else "fixed", *m.pair(parent, f"b{i}"))
        m.joint("again", d.choice(["fixed", "revolute", "prismatic"]), "b2", "b3")
    elif kind == 3:     # what only turns
        m.at["top"] = m.vector()
        m.say(f"body top: inertia = {m.inertia(1.0, 0.5)}, at = {text_of(scale(m.L, m.at['top']))}, rotation = {text_of(m.rotation())}, "
              f"omega = {text_of(scale(3 / m.T, m.vector()))}")
        m.say(f"torque top = {text_of(scale(m.torque(), m.vector()))}")
        if d.random() < 0.6:
            m.body("hung", add(m.at["top"], m.vector()))
            m.joint("j", d.choice(["revolute", "spherical", "prismatic", "universal", "fixed"]), *m.pair("top", "hung"))
    elif kind == 4:     # a plane as closure, and as edge
        m.body("a", m.vector())
        m.joint("ja", d.choice(["planar", "spherical"]), *m.pair("ground", "a"))
        m.body("b", add(m.at["a"], m.vector()))
        m.joint("jb", d.choice(["spherical", "universal"]), *m.pair("a", "b"))
        m.joint("close", "planar", *m.pair("ground", "b"))
    elif kind == 5:     # slides in a loop
        x = [unit(m.vector()) for _ in range(3)]
        m.body("a", m.vector())
        m.body("b", m.vector())
        m.body("c", m.vector())
        m.joint("ja", d.choice(["prismatic", "cylindrical"]), *m.pair("ground", "a"), axis=x[0])
        m.joint("jb", d.choice(["spherical", "universal"]), *m.pair("a", "b"))
        m.joint("jc", d.choice(["spherical", "universal"]), *m.pair("b", "c"))
        m.joint("close", d.choice(["prismatic", "cylindrical"]), *m.pair("ground", "c"), axis=x[1])
    else:               # two trees that only a distance joins, and one that has no ground
        for i, parent in enumerate([None, "b0", "b1", None]):
            m.body(f"b{i}", add(m.at.get(parent, [0.0] * 3), m.vector()))
            if parent:
                m.joint(f"j{i}", d.choice(SPACE), *m.pair(parent, f"b{i}"))
        p, q = (scale(m.L, m.vector(0.3)) for _ in range(2))
        far = add(turned(m.turn["b3"], scale(1 / m.L, q)), m.at["b3"])
        near = add(turned(m.turn["b2"], scale(1 / m.L, p)), m.at["b2"])
        m.say(f"joint rod: distance(point(b2, {text_of(p)}), point(b3, {text_of(q)}), length = {math.dist(near, far) * m.L!r})")
    if m.bodies:
        m.loads()
    m.span = 0.5
    return m


def impossible(d):
    """both fail, with a constraint of the same joint"""
    m = Model(d, units=False)
    m.fails = True
    kind = d.randrange(5)
    m.planar = kind == 0
    m.gravity()
    if kind == 0:               # a chain that is too short
        m.say("body2 a: mass = 1, inertia = 0.1, at ~ (0.5, 0.1)\nbody2 b: mass = 1, inertia = 0.1, at ~ (1.5, 0.1)")
        m.say(f"joint A: revolute(ground, a, at1 = (0, 0), at2 = (-0.5, 0))\njoint B: revolute(a, b, at1 = (0.5, 0), at2 = (-0.5, 0))\n"
              f"joint C: revolute(b, ground, at1 = (0.5, 0), at2 = ({d.uniform(2.1, 4)!r}, 0.3))")
    elif kind == 1:             # driven beyond its reach
        m.say("body a: mass = 1, inertia = (1, 1, 1), at = (0, 0, 0)\nbody b: mass = 1, inertia = (1, 1, 1), at = (0.5, 0, 0)")
        m.say(f"joint A (motion = {d.uniform(1, 3)!r}*t): prismatic(ground, a, axis = (-1, 0, 0))\njoint B: spherical(a, b, at = (0, 0, 0))\n"
              f"joint C: spherical(b, ground, at = (1, 0.2, 0.1))")
    elif kind == 2:             # two drives of one freedom
        m.say("body a: mass = 1, inertia = (1, 1, 1), at = (0.3, 0, 0)")
        m.say("joint A (motion = t): revolute(ground, a, at = (0, 0, 0), axis = (0, 0, 1))\n"
              "joint B (motion = 2*t): revolute(a, ground, at = (0, 0, 1), axis = (0, 0, 1))")
    elif kind == 3:             # what holds at the start, not later
        m.say("body a: mass = 1, inertia = (1, 1, 1), at = (0.3, 0, 0)")
        m.say("joint A: fixed(ground, a)\nconstraint c: a.x = 0.3 + 0.1*t^2")
    else:                       # velocities that cannot be
        m.say("body a: mass = 1, inertia = (1, 1, 1), at = (0.3, 0, 0), velocity = (1, 0, 1)")
        m.say("joint A: revolute(ground, a, at = (0, 0, 0), axis = (0, 0, 1))")
    return m


TURNS = {"revolute": [""], "cylindrical": [""], "planar": [""], "universal": [".angle1", ".angle2"], "spherical": [".x", ".y", ".z"]}
SLIDES = {"prismatic": [""], "cylindrical": [""], "planar": [".slide1", ".slide2"]}


def joints_of(m):
    """(name, kind) of those that were said"""
    return re.findall(r"^joint (\w+)[^:]*: (\w+)\(", "\n".join(m.lines), re.M)


def actuated(d):
    """torques and forces along joints of trees and of closures: constant, of time, by feedback, with switches, in parts"""
    m = d.choice([tree_in_space, graph_in_space, tree_in_plane, graph_in_plane, flat_loop, slider_crank, spatial_four_bar, platform, driven])(d)

    def effort(unit, name, kind, turns):
        what = {"angle": ("revolute", "cylindrical"), "displacement": ("prismatic", "cylindrical")}["angle" if turns else "displacement"]
        state = f"{'angle' if turns else 'displacement'}({name})"
        size = 1.0 if turns else m.L
        kinds = [text_of(unit * d.uniform(-2, 2)), f"{unit!r}*sin({3 / m.T!r}*t)", f"{unit / m.L!r}*{d.choice(m.bodies)}.x"]
        if kind in what:
            kinds += [f"-{unit / size!r}*({state} - {0.3 * size!r}) - {0.4 * unit * m.T / size!r}*{state}'",
                      f"{unit!r}*if({state} > {0.07 * size!r}, -1, 0.5)"]
        return d.choice(kinds)

    for name, kind in joints_of(m):
        for word, parts, unit, turns in [("torque", TURNS, m.torque(), True), ("force", SLIDES, m.force(), False)]:
            of = ([] if m.planar and kind not in ("revolute", "prismatic") else parts.get(kind, []))
            if not of or d.random() < 0.3:
                continue
            if d.random() < 0.5:
                values = [effort(unit, name, kind, turns) for _ in of]
                m.say(f"{word} {name} = {values[0] if len(of) == 1 else '(%s)' % ', '.join(values)}")
            for part in of:
                if d.random() < 0.5:
                    m.say(f"{word} {name}{part} = {effort(unit, name, kind, turns)}")
        m.say(f"output work_{name} = work({name})\noutput power_{name} = power({name})")
    m.span = min(m.span, 0.5)
    return m


def fed_back(d):
    """torques and forces along joints, on bodies and on coordinates that are built on energies and on reactions"""
    m = d.choice([tree_in_space, graph_in_space, tree_in_plane, graph_in_plane, flat_loop, slider_crank, spatial_four_bar])(d)
    F, N, rate = m.force(), m.torque(), m.T / m.L
    joints = joints_of(m)

    def amount():
        """without a unit, of the order of 1"""
        name = d.choice(joints)[0]
        turning = "" if m.planar else f" + dot(torque({name}), torque({name}))/{(50 * N) ** 2!r}"
        return d.choice([f"energy/{20 * N!r}", f"(kinetic - potential)/{20 * N!r}", f"sin(jacobi/{20 * N!r} + {2 / m.T!r}*t)",
                         f"(dot(reaction({name}), reaction({name}))/{(20 * F) ** 2!r}{turning})", f"tanh(multiplier({name}.1)/{20 * F!r})",
                         f"tanh(energy/{20 * N!r} + norm(reaction({name}))/{20 * F!r})"])

    for name, kind in joints:
        if kind == "revolute" and d.random() < 0.7:
            m.say(f"torque {name} = {-0.3 * N * m.T!r}*{amount()}*angle({name})'")
        if kind == "prismatic" and d.random() < 0.7:
            m.say(f"force {name} = {0.3 * F!r}*{amount()}")
    b = d.choice(m.bodies)
    m.say(d.choice([f"force {b}.x = {-0.4 * F * rate!r}*{amount()}*{b}.x'",
                    f"torque {b} = {0.3 * N!r}*{amount()}" + ("" if m.planar else f"*({d.uniform(-1, 1)!r}, {d.uniform(-1, 1)!r}, 0.2)"),
                    f"nonideal {b}.y = {-0.3 * F * rate!r}*{amount()}*{b}.y'"]))
    for name in sorted({line.split()[1] for line in m.lines if line.startswith(("torque", "force"))} & {name for name, _ in joints}):
        m.say(f"output work_{name} = work({name})\noutput power_{name} = power({name})")
    m.span = min(m.span, 0.4)
    return m


def started(d):
    """initial values of joints, which outputs begin at; loops follow"""
    m = d.choice([tree_in_space, tree_in_space, tree_in_plane, flat_loop, slider_crank])(d)
    cranks = [name for name, _ in joints_of(m) if name in ("link_pin0", "O")]  # of loops: what can be turned by a little
    m.begins = {}
    m.lines = [re.sub(r" \(motion = [^)]*t\)", "", line) for line in m.lines if "abs(" not in line and "sign(" not in line]
    free = [(name, kind) for name, kind in joints_of(m) if kind in ("revolute", "prismatic", "cylindrical", "universal", "planar")]
    for name, kind in [(name, "revolute") for name in cranks] or d.sample(free, min(len(free), d.randint(1, 4))):
        turn = [f"angle({name})"] if kind in ("revolute", "cylindrical") else {"universal": [f"{name}.angle1", f"{name}.angle2"],
                                                                             "planar": [f"{name}.angle"]}.get(kind, [])
        slide = [f"displacement({name})"] if kind in ("prismatic", "cylindrical") else \
            [f"{name}.slide1", f"{name}.slide2"] if kind == "planar" else []
        for what in turn + slide:
            size = 1.0 if what in turn else m.L
            values = {what: size * d.uniform(-0.1, 0.1) if cranks else size * d.choice([d.uniform(-1.5, 1.5), d.uniform(-12, 12)]),
                      what + "'": size / m.T * d.uniform(-1, 1)}
            if kind == "universal":
                values[what] = size * d.uniform(-1.2, 1.2)
            chosen = d.sample(sorted(values), d.randint(1, 2))
            m.say("initial " + ", ".join(f"{w} = {values[w]!r}" for w in chosen))
            m.begins.update((w, (values[w], size if w == what else size / m.T)) for w in chosen if "(" in w)
    m.span, m.check = min(m.span, 0.3), begins_there
    return m


def begins_there(m, rows):
    off = {w: abs(rows[0][w] - value) / size for w, (value, size) in m.begins.items()}
    return [f"{w} does not begin at {m.begins[w][0]}: {rows[0][w]}" for w, x in off.items() if x > 1e-9]


FAMILIES = [tree_in_space, graph_in_space, flat_loop, odd_graphs, user_constraints, driven, tree_in_plane, spatial_four_bar, platform,
            graph_in_plane, parallelogram, rough, slider_crank, shared_links, stops_and_switches, massless, distances, wheels, spinning,
            graph_in_space, impossible]
LATER = [actuated, started]  # of numbers from 10000 on, so that those before keep their models
LATEST = [fed_back]          # from 15000 on


# ---- what the coordinates of joints know from the equations of the bodies

def some_model(d, most=3):
    """an open tree or a closed graph, in the plane or in space"""
    m = Model(d)
    m.planar = d.random() < 0.5
    freedoms, shown = open_tree(m, most)
    if d.random() < 0.4:
        close_at_random(m, freedoms, shown)
    m.loads(shown)
    m.span = 0.4
    return m, shown


def parts_of(m):
    return ["x", "y", "angle"] if m.planar else ["x", "y", "z", "q0", "q1", "q2", "q3"]


def quasi_velocities(d):
    """one for each coordinate, mixed with those before it"""
    m, _ = some_model(d, 2)
    names = [f"{b}.{part}" for b in m.bodies for part in parts_of(m)]
    for i, name in enumerate(names):
        other = d.choice(names[:i] + [None])
        turns = not (name.endswith(("x", "y", "z")))
        factor = d.uniform(0.5, 2) * (1 if other is None or other.endswith(("x", "y", "z")) != turns else m.L if not turns else 1 / m.L)
        m.say(f"quasi w[{i}] = {name}'" + (f" + {factor!r}*cos(t/{m.T!r})*{other}'" if other else ""))
    return m


def non_ideal(d):
    """forces that do work under virtual displacements, with switches, on positions, turns and plain coordinates"""
    m, shown = some_model(d)
    F, N = m.force(), m.torque()
    b, c = d.choice(m.bodies), d.choice(m.bodies)
    turn = "angle" if m.planar else d.choice(["q1", "q3"])
    m.say(f"nonideal {b}.x = {-0.3 * F * m.T / m.L!r}*{c}.x'")
    m.say(d.choice([f"nonideal {b}.y = {F!r}*sin({3 / m.T!r}*t)", f"nonideal {b}.{turn} = {-0.2 * N * m.T!r}*{b}.{turn}'",
                    f"nonideal {b}.y = {F!r}*if({b}.x > {(m.at[b][0] + 0.05) * m.L!r}, -1, 0.5)"]))
    if shown:
        m.say(f"nonideal {c}.y = {F!r}*sin({shown[0][1]}{'' if shown[0][1].startswith('angle') else f'/{m.L!r}'})")
    return m


def measured(d):
    """constraints with weights, which may contradict each other, beside exact ones; where they lead to a position that they cannot leave"""
    m, _ = some_model(d)
    m.may_end = True
    L, T = m.L, m.T
    b, c = d.choice(m.bodies), d.choice(m.bodies)
    for i in range(d.randint(1, 3)):
        value = d.choice([f"{b}.x'' = {0.3 * L / T ** 2!r}*sin({2 / T!r}*t)", f"{b}.y'' = {d.uniform(-1, 1) * L / T ** 2!r}",
                          f"{c}.x'' = {d.uniform(-1, 1) * L / T ** 2!r} - 0.2*{b}.y''", f"{c}.x' = {m.d.uniform(-1, 1) * L / T!r}",
                          f"{b}.y + 0.3*{c}.x = {0.2 * L!r}*sin({3 / T!r}*t)"])
        m.say(f"constraint seen{i} (weight = {d.choice(['1', '3', f'2 + sin(t/{T!r})'])}): {value}")
    return m


def foreign_energy(d):
    """kinetic energies and masses that are given for coordinates of bodies beside their own"""
    m, shown = some_model(d)
    K, L, T = m.K, m.L, m.T
    b, c = d.choice(m.bodies), d.choice(m.bodies)
    turn = "angle" if m.planar else "z"
    for line in d.sample([f"mass {b}.x = {0.7 * K!r}", f"kinetic {0.3 * K!r}*({b}.x' - 2*{c}.y')^2", f"mass {c}.{turn} = {0.2 * K * (L * L if m.planar else 1)!r}",
                          f"kinetic {0.1 * K!r}*(1 + {c}.x^2/{L * L!r})*{b}.y'^2", f"coord z\nkinetic {0.5 * K!r}*(z' + {b}.y')^2 + {0.1 * K!r}*z'^2",
                          f"mass {b}.x {b}.y = {0.1 * K!r}", f"kinetic {0.2 * K!r}*(1 + 0.3*sin({2 / T!r}*t))*{c}.x'^2"], d.randint(1, 2)):
        m.say(line)
    if m.planar and shown and d.random() < 0.4:
        size = L * L if shown[0][1].startswith("angle") else 1
        m.say(f"kinetic {0.2 * K * size!r}*{shown[0][1]}'^2")
    return m


RUBBING = ["revolute", "prismatic", "cylindrical", "spherical", "universal", "planar"]


def rub(m, most=2):
    """friction on some joints that can have it"""
    d = m.d
    found = [(name, kind) for name, kind in re.findall(r"^joint (\w+)[^:]*: (\w+)\(", "\n".join(m.lines), re.M) if kind in RUBBING]
    for name, kind in d.sample(found, min(most, len(found))):
        mu = d.uniform(0.02, 0.3)
        radius = "" if kind == "prismatic" or kind == "planar" and d.random() < 0.5 else f", radius = {d.uniform(0.02, 0.1) * m.L!r}"
        rest = d.choice(["", f", static = {mu * d.uniform(1, 2)!r}"])
        slower = d.choice([repr(mu), f"{mu!r}*(1 + 0.2*sin(t/{m.T!r}))"]) if not rest else repr(mu)
        m.say(f"friction {name}: mu = {slower}{rest}{radius}")
    m.may_end = m.rubs = True


def friction_on_joints(d):
    m, _ = some_model(d)
    rub(m)
    return m


def friction_in_loops(d):
    """also where rows are redundant, so that the forces of all joints are those of least norm"""
    m = d.choice([flat_loop, slider_crank, spatial_four_bar])(d)
    m.lines = [re.sub(r" \(motion = [^)]*\)", "", line) for line in m.lines]  # at dead centres forces have no bounds
    if d.random() < 0.4:  # from rest, where several stick at once
        m.lines = [re.sub(r", velocity ~ .*", "", line) for line in m.lines]
    rub(m, 3)
    return m


def friction_on_constraints(d):
    """a point of a body on a surface or in a groove, with others that hang on it"""
    m = Model(d)
    m.planar = d.random() < 0.5
    m.gravity()
    L, T = m.L, m.T
    m.body("sled", [0.3, 0.0] if m.planar else [0.3, 0.1, 0.0])
    low = "y" if m.planar else "z"
    kind = d.randrange(3)
    if kind == 0:
        m.say(f"constraint floor: sled.{low} = {0.2 * L!r}*sled.x")
    elif kind == 1:
        m.say(f"constraint floor: sled.x^2 + sled.{low}^2 = {0.09 * L * L!r}")
    else:
        slip = "sled.x'" if m.planar else "(sled.x', sled.y')"
        m.say(f"constraint floor: sled.{low} = 0")
    m.say(f"friction floor: mu = {d.uniform(0.05, 0.4)!r}" + (f", slip = {slip}" if kind == 2 else ""))
    for i in range(d.randint(0, 2)):
        name = f"b{i}"
        parent = d.choice(m.bodies)
        m.body(name, add(m.at[parent], m.vector(0.8)))
        m.joint(f"j{i}", d.choice(PLANE if m.planar else SPACE), *m.pair(parent, name))
    m.loads()
    if d.random() < 0.5:
        rub(m, 1)
    m.may_end, m.span = True, 0.5
    return m


def on_reactions(d):
    """non-ideal forces built on the forces of joints and on multipliers of constraints"""
    m, _ = some_model(d)
    F, L, T = m.force(), m.L, m.T
    b, c = d.choice(m.bodies), d.choice(m.bodies)
    joints = re.findall(r"^joint (\w+)", "\n".join(m.lines), re.M)
    m.say(f"constraint plane: {b}.x + {c}.y = {(m.at[b][0] + m.at[c][1]) * L!r} + {0.1 * L!r}*sin({2 / T!r}*t)")
    asked = d.choice([f"abs(reaction({b}.x))", "abs(multiplier(plane))", f"abs(reaction({c}.y, plane))"] +
                     [f"abs(reaction({c}.x, {joint}))" for joint in joints])
    m.say(f"nonideal {b}.y = -0.2*{asked}*tanh({T / L!r}*{b}.y')")
    if d.random() < 0.5:
        rub(m, 1)
    m.may_end = True
    return m


ASKING = [quasi_velocities, non_ideal, measured, friction_on_joints, friction_in_loops, friction_on_constraints, on_reactions,
          foreign_energy]


def made(number):
    d = random.Random(number)
    families = FAMILIES if number < 10000 else LATER if number < 15000 else LATEST if number < FURTHER else ASKING
    family = families[number % len(families)]
    return family.__name__, family(d)


# ---- written by hand

# Of two rows of the rail that say the same, the one that is taken vanishes as the rod turns: no singular position.
UPRIGHT = """
body crank: mass = 1, inertia = (0.1, 0.1, 0.1), at = (-0.2, 0, 0), omega ~ (0, 0, 2)
body rod: mass = 1, inertia = (0.1, 0.1, 0.1), at = (0.2, 0, 0), omega ~ (0, 0, -1)
body slider: mass = 1, inertia = (0.1, 0.1, 0.1), at = (0.9, 0, 0), omega ~ (0, 0, 3)
joint O: revolute(ground, crank, at = (0, 0, 0), axis = (0, 0, 1))
joint A: revolute(crank, rod, at = (-0.4, 0, 0), axis = (0, 0, 1))
joint B: universal(slider, rod, at = (0.8, 0, 0), axis1 = (0, 0, 1), axis2 = (-0.6, 0.8, 0))
joint rail: planar(ground, slider, at = (0.8, 0, 0), normal = (0, 0, 1))
%s
simulate until 2, every 0.03, tolerance 1e-11
"""
# A parallelogram passes a position where all bars lie on one line, and both forms name the same joints.
FLAT = """
body2 a: mass = 1, inertia = 0.1, at = (0.4, 0.3), velocity ~ (-1.2, 1.6), omega ~ 4
body2 b: mass = 1, inertia = 0.1, at = (1.3, 0.6), velocity ~ (-2.4, 3.2), omega ~ 0
body2 c: mass = 1, inertia = 0.1, at = (1.4, 0.3), velocity ~ (-1.2, 1.6), omega ~ 4
joint p0: revolute(ground, a, at = (0, 0))
joint p1: revolute(a, b, at = (0.8, 0.6))
joint p2: revolute(b, c, at = (1.8, 0.6))
joint p3: revolute(ground, c, at = (1, 0))
force a = (0.1*sin(20*t), 0)
simulate until 1, every 0.5, tolerance 1e-11
"""
# What stops a run is known only after solving, and is none of the coordinates' affair.
STOPPED = """
gravity (0, -9.81)
body2 a: mass = 1, inertia = 0.1, at = (0.5, 0)
body2 b: mass = 1, inertia = 0.1, at = (1.5, 0)
joint j: revolute(ground, a, at = (0, 0))
joint k: revolute(a, b, at = (1, 0))
stop when %s
expect always norm(reaction(k)) < 20
expect finally angle(j)'' > -3
simulate until 3, every 0.05, tolerance 1e-11
"""
# A machine on which no force acts along its freedom: friction on two freedoms of a joint, one of which the loop takes away,
# brings it to rest, and what is usual there is what the joints bear.
AT_REST = """
gravity (0, 0, -9.81)
body in: mass = 1, inertia = (0.1, 0.2, 0.15), at = (-0.5, 0, 0)
body out: mass = 1, inertia = (0.1, 0.2, 0.15), at = (0.5, 0.2, 0)
joint i: revolute(ground, in, at = (-1, 0, 0), axis = (1, 0, 0))
joint u: universal(in, out, at = (0, 0, 0), axis1 = (0, 1, 0), axis2 = (0, 0, 1))
joint o: cylindrical(ground, out, at = (0, 0, 0), axis = (1, 0.4, 0))
torque o = -0.5*angle(o)'
initial angle(i)' = 4
friction o: mu = 0.1, radius = 0.03
output rubbing = multiplier(o.stick.2)
simulate until 3, every 0.05, tolerance 1e-11
"""
# A pin without slip for an instant, where the rocker lies along the ground and its body is not turned: a component of its
# quaternion has no mass there, and a force divided by that is no measure.
DEAD_CENTRE = """
gravity (0, 0, -9.81)
body a: mass = 1, inertia = (0.1, 0.1, 0.1), at = (0.5, 0, 0)
body b: mass = 2, inertia = (0.1, 0.1, 0.1), at = (1, 0, 1)
body c: mass = 1, inertia = (0.1, 0.1, 0.1), at = (2, 0, 0.5), rotation = (0, pi/2, 0)
joint j0: revolute(ground, a, at = (0, 0, 0), axis = (0, 1, 0))
joint j2: revolute(a, b, at = (0.5, 0, 1), axis = (0, 1, 0))
joint j3: revolute(b, c, at = (2, 0, 1), axis = (0, 1, 0))
joint j4: revolute(ground, c, at = (2, 0, 0), axis = (0, 1, 0))
friction j0: mu = 0.3, static = 0.4, radius = 0.1
friction j2: mu = 0.2, static = 0.25, radius = 0.1
friction j3: mu = 0.2, static = 0.5, radius = 0.1
torque j0 = 50*sin(t)
simulate until 4, every 0.05, tolerance 1e-11
"""
# Nothing can move: joints are refused, and what is left to the program runs.
ALL_FIXED = """
body2 b: mass = 1, inertia = 1, at = (0, 0)
joint j: fixed(ground, b)
force b = (sin(t), 0)
simulate until 1
"""
WRITTEN = {"upright": UPRIGHT % "", "upright and straight": UPRIGHT % "constraint stay: slider.y = 0", "flat": FLAT, "at rest": AT_REST,
           "dead centre": DEAD_CENTRE, "stopped by a force": STOPPED % "norm(reaction(j)) > 45 or angle(k)'' == 40",
           "stopped by two": STOPPED % "reaction(a.x) > reaction(a.y) and b.x'' > a.x''"}


# What the program chooses: joints, unless each of their evaluations would need one by bodies.
CHAIN = "gravity (0, -9.81)\n" + "".join(
    f"body2 b{i}: mass = 1, inertia = 0.1, at = ({i - 0.5}, 0)\njoint j{i}: revolute({f'b{i - 1}' if i > 1 else 'ground'}, b{i}, at = ({i - 1}, 0))\n"
    for i in range(1, 6)) + "simulate until 0.1\n"
CHOICES = {"": "joints", "nonideal b5.x = -b5.x'\n": "joints", "constraint c (weight = 1): b5.y'' = 1\n": "joints",
           "friction j1: mu = 0.1, radius = 0.1\n": "bodies", "nonideal b5.x = -0.1*abs(reaction(b5.y))*b5.x'\n": "bodies",
           "mass b5.x = 1\n": "bodies"}


def choices(folder):
    """what is wrong with what is chosen where nothing is asked for"""
    path = pathlib.Path(folder, "chain.tram")
    found = []
    for line, expected in CHOICES.items():
        path.write_text(CHAIN + line)
        chosen = Run(path, "auto", []).result.get("form", {}).get("coordinates", "bodies")
        if chosen != expected:
            found.append(f"a chain with '{line.strip()}' is run by {chosen}")
    return found


def names_of_passes(folder):
    """what is wrong with the joints named, and with what cannot move"""
    path = pathlib.Path(folder, "flat.tram")
    path.write_text(FLAT)
    passes = [Run(path, form, []).result["singular_positions"] for form in ("bodies", "joints")]
    found = [] if [p["joints"] for p in passes[0]] == [p["joints"] for p in passes[1]] == [["p0", "p1", "p2", "p3"]] else [str(passes)]
    path.write_text(ALL_FIXED)
    codes = [Run(path, form, []).code for form in ("auto", "bodies", "joints")]
    return found + ([] if codes == [0, 0, 2] else [f"exit codes of what is fixed: {codes}"])


# ---- runs, and what they say

class Run:
    def __init__(self, path, form, options):
        command = [program, "run", str(path), "--coordinates", form, "--json", *options]
        with tempfile.NamedTemporaryFile(suffix=".csv") as samples:
            done = subprocess.run(command + ["-o", samples.name], capture_output=True, text=True)
            table = list(csv.DictReader(io.StringIO(pathlib.Path(samples.name).read_text())))
        self.code, self.says = done.returncode, done.stderr
        self.result = json.loads(done.stdout) if done.stdout else {}
        self.rows = [{name: float(x) for name, x in row.items()} for row in table]


BODY = re.compile(r"\.(x|y|z|q[0-3]|angle)\b")


def group_of(name):
    """what has one size: positions of bodies, turns, their rates, forces and torques on them; else the quantity itself"""
    if name.startswith("w["):
        return "quasi-velocities"
    found = BODY.search(name)
    if not found or not re.fullmatch(r"(reaction\()?[\w\[\].-]*\)?'?", name):
        return ("multiplier",) if name.startswith("multiplier") else name
    return ("reaction" if "(" in name else "", "'" if name.endswith("'") else "", found.group(1) in ("x", "y", "z"))


def sizes_of(runs, m):
    """the largest of each group, and what would be usual in a model of these units"""
    usual = {}
    if m:
        usual = {("", "", True): m.L, ("", "'", True): m.L / m.T, ("", "'", False): 1 / m.T, ("reaction", "", True): m.force(),
                 ("reaction", "", False): m.torque(), ("multiplier",): m.force()}
    sizes = {}
    for run in runs:
        for row in run.rows + [run.result.get("final", {})]:
            for name, x in row.items():
                group = group_of(name)
                at_least = usual.get(group, 1e-3 if isinstance(group, tuple) else 0)
                sizes[group] = max(sizes.get(group, at_least), abs(x) if x is not None and math.isfinite(x) else 0)
    force = max(sizes.get(("reaction", "", True), 0), sizes.get(("reaction", "", False), 0) / (m.L if m else 1))
    sizes[("multiplier",)] = max(sizes.get(("multiplier",), 0), force)
    sizes[("", "", False)] = max(1, sizes.get(("", "", False), 1))
    return sizes


def differences(one, two, sizes, m):
    """the worst of each name, as a part of its size"""
    out = {}
    for a, b in zip(one.rows + [one.result["final"]], two.rows + [two.result["final"]]):
        for name, x in a.items():
            if name.startswith("residual") or m and m.singular and "(" in name:
                continue  # forces have the error of the state, divided by the square of the distance to a singular position
            y = b.get(name)
            if x is None or y is None or not (math.isfinite(x) and math.isfinite(y)):
                if not (x == y or x != x and y != y):
                    out[name] = math.inf
                continue
            group = group_of(name)
            size = sizes[group] or 1
            if name not in ("t",) and not isinstance(group, tuple):
                size = max(size, (m.L * min(1, m.K * m.L) if m else 1))
            out[name] = max(out.get(name, 0), abs(x - y) / size)
    return out


def same(a, b, key):
    return [] if a.result.get(key) == b.result.get(key) else [f"{key}: {a.result.get(key)} in bodies, {b.result.get(key)} in joints"]


def compare(path, options, m=None):
    """(complaints, whether joints were refused)"""
    bodies, joints = Run(path, "bodies", options), Run(path, "joints", options)
    if REFUSED in joints.says:
        return [] if FIXED in joints.says else ["joints are refused: " + joints.says], True
    if bodies.code != joints.code:
        return [f"exit code {bodies.code} in bodies, {joints.code} in joints\nbodies: {bodies.says}joints: {joints.says}"], False
    if m and m.fails:
        return fails_alike(bodies, joints), False
    if m and m.may_end and bodies.code == 3:
        return ends_alike(bodies, joints), False
    if bodies.code not in (0, 1):
        return [f"exit code {bodies.code}: {bodies.says}joints: {joints.says}"], False
    found = []
    for key in ("coordinates", "constraints", "rank", "degrees_of_freedom", "redundant"):
        found += same(bodies, joints, key)
    for key in ("singular_positions", "rank_changes"):  # where bars lie on a line, steps may pass it unseen
        if not (m and m.singular) and len(bodies.result[key]) != len(joints.result[key]):
            found += same(bodies, joints, key)
    for one, two in zip(bodies.result["rank_changes"], joints.result["rank_changes"]):
        if not (m and m.singular) and abs(one["time"] - two["time"]) > 1e-6 * bodies.result["time"]["end"]:
            found.append(f"rank changes at {one['time']!r} in bodies, at {two['time']!r} in joints")
    said = [sorted(w for w in run.result["warnings"] if not re.search(BY_STEPS, w)) for run in (bodies, joints)]
    if said[0] != said[1]:
        found += same(bodies, joints, "warnings")
    held = [[e["holds"] for e in run.result["expectations"]] for run in (bodies, joints)]
    if held[0] != held[1]:
        found += same(bodies, joints, "expectations")
    if joints.result["steps"] > STEPS[0] * bodies.result["steps"] + STEPS[1]:
        found.append(f"{joints.result['steps']} steps in joints, {bodies.result['steps']} in bodies")
    found += motion_differs(path, options, bodies, joints, m)
    found += balance_differs(bodies, joints, m)
    if m and m.check:
        found += m.check(m, joints.rows)
    return found, False


def motion_differs(path, options, bodies, joints, m):
    if len(bodies.rows) != len(joints.rows):
        return [f"{len(bodies.rows)} samples in bodies, {len(joints.rows)} in joints"]
    sizes = sizes_of([bodies, joints], m)
    off = differences(bodies, joints, sizes, m)
    if max(off.values()) <= CLOSE:
        return []
    other = Run(path, "bodies", options + ["--tolerance", str(TOLERANCE / 10)])  # the last one counts
    noise = differences(bodies, other, sizes, m) if other.code == bodies.code and len(other.rows) == len(bodies.rows) else {}
    allowed = max(1e-6 if m and m.singular else CLOSE, TIMES * max((x for x in noise.values()), default=0))
    if noise and m and m.rubs and max(off.values()) > allowed:  # a slip that nearly ends is felt in all that follows: errors vary
        joints = Run(path, "joints", options + ["--tolerance", str(TOLERANCE / 10)])
        off = differences(other, joints, sizes, m) if joints.code == other.code and len(joints.rows) == len(other.rows) else off
    worst = sorted(((x, name) for name, x in off.items() if x > allowed), reverse=True)
    return [f"{name} is off by {x:.2g} of its size, {len(worst)} are; bodies at other tolerances {max(noise.values(), default=0):.2g}"
            for x, name in worst[:1]]


def balance_differs(bodies, joints, m):
    found, size = [], 1e-6 * m.torque() if m else 1e-12
    for run in (bodies, joints):
        balance = run.result.get("balance") or {}
        worst, energies = balance.get("worst_relative"), [run.result["energy"][key] for key in ("start", "end")]
        most = max(map(abs, energies + [w for w in balance.get("work", {}).values() if w is not None]))
        if worst is not None and worst * most > 1e-7 * max(most, size):
            found.append(f"the energy balance is off by {worst}: {run.result['balance']}")
        size = max(size, most)
    one, two = ((run.result.get("balance") or {}).get("work", {}) for run in (bodies, joints))
    if one.keys() != two.keys():
        found.append(f"work of {sorted(one)} in bodies, of {sorted(two)} in joints")
    else:
        found += [f"work of {k}: {one[k]} in bodies, {two[k]} in joints" for k in one if abs(one[k] - two[k]) > 1e-6 * size]
    return found


def fails_alike(bodies, joints):
    if bodies.code != 3:
        return [f"exit code {bodies.code} of what cannot be: {bodies.says}"]
    named = [{word.split(".")[0] for word in re.findall(r"'([^']+)'", run.says)} for run in (bodies, joints)]
    return [] if named[0] & named[1] else [f"bodies: {bodies.says}joints: {joints.says}"]


def ends_alike(bodies, joints):
    """where the motion cannot go on, it ends at the same time"""
    at = [re.findall(r"at t = ([-+.e0-9]+)", run.says) for run in (bodies, joints)]
    alike = at[0] and at[1] and math.isclose(float(at[0][0]), float(at[1][0]), rel_tol=1e-6, abs_tol=1e-9)
    return [] if alike else [f"bodies: {bodies.says}joints: {joints.says}"]


# ---- all

def shipped():
    for path in sorted(source.glob("models/*/*.tram")):
        if not re.search(r"^\s*body2?\s", path.read_text(), re.M):
            continue
        for settings in [[]] + SETTINGS.get(path.stem, []):
            yield path, [part for s in settings for part in ("--set", s)]


def written(folder):
    for name, text in WRITTEN.items():
        path = pathlib.Path(folder, name.replace(" ", "-") + ".tram")
        path.write_text(text)
        yield path, []


def main():
    chosen = [int(word) for word in sys.argv[1:] if word.isdigit()]
    if "-p" in sys.argv:
        print(made(chosen[0])[1].text(), end="")
        return 0
    passed = failed = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        cases = [] if chosen else [(f"{path.name} {' '.join(options)}", path, options, None) for path, options in [*shipped(), *written(folder)]]
        numbered = enumerate([*cases, *(chosen or [*CASES, *BEYOND, *range(FURTHER, FURTHER + FURTHER_CASES)])])
        for k, case in numbered:
            if not chosen and not takes(k):
                continue
            if isinstance(case, int):
                kind, m = made(case)
                path = pathlib.Path(folder, f"{case}.tram")
                path.write_text(m.text())
                name, options = f"random model {case}, {kind}", []
            else:
                name, path, options, m = case
                if not re.search(r"tolerance 1e-1[1-4]", path.read_text()):
                    options = options + ["--tolerance", str(TOLERANCE)]
            wrong, no = compare(path, options, m)
            refused += no
            passed, failed = passed + (not wrong), failed + bool(wrong)
            for one in wrong:
                print(f"{name}: {one}", flush=True)
        wrong = [] if chosen else names_of_passes(folder) + choices(folder)
        passed, failed = passed + (not wrong), failed + bool(wrong)
        print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{refused} models cannot be run in joints")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
