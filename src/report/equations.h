/* The equations of motion as people read them: M, Q, A, b, and C, G, g where there are any. */
#ifndef TRAMMEL_REPORT_EQUATIONS_H
#define TRAMMEL_REPORT_EQUATIONS_H

#include "mech/mech.h"

/* The derived equations of a model without errors, as plain text or as LaTeX (a fragment that needs amsmath).
 * Small models are written out, with the contributions to an entry added up; of larger ones each shape is
 * shown once, for its first instance, so that a page stays a page. Costs time linear in the number of
 * instances. The text belongs to the arena; the model is not changed. */
const char *equations_text(arena *a, const model *m, const mech *derived, print_style style, bool expand);

#endif
