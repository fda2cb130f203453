/* Outlines that glyphs are made of, in the plane of their own x and y: of gears, racks, wheels, plates. An
 * outline is filled between its loops, and as thick as it is deep; lines are drawn in the plane only. */
#ifndef TRAMMEL_REPORT_SCENE_OUTLINES_H
#define TRAMMEL_REPORT_SCENE_OUTLINES_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct {
    double x, y;
} point;
typedef vec(point) point_list;

typedef struct {
    vec(point_list) loops, lines;
    double depth;
} outline;

outline outline_rectangle(arena *a, double width, double height, double depth);
/* Teeth for a pair of wheels whose radii have this ratio: whole numbers, as near to it as there are. */
void outline_teeth(double ratio, int *first, int *second);
/* A gear of this pitch radius; the middle of one of its teeth stands at the angle `phase`. */
outline outline_gear(arena *a, double radius, int teeth, double phase, double depth);
/* A rack along x, its teeth towards -y, the pitch line at y = 0; a gap stands at x = 0. */
outline outline_rack(arena *a, double from, double to, double module, double depth);
/* A wheel with spokes: tyre, hub, and the holes between. */
outline outline_wheel(arena *a, double radius, double depth);
/* Rounded about its corners (count; x and y of each, anticlockwise) by a radius. */
outline outline_plate(arena *a, const double *corners, int count, double radius, double depth);
/* A fixed pin in the plane: a triangle on hatched ground. */
outline outline_bracket(arena *a, double unit);
/* Adds strokes below (else above) a line from one x to another at height y: what they stand on does not move.
 */
void outline_hatch(arena *a, outline *s, double from, double to, double y, double length, bool below);
/* How far it reaches from its origin, in its plane. */
double outline_reach(const outline *s);

#endif
