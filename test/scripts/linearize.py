"""`trammel linearize` on the Whipple bicycle, against the published figures of Meijaard, Papadopoulos, Ruina and Schwab
(2007): four eigenvalues at each of eleven speeds, the speeds at which weave and capsize change their stability. Then the same
bicycle let go with a rate of lean, against integrations of its equations in nine coordinates with more digits; and exit codes.

Surroundings: TRAMMEL, the program; SOURCE_DIR, the clone.
Prints "N passed, M failed", exit code 1 on failure.
"""
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile

program, models = os.environ["TRAMMEL"], pathlib.Path(os.environ["SOURCE_DIR"], "models")
bicycle = models / "mechanisms" / "bicycle.tram"

# speed: castering, capsize, real and imaginary part of weave
EIGENVALUES = {
    1: (-7.11008014637442, -3.13423125066578, 3.5269617099007, 0.8077402751993),
    2: (-8.67387984831735, -3.07158645641514, 2.68234517512745, 1.68066296590675),
    3: (-10.3510146724592, -2.63366137253667, 1.70675605663975, 2.31582447384325),
    4: (-12.15861426576447, -1.42944427361326, 0.41325331521125, 3.07910818603206),
    5: (-14.07838969279822, -0.32286642900409, -0.77534188219585, 4.46486771378823),
    6: (-16.08537123098026, -0.0040669007697, -1.52644486584142, 5.87673060598709),
    7: (-18.15788466125262, 0.10268170574766, -2.13875644258362, 7.19525913329805),
    8: (-20.27940894394569, 0.14327879765713, -2.69348683581097, 8.46037971396931),
    9: (-22.43788559040858, 0.15790184030917, -3.21675402252485, 9.69377351531791),
    10: (-24.62459635017404, 0.16105338653172, -3.72016840437287, 10.90681139476287),
}
AT_REST = [-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393]
WEAVE_SPEED, CAPSIZE_SPEED = 4.29238253634111, 6.02426201538837

# speed, rate of lean: lean, steer, yaw and place of the rear wheel after 5 s (y, steer and yaw to the left)
MANOEUVRES = {
    (4.0, 0.05): (-0.004714488990406563, -0.044960974044476396, -0.1563530993899661, 19.995957822618127, -0.2689350652638786),
    (4.6, 0.5): (0.010342440644739416, -0.008185670970255854, -0.21607518161396297, 22.58388665437318, -4.831212973737219),
    (8.0, 0.05): (0.006220791455250516, -0.001002817878982208, -0.0332035580186614, 39.992925887632424, -0.7257685189304662),
}

passed = failed = 0


def count(good, *what):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(*what)


def run(command, file, *options):
    return subprocess.run([program, command, str(file), *options], capture_output=True, text=True)


def spectrum(speed):
    done = run("linearize", bicycle, "--json", "--set", "kick=0", "--set", f"v={speed!r}")
    answer = json.loads(done.stdout)
    count(done.returncode == 0 and answer["steady"] and answer["warnings"] == [], speed, done.stderr)
    count(len(answer["coordinates"]) == len(answer["matrix"]) == 10, speed, "has not 10 coordinates")
    hold_modes(speed, answer)
    return [complex(*e) for e in answer["eigenvalues"]]


def hold_modes(name, answer):
    """A v = lambda v, beside the largest eigenvalue; of the bicycle only zeros lack a mode"""
    matrix, values = answer["matrix"], [complex(*e) for e in answer["eigenvalues"]]
    largest = max(map(abs, values))
    for value, mode in zip(values, answer["modes"]):
        if mode is None:
            count(abs(value) < 1e-6, f"{name}: no mode for {value}")
            continue
        v = [complex(*c) for c in mode]
        off = max(abs(sum(a * c for a, c in zip(row, v)) - value * w) for row, w in zip(matrix, v))
        count(off < 1e-9 * largest * max(map(abs, v)), f"{name}: the mode of {value} is off by {off}")


def hold_against(speed, expected):
    """All of them, and nothing else but zeros."""
    rest = spectrum(speed)
    for value in expected:
        nearest = min(rest, key=lambda found: abs(found - value))
        rest.remove(nearest)
        count(abs(nearest - value) < 1e-9*abs(value), f"v = {speed}: {nearest} instead of {value}")
    count(max(map(abs, rest)) < 1e-9, f"v = {speed}: {rest} should be zeros")


hold_against(0.0, AT_REST)
for speed, (caster, capsize, re, im) in EIGENVALUES.items():
    hold_against(float(speed), [caster, capsize, complex(re, im), complex(re, -im)])
count(min(abs(e.real) for e in spectrum(WEAVE_SPEED) if e.imag > 1) < 1e-9, "weave")
count(sorted(map(abs, spectrum(CAPSIZE_SPEED)))[6] < 1e-9, "capsize")

# the accelerations of Basu-Mandal, Chatterjee and Papadopoulos, which the model expects there
done = run("run", bicycle, "--set", "upright=0")
count(done.returncode == 0 and "9 of 9 hold" in done.stdout, done.stdout, done.stderr)

