/* Accelerations and forces of models given as text: against closed forms, and against the defining equations
 * in 113 bits. */
#include "support/build.h"
#include "system/rates.h"

#include "support/exact.h"

#include <stdlib.h>

enum { SIDE = 8, TEXT = 40000 };

// ---- values after an evaluation

static void evaluate(const built *b, double t, const double *q, const double *v) {
    assert_int_equal(solve_acceleration(b->sys, b->st, t, q, v).status, SOLVE_OK);
    solve_forces(b->sys, b->st);
    solve_results(b->sys, b->st);
    state_run(b->sys, b->st, STAGE_OUTPUT);
}

static double output(const built *b, const char *name) {
    for (int i = 0; i < b->model->outputs.count; i++)
        if (strcmp(names_text(b->model->names, b->model->outputs.at[i].name), name) == 0)
            return b->st->y[STAGE_OUTPUT][i];
    fail_msg("there is no output '%s'", name);
    return 0;
}

// ---- non-ideal constraints

/* A block that slides down an incline with Coulomb friction. Along the slope a = g (sin - mu cos), the normal
 * force is m g cos. */
static void friction_on_an_incline(void **state) {
    const double m = 2.5, g = 9.81, alpha = 0.6, mu = 0.3;
    built b = build("param m = 2.5, g = 9.81, alpha = 0.6, mu = 0.3\n"
                    "coord x, y\n"
                    "kinetic m/2*(x'^2 + y'^2)\npotential m*g*y\n"
                    "constraint slope: y = -tan(alpha)*x\n"
                    "let N = sqrt(reaction(x)^2 + reaction(y)^2)\n"
                    "let speed = sqrt(x'^2 + y'^2)\n"
                    "nonideal x = -mu*N*x'/speed\nnonideal y = -mu*N*y'/speed\n"
                    "output rx = reaction(x)\noutput ry = reaction(y)\n"
                    "output sx = reaction(x, slope)\noutput sy = reaction(y, slope)\n"
                    "output lambda = multiplier(slope)\noutput p = power(slope)\noutput gauss = gaussian\n");
    for (int sign = -1; sign <= 1; sign += 2) { // down and up the slope
        const double speed = 3 * sign, c = cos(alpha), s = sin(alpha);
        const double q[] = {1, -tan(alpha)}, v[] = {speed * c, -speed * s};
        evaluate(&b, 0, q, v);
        double a = g * (s - sign * mu * c), N = m * g * c, f = mu * N * sign;
        assert_near(b.st->qdd[0], a * c, 1e-13);
        assert_near(b.st->qdd[1], -a * s, 1e-13);
        assert_near(output(&b, "rx"), N * s - f * c, 1e-12); // normal force and friction
        assert_near(output(&b, "ry"), N * c + f * s, 1e-12);
        assert_near(output(&b, "sx"), N * s, 1e-12); // the share of the constraint is the normal force alone
        assert_near(output(&b, "sy"), N * c, 1e-12);
        assert_near(output(&b, "lambda"), N * c, 1e-12); // A = (tan, 1)
        assert_near(output(&b, "p"), 0, 1e-12);
        assert_near(output(&b, "gauss"), N * N / m, 1e-11);
    }
    demolish(&b);
}

/* Friction that depends on one of two constraints: a bead between a floor (y = 0) and a wall (z = 0),
 * friction from the wall's force only. In the output reaction(y) is the total force. */
static void reaction_of_one_constraint(void **state) {
    built b =
        build("coord x, y, z\n"
              "kinetic (x'^2 + y'^2 + z'^2)/2\n"
              "force y = -5\nforce z = -7\nforce x = 1\n"
              "constraint floor_: y = 0\nconstraint wall: z = 0\n"
              "nonideal x = -0.1*abs(multiplier(wall)) - 0.01*reaction(z, wall) - 0.001*reaction(z, floor_)\n"
              "nonideal y = 3\n"
              "output ry = reaction(y)\noutput sy = reaction(y, floor_)\noutput sz = reaction(z, floor_)\n");
    evaluate(&b, 0, (double[]){0, 0, 0}, (double[]){1, 0, 0});
    assert_near(b.st->qdd[0], 1 - 0.7 - 0.07, 1e-15);
    assert_near(b.st->qdd[1], 0, 1e-15);
    assert_near(output(&b, "ry"), 5, 1e-15); // what holds it, the non-ideal part included
    assert_near(output(&b, "sy"), 2, 1e-15);
    assert_near(output(&b, "sz"), 0, 1e-15);
    demolish(&b);
}

