"""Newton's and Euler's equations of bodies, as `trammel equations` prints them, hold for what a run finds.

Each printed line is read as a formula of vectors, matrices and numbers. What it names is asked of a run of the same model, as
outputs: accelerations of bodies, reaction(J) and torque(J) of joints, whatever stands in the words of the model. Then both
sides are computed from these numbers alone, at samples of the run.

Surroundings: TRAMMEL, the program; SOURCE_DIR, the clone. Prints "N passed, M failed", exit code 1 on failure.
"""
import csv
import math
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from suite import run_all, test
import sys

program = os.environ["TRAMMEL"]
source = pathlib.Path(os.environ["SOURCE_DIR"])
scratch = pathlib.Path(tempfile.mkdtemp(prefix="trammel-newton-"))
ALLOWED = 1e-9

# ---- formulas

TOKEN = re.compile(r"\s*(\d+\.?\d*(?:e[+-]?\d+)?|[A-Za-z_]\w*(?:\[(?:[^\[\]]|\[[^\]]*\])*\])?(?:\.[A-Za-z_]\w*)?'*|\^T|[-+*/^(),|.']|\+)")
FUNCTIONS = {name: getattr(math, name) for name in ("sin", "cos", "tan", "exp", "log", "sqrt", "asin", "acos", "atan", "atan2")}
FUNCTIONS["abs"] = abs


def tokens(text):
    out, at = [], 0
    while text[at:].strip():
        found = TOKEN.match(text, at)
        assert found, f"no token at {text[at:]!r} of {text!r}"
        out.append((found[1], found.start(1), found.end(1)))
        at = found.end()
    return out


class Matrix(tuple):
    pass


def add(a, b, sign=1):
    return tuple(x + sign * y for x, y in zip(a, b, strict=True)) if isinstance(a, tuple) else a + sign * b


def times(a, b):
    if isinstance(a, Matrix):
        return tuple(sum(x * y for x, y in zip(row, b, strict=True)) for row in a)
    if isinstance(a, tuple):
        return tuple(x * b for x in a)
    return tuple(a * x for x in b) if isinstance(b, tuple) else a * b


def cross(a, b):
    if len(a) == 2:
        return a[0] * b[1] - a[1] * b[0]
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def size(a):
    return math.sqrt(sum(x * x for x in a)) if isinstance(a, tuple) else abs(a)


class Formula:
    """Of sums, products (also without a sign), x, ., /, ^, |...|; names and calls are asked of `known`."""

    def __init__(self, text, known):
        self.text, self.known, self.list, self.at = text, known, tokens(text), 0
        self.largest = 0.0 # of what is added up: what rounding is measured by

    def now(self):
        return self.list[self.at][0] if self.at < len(self.list) else ""

    def accept(self, *what):
        if self.now() in what:
            self.at += 1
            return self.list[self.at - 1][0]
        return None

    def whole(self):
        out = self.sum()
        assert self.at == len(self.list), f"{self.now()!r} is left in {self.text!r}"
        return out

    def sum(self):
        out = self.product(-1 if self.accept("-") else 1)
        while sign := self.accept("+", "-"):
            out = add(out, self.product(), -1 if sign == "-" else 1)
        return out

    def product(self, sign=1):
        out = self.power()
        while self.now() and self.now() not in ("+", "-", ")", ",", "|"):
            if self.now() == "x":
                self.at += 1
                out = cross(out, self.chain())
            elif self.accept("."):
                out = sum(x * y for x, y in zip(out, self.chain(), strict=True))
            elif self.accept("/"):
                out = times(out, 1 / self.power())
            else:
                self.accept("*")
                out = times(out, self.power())
        out = times(sign, out) if sign == -1 else out
        self.largest = max(self.largest, size(out) if not isinstance(out, Matrix) else 0)
        return out

    def chain(self):
        """What a cross product takes: all factors up to the next sign of any kind, as in w x I w."""
        out = self.power()
        while self.now() and self.now() not in ("+", "-", ")", ",", "|", "x", ".", "/", "*"):
            out = times(out, self.power())
        return out

    def power(self):
        out = self.atom()
        while True:
            if self.accept("^T"):
                out = Matrix(zip(*out))
            elif self.accept("^"):
                out = out ** (-self.atom() if self.accept("-") else self.atom())
            else:
                return out

    def atom(self):
        if self.accept("("):
            parts = [self.sum()]
            while self.accept(","):
                parts.append(self.sum())
            assert self.accept(")"), self.text
            return tuple(parts) if len(parts) > 1 else parts[0]
        if self.accept("|"):
            inside = self.sum()
            assert self.accept("|"), self.text
            return size(inside)
        token, begin, end = self.list[self.at]
        self.at += 1
        if token[0].isdigit():
            return float(token)
        if self.now() == "(" and self.list[self.at][1] == end: # a call: its words, to the closing bracket
            if token in FUNCTIONS:
                inside = self.atom()
                return FUNCTIONS[token](*inside) if isinstance(inside, tuple) else FUNCTIONS[token](inside)
            depth = 0
            while True:
                depth += {"(": 1, ")": -1}.get(self.now(), 0)
                self.at += 1
                if depth == 0:
                    break
            end = self.list[self.at - 1][2]
            while self.text[end:end + 1] == "'":
                end += 1
            while self.at < len(self.list) and self.list[self.at][1] < end:
                self.at += 1
            return self.known(self.text[begin:end])
        return self.known(token)


