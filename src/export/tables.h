/* What is made for one system: its kernels, its tables, and what is known of it, as texts. */
#ifndef TRAMMEL_EXPORT_TABLES_H
#define TRAMMEL_EXPORT_TABLES_H

#include "export/outfit.h"

void tables_kernels(outfit *p, text *out);         // and how large they are
void tables_system(const outfit *p, text *out);    // name_system, start
void tables_functions(const outfit *p, text *out); // use, state_run, prepare_stages, solve_results, ...
void tables_names(const outfit *p, text *out);     // of coordinates, rows, parameters, outputs
void tables_string(text *out, const char *given);  // as a literal of C, in quotes
void tables_comment(text *out, const char *given); // such that it ends no comment
#endif
