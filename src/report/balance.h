/* The energy balance of a run, with the work by what did it. */
#ifndef TRAMMEL_REPORT_BALANCE_H
#define TRAMMEL_REPORT_BALANCE_H

#include "report/findings.h"
#include "report/json.h"

/* What does work, by name; the rows of a constraint follow each other, and count as one. */
typedef struct {
    const char *name;
    int first, count; // works of the system
} balance_part;
typedef vec(balance_part) balance_list;
balance_list balance_parts(arena *a, const trm_system *sys);

void balance_json(json *j, arena *a, const findings *f, const run_report *r);
/* Where jacobi is not conserved. */
void balance_text(text *t, arena *a, const findings *f, const run_report *r);

#endif
