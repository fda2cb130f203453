/* Expressions as text that the model language reads back as the same expression, and as LaTeX. Brackets stand
 * only where they are needed: each operand is printed for a place that binds with a certain strength
 * (BIND_*), and gets brackets if it binds less.
 *
 * Printing takes pieces from a stack and replaces a node by the pieces it consists of, so that the depth of
 * an expression is limited by memory alone. It costs time linear in the printed length. */
#include "expr/expr.h"
#include "expr/pool.h"

#include <math.h>
#include <string.h>

/* A piece is an expression, or fixed text where e is EXPR_NONE. */
typedef struct {
    expr e;
    int bind;       // of the place where it stands
    bool flipped;   // print -e: of sums that stand behind a minus
    const char *as; // fixed text
} piece;

typedef struct {
    const expr_pool *pool;
    print_style style;
    expr_name name;
    void *context;
    text *out;
    arena *scratch;
    vec(piece) stack;
} printer;

// ---- pieces: put adds one in reading order; the pieces of one node are turned round when it is complete

static void put_text(printer *p, const char *as) {
    vec_push(p->scratch, p->stack, ((piece){.as = as}));
}

static void put(printer *p, expr e, int bind) {
    vec_push(p->scratch, p->stack, ((piece){.e = e, .bind = bind}));
}

static void turn_round(printer *p, int from) {
    piece *at = p->stack.at;
    for (int i = from, j = p->stack.count - 1; i < j; i++, j--) {
        piece swap = at[i];
        at[i] = at[j];
        at[j] = swap;
    }
}

// ---- numbers

static void put_number(printer *p, double value) {
    char digits[32];
    number_shortest(digits, value);
    char *e = p->style == PRINT_LATEX ? strchr(digits, 'e') : NULL;
    if (e == NULL) {
        put_text(p, arena_copy(p->scratch, digits, strlen(digits)));
        return;
    }
    *e = '\0'; // 3e-10 is 3 \cdot 10^{-10}, 1e-10 is 10^{-10}
    bool one = strcmp(digits, "1") == 0;
    put_text(p, arena_print(p->scratch, "%s%s10^{%s}", one ? "" : digits, one ? "" : " \\cdot ", e + 1));
}

static bool power_of_two(double value) {
    int exponent;
    return fabs(frexp(value, &exponent)) == 0.5;
}

// factors 1/2, 1/4, ... 1/1024 are printed as divisors: 2, 4, ... 1024 for these, 0 for others
static double divisor(double factor) {
    return power_of_two(factor) && factor <= 0.5 && factor >= 1.0 / 1024 ? 1 / factor : 0;
}

static int number_bind(const printer *p, double value) {
    char digits[32];
    if (value < 0)
        return BIND_SUM;
    return p->style == PRINT_LATEX && strchr(number_shortest(digits, value), 'e') ? BIND_PRODUCT : BIND_ATOM;
}

// ---- products and quotients

static bool begins_with_digit(const expr_pool *pool, expr e) {
    while (expr_op(pool, e) == OP_POW)
        e = expr_arg(pool, e, 0);
    return is_number(pool, e);
}

static void put_times(printer *p, expr right) {
    bool dot = p->style == PRINT_LATEX && begins_with_digit(p->pool, right);
    put_text(p, p->style == PRINT_TEXT ? "*" : dot ? " \\cdot " : "\\,");
}

// number * e
static void put_scaled(printer *p, double number, expr e) {
    put_number(p, number);
    put_times(p, e);
    put(p, e, power_of_two(number) ? BIND_PRODUCT : BIND_PRODUCT + 1); // 2*a*b, but 3*(a*b)
}

/* a/b, a/(n*b) or a/n; 1/... where there is no a. */
static void put_quotient(printer *p, expr a, double number, expr b) {
    bool latex = p->style == PRINT_LATEX, scaled = number != 1 && b != EXPR_NONE;
    put_text(p, latex ? "\\frac{" : "");
    if (a == EXPR_NONE)
        put_text(p, "1");
    else
        put(p, a, latex ? 0 : BIND_PRODUCT);
    put_text(p, latex ? "}{" : scaled ? "/(" : "/");
    if (scaled)
        put_scaled(p, number, b);
    else if (b == EXPR_NONE)
        put_number(p, number);
    else
        put(p, b, latex ? 0 : BIND_PRODUCT + 1);
    put_text(p, latex ? "}" : scaled ? ")" : "");
}

