/* Vectors and matrices of expressions, in which EXPR_NONE is zero: what is zero or a number costs nothing in
 * what follows from it. */
#ifndef TRAMMEL_MECH_TREE_ALGEBRA_H
#define TRAMMEL_MECH_TREE_ALGEBRA_H

#include "expr/expr.h"
#include "mech/rotation.h"

typedef struct {
    expr at[3];
} tvec;

typedef struct {
    expr at[3][3];
} tmat;

typedef struct {
    expr at[4]; // w, x, y, z
} tquat;

// ---- scalars
expr t_number(expr_pool *p, double x);
expr t_add(expr_pool *p, expr a, expr b);
expr t_sub(expr_pool *p, expr a, expr b);
expr t_mul(expr_pool *p, expr a, expr b);
expr t_div(expr_pool *p, expr a, expr b); // b is not zero
expr t_neg(expr_pool *p, expr a);

// ---- vectors
tvec tv_number(expr_pool *p, vector v);
tvec tv_add(expr_pool *p, tvec a, tvec b);
tvec tv_sub(expr_pool *p, tvec a, tvec b);
tvec tv_neg(expr_pool *p, tvec a);
tvec tv_scale(expr_pool *p, expr s, tvec a);
tvec tv_cross(expr_pool *p, tvec a, tvec b);
expr tv_dot(expr_pool *p, tvec a, tvec b);
bool tv_is_zero(tvec a);

// ---- matrices
tmat tm_number(expr_pool *p, quaternion q); // that turns as q does
tmat tm_identity(expr_pool *p);
tmat tm_add(expr_pool *p, tmat a, tmat b);
tmat tm_sub(expr_pool *p, tmat a, tmat b);
tmat tm_product(expr_pool *p, tmat a, tmat b);
tmat tm_transpose(tmat a);
tvec tm_apply(expr_pool *p, tmat a, tvec v);      // a v
tvec tm_apply_back(expr_pool *p, tmat a, tvec v); // a' v
/* E' S E of a symmetric S: the six entries on and above the diagonal are computed, the others are the same.
 */
tmat tm_turn_back(expr_pool *p, tmat E, tmat S);
tmat tm_outer(expr_pool *p, tvec a, tvec b); // a b'
tmat tm_cross(expr_pool *p, tvec a);         // a~, with a~ b = a x b

// ---- quaternions
tquat tq_number(expr_pool *p, quaternion q);
tquat tq_product(expr_pool *p, tquat a, tquat b);
tmat tq_matrix(expr_pool *p, tquat q);
tvec tq_vector(tquat q);
tquat tq_of(expr w, tvec v);

#endif
