/* M diagonal, as that of particles: the short way through factorisation and solution, for rows that are
 * independent beyond doubt, or were kept at the last decision and are still.
 *
 * What a chain of a million particles costs is what it takes to read its arrays. So rows go through all steps
 * in groups that stay in the cache, nothing is whitened, and a solution is refined only if its rows are off
 * by more than rounding:
 *
 *     S = N M^-1 N' = L D L',   S l = N b - N a,   a = M^-1 Q,   x = a + M^-1 N'l. */
#include "solve/sparse_inside.h"

#include "solve/linalg.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double SETTLED = 1e-8; // as in dense.c
/* Rows this near need no refinement: rounding of x alone leaves a part of it. */
static const double ENOUGH = 16 * DBL_EPSILON;
enum { REFINEMENTS = 3, GROUP = 128 };

/* ---- factorisation ---- */

// false if M is not definite
static bool take_mass(sparse *s, const double *M, bool *finite) {
    double lightest = INFINITY, largest = 0;
    for (int j = 0; j < s->n; j++) {
        s->mobility[j] = 1 / M[j];
        lightest = M[j] < lightest ? M[j] : lightest;
        largest = M[j] > largest ? M[j] : largest;
    }
    *finite = linalg_finite(M, s->n);
    s->M = M;
    s->lightest = lightest;
    s->largest = largest;
    return *finite && lightest > 0;
}

// N M^-1 N' for the rows from .. to - 1
static void gram(sparse *s, int from, int to) {
    const blocks *p = s->p;
    const double *N = s->N, *mobility = s->mobility;
    for (int k = from; k < to; k++) {
        double square = 0;
        for (int z = p->begin[k]; z < p->begin[k + 1]; z++)
            square += N[z] * N[z] * mobility[p->place[z]];
        s->white->diagonal[k] = square;
        for (int e = p->ldl->row[k]; e < p->ldl->row[k + 1]; e++) {
            double sum = 0;
            for (const int *pair = p->pair + 2 * p->pairs[e]; pair < p->pair + 2 * p->pairs[e + 1]; pair += 2)
                sum += N[pair[0]] * N[pair[1]] * mobility[p->place[pair[0]]];
            s->white->value[e] = sum;
        }
    }
}

bool sparse_single_factor(sparse *s, const double *M, const double *A, bool *finite) {
    double most = 0; // of |N_k|^2 / pivot
    if (!take_mass(s, M, finite))
        return false;
    ldl_begin(s->white);
    for (int from = 0; from < s->m; from += GROUP) {
        int to = s->m - from < GROUP ? s->m : from + GROUP;
        if (!sparse_take_rows(s, A, from, to)) {
            *finite = false;
            return false;
        }
        for (int k = from; k < to; k++) {
            s->kept[k] = sparse_same_row(s, k);
            s->white->out[k] = !s->kept[k];
        }
        gram(s, from, to);
        ldl_factor_rows(s->white, from, to, SPARSE_PIVOT_LEAST, LDL_RAISE);
        for (int k = from; k < to; k++) {
            double ratio = s->white->inverse[k] * s->square[k];
            most = ratio > most ? ratio : most;
        }
    }
    s->nearness = sqrt(fmax(0, s->white->smallest));
    s->rank = s->white->rank;
    s->mass_rank = s->n;
    s->any = s->own_ready = false;
    s->lean = true;
    if (!sparse_independent(s, most, s->lightest) || (s->rank < s->m && !sparse_same_dropped(s)))
        return false;
    s->fresh = false;
    return true;
}

/* ---- solution ---- */

typedef struct {
    double worst;  // |N_k b - N_k x| as a part of |b_k| + |x| at the row's coordinates
    double change; // dx'M dx
    double size;   // |x|^2 over the rows' coordinates
} look;

/* g <- L^-1 (N b - N x) over the kept rows. The change dx = M^-1 N'dl that follows has
 *     dx'M dx = dl'S dl = g'D^-1 g.
 * What `now` tells costs a third of the time: it is left alone at first. */
static inline void forward(const sparse *s, const double *b, const double *x, double *g, look *now) {
    const blocks *p = s->p;
    const ldl_plan *plan = p->ldl;
    const double *L = s->white->L;
    memset(g, 0, (size_t)s->m * sizeof *g);
    for (int k = 0; k < s->m; k++) {
        if (!s->kept[k])
            continue; // g[k] is 0, and so is column k of L
        double rest = s->scale[k] * b[plan->order[k]], beside = fabs(rest), size = 0;
        for (int z = p->begin[k]; z < p->begin[k + 1]; z++) {
            double x_z = x[p->place[z]];
            rest -= s->N[z] * x_z;
            beside += fabs(x_z);
            size += x_z * x_z;
        }
        double g_k = g[k] += rest;
        if (now) {
            double off = fabs(rest);
            now->worst = off > now->worst * beside ? off / beside : now->worst;
            now->size += size;
            now->change += g_k * g_k * s->white->inverse[k];
        }
        for (int z = plan->from[k]; z < plan->from[k + 1]; z++)
            g[plan->below[z]] -= L[z] * g_k;
    }
}

// dl = g <- L'^-1 D^-1 g, l += dl, x += M^-1 N'dl
static void backward(sparse *s, double *g, double *x) {
    const blocks *p = s->p;
    const ldl_plan *plan = p->ldl;
    const double *L = s->white->L;
    for (int k = s->m - 1; k >= 0; k--) {
        double g_k = g[k] * s->white->inverse[k];
        for (int z = plan->from[k]; z < plan->from[k + 1]; z++)
            g_k -= L[z] * g[plan->below[z]];
        g[k] = g_k = s->kept[k] ? g_k : 0;
        s->l[k] += g_k;
        for (int z = p->begin[k]; z < p->begin[k + 1]; z++)
            x[p->place[z]] += s->N[z] * s->mobility[p->place[z]] * g_k;
    }
}

/* x + M^-1 N'dl keeps M x = Q + N'l to rounding, so that only the rows can be off. */
void sparse_single_solve(sparse *s, const double *Q, const double *b, double *x) {
    for (int j = 0; j < s->n; j++)
        x[j] = Q[j] * s->mobility[j];
    memset(s->l, 0, (size_t)s->m * sizeof *s->l);
    forward(s, b, x, s->g, NULL);
    backward(s, s->g, x);
    for (int pass = 0; pass < REFINEMENTS; pass++) {
        look now = {0};
        forward(s, b, x, s->g, &now);
        if (now.worst <= ENOUGH)
            return;
        backward(s, s->g, x);
        if (now.change <= SETTLED * SETTLED * s->lightest * now.size)
            return;
    }
}
