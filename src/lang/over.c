/* Results over the run: maximum(e), minimum(e), mean(e), integral(e), duration(c), first(c). Each is an
 * element of its own, what it is of, and where it stands a result. The same one twice is one element. */
#include "lang/elab.h"

#include <float.h>
#include <string.h>

static const struct {
    const char *name, *form;
} words[OVER_KINDS] = {{"maximum", "maximum(e)"},   {"minimum", "minimum(e)"},   {"mean", "mean(e)"},
                       {"integral", "integral(e)"}, {"duration", "duration(c)"}, {"first", "first(c)"}};

static int kind_of(const char *name) {
    for (int i = 0; i < OVER_KINDS; i++)
        if (strcmp(name, words[i].name) == 0)
            return i;
    return -1;
}

bool elab_is_over(const char *name) {
    return kind_of(name) >= 0;
}

const model_over *elab_holds_over(const elab *L) {
    for (int i = 0; i < L->builder.results.count; i++) {
        const model_result *r = &L->model->results.at[L->builder.results.at[i]];
        if (r->kind == RESULT_OVER)
            return &L->model->overs.at[r->first];
    }
    return NULL;
}

// ---- elements

static bool same_numbers(const void *a, const void *b, int count, size_t size) {
    return count == 0 || memcmp(a, b, (size_t)count * size) == 0;
}

// whether an element that is there is the one at hand
static bool is_same(const elab *L, const model_over *o, over_kind kind, const expr *parts) {
    const builder *b = &L->builder;
    const shape *s = &L->model->shapes.at[o->shape];
    if (o->kind != kind || memcmp(s->part, parts, sizeof s->part) != 0 || s->slot_count != b->slots.count ||
        s->number_count != b->numbers.count || s->result_count != b->results.count ||
        s->turn_count != b->turns.count)
        return false;
    int i = o->instance;
    return same_numbers(s->slots.at + i * s->slot_count, b->slots.at, s->slot_count, sizeof(int)) &&
           same_numbers(s->numbers.at + i * s->number_count, b->numbers.at, s->number_count,
                        sizeof(double)) &&
           same_numbers(s->results.at + i * s->result_count, b->results.at, s->result_count, sizeof(int)) &&
           same_numbers(s->turns.at + i * s->turn_count, b->turns.at, s->turn_count, sizeof(int));
}

static uint64_t key_of(const elab *L, over_kind kind, const expr *parts) {
    const builder *b = &L->builder;
    uint64_t key = map_mix(kind, parts[PART_VALUE]);
    for (int i = 0; i < b->slots.count; i++)
        key = map_mix(key, (uint64_t)b->slots.at[i]);
    for (int i = 0; i < b->numbers.count; i++) {
        uint64_t bits;
        memcpy(&bits, &b->numbers.at[i], sizeof bits);
        key = map_mix(key, bits);
    }
    for (int i = 0; i < b->results.count; i++)
        key = map_mix(key, (uint64_t)b->results.at[i]);
    return key;
}

static int add(elab *L, const node *n, const binding *scope, model_over o, const expr *parts) {
    uint64_t key = key_of(L, o.kind, parts);
    int id;
    for (int i = 0; i < L->builder.steps.count; i++) // by its numbers it may be one that is there
        recipe_pins(L->recipes, L->builder.steps.at[i], PIN_SAME);
    for (; (id = map_get(&L->overs, key)) >= 0; key++)
        if (is_same(L, &L->model->overs.at[id], o.kind, parts))
            return id;
    id = L->model->overs.count;
    o.text = elab_shown(L, n->whole, scope);
    o.shape = elab_finish(L, SHAPE_OVER, n->whole, parts, &id, 1);
    o.instance = L->model->shapes.at[o.shape].count - 1;
    vec_push(L->arena, L->model->overs, o);
    map_put(&L->overs, key, id);
    return id;
}

// ---- what it is of

static bool condition(elab *L, const node *n, const binding *scope, expr *parts, stop_kind *kind) {
    value v = elab_eval(L, n->args[0], scope);
    if (v.size && !v.condition)
        elab_error(L, n->args[0]->whole, "%s is of a condition such as x > 1",
                   words[kind_of(names_text(L->names, n->name))].form);
    if (v.size == 0 || !v.condition)
        return false;
    parts[PART_VALUE] = elab_expr(L, v.at[0]);
    *kind = elab_condition_parts(L, parts);
    return true;
}

static bool number(elab *L, const node *n, const binding *scope, expr *parts) {
    scalar s;
    if (!elab_number(L, n->args[0], scope, &s))
        return false;
    parts[PART_VALUE] = elab_expr(L, s);
    return true;
}

