#include "motion/nearest.h"

#include <math.h>
#include <string.h>

enum { MOST = 400, HALVINGS = 30 };
/* A step this small, relative to the point, is the end: the distance no longer changes in double precision.
 */
static const double SMALL = 1e-12;

typedef struct {
    const nearest_problem *problem;
    const double *x0;
    double *d, *step, *trial, *last_step, *product; // (n)
} search;

static double size_of(const nearest_problem *p, const double *x) {
    double sum = 0;
    for (int i = 0; i < p->n; i++)
        sum += x[i] / p->size[i] * (x[i] / p->size[i]);
    return sqrt(sum);
}

// x' M y
static double inner(const search *s, const double *x, const double *y) {
    int n = s->problem->n;
    for (int i = 0; i < n; i++)
        s->product[i] = row_dot(s->problem->M_pattern, s->problem->M, i, y);
    return linalg_dot(x, s->product, n);
}

static double distance(const search *s, const double *x) {
    for (int i = 0; i < s->problem->n; i++)
        s->d[i] = s->x0[i] - x[i];
    return inner(s, s->d, s->d);
}

// x moved by length * step and restored into trial; true if that is nearer by a part of what the slope
// promises
static bool nearer(search *s, const double *x, double now, double length, double slope) {
    for (int i = 0; i < s->problem->n; i++)
        s->trial[i] = x[i] + length * s->step[i];
    return s->problem->restore(s->problem->context, s->trial) &&
           distance(s, s->trial) < now - 1e-4 * length * slope;
}

// after the step `moved` (its length times the direction before) the direction changed from last_step to step
static double next_length(search *s, double length) {
    int n = s->problem->n;
    double moved = length * length * inner(s, s->last_step, s->last_step);
    for (int i = 0; i < n; i++)
        s->d[i] = s->last_step[i] - s->step[i];
    double curved = length * inner(s, s->last_step, s->d);
    return curved > 0 && moved > 0 ? fmin(1e3, moved / curved) : 1;
}

void nearest_point(arena *a, const nearest_problem *p, const double *x0, double *x) {
    arena *scratch = arena_child(a);
    size_t n = (size_t)p->n;
    search s = {.problem = p, .x0 = x0};
    double **vectors[] = {&s.d, &s.step, &s.trial, &s.last_step, &s.product};
    for (int i = 0; i < 5; i++)
        *vectors[i] = arena_doubles(scratch, n);
    double length = 1;
    for (int k = 0; k < MOST; k++) {
        double now = distance(&s, x);
        if (!p->along(p->context, x, s.d, s.step) || size_of(p, s.step) <= SMALL * (1 + size_of(p, x)))
            break;
        if (k > 0)
            length = next_length(&s, length);
        double slope = inner(&s, s.step, s.step);
        int halvings = 0;
        while (!nearer(&s, x, now, length, slope) && ++halvings < HALVINGS)
            length /= 2;
        if (halvings == HALVINGS)
            break;
        memcpy(x, s.trial, n * sizeof *x);
        memcpy(s.last_step, s.step, n * sizeof *x);
    }
    arena_free(scratch);
}
