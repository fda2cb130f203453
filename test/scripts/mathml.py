"""The equations of every shipped model in MathML are well formed.

Surroundings: TRAMMEL, the program; SOURCE_DIR, the clone. Prints "N passed, M failed", exit code 1 on failure.
"""
import os
import pathlib
import subprocess
import sys

from mathml_text import check_mathml
from suite import run_all, test


def of(path):
    def mathml():
        check_mathml(subprocess.run([os.environ["TRAMMEL"], "equations", path, "--mathml"], capture_output=True, text=True,
                                    check=True).stdout)
    mathml.__name__ = path.stem
    return mathml


for path in sorted(pathlib.Path(os.environ["SOURCE_DIR"], "models").rglob("*.tram")):
    test(of(path))
sys.exit(run_all())
