/* Masses, forces, rows and energies that functions of the host give as numbers. The numbers are results of
 * the model, so that shapes can have them among their inputs; the rest of the program sees shapes as any
 * others. */
#ifndef TRAMMEL_MECH_SUPPLY_H
#define TRAMMEL_MECH_SUPPLY_H

#include "lang/model.h"

typedef struct {
    int rows; // of which position_rows are given as phi = 0, the first, and velocity_rows as phi' or psi = 0
    int position_rows, velocity_rows;
    const char *const *names;            // (rows)
    supply_function *give[SUPPLY_KINDS]; // NULL: not given
    const void *by;
} mech_supplies;

/* Adds them to what the model has, before it is derived. */
void mech_supply(model *m, const mech_supplies *s);

#endif
