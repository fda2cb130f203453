/* Rows that say the same as an earlier row: its residual times a constant.
 *
 * Found from shapes and tables alone, before any number is computed, whichever way the rows are written:
 * sides swapped, terms in another order, multiplied by a number or parameter, a square as a product, slots
 * and shapes of another loop. Parameters count with their values, which are settled when a model is read.
 *
 * What is found is equal in exact arithmetic, for all values of coordinates, velocities and t, and defined at
 * the same places (the chance of a mistake is below 10^-20 for a million rows, see expr/residue.h); what is
 * equal to the last bits only is not found, nor what needs sin^2 + cos^2 = 1. To miss a repeat costs time, no
 * more: the solvers find dependent rows by their numbers. */
#ifndef TRAMMEL_MECH_REPEAT_H
#define TRAMMEL_MECH_REPEAT_H

#include "mech/mech.h"

typedef struct {
    int rows;       // of the model, m
    int count;      // of rows that repeat another
    int *of;        // (m) the first row that says the same, which repeats none itself; -1: there is none
    double *factor; // (m) row i is factor[i] times row of[i], not 0; 1 where it repeats none
    long compared;  // how often a row was held against another: not much more often than there are rows
} mech_repeats;

/* A row repeats another if both have the same level, the same damping and stiffness, or none, and both belong
 * to constraints or both to controls. Rows with a weight repeat none. Takes time and memory nearly linear in
 * the number of rows; what it keeps is the arena's. The model's pool is read, nothing is added to it. */
mech_repeats *mech_find_repeats(arena *a, const model *m, const mech *derived);

#endif
