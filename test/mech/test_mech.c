/* The mechanics in symbols against numerical differentiation: random Lagrangians and constraints as model
 * text, and the same formulas evaluated here in long double. */
#include "support/build.h"
#include "support/formula.h"
#include "system/rates.h"

#include "support/exact.h"

#include <stdlib.h>

static const double TOLERANCE = 1e-10;

static int dice_below(void *d, int n) {
    return below(d, n);
}

static double dice_number(void *d) {
    return 4 * uniform(d) - 2;
}

static formula_taste taste(dice *d, int coords, bool velocities) {
    return (formula_taste){dice_below, dice_number, d, coords, velocities, 1};
}

static instant random_instant(dice *d) {
    instant at = {.t = uniform(d) * 2 - 1};
    for (int i = 0; i < FORMULA_COORDS; i++) {
        at.q[i] = uniform(d) * 2 - 1;
        at.v[i] = uniform(d) * 2 - 1;
        at.a[i] = uniform(d) * 4 - 2;
    }
    return at;
}

static void set_state(const built *b, const instant *at) {
    double q[FORMULA_COORDS], v[FORMULA_COORDS];
    for (int i = 0; i < b->sys->n; i++) {
        q[i] = (double)at->q[i];
        v[i] = (double)at->v[i];
    }
    state_set(b->sys, b->st, (double)at->t, q, v);
}

static void put_coordinates(FILE *out, int n) {
    for (int i = 0; i < n; i++)
        fprintf(out, "%s%s", i ? ", " : "coord ", formula_name(i));
    fputs("\n", out);
}

// ---- T, V, D, forces

typedef struct {
    int n, terms;
    bool used[3]; // quadratic, linear, constant terms
    formula mass[FORMULA_COORDS][FORMULA_COORDS], linear[FORMULA_COORDS], constant;
    formula potential, dissipation, force[FORMULA_COORDS];
    bool has_dissipation, has_force[FORMULA_COORDS];
} lagrangian;

static wide kinetic(const lagrangian *l, const instant *at) {
    wide T = 0;
    for (int i = 0; i < l->n; i++)
        for (int j = 0; j <= i && l->used[0]; j++)
            T += formula_value(&l->mass[i][j], at) * at->v[i] * at->v[j];
    for (int i = 0; i < l->n && l->used[1]; i++)
        T += formula_value(&l->linear[i], at) * at->v[i];
    return T + (l->used[2] ? formula_value(&l->constant, at) : 0);
}

static lagrangian random_lagrangian(dice *d) {
    lagrangian l = {.n = 1 + below(d, FORMULA_COORDS)};
    formula_taste w = taste(d, l.n, false), wv = taste(d, l.n, true);
    for (int i = 0; i < 3; i++)
        l.used[i] = below(d, 4) > 0 || i == 0;
    for (int i = 0; i < l.n; i++) {
        for (int j = 0; j <= i; j++)
            l.mass[i][j] = formula_random(&w, 2);
        l.linear[i] = formula_random(&w, 2);
        l.has_force[i] = below(d, 2);
        l.force[i] = formula_random(&wv, 3);
    }
    l.constant = formula_random(&w, 3);
    l.potential = formula_random(&w, 3);
    l.has_dissipation = below(d, 2);
    l.dissipation = formula_random(&wv, 3);
    return l;
}

/* As one sum, or as a statement for each term (they add up), or with the factors as functions. */
static void print_kinetic(const lagrangian *l, dice *d, FILE *out) {
    int style = below(d, 3);
    const char *between = style == 0 ? " +\n  " : "\nkinetic ";
    if (style == 2)
        fputs("let both(a, b) = a*b\n", out);
    fputs("kinetic ", out);
    for (int i = 0; i < l->n; i++)
        for (int j = 0; j <= i; j++) {
            const char *vi = formula_name(i), *vj = formula_name(j);
            fputs(i ? between : "", out);
            formula_print(&l->mass[i][j], out);
            if (style == 2)
                fprintf(out, "*both(%s', %s')", vi, vj);
            else if (i == j)
                fprintf(out, "*%s'^2", vi);
            else
                fprintf(out, "*%s'*%s'", vi, vj);
        }
    for (int i = 0; i < l->n && l->used[1]; i++) {
        fputs(between, out);
        formula_print(&l->linear[i], out);
        fprintf(out, "*%s'", formula_name(i));
    }
    if (l->used[2]) {
        fputs(between, out);
        formula_print(&l->constant, out);
    }
    fputs("\n", out);
}

