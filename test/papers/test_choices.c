/* What the papers leave to choose does not matter: alpha and z, g-inverses, {1,4}-inverses, bases, weights.
 * And the choices are of the classes that they must be of. */
#include "linear/weighted.h"
#include "papers/fixture.h"

#if defined(__SANITIZE_ADDRESS__)
enum { SYSTEMS = 100 };
#else
enum { SYSTEMS = 1000 };
#endif

static const random_class DEPENDENT = {"dependent rows", .dependent = true, .nonideal = true};
static const random_class SINGULAR = {"semi-definite M", .dependent = true, .nonideal = true,
                                      .semidefinite = true};

/* A system that is determined and not worse than that, with the default's result and the rank. */
static conditions draw(fixture *f, const random_class *class, random_system *s, result *r, int *rank) {
    conditions c = {INFINITY, INFINITY, false};
    *rank = 0;
    while (!(c.mass * c.rows < 1e8) || (!class->semidefinite && !c.definite)) {
        random_system_make(&f->dice, class, s);
        if (by_default(f, s, r, rank))
            c = conditions_of(f, s, *rank);
    }
    return c;
}

static double largest_difference(const random_system *s, const result *p, const result *q) {
    difference d = apart(s, p, q);
    return fmax(d.x, d.force);
}

static void report(const char *what, const random_class *class, int choices, double off) {
    print_message("%s, %s: %d systems, %d choices, largest difference %.1e\n", what, class->name, SYSTEMS,
                  choices, off);
}

/* ---- results do not depend on the choice ---- */

static double worst_of(fixture *f, const random_class *class, const char *name, const paper_choice *choices,
                       int count) {
    double off = 0;
    for (int k = 0; k < SYSTEMS; k++) {
        random_system s;
        result expected, r;
        int rank;
        draw(f, class, &s, &expected, &rank);
        for (int i = 0; i < count; i++) {
            paper_choice choice = choices[i];
            choice.seed = (unsigned)(k * count + i);
            by_paper(f, formulation_find(name), &choice, &s, rank, &r);
            off = fmax(off, largest_difference(&s, &r, &expected));
        }
    }
    return off;
}

static void alpha_and_z(void **state) {
    static const double alphas[] = {1e-3, 1e-2, 0.1, 1, 10, 100, 1e3}, ten[] = {10};
    static const paper_choice z[] = {
        {.z = Z_SPECIAL}, {.z = Z_RANDOM}, {.z = Z_GIVEN, .z_given = ten, .z_count = 1}};
    paper_choice choices[21];
    need_lapack();
    for (int i = 0; i < 21; i++) {
        choices[i] = z[i % 3];
        choices[i].alpha = alphas[i / 3];
    }
    double definite = worst_of(*state, &DEPENDENT, "auxiliary", choices, 21);
    double singular = worst_of(*state, &SINGULAR, "auxiliary", choices, 21);
    report("alpha from 1e-3 to 1e3 and z", &DEPENDENT, 21, definite);
    report("alpha from 1e-3 to 1e3 and z", &SINGULAR, 21, singular);
    assert_true(definite < 1e-8 && singular < 1e-8);
}

static void inverses_of_gauss(void **state) {
    paper_choice choices[16];
    need_lapack();
    for (int i = 0; i < 16; i++)
        choices[i] = (paper_choice){.g_inverse = i / 4, .least_squares = i % 4};
    double off = worst_of(*state, &DEPENDENT, "gauss", choices, 16);
    report("g-inverses and least-squares inverses", &DEPENDENT, 16, off);
    assert_true(off < 1e-9);
}

static void inverses_of_class_14(void **state) {
    paper_choice choices[5];
    need_lapack();
    for (int i = 0; i < 5; i++)
        choices[i] = (paper_choice){.inverse14 = i};
    double off = worst_of(*state, &DEPENDENT, "inverse14", choices, 5);
    report("{1,4}-inverses", &DEPENDENT, 5, off);
    assert_true(off < 1e-9);
}

