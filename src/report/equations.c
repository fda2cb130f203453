/* M q'' = Q + Q^c, A q'' = b in print.
 *
 * What a shape contributes is an expression over its slots. It is copied into a pool of its own with the
 * coordinates of an instance in place of the slots, where contributions to one entry are added. The symbols
 * of that pool are made in the order in which the model declares them, and since the pool orders operands by
 * age, products and sums come out in that order too. Terms are collected before they are printed. Plain text
 * and LaTeX differ only in how names, entries and lines are set. */
#include "report/equations.h"

#include "report/collect.h"
#include "report/notation.h"
#include "report/quasi.h"

#include <string.h>

enum {
    FUSED_COORDINATES = 40, // up to here
    FUSED_INSTANCES = 2000, // and here a model is written out
    MATRIX_SIZE = 8,        // larger ones are lists of entries in LaTeX; amsmath takes 10
    ORDERED_SYMBOLS = 256,  // of each kind are made in advance
    LONGEST = 4000          // operations of an expression that is printed: about two pages
};

typedef enum { AXIS_NONE, AXIS_COORD, AXIS_ROW, AXIS_QUASI, AXIS_ACTUATOR } axis;

/* A matrix or vector: what its rows and columns stand for. */
typedef struct {
    mech_quantity quantity;
    const char *name;
    axis down, across;
    bool of_s; // in quasi-velocities: its name has an index s
} block;

static const char *const levels[] = {"holonomic", "nonholonomic", "acceleration"}; // by row_level

/* Those from BLOCK_RATE on are not derived or not printed: what the quasi-velocities are for, and what they
 * make of M, Q, C, A, b. */
enum {
    BLOCK_M,
    BLOCK_Q,
    BLOCK_C,
    BLOCK_G,
    BLOCK_OFFSET,
    BLOCK_A,
    BLOCK_B,
    BLOCK_RATE,
    BLOCK_M_S,
    BLOCK_S,
    BLOCK_C_S,
    BLOCK_A_S,
    BLOCK_B_S,
    BLOCKS
};
static const block blocks[BLOCKS] = {
    {MECH_M, "M", AXIS_COORD, AXIS_COORD, false},
    {MECH_Q, "Q", AXIS_COORD, AXIS_NONE, false},
    {MECH_C, "C", AXIS_COORD, AXIS_NONE, false},
    {MECH_G, "G", AXIS_QUASI, AXIS_COORD, false},
    {MECH_QUASI_OFFSET, "g", AXIS_QUASI, AXIS_NONE, false},
    {MECH_A, "A", AXIS_ROW, AXIS_COORD, false},
    {MECH_B, "b", AXIS_ROW, AXIS_NONE, false},
    {MECH_QUASI_RATE, "r", AXIS_QUASI, AXIS_NONE, false},
    {MECH_QUANTITIES, "M", AXIS_QUASI, AXIS_QUASI, true},
    {MECH_QUANTITIES, "S", AXIS_QUASI, AXIS_NONE, false},
    {MECH_QUANTITIES, "C", AXIS_QUASI, AXIS_NONE, true},
    {MECH_QUANTITIES, "A", AXIS_ROW, AXIS_QUASI, true},
    {MECH_QUANTITIES, "b", AXIS_ROW, AXIS_NONE, true},
};

typedef struct {
    const model *model;
    const mech *derived;
    bool latex;
    bool fused; // every instance is written out
    arena *scratch;
    expr_pool *pool;        // expressions over coordinates
    expr *image;            // of the nodes of the model's pool, while one is copied
    vec(double) operations; // of the expressions of this pool, when printed
    bool *used;             // parameters that were printed
    expr *entries[BLOCKS];  // (down x across), EXPR_NONE where there is nothing; fused only
    int lines;              // of the LaTeX block at hand
    text out;
} page;

static void add(page *p, const char *plain, const char *latex) {
    text_add(&p->out, p->latex ? latex : plain);
}

// ---- names

