/* project.h in lanes, for states abreast (solve/abreast.h). */
#ifndef TRAMMEL_MOTION_PROJECT_LANES_H
#define TRAMMEL_MOTION_PROJECT_LANES_H

#include "solve/abreast.h"

typedef struct project_lanes project_lanes;

project_lanes *project_lanes_new(arena *a, const trm_system *sys);
/* Positions, then velocities, as they stand among the inputs of w. fine (lanes): those to be projected; it
 * becomes 0 where that takes more than plain steps of Newton's method, and then they are spoiled. */
void project_abreast(project_lanes *p, const abreast *w, const double *tolerance, const double *cut,
                     double *fine);

#endif
