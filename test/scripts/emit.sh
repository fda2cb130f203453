#!/bin/sh
# Compiles and runs what `trammel emit c` writes; emit.py says how.
exec python3 -B "$(dirname "$0")/emit.py"