for (speed, kick), expected in MANOEUVRES.items():
    done = run("run", bicycle, "--set", f"v={speed}", "--set", f"kick={kick}", "--until", "5", "-o", "-")
    last = list(csv.DictReader(io.StringIO(done.stdout)))[-1]
    for name, value in zip(("lean_angle", "steer_angle", "yaw_angle", "R.x", "R.y"), expected):
        count(abs(float(last[name]) - value) < 1e-9, f"v = {speed}: {name} is {last[name]} instead of {value}")

with tempfile.TemporaryDirectory() as folder:
    def answer_to(text, *options):
        file = pathlib.Path(folder, "model.tram")
        file.write_text(text)
        return run("linearize", file, *options)

    done = answer_to("coord x, y\nkinetic x'^2/2 + y'^2/2\npotential x^2/2 + y^2/2 + 3/2*(x - y)^2\n")
    count("  modes\n    0 +- 1 i: x 1, y 1\n    0 +- 2.64575 i: x 1, y -1\n" in done.stdout, done)
    done = answer_to("coord x, y\nkinetic x'^2/2 + y'^2/2\npotential x^2/2\n")
    count("    0, repeated: y 1\n    0, repeated: no mode of its own" in done.stdout, done)
    # nothing but zeros, with a constraint that moves
    done = answer_to("coord x, y\nkinetic x'^2 + y'^2\nconstraint c: x + y = t\n", "--json")
    count(json.loads(done.stdout)["eigenvalues"] == [[0, 0], [0, 0]], done)
    done = answer_to("coord x\nkinetic x'^2\nconstraint c: x = 1\n")
    count("nothing can deviate" in done.stdout, done)
    # what slips has no row; friction on reactions that are not unique has no slopes
    swing = ("gravity (0, 0, -9.81)\nbody b: mass = 1, inertia = (1, 1, 1), at = (1, 0, 0), rotation = (0, 0, 0)\n"
             "joint h: revolute(ground, b, at = (0, 0, 0), axis = (0, 1, 0))\nfriction h: mu = 0.1, radius = 0.01\n")
    done = answer_to(swing)
    count("7 coordinates, 6 constraint rows of rank 6" in done.stdout, done)
    done = answer_to(swing + "joint i: revolute(ground, b, at = (0, 1, 0), axis = (0, 1, 0))\n")
    count(done.returncode == 3 and "beside the start" in done.stderr and "redundant" in done.stderr, done)
    # two that drive each other through damping: a quarter of a turn apart
    done = answer_to("coord x, y\nkinetic x'^2/2 + y'^2/2\npotential x^2/2 + y^2/2\nforce x = y'\nforce y = -x'\n")
    count("x 1, y 1 at -90 deg" in done.stdout and "x 1, y 1 at 90 deg" in done.stdout, done)
    # a rotation that is nearly none has a mass that nearly vanishes; sines that drive all there is
    done = answer_to("gravity (0, 0, -9.81)\nbody b: mass = 1, inertia = (1, 1, 1), at = (1, 0, 0), rotation = (1, 1e-15, 1e-15, 0)\n"
                     "joint h: revolute(ground, b, at = (0, 0, 0), axis = (0, 1, 0))\n")
    count("belongs to no steady motion" in done.stderr, done)
    done = run("linearize", models / "mechanisms" / "six-rss.tram")
    count("belongs to no steady motion" in done.stderr, done.stderr)
    fine = "coord x\nkinetic x'^2/2\npotential 2*x^2\n"
    done = answer_to(fine)
    count(done.returncode == 0 and "0 +- 2 i" in done.stdout and done.stderr == "", done)
    done = answer_to(fine, "--quiet")
    count(done.returncode == 0 and done.stdout == done.stderr == "", done)
    done = answer_to("param k = 2\n" + fine.replace("2*x^2", "k*x^2"), "--set", "k=8", "--json")
    count(json.loads(done.stdout)["eigenvalues"] == [[0, 4], [0, -4]], done)
    done = answer_to(fine + "initial x = 1\n")
    count(done.returncode == 0 and "warning: " in done.stderr and "x'' is off by 4" in done.stderr, done)
    done = answer_to(fine + "constraint c: x = 1\ninitial x = 0\n", "--json")
    count(done.returncode == 3 and json.loads(done.stdout)["error"]["constraint"] == "c", done)
    count("contradict" in done.stderr, done)
    done = answer_to("coord x, y\nkinetic x'^2\n")
    count(done.returncode == 3 and "not unique" in done.stderr and done.stdout == "", done)
    done = answer_to("coord x\nkinetic x^^2\n")
    count(done.returncode == 2 and "model.tram:2" in done.stderr and done.stdout == "", done)
    count(answer_to(fine, "--until", "3").returncode == 2, "--until is no option of it")
    count(answer_to(fine, "--set", "nothing=3").returncode == 2, "--set of an unknown parameter")
    count(run("linearize", folder + "/none.tram").returncode == 4, "no file")
    count(subprocess.run([program, "linearize"], capture_output=True).returncode == 2, "no name")

print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0 or passed == 0)
