#ifndef TRAMMEL_SYSTEM_STAGES_H
#define TRAMMEL_SYSTEM_STAGES_H

#include "system/system.h"

/* Patterns, places of the quantities, velocities; false if quasi-velocities are too many. */
bool stages_lay_out(trm_system *s);
void stages_build(trm_system *s, expr_pool *pool, evaluate_how how); // all but STAGE_JACOBIAN
void stages_add_views(trm_system *s, expr_pool *pool);
void stages_add_jacobian(trm_system *s, expr_pool *pool); // from slopes

/* As they are asked while the stages are built, of a system that has seen that: the dynamics at the start, as
 * the first kernels have them, and whether rows depend on each other there. */
const double *stages_typed(arena *scratch, const trm_system *s, const expr_pool *pool);
bool stages_dependent(const trm_system *s, const expr_pool *pool, const double *y);

/* Which rows of a level are added to M where its stage solves, as they are for the dynamics. */
const bool *stages_added(arena *a, const trm_system *s, const system_level *level);

/* fused.c: one kernel of all instances, for a stage whose y has its size. */
void stages_fuse(trm_system *s, expr_pool *pool, stage_kind kind);
/* What it is made of. Adds the entries of all instances of a shape to the sums, as many as the y of the stage
 * has numbers; symbols are those of the system, and their places in x are what stages_input tells. */
void stages_sum(const trm_system *s, expr_pool *pool, stage_kind kind, int shape_number, arena *scratch,
                expr *sums);
int stages_input(void *system, sym_kind kind, int index);
double stages_some_value(void *system, sym_kind kind, int index); // of a state that is nothing special

/* motion.c: STAGE_MOTION, once the dynamics are there. */
void stages_add_motion(trm_system *s, expr_pool *pool);

#endif
