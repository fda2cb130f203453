/* A scene at an instant, as seen from a side: a drawing. */
#ifndef TRAMMEL_REPORT_SCENE_PAINT_H
#define TRAMMEL_REPORT_SCENE_PAINT_H

#include "report/scene/drawing.h"
#include "report/scene/scene.h"

typedef enum { STYLE_SOLID, STYLE_LINES } paint_style; // shaded; or the line drawing of a textbook

/* Unit vectors of the picture: to the right, upwards, towards the eye. It is seen from far, so that parallels
 * stay parallel. */
typedef struct {
    vector right, up, back;
} view;

typedef struct {
    const scene *scene;
    paint_style style;
    view view;
    bool all_of_traces; // also what is still to come
    double mm;          // a mm of the paper in units of the model; 0: not known yet
} painting;

/* "front", "top", "side" or "iso"; false: there is no such view. */
bool view_named(const scene *s, const char *name, view *out);
void paint(const painting *p, instant when, drawing *out);

// ---- units.c

/* An item in space that is painted as a whole, in front of what it hides. */
typedef struct unit {
    const item *item;
    int number;    // of the item
    vector at, to; // to: its end, of a line
    quaternion turn;
    double radius;
    point_list edge;         // what is convex about it, in the picture
    const mesh_shape *shape; // of a mesh; else NULL
    mesh_pose pose;
    const vector *points; // of that, as seen
    struct unit *next;    // another mesh, which is painted with it; NULL
    double depth;         // of its middle, larger is nearer; in the plane its layer
} unit;

/* Joins meshes that may reach into each other; the number of units that remain. */
int units_join(unit *units, int count, arena *a);
/* Orders units so that each stands after those that it hides; in the plane, by their layers. */
void units_order(const painting *p, unit *units, int count, arena *scratch);
/* The convex hull, anticlockwise. */
point_list units_hull(arena *a, const point_list *points);

#endif
