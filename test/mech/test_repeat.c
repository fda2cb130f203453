/* Rows that repeat an earlier one: pairs that do, pairs that only seem to, a long chain stated twice, and
 * random rows rewritten at random. */
#include "mech/repeat.h"

#include "support/formula.h"

#include "support/exact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct {
    arena *arena;
    model *model;
    mech_repeats *repeats;
} found;

static found search(const char *given) {
    found f = {.arena = arena_new((size_t)4 << 30)};
    assert_non_null(f.arena);
    source *s = arena_alloc(f.arena, sizeof *s);
    *s = (source){"test.tram", arena_copy(f.arena, given, strlen(given)), (int)strlen(given)};
    f.model = model_read(f.arena, s, NULL, 0);
    const mech *derived = f.model->diags.errors ? NULL : mech_derive(f.arena, f.model);
    if (f.model->diags.errors)
        fail_msg("%s\n%s", diags_text(&f.model->diags, f.arena, 0), given);
    int size = expr_pool_size(f.model->pool);
    f.repeats = mech_find_repeats(f.arena, f.model, derived);
    assert_int_equal(expr_pool_size(f.model->pool), size);
    return f;
}

static const char prelude[] = "coord x, y, z, w, q[1..4]\n"
                              "param L = 0.7, k = 0.3, h = 0.3, n = 2, l[1..4] = 1.1\n";

/* Factor of the last row of the two constraints with respect to the first; 0 if it repeats none. */
static double factor_between(const char *first, const char *second) {
    char given[2000];
    snprintf(given, sizeof given, "%sconstraint a%s\nconstraint b%s\n", prelude, first, second);
    found f = search(given);
    int last = f.model->rows.count - 1, of = f.repeats->of[last];
    double factor = of < 0 ? 0 : f.repeats->factor[last];
    assert_true(of < 0 ? f.repeats->factor[last] == 1 : of == 0);
    assert_int_equal(f.repeats->of[0], -1);
    assert_int_equal(f.repeats->count, of >= 0);
    arena_free(f.arena);
    return factor;
}

typedef struct {
    const char *first, *second;
    double factor;
} pair;

static void repeats_are_found(void **state) {
    static const pair pairs[] = {
        {": x = y", ": x = y", 1},
        {": x = y", ": y = x", -1},
        {": x = y", ": x - y = 0", 1},
        {": 0 = x - y", ": x = y", -1},
        {": (x-y)^2 + (z-w)^2 = L^2", ": (x-y)^2 + (z-w)^2 = L^2", 1},
        {": (x-y)^2 + (z-w)^2 = L^2", ": 2*((x-y)^2 + (z-w)^2) = 2*L^2", 2},
        {": (x-y)^2 + (z-w)^2 = L^2", ": 3*((x-y)^2 + (z-w)^2) = 3*L^2", 3},
        {": (x-y)^2 + (z-w)^2 = L^2", ": ((x-y)^2 + (z-w)^2)/3 = L^2/3", 1. / 3},
        {": (x-y)^2 + (z-w)^2 = L^2", ": k*((x-y)^2 + (z-w)^2) = k*L^2", 0.3},
        {": k*((x-y)^2 + (z-w)^2) = k*L^2", ": (z-w)^2 + (x-y)^2 = L^2", 1 / 0.3},
        {": (x-y)^2 + (z-w)^2 = L^2", ": L^2 = (w-z)^2 + (y-x)^2", -1},
        {": (x-y)^2 + (z-w)^2 = L^2", ": (x-y)*(x-y) + (z-w)*(z-w) = L*L", 1},
        {": (x-y)^2 + (z-w)^2 = L^2", ": (x-y)^n + (w-z)^n = L^n", 1},
        {": (x-y)^2 = L^2", ": x*x + y*y - 2*x*y = L*L", 1},
        {": (x-y)^2 = L^2", ": (x - y - L)*(x - y + L) = 0", 1},
        {": x = k*y", ": x = h*y", 1}, // values count
        {": x + y + z = 1", ": z + (y + x) = 1", 1},
        {": x + y + z = 1", ": 0.1*(1 - z) = 0.1*(x + y)", -0.1},
        {": x*y' = z'", ": 2*z' = 2*y'*x", -2},
        {": x*y'' + z'^2 = w", ": -w = -z'*z' - y''*x", 1},
        {": sin(x - y) = L", ": sin(y - x) = -L", -1},
        {": cos(x - y) + tan(z) = L", ": 4*(cos(y - x) - L) = 4*tan(-z)", 4},
        {": norm((x, y)) = L", ": sqrt(y^2 + x^2) = L", 1},
        {": x/y + z/y = L", ": (x + z)/y = L", 1},
        {": x/(2*y) = L", ": x/y = 2*L", 2},
        {": x^(-2) = L", ": k*x^(-2) = k*L", 0.3},
        {": atan2(x, y) = t", ": t = atan2(x, y)", -1},
        {": max(x, y) = min(z, w)", ": max(y, x) = min(w, z)", 1},
        {": if(x < 0, y, z) = 0", ": 2*if(x < 0, y, z) = 0", 2},
        {" (damping = k): x = y", " (damping = 0.3): y = x", -1},
        {" (damping = 2, stiffness = k*x): x = y", " (damping = 2, stiffness = x*h): 2*x = 2*y", 2},
        {": 1e200*x = 1e200*y", ": 1e-200*x = 1e-200*y", 0}, // the factor is no double
        {": 1e100*x = 1e100*y", ": 1e-100*x = 1e-100*y", 1e-200},
        {": (x, y) = (z, w)", ": z = x", -1},
    };
    for (int i = 0; i < (int)(sizeof pairs / sizeof *pairs); i++) {
        double factor = factor_between(pairs[i].first, pairs[i].second), expected = pairs[i].factor;
        if (fabs(factor - expected) > 4e-16 * fabs(expected))
            fail_msg("'%s' is %.17g times '%s', not %.17g", pairs[i].second, expected, pairs[i].first,
                     factor);
    }
}

