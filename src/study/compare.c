/* The comparison itself. The certificate: 000 eqs. 3.36 to 3.42 and corollary 3.1 (the Gaussian), 002 lemma 1
 * (the rank of [M; A]). */
#include "study/compare.h"

#include "linear/linalg.h"
#include "solve/friction.h"
#include "system/natural.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { TRIES = 8 }; // other accelerations at each state

typedef struct {
    arena *arena;
    const trm_system *sys;
    comparison *c;
    matrices w; // for all formulations, and for the certificate
    unsigned seed;
    const trm_state *run; // along which it is compared, NULL at the start
} comparing;

// ---- differences

// in natural units: of a coordinate, of its acceleration; of a force, which is energy by coordinate, 1 over
// that
static double unit_of(const comparing *k, int i) {
    return k->sys->natural->units ? k->sys->natural->units[i] : 1;
}

static double length_of(const comparing *k, const double *x, const double *less, bool force) {
    double sum = 0;
    for (int i = 0; i < k->sys->n; i++) {
        double part = (x[i] - (less ? less[i] : 0)) * (force ? unit_of(k, i) : 1 / unit_of(k, i));
        sum += part * part;
    }
    return sqrt(sum);
}

static void note(difference *d, double size, int one, int other, double t) {
    if (size > d->size)
        *d = (difference){size, t, one, other};
}

// what accelerations and forces are compared with: where all vanish, the forces at hand tell what is small
static void sizes(const comparing *k, double *acceleration, double *force) {
    const trm_state *st = k->c->each[0].st;
    const state_found *found = state_look(st);
    *acceleration = solve_usual_acceleration(k->sys, st);
    *force = length_of(k, found->reaction, NULL, true) + length_of(k, found->Q, NULL, true);
}

static void compare_all(comparing *k, double t) {
    comparison *c = k->c;
    double acceleration, force;
    sizes(k, &acceleration, &force);
    for (int i = 0; i < COMPARED; i++)
        for (int j = 0; j < i; j++) {
            const state_found *one = state_look(c->each[j].st), *other = state_look(c->each[i].st);
            if (!c->each[i].solved || !c->each[j].solved)
                continue;
            if (acceleration > 0)
                note(&c->acceleration, length_of(k, one->qdd, other->qdd, false) / acceleration, j, i, t);
            if (force > 0)
                note(&c->force, length_of(k, one->reaction, other->reaction, true) / force, j, i, t);
        }
}

// ---- what is left open

static void note_choice(choice_difference *d, double size, const formulation *of, const char *choice) {
    if (size > d->size || d->of == NULL)
        *d = (choice_difference){size, of, choice};
}

// one formulation with another choice, against what it gave with that of the comparison
static void try_choice(comparing *k, const compared *one, const paper_choice *choice, const char *name,
                       double t, const double *q, const double *v) {
    freedom *f = &k->c->freedom;
    const state_found *found = state_look(one->st);
    double acceleration, force;
    sizes(k, &acceleration, &force);
    solve_choose(one->st, choice);
    bool solved = solve_acceleration(k->sys, one->st, t, q, v).status == SOLVE_OK;
    if (solved)
        solve_forces(k->sys, one->st);
    f->tried++;
    if (acceleration > 0 || !solved)
        note_choice(&f->acceleration,
                    solved ? length_of(k, found->qdd, one->qdd, false) / acceleration : INFINITY, one->by,
                    name);
    if (force > 0 || !solved)
        note_choice(&f->force, solved ? length_of(k, found->reaction, one->force, true) / force : INFINITY,
                    one->by, name);
}

static bool is_chosen(const comparison *c, const formulation *of) {
    for (int i = 0; i < c->chosen->count; i++)
        if (c->chosen->given[i].what->of == of)
            return true;
    return false;
}

static void try_choices(comparing *k, double t, const double *q, const double *v) {
    comparison *c = k->c;
    for (int i = 1; i < COMPARED; i++) {
        const compared *one = &c->each[i];
        if (!one->solved)
            continue;
        if (is_chosen(c, one->by))
            try_choice(k, one, NULL, "its own", t, q, v);
        for (int j = 0; j < CHOICE_TRIALS; j++)
            if (choice_trials[j].of == one->by)
                try_choice(k, one, &choice_trials[j].choice, choice_trials[j].text, t, q, v);
        solve_choose(one->st, &c->chosen->choice);
    }
}

// ---- multipliers, and Gibbs and Appell's equation

static void find_multipliers(comparing *k) {
    const trm_system *sys = k->sys;
    trm_state *st = k->c->each[0].st;
    multipliers *f = &k->c->multipliers;
    f->least = arena_doubles(k->arena, (size_t)sys->m);
    f->none = arena_array(k->arena, bool, sys->m + 1);
    f->rows = solve_dependence(k->arena, sys, st);
    for (int i = 0; i < sys->m; i++) {
        f->least[i] = state_look(st)->multiplier[i];
        f->none[i] = sys->rows[i].weighted || state_idle(st, i);
        f->dimension += !f->none[i] && !f->rows->kept[i];
    }
}

