"""What editors and shells know of the language and the program is what the sources say.

Surroundings: TRAMMEL, the program; SOURCE_DIR, the clone. Prints what differs, exit code 1 if anything does.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

source = pathlib.Path(os.environ["SOURCE_DIR"])
failures = 0


def check(fact, what):
    global failures
    if not fact:
        failures += 1
        print(what)


def words_of(path, pattern):
    found = set(re.findall(pattern, (source / path).read_text()))
    assert found, f"no words in {path}"
    return found


def patterns_of(node):
    if isinstance(node, dict):
        if "match" in node:
            yield node["match"]
        for value in node.values():
            yield from patterns_of(value)
    elif isinstance(node, list):
        for value in node:
            yield from patterns_of(value)


grammar = json.loads((source / "editors/trammel.tmLanguage.json").read_text())
patterns = list(patterns_of(grammar))
for pattern in patterns:
    re.compile(pattern)  # the little that we use is the same in Oniguruma
known = set(word for pattern in patterns for word in re.findall(r"(?<![A-Za-z\\\[])[a-z][A-Za-z0-9]*", pattern))
statements = words_of("src/lang/statement.c", r'\{"(\w+)", STMT_') | {"include"}
functions = words_of("src/lang/functions.c", r'\{"(\w+)", call_\w+\}')
operations = words_of("src/expr/ops.c", r"\[OP_(?:SQRT|A?SINH?|A?COSH?|A?TANH?|ATAN2|EXP|LOG|ABS|SIGN|MIN|MAX|FLOOR)\] = \{\"(\w+)\"")
drawings = set(re.findall(r'\{"(\w+)", (?:"|NULL)', (source / "src/lang/forms.c").read_text().split("drawings[]")[1].split("};")[0]))
joints = words_of("src/mech/joints/kinds.c", r'\.name = "(\w+)"')
shapes = words_of("src/mech/inertia.c", r'\{"(\w+)", "\w+\(')
results = words_of("src/lang/functions.c", r'\{"(\w+)", RESULT_')
for kind, words in (("statements", statements), ("functions", functions), ("operations", operations), ("drawings", drawings),
                    ("joints", joints), ("shapes", shapes), ("results", results),
                    ("words", {"and", "or", "not", "in", "vs", "always", "finally", "when", "sum", "product", "until", "from",
                               "every", "tolerance", "pi", "deg", "t", "ground"})):
    check(words <= known, f"the grammar lacks {kind}: {sorted(words - known)}")

# every statement of the shipped models starts with a word that the grammar takes for one
starts = [re.compile(p) for p in patterns_of(grammar["repository"]["statement"])]
for path in sorted((source / "models").rglob("*.tram")):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        first = re.match(r"(\w+) [\w\"]", line)
        if first and first[1] in statements:
            check(any(p.match(line) for p in starts), f"{path.name}:{number}: the grammar passes over {line!r}")

# completion: every command, and every option that a command's help lists
helps = subprocess.run([os.environ["TRAMMEL"], "help"], capture_output=True, text=True).stdout
commands = re.findall(r"^  (\w+) ", helps, re.M)
for name in ("trammel.bash", "_trammel", "trammel.fish"):
    text = (source / "scripts/completion" / name).read_text()
    for command in commands:
        check(re.search(rf"\b{command}\b", text), f"{name} lacks {command}")
        usage = subprocess.run([os.environ["TRAMMEL"], "help", command], capture_output=True, text=True).stdout
        for option in re.findall(r"^  --(\w+)", usage, re.M):
            check(re.search(rf"(--|-l ){option}\b", text), f"{name} lacks --{option} of {command}")



def completed(*words):
    """What bash offers for the last word."""
    script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _trammel; printf "%s\\n" "${COMPREPLY[@]}"'
    bash = ["bash", "-c", script, "bash", source / "scripts/completion/trammel.bash", "trammel", *words]
    return subprocess.run(bash, capture_output=True, text=True, check=True).stdout.split()


check(completed("r") == ["run", "report"], "bash completes r")
check(completed("run", "--inte") == ["--integrator"], "bash completes options")
check(completed("rnu", "") == completed("rnu", "r") == [], "bash completes commands after a wrong one")
print("all is there" if failures == 0 else f"{failures} differences")
sys.exit(1 if failures else 0)
