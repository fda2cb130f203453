"""Runs the papers' examples with every formulation: the end must be the default's.

Coordinates and velocities at the end may differ from the default's by 100 times the model's tolerance, relative
to 1 + |value|. Claims may be missed by 1e-8: their bounds are for the default, and a formulation that divides by
small numbers rounds worse (gibbs-appell, where its dependent coordinate is nearly free: 7e-10 in
002-rigid-body). A formulation may decline, with exit code 2 and a message that names those that apply, only
where the mass matrix is singular; which of them must decline then is known, too.

Surroundings: TRAMMEL, the program; SOURCE_DIR, the clone.
Prints "N passed, M failed", exit code 1 on failure.
"""
import json
import os
import pathlib
import subprocess
import sys

from shipped import SETTINGS
from suite import taken

program = os.environ["TRAMMEL"]
folder = pathlib.Path(os.environ["SOURCE_DIR"], "models", "papers")

ROOT_OF_MASS = ["fundamental", "inverse14", "gauss", "dalembert", "poincare"]  # need a mass matrix that is definite
ANY_MASS = ["gibbs-appell", "lagrange", "stacked", "auxiliary"]
MISSED = 1e-8  # a claim, by a formulation that is not the default


def ask(command, path, settings, *options):
    """Exit code, what --json prints or None, messages"""
    arguments = [program, command, "--json", str(path), *options]
    for setting in settings:
        arguments += ["--set", setting]
    done = subprocess.run(arguments, capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr.strip()


def motion(summary):
    """Coordinates and velocities at the end"""
    final = summary["final"]
    names = [name for name in final if name + "'" in final]
    return {key: final[key] for name in names for key in (name, name + "'")}


def difference(a, b):
    """The largest, relative to 1 + |value|"""
    return max(abs(a[key] - b[key])/(1 + abs(a[key])) if b[key] is not None else float("inf") for key in a)


def declines(code, message):
    """What is wrong with the way in which a formulation says that it does not apply"""
    if code != 2:
        return [f"exit code {code} instead of 2, as the mass matrix is singular"]
    return [f"the message does not name {name}: {message}" for name in ANY_MASS if name not in message]


def agrees(default, code, summary, message):
    """What is wrong with a run, compared with the default's"""
    if summary is None or code > 1:
        return [f"exit code {code}: {message}"]
    wrong = [f"{e['text']} (off by {e['worst']})" for e in summary["expectations"]
             if not e["holds"] and (e["worst"] is None or e["worst"] < -MISSED)]
    allowed, found = 100*default["tolerance"], difference(motion(default), motion(summary))
    if not found <= allowed:
        wrong.append(f"the end differs from the default's by {found:.1e}, allowed {allowed:.0e}")
    return wrong


def complaints(default, singular, path, settings, name):
    """What is wrong with a run by the formulation of that name, and how far its end is off, in tolerances"""
    result = ask("run", path, settings, "--formulation", name)
    if singular and name in ROOT_OF_MASS:
        return declines(result[0], result[2]), 0.0
    off = difference(motion(default), motion(result[1]))/default["tolerance"] if result[1] else 0.0
    return agrees(default, *result), off


passed = failed = 0
worst = {name: 0.0 for name in ROOT_OF_MASS + ANY_MASS}
runs = [(path, settings) for path in sorted(folder.glob("*.tram")) for settings in [[]] + SETTINGS.get(path.stem, [])]
for path, settings in taken(runs):
    code, default, message = ask("run", path, settings)
    if code:
        failed += 1
        print(f"{path.stem} {' '.join(settings)}: exit code {code}: {message}")
        continue
    singular = ask("check", path, settings)[1]["mass_singular"]
    for name in worst:
        wrong, off = complaints(default, singular, path, settings, name)
        worst[name] = max(worst[name], off)
        passed, failed = passed + (not wrong), failed + bool(wrong)
        if wrong:
            print(" ".join([path.stem] + settings + [name]))
            print("".join(f"    {line}\n" for line in wrong), end="")
print("end against the default's, in tolerances: " + ", ".join(f"{name} {off:.2g}" for name, off in worst.items()))
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0 or passed == 0)
