"""Model.sweep: cases against single runs, arrays of samples, failures, what is raised."""
import math
import threading

from common import folder, needs, raised

import trammel

MODEL = """title "Pendulum"
param L = 1, start = 0.5
coord x, y
initial x = start, y ~ -1
kinetic (x'^2 + y'^2)/2
potential 9.81*y
constraint rod: x^2 + y^2 = L^2
simulate until 1, every 0.1
"""


@needs("numpy")
def cases_are_runs():
    import numpy
    model = trammel.Model(MODEL)
    sweep = model.sweep({"L": [1, 1.5], "start": "0.1:0.5:3"}, keep="samples", threads=2)
    assert len(sweep) == 6 and sweep.parameters == ("L", "start") and list(sweep.status) == [0] * 6
    for case in range(6):
        run = model.replace(L=sweep["L"][case], start=sweep["start"][case]).run()
        for name in run.columns:
            assert sweep[name][case] == run[name][-1], (name, case)
            assert (sweep.samples(name)[case] == run[name]).all(), (name, case)
    assert sweep.samples("x").shape == (6, 11) and sweep.t.shape == (11,) and numpy.isclose(sweep.t[-1], 1)
    assert sweep.summary["cases"] == 6 and "6 fine" in str(sweep) and "6 cases" in repr(sweep)


@needs("numpy", "pandas")
def failures_have_no_numbers():
    model = trammel.Model(MODEL)
    sweep = model.sweep({"start": [0.5, 1.5]})
    assert list(sweep.status) == [0, 3] and math.isnan(sweep["x"][1]) and sweep.message_of(0) == "" and "rod" in sweep.message_of(1)
    table = sweep.to_pandas()
    assert list(table.columns[:3]) == ["start", "status", "t"] and table.status[1] == 3 and table.index.name == "case"
    wide = sweep.to_dict()
    assert wide["coords"]["start"]["dims"] == ("case",) and "x" in wide["data_vars"] and wide["dims"] == {"case": 2}
    assert "not kept" in str(raised(ValueError, sweep.samples, "x")) and "no column 'z'" in str(raised(KeyError, sweep.__getitem__, "z"))


@needs("numpy")
def folders_and_files():
    model_path = folder / "swept.tram"
    model_path.write_text(MODEL)
    model = trammel.Model.load(model_path)
    place = folder / "swept.sweep"
    seen = []
    first = model.sweep({"L": "1:2:9"}, folder=place, progress=lambda done, failed, cases, seconds: seen.append((done, cases)))
    first.export(folder / "a.csv")
    assert seen and all(cases == 9 for _, cases in seen)
    journal = place / "journal.0"
    journal.write_bytes(journal.read_bytes()[:-9])
    assert sorted(trammel.Sweep.load(place).status)[:2] == [-1, 0]
    again = trammel.Sweep.resume(place)
    again.export(folder / "b.csv")
    assert (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()
    assert "already" in str(raised(trammel.ModelError, model.sweep, {"L": "1:2:9"}, folder=place))
    assert "what kind of file" in str(raised(trammel.ModelError, again.export, folder / "a.ods"))
    raised(OSError, trammel.Sweep.load, folder / "nowhere.sweep")


@needs("numpy")
def what_is_raised():
    model = trammel.Model(MODEL)
    assert "no parameter 'M'" in str(raised(trammel.ModelError, model.sweep, {"M": 1}))
    assert "sampling is one of" in str(raised(ValueError, model.sweep, {"L": 1}, "halton"))
    assert "what is to be varied" in str(raised(trammel.ModelError, model.sweep, {}))

    def tell(*_):
        raise RuntimeError("enough")
    assert str(raised(RuntimeError, model.sweep, {"L": "1:2:3000"}, threads=1, progress=tell)) == "enough"


@needs("numpy")
def in_threads_of_python():
    model, found = trammel.Model(MODEL), []
    workers = [threading.Thread(target=lambda: found.append(model.sweep({"L": "1:2:20"})["x"].tobytes())) for _ in range(3)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    assert len(set(found)) == 1 and len(found) == 3
