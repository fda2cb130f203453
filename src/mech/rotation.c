#include "mech/rotation.h"

#include <math.h>

vector vector_sum(vector a, vector b) {
    return (vector){a.x + b.x, a.y + b.y, a.z + b.z};
}

vector vector_scaled(double s, vector a) {
    return (vector){s * a.x, s * a.y, s * a.z};
}

vector vector_difference(vector a, vector b) {
    return vector_sum(a, vector_scaled(-1, b));
}

double vector_dot(vector a, vector b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

vector vector_cross(vector a, vector b) {
    return (vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

double vector_norm(vector a) {
    return sqrt(vector_dot(a, a));
}

// e1 from the world axis that is farthest from the given one
void vector_frame(vector axis, vector *e1, vector *e2) {
    double x = fabs(axis.x), y = fabs(axis.y), z = fabs(axis.z);
    vector away = x <= y && x <= z ? (vector){1, 0, 0} : y <= z ? (vector){0, 1, 0} : (vector){0, 0, 1};
    vector across = vector_difference(away, vector_scaled(vector_dot(away, axis), axis));
    *e1 = vector_scaled(1 / vector_norm(across), across);
    *e2 = vector_cross(axis, *e1);
}

quaternion rotation_product(quaternion a, quaternion b) {
    vector u = {a.x, a.y, a.z}, v = {b.x, b.y, b.z};
    vector w = vector_sum(vector_cross(u, v), vector_sum(vector_scaled(a.w, v), vector_scaled(b.w, u)));
    return (quaternion){a.w * b.w - vector_dot(u, v), w.x, w.y, w.z};
}

quaternion rotation_inverse(quaternion a) {
    return (quaternion){a.w, -a.x, -a.y, -a.z};
}

quaternion rotation_about(vector axis, double angle) {
    vector u = vector_scaled(sin(angle / 2), axis);
    return (quaternion){cos(angle / 2), u.x, u.y, u.z};
}

quaternion rotation_of_vector(vector turn) {
    double angle = vector_norm(turn);
    return angle > 0 ? rotation_about(vector_scaled(1 / angle, turn), angle) : (quaternion){.w = 1};
}

quaternion rotation_between(vector from, vector to) {
    vector axis = vector_cross(from, to), ignored;
    double sine = vector_norm(axis), angle = atan2(sine, vector_dot(from, to));
    if (sine > 0)
        axis = vector_scaled(1 / sine, axis);
    else
        vector_frame(from, &axis, &ignored); // opposite, or the same: any axis will do
    return rotation_about(axis, angle);
}

// v + 2 u x (u x v + w v)
vector rotation_apply(quaternion a, vector v) {
    vector u = {a.x, a.y, a.z}, t = vector_scaled(2, vector_cross(u, v));
    return vector_sum(v, vector_sum(vector_scaled(a.w, t), vector_cross(u, t)));
}

double rotation_twist(quaternion a, vector axis) {
    double s = vector_dot((vector){a.x, a.y, a.z}, axis), sign = a.w < 0 ? -1 : 1;
    return 2 * atan2(sign * s, sign * a.w);
}
