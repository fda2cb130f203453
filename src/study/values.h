/* What is known of one state: forces, and what the model shows. */
#ifndef TRAMMEL_STUDY_VALUES_H
#define TRAMMEL_STUDY_VALUES_H

#include "solve/solve.h"

typedef struct {
    double *force, *reaction, *control, *multiplier, *outputs; // force: Q; NULL where there are none
    const double *views;                                       // of pictures: the forces of joints
} values;

/* Of a new state; still: what changes with time is held. */
values values_at(arena *a, const trm_system *sys, trm_state *st, const moment *at, bool still,
                 double tolerance);

#endif
