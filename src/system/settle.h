/* Expressions that are simpler than they look. What velocities other than q' do to M, Q, A and b comes out as
 * long sums of products with H, and often as a number: of a body that turns, H'MH is its inertia. Whether it
 * is, is decided by exact arithmetic in finite fields (expr/residue.h), parameters with their values. */
#ifndef TRAMMEL_SYSTEM_SETTLE_H
#define TRAMMEL_SYSTEM_SETTLE_H

#include "system/system.h"

/* The same as a polynomial of second degree in the symbols SYM_V, if its coefficients are numbers, or numbers
 * times |p|^2 or 1/|p|^2 of one of mech.quaternions; else e. */
void settle_expressions(const trm_system *sys, expr_pool *pool, expr *e, int count); // in place
expr settle_expression(const trm_system *sys, expr_pool *pool, expr e);
bool settle_is_zero(const trm_system *sys, expr_pool *pool, expr e);
/* Numbers for symbols, no two alike and none zero: a state that is nothing special. */
double settle_some_number(sym_kind kind, int index);

#endif
