#!/bin/sh
# A chain of 20 particles for 100 s.
sed '/expect/,$d' "$SOURCE_DIR/models/classics/chain.tram" |
    python3 "$(dirname "$0")/soak.py" 1e-6 100 --every 0.01 --set N=20 --tolerance 1e-10