// C without reactions: the constraint does the work C'v under virtual displacements v (000 eq. 3.46)
static void given_nonideal_force(void **state) {
    built b = build("param c = 0.4\ncoord x, y\nkinetic (x'^2 + 3*y'^2)/2\npotential 2*x\n"
                    "constraint k: x^2 + y^2 = 25\nnonideal x = -c*x'\nnonideal y = -c*y'\n"
                    "output rx = reaction(x)\noutput ry = reaction(y)\n"
                    "output sx = reaction(x, k)\noutput sy = reaction(y, k)\n");
    const double q[] = {3, 4}, v[] = {4, -3};
    evaluate(&b, 0, q, v);
    // x x'' + y y'' = -25; tangent (4, -3): 4 (x'' + 2 + c 4) - 3 (3 y'' - c 3) = 0
    double xdd = b.st->qdd[0], ydd = b.st->qdd[1];
    assert_near(3 * xdd + 4 * ydd, -25, 1e-13);
    assert_near(4 * (xdd + 2 + 1.6) - 3 * (3 * ydd - 1.2), 0, 1e-13);
    assert_near(output(&b, "rx"), xdd + 2, 1e-13);
    assert_near(output(&b, "ry"), 3 * ydd, 1e-13);
    assert_near(output(&b, "sx"), output(&b, "rx") + 1.6, 1e-13);
    assert_near(output(&b, "sy"), output(&b, "ry") - 1.2, 1e-13);
    demolish(&b);
}

// ---- what the results mean

static void results(void **state) {
    built b = build(
        "coord x, y, z\nkinetic x'^2 + y'^2/2 + 2*z'^2 + x*z' + 3*x*y\npotential 4*x\n"
        "constraint one: x + 2*y = t^2\ncontrol two: z*x' = 3\n"
        "output T = kinetic\noutput V = potential\noutput E = energy\noutput J = jacobi\n"
        "output cx = control(x)\noutput cz = control(z)\noutput p1 = power(one)\noutput p2 = power(two)\n"
        "output l1 = multiplier(one)\noutput l2 = multiplier(two)\noutput rx = reaction(x)\n"
        "output s1 = reaction(x, one)\noutput s2 = reaction(x, two)\noutput r = rank\n"
        "output e1 = residual(one)\noutput e2 = residual(two)\noutput ax = x''\noutput g = gaussian\n");
    const double q[] = {0.5, 0.2, 1.5}, v[] = {2, -1, 0.7};
    evaluate(&b, 0.3, q, v);
    double T2 = 4 + 0.5 + 2 * 0.49, T1 = 0.5 * 0.7, T0 = 3 * 0.5 * 0.2, V = 2;
    assert_near(output(&b, "T"), T2 + T1 + T0, 1e-14);
    assert_near(output(&b, "V"), V, 1e-14);
    assert_near(output(&b, "E"), T2 + T1 + T0 + V, 1e-14);
    assert_near(output(&b, "J"), T2 - T0 + V, 1e-14);
    // M = diag(2, 1, 4), Q = (3 y + z' - 4, 3 x, -x'); x'' + 2 y'' = 2, z x'' = -z' x'
    double xdd = -0.7 * 2 / 1.5, ydd = (2 - xdd) / 2, Q[] = {3 * 0.2 + 0.7 - 4, 1.5, -2};
    double l1 = (ydd - Q[1]) / 2, l2 = (2 * xdd - Q[0] - l1) / 1.5;
    assert_near(output(&b, "ax"), xdd, 1e-14);
    assert_near(b.st->qdd[1], ydd, 1e-14);
    assert_near(b.st->qdd[2], -0.5, 1e-14);
    assert_near(output(&b, "l1"), l1, 1e-14);
    assert_near(output(&b, "l2"), l2, 1e-14);
    assert_near(output(&b, "rx"), 2 * xdd - Q[0], 1e-14);
    assert_near(output(&b, "s1"), l1, 1e-14);
    assert_near(output(&b, "s2"), 1.5 * l2, 1e-14);
    assert_near(output(&b, "cx"), 1.5 * l2, 1e-14);
    assert_near(output(&b, "cz"), 0, 1e-15);
    assert_near(output(&b, "p1"), l1 * (2 - 2), 1e-14);
    assert_near(output(&b, "p2"), l2 * 1.5 * 2, 1e-13);
    assert_near(output(&b, "r"), 2, 0);
    assert_near(output(&b, "e1"), 0.9 - 0.09, 1e-15);
    assert_near(output(&b, "e2"), 0, 1e-15);
    double r[] = {2 * xdd - Q[0], ydd - Q[1], 0};
    assert_near(output(&b, "g"), r[0] * r[0] / 2 + r[1] * r[1], 1e-13);
    demolish(&b);
}

