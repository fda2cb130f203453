"""Systems of six thousand coordinates by bdf: against a closed form, and against rk8.

Surroundings: TRAMMEL, the program; SOURCE_DIR, the clone. Prints "N passed, M failed", exit code 1 on failure.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile

from suite import run_all, test

program, source = os.environ["TRAMMEL"], os.environ["SOURCE_DIR"]
folder = tempfile.mkdtemp()

# masses in a row between two walls, with stiff springs and dampers: one mode of it; a third row repeats two
ROD = """
param N = 6000, k = 1e8, c = 1e5, a = pi/(N + 1), w = 2*sin(a/2)
param d = c*w^2/2, o = sqrt(k*w^2 - d^2)
coord x[0..N+1]
for i in 0..N+1 {
    initial x[i] = sin(i*a), x[i]' = 0
    kinetic x[i]'^2/2
}
constraint left: x[0] = 0
constraint right: x[N+1] = 0
constraint both: x[0] = x[N+1]
for i in 0..N {
    potential k*(x[i+1] - x[i])^2/2
    dissipation c*(x[i+1]' - x[i]')^2/2
}
simulate until 0.1, tolerance 1e-8
let mode = exp(-d*t)*(cos(o*t) + d/o*sin(o*t))
expect always abs(x[1000] - sin(1000*a)*mode) < 1e-6
expect always abs(x[3000] - sin(3000*a)*mode) < 1e-6
"""


def run(*arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True)


@test
def stiff_rod():
    path = os.path.join(folder, "rod.tram")
    with open(path, "w") as f:
        f.write(ROD)
    done = run("run", path, "--integrator", "bdf", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    steps = json.loads(done.stdout)["steps"]
    assert steps < 200, steps # springs of 1e8 would ask an explicit method for a thousand and more


@test
def what_does_not_fit():
    """Said before anything is tried, with the size that would do."""
    chain = os.path.join(source, "bench/models/chain.tram")
    for study in "linearize", "equilibrium":
        done = run(study, chain, "--set", "N=5000")
        assert done.returncode == 2, done.returncode
        assert done.stderr == (
            f"error: 10000 coordinates with 5000 constraint rows are too many for {study}\n"
            "    some 4470 coordinates of this kind are not; the default formulation and rk8 have no such limit\n"
        ), done.stderr
    done = run("compare", chain, "--set", "N=5000")
    assert done.returncode == 2 and "compare takes" in done.stderr and "coordinates of this kind fit" in done.stderr, done.stderr


@test
def weights_do_not_fit():
    path = os.path.join(folder, "weights.tram")
    with open(path, "w") as f:
        f.write("coord x[1..6000]\nfor i in 1..6000: kinetic x[i]'^2/2\nconstraint c (weight = 2): x[1] = 0\nsimulate until 1\n")
    done = run("run", path)
    assert done.returncode == 2, done.returncode
    assert done.stderr == (
        "error: 6000 coordinates with 1 constraint rows are too many for constraints with weights\n"
        "    some 5470 coordinates of this kind are not\n"), done.stderr


def final(method, tolerance):
    path = os.path.join(folder, method + ".csv")
    done = run("run", os.path.join(source, "bench/models/chain.tram"), "--set", "N=3000", "--until", "0.2", "--every",
               "0.2", "--integrator", method, "--tolerance", tolerance, "-o", path)
    assert done.returncode == 0, done.stderr
    with open(path) as f:
        return list(csv.DictReader(f))[-1]


@test
def chain_as_by_rk8():
    """Off by some tolerances of its length, 3000, and by less where less is asked for."""
    right = final("rk8", "1e-10")
    off = []
    for tolerance in "1e-6", "1e-8":
        found = final("bdf", tolerance)
        off.append(max(abs(float(found[name]) - float(right[name])) for name in right if name.startswith(("x[", "y["))))
        assert off[-1] < 20*3000*float(tolerance), (tolerance, off[-1])
    assert off[1] < off[0]/5, off


sys.exit(run_all())
