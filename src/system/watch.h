// clang-format off
/* What may happen inside a step though none of its stages sees it. Forces, constraints and the conditions of stops are made
 * of functions, and a few of these do something within a small part of their argument, or all at once. Their arguments are
 * watched: over a part of a step in which an argument stays within bounds that its rule calls harmless, nothing can happen
 * that the step does not know of.
 *
 *   function                            argument      harmless if
 *   <, <=, ==, !=, min, max; abs, sign  a - b; a      0 is not inside
 *   floor                               a             it has one value
 *   exp; a^b with b that moves          a; b log(a)   its width, cut off below -45, is at most 3
 *   tanh, atan, sinh, cosh              a             its width, cut off at +-20, is at most 2
 *   sin, cos                            a             its width is at most 6
 *   a/b; sqrt, log, other powers        b; a          0 is not inside, and the largest is at most 8 times
 *   tan; asin, acos                     cos(a); 1-a^2   the smallest
 *   atan2(y, x), beside its cut         x^2 + y^2
 *
 * Powers up to 8 that are whole are none of these, and the cut of atan2 is in what switches (mech/switch.c).
 *
 * Polynomials of low degree have no feature narrower than their range. What depends on accelerations or
 * forces of constraints is not known before it is computed: it is named, and looked at now and then. */
// clang-format on
#ifndef TRAMMEL_SYSTEM_WATCH_H
#define TRAMMEL_SYSTEM_WATCH_H

#include "code/interval.h"
#include "system/state.h"

typedef enum {
    WATCH_NONE,
    WATCH_SIGN,
    WATCH_FLOOR,
    WATCH_EXP,
    WATCH_STEEP,
    WATCH_WAVE,
    WATCH_RATIO
} watch_rule;

/* Whether an argument within these bounds is harmless. */
bool watch_harmless(watch_rule rule, interval a);

typedef struct {
    watch_rule rule;
    bool moves, stops; // it is in what moves the system; in the condition of a stop
} watch_argument;

/* The arguments of a shape, for all its instances. */
typedef struct {
    int shape;
    int count; // instances
    const kernel *kernel;
    const watch_argument *arguments; // its outputs
    const int *inputs;               // (count x inputs of the kernel) places in x
} watch_group;

struct system_watch {
    vec(watch_group) groups;
    int most_inputs, most_arguments; // of a group
    size_t most_work;
    int instances;        // of all groups
    vec(int) coordinates; // that arguments depend on
    int *number;          // (n) of a coordinate among these, or -1
    int hidden;           // a shape with an argument that holds accelerations or forces; -1: none has
    bool hidden_stop;     // a stop has
};

/* Whether all arguments of an instance are. */
bool watch_all_harmless(const watch_group *group, const interval *arguments);
/* Workspaces of the groups' kernels, prepared with the parameters in a state. */
interval **watch_workspaces(arena *a, const system_watch *w, const trm_state *st);

/* over: of what results over the run are of, else of what moves or stops the system. NULL if there is nothing
 * to watch. */
const system_watch *watch_new(arena *a, const trm_system *sys, expr_pool *pool, bool over);

#endif
