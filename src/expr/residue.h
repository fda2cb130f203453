/* Expressions evaluated exactly, in finite fields: there, equal values at random points mean equal
 * expressions.
 *
 * A sum, product or quotient of finite doubles is a rational number m 2^e / n, and has an exact value modulo
 * a prime. Coordinates, velocities, accelerations and t get random values, and a function such as sin is
 * replaced by a random one that has its symmetry, sin(-u) = -sin(u). What is equal by the rules of a
 * commutative field and these symmetries, whichever way it is written, has equal values. What is not equal
 * differs, but for a chance of at most degree/p at each point (Schwartz and Zippel): with two points modulo
 * 2^61 - 1 and two modulo 2^57 - 13, so that no power of two is 1 in both, two rows of second degree pass for
 * proportional by mistake in one of 10^34 cases. Expressions of degree above RESIDUE_DEGREE are refused.
 *
 * Where an expression has no value (x/x at 0, sqrt(x) for x < 0) is no matter of fields, so it is told apart:
 * see residue_run. Rounding is not imitated: (x + 0.1) - 0.1 is x. */
#ifndef TRAMMEL_EXPR_RESIDUE_H
#define TRAMMEL_EXPR_RESIDUE_H

#include "expr/expr.h"

enum { RESIDUE_LANES = 4 };        // two points in each of the two fields
enum { RESIDUE_DEGREE = 1 << 20 }; // chance of a mistake still below 10^-22
enum { RESIDUE_ROOTS_MOST = 32 };  // of a plan

typedef struct {
    uint64_t at[RESIDUE_LANES];
} residue;

bool residue_number(double value, residue *out); // false if it is not finite
residue residue_random(uint64_t which);          // the same for the same number
bool residue_same(residue a, residue b);
bool residue_constant(residue a); // the same at both points of each field
residue residue_plus(residue a, residue b);
residue residue_negative(residue a);
residue residue_times(residue a, residue b);
bool residue_over(residue a, residue b, residue *out); // false for b = 0; 0.7 us

/* What r and c r have in common for every number c that is not 0, for many at once: 30 ns each. Zeros where r
 * is 0. */
typedef struct {
    uint64_t at[2];
} residue_direction;
void residue_directions(int count, const residue *r, residue_direction *out);

/* The value of a symbol; false if there is none. */
typedef bool (*residue_get)(void *context, sym_kind kind, int index, residue *out);
/* Some expressions, prepared for many runs. What holds only symbols of the kinds in fixed (a mask) is
 * evaluated now. NULL if a value is undefined or a degree too high. */
typedef struct residue_plan residue_plan;
residue_plan *residue_plan_new(arena *a, const expr_pool *pool, const expr *roots, int count, unsigned fixed,
                               residue_get get, void *context);
/* From now on sin(u)^2 + cos(u)^2 is 1: they are 2 r/(1 + r^2) and (1 - r^2)/(1 + r^2), r random. That takes
 * a division for each. */
void residue_plan_on_circle(residue_plan *plan);
/* Values of the roots, and a hash of the set of operations in them that are not defined everywhere, with
 * their operands: where this hash is the same too, equal expressions are defined at the same places. A
 * denominator may differ by a constant factor. False if something is divided by 0 or not finite. A plan is
 * used by one thread at a time. */
bool residue_run(residue_plan *plan, residue_get get, void *context, residue *out, uint64_t *domain);

#endif
