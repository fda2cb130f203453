/* The contract of linear/solver.h, by all alternatives: the constrained acceleration against its definition
 * and against 113-bit arithmetic. What only sparse patterns show is in test_sparse.c. */
#include "linear/solver.h"

#include "support/kernel_solver.h"
#include "support/problems.h"
#include "support/share.h"

#include <float.h>
#include <stdlib.h>

static const double CUT = 1e-11;

/* ---- alternatives ---- */

static const solver_ops *by; // the one under test
static bool may_be_unsure;   // only the kernel

typedef struct {
    arena *a;
    void *self;
    int n, m;
    sparsity M_pattern, A_pattern;
    double *M, *A; // values of these
} subject;

// entries that are not 0, and the diagonal of M; all: every entry
static sparsity pattern_of(arena *a, const double *K, int rows, int n, bool mass, bool all) {
    int *start = arena_array(a, int, rows + 1), *to = arena_array(a, int, rows *n + 1), count = 0;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < n; j++)
            if (all || K[i * n + j] != 0 || (mass && (i == j || K[j * n + i] != 0)))
                to[count++] = j;
        start[i + 1] = count;
    }
    return (sparsity){rows, start, to};
}

static subject subject_new(int n, int m, const double *M, const double *A, bool all) {
    subject s = {.a = arena_new(0), .n = n, .m = m};
    s.M_pattern = pattern_of(s.a, M, n, n, true, all);
    s.A_pattern = pattern_of(s.a, A, m, n, false, all);
    s.M = arena_doubles(s.a, (size_t)(n * n));
    s.A = arena_doubles(s.a, (size_t)(m * n));
    s.self = by->create(s.a, n, s.M_pattern, s.A_pattern);
    return s;
}

static void subject_free(subject *s) {
    arena_free(s->a);
}

static dense_status factor(subject *s, const double *M, const double *A) {
    for (int i = 0; i < s->n; i++)
        for (int e = s->M_pattern.start[i]; e < s->M_pattern.start[i + 1]; e++)
            s->M[e] = M[i * s->n + s->M_pattern.to[e]];
    for (int i = 0; i < s->m; i++)
        for (int e = s->A_pattern.start[i]; e < s->A_pattern.start[i + 1]; e++)
            s->A[e] = A[i * s->n + s->A_pattern.to[e]];
    return by->factor(s->self, s->M, s->A, CUT);
}

// false if the alternative is not sure; else the status must be as expected
static bool is_sure(subject *s, const double *M, const double *A, dense_status expected) {
    dense_status status = factor(s, M, A);
    if (status == DENSE_NOT_SURE && may_be_unsure)
        return false;
    assert_int_equal(status, expected);
    return true;
}

/* ---- random systems ---- */

// n up to 8; M singular in half of them; redundant rows; masses over decades, and rows too if it is true
static bool make_random(dice *d, problem *p) {
    int n = 1 + below(d, 8), independent = below(d, n + 1);
    start(d, p, n, independent + (independent > 0 ? below(d, 5) : 0));
    for (int i = independent; i < p->m; i++)
        make_redundant(d, p, i, independent, 1 + below(d, 2));
    int missing = below(d, 2) ? below(d, independent + 1) : 0;
    if (below(d, 2)) {
        make_mass(d, p, 2, n - missing);
    } else {
        make_mass(d, p, 2, n);
        for (int i = 0; i < missing; i++)
            drop_mass(p, i);
    }
    spread_mass(d, p, below(d, 2) ? 3 : 0);
    bool wide = below(d, 2);
    scale_rows(d, p, wide ? 8 : 0);
    make_b(d, p);
    return wide;
}

static void random_systems(void **state) {
    dice d = {20240601};
    static problem p;
    int sure = 0;
    for (int made = 0; made < 1000;) {
        bool wide = make_random(&d, &p);
        if (reference(&p) < 1e-4)
            continue;
        made++;
        double x[MOST], multiplier[MOST], C[MOST] = {0}, force[MOST];
        for (int j = 0; j < p.n; j++) {
            C[j] = made % 3 == 0 ? normal(&d) : 0;
            force[j] = p.Q[j] + C[j];
        }
        subject s = subject_new(p.n, p.m, p.M, p.A, false);
        if (is_sure(&s, p.M, p.A, DENSE_OK)) {
            sure++;
            assert_int_equal(by->rank(s.self), p.m - count_redundant(&p));
            by->solve(s.self, force, p.b, x, multiplier);
            assert_true(row_residual(&p, x) < 3e-14); // sums of rows that cancel included
            check_minimum(&d, &p, x, C);
            check_force(&p, x, force, multiplier);
            for (int i = 0; i < p.m; i++)
                assert_true(!by->dropped(s.self, i) || multiplier[i] == 0);
            by->least_norm(s.self, multiplier);
            check_force(&p, x, force, multiplier);
            if (!wide || by == &solver_dense)
                check_least_norm(&p, multiplier);
        }
        subject_free(&s);
    }
    assert_true(sure > 300); // the kernel where rows are independent
}

