#!/bin/sh
# From nothing, by each compiler, with all that is optional: the same sources give the same program, byte by byte; a
# second build has nothing to do; what is installed runs. Surroundings: SOURCE_DIR, the clone.
work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
for compiler in gcc clang; do
    command -v $compiler >/dev/null || { echo "  $compiler is not here" && continue; }
    for build in one two; do
        cmake -S "$SOURCE_DIR" -B "$work/$build" -G Ninja -DCMAKE_C_COMPILER=$compiler -DTRAMMEL_SHARED=ON -DTRAMMEL_WERROR=ON \
            -DTRAMMEL_BENCH=ON >/dev/null && cmake --build "$work/$build" --target product >"$work/log" || { cat "$work/log"; exit 1; }
    done
    cmp "$work/one/trammel" "$work/two/trammel" || exit
    cmake --build "$work/two" --target product | grep -q 'no work to do' || { echo "  $compiler: the second build does something"; exit 1; }
    cmake --install "$work/one" --prefix "$work/installed" >/dev/null || exit
    "$work/installed/bin/trammel" run "$SOURCE_DIR/models/classics/pendulum.tram" --quiet >/dev/null || exit
    echo "  $compiler: the same program twice, installed and run"
    rm -rf "$work/one" "$work/two" "$work/installed"
done
