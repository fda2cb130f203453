"""Models as standalone C."""
import ctypes
import os

from . import _signatures as c
from ._handles import Handle, made
from ._library import library
from .errors import raise_for


class Emission:
    """The files of a model as C99: `files`, a dict of texts by name, and `summary`, how large it is."""

    def __init__(self, files, summary):
        self.files, self.summary = files, summary

    def write(self, folder="."):
        """Writes the files into a folder, which is made if it is not there; their paths."""
        os.makedirs(folder, exist_ok=True)
        paths = [os.path.join(folder, name) for name in self.files]
        for path, text in zip(paths, self.files.values()):
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        return paths


def emit_c(handle, prefix, solver, coordinates, jacobian, main, single_precision):
    options = c.EmitDef()
    library.trm_emit_def_init(ctypes.byref(options), ctypes.sizeof(options))
    for name, value in (("prefix", prefix), ("solver", solver), ("coordinates", coordinates)):
        setattr(options, name, value.encode() if value else None)
    options.jacobian, options.no_main, options.single_precision = bool(jacobian), not main, bool(single_precision)
    with handle.lock:
        status, address = made(library.trm_emit_c, handle.address, ctypes.byref(options))
    if address is None:
        raise MemoryError("not enough memory")
    found = Handle(address, library.trm_emission_free)
    raise_for(status, found.text(library.trm_emission_messages, 0))
    texts = [(found.text(library.trm_emission_file_name, i), found.text(library.trm_emission_file_text, i))
             for i in range(library.trm_emission_files(found.address))]
    return Emission(dict(texts), found.text(library.trm_emission_summary))
