#!/bin/sh
# Runs every code block of the documentation; docs.py says how. "docs.sh --update" writes what the program
# prints now into the console blocks.
exec python3 "$(dirname "$0")/docs.py" "$@"
