/* Gauss-Jordan elimination with complete pivoting on rows of unit length; the columns of the pivots are the
 * dependent components. Then, as long as a dependent component moves by more than twice what an independent
 * one does, the two change places. */
#include "study/tangent.h"

#include "linear/linalg.h"

#include <math.h>
#include <string.h>

static const double LARGEST = 2; // entry of the basis

typedef struct {
    int m, n, width; // width: n + right sides
    double *T;       // (m x width)
    int *pivot;      // (m) column, -1 before there is one
    bool *dependent; // (n)
    const bool *first;
} tableau;

static void eliminate(tableau *t, int row, int column) {
    double *from = t->T + (long)row * t->width;
    if (t->pivot[row] >= 0)
        t->dependent[t->pivot[row]] = false;
    t->pivot[row] = column;
    t->dependent[column] = true;
    linalg_scale(from, 1 / from[column], t->width);
    from[column] = 1;
    for (int i = 0; i < t->m; i++) {
        double *to = t->T + (long)i * t->width, f = to[column];
        if (i == row || f == 0)
            continue;
        linalg_add(to, -f, from, t->width);
        to[column] = 0;
    }
}

/* The largest entry in a column that is not dependent, of the rows with or without pivot; below least there
 * is none. */
static bool largest(const tableau *t, bool chosen, bool among_first, double least, int *row, int *column) {
    for (int i = 0; i < t->m; i++) {
        bool fixed = t->pivot[i] >= 0 && t->first && t->first[t->pivot[i]];
        if ((t->pivot[i] >= 0) != chosen || (chosen && fixed))
            continue;
        for (int j = 0; j < t->n; j++) {
            double size = fabs(t->T[(long)i * t->width + j]);
            if (!t->dependent[j] && (!among_first || t->first[j]) && size > least) {
                least = size;
                *row = i;
                *column = j;
            }
        }
    }
    return *row >= 0;
}

static void choose(tableau *t) {
    static const double LEAST = 1e-10; // of a preferred pivot: less is rounding
    for (int phase = t->first ? 0 : 1; phase < 2; phase++)
        for (int row, column;;) {
            row = -1;
            if (!largest(t, false, phase == 0, phase == 0 ? LEAST : 0, &row, &column))
                break;
            eliminate(t, row, column);
        }
    for (int tries = 0; tries < 4 * t->n; tries++) {
        int row = -1, column;
        if (!largest(t, true, false, LARGEST, &row, &column))
            break;
        eliminate(t, row, column);
    }
}

static void read_off(const tableau *t, tangent *out, int k) {
    int count = 0;
    for (int j = 0; j < t->n; j++)
        if (!t->dependent[j])
            out->independent[count++] = j;
    out->count = count;
    for (int c = 0; c < count; c++)
        out->basis[(long)out->independent[c] * count + c] = 1;
    for (int i = 0; i < t->m; i++) {
        const double *row = t->T + (long)i * t->width;
        if (t->pivot[i] < 0)
            continue;
        for (int c = 0; c < count; c++)
            out->basis[(long)t->pivot[i] * count + c] = -row[out->independent[c]];
        memcpy(out->offset + (long)t->pivot[i] * k, row + t->n, (size_t)k * sizeof *row);
    }
}

tangent *tangent_choose(arena *a, const double *rows, int m, int n, const bool *first, const double *right,
                        int k) {
    tangent *out = arena_alloc(a, sizeof *out);
    tableau t = {.m = m, .n = n, .width = n + k, .first = first};
    t.T = arena_doubles(a, (size_t)m * (size_t)(n + k) + 1);
    t.pivot = arena_array(a, int, m + 1);
    t.dependent = arena_array(a, bool, n + 1);
    for (int i = 0; i < m; i++) {
        double *row = t.T + (long)i * t.width, length = linalg_norm(rows + (long)i * n, n);
        memcpy(row, rows + (long)i * n, (size_t)n * sizeof *row);
        if (k > 0)
            memcpy(row + n, right + (long)i * k, (size_t)k * sizeof *row);
        linalg_scale(row, length > 0 ? 1 / length : 1, t.width);
        t.pivot[i] = -1;
    }
    choose(&t);
    *out = (tangent){.n = n, .dependent = t.dependent};
    out->independent = arena_array(a, int, n + 1);
    out->basis = arena_doubles(a, (size_t)n * (size_t)n);
    out->offset = arena_doubles(a, (size_t)n * (size_t)k + 1);
    read_off(&t, out, k);
    return out;
}
