#!/bin/sh
# Holds equilibrium against closed forms; equilibrium.py says how.
exec python3 -B "$(dirname "$0")/equilibrium.py"
