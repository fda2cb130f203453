"""Finds and loads the shared library: what $TRAMMEL_LIBRARY names, the one beside this file (in a wheel), or the one that
the loader finds. A library of another version, or one that lacks a function, is refused with its name."""
import ctypes
import os

from ._signatures import FUNCTIONS

VERSION = "0.1"  # of the interface; until 1.0 every minor version is one of its own
SONAME = f"libtrammel.so.{VERSION}"


def _place():
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), SONAME)
    return os.environ.get("TRAMMEL_LIBRARY") or (beside if os.path.exists(beside) else SONAME)


def _open():
    path = _place()
    try:
        return path, ctypes.CDLL(path)
    except OSError as why:
        raise ImportError(f"the library of Trammel cannot be loaded: {why}. Install libtrammel{VERSION} or the wheel, or name the file "
                          "in TRAMMEL_LIBRARY") from None


def _declare(path, found):
    try:
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(found, name)
            function.restype, function.argtypes = result, arguments
    except AttributeError:
        raise ImportError(f"{path} has no {name}: it is of another version than this package") from None
    version = found.trm_version().decode()
    if not version.startswith(VERSION + "."):
        raise ImportError(f"{path} is of version {version}, this package needs {VERSION}")
    return found


library = _declare(*_open())
