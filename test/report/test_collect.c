/* Collected terms: exact strings for expressions and textbook models, and random expressions, which must keep
 * their value and never become longer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/collect.h"
#include "report/equations.h"

// ---- models

static void check_model(const char *model_text, const char *piece) {
    arena *a = arena_new(0);
    source file = {"test.tram", model_text, (int)strlen(model_text)};
    model *m = model_read(a, &file, NULL, 0);
    const mech *derived = m->diags.errors ? NULL : mech_derive(a, m);
    if (m->diags.errors)
        fail_msg("%s", diags_text(&m->diags, a, 0));
    const char *page = equations_text(a, m, derived, PRINT_TEXT, true);
    if (strstr(page, piece) == NULL)
        fail_msg("no\n%s\nin\n%s", piece, page);
    arena_free(a);
}

// what a force on x is printed as
static void check(const char *given, const char *expected) {
    char model_text[1024], piece[512];
    snprintf(model_text, sizeof model_text,
             "param m = 1, g = 2, L = 3, k = 4, c = 5\n"
             "coord x, y, a, b\n"
             "force x = %s + 0*(m + g + L + k + c)\n",
             given);
    snprintf(piece, sizeof piece, "  Q[x] = %s\n", expected);
    check_model(model_text, piece);
}

static void terms_are_added_up(void **state) {
    check("x*y + y*x", "2*x*y");
    check("m*(x + y) - m*x", "m*y");
    check("(x + y)*(x - y)", "(x + y)*(x - y)"); // x^2 - y^2 is as long
    check("k*x*m*x'*x'", "m*k*x*x'^2");
    check("y'*sin(a) + x'*cos(a)", "x'*cos(a) + y'*sin(a)");
    check("x' - (y - (x - y'))", "x' - y + x - y'");
    check("sin(x - y) + sin(y - x) + x", "x");
}

static void numbers(void **state) {
    check("2*m*L^2/24*x", "m*L^2*x/12");
    check("1/3*x + x/3", "2*x/3");
    check("0.1*x + 0.2*x", "0.3*x");
    check("x - 0.7*x - 0.3*x + y", "y");
    check("3*x*y*m", "3*m*x*y");
    check("-1.5*m*x*2", "-3*m*x");
}

static void common_factors(void **state) {
    check("-2*x'^2*m - 2*m*y'^2", "-2*m*(x'^2 + y'^2)");
    check("k*x - k*L", "k*(x - L)");
    check("m*g*x + k*g*x - c*x'", "(m + k)*g*x - c*x'");
    check("-k*x - c*x^3", "-k*x - c*x^3");                                         // x*(k + c*x^2) is as long
    check("m*g*L*sin(a) - m*L*c*y'^2*sin(b)", "m*g*L*sin(a) - m*L*c*y'^2*sin(b)"); // two forces
    check("-k*(x - y) - c*(x - y)^3", "-k*(x - y) - c*(x - y)^3");
}

static void squares(void **state) {
    check("x'*(x' - y') + y'*(y' - x')", "(x' - y')^2");
    check("m*(x*x + 2*x*y) + m*y^2", "m*(x + y)^2");
    check("4*x^2 - 12*x*y + 9*y^2", "(2*x - 3*y)^2");
    check("x^2 + 3*x*y + y^2", "x^2 + y^2 + 3*x*y");
}

static void sines_and_cosines(void **state) {
    check("m*L^2*(sin(a)^2 + cos(a)^2)", "m*L^2");
    check("x*(cos(a)*x)*cos(a) + (x*sin(a))^2", "x^2");
    check("x - x*sin(a)^2", "x*cos(a)^2");
    check("m*cos(a)*cos(b) + m*sin(b)*sin(a)", "m*cos(a - b)");
    check("cos(a)*cos(b) - sin(b)*sin(a)", "cos(a + b)");
    check("cos(a)*sin(b) - sin(a)*cos(b)", "-sin(a - b)");
    check("(sin(a)*cos(b))^2 + (sin(a)*sin(b))^2 + cos(a)^2 + x", "x + 1");
    check("k*sin(a)^2 + c*cos(a)^2", "k*sin(a)^2 + c*cos(a)^2");
}

// what has no value somewhere must not get one by cancelling a factor, nor lose one by a new division
static void quotients(void **state) {
    check("x*y/x", "x*y/x");
    check("x/y + L/y", "(L + x)/y");
    check("1/(2*x)*y*3", "1.5*y/x");
    check("x/(m/L)", "L*x/m");
    check("x/sqrt(x^2 + y^2)/sqrt(x^2 + y^2)", "x/(x^2 + y^2)");
}

static void chaplygin_sleigh(void **state) {
    const char *sleigh = "param m = 1, J = 0.5, a = 0.25\n"
                         "coord x, y, th\n"
                         "let centre = (x + a*cos(th), y + a*sin(th))\n"
                         "kinetic m/2*dot(centre', centre') + J/2*th'^2\n"
                         "constraint blade: y'*cos(th) - x'*sin(th) = 0\n";
    check_model(sleigh, "  M[x, x] = m\n"
                        "  M[x, th] = -m*a*sin(th)\n"
                        "  M[y, y] = m\n"
                        "  M[y, th] = m*a*cos(th)\n"
                        "  M[th, th] = J + m*a^2\n"
                        "\n"
                        "Q; entries not listed are 0\n"
                        "  Q[x] = m*a*th'^2*cos(th)\n"
                        "  Q[y] = m*a*th'^2*sin(th)\n"
                        "\n");
    check_model(sleigh, "  b[blade] = th'*(x'*cos(th) + y'*sin(th))\n");
}

static const char double_pendulum[] = "  M[a, a] = (m1 + m2)*l1^2\n"
                                      "  M[a, b] = m2*l1*l2*cos(a - b)\n"
                                      "  M[b, b] = m2*l2^2\n"
                                      "\n"
                                      "Q; entries not listed are 0\n"
                                      "  Q[a] = -m2*l1*l2*b'^2*sin(a - b) - (m1 + m2)*g*l1*sin(a)\n"
                                      "  Q[b] = m2*l1*l2*a'^2*sin(a - b) - m2*g*l2*sin(b)\n";

static void double_pendulum_in_angles(void **state) {
    check_model("param m1 = 1, m2 = 2, g = 9.81, l1 = 1, l2 = 0.5\n"
                "coord a, b\n"
                "kinetic (m1 + m2)/2*l1^2*a'^2 + m2/2*l2^2*b'^2 + m2*l1*l2*a'*b'*cos(a - b)\n"
                "potential -(m1 + m2)*g*l1*cos(a) - m2*g*l2*cos(b)\n",
                double_pendulum);
}

static void double_pendulum_from_places(void **state) {
    check_model("param m1 = 1, m2 = 2, g = 9.81, l1 = 1, l2 = 0.5\n"
                "coord a, b\n"
                "let p1 = (l1*sin(a), -l1*cos(a))\n"
                "let p2 = p1 + (l2*sin(b), -l2*cos(b))\n"
                "kinetic m1/2*norm(p1')^2 + m2/2*norm(p2')^2\n"
                "potential m1*g*p1.y + m2*g*p2.y\n",
                double_pendulum);
}

static void links(void **state) {
    const char *link = "param m = 1, L = 1\n"
                       "coord x1, y1, x2, y2\n"
                       "kinetic m/2*(x1'^2 + y1'^2 + x2'^2 + y2'^2)\n"
                       "constraint square: (x2 - x1)^2 + (y2 - y1)^2 = L^2\n"
                       "constraint root: norm((x1, y1)) = L\n";
    check_model(link, "  b[square] = -2*((x2' - x1')^2 + (y2' - y1')^2)\n");
    check_model(link, "  b[root] = -(x1'^2 - (x1*x1' + y1*y1')^2/(x1^2 + y1^2) + y1'^2)/sqrt(x1^2 + y1^2)\n");
}

static void spinning_top(void **state) {
    check_model("param m = 1, A = 1, C = 3, g = 9.81, l = 0.3\n"
                "coord phi, theta, psi\n"
                "let wx = phi'*sin(theta)*sin(psi) + theta'*cos(psi)\n"
                "let wy = phi'*sin(theta)*cos(psi) - theta'*sin(psi)\n"
                "let wz = phi'*cos(theta) + psi'\n"
                "kinetic A/2*(wx^2 + wy^2) + C/2*wz^2\n"
                "potential m*g*l*cos(theta)\n",
                "  M[phi, phi] = A*sin(theta)^2 + C*cos(theta)^2\n"
                "  M[phi, psi] = C*cos(theta)\n"
                "  M[theta, theta] = A\n"
                "  M[psi, psi] = C\n"
                "\n"
                "Q; entries not listed are 0\n"
                "  Q[phi] = theta'*sin(theta)*(C*psi' + 2*(C - A)*phi'*cos(theta))\n"
                "  Q[theta] = sin(theta)*((A - C)*phi'^2*cos(theta) - C*phi'*psi' + m*g*l)\n"
                "  Q[psi] = C*phi'*theta'*sin(theta)\n");
}

// ---- random expressions

enum { POINT = 4 }; // symbols of each kind

typedef struct {
    uint64_t seed;
    expr_pool *pool;
    double at[SYM_KINDS][POINT];
} dice;

static int below(dice *d, int n) {
    d->seed = d->seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((d->seed >> 33) % (unsigned)n);
}

static expr random_leaf(dice *d) {
    static const double numbers[] = {1, 2, 3, -1, 0.5, 0.1, 1.0 / 3, -0.75, 0.123456789012345, 12};
    static const sym_kind kinds[] = {SYM_PARAM, SYM_P, SYM_V, SYM_P};
    if (below(d, 5) == 0)
        return expr_number(d->pool, numbers[below(d, 10)]);
    return expr_symbol(d->pool, kinds[below(d, 4)], below(d, 2));
}

static expr random_expr(dice *d, int depth) {
    static const op_code two[] = {OP_ADD, OP_ADD, OP_SUB, OP_SUB, OP_MUL, OP_MUL, OP_MUL, OP_DIV, OP_MAX};
    static const op_code one[] = {OP_SIN, OP_COS, OP_SIN, OP_COS, OP_SQRT, OP_EXP, OP_ATAN, OP_NEG, OP_ABS};
    if (depth == 0 || below(d, 8) == 0)
        return random_leaf(d);
    expr a = random_expr(d, depth - 1);
    int way = below(d, 8);
    if (way == 0)
        return expr_op1(d->pool, one[below(d, 9)], a);
    if (way == 1)
        return expr_op2(d->pool, OP_POW, a, expr_number(d->pool, below(d, 9) - 3));
    if (way == 2) // sines and cosines of few angles, so that they meet
        return expr_op2(d->pool, OP_MUL, a,
                        expr_op1(d->pool, one[below(d, 2)], expr_symbol(d->pool, SYM_P, below(d, 2))));
    return expr_op2(d->pool, two[below(d, 9)], a, random_expr(d, depth - 1));
}

static double value_at(void *context, sym_kind kind, int index) {
    return ((dice *)context)->at[kind][index];
}

// the largest change of the value when the point moves by 1e-12: what rounding may do
static double unrest(dice *d, expr e, double value) {
    double most = 0;
    dice moved = *d;
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < SYM_KINDS * POINT; k++)
            moved.at[k / POINT][k % POINT] =
                d->at[k / POINT][k % POINT] * (1 + 1e-12 * (below(&moved, 201) - 100) / 100);
        most = fmax(most, fabs(expr_eval(d->pool, e, value_at, &moved) - value));
    }
    return most;
}

// whether e is large on the way to its value, which then has few digits
static bool cancels_digits(arena *a, dice *d, expr e, double value) {
    expr *order;
    int count = expr_order(d->pool, &e, 1, a, &order);
    for (int i = 0; i < count; i++)
        if (!(fabs(expr_eval(d->pool, order[i], value_at, d)) <= 1e4 * fabs(value)))
            return true;
    return false;
}

static void put_name(void *context, text *out, print_style style, sym_kind kind, int index) {
    text_print(out, "%c%d", "tqvanpr"[kind], index);
}

static const char *printed(arena *a, const expr_pool *pool, expr e) {
    text out;
    text_init(&out, a);
    expr_print(pool, e, PRINT_TEXT, put_name, NULL, &out);
    return text_string(&out);
}

static bool compare_at_random(arena *a, dice *d, expr e, collected c) {
    for (int k = 0; k < SYM_KINDS * POINT; k++)
        d->at[k / POINT][k % POINT] = 0.3 + below(d, 100000) / 50000.0;
    double value = expr_eval(d->pool, e, value_at, d), other = expr_eval(c.pool, c.e, value_at, d);
    if (!isfinite(value) || cancels_digits(a, d, e, value) || !(unrest(d, e, value) <= 1e-10 * fabs(value)))
        return false;
    if (fabs(other - value) > 1e-10 * fabs(value))
        fail_msg("%s is %.17g,\nbut %s is %.17g", printed(a, d->pool, e), value, printed(a, c.pool, c.e),
                 other);
    return true;
}

static void random_expressions_keep_their_value(void **state) {
    int compared = 0, shorter = 0;
    for (int i = 0; i < 5000; i++) {
        arena *a = arena_new(0);
        dice d = {.seed = (uint64_t)i, .pool = expr_pool_new(a)};
        expr e = random_expr(&d, 2 + i % 6);
        collected c = collect_terms(a, d.pool, e);
        double before = collect_length(d.pool, e, a), after = collect_length(c.pool, c.e, a);
        if (after > before)
            fail_msg("%s\nbecame %s", printed(a, d.pool, e), printed(a, c.pool, c.e));
        shorter += after < before;
        for (int k = 0; k < 3; k++)
            compared += compare_at_random(a, &d, e, c);
        arena_free(a);
    }
    assert_true(compared > 8000);
    assert_true(shorter > 500);
}

static void long_expressions_stay(void **state) {
    arena *a = arena_new(0);
    expr_pool *pool = expr_pool_new(a);
    expr sum = expr_symbol(pool, SYM_P, 0), deep = sum;
    for (int i = 1; i < 40; i++)
        sum = expr_op2(pool, OP_ADD, sum, expr_symbol(pool, SYM_P, i));
    expr power = expr_op2(pool, OP_POW, sum, expr_number(pool, 30));
    collected c = collect_terms(a, pool, power); // 10^19 terms if it were multiplied out
    assert_true(collect_length(c.pool, c.e, a) == collect_length(pool, power, a));
    for (int i = 0; i < 60; i++) // 2^60 operations in print
        deep = expr_op2(pool, OP_MUL, deep, expr_op1(pool, OP_SIN, deep));
    c = collect_terms(a, pool, deep);
    assert_true(c.pool == pool && c.e == deep);
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_are_added_up),
        cmocka_unit_test(numbers),
        cmocka_unit_test(common_factors),
        cmocka_unit_test(squares),
        cmocka_unit_test(sines_and_cosines),
        cmocka_unit_test(quotients),
        cmocka_unit_test(chaplygin_sleigh),
        cmocka_unit_test(double_pendulum_in_angles),
        cmocka_unit_test(double_pendulum_from_places),
        cmocka_unit_test(links),
        cmocka_unit_test(spinning_top),
        cmocka_unit_test(random_expressions_keep_their_value),
        cmocka_unit_test(long_expressions_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
