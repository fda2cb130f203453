/* Robot descriptions to model text. URDF, SDF and MJCF are read by way of libxml2 (xml.c) into links and
 * joints (urdf.c, sdf.c, mjcf.c), put together (tree.c), and written as a model that a person can read and
 * extend (model.c). */
#ifndef TRAMMEL_IMPORT_IMPORT_H
#define TRAMMEL_IMPORT_IMPORT_H

#include "base/diag.h"

#include <stdbool.h>

typedef struct {
    bool free_base;      // the root of the tree is a body; else it is the ground
    const char *model;   // the file that it is to be, which names meshes from its folder; NULL: none
    const source *loops; // statements to add at the end, such as joints that close loops; NULL for none
} import_options;

/* The model's text, or NULL and errors. Elements that have no place in a model are told as warnings. Places
 * of bodies are exact, or guesses where loops may move them. Numbers are found in time proportional to
 * the length of the file. */
const char *import_robot(arena *a, const source *s, const import_options *o, diags *d);

const char *import_missing(const char **hint); // what is needed and not there, or NULL

#endif
