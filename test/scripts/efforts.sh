#!/bin/sh
# Forces that are built on energies and constraint forces; efforts.py says what they are compared with.
exec python3 -B "$(dirname "$0")/efforts.py"
