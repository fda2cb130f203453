/* One friction: (1 - |w|^2) N^2 - 2 (u . w) N - |u|^2 = 0, which has one root N >= 0 if |w| < 1, and none or
 * two if |w| > 1. Several: Newton's method for the convex functions |u_f + ...|. */
#include "solve/normal.h"

#include "linear/linalg.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STEPS_MOST = 60, SIGNS_MOST = 10, KEPT = 2 };
static const double SAME = 1e-9; // two solutions that differ by less, relative to the larger

size_t normal_work(int count, int width) {
    size_t k = (size_t)count;
    return (size_t)width + k * k + (2 + KEPT) * k;
}

static normal_status solve_one(normal_problem *p) {
    double uu = linalg_dot(p->u, p->u, p->width), uw = linalg_dot(p->u, p->W, p->width);
    double ww = linalg_dot(p->W, p->W, p->width), discriminant = uw * uw + (1 - ww) * uu;
    p->N[0] = 0;
    if (uu == 0)
        return NORMAL_ONE;
    if (ww < 1) { // the larger root, without cancellation
        double root = sqrt(discriminant);
        p->N[0] = uw >= 0 ? (uw + root) / (1 - ww) : uu / (root - uw);
        return NORMAL_ONE;
    }
    if (uw >= 0 || discriminant < 0)
        return NORMAL_NONE;
    p->N[0] = uu / (-2 * uw);
    return ww == 1 ? NORMAL_ONE : NORMAL_MANY;
}

// x <- K^-1 x for a small K, which is destroyed; false if it is singular
static bool eliminate(double *K, double *x, int n) {
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(K[i * n + k]) > fabs(K[best * n + k]))
                best = i;
        if (!(fabs(K[best * n + k]) > DBL_EPSILON))
            return false;
        for (int j = 0; best != k && j < n; j++) {
            double swap = K[k * n + j];
            K[k * n + j] = K[best * n + j];
            K[best * n + j] = swap;
        }
        double swap = x[k];
        x[k] = x[best];
        x[best] = swap;
        for (int i = k + 1; i < n; i++) {
            double factor = K[i * n + k] / K[k * n + k];
            linalg_add(K + i * n, -factor, K + k * n, n);
            x[i] -= factor * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            x[k] -= K[k * n + j] * x[j];
        x[k] /= K[k * n + k];
    }
    return true;
}

static double length_of(const normal_problem *p, int f, const double *x) {
    return linalg_norm(x + p->first[f], p->first[f + 1] - p->first[f]);
}

// a matrix R >= 0 has a spectral radius below 1 if (I - R) x = (1, ..., 1) has a solution x > 0
static bool contracts(normal_problem *p) {
    int n = p->count;
    double *K = p->work, *x = K + n * n;
    for (int f = 0; f < n; f++) {
        for (int g = 0; g < n; g++)
            K[f * n + g] = (f == g) - length_of(p, f, p->W + g * p->width);
        x[f] = 1;
    }
    bool positive = eliminate(K, x, n);
    for (int f = 0; f < n; f++)
        positive = positive && x[f] > 0;
    return positive;
}

/* Newton's method from unit vectors e (width) of the reactions: N_f = e_f . (u_f + sum W_fg N_g), then e_f
 * anew. True if it came to a solution. */
static bool newton(normal_problem *p, double *e) {
    int n = p->count;
    double *K = p->work, *x = K + n * n;
    for (int step = 0; step < STEPS_MOST; step++) {
        for (int f = 0; f < n; f++) {
            int from = p->first[f], size = p->first[f + 1] - from;
            for (int g = 0; g < n; g++)
                K[f * n + g] = (f == g) - linalg_dot(e + from, p->W + g * p->width + from, size);
            x[f] = linalg_dot(e + from, p->u + from, size);
        }
        if (!eliminate(K, x, n))
            return false;
        double change = 0, largest = 0;
        memcpy(e, p->u, (size_t)p->width * sizeof *e);
        for (int g = 0; g < n; g++)
            linalg_add(e, x[g], p->W + g * p->width, p->width);
        for (int f = 0; f < n; f++) {
            double length = length_of(p, f, e);
            change = fmax(change, fabs(length - x[f]));
            largest = fmax(largest, length);
            for (int i = p->first[f]; i < p->first[f + 1] && length > 0; i++)
                e[i] /= length;
        }
        memcpy(p->N, x, (size_t)n * sizeof *x);
        if (change <= 8 * DBL_EPSILON * largest)
            return true;
    }
    return false;
}

static void start_from(const normal_problem *p, unsigned signs, double *e) {
    for (int f = 0; f < p->count; f++) {
        double length = length_of(p, f, p->u), sign = signs >> f & 1 ? -1 : 1;
        for (int i = p->first[f]; i < p->first[f + 1]; i++)
            e[i] = length > 0 ? sign * p->u[i] / length : i == p->first[f] ? sign : 0;
    }
}

static bool is_same(const double *a, const double *b, int n) {
    double off = 0;
    for (int i = 0; i < n; i++)
        off = fmax(off, fabs(a[i] - b[i]));
    return off <= SAME * fmax(linalg_norm(a, n), linalg_norm(b, n));
}

static normal_status solve_several(normal_problem *p) {
    int n = p->count, found = 0;
    double *e = p->work + (size_t)n * (size_t)n + 2 * (size_t)n, *kept = e + p->width;
    bool unique = contracts(p);
    unsigned starts = 1u << (n < SIGNS_MOST ? n : SIGNS_MOST);
    for (unsigned signs = 0; signs < starts && found < KEPT && !(unique && found); signs++) {
        start_from(p, signs, e);
        if (!newton(p, e))
            continue;
        bool known = false;
        for (int k = 0; k < found; k++)
            known |= is_same(kept + k * n, p->N, n);
        if (!known)
            memcpy(kept + n * found++, p->N, (size_t)n * sizeof *kept);
    }
    if (found)
        memcpy(p->N, kept, (size_t)n * sizeof *kept);
    return found == 0 ? NORMAL_NONE : found == 1 ? NORMAL_ONE : NORMAL_MANY;
}

normal_status normal_solve(normal_problem *p, int *culprit) {
    p->own = -1;
    for (int f = 0; f < p->count; f++) {
        double own = length_of(p, f, p->W + f * p->width);
        if (own > p->own) {
            p->own = own;
            *culprit = f;
        }
    }
    return p->count == 0 ? NORMAL_ONE : p->count == 1 ? solve_one(p) : solve_several(p);
}