/* ---- families, n = 20, m = 10 ---- */

typedef enum {
    REGULAR,
    ILL_MASS,
    SPREAD_MASS,
    DUPLICATES,
    COMBINATIONS,
    NOISE,
    NEAR,
    ROW_SCALES,
    SCALED_DUPLICATES,
    SEMIDEFINITE,
    SEMIDEFINITE_DUPLICATES
} family;

static void make_family(dice *d, problem *p, family f, double size) {
    enum { N = 20, M = 10 };
    bool some = f == DUPLICATES || f == COMBINATIONS || f == NOISE || f == SCALED_DUPLICATES ||
                f == SEMIDEFINITE_DUPLICATES;
    start(d, p, N, M);
    make_mass(d, p, f == ILL_MASS ? 8 : 2, N);
    if (f == SPREAD_MASS)
        spread_mass(d, p, 3);
    for (int i = 0; i < N / 4 && (f == SEMIDEFINITE || f == SEMIDEFINITE_DUPLICATES); i++) {
        drop_mass(p, i);
        p->Q[i] = 0;
    }
    for (int j = 0; j < N && f == NEAR; j++)
        p->A[(M - 1) * N + j] = p->A[j] + size * normal(d);
    for (int i = M / 2; i < M && some; i++)
        make_redundant(d, p, i, M / 2, f == COMBINATIONS || f == NOISE ? 2 : 1);
    if (f == ROW_SCALES || f == SCALED_DUPLICATES)
        scale_rows(d, p, 8);
    make_b(d, p);
    for (int i = M / 2; i < M && f == NOISE; i++)
        for (int j = 0; j < N; j++)
            p->A[i * N + j] *= 1 + size * normal(d);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { TRIALS = 15 }; // some of them, where the run takes a part of the cases

static const struct {
    family family;
    double size, median, worst;
    bool regular; // no one may be unsure
} families[] = {
    {REGULAR, 0, 1e-15, 2e-15, true},
    {ILL_MASS, 0, 1e-12, 1e-11, false},
    {SPREAD_MASS, 0, 1e-15, 1e-14, true},
    {DUPLICATES, 0, 1e-15, 5e-15, false},
    {COMBINATIONS, 0, 2e-15, 1e-14, false},
    {NOISE, 1e-12, 2e-12, 1e-11, false},
    {NEAR, 1e-6, 1e-9, 1e-8, false},
    {NEAR, 1e-8, 1e-7, 1e-6, false},
    {NEAR, 1e-10, 1e-5, 1e-4, false},
    {ROW_SCALES, 0, 1e-15, 2e-15, true},
    {SCALED_DUPLICATES, 0, 2e-15, 1e-14, false},
    {SEMIDEFINITE, 0, 1e-15, 5e-15, false},
    {SEMIDEFINITE_DUPLICATES, 0, 1e-14, 2e-13, false},
};
enum { FAMILIES = sizeof families / sizeof *families };

// all of them with their references, which take longer than all solvers
static problem *family_problems(void) {
    problem *all = calloc((size_t)FAMILIES * TRIALS, sizeof *all);
    for (int f = 0; f < FAMILIES; f++) {
        dice d = {4242 + (uint64_t)f};
        for (int trial = 0; trial < TRIALS; trial++) {
            make_family(&d, &all[f * TRIALS + trial], families[f].family, families[f].size);
            if (test_takes(trial))
                reference(&all[f * TRIALS + trial]);
        }
    }
    return all;
}

// x and M x - Q against 113 bits: median and worst, in units of the size of x
static void against_reference(void **state) {
    for (int f = 0; f < FAMILIES; f++) {
        double error[TRIALS];
        int count = 0, all = 0;
        for (int trial = 0; trial < TRIALS; trial++) {
            if (!test_takes(trial))
                continue;
            all++;
            const problem *p = &((const problem *)*state)[f * TRIALS + trial];
            double x[MOST], multiplier[MOST];
            subject s = subject_new(p->n, p->m, p->M, p->A, false);
            if (is_sure(&s, p->M, p->A, DENSE_OK)) {
                assert_int_equal(by->rank(s.self), p->m - count_redundant(p));
                by->solve(s.self, p->Q, p->b, x, multiplier);
                error[count++] = distance(x, p->x, p->n) / length(p->x, p->n);
            }
            subject_free(&s);
        }
        assert_true(count == all || !families[f].regular);
        qsort(error, (size_t)count, sizeof *error, ascending);
        assert_true(count == 0 || error[count / 2] <= families[f].median);
        assert_true(count == 0 || error[count - 1] <= families[f].worst);
    }
}

/* ---- masses that vanish, masses that differ by decades ---- */

// x for given values against the reference, with rank and tolerance
static void check_case(problem *p, int rank, double tolerance) {
    double x[MOST], multiplier[MOST];
    for (int i = 0; i < p->m; i++)
        p->row_scale[i] = 1;
    reference(p);
    subject s = subject_new(p->n, p->m, p->M, p->A, false);
    if (is_sure(&s, p->M, p->A, DENSE_OK)) {
        bool same = true; // rows dropped as in the reference: other ones differ by the cut
        for (int i = 0; i < p->m; i++)
            same &= by->dropped(s.self, i) == p->redundant[i];
        assert_int_equal(by->rank(s.self), rank);
        by->solve(s.self, p->Q, p->b, x, multiplier);
        for (int j = 0; j < p->n; j++) // each coordinate by itself: the heavy must not hide the light
            assert_true(!same || fabs(x[j] - p->x[j]) <= tolerance * fabs(p->x[j]));
        check_force(p, x, p->Q, multiplier);
    }
    subject_free(&s);
}

static void massless_coordinates(void **state) {
    static problem p;
    double rows[][3] = {{0, 1, 1}, {1, 0, 1}, {1, 1, 1}, {1e-7, 1, 3}, {1, 0, 1e-7}, {1e8, 0, -3e8}};
    for (int i = 0; i < 6; i++) {
        p = (problem){.n = 3, .m = 1, .Q = {3e12, 2, 0.5}, .b = {0.7}};
        p.M[0] = 1e12;
        p.M[4] = 1;
        memcpy(p.A, rows[i], sizeof rows[i]);
        check_case(&p, 1, 1e-14);
    }
    // a chain of massless coordinates between a heavy and a light mass, and back
    double chain[] = {1, -1, 0, 0, 0, 1, -1, 0, 0, 0, 1, -1};
    for (int i = 0; i < 2; i++) {
        p = (problem){.n = 4, .m = 3, .Q = {1, 2, 3, 4}, .b = {0.1, 0.2, 0.3}};
        p.M[0] = i == 0 ? 1e12 : 1e-6;
        p.M[15] = i == 0 ? 1e-6 : 1e12;
        memcpy(p.A, chain, sizeof chain);
        check_case(&p, 3, 1e-13);
    }
    // no mass at all: the rows decide
    p = (problem){.n = 2, .m = 2, .Q = {1, 2}, .b = {3, 4}, .A = {1, 1, 1, -1}};
    check_case(&p, 2, 1e-15);
}

static void mass_ratio_is_not_dependence(void **state) {
    // independent in their own units; whitened the two rows differ by 1e-6 of their length. Multipliers of
    // 1e6 cancel in the force on the middle coordinate, whose acceleration is 1e-6: their rounding is 1e-10,
    // which the dense solver's refinement takes away
    static problem p;
    p = (problem){.n = 3, .m = 2, .Q = {1, 1, 1}, .b = {1, 3}, .A = {1, 1, 0, 1, 1, 1}};
    p.M[0] = 1e-6;
    p.M[4] = 1;
    p.M[8] = 1e6;
    check_case(&p, 2, by == &solver_dense ? 1e-9 : 1e-4);
    // dependent in their own units; whitened they are perpendicular
    p = (problem){.n = 2, .m = 2, .Q = {1, 1e-26}, .b = {1, 1}, .A = {1, 0, 1, 1e-13}};
    p.M[0] = 1;
    p.M[3] = 1e-26;
    p.redundant[1] = true;
    check_case(&p, 1, 1e-14);
}

// a body that turns by u / |u|, its norm the only row
static void make_body(dice *d, problem *p, double *u, double span) {
    double J[3] = {decades(d, span), decades(d, span), decades(d, span)}, norm = length(u, 4);
    *p = (problem){.n = 4, .m = 1};
    for (int i = 0; i < 4; i++) {
        p->Q[i] = normal(d);
        p->A[i] = u[i] /= norm;
    }
    p->b[0] = normal(d);
    quaternion_mass(u, J, p->M);
}

static void quaternions(void **state) {
    dice d = {7};
    static problem p;
    static const double full[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    subject s = subject_new(4, 1, full, full, true), free = subject_new(4, 0, full, NULL, true);
    for (int trial = 0; trial < 100; trial++) {
        double u[4] = {normal(&d), normal(&d), normal(&d), normal(&d)}, x[4], multiplier[1];
        make_body(&d, &p, u, 2);
        reference(&p);
        assert_true(is_sure(&s, p.M, p.A, DENSE_OK));
        assert_true(!by->mass_singular || by->mass_singular(s.self));
        by->solve(s.self, p.Q, p.b, x, multiplier);
        assert_true(distance(x, p.x, 4) <= 1e-12 * length(p.x, 4)); // condition number 1e4
        check_force(&p, x, p.Q, multiplier);
        bool named[4];
        if (is_sure(&free, p.M, NULL, DENSE_UNDETERMINED))
            assert_int_equal(by->undetermined(free.self, named), 4);
    }
    subject_free(&s);
    subject_free(&free);
}

// (e, 0, 0, 1) has the entry e^2 J on the diagonal of M, which is no mass to weigh a row by
static void quaternions_near_an_axis(void **state) {
    dice d = {8};
    static problem p;
    static const double full[16] = {0};
    subject s = subject_new(4, 1, full, full, true);
    for (int trial = 0; trial < 200; trial++) {
        double u[4], x[4], multiplier[1];
        double off = pow(10, trial < 100 ? -trial / 5. : -20 - 3 * (trial - 100)); // to underflow, and to 0
        for (int i = 0; i < 4; i++)
            u[i] = i == trial % 4 ? 1 : off * normal(&d);
        make_body(&d, &p, u, 1);
        if (!is_sure(&s, p.M, p.A, DENSE_OK))
            continue;
        by->solve(s.self, p.Q, p.b, x, multiplier);
        assert_true(row_residual(&p, x) <= 1e-13);
        assert_true(length(x, 4) < 100);
        check_force(&p, x, p.Q, multiplier);
    }
    subject_free(&s);
}

/* ---- what cannot be solved ---- */

static void check_refused(const double *M, const double *A, int n, int m, dense_status status,
                          const char *coordinates) {
    bool named[MOST];
    subject s = subject_new(n, m, M, A, false);
    for (int again = 0; again < 2; again++) { // the second time it is expected
        if (!is_sure(&s, M, A, status))
            continue;
        int count = by->undetermined(s.self, named);
        for (int j = 0; j < n; j++) {
            assert_int_equal(named[j], coordinates[j] == '1');
            count -= named[j];
        }
        assert_int_equal(count, 0);
    }
    subject_free(&s);
}

static void undetermined(void **state) {
    double one_free[] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}, tie[] = {1, 1, 0, 0};
    check_refused(one_free, tie, 4, 1, DENSE_UNDETERMINED, "0010");
    double two_massless[] = {1, 0, 0, 0, 0, 0, 0, 0, 0}, difference[] = {0, 1, -1};
    check_refused(two_massless, difference, 3, 1, DENSE_UNDETERMINED, "011");
    double decades_apart[] = {1e12, 0, 0, 0, 1e-6, 0, 0, 0, 0}, other[] = {1e8, 1e8, 0};
    check_refused(decades_apart, other, 3, 1, DENSE_UNDETERMINED, "001");
    double sum_only[] = {1, 1, 0, 1, 1, 0, 0, 0, 5};
    check_refused(sum_only, NULL, 3, 0, DENSE_UNDETERMINED, "110");
    double nothing[] = {0, 0, 0, 0}, zero_row[] = {0, 0};
    check_refused(nothing, zero_row, 2, 1, DENSE_UNDETERMINED, "11");
}

static void indefinite(void **state) {
    double saddle[] = {1, 2, 2, 1}, both[] = {1, 1};
    check_refused(saddle, both, 2, 1, DENSE_INDEFINITE, "11");
    double negative[] = {1, 0, 0, 0, -1e-3, 0, 0, 0, 1};
    check_refused(negative, NULL, 3, 0, DENSE_INDEFINITE, "010");
    double exchange[] = {0, 1, 0, 1, 0, 0, 0, 0, 3};
    check_refused(exchange, NULL, 3, 0, DENSE_INDEFINITE, "110");
    double coupled[] = {1, 0, 0, 0, 0, 1e-3, 0, 1e-3, 1};
    check_refused(coupled, NULL, 3, 0, DENSE_INDEFINITE, "011");
    double light[] = {1e12, 0, 0, -1}, minute[] = {-1e-20};
    check_refused(light, NULL, 2, 0, DENSE_INDEFINITE, "01");
    check_refused(minute, NULL, 1, 0, DENSE_INDEFINITE, "1");
    // rows that cover the negative direction do not hide it
    double covered[] = {1, 0, 0, -1}, cover[] = {0, 1};
    check_refused(covered, cover, 2, 1, DENSE_INDEFINITE, "01");
    double slightly[] = {1 - 1e-6, 1 + 1e-6, 1 + 1e-6, 1 - 1e-6}, across[] = {1, -1};
    check_refused(slightly, across, 2, 1, DENSE_INDEFINITE, "11");
}

// rounding below zero is not a negative direction
static void rounding_below_zero(void **state) {
    static problem p;
    p = (problem){.n = 2, .m = 1, .Q = {1, 2}, .b = {3}, .A = {1, 1}, .M = {1, 1e-17, 1e-17, -1e-17}};
    check_case(&p, 1, 1e-14);
    p = (problem){.n = 2, .m = 1, .Q = {1, 2}, .b = {3}, .A = {1, 0}, .M = {1, 1, 1, 1 - 1e-15}};
    check_case(&p, 1, 1e-13);
}

static void not_finite(void **state) {
    double M[] = {1, 0, NAN, 1}, A[] = {1, INFINITY}, good[] = {1, 0, 0, 1}, row[] = {1, 1};
    subject s = subject_new(2, 1, good, row, true);
    is_sure(&s, M, row, DENSE_NOT_FINITE);
    is_sure(&s, good, A, DENSE_NOT_FINITE);
    assert_true(is_sure(&s, good, row, DENSE_OK));
    subject_free(&s);
}

/* ---- redundant rows ---- */

// row 1 vanishes, 3 is a rescaled copy of 0, 4 the sum of 0 and 2
static const double few_M[] = {2, 0, 0, 0, 3, 0, 0, 0, 4}, few_Q[] = {1, 1, 1}, few_b[] = {1, 0, 2, 1e-8, 3};
static const double few_A[] = {1, 0, 1, 0, 0, 0, 0, 1, 0, 1e-8, 0, 1e-8, 1, 1, 1};

static void dropped_rows(void **state) {
    double x[3], l[5];
    subject s = subject_new(3, 5, few_M, few_A, true);
    if (is_sure(&s, few_M, few_A, DENSE_OK)) {
        int dropped = 0;
        assert_int_equal(by->rank(s.self), 2);
        for (int i = 0; i < 5; i++)
            dropped += by->dropped(s.self, i);
        assert_true(dropped == 3 && by->dropped(s.self, 1));
        by->solve(s.self, few_Q, few_b, x, l);
        for (int i = 0; i < 5; i++)
            assert_true(!by->dropped(s.self, i) || l[i] == 0);
        assert_true(fabs(x[0] + x[2] - 1) < 1e-15 && fabs(x[1] - 2) < 1e-15);
    }
    subject_free(&s);
}

// rows that are left out do not hold, and hold again afterwards
static void left_out_rows(void **state) {
    static const bool out[] = {true, false, false, true, true};
    double x[3], l[5];
    subject s = subject_new(3, 5, few_M, few_A, true);
    for (int again = 0; again < 2; again++) {
        by->leave_out(s.self, out);
        if (is_sure(&s, few_M, few_A, DENSE_OK)) {
            assert_int_equal(by->rank(s.self), 1);
            by->solve(s.self, few_Q, few_b, x, l);
            assert_true(fabs(x[1] - 2) < 1e-15 && x[0] == 0.5 && x[2] == 0.25 && l[0] == 0 && l[3] == 0);
        }
        by->leave_out(s.self, NULL);
        if (is_sure(&s, few_M, few_A, DENSE_OK))
            assert_int_equal(by->rank(s.self), 2);
    }
    subject_free(&s);
}

// f = A'l, f = (2, 0), rows (1, 0), (3, 0), (0, 1): least norm (0.2, 0.6, 0)
static void least_norm(void **state) {
    double M[] = {1, 0, 0, 1}, Q[] = {0, 0}, b[] = {2, 6, 0}, A[] = {1, 0, 3, 0, 0, 1}, x[2], l[3];
    subject s = subject_new(2, 3, M, A, false);
    if (is_sure(&s, M, A, DENSE_OK)) {
        by->solve(s.self, Q, b, x, l);
        assert_true(l[0] == 0 || l[1] == 0);
        by->least_norm(s.self, l);
        assert_true(fabs(l[0] - 0.2) < 1e-15 && fabs(l[1] - 0.6) < 1e-15 && fabs(l[2]) < 1e-15);
    }
    subject_free(&s);
}

/* Two heavy copies of a light row share its force; the difference between them must survive the scales. That
 * is for solver_new to see to, whatever it takes. */
static void least_norm_over_decades(void **state) {
    double M[] = {1, 0, 0, 1}, Q[] = {0, 0}, x[2], l[4];
    double A[] = {1e-8, 0, 1e8, 0, 1e8, 0, 0, 1e-8}, b[] = {1e-8, 1e8, 1e8, 3e-8};
    for (int kind = SOLVER_DENSE; kind <= SOLVER_SPARSE; kind++) {
        arena *a = arena_new(0);
        sparsity M_full = sparsity_full(a, 2, 2), A_full = sparsity_full(a, 4, 2);
        solver *s = solver_new(a, 2, M_full, A_full, (solver_kind)kind, NULL);
        assert_int_equal(solver_factor(s, M, A, CUT), DENSE_OK);
        solver_solve(s, Q, b, x, l);
        solver_least_norm(s, l);
        assert_true(fabs(l[1] / 5e-9 - 1) < 1e-14 && fabs(l[2] / 5e-9 - 1) < 1e-14);
        assert_true(fabs(l[0]) < 1e-20 && fabs(l[3] / 3e8 - 1) < 1e-14);
        arena_free(a);
    }
}

// equal masses: what is told is the smallest remainder
static void nearness(void **state) {
    double M[] = {2, 0, 0, 0, 2, 0, 0, 0, 2}, A[] = {1, 0, 0, 1, 0.01, 0};
    subject s = subject_new(3, 2, M, A, false);
    assert_true(is_sure(&s, M, A, DENSE_OK));
    assert_true(fabs(by->nearness(s.self) / 0.01 - 1) < 1e-4);
    subject_free(&s);
}

/* ---- one object over many calls ---- */

static bool solve_with(subject *s, const problem *p, double *x) {
    double multiplier[MOST];
    if (!is_sure(s, p->M, p->A, DENSE_OK))
        return false;
    assert_int_equal(by->rank(s->self), p->m - count_redundant(p));
    by->solve(s->self, p->Q, p->b, x, multiplier);
    return true;
}

// what is remembered changes the way, not the answer; and after a calm time it is forgotten
static void habits(void **state) {
    static const family critical[] = {NEAR, DUPLICATES, SEMIDEFINITE, SEMIDEFINITE_DUPLICATES};
    dice d = {11};
    static problem hard, easy;
    for (int i = 0; i < 4; i++) {
        make_family(&d, &hard, critical[i], 1e-5);
        make_family(&d, &easy, REGULAR, 0);
        reference(&hard);
        double x[MOST], fresh[MOST];
        subject s = subject_new(easy.n, easy.m, easy.M, easy.A, true);
        assert_true(solve_with(&s, &easy, fresh));
        if (solve_with(&s, &hard, x))
            assert_true(distance(x, hard.x, hard.n) <= 1e-8 * length(hard.x, hard.n));
        for (int call = 0; call < 70; call++) {
            assert_true(solve_with(&s, &easy, x));
            assert_true(distance(x, fresh, easy.n) <= 1e-14 * length(fresh, easy.n));
        }
        assert_memory_equal(x, fresh, (size_t)easy.n * sizeof(double));
        subject_free(&s);
    }
}

// new solvers given the same numbers give the same bits
static void repeats(void **state) {
    for (int f = 0; f < FAMILIES; f++) {
        const problem *p = &((const problem *)*state)[f * TRIALS];
        double x[2][MOST], l[2][MOST];
        bool sure = true;
        for (int i = 0; i < 2; i++) {
            subject s = subject_new(p->n, p->m, p->M, p->A, false);
            sure &= is_sure(&s, p->M, p->A, DENSE_OK);
            if (sure) {
                by->solve(s.self, p->Q, p->b, x[i], l[i]);
                by->least_norm(s.self, l[i]);
            }
            subject_free(&s);
        }
        assert_true(!sure || memcmp(x[0], x[1], (size_t)p->n * sizeof(double)) == 0);
        assert_true(!sure || memcmp(l[0], l[1], (size_t)p->m * sizeof(double)) == 0);
    }
}

// several hundred coordinates: stretched row by row, nothing but sizes is new
static void large(void **state) {
    enum { N = 301, ROWS = 150 };
    dice d = {5};
    arena *a = arena_new(0);
    double *M = arena_doubles(a, N * N), *A = arena_doubles(a, ROWS * N), *x = arena_doubles(a, N);
    double *Q = arena_doubles(a, N), *b = arena_doubles(a, ROWS), *l = arena_doubles(a, ROWS);
    for (int i = 0; i < N; i++) {
        M[i * N + i] = decades(&d, 3);
        Q[i] = normal(&d);
    }
    for (int i = 0; i < ROWS; i++) // the last ten repeat the first
        for (int j = 0; j < N; j++)
            A[i * N + j] = i < ROWS - 10 ? normal(&d) : A[(i - ROWS + 10) * N + j];
    for (int i = 0; i < ROWS; i++)
        b[i] = i < ROWS - 10 ? normal(&d) : b[i - ROWS + 10];
    subject s = subject_new(N, ROWS, M, A, false);
    if (is_sure(&s, M, A, DENSE_OK)) {
        assert_int_equal(by->rank(s.self), ROWS - 10);
        by->solve(s.self, Q, b, x, l);
        by->least_norm(s.self, l);
        for (int i = 0; i < ROWS; i++) {
            double off = -b[i];
            for (int j = 0; j < N; j++)
                off += A[i * N + j] * x[j];
            assert_true(fabs(off) <= 16 * DBL_EPSILON * sqrt(N) * length(A + i * N, N) * length(x, N));
        }
        for (int j = 0; j < N; j++) {
            double off = M[j * N + j] * x[j] - Q[j], size = fabs(M[j * N + j] * x[j]) + fabs(Q[j]);
            for (int i = 0; i < ROWS; i++) {
                off -= A[i * N + j] * l[i];
                size += fabs(A[i * N + j] * l[i]);
            }
            assert_true(fabs(off) <= 1e-13 * size);
        }
        for (int i = 0; i < 10; i++)
            assert_true(fabs(l[i] - l[ROWS - 10 + i]) <= 1e-13 * length(l, ROWS));
    }
    subject_free(&s);
    arena_free(a);
}

int main(void) {
    problem *problems = family_problems();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems),
        cmocka_unit_test_prestate(against_reference, problems),
        cmocka_unit_test(massless_coordinates),
        cmocka_unit_test(mass_ratio_is_not_dependence),
        cmocka_unit_test(quaternions),
        cmocka_unit_test(quaternions_near_an_axis),
        cmocka_unit_test(undetermined),
        cmocka_unit_test(indefinite),
        cmocka_unit_test(rounding_below_zero),
        cmocka_unit_test(not_finite),
        cmocka_unit_test(dropped_rows),
        cmocka_unit_test(left_out_rows),
        cmocka_unit_test(least_norm),
        cmocka_unit_test(nearness),
        cmocka_unit_test(habits),
        cmocka_unit_test_prestate(repeats, problems),
        cmocka_unit_test(large),
    };
    const struct CMUnitTest of_all[] = {cmocka_unit_test(least_norm_over_decades)};
    const solver_ops *const alternatives[] = {&solver_dense, &solver_sparse, &solver_kkt, &solver_chain,
                                              &solver_kernel};
    int failed = cmocka_run_group_tests_name("solver_new", of_all, NULL, NULL);
    for (size_t i = 0; i < sizeof alternatives / sizeof *alternatives; i++) {
        by = alternatives[i];
        may_be_unsure = by == &solver_kernel;
        print_message("%s\n", by->name);
        failed += cmocka_run_group_tests_name(by->name, tests, NULL, NULL);
    }
    free(problems);
    return failed;
}