static void others_are_not(void **state) {
    static const pair pairs[] = {
        {": x = y", ": x = z", 0},
        {": x = y", ": x = -y", 0},
        {": x = y", ": 2*x = y", 0},
        {": (x-y)^2 = L^2", ": (x-y)^2 = k^2", 0},
        {": q[1] = l[1]", ": q[2] = l[1]", 0},
        {": x - y = 0", ": z*(x - y) = 0", 0},
        {": x - y = 0", ": t*(x - y) = 0", 0},
        {": (x-y)^2 = L", ": (x+y)^2 = L", 0},
        {": abs(x) = L", ": x = L", 0},
        {": abs(x)^2 = L", ": x^2 = L", 0},
        {": sqrt(x^2) = L", ": abs(x) = L", 0},
        {": sqrt(x)^2 = L", ": x = L", 0},
        {": x = 1", ": x = 1 + 1e-15", 0},
        {": x = y", ": x = (1 + 1e-15)*y", 0},
        {": x = L", ": x = L + 1e-300", 0},
        {": x = 1", ": x = 2305843009213693952", 0}, // 2^61 is 1 in the first field
        {": x = 13", ": x = 144115188075855872", 0}, // 2^57 is 13 in the second
        {": x = 0", ": x = 2305843009213693951", 0}, // the first prime
        {": x = y", ": x = 2305843009213693952*y", 0},
        {": x^(2^61) = y", ": x = y", 0},
        {": x' = y'", ": x' + x'*y'^2 = y'", 0}, // equal at rest
        {": x*x' + y*y' = 0", ": x^2 + y^2 = L^2", 0},
        {": x' = y'", ": x = y", 0},
        {": x'' = y''", ": x' = y'", 0},
        {": x = 1", ": x^2 = 1", 0},
        {": x = 1", ": (x - 1)^2 = 0", 0},
        {": x = 1", ": (x - 1)^3 = 0", 0},
        {": sin(x) = L", ": cos(x) = L", 0},
        {": sin(x) = L", ": sin(x + 1e-15) = L", 0},
        {": sin(x) = L", ": sin(2*x) = 2*L", 0},
        {": atan2(x, y) = L", ": atan2(y, x) = L", 0},
        {": atan2(x, y) = L", ": atan2(-x, y) = -L", 0}, // on the negative axis
        {": x*y/y = L", ": x = L", 0},                   // not at y = 0
        {": x = L", ": x + sqrt(y) - sqrt(y) = L", 0},
        {": x = L", " (damping = 1): x = L", 0},
        {" (damping = 1): x = L", " (damping = 2): x = L", 0},
        {" (damping = 1): x = L", " (damping = 1, stiffness = 1): x = L", 0},
        {" (stiffness = 1): x = L", " (damping = 1): x = L", 0},
        {" (weight = 1): x = L", " (weight = 1): x = L", 0},
        {": x = L", " (weight = 1): x = L", 0},
    };
    for (int i = 0; i < (int)(sizeof pairs / sizeof *pairs); i++) {
        double factor = factor_between(pairs[i].first, pairs[i].second);
        if (factor != 0)
            fail_msg("'%s' is not %.17g times '%s'", pairs[i].second, factor, pairs[i].first);
    }
}

