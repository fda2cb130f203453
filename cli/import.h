/* `trammel import`. */
#ifndef TRAMMEL_CLI_IMPORT_H
#define TRAMMEL_CLI_IMPORT_H

#include "options.h"

trm_status import_command(const options *o, int how); // tells what is wrong

#endif
