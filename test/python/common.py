"""What the tests of the package share."""
import importlib
import os
import pathlib
import tempfile

from suite import test

SOURCE = pathlib.Path(os.environ["SOURCE_DIR"])
PROGRAM = os.environ["TRAMMEL"]
MODELS = SOURCE / "models"
PENDULUM = MODELS / "classics" / "double-pendulum.tram"
folder = pathlib.Path(tempfile.mkdtemp())


def needs(*modules):
    """A test that is left out, with a word, where a module is missing."""
    def mark(function):
        try:
            for module in modules:
                importlib.import_module(module)
        except ImportError:
            print(f"{module} is missing: {function.__name__} is left out")
            return function
        return test(function)
    return mark


def raised(kind, function, *arguments, **named):
    """The exception of that kind that a call raises."""
    try:
        function(*arguments, **named)
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")
