/* The engine of the Runge-Kutta methods; rk.h has the equations.
 *
 * Cost: an accepted step evaluates f s times (s - 1 stages and k_s), once more if the error estimate uses k_s
 * and there is a projection; a step rejected by the error test s - 1 times, or s if the estimate uses k_s.
 * start evaluates once, and once more to choose the first step; dense output evaluates its extra stages and
 * its defects at the first interpolation inside a step. Besides f, each stage reads every k with a weight
 * once and writes one state (rk_sums.c).
 *
 * The value of f after projection also enters the dense output, in place of f at the unprojected state:
 * projection moves the state by no more than about the local error, h times the difference of f by one power
 * of h less, so the order of the dense output stays. */
#include "motion/rk_inside.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { CACHE_LINE = 8 };

static const double SHRINK = 0.2, GROW = 6; // near those of Hairer's codes
static const double REFUSED = 0.25;         // after f > 0 or a non-finite value
static const double LONGER = 2.5;           // than the first try, a crossing may be at most
static const double ERROR_MEMORY = 0.01;    // least previous error that step control remembers

// ------------------------------------------------------------------------------------------------ kernels

// mean over components of (v / (tol (floor + max(|y0|, |y1|))))^2; the fixed order of sums vectorises
static double mean_square(const integrator *self, const double *v, const double *y0, const double *y1) {
    double sum[RK_BLOCK] = {0}, tolerance = self->tolerance;
    for (int i = 0; i < self->padded; i += RK_BLOCK)
        for (int l = 0; l < RK_BLOCK; l++) {
            double a = fabs(y0[i + l]), b = fabs(y1[i + l]);
            double ratio = v[i + l] / (tolerance * (self->floor[i + l] + (a > b ? a : b)));
            sum[l] += ratio * ratio;
        }
    return self->system.size ? rk_total(sum) / self->system.size : 0;
}

// ----------------------------------------------------------------------------------------------- creation

static rk_row nonzeros(const double *weights) {
    rk_row r = {0};
    for (int j = 0; j < RK_STAGES; j++)
        if (weights[j] != 0) {
            r.stage[r.count] = j;
            r.weight[r.count++] = weights[j];
        }
    return r;
}

static void create_rows(integrator *self) {
    const rk_method *m = self->method;
    for (int i = 0; i < RK_STAGES; i++)
        self->a[i] = nonzeros(m->a[i]);
    for (int i = 0; i < m->errors; i++)
        self->e[i] = nonzeros(m->e[i]);
    for (int i = 0; i < m->terms; i++)
        self->d[i] = nonzeros(m->d[i]);
    self->error_uses_last = m->e[0][m->stages] != 0;
}

static bool uses(const rk_method *m, const double *w, int stage, bool second) {
    return w[stage] != 0 || (second && rk_second_uses(m, w, stage));
}

// the last row of a, e and d that stage i has a weight in, rows of e and d counting as those after all stages
static int last_use(const rk_method *m, int i, bool second) {
    for (int k = 0; k < RK_ERRORS; k++)
        if (uses(m, m->e[k], i, second))
            return RK_STAGES;
    for (int k = 0; k < RK_TERMS; k++)
        if (uses(m, m->d[k], i, second))
            return RK_STAGES;
    for (int k = RK_STAGES - 1; k > i; k--)
        if (uses(m, m->a[k], i, second))
            return k;
    return i;
}

/* Which vector each stage is written to: that of one which is of no more use, if there is one. Both ends of a
 * step keep their own, and so does stage s - 1, see looks_stiff. Returns how many there are. */
static int share_vectors(const rk_method *m, bool second, int *vector) {
    int count = 0, user[RK_STAGES];
    for (int i = 0; i <= m->stages + m->extra; i++) {
        int v = 0;
        bool own = i == 0 || i == m->stages;
        while (v < count &&
               (own || user[v] == 0 || user[v] >= m->stages - 1 || last_use(m, user[v], second) > i))
            v++;
        count += v == count;
        user[v] = i;
        vector[i] = v;
    }
    return count;
}