# ---- what is printed

def printed(path):
    return subprocess.run([program, "equations", path], capture_output=True, text=True, check=True).stdout


HEAD = re.compile(r"mass (\w+), its inertia (\w+) about its centre (\w+) in its own axes, the rotation (\w+) from these")


def letters_of(text):
    """What the page calls m, I, r, R and w."""
    mass, inertia, centre, turn = HEAD.search(text).groups()
    rate = re.search(r"angular velocity (\w+)", text)
    return {"m": mass, "I": inertia, "r": centre, "R": turn, "w": rate[1] if rate else "w"}


def sections(text):
    """Title and lines of each body and joint, and the values of parameters."""
    bodies, joints, parameters = [], [], {}
    for block in text.split("\n\n")[1:]:
        title, *lines = block.strip("\n").split("\n")
        name, _, rest = title.partition(": ")
        first = lines[0].strip().split(" = ")[0] if lines else ""
        if title.startswith("with "):
            parameters = {n: float(v) for n, v in (p.split(" = ") for p in title[5:].split(", "))}
        elif re.fullmatch(r"\w+ \w+''|(\w+) (\w+)' \+ \2 x \1 \2", first):
            bodies.append((name, rest, [line.strip() for line in lines]))
        elif re.fullmatch(r"(revolute|spherical|fixed|prismatic|cylindrical|universal|planar|distance|rolling|gear|rack), .*", rest):
            joints.append((name, rest, [line.strip() for line in lines]))
    return bodies, joints, parameters


class Wanted(Exception):
    """Something in the words of the model that the run is to tell."""