static void bases(void **state) {
    paper_choice choices[4] = {
        {0}, {.basis = BASIS_RANDOM}, {.basis = BASIS_RANDOM}, {.basis = BASIS_RANDOM}};
    need_lapack();
    double off = worst_of(*state, &DEPENDENT, "dalembert", choices, 4);
    report("bases of the null space", &DEPENDENT, 4, off);
    assert_true(off < 1e-9);
}

/* ---- the choices are what they must be ---- */

// M and A in scaled units, rows at unit length, and no right sides
static paper matrices_of(fixture *f, const random_system *s, int rank) {
    matrices *w = &f->w;
    matrices_reset(w);
    paper p = {.w = w, .n = s->n, .m = s->m, .rank = rank};
    p.M = mat_copy(w, mat_wrap(s->M, s->n, s->n));
    p.A = mat_copy(w, mat_wrap(s->A, s->m, s->n));
    p.b = mat_copy(w, mat_wrap(s->b, s->m, 1));
    p.Q = mat_add(w, mat_wrap(s->Q, s->n, 1), mat_wrap(s->C, s->n, 1));
    for (int i = 0; i < s->n; i++) {
        for (int j = 0; j < s->n; j++)
            p.M.at[i * s->n + j] *= unit_of(s, i) * unit_of(s, j);
        p.Q.at[i] *= unit_of(s, i);
    }
    for (int i = 0; i < s->m * s->n; i++)
        p.A.at[i] *= unit_of(s, i % s->n);
    paper_unit_rows(&p.A, &p.b);
    return p;
}

static double off_by(matrices *w, mat x, mat y) {
    return mat_largest(mat_sub(w, x, y));
}

static double asymmetry(matrices *w, mat x) {
    return off_by(w, x, mat_transpose(w, x));
}

// B' (B B')- squares the condition of B, which is what they are compared with
static void class_14(void **state) {
    fixture *f = *state;
    double first = 0, fourth = 0, third = 0;
    need_lapack();
    for (int k = 0; k < SYSTEMS; k++) {
        random_system s;
        result r;
        int rank;
        mat half, inverse;
        double square = pow(draw(f, &DEPENDENT, &s, &r, &rank).rows, 2);
        for (int which = 0; which < 5; which++) {
            paper p = matrices_of(f, &s, rank);
            p.choice = (paper_choice){.inverse14 = which, .seed = (unsigned)k};
            assert_true(mat_roots(p.w, p.M, &half, &inverse));
            mat B = mat_mul(p.w, p.A, inverse);
            paper_unit_rows(&B, &p.b);
            mat X = paper_inverse14_of(&p, B), XB = mat_mul(p.w, X, B);
            first = fmax(first, off_by(p.w, mat_mul(p.w, B, XB), B) / square);
            fourth = fmax(fourth, asymmetry(p.w, XB) / square);
            if (which == X_SHIFTED && rank < s.m)
                third = fmax(third, asymmetry(p.w, mat_mul(p.w, B, X)));
        }
    }
    print_message("B X B = B to %.1e cond(B)^2, (X B)' = X B to %.1e cond(B)^2; B X is not symmetric: %.1e\n",
                  first, fourth, third);
    assert_true(first < 1e-13 && fourth < 1e-13);
    assert_true(third > 0.1); // they are no Moore-Penrose inverses in disguise
}

static void g_inverses(void **state) {
    fixture *f = *state;
    double first = 0, apart_by[4] = {0};
    need_lapack();
    for (int k = 0; k < SYSTEMS; k++) {
        random_system s;
        result r;
        int rank;
        draw(f, &DEPENDENT, &s, &r, &rank);
        for (int which = 0; which < 4; which++) {
            paper p = matrices_of(f, &s, rank);
            p.choice.seed = (unsigned)k;
            mat X = paper_g_inverse(&p, p.A, which);
            first = fmax(first, off_by(p.w, mat_mul(p.w, p.A, mat_mul(p.w, X, p.A)), p.A));
            apart_by[which] = fmax(apart_by[which], off_by(p.w, X, mat_pinv(p.w, p.A, rank)));
        }
    }
    print_message("D D- D = D to %.1e\n", first);
    assert_true(first < 1e-10);
    for (int which = 1; which < 4; which++)
        assert_true(apart_by[which] > 0.1);
}