static char *lagrangian_text(const lagrangian *l, dice *d) {
    char *given = NULL;
    size_t length;
    FILE *out = open_memstream(&given, &length);
    put_coordinates(out, l->n);
    print_kinetic(l, d, out);
    fputs("potential ", out);
    formula_print(&l->potential, out);
    if (l->has_dissipation) {
        fputs("\ndissipation ", out);
        formula_print(&l->dissipation, out);
    }
    for (int i = 0; i < l->n; i++)
        if (l->has_force[i]) {
            fprintf(out, "\nforce %s = ", formula_name(i));
            formula_print(&l->force[i], out);
        }
    fputs("\n", out);
    fclose(out);
    return given;
}

/* What is differentiated: a value at an instant moved along a direction. */
typedef struct {
    const lagrangian *l;
    const formula *f;
    instant at;
    char along; // 'q', 'v', or 'm': along the motion (q + s v, t + s)
    int i;      // which coordinate; of 'm': whose momentum
} variation;

static instant moved(const variation *x, wide s) {
    instant at = x->at;
    if (x->along == 'q')
        at.q[x->i] += s;
    if (x->along == 'v')
        at.v[x->i] += s;
    if (x->along == 'm') {
        at.t += s;
        for (int j = 0; j < FORMULA_COORDS; j++)
            at.q[j] += s * at.v[j];
    }
    return at;
}

static wide varied_formula(void *context, wide s) {
    variation *x = context;
    instant at = moved(x, s);
    return formula_value(x->f, &at);
}

static wide varied_kinetic(void *context, wide s) {
    variation *x = context;
    instant at = moved(x, s);
    return kinetic(x->l, &at);
}

// dT/dv_i: T has degree two, so the central difference with any step is exact
static wide varied_momentum(void *context, wide s) {
    variation *x = context;
    instant plus = moved(x, s), minus = plus;
    plus.v[x->i] += 1;
    minus.v[x->i] -= 1;
    return (kinetic(x->l, &plus) - kinetic(x->l, &minus)) / 2;
}

static wide mass_entry(const lagrangian *l, const instant *at, int i, int j) {
    instant both = *at, one = *at, other = *at;
    both.v[i] += 1;
    both.v[j] += 1;
    one.v[i] += 1;
    other.v[j] += 1;
    return kinetic(l, &both) - kinetic(l, &one) - kinetic(l, &other) + kinetic(l, at);
}

// dT/dq_i - d/dt at fixed velocity (dT/dv_i) - dV/dq_i - dD/dv_i + F_i; *scale is the size of what was added
static wide force_entry(const lagrangian *l, const instant *at, int i, wide *scale, wide *error) {
    variation x = {l, NULL, *at, 'q', i};
    wide part[5] = {richardson(varied_kinetic, &x, 1, error)};
    x.f = &l->potential;
    part[1] = -richardson(varied_formula, &x, 1, error);
    x.along = 'm';
    part[2] = -richardson(varied_momentum, &x, 1, error);
    x.along = 'v';
    x.f = &l->dissipation;
    part[3] = l->has_dissipation ? -richardson(varied_formula, &x, 1, error) : 0;
    part[4] = l->has_force[i] ? formula_value(&l->force[i], at) : 0;
    wide sum = 0;
    *scale = 1;
    for (int k = 0; k < 5; k++) {
        sum += part[k];
        *scale += fabsl(part[k]);
    }
    return sum;
}

static void check_energies(const built *b, const lagrangian *l, const instant *at) {
    instant back = *at, rest = *at;
    for (int i = 0; i < FORMULA_COORDS; i++) {
        back.v[i] = -at->v[i];
        rest.v[i] = 0;
    }
    wide T = kinetic(l, at), T0 = kinetic(l, &rest), T2 = (T + kinetic(l, &back)) / 2 - T0;
    wide scale = 1 + fabsl(T) + fabsl(T0) + fabsl(T2) + fabsl(kinetic(l, &back));
    state_run(b->sys, b->st, STAGE_ENERGY);
    const double *y = b->st->y[STAGE_ENERGY];
    assert_near_scaled(y[0], (double)T, TOLERANCE, (double)scale);
    assert_near_scaled(y[1], (double)(T2 - T0), TOLERANCE, (double)scale);
    wide V = formula_value(&l->potential, at);
    assert_near_scaled(y[2], (double)V, TOLERANCE, 1 + (double)fabsl(V));
}

