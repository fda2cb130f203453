/* The shape of a simple eigenvalue is LAPACK's. Those of a repeated one span the null space of A - lambda,
 *
 *     [A - re    im  ] [x]
 *     [ -im    A - re] [y]  =  0,   shape = x + i y,
 *
 * the right singular vectors of what vanishes; where there are fewer of them than the eigenvalue is repeated,
 * the deviations t^k exp(lambda t) have no shape. Velocities are measured in the unit of time of the largest
 * eigenvalue, so that stiff parts of a model do not hide soft ones. */
#include "study/modes.h"

#include "linear/lapack.h"

#include <math.h>
#include <string.h>

static const double NOTHING = 10; // singular values, beside the largest: times what eigenvalues may differ
static const double SMALL = 1e-3; // of vectors at unit length that were made independent
static const double TIE = 1e-6;

typedef struct {
    arena *arena;
    int size, positions;
    double *A, *T; // velocities in the unit of time
    double rate;   // 1/unit of time
    double same;   // eigenvalues, beside the largest
    double complex *lambda;
    mode *modes;
} shapes;

// ---- normal form

static double largest_of(const double complex *v, int from, int to) {
    double largest = 0;
    for (int i = from; i < to; i++)
        largest = fmax(largest, cabs(v[i]));
    return largest;
}

// the component to be 1: the first of the largest positions, or of the velocities where no position takes
// part
static int leading(const shapes *s, const double complex *v) {
    double position = largest_of(v, 0, s->positions), velocity = largest_of(v, s->positions, s->size);
    bool moves = position > SMALL * velocity;
    int i = moves ? 0 : s->positions;
    while (i < s->size - 1 && cabs(v[i]) < (moves ? position : velocity) * (1 - TIE))
        i++;
    return i;
}

static void divide(const shapes *s, double complex *v, double complex by) {
    for (int i = 0; i < s->size; i++)
        v[i] /= by;
}

static const double complex *renamed(const shapes *s, const double complex *from) {
    double complex *v = arena_alloc(s->arena, (size_t)s->size * sizeof *v);
    for (int i = 0; i < s->size; i++) {
        v[i] = 0;
        for (int j = 0; j < s->size; j++)
            v[i] += s->T[i * s->size + j] * from[j];
    }
    return v;
}

// in the model's units
static void keep(shapes *s, int which, const double complex *from) {
    double complex *v = arena_alloc(s->arena, (size_t)s->size * sizeof *v);
    from = s->T ? renamed(s, from) : from;
    int first = leading(s, from);
    for (int i = 0; i < s->size; i++)
        v[i] = (i == first ? 1 : from[i] / from[first]) * (i < s->positions ? 1 : s->rate);
    if (first >= s->positions)
        divide(s, v, s->rate);
    s->modes[which].shape = v;
    s->modes[which].leading = first;
}

// ---- repeated eigenvalues

// null vectors of A - lambda; returns how many, as real vectors (x, y) where lambda is not real
static int null_space(shapes *s, double complex lambda, double **vectors) {
    int n = s->size, parts = cimag(lambda) != 0 ? 2 : 1, width = parts * n, count = 0;
    size_t square = (size_t)width * (size_t)width;
    double *B = arena_doubles(s->arena, square), *U = arena_doubles(s->arena, square),
           *sigma = arena_doubles(s->arena, (size_t)width);
    *vectors = arena_doubles(s->arena, square);
    for (int p = 0; p < parts; p++)
        for (int i = 0; i < n; i++) {
            double *row = B + (size_t)(p * n + i) * (size_t)width;
            memcpy(row + p * n, s->A + (size_t)i * (size_t)n, (size_t)n * sizeof *row);
            row[p * n + i] -= creal(lambda);
            if (parts == 2)
                row[(1 - p) * n + i] = p ? -cimag(lambda) : cimag(lambda);
        }
    double *scratch = arena_doubles(s->arena, lapack_scratch(width));
    if (!lapack_svd(width, width, B, U, sigma, *vectors, scratch))
        return 0;
    while (count < width && sigma[width - 1 - count] <= NOTHING * s->same * sigma[0])
        count++;
    *vectors += (size_t)(width - count) * (size_t)width;
    return count;
}

/* Gauss and Jordan's elimination among the vectors (count x size): each of those that remain has a component
 * of its own that is 1, and 0 in the others. Of x + i y and i (x + i y) one remains. */
