/* M q'' = Q + Q^c, A q'' = b in print.
 *
 * What a shape contributes is an expression over its slots. It is copied into a pool of its own with the
 * coordinates of an instance in place of the slots, where contributions to one entry are added. The symbols
 * of that pool are made in the order in which the model declares them, and since the pool orders operands by
 * age, products and sums come out in that order too. What is wider than a column in LaTeX is no matrix but a
 * list of entries. */
#include "report/equations.h"

#include "mech/bodies.h"
#include "report/newton.h"
#include "report/quasi.h"
#include "report/typeset.h"

#include <string.h>

enum {
    FUSED_COORDINATES = 40, // up to here
    FUSED_INSTANCES = 2000, // and here a model is written out
    MATRIX_SIZE = 8,        // larger ones are lists of entries in LaTeX; amsmath takes 10
    ORDERED_SYMBOLS = 256,  // of each kind are made in advance
    BODIES_MOST = 40        // with equations of their own
};

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
    typeset set;
    expr *entries[BLOCKS];    // (down x across), EXPR_NONE where there is nothing; fused only
    const char *q, *s;        // what the vectors are called
    bool *coordinates, *rows; // (coords), (rows) that are printed; NULL: all
} page;

// ---- lines, entries, matrices

static void put_entry(page *p, const block *b, int i, int j, expr e) {
    typeset_line(&p->set);
    int from = p->set.out.bytes.count;
    text_print(&p->set.out, p->set.latex ? "%s_{%s" : "%s%s[", b->name,
               !b->of_s       ? ""
               : p->set.latex ? "s,\\, "
                              : "_s");
    typeset_on_axis(&p->set, b->down, i);
    if (b->across != AXIS_NONE) {
        typeset_add(&p->set, ", ", ",\\, ");
        typeset_on_axis(&p->set, b->across, j);
    }
    typeset_add(&p->set, "]", "}");
    if (p->set.fused || b->down != AXIS_COORD)
        typeset_add(&p->set, " = ", " &= ");
    else
        typeset_add(&p->set, " += ", " &\\mathrel{+}= ");
    typeset_sum(&p->set, typeset_width(text_string(&p->set.out) + from), e);
}

// false, and nothing, if it is wider than a column
static bool put_matrix(page *p, const block *b, const expr *at, int rows, int columns) {
    int before = p->set.out.bytes.count, lines = p->set.lines;
    typeset_line(&p->set);
    int from = p->set.out.bytes.count;
    text_print(&p->set.out, "%s%s &= \\begin{pmatrix} ", b->name, b->of_s ? "_{s}" : "");
    for (int i = 0; i < rows * columns; i++) {
        text_add(&p->set.out, i == 0 ? "" : i % columns ? " & " : " \\\\ ");
        if (typeset_is_zero(&p->set, at[i]))
            text_add(&p->set.out, "0");
        else
            typeset_expr(&p->set, at[i]);
    }
    text_add(&p->set.out, " \\end{pmatrix}");
    if (typeset_width(text_string(&p->set.out) + from) <= TYPESET_COLUMN)
        return true;
    text_remove(&p->set.out, before, p->set.out.bytes.count - before);
    p->set.lines = lines;
    return false;
}

static int axis_length(const page *p, axis which) {
    return which == AXIS_COORD   ? p->set.model->coords.count
           : which == AXIS_ROW   ? p->set.model->rows.count
           : which == AXIS_QUASI ? p->set.model->quasis.count
                                 : 1;
}

// where an instance adds an entry of its shape
static void place_of(const shape *s, int instance, const block *b, const mech_entry *e, int at[2]) {
    const int *slots = typeset_slots(s, instance);
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
    text_print(&p->set.out, ", %s = %s", name, p->set.latex ? "$" : "");
    typeset_expr(&p->set, typeset_instance(&p->set, s, instance, s->part[part]));
    typeset_add(&p->set, "", "$");
}

static const char *shared_weight(page *p, int with) {
    text name;
    text_init(&name, p->set.scratch);
    model_row_name(p->set.model, with, &name);
    text option;
    text_init(&option, p->set.scratch);
    text_add(&option, "weight with ");
    typeset_escaped(&p->set, &option, text_string(&name));
    return text_string(&option);
}

