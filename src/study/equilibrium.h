/* An equilibrium near the start: rest, or a motion that looks the same at every instant; whether it is
 * stable, which of its positions may be changed, and the forces there. */
#ifndef TRAMMEL_STUDY_EQUILIBRIUM_H
#define TRAMMEL_STUDY_EQUILIBRIUM_H

#include "study/linearize.h"
#include "study/settle.h"

typedef enum {
    STABLE_DECAYS,     // all deviations die out
    STABLE_OSCILLATES, // none grows, but nothing ends some of them
    STABLE_NEUTRAL,    // the same, but for those along the free directions
    STABLE_UNDECIDED,  // a zero eigenvalue that belongs to no free direction: to first order nothing tells
    STABLE_NOT
} stability;

/* A way in which positions can be changed to first order, and the accelerations stay 0. */
typedef struct {
    double *dq;    // (n) in the model's units
    int leading;   // the coordinate that tells it best: 1 in dq, but for what follows
    bool family;   // the positions next to it are equilibria, too
    double *joint; // (outputs of the model) how the freedoms of joints go with it, others 0
    int by;        // that of these which tells it best: 1 in joint; -1: no joint moves
} free_direction;

typedef struct {
    double time;
    start_state start; // the guess
    failure failure;   // none was found, or the start could not be assembled
    bool found;
    bool timed;              // the equations change with time
    bool still;              // and it is a rest while they do not
    bool steady;             // a motion, not a rest
    bool dropped_velocities; // those of the start belong to no motion of the whole
    bool sticks;             // friction holds what the other forces alone would not
    bool *sticking;          // (frictions)
    settle_result search;
    double *q, *v;
    linear_report *linear; // about it; NULL if there is none
    stability stable;
    vec(free_direction) free;
    values there;
} equilibrium_report;

/* The system must have been made for this by equilibrium_prepare, before its states. Where one is found, the
 * system starts there from then on. */
void equilibrium_prepare(trm_system *sys);
equilibrium_report *equilibrium_find(arena *a, trm_system *sys, double t, double tolerance);
/* The same without stability, free directions and forces: what a run needs. */
equilibrium_report *equilibrium_start(arena *a, trm_system *sys, double t, double tolerance);

#endif
