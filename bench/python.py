#!/usr/bin/env python3
"""What calling Trammel from Python costs beside calling it from C, and its goals.

    bench/python.py [--build FOLDER] [--rounds N]

FOLDER (build) holds the program and the libraries; calls.c of bench/trammel is compiled into FOLDER/bench. Python and C take turns, and the least
time of each counts. Needs NumPy: the first Python that has it runs the whole. Prints one line for each goal, with what was
measured, whether it holds or not.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
MODEL = ROOT / "bench" / "models" / "double-pendulum.tram"
ARM = """param m = 1, c = 0.1
gravity (0, 0, -9.81)
body upper: mass = 2, shape = box(0.05, 0.05, 0.4), at = (0, 0, -0.2)
body fore: mass = m, shape = box(0.04, 0.04, 0.3), at = (0, 0, -0.55)
joint shoulder: revolute(ground, upper, at = (0, 0, 0), axis = (0, 1, 0))
joint elbow: revolute(upper, fore, at = (0, 0, -0.4), axis = (0, 1, 0))
initial angle(shoulder) = 1, angle(elbow) = 0.5
torque shoulder = -c*angle(shoulder)'
torque elbow = -c*angle(elbow)'
simulate until 1
"""


def python_with_numpy():
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode == 0:
            return python
    sys.exit("bench/python.py: no Python here has NumPy; Debian's package is python3-numpy")


def compile_calls(build):
    program = build / "bench" / "calls"
    program.parent.mkdir(exist_ok=True)
    subprocess.run(["cc", "-O2", f"-I{ROOT}/include", ROOT / "bench" / "trammel" / "calls.c", f"-L{build}", "-ltrammel",
                    f"-Wl,-rpath,{build}", "-o", program], check=True)
    return program


def installed(python, build):
    """A folder with the package compiled, as pip leaves it."""
    folder = build / "bench" / "python"
    shutil.copytree(ROOT / "python" / "trammel", folder / "trammel", ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    subprocess.run([python, "-m", "compileall", "-q", folder], check=True)
    return str(folder)


def least(function, times):
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - start)
    return best


def time_import(more):
    """Processor time of `import trammel`, in a process of its own, beside what Python itself takes."""
    code = f"import time; start = time.process_time(); import trammel{more}; print(time.process_time() - start)"
    return float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)


class Calls:
    """The same calls as in calls.c."""

    def __init__(self):
        import numpy
        import trammel
        self.model = trammel.Model.load(MODEL)
        self.system = self.model.compile()
        with self.model.session() as session:
            values, n = session.values, len(self.system.coordinates)
        self.q, self.v, self.out = values[1:n + 1].copy(), values[n + 1:2 * n + 1].copy(), (numpy.empty(n), None, None)
        self.many = numpy.tile(self.q, (1000, 1)), numpy.tile(self.v, (1000, 1)), (numpy.empty((1000, n)), None, None)
        self.arm = trammel.Model(ARM)

    def run(self):
        return least(lambda: self.model.run()["x1"], 1)

    def one(self):
        acceleration, q, v, out = self.system.acceleration, self.q, self.v, self.out

        def calls():
            for _ in range(1000):
                acceleration(0.0, q, v, out=out)
        return least(calls, 1) / 1000

    def any_arrays(self):
        """With arrays that are new each time"""
        acceleration, q, v = self.system.acceleration, self.q, self.v

        def calls():
            for _ in range(100):
                acceleration(0.0, q, v)
        return least(calls, 1) / 100

    def at_once(self):
        q, v, out = self.many
        return least(lambda: self.system.acceleration(0.0, q, v, out=out), 1)

    def sweep(self):
        def values():
            for k in range(200):
                self.arm.set(m=0.5 + 0.005 * k)
                self.arm.run(every=1)
        start = time.process_time()
        values()
        return time.process_time() - start


def measure(build, rounds):
    program, calls = compile_calls(build), Calls()
    names = ("run", "one", "any_arrays", "at_once")
    found = {name: float("inf") for name in names}
    by_c = {"run": float("inf"), "one": float("inf"), "many": float("inf")}
    for _ in range(rounds):
        for name, value in json.loads(subprocess.run([program, MODEL, "5"], check=True, capture_output=True, text=True).stdout).items():
            by_c[name] = min(by_c[name], value)
        for name in names:
            found[name] = min([found[name]] + [getattr(calls, name)() for _ in range(5)])
    found["import"] = min(time_import("") for _ in range(rounds))
    found["import_numpy"] = min(time_import(", numpy") for _ in range(rounds))
    found["sweep"] = min(calls.sweep() for _ in range(max(1, rounds // 3)))
    return found, by_c


def goals(found, by_c):
    """(what, value, bound, unit)"""
    yield "import", 1e3 * found["import"], 10, "ms"
    yield "import, and NumPy", 1e3 * found["import_numpy"], 60, "ms"
    yield f"run of {1e3 * by_c['run']:.2f} ms in C: more by", 1e3 * (found["run"] - by_c["run"]), 0.1, "ms"
    yield f"one acceleration, {1e6 * by_c['one']:.2f} us in C", 1e6 * found["one"], 1, "us"
    yield f"1000 accelerations, {1e6 * by_c['many']:.0f} us in C: times", found["at_once"] / by_c["many"], 1.2, ""
    yield "200 parameter values of an arm with two links", found["sweep"], 0.4, "s"


def main():
    reader = argparse.ArgumentParser()
    reader.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    reader.add_argument("--rounds", type=int, default=9)
    given = reader.parse_args()
    python = python_with_numpy()
    build = given.build.resolve()
    if "TRAMMEL_LIBRARY" not in os.environ or python != sys.executable:
        os.environ.update(PYTHONPATH=installed(python, build), TRAMMEL_LIBRARY=str(next(build.glob("libtrammel.so.[0-9].[0-9]"))))
        os.execv(python, [python, *sys.argv])
    found, by_c = measure(build, given.rounds)
    for what, value, bound, unit in goals(found, by_c):
        print(f"{'holds ' if value <= bound else 'MISSED'}  {what}: {value:.3g} {unit} (goal {bound:g})")
    print(f"        one acceleration with new arrays: {1e6 * found['any_arrays']:.3g} us")


if __name__ == "__main__":
    main()
