#!/bin/sh
# Leads a robot from URDF to its page; robots.py says how.
exec python3 -B "$(dirname "$0")/robots.py"
