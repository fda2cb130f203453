/* One trajectory's numbers: inputs x, the stages' outputs, factorisations. Every call is f(const trm_system
 * *, trm_state *). What is in a state is known to the rooms system and solve alone (state_inside.h); others
 * read what was found, and write by the verbs below. */
#ifndef TRAMMEL_SYSTEM_STATE_H
#define TRAMMEL_SYSTEM_STATE_H

#include "base/profile.h"
#include "linear/solver.h"
#include "system/system.h"

typedef struct trm_state trm_state;

trm_state *state_new(arena *a, const trm_system *sys); // without friction, which solve adds
void state_free(trm_state *st);                        // with the arena that it was made in

/* What the last evaluation found (solve.h says which call fills what). The arrays stay where they are. */
typedef struct {
    const double *M, *Q, *A, *b;      // M and A have the entries of sys->M and sys->A only
    const double *qdd;                // (n)
    const double *force;              // (n) Q + C
    const double *multiplier;         // (m) in the order of rows; 0 for rows with weight
    const double *reaction, *control; // (n) M q'' - Q; the part of it that is the controls'
    int rank;                         // of the rows without weight
    long evaluations;                 // accelerations computed so far
} state_found;

const state_found *state_look(const trm_state *st);

// ---- inputs

void state_set(const trm_system *sys, trm_state *st, double t, const double *q, const double *v);
const double *state_q(const trm_system *sys, const trm_state *st); // (n) as they were set
const double *state_v(const trm_system *sys, const trm_state *st);
double state_input(const trm_state *st, int x);                      // by its place, see trm_system
void state_set_unit(const trm_system *sys, trm_state *st, int rate); // that velocity 1, all others 0
/* What each of sys->works has done so far, which results tell; 0 until it is set. */
void state_set_done(const trm_system *sys, trm_state *st, const double *done);
/* The same of the results over the run; NAN until they are set. */
void state_set_over(const trm_system *sys, trm_state *st, const double *over);
/* The angles that are kept become those at t and q in x; reset: they become those of the start. */
void state_keep_turns(const trm_system *sys, trm_state *st);
void state_turns(const trm_system *sys, const trm_state *st, double *out);
void state_reset_turns(const trm_system *sys, trm_state *st);
void state_put_turn(const trm_system *sys, trm_state *st, int turn, double angle); // one of them

/* Switches (switch_count numbers) are inputs as well: they stay as they are until they are set. */
void state_set_switches(const trm_system *sys, trm_state *st);        // as t, q and v in x ask for
bool state_switches_turned(const trm_system *sys, trm_state *st);     // whether that would change one
bool state_row_switches_turned(const trm_system *sys, trm_state *st); // one that is in a constraint
void state_get_switches(const trm_system *sys, const trm_state *st, double *out);
void state_put_switches(const trm_system *sys, trm_state *st, const double *in);

/* Below which a row counts as dependent. */
double state_cut(const trm_state *st);
void state_set_cut(trm_state *st, double cut);
/* Whether a row is not in force, as that of the slip velocity of a friction that slips: to all it is zero. */
bool state_idle(const trm_state *st, int row);
void state_set_idle(trm_state *st, int row, bool idle);

// ---- stages

void state_run(const trm_system *sys, trm_state *st, stage_kind which);
const double *state_output(const trm_state *st, stage_kind which); // of its last run

/* One level's parts in a state: M, residuals and A of the last run of its stage, with their patterns. */
typedef struct {
    const system_level *level;
    stage_kind stage;
    sparsity M_pattern;
    double *input; // (n) the unknowns among the inputs
    double *M, *residual, *A;
    stage_kind look;    // tells residuals alone
    const double *off;  // (2 m) what it told last, see system.h; NULL: there is no such stage
    const double *step; // what the kernel found (direct.h), or NULL
    solver *solver;
    double cut, *scratch; // (several n + m)
} state_level;

state_level state_position(const trm_system *sys, const trm_state *st);
state_level state_velocity(const trm_system *sys, const trm_state *st);
/* The same with M alone, where there is a stiffness. */
state_level state_without_stiffness(const trm_system *sys, const trm_state *st, stage_kind which);
/* Makes room for a stiffness (solve_stiffness), which from then on is added to M; or takes it away. */
void state_add_stiffness(const trm_system *sys, trm_state *st);
void state_drop_stiffness(trm_state *st);

// ---- for those who call from outside

/* Threads for what is large; NULL: one. */
team *state_team(const trm_state *st);
void state_set_error(trm_state *st, int code); // why their last call failed
/* Whether what stands in the state is of the acceleration that they last asked for. */
void state_set_known(trm_state *st, bool known);
bool state_known(const trm_state *st);
int state_error(const trm_state *st);

// ---- functions of the host, supply.c

/* What the one that failed says; NULL if none did. From then on none is called, and its numbers are NAN, so
 * that all comes to an end soon; until the state is told to go on. */
const char *state_refusal(const trm_state *st);
void state_forgive(trm_state *st);
const char *state_last_refusal(const trm_state *st); // what was said, also after that
void state_ask_again(trm_state *st);                 // they give other numbers for the same state from now on

// ---- where time goes

profile *state_profile(const trm_state *st); // NULL: time is not measured
void state_set_profile(trm_state *st, profile *p);

#endif
