"""Systems from functions, called from Python: accelerations and multipliers against SciPy's least squares on the same M, Q, A, b, C, runs
against its integrator, and an error of a function.

Surroundings: TRAMMEL, the program, beside which libtrammel.so is. Prints "N passed, M failed", exit code 1 on failure. Left out,
with a word, where SciPy is missing or the library cannot be loaded, as one with sanitizers.
"""
import ctypes
import os
import pathlib
import sys
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_double, c_int, c_size_t, c_void_p

from suite import run_all, test

try:
    import numpy
    from scipy.integrate import solve_ivp
    from scipy.linalg import lstsq
except ImportError:
    print("SciPy is missing: functions are not held against it")
    sys.exit(0)
try:
    library = ctypes.CDLL(str(pathlib.Path(os.environ["TRAMMEL"]).resolve().parent / "libtrammel.so"))
except OSError as error:
    print(f"left out: {error}")
    sys.exit(0)

numbers = POINTER(c_double)
at_q = CFUNCTYPE(c_int, c_void_p, c_double, numbers, numbers)
at_v = CFUNCTYPE(c_int, c_void_p, c_double, numbers, numbers, numbers)
at_v2 = CFUNCTYPE(c_int, c_void_p, c_double, numbers, numbers, numbers, numbers)
words = CFUNCTYPE(c_void_p, c_void_p, c_int)


class Callbacks(Structure):
    _fields_ = [("size", c_size_t), ("n", c_int), ("m", c_int), ("position_rows", c_int), ("velocity_rows", c_int), ("context", c_void_p),
                ("coordinates", POINTER(c_char_p)), ("rows", POINTER(c_char_p)), ("q", numbers), ("v", numbers), ("mass", at_q),
                ("force", at_v), ("constraint", at_v2), ("nonideal", at_v), ("position", at_q), ("velocity", at_v), ("energy", at_v2),
                ("error", words)]


for name in ("trm_model_messages", "trm_state_error", "trm_session_messages"):
    getattr(library, name).restype = c_char_p
library.trm_session_values.restype = numbers
for name in ("trm_model_free", "trm_system_free", "trm_state_free", "trm_session_free", "trm_session_values", "trm_state_error"):
    getattr(library, name).argtypes = [c_void_p]
library.trm_model_messages.argtypes = library.trm_session_messages.argtypes = [c_void_p, c_int]
library.trm_system_create.argtypes = library.trm_state_create.argtypes = [c_void_p, POINTER(c_void_p)]
library.trm_session_advance.argtypes = [c_void_p, c_double, numbers]
library.trm_session_create.argtypes = [c_void_p, c_void_p, POINTER(c_void_p)]
library.trm_acceleration.argtypes = [c_void_p, c_void_p, c_double, numbers, numbers, numbers, numbers, numbers]


def array(values):
    return (c_double * len(values))(*values)


class Functions:
    """A model of Python's functions of numpy arrays; each gives the numbers that the library takes."""

    def __init__(self, n, m, start, speed, **by):
        self.kept, self.n, self.m, self.by = [], n, m, by

        def filling(kind, count, f):
            def call(_, t, q, *rest):
                try:
                    state = [numpy.array(q[:n])] + [numpy.array(rest[0][:n])] * (len(rest) > count)
                    given = f(t, *state)
                except ZeroDivisionError:
                    return 7
                for to, values in zip(rest[-count:], given if count > 1 else [given]):
                    flat = numpy.ravel(values)
                    for i, value in enumerate(flat):
                        to[i] = value
                return 0

            def put(*arguments):
                return call(*arguments)
            self.kept.append(kind(put))
            return self.kept[-1]

        c = Callbacks(size=ctypes.sizeof(Callbacks), n=n, m=m, q=array(start), v=array(speed))
        c.mass = filling(at_q, 1, by["mass"])
        c.force = filling(at_v, 1, by["force"])
        if "constraint" in by:
            c.constraint = filling(at_v2, 2, by["constraint"])
        if "nonideal" in by:
            c.nonideal = filling(at_v, 1, by["nonideal"])
        if "position" in by:
            c.position_rows, c.position = m, filling(at_q, 1, by["position"])
        if "velocity" in by:
            c.velocity_rows, c.velocity = m, filling(at_v, 1, by["velocity"])
        said = ctypes.create_string_buffer(b"divided by nothing")
        self.kept += [said, words(lambda _, code: ctypes.addressof(said))]
        c.error = self.kept[-1]
        self.model = c_void_p()
        status = library.trm_model_from_callbacks(byref(c), byref(self.model))
        assert status == 0, library.trm_model_messages(self.model, 0)

    def parts(self, t, q, v):
        M, Q = numpy.array(self.by["mass"](t, q)), numpy.array(self.by["force"](t, q, v))
        A, b = self.by["constraint"](t, q, v) if self.m else (numpy.zeros((0, self.n)), [])
        C = self.by["nonideal"](t, q, v) if "nonideal" in self.by else numpy.zeros(self.n)
        return M, Q, numpy.array(A, dtype=float), numpy.array(b, dtype=float), numpy.array(C)

    def by_scipy(self, t, q, v):
        """q'' and the multipliers of least norm of [M -A'; A 0] (q'', multiplier) = (Q + C, b)."""
        M, Q, A, b, C = self.parts(t, q, v)
        whole = numpy.block([[M, -A.T], [A, numpy.zeros((self.m, self.m))]])
        found = lstsq(whole, numpy.concatenate([Q + C, b]), cond=1e-11)[0]
        return found[:self.n], found[self.n:]

    def by_trammel(self, t, q, v):
        system, state = c_void_p(), c_void_p()
        qdd, multiplier = array([0] * self.n), array([0] * max(self.m, 1))
        assert library.trm_system_create(self.model, byref(system)) == 0
        assert library.trm_state_create(system, byref(state)) == 0
        status = library.trm_acceleration(system, state, t, array(q), array(v), qdd, None, multiplier)
        said = library.trm_state_error(state).decode()
        library.trm_state_free(state)
        library.trm_system_free(system)
        return status, numpy.array(qdd[:]), numpy.array(multiplier[:self.m]), said


