"""Many runs of a model as arrays: one number for each case, or cases x samples."""
import ctypes
import functools
import math
import os

from . import _signatures as c
from ._call import interruptibly
from ._handles import Handle, made, numbers
from ._library import library
from .errors import raise_for
from .pages import preformatted
from .settings import Options, expression

SAMPLINGS = {"grid": c.GRID, "zip": c.ZIP, "lhs": c.LHS, "sobol": c.SOBOL, "random": c.RANDOM}
KEPT = {"final": c.KEEP_FINAL, "samples": c.KEEP_SAMPLES}


def _values(given):
    """"0.5:2:16", a number, or an array of numbers, as --vary has them."""
    if isinstance(given, str):
        return given.encode()
    return b",".join(map(expression, given)) if hasattr(given, "__iter__") else expression(given)


def _chosen(table, what, name):
    if name not in table:
        raise ValueError(f"{what} is one of {', '.join(table)}, not {name!r}")
    return table[name]


def _definition(options, threads, timeout, stop_after, progress):
    struct = c.SweepDef()
    library.trm_sweep_def_init(ctypes.byref(struct), ctypes.sizeof(struct))
    struct.run = ctypes.pointer(options.struct)
    struct.threads, struct.timeout, struct.stop_after = threads or 0, timeout or 0, stop_after or 0
    if progress:
        def tell(_, done, failed, cases, seconds):
            try:
                if options.raised is None:
                    progress(done, failed, cases, seconds)
            except BaseException as error:
                options.raised, options.stop.value = error, 1
        struct.progress = c.SweepProgress(tell)
    return struct


def _made(status, address, parent, options):
    sweep = Sweep(Handle(address, library.trm_sweep_free, parent)) if address else None
    options.reraise()
    if parent is not None:
        parent.reraise()
    if status not in (c.OK, c.EXPECTATION_FAILED, c.NO_SOLUTION):
        raise_for(status, ("" if sweep is None else sweep.messages) or ("" if parent is None else _model_messages(parent)))
    return sweep


def _model_messages(handle):
    return handle.text(library.trm_model_messages, 0)


def sweep_model(model, vary, sampling="grid", draws=None, *, seed=0, keep="final", threads=None, timeout=None, stop_after=None, folder=None,
                progress=None, **settings):
    options = Options(**settings)
    struct = _definition(options, threads, timeout, stop_after, progress)
    pairs = [name.encode() + b"=" + _values(given) for name, given in vary.items()]
    struct.vary, struct.vary_count = (ctypes.c_char_p * len(pairs))(*pairs), len(pairs)
    struct.sampling, struct.draws, struct.seed = _chosen(SAMPLINGS, "sampling", sampling), draws or 0, seed
    struct.keep = _chosen(KEPT, "keep", keep)
    struct.folder = os.fsencode(folder) if folder is not None else None
    status, address = interruptibly(options.stop, model._handle.locked, made, library.trm_sweep, model._handle.address, ctypes.byref(struct))
    return _made(status, address, model._handle, options)