static void find_gibbs(comparing *k) {
    size_t n = (size_t)k->sys->n;
    for (int i = 1; i < COMPARED; i++) {
        const compared *one = &k->c->each[i];
        if (one->by != &paper_gibbs_appell || !one->solved)
            continue;
        gibbs found = {.order = arena_array(k->arena, int, n),
                       .slope = arena_doubles(k->arena, n),
                       .force = arena_doubles(k->arena, n)};
        if (solve_gibbs(k->sys, one->st, &found))
            k->c->gibbs = found;
    }
}

// ---- the certificate

static double any_number(comparing *k) { // in -1 .. 1, the same in every run
    k->seed = k->seed * 1664525u + 1013904223u;
    return (double)(k->seed >> 8) / (1 << 23) - 1;
}

static void check_constraints(comparing *k, const trm_state *st) {
    const trm_system *sys = k->sys;
    const state_found *found = state_look(st);
    double size = solve_usual_acceleration(sys, st);
    for (int row = 0; row < sys->m; row++) {
        if (sys->rows[row].weighted || state_idle(st, row))
            continue;
        double off = fabs(row_dot(sys->A, found->A, row, found->qdd) - found->b[row]);
        double scale = natural_length(sys, sys->A, found->A, row) * size + fabs(found->b[row]);
        if (scale > 0)
            k->c->certificate.constraints = fmax(k->c->certificate.constraints, off / scale);
    }
}

// M q'' - Q - C does no work under any displacement u, in natural units, so that the Gaussian of q'' + u is
// larger by u'M u
static void check_gaussian(comparing *k, const double *M, const double *rest, const double *u) {
    certificate *s = &k->c->certificate;
    int n = k->sys->n;
    double rise = 0;
    for (int i = 0; i < n; i++)
        for (int e = k->sys->M.start[i]; e < k->sys->M.start[i + 1]; e++) {
            int j = k->sys->M.to[e];
            rise += u[i] * unit_of(k, i) * M[e] * unit_of(k, j) * u[j];
        }
    s->others++;
    if (rise > 0)
        s->gaussian = fmax(s->gaussian, fabs(2 * linalg_dot(u, rest, n)) / rise);
}

static void certify(comparing *k) {
    const trm_system *sys = k->sys;
    const trm_state *st = k->c->each[0].st;
    const state_found *found = state_look(st);
    certificate *s = &k->c->certificate;
    int n = sys->n;
    check_constraints(k, st);
    matrices_reset(&k->w);
    mat full = mat_new(&k->w, sys->m, n), b = mat_new(&k->w, sys->m, 1);
    memset(full.at, 0, (size_t)sys->m * (size_t)n * sizeof(double));
    solve_written_rows(sys, st, full.at, b.at);
    for (int i = 0; i < sys->m * n; i++)
        full.at[i] *= unit_of(k, i % n);
    mat V = mat_null(&k->w, full, solve_rank(sys, st));
    mat V_t = mat_transpose(&k->w, V), rest = mat_new(&k->w, n, 1), u = mat_new(&k->w, n, 1);
    for (int i = 0; i < n; i++)
        rest.at[i] = (row_dot(sys->M, found->M, i, found->qdd) - found->force[i]) * unit_of(k, i);
    double size = length_of(k, found->reaction, NULL, true) + length_of(k, found->Q, NULL, true);
    for (int i = 0; i < V.cols && size > 0; i++)
        s->work = fmax(s->work, fabs(linalg_dot(V_t.at + i * n, rest.at, n)) / size);
    double length = fmax(length_of(k, found->qdd, NULL, false), DBL_MIN);
    for (int tried = 0; tried < TRIES && V.cols > 0; tried++) {
        memset(u.at, 0, (size_t)n * sizeof(double));
        for (int i = 0; i < V.cols; i++)
            linalg_add(u.at, length * any_number(k), V_t.at + i * n, n);
        check_gaussian(k, found->M, rest.at, u.at);
    }
}

// ---- states

static void evaluate(comparing *k, compared *one, double t, const double *q, const double *v) {
    outcome found = solve_acceleration(k->sys, one->st, t, q, v);
    one->solved = found.status == SOLVE_OK;
    if (one->solved)
        solve_forces(k->sys, one->st);
    else if (!one->failure.failed)
        failure_of_solve(&one->failure, k->arena, k->sys, one->st, found, t);
    if (found.status == SOLVE_CHOICE) // not what the model is, but what was asked for
        k->c->failure = one->failure;
}

