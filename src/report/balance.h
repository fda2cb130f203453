/* The energy balance of a run, with the work by what did it. */
#ifndef TRAMMEL_REPORT_BALANCE_H
#define TRAMMEL_REPORT_BALANCE_H

#include "report/findings.h"
#include "report/json.h"

void balance_json(json *j, arena *a, const findings *f, const run_report *r);
/* Where jacobi is not conserved. */
void balance_text(text *t, arena *a, const findings *f, const run_report *r);

#endif
