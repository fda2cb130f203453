/* With M = U'U in blocks, or M + A'WA = U'U, and B = N U^-1 for the scaled rows N:
 *     S = B B' = L D L',  S l = N b - B z,  z = U^-T Q,  x = U^-1 (z + B'l).
 * All arrays are gone through from front to back, rows in the order of elimination: what a chain of a million
 * particles costs is what it takes to read them. */
#include "linear/sparse_inside.h"

#include "linear/linalg.h"

#include <math.h>
#include <string.h>

static const double ROUNDING = 2e-16; // of a row's residual: no iteration makes it less
enum { ITERATIONS = 100 };

static void solve_blocks(const sparse *s, double *f, bool lower) {
    const blocks *p = s->p;
    if (p->single) {
        for (int j = 0; j < s->n; j++)
            f[j] *= s->U_inverse[j];
        return;
    }
    for (int c = 0; c < p->count; c++) {
        int at = p->first[c], size = p->first[c + 1] - at;
        if (lower)
            linalg_solve_lower(s->U + p->inside[c], s->U_inverse + at, size, f + at);
        else
            linalg_solve_upper(s->U + p->inside[c], s->U_inverse + at, size, f + at);
    }
}

/* x += dx, l += dl with M dx - N'dl = f, N dx = g over the kept rows; f becomes dx, g is spoiled. */
static void correct(sparse *s, double *f, double *g, double *x, double *l) {
    const blocks *p = s->p;
    if (s->any)
        for (int k = 0; k < s->m; k++)
            if (s->weight[k] != 0)
                sparse_add_row(p, s->N, k, s->weight[k] * g[k], f);
    if (s->saddle) {
        saddle_solve(s->saddle, f, g);
    } else {
        solve_blocks(s, f, true);
        for (int k = 0; k < s->m; k++)
            g[k] = s->kept[k] ? g[k] - sparse_dot_row(p, s->B, k, f) : 0;
        ldl_solve(s->white, g);
        for (int k = 0; k < s->m; k++)
            sparse_add_row(p, s->B, k, g[k], f);
        solve_blocks(s, f, false);
    }
    linalg_add(l, 1, g, s->m);
    linalg_add(x, 1, f, s->n);
}

// f <- Q - M x
static void inertia(const sparse *s, const double *Q, const double *x, double *f) {
    const blocks *p = s->p;
    for (int j = 0; j < s->n && s->saddle; j++) {
        f[j] = Q[j];
        for (int e = s->M_pattern.start[j]; e < s->M_pattern.start[j + 1]; e++)
            f[j] -= s->M[e] * x[s->M_pattern.to[e]];
    }
    for (int c = 0; c < p->count && !s->saddle; c++) {
        int at = p->first[c], size = p->first[c + 1] - at;
        const double *mass = s->mass + p->inside[c];
        for (int i = 0; i < size; i++)
            f[at + i] = Q[p->coordinate[at + i]] - linalg_dot(mass + i * (long)size, x + at, size);
    }
}

// f = Q - M x + N'l, g = N b - N x
static void residual(sparse *s, const double *Q, const double *b, const double *x, const double *l, double *f,
                     double *g) {
    const blocks *p = s->p;
    inertia(s, Q, x, f);
    for (int k = 0; k < s->m; k++) {
        g[k] = 0;
        if (!s->kept[k])
            continue;
        g[k] = s->scale[k] * b[p->ldl->order[k]] - sparse_dot_row(p, s->N, k, x);
        sparse_add_row(p, s->N, k, l[k], f);
    }
}

// g = N b - N x over the kept rows; the largest relative to |N_k| |x| + |b_k|
static double row_residual(sparse *s, const double *b, double *g) {
    double worst = 0, size = linalg_norm(s->x, s->n);
    for (int k = 0; k < s->m; k++) {
        g[k] = 0;
        if (!s->kept[k])
            continue;
        double b_k = s->scale[k] * b[s->p->ldl->order[k]];
        g[k] = b_k - sparse_dot_row(s->p, s->N, k, s->x);
        double off = fabs(g[k]), allowed = size + fabs(b_k); // |N_k| is about 1
        worst = off > worst * allowed ? off / allowed : worst;
    }
    return worst;
}

// z (m) <- S^-1 g by the factor, u (n) <- M^-1 N'z, or with M + A'WA
static void precondition(sparse *s, const double *g, double *z, double *u) {
    memcpy(z, g, (size_t)s->m * sizeof(double));
    memset(u, 0, (size_t)s->n * sizeof(double));
    if (s->saddle) {
        saddle_solve(s->saddle, u, z);
        return;
    }
    ldl_solve(s->white, z);
    for (int k = 0; k < s->m; k++)
        sparse_add_row(s->p, s->B, k, z[k], u);
    solve_blocks(s, u, false);
}

/* Conjugate gradients on S l = .. with the factor at hand: for rows that are nearly dependent, by themselves
 * or in the metric of the mass, so that small pivots are rounding. Each such pivot takes a step or two. With
 * d goes u = M^-1 N'd, so that S d = N u. */