// length (holonomic, damping = d): x^2 + y^2 - L^2 = 0
static void put_row(page *p, const shape *s, int instance) {
    int row = s->targets.at[instance];
    bool control = p->set.model->constraints.at[p->set.model->rows.at[row].constraint].control;
    row_level level = p->set.derived->shapes[s - p->set.model->shapes.at].level;
    if (p->set.latex)
        typeset_line(&p->set);
    else
        text_add(&p->set.out, "\n\n");
    int from = p->set.out.bytes.count;
    typeset_constraint(&p->set, row, true);
    text_print(&p->set.out, p->set.latex ? "\\text{ (%s%s" : " (%s%s", control ? "control, " : "",
               levels[level]);
    put_option(p, "damping", s, instance, PART_DAMPING);
    put_option(p, "stiffness", s, instance, PART_STIFFNESS);
    put_option(p, "weight", s, instance, PART_WEIGHT);
    for (int i = 0; i < WEIGHTS_SHARED && s->part[PART_SHARED + i] != EXPR_NONE; i++)
        put_option(p, shared_weight(p, row + 1 + i), s, instance, PART_SHARED + i);
    typeset_add(&p->set, "): ", "):}\\quad ");
    expr given = typeset_instance(&p->set, s, instance, s->part[PART_VALUE]);
    int name = p->set.out.bytes.count;
    typeset_expr(&p->set, given);
    typeset_add(&p->set, " = 0", " &= 0");
    if (!p->set.latex || typeset_width(text_string(&p->set.out) + from) <= TYPESET_COLUMN)
        return;
    text_remove(&p->set.out, name, p->set.out.bytes.count - name); // the name has a line of its own
    text_insert(&p->set.out, from, "&");
    text_add(&p->set.out, "\\\\\n  &");
    typeset_sum(&p->set, 26, given); // with = 0
    text_add(&p->set.out, " = 0");
}

// ---- small models: every entry, contributions added up

static bool is_listed_along(const page *p, axis which, int at) {
    return which == AXIS_COORD ? p->coordinates[at] : which == AXIS_ROW ? p->rows[at] : true;
}

static bool is_listed(const page *p, const block *b, const int *at) {
    return p->coordinates == NULL ||
           (is_listed_along(p, b->down, at[0]) && is_listed_along(p, b->across, at[1]));
}

static void fuse_instance(page *p, int shape_id, int instance) {
    const shape *s = &p->set.model->shapes.at[shape_id];
    const mech_shape *d = &p->set.derived->shapes[shape_id];
    for (int i = 0; i < d->entries.count; i++) {
        const mech_entry *entry = &d->entries.at[i];
        const block *b = block_of(entry);
        int at[2];
        if (b == NULL)
            continue;
        place_of(s, instance, b, entry, at);
        if (!is_listed(p, b, at))
            continue;
        expr *sum = &p->entries[b - blocks][at[0] * axis_length(p, b->across) + at[1]];
        expr e = typeset_instance(&p->set, s, instance, entry->e);
        *sum = *sum == EXPR_NONE ? e : expr_op2(p->set.pool, OP_ADD, *sum, e);
    }
}

static void fuse(page *p) {
    for (int i = 0; i < BLOCKS; i++) {
        int size = axis_length(p, blocks[i].down) * axis_length(p, blocks[i].across);
        p->entries[i] = arena_array(p->set.scratch, expr, size + 1);
    }
    for (int i = 0; i < p->set.model->shapes.count; i++)
        for (int k = 0; p->set.model->shapes.at[i].kind <= SHAPE_ROW && k < p->set.model->shapes.at[i].count;
             k++)
            fuse_instance(p, i, k);
    for (int i = 0; i < BLOCKS; i++)
        for (int k = axis_length(p, blocks[i].down) * axis_length(p, blocks[i].across); k-- > 0;)
            if (typeset_cancels(&p->set, p->entries[i][k]))
                p->entries[i][k] = EXPR_NONE;
}

static bool as_matrix(const page *p, const block *b) {
    return p->set.latex && axis_length(p, b->down) <= MATRIX_SIZE && axis_length(p, b->across) <= MATRIX_SIZE;
}

static bool is_symmetric(const block *b) {
    return b == &blocks[BLOCK_M] || b == &blocks[BLOCK_M_S];
}

static void put_entries_of(page *p, const block *b, int i) {
    int columns = axis_length(p, b->across);
    const expr *at = p->entries[b - blocks] + (size_t)i * (size_t)columns;
    for (int j = is_symmetric(b) ? i : 0; j < columns; j++)
        if (!typeset_is_zero(&p->set, at[j]) || b == &blocks[BLOCK_B])
            put_entry(p, b, i, j, typeset_is_zero(&p->set, at[j]) ? expr_number(p->set.pool, 0) : at[j]);
}

