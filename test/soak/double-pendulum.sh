#!/bin/sh
# The double pendulum for 10 000 s: its motion is chaotic, its rods and its energy are not. What the model expects is
# for its own end.
sed '/expect/,$d' "$SOURCE_DIR/models/classics/double-pendulum.tram" |
    python3 "$(dirname "$0")/soak.py" 1e-7 10000 --every 0.1
