#!/usr/bin/env python3
"""Draws the pictures of the documentation from real runs: docs/pictures/make.py [PROGRAM]

The models are those shown in README.md and docs/tutorial.md (the blocks marked <!-- file: NAME -->), so a picture is
of what its page says, and some that are shipped. PROGRAM is build/trammel unless given. Standard library and gnuplot.
"""
import csv
import math
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAM = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "trammel").resolve()

# Each picture is a card with a background of its own, so that it is legible on any page.
STYLE = """
    .card { fill: #ffffff; stroke: #d8dee6 }
    .grid { stroke: #e8ecf1; stroke-width: 1 }
    .frame { stroke: #9aa5b1; stroke-width: 1; fill: none }
    text { font: 13px -apple-system, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif; fill: #4a5560 }
    .title { font-size: 14px; font-weight: 600; fill: #1f2933 }
    .line { fill: none; stroke-width: 1.6; stroke-linejoin: round; stroke-linecap: round }
    .a { stroke: #1d6fd1 } .b { stroke: #d9650b } .c { stroke: #8a94a0 }
    text.a { fill: #1d6fd1; stroke: none } text.b { fill: #d9650b; stroke: none } text.c { fill: #6b7580; stroke: none }
    .faint { stroke-width: 1.1 }
    .rod { stroke: #1f2933; stroke-width: 2.2; stroke-linecap: round }
    .mass { fill: #1f2933 }
    @media (prefers-color-scheme: dark) {
      .card { fill: #14181d; stroke: #2e3640 }
      .grid { stroke: #232a32 }
      .frame { stroke: #5d6875 }
      text { fill: #aab4bf }
      .title { fill: #e6ebf0 }
      .a { stroke: #62a8f7 } .b { stroke: #ffa04d } .c { stroke: #7b8794 }
      text.a { fill: #62a8f7 } text.b { fill: #ffa04d } text.c { fill: #8d98a5 }
      .rod { stroke: #e6ebf0 } .mass { fill: #e6ebf0 }
    }"""


def model_of(page, name):
    """The model that a page shows under a name."""
    text = (ROOT / page).read_text()
    return re.search(rf"<!-- file: {re.escape(name)} -->.*?```tram\n(.*?)```", text, re.DOTALL).group(1)


