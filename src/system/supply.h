/* Numbers that functions of the host give (mech/supply.h): inputs of the stages, asked for before these run.
 */
#ifndef TRAMMEL_SYSTEM_SUPPLY_H
#define TRAMMEL_SYSTEM_SUPPLY_H

#include "system/state.h"

struct supply *supply_new(arena *a, const trm_system *sys); // NULL: there are no such functions
/* Those that the stage needs, at t, q and v in the state's inputs. What was given last for the same is not
 * asked for again. */
void supply_run(const trm_system *sys, trm_state *st, stage_kind which);
/* The same into inputs x that are no state's; NAN where a function fails. */
void supply_inputs(const trm_system *sys, stage_kind which, double *x);

#endif
