/* The motion straight from velocities that are not q' (system/motion.c), against the dynamics by q' at random
 * states, on the constraints or off them; and what its expressions come to. */
#include "support/build.h"
#include "support/exact.h"
#include "support/moves.h"
#include "system/direct.h"
#include "system/inverse.h"
#include "system/natural.h"
#include "system/rates.h"
#include "system/settle.h"

#include <math.h>

enum { N = 14, STATES = 30, WORKS = 20 };

static built build_long(const char *given) {
    char all[3000];
    snprintf(all, sizeof all, "%s\nsimulate until 1e5\n", given);
    built b = build(all);
    if (!b.sys->moves)
        fail_msg("there is no such kernel:\n%s", all);
    return b;
}

// the first of w of a quaternion is 0
static void random_state(const trm_system *sys, dice *d, double *q, double *s) {
    for (int i = 0; i < sys->n; i++) {
        q[i] = 0.2 + uniform(d);
        s[i] = 4 * uniform(d) - 2;
    }
    for (int i = 0; i < sys->rates->quaternion_count; i++)
        s[sys->rates->quaternions[i]] = 0;
}

static int compare_at(built *b, double t, const double *q, const double *s) {
    double v[N], slope[N], rates[2 * N], power[WORKS], same[WORKS];
    const trm_system *sys = b->sys;
    assert_int_equal(rates_velocities(sys, b->st, t, q, s, v), -1);
    assert_int_equal(solve_acceleration(sys, b->st, t, q, v).status, SOLVE_OK);
    rates_slope(sys, b->st, state_look(b->st)->qdd, slope);
    solve_powers(sys, b->st, power);
    double nearness = solve_nearness(sys, b->st), size = linalg_norm(slope, sys->n) + 1;
    if (!moves(b, t, q, s, true, rates))
        return 0;
    for (int i = 0; i < sys->n; i++) {
        assert_near_scaled(rates[i], v[i], 1e-13, 1 + linalg_norm(v, sys->n));
        assert_near_scaled(rates[sys->n + i], slope[i], 1e-10, size);
    }
    assert_int_equal(solve_rank(sys, b->st), sys->all.rows);
    if (!sys->moves_freely) {
        solve_distance now = solve_distance_now(sys, b->st);
        assert_near(now.nearness, nearness, 1e-12);
        assert_int_equal(now.rank, sys->all.rows);
        for (int i = 0; i < sys->m; i++) {
            double length = natural_length(sys, sys->A, state_look(b->st)->A, i);
            assert_near_scaled(now.squares[i], length * length, 1e-13, length * length);
        }
    }
    solve_powers(sys, b->st, same);
    for (int i = 0; i < sys->work_count; i++)
        assert_near_scaled(same[i], power[i], 1e-9, 1 + fabs(power[i]) + size);
    return 1;
}

// `most`: of the states may be left to the general solvers
static void compare(const char *given, int most) {
    built b = build_long(given);
    dice d = {11};
    int done = 0;
    for (int k = 0; k < STATES; k++) {
        double q[N], s[N];
        random_state(b.sys, &d, q, s);
        done += compare_at(&b, uniform(&d), q, s);
    }
    if (done < STATES - most)
        fail_msg("%d of %d are left to the general solvers:\n%s", STATES - done, STATES, given);
    demolish(&b);
}

