/* Files that the library writes, of include/trammel. */
#ifndef TRAMMEL_API_FILES_H
#define TRAMMEL_API_FILES_H

#include <trammel/trammel.h>

#include "base/output.h"

/* From now on f says where the output is; false if there is nothing to follow: f is NULL, or the output is
 * written straight through. */
bool files_follow(trm_file *f, const output *o);

#endif
