/* What the files of response.h share. */
#ifndef TRAMMEL_STUDY_RESPONSE_INSIDE_H
#define TRAMMEL_STUDY_RESPONSE_INSIDE_H

#include "study/response.h"

typedef struct {
    const response_problem *p;
    arena *arena;
    response *r;
    chart chart;
    int n, size, drives, all; // independent deviations; with those of drives
    double *dz;               // (all x 2 n) tangents in the model's units
    double *unit;             // (all) of deviations, in these
    double *work, *probe;     // of differences
    double *z;                // (2 n)
    double *dy;               // (all x values) slopes of all outputs of the model
    double *acceleration;     // (values) at the state itself, with the outputs
    int values;               // n accelerations, then outputs
} making;

bool response_fail(making *k, const char *message, const char *hint); // false

/* Whether a component of a quaternion is among the independent coordinates. */
bool response_needs_names(const making *k);
/* Names of the states without those of drives; where need be others replace the independent coordinates in A,
 * B, C. */
bool response_name_states(making *k);

#endif
