"""The program from outside: exit codes, streams, options, JSON, CSV, signals, terminals.

Surroundings: TRAMMEL, the program. Prints "N passed, M failed", exit code 1 on failure.
"""
import csv
import json
import math
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from suite import run_all, test

program = os.environ["TRAMMEL"]
scratch = pathlib.Path(tempfile.mkdtemp(prefix="trammel-cli-"))
CLEAN = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}

TITLE = "A heavy\\ pendulum – ½"
PENDULUM = """title "A heavy\\ pendulum – ½"
param m = 2, L = 1, g = 9.81
coord x, y
initial x = L, y = 0
kinetic m/2*(x'^2 + y'^2)
potential m*g*y
constraint rod: x^2 + y^2 = L^2
output height = y + L
output speed = sqrt(x'^2 + y'^2)
simulate until 1, every 0.1, tolerance 1e-10
expect always abs(residual(rod)) < 1e-7
expect finally y < 1
expect always x < 9 and y < 9
"""
OSCILLATOR = "coord x\ninitial x = 1\nkinetic x'^2/2\npotential 5e5*x^2\n"  # 160 turns in each second


def model(text, name="m.tram"):
    path = scratch / name
    path.write_text(text)
    return str(path)


class Outcome:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f"exit code {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


def trammel(*arguments, env=None, **more):
    done = subprocess.run([program, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, env=env or CLEAN, cwd=scratch, **more)
    outcome = Outcome(done.returncode, done.stdout, done.stderr)
    assert "Sanitizer" not in outcome.err and "runtime error" not in outcome.err, outcome
    return outcome


def expect(code, *arguments, err=None, out=None, **more):
    """Runs the program; `err` and `out` are pieces of what it must say, "" for silence, None for anything."""
    outcome = trammel(*arguments, **more)
    assert outcome.code == code, f"expected exit code {code} of {arguments}\n{outcome}"
    for piece, said in ((err, outcome.err), (out, outcome.out)):
        if piece == "":
            assert said == "", f"expected silence of {arguments}\n{outcome}"
        elif piece is not None:
            assert piece in said, f"expected {piece!r} of {arguments}\n{outcome}"
    return outcome


def run_json(*arguments, code=0):
    outcome = expect(code, "run", *arguments, "--json")
    assert outcome.out.endswith("}\n") and outcome.out.count("\n") == 1, outcome
    return json.loads(outcome.out)


def read_csv(path):
    with open(path, newline="") as file:
        text = file.read()
    assert text.endswith("\n"), "the last line is not whole"
    rows = list(csv.reader(text.splitlines()))
    assert all(len(row) == len(rows[0]) for row in rows), "lines of different length"
    return rows[0], [[float(cell) for cell in row] for row in rows[1:]]


# ---- exit codes


@test
def exit_0_all_went_well():
    path = model(PENDULUM)
    outcome = expect(0, "run", path, err="", out=TITLE)
    for piece in ("1 degree of freedom", "steps", "worst residual", "'rod'", "energy drift", "3 of 3 hold"):
        assert piece in outcome.out, f"{piece!r} is missing in\n{outcome}"
    expect(0, "check", path, err="", out="1 degree of freedom")
    expect(0, "equations", path, err="", out="M")


@test
def exit_1_expectation():
    path = model(PENDULUM + "expect always y > -0.5\n")
    outcome = expect(1, "run", path, out="y > -0.5")
    assert "3 of 4 hold" in outcome.out, outcome
    expect(1, "run", path, "--quiet", out="")
    expectations = run_json(path, code=1)["expectations"]
    assert [e["holds"] for e in expectations] == [True, True, True, False]
    assert expectations[3]["text"] == "y > -0.5" and expectations[3]["worst"] < 0
    assert expectations[2]["worst"] is None  # not a single comparison
    assert 0 < expectations[0]["worst"] < 1e-7


@test
def exit_2_wrong_model():
    wrong = {"coord x\nkinetic m*x'^2\n": "unknown", "coord x,\n": "error", "coord x, x\n": "x",
             "coord x\nkinetic x'^3\nsimulate until 1\n": "quadratic", "coord x[1..1.5]\n": "whole",
             'include "missing.tram"\n': "missing.tram",
             "coord x, y\nmass x = 1\nmass y = 1\nquasi s = x'\nsimulate until 1\n": "missing"}
    for text, piece in wrong.items():
        path = model(text)
        for command in ("run", "check", "equations"):
            outcome = expect(2, command, path, err="error: ", out="")
            assert piece in outcome.err, outcome
    # with the place, the line, and a caret
    outcome = expect(2, "run", model("coord x\nkinetic m*x'^2\n", "bad.tram"))
    assert "bad.tram:2:9: error: " in outcome.err, outcome
    assert "    kinetic m*x'^2\n            ^" in outcome.err, outcome


@test
def exit_2_command_line():
    path = model(PENDULUM)
    options = """--nonsense/--until/--set m/--set =1/--set m=/--set nothing=1/--set m=1+/--until 1+/--until x
        --until -1/--every 0/--every -1/--every 1e-19/--tolerance 0/--until 1§0/--every 1§0/--tolerance 1§0
        --json=1/--latex/--integrator euler/--formulation newton/--json -o -""".replace("\n", "/")
    lines = [["run", path, *option.replace("§", "/").split()] for option in options.split("/")]
    lines += [["run"], ["run", path, path], ["nonsense", path], ["equations", path, "--json"], ["new"], [],
              ["check", path, "-o", "x.csv"], ["check", path, "--until", "3"], ["help", "nonsense"]]
    for arguments in lines:
        outcome = expect(2, *arguments)
        assert outcome.err or not arguments, f"{arguments} is refused in silence"
    assert "before the start" in trammel("run", path, "--until", "-1").err
    for arguments in (["run", path, "-o", ""], ["plot", path, "-o", ""], ["report", "nowhere.tram", "-o", ""],
                      ["import", "nowhere.urdf", "--loops="]):
        expect(2, *arguments, err="needs a name, and '' is none", out="")
    expect(2, "run", model("coord x\nkinetic x'^2/2\n"), err="until")
    assert not (scratch / "x.csv").exists()


@test
def misfit_after_an_option_with_equals():
    path = model(PENDULUM)
    expect(2, "run", path, "--until=1", "--latex")  # --until=1 takes no further argument with it
    expect(2, "check", path, "-ox.csv")


@test
def exit_3_numbers():
    cases = {"coord x, y\ninitial x = 1, y = 1\nkinetic x'^2 + y'^2\nconstraint rod: x^2 + y^2 = 1\n": "rod",
             "coord x, y\nmass x = 1\n": "y", "coord x, y\nmass x = 1\nmass y = -1\n": "y",
             "coord x\nkinetic x'^2/2\nconstraint a: x'' = 1\nconstraint b: x'' = 2\n": "b",
             "coord x, y\nkinetic x'^2 + y'^2\nquasi a = x'\nquasi b = 2*x'\n": "quasi",
             "coord x\nkinetic x'^2/2\nforce x = 1/t\n": "x"}
    for text, name in cases.items():
        path = model(text + "simulate until 1\n")
        for command in ("run", "check"):
            outcome = expect(3, command, path)
            assert re.search(rf"\b{name}\b", outcome.err.splitlines()[0].split(": ", 2)[-1]), outcome
        error = run_json(path, code=3)["error"]
        assert set(error) == {"message", "time", "constraint"} and error["time"] == 0
    assert run_json(model(next(iter(cases)) + "simulate until 1\n"), code=3)["error"]["constraint"] == "rod"


@test
def exit_3_keeps_what_was_written():
    path, out = model("""coord x
initial x' = 1
kinetic x'^2/2
force x = log(0.5 - t)
simulate until 1, every 0.1
"""), scratch / "kept.csv"
    outcome = expect(3, "run", path, "-o", out, err="kept")
    assert str(out) in outcome.err
    header, rows = read_csv(out)
    assert [round(row[0], 9) for row in rows] == [0, 0.1, 0.2, 0.3, 0.4]
    summary = run_json(path, code=3)
    assert summary["time"]["end"] == 0.4 and abs(summary["error"]["time"] - 0.5) < 0.01
    assert summary["final"]["x"] == rows[-1][1]


@test
def exit_4_files():
    path = model(PENDULUM)
    expect(4, "run", scratch / "missing.tram", err="missing.tram", out="")
    expect(4, "check", scratch, err="folder")
    expect(4, "equations", scratch / "missing.tram", out="")
    expect(4, "run", path, "-o", scratch / "no" / "where.csv", err="where.csv", out="")
    if os.geteuid() != 0:
        (scratch / "secret.tram").write_text(PENDULUM)
        (scratch / "secret.tram").chmod(0)
        expect(4, "run", scratch / "secret.tram", err="secret.tram")
    (scratch / "binary.tram").write_bytes(b"coord x\0\n")
    expect(4, "run", scratch / "binary.tram", err="it holds zero bytes", out="")


def into(stream, arguments):
    done = subprocess.run([program, *arguments], stdout=stream, stderr=subprocess.PIPE, text=True,
                          cwd=scratch)
    return Outcome(done.returncode, "", done.stderr)


@test
def full_disk():
    if not os.path.exists("/dev/full"):
        return
    path = model(PENDULUM)
    expect(4, "run", path, "-o", "/dev/full", err="/dev/full")
    expect(4, "run", path, "--every", "1e-3", "-o", "/dev/full", err="No space left")
    for arguments in (["run", path], ["run", path, "--json"], ["check", path], ["equations", path],
                      ["run", path, "-o", "-"], ["help"], ["help", "run"], ["--version"]):
        with open("/dev/full", "w") as full:
            outcome = into(full, arguments)
        assert outcome.code == 4 and outcome.err, f"{arguments}: {outcome}"


@test
def closed_pipe():
    path = model(PENDULUM)
    for arguments in (["run", path], ["run", path, "--every", "1e-5", "-o", "-"], ["run", path, "--json"],
                      ["equations", path]):
        reader, writer = os.pipe()
        os.close(reader)
        outcome = into(writer, arguments)
        os.close(writer)
        assert outcome.code == 4 and "Broken pipe" in outcome.err, f"{arguments}: {outcome}"


@test
def exit_130_interrupted():
    path = model(OSCILLATOR + "simulate until 1e9, every 0.01\n")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        for extra in ([], ["--json"]):
            out = scratch / "interrupted.csv"
            out.unlink(missing_ok=True)
            child = subprocess.Popen([program, "run", path, "-o", out, *extra], stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, text=True, cwd=scratch)
            while sum(part.stat().st_size for part in scratch.glob(".interrupted.csv.*.part")) < 20000:
                time.sleep(0.01)
            child.send_signal(number)
            said, told = child.communicate()
            assert child.returncode == 130, f"{child.returncode} {told}"
            assert "interrupted" in told and str(out) in told and "kept" in told, told
            header, rows = read_csv(out)
            assert len(rows) > 50 and all(abs(b[0] - a[0] - 0.01) < 1e-9 for a, b in zip(rows, rows[1:]))
            if extra:
                assert json.loads(said)["time"]["end"] == rows[-1][0]


# ---- the JSON summary

KEYS = """model title coordinates constraints rank degrees_of_freedom rank_changes singular_positions formulation
    choices integrator tolerance time steps rejected evaluations seconds final residual energy balance power redundant results
    expectations warnings""".split()
SIZES = ["coordinates", "constraints", "rank", "degrees_of_freedom"]


@test
def json_of_run():
    path = model(PENDULUM)
    summary = run_json(path)
    assert sorted(summary) == sorted(KEYS), set(summary) ^ set(KEYS)
    assert summary["model"] == path and summary["title"] == TITLE
    assert [summary[size] for size in SIZES] == [2, 1, 1, 1]
    assert summary["rank_changes"] == summary["singular_positions"] == summary["redundant"] == []
    assert list(summary["power"]) == ["rod"] and summary["power"]["rod"]["worst"] < 1e-8
    assert summary["warnings"] == []
    assert summary["formulation"] == "default" and summary["integrator"] == "rk8"
    assert summary["tolerance"] == 1e-10
    assert summary["time"] == {"start": 0, "end": 1}
    for key in ("steps", "rejected", "evaluations"):
        assert isinstance(summary[key], int) and summary[key] >= 0
    assert summary["steps"] > 0 and summary["evaluations"] > summary["steps"]
    assert sorted(summary["seconds"]) == ["compile", "read", "simulate"]
    assert all(0 <= s < 60 for s in summary["seconds"].values())
    final = summary["final"]
    assert list(final) == "x y x' y' reaction(x) reaction(y) multiplier(rod) height speed".split()
    assert abs(final["x"] ** 2 + final["y"] ** 2 - 1) < 1e-8 and final["height"] == final["y"] + 1
    assert abs(final["reaction(x)"] - 2 * final["x"] * final["multiplier(rod)"]) < 1e-9
    assert sorted(summary["residual"]) == ["rod"]
    rod = summary["residual"]["rod"]
    assert sorted(rod) == ["allowed", "at", "velocity", "worst"] and rod["worst"] <= rod["allowed"]
    assert 4e-10 <= rod["allowed"] <= 5e-10 and 0 <= rod["at"] <= 1  # sum |A_j| (1 + |q_j|) of a rod of 1
    assert sorted(summary["energy"]) == ["end", "start", "worst_relative_drift"]
    assert abs(summary["energy"]["start"]) < 1e-12 and 0 <= summary["energy"]["worst_relative_drift"] < 1e-8
    assert [sorted(e) for e in summary["expectations"]] == [["holds", "text", "worst"]] * 3


BELT = """param u = 0.5
coord x, y
initial x = 0, x' = u
kinetic (x'^2 + y'^2)/2
potential 10*y + 2*x^2
constraint belt: y = 0
friction belt: mu = 0.2, static = 0.4, slip = x' - u
simulate until 5
"""


@test
def json_of_friction():
    """Rows of friction count while it sticks."""
    summary = run_json(model(BELT))
    assert [summary[size] for size in SIZES] == [2, 2, 2, 0], summary
    slips, sticks = summary["rank_changes"]
    assert abs(slips.pop("time") - 2) < 1e-9 and abs(sticks.pop("time") - 4.034443935795703) < 1e-8
    assert slips == {"rank": 1, "rows": ["belt.stick"], "joints": [], "sticks": []}, slips
    assert sticks == {"rank": 2, "rows": ["belt.stick"], "joints": [], "sticks": ["belt"]}, sticks
    assert summary["redundant"] == [] and summary["warnings"] == []
    assert abs(summary["final"]["multiplier(belt.stick)"] - 4 * summary["final"]["x"]) < 1e-9
    said = summary["residual"]["belt.stick"]
    assert said["worst"] <= said["allowed"]
    slides = model(BELT.replace("x' = u", "x' = 3"))
    summary = run_json(slides, "--until", "0.1")
    assert [summary[size] for size in SIZES] == [2, 1, 1, 1] and summary["rank_changes"] == []
    assert summary["residual"]["belt.stick"]["allowed"] is None
    done = trammel("check", slides)
    assert done.code == 0 and "1 constraint row of rank 1" in done.out and "redundant" not in done.out, done


@test
def json_of_a_rich_model():
    path = model("""coord x, y, z
initial x' = 1
kinetic (x'^2 + y'^2 + z'^2)/2
dissipation 0.1*x'^2
quasi a = x'
quasi b = y' + x'
quasi c = z'
constraint pin: (y, z) = (0, 0)
constraint again: 2*y = 0
constraint roll: y' = 0
control path (damping = 1): z' = 0
constraint measured (weight = 2): x'' = 1
output inf_ = 1/(x - x)
output l = multiplier(again)
simulate until 1
""")
    summary = run_json(path)
    assert (summary["constraints"], summary["rank"], summary["degrees_of_freedom"]) == (6, 2, 1), summary
    final = summary["final"]
    rows = ["pin.x", "pin.y", "again", "roll", "path", "measured"]
    assert sorted(summary["residual"]) == sorted(rows)
    expected = (["x", "y", "z", "x'", "y'", "z'", "a", "b", "c", "reaction(x)", "reaction(y)", "reaction(z)"]
                + [f"multiplier({row})" for row in rows[:5]]
                + ["control(x)", "control(y)", "control(z)", "inf_", "l"])
    assert sorted(final) == sorted(expected), set(final) ^ set(expected)
    assert final["inf_"] is None  # not finite
    assert "velocity" in summary["residual"]["pin.x"] and "velocity" not in summary["residual"]["roll"]
    for name in ("measured", "path"):  # reported, not promised
        assert summary["residual"][name]["allowed"] is None
    assert sorted(summary["redundant"]) == ["again", "path", "roll"]
    assert summary["energy"]["worst_relative_drift"] is None
    assert summary["energy"]["end"] is not None
    assert any("again" in w for w in summary["warnings"]), summary["warnings"]


@test
def stop_at_an_instant():
    path = model(PENDULUM + "stop when y < -0.5\nexpect finally y < 0 and y > -0.51\n")
    outcome = expect(0, "run", path, err="", out="y < -0.5 (line 14)")
    assert "  stopped at t = 0.328233: " in outcome.out and "4 of 4 hold" in outcome.out, outcome
    summary = run_json(path, "-o", scratch / "stop.csv")
    assert sorted(summary) == sorted(KEYS + ["stopped"]), set(summary) ^ set(KEYS)
    end = summary["time"]["end"]
    assert summary["stopped"] == {"when": "y < -0.5", "time": end} and 0.32 < end < 0.33
    assert -1e-12 < summary["final"]["y"] + 0.5 < 0
    names, rows = read_csv(scratch / "stop.csv")
    assert [row[0] for row in rows[:-1]] == [0, 0.1, 0.2, 0.3] and rows[-1][0] == end
    assert rows[-1][names.index("y")] == summary["final"]["y"]
    assert "stopped" not in run_json(path, "--until", "0.3")
    expect(1, "run", model(PENDULUM + "stop when y < -0.5\nexpect finally y > 0\n"), out="stopped at")
    started = model("coord x\ninitial x' = 1\nkinetic x'^2/2\nsimulate until 1\nstop when x >= 0\n")
    expect(0, "run", started, err="warning: 'x >= 0' (line 5) is true at the start", out="0 to 1 in")
    assert len(run_json(started)["warnings"]) == 1


@test
def json_numbers_round_trip():
    path, out = model(PENDULUM), scratch / "round.csv"
    for until in ("1", "pi", "1e-3", "7/3"):
        summary = run_json(path, "--until", until, "-o", out)
        header, rows = read_csv(out)
        last = dict(zip(header, rows[-1]))
        for name in ("x", "y", "x'", "y'", "reaction(x)", "height"):
            assert last[name] == summary["final"][name]  # the very same double
        assert last["t"] == summary["time"]["end"] == eval(until, {"pi": math.pi})
    text = expect(0, "run", path, "--json").out
    for word in text.replace("}", " ").replace(",", " ").replace("]", " ").split():
        try:
            value = float(word)
        except ValueError:
            continue
        assert word not in ("nan", "inf", "-inf") and len(repr(value)) + 4 >= len(word), word


@test
def json_of_check():
    path = model(PENDULUM + "constraint twice: 2*x^2 + 2*y^2 = 2*L^2\n")
    found = json.loads(expect(0, "check", path, "--json", err="").out)
    assert found["rank"] == 1 and found["degrees_of_freedom"] == 1 and found["redundant"] == ["twice"]
    assert abs(found["dependencies"]["twice"]["rod"] - 2) < 1e-12
    assert found["unique_reaction"] == {"rod": False, "twice": False} and found["consistent"] is True
    path = model("coord x, y\ninitial x ~ 2, y = 0\nkinetic x'^2 + y'^2\nconstraint c: x = 1\n")
    found = json.loads(expect(0, "check", path, "--json").out)
    assert found["moved"] == {"x": {"from": 2, "to": 1}}


@test
def check_is_short_where_much_depends_on_much():
    path = model("param N = 30\ncoord x[1..N]\nkinetic sum(i in 1..N: x[i]'^2)\n"
                 "for i in 1..N: constraint peg[i]: x[i] = 0\n"
                 "for i in 1..9: constraint pair[i]: x[i] + 2*x[i + 1] = 0\n"
                 "constraint all: sum(i in 1..N: x[i]) = 0\n")
    said = expect(0, "check", path).out
    assert len(said.splitlines()) < 20 and max(map(len, said.splitlines())) < 160, said
    assert "'pair[1]' is redundant: its row is peg[1] + 2*peg[2]\n" in said, said
    assert "'pair[9]'" not in said and "and 2 more redundant rows\n  (the JSON has all rows in full)\n" in said, said
    found = json.loads(expect(0, "check", path, "--json").out)
    assert len(found["redundant"]) == 10 and set(found["dependencies"]["all"]) == {f"peg[{i}]" for i in range(1, 31)}
    assert all(abs(factor - 1) < 1e-12 for factor in found["dependencies"]["all"].values())
    path = model("coord x, y, z, u, v\nkinetic x'^2 + y'^2 + z'^2 + u'^2 + v'^2\nconstraint p: (x, y, z) = (0, 0, 0)\n"
                 "constraint q: (u, v) = (0, 0)\nconstraint all: x + y + z + u + v = 0\n")
    expect(0, "check", path, out="'all' is redundant: its row follows from 5 rows of p, q\n")
    expect(0, "check", path, out="not unique (least norm is shown): p, q, all\n")


@test
def drift_is_null_where_it_means_nothing():
    plain = "coord x\ninitial x = 1\nkinetic x'^2/2\npotential x^2/2\nsimulate until 1\n"
    assert run_json(model(plain))["energy"]["worst_relative_drift"] < 1e-8
    for more in ("force x = 1\n", "dissipation x'^2\n", "potential t*x\n", "nonideal x = 1\n",
                 "control c: x = cos(2*t)\n", "constraint c (damping = 1, stiffness = 1): x = 0\n"):
        assert run_json(model(plain + more))["energy"]["worst_relative_drift"] is None, more


@test
def work_is_named_by_what_does_it():
    plain = "coord x, y\ninitial x = 1, x' = 1\nkinetic (x'^2 + y'^2)/2\npotential x^2/2 + y\nsimulate until 1\n"
    assert run_json(model(plain))["balance"]["work"] == {}
    for more, name in (("force x = 1\n", "force(x)"), ("dissipation x'^2\n", "dissipation"), ("potential t*x\n", "potential"),
                       ("kinetic t*y'\n", "kinetic"), ("mass y = 1 + t\n", "mass"), ("nonideal x = 1\n", "nonideal"),
                       ("control c: x = cos(2*t) + t\n", "c"), ("constraint d: y' = 3\n", "d"),
                       ("constraint s (damping = 1, stiffness = 1): x = 0\n", "s"),
                       ("constraint w (weight = 1): x + y = 1\n", "w"),
                       ("constraint f: y = 0\nfriction f: mu = 0.3, slip = x'\n", "friction(f)"),
                       ("body2 B: mass = 1, inertia = 1, at = (0, 0)\njoint J (motion = sin(t)): revolute(ground, B, at = (0, 1))\n",
                        "J"),
                       ("body B: mass = 1, inertia = (1, 2, 3), at = (0, 0, 0)\ntorque B = (1, 0, 0)\n", "torque(B)")):
        balance = run_json(model(plain + more))["balance"]
        assert list(balance["work"]) == [name] and balance["work"][name] != 0, (more, balance)
        assert balance["worst_relative"] < 1e-7 and 0 <= balance["at"] <= 1, (more, balance)
    path = model(plain + "force x = 1\n")
    expect(0, "run", path, out="  work: force(x) ")
    expect(0, "run", path, out="  energy balance ")
    for wrong, said in (("output o = work()\n", "write work(NAME), work(x) or work(dissipation)"),
                        ("output o = work(z)\n", "there is no constraint 'z'"),
                        ("constraint w (weight = 1): x = 0\noutput o = work(w)\n", "has no multiplier and no force of its own"),
                        ("force x = work(x)\n", "'work' cannot stand in a force")):
        expect(2, "check", model(plain + wrong), err=said)


# ---- CSV


@test
def csv_columns():
    path, out = model("""coord x, z[1..2]
initial x' = 1
kinetic (x'^2 + z[1]'^2 + z[2]'^2)/2
quasi a = x'
quasi b = z[1]'
quasi c = z[2]'
constraint pin: (x - t, z[1]) = (0, 0)
for i in 2..2: constraint link[i]: z[i] = z[i-1]
output k = kinetic
output one = 1
simulate until 1, every 0.3
"""), scratch / "columns.csv"
    expect(0, "run", path, "-o", out)
    header, rows = read_csv(out)
    assert header == """t x z[1] z[2] x' z[1]' z[2]' a b c k one reaction(x) reaction(z[1]) reaction(z[2])
        residual(pin.x) residual(pin.y) residual(link[2])""".split(), header
    assert [round(row[0], 12) for row in rows] == [0, 0.3, 0.6, 0.9, 1] and rows[-1][0] == 1
    for row in rows:
        values = dict(zip(header, row))
        assert abs(values["x"] - values["t"]) < 1e-8 and values["a"] == values["x'"] and values["one"] == 1
        assert abs(values["k"] - 0.5) < 1e-8 and abs(values["residual(pin.x)"]) < 1e-8
    outcome = expect(0, "run", path, "-o", "-", err="")
    assert outcome.out == out.read_text()  # to standard output: the samples and nothing else


@test
def sampling():
    path, out = model(PENDULUM), scratch / "samples.csv"
    for options, times in (([], 11), (["--every", "5"], 2), (["--every", "1e12"], 2), (["--until", "0"], 1),
                           (["--every", "0.35"], 4), (["--until", "2*pi", "--every", "pi/4"], 9)):
        expect(0, "run", path, "-o", out, *options)
        header, rows = read_csv(out)
        assert len(rows) == times, (options, len(rows))
    path = model("coord x\nkinetic x'^2/2\nsimulate until 5 from 2\n")
    expect(0, "run", path, "-o", out)  # a thousandth of the span by default
    header, rows = read_csv(out)
    assert len(rows) == 1001 and rows[0][0] == 2 and rows[-1][0] == 5


# ---- options


@test
def options_before_and_after():
    path, out = model(PENDULUM), scratch / "order.csv"
    results = []
    for arguments in (["run", path, "--until", "0.5", "-o", out], ["run", "--until", "0.5", "-o", out, path],
                      ["--until=0.5", "run", f"-o{out}", path], ["run", "--until=0.5", path, "-o", out]):
        out.unlink(missing_ok=True)
        expect(0, *arguments)
        results.append(out.read_text())
    assert len(set(results)) == 1 and results[0].splitlines()[-1].startswith("0.5,")
    expect(0, "run", "--", path)


@test
def settings():
    path = model("""param a = 1, b = 2*a, N = 1
coord x[1..N]
for i in 1..N: kinetic x[i]'^2/2
output o = a + 10*b
simulate until 0
""")
    assert run_json(path)["final"]["o"] == 21
    assert run_json(path, "--set", "a=3")["final"]["o"] == 63  # b follows
    assert run_json(path, "--set", "a=3", "--set", "b=1")["final"]["o"] == 13
    assert run_json("--set", "b=a + 1/4", path, "--set=a=2")["final"]["o"] == 24.5
    assert run_json(path, "--set", "N=3")["coordinates"] == 3
    expect(2, "run", path, "--set", "N=1.5", err="N")
    expect(0, "check", path, "--set", "N=2", out="2 coordinates")
    expect(0, "equations", path, "--set", "N=2", out="x[2]")


@test
def quiet():
    path = model(PENDULUM + "constraint twice: 2*x^2 + 2*y^2 = 2*L^2\noutput l = multiplier(twice)\n")
    assert "twice" in expect(0, "run", path).err  # a warning
    expect(0, "run", path, "--quiet", out="", err="")
    expect(0, "--quiet", "check", path, out="", err="")
    expect(0, "run", path, "--quiet", "-o", scratch / "quiet.csv", out="", err="")
    expect(2, "run", model("nonsense"), "--quiet", err="error")  # errors are told all the same
    expect(3, "run", model("coord x\nsimulate until 1\n"), "--quiet", err="error", out="")
    expect(0, "new", scratch / "quiet.tram", "--quiet", out="", err="")


@test
def integrators():
    path = model(PENDULUM)
    five, eight = run_json(path, "--integrator", "rk5"), run_json(path, "--integrator", "rk8")
    assert (five["integrator"], eight["integrator"]) == ("rk5", "rk8") and five["steps"] > eight["steps"]
    assert abs(five["final"]["x"] - eight["final"]["x"]) < 1e-7
    assert run_json(path, "--formulation", "default", "--exact")["formulation"] == "default"
    assert run_json(path, "--tolerance", "1e-5")["tolerance"] == 1e-5
    there = "bdf, adams (SUNDIALS)" in expect(0, "--version").out
    for name in ("bdf", "adams"):
        if not there:
            expect(2, "run", path, "--integrator", name, err=f"the integrator {name} needs SUNDIALS")
        else:
            found = run_json(path, "--integrator", name)
            assert found["integrator"] == name and abs(found["final"]["x"] - eight["final"]["x"]) < 1e-4


@test
def kernels():
    """With --exact the samples are the same to the last byte, whatever evaluates the equations."""
    angles = "coord a, b\ninitial a = 1, b = 0.5\nkinetic a'^2 + b'^2 / 2 + cos(a - b) * a' * b'\n"
    path, found = model(angles + "potential -20 * cos(a) - 10 * cos(b)\nsimulate until 5\n"), set()
    available = expect(0, "--version").out.split("kernels: ")[1].split(";")[0].split(", ")
    for name in ("tape", "scalar", "avx2", "avx512", "steam"):
        env = dict(CLEAN, TRAMMEL_KERNEL=name)
        expect(0, "run", path, "--exact", "-o", scratch / "exact.csv", env=env)
        found.add((scratch / "exact.csv").read_bytes())
        used = name if name in available else available[-1]
        version = expect(0, "--version", env=env, out=f"; {used} is used").out
        assert (f"TRAMMEL_KERNEL={name} is not among them" in version) == (name not in available), version
    assert len(found) == 1


@test
def library_that_is_not_there():
    """The loader finds no library, but this file of its name first."""
    folder = scratch / "libraries"
    folder.mkdir()
    (folder / "libsundials_cvode.so.6").write_text("not a library")
    without = dict(CLEAN, LD_LIBRARY_PATH=str(folder))
    path = model(PENDULUM)
    for name in ("bdf", "adams"):
        outcome = expect(2, "run", path, "--integrator", name, env=without, out="")
        for piece in (f"the integrator {name} needs", "SUNDIALS 6", "cannot be loaded", "libsundials-cvode6", "rk8"):
            assert piece in outcome.err, outcome
    assert "SUNDIALS" not in expect(0, "--version", env=without).out
    expect(0, "run", path, env=without)


PARTS = "read derive compile start evaluate solve project steps sample write".split()


@test
def profile():
    path = model(PENDULUM)
    outcome = trammel("run", path, "--profile")
    assert outcome.code == 0, outcome
    lines = outcome.out.split("where the time went\n")[1].splitlines()
    assert [line.split()[0] for line in lines] == PARTS, outcome
    assert abs(sum(float(line.split()[3]) for line in lines) - 100) < 1, outcome
    summary = json.loads(trammel("run", path, "--profile", "--json").out)
    assert list(summary["profile"]) == PARTS and all(s >= 0 for s in summary["profile"].values()), summary
    simulated = sum(summary["profile"][part] for part in PARTS[3:9])
    assert abs(simulated - summary["seconds"]["simulate"]) < 0.1 * simulated, summary
    assert "profile" not in json.loads(trammel("run", path, "--json").out)


@test
def large():
    chain = ("param N = 6000\ncoord x[1..N]\nfor i in 1..N: kinetic x[i]'^2/2\ninitial x[1]' = 1\n"
             "for i in 2..N: constraint k[i]: x[i] = x[i-1] %s\nsimulate until 1\n")
    path = model(chain % "", "large.tram")
    summary = json.loads(trammel("run", path, "--json", "--every", "1").out)
    assert summary["rank"] == 5999 and abs(summary["final"]["x[6000]"] - 1) < 1e-12, summary["rank"]
    summary = json.loads(trammel("run", path, "--json", "--every", "1", "--integrator=bdf").out)
    assert abs(summary["final"]["x[6000]"] - 1) < 1e-8, summary["final"]["x[6000]"]  # by a sparse matrix
    for what, arguments in ("gauss", ["run", path, "--formulation=gauss"]), ("compare", ["compare", path]):
        outcome = expect(2, *arguments, err=f"{what} takes")  # too much; and what would fit
        assert "GB for 6000 coordinates with 5999" in outcome.err, outcome
        fits = int(re.search(r"some (\d+) coordinates of this kind fit", outcome.err)[1])
        assert 2000 < fits < 4000, outcome
    path = model("param N = 6000\ncoord x[1..N]\nfor i in 1..N: kinetic x[i]'^2/2\n"
                 "constraint k (weight = 1): x[1] = x[2]\nsimulate until 1\n", "weights.tram")
    summary = json.loads(trammel("run", path, "--json", "--every", "1").out)
    assert summary["rank"] == 0, summary["rank"]
    path = model("param N = 6000\ncoord x[1..N]\nfor i in 1..N: kinetic x[i]'^2/2\nquasi s[1] = x[1]' + x[N]'\n"
                 "for i in 2..N: quasi s[i] = x[i]' - x[i-1]'\ninitial s[1] = 1\nfor i in 2..N: initial s[i] = 1/3000\n"
             "output r = reaction(s[1])\nsimulate until 1\n", "ring.tram")  # neither a chain nor a ring is a matter
    summary = json.loads(trammel("run", path, "--json", "--every", "1").out)
    for i in 1, 6000:  # x[i]' = x[1]' + (i - 1)/3000, and x[1]' + x[N]' = 1
        assert abs(summary["final"][f"x[{i}]"] - ((1 - 5999/3000)/2 + (i - 1)/3000)) < 1e-9, summary["final"][f"x[{i}]"]


FORMULATIONS = "fundamental inverse14 gauss dalembert gibbs-appell lagrange stacked auxiliary poincare".split()


@test
def formulations():
    path = model(PENDULUM)
    for name in FORMULATIONS:
        assert run_json(path, "--formulation", name)["formulation"] == name
    massless = model("coord x, y\nmass x = 1\ninitial x ~ 1, y ~ 1\nconstraint c: y = x\nsimulate until 1\n")
    for name in FORMULATIONS:
        outcome = trammel("run", massless, "--formulation", name)
        definite = name in ("fundamental", "inverse14", "gauss", "dalembert", "poincare")
        assert outcome.code == (2 if definite else 0), outcome
        if definite:
            assert "singular" in outcome.err and "default, gibbs-appell, lagrange, stacked, auxiliary" in outcome.err
    outcome = trammel("run", path, "--formulation", "newton")
    assert outcome.code == 2 and "there are default, fundamental" in outcome.err, outcome


@test
def the_model_is_not_overwritten():
    path = model(PENDULUM)
    outcome = expect(2, "run", path, "-o", path, err="is the model itself")
    assert pathlib.Path(path).read_text() == PENDULUM, outcome


TURNS = "\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"  # of lines and directions


@test
def nothing_that_a_terminal_would_obey():
    evil = "a\033]0;owned\007\033[2J\u009b31mred\x7f\u202ekcab\u2028\u2066"
    path = model(f'title "{evil}"\ncoord x\nkinetic x\'^2/2\nsimulate until 1\nplot "{evil}": x\nexpect finally x > 1 # {evil}\n',
                 "evil\033[2J.tram")
    gone = scratch / evil
    for arguments in (["run", path], ["run", path, "--plot"], ["check", path], ["run", path, "--json"], ["run", path, "-o", gone],
                      ["run", path, "--set", evil], ["run", path, "--set", evil + "=1"], ["run", path, "--until", evil],
                      ["run", path, "--integrator", evil], ["run", path, "--" + evil], ["run", gone / "x"], [evil], ["help", evil],
                      ["run", path, evil], ["equations", path], ["linearize", path], ["compare", path], ["new", path],
                      ["plot", path, "--format", evil], ["view", path, "--port", evil]):
        outcome = trammel(*arguments)
        for said in (outcome.out, outcome.err):
            bad = [c for c in said if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 or c in TURNS]
            assert not bad, (arguments, bad, outcome)
    assert json.loads(trammel("run", path, "--json").out)["title"] == evil
    version = expect(0, "--version", env={**CLEAN, "TRAMMEL_KERNEL": evil + "\n"}).out
    assert not [c for c in version if c < " " and c != "\n" or c in "\x7f\u009b" + TURNS] and version.count("\n") == 4, version
    shown = on_a_terminal(["new", str(scratch / "new\033[2J.tram")], "stdout")
    assert "\033" not in shown and "new?[2J.tram" in shown, shown
    assert "\033" in trammel("new", scratch / "also\033[2J.tram").out  # for another program as it is


@test
def short_pulses_and_forces_held_in_steps():
    pulse = model(name="pulse.tram", text="coord x\nkinetic x'^2/2\nforce x = if(t > 3 and t < 3.01, 100, 0)\nsimulate until 10\n")
    waves = model(name="waves.tram", text="coord x\nkinetic x'^2/2\nforce x = sign(sin(20*t))\nsimulate until 10\n")
    load = model(name="load.tram", text="coord x, y\ninitial y' = 1\nkinetic (x'^2 + y'^2)/2\npotential y^2/2\n"
                 "force x = if(y < 0.9, 0, 1)\nconstraint c: x = 0\nstop when reaction(x) < -0.5\nsimulate until 3\n")
    for method in ("rk8", "rk5", "bdf", "adams"):
        if trammel("run", pulse, "--integrator", method).code == 2:
            continue  # no SUNDIALS
        assert abs(run_json(pulse, "--integrator", method)["final"]["x'"] - 1) < 1e-9, method
        assert abs(run_json(waves, "--integrator", method)["final"]["x'"] - 0.0530964914873) < 1e-9, method
        assert abs(run_json(load, "--integrator", method)["time"]["end"] - math.asin(0.9)) < 1e-7, method


@test
def compare():
    path = model(PENDULUM)
    found = json.loads(expect(0, "compare", path, "--json", err="").out)
    assert [each["name"] for each in found["formulations"]] == ["default"] + FORMULATIONS, found
    assert all(each["applies"] for each in found["formulations"]) and found["states"] == 1
    for each in found["formulations"]:
        assert abs(each["acceleration"]["y''"] - found["formulations"][0]["acceleration"]["y''"]) < 1e-12, each
    assert found["certificate"]["rank_of_mass_and_constraints"] == 2
    along = json.loads(expect(0, "compare", path, "--along", "--json", err="").out)
    assert along["states"] > 10
    for of in ("acceleration", "force"):
        assert along["largest_difference"][of]["relative"] < 1e-12, along["largest_difference"]
    for of in ("constraints", "virtual_work", "gaussian"):
        assert along["certificate"][of] < 1e-9, along["certificate"]
    assert "certificate of the result" in expect(0, "compare", path, err="").out
    massless = model("coord x, y\nmass x = 1\ninitial x ~ 1, y ~ 1\nconstraint c: y = x\n")
    outcome = expect(0, "compare", massless, err="")
    assert "do not apply: fundamental, inverse14, gauss, dalembert, poincare" in outcome.out, outcome
    assert trammel("compare", massless, "--along").code == 2  # it has no end
    assert trammel("compare", path, "--formulation", "gauss").code == 2
    assert trammel("compare", model("coord x, y\nkinetic x'^2/2\n")).code == 3  # nothing determines y


@test
def help_and_version():
    outcome = expect(0, "help", err="")
    for word in ("new", "run", "check", "equations", "130"):
        assert word in outcome.out
    assert expect(0, "--help", err="").out == outcome.out
    run_help = expect(0, "help", "run", err="").out
    assert expect(0, "run", "--help", err="").out == run_help
    options = "--until --every --tolerance --integrator --formulation --exact --json -o --set --quiet"
    for option in options.split():
        assert option in run_help, option
    for command in ("check", "equations", "new", "compare"):
        assert command in expect(0, "help", command, err="").out
    version = expect(0, "--version", err="").out
    assert version.startswith("trammel ") and version.split()[1][0].isdigit() and "kernels" in version
    expect(2, "help", "nonsense", err="nonsense")


@test
def slips_are_understood():
    path = model(PENDULUM)
    assert "run" in expect(2, "rum", path).err
    assert "trammel run" in expect(2, path).err
    assert "--tolerance" in expect(2, "run", path, "--tolerence", "1").err


@test
def new_models():
    path = scratch / "fresh.tram"
    expect(0, "new", path, out="fresh.tram")
    text = path.read_text()
    assert text.startswith("#")
    expect(4, "new", path, err="fresh.tram", out="")  # refuses to overwrite
    assert path.read_text() == text
    expect(0, "run", path, err="")
    expect(0, "check", path, err="")
    expect(4, "new", scratch / "no" / "where.tram", err="where.tram", out="")


@test
def includes():
    (scratch / "parts").mkdir()
    (scratch / "parts" / "mass.tram").write_text("coord x\nkinetic x'^2/2\n")
    (scratch / "parts" / "main.tram").write_text('include "mass.tram"\nsimulate until 1\n')
    expect(0, "run", scratch / "parts" / "main.tram", err="")  # sought beside the file, not where we are


# ---- terminals


def on_a_terminal(arguments, which, env=CLEAN, until=None):
    """Runs with one stream on a pseudo-terminal, until something is seen there if that is given; returns what appears there."""
    leader, follower = pty.openpty()
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    streams[which] = follower
    child = subprocess.Popen([program, *arguments], stdin=subprocess.DEVNULL, env=env, cwd=scratch, **streams)
    os.close(follower)
    seen = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:
            break
        if not piece:
            break
        if until and until not in seen and until in seen + piece:
            child.send_signal(signal.SIGINT)
        seen += piece
    os.close(leader)
    child.wait()
    return seen.decode()


@test
def colour_only_on_a_terminal():
    path = model("coord x\nkinetic m*x'^2\n")
    assert "\x1b[1;31merror:" in on_a_terminal(["run", path], "stderr")
    assert "\x1b" not in on_a_terminal(["run", path], "stderr", {**CLEAN, "NO_COLOR": "1"})
    assert "\x1b" not in trammel("run", path).err
    assert "\x1b" not in on_a_terminal(["run", model(PENDULUM)], "stdout")


@test
def what_takes_long_is_told_beforehand():
    chain = model("param N = 3\ncoord x[1..N]\nfor i in 1..N: kinetic x[i]'^2/2\nfor i in 2..N: constraint k[i]: x[i] = x[i-1]\n")
    assert on_a_terminal(["compare", chain], "stderr") == ""
    leader, follower = pty.openpty()
    springs = model("param N = 3\ncoord x[1..N]\nfor i in 1..N: kinetic x[i]'^2/2\nfor i in 1..N: potential x[i]^2/2\n", "springs.tram")
    for command, path, size in ("compare", chain, 700), ("linearize", springs, 2000):
        leader, follower = pty.openpty()
        child = subprocess.Popen([program, command, path, "--set", f"N={size}"], stdout=subprocess.DEVNULL, stderr=follower, cwd=scratch)
        os.close(follower)
        assert re.match(r"trammel: this takes some \d+ minutes", os.read(leader, 1000).decode())
        child.terminate()
        assert child.wait() == 130
        os.close(leader)


@test
def progress_bar_only_on_a_terminal():
    probe = model(OSCILLATOR + "simulate until 1, every 1, tolerance 1e-12\n")
    once = min(run_json(probe)["seconds"]["simulate"] for _ in range(3))
    long = model(f"{OSCILLATOR}simulate until {1 / once}, every 1, tolerance 1e-12\n", "long.tram")
    short = model(PENDULUM.replace("until 1", "until 1e-3"))  # few steps
    endless = model(OSCILLATOR + "simulate until 1e9, every 1e8, tolerance 1e-12\n", "endless.tram")
    seen = on_a_terminal(["run", endless], "stderr", until=b"%")
    assert "%" in seen and "\r" in seen, repr(seen)
    assert seen.rsplit("%", 1)[1].startswith("\r\x1b[K"), repr(seen)  # and is gone at the end
    assert on_a_terminal(["run", short], "stderr") == ""  # not for less than half a second
    assert on_a_terminal(["run", long, "--quiet"], "stderr") == ""
    assert "%" not in trammel("run", long).err


code = run_all()
shutil.rmtree(scratch)
sys.exit(code)
