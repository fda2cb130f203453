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
} comparison;

/* How much memory it takes; one state is made, and freed, to find out. */
double compare_bytes(arena *a, const trm_system *sys);
/* About how long a state takes, in seconds. */
double compare_seconds(const trm_system *sys);

/* At the assembled start, or, if along is given, at every sample of that run. */
comparison *compare_system(arena *a, const trm_system *sys, double t, double tolerance, run_options *along);

#endif
