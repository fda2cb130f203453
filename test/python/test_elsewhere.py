"""What other packages make of a run: pandas, matplotlib; pages and notebooks."""
import html.parser
import json
import pathlib
import re

import numpy
import trammel

from common import MODELS, PENDULUM, folder, needs, raised, test


@needs("pandas")
def pandas_reads_what_is_written():
    import pandas
    run = trammel.Model.load(PENDULUM).run()
    run.to_csv(folder / "run.csv")
    read, frame = pandas.read_csv(folder / "run.csv", index_col="t", float_precision="round_trip"), run.to_pandas()
    pandas.testing.assert_frame_equal(read, frame, check_exact=True)
    assert frame["x1"].iloc[-1] == run.final["x1"] and frame.index.name == "t"


@needs("matplotlib")
def matplotlib_draws_the_series():
    import matplotlib.pyplot
    run = trammel.Model.load(PENDULUM).run()
    axes = run.plot("x1", "y1").axes
    assert len(axes) == 1 and [line.get_label() for line in axes[0].get_lines()] == ["x1", "y1"]
    assert (axes[0].get_lines()[0].get_ydata() == run["x1"]).all() and axes[0].get_xlabel() == "t"
    path = run.plot("y2", over="x2").axes[0].get_lines()[0]
    assert (path.get_xdata() == run["x2"]).all() and (path.get_ydata() == run["y2"]).all()
    plots = run.plot().axes  # those of the model
    assert [one.get_title() for one in plots] == ["Lower bob", "Energies"]
    assert (plots[0].get_lines()[0].get_ydata() == run["x2"]).all()
    _, given = matplotlib.pyplot.subplots()
    assert run.plot("x1", axes=given) is given.figure and len(given.get_lines()) == 1
    assert "there are 2 plots" in str(raised(ValueError, run.plot, axes=given))
    run.plot("x1", "x2").savefig(folder / "plot.svg")
    assert len(re.findall(r'<g id="line2d_\d+">', (folder / "plot.svg").read_text())) >= 2
    plain = trammel.Model("coord a, b\nkinetic a'^2 + b'^2\nsimulate until 1\n").run().plot()
    assert [line.get_label() for line in plain.axes[0].get_lines()] == ["a", "b"]
    matplotlib.pyplot.close("all")


class Reader(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.sources = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.sources += [value for name, value in attributes if name in ("src", "href", "xlink:href") and not value.startswith("#")]


@test
def notebooks_are_shown_equations_and_summaries():
    model = trammel.Model.load(PENDULUM)
    shown = Reader(model._repr_html_())
    assert "math" in shown.tags and "script" not in shown.tags and not shown.sources
    text = trammel.Model('title "a < b & <script>"\ncoord x\nkinetic x\'^2\n')._repr_html_()
    assert "script" not in Reader(text).tags and "&lt;script&gt;" in text
    assert "<pre>" in model.check()._repr_html_()
    large = trammel.Model.load(MODELS / "mechanisms" / "governor.tram")._repr_html_()
    assert "math" not in Reader(large).tags and "Watt governor" in large


@needs("matplotlib")
def notebooks_are_shown_plots():
    run = trammel.Model.load(PENDULUM).run()
    shown = Reader(run._repr_html_())
    assert shown.tags.count("svg") == 2 and shown.tags[0] == "pre" and not shown.sources and "script" not in shown.tags


@test
def a_report_is_the_page_with_its_data():
    run = trammel.Model.load(PENDULUM, L=2).run(until=1)
    run.report(folder / "page.html")
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', (folder / "page.html").read_text(), re.DOTALL)
    data = json.loads(data[1])
    assert data["title"] == "Double pendulum" and "<math" in data["equations"]
    assert data["summary"]["time"]["end"] == 1
    (folder / "own.tram").write_text(PENDULUM.read_text())
    own = trammel.Model.load(folder / "own.tram").run()
    for write in (own.report, own.to_csv):
        assert "is read by the model" in str(raised(ValueError, write, folder / "own.tram"))
    assert "cannot write" in str(raised(OSError, run.to_csv, folder / "no" / "such.csv"))
    assert numpy.isfinite(run["x1"]).all()


@test
def a_report_has_the_engine_where_sliders_are_of_use():
    import os
    import trammel.pages
    place = pathlib.Path(os.path.dirname(trammel.pages.__file__)) / "engine.b64"
    place.write_text("H4sIAAAA")
    try:
        model = trammel.Model.load(PENDULUM)
        run = model.run(until=0.1)
        cases = [(run, {}, True), (run, {"engine": False}, False), (model.run(until=0.1, formulation="fundamental"), {}, False),
                 (model.run(until=0.1, formulation="default"), {}, True)]
        for made, how, there in cases:
            made.report(folder / "engine.html", **how)
            assert ('id="engine">H4sIAAAA</script>' in (folder / "engine.html").read_text()) == there, how
    finally:
        place.unlink()


@test
def without_its_page_a_package_says_so():
    import os
    import trammel.pages
    place = os.path.join(os.path.dirname(trammel.pages.__file__), "page.html")
    os.rename(place, place + ".away")
    try:
        assert "without its page" in str(raised(OSError, trammel.pages.report_page, "{}"))
    finally:
        os.rename(place + ".away", place)