def pendulum(**more):
    rows = more.pop("rows", 1)
    factor = numpy.arange(1, rows + 1)
    phi = lambda q: q[0]**2 + q[1]**2 - 1
    return Functions(2, rows, [0.6, -0.8], [0, 0], mass=lambda t, q: [[2, 0.1], [0.1, 2 + q[0]**2]], force=lambda t, q, v: [numpy.sin(t), -19.62],
                     constraint=lambda t, q, v: (numpy.outer(factor, 2 * q), -2 * factor * (v @ v)), position=lambda t, q: factor * phi(q),
                     velocity=lambda t, q, v: factor * 2 * (q @ v), **more)


SYSTEMS = {
    "pendulum": pendulum,
    "redundant": lambda: pendulum(rows=3),
    "non-ideal": lambda: pendulum(nonideal=lambda t, q, v: -0.3 * numpy.linalg.norm(v) * v),
    "semi-definite": lambda: Functions(2, 1, [1, 2], [0, 0], mass=lambda t, q: [[1, 0], [0, 0]], force=lambda t, q, v: [-4 * q[0], 0.5 * numpy.sin(t)],
                                       constraint=lambda t, q, v: ([[2, -1]], [0]), position=lambda t, q: [2 * q[0] - q[1]],
                                       velocity=lambda t, q, v: [2 * v[0] - v[1]]),
    "knife edge": lambda: Functions(3, 1, [0, 0, 0.3], [numpy.cos(0.3), numpy.sin(0.3), 1.5],
                                    mass=lambda t, q: numpy.diag([1, 1, 0.5]), force=lambda t, q, v: [0.4, 0.2 * t, 0],
                                    constraint=lambda t, q, v: ([[-numpy.sin(q[2]), numpy.cos(q[2]), 0]],
                                                                [v[2] * (v[0] * numpy.cos(q[2]) + v[1] * numpy.sin(q[2]))]),
                                    velocity=lambda t, q, v: [v[1] * numpy.cos(q[2]) - v[0] * numpy.sin(q[2])]),
}
STATES = {"pendulum": ([0.6, -0.8], [0.8, 0.6]), "semi-definite": ([1, 2], [0.25, 0.5]),
          "knife edge": ([0.1, 0.2, 0.3], [numpy.cos(0.3), numpy.sin(0.3), 1.5])}


@test
def accelerations():
    for name, make in SYSTEMS.items():
        q, v = map(numpy.array, STATES.get(name, STATES["pendulum"]))
        k = make()
        status, qdd, multiplier, said = k.by_trammel(0.4, q, v)
        expected, forces = k.by_scipy(0.4, q, v)
        assert status == 0, said
        assert abs(qdd - expected).max() < 1e-12, (name, qdd, expected)
        assert abs(multiplier - forces).max() < 1e-12, (name, multiplier, forces)


@test
def runs():
    for name, make in SYSTEMS.items():
        k, session = make(), c_void_p()
        n = k.n
        assert library.trm_session_create(k.model, byref(settings()), byref(session)) == 0, library.trm_session_messages(session, 0)
        start = numpy.array(library.trm_session_values(session)[1:1 + 2 * n])
        assert library.trm_session_advance(session, 2.0, None) == 0, library.trm_session_messages(session, 0)
        end = numpy.array(library.trm_session_values(session)[1:1 + 2 * n])
        library.trm_session_free(session)
        y = solve_ivp(lambda t, y: numpy.concatenate([y[n:], k.by_scipy(t, y[:n], y[n:])[0]]), (0, 2), start, method="DOP853", rtol=1e-11,
                      atol=1e-11).y[:, -1]
        assert abs(end - y).max() < 1e-6, (name, end, y)


@test
def an_error_of_a_function():
    k = pendulum(nonideal=lambda t, q, v: numpy.zeros(2) if t < 0.5 else [1 // 0, 0])
    session = c_void_p()
    assert k.by_trammel(0.6, [0.6, -0.8], [0, 0])[::3] == (3, "function 'nonideal': divided by nothing")
    assert library.trm_session_create(k.model, byref(settings()), byref(session)) == 0
    assert library.trm_session_advance(session, 1.0, None) == 3
    assert b"function 'nonideal': divided by nothing" in library.trm_session_messages(session, 0)
    library.trm_session_free(session)


def settings():
    """A trm_run_def as the oldest header has it, which every library takes."""
    room = ctypes.create_string_buffer(40)
    library.trm_run_def_init(room, c_size_t(len(room)))
    return room


sys.exit(run_all())
