/* Whether this process shares its sweep with others. The program has alone.c; trammel-mpi, which is made of
 * the same sources, has mpi/mpi.c in its place. */
#ifndef TRAMMEL_CLI_DEAL_H
#define TRAMMEL_CLI_DEAL_H

#include <trammel/trammel.h>

#include <stdbool.h>

/* *out: with whom, NULL: alone. False, after telling why, if it cannot go on. */
bool deal_begin(const trm_deal **out);
void deal_end(void);
/* In the first process: cases that the others told of. */
long deal_done_elsewhere(void);

#endif
