/* trammel emit c */
#ifndef TRAMMEL_CLI_EMIT_H
#define TRAMMEL_CLI_EMIT_H

#include "options.h"

int command_emit(options *o);

#endif
