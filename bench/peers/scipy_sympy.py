"""SymPy derives Lagrange's equations of the chain in angles, lambdify makes them a function, SciPy's DOP853 integrates with
tolerance 1e-10. P1 and P2; the same arguments and output as the other programs, and "derive", the seconds before the first
step."""
import json
import sys
import time

begun = time.process_time()
import numpy
import scipy.integrate
import sympy
import sympy.physics.mechanics as mechanics

problem, count, repeats = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
N, end = (2, 10) if problem == "p1" else (count, 1)
if problem not in ("p1", "p2") or N > 10:
    sys.exit(2)

g = sympy.Float("9.81")
q = mechanics.dynamicsymbols(f"q:{N}")
t = mechanics.dynamicsymbols._t
x = [sum(sympy.cos(a) for a in q[:i + 1]) for i in range(N)]
y = [sum(sympy.sin(a) for a in q[:i + 1]) for i in range(N)]
energy = sum(a.diff(t)**2 + b.diff(t)**2 for a, b in zip(x, y)) / 2 - g * sum(y)
method = mechanics.LagrangesMethod(energy, q)
method.form_lagranges_equations()
names = sympy.symbols(f"a:{N} b:{N}")
states = list(q) + [a.diff(t) for a in q]
renamed = dict(zip(states[::-1], names[::-1]))      # velocities first: they hold the angles
mass, force = (m.subs(renamed) for m in (method.mass_matrix, method.forcing))
functions = sympy.lambdify(names, (mass, force), cse=True)


def rhs(_, state):
    m, f = functions(*state)
    return numpy.concatenate((state[N:], numpy.linalg.solve(m, f).ravel()))


derive, seconds, start = time.process_time() - begun, [], numpy.zeros(2 * N)
while not seconds or (len(seconds) < repeats and sum(seconds) < 1):
    before = time.process_time()
    solution = scipy.integrate.solve_ivp(rhs, (0, end), start, method="DOP853", rtol=1e-10, atol=1e-10)
    seconds.append(time.process_time() - before)
angles = solution.y[:N, -1]
xs, ys = numpy.cumsum(numpy.cos(angles)), numpy.cumsum(numpy.sin(angles))
near = 2 if N > 2 else 0
print(json.dumps({"seconds": seconds, "evaluations": int(solution.nfev), "violation": -1, "derive": derive,
                  "values": [xs[near], ys[near], xs[-1], ys[-1]]}))
