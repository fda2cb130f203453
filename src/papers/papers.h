/* The papers' formulations of the constrained acceleration, each as it is written, behind one table.
 *
 *   M x = Q + Q^c,   A x = b,   v'(Q^c - C) = 0 for all v with A v = 0
 *
 * with x the acceleration q'', or s' in quasi-velocities. Papers, by number:
 *   000 Udwadia, Phohomsiri: Explicit Poincare equations of motion for general constrained systems
 *   001 Kalaba, Udwadia: Equations of motion for nonholonomic, constrained dynamical systems via Gauss's
 *       principle
 *   002 Udwadia, Schutte: Equations of motion for general constrained systems in Lagrangian mechanics
 *   003 Udwadia, Kalaba, Hee-Chang: Equations of motion for constrained mechanical systems and the extended
 *       d'Alembert's principle
 *   004 Udwadia: Equations of motion for mechanical systems: a unified approach */
#ifndef TRAMMEL_PAPERS_PAPERS_H
#define TRAMMEL_PAPERS_PAPERS_H

#include "papers/matrix.h"

/* Where a formulation leaves something to choose, the choice must not matter: tests make others. */
typedef struct {
    int inverse14;     // which {1,4}-inverse: 0 to 3
    int g_inverse;     // which g-inverse of D: 0 Moore-Penrose, to 3
    int least_squares; // which least-squares inverse of H: 0 Moore-Penrose, to 3
    bool skew_basis;   // a basis V that is not orthonormal
    double alpha;      // 0: the root of the mean of diag(M)
    double z;          // size of an arbitrary z; 0: z = alpha^2 b
    unsigned seed;     // of whatever is arbitrary
} paper_choice;

/* One system, in units in which it is well scaled: diag(M) about 1, rows of A at unit length. */
typedef struct {
    matrices *w;
    int n, m, rank; // rank of A, found before
    mat M, Q, C, A, b;
    paper_choice choice;
    int *partition;      // (n) of gibbs-appell: dependent coordinates first; kept from call to call
    int *partition_rank; // for which it was made; -1 if there is none
    bool correcting;     // this is the second pass, on what the first one left
} paper;

typedef struct {
    const char *name, *about; // about: what it is, in a few words
    const char *equations;    // papers and numbers
    bool definite;            // takes a root of M: there is none if M is singular
    /* x and the constraint force Q^c, its non-ideal part included. False where it cannot be had: a singular
     * matrix. */
    bool (*solve)(paper *p, mat *x, mat *force);
} formulation;

enum { FORMULATIONS = 9 };
extern const formulation *const formulations[FORMULATIONS];
const formulation *formulation_find(const char *name); // NULL if there is none

typedef struct papers papers;
/* What formulations work in, one after the other; any number of papers of one size can share it. */
void papers_workspace(matrices *w, arena *a, int n, int m);
double papers_workspace_bytes(int n, int m);
papers *papers_new(arena *a, int n, int m, matrices *shared); // NULL: a workspace of its own

/* x (n) and force (n) by one formulation. Rows may be of any length and depend on each other; rank is that of
 * A. Coordinates are scaled by powers of two, and the formulation is applied again to what its result leaves
 * of the equations, until that changes little: mostly once. */
bool papers_solve(papers *p, const formulation *f, const paper_choice *choice, const double *M,
                  const double *Q, const double *C, const double *A, const double *b, int rank, double *x,
                  double *force);

/* The multipliers (m) of least norm with A' multiplier = force (n), rows as written. */
bool papers_multipliers(papers *p, const double *A, int rank, const double *force, double *multiplier);

// ---- for the formulations

/* Rows of which less is left than this part of their length are not taken for independent, however long, and
 * coefficients below it not for dependence. */
static const double PAPER_ROUNDING = 1e-11;

double paper_random(paper *p); // in -1 .. 1, the same in every run
mat paper_random_matrix(paper *p, int rows, int cols);
int *paper_independent_rows(matrices *w, mat x, int rank); // (rank), long ones first
void paper_unit_rows(mat *x, mat *b);   // brings rows of x to unit length, b (rows) with them
double paper_smallest(paper *p, mat x); // nonzero singular value, of rank p->rank; 1 if none
/* A g-inverse of a matrix of rank p->rank (or of another), x y x = x: 0 the Moore-Penrose inverse; 1 that and
 * arbitrary parts; 2 the inverse of independent rows and columns; 3 of least length in another metric. */
mat paper_g_inverse(paper *p, mat x, int which);
mat paper_g_inverse_of_rank(paper *p, mat x, int which, int rank);
mat paper_inverse14_of(paper *p, mat B);                    // by choice.inverse14, B of rank p->rank
mat paper_least_squares_inverse(paper *p, mat H, int rank); // by choice.least_squares

/* The shortest y (m) with A' y = force (n), A of that rank. */
mat paper_least_norm(matrices *w, mat A, int rank, mat force);

#endif
