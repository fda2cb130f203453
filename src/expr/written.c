#include "expr/written.h"

typedef struct {
    op_code op;
    int args[3]; // places; a symbol: kind, index
    double number;
} written_step;

struct written {
    int steps, outputs;
    written_step *at; // (steps)
    int *output;      // (outputs) places; -1: 0
};

written *written_new(arena *a, const expr_pool *pool, const expr *e, int count) {
    arena *scratch = arena_child(a);
    written *w = arena_alloc(a, sizeof *w);
    expr *order;
    int(*args)[3], *output;
    w->steps = expr_order_places(pool, e, count, scratch, &order, &args, &output);
    w->outputs = count;
    w->at = arena_array(a, written_step, w->steps + 1);
    w->output = arena_array(a, int, count + 1);
    for (int i = 0; i < w->steps; i++) {
        written_step *s = &w->at[i];
        s->op = expr_op(pool, order[i]);
        for (int k = 0; k < ops[s->op].arity; k++)
            s->args[k] = args[i][k];
        if (s->op == OP_NUMBER) {
            s->number = expr_value(pool, order[i]);
        } else if (s->op == OP_SYMBOL) {
            s->args[0] = (int)expr_kind(pool, order[i]);
            s->args[1] = expr_index(pool, order[i]);
        }
    }
    for (int i = 0; i < count; i++)
        w->output[i] = output[i];
    arena_free(scratch);
    return w;
}

static double value_of(const written_step *s, const double *values, expr_get get, void *context) {
    double v[3] = {0};
    if (s->op == OP_NUMBER)
        return s->number;
    if (s->op == OP_SYMBOL)
        return get(context, (sym_kind)s->args[0], s->args[1]);
    for (int k = 0; k < ops[s->op].arity; k++)
        v[k] = values[s->args[k]];
    return ops[s->op].value(v[0], v[1], v[2]);
}

void written_eval(arena *scratch, const written *w, expr_get get, void *context, double *out) {
    double *values = arena_doubles(scratch, (size_t)w->steps + 1);
    for (int i = 0; i < w->steps; i++)
        values[i] = value_of(&w->at[i], values, get, context);
    for (int i = 0; i < w->outputs; i++)
        out[i] = w->output[i] < 0 ? 0 : values[w->output[i]];
}
