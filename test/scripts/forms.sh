#!/bin/sh
# Models with bodies in the coordinates of joints and of bodies; forms.py says what is compared.
exec python3 "$(dirname "$0")/forms.py" "$@"
