"""Pictures and pages from outside: plot, run --plot, report, equations --mathml.

Surroundings: TRAMMEL, the program; TRAMMEL_PAGED, the same with a page of a few lines in it; SOURCE_DIR, the clone;
gnuplot. Prints "N passed, M failed", exit code 1 on failure.
"""
import csv
import fcntl
import json
import math
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import xml.etree.ElementTree

import page_data
from mathml_text import check_mathml
from suite import run_all, test

program = os.environ["TRAMMEL"]
paged = os.environ["TRAMMEL_PAGED"]
source = pathlib.Path(os.environ["SOURCE_DIR"])
scratch = pathlib.Path(tempfile.mkdtemp(prefix="trammel-pictures-"))

PENDULUM = """title "Pendulum"
param m = 2, L = 1, g = 9.81
coord x, y
initial x = L, y = 0
kinetic m/2*(x'^2 + y'^2)
potential m*g*y
constraint rod: x^2 + y^2 = L^2
output height = y + L
simulate until 1, every 0.1
plot "Position": x, y
plot "Path": y vs x
"""
STILL = "coord x\ninitial x = 1\nmass x = 1\n"
# what must come out as text and run nothing, wherever it stands
HOSTILE = [
    "' . system('touch pwned') . '", "`touch pwned`", "$(touch pwned)", "\\", "\\\\n", "@x", "{/Bold a}_b^c", "%s%n",
    "</script><script>alert(1)</script>", "<!--", "${x}", "&amp; <b>", "|touch pwned", "\u2028\u2029", "😀 שלום ½",
    "; system touch pwned", "!touch pwned", "1\\0561", "\t", "<img src=x onerror=alert(1)>", "; system 'touch pwned' #",
    "👩‍🚀 אבג \u202eדה",
]


def model(text, name="m.tram"):
    path = scratch / name
    path.write_text(text)
    return str(path)


