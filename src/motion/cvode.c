/* SUNDIALS' CVODE: variable-order linear multistep methods, BDF for stiff systems and Adams. The only file
 * that uses SUNDIALS; sundials.h says how it is reached.
 *
 * BDF, orders 1 to 5: Newton's method on y - gamma f(t, y) = given, with ode.jacobian or ode.newton_* where
 * there is one; where that is only near, by GMRES with it and with differences of f (Brown, Hindmarsh, SIAM
 * J. Numer. Anal. 23 (1986) 610). CVODE projects each step (Eich, SIAM J. Numer. Anal. 30 (1993) 1467): the
 * projected state enters the history, and the error estimate loses what projection takes away where
 * ode.tangent says so.
 *
 * Adams, orders 1 to 12: fixed-point iteration. CVODE has no projection for it: each step's result is
 * projected here, and the method starts again from there where projection moved the state by more than a few
 * error tests allow; a lesser move is left out of the history.
 *
 * A step that would end near a singular instant, or fails again and again, is left to rk8, and the method
 * starts anew behind it: after one short step in such a place CVODE takes ever more of them.
 *
 * Hindmarsh et al., ACM TOMS 31 (2005) 363; Cohen, Hindmarsh: CVODE, Computers in Physics 10 (1996) 138. */
#include "linear/gmres.h"
#include "linear/linalg.h"
#include "motion/curve.h"
#include "motion/quadrature.h"
#include "motion/sundials.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ------------------------------------------------------------------------------------------ the integrator

/* Refused steps in a row before rk8 takes one. */
enum { TRIES = 7 };
/* Adams starts again where projection moved the state by this many error tests: drift is a sum over steps,
 * and a start costs some 20. Steps and error of a pendulum over 10 s at tolerance 1e-8, 1e-10, 1e-12:
 *
 *     0.1     552769 1.1e-2   5503426 1.1e-3   55192554 1.1e-4   (at nearly every step)
 *     1         1248 8.8e-7      2429 2.8e-8       4450 4.1e-11
 *     10         687 2.9e-6      1403 1.9e-8       1580 2.4e-10
 *     never      667 2.5e-6      1006 7.0e-8       1545 1.5e-9
 *
 * bdf takes 1336, 2609, 5686 steps there, rk8 120, 206, 360. */
static const double MOVED = 10;
static const double FORGETS = 0.98; // what stays of the longest step with each further one
static const double LEFT = 1e-3;    // of the right-hand side, by GMRES
static const double REFUSED = 0.25; // a step that Adams' projection refuses is tried again with this part

struct integrator {
    sundials lib;
    ode system;
    double tolerance;
    bool adams;
    sun_context *context;
    void *memory;             // CVODE's
    sun_vector *vector;       // around `work`
    sun_vector *least_errors; // around `absolute`
    double *absolute;         // (size) tolerance times floor
    sun_matrix *matrix;
    sun_linear *linear;
    sun_nonlinear *nonlinear;

    double t0, t, end, least; // of the last step; least: step below which integration ends
    double *y0, *y;           // (size) at t0, t
    double *work, *change;    // (size)
    double *w0, *w, *rates;   // (silent) at t0, t; workspace (QUADRATURE_WORK x silent)
    double *curve; // (CURVE_POINTS x size) CVODE's polynomial over the last step, in Bernstein's form
    int degree;    // of that; -1: not found yet
    double *J;     // (size x size), if there is an ode.jacobian
    double gamma;  // of the last call for Newton's matrix, if there is an ode.newton_at
    gmres *gmres;  // if that is only near, with
    double at;     // time, state, f there and sizes (size each) of that call
    double *at_y, *at_f, *sizes;
    bool restart;       // the next step begins without history
    double first;       // its size, 0: CVODE chooses
    double usual;       // the longest step of late
    double met;         // how far ahead is a singular instant at which a step would have ended; 0: none
    bool crossed;       // the last step was rk8's
    integrator *across; // rk8's own object, never looked into here
    int ended;          // < 0: why the integration ended
    bool not_finite;    // the last value of f
    integrator_statistics count;
    long rejected; // before the last restart
};

