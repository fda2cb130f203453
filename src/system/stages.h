#ifndef TRAMMEL_SYSTEM_STAGES_H
#define TRAMMEL_SYSTEM_STAGES_H

#include "system/system.h"

void stages_build(trm_system *s, expr_pool *pool, evaluate_how how); // all but STAGE_JACOBIAN
void stages_add_views(trm_system *s, expr_pool *pool);
void stages_add_jacobian(trm_system *s, expr_pool *pool); // from slopes

/* fused.c: one kernel of all instances, for a stage whose y has its size. */
void stages_fuse(trm_system *s, expr_pool *pool, stage_kind kind);

#endif
