/* What can happen in a part of a step: bounds of the state there, from the coefficients of the dense output
 * (curve.h), and of all that is watched (system/watch.h).
 *
 * An argument that is not harmless by itself is bounded once more by its slope: it is within its value in the
 * middle and that slope times half the time, which is narrower where its terms change together, as in x - c
 * t. A sign whose argument rises or falls all the time changes once at most: its values at the ends tell. */
#ifndef TRAMMEL_MOTION_BOXES_H
#define TRAMMEL_MOTION_BOXES_H

#include "motion/integrator.h"
#include "system/state.h"

typedef struct boxes boxes;

/* Where the state that is integrated does not hold the velocities (system/rates.h): these (n) at x, 0 to 1
 * along the step at hand. False if they cannot be had. */
typedef bool (*boxes_velocities)(void *context, double x, double *v);

/* velocities: NULL where the state holds them. */
boxes *boxes_new(arena *a, const trm_system *sys, const system_watch *watch, const trm_state *st,
                 double tolerance, boxes_velocities velocities, void *context);

/* The last step of an integrator. Returns 0, or as integrator.curve. */
int boxes_begin(boxes *b, const integrator_ops *method, integrator *it, double before, double end);

typedef struct {
    int open;         // instances with an argument that may do anything
    int crossings;    // arguments of others that change their sign, or step, once
    bool open_smooth; // one that is open is of a function that does not jump
    bool crosses_motion,
        crosses_stop; // one that changes, or cannot be told from 0, moves the system; is in a stop
} boxes_verdict;

/* Between x = from and to, parts of the step, 0 to 1: of all instances, or of those of which the last verdict
 * that is not closed said that something happens. */
boxes_verdict boxes_look(boxes *b, double from, double to);
/* Forgets the list of the last verdict: the one before counts. */
void boxes_close(boxes *b);
/* After boxes_look: where the signs change, in order; at most BOXES_CROSSINGS of them. Returns how many. */
enum { BOXES_CROSSINGS = 64 };
int boxes_crossings(boxes *b, double *x);

/* Whether as many instances were looked at since boxes_begin as a step is worth, beside all of them once;
 * then boxes_look may not be asked. That is BOXES_MOST, and half as many, down to BOXES_LEAST, after each
 * step that was not settled by so many. */
enum { BOXES_MOST = 4000, BOXES_LEAST = 60 };
bool boxes_exhausted(const boxes *b);
int boxes_shape(const boxes *b); // of the last instance in which something happens

#endif
