/* M = L D L', Y = L^-1 A', S = Y'D^-1 Y = L_S D_S L_S', without pivoting:
 *
 *   u = L^-1 Q,   S lambda = b - Y'D^-1 u,   x = L^-T D^-1 (u + Y lambda)
 *
 * and once more on what that leaves of M x = Q + A'lambda and A x = b.
 *
 * If M is singular, M + A'WA stands in its place, W diagonal, with Q + A'W b in place of Q: the same x and
 * the same lambda, since A x = b. W_r = 1 / sum of A_rj^2 / M_jj, the mass that the row feels. That the rows
 * do not hide a negative direction of M shows in
 *
 *   M >= 0  if and only if  W^-1 - S >= 0,  with S of M + A'WA > 0:
 *
 * both are what remains of (M + A'WA, A'; A, W^-1) once one of the two blocks is taken out. */
#include "solve/direct.h"

#include "solve/linalg.h"

/* Below these, the general solver looks: pivots of M and of the Schur complement, and what remains of a row
 * at unit length, squared. */
static const double PIVOT = 1e-8, REMAINDER = 1e-6;
static const double NEGATIVE = 1e-10; // what W^-1 - S may lack, as a part of W^-1; the general solver's, too

bool direct_sure(const double *checks) {
    return checks[DIRECT_MASS] > PIVOT && checks[DIRECT_SCHUR] > PIVOT && checks[DIRECT_GRAM] > REMAINDER &&
           checks[DIRECT_SIGN] > 0;
}

bool direct_singular(arena *a, const expr_pool *pool, int n, const expr *M, expr_get get, void *context) {
    arena *scratch = arena_child(a);
    double *K = arena_doubles(scratch, (size_t)(n * n)), *inverse = arena_doubles(scratch, (size_t)n);
    for (int i = 0; i < n * n; i++)
        K[i] = M[i] ? expr_eval(pool, M[i], get, context) : 0;
    bool singular = linalg_finite(K, n * n) && linalg_cholesky(K, n, PIVOT, inverse) == 0;
    arena_free(scratch);
    return singular;
}

typedef struct {
    expr_pool *pool;
    int n, m;
    const expr *M, *Q, *A, *b;
    expr *W;             // (m), if M is singular; else NULL
    expr *L, *D_inverse; // of M: unit lower triangle (n x n), 1/D (n)
    expr *Y, *Z;         // (m x n) rows of A behind L^-1, and behind D^-1, too
    expr *K, *K_inverse; // of S: (m x m), (m)
} direct;

// ---- arithmetic in which EXPR_NONE is zero

static expr times(direct *d, expr a, expr b) {
    return a && b ? expr_op2(d->pool, OP_MUL, a, b) : EXPR_NONE;
}

static expr plus(direct *d, expr a, expr b) {
    return a && b ? expr_op2(d->pool, OP_ADD, a, b) : a ? a : b;
}

static expr minus(direct *d, expr a, expr b) {
    if (a && b)
        return expr_op2(d->pool, OP_SUB, a, b);
    return b ? expr_op1(d->pool, OP_NEG, b) : a;
}

static expr over(direct *d, expr a, expr b) {
    return a ? expr_op2(d->pool, OP_DIV, a, b ? b : expr_number(d->pool, 0)) : EXPR_NONE;
}

// ---- factors

// a pivot as a part of the diagonal entry it came from, negative if it is
static expr relative(direct *d, expr pivot, expr diagonal) {
    if (pivot == EXPR_NONE || diagonal == EXPR_NONE)
        return expr_number(d->pool, 0);
    if (pivot == diagonal)
        return expr_op1(d->pool, OP_SIGN, diagonal);
    return over(d, pivot, expr_op1(d->pool, OP_ABS, diagonal));
}

/* K (size x size, lower triangle) = L D L' in place: L below the diagonal, 1/D in inverse. Returns the
 * smallest pivot relative to its diagonal; 1 if there is none. */
