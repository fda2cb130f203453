/* States of one structure abreast: those of several readings of a model, with parameters and numbers of their
 * own, whose kernels run in lanes. Number i of lane l stands at [8 i + l]. What it finds for a lane is to the
 * bit what the state itself would, or it says that this lane is to be looked at by itself. */
#ifndef TRAMMEL_SOLVE_ABREAST_H
#define TRAMMEL_SOLVE_ABREAST_H

#include "linear/dense_lanes.h"
#include "solve/solve.h"

typedef struct {
    const kernel *kernel; // NULL: the stage has no rows
    double *y, *work;
} abreast_stage;

typedef struct abreast abreast;
typedef void abreast_checks(const abreast *w, const double *gram, const double *usual, double *least_gram,
                            double *fine, double *doubt);

struct abreast {
    const trm_system *sys; // of one of them, while there is one
    int n, m;
    abreast_checks *check; // for this processor, see below
    double *x;             // inputs
    abreast_stage stages[STAGES];
    bool projects;                    // as its solvers would, while these are quick
    dense_lanes *position, *velocity; // NULL: the kernel solves, or there are no rows
};

/* Whether motions of the system can go abreast at all: it is solved in its kernel, and what there is beside
 * is arithmetic; and whether the state has nothing beside it just now. */
bool abreast_can(const trm_system *sys, const trm_state *st);
/* For states like this one; NULL: there are no lanes for it. */
abreast *abreast_new(arena *a, const trm_system *sys, const trm_state *st);
/* Whether another one is like those that are there. */
bool abreast_is_like(const abreast *w, const trm_system *sys, const trm_state *st);
/* It takes a lane, with its parameters and numbers. */
void abreast_take(abreast *w, int lane, const trm_system *sys, const trm_state *st);

void abreast_run(const abreast *w, stage_kind which);
/* Whether the solvers that a state projects by would go the quick way now. */
bool abreast_is_quick(const trm_system *sys, const trm_state *st);
/* check, after STAGE_DYNAMICS: fine (lanes) becomes 0 where the kernel's solution is not to be trusted, or
 * where DIRECT_GRAM is not above `gram`; doubt 1 where a row may be shorter than usual by more than the rows
 * are near to dependence (run_nearness_by), else 0; usual (m lanes) are squares. least_gram becomes the least
 * so far. */
/* Where q'' is. */
const double *abreast_found(const abreast *w);
/* Then, as solve_powers (works lanes). */
void abreast_powers(const abreast *w, double *out);
/* And A, for the state of a lane; how near its rows were to dependence is what it returns. */
double abreast_give_rows(const abreast *w, int lane, trm_state *st);
/* So many accelerations were found for a state, the last one by its kernel. */
void abreast_count(trm_state *st, int evaluations);

#endif
