/* How accurate the numbers of a run are: what varies by less is constant, as far as anybody knows. */
#ifndef TRAMMEL_REPORT_COLUMN_ACCURACY_H
#define TRAMMEL_REPORT_COLUMN_ACCURACY_H

#include "report/record.h"

/* Fills record->accuracy, once, by some evaluations at states that the record kept for this. */
void accuracy_find(record *r);

/* That values which vary by so much are constant: "constant to 1e-11", or "constant". */
const char *accuracy_words(arena *a, double varies);

#endif
