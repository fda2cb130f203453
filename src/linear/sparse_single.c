/* M diagonal, as that of particles: the short way through factorisation and solution, for rows that are
 * independent beyond doubt, or were kept at the last decision and are still.
 *
 * What a chain of a million particles costs is what it takes to read its arrays. So rows go through all steps
 * in groups that stay in the cache, nothing is whitened, and a solution is refined only if its rows are off
 * by more than rounding:
 *
 *     S = N M^-1 N' = L D L',   S l = N b - N a,   a = M^-1 Q,   x = a + M^-1 N'l. */
#include "linear/sparse_inside.h"

#include "linear/linalg.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Rows this near need no refinement: rounding of x alone leaves a part of it. */
static const double ENOUGH = 16 * DBL_EPSILON;
enum { GROUP = 128 };

/* ---- factorisation ---- */

// false if M is not definite; one that has not changed is not looked at again
static bool take_mass(sparse *s, const double *M, bool *finite) {
    double lightest = INFINITY, largest = 0;
    size_t bytes = (size_t)s->n * sizeof *M;
    s->M = M;
    if (s->mobility_known && memcmp(M, s->mobility_of, bytes) == 0)
        return *finite = true;
    for (int j = 0; j < s->n; j++) {
        s->mobility[j] = 1 / M[j];
        lightest = M[j] < lightest ? M[j] : lightest;
        largest = M[j] > largest ? M[j] : largest;
    }
    *finite = linalg_finite(M, s->n);
    s->lightest = lightest;
    s->largest = largest;
    s->mobility_known = *finite && lightest > 0;
    if (s->mobility_known)
        memcpy(s->mobility_of, M, bytes);
    return s->mobility_known;
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

/* What a range of rows comes to: a part of the plan (ldl.h), or the rows after all parts. */
typedef struct {
    bool finite;
    double most; // of |N_k|^2 / pivot
    double smallest;
    int rank;
} factored;

static factored factor_rows(sparse *s, const double *A, int begin, int end) {
    factored f = {.finite = true};
    ldl white = *s->white; // numbers of its own
    bool whole = white.plan->fronts != NULL;
    white.smallest = white.lowest = 1;
    white.rank = 0;
    for (int from = begin; from < end && f.finite; from += GROUP) {
        int to = end - from < GROUP ? end : from + GROUP;
        f.finite = sparse_take_rows(s, A, from, to);
        for (int k = from; k < to; k++) {
            s->kept[k] = sparse_same_row(s, k);
            white.out[k] = !s->kept[k];
        }
        gram(s, from, to);
        if (!whole)
            ldl_factor_rows(&white, from, to, SPARSE_PIVOT_LEAST, LDL_RAISE);
    }
    if (whole && f.finite)
        ldl_factor_rows(&white, begin, end, SPARSE_PIVOT_LEAST, LDL_RAISE);
    for (int k = begin; k < end && f.finite; k++) {
        double ratio = white.inverse[k] * s->square[k];
        f.most = ratio > f.most ? ratio : f.most;
    }
    f.smallest = white.smallest;
    f.rank = white.rank;
    return f;
}

typedef struct {
    sparse *s;
    const double *A;
    factored *of; // (parts)
} factor_task;

static void factor_part(void *context, int i) {
    factor_task *t = context;
    const ldl_plan *plan = t->s->p->ldl;
    t->of[i] = factor_rows(t->s, t->A, plan->part[i], plan->part[i + 1]);
}

// all rows
static factored factor_all(sparse *s, const double *A) {
    const ldl_plan *plan = s->p->ldl;
    factored of[LDL_PARTS_MOST];
    factor_task t = {s, A, of};
    team_run(s->team, plan->parts, factor_part, &t);
    factored all = factor_rows(s, A, plan->part[plan->parts], s->m);
    for (int i = 0; i < plan->parts; i++) {
        all.finite &= of[i].finite;
        all.most = fmax(all.most, of[i].most);
        all.smallest = fmin(all.smallest, of[i].smallest);
        all.rank += of[i].rank;
    }
    return all;
}

// all rows are kept, if none was dropped or is left out
static bool factor_chain(sparse *s, const double *A) {
    chain_pivots found;
    size_t m = (size_t)s->m;
    bool usual = s->lightest > 1e-100 && s->largest < 1e100; // as CHAIN_SQUARE_LEAST, for the reciprocals
    if (!s->chain || !usual || memchr(s->dropped, true, m) || (s->left_out && memchr(s->left_out, true, m)) ||
        !chain_factor(s->chain, A, s->mobility, s->team, &found))
        return false;
    s->nearness = sqrt(found.smallest);
    s->rank = s->m;
    s->by_chain =
        found.smallest >= GRAM_CLEAR && sparse_independent(s, found.smallest, found.most, s->lightest);
    return s->by_chain;
}

bool sparse_single_factor(sparse *s, const double *M, const double *A, bool *finite) {
    if (!take_mass(s, M, finite))
        return false;
    if (factor_chain(s, A)) {
        s->mass_rank = s->n;
        s->any = s->own_ready = s->fresh = false;
        return true;
    }
    sparse_make_ready(s);
    ldl_begin(s->white);
    factored all = factor_all(s, A);
    *finite = all.finite;
    s->white->smallest = all.smallest;
    s->white->rank = s->rank = all.rank;
    s->nearness = sqrt(fmax(0, all.smallest));
    s->mass_rank = s->n;
    s->any = s->own_ready = false;
    s->lean = true;
    if (!all.finite || !sparse_independent(s, all.smallest, all.most, s->lightest) ||
        (s->rank < s->m && !sparse_same_dropped(s)))
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

// g += N b - N x over the kept rows begin .. end - 1. What `now` tells is left alone at first.
static inline void add_rest(const sparse *s, const double *b, const double *x, int begin, int end,
                            look *now) {
    const blocks *p = s->p;
    for (int k = begin; k < end; k++) {
        if (!s->kept[k])
            continue; // column k of L is 0
        double rest = s->scale[k] * b[p->ldl->order[k]], beside = fabs(rest), size = 0;
        for (int z = p->begin[k]; z < p->begin[k + 1]; z++) {
            double x_z = x[p->place[z]];
            rest -= s->N[z] * x_z;
            beside += fabs(x_z);
            size += x_z * x_z;
        }
        s->g[k] += rest;
        if (now) {
            double off = fabs(rest);
            now->worst = off > now->worst * beside ? off / beside : now->worst;
            now->size += size;
        }
    }
}

/* g <- L^-1 g for the rows begin .. end - 1; what they add to the rows after all parts goes to `beyond`.
 * Columns that are alike go four at a time. */
static void substitute(const sparse *s, int begin, int end, double *beyond) {
    const ldl_plan *p = s->p->ldl;
    double *g = s->g;
    int first_beyond = p->part[p->parts];
    for (int k = begin; k < end;) {
        bool four = p->alike[k] == 4 && k + 4 <= end;
        int last = four ? k + 3 : k, z = p->from[last], stop = p->from[last + 1];
        const double *L = s->white->L, *L0 = L + p->from[k], *L1 = L + p->from[k + 1];
        if (!four) {
            double g_k = g[k];
            for (; z < stop && p->below[z] < end; z++)
                g[p->below[z]] -= L[z] * g_k;
            for (; z < stop; z++)
                beyond[p->below[z] - first_beyond] -= L[z] * g_k;
            k++;
            continue;
        }
        const double *L2 = L + p->from[k + 2], *L3 = L + p->from[k + 3];
        double g0 = g[k], g1 = g[k + 1] -= L0[0] * g0, g2 = g[k + 2] -= L0[1] * g0 + L1[0] * g1;
        double g3 = g[k + 3] -= L0[2] * g0 + L1[1] * g1 + L2[0] * g2;
        int i = 0, count = stop - z;
        for (; i < count && p->below[z + i] < end; i++)
            g[p->below[z + i]] -= (L0[i + 3] * g0 + L1[i + 2] * g1) + (L2[i + 1] * g2 + L3[i] * g3);
        for (; i < count; i++)
            beyond[p->below[z + i] - first_beyond] -=
                (L0[i + 3] * g0 + L1[i + 2] * g1) + (L2[i + 1] * g2 + L3[i] * g3);
        k += 4;
    }
}

/* g <- L^-1 (N b - N x) over the kept rows. The change dx = M^-1 N'dl that follows has
 *     dx'M dx = dl'S dl = g'D^-1 g. */
static inline void forward(const sparse *s, const double *b, const double *x, int begin, int end,
                           double *beyond, look *now) {
    add_rest(s, b, x, begin, end, now);
    substitute(s, begin, end, beyond);
    for (int k = begin; k < end && now; k++)
        now->change += s->g[k] * s->g[k] * s->white->inverse[k];
}

// g <- L'^-1 D^-1 g
static void substitute_back(const sparse *s, int begin, int end) {
    const ldl_plan *p = s->p->ldl;
    const double *L = s->white->L, *inverse = s->white->inverse;
    double *g = s->g;
    for (int k = end - 1; k >= begin;) {
        if (k - 3 < begin || p->alike[k - 3] != 4) {
            double g_k = g[k] * inverse[k];
            for (int z = p->from[k]; z < p->from[k + 1]; z++)
                g_k -= L[z] * g[p->below[z]];
            g[k--] = g_k;
            continue;
        }
        k -= 3;
        const double *L0 = L + p->from[k], *L1 = L + p->from[k + 1], *L2 = L + p->from[k + 2];
        const double *L3 = L + p->from[k + 3];
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        for (int z = p->from[k + 3], i = 0; z < p->from[k + 4]; z++, i++) {
            double g_z = g[p->below[z]];
            s0 += L0[i + 3] * g_z;
            s1 += L1[i + 2] * g_z;
            s2 += L2[i + 1] * g_z;
            s3 += L3[i] * g_z;
        }
        double g3 = g[k + 3] = g[k + 3] * inverse[k + 3] - s3;
        double g2 = g[k + 2] = g[k + 2] * inverse[k + 2] - (s2 + L2[0] * g3);
        double g1 = g[k + 1] = g[k + 1] * inverse[k + 1] - (s1 + L1[0] * g2 + L1[1] * g3);
        g[k] = g[k] * inverse[k] - (s0 + L0[0] * g1 + L0[1] * g2 + L0[2] * g3);
        k--;
    }
}

// dl = g <- L'^-1 D^-1 g, l += dl, x += M^-1 N'dl
static void backward(sparse *s, double *x, int begin, int end) {
    const blocks *p = s->p;
    substitute_back(s, begin, end);
    for (int k = begin; k < end; k++) {
        double g_k = s->g[k];
        s->l[k] += g_k;
        for (int z = p->begin[k]; z < p->begin[k + 1]; z++)
            x[p->place[z]] += s->N[z] * s->mobility[p->place[z]] * g_k;
    }
}

typedef struct {
    sparse *s;
    const double *b;
    double *x;
    look *now; // (parts), or NULL
} solve_task;

static void forward_part(void *context, int i) {
    solve_task *t = context;
    const ldl_plan *plan = t->s->p->ldl;
    int begin = plan->part[i], end = plan->part[i + 1], after = ldl_rows_after(plan);
    double *beyond = t->s->beyond + (size_t)i * (size_t)after;
    memset(beyond, 0, (size_t)after * sizeof *beyond);
    memset(t->s->g + begin, 0, (size_t)(end - begin) * sizeof *t->s->g);
    if (t->now)
        forward(t->s, t->b, t->x, begin, end, beyond, &t->now[i]);
    else
        forward(t->s, t->b, t->x, begin, end, beyond, NULL);
}

/* Rows of different parts share no coordinate, or they would have an entry in S: so x is written by one part
 * only. */
static void backward_part(void *context, int i) {
    solve_task *t = context;
    const ldl_plan *plan = t->s->p->ldl;
    backward(t->s, t->x, plan->part[i], plan->part[i + 1]);
}

static void forward_all(sparse *s, const double *b, double *x, look *now) {
    const ldl_plan *plan = s->p->ldl;
    look of[LDL_PARTS_MOST] = {0};
    solve_task t = {s, b, x, now ? of : NULL};
    int after = ldl_rows_after(plan);
    double *g = s->g + plan->part[plan->parts];
    team_run(s->team, plan->parts, forward_part, &t);
    memset(g, 0, (size_t)after * sizeof *g);
    for (int i = 0; i < plan->parts; i++)
        linalg_add(g, 1, s->beyond + (size_t)i * (size_t)after, after);
    if (!now) {
        forward(s, b, x, plan->part[plan->parts], s->m, NULL, NULL);
        return;
    }
    forward(s, b, x, plan->part[plan->parts], s->m, NULL, now);
    for (int i = 0; i < plan->parts; i++) {
        now->worst = fmax(now->worst, of[i].worst);
        now->change += of[i].change;
        now->size += of[i].size;
    }
}

static void backward_all(sparse *s, double *x) {
    const ldl_plan *plan = s->p->ldl;
    solve_task t = {s, NULL, x, NULL};
    backward(s, x, plan->part[plan->parts], s->m);
    team_run(s->team, plan->parts, backward_part, &t);
}

/* x + M^-1 N'dl keeps M x = Q + N'l to rounding, so that only the rows can be off. */
void sparse_single_solve(sparse *s, const double *Q, const double *b, double *x) {
    for (int j = 0; j < s->n; j++)
        x[j] = Q[j] * s->mobility[j];
    memset(s->l, 0, (size_t)s->m * sizeof *s->l);
    forward_all(s, b, x, NULL);
    backward_all(s, x);
    for (int pass = 0; pass < REFINEMENTS; pass++) {
        look now = {0};
        forward_all(s, b, x, &now);
        if (now.worst <= ENOUGH)
            return;
        backward_all(s, x);
        if (now.change <= REFINED * REFINED * s->lightest * now.size)
            return;
    }
}