def run(*arguments, code=0, by=program, **more):
    done = subprocess.run([by, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          cwd=scratch, **more)
    assert "Sanitizer" not in done.stderr and "runtime error" not in done.stderr, done.stderr
    assert done.returncode == code, f"exit code {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}"
    return done


def page_text(path, *options, code=0):
    """The text of the page's data, as it stands in the script element."""
    out = scratch / "page.html"
    run("report", path, "-o", out, *options, by=paged, code=code)
    text = out.read_text()
    before, after = (source / "test/scripts/page.html").read_text().split("null</script>")
    assert text.startswith(before) and text.endswith("</script>" + after), "the page is not whole"
    return text[len(before):-len("</script>" + after)]


def page(path, *options, code=0):
    return page_data.read(page_text(path, *options, code=code))


def texts_of(path):
    """The texts of a picture."""
    tree = xml.etree.ElementTree.parse(path)
    return [t for e in tree.iter() if e.tag.endswith("}text") for t in ["".join(e.itertext())]]


def points_of(path):
    """How many single points a picture has."""
    return len(re.findall(r"<use xlink:href='#gpPt\d+' transform='translate", path.read_text()))


# ---- plot


@test
def plot_writes_one_picture_each_and_one_of_all():
    path = model(PENDULUM, "swing.tram")
    for options, ending, magic in (([], "svg", b"<?xml"), (["--format", "png"], "png", b"\x89PNG"),
                                   (["--format=pdf"], "pdf", b"%PDF")):
        out = run("plot", path, *options).stdout.split()
        assert out == [f"swing-plots/swing{n}.{ending}" for n in ("-1", "-2", "")], out
        for name in out:
            assert (scratch / name).read_bytes().startswith(magic), name
    single = model(PENDULUM.replace('plot "Path": y vs x\n', ""), "one.tram")
    assert run("plot", single, "-o", "pictures").stdout == "pictures/one-1.svg\npictures/one.svg\n"
    assert run("plot", single, "-o", "pictures", "--quiet").stdout == ""


@test
def plot_shows_titles_and_labels():
    run("plot", model(PENDULUM, "swing.tram"))
    first, second = (texts_of(scratch / f"swing-plots/swing-{n}.svg") for n in (1, 2))
    for piece in ("Position", "t", "x", "y", "0.5"):
        assert piece in [t.strip() for t in first], (piece, first)
    assert "Path" in [t.strip() for t in second], second


@test
def plot_of_hostile_texts_shows_them_and_runs_nothing():
    shown = [text for text in HOSTILE if text.isprintable() or " " in text]
    plots = "".join(f'plot "{text}": x\n' for text in HOSTILE)
    path = model(PENDULUM + plots, "hostile.tram")
    for ending in ("svg", "png", "pdf"):
        run("plot", path, "-o", f"hostile-{ending}", "--format", ending)
    for number, text in enumerate(HOSTILE, 3):
        picture = " ".join(" ".join(texts_of(scratch / f"hostile-svg/hostile-{number}.svg")).split())
        expected = " ".join(text.replace("\t", "?").split())
        if text in shown:
            assert expected in picture.replace("\xa0", " "), (text, picture)
    assert not list(scratch.rglob("pwned*")), "a title was run"


@test
def plot_into_folders_of_hostile_names():
    path = model(PENDULUM)
    for name in ("|touch pwned", "`touch pwned`", "it's", 'quo"te', "-d", "new\nline", "ümläut", "%d", "a1"):
        run("plot", path, "-o", name)
        assert len(list((scratch / name).glob("*.svg"))) == 3, name
    assert not list(scratch.rglob("pwned")), "a name was run"


@test
def plot_of_a_hostile_file_name():
    folder = scratch / "names"
    folder.mkdir()
    path = folder / "`touch pwned` '\"$(x).tram"
    path.write_text(PENDULUM)
    run("plot", path)
    assert not list(scratch.rglob("pwned"))
    assert len(list((scratch / (path.stem + "-plots")).iterdir())) == 3


@test
def plot_without_gnuplot_says_what_to_install():
    empty = scratch / "empty"
    empty.mkdir()
    done = run("plot", model(PENDULUM), code=2, env={**os.environ, "PATH": str(empty)})
    assert "gnuplot-nox" in done.stderr and done.stdout == "", done


@test
def plot_that_fails_leaves_the_pictures_that_are_there():
    path, empty = model(PENDULUM, "kept.tram"), scratch / "nothing"
    empty.mkdir()
    run("plot", path)
    before = {file: file.read_bytes() for file in (scratch / "kept-plots").iterdir()}
    run("plot", path, code=2, env={**os.environ, "PATH": str(empty)})
    done = run("plot", model(PENDULUM + "constraint c: x = 5\n", "kept.tram"), code=3)
    assert "no samples" in done.stderr and done.stdout == "", done
    assert before == {file: file.read_bytes() for file in (scratch / "kept-plots").iterdir()}
    run("plot", path, "-o", "nowhere", code=3)
    run("plot", model(PENDULUM), "-o", "nowhere", code=2, env={**os.environ, "PATH": str(empty)})
    assert not (scratch / "nowhere").exists()


@test
def plot_of_the_users_settings_takes_nothing():
    home = scratch / "home"
    home.mkdir()
    (home / ".gnuplot").write_text("system 'touch pwned-home'\n")
    run("plot", model(PENDULUM), env={**os.environ, "HOME": str(home)})
    assert not list(scratch.rglob("pwned-home"))


@test
def plot_refuses():
    assert "no plots" in run("plot", model("coord x\nkinetic x'^2\nsimulate until 1\n"), code=2).stderr
    assert "no format 'gif'" in run("plot", model(PENDULUM), "--format", "gif", code=2).stderr
    (scratch / "file").write_text("")
    done = run("plot", model(PENDULUM), "-o", "file", code=4)
    assert done.stderr == "error: 'file' is not a folder\n", done
    assert "'file' is not a folder" in run("plot", model(PENDULUM), "-o", "file/below", code=4).stderr
    assert "go to a folder" in run("plot", model(PENDULUM), "-o", "-", code=2).stderr
    assert not (scratch / "-").exists()
    assert "no option of" in run("plot", model(PENDULUM), "--json", code=2).stderr
    run("plot", scratch / "nowhere.tram", code=4)


@test
def plot_after_a_failed_expectation_or_run():
    path = model(PENDULUM + "expect always x > 0.5\n", "fails.tram")
    failure = next(line.strip() for line in run("run", path, code=1).stdout.splitlines() if "failed at" in line)
    done = run("plot", path, code=1)
    assert len(done.stdout.split()) == 3 and done.stderr == failure + "\n", done
    assert run("report", path, "-o", "fails.html", by=paged, code=1).stderr == failure + "\n"
    assert run("plot", path, "--quiet", code=1).stderr == ""
    path = model('coord x\ninitial x = 1\nmass x = 1\nforce x = 1/(0.5 - t)^3\nsimulate until 1\nplot "x": x\n', "dies.tram")
    done = run("plot", path, code=3)
    assert done.stdout.split() == ["dies-plots/dies-1.svg", "dies-plots/dies.svg"] and "error" in done.stderr, done


@test
def plot_of_values_that_are_not_finite_or_do_not_vary():
    path = model("coord x\ninitial x = 1\nmass x = 1\nsimulate until 1\n"
                 'plot "NaN": sqrt(0.5 - t)\nplot "constant": x\nplot "zero": 0*x\nplot "all NaN": sqrt(-1 - t)\n'
                 'plot "point": x vs 2*x\nplot "tiny": 1e9 + t\nplot "none": x, 1e-300*t, 1e300*t\n')
    assert len(run("plot", path).stdout.split()) == 8
    assert "no finite values" in texts_of(scratch / "m-plots/m-4.svg")
    assert "1e9 + t − 1000000000" in texts_of(scratch / "m-plots/m-6.svg")
    assert points_of(scratch / "m-plots/m-1.svg") == 0 and points_of(scratch / "m-plots/m-5.svg") > 0
    assert len(run("plot", path, "--until", "0").stdout.split()) == 8
    assert points_of(scratch / "m-plots/m-1.svg") == 1 and points_of(scratch / "m-plots/m-7.svg") == 3
    run("plot", model(f"{STILL}simulate until 1\nplot \"alone\": 1/if(t == 0.5, 1, 0)\n"))
    assert points_of(scratch / "m-plots/m-1.svg") == 1


@test
def plot_makes_the_folders_above():
    assert run("plot", model(PENDULUM), "-o", "new/folder/").stdout.split()[0] == "new/folder//m-1.svg"
    run("plot", model(PENDULUM), "-o", scratch / "absolute/folder")
    assert len(list((scratch / "absolute/folder").iterdir())) == 3


@test
def plot_shortens_what_does_not_fit():
    words, letters = "A title about things " * 20, "W" * 300
    curves = ", ".join(f"cos({k}*t)*{k}" for k in range(40))
    run("plot", model(f'{STILL}simulate until 1\nplot "{words}": x\nplot "{letters}": {"sin(x) + " * 20} x, x vs {"1 + " * 50}x\n'
                      f'plot "many": {curves}\nplot "long": {"sin(x)*" * 9}x\n'))
    for number in (1, 2, 3, 4):
        shown = texts_of(scratch / f"m-plots/m-{number}.svg")
        assert max(map(len, shown)) < 65, shown
        assert max(map(len, shown)) < 32 or number != 2 or "sin" in max(shown, key=len) or "1 + 1" in max(shown, key=len)
        assert any(t.endswith("…") for t in shown) or number == 3, shown
    shown = texts_of(scratch / "m-plots/m-3.svg")
    assert "and 28 more" in shown and sum("cos" in t for t in shown) == 12, shown


@test
def plot_to_scale_has_room_for_its_label():
    for path in ("classics/chaplygin-sleigh", "classics/pendulum"):
        run("plot", source / f"models/{path}.tram", "-o", "scaled")
    turned = {file.name: re.findall(r"translate\(([-\d.]+),[-\d.]+\) rotate\(-90", file.read_text())
              for file in (scratch / "scaled").glob("*.svg")}
    assert any(turned.values()) and min(float(x) for places in turned.values() for x in places) > 9, turned


@test
def plot_as_pdf_of_characters_that_no_font_has():
    sizes = []
    for name, title in enumerate(("\U000f1234 é", "□ é", "? é")):
        path = model(f'{STILL}simulate until 1\nplot "{title}": x\n', f"glyph{name}.tram")
        run("plot", path, "--format", "pdf", "-o", "glyphs")
        sizes.append((scratch / f"glyphs/glyph{name}-1.pdf").stat().st_size)
    assert min(abs(sizes[0] - size) for size in sizes[1:]) < 50, sizes


@test
def plot_of_many_samples_is_thinned():
    path = model('coord x\ninitial x = 1\nkinetic x\'^2/2\npotential x^2/2\nplot "x": x\nsimulate until 1, every 1e-5\n')
    run("plot", path)
    assert (scratch / "m-plots/m-1.svg").stat().st_size < 400_000


@test
def plot_in_a_loop():
    path = model("coord x[1..3]\ninitial x[1] = 1\nfor i in 1..3: mass x[i] = 1\nsimulate until 1\n"
                 'for i in 1..3: plot "All": x[i], 2*x[i]\nfor i in 2..3: plot "Path": x[i] vs x[i - 1]\n')
    plots = page(path)["plots"]
    assert [p["title"] for p in plots] == ["All", "Path", "Path"]
    assert [s["label"] for s in plots[0]["series"]] == ["x[1]", "2*x[1]", "x[2]", "2*x[2]", "x[3]", "2*x[3]"]
    assert plots[1]["series"][0]["label"] == "x[2]" and plots[1]["x"]["label"] == "x[2 - 1]"


# ---- run --plot


AXES = """coord x
initial x = 1
kinetic x'^2/2
dissipation x'^2
potential x^2/2
simulate until 20, every 0.05
plot "Ends" (xlabel = "time / s", ylabel = "way / m", xrange = 2..6, yrange = ..0.5): x, x'
plot "Decades" (ylabel = "way", ylog): x
plot "Both" (xlog, ylog, xrange = 0.1..): x vs t + 1e-3
plot "None" (xrange = 30..40): x
plot "Below" (ylog): -x
"""


def marks_of(path):
    """The numbers at the axes of a picture, as they are written."""
    return {t.strip() for t in texts_of(path)}


@test
def plot_has_the_axes_that_are_asked_for():
    path = model(AXES, "axes.tram")
    run("plot", path)
    ends, decades, both, none, below = (marks_of(scratch / f"axes-plots/axes-{n}.svg") for n in range(1, 6))
    assert {"time / s", "way / m", "x", "x\u0307", "2", "6", "0.4"} <= ends and not {"0.6", "1", "8", "t"} & ends, ends
    assert {"way", "t", "10⁻⁸", "10⁰"} <= decades and "x" not in decades, decades
    assert {"0.1", "1", "10"} <= both, both
    assert "no values in this range" in none and "no values above 0" in below, (none, below)
    axes = page(path)["plots"][0]["axes"]
    assert axes == [{"label": "time / s", "from": 2, "to": 6, "log": False}, {"label": "way / m", "from": None, "to": 0.5, "log": False}]
    sketch = run("run", path, "--plot", env={**os.environ, "COLUMNS": "80"}).stdout
    first, second = sketch.split("Ends\n")[1].split("Decades\n")
    lines = first.splitlines()
    assert re.fullmatch(r" +2 +time / s +6", lines[13]) and lines[0].strip().startswith("0.5 ┤") and "way / m" in lines[15], first
    assert "1 ┤" in second.splitlines()[0], second
    # x = (1 + t) exp(-t): its logarithm is nearly a straight line, so that half the way is half as high as the axis
    rows = [i for i, line in enumerate(second.splitlines()[:12]) if "\u2800" < line.ljust(80)[45] <= "\u28ff"]
    assert rows and 4 <= rows[0] <= 7, second


@test
def plot_has_the_size_that_is_asked_for():
    path = model(PENDULUM, "sized.tram")
    run("plot", path, "--width", "60", "--height", "45.5", "--font-size", "6", "-o", "sized")
    root = xml.etree.ElementTree.parse(scratch / "sized/sized-1.svg").getroot()
    assert [root.get("width"), root.get("height")] == ["227", "172"], root.attrib # 96 to an inch
    assert 'font-size="8.00"' in (scratch / "sized/sized-1.svg").read_text() # 6 pt
    root = xml.etree.ElementTree.parse(scratch / "sized/sized.svg").getroot()
    assert [root.get("width"), root.get("height")] == ["227", "344"], root.attrib
    run("plot", path, "--width", "60", "--format", "png", "-o", "sized")
    width, height = struct.unpack(">II", (scratch / "sized/sized-1.png").read_bytes()[16:24])
    assert width == 709 and height > 300, (width, height) # 300 to an inch
    assert "found 'wide'" in run("plot", path, "--width", "wide", code=2).stderr
    assert "20 to 1000 mm" in run("plot", path, "--width", "5000", code=2).stderr
    done = run("plot", path, "--height", "20", "--font-size", "12", code=2)
    assert 'plot "Position"' in done.stderr and "no room for this plot in 85 x 20 mm with letters of 12 pt" in done.stderr, done.stderr
    assert "a size of its own" in run("plot", path, "--vary", "L=1:2:2", "--width", "60", code=2).stderr


@test
def run_plot_draws_with_characters():
    path = model(PENDULUM)
    done = run("run", path, "--plot")
    assert "Position" in done.stdout and "Path" in done.stdout and "a x   b y" in done.stdout, done.stdout
    assert any("\u2800" < c <= "\u28ff" for c in done.stdout), "no Braille"
    assert max(map(len, done.stdout.splitlines())) <= 110
    done = run("run", path, "--plot", "--json")
    json.loads(done.stdout)
    assert "Position" in done.stderr
    assert "nothing to plot" in run("run", model("coord x\nmass x = 1\nsimulate until 1\n"), "--plot").stderr
    assert "\x1b" not in run("run", model(PENDULUM + 'plot "\x1b[31m": x\n'), "--plot").stdout


def terminal(path, columns, colour):
    """What `run --plot` shows in a terminal, line by line; the summary is left out."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    surroundings = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | ({} if colour else {"NO_COLOR": "1"})
    shown = b""
    with subprocess.Popen([program, "run", path, "--plot"], stdout=theirs, stderr=subprocess.DEVNULL, env=surroundings) as child:
        os.close(theirs)
        try:
            while piece := os.read(ours, 65536):
                shown += piece
        except OSError:  # its end is closed
            pass
        assert child.wait() == 0
    os.close(ours)
    return re.sub(r"\x1b\[\d*m", "", shown.decode()).replace("\r", "").split("\n\n", 1)[1].splitlines()


@test
def run_plot_fits_the_terminal():
    curves = ", ".join(f"x + {k}" for k in range(70))
    path = model(PENDULUM + f'plot "{"A title " * 30}": {"sin(x) + " * 20}x vs {"1 + " * 50}x\nplot "wide": -1.234e-300*x\n'
                 f'plot "many": {curves}\nplot "{"中文" * 40}": x\n')
    for columns in (30, 60, 80, 200):
        for colour in (False, True):
            lines = terminal(path, columns, colour)
            wide = [line for line in lines if len(line) + len(re.findall("[中文]", line)) > columns]
            assert not wide, (columns, wide)
            axes = {line.index("│") for line in lines[1:14] if "│" in line}
            assert len(axes) == 1 and max(map(len, lines)) == columns, (columns, axes)
            assert any(line.endswith("* 8 more") for line in lines), lines
    assert any("c x + 2" in line for line in lines)


@test
def run_plot_of_what_hardly_varies_and_of_nothing():
    path = model(f'{STILL}simulate until 1\nplot "tiny": 0.5 + 1e-9*t\nplot "all NaN": sqrt(-1 - t)\nplot "zero": 0*x\n')
    done = run("run", path, "--plot").stdout
    tiny, empty, zero = done.split("\n\n")[1:]
    assert "values − 0.5" in tiny and "1e-09 ┤" in tiny and " 0 ┤" in tiny, tiny
    assert "no finite values" in empty and "┤" not in empty and "-1 ┤" in zero, done
    done = run("run", model(PENDULUM + "constraint c: x = 5\n"), "--plot", code=3)
    assert "no samples" in done.stderr and "a model says" not in done.stderr, done


# ---- report


@test
def report_has_what_the_run_has():
    path = model(PENDULUM)
    data = page(path)
    run("run", path, "-o", scratch / "m.csv", "--quiet")
    with open(scratch / "m.csv", newline="") as file:
        head, *rows = csv.reader(file)
    columns = {c["name"]: c for c in data["columns"]}
    assert ["t", *columns][:len(head)] == head and list(columns)[len(head) - 1:] == ["kinetic", "potential", "energy"]
    assert data["times"] == [float(row[0]) for row in rows]
    for number, name in enumerate(head[1:], 1):
        assert columns[name]["values"] == [float(row[number]) for row in rows], name
    kinds = [c["kind"] for c in data["columns"]]
    assert kinds == ["coordinate"] * 2 + ["velocity"] * 2 + ["output"] + ["reaction"] * 2 + ["residual"] + ["energy"] * 3
    assert data["version"] == 3 and data["title"] == "Pendulum" and data["model"] == "m.tram"
    assert data["text"] == pathlib.Path(path).read_text()
    assert data["summary"]["degrees_of_freedom"] == 1 and data["messages"] == "" and data["left_out"] == []
    assert data["parameters"] == [{"name": "m", "value": 2, "text": "2"}, {"name": "L", "value": 1, "text": "1"},
                                  {"name": "g", "value": 9.81, "text": "9.81"}]
    position, path_plot = data["plots"]
    assert position["x"] | {"accuracy": 0} == {"label": "t", "shown": "t", "accuracy": 0, "values": data["times"]}
    assert position["series"][1] == {"label": "y", "shown": "y", "accuracy": columns["y"]["accuracy"],
                                     "values": columns["y"]["values"]}
    assert path_plot["x"]["label"] == "x" and path_plot["x"]["values"] == columns["x"]["values"]


@test
def what_varies_by_less_than_its_accuracy_is_constant():
    path = model(PENDULUM + """plot "Invariants": x^2 + y^2, energy, x
plot "Nothing": x*x' + y*y'
""", "flat.tram")
    data = page(path)
    invariants, nothing = data["plots"][2]["series"], data["plots"][3]["series"][0]
    for series in (*invariants[:2], nothing):
        spread = max(series["values"]) - min(series["values"])
        assert spread <= series["accuracy"] < 1e-6, (series["label"], spread, series["accuracy"])
    moving = invariants[2]["values"]
    assert max(moving) - min(moving) > 1e3 * invariants[2]["accuracy"]
    assert [s["shown"] for s in invariants] == ["x² + y²", "energy", "x"]
    # a run of looser tolerance is less accurate, in proportion
    loose = page(path, "--tolerance", "1e-6")["plots"][2]["series"][1]["accuracy"]
    tight = page(path, "--tolerance", "1e-9")["plots"][2]["series"][1]["accuracy"]
    assert 500 < loose / tight < 2000, (loose, tight)
    sketch = run("run", path, "--plot", env={**os.environ, "COLUMNS": "80"}).stdout
    assert len(re.findall(r"energy \(constant( to 1e-\d+)?\)", sketch)) == 1, sketch
    nothing_drawn = sketch.split("Nothing\n")[1]
    rows = [line for line in nothing_drawn.splitlines() if re.search("[│┤].*[\u2801-\u28ff]", line)]
    assert len(rows) == 1, nothing_drawn # a line in one row, whatever noise it has
    run("plot", path)
    texts = [t.strip() for t in texts_of(scratch / "flat-plots/flat-3.svg")]
    assert any(re.fullmatch(r"energy \(constant( to 1e-\d+)?\)", t) for t in texts), texts


@test
def energy_work_and_power_are_columns_of_a_page():
    """A torque T on a wheel of the inertia J does the work T angle with the power T rate; a drag -c x' takes what it takes."""
    data = page(model("""param J = 0.5, T = 3, c = 0.4
body2 W: mass = 1, inertia = J
joint hub: revolute(ground, W, at = (0, 0))
torque hub = T
coord x
initial x = 0, x' = 2
mass x = 1
dissipation c/2*x'^2
output own = (kinetic, work(hub), power(hub), work(dissipation))
output closed = (T*angle(hub), T*angle(hub)', -c*x'^2, (x'^2 - 4)/2)
simulate until 2, tolerance 1e-10
"""))
    columns = {c["name"]: c for c in data["columns"]}
    kinds = [(c["name"], c["kind"]) for c in data["columns"] if c["kind"] in ("energy", "work", "power")]
    assert kinds == [("kinetic", "energy"), ("potential", "energy"), ("energy", "energy"), ("energy - work", "energy"),
                     ("work(dissipation)", "work"), ("work(torque(hub))", "work"),
                     ("power(dissipation)", "power"), ("power(torque(hub))", "power")], kinds
    for name, others in (("kinetic", ["own.w"]), ("work(torque(hub))", ["own.x", "closed.w"]), ("power(torque(hub))", ["own.y", "closed.x"]),
                         ("work(dissipation)", ["own.z", "closed.z"]), ("power(dissipation)", ["closed.y"])):
        for other in others:
            assert near(columns[name]["values"], columns[other]["values"], 1e-8), (name, other)
    balance = columns["energy - work"]
    assert max(balance["values"]) - min(balance["values"]) <= balance["accuracy"] < 1e-7, balance["accuracy"]
    assert data["summary"]["balance"]["work"] == {n: columns[f"work({n})"]["values"][-1] for n in ("dissipation", "torque(hub)")}
    hoop = page(source / "models/classics/bead-on-hoop.tram")  # a motor turns it: T + V is not what is conserved
    jacobi = next(c for c in hoop["columns"] if c["name"] == "jacobi")
    assert max(jacobi["values"]) - min(jacobi["values"]) <= jacobi["accuracy"] < 1e-6


class Body:
    """What acts on a body of a page, about its centre: forces and torques in space, at a sample."""

    def __init__(self, data, body):
        self.data, self.body, self.count = data, body, len(data["times"])

    def at(self, of, key, sample):
        value = of.get(key, [])
        wide = 3 if len(value) == 3 or len(value) >= 3*self.count else 1
        value = value[wide*sample:wide*sample + wide] if len(value) > wide else value
        return list(value) if len(value) == 3 else [0, 0, *value] if value else [0, 0, 0]

    def acting(self, of, sample):
        """A force with its torque about the joint's point, as a force and a torque about the centre."""
        sign = 1 if of["on"][1] == self.body["body"] else -1
        force = [sign*v for v in self.at(of, "force", sample)]
        x, y, z = (a - b for a, b in zip(self.at(of, "at", sample), self.at(self.body, "at", sample)))
        arm = [y*force[2] - z*force[1], z*force[0] - x*force[2], x*force[1] - y*force[0]]
        return force, [sign*v + w for v, w in zip(self.at(of, "torque", sample), arm)]

    def terms(self, sample, *lists):
        on = [f for key in lists for f in self.data[key] if self.body["body"] in f.get("on", [])]
        return [self.acting(f, sample) for f in on]

    def given(self, key, sample):
        return self.at(self.body, key, sample), self.at(self.body, f"{key}_torque", sample)

    def sums_to_zero(self, terms, sample):
        """Within what floats leave: of the terms, and of levers between points far from the origin."""
        for part in (0, 1):
            largest = max(abs(v) for term in terms for v in term[part])
            push = max(abs(v) for force, _ in terms for v in force)*part
            lever = push*max(map(abs, self.at(self.body, "at", sample)))
            total = max(abs(sum(term[part][k] for term in terms)) for k in range(3))
            assert total <= 2e-6*largest + 1e-6*lever + (1e-14*(1 + push) if part else 1e-20), (self.data["model"], self.body["body"], sample, "torque" if part else "force", terms)
        return any(v for term in terms for v in term[1])


def bodies_of(data):
    return [Body(data, body) for body in data["bodies"]]


@test
def what_acts_on_a_body_sums_to_zero():
    """The force and torque of each joint, what is applied and inertia, at 100 instants of ten models; those of joints are of their rows,
    and inertia is of the accelerations, so nothing makes them sum but the equations of motion."""
    for name in ("governor", "bennett", "cardan", "four-bar-3d", "robot", "delta", "bicycle", "serial-chain", "six-rss",
                 "slider-crank-3d"):
        data = page(source / f"models/mechanisms/{name}.tram", "--until", "0.2", "--every", "0.002")
        checked = turning = 0
        for body in bodies_of(data):
            if not body.body["joints_only"]:
                continue
            for sample in range(body.count):
                terms = [body.given("active", sample), body.given("inertia", sample), *body.terms(sample, "forces")]
                turning += body.sums_to_zero(terms, sample)
                checked += 1
        assert checked >= 100 and turning >= 50, (name, checked, turning)


@test
def springs_friction_and_what_is_applied_stand_apart():
    """Each by its law; with weight, joints and inertia they sum to zero."""
    data = page(model("""param k = 30, l = 0.5, c = 2, mu = 0.3
gravity (0, -10)
body2 B: mass = 2, inertia = 1, at = (1, 0), velocity = (1, 0)
joint floor: prismatic(ground, B, axis = (1, 0))
friction floor: mu = mu
spring S: (0, 0), B, stiffness = k, length = l, damping = c
force B at (0, 0.5) = (3*cos(t), -4)
torque B = 0.7
simulate until 1, every 0.02
"""))
    (body,) = bodies_of(data)
    columns = {c["name"]: c["values"] for c in data["columns"]}
    slid = 0
    for sample in range(body.count):
        x, v, t = columns["B.x"][sample], columns["B.x'"][sample], data["times"][sample]
        loads = {f["load"]: body.acting(f, sample) for f in data["loads"] if f["kind"] != "applied"}
        applied = [body.acting(f, sample) for f in data["loads"] if f["kind"] == "applied"]
        assert near(loads["S"][0], [-30*(x - 0.5) - 2*v, 0, 0], 1e-5) and near(loads["S"][1], [0, 0, 0], 1e-5)
        assert near(applied[0][0], [3*math.cos(t), -4, 0]) and near(applied[0][1], [0, 0, -1.5*math.cos(t)], 1e-5)
        assert applied[1][0] == [0, 0, 0] and near(applied[1][1], [0, 0, 0.7])
        (joint,) = body.terms(sample, "forces")
        assert near(joint[0], [0, 24, 0], 1e-5), joint
        if abs(v) > 1e-6:  # it slips
            assert near(loads["friction of floor"][0], [-0.3*24*math.copysign(1, v), 0, 0], 1e-5), loads
            slid += 1
        terms = [(body.at(body.body, "weight", sample), [0, 0, 0]), body.given("inertia", sample), joint, *loads.values(), *applied]
        assert body.sums_to_zero(terms, sample)
    assert slid > 10
    for name in ("mechanisms/incline-slide", "mechanisms/incline-stick", "mechanisms/stick-slip"):  # slipping, sticking, both
        data = page(source / f"models/{name}.tram")
        for body in bodies_of(data):
            given = ("weight", "inertia")
            for sample in range(0, body.count, 20):
                terms = [(body.at(body.body, key, sample), body.at(body.body, f"{key}_torque", sample)) for key in given]
                body.sums_to_zero(terms + body.terms(sample, "forces", "loads"), sample)
    data = page(model("""body A: mass = 1, inertia = (1, 2, 3), at = (1, 0, 0), omega = (1, 2, 3)
body B: mass = 2, inertia = (2, 2, 3), at = (0, 0, 3), rotation = (0.3, 0.2, 0.1)
spring S: point(A, (0.1, 0.2, 0.3)), point(B, (0, 0.5, 0)), stiffness = 5
torque B = (0.1, 0.2, 0.3)
simulate until 1, every 0.05
"""))
    motors = page(model("""gravity (0, -9.81, 0)
body A: mass = 1, shape = box(1, 0.2, 0.1), at = (0.5, 0, 0)
body B: mass = 2, shape = box(0.3, 0.2, 0.1), at = (1, 0, 0.2)
joint hub: revolute(ground, A, at = (0, 0, 0), axis = (0, 1, 2))
joint rail: prismatic(A, B, axis = (1, 0, 1), at = (1, 0, 0))
torque hub = 2*sin(3*t) - 0.1*angle(hub)'
force rail = 5 - 20*displacement(rail)
body2 C: mass = 1, inertia = 0.2, at = (0, 3)
body2 D: mass = 1, inertia = 0.3, at = (1, 3)
joint slot: prismatic(ground, C, axis = (2, 1))
joint pin: revolute(C, D, at = (0.5, 3))
force slot = cos(t)
torque pin = 0.3
simulate until 1, every 0.02
"""))
    assert sorted(f["load"] for f in motors["loads"]) == ["force rail", "force slot", "torque hub", "torque pin"]
    for body in bodies_of(motors):
        assert body.body["joints_only"]
        for sample in range(body.count):
            weight = (body.at(body.body, "weight", sample), [0, 0, 0])
            body.sums_to_zero([weight, body.given("inertia", sample), *body.terms(sample, "forces", "loads")], sample)
    for body in bodies_of(data):  # without constraints, torques in space are those of springs and in the body's own axes
        for sample in range(body.count):
            assert body.sums_to_zero([body.given("inertia", sample), *body.terms(sample, "loads")], sample)


@test
def report_of_a_changed_parameter():
    data = page(model(PENDULUM + "param k = 2*L\n"), "--set", "L=3")
    assert data["columns"][0]["values"][0] == 3
    assert data["parameters"][1] == {"name": "L", "value": 3, "text": "1"}
    assert data["parameters"][3] == {"name": "k", "value": 6, "text": "2*L"}


def near(a, b, least=1e-6):
    return len(a) == len(b) and all(abs(x - y) <= least * (1 + abs(y)) for x, y in zip(a, b))


@test
def report_draws_as_told():
    path = model(PENDULUM + 'draw line (0, 0) (x, y)\ndraw circle (x, y) 0.1 + t\ndraw trace (x, y)\n'
                            'draw arrow (x, y) (x\', y\')\ndraw spring (0, 1) (x, y)\ndraw text (x, y) "bob"\n')
    data = page(path)
    columns = {c["name"]: c["values"] for c in data["columns"]}
    at = [v for x, y in zip(columns["x"], columns["y"]) for v in (x, y, 0)]
    line, circle, trace, arrow, spring, text = data["draws"]
    assert [d["kind"] for d in data["draws"]] == ["line", "circle", "trace", "arrow", "spring", "text"]
    assert line["at"] == [0, 0, 0] and near(line["to"], at) and line["label"] == "(0, 0) (x, y)"
    assert near(circle["at"], at) and near(circle["size"], [0.1 + t for t in data["times"]])
    assert near(trace["at"], at) and "to" not in trace
    assert near(arrow["to"], [v for x, y in zip(columns["x'"], columns["y'"]) for v in (x, y, 0)])
    assert spring["at"] == [0, 1, 0] and near(text["at"], at) and text["text"] == "bob"
    assert data["dimension"] == 2 and data["up"] == "y"
    (force,) = data["forces"]
    assert near(force["at"], at) and force["constraint"] == "rod"
    reactions = zip(columns["reaction(x)"], columns["reaction(y)"])
    assert near(force["force"], [v for x, y in reactions for v in (x, y, 0)])


BODIES = """gravity (0, 0, -9.81)
body A: mass = 1, shape = rod(2), at = (1, 0, 0)
body B: mass = 1, shape = box(2, 0.1, 0.1), at = (3, 0, 0)
body C: mass = 2, inertia = (1, 1, 1), at = (5, 0, 0)
particle P: mass = 1, at = (0, 5, 0)
joint pin: revolute(ground, A, at = (0, 0, 0), axis = (0, 1, 0))
joint knee: spherical(A, B, at = (2, 0, 0))
joint rope: distance((0, 4, 0), P, length = 1)
spring S: B, C, stiffness = 3
simulate until 0.5, every 0.1
"""


@test
def report_of_bodies_that_draw_themselves():
    data = page(model(BODIES))
    drawn = [(d["kind"], d["label"]) for d in data["draws"]]
    assert drawn == [("line", "A"), ("box", "B"), ("ellipsoid", "C"), ("point", "P"), ("line", "rope"), ("spring", "S")], drawn
    pin, knee = ([d for d in data["glyphs"] if d["label"] == name] for name in ("pin", "knee"))
    assert [d["kind"] for d in pin] == ["box", "box"] + ["cylinder"] * 5 and [d["kind"] for d in knee] == ["sphere", "cylinder"]
    by_label = {d["label"]: d for d in data["draws"]}
    columns = {c["name"]: c["values"] for c in data["columns"]}
    samples = range(len(data["times"]))
    assert near(by_label["B"]["at"], [columns[f"B.{k}"][i] for i in samples for k in "xyz"])
    assert near(by_label["B"]["turn"], [columns[f"B.q{k}"][i] for i in samples for k in range(4)])
    assert by_label["B"]["size"] == [2, 0.1, 0.1]
    half = math.sqrt(2.5 / 2 * 1)  # m/5 (b^2 + c^2) = J
    assert near(by_label["C"]["size"], [half] * 3)
    assert pin[2]["at"] == [0, 0, 0] and data["dimension"] == 3 and data["up"] == "z"
    ends = [math.dist(by_label["A"]["at"][3 * i:3 * i + 3], by_label["A"]["to"][3 * i:3 * i + 3]) for i in samples]
    assert near(ends, [2] * len(ends), 1e-5)
    forces = {f["constraint"]: f["force"] for f in data["forces"]}
    assert sorted(forces) == ["knee", "pin", "rope"], sorted(forces)
    outputs = page(model(BODIES + "output F = reaction(knee)\noutput G = reaction(rope)\n"))
    columns = {c["name"]: c["values"] for c in outputs["columns"]}
    for name, constraint in (("F", "knee"), ("G", "rope")):
        assert near(forces[constraint], [columns[f"{name}.{k}"][i] for i in samples for k in "xyz"])
    told = page(model(BODIES + "draw line (0, 0, 0) P\n"))
    assert [d["kind"] for d in told["draws"]] == ["line", "line", "box", "ellipsoid", "spring"] and len(told["forces"]) == 3
    traced = page(model(BODIES + 'draw trace P\ndraw text P "here"\ndraw arrow P (0, 0, 1)\n'))
    assert [(d["kind"], d["label"]) for d in traced["draws"]][3:] == drawn


@test
def report_of_distances_between_particles():
    data = page(model("""param h = 2
particle A: mass = 1, at = (1, 0, 1)
particle B: mass = 1, at = (2, 0, 1)
particle C: mass = 2, at = (2, 1, 1)
particle D: mass = 1, at = (5, 0)
constraint top: norm(A - (0, 0, h)) = sqrt(2)
constraint ab: dot(A - B, A - B) = 1
constraint bc: 2*(B.x - C.x)^2 + 2*(C.y - B.y)^2 + 2*(B.z - C.z)^2 = 2
constraint plane: C.y = 1
constraint ellipse: (A.x - C.x)^2 + 2*(A.y - C.y)^2 + (A.z - C.z)^2 = 3
constraint twice: (A.x - C.x)^2 + (A.x - C.x)^2 + (A.z - C.z)^2 = 2
constraint flat: (A.x - B.x)^2 + (A.y - B.y)^2 = 1
constraint mixed: (A.x - B.x)^2 + (A.y - C.z)^2 + (A.z - B.z)^2 = 2
constraint circle: (D.x - 4)^2 + D.y^2 - 1 = 0
simulate until 0.01, every 0.01
"""))
    lines = {d["label"]: (d["at"][:3], d["to"][:3]) for d in data["draws"] if d["kind"] == "line"}
    assert lines == {"top": ([1, 0, 1], [0, 0, 2]), "ab": ([1, 0, 1], [2, 0, 1]), "bc": ([2, 0, 1], [2, 1, 1]),
                     "circle": ([5, 0, 0], [4, 0, 0])}, lines


@test
def report_of_principal_axes():
    # the inertia of an ellipsoid with half axes 1, 2, 3 and mass 5, turned by 0.3 about z
    c, s, (x, y, z) = math.cos(0.3), math.sin(0.3), (13, 10, 5)
    turned = (c * c * x + s * s * y, s * s * x + c * c * y, z, c * s * (x - y))
    data = page(model("body B: mass = 5, inertia = (%r, %r, %r, %r, 0, 0), omega = (1, 2, 3)\nsimulate until 1\n" % turned))
    (drawn,) = data["draws"]
    assert near(sorted(drawn["size"]), [1, 2, 3], 1e-9)
    w, a, b, d = drawn["turn"][:4]
    axes = ((1 - 2 * (b * b + d * d), 2 * (a * b + w * d), 2 * (a * d - w * b)),
            (2 * (a * b - w * d), 1 - 2 * (a * a + d * d), 2 * (b * d + w * a)),
            (2 * (a * d + w * b), 2 * (b * d - w * a), 1 - 2 * (a * a + b * b)))
    _, second, third = [axes[k] for k in sorted(range(3), key=lambda k: drawn["size"][k])]
    assert near([abs(v) for v in third], [0, 0, 1])
    assert near([abs(second[0]), abs(second[1]), second[0] * second[1]], [s, c, -s * c])
    data = page(model("body B: inertia = (1, 2, 3), omega = (1, 2, 3)\nsimulate until 1\n"))
    assert max(data["draws"][0]["size"]) == 1


@test
def report_of_planar_bodies_and_wheels():
    data = page(model("gravity (0, -9.81)\nbody2 B: mass = 1, inertia = 1, at = (1, 0), angle = 0.3\n"
                      "joint J: revolute(ground, B, at = (0, 0))\nsimulate until 0.2, every 0.1\n"))
    assert [d["kind"] for d in data["draws"]] == ["point", "line"] and data["dimension"] == 2
    assert [d["kind"] for d in data["glyphs"]] == ["outline", "pin"]
    data = page(model("body2 B: mass = 1, inertia = 1, angle = 0.3, omega = 1\nsimulate until 0.2, every 0.1\n"))
    (plate,) = data["draws"]
    assert plate["kind"] == "box" and near(plate["size"][:2], [math.sqrt(6)] * 2)
    angles = next(c["values"] for c in data["columns"] if c["name"] == "B.angle")
    assert near(data["draws"][0]["turn"], [v for a in angles for v in (math.cos(a / 2), 0, 0, math.sin(a / 2))])
    data = page(model("body2 S: mass = 1, inertia = 1, at = (2, 0)\njoint slide: prismatic(ground, S, axis = (1, 0))\n"
                      "simulate until 0.2, every 0.1\n"))
    assert [d["kind"] for d in data["draws"]] == ["box"]  # no line to a point that nobody gave
    data = page(model("body D: mass = 1, shape = disk(1), at = (3, 0, 0)\njoint J: spherical(ground, D, at = (0, 0, 0))\n"
                      "body R: mass = 1, shape = rod(2), at = (1, 5, 0)\njoint K: revolute(ground, R, at = (0, 5, 0), axis = (0, 1, 0))\n"
                      "simulate until 0.2, every 0.1\n"))
    drawn = [(d["kind"], d["label"]) for d in data["draws"]]
    assert drawn == [("cylinder", "D"), ("line", "D"), ("line", "R")], drawn
    data = page(model("body2 W: mass = 1, inertia = 1, at = (0, 0.5)\n"
                      "joint R: rolling(ground, W, at = (0, 0), normal = (0, 1), radius = 0.5)\nsimulate until 0.2, every 0.1\n"))
    assert data["draws"] == [] and data["glyphs"][0]["kind"] == "outline" and data["glyphs"][0]["size"][0] == 0.5
    data = page(model("gravity (0, 0, -9.81)\nbody W: mass = 1, inertia = (1, 1, 1), at = (0, 0, 1)\n"
                      "joint R: rolling(ground, W, at = (0, 0, 0), normal = (0, 0, 1), radius = 1, axis = (0, 1, 0))\n"
                      "simulate until 0.2, every 0.1\n"))
    wheel = data["glyphs"][0]
    assert wheel["kind"] == "outline" and wheel["size"][0] == 1 and len(data["outlines"][wheel["outline"]]["loops"]) == 9
    w, x, y, z = wheel["turn"][:4]  # takes z to the wheel's axis
    assert near([2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z], [0, 1, 0])


@test
def report_of_boxes():
    data = page(model(BODIES + "draw box C (1, 2, 3)\n"))
    assert data["draws"][0]["size"] == [1, 2, 3] and len(data["draws"][0]["turn"]) in (4, 24)


@test
def report_of_plain_coordinates_draws_what_is_tied():
    data = page(model(PENDULUM))
    rod, bob = data["draws"]
    assert (rod["kind"], rod["label"], rod["to"]) == ("line", "rod", [0, 0, 0]) and (bob["kind"], bob["label"]) == ("point", "x, y"), data["draws"]
    columns = {c["name"]: c["values"] for c in data["columns"]}
    samples = range(len(data["times"]))
    assert near(rod["at"], [v for i in samples for v in (columns["x"][i], columns["y"][i], 0)]) and rod["at"] == bob["at"]
    (force,) = data["forces"]
    assert near(force["force"], [v for i in samples for v in (columns["reaction(x)"][i], columns["reaction(y)"][i], 0)])
    drawn = page(model(PENDULUM + "draw circle (x, y) 0.1\n"))
    assert [d["kind"] for d in drawn["draws"]] == ["circle"]
    space = "coord p_x, p_y, p_z, u\ninitial p_x = 1, p_y = 0, p_z = 0\nkinetic (p_x'^2 + p_y'^2 + p_z'^2 + u'^2)/2\n"
    space += "constraint rod: sqrt(p_x^2 + p_y^2 + (p_z - 2)^2) = sqrt(5)\nconstraint no: u^2 + p_x^2 = 1\nsimulate until 0.1\n"
    assert [(d["kind"], d["label"], d.get("to")) for d in page(model(space))["draws"]] == [
        ("line", "rod", [0, 0, 2]), ("point", "p_x, p_y, p_z", None)]


@test
def pictures_give_no_warnings():
    doubled = BODIES + "joint again: revolute(ground, A, at = (0, 0, 0), axis = (0, 1, 0))\n"
    assert "least norm" not in run("run", model(doubled)).stderr
    data = page(model(doubled))
    assert data["messages"] == "" and data["summary"]["redundant"]


@test
def report_of_hostile_texts():
    for text in HOSTILE:
        path = model(f'title "{text}"\n# {text} </script>\n' + PENDULUM.split("\n", 1)[1] + f'plot "{text}": x\n'
                     f'draw text (x, y) "{text}"\n', "h.tram")
        raw = page_text(path)
        assert "<" not in raw and "\u2028" not in raw and "\u2029" not in raw, text
        data = json.loads(raw)
        assert data["title"] == text and data["plots"][2]["title"] == text and data["draws"][0]["text"] == text
        assert data["text"] == pathlib.Path(path).read_text()
    path = scratch / "bytes.tram"
    path.write_bytes(PENDULUM.encode() + b"# \xff\xfe\xc0\x80\xed\xa0\x80\n")
    if subprocess.run([program, "check", "-q", path], capture_output=True).returncode == 0:
        assert "\ufffd" in page(path)["text"]


@test
def report_of_values_that_are_not_finite():
    data = page(model("coord x\ninitial x = 1\nmass x = 1\noutput r = sqrt(0.5 - t)\nsimulate until 1, every 0.25\n"
                      'plot "r": r\ndraw trace (r, x)\n'))
    assert data["plots"][0]["series"][0]["values"][-1] is None
    assert data["draws"][0]["at"][-3:] == [None, 1, 0]


@test
def report_of_a_run_that_fails():
    data = page(model("coord x\ninitial x = 1\nmass x = 1\nforce x = 1/(0.5 - t)^3\nsimulate until 1\n"), code=3)
    assert "error" in data["summary"] and "error:" in data["messages"] and 1 < len(data["times"]) < 1001
    path = model("coord x\ninitial x = 1\nmass x = 1\nconstraint c: x = 2\nsimulate until 1\n")
    (scratch / "old.html").write_text("old")  # as with run and plot, what fails before the first sample changes nothing
    for name in ("old.html", "new.html"):
        told = run("report", path, "-o", name, by=paged, code=3).stderr
        assert "'c'" in told and "no page is made" in told, told
    assert (scratch / "old.html").read_text() == "old" and not (scratch / "new.html").exists()


@test
def report_of_a_model_with_warnings():
    data = page(model(PENDULUM + "let energy = 1\n"))
    assert "warning" in data["messages"]


@test
def report_writes_where_it_is_told():
    path = model(PENDULUM, "swing.tram")
    assert run("report", path, by=paged).stdout == "swing.html\n"
    assert run("report", path, "-o", "-", by=paged).stdout.startswith("<!doctype html>")
    assert "not overwritten" in run("report", path, "-o", path, by=paged, code=2).stderr
    assert "cannot write" in run("report", path, "-o", "no/such/folder.html", by=paged, code=4).stderr
    run("report", scratch / "nowhere.tram", by=paged, code=4)


@test
def report_without_the_page_says_what_to_install():
    done = subprocess.run([program, "report", model(PENDULUM)], capture_output=True, text=True, cwd=scratch)
    if done.returncode == 0:
        return  # it was built with the page
    assert done.returncode == 2 and "npm" in done.stderr and done.stdout == "", done
    done = run("view", model(PENDULUM), code=2)
    assert "npm" in done.stderr


@test
def report_of_many_samples():
    data = page(model(PENDULUM), "--every", "1e-5")
    assert len(data["times"]) == 100_001 and len(data["plots"][0]["series"][0]["values"]) == 100_001


@test
def report_of_too_many_numbers_names_what_is_left_out():
    many = "coord x[1..200]\nfor i in 1..200 { mass x[i] = 1\ninitial x[i] = i\n}\nsimulate until 1, every 1e-4\n"
    data = page(model(many))
    assert data["left_out"] == ["velocity", "reaction", "energy"] and len(data["columns"]) == 200


# ---- equations in MathML


@test
def mathml_of_all_operations():
    functions = "sin cos tan asin acos atan sinh cosh tanh exp log sqrt abs sign floor".split()
    terms = "+ ".join(f"{f}(x/9)" for f in functions)
    done = run("equations", model(
        "param theta_1 = 2, Omega = 3, m_ab = 1\ncoord x, y[1..2]\n"
        f"mass x = m_ab\nfor i in 1..2: mass y[i] = 2.5e-7\nforce x = {terms} + min(x, 1) + max(y[1], 2) + atan2(x, 2) + "
        "if(x < 1 and not (y[1] >= 2) or x == 3 and x != 4, theta_1, Omega*x'^3)\nconstraint on_line: x = y[1]/(1 + x^2)^0.5\n"),
        "--mathml").stdout
    check_mathml(done)
    for piece in ("<mi>θ</mi>", "<mi>Ω</mi>", "<mi>sin</mi>", "<msqrt>", "<mfrac>", "<mtable", "≠", "⌊", "¬", "&lt;",
                  "<mover accent=\"true\">", "on_line", "<msup>"):
        assert piece in done, piece


@test
def mathml_of_long_equations_says_what_is_left_out():
    n = 200
    coupled = "".join(f"kinetic (x[{i}]' + x[{i + 1}]'*sin(x[{i}]))^2/2\n" for i in range(1, n))
    coupled += "".join(f"constraint c{i}: sin(x[{i}])*x[{i % n + 1}] = {i}\n" for i in range(1, n))
    text = run("equations", model(f"coord x[1..{n}]\nmass x[1] = 1\n" + coupled), "--mathml").stdout
    check_mathml(text)
    assert text.count("<mtr>") == 400 and "405 more rows are left out" in text


code = run_all()
shutil.rmtree(scratch)
sys.exit(code)
