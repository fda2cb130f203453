/* What the program says on the terminal: names that people and models give never reach it as they are where
 * they could move the cursor, set colours or change the window's title. */
#ifndef TRAMMEL_CLI_TERMINAL_H
#define TRAMMEL_CLI_TERMINAL_H

#include <stdbool.h>

/* "trammel: " and a line of text, on standard error. */
void terminal_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* On standard output, for names of files: as they are for another program, shown safely to a person. A full
 * disk or a closed pipe is told, and gives false. */
bool terminal_name(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
