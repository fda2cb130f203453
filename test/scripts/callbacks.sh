#!/bin/sh
# Holds systems from functions against SciPy on the same M, Q, A, b; callbacks.py says how.
# Debian's Python has Debian's SciPy; the first one in the path may be another.
for python in python3 /usr/bin/python3; do
    "$python" -c "import scipy" 2>/dev/null && exec "$python" -B "$(dirname "$0")/callbacks.py"
done
exec python3 -B "$(dirname "$0")/callbacks.py"
