/* Which way each stage is compiled: the one whose time to compile and to run is expected to be least. The
 * same in every run and on every machine: times are not measured but follow from counts (cost.c has the
 * figures, and where they come from). */
#ifndef TRAMMEL_SYSTEM_COST_H
#define TRAMMEL_SYSTEM_COST_H

#include "system/system.h"

typedef enum {
    WAY_TAPED,     // a tape for each shape, run over its instances
    WAY_ASSEMBLED, // the same by native code
    WAY_FUSED,     // one kernel of all instances
    WAY_DIRECT     // one that solves, too (direct.h)
} cost_way;

/* How often what is done in a run. */
typedef struct {
    double evaluations; // of the acceleration
    double visits;      // states that are projected: ends of steps, and samples
} cost_runs;

cost_runs cost_expect(const trm_system *s); // natural units are known

/* Of STAGE_DYNAMICS, STAGE_POSITION and STAGE_VELOCITY, or any other; solves: whether a kernel that solves
 * would do. Before natural units are known, cost_start tells whether the typed start is evaluated by kernels
 * for each shape, or without any. */
cost_way cost_choose(const trm_system *s, const expr_pool *pool, stage_kind kind, bool solves);
bool cost_start(const trm_system *s, const expr_pool *pool, cost_way *way);
/* Whether a solution is short enough to be part of a program of its own. */
bool cost_emits_solution(const trm_system *s, stage_kind kind);
/* Whether a stage is of samples, and these are few. */
bool cost_seldom(const trm_system *s, stage_kind kind);

/* Whether a kernel for velocities that are not q' (STAGE_MOTION) pays. */
bool cost_moves(const trm_system *s);

/* Whether a stage still solves where these of its rows A are added to M, NULL for none: those that join
 * blocks of M make it full. */
bool cost_affords(const trm_system *s, stage_kind kind, sparsity A, const bool *added);

#endif
