/* What compiling a system looked at. Kernels have parameters among their inputs, but some decisions are made
 * by their values: natural scales, which stand in kernels as numbers, rows that repeat others or are added to
 * a singular M, whether rows depend on each other at the start. With other values of what the model's recipes
 * tell, a system still fits if all of these come out as before: it is then, to the bit, the one that would be
 * compiled.
 *
 * Several cases at once: system_constants fills one table x for each set of values that fits. */
#ifndef TRAMMEL_SYSTEM_SEEN_H
#define TRAMMEL_SYSTEM_SEEN_H

#include "expr/written.h"
#include "mech/repeat.h"
#include "system/direct.h"
#include "system/system.h"

struct system_seen {
    double given_span;
    model_simulate simulate;     // what costs are expected by
    double *constants;           // (x_size) as system_constants has them
    double *start;               // (2 n) as typed
    bool folds;                  // numbers of instances stand in kernels
    bool everything;             // any other number may give another system
    const mech_repeats *repeats; // NULL: no number decides on them
    bool by_kernels;             // which dynamics and switches the start was looked at with
    stage first[2];              // these, if by kernels
    bool asked_dependent, dependent;
    const written *added_by; // M and A, by which rows to be added were found; NULL: none were looked for
    direct_problem added_of; // with its patterns
    const bool *added;
    bool possible;
};

/* Whether a system with such a record fits the numbers that its model has now. */
bool system_fits(trm_system *s, double span, double every);

// ---- while it is compiled; without a record nothing is done
system_seen *seen_new(trm_system *s, double span);
void seen_repeats(trm_system *s, const mech_repeats *found);
void seen_added(trm_system *s, const expr_pool *pool, const direct_problem *p, const bool *added,
                bool possible);

#endif
