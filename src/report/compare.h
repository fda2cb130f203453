/* `compare`, for people and as JSON. */
#ifndef TRAMMEL_REPORT_COMPARE_H
#define TRAMMEL_REPORT_COMPARE_H

#include "report/findings.h"
#include "study/compare.h"

const char *compare_json(arena *a, const findings *f, const comparison *c);
const char *compare_summary(arena *a, const findings *f, const comparison *c);

#endif