static void controls_are_apart(void **state) {
    found f = search("coord x, y\nconstraint a: x = y\ncontrol b: x = y\nconstraint c: y = x\n"
                     "control d: 2*x = 2*y\n");
    static const int of[] = {-1, -1, 0, 1};
    static const double factor[] = {1, 1, -1, 2};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(f.repeats->of[i], of[i]);
        assert_true(f.repeats->factor[i] == factor[i]);
    }
    assert_int_equal(f.repeats->count, 2);
    arena_free(f.arena);
}

// the first row of a group is the one that all others repeat; rows between do not matter
static void groups_have_one_first_row(void **state) {
    found f = search("coord x[1..9]\nfor i in 1..4: constraint a[i]: i*x[1] = i*x[2]\n"
                     "for i in 1..8: constraint b[i]: x[i] = x[i+1] + i - 1\n"
                     "for i in 1..8: constraint c[i]: x[i+1] + (i - 1) = x[i]\n");
    for (int i = 0; i < 20; i++) {
        int of = i == 0 ? -1 : i < 4 || i == 4 || i == 12 ? 0 : i < 12 ? -1 : i - 8;
        assert_int_equal(f.repeats->of[i], of);
        assert_true(f.repeats->factor[i] == (i < 4 ? i + 1 : i < 12 ? 1 : -1));
    }
    arena_free(f.arena);
}

static void none_without_rows(void **state) {
    found f = search("coord x\nkinetic x'^2\n");
    assert_int_equal(f.repeats->rows, 0);
    assert_int_equal(f.repeats->count, 0);
    arena_free(f.arena);
}

// x^64^64^... reaches any degree in a few operations, and x^(p-1) is 1 in a field
static void high_degrees_are_refused(void **state) {
    const char *row = ": ((((x^64)^64)^64)^64)^64 = L";
    assert_true(factor_between(row, row) == 0);
    assert_true(factor_between(": (x^64)^64 = L", ": (x^32)^128 = L") == 0); // 128: by the C library
    assert_true(factor_between(": (x^64)^64 = L", ": L = (x^32*x^32)^64") == -1);
}

static void cost_of(const char *what, const char *given, int rows, int count, double factor) {
    found f = search(given);
    assert_int_equal(f.repeats->rows, rows);
    assert_int_equal(f.repeats->count, count);
    for (int i = rows - count; i < rows; i++) {
        assert_int_equal(f.repeats->of[i], i - (rows - count));
        assert_true(f.repeats->factor[i] == factor);
    }
    print_message("%s: %.2f comparisons per row\n", what, (double)f.repeats->compared / rows);
    // were every row held against every other, it would be a thousand times as much
    assert_true(f.repeats->compared < 3L * rows);
    arena_free(f.arena);
}