def samples(page, name, *options):
    """Columns of a run, by name."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / name).write_text(model_of(page, name))
        subprocess.run([PROGRAM, "run", name, "--quiet", "-o", "out.csv", *options], cwd=path, check=True)
        with open(path / "out.csv", newline="") as file:
            rows = list(csv.reader(file))
    return {head: [float(row[i]) for row in rows[1:]] for i, head in enumerate(rows[0])}


def ticks(low, high, most=6):
    rough = (high - low) / most
    power = 10 ** math.floor(math.log10(rough))
    step = next(k * power for k in (1, 2, 5, 10) if k * power >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def label(value):
    return f"{value:.6g}".replace("-", "\u2212")


class Panel:
    """One diagram: a frame, a grid, ticks with numbers, names of the axes, lines."""

    def __init__(self, left, top, width, height, x, y, title, x_name, y_name):
        self.left, self.top, self.width, self.height = left, top, width, height
        self.x, self.y = x, y
        self.parts = []
        right, bottom = left + width, top + height
        for value in ticks(*x):
            at = self.at(value, y[0])[0]
            self.add(f'<line class="grid" x1="{at:.1f}" y1="{top}" x2="{at:.1f}" y2="{bottom}"/>')
            self.add(f'<text x="{at:.1f}" y="{bottom + 18}" text-anchor="middle">{label(value)}</text>')
        for value in ticks(*y):
            at = self.at(x[0], value)[1]
            self.add(f'<line class="grid" x1="{left}" y1="{at:.1f}" x2="{right}" y2="{at:.1f}"/>')
            self.add(f'<text x="{left - 8}" y="{at + 4.5:.1f}" text-anchor="end">{label(value)}</text>')
        self.add(f'<rect class="frame" x="{left}" y="{top}" width="{width}" height="{height}"/>')
        self.add(f'<text class="title" x="{left}" y="{top - 14}">{title}</text>')
        self.add(f'<text x="{left + width / 2:.1f}" y="{bottom + 38}" text-anchor="middle">{x_name}</text>')
        middle = top + height / 2
        self.add(f'<text x="{left - 44}" y="{middle:.1f}" text-anchor="middle" '
                 f'transform="rotate(-90 {left - 44} {middle:.1f})">{y_name}</text>')

    def add(self, part):
        self.parts.append(part)

    def at(self, x, y):
        return (self.left + (x - self.x[0]) / (self.x[1] - self.x[0]) * self.width,
                self.top + (self.y[1] - y) / (self.y[1] - self.y[0]) * self.height)

    def line(self, xs, ys, kind):
        points = " ".join(f"{px:.1f},{py:.1f}" for px, py in (self.at(x, y) for x, y in zip(xs, ys)))
        self.add(f'<polyline class="line {kind}" points="{points}"/>')

    def rod(self, *points):
        coordinates = " ".join(f"{x:.1f},{y:.1f}" for x, y in (self.at(*p) for p in points))
        self.add(f'<polyline class="line rod" points="{coordinates}"/>')

    def dot(self, x, y, radius):
        px, py = self.at(x, y)
        self.add(f'<circle class="mass" cx="{px:.1f}" cy="{py:.1f}" r="{radius}"/>')

    def legend(self, *entries):
        """Names of lines in the top right corner: (text, kind), from right to left."""
        at = self.left + self.width
        for text, kind in reversed(entries):
            self.add(f'<text class="{kind}" x="{at}" y="{self.top - 14}" text-anchor="end">{text}</text>')
            at -= 7.4 * len(text) + 18


def write(name, width, height, alternative, *panels):
    parts = "\n  ".join(part for panel in panels for part in panel.parts)
    (HERE / name).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        f' role="img" aria-label="{alternative}">\n  <style>{STYLE}\n  </style>\n'
        f'  <rect class="card" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>\n'
        f'  {parts}\n</svg>\n')


def double_pendulum():
    run = samples("README.md", "double-pendulum.tram", "--every", "0.01")
    path = Panel(64, 52, 320, 320, (-2.2, 2.2), (-2.2, 2.2), "Path", "x", "y")
    path.line(run["x2"], run["y2"], "b faint")
    path.line(run["x1"], run["y1"], "a")
    end = [run[name][-1] for name in ("x1", "y1", "x2", "y2")]
    path.rod((0, 0), (end[0], end[1]), (end[2], end[3]))
    for point, radius in (((0, 0), 3), ((end[0], end[1]), 6), ((end[2], end[3]), 6)):
        path.dot(*point, radius)
    forces = run["tension.x"] + run["tension.y"]
    force = Panel(472, 52, 420, 320, (0, 9), (math.floor(min(forces) / 10) * 10, math.ceil(max(forces) / 10) * 10),
                  "Force in the rods", "t", "tension")
    force.line(run["t"], run["tension.x"], "a")
    force.line(run["t"], run["tension.y"], "b")
    force.legend(("upper", "a"), ("lower", "b"))
    write("double-pendulum.svg", 920, 432, "Path of a double pendulum and the forces in its rods", path, force)


def sleigh():
    run = samples("docs/tutorial.md", "sleigh.tram", "--every", "0.02")
    x, y = run["x"], run["y"]
    span = max(max(x) - min(x), max(y) - min(y)) / 2 * 1.15
    middle = (max(x) + min(x)) / 2, (max(y) + min(y)) / 2
    path = Panel(64, 52, 320, 320, (middle[0] - span, middle[0] + span), (middle[1] - span, middle[1] + span),
                 "Path of the edge", "x", "y")
    path.line(x, y, "a")
    for k in range(0, len(x), 40):  # the sleigh from time to time, a dot at its front
        front = x[k] + 0.09 * span * math.cos(run["phi"][k]), y[k] + 0.09 * span * math.sin(run["phi"][k])
        path.rod((x[k], y[k]), front)
        path.dot(*front, 3)
    speed = Panel(472, 52, 420, 320, (0, 10), (-2.5, 4), "Speeds", "t", "")
    speed.line(run["t"], run["forward"], "a")
    speed.line(run["t"], run["phi'"], "b")
    speed.legend(("forward", "a"), ("turning", "b"))
    write("sleigh.svg", 920, 432, "Path and speeds of a sleigh on an edge", path, speed)


def cart():
    run = samples("docs/tutorial.md", "cart.tram", "--every", "0.04")
    push = Panel(64, 52, 370, 280, (0, 10), (-3, 3), "Push on the cart", "t", "control(s)")
    push.line(run["t"], run["push"], "b")
    swing = Panel(522, 52, 370, 280, (0, 10), (-0.6, 1.2), "Motion", "t", "")
    swing.line(run["t"], run["s"], "a")
    swing.line(run["t"], run["phi"], "c")
    swing.legend(("cart s", "a"), ("pendulum phi", "c"))
    write("cart.svg", 920, 392, "The push that makes a cart follow its plan", push, swing)


def shipped():
    """Plots of shipped models, as `trammel plot` draws them; their numbers are those of the model's plots."""
    for path, number in (("mechanisms/strandbeest", 1), ("classics/duffing-control", 3), ("classics/chaplygin-sleigh", 1)):
        name = pathlib.Path(path).name
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([PROGRAM, "plot", ROOT / "models" / f"{path}.tram", "--quiet", "-o", folder], check=True)
            (HERE / f"plot-{name}.svg").write_text((pathlib.Path(folder) / f"{name}-{number}.svg").read_text())


def moving():
    """What moves on top of README.md, three pictures of one height."""
    for path, suffix in (("mechanisms/strandbeest", "svg"), ("mechanisms/governor", "gif"), ("benchmarks/heavy-top", "gif")):
        picture = HERE / f"{pathlib.Path(path).name}.{suffix}"
        subprocess.run([PROGRAM, "plot", ROOT / "models" / f"{path}.tram", "--animate", "--width", "60", "--height", "52", "--quiet", "-o", picture],
                       check=True)


if __name__ == "__main__":
    double_pendulum()
    sleigh()
    cart()
    shipped()
    moving()
