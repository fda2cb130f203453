"""Runs every code block of README.md and docs/**/*.md, so that what they show is true.

The blocks of one markdown file run in order, in one temporary folder with links to `build` and `models`:

    ```tram      a whole model: `trammel run --quiet`, or `check --quiet` if nothing in it says simulate
    ```console   commands after "$ ", and what they print, standard error included
    ```c         compiled against the library, and run
    ```python    run
    ```sh        run
    others       text, not run; kept if it has a name

Comments right before a block change that:

    <!-- file: NAME -->    the block is kept as NAME for the blocks after it; c is compiled (NAME without .c)
                           and python is saved, and a console block runs them
    <!-- exit N -->        exit code N is expected, of the last command in a console block, instead of 0
    <!-- not run -->       the block is only shown
    <!-- needs: NAMES -->  the block is left out, with a word, where no Python has the modules; trammel is that of the clone
    <!-- before: TEXT -->  lines to put before a model, so that a fragment can be shown alone

What a command prints must be what the console block shows, line by line, but
    - a line "..." stands for any lines, "..." within a line for any text;
    - times ("s (read ...") may be any, and so may the lines on the worst residual, energy drift and balance;
    - the counts in "N steps (N rejected), N evaluations" may differ by a fifth: processors round differently;
    - numbers below 1e-6 (rounding, residuals, drift) may be anything up to a hundred times as large;
    - other numbers with a decimal point agree to four digits.
A command may fail only where the next one is "echo $?" or the block says <!-- exit N -->.
Links between the files are followed, to headings too.

Surroundings: TRAMMEL, the program; SOURCE_DIR, the clone. Prints "N passed, M failed", exit code 1 on failure.
"""
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from suite import taken

SOURCE = pathlib.Path(os.environ.get("SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
TRAMMEL = pathlib.Path(os.environ.get("TRAMMEL") or SOURCE / "build" / "trammel").resolve()
ANY_FIGURES = ("  worst residual", "  energy drift", "  energy balance")
# the package for Python, with the library beside the program; one with sanitizers is not loaded
PACKAGE = {"PYTHONPATH": str(SOURCE / "python"), "MPLBACKEND": "Agg", "PYTHONDONTWRITEBYTECODE": "1",
           "TRAMMEL_LIBRARY": str(next(TRAMMEL.parent.glob("libtrammel.so.[0-9].[0-9]"), ""))}
MARK = "\x1eend "  # printed after each command of a console block, with its exit code


class Block:
    def __init__(self, path, line, language, text, comments):
        self.path, self.line, self.language, self.text = path, line, language, text
        self.file, self.exit, self.shown_only, self.before, self.needs = None, 0, False, "", None
        for comment in comments:
            word, _, rest = comment.partition(":")
            if word == "file":
                self.file = rest.strip()
            elif word == "needs":
                self.needs = rest.strip()
            elif word == "before":
                self.before = rest.lstrip("\n") + "\n"
            elif comment == "not run":
                self.shown_only = True
            elif comment.startswith("exit "):
                self.exit = int(comment[5:])


def blocks_of(path):
    """The fenced blocks of a markdown file, each with the comments right before it."""
    lines, blocks, comments, i = path.read_text().split("\n"), [], [], 0
    while i < len(lines):
        line = lines[i]
        if line.startswith("```"):
            end = i + 1
            while end < len(lines) and lines[end] != "```":
                end += 1
            text = "".join(l + "\n" for l in lines[i + 1:end])
            blocks.append(Block(path, i + 1, line[3:].strip(), text, comments))
            comments, i = [], end
        elif line.startswith("<!--"):
            end = i
            while "-->" not in lines[end]:
                end += 1
            comments.append("\n".join(lines[i:end + 1])[4:].split("-->")[0].strip())
            i = end
        elif line.strip():
            comments = []
        i += 1
    return blocks


# ---- comparing what is printed with what is shown

NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w])")


COUNTS = re.compile(r"in (\d+) steps \((\d+) rejected\), (\d+) evaluations")


def same_counts(shown, printed):
    a, b = COUNTS.search(shown), COUNTS.search(printed)
    return bool(a and b) and all(abs(int(x) - int(y)) <= 0.2 * int(x) + 3 for x, y in zip(a.groups(), b.groups()))


