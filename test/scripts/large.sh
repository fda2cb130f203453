#!/bin/sh
# Systems whose full matrices would not fit, by what is made for stiff or small ones; large.py says how.
exec python3 "$(dirname "$0")/large.py"
