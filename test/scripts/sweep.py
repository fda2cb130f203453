"""trammel sweep from outside: plans, cases against single runs, failures as data, journals that are broken, exports.

Surroundings: TRAMMEL, the program. Parts that need a module of Python are left out, with a word, where it is missing.
"""
import base64
import csv
import hashlib
import itertools
import json
import math
import os
import pathlib
import pty
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import zlib

from suite import needs, run_all, test

program = os.environ["TRAMMEL"]
scratch = pathlib.Path(tempfile.mkdtemp(prefix="trammel-sweep-"))
CLEAN = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}

PENDULUM = """title "Pendulum"
param m = 2, L = 1, g = 9.81, start = 0.6*L
coord x, y
initial x = start, y ~ -1
kinetic m/2*(x'^2 + y'^2)
potential m*g*y
constraint rod: x^2 + y^2 = L^2
output height = y + L
output tension = -2*L*multiplier(rod)
simulate until 1, every 0.1, tolerance 1e-10
expect always height < 1.2
"""
# some 40 ms for each case
LONG = "param k = 1\ncoord x\ninitial x = 1\nkinetic x'^2/2\npotential k*1e6*x^2/2\nsimulate until 3, every 3\n"


class Place:
    """A folder of its own for a test, with a model in it."""

    def __init__(self, text=PENDULUM, name="m.tram"):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=scratch))
        self.path = self.folder / name
        self.path.write_text(text)

    def __truediv__(self, name):
        return self.folder / name

    def run(self, code, *arguments, err=None, out=None, env=None, **more):
        done = subprocess.run([program, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              cwd=self.folder, env={**CLEAN, **(env or {})}, **more)
        said = f"{arguments}\nexit code {done.returncode}\n--- stdout\n{done.stdout}\n--- stderr\n{done.stderr}"
        assert "Sanitizer" not in done.stderr and "runtime error" not in done.stderr, said
        assert done.returncode == code, f"expected {code}: {said}"
        for piece, text in ((err, done.stderr), (out, done.stdout)):
            for one in [piece] if isinstance(piece, str) else piece or ():
                assert one in text, f"no {one!r}: {said}"
        return done

    def sweep(self, code, *arguments, **more):
        return self.run(code, "sweep", "m.tram", *arguments, **more)

    def rows(self, name="m.csv"):
        with open(self / name, newline="") as file:
            return list(csv.DictReader(file))

    def column(self, name, file="m.csv"):
        return [float(row[name]) for row in self.rows(file)]


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


# ---- plans


@test
def grids():
    p = Place()
    p.sweep(0, "--vary", "L=1:2:3", "--vary", "m=1,2", out=["6 cases (grid): L=1:2:3, m=1,2", "6 fine"])
    assert list(zip(p.column("L"), p.column("m"))) == list(itertools.product((1, 1.5, 2), (1, 2)))
    assert [row["case"] for row in p.rows()] == list("012345")


@test
def values():
    p = Place()
    for given, wanted in (("m=1", [1]), ("m= 1 , 2*L,sqrt(9)", [1, 2, 3]), ("m=max(1,2),3", [2, 3]), ("m=2:1:3", [2, 1.5, 1]),
                          ("m=log(1:100:3)", [1, 10, 100]), ("m=log(100)", [math.log(100)]), ("m=1:1:1", [1]),
                          ("m=L/2:pi:2", [0.5, math.pi])):
        p.sweep(0, "--vary", given, "--quiet", "-o", "v")
        found = p.column("m", "v.csv")
        assert len(found) == len(wanted) and all(abs(a - b) <= 1e-15 * b for a, b in zip(found, wanted)), (given, found)
        shutil.rmtree(p / "v.sweep")


@test
def ranges_are_those_of_numpy():
    """linspace, to the bit: start + i*step, and the ends as given."""
    p = Place()
    p.sweep(0, "--vary", "L=0.7:3.1:11", "--quiet")
    step = (3.1 - 0.7) / 10
    assert p.column("L") == [0.7 + i * step for i in range(10)] + [3.1]


@test
def side_by_side():
    p = Place()
    p.sweep(0, "--vary", "L=1:2:3", "--vary", "m=1,2,5", "--vary", "g=9", "--zip", "--quiet")
    assert list(zip(p.column("L"), p.column("m"), p.column("g"))) == [(1, 1, 9), (1.5, 2, 9), (2, 5, 9)]


@test
def from_a_file():
    p = Place()
    (p / "c.csv").write_text('\ufeff"L", m \r\n1,2\r\n\r\n 1.5 ,3e0\n')
    p.sweep(0, "--cases", "c.csv", out="2 cases (cases): ")
    assert list(zip(p.column("L"), p.column("m"))) == [(1, 2), (1.5, 3)]


@test
def hypercube():
    """Each of N equal parts of each range has one case; another seed, other cases; the same seed, the same ones."""
    p = Place()
    drawn = []
    for seed in (0, 0, 7):
        p.sweep(0, "--vary", "L=1:3", "--vary", "m=log(1:100)", "--lhs", 50, "--seed", seed, "--quiet", "--tidy")
        drawn.append((p.column("L"), p.column("m")))
    assert drawn[0] == drawn[1] and drawn[0] != drawn[2]
    L, m = drawn[0]
    assert sorted(int((x - 1) / 2 * 50) for x in L) == list(range(50))
    assert sorted(int(math.log10(x) / 2 * 50) for x in m) == list(range(50))
    order = sorted(range(50), key=lambda i: L[i])
    assert order != list(range(50)) and [m[i] for i in order] != sorted(m)


@needs("scipy")
def sobol_is_that_of_scipy():
    import numpy
    from scipy.stats import qmc
    p = Place("".join(f"param p{i} = 1\n" for i in range(21)) + "coord x\nkinetic x'^2/2\nsimulate until 1e-3, every 1e-3\n")
    p.sweep(0, *(f"--vary=p{i}=0:1" for i in range(21)), "--sobol", 256, "--quiet")
    wanted = qmc.Sobol(21, scramble=False).random(256)
    found = numpy.array([[float(row[f"p{i}"]) for i in range(21)] for row in p.rows()])
    assert (found == wanted).all()


@needs("scipy")
def distributions():
    """Kolmogorov's test: independent numbers are what they should be; ten thousand, as drawn, never change."""
    from scipy import stats
    p = Place("param a = 1, b = 1\ncoord x\nkinetic x'^2/2\nsimulate until 1e-3, every 1e-3\n")
    p.sweep(0, "--vary", "a=normal(3,0.5)", "--vary", "b=uniform(2,4)", "--random", 2000, "--seed", 3, "--quiet")
    a, b = p.column("a"), p.column("b")
    assert stats.kstest(a, stats.norm(3, 0.5).cdf).pvalue > 0.01 and stats.kstest(b, stats.uniform(2, 2).cdf).pvalue > 0.01
    assert abs(stats.pearsonr(a, b)[0]) < 0.06


@test
def what_cannot_be_a_plan():
    p = Place()
    (p / "bad.csv").write_text("L,m\n1,x\n")
    (p / "short.csv").write_text("L,m\n1\n")
    (p / "empty.csv").write_text("L\n")
    (p / "name.csv").write_text("LL\n1\n")
    for arguments, said in (
            ((), "what is to be varied?"),
            (("--vary", "stat=1,2"), ["the model has no parameter 'stat'", "did you mean 'start'?"]),
            (("--vary", "x=1,2"), ["no parameter 'x'", "'x' is a coordinate: make its initial value a parameter"]),
            (("--vary", "L"), "--vary needs NAME=VALUES; found 'L'"),
            (("--vary", "L="), "--vary L=: there are no values"),
            (("--vary", "L=1,,2"), "a value is missing"),
            (("--vary", "L=1:2"), ["how many values shall the range have?", "FROM:TO:COUNT"]),
            (("--vary", "L=1:2:0"), "whole number, 1 or more"),
            (("--vary", "L=1:2:2.5"), "whole number, 1 or more"),
            (("--vary", "L=1:1:5"), "the range is empty"),
            (("--vary", "L=1:2:3:4"), "a range is FROM:TO:COUNT"),
            (("--vary", "L=1:nonsense:3"), "nonsense"),
            (("--vary", "L=log(0:1:3)"), "must be larger than 0"),
            (("--vary", "L=normal(1,2)"), "a distribution is to be drawn from"),
            (("--vary", "L=normal(1,0)", "--lhs", 3), "the deviation must be larger than 0"),
            (("--vary", "L=normal(1)", "--lhs", 3), "a distribution has two numbers"),
            (("--vary", "L=1:2:3", "--sobol", 4), "where values are drawn a range is FROM:TO"),
            (("--vary", "L=1,2", "--sobol", 4), "a list has nothing to draw from"),
            (("--vary", "L=1", "--random", 4), "there is nothing to draw"),
            (("--vary", "L=1:2", "--lhs", 4, "--sobol", 4), "--lhs and --sobol cannot both be"),
            (("--vary", "L=1:2", "--lhs", 4, "--zip"), "--zip and --lhs cannot both be"),
            (("--vary", "L=1:2", "--lhs", "many"), "--lhs needs a whole number"),
            (("--vary", "L=1,2", "--vary", "L=3"), "'L' is varied twice"),
            (("--vary", "L=1,2", "--set", "L=3"), "'L' is both set and varied"),
            (("--vary", "L=1,2", "--vary", "m=1,2,3", "--zip"), "side by side, 'm' has 3 values and 'L' 2"),
            (("--vary", "L=1:2:100000", "--vary", "m=1:2:100000"), "are too many"),
            (("--vary", "L=1,2", "--cases", "bad.csv"), "not from both"),
            (("--cases", "bad.csv"), "bad.csv, line 2: 'x' is no number"),
            (("--cases", "short.csv"), "short.csv, line 2: there are not as many numbers as names"),
            (("--cases", "empty.csv"), "there are no cases"),
            (("--cases", "name.csv"), "the model has no parameter 'LL'"),
            (("--cases", "none.csv"), "cannot read 'none.csv'"),
            (("--vary", "L=1,2", "--until", "nothing"), "nothing"),
            (("--vary", "L=1,2", "--integrator", "rk9"), "there is no integrator 'rk9'"),
            (("--vary", "L=1,2", "--threads", 0), "--threads needs a whole number"),
            (("--vary", "L=1,2", "--timeout", -1), "--timeout needs seconds"),
            (("--vary", "L=1,2", "--keep", "all"), "final and samples"),
    ):
        p.sweep(2, *arguments, err=said)
        assert not (p / "m.sweep").exists(), arguments
    p.sweep(0, "--vary", "L=1,2", "--quiet")
    p.sweep(2, "--vary", "L=1,2", err=["'m.sweep' is there already", "--continue m.sweep"])
    p.run(2, "sweep", "--vary", "L=1,2", err="needs a file")
    p.run(2, "sweep", "--continue", "m.sweep", "--vary", "L=1", err="the sweep has its own plan")
    p.run(2, "sweep", "m.tram", "--continue", "m.sweep", err="needs no model")
    p.run(4, "sweep", "--continue", "nothing", err=["cannot read the sweep 'nothing.sweep'", "no such file"])


# ---- cases


def last_row(p, settings):
    p.run(0, "run", "m.tram", *settings, "-o", "one.csv", "--quiet")
    return p.rows("one.csv")[-1]


def same_as_runs(p, *arguments):
    p.sweep(0, *arguments, "--quiet", "--tidy")
    options = [a for i, a in enumerate(arguments) if a in ("--exact",)]
    names = [a.split("=")[0] for i, a in enumerate(arguments) if i and arguments[i - 1] == "--vary"]
    for row in p.rows():
        alone = last_row(p, [f"--set={name}={row[name]}" for name in names] + options)
        assert all(row[name] == alone[name] for name in alone), (row, alone)


@test
def cases_are_single_runs():
    """To the bit, all columns: also where a parameter decides how many rows there are."""
    same_as_runs(Place(), "--vary", "L=0.9:2:4", "--vary", "m=1,3", "--threads", "2")
    same_as_runs(Place(), "--vary", "g=1:20:5", "--exact")


@test
def cases_beside_others():
    """In lanes beside others each case is what it is alone, to the bit: in any order, by any number of threads, with cases between that fail
    at the start, later, or by an expectation, and of several kinds (natural scales)."""
    pendulums = """param L = 1, c = 0.1
coord x1, y1, x2, y2
initial x1 = L, y1 = 0, x2 = 2*L, y2 = 0
kinetic (x1'^2 + y1'^2)/2 + (x2'^2 + y2'^2)/2
potential 9.81*(y1 + y2)
force x1 = sqrt(c + 2 + x2/L) - 1.5
constraint upper: x1^2 + y1^2 = L*abs(L)
constraint lower: (x2 - x1)^2 + (y2 - y1)^2 = L^2
output tension = -2*L*multiplier(upper)
expect always tension < 30
simulate until 3, every 1.5, tolerance 1e-7
"""
    p = Place(pendulums)
    cases = [(L, c) for L in (0.4, 0.9, 1.1, 1.6, 2.4, 3.5, -1) for c in (0.1, -0.3, -1.2, 0.5)]
    found = {}
    for order, more in ((1, ["--threads", 1]), (-1, ["--threads", 2]), (1, ["--threads", 1, "--timeout", 1000])):
        (p / "c.csv").write_text("L,c\n" + "".join(f"{L},{c}\n" for L, c in cases[::order]))
        p.sweep(3, "--cases", "c.csv", "--quiet", "--tidy", *more)
        rows = {(row["L"], row["c"]): {k: v for k, v in row.items() if k != "case"} for row in p.rows()}
        assert len(rows) == len(cases) and (not found or rows == found), (order, more)
        found = rows
    assert {row["status"] for row in found.values()} == {"0", "1", "3"}
    for row in list(found.values())[:4]:
        if row["status"] == "0":
            alone = last_row(p, [f"--set=L={row['L']}", f"--set=c={row['c']}"])
            assert all(row[name] == alone[name] for name in alone), (row, alone)


@test
def structure_varies():
    """A chain of 1 to 4 links: what all have has its column, and what a case does not have is nan."""
    chain = """param N = 2, L = 1
coord x[1..N], y[1..N]
for i in 1..N: initial x[i] = i*L, y[i] = 0
for i in 1..N: kinetic 1/2*(x[i]'^2 + y[i]'^2)
for i in 1..N: potential 9.81*y[i]
constraint first: x[1]^2 + y[1]^2 = L^2
for i in 2..N: constraint rod[i]: (x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 = L^2
output end = y[N]
simulate until 1, every 0.5
"""
    p = Place(chain)
    p.sweep(0, "--vary", "N=3,1,4", "--vary", "L=1,2", "--quiet")
    rows = p.rows()
    for row in rows:
        alone = last_row(p, [f"--set=N={row['N']}", f"--set=L={row['L']}"])
        for name, value in alone.items():
            assert name not in row or row[name] == value, (name, row, alone)
        assert row["end"] == alone["end"]
    assert rows[2]["x[3]"] == "nan" and rows[0]["x[3]"] != "nan" and "x[4]" not in rows[0]


@test
def results_over_the_run():
    """maximum(e) and its like are columns, with the instants; what is an output, too, is there once."""
    p = Place(PENDULUM + "output most = maximum(tension)\nexpect finally minimum(y) < 0\nexpect finally mean(x) < 10\n")
    done = p.sweep(0, "--vary", "L=1,1.5", "--json")
    rows, summary = p.rows(), json.loads(done.stdout)
    for row in rows:
        alone = json.loads(p.run(0, "run", "m.tram", f"--set=L={row['L']}", "--json").stdout)["results"]
        assert set(alone) == {"most", "minimum(y)", "mean(x)"}
        for name, found in alone.items():
            assert float(row[name]) == found["value"], (name, row, alone)
            at = float(row[name + " at"])
            assert at == found["at"] if found["at"] is not None else math.isnan(at), (name, row, alone)
    assert list(rows[0]).count("most") == 1 and summary["final"]["minimum(y)"]["least"] == min(float(row["minimum(y)"]) for row in rows)


@test
def threads_change_nothing():
    p = Place()
    found = set()
    for threads in (1, 2, 7):
        p.sweep(3, "--vary", "start=0:1.5:40", "--threads", threads, "--quiet", "--tidy", "--keep", "samples")
        found.add((digest(p / "m.csv"), digest(p / "m.h5") if (p / "m.h5").exists() else ""))
    assert len(found) == 1, found


@test
def failures_are_data():
    p = Place()
    done = p.sweep(3, "--vary", "start=0.5,1.5,0.7", out=["2 fine", "1 without a solution", "case 1: start = 1.5"])
    rows = p.rows()
    assert [row["status"] for row in rows] == ["0", "3", "0"], done
    assert rows[1]["message"] and rows[0]["message"] == "" and rows[1]["x"] == "nan" and rows[1]["tension"] == "nan", rows
    p.sweep(1, "--vary", "L=1,2.5", "--set", "start=-0.9*L", "-o", "e", out="with an expectation that fails")
    assert "expect always height < 1.2" in p.rows("e.csv")[1]["message"], p.rows("e.csv")
    p.sweep(3, "--vary", "L=1,0,1", "-o", "w", "--quiet")
    assert [row["status"] for row in p.rows("w.csv")] in (["0", "2", "0"], ["0", "3", "0"])


@test
def json_of_a_sweep():
    p = Place()
    found = json.loads(p.sweep(3, "--vary", "start=0.5,1.5,0.7", "--json").stdout)
    assert found["cases"] == found["done"] == 3 and found["status"]["fine"] == 2 and found["status"]["no_solution"] == 1
    assert found["failures"][0]["case"] == 1 and found["failures"][0]["parameters"] == {"start": 1.5}
    tension = [float(row["tension"]) for row in p.rows() if row["status"] == "0"]
    assert found["final"]["tension"]["largest"] == max(tension) and found["final"]["tension"]["least"] == min(tension)


@test
def hanging_cases():
    """One that takes too long is given up; going on with more time does it."""
    p = Place(LONG)
    p.sweep(3, "--vary", "k=1e-6,1e6,1e-6", "--timeout", "0.5", out="1 out of time")
    assert [row["status"] for row in p.rows()] == ["0", "6", "0"] and "out of time" in p.rows()[1]["message"]
    assert p.rows()[1]["x"] == "nan"


@test
def stops_after_failures():
    p = Place()
    p.sweep(3, "--vary", "start=2:3:100", "--stop-after", "5", "--threads", "1", err=["stopped after 5 failures", "--continue m.sweep"],
            out="95 not done")
    assert len(p.rows()) == 5
    p.run(3, "sweep", "--continue", "m.sweep", out="100 without a solution")


# ---- journals


def broken(p, name, how):
    """The folder of a whole sweep, changed; what going on gives is the same files as before."""
    path = p / name / "journal.0"
    path.write_bytes(how(path.read_bytes()))
    p.run(0, "sweep", "--continue", name, "--threads", "2", "--quiet")


@test
def damaged_journals():
    p = Place()
    p.sweep(0, "--vary", "L=1:2:30", "--keep", "samples", "--quiet")
    files = [path for path in (p / "m.csv", p / "m.h5") if path.exists()]
    whole = [digest(path) for path in files]
    size = (p / "m.sweep" / "journal.0").stat().st_size

    def flip(data, at):
        return data[:at] + bytes([data[at] ^ 16]) + data[at + 1:]
    for how in (lambda d: b"", lambda d: d[:size // 2], lambda d: d[:-1], lambda d: d[:3], lambda d: flip(d, size // 3), lambda d: flip(d, 0),
                lambda d: flip(d, size - 3), lambda d: d + b"\0" * 100, lambda d: d + d, lambda d: d + os.urandom(50)):
        for path in files:
            path.unlink()
        broken(p, "m.sweep", how)
        assert [digest(path) for path in files] == whole
    done = p.run(0, "sweep", "--continue", "m.sweep")
    assert "0 cases/s" in done.stdout and "damaged" not in done.stderr, done
    broken_journal = (p / "m.sweep" / "journal.0")
    broken_journal.write_bytes(broken_journal.read_bytes()[:-5])
    p.run(0, "sweep", "--continue", "m.sweep", err=["is damaged", "are cut off", "are done again"])


@test
def records_are_as_described():
    """The journal by its description, read here: lengths, check sums, values."""
    p = Place()
    p.sweep(0, "--vary", "L=1:2:5", "--quiet")
    data, rows, seen = (p / "m.sweep" / "journal.0").read_bytes(), p.rows(), {}
    columns = [line.split(" ", 1) for line in (p / "m.sweep" / "plan").read_text().splitlines()]
    names = [name for kind, name in columns if kind in ("parameter", "hidden", "final", "output", "report")]
    while data:
        length, total = struct.unpack_from("<II", data)
        body, data = data[8:8 + length], data[8 + length:]
        assert zlib.crc32(body) == total
        which, status, said, samples = struct.unpack_from("<QIIQ", body)
        seen[which] = dict(zip(names, struct.unpack_from(f"<{len(names)}d", body, 24)))
        assert status == 0 and said == 0 and samples == 0
    assert len(seen) == 5
    assert all(seen[i][name] == float(rows[i][name]) for i in seen for name in rows[i] if name in names)


def start(p, *arguments):
    return subprocess.Popen([program, *map(str, arguments)], cwd=p.folder, env=CLEAN, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_records(p, running, name="m.sweep"):
    path = p / name / "journal.0"
    while running.poll() is None and not (path.exists() and path.stat().st_size > 0):
        time.sleep(0.005)


@test
def killed():
    """kill -9 in the midst, several times, then to the end: the same bytes as one that was not broken off."""
    p = Place(LONG)
    plan = ("--vary", "k=1:2:60", "--threads", "2")
    p.sweep(0, *plan, "--quiet", "-o", "whole")
    running = start(p, "sweep", "m.tram", *plan)
    for _ in range(3):
        wait_for_records(p, running)
        before = (p / "m.sweep" / "journal.0").stat().st_size
        running.kill()
        running.communicate()
        running = start(p, "sweep", "--continue", "m.sweep", "--threads", "2")
        deadline = time.monotonic() + 600
        while running.poll() is None and (p / "m.sweep" / "journal.0").stat().st_size <= before:
            assert time.monotonic() < deadline
            time.sleep(0.005)
    out, err = running.communicate()
    assert running.returncode == 0, (out, err)
    assert digest(p / "m.csv") == digest(p / "whole.csv")
    if (p / "m.h5").exists():
        assert digest(p / "m.h5") == digest(p / "whole.h5")


@test
def interrupted():
    p = Place(LONG)
    running = start(p, "sweep", "m.tram", "--vary", "k=1:2:400", "--threads", "2")
    wait_for_records(p, running)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate()
    assert running.returncode == 130 and "go on with: trammel sweep --continue m.sweep" in err, (out, err)
    assert not (p / "m.csv").exists()
    done = p.run(0, "sweep", "--export", "m.sweep", "-o", "some.csv")
    assert 0 < len(p.rows("some.csv")) < 400, done


@test
def changed_meanwhile():
    p = Place()
    (p / "c.csv").write_text("L\n1\n2\n")
    p.sweep(0, "--vary", "L=1:2:5", "--quiet")
    p.sweep(0, "--cases", "c.csv", "--quiet", "-o", "c")
    (p / "c.csv").write_text("L\n1\n2.5\n")
    p.run(2, "sweep", "--continue", "c.sweep", err=["'c.sweep' cannot be continued", "c.csv' has changed"])
    p.path.write_text(PENDULUM.replace("m*g*y", "2*m*g*y"))
    p.run(2, "sweep", "--continue", "m.sweep", err=["'m.sweep' cannot be continued", "m.tram' has changed since the sweep began"])
    p.run(0, "sweep", "--export", "m.sweep", "-o", "still.csv")
    assert digest(p / "still.csv") == digest(p / "m.csv")
    p.path.unlink()
    p.run(4, "sweep", "--continue", "m.sweep", err="cannot read")


@test
def full_disk():
    """A limit on the size of files stands for it: exit code 4, and going on works."""
    p = Place()
    p.sweep(0, "--vary", "L=1:2:400", "--quiet", "-o", "whole")
    size = (p / "whole.sweep" / "journal.0").stat().st_size

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size // 3, size // 3))
    p.sweep(4, "--vary", "L=1:2:400", err=["cannot write to 'm.sweep': File too large", "--continue m.sweep"], preexec_fn=limit)
    p.run(0, "sweep", "--continue", "m.sweep", "--quiet")
    assert digest(p / "m.csv") == digest(p / "whole.csv")


@test
def one_at_a_time():
    p = Place(LONG)
    running = start(p, "sweep", "m.tram", "--vary", "k=1:2:400", "--threads", "1")
    wait_for_records(p, running)
    p.run(4, "sweep", "--continue", "m.sweep", err="another process is at work on 'm.sweep'")
    running.kill()
    running.communicate()


# ---- exports


@test
def tidy():
    p = Place()
    p.sweep(0, "--vary", "L=1,2", "--tidy", "--quiet", "-o", "sub.csv")
    assert sorted(path.name for path in p.folder.iterdir() if path.suffix != ".h5") == ["m.tram", "sub.csv"]


@test
def exports():
    p = Place()
    p.sweep(0, "--vary", "L=1,2", "--quiet")
    out = p.run(0, "sweep", "--export", "m.sweep", "-o", "-").stdout
    assert out.encode() == (p / "m.csv").read_bytes()
    p.run(2, "sweep", "--export", "m.sweep", "-o", "a.xlsx", err="what kind of file is 'a.xlsx'?")
    p.run(0, "sweep", "--export", "m.sweep", "-o", "a.csv", out="wrote a.csv")
    p.run(4, "sweep", "--export", "m.sweep", "-o", "nowhere/a.csv", err="cannot write 'nowhere/a.csv'")
    p.run(4, "sweep", "--export", "m.tram", err="cannot read the sweep")


@test
def without_hdf5():
    p = Place()
    p.sweep(0, "--vary", "L=1,2", env={"TRAMMEL_HDF5": "none"}, out="wrote m.csv", err="no HDF5 file was made: libhdf5")
    assert (p / "m.csv").exists() and not (p / "m.h5").exists()
    p.run(2, "sweep", "--export", "m.sweep", "-o", "a.h5", env={"TRAMMEL_HDF5": "none"}, err=["cannot write 'a.h5'", "libhdf5"])


@needs("h5py", "numpy")
def hdf5():
    import h5py
    import numpy
    p = Place()
    p.sweep(3, "--vary", "start=0.5,1.5,0.7", "--vary", "m=1,2", "--keep", "samples", "--quiet")
    rows = p.rows()
    with h5py.File(p / "m.h5") as file:
        assert list(file["parameters"]) == ["m", "start"]
        for name in ("L", "x", "tension"):
            group = "final" if name != "L" else None
            if group:
                wanted = numpy.array([float(row[name]) for row in rows])
                assert numpy.array_equal(file[group][name], wanted, equal_nan=True)
        assert list(file["status"]) == [int(row["status"]) for row in rows]
        assert [m.decode() for m in file["message"]] == [row["message"] for row in rows]
        assert list(file["t"]) == [k / 10 for k in range(10)] + [1.0] or len(file["t"]) == 11
        assert file["samples/x"].shape == (6, 11) and file["samples/x"].chunks == (1, 11)
        assert numpy.isnan(file["samples/x"][2]).all() and file["samples/x"][0, 0] == 0.5
        assert numpy.array_equal(file["samples/x"][:2, -1], file["final/x"][:2])
        assert file.attrs["model"] == PENDULUM and file.attrs["plan"].startswith("trammel-sweep 1\n")
        assert file.attrs["version"] == subprocess.run([program, "--version"], capture_output=True, text=True).stdout.split()[1]
        scale = file["samples/x"].dims[1]
        assert len(scale) == 0 or scale[0].name == "/t"


@needs("h5py", "numpy")
def times_that_differ():
    import h5py
    p = Place("param T = 1\ncoord x\ninitial x = 1\nkinetic x'^2/2\npotential x^2/2\nsimulate until T, every T/4\n")
    p.sweep(0, "--vary", "T=1,2", "--keep", "samples", "--quiet")
    with h5py.File(p / "m.h5") as file:
        assert file["t"].shape == (2, 5) and list(file["t"][1]) == [0, 0.5, 1, 1.5, 2]


@test
def h5dump_reads_it():
    if shutil.which("h5dump") is None:
        print("h5dump is missing: left out")
        return
    p = Place()
    p.sweep(0, "--vary", "L=1,2", "--quiet")
    said = subprocess.run(["h5dump", "-d", "/parameters/L", "m.h5"], cwd=p.folder, capture_output=True, text=True)
    assert said.returncode == 0 and "1, 2" in said.stdout, said


@needs("pandas")
def pandas_reads_it():
    import pandas
    p = Place()
    p.sweep(3, "--vary", "start=0.5,1.5", "--quiet")
    table = pandas.read_csv(p / "m.csv")
    assert list(table["start"]) == [0.5, 1.5] and table["x"].isna().tolist() == [False, True]
    assert table["tension"].dtype == float


# ---- pictures


def needs_gnuplot(function):
    if shutil.which("gnuplot"):
        return test(function)
    print(f"gnuplot is missing: {function.__name__} is left out")
    return function


def drawn(path, element):
    """How many elements of a kind an SVG has."""
    import xml.etree.ElementTree as tree
    return sum(one.tag.endswith("}" + element) for one in tree.parse(path).getroot().iter())


@needs_gnuplot
def pictures():
    """A panel for each output; a curve, a cell or a dot for each case that has numbers."""
    p = Place()
    p.sweep(3, "--vary", "start=0.5,0.6,0.7,1.5", "--plot", "-o", "curve", out="wrote curve.svg")
    text = (p / "curve.svg").read_text()
    assert all(word in text for word in ("tension", "height", "start", "Pendulum"))
    p.sweep(3, "--vary", "start=0.5,0.6,1.5", "--vary", "L=log(1.1:1.3:2)", "--plot", "-o", "map")
    p.sweep(3, "--vary", "start=0.5,0.6,1.5", "--vary", "L=log(1.1:1.3:5)", "--plot", "-o", "map5")
    # two outputs: four cells more for each case with numbers (start = 1.5 has none)
    more = drawn(p / "map5.svg", "polygon") + drawn(p / "map5.svg", "path") - drawn(p / "map.svg", "polygon") - drawn(p / "map.svg", "path")
    assert more >= 2 * 2 * 3, more
    p.sweep(0, "--vary", "L=1.1:1.3", "--vary", "m=1:2", "--lhs", 20, "--plot", "-o", "dots")
    p.sweep(0, "--vary", "L=1.1:1.3", "--vary", "m=1:2", "--lhs", 30, "--plot", "-o", "dots30")
    assert drawn(p / "dots30.svg", "use") - drawn(p / "dots.svg", "use") == 10 * 4  # two outputs over two parameters
    p.sweep(0, "--vary", "L=1.1:1.3:4", "--keep", "samples", "--plot", "--quiet", "-o", "bundle")
    assert (p / "bundle.svg").stat().st_size > 1000
    p.sweep(2, "--vary", "L=1", "--plot", "-o", "none", err=["cannot make the picture 'none.svg'", "nothing varies"])
    p.sweep(2, "--vary", "L=1,2", "--plot", "-o", "g", env={"PATH": "/nowhere"}, err="it takes gnuplot")
    assert (p / "g.csv").exists()


def has_pages():
    return subprocess.run([program, "report", "-", "-o", "-"], input="", capture_output=True, text=True, cwd=scratch).stderr.find("without its page") < 0


def page_of(path):
    text = path.read_text()
    begin = text.index('id="data">') + len('id="data">')
    return json.loads(text[begin:text.index("</script>", begin)]), 'id="engine"' in text


def doubles(packed):
    bytes_ = base64.b64decode(packed)
    return list(struct.unpack(f"<{len(bytes_) // 8}d", bytes_))


@test
def pages():
    """Of a folder and of a sweep that keeps nothing: the numbers of the table, why cases failed, and the model to run them."""
    if not has_pages():
        print("left out: this program was built without its page")
        return
    p = Place()
    p.sweep(3, "--vary", "start=0.5,0.6,1.5", "--vary", "L=log(1.1:1.3:2)", "--set", "m=3", "--until", "0.5", "--keep", "samples")
    p.run(3, "report", "m.sweep", out="m.html\n")
    data, _ = page_of(p / "m.html")
    sweep, rows = data["sweep"], p.rows()
    assert [sweep["kind"], sweep["cases"], sweep["vary"]] == ["grid", 6, ["start=0.5,0.6,1.5", "L=log(1.1:1.3:2)"]], sweep["vary"]
    assert list(base64.b64decode(sweep["status"])) == [int(row["status"]) for row in rows] == [0, 0, 0, 0, 3, 3]
    assert sweep["failures"] == [[i, rows[i]["message"]] for i in (4, 5)] and rows[4]["message"], sweep["failures"]
    names = [c["name"] for c in sweep["columns"]]
    assert set(rows[0]) - {"case", "status", "message"} <= set(names), names
    for column in sweep["columns"]:
        ours, theirs = doubles(column["values"]), [float(row[column["name"]]) for row in rows]
        assert all(a == b or (math.isnan(a) and math.isnan(b)) for a, b in zip(ours, theirs)), column["name"]
    assert [c["name"] for c in sweep["columns"] if c.get("log")] == ["L"]
    kept = sweep["samples"]
    assert kept["cases"][:4] == [0, 1, 2, 3] and doubles(kept["lengths"])[:4] == [6] * 4, kept["lengths"]
    assert [c["name"] for c in kept["curves"]] == ["height", "tension"]
    assert doubles(kept["curves"][0]["values"])[5] == float(rows[0]["height"])
    run = data["run"]
    assert run["text"] == PENDULUM and run["settings"] == [["m", "3"]] and ["until", "0.5"] in run["options"], run
    assert [q["name"] for q in run["parameters"]] == ["m", "L", "g", "start"]

    p.run(3, "report", "m.tram", "--vary", "start=0.5,0.6,1.5", "--vary", "L=log(1.1:1.3:2)", "--set", "m=3", "--until", "0.5", "-o", "own.html")
    again, _ = page_of(p / "own.html")
    del sweep["samples"], sweep["summary"], again["sweep"]["summary"] # that has times
    assert again == data
    assert sorted(path.name for path in p.folder.iterdir() if "sweep" in path.name) == ["m.sweep"]

    p.run(3, "report", "m.sweep", "--no-engine", "--quiet", "-o", "bare.html", out="")
    assert not page_of(p / "bare.html")[1]
    p.path.write_text(PENDULUM + "# more\n")
    p.run(3, "report", "m.sweep", "-o", "old.html", err=["the page cannot run the cases itself", "has changed since the sweep began"])
    old, runs = page_of(p / "old.html")
    assert not runs and old["run"]["text"] == PENDULUM and "parameters" not in old["run"]
    p.path.unlink()
    p.run(3, "report", "m.sweep", "-o", "gone.html", err="the page cannot run the cases itself")
    assert page_of(p / "gone.html")[0] == old


@test
def pages_that_cannot_be():
    if not has_pages():
        return
    p = Place()
    p.run(2, "report", "m.tram", "--vary", "LL=1,2", err="no parameter 'LL'")
    p.run(2, "report", "m.tram", "--vary", "L=1,2", "--lhs", "5", err="L=1,2")
    p.run(4, "report", "none.sweep", err="none.sweep")
    p.run(2, "report", "m.tram", "--keep", "samples", err="'--keep' is no option of 'trammel report'")
    p.sweep(0, "--vary", "L=1.1,1.2", "--quiet")
    p.run(2, "report", "m.sweep", "--vary", "L=1,2", err="the sweep has its own plan")
    (p / "m.sweep/plan").write_text("something else\n")
    p.run(2, "report", "m.sweep", err="its plan is of another version")
    p.run(2, "report", "m.tram", "--vary", "L=1.1,1.2", "-o", "m.tram", err="m.tram")
    assert p.path.read_text() == PENDULUM


@needs_gnuplot
def bundles_of_plot():
    p = Place()
    p.run(0, "plot", "m.tram", "--vary", "L=1.1:1.3:4", "-o", "out", out="out/m-cases.svg")
    p.run(0, "plot", "m.tram", "--vary", "L=1.1:1.3", "--lhs", "4", "--format", "pdf", "-o", "out", out="out/m-cases.pdf")
    assert (p / "out/m-cases.pdf").read_bytes()[:4] == b"%PDF"
    p.run(2, "plot", "m.tram", "--vary", "LL=1,2", "-o", "out", err="no parameter 'LL'")
    assert sorted(path.name for path in p.folder.iterdir()) == ["m.tram", "out"]


# ---- many processes

MPI = pathlib.Path(program).with_name("trammel-mpi")


def with_mpi(function):
    if MPI.exists() and shutil.which("mpirun"):
        return test(function)
    print(f"trammel-mpi or mpirun is missing: {function.__name__} is left out")
    return function


def shared(p, ranks, *arguments):
    """(exit code, stdout, stderr) of a sweep in so many processes."""
    done = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "--quiet", "-n", str(ranks), MPI, "sweep", *map(str, arguments)],
                          cwd=p.folder, env=CLEAN, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@with_mpi
def processes_give_the_same():
    p = Place()
    plan = ("--vary", "start=0:1.5:60", "--keep", "samples", "--threads", "1")
    p.sweep(3, *plan, "--quiet", "-o", "alone")
    code, out, err = shared(p, 3, "m.tram", *plan, "-o", "three")
    assert code == 3 and out.count("60 cases (grid)") == 1, (code, out, err)
    journals = sorted(path.name for path in (p / "three.sweep").glob("journal.*"))
    assert journals == ["journal.0", "journal.1", "journal.2"], journals
    assert digest(p / "three.csv") == digest(p / "alone.csv")
    # damaged, and continued with another number of them, and with none
    for how in (2, 1):
        for path in (p / "three.sweep").glob("journal.*"):
            path.write_bytes(path.read_bytes()[:-100])
        code, out, err = shared(p, how, "--continue", "three.sweep", "--quiet")
        assert code == 3 and digest(p / "three.csv") == digest(p / "alone.csv"), (code, out, err)
        if (p / "alone.h5").exists():
            assert digest(p / "three.h5") == digest(p / "alone.h5")
    p.run(3, "sweep", "--continue", "three.sweep", "--quiet")
    assert digest(p / "three.csv") == digest(p / "alone.csv")


@with_mpi
def one_of_them_tells():
    p = Place()
    p.sweep(0, "--vary", "L=1,2", "--quiet")
    for code, arguments, said in ((2, ("m.tram", "--vary", "LL=1,2"), "no parameter 'LL'"), (2, ("m.tram", "--vary", "L=1,2"), "is there already"),
                                  (4, ("n.tram", "--vary", "L=1,2"), "cannot read 'n.tram'"), (4, ("--continue", "n.sweep"), "cannot read the sweep")):
        found, out, err = shared(p, 2, *arguments)
        assert found == code and err.count(said) == 1, (found, err)


@with_mpi
def killed_processes():
    """One of three is killed: mpirun ends the others; going on gives the whole."""
    p = Place(LONG)
    plan = ("--vary", "k=1:2:60", "--threads", "1")
    p.sweep(0, *plan, "--quiet", "-o", "whole")
    running = subprocess.Popen(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", MPI, "sweep", "m.tram", *plan], cwd=p.folder,
                               env=CLEAN, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for_records(p, running)
    children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(running.pid)], capture_output=True, text=True).stdout.split()
    os.kill(int(children[-1]), signal.SIGKILL)
    assert running.wait() != 0
    code, out, err = shared(p, 2, "--continue", "m.sweep", "--quiet")
    assert code == 0 and digest(p / "m.csv") == digest(p / "whole.csv"), (code, out, err)


# ---- surroundings


@test
def under_mpirun():
    p = Place()
    for env in ({"OMPI_COMM_WORLD_SIZE": "4"}, {"PMI_SIZE": "2"}):
        p.sweep(2, "--vary", "L=1,2", env=env, err=["trammel-mpi sweep", "each would do the same"])
    p.sweep(0, "--vary", "L=1,2", "--quiet", env={"OMPI_COMM_WORLD_SIZE": "1"})


def on_a_terminal(p, count):
    """What a sweep of so many cases says to a terminal."""
    master, slave = pty.openpty()
    running = subprocess.Popen([program, "sweep", "m.tram", "--vary", f"k=1:2:{count}", "--threads", "2"], cwd=p.folder, env=CLEAN,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    said = b""
    while True:
        try:
            piece = os.read(master, 4096)
        except OSError:
            break
        if not piece:
            break
        said += piece
    assert running.wait() == 0
    return said


@test
def progress():
    """A line on a terminal, which is gone at the end; a sweep that is over before one is due has none."""
    for count in (60, 600, 6000, 60000):
        said = on_a_terminal(Place(LONG), count)
        if said:
            break
    assert f"/{count}  ".encode() in said and b"ETA" in said and said.endswith(b"\r\x1b[K"), said[-300:]


raise SystemExit(run_all())