// the middle of the widest interval without a stage
static double widest_gap(const rk_method *method) {
    double middle = 0.5, widest = 0;
    for (int i = 0; i < method->stages; i++) {
        double next = 1;
        for (int j = 0; j < method->stages; j++)
            if (method->c[j] > method->c[i])
                next = fmin(next, method->c[j]);
        if (next - method->c[i] > widest) {
            widest = next - method->c[i];
            middle = (next + method->c[i]) / 2;
        }
    }
    return middle;
}

static int padded(int size) {
    return (size + RK_WIDE - 1) / RK_WIDE * RK_WIDE;
}

integrator *rk_create(arena *a, const ode *system, double tolerance, const rk_method *method) {
    integrator *self = arena_array(a, integrator, 1);
    self->method = method;
    self->system = *system;
    self->tolerance = tolerance;
    self->gap = widest_gap(method);
    self->sums = rk_sums_here();
    create_rows(self);
    // an odd number of cache lines apart, or the stages of some sizes would compete for one set of the cache
    self->padded = padded(system->size);
    self->whole = self->padded + padded(system->silent);
    size_t lines = ((size_t)self->whole + CACHE_LINE - 1) / CACHE_LINE, stride = (lines | 1) * CACHE_LINE;
    int vector[RK_STAGES], vectors = share_vectors(method, system->accelerate != NULL, vector);
    double *at = arena_doubles(a, (size_t)(vectors + method->terms + 4) * stride);
    self->floor = at + (size_t)(vectors + method->terms + 3) * stride;
    for (int i = 0; i < self->padded; i++)
        self->floor[i] = system->floor && i < system->size ? system->floor[i] : 1;
    self->unit = system->unit > 0 ? system->unit : 1;
    self->y0 = at;
    self->y = at + stride;
    self->work = at + 2 * stride;
    for (int i = 0; i <= method->stages + method->extra; i++)
        self->k[i] = at + (size_t)(3 + vector[i]) * stride;
    for (int i = 0; i < method->terms; i++)
        self->F[i] = at + (size_t)(3 + vectors + i) * stride;
    for (int i = 0, v = 0; i <= method->terms; v++)
        if (v != vector[0] && v != vector[method->stages])
            self->spare[i++] = at + (size_t)(3 + v) * stride;
    self->quadrature = arena_doubles(a, (QUADRATURE_WORK + 1) * (size_t)system->silent);
    rk_dense_create(self);
    if (system->accelerate)
        rk_second_create(a, self);
    return self;
}

// ---------------------------------------------------------------------------------------------- one step

static void swap(double **a, double **b) {
    double *c = *a;
    *a = *b;
    *b = c;
}

// the end of the last step becomes the beginning of the next, or back again
static void turn(integrator *self) {
    swap(&self->y0, &self->y);
    swap(&self->k[0], &self->k[self->method->stages]);
    self->t0 = self->t;
    self->dense = false;
}

static int give_up(integrator *self, int status) {
    turn(self);
    return status;
}

// stages 1 to s - 1; not of accelerations alone, they are rk_stage without what is the same for all
static int try_inner_stages(integrator *self, double t1) {
    int s = self->method->stages, status = 0, padded = self->padded;
    const double *c = self->method->c;
    double t0 = self->t0, h = t1 - t0, *y = self->work;
    for (int i = 1; i < s && status == 0; i++) {
        if (self->second) {
            status = rk_stage(self, i, t1, y);
            continue;
        }
        if (padded > 0)
            self->sums->combine(self, &self->a[i], h, self->y0, 0, padded, y);
        status = rk_evaluate(self, c[i] == 1 ? t1 : t0 + c[i] * h, y, self->k[i]);
    }
    return status;
}

static int try_stages(integrator *self, double t1) {
    int s = self->method->stages, status = try_inner_stages(self, t1);
    if (status != 0)
        return status;
    if (self->error_uses_last)
        return rk_stage(self, s, t1, self->y);
    rk_sum(self, &self->a[s], &self->second_a[s], t1 - self->t0, self->y0, true, self->y);
    return 0;
}