static void put_block(page *p, const block *b) {
    int rows = axis_length(p, b->down), columns = axis_length(p, b->across), filled = 0;
    const expr *at = p->entries[b - blocks];
    for (int i = 0; i < rows * columns; i++)
        filled += !typeset_is_zero(&p->set, at[i]);
    if (filled == 0 &&
        (rows == 0 || b->quantity == MECH_C || b == &blocks[BLOCK_C_S] || b->quantity == MECH_QUASI_OFFSET))
        return;
    if (as_matrix(p, b) && put_matrix(p, b, at, rows, columns))
        return;
    typeset_end(&p->set);
    text_print(&p->set.out, p->set.latex ? "\n\n$%s%s$" : "\n\n%s%s", b->name,
               !b->of_s       ? ""
               : p->set.latex ? "_{s}"
                              : "_s");
    text_add(&p->set.out, filled == 0       ? " is 0"
                          : is_symmetric(b) ? " is symmetric; entries not listed are 0"
                                            : "; entries not listed are 0");
    for (int i = 0; i < rows; i++)
        put_entries_of(p, b, i);
}

static void put_fused(page *p) {
    bool matrix = as_matrix(p, &blocks[BLOCK_A]);
    for (int i = 0; i < BLOCK_A; i++)
        put_block(p, &blocks[i]);
    typeset_end(&p->set);
    for (int i = 0; i < p->set.model->rows.count; i++) {
        put_row(p, &p->set.model->shapes.at[p->set.model->rows.at[i].shape],
                p->set.model->rows.at[i].instance);
        if (matrix)
            continue; // all rows together
        put_entries_of(p, &blocks[BLOCK_A], i);
        put_entries_of(p, &blocks[BLOCK_B], i);
        typeset_end(&p->set);
    }
    for (int b = BLOCK_A; matrix && b <= BLOCK_B; b++)
        put_block(p, &blocks[b]);
}

static bool has_entries(page *p, const block *b) {
    int size = axis_length(p, b->down) * axis_length(p, b->across);
    bool filled = false;
    for (int i = 0; i < size; i++)
        filled |= !typeset_is_zero(&p->set, p->entries[b - blocks][i]);
    return filled;
}

// what is left of M q'' = Q + A^T lambda where bodies and joints have their own equations
static void put_left(page *p) {
    static const int left[] = {BLOCK_M, BLOCK_Q, BLOCK_C, BLOCK_A};
    const model *m = p->set.model;
    fuse(p);
    if (has_entries(p, &blocks[BLOCK_M]) || has_entries(p, &blocks[BLOCK_A]))
        text_print(&p->set.out,
                   p->set.latex
                       ? "\n\nOther coordinates: their part of $M\\,\\ddot{%s} = Q + C + A^{T} \\lambda$"
                       : "\n\nOther coordinates: their part of M %s'' = Q + C + A^T lambda",
                   p->q);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < axis_length(p, blocks[left[k]].down); i++)
            put_entries_of(p, &blocks[left[k]], i);
    typeset_end(&p->set);
    for (int i = 0; i < m->rows.count; i++)
        if (p->rows[i])
            put_row(p, &m->shapes.at[m->rows.at[i].shape], m->rows.at[i].instance);
    typeset_end(&p->set);
}

// whether bodies and joints can have equations of their own, and are not too many for a page
static bool is_of_bodies(page *p) {
    const mech_parts *parts = p->set.model->extension;
    return newton_suits(p->set.scratch, p->set.model) && parts->bodies.count <= BODIES_MOST &&
           parts->joints.count <= 2 * BODIES_MOST;
}

static void put_bodies(page *p) {
    p->set.fused = true;
    p->coordinates = arena_array(p->set.scratch, bool, p->set.model->coords.count + 1);
    p->rows = arena_array(p->set.scratch, bool, p->set.model->rows.count + 1);
    newton_put(&p->set, p->coordinates, p->rows);
    put_left(p);
    text_add(&p->set.out,
             p->set.latex ? "" : "\n\nIn coordinates, with M, Q, A and b: trammel equations --expand");
}

