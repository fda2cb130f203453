#!/bin/sh
# Assembles closed mechanisms from rough guesses; rough-guesses.py says how.
exec python3 "$(dirname "$0")/rough-guesses.py"