static bool all_finite(const double *v, int size) {
    double sum = 0;
    for (int i = 0; i < size; i++)
        sum += 0 * v[i]; // NaN if any is not finite
    return sum == 0;
}

// ---- what CVODE calls

// > 0 lets it try again with a shorter step
static int answer(integrator *self, int status) {
    if (status < 0)
        self->ended = status;
    return status;
}

static int evaluate(double t, sun_vector *y, sun_vector *dydt, void *context) {
    integrator *self = context;
    double *f = self->lib.N_VGetArrayPointer(dydt);
    self->count.evaluations++;
    self->not_finite = false;
    int status = self->system.f(self->system.context, t, self->lib.N_VGetArrayPointer(y), f);
    if (status != 0)
        return answer(self, status);
    self->not_finite = !all_finite(f, self->system.size);
    return self->not_finite;
}

static int jacobian(double t, sun_vector *y, sun_vector *dydt, sun_matrix *J, void *context, sun_vector *a,
                    sun_vector *b, sun_vector *c) {
    (void)dydt, (void)a, (void)b, (void)c;
    integrator *self = context;
    int size = self->system.size;
    double *to = self->lib.SUNDenseMatrix_Data(J);
    self->count.jacobians++;
    int status = self->system.jacobian(self->system.context, t, self->lib.N_VGetArrayPointer(y), self->J);
    if (status != 0)
        return answer(self, status);
    for (int j = 0; j < size; j++)
        for (int i = 0; i < size; i++)
            *to++ = self->J[(size_t)i * (size_t)size + (size_t)j];
    return !all_finite(self->J, size * size);
}

// ---- a matrix that only ode.newton_* knows

static void remember_place(integrator *self, double t, const double *y, const double *f) {
    size_t bytes = (size_t)self->system.size * sizeof *y;
    self->at = t;
    memcpy(self->at_y, y, bytes);
    memcpy(self->at_f, f, bytes);
    for (int i = 0; i < self->system.size; i++)
        self->sizes[i] = fabs(y[i]) + self->absolute[i] / self->tolerance;
}

/* (I - gamma J) x by a difference of f, over a way that is this part of y in the mean. */
static bool newton_times(void *context, const double *x, double *out) {
    static const double WAY = 1e-7;
    integrator *self = context;
    int size = self->system.size;
    double length = 0, *y = self->change;
    for (int i = 0; i < size; i++)
        length += x[i] / self->sizes[i] * (x[i] / self->sizes[i]);
    double way = length > 0 ? WAY / sqrt(length / size) : 0;
    for (int i = 0; i < size; i++)
        y[i] = self->at_y[i] + way * x[i];
    self->count.evaluations++;
    if (answer(self, self->system.f(self->system.context, self->at, y, out)) != 0)
        return false;
    for (int i = 0; i < size; i++)
        out[i] = way > 0 ? x[i] - self->gamma * (out[i] - self->at_f[i]) / way : 0;
    return true;
}

static void newton_nearly(void *context, double *x) {
    integrator *self = context;
    self->system.newton_solve(self->system.context, x);
}

static int newton_system(double t, sun_vector *y, sun_vector *dydt, sun_matrix *M, int keep, int *renewed,
                         double gamma, void *context, sun_vector *a, sun_vector *b, sun_vector *c) {
    (void)M, (void)a, (void)b, (void)c;
    integrator *self = context;
    const ode *system = &self->system;
    self->gamma = gamma;
    *renewed = !keep;
    if (keep)
        return 0;
    self->count.jacobians++;
    if (self->gmres)
        remember_place(self, t, self->lib.N_VGetArrayPointer(y), self->lib.N_VGetArrayPointer(dydt));
    return answer(self, system->newton_at(system->context, t, self->lib.N_VGetArrayPointer(y)));
}

static int newton_type(sun_linear *linear) {
    (void)linear;
    return 0; // direct
}

static int newton_setup(sun_linear *linear, sun_matrix *M) {
    (void)M;
    integrator *self = linear->content;
    return !self->system.newton_factor(self->system.context, self->gamma);
}

