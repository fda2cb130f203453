"""The shipped notebooks, without Jupyter: their cells are run in order, and what a cell ends with is shown."""
import ast
import contextlib
import io
import json

from common import MODELS, needs


def show(value):
    return value._repr_html_() if hasattr(value, "_repr_html_") else repr(value)


def run_cell(text, names):
    """What the cell shows."""
    tree = ast.parse(text)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
    return show(value) if value is not None else ""


@needs("matplotlib")
def notebooks_run():
    notebooks = sorted((MODELS / "notebooks").glob("*.ipynb"))
    assert notebooks
    for path in notebooks:
        notebook, names, shown = json.loads(path.read_text()), {}, []
        assert notebook["nbformat"] == 4
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                assert cell["outputs"] == [] and cell["execution_count"] is None  # kept without what a machine printed
                with contextlib.redirect_stdout(io.StringIO()):
                    shown.append(run_cell("".join(cell["source"]), names))
        assert "<math" in shown[0] and "<svg" in shown[1], path
