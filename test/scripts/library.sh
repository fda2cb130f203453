#!/bin/sh
# The library as it is installed: it offers trm_* and no other name, and a host whose own functions have the names of
# ours, all of them, links it and gets right results. With what pkg-config says, and with the shared library if it is
# built.
set -eu
: "${BUILD_DIR:?is the folder of the build}" "${CC:=cc}" "${HOST_FLAGS=}" "${CMAKE:=cmake}" "${LIBDIR:=lib}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
    echo "FAILED: $1" >&2
    exit 1
}

"$CMAKE" --install "$BUILD_DIR" --prefix "$folder/usr" >"$folder/log" || fail "$(cat "$folder/log")"
archive=$folder/usr/$LIBDIR/libtrammel.a
nm -g --defined-only "$archive" | awk 'NF == 3 && $3 !~ /^trm_/ { print $3 }' >"$folder/others"
[ -s "$folder/others" ] && fail "other names than trm_*: $(head -n 5 "$folder/others")"
echo "$(nm -g --defined-only "$archive" | grep -c ' trm_') names, all trm_*"

# every name that the library has inside; those of the compiler begin with an underscore
nm -g --defined-only "$BUILD_DIR/libtrammel-inside.a" |
    awk 'NF == 3 && $3 ~ /^[a-z]/ && $3 !~ /^trm_/ && !seen[$3]++ { print "void " $3 "(void) { abort(); }" }' >"$folder/names"
[ "$(wc -l <"$folder/names")" -gt 300 ] || fail "only $(wc -l <"$folder/names") names inside"

{
    echo '#include <stdlib.h>'
    cat "$folder/names"
    cat <<'END'
#include <stdio.h>
#include <string.h>
#include <trammel/trammel.h>
int main(void) {
    static const char pendulum[] = "coord x, y\ninitial x = 1, y = 0\nkinetic x'^2 + y'^2\npotential 2*9.81*y\n"
                                   "constraint rod: x^2 + y^2 = 1\nsimulate until 1\n"
                                   "expect always abs(energy - start(energy)) < 1e-6\n";
    trm_model *m = NULL;
    trm_system *s = NULL;
    trm_state *st = NULL;
    trm_result *r = NULL;
    double q[] = {0, -1}, v[] = {2, 0}, qdd[2];
    trm_run_def def = trm_run_def_default();
    if (trm_model_read_text("a.tram", pendulum, NULL, 0, &m) || trm_run(m, &def, &r))
        return puts(r ? trm_result_messages(r, 0) : trm_model_messages(m, 0)), 1;
    if (strstr(trm_result_json(r), "\"final\"") == NULL || trm_system_create(m, &s) || trm_state_create(s, &st) ||
        trm_acceleration(s, st, 0, q, v, qdd, NULL, NULL) || qdd[1] < 3.999 || qdd[1] > 4.001)
        return 2;
    trm_result_free(r);
    trm_state_free(st);
    trm_system_free(s);
    trm_model_free(m);
    return 0;
}
END
} >"$folder/host.c"

PKG_CONFIG_PATH=$folder/usr/$LIBDIR/pkgconfig
export PKG_CONFIG_PATH
if command -v pkg-config >/dev/null; then
    flags=$(pkg-config --cflags trammel) libraries=$(pkg-config --static --libs trammel)
else
    flags=-I$folder/usr/include libraries="-L$folder/usr/$LIBDIR -ltrammel -lm -ldl -pthread"
fi
build() { # NAME FLAGS...
    name=$1
    shift
    # shellcheck disable=SC2086
    "$CC" -w -fno-builtin $HOST_FLAGS $flags "$folder/host.c" -o "$folder/$name" "$@" >"$folder/log" 2>&1 ||
        fail "the $name host is not linked: $(tail -n 5 "$folder/log")"
}

# shellcheck disable=SC2086
build static -Wl,-Bstatic ${libraries%%-ltrammel*} -ltrammel -Wl,-Bdynamic ${libraries##*-ltrammel}
"$folder/static" || fail "the static host ends with $?"
echo "a host with $(wc -l <"$folder/names") functions of our names links the archive and runs"
if [ -e "$folder/usr/$LIBDIR/libtrammel.so" ]; then
    # shellcheck disable=SC2086
    build shared $libraries "-Wl,-rpath,$folder/usr/$LIBDIR"
    "$folder/shared" || fail "the shared host ends with $?"
    echo "and the shared library"
fi
