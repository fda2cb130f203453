#!/bin/sh
# Files that the program writes, and what signals leave of them; files.py says what is tried.
exec python3 "$(dirname "$0")/files.py"
