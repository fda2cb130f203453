#!/bin/sh
# Runs every shipped model; classics.py says how.
exec python3 "$(dirname "$0")/classics.py"
