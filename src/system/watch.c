#include "system/watch.h"

#include "system/element.h"
#include "system/symbols.h"

#include <math.h>

static const unsigned MOVING = 1u << SYM_TIME | 1u << SYM_P | 1u << SYM_V,
                      HIDDEN = 1u << SYM_A | 1u << SYM_RESULT;

// ---- rules

static double cut(double x, double least, double most) {
    return fmin(fmax(x, least), most);
}

bool watch_harmless(watch_rule rule, interval a) {
    double low = fmin(fabs(a.lo), fabs(a.hi)), high = fmax(fabs(a.lo), fabs(a.hi));
    switch (rule) {
    case WATCH_SIGN:
        return a.lo > 0 || a.hi < 0 || a.lo == a.hi;
    case WATCH_FLOOR:
        return floor(a.lo) == floor(a.hi);
    case WATCH_EXP:
        return fmax(a.hi, -45) - fmax(a.lo, -45) <= 3;
    case WATCH_STEEP:
        return cut(a.hi, -20, 20) - cut(a.lo, -20, 20) <= 2;
    case WATCH_WAVE:
        return a.hi - a.lo <= 6;
    case WATCH_RATIO:
        return ((a.lo > 0 || a.hi < 0) && high <= 8 * low) || a.lo == a.hi;
    default:
        return true;
    }
}

bool watch_all_harmless(const watch_group *group, const interval *arguments) {
    for (int i = 0; i < kernel_outputs(group->kernel); i++)
        if (!watch_harmless(group->arguments[i].rule, arguments[i]))
            return false;
    return true;
}

interval **watch_workspaces(arena *a, const system_watch *w, const trm_state *st) {
    interval **work = arena_array(a, interval *, w->groups.count + 1);
    double *numbers = arena_doubles(a, (size_t)w->most_inputs + 1);
    for (int g = 0; g < w->groups.count; g++) {
        const watch_group *group = &w->groups.at[g];
        for (int i = 0; i < kernel_inputs(group->kernel); i++)
            numbers[i] = state_input(st, group->inputs[i]);
        work[g] = arena_array(a, interval, kernel_bounds_size(group->kernel) + 1);
        kernel_bounds_prepare(group->kernel, numbers, work[g]);
    }
    return work;
}

static bool small_and_whole(const expr_pool *pool, expr power) {
    enum { SMALL = 8 };
    if (expr_op(pool, power) != OP_NUMBER)
        return false;
    double n = expr_value(pool, power);
    return n == floor(n) && n > 0 && n <= SMALL;
}

// a^b with an exponent that moves is exp(b log(a))
static watch_rule rule_of_power(expr_pool *pool, expr a, expr b, expr *argument) {
    if (small_and_whole(pool, b))
        return WATCH_NONE;
    if (!(expr_kinds(pool, b) & MOVING))
        return WATCH_RATIO;
    *argument = expr_op2(pool, OP_MUL, b, expr_op1(pool, OP_LOG, a));
    return WATCH_EXP;
}

// one that is 0 where e has a pole, or begins as a root, or is not a number
static expr vanishing(expr_pool *pool, expr e) {
    expr a = expr_arg(pool, e, 0);
    switch (expr_op(pool, e)) {
    case OP_TAN:
        return expr_op1(pool, OP_COS, a);
    case OP_ASIN:
    case OP_ACOS:
        return expr_op2(pool, OP_SUB, expr_number(pool, 1), expr_op2(pool, OP_MUL, a, a));
    case OP_ATAN2:
        return expr_op2(pool, OP_ADD, expr_op2(pool, OP_MUL, a, a),
                        expr_op2(pool, OP_MUL, expr_arg(pool, e, 1), expr_arg(pool, e, 1)));
    case OP_DIV:
        return expr_arg(pool, e, 1);
    default:
        return a;
    }
}

