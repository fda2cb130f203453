#!/bin/sh
# Imports robots, and files that are none; import.py says what is tried.
exec python3 "$(dirname "$0")/import.py"
