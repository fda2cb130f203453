/* Five ways to say how a frame is turned: quat, axisangle, euler, xyaxes, zaxis. */
#include "import/mjcf.h"

#include <math.h>

static quaternion no_turn(mjcf *m, const xml_attribute *a) {
    diag_error(m->r->diags, a->at, "%s has no direction: \"%.60s\"", a->name, a->value);
    return (quaternion){.w = 1};
}

static quaternion of_quat(mjcf *m, const xml_attribute *a, const double *v) {
    double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
    if (!(size > 0))
        return no_turn(m, a);
    return (quaternion){v[0] / size, v[1] / size, v[2] / size, v[3] / size};
}

static quaternion of_axisangle(mjcf *m, const xml_attribute *a, const double *v) {
    vector axis = vector_unit(vector_of(v));
    return vector_norm(axis) > 0 ? rotation_about(axis, v[3] * m->unit) : no_turn(m, a);
}

// about each axis in turn: a small letter is one that moved with those before it, a large one that did not
static quaternion of_euler(mjcf *m, const xml_attribute *a, const double *v) {
    quaternion q = {.w = 1};
    (void)a;
    for (int i = 0; i < 3; i++) {
        char letter = m->euler[i], axis = (char)(letter | 32);
        quaternion turn = rotation_about((vector){axis == 'x', axis == 'y', axis == 'z'}, v[i] * m->unit);
        q = letter == axis ? rotation_product(q, turn) : rotation_product(turn, q);
    }
    return q;
}

// the rotation whose matrix has these columns
static quaternion of_columns(vector x, vector y, vector z) {
    double w = 1 + x.x + y.y + z.z, a = 1 + x.x - y.y - z.z, b = 1 - x.x + y.y - z.z, c = 1 - x.x - y.y + z.z;
    quaternion q;
    if (w >= a && w >= b && w >= c)
        q = (quaternion){w, y.z - z.y, z.x - x.z, x.y - y.x};
    else if (a >= b && a >= c)
        q = (quaternion){y.z - z.y, a, x.y + y.x, z.x + x.z};
    else if (b >= c)
        q = (quaternion){z.x - x.z, x.y + y.x, b, y.z + z.y};
    else
        q = (quaternion){x.y - y.x, z.x + x.z, y.z + z.y, c};
    double size = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (quaternion){q.w / size, q.x / size, q.y / size, q.z / size};
}

static quaternion of_xyaxes(mjcf *m, const xml_attribute *a, const double *v) {
    vector x = vector_unit(vector_of(v)), y = vector_of(v + 3);
    y = vector_unit(vector_difference(y, vector_scaled(vector_dot(x, y), x)));
    vector z = vector_cross(x, y);
    return vector_norm(z) > 0.5 ? of_columns(x, y, z) : no_turn(m, a);
}

quaternion mjcf_turn_to(vector z) {
    vector up = {0, 0, 1};
    z = vector_unit(z);
    return z.z > -1 + 1e-15 ? rotation_between(up, z) : (quaternion){.x = 1}; // downwards: about x
}

static quaternion of_zaxis(mjcf *m, const xml_attribute *a, const double *v) {
    return vector_norm(vector_of(v)) > 0 ? mjcf_turn_to(vector_of(v)) : no_turn(m, a);
}

static const struct {
    const char *name;
    int count;
    quaternion (*turn)(mjcf *, const xml_attribute *, const double *);
} ways[] = {{"axisangle", 4, of_axisangle},
            {"euler", 3, of_euler},
            {"xyaxes", 6, of_xyaxes},
            {"zaxis", 3, of_zaxis},
            {"quat", 4, of_quat}};

// what the element itself says counts before what its class says in another way
quaternion mjcf_turn(mjcf *m, const xml_element *e, int class) {
    int kind = mjcf_kind(e);
    double v[6];
    for (; e; e = mjcf_default(m, kind, &class))
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            const xml_attribute *a = xml_attribute_find(e, ways[i].name);
            if (a)
                return numbers_in(m->r, a, ways[i].count, v) ? ways[i].turn(m, a, v) : (quaternion){.w = 1};
        }
    return (quaternion){.w = 1};
}

pose mjcf_pose(mjcf *m, const xml_element *e, int class) {
    double pos[3] = {0};
    mjcf_numbers(m, e, class, "pos", 3, pos);
    return (pose){mjcf_turn(m, e, class), vector_of(pos)};
}