// with singular M there is no acceleration without constraints to compare with
static void no_gaussian(void **state) {
    built b = build("coord x, y\nmass x = 1\nforce x = 2\nconstraint c: x = y\noutput g = gaussian\n");
    evaluate(&b, 0, (double[]){0, 0}, (double[]){0, 0});
    assert_near(b.st->qdd[1], 2, 1e-14);
    assert_true(isnan(output(&b, "g")));
    demolish(&b);
}

/* A constraint written k times gives the motion of one, and each of the k the same share; written with a
 * factor, shares go with the factor (least Euclidean norm, rows as written). */
static void duplicates_share(void **state) {
    built b =
        build("coord x, y\nkinetic (x'^2 + y'^2)/2\nforce x = 3\nforce y = -10\n"
              "for i in 1..5: constraint c[i]: x + y = 0\n"
              "constraint twice: 2*x + 2*y = 0\nconstraint other: x - y = 0\n"
              "output l = multiplier(c[3])\noutput lt = multiplier(twice)\noutput lo = multiplier(other)\n"
              "output r = rank\noutput rx = reaction(x)\n"
              "output sum_ = sum(i in 1..5: reaction(x, c[i])) + reaction(x, twice) + reaction(x, other)\n");
    evaluate(&b, 0, (double[]){0, 0}, (double[]){0, 0});
    // reaction (-3, 10) = total (1, 1) + other (1, -1): total = 3.5, other = -6.5; 5 l + 2 (2 l) = total
    for (int i = 0; i < 5; i++)
        assert_near(b.st->multiplier[i], 3.5 / 9, 1e-14);
    assert_near(output(&b, "l"), 3.5 / 9, 1e-14);
    assert_near(output(&b, "lt"), 7.0 / 9, 1e-14);
    assert_near(output(&b, "lo"), -6.5, 1e-14);
    assert_near(output(&b, "r"), 2, 0);
    assert_near(output(&b, "rx"), -3, 1e-14);
    assert_near(output(&b, "sum_"), -3, 1e-14);
    demolish(&b);
}

// ---- random systems with constant coefficients: M q'' = Q, A q'' = b, measured rows E q'' = f, C

typedef struct {
    int n, m, k;
    bool nonideal;
    double M[SIDE * SIDE], Q[SIDE], C[SIDE], A[2 * SIDE * SIDE], b[2 * SIDE];
    double E[SIDE * SIDE], f[SIDE], weight[SIDE];
} problem;