static void put_label(page *p, label l, int primes) {
    if (p->latex) {
        notation_latex(&p->out, names_text(p->model->names, l.name), l, primes);
        return;
    }
    model_label(p->model, l, &p->out);
    text_add(&p->out, primes == 2 ? "''" : primes == 1 ? "'" : "");
}

static void escape_word(const page *p, text *out, const char *name) {
    for (const char *c = name; *c; c++)
        text_print(out, "%s%c", p->latex && *c == '_' ? "\\" : "", *c);
}

// a word, not a quantity
static void put_word(page *p, label l) {
    text name;
    text_init(&name, p->scratch);
    model_label(p->model, l, &name);
    add(p, "", "\\text{");
    escape_word(p, &p->out, text_string(&name));
    add(p, "", "}");
}

// the name of a row, or of the whole constraint that it is part of
static void put_constraint(page *p, int row, bool part) {
    const model_row *r = &p->model->rows.at[row];
    label l = p->model->constraints.at[r->constraint].label;
    l.part = part ? r->part : NULL;
    put_word(p, l);
}

static void put_on_axis(page *p, axis which, int index) {
    if (which == AXIS_ROW)
        put_constraint(p, index, true);
    else if (which == AXIS_ACTUATOR)
        put_word(p, p->model->actuators.at[index].label);
    else
        put_label(p, which == AXIS_COORD ? p->model->coords.at[index] : p->model->quasis.at[index], 0);
}

// by the place among what a function of the host gives, from 1 on
static void put_given(page *p, int index) {
    int n = p->model->coords.count, at = p->model->results.at[index].first;
    const model_supply *s = p->model->supplies.at;
    while (index < s->first || index >= s->first + s->count)
        s++;
    int rows = s->count / (n + 1);
    if (s->kind == SUPPLY_MASS || (s->kind == SUPPLY_ROWS && at < rows * n))
        text_print(&p->out, p->latex ? "%s_{%d,%d}" : "%s[%d,%d]", s->kind == SUPPLY_MASS ? "M" : "A",
                   at / n + 1, at % n + 1);
    else
        text_print(&p->out, p->latex ? "%s_{%d}" : "%s[%d]",
                   s->kind == SUPPLY_FORCE      ? "Q"
                   : s->kind == SUPPLY_NONIDEAL ? "C"
                   : s->kind == SUPPLY_ROWS     ? "b"
                                                : "given",
                   (s->kind == SUPPLY_ROWS ? at - rows * n : at) + 1);
}

// reaction(x), reaction(x, NAME), multiplier(NAME): no other result can stand in a non-ideal force
static void put_result(page *p, int index) {
    model_result r = p->model->results.at[index];
    bool coordinate = r.kind != RESULT_MULTIPLIER, constraint = r.kind != RESULT_REACTION;
    text_print(&p->out, p->latex ? "\\operatorname{%s}\\left(" : "%s(",
               coordinate ? "reaction" : "multiplier");
    if (coordinate)
        put_on_axis(p, AXIS_COORD, r.coordinate);
    if (coordinate && constraint)
        text_add(&p->out, ", ");
    if (constraint)
        put_constraint(p, r.first, r.kind == RESULT_MULTIPLIER || r.count == 1);
    add(p, ")", "\\right)");
}

static void put_symbol(void *context, text *out, print_style style, sym_kind kind, int index) {
    page *p = context;
    (void)style; // the page has it
    switch (kind) {
    case SYM_P:
    case SYM_V:
    case SYM_A:
        put_label(p, p->model->coords.at[index], kind - SYM_P);
        break;
    case SYM_NUMBER:
        if (p->fused) { // no other number is left as a symbol then
            put_label(p, p->model->quasis.at[index], 0);
            break;
        }
        text_print(out, p->latex ? "c_{%d}" : "c%d", index + 1);
        break;
    case SYM_PARAM:
        p->used[index] = true;
        put_label(p, p->model->params.at[index].label, 0);
        break;
    case SYM_RESULT:
        if (p->model->results.at[index].kind == RESULT_GIVEN)
            put_given(p, index);
        else
            put_result(p, index);
        break;
    case SYM_TURN:
        add(p, "turn(", "\\operatorname{turn}\\left(");
        put_label(p, p->model->turns.at[index], 0);
        add(p, ")", "\\right)");
        break;
    default:
        text_add(out, "t");
    }
}

