"""Sweeps that are killed (kill -9) at random moments, fifty times in threads and fifty in three processes of MPI, each time
continued: at the end the files have the bytes of a sweep that was not broken off.

Surroundings: TRAMMEL, the program; trammel-mpi is sought beside it, and left out with a word if it or mpirun is missing.
"""
import hashlib
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

KILLS = int(os.environ.get("KILLS", "50"))
MODEL = "param k = 1\ncoord x\ninitial x = 1\nkinetic x'^2/2\npotential k*1e6*x^2/2\noutput e = energy\nsimulate until 4, every 1\n"
PLAN = ("--vary", "k=1:2:800", "--keep", "samples", "--quiet")
program = pathlib.Path(os.environ["TRAMMEL"]).resolve()
processes = program.with_name("trammel-mpi")
chance = random.Random(7)


def digests(folder, name):
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in (folder / f"{name}.csv", folder / f"{name}.h5") if path.exists()]


def end(running):
    """All of its process group, at once."""
    try:
        os.killpg(running.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    running.wait()


def kill_many(folder, name, before):
    """How often it was killed while it ran: its own journals are kept whenever it begins again."""
    killed = finished = 0
    while killed < KILLS and finished < 200:
        goes_on = (folder / f"{name}.sweep" / "plan").exists()
        if not goes_on:
            shutil.rmtree(folder / f"{name}.sweep", ignore_errors=True)
        what = ["--continue", f"{name}.sweep", "--quiet"] if goes_on else ["m.tram", *PLAN, "-o", name]
        running = subprocess.Popen([*before, "sweep", *what], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(chance.uniform(0, 0.6 if len(before) == 1 else 3))
        if running.poll() is None:
            killed += 1
            end(running)
            continue
        finished += 1
        for journal in (folder / f"{name}.sweep").glob("journal.*"):  # it was through: some of it once more
            journal.write_bytes(journal.read_bytes()[:chance.randrange(journal.stat().st_size + 1)])
    done = subprocess.run([*before, "sweep", "--continue", f"{name}.sweep", "--quiet"], cwd=folder, stdin=subprocess.DEVNULL)
    return killed, done.returncode


ways = [("threads", [program])]
if processes.exists() and shutil.which("mpirun"):
    ways.append(("processes", ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", processes]))
else:
    print("trammel-mpi or mpirun is missing: processes are left out")
failed = 0
with tempfile.TemporaryDirectory() as temporary:
    place = pathlib.Path(temporary)
    (place / "m.tram").write_text(MODEL)
    subprocess.run([program, "sweep", "m.tram", *PLAN, "-o", "whole"], cwd=place, check=True)
    wanted = digests(place, "whole")
    for name, before in ways:
        killed, code = kill_many(place, name, before)
        same = digests(place, name) == wanted
        failed += code != 0 or not same or killed < KILLS
        print(f"{name}: killed {killed} times, code {code}, {'the same bytes' if same else 'OTHER BYTES'} in {len(wanted)} files")
sys.exit(1 if failed else 0)
