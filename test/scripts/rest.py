"""Mechanisms made at random, each by its number: `trammel equilibrium` finds where a run comes to rest that has so much damping
that nothing swings.

Surroundings: TRAMMEL, the program. Prints "N passed, M failed", exit code 1 on failure.
By hand: rest.py NUMBER ... takes these only, rest.py -p NUMBER prints one.
"""
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from suite import run_all, test

program = os.environ["TRAMMEL"]
folder = pathlib.Path(tempfile.mkdtemp())
CASES = 30
CLOSE = 1e-6


def answer(command, text, *options):
    file = folder / "model.tram"
    file.write_text(text)
    done = subprocess.run([program, command, str(file), "--json", *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def vector(dice, size=1.0):
    return [dice.uniform(-size, size) for _ in range(3)]


def written(v):
    return "(" + ", ".join(repr(round(c, 4)) for c in v) + ")"


def mechanism(number):
    """A tree of bodies, some of them tied to the ground by springs; damping in proportion to the masses, so that a run follows
    the steepest descent in their metric. Bodies are balls: their rotation is damped as their quaternion is."""
    dice = random.Random(number)
    damping, lines, ends = 8, ["gravity (0, 0, -9.81)"], [("ground", [0.0, 0.0, 0.0])]
    middles = []
    for i in range(dice.randint(1, 4)):
        parent, start = dice.choice(ends)
        end = [a + b for a, b in zip(start, vector(dice))]
        middle = [round((a + b) / 2, 4) for a, b in zip(start, end)]
        middles.append(middle)
        mass, inertia = round(dice.uniform(0.5, 2), 3), round(dice.uniform(0.02, 0.1), 4)
        lines.append(f"body b{i}: mass = {mass}, inertia = ({inertia}, {inertia}, {inertia}), at = {written(middle)}")
        kind = dice.choice(["revolute", "revolute", "spherical", "universal"])
        axes = {"revolute": f", axis = {written(vector(dice))}", "spherical": "",
                "universal": ", axis1 = (0, 1, 0), axis2 = (1, 0, 0)"}[kind]
        lines.append(f"joint j{i}: {kind}({parent}, b{i}, at = {written(start)}{axes})")
        lines.append(f"dissipation {damping}*({mass}/2*(b{i}.x'^2 + b{i}.y'^2 + b{i}.z'^2) + "
                     f"{2 * inertia}*(b{i}.q0'^2 + b{i}.q1'^2 + b{i}.q2'^2 + b{i}.q3'^2))")
        if dice.random() < 0.7:
            point = [a + b for a, b in zip(end, vector(dice, 2))]
            # the end of the body, seen from its centre
            arm = written([b - a for a, b in zip(middle, end)])
            lines.append(f"let e{i} = point(b{i}, {arm}) - {written(point)}")
            lines.append(f"potential {round(dice.uniform(5, 40), 3)}/2*dot(e{i}, e{i})")
        ends.append((f"b{i}", end))
    if dice.random() < 0.4:
        i, point = dice.randrange(len(ends) - 1), vector(dice)
        lines.append(f"let rod = b{i} - {written(point)}")
        lines.append(f"constraint loop: dot(rod, rod) = {math.dist(middles[i], [round(c, 4) for c in point])**2!r}")
    lines.append("simulate until 1, tolerance 1e-10")
    return "\n".join(lines) + "\n"


def comes_to_rest(number):
    text = mechanism(number)
    at = answer("equilibrium", text)
    assert at["stable"] is True, (number, at["stability"], at["eigenvalues"][0])
    slowest = min((-re for re, _ in at["eigenvalues"] if re < -1e-9), default=1)
    long = str(200 + 20 / slowest)
    rest = answer("run", text, "--until", long, "--every", long)["final"]
    free = {c for f in at["free"] for c in f["direction"]}
    for name, value in at["state"].items():
        if "(" in name or ".angle" in name or name.endswith("'") or name in free:  # angles may be full turns apart
            continue
        sign = 1 if ".q" not in name else math.copysign(1, sum(at["state"][name[:-1] + k] * rest[name[:-1] + k] for k in "0123"))
        assert abs(value - sign * rest[name]) < CLOSE, (number, name, value, rest[name])


if sys.argv[1:2] == ["-p"]:
    print(mechanism(int(sys.argv[2])))
    sys.exit()
for number in [int(word) for word in sys.argv[1:]] or range(CASES):
    def case(number=number):
        comes_to_rest(number)
    case.__name__ = f"mechanism_{number}"
    test(case)
sys.exit(run_all())
