"""The linear system about a state: x' = A x + B u, y = C x + D u, with eigenvalues and modes."""
from .findings import Findings


class Linear(Findings):
    """states, inputs, outputs: names; A, B, C, D and matrix: arrays, new ones each time. Everything else that the JSON object of
    `trammel linearize` has, by its name."""

    def _array(self, name, rows, columns):
        import numpy
        return numpy.array(self.summary[name], dtype=float).reshape(len(self.summary[rows]), len(self.summary[columns]))

    A = property(lambda self: self._array("A", "states", "states"), doc="(states, states)")
    B = property(lambda self: self._array("B", "states", "inputs"), doc="(states, inputs)")
    C = property(lambda self: self._array("C", "outputs", "states"), doc="(outputs, states)")
    D = property(lambda self: self._array("D", "outputs", "inputs"), doc="(outputs, inputs)")
    matrix = property(lambda self: self._array("matrix", "coordinates", "coordinates"),
                      doc="As A, in the independent coordinates that `coordinates` names.")

    @property
    def eigenvalues(self):
        """Complex, those with the largest real part first."""
        return self._complex([self.summary["eigenvalues"]])[0]

    @property
    def modes(self):
        """(eigenvalues, coordinates): row i is v with matrix v = eigenvalue i v, the largest position 1; NaN where a repeated
        eigenvalue has fewer of them."""
        import math
        none = [[math.nan, math.nan]] * len(self.summary["coordinates"])
        return self._complex([mode or none for mode in self.summary["modes"]])

    @staticmethod
    def _complex(rows):
        import numpy
        pairs = numpy.array(rows, dtype=float)
        return pairs[..., 0] + 1j * pairs[..., 1] if pairs.size else numpy.zeros((len(rows), 0), complex)
