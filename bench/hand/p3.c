/* P3 by hand: N windows side by side, tops (x_i, y_i), i = 0 .. N; sides i of length 1 to (i, 0), couplers i
 * between the tops i - 1 and i; all rods uniform with mass 1. y: x_0, y_0, x_1, ..., then velocities.
 *
 *     [M  A'  ] [q'']   [Q]
 *     [A -eps ] [l  ] = [b]      rows (|d|^2 - 1)/2 = 0, A q'' = -|d'|^2 = b
 *
 * In the order x_i, y_i, coupler i, side i it is block tridiagonal with blocks of 4, and eliminated by LDL'
 * in O(N). In the singular position, where all rods lie on one line, N rows depend on the others: eps keeps
 * their pivots from zero. Every step ends with a projection of positions and velocities by the same matrix;
 * without it, or without eps, the motion leaves the branch. */
#include "../report.h"
#include "dopri5.h"

#define EPS 1e-12

typedef struct {
    double L[6];           // of the block's LDL': (1,0) (2,0) (2,1) (3,0) (3,1) (3,2)
    double over[4];        // 1/D
    double X[3][4];        // to the block before: W/D, W L' = B; its last row is zero
    double r[4];           // right-hand side, then solution
    double cx, cy, sx, sy; // coupler and side as vectors
} block;

typedef struct {
    int N;
    block *b; // (N + 1)
    double worst;
} windows;

/* Factorises the matrix at positions q. */
static void factorise(windows *w, const double *restrict q) {
    const int N = w->N;
    for (int i = 0; i <= N; i++) {
        block *b = w->b + i;
        double m = (i > 0) + (i < N) == 2 ? 1.0 : 2.0 / 3; // 1/3 for each rod that ends here
        double S22 = i > 0 ? -EPS : -1, S[4][3] = {{m}, {0, m}, {0}, {q[2 * i] - i, q[2 * i + 1], 0}};
        b->sx = S[3][0], b->sy = S[3][1];
        double S33 = -EPS;
        b->cx = b->cy = 0;
        if (i > 0) {
            const block *a = w->b + i - 1;
            b->cx = q[2 * i] - q[2 * i - 2], b->cy = q[2 * i + 1] - q[2 * i - 1];
            S[2][0] = b->cx, S[2][1] = b->cy;
            const double B[3][2] = {{1.0 / 6, 0}, {0, 1.0 / 6}, {-b->cx, -b->cy}};
            double W[3][4];
            for (int r = 0; r < 3; r++) {
                W[r][0] = B[r][0];
                W[r][1] = B[r][1] - W[r][0] * a->L[0];
                W[r][2] = -W[r][0] * a->L[1] - W[r][1] * a->L[2];
                W[r][3] = -W[r][0] * a->L[3] - W[r][1] * a->L[4] - W[r][2] * a->L[5];
                for (int k = 0; k < 4; k++)
                    b->X[r][k] = W[r][k] * a->over[k];
            }
            for (int k = 0; k < 4; k++) { // S = D - W D^-1 W'
                S[0][0] -= W[0][k] * b->X[0][k];
                S[1][0] -= W[1][k] * b->X[0][k];
                S[1][1] -= W[1][k] * b->X[1][k];
                S[2][0] -= W[2][k] * b->X[0][k];
                S[2][1] -= W[2][k] * b->X[1][k];
                S22 -= W[2][k] * b->X[2][k];
            }
        }
        b->over[0] = 1 / S[0][0];
        b->L[0] = S[1][0] * b->over[0];
        b->L[1] = S[2][0] * b->over[0];
        b->L[3] = S[3][0] * b->over[0];
        b->over[1] = 1 / (S[1][1] - b->L[0] * S[1][0]);
        double c1 = S[2][1] - b->L[1] * S[1][0], s1 = S[3][1] - b->L[3] * S[1][0];
        b->L[2] = c1 * b->over[1];
        b->L[4] = s1 * b->over[1];
        b->over[2] = 1 / (S22 - b->L[1] * S[2][0] - b->L[2] * c1);
        double s2 = -b->L[3] * S[2][0] - b->L[4] * c1;
        b->L[5] = s2 * b->over[2];
        b->over[3] = 1 / (S33 - b->L[3] * S[3][0] - b->L[4] * s1 - b->L[5] * s2);
    }
}

/* Solves for the right-hand sides r in place. */
static void solve(windows *w) {
    const int N = w->N;
    for (int i = 0; i <= N; i++) {
        block *b = w->b + i;
        const double *L = b->L;
        double *r = b->r;
        if (i > 0) {
            const double *u = w->b[i - 1].r;
            for (int k = 0; k < 3; k++)
                r[k] -= b->X[k][0] * u[0] + b->X[k][1] * u[1] + b->X[k][2] * u[2] + b->X[k][3] * u[3];
        }
        r[1] -= L[0] * r[0];
        r[2] -= L[1] * r[0] + L[2] * r[1];
        r[3] -= L[3] * r[0] + L[4] * r[1] + L[5] * r[2];
    }
    for (int i = N; i >= 0; i--) {
        block *b = w->b + i;
        const double *L = b->L;
        double *r = b->r;
        for (int k = 0; k < 4; k++)
            r[k] *= b->over[k];
        if (i < N) {
            const block *n = w->b + i + 1;
            for (int k = 0; k < 4; k++)
                r[k] -= n->X[0][k] * n->r[0] + n->X[1][k] * n->r[1] + n->X[2][k] * n->r[2];
        }
        r[2] -= L[5] * r[3];
        r[1] -= L[2] * r[2] + L[4] * r[3];
        r[0] -= L[0] * r[1] + L[1] * r[2] + L[3] * r[3];
    }
}

