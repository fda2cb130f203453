"""`trammel equilibrium`, `simulate from equilibrium`, `initial instead`, against closed forms; rest.py has random mechanisms.

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

program, source = os.environ["TRAMMEL"], pathlib.Path(os.environ["SOURCE_DIR"])
folder = pathlib.Path(tempfile.mkdtemp())


def call(command, text, *options):
    file = folder / "model.tram"
    if isinstance(text, str):
        file.write_text(text)
    return subprocess.run([program, command, str(text if isinstance(text, pathlib.Path) else file), *options],
                          capture_output=True, text=True)


def find(text, *options, code=0):
    done = call("equilibrium", text, "--json", *options)
    assert done.returncode == code, (done.returncode, done.stderr)
    return json.loads(done.stdout)


def close(a, b, tolerance=1e-9):
    return abs(a - b) <= tolerance * max(1, abs(a), abs(b))


PENDULUM = """param L = 2, g = 9.81, m = 3, a = 90*deg
coord x, y
initial x ~ L*sin(a), y ~ -L*cos(a)
kinetic m/2*(x'^2 + y'^2)
potential m*g*y
constraint rod: x^2 + y^2 = L^2
output tension = -2*L*multiplier(rod)
"""


@test
def a_pendulum_hangs():
    """from anywhere but next to the top, however near to level"""
    for angle in (5, 60, 90, 91, 120, 170, -100, -90):
        at = find(PENDULUM, "--set", f"a={angle}*deg")
        assert at["stable"] is True and at["stability"] == "oscillates" and at["at_rest"], (angle, at)
        assert close(at["state"]["x"], 0) and close(at["state"]["y"], -2), (angle, at["state"])
        assert close(at["state"]["tension"], 3 * 9.81)
        assert close(at["eigenvalues"][0][1], math.sqrt(9.81 / 2)) and at["free"] == []


@test
def upright_is_an_equilibrium_too():
    for angle in (180, 178):
        at = find(PENDULUM, "--set", f"a={angle}*deg")
        assert at["found"] and at["stable"] is False and close(at["state"]["y"], 2), at
        assert close(at["eigenvalues"][0][0], math.sqrt(9.81 / 2))
    done = call("equilibrium", PENDULUM, "--set", "a=180*deg")
    assert "an equilibrium at the start; unstable: deviations grow as exp(2.21472 t)" in done.stdout, done


@test
def full_turns_of_the_start_count():
    at = find("body a: mass = 1, inertia = (0.1, 0.1, 0.1), at = (0.5, 0, 0)\n"
              "joint j: revolute(ground, a, at = (0, 0, 0), axis = (0, 0, 1))\n"
              "initial angle(j) = 15\npotential 5*(angle(j) - 14.3)^2\n")
    close(at["state"]["angle(j)"], 14.3)


@test
def units_do_not_matter():
    for unit in ("1e-6", "1e6"):
        at = find(PENDULUM, "--set", f"L=2*{unit}", "--set", f"g=9.81*{unit}")
        assert close(at["state"]["y"] / float(unit), -2) and abs(at["state"]["x"]) < 1e-9 * float(unit), at
        assert close(at["eigenvalues"][0][1], math.sqrt(9.81 / 2))


@test
def families_are_named():
    cart = "coord x, th\ninitial x = 1, th = 2\nkinetic x'^2 + (x' + cos(th)*th')^2/2 + (sin(th)*th')^2/2\npotential -9.81*cos(th)\n"
    at = find(cart)
    assert [(f["coordinate"], f["family"], f["direction"]) for f in at["free"]] == [("x", True, {"x": 1})], at["free"]
    assert at["stable"] is True and at["stability"] == "neutral"
    assert "a family of equilibria: x may be anything\n" in call("equilibrium", cart).stdout
    # a zero eigenvalue without a family
    at = find("coord x\ninitial x = 0.5\nkinetic x'^2/2\npotential x^4\n")
    assert at["found"] and at["stable"] is None and [f["family"] for f in at["free"]] == [False], at
    assert abs(at["state"]["x"]) < 1e-3
    # a family that is not straight: a bead on a level ring
    at = find("coord x, y\ninitial x ~ 1, y ~ 0.3\nkinetic x'^2 + y'^2\nconstraint ring: x^2 + y^2 = 1\n")
    assert len(at["free"]) == 1 and at["free"][0]["family"] and close(at["state"]["x"], 1 / math.hypot(1, 0.3)), at
    # a body that turns about an axis
    done = call("equilibrium", "gravity (0, 0, -9.81)\nbody b: mass = 1, inertia = (1, 1, 1), at = (0, 0, -1)\n"
                "joint j: spherical(ground, b, at = (0, 0, 0))\n")
    assert "a family of equilibria: b may be turned about (0, 0, 1)\n" in done.stdout, done
    # by joints, where some move: one direction once, also in a singular position
    robot = source / "models" / "mechanisms" / "robot.tram"
    assert call("equilibrium", robot).stdout.count("family") == 1
    assert "  a family of equilibria: angle(pan) may be anything\n" in call("equilibrium", robot).stdout
    free = find(robot)["free"]
    assert [(f["coordinate"], f["direction"]["angle(pan)"]) for f in free] == [("angle(pan)", 1)], free
    at = find("body2 a: mass = 1, inertia = 1, at = (1, 0)\nbody2 b: mass = 1, inertia = 1, at = (2, 0)\n"
              "joint j: revolute(ground, a, at = (0, 0))\njoint k: revolute(ground, b, at = (3, 0))\njoint g: gear(k, j, ratio = 3)\n")
    assert [f["coordinate"] for f in at["free"]] == ["angle(j)"] and close(at["free"][0]["direction"]["angle(k)"], 1 / 3), at["free"]


@test
def where_there_is_none():
    at = find("coord x, y\nkinetic x'^2 + y'^2\npotential 9.81*y\n", code=3)
    assert not at["found"] and at["left"] == {"coordinate": "y", "acceleration": -4.905, "runs_away": True}, at
    # forces that fade far away are not taken for none
    for force in ("exp(-x)", "1/x^2", "1/(1 + x^2)"):
        at = find(f"coord x\ninitial x = 1\nkinetic x'^2/2\nforce x = {force}\n", code=3)
        assert at["left"]["acceleration"] > 0, (force, at)
    # next to none, and said where: x^2 + 0.01 has its least at 0
    at = find("coord x\ninitial x = -1\nkinetic x'^2/2\nforce x = x^2 + 0.01\n", code=3)
    assert close(at["nearest"]["x"], 0, 1e-2) and close(at["left"]["acceleration"], 0.01, 1e-3), at
    done = call("equilibrium", "coord x\ninitial x = -1\nkinetic x'^2/2\nforce x = x^2 + 0.01\n")
    assert done.returncode == 3 and "at the nearest approach x'' is still 0.01" in done.stderr, done.stderr
    done = call("equilibrium", "coord x, y\nkinetic x'^2\n")
    assert done.returncode == 3 and "not unique" in done.stderr, done.stderr


@test
def without_a_potential():
    """A force that turns, as of a follower: the flow spirals away from where it is 0."""
    at = find("coord x, y\ninitial x = 1.2, y = 0.9\nkinetic x'^2/2 + y'^2/2\n"
              "force x = 0.1*(x - 1) - (y - 1)\nforce y = (x - 1) + 0.1*(y - 1)\n")
    assert close(at["state"]["x"], 1) and close(at["state"]["y"], 1) and at["stable"] is False, at


@test
def stiff_and_soft():
    """Springs whose stiffness differs by 1e9, closed form: each carries the weight below it."""
    at = find("param k1 = 1e9, k2 = 1, g = 9.81\ncoord a, b\ninitial a = 3, b = -7\nkinetic a'^2/2 + b'^2/2\n"
              "potential k1/2*a^2 + k2/2*(b - a)^2 + g*(a + b)\n")
    a = -2 * 9.81 / 1e9
    assert close(at["state"]["a"] / a, 1, 1e-7) and close(at["state"]["b"], a - 9.81), at["state"]
    # thousand scales away from the start, in few steps
    at = find("coord x\ninitial x = 1\nkinetic x'^2/2\npotential (x - 1e5)^2/2\n")
    assert close(at["state"]["x"], 1e5) and at["steps"] < 40, at


@test
def redundant_rows_and_massless_parts():
    at = find(PENDULUM + "constraint again: 2*x^2 + 2*y^2 = 2*L^2\nconstraint third: sqrt(x^2 + y^2) = L\n")
    assert close(at["state"]["y"], -2) and at["rank"] == 1, at
    at = find("coord x, y, s\ninitial x ~ 1, y ~ -1, s = 0.5\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y + 50*(s - 1)^2\n"
              "constraint rod: x^2 + y^2 = s^2\n")
    assert close(at["state"]["s"], 1 + 9.81 / 100) and close(at["state"]["y"], -at["state"]["s"]), at["state"]
    at = find("coord x, y\nquasi u = x'\nquasi w = y'\ninitial x = 1, u = 0, w = 0\nkinetic x'^2 + y'^2\npotential x^2 + y + y^2/2\n")
    assert close(at["state"]["x"], 0) and close(at["state"]["y"], -1), at


@test
def friction_holds_or_has_nothing_to_hold():
    stuck = find(source / "models" / "mechanisms" / "incline-stick.tram")
    assert stuck["found"] and stuck["sticks"] and stuck["steps"] == 0, stuck
    swing = ("gravity (0, 0, -9.81)\nbody b: mass = 1, inertia = (1, 1, 1), at = (1, 0, 0)\n"
             "joint h: revolute(ground, b, at = (0, 0, 0), axis = (0, 1, 0))\nfriction h: mu = 0.1, radius = 0.01\n")
    at = find(swing)
    assert close(at["state"]["b.z"], -1) and at["sticks"] == [], at
    assert "friction has nothing to hold there" in call("equilibrium", swing).stdout


@test
def steady_motions():
    """Watt's governor, away from its angle: back to where the shipped one is; a conical pendulum on a driven axis"""
    governor = source / "models" / "mechanisms" / "governor.tram"
    at = find(governor)
    assert at["found"] and not at["at_rest"] and close(at["eigenvalues"][0][1], 4.4661227, 1e-7), at["eigenvalues"]
    bead = ("param w = 5, R = 1, g = 9.81\ncoord th, ph\ninitial th = 0.5, ph = 0, ph' ~ w\n"
            "kinetic R^2/2*(th'^2 + sin(th)^2*ph'^2)\npotential -g*R*cos(th)\nconstraint drive: ph = w*t\n")
    at = find(bead)
    assert close(at["state"]["th"], math.acos(9.81 / 25)) and close(at["state"]["ph'"], 5) and at["stable"], at
    # without velocities that are a motion of the whole, rest
    done = call("equilibrium", PENDULUM + "initial y' ~ 1\n")
    assert done.returncode == 0 and "a rest was sought" in done.stderr, done


