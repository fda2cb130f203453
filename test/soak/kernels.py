"""Every shipped model by every integrator: each kernel that this machine has, and each program, give the same samples.

kernels.py PROGRAM...    programs of several compilers; samples are compared as bytes, with --exact
A run may end with code 0, or 1 where a claim is for the default integrator; residuals must be within what is allowed.
Surroundings: SOURCE_DIR, the clone.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

models = sorted(pathlib.Path(os.environ["SOURCE_DIR"], "models").rglob("*.tram"))
programs = sys.argv[1:]
INTEGRATORS = ("rk8", "rk5", "bdf", "adams")
KERNELS = ("tape", "scalar", "avx2", "avx512")


def kernels_of(program):
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    return said.split("kernels: ")[1].split(";")[0].split(", ")


def run(program, kernel, path, integrator):
    """(what was wrong, or None; digest of the samples)"""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "samples.csv")
        done = subprocess.run([program, "run", path, "--exact", "--json", "--integrator", integrator, "-o", out],
                              capture_output=True, text=True, env={**os.environ, "TRAMMEL_KERNEL": kernel})
        if done.returncode not in (0, 1):
            return f"exit code {done.returncode}: {done.stderr.strip()[:300]}", None
        rows = json.loads(done.stdout)["residual"]
        wrong = [f"{name} is off by {r['worst']}" for name, r in rows.items()
                 if r["allowed"] is not None and r["worst"] > r["allowed"]]
        return "; ".join(wrong) or None, hashlib.sha256(out.read_bytes()).hexdigest()


def compare(path, integrator):
    """Lines that tell what is wrong."""
    answers = {}
    for program in programs:
        for kernel in kernels_of(program):
            answers[f"{program} {kernel}"] = run(program, kernel, path, integrator)
    if len(set(answers.values())) > 1:
        return [f"{path.stem} {integrator}: {who}: {answer}" for who, answer in answers.items()]
    return [f"{path.stem} {integrator}: {wrong}" for wrong, _ in list(answers.values())[:1] if wrong]


missing = [k for k in KERNELS if k not in kernels_of(programs[0])]
if missing:
    print(f"  not on this machine: {', '.join(missing)}")
cases = [(path, integrator) for path in models for integrator in INTEGRATORS]
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    wrong = [line for lines in pool.map(lambda case: compare(*case), cases) for line in lines]
print("".join(f"  {line}\n" for line in wrong), end="")
print(f"  {len(cases)} models by integrators, {len(programs)} programs, {len(wrong)} lines of complaint")
sys.exit(bool(wrong))
