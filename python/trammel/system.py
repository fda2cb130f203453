"""Accelerations and forces at any state, one or thousands at a time.

Where the same arrays are given again, filled with other numbers, their addresses are known. One state, us per call: 0.9 so, of
which ctypes has 0.6; 3 with new arrays.
"""
import ctypes

from ._call import interruptibly
from ._handles import Handle, made
from ._library import library
from ._signatures import MATRICES
from .errors import NoSolution, raise_for

MATRIX_SHAPED = {"M", "A", "G", "M_s", "A_s"}  # the others are vectors


class System:
    """A compiled model. coordinates, constraints: what q, v and the multipliers belong to. One thread at a time: each thread
    compiles its own."""

    def __init__(self, model):
        status, address = interruptibly(ctypes.c_int(), model._handle.locked, made, library.trm_system_create, model._handle.address)
        raise_for(status, model.messages if status else "")
        self._handle = Handle(address, library.trm_system_free, model._handle)
        status, address = made(library.trm_state_create, self._handle.address)
        raise_for(status, "")
        self._state = Handle(address, library.trm_state_free, self._handle)
        self.coordinates = self._names(library.trm_system_coordinates, library.trm_system_coordinate_name)
        self.constraints = self._names(library.trm_system_rows, library.trm_system_row_name)
        self._known, self._room = (None,) * 11, None

    def _names(self, count, name):
        address = self._handle.address
        return tuple(name(address, i).decode() for i in range(count(address)))

    # ---- accelerations

    def acceleration(self, t, q, v, out=None):
        """(a, force, multiplier) at time t, positions q and velocities v, of shape (n,), or (N, n) for many states, t then being
        one number or N. force: the total constraint force M a - Q; multiplier: those of least norm. out: three such
        arrays to be filled, any of them None. NoSolution where there is none; of many states, those rows are NaN."""
        known_q, known_v, known_out, call, system, state, at_q, at_v, at_a, at_force, at_multiplier = self._known
        if q is known_q and v is known_v and out is known_out and out is not None:
            if call(system, state, t, at_q, at_v, at_a, at_force, at_multiplier):
                self._fail(t)
            return out
        if out is None and getattr(q, "ndim", 0) == 1 and getattr(v, "ndim", 0) == 1:
            return self._copied(t, q, v)
        return self._acceleration(t, q, v, out)

    def _copied(self, t, q, v):
        """Of one state, through arrays of our own: copies cost less than addresses."""
        if self._room is None:
            import numpy
            n, rows = len(self.coordinates), len(self.constraints)
            arrays = [numpy.empty(width) for width in (n, n, n, n, rows)]
            self._room = arrays, [_address(one) for one in arrays]
        (own_q, own_v, a, force, multiplier), places = self._room
        if q.shape != own_q.shape or v.shape != own_v.shape:
            raise ValueError(self._shapes(q, v))
        own_q[:] = q
        own_v[:] = v
        if library.trm_acceleration(self._handle.address, self._state.address, t, *places):
            self._fail(t)
        return a.copy(), force.copy(), multiplier.copy()

    def _shapes(self, q, v):
        n = len(self.coordinates)
        return f"q and v must be of shape ({n},) or (N, {n}), not {q.shape} and {v.shape}"

    def _acceleration(self, t, q, v, out):
        import numpy
        Q, V = _plain(q), _plain(v)
        n, rows = len(self.coordinates), len(self.constraints)
        if Q.shape != V.shape or Q.ndim not in (1, 2) or Q.shape[-1] != n:
            raise ValueError(self._shapes(Q, V))
        shapes = [Q.shape[:-1] + (width,) for width in (n, n, rows)]
        results = out or tuple(map(numpy.empty, shapes))
        if out:
            _check(results, shapes)
        places = [None if one is None else _address(one) for one in (Q, V, *results)]
        call = library.trm_acceleration if Q.ndim == 1 else self._many(len(Q))
        if Q is q and V is v and out:
            self._known = (q, v, out, call, self._handle.address, self._state.address, *places)
        if call(self._handle.address, self._state.address, t, *places):
            self._fail(t)
        return results

    def _many(self, count):
        """The call for so many states, of which rows without solution are NaN; t is one time or as many."""
        import numpy
        times = numpy.empty(count)
        at = _address(times)

        def call(system, state, t, *places):
            try:
                times[:] = t
            except ValueError:
                raise ValueError(f"t must be one number, or {count}, one for each state") from None
            library.trm_accelerations(system, state, count, at, *places)
            self._handle.reraise()
        return call

    def keep_turns(self, t, q):
        """Angles of joints, angle(J), count whole turns from this state on, where they are no coordinates; at first from the
        model's start on. For the end of each step of an integrator of your own."""
        Q = _plain(q)
        if Q.shape != (len(self.coordinates),):
            raise ValueError(f"q must be of shape ({len(self.coordinates)},), not {Q.shape}")
        library.trm_state_keep_turns(self._handle.address, self._state.address, t, _address(Q))

    def control(self, t, q, v):
        """(control, back, forward): the force that `control` statements ask for in a measured state, its part that answers the
        forces at hand, and the part that can be computed beforehand, NaN where there is no such division."""
        import numpy
        Q, V = _plain(q), _plain(v)
        if Q.shape != (len(self.coordinates),) or V.shape != Q.shape:
            raise ValueError(f"q and v must be of shape ({len(self.coordinates)},), not {Q.shape} and {V.shape}")
        results = tuple(numpy.empty(Q.shape) for _ in range(3))
        if library.trm_control(self._handle.address, self._state.address, t, *map(_address, (Q, V, *results))):
            self._fail(t)
        return results

    # ---- matrices, energies, residuals, outputs

    def matrices(self, t, q, v, *names):
        """Of the equations M q'' = Q + reaction, A q'' = b at a state: those named, in their order; without names M, Q, A, b. There are
        also C, and where there are quasi-velocities G, g, M_s, S, A_s, b_s, C_s, S_reaction."""
        self._look(t, q, v)
        return tuple(self._matrix(name, t) for name in names or ("M", "Q", "A", "b"))

    def _matrix(self, name, t):
        import numpy
        if name not in MATRICES:
            raise ValueError(f"there is no matrix {name!r}; there are: {', '.join(MATRICES)}")
        which, rows, columns = MATRICES.index(name), ctypes.c_int(), ctypes.c_int()
        library.trm_system_matrix_size(self._handle.address, which, ctypes.byref(rows), ctypes.byref(columns), None)
        if name in MATRICES[5:] and not columns.value:
            raise ValueError(f"{name} is of quasi-velocities, and the model has none")
        full = numpy.zeros((rows.value, columns.value))
        if full.size:
            self._ask(library.trm_state_matrix, t, which, _address(full))
        return full if name in MATRIX_SHAPED else full[:, 0] if full.shape[1] else full.ravel()

    def energies(self, t, q, v):
        """(kinetic, potential, jacobi) at a state."""
        self._look(t, q, v)
        values = [ctypes.c_double() for _ in range(3)]
        self._ask(library.trm_state_energies, t, *map(ctypes.byref, values))
        return tuple(value.value for value in values)

    def residuals(self, t, q, v):
        """(off, rate): how far the constraints are off, and how fast that grows of those on positions."""
        import numpy
        self._look(t, q, v)
        off, rate = numpy.zeros(len(self.constraints)), numpy.zeros(len(self.constraints))
        self._ask(library.trm_state_residuals, t, _address(off), _address(rate))
        return off, rate

    def outputs(self, t, q, v):
        """A dict: the model's outputs at a state."""
        import numpy
        self._look(t, q, v)
        names = self._names(library.trm_system_outputs, library.trm_system_output_name)
        values = numpy.zeros(len(names))
        self._ask(library.trm_state_outputs, t, _address(values))
        return dict(zip(names, values.tolist()))

    def _look(self, t, q, v):
        """The state that is asked about; whether there is an acceleration at it matters to some questions only."""
        Q, V = _plain(q), _plain(v)
        if Q.shape != (len(self.coordinates),) or V.shape != Q.shape:
            raise ValueError(f"q and v must be of shape ({len(self.coordinates)},), not {Q.shape} and {V.shape}")
        library.trm_acceleration(self._handle.address, self._state.address, t, _address(Q), _address(V), None, None, None)
        self._handle.reraise()

    def _ask(self, question, t, *arguments):
        if question(self._handle.address, self._state.address, *arguments):
            self._fail(t)

    def _fail(self, t):
        self._handle.reraise()
        raise NoSolution(library.trm_state_error(self._state.address).decode(), error={"time": t})


def _plain(values):
    """As an array of doubles, row by row; the same one if it is that."""
    import numpy
    return numpy.ascontiguousarray(values, dtype=float)


def _address(array):
    """Twice as fast as array.ctypes.data, which makes an object of ctypes."""
    return array.__array_interface__["data"][0]


def _check(results, shapes):
    if len(results) != 3:
        raise ValueError("out must have three arrays: accelerations, forces, multipliers")
    for one, shape in zip(results, shapes):
        if one is None:
            continue
        if one.shape != shape or one.dtype != float or not (one.flags.c_contiguous and one.flags.writeable):
            raise ValueError(f"out must be arrays of doubles, row by row, of shapes {', '.join(map(str, shapes))}")
