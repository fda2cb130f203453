/* The papers' formulations against each other and against the default solver, on random systems. */
#include "papers/fixture.h"

#include "support/share.h"

enum { SYSTEMS = 10000 };

/* ---- quasi-velocities s = G q' + g: s' = G q'' + gamma ---- */

typedef struct {
    random_system in_s; // M_s, S, C_s, A_s, b_s
    double G[MOST_N * MOST_N], H[MOST_N * MOST_N], gamma[MOST_N];
} quasi;

static void copy_out(double *to, mat from) {
    for (int i = 0; i < from.rows * from.cols; i++)
        to[i] = from.at[i];
}

static mat random_map(dice *d, matrices *w, int n) {
    mat G = mat_new(w, n, n);
    for (int i = 0; i < n * n; i++)
        G.at[i] = whole(d, 2) + (i % (n + 1) == 0 ? 5 : 0);
    return G;
}

/* M_s = H'M H, S = H'Q + M_s gamma, A_s = A H, b_s = b + A H gamma, C_s = H'C, with H = G^-1
 * (000 eqs. 2.13 to 2.16, 3.5, 3.8, 3.45). False if G is singular. */
static bool make_quasi(fixture *f, const random_system *s, quasi *q) {
    matrices *w = &f->w;
    int n = s->n, m = s->m;
    matrices_reset(w);
    mat G = random_map(&f->dice, w, n), H = mat_solve(w, G, mat_identity(w, n)), gamma = mat_new(w, n, 1);
    if (w->failed || mat_largest(H) > 100)
        return false;
    for (int i = 0; i < n; i++)
        gamma.at[i] = odd(&f->dice, 64) / 64;
    mat H_t = mat_transpose(w, H), A_s = mat_mul(w, mat_wrap(s->A, m, n), H);
    mat M_s = mat_mul(w, H_t, mat_mul(w, mat_wrap(s->M, n, n), H));
    M_s = mat_scale(w, 0.5, mat_add(w, M_s, mat_transpose(w, M_s)));
    q->in_s = *s;
    copy_out(q->G, G);
    copy_out(q->H, H);
    copy_out(q->gamma, gamma);
    copy_out(q->in_s.M, M_s);
    copy_out(q->in_s.A, A_s);
    copy_out(q->in_s.Q, mat_add(w, mat_mul(w, H_t, mat_wrap(s->Q, n, 1)), mat_mul(w, M_s, gamma)));
    copy_out(q->in_s.C, mat_mul(w, H_t, mat_wrap(s->C, n, 1)));
    copy_out(q->in_s.b, mat_add(w, mat_wrap(s->b, m, 1), mat_mul(w, A_s, gamma)));
    return true;
}

// q'' = H (s' - gamma), Q^c = G'S^c
static void in_coordinates(const quasi *q, result *r) {
    result s = *r;
    int n = q->in_s.n;
    for (int i = 0; i < n; i++) {
        r->x[i] = r->force[i] = 0;
        for (int j = 0; j < n; j++) {
            r->x[i] += q->H[i * n + j] * (s.x[j] - q->gamma[j]);
            r->force[i] += q->G[j * n + i] * s.force[j];
        }
    }
}

/* ---- agreement ---- */

typedef struct {
    int systems, definite, harder; // harder: the tolerance is above 1e-10
    int undetermined, missed;      // not solved by the default; taken for determined by it
    double x, force, share;        // largest differences, largest part of the tolerance
    const char *share_of[2];
} tally;

static void count(tally *t, difference d, double tolerance, const char *one, const char *other) {
    double share = fmax(d.x, d.force) / tolerance;
    t->x = fmax(t->x, d.x);
    t->force = fmax(t->force, d.force);
    if (!(share <= t->share)) { // NaN too
        t->share = share;
        t->share_of[0] = one;
        t->share_of[1] = other;
    }
}

// every formulation that applies, on s or on its form in quasi-velocities, against all before it
static void compare_all(fixture *f, const random_system *s, const quasi *q, tally *t) {
    result r[FORMULATIONS + 1];
    const char *names[FORMULATIONS + 1] = {"default"};
    const random_system *seen = q ? &q->in_s : s;
    int rank, results = 1;
    if (!by_default(f, s, &r[0], &rank)) {
        t->undetermined++;
        return;
    }
    conditions c = conditions_of(f, seen, rank);
    if (c.mass == INFINITY) {
        t->missed++;
        return;
    }
    t->systems++;
    t->definite += c.definite;
    t->harder += tolerance_for(c) > 1e-10;
    for (int i = 0; i < FORMULATIONS; i++) {
        if (formulations[i]->definite && !c.definite)
            continue;
        by_paper(f, formulations[i], NULL, seen, rank, &r[results]);
        if (q)
            in_coordinates(q, &r[results]);
        names[results] = formulations[i]->name;
        for (int k = 0; k < results; k++)
            count(t, apart(s, &r[results], &r[k]), tolerance_for(c), names[results], names[k]);
        results++;
    }
}

