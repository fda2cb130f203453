/* `linearize`: the linear system about the start and its eigenvalues, for people and as JSON. */
#ifndef TRAMMEL_REPORT_LINEARIZE_H
#define TRAMMEL_REPORT_LINEARIZE_H

#include "report/findings.h"
#include "report/json.h"
#include "study/linearize.h"

/* Warnings: not a steady motion, or equations that change with time. */
void linear_warn(findings *f, arena *a, const linear_report *r);
const char *linear_json(arena *a, const findings *f, const linear_report *r);
const char *linear_summary(arena *a, const findings *f, const linear_report *r);
const char *linear_csv(arena *a, const linear_report *r); // [A B; C D], with names
/* Parts of these; r may be NULL in the first. */
void linear_json_eigenvalues(json *j, const linear_report *r);
void linear_text_eigenvalues(text *t, const linear_report *r);

#endif
