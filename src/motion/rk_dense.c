/* The dense output of the Runge-Kutta methods; rk.h has the equations. */
#include "motion/curve.h"
#include "motion/rk_inside.h"

#include "linear/lu.h"

#include <math.h>
#include <string.h>

// factors of the terms F_0, F_1, ..., from the outside in, are x, 1-x, x, ...
static bool by_x(int term) {
    return term % 2 == 0;
}

// the slope at x of the term beyond F_2 with this number, if it is 1
static double slope_of_term(int number, double x) {
    double value = 1, slope = 0;
    for (int term = 3 + number; term >= 0; term--) {
        slope = by_x(term) ? x * slope + value : (1 - x) * slope - value;
        value *= by_x(term) ? x : 1 - x;
    }
    return slope;
}

/* Changes of terms that make the slope at one place greater by 1 and leave it at the others: the inverse of
 * the slopes of the terms there. The places are such that defects of 1 change u by 0.4 at most (rk5: by
 * 0.33). Five that lie symmetrically would not do: there is a term with slope 0 at all of them. */
void rk_dense_create(integrator *self) {
    const rk_method *method = self->method;
    int m = method->terms, pivot[RK_TERMS], sign;
    double slopes[RK_TERMS * RK_TERMS], work[2 * RK_TERMS];
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++)
            slopes[i * m + k] = slope_of_term(k, method->place[i]);
    lu_factor(slopes, m, pivot, work, &sign);
    for (int i = 0; i < m; i++) {
        double terms[RK_TERMS] = {0};
        terms[i] = 1;
        lu_solve(slopes, m, pivot, terms);
        for (int k = 0; k < m; k++)
            self->correction[i][k] = terms[k];
    }
}

// F_0 .. F_2 of component i
static inline void ends(const integrator *self, int i, double *F) {
    double h = self->t - self->t0;
    F[0] = self->y[i] - self->y0[i];
    F[1] = h * self->k[0][i] - F[0];
    F[2] = F[0] - h * self->k[self->method->stages][i] - F[1];
}

// u at x from the inside out, of n components from `first` on, all of a term at once
static void nested(const integrator *self, double x, int first, int n, double *restrict u) {
    memset(u, 0, (size_t)n * sizeof *u);
    for (int term = self->method->terms + 2; term > 2; term--) {
        const double *F = self->F[term - 3] + first;
        double factor = by_x(term) ? x : 1 - x;
        for (int i = 0; i < n; i++)
            u[i] = factor * (u[i] + F[i]);
    }
    for (int i = 0; i < n; i++) {
        double F[3];
        ends(self, first + i, F);
        u[i] = self->y0[first + i] + x * (F[0] + (1 - x) * (F[1] + x * (F[2] + u[i])));
    }
}

// the same of the first n components, and u'
static void nested_slope(const integrator *self, double x, int n, double *restrict u,
                         double *restrict slope) {
    memset(u, 0, (size_t)n * sizeof *u);
    memset(slope, 0, (size_t)n * sizeof *slope);
    for (int term = self->method->terms + 2; term > 2; term--) {
        const double *F = self->F[term - 3];
        double factor = by_x(term) ? x : 1 - x, sign = by_x(term) ? 1 : -1;
        for (int i = 0; i < n; i++) {
            double sum = u[i] + F[i];
            slope[i] = factor * slope[i] + sign * sum;
            u[i] = factor * sum;
        }
    }
    for (int i = 0; i < n; i++) {
        double F[3];
        ends(self, i, F);
        double inner = F[2] + u[i], middle = F[1] + x * inner, outer = F[0] + (1 - x) * middle;
        u[i] = self->y0[i] + x * outer;
        slope[i] = x * ((1 - x) * (x * slope[i] + inner) - middle) + outer;
    }
}

// ---- preparing it, once in a step

static int find_terms(integrator *self) {
    const rk_method *m = self->method;
    rk_fetch(self);
    for (int i = m->stages + 1; i <= m->stages + m->extra; i++) {
        int status = rk_stage(self, i, self->t, self->work);
        if (status != 0)
            return status;
    }
    for (int i = 0; i < m->terms; i++) {
        rk_sum(self, &self->d[i], &self->second_d[i], self->t - self->t0, NULL, true, self->F[i]);
        if (!rk_all_finite(self, self->F[i]))
            return INTEGRATOR_NOT_FINITE;
    }
    return 0;
}

// h f - u' at place i of the step, in spare[i]
static int find_defect(integrator *self, int i) {
    double x = self->method->place[i], h = self->t - self->t0, *defect = self->spare[i];
    double *slope = self->spare[self->method->terms];
    nested_slope(self, x, self->whole, self->work, slope);
    int status = rk_evaluate(self, self->t0 + x * h, self->work, defect);
    if (status != 0)
        return status;
    for (int k = 0; k < self->whole; k++)
        defect[k] = h * defect[k] - slope[k];
    return rk_all_finite(self, defect) ? 0 : 1;
}

