/* What is found of rows, told by joint and constraint. */
#ifndef TRAMMEL_REPORT_JOINTS_H
#define TRAMMEL_REPORT_JOINTS_H

#include "report/findings.h"
#include "report/json.h"

bool joints_is_joint(const model *m, int constraint);
/* As people write it: J, B.norm, or NAME.stick for the slip of a friction. */
const char *joints_name(arena *a, const model *m, int constraint);
/* How much the rank of A would fall without this constraint: its rows, less what the others give already. */
int joints_needed(arena *a, const trm_system *sys, const rank_report *rank, int constraint);
/* The names of the constraints that have a row among the marked ones (m). */
string_list joints_of_rows(arena *a, const trm_system *sys, const bool *rows);
/* The rows whose forces are not unique; constraints of which that is so of all rows are named as one. */
string_list joints_not_unique(arena *a, const trm_system *sys, const rank_report *rank);

/* Degrees of freedom by count and by rank, and the rows of each joint that are needed. */
void joints_json(json *j, arena *a, const findings *f, const rank_report *rank);
void joints_text(text *t, arena *a, const findings *f, const rank_report *rank);

/* The power of each constraint's force. In a run: the largest, and when; else at the start. */
void joints_power_json(json *j, arena *a, const findings *f, const power_record *powers, bool run);
void joints_power_text(text *t, arena *a, const findings *f, const power_record *powers, bool run);
/* A warning for each constraint that does work though it is ideal and does not depend on time. */
void joints_power_warn(findings *f, arena *a, const power_record *powers, double tolerance);

#endif