static int newton_solve(sun_linear *linear, sun_matrix *M, sun_vector *x, sun_vector *b, double tolerance) {
    (void)M, (void)tolerance;
    integrator *self = linear->content;
    double *to = self->lib.N_VGetArrayPointer(x);
    memmove(to, self->lib.N_VGetArrayPointer(b), (size_t)self->system.size * sizeof *to);
    if (self->gmres == NULL)
        newton_nearly(self, to);
    else if (!gmres_solve(self->gmres, &(gmres_problem){newton_times, newton_nearly, self->sizes, self}, LEFT,
                          to))
        return self->ended < 0 ? self->ended : 1;
    return !all_finite(to, self->system.size);
}

static bool meets_singular(integrator *self, double t) {
    const ode *system = &self->system;
    bool met = system->may_end && !system->may_end(system->context);
    if (met)
        self->met = t - self->t;
    return met;
}

// CVODE adds correction to y, and takes error for the one of the projected state
static int project(double t, sun_vector *y, sun_vector *correction, double epsilon, sun_vector *error,
                   void *context) {
    (void)epsilon;
    integrator *self = context;
    const ode *system = &self->system;
    size_t bytes = (size_t)system->size * sizeof(double);
    const double *from = self->lib.N_VGetArrayPointer(y);
    double *to = self->lib.N_VGetArrayPointer(correction);
    if (meets_singular(self, t))
        return -1;
    double gamma = 0;
    if (system->implicit && self->lib.CVodeGetCurrentGamma(self->memory, &gamma) == 0)
        system->implicit(system->context, gamma);
    memcpy(to, from, bytes);
    int status = system->project(system->context, t, to);
    if (status != 0)
        return answer(self, status);
    for (int i = 0; i < system->size; i++)
        to[i] -= from[i];
    if (error && system->tangent) {
        double *e = self->lib.N_VGetArrayPointer(error);
        memcpy(self->change, e, bytes);
        if (system->tangent(system->context, t, from, self->change) == 0)
            memcpy(e, self->change, bytes);
    }
    return !all_finite(to, system->size);
}

static void say_nothing(int code, const char *module, const char *where, char *message, void *context) {
    (void)code, (void)module, (void)where, (void)message, (void)context;
}

// ---- creation

static void release(void *object) {
    integrator *self = object;
    const sundials *lib = &self->lib;
    lib->CVodeFree(&self->memory);
    if (self->linear && self->system.newton_at)
        self->linear->content = NULL; // it would be freed
    if (self->linear)
        lib->SUNLinSolFree(self->linear);
    if (self->nonlinear)
        lib->SUNNonlinSolFree(self->nonlinear);
    if (self->matrix)
        lib->SUNMatDestroy(self->matrix);
    if (self->vector)
        lib->N_VDestroy(self->vector);
    if (self->least_errors)
        lib->N_VDestroy(self->least_errors);
    lib->SUNContext_Free(&self->context);
}

// true if CVODE has all it needs; else there was no memory
static bool set_up(integrator *self) {
    const sundials *lib = &self->lib;
    bool bad = lib->SUNContext_Create(NULL, &self->context) != 0;
    self->vector = bad ? NULL : lib->N_VMake_Serial(self->system.size, self->work, self->context);
    self->least_errors = bad ? NULL : lib->N_VMake_Serial(self->system.size, self->absolute, self->context);
    self->memory = self->vector && self->least_errors
                       ? lib->CVodeCreate(self->adams ? SUN_ADAMS : SUN_BDF, self->context)
                       : NULL;
    if (self->memory == NULL)
        return false;
    bad |= lib->CVodeSetErrHandlerFn(self->memory, say_nothing, NULL) != 0;
    bad |= lib->CVodeInit(self->memory, evaluate, 0, self->vector) != 0;
    bad |= lib->CVodeSVtolerances(self->memory, self->tolerance, self->least_errors) != 0;
    bad |= lib->CVodeSetUserData(self->memory, self) != 0;
    bad |= lib->CVodeSetMaxNumSteps(self->memory, -1) != 0; // no limit
    bad |= lib->CVodeSetMaxErrTestFails(self->memory, TRIES) != 0;
    bad |= lib->CVodeSetMaxConvFails(self->memory, TRIES) != 0;
    bad |= lib->CVodeSetMaxHnilWarns(self->memory, -1) != 0;
    return !bad;
}