static void put_product(printer *p, node n) {
    if (!is_number(p->pool, n.args[0])) {
        put(p, n.args[0], BIND_PRODUCT);
        put_times(p, n.args[1]);
        put(p, n.args[1], BIND_PRODUCT + 1);
        return;
    }
    double factor = fabs(expr_value(p->pool, n.args[0]));
    node right = *node_at(p->pool, n.args[1]);
    if (!divisor(factor))
        put_scaled(p, factor, n.args[1]);
    else if (right.op == OP_DIV) // a/b/2 as a/(2*b)
        put_quotient(p, right.args[0], divisor(factor), right.args[1]);
    else
        put_quotient(p, n.args[1], divisor(factor), EXPR_NONE);
}

static void put_division(printer *p, node n) {
    double k = is_number(p->pool, n.args[0]) ? fabs(expr_value(p->pool, n.args[0])) : 0;
    if (k && divisor(k)) { // 0.5/x as 1/(2*x)
        put_quotient(p, EXPR_NONE, divisor(k), n.args[1]);
    } else if (k && p->style == PRINT_TEXT) {
        put_number(p, k);
        put_text(p, "/");
        put(p, n.args[1], BIND_PRODUCT + 1);
    } else if (k) {
        put_text(p, "\\frac{");
        put_number(p, k);
        put_text(p, "}{");
        put(p, n.args[1], 0);
        put_text(p, "}");
    } else {
        put_quotient(p, n.args[0], 1, n.args[1]);
    }
}

static void put_power(printer *p, node n) {
    bool latex = p->style == PRINT_LATEX;
    put(p, n.args[0], BIND_POWER + 1);
    put_text(p, latex ? "^{" : "^");
    if (is_number(p->pool, n.args[1]))
        put_number(p, expr_value(p->pool, n.args[1])); // x^-3 needs no brackets
    else
        put(p, n.args[1], latex ? 0 : BIND_POWER);
    put_text(p, latex ? "}" : "");
}

// ---- sums and signs

static void put_sum(printer *p, node n, bool flipped) {
    put(p, n.args[0], BIND_SUM);
    p->stack.at[p->stack.count - 1].flipped = flipped;
    put_text(p, (n.op == OP_SUB) != flipped ? " - " : " + ");
    put(p, n.args[1], BIND_PRODUCT);
}

// -(a + b) may be printed as -a - b, which is read as -(a + b) again; with a difference at its left end not
static bool flips(const expr_pool *pool, expr e) {
    if (expr_op(pool, e) != OP_ADD)
        return false;
    while (expr_op(pool, e) == OP_ADD)
        e = expr_arg(pool, e, 0);
    return expr_op(pool, e) != OP_SUB;
}

static void put_minus(printer *p, expr e) {
    bool flip = flips(p->pool, e);
    if (!flip)
        put_text(p, "-");
    put(p, e, flip ? BIND_SUM : BIND_PRODUCT);
    p->stack.at[p->stack.count - 1].flipped = flip;
}

// ---- functions and conditions

static void put_infix(printer *p, node n) {
    int bind = ops[n.op].precedence, left = bind == BIND_COMPARE ? bind + 1 : bind;
    put(p, n.args[0], left);
    put_text(p, " ");
    put_text(p, p->style == PRINT_LATEX ? ops[n.op].latex : ops[n.op].name);
    put_text(p, " ");
    put(p, n.args[1], bind + 1);
}

static void put_not(printer *p, node n) {
    put_text(p, p->style == PRINT_LATEX ? "\\lnot " : "not ");
    put(p, n.args[0], BIND_ATOM);
}

static void put_cases(printer *p, node n) {
    put_text(p, "\\begin{cases} ");
    put(p, n.args[1], 0);
    put_text(p, " & \\text{if } ");
    put(p, n.args[0], 0);
    put_text(p, " \\\\ ");
    put(p, n.args[2], 0);
    put_text(p, " & \\text{otherwise} \\end{cases}");
}

