#!/usr/bin/env python3
"""Many runs of one model: trammel sweep beside one process after another, GNU parallel and a pool of SciPy's.

    bench/sweeps.py [--build FOLDER] [--cases N]

Double pendulums for 10 s, N (2000) of them by the sweep, fewer by what is slow, all told for one case. CPU time of all
processes besides, since a machine is rarely idle: ratios hold where seconds do not. Peers that are missing are skipped.
"""
import argparse
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
MODEL = """param L = 1, m = 1
coord x1, y1, x2, y2
initial x1 = L, y1 = 0, x2 = 2*L, y2 = 0
kinetic m/2*(x1'^2 + y1'^2) + m/2*(x2'^2 + y2'^2)
potential 9.81*m*(y1 + y2)
constraint upper: x1^2 + y1^2 = L^2
constraint lower: (x2 - x1)^2 + (y2 - y1)^2 = L^2
simulate until 10, every 10, tolerance 1e-6
"""
POOL = """
import multiprocessing, sys
import numpy
from scipy.integrate import solve_ivp

def run(L, g=9.81):
    def f(t, y):  # angles, with equal masses and lengths
        a, b, u, v = y
        c, s = numpy.cos(a - b), numpy.sin(a - b)
        p = -s*v*v - 2*g/L*numpy.sin(a)
        q = s*u*u - g/L*numpy.sin(b)
        return [u, v, (p - c*q)/(2 - c*c), (2*q - c*p)/(2 - c*c)]
    return solve_ivp(f, (0, 10), [numpy.pi/2, numpy.pi/2, 0, 0], method="DOP853", rtol=1e-6, atol=1e-6).y[0, -1]

if __name__ == "__main__":
    with multiprocessing.Pool() as pool:
        pool.map(run, numpy.linspace(0.5, 2, int(sys.argv[1])))
"""


def used():
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def measured(name, cases, *command, **more):
    begun, cpu = time.monotonic(), used()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **more)
    seconds, spent = time.monotonic() - begun, used() - cpu
    if done.returncode != 0:
        print(f"{name:34} failed: {done.stderr.decode()[-200:]}")
        return None
    print(f"{name:34} {1e3 * seconds / cases:9.3f} ms for each case {1e3 * spent / cases:9.3f} ms of processors ({cases} cases)")
    return seconds / cases, spent / cases


def python_with(*modules):
    for one in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([one, "-c", "import " + ", ".join(modules)], stderr=subprocess.DEVNULL).returncode == 0:
            return one
    return None


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--build", default=ROOT / "build", type=pathlib.Path)
    options.add_argument("--cases", default=2000, type=int)
    options = options.parse_args()
    program, few = (options.build / "trammel").resolve(), max(20, options.cases // 20)
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "m.tram").write_text(MODEL)
        pathlib.Path(folder, "pool.py").write_text(POOL)

        def sweep(name, *more, before=()):
            return measured(name, options.cases, *before, program, "sweep", "m.tram", f"--vary=L=0.5:2:{options.cases}", "--quiet", "--tidy", *more,
                            cwd=folder)
        one, all_of_them = sweep("sweep, 1 thread", "--threads", "1"), sweep("sweep, all processors")
        apart = sweep("sweep, 1 thread, one at a time", "--threads", "1", "--timeout", "1000")
        if one and apart:
            print(f"sweep: side by side in lanes {apart[1] / one[1]:.2f} times less processor time than one at a time (goal 4)")
        alone = measured("one process after another", few, "sh", "-c",
                         f"for i in $(seq {few}); do {program} run m.tram --set L=1.$i --quiet -o one.csv; done", cwd=folder)
        if one and all_of_them and alone:
            print(f"sweep: {alone[0] / all_of_them[0]:.1f} times faster than one process after another (goal 40); {one[0] / all_of_them[0]:.2f} "
                  f"times by {len(os.sched_getaffinity(0))} processors (goal 1.9 for two); processor time {alone[1] / all_of_them[1]:.1f} times less")
        if shutil.which("parallel"):
            measured("GNU parallel", few, "sh", "-c", f"seq {few} | parallel {program} run m.tram --set L=1.{{}} --quiet -o {{}}.csv", cwd=folder)
        else:
            print("GNU parallel is missing")
        python = python_with("numpy", "scipy")
        if python:
            measured("SciPy (DOP853, angles) in a pool", few, python, "pool.py", str(few), cwd=folder)
        else:
            print("SciPy is missing")
        processes = program.with_name("trammel-mpi")
        if processes.exists() and shutil.which("mpirun"):
            for n in (1, 2):
                measured(f"trammel-mpi, {n} process{'es' if n > 1 else ''} of 1 thread", options.cases, "mpirun", "--allow-run-as-root",
                         "--oversubscribe", "-n", str(n), processes, "sweep", "m.tram", f"--vary=L=0.5:2:{options.cases}", "--quiet", "--tidy",
                         "--threads", "1", cwd=folder)


if __name__ == "__main__":
    main()
