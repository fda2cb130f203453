#include "system/grip.h"

#include "system/element.h"

#include <string.h>

struct grip_kernel {
    int n;
    kernel *kernel;
    double *in, *out, *work; // the time and positions; the point and its slopes
};

typedef struct {
    const trm_system *sys;
    expr_pool *pool;
    bool known; // it is made of positions and the time
} making;

// ---- views as expressions in the coordinates of the system

static expr of_system(void *context, sym_kind kind, int index) {
    const element *at = context;
    expr_pool *pool = at->sys->model->pool;
    switch (kind) {
    case SYM_P:
        return expr_symbol(pool, SYM_P, element_coordinate(at, index));
    case SYM_NUMBER:
        return expr_number(pool, element_number(at, index));
    case SYM_PARAM:
        return expr_number(pool, at->sys->model->params.at[index].value);
    default:
        return EXPR_NONE;
    }
}

static expr view(making *k, int target) {
    static const unsigned POSITIONS = 1u << SYM_TIME | 1u << SYM_P;
    const model *m = k->sys->model;
    for (int i = 0; i < m->shapes.count; i++) {
        element at = element_of(k->sys, STAGE_VIEW, i);
        for (; at.shape->kind == SHAPE_VIEW && at.instance < at.shape->count; at.instance++) {
            if (element_target(&at) != target)
                continue;
            expr e = expr_substitute(k->pool, at.shape->part[PART_VALUE], of_system, &at);
            k->known &= (expr_kinds(k->pool, e) & ~POSITIONS) == 0;
            return e;
        }
    }
    k->known = false;
    return expr_number(k->pool, 0);
}

// ---- the place

static expr sum(making *k, expr a, expr b) {
    return expr_op2(k->pool, OP_ADD, a, b);
}

static expr difference(making *k, expr a, expr b) {
    return expr_op2(k->pool, OP_SUB, a, b);
}

static expr product(making *k, expr a, expr b) {
    return expr_op2(k->pool, OP_MUL, a, b);
}

static void cross(making *k, const expr *u, const expr *v, expr *out) {
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        out[i] = difference(k, product(k, u[j], v[l]), product(k, u[l], v[j]));
    }
}

// v + 2 w (u x v) + 2 u x (u x v) of a quaternion (w, u); in the plane by an angle
static void turned(making *k, const grip_place *where, expr *v) {
    expr two = expr_number(k->pool, 2), first[3], second[3], turn[4];
    for (int i = 0; i < 3; i++)
        v[i] = expr_number(k->pool, where->offset[i]);
    for (int i = 0; i < where->turn.count; i++)
        turn[i] = view(k, where->turn.first + i);
    if (where->turn.count == 1) {
        expr c = expr_op1(k->pool, OP_COS, turn[0]), s = expr_op1(k->pool, OP_SIN, turn[0]), x = v[0];
        v[0] = difference(k, product(k, c, x), product(k, s, v[1]));
        v[1] = sum(k, product(k, s, x), product(k, c, v[1]));
        return;
    }
    cross(k, turn + 1, v, first);
    cross(k, turn + 1, first, second);
    for (int i = 0; i < 3; i++)
        v[i] = sum(k, v[i], product(k, two, sum(k, product(k, turn[0], first[i]), second[i])));
}

static void set(making *k, const grip_place *where, expr *out) {
    expr offset[3];
    if (where->turn.count)
        turned(k, where, offset);
    for (int i = 0; i < where->from.count; i++) {
        out[i] = view(k, where->from.first + i);
        if (where->to.count && where->part != 0)
            out[i] = sum(k, product(k, expr_number(k->pool, 1 - where->part), out[i]),
                         product(k, expr_number(k->pool, where->part), view(k, where->to.first + i)));
        if (where->turn.count)
            out[i] = sum(k, out[i], offset[i]);
    }
}

// ---- its kernel

static int input(void *context, sym_kind kind, int index) {
    (void)context;
    return kind == SYM_TIME ? 0 : 1 + index;
}

// the coordinates that stand in it
static int *coordinates(making *k, arena *a, arena *work, const expr *e, int size, int *count) {
    expr *order;
    int found = expr_order(k->pool, e, size, work, &order), *which = arena_array(a, int, found + 1);
    *count = 0;
    for (int i = 0; i < found; i++)
        if (expr_op(k->pool, order[i]) == OP_SYMBOL && expr_kind(k->pool, order[i]) == SYM_P)
            which[(*count)++] = expr_index(k->pool, order[i]);
    return which;
}

static bool make(making *k, arena *a, arena *work, const grip_place *where, grip *out) {
    int size = where->from.count, count;
    expr e[3];
    if (size < 2 || size > 3 || (where->to.count && where->to.count != size) ||
        (where->turn.count && where->turn.count != (size == 2 ? 1 : 4)))
        return false;
    set(k, where, e);
    if (!k->known)
        return false;
    int *which = coordinates(k, a, work, e, size, &count), all = size * (1 + count);
    expr *outputs = arena_array(work, expr, all);
    memcpy(outputs, e, (size_t)size * sizeof *e);
    for (int i = 0; i < size; i++)
        for (int j = 0; j < count; j++)
            if ((outputs[size + i * count + j] = expr_diff(k->pool, e[i], SYM_P, which[j])) == EXPR_NONE)
                return false;
    struct grip_kernel *made = arena_alloc(a, sizeof *made);
    made->n = k->sys->n;
    made->kernel = kernel_compile_tape(a, k->pool, outputs, all, 1 + made->n, input, NULL);
    made->in = arena_doubles(a, 1 + (size_t)made->n);
    made->out = arena_doubles(a, (size_t)all);
    made->work = arena_doubles(a, kernel_work_size(made->kernel));
    kernel_prepare(made->kernel, made->in, made->work);
    *out = (grip){size, count, which, made->out, made->out + size, made};
    return true;
}

bool grip_new(arena *a, const trm_system *sys, const grip_place *where, grip *out) {
    making k = {sys, sys->model->pool, true};
    int before = expr_pool_size(k.pool);
    arena *work = arena_child(a);
    bool made = make(&k, a, work, where, out);
    arena_free(work);
    expr_pool_truncate(k.pool, before);
    return made;
}

void grip_find(const grip *p, double t, const double *q) {
    const struct grip_kernel *k = p->kernel;
    k->in[0] = t;
    memcpy(k->in + 1, q, (size_t)k->n * sizeof *q);
    kernel_run(k->kernel, k->in, k->out, k->work);
}
