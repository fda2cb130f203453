/* The acceleration that the kernel computes alone, against the general solver. */
#include "linear/mass.h"
#include "support/build.h"
#include "support/moves.h"
#include "system/direct.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double any_number(void) {
    static unsigned seed = 1;
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / (1 << 23) - 1;
}

// a body that turns about its centre: the four numbers of a quaternion as coordinates, a mass matrix of rank
// 3
#define BODY(u, J1, J2, J3)                                                                                  \
    "coord " u "0, " u "1, " u "2, " u "3\n"                                                                 \
    "let " u " = (" u "0, " u "1, " u "2, " u "3)\n"                                                         \
    "kinetic 2*" J1 "*dot((-" u "1, " u "0, " u "3, -" u "2), " u "')^2\n"                                   \
    "kinetic 2*" J2 "*dot((-" u "2, -" u "3, " u "0, " u "1), " u "')^2\n"                                   \
    "kinetic 2*" J3 "*dot((-" u "3, " u "2, -" u "1, " u "0), " u "')^2\n"

static const char *const systems[] = {
    "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint c: x^2 + y^2 = 1\n",
    "coord x[1..4], y[1..4]\nkinetic sum(i in 1..4: i*(x[i]'^2 + y[i]'^2))/2\npotential sum(i in 1..4: "
    "9.81*i*y[i])\n"
    "constraint a: x[1]^2 + y[1]^2 = 1\n"
    "for i in 2..4: constraint l[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\n",
    // masses of six orders
    "coord x[1..4], y[1..4]\nkinetic sum(i in 1..4: 100^i*(x[i]'^2 + y[i]'^2))/2\npotential sum(i in 1..4: "
    "9.81*100^i*y[i])\n"
    "constraint a: x[1]^2 + y[1]^2 = 1\n"
    "for i in 2..4: constraint l[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\n",
    "coord a, b\nkinetic a'^2 + b'^2/2 + a'*b'*cos(a - b)\npotential -2*cos(a) - cos(b)\n",
    "coord x, y, p\nkinetic (x'^2 + y'^2)/2 + p'^2/4 + 0.3*x'*p'*sin(p) - 0.3*y'*p'*cos(p)\nforce p = x - "
    "sin(t)\n"
    "constraint k: y'*cos(p) = x'*sin(p)\n",
    "coord x, y, z\nkinetic (x'^2 + 1e-9*y'^2 + 1e9*z'^2)/2\nforce x = y\nforce z = 3\nconstraint s: x + y + "
    "z = t^2\n",
    "coord x\nkinetic x'^2/2\nconstraint c: x = sin(t)\n",
    // M is singular: the rows make up for it
    "coord x, y\nkinetic (x' + y')^2/2\nforce x = 1\nconstraint a: x = y\n",
    BODY("u", "1", "2", "3") "constraint unit_u: dot(u, u) = 1\n",
    BODY("u", "0.05", "2", "30") "constraint unit_u: 1e3*dot(u, u) = 1e3\n",
    BODY("u", "1", "2", "3") BODY("v", "0.1", "0.2", "0.15") "constraint unit_u: dot(u, u) = 1\n"
                                                             "constraint unit_v: dot(v, v) = 1\n"
                                                             "constraint turned: u0*v1 - u1*v0 = 0\n",
    BODY("u", "1", "2",
         "3") "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2 + x'*y'/3\npotential 9.81*z + x*u1\n"
              "constraint unit_u: dot(u, u) = 1\nconstraint held: x = 2*u1*u2\n",
    // coordinates without any mass, one row between two of them
    "coord x, y, z\nkinetic x'^2/2\nforce x = y - z\nconstraint a: y = x^2\nconstraint b: z = 2*y + sin(t)\n",
};