// ---- expressions

// operations that are shared in the pool are printed wherever they occur, which may be very often
static double operations(page *p, expr e) {
    for (expr k = (expr)p->operations.count; k <= e; k++) { // operands are older than what uses them
        double sum = 1;
        for (int i = 0; k != EXPR_NONE && i < ops[expr_op(p->pool, k)].arity; i++)
            sum += p->operations.at[expr_arg(p->pool, k, i)];
        vec_push(p->scratch, p->operations, sum);
    }
    return p->operations.at[e];
}

// whether e is 0 when its terms are collected
static bool cancels(page *p, expr e) {
    if (e == EXPR_NONE || operations(p, e) > LONGEST)
        return false;
    arena *own = arena_child(p->scratch);
    collected as = collect_terms(own, p->pool, e);
    bool zero = expr_is_number(as.pool, as.e, 0);
    arena_free(own);
    return zero;
}

static void put_collected(page *p, expr e) {
    arena *own = arena_child(p->scratch);
    collected as = collect_terms(own, p->pool, e);
    expr_print(as.pool, as.e, p->latex ? PRINT_LATEX : PRINT_TEXT, put_symbol, p, &p->out);
    arena_free(own);
}

static void put_expr(page *p, expr e) {
    if (operations(p, e) > LONGEST)
        text_print(&p->out,
                   p->latex ? "\\text{(%.3g operations, too long to print)}"
                            : "(%.3g operations, too long to print)",
                   operations(p, e));
    else
        put_collected(p, e);
}

static bool is_zero(const page *p, expr e) {
    return e == EXPR_NONE || expr_is_number(p->pool, e, 0);
}

static const int *slots_of(const shape *s, int instance) {
    return s->slots.at + (size_t)instance * (size_t)s->slot_count;
}

static double number_of(const shape *s, int instance, int index) {
    return s->numbers.at[(size_t)instance * (size_t)s->number_count + (size_t)index];
}

static void range_of(const shape *s, int index, double *least, double *most) {
    *least = *most = number_of(s, 0, index);
    for (int i = 1; i < s->count; i++) {
        double value = number_of(s, i, index);
        *least = value < *least ? value : *least;
        *most = value > *most ? value : *most;
    }
}

// a number that all instances share is printed as such; where only the first is shown, others are c1, c2, ...
static expr number_symbol(page *p, const shape *s, int instance, int index) {
    double least, most, value = number_of(s, instance, index);
    if (p->fused)
        return expr_number(p->pool, value);
    range_of(s, index, &least, &most);
    return least == most ? expr_number(p->pool, value) : expr_symbol(p->pool, SYM_NUMBER, index);
}

static expr symbol_for(page *p, const shape *s, int instance, sym_kind kind, int index) {
    if (kind == SYM_NUMBER)
        return number_symbol(p, s, instance, index);
    if (kind == SYM_P || kind == SYM_V || kind == SYM_A)
        index = slots_of(s, instance)[index];
    else if (kind == SYM_RESULT)
        index = s->results.at[(size_t)instance * (size_t)s->result_count + (size_t)index];
    else if (kind == SYM_TURN)
        index = s->turns.at[(size_t)instance * (size_t)s->turn_count + (size_t)index];
    return expr_symbol(p->pool, kind, index);
}

