/* Random formulas: as model text, and evaluated here in long double, so that what the library derives from
 * the text can be held against numerical derivatives that share nothing with it. Variables are numbered q_0
 * .. q_(n-1), then the velocities, then the accelerations, then t. */
#ifndef TRAMMEL_TEST_SUPPORT_FORMULA_H
#define TRAMMEL_TEST_SUPPORT_FORMULA_H

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FORMULA_NODES = 64, FORMULA_COORDS = 4 };

typedef long double wide;

typedef struct {
    wide q[FORMULA_COORDS], v[FORMULA_COORDS], a[FORMULA_COORDS], t;
} instant;

typedef struct {
    char op; // 'n' number, 'q' 'v' 't' symbols, otherwise see formula_node
    int a, b;
    double number;
} formula_node;

typedef struct {
    int count;
    formula_node node[FORMULA_NODES]; // operands before what uses them; the last is the root
} formula;

// x, y, z, w
static inline const char *formula_name(int coord) {
    return coord == 0 ? "x" : coord == 1 ? "y" : coord == 2 ? "z" : "w";
}

static inline wide formula_node_value(const formula *f, int i, const instant *at) {
    const formula_node *e = &f->node[i];
    wide a = 0, b = 0;
    if (strchr("+-*/^scetrh", e->op))
        a = formula_node_value(f, e->a, at);
    if (strchr("+-*/", e->op))
        b = formula_node_value(f, e->b, at);
    switch (e->op) {
    case 'n':
        return e->number;
    case 'q':
        return at->q[e->a];
    case 'v':
        return at->v[e->a];
    case 'T':
        return at->t;
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return a / (2 + b * b);
    case '^':
        return e->b == 2 ? a * a : a * a * a;
    case 's':
        return sinl(a);
    case 'c':
        return cosl(a);
    case 'e':
        return expl(sinl(a));
    case 't':
        return atanl(a);
    case 'r':
        return sqrtl(1 + a * a);
    default:
        return tanhl(a);
    }
}

static inline wide formula_value(const formula *f, const instant *at) {
    return formula_node_value(f, f->count - 1, at);
}

static inline void formula_node_print(const formula *f, int i, FILE *out) {
    const formula_node *e = &f->node[i];
    const char *before = "(", *after = ")";
    switch (e->op) {
    case 'n':
        fprintf(out, e->number < 0 ? "(%.17g)" : "%.17g", e->number);
        return;
    case 'q':
    case 'v':
        fprintf(out, "%s%s", formula_name(e->a), e->op == 'v' ? "'" : "");
        return;
    case 'T':
        fputs("t", out);
        return;
    case '+':
    case '-':
    case '*':
        fputs("(", out);
        formula_node_print(f, e->a, out);
        fprintf(out, " %c ", e->op);
        formula_node_print(f, e->b, out);
        fputs(")", out);
        return;
    case '/':
        fputs("(", out);
        formula_node_print(f, e->a, out);
        fputs("/(2 + ", out);
        formula_node_print(f, e->b, out);
        fputs("^2))", out);
        return;
    case '^':
        after = e->b == 2 ? "^2)" : "^3)";
        break;
    case 's':
        before = "sin(";
        break;
    case 'c':
        before = "cos(";
        break;
    case 'e':
        before = "exp(sin(";
        after = "))";
        break;
    case 't':
        before = "atan(";
        break;
    case 'r':
        before = "sqrt(1 + (";
        after = ")^2)";
        break;
    default:
        before = "tanh(";
    }
    fputs(before, out);
    formula_node_print(f, e->a, out);
    fputs(after, out);
}

static inline void formula_print(const formula *f, FILE *out) {
    formula_node_print(f, f->count - 1, out);
}

typedef struct {
    int (*below)(void *dice, int n);
    double (*number)(void *dice);
    void *dice;
    int coords;
    int velocities, time; // whether they may occur
} formula_taste;

static inline int formula_add(formula *f, formula_node e) {
    f->node[f->count] = e;
    return f->count++;
}

static inline int formula_leaf(formula *f, const formula_taste *w) {
    int kind = w->below(w->dice, 8), which = w->below(w->dice, w->coords);
    if (kind == 0)
        return formula_add(f, (formula_node){.op = 'n', .number = w->number(w->dice)});
    if (kind == 1 && w->time)
        return formula_add(f, (formula_node){.op = 'T'});
    if (kind > 4 && w->velocities)
        return formula_add(f, (formula_node){.op = 'v', .a = which});
    return formula_add(f, (formula_node){.op = 'q', .a = which});
}

static inline int formula_tree(formula *f, const formula_taste *w, int depth) {
    if (depth == 0 || f->count > FORMULA_NODES / 2 || w->below(w->dice, 6) == 0)
        return formula_leaf(f, w);
    formula_node e = {.op = "+++-***/^scetrh"[w->below(w->dice, 15)]};
    e.a = formula_tree(f, w, depth - 1);
    e.b = strchr("+-*/", e.op) ? formula_tree(f, w, depth - 1) : 2 + w->below(w->dice, 2);
    return formula_add(f, e);
}

static inline formula formula_random(const formula_taste *w, int depth) {
    formula f = {0};
    formula_tree(&f, w, depth);
    return f;
}

/* ---- numerical derivatives of functions of one variable, by Richardson's extrapolation ---- */

typedef wide (*wide_function)(void *context, wide s);

/* Derivative of order 1 or 2 at 0, from central differences with steps 0.08, 0.04, ...; *error is raised to
 * how far the two best extrapolations differ. */
static inline wide richardson(wide_function f, void *context, int order, wide *error) {
    enum { LEVELS = 9 };
    wide table[LEVELS][LEVELS], h = 0.08L, middle = f(context, 0), best = 0, least = INFINITY;
    for (int i = 0; i < LEVELS; i++, h /= 2) {
        wide plus = f(context, h), minus = f(context, -h), factor = 1;
        table[i][0] = order == 1 ? (plus - minus) / (2 * h) : (plus - 2 * middle + minus) / (h * h);
        for (int k = 1; k <= i; k++) {
            factor *= 4;
            table[i][k] = table[i][k - 1] + (table[i][k - 1] - table[i - 1][k - 1]) / (factor - 1);
            wide off = fmaxl(fabsl(table[i][k] - table[i][k - 1]), fabsl(table[i][k] - table[i - 1][k - 1]));
            if (off < least) {
                least = off;
                best = table[i][k];
            }
        }
    }
    *error = fmaxl(*error, least);
    return best;
}

#endif
