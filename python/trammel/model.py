"""Models: reading, what they say, and what can be done with them."""
import ctypes
import functools
import os

from . import _signatures as c
from ._call import interruptibly
from ._handles import Handle, made, result_handle
from ._library import library
from .emission import emit_c
from .errors import ExpectationFailed, raise_for
from .findings import Equilibrium, Findings, Result
from .functions import Functions, acting_on
from .linear import Linear
from .pages import model_html
from .run import Run
from .session import Session
from .settings import Options, expression, setting_array
from .sweep import sweep_model
from .system import System

NOTATIONS = {"text": c.TEXT, "latex": c.LATEX, "mathml": c.MATHML}


class Model:
    """A model from its text; Model.load reads a file. Parameters are given as keywords, numbers or expressions; those whose names
    are no words for Python in a dict: Model(text, {"lambda": 2}). `name` stands in messages, and includes are sought beside it.

    One model may be used from several threads; its calls then wait for each other. Different models run in parallel.
    """

    def __init__(self, text, parameters=None, name="model", /, **more):
        if not isinstance(text, str):
            raise TypeError(f"a model is a text, not {type(text).__name__}; Model.load reads a file")
        self._source, self._settings = (str(name), text), {**(parameters or {}), **more}
        self._read()

    @classmethod
    def load(cls, path, parameters=None, /, **more):
        """Reads a model file."""
        model = cls.__new__(cls)
        model._source, model._settings = (os.fspath(path), None), {**(parameters or {}), **more}
        model._read()
        return model

    @classmethod
    def from_functions(cls, coordinates, *, rows=(), position_rows=0, velocity_rows=None, q=None, v=None, **functions):
        """A model made of functions alone, M q'' = Q + Q^c with A q'' = b: mass(t, q) -> (n, n), force(t, q, v) -> (n),
        constraint(t, q, v) -> (m, n) and (m), nonideal(t, q, v) -> (n), position(t, q) -> (position_rows),
        velocity(t, q, v) -> (velocity_rows), energy(t, q, v) -> kinetic and potential. rows: names of the constraint rows, of which the
        first position_rows are on positions, and the first velocity_rows, these included, on velocities. q, v: the start."""
        model = cls.__new__(cls)
        model._source, model._settings, model._forces = ("functions", None), {}, []
        of = Functions(len(coordinates), functions, rows, position_rows, position_rows if velocity_rows is None else velocity_rows,
                       coordinates, q, v)
        status, address = made(library.trm_model_from_callbacks, ctypes.byref(of.struct))
        if address is None:
            raise MemoryError("not enough memory for this model")
        model._handle = Handle(address, library.trm_model_free)
        model._handle.functions.append(of)
        raise_for(status, model.messages if status else "")
        return model

    def _read(self):
        name, text = self._source
        if text is None:
            status, address = made(library.trm_model_read, os.fsencode(name), *setting_array(self._settings))
        else:
            status, address = made(library.trm_model_read_text, os.fsencode(name), text.encode(), *setting_array(self._settings))
        if address is None:
            raise MemoryError("not enough memory for this model")
        self._handle, self._forces = Handle(address, library.trm_model_free), []
        raise_for(status, self.messages if status else "")

    def add_force(self, function, on=None):
        """A force of your own, as of a controller: function(t, q, v) gives a number for each coordinate, or for those that `on` names.
        Before anything else is made of the model. The same t, q, v must give the same force."""
        if not callable(function):
            raise TypeError(f"a force is a function of t, q and v, not {type(function).__name__}")
        names = [on] if isinstance(on, str) else on
        for name in names or ():
            if name not in self.coordinates:
                raise ValueError(f"no coordinate {name!r}; there are: {', '.join(self.coordinates)}")
        n = len(self.coordinates)
        places = [self.coordinates.index(name) for name in names] if names else None
        of = Functions(n, {"force": acting_on(function, places, n) if names else function})
        with self._handle.lock:
            status = library.trm_model_add_callbacks(self._handle.address, ctypes.byref(of.struct))
            raise_for(status, self.messages if status else "")
            self._handle.functions.append(of)
            self._forces.append((function, on))

    def replace(self, parameters=None, /, **more):
        """The same text with other values for some parameters: a model of its own."""
        model = type(self).__new__(type(self))
        model._source, model._settings = self._source, {**self._settings, **(parameters or {}), **more}
        model._read()
        for function, on in self._forces:
            model.add_force(function, on)
        return model

    # ---- what it says

    @property
    def title(self):
        return self._handle.text(library.trm_model_title)

    @property
    def messages(self):
        """Warnings, as the terminal shows them; "" if there are none."""
        return self._handle.text(library.trm_model_messages, 0)

    def _names(self, count, name):
        with self._handle.lock:
            return tuple(name(self._handle.address, i).decode() for i in range(count(self._handle.address)))

    @functools.cached_property
    def coordinates(self):
        return self._names(library.trm_model_coordinates, library.trm_model_coordinate_name)

    @functools.cached_property
    def constraints(self):
        """Names of the scalar rows, as in residual(NAME)."""
        return self._names(library.trm_model_rows, library.trm_model_row_name)

    @functools.cached_property
    def columns(self):
        """What a sample of a run has, the time first: the names of Run and Session."""
        return self._names(library.trm_model_columns, library.trm_model_column_name)

    @property
    def parameters(self):
        """A dict, name to value; model.set changes them."""
        names = self._names(library.trm_model_parameters, library.trm_model_parameter_name)
        return {name: library.trm_model_parameter_value(self._handle.address, i) for i, name in enumerate(names)}

    def set(self, parameters=None, /, **more):
        """Gives parameters other values, numbers or expressions, for all that is made of the model from now on; no file is read again.
        Runs, systems and sessions that are there keep theirs. If one is refused, those before it are set."""
        rebuilt = ctypes.c_int()
        with self._handle.lock:
            for name, value in {**(parameters or {}), **more}.items():
                number = self.number(value) if isinstance(value, str) else float(value)
                status = library.trm_model_set(self._handle.address, name.encode(), number, ctypes.byref(rebuilt))
                raise_for(status, self.messages if status else "")
                self._settings = {**self._settings, name: number}
                if rebuilt.value:
                    for names in ("coordinates", "constraints", "columns"):
                        self.__dict__.pop(names, None)

    def number(self, text):
        """The value of a constant expression such as "2*pi*sqrt(L/g)" in the model's parameters."""
        value = ctypes.c_double()
        with self._handle.lock:
            status = library.trm_model_number(self._handle.address, expression(text), ctypes.byref(value))
            raise_for(status, self.messages if status else "")
        return value.value

    def equations(self, notation="text", expand=False):
        """The equations of motion, as "text", "latex" or "mathml": M, Q, A, b, or of bodies those of Newton and Euler unless
        they are to be expanded."""
        if notation not in NOTATIONS:
            raise ValueError(f"equations are written as {', '.join(NOTATIONS)}, not {notation!r}")
        return self._handle.text(library.trm_model_equations, NOTATIONS[notation] + (c.EXPANDED if expand else 0))

    def __repr__(self):
        return f"<Model {self.title or self._source[0]!r}: {len(self.coordinates)} coordinates, {len(self.constraints)} constraint rows>"

    def _repr_html_(self):
        return model_html(self)

    # ---- what can be done with it

    def _study(self, function, options, kind):
        """(status, what was found) of one of the library's studies; raises for what is no result."""
        status, address = interruptibly(options.stop, self._handle.locked, made, function, self._handle.address,
                                        ctypes.byref(options.struct))
        found = kind(result_handle(address, self._handle)) if address else None
        options.reraise()
        self._handle.reraise()
        if status not in (c.OK, c.EXPECTATION_FAILED):
            self._fail(status, found)
        return status, found

    def _fail(self, status, found):
        messages = self.messages if found is None else found.messages
        error = found.summary.get("error") if status == c.NO_SOLUTION else None
        raise_for(status, messages, found, error)

    def run(self, until=None, every=None, tolerance=None, *, from_=None, progress=None, strict=False, integrator=None,
            formulation=None, coordinates=None, choices=None, rank_tolerance=None, exact=False):
        """Simulates. Times and tolerances are numbers or expressions; what is not given is as the model says. progress: True for a
        line on standard error, or a function of a number from 0 to 1. strict: an expectation that fails is an error."""
        given = dict(until=until, every=every, tolerance=tolerance, from_=from_, integrator=integrator, formulation=formulation,
                     coordinates=coordinates, choices=choices, rank_tolerance=rank_tolerance, exact=exact)
        settings = dict(self._settings)
        status, run = self._study(library.trm_run, Options(keep=c.KEEP_COLUMNS, progress=progress, **given),
                                  lambda handle: Run(handle, self, settings, given))
        if strict and status == c.EXPECTATION_FAILED:
            raise ExpectationFailed("\n".join(run.failures), run)
        return run

    def sweep(self, vary, sampling="grid", draws=None, **options):
        """Runs with many values, in threads: a Sweep. vary: {"L": "0.5:2:16", "m": [1, 2, 5], "k": "log(1:1000:7)"}; sampling: "grid", "zip",
        or with so many draws "lhs", "sobol", "random", of {"L": "0.5:2", "m": "normal(1,0.1)"}. Options: seed, keep="samples", threads,
        timeout (seconds for a case), stop_after (failures), folder ("NAME.sweep": what was found survives a crash, Sweep.resume),
        progress (a function of done, failed, cases, seconds), and those of run. A case that fails has its status and no numbers."""
        return sweep_model(self, vary, sampling, draws, **options)

    def check(self, **options):
        """Everything that can be said without simulating: rank, redundant, unique_reaction, ..."""
        return self._study(library.trm_check, Options(**options), Findings)[1]

    def compare(self, along=False, choices=None, **options):
        """The acceleration and force by every formulation of the papers, at the start or at each sample of the run. choices: of what
        the formulations leave open, as {"alpha": 30}."""
        return self._study(library.trm_compare, Options(along=along, choices=choices, **options), Findings)[1]

    def linearize(self, at=None, inputs=None, outputs=None, **options):
        """The linear system about "start", "equilibrium" or the state at a time; inputs and outputs: names or expressions, in a
        list or with commas between."""
        return self._study(library.trm_linearize, Options(at=at, inputs=inputs, outputs=outputs, **options), Linear)[1]

    def equilibrium(self, **options):
        """An equilibrium near the start, or a steady motion. NoSolution if there is none; its `run` tells the nearest approach."""
        return self._study(library.trm_equilibrium, Options(**options), Equilibrium)[1]

    def start(self):
        """(q, v): the start of a run by the model's coordinates, guesses moved to where the constraints hold."""
        import numpy
        options, n = Options(), len(self.coordinates)
        q, v = numpy.empty(n), numpy.empty(n)

        def assemble(model, struct, out):
            return library.trm_assemble(model, struct, q.ctypes.data, v.ctypes.data, out)
        self._study(assemble, options, Result)
        return q, v

    def compile(self):
        """Accelerations and forces at any state: a System."""
        return System(self)

    def emit_c(self, prefix=None, *, solver=None, coordinates=None, jacobian=False, main=True, single_precision=False):
        """The model as C99 without a dependency: an Emission, with `files` by name, `summary` and `write(folder)`. prefix: what files
        and functions begin with; solver: "both" or "direct"."""
        return emit_c(self._handle, prefix, solver, coordinates, jacobian, main, single_precision)

    def session(self, **options):
        """A run that is advanced step by step: a Session. Options as of run."""
        return Session(self, Options(**options))