// an expression of a shape, over the coordinates of one instance
static expr instantiate(page *p, const shape *s, int instance, expr e) {
    const expr_pool *from = p->model->pool;
    arena *list = arena_child(p->scratch);
    expr *order;
    int count = expr_order(from, &e, 1, list, &order);
    for (int i = 0; i < count; i++) {
        op_code op = expr_op(from, order[i]);
        expr a[3] = {0}, made;
        for (int k = 0; k < ops[op].arity; k++)
            a[k] = p->image[expr_arg(from, order[i], k)];
        if (op == OP_NUMBER)
            made = expr_number(p->pool, expr_value(from, order[i]));
        else if (op == OP_SYMBOL)
            made = symbol_for(p, s, instance, expr_kind(from, order[i]), expr_index(from, order[i]));
        else
            made = ops[op].arity == 1   ? expr_op1(p->pool, op, a[0])
                   : ops[op].arity == 2 ? expr_op2(p->pool, op, a[0], a[1])
                                        : expr_op3(p->pool, op, a[0], a[1], a[2]);
        p->image[order[i]] = made;
    }
    arena_free(list);
    return p->image[e];
}

// ---- lines, entries, matrices

static void start_line(page *p) {
    add(p, "\n  ", p->lines++ ? " \\\\\n" : "\n\\begin{align*}\n");
}

static void end_lines(page *p) {
    if (p->latex && p->lines)
        text_add(&p->out, "\n\\end{align*}");
    p->lines = 0;
}

static void put_entry(page *p, const block *b, int i, int j, expr e) {
    start_line(p);
    text_print(&p->out, p->latex ? "%s_{%s" : "%s%s[", b->name, !b->of_s ? "" : p->latex ? "s,\\, " : "_s");
    put_on_axis(p, b->down, i);
    if (b->across != AXIS_NONE) {
        add(p, ", ", ",\\, ");
        put_on_axis(p, b->across, j);
    }
    add(p, "]", "}");
    if (p->fused || b->down != AXIS_COORD)
        add(p, " = ", " &= ");
    else
        add(p, " += ", " &\\mathrel{+}= ");
    put_expr(p, e);
}

static void put_matrix(page *p, const block *b, const expr *at, int rows, int columns) {
    start_line(p);
    text_print(&p->out, "%s%s &= \\begin{pmatrix} ", b->name, b->of_s ? "_{s}" : "");
    for (int i = 0; i < rows * columns; i++) {
        text_add(&p->out, i == 0 ? "" : i % columns ? " & " : " \\\\ ");
        if (is_zero(p, at[i]))
            text_add(&p->out, "0");
        else
            put_expr(p, at[i]);
    }
    text_add(&p->out, " \\end{pmatrix}");
}

static int axis_length(const page *p, axis which) {
    return which == AXIS_COORD   ? p->model->coords.count
           : which == AXIS_ROW   ? p->model->rows.count
           : which == AXIS_QUASI ? p->model->quasis.count
                                 : 1;
}

// where an instance adds an entry of its shape
static void place_of(const shape *s, int instance, const block *b, const mech_entry *e, int at[2]) {
    const int *slots = slots_of(s, instance);
    bool square = b->down == AXIS_COORD;
    at[0] = square ? slots[e->i] : s->targets.at[instance];
    at[1] = b->across == AXIS_NONE ? 0 : slots[square ? e->j : e->i];
}

static const block *block_of(const mech_entry *e) {
    mech_quantity quantity = e->quantity == MECH_Q_ON_FORCES ? MECH_Q : e->quantity;
    for (int i = 0; i < BLOCKS; i++)
        if (blocks[i].quantity == quantity)
            return &blocks[i];
    return NULL;
}

// ---- constraint rows

static void put_option(page *p, const char *name, const shape *s, int instance, int part) {
    if (s->part[part] == EXPR_NONE)
        return;
    text_print(&p->out, ", %s = %s", name, p->latex ? "$" : "");
    put_expr(p, instantiate(p, s, instance, s->part[part]));
    add(p, "", "$");
}

static const char *shared_weight(page *p, int with) {
    text name;
    text_init(&name, p->scratch);
    model_row_name(p->model, with, &name);
    text option;
    text_init(&option, p->scratch);
    text_add(&option, "weight with ");
    escape_word(p, &option, text_string(&name));
    return text_string(&option);
}

