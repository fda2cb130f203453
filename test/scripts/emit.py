#!/usr/bin/env python3
"""What `trammel emit c` writes: it compiles without a warning, gives the library's bits, needs nothing but the mathematical part
of the C library, and moves as `trammel run` does. With each compiler that is there; what is missing is said.

With TEST_EVERY=1 (make soak) all shipped models by all compilers, else one in so many of some, by the first.
"""
import csv
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from suite import every, run_all, test  # noqa: E402

TRAMMEL, SOURCE, BUILD = os.environ["TRAMMEL"], os.environ["SOURCE_DIR"], os.environ["BUILD_DIR"]
CC = os.environ.get("CC", "cc")
HOST_FLAGS = os.environ.get("HOST_FLAGS", "").split()
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"]
FEW = ["double-pendulum", "heavy-top", "003-measured", "four-bar-3d", "duffing-control", "000-nonideal-ring", "strandbeest",
       "000-rolling-disk"]
# Where the library's own way is not one kernel that solves, it goes by sparse factors, which agree to rounding.
NEAR = 1e-11
SAME = {"double-pendulum", "heavy-top", "003-measured", "duffing-control", "000-nonideal-ring", "strandbeest", "000-rolling-disk",
        "andrews", "andrews-bodies", "car-axis", "bicycle", "massless-link", "swing-up", "004-appell", "serial-chain"}
MOVED = ["double-pendulum", "duffing-control", "000-rolling-disk", "heavy-top", "four-bar-3d", "003-measured", "andrews", "car-axis",
         "massless-link", "strandbeest", "swing-up"]
REFUSED = {"incline-slide": "friction", "incline-stick": "friction", "stick-slip": "friction"}

everything = every() == 1
work = tempfile.mkdtemp()


def models():
    found = {os.path.basename(p)[:-5]: p for p in sorted(glob.glob(f"{SOURCE}/models/*/*.tram"))}
    return found if everything else {name: found[name] for name in FEW[::every()]}


