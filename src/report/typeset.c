/* Names and expressions in print. Plain text and LaTeX differ only in how they are set. Terms are collected
 * before they are printed. */
#include "report/typeset.h"

#include "report/collect.h"
#include "report/notation.h"

#include <string.h>

// a letter with which no name of the model begins that has but digits behind it
static char free_letter(const model *m) {
    static const char letters[] = "uhkvwz";
    for (const char *c = letters; c[1]; c++) {
        bool taken = false;
        for (int i = 0; i < names_count(m->names); i++) {
            const char *name = names_text(m->names, i);
            taken |= name[0] == *c && strspn(name + 1, "_0123456789") == strlen(name + 1);
        }
        if (!taken)
            return *c;
    }
    return 'z';
}

typeset typeset_new(arena *a, const model *m, const mech *derived, bool latex) {
    typeset t = {.model = m,
                 .derived = derived,
                 .latex = latex,
                 .scratch = arena_child(a),
                 .part_letter = free_letter(m)};
    t.pool = expr_pool_new(t.scratch);
    t.named = expr_pool_new(t.scratch);
    t.image = arena_array(t.scratch, expr, expr_pool_size(m->pool));
    t.used = arena_array(t.scratch, bool, m->params.count + 1);
    text_init(&t.out, a);
    return t;
}

void typeset_add(typeset *t, const char *plain, const char *latex) {
    text_add(&t->out, t->latex ? latex : plain);
}

// ---- names

void typeset_label(typeset *t, label l, int primes) {
    if (t->latex) {
        notation_latex(&t->out, names_text(t->model->names, l.name), l, primes);
        return;
    }
    model_label(t->model, l, &t->out);
    text_add(&t->out, primes == 2 ? "''" : primes == 1 ? "'" : "");
}

void typeset_escaped(const typeset *t, text *out, const char *name) {
    for (const char *c = name; *c; c++)
        text_print(out, "%s%c", t->latex && *c == '_' ? "\\" : "", *c);
}

// a word, not a quantity
void typeset_word(typeset *t, label l) {
    text name;
    text_init(&name, t->scratch);
    model_label(t->model, l, &name);
    typeset_add(t, "", "\\text{");
    typeset_escaped(t, &t->out, text_string(&name));
    typeset_add(t, "", "}");
}

// the name of a row, or of the whole constraint that it is part of
void typeset_constraint(typeset *t, int row, bool part) {
    const model_row *r = &t->model->rows.at[row];
    label l = t->model->constraints.at[r->constraint].label;
    l.part = part ? r->part : NULL;
    typeset_word(t, l);
}

void typeset_on_axis(typeset *t, axis which, int index) {
    if (which == AXIS_ROW)
        typeset_constraint(t, index, true);
    else if (which == AXIS_ACTUATOR)
        typeset_word(t, t->model->actuators.at[index].label);
    else
        typeset_label(t, which == AXIS_COORD ? t->model->coords.at[index] : t->model->quasis.at[index], 0);
}

// by the place among what a function of the host gives, from 1 on
static void put_given(typeset *t, int index) {
    int n = t->model->coords.count, at = t->model->results.at[index].first;
    const model_supply *s = t->model->supplies.at;
    while (index < s->first || index >= s->first + s->count)
        s++;
    int rows = s->count / (n + 1);
    if (s->kind == SUPPLY_MASS || (s->kind == SUPPLY_ROWS && at < rows * n))
        text_print(&t->out, t->latex ? "%s_{%d,%d}" : "%s[%d,%d]", s->kind == SUPPLY_MASS ? "M" : "A",
                   at / n + 1, at % n + 1);
    else
        text_print(&t->out, t->latex ? "%s_{%d}" : "%s[%d]",
                   s->kind == SUPPLY_FORCE      ? "Q"
                   : s->kind == SUPPLY_NONIDEAL ? "C"
                   : s->kind == SUPPLY_ROWS     ? "b"
                                                : "given",
                   (s->kind == SUPPLY_ROWS ? at - rows * n : at) + 1);
}

// reaction(x), reaction(x, NAME), multiplier(NAME): no other result can stand in a non-ideal force
static void put_result(typeset *t, int index) {
    model_result r = t->model->results.at[index];
    bool coordinate = r.kind != RESULT_MULTIPLIER, constraint = r.kind != RESULT_REACTION;
    text_print(&t->out, t->latex ? "\\operatorname{%s}\\left(" : "%s(",
               coordinate ? "reaction" : "multiplier");
    if (coordinate)
        typeset_on_axis(t, AXIS_COORD, r.coordinate);
    if (coordinate && constraint)
        text_add(&t->out, ", ");
    if (constraint)
        typeset_constraint(t, r.first, r.kind == RESULT_MULTIPLIER || r.count == 1);
    typeset_add(t, ")", "\\right)");
}

void typeset_symbol(void *context, text *out, print_style style, sym_kind kind, int index) {
    typeset *t = context;
    (void)style; // the page has it
    switch (kind) {
    case SYM_P:
    case SYM_V:
    case SYM_A:
        typeset_label(t, t->model->coords.at[index], kind - SYM_P);
        break;
    case SYM_NUMBER:
        if (t->fused) { // no other number is left as a symbol then
            typeset_label(t, t->model->quasis.at[index], 0);
            break;
        }
        text_print(out, t->latex ? "c_{%d}" : "c%d", index + 1);
        break;
    case SYM_PARAM:
        t->used[index] = true;
        typeset_label(t, t->model->params.at[index].label, 0);
        break;
    case SYM_RESULT:
        if (t->model->results.at[index].kind == RESULT_GIVEN)
            put_given(t, index);
        else
            put_result(t, index);
        break;
    case SYM_MODE: // of no expression that is printed but as this
        text_print(out, "%c_{%d}", t->part_letter, index + 1);
        break;
    case SYM_TURN:
        typeset_add(t, "turn(", "\\operatorname{turn}\\left(");
        typeset_label(t, t->model->turns.at[index], 0);
        typeset_add(t, ")", "\\right)");
        break;
    default:
        text_add(out, "t");
    }
}