// length (holonomic, damping = d): x^2 + y^2 - L^2 = 0
static void put_row(page *p, const shape *s, int instance) {
    int row = s->targets.at[instance];
    bool control = p->model->constraints.at[p->model->rows.at[row].constraint].control;
    row_level level = p->derived->shapes[s - p->model->shapes.at].level;
    if (p->latex)
        start_line(p);
    else
        text_add(&p->out, "\n\n");
    put_constraint(p, row, true);
    text_print(&p->out, p->latex ? "\\text{ (%s%s" : " (%s%s", control ? "control, " : "", levels[level]);
    put_option(p, "damping", s, instance, PART_DAMPING);
    put_option(p, "stiffness", s, instance, PART_STIFFNESS);
    put_option(p, "weight", s, instance, PART_WEIGHT);
    for (int i = 0; i < WEIGHTS_SHARED && s->part[PART_SHARED + i] != EXPR_NONE; i++)
        put_option(p, shared_weight(p, row + 1 + i), s, instance, PART_SHARED + i);
    add(p, "): ", "):}\\quad ");
    put_expr(p, instantiate(p, s, instance, s->part[PART_VALUE]));
    add(p, " = 0", " &= 0");
}

// ---- small models: every entry, contributions added up

static void fuse_instance(page *p, int shape_id, int instance) {
    const shape *s = &p->model->shapes.at[shape_id];
    const mech_shape *d = &p->derived->shapes[shape_id];
    for (int i = 0; i < d->entries.count; i++) {
        const mech_entry *entry = &d->entries.at[i];
        const block *b = block_of(entry);
        int at[2];
        if (b == NULL)
            continue;
        place_of(s, instance, b, entry, at);
        expr *sum = &p->entries[b - blocks][at[0] * axis_length(p, b->across) + at[1]];
        expr e = instantiate(p, s, instance, entry->e);
        *sum = *sum == EXPR_NONE ? e : expr_op2(p->pool, OP_ADD, *sum, e);
    }
}

static void fuse(page *p) {
    for (int i = 0; i < BLOCKS; i++) {
        int size = axis_length(p, blocks[i].down) * axis_length(p, blocks[i].across);
        p->entries[i] = arena_array(p->scratch, expr, size + 1);
    }
    for (int i = 0; i < p->model->shapes.count; i++)
        for (int k = 0; p->model->shapes.at[i].kind <= SHAPE_ROW && k < p->model->shapes.at[i].count; k++)
            fuse_instance(p, i, k);
    for (int i = 0; i < BLOCKS; i++)
        for (int k = axis_length(p, blocks[i].down) * axis_length(p, blocks[i].across); k-- > 0;)
            if (cancels(p, p->entries[i][k]))
                p->entries[i][k] = EXPR_NONE;
}

static bool as_matrix(const page *p, const block *b) {
    return p->latex && axis_length(p, b->down) <= MATRIX_SIZE && axis_length(p, b->across) <= MATRIX_SIZE;
}

static bool is_symmetric(const block *b) {
    return b == &blocks[BLOCK_M] || b == &blocks[BLOCK_M_S];
}

static void put_entries_of(page *p, const block *b, int i) {
    int columns = axis_length(p, b->across);
    const expr *at = p->entries[b - blocks] + (size_t)i * (size_t)columns;
    for (int j = is_symmetric(b) ? i : 0; j < columns; j++)
        if (!is_zero(p, at[j]) || b == &blocks[BLOCK_B])
            put_entry(p, b, i, j, is_zero(p, at[j]) ? expr_number(p->pool, 0) : at[j]);
}

static void put_block(page *p, const block *b) {
    int rows = axis_length(p, b->down), columns = axis_length(p, b->across), filled = 0;
    const expr *at = p->entries[b - blocks];
    for (int i = 0; i < rows * columns; i++)
        filled += !is_zero(p, at[i]);
    if (filled == 0 &&
        (rows == 0 || b->quantity == MECH_C || b == &blocks[BLOCK_C_S] || b->quantity == MECH_QUASI_OFFSET))
        return;
    if (as_matrix(p, b)) {
        put_matrix(p, b, at, rows, columns);
        return;
    }
    end_lines(p);
    text_print(&p->out, p->latex ? "\n\n$%s%s$" : "\n\n%s%s", b->name,
               !b->of_s   ? ""
               : p->latex ? "_{s}"
                          : "_s");
    text_add(&p->out, filled == 0       ? " is 0"
                      : is_symmetric(b) ? " is symmetric; entries not listed are 0"
                                        : "; entries not listed are 0");
    for (int i = 0; i < rows; i++)
        put_entries_of(p, b, i);
}

