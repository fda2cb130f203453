"""The motion and the forces of constrained mechanical systems.

    import trammel
    model = trammel.Model.load("double-pendulum.tram", L=2)
    run = model.run(until=9)
    run["x1"], run.final["x1"]

Numbers are as in the model, names too. Arrays are those of NumPy, which is loaded when the first one is asked for.
"""
from . import _library
from .errors import Error, ExpectationFailed, ModelError, NoSolution
from .findings import Findings
from .linear import Linear
from .model import Model
from .robots import import_robot
from .run import Run
from .session import Session
from .sweep import Sweep
from .system import System

__version__ = _library.library.trm_version().decode()
__all__ = ["Model", "Run", "Session", "Sweep", "System", "Linear", "Findings", "import_robot", "Error", "ModelError", "NoSolution",
           "ExpectationFailed"]
