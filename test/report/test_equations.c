/* Derived equations in print, to the letter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "report/equations.h"
#include "report/typeset.h"

typedef struct {
    arena *arena;
    model *model;
    mech *derived;
} reading;

static reading read_model(const char *model_text) {
    reading r = {.arena = arena_new(0)};
    source *file = arena_array(r.arena, source, 1);
    *file = (source){"test.tram", model_text, (int)strlen(model_text)};
    r.model = model_read(r.arena, file, NULL, 0);
    if (r.model->diags.errors == 0)
        r.derived = mech_derive(r.arena, r.model);
    if (r.model->diags.errors)
        fail_msg("%s", diags_text(&r.model->diags, r.arena, 0));
    return r;
}

static void check(const char *model_text, print_style style, const char *expected) {
    reading r = read_model(model_text);
    assert_string_equal(equations_text(r.arena, r.model, r.derived, style, true), expected);
    arena_free(r.arena);
}

static void check_holds(const char *model_text, print_style style, const char *piece) {
    reading r = read_model(model_text);
    const char *page = equations_text(r.arena, r.model, r.derived, style, true);
    if (strstr(page, piece) == NULL)
        fail_msg("no %s in\n%s", piece, page);
    arena_free(r.arena);
}

static const char pendulum[] = "param m = 1, L = 20, g = 9.81\n"
                               "coord x, y\n"
                               "kinetic m/2*(x'^2 + y'^2)\n"
                               "potential m*g*y\n"
                               "constraint length: x^2 + y^2 = L^2\n";

static const char sleigh[] = "param m = 1, J_c = 2, omega = 3\n"
                             "coord x, y, theta\n"
                             "kinetic m/2*(x'^2 + y'^2) + J_c/2*theta'^2\n"
                             "force theta = sin(omega*t)\n"
                             "constraint blade: y'*cos(theta) - x'*sin(theta) = 0\n";

static const char skater[] = "param m = 1, J = 2, a = 0.5\n"
                             "coord x, y, theta\n"
                             "kinetic m/2*(x'^2 + y'^2) + J/2*theta'^2\n"
                             "quasi u = x'*cos(theta) + y'*sin(theta)\n"
                             "quasi v = y'*cos(theta) - x'*sin(theta) + a*t\n"
                             "quasi w = theta'\n"
                             "constraint side: v = 0\n";

static const char slider[] = "param m = 1, g = 9.81, mu = 0.2\n"
                             "coord x, y, z\n"
                             "mass x = m\n"
                             "mass y = m\n"
                             "mass x y = cos(z)/2\n"
                             "mass z = 1\n"
                             "force y = -m*g\n"
                             "constraint floor_1: y = 0\n"
                             "constraint tip (damping = 2*m, stiffness = 3): (x, z) = (z, sin(t))\n"
                             "constraint seen (weight = 2): x'' + z'' = 3\n"
                             "control stay: z' = 0\n"
                             "nonideal x = -mu*abs(reaction(y))*sign(x')\n"
                             "nonideal z = multiplier(floor_1)^2 + reaction(z, tip) + multiplier(tip).y\n";

static const char chain[] = "param N = 100000, m = 1, g = 9.81, L = 0.1\n"
                            "coord x[1..N], y[1..N]\n"
                            "kinetic sum(i in 1..N: m/2*(x[i]'^2 + y[i]'^2))\n"
                            "potential sum(i in 1..N: m*g*y[i])\n"
                            "constraint link[1]: x[1]^2 + y[1]^2 = L^2\n"
                            "for i in 2..N: constraint link[i]: x[i] - x[i-1] = L*i\n";

static const char row_of_masses[] = "coord x[1..50]\n"
                                    "for i in 1..50: param m[i] = i\n"
                                    "kinetic sum(i in 1..50: m[i]/2*x[i]'^2)\n"
                                    "constraint ends: x[1]'*x[50]' = 0\n"
                                    "for i in 1..2: nonideal x[i] = -reaction(x[i + 2])\n";

static void text_of_a_pendulum(void **state) {
    check(pendulum, PRINT_TEXT,
          "M q'' = Q + Q^c,  A q'' = b\n"
          "q = (x, y)\n"
          "rows: 1 holonomic\n"
          "\n"
          "M is symmetric; entries not listed are 0\n"
          "  M[x, x] = m\n"
          "  M[y, y] = m\n"
          "\n"
          "Q; entries not listed are 0\n"
          "  Q[y] = -m*g\n"
          "\n"
          "length (holonomic): x^2 + y^2 - L^2 = 0\n"
          "  A[length, x] = 2*x\n"
          "  A[length, y] = 2*y\n"
          "  b[length] = -2*(x'^2 + y'^2)\n"
          "\n"
          "with m = 1, L = 20, g = 9.81\n");
}

static void latex_of_a_pendulum(void **state) {
    check(pendulum, PRINT_LATEX,
          "% needs amsmath\n"
          "\\begin{align*}\n"
          "M\\,\\ddot{q} &= Q + Q^{c} \\\\\n"
          "A\\,\\ddot{q} &= b \\\\\n"
          "q &= \\left(x,\\, y\\right)^{T}\n"
          "\\end{align*}\n"
          "rows: 1 holonomic\n"
          "\\begin{align*}\n"
          "M &= \\begin{pmatrix} m & 0 \\\\ 0 & m \\end{pmatrix} \\\\\n"
          "Q &= \\begin{pmatrix} 0 \\\\ -m\\,g \\end{pmatrix}\n"
          "\\end{align*}\n"
          "\\begin{align*}\n"
          "\\text{length}\\text{ (holonomic):}\\quad x^{2} + y^{2} - L^{2} &= 0 \\\\\n"
          "A &= \\begin{pmatrix} 2\\,x & 2\\,y \\end{pmatrix} \\\\\n"
          "b &= \\begin{pmatrix} -2\\,\\left(\\dot{x}^{2} + \\dot{y}^{2}\\right) \\end{pmatrix}\n"
          "\\end{align*}\n"
          "\n"
          "with $m = 1$, $L = 20$, $g = 9.81$\n");
}

static void nonholonomic_row(void **state) {
    check(sleigh, PRINT_TEXT,
          "M q'' = Q + Q^c,  A q'' = b\n"
          "q = (x, y, theta)\n"
          "rows: 1 nonholonomic\n"
          "\n"
          "M is symmetric; entries not listed are 0\n"
          "  M[x, x] = m\n"
          "  M[y, y] = m\n"
          "  M[theta, theta] = J_c\n"
          "\n"
          "Q; entries not listed are 0\n"
          "  Q[theta] = sin(omega*t)\n"
          "\n"
          "blade (nonholonomic): y'*cos(theta) - x'*sin(theta) = 0\n"
          "  A[blade, x] = -sin(theta)\n"
          "  A[blade, y] = cos(theta)\n"
          "  b[blade] = theta'*(x'*cos(theta) + y'*sin(theta))\n"
          "\n"
          "with m = 1, J_c = 2, omega = 3\n");
}

static void quasi_velocities(void **state) {
    check(skater, PRINT_TEXT,
          "M q'' = Q + Q^c,  A q'' = b\n"
          "q = (x, y, theta)\n"
          "s = G q' + g = (u, v, w)\n"
          "rows: 1 nonholonomic\n"
          "\n"
          "M is symmetric; entries not listed are 0\n"
          "  M[x, x] = m\n"
          "  M[y, y] = m\n"
          "  M[theta, theta] = J\n"
          "\n"
          "Q is 0\n"
          "\n"
          "G; entries not listed are 0\n"
          "  G[u, x] = cos(theta)\n"
          "  G[u, y] = sin(theta)\n"
          "  G[v, x] = -sin(theta)\n"
          "  G[v, y] = cos(theta)\n"
          "  G[w, theta] = 1\n"
          "\n"
          "g; entries not listed are 0\n"
          "  g[v] = a*t\n"
          "\n"
          "side (nonholonomic): y'*cos(theta) - x'*sin(theta) + a*t = 0\n"
          "  A[side, x] = -sin(theta)\n"
          "  A[side, y] = cos(theta)\n"
          "  b[side] = theta'*(x'*cos(theta) + y'*sin(theta)) - a\n"
          "\n"
          "M_s s' = S + S^c,  A_s s' = b_s\n"
          "\n"
          "M_s is symmetric; entries not listed are 0\n"
          "  M_s[u, u] = m\n"
          "  M_s[v, v] = m\n"
          "  M_s[w, w] = J\n"
          "\n"
          "S; entries not listed are 0\n"
          "  S[u] = w*m*(v - a*t)\n"
          "  S[v] = (a - u*w)*m\n"
          "\n"
          "A_s; entries not listed are 0\n"
          "  A_s[side, v] = 1\n"
          "\n"
          "b_s is 0\n"
          "\n"
          "with m = 1, J = 2, a = 0.5\n");
    check_holds(skater, PRINT_LATEX,
                "M_{s}\\,\\dot{s} &= S + S^{c} \\\\\nA_{s}\\,\\dot{s} &= b_{s} \\\\\n"
                "M_{s} &= \\begin{pmatrix} m & 0 & 0 \\\\ 0 & m & 0 \\\\ 0 & 0 & J \\end{pmatrix}");
}

// what rows share of a weight, names with an underscore among them
static void shared_weights(void **state) {
    static const char clocks[] = "coord x\nkinetic x'^2\nconstraint c_1 (weight = ((2, t), (t, 3))): "
                                 "(x, x) = (1, 2)\n";
    check_holds(clocks, PRINT_TEXT, "c_1.x (holonomic, weight = 2, weight with c_1.y = t): x - 1 = 0");
    check_holds(clocks, PRINT_LATEX, "weight with c\\_1.y = $t$");
}

static void non_ideal_forces_and_kinds_of_rows(void **state) {
    check(slider, PRINT_TEXT,
          "M q'' = Q + Q^c,  A q'' = b\n"
          "Q^c = A^T lambda + C\n"
          "q = (x, y, z)\n"
          "rows: 3 holonomic, 1 nonholonomic, 1 acceleration; 1 with a weight, met as closely as the others "
          "allow\n"
          "\n"
          "M is symmetric; entries not listed are 0\n"
          "  M[x, x] = m\n"
          "  M[x, y] = cos(z)/2\n"
          "  M[y, y] = m\n"
          "  M[z, z] = 1\n"
          "\n"
          "Q; entries not listed are 0\n"
          "  Q[y] = -m*g\n"
          "\n"
          "C; entries not listed are 0\n"
          "  C[x] = -mu*abs(reaction(y))*sign(x')\n"
          "  C[z] = multiplier(floor_1)^2 + reaction(z, tip) + multiplier(tip.y)\n"
          "\n"
          "floor_1 (holonomic): y = 0\n"
          "  A[floor_1, y] = 1\n"
          "  b[floor_1] = 0\n"
          "\n"
          "tip.x (holonomic, damping = 2*m, stiffness = 3): x - z = 0\n"
          "  A[tip.x, x] = 1\n"
          "  A[tip.x, z] = -1\n"
          "  b[tip.x] = -2*m*(x' - z') - 3*(x - z)\n"
          "\n"
          "tip.y (holonomic, damping = 2*m, stiffness = 3): z - sin(t) = 0\n"
          "  A[tip.y, z] = 1\n"
          "  b[tip.y] = 2*sin(t) - 3*z - 2*m*(z' - cos(t))\n"
          "\n"
          "seen (acceleration, weight = 2): x'' + z'' - 3 = 0\n"
          "  A[seen, x] = 1\n"
          "  A[seen, z] = 1\n"
          "  b[seen] = 3\n"
          "\n"
          "stay (control, nonholonomic): z' = 0\n"
          "  A[stay, z] = 1\n"
          "  b[stay] = 0\n"
          "\n"
          "with m = 1, g = 9.81, mu = 0.2\n");
}

static void contributions_to_one_entry_add_up(void **state) {
    const char *model_text = "param m = 1, c = 2, k = 3\n"
                             "coord x, y\n"
                             "kinetic m/2*x'^2 + c/2*(x' - y')^2\n"
                             "potential k/2*x^2\n"
                             "force x = c*t\n";
    check(model_text, PRINT_TEXT,
          "M q'' = Q\n"
          "q = (x, y)\n"
          "\n"
          "M is symmetric; entries not listed are 0\n"
          "  M[x, x] = m + c\n"
          "  M[x, y] = -c\n"
          "  M[y, y] = c\n"
          "\n"
          "Q; entries not listed are 0\n"
          "  Q[x] = c*t - k*x\n"
          "\n"
          "with m = 1, c = 2, k = 3\n");
}

static void a_long_chain_is_a_page(void **state) {
    reading r = read_model(chain);
    arena *own = arena_new(1 << 20); // beyond this it aborts: nothing grows with the number of links
    size_t before = arena_used(r.arena);
    const char *page = equations_text(own, r.model, r.derived, PRINT_TEXT, true);
    assert_string_equal(page, "M q'' = Q + Q^c,  A q'' = b\n"
                              "q = (x[1], …, x[100000], y[1], …, y[100000])\n"
                              "rows: 100000 holonomic\n"
                              "Each shape of term and row is shown once, for its first instance; "
                              "contributions to one entry add up.\n"
                              "\n"
                              "kinetic energy m*(x[1]'^2 + y[1]'^2)/2\n"
                              "  M[x[1], x[1]] += m\n"
                              "  M[y[1], y[1]] += m\n"
                              "  … and 99999 more of the same shape (x[2] to x[100000])\n"
                              "\n"
                              "potential energy m*g*y[1]\n"
                              "  Q[y[1]] += -m*g\n"
                              "  … and 99999 more of the same shape (y[2] to y[100000])\n"
                              "\n"
                              "link[1] (holonomic): x[1]^2 + y[1]^2 - L^2 = 0\n"
                              "  A[link[1], x[1]] = 2*x[1]\n"
                              "  A[link[1], y[1]] = 2*y[1]\n"
                              "  b[link[1]] = -2*(x[1]'^2 + y[1]'^2)\n"
                              "\n"
                              "link[2] (holonomic): x[2] - x[1] - c1 = 0\n"
                              "  A[link[2], x[2]] = 1\n"
                              "  A[link[2], x[1]] = -1\n"
                              "  b[link[2]] = 0\n"
                              "  c1 is 0.2 here, from 0.2 to 10000 in all\n"
                              "  … and 99998 more of the same shape (link[3] to link[100000])\n"
                              "\n"
                              "with m = 1, g = 9.81, L = 0.1\n");
    assert_true(strlen(page) < 4000);
    assert_true(arena_used(r.arena) - before < 100000);
    arena_free(own);
    arena_free(r.arena);
}

static void names_in_latex(void **state) {
    const char *model_text = "param mu_s = 1, rho12 = 2, spring_k_0 = 1e-10, _ = 5\n"
                             "coord theta_1, q2, phi[1..2], arm\n"
                             "mass theta_1 = mu_s\n"
                             "mass q2 = rho12\n"
                             "mass arm = spring_k_0 + _\n"
                             "force theta_1 = theta_1' + q2'\n"
                             "force arm = arm' + phi[2]'\n"
                             "constraint a_b: phi[1]'' = 0\n";
    check_holds(model_text, PRINT_LATEX,
                "\\left(\\theta_{1},\\, q_{2},\\, \\phi_{1},\\, \\phi_{2},\\, \\mathrm{arm}\\right)");
    check_holds(model_text, PRINT_LATEX, "\\dot{\\theta}_{1} + \\dot{q}_{2}");
    check_holds(model_text, PRINT_LATEX, "\\dot{\\phi}_{2} + \\dot{\\mathrm{arm}}");
    check_holds(model_text, PRINT_LATEX,
                "\\text{a\\_b}\\text{ (acceleration):}\\quad \\ddot{\\phi}_{1} &= 0");
    check_holds(model_text, PRINT_LATEX,
                "with $\\mu_{s} = 1$, $\\rho_{12} = 2$, $\\mathrm{spring}_{k,0} = 10^{-10}$, $\\_ = 5$");
}

static void what_is_too_long_is_not_printed(void **state) {
    const char *model_text = "coord x\n"
                             "let f(a) = a*sin(a)\n"
                             "kinetic x'^2/2\n"
                             "force x = f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(x"
                             "))))))))))))))))))))))))))))))\n";
    check_holds(model_text, PRINT_TEXT, "  Q[x] = (3.22e+09 operations, too long to print)\n");
}

static int count_of(const char *page, const char *piece) {
    int count = 0;
    for (; (page = strstr(page, piece)); page += strlen(piece))
        count++;
    return count;
}

static void check_balanced(const char *page) {
    int depth = 0;
    for (const char *c = page; *c; c++) {
        depth += *c == '{';
        depth -= *c == '}';
        assert_true(depth >= 0);
    }
    assert_int_equal(depth, 0);
    assert_int_equal(count_of(page, "\\begin{"), count_of(page, "\\end{"));
    assert_int_equal(count_of(page, "\\left"), count_of(page, "\\right"));
    assert_int_equal(count_of(page, "$") % 2, 0);
    assert_int_equal(count_of(page, "\n\n\\begin"), 0); // a display starts no paragraph
}

static void latex_is_balanced(void **state) {
    static const char *const models[] = {pendulum, sleigh, skater, slider, chain, row_of_masses};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        reading r = read_model(models[i]);
        check_balanced(equations_text(r.arena, r.model, r.derived, PRINT_LATEX, true));
        arena_free(r.arena);
    }
}

static void large_models_with_numbers_and_results(void **state) {
    check_holds(row_of_masses, PRINT_TEXT,
                "  M[x[1], x[1]] += 2*c1\n  c1 is 0.5 here, from 0.5 to 25 in all\n");
    check_holds(row_of_masses, PRINT_TEXT,
                "  C[x[1]] += -reaction(x[3])\n  … and 1 more of the same shape (x[2])\n");
    check_holds(row_of_masses, PRINT_LATEX, "M_{x_{1},\\, x_{1}} &\\mathrel{+}= 2\\,c_{1}\n");
    check_holds(row_of_masses, PRINT_LATEX,
                "C_{x_{1}} &\\mathrel{+}= -\\operatorname{reaction}\\left(x_{3}\\right)\n");
}

// as pdflatex says, in Computer Modern of 10 pt
static void widths_are_those_of_latex(void **state) {
    static const struct {
        const char *formula;
        double width;
    } cases[] = {{"M = \\begin{pmatrix} m & 0 & -m\\,a\\,\\sin\\left(\\theta\\right) \\\\ 0 & m & "
                  "m\\,a\\,\\cos\\left(\\theta\\right) \\\\ -m\\,a\\,\\sin\\left(\\theta\\right) & "
                  "m\\,a\\,\\cos\\left(\\theta\\right) & J + m\\,a^{2} \\end{pmatrix}",
                  215.57},
                 {"I\\,\\dot{\\omega} + \\omega \\times I\\,\\omega = R^{T} (n_{\\text{hub3}} + "
                  "(P_{\\text{hub3}} - r) \\times "
                  "f_{\\text{hub3}}",
                  208.20},
                 {"\\frac{R\\,s\\,\\sin\\left(\\phi\\right)}{\\sqrt{s^{2} - "
                  "2\\,R\\,s\\,\\cos\\left(\\phi\\right) + R^{2}}}",
                  110.99},
                 {"a_{\\text{bearing1}} = (0.8150123,\\, -0.120451,\\, -0.5667861)", 207.96},
                 {"\\text{blade}\\text{ (nonholonomic):}\\quad \\dot{y}\\,\\cos\\left(\\theta\\right) - "
                  "\\dot{x}\\,\\sin\\left(\\theta\\right) = 0",
                  210.48},
                 {"M_{x_{1},\\, x_{12}} = 0.25\\,\\mathrm{knee}_{x}^{2}", 91.75}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double width = typeset_width(cases[i].formula);
        if (width < 0.97 * cases[i].width || width > 1.1 * cases[i].width)
            fail_msg("%s is %g pt wide, not %g", cases[i].formula, cases[i].width, width);
    }
}

// a sum goes on on the next line, and what is too wide for one has a name
static void latex_fits_a_column(void **state) {
    static const char wide[] =
        "param a = 1, b = 2\n"
        "coord x, y\n"
        "mass x = 1\n"
        "mass y = 1\n"
        "force x = sin(a*x)*cos(b*y) + cos(a*x)*sin(b*y) + sin(a*y)*sin(b*x) + exp(-a*x^2)*x\n"
        "force y = x*y*exp(-a*x)*(sin(a*x)*cos(b*y) + cos(a*x)*sin(b*y) + sin(a*y)*sin(b*x))^2\n";
    check_holds(wide, PRINT_LATEX,
                "Q_{x} &= \\sin\\left(a\\,x + b\\,y\\right) + "
                "\\sin\\left(a\\,y\\right)\\,\\sin\\left(x\\,b\\right) \\\\\n"
                "  &\\quad + x\\,\\exp\\left(-a\\,x^{2}\\right) \\\\\n");
    check_holds(wide, PRINT_LATEX, "\\,u_{1}^{2}");
    check_holds(wide, PRINT_LATEX, "\nwhere\n\\begin{align*}\nu_{1} &= ");
}

static void vectors_have_names_of_their_own(void **state) {
    static const char taken[] = "param u = 1\ncoord q, z\nmass q = u\nmass z = 1\nconstraint c: q = z^2\n";
    check_holds(taken, PRINT_TEXT, "M X'' = Q + Q^c,  A X'' = b\nX = (q, z)\n");
    check_holds(taken, PRINT_TEXT, "the vector is called X, since the model has a q of its own\n");
    check_holds(taken, PRINT_LATEX, "M\\,\\ddot{X} &= Q + Q^{c}");
    check_holds(taken, PRINT_LATEX, "The vector is called $X$, since the model has a $q$ of its own.");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths_are_those_of_latex),
        cmocka_unit_test(latex_fits_a_column),
        cmocka_unit_test(vectors_have_names_of_their_own),
        cmocka_unit_test(text_of_a_pendulum),
        cmocka_unit_test(latex_of_a_pendulum),
        cmocka_unit_test(nonholonomic_row),
        cmocka_unit_test(quasi_velocities),
        cmocka_unit_test(shared_weights),
        cmocka_unit_test(non_ideal_forces_and_kinds_of_rows),
        cmocka_unit_test(contributions_to_one_entry_add_up),
        cmocka_unit_test(a_long_chain_is_a_page),
        cmocka_unit_test(names_in_latex),
        cmocka_unit_test(what_is_too_long_is_not_printed),
        cmocka_unit_test(latex_is_balanced),
        cmocka_unit_test(large_models_with_numbers_and_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