static watch_rule rule_of(expr_pool *pool, expr e, expr *argument) {
    op_code op = expr_op(pool, e);
    expr a = ops[op].arity > 0 ? expr_arg(pool, e, 0) : EXPR_NONE;
    expr b = ops[op].arity > 1 ? expr_arg(pool, e, 1) : EXPR_NONE;
    *argument = a;
    switch (op) {
    case OP_LT:
    case OP_LE:
    case OP_EQ:
    case OP_NE:
    case OP_MIN:
    case OP_MAX:
        *argument = expr_op2(pool, OP_SUB, a, b);
        return WATCH_SIGN;
    case OP_ABS:
    case OP_SIGN:
        return WATCH_SIGN;
    case OP_FLOOR:
        return WATCH_FLOOR;
    case OP_EXP:
        return WATCH_EXP;
    case OP_TANH:
    case OP_ATAN:
    case OP_SINH:
    case OP_COSH:
        return WATCH_STEEP;
    case OP_SIN:
    case OP_COS:
        return WATCH_WAVE;
    case OP_DIV:
    case OP_SQRT:
    case OP_LOG:
    case OP_TAN:
    case OP_ASIN:
    case OP_ACOS:
    case OP_ATAN2:
        *argument = vanishing(pool, e);
        return WATCH_RATIO;
    case OP_POW:
        return rule_of_power(pool, a, b, argument);
    default:
        return WATCH_NONE;
    }
}

// ---- arguments of a shape

typedef struct {
    arena *scratch;
    expr_pool *pool;
    system_watch *watch;
    vec(expr) arguments;
    vec(watch_argument) rules;
    map number; // of an argument with its rule
    symbol_list symbols;
} collecting;

static bool in_motion(mech_quantity q) {
    return q == MECH_M || q == MECH_Q || q == MECH_A || q == MECH_B || q == MECH_C || q == MECH_Q_ON_FORCES ||
           q == MECH_MU || q == MECH_STATIC || q == MECH_WEIGHT || q == MECH_SHARED || q == MECH_POSITION ||
           q == MECH_VELOCITY || q == MECH_SWITCH || q == MECH_G || q == MECH_QUASI_OFFSET ||
           q == MECH_WATCHED;
}

static uint64_t key_of(expr argument, watch_rule rule) {
    return (uint64_t)rule << 32 | (uint32_t)argument;
}

// b - a has a sign where a - b has
static int find_argument(const collecting *c, expr argument, watch_rule rule) {
    int at = map_get(&c->number, key_of(argument, rule));
    if (at < 0 && rule == WATCH_SIGN)
        at = map_get(&c->number, key_of(expr_op1(c->pool, OP_NEG, argument), rule));
    return at;
}

static void add_argument(collecting *c, expr argument, watch_rule rule, bool stops) {
    int at = find_argument(c, argument, rule);
    if (at < 0) {
        at = c->arguments.count;
        map_put(&c->number, key_of(argument, rule), at);
        vec_push(c->scratch, c->arguments, argument);
        vec_push(c->scratch, c->rules, ((watch_argument){.rule = rule}));
        symbols_note(&c->symbols, c->pool, &argument, 1);
    }
    c->rules.at[at].stops |= stops;
    c->rules.at[at].moves |= !stops;
}

/* Of forces of constraints and accelerations, which change no faster than the state: whether this may do
 * something narrow with them. Kinks, roots and quotients do not. */
static bool may_be_narrow(op_code op) {
    return op != OP_ABS && op != OP_MIN && op != OP_MAX && op != OP_SQRT && op != OP_DIV;
}

static bool is_over(mech_quantity q) {
    return q == MECH_OVER || q == MECH_OVER_WATCHED;
}

static bool is_stop(mech_quantity q) {
    return q == MECH_STOP || q == MECH_STOP_WATCHED;
}

typedef enum { OF_MOTION, OF_STOPS, OF_OVERS } watching;

static bool is_watched(const element *at, mech_quantity q, watching what) {
    return what == OF_OVERS         ? is_over(q)
           : what == OF_STOPS       ? is_stop(q)
           : at->derived->unwatched ? q == MECH_WATCHED
                                    : in_motion(q);
}

