/* Everything that can be said of a system without simulating. */
#ifndef TRAMMEL_STUDY_CHECK_H
#define TRAMMEL_STUDY_CHECK_H

#include "motion/run.h"

typedef struct {
    start_state start;
    failure failure; // of assembly or of the first evaluation
    bool assembled, solved;
    rank_report *rank; // NULL if it could not be found
    int rank_stacked;  // of [M; A]
    bool mass_singular;
    bool *idle;        // (m) rows of frictions that slip
    int contradicting; // row that depends on others but asks for another acceleration, or -1
    double contradiction;
    power_record *powers; // (constraints of the model) at the start; NULL if not solved
} check_report;

check_report *check_system(arena *a, const trm_system *sys, trm_state *st, double t, double tolerance);

#endif
