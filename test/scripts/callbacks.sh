#!/bin/sh
# Holds systems from functions against SciPy on the same M, Q, A, b; callbacks.py says how.
# Debian's Python has Debian's SciPy; the first one in the path may be another. A library with sanitizers needs theirs
# loaded before Python itself, which leaks on purpose.
set -eu
: "${CC:=cc}" "${HOST_FLAGS=}"
case $HOST_FLAGS in
*sanitize*address*)
    TEST_PRELOAD=$("$CC" -print-file-name=libasan.so)
    export ASAN_OPTIONS=detect_leaks=0
    ;;
esac
for python in python3 /usr/bin/python3; do
    "$python" -c "import scipy" 2>/dev/null || continue
    exec env ${TEST_PRELOAD:+"LD_PRELOAD=$TEST_PRELOAD"} "$python" -B "$(dirname "$0")/callbacks.py"
done
exec python3 -B "$(dirname "$0")/callbacks.py"
