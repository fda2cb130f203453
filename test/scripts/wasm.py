"""The engine of the page, the library as WebAssembly, in node: held against the program.

Shipped models give the same bits as `trammel run --exact` where no function of libm occurs, elsewhere 1e-9 of a column's
range: sine and cosine there are those of another library. Wrong models are told of in the same words; memory that runs
out, runs that do not end and texts that nest too deeply are answered. Left out where there is no engine or no node.
"""
import array
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from suite import run_all, test

source = pathlib.Path(os.environ.get("SOURCE_DIR", pathlib.Path(__file__).parents[2])).resolve()
program = pathlib.Path(os.environ.get("TRAMMEL", source / "build/trammel")).resolve()
engine = source / "build-wasm/engine.wasm"
scratch = pathlib.Path(tempfile.mkdtemp(prefix="trammel-wasm-"))
TAPE = {**os.environ, "TRAMMEL_KERNEL": "tape"}

PENDULUM = """param m = 2, L = 1, g = 9.81, half = L/2, N = 2
coord x, y
initial x = L, y ~ 0
kinetic m/2*(x'^2 + y'^2)
potential m*g*y
constraint rod: x^2 + y^2 = L^2
output tension = -2*L*multiplier(rod)
for i in 1..N: output twice[i] = half
simulate until 1, every 0.1
draw line (0, 0) (x, y)
"""


def ask(*jobs):
    done = subprocess.run(["node", source / "test/scripts/wasm.mjs", engine], capture_output=True, text=True,
                          input="".join(json.dumps(job) + "\n" for job in jobs))
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(jobs)
    return answers


def native(path, *options):
    """Names, columns and summary of a run."""
    out = scratch / "native.csv"
    done = subprocess.run([program, "run", path, "--exact", "--quiet", "--json", "-o", out, *options],
                          capture_output=True, text=True, env=TAPE)
    assert done.returncode in (0, 1), done.stderr
    head, *rows = out.read_text().splitlines()
    return head.split(","), [list(map(float, c)) for c in zip(*(r.split(",") for r in rows))], json.loads(done.stdout)


def columns_of(answer, path):
    values = array.array("d")
    values.frombytes(path.read_bytes())
    n = answer["samples"]
    assert len(values) == n * len(answer["columns"]), (len(values), n)
    return [values[i * n:(i + 1) * n] for i in range(len(answer["columns"]))]


# ---- shipped models

# what calls libm: these functions, angles of bodies in the plane, and of joints
LIBM = re.compile(r"\b(sin|cos|tan|asin|acos|atan|atan2|exp|log|sinh|cosh|tanh|body2|joint|angle|turn)\b|\^\(?-?\d*\.")


# the size of a step is made by log and exp, and differs in its last bit
STEPS = {"iftomm-a02"}


def uses_libm(path):
    return LIBM.search(re.sub(r"#.*", "", path.read_text())) is not None


def kind_of(name, coordinates):
    bare = name.rstrip("'")
    return name.split("(")[0] if "(" in name else name[len(bare):] if bare in coordinates else name


def near(answer, ours, theirs):
    """No column is further off than 1e-9 of its range, or of the largest value of its kind: of all positions, velocities,
    reactions, each output; some are nothing but rounding beside the others. Outputs that are errors are so by themselves:
    1e-11 is no error."""
    largest = {}
    for name, column in zip(answer["columns"], theirs):
        kind = kind_of(name, answer["coordinates"])
        largest[kind] = max([largest.get(kind, 0), *map(abs, column)])
    for name, mine, other in zip(answer["columns"], ours, theirs):
        if name.startswith("residual("):
            continue  # rounding
        kind = kind_of(name, answer["coordinates"])
        scale = max(max(other) - min(other), largest[kind], 1e-2)
        off = max(abs(a - b) for a, b in zip(mine, other))
        assert off <= 1e-9 * scale, f"{name}: {off:.3g} off, of {scale:.3g}"


def compare(path):
    path = source / path
    samples = scratch / "columns"
    answer, = ask({"path": str(path), "options": [["exact", "yes"]], "columns": str(samples)})
    names, theirs, summary = native(path)
    ours = columns_of(answer, samples)
    assert answer["columns"] == names
    same = all(list(a) == b for a, b in zip(ours, theirs))
    if uses_libm(path) or path.stem in STEPS:
        near(answer, ours, theirs)
    else:
        assert same, "not the same bits"
    mine = json.loads(answer["json"])
    for key in ("coordinates", "constraints", "rank", "degrees_of_freedom", "integrator", "tolerance"):
        assert mine[key] == summary[key], key
    assert [e["holds"] for e in mine["expectations"]] == [e["holds"] for e in summary["expectations"]]
    return same


models = sorted(p.relative_to(source) for p in (source / "models").glob("*/*.tram"))
QUICK = ["classics/double-pendulum", "classics/chain", "classics/bead-on-hoop", "classics/appell-hamel",
         "benchmarks/free-body", "benchmarks/torque-free-top", "mechanisms/perpendicular", "mechanisms/slider-crank",
         "papers/001-nonholonomic-particle", "papers/004-appell"]