static void print_tally(const char *name, const tally *t) {
    print_message("%s: %d systems (%d with definite M; %d allow more than 1e-10), "
                  "largest difference %.1e of q'', %.1e of Q^c, at most %.2g of the tolerance (%s, %s)\n",
                  name, t->systems, t->definite, t->harder, t->x, t->force, t->share, t->share_of[0],
                  t->share_of[1]);
    if (t->missed > 0)
        print_message("    %d systems that are not determined were taken for determined\n", t->missed);
}

static void agree(fixture *f, const random_class *class, bool quasi_velocities) {
    tally t = {0};
    while (t.systems < SYSTEMS / test_every()) {
        random_system s;
        quasi q;
        random_system_make(&f->dice, class, &s);
        if (quasi_velocities && !make_quasi(f, &s, &q))
            continue;
        compare_all(f, &s, quasi_velocities ? &q : NULL, &t);
    }
    print_tally(class->name, &t);
    assert_true(t.share <= 1);
}

static void regular(void **state) {
    need_lapack();
    agree(*state, &(random_class){.name = "regular"}, false);
}

static void dependent_rows(void **state) {
    need_lapack();
    agree(*state, &(random_class){"dependent rows", .dependent = true}, false);
}

static void semidefinite_mass(void **state) {
    need_lapack();
    agree(*state, &(random_class){"semi-definite M", .semidefinite = true}, false);
}

static void semidefinite_mass_dependent_rows(void **state) {
    random_class c = {"semi-definite M, dependent rows", .semidefinite = true, .dependent = true};
    need_lapack();
    agree(*state, &c, false);
}

static void nonideal(void **state) {
    need_lapack();
    agree(*state, &(random_class){"non-ideal", .nonideal = true, .dependent = true}, false);
}

// units of coordinates and rows over 12 decades
static void spread_units(void **state) {
    random_class c = {"spread units", .dependent = true, .nonideal = true, .mass_span = 6, .row_span = 6};
    need_lapack();
    c.moving_units = true;
    agree(*state, &c, false);
    c.name = "spread units, semi-definite M";
    c.semidefinite = true;
    agree(*state, &c, false);
}

// mass ratios of 1e12
static void spread_masses(void **state) {
    random_class c = {"spread masses", .dependent = true, .nonideal = true, .mass_span = 6, .row_span = 6};
    need_lapack();
    agree(*state, &c, false);
    c.name = "spread masses, semi-definite M";
    c.semidefinite = true;
    agree(*state, &c, false);
}

static void quasi_velocities(void **state) {
    random_class c = {"quasi-velocities", .dependent = true, .nonideal = true};
    need_lapack();
    agree(*state, &c, true);
    c.name = "quasi-velocities, semi-definite M";
    c.semidefinite = true;
    agree(*state, &c, true);
}

/* ---- gibbs-appell: the partition ---- */

/* Two rows in four coordinates. The columns of coordinates 0 and 1, which are the longest, turn until they
 * are parallel at t = 0, and on. */
static void turning_rows(double t, random_system *s) {
    double A[] = {cos(t), 1, 0.5, -0.1, sin(t), 0, 0.2, 0.4};
    double M[] = {3, 1, 0, 0, 1, 2, 0.5, 0, 0, 0.5, 1, 0.2, 0, 0, 0.2, 4};
    *s = (random_system){4, 2, true, .Q = {1, -2, 0.5, 3}, .b = {0.7, -0.4 + t}};
    memcpy(s->A, A, sizeof A);
    memcpy(s->M, M, sizeof M);
}

static paper as_paper(matrices *w, const random_system *s, int *partition, int *partition_rank) {
    return (paper){.w = w,
                   .n = s->n,
                   .m = s->m,
                   .rank = 2,
                   .M = mat_wrap(s->M, s->n, s->n),
                   .Q = mat_wrap(s->Q, s->n, 1),
                   .C = mat_wrap(s->C, s->n, 1),
                   .A = mat_wrap(s->A, s->m, s->n),
                   .b = mat_wrap(s->b, s->m, 1),
                   .partition = partition,
                   .partition_rank = partition_rank};
}

static bool same_set(const int *p, const int *q) {
    return (p[0] == q[0] && p[1] == q[1]) || (p[0] == q[1] && p[1] == q[0]);
}

