/* What equations are printed with: names, expressions, lines, as plain text or as LaTeX.
 *
 * In LaTeX nothing is wider than a column of a page with two: sums go on on the next line, and what is too
 * wide for that has its longest part called u_1, u_2, ..., which typeset_where defines. */
#ifndef TRAMMEL_REPORT_TYPESET_H
#define TRAMMEL_REPORT_TYPESET_H

#include "mech/mech.h"

enum {
    TYPESET_LONGEST = 4000, // operations of an expression that is printed: about two pages
    TYPESET_COLUMN = 240    // pt
};

typedef enum { AXIS_NONE, AXIS_COORD, AXIS_ROW, AXIS_QUASI, AXIS_ACTUATOR } axis;

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
    expr_pool *named;       // of expressions that are too wide for a line
    vec(expr) parts;        // of these, what u_1, u_2, ... stand for
    int told;               // of them are defined
    char part_letter;       // u, or another that is free
    int lines;              // of the LaTeX block at hand
    text out;
} typeset;

/* The text is of the arena, all else of t.scratch, a child of it. */
typeset typeset_new(arena *a, const model *m, const mech *derived, bool latex);

void typeset_add(typeset *t, const char *plain, const char *latex);

// ---- names
void typeset_label(typeset *t, label l, int primes);
void typeset_escaped(const typeset *t, text *out, const char *name);
void typeset_word(typeset *t, label l); // a word, not a quantity
/* The name of a row, or of the whole constraint that it is part of. */
void typeset_constraint(typeset *t, int row, bool part);
void typeset_on_axis(typeset *t, axis which, int index);
void typeset_symbol(void *context, text *out, print_style style, sym_kind kind, int index);

// ---- expressions
/* As printed: those that are shared in the pool count wherever they occur, which may be very often. */
double typeset_operations(typeset *t, expr e);
bool typeset_cancels(typeset *t, expr e); // whether it is 0 when its terms are collected
void typeset_expr(typeset *t, expr e);
bool typeset_is_zero(const typeset *t, expr e);
const int *typeset_slots(const shape *s, int instance);
double typeset_number(const shape *s, int instance, int index);
void typeset_range(const shape *s, int index, double *least, double *most);
/* An expression of a shape, over the coordinates of one instance. */
expr typeset_instance(typeset *t, const shape *s, int instance, expr e);

// ---- lines
void typeset_line(typeset *t); // begins one
void typeset_end(typeset *t);  // of lines

/* An expression behind what the line at hand has begun with, on as many lines as it takes; `begun` is how
 * wide that is, in pt. In plain text all is one line. */
void typeset_sum(typeset *t, double begun, expr e);

/* The same of terms that are written already, each with its sign in front: "+ f", "- g". */
typedef vec(const char *) typeset_terms;
void typeset_written(typeset *t, double begun, const typeset_terms *terms);

/* What u_1, u_2, ... stand for, if any were needed. */
void typeset_where(typeset *t);

/* The width of a formula in letters of 10 pt, in pt; rather too much than too little. */
double typeset_width(const char *latex);

#endif