static void put_function(printer *p, node n) {
    bool latex = p->style == PRINT_LATEX;
    const char *close = n.op == OP_ABS     ? "\\right|"
                        : n.op == OP_FLOOR ? "\\right\\rfloor"
                        : n.op == OP_SQRT  ? "}"
                                           : "\\right)";
    put_text(p, latex ? ops[n.op].latex : ops[n.op].name);
    if (!latex)
        put_text(p, "(");
    else if (n.op == OP_SQRT)
        put_text(p, "{");
    else
        put_text(p, n.op == OP_ABS || n.op == OP_FLOOR ? " " : "\\left(");
    for (int k = 0; k < ops[n.op].arity; k++) {
        put_text(p, k ? ", " : "");
        put(p, n.args[k], 0);
    }
    put_text(p, latex ? close : ")");
}

// ---- all of it

static bool is_negative(const expr_pool *pool, node n) { // a product or quotient that starts with a minus
    return (n.op == OP_MUL || n.op == OP_DIV) && is_number(pool, n.args[0]) &&
           expr_value(pool, n.args[0]) < 0;
}

// how strongly the printed form of e holds together; a fraction needs brackets in a power only
static int bind_of(const printer *p, expr e) {
    node n = *node_at(p->pool, e);
    if (n.op == OP_NUMBER)
        return number_bind(p, expr_value(p->pool, e));
    if (n.op == OP_NEG || is_negative(p->pool, n))
        return BIND_SUM;
    bool halved = n.op == OP_MUL && is_number(p->pool, n.args[0]) && divisor(expr_value(p->pool, n.args[0]));
    if (p->style == PRINT_LATEX && (n.op == OP_DIV || halved))
        return BIND_PRODUCT + 1;
    return ops[n.op].precedence ? ops[n.op].precedence : BIND_ATOM;
}

static void put_node(printer *p, node n) {
    switch (n.op) {
    case OP_NEG:
        put_minus(p, n.args[0]);
        break;
    case OP_ADD:
    case OP_SUB:
        put_sum(p, n, false);
        break;
    case OP_MUL:
    case OP_DIV:
        put_text(p, is_negative(p->pool, n) ? "-" : "");
        (n.op == OP_MUL ? put_product : put_division)(p, n);
        break;
    case OP_POW:
        put_power(p, n);
        break;
    case OP_NOT:
        put_not(p, n);
        break;
    case OP_IF:
        (p->style == PRINT_LATEX ? put_cases : put_function)(p, n);
        break;
    default:
        (ops[n.op].precedence ? put_infix : put_function)(p, n);
    }
}

static void expand(printer *p, piece at) {
    int from = p->stack.count;
    node n = *node_at(p->pool, at.e);
    bool brackets = bind_of(p, at.e) < at.bind, latex = p->style == PRINT_LATEX;
    if (brackets)
        put_text(p, latex ? "\\left(" : "(");
    if (at.flipped && n.op == OP_ADD)
        put_sum(p, n, true);
    else if (at.flipped)
        put_minus(p, at.e);
    else if (n.op == OP_NUMBER)
        put_number(p, expr_value(p->pool, at.e));
    else
        put_node(p, n);
    if (brackets)
        put_text(p, latex ? "\\right)" : ")");
    turn_round(p, from);
}

void expr_print(const expr_pool *pool, expr e, print_style style, expr_name name, void *context, text *out) {
    arena *scratch = arena_child(out->arena);
    printer p = {
        .pool = pool, .style = style, .name = name, .context = context, .out = out, .scratch = scratch};
    put(&p, e, 0);
    while (p.stack.count) {
        piece top = p.stack.at[--p.stack.count];
        if (top.e == EXPR_NONE)
            text_add(out, top.as);
        else if (expr_op(pool, top.e) != OP_SYMBOL)
            expand(&p, top);
        else {
            text_add(out, top.flipped ? "-" : "");
            name(context, out, style, expr_kind(pool, top.e), expr_index(pool, top.e));
        }
    }
    arena_free(scratch);
}
