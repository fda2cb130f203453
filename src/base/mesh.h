/* Surfaces of triangles, of files in STL (binary or text) or OBJ. What is read becomes a text of its own, in
 * OBJ and with nothing but points and triangles: that is kept with the texts of a model, goes with its page,
 * and is read by the same reader. */
#ifndef TRAMMEL_BASE_MESH_H
#define TRAMMEL_BASE_MESH_H

#include "base/diag.h"

typedef struct {
    double at[3];
} mesh_point;

typedef struct {
    int corner[3]; // points; anticlockwise, as seen from outside
} mesh_face;

typedef struct {
    vec(mesh_point) points; // all different
    vec(mesh_face) faces;   // none without area, as far as its corners tell
} mesh;

enum { MESH_FACES_MOST = 200000 }; // of a file, and of all meshes of a model

/* The mesh of a file as such a text, and how many triangles were read. NULL and an explanation ("there is no
 * such file", "line 3: ...") if it is none. */
const source *mesh_file(arena *a, const char *path, int *faces, const char **why);

/* What such a text says. */
const mesh *mesh_of(arena *a, const source *file);

#endif
