"""The samples of a run as arrays by name, and what is made of them."""
import ctypes
import math
import os

from . import _signatures as c
from . import plots
from ._handles import numbers
from ._library import library
from .findings import Result
from .pages import preformatted, report_page
from .settings import Options

_TOO_SLOW = 5  # seconds of a run, which takes longer still in a page


class Run(Result):
    """run["x"], run["x'"], run["reaction(x)"]: read-only arrays, one number for each sample; run[["x", "y"]]: (samples, 2)."""

    def __init__(self, handle, model, settings, given):
        super().__init__(handle)
        self._model, self._settings, self._given = model, settings, given
        self._kept = {}
        self.columns = model.columns
        self._place = {name: i for i, name in enumerate(self.columns)}

    # ---- numbers

    def __len__(self):
        return library.trm_result_samples(self._handle.address)

    def __iter__(self):
        return iter(self.columns)

    def __contains__(self, name):
        return name in self._place

    def __getitem__(self, name):
        if not isinstance(name, (str, list, tuple)):
            raise TypeError(f"a column is asked for by its name, several by a list of names, not by {type(name).__name__}")
        if not isinstance(name, str):
            return self._table(name)
        if name not in self._kept:
            self._kept[name] = self._column(name)
        return self._kept[name]

    def _column(self, name):
        import numpy
        if name not in self._place:
            raise KeyError(f"no column {name!r}; there are: {', '.join(self.columns)}")
        count = len(self)
        with self._handle.lock:
            address = library.trm_result_column(self._handle.address, self._place[name]) if count else None
        return numbers(address, count, self._handle) if address else numpy.zeros(0)

    def _table(self, names):
        import numpy
        table = numpy.stack([self[name] for name in names], axis=1) if names else numpy.zeros((len(self), 0))
        table.flags.writeable = False
        return table

    @property
    def t(self):
        return self["t"]

    # ---- words

    @property
    def final(self):
        """A dict: coordinates, velocities, reactions, multipliers, outputs at the last sample."""
        return self.summary["final"]

    @property
    def residual(self):
        """A dict: of each constraint row the worst residual and when."""
        return self.summary["residual"]

    @property
    def results(self):
        """A dict: of each result over the run, as maximum(e), its `value` and the instant `at` of an extremum or a first one;
        NaN where there is none."""
        address = self._handle.address
        return {library.trm_result_result_name(address, i).decode("utf-8", "replace"):
                {"value": library.trm_result_result(address, i), "at": library.trm_result_result_at(address, i)}
                for i in range(library.trm_result_results(address))}

    @property
    def failures(self):
        """A text for each expectation that failed."""
        return [line.strip() for line in self._handle.text(library.trm_result_failures).splitlines() if line.strip()]

    def __repr__(self):
        reached = f", t = {self.t[0]:g} to {self.t[-1]:g}" if len(self) else ""
        return f"<Run of {self._model.title or self._model._source[0]!r}: {len(self)} samples{reached}>"

    def _repr_html_(self):
        return preformatted(str(self)) + plots.inline(self)

    # ---- elsewhere

    def to_pandas(self):
        """A DataFrame with the time as index."""
        import pandas
        return pandas.DataFrame({name: self[name] for name in self.columns[1:]}, index=pandas.Index(self.t, name="t"))

    def to_csv(self, path):
        """The samples as `trammel run -o` writes them, byte by byte; numbers read back to the same double."""
        head = ",".join(_quoted(name) for name in self.columns)
        columns = [map(_shortest, self[name].tolist()) for name in self.columns]
        self._write(path, "\n".join([head, *map(",".join, zip(*columns)), ""]))

    def plot(self, *names, over="t", axes=None):
        """Draws columns over the time or another column, into the axes of matplotlib if given; without names, the plots that
        the model asks for, or its coordinates. Returns the figure."""
        return plots.draw(self, names, over, axes)

    def report(self, path, engine=True):
        """Writes a page that any browser opens, with animation, charts, forces and equations. With its engine it has sliders;
        as in `trammel report` that is left out where they would be of no use."""
        self._write(path, report_page(self._page(True), engine and self._suits_a_page()))

    def _suits_a_page(self):
        usual = library.trm_formulation_at(0).name.decode()
        return (sum(self.summary["seconds"].values()) <= _TOO_SLOW and self._given.get("integrator") not in ("bdf", "adams")
                and self._given.get("formulation") in (None, usual))

    def _write(self, path, text):
        """As the library writes all files, whole or not at all, and never over the model."""
        place, content, why = os.fsencode(path), text.encode(), ctypes.create_string_buffer(1024)
        if library.trm_model_is_source(self._model._handle.address, place):
            raise ValueError(f"{os.fspath(path)} is read by the model")
        if library.trm_file_write(place, content, len(content), None, why, len(why)):
            raise OSError(f"cannot write '{os.fspath(path)}': {why.value.decode('utf-8', 'replace')}")

    def _page(self, equations):
        """The data of a page, as text. The run that was made kept its columns alone: it is made once more."""
        model = self._model if self._model._settings == self._settings else self._model.replace(self._settings)
        _, again = model._study(library.trm_run, Options(keep=c.KEEP_PAGE, **self._given), Result)
        return again._handle.text(library.trm_result_page, int(equations))


def _quoted(name):
    return '"' + name.replace('"', '""') + '"' if set(name) & set(',"\r\n') else name


def _shortest(value):
    """The fewest digits that read back to the same double, as the library writes numbers."""
    if not math.isfinite(value):
        return repr(value)
    for digits in range(1 if abs(value) < 2.2250738585072014e-308 else 15, 18):
        text = "%.*g" % (digits, value)
        if float(text) == value:
            break
    if "e" not in text:
        return text
    mantissa, exponent = text.split("e")
    return f"{mantissa}e{int(exponent)}"
