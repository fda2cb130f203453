#!/bin/sh
# Whole motions with other choices of what the papers leave open; choices.py says how.
exec python3 -B "$(dirname "$0")/choices.py"
