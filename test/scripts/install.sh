#!/bin/sh
# What "make install" puts in place, and that a program finds it by every way: pkg-config with the shared and the static
# library, find_package, and as a part of another project. The wheel of make python, twice the same bytes, is installed into
# a fresh environment. The header is C99, and C++ where there is a compiler.
set -eu
: "${BUILD_DIR:?is the folder of the build}" "${SOURCE_DIR:?}" "${CC:=cc}" "${HOST_FLAGS=}" "${CMAKE:=cmake}" "${LIBDIR:=lib}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
    echo "FAILED: $1" >&2
    exit 1
}
quietly() { # COMMAND...
    "$@" >"$folder/log" 2>&1 || fail "$*: $(tail -n 5 "$folder/log")"
}

DESTDIR=$folder/root quietly "$CMAKE" --install "$BUILD_DIR" --prefix /opt/t
usr=$folder/root/opt/t
(cd "$usr" && find . -type f -o -type l) | sed "s,^\./,,; s,$LIBDIR/,LIB/," | sort >"$folder/found"
sort >"$folder/expected" <<'END'
LIB/cmake/trammel/trammelConfig.cmake
LIB/cmake/trammel/trammelConfigVersion.cmake
LIB/cmake/trammel/trammelTargets.cmake
LIB/libtrammel.a
LIB/libtrammel.so
LIB/libtrammel.so.0.1
LIB/libtrammel.so.0.1.0
LIB/pkgconfig/trammel.pc
bin/trammel
include/trammel/trammel.h
share/bash-completion/completions/trammel
share/fish/vendor_completions.d/trammel.fish
share/man/man1/trammel.1
share/zsh/site-functions/_trammel
END
grep -v 'trammelTargets-[a-z]*.cmake' "$folder/found" | diff "$folder/expected" - >&2 || fail "other files are installed"
echo "$(wc -l <"$folder/expected") files are in place"

cat >"$folder/host.c" <<'END'
#include <trammel/trammel.h>
#include <string.h>
int main(void) {
    trm_model *m = NULL;
    trm_result *r = NULL;
    trm_run_def def = trm_run_def_default();
    int status = trm_model_read_text("a", "coord x\nkinetic x'^2/2\nsimulate until 1\n", NULL, 0, &m);
    if (status == TRM_OK)
        status = trm_run(m, &def, &r);
    if (status == TRM_OK && strchr(trm_version(), '.') == NULL)
        status = 1;
    trm_result_free(r);
    trm_model_free(m);
    return status;
}
END
# shellcheck disable=SC2086
quietly "$CC" -std=c99 -pedantic -Wall -Wextra -Werror -fsyntax-only "-I$usr/include" "$folder/host.c"
if command -v c++ >/dev/null; then
    quietly c++ -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only -x c++ "-I$usr/include" "$folder/host.c"
fi

run() { # NAME
    LD_LIBRARY_PATH=$usr/$LIBDIR "$folder/$1" || fail "the program by $1 ends with $?"
    echo "a program by $1 runs"
}
if command -v pkg-config >/dev/null; then
    PKG_CONFIG_PATH=$usr/$LIBDIR/pkgconfig
    export PKG_CONFIG_PATH
    # shellcheck disable=SC2046,SC2086
    quietly "$CC" $HOST_FLAGS "$folder/host.c" -o "$folder/pkg-config" $(pkg-config --cflags --libs trammel)
    run pkg-config
    rm "$usr/$LIBDIR/libtrammel.so" # so that the archive is what is found
    # shellcheck disable=SC2046,SC2086
    quietly "$CC" $HOST_FLAGS "$folder/host.c" -o "$folder/pkg-config-static" $(pkg-config --cflags --static --libs trammel)
    run pkg-config-static
    ln -s libtrammel.so.0.1 "$usr/$LIBDIR/libtrammel.so"
fi

