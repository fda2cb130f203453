/* Which cases a sweep has: a rule that gives the values of a case by its number. Nothing is stored for each
 * case, but for those that come from a file.
 *
 *   L=0.5:2:16        16 values from 0.5 to 2            L=1,2,5       these
 *   k=log(1:1000:7)   7 values, each the same times the one before
 *   L=0.5:2           to be drawn, uniformly: --lhs N, --sobol N, --random N; uniform(a,b) is the same
 *   k=log(1:1000)     uniformly in its logarithm         m=normal(1,0.1)  by its mean and deviation
 *
 * Numbers are expressions in the model's parameters. In a grid the last one varies fastest. */
#ifndef TRAMMEL_SWEEP_PLAN_H
#define TRAMMEL_SWEEP_PLAN_H

#include "lang/model.h"

typedef enum { PLAN_GRID, PLAN_ZIP, PLAN_LHS, PLAN_SOBOL, PLAN_RANDOM, PLAN_FILE, PLAN_KINDS } plan_kind;
typedef enum { AXIS_LIST, AXIS_LINEAR, AXIS_LOG, AXIS_NORMAL } axis_kind;

typedef struct {
    const char *name;  // of the parameter
    const char *given; // L=0.5:2:16
    axis_kind kind;
    double a, b;    // ends, or mean and deviation
    long count;     // of values; 0: they are drawn
    double *values; // (count) of a list; of a file those of all cases are in the plan
} axis;

typedef struct {
    plan_kind kind;
    axis *axes; // (axis_count)
    int axis_count;
    long cases;
    uint64_t seed;
    const char *file; // of PLAN_FILE
    double *table;    // (cases x axis_count) of that
    uint32_t hash;    // of its bytes
} plan;

/* What was asked for. */
typedef struct {
    plan_kind kind;           // PLAN_FILE if there is a file
    const char *const *given; // (count) NAME=VALUES
    int count;
    long draws; // of PLAN_LHS, PLAN_SOBOL, PLAN_RANDOM
    uint64_t seed;
    const char *file; // with cases; NULL: none
} plan_wish;

enum { PLAN_DIMENSIONS = 21 };                  // at most, of PLAN_SOBOL
static const long PLAN_CASES_MOST = 1000000000; // of PLAN_SOBOL 2^30

/* NULL, with the reasons in d, if it cannot be. settings: what the model was read with, which cannot be
 * varied, too. */
plan *plan_new(arena *a, const model *m, const plan_wish *wish, const model_setting *settings,
               int setting_count, diags *d);
void plan_values(const plan *p, long which, double *out); // (axis_count) of a case

/* "grid", "zip", ...: the words of the plan's file. */
const char *plan_kind_name(plan_kind kind);

// ---- axis.c

/* One of them, by what stands behind its name; drawn: as of a plan that draws. */
bool axis_read(arena *a, const model *m, bool drawn, axis *x, const char *values, diags *d);
double axis_value(const axis *x, long i);   // 0 .. count - 1
double axis_drawn(const axis *x, double u); // from a number between 0 and 1

// ---- draw.c

double draw_uniform(uint64_t seed, int dimension, long which);
double draw_stratum(uint64_t seed, int dimension, long which,
                    long count); // each of the `count` strata has one
double draw_normal(double u);    // the quantile; 0 < u < 1

// ---- sobol.c

/* Number `which` of the sequence of Sobol' in Gray code's order, with the direction numbers of Joe and Kuo
 * (2008): a multiple of 2^-30 in [0, 1). */
double sobol_number(int dimension, long which);

// ---- table.c

/* Cases from a file: a line of names, then one of numbers for each case. */
bool plan_read_file(arena *a, plan *p, diags *d);

#endif
