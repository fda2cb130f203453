"""trammel import: robots, held against dynamics written anew here, and files that are no robots.

Surroundings: TRAMMEL, the program; SOURCE_DIR, the clone. Prints "N passed, M failed", exit code 1 on failure.
"""
import csv
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
import xml.etree.ElementTree as ElementTree

program = os.environ["TRAMMEL"]
robots = pathlib.Path(os.environ["SOURCE_DIR"]) / "test" / "import" / "robots"
scratch = pathlib.Path(tempfile.mkdtemp(prefix="trammel-import-"))


class Outcome:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f"exit code {self.code}\n--- stdout\n{self.out[:4000]}\n--- stderr\n{self.err[:4000]}"


def trammel(*arguments, code=0, err=None, out=None):
    """Runs the program; `err` and `out` are pieces of what it must say, "" for silence, None for anything."""
    done = subprocess.run([program, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                          cwd=scratch)
    outcome = Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Sanitizer" not in outcome.err and "runtime error" not in outcome.err, outcome
    assert outcome.code == code, f"expected exit code {code} of {arguments}\n{outcome}"
    for piece, said in ((err, outcome.err), (out, outcome.out)):
        if piece == "":
            assert said == "", f"expected silence of {arguments}\n{outcome}"
        elif piece is not None:
            assert piece in said, f"expected {piece!r} of {arguments}\n{outcome}"
    return outcome


def imported(name, *options, more=""):
    """The model of a robot of test/import/robots, with some lines more."""
    text = trammel("import", robots / f"{name}.urdf", "-o", "-", *options).out
    path = scratch / f"{name}.tram"
    path.write_text(text + more)
    return path


def simulated(path, *options):
    """Runs a model; the summary, and the samples as one dictionary each. All residuals must be held."""
    samples = scratch / "samples.csv"
    summary = json.loads(trammel("run", path, "--json", "-o", samples, *options).out)
    for row, residual in summary["residual"].items():
        if residual["allowed"] is not None:  # of what slips nothing is promised
            assert residual["worst"] <= residual["allowed"], f"{row}: {residual}"
    with open(samples, newline="") as file:
        return summary, [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]


def close(found, wanted, tolerance, what):
    assert abs(found - wanted) <= tolerance, f"{what}: {found!r} is not {wanted!r}"


# ---- vectors and matrices as lists


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def scaled(s, a):
    return [s * x for x in a]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def times(A, b):
    return [dot(row, b) for row in A]


def product(A, B):
    return [[dot(row, column) for column in zip(*B)] for row in A]


def transposed(A):
    return [list(row) for row in zip(*A)]


def about(axis, angle):
    """Rodrigues: the matrix of a rotation."""
    n = math.sqrt(dot(axis, axis))
    x, y, z = scaled(1 / n, axis)
    c, s, u = math.cos(angle), math.sin(angle), 1 - math.cos(angle)
    return [[c + x * x * u, x * y * u - z * s, x * z * u + y * s],
            [y * x * u + z * s, c + y * y * u, y * z * u - x * s],
            [z * x * u - y * s, z * y * u + x * s, c + z * z * u]]


def of_quaternion(q):
    w, x, y, z = q
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]


def solved(A, b):
    n, rows = len(b), [list(row) + [x] for row, x in zip(A, b)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k])]
    out = [0.0] * n
    for k in reversed(range(n)):
        out[k] = (rows[k][n] - dot(rows[k][k + 1:n], out[k + 1:])) / rows[k][k]
    return out


# ---- a serial robot by recursive Newton-Euler, read with another XML library


def origin_of(element):
    found = element.find("origin") if element is not None else None
    numbers = lambda name: [float(x) for x in found.get(name, "0 0 0").split()] if found is not None else [0.0] * 3
    r, p, y = numbers("rpy")
    return product(about([0, 0, 1], y), product(about([0, 1, 0], p), about([1, 0, 0], r))), numbers("xyz")


