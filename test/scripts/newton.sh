#!/bin/sh
# Newton's and Euler's equations as printed, against runs; newton.py says how.
exec python3 -B "$(dirname "$0")/newton.py"
