/* Vectors and rotations in symbols, over the slots of the element at hand.
 *
 * With the unit quaternion q = (q0; u) of a body, in body-fixed components:
 *   world vector      R s = s + (2 - |q|^2) (q0 t + u x t),  t = 2 u x s
 *   angular velocity  omega = 2 (q0 u' - q0' u - u x u') = 2 E(q) q'
 *   generalized force of a torque tau   2 E(q)' tau,   since tau . omega = (2 E' tau) . q'
 *
 * Where |q| = 1 the factor 2 - |q|^2 is 1; with it, R does not change in the direction of q. So the rows of
 * joints are perpendicular to those of B.norm, and what of them depends on others depends on joints alone:
 * multipliers of least norm are those of the joints. */
#ifndef TRAMMEL_MECH_FRAMES_H
#define TRAMMEL_MECH_FRAMES_H

#include "lang/elab.h"
#include "mech/rotation.h"

/* A number that differs from instance to instance, in a constant slot of its own. */
scalar frames_number(elab *L, double number);
value frames_vector(elab *L, vector v, int size);        // of such numbers
value frames_quaternion(elab *L, quaternion q);          // of such numbers
value frames_known(elab *L, const double *at, int size); // of numbers that are the same for all

scalar frames_op(elab *L, op_code op, scalar a, scalar b);
scalar frames_dot(elab *L, value a, value b);
value frames_cross(elab *L, value a, value b); // of triples
value frames_sum(elab *L, value a, value b);
value frames_difference(elab *L, value a, value b);
value frames_scaled(elab *L, scalar s, value a);
/* Time derivative of what holds no velocities. */
value frames_rate(elab *L, value v);

value frames_rotate(elab *L, value q, value s);
value frames_rotate_back(elab *L, value q, value s);
value frames_rotate_planar(elab *L, scalar angle, value s); // of pairs
value frames_omega(elab *L, value q);
/* 2 E(q)' tau */
value frames_on_quaternion(elab *L, value q, value torque);
/* tau = E(q) f / 2 of the generalized forces f on a unit quaternion */
value frames_torque(elab *L, value q, value f);
value frames_product(elab *L, value a, value b); // of quaternions

#endif
