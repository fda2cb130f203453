/* What the files of this room share while deriving. */
#ifndef TRAMMEL_MECH_DERIVE_H
#define TRAMMEL_MECH_DERIVE_H

#include "mech/mech.h"

typedef struct {
    arena *arena;
    model *model;
    expr_pool *pool;
    mech *mech;
    const shape *shape;
    mech_shape *out;
    bool failed; // something has no derivative: told
} derivation;

void derive_add(derivation *d, mech_quantity quantity, int i, int j, expr e); // zero is left out
expr derive_diff(derivation *d, expr e, sym_kind kind, int index);            // tells if there is none
/* Derivatives with respect to all slots (slot_count each): of one kind, and of both p and v in one sweep. */
void derive_gradient(derivation *d, expr e, sym_kind kind, expr *out);
void derive_gradients(derivation *d, expr e, expr *by_p, expr *by_v);
expr derive_drift(derivation *d, expr e);                  // (de/dp) v + de/dt
expr derive_at_zero(derivation *d, expr e, sym_kind kind); // e where all symbols of this kind are zero
bool derive_is_zero(const derivation *d, expr e);
bool derive_does_nothing(derivation *d); // all entries so far are zero with the values that are given

bool derive_is_decided(op_code op);   // it takes one of several branches
void derive_join(arena *a, model *m); // before all else
/* begin.c: the model with rows for the exact initial values of joints, or of their rates; NULL: there are
 * none. */
model *begin_model(arena *a, const model *m, bool rate);
// bodies.c: whether another kinetic energy or mass than a body's own is given for its coordinates
bool bodies_have_foreign_energy(arena *a, const model *m);
void derive_element(derivation *d); // all of a shape, and its switches
void derive_kinetic(derivation *d);
void derive_row(derivation *d);
void derive_given(derivation *d);                 // of a shape that is given
void derive_switches(derivation *d);              // after all else
void derive_quaternions(arena *a, mech *m);       // after all shapes
bool derive_norms_hold_numbers(const mech *m);    // whether numbers decide on these
bool derive_homogeneous(derivation *d, expr psi); // in the velocities

#endif
