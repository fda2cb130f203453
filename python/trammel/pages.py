"""HTML: for notebooks, and the page of a report."""
import io
import os

_PLACE = '<script type="application/json" id="data">null</script>'
_ENGINE = '\n<script type="application/wasm+gzip+base64" id="engine">'
_MANY = 12  # coordinates: beyond, equations are longer than a screen and take longer than the run


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def preformatted(text):
    return f"<pre>{escaped(text)}</pre>"


def model_html(model):
    """The title, and the equations as MathML unless there are very many."""
    head = f"<p><b>{escaped(model.title or 'Model')}</b>: {len(model.coordinates)} coordinates, {len(model.constraints)} constraint rows</p>"
    if len(model.coordinates) > _MANY:
        return head
    return head + model.equations("mathml")


def svg(figure):
    """A figure of matplotlib as an element; the same figure, the same text."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()[text.getvalue().index("<svg"):]


def _part(name):
    """A file of the package that is there if it was built: its text, or None."""
    try:
        with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def report_page(data, engine=False):
    """The page with its data in it, and with the engine that runs the model there, if the package has one."""
    template = _part("page.html")
    if template is None:
        raise OSError("this package was built without its page: build it again where Node.js 18.18 or newer and npm are at hand")
    packed = _part("engine.b64") if engine else None
    behind = f"{_ENGINE}{packed}</script>" if packed else ""
    return template.replace(_PLACE, _PLACE.replace("null", data, 1) + behind, 1)
