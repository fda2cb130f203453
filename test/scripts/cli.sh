#!/bin/sh
# The program from outside; cli.py says what is tried.
exec python3 "$(dirname "$0")/cli.py"