static char *put(char *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
static char *put(char *to, const char *format, ...) {
    va_list args;
    va_start(args, format);
    to += vsprintf(to, format, args);
    va_end(args);
    return to;
}

static char *put_row(char *to, const double *row, int n, double right) {
    for (int j = 0; j < n; j++)
        to = put(to, "%s(%.17g)*q[%d]''", j ? " + " : "", row[j], j + 1);
    return put(to, " = %.17g\n", right);
}

// measured rows stand between the others, so that the numbering is put to the test
static void problem_text(const problem *p, char *to) {
    to = put(to, "coord q[1..%d]\n", p->n);
    for (int i = 0; i < p->n; i++) {
        to = put(to, "mass q[%d] = %.17g\nforce q[%d] = %.17g\n", i + 1, p->M[i * p->n + i], i + 1, p->Q[i]);
        for (int j = 0; j < i; j++)
            if (p->M[i * p->n + j] != 0)
                to = put(to, "mass q[%d] q[%d] = %.17g\n", i + 1, j + 1, p->M[i * p->n + j]);
        if (p->nonideal)
            to = put(to, "nonideal q[%d] = %.17g\n", i + 1, p->C[i]);
    }
    for (int i = 0; i < p->m || i < p->k; i++) {
        if (i < p->k) {
            to = put(to, "constraint soft[%d] (weight = %.17g): ", i + 1, p->weight[i]);
            to = put_row(to, p->E + i * p->n, p->n, p->f[i]);
        }
        if (i < p->m) {
            to = put(to, "constraint c[%d]: ", i + 1);
            to = put_row(to, p->A + i * p->n, p->n, p->b[i]);
        }
    }
}

static double whole(dice *d) { // numbers whose products and sums are exact
    return below(d, 9) - 4;
}

static void random_mass(problem *p, dice *d) {
    double R[SIDE * SIDE];
    int n = p->n, rank = below(d, 3) ? n : below(d, n + 1);
    for (int i = 0; i < n * n; i++)
        R[i] = i / n < rank ? whole(d) + (i / n == i % n ? 9 : 0) : 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                p->M[i * n + j] += R[k * n + i] * R[k * n + j];
}

static problem random_problem(dice *d, bool measured) {
    problem p = {.n = 1 + below(d, SIDE), .nonideal = below(d, 2)};
    int n = p.n, independent = below(d, n + 1);
    p.m = independent ? independent + below(d, 4) : 0;
    random_mass(&p, d);
    for (int i = 0; i < n; i++) {
        p.Q[i] = whole(d);
        p.C[i] = p.nonideal ? whole(d) : 0;
    }
    for (int i = 0; i < p.m; i++) { // rows beyond the independent ones are combinations, also on the right
        int one = below(d, independent ? independent : 1), other = below(d, independent ? independent : 1);
        double f = whole(d), g = whole(d);
        for (int j = 0; j < n; j++)
            p.A[i * n + j] = i < independent ? whole(d) : f * p.A[one * n + j] + g * p.A[other * n + j];
        p.b[i] = i < independent ? whole(d) : f * p.b[one] + g * p.b[other];
    }
    p.k = measured ? 1 + below(d, SIDE) : 0;
    for (int i = 0; i < p.k; i++) { // some repeat others, with another result
        p.f[i] = whole(d);
        p.weight[i] = decades(d, 2);
        for (int j = 0; j < n; j++)
            p.E[i * n + j] = i && below(d, 3) == 0 ? p.E[(i - 1) * n + j] : whole(d);
    }
    return p;
}

/* x that minimises (x - a)'M(x - a) under K x = k, whose rows may depend on each other. False if there is
 * none (the rows contradict each other) or more than one. */
static bool exact_solution(const problem *p, real K[][MOST], const real *k, int rows, real *x) {
    static real S[MOST][MOST];
    int n = p->n, unknown[MOST], size = n + rows;
    memset(S, 0, sizeof S);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            S[i][j] = p->M[i * n + j];
        S[i][size] = p->Q[i] + p->C[i];
    }
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < n; j++)
            S[n + i][j] = S[j][n + i] = K[i][j];
        S[n + i][size] = k[i];
    }
    int rank = exact_reduce(S, size, size + 1, size, 1e-18, unknown);
    for (int i = rank; i < size; i++)
        if (real_abs(S[i][size]) > 1e-18)
            return false;
    int found = 0;
    for (int i = 0; i < rank; i++) {
        if (unknown[i] >= n)
            continue;
        for (int j = 0; j < n; j++)
            if (j != unknown[i] && real_abs(S[i][j]) > 1e-18)
                return false; // it depends on another that is free
        x[unknown[i]] = S[i][size];
        found++;
    }
    return found == n;
}

static int fill_exact_rows(const problem *p, real K[][MOST], real *k) {
    for (int i = 0; i < p->m; i++) {
        k[i] = p->b[i];
        for (int j = 0; j < p->n; j++)
            K[i][j] = p->A[i * p->n + j];
    }
    return p->m;
}

static bool has_zero_row(const double *A, int m, int n) {
    for (int i = 0; i < m; i++) {
        bool zero = true;
        for (int j = 0; j < n; j++)
            zero &= A[i * n + j] == 0;
        if (zero)
            return true; // a text without a coordinate in it
    }
    return false;
}

// [M; A] has full rank
static bool determined(const problem *p) {
    double stacked[3 * SIDE * SIDE];
    static real v[MOST][MOST];
    memcpy(stacked, p->M, (size_t)(p->n * p->n) * sizeof(double));
    memcpy(stacked + p->n * p->n, p->A, (size_t)(p->m * p->n) * sizeof(double));
    return exact_null_space(stacked, p->n + p->m, p->n, v) == 0;
}

