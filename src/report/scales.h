/* Natural units, as check tells them: how large coordinates and times are taken to be, and why. */
#ifndef TRAMMEL_REPORT_SCALES_H
#define TRAMMEL_REPORT_SCALES_H

#include "report/findings.h"
#include "report/json.h"

void scales_json(json *j, arena *a, const trm_system *sys);
void scales_text(text *t, arena *a, const trm_system *sys);

#endif
