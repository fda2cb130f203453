"""Runs the program on wrong models and compares what it says, to the letter, with what it should say.

wrong.py [--update] [WORD ...]    only cases or files whose names hold one of the words; --update: what the program says
                                  now becomes what it should say, for review with git diff
wrong.py --models FOLDER          writes the models of all cases there, for other uses

test/lang/wrong/TOPIC.txt is a row of cases. Between them stand blank lines and comments (#); a case is

    --- NAME
    the model, which becomes NAME.tram; no lines, no file
    +++ parts/other.tram              as often as needed: other files, which it may include
    their text
    $ trammel check NAME.tram         run in a folder of its own
    all of standard error; a line "..." stands for any lines
    exit 2

After the name may stand ", escapes": \\r, \\t, \\xNN and \\\\ in the files are what they are in C, and control characters of
what is said are shown so; or ", made": the text is a Python expression, a model or a dictionary of files.
"""
import concurrent.futures
import dataclasses
import difflib
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

source = pathlib.Path(os.environ.get("SOURCE_DIR", pathlib.Path(__file__).parents[2])).resolve()
folder = source / "test/lang/wrong"
program = pathlib.Path(os.environ.get("TRAMMEL", source / "build/trammel")).resolve()
SECONDS_OF_CPU = 600  # of one run, whatever else the machine does: ends what would never end
SHOWN = 300  # characters of a line in a difference
START = "coord x\nkinetic x'^2/2\n"  # for the models that are made


@dataclasses.dataclass
class Case:
    name: str
    path: pathlib.Path
    line: int  # of its name, from 1
    how: str  # "", "escapes" or "made"
    files: dict  # name: text as it stands in the transcript
    command: str
    expected: list  # lines, without the exit code
    code: int
    said_at: tuple  # the lines expected[...] and the exit code are lines[from:to] of the transcript


class Malformed(Exception):
    pass


def cases_of(path):
    lines = path.read_text().split("\n")
    at = 0
    while at < len(lines):
        if not lines[at] or lines[at].startswith("#"):
            at += 1
            continue
        head = re.fullmatch(r"--- ([\w-]+)(?:, (escapes|made))?", lines[at])
        if not head:
            raise Malformed(f"{path.name}:{at + 1}: expected '--- NAME', found {lines[at]!r}")
        start, files, text = at, {}, []
        model = text
        at += 1
        while at < len(lines) and not lines[at].startswith("$ trammel "):
            if lines[at].startswith("--- "):
                raise Malformed(f"{path.name}:{start + 1}: {head[1]} has no line '$ trammel ...'")
            if lines[at].startswith("+++ "):
                files[lines[at][4:]] = text = []
            else:
                text.append(lines[at])
            at += 1
        if model:
            files = {f"{head[1]}.tram": model, **files}
        said = at + 1
        while at < len(lines) and not re.fullmatch(r"exit -?\d+", lines[at]):
            at += 1
        if at == len(lines):
            raise Malformed(f"{path.name}:{start + 1}: {head[1]} has no line 'exit CODE'")
        yield Case(head[1], path, start + 1, head[2] or "", {n: "".join(l + "\n" for l in t) for n, t in files.items()},
                   lines[said - 1][len("$ trammel "):], lines[said:at], int(lines[at].split()[1]), (said, at + 1))
        at += 1


def unescaped(text):
    known = {"r": b"\r", "t": b"\t", "\\": b"\\"}
    return re.sub(rb"\\(x..|.)", lambda m: bytes.fromhex(m[1][1:].decode()) if len(m[1]) == 3 else known[m[1].decode()],
                  text.encode())


def escaped(said):
    known = {"\\": r"\\", "\r": r"\r", "\t": r"\t"}
    return "".join(known.get(c, c if c >= " " or c == "\n" else f"\\x{ord(c):02x}") for c in said)


def contents(case):
    """name: bytes"""
    if case.how == "made":
        made = eval("".join(case.files.values()), {"START": START})
        return {n: t.encode() for n, t in (made if isinstance(made, dict) else {f"{case.name}.tram": made}).items()}
    return {n: unescaped(t) if case.how else t.encode() for n, t in case.files.items()}


def write_files(case, where):
    for name, text in contents(case).items():
        (where / name).parent.mkdir(parents=True, exist_ok=True)
        (where / name).write_bytes(text)


def run(case, scratch):
    """(lines of standard error, exit code)"""
    where = scratch / case.name
    where.mkdir()
    write_files(case, where)
    done = subprocess.run([program, *case.command.split()], cwd=where, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = done.stderr.decode("utf-8", "backslashreplace")
    return (escaped(said) if case.how == "escapes" else said).removesuffix("\n").split("\n") if said else [], done.returncode


def alike(expected, said):
    """The same, where "..." is any lines."""
    if "..." not in expected:
        return expected == said
    pattern = "".join(r"(?:.*\n)*" if line == "..." else re.escape(line) + r"\n" for line in expected)
    return re.fullmatch(pattern, "".join(line + "\n" for line in said)) is not None


def difference(case, said, code):
    expected, found = case.expected + [f"exit {case.code}"], said + [f"exit {code}"]
    lines = list(difflib.unified_diff(expected, found, lineterm="", n=2))[2:]
    return "\n".join("    " + line[:SHOWN] for line in lines)


def update(path, changes):
    """Puts (case, said, code) in the place of what stood there."""
    lines = path.read_text().split("\n")
    for case, said, code in sorted(changes, key=lambda change: -change[0].line):
        lines[slice(*case.said_at)] = said + [f"exit {code}"]
    path.write_text("\n".join(lines))


def all_cases():
    found = {}
    for path in sorted(folder.glob("*.txt")):
        for case in cases_of(path):
            if case.name in found:
                raise Malformed(f"{path.name}:{case.line}: {case.name} is in {found[case.name].path.name} too")
            found[case.name] = case
    return list(found.values())


def compare(cases, updating):
    """Exit code."""
    passed, failed, changes = 0, 0, {}
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = pool.map(lambda case: run(case, pathlib.Path(scratch)), cases)
        for case, (said, code) in zip(cases, answers):
            if alike(case.expected, said) and code == case.code:
                passed += 1
            elif updating and "..." not in case.expected:
                changes.setdefault(case.path, []).append((case, said, code))
            else:
                failed += 1
                print(f"{case.path.relative_to(source)}:{case.line}: {case.name}: FAILED ($ trammel {case.command})")
                print(difference(case, said, code))
    for path, of_path in changes.items():
        update(path, of_path)
        print(f"{path.relative_to(source)}: {len(of_path)} updated")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or passed + len(changes) == 0 else 0


def main(arguments):
    cases = all_cases()
    if arguments[:1] == ["--models"]:
        for case in cases:
            if case.how != "made":
                write_files(case, pathlib.Path(arguments[1]))
        return 0
    updating, words = "--update" in arguments, [a for a in arguments if a != "--update"]
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS_OF_CPU, SECONDS_OF_CPU))
    return compare([c for c in cases if not words or any(w in c.name or w in c.path.stem for w in words)], updating)


try:
    sys.exit(main(sys.argv[1:]))
except Malformed as wrong:
    sys.exit(f"test/lang/wrong/{wrong}")
