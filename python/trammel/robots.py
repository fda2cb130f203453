"""Robot descriptions in URDF, SDF and MJCF."""
import ctypes
import os
import warnings

from . import _signatures as c
from ._handles import Handle, made
from ._library import library
from .errors import raise_for


def import_robot(path, loops=None, free_base=False):
    """The text of a model of the robot. loops: a file with statements to add; free_base: the base is a body that moves. What of the
    description is not in the model is told as a warning. Needs libxml2."""
    options = c.ImportDef()
    library.trm_import_def_init(ctypes.byref(options), ctypes.sizeof(options))
    options.loops, options.free_base = os.fsencode(loops) if loops else None, bool(free_base)
    status, address = made(library.trm_import_read, os.fsencode(path), ctypes.byref(options))
    if address is None:
        raise MemoryError("not enough memory")
    robot = Handle(address, library.trm_import_free)
    messages = robot.text(library.trm_import_messages, 0)
    raise_for(status, messages)
    if messages:
        warnings.warn(messages.rstrip("\n"), stacklevel=2)
    return robot.text(library.trm_import_text)
