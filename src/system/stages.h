#ifndef TRAMMEL_SYSTEM_STAGES_H
#define TRAMMEL_SYSTEM_STAGES_H

#include "system/system.h"

void stages_build(trm_system *s, expr_pool *pool, evaluate_how how); // all but STAGE_JACOBIAN
void stages_add_views(trm_system *s, expr_pool *pool);
void stages_add_jacobian(trm_system *s, expr_pool *pool); // from slopes

/* Which rows of a level are added to M where its stage solves, as they are for the dynamics. */
const bool *stages_added(arena *a, const trm_system *s, const system_level *level);

/* fused.c: one kernel of all instances, for a stage whose y has its size. */
void stages_fuse(trm_system *s, expr_pool *pool, stage_kind kind);

#endif
