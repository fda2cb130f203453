"""Assembles closed mechanisms from rough guesses: all positions are `~`, each off by up to 30 % of the longest link.

At least 95 of 100 must be assembled, the constraints must hold then (computed here once more), and where there is no
assembly, the message names what failed.

Surroundings: TRAMMEL, the program; SOURCE_DIR, the clone.
Prints "N passed, M failed", exit code 1 on failure.
"""
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from suite import every

program, source = os.environ["TRAMMEL"], pathlib.Path(os.environ["SOURCE_DIR"])
ROUGH = 0.3    # of the longest link, or of a radian
GUESSES = -(-25 // every())  # for each mechanism
WANTED = 0.95
CLOSE = 1e-8   # what the constraints may be off


class Mechanism:
    """A planar mechanism, built from a position in which it is assembled."""

    def __init__(self, name):
        self.name, self.lines, self.rows, self.at, self.links = name, [], [], {}, []

    def body(self, name, *corners):
        """A rod or plate through world points; its coordinates are those of their mean, and an angle."""
        x, y = (sum(c[k] for c in corners) / len(corners) for k in (0, 1))
        angle = math.atan2(corners[-1][1] - corners[0][1], corners[-1][0] - corners[0][0])
        length = max(math.dist(a, b) for a in corners for b in corners) or 1
        self.links.append(length)
        self.at.update({f"{name}x": x, f"{name}y": y, f"{name}a": angle})
        self.lines += [f"coord {name}x, {name}y, {name}a",
                       f"kinetic {length!r}*({name}x'^2 + {name}y'^2)/2 + {length ** 3!r}/24*{name}a'^2",
                       f"potential 9.81*{length!r}*{name}y"]

    def point(self, name, x, y):
        """A particle."""
        self.at.update({f"{name}x": x, f"{name}y": y})
        self.lines += [f"coord {name}x, {name}y", f"kinetic ({name}x'^2 + {name}y'^2)/2", f"potential 9.81*{name}y"]

    def row(self, name, left, right):
        """A constraint in the language of models, which is near enough to Python to be evaluated here, too."""
        self.lines.append(f"constraint {name}: {left} = {right}")
        self.rows.append(f"({left}) - ({right})")

    def where(self, body, corner):
        """The place of a body's point, as two expressions; without a body, on the ground."""
        if body is None:
            return [repr(float(c)) for c in corner]
        x, y, a = (self.at[body + c] for c in "xya")
        dx, dy = corner[0] - x, corner[1] - y
        u, v = dx * math.cos(a) + dy * math.sin(a), dy * math.cos(a) - dx * math.sin(a)
        return [f"{body}x + ({u!r})*cos({body}a) - ({v!r})*sin({body}a)",
                f"{body}y + ({u!r})*sin({body}a) + ({v!r})*cos({body}a)"]

    def pin(self, name, one, other, corner):
        for axis, left, right in zip("xy", self.where(one, corner), self.where(other, corner)):
            self.row(name + axis, left, right)

    def link(self, name, one, other):
        """A distance between particles, or places on the ground."""
        ends = [[p + "x", p + "y"] if isinstance(p, str) else [repr(float(c)) for c in p] for p in (one, other)]
        length = math.dist(*[[eval(c, {}, self.at) for c in end] for end in ends])
        self.links.append(length)
        self.row(name, f"({ends[0][0]} - {ends[1][0]})^2 + ({ends[0][1]} - {ends[1][1]})^2", repr(length ** 2))

    def guess(self, chance):
        """A rough guess: each coordinate's value."""
        size = max(self.links)
        return {c: value + ROUGH * (1 if c.endswith("a") else size) * chance.uniform(-1, 1)
                for c, value in self.at.items()}

    def text(self, guess):
        return "\n".join(self.lines + [f"initial {c} ~ {value!r}" for c, value in guess.items()]) + "\n"

    def worst(self, values):
        """The largest residual."""
        names = dict(values, sin=math.sin, cos=math.cos)
        return max((abs(eval(row.replace("^", "**"), {}, names)) for row in self.rows), default=0)


class File(Mechanism):
    """A shipped model in angles, with the initial values it has."""

    def __init__(self, path):
        super().__init__(path.stem)
        text = path.read_text()
        self.lines = [line for line in text.splitlines() if not line.startswith("initial")]
        self.at = {c: float(v) for c, v in re.findall(r"(\w+) = (-?[\d.]+)",
                   " ".join(re.findall(r"^initial (.*)$", text, re.M)))}

    def guess(self, chance):
        return {c: value + ROUGH * chance.uniform(-1, 1) for c, value in self.at.items()}


def meet(p, r, q, s, side):
    """Where the circles about p and q meet, left (1) or right (-1) of the way from p to q."""
    d = math.dist(p, q)
    u = (r * r - s * s + d * d) / (2 * d)
    h = side * math.sqrt(r * r - u * u)
    e = ((q[0] - p[0]) / d, (q[1] - p[1]) / d)
    return (p[0] + u * e[0] - h * e[1], p[1] + u * e[1] + h * e[0])


def four_bar():
    m = Mechanism("four-bar")
    o, c = (0, 0), (2, 0)
    a = (0.6 * math.cos(1), 0.6 * math.sin(1))
    b = meet(a, 1.8, c, 1.2, 1)
    m.body("crank", o, a), m.body("coupler", a, b), m.body("rocker", c, b)
    m.pin("O", None, "crank", o), m.pin("A", "crank", "coupler", a)
    m.pin("B", "coupler", "rocker", b), m.pin("C", None, "rocker", c)
    return m


def slider_crank():
    m = Mechanism("slider-crank")
    o, a = (0, 0), (0.5 * math.cos(0.8), 0.5 * math.sin(0.8))
    s = (a[0] + math.sqrt(1.5 ** 2 - a[1] ** 2), 0)
    m.body("crank", o, a), m.body("rod", a, s), m.body("slider", s)
    m.pin("O", None, "crank", o), m.pin("A", "crank", "rod", a), m.pin("S", "rod", "slider", s)
    m.row("height", "slidery", "0"), m.row("upright", "slidera", "0")
    return m


def pendulum_4():
    m = Mechanism("closed-pendulum-4")
    p2 = (0.8 * math.cos(0.2), 0.8 * math.sin(0.2))
    p3 = meet(p2, 2, (2, 0), 1, 1)
    m.point("p", *p2), m.point("q", *p3)
    m.link("a", (0, 0), "p"), m.link("b", "p", "q"), m.link("c", "q", (2, 0))
    return m


def pendulum_5():
    m = Mechanism("closed-pendulum-5")
    p2 = (0.7, -0.4)
    p3 = (1.3, -1.2)
    p4 = meet(p3, 1, (2, 0), 0.9, -1)
    m.point("p", *p2), m.point("q", *p3), m.point("r", *p4)
    m.link("a", (0, 0), "p"), m.link("b", "p", "q"), m.link("c", "q", "r"), m.link("d", "r", (2, 0))
    return m


def three_cranks():
    m = Mechanism("three-cranks")
    tops = [(i + math.cos(1.2), math.sin(1.2)) for i in range(3)]
    m.body("coupler", *tops)
    for i, top in enumerate(tops):
        m.body(f"c{i}_", (i, 0), top)
        m.pin(f"ground{i}", None, f"c{i}_", (i, 0)), m.pin(f"hole{i}", "coupler", f"c{i}_", top)
    return m


def watt():
    """Two four-bars, the rocker of the first being a plate that is the crank of the second."""
    m = Mechanism("watt")
    o, c, e = (0, 0), (2, 0), (4, 0)
    a = (0.7 * math.cos(1.1), 0.7 * math.sin(1.1))
    b = meet(a, 1.9, c, 1.3, 1)
    d = meet(b, 0.8, c, 1.1, 1)
    f = meet(d, 1.7, e, 1.2, 1)
    m.body("crank", o, a), m.body("coupler", a, b), m.body("plate", c, b, d)
    m.body("second", d, f), m.body("rocker", e, f)
    m.pin("O", None, "crank", o), m.pin("A", "crank", "coupler", a), m.pin("B", "coupler", "plate", b)
    m.pin("C", None, "plate", c), m.pin("D", "plate", "second", d), m.pin("F", "second", "rocker", f)
    m.pin("E", None, "rocker", e)
    return m


def stephenson():
    """A four-bar whose coupler is a plate; a dyad joins its corner to the ground."""
    m = Mechanism("stephenson")
    o, c, e = (0, 0), (2, 0), (3.2, 0.5)
    a = (0.6 * math.cos(2), 0.6 * math.sin(2))
    b = meet(a, 2, c, 1.2, 1)
    d = meet(a, 1.6, b, 1.1, 1)
    f = meet(d, 1.8, e, 1.4, 1)
    m.body("crank", o, a), m.body("plate", a, b, d), m.body("rocker", c, b)
    m.body("second", d, f), m.body("third", e, f)
    m.pin("O", None, "crank", o), m.pin("A", "crank", "plate", a), m.pin("B", "plate", "rocker", b)
    m.pin("C", None, "rocker", c), m.pin("D", "plate", "second", d), m.pin("F", "second", "third", f)
    m.pin("E", None, "third", e)
    return m


def attempt(mechanism, guess, path):
    """Whether it was assembled, and what is wrong with the answer (None if nothing is)."""
    path.write_text(mechanism.text(guess))
    done = subprocess.run([program, "check", "--json", str(path)], capture_output=True, text=True)
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        return False, f"no JSON, exit code {done.returncode}: {done.stderr.strip()}"
    if done.returncode == 0:
        found = dict(guess, **{c: moved["to"] for c, moved in answer["moved"].items() if c in guess})
        worst = mechanism.worst(found)
        return True, None if worst < CLOSE and answer["consistent"] else f"assembled, but off by {worst}"
    error = answer.get("error", {})
    named = any(f"'{row.split()[1].rstrip(':')}" in error.get("message", "") for row in mechanism.lines
                if row.startswith("constraint"))
    if done.returncode != 3 or not named:
        return False, f"exit code {done.returncode}, nothing is named: {error or done.stderr.strip()}"
    return False, None


mechanisms = [four_bar(), slider_crank(), pendulum_4(), pendulum_5(), three_cranks(), watt(), stephenson(),
              File(source / "models/benchmarks/andrews.tram")]
passed = failed = assembled = 0
with tempfile.TemporaryDirectory() as folder:
    for mechanism in mechanisms:
        chance = random.Random(mechanism.name)
        if mechanism.worst(mechanism.at) > 1e-12:
            sys.exit(f"{mechanism.name}: this test has it wrong by {mechanism.worst(mechanism.at)}")
        good = 0
        for number in range(GUESSES):
            path = pathlib.Path(folder, f"{mechanism.name}-{number}.tram")
            done, wrong = attempt(mechanism, mechanism.guess(chance), path)
            good += done
            if wrong:
                failed += 1
                print(f"{path.name}: {wrong}")
            else:
                passed += 1
        assembled += good
        print(f"{mechanism.name}: {good} of {GUESSES} assembled")
total = GUESSES * len(mechanisms)
if assembled < WANTED * total:
    failed += 1
    print(f"only {assembled} of {total} were assembled")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0 or passed == 0)
