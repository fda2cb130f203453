#!/bin/sh
# Equations of the shipped models in MathML; mathml.py says how.
exec python3 -B "$(dirname "$0")/mathml.py"