static int check_lagrangian(const built *b, const lagrangian *l, const instant *at) {
    int n = l->n, compared = 0;
    set_state(b, at);
    state_run(b->sys, b->st, STAGE_DYNAMICS);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            wide expected = mass_entry(l, at, i, j);
            assert_near_scaled(row_entry(b->sys->M, b->st->M, i, j), (double)expected, TOLERANCE,
                               1 + (double)fabsl(expected));
        }
        wide scale, error = 0, expected = force_entry(l, at, i, &scale, &error);
        if (error > TOLERANCE / 10 * scale)
            continue; // the formula is too wild for numerical differentiation
        assert_near_scaled(b->st->Q[i], (double)expected, TOLERANCE, (double)scale);
        compared++;
    }
    check_energies(b, l, at);
    return compared;
}

static void random_lagrangians(void **state) {
    dice d = {2024};
    int compared = 0, wanted = 0;
    for (int trial = 0; trial < 300; trial++) {
        lagrangian l = random_lagrangian(&d);
        char *given = lagrangian_text(&l, &d);
        built b = build_how(given, trial % 2 ? EVALUATE_FUSED : EVALUATE_ASSEMBLED);
        for (int k = 0; k < 3; k++) {
            instant at = random_instant(&d);
            compared += check_lagrangian(&b, &l, &at);
            wanted += l.n;
        }
        demolish(&b);
        free(given);
    }
    assert_true(compared > wanted * 9 / 10);
}

/* ---- one shape, many instances: a chain written with loops, sums and arrays */

enum { LINKS = 6 };

static wide chain_kinetic(const wide *q, const wide *v, wide t) {
    wide T = 0;
    for (int i = 0; i < LINKS; i++)
        T += (i + 1) * v[i] * v[i] / 2;
    for (int i = 0; i + 1 < LINKS; i++)
        T += (2 + sinl(q[i] * q[i + 1] + t)) * (v[i] - v[i + 1]) * (v[i] - v[i + 1]) / 2;
    return T + q[0] * v[LINKS - 1];
}

static wide chain_potential(const wide *q) {
    wide V = 0;
    for (int i = 0; i < LINKS; i++)
        for (int j = 0; j < i; j++)
            V -= 1 / sqrtl(1 + (q[i] - q[j]) * (q[i] - q[j])) * (i + 1) * (j + 1);
    return V;
}

static const char chain_text[] =
    "param N = 6\n"
    "coord q[1..N]\n"
    "for i in 1..N: kinetic i*q[i]'^2/2\n"
    "kinetic sum(i in 1..N-1: (2 + sin(q[i]*q[i+1] + t))*(q[i]' - q[i+1]')^2)/2\n"
    "kinetic q[1]*q[N]'\n"
    "for i in 1..N { for j in 1..i-1: potential -i*j/sqrt(1 + (q[i] - q[j])^2)\n"
    "  dissipation i*q[i]'^2/4 }\n";

typedef struct {
    wide q[LINKS], v[LINKS], t;
    int i, what; // 0: T along q_i, 1: V along q_i, 2: momentum i along the motion
} chain_state;

static wide chain_varied(void *context, wide s) {
    chain_state x = *(chain_state *)context;
    if (x.what < 2)
        x.q[x.i] += s;
    if (x.what == 0)
        return chain_kinetic(x.q, x.v, x.t);
    if (x.what == 1)
        return chain_potential(x.q);
    x.t += s;
    for (int j = 0; j < LINKS; j++)
        x.q[j] += s * x.v[j];
    x.v[x.i] += 1;
    wide plus = chain_kinetic(x.q, x.v, x.t);
    x.v[x.i] -= 2;
    return (plus - chain_kinetic(x.q, x.v, x.t)) / 2;
}

static void check_chain(const built *b, dice *d) {
    chain_state x = {.t = uniform(d)};
    double q[LINKS], v[LINKS];
    for (int i = 0; i < LINKS; i++) {
        x.q[i] = q[i] = normal(d);
        x.v[i] = v[i] = normal(d);
    }
    state_set(b->sys, b->st, (double)x.t, q, v);
    state_run(b->sys, b->st, STAGE_DYNAMICS);
    for (x.i = 0; x.i < LINKS; x.i++) {
        wide error = 0, expected = -(x.i + 1) * x.v[x.i] / 2;
        x.what = 0;
        expected += richardson(chain_varied, &x, 1, &error);
        x.what = 1;
        expected -= richardson(chain_varied, &x, 1, &error);
        x.what = 2;
        expected -= richardson(chain_varied, &x, 1, &error);
        assert_near_scaled(b->st->Q[x.i], (double)expected, TOLERANCE, 100);
        for (int j = 0; j < LINKS; j++) {
            wide entry = x.i == j ? x.i + 1 : 0;
            for (int k = 0; k + 1 < LINKS; k++) {
                int one = (k == x.i) - (k + 1 == x.i), other = (k == j) - (k + 1 == j);
                entry += (2 + sinl(x.q[k] * x.q[k + 1] + x.t)) * one * other;
            }
            assert_near_scaled(row_entry(b->sys->M, b->st->M, x.i, j), (double)entry, 1e-13, 10);
        }
    }
}

