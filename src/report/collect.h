/* Expressions as one would write them on paper: terms collected, brackets multiplied out where that makes
 * them shorter, sin^2 + cos^2 = 1. For display only: equal in exact arithmetic, not to the last bit. */
#ifndef TRAMMEL_REPORT_COLLECT_H
#define TRAMMEL_REPORT_COLLECT_H

#include "expr/expr.h"

typedef struct {
    const expr_pool *pool;
    expr e;
} collected;

/* An expression that has the value of e wherever e has one, and at most as many operations as e when printed.
 * It is e itself, in its own pool, where e is too long to be worth the work; otherwise it stands in a pool of
 * its own, which belongs to the arena: a pool orders operands by age, and here factors and terms shall have
 * an order for the reader. Nothing is added to the pool of e. */
collected collect_terms(arena *a, const expr_pool *pool, expr e);

/* The same where nothing that is divided by is 0: x/x is 1. */
collected collect_quotients(arena *a, const expr_pool *pool, expr e);

/* Operations, numbers and symbols of e as printed, where shared ones count each time. */
double collect_length(const expr_pool *pool, expr e, arena *scratch);

#endif
