#!/bin/sh
# One test for each case of docs/how-to/hard-cases.md; cases.py says how.
exec python3 -B "$(dirname "$0")/cases.py" "$@"