static void put_fused(page *p) {
    bool matrix = as_matrix(p, &blocks[BLOCK_A]);
    for (int i = 0; i < BLOCK_A; i++)
        put_block(p, &blocks[i]);
    end_lines(p);
    for (int i = 0; i < p->model->rows.count; i++) {
        put_row(p, &p->model->shapes.at[p->model->rows.at[i].shape], p->model->rows.at[i].instance);
        if (matrix)
            continue; // all rows together
        put_entries_of(p, &blocks[BLOCK_A], i);
        put_entries_of(p, &blocks[BLOCK_B], i);
        end_lines(p);
    }
    for (int b = BLOCK_A; matrix && b <= BLOCK_B; b++)
        put_block(p, &blocks[b]);
}

// M_s s' = S + S^c, A_s s' = b_s
static void put_quasi(page *p) {
    const expr *const *e = (const expr *const *)p->entries;
    quasi_given given = {.n = p->model->quasis.count, .m = p->model->rows.count, .kind = SYM_NUMBER};
    given.G = e[BLOCK_G], given.g = e[BLOCK_OFFSET], given.rate = e[BLOCK_RATE];
    given.M = e[BLOCK_M], given.Q = e[BLOCK_Q], given.C = e[BLOCK_C], given.A = e[BLOCK_A];
    given.b = e[BLOCK_B];
    quasi_made made;
    bool rows = given.m > 0;
    if (!quasi_derive(p->scratch, p->pool, &given, &made)) {
        text_add(&p->out, "\n\nIn quasi-velocities they are too long to print.");
        return;
    }
    end_lines(p);
    if (p->latex)
        start_line(p);
    add(p, "\n\nM_s s' = S", "M_{s}\\,\\dot{s} &= S");
    add(p, rows ? " + S^c,  A_s s' = b_s" : "", rows ? " + S^{c} \\\\\nA_{s}\\,\\dot{s} &= b_{s}" : "");
    expr *const blocks_made[] = {made.M, made.S, made.C, made.A, made.b};
    for (int i = 0; i < 5; i++) {
        p->entries[BLOCK_M_S + i] = blocks_made[i];
        put_block(p, &blocks[BLOCK_M_S + i]);
    }
    end_lines(p);
}

// ---- large models: each shape once

static void put_title(page *p, const shape *s) {
    static const char *const words[] = {
        [SHAPE_KINETIC] = "kinetic energy",  [SHAPE_POTENTIAL] = "potential energy",
        [SHAPE_DISSIPATION] = "dissipation", [SHAPE_MASS] = "mass",
        [SHAPE_MASS_PAIR] = "mass",          [SHAPE_FORCE] = "force",
        [SHAPE_ACTUATOR] = "actuator",       [SHAPE_NONIDEAL] = "non-ideal force",
        [SHAPE_QUASI] = "quasi-velocity"};
    if (s->kind == SHAPE_ROW) {
        put_row(p, s, 0);
        return;
    }
    text_print(&p->out, "\n\n%s", words[s->kind]);
    if (s->kind > SHAPE_DISSIPATION && s->kind != SHAPE_ACTUATOR)
        return;
    add(p, " ", " $");
    if (s->kind == SHAPE_ACTUATOR) {
        put_on_axis(p, AXIS_ACTUATOR, s->targets.at[0]);
        text_add(&p->out, " = ");
    }
    put_expr(p, instantiate(p, s, 0, s->part[PART_VALUE]));
    add(p, "", "$");
}

