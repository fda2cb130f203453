"""Runs one model with each choice of what the papers' formulations leave open: the motion is the same to rounding.

The rows depend on each other, so that every class of inverses has more than one member; M is not diagonal, and there is a
non-ideal force. The steps taken are the same, and the end differs by rounding alone: 1e-12 relative to 1 + |value|.

Surroundings: TRAMMEL, the program.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from suite import run_all, test

program = os.environ["TRAMMEL"]
MODEL = """
param m = 2, g = 9.81
coord x, y, z
initial x = 0.6, y = -0.8, z = 0, x' = 0.8, y' = 0.6, z' = 1
kinetic m/2*(x'^2 + y'^2) + 3/2*z'^2 + 0.5*x'*z'
potential m*g*y + 20*(z - x)^2
constraint ring: x^2 + y^2 = 1
constraint again: 3*x^2 + 3*y^2 = 3
nonideal x = -0.1*x'
nonideal y = -0.1*y'
simulate until 1
"""
CHOICES = {
    "auxiliary": ["alpha=m", "alpha=-0.01", "alpha=100", "z=0", "z=random", "z=random(5)", "z=(m, -7*g)",
                  "alpha=3 z=(1,2)"],
    "gauss": ["g-inverse=random", "g-inverse=random(9)", "g-inverse=block", "g-inverse=metric(2)", "least-squares=random",
              "least-squares=normal-equations", "least-squares=columns", "g-inverse=block least-squares=random(4)"],
    "inverse14": ["inverse14=random", "inverse14=normal-equations", "inverse14=weighted(3)", "inverse14=moore-penrose"],
    "dalembert": ["V=random", "V=random(8)", "V=((1,5),(0,m))", "V=((0,1),(-1,0))"],
}


def ask(command, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "model.tram")
        path.write_text(MODEL)
        done = subprocess.run([program, command, str(path), "--json", *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def options_of(choice):
    parts = [choice] if ", " in choice else choice.split()
    return [word for part in parts for word in ("--choice", part)]


def off(a, b):
    assert a.keys() == b.keys()
    return max(abs(a[key] - b[key])/(1 + abs(a[key])) for key in a)


@test
def same_motion():
    worst = 0
    for formulation, choices in CHOICES.items():
        own = ask("run", "--formulation", formulation)
        for choice in choices:
            other = ask("run", "--formulation", formulation, *options_of(choice))
            assert other["choices"] and not own["choices"]
            assert other["steps"] == own["steps"], (formulation, choice)
            difference = off(own["final"], other["final"])
            assert difference < 1e-12, (formulation, choice, difference)
            worst = max(worst, difference)
    print(f"{sum(map(len, CHOICES.values()))} choices, largest difference at the end {worst:.1e}")


@test
def along_a_run():
    given = ["alpha=3", "z=(1, 2)", "V=((1, 5), (0, 0.1))", "g-inverse=random(2)", "inverse14=weighted"]
    found = ask("compare", "--along", *[word for choice in given for word in ("--choice", choice)])
    assert found["states"] > 100 and found["choices"]["given"] == dict(choice.split("=") for choice in given)
    assert found["choices"]["tried"] == 19  # the 15, and what the four formulations take by themselves
    for key in "acceleration", "force":
        assert found["largest_difference"][key]["relative"] < 1e-13, found["largest_difference"]
        assert found["choices"][key]["relative"] < 1e-13, found["choices"]


@test
def last_of_a_name_counts():
    found = ask("run", "--formulation", "auxiliary", "--choice", "alpha=2", "--choice", "alpha=3")
    assert found["choices"] == {"alpha": "3"}


@test
def multipliers_and_gibbs():
    found = ask("compare")
    family = found["multipliers"]
    assert family["dimension"] == 1 and family["null_space"] == [{"again": 1, "ring": -3}], family
    least = family["least_norm"]
    assert abs(3*least["ring"] - least["again"]) < 1e-12*abs(least["again"])  # orthogonal to what may be added
    equation = found["gibbs_appell"]
    assert len(equation["dependent"]) == 1 and len(equation["independent"]) == 2
    for name in equation["independent"]:
        assert abs(equation["force"][name] - equation["slope"][name]) < 1e-12*(1 + abs(equation["force"][name]))


sys.exit(run_all())
