#!/bin/sh
# Pictures and pages; pictures.py says what is tried.
exec python3 "$(dirname "$0")/pictures.py"
