/* What the files of the sparse solver share. Rows are numbered in the order of elimination (k) unless said
 * otherwise, coordinates by their places (blocks.h). Rows are scaled by powers of two to lengths between 1/2
 * and 1, which changes no bit of their values. */
#ifndef TRAMMEL_LINEAR_SPARSE_INSIDE_H
#define TRAMMEL_LINEAR_SPARSE_INSIDE_H

#include "base/team.h"
#include "linear/accuracy.h"
#include "linear/chain.h"
#include "linear/mass.h"
#include "linear/sparse.h"

static const double SPARSE_PIVOT_LEAST =
    1e-14; // of S: below, it is rounding, and the iteration has to do the work

struct sparse {
    int n, m, rank, block_most;
    bool single; // M has its diagonal only, see sparse_single.c
    sparsity M_pattern, A_pattern;
    double cut;
    arena *arena;  // of all that follows from the blocks, to be freed when they change
    arena *parent; // of that
    sparse *spare; // in place of this one when blocks would have to change, see sparse_settle; or NULL
    int *label;    // (n): of coordinates as given
    /* NULL, with all that follows from it, until something else than the chain is needed */
    const blocks *p;
    saddle *saddle;  // in place of blocks of M: these are single coordinates then. NULL if not needed
    const double *M; // its values, for the saddle

    double *scale;        // (m)
    double *N, *square;   // (values), (m): scaled rows, |N_k|^2
    const bool *left_out; // (m) as given; NULL for none
    bool *kept;           // (m)
    bool *dropped;        // (m): by the last decision that own was needed for, or left out by the caller
    bool *spanned;        // (m): dropped, and a combination of the rows in `own` alone
    ldl *own;             // of N N', over rows that are independent beyond doubt
    bool own_ready;       // own holds the rows of this factorisation
    bool fresh;           // the rows kept were decided in the last factorisation
    int patience;         // factorisations until it is worth trying without a decision
    double *near; // (near_most x n): orthonormal remainders of rows kept but nearly dependent; NULL at first
    int near_count, near_most, *doubtful;
    double *normal, *sample, *sample_e; // (n x LDL_SIDES), the same, (m x LDL_SIDES): see sparse_rank.c
    bool normal_known;
    double *remainder; // (m)

    double *mass, *U, *U_inverse; // blocks of M; of U with M or M + A'WA = U'U; (n)
    double *mobility;             // (n): 1 / M, if single
    double *mobility_of;          // (n): the definite M that this and lightest, largest are of, ...
    bool mobility_known;          // ... if any
    chain *chain;                 // its own way to the same, if single and S is tridiagonal; or NULL
    bool by_chain;                // the last factorisation is there only: all rows are kept
    bool *augmented, any;         // (blocks): the latter; whether there is one
    double *weight;               // (m): W of the scaled rows, 0 where not used
    double largest, lightest;     // entry of M; diagonal entry above 0
    int mass_rank;
    mass_block block; // for the largest
    bool *named;      // (n) as given

    double *B;  // (values): N U^-1
    bool lean;  // mass, U_inverse and B are not those of this factorisation: see sparse_complete
    ldl *white; // of B B', over the kept rows
    double nearness;

    team *team;     // NULL: one thread
    double *beyond; // (parts x rows after all parts): what each part's forward substitution adds there

    double *f, *x, *v;                 // (n)
    double *g, *h, *l, *c, *e, *d, *r; // (m)
};

// y += f row_k, and row_k y
static inline void sparse_add_row(const blocks *p, const double *rows, int k, double f, double *y) {
    for (int z = p->begin[k]; z < p->begin[k + 1]; z++)
        y[p->place[z]] += f * rows[z];
}

static inline double sparse_dot_row(const blocks *p, const double *rows, int k, const double *y) {
    double sum = 0;
    for (int z = p->begin[k]; z < p->begin[k + 1]; z++)
        sum += rows[z] * y[p->place[z]];
    return sum;
}

/* Rows from .. to - 1 of A, scaled, and the squares of their lengths. False if a value is not finite. */
bool sparse_take_rows(sparse *s, const double *A, int from, int to);
/* Whether row k may be kept: not left out, not dropped at the last decision, not zero. */
static inline bool sparse_same_row(const sparse *s, int k) {
    bool left_out = s->left_out && s->left_out[s->p->ldl->order[k]];
    return !left_out && !s->dropped[k] && s->square[k] > 0;
}

/* What the general way needs, if it is not there yet. */
void sparse_make_ready(sparse *s);
/* Whether the kept rows are independent beyond doubt: smallest is the least pivot of S, as a part of its
 * diagonal entry, most the largest |N_k|^2 / pivot, mu the least
 * eigenvalue of M or less. */
bool sparse_independent(const sparse *s, double smallest, double most, double mu);

/* M diagonal. The short way: false if M is not definite or rank has to be decided. *finite tells whether all
 * values are. */
bool sparse_single_factor(sparse *s, const double *M, const double *A, bool *finite);
/* x (n), and s->l; nearly dependent rows want more, see iterate in sparse_solve.c. */
void sparse_single_solve(sparse *s, const double *Q, const double *b, double *x);
/* What the short way left out. */
void sparse_complete(sparse *s);

/* U for all blocks that are definite; the number of those that are not. */
int sparse_mass_definite(sparse *s);
/* Brings in rows for the others, over the rows kept. When blocks have to become one, *again is set and labels
 * are changed. */
dense_status sparse_mass_augment(sparse *s, bool *again);

void sparse_make_near(sparse *s); // room for `near`, if there is none
/* Decides which rows are kept, in the coordinates' own units. */
void sparse_choose_rows(sparse *s);
/* A row that is kept, and not in doubt itself (m; NULL for none), of which row k is a multiple; or -1. */
int sparse_repeats(sparse *s, int k, const bool *doubtful);
/* Whether all rows that are not kept, apart from those left out, vanish or plainly repeat rows that are. */
bool sparse_same_dropped(sparse *s);

#endif
