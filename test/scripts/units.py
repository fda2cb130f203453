"""The same mechanism in any units: lengths, times and masses times random factors give the same steps within a few, the same
relative results and the same verdicts, by every integrator, in run, check and linearize.

Each family is written with three factors, L, T and K; "reach" is a number without a unit.

Surroundings: TRAMMEL, the program; SOURCE_DIR, the clone. Prints "N passed, M failed", exit code 1 on failure.
"""
import functools
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from suite import takes

program = os.environ["TRAMMEL"]
models = pathlib.Path(os.environ["SOURCE_DIR"], "models")
FACTORS = "param L = {L!r}, T = {T!r}, K = {K!r}\n"
PLAIN = {"L": 1.0, "T": 1.0, "K": 1.0}

FAMILIES = {
    "particles": """coord x, y, u, w
kinetic K*(x'^2 + y'^2 + u'^2 + w'^2)/2
potential K*9.81*L/T^2*(y + w)
initial x = L, y = 0, u = 2*L, w = 0
constraint a: x^2 + y^2 = L^2
constraint b: (u - x)^2 + (w - y)^2 = L^2
output reach = u/L
output pull = 2*L*norm((x, y))*multiplier(a)*T^2/(K*L^2)
simulate until 3*T
""",
    "springs": """coord x, y
kinetic K*(x'^2 + y'^2)/2
potential K/T^2*(x^2 + 2*y^2)/2 + K/T^2/L*x*x*y
initial x = 0.1*L, y' = 0.1*L/T
output reach = x/L
simulate until 10*T
""",
    "angles": """coord phi, psi, x
kinetic K*L^2*(phi'^2 + psi'^2 + phi'*psi'*cos(phi - psi))/2 + K*x'^2/2
potential -K*9.81*L^2/T^2*(2*cos(phi) + cos(psi))
initial phi = 1, psi = 0.5
constraint c: x = L*sin(phi)
output reach = x/L
simulate until 3*T
""",
    "four-bar": """body2 A: mass = K, inertia = 0.1*K*L^2, at ~ (0.25*L, 0.433*L), angle = 1.05
body2 B: mass = 2*K, inertia = 0.3*K*L^2, at ~ (1.5*L, 1.2*L), angle ~ 0.3
body2 C: mass = K, inertia = 0.2*K*L^2, at ~ (2.4*L, 0.7*L), angle ~ 1.2
gravity (0, -9.81*L/T^2)
joint j1: revolute(ground, A, at1 = (0, 0), at2 = (-0.5*L, 0))
joint j2: revolute(A, B, at1 = (0.5*L, 0), at2 = (-1.2*L, 0))
joint j3: revolute(B, C, at1 = (1.2*L, 0), at2 = (0.8*L, 0))
joint j4: revolute(C, ground, at1 = (-0.8*L, 0), at2 = (2.2*L, 0))
output reach = B.x/L
simulate until 2*T
""",
    "box": """body B: mass = K, inertia = (0.5*K*L^2, 0.7*K*L^2, 0.3*K*L^2), at = (0, L/2, -L), omega = (0, 0, 3/T)
gravity (0, 0, -9.81*L/T^2)
joint j: spherical(ground, B, at1 = (0, 0, 0), at2 = (0, -L/2, L))
output reach = B.z/L
simulate until 3*T
""",
    "top": """body B: mass = K, inertia = (2*K*L^2, 2*K*L^2, 0.5*K*L^2), at ~ (0.3*L, 0, 0.95*L), rotation ~ (0, 0.3, 0), omega ~ (0, 0, 40/T)
gravity (0, 0, -9.81*L/T^2)
joint j: spherical(ground, B, at1 = (0, 0, 0), at2 = (0, 0, -L))
output reach = B.x/L
simulate until T
""",
    "block": """coord x, y
kinetic K*(x'^2 + y'^2)/2
potential K*9.81*L/T^2*y
initial x' = 3*L/T
constraint floor: y = 0
friction floor: mu = 0.3, static = 0.4, slip = x'
force x = K*L/T^2*2*sin(3*t/T)
output reach = x/L
simulate until 4*T
""",
    "legs": """coord x[1..3], y[1..3], z, phi
kinetic K*(sum(i in 1..3: x[i]'^2 + y[i]'^2) + z'^2 + L^2*phi'^2)/2
potential K*9.81*L/T^2*sum(i in 1..3: y[i])
initial x[1] ~ 0.9*L, y[1] ~ 0.5*L, x[2] ~ 2*L, y[2] ~ 0.4*L, x[3] ~ 2.6*L, y[3] ~ -0.4*L, phi = 0.4
for i in 1..3 {
  constraint leg[i]: (x[i] - if(i > 1, 1, 0)*x[if(i > 1, i - 1, 1)])^2 + (y[i] - if(i > 1, 1, 0)*y[if(i > 1, i - 1, 1)])^2 = L^2
}
constraint slider: z = L*phi
constraint tie: 2*z = 2*L*phi
output reach = x[3]/L + z/L
simulate until 2*T
""",
}
# at rest, or in a steady motion
LINEAR = {
    "pendulum": """coord x, y
kinetic K*(x'^2 + y'^2)/2
potential K*9.81*L/T^2*y
force x = -0.3*K/T*x'
initial x = 0, y = -L
constraint rod: x^2 + y^2 = L^2
simulate until T
""",
    "slider crank": """coord phi, x, y, psi
kinetic K*(x'^2 + y'^2 + L^2*(phi'^2 + psi'^2))/2
potential K*9.81*L/T^2*y + K/T^2*(x - sqrt(3.75)*L)^2/2
initial phi = -pi/2, x ~ 2*L, y = -L/2, psi ~ 0.5
constraint a: y = L/2*sin(phi)
constraint b: x = L/2*cos(phi) + 2*L*cos(psi)
constraint c: 0 = L/2*sin(phi) + 2*L*sin(psi)
force phi = -0.2*K*L^2/T*phi'
simulate until T
""",
    "springs at rest": """coord x[1..3], phi
kinetic K*(sum(i in 1..3: x[i]'^2) + 2*L^2*phi'^2)/2
potential K/T^2*(x[1]^2 + (x[2] - x[1])^2 + 3*(x[3] - x[2])^2 + (x[3] - L*phi)^2 + x[1]^2*x[2]/L)/2
force x[2] = -0.1*K/T*x[2]'
simulate until T, scale x[1] = L, scale x[2] = L, scale x[3] = L, scale phi = 1
""",
    "sleeping top": """body B: mass = K, inertia = (2*K*L^2, 2*K*L^2, 0.5*K*L^2), at = (0, 0, L), omega = (0, 0, 40/T)
gravity (0, 0, -9.81*L/T^2)
joint j: spherical(ground, B, at1 = (0, 0, 0), at2 = (0, 0, -L))
simulate until T
""",
    "conical pendulum": """coord x, y, z
kinetic K*(x'^2 + y'^2 + z'^2)/2
potential K*9.81*L/T^2*z
initial x = 0.6*L, y = 0, z = -0.8*L, x' = 0, y' = 0.6*L*sqrt(9.81/0.8)/T, z' = 0
constraint rod: x^2 + y^2 + z^2 = L^2
simulate until T
""",
    "four-bar at rest": """body2 A: mass = K, inertia = 0.1*K*L^2, at = (0.5*L, 0), angle = 0
body2 B: mass = 2*K, inertia = 0.3*K*L^2, at = (L, -L/2), angle = -pi/2
body2 C: mass = K, inertia = 0.2*K*L^2, at = (0.5*L, -L), angle = 0
joint j1: revolute(ground, A, at = (0, 0))
joint j2: revolute(A, B, at = (L, 0))
joint j3: revolute(B, C, at = (L, -L))
joint j4: revolute(C, ground, at = (0, -L))
spring s: point(A, (0, 0)), (0.5*L, L), stiffness = 3*K/T^2, length = L, damping = 0.1*K/T
simulate until T
""",
    "unsteady": """coord phi, x
kinetic K*(L^2*phi'^2 + x'^2)/2 + K*L*phi'*x'*cos(phi)
potential -K*9.81*L^2/T^2*cos(phi)
initial phi = 0.5
simulate until T
""",
}
METHODS = ["rk8", "rk5", "bdf", "adams"]
TOLERANCE = {"rk8": 1e-9, "rk5": 1e-8, "bdf": 1e-7, "adams": 1e-8}
# scales are powers of two: two systems of units differ by up to 2 in what errors are compared with, steps by its root
ORDER = {"rk8": 8, "rk5": 5, "bdf": 2, "adams": 3}  # of the last two, about: theirs changes
SPREAD = {method: 2 ** (1 / order) - 1 for method, order in ORDER.items()}
CASES = 24


