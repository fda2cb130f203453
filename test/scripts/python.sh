#!/bin/sh
# The package for Python; test/python/all.py says how. Debian's Python has Debian's NumPy; the first one in the path may be
# another. A library with sanitizers needs theirs loaded before Python itself, which leaks on purpose.
set -eu
: "${BUILD_DIR:?is the folder of the build}" "${SOURCE_DIR:?}" "${CC:=cc}" "${HOST_FLAGS=}"
case $HOST_FLAGS in
*sanitize*address*)
    TEST_PRELOAD=$("$CC" -print-file-name=libasan.so)
    export TEST_PRELOAD ASAN_OPTIONS=detect_leaks=0
    ;;
esac
for python in python3 /usr/bin/python3; do
    if "$python" -c "import numpy" 2>/dev/null; then
        exec env ${TEST_PRELOAD:+"LD_PRELOAD=$TEST_PRELOAD"} "$python" -B "$SOURCE_DIR/test/python/all.py"
    fi
done
echo "NumPy is missing: the package for Python is not tested"
