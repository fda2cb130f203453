#!/bin/sh
# The interface of the library: it is the one described in scripts/trammel.abi; a change would be noticed; every function of
# the header is in docs/c-api.md, in its tables and in a program there; and a C++ program uses it.
set -eu
: "${SOURCE_DIR:?is the clone}" "${BUILD_DIR:?is the folder of the build}" "${HOST_FLAGS=}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$SOURCE_DIR"
fail() {
    echo "FAILED: $1" >&2
    exit 1
}

header=include/trammel/trammel.h page=docs/c-api.md
sed 's,//.*,,' "$header" | grep -oE '\btrm_[a-z_0-9]+\(' | tr -d '(' | sort -u >"$folder/functions"
[ "$(wc -l <"$folder/functions")" -gt 80 ] || fail "only $(wc -l <"$folder/functions") functions in the header"
while read -r name; do
    grep -q "^|.*\`$name\`" "$page" || fail "$page has no $name in its tables"
    grep -q "^[^|]*\b$name(" "$page" || fail "$page has no program with $name"
done <"$folder/functions"
grep -oE '\btrm_[a-z_0-9]+\(' "$page" | tr -d '(' | sort -u | comm -13 "$folder/functions" - >"$folder/others"
[ -s "$folder/others" ] && fail "$page has functions that are not there: $(cat "$folder/others")"
echo "$page has all $(wc -l <"$folder/functions") functions"

scripts/abi
if command -v abidw >/dev/null; then
    mkdir "$folder/scripts" "$folder/src"
    cp -r include "$folder"
    ln -s "$SOURCE_DIR"/src/* "$folder/src"
    cp scripts/abi scripts/trammel.abi "$folder/scripts"
    sed -i 's/int free_base;/long free_base;/' "$folder/$header"
    "$folder/scripts/abi" >"$folder/log" 2>&1 && fail "another type in a struct is not noticed"
    grep -q "type of 'int free_base' changed" "$folder/log" || fail "it is not told what changed: $(cat "$folder/log")"
    echo "a change is noticed"
fi

if command -v c++ >/dev/null; then
    cat >"$folder/host.cpp" <<'CPP'
#include <cmath>
#include <memory>
#include <string>
#include <trammel/trammel.h>
#include <vector>

struct freed {
    void operator()(trm_model *m) const { trm_model_free(m); }
    void operator()(trm_system *s) const { trm_system_free(s); }
    void operator()(trm_state *s) const { trm_state_free(s); }
    void operator()(trm_result *r) const { trm_result_free(r); }
};
template <class T> using owned = std::unique_ptr<T, freed>;

int main() {
    trm_model *made = nullptr;
    trm_system *compiled = nullptr;
    trm_state *fresh = nullptr;
    trm_result *found = nullptr;
    const std::string text = "coord x\ninitial x = 1\nkinetic x'^2/2\npotential x^2/2\nsimulate until 1\n";
    int seen = 0;
    if (trm_model_read_text("a", text.c_str(), nullptr, 0, &made) != TRM_OK)
        return 1;
    owned<trm_model> model(made);
    trm_run_def def = trm_run_def_default();
    def.sample_context = &seen;
    def.sample = [](void *context, const double *, int) -> int { return ++*static_cast<int *>(context) > 5000; };
    trm_status status = trm_run(made, &def, &found);
    owned<trm_result> result(found);
    if (status != TRM_OK || seen != trm_result_samples(found) || trm_system_create(made, &compiled) != TRM_OK)
        return 2;
    owned<trm_system> system(compiled);
    if (trm_state_create(compiled, &fresh) != TRM_OK)
        return 3;
    owned<trm_state> state(fresh);
    std::vector<double> q{2}, v{0}, a(1), M(1);
    status = trm_acceleration(compiled, fresh, 0, q.data(), v.data(), a.data(), nullptr, nullptr);
    if (status != TRM_OK || trm_state_matrix(compiled, fresh, TRM_M, M.data()) != TRM_OK)
        return 4;
    return std::fabs(a[0] + 2) < 1e-12 && M[0] == 1 ? 0 : 5;
}
CPP
    # shellcheck disable=SC2086
    c++ -std=c++11 -pedantic -Wall -Wextra -Werror $HOST_FLAGS -Iinclude "$folder/host.cpp" "$BUILD_DIR/libtrammel.a" \
        -lm -ldl -pthread -o "$folder/host"
    "$folder/host" || fail "the C++ program ends with $?"
    echo "a C++ program runs"
fi
