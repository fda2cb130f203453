/* Formulas that fit a column: sums are cut between their terms, and of a term that is too wide by itself the
 * widest sum in it gets a name. */
#include "report/typeset.h"

#include "report/collect.h"

#include <math.h>

static const double INDENT = 20; // of the lines behind the first
static const double NAME = 14;   // of u_12

// ---- terms on lines

void typeset_written(typeset *t, double begun, const typeset_terms *terms) {
    double room = TYPESET_COLUMN - begun, width = 0;
    for (int i = 0; i < terms->count; i++) {
        const char *term = terms->at[i];
        double wide = t->latex ? typeset_width(term) : 0;
        if (i > 0 && t->latex && width + wide > room) {
            text_add(&t->out, " \\\\\n  &\\quad ");
            t->lines++;
            width = INDENT;
            room = TYPESET_COLUMN - fmin(begun, TYPESET_COLUMN / 3.0);
        } else {
            text_add(&t->out, i ? " " : "");
        }
        bool plus = term[0] == '+', first = i == 0;
        text_add(&t->out, first && plus ? term + 2 : first && term[0] == '-' ? "-" : "");
        text_add(&t->out, !first ? term : plus ? "" : term[0] == '-' ? term + 2 : term);
        width += wide;
    }
    if (terms->count == 0)
        text_add(&t->out, "0");
}

// ---- parts with names

static const char *written(typeset *t, expr e) {
    text page = t->out;
    text_init(&t->out, t->scratch);
    expr_print(t->named, e, PRINT_LATEX, typeset_symbol, t, &t->out);
    const char *out = text_string(&t->out);
    t->out = page;
    return out;
}

static int number_of_part(typeset *t, expr e) {
    for (int i = 0; i < t->parts.count; i++)
        if (t->parts.at[i] == e)
            return i;
    vec_push(t->scratch, t->parts, e);
    return t->parts.count - 1;
}

static bool is_sum(const expr_pool *p, expr e) {
    return expr_op(p, e) == OP_ADD || expr_op(p, e) == OP_SUB;
}

// the widest part of it that is worth a name: a sum, or else anything; not e itself
static expr widest_part(typeset *t, expr e) {
    arena *own = arena_child(t->scratch);
    expr *order, best[2] = {EXPR_NONE, EXPR_NONE};
    double widest[2] = {2 * NAME, 2 * NAME};
    int count = expr_order(t->named, &e, 1, own, &order);
    for (int i = 0; i + 1 < count; i++) {
        bool sum = is_sum(t->named, order[i]);
        double width = typeset_width(written(t, order[i]));
        if (width > widest[sum]) {
            widest[sum] = width;
            best[sum] = order[i];
        }
    }
    arena_free(own);
    return best[1] != EXPR_NONE ? best[1] : best[0];
}

// e with the symbol u_k in the place of a part
static expr with_name(typeset *t, expr e, expr part, int k) {
    expr_pool *p = t->named;
    arena *own = arena_child(t->scratch);
    expr *order, made = e;
    int count = expr_order(p, &e, 1, own, &order);
    expr *image = arena_array(own, expr, expr_pool_size(p));
    for (int i = 0; i < count; i++) {
        op_code op = expr_op(p, order[i]);
        expr a[3] = {0};
        bool same = true;
        for (int j = 0; j < ops[op].arity; j++) {
            a[j] = image[expr_arg(p, order[i], j)];
            same &= a[j] == expr_arg(p, order[i], j);
        }
        made = order[i] == part     ? expr_symbol(p, SYM_MODE, k)
               : same               ? order[i]
               : ops[op].arity == 1 ? expr_op1(p, op, a[0])
               : ops[op].arity == 2 ? expr_op2(p, op, a[0], a[1])
                                    : expr_op3(p, op, a[0], a[1], a[2]);
        image[order[i]] = made;
    }
    arena_free(own);
    return made;
}

// the term as it is written, no wider than the room for it
static const char *fitted(typeset *t, expr e, double room) {
    const char *out = written(t, e);
    for (expr part; typeset_width(out) > room && (part = widest_part(t, e)) != EXPR_NONE;) {
        expr shorter = with_name(t, e, part, number_of_part(t, part));
        if (shorter == e)
            break;
        e = shorter;
        out = written(t, e);
    }
    return out;
}

// ---- sums

static void take_terms(typeset *t, expr e, bool minus, double room, typeset_terms *out) {
    op_code op = expr_op(t->named, e);
    if (op == OP_ADD || op == OP_SUB) {
        take_terms(t, expr_arg(t->named, e, 0), minus, room, out);
        take_terms(t, expr_arg(t->named, e, 1), op == OP_SUB ? !minus : minus, room, out);
        return;
    }
    if (op == OP_NEG) {
        take_terms(t, expr_arg(t->named, e, 0), !minus, room, out);
        return;
    }
    const char *term = fitted(t, e, room);
    bool negative = term[0] == '-';
    const char *made =
        arena_print(t->scratch, "%s%s", minus != negative ? "- " : "+ ", negative ? term + 1 : term);
    vec_push(t->scratch, *out, made);
}

static void put_sum(typeset *t, double begun, expr e) {
    typeset_terms terms = {0};
    take_terms(t, e, false, TYPESET_COLUMN - fmin(begun, TYPESET_COLUMN / 2.0) - INDENT, &terms);
    typeset_written(t, begun, &terms);
}

// into the pool of what is printed in lines
static expr copied(typeset *t, collected from) {
    arena *own = arena_child(t->scratch);
    expr *order;
    int count = expr_order(from.pool, &from.e, 1, own, &order);
    expr *image = arena_array(own, expr, expr_pool_size(from.pool)), made = EXPR_NONE;
    for (int i = 0; i < count; i++) {
        op_code op = expr_op(from.pool, order[i]);
        expr a[3] = {0};
        for (int k = 0; k < ops[op].arity; k++)
            a[k] = image[expr_arg(from.pool, order[i], k)];
        made = op == OP_NUMBER ? expr_number(t->named, expr_value(from.pool, order[i]))
               : op == OP_SYMBOL
                   ? expr_symbol(t->named, expr_kind(from.pool, order[i]), expr_index(from.pool, order[i]))
               : ops[op].arity == 1 ? expr_op1(t->named, op, a[0])
               : ops[op].arity == 2 ? expr_op2(t->named, op, a[0], a[1])
                                    : expr_op3(t->named, op, a[0], a[1], a[2]);
        image[order[i]] = made;
    }
    arena_free(own);
    return made;
}

void typeset_sum(typeset *t, double begun, expr e) {
    if (!t->latex || typeset_operations(t, e) > TYPESET_LONGEST) {
        typeset_expr(t, e);
        return;
    }
    int before = t->out.bytes.count;
    typeset_expr(t, e);
    if (begun + typeset_width(text_string(&t->out) + before) <= TYPESET_COLUMN)
        return;
    text_remove(&t->out, before, t->out.bytes.count - before);
    arena *own = arena_child(t->scratch);
    put_sum(t, begun, copied(t, collect_terms(own, t->pool, e)));
    arena_free(own);
}

void typeset_where(typeset *t) {
    if (t->told == t->parts.count)
        return;
    typeset_end(t);
    text_add(&t->out, "\nwhere");
    for (; t->told < t->parts.count; t->told++) {
        typeset_line(t);
        text_print(&t->out, "%c_{%d} &= ", t->part_letter, t->told + 1);
        put_sum(t, NAME + 14, t->parts.at[t->told]);
    }
    typeset_end(t);
}
