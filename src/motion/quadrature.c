#include "motion/quadrature.h"

#include <math.h>
#include <string.h>

quadrature quadrature_on(integrator *it, const ode *system,
                         int (*interpolate)(integrator *, double, double *), double *y, double *work,
                         long *evaluations) {
    double *sum = work + 3 * system->silent;
    return (quadrature){.it = it,
                        .system = system,
                        .interpolate = interpolate,
                        .y = y,
                        .rates = work,
                        .sum = sum,
                        .other = sum + system->silent,
                        .evaluations = evaluations};
}

static double largest(const double *w, int count) {
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(w[i]));
    return most;
}

static double largest_difference(const double *a, const double *b, int count) {
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

// w += weight times the rates at t
static int add_rates(const quadrature *q, double t, double weight, double *rates, double *w) {
    int status = q->interpolate(q->it, t, q->y);
    if (status == 0)
        status = q->system->rates_at(q->system->context, t, q->y, rates);
    if (status != 0)
        return status;
    ++*q->evaluations;
    for (int i = 0; i < q->system->silent; i++)
        w[i] += weight * rates[i];
    return 0;
}

// Gauss's rule with three places, of order 6
static int add_gauss(const quadrature *q, double from, double to, double *w) {
    static const double place[] = {0.1127016653792583, 0.5, 0.8872983346207417};
    static const double weight[] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    double h = to - from;
    int status = 0;
    for (int k = 0; k < 3 && status == 0; k++)
        status = add_rates(q, from + place[k] * h, weight[k] * h, q->rates + k * q->system->silent, w);
    return status;
}

static int in_parts(const quadrature *q, double from, double to, int parts, double *w) {
    int status = 0;
    memset(w, 0, (size_t)q->system->silent * sizeof *w);
    for (int k = 0; k < parts && status == 0; k++)
        status = add_gauss(q, from + k * (to - from) / parts, from + (k + 1) * (to - from) / parts, w);
    return status;
}

/* Whether the error of one rule over h is small enough. For what changes at the rate w it is (h w)^6/2016000,
 * and rates differ between places by about 0.4 h w: d^6/8000 from these differences d. */
static bool is_enough(const quadrature *q, double h, double allowed) {
    int count = q->system->silent;
    const double *r = q->rates;
    double size = h * largest(r, 3 * count);
    double off = h * fmax(largest_difference(r, r + count, count),
                          largest_difference(r + 2 * count, r + count, count));
    return size == 0 || pow(off / size, 6) / 8000 * size <= allowed;
}

int quadrature_add(const quadrature *q, double from, double to, double tolerance, double *w) {
    enum { PARTS_MOST = 64 };
    int count = q->system->silent, status = in_parts(q, from, to, 1, q->sum);
    double size = fmax(*q->system->silent_size, fmax(largest(q->sum, count), largest(w, count)));
    bool enough = !q->doubtful && is_enough(q, to - from, tolerance * size);
    for (int parts = 2; parts <= PARTS_MOST && status == 0 && !enough; parts *= 2) {
        status = in_parts(q, from, to, parts, q->other);
        enough = largest_difference(q->sum, q->other, count) <= tolerance * size;
        memcpy(q->sum, q->other, (size_t)count * sizeof *w);
    }
    for (int i = 0; i < count; i++)
        w[i] += q->sum[i];
    return status;
}
