#!/bin/sh
# Runs mechanisms through singular positions, where branches of motion meet; branches.py says how.
exec python3 "$(dirname "$0")/branches.py"
