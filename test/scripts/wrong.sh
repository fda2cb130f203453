#!/bin/sh
# What the program says of wrong models, test/lang/wrong/*.txt; wrong.py says how.
exec python3 -B "$(dirname "$0")/wrong.py" "$@"
