/* J1 to J3 as data, for every engine: a chain in space, an arm, a platform on six legs. C and C++.
 *
 * Gravity is 9.81 along -z. A link turns about an axis of its own frame, and that frame sits in the one of
 * the link before (of the world) as `turn` and `at` say when the angle is 0, which it is at the start. */
#ifndef BENCH_JOINTS_H
#define BENCH_JOINTS_H

#include <math.h>
#include <string.h>

#define JOINTS_G 9.81

enum { LINKS_MOST = 100, LEGS = 6 };

typedef struct {
    int axis;                 // that it turns about: 0 x, 1 y, 2 z
    double turn[3][3], at[3]; // from its axes to those before, its origin in those
    double mass, centre[3];   // of mass, in its own axes
    double inertia[6];        // about the centre, in its own axes: xx, yy, zz, xy, xz, yz
    double rate;              // of the angle, at the start
} link_data;

typedef struct {
    int n;
    link_data link[LINKS_MOST];
    double damping; // torque -damping * rate in each joint
    double end;     // of the run
} linkage;

/* J1: n links whose joints turn about y, x, z, y, ...; all joints turn at the start. */
static inline linkage joints_chain(int n) {
    static const int axis[] = {1, 0, 2};
    static const double at[] = {0.06, 0.04, -0.5}, centre[] = {0.02, -0.03, -0.25};
    static const double inertia[] = {0.03, 0.035, 0.012, 0.002, -0.0015, 0.001}; // for 1 kg
    linkage c;
    memset(&c, 0, sizeof c);
    c.n = n;
    c.end = n <= 7 ? 5 : n <= 12 ? 2 : 1;
    for (int i = 0; i < n; i++) {
        link_data *l = &c.link[i];
        l->axis = axis[i % 3];
        l->mass = 1 + 0.1 * (7 * i % 5);
        l->rate = cos(i + 1.0);
        for (int k = 0; k < 3; k++) {
            l->turn[k][k] = 1;
            l->at[k] = i > 0 ? at[k] : 0;
            l->centre[k] = centre[k];
        }
        for (int k = 0; k < 6; k++)
            l->inertia[k] = l->mass * inertia[k];
    }
    return c;
}

/* J2: an arm with seven joints, 17.6 kg, let go; the same as models/arm.urdf. */
static inline linkage joints_arm(void) {
    static const struct {
        double at[3];
        int quarter; // turns about x
        double mass, centre[3], inertia[6];
    } arm[] = {
        {{0, 0, 0.16}, 0, 3.5, {0.01, -0.03, 0.12}, {0.034, 0.03, 0.015, 0.0004, 0.0011, 0.004}},
        {{0, 0, 0.2}, -1, 3.6, {0.005, -0.06, 0.04}, {0.031, 0.012, 0.028, 0.0008, -0.0003, 0.0045}},
        {{0, -0.21, 0}, 1, 3.2, {0.008, 0.03, 0.13}, {0.026, 0.024, 0.011, -0.0005, 0.0009, -0.0031}},
        {{0, 0, 0.19}, 1, 2.9, {-0.01, 0.065, 0.035}, {0.019, 0.008, 0.018, 0.0006, 0.0004, -0.0026}},
        {{0, 0.21, 0}, -1, 1.9, {0.004, -0.02, 0.075}, {0.0105, 0.0098, 0.0041, 0.0003, -0.0004, 0.0013}},
        {{0, 0, 0.19}, -1, 1.8, {-0.006, -0.01, 0.005}, {0.0049, 0.0047, 0.0036, -0.0002, 0.0001, 0.0003}},
        {{0, -0.08, 0}, 1, 0.7, {0.012, 0.003, 0.02}, {0.0011, 0.0012, 0.001, 0.00005, 0.00004, -0.00003}},
    };
    linkage c;
    memset(&c, 0, sizeof c);
    c.n = (int)(sizeof arm / sizeof *arm);
    c.end = 2;
    c.damping = 0.5;
    for (int i = 0; i < c.n; i++) {
        link_data *l = &c.link[i];
        const int s = arm[i].quarter, o = s == 0;
        const double turn[3][3] = {{1, 0, 0}, {0, (double)o, (double)-s}, {0, (double)s, (double)o}};
        memcpy(l->turn, turn, sizeof turn);
        memcpy(l->at, arm[i].at, sizeof l->at);
        memcpy(l->centre, arm[i].centre, sizeof l->centre);
        memcpy(l->inertia, arm[i].inertia, sizeof l->inertia);
        l->axis = 2;
        l->mass = arm[i].mass;
    }
    return c;
}

