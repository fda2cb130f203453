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

/* What a formulation leaves open, and which way it is taken: by default the first, or none. It must not
 * matter. Numbers are those of the scaled system, in which masses are about 1 and rows have unit length. */
typedef struct {
    int inverse14, g_inverse, least_squares; // variants, in the order of their open_choice
    int basis, z;                            // of V and z, too; the number behind the last: as given below
    double alpha;                            // 0: the root of the mean of diag(M)
    const double *z_given;                   // (z_count), or one number for all
    int z_count;
    const double *mix; // (mix_size x mix_size): V is the orthonormal basis times this
    int mix_size;
    unsigned seed; // of whatever is arbitrary
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

// ---- choices.c: what they leave open, as a person names it

typedef struct {
    const char *name;
    bool arbitrary; // takes a seed
} choice_variant;

typedef struct {
    const char *name, *about;
    const formulation *of;
    const choice_variant *variants; // to the first without a name, the default first; NULL: a number
    size_t at;                      // of its number in a paper_choice: int, or double without variants
    int dimensions;                 // of numbers that may be given instead: a vector 1, a matrix 2
} open_choice;

enum { OPEN_CHOICES = 6 };
extern const open_choice open_choices[OPEN_CHOICES];

/* What was asked for, of several formulations or one. */
typedef struct {
    paper_choice choice;
    struct {
        const open_choice *what;
        const char *text; // as it was given
    } given[OPEN_CHOICES];
    int count;
} paper_chosen;

/* Choices that show that it does not matter, each written as it would be given. */
typedef struct {
    const formulation *of;
    const char *text;
    paper_choice choice;
} choice_trial;
enum { CHOICE_TRIALS = 15 };
extern const choice_trial choice_trials[CHOICE_TRIALS];

// ---- solving

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

/* What Gibbs and Appell's equation says of an acceleration (004 eqs. 17 to 25): which coordinates depend on
 * which, the energy of the accelerations, and dS/dx_I = Q_I - R'Q_e, both sides. */
typedef struct {
    int dependent; // so many coordinates, the first of the order
    int *order;    // (n)
    double energy; // S = x'M x/2
    double *slope; // (n - dependent) dS/dx_I
    double *force; // (n - dependent) Q_I - R'Q_e
} gibbs;
/* After papers_solve with gibbs-appell, which keeps the order; Q with C in it. */
bool papers_gibbs(papers *p, const double *M, const double *Q, const double *A, int rank, const double *x,
                  gibbs *out);

/* The multipliers (m) of least norm with A' multiplier = force (n), rows as written. */
bool papers_multipliers(papers *p, const double *A, int rank, const double *force, double *multiplier);

// ---- for the formulations

extern const formulation paper_fundamental, paper_inverse14, paper_gauss, paper_dalembert, paper_gibbs_appell,
    paper_lagrange, paper_stacked, paper_auxiliary, paper_poincare;

/* Variants by number, as choices.c names them. */
enum { MOORE_PENROSE, SHIFTED, OF_BLOCK, IN_METRIC };              // g_inverse
enum { LS_MOORE_PENROSE, LS_SHIFTED, LS_NORMAL, LS_COLUMNS };      // least_squares
enum { X_ROWS, X_SHIFTED, X_NORMAL, X_WEIGHTED, X_MOORE_PENROSE }; // inverse14
enum { BASIS_ORTHONORMAL, BASIS_RANDOM, BASIS_GIVEN };             // basis
enum { Z_SPECIAL, Z_RANDOM, Z_GIVEN };                             // z

/* Rows of which less is left than this part of their length are not taken for independent, however long, and
 * coefficients below it not for dependence. */
static const double PAPER_ROUNDING = 1e-11;

double paper_random(paper *p); // in -1 .. 1, the same in every run
mat paper_random_matrix(paper *p, int rows, int cols);
int *paper_independent_rows(matrices *w, mat x, int rank); // (rank), long ones first
void paper_unit_rows(mat *x, mat *b);   // brings rows of x to unit length, b (rows) with them
double paper_smallest(paper *p, mat x); // nonzero singular value, of rank p->rank; 1 if none
/* A g-inverse of a matrix of rank p->rank (or of another), x y x = x, in the order of choices.c: the
 * Moore-Penrose inverse; that and arbitrary parts; the inverse of independent rows and columns; of least
 * length in another metric. */
mat paper_g_inverse(paper *p, mat x, int which);
mat paper_g_inverse_of_rank(paper *p, mat x, int which, int rank);
mat paper_inverse14_of(paper *p, mat B);                    // by choice.inverse14, B of rank p->rank
mat paper_least_squares_inverse(paper *p, mat H, int rank); // by choice.least_squares

/* N'(Q + C) and N'M x for the order that was chosen, N = [-R; I] in the coordinates' own order. */
void paper_gibbs(paper *p, mat x, mat *force, mat *slope);

/* The shortest y (m) with A' y = force (n), A of that rank. */
mat paper_least_norm(matrices *w, mat A, int rank, mat force);

#endif
