#!/bin/sh
# Sweeps that are killed at random moments, in threads and in three processes; sweeps.py says how.
exec python3 -B "$(dirname "$0")/sweeps.py"