// 001 eqs. 25, 26, and what a least-squares inverse of I - D-D gives instead
static void least_squares_inverses(void **state) {
    fixture *f = *state;
    double first = 0, third = 0;
    need_lapack();
    for (int k = 0; k < SYSTEMS; k++) {
        random_system s;
        result r;
        int rank;
        mat half, inverse;
        draw(f, &DEPENDENT, &s, &r, &rank);
        for (int which = 0; which < 16; which++) {
            paper p = matrices_of(f, &s, rank);
            matrices *w = p.w;
            p.choice = (paper_choice){.least_squares = which % 4, .seed = (unsigned)k};
            assert_true(mat_roots(w, p.M, &half, &inverse));
            mat D_minus = paper_g_inverse(&p, p.A, which / 4);
            mat free = mat_sub(w, mat_identity(w, s.n), mat_mul(w, D_minus, p.A));
            mat H = mat_mul(w, half, free), H_ls = paper_least_squares_inverse(&p, H, s.n - rank);
            mat HH_ls = mat_mul(w, H, H_ls);
            first = fmax(first, off_by(w, mat_mul(w, HH_ls, H), H) / fmax(1, mat_largest(H)));
            third = fmax(third, asymmetry(w, HH_ls));
        }
    }
    print_message("H H_ls H = H to %.1e, (H H_ls)' = H H_ls to %.1e\n", first, third);
    assert_true(first < 1e-9 && third < 1e-9);
}

/* 001 eq. 30b, q'' = D- g - (I - D-D) X (D- g - a), with X a least-squares inverse of I - D-D: in the metric
 * of M (eq. 29), or a plain one. */
static mat equation_30b(paper *p, mat half, mat inverse, bool in_metric) {
    matrices *w = p->w;
    mat D_minus = paper_g_inverse(p, p->A, 1), particular = mat_mul(w, D_minus, p->b);
    mat free = mat_sub(w, mat_identity(w, p->n), mat_mul(w, D_minus, p->A));
    mat a = mat_mul(w, inverse, mat_mul(w, inverse, p->Q));
    mat X = in_metric ? mat_mul(w, mat_pinv(w, mat_mul(w, half, free), p->n - p->rank), half)
                      : mat_pinv(w, free, p->n - p->rank);
    return mat_sub(w, particular, mat_mul(w, free, mat_mul(w, X, mat_sub(w, particular, a))));
}

static void plain_least_squares_inverse_is_wrong(void **state) {
    fixture *f = *state;
    double right_off = 0, multiple_off = 0;
    int wrong = 0, tried = 0;
    need_lapack();
    for (int k = 0; k < SYSTEMS; k++) {
        random_system s;
        result r;
        int rank;
        mat half, inverse, x;
        draw(f, &DEPENDENT, &s, &r, &rank);
        if (rank == 0 || rank == s.n)
            continue;
        paper p = matrices_of(f, &s, rank);
        x = mat_new(p.w, s.n, 1);
        for (int j = 0; j < s.n; j++)
            x.at[j] = r.x[j] / unit_of(&s, j);
        double size = mat_largest(x);
        assert_true(mat_roots(p.w, p.M, &half, &inverse));
        right_off = fmax(right_off, off_by(p.w, equation_30b(&p, half, inverse, true), x) / size);
        wrong += off_by(p.w, equation_30b(&p, half, inverse, false), x) > 1e-3 * size;
        tried++;
        p.M = mat_scale(p.w, 3, mat_identity(p.w, s.n)); // where M is a multiple of I, it is right
        assert_true(mat_roots(p.w, p.M, &half, &inverse));
        x = equation_30b(&p, half, inverse, true);
        multiple_off =
            fmax(multiple_off, off_by(p.w, equation_30b(&p, half, inverse, false), x) / mat_largest(x));
    }
    print_message(
        "eq. 30b to %.1e; with a plain least-squares inverse wrong in %d of %d systems, and right to "
        "%.1e for M = 3 I\n",
        right_off, wrong, tried, multiple_off);
    assert_true(tried > SYSTEMS / 2 && right_off < 1e-9 && wrong > 0.9 * tried && multiple_off < 1e-9);
}

