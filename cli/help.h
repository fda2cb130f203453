/* The texts of `trammel help`. */
#ifndef TRAMMEL_CLI_HELP_H
#define TRAMMEL_CLI_HELP_H

#include <stdbool.h>

typedef struct {
    const char *name, *usage, *brief, *text;
    bool later; // not yet part of this version
} command_help;

/* NULL-terminated by name. */
extern const command_help command_helps[];
const command_help *help_find(const char *name); // NULL if there is no such command
const char *help_guess(const char *name);        // the command most like it, or NULL
void help_print(void);
void help_print_command(const command_help *c);

#endif
