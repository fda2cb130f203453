#!/bin/sh
# The server of `trammel view`; view.py says what is tried.
exec python3 "$(dirname "$0")/view.py"
