/* What the files of the Runge-Kutta methods share: rk.c has the steps, rk_dense.c the dense output. */
#ifndef TRAMMEL_MOTION_RK_INSIDE_H
#define TRAMMEL_MOTION_RK_INSIDE_H

#include "motion/quadrature.h"
#include "motion/rk.h"

/* Components that are added up side by side; vectors are padded to a multiple of RK_WIDE with zeros, which is
 * what rk_sums.c has in one pass. */
enum { RK_BLOCK = 4, RK_WIDE = 8 };

typedef struct { // nonzero weights of a row of the method's table
    int count, stage[RK_STAGES];
    double weight[RK_STAGES];
} rk_row;

typedef struct { // the same in rk_second.c: sums over accelerations, and of v at both ends of the step
    int count, stage[RK_STAGES];
    double weight[RK_STAGES], of_q[RK_STAGES];
    double start, end;
} rk_second_row;

/* For this processor: out = y + h sum_j weight_j k_j, or without y if that is NULL, at from .. to - 1,
 * multiples of RK_WIDE; the mean squares of all error estimates, without writing these down, false if y1 is
 * not finite. */
typedef struct {
    void (*combine)(const integrator *self, const rk_row *r, double h, const double *y, int from, int to,
                    double *out);
    bool (*errors)(const integrator *self, double *square);
} rk_sums;

const rk_sums *rk_sums_here(void);

/* A step that is being tried. */
typedef struct {
    double t1, error; // where it ends; how the last try went
    double first;     // step that was tried first
    double least;     // below which integration ends
    bool was_rejected, crossed;
} rk_try;

struct integrator {
    const rk_method *method;
    ode system;
    double tolerance, unit;
    bool error_uses_last; // the error estimate needs k_s
    int padded;           // size rounded up to RK_WIDE
    int whole;            // the same with the silent components, which begin at padded
    rk_row a[RK_STAGES], e[RK_ERRORS], d[RK_TERMS];
    bool second; // the stages of the last step have accelerations only
    rk_second_row second_a[RK_STAGES], second_e[RK_ERRORS], second_d[RK_TERMS];
    double step; // at hand
    const rk_sums *sums;
    const struct rk_loops *loops; // of rk_second.c, for this processor
    double *second_sums;          // (parts x (RK_ERRORS + 1)) of the errors

    double t0, t, end, span;       // of the last step; t0 = t if there is none; span = end - t in start
    double next;                   // step to try next
    rk_try trying;                 // the step at hand
    double last_h, last_log_error; // of the last accepted step for step control; last_h = 0 if there is none
    /* The slopes of the stages between both ends of the step stand elsewhere until this is called, by those
     * who want them; NULL: they are here. */
    void (*fetch)(void *context, integrator *self);
    void *fetched_from;
    bool dense; // the terms F are those of the last step
    bool rough; // the silent components are less accurate than the state in the last step
    double gap; // middle of the widest gap between stages, as a part of the step
    integrator_statistics count;

    double *floor; // of the system; 1 beyond its size
    // all vectors (whole)
    double *y0, *y;                        // at t0, t
    double *k[RK_STAGES];                  // stages
    double *F[RK_TERMS];                   // of the dense output, or error estimates
    double *work;                          // state of a stage
    double *spare[RK_TERMS + 1];           // vectors of stages that are of no more use after a step
    double *quadrature;                    // (several silent) workspace
    double correction[RK_TERMS][RK_TERMS]; // of each term, by the defect at each place
};

/* rk_step in pieces. Both return whether there is a step to be tried, to trying.t1; else *status is what
 * rk_step returns. rk_judge comes after an attempt, with what that returned in *status. */
bool rk_plan(integrator *self, int *status);
bool rk_judge(integrator *self, int *status);
/* A whole step to trying.t1. Returns < 0 to end; else trying.error says how it went: up to 1 accepted and
 * settled, more than 1 rejected, infinite where f or project refused, NaN if something was not finite. */
int rk_attempt(integrator *self);
/* The same from the state behind the stages on, which returned this. */
int rk_end_attempt(integrator *self, int status);
/* And where trying.error is known and at most 1; where the state is projected, too. */
int rk_end_passed(integrator *self);
int rk_end_projected(integrator *self);
/* Of a step h with these mean squares of the error estimates; NaN if it is not finite. */
double rk_error_norm(const double *square, double h);

/* rk_second.c: tables and memory; the same sums of all components; mean squares of the error estimates, false
 * if y1 is not finite; whether a row of weights takes a stage's acceleration. */
void rk_second_create(arena *a, integrator *self);
void rk_second_combine(const integrator *self, const rk_second_row *r, double scale, const double *y,
                       double *out);
bool rk_second_errors(const integrator *self, double *square);
bool rk_second_uses(const rk_method *m, const double *w, int stage);

// of all components, and of the silent ones, too
static inline void rk_sum(const integrator *self, const rk_row *r, const rk_second_row *second, double h,
                          const double *y, bool silent, double *out) {
    if (self->second)
        rk_second_combine(self, second, h, y, out);
    int from = self->second ? self->padded : 0, to = silent ? self->whole : self->padded;
    if (from < to)
        self->sums->combine(self, r, h, y, from, to, out);
}

static inline void rk_fetch(integrator *self) {
    if (self->fetch)
        self->fetch(self->fetched_from, self);
    self->fetch = NULL;
}

static inline double rk_total(const double *sum) {
    double all = 0;
    for (int l = 0; l < RK_BLOCK; l++)
        all += sum[l];
    return all;
}

static inline bool rk_all_finite(const integrator *self, const double *v) {
    double sum[RK_BLOCK] = {0}; // 0 * v is 0 or, for infinity and NaN, NaN
    for (int i = 0; i < self->padded; i += RK_BLOCK)
        for (int l = 0; l < RK_BLOCK; l++)
            sum[l] += 0 * v[i + l];
    return rk_total(sum) == 0;
}

static inline int rk_evaluate(integrator *self, double t, const double *y, double *k) {
    const ode *system = &self->system;
    self->count.evaluations++;
    int status = system->f(system->context, t, y, k);
    if (status == 0 && system->silent)
        system->rates(system->context, k + self->padded);
    return status;
}

// the same for a stage whose slopes of q are not needed
static inline int rk_accelerate(integrator *self, double t, const double *y, double *k) {
    const ode *system = &self->system;
    self->count.evaluations++;
    int status = system->accelerate(system->context, t, y, k + system->size / 2);
    if (status == 0 && system->silent)
        system->rates(system->context, k + self->padded);
    return status;
}

// the state of stage i into y, and f there into k_i; stages at t1 get exactly that time, not t0 + (t1 - t0)
static inline int rk_stage(integrator *self, int i, double t1, double *y) {
    double h = t1 - self->t0, c = self->method->c[i], t = c == 1 ? t1 : self->t0 + c * h;
    int s = self->method->stages; // on silent components nothing depends
    rk_sum(self, &self->a[i], &self->second_a[i], h, self->y0, i == s, y);
    return self->second && i < s ? rk_accelerate(self, t, y, self->k[i])
                                 : rk_evaluate(self, t, y, self->k[i]);
}

/* After a step: whether its silent components are less accurate than its state. If so, they are found anew
 * where they are asked for, and before the next step. */
void rk_judge_silent(integrator *self);
void rk_smooth_silent(integrator *self);

/* Once, when the integrator is created: the corrections of the dense output. */
void rk_dense_create(integrator *self);

#endif
