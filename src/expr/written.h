/* Expressions written down apart from their pool, which may go or forget them: to be evaluated again, to the
 * bit as expr_eval_all does. */
#ifndef TRAMMEL_EXPR_WRITTEN_H
#define TRAMMEL_EXPR_WRITTEN_H

#include "expr/expr.h"

typedef struct written written;

/* EXPR_NONE is 0. */
written *written_new(arena *a, const expr_pool *pool, const expr *e, int count);
void written_eval(arena *scratch, const written *w, expr_get get, void *context, double *out);

#endif
