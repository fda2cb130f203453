"""Processes: Ctrl-C, threads, memory, what is loaded when."""
import ctypes
import gc
import os
import pathlib
import signal
import subprocess
import sys
import threading

import trammel

from common import PENDULUM, raised, test

SPRING = "param k = 4\ncoord x\ninitial x = 1\nkinetic x'^2/2\npotential k/2*x^2\nsimulate until {}, every {}\n"
LONG = SPRING.format("1e7", "1e6")


def child(code):
    return subprocess.Popen([sys.executable, "-B", "-c", "import trammel\n" + code], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def interrupted(code):
    """What a child prints that is sent Ctrl-C once it has said that it runs."""
    process = child(f"LONG = {LONG!r}\nsaid = []\ndef tell(part):\n"
                    "    if not said: print('runs', flush=True)\n    said.append(part)\n" + code)
    assert process.stdout.readline() == "runs\n", process.stderr.read()
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate()
    return process.returncode, output, errors


@test
def control_c_ends_a_run_and_python_goes_on():
    code, output, errors = interrupted("""
model = trammel.Model(LONG)
try:
    model.run(progress=tell)
except KeyboardInterrupt:
    print("ended", len(model.run(until=2, every=1)))
""")
    assert (code, output) == (0, "ended 3\n"), (code, output, errors)


@test
def control_c_comes_while_a_call_is_handed_over():
    for begun in (True, False):
        code, output, errors = interrupted(f"""
import time
from trammel import _call
model = trammel.Model(LONG)
model.run(until=1)  # there is a helper
real = _call._helper.todo
class Once:  # Ctrl-C comes before the main thread waits
    def put(self, call):
        _call._helper.todo, self.call = real, call
        if {begun}:
            real.put(call)
            while not said: pass
        else:
            tell(0)
        while True:
            time.sleep(0.01)
_call._helper.todo = once = Once()
try:
    model.run(progress=tell)
except KeyboardInterrupt:
    print("ended" if once.call.ended else "goes on", len(model.run(until=2, every=1)))
""")
        assert (code, output) == (0, "ended 3\n"), (begun, code, output, errors)


@test
def control_c_that_nobody_catches_ends_python():
    code, output, errors = interrupted("trammel.Model(LONG).run(progress=tell)")
    assert code == -signal.SIGINT and errors.rstrip().endswith("KeyboardInterrupt"), (code, errors)


@test
def control_c_ends_a_session():
    code, output, errors = interrupted("""
model = trammel.Model(LONG)
model.add_force(lambda t, q, v: tell(t) or [0] if t > 1 else [0])
with model.session() as session:
    try:
        session.advance(1e7)
    except KeyboardInterrupt:
        print("ended", session.t < 1e7)
        try:
            session.advance(1)
        except ValueError as error:
            print(error)
""")
    assert (code, output) == (0, "ended True\nthis session was interrupted: begin another\n"), (code, output, errors)


@test
def what_a_function_raises_ends_the_run():
    def refuse(part):
        raise RuntimeError("enough")
    assert str(raised(RuntimeError, trammel.Model(LONG).run, progress=refuse)) == "enough"


@test
def runs_in_threads_are_at_the_same_time():
    # each waits in the midst of its run for the other: one after the other, they would wait for ever
    meeting, results, texts = threading.Barrier(2), {}, {"a": 4, "b": 9}

    def work(name):
        met = []

        def wait(part):
            if not met:
                met.append(meeting.wait(600))
        results[name] = trammel.Model(SPRING.format(10, 1), k=texts[name]).run(progress=wait)["x"]

    threads = [threading.Thread(target=work, args=name) for name in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name, k in texts.items():
        assert (results[name] == trammel.Model(SPRING.format(10, 1), k=k).run()["x"]).all()


@test
def one_model_in_many_threads_gives_the_same():
    model, results = trammel.Model.load(PENDULUM), []
    threads = [threading.Thread(target=lambda: results.append(model.run(until=1)["x1"])) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8 and all((one == results[0]).all() for one in results)


class Mallinfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]


def sanitized():
    return hasattr(ctypes.CDLL(None), "__sanitizer_get_current_allocated_bytes")


def in_use():
    """Bytes that malloc has given out. With sanitizers their allocator counts instead."""
    gc.collect()
    process = ctypes.CDLL(None)
    if sanitized():
        process.__sanitizer_get_current_allocated_bytes.restype = ctypes.c_size_t
        return process.__sanitizer_get_current_allocated_bytes()
    process.mallinfo2.restype = Mallinfo
    info = process.mallinfo2()
    return info.uordblks + info.hblkhd


def mapped():
    """kB that are resident: what was mapped past malloc, too"""
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 10


@test
def a_thousand_runs_leak_nothing():
    def work(count):
        for _ in range(count):
            model = trammel.Model(SPRING.format(1, 0.1))
            model.run()["x"].sum()
            model.check()
            model.compile().acceleration(0, [1.0], [0.0])
            raised(trammel.ModelError, trammel.Model, "coord")
            with model.session() as session:
                session.advance(0.1)
    work(100)
    before, resident = in_use(), mapped()
    work(1000)
    grown = in_use() - before
    assert grown < 64 * 1000, f"{grown} bytes"  # less than 64 for each
    # a result has 100; sanitizers keep what was freed for a while
    assert sanitized() or mapped() - resident < 20000, f"{mapped() - resident} kB"


@test
def garbage_in_cycles_is_freed_in_any_order():
    for _ in range(50):
        try:
            trammel.Model("coord x\nkinetic x'^2\nforce x = 1/(0.5 - t)^2\nsimulate until 1\n").run()
        except trammel.NoSolution as error:
            ring = [error, error.run]
            ring.append(ring)
            error.ring = ring
        del ring
    gc.collect()


@test
def numpy_is_loaded_when_it_is_needed():
    process = child(f"""import sys
model = trammel.Model({LONG!r})
model.run(until=1, every=1).final, model.check(), model.parameters
print(sorted({{"numpy", "pandas", "matplotlib"}} & set(sys.modules)))""")
    output, errors = process.communicate()
    assert output == "[]\n", (output, errors)


@test
def a_library_that_is_missing_or_other_is_told():
    for library, said in (("/no/such.so", "cannot be loaded"), ("libm.so.6", "has no trm_version")):
        done = subprocess.run([sys.executable, "-B", "-c", "import trammel"], env=dict(os.environ, TRAMMEL_LIBRARY=library),
                              capture_output=True, text=True)
        assert done.returncode == 1 and "ImportError" in done.stderr and said in done.stderr, done.stderr