/* k_1 .. k_(s-1) and y1, not yet projected; k_s if the error estimate needs it. By accelerations, where the
 * system has them and q' is v at all stages. */
static int stages(integrator *self, double t1) {
    self->fetch = NULL;
    self->step = t1 - self->t0;
    self->second = self->system.accelerate != NULL;
    int status = try_stages(self, t1);
    if (status != INTEGRATOR_NOT_SECOND)
        return status;
    self->second = false;
    return try_stages(self, t1);
}

double rk_error_norm(const double *square, double h) {
    double norm = square[0] == 0 ? 0 : h * square[0] / sqrt(square[0] + 0.01 * square[1]);
    return isfinite(norm) ? norm : NAN;
}

// what projection leaves of the error estimates; -1 if that cannot be told
static double tangent_error(integrator *self, double t1) {
    double square[RK_ERRORS] = {0};
    for (int i = 0; i < self->method->errors; i++) {
        rk_sum(self, &self->e[i], &self->second_e[i], 1, NULL, false, self->F[i]);
        if (self->system.tangent(self->system.context, t1, self->y, self->F[i]) != 0)
            return -1;
        square[i] = mean_square(self, self->F[i], self->y0, self->y);
    }
    return rk_error_norm(square, t1 - self->t0);
}

/* The error of a step to t1. If it is too large, the part that projection takes away is left out: where rows
 * of A come near to dependence that is nearly all of it. */
static double step_error(integrator *self, double t1) {
    double square[RK_ERRORS] = {0};
    rk_fetch(self);
    bool finite = self->second ? rk_second_errors(self, square) : self->sums->errors(self, square);
    double error = finite ? rk_error_norm(square, t1 - self->t0) : NAN;
    if (!(error > 1) || self->system.tangent == NULL)
        return error;
    double rest = tangent_error(self, t1);
    return rest < 0 ? error : fmin(error, rest);
}

// y1 projected and k_s there
static int settle(integrator *self, double t1) {
    int (*project)(void *, double, double *) = self->system.project;
    int status = project ? project(self->system.context, t1, self->y) : 0;
    if (status == 0 && (project || !self->error_uses_last))
        status = rk_evaluate(self, t1, self->y, self->k[self->method->stages]);
    return status;
}

static bool settled_finite(const integrator *self) {
    return rk_all_finite(self, self->y) && rk_all_finite(self, self->k[self->method->stages]);
}

// how a try went that came to this where it was settled
static int end_settled(integrator *self, int status) {
    if (status > 0)
        self->trying.error = INFINITY;
    else if (status == 0 && !settled_finite(self))
        self->trying.error = NAN;
    return status < 0 ? status : 0;
}

int rk_end_passed(integrator *self) {
    return end_settled(self, settle(self, self->trying.t1));
}

int rk_end_attempt(integrator *self, int status) {
    rk_try *k = &self->trying;
    if (status != 0)
        return end_settled(self, status);
    k->error = step_error(self, k->t1);
    return k->error <= 1 ? rk_end_passed(self) : 0;
}

int rk_end_projected(integrator *self) {
    return end_settled(self, rk_evaluate(self, self->trying.t1, self->y, self->k[self->method->stages]));
}

int rk_attempt(integrator *self) {
    return rk_end_attempt(self, stages(self, self->trying.t1));
}

/* Whether the step is as long as stability allows: h |f(y1) - f(y')| / |y1 - y'| estimates h |eigenvalue|,
 * with y' the state of stage s - 1, which is at t1, too (Hairer, Wanner, Solving ODEs II, IV.2). A difference
 * that is mere rounding says nothing. */
