/* What the files of a chain share: chain_plan.c finds it in a pattern, chain.c has the numbers, chain_lanes.c
 * the loops over rows, one set for each kind of processor. Rows are counted along the chain, r, unless said
 * otherwise. */
#ifndef TRAMMEL_LINEAR_CHAIN_INSIDE_H
#define TRAMMEL_LINEAR_CHAIN_INSIDE_H

#include "base/lanes.h"
#include "linear/chain.h"

enum {
    CHAIN_WIDTH = 8,    // entries of a row
    CHAIN_LENGTH = 128, // of a segment: the numbers of a part stay in the first cache
    CHAIN_PART = LANES * CHAIN_LENGTH
};

/* Squares of rows within these bounds neither overflow nor lose digits in what is made of them. */
static const double CHAIN_SQUARE_LEAST = 1e-60, CHAIN_SQUARE_MOST = 1e60;

/* Rows from .. to - 1 that are alike: entry e of row r is A[A_at + (r - from) A_step + e], that of coordinate
 * place[e] + (r - from) step[e]; those of `mine` and `theirs` are of the same coordinate in r and r - 1.
 * Otherwise, width 0, rows are looked up one by one. */
typedef struct {
    int from, to;
    int width, pairs;
    int row, row_step; // number of the row as given
    int A_at, A_step;
    int place[CHAIN_WIDTH], step[CHAIN_WIDTH];
    int mine[CHAIN_WIDTH], theirs[CHAIN_WIDTH];
} chain_run;

/* Rows first .. first + 8 length - 1: lane l has the segment of `length` rows from first + l length on, of
 * which the last stays. `run` is the one of the first row. */
typedef struct {
    int first, length, run;
} chain_part;

struct chain {
    int n, m;
    sparsity A_pattern;
    const int *row, *where; // (m): the row as given that is r-th, and the other way round
    vec(chain_run) runs;    // all rows, in their order
    int parts;
    const chain_part *part;
    int rest;                     // first row after all parts
    int left;                     // rows that stay: the last ones of all segments, then those after all parts
    const struct chain_loops *by; // for this processor

    const double *A, *mobility; // of the last factorisation
    /* By lanes, number i of lane l of a part at part.first + 8 i + l: E couples a row to the one before,
     * G to the row that stays before its segment; P are reciprocal pivots, R right-hand sides. */
    double *E, *G, *P, *R;
    double *inverse, *coupling; // (left): of the rows that stay, and E with the one before
    double *stay;               // (1 + left): their right-hand sides, then l; 0 before the first
    struct chain_ends *ends;    // (parts)
};

typedef struct {
    bool near;   // rows hold to rounding
    double size; // |x|^2 over the rows' coordinates
} chain_look;

/* What the segments of a part leave for the rows that stay: at [l], of lane l. */
typedef struct chain_ends {
    double before[LANES];                  // taken from the diagonal of the row before the segment, and ...
    double last[LANES];                    // ... of its last row, which it couples by ...
    double coupling[LANES];                // ... this
    double diagonal[LANES], square[LANES]; // of the last row, before that; |A_r|^2
    double right_before[LANES];            // taken from the right-hand side of the row before
    double right[LANES];                   // of the last row
    double change;                         // R'P R
    double smallest, most;                 // as in chain_pivots
    bool sure;                             // pivots are positive, lengths of rows usual
    chain_look now;
} chain_ends;

/* The loops, over the rows of one part or fewer; arrays of rows begin with row `first` of the part. */
typedef struct chain_loops {
    /* S: D (diagonal), E, and |A_r|^2. */
    void (*gram)(const chain *c, const chain_run *u, int from, int to, double *D, double *E, double *square);
    /* To c->E, G, P. */
    void (*eliminate)(chain *c, const chain_part *p, const double *D, const double *E, const double *square,
                      chain_ends *ends);
    /* b - A x; adds to what is known of all rows. */
    void (*residual)(const chain *c, const chain_run *u, int from, int to, const double *b, const double *x,
                     double *R, chain_look *now);
    /* To c->R. */
    void (*forward)(chain *c, const chain_part *p, const double *R, chain_ends *ends);
    /* l (rows of the part) with those of the rows that stay: stay[0], of the one before the first, .. */
    void (*backward)(const chain *c, const chain_part *p, const double *stay, double *l);
    /* x += M^-1 A'l. */
    void (*add)(const chain *c, const chain_run *u, int from, int to, const double *l, double *x);
} chain_loops;

extern const chain_loops chain_plain;
#ifdef __x86_64__
extern const chain_loops chain_avx2, chain_avx512;
#endif

/* The same for one row. */
void chain_gram(const chain *c, int r, double *D, double *E, double *square);
double chain_residual(const chain *c, int r, const double *b, const double *x, chain_look *now);
/* At all its coordinates, at those that the row after it has, too, or at the others. */
typedef enum { EVERY, SHARED, OWN } chain_share;
void chain_add(const chain *c, int r, double l, chain_share share, double *x);

#endif
