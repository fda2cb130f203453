/* `compare`: every formulation against every other, and what shows that the result is the right one. */
#ifndef TRAMMEL_STUDY_COMPARE_H
#define TRAMMEL_STUDY_COMPARE_H

#include "motion/run.h"

enum { COMPARED = FORMULATIONS + 1 }; // the default solver is number 0

typedef struct {
    const char *name;
    const formulation *by; // NULL: the default solver
    trm_state *st;
    bool applies;        // at the first state
    failure failure;     // where it did not, first
    double *qdd, *force; // (n) at the first state
    bool solved;         // at the state at hand
} compared;

/* The largest difference between any two, relative to the size of the larger. */
typedef struct {
    double size, time;
    int one, other;
} difference;

/* The largest difference that a choice makes, relative as above. */
typedef struct {
    double size;
    const formulation *of; // NULL: none does
    const char *choice;    // as one would give it
} choice_difference;

/* Other choices of what the formulations leave open, at the first state: they must not matter. */
typedef struct {
    int tried;
    choice_difference acceleration, force;
} freedom;

/* The multipliers at the first state: those of least norm, and what may be added to them (004 eq. 42). A
 * vector n with A'n = 0 belongs to each row that depends on others: 1 for itself, minus the factors for
 * these. */
typedef struct {
    double *least;     // (m)
    rank_report *rows; // which depend on which
    bool *none;        // (m) rows without multiplier: they have weight, or are not in force
    int dimension;
} multipliers;

/* What the result of the default solver must satisfy, whichever way it was found; largest over all states. */
typedef struct {
    double constraints; // |A q'' - b|, as a part of |A| |q''| + |b|
    double work;        // |v'(Q^c - C)| for unit v with A v = 0, as a part of |Q| + |Q^c|
    long others;        // other possible accelerations q'' + u, A u = 0, that were tried
    double gaussian;    // |G(q'' + u) - G(q'') - u'M u|, as a part of u'M u: no other has a smaller Gaussian
    int rank, unknowns; // of [M; A] at the first state, and n
} certificate;

typedef struct {
    double from;
    long states;
    int rank; // of A at the first state
    failure failure;
    compared each[COMPARED];
    difference acceleration, force;
    certificate certificate;
    const paper_chosen *chosen; // the formulations above were asked for these
    freedom freedom;
    multipliers multipliers;
    gibbs gibbs; // order NULL: not known
} comparison;

/* How much memory it takes; one state is made, and freed, to find out. */
double compare_bytes(arena *a, const trm_system *sys);
/* About how long so many states take, in seconds. */
double compare_seconds(const trm_system *sys, long states);

/* At the assembled start, or, if along is given, at every sample of that run; formulations that leave
 * something open with what is chosen. */
comparison *compare_system(arena *a, const trm_system *sys, double t, double tolerance,
                           const paper_chosen *chosen, run_options *along);

#endif
