"""Functions of Python as parts of a system: forces and controllers, masses, constraints.

A function is called with the time and with q and v as arrays, read-only and gone after the call; what it returns is copied. What
it raises ends the run, the session or the call, and is raised there. It may be called from other threads, with Python's lock.
"""
import ctypes

from . import _signatures as c
from ._handles import numbers

KINDS = {"mass": c.At, "force": c.AtState, "constraint": c.AtStateTwo, "nonideal": c.AtState, "position": c.At, "velocity": c.AtState,
         "energy": c.AtStateTwo}


class Functions:
    """A trm_callbacks with all that it points to; `raised` is what one of the functions raised last."""

    def __init__(self, n, given, rows=(), position_rows=0, velocity_rows=0, coordinates=None, q=None, v=None):
        self.raised, self.n, self.m = None, n, len(rows)
        lengths = {"mass": [n * n], "force": [n], "constraint": [self.m * n, self.m], "nonideal": [n], "position": [position_rows],
                   "velocity": [velocity_rows], "energy": [1, 1]}
        self._kept = [_texts(coordinates), _texts(rows), _values("q", q, n), _values("v", v, n)]
        self.struct = c.Callbacks(size=ctypes.sizeof(c.Callbacks), n=n, m=self.m, position_rows=position_rows, velocity_rows=velocity_rows)
        self.struct.coordinates, self.struct.rows = self._kept[0], self._kept[1]
        self.struct.q, self.struct.v = (ctypes.cast(one, ctypes.c_void_p) if one else None for one in self._kept[2:])
        for name, function in given.items():
            if name not in KINDS:
                raise TypeError(f"a system has no function {name!r}; there are: {', '.join(KINDS)}")
            if function is not None and not callable(function):
                raise TypeError(f"{name} must be a function, not {type(function).__name__}")
            if function is not None:
                setattr(self.struct, name, KINDS[name](self._guarded(name, function, KINDS[name] is not c.At, lengths[name])))

    def _guarded(self, name, function, takes_v, lengths):
        """function(t, q[, v]) as C calls it: one array, or a tuple of them, copied to where they go."""
        n, single = self.n, len(lengths) == 1

        def call(_, t, q, *more):
            try:
                arguments = [numbers(q, n, None)] + ([numbers(more[0], n, None)] if takes_v else [])
                found = function(t, *arguments)
                for place, length, values in zip(more[takes_v:], lengths, [found] if single else found):
                    _fill(name, place, length, values)
                return 0
            except BaseException as error:
                self.raised = error
                return 1
        return call

    def reraise(self):
        raised, self.raised = self.raised, None
        if raised is not None:
            raise raised


def _fill(name, place, length, values):
    import numpy
    if length:
        if values is None:
            raise ValueError(f"the function of the {name} returned nothing, not {length} numbers")
        values = numpy.asarray(values, dtype=float)
        if values.size != length:
            raise ValueError(f"the function of the {name} returned {values.size} numbers, not {length}")
        numpy.frombuffer((ctypes.c_double * length).from_address(place), dtype=float)[:] = values.ravel()


def _texts(names):
    return (ctypes.c_char_p * len(names))(*(name.encode() for name in names)) if names else None


def _values(name, values, n):
    if values is not None and len(values) != n:
        raise ValueError(f"{name} must have {n} numbers, one for each coordinate, not {len(values)}")
    return (ctypes.c_double * n)(*values) if values is not None else None


def acting_on(function, places, n):
    """A force on some coordinates as one on all."""
    def whole(t, q, v):
        import numpy
        force = numpy.zeros(n)
        force[places] = function(t, q, v)
        return force
    return whole
