"""A run that is advanced step by step, as a co-simulation does it."""
import ctypes

from ._call import interruptibly
from ._handles import Handle, made, numbers
from ._library import library
from .errors import raise_for


class Session:
    """with model.session() as s: s.advance(0.5); s["x"]. How it is cut into pieces changes no bit of the motion. Numbers are
    copies, of the state that was reached; one thread at a time."""

    def __init__(self, model, options):
        self._place = {name: i for i, name in enumerate(model.columns)}
        self._take(model._handle, options, *interruptibly(options.stop, model._handle.locked, made, library.trm_session_create,
                                                          model._handle.address, ctypes.byref(options.struct)))

    def _take(self, model, options, status, address):
        if address is None:
            raise MemoryError("not enough memory for this session")
        self._options, self._parent = options, model
        self._handle = Handle(address, library.trm_session_free, model)
        self._judge(status)

    def _judge(self, status):
        self._options.reraise()
        self._handle.reraise()
        raise_for(status, self.messages if status else "")

    @property
    def messages(self):
        self._open()
        return self._handle.text(library.trm_session_messages, 0)

    def _open(self):
        if self._handle.address is None:
            raise ValueError("this session is closed")
        return self._handle.address

    def advance(self, until):
        """To the time `until`, or to where a `stop when` ends the motion; returns the time that was reached. NoSolution where the
        motion ends before, and the session stays where it was."""
        reached = ctypes.c_double()
        if self._options.stop.value:
            raise ValueError("this session was interrupted: begin another")
        self._judge(interruptibly(self._options.stop, self._handle.locked, library.trm_session_advance, self._open(),
                                  float(until), ctypes.byref(reached)))
        return reached.value

    @property
    def values(self):
        """All columns of the state that was reached: an array, in the order of model.columns."""
        return numbers(library.trm_session_values(self._open()), len(self._place), None).copy()

    @property
    def t(self):
        return self["t"]

    def __getitem__(self, name):
        if name not in self._place:
            raise KeyError(f"no column {name!r}; there are: {', '.join(self._place)}")
        return ctypes.c_double.from_address(library.trm_session_values(self._open()) + 8 * self._place[name]).value

    def set(self, values=None, /, **more):
        """Gives parameters, coordinates or velocities other values where the session is: s.set(k=3), s.set({"x'": 0}). The state is then
        assembled anew, and the motion goes on from there. If one is refused, those before it are set."""
        for name, value in {**(values or {}), **more}.items():
            self._judge(interruptibly(self._options.stop, self._handle.locked, library.trm_session_set, self._open(), name.encode(),
                                      float(value)))

    def __repr__(self):
        return "<Session, closed>" if self._handle.address is None else f"<Session at t = {self.t:g}>"

    def copy(self):
        """A session that goes on from here like this one, to the bit; it does again what this has done since something was
        set."""
        copy = type(self).__new__(type(self))
        copy._place = self._place
        copy._take(self._parent, self._options, *interruptibly(self._options.stop, self._handle.locked, made, library.trm_session_copy,
                                                               self._open()))
        return copy

    def close(self):
        self._handle.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
