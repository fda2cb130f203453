"""What the tests of the package share."""
import os
import pathlib
import tempfile

from suite import needs, test

SOURCE = pathlib.Path(os.environ["SOURCE_DIR"])
PROGRAM = os.environ["TRAMMEL"]
MODELS = SOURCE / "models"
PENDULUM = MODELS / "classics" / "double-pendulum.tram"
folder = pathlib.Path(tempfile.mkdtemp())


def raised(kind, function, *arguments, **named):
    """The exception of that kind that a call raises."""
    try:
        function(*arguments, **named)
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")
