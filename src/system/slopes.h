/* Where STAGE_JACOBIAN has entries. */
#ifndef TRAMMEL_SYSTEM_SLOPES_H
#define TRAMMEL_SYSTEM_SLOPES_H

#include "system/system.h"

/* For each coordinate (n) by which is derived: the equations of coordinates (0 .. n - 1) and of rows (n + row
 * of the model) that change with it or with its rate. Once sys->slopes are there. */
sparsity slopes_pattern(const trm_system *sys);
/* The pattern of M + g D + g^2 K, D and K the symmetric parts of the slopes. */
sparsity slopes_metric(arena *a, const trm_system *sys);

#endif