// the largest component of the defect at place i, divided by what the tolerance allows of it
static double size_of_defect(const integrator *self, int i) {
    double worst = 0;
    for (int k = 0; k < self->system.size; k++) {
        double part = fabs(self->spare[i][k]) / (self->floor[k] + fabs(self->y[k]));
        worst = part > worst ? part : worst;
    }
    return worst / self->tolerance;
}

/* At the last place it is seen whether the defect is worth it. Where f refuses to be looked at, the terms
 * stay as they are.
 */
static int take_defect_away(integrator *self) {
    int m = self->method->terms;
    for (int i = m - 1; i >= 0; i--) {
        int status = find_defect(self, i);
        if (status != 0)
            return status < 0 ? status : 0;
        if (i == m - 1 && size_of_defect(self, i) <= self->method->small)
            return 0;
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < self->whole; k++)
                self->F[j][k] += self->correction[i][j] * self->spare[i][k];
    return 0;
}

static int prepare(integrator *self) {
    if (self->dense)
        return 0;
    int status = find_terms(self);
    if (status == 0)
        status = take_defect_away(self);
    self->dense = status == 0;
    return status;
}

// ---- for the table of operations

// n components from `first` on
static int interpolate(integrator *self, double t, int first, int n, double *y) {
    if (t == self->t || t == self->t0) {
        memcpy(y, (t == self->t ? self->y : self->y0) + first, (size_t)n * sizeof *y);
        return 0;
    }
    if (!(self->t0 < t && t < self->t))
        return INTEGRATOR_OUTSIDE_STEP;
    int status = prepare(self);
    if (status == 0)
        nested(self, (t - self->t0) / (self->t - self->t0), first, n, y);
    return status;
}

int rk_interpolate(integrator *self, double t, double *y) {
    return interpolate(self, t, 0, self->system.size, y);
}

// ---- silent components

// the error estimate of a silent component, as rk.h has it for the state
static double silent_error(const integrator *self, int i) {
    double estimate[RK_ERRORS] = {0};
    for (int set = 0; set < self->method->errors; set++)
        for (int j = 0; j < self->e[set].count; j++)
            estimate[set] += self->e[set].weight[j] * self->k[self->e[set].stage[j]][i];
    double norm = sqrt(estimate[0] * estimate[0] + 0.01 * estimate[1] * estimate[1]);
    return norm > 0 ? (self->t - self->t0) * estimate[0] * estimate[0] / norm : 0;
}

/* Where a step is far too long for what is integrated along it, a quadrature takes its place. The estimate is
 * of lower order than the step, and the error is less by far. */
void rk_judge_silent(integrator *self) {
    static const double FAR = 100;
    double size = self->system.silent ? *self->system.silent_size : 0, worst = 0;
    if (self->system.silent)
        rk_fetch(self);
    for (int i = self->padded; i < self->padded + self->system.silent; i++) {
        worst = fmax(worst, silent_error(self, i));
        size = fmax(size, fabs(self->y[i]));
    }
    self->rough = worst > FAR * self->tolerance * size;
}

// w (silent) at t, which is not t0
static int find_finely(integrator *self, double t, double *w) {
    size_t silent = (size_t)self->system.silent;
    quadrature q = quadrature_on(self, &self->system, rk_interpolate, self->work, self->quadrature,
                                 &self->count.evaluations);
    q.doubtful = true;
    memcpy(w, self->y0 + self->padded, silent * sizeof *w);
    return quadrature_add(&q, self->t0, t, self->tolerance, w);
}

void rk_smooth_silent(integrator *self) {
    double *w = self->quadrature + QUADRATURE_WORK * self->system.silent;
    if (self->rough && find_finely(self, self->t, w) == 0)
        memcpy(self->y + self->padded, w, (size_t)self->system.silent * sizeof *w);
    self->rough = false;
}

int rk_silent(integrator *self, double t, double *w) {
    if (self->rough && self->t0 < t && t <= self->t)
        return find_finely(self, t, w);
    return interpolate(self, t, self->padded, self->system.silent, w);
}

int rk_curve(integrator *self, int *degree) {
    *degree = 3 + self->method->terms;
    return prepare(self);
}

void rk_coefficients(const integrator *self, int i, double *c) {
    int terms = 3 + self->method->terms;
    double F[3];
    ends(self, i, F);
    c[0] = 0;
    for (int term = terms - 1, degree = 0; term >= 0; term--, degree++)
        (by_x(term) ? curve_times_x : curve_times_rest)(c, degree, term < 3 ? F[term] : self->F[term - 3][i]);
    for (int k = 0; k <= terms; k++)
        c[k] += self->y0[i];
}

void rk_slope(const integrator *self, double t, double *dydt) {
    double h = self->t - self->t0;
    nested_slope(self, (t - self->t0) / h, self->system.size, self->spare[self->method->terms], dydt);
    for (int i = 0; i < self->system.size; i++)
        dydt[i] /= h;
}