def run(text, *words):
    with tempfile.NamedTemporaryFile("w", suffix=".tram") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([program, words[0], file.name, *words[1:], "--json"], capture_output=True, text=True)
        return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr


def there(method):
    return run("coord x\nkinetic x'^2/2\nsimulate until 1\n", "run", "--integrator", method)[0] == 0


def factors(d, what):
    factor = lambda unit, decades: 10 ** d.uniform(-decades, decades) if unit in what else 1.0
    return {"L": factor("L", 9), "T": factor("T", 6), "K": factor("K", 12)}


def measured(name, method, by, tolerance=None):
    text = FACTORS.format(**by) + FAMILIES[name]
    code, result, error = run(text, "run", "--integrator", method, "--tolerance", str(tolerance or TOLERANCE[method]))
    if code:
        return None, error
    return result["steps"], result["final"]["reach"]


def run_case(name, method, d, what, plain, exact):
    """None if the same in other units"""
    by = factors(d, what)
    steps, reach = measured(name, method, by)
    if steps is None:
        return f"{by} fails: {reach}"
    if abs(steps - plain[0]) > max(4, SPREAD[method] * plain[0]):
        return f"{by}: {steps} steps instead of {plain[0]}"
    error, usual = abs(reach - exact), abs(plain[1] - exact)
    if not error <= 10 * usual + 200 * TOLERANCE[method]:
        return f"{by}: error {error:.2g}, in plain units {usual:.2g}"
    return None


