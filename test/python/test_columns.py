"""The columns of every shipped model, and the file that is written of them, are those of `trammel run -o`, bit by bit."""
import subprocess

import numpy
import trammel

from common import MODELS, PROGRAM, folder, test


def compare(path):
    written = folder / "program.csv"
    done = subprocess.run([PROGRAM, "run", path, "--quiet", "-o", written], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    run = trammel.Model.load(path).run()
    assert run.failures == []
    run.to_csv(folder / "package.csv")
    assert (folder / "package.csv").read_bytes() == written.read_bytes()
    rows = written.read_text().split("\n", 1)[1].split()
    numbers = numpy.array([row.split(",") for row in rows], dtype=float)
    assert numbers.shape == (len(run), len(run.columns))
    assert numbers.tobytes() == run[run.columns].tobytes()
    for name in run.columns:
        assert not run[name].flags.writeable and run[name].dtype == float
    written.unlink()


def add(path):
    def columns():
        compare(path)
    columns.__name__ = f"columns_of_{path.stem}"
    test(columns)


for path in sorted(MODELS.rglob("*.tram")):
    add(path)