static void partition_changes_without_a_jump(void **state) {
    fixture *f = *state;
    const double step = 1e-3;
    double last[4], last_turn = 0, off = 0, most_turn = 0;
    int partition[4] = {0}, partition_rank = -1, before[4], changes = 0, steps = 0;
    need_lapack();
    for (double t = -1.5; t <= 1.5; t += step, steps++) {
        random_system s;
        result by;
        mat x, force;
        int rank;
        turning_rows(t, &s);
        matrices_reset(&f->w);
        paper p = as_paper(&f->w, &s, partition, &partition_rank);
        memcpy(before, partition, sizeof before);
        assert_true(formulation_find("gibbs-appell")->solve(&p, &x, &force)); // without corrections
        assert_true(by_default(f, &s, &by, &rank) && rank == 2);
        double turn = 0;
        for (int j = 0; j < 4; j++) {
            off = fmax(off, fabs(x.at[j] - by.x[j]));
            turn = fmax(turn, steps ? fabs(x.at[j] - last[j]) : 0);
        }
        bool changed = steps > 0 && !same_set(partition, before);
        if (steps == 0)
            assert_true(same_set(partition, (int[]){0, 1}));
        if (changed && steps > 1)
            assert_true(turn < 1.1 * last_turn + 1e-12);
        changes += changed;
        last_turn = turn;
        most_turn = fmax(most_turn, turn);
        memcpy(last, x.at, sizeof last);
    }
    print_message("partition: %d changes in %d steps, q'' moves by at most %.1e a step, off by %.1e\n",
                  changes, steps, most_turn, off);
    assert_true(changes >= 1 && changes <= 4);
    assert_true(off < 1e-11);
}

// a rank that falls, and rises again: another partition each time, from the same solver
static void partition_follows_the_rank(void **state) {
    fixture *f = *state;
    need_lapack();
    for (int k = 0; k < 10; k++) {
        random_system s;
        result one, other;
        int rank;
        turning_rows(0.8, &s);
        for (int j = 0; k % 2 && j < 4; j++)
            s.A[4 + j] = 2 * s.A[j];
        s.b[1] = k % 2 ? 2 * s.b[0] : s.b[1];
        assert_true(by_default(f, &s, &one, &rank) && rank == 2 - k % 2);
        by_paper(f, formulation_find("gibbs-appell"), NULL, &s, rank, &other);
        assert_true(apart(&s, &one, &other).x < 1e-13);
    }
}

/* ---- multipliers ---- */

// A' multiplier
static void force_of(const random_system *s, const double *multiplier, double *force) {
    memset(force, 0, (size_t)s->n * sizeof *force);
    for (int i = 0; i < s->m; i++)
        for (int j = 0; j < s->n; j++)
            force[j] += s->A[i * s->n + j] * multiplier[i];
}

// |x - y| / |y|
static double relative(const double *x, const double *y, int n) {
    double off = 0, size = 0;
    for (int j = 0; j < n; j++) {
        off += pow(x[j] - y[j], 2);
        size += pow(y[j], 2);
    }
    return off != 0 ? sqrt(off / size) : 0;
}

static void least_norm(fixture *f, const random_class *class) {
    double off = 0, force_off = 0;
    int wanted = (int)(SYSTEMS / 10 / test_every());
    for (int systems = 0; systems < wanted;) {
        random_system s;
        double x[MOST_N], expected[MOST_M], multiplier[MOST_M], force[MOST_N], exerted[MOST_N];
        random_system_make(&f->dice, class, &s);
        dense *d = f->dense[s.n][s.m];
        if (dense_factor(d, s.M, s.A, CUT) != DENSE_OK)
            continue;
        dense_solve(d, s.Q, s.b, x, expected);
        force_of(&s, expected, force);
        dense_least_norm(d, expected);
        assert_true(papers_multipliers(f->papers[s.n][s.m], s.A, dense_rank(d), force, multiplier));
        force_of(&s, multiplier, exerted);
        off = fmax(off, relative(multiplier, expected, s.m));
        force_off = fmax(force_off, relative(exerted, force, s.n));
        systems++;
    }
    print_message("multipliers, %s: %d systems, off by %.1e, their force by %.1e\n", class->name, wanted, off,
                  force_off);
    assert_true(off < 1e-10 && force_off < 1e-10);
}

static void multipliers_of_least_norm(void **state) {
    need_lapack();
    least_norm(*state, &(random_class){.name = "independent rows"});
    least_norm(*state, &(random_class){"dependent rows", .dependent = true});
    least_norm(*state, &(random_class){"dependent rows over 12 decades", .dependent = true, .row_span = 6});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regular),
        cmocka_unit_test(dependent_rows),
        cmocka_unit_test(semidefinite_mass),
        cmocka_unit_test(semidefinite_mass_dependent_rows),
        cmocka_unit_test(nonideal),
        cmocka_unit_test(spread_units),
        cmocka_unit_test(spread_masses),
        cmocka_unit_test(quasi_velocities),
        cmocka_unit_test(partition_changes_without_a_jump),
        cmocka_unit_test(partition_follows_the_rank),
        cmocka_unit_test(multipliers_of_least_norm),
    };
    return cmocka_run_group_tests(tests, fixture_start, fixture_stop);
}
