#include "system/inverse.h"

#include "linear/lu.h"
#include "system/rates.h"
#include "system/settle.h"
#include "system/stages.h"
#include "system/terms.h"

#include <math.h>
#include <string.h>

/* What is left of a pivot or a determinant, as a part of the terms that it came from: below, factors of
 * numbers, which choose their pivots there, have to do. */
static const double LEFT_LEAST = 1e-3;

typedef struct {
    arena *arena;
    expr_pool *pool;
    const trm_system *sys;
    expr sure;
} inverting;

static expr absolute(inverting *v, expr e) {
    return e ? expr_op1(v->pool, OP_ABS, e) : EXPR_NONE;
}

// |left| > LEFT_LEAST terms
static void demand(inverting *v, expr left, expr terms) {
    expr least = term_times(v->pool, expr_number(v->pool, LEFT_LEAST), terms);
    expr more = term_minus(v->pool, absolute(v, left), least);
    if (more == EXPR_NONE)
        more = expr_number(v->pool, 0);
    v->sure = v->sure ? expr_op2(v->pool, OP_MIN, v->sure, more) : more;
}

// ---- orthogonal rows or columns

// sum over i of K_ai K_bi, or of K_ia K_ib
static expr product_of(inverting *v, const expr *K, int size, int a, int b, bool columns) {
    expr sum = EXPR_NONE;
    for (int i = 0; i < size; i++)
        term_add(v->pool, &sum, K[columns ? i * size + a : a * size + i],
                 K[columns ? i * size + b : b * size + i]);
    return sum;
}

static bool are_orthogonal(inverting *v, const expr *K, int size, bool columns) {
    for (int a = 0; a < size; a++)
        for (int b = 0; b < a; b++)
            if (!settle_is_zero(v->sys, v->pool, product_of(v, K, size, a, b, columns)))
                return false;
    return true;
}

static void invert_orthogonal(inverting *v, const expr *K, int size, bool columns, expr *out) {
    for (int a = 0; a < size; a++) {
        expr square = settle_expression(v->sys, v->pool, product_of(v, K, size, a, a, columns));
        expr over = term_over(v->pool, expr_number(v->pool, 1), square);
        for (int i = 0; i < size; i++)
            if (columns)
                out[a * size + i] = term_times(v->pool, over, K[i * size + a]);
            else
                out[i * size + a] = term_times(v->pool, over, K[a * size + i]);
    }
}

// ---- few

// of a 3 x 3 matrix without row i and column j, with its sign
static expr cofactor(inverting *v, const expr *K, int i, int j) {
    int r = (i + 1) % 3, s = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
    return term_minus(v->pool, term_times(v->pool, K[r * 3 + c], K[s * 3 + d]),
                      term_times(v->pool, K[r * 3 + d], K[s * 3 + c]));
}

static void invert_few(inverting *v, const expr *K, int size, expr *out) {
    expr determinant = EXPR_NONE, terms = EXPR_NONE, one = expr_number(v->pool, 1);
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) {
            expr c = size == 1   ? one
                     : size == 3 ? cofactor(v, K, i, j)
                     : i == j    ? K[(1 - i) * 2 + 1 - j]
                                 : term_minus(v->pool, EXPR_NONE, K[(1 - i) * 2 + 1 - j]);
            out[j * size + i] = c;
            if (i == 0) {
                term_add(v->pool, &determinant, K[j], c);
                terms = term_plus(v->pool, terms, absolute(v, term_times(v->pool, K[j], c)));
            }
        }
    determinant = settle_expression(v->sys, v->pool, determinant);
    if (size > 1)
        demand(v, determinant, terms);
    expr over = term_over(v->pool, one, determinant ? determinant : expr_number(v->pool, 0));
    for (int k = 0; k < size * size; k++)
        out[k] = term_times(v->pool, over, out[k]);
}

// ---- many: Gauss and Jordan on (K, 1), with numbers beside it that choose the pivots

typedef struct {
    int size;
    expr *e;     // (size x 2 size)
    double *now; // the same at some state
} elimination;

static void swap_rows(elimination *x, int a, int b) {
    for (int j = 0; j < 2 * x->size && a != b; j++) {
        expr e = x->e[a * 2 * x->size + j];
        double number = x->now[a * 2 * x->size + j];
        x->e[a * 2 * x->size + j] = x->e[b * 2 * x->size + j];
        x->now[a * 2 * x->size + j] = x->now[b * 2 * x->size + j];
        x->e[b * 2 * x->size + j] = e;
        x->now[b * 2 * x->size + j] = number;
    }
}

static int pivot_row(const elimination *x, int k) {
    int best = k;
    for (int i = k + 1; i < x->size; i++)
        if (fabs(x->now[i * 2 * x->size + k]) > fabs(x->now[best * 2 * x->size + k]))
            best = i;
    return best;
}

