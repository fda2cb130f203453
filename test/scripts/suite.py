"""A list of tests in one file: @test marks one, run_all runs them in order and says how each went.

takes(k): whether case k of a long test is taken by this run. TEST_EVERY=n takes one in n, TEST_PART=k/n the k'th of n
parts of these; without them, all. test/tiers.txt says what "make test" sets.
"""
import importlib
import os
import sys
import time
import traceback

_every = int(os.environ.get("TEST_EVERY", "1"))
_part, _parts = map(int, os.environ.get("TEST_PART", "1/1").split("/"))
_tests = []


def every():
    return _every


def takes(k):
    return k % _every == 0 and k // _every % _parts == _part - 1


def taken(cases):
    return [case for k, case in enumerate(cases) if takes(k)]


def test(function):
    _tests.append(function)
    return function


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


def run_all(of=None):
    """Prints "N passed, M failed"; the exit code. of=1: all tests, of a file that takes some of its cases itself."""
    failed, tests = 0, _tests if of == 1 else taken(_tests)
    for function in tests:
        start = time.monotonic()
        try:
            function()
            print(f"{time.monotonic() - start:6.2f} s  {function.__name__}")
        except Exception:
            failed += 1
            print(f"FAILED {function.__name__}")
            traceback.print_exc(file=sys.stdout)
    print(f"{len(tests) - failed} passed, {failed} failed")
    return 1 if failed or not tests else 0