// M_s s' = S + S^c, A_s s' = b_s
static void put_quasi(page *p) {
    const expr *const *e = (const expr *const *)p->entries;
    quasi_given given = {.n = p->set.model->quasis.count, .m = p->set.model->rows.count, .kind = SYM_NUMBER};
    given.G = e[BLOCK_G], given.g = e[BLOCK_OFFSET], given.rate = e[BLOCK_RATE];
    given.M = e[BLOCK_M], given.Q = e[BLOCK_Q], given.C = e[BLOCK_C], given.A = e[BLOCK_A];
    given.b = e[BLOCK_B];
    quasi_made made;
    bool rows = given.m > 0;
    if (!quasi_derive(p->set.scratch, p->set.pool, &given, &made)) {
        text_add(&p->set.out, "\n\nIn quasi-velocities they are too long to print.");
        return;
    }
    typeset_end(&p->set);
    if (p->set.latex)
        typeset_line(&p->set);
    text_print(&p->set.out, p->set.latex ? "M_{s}\\,\\dot{%s} &= S" : "\n\nM_s %s' = S", p->s);
    if (rows)
        text_print(&p->set.out,
                   p->set.latex ? " + S^{c} \\\\\nA_{s}\\,\\dot{%s} &= b_{s}" : " + S^c,  A_s %s' = b_s",
                   p->s);
    expr *const blocks_made[] = {made.M, made.S, made.C, made.A, made.b};
    for (int i = 0; i < 5; i++) {
        p->entries[BLOCK_M_S + i] = blocks_made[i];
        put_block(p, &blocks[BLOCK_M_S + i]);
    }
    typeset_end(&p->set);
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
    text_print(&p->set.out, "\n\n%s", words[s->kind]);
    if (s->kind > SHAPE_DISSIPATION && s->kind != SHAPE_ACTUATOR)
        return;
    typeset_add(&p->set, " ", " $");
    if (s->kind == SHAPE_ACTUATOR) {
        typeset_on_axis(&p->set, AXIS_ACTUATOR, s->targets.at[0]);
        text_add(&p->set.out, " = ");
    }
    typeset_expr(&p->set, typeset_instance(&p->set, s, 0, s->part[PART_VALUE]));
    typeset_add(&p->set, "", "$");
}

static void put_instance(page *p, const shape *s, int instance) {
    axis which = s->kind == SHAPE_ROW        ? AXIS_ROW
                 : s->kind == SHAPE_QUASI    ? AXIS_QUASI
                 : s->kind == SHAPE_ACTUATOR ? AXIS_ACTUATOR
                                             : AXIS_COORD;
    typeset_add(&p->set, "", "$");
    typeset_on_axis(&p->set, which,
                    which == AXIS_COORD ? typeset_slots(s, instance)[0] : s->targets.at[instance]);
    typeset_add(&p->set, "", "$");
}

static void put_number(page *p, const char *before, double number) {
    text_print(&p->set.out, "%s%s", before, p->set.latex ? "$" : "");
    typeset_expr(&p->set, expr_number(p->set.pool, number));
    typeset_add(&p->set, "", "$");
}

// what differs from instance to instance, and how many others there are
static void put_others(page *p, const shape *s) {
    for (int i = 0; i < s->number_count; i++) {
        double least, most;
        typeset_range(s, i, &least, &most);
        if (least == most)
            continue;
        text_print(&p->set.out, p->set.latex ? "\n\n$c_{%d}$" : "\n  c%d", i + 1);
        put_number(p, " is ", typeset_number(s, 0, i));
        put_number(p, " here, from ", least);
        put_number(p, " to ", most);
        text_add(&p->set.out, " in all");
    }
    if (s->count == 1)
        return;
    typeset_add(&p->set, "\n  … ", "\n\n\\dots{} ");
    text_print(&p->set.out, "and %d more of the same shape (", s->count - 1);
    put_instance(p, s, 1);
    text_add(&p->set.out, s->count > 2 ? " to " : "");
    if (s->count > 2)
        put_instance(p, s, s->count - 1);
    text_add(&p->set.out, ")");
}

static void put_shape(page *p, int shape_id) {
    const shape *s = &p->set.model->shapes.at[shape_id];
    const mech_shape *d = &p->set.derived->shapes[shape_id];
    bool titled = false, right = s->kind != SHAPE_ROW;
    int at[2];
    for (int i = 0; i < d->entries.count; i++) {
        const mech_entry *entry = &d->entries.at[i];
        const block *b = block_of(entry);
        expr e = typeset_instance(&p->set, s, 0, entry->e);
        if (b == NULL || (b == &blocks[BLOCK_M] && entry->j < entry->i) || typeset_cancels(&p->set, e))
            continue;
        if (!titled)
            put_title(p, s);
        titled = true;
        right |= b == &blocks[BLOCK_B];
        place_of(s, 0, b, entry, at);
        put_entry(p, b, at[0], at[1], e);
    }
    if (!right)
        put_entry(p, &blocks[BLOCK_B], s->targets.at[0], 0, expr_number(p->set.pool, 0));
    typeset_end(&p->set);
    if (titled)
        put_others(p, s);
}

