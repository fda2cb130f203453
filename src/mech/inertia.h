/* Which inertia a body can have, and its principal axes. */
#ifndef TRAMMEL_MECH_INERTIA_H
#define TRAMMEL_MECH_INERTIA_H

#include "mech/rotation.h"

typedef enum {
    INERTIA_FINE,
    INERTIA_NEGATIVE, // a principal moment is less than 0
    INERTIA_LOPSIDED  // one exceeds the sum of the other two
} inertia_fault;

/* Of the inertia (xx, yy, zz, xy, xz, yz); moment: its principal moments, least first. */
inertia_fault inertia_judge(const double *J, double *moment);

/* The rotation from its principal axes to the body's own; moment: about each of these. */
quaternion inertia_axes(const double *J, double *moment);

#endif
