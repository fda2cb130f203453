#!/bin/sh
# Runs that are ended at random moments; kills.py says how.
exec python3 -B "$(dirname "$0")/kills.py"
