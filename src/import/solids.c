/* Volume and inertia of solid, homogeneous shapes. */
#include "import/robot.h"

#include <math.h>

bool solid_is_whole(const robot_shape *s) {
    static const int sizes[] = {3, 1, 2, 2, 3, 0}; // by solid_kind
    for (int i = 0; i < sizes[s->kind]; i++)
        if (!(s->size[i] > 0))
            return false;
    return true;
}

double solid_volume(const robot_shape *s) {
    double a = s->size[0], b = s->size[1], c = s->size[2];
    switch (s->kind) {
    case SOLID_BOX:
        return a * b * c;
    case SOLID_SPHERE:
        return 4 * M_PI / 3 * a * a * a;
    case SOLID_CYLINDER:
        return M_PI * a * a * b;
    case SOLID_CAPSULE:
        return M_PI * a * a * (b + 4 * a / 3);
    case SOLID_ELLIPSOID:
        return 4 * M_PI / 3 * a * b * c;
    case SOLID_MESH:
        break;
    }
    return 0;
}

// diagonal entries from the second moments of mass along x, y and z
static void set_moments(double *J, double x, double y, double z) {
    J[0] = y + z;
    J[1] = x + z;
    J[2] = x + y;
}

/* Second moments: box m a^2/12; ball m r^2/5; cylinder m r^2/4 across and m h^2/12 along. A capsule is its
 * cylinder and two half balls, whose centres of mass lie 3r/8 beyond its ends:
 * m_b (r^2/5 + h^2/4 + 3 r h/8) along. */
robot_inertia solid_inertia(const robot_shape *s, double m) {
    double a = s->size[0], b = s->size[1], c = s->size[2];
    robot_inertia out = {.mass = m};
    double *J = out.inertia;
    if (s->kind == SOLID_BOX) {
        set_moments(J, m * a * a / 12, m * b * b / 12, m * c * c / 12);
    } else if (s->kind == SOLID_SPHERE) {
        set_moments(J, m * a * a / 5, m * a * a / 5, m * a * a / 5);
    } else if (s->kind == SOLID_ELLIPSOID) {
        set_moments(J, m * a * a / 5, m * b * b / 5, m * c * c / 5);
    } else if (s->kind == SOLID_CYLINDER) {
        set_moments(J, m * a * a / 4, m * a * a / 4, m * b * b / 12);
    } else if (s->kind == SOLID_CAPSULE) {
        double balls = m * 4 * a / (4 * a + 3 * b), tube = m - balls;
        double across = tube * a * a / 4 + balls * a * a / 5;
        set_moments(J, across, across, tube * b * b / 12 + balls * (a * a / 5 + b * b / 4 + 3 * a * b / 8));
    }
    return out;
}
