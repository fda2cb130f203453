/* Multipliers of least norm. The dropped rows are combinations of the kept ones, A_D = C A_K; so all l with
 * the same force are l_K - C'w, w beside one of them, and the shortest has (I + C C') w = C l_K. C = N_D N_K'
 * (N_K N_K')^-1 is not formed: conjugate gradients take a solution with the Gram matrix of the kept rows for
 * each product with C or C'. For repeated rows a few steps suffice. */
#include "linear/sparse_inside.h"

#include "linear/linalg.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STEPS_MOST = 200, PASSES = 3 };

/* ---- products; vectors over all rows, those of D or K alone in use, rows as written ---- */

// u <- C v; a Gram matrix squares the condition, so its solution is refined on the rows themselves
static void times_C(sparse *s, const double *v, double *u) {
    const blocks *p = s->p;
    double *force = s->f;
    memset(force, 0, (size_t)s->n * sizeof(double));
    for (int pass = 0; pass < PASSES; pass++) {
        for (int k = 0; k < s->m; k++)
            s->e[k] = s->own->out[k] ? 0 : s->scale[k] * v[k] - sparse_dot_row(p, s->N, k, force);
        ldl_solve(s->own, s->e);
        for (int k = 0; k < s->m; k++)
            sparse_add_row(p, s->N, k, s->e[k], force);
    }
    for (int k = 0; k < s->m; k++)
        u[k] = s->spanned[k] ? sparse_dot_row(p, s->N, k, force) / s->scale[k] : 0;
}

// v += C'u for the force that u_D gives beyond what -v_K takes: exact to rounding when repeated
static void add_C_transposed(sparse *s, const double *u, double *v) {
    const blocks *p = s->p;
    double *force = s->f;
    memset(force, 0, (size_t)s->n * sizeof(double));
    for (int k = 0; k < s->m; k++)
        if (s->spanned[k])
            sparse_add_row(p, s->N, k, u[k] / s->scale[k], force);
        else if (v[k] != 0)
            sparse_add_row(p, s->N, k, -v[k] / s->scale[k], force);
    for (int k = 0; k < s->m; k++)
        s->e[k] = s->own->out[k] ? 0 : sparse_dot_row(p, s->N, k, force);
    ldl_solve(s->own, s->e);
    for (int k = 0; k < s->m; k++)
        v[k] += s->scale[k] * s->e[k];
}

/* The diagonal of I + C C', roughly: what row k would have if each kept row that is not perpendicular to it
 * were perpendicular to the others. Exact for repeated rows. */
static double diagonal_of(const sparse *s, int k) {
    const ldl_plan *l = s->p->ldl;
    double sum = 1;
    for (int z = l->row[k]; z < l->row[k + 1]; z++) {
        int i = l->column[z];
        double ratio = s->own->value[z] / s->square[i] * (s->scale[i] / s->scale[k]);
        sum += s->own->out[i] ? 0 : ratio * ratio;
    }
    return sum;
}

/* ---- conjugate gradients ---- */

// w <- (I + C C')^-1 r, which is spoiled
static void solve_shares(sparse *s, double *r, double *w) {
    double *d = s->d, *q = s->h, *z = s->remainder, *v = s->c, before = 0, first = 0;
    memset(w, 0, (size_t)s->m * sizeof(double));
    for (int step = 0; step < STEPS_MOST; step++) {
        for (int k = 0; k < s->m; k++)
            z[k] = s->spanned[k] ? r[k] / diagonal_of(s, k) : 0;
        double now = linalg_dot(r, z, s->m);
        if (step == 0)
            first = now;
        if (now <= DBL_EPSILON * DBL_EPSILON * first)
            return;
        for (int k = 0; k < s->m; k++)
            d[k] = z[k] + (step ? now / before * d[k] : 0);
        before = now;
        memset(v, 0, (size_t)s->m * sizeof(double));
        for (int pass = 0; pass < PASSES; pass++)
            add_C_transposed(s, d, v);
        times_C(s, v, q);
        linalg_add(q, 1, d, s->m);
        double length = now / linalg_dot(d, q, s->m);
        linalg_add(w, length, d, s->m);
        linalg_add(r, -length, q, s->m);
    }
}

// own over all rows that are kept, those that were in doubt among them
static void bring_own(sparse *s) {
    for (int k = 0; k < s->m; k++) {
        s->own->out[k] = !s->kept[k];
        s->spanned[k] = s->dropped[k] && s->square[k] > 0;
    }
    blocks_gram(s->p, s->N, s->own);
    ldl_factor(s->own, 0, LDL_DROP);
    s->own_ready = true;
}

void sparse_least_norm(sparse *s, double *multiplier) {
    bool any = false;
    if (s->by_chain) // there is one only
        return;
    const int *order = s->p->ldl->order;
    if (s->rank < s->m && (!s->own_ready || s->near_count > 0))
        bring_own(s);
    for (int k = 0; k < s->m; k++)
        any |= s->own_ready && s->spanned[k];
    if (!any)
        return;
    double *l = s->l, *w = s->g, *r = s->r;
    for (int k = 0; k < s->m; k++)
        l[k] = multiplier[order[k]];
    times_C(s, l, r);
    solve_shares(s, r, w);
    memset(s->c, 0, (size_t)s->m * sizeof(double));
    for (int pass = 0; pass < 3; pass++) // the force must not change
        add_C_transposed(s, w, s->c);
    for (int k = 0; k < s->m; k++)
        multiplier[order[k]] = s->spanned[k] ? w[k] : l[k] - s->c[k];
}
