"""A robot from URDF with a loop beside it, from the file to motors, equilibrium, state space and page, held against the geometry
of its two arms.

Surroundings: TRAMMEL, the program; SOURCE_DIR, the clone. Prints "N passed, M failed", exit code 1 on failure.
"""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

from suite import run_all, test

program, robots = os.environ["TRAMMEL"], pathlib.Path(os.environ["SOURCE_DIR"]) / "test" / "import" / "robots"
folder = pathlib.Path(tempfile.mkdtemp())
MOTORS = {"A": "-40*(angle(A) - 0.2) - 2*angle(A)' + push", "E": "-30*(angle(E) + 0.3) - 2*angle(E)'"}
STIFF, DAMPED, TARGET = {"A": 40, "E": 30}, {"A": 2, "E": 2.02}, {"A": 0.2, "E": -0.3}  # the joint itself has a part of the last


def call(command, *options):
    done = subprocess.run([program, command, *map(str, options)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def driven():
    """the model as import makes it, with its motors as it says how"""
    path = folder / "five-bar.tram"
    call("import", robots / "five-bar.urdf", "--loops", robots / "five-bar.loops", "-o", path)
    text = path.read_text()
    for joint, motor in MOTORS.items():
        assert f"# torque {joint} = 0\n" in text, text
        text = text.replace(f"# torque {joint} = 0\n", f"torque {joint} = {motor}\n")
    path.write_text("param push = 0\n" + text)
    return path


model = driven()


def ends(A, E):
    """of the left and the right arm, and where the rods meet, in the plane of x and z"""
    left, right = (0.25 * math.sin(A), 0.25 * math.cos(A)), (0.6 + 0.25 * math.sin(E), 0.25 * math.cos(E))
    middle = [(a + b) / 2 for a, b in zip(left, right)]
    half = math.dist(left, right) / 2
    up = math.sqrt(0.3**2 + 0.15**2 - half**2) / (2 * half)
    return left, right, (middle[0] - up * (right[1] - left[1]), middle[1] + up * (right[0] - left[0]))


def potential(A, E):
    left, right, top = ends(A, E)
    arms = 0.5 * 9.81 * (left[1] + right[1]) / 2
    return arms + 0.4 * 9.81 * (left[1] + right[1] + 2 * top[1]) / 2


def slope(f, x, i, h=1e-3):
    def at(step):
        return f(*(y + (step if k == i else 0) for k, y in enumerate(x)))
    once = [(at(k * h) - at(-k * h)) / (2 * k * h) for k in (1, 2)]
    return (4 * once[0] - once[1]) / 3


def weight(i):
    """the torque that holds the weights in joint i"""
    return lambda A, E: slope(potential, (A, E), i)


def close(found, wanted, tolerance, what):
    assert abs(found - wanted) <= tolerance * max(1, abs(wanted)), (what, found, wanted)


def resting(*options):
    found = json.loads(call("equilibrium", model, "--json", "--tolerance", "1e-11", *options))
    assert found["found"] and found["stability"] == "decays" and found["free"] == [], found
    return found["state"]


@test
def motors_move_it():
    for form in ("joints", "bodies"):
        told = json.loads(call("run", model, "--until", "6", "--json", "--coordinates", form))
        assert told["form"] == {"coordinates": form, "count": 4 if form == "joints" else 28,
                                "cut": ["C"] if form == "joints" else []}, told["form"]
        assert told["degrees_of_freedom"] == 2 and told["balance"]["worst_relative"] < 1e-7, told["balance"]
        rest = resting()
        for name in ("angle(A)", "angle(E)", "angle(C)", "left_rod.z"):
            close(told["final"][name], rest[name], 1e-5, name)


@test
def it_rests_where_motors_carry_the_weights():
    rest = resting()
    at = rest["angle(A)"], rest["angle(E)"]
    left, right, top = ends(*at)
    close(rest["left_rod.x"], (left[0] + top[0]) / 2, 1e-9, "left_rod.x")
    close(rest["right_rod.z"], (right[1] + top[1]) / 2, 1e-9, "right_rod.z")
    for i, joint in enumerate("AE"):
        close(-STIFF[joint] * (at[i] - TARGET[joint]), weight(i)(*at), 1e-8, joint)


@test
def its_state_space_is_that_of_the_two_arms():
    found = json.loads(call("linearize", model, "--at", "equilibrium", "--inputs", "torque(A),torque(E)", "--outputs",
                            "angle(A),angle(C)", "--json", "--tolerance", "1e-11"))
    assert found["states"] == ["angle(A)", "angle(E)", "angle(A)'", "angle(E)'"] and found["at_rest"], found["states"]
    at = found["state"]["angle(A)"], found["state"]["angle(E)"]
    A, B = found["A"], found["B"]
    close(B[2][1], B[3][0], 1e-9, "the inverse of the mass matrix")
    for i in range(2):
        for j, joint in enumerate("AE"):  # q'' = -M^-1 (K q + D q'), M^-1 being what torques do
            stiff = [slope(weight(k), at, j) + (STIFF[joint] if k == j else 0) for k in range(2)]
            close(A[2 + i][j], -sum(B[2 + i][k] * stiff[k] for k in range(2)), 1e-6, (i, j))
            close(A[2 + i][2 + j], -B[2 + i][j] * DAMPED[joint], 1e-8, (i, 2 + j))
    # the rods' angle, by the geometry
    def between(A, E):
        left, right, top = ends(A, E)
        return math.atan2(right[0] - top[0], right[1] - top[1]) - math.atan2(left[0] - top[0], left[1] - top[1])
    for j in range(2):
        close(abs(found["C"][1][j]), abs(slope(between, at, j)), 1e-7, "angle(C)")
    # a steady push moves it by -A^-1 B
    moved = [(resting("--set", f"push={h}")["angle(A)"] - resting("--set", f"push={-h}")["angle(A)"]) / (2 * h) for h in (0.01, 0.02)]
    k = [[slope(weight(i), at, j) + (STIFF["AE"[i]] if i == j else 0) for j in range(2)] for i in range(2)]
    close((4 * moved[0] - moved[1]) / 3, k[1][1] / (k[0][0] * k[1][1] - k[0][1] * k[1][0]), 1e-6, "push")


@test
def its_page_shows_it():
    page = folder / "page.html"
    call("report", model, "-o", page, "--until", "1")
    text = page.read_text()
    assert "five-bar" in text and "angle(A)" in text and "left_rod" in text and len(text) > 100000


sys.exit(run_all())