// A q'' = b; v'(M q'' - Q - C) = 0 for all v with A v = 0; no other possible acceleration is better
static void check_principles(const problem *p, const trm_state *st, double scale, dice *d) {
    static real v[MOST][MOST];
    int n = p->n, free = exact_null_space(p->A, p->m, n, v);
    real force[SIDE], x[SIDE];
    for (int i = 0; i < p->m; i++) {
        double off = -p->b[i];
        for (int j = 0; j < n; j++)
            off += p->A[i * n + j] * st->qdd[j];
        assert_near_scaled(off, 0, 1e-10, scale);
    }
    for (int i = 0; i < n; i++) {
        force[i] = -(real)p->Q[i] - p->C[i];
        for (int j = 0; j < n; j++)
            force[i] += (real)p->M[i * n + j] * st->qdd[j];
        assert_near_scaled(st->reaction[i], (double)(force[i] + p->C[i]), 1e-10, scale);
    }
    for (int l = 0; l < free; l++) {
        real work = 0;
        for (int j = 0; j < n; j++)
            work += v[l][j] * force[j];
        assert_near_scaled((double)work, 0, 1e-10, scale);
    }
    for (int trial = 0; trial < 5; trial++) { // Gauss: x'Mx - 2 x'(Q + C) is least at q''
        memset(x, 0, sizeof x);
        for (int l = 0; l < free; l++) {
            real c = normal(d);
            for (int j = 0; j < n; j++)
                x[j] += c * v[l][j];
        }
        real more = 0;
        for (int i = 0; i < n; i++) {
            more += 2 * x[i] * force[i];
            for (int j = 0; j < n; j++)
                more += x[i] * p->M[i * n + j] * x[j];
        }
        assert_true(more >= -1e-9 * scale);
    }
}

// A'l = M q'' - Q - C with l orthogonal to every l0 with A'l0 = 0
static void check_multipliers(const problem *p, const built *b, double scale) {
    static real v[MOST][MOST];
    int n = p->n;
    double transposed[2 * SIDE * SIDE], l[2 * SIDE];
    for (int i = 0, row = 0; i < p->m; i++, row++) {
        while (b->sys->rows[row].weighted)
            row++;
        l[i] = b->st->multiplier[row];
        for (int j = 0; j < n; j++)
            transposed[j * p->m + i] = p->A[i * n + j];
    }
    for (int j = 0; j < n && p->k == 0; j++) {
        double off = b->st->reaction[j] - p->C[j];
        for (int i = 0; i < p->m; i++)
            off -= p->A[i * n + j] * l[i];
        assert_near_scaled(off, 0, 1e-10, scale);
    }
    int free = p->m ? exact_null_space(transposed, n, p->m, v) : 0;
    for (int k = 0; k < free; k++) {
        real dot = 0;
        for (int i = 0; i < p->m; i++)
            dot += v[k][i] * l[i];
        assert_near_scaled((double)dot, 0, 1e-10, scale);
    }
    assert_int_equal(b->st->found.rank, p->m - free);
    for (int i = 0; i < b->sys->soft_count; i++)
        assert_true(b->st->multiplier[b->sys->soft_rows[i]] == 0);
}

static void random_systems(void **state) {
    static char given[TEXT];
    static real K[MOST][MOST];
    dice d = {4};
    const double zero[SIDE] = {0};
    int solved = 0;
    for (int trial = 0; trial < 1500; trial++) {
        problem p = random_problem(&d, false);
        if (has_zero_row(p.A, p.m, p.n))
            continue;
        real k[MOST], x[MOST];
        problem_text(&p, given);
        built b = build(given);
        if (!determined(&p)) {
            assert_int_equal(solve_acceleration(b.sys, b.st, 0, zero, zero).status, SOLVE_UNDETERMINED);
            demolish(&b);
            continue;
        }
        if (exact_solution(&p, K, k, fill_exact_rows(&p, K, k), x)) {
            double scale = 1;
            assert_int_equal(solve_acceleration(b.sys, b.st, 0, zero, zero).status, SOLVE_OK);
            solve_forces(b.sys, b.st);
            for (int i = 0; i < p.n; i++)
                scale = fmax(scale, fabs((double)x[i]));
            for (int i = 0; i < p.n; i++)
                assert_near_scaled(b.st->qdd[i], (double)x[i], 1e-11, scale);
            check_principles(&p, b.st, 1000 * scale, &d);
            check_multipliers(&p, &b, 1000 * scale);
            solved++;
        }
        demolish(&b);
    }
    assert_true(solved > 600);
}