static void long_chains(void **state) {
    cost_of("links, sides swapped",
            "param N = 100001, L = 0.3\ncoord x[1..N], y[1..N]\n"
            "for i in 2..N: constraint link[i]: (x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 = L^2\n"
            "for i in 2..N: constraint again[i]: L^2 = (x[i-1]-x[i])^2 + (y[i-1]-y[i])^2\n",
            200000, 100000, -1);
    cost_of("links, lengths of their own, four times",
            "param N = 100001, L = 0.3\ncoord x[1..N], y[1..N]\n"
            "for i in 2..N: constraint link[i]: (x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 = (L/i)^2\n"
            "for i in 2..N: constraint again[i]: 4*(x[i-1]-x[i])^2 + 4*(y[i-1]-y[i])^2 = 4*(L/i)^2\n",
            200000, 100000, 4);
    cost_of("links, with root and quotient",
            "param N = 50001, L = 0.3\ncoord x[1..N], y[1..N]\n"
            "for i in 2..N: constraint link[i]: norm((x[i]-x[i-1], y[i]-y[i-1])) = L/(1 + x[1]^2)\n"
            "for i in 2..N: constraint again[i]: L/(1 + x[1]^2) = norm((y[i]-y[i-1], x[i-1]-x[i]))\n",
            100000, 50000, -1);
}

// ---- random rows

typedef struct {
    const formula *f;
    dice *dice;
    FILE *out;
} writer;

static bool is_constant(const formula *f, int i) {
    const formula_node *e = &f->node[i];
    if (strchr("qvT", e->op))
        return false;
    if (e->op == 'n')
        return true;
    return is_constant(f, e->a) && (!strchr("+-*/", e->op) || is_constant(f, e->b));
}

static void rewrite(writer w, int i);

// a text with @ and # for the operands, rewritten
static void put_pattern(writer w, const char *pattern, int a, int b) {
    for (; *pattern; pattern++)
        if (*pattern == '@' || *pattern == '#')
            rewrite(w, *pattern == '@' ? a : b);
        else
            fputc(*pattern, w.out);
}

static void put_product(writer w, const formula_node *e) {
    static const char *const same[] = {"(@ * #)", "(# * @)", "(-@ * -#)", "(-(@ * (-#)))"};
    for (int k = 0; k < 2; k++) {
        const formula_node *sum = &w.f->node[k ? e->b : e->a];
        int other = k ? e->a : e->b;
        if ((sum->op == '+' || sum->op == '-') && !is_constant(w.f, other) && below(w.dice, 2)) {
            put_pattern(w, "(@ * #", other, sum->a);
            put_pattern(w, sum->op == '+' ? " + @ * #)" : " - @ * #)", other, sum->b);
            return;
        }
    }
    put_pattern(w, same[below(w.dice, 4)], e->a, e->b);
}

/* The same in other words. Constants stay as they are, since the text's are computed, and rounded. */
static void rewrite(writer w, int i) {
    const formula_node *e = &w.f->node[i];
    static const char *const sums[] = {"(@ + #)", "(# + @)", "(-(-@ - #))", "(# - (-@))"};
    static const char *const differences[] = {"(@ - #)", "(-# + @)", "(-(# - @))", "(@ + (-1)*#)"};
    static const char *const squares[] = {"(@^2)", "(@*@)", "((-@)^2)"};
    static const char *const sines[] = {"sin(@)", "(-sin(-@))"};
    static const char *const cosines[] = {"cos(@)", "cos(-@)"};
    static const char *const quotients[] = {"(@/(2 + #^2))", "(@*(1/(#*# + 2)))", "(-@/(-2 - #^2))"};
    if (is_constant(w.f, i) || strchr("qvT", e->op))
        formula_node_print(w.f, i, w.out);
    else if (e->op == '+')
        put_pattern(w, sums[below(w.dice, 4)], e->a, e->b);
    else if (e->op == '-')
        put_pattern(w, differences[below(w.dice, 4)], e->a, e->b);
    else if (e->op == '*')
        put_product(w, e);
    else if (e->op == '/')
        put_pattern(w, quotients[below(w.dice, 3)], e->a, e->b);
    else if (e->op == '^')
        put_pattern(w,
                    e->b == 2          ? squares[below(w.dice, 3)]
                    : below(w.dice, 2) ? "(@^3)"
                                       : "(@*@^2)",
                    e->a, 0);
    else if (e->op == 's')
        put_pattern(w, sines[below(w.dice, 2)], e->a, 0);
    else if (e->op == 'c')
        put_pattern(w, cosines[below(w.dice, 2)], e->a, 0);
    else if (e->op == 'e')
        put_pattern(w, "exp(sin(@))", e->a, 0);
    else if (e->op == 't')
        put_pattern(w, "atan(@)", e->a, 0);
    else if (e->op == 'r')
        put_pattern(w, "sqrt(1 + @^2)", e->a, 0);
    else
        put_pattern(w, "tanh(@)", e->a, 0);
}