@test
def time_stands():
    """A drive that swings: held where it is at the start"""
    text = ("coord x, y\ninitial x ~ 0.2, y ~ 1\nkinetic x'^2 + y'^2\npotential y^2/2 + 3*(y - x)\n"
            "constraint drive: x = sin(2*t) + 0.25\nsimulate from 0.3 until 2\n")
    at = find(text)
    assert at["time_stands"] and close(at["state"]["x"], math.sin(0.6) + 0.25) and close(at["state"]["y"], -3), at
    assert close(at["eigenvalues"][0][1], math.sqrt(0.5)) and "change with time" in at["warnings"][0], at
    six = find(source / "models" / "mechanisms" / "six-rss.tram")
    assert len(six["free"]) == 6 and all(f["family"] for f in six["free"]), six["free"]


@test
def runs_from_there():
    done = call("run", PENDULUM + "simulate from equilibrium until 3\nexpect always abs(x) < 1e-8 and y < -L + 1e-8\n", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["energy"]["worst_relative_drift"] < 1e-12, done
    for statement in ("simulate until 3, from equilibrium", "simulate from 1, until 3 from equilibrium, every 0.1"):
        assert call("run", PENDULUM + statement + "\nexpect always abs(x) < 1e-8\n").returncode == 0, statement
    for command in ("check", "linearize", "compare"):
        assert call(command, PENDULUM + "simulate from equilibrium until 3\n").returncode == 0, command
    assert "about the equilibrium from the start" in call("linearize", PENDULUM + "simulate from equilibrium until 3\n").stdout
    fall = "coord x\nkinetic x'^2\nforce x = 1\nsimulate from equilibrium until 3\n"
    done = call("run", fall, "--json")
    assert done.returncode == 3 and json.loads(done.stdout)["found"] is False and "no equilibrium" in done.stderr, done
    # by the coordinates of joints and by those of bodies
    arm = ("gravity (0, 0, -9.81)\nbody a: mass = 1, inertia = (0.1, 0.1, 0.1), at = (1, 0, 0)\n"
           "body b: mass = 1, inertia = (0.1, 0.1, 0.1), at = (3, 0, 0)\n"
           "joint h: revolute(ground, a, at = (0, 0, 0), axis = (0, 1, 0))\n"
           "joint k: revolute(a, b, at = (2, 0, 0), axis = (0, 1, 0))\n"
           "potential 40*angle(h)^2 + 9*angle(k)^2\nsimulate from equilibrium until 2\n"
           "output still = angle(h) - start(angle(h))\nexpect always abs(still) < 1e-7\n")
    ends = [json.loads(call("run", arm, "--json", "--coordinates", form).stdout)["final"] for form in ("joints", "bodies")]
    assert close(ends[0]["b.z"], ends[1]["b.z"], 1e-8) and ends[0]["b.z"] < -0.5, ends


@test
def a_model_that_starts_there():
    (folder / "arm").mkdir()
    arm = ("title \"Arm\"\ngravity (0, 0, -9.81)\nbody a: mass = 1, inertia = (0.1, 0.1, 0.1), at = (1, 0, 0), omega = (0, 0.3, 0)\n"
           "joint h: revolute(ground, a, at = (0, 0, 0), axis = (0, 1, 0))\npotential 40*angle(h)^2\nsimulate until 2\n")
    at = find(arm, "-o", str(folder / "rest.tram"))
    for where in (folder / "rest.tram", folder / "arm" / "rest.tram"):
        assert call("equilibrium", arm, "-o", str(where)).returncode == 0
        for form in ("joints", "bodies"):
            done = call("run", where, "--json", "--coordinates", form)
            final = json.loads(done.stdout)["final"]
            assert done.returncode == 0 and close(final["a.z"], at["state"]["a.z"], 1e-8), (form, done.stderr)
            assert abs(final["a.z'"]) < 1e-7 and close(final["a.q2"], at["state"]["a.q2"], 1e-8)
    done = call("equilibrium", arm, "-o", str(folder / "model.tram"))
    assert done.returncode == 2 and "is not overwritten" in done.stderr, done
    done = call("equilibrium", arm, "-o", "-")
    assert done.returncode == 0 and done.stdout.startswith("# Arm, from its equilibrium\ninclude "), done
    assert call("equilibrium", arm, "-o", "-", "--json").returncode == 2
    assert call("equilibrium", "coord x\nkinetic x'^2\nforce x = 1\n", "-o", str(folder / "none.tram")).returncode == 3
    assert not (folder / "none.tram").exists()


sys.exit(run_all())