static void collect(collecting *c, const element *at, watching what) {
    vec(expr) roots = {0};
    bool stops = what == OF_STOPS, over = what == OF_OVERS;
    for (int i = 0; i < at->derived->entries.count; i++) {
        const mech_entry *e = &at->derived->entries.at[i];
        if (is_watched(at, e->quantity, what))
            vec_push(c->scratch, roots, e->e);
    }
    expr *order;
    int count = roots.count ? expr_order(c->pool, roots.at, roots.count, c->scratch, &order) : 0;
    for (int i = 0; i < count; i++) {
        expr argument;
        watch_rule rule = rule_of(c->pool, order[i], &argument);
        bool truth = ops[expr_op(c->pool, order[i])].flags & OPS_TRUTH;
        if (stops && !truth)
            rule = WATCH_NONE; // whether a condition comes true is told by its comparisons
        unsigned kinds = rule == WATCH_NONE ? 0 : expr_kinds(c->pool, argument);
        if (kinds & HIDDEN && stops)
            c->watch->hidden_stop = true;
        else if (kinds & HIDDEN && may_be_narrow(expr_op(c->pool, order[i])) && !(over && truth))
            c->watch->hidden = c->watch->hidden < 0 ? at->number : c->watch->hidden;
        else if (kinds & MOVING && !(kinds & HIDDEN))
            add_argument(c, argument, rule, what != OF_MOTION);
    }
}

// ---- groups

static void need_coordinate(system_watch *w, arena *a, const trm_system *sys, int x) {
    int i = x >= sys->x_q && x < sys->x_v ? x - sys->x_q : x >= sys->x_v && x < sys->x_a ? x - sys->x_v : -1;
    if (i < 0 || w->number[i] >= 0)
        return;
    w->number[i] = w->coordinates.count;
    vec_push(a, w->coordinates, i);
}

static void add_group(collecting *c, arena *a, element at) {
    const trm_system *sys = at.sys;
    system_watch *w = c->watch;
    int inputs = c->symbols.kinds.count,
        *table = arena_array(a, int, (size_t)inputs *(size_t)at.shape->count + 1), *to = table;
    watch_argument *rules = arena_array(a, watch_argument, c->rules.count);
    for (int i = 0; i < c->rules.count; i++)
        rules[i] = c->rules.at[i];
    for (at.instance = 0; at.instance < at.shape->count; at.instance++)
        for (int i = 0; i < inputs; i++) {
            *to = element_input(&at, (sym_kind)c->symbols.kinds.at[i], c->symbols.indices.at[i]);
            need_coordinate(w, a, sys, *to++);
        }
    watch_group group = {.shape = at.number, .count = at.shape->count, .arguments = rules, .inputs = table};
    group.kernel = kernel_compile_tape(a, c->pool, c->arguments.at, c->arguments.count, inputs, symbols_find,
                                       &c->symbols);
    vec_push(a, w->groups, group);
    w->instances += group.count;
    w->most_inputs = inputs > w->most_inputs ? inputs : w->most_inputs;
    w->most_arguments = c->arguments.count > w->most_arguments ? c->arguments.count : w->most_arguments;
    if (kernel_bounds_size(group.kernel) > w->most_work)
        w->most_work = kernel_bounds_size(group.kernel);
}

const system_watch *watch_new(arena *a, const trm_system *sys, expr_pool *pool, bool over) {
    if (over && sys->model->overs.count == 0)
        return NULL;
    system_watch *w = arena_alloc(a, sizeof *w);
    w->hidden = -1;
    w->number = arena_array(a, int, sys->n + 1);
    for (int i = 0; i < sys->n; i++)
        w->number[i] = -1;
    for (int i = 0; i < sys->model->shapes.count; i++) {
        arena *scratch = arena_child(a);
        element at = element_of(sys, STAGE_DYNAMICS, i);
        collecting c = {.scratch = scratch, .pool = pool, .watch = w, .symbols = {.arena = scratch}};
        map_init(&c.number, scratch);
        collect(&c, &at, over ? OF_OVERS : OF_MOTION);
        if (!over)
            collect(&c, &at, OF_STOPS);
        if (c.arguments.count && at.shape->count)
            add_group(&c, a, at);
        arena_free(scratch);
    }
    return w->groups.count || w->hidden >= 0 || w->hidden_stop ? w : NULL;
}