static void loops(void **state) {
    dice d = {5};
    const evaluate_how hows[] = {EVALUATE_FUSED, EVALUATE_ASSEMBLED};
    for (int how = 0; how < 2; how++) {
        built b = build_how(chain_text, hows[how]);
        for (int k = 0; k < 10; k++)
            check_chain(&b, &d);
        demolish(&b);
    }
}

// entries given directly: no velocity terms follow, T is q'Mq'/2
static void given_mass(void **state) {
    built b =
        build("coord x, y, z\n"
              "mass x = 2 + x^2\nmass x y = sin(t)*y\nmass z = 3\nmass x = 1\nmass y z = -x\nmass z y = 4\n"
              "force x = x' + t\nforce x = y\n"
              "kinetic y'^2\n");
    const double q[] = {0.5, -2, 3}, v[] = {1, 2, -1}, t = 0.7;
    state_set(b.sys, b.st, t, q, v);
    state_run(b.sys, b.st, STAGE_DYNAMICS);
    const double M[] = {3.25, -2 * sin(0.7), 0, -2 * sin(0.7), 2, 3.5, 0, 3.5, 3}, Q[] = {1 + 0.7 - 2, 0, 0};
    double T = 0;
    for (int i = 0; i < 9; i++) {
        assert_near(row_entry(b.sys->M, b.st->M, i / 3, i % 3), M[i], 1e-15);
        T += M[i] * v[i / 3] * v[i % 3] / 2;
    }
    for (int i = 0; i < 3; i++)
        assert_near(b.st->Q[i], Q[i], 1e-15);
    state_run(b.sys, b.st, STAGE_ENERGY);
    assert_near(b.st->y[STAGE_ENERGY][0], T, 1e-14);
    assert_near(b.st->y[STAGE_ENERGY][1], T, 1e-14);
    demolish(&b);
}

/* ---- constraints: A q'' - b against what numerical differentiation finds along a curve q(t) */

/* q_i(t) = c0 + c1 t + c2 t^2 + c3 sin(c4 t), with all derivatives. */
typedef struct {
    double c[FORMULA_COORDS][5];
} curve;

static instant on_curve(const curve *x, wide t) {
    instant at = {.t = t};
    for (int i = 0; i < FORMULA_COORDS; i++) {
        const double *c = x->c[i];
        at.q[i] = c[0] + c[1] * t + c[2] * t * t + c[3] * sinl(c[4] * t);
        at.v[i] = c[1] + 2 * c[2] * t + c[3] * c[4] * cosl(c[4] * t);
        at.a[i] = 2 * c[2] - c[3] * c[4] * c[4] * sinl(c[4] * t);
    }
    return at;
}

static curve random_curve(dice *d) {
    curve x;
    for (int i = 0; i < FORMULA_COORDS; i++)
        for (int k = 0; k < 5; k++)
            x.c[i][k] = uniform(d) * 1.4 - 0.7;
    return x;
}

typedef struct {
    const formula *f;
    const curve *path;
    wide t;
} along_path;

static wide value_along(void *context, wide s) {
    along_path *x = context;
    instant at = on_curve(x->path, x->t + s);
    return formula_value(x->f, &at);
}

typedef struct {
    int n;
    bool velocities, damped;
    double damping, stiffness; // in the text as damping*(1 + t^2)
    formula left, right;
} random_row;