def same_number(shown, printed):
    a, b = float(shown), float(printed)
    if shown == printed:
        return True
    if abs(a) < 1e-6:
        return abs(b) <= max(100 * abs(a), 1e-13)
    return ("." in shown or "e" in shown) and abs(a - b) <= 1e-4 * abs(a)


def same_line(shown, printed):
    if shown.strip() == "..." or shown.rstrip() == printed.rstrip():
        return True
    if "..." in shown:
        pattern = ".*".join(re.escape(part) for part in shown.rstrip().split("..."))
        return re.fullmatch(pattern, printed.rstrip()) is not None
    if any(shown.startswith(line) and printed.startswith(line) for line in ANY_FIGURES):
        return True
    if same_counts(shown, printed):
        shown, printed = COUNTS.sub("", shown), COUNTS.sub("", printed)
    if NUMBER.sub("#", shown).split() != NUMBER.sub("#", printed).split():
        return False
    if "s (read" in shown:
        return True
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(printed))
    return all(same_number(a, b) for a, b in pairs)


def same_lines(shown, printed):
    if not shown:
        return not printed
    if shown[0].strip() == "...":
        return any(same_lines(shown[1:], printed[k:]) for k in range(len(printed) + 1))
    return bool(printed) and same_line(shown[0], printed[0]) and same_lines(shown[1:], printed[1:])


# ---- running