def run(*command, env=None, code=0, cwd=work):
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=dict(os.environ, **(env or {})))
    if code is not None and done.returncode != code:
        raise AssertionError(f"{' '.join(command)}: exit code {done.returncode}, not {code}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done


def emit(path, folder, *options):
    run(TRAMMEL, "emit", "c", path, "-o", folder, "--prefix", "xm", "--quiet", *options)
    return os.path.join(work, folder)


def header(folder):
    with open(f"{folder}/xm.h") as f:
        return f.read()


def has_turns(folder):
    return "count whole turns" in header(folder)


def has_run(folder):
    """Coordinates of joints come from the bodies', which know of no whole turns."""
    return has_turns(folder) and "XM_BODY_COORDINATES" not in header(folder)


def output_columns(folder, names):
    with open(f"{folder}/xm.c") as f:
        listed = re.search(r"xm_output_name\[\] = \{\n(.*?)    NULL", f.read(), flags=re.DOTALL)[1]
    return [names.index(name) for name in re.findall(r'"(.*)",\n', listed)]


def states(path, to, folder):
    """What emit_check is asked with after the model: lines of t, q, q' along the model's run, of which the library is asked at
    20. With outputs where turns are counted: as many lines then that no turn lies between two."""
    end = run(TRAMMEL, "run", path, "--exact", "--quiet", "-o", f"{to}.csv", code=None)
    if not os.path.exists(f"{work}/{to}.csv"):
        raise AssertionError(end.stderr)
    with open(f"{work}/{to}.csv") as f:
        rows = list(csv.reader(f))
    names = rows[0][1:]
    n = next(n for n in range(1, len(names)) if all(names[n + i] == names[i] + "'" for i in range(n)))
    outputs = [1 + at for at in output_columns(folder, names)] if has_run(folder) else []
    rows = rows[1:4001]
    step = max(1, (len(rows) - 1) // 19)
    rows = rows[:19 * step + 1] if outputs else rows[::step][:20]
    with open(f"{work}/{to}", "w") as f:
        for row in rows:
            f.write(" ".join(row[:1 + 2 * n] + [row[at] for at in outputs]) + "\n")
    return f"{work}/{to}", str(step if outputs else 1)


def compile_check(compiler, folder, *flags):
    text = header(folder)
    has = [f"-D{word}" for word, sign in [("HAS_OUTPUTS", "xm_outputs("), ("HAS_CONTROL", "xm_control("), ("HAS_JACOBIAN", "xm_jacobian("),
                                          ("HAS_PARTS", "what answers the forces at hand, and\n * what follows from the constraints alone. Each")]
           if sign in text]
    has += ["-DHAS_TURNS"] * has_turns(folder) + ["-DHAS_RUN"] * has_run(folder)
    objects = f"{folder}/xm.o"
    run(compiler, *STRICT, "-O1", *flags, "-c", f"{folder}/xm.c", "-o", objects)
    run(CC, "-std=c99", "-D_GNU_SOURCE", *HOST_FLAGS, "-DP=xm", "-DN=XM", '-DHEADER="xm.h"', *has, f"-I{folder}", f"-I{SOURCE}/include",
        f"{SOURCE}/test/scripts/emit_check.c", objects, "-o", f"{folder}/check", f"-L{BUILD}", "-ltrammel", f"-Wl,-rpath,{BUILD}", "-lm")
    return f"{folder}/check"


def compilers():
    if not everything:
        return [CC]
    there = [c for c in ("gcc", "clang", "tcc") if shutil.which(c)]
    for name in ("gcc", "clang", "tcc"):
        if name not in there:
            print(f"left out: {name} is not there")
    return there


def flags_of(compiler):
    return HOST_FLAGS if compiler == CC else []


@test
def the_bits_of_the_library():
    for name, path in models().items():
        if name in REFUSED:
            continue
        folder = emit(path, f"bits-{name}")
        points = states(path, f"states-{name}", folder)
        for compiler in compilers():
            program = compile_check(compiler, folder, *flags_of(compiler))
            shown = run(program, path, *points, env={"TRAMMEL_KERNEL": "tape"}).stdout
            for line in shown.splitlines():
                what, count, same, worst = line.split()
                assert int(count) > 0, line
                if name in SAME and what != "run": # a run may evaluate its outputs by other kernels
                    assert count == same, f"{name}, {compiler}: {line}"
                assert float(worst) <= NEAR, f"{name}, {compiler}: {line}"
            assert shown.startswith("acceleration"), (name, shown)


SLOPES = """param k = 2, c = 0.3, e = 0.7
coord x, y
initial x = 0.4, y = -0.2, x' = 0.3, y' = 0.9
kinetic (x'^2 + 3*y'^2 + x*x'*y')/2
potential k*x^2/2 + e*x^4/4 + x*y^2
force x = -c*x'^3 + sin(y)
simulate until 1, every 0.05
"""
# Rows that depend on each other do so on the constraints alone, where no differences can be taken.
SLOPES_OF = ["double-pendulum", "heavy-top", "car-axis", "andrews", "000-rolling-disk", "bicycle"]


@test
def jacobians():
    """Against differences along the run; without constraints, against the matrix of linearize, too."""
    with open(f"{work}/slopes.tram", "w") as f:
        f.write(SLOPES)
    paths = [glob.glob(f"{SOURCE}/models/*/{name}.tram")[0] for name in SLOPES_OF]
    for path in [f"{work}/slopes.tram"] + (paths if everything else paths[:2][::every()]):
        folder = emit(path, "slopes", "--jacobian")
        program = compile_check(CC, folder, *HOST_FLAGS)
        *shown, at_start = run(program, path, *states(path, "states-slopes", folder)).stdout.splitlines()
        assert [line.split()[0] for line in shown if line.startswith("by")] == ["by_q", "by_v"], shown
        for line in shown:
            assert not line.startswith("by") or float(line.split()[3]) < 1e-6, (path, line)
        if path.startswith(work):
            A = json.loads(run(TRAMMEL, "linearize", path, "--json", "--quiet").stdout)["A"]
            theirs = A[2] + A[3]
            assert max(abs(a - b) for a, b in zip(json.loads(at_start), theirs)) < 1e-14, (at_start, theirs)


TURNS = """gravity (0, 0, -9.81)
body b: mass = 1, shape = rod(1), at = (0.5, 0, 0)
joint K: revolute(ground, b, at = (0, 0, 0), axis = (0, 1, 0))
torque K = -0.1*angle(K)
initial angle(K)' = 30
simulate until 3, every 0.02
"""


@test
def whole_turns():
    """Of a joint with a spring, at states that are only asked about."""
    path = f"{work}/turns.tram"
    with open(path, "w") as f:
        f.write(TURNS)
    folder = emit(path, "turns")
    assert has_run(folder)
    program = compile_check(CC, folder, *HOST_FLAGS)
    points, step = states(path, "states-turns", folder)
    shown = run(program, path, points, step, env={"TRAMMEL_KERNEL": "tape"}).stdout
    counted = {what: (int(count), float(worst)) for what, count, _, worst in map(str.split, shown.splitlines())}
    assert counted["run"][0] > 100 and all(worst <= NEAR for _, worst in counted.values()), shown
    with open(f"{work}/states-turns.csv") as f:
        names, rows = table(f.read())
    assert max(abs(row[names.index("angle(K)")]) for row in rows) > 28 # a turn is 6.3


@test
def without_the_general_solver():
    path = f"{SOURCE}/models/benchmarks/andrews.tram"
    folder = emit(path, "direct", "--solver", "direct")
    program = compile_check(CC, folder, *HOST_FLAGS)
    shown = run(program, path, *states(path, "states-direct", folder), env={"TRAMMEL_KERNEL": "tape"}).stdout
    for line in shown.splitlines():
        what, count, same, worst = line.split()
        assert int(count) > 0 and count == same, line
    with open(f"{folder}/xm.c") as f:
        assert "dense" not in f.read()


@test
def what_it_needs():
    allowed = {"memcpy", "memset", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log",
               "fabs", "floor", "pow", "fmax", "fmin", "sincos", "_GLOBAL_OFFSET_TABLE_"}
    for name, path in models().items():
        if name in REFUSED:
            continue
        folder = emit(path, f"needs-{name}")
        run(CC, "-std=c99", "-c", f"{folder}/xm.c", "-o", f"{folder}/xm.o") # sanitizers would need more
        shown = run("nm", "-u", f"{folder}/xm.o").stdout.split()
        needed = {word.split("@")[0] for word in shown if word != "U"}
        assert needed <= allowed, (name, needed - allowed)
        globals_ = run("nm", "-g", "--defined-only", f"{folder}/xm.o").stdout.splitlines()
        strange = [line for line in globals_ if not line.split()[-1].startswith("xm_")]
        assert not strange, (name, strange)


SINGLE = ["double-pendulum", "heavy-top", "massless-link-body"]
REFUSED_SINGLE = r"general solver is of no use|nearly singular, so that it would never work|friction that may stick"


def moves_in_single(path, folder):
    """Over a hundredth of the run, with ten steps between samples, as the library's run."""
    run(CC, *STRICT, "-Wdouble-promotion", *HOST_FLAGS, "-c", f"{folder}/xm.c", "-o", f"{folder}/xm.o")
    run(CC, *STRICT, *HOST_FLAGS, f"{folder}/xm.o", f"{folder}/xm_main.c", "-o", f"{folder}/main", "-lm")
    _, ours = table(run(f"{folder}/main", "10", code=None).stdout)
    run(TRAMMEL, "run", path, "--quiet", "-o", "single.csv", code=None)
    with open(f"{work}/single.csv") as f:
        names, theirs = table(f.read())
    n = next(n for n in range(1, len(names)) if names[1 + n] == names[1] + "'")
    part = max(3, len(theirs) // 100)
    off = max(abs(a - b) / (1 + abs(b)) for x, y in zip(ours[:part], theirs[:part]) for a, b in zip(x[:1 + 2 * n], y[:1 + 2 * n]))
    assert len(ours) >= part and off < 2e-4, (path, off)


@test
def single_precision():
    """Singular masses of unit quaternions included."""
    emitted = 0
    for path in [glob.glob(f"{SOURCE}/models/*/{name}.tram")[0] for name in SINGLE[::every()]] if not everything else models().values():
        done = run(TRAMMEL, "emit", "c", path, "-o", "float", "--prefix", "xm", "--float", code=None)
        if done.returncode:
            assert done.returncode == 2 and re.search(REFUSED_SINGLE, done.stderr), (path, done.stderr)
            continue
        emitted += 1
        found = re.search(r"accelerations to (\S+), multipliers to (\S+) of the largest, at (21|20) states", done.stdout)
        assert found and float(found[1]) < 1e-3 and float(found[2]) < 2e-3, (path, done.stdout)
        for name in ("xm.h", "xm.c"):
            with open(f"{work}/float/{name}") as f:
                assert "double" not in re.sub(r"/\*.*?\*/|//[^\n]*", "", f.read(), flags=re.DOTALL).replace('"double', ""), name
        moves_in_single(path, f"{work}/float")
    assert emitted >= (46 if everything else len(SINGLE[::every()])), emitted
    path = glob.glob(f"{SOURCE}/models/*/four-bar-3d.tram")[0]
    told = run(TRAMMEL, "emit", "c", path, "-o", "no", "--float", code=2).stderr
    assert "in single precision the general solver is of no use" in told, told


@test
def what_is_replaced_is_there():
    """A constant of the library that has another name by now would keep its value in single precision."""
    with open(f"{SOURCE}/src/export/runtime.in") as f:
        names = re.findall(r"(\w+) = [-\d.e]+[,;]", "".join(line for line in f if line.startswith("static const double ")))
    library = ""
    for path in glob.glob(f"{SOURCE}/src/[ls]*/*.[ch]") + glob.glob(f"{SOURCE}/src/motion/*.[ch]"):
        with open(path) as f:
            library += f.read()
    assert len(names) >= 6, names
    for name in names:
        assert re.search(rf"static const double .*\b{name} =", library), name


PROBE = r"""
#include "xm.h"
#include <stdio.h>
int main(void) {
    static xm_state s;
    double q[] = {0.6, 0.8, 1.4, 1.4}, v[] = {0.8, -0.6, 0.2, -0.15}, a[XM_COORDINATES];
    xm_init(&s);
    CHANGE;
    xm_prepare(&s);
    if (xm_acceleration(&s, 0, q, v, a, NULL, NULL) != XM_OK)
        return 1;
    for (int i = 0; i < XM_COORDINATES; i++)
        printf("%a ", a[i]);
    return 0;
}
"""


@test
def parameters():
    """One that is changed in the program does what --set does; those of which something was computed are not among them."""
    with open(f"{work}/pendulum.tram", "w") as f:
        f.write("param m = 2, g = 9.81, k = 1, N = 2, h = 0.5\ncoord x[1..N], y[1..N]\ninitial x[1] = 0.6, y[1] = 0.8, x[2] = 1.4, y[2] = 1.4\n"
                "kinetic m/2*(x[1]'^2 + y[1]'^2) + k*m/2*(x[2]'^2 + y[2]'^2)\npotential m*g*(y[1] + k*y[2])\n"
                "constraint a: x[1]^2 + y[1]^2 = 2*h\nconstraint b: (x[2] - x[1])^2 + (y[2] - y[1])^2 = 1\nsimulate until 1\n")
    shown = []
    for change, setting in (("s.parameter[2] = 3", []), ("", ["--set", "k=3"]), ("", [])):
        folder = emit("pendulum.tram", "probe", *setting)
        with open(f"{folder}/xm.h") as f:
            text = f.read()
        assert "XM_PARAMETERS = 4," in text and "as they were: N." in text, text
        with open(f"{folder}/probe.c", "w") as f:
            f.write(PROBE.replace("CHANGE", change))
        run(CC, "-std=c99", *HOST_FLAGS, f"{folder}/probe.c", f"{folder}/xm.c", "-o", f"{folder}/probe", "-lm")
        shown.append(run(f"{folder}/probe").stdout)
    assert shown[0] == shown[1] != shown[2], shown


@test
def refusals():
    for name, why in REFUSED.items():
        path = glob.glob(f"{SOURCE}/models/*/{name}.tram")[0]
        told = run(TRAMMEL, "emit", "c", path, "-o", "no", code=2).stderr
        assert "cannot be emitted as C" in told and why in told, told
        assert not os.path.exists(f"{work}/no")
    path = glob.glob(f"{SOURCE}/models/*/four-bar-3d.tram")[0]
    told = run(TRAMMEL, "emit", "c", path, "-o", "no", "--solver", "direct", code=2).stderr
    assert "more constraint rows than coordinates" in told, told
    told = run(TRAMMEL, "emit", "c", path, "-o", "no", "--prefix", "1-2", code=2).stderr
    assert "cannot begin with '1-2'" in told, told
    told = run(TRAMMEL, "emit", path, "-o", "no", code=2).stderr
    assert "trammel emit c FILE" in told, told
    with open(f"{work}/no-start.tram", "w") as f:
        f.write("coord x, y\ninitial x = 1, y = 1\nkinetic 1/2*(x'^2 + y'^2)\nconstraint rod: x^2 + y^2 = 1\nsimulate until 1\n")
    assert run(TRAMMEL, "emit", "c", "no-start.tram", "-o", "no", code=3).stderr
    with open(f"{work}/file", "w") as f:
        f.write("")
    told = run(TRAMMEL, "emit", "c", f"{SOURCE}/models/classics/pendulum.tram", "-o", "file", code=4).stderr
    assert "file" in told, told


HOSTILE = r'''title "*/ int x = 1; \ ??/ ??> /* // %s"
param int = 1, sin = 9.81, L = 2
coord double, x_init
initial double = L, x_init = 0
kinetic int/2*(double'^2 + x_init'^2)
potential int*sin*x_init
constraint while: double^2 + x_init^2 = L^2
output main = double + x_init
output NULL = x_init
simulate until 1, every 0.1
'''


@test
def hostile_names():
    with open(f"{work}/hostile.tram", "w") as f:
        f.write(HOSTILE)
    for prefix in ("int", "x", "NULL", "sin")[::every()]:
        run(TRAMMEL, "emit", "c", "hostile.tram", "-o", f"hostile-{prefix}", "--prefix", prefix, "--quiet")
        folder = f"{work}/hostile-{prefix}"
        run(CC, *STRICT, *HOST_FLAGS, f"{folder}/{prefix}.c", f"{folder}/{prefix}_main.c", "-o", f"{folder}/main", "-lm")
        shown = run(f"{folder}/main").stdout.splitlines()
        assert len(shown) == 12 and shown[0].startswith("t,double,x_init,double',x_init',main,NULL,reaction(double)"), shown[0]


@test
def decimal_commas():
    locales = run("locale", "-a", code=None).stdout.split()
    comma = next((name for name in locales if re.match(r"(de|fr|es|nl)_.*utf", name, re.I)), None)
    if comma is None:
        print("left out: there is no locale with decimal commas")
    path = f"{SOURCE}/models/classics/pendulum.tram"
    plain = emit(path, "plain")
    run(TRAMMEL, "emit", "c", path, "-o", "comma", "--prefix", "xm", "--quiet", env={"LC_ALL": comma or "de_DE.UTF-8"})
    for name in ("xm.h", "xm.c", "xm_main.c"):
        with open(f"{plain}/{name}") as a, open(f"{work}/comma/{name}") as b:
            assert a.read() == b.read(), name


def table(text):
    rows = list(csv.reader(text.splitlines()))
    return rows[0], [[float(cell) for cell in row] for row in rows[1:]]


@test
def main_moves_as_run_does():
    """Over a second or a tenth of the run, whichever is shorter; the columns are those of run."""
    for name in MOVED if everything else MOVED[:3][::every()]:
        path = glob.glob(f"{SOURCE}/models/*/{name}.tram")[0]
        folder = emit(path, f"main-{name}")
        run(CC, *STRICT, "-c", f"{folder}/xm_main.c", "-o", f"{folder}/main.o")
        with open(f"{folder}/xm_main.c") as f:
            text = f.read()
        times = re.search(r"from = \(?([^,;)]*)\)?, until = \(?([^,;)]*)\)?, every = ([^;]*);", text)
        start, until, space = map(float, times.groups())
        end = min(start + 1, start + (until - start) / 10)
        with open(f"{folder}/short.c", "w") as f:
            f.write(text.replace(f"until = {times.group(2)}", f"until = {end!r}"))
        run(CC, "-std=c99", "-O1", *HOST_FLAGS, f"-I{folder}", f"{folder}/xm.c", f"{folder}/short.c", "-o", f"{folder}/short", "-lm")
        names, ours = table(run(f"{folder}/short").stdout)
        run(TRAMMEL, "run", path, "--until", repr(end), "--every", repr(space), "--quiet", "--tolerance", "1e-11",
            "-o", f"run-{name}.csv", code=None)
        with open(f"{work}/run-{name}.csv") as f:
            theirs_names, theirs = table(f.read())
        assert names == theirs_names, (name, names, theirs_names)
        assert len(ours) == len(theirs), (name, len(ours), len(theirs))
        for k, what in enumerate(names):
            if what.startswith(("reaction", "residual")):
                continue
            size = max(1, max(abs(row[k]) for row in theirs))
            off = max(abs(a[k] - b[k]) for a, b in zip(ours, theirs))
            assert off <= 1e-8 * size, (name, what, off)


def there(*programs):
    missing = [name for name in programs if not shutil.which(name)]
    if missing:
        print(f"left out: {', '.join(missing)} is not there")
    return not missing


M7 = ["-O2", "-mcpu=cortex-m7", "-mfpu=fpv5-d16", "-mfloat-abi=hard", "-mthumb"]


@test
def other_processors():
    """A run without sines, line by line the same: as a program of ARM Linux, and on a bare Cortex-M7."""
    if not everything:
        return
    folder = emit(f"{SOURCE}/models/classics/double-pendulum.tram", "processors")
    files = [f"{folder}/xm.c", f"{folder}/xm_main.c"]
    run(CC, *STRICT, "-O2", *HOST_FLAGS, *files, "-o", f"{folder}/main", "-lm")
    ours = run(f"{folder}/main").stdout
    assert len(ours.splitlines()) == 1002
    if there("arm-linux-gnueabihf-gcc", "qemu-arm"):
        run("arm-linux-gnueabihf-gcc", *STRICT, "-O2", "-static", *files, "-o", f"{folder}/arm", "-lm")
        assert run("qemu-arm", f"{folder}/arm").stdout == ours
    if there("arm-none-eabi-gcc", "qemu-system-arm"):
        run("arm-none-eabi-gcc", "-std=c99", *M7, *files, f"{SOURCE}/test/scripts/emit_m7.c", "--specs=rdimon.specs",
            "-Wl,--section-start=.isr_vector=0", "-Wl,--section-start=.init=0x400", "-Wl,-Ttext=0x800", "-Wl,-Tdata=0x20000000", "-lm",
            "-o", f"{folder}/m7.elf")
        shown = run("qemu-system-arm", "-M", "mps2-an500", "-cpu", "cortex-m7", "-nographic", "-semihosting-config",
                    "enable=on,target=native", "-kernel", f"{folder}/m7.elf").stdout
        assert shown == ours, shown[:300]


code = run_all(of=None if every() > 2 else 1)  # with sanitizers some of these, too
shutil.rmtree(work)
sys.exit(code)