/* J3: six cranks on shafts, six rods, one platform (6-RSS), let go from rest for 2 s. A rod hangs in balls on
 * the crank's tip and on the platform's pin; it may spin about itself, but nothing makes it. */
#define PLATFORM_END    2.0
#define PLATFORM_HEIGHT 0.5 // of the platform at the start, level

typedef struct {
    double crank, rod;                       // lengths
    double mass, crank_mass, rod_mass;       // of the platform, one crank, one rod
    double inertia[3];                       // of the platform, about x, y, z
    double crank_inertia[3], rod_inertia[3]; // about their centres; a crank lies along x, a rod along z
    double radial[LEGS][3], shaft[LEGS][3];  // outwards; where the crank turns, about z x radial
    double angle[LEGS];                      // of the crank above the horizontal, at the start
    double pin[LEGS][3];                     // in the platform's axes
    double stiffness[LEGS];                  // of the spring on the shaft, relaxed at the start
} platform;

static inline void joints_box(double mass, double a, double b, double c, double *inertia) {
    inertia[0] = mass / 12 * (b * b + c * c);
    inertia[1] = mass / 12 * (c * c + a * a);
    inertia[2] = mass / 12 * (a * a + b * b);
}

/* From v, from the shaft to the pin, r and z across its axis: 2 a (r cos + z sin) = |v|^2 + a^2 - l^2. */
static inline double joints_crank_angle(const platform *p, int leg) {
    double v[3], square = 0, r = 0;
    for (int k = 0; k < 3; k++) {
        v[k] = p->pin[leg][k] + (k == 2 ? PLATFORM_HEIGHT : 0) - p->shaft[leg][k];
        square += v[k] * v[k];
        r += v[k] * p->radial[leg][k];
    }
    double reach = (square + p->crank * p->crank - p->rod * p->rod) / (2 * p->crank);
    return atan2(v[2], r) - acos(reach / sqrt(v[2] * v[2] + r * r));
}

static inline platform joints_platform(void) {
    const double degree = acos(-1) / 180, R = 0.5, r = 0.3, thickness = 0.05;
    platform p;
    memset(&p, 0, sizeof p);
    p.crank = 0.2, p.rod = 0.6;
    p.mass = 5, p.crank_mass = 0.2, p.rod_mass = 0.3;
    p.inertia[0] = p.inertia[1] = p.mass / 12 * (3 * r * r + thickness * thickness);
    p.inertia[2] = p.mass / 2 * r * r;
    joints_box(p.crank_mass, p.crank, 0.03, 0.03, p.crank_inertia);
    joints_box(p.rod_mass, 0.06, 0.06, p.rod, p.rod_inertia);
    for (int i = 0; i < LEGS; i++) { // shafts and pins in pairs, 120 degrees apart
        double pair = 120 * degree * (i / 2 + 1), hand = i % 2 ? -1 : 1;
        double out = pair + hand * 12 * degree, corner = pair + hand * 48 * degree;
        p.radial[i][0] = cos(out), p.radial[i][1] = sin(out);
        p.shaft[i][0] = R * cos(out), p.shaft[i][1] = R * sin(out);
        p.pin[i][0] = r * cos(corner), p.pin[i][1] = r * sin(corner);
        p.stiffness[i] = 20 * (1 + 0.1 * (i + 1));
        p.angle[i] = joints_crank_angle(&p, i);
    }
    return p;
}

/* The crank's axes at the start: x along it, y along its shaft. Positive angles turn it about -y. */
static inline void joints_crank_axes(const platform *p, int leg, double *x, double *y) {
    const double c = cos(p->angle[leg]), s = sin(p->angle[leg]), *out = p->radial[leg];
    x[0] = c * out[0], x[1] = c * out[1], x[2] = s;
    y[0] = -out[1], y[1] = out[0], y[2] = 0;
}

/* The unit vector along the rod at the start, in the crank's axes. */
static inline void joints_rod_direction(const platform *p, int leg, double *d) {
    double x[3], y[3], along[3];
    joints_crank_axes(p, leg, x, y);
    for (int k = 0; k < 3; k++)
        along[k] = p->pin[leg][k] + (k == 2 ? PLATFORM_HEIGHT : 0) - p->shaft[leg][k] - p->crank * x[k];
    const double z[] = {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
    for (int k = 0; k < 3; k++) {
        const double *axis = k == 0 ? x : k == 1 ? y : z;
        d[k] = (axis[0] * along[0] + axis[1] * along[1] + axis[2] * along[2]) / p->rod;
    }
}

#endif