/* ---- measured rows: A x = b, then least sum w (E x - f)^2, then least (x - a)'M(x - a) */

// the conditions Z'E'W (E x - f) = 0, Z a basis of the null space of A
static int add_conditions(const problem *p, real K[][MOST], real *k, int rows) {
    static real Z[MOST][MOST];
    int n = p->n, free = exact_null_space(p->A, p->m, n, Z);
    for (int l = 0; l < free; l++) {
        memset(K[rows], 0, sizeof K[rows]);
        k[rows] = 0;
        for (int e = 0; e < p->k; e++) {
            real g = 0;
            for (int j = 0; j < n; j++)
                g += p->E[e * n + j] * Z[l][j];
            for (int j = 0; j < n; j++)
                K[rows][j] += p->weight[e] * g * p->E[e * n + j];
            k[rows] += p->weight[e] * g * p->f[e];
        }
        rows++;
    }
    return rows;
}

static void random_measurements(void **state) {
    static char given[TEXT];
    static real K[MOST][MOST];
    dice d = {40};
    const double zero[SIDE] = {0};
    int solved = 0;
    for (int trial = 0; trial < 500; trial++) {
        problem p = random_problem(&d, true);
        if (has_zero_row(p.A, p.m, p.n) || has_zero_row(p.E, p.k, p.n))
            continue;
        real k[MOST], x[MOST];
        int rows = fill_exact_rows(&p, K, k);
        rows = add_conditions(&p, K, k, rows);
        if (!exact_solution(&p, K, k, rows, x))
            continue;
        problem_text(&p, given);
        built b = build(given);
        assert_int_equal(b.sys->m - b.sys->soft_count, p.m);
        assert_int_equal(solve_acceleration(b.sys, b.st, 0, zero, zero).status, SOLVE_OK);
        solve_forces(b.sys, b.st);
        double scale = 1;
        for (int i = 0; i < p.n; i++)
            scale = fmax(scale, fabs((double)x[i]));
        for (int i = 0; i < p.n; i++)
            assert_near_scaled(b.st->qdd[i], (double)x[i], 1e-10, scale);
        check_multipliers(&p, &b, 1000 * scale);
        solved++;
        demolish(&b);
    }
    assert_true(solved > 250);
}

// two measurements of one acceleration: their weighted mean, whatever the unit of the weights; w may depend
// on t
static void weighted_mean(void **state) {
    built b = build("param unit = 1\ncoord x, y\nkinetic (x'^2 + 5*y'^2)/2\nforce x = 100\nforce y = 10\n"
                    "constraint one (weight = 3*unit): x'' = 2\n"
                    "constraint two (weight = unit*(1 + t)): x' = 6*t\n"
                    "output r = rank\noutput e = residual(one)\n");
    for (int k = 0; k < 3; k++) {
        double t = k, w = 1 + t;
        evaluate(&b, t, (double[]){0, 0}, (double[]){0.5, 0});
        assert_near(b.st->qdd[0], (3 * 2 + w * 6) / (3 + w), 1e-14);
        assert_near(b.st->qdd[1], 2, 1e-15); // what is not measured moves as it would
        assert_near(output(&b, "r"), 0, 0);
    }
    demolish(&b);
    const char *const weights[] = {"1e-9", "1e9"}; // only ratios matter, none where rows are consistent
    for (int k = 0; k < 2; k++) {
        char given[400];
        snprintf(given, sizeof given,
                 "coord x, y\nmass x = 1\nmass y = 1\nforce y = 4\nconstraint hard: x'' + y'' = 1\n"
                 "constraint a (weight = %s): x'' = 3\nconstraint b (weight = 1): 2*x'' = 6\n",
                 weights[k]);
        b = build(given);
        evaluate(&b, 0, (double[]){0, 0}, (double[]){0, 0});
        assert_near(b.st->qdd[0], 3, 1e-14);
        assert_near(b.st->qdd[1], -2, 1e-14);
        demolish(&b);
    }
}