def check_case(name, d, what):
    plain = run(FACTORS.format(**PLAIN) + FAMILIES[name], "check")
    by = factors(d, what)
    there = run(FACTORS.format(**by) + FAMILIES[name], "check")
    for key in ("rank", "degrees_of_freedom"):
        if plain[1].get(key) != there[1].get(key) or plain[0] != there[0]:
            return f"{by}: check says {key} {there[1].get(key)} instead of {plain[1].get(key)}, exit {there[0]}"
    return None


def bicycle():
    """The shipped one, upright, with factors at all that has a unit"""
    text = (models / "mechanisms" / "bicycle.tram").read_text()
    text = re.sub(r"(?m)^(draw |let frame|let fork).*\n", "", text) # a picture in metres
    units = {"w": "L", "trail": "L", "g": "L/T^2", "v": "L/T"}
    units |= dict.fromkeys(("rR", "rF", "xB", "zB", "xH", "zH"), "L") | dict.fromkeys(("mB", "mH", "mR", "mF"), "K")
    for name, unit in units.items():
        text, count = re.subn(rf"(\b{name} = [-\d.]+)", rf"\1*{unit}", text, count=1)
        assert count == 1, name
    inertia = lambda m: re.sub(r"-?[\d.]+", lambda x: f"{x[0]}*K*L^2", m[0])
    text = re.sub(r"inertia = \([^)]*\)", inertia, text)
    return text.replace("kick = 0.5", "kick = 0").replace("until 5*upright", "until 5*T")


def spectrum(text, by):
    """Verdicts, and eigenvalues times T"""
    code, result, error = run(FACTORS.format(**by) + text, "linearize")
    if code or error and "no steady motion" not in error:
        return None, error
    verdict = [result[key] for key in ("rank", "at_rest", "steady", "exact")] + [len(result["eigenvalues"])]
    return verdict, sorted((complex(*z) * by["T"] for z in result["eigenvalues"]), key=lambda z: (round(z.imag, 6), z.real))


def linear_case(text, d, what, plain):
    by = factors(d, what)
    verdict, usual = plain
    other, found = spectrum(text, by)
    if verdict is None or other != verdict:
        return f"{by}: linearize says {other}, {found} instead of {verdict}, {usual}"
    largest = max(map(abs, usual))
    off = max(abs(a - b) for a, b in zip(usual, found)) / largest
    if off > 1e-7 or [abs(z) > 1e-6 * largest for z in usual] != [abs(z) > 1e-6 * largest for z in found]:
        return f"{by}: eigenvalues are off by {off:.2g}: {found} instead of {usual}"
    return None


passed = failed = number = 0


def try_units(name, case):
    """case(random numbers, units): None if the same in other units"""
    global passed, failed, number
    for what in ("L", "T", "K", "LTK"):
        wrong = []
        for _ in range(CASES):
            number += 1
            if takes(number):
                found = case(random.Random(number), what)
                passed, failed = passed + (not found), failed + bool(found)
                wrong += [found] if found else []
        if wrong:
            print(f"{name}, {what}: {len(wrong)} of {CASES} differ, as {wrong[-1]}")


def try_runs(name, method):
    exact = functools.cache(lambda: measured(name, "rk8", PLAIN, 1e-13)[1])
    plain = functools.cache(lambda: measured(name, method, PLAIN))
    try_units(f"{name}, {method}", lambda d, what: run_case(name, method, d, what, plain(), exact())
              or (method == "rk8" and check_case(name, d, what)))


def try_linear(name, text):
    plain = functools.cache(lambda: spectrum(text, PLAIN))
    try_units(f"linearize {name}", lambda d, what: linear_case(text, d, what, plain()))


def main():
    methods = [m for m in METHODS if there(m)]
    for name in FAMILIES:
        for method in methods:
            try_runs(name, method)
    for name, text in (LINEAR | {"bicycle": bicycle()}).items():
        try_linear(name, text)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