static bool may_stand(elab *L, const node *n) {
    const char *name = names_text(L->names, n->name);
    if (L->allowed.kinds & 1u << SYM_RESULT && !L->allowed.ideal_only)
        return true;
    diag *d = elab_error(L, n->at, "'%s' looks back on the motion, so it cannot stand in %s", name,
                         L->allowed.where);
    d->hint = L->allowed.kinds & 1u << SYM_P
                  ? "write a state: a coordinate I without mass, and a constraint such as I' = e"
                  : "results over the run may stand in output, plot, expect and stop";
    return false;
}

static bool has_one_argument(elab *L, const node *n, int kind) {
    if (n->count == 1)
        return true;
    diag *d = elab_error(L, n->whole, "wrong number of arguments: %d", n->count);
    d->hint = arena_print(L->arena, "write %s", words[kind].form);
    if (n->count > 1 && kind <= OVER_MINIMUM)
        d->hint =
            arena_print(L->arena, "%s is of the motion up to now; write %s(a, b) for that of two numbers",
                        words[kind].form, kind == OVER_MAXIMUM ? "max" : "min");
    return false;
}

value elab_over(elab *L, const node *n, const binding *scope) {
    model_over o = {.kind = (over_kind)kind_of(names_text(L->names, n->name))};
    if (!has_one_argument(L, n, (int)o.kind) || !may_stand(L, n))
        return elab_wrong();
    expr parts[SHAPE_PARTS] = {0};
    builder outer = L->builder;
    L->builder = (builder){0};
    elab_begin(L);
    bool ok =
        o.kind >= OVER_DURATION ? condition(L, n, scope, parts, &o.condition) : number(L, n, scope, parts);
    const model_over *inner = ok ? elab_holds_over(L) : NULL;
    if (inner) {
        elab_error(L, n->at, "'%s' is itself a result over the run, of which there is no %s", inner->text,
                   words[o.kind].name)
            ->hint = "write it of what that is of";
        ok = false;
    }
    int id = ok ? add(L, n, scope, o, parts) : -1;
    L->builder = outer;
    elab_remark(L);
    return ok ? elab_scalar((scalar){.e = elab_result(L, (model_result){.kind = RESULT_OVER, .first = id})})
              : elab_wrong();
}

// ---- where they stand

expr elab_with_overs(elab *L, expr claim) {
    for (int i = 0; i < L->builder.results.count; i++) {
        if (L->model->results.at[L->builder.results.at[i]].kind != RESULT_OVER)
            continue;
        expr is_number =
            expr_op2(L->pool, OP_LE, expr_symbol(L->pool, SYM_RESULT, i), expr_number(L->pool, DBL_MAX));
        claim = expr_op2(L->pool, OP_AND, claim, is_number);
    }
    return claim;
}

void elab_note_output(elab *L, expr v) {
    over_output o = {L->model->outputs.count, -1};
    if (elab_holds_over(L) == NULL)
        return;
    if (expr_op(L->pool, v) == OP_SYMBOL)
        o.over = (int)(elab_holds_over(L) - L->model->overs.at);
    vec_push(L->arena, L->over_outputs, o);
}

// a name that no other has: two lets may be written alike
static const char *own_name(elab *L, names *taken, const char *name) {
    const char *own = name;
    for (int k = 2; names_find(taken, own, (int)strlen(own)) >= 0; k++)
        own = arena_print(L->arena, "%s (%d)", name, k);
    names_intern(taken, own, (int)strlen(own));
    return own;
}

void elab_tell_overs(elab *L) {
    model *m = L->model;
    names *taken = names_new(L->arena);
    bool *is_output = arena_array(L->arena, bool, m->overs.count + 1);
    for (int i = 0; i < L->over_outputs.count; i++) {
        const over_output *o = &L->over_outputs.at[i];
        text name;
        text_init(&name, L->arena);
        model_label(m, m->outputs.at[o->output], &name);
        if (o->over >= 0)
            is_output[o->over] = true;
        const char *shown = text_string(&name);
        model_told t = {own_name(L, taken, shown + (shown[0] == ' ')), o->over, o->output};
        vec_push(L->arena, m->told, t);
    }
    for (int i = 0; i < m->overs.count; i++) {
        model_told t = {NULL, i, -1};
        if (is_output[i])
            continue;
        t.name = own_name(L, taken, m->overs.at[i].text);
        vec_push(L->arena, m->told, t);
    }
}
