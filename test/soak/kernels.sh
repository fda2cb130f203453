#!/bin/sh
# Models by integrators, kernels and compilers; kernels.py says how. scripts/soak builds the programs.
exec python3 -B "$(dirname "$0")/kernels.py" "$SOURCE_DIR/build-soak-gcc/trammel" "$SOURCE_DIR/build-soak-clang/trammel"
