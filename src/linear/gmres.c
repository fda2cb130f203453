#include "linear/gmres.h"

#include "linear/linalg.h"

#include <math.h>
#include <string.h>

struct gmres {
    int n;
    double *V;                        // (GMRES_MOST + 1 x n) an orthonormal basis, in parts of the sizes
    double *x;                        // (n)
    double R[GMRES_MOST][GMRES_MOST]; // column by column, of the products in that basis
    double turn[GMRES_MOST][2];       // cosine and sine of the turns that make it triangular
    double rest[GMRES_MOST + 1];      // b after these: the last is what is left
};

gmres *gmres_new(arena *a, int n) {
    gmres *g = arena_alloc(a, sizeof *g);
    g->n = n;
    g->V = arena_doubles(a, (GMRES_MOST + 1) * (size_t)n);
    g->x = arena_doubles(a, (size_t)n);
    return g;
}

static double *basis(const gmres *g, int k) {
    return g->V + (size_t)k * (size_t)g->n;
}

static void multiply(int n, const double *by, double *x) {
    for (int i = 0; i < n; i++)
        x[i] *= by[i];
}

static void divide(int n, const double *by, double *x) {
    for (int i = 0; i < n; i++)
        x[i] /= by[i];
}

// to length 1; returns what it was
static double normalise(int n, double *x) {
    double length = linalg_norm(x, n);
    for (int i = 0; i < n && length > 0; i++)
        x[i] /= length;
    return length;
}

static void turn(const double *by, double *a, double *b) {
    double was = *a;
    *a = by[0] * was + by[1] * *b;
    *b = by[0] * *b - by[1] * was;
}

// out = A P b_k
static bool product(gmres *g, const gmres_problem *p, int k, double *out) {
    memcpy(g->x, basis(g, k), (size_t)g->n * sizeof *g->x);
    multiply(g->n, p->size, g->x);
    p->nearly(p->context, g->x);
    bool found = p->times(p->context, g->x, out);
    divide(g->n, p->size, out);
    return found && linalg_finite(out, g->n);
}

// the k-th column of R, of a new vector of the basis
static void add_column(gmres *g, int k) {
    double *v = basis(g, k + 1), *r = g->R[k], below;
    for (int i = 0; i <= k; i++) {
        r[i] = linalg_dot(v, basis(g, i), g->n);
        linalg_add(v, -r[i], basis(g, i), g->n);
    }
    below = normalise(g->n, v);
    for (int i = 0; i < k; i++)
        turn(g->turn[i], &r[i], &r[i + 1]);
    double length = hypot(r[k], below);
    g->turn[k][0] = length > 0 ? r[k] / length : 1;
    g->turn[k][1] = length > 0 ? below / length : 0;
    r[k] = length;
    g->rest[k + 1] = 0;
    turn(g->turn[k], &g->rest[k], &g->rest[k + 1]);
}

// x = P sum of y_k b_k with R y = rest
static void combine(gmres *g, const gmres_problem *p, int count, double *x) {
    double y[GMRES_MOST];
    for (int k = count - 1; k >= 0; k--) {
        y[k] = g->rest[k];
        for (int j = k + 1; j < count; j++)
            y[k] -= g->R[j][k] * y[j];
        y[k] = g->R[k][k] > 0 ? y[k] / g->R[k][k] : 0;
    }
    memset(x, 0, (size_t)g->n * sizeof *x);
    for (int k = 0; k < count; k++)
        linalg_add(x, y[k], basis(g, k), g->n);
    multiply(g->n, p->size, x);
    p->nearly(p->context, x);
}

bool gmres_solve(gmres *g, const gmres_problem *p, double part, double *x) {
    int count = 0;
    memcpy(g->V, x, (size_t)g->n * sizeof *x);
    divide(g->n, p->size, g->V);
    double all = normalise(g->n, g->V);
    g->rest[0] = all;
    while (count < GMRES_MOST && fabs(g->rest[count]) > part * all) {
        if (!product(g, p, count, basis(g, count + 1)))
            return false;
        add_column(g, count++);
    }
    combine(g, p, count, x);
    return true;
}
