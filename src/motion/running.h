/* What the files of a run share: run.c has the loop, equation.c the differential equation, singular.c
 * positions where rows become dependent, ending.c why a run ends, samples.c what is recorded, look.c what
 * happens inside a step: stops.c the stop statements, switches.c forces that switch, slips.c friction. */
#ifndef TRAMMEL_MOTION_RUNNING_H
#define TRAMMEL_MOTION_RUNNING_H

#include "motion/boxes.h"
#include "motion/events.h"
#include "motion/project.h"
#include "motion/region.h"
#include "motion/run.h"
#include "solve/friction.h"
#include "solve/newton.h"
#include "system/rates.h"

enum { HEADWAY_STEPS = 20000 };
enum { RUN_INTERRUPTED = -2000 }; // what the equation returns when the caller's flag is set

/* For the determinant of products of the rows with those at the last step. */
typedef struct {
    double *K;        // (m x m); NULL: rows are too many
    sparsity columns; // the rows that have an entry in each column of A
    int *entry;       // (entries) which of A's that is
    int *number;      // (m) of a row among those kept, or -1
} turn_work;

/* Nearness to a singular position: the least of what remains of each row of A, at unit length, once the
 * others are taken out of it, and of the rows' lengths as parts of their largest of late. */
typedef struct {
    double last;        // at the last step
    double nearest;     // least of the stages since then that were looked at closely
    solve_watch watch;  // for the others
    double largest;     // of late
    bool near;          // at the last step or a stage since then it was clearly less than that
    double *row_length; // (m) largest of late
    double *row_square; // (m) its square; NAN near overflow and underflow
    bool *left_out;     // (m) workspace
    double instant;     // at which the motion passes a singular position, if it was looked for and found
    double *q, *v;      // (n) of a stage
    turn_work turn;
} singular_distance;

/* The step that is looked into, and the place for a state in it. */
typedef struct {
    integrator *it;
    double before, end;
    double *y; // (2 n)
} run_step;

/* What was found in it: nothing; that the equation of motion is not what it says; or what ends it early. */
typedef enum { STEP_FINE, STEP_WRONG, STEP_SWITCHES, STEP_SLIPS, STEP_STOPS } step_end;

typedef struct {
    step_end end;
    double time; // where; the end of the step if nothing was found
    int which;   // the stop, or the coordinate of which the equation does not hold
} step_finding;

/* The last step as far as the motion is known to follow it: what samples are taken from before it is left. */
typedef struct {
    bool open;
    double from;
    step_finding found;
    double limit; // up to which quasi-velocities determine the velocities
} run_window;

enum { LOOK_SOURCES = 3 };
typedef struct {
    region *region;            // NULL: nothing is watched
    boxes *boxes;              // the same
    double *slope, *own_slope; // (2 n) workspace
    double *J;                 // (2 n x 2 n, and 4 n), of an implicit method that has a Jacobian, else NULL
    int *pivot;                // (2 n)
    solve_newton *newton;      // in place of these, where J is large; else NULL
    unsigned there;            // what there is to be looked for, in this step
    step_finding found;        // so far
    double from[LOOK_SOURCES]; // up to where each kind of event has been looked for
    bool disturbed;            // what is found in the state is no longer that of the end of the step
    int component;             // of which the defect was largest
    int even, even_done;       // places at even distances in this step, those done
    double even_from;
    unsigned even_for;
    bool gave_up; // in this step, there was more than is worth looking for
    // shapes of which something may have been missed: looked at now and then only, since it depends on what
    // is not known beforehand; or since there is too much of it, from `crowded_at` on. -1: none
    int hidden, crowded;
    double crowded_at;
} run_look;

/* Stop statements: their conditions as they were at the last place. */
typedef struct {
    events events;
    bool *held;
    int *sign;  // of the margin: the last that was not 0, or 0 if there was none
    bool begun; // the signs are those of the first moment
} run_stops;

/* Forces and constraints that switch. */
typedef struct {
    bool hold;      // they are held within steps
    double pending; // when one turned in the step, where that has made no difference so far; NAN: none
    event_record record;
    double *kept, *slope; // workspace
    double *powers;       // (2 works) the same
} run_switches;

/* Friction that begins to slip and comes to stick. */
typedef struct {
    events events;
    int which; // the friction that changes at the instant that was found, or -1
    event_record record;
} run_slips;

/* The work of sys->works. */
typedef struct {
    double *done;  // (works) up to where the integrator was started last
    double *now;   // at the last time asked for
    double *power; // at the sample at hand
    double *slope; // (2 n) workspace
} run_work;