static expr factor(direct *d, arena *scratch, expr *K, int size, expr *inverse) {
    expr one = expr_number(d->pool, 1), least = one;
    expr *D = arena_array(scratch, expr, size + 1), *scaled = arena_array(scratch, expr, size + 1);
    for (int k = 0; k < size; k++) {
        expr diagonal = K[k * size + k];
        D[k] = diagonal;
        for (int j = 0; j < k; j++) {
            scaled[j] = times(d, K[k * size + j], D[j]);
            D[k] = minus(d, D[k], times(d, K[k * size + j], scaled[j]));
        }
        least = expr_op2(d->pool, OP_MIN, least, relative(d, D[k], diagonal));
        inverse[k] = over(d, one, D[k]);
        for (int i = k + 1; i < size; i++) {
            expr sum = K[i * size + k];
            for (int j = 0; j < k; j++)
                sum = minus(d, sum, times(d, K[i * size + j], scaled[j]));
            K[i * size + k] = times(d, sum, inverse[k]);
        }
    }
    return least;
}

static void forward(direct *d, const expr *L, int size, expr *x) {
    for (int i = 0; i < size; i++)
        for (int j = 0; j < i; j++)
            x[i] = minus(d, x[i], times(d, L[i * size + j], x[j]));
}

static void backward(direct *d, const expr *L, int size, expr *x) {
    for (int i = size - 1; i >= 0; i--)
        for (int j = i + 1; j < size; j++)
            x[i] = minus(d, x[i], times(d, L[j * size + i], x[j]));
}

static expr dot(direct *d, const expr *a, const expr *b, int count) {
    expr sum = EXPR_NONE;
    for (int i = 0; i < count; i++)
        sum = plus(d, sum, times(d, a[i], b[i]));
    return sum;
}

// 1/W_r; a row between coordinates without mass takes the least mass there is
static expr mobility(direct *d, int r) {
    expr sum = EXPR_NONE, squares = EXPR_NONE, lightest = EXPR_NONE;
    for (int k = 0; k < d->n; k++) {
        expr mass = d->M[k * d->n + k], entry = d->A[r * d->n + k], square = times(d, entry, entry);
        squares = plus(d, squares, square);
        if (mass == EXPR_NONE)
            continue;
        sum = plus(d, sum, over(d, square, mass));
        lightest = lightest ? expr_op2(d->pool, OP_MIN, lightest, mass) : mass;
    }
    return sum ? sum : lightest ? over(d, squares, lightest) : squares;
}

// L <- L + A'WA
static void add_rows(direct *d) {
    for (int r = 0; r < d->m; r++) {
        const expr *A_r = d->A + r * d->n;
        d->W[r] = over(d, expr_number(d->pool, 1), mobility(d, r));
        for (int i = 0; i < d->n; i++)
            for (int j = 0; j <= i; j++)
                d->L[i * d->n + j] = plus(d, d->L[i * d->n + j], times(d, times(d, d->W[r], A_r[i]), A_r[j]));
    }
}

static expr factor_mass(direct *d, arena *scratch) {
    for (int i = 0; i < d->n * d->n; i++)
        d->L[i] = d->M[i];
    if (d->W)
        add_rows(d);
    expr least = factor(d, scratch, d->L, d->n, d->D_inverse);
    for (int r = 0; r < d->m; r++) {
        expr *Y_r = d->Y + r * d->n;
        for (int k = 0; k < d->n; k++)
            Y_r[k] = d->A[r * d->n + k];
        forward(d, d->L, d->n, Y_r);
        for (int k = 0; k < d->n; k++)
            d->Z[r * d->n + k] = times(d, Y_r[k], d->D_inverse[k]);
    }
    return least;
}

static expr factor_schur(direct *d, arena *scratch) {
    for (int r = 0; r < d->m; r++)
        for (int s = 0; s <= r; s++)
            d->K[r * d->m + s] = dot(d, d->Y + r * d->n, d->Z + s * d->n, d->n);
    return factor(d, scratch, d->K, d->m, d->K_inverse);
}

// the smallest pivot of W^-1 - S, with a little more W^-1
static expr least_sign(direct *d, arena *scratch) {
    expr *rest = arena_array(scratch, expr, d->m * d->m + 1), *inverse = arena_array(scratch, expr, d->m + 1);
    expr more = expr_number(d->pool, 1 + NEGATIVE);
    for (int r = 0; r < d->m; r++)
        for (int s = 0; s <= r; s++)
            rest[r * d->m + s] = minus(d, r == s ? times(d, more, mobility(d, r)) : EXPR_NONE,
                                       dot(d, d->Y + r * d->n, d->Z + s * d->n, d->n));
    return factor(d, scratch, rest, d->m, inverse);
}

