/* A simulation: assembly, steps with projection, samples to a sink, expectations, and a report of it all. */
#ifndef TRAMMEL_MOTION_RUN_H
#define TRAMMEL_MOTION_RUN_H

#include "motion/assemble.h"
#include "motion/integrator.h"

#include <signal.h>

/* One recorded sample; arrays as the system's sizes say. */
typedef struct {
    double t;
    const double *q, *v, *s; // (n); s NULL without quasi-velocities
    const double *outputs;   // (outputs)
    const double *reaction;  // (n)
    const double *residual;  // (m) e1 - e2
    const double *views;     // (views of the model); NULL unless the system has them
    const double *energy;    // T, T2 - T0, V
    const double *work;      // (works of the system) done so far
    const double *power;     // (works of the system); NULL unless the system has views
} sample;

/* Where samples go. A sink returns false when it cannot take more: the run ends with RUN_SINK_FAILED. */
typedef struct {
    bool (*take)(void *context, const sample *s);
    void *context;
} sink;

typedef struct {
    double from, until, every, tolerance;
    double rank; // stated, see trm_system; 0: what the model says
    const integrator_ops *method;
    trm_system *tree; // the same system in joint coordinates, by which it is integrated; NULL: there is none
    trm_state *tree_state;                        // of that
    const start_state *start;                     // the assembled start, if it is known; NULL: it is not
    trm_state *start_state;                       // of the bodies' form, in which it was assembled
    sink sink;                                    // take may be NULL
    bool unsampled;                               // no samples are due but that of the start
    void (*progress)(void *context, double part); // part of the span done, 0 to 1; may be NULL
    void *progress_context;
    const volatile sig_atomic_t *stop; // ends the run when it becomes non-zero; may be NULL
} run_options;

typedef struct {
    double worst, at, velocity; // largest |e1 - e2|, when, and largest |d/dt (e1 - e2)| of a holonomic row
    double allowed;             // there; NAN for rows that are not held
} row_record;

typedef struct {
    double time;
    int rank;
    bool *dropped; // (m) rows that are not needed, or have weight
    bool *sticks;  // (frictions)
    int friction;  // that begins or ceases to stick, -1 if none does
} rank_change;

/* A position that the motion passed, in which rows depend on each other that else do not, or one vanishes. */
typedef struct {
    double time;
    bool *involved; // (m)
} singular_pass;

typedef struct {
    double worst, at; // largest |power| of a constraint's force, and when
    double part;      // largest, as a part of what the force could do at the largest speed so far
    double could;     // the largest that it could
} power_record;

typedef struct {
    bool holds;
    double worst;     // smallest margin; NAN if it is not a single comparison
    double failed_at; // first time at which it did not hold
} expect_record;

typedef struct {
    double value, at; // at: the instant of an extremum, or a first one; else NAN
} over_record;

typedef enum { RUN_DONE, RUN_STOPPED, RUN_FAILED, RUN_SINK_FAILED } run_end;

typedef struct {
    run_end end;
    failure failure;
    start_state start;
    double time; // reached
    int stop;    // the stop of the model that ended the run there, -1 if none did
    long samples;
    rank_report *rank;  // of the rows without weight, at the start; NULL if it was not reached
    bool mass_singular; // at the start
    row_record *rows;   // (m)
    vec(rank_change) rank_changes;
    vec(singular_pass) passes;
    power_record *powers; // (constraints of the model)
    bool *idle;           // (m) rows of frictions that slip at the start
    vec(const char *) warnings;
    expect_record *expects;                                               // (expectations of the model)
    double energy_start, energy_end, jacobi_start, drift, largest_energy; // drift absolute
    bool energy_lost;                                                     // it was not finite somewhere
    // h - h0 - W with h = T2 - T0 + V: the largest, when, and the largest |T| + |V| + |W|
    double balance, balance_at, balance_size;
    bool balance_lost;  // it was not finite somewhere
    double *work;       // (works of the system) W at the last sample
    over_record *overs; // (results over the run of the model) as far as the motion came
    integrator_statistics statistics;
    long evaluations;
    long switches; // how often forces switched and integration began anew
    double *q, *v, *s, *reaction, *control, *multiplier, *outputs; // at the last sample
    double *turns;                                                 // (turns of the model) the same
} run_report;

run_report *run_simulation(arena *a, const trm_system *sys, trm_state *st, const run_options *options);

/* The same piece by piece. It begins with the assembled start, of which it takes the first sample. */
typedef struct running running;
running *run_begin(arena *a, const trm_system *sys, trm_state *st, const run_options *options);
/* Steps, as many as it takes to pass t, with the samples due up to t. False if the run has ended: before t,
 * as its report says, or since t lies beyond its end. How it is cut into pieces changes no step. */
bool run_advance(running *r, double t);
/* After that was true: a sample at t, which nothing depends on. False if there is none: then the run has
 * ended.
 */
bool run_show(running *r, double t);
/* Its end was reached, and is another now: options->until. False if it cannot go on. */
bool run_extend(running *r);
/* The same where functions of the host give other numbers from there on; from another state q, v (n) that is
 * on the constraints, which becomes a sample, or NULL: as it is. Not in joint coordinates. */
bool run_renew(running *r, const double *q, const double *v);
/* Angles that it keeps from step to step (turns of the model), at the last sample or after. */
void run_turns(const running *r, double *out);
const run_report *run_so_far(const running *r);
run_report *run_finish(running *r);

/* The result over the run that is told as number i (model.told), as far as the motion came. */
over_record run_result(const model *m, const run_report *p, int i);

/* The balance as a part of its size; NAN if there is none. */
double run_balance(const run_report *p);

/* Sampling times: from, from + every, ..., until; the last is exactly until. */
double run_sample_time(const run_options *o, long k);
long run_sample_count(const run_options *o);

#endif