/* A result over the run up to some instant. */
typedef struct {
    double sum;  // an integral, or how long a condition held
    double best; // an extremum; of a mean what it is of, of a condition its margin, at the start
    double at;   // instant of the extremum, or at which a condition was true first, NAN: it was not
} over_sum;

/* A polynomial for each of them over a part of the step (cells.h). */
enum { OVER_BEGIN = 17, OVER_END, OVER_NUMBERS }; // behind its coefficients: the values at its ends
typedef struct {
    double from, to;
    int n;     // degree; 0: the state could not be evaluated
    int first; // of its numbers (count x OVER_NUMBERS)
} over_cell;

/* A part of the step for which one is sought. */
typedef struct {
    double from, to;
    bool begins, ends; // something changes there, so that it is looked at beside it
    bool known;
    int n;
    double off; // by how many allowances
    int flat;   // how often it was halved without getting better
    double *u;  // (count x points) values
} over_part;

/* Results over the run. */
enum { OVER_DEEPEST = 60 };
typedef struct {
    int count;
    bool begun, anew;               // there are sums; the step begins where something changed
    over_sum *sums;                 // (count) where the step begins
    over_sum *latest, *here;        // behind the last cell; at the last time asked for
    double *values, *size, *noise;  // (count)
    double *kept_size, *kept_noise; // the same where the step begins
    double done;                    // the step has cells up to there
    vec(over_cell) cells;
    vec(double) numbers;
    vec(over_sum) before; // (cells x count)
    vec(double) borders;  // workspace, as all that follows
    over_part parts[OVER_DEEPEST + 1];
    double *y;    // (2 n)
    boxes *boxes; // NULL: nothing is watched
    int crowded;  // a shape of which something may have been missed, from crowded_at on; -1: none
    double crowded_at, left_out, recorded;
} run_over;

/* Why the last evaluation or projection was not accepted. */
typedef struct {
    outcome solve;               // of the last evaluation
    bool of_full;                // that was of the bodies' form
    double time;                 // of that
    projection refused;          // the last projection that failed since the last step; row -1 if none
    bool of_position, of_a_jump; // it was of positions; it was refused because the constraint jumps
} run_trouble;

struct running {
    arena *arena; // of the report
    arena *work;  // ends with the run
    // what is integrated
    const trm_system *sys;
    trm_state *st;
    const state_found *found; // in that
    // what samples show: the same, or the bodies' form of it
    const trm_system *full;
    trm_state *full_st;
    const state_found *full_found;
    double *full_q, *full_v; // (n of it) of the last sample
    bool *full_dropped;      // (m of it) rows that are not needed there, at the start
    peel *full_rows;         // how its multipliers follow; NULL: by its solver
    bool tree_solved;        // the last sample has an acceleration of what is integrated
    const run_options *options;
    ode system;     // as the integrator sees it
    integrator *it; // NULL before it is started
    double *y;      // (2 n) the start, then workspace
    long next;      // sample that is due
    double due;     // when; infinite if there is none
    run_window window;
    bool keeps_turns;          // of angles that are no coordinates
    double turned, *turn_work; // up to when; see turns.c
    bool goes_on;
    long evaluations_before; // of the states, before the run
    run_report *report;
    double *v, *work_q, *work_v; // (n)
    double *slopes;              // (n x 2n) of q'', for an implicit method that has a Jacobian
    solve_newton *newton;        // in place of that, where it is large; else NULL
    double *newton_q, *newton_v; // (n) where it was taken; workspace
    bool *dropped;               // (m) rows that are not needed, or have weight, at the last step
    bool leaves_out;             // these are left out between steps
    bool may_vanish;             // one of the rows may
    double *last_A;              // at the last step; NULL if nothing is compared with it
    bool moves;                  // there is solve_motion
    bool moved_in_vain;          // since the last step (equation.c)
    bool lands;                  // ends of steps may do with solve_landing
    bool started;
    int rank;                      // at the last step
    singular_distance singular;    // how far singular positions are
    signed char *signs;            // of G at the last step (system/rates.h)
    double settled;                // time of the state that has just been projected, else NAN
    projection position, velocity; // of the last projection
    run_trouble trouble;
    long taken_back;   // steps
    long marked_steps; // when headway was last looked at
    double marked_time, longest_step;
    double fastest; // largest natural_speed of the samples so far
    run_step step;
    run_look look;
    run_stops stops;
    run_switches switches;
    run_slips slips;
    run_work work_done;
    run_over over;
    bool *stuck; // (frictions) when rank was last looked at
};

// ---- run.c: run_advance in pieces
/* Whether there is a step to be taken. */
bool run_to_step(running *r);
/* After it, with what the method's step returned. */
void run_stepped(running *r, int code);
/* Samples up to t; false if the step reaches beyond that. */
bool run_leave(running *r, double t);

