#include "study/chart.h"

#include "linear/dependence.h"
#include "linear/linalg.h"
#include "motion/project.h"

#include <float.h>
#include <string.h>

// those rows of a level that do not depend on others (*count x n)
static double *kept_rows(arena *a, int n, double cut, const system_level *level, const double *full,
                         int *count, int *number) {
    bool *kept = arena_array(a, bool, level->m + 1);
    double *out = arena_doubles(a, (size_t)level->m * (size_t)n + 1);
    sparsity all = sparsity_full(a, level->m, n);
    dependence_rank(a, n, all, full, cut, kept);
    *count = 0;
    for (int i = 0; i < level->m; i++)
        if (kept[i]) {
            number[*count] = i;
            memcpy(out + (size_t)(*count)++ * (size_t)n, full + (size_t)i * (size_t)n,
                   (size_t)n * sizeof *out);
        }
    return out;
}

// y (m x k) = f X (m x n) Y (n x k)
static void multiply(double f, const double *X, const double *Y, int m, int n, int k, double *y) {
    memset(y, 0, (size_t)m * (size_t)k * sizeof *y);
    for (size_t i = 0; i < (size_t)m; i++)
        for (size_t j = 0; j < (size_t)n; j++)
            if (X[i * (size_t)n + j] != 0)
                linalg_add(y + i * (size_t)k, f * X[i * (size_t)n + j], Y + j * (size_t)k, k);
}

// the columns (count x of) of the rows that are moved, from column `first` on; the one that is not kept, or
// -1
static int mark_driven(const trm_system *sys, bool velocity, const int *rows, int driven, const int *number,
                       int count, double *right, int width, int first) {
    int lost = -1;
    for (int k = 0; k < driven; k++) {
        int level = velocity ? sys->rows[rows[k]].velocity : sys->rows[rows[k]].position, i = 0;
        while (i < count && number[i] != level)
            i++;
        if (i < count)
            right[(size_t)i * (size_t)width + (size_t)(first + k)] = 1;
        else
            lost = k;
    }
    return lost;
}

// right (count x width), its first columns: -psi_q X (n x columns), X by rows of the given length
static void add_moved(const slopes *s, int n, const int *number, int count, const double *X, int columns,
                      double *right, int width, int first) {
    double *y = right;
    for (int i = 0; i < count; i++, y += width)
        multiply(-1, s->psi_by_q + (size_t)number[i] * (size_t)n, X, 1, n, columns, y + first);
}

chart chart_drive(arena *a, const trm_system *sys, const trm_state *st, const slopes *s, const int *rows,
                  int driven) {
    int n = sys->n, count, *number = arena_array(a, int, sys->m + 1);
    chart c = {.n = n, .driven = driven, .lost = -1};
    double *kept = kept_rows(a, n, state_cut(st), &sys->position, s->phi_by_q, &count, number);
    double *right = arena_doubles(a, (size_t)count * (size_t)driven + 1);
    c.lost = mark_driven(sys, false, rows, driven, number, count, right, driven, 0);
    c.q = tangent_choose(a, kept, count, n, NULL, right, driven);
    kept = kept_rows(a, n, state_cut(st), &sys->velocity, s->psi_by_v, &count, number);
    int p = c.q->count, width = p + 2 * driven;
    right = arena_doubles(a, (size_t)count * (size_t)width + 1);
    add_moved(s, n, number, count, c.q->basis, p, right, width, 0);
    add_moved(s, n, number, count, c.q->offset, driven, right, width, p);
    mark_driven(sys, true, rows, driven, number, count, right, width, p + driven);
    c.v = tangent_choose(a, kept, count, n, c.q->dependent, right, width);
    return c;
}

chart chart_choose(arena *a, const trm_system *sys, const trm_state *st, const slopes *s) {
    return chart_drive(a, sys, st, s, NULL, 0);
}

void chart_deviate(const chart *c, const double *u, double *dz) {
    int n = c->n, p = c->q->count, r = c->v->count, k = c->driven, width = p + 2 * k;
    const double *w = u + p + r;
    for (int i = 0; i < n; i++) {
        const double *offset = c->v->offset + (size_t)i * (size_t)width;
        dz[i] = linalg_dot(c->q->basis + (size_t)i * (size_t)p, u, p) +
                linalg_dot(c->q->offset + (size_t)i * (size_t)k, w, k);
        dz[n + i] = linalg_dot(offset, u, p) + linalg_dot(offset + p, w, 2 * k) +
                    linalg_dot(c->v->basis + (size_t)i * (size_t)r, u + p, r);
    }
}

bool chart_beside(const chart *c, arena *a, const trm_system *sys, trm_state *st, int number, double t,
                  const double *q, const double *v, double *z) {
    static const double BESIDE = 1e-2; // in natural units
    int n = sys->n, size = chart_size(c);
    double *u = arena_doubles(a, (size_t)size + 1);
    unsigned seed = 12345u + 777u * (unsigned)number;
    for (int i = 0; i < size; i++) {
        seed = seed * 1664525u + 1013904223u;
        u[i] = BESIDE * ((double)(seed >> 8) / (1 << 23) - 1);
    }
    chart_deviate(c, u, z);
    for (int i = 0; i < n; i++) {
        z[i] = q[i] + z[i] * natural_size(sys->natural, i, false);
        z[n + i] = v[i] + z[n + i] * natural_size(sys->natural, i, true);
    }
    project_position(sys, st, t, z, DBL_EPSILON, NULL);
    project_velocity(sys, st, t, z, z + n, DBL_EPSILON);
    return linalg_finite(z, 2 * n);
}
