"""The way in which constraints are written down must not matter.

Shipped models are rewritten: constraints repeated, rescaled, replaced by sums of each other, repeated as
their own time derivatives. The motion, the total constraint force and the rank stay, the multipliers are
those of least norm, and `check` names what depends on what.

Surroundings: TRAMMEL, the program; SOURCE_DIR, the clone.
Prints "N passed, M failed", exit code 1 on failure.
"""
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

program, folder = os.environ["TRAMMEL"], pathlib.Path(os.environ["SOURCE_DIR"], "models", "classics")
scratch = pathlib.Path(tempfile.mkdtemp(prefix="trammel-invariance-"))

MODELS = ["pendulum", "double-pendulum", "chaplygin-sleigh", "appell-hamel", "three-cranks"]
MOTION, FORCE, COEFFICIENT = 1e-9, 1e-8, 1e-8

# ---- models as text: everything but the constraints, and the constraints one by one


class Constraint:
    def __init__(self, name, left, right, index=None, low=0, high=0):
        self.name, self.left, self.right = name, left, right
        self.index, self.low, self.high = index, low, high  # of the loop around it

    def text(self, name, equation):
        """A statement like this one, with its loop, under another name."""
        if self.index is None:
            return f"constraint {name}: {equation}\n"
        return f"for {self.index} in {self.low}..{self.high}: constraint {name}[{self.index}]: {equation}\n"

    def scaled(self, factor, name=None):
        return self.text(name or self.name, f"{factor!r}*({self.left}) = {factor!r}*({self.right})")

    def copy(self, name=None):
        return self.text(name or self.name, f"{self.left} = {self.right}")

    def rate(self, name):
        return self.text(name, f"({self.left})' = ({self.right})'")


def combined(a, k, b, l, name):
    """k a + l b"""
    left = f"{k}*({a.left}) + {l}*({b.left})"
    right = f"{k}*({a.right}) + {l}*({b.right})"
    return a.text(name, f"{left} = {right}")


LOOP = re.compile(r"for (\w+) in (\d+)\.\.(\d+)(?: \{|: (?=constraint))")
CONSTRAINT = re.compile(r"\s*constraint (\w+)(?:\[\w+\])?:\s*(.*?) = (.*)$")
LEFT_OUT = re.compile(r"\s*(expect|plot|draw|for \w+ in \S+: (expect|draw)) ")


def split(text):
    """The rest of a model, and its constraints in the order of their rows; blocks that hold nothing but
    constraints go with them."""
    text = re.sub(r"\s*#.*", "", text)
    rest, constraints, loop, block = [], [], None, []
    for line in text.split("\n"):
        opened = LOOP.match(line)
        if opened and opened[0].endswith("{"):
            loop, block = opened, [line]
            continue
        found = CONSTRAINT.match(line)
        if found:
            around = (loop[1], int(loop[2]), int(loop[3])) if loop else ()
            constraints.append(Constraint(found[1], found[2], found[3], *around))
        elif loop and line == "}":
            kept = [b for b in block if not LEFT_OUT.match(b)]
            rest += kept + [line] if len(kept) > 1 else []
            loop = None
        elif loop:
            block.append(line)
        elif not LEFT_OUT.match(line):
            rest.append(line)
    return "\n".join(rest) + "\n", constraints


# ---- what the program says