static void eliminate(inverting *v, elimination *x, int k) {
    int wide = 2 * x->size;
    expr *row = x->e + k * wide, terms = EXPR_NONE;
    double *now = x->now + k * wide;
    for (int i = k; i < x->size; i++)
        terms = term_plus(v->pool, terms, absolute(v, x->e[i * wide + k]));
    demand(v, row[k], terms);
    expr over = term_over(v->pool, expr_number(v->pool, 1), row[k]);
    double number = 1 / now[k];
    for (int j = 0; j < wide; j++) {
        row[j] = term_times(v->pool, over, row[j]);
        now[j] *= number;
    }
    for (int i = 0; i < x->size; i++) {
        expr f = i == k ? EXPR_NONE : x->e[i * wide + k];
        double g = i == k ? 0 : x->now[i * wide + k];
        for (int j = k; j < wide && i != k; j++) {
            x->e[i * wide + j] = term_minus(v->pool, x->e[i * wide + j], term_times(v->pool, f, row[j]));
            x->now[i * wide + j] -= g * now[j];
        }
    }
}

static double typed_value(void *context, sym_kind kind, int index) {
    const trm_system *s = context;
    return kind == SYM_TIME    ? s->model->simulate.from
           : kind == SYM_P     ? s->model->position.at[index].value
           : kind == SYM_PARAM ? s->model->params.at[index].value
                               : 0;
}

// K (size x size) at the start as it is typed; if it is singular there, somewhere else
static double *numbers_of(inverting *v, const expr *K, int size) {
    size_t count = (size_t)(size * size);
    double *now = arena_doubles(v->arena, count), *factors = arena_doubles(v->arena, count);
    int sign, *pivot = arena_array(v->arena, int, size + 1);
    expr_eval_all(v->pool, K, size * size, typed_value, (void *)v->sys, now);
    memcpy(factors, now, count * sizeof *now);
    if (lu_factor(factors, size, pivot, arena_doubles(v->arena, 2 * (size_t)size), &sign) >= 0)
        expr_eval_all(v->pool, K, size * size, stages_some_value, (void *)v->sys, now);
    return now;
}

static void invert_many(inverting *v, const expr *K, int size, expr *out) {
    elimination x = {size, arena_array(v->arena, expr, 2 * size * size),
                     arena_doubles(v->arena, 2 * (size_t)(size * size))};
    const double *now = numbers_of(v, K, size);
    for (int i = 0; i < size; i++) {
        memcpy(x.e + 2 * i * size, K + i * size, (size_t)size * sizeof *K);
        memcpy(x.now + 2 * i * size, now + i * size, (size_t)size * sizeof *now);
        x.e[(2 * i + 1) * size + i] = expr_number(v->pool, 1);
        x.now[(2 * i + 1) * size + i] = 1;
    }
    for (int k = 0; k < size; k++) {
        swap_rows(&x, k, pivot_row(&x, k));
        eliminate(v, &x, k);
    }
    for (int i = 0; i < size; i++)
        memcpy(out + i * size, x.e + (2 * i + 1) * size, (size_t)size * sizeof *out);
}

// ---- all blocks

static void invert(inverting *v, const expr *K, int size, expr *out) {
    for (int columns = 0; columns < 2 && size > 1; columns++)
        if (are_orthogonal(v, K, size, columns)) {
            invert_orthogonal(v, K, size, columns, out);
            return;
        }
    if (size <= 3)
        invert_few(v, K, size, out);
    else
        invert_many(v, K, size, out);
}

static void add_block(inverting *v, const triangular *t, int block, const expr *G, expr *H) {
    int n = v->sys->n, first = t->first[block], size = t->first[block + 1] - first;
    expr *K = arena_array(v->arena, expr, size * size + 1),
         *over = arena_array(v->arena, expr, size * size + 1);
    expr *right = arena_array(v->arena, expr, size * n + 1); // I_B - G_BE H_E
    for (int k = 0; k < size; k++) {
        int row = t->row[first + k];
        right[k * n + row] = expr_number(v->pool, 1);
        for (int e = t->pattern.start[row]; e < t->pattern.start[row + 1]; e++) {
            int column = t->pattern.to[e];
            if (t->at[column] >= first)
                K[k * size + t->at[column] - first] = G[e];
            for (int j = 0; j < n && t->at[column] < first; j++)
                right[k * n + j] =
                    term_minus(v->pool, right[k * n + j], term_times(v->pool, G[e], H[column * n + j]));
        }
    }
    invert(v, K, size, over);
    for (int i = 0; i < size; i++)
        for (int k = 0; k < size; k++)
            for (int j = 0; j < n; j++)
                term_add(v->pool, &H[t->column[first + i] * n + j], over[i * size + k], right[k * n + j]);
}

expr inverse_build(arena *a, expr_pool *pool, const trm_system *sys, const expr *G, expr *H) {
    inverting v = {arena_child(a), pool, sys, EXPR_NONE};
    const triangular *t = sys->rates->by;
    for (int b = 0; b < t->count; b++)
        add_block(&v, t, b, G, H);
    arena_free(v.arena);
    return v.sure;
}
