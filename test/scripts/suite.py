"""A list of tests in one file: @test marks one, run_all runs them in order and says how each went."""
import sys
import time
import traceback

_tests = []


def test(function):
    _tests.append(function)
    return function


def run_all():
    """Prints "N passed, M failed"; the exit code."""
    failed = 0
    for function in _tests:
        start = time.monotonic()
        try:
            function()
            print(f"{time.monotonic() - start:6.2f} s  {function.__name__}")
        except Exception:
            failed += 1
            print(f"FAILED {function.__name__}")
            traceback.print_exc(file=sys.stdout)
    print(f"{len(_tests) - failed} passed, {failed} failed")
    return 1 if failed else 0