def ask(command, name, text):
    path = scratch / f"{name}.tram"
    path.write_text(text)
    done = subprocess.run([program, command, "--json", str(path)], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{command} exits with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


class Base:
    """A model as shipped, loops unrolled one constraint at a time."""

    def __init__(self, name, rest, constraints):
        self.name, self.rest, self.constraints = name, rest, constraints
        text = rest + "".join(c.copy() for c in constraints)
        self.run = ask("run", name, text)
        self.check = ask("check", name, text)
        self.rows = [k for k in self.check["unique_reaction"]]

    def rows_of(self, constraint, other):
        """(row, row under another name) of all rows of a constraint"""
        pattern = re.compile(rf"{constraint.name}(?=$|[\[.])")
        return [(row, pattern.sub(other, row)) for row in self.rows if pattern.match(row)]

    def on_kept(self, combination):
        """A combination of rows, given as {row: coefficient}, in terms of the rows that are kept."""
        result = {}
        for row, factor in combination.items():
            known = self.check["dependencies"].get(row, {row: 1.0})
            for kept, coefficient in known.items():
                result[kept] = result.get(kept, 0.0) + factor * coefficient
        size = max(map(abs, result.values()))
        return {row: c for row, c in result.items() if abs(c) > COEFFICIENT * size}


def require(condition, message):
    if not condition:
        raise AssertionError(message)


def close(a, b, size, tolerance):
    return math.isfinite(a) and math.isfinite(b) and abs(a - b) <= tolerance * max(size, 1e-300)


def same_motion(base, run):
    a, b = base.run["final"], run["final"]
    require(run["rank"] == base.run["rank"], f"rank {run['rank']} instead of {base.run['rank']}")
    forces = {k for k in a if k.startswith("reaction(")}
    size = max(abs(a[k]) for k in forces)
    for key in a:
        if key in forces:
            require(close(a[key], b[key], size, FORCE), f"{key} {b[key]!r} instead of {a[key]!r}")
        elif not key.startswith("multiplier("):
            require(close(a[key], b[key], 1, MOTION), f"{key} {b[key]!r} instead of {a[key]!r}")


def same_multipliers(base, run, expected):
    """expected: {row: (row of the base, factor)}"""
    was, now = ({k[11:-1]: v for k, v in r["final"].items() if k.startswith("multiplier(")}
                for r in (base.run, run))
    size = max(map(abs, was.values()))
    for row, (origin, factor) in expected.items():
        require(close(now[row], factor * was[origin], abs(factor) * size, FORCE),
                f"multiplier({row}) {now[row]!r} instead of {factor * was[origin]!r}")


def same_dependencies(base, check, expected):
    """expected: {redundant row: combination of rows of the base}"""
    expected = {row: base.on_kept(c) for row, c in expected.items()}
    expected.update(base.check["dependencies"])
    require(check["rank"] == base.check["rank"], f"check: rank {check['rank']}")
    require(set(check["redundant"]) == set(expected), f"redundant {check['redundant']}")
    require(set(check["dependencies"]) == set(expected), "dependencies of other rows than the redundant ones")
    for row, combination in expected.items():
        found = check["dependencies"][row]
        require(set(found) == set(combination), f"{row} depends on {found}, not {combination}")
        size = max(map(abs, combination.values()))
        for kept, c in combination.items():
            require(close(found[kept], c, size, COEFFICIENT),
                    f"{row} has {found[kept]!r} of {kept}, not {c!r}")


# ---- the variants: (text of the constraints, {row: (row of the base, factor of its multiplier)} or None,
#      {redundant row: combination}, or None where other rows than the base's are kept)


def repeated(base):
    text = "".join(c.copy() for c in base.constraints)
    multipliers, redundant = {}, {}
    for suffix in "bc":
        for c in base.constraints:
            text += c.copy(f"{c.name}_{suffix}")
            for row, twin in base.rows_of(c, f"{c.name}_{suffix}"):
                redundant[twin] = {row: 1.0}
                multipliers[row] = multipliers[twin] = (row, 1 / 3)
    return text, multipliers, redundant


def rescaled(factor):
    def variant(base):
        text = "".join(c.scaled(factor) for c in base.constraints)
        return text, {row: (row, 1 / factor) for row in base.rows}, {}
    return variant


def rescaled_copies(base):
    """Each row together with copies of 1e8 and 1e-8 times its size; the force goes to the largest."""
    text = "".join(c.copy() for c in base.constraints)
    multipliers, redundant = {}, {}
    for suffix, factor in (("large", 1e8), ("small", 1e-8)):
        for c in base.constraints:
            text += c.scaled(factor, f"{c.name}_{suffix}")
            for row, twin in base.rows_of(c, f"{c.name}_{suffix}"):
                redundant[twin] = {row: factor}
                multipliers[twin] = (row, factor / (1 + 1e16 + 1e-16))
    return text, multipliers, redundant


def rescaled_apart(base):
    """Neighbouring constraints of very different size."""
    factors = {c.name: (1e8, 1e-8)[i % 2] for i, c in enumerate(base.constraints)}
    text = "".join(c.scaled(factors[c.name]) for c in base.constraints)
    if base.check["redundant"]:
        return text, None, None  # the least norm is another one, and so are the coefficients
    multipliers = {row: (row, 1 / factors[c.name])
                   for c in base.constraints for row, _ in base.rows_of(c, c.name)}
    return text, multipliers, {}


def with_sums(base):
    """Besides the constraints, combinations of neighbours."""
    text = "".join(c.copy() for c in base.constraints)
    redundant = {}
    for a, b in zip(base.constraints, base.constraints[1:] + base.constraints[:1]):
        text += combined(a, 3, b, -2, f"{a.name}_mixed")
        for (row, mixed), (other, _) in zip(base.rows_of(a, f"{a.name}_mixed"), base.rows_of(b, b.name)):
            redundant[mixed] = {row: 3.0 - 2.0 * (row == other)}
            if row != other:
                redundant[mixed][other] = -2.0
    return text, None, redundant


def replaced_by_sums(base):
    """Of neighbours a, b nothing but a + b and a - 2 b."""
    text, c = "", base.constraints
    for a, b in zip(c[::2], c[1::2]):
        text += combined(a, 1, b, 1, f"{a.name}_sum") + combined(a, 1, b, -2, f"{a.name}_difference")
    if len(c) % 2:
        text += combined(c[-1], 2, c[-1], 3, f"{c[-1].name}_sum")
    return text, None, None


def with_rates(base):
    """Besides the constraints, their time derivatives: the same rows, one level up."""
    text = "".join(c.copy() for c in base.constraints)
    multipliers, redundant = {}, {}
    for c in base.constraints:
        text += c.rate(f"{c.name}_rate")
        for row, rate in base.rows_of(c, f"{c.name}_rate"):
            redundant[rate] = {row: 1.0}
            multipliers[row] = multipliers[rate] = (row, 1 / 2)
    return text, multipliers, redundant


VARIANTS = {
    "repeated": repeated,
    "rescaled by 1e8": rescaled(1e8),
    "rescaled by 1e-8": rescaled(1e-8),
    "with rescaled copies": rescaled_copies,
    "rescaled apart": rescaled_apart,
    "with sums": with_sums,
    "replaced by sums": replaced_by_sums,
    "with rates": with_rates,
}


def examine(base, variant, name):
    text, multipliers, redundant = variant(base)
    run = ask("run", name, base.rest + text)
    check = ask("check", name, base.rest + text)
    same_motion(base, run)
    require(run["redundant"] == check["redundant"], "run and check differ in what is redundant")
    if multipliers is not None:
        same_multipliers(base, run, multipliers)
    if redundant is not None:
        same_dependencies(base, check, redundant)
    else:
        count, found = check["constraints"] - base.check["rank"], len(check["redundant"])
        require(found == count, f"{found} redundant rows instead of {count}")


def least_norm_of_three_cranks(base):
    """The cranks can stand against each other with forces 1, -2, 1 along themselves and nothing moves.
    Multipliers of least norm hold nothing of that."""
    final, stress = base.run["final"], 0.0
    for i, share in ((1, 1), (2, -2), (3, 1)):
        angle = final[f"phi[{i}]"]
        for part, along in (("x", math.sin(angle)), ("y", math.cos(angle))):
            stress += share * along * (final[f"multiplier(coupler[{i}].{part})"]
                                       - final[f"multiplier(ground[{i}].{part})"])
    require(abs(stress) < FORCE, f"multipliers hold {stress!r} of what is not needed")


passed = failed = 0


def attempt(title, action, *arguments):
    global passed, failed
    try:
        action(*arguments)
        passed += 1
    except AssertionError as error:
        failed += 1
        print(f"{title}: {error}")


for name in MODELS:
    base = Base(name, *split((folder / f"{name}.tram").read_text()))
    for title, variant in VARIANTS.items():
        attempt(f"{name}, {title}", examine, base, variant, f"{name}-{title.replace(' ', '-')}")
    if name == "three-cranks":
        attempt(name, least_norm_of_three_cranks, base)

print(f"{passed} passed, {failed} failed" + (f"; models in {scratch}" if failed else ""))
if not failed:
    for path in scratch.iterdir():
        path.unlink()
    scratch.rmdir()
sys.exit(failed > 0)
