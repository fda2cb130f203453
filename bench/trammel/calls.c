/* What bench/python.py asks of the package, from C: the least time in seconds of each.
 *
 *     calls MODEL ROUNDS
 *
 * Prints {"run": one run that keeps its columns, "one": one acceleration, "many": a thousand at once}. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <trammel/trammel.h>

enum { MANY = 1000, N_MAX = 64 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double least(double found, double before) {
    return found < before ? found : before;
}

static double time_run(trm_model *m) {
    double start = now();
    trm_run_def def = trm_run_def_default();
    trm_result *r = NULL;
    def.keep = TRM_KEEP_COLUMNS;
    if (trm_run(m, &def, &r) != TRM_OK || trm_result_column(r, 1) == NULL)
        exit(2);
    trm_result_free(r);
    return now() - start;
}

static double time_one(const trm_system *s, trm_state *st, const double *q, const double *v, double *a) {
    double start = now();
    for (int i = 0; i < MANY; i++)
        if (trm_acceleration(s, st, 0, q, v, a, NULL, NULL) != TRM_OK)
            exit(2);
    return (now() - start) / MANY;
}

static double time_many(const trm_system *s, trm_state *st, int n, const double *q, const double *v) {
    static double t[MANY], qs[MANY * N_MAX], vs[MANY * N_MAX], a[MANY * N_MAX];
    for (int i = 0; i < MANY * n; i++) {
        qs[i] = q[i % n];
        vs[i] = v[i % n];
    }
    double start = now();
    if (trm_accelerations(s, st, MANY, t, qs, vs, a, NULL, NULL) != TRM_OK)
        exit(2);
    return now() - start;
}

int main(int argc, char **argv) {
    trm_model *m = NULL;
    trm_system *s = NULL;
    trm_state *st = NULL;
    trm_session *start = NULL;
    double run = 1e9, one = 1e9, many = 1e9, a[N_MAX];
    if (argc != 3 || trm_model_read(argv[1], NULL, 0, &m) || trm_system_create(m, &s) ||
        trm_state_create(s, &st) || trm_session_create(m, NULL, &start))
        return 2;
    int n = trm_system_coordinates(s);
    const double *q = trm_session_values(start) + 1, *v = q + n;
    if (n > N_MAX)
        return 2;
    for (int i = atoi(argv[2]); i > 0; i--) {
        run = least(time_run(m), run);
        one = least(time_one(s, st, q, v, a), one);
        many = least(time_many(s, st, n, q, v), many);
    }
    printf("{\"run\": %.9g, \"one\": %.9g, \"many\": %.9g}\n", run, one, many);
    trm_session_free(start);
    trm_state_free(st);
    trm_system_free(s);
    trm_model_free(m);
    return 0;
}