static int independent(const shapes *s, double complex *vectors, int count) {
    size_t n = (size_t)s->size;
    for (int k = 0; k < count; k++) {
        double complex *at = vectors + (size_t)k * n, *best = at;
        for (double complex *v = at; v < vectors + (size_t)count * n; v += n)
            if (cabs(v[leading(s, v)]) > cabs(best[leading(s, best)]) * (1 + TIE))
                best = v;
        int own = leading(s, best);
        if (cabs(best[own]) <= SMALL)
            return k;
        for (size_t i = 0; i < n; i++) {
            double complex other = at[i];
            at[i] = best[i];
            best[i] = other;
        }
        divide(s, at, at[own]);
        for (double complex *v = vectors; v < vectors + (size_t)count * n; v += n) {
            double complex factor = v[own];
            for (size_t i = 0; v != at && i < n; i++)
                v[i] -= factor * at[i];
        }
    }
    return count;
}

// those eigenvalues that are the same as number i; returns how many
static int same_as(const shapes *s, int i, int *which) {
    int count = 0;
    for (int k = 0; k < s->size; k++)
        if (cabs(s->lambda[k] - s->lambda[i]) <= s->same * s->rate)
            which[count++] = k;
    return count;
}

static void repeated(shapes *s, const int *which, int times) {
    double complex lambda = 0;
    double *real;
    for (int k = 0; k < times; k++)
        lambda += s->lambda[which[k]] / times;
    if (fabs(cimag(lambda)) <= s->same * s->rate)
        lambda = creal(lambda);
    int count = null_space(s, lambda, &real), n = s->size, parts = cimag(lambda) != 0 ? 2 : 1;
    double complex *v = arena_alloc(s->arena, ((size_t)count * (size_t)n + 1) * sizeof *v);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < n; i++) {
            const double *at = real + (size_t)(k * parts * n + i);
            v[k * n + i] = parts == 2 ? at[0] + I * at[n] : at[0];
        }
    count = independent(s, v, count);
    for (int k = 0; k < count && k < times; k++)
        keep(s, which[k], v + (size_t)k * (size_t)n);
}

// ---- all of them

// of simple eigenvalues, with those of LAPACK in its own order
static void simple(shapes *s, int i, const double *re, const double *im, const double *V) {
    int n = s->size, best = 0;
    for (int k = 0; k < n; k++)
        if (cabs(re[k] + I * im[k] - s->lambda[i]) < cabs(re[best] + I * im[best] - s->lambda[i]))
            best = k;
    int real = im[best] < 0 ? best - 1 : best;
    double complex *v = arena_alloc(s->arena, (size_t)n * sizeof *v);
    for (int k = 0; k < n; k++) {
        double y = im[best] != 0 ? V[(size_t)(real + 1) * (size_t)n + (size_t)k] : 0;
        v[k] = V[(size_t)real * (size_t)n + (size_t)k] + I * (im[best] < 0 ? -y : y);
    }
    keep(s, i, v);
}

static double *scaled(const shapes *s, const double *A) {
    int n = s->size, p = s->positions;
    double *out = arena_doubles(s->arena, (size_t)n * (size_t)n + 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[i * n + j] = A[i * n + j] * (i < p && j >= p ? s->rate : i >= p && j < p ? 1 / s->rate : 1);
    return out;
}

mode *modes_find(arena *a, const double *A, int size, int positions, const double *re, const double *im,
                 double same, const double *T) {
    size_t n = (size_t)size;
    shapes s = {.arena = a,
                .size = size,
                .positions = positions,
                .same = same,
                .modes = arena_array(a, mode, size + 1)};
    s.lambda = arena_alloc(a, (n + 1) * sizeof *s.lambda);
    for (int i = 0; i < size; i++) {
        s.lambda[i] = re[i] + I * im[i];
        s.rate = fmax(s.rate, cabs(s.lambda[i]));
    }
    s.rate = s.rate > 0 ? s.rate : 1;
    s.A = scaled(&s, A);
    s.T = T ? scaled(&s, T) : NULL;
    double *K = arena_doubles(a, n * n + 1), *V = arena_doubles(a, n * n + 1), *x = arena_doubles(a, n + 1),
           *y = arena_doubles(a, n + 1);
    memcpy(K, s.A, n * n * sizeof *K);
    if (!lapack_eigenvalues(size, K, x, y, V, arena_doubles(a, lapack_scratch(size))))
        return NULL;
    int *which = arena_array(a, int, size + 1);
    for (int i = 0; i < size; i++) {
        if (s.modes[i].times)
            continue;
        int times = same_as(&s, i, which);
        for (int k = 0; k < times; k++)
            s.modes[which[k]].times = times;
        if (times == 1)
            simple(&s, i, x, y, V);
        else
            repeated(&s, which, times);
    }
    return s.modes;
}
