/* From q to s = G q' + g (000 eqs. 2.13, 2.14, 3.5, 3.45), with H = G^-1 and r = s' - G q'':
 *
 *   M_s = H'M H,   S = H'Q + M_s r,   A_s = A H,   b_s = b + A_s r,   C_s = H'C,   q' = H (s - g)
 *
 * H is adj(G)/det(G), taken apart into blocks of coordinates that have to do with each other: minors need no
 * division, so that sin^2 + cos^2 comes out as 1 in them. Each step is collected before the next, with x/x
 * taken for 1: where a factor of det(G) vanishes there are no quasi-velocities. */
#include "report/quasi.h"

#include "report/collect.h"

enum {
    BLOCK_MOST = 5, // coordinates of a block: a minor of size k is a sum of up to k! products
    LONGEST = 4000, // operations of an entry, as in equations.c
    BUDGET = 30000  // operations that are collected, all together: Suslov's problem takes 4600, in 0.03 s
};

typedef struct {
    arena *arena;
    expr_pool *pool;
    const quasi_given *given;
    expr *H, *v;  // (n x n), (n): velocities by s
    double spent; // operations that were collected
    bool failed;
} deriving;

// ---- expressions that may not be there

static expr add(deriving *d, expr a, expr b) {
    return a == EXPR_NONE ? b : b == EXPR_NONE ? a : expr_op2(d->pool, OP_ADD, a, b);
}

static expr times(deriving *d, expr a, expr b) {
    return a == EXPR_NONE || b == EXPR_NONE ? EXPR_NONE : expr_op2(d->pool, OP_MUL, a, b);
}

static expr negative(deriving *d, expr a) {
    return a == EXPR_NONE ? a : expr_op1(d->pool, OP_NEG, a);
}

static expr copied(deriving *d, arena *scratch, collected from) {
    expr *order;
    int count = expr_order(from.pool, &from.e, 1, scratch, &order);
    expr *image = arena_array(scratch, expr, expr_pool_size(from.pool));
    for (int i = 0; i < count; i++) {
        op_code op = expr_op(from.pool, order[i]);
        expr a[3] = {0};
        for (int k = 0; k < ops[op].arity; k++)
            a[k] = image[expr_arg(from.pool, order[i], k)];
        image[order[i]] = op == OP_NUMBER      ? expr_number(d->pool, expr_value(from.pool, order[i]))
                          : op == OP_SYMBOL    ? expr_symbol(d->pool, expr_kind(from.pool, order[i]),
                                                             expr_index(from.pool, order[i]))
                          : ops[op].arity == 1 ? expr_op1(d->pool, op, a[0])
                          : ops[op].arity == 2 ? expr_op2(d->pool, op, a[0], a[1])
                                               : expr_op3(d->pool, op, a[0], a[1], a[2]);
    }
    return image[from.e];
}

// collected, in the same pool; EXPR_NONE if it is 0
static expr tidy(deriving *d, expr e) {
    if (e == EXPR_NONE || d->failed)
        return EXPR_NONE;
    arena *own = arena_child(d->arena);
    double length = collect_length(d->pool, e, own);
    d->spent += length;
    d->failed = length > LONGEST || d->spent > BUDGET;
    collected as = d->failed ? (collected){0} : collect_quotients(own, d->pool, e);
    expr made = d->failed                          ? EXPR_NONE
                : expr_is_number(as.pool, as.e, 0) ? EXPR_NONE
                : as.pool == d->pool               ? as.e
                                                   : copied(d, own, as);
    arena_free(own);
    return made;
}

// ---- H

// of the rows and columns listed, by the first row; size 0: 1
static expr minor(deriving *d, const int *rows, const int *cols, int size) {
    int rest[BLOCK_MOST];
    expr sum = EXPR_NONE;
    if (size == 0)
        return expr_number(d->pool, 1);
    for (int k = 0; k < size; k++) {
        expr entry = d->given->G[rows[0] * d->given->n + cols[k]];
        if (entry == EXPR_NONE)
            continue;
        for (int i = 0, j = 0; i < size; i++)
            if (i != k)
                rest[j++] = cols[i];
        expr product = times(d, entry, minor(d, rows + 1, rest, size - 1));
        sum = add(d, sum, k % 2 ? negative(d, product) : product);
    }
    return tidy(d, sum);
}

static void without(const int *list, int size, int which, int *out) {
    for (int i = 0; i < size; i++)
        if (i != which)
            *out++ = list[i];
}

static void invert_block(deriving *d, const int *rows, const int *cols, int size) {
    int r[BLOCK_MOST], c[BLOCK_MOST], n = d->given->n;
    expr det = minor(d, rows, cols, size);
    d->failed |= det == EXPR_NONE;
    for (int i = 0; i < size && !d->failed; i++)
        for (int j = 0; j < size && !d->failed; j++) {
            without(rows, size, i, r);
            without(cols, size, j, c);
            expr cofactor = minor(d, r, c, size - 1);
            if (cofactor == EXPR_NONE)
                continue;
            expr entry = expr_op2(d->pool, OP_DIV, (i + j) % 2 ? negative(d, cofactor) : cofactor, det);
            d->H[cols[j] * n + rows[i]] = tidy(d, entry);
        }
}

