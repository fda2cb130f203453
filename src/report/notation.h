/* Names as mathematics: theta as \theta, digits and indices as subscripts, derivatives as dots. */
#ifndef TRAMMEL_REPORT_NOTATION_H
#define TRAMMEL_REPORT_NOTATION_H

#include "lang/model.h"

/* The name of a label in LaTeX: x_1[3]' is \dot{x}_{1,3}. */
void notation_latex(text *out, const char *name, label l, int primes);

#endif
