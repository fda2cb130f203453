/* Friction on constraints and joints: which rows press, and what slips. */
#ifndef TRAMMEL_MECH_FRICTION_H
#define TRAMMEL_MECH_FRICTION_H

#include "lang/elab.h"

/* friction NAME: mu = e [, static = e] [, radius = r] [, slip = e] */
void friction_act(elab *L, const stmt *s, const binding *scope);

/* What slips along the rows of a constraint, with its coordinates as Cartesian: components of their velocity,
 * each of unit length. */
typedef struct {
    int rows, coordinates; // of the constraint
    int count;             // of components; 0: the rows leave no motion
} tangent;

/* Looks at the rows of a constraint; false, and an error, if they have no tangent. */
bool tangent_find(elab *L, const model_constraint *c, place at, tangent *out);
/* Component `which`, over the slots of a new element. */
expr tangent_component(elab *L, const model_constraint *c, tangent t, int which);
/* Which symbols a row is differentiated by: those of its highest level. */
sym_kind tangent_level(elab *L, expr e);

/* Takes from the coordinates that a constraint presses those on which the force is only the opposite of that
 * on another: they belong to the other body. Returns how many are left. */
int friction_one_side(elab *L, const model_friction *f, int *pressed, int count);

#endif