// ---- the whole page

static bool same_family(const label *a, const label *b) {
    return a->indexed && b->indexed && a->name == b->name;
}

// whether it is left out of a long list of a family, and what stands there for the first of these
static bool is_inside(const page *p, const label *at, int i, int count, const char **dots) {
    bool inside =
        i > 0 && i + 1 < count && same_family(&at[i - 1], &at[i]) && same_family(&at[i], &at[i + 1]);
    if (p->set.fused || !inside)
        return false;
    bool first = i < 2 || !same_family(&at[i - 2], &at[i]);
    *dots = !first ? "" : p->set.latex ? ",\\, \\dots" : ", …";
    return true;
}

// (x[1], x[2], y); in a large model (x[1], …, x[100000], y); begun: how wide what stands before is
static void put_labels(page *p, const label *at, int count, double begun) {
    int from = p->set.out.bytes.count, piece = from;
    const char *dots;
    bool wide = false;
    typeset_add(&p->set, "(", "\\left(");
    for (int i = 0; i < count; i++) {
        if (is_inside(p, at, i, count, &dots)) {
            text_add(&p->set.out, dots);
            continue;
        }
        typeset_add(&p->set, i ? ", " : "", i ? ",\\, " : "");
        double before = begun + typeset_width(text_string(&p->set.out) + piece);
        int name = p->set.out.bytes.count;
        typeset_label(&p->set, at[i], 0);
        double width = typeset_width(text_string(&p->set.out) + name);
        if (p->set.latex && before + width + 16 > TYPESET_COLUMN) {
            text_insert(&p->set.out, name, "\\\\\n  &\\quad ");
            piece = name;
            begun = 20;
            wide = true;
        }
    }
    typeset_add(&p->set, ")", wide ? ")^{T}" : "\\right)^{T}");
    if (wide) // brackets do not grow over lines
        text_remove(&p->set.out, from, (int)strlen("\\left"));
}

// 2 holonomic, 1 nonholonomic
static void put_row_counts(page *p) {
    int counts[3] = {0}, weighted = 0, told = 0;
    for (int i = 0; i < p->set.model->shapes.count; i++)
        if (p->set.model->shapes.at[i].kind == SHAPE_ROW) {
            counts[p->set.derived->shapes[i].level] += p->set.model->shapes.at[i].count;
            weighted += p->set.derived->shapes[i].weighted ? p->set.model->shapes.at[i].count : 0;
        }
    for (int i = 0; i < 3; i++)
        if (counts[i])
            text_print(&p->set.out, "%s%d %s", told++ ? ", " : "\nrows: ", counts[i], levels[i]);
    if (weighted)
        text_print(&p->set.out, "; %d with a weight, met as closely as the others allow", weighted);
    if (p->set.model->frictions.count)
        text_add(&p->set.out, "; those named stick are in force while it sticks, else friction is part of C");
}

static bool is_taken(const model *m, const char *name) {
    const label *lists[] = {m->coords.at, m->quasis.at};
    const int counts[] = {m->coords.count, m->quasis.count};
    bool taken = false;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < counts[k]; i++)
            taken |= strcmp(names_text(m->names, lists[k][i].name), name) == 0;
    for (int i = 0; i < m->params.count; i++)
        taken |= strcmp(names_text(m->names, m->params.at[i].label.name), name) == 0;
    return taken;
}

// a name for a vector that nothing in the model has
static const char *free_name(const model *m, const char *const *list) {
    while (list[1] && is_taken(m, list[0]))
        list++;
    return list[0];
}

static void put_renamed(page *p) {
    const char *const called[][2] = {{"q", p->q}, {"s", p->s}};
    for (int i = 0; i < 2; i++)
        if (strcmp(called[i][0], called[i][1]) != 0)
            text_print(&p->set.out,
                       p->set.latex ? "\nThe vector is called $%s$, since the model has a $%s$ of its own.\n"
                                    : "\nthe vector is called %s, since the model has a %s of its own",
                       called[i][1], called[i][0]);
}

