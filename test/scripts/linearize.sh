#!/bin/sh
# Holds linearize against published eigenvalues; linearize.py says how.
exec python3 -B "$(dirname "$0")/linearize.py"