class Folder:
    """Where the blocks of one markdown file run."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        (self.path / "build").symlink_to(TRAMMEL.parent)
        (self.path / "models").symlink_to(SOURCE / "models")
        self.surroundings = dict(os.environ, PATH=f"{TRAMMEL.parent}:{os.environ['PATH']}", NO_COLOR="1",
                                 SOURCE_DIR=str(SOURCE), LC_ALL="C.UTF-8", **PACKAGE)
        self.count = 0

    def use(self, python):
        """python3 is this one from now on."""
        self.surroundings["PATH"] = f"{python.parent}:{self.surroundings['PATH']}"

    def run(self, command):
        done = subprocess.run(command, cwd=self.path, env=self.surroundings, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout.decode("utf-8", "replace")

    def save(self, block, ending):
        self.count += 1
        name = block.file or f"block{self.count}{ending}"
        (self.path / name).write_text(block.before + block.text)
        return name


@functools.cache
def python_with(modules):
    """A Python that has the modules, or None. Debian's has those of Debian's packages; the first in the path may be another."""
    for python in map(shutil.which, ("python3", "/usr/bin/python3")):
        if python and subprocess.run([python, "-c", f"import {modules}"], capture_output=True,
                                     env=dict(os.environ, **PACKAGE)).returncode == 0:
            return pathlib.Path(python)
    return None


def judge(code, output, expected):
    return None if code == expected else f"exit code {code}, not {expected}\n{output}"


def run_tram(block, folder):
    name = folder.save(block, ".tram")
    simulates = re.search(r"^\s*simulate\b", block.before + block.text, re.MULTILINE)
    return judge(*folder.run([TRAMMEL, "run" if simulates else "check", "--quiet", name]), block.exit)


def run_c(block, folder):
    name, library = folder.save(block, ".c"), TRAMMEL.parent / "libtrammel.a"
    sanitized, counted = (mark in library.read_bytes() for mark in (b"__asan", b"__gcov"))
    flags = ["-fsanitize=address,undefined,leak"] * sanitized + ["--coverage"] * counted
    code, output = folder.run([os.environ.get("CC", "cc"), "-std=c17", "-Wall", "-Wextra", "-Werror", *flags,
                               f"-I{SOURCE}/include", name, library, "-lm", "-o", name[:-2]])
    if code != 0 or block.file:
        return judge(code, output, 0)
    return judge(*folder.run(["./" + name[:-2]]), block.exit)


def run_script(program, ending):
    def run(block, folder):
        name = folder.save(block, ending)
        return None if block.file else judge(*folder.run([program, name]), block.exit)
    return run


def commands_of(block):
    """[(command, shown lines)] of a console block."""
    commands = []
    for line in block.text.split("\n")[:-1]:
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif commands:
            commands[-1][1].append(line)
        else:
            raise SystemExit(f"{block.path}:{block.line}: a console block starts with '$ '")
    return commands


def print_commands(block, folder):
    """What each command prints, and its exit code."""
    script = "".join(f"{command}\nlast=$?; printf '{MARK}%d\\n' $last; (exit $last)\n"
                     for command, _ in commands_of(block))
    _, output = folder.run(["bash", "-c", script])
    parts = re.split(MARK + r"(\d+)\n", output)
    return [(parts[k].split("\n")[:-1] if parts[k].endswith("\n") else parts[k].split("\n") if parts[k] else [],
             int(parts[k + 1])) for k in range(0, len(parts) - 1, 2)]


def wrong_exit(block, commands, results):
    """The number of the first command that ends as it should not, or None."""
    for k, (_, code) in enumerate(results):
        last = k == len(commands) - 1
        may_fail = not last and commands[k + 1][0].strip() == "echo $?" and code < 128
        if not may_fail and code != (block.exit if last else 0):
            return k
    return None


def run_console(block, folder):
    commands, results = commands_of(block), print_commands(block, folder)
    if len(results) < len(commands):
        return f"$ {commands[len(results)][0]}\nthe shell did not come to its end: a quote that is not closed?"
    wrong = wrong_exit(block, commands, results)
    if wrong is not None:
        printed, code = results[wrong]
        return f"$ {commands[wrong][0]}\nexit code {code}\n" + "\n".join(printed)
    for (command, shown), (printed, _) in zip(commands, results):
        if not same_lines(shown, printed):
            return "\n".join([f"$ {command}", "--- shown", *shown, "--- printed", *printed])
    return None


RUNNERS = {"tram": run_tram, "console": run_console, "c": run_c, "sh": run_script("sh", ".sh"),
           "python": run_script("python3", ".py")}


# ---- links

def headings(path):
    text = re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        yield re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def broken_links(path):
    text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'(?:src|href)="([^"]+)"', text):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name) if name else path
        if not file.exists():
            yield f"{target}: there is no such file"
        elif anchor and anchor not in headings(file):
            yield f"{target}: there is no such heading"


# ---- all of it

def main():
    if not TRAMMEL.exists():
        sys.exit(f"docs: there is no program {TRAMMEL}; build it, or say where it is with TRAMMEL=...")
    update = "--update" in sys.argv[1:]
    passed, failed = 0, 0

    def tell(place, problem):
        nonlocal passed, failed
        passed, failed = passed + (problem is None), failed + (problem is not None)
        if problem is not None:
            print(f"{place}: FAILED\n{problem}\n")

    for path in taken([SOURCE / "README.md", *sorted((SOURCE / "docs").rglob("*.md"))]):
        shown = path.relative_to(SOURCE)
        tell(shown, "\n".join(broken_links(path)) or None)
        with tempfile.TemporaryDirectory() as temporary:
            folder, new = Folder(temporary), {}
            for block in blocks_of(path):
                if block.file and block.language not in RUNNERS:
                    folder.save(block, "")
                if block.shown_only or block.language not in RUNNERS:
                    continue
                if block.needs and not python_with(block.needs):
                    print(f"{shown}:{block.line}: left out, no Python here has {block.needs}")
                    continue
                if block.needs:
                    folder.use(python_with(block.needs))
                if update and block.language == "console" and "..." not in block.text:
                    new[block.line] = (block, print_commands(block, folder))
                else:
                    tell(f"{shown}:{block.line}", RUNNERS[block.language](block, folder))
            if update:
                write_updated(path, new)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def write_updated(path, new):
    lines = path.read_text().split("\n")
    for line in sorted(new, reverse=True):
        block, results = new[line]
        commands = commands_of(block)
        if wrong_exit(block, commands, results) is not None:
            print(f"{path.relative_to(SOURCE)}:{line}: a command fails, not updated")
            continue
        if all(alike(shown, printed) for (_, shown), (printed, _) in zip(commands, results)):
            continue
        text = []
        for (command, _), (printed, _) in zip(commands, results):
            text += ["$ " + command, *printed]
        lines[line:line + block.text.count("\n")] = text
        print(f"{path.relative_to(SOURCE)}:{line}: updated")
    path.write_text("\n".join(lines))


def alike(shown, printed):
    """The same but for the times, which differ from run to run."""
    return [l for l in shown if "s (read" not in l] == [l for l in printed if "s (read" not in l]


if __name__ == "__main__":
    sys.exit(main())