class Chain:
    def __init__(self, path):
        root = ElementTree.parse(path).getroot()
        links = {link.get("name"): link for link in root.findall("link")}
        self.steps = []  # from the base: kind, rotation and offset of the joint, axis, mass, centre, inertia
        joints = {joint.find("parent").get("link"): joint for joint in root.findall("joint")}
        at = "base_link"
        while at in joints:
            joint = joints[at]
            at = joint.find("child").get("link")
            axis = joint.find("axis")
            axis = [float(x) for x in axis.get("xyz").split()] if axis is not None else [1.0, 0.0, 0.0]
            axis = scaled(1 / math.sqrt(dot(axis, axis)), axis)
            inertial = links[at].find("inertial")
            R, centre = origin_of(inertial)
            mass, J = 0.0, [[0.0] * 3 for _ in range(3)]
            if inertial is not None:
                mass = float(inertial.find("mass").get("value"))
                i = {k: float(v) for k, v in inertial.find("inertia").attrib.items()}
                J = [[i["ixx"], i["ixy"], i["ixz"]], [i["ixy"], i["iyy"], i["iyz"]], [i["ixz"], i["iyz"], i["izz"]]]
                J = product(R, product(J, transposed(R)))
            self.steps.append((joint.get("type"), *origin_of(joint), axis, mass, centre, J))

    def torques(self, q, v, a, gravity=(0, 0, -9.81)):
        """What the joints must exert for the accelerations a; all vectors in world axes."""
        R, p = [[1.0, 0, 0], [0, 1, 0], [0, 0, 1]], [0.0] * 3
        omega, alpha, acceleration = [0.0] * 3, [0.0] * 3, scaled(-1, gravity)
        bodies, k = [], 0
        for kind, turn, offset, axis, mass, centre, J in self.steps:
            arm = times(R, offset)
            acceleration = add(acceleration, add(cross(alpha, arm), cross(omega, cross(omega, arm))))
            p, R = add(p, arm), product(R, turn)
            n = times(R, axis)
            if kind != "fixed":
                alpha = add(alpha, add(scaled(a[k], n), scaled(v[k], cross(omega, n))))
                omega = add(omega, scaled(v[k], n))
                R = product(R, about(axis, q[k]))
                k += 1
            c = times(R, centre)
            force = scaled(mass, add(acceleration, add(cross(alpha, c), cross(omega, cross(omega, c)))))
            world = product(R, product(J, transposed(R)))
            moment = add(times(world, alpha), cross(omega, times(world, omega)))
            bodies.append((kind, p, n, add(p, c), force, moment))
        out, force, moment, point = [], [0.0] * 3, [0.0] * 3, [0.0] * 3
        for kind, p, n, centre, own, own_moment in reversed(bodies):
            moment = add(moment, add(cross(add(point, scaled(-1, p)), force),
                                     add(own_moment, cross(add(centre, scaled(-1, p)), own))))
            force, point = add(force, own), p
            if kind != "fixed":
                out.append(dot(n, moment))
        return out[::-1]

    def accelerations(self, q, v):
        n = len(q)
        bias = self.torques(q, v, [0.0] * n)
        columns = [self.torques(q, [0.0] * n, [float(i == k) for i in range(n)], (0, 0, 0)) for k in range(n)]
        return solved(transposed(columns), scaled(-1, bias))


tests = []


def test(function):
    tests.append(function)
    return function


# ---- robots


