/* What a run or check found, for people and as JSON. */
#ifndef TRAMMEL_REPORT_FINDINGS_H
#define TRAMMEL_REPORT_FINDINGS_H

#include "motion/run.h"

typedef vec(const char *) string_list;

typedef struct {
    const char *path; // of the model
    const char *formulation, *integrator;
    double tolerance, from;
    double read_seconds, derive_seconds, compile_seconds, simulate_seconds; // compile: derive included
    double write_seconds;
    const profile *profile; // of the simulation; NULL if it was not asked for
    const trm_system *sys;
    const bool *idle; // (m) rows of frictions that slip at the start; NULL: none is
    string_list warnings;
} findings;

/* Warnings that follow from the start and the rank of A there: more than one way to go on, results that are
 * not unique, a Gaussian without a definite M. */
void findings_warn(findings *f, arena *a, const start_state *start, const rank_report *rank,
                   bool mass_singular);

const char *run_json(arena *a, const findings *f, const run_report *r);
const char *run_summary(arena *a, const findings *f, const run_report *r);
const char *run_failures(arena *a, const findings *f, const run_report *r); // a line for each expectation

/* Everything that can be said without simulating. */
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
const char *check_json(arena *a, const findings *f, const check_report *r);
const char *check_summary(arena *a, const findings *f, const check_report *r);

#endif
