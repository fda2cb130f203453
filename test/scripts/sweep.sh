#!/bin/sh
# trammel sweep from outside; sweep.py says what is tried. By a Python that has SciPy, h5py and pandas, if there is one.
for python in python3 /usr/bin/python3; do
    "$python" -c 'import numpy, scipy, h5py, pandas' 2>/dev/null && exec "$python" -B "$(dirname "$0")/sweep.py"
done
exec python3 -B "$(dirname "$0")/sweep.py"