static void keep_first(comparing *k) {
    size_t bytes = (size_t)k->sys->n * sizeof(double);
    for (int i = 0; i < COMPARED; i++) {
        compared *one = &k->c->each[i];
        one->applies = one->solved;
        memcpy(one->qdd, state_look(one->st)->qdd, bytes);
        memcpy(one->force, state_look(one->st)->reaction, bytes);
    }
}

static bool look(comparing *k, double t, const double *q, const double *v) {
    comparison *c = k->c;
    const trm_state *like = k->run ? k->run : c->each[0].st; // in what sticks
    for (int i = 0; i < COMPARED; i++) {
        friction_copy(k->sys, like, c->each[i].st);
        evaluate(k, &c->each[i], t, q, v);
    }
    if (!c->each[0].solved)
        c->failure = c->each[0].failure;
    if (c->failure.failed)
        return false;
    if (c->states == 0)
        keep_first(k);
    compare_all(k, t);
    certify(k);
    if (c->states++ == 0 && k->run == NULL)
        try_choices(k, t, q, v);
    return true;
}

static bool take(void *context, const sample *s) {
    return look(context, s->t, s->q, s->v);
}

static void prepare(comparing *k, double cut) {
    size_t n = (size_t)k->sys->n;
    papers_workspace(&k->w, k->arena, k->sys->n, k->sys->m);
    for (int i = 0; i < COMPARED; i++) {
        compared *one = &k->c->each[i];
        one->by = i ? formulations[i - 1] : NULL;
        one->name = i ? one->by->name : "default";
        one->st = solve_new_state(k->arena, k->sys);
        state_set_cut(one->st, cut);
        if (i) {
            solve_use(k->sys, one->st, one->by, &k->w);
            solve_choose(one->st, &k->c->chosen->choice);
        }
        one->qdd = arena_doubles(k->arena, n);
        one->force = arena_doubles(k->arena, n);
    }
}

static void compare_along(comparing *k, run_options *along) {
    comparison *c = k->c;
    along->sink = (sink){take, k};
    trm_state *st = solve_new_state(k->arena, k->sys);
    k->run = st;
    run_report *run = run_simulation(k->arena, k->sys, st, along);
    if (!c->failure.failed)
        c->failure = run->failure;
}

// what sticks at the start
static bool settle(comparing *k, double t, const double *q, const double *v, double tolerance) {
    trm_state *st = k->c->each[0].st;
    outcome found = friction_start(k->sys, st, &(moment){t, q, v, false}, tolerance);
    if (found.status != SOLVE_OK)
        failure_of_solve(&k->c->failure, k->arena, k->sys, st, found, t);
    return found.status == SOLVE_OK;
}

double compare_bytes(arena *a, const trm_system *sys) {
    arena *scratch = arena_child(a);
    size_t before = arena_used(a);
    solve_new_state(scratch, sys);
    double state = (double)(arena_used(a) - before);
    arena_free(scratch);
    return papers_workspace_bytes(sys->n, sys->m) + FORMULATIONS * solve_use_bytes(sys) +
           (COMPARED + 1) * state;
}

/* Chains of 200 to 800 coordinates took 5e-8 to 1e-7 s for each of (n + m)^3, with rows for half of the
 * coordinates and for all; other machines differ. At one state the choices are tried, too. */
double compare_seconds(const trm_system *sys, long states) {
    double solved = (double)states + (double)CHOICE_TRIALS / FORMULATIONS;
    return 7e-8 * pow(sys->n + sys->m, 3) * solved;
}

comparison *compare_system(arena *a, const trm_system *sys, double t, double tolerance,
                           const paper_chosen *chosen, run_options *along) {
    comparison *c = arena_alloc(a, sizeof *c);
    comparing k = {.arena = a, .sys = sys, .c = c};
    c->from = t;
    c->chosen = chosen;
    prepare(&k, solve_cut(sys, 0));
    trm_state *st = c->each[0].st;
    start_state start;
    if (!assemble(a, sys, st, t, tolerance, &start, &c->failure) ||
        !settle(&k, t, start.q, start.v, tolerance) || !look(&k, t, start.q, start.v))
        return c;
    find_multipliers(&k);
    find_gibbs(&k);
    c->rank = state_look(st)->rank;
    c->certificate.rank =
        dependence_rank_stacked(a, sys->n, sys->M, state_look(st)->M, sys->A,
                                solve_entries_in_force(a, sys, st), state_cut(st), sys->natural->units);
    c->certificate.unknowns = sys->n;
    if (along) {
        for (int i = 0; i < COMPARED; i++)
            state_set_cut(c->each[i].st, solve_run_cut(sys, tolerance));
        c->states = 0; // the start comes again, as the first sample
        compare_along(&k, along);
    }
    return c;
}
