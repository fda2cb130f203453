/* What a run or check found, for people and as JSON. */
#ifndef TRAMMEL_REPORT_FINDINGS_H
#define TRAMMEL_REPORT_FINDINGS_H

#include "study/check.h"

typedef vec(const char *) string_list;

typedef struct {
    const char *path; // of the model
    const char *formulation, *integrator;
    const paper_chosen *chosen; // of what the formulation leaves open; NULL: nothing
    double tolerance, from;
    double read_seconds, derive_seconds, compile_seconds, simulate_seconds; // compile: derive included
    double write_seconds;
    const profile *profile; // of the simulation; NULL if it was not asked for
    const trm_system *sys;
    const struct mech_tree *tree; // by whose coordinates the motion was integrated; NULL: by those of sys
    const bool *idle;             // (m) rows of frictions that slip at the start; NULL: none is
    const char *about;            // which state the warnings speak of; NULL: the start
    string_list warnings;
} findings;

/* Warnings that follow from the start and the rank of A there: more than one way to go on, results that are
 * not unique, a Gaussian without a definite M. */
void findings_warn(findings *f, arena *a, const start_state *start, const rank_report *rank,
                   bool mass_singular);

const char *run_json(arena *a, const findings *f, const run_report *r);
const char *run_summary(arena *a, const findings *f, const run_report *r);
const char *run_failures(arena *a, const findings *f, const run_report *r); // a line for each expectation

const char *check_json(arena *a, const findings *f, const check_report *r);
const char *check_summary(arena *a, const findings *f, const check_report *r);

#endif