// ---- expressions

// operations that are shared in the pool are printed wherever they occur, which may be very often
double typeset_operations(typeset *t, expr e) {
    for (expr k = (expr)t->operations.count; k <= e; k++) { // operands are older than what uses them
        double sum = 1;
        for (int i = 0; k != EXPR_NONE && i < ops[expr_op(t->pool, k)].arity; i++)
            sum += t->operations.at[expr_arg(t->pool, k, i)];
        vec_push(t->scratch, t->operations, sum);
    }
    return t->operations.at[e];
}

// whether e is 0 when its terms are collected
bool typeset_cancels(typeset *t, expr e) {
    if (e == EXPR_NONE || typeset_operations(t, e) > TYPESET_LONGEST)
        return false;
    arena *own = arena_child(t->scratch);
    collected as = collect_terms(own, t->pool, e);
    bool zero = expr_is_number(as.pool, as.e, 0);
    arena_free(own);
    return zero;
}

static void put_collected(typeset *t, expr e) {
    arena *own = arena_child(t->scratch);
    collected as = collect_terms(own, t->pool, e);
    expr_print(as.pool, as.e, t->latex ? PRINT_LATEX : PRINT_TEXT, typeset_symbol, t, &t->out);
    arena_free(own);
}

void typeset_expr(typeset *t, expr e) {
    if (typeset_operations(t, e) > TYPESET_LONGEST)
        text_print(&t->out,
                   t->latex ? "\\text{(%.3g operations, too long to print)}"
                            : "(%.3g operations, too long to print)",
                   typeset_operations(t, e));
    else
        put_collected(t, e);
}

bool typeset_is_zero(const typeset *t, expr e) {
    return e == EXPR_NONE || expr_is_number(t->pool, e, 0);
}

const int *typeset_slots(const shape *s, int instance) {
    return s->slots.at + (size_t)instance * (size_t)s->slot_count;
}

double typeset_number(const shape *s, int instance, int index) {
    return s->numbers.at[(size_t)instance * (size_t)s->number_count + (size_t)index];
}

void typeset_range(const shape *s, int index, double *least, double *most) {
    *least = *most = typeset_number(s, 0, index);
    for (int i = 1; i < s->count; i++) {
        double value = typeset_number(s, i, index);
        *least = value < *least ? value : *least;
        *most = value > *most ? value : *most;
    }
}

// a number that all instances share is printed as such; where only the first is shown, others are c1, c2, ...
static expr number_symbol(typeset *t, const shape *s, int instance, int index) {
    double least, most, value = typeset_number(s, instance, index);
    if (t->fused)
        return expr_number(t->pool, value);
    typeset_range(s, index, &least, &most);
    return least == most ? expr_number(t->pool, value) : expr_symbol(t->pool, SYM_NUMBER, index);
}

static expr symbol_for(typeset *t, const shape *s, int instance, sym_kind kind, int index) {
    if (kind == SYM_NUMBER)
        return number_symbol(t, s, instance, index);
    if (kind == SYM_P || kind == SYM_V || kind == SYM_A)
        index = typeset_slots(s, instance)[index];
    else if (kind == SYM_RESULT)
        index = s->results.at[(size_t)instance * (size_t)s->result_count + (size_t)index];
    else if (kind == SYM_TURN)
        index = s->turns.at[(size_t)instance * (size_t)s->turn_count + (size_t)index];
    return expr_symbol(t->pool, kind, index);
}

// an expression of a shape, over the coordinates of one instance
expr typeset_instance(typeset *t, const shape *s, int instance, expr e) {
    const expr_pool *from = t->model->pool;
    arena *list = arena_child(t->scratch);
    expr *order;
    int count = expr_order(from, &e, 1, list, &order);
    for (int i = 0; i < count; i++) {
        op_code op = expr_op(from, order[i]);
        expr a[3] = {0}, made;
        for (int k = 0; k < ops[op].arity; k++)
            a[k] = t->image[expr_arg(from, order[i], k)];
        if (op == OP_NUMBER)
            made = expr_number(t->pool, expr_value(from, order[i]));
        else if (op == OP_SYMBOL)
            made = symbol_for(t, s, instance, expr_kind(from, order[i]), expr_index(from, order[i]));
        else
            made = ops[op].arity == 1   ? expr_op1(t->pool, op, a[0])
                   : ops[op].arity == 2 ? expr_op2(t->pool, op, a[0], a[1])
                                        : expr_op3(t->pool, op, a[0], a[1], a[2]);
        t->image[order[i]] = made;
    }
    arena_free(list);
    return t->image[e];
}

// ---- lines

void typeset_line(typeset *t) {
    typeset_add(t, "\n  ", t->lines++ ? " \\\\\n" : "\n\\begin{align*}\n");
}

void typeset_end(typeset *t) {
    if (t->latex && t->lines)
        text_add(&t->out, "\n\\end{align*}");
    t->lines = 0;
}