// ---- equation.c: what the integrators call; the context is the running
/* The velocities v of a state y = (q, s), in r->v where they are not s (system/rates.h); NULL if they are not
 * determined: r->trouble says why. */
const double *run_velocities(running *r, double t, const double *y);
void run_choose_landing(running *r); // once it is known what is looked at after steps
void run_set_velocities(running *r, double t, const double *v, double *y); // the position is in y
int run_evaluate(void *context, double t, const double *y, double *dydt);
/* Whether the integrator may take accelerations alone (ode.accelerate), and these. */
bool run_is_second(const running *r);
int run_accelerate(void *context, double t, const double *y, double *a);
/* The same for a look at a state, which leaves no trace; held: with the switches as the step has them. */
int run_peek(running *r, double t, const double *y, double *dydt, bool held);
int run_jacobian(void *context, double t, const double *y, double *J);
/* The same where J is large: of ode, and for one of two. */
int run_newton_at(void *context, double t, const double *y);
bool run_newton_factor(void *context, double gamma);
void run_newton_solve(void *context, double *r);
int run_newton_take(running *r, solve_newton *to, double t, const double *y);
/* After taking it at the position q, and factoring it: x (2 n) <- about (I - gamma J)^-1 x. */
void run_newton_apply(running *r, solve_newton *by, const double *q, double *x);
void run_implicit(void *context, double gamma);
int run_project(void *context, double t, double *y);
/* The same for y (2 n), s being v, if it is known what that becomes; false: run_project is to look at it. */
bool run_take_projected(running *r, double t, const double *projected, double *y);
/* q and v projected; false if they cannot be held, with r->trouble saying why. */
bool run_project_state(running *r, double t, double *q, double *v);
/* Whether that moved them by more than errors explain; names the row whose velocity jumped most. */
bool run_jumped(running *r, const double *q_before, const double *v_before, const double *q, const double *v);

// ---- singular.c
void run_singular_new(running *r);
/* The last evaluation was at the end of a step: what the next is compared with. */
void run_note_distance(running *r);
/* The same where rows came into force or went out of it: what was usual counts no more. */
void run_forget_distance(running *r);
/* How near the last evaluation was to a singular position; 0 if the rank is lower than at the last step. */
double run_nearness(running *r);
double run_nearness_of_rows(const running *r, double nearness); // the same by A alone, where that is less
/* Rows that were clearly longer of late than at the last evaluation; NULL: none that is needed is. */
const bool *run_short_rows(running *r);
/* Whether that is clearly nearer than of late: near it. */
static const double RUN_NEARING = 0.5;
static inline bool run_is_near(const running *r, double nearness) {
    return nearness < RUN_NEARING * r->singular.largest;
}
/* Whether a step may end at t, where the last evaluation was, with this nearness. */
bool run_may_land(running *r, double t, double nearness);
double run_singular(void *context, double t, const double *y, const double *dydt, double span);
/* Whether the motion passed a singular position in the step; that is told in the report. */
void run_note_pass(running *r);
bool run_may_end(void *context);
int run_tangent(void *context, double t, const double *y, double *e);

// ---- ending.c
/* Whether a function of the host failed: then that is why the run ends, whatever came of it. */
bool run_is_refused(running *r);
void run_fail_projection(running *r, double t);
void run_fail_solve(running *r, double t);
void run_fail_headway(running *r, double t);                // HEADWAY_STEPS steps that lead nowhere
void run_end_at(running *r, int code, double t);            // what an integrator that did not go on came to
bool run_check_dropped(running *r, double t);               // false if a dropped row contradicts the others
void run_fail_defect(running *r, double t, int coordinate); // of which the equation of motion does not hold

// ---- look.c
void run_look_new(running *r);
/* The state is as evaluated at (t, y), from where the motion goes on. */
void run_look_from(running *r, double t, const double *y);
/* What happened in the last step, from `before`, at the end of which the state was evaluated last. y (2 n) is
 * workspace. */
step_finding run_look_into(running *r, integrator *it, double before, double *y);
void run_warn_missed(running *r);          // at the end of a run: what steps may not have seen
bool run_step_state(running *r, double t); // at t of the step, in step.y; false if it cannot be had
/* Whether the equation of motion is what the step says at t, with f (2 n) there, which becomes workspace. */
bool run_fits(running *r, double t, const double *y, double *f);
bool run_can_shorten(const running *r); // whether the step can be tried again, shorter
double run_span(const running *r);
double run_least_time(const running *r); // instants nearer to each other are not told apart