static void quaternions(void **state) {
    compare(
        "coord u0, u1, u2, u3\nlet u = (u0, u1, u2, u3)\n"
        "let w = 2*(dot((-u1, u0, u3, -u2), u'), dot((-u2, -u3, u0, u1), u'), dot((-u3, u2, -u1, u0), u'))\n"
        "kinetic (w.x^2 + 2*w.y^2 + 3*w.z^2 + w.x*w.y)/2\nconstraint unit: dot(u, u) = 1\n"
        "initial u0 = 1, u2' = 5\n",
        0);
    // forces, work, a norm that is not 1, one that changes, M that is not singular
    compare("coord x, p0, p1, p2, p3\nkinetic x'^2 + (p0'^2 + 2*p1'^2 + p2'^2 + 3*p3'^2*(1 + x^2))/2\n"
            "constraint c: sqrt(p0^2 + p1^2 + p2^2 + p3^2) = 3\nforce x = -x' + cos(t)\nforce p1 = p2*x\n"
            "initial p0 = 3, x' = 5\n",
            0);
    compare("coord x, p0, p1, p2, p3\nkinetic x'^2 + (p0'^2 + 2*p1'^2 + p2'^2 + 3*p3'^2*(1 + x^2))/2\n"
            "constraint c: p0^2 + p1^2 + p2^2 + p3^2 = 1 + t/10\npotential x*p1\ninitial p0 = 1, x' = 5\n",
            0);
    // rows that move, between two bodies
    compare("body A: mass = 1, inertia = (1, 2, 3), at = (1, 0, 0)\n"
            "body B: mass = 2, inertia = (2, 2, 3), at = (3, 0, 0)\n"
            "joint a: revolute(ground, A, at = (0, 0, 0), axis = (0, 0, 1))\n"
            "joint b: spherical(A, B, at = (2, 0, 0))\nforce B.x = -B.x'\n"
            "gravity (0, 0, -9.81)\n",
            0);
}

static const char euler[] = "coord psi, theta, phi\nkinetic (p^2 + 2*q^2 + 3*r^2)/2\npotential cos(theta)\n"
                            "quasi p = psi'*sin(theta)*sin(phi) + theta'*cos(phi)\n"
                            "quasi q = psi'*sin(theta)*cos(phi) - theta'*sin(phi)\n"
                            "quasi r = psi'*cos(theta) + phi'\n";

static void quasi_velocities(void **state) {
    compare(euler, 0);
    compare("coord x, y, a\nparam k = 0.5\nkinetic (x'^2 + 2*y'^2 + a'^2)/2\n"
            "quasi along = x'*cos(a) + y'*sin(a) + t\nquasi turn = a'\n"
            "quasi across = y'*cos(a) - x'*sin(a) + k*sin(x)\n"
            "force x = -x^3 - x'\nconstraint c: across = cos(t)\n",
            0);
    // four that make one block, neither rows nor columns orthogonal; then three; then a chain
    compare("coord x, y, z, u\nkinetic (x'^2*(1 + y^2) + 2*y'^2 + z'^2 + u'^2)/2 + x'*u'/3\n"
            "quasi a = (3 + x)*x' + y'*sin(z)/2 + z'/4\nquasi b = x'/2 + (4 + u)*y' + u'/3\n"
            "quasi c = y'/3 + 5*z' + cos(x)*u'\nquasi d = x'/5 + z' + (6 + y)*u'\npotential x*y*z*u\n",
            10);
    compare("coord x, y, z\nkinetic (x'^2*(1 + y^2) + 2*y'^2 + z'^2)/2\n"
            "quasi a = 3*x' + y'*sin(z)/2 + z'/4\nquasi b = x'/2 + (4 + x)*y'\nquasi c = y'/3 + 5*z'\n",
            0);
    compare("coord x[1..5]\nfor i in 1..5: kinetic x[i]'^2*(1 + x[i]^2)/2\nquasi s[1] = x[1]'\n"
            "for i in 2..5: quasi s[i] = x[i]'*(1 + x[i]) - x[i-1]'\nconstraint c: x[1]*x[3] = 1\n",
            0);
}

