"""From what Python gives to what the library takes: expressions, settings, and the struct of a run's options."""
import ctypes
import math
import sys

from . import _signatures as c
from ._library import library


def expression(value):
    """A number or a text of the language, as bytes; numbers keep all their digits."""
    if isinstance(value, str):
        return value.encode()
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{value!r} is no number that a model can have")
    return repr(number).encode()


def setting_array(values):
    """{name: number or expression} as an array of trm_setting, and its length."""
    array = (c.Setting * len(values))()
    for entry, (name, value) in zip(array, values.items()):
        entry.name, entry.value = name.encode(), expression(value)
    return array, len(values)


def listed(names):
    """"a, b" or ["a", "b"] as the text of a list."""
    return (names if isinstance(names, str) else ",".join(names)).encode() if names else None


class Options:
    """A trm_run_def with all that it points to, the flag that ends the call, and what a function of Python raised in it."""

    EXPRESSIONS = ("from", "until", "every", "tolerance", "rank_tolerance", "at")
    NAMES = ("integrator", "formulation", "coordinates")

    def __init__(self, keep=c.KEEP_NOTHING, choices=None, progress=None, inputs=None, outputs=None, along=False,
                 exact=False, **named):
        self.stop, self.raised = ctypes.c_int(0), None
        self.struct = c.RunDef()
        library.trm_run_def_init(ctypes.byref(self.struct), ctypes.sizeof(self.struct))
        self.struct.stop = ctypes.pointer(self.stop)
        self.struct.keep, self.struct.along, self.struct.exact = keep, along, exact
        self.struct.inputs, self.struct.outputs = listed(inputs), listed(outputs)
        for name, value in named.items():
            self._set(name.rstrip("_"), value)
        if choices:
            self.struct.choices, self.struct.choice_count = setting_array(choices)
        if progress:
            self.struct.progress = c.Progress(self._guarded(show_progress if progress is True else progress))

    def _set(self, name, value):
        if value is None:
            return
        if name in self.NAMES:
            setattr(self.struct, name, value.encode())
        elif name in self.EXPRESSIONS:
            setattr(self.struct, name, expression(value))
        else:
            raise TypeError(f"there is no option {name!r}")

    def _guarded(self, function):
        def call(_, part):
            try:
                if self.raised is None:
                    function(part)
            except BaseException as error:
                self.raised, self.stop.value = error, 1
        return call

    def reraise(self):
        """What a function that the run called has raised, it raises now."""
        raised, self.raised = self.raised, None
        if raised is not None:
            raise raised


def show_progress(part):
    """A line on standard error that is written over, and is gone at the end."""
    sys.stderr.write(f"\r{100 * part:3.0f} %" if part < 1 else "\r     \r")
    sys.stderr.flush()