/* q'' at velocities v, the matrix being factorised. */
static void accelerate(windows *w, const double *restrict v, double *restrict a) {
    const int N = w->N;
    for (int i = 0; i <= N; i++) {
        double *r = w->b[i].r, x = v[2 * i], y = v[2 * i + 1];
        r[0] = 0;
        r[1] = -9.81 * 0.5 * (1 + (i > 0) + (i < N));
        r[2] = 0;
        r[3] = -(x * x + y * y);
        if (i > 0) {
            double dx = x - v[2 * i - 2], dy = y - v[2 * i - 1];
            r[2] = -(dx * dx + dy * dy);
        }
    }
    solve(w);
    for (int i = 0; i <= N; i++)
        a[2 * i] = w->b[i].r[0], a[2 * i + 1] = w->b[i].r[1];
}

static void rhs(void *c, const double *restrict y, double *restrict f) {
    windows *w = c;
    const int n = 2 * (w->N + 1);
    factorise(w, y);
    memcpy(f, y + n, sizeof(double) * n);
    accelerate(w, y + n, f + n);
}

static double violation(const windows *w, const double *q) {
    double worst = 0;
    for (int i = 0; i <= w->N; i++) {
        double sx = q[2 * i] - i, sy = q[2 * i + 1], cx = 1, cy = 0;
        if (i > 0)
            cx = q[2 * i] - q[2 * i - 2], cy = q[2 * i + 1] - q[2 * i - 1];
        worst = fmax(worst, fmax(fabs(sx * sx + sy * sy - 1), fabs(cx * cx + cy * cy - 1)));
    }
    return worst;
}

static void add_correction(windows *w, double *restrict x) {
    solve(w);
    for (int i = 0; i <= w->N; i++)
        x[2 * i] += w->b[i].r[0], x[2 * i + 1] += w->b[i].r[1];
}

/* Least change in the norm of M: positions by one Newton step with the matrix of the last stage, which is
 * there, then velocities and the acceleration with that of the new positions. */
static void project(void *c, double *restrict y, double *restrict f) {
    windows *w = c;
    const int N = w->N, n = 2 * (N + 1);
    double *q = y, *v = y + n;
    for (int i = 0; i <= N; i++) {
        block *b = w->b + i;
        b->r[0] = b->r[1] = 0;
        b->r[2] = i > 0 ? 0.5 * (1 - b->cx * b->cx - b->cy * b->cy) : 0;
        b->r[3] = 0.5 * (1 - b->sx * b->sx - b->sy * b->sy);
    }
    add_correction(w, q);
    factorise(w, q);
    for (int i = 0; i <= N; i++) {
        block *b = w->b + i;
        b->r[0] = b->r[1] = b->r[2] = 0;
        b->r[3] = -(b->sx * v[2 * i] + b->sy * v[2 * i + 1]);
        if (i > 0)
            b->r[2] = -(b->cx * (v[2 * i] - v[2 * i - 2]) + b->cy * (v[2 * i + 1] - v[2 * i - 1]));
    }
    add_correction(w, v);
    memcpy(f, v, sizeof(double) * n);
    accelerate(w, v, f + n);
}

static void watch(void *c, const double *y) {
    windows *w = c;
    w->worst = fmax(w->worst, violation(w, y));
}

static void start(int N, double *y) {
    for (int i = 0; i <= N; i++) {
        double *q = y + 2 * i, *v = q + 2 * (N + 1);
        q[0] = i, q[1] = 1, v[0] = 1, v[1] = 0;
    }
}

int main(int argc, char **argv) {
    job j = job_read(argc, argv);
    if (!job_is(&j, "p3"))
        return job_unknown(&j);
    int N = j.n, n = 4 * (N + 1);
    windows w = {N, calloc(N + 1, sizeof(block)), 0};
    double *y = calloc(n, sizeof(double)), *work = calloc((size_t)n * DOPRI5_WORK, sizeof(double));
    long evaluations = 0;
    if (!w.b || !y || !work)
        return 1;
    while (job_more(&j)) {
        start(N, y);
        job_start(&j);
        evaluations = dopri5(n, y, 10, 1e-10, rhs, project, NULL, &w, work);
        job_stop(&j);
    }
    if (j.repeats > 1) {
        start(N, y);
        dopri5(n, y, 10, 1e-10, rhs, project, watch, &w, work);
    }
    const double values[] = {y[0], y[1], y[2 * N], y[2 * N + 1]};
    job_print(&j, evaluations, values, 4, w.worst);
    return 0;
}