@test
def shipped_models():
    every = os.environ.get("TEST_EVERY", "1") == "1"
    same = 0
    chosen = models if every else [pathlib.Path("models") / f"{name}.tram" for name in QUICK]
    for path in chosen:
        try:
            same += compare(path)
        except AssertionError as failure:
            raise AssertionError(f"{path}: {failure}") from failure
    print(f"{len(chosen)} models, {same} with the same bits")
    assert same > 0


# ---- wrong models

@test
def wrong_models_are_told_of_in_the_same_words():
    folder = scratch / "wrong"
    subprocess.run([sys.executable, "-B", source / "test/scripts/wrong.py", "--models", folder], check=True,
                   capture_output=True)
    found = [p for p in sorted(folder.rglob("*.tram")) if p.stat().st_size < 20000 and b"include" not in p.read_bytes()
             and b"\0" not in p.read_bytes()]
    step = max(1, len(found) // 90)
    jobs, said = [], []
    for path in found[::step]:
        try:
            text = path.read_bytes().decode()
        except UnicodeDecodeError:
            continue
        done = subprocess.run([program, "check", path.name], cwd=path.parent, capture_output=True, text=True)
        if done.returncode not in (2, 3) or "--" in done.stderr:
            continue  # right, or told by the names of options
        said.append((path.name, done.returncode, done.stderr))
        jobs.append({"name": path.name, "text": text, "do": "check"})
    assert len(jobs) >= 60, len(jobs)
    for (name, code, words), answer in zip(said, ask(*jobs)):
        assert "broken" not in answer, f"{name}: {answer}"
        assert answer["status"] == code and answer.get("said", "") + answer["messages"] == words, \
            f"{name}: {answer['status']}, not {code}\n{answer['messages']}\nnot\n{words}"


# ---- what else a page asks for

@test
def files_are_included():
    job = {"name": "m.tram", "text": 'include "parts/a.tram"\n' + PENDULUM,
           "files": {"parts/a.tram": 'include "b.tram"\n', "parts/b.tram": "param extra = 7\noutput more = extra\n"}}
    right, missing = ask(job, {**job, "files": {}})
    assert right["status"] == 0 and "more" in right["columns"], right["messages"]
    assert missing["status"] == 2 and "cannot include 'parts/a.tram': there is no such file" in missing["messages"], missing


@test
def settings_and_options():
    path = scratch / "p.tram"
    path.write_text(PENDULUM)
    samples = scratch / "columns"
    answer, wrong = ask({"path": str(path), "settings": [["L", "2*m/3"]], "columns": str(samples),
                         "options": [["until", "half"], ["tolerance", "1e-11"], ["integrator", "rk5"], ["exact", "yes"]]},
                        {"path": str(path), "settings": [["L", "2*nobody"]]})
    names, theirs, _ = native(path, "--set", "L=2*m/3", "--until", "half", "--tolerance", "1e-11", "--integrator", "rk5")
    assert answer["columns"] == names and [list(c) for c in columns_of(answer, samples)] == theirs
    assert wrong["status"] == 2 and "unknown name 'nobody'" in wrong["messages"]


@test
def the_page_has_what_it_takes_to_run_again():
    path = scratch / "p.tram"
    path.write_text(PENDULUM)
    answer, = ask({"path": str(path), "do": "page", "settings": [["m", "3"]], "options": [["until", "0.5"]]})
    data = json.loads(answer["page"])
    assert data["whole"] == ["N"] and data["derived"] == ["half"]
    assert data["settings"] == [["m", "3"]] and data["options"] == [["until", "0.5"]] and data["files"] == {}
    assert "<math" in data["equations"]


@test
def sessions_advance_and_are_set():
    path = scratch / "p.tram"
    path.write_text(PENDULUM)
    answer, = ask({"path": str(path), "do": "session", "options": [["exact", "yes"]],
                   "steps": [["advance", 0.25], ["advance", 0.5], ["g", 0], ["advance", 1], ["x", 0.5]]})
    assert answer["status"] == 0, answer
    names, columns, _ = native(path, "--every", "0.25")
    at = [dict(zip(answer["columns"], v)) for v in answer["values"]]
    for i, name in enumerate(names):
        assert at[1][name] == columns[i][2], name
    # without gravity it turns evenly: the tension is m v^2/L, in which the energy is
    energy = [m["x'"] ** 2 + m["y'"] ** 2 for m in at]
    assert abs(energy[3] - energy[2]) < 1e-9 and abs(at[3]["tension"] - 2 * energy[3]) < 1e-7
    # what is set keeps the constraint
    assert abs(at[4]["x"] ** 2 + at[4]["y"] ** 2 - 1) < 1e-9


@test
def the_start_is_assembled():
    answer, = ask({"name": "a.tram", "do": "assemble", "text":
                   "coord x, y\ninitial x = 0.6, y ~ -1\nkinetic (x'^2 + y'^2)/2\nconstraint ring: x^2 + y^2 = 1\n"})
    assert answer["status"] == 0 and answer["q"][0] == 0.6 and abs(answer["q"][1] + 0.8) < 1e-12, answer


@test
def checks_are_made():
    path = scratch / "p.tram"
    path.write_text(PENDULUM)
    answer, = ask({"path": str(path), "do": "check"})
    theirs = json.loads(subprocess.run([program, "check", "--json", path], capture_output=True, text=True).stdout)
    mine = json.loads(answer["json"])
    for key in ("coordinates", "rank", "degrees_of_freedom"):
        assert mine[key] == theirs[key], key


# frequencies at rest and in steady motions: by the engine's own eigenvalues, and by the program with LAPACK if it is there
@test
def linear_systems_are_those_of_the_program():
    cases = [("classics/double-pendulum", "equilibrium"), ("classics/chain", "equilibrium"), ("benchmarks/heavy-top", "start"),
             ("papers/002-auxiliary", "start"), ("mechanisms/massless-link", "start"), ("mechanisms/four-bar-3d", "equilibrium")]
    paths = [source / f"models/{name}.tram" for name, _ in cases]
    answers = ask(*({"path": str(path), "do": "linearize", "options": [["at", at]]} for path, (_, at) in zip(paths, cases)))
    compared = 0
    for path, (_, at), answer in zip(paths, cases, answers):
        done = subprocess.run([program, "linearize", "--json", "--at", at, path], capture_output=True, text=True)
        assert answer["status"] == done.returncode, f"{path}: {answer['status']}, not {done.returncode}\n{answer['messages']}"
        if done.returncode != 0:
            continue
        mine, theirs = ([complex(*z) for z in json.loads(text)["eigenvalues"]] for text in (answer["json"], done.stdout))
        size = max(map(abs, theirs))
        assert len(mine) == len(theirs) and size > 0.1
        for z in mine: # those that are 0 twice are known to half the digits
            assert min(abs(z - w) for w in theirs) <= 1e-6 * size, f"{path}: {z} is none of {theirs}"
        compared += 1
    assert compared >= 5


# ---- hands on

@test
def a_hand_holds_leads_and_lets_go():
    path = source / "models/classics/double-pendulum.tram"
    answer, = ask({"path": str(path), "do": "live", "steps": [
        ["live_hold", 0, 1, 1, 0, 0, 0, 0.3], ["live_lead", 1, -1.5, 0], ["live_aim", 1.2, 0.4, 0],
        *(["live_advance", i / 60] for i in range(1, 61)), ["live_let_go"], *(["live_advance", 1 + i / 60] for i in range(1, 31))]})
    held, led, *pulled = answer["numbers"]
    assert [round(x, 9) for x in held[3:6]] == [2, 0, 0]
    assert abs(led[3] - 1) < 1e-3 and abs(led[4] + 1.5) < 1e-3 and led[0] == 0, led
    assert max(n[2] for n in answer["numbers"]) < 1, "constraints are off by more than is allowed"
    assert abs(pulled[-1][1] - pulled[-25][1]) < 1e-4, "energy is not kept when it flies on"


# ---- what goes wrong

@test
def memory_that_runs_out():
    many = "for i in 1..N: constraint rod[i]: x[i] = i\n"
    job = {"name": "many.tram", "megabytes": 64,
           "text": f"param N = 1000000\ncoord x[1..N]\nkinetic sum(i in 1..N: x[i]'^2/2)\n{many}simulate until 1\n"}
    out, after = ask(job, {"name": "p.tram", "text": PENDULUM, "megabytes": 64})
    assert out.get("broken") == "out of memory", out
    assert after["status"] == 0 and after["samples"] == 11


@test
def runs_that_do_not_end():
    text = "coord x\ninitial x = 1\nkinetic x'^2/2\npotential 5e11*x^2\nsimulate until 1e9, every 1e8\n"
    endless, after = ask({"name": "e.tram", "text": text, "limit": 0.2}, {"name": "p.tram", "text": PENDULUM, "limit": 60})
    assert endless["status"] == 130, endless
    assert after["status"] == 0


@test
def hostile_texts():
    deep = "(" * 100000 + "x" + ")" * 100000
    texts = [f"coord x\nkinetic {deep}\n", "coord x\nkinetic " + "-" * 200000 + "x'^2\n", "\x01\x02</script><script>\n",
             "let f(a) = f(a)\ncoord x\nkinetic f(x)\n", "for i in 1..1: " * 5000 + "param p = 1\n", "\ud800 broken", ""]
    for text, answer in zip(texts, ask(*({"name": "h.tram", "text": text} for text in texts))):
        assert "broken" not in answer and answer["status"] == 2 and answer["messages"], (text[:40], answer)


def missing():
    if not engine.exists():
        return "no engine: scripts/wasm builds it where clang, lld and wasi-libc are"
    if shutil.which("node") is None:
        return "no node"
    major, minor = map(int, subprocess.run(["node", "-p", "process.versions.node"], capture_output=True,
                                           text=True).stdout.split(".")[:2])
    return None if (major, minor) >= (18, 18) else "node is older than 18.18"


if __name__ == "__main__":
    why = missing()
    if why:
        print(f"left out: {why}")
        sys.exit(0)
    try:
        sys.exit(run_all())
    finally:
        shutil.rmtree(scratch)