static void make_dense(integrator *self) {
    const sundials *lib = &self->lib;
    self->matrix = lib->SUNDenseMatrix(self->system.size, self->system.size, self->context);
    self->linear = self->matrix ? lib->SUNLinSol_Dense(self->vector, self->matrix, self->context) : NULL;
}

static void make_newton(integrator *self) {
    const sundials *lib = &self->lib;
    self->matrix = lib->SUNMatNewEmpty(self->context);
    self->linear = self->matrix ? lib->SUNLinSolNewEmpty(self->context) : NULL;
    if (self->linear == NULL)
        return;
    self->linear->content = self;
    self->linear->ops->type = newton_type;
    self->linear->ops->setup = newton_setup;
    self->linear->ops->solve = newton_solve;
}

static bool set_up_bdf(integrator *self) {
    const sundials *lib = &self->lib;
    bool own = self->system.newton_at != NULL;
    if (own)
        make_newton(self);
    else
        make_dense(self);
    if (self->linear == NULL)
        return false;
    bool bad = lib->CVodeSetLinearSolver(self->memory, self->linear, self->matrix) != 0;
    if (own)
        bad |= lib->CVodeSetLinSysFn(self->memory, newton_system) != 0;
    if (self->J)
        bad |= lib->CVodeSetJacFn(self->memory, jacobian) != 0;
    if (self->system.project) {
        bad |= lib->CVodeSetProjFn(self->memory, project) != 0;
        bad |= lib->CVodeSetMaxNumProjFails(self->memory, TRIES) != 0;
    }
    return !bad;
}

static bool set_up_adams(integrator *self) {
    self->nonlinear = self->lib.SUNNonlinSol_FixedPoint(self->vector, 0, self->context);
    return self->nonlinear && self->lib.CVodeSetNonlinearSolver(self->memory, self->nonlinear) == 0;
}

static integrator *create(arena *a, const ode *system, double tolerance, bool adams) {
    integrator *self = arena_array(a, integrator, 1);
    size_t size = (size_t)system->size;
    self->system = *system;
    self->tolerance = tolerance;
    self->adams = adams;
    double **vectors[] = {&self->y0, &self->y, &self->work, &self->change, &self->absolute};
    for (int i = 0; i < 5; i++)
        *vectors[i] = arena_doubles(a, size);
    for (size_t i = 0; i < size; i++)
        self->absolute[i] = tolerance * (system->floor ? system->floor[i] : 1);
    self->curve = arena_doubles(a, CURVE_POINTS * size);
    self->w0 = arena_doubles(a, (size_t)system->silent);
    self->w = arena_doubles(a, (size_t)system->silent);
    self->rates = arena_doubles(a, QUADRATURE_WORK * (size_t)system->silent);
    if (!adams && system->jacobian)
        self->J = arena_doubles(a, size * size);
    if (!adams && system->newton_near) {
        self->gmres = gmres_new(a, system->size);
        self->at_y = arena_doubles(a, size);
        self->at_f = arena_doubles(a, size);
        self->sizes = arena_doubles(a, size);
    }
    self->across = integrator_rk8.create(a, system, tolerance);
    if (!sundials_load(&self->lib))
        return NULL;
    arena_when_freed(a, release, self);
    if (!set_up(self) || !(adams ? set_up_adams(self) : set_up_bdf(self)))
        arena_give_up(a);
    return self;
}

static integrator *create_bdf(arena *a, const ode *system, double tolerance) {
    return create(a, system, tolerance, false);
}

static integrator *create_adams(arena *a, const ode *system, double tolerance) {
    return create(a, system, tolerance, true);
}

// ---- steps

static int start(integrator *self, double t, const double *y, double end, double step) {
    memmove(self->y, y, (size_t)self->system.size * sizeof *y); // y may be our own state
    memset(self->w, 0, (size_t)self->system.silent * sizeof *y);
    self->t0 = self->t = t;
    self->degree = -1;
    self->end = end;
    self->least = fmax(16 * DBL_EPSILON * fabs(t), 1e-16 * (end - t));
    self->ended = 0;
    self->restart = true;
    self->first = step > 0 ? fmin(step, end - t) : 0;
    self->usual = self->first;
    self->met = 0;
    self->count.evaluations++;
    int status = self->system.f(self->system.context, t, self->y, self->change);
    if (status != 0)
        return status;
    bool fine = all_finite(self->y, self->system.size) && all_finite(self->change, self->system.size);
    return fine ? 0 : INTEGRATOR_NOT_FINITE;
}