class Model:
    """What a printed page asks of the run: first it is read without numbers, to learn what."""

    def __init__(self, path):
        self.path, self.text = path, printed(path)
        self.bodies, self.joints, self.parameters = sections(self.text)
        self.letters = letters_of(self.text)
        self.planar = {name: any("angle''" in line for line in lines) for name, _, lines in self.bodies}
        self.turns = {name: any(line.startswith(self.letters["I"] + " ") for line in lines) for name, _, lines in self.bodies}
        self.asked = {}

    def output(self, words):
        return self.asked.setdefault(words, f"asked{len(self.asked)}")

    def ask(self):
        """Runs the model with an output for all that may be asked; gives the samples as dictionaries."""
        for name, _, _ in self.bodies:
            plane = self.planar[name] or f"{name}.z" not in self.columns
            for c in ("x", "y") if plane else ("x", "y", "z"):
                if f"{name}.{c}" in self.columns:
                    self.output(f"{name}.{c}''")
            if self.turns[name]:
                for words in ([f"{name}.angle''"] if self.planar[name] else [f"omega({name})", f"omega({name})'"]):
                    self.output(words)
        for name, rest, _ in self.joints:
            if rest.split(",")[0] in ("gear", "rack"):
                self.output(f"multiplier({name})")
            else:
                self.output(f"reaction({name})")
                if rest.split(",")[0] == "distance":
                    self.output(f"multiplier({name})")
                else:
                    self.output(f"torque({name})")
        path = scratch / "asked.tram"
        path.write_text(f'include "{self.path}"\n' + "".join(f"output {name} = {words}\n" for words, name in self.asked.items()))
        samples = scratch / "samples.csv"
        done = subprocess.run([program, "run", path, "--until", "0.2", "--every", "0.05", "-o", samples, "--quiet"], capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stderr
        with open(samples, newline="") as file:
            return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]

    def find_columns(self):
        samples = scratch / "columns.csv"
        done = subprocess.run([program, "run", self.path, "--until", "0", "-o", samples, "--quiet"], capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stderr
        with open(samples, newline="") as file:
            self.columns = set(next(csv.reader(file)))


def rotation(w, x, y, z):
    return Matrix(((1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
                   (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
                   (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y))))


class State:
    """The numbers of one sample, by the names that the page has for them."""

    def __init__(self, model, row):
        self.model, self.row, self.made, self.body = model, row, {}, None

    def of(self, words):
        name = self.model.asked.get(words)
        if name is None:
            raise Wanted(words)
        if name in self.row:
            return self.row[name]
        return tuple(self.row[f"{name}.{c}"] for c in "xyz" if f"{name}.{c}" in self.row)

    def place(self, body, accent=""):
        return tuple(self.row[f"{body}.{c}{accent}"] for c in "xyz" if f"{body}.{c}" in self.row)

    def turn(self, body):
        if self.model.planar[body]:
            c, s = math.cos(self.row[f"{body}.angle"]), math.sin(self.row[f"{body}.angle"])
            return Matrix(((c, -s), (s, c)))
        return rotation(*(self.row[f"{body}.q{k}"] for k in range(4)))

    def known(self, name):
        if name in self.made:
            return self.made[name]
        called = self.model.letters
        if self.body and name == called["r"]:
            return self.place(self.body)
        if self.body and name == called["R"]:
            return self.turn(self.body)
        member = re.fullmatch(rf"({called['r']}|{called['R']}|f|n|lambda|angle|v)\[(.*)\]", name)
        if member:
            letter, of = member.groups()
            if letter in (called["r"], called["R"]):
                return self.place(of) if letter == called["r"] else self.turn(of)
            if letter == "angle":
                return self.row[f"{of}.angle"]
            return self.of({"f": "reaction", "n": "torque", "lambda": "multiplier"}[letter] + f"({of})")
        speed = re.fullmatch(r"v\[(.*)\]\((.*)\)", name)
        if speed:
            return self.velocity(*speed.groups())
        if name in self.model.parameters:
            return self.model.parameters[name]
        if name in self.row:
            return self.row[name]
        if name == "t":
            return self.row["t"]
        return self.of(name)

    def velocity(self, body, point):
        arm = add(self.made[point], self.place(body), -1)
        if self.model.planar[body]:
            w = self.row[f"{body}.angle'"]
            turning = (-w * arm[1], w * arm[0])
        else:
            turning = cross(times(self.turn(body), self.of(f"omega({body})")), arm)
        return add(self.place(body, "'"), turning)

    # ---- lines

    def value(self, text):
        formula = Formula(text, self.known)
        try:
            return formula.whole(), formula.largest
        except (TypeError, ValueError) as error:
            raise AssertionError(f"cannot compute {text}: {error}") from error

    def joint_line(self, line):
        sides = line.split(" = ")
        values = [self.value(side) for side in sides[1:]]
        if re.fullmatch(r"(P|S|a|b|u|tau|h|f)\[.*\]", sides[0]) and sides[0] not in self.made and sides[0][0] != "f":
            self.made[sides[0]] = values[0][0]
        values.insert(0, self.value(sides[0]))
        first = values[0][0]
        for other, _ in values[1:]:
            if other == 0.0 and isinstance(first, tuple):
                other = (0.0,) * len(first)
            off = size(add(first, other, -1))
            scale = max(1, *(v[1] for v in values))
            assert off <= ALLOWED * scale, f"{line}: {first} and {other}, at t = {self.row['t']}"

    def body_line(self, name, title, line):
        self.body = name
        m, i = self.model.letters["m"], self.model.letters["I"]
        mass = re.search(rf"\b{m} = (.*?)(?:, {i} = |$)", title)
        inertia = re.search(rf"\b{i} = (.*)$", title)
        left, right = line.split(" = ", 1)
        made, scale = self.value(right)
        self.body = None
        if left == f"{m} {self.model.letters['r']}''":
            acceleration = tuple(self.of(f"{name}.{c}''") for c in "xyz" if f"{name}.{c}" in self.row)
            expected = times(self.value(mass[1])[0], acceleration)
        elif left == f"{i} angle''":
            expected = times(self.value(inertia[1])[0], self.of(f"{name}.angle''"))
        else:
            if inertia[1].startswith("diag("):
                d, _ = self.value(inertia[1][4:])
                matrix = Matrix(((d[0], 0, 0), (0, d[1], 0), (0, 0, d[2])))
            else:
                rows = re.fullmatch(r"\(\((.*)\), \((.*)\), \((.*)\)\)", inertia[1]).groups()
                matrix = Matrix(self.value(f"({row})")[0] for row in rows)
            w = self.of(f"omega({name})")
            expected = add(times(matrix, self.of(f"omega({name})'")), cross(w, times(matrix, w)))
        if made == 0.0 and isinstance(expected, tuple):
            made = (0.0,) * len(expected)
        off = size(add(expected, made, -1))
        assert off <= ALLOWED * max(1, scale, size(expected)), f"{name}: {line}: {expected}, but {made}, at t = {self.row['t']}"


NAMED = re.compile(r"\b[FN]\[\d+\]")
held = {"bodies": 0, "named": 0, "joints": 0}


def check(path):
    model = Model(path)
    assert model.bodies and model.text.startswith("Newton's"), model.text[:200]
    model.find_columns()
    while True:
        before = dict(held)
        try:
            hold(model)
            return
        except Wanted as more:
            held.update(before)
            model.output(str(more))


def hold(model):
    for row in model.ask():
        state = State(model, row)
        for name, _, lines in model.joints:
            for line in lines:
                state.joint_line(line)
                held["joints"] += 1
        for name, title, lines in model.bodies:
            for line in lines:
                if NAMED.search(line):
                    held["named"] += 1
                else:
                    state.body_line(name, title, line)
                    held["bodies"] += 1


def of(path):
    def equations():
        check(path)
    equations.__name__ = path.stem
    return equations


def has_bodies(path):
    return re.search(r"^ *(for [^:{]*: *)?body2? ", path.read_text(), re.M)


# ---- LaTeX

COLUMN = 240 # pt


def lines_of(latex):
    """What stands between \\\\ in align environments, without the signs that align."""
    out = []
    for block in re.findall(r"\\begin\{align\*\}(.*?)\\end\{align\*\}", latex, re.S):
        inside = re.sub(r"(\\begin\{pmatrix\}.*?\\end\{pmatrix\})", lambda m: m[1].replace("\\\\", "\0").replace("&", "\1"), block, flags=re.S)
        out += [line.replace("&", "").replace("\0", "\\\\").replace("\1", "&").strip() for line in inside.split("\\\\")]
    return out


@test
def latex_of_double_cardan_is_short():
    path = source / "models/mechanisms/double-cardan.tram"
    latex = subprocess.run([program, "equations", path, "--latex"], capture_output=True, check=True).stdout
    assert len(latex) <= 20_000, len(latex)
    expanded = subprocess.run([program, "equations", path, "--expand"], capture_output=True, text=True, check=True).stdout
    assert expanded.startswith("M q'' = Q + Q^c") and "A[bearing1.4, input_shaft.q0]" in expanded


@test
def latex_fits_a_column():
    if not shutil.which("pdflatex"):
        print("pdflatex is missing: widths are not measured")
        return
    text = "\\documentclass{article}\\usepackage{amsmath}\\begin{document}\n"
    for name in ("mechanisms/double-cardan", "mechanisms/robot", "mechanisms/bicycle", "mechanisms/gears", "mechanisms/strandbeest",
                 "classics/chaplygin-sleigh", "papers/000-suslov", "benchmarks/heavy-top", "mechanisms/delta"):
        for options in (["--latex"], ["--latex", "--expand"]) if "strand" not in name else (["--latex"],):
            path = source / f"models/{name}.tram"
            if not path.exists() or (options[1:] and name.endswith(("robot", "delta", "bicycle", "gears", "cardan"))):
                continue # long, and no other
            latex = subprocess.run([program, "equations", path, *options], capture_output=True, text=True, check=True).stdout
            for line in lines_of(latex):
                text += f"\\setbox0=\\hbox{{$\\displaystyle {line}$}}\\typeout{{WIDTH \\the\\wd0}}\n"
    (scratch / "widths.tex").write_text(text + "\\end{document}\n")
    said = subprocess.run(["pdflatex", "-interaction=nonstopmode", "widths.tex"], cwd=scratch, capture_output=True).stdout.decode("latin1")
    assert "\n! " not in said, said[said.index("\n! "):][:400]
    widths = [float(w) for w in re.findall(r"WIDTH ([\d.]+)pt", said)]
    assert len(widths) > 500 and max(widths) <= COLUMN, (len(widths), max(widths))


for path in sorted(source.glob("models/*/*.tram")):
    if has_bodies(path):
        test(of(path))
code = run_all()
print(held)
sys.exit(code)