static bool looks_stiff(const integrator *self, double h) {
    int s = self->method->stages;
    const double *k = self->k[s], *last = self->k[s - 1];
    int half = self->second ? self->system.size / 2 : 0; // slopes that are not kept are velocities
    double slopes = 0, states = 0, size = 0;
    for (int i = 0; i < self->system.size; i++) {
        double scale = 1 / (self->floor[i] + fabs(self->y[i]));
        double df = (k[i] - (i < half ? self->work[half + i] : last[i])) * scale,
               dy = (self->y[i] - self->work[i]) * scale;
        slopes += df * df;
        states += dy * dy;
        size += 1e-26; // (1000 ulp)^2
    }
    double limit = self->method->stability;
    return states > size && h * h * slopes > limit * limit * states;
}

static void accept(integrator *self, double t1) {
    integrator_statistics *count = &self->count;
    count->stiff += looks_stiff(self, t1 - self->t0);
    count->last_step = t1 - self->t0;
    if (count->steps == 0 || count->last_step < count->smallest_step)
        count->smallest_step = count->last_step;
    count->steps++;
    self->t = t1;
    rk_judge_silent(self);
}

// --------------------------------------------------------------------------------------- step-size control

/* The step below which integration ends. Times closer than 16 ulp are hardly different; the part with span is
 * for t near 0. */
static double least_step(const integrator *self) {
    return fmax(16 * DBL_EPSILON * fabs(self->t), 1e-16 * self->span);
}

// where a step of about h ends: exactly at end, or leaving as much as it takes, or far from end
static double landing(const integrator *self, double h) {
    double rest = self->end - self->t;
    if (rest <= 1.01 * h)
        return self->end;
    return self->t + (rest < 2 * h ? 0.5 * rest : h);
}

/* h' = s h error^(-1/q) brings the error to the tolerance if it stays what it was; where it has been
 * growing from step to step, Gustafsson's predictive PI controller assumes that it goes on growing (ACM TOMS
 * 20 (1994) 496; Hairer, Wanner, Solving ODEs II, IV.8):
 *
 *     h' = s h error^(-1/q) (h / previous h) (previous error / error)^(1/q)
 *
 * and the smaller of both is taken. With s = 0.8 this rejects 7 of 345 steps on a Kepler ellipse, e = 0.6,
 * tolerance 1e-9, the first formula alone 40 of 361; with s = 0.9 it is 42 of 351 and 122 of 427. */
static double next_step(integrator *self, double h, double error, bool was_rejected) {
    double q = self->method->order, log_error = log(fmax(error, DBL_MIN));
    double factor = self->method->safety * exp(-log_error / q);
    if (self->last_h > 0)
        factor *= fmin(1, h / self->last_h * exp((self->last_log_error - log_error) / q));
    self->last_h = h;
    self->last_log_error = fmax(log_error, log(ERROR_MEMORY));
    return h * fmin(was_rejected ? 1 : GROW, fmax(SHRINK, factor));
}

static double shorter_step(const integrator *self, double h, double error) {
    if (!isfinite(error))
        return REFUSED * h;
    return h * fmax(SHRINK, self->method->safety * pow(error, -1.0 / self->method->order));
}

/* After a failed step h from t0: what to try next. A singular instant near ahead is crossed in the middle of
 * the widest gap between stages, also with a longer step than the one that failed first; if that was tried or
 * is too long, a step goes half way to it, and the crossing becomes shorter. */
static double retry(integrator *self, double h, double first, double error, bool *crossed) {
    const ode *system = &self->system;
    double ahead =
        system->singular ? system->singular(system->context, self->t0, self->y0, self->k[0], 2 * first) : -1;
    if (ahead > 0 && !*crossed && ahead / self->gap <= LONGER * first) {
        *crossed = true;
        return ahead / self->gap;
    }
    if (ahead > 0 && ahead / 2 < 0.9 * h) // clearly shorter: t0 + h is rounded, and must not give h again
        return ahead / 2;
    return shorter_step(self, h, error);
}