static random_row make_row(dice *d) {
    random_row r = {.n = 1 + below(d, FORMULA_COORDS), .velocities = below(d, 2), .damped = below(d, 2)};
    formula_taste w = taste(d, r.n, r.velocities);
    formula_node anchor = {.op = r.velocities ? 'v' : 'q'}; // so that it is of the level intended
    r.left = formula_random(&w, 3);
    int root = r.left.count - 1;
    anchor.a = below(d, r.n);
    anchor.a = formula_add(&r.left, anchor);
    int third = formula_add(&r.left, (formula_node){.op = 'n', .number = 0.25});
    int product = formula_add(&r.left, (formula_node){.op = '*', .a = third, .b = anchor.a});
    formula_add(&r.left, (formula_node){.op = '+', .a = root, .b = product});
    r.right = formula_random(&w, 2);
    r.damping = uniform(d) * 3;
    r.stiffness = r.velocities ? 0 : uniform(d) * 3;
    return r;
}

static char *row_text(const random_row *r) {
    char *given = NULL;
    size_t length;
    FILE *out = open_memstream(&given, &length);
    put_coordinates(out, r->n);
    for (int i = 0; i < r->n; i++)
        fprintf(out, "kinetic %s'^2/2\n", formula_name(i));
    fputs("constraint other: x = x*2\nconstraint c", out);
    if (r->damped)
        fprintf(out, " (damping = %.17g*(1 + t^2)", r->damping);
    if (r->damped && !r->velocities)
        fprintf(out, ", stiffness = %.17g", r->stiffness);
    fputs(r->damped ? "): " : ": ", out);
    formula_print(&r->left, out);
    fputs(" = ", out);
    formula_print(&r->right, out);
    fputs("\n", out);
    fclose(out);
    return given;
}

// e, e', e'' of left - right along the path
static void row_derivatives(const random_row *r, const curve *path, wide t, wide *e, wide *scale,
                            wide *error) {
    const formula *sides[] = {&r->left, &r->right};
    memset(e, 0, 3 * sizeof *e);
    *scale = 1;
    for (int k = 0; k < 2; k++) {
        along_path x = {sides[k], path, t};
        wide sign = k ? -1 : 1, d1 = richardson(value_along, &x, 1, error),
             d2 = r->velocities ? 0 : richardson(value_along, &x, 2, error);
        e[0] += sign * value_along(&x, 0);
        e[1] += sign * d1;
        e[2] += sign * d2;
        *scale += fabsl(d1) + fabsl(d2) + fabsl(value_along(&x, 0));
    }
}

static bool check_row(const built *b, const random_row *r, const curve *path, wide t) {
    instant at = on_curve(path, t);
    int n = r->n, m = b->sys->m, row = m - 1;
    wide e[3], scale, error = 0;
    row_derivatives(r, path, t, e, &scale, &error);
    set_state(b, &at);
    state_run(b->sys, b->st, STAGE_DYNAMICS);
    state_run(b->sys, b->st, STAGE_RESIDUAL);
    const double *residual = b->st->y[STAGE_RESIDUAL];
    assert_near_scaled(residual[row], (double)e[0], TOLERANCE, (double)scale);
    if (error > TOLERANCE / 10 * scale)
        return false;
    double damping = r->damped ? r->damping * (double)(1 + t * t) : 0;
    wide expected =
        r->velocities ? e[1] + damping * e[0] : e[2] + damping * e[1] + (r->damped ? r->stiffness * e[0] : 0);
    wide found = -b->st->b[row], size = scale + fabsl(found);
    for (int i = 0; i < n; i++) {
        wide term = row_entry(b->sys->A, b->st->A, row, i) * at.a[i];
        found += term;
        size += fabsl(term);
    }
    assert_near_scaled((double)found, (double)expected, TOLERANCE, (double)((1 + damping) * size));
    if (!r->velocities)
        assert_near_scaled(residual[m + row], (double)e[1], TOLERANCE, (double)scale);
    return true;
}

static void random_rows(void **state) {
    dice d = {77};
    int compared = 0;
    for (int trial = 0; trial < 300; trial++) {
        random_row r = make_row(&d);
        char *given = row_text(&r);
        built b = build_how(given, trial % 2 ? EVALUATE_FUSED : EVALUATE_ASSEMBLED);
        const system_row *row = &b.sys->rows[b.sys->m - 1];
        assert_int_equal(row->level, r.velocities ? ROW_NONHOLONOMIC : ROW_HOLONOMIC);
        assert_int_equal(row->damped, r.damped);
        assert_int_equal(row->position >= 0, !r.damped && !r.velocities);
        assert_int_equal(row->velocity >= 0, !r.damped);
        for (int k = 0; k < 3; k++) {
            curve path = random_curve(&d);
            compared += check_row(&b, &r, &path, uniform(&d) - 0.5);
        }
        demolish(&b);
        free(given);
    }
    assert_true(compared > 800);
}