// a switch is held as it is in the state
static void switches(void **state) {
    built b =
        build_long("coord x, y, a\nkinetic (x'^2 + 2*y'^2 + a'^2)/2\nquasi along = x'*cos(a) + y'*sin(a)\n"
                   "quasi turn = a'\nquasi across = y'*cos(a) - x'*sin(a)\nforce x = if(x > 0, 1, -1)\n");
    double q[] = {1, 0, 0.5}, s[] = {1, 2, 3}, held[6], v[3], slope[3];
    assert_false(moves(&b, 0, q, s, false, held));
    assert_int_equal(rates_velocities(b.sys, b.st, 0, q, s, v), -1);
    assert_int_equal(solve_acceleration(b.sys, b.st, 0, q, v).status, SOLVE_OK); // turns it on
    q[0] = -1;
    assert_true(moves(&b, 0, q, s, true, held));
    assert_int_equal(solve_at(b.sys, b.st, &(moment){0, q, v, true}).status, SOLVE_OK);
    rates_slope(b.sys, b.st, state_look(b.st)->qdd, slope);
    for (int i = 0; i < 3; i++)
        assert_near(held[3 + i], slope[i], 1e-13);
    demolish(&b);
}

// where G is singular, or nearly where it has no orthogonal rows, the general solvers have the word
static void near_singular(void **state) {
    built b = build_long(euler);
    double rates[6], s[] = {1, 2, 3};
    assert_false(moves(&b, 0, (double[]){0.1, 0, 0.2}, s, true, rates));
    demolish(&b);
    b = build_long("coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nquasi a = x' + y'*z\nquasi b = y' + x'\n"
                   "quasi c = z' + x'*y + y'\n");
    assert_true(moves(&b, 0, (double[]){0, 0, 0}, s, true, rates));
    assert_false(moves(&b, 0, (double[]){0, 0, 1 + 1e-5}, s, true, rates));
    demolish(&b);
}

// ---- what expressions come to

static expr times(expr_pool *p, expr a, expr b) {
    return expr_op2(p, OP_MUL, a, b);
}

static expr plus(expr_pool *p, expr a, expr b) {
    return expr_op2(p, OP_ADD, a, b);
}

static void settles(void **state) {
    built b = build("coord x, p0, p1, p2, p3\nkinetic (x'^2 + p0'^2 + p1'^2 + p2'^2 + p3'^2)/2\n"
                    "constraint c: p0^2 + p1^2 + p2^2 + p3^2 = 1\n");
    expr_pool *p = b.model->pool;
    expr x = expr_symbol(p, SYM_P, 0), v = expr_symbol(p, SYM_V, 0), w = expr_symbol(p, SYM_V, 1);
    expr sine = expr_op1(p, OP_SIN, x), cosine = expr_op1(p, OP_COS, x), one = expr_number(p, 1);
    expr circle = plus(p, times(p, sine, sine), times(p, cosine, cosine));
    assert_true(expr_is_number(p, settle_expression(b.sys, p, circle), 1));
    assert_true(settle_is_zero(b.sys, p, expr_op2(p, OP_SUB, circle, one)));
    expr third = expr_op2(p, OP_DIV, times(p, x, expr_number(p, 0.1)), x);
    assert_true(expr_is_number(p, settle_expression(b.sys, p, third), 0.1)); // to the last bit
    expr form = plus(p, times(p, circle, times(p, v, w)), times(p, v, expr_op2(p, OP_DIV, x, x)));
    assert_false(expr_has(p, settle_expression(b.sys, p, form), SYM_P));
    // not what depends on x after all, however little, nor on v in third degree
    expr little = plus(p, one, times(p, x, expr_number(p, 1e-15)));
    assert_true(settle_expression(b.sys, p, little) == little);
    expr cubic = times(p, times(p, circle, v), times(p, v, v));
    assert_true(settle_expression(b.sys, p, cubic) == cubic);
    // c v / |p|^2
    expr square = EXPR_NONE;
    for (int k = 1; k <= 4; k++) {
        expr q = expr_symbol(p, SYM_P, k);
        square = square ? plus(p, times(p, q, q), square) : times(p, q, q);
    }
    expr twice = times(p, square, square), over = expr_op2(p, OP_DIV, times(p, square, v), twice);
    expr found = settle_expression(b.sys, p, over);
    assert_true(found != over && expr_has(p, found, SYM_P));
    assert_false(settle_is_zero(b.sys, p, over));
    demolish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quaternions),   cmocka_unit_test(quasi_velocities), cmocka_unit_test(switches),
        cmocka_unit_test(near_singular), cmocka_unit_test(settles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
