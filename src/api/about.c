/* What this build of the library is and has. */
#include <trammel/trammel.h>

#include "base/names.h"
#include "code/native.h"
#include "import/import.h"
#include "motion/integrator.h"
#include "papers/papers.h"

#define AS_TEXT(x)            #x
#define VERSION_TEXT(a, b, c) AS_TEXT(a) "." AS_TEXT(b) "." AS_TEXT(c)

const char *trm_version(void) {
    return VERSION_TEXT(TRM_VERSION_MAJOR, TRM_VERSION_MINOR, TRM_VERSION_PATCH);
}

const char *trm_parts(void) {
    static const char *const parts[2][2] = {
        {"none", "import (libxml2)"}, {"bdf, adams (SUNDIALS)", "bdf, adams (SUNDIALS), import (libxml2)"}};
    const char *hint;
    return parts[integrator_bdf.missing(&hint) == NULL][import_missing(&hint) == NULL];
}

const char *trm_kernels(void) {
    static const char *const up_to[PATHS] = {
        [PATH_TAPE] = "tape",
        [PATH_SCALAR] = "tape, scalar",
        [PATH_AVX2] = "tape, scalar, avx2",
        [PATH_AVX512] = "tape, scalar, avx2, avx512",
    };
    return up_to[native_allowed() ? native_best() : PATH_TAPE];
}

const char *trm_kernel(void) {
    return native_name(native_allowed() ? native_chosen() : PATH_TAPE);
}

const char *trm_closest(const char *word, const char *const *among, int count) {
    name_guess best = {0};
    for (int i = 0; i < count; i++)
        names_offer(&best, word, among[i]);
    return best.text;
}

trm_choice trm_integrator_at(int i) {
    bool there = i >= 0 && i < INTEGRATORS;
    return there ? (trm_choice){integrators[i]->name, integrators[i]->about} : (trm_choice){0};
}

trm_choice trm_coordinates_at(int i) {
    static const trm_choice choices[] = {{"auto", "joints where that is faster"},
                                         {"joints", "angles and slides of joints"},
                                         {"bodies", "positions and rotations of bodies"}};
    return i >= 0 && i < 3 ? choices[i] : (trm_choice){0};
}

trm_choice trm_formulation_at(int i) {
    if (i == 0)
        return (trm_choice){"default", "one factorisation, chosen for the system; the fastest"};
    bool there = i > 0 && i <= FORMULATIONS;
    return there ? (trm_choice){formulations[i - 1]->name, formulations[i - 1]->about} : (trm_choice){0};
}

trm_choice trm_paper_choice_at(int i) {
    bool there = i >= 0 && i < OPEN_CHOICES;
    return there ? (trm_choice){open_choices[i].name, open_choices[i].about} : (trm_choice){0};
}

const char *trm_paper_choice_formulation(int i) {
    return i >= 0 && i < OPEN_CHOICES ? open_choices[i].of->name : NULL;
}
