#!/bin/sh
# The same mechanisms in random units; units.py says how.
exec python3 "$(dirname "$0")/units.py"
