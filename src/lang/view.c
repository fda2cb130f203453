/* The third walk: what looks at the solution. Non-ideal forces, outputs, expectations, stops. */
#include "lang/elab.h"

#include <string.h>

/* A condition of more parts has no margin: one built from definitions that use each other can have any
 * number.
 */
enum { CONDITION_PARTS = 1000 };

static void act_output(elab *L, const stmt *s, const binding *scope) {
    const item *it = &s->items.at[0];
    symbol *entry = L->symbols[it->name];
    label l;
    if (entry == NULL || entry->kind != SYMBOL_OUTPUT || !elab_label(L, it, scope, &l) || it->value == NULL)
        return;
    int id = L->model->outputs.count;
    if (l.indexed ? !elab_enter(L, it, l.index, id) : entry->id >= 0)
        return;
    entry->id = id;
    elab_begin(L);
    value v = elab_eval(L, it->value, scope);
    if (v.condition) {
        elab_error(L, it->value->whole, "an output is a number, not a condition")->hint =
            "write if(condition, 1, 0)";
        return;
    }
    builder all = L->builder;
    for (int i = 0; i < v.size; i++) {
        int target = L->model->outputs.count;
        expr parts[SHAPE_PARTS] = {elab_expr(L, v.at[i])};
        if (v.size > 1)
            parts[PART_VALUE] = elab_only(L, parts[PART_VALUE]);
        l.part = elab_component(v.size, i);
        elab_note_output(L, parts[PART_VALUE]);
        vec_push(L->arena, L->model->outputs, l);
        elab_finish(L, SHAPE_OUTPUT, it->at, parts, &target, 1);
        L->builder = all;
        elab_remark(L);
    }
}

// by how much a single comparison holds; EXPR_NONE for other conditions
static expr margin_of(elab *L, const node *n, const binding *scope) {
    if (n->kind != NODE_BINARY || (n->op != OP_LT && n->op != OP_LE))
        return EXPR_NONE;
    scalar side[2];
    if (!elab_number(L, n->b, scope, &side[0]) || !elab_number(L, n->a, scope, &side[1]))
        return EXPR_NONE;
    return elab_expr(L, elab_op(L, OP_SUB, side));
}

const char *elab_one_line(elab *L, place at) {
    char *out = arena_copy(L->arena, at.source->text + at.offset, (size_t)at.length), *to = out;
    for (const char *from = out; *from; from++)
        if (!strchr(" \t\r\n", *from))
            *to++ = *from;
        else if (to > out && to[-1] != ' ')
            *to++ = ' ';
    *to = '\0';
    return out;
}

static int expectation(elab *L, const stmt *s) {
    model *m = L->model;
    for (int i = m->expects.count - 1; i >= 0; i--) // iterations of a loop are one claim
        if (m->expects.at[i].at.source == s->at.source && m->expects.at[i].at.offset == s->at.offset)
            return i;
    model_expect e = {.text = elab_one_line(L, s->extent), .always = s->always, .at = s->at};
    vec_push(L->arena, m->expects, e);
    return m->expects.count - 1;
}

// the condition of an element just begun; false, and an error, if it is none
static bool condition_of(elab *L, const stmt *s, const binding *scope, const char *example, expr *out) {
    value v = elab_eval(L, s->value, scope);
    if (v.size && !v.condition)
        elab_error(L, s->value->whole, "expected a condition such as %s", example);
    if (v.size == 0 || !v.condition)
        return false;
    *out = elab_expr(L, v.at[0]);
    return true;
}

static void act_expect(elab *L, const stmt *s, const binding *scope) {
    expr parts[SHAPE_PARTS] = {0};
    elab_begin(L);
    if (!condition_of(L, s, scope, "abs(x) < 1", &parts[PART_VALUE]))
        return;
    if (s->bare.source && elab_holds_over(L) == NULL) {
        elab_error(L, s->bare, "expected 'always' or 'finally', found '%.*s'", s->bare.length,
                   s->bare.source->text + s->bare.offset)
            ->hint = EXPECT_FORM;
        return;
    }
    int target = expectation(L, s);
    parts[PART_MARGIN] = margin_of(L, s->value, scope);
    parts[PART_VALUE] = elab_with_overs(L, parts[PART_VALUE]);
    elab_finish(L, SHAPE_EXPECT, s->at, parts, &target, 1);
}

