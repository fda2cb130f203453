#!/bin/sh
# Rewrites the constraints of shipped models and compares; invariance.py says how.
exec python3 "$(dirname "$0")/invariance.py"
