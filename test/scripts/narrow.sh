#!/bin/sh
# Ten thousand random models with something narrow in them; narrow.py says how.
exec python3 "$(dirname "$0")/narrow.py"