/* The force of controls with weights is theirs; where they disagree with a constraint that has one, they
 * share it by weight. By all formulations alike. */
static void weighted_controls(void **state) {
    built b = build("coord x, y\nkinetic (x'^2 + y'^2)/2\ncontrol a (weight = 1): x = t^2\n"
                    "control b (weight = 3): x = 2*t^2\ncontrol c: y = 3*t^2\n"
                    "output u = control(x)\noutput v = control(y)\noutput ff = feedforward(x)\n");
    built shared = build("coord x\nkinetic x'^2/2\ncontrol a (weight = 1): x'' = 2\n"
                         "constraint b (weight = 3): x'' = 4\noutput u = control(x)\n");
    for (int k = -1; k < FORMULATIONS; k++) {
        if (k >= 0) {
            solve_use(b.sys, b.st, formulations[k], NULL);
            solve_use(shared.sys, shared.st, formulations[k], NULL);
        }
        evaluate(&b, 0, (double[]){0, 0}, (double[]){0, 0});
        assert_near(output(&b, "u"), 3.5, 1e-13);
        assert_near(output(&b, "v"), 6, 1e-13);
        assert_near(output(&b, "ff"), 3.5, 1e-13);
        evaluate(&shared, 0, (double[]){0}, (double[]){0});
        assert_near(output(&shared, "u"), 3.5 / 4, 1e-13);
    }
    demolish(&b);
    demolish(&shared);
}

// a measured row never bends one without weight
static void measured_against_hard(void **state) {
    built b =
        build("coord x\nmass x = 1\nconstraint hard: x'' = 1\nconstraint soft (weight = 1e12): x'' = 5\n");
    evaluate(&b, 0, (double[]){0}, (double[]){0});
    assert_near(b.st->qdd[0], 1, 1e-15);
    assert_near(b.st->multiplier[0], 1, 1e-12);
    demolish(&b);
}

// ---- what cannot be solved

static solve_status status_of(const char *given, bool *named) {
    const double q[SIDE] = {0.1, 0.2, 0.3, 0.4}, v[SIDE] = {0};
    built b = build(given);
    solve_status status = solve_acceleration(b.sys, b.st, 0, q, v).status;
    bool all[SIDE] = {0};
    if (status == SOLVE_UNDETERMINED || status == SOLVE_INDEFINITE)
        solver_undetermined(b.st->solver, all);
    if (named)
        memcpy(named, all, 4 * sizeof *named);
    demolish(&b);
    return status;
}

static void assert_named(const char *given, solve_status expected, const char *coordinates) {
    bool named[4];
    assert_int_equal(status_of(given, named), expected);
    for (int i = 0; i < 4; i++)
        if (named[i] != (strchr(coordinates, "xyzw"[i]) != NULL))
            fail_msg("%c is %snamed in\n%s", "xyzw"[i], named[i] ? "" : "not ", given);
}

static void undetermined(void **state) {
    assert_named("coord x, y, z, w\nmass x = 1\nmass z = 1\nmass w = 1\n", SOLVE_UNDETERMINED, "y");
    assert_named("coord x, y, z, w\nmass x = 1\nmass w = 2\nconstraint c: x + w = 1\n", SOLVE_UNDETERMINED,
                 "yz");
    assert_named("coord x, y, z, w\nmass x = 1\nmass w = 2\nconstraint c: y + z = x\n", SOLVE_UNDETERMINED,
                 "yz");
    assert_named("coord x, y, z, w\nkinetic (x' + y')^2 + z'^2 + w'^2\n", SOLVE_UNDETERMINED, "xy");
    assert_named("coord x, y, z, w\nkinetic (x' + y')^2 + z'^2 + w'^2\nconstraint c: x - y = 1\n", SOLVE_OK,
                 "");
    assert_named(
        "coord x, y, z, w\nmass x = 1\nconstraint a: y = x\nconstraint b: z = 1\nconstraint d: w = x*y\n",
        SOLVE_OK, "");
    // measured rows determine, too
    assert_named("coord x, y, z, w\nmass x = 1\nmass y = 1\nmass z = 1\nconstraint a (weight = 1): w'' = 1\n",
                 SOLVE_OK, "");
}