// the component of each row in block (n), columns as n + column; blocks are numbered by their first row
static void find_blocks(const quasi_given *q, int *block) {
    for (int i = 0; i < 2 * q->n; i++)
        block[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < q->n * q->n; i++) {
            int *a = &block[i / q->n], *b = &block[q->n + i % q->n];
            if (q->G[i] == EXPR_NONE || *a == *b)
                continue;
            *a = *b = *a < *b ? *a : *b;
            changed = true;
        }
    }
}

static void invert(deriving *d) {
    int n = d->given->n, *block = arena_array(d->arena, int, 2 * n);
    find_blocks(d->given, block);
    for (int first = 0; first < n && !d->failed; first++) {
        int rows[BLOCK_MOST], cols[BLOCK_MOST], size = 0, width = 0;
        for (int i = 0; i < n; i++) {
            if (block[i] == first && size++ < BLOCK_MOST)
                rows[size - 1] = i;
            if (block[n + i] == first && width++ < BLOCK_MOST)
                cols[width - 1] = i;
        }
        if (size != width || size > BLOCK_MOST)
            d->failed = true;
        else if (size)
            invert_block(d, rows, cols, size);
    }
}

// ---- the equations

static expr velocity(void *context, sym_kind kind, int index) {
    deriving *d = context;
    return kind != SYM_V ? EXPR_NONE : d->v[index] == EXPR_NONE ? expr_number(d->pool, 0) : d->v[index];
}

static expr in_s(deriving *d, expr e) {
    return e == EXPR_NONE || d->failed ? EXPR_NONE : tidy(d, expr_substitute(d->pool, e, velocity, d));
}

// q' = H (s - g)
static void find_velocities(deriving *d) {
    int n = d->given->n;
    for (int i = 0; i < n; i++) {
        expr sum = EXPR_NONE;
        for (int j = 0; j < n; j++) {
            expr s = add(d, expr_symbol(d->pool, d->given->kind, j), negative(d, d->given->g[j]));
            sum = add(d, sum, times(d, d->H[i * n + j], s));
        }
        d->v[i] = tidy(d, sum);
    }
}

// out (rows x n) = X H
static void times_H(deriving *d, const expr *X, int rows, expr *out) {
    int n = d->given->n;
    for (int i = 0; i < rows * n; i++) {
        expr sum = EXPR_NONE;
        for (int k = 0; k < n; k++)
            sum = add(d, sum, times(d, X[i / n * n + k], d->H[k * n + i % n]));
        out[i] = tidy(d, sum);
    }
}

// out (n) = H'x, of x with s in place of velocities
static void transposed_times(deriving *d, const expr *x, expr *out) {
    int n = d->given->n;
    expr *own = arena_array(d->arena, expr, n);
    for (int k = 0; k < n; k++)
        own[k] = in_s(d, x[k]);
    for (int i = 0; i < n; i++) {
        expr sum = EXPR_NONE;
        for (int k = 0; k < n; k++)
            sum = add(d, sum, times(d, d->H[k * n + i], own[k]));
        out[i] = tidy(d, sum);
    }
}

// out (rows) = x + X r
static void add_rate(deriving *d, const expr *x, const expr *X, const expr *r, int rows, expr *out) {
    int n = d->given->n;
    for (int i = 0; i < rows; i++) {
        expr sum = x[i];
        for (int k = 0; k < n; k++)
            sum = add(d, sum, times(d, X[i * n + k], r[k]));
        out[i] = tidy(d, sum);
    }
}

static void derive_all(deriving *d, quasi_made *out) {
    const quasi_given *q = d->given;
    int n = q->n, m = q->m;
    expr *half = arena_array(d->arena, expr, n * n), *turned = arena_array(d->arena, expr, n * n);
    expr *r = arena_array(d->arena, expr, n), *b = arena_array(d->arena, expr, m + 1);
    find_velocities(d);
    for (int i = 0; i < n; i++)
        r[i] = in_s(d, q->rate[i]);
    for (int i = 0; i < m; i++)
        b[i] = in_s(d, q->b[i]);
    times_H(d, q->M, n, half); // M H, and (M H)'H = H'M H
    for (int i = 0; i < n * n; i++)
        turned[i] = half[i % n * n + i / n];
    times_H(d, turned, n, out->M);
    transposed_times(d, q->Q, out->S);
    add_rate(d, out->S, out->M, r, n, out->S);
    transposed_times(d, q->C, out->C);
    times_H(d, q->A, m, out->A);
    add_rate(d, b, out->A, r, m, out->b);
}

bool quasi_derive(arena *a, expr_pool *pool, const quasi_given *given, quasi_made *out) {
    int n = given->n, m = given->m;
    deriving d = {.arena = arena_child(a), .pool = pool, .given = given};
    *out = (quasi_made){.M = arena_array(a, expr, n * n),
                        .S = arena_array(a, expr, n),
                        .C = arena_array(a, expr, n),
                        .A = arena_array(a, expr, m * n + 1),
                        .b = arena_array(a, expr, m + 1)};
    d.H = arena_array(d.arena, expr, n * n);
    d.v = arena_array(d.arena, expr, n);
    invert(&d);
    if (!d.failed)
        derive_all(&d, out);
    arena_free(d.arena);
    return !d.failed;
}
