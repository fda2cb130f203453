/* Rotations as numbers: unit quaternions (w; x, y, z), vectors of three. What is computed once, when a model
 * is read. */
#ifndef TRAMMEL_MECH_ROTATION_H
#define TRAMMEL_MECH_ROTATION_H

#include <stdbool.h>

typedef struct {
    double w, x, y, z;
} quaternion;

typedef struct {
    double x, y, z;
} vector;

quaternion rotation_product(quaternion a, quaternion b); // first b, then a
quaternion rotation_inverse(quaternion a);
quaternion rotation_about(vector axis, double angle); // axis of unit length
quaternion rotation_of_vector(vector turn);           // angle times axis
quaternion rotation_between(vector from, vector to);  // the shortest that takes one unit vector to the other
vector rotation_apply(quaternion a, vector v);
double rotation_twist(quaternion a, vector axis); // angle about a unit axis, from -pi to pi

vector vector_sum(vector a, vector b);
vector vector_difference(vector a, vector b);
vector vector_scaled(double s, vector a);
double vector_dot(vector a, vector b);
vector vector_cross(vector a, vector b);
double vector_norm(vector a);
/* e1, e2 of unit length, so that e1, e2, axis are right-handed and perpendicular. */
void vector_frame(vector axis, vector *e1, vector *e2);

#endif