static void iterate(sparse *s, const double *b) {
    double *g = s->g, *z = s->h, *d = s->d, *Sd = s->e, *u = s->v, *u_z = s->f, curvature = 0;
    memset(d, 0, (size_t)s->m * sizeof(double));
    for (int step = 0; step < ITERATIONS && row_residual(s, b, g) > ROUNDING; step++) {
        precondition(s, g, z, u_z);
        double along = step ? linalg_dot(z, Sd, s->m) / curvature : 0;
        for (int k = 0; k < s->m; k++)
            d[k] = z[k] - along * d[k];
        for (int j = 0; j < s->n; j++)
            u[j] = u_z[j] - along * u[j];
        for (int k = 0; k < s->m; k++)
            Sd[k] = s->kept[k] ? sparse_dot_row(s->p, s->N, k, u) : 0;
        curvature = linalg_dot(d, Sd, s->m);
        if (!(curvature > 0))
            break;
        double length = linalg_dot(d, g, s->m) / curvature;
        linalg_add(s->l, length, d, s->m);
        linalg_add(s->x, length, u, s->n);
    }
    memset(u, 0, (size_t)s->n * sizeof(double));
}

static void refine(sparse *s, const double *Q, const double *b) {
    for (int pass = 0; pass < REFINEMENTS; pass++) {
        residual(s, Q, b, s->x, s->l, s->f, s->g);
        correct(s, s->f, s->g, s->x, s->l);
        if (linalg_dot(s->f, s->f, s->n) <= REFINED * REFINED * linalg_dot(s->x, s->x, s->n))
            return;
    }
}

// for all M: x by corrections, from 0
static void solve_blockwise(sparse *s, const double *Q, const double *b) {
    memset(s->l, 0, (size_t)s->m * sizeof(double));
    memset(s->x, 0, (size_t)s->n * sizeof(double));
    for (int j = 0; j < s->n; j++)
        s->f[j] = Q[s->p->coordinate[j]];
    for (int k = 0; k < s->m; k++)
        s->g[k] = s->scale[k] * b[s->p->ldl->order[k]];
    correct(s, s->f, s->g, s->x, s->l);
    refine(s, Q, b);
}

void sparse_solve(sparse *s, const double *Q, const double *b, double *x, double *multiplier) {
    const blocks *p = s->p;
    if (s->by_chain) {
        chain_solve(s->chain, Q, b, s->lightest, s->team, x, multiplier);
        return;
    }
    bool clear = s->nearness * s->nearness >= GRAM_CLEAR, direct = s->single && !s->any && clear;
    if (direct)
        sparse_single_solve(s, Q, b, x);
    else if (s->single && !s->any)
        sparse_single_solve(s, Q, b, s->x);
    else
        solve_blockwise(s, Q, b);
    if (!clear) {
        sparse_complete(s);
        iterate(s, b);
        refine(s, Q, b);
    }
    for (int j = 0; j < s->n && !direct; j++)
        x[p->coordinate[j]] = s->x[j];
    for (int k = 0; k < s->m; k++)
        multiplier[p->ldl->order[k]] = s->kept[k] ? s->scale[k] * s->l[k] : 0;
}

double sparse_remainder(const sparse *s, int row) {
    if (s->by_chain)
        return chain_remainder(s->chain, row);
    int k = s->p->ldl->place[row];
    double inverse = s->white->inverse[k];
    return s->kept[k] && inverse > 0 ? sqrt(fmin(1, 1 / (inverse * s->square[k]))) : 0;
}

// e <- S^-1 B v over the kept rows
static void combine(sparse *s, const double *v, double *e) {
    for (int k = 0; k < s->m; k++)
        e[k] = s->kept[k] ? sparse_dot_row(s->p, s->B, k, v) : 0;
    ldl_solve(s->white, e);
}

void sparse_explain(sparse *s, int row, double *c) {
    const blocks *p = s->p;
    int dropped = p->ldl->place[row];
    double *v = s->v, *e = s->e, *more = s->d;
    sparse_complete(s);
    memset(c, 0, (size_t)s->m * sizeof *c);
    memset(e, 0, (size_t)s->m * sizeof *e);
    if (!(s->scale[dropped] > 0))
        return;
    memset(v, 0, (size_t)s->n * sizeof *v);
    int same = sparse_repeats(s, dropped, NULL);
    if (same >= 0) {
        double product = 0;
        for (int z = p->begin[same], y = p->begin[dropped]; z < p->begin[same + 1]; z++, y++)
            product += s->N[z] * s->N[y];
        c[p->ldl->order[same]] = product / s->square[same] * (s->scale[same] / s->scale[dropped]);
        return;
    }
    sparse_add_row(p, s->B, dropped, 1, v);
    for (int pass = 0; pass < 2; pass++) {
        combine(s, v, more);
        for (int k = 0; k < s->m; k++)
            if (more[k] != 0) {
                e[k] += more[k];
                sparse_add_row(p, s->B, k, -more[k], v);
            }
    }
    for (int k = 0; k < s->m; k++)
        if (fabs(e[k]) > sqrt(s->cut))
            c[p->ldl->order[k]] = e[k] * (s->scale[k] / s->scale[dropped]);
}