static void indefinite(void **state) {
    assert_named("coord x, y, z, w\nmass x = 1\nmass y = -1\nmass z = 1\nmass w = 1\n", SOLVE_INDEFINITE,
                 "y");
    assert_named("coord x, y, z, w\nmass x = 1\nmass y = 1\nmass x y = 2\nmass z = 1\nmass w = 1\n",
                 SOLVE_INDEFINITE, "xy");
    // a constraint that forbids the negative direction does not make it a mass matrix
    assert_int_equal(status_of("coord x, y\nmass x = 1\nmass y = -1\nconstraint c: y = 0\n", NULL),
                     SOLVE_INDEFINITE);
}

static int culprit_of(const char *given, double t) {
    const double q[SIDE] = {0}, v[SIDE] = {0};
    built b = build(given);
    outcome found = solve_acceleration(b.sys, b.st, t, q, v);
    assert_int_equal(found.status, SOLVE_NOT_FINITE);
    assert_int_equal(solve_acceleration(b.sys, b.st, t + 1, (double[]){1, 2, 3}, (double[]){1, 1, 1}).status,
                     SOLVE_OK);
    demolish(&b);
    return found.culprit;
}

static void not_finite(void **state) {
    const char masses[] = "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n";
    char given[500];
    snprintf(given, sizeof given, "%sforce y = 1/x\n", masses);
    assert_int_equal(culprit_of(given, 0), -2 - 1);
    snprintf(given, sizeof given, "%spotential sqrt(z)\n", masses);
    assert_int_equal(culprit_of(given, 0), -2 - 2);
    snprintf(given, sizeof given, "%sconstraint a: x = 0\nconstraint b: y = log(z)\n", masses);
    assert_int_equal(culprit_of(given, 0), 1);
    snprintf(given, sizeof given, "%smass x = 1/t\n", masses);
    assert_int_equal(culprit_of(given, 0), -2 - 0);
}

// the culprit is named also where the value is in C or in a weight
static void not_finite_elsewhere(void **state) {
    assert_int_equal(culprit_of("coord x, y\nkinetic (x'^2 + y'^2)/2\nnonideal y = 1/x'\n", 0), -2 - 1);
    assert_int_equal(culprit_of("coord x\nkinetic x'^2/2\nconstraint a (weight = 1): x'' = 1\n"
                                "constraint b (weight = 1/t): x'' = 1\n",
                                0),
                     1);
}

static void singular_quasi(void **state) {
    built b =
        build("coord x, y\nkinetic (x'^2 + y'^2)/2\nquasi a = x' + y'\nquasi c = 2*x' + 2*y'*(1 + x)\n");
    double v[2];
    assert_true(rates_velocities(b.sys, b.st, 0, (double[]){0, 1}, (double[]){1, 2}, v) >= 0);
    assert_int_equal(rates_velocities(b.sys, b.st, 0, (double[]){1, 1}, (double[]){3, 10}, v), -1);
    assert_near(v[0], 1, 1e-14);
    assert_near(v[1], 2, 1e-14);
    demolish(&b);
}

// the unit in which a quasi-velocity is written makes nothing singular
static void units_of_quasi(void **state) {
    built b = build("coord x, y\nkinetic (x'^2 + y'^2)/2\nquasi a = 1e-8*x'\nquasi c = 1e8*y'\n");
    double v[2];
    assert_int_equal(rates_velocities(b.sys, b.st, 0, (double[]){0, 1}, (double[]){2e-8, 3e8}, v), -1);
    assert_near(v[0], 2, 1e-14);
    assert_near(v[1], 3, 1e-14);
    demolish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_on_an_incline),
        cmocka_unit_test(reaction_of_one_constraint),
        cmocka_unit_test(given_nonideal_force),
        cmocka_unit_test(results),
        cmocka_unit_test(no_gaussian),
        cmocka_unit_test(duplicates_share),
        cmocka_unit_test(random_systems),
        cmocka_unit_test(random_measurements),
        cmocka_unit_test(weighted_mean),
        cmocka_unit_test(weighted_controls),
        cmocka_unit_test(measured_against_hard),
        cmocka_unit_test(undetermined),
        cmocka_unit_test(indefinite),
        cmocka_unit_test(not_finite),
        cmocka_unit_test(not_finite_elsewhere),
        cmocka_unit_test(singular_quasi),
        cmocka_unit_test(units_of_quasi),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
