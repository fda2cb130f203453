/* Meshes as pictures show them: what of a surface is seen from a side, and the lines that are drawn of it. */
#ifndef TRAMMEL_REPORT_SCENE_MESHES_H
#define TRAMMEL_REPORT_SCENE_MESHES_H

#include "base/mesh.h"
#include "mech/rotation.h"
#include "report/scene/outlines.h"

/* A mesh, and what does not depend on how it is seen. */
typedef struct {
    const source *file;
    const mesh *mesh;
    int (*beyond)[3]; // (faces) the face across the edge from each corner to the next; -1: there is none
    bool (*sharp)[3]; // (faces) that edge is a line, wherever it is seen from
    int *flat;        // (faces) the flat piece that it is a part of
    bool closed;      // no face is seen from behind
    vector low, high; // corners of the box about it
} mesh_shape;

mesh_shape mesh_shape_of(arena *a, const source *file);
double mesh_reach(const mesh_shape *s, const double *scale); // from its origin

/* Where it is, and from where it is seen: unit vectors of the picture. */
typedef struct {
    vector at;
    quaternion turn;
    double scale[3];
    vector right, up, back;
} mesh_pose;

/* One of several that are painted together, since they may reach into each other. */
typedef struct {
    const mesh_shape *shape;
    mesh_pose pose;
} mesh_part;

typedef struct {
    int part;
    vec(point_list) loops;
    vector normal; // of the side that looks at us, in the world
} mesh_piece;

typedef struct {
    int part;
    point from, to;
} mesh_line;

typedef struct {
    vec(mesh_piece) pieces; // each after those that it hides
    vec(mesh_line) lines;   // edges, as far as they are seen
} mesh_picture;

mesh_picture mesh_seen(arena *a, const mesh_part *parts, int count);
/* (points) x to the right, y up, z towards us */
vector *mesh_points(arena *a, const mesh_shape *s, const mesh_pose *pose);
/* How far towards us its surface is at a place of the picture; -INFINITY: it is not there. */
double mesh_front(const mesh_shape *s, const vector *points, point at);

#endif