// at the acceleration level A q'' - b is e1 - e2 itself
static void acceleration_rows(void **state) {
    dice d = {99};
    for (int trial = 0; trial < 100; trial++) {
        int n = 1 + below(&d, FORMULA_COORDS);
        formula_taste w = taste(&d, n, true);
        formula factor[FORMULA_COORDS], rest = formula_random(&w, 3);
        char *given = NULL;
        size_t length;
        FILE *out = open_memstream(&given, &length);
        put_coordinates(out, n);
        fputs("constraint c: ", out);
        for (int i = 0; i < n; i++) {
            factor[i] = formula_random(&w, 2);
            fprintf(out, "(%.17g + ", i + 1.0);
            formula_print(&factor[i], out);
            fprintf(out, ")*%s'' + ", formula_name(i));
        }
        fputs("0 = ", out);
        formula_print(&rest, out);
        fputs("\n", out);
        fclose(out);
        built b = build(given);
        assert_int_equal(b.sys->rows[0].level, ROW_ACCELERATION);
        assert_int_equal(b.sys->velocity.m, 0);
        instant at = random_instant(&d);
        set_state(&b, &at);
        state_run(b.sys, b.st, STAGE_DYNAMICS);
        for (int i = 0; i < n; i++) {
            double expected = i + 1 + (double)formula_value(&factor[i], &at);
            assert_near_scaled(row_entry(b.sys->A, b.st->A, 0, i), expected, TOLERANCE, 1 + fabs(expected));
        }
        double expected = (double)formula_value(&rest, &at);
        assert_near_scaled(b.st->b[0], expected, TOLERANCE, 1 + fabs(expected));
        demolish(&b);
        free(given);
    }
}

// the total derivatives e' and e'' of a let, and a constraint on them, mean what they say
static void derivatives_of_lets(void **state) {
    const char *const texts[] = {"coord x, y\nlet r = x^2*y + sin(t)*x\nconstraint c: r = 0\n",
                                 "coord x, y\nlet r = x^2*y + sin(t)*x\nconstraint c: r' = 0\n",
                                 "coord x, y\nlet r = x^2*y + sin(t)*x\nconstraint c: r'' = 0\n"};
    const double q[] = {0.3, -1.2}, v[] = {0.7, 0.4}, t = 0.6;
    for (int k = 0; k < 3; k++) { // all three ask for the same accelerations
        built b = build(texts[k]);
        assert_int_equal(b.sys->rows[0].level, k);
        state_set(b.sys, b.st, t, q, v);
        state_run(b.sys, b.st, STAGE_DYNAMICS);
        assert_near(b.st->A[0], 2 * q[0] * q[1] + sin(t), 1e-15);
        assert_near(b.st->A[1], q[0] * q[0], 1e-15);
        double rest = 2 * q[1] * v[0] * v[0] + 4 * q[0] * v[0] * v[1] + 2 * cos(t) * v[0] - sin(t) * q[0];
        assert_near(b.st->b[0], -rest, 1e-14);
        demolish(&b);
    }
}

/* ---- quasi-velocities s = G(q, t) q' + g(q, t) */

typedef struct {
    const formula (*G)[FORMULA_COORDS];
    const formula *g;
    const curve *path;
    int n, i;
    wide t;
} quasi_path;

static wide quasi_entry(const quasi_path *x, const instant *at, int i, int j) {
    return formula_value(&x->G[i][j], at) + (i == j ? 4 : 0);
}

static wide quasi_along(void *context, wide s) {
    quasi_path *x = context;
    instant at = on_curve(x->path, x->t + s);
    wide sum = formula_value(&x->g[x->i], &at);
    for (int j = 0; j < x->n; j++)
        sum += quasi_entry(x, &at, x->i, j) * at.v[j];
    return sum;
}

static char *quasi_text(int n, formula G[][FORMULA_COORDS], const formula *g) {
    char *given = NULL;
    size_t length;
    FILE *out = open_memstream(&given, &length);
    put_coordinates(out, n);
    for (int i = 0; i < n; i++) {
        fprintf(out, "mass %s = 1\nquasi s%d = ", formula_name(i), i);
        for (int j = 0; j < n; j++) {
            fprintf(out, "(%d + ", i == j ? 4 : 0);
            formula_print(&G[i][j], out);
            fprintf(out, ")*%s' + ", formula_name(j));
        }
        formula_print(&g[i], out);
        fputs("\n", out);
    }
    fclose(out);
    return given;
}

