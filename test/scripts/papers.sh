#!/bin/sh
# Runs the papers' examples with every formulation of the papers; papers.py says how.
exec python3 -B "$(dirname "$0")/papers.py"
