"""Objects of the library, each freed once, and never before what stands on it.

A result, a system and a session need their model, a state its system. Python may drop them in any order (its collector of
cycles does), so each handle counts who stands on it, and goes when nobody does.
"""
import ctypes
import threading

from ._library import library

_counting = threading.RLock()  # a collector may drop a handle in the midst of dropping another


class Handle:
    """address: of the object; parent: the handle that it stands on; lock: held by who uses the model or what stands on it, one
    at a time."""

    def __init__(self, address, free, parent=None):
        self.address, self._free, self._parent, self._users = address, free, parent, 1
        self._closed, self.functions = False, parent.functions if parent else []  # of Python, that the model calls
        self.lock = parent.lock if parent else threading.RLock()
        if parent:
            parent._take()

    def _take(self):
        with _counting:
            self._users += 1

    def _leave(self):
        with _counting:
            self._users -= 1
            last = self._users == 0
        if last:
            self._free(self.address)
            self.address = None
            if self._parent:
                self._parent._leave()

    def close(self):
        """Now, not when Python finds time for it."""
        with _counting:
            closed, self._closed = self._closed, True
        if not closed:
            self._leave()

    def __del__(self):
        self.close()

    def locked(self, function, *arguments):
        """A call by one thread at a time. Calls that take long take the lock in the thread that makes them, so that a function of
        Python that is called in their midst may ask the model."""
        with self.lock:
            return function(*arguments)

    def reraise(self):
        """What a function of Python has raised that the model called, it raises now."""
        for one in self.functions:
            one.reraise()

    def text(self, function, *more):
        """What one of the library's functions says of it."""
        with self.lock:
            said = function(self.address, *more)
        if said is None:
            raise MemoryError("not enough memory")
        return said.decode("utf-8", "replace")


def made(create, *arguments):
    """(status, address) of a call whose last argument is where the object goes; None without one."""
    out = ctypes.c_void_p()
    status = create(*arguments, ctypes.byref(out))
    return status, out.value


def numbers(address, count, owner):
    """An array of NumPy over `count` doubles of the library, read-only, which keeps their owner alive."""
    import numpy
    buffer = (ctypes.c_double * count).from_address(address)
    buffer.owner = owner
    array = numpy.frombuffer(buffer, dtype=float)
    array.flags.writeable = False
    return array


def result_handle(address, model):
    return Handle(address, library.trm_result_free, model)
