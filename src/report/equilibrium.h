/* `equilibrium`: what was found near the start, for people, as JSON, and as a model that starts there. */
#ifndef TRAMMEL_REPORT_EQUILIBRIUM_H
#define TRAMMEL_REPORT_EQUILIBRIUM_H

#include "report/findings.h"
#include "study/equilibrium.h"

void equilibrium_warn(findings *f, arena *a, const equilibrium_report *r);
const char *equilibrium_json(arena *a, const findings *f, const equilibrium_report *r);
const char *equilibrium_summary(arena *a, const findings *f, const equilibrium_report *r);
/* The text of a model that is the one at `path`, as it is to be included, but for its start. */
const char *equilibrium_model(arena *a, const findings *f, const equilibrium_report *r, const char *path);

#endif
