/* The rows of A seen by the blocks of a block-diagonal M, and the pattern of A M^-1 A'.
 *
 * Coordinates are renumbered so that a block's are neighbours: coordinate j is at where[j], and block c has
 * the places first[c] .. first[c + 1] - 1. A row is a list of pieces, one for each block that it touches,
 * with a value for each coordinate of that block, so that a piece can be multiplied by the block's inverse.
 * Rows stand in the order in which they are eliminated (ldl.h). */
#ifndef TRAMMEL_LINEAR_BLOCKS_H
#define TRAMMEL_LINEAR_BLOCKS_H

#include "linear/saddle.h"

typedef struct {
    int n, m, count;       // coordinates, rows, blocks
    bool single;           // each block is one coordinate: places are coordinates then, pieces are values
    const int *where;      // (n)
    const int *coordinate; // (n): which one is at a place
    const int *first;      // (count + 1)
    const int *inside;     // (count + 1): where a block's matrix begins, size x size
    const int *row, *block, *at; // (m + 1), (pieces), (pieces + 1): pieces of row k, where their values begin
    const int *begin, *place; // (m + 1), (values): where the values of row k begin, which place each is for
    const int *touch, *who;   // (count + 1), (pieces): rows that touch a block, ascending
    const int *value;         // (pieces): where the values of its piece begin
    const int *pairs, *pair;  // (entries of the lower triangle + 1), (2 each): pieces to be multiplied
    const int *M_to, *A_to; // (entries): where a value of M goes in the blocks' matrices, one of A in a row;
                            // A_to NULL if single: those of a row stay in their order
    const ldl_plan *ldl;
} blocks;

/* Coordinates with the same label make one block (labels: any numbers below n). Few and small
 * blocks: their matrices are full. */
blocks *blocks_new(arena *a, int n, sparsity M, sparsity A, const int *label);

/* The Gram matrix B B' of rows given by their values (at[pieces]) goes to f's diagonal and value. */
void blocks_gram(const blocks *p, const double *B, ldl *f);

#endif