static void put_head(page *p) {
    const model *m = p->set.model;
    bool rows = m->rows.count > 0, forces = false;
    for (int i = 0; i < m->shapes.count; i++)
        forces |= m->shapes.at[i].kind == SHAPE_NONIDEAL || m->shapes.at[i].kind == SHAPE_FRICTION;
    if (p->set.latex) {
        text_add(&p->set.out, "% needs amsmath");
        typeset_line(&p->set);
    }
    text_print(&p->set.out, p->set.latex ? "M\\,\\ddot{%s} &= Q" : "M %s'' = Q", p->q);
    typeset_add(&p->set, rows || forces ? " + Q^c" : "", rows || forces ? " + Q^{c}" : "");
    if (rows)
        text_print(&p->set.out, p->set.latex ? " \\\\\nA\\,\\ddot{%s} &= b" : ",  A %s'' = b", p->q);
    if (forces)
        typeset_add(&p->set, rows ? "\nQ^c = A^T lambda + C" : "\nQ^c = C",
                    rows ? " \\\\\nQ^{c} &= A^{T} \\lambda + C" : " \\\\\nQ^{c} &= C");
    text_print(&p->set.out, p->set.latex ? " \\\\\n%s &= " : "\n%s = ", p->q);
    put_labels(p, m->coords.at, m->coords.count, 20);
    if (m->quasis.count) {
        text_print(&p->set.out,
                   p->set.latex ? " \\\\\n%s &= G\\,\\dot{%s} + g = " : "\n%s = G %s' + g = ", p->s, p->q);
        put_labels(p, m->quasis.at, m->quasis.count, 70);
    }
    typeset_end(&p->set);
    put_renamed(p);
    put_row_counts(p);
    if (!p->set.fused)
        text_add(&p->set.out,
                 "\nEach shape of term and row is shown once, for its first instance; contributions "
                 "to one entry add up.");
}

static void put_params(page *p) {
    const char *before = p->set.latex ? "\n\nwith $" : "\n\nwith ";
    for (int i = 0; i < p->set.model->params.count; i++)
        if (p->set.used[i]) {
            text_add(&p->set.out, before);
            typeset_label(&p->set, p->set.model->params.at[i].label, 0);
            text_add(&p->set.out, " = ");
            typeset_expr(&p->set, expr_number(p->set.pool, p->set.model->params.at[i].value));
            typeset_add(&p->set, "", "$");
            before = p->set.latex ? ", $" : ", ";
        }
    text_add(&p->set.out, "\n");
}

static bool is_small(const model *m) {
    long long instances = 0;
    for (int i = 0; i < m->shapes.count; i++)
        instances += m->shapes.at[i].kind <= SHAPE_ROW ? m->shapes.at[i].count : 0;
    return m->coords.count <= FUSED_COORDINATES && instances <= FUSED_INSTANCES;
}

static void make_symbols(page *p, sym_kind kind, int count) {
    for (int i = 0; i < count && i < ORDERED_SYMBOLS; i++)
        expr_symbol(p->set.pool, kind, i);
}

const char *equations_text(arena *a, const model *m, const mech *derived, print_style style, bool expand) {
    static const char *const vectors[] = {"q", "z", "X", "Z", NULL}, *const rates[] = {"s", "S", "u", NULL};
    typeset set = typeset_new(a, m, derived, style == PRINT_LATEX);
    page p = {.set = set, .q = free_name(m, vectors), .s = free_name(m, rates)};
    p.set.fused = is_small(m);
    make_symbols(&p, SYM_PARAM, m->params.count);
    make_symbols(&p, SYM_TIME, 1);
    make_symbols(&p, SYM_P, m->coords.count);
    make_symbols(&p, SYM_V, m->coords.count);
    if (!expand && is_of_bodies(&p)) {
        put_bodies(&p);
        typeset_where(&p.set);
        put_params(&p);
        arena_free(p.set.scratch);
        return text_string(&p.set.out);
    }
    put_head(&p);
    if (p.set.fused) {
        fuse(&p);
        put_fused(&p);
        if (m->quasis.count)
            put_quasi(&p);
    }
    for (int i = 0; !p.set.fused && i < m->shapes.count; i++)
        if (m->shapes.at[i].kind <= SHAPE_ROW)
            put_shape(&p, i);
    typeset_end(&p.set);
    typeset_where(&p.set);
    put_params(&p);
    arena_free(p.set.scratch);
    return text_string(&p.set.out);
}
