#!/bin/sh
# The engine of the page in node; wasm.py says how.
exec python3 -B "$(dirname "$0")/wasm.py" "$@"
