#!/bin/sh
# Runs every shipped model; classics.py says how.
exec python3 -B "$(dirname "$0")/classics.py"