/* ---- weights ---- */

static mat random_definite(dice *d, matrices *w, int n) {
    mat L = mat_new(w, n, n);
    for (int i = 0; i < n * n; i++)
        L.at[i] = normal(d);
    return mat_add(w, mat_mul(w, L, mat_transpose(w, L)), mat_scale(w, 0.5, mat_identity(w, n)));
}

static mat diagonal(matrices *w, const double *at, int n) {
    mat x = mat_new(w, n, n);
    for (int i = 0; i < n; i++)
        x.at[i * n + i] = at[i];
    return x;
}

static mat block_diagonal(matrices *w, mat x, mat y) {
    return mat_stack(w, mat_beside(w, x, mat_new(w, x.rows, y.cols)),
                     mat_beside(w, mat_new(w, y.rows, x.cols), y));
}

/* 003 eqs. 23, 38: r = (L'W L)^-1 L'W s with L = [I -I; B 0; 0 V'], s = (a_s, b, 0); M^-1/2 times its upper
 * half. W = diag(W1, W2 of the rows, W3), W1 and W3 arbitrary. */
static mat equation_38(fixture *f, const random_system *s, int rank, mat W2) {
    matrices *w = &f->w;
    int n = s->n, free = n - rank;
    mat half, inverse, I = mat_identity(w, n);
    assert_true(mat_roots(w, mat_wrap(s->M, n, n), &half, &inverse));
    mat B = mat_mul(w, mat_wrap(s->A, s->m, n), inverse), V = mat_null(w, B, rank);
    mat upper = mat_beside(w, I, mat_scale(w, -1, I)), middle = mat_beside(w, B, mat_new(w, s->m, n));
    mat L =
        mat_stack(w, mat_stack(w, upper, middle), mat_beside(w, mat_new(w, free, n), mat_transpose(w, V)));
    mat given = mat_stack(w, mat_mul(w, inverse, mat_wrap(s->Q, n, 1)), mat_wrap(s->b, s->m, 1));
    given = mat_stack(w, given, mat_new(w, free, 1));
    mat W = block_diagonal(w, random_definite(&f->dice, w, n), W2);
    W = block_diagonal(w, W, random_definite(&f->dice, w, free));
    mat L_tW = mat_mul(w, mat_transpose(w, L), W);
    mat K = mat_mul(w, L_tW, L), r = mat_new(w, 2 * n, 1);
    for (int k = 0; k < 3; k++) // again on what is left of L r = s: weights of 1e6 cost digits
        r = mat_add(w, r, mat_solve(w, K, mat_mul(w, L_tW, mat_sub(w, given, mat_mul(w, L, r)))));
    return mat_mul(w, inverse, mat_block(w, r, 0, 0, n, 1));
}

// all rows measured, turned into exact ones for the default solver
static void by_weights(fixture *f, const random_system *s, const double *weight, double *x) {
    double R[MOST_M * MOST_N], r[MOST_M], multiplier[MOST_M];
    arena *a = arena_child(f->arena);
    int rows = weighted_rows(weighted_new(a, s->n, 0, s->m), NULL, CUT, s->A, s->b, weight, R, r);
    dense *d = dense_new(a, s->n, rows);
    assert_int_equal(dense_factor(d, s->M, R, CUT), DENSE_OK);
    dense_solve(d, s->Q, r, x, multiplier);
    arena_free(a);
}

static double relative(const double *x, const double *y, int n) {
    double off = 0, size = 0;
    for (int j = 0; j < n; j++) {
        off = fmax(off, fabs(x[j] - y[j]));
        size = fmax(size, fabs(y[j]));
    }
    return off > 0 ? off / size : 0;
}