static void check_quasi(const built *b, quasi_path *x) {
    int n = x->n;
    instant at = on_curve(x->path, x->t);
    set_state(b, &at);
    state_run(b->sys, b->st, STAGE_QUASI);
    double G[FORMULA_COORDS * FORMULA_COORDS] = {0};
    const double *s = rates_s(b->sys, b->st), *g = s + n, *rate = rates_rest(b->sys, b->st);
    sparsity_fill(b->sys->G, rates_G(b->st), n, G);
    for (x->i = 0; x->i < n; x->i++) {
        wide error = 0, slope = richardson(quasi_along, x, 1, &error), found = rate[x->i], size = 1;
        assert_near_scaled(s[x->i], (double)quasi_along(x, 0), TOLERANCE, 10);
        assert_near_scaled(g[x->i], (double)formula_value(&x->g[x->i], &at), TOLERANCE, 10);
        for (int j = 0; j < n; j++) {
            assert_near_scaled(G[x->i * n + j], (double)quasi_entry(x, &at, x->i, j), TOLERANCE, 10);
            found += G[x->i * n + j] * at.a[j];
            size += fabsl(G[x->i * n + j] * at.a[j]) + fabsl(slope);
        }
        assert_true(error <= TOLERANCE / 10 * size);
        assert_near_scaled((double)found, (double)slope, TOLERANCE, (double)size);
    }
}

// v -> s -> v, and s' = G q'' + rate with the q'' that was solved for
static void check_quasi_calls(const built *b, const instant *at) {
    int n = b->sys->n;
    double q[FORMULA_COORDS], v[FORMULA_COORDS], s[FORMULA_COORDS], again[FORMULA_COORDS],
        sdot[FORMULA_COORDS];
    for (int i = 0; i < n; i++) {
        q[i] = (double)at->q[i];
        v[i] = (double)at->v[i];
    }
    rates_set(b->sys, b->st, (double)at->t, q, v, s);
    assert_int_equal(rates_velocities(b->sys, b->st, (double)at->t, q, s, again), -1);
    for (int i = 0; i < n; i++)
        assert_near(again[i], v[i], 1e-9);
    assert_int_equal(solve_acceleration(b->sys, b->st, (double)at->t, q, v).status, SOLVE_OK);
    rates_slope(b->sys, b->st, b->st->qdd, sdot);
    for (int i = 0; i < n; i++) {
        double expected = rates_rest(b->sys, b->st)[i] + row_dot(b->sys->G, rates_G(b->st), i, b->st->qdd);
        assert_near_scaled(sdot[i], expected, 1e-13, 1 + fabs(expected));
    }
}

static void random_quasi(void **state) {
    dice d = {31};
    for (int trial = 0; trial < 100; trial++) {
        int n = 1 + below(&d, FORMULA_COORDS);
        formula_taste w = taste(&d, n, false);
        formula G[FORMULA_COORDS][FORMULA_COORDS], g[FORMULA_COORDS];
        for (int i = 0; i < n; i++) {
            g[i] = formula_random(&w, 2);
            for (int j = 0; j < n; j++)
                G[i][j] = formula_random(&w, 2);
        }
        char *given = quasi_text(n, G, g);
        built b = build_how(given, trial % 2 ? EVALUATE_FUSED : EVALUATE_ASSEMBLED);
        for (int k = 0; k < 3; k++) {
            curve path = random_curve(&d);
            quasi_path x = {G, g, &path, n, 0, uniform(&d) - 0.5};
            check_quasi(&b, &x);
            instant at = on_curve(&path, x.t);
            check_quasi_calls(&b, &at);
        }
        demolish(&b);
        free(given);
    }
}

