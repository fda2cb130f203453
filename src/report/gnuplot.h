/* gnuplot as a process: it is started without the user's settings, and reads a script from its standard
 * input. The only file that knows of it is gnuplot.c. */
#ifndef TRAMMEL_REPORT_GNUPLOT_H
#define TRAMMEL_REPORT_GNUPLOT_H

#include "base/text.h"

#include <signal.h>
#include <stdbool.h>

typedef enum { GNUPLOT_DONE, GNUPLOT_MISSING, GNUPLOT_FAILED, GNUPLOT_STOPPED } gnuplot_end;

/* Runs a script. GNUPLOT_FAILED: what gnuplot said first, or why it could not be run, is in *why. When *stop,
 * which may be NULL, becomes non-zero, gnuplot is ended. */
gnuplot_end gnuplot_run(arena *a, const text *script, const volatile sig_atomic_t *stop, const char **why);

/* A text as a string of gnuplot's language. Nothing but letters and blanks stands there as itself;
 * all other bytes are \ooo, so that no text can end the string, or be a command, a substitution or a markup.
 * Control characters but the newline, and bytes that are no UTF-8, become '?'. */
void gnuplot_string(text *script, const char *shown);

#endif