// ---- stops.c
/* After the first sample: which conditions hold at the start (a warning names them). */
void run_watch_stops(running *r);
/* Which condition becomes true behind `from`, up to *to, then the instant; -1: none. */
int run_find_stop(running *r, double from, double *to);

// ---- switches.c
void run_hold_switches(running *r, double t, const double *y); // from the start on, if the model has any
void run_set_switches(running *r, double t, const double *y);  // as they are there
/* run_evaluate with the switches held; with them as they are at the state. */
int run_evaluate_held(void *context, double t, const double *y, double *dydt);
int run_evaluate_unheld(running *r, double t, const double *y, double *dydt);
/* The acceleration with the switches as they are at this state, whatever is held in the step around it. */
outcome run_solve_unheld(running *r, double t, const double *q, const double *v);
/* For an acceleration within a step: with the switches held, if they are. */
static inline moment run_moment(const running *r, double t, const double *q, const double *v) {
    return (moment){t, q, v, r->switches.hold};
}
/* Whether a switch turns behind `from`, up to *to, then the instant: 0, or -1. */
int run_find_switch(running *r, double from, double *to);
/* At the end of a step in which none did, so that it matters: the next begins with the switches as they are
 * there. */
void run_keep_switches(running *r, double t, const double *y);
/* Turns the switches as they are right behind t of the step. */
void run_look_behind(running *r, double t);
/* They have been turned: (t, y) is projected. Returns what project does. */
int run_turn_switches(running *r, double t, double *y);
/* A step ended with this code: if the branch that was held may be why, goes on without holding any. */
int run_release_switches(running *r, integrator *it, int code, double *y);

// ---- slips.c
/* At the start: what sticks; y is projected accordingly. Returns 0 or > 0, with r->trouble saying why. */
int run_begin_slips(running *r, double t, double *y);
bool run_any_sticks(const running *r);
/* Which friction changes behind `from`, up to *to, then the instant; -1: none. */
int run_find_slip(running *r, double from, double *to);
void run_keep_slips(running *r, double t, const double *y); // at the end of a step in which none did
/* Decides anew what sticks at (t, y), which is projected. Returns as run_begin_slips. */
int run_decide_slips(running *r, double t, double *y);
/* The same where one of them changes. */
int run_turn_slips(running *r, double t, double *y);

// ---- work.c
void run_work_new(running *r);            // before the first sample
void run_carry_work(running *r);          // by the integrator, as silent components
void run_find_work(running *r, double t); // up to t of the step, for results and the balance
void run_keep_work(running *r, double t); // before integration begins anew at t
void run_record_balance(running *r, double t);
void run_warn_balance(running *r); // at the end of a run

// ---- over.c
void run_over_new(running *r); // before the first sample
void run_over_boxes(running *r, boxes_velocities velocities);
void run_begin_over(running *r);                           // a step is to be looked into
void run_follow_over(running *r, double to, bool changes); // up to there it is the motion
void run_find_over(running *r, double t);                  // in the step, before it is evaluated at t
void run_put_over(running *r, double t);                   // and behind that, for outputs and conditions
void run_record_over(running *r, double t);                // at a sample
void run_keep_over(running *r, double t, bool changes);    // the step is left at t
void run_warn_over(running *r);                            // at the end of a run

// ---- form.c: from joint coordinates to what samples show; nothing happens where these are the same
bool run_has_tree(const running *r);
void run_lift_new(running *r);
/* (q, v) in the bodies' form, in full_q and full_v. */
void run_lift(running *r, double t, const double *q, const double *v);
/* The same, with accelerations, those of what is integrated first. */
outcome run_solve_lifted(running *r, double t, const double *q, const double *v);
/* Marks of rows that are integrated (m), as marks of all rows that samples show: those that are not among
 * them as at the start. Of the report. */
bool *run_full_rows(running *r, const bool *rows);

// ---- turns.c: angles of joints that are no coordinates, over full turns
void run_begin_turns(running *r);
void run_follow_turns(running *r, double t, const double *y); // up to t in the last step
void run_keep_turns(running *r);                              // as they are where it ended

// ---- samples.c
/* Projection and acceleration at (t, y), as for a sample, in work_q and work_v; false if that cannot be done:
 * r->trouble says why, or r->refused if it is SOLVE_OK. */
bool run_solve_state(running *r, double t, const double *y);
void run_results(running *r); // after it: forces and built-in results
/* Records a sample; false if the run ends with it. Within a step, wrong (else NULL): if the sample does not
 * fit into the step, *wrong becomes t, and nothing is recorded. */
bool run_sample_state(running *r, double t, const double *y, bool last, double *wrong);

#endif