@test
def a_serial_arm_moves_as_newton_and_euler_say():
    joints = ["shoulder_pan", "shoulder_lift", "elbow", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"]
    more = "".join(f"output p{i} = angle({j})\noutput v{i} = angle({j})'\noutput a{i} = angle({j})''\n"
                   for i, j in enumerate(joints))
    summary, samples = simulated(imported("arm", more=more), "--every", "0.05", "--tolerance", "1e-11")
    assert summary["degrees_of_freedom"] == 6 and summary["coordinates"] == 42, summary
    assert summary["energy"]["worst_relative_drift"] < 1e-9, summary["energy"]
    chain = Chain(robots / "arm.urdf")
    assert len(samples) == 21
    for i, start in enumerate([0, 0, 1.6, 0, 0, 0]):
        close(samples[0][f"p{i}"], start, 1e-12, f"start of {joints[i]}")
    for s in samples:
        q = [s[f"p{i}"] for i in range(6)]
        wanted = chain.accelerations(q, [s[f"v{i}"] for i in range(6)])
        size = max(map(abs, wanted))
        for i, joint in enumerate(joints):
            close(s[f"a{i}"], wanted[i], 1e-9 * size, f"acceleration of {joint} at t = {s['t']}")


@test
def a_loop_is_closed_beside_the_robot():
    path = imported("five-bar", "--loops", robots / "five-bar.loops",
                    more="output a = angle(A)\noutput e = angle(E)\noutput c = angle(C)\n"
                         "expect always norm(point(left_rod, (0.15, 0, 0.075)) - point(right_rod, (-0.15, 0, 0.075))) < 1e-8\n")
    summary, samples = simulated(path, "--every", "0.05", "--tolerance", "1e-10")
    assert summary["degrees_of_freedom"] == 2, summary
    assert summary["redundant"], "three of the rows of a planar loop in space are redundant"
    # the same in the plane of x and z, where angles count the other way round
    flat = scratch / "flat.tram"
    flat.write_text("""gravity (0, -9.81)
body2 left: mass = 0.5, inertia = 0.0026, at = (0, 0.125)
body2 left_rod: mass = 0.4, inertia = 0.0038, at = (0.15, 0.325)
body2 right: mass = 0.5, inertia = 0.0026, at = (0.6, 0.125)
body2 right_rod: mass = 0.4, inertia = 0.0038, at = (0.45, 0.325)
joint A: revolute(ground, left, at = (0, 0))
joint B: revolute(left, left_rod, at = (0, 0.25))
joint E (damping = 0.02): revolute(ground, right, at = (0.6, 0))
joint D: revolute(right, right_rod, at = (0.6, 0.25))
joint C: revolute(left_rod, right_rod, at = (0.3, 0.4))
output a = -angle(A)
output e = -angle(E)
output c = -angle(C)
simulate until 1
""")
    for here, there in zip(samples, simulated(flat, "--every", "0.05", "--tolerance", "1e-10")[1]):
        for name in "ace":
            close(here[name], there[name], 1e-7, f"{name} at t = {here['t']}")
    assert abs(samples[-1]["a"]) > 0.1, "nothing moved"


@test
def a_mimic_is_a_gear_a_rack_or_a_constraint():
    more = ("output s = displacement(slide)''\noutput d = displacement(open)''\n"
            "expect always abs(displacement(open2) - 0.005 - 0.5*displacement(open)) < 1e-9\n"
            "expect always abs(angle(turn2) - 0.25 + 30*displacement(open)) < 1e-8\n"
            "expect always abs(displacement(push) - 0.0025 + 0.3*displacement(open)) < 1e-9\n")
    path = imported("gripper", more=more)
    for piece in ("angle(turn2) = 0.25 + 1.5*angle(turn)", "rack(turn2, push, radius = 0.01)",
                  "displacement(open2) = 0.005 + 0.5*displacement(open)", "angle(turn) = -20*displacement(open)",
                  "(damping = 3)", "finger_left is 'finger.left'", "starts at 0.03", "open2 may go from 0 to 0.05, and starts at 0.02",
                  "initial displacement(open) = 0.03"):
        assert piece in path.read_text(), piece
    summary, samples = simulated(path, "--until", "0.1")
    assert summary["degrees_of_freedom"] == 2, summary
    # T = m/2 s'^2 + p s' d' + r/2 d'^2 with the axis n of the slide, and a of what opens, in units of d
    h = math.sqrt(0.5)
    n = [h, 0, -h]
    parts = [(0.1, [0, h, -h]), (0.2, [0, -0.5, 0]), (0.07, [-0.3, 0, 0])]
    m = 0.8 + 0.1 + 0.2 + 0.05 + 0.05 + 0.07
    p = sum(mass * dot(n, a) for mass, a in parts)
    r = sum(mass * dot(a, a) for mass, a in parts) + 3e-6 * 20 ** 2 + 2e-6 * 30 ** 2
    s, d = solved([[m, p], [p, r]], [9.81 * h * m, 9.81 * sum(-mass * a[2] for mass, a in parts)])
    close(samples[0]["s"], s, 1e-9 * abs(s), "acceleration of the slide")
    close(samples[0]["d"], d, 1e-9 * abs(d), "acceleration of the fingers")


@test
def a_floating_base_and_a_plane():
    path = imported("floating", more="initial body.y' ~ 0.3, body.q3' ~ 0.4, arm.q1' ~ 0.8, puck.q3' ~ 0.5, puck.x' ~ 0.2\n")
    summary, samples = simulated(path, "--every", "0.1", "--tolerance", "1e-11")
    assert summary["degrees_of_freedom"] == 6 + 2 + 3, summary
    assert summary["energy"]["worst_relative_drift"] < 1e-9, summary["energy"]
    inertia = {"body": [[0.2, 0.01, 0], [0.01, 0.3, 0], [0, 0, 0.25]], "arm": [[0.03, 0, 0], [0, 0.03, 0], [0, 0, 0.002]]}
    masses = {"body": 5.0, "arm": 1.0}

    def momenta(s):
        position = {b: [s[f"{b}.{c}"] for c in "xyz"] for b in masses}
        velocity = {b: [s[f"{b}.{c}'"] for c in "xyz"] for b in masses}
        centre = scaled(1 / 6, add(scaled(5, position["body"]), position["arm"]))
        linear, angular = [0.0] * 3, [0.0] * 3
        for b, mass in masses.items():
            q, v = ([s[f"{b}.q{i}{prime}"] for i in range(4)] for prime in ("", "'"))
            omega = scaled(2, add(add(scaled(q[0], v[1:]), scaled(-v[0], q[1:])), scaled(-1, cross(q[1:], v[1:]))))
            p = scaled(mass, velocity[b])
            linear = add(linear, p)
            angular = add(angular, add(cross(add(position[b], scaled(-1, centre)), p),
                                       times(of_quaternion(q), times(inertia[b], omega))))
        return centre, linear, angular

    centre0, linear0, angular0 = momenta(samples[0])
    assert dot(angular0, angular0) > 0.01, "nothing turns"
    for s in samples:
        centre, linear, angular = momenta(s)
        fallen = add(centre0, add(scaled(s["t"] / 6, linear0), [0, 0, -9.81 * s["t"] ** 2 / 2]))
        for i in range(3):
            close(centre[i], fallen[i], 1e-9, f"centre of mass at t = {s['t']}")
            close(angular[i], angular0[i], 1e-9, f"angular momentum at t = {s['t']}")
        down, start, slope = s["puck.y"], samples[0], math.sin(0.3)
        slid = start["puck.y"] + start["puck.y'"] * s["t"] - 9.81 * slope * math.cos(0.3) * s["t"] ** 2 / 2
        close(down, slid, 1e-9, f"puck at t = {s['t']}")


def written(text, name, more=""):
    path = scratch / name
    path.write_text(text)
    model = scratch / "written.tram"
    model.write_text(trammel("import", path, "-o", "-").out + more)
    return model


@test
def friction_is_of_one_size_whatever_the_load():
    """Sliders that fall against a friction f: g - f/m, or nothing; and a spring that turns back by 2f/k less each time."""
    sliders = "".join(f'<link name="b{f}">{INERTIAL % (2, 1)}</link><joint name="j{f}" type="prismatic"><parent link="base"/>'
                      f'<child link="b{f}"/><axis xyz="0 0 -1"/><dynamics friction="{f}"/></joint>' for f in (5, 19, 20))
    _, samples = simulated(written(f'<robot name="r"><link name="base"/>{sliders}</robot>', "sliders.urdf"))
    for s in samples:
        for f in (5, 19, 20):
            close(s[f"displacement(j{f})"], max(0, 9.81 - f / 2) * s["t"] ** 2 / 2, 1e-9, f"{f} at t = {s['t']}")
    k, f, J = 4, 0.6, 0.1
    hinge = f"""<mujoco><compiler angle="radian"/><worldbody><body><joint name="j" stiffness="{k}" springref="1" frictionloss="{f}"/>
        <inertial pos="0 0 0" mass="1" diaginertia="{J} {J} {J}"/></body></worldbody></mujoco>"""
    _, samples = simulated(written(hinge, "hinge.xml"), "--until", "2")
    half = math.pi * math.sqrt(J / k)
    for s in samples:
        passed = min(int(s["t"] / half), 3)  # -1, 0.7, -0.4, 0.1 from its rest: there it sticks
        start = (-1) ** (passed + 1) * (1 - 2 * passed * f / k)
        middle = 0 if passed == 3 else math.copysign(f / k, start)
        wanted = start if passed == 3 else middle + (start - middle) * math.cos(math.sqrt(k / J) * (s["t"] - passed * half))
        close(s["angle(j)"], 1 + wanted, 1e-7, f"spring at t = {s['t']}")


@test
def rotors_screws_and_lifts():
    """An armature adds to the inertia; a screw falls with g m/(m + J/p^2); what gravity does not reach stays."""
    arms = """<mujoco><worldbody><body pos="0 0 1"><joint name="j" axis="0 1 0" armature="0.3"/>
        <inertial pos="1 0 0" mass="2" diaginertia="0.1 0.1 0.1"/></body></worldbody></mujoco>"""
    _, samples = simulated(written(arms, "rotor.xml", "output a = angle(j)''\n"))
    close(samples[0]["a"], 9.81 * 2 / (2 + 0.1 + 0.3), 1e-12, "armature")
    inertial = "<inertial><mass>3</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.2</izz></inertia></inertial>"
    screw = f"""<sdf version="1.11"><model name="m"><link name="nut">{inertial}</link><link name="kite"><gravity>false</gravity>{inertial}
        </link><joint name="s" type="screw"><parent>world</parent><child>nut</child><screw_thread_pitch>0.5</screw_thread_pitch>
        <axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"""
    _, samples = simulated(written(screw, "screw.sdf"))
    p = 0.5 / (2 * math.pi)
    for s in samples:
        close(s["nut.z"], -9.8 * 3 / (3 + 0.2 / p**2) * s["t"] ** 2 / 2, 1e-9, "screw")
        close(s["angle(s)"], s["nut.z"] / p, 1e-8, "thread")
        close(s["kite.z"], 0, 1e-9, "kite")


@test
def the_base_can_be_let_go():
    path = imported("arm", "--free-base")
    text = path.read_text()
    assert "body base_link:" in text and "ground" not in text.replace("the ground:", "")
    assert json.loads(trammel("check", path, "--json").out)["degrees_of_freedom"] == 12
    gripper = robots.parents[2] / "models" / "mechanisms" / "gripper.sdf"
    trammel("import", gripper, "--free-base", "-o", "-", err="warning: --free-base changes nothing: this file says itself what is free")


@test
def fixed_joints_join_bodies():
    text = imported("arm").read_text()
    assert "param wrist_3_mass = 0.1879 + 0.6\n" in text and "body tool" not in text
    assert "'tool' is one body with it" in text and "let tool0 = point(wrist_3, " in text
    assert "upper_arm is 'upper-arm' in the file" in text


@test
def accelerations_are_those_of_mujoco():
    """What MuJoCo said of the same states is kept; test/soak/mujoco.sh asks it anew."""
    clone = robots.parents[2]
    for name, kept in json.loads((clone / "test" / "import" / "mujoco.json").read_text()).items():
        path = scratch / "mujoco.tram"
        path.write_text(trammel("import", clone / name, "-o", "-").out + kept["outputs"])
        _, samples = simulated(path, "--every", "0.05")
        size = max(abs(x) for wanted in kept["samples"] for x in wanted.values())
        for wanted in kept["samples"]:
            found = next(s for s in samples if abs(s["t"] - wanted["t"]) < 1e-9)
            for column, value in wanted.items():
                close(found[column], value, 1e-6 * size, f"{name}: {column} at t = {wanted['t']}")


@test
def the_shipped_models_are_what_import_writes():
    folder = robots.parents[2] / "models" / "mechanisms"
    for name in ("robot.urdf", "gripper.sdf", "linkage.xml"):
        stem = name.split(".")[0]
        made = trammel("import", folder / name, "--loops", folder / f"{stem}.loops", "-o", "-").out
        assert made == (folder / f"{stem}.tram").read_text(), f"trammel import {name} --loops {stem}.loops -o {stem}.tram"


# ---- what is told


def urdf(body, name="r.urdf"):
    path = scratch / name
    path.write_bytes(body if isinstance(body, bytes) else body.encode())
    return path


INERTIAL = ('<inertial><mass value="%s"/>'
            '<inertia ixx="%s" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>')
GOOD = INERTIAL % (1, 1)


def robot(inertial=GOOD, kind="continuous", joint="", more=""):
    return (f'<robot name="r">\n<link name="a"/>\n<link name="b">{inertial}</link>\n'
            f'<joint name="j" type="{kind}">\n<parent link="a"/><child link="b"/>{joint}</joint>\n{more}</robot>')


def fixed(name, parent, child):
    return f'<joint name="{name}" type="fixed"><parent link="{parent}"/><child link="{child}"/></joint>'


@test
def what_is_left_out_is_told_once_with_its_line():
    outcome = trammel("import", robots / "arm.urdf", "-o", "x.tram", out="wrote x.tram")
    for line, piece in {5: "<material>", 17: "<collision>", 66: "<limit>", 96: "<safety_controller>",
                        106: "<transmission>", 107: "<gazebo>"}.items():
        assert re.search(rf"arm\.urdf:{line}:\d+: warning: {piece} is not", outcome.err), (piece, outcome)
        assert outcome.err.count(f"warning: {piece}") == 1, (piece, outcome)
    trammel("import", robots / "arm.urdf", "-o", "x.tram", "--quiet", out="", err="")
    for joint, piece in {"<calibration/>": "<calibration>", "<mine/>": "<mine>"}.items():
        trammel("import", urdf(robot(joint=joint)), "-o", "-", err=piece)
    outcome = trammel("import", urdf(robot(more="".join(f"<x{i}/>" for i in range(40000)))), "-o", "-")
    assert outcome.err.count("warning") == 16 and "<x15> and 39984 more kinds" in outcome.err, outcome
    trammel("import", urdf(robot(inertial="")), "-o", "-", err="without mass, but able to move: 'b'")


@test
def errors_say_where_and_what():
    wrong = {
        robot(INERTIAL % ("nan", 1)): '3:32: error: value is no number: "nan"',
        robot(INERTIAL % ("inf", 1)): '3:32: error: value is no number: "inf"',
        robot(INERTIAL % ("0x10", 1)): "is no number",
        robot(INERTIAL % ("1 2", 1)): "is no number",
        robot(INERTIAL % ("1e400", 1)): "3:32: error: value is too large",
        robot(INERTIAL % ("1e31", 1)): "is too large",
        robot(INERTIAL % (-1, 1)): "3:32: error: a mass cannot be negative",
        robot(INERTIAL % (1, 3)): "none of them can be larger than the other two together",
        robot(INERTIAL % (1, -0.5)): "none of them can be negative",
        robot("<inertial/>"): "3:17: error: <inertial> needs <mass",
        robot(kind="revolut"): "did you mean 'revolute'?",
        robot(kind="ball"): "there are revolute, continuous",
        robot(joint='<axis xyz="0 0 0"/>'): "5:37: error: the axis of a joint cannot be zero",
        robot(joint='<axis xyz="0 0"/>'): "xyz is not 3 numbers",
        robot(joint='<origin xyz="${d} 0 0"/>'): "xacro FILE > robot.urdf",
        robot(joint="<origin/><origin/>"): "<origin> is given twice",
        robot(joint='<mimic joint="k"/>'): "there is no joint 'k' to mimic",
        robot(joint='<mimic joint="j"/>'): "'j' mimics itself",
        robot(joint='<mimic joint="k"/>', more='<link name="c"/>' + fixed("k", "a", "c")): "has no position to mimic",
        robot(kind="revolute", joint='<limit lower="2" upper="1"/>'): "the lower limit 2 is above the upper one, 1",
        robot(joint='<dynamics damping="-1"/>'): "a damping cannot be negative",
        robot(more='<link name="a"/>'): "6:7: error: there are two <link> of the name 'a'",
        robot(more=fixed("j", "a", "b")): "there are two <joint> of the name 'j'",
        robot(more=fixed("k", "a", "b")): "'b' is the child of two joints",
        robot(more=fixed("k", "a", "bb")): "there is no link 'bb'",
        robot(more='<joint name="k" type="fixed"/>'): "<joint> needs <parent",
        robot(more='<link name="c"/>'): "no joint leads to 'c', nor to 'a'",
        robot(more='<link name="c"/><link name="d"/>' + fixed("k", "c", "d") + fixed("l", "d", "c")): "'c' hangs on itself",
        '<robot><link name="b"/>' + fixed("j", "b", "b") + "</robot>": "connects 'b' with itself",
        '<robot><link name="b"/></robot>': "--free-base lets go of the base",
        '<robot name="r"/>': "this robot has no <link>",
        "<robot><link/></robot>": 'error: <link> needs name="..."',
        "<urdf/>": "a robot description begins with <robot>, <sdf> or <mujoco>, not <urdf>",
        '<robot xmlns:xacro="http://ros.org/wiki/xacro"><xacro:property/></robot>': "xacro FILE > robot.urdf",
        "<robot>\n  <link>\n</robot>": "3:9: error: this is not well-formed XML",
        '<robot>\n<link name="a"': "the file ends here: is it whole?",
        "<robot>&foo;</robot>": "this is not well-formed XML",
        "hello": "this is not well-formed XML",
        " \n": "is empty", "": "is empty",
        b"<robot name='\xe9'/>": "1:14: error: a byte with code 233, which is no UTF-8 text",
    }
    for text, piece in wrong.items():
        outcome = trammel("import", urdf(text), "-o", "out.tram", code=2, out="", err=piece)
        assert not (scratch / "out.tram").exists(), text
        assert "r.urdf" in outcome.err, outcome


@test
def nothing_in_the_model_that_a_terminal_would_obey():
    evil = "&#x9b;31m&#x85;&#x7f;&#x202e;&#x2066;&#x2028;&#9;&#10;"
    path = urdf(robot().replace('name="r"', f'name="r{evil}"').replace('"a"', f'"a{evil}"').replace('"j"', f'"j{evil}"'))
    loops = scratch / "evil.loops"
    loops.write_bytes(b"\xef\xbb\xbf# \033[2J\xc2\x9b31m\xff\r half a line\r\n\tparam\tlate = 1\r\n"
                      b'plot "\033]0;owned\007": late\r\n')
    text = trammel("import", path, "--loops", loops, "-o", "-").out
    bad = [c for c in text if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 or c in "\u2028\u202e\u2066\ufeff\ufffd"]
    assert not bad and 'title "r?31m??????' in text and "# ?[2J?31m?  half a line\n\tparam\tlate = 1\nplot " in text, (bad, text)
    made = scratch / "evil.tram"
    made.write_text(text)
    trammel("check", made)


@test
def hostile_files_are_refused():
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    doctype = "a DOCTYPE is not read"
    (scratch / "secret").write_text("a secret")
    for text, piece in {
        f'<!DOCTYPE r [<!ENTITY l0 "ha">{laughs}]>\n<robot name="&l9;"/>': doctype,
        f'<!DOCTYPE r [<!ENTITY s SYSTEM "{scratch}/secret">]>\n<robot name="&s;"><link name="a">&s;</link></robot>': doctype,
        '<!DOCTYPE r SYSTEM "http://localhost:1/r.dtd"><robot/>': doctype,
        '<!-- a comment --><!DOCTYPE r [<!ENTITY % p SYSTEM "secret"> %p;]><robot/>': doctype,
        "<robot>" + "<a>" * 100000 + "</a>" * 100000 + "</robot>": "elements are nested too deeply",
        "<robot>" + "<a>" * 100000: "elements are nested too deeply",
        '<robot name="' + "x" * (11 << 20) + '"/>': "error: ",
        "<robot" + "".join(f' a{i}="1"' for i in range(300000)) + "><link/></robot>": "this tag has more than 1000 attributes",
        "<robot" + "".join(f' a{i}="1"' for i in range(1000)) + "><link/></robot>": "<link> needs name",
        "<robot>" + "<a/>" * 300000 + "</robot>": "(300000 times; the first is here)",
    }.items():
        outcome = trammel("import", urdf(text), "-o", "out.tram", code=2, out="", err=piece)
        assert "a secret" not in outcome.err and len(outcome.err) < 20000, outcome
    trammel("import", urdf(b"\x00\x01\x7fELF"), "-o", "out.tram", code=4, err="zero bytes")
    trammel("import", urdf('<robot name="r"/>'.encode("utf-16")), "-o", "out.tram", code=4, err="zero bytes")
    trammel("import", urdf("<robot>" + " " * (17 << 20) + "</robot>"), "-o", "out.tram", code=4, err="larger than")
    trammel("import", urdf(bytes(i * 37 % 255 + 1 for i in range(4000))), "-o", "out.tram", code=2, err="UTF-8")
    trammel("import", "nowhere.urdf", code=4, err="there is no such file")
    trammel("import", scratch, code=4, err="it is a folder")
    # a robot cut off anywhere is wrong, and never breaks anything
    mechanisms = robots.parents[2] / "models" / "mechanisms"
    for path in (robots / "gripper.urdf", mechanisms / "gripper.sdf", mechanisms / "linkage.xml"):
        whole = path.read_bytes()
        for length in range(0, len(whole) - 12, 137):
            trammel("import", urdf(whole[:length]), "-o", "out.tram", code=2)
    assert not (scratch / "out.tram").exists()


@test
def no_name_breaks_the_model():
    names = ["t", "pi", "energy", "ground", "if", "7", "a b", "a-b", "a_b", "&#10;expect finally 1 &gt; 2", "&quot;", "é", "", "in",
             "body", "angle", "g", "x.y"]
    links = "".join(f'<link name="{n}">{GOOD}</link>' for n in names if n)
    joints = "".join(f'<joint name="{n}" type="continuous"><parent link="root"/><child link="{n}"/></joint>' for n in names if n)
    path = urdf(f'<robot name="&quot;&#10;simulate until 9"><link name="root"/>{links}{joints}</robot>')
    trammel("import", path, "-o", "names.tram", err="")
    run_all(len(names) - 1)
    names = [n for n in names if n]
    bodies = "".join(f'<body name="{n}"><joint name="{n}"/><geom size="1"/></body>' for n in names)
    path = urdf(f'<mujoco model="&quot;&#10;simulate until 9"><worldbody>{bodies}</worldbody></mujoco>')
    trammel("import", path, "-o", "names.tram")
    run_all(len(names))
    links = "".join(f'<link name="{n}"/><joint name="{n}" type="revolute"><parent>world</parent><child>{n}</child></joint>'
                    for n in names if n[0] not in "&7a")
    path = urdf(f'<sdf><model name="&quot;&#10;simulate until 9">{links}</model></sdf>')
    trammel("import", path, "-o", "names.tram")
    run_all(len([n for n in names if n[0] not in "&7a"]))


def run_all(freedoms):
    summary = json.loads(trammel("run", "names.tram", "--json", err="").out)
    assert summary["degrees_of_freedom"] == freedoms and summary["time"]["end"] == 1, summary


@test
def large_robots_take_little_time():
    count = 3000
    chain = "".join(f'<link name="l{i}">{GOOD}</link>' for i in range(count)) + "".join(
        f'<joint name="j{i}" type="continuous"><parent link="l{i}"/><child link="l{i + 1}"/>'
        f'<mimic joint="j{(i + 1) % (count - 1)}"/></joint>' for i in range(count - 1))
    trammel("import", urdf(f"<robot>{chain}</robot>"), "-o", "x.tram", code=2, err="mimics itself")
    same = "".join(f'<link name="{chr(0x100 + i)}">{GOOD}</link>'
                   f'<joint name="j{i}" type="floating"><parent link="root"/><child link="{chr(0x100 + i)}"/></joint>'
                   for i in range(count))
    trammel("import", urdf(f'<robot><link name="root"/>{same}</robot>'), "-o", "x.tram", err="")
    # each frame is seen from the next one, or attached to it; and many classes of defaults
    frames = "".join(f'<frame name="f{i}" attached_to="f{i + 1}"/>' for i in range(count))
    trammel("import", urdf(f'<sdf><model name="m"><link name="f{count}"/>{frames}</model></sdf>'), "-o", "x.tram")
    classes = "".join(f'<default class="c{i}"><joint damping="1"/></default>' for i in range(count))
    bodies = "".join(f'<body><joint class="c{i}"/><geom size="1"/></body>' for i in range(count))
    trammel("import", urdf(f"<mujoco><default>{classes}</default><worldbody>{bodies}</worldbody></mujoco>"), "-o", "x.tram")


# ---- where it goes


@test
def nothing_is_overwritten_that_was_not_named():
    path = urdf(robot(), "some.robot.urdf")
    trammel("import", path, out="some.robot.tram; try: trammel run", err="")
    made = scratch / "some.robot.tram"
    first = made.read_text()
    made.write_text("# mine\n")
    trammel("import", path, code=4, out="", err="is there already; to overwrite it write: -o ")
    assert made.read_text() == "# mine\n"
    trammel("import", path, "-o", made)
    assert made.read_text() == first
    trammel("import", path, "-o", path, code=2, err="is what the model is made from")
    assert path.read_text() == robot()
    assert trammel("import", path, "-o", "-").out == first
    trammel("import", path, "-o", "no/such/folder/x.tram", code=4, err="cannot write")
    trammel("import", path, "-o", "/dev/full", code=4, err="cannot write")
    trammel("import", code=2, err="needs a file")
    trammel("import", path, "--json", code=2, err="is no option of")
    trammel("run", made, "--loops", "x", code=2, err="is no option of")
    trammel("run", made, "--quiet")


@test
def errors_in_loops_are_shown_in_their_file():
    loops = scratch / "wrong.loops"
    loops.write_text("# two lines\njoint C: revolute(left_rod, right_rood, at = (0.3, 0, 0.4), axis = (0, 1, 0))\n")
    trammel("import", robots / "five-bar.urdf", "--loops", loops, "-o", "y.tram", code=2, err="wrong.loops:2:29: error: ")
    assert not (scratch / "y.tram").exists()
    trammel("import", robots / "five-bar.urdf", "--loops", "nowhere.loops", "-o", "y.tram", code=4, err="nowhere.loops")


@test
def without_libxml2_it_says_so():
    folder = scratch / "broken"
    folder.mkdir()
    for name in ("libxml2.so.2", "libxml2.so.16"):
        (folder / name).write_text("not a library")
    done = subprocess.run([program, "import", str(robots / "arm.urdf"), "-o", "-"], capture_output=True, text=True,
                          env={**os.environ, "LD_LIBRARY_PATH": str(folder)})
    assert done.returncode == 2 and done.stdout == "", done
    assert "import needs libxml2, which cannot be loaded" in done.stderr, done


def main():
    failed = 0
    if "libxml2" not in trammel("--version").out:
        print("left out: there is no libxml2")
        return 0
    only = sys.argv[1:]
    for function in tests:
        if only and function.__name__ not in only:
            continue
        try:
            function()
        except Exception:
            failed += 1
            print(f"FAILED {function.__name__}\n{traceback.format_exc()}")
    print(f"{len(tests) - failed} passed, {failed} failed")
    shutil.rmtree(scratch)
    return 1 if failed else 0


sys.exit(main())
