/* `trammel completion SHELL`: what shells, and readers of the man page, are told of the table of commands. */
#ifndef TRAMMEL_CLI_COMPLETION_H
#define TRAMMEL_CLI_COMPLETION_H

/* bash, zsh, fish; and man, the sections of the man page on commands and options, from which scripts/generate
 * renews docs/trammel.1. Returns the exit code. */
int completion_command(const char *shell);

#endif