static long rejected_since_restart(const integrator *self) {
    long errors = 0, iterations = 0, projections = 0;
    self->lib.CVodeGetNumErrTestFails(self->memory, &errors);
    self->lib.CVodeGetNumStepSolveFails(self->memory, &iterations);
    if (!self->adams && self->system.project)
        self->lib.CVodeGetNumProjFails(self->memory, &projections);
    return errors + iterations + projections;
}

static void forget(integrator *self) {
    const sundials *lib = &self->lib;
    self->rejected += rejected_since_restart(self);
    memcpy(self->work, self->y, (size_t)self->system.size * sizeof(double));
    lib->CVodeReInit(self->memory, self->t, self->vector);
    lib->CVodeSetStopTime(self->memory, self->end);
    lib->CVodeSetMinStep(self->memory, fmin(self->least, self->end - self->t));
    lib->CVodeSetInitStep(self->memory, self->first);
    self->restart = false;
}

static int give_up(integrator *self) {
    self->t0 = self->t;
    if (self->ended == 0)
        self->ended = self->not_finite ? INTEGRATOR_NOT_FINITE : INTEGRATOR_STEP_TOO_SMALL;
    return self->ended;
}

static void accept(integrator *self, double t1, const double *y1) {
    integrator_statistics *count = &self->count;
    size_t bytes = (size_t)self->system.size * sizeof(double);
    memcpy(self->y0, self->y, bytes);
    memcpy(self->y, y1, bytes);
    memcpy(self->w0, self->w, (size_t)self->system.silent * sizeof(double));
    self->t0 = self->t;
    self->t = t1;
    self->degree = -1;
    count->last_step = t1 - self->t0;
    if (count->steps == 0 || count->last_step < count->smallest_step)
        count->smallest_step = count->last_step;
    count->steps++;
    self->usual = fmax(count->last_step, FORGETS * self->usual);
    self->crossed = false;
    self->met = 0;
}

static void add_silent(integrator *self, double to, double *w);

/* Where CVODE does not get on, one step by rk8: a usual one, counted from the singular instant if one was
 * met; longer if that ends near such an instant, too. */
static int cross(integrator *self) {
    const integrator_ops *rk = &integrator_rk8;
    const ode *system = &self->system;
    double step = self->met + fmax(self->met, self->usual);
    if (self->ended < 0)
        return give_up(self);
    if (system->implicit)
        system->implicit(system->context, 0);
    for (int k = 0; k < TRIES && self->ended == 0; k++) {
        int status = rk->start(self->across, self->t, self->y, self->end, step);
        if (status == 0)
            status = rk->step(self->across);
        self->ended = status > 0 ? INTEGRATOR_STEP_TOO_SMALL : status;
        if (system->may_end == NULL || system->may_end(system->context))
            break;
        step *= 2;
    }
    if (self->ended < 0)
        return give_up(self);
    accept(self, rk->time(self->across), rk->state(self->across));
    self->crossed = self->restart = true;
    self->first = 0;
    add_silent(self, self->t, self->w);
    return 0;
}

// one step of CVODE's into `work`; false if it failed, or ended though CVODE made nothing of it
static bool advance(integrator *self, double *t1) {
    if (self->restart)
        forget(self);
    int flag = self->lib.CVode(self->memory, self->end, self->vector, t1, SUN_ONE_STEP);
    return flag >= 0 && self->ended == 0;
}

static int step_bdf(integrator *self) {
    double t1;
    if (self->ended < 0 || !(self->t < self->end))
        return self->ended;
    if (!advance(self, &t1))
        return cross(self);
    accept(self, t1, self->work);
    add_silent(self, self->t, self->w);
    return 0;
}