static double size_of(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

// the short evaluation within a step: the same numbers, where it has any
static void moves_alike(built *b, const double *q, const double *v) {
    double rates[32], qdd[16];
    int n = b->sys->n;
    bool direct = b->st->direct;
    memcpy(qdd, b->st->qdd, (size_t)n * sizeof *qdd);
    if (!solve_moves(b->sys) || b->sys->moves)
        return;
    assert_int_equal(moves(b, 0.3, q, v, false, rates), direct);
    assert_memory_equal(b->st->qdd, qdd, (size_t)n * sizeof *qdd);
    if (direct) {
        assert_memory_equal(rates, v, (size_t)n * sizeof *v);
        assert_memory_equal(rates + n, qdd, (size_t)n * sizeof *qdd);
    }
}

// at random states, on the constraints or not: the same acceleration, force and multipliers
static void same_as_the_general_solver(void **state) {
    for (size_t k = 0; k < sizeof systems / sizeof *systems; k++) {
        built one = build(systems[k]), other = build_how(systems[k], EVALUATE_FUSED);
        int n = one.sys->n, m = one.sys->m, taken = 0;
        double q[16], v[16];
        assert_true(one.sys->direct);
        assert_false(other.sys->direct);
        for (int i = 0; i < 500; i++) {
            for (int j = 0; j < n; j++) {
                q[j] = 2 * any_number();
                v[j] = any_number();
            }
            assert_int_equal(solve_acceleration(one.sys, one.st, 0.3, q, v).status, SOLVE_OK);
            assert_int_equal(solve_acceleration(other.sys, other.st, 0.3, q, v).status, SOLVE_OK);
            solve_forces(one.sys, one.st);
            solve_forces(other.sys, other.st);
            taken += one.st->direct;
            assert_int_equal(solve_rank(one.sys, one.st), solve_rank(other.sys, other.st));
            double size = size_of(other.st->qdd, n) + 1e-300, force = size_of(other.st->reaction, n) + 1e-300;
            for (int j = 0; j < n; j++) {
                assert_near_scaled(one.st->qdd[j], other.st->qdd[j], 1e-11, size);
                assert_near_scaled(one.st->reaction[j], other.st->reaction[j], 1e-9, force + size);
            }
            for (int j = 0; j < m; j++)
                assert_near_scaled(one.st->multiplier[j], other.st->multiplier[j], 1e-9,
                                   1 + size_of(other.st->multiplier, m));
            moves_alike(&one, q, v);
        }
        assert_true(taken > 450); // else the test shows nothing
        demolish(&one);
        demolish(&other);
    }
}

/* The kernel does not refine. Its pivots allow it here, and are too small to be sure without a look at what
 * is left of the equations: where that is too much, the general solver takes over. */
static void looks_at_what_is_left(void **state) {
    static const char given[] = "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2 + x'*y'/3\n"
                                "force x = 1e6*z\nforce y = x - 1e5*y\nforce z = sin(x)\n"
                                "constraint a: x + 0.7*y + z = 1\nconstraint b: x + 0.705*y + 0.999*z = 1\n";
    built b = build(given), other = build_how(given, EVALUATE_FUSED);
    int taken = 0;
    assert_true(b.sys->direct);
    for (int i = 0; i < 500; i++) {
        double q[] = {any_number(), any_number(), any_number()}, v[] = {0, 0, 0};
        const double *checks = b.st->y[STAGE_DYNAMICS] + b.sys->direct_at + 5;
        assert_int_equal(solve_acceleration(b.sys, b.st, 0, q, v).status, SOLVE_OK);
        assert_int_equal(solve_acceleration(other.sys, other.st, 0, q, v).status, SOLVE_OK);
        assert_true(direct_sure(checks));
        assert_false(direct_clear(checks));
        double size = size_of(other.st->qdd, 3);
        for (int j = 0; j < 3; j++)
            assert_near_scaled(b.st->qdd[j], other.st->qdd[j], 1e-11, size);
        taken += b.st->direct;
    }
    assert_in_range(taken, 1, 499); // by some of them, what is left is little
    demolish(&b);
    demolish(&other);
}

static const char two[] = "coord x, y\nkinetic (x'^2 + y'^2)/2\n",
                  sum[] = "coord x, y\nkinetic (x' + y')^2/2\n";

/* Dependent rows, an undetermined motion, an indefinite M, what is not finite, and whatever comes near one of
 * these: the general solver decides. */
static void hands_over(void **state) {
    static const struct {
        const char *begins, *goes_on;
        solve_status status;
        int rank;
    } cases[] = {
        {two, "constraint a: x^2 + y^2 = 1\nconstraint b: (x^2 + y^2)^2 = 1\n", SOLVE_OK, 1},
        {two, "constraint a: x = y\nconstraint b: x = 1.0005*y\n", SOLVE_OK, 2},
        // rows that are far from each other, but not so in the metric of the mass
        {"coord x, y\nkinetic (x'^2 + 1e-12*y'^2)/2\n",
         "constraint a: x + y = 0\nconstraint b: x + 1.1*y = 0\n", SOLVE_OK, 2},
        // M is definite elsewhere
        {"coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n", "kinetic x'*y'*cos(1e-5*(z + 1))\n", SOLVE_OK, 0},
        {sum, "", SOLVE_UNDETERMINED, 0},
        {sum, "constraint a: x + y = 1\n", SOLVE_UNDETERMINED, 1},
        {sum, "constraint a: x + 1.00001*y = 1\n", SOLVE_OK, 1},
        {"coord x, y\n", "kinetic (x'^2 - y'^2)/2\n", SOLVE_INDEFINITE, 0},
        {"coord x, y\n", "kinetic (-x'^2 - y'^2)/2\n", SOLVE_INDEFINITE, 0},
        {"coord x, y\n", "kinetic (x'^2 + x'*y' - y'^2)/2\n", SOLVE_INDEFINITE, 0},
        // the rows cover the negative direction, alone and beside one without mass
        {"coord x, y\n", "kinetic (x'^2 - y'^2)/2\nconstraint a: y = 0\n", SOLVE_INDEFINITE, 0},
        {"coord x, y, z\n",
         "kinetic (x'^2 - 1e-6*y'^2)/2\nconstraint a: 2*x + y = 0\nconstraint b: z = 3*x\n", SOLVE_INDEFINITE,
         0},
        {"coord x, y, z\n",
         "kinetic (x' + y')^2/2 - 1e-6*(x' - y')^2\nconstraint a: x = y\nconstraint b: z = x\n",
         SOLVE_INDEFINITE, 0},
        {two, "force x = 1/(y - 0.5)\n", SOLVE_NOT_FINITE, 0},
        {"coord x, y\nkinetic (1e-10*x'^2 + y'^2)/2\n", "force x = 1e300\n", SOLVE_NOT_FINITE, 0},
    };
    int asked = 0; // the kernel, which hands over; where the rows are no help to M, or dependent as typed,
                   // there is none
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char given[500];
        snprintf(given, sizeof given, "%s%s", cases[k].begins, cases[k].goes_on);
        built b = build(given);
        double q[] = {0.5, 0.5, 0}, v[] = {0.1, -0.1, 0};
        asked += b.sys->direct;
        assert_int_equal(solve_acceleration(b.sys, b.st, 0, q, v).status, cases[k].status);
        assert_false(b.st->direct);
        if (cases[k].status == SOLVE_OK)
            assert_int_equal(solve_rank(b.sys, b.st), cases[k].rank);
        demolish(&b);
    }
    assert_int_equal(asked, 7);
}