bool rk_plan(integrator *self, int *status) {
    double h = self->next;
    rk_try *k = &self->trying;
    *k = (rk_try){.first = h, .least = least_step(self)};
    *status = 0;
    if (!(self->t < self->end))
        return false;
    rk_smooth_silent(self);
    turn(self);
    if (h < k->least && h < self->end - self->t) {
        *status = give_up(self, INTEGRATOR_STEP_TOO_SMALL);
        return false;
    }
    k->t1 = landing(self, h);
    return true;
}

bool rk_judge(integrator *self, int *status) {
    rk_try *k = &self->trying;
    double h = k->t1 - self->t0;
    if (*status < 0) {
        give_up(self, *status);
        return false;
    }
    if (k->error <= 1) {
        self->next = next_step(self, h, k->error, k->was_rejected);
        accept(self, k->t1);
        return false;
    }
    self->count.rejected++;
    k->was_rejected = true;
    h = retry(self, h, k->first, k->error, &k->crossed);
    if (h < k->least) {
        *status = give_up(self, isnan(k->error) ? INTEGRATOR_NOT_FINITE : INTEGRATOR_STEP_TOO_SMALL);
        return false;
    }
    k->t1 = landing(self, h);
    return true;
}

int rk_step(integrator *self) {
    int status;
    for (bool tries = rk_plan(self, &status); tries; tries = rk_judge(self, &status))
        status = rk_attempt(self);
    return status;
}

int rk_fixed_step(integrator *self, double h) {
    double t1 = self->t + h;
    turn(self);
    int status = stages(self, t1);
    if (status == 0)
        status = settle(self, t1);
    if (status == 0 && !settled_finite(self))
        status = INTEGRATOR_NOT_FINITE;
    if (status != 0)
        return give_up(self, status);
    accept(self, t1);
    return 0;
}

// ------------------------------------------------------------------------------------------------- start

/* The first step (HNW I, II.4), in the system's unit of time: an Euler step so short that y hardly changes
 * tells the second derivative, and h is such that h^q max(|y'|, |y''|) is small. Where y or y' is 0 nothing
 * tells how short: a millionth of the span. */
static int first_step(integrator *self, double *step) {
    const double *f = self->k[self->method->stages], *y = self->y;
    double *change = self->k[1];
    double unit = self->unit, size = sqrt(mean_square(self, y, y, y));
    double slope = unit * sqrt(mean_square(self, f, y, y));
    double h = size < 1e-5 || slope < 1e-5 ? 1e-6 * self->span : 0.01 * unit * size / slope;
    h = fmin(h, self->span);
    for (int i = 0; i < self->padded; i++)
        self->work[i] = y[i] + h * f[i];
    int status = rk_evaluate(self, fmin(self->t + h, self->end), self->work, change);
    *step = h;
    if (status != 0 || !rk_all_finite(self, change))
        return status < 0 ? status : 0;
    for (int i = 0; i < self->padded; i++)
        change[i] -= f[i];
    double steepest = fmax(slope, unit * unit * sqrt(mean_square(self, change, y, y)) / h);
    *step = fmin(100 * h, unit * pow(0.01 / fmax(steepest, 1e-15), 1.0 / self->method->order));
    return 0;
}

int rk_start(integrator *self, double t, const double *y, double end, double step) {
    memmove(self->y, y, (size_t)self->system.size * sizeof *y); // y may be our own state
    memset(self->y + self->padded, 0, (size_t)self->system.silent * sizeof *y);
    self->t0 = self->t = t;
    self->end = end;
    self->span = end - t;
    self->last_h = 0;
    self->dense = false;
    self->rough = false;
    int status = rk_evaluate(self, t, self->y, self->k[self->method->stages]);
    if (status != 0)
        return status;
    if (!settled_finite(self))
        return INTEGRATOR_NOT_FINITE;
    if (!(step > 0))
        status = first_step(self, &step);
    self->next = fmax(least_step(self), fmin(step, self->span));
    return status;
}

// ------------------------------------------------------------------------------------------------ queries

double rk_time(const integrator *self) {
    return self->t;
}

const double *rk_state(const integrator *self) {
    return self->y;
}

integrator_statistics rk_statistics(const integrator *self) {
    return self->count;
}