// > 0 where a condition of inequalities is true, < 0 where it is not; EXPR_NONE for other conditions
static expr inequality_margin(expr_pool *pool, expr e, int *parts) {
    op_code op = expr_op(pool, e);
    if (--*parts < 0 || (op != OP_LT && op != OP_LE && op != OP_AND && op != OP_OR && op != OP_NOT))
        return EXPR_NONE;
    expr a = expr_arg(pool, e, 0), b = op == OP_NOT ? a : expr_arg(pool, e, 1);
    if (op == OP_LT || op == OP_LE)
        return expr_op2(pool, OP_SUB, b, a);
    a = inequality_margin(pool, a, parts);
    b = inequality_margin(pool, b, parts);
    if (a == EXPR_NONE || b == EXPR_NONE)
        return EXPR_NONE;
    return op == OP_NOT ? expr_op1(pool, OP_NEG, a) : expr_op2(pool, op == OP_AND ? OP_MIN : OP_MAX, a, b);
}

// of a == b, or of the first such part of a == b and REST: b - a; what remains is taken into *rest
static expr equality_margin(expr_pool *pool, expr e, expr *rest, int *parts) {
    op_code op = expr_op(pool, e);
    if (--*parts < 0 || (op != OP_EQ && op != OP_AND))
        return EXPR_NONE;
    expr a = expr_arg(pool, e, 0), b = expr_arg(pool, e, 1);
    if (op == OP_EQ)
        return expr_op2(pool, OP_SUB, b, a);
    expr margin = equality_margin(pool, a, rest, parts), other = b;
    if (margin == EXPR_NONE) {
        margin = equality_margin(pool, b, rest, parts);
        other = a;
    }
    *rest = expr_op2(pool, OP_AND, *rest, other);
    return margin;
}

stop_kind elab_condition_parts(elab *L, expr *parts) {
    expr condition = parts[PART_VALUE], rest = expr_number(L->pool, 1);
    int inequalities = CONDITION_PARTS, equalities = CONDITION_PARTS;
    parts[PART_MARGIN] = inequality_margin(L->pool, condition, &inequalities);
    if (parts[PART_MARGIN] != EXPR_NONE)
        return STOP_INEQUALITY;
    parts[PART_MARGIN] = equality_margin(L->pool, condition, &rest, &equalities);
    parts[PART_REST] = rest;
    return parts[PART_MARGIN] == EXPR_NONE ? STOP_OTHER : STOP_EQUALITY;
}

static void act_stop(elab *L, const stmt *s, const binding *scope) {
    expr parts[SHAPE_PARTS] = {0};
    elab_begin(L);
    if (!condition_of(L, s, scope, "y < 0", &parts[PART_VALUE]))
        return;
    model_stop stop = {.at = s->at, .kind = elab_condition_parts(L, parts)};
    stop.text = arena_print(L->arena, "%s%s", elab_one_line(L, s->extent), elab_variables(L, scope));
    int target = L->model->stops.count;
    vec_push(L->arena, L->model->stops, stop);
    elab_finish(L, SHAPE_STOP, s->at, parts, &target, 1);
}

// a let that nothing uses is evaluated once, so that what is wrong in it is told
static void act_let(elab *L, const stmt *s) {
    symbol *entry = s->function ? NULL : L->symbols[s->items.at[0].name];
    if (entry == NULL || entry->let != s || entry->epoch || s->value == NULL)
        return;
    elab_begin(L);
    elab_eval(L, s->value, NULL);
}

static void act_view(elab *L, const stmt *s, const binding *scope) {
    L->allowed = (allowance){WITH_RESULTS, false, "an output"};
    if (s->kind == STMT_NONIDEAL)
        elab_on_coordinate(L, s, scope);
    else if (s->kind == STMT_LET && scope == NULL)
        act_let(L, s);
    else if (s->kind == STMT_OUTPUT)
        act_output(L, s, scope);
    else if (s->kind == STMT_EXPECT)
        act_expect(L, s, scope);
    else if (s->kind == STMT_STOP)
        act_stop(L, s, scope);
}

static bool is_view(const stmt *s) {
    return s->kind == STMT_NONIDEAL || s->kind == STMT_OUTPUT || s->kind == STMT_EXPECT ||
           s->kind == STMT_STOP;
}

void elab_view(elab *L, const stmt_list *list) {
    elab_walk view = {L, act_view, is_view};
    elab_list(&view, list, NULL);
    if (L->diags->errors == 0)
        elab_parts(L, PART_SHOW, list);
}
