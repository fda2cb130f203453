"""Torques and forces that are built on energies and on constraint forces, against the same written in another way: the energy as an
expression of the angle, the brake as a non-ideal force. In both forms of coordinates, by all integrators.

Surroundings: TRAMMEL, the program. Prints "N passed, M failed", exit code 1 on failure.
"""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

program = os.environ["TRAMMEL"]
PENDULUM = """
param m = 1.2, J0 = 0.05, l = 0.5, g = 9.81, k = 0.4, E = 7, mu = 0.02
gravity (0, -g)
body2 bob: mass = m, inertia = J0, at = (0, -l)
joint J: revolute(ground, bob, at = (0, 0))
initial angle(J)' = 2
output a = bob.angle''
simulate until 3, every 0.1, tolerance 1e-10
"""
SWING = "torque J = -k*(energy - E)*angle(J)'\n"
SWING_WRITTEN = "torque J = -k*((J0 + m*l^2)*angle(J)'^2/2 - m*g*l*cos(angle(J)) - E)*angle(J)'\n"
BRAKE = "torque J = -mu*norm(reaction(J))*tanh(angle(J)')\n"
BRAKE_NONIDEAL = "nonideal bob.angle = -mu*norm(reaction(J))*tanh(angle(J)')\n"
FORMS = "bodies", "joints"
counts = {True: 0, False: 0}


def check(name, holds):
    counts[bool(holds)] += 1
    if not holds:
        print(f"failed: {name}")


def call(folder, command, text, *options):
    path = pathlib.Path(folder) / "model.tram"
    path.write_text(PENDULUM + text)
    run = subprocess.run([program, command, path, "--json", *options], capture_output=True, text=True)
    check(f"{command} {options}: {run.stderr}", run.returncode == 0)
    return json.loads(run.stdout)


def motion(folder, text, *options):
    rows = pathlib.Path(folder) / "rows.csv"
    found = call(folder, "run", text, "-o", str(rows), *options)
    with rows.open() as file:
        return found, list(csv.DictReader(file))


def apart(a, b, columns):
    """the largest difference, of each column's size"""
    return max(max(abs(float(x[c]) - float(y[c])) for x, y in zip(a, b)) / (1e-3 + max(abs(float(x[c])) for x in a)) for c in columns)


def test_motions(folder):
    columns = ["bob.x", "bob.angle", "bob.angle'", "a"]
    for name, text, other, work, other_work in [("swing", SWING, SWING_WRITTEN, "torque(J)", "torque(J)"),
                                                ("brake", BRAKE, BRAKE_NONIDEAL, "torque(J)", "nonideal"),
                                                ("both", SWING + BRAKE, SWING_WRITTEN + BRAKE_NONIDEAL, "torque(J)", None)]:
        for form in FORMS:
            for integrator, close in [("rk8", 1e-7), ("rk5", 1e-7), ("adams", 1e-5), ("bdf", 1e-4)]:
                by = "--coordinates", form, "--integrator", integrator
                one, rows = motion(folder, text, *by)
                two, rows_written = motion(folder, other, *by)
                check(f"{name} {by}: the same motion", len(rows) == 31 and apart(rows, rows_written, columns) < close)
                done, done_written = one["balance"]["work"][work], two["balance"]["work"]
                check(f"{name} {by}: the same work", abs(done - (done_written[other_work] if other_work else sum(done_written.values()))) <
                      10 * close * abs(done))
                check(f"{name} {by}: the balance", one["balance"]["worst_relative"] < close)


def test_linear(folder):
    """slopes by differences against those by expressions"""
    one, two = (sum(call(folder, "linearize", text)["matrix"], []) for text in (SWING, SWING_WRITTEN))
    check("linearize", len(one) == len(two) == 4 and all(abs(a - b) < 1e-8 * (1 + abs(b)) for a, b in zip(one, two)))


def main():
    with tempfile.TemporaryDirectory() as folder:
        test_motions(folder)
        test_linear(folder)
    print(f"{counts[True]} passed, {counts[False]} failed")
    return 1 if counts[False] else 0


sys.exit(main())