project() { # NAME HOW-TO-FIND TARGET
    mkdir "$folder/of-$1"
    cp "$folder/host.c" "$folder/of-$1"
    printf 'cmake_minimum_required(VERSION 3.21)\nproject(host C)\n%s\nadd_executable(host host.c)\ntarget_link_libraries(host %s)\n' \
        "$2" "$3" >"$folder/of-$1/CMakeLists.txt"
    quietly "$CMAKE" -S "$folder/of-$1" -B "$folder/of-$1/build" "-DCMAKE_C_FLAGS=$HOST_FLAGS" "-DCMAKE_PREFIX_PATH=$usr" \
        "-DCMAKE_C_COMPILER=$CC" -DCMAKE_BUILD_TYPE=Release
    [ "$1" = add_subdirectory ] && return
    quietly "$CMAKE" --build "$folder/of-$1/build"
    cp "$folder/of-$1/build/host" "$folder/$1"
    run "$1"
}
project find_package "find_package(trammel 0.1 REQUIRED)" trammel::trammel
project find_package_static "find_package(trammel 0.1 REQUIRED)" trammel::static
# configured only: it would be compiled once more
project add_subdirectory "add_subdirectory(\"$SOURCE_DIR\" trammel)" trammel::trammel
[ -f "$folder/of-add_subdirectory/build/cmake_install.cmake" ] && echo "and it is part of another project"
if grep -q trammel.h "$folder/of-add_subdirectory/build/trammel/cmake_install.cmake"; then
    fail "as a part of another project it installs itself"
fi
sed 's/0.1 REQUIRED/0.2 REQUIRED/' "$folder/of-find_package/CMakeLists.txt" >"$folder/other" && mv "$folder/other" "$folder/of-find_package/CMakeLists.txt"
if "$CMAKE" -S "$folder/of-find_package" -B "$folder/of-find_package/build" >"$folder/log" 2>&1; then
    fail "another version was taken"
fi
grep -q 'trammelConfig.cmake, version: 0.1' "$folder/log" || fail "another version is not named: $(cat "$folder/log")"
echo "another version is refused"

# the wheel: Debian's Python has what a wheel needs beside it; the first one in the path may be another
case $HOST_FLAGS in *sanitize*) exit 0 ;; esac # Python would need the sanitizer before the library
for python in python3 /usr/bin/python3; do
    "$python" -c "import numpy, ensurepip" 2>/dev/null || continue
    mkdir "$folder/wheel" "$folder/elsewhere"
    cp -L "$BUILD_DIR/libtrammel.so.0.1" "$folder/wheel"
    cp -L "$BUILD_DIR/libtrammel.so.0.1" "$folder/elsewhere"
    quietly "$python" "$SOURCE_DIR/scripts/wheel" "$folder/wheel"
    quietly env TZ=Asia/Kolkata LC_ALL=C "$python" "$SOURCE_DIR/scripts/wheel" "$folder/elsewhere"
    cmp "$folder"/wheel/*.whl "$folder"/elsewhere/*.whl || fail "a wheel that is made again is another"
    quietly "$python" -m venv --system-site-packages "$folder/venv"
    quietly "$folder/venv/bin/pip" install --no-index --no-deps "$folder"/wheel/*.whl
    cat >"$folder/host.py" <<'END'
import trammel
run = trammel.Model("coord x\ninitial x = 1\nkinetic x'^2/2\npotential x^2/2\nsimulate until pi\n").run()
assert abs(run["x"][-1] + 1) < 1e-6 and "venv" in trammel.__file__
END
    quietly "$folder/venv/bin/python" -I "$folder/host.py"
    quietly "$folder/venv/bin/pip" uninstall -y trammel
    [ -z "$(find "$folder/venv" -path '*trammel*')" ] || fail "pip uninstall leaves files"
    echo "a wheel is installed, runs, and is removed"
    exit 0
done
echo "no Python here has NumPy and pip: the wheel is not tried"
