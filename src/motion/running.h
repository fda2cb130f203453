/* What the files of a run share: run.c has the loop, equation.c the differential equation, singular.c
 * positions where rows become dependent, ending.c why a run ends, samples.c what is recorded, events.c the
 * stop statements, switches.c forces that switch, slips.c friction. */
#ifndef TRAMMEL_MOTION_RUNNING_H
#define TRAMMEL_MOTION_RUNNING_H

#include "motion/project.h"
#include "motion/run.h"

enum { HEADWAY_STEPS = 20000 };
enum { RUN_INTERRUPTED = -2000 }; // what the equation returns when the caller's flag is set

/* Nearness to a singular position: the least of what remains of each row of A, at unit length, once the
 * others are taken out of it, and of the rows' lengths as parts of their largest of late. */
typedef struct {
    double last;        // at the last step
    double nearest;     // least of the stages since then
    double largest;     // of late
    bool near;          // at the last step or a stage since then it was clearly less than that
    double *row_length; // (hard rows) largest of late
    double instant;     // at which the motion passes a singular position, if it was looked for and found
    double *q, *v;      // (n) of a stage
    double *turn;       // (hard rows squared)
} distance;

/* The conditions of the stop statements, count of them, as they were at the last look. */
typedef struct {
    int count;
    bool *held;
    int *sign;         // of the margin: the last that was not 0, or 0 if there was none
    double *margin[3]; // at the last three looks
    double time[3];    // of these
    bool begun;        // the signs are those of the first moment
} stop_watch;

/* Forces that switch, while state->held. */
typedef struct {
    bool seen;               // a stage since the last search came to where a switch would turn
    double last;             // when one turned
    int close;               // how many since then turned right behind each other
    double *held, *slope[2]; // workspace
} run_switches;

/* Friction that begins to slip and comes to stick. */
typedef struct {
    int which;                  // the friction that changes at the instant that was found, or -1
    double last;                // when one changed
    int close;                  // how many since then changed right behind each other
    double *margin[4], time[3]; // (frictions) at the last three looks; workspace
    double *slope;              // workspace
} run_slips;

typedef struct {
    arena *arena; // of the report
    arena *work;  // ends with the run
    const trm_system *sys;
    trm_state *st;
    const run_options *options;
    run_report *report;
    double *v, *work_q, *work_v; // (n)
    vec(int) spheres;            // first of four coordinates with velocities of their own, see velocities.c
    bool *dropped;               // (m) at the last step
    bool may_vanish;             // one of the rows may
    double *last_A;              // at the last step; NULL if nothing is compared with it
    bool started;
    int rank;                      // at the last step
    distance singular;             // how far singular positions are
    int quasi_sign;                // at the last step
    double settled;                // time of the state that has just been projected, else NAN
    projection position, velocity; // of the last projection
    projection refused;            // the last that failed since the last step; row -1 if none
    bool refused_position, jump;   // it was of positions; it was refused because the constraint jumps
    long marked_steps;             // when headway was last looked at
    double marked_time, longest_step;
    solve_status status; // of the last evaluation that failed
    double status_time;
    stop_watch stops;
    run_switches switches;
    run_slips slips;
    bool *stuck; // (frictions) when rank was last looked at
} running;

// ---- equation.c: what the integrators call; the context is the running
int run_evaluate(void *context, double t, const double *y, double *dydt);
int run_jacobian(void *context, double t, const double *y, double *J);
void run_implicit(void *context, double gamma);
int run_project(void *context, double t, double *y);
/* q and v projected; false if they cannot be held, with r->refused saying why. */
bool run_project_state(running *r, double t, double *q, double *v);

// ---- velocities.c: those of the integrator's state y
void run_find_spheres(running *r);
bool run_has_own_velocities(const running *r); // other than q'
/* q' of a state, in r->v if it has own velocities; NULL if they do not determine q': r->status says why. */
const double *run_velocities(running *r, double t, const double *y);
void run_set_velocities(running *r, double t, const double *v, double *y); // the position is in y
/* Small changes of q' from those of own velocities, and back, at the position of the last run_velocities, q.
 */
