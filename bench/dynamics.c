/* What the kernels of the dynamics cost on mechanisms of bodies and joints, in the coordinates of their
 * joints: operations of one evaluation, the solution included, ns, ns per operation. Processor time, the
 * smallest of several runs. Starts in the clone, as tests do. */
#include "base/file.h"
#include "mech/tree/tree.h"
#include "motion/assemble.h"
#include "solve/solve.h"
#include "system/state_inside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <trammel/trammel.h>

enum { REPEATS = 9 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const source *import(arena *a, const char *path) {
    trm_import_def def = trm_import_def_default();
    trm_import *made = NULL;
    source *s = NULL;
    if (trm_import_read(path, &def, &made) == TRM_OK) {
        const char *text = trm_import_text(made);
        s = arena_alloc(a, sizeof *s);
        *s = (source){path, arena_copy(a, text, strlen(text)), (int)strlen(text)};
    }
    trm_import_free(made);
    return s;
}

// the fastest of several runs, at the start
static double seconds(const trm_system *sys, trm_state *st) {
    const stage *s = &sys->stages[STAGE_DYNAMICS];
    int rounds = 1 + 2000000 / (s->operations + 1);
    double best = INFINITY;
    for (int i = 0; i < sys->n; i++) {
        st->x[sys->x_q + i] = sys->model->position.at[i].value;
        st->x[sys->x_v + i] = cos(2.0 + 5.1 * i);
    }
    for (int r = 0; r < REPEATS; r++) {
        double start = now();
        for (int i = 0; i < rounds; i++)
            stage_run(s, st->x, st->y[STAGE_DYNAMICS], st->work[STAGE_DYNAMICS], NULL);
        best = fmin(best, (now() - start) / rounds);
    }
    return best;
}

// the tree form, at its assembled start; NULL if there is none
static trm_system *tree_of(arena *a, model *m) {
    const mech *derived = m && m->diags.errors == 0 ? mech_derive(a, m) : NULL;
    trm_system *full = derived ? system_new(a, m, derived, EVALUATE_ASSEMBLED, 0, 0) : NULL;
    start_state start;
    failure why = {0};
    const char *reason;
    mech_tree *tree = full ? mech_tree_new(a, derived, &reason) : NULL;
    if (tree == NULL || !assemble(a, full, solve_new_state(a, full), 0, 1e-9, &start, &why))
        return NULL;
    mech_tree_derive(tree, start.q, start.v);
    return system_new_tree(a, tree, full, EVALUATE_AUTO);
}

static void measure(const char *name, const char *path, const char *N) {
    arena *a = arena_new(0);
    const char *why = NULL;
    const model_setting setting = {"N", N};
    const source *s = strstr(path, ".urdf") ? import(a, path) : file_read(a, path, &why);
    model *m = s ? mech_read(a, s, &setting, N != NULL) : NULL;
    trm_system *sys = tree_of(a, m);
    if (sys) {
        double taken = 1e9 * seconds(sys, solve_new_state(a, sys));
        int operations = sys->stages[STAGE_DYNAMICS].operations;
        printf("%-24s %12d %8d %10.0f %10.3f\n", name, sys->n, operations, taken, taken / operations);
    } else {
        printf("%-24s cannot be read\n", name);
    }
    arena_free(a);
}

int main(void) {
    static const char *const chains[] = {"2", "7", "12", "30", "100"};
    printf("dynamics: %-14s %12s %8s %10s %10s\n", "kernels of", "coordinates", "ops", "ns", "ns per op");
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        char name[32];
        snprintf(name, sizeof name, "chain, N = %s", chains[i]);
        measure(name, "bench/models/spatial-chain.tram", chains[i]);
    }
    measure("arm", "bench/models/arm.urdf", NULL);
    measure("platform", "bench/models/platform.tram", NULL);
    return 0;
}
