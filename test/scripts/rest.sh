#!/bin/sh
# Holds equilibrium against where damped runs end; rest.py says how.
exec python3 -B "$(dirname "$0")/rest.py"
