"""What moves, as pictures: plot --scene and plot --animate.

Surroundings: TRAMMEL, the program; SOURCE_DIR, the clone. Prints "N passed, M failed", exit code 1 on failure.
"""
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from suite import run_all, test

program = os.environ["TRAMMEL"]
source = pathlib.Path(os.environ["SOURCE_DIR"])
scratch = pathlib.Path(tempfile.mkdtemp(prefix="trammel-scenes-"))

# A pendulum whose angle is known: what is drawn can be found again.
SWING = """param L = 2
body2 B: mass = 1, inertia = 1, at = (L, 0)
joint pin: revolute(ground, B, at = (0, 0))
constraint turn: angle(pin) = -t
simulate until 3, every 0.1
draw line (0, 0) B
draw box B (0.6, 0.3)
draw circle (0, 0) 0.2 + t/10
"""
# Two boxes in a line of sight from the front, y away from the eye; what is named first is farther.
BEHIND = """body far: mass = 1, shape = box(1, 1, 1), at = (0.2, 3, 0.1)
body near: mass = 1, shape = box(1, 1, 1), at = (0, 0, 0)
simulate until 1
"""


def model(text, name="m.tram"):
    path = scratch / name
    path.write_text(text)
    return str(path)


def run(*arguments, code=0):
    done = subprocess.run([program, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=scratch)
    assert "Sanitizer" not in done.stderr and "runtime error" not in done.stderr, done.stderr
    assert done.returncode in (code if isinstance(code, tuple) else (code,)), f"exit code {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}"
    return done


def refused(*arguments, code=2):
    done = run("plot", *arguments, code=code)
    assert done.stdout == "", done.stdout
    return done.stderr


def local(element):
    return element.tag.split("}")[1]


def points_of(path):
    """The points of a path's d, moves and steps."""
    at, out = (0, 0), []
    for kind, numbers in re.findall(r"([Ml])([^Mlz]*)", path):
        values = [float(v) for v in numbers.split()]
        for x, y in zip(values[::2], values[1::2]):
            at = (x, y) if kind == "M" else (at[0] + x, at[1] + y)
            kind = "l"
            out.append(at)
    return out


def turned(points, transform):
    x, y, angle = map(float, re.fullmatch(r"translate\((\S+) (\S+)\) rotate\((\S+)\)", transform).groups())
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    return [(x + c * u - s * v, y + s * u + c * v) for u, v in points]


class Picture:
    def __init__(self, path):
        self.text = (scratch / path).read_text()
        self.root = xml.etree.ElementTree.fromstring(self.text)
        self.width, self.height = map(float, self.root.get("viewBox").split()[2:])
        self.panels = [g for g in self.root if local(g) == "g"]
        self.grain = float(self.root.get("width")[:-2]) / self.width  # mm
        self.title = self.root[0].text

    def marks(self, panel=0):
        """[(kind, places, element)], in the order of painting."""
        out = []
        for e in self.panels[panel]:
            if local(e) == "circle":
                x, y, r = (float(e.get(k)) for k in ("cx", "cy", "r"))
                out.append(("circle", [(x - r, y - r), (x + r, y + r)], e))
            elif local(e) == "path":
                points = points_of(e.get("d"))
                out.append(("path", turned(points, e.get("transform")) if e.get("transform") else points, e))
        return out

    def captions(self):
        return [e.text for e in self.root if local(e) == "text"]


def middle(points):
    return tuple((min(p[k] for p in points) + max(p[k] for p in points)) / 2 for k in (0, 1))


# ---- stills


@test
def a_scene_is_written_as_svg_and_pdf():
    path = model(SWING, "swing.tram")
    assert run("plot", path, "--scene", "0,1,L").stdout == "swing-scene.svg\nswing-scene.pdf\n"
    assert run("plot", path, "--scene", "1", "-o", "one.pdf").stdout == "one.pdf\n"
    assert run("plot", path, "--scene", "1", "-o", "two.svg", "-q").stdout == "" and (scratch / "two.svg").exists()
    assert run("plot", path, "--scene", "1", "-o", "three", "--format", "svg").stdout == "three.svg\n"
    assert not (scratch / "three.pdf").exists() and not (scratch / "one.svg").exists()
    first = {name: (scratch / name).read_bytes() for name in ("swing-scene.svg", "swing-scene.pdf")}
    run("plot", path, "--scene", "0,1,L")
    assert first == {name: (scratch / name).read_bytes() for name in first}, "not the same bytes"
    picture = Picture("swing-scene.svg")
    assert len(picture.panels) == 3 and picture.captions() == ["t = 0", "t = 1", "t = 2"]


@test
def things_are_where_they_are():
    run("plot", model(SWING), "--scene", "0,0.5,1.05", "-o", "where")
    picture = Picture("where.svg")
    for panel, t in enumerate((0, 0.5, 1.05)):
        marks = picture.marks(panel)
        box = next(places for kind, places, e in marks if kind == "path" and e.get("transform") and len(places) == 4 and "z" in e.get("d"))
        rim, = [places for kind, places, e in marks if kind == "circle" and e.get("fill") == "none"]
        pivot = middle(rim)
        scale = (rim[1][0] - rim[0][0]) / 2 / (0.2 + t / 10)
        x, y = middle(box)
        found = ((x - pivot[0]) / scale, (pivot[1] - y) / scale)
        wanted = (2 * math.cos(t), -2 * math.sin(t))
        assert math.dist(found, wanted) < 0.01, (t, found, wanted)
        sides = sorted(math.dist(box[i], box[i + 1]) / scale for i in range(3))
        assert abs(sides[0] - 0.3) < 0.01 and abs(sides[2] - 0.6) < 0.01, sides
        along = math.atan2(-(box[1][1] - box[0][1]), box[1][0] - box[0][0])
        assert abs(along + t) < 0.02, (along, t)


def inside(picture):
    """Nothing that moves leaves the frame by more than what lines are wide."""
    margin = 1.5 / picture.grain  # mm
    for panel in range(len(picture.panels)):
        for _, places, _ in picture.marks(panel):
            for x, y in places:
                assert -margin <= x <= picture.width + margin and -margin <= y <= picture.height + margin, (x, y)


SHIPPED = ["mechanisms/gears", "mechanisms/governor", "mechanisms/four-bar-3d", "mechanisms/slider-crank-bodies", "mechanisms/cardan",
           "mechanisms/h-frame", "mechanisms/robot", "mechanisms/strandbeest", "classics/double-pendulum", "benchmarks/heavy-top"]


@test
def shipped_mechanisms_fit_their_frames():
    for name in SHIPPED:
        for style in ("solid", "lines"):
            run("plot", source / f"models/{name}.tram", "--scene", "0,0.05", "--until", "0.1", "--style", style, "-o", "ship", "-q", code=(0, 1))  # 1: what is expected comes later
            picture = Picture("ship.svg")
            assert sum(len(picture.marks(p)) for p in (0, 1)) >= 4, name
            inside(picture)
            check_pdf((scratch / "ship.pdf").read_bytes())
            colours = set(re.findall(r"#([0-9a-f]{6})", picture.text))
            assert (colours <= {"000000", "ffffff"}) == (style == "lines"), (name, style, colours)
            assert 10 < picture.width * picture.grain <= 130 and 10 < picture.height * picture.grain <= 62, name


@test
def the_nearer_hides_the_farther():
    path = model(BEHIND)
    for view, ahead in (("front", "near"), ("iso", "near")):
        run("plot", path, "--scene", "0", "--view", view, "-o", "order")
        marks = Picture("order.svg").marks()
        fills = [e.get("fill") for kind, _, e in marks if kind == "path" and e.get("fill", "none") != "none"]
        blue = [i for i, fill in enumerate(fills) if int(fill[5:7], 16) > int(fill[1:3], 16)]  # far has the palette's first colour
        assert blue and max(blue) < len(fills) - 1 and blue == list(range(len(blue))), (view, fills)
    turned_round = BEHIND.replace("(0.2, 3, 0.1)", "(0.2, -3, 0.1)")
    run("plot", model(turned_round), "--scene", "0", "--view", "front", "-o", "order")
    fills = [e.get("fill") for kind, _, e in Picture("order.svg").marks() if kind == "path"]
    assert int(fills[-1][5:7], 16) > int(fills[-1][1:3], 16), fills


@test
def views_look_along_axes():
    # a box of 1 by 2 by 4: each view has two of its edges
    path = model("body B: mass = 1, shape = box(1, 2, 4)\nsimulate until 1\n")
    for view, wanted in (("front", (1, 4)), ("side", (2, 4)), ("top", (1, 2))):
        run("plot", path, "--scene", "0", "--view", view, "-o", "view")
        places = [p for _, points, _ in Picture("view.svg").marks() for p in points]
        wide, high = (max(p[k] for p in places) - min(p[k] for p in places) for k in (0, 1))
        assert abs(wide / high - wanted[0] / wanted[1]) < 0.01, (view, wide, high)


def check_pdf(raw):
    """As a reader finds its way: from the end to the table of places, and each object there."""
    assert raw.startswith(b"%PDF-1.4\n") and raw.endswith(b"%%EOF\n")
    start = int(re.search(rb"startxref\n(\d+)\n", raw).group(1))
    count = int(re.match(rb"xref\n0 (\d+)\n", raw[start:]).group(1))
    places = re.findall(rb"(\d{10}) 00000 n \n", raw[start:])
    assert len(places) == count - 1
    for number, place in enumerate(places, 1):
        assert raw[int(place):].startswith(b"%d 0 obj\n" % number), number
    length = int(re.search(rb"/Length (\d+)", raw).group(1))
    content = raw[raw.index(b"stream\n") + 7:][:length]
    assert raw[raw.index(b"stream\n") + 7 + length:].startswith(b"endstream")
    assert content.split().count(b"q") == content.split().count(b"Q")


@test
def a_pdf_is_opened():
    run("plot", model(SWING), "--scene", "0,1", "-o", "open")
    if not shutil.which("pdftoppm"):
        print("skipped in part: there is no pdftoppm")
        return
    done = subprocess.run(["pdftoppm", "-r", "60", "open.pdf"], capture_output=True, cwd=scratch)
    assert done.returncode == 0 and done.stderr == b"", done.stderr
    assert len(set(done.stdout[-30000:])) > 5, "nothing is there"


# ---- films


@test
def a_film_moves_in_the_plane():
    assert run("plot", model(SWING, "swing.tram"), "--animate").stdout == "swing-film.svg\n"
    film = Picture("swing-film.svg")
    lists = {e: e.get("values").split(";") for e in film.root.iter() if local(e) in ("animate", "animateTransform")}
    frames = {len(v) for v in lists.values()}
    assert len(frames) == 1 and all(e.get("repeatCount") == "indefinite" and e.get("dur") == "3.00s" for e in lists), frames
    count = frames.pop()
    box = next(e for e in film.panels[0] if len(e) == 2 and e.get("d", "").endswith("z"))
    places, turns = (lists[e] for e in box)
    pivot, = [e for e in film.panels[0] if local(e) == "circle" and e.get("fill") == "none"]
    at = (float(pivot.get("cx")), float(pivot.get("cy")))
    scale = float(pivot.get("r")) / 0.2
    for frame in (0, count // 3, count - 1):
        t = 3 * frame / (count - 1)
        x, y = map(float, places[frame].split())
        assert math.dist(((x - at[0]) / scale, (at[1] - y) / scale), (2 * math.cos(t), -2 * math.sin(t))) < 0.02, t
        assert abs(float(turns[frame]) - math.degrees(t)) < 0.2, (t, turns[frame])


@test
def a_film_of_the_double_pendulum_is_small():
    run("plot", source / "models/classics/double-pendulum.tram", "--animate", "-o", "film.svg")
    assert (scratch / "film.svg").stat().st_size < 30000
    assert Picture("film.svg").title == "Double pendulum"


@test
def a_film_in_space_has_its_frames():
    run("plot", source / "models/benchmarks/heavy-top.tram", "--animate", "-o", "top.svg", "-q")
    film = Picture("top.svg")
    frames = [g for g in film.panels[0] if local(g) == "g"]
    assert 20 < len(frames) <= 120 and all(g.get("class") == "f" for g in frames)
    assert len({xml.etree.ElementTree.tostring(g) for g in frames}) > 20


class Gif:
    """Decoded by itself: frames as places in the palette."""

    def __init__(self, raw):
        assert raw[:6] == b"GIF89a" and raw[-1:] == b";"
        self.width, self.height, flags = struct.unpack("<HHB", raw[6:11])
        assert flags == 0xF7 and raw[13 + 768:][:19] == b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"
        self.palette = [tuple(raw[13 + 3 * i:16 + 3 * i]) for i in range(256)]
        self.frames, self.delays = [], []
        at, shown = 13 + 768 + 19, [None] * (self.width * self.height)
        while raw[at:at + 1] != b";":
            assert raw[at:at + 3] == b"\x21\xf9\x04"
            self.delays.append(struct.unpack("<H", raw[at + 4:at + 6])[0])
            left, top, width, height, more = struct.unpack("<HHHHB", raw[at + 9:at + 18])
            assert raw[at + 8:at + 9] == b"," and more == 0 and raw[at + 18] == 8
            at, data = at + 19, b""
            while raw[at]:
                data += raw[at + 1:at + 1 + raw[at]]
                at += 1 + raw[at]
            at += 1
            places = self.unpack(data)
            assert len(places) == width * height
            shown = list(shown)
            for i, place in enumerate(places):
                if place != 255:
                    shown[(top + i // width) * self.width + left + i % width] = place
            assert None not in shown, "a place that no frame has painted"
            self.frames.append(shown)

    @staticmethod
    def unpack(data):
        bits, known, width, out, before = int.from_bytes(data, "little"), [], 9, [], None
        while True:
            code, bits = bits & ((1 << width) - 1), bits >> width
            if code == 256:
                known, width, before = [bytes([i]) for i in range(256)] + [b"", b""], 9, None
                continue
            if code == 257:
                return b"".join(out)
            entry = known[code] if code < len(known) else before + before[:1]
            out.append(entry)
            if before is not None and len(known) < 4096:
                known.append(before + entry[:1])
                width += len(known) == 1 << width and width < 12
            before = entry

    def pixel(self, frame, x, y):
        return self.palette[self.frames[frame][int(y) * self.width + int(x)]]


@test
def a_gif_shows_what_moves():
    path = model(SWING.replace("until 3, every 0.1", "until 2.5, every 0.1"), "swing.tram")
    run("plot", path, "--animate", "-o", "swing.gif", "--width", "40")
    run("plot", path, "--animate", "-o", "same.svg", "--width", "40")
    gif, film = Gif((scratch / "swing.gif").read_bytes()), Picture("same.svg")
    assert sum(gif.delays) == 250 and len(gif.frames) == 38
    dots = 4 * film.grain
    assert abs(gif.width - film.width * dots) <= 2 and abs(gif.height - film.height * dots) <= 2
    pivot, = [e for e in film.panels[0] if local(e) == "circle" and e.get("fill") == "none"]
    x, y, scale = (float(pivot.get(k)) * dots / (0.2 if k == "r" else 1) for k in ("cx", "cy", "r"))
    for frame in range(0, 38, 6):
        t = 2.5 * frame / 37
        for ahead, wanted in ((0, True), (-0.3, False)):  # the box is where it is, and not where it was or will be
            at = (x + scale * 2 * math.cos(t + ahead), y + scale * 2 * math.sin(t + ahead))
            if wanted or (0 < at[0] < gif.width and 0 < at[1] < gif.height):
                red, green, blue = gif.pixel(frame, *at)
                assert (blue > red + 30) == wanted, (frame, ahead, red, green, blue)
    assert (scratch / "swing.gif").stat().st_size < 60000


@test
def videos_are_made_by_ffmpeg():
    path = model(SWING, "swing.tram")
    hidden = dict(os.environ, PATH="/nowhere")
    done = subprocess.run([program, "plot", path, "--animate", "-o", "a.mp4"], capture_output=True, text=True, cwd=scratch, env=hidden)
    assert done.returncode == 2 and "made by ffmpeg, which is not there" in done.stderr and "apt-get install ffmpeg" in done.stderr
    assert not list(scratch.glob("*a.mp4*"))
    if not shutil.which("ffmpeg"):
        print("skipped in part: there is no ffmpeg")
        return
    for name in ("a.mp4", "a.webm"):
        assert run("plot", path, "--animate", "-o", name, "--width", "30").stdout == name + "\n"
        done = subprocess.run(["ffmpeg", "-v", "error", "-i", name, "-f", "rawvideo", "-pix_fmt", "gray", "-"], capture_output=True, cwd=scratch)
        assert done.returncode == 0 and done.stderr == b"" and len(done.stdout) > 90 * 100 * 100, done.stderr
        assert set(done.stdout[:1000]) <= set(range(250, 256)), "the paper is white"
    assert "standard output" in refused(path, "--animate", "-o", "/dev/stdout") and "No such" not in refused(path, "--animate", "-o", "no/a.mp4", code=4)


# ---- what goes wrong


@test
def wrong_wishes_are_told():
    swing, path = model(SWING, "swing.tram"), model("coord x\nmass x = 1\nsimulate until 1\n")
    assert "t = 9 is not in the run, which goes from 0 to 3" in refused(swing, "--scene", "0,9")
    assert "draws nothing" in refused(path, "--scene", "0") and "draw line" in refused(path, "--animate")
    assert "'zero' is none" in refused(swing, "--scene", "0,zero") and "'' is none" in refused(swing, "--scene", "")
    assert "no view 'back'" in refused(swing, "--scene", "0", "--view", "back")
    assert "seen from the front" in refused(swing, "--scene", "0", "--view", "top")
    assert "no style 'pretty'" in refused(swing, "--scene", "0", "--style", "pretty")
    assert "no format 'tiff'" in refused(swing, "--scene", "0", "-o", "a.tiff")
    assert "one of both" in refused(swing, "--scene", "0", "--animate")
    assert "are of --scene and --animate" in refused(swing, "--style", "lines")
    assert "between 10 and 1000 mm" in refused(swing, "--scene", "0", "--width", "2")
    assert "nothing moves" in refused(swing, "--animate", "--until", "0")
    assert "standard output" in refused(swing, "--scene", "0", "-o", "-")
    assert "no such folder" in refused(swing, "--scene", "0", "-o", "nowhere/a", code=4)
    (scratch / "keep.svg").write_text("mine")
    refused(swing, "--scene", "9", "-o", "keep.svg")
    assert (scratch / "keep.svg").read_text() == "mine"


@test
def texts_are_shown_as_they_are():
    path = model('title "<& α"\n' + SWING + 'draw text B "a < b & \u202e(c) α"\n')
    run("plot", path, "--scene", "0", "-o", "text")
    picture = Picture("text.svg")
    assert "a < b & ?(c) α" in [e.text for g in picture.panels for e in g if local(e) == "text"]
    raw = (scratch / "text.pdf").read_bytes()
    check_pdf(raw)
    assert rb"(a < b & ?\(c\) ) Tj /F2 2.900 Tf (a) Tj" in raw


code = run_all()
shutil.rmtree(scratch)
sys.exit(code)
