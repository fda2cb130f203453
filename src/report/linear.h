/* `linearize`: the linear system about the start and its eigenvalues, for people and as JSON. */
#ifndef TRAMMEL_REPORT_LINEAR_H
#define TRAMMEL_REPORT_LINEAR_H

#include "motion/linear.h"
#include "report/findings.h"

/* Warnings: not a steady motion, or equations that change with time. */
void linear_warn(findings *f, arena *a, const linear_report *r);
const char *linear_json(arena *a, const findings *f, const linear_report *r);
const char *linear_summary(arena *a, const findings *f, const linear_report *r);

#endif
