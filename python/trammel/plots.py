"""Pictures of a run by matplotlib, which is loaded when one is asked for."""
from . import pages
from ._library import library


def draw(run, names, over, axes):
    if names:
        figure, places = _places(1, axes)
        _panel(places[0], "", over, run[over], [(name, run[name]) for name in names], False)
        return figure
    panels = _panels(run)
    figure, places = _places(len(panels), axes)
    for place, panel in zip(places, panels):
        _panel(place, *panel)
    return figure


def _places(count, axes):
    """(figure, axes for each panel)"""
    if axes is None:
        import matplotlib.pyplot
        figure, grid = matplotlib.pyplot.subplots(count, 1, squeeze=False, figsize=(6.4, 3.2 * count), layout="constrained")
        return figure, list(grid[:, 0])
    if count != 1:
        raise ValueError(f"there are {count} plots: name the columns for one, or leave axes away")
    return axes.figure, [axes]


def _panels(run):
    """[(title, label, x, [(label, y)], equal)]: the model's plots, or its coordinates over time."""
    if not library.trm_model_plots(run._model._handle.address):
        return [("", "t", run.t, [(name, run[name]) for name in run._model.coordinates[:8]], False)]
    import json
    return [(plot["title"], plot["x"]["label"], _doubles(plot["x"]), [(one["label"], _doubles(one)) for one in plot["series"]],
             plot["equal"]) for plot in json.loads(run._page(False))["plots"]]


def _doubles(series):
    import base64

    import numpy
    return numpy.frombuffer(base64.b64decode(series["values"]), "<f8")


def _panel(axes, title, label, x, series, equal):
    for name, y in series:
        axes.plot(x, y, label=name)
    axes.set_xlabel(label)
    axes.set_title(title)
    if len(series) == 1:
        axes.set_ylabel(series[0][0])
    else:
        axes.legend()
    if equal:
        axes.set_aspect("equal", "datalim")


def inline(run):
    """The plots as SVG in HTML; without matplotlib, nothing."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return ""
    panels = _panels(run) if len(run) else []
    figures = []
    for panel in panels:
        figure = Figure(figsize=(6.4, 3.2), layout="constrained")
        _panel(figure.subplots(), *panel)
        figures.append(pages.svg(figure))
    return "".join(figures)