static int dice_below(void *d, int n) {
    return below(d, n);
}

static double dice_number(void *d) {
    return below(d, 2) ? below(d, 7) - 3 : 4 * uniform(d) - 2;
}

typedef struct {
    const model *model;
    const shape *shape;
    int instance;
    const double *values; // of coordinates, velocities, accelerations
} place_in;

static double value_of(void *context, sym_kind kind, int index) {
    const place_in *p = context;
    switch (kind) {
    case SYM_TIME:
        return 0.4;
    case SYM_PARAM:
        return p->model->params.at[index].value;
    case SYM_NUMBER:
        return p->shape->numbers.at[p->instance * p->shape->number_count + index];
    default:
        return p->values[(kind - SYM_P) * FORMULA_COORDS +
                         p->shape->slots.at[p->instance * p->shape->slot_count + index]];
    }
}

static double row_at(const model *m, int row, const double *values) {
    const model_row *r = &m->rows.at[row];
    place_in p = {m, &m->shapes.at[r->shape], r->instance, values};
    return expr_eval(m->pool, p.shape->part[PART_VALUE], value_of, &p);
}

// whether row = factor times other at random points
static bool holds(const model *m, int row, int other, double factor, dice *d) {
    for (int point = 0; point < 20; point++) {
        double values[3 * FORMULA_COORDS];
        for (int i = 0; i < 3 * FORMULA_COORDS; i++)
            values[i] = 4 * uniform(d) - 2;
        double left = row_at(m, row, values), right = factor * row_at(m, other, values);
        if (isfinite(left) && fabs(left - right) > 1e-8 * (1 + fabs(factor)) * (1 + fabs(left)))
            return false;
    }
    return true;
}

typedef struct {
    char *text;
    double factor; // of the last row
} question;

// a row e1 = e2, another row, and the first in other words
static question ask(dice *d, bool velocities) {
    static const struct {
        const char *text;
        double value;
    } factors[] = {{"1", 1}, {"2", 2}, {"(-1)", -1}, {"3", 3}, {"0.1", 0.1}, {"k", 0.3}, {"(7/3)", 7. / 3}};
    formula_taste taste = {dice_below, dice_number, d, 3, velocities, 1};
    formula left = formula_random(&taste, 3), right = formula_random(&taste, 2);
    writer w = {.dice = d}, v = {.dice = d};
    question q = {0};
    size_t size;
    int which = below(d, (int)(sizeof factors / sizeof *factors)), form = below(d, 3);
    const char *factor = factors[which].text;
    w.out = v.out = open_memstream(&q.text, &size);
    w.f = &left;
    v.f = &right;
    fprintf(w.out, "coord x, y, z, w\nparam k = 0.3\nconstraint a: ");
    formula_print(&left, w.out);
    fprintf(w.out, " = ");
    formula_print(&right, w.out);
    fprintf(w.out, "\nconstraint b: x + y + z = %.17g\nconstraint c: ", uniform(d));
    q.factor = form == 1 ? -factors[which].value : factors[which].value;
    if (form == 2 || is_constant(&right, right.count - 1)) {
        q.factor = factors[which].value;
        fprintf(w.out, "%s*(", factor);
        rewrite(w, left.count - 1);
        fprintf(w.out, " - ");
        rewrite(v, right.count - 1);
        fprintf(w.out, ") = 0\n");
    } else {
        fprintf(w.out, "%s*", factor);
        rewrite(form ? v : w, (form ? right : left).count - 1);
        fprintf(w.out, " = %s*", factor);
        rewrite(form ? w : v, (form ? left : right).count - 1);
        fprintf(w.out, "\n");
    }
    fclose(w.out);
    return q;
}