// RMS norm of change, each component divided by tol (floor + |y|), as in CVODE's error test
static double size_of_change(const integrator *self) {
    double sum = 0;
    for (int i = 0; i < self->system.size; i++) {
        double part = self->change[i] / (self->absolute[i] + self->tolerance * fabs(self->work[i]));
        sum += part * part;
    }
    return sqrt(sum / self->system.size);
}

// `work` projected, with how far it moved; > 0 if that cannot be done here
static int settle(integrator *self, double t1, double *moved) {
    const ode *system = &self->system;
    *moved = 0;
    if (system->project == NULL)
        return 0;
    if (meets_singular(self, t1))
        return 1;
    memcpy(self->change, self->work, (size_t)system->size * sizeof(double));
    int status = system->project(system->context, t1, self->work);
    if (status != 0)
        return answer(self, status);
    for (int i = 0; i < system->size; i++)
        self->change[i] = self->work[i] - self->change[i];
    *moved = size_of_change(self);
    return !isfinite(*moved);
}

static int step_adams(integrator *self) {
    double t1, moved;
    if (self->ended < 0 || !(self->t < self->end))
        return self->ended;
    for (int k = 0; k < TRIES && self->met == 0 && advance(self, &t1); k++) {
        int status = settle(self, t1, &moved);
        if (status < 0)
            return give_up(self);
        if (status == 0) {
            accept(self, t1, self->work);
            self->restart = moved > MOVED;
            self->first = 0;
            add_silent(self, self->t, self->w);
            return 0;
        }
        self->rejected++;
        self->restart = true;
        self->first = REFUSED * (t1 - self->t);
    }
    return cross(self);
}

// ---- queries

static double time_reached(const integrator *self) {
    return self->t;
}

static const double *state(const integrator *self) {
    return self->y;
}

static integrator_statistics statistics(const integrator *self) {
    integrator_statistics count = self->count, across = integrator_rk8.statistics(self->across);
    count.evaluations += across.evaluations;
    count.rejected = self->rejected + rejected_since_restart(self) + across.rejected;
    return count;
}

// ---- dense output

/* From powers of x - 1 to Bernstein's form: the coefficient j before the last is the sum over k of
 * (-1)^k (j over k) / (d over k) times that of the power k. CVODE's polynomial passes both ends up to the
 * error of the step and, with Adams, the projection: a line takes away the difference. */
static void to_bernstein(integrator *self, int i) {
    double c[CURVE_POINTS];
    int d = self->degree, size = self->system.size;
    for (int j = 0; j <= d; j++) {
        double sum = 0, weight = 1;
        for (int k = 0; k <= j; k++) {
            sum += weight * self->curve[k * size + i];
            weight *= -(double)(j - k) / (d - k);
        }
        c[d - j] = sum;
    }
    double first = self->y0[i] - c[0], last = self->y[i] - c[d];
    for (int k = 0; k <= d; k++)
        self->curve[k * size + i] = c[k] + ((d - k) * first + k * last) / d;
}

// the k'th derivative times h^k / k!, then Bernstein's form of that
static bool find_curve(integrator *self) {
    int order = 0, size = self->system.size;
    double h = self->t - self->t0, factor = 1;
    if (self->degree >= 0)
        return true;
    if (self->lib.CVodeGetLastOrder(self->memory, &order) != 0)
        return false;
    for (int k = 0; k <= order; k++) {
        if (self->lib.CVodeGetDky(self->memory, self->t, k, self->vector) != 0)
            return false;
        for (int i = 0; i < size; i++)
            self->curve[k * size + i] = factor * self->work[i];
        factor *= h / (k + 1);
    }
    self->degree = order;
    for (int i = 0; i < size; i++)
        to_bernstein(self, i);
    return true;
}

static void own_coefficients(const integrator *self, int i, double *c) {
    for (int k = 0; k <= self->degree; k++)
        c[k] = self->curve[k * self->system.size + i];
}

static int curve(integrator *self, int *degree) {
    if (self->crossed)
        return integrator_rk8.curve(self->across, degree);
    if (!find_curve(self))
        return INTEGRATOR_OUTSIDE_STEP;
    *degree = self->degree;
    return 0;
}

