#!/bin/sh
# Angles and slides of joints with several freedoms; joints.py says how.
exec python3 -B "$(dirname "$0")/joints.py"
