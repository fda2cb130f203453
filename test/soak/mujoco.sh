#!/bin/sh
# Robots by MuJoCo, if it is here: the same accelerations in the same states; mujoco.py says how.
work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
if ! ${CC:-cc} -O2 "$(dirname "$0")/mujoco.c" -o "$work/mujoco" -lmujoco -lm 2>/dev/null; then
    echo "  left out: there is no MuJoCo (scripts/install-deps bench)"
    exit 0
fi
python3 -B "$(dirname "$0")/mujoco.py" "$work/mujoco" "$@"