static bool readable(const char *given) {
    arena *a = arena_new((size_t)1 << 30);
    source s = {"test.tram", given, (int)strlen(given)};
    model *m = model_read(a, &s, NULL, 0);
    if (m->diags.errors == 0)
        mech_derive(a, m);
    bool good = m->diags.errors == 0;
    arena_free(a);
    return good;
}

static void rewritten_rows_are_found(void **state) {
    dice d = {12345};
    int asked = 0, answered = 0;
    while (asked < 3000) {
        question q = ask(&d, below(&d, 2));
        if (readable(q.text)) { // not those whose coordinates cancel
            found f = search(q.text);
            int last = f.model->rows.count - 1;
            asked++;
            if (f.repeats->of[last] == 0) {
                answered++;
                if (fabs(f.repeats->factor[last] - q.factor) > 1e-12 * fabs(q.factor))
                    fail_msg("%sfactor %.17g instead of %.17g", q.text, f.repeats->factor[last], q.factor);
            }
            for (int i = 0; i <= last; i++)
                if (f.repeats->of[i] >= 0 && !holds(f.model, i, f.repeats->of[i], f.repeats->factor[i], &d))
                    fail_msg("%srow %d does not repeat row %d", q.text, i, f.repeats->of[i]);
            arena_free(f.arena);
        }
        free(q.text);
    }
    print_message("%d of %d rewritten rows found\n", answered, asked);
    assert_true(answered >= 0.95 * asked);
}

static char *random_row(dice *d, const formula_taste *taste, int number) {
    char *line;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    formula f = formula_random(taste, 2);
    fprintf(out, "coord x, y, z, w\nconstraint r%d: ", number);
    formula_print(&f, out);
    fprintf(out, " = %d\n", below(d, 2));
    fclose(out);
    return line;
}

static char *random_rows(dice *d, int count, int velocities) {
    char *given;
    size_t size;
    FILE *out = open_memstream(&given, &size);
    fprintf(out, "coord x, y, z, w\n");
    formula_taste taste = {dice_below, dice_number, d, 2, velocities, 0};
    for (int row = 0; row < count;) {
        char *line = random_row(d, &taste, row);
        if (readable(line)) {
            fputs(strchr(line, '\n') + 1, out);
            row++;
        }
        free(line);
    }
    fclose(out);
    return given;
}

// many rows of few operations, so that some say the same by accident: each that is found does, and few are
// missed
static void short_rows_are_told_apart(void **state) {
    dice d = {777};
    int count = 0, missed = 0;
    for (int round = 0; round < 30; round++) {
        char *given = random_rows(&d, 60, round % 2);
        found f = search(given);
        count += f.repeats->count;
        for (int i = 0; i < f.repeats->rows; i++)
            for (int j = 0; j < i; j++) {
                double at[3 * FORMULA_COORDS] = {0.3, 0.8, 0.5, 0.1, 0.9, 0.7, 0.2, 0.6};
                double factor = row_at(f.model, i, at) / row_at(f.model, j, at);
                if (f.repeats->of[i] == j && !holds(f.model, i, j, f.repeats->factor[i], &d))
                    fail_msg("%srow %d does not repeat row %d", given, i, j);
                if (f.repeats->of[i] < 0 && f.repeats->of[j] < 0 && isfinite(factor) && factor != 0)
                    missed += holds(f.model, i, j, factor, &d);
            }
        arena_free(f.arena);
        free(given);
    }
    print_message("%d short rows repeat others, %d missed\n", count, missed);
    assert_true(count > 100 && missed < 0.05 * count);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeats_are_found),
        cmocka_unit_test(others_are_not),
        cmocka_unit_test(controls_are_apart),
        cmocka_unit_test(groups_have_one_first_row),
        cmocka_unit_test(none_without_rows),
        cmocka_unit_test(high_degrees_are_refused),
        cmocka_unit_test(long_chains),
        cmocka_unit_test(rewritten_rows_are_found),
        cmocka_unit_test(short_rows_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
