"""HTML: for notebooks, and the page of a report."""
import io
import os

_PLACE = '<script type="application/json" id="data">null</script>'
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


def report_page(data):
    """The page with its data in it."""
    try:
        with open(os.path.join(os.path.dirname(__file__), "page.html"), encoding="utf-8") as file:
            template = file.read()
    except FileNotFoundError:
        raise OSError("this package was built without its page: build it again where Node.js 18.18 or newer and npm are at hand") from None
    return template.replace(_PLACE, _PLACE.replace("null", data, 1), 1)
