/* The texts of `trammel help`. */
#ifndef TRAMMEL_CLI_HELP_H
#define TRAMMEL_CLI_HELP_H

#include "commands.h"

const char *help_guess(const char *name); // the command most like it, or NULL
void help_print(void);
void help_print_command(const command *c);

#endif
