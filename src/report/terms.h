/* Sums of terms k * product of atoms to whole powers, in which expressions are collected.
 *
 * An atom is a symbol, a function of sums, or a sum in brackets; equal atoms have one number, so that terms
 * are compared by numbers. A factor in the denominator has a key of its own and never cancels one in the
 * numerator: x/x stays, since it has no value at 0. Private to collect.c and the terms*.c files. */
#ifndef TRAMMEL_REPORT_TERMS_H
#define TRAMMEL_REPORT_TERMS_H

#include "expr/expr.h"

#include <stdint.h>

/* Whole numbers in lowest terms, den > 0; or any number over 1 where these would become too large. */
typedef struct {
    double num, den;
} ratio;

typedef struct {
    int key;   // 2 atom, and one more in the denominator
    int power; // > 0
} factor;

typedef struct {
    ratio k;
    factor *at; // by key; never changed once it is made
    int count;
    uint64_t hash; // of the factors
} term;

typedef vec(term) sum; // like terms are added up; in the order in which they first occur

typedef struct {
    op_code op;     // OP_ADD: a sum in brackets
    expr symbol;    // of OP_SYMBOL, in the pool of the expression
    unsigned kinds; // of symbols that occur in it
    int size;       // operations, numbers and symbols in it, about
    sum arg[3];
} atom;

typedef struct {
    arena *arena;
    const expr_pool *pool; // of the symbols
    expr_pool *trial;      // for measuring what is written
    vec(atom) atoms;
    bool cancels; // x/x is 1: x is known not to be 0
    bool failed;  // a sum grew too long, or a number is too large or small, or would be divided by 0
} terms;

enum { TERMS_MOST = 300 }; // in a sum

// ---- numbers
ratio ratio_of(double value);
ratio ratio_times(ratio a, ratio b);
ratio ratio_over(ratio a, ratio b);
ratio ratio_common(ratio a, ratio b); // the largest number that both are whole multiples of, or |a|
double ratio_value(ratio a);
bool ratio_same(ratio a, ratio b, double sign); // a = sign b

// ---- terms
term terms_number(ratio k);
term terms_symbol(terms *t, expr symbol);
/* op(args), with the sign that odd functions let through: sin(-x) is -sin(x), and a - b is -(b - a). */
term terms_call(terms *t, op_code op, const sum *args);
term terms_bracket(terms *t, sum s); // the sum as one factor
term terms_times(terms *t, term a, term b);
term terms_power(terms *t, term a, int n); // n > 0
term terms_inverse(terms *t, term a);
/* What a and b have in common, with factor 1; and a without it. */
term terms_common(terms *t, term a, term b);
term terms_without(terms *t, term a, term part);
bool terms_like(term a, term b); // they differ in k at most
const atom *terms_atom(const terms *t, factor f);

// ---- sums
void sum_add(terms *t, sum *s, term a);
void sum_append(terms *t, sum *s, sum other, double sign);
void sum_remove(sum *s, int i);
sum sum_times(terms *t, sum a, sum b);
sum sum_scaled(terms *t, sum s, double k);
sum sum_single(terms *t, term a);

// ---- shorter forms (terms_shorten.c)
sum terms_shorten(terms *t, sum s);

// ---- back to expressions (terms_write.c)
/* In a new pool, with factors and terms in an order for the reader. */
expr terms_write(terms *t, sum s, expr_pool *to);
int terms_length(terms *t, sum s); // as printed
/* Factors in brackets that stand within brackets; inside: s does. */
int terms_nesting(const terms *t, sum s, bool inside);
/* Whether they consist of symbols and functions of the same kinds to the same powers, as x'^2 and y'^2. */
bool terms_alike(const terms *t, term a, term b);

#endif
