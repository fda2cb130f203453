"""soak.py DRIFT END OPTION... <MODEL: runs the model until END, and for comparison until END/100.

Prints how it went. Fails if the run does, if a claim of the model does not hold, if a residual is larger than what is
allowed, if the energy drifts by more than DRIFT of the largest |T| + |V|, or if memory grows with the length of the
run. Surroundings: TRAMMEL, the program.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

MORE = 512  # kB by which memory may differ from run to run


def peak_of(pid):
    """The largest memory of a process so far, in kB."""
    try:
        with open(f"/proc/{pid}/status") as status:
            found = [line for line in status if line.startswith("VmHWM:")]
        return int(found[0].split()[1]) if found and os.readlink(f"/proc/{pid}/exe") == PROGRAM else 0
    except OSError:
        return 0


def run(path, end, options):
    """(report, exit code, peak of memory)"""
    with tempfile.TemporaryFile("w+") as out:
        process, peak = subprocess.Popen([PROGRAM, "run", path, "--json", "--until", end, *options], stdout=out), 0
        while process.poll() is None:
            peak = max(peak, peak_of(process.pid))
            time.sleep(0.005)
        out.seek(0)
        return json.load(out), process.returncode, peak


PROGRAM = os.path.realpath(os.environ["TRAMMEL"])
drift, end, options = float(sys.argv[1]), sys.argv[2], sys.argv[3:]
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.tram")
    with open(path, "w") as file:
        file.write(sys.stdin.read())
    _, _, short = run(path, f"({end})/100", options)
    report, code, peak = run(path, end, options)

rows, energy = report["residual"], report["energy"]["worst_relative_drift"]
wrong = [f"{name} misses by {row['worst']:.3g}" for name, row in rows.items() if not row["worst"] <= row["allowed"]]
wrong += [claim["text"] for claim in report["expectations"] if not claim["holds"]]
if code:
    wrong.append(f"exit code {code}")
if not energy <= drift:
    wrong.append("the energy drifts")
if peak > short + MORE:
    wrong.append("memory grows")
print(f"  t = {report['time']['end']:.6g}, {report['steps']} steps, {report['seconds']['simulate']:.3g} s")
print(f"  worst residual {max(row['worst'] for row in rows.values()):.2g}, of what is allowed"
      f" {max(row['worst'] / row['allowed'] for row in rows.values()):.2g}; energy drift {energy:.2g}")
print(f"  memory {peak} kB, in a hundredth of the time {short} kB")
sys.exit("  " + "; ".join(wrong) if wrong else 0)