// what is said of M does not depend on who solved
static void tells_a_singular_mass(void **state) {
    static const struct {
        const char *given;
        bool singular;
    } cases[] = {
        {"coord x, y\nkinetic (x' + y')^2/2\nconstraint a: x = y\n", true},
        {"coord x, y\nkinetic (x' + y')^2/2 + 1e-9*x'^2\nconstraint a: x = y\n", false},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: x = y\n", false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        built b = build(cases[k].given);
        assert_int_equal(solve_acceleration(b.sys, b.st, 0, (double[]){1, 1}, (double[]){1, 1}).status,
                         SOLVE_OK);
        assert_true(b.st->direct);
        assert_int_equal(solve_mass_singular(b.sys, b.st), cases[k].singular);
        demolish(&b);
    }
}

static double number_at(void *context, sym_kind kind, int index) {
    return ((const double *)context)[index];
}

/* Mass that rows feel: what the kernel has in symbols against what the solvers compute. Coordinates 0 to 3
 * are coupled, 4 stands alone, 5 and 6 have no mass; rows within the first, across, and between the last. */
static void same_weights_as_the_solvers(void **state) {
    enum { N = 7, ROWS = 4 };
    int M_start[N + 1] = {0, 4, 8, 12, 16, 17, 18, 19}, M_to[19], A_start[ROWS + 1] = {0, 4, 6, 7, 9};
    int A_to[9] = {0, 1, 2, 3, 3, 4, 4, 5, 6};
    const bool added[ROWS] = {true, true, true, true};
    for (int e = 0; e < 19; e++)
        M_to[e] = e < 16 ? e % 4 : e - 12;
    for (int round = 0; round < 100; round++) {
        arena *a = arena_new(0);
        expr_pool *pool = expr_pool_new(a);
        double values[28] = {0}, M[N * N] = {0}, felt[N];
        expr in[28], W[ROWS];
        for (int e = 0; e < 28; e++)
            in[e] = e == 17 || e == 18 ? EXPR_NONE : expr_symbol(pool, SYM_NUMBER, e);
        for (int k = 0; k < 3; k++) { // as of a quaternion: rank 3, entries over decades
            double v[4] = {any_number(), 1e-5 * any_number(), any_number(), any_number()};
            for (int j = 0; j < 16; j++)
                values[j] += v[j / 4] * v[j % 4];
        }
        values[16] = 1e3 * (2 + any_number());
        for (int e = 19; e < 28; e++)
            values[e] = any_number();
        for (int i = 0; i < N; i++)
            for (int e = M_start[i]; e < M_start[i + 1]; e++)
                M[i * N + M_to[e]] = values[e];
        direct_problem p = {.n = N, .M = in, .A = in + 19, .added = added};
        p.M_pattern = (sparsity){N, M_start, M_to};
        p.A_pattern = (sparsity){ROWS, A_start, A_to};
        direct_weights(a, pool, &p, W);
        double least = mass_felt(M, N, false, felt);
        for (int r = 0; r < ROWS; r++) {
            const double *A_r = values + 19 + A_start[r];
            int count = A_start[r + 1] - A_start[r];
            double square = 0, symbols = expr_eval(pool, W[r], number_at, values);
            for (int e = 0; e < count; e++)
                square += A_r[e] * A_r[e];
            double solvers = mass_weight(A_r, A_to + A_start[r], count, square, felt, least);
            assert_near_scaled(symbols, solvers, 1e-14, solvers);
        }
        arena_free(a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_the_general_solver),
        cmocka_unit_test(looks_at_what_is_left),
        cmocka_unit_test(hands_over),
        cmocka_unit_test(tells_a_singular_mass),
        cmocka_unit_test(same_weights_as_the_solvers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
