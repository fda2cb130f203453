/* What is convex about points of a plane. */
#ifndef TRAMMEL_BASE_HULL_H
#define TRAMMEL_BASE_HULL_H

/* points: x and y of each. Writes its corners (2 x count at most) in order, anticlockwise; returns how many.
 */
int hull_wrap(const double *points, int count, double *corners);

#endif
