/* The linear system about a state: small deviations that the constraints allow, in independent coordinates.
 */
#ifndef TRAMMEL_STUDY_LINEARIZE_H
#define TRAMMEL_STUDY_LINEARIZE_H

#include "linear/dependence.h"
#include "motion/assemble.h"
#include "study/chart.h"
#include "study/modes.h"
#include "study/response.h"
#include "study/values.h"

typedef struct {
    double time;
    start_state start;
    failure failure; // of assembly, or of the evaluation there
    bool solved;
    rank_report *rank; // of the rows at the start
    bool mass_singular;
    bool *idle;                // (m) rows of frictions that slip
    int positions, velocities; // independent ones
    int *position, *velocity;  // their coordinates, ascending
    const char *
        *names; // (size) of the deviations, where states that have names (states.c) stand for them; or NULL
    const double *sizes;  // (size) what is usual of these
    chart chart;          // how the others go with them, in natural units
    double *matrix;       // (size x size), size = positions + velocities: d' = matrix d
    double *re, *im;      // (size) eigenvalues: the largest real parts first, then the slowest
    mode *modes;          // (size) of these; which position is the largest is asked in natural units
    double same;          // what may be left of a repeated one, beside the largest
    bool exact;           // slopes are from the expressions, not from differences
    bool timed;           // the equations depend on time
    bool still;           // time stands, and velocities are 0: a rest of what the drives hold
    bool resting, steady; // see steady.h
    double off;           // largest rate that a steady motion does not explain
    int off_where;        // its coordinate; + n if it is that of the velocity
    response *response;   // with inputs and outputs; NULL if it was not asked for
    values there;         // the same
    const char *about;    // which state it is, "the start"
} linear_report;

/* How much memory it takes, or an equilibrium, and about how long the former does, in seconds. */
double linear_bytes(const trm_system *sys);
double linear_seconds(const trm_system *sys);

/* At the assembled start. The system must have been made for this by linear_prepare, before its state.
 * with: what to add to it, or NULL. still: velocities are 0, and rows that change with time are held as they
 * are at t. */
void linear_prepare(trm_system *sys);
linear_report *linear_system(arena *a, const trm_system *sys, trm_state *st, double t, double tolerance,
                             bool still, const ports *with);

#endif
