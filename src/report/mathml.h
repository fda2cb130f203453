/* Equations in MathML, from their LaTeX. */
#ifndef TRAMMEL_REPORT_MATHML_H
#define TRAMMEL_REPORT_MATHML_H

#include "base/text.h"

/* What equations_text writes as LaTeX, as a row of <math> elements (presentation MathML). Of long ones the
 * first rows, and a line that says how many are left out. The text belongs to the arena. */
const char *mathml_from_latex(arena *a, const char *latex);

#endif