static void put_instance(page *p, const shape *s, int instance) {
    axis which = s->kind == SHAPE_ROW        ? AXIS_ROW
                 : s->kind == SHAPE_QUASI    ? AXIS_QUASI
                 : s->kind == SHAPE_ACTUATOR ? AXIS_ACTUATOR
                                             : AXIS_COORD;
    add(p, "", "$");
    put_on_axis(p, which, which == AXIS_COORD ? slots_of(s, instance)[0] : s->targets.at[instance]);
    add(p, "", "$");
}

static void put_number(page *p, const char *before, double value) {
    text_print(&p->out, "%s%s", before, p->latex ? "$" : "");
    put_expr(p, expr_number(p->pool, value));
    add(p, "", "$");
}

// what differs from instance to instance, and how many others there are
static void put_others(page *p, const shape *s) {
    for (int i = 0; i < s->number_count; i++) {
        double least, most;
        range_of(s, i, &least, &most);
        if (least == most)
            continue;
        text_print(&p->out, p->latex ? "\n\n$c_{%d}$" : "\n  c%d", i + 1);
        put_number(p, " is ", number_of(s, 0, i));
        put_number(p, " here, from ", least);
        put_number(p, " to ", most);
        text_add(&p->out, " in all");
    }
    if (s->count == 1)
        return;
    add(p, "\n  … ", "\n\n\\dots{} ");
    text_print(&p->out, "and %d more of the same shape (", s->count - 1);
    put_instance(p, s, 1);
    text_add(&p->out, s->count > 2 ? " to " : "");
    if (s->count > 2)
        put_instance(p, s, s->count - 1);
    text_add(&p->out, ")");
}

static void put_shape(page *p, int shape_id) {
    const shape *s = &p->model->shapes.at[shape_id];
    const mech_shape *d = &p->derived->shapes[shape_id];
    bool titled = false, right = s->kind != SHAPE_ROW;
    int at[2];
    for (int i = 0; i < d->entries.count; i++) {
        const mech_entry *entry = &d->entries.at[i];
        const block *b = block_of(entry);
        expr e = instantiate(p, s, 0, entry->e);
        if (b == NULL || (b == &blocks[BLOCK_M] && entry->j < entry->i) || cancels(p, e))
            continue;
        if (!titled)
            put_title(p, s);
        titled = true;
        right |= b == &blocks[BLOCK_B];
        place_of(s, 0, b, entry, at);
        put_entry(p, b, at[0], at[1], e);
    }
    if (!right)
        put_entry(p, &blocks[BLOCK_B], s->targets.at[0], 0, expr_number(p->pool, 0));
    end_lines(p);
    if (titled)
        put_others(p, s);
}

// ---- the whole page

static bool same_family(const label *a, const label *b) {
    return a->indexed && b->indexed && a->name == b->name;
}

// (x[1], x[2], y); in a large model (x[1], …, x[100000], y)
static void put_labels(page *p, const label *at, int count) {
    add(p, "(", "\\left(");
    for (int i = 0; i < count; i++) {
        bool inside =
            i > 0 && i + 1 < count && same_family(&at[i - 1], &at[i]) && same_family(&at[i], &at[i + 1]);
        if (!p->fused && inside) {
            if (i < 2 || !same_family(&at[i - 2], &at[i]))
                add(p, ", …", ",\\, \\dots");
            continue;
        }
        add(p, i ? ", " : "", i ? ",\\, " : "");
        put_label(p, at[i], 0);
    }
    add(p, ")", "\\right)^{T}");
}

// 2 holonomic, 1 nonholonomic
static void put_row_counts(page *p) {
    int counts[3] = {0}, weighted = 0, told = 0;
    for (int i = 0; i < p->model->shapes.count; i++)
        if (p->model->shapes.at[i].kind == SHAPE_ROW) {
            counts[p->derived->shapes[i].level] += p->model->shapes.at[i].count;
            weighted += p->derived->shapes[i].weighted ? p->model->shapes.at[i].count : 0;
        }
    for (int i = 0; i < 3; i++)
        if (counts[i])
            text_print(&p->out, "%s%d %s", told++ ? ", " : "\nrows: ", counts[i], levels[i]);
    if (weighted)
        text_print(&p->out, "; %d with a weight, met as closely as the others allow", weighted);
    if (p->model->frictions.count)
        text_add(&p->out, "; those named stick are in force while it sticks, else friction is part of C");
}