class Sweep:
    """sweep["L"], sweep["x"], sweep["steps"]: read-only arrays, one number for each case, nan where a case has none;
    sweep.samples("x"): (cases, samples). status: 0 where all went well; messages_of: why not."""

    def __init__(self, handle):
        self._handle, self._kept = handle, {}
        count = library.trm_sweep_columns(handle.address)
        self.columns = tuple(library.trm_sweep_column_name(handle.address, i).decode() for i in range(count))
        self.parameters = self.columns[:library.trm_sweep_parameters(handle.address)]
        self._sampled = self.columns[len(self.parameters):][:library.trm_sweep_sampled(handle.address)]

    @classmethod
    def load(cls, folder):
        """What is in the folder of a sweep, as it is now."""
        status, address = made(library.trm_sweep_read, os.fsencode(folder))
        return _made(status, address, None, Options())

    @classmethod
    def resume(cls, folder, *, threads=None, timeout=None, stop_after=None, progress=None):
        """Goes on with one that was broken off."""
        options, model = Options(), ctypes.c_void_p()
        struct = _definition(options, threads, timeout, stop_after, progress)

        def go_on(out):
            return library.trm_sweep_continue(os.fsencode(folder), ctypes.byref(struct), ctypes.byref(model), out)
        status, address = interruptibly(options.stop, made, go_on)
        parent = Handle(model.value, library.trm_model_free) if model.value else None
        return _made(status, address, parent, options)

    # ---- numbers

    def __len__(self):
        return library.trm_sweep_cases(self._handle.address)

    def __iter__(self):
        return iter(self.columns)

    def __contains__(self, name):
        return name in self.columns

    def __getitem__(self, name):
        if name not in self._kept:
            if name not in self.columns:
                raise KeyError(f"no column {name!r}; there are: {', '.join(self.columns)}")
            with self._handle.lock:
                address = library.trm_sweep_column(self._handle.address, self.columns.index(name))
            if not address:
                raise MemoryError("not enough memory")
            self._kept[name] = numbers(address, len(self), self._handle)
        return self._kept[name]

    @functools.cached_property
    def status(self):
        """Of each case: 0 fine, 1 an expectation failed, 2 the model is wrong with these values, 3 no solution, 5 out of memory, 6 out of
        time, -1 not done."""
        import numpy
        return numpy.array([library.trm_sweep_status(self._handle.address, i) for i in range(len(self))])

    def message_of(self, case):
        """Why a case failed; "" if it did not."""
        return self._handle.text(library.trm_sweep_message, case)

    def samples(self, name):
        """(cases, samples) of a sweep that kept them, nan behind the end of a case."""
        return self._samples[name]

    @property
    def t(self):
        """Times of samples: (samples) where they are the same in all cases, else (cases, samples)."""
        import numpy
        times = self._samples["t"]
        longest = times[numpy.argmax((~numpy.isnan(times)).sum(axis=1))]
        return longest if ((times == longest) | numpy.isnan(times)).all() else times

    @functools.cached_property
    def _samples(self):
        import numpy
        if not self._sampled:
            raise ValueError('the samples were not kept: model.sweep(..., keep="samples")')
        blocks, count, width = [], ctypes.c_long(), len(self._sampled)
        with self._handle.lock:
            for case in range(len(self)):
                address = library.trm_sweep_samples(self._handle.address, case, ctypes.byref(count))
                block = (ctypes.c_double * (count.value * width)).from_address(address) if address else ()
                blocks.append(numpy.array(block, dtype=float).reshape(-1, width))
        table = numpy.full((len(self), max(map(len, blocks), default=0), width), math.nan)
        for case, block in enumerate(blocks):
            table[case, :len(block)] = block
        return {name: table[:, :, i] for i, name in enumerate(self._sampled)}

    # ---- words

    @functools.cached_property
    def summary(self):
        """A dict: what `--json` of the program prints."""
        import json
        return json.loads(self._handle.text(library.trm_sweep_json))

    @property
    def messages(self):
        return self._handle.text(library.trm_sweep_messages, 0)

    def __str__(self):
        return self._handle.text(library.trm_sweep_summary).rstrip("\n")

    def __repr__(self):
        return f"<Sweep of {len(self)} cases over {', '.join(self.parameters)}>"

    def _repr_html_(self):
        return preformatted(str(self))

    # ---- elsewhere

    def to_pandas(self):
        """A DataFrame with a row for each case."""
        import pandas
        table = {name: self[name] for name in self.columns}
        frame = pandas.DataFrame(table, index=pandas.RangeIndex(len(self), name="case"))
        frame.insert(len(self.parameters), "status", self.status)
        return frame

    def to_dict(self):
        """What xarray.Dataset.from_dict takes: parameters are coordinates of the cases, results (case), samples (case, sample)."""
        coords = {name: {"dims": ("case",), "data": self[name]} for name in self.parameters}
        found = {name: {"dims": ("case",), "data": self[name]} for name in self.columns if name not in coords}
        found["status"] = {"dims": ("case",), "data": self.status}
        if self._sampled:
            times = self.t
            coords["time"] = {"dims": ("case", "sample") if times.ndim == 2 else ("sample",), "data": times}
            found.update({f"samples({name})": {"dims": ("case", "sample"), "data": self.samples(name)} for name in self._sampled[1:]})
        return {"coords": coords, "dims": {"case": len(self)}, "data_vars": found, "attrs": {"title": self.summary["title"]}}

    def export(self, path):
        """Writes NAME.csv or NAME.h5, as the program does."""
        with self._handle.lock:
            status = library.trm_sweep_export(self._handle.address, os.fsencode(path))
        raise_for(status, self.messages if status else "")