static void weights(void **state) {
    static const random_class class = {"weights", .dependent = true};
    fixture *f = *state;
    double consistent = 0, literal = 0, contradicting = 0;
    need_lapack();
    for (int k = 0; k < SYSTEMS; k++) {
        random_system s;
        result r;
        int rank;
        double weight[MOST_M], x[MOST_N];
        draw(f, &class, &s, &r, &rank);
        for (int i = 0; i < s.m; i++)
            weight[i] = decades(&f->dice, 3);
        matrices_reset(&f->w);
        mat W = diagonal(&f->w, weight, s.m);
        by_weights(f, &s, weight, x);
        consistent = fmax(consistent, relative(x, r.x, s.n));
        literal = fmax(literal, relative(equation_38(f, &s, rank, W).at, r.x, s.n));
        for (int i = 0; i < s.m; i++)
            s.b[i] += normal(&f->dice);
        by_weights(f, &s, weight, x);
        contradicting = fmax(contradicting, relative(equation_38(f, &s, rank, W).at, x, s.n));
        assert_false(f->w.failed);
    }
    print_message(
        "weights from 1e-3 to 1e3, %d systems: consistent rows %.1e, by eq. 38 %.1e; contradicting rows, "
        "eq. 38 against weight %.1e\n",
        SYSTEMS, consistent, literal, contradicting);
    assert_true(consistent < 1e-9 && literal < 1e-9 && contradicting < 1e-9);
}

/* A symmetric W of all rows, as weighted_uncouple makes weights of it: of rows that are dependent, and then
 * contradict each other. */
static void general_weights(void **state) {
    static const random_class class = {"weights", .dependent = true};
    fixture *f = *state;
    double off = 0;
    int tried = 0;
    need_lapack();
    for (int k = 0; k < SYSTEMS; k++) {
        random_system s;
        result r;
        int rank;
        double weight[MOST_M], x[MOST_N];
        draw(f, &class, &s, &r, &rank);
        if (s.m < 2 || s.m > 4)
            continue;
        matrices_reset(&f->w);
        matrices *w = &f->w;
        mat W = random_definite(&f->dice, w, s.m), L = mat_copy(w, W);
        for (int i = 0; i < s.m; i++)
            s.b[i] += normal(&f->dice);
        mat expected = equation_38(f, &s, rank, W);
        assert_true(weighted_uncouple(L.at, s.m));
        for (int i = 0; i < s.m; i++) {
            weight[i] = L.at[i * s.m + i];
            for (int j = i + 1; j < s.m; j++) {
                double l = L.at[j * s.m + i];
                for (int c = 0; c < s.n; c++)
                    s.A[i * s.n + c] += l * s.A[j * s.n + c];
                s.b[i] += l * s.b[j];
            }
        }
        by_weights(f, &s, weight, x);
        off = fmax(off, relative(expected.at, x, s.n));
        tried++;
        assert_false(f->w.failed);
    }
    print_message("symmetric W of contradicting rows, %d systems: eq. 38 against weights %.1e\n", tried, off);
    assert_true(tried > SYSTEMS / 10 && off < 1e-9);
}

static void indefinite_weights(void **state) {
    double root = sqrt(2), negative[] = {-1}, saddle[] = {1, 2, 2, 1}, hollow[] = {0, 1, 1, 3};
    double single[] = {2, root, root, 1}, zero[] = {0, 0, 0, 3};
    double three[] = {1, 0.9, -0.9, 0.9, 1, 0.9, -0.9, 0.9, 1}; // each pair is definite, all three are not
    assert_false(weighted_uncouple(negative, 1));
    assert_false(weighted_uncouple(saddle, 2));
    assert_false(weighted_uncouple(hollow, 2));
    assert_false(weighted_uncouple(three, 3));
    assert_true(weighted_uncouple(single, 2) && single[3] == 0);
    assert_true(weighted_uncouple(zero, 2) && zero[3] == 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alpha_and_z),
        cmocka_unit_test(inverses_of_gauss),
        cmocka_unit_test(inverses_of_class_14),
        cmocka_unit_test(bases),
        cmocka_unit_test(class_14),
        cmocka_unit_test(g_inverses),
        cmocka_unit_test(least_squares_inverses),
        cmocka_unit_test(plain_least_squares_inverse_is_wrong),
        cmocka_unit_test(weights),
        cmocka_unit_test(general_weights),
        cmocka_unit_test(indefinite_weights),
    };
    return cmocka_run_group_tests(tests, fixture_start, fixture_stop);
}