static void put_head(page *p) {
    const model *m = p->model;
    bool rows = m->rows.count > 0, forces = false;
    for (int i = 0; i < m->shapes.count; i++)
        forces |= m->shapes.at[i].kind == SHAPE_NONIDEAL || m->shapes.at[i].kind == SHAPE_FRICTION;
    if (p->latex) {
        text_add(&p->out, "% needs amsmath");
        start_line(p);
    }
    add(p, "M q'' = Q", "M\\,\\ddot{q} &= Q");
    add(p, rows || forces ? " + Q^c" : "", rows || forces ? " + Q^{c}" : "");
    if (rows)
        add(p, ",  A q'' = b", " \\\\\nA\\,\\ddot{q} &= b");
    if (forces)
        add(p, rows ? "\nQ^c = A^T lambda + C" : "\nQ^c = C",
            rows ? " \\\\\nQ^{c} &= A^{T} \\lambda + C" : " \\\\\nQ^{c} &= C");
    add(p, "\nq = ", " \\\\\nq &= ");
    put_labels(p, m->coords.at, m->coords.count);
    if (m->quasis.count) {
        add(p, "\ns = G q' + g = ", " \\\\\ns &= G\\,\\dot{q} + g = ");
        put_labels(p, m->quasis.at, m->quasis.count);
    }
    end_lines(p);
    put_row_counts(p);
    if (!p->fused)
        text_add(&p->out, "\nEach shape of term and row is shown once, for its first instance; contributions "
                          "to one entry add up.");
}

static void put_params(page *p) {
    const char *before = p->latex ? "\n\nwith $" : "\n\nwith ";
    for (int i = 0; i < p->model->params.count; i++)
        if (p->used[i]) {
            text_add(&p->out, before);
            put_label(p, p->model->params.at[i].label, 0);
            text_add(&p->out, " = ");
            put_expr(p, expr_number(p->pool, p->model->params.at[i].value));
            add(p, "", "$");
            before = p->latex ? ", $" : ", ";
        }
    text_add(&p->out, "\n");
}

static bool is_small(const model *m) {
    long long instances = 0;
    for (int i = 0; i < m->shapes.count; i++)
        instances += m->shapes.at[i].kind <= SHAPE_ROW ? m->shapes.at[i].count : 0;
    return m->coords.count <= FUSED_COORDINATES && instances <= FUSED_INSTANCES;
}

static void make_symbols(page *p, sym_kind kind, int count) {
    for (int i = 0; i < count && i < ORDERED_SYMBOLS; i++)
        expr_symbol(p->pool, kind, i);
}

const char *equations_text(arena *a, const model *m, const mech *derived, print_style style) {
    page p = {.model = m, .derived = derived, .latex = style == PRINT_LATEX, .fused = is_small(m)};
    p.scratch = arena_child(a);
    p.pool = expr_pool_new(p.scratch);
    p.image = arena_array(p.scratch, expr, expr_pool_size(m->pool));
    p.used = arena_array(p.scratch, bool, m->params.count + 1);
    text_init(&p.out, a);
    make_symbols(&p, SYM_PARAM, m->params.count);
    make_symbols(&p, SYM_TIME, 1);
    make_symbols(&p, SYM_P, m->coords.count);
    make_symbols(&p, SYM_V, m->coords.count);
    put_head(&p);
    if (p.fused) {
        fuse(&p);
        put_fused(&p);
        if (m->quasis.count)
            put_quasi(&p);
    }
    for (int i = 0; !p.fused && i < m->shapes.count; i++)
        if (m->shapes.at[i].kind <= SHAPE_ROW)
            put_shape(&p, i);
    end_lines(&p);
    put_params(&p);
    arena_free(p.scratch);
    return text_string(&p.out);
}
