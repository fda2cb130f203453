#!/bin/sh
# Pictures of scenes, still and moving; scenes.py says what is tried.
exec python3 -B "$(dirname "$0")/scenes.py"