static void coefficients(const integrator *self, int i, double *c) {
    if (self->crossed)
        integrator_rk8.coefficients(self->across, i, c);
    else
        own_coefficients(self, i, c);
}

static void slope(const integrator *self, double t, double *dydt) {
    double c[CURVE_POINTS], h = self->t - self->t0;
    if (self->crossed) {
        integrator_rk8.slope(self->across, t, dydt);
        return;
    }
    for (int i = 0; i < self->system.size; i++) {
        own_coefficients(self, i, c);
        curve_at(c, self->degree, (t - self->t0) / h, &dydt[i]);
        dydt[i] /= h;
    }
}

// as curve_at, of some components side by side
enum { SIDE_BY_SIDE = 32 };
static void values_at(const integrator *self, double x, int first, int count, double *y) {
    double p[CURVE_POINTS][SIDE_BY_SIDE];
    int d = self->degree, size = self->system.size;
    for (int k = 0; k <= d; k++)
        memcpy(p[k], self->curve + (size_t)k * (size_t)size + first, (size_t)count * sizeof *y);
    for (int level = 1; level <= d; level++)
        for (int k = 0; k <= d - level; k++)
            for (int i = 0; i < count; i++)
                p[k][i] = (1 - x) * p[k][i] + x * p[k + 1][i];
    memcpy(y + first, p[0], (size_t)count * sizeof *y);
}

static int interpolate(integrator *self, double t, double *y) {
    double x = (t - self->t0) / (self->t - self->t0);
    int size = self->system.size;
    if (t == self->t || t == self->t0) {
        memcpy(y, t == self->t ? self->y : self->y0, (size_t)self->system.size * sizeof(double));
        return 0;
    }
    if (!(self->t0 < t && t < self->t))
        return INTEGRATOR_OUTSIDE_STEP;
    if (self->crossed)
        return integrator_rk8.interpolate(self->across, t, y);
    if (!find_curve(self))
        return INTEGRATOR_OUTSIDE_STEP;
    for (int i = 0; i < size; i += SIDE_BY_SIDE)
        values_at(self, x, i, size - i < SIDE_BY_SIDE ? size - i : SIDE_BY_SIDE, y);
    return all_finite(y, self->system.size) ? 0 : INTEGRATOR_NOT_FINITE;
}

// ---- silent components: a quadrature on the dense output

// their growth from t0 to a time in the last step; NaN where that cannot be told
static void add_silent(integrator *self, double to, double *w) {
    int count = self->system.silent, status = 0;
    quadrature q =
        quadrature_on(self, &self->system, interpolate, self->change, self->rates, &self->count.evaluations);
    if (count && !self->crossed)
        status = quadrature_add(&q, self->t0, to, self->tolerance, w);
    else if (count)
        status = integrator_rk8.silent(self->across, to, self->rates);
    for (int i = 0; i < count; i++)
        w[i] = status != 0 ? NAN : self->crossed ? w[i] + self->rates[i] : w[i];
}

static int silent(integrator *self, double t, double *w) {
    bool inside = self->t0 < t && t < self->t;
    if (!inside && t != self->t0 && t != self->t)
        return INTEGRATOR_OUTSIDE_STEP;
    memcpy(w, t == self->t ? self->w : self->w0, (size_t)self->system.silent * sizeof *w);
    if (inside)
        add_silent(self, t, w);
    return 0;
}

#define OPERATIONS                                                                                           \
    .start = start, .time = time_reached, .state = state, .interpolate = interpolate, .curve = curve,        \
    .coefficients = coefficients, .slope = slope, .silent = silent, .statistics = statistics

const integrator_ops integrator_bdf = {.name = "bdf",
                                       .about = "for stiff systems, of SUNDIALS",
                                       .order = 5,
                                       .implicit = true,
                                       .missing = sundials_missing,
                                       .create = create_bdf,
                                       .step = step_bdf,
                                       OPERATIONS};
const integrator_ops integrator_adams = {.name = "adams",
                                         .about = "for smooth systems, of SUNDIALS",
                                         .order = 12,
                                         .missing = sundials_missing,
                                         .create = create_adams,
                                         .step = step_adams,
                                         OPERATIONS};
