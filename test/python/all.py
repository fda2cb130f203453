"""Runs the tests of the package for Python: test/python/test_*.py.

The package stands in a folder of its own, as a wheel has it: with the library of this build, and the page of the tests.
Surroundings: TRAMMEL, the program; BUILD_DIR, SOURCE_DIR. Prints "N passed, M failed", exit code 1 on failure. What needs a
module that is missing is left out, with a word.
"""
import importlib
import os
import pathlib
import shutil
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["SOURCE_DIR"])
sys.path[:0] = [str(SOURCE / "test" / "scripts"), str(SOURCE / "test" / "python")]
from suite import run_all  # noqa: E402


def install(folder):
    package = folder / "trammel"
    shutil.copytree(SOURCE / "python" / "trammel", package, ignore=shutil.ignore_patterns("__pycache__"))
    for library in pathlib.Path(os.environ["BUILD_DIR"]).glob("libtrammel.so.[0-9].[0-9]"):
        shutil.copy(library, package)
    shutil.copy(SOURCE / "test" / "scripts" / "page.html", package)
    sys.path.insert(0, str(folder))
    os.environ["PYTHONPATH"] = str(folder)
    os.environ.pop("TRAMMEL_LIBRARY", None)
    os.environ["MPLBACKEND"] = "Agg"
    os.environ["MPLCONFIGDIR"] = str(folder)


def main():
    with tempfile.TemporaryDirectory() as folder:
        install(pathlib.Path(folder))
        for file in sorted((SOURCE / "test" / "python").glob("test_*.py")):
            importlib.import_module(file.stem)
        return run_all()


if __name__ == "__main__":
    sys.exit(main())