// what remains of each row at unit length once those before it are taken out of it, squared
static expr least_remainder(direct *d, arena *scratch) {
    expr *gram = arena_array(scratch, expr, d->m * d->m + 1), *inverse = arena_array(scratch, expr, d->m + 1);
    for (int r = 0; r < d->m; r++)
        for (int s = 0; s <= r; s++)
            gram[r * d->m + s] = dot(d, d->A + r * d->n, d->A + s * d->n, d->n);
    return factor(d, scratch, gram, d->m, inverse);
}

// ---- solving

// adds to x (n) and lambda (m) the solution for Q (n) and b (m)
static void solve(direct *d, arena *scratch, const expr *Q, const expr *b, expr *x, expr *lambda) {
    expr *u = arena_array(scratch, expr, d->n + 1), *l = arena_array(scratch, expr, d->m + 1);
    for (int k = 0; k < d->n; k++) {
        u[k] = Q[k];
        for (int r = 0; d->W && r < d->m; r++)
            u[k] = plus(d, u[k], times(d, d->A[r * d->n + k], times(d, d->W[r], b[r])));
    }
    forward(d, d->L, d->n, u);
    for (int r = 0; r < d->m; r++)
        l[r] = minus(d, b[r], dot(d, d->Z + r * d->n, u, d->n));
    forward(d, d->K, d->m, l);
    for (int r = 0; r < d->m; r++)
        l[r] = times(d, l[r], d->K_inverse[r]);
    backward(d, d->K, d->m, l);
    for (int k = 0; k < d->n; k++) {
        for (int r = 0; r < d->m; r++)
            u[k] = plus(d, u[k], times(d, d->Y[r * d->n + k], l[r]));
        u[k] = times(d, u[k], d->D_inverse[k]);
    }
    backward(d, d->L, d->n, u);
    for (int k = 0; k < d->n; k++)
        x[k] = plus(d, x[k], u[k]);
    for (int r = 0; r < d->m; r++)
        lambda[r] = plus(d, lambda[r], l[r]);
}

static void refine(direct *d, arena *scratch, expr *x, expr *lambda) {
    expr *force = arena_array(scratch, expr, d->n + 1), *rows = arena_array(scratch, expr, d->m + 1);
    for (int k = 0; k < d->n; k++) {
        force[k] = minus(d, d->Q[k], dot(d, d->M + k * d->n, x, d->n));
        for (int r = 0; r < d->m; r++)
            force[k] = plus(d, force[k], times(d, d->A[r * d->n + k], lambda[r]));
    }
    for (int r = 0; r < d->m; r++)
        rows[r] = minus(d, d->b[r], dot(d, d->A + r * d->n, x, d->n));
    solve(d, scratch, force, rows, x, lambda);
}

void direct_build(arena *a, expr_pool *pool, int n, int m, const expr *dynamics, direct_how how, expr *out) {
    arena *scratch = arena_child(a);
    const expr *Q = dynamics + n * n, *A = Q + n;
    direct d = {.pool = pool, .n = n, .m = m, .M = dynamics, .Q = Q, .A = A, .b = A + m * n};
    d.L = arena_array(scratch, expr, n * n + 1);
    d.D_inverse = arena_array(scratch, expr, n + 1);
    d.Y = arena_array(scratch, expr, m * n + 1);
    d.Z = arena_array(scratch, expr, m * n + 1);
    d.K = arena_array(scratch, expr, m * m + 1);
    d.K_inverse = arena_array(scratch, expr, m + 1);
    d.W = how.singular ? arena_array(scratch, expr, m + 1) : NULL;
    expr *checks = out + n + m;
    checks[DIRECT_MASS] = factor_mass(&d, scratch);
    checks[DIRECT_SIGN] = d.W ? least_sign(&d, scratch) : expr_number(pool, 1);
    checks[DIRECT_SCHUR] = factor_schur(&d, scratch);
    checks[DIRECT_GRAM] = least_remainder(&d, scratch);
    solve(&d, scratch, d.Q, d.b, out, out + n);
    if (how.refined)
        refine(&d, scratch, out, out + n);
    arena_free(scratch);
}
