"""What check, compare and equilibrium find: the JSON object of the program, by item or by attribute."""
import functools

from ._library import library
from .pages import preformatted


class Result:
    """What every study has, over a handle of the library's result."""

    def __init__(self, handle):
        self._handle = handle

    @functools.cached_property
    def summary(self):
        """A dict: what `--json` of the program prints."""
        import json
        return json.loads(self._handle.text(library.trm_result_json) or "{}")

    @property
    def messages(self):
        """Errors and warnings as the terminal shows them; "" if there are none."""
        return self._handle.text(library.trm_result_messages, 0)

    @property
    def warnings(self):
        return self.summary.get("warnings", [])

    def __str__(self):
        return self._handle.text(library.trm_result_summary).rstrip("\n")

    def _repr_html_(self):
        return preformatted(str(self))


class Findings(Result):
    """findings["rank"] or findings.rank; str(findings) is what the program prints."""

    def __getitem__(self, name):
        return self.summary[name]

    def __getattr__(self, name):
        if name.startswith("_") or name not in self.summary:
            raise AttributeError(f"nothing was found of the name {name!r}; there are: {', '.join(self.summary)}"
                                 if not name.startswith("_") else name)
        return self.summary[name]

    def __iter__(self):
        return iter(self.summary)

    def __dir__(self):
        return [*super().__dir__(), *self.summary]

    def __repr__(self):
        return f"<Findings: {', '.join(self.summary)}>"


class Equilibrium(Findings):
    """As Findings; `state` has the coordinates, velocities and forces by name."""

    def model_text(self, path):
        """The text of a model that includes the one at `path` and starts in the equilibrium."""
        return self._handle.text(library.trm_result_model, str(path).encode())
