/* Programs in single precision. */
#ifndef TRAMMEL_EXPORT_SINGLE_H
#define TRAMMEL_EXPORT_SINGLE_H

#include "export/emit.h"

/* A program's text with float in the place of double: the type, numbers, functions. */
const char *single_text(arena *a, const char *given);

/* How far accelerations and multipliers by the kernel in single precision are from those in double, at some
 * states: relative to the largest of each at that state. unsure: at how many states its checks would not let
 * it pass. */
typedef struct {
    double acceleration, multiplier;
    int unsure, states;
} single_accuracy;

void single_compare(arena *a, const trm_system *sys, trm_state *st, double t, const double *q,
                    const double *v, single_accuracy *so_far);

/* What direct_sure (system/direct.h) holds checks against, in single precision: runtime.in has the same. */
static const double SINGLE_MASS = 1e-4, SINGLE_SCHUR = 1e-4, SINGLE_GRAM = 1e-4;

#endif
