#ifndef TRAMMEL_SOLVE_STAGES_H
#define TRAMMEL_SOLVE_STAGES_H

#include "solve/system.h"

void stages_build(trm_system *s, expr_pool *pool, evaluate_how how); // all but STAGE_JACOBIAN
void stages_add_views(trm_system *s, expr_pool *pool);
void stages_add_jacobian(trm_system *s, expr_pool *pool); // from slopes

#endif
