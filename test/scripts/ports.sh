#!/bin/sh
# Holds linear systems with inputs and outputs against SciPy, closed forms and runs; ports.py says how.
# Debian's Python has Debian's SciPy; the first one in the path may be another.
for python in python3 /usr/bin/python3; do
    "$python" -c "import scipy" 2>/dev/null && exec "$python" -B "$(dirname "$0")/ports.py"
done
exec python3 -B "$(dirname "$0")/ports.py"
