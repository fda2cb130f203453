"""Runs that are ended at random moments, by each signal: the file of samples is then the old one, or the beginning of
the new one, never a mixture or half a line; and who may answer a signal does so with code 130.

Surroundings: TRAMMEL, the program; SOURCE_DIR, the clone.
"""
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

KILLS = 200
OLD = "an old result\n"
program = os.environ["TRAMMEL"]
model = pathlib.Path(os.environ["SOURCE_DIR"], "models/classics/chain.tram")
chance = random.Random(13)


def start(out):
    return subprocess.Popen([program, "run", model, "--set", "N=10", "--every", "1e-3", "-o", out], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)


def complaint(left, code, number, whole):
    if code not in (0, 1, 130, -number):
        return f"code {code}"
    if number == signal.SIGKILL:
        left = left[:left.rfind("\n") + 1]  # whoever is killed so cannot finish its line
    if left in ("", OLD) or (whole.startswith(left) and left.endswith("\n")):
        return None
    return f"samples end with {left[-100:]!r}"


failed = ended = 0
with tempfile.TemporaryDirectory() as folder:
    out = pathlib.Path(folder, "samples.csv")
    begin = time.monotonic()
    start(out).communicate()
    length, whole = time.monotonic() - begin, out.read_text()
    for kill in range(KILLS):
        number = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)[kill % 4]
        out.write_text(OLD)
        process = start(out)
        time.sleep(chance.uniform(0, 1.1 * length))
        process.send_signal(number)
        _, said = process.communicate()
        ended += process.returncode not in (0, 1)
        wrong = complaint(out.read_text(), process.returncode, number, whole)
        if wrong or "Sanitizer" in said:
            failed += 1
            print(f"  {number.name}: {wrong} {said.strip()[:300]}")
print(f"  {KILLS} kills, {ended} of them before the end, {failed} did harm")
sys.exit(failed > 0 or ended < KILLS / 4)
