"""Runs every shipped model, and some with other parameters: each must end well, and every claim must hold.

Surroundings: TRAMMEL, the program; SOURCE_DIR, the clone.
Prints "N passed, M failed", exit code 1 on failure.
"""
import json
import os
import pathlib
import subprocess
import sys

program, folder = os.environ["TRAMMEL"], pathlib.Path(os.environ["SOURCE_DIR"], "models")

# Models say in their expectations what is known for these settings, too.
SETTINGS = {
    "sphere-turntable": [["tilt=0"]],
    "duffing-control": [["alpha=4"]],
    "chain": [["N=1"], ["N=2"], ["N=20"]],
}


def complaints(path, settings):
    """What is wrong with a run, as lines; none if all is well."""
    command = [program, "run", "--json", str(path)]
    for setting in settings:
        command += ["--set", setting]
    done = subprocess.run(command, capture_output=True, text=True)
    wrong = []
    if done.returncode != 0:
        wrong.append(f"exit code {done.returncode}: {done.stderr.strip()}")
    try:
        summary = json.loads(done.stdout)
    except ValueError as error:
        return wrong + [f"no JSON: {error}"]
    wrong += [f"warning: {w}" for w in summary["warnings"]]
    if not summary["expectations"]:
        wrong.append("the model claims nothing")
    wrong += [f"{e['text']} (off by {e['worst']})" for e in summary["expectations"] if not e["holds"]]
    for row, residual in summary["residual"].items():
        if residual["allowed"] is not None and residual["worst"] > residual["allowed"]:
            wrong.append(f"{row} is off by {residual['worst']}, allowed {residual['allowed']}")
    return wrong


passed = failed = 0
for path in sorted(folder.rglob("*.tram")):
    for settings in [[]] + SETTINGS.get(path.stem, []):
        wrong = complaints(path, settings)
        if wrong:
            failed += 1
            print(" ".join([str(path.relative_to(folder))] + settings))
            print("".join(f"    {line}\n" for line in wrong), end="")
        else:
            passed += 1
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0 or passed == 0)
