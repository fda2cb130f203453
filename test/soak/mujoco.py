"""Imported robots against MuJoCo. Each is imported and simulated; at some instants the positions and velocities of all
joints are given to MuJoCo, and its accelerations are held against those of the run. Those of the robots with loops are
what MuJoCo's matrices give for constraints that are held (mujoco.c), with J'v by differences.

Usage: mujoco.py PEER [--update]. With --update the instants are written to test/import/mujoco.json, which
test/scripts/import.py holds against without MuJoCo. Surroundings: TRAMMEL, the program; SOURCE_DIR, the clone.
"""
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

program, root = os.environ["TRAMMEL"], pathlib.Path(os.environ["SOURCE_DIR"])
FREE, BALL, SLIDE, HINGE = range(4)
KEPT = (0, 0.25, 0.6)

# file, and how far the accelerations may be off, relative to the largest
ROBOTS = {
    "test/import/robots/hinged.xml": 1e-11,
    "test/import/robots/arm.xml": 1e-11,
    "test/import/robots/geoms.xml": 1e-11,
    "test/import/robots/floating.xml": 1e-10,
    "test/import/robots/lumps.xml": 1e-6,  # MuJoCo finds principal axes to some eight digits
    "test/import/robots/arm.urdf": 1e-6,  # the same
    "models/mechanisms/linkage.xml": 1e-7,  # J'v by differences
}


def identifier(name):
    return re.sub(r"\W", "_", name)


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def product(a, b):
    v = cross(a[1:], b[1:])
    return [a[0] * b[0] - sum(x * y for x, y in zip(a[1:], b[1:]))] + [a[0] * b[i] + b[0] * a[i] + v[i - 1] for i in (1, 2, 3)]


def inverse(q):
    return [q[0], -q[1], -q[2], -q[3]]


class Joint:
    """One of MuJoCo's, and what the model has in its place."""

    def __init__(self, words):
        self.name, self.body, self.parent = identifier(words[0]), identifier(words[4]), identifier(words[5])
        self.type, self.qpos, self.qvel = map(int, words[1:4])
        self.centre, self.ref = [float(w) for w in words[6:9]], float(words[9])

    def outputs(self):
        if self.type in (HINGE, SLIDE):
            position = f"{'angle' if self.type == HINGE else 'displacement'}({self.name})"
            return f"output {self.name}_p = {position}\noutput {self.name}_v = {position}'\noutput {self.name}_a = {position}''\n"
        local = ", ".join(f"dot(vector({self.body}, ({i == 0:d}, {i == 1:d}, {i == 2:d})), {self.name}_turn)" for i in range(3))
        other = "" if self.parent == "ground" else f" - vector({self.parent}, omega({self.parent}))"
        lines = (f"let {self.name}_turn = vector({self.body}, omega({self.body})){other}\n"
                 f"let {self.name}_own = ({local})\noutput {self.name}_w = {self.name}_own\noutput {self.name}_dw = {self.name}_own'\n")
        if self.type == FREE:
            at = f"point({self.body}, ({', '.join(str(-c) for c in self.centre)}))"
            lines += f"output {self.name}_p = {at}\noutput {self.name}_v = {at}'\noutput {self.name}_a = {at}''\n"
        return lines

    def quaternion(self, sample, first):
        def of(body, s):
            return [1, 0, 0, 0] if body == "ground" else [s[f"{body}.q{i}"] for i in range(4)]

        now = of(self.body, sample)
        if self.type == FREE:
            return now
        at_start = product(inverse(of(self.parent, first)), of(self.body, first))
        return product(inverse(at_start), product(inverse(of(self.parent, sample)), now))

    def read(self, sample, first, q, v, a):
        def three(what):
            return [sample[f"{self.name}_{what}.{c}"] for c in "xyz"]

        if self.type in (HINGE, SLIDE):
            q[self.qpos] = sample[f"{self.name}_p"] + self.ref
            v[self.qvel], a[self.qvel] = sample[f"{self.name}_v"], sample[f"{self.name}_a"]
            return
        at = 3 if self.type == FREE else 0
        if at:
            q[self.qpos:self.qpos + 3], v[self.qvel:self.qvel + 3], a[self.qvel:self.qvel + 3] = three("p"), three("v"), three("a")
        q[self.qpos + at:self.qpos + at + 4] = self.quaternion(sample, first)
        v[self.qvel + at:self.qvel + at + 3], a[self.qvel + at:self.qvel + at + 3] = three("w"), three("dw")


def described(peer, path):
    lines = subprocess.run([peer, path], input="", capture_output=True, text=True, check=True).stdout.splitlines()
    return [int(n) for n in lines[0].split()], [Joint(line.split()) for line in lines[1:-1]]


def simulated(path, joints, folder):
    model, samples = folder / "model.tram", folder / "samples.csv"
    text = subprocess.run([program, "import", path, "-o", "-", "--quiet"], capture_output=True, text=True, check=True).stdout
    model.write_text(text + "".join(j.outputs() for j in joints))
    subprocess.run([program, "run", model, "--quiet", "--every", "0.05", "-o", samples], check=True)
    with open(samples, newline="") as file:
        return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]


def compared(peer, path, allowed, folder):
    """The worst difference over all instants, and those that are kept."""
    (nq, nv), joints = described(peer, path)
    samples, states, ours = simulated(path, joints, folder), [], []
    for s in samples:
        q, v, a = [0.0] * nq, [0.0] * nv, [0.0] * nv
        for j in joints:
            j.read(s, samples[0], q, v, a)
        states.append(" ".join(repr(x) for x in q + v))
        ours.append(a)
    said = subprocess.run([peer, path], input="\n".join(states), capture_output=True, text=True, check=True).stdout
    theirs = [[float(x) for x in line.split()] for line in said.split("end\n", 1)[1].splitlines()]
    assert len(theirs) == len(ours), said
    size = max(abs(x) for a in theirs for x in a)
    worst = max(abs(x - y) for a, b in zip(ours, theirs) for x, y in zip(a, b)) / size
    print(f"  {path.name}: {nv} degrees of freedom, {len(ours)} states, worst difference {worst:.1e} of {size:.3g}"
          f"{'' if worst <= allowed else f', and {allowed:g} is allowed'}")
    kept = [{"t": s["t"], **{name: b[j.qvel + i] for j in joints for i, name in enumerate(accelerations(j))}}
            for s, b in zip(samples, theirs) if any(abs(s["t"] - t) < 1e-9 for t in KEPT)]
    return worst <= allowed, {"outputs": "".join(j.outputs() for j in joints), "samples": kept}


def accelerations(j):
    """The names of a joint's accelerations, in MuJoCo's order."""
    if j.type in (HINGE, SLIDE):
        return [f"{j.name}_a"]
    return [f"{j.name}_{w}.{c}" for w in (["a"] if j.type == FREE else []) + ["dw"] for c in "xyz"]


def main():
    peer, update = pathlib.Path(sys.argv[1]).resolve(), "--update" in sys.argv
    fine, kept = True, {}
    with tempfile.TemporaryDirectory() as folder:
        for name, allowed in ROBOTS.items():
            ok, kept[name] = compared(peer, root / name, allowed, pathlib.Path(folder))
            fine &= ok
    if update and fine:
        (root / "test" / "import" / "mujoco.json").write_text(json.dumps(kept, indent=1) + "\n")
    return 0 if fine else 1


sys.exit(main())
