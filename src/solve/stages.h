#ifndef TRAMMEL_SOLVE_STAGES_H
#define TRAMMEL_SOLVE_STAGES_H

#include "solve/system.h"

void stages_build(trm_system *s, expr_pool *pool, evaluate_how how);

#endif