void run_change_of_velocities(running *r, const double *q, const double *change, double *dv);
void run_own_change(running *r, const double *q, const double *dv, double *change);
/* q'' of a state and its derivative, in r->v if it has own velocities; not for quasi-velocities. */
const double *run_accelerations(running *r, const double *y, const double *dydt);
/* Time derivatives of own velocities, after solve_acceleration at q, v. */
void run_own_rates(running *r, const double *q, const double *v, double *rates);

// ---- singular.c
void run_singular_new(running *r);
/* The last evaluation was at the end of a step: what the next is compared with. */
void run_note_distance(running *r);
/* The same where rows came into force or went out of it: what was usual counts no more. */
void run_forget_distance(running *r);
/* How near the last evaluation was to a singular position; 0 if the rank is lower than at the last step. */
double run_nearness(const running *r);
bool run_is_near(const running *r, double nearness); // clearly nearer than of late
/* Whether a step may end at t, where the last evaluation was, with this nearness. */
bool run_may_land(running *r, double t, double nearness);
double run_singular(void *context, double t, const double *y, const double *dydt, double span);
/* After a step from `before`: whether the motion passed a singular position in it; that is told in the
 * report. y (2 n) is workspace. */
void run_note_pass(running *r, integrator *it, double before, double *y);
bool run_may_end(void *context);
int run_tangent(void *context, double t, const double *y, double *e);

// ---- ending.c
void run_fail_projection(running *r, double t);
void run_fail_solve(running *r, double t);
void run_fail_headway(running *r, double t);     // HEADWAY_STEPS steps that lead nowhere
void run_end_at(running *r, int code, double t); // what an integrator that did not go on came to
bool run_check_dropped(running *r, double t);    // false if a dropped row contradicts the others

// ---- events.c
/* After the first sample: which conditions hold at the start (a warning names them). */
void run_watch_stops(running *r);
/* After a step from `before`: which condition became true in it before *limit, or -1; then *limit is the
 * instant, at which it is true. y (2 n) is workspace. What it sees is kept from step to step; nothing else of
 * the running changes. */
int run_find_stop(running *r, integrator *it, double before, double *limit, double *y);

// ---- switches.c
void run_hold_switches(running *r, double t, const double *y); // from the start on, if the model has any
/* run_evaluate with the switches held. */
int run_evaluate_held(void *context, double t, const double *y, double *dydt);
/* The acceleration with the switches as they are at this state, whatever is held in the step around it. */
solve_status run_solve_unheld(running *r, double t, const double *q, const double *v);
/* After a step from `before`: whether a switch turned in it before *limit; then *limit is the instant. y (2
 * n) is workspace. */
bool run_find_switch(running *r, integrator *it, double before, double *limit, double *y);
/* Turns the switches as they are at t of the last step; y (2 n) is the state there, projected and evaluated.
 * Returns what project does. */
int run_turn_switches(running *r, integrator *it, double t, double *y);
/* A step ended with this code: if the branch that was held may be why, goes on without holding any. */
int run_release_switches(running *r, integrator *it, int code, double *y);

// ---- slips.c
/* At the start: what sticks; y is projected accordingly. Returns 0 or > 0, with r->status saying why. */
int run_begin_slips(running *r, double t, double *y);
/* After a step from `before`: whether a friction changes in it before *limit; then *limit is the instant. y
 * (2 n) is workspace. */
bool run_find_slip(running *r, integrator *it, double before, double *limit, double *y);
/* Decides anew what sticks at t of the last step; y (2 n) is the state there, projected and evaluated.
 * Returns as run_begin_slips. */
int run_turn_slips(running *r, integrator *it, double t, double *y);

// ---- samples.c
/* Projection and acceleration at (t, y), as for a sample, in work_q and work_v; false if that cannot be done:
 * r->status says why, or r->refused if it is SOLVE_OK. */
bool run_solve_state(running *r, double t, const double *y);
void run_results(running *r); // after it: forces and built-in results
bool run_sample_state(running *r, double t, const double *y, bool last);

#endif
