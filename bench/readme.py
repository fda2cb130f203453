#!/usr/bin/env python3
"""Writes the table of README.md from the newest results of make bench: bench/readme.py [--check]

--check only says whether the table is that of the results, and fails if not. Standard library.
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- by bench/readme.py -->\n", "<!-- end -->\n"
TRAMMEL, MUJOCO, HARD, SYMPY = "Trammel", "MuJoCo RK4 h=1e-3", "MuJoCo RK4 h=1e-3, loops hardened", "SymPy + SciPy DOP853 1e-10"
NONE = "not measured"

# What is to be done, as a case of the results, and the model of it.
TASKS = [
    ("double pendulum, 10 s", "p1", "bench/models/double-pendulum.tram", MUJOCO, SYMPY),
    ("chain of ten links, 1 s", "p2 10", "bench/models/chain.tram", MUJOCO, SYMPY),
    ("ten windows in a row, ten times through a singular position", "p3 10", "models/benchmarks/iftomm-a02.tram", HARD, None),
    ("Bricard's mechanism, six hinges with one equation to spare", "p4b", "bench/models/bricard-bodies.tram", HARD, None),
]


def lines_of_model(path):
    """Lines that say what the system is: without comments, pictures, results and claims."""
    said = [line.strip() for line in (ROOT / path).read_text().splitlines()]
    end = next(i for i, line in enumerate(said) if line.startswith("simulate"))
    return sum(1 for line in said[:end + 1] if line and not line.startswith(("#", "title")))


def lines_of_program():
    """Those of the program with SymPy that derive and integrate; not what measures and prints."""
    text = (ROOT / "bench/peers/scipy_sympy.py").read_text()
    derived = re.search(r"^g = .*?^    return .*?$", text, re.M | re.S)[0]
    return sum(1 for line in derived.splitlines() if line.strip()) + 4  # three imports, one call of the integrator


def milliseconds(seconds):
    return f"{seconds*1e3:.2g} ms" if seconds < 0.1 else f"{seconds*1e3:.0f} ms"


def cell(results, case, engine):
    if engine is None:
        return NONE
    # "b" is the same mechanism, of bodies instead of coordinates
    found = {r["case"]: r for r in results if r["engine"] == engine}
    result = found.get(case) or found.get(case.rstrip("b"))
    if result is None:
        sys.exit(f"bench/readme.py: there is no result of {engine} for {case}")
    parts = [f"error {result['error']:.0e}", milliseconds(result["time"])]
    if "hardened" in engine:
        parts.insert(1, f"loop open by {result['violation']:.0e}")
    if result.get("derive", 0) > 1:
        parts.append(f"after deriving for {result['derive']:.1f} s")
    return "; ".join(parts)


def table(results):
    rows = ["| | Trammel | MuJoCo 2.2, steps of 1 ms | SymPy 1.11 and SciPy |", "| --- | --- | --- | --- |"]
    for task, case, model, mujoco, sympy in TASKS:
        own = f"{lines_of_model(model)} lines; {cell(results, case, TRAMMEL)}"
        others = cell(results, case, sympy)
        rows.append(f"| [{task}]({model}) | {own} | {cell(results, case, mujoco)} | "
                    f"{f'{lines_of_program()} lines; ' if sympy else ''}{others} |")
    rows.append(f"| forces | of each constraint by name, and whether it is unique | {NONE} | none: the program works in angles |")
    return "\n".join(rows) + "\n"


def main():
    newest = sorted((ROOT / "bench/results").glob("*.json"))[-1]
    readme = ROOT / "README.md"
    text = readme.read_text()
    before, _, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        sys.exit("README.md has no place for the table of bench/readme.py")
    wanted = f"{before}{BEGIN}{table(json.loads(newest.read_text())['results'])}{END}{after}"
    if wanted == text:
        return 0
    if "--check" in sys.argv[1:]:
        print(f"the table of README.md is not that of {newest.name}; bench/readme.py renews it", file=sys.stderr)
        return 1
    readme.write_text(wanted)
    return 0


sys.exit(main())