// s may stand wherever a velocity may: in T, D, forces, constraints
static void quasi_in_expressions(void **state) {
    built b = build("coord x, y\n"
                    "quasi a = cos(x)*x' + y'\nquasi c = y' - x*x'\n"
                    "kinetic (a^2 + 2*c^2)/2\ndissipation a^2/2\nforce y = c\nconstraint k: a = sin(t)\n");
    built p = build("coord x, y\n"
                    "let a = cos(x)*x' + y'\nlet c = y' - x*x'\n"
                    "kinetic (a^2 + 2*c^2)/2\ndissipation a^2/2\nforce y = c\nconstraint k: a = sin(t)\n");
    const double q[] = {0.4, 1.1}, v[] = {-0.3, 0.9};
    assert_int_equal(solve_acceleration(b.sys, b.st, 0.2, q, v).status, SOLVE_OK);
    assert_int_equal(solve_acceleration(p.sys, p.st, 0.2, q, v).status, SOLVE_OK);
    assert_int_equal(b.sys->stages[STAGE_DYNAMICS].y_size, p.sys->stages[STAGE_DYNAMICS].y_size);
    for (int i = 0; i < b.sys->stages[STAGE_DYNAMICS].y_size; i++)
        assert_near(b.st->y[STAGE_DYNAMICS][i], p.st->y[STAGE_DYNAMICS][i], 1e-14);
    for (int i = 0; i < 2; i++)
        assert_near(b.st->qdd[i], p.st->qdd[i], 1e-13);
    demolish(&b);
    demolish(&p);
}

// ---- what is structurally wrong

static int switches(const char *rest) {
    char given[300];
    snprintf(given, sizeof given,
             "param p = 1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x = y^2\n%s\n", rest);
    built b = build(given);
    int count = b.sys->switch_count;
    demolish(&b);
    return count;
}

// one for each thing that decides in a force or a constraint, and only there
static void switches_of_forces(void **state) {
    assert_int_equal(switches("force x = sin(x)"), 0);
    assert_int_equal(switches("force x = abs(x) - sign(x)*x + if(x > 0, 1, 2)"), 2);
    assert_int_equal(switches("force x = if(abs(x) < 1 and y > 0, min(x, y), max(x, y))"), 2);
    assert_int_equal(switches("potential abs(x)"), 1);
    assert_int_equal(switches("force x = abs(p)*x + if(t > 1, 1, 0)"), 1);
    assert_int_equal(switches("nonideal x = -abs(multiplier(c))*sign(x')"), 1);
    assert_int_equal(switches("output o = abs(x)\nexpect always abs(x) < 9"), 0);
    assert_int_equal(switches("for i in 1..3: force x = max(0, x - i)"), 3);
    assert_int_equal(switches("force x = floor(x) + 2*floor(x)^2 + floor(p)"), 1);
    assert_int_equal(switches("force x = atan2(y, x)"), 1);
    assert_int_equal(switches("constraint d: y = max(0, t)^3"), 1);
    assert_int_equal(switches("constraint d: atan2(y, x) = t"), 1);
}

static void wrong_models(void **state) {
    assert_wrong("coord x\nkinetic x'^3\n", "not quadratic in the velocities");
    assert_wrong("coord x\nkinetic sin(x')\n", "not quadratic in the velocities");
    assert_wrong("coord x, y\nkinetic x'^2*y'\n", "not quadratic in the velocities");
    assert_wrong("coord x\nkinetic x'^2/2\npotential x*x'\n", "velocity");
    assert_wrong("coord x\nkinetic x'^2/2\npotential floor(x)\n", "floor");
    assert_wrong("coord x\nkinetic x'^2/2\nconstraint c: floor(x) = 1\n", "floor");
    assert_wrong("coord x\nkinetic x'^2/2\nconstraint c: x''^2 = 1\n", "not linear in the accelerations");
    assert_wrong("coord x, y\nkinetic x'^2/2\nconstraint c: x''*y'' = 1\n",
                 "not linear in the accelerations");
    assert_wrong("coord x\nkinetic x'^2/2\nconstraint c (damping = 1): x'' = 1\n", "accelerations");
    assert_wrong("coord x\nkinetic x'^2/2\nconstraint c (stiffness = 1): x'' = 1\n", "accelerations");
    assert_wrong("coord x\nkinetic x'^2/2\nconstraint c (damping = 1, stiffness = 2): x' = 1\n",
                 "no stiffness");
    assert_wrong("coord x\nkinetic x'^2/2\nconstraint c: t = 1\n", "no coordinate");
    assert_wrong("coord x\nkinetic x'^2/2\nquasi s = x'^2\n", "linear in the velocities");
    assert_wrong("coord x, y\nkinetic x'^2/2\nquasi s = x'\n", "missing");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_lagrangians), cmocka_unit_test(loops),
        cmocka_unit_test(given_mass),         cmocka_unit_test(random_rows),
        cmocka_unit_test(acceleration_rows),  cmocka_unit_test(derivatives_of_lets),
        cmocka_unit_test(random_quasi),       cmocka_unit_test(quasi_in_expressions),
        cmocka_unit_test(switches_of_forces), cmocka_unit_test(wrong_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
