"""J.angle1, J.slide2, ... of universal and planar joints: values, rates, full turns, both forms of coordinates, inputs and states of
`linearize`; turns of joints that close loops.

Surroundings: TRAMMEL, the program. Prints "N passed, M failed", exit code 1 on failure.
"""
import csv
import io
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

from suite import run_all, test

program, folder = os.environ["TRAMMEL"], pathlib.Path(tempfile.mkdtemp())


def call(command, text, *options):
    file = folder / "model.tram"
    file.write_text(text)
    return subprocess.run([program, command, str(file), *options], capture_output=True, text=True)


def rows(text, *options):
    done = call("run", text, "--tolerance", "1e-12", "-o", "-", *options)
    assert done.returncode == 0, done.stderr
    return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(io.StringIO(done.stdout))]


CROSS = """gravity (0, 0, -9.81)
body b: mass = 1, inertia = (0.1, 0.13, 0.1), at = (0.5, 0, 0)
body p: mass = 2, inertia = (0.1, 0.1, 0.2), at = (0, 0, 0)
joint k: universal(ground, b, at = (0, 0, 0), axis1 = (1, 0, 0), axis2 = (0, 0, 1))
joint s: planar(ground, p, at = (0, 0, 0), normal = (0, 0, 1))
"""


@test
def values_are_those_of_the_rotation():
    """the centre of b is at R_x(angle1) R_z(angle2) (0.5, 0, 0)"""
    text = CROSS + ("initial k.angle1 = 9, k.angle1' = 7, k.angle2' = 0.3, s.angle' = 20, s.slide1' = 1, s.slide2 = 3\n"
                    "torque k.angle2 = -3*k.angle2 + 0.1*k.angle1'\ntorque k.angle1 = -0.2*k.angle1'\noutput a = k.angle1''\n")
    both = [rows(text, "--coordinates", form, "--until", "2", "--every", "0.1") for form in ("joints", "bodies")]
    before = 9.0
    assert len(both[0]) == 21
    for one, two in zip(*both):
        for name in ("k.angle1", "k.angle2", "s.angle", "s.slide1", "s.slide2", "k.angle1'", "k.angle2'", "a"):
            assert abs(one[name] - two[name]) < 1e-7, (one["t"], name, one[name], two[name])
        first, second = one["k.angle1"], one["k.angle2"]
        place = (math.cos(second), math.cos(first)*math.sin(second), math.sin(first)*math.sin(second))
        assert all(abs(one["b." + c] - p/2) < 1e-9 for c, p in zip("xyz", place)), (one, place)
        assert abs(one["s.angle"] - 20*one["t"]) < 1e-8 and abs(one["s.slide1"] - one["t"]) < 1e-9 and abs(one["s.slide2"] - 3) < 1e-9
        assert abs(first - before) < 1  # no jumps
        before = first


@test
def a_shaft_turns_on():
    text = CROSS.replace("gravity (0, 0, -9.81)", "") + "initial k.angle1' = 30\n"
    for form in ("joints", "bodies"):
        for row in rows(text, "--coordinates", form, "--until", "3", "--every", "0.5"):
            assert abs(row["k.angle1"] - 30*row["t"]) < 1e-6, (form, row["t"], row["k.angle1"])


@test
def a_joint_that_closes_a_loop_keeps_its_turns():
    """a parallelogram that goes round: all angles are known, from 4 pi on in the joint that is cut"""
    bodies = "".join(f"body {n}: mass = 1, inertia = (0.1, 0.1, 0.1), at = {at}\n"
                     for n, at in (("a", "(0, 0.5, 0)"), ("b", "(1, 1, 0)"), ("c", "(2, 0.5, 0)")))
    joints = "".join(f"joint j{i}: revolute({b}, at = {at}, axis = (0, 0, 1))\n" for i, (b, at) in enumerate(
        (("ground, a", "(0, 0, 0)"), ("a, b", "(0, 1, 0)"), ("b, c", "(2, 1, 0)"), ("ground, c", "(2, 0, 0)"))))
    for rate in (4, 30):
        turning(bodies + joints, rate)


def turning(mechanism, rate):
    start = f"initial angle(j0) = 0.2, angle(j0)' = {rate}, angle(j2) = 0.2 + 4*pi, angle(j1) = -0.2 + 2*pi\n"
    for form in ("joints", "bodies"):
        for row in rows(mechanism + start, "--coordinates", form, "--until", "2", "--every", "0.5"):
            angle = 0.2 + rate*row["t"]
            for name, expected in (("j0", angle), ("j1", 2*math.pi - angle), ("j2", 4*math.pi + angle), ("j3", angle)):
                off = row[f"angle({name})"] - expected
                assert abs(off) < 1e-7 or (name == "j3" and abs(off + 2*math.pi*round(off/-2/math.pi)) < 1e-7), (form, row["t"], name, off)


@test
def states_and_inputs():
    """at rest next to the axes: each freedom has its own inertia"""
    text = CROSS.replace("gravity (0, 0, -9.81)", "") + "initial k.angle2 = 0.7\n"
    done = call("linearize", text, "--json", "--inputs", "torque(k.angle1),torque(k.angle2),force(s.slide2),torque(s.angle)", "--outputs",
                "k.angle2''")
    at = json.loads(done.stdout)
    names = ["k.angle1", "k.angle2", "s.angle", "s.slide1", "s.slide2"]
    assert at["states"] == names + [n + "'" for n in names], at["states"]
    # about x: the inertia of b turned by angle2, with its mass at 0.5 sin(angle2) from the axis
    i1 = 0.1*math.cos(0.7)**2 + 0.13*math.sin(0.7)**2 + (0.5*math.sin(0.7))**2
    expected = {("k.angle1'", 0): 1/i1, ("k.angle2'", 1): 1/(0.1 + 0.25), ("s.slide2'", 2): 1/2, ("s.angle'", 3): 1/0.2}
    for i, name in enumerate(at["states"]):
        for j in range(4):
            assert abs(at["B"][i][j] - expected.get((name, j), 0)) < 1e-9, (name, j, at["B"])
    assert abs(at["D"][0][1] - 1/0.35) < 1e-9


@test
def what_is_wrong_is_told():
    for given, message in (("torque(k)", "write torque(k.angle1) or torque(k.angle2)"), ("force(k)", "write torque(k.angle1)"),
                           ("force(s)", "write force(s.slide1) or force(s.slide2)"), ("torque(k.angle1)'", "there is no joint"),
                           ("torque(k).x", "write torque(k.angle1)"), ("torque(b)'", "there is no such axis of 'b'")):
        done = call("linearize", CROSS, "--inputs", given)
        assert done.returncode == 2 and message in done.stderr and done.stdout == "", (given, done)
    for given, message in (("k.angle3", "write k.angle1, k.angle2"), ("angle(k)", "write k.angle1, k.angle2"),
                           ("s.x", "write s.angle, s.slide1, s.slide2"), ("k", "a joint is no number")):
        done = call("run", CROSS + f"output o = {given}\n", "--until", "1")
        assert done.returncode == 2 and message in done.stderr, (given, done)


sys.exit(run_all())
