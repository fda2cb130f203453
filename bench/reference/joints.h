/* The motions of J1 to J3, from the data of ../joints.h.
 *
 * Chain and arm by composite bodies (Walker and Orin 1982; Featherstone 2008, section 6.2) with everything in
 * world axes about the world's origin, where inertias and forces of bodies just add up; so it shares no
 * equation with the articulated bodies of ../hand. The platform in its own six freedoms. Angles and rates, or
 * poses and velocities, are in `real`; the data are doubles, as in all programs. */
#ifndef BENCH_REFERENCE_JOINTS_H
#define BENCH_REFERENCE_JOINTS_H

#include "../joints.h"
#include "integrate.h"

static vector from(const double *x) {
    return (vector){x[0], x[1], x[2]};
}

/* A x = b by elimination, A (n x n) symmetric and positive, both overwritten; b becomes x. */
static void eliminate(int n, real *A, real *b) {
    for (int i = 0; i < n; i++)
        for (int k = i + 1; k < n; k++) {
            real c = A[i * n + k] / A[i * n + i];
            for (int j = k; j < n; j++)
                A[k * n + j] -= c * A[i * n + j];
            b[k] -= c * b[i];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            b[i] -= A[i * n + j] * b[j];
        b[i] /= A[i * n + i];
    }
}

// ---- J1, J2

typedef struct {
    vector w,
        v; // turn, and velocity of the point that is at the origin; or torque about the origin, and force
} twist;

typedef struct {
    real mass;
    vector moment;               // mass times centre
    real xx, yy, zz, xy, xz, yz; // about the origin
} solid;

typedef struct {
    vector x, y, z; // a body's axes, in the world's
} frame;

static linkage linked;

static vector in_world(frame f, vector a) {
    return add(scale(a.x, f.x), add(scale(a.y, f.y), scale(a.z, f.z)));
}

static twist add_twist(twist a, real c, twist b) {
    return (twist){add(a.w, scale(c, b.w)), add(a.v, scale(c, b.v))};
}

static real power(twist a, twist b) {
    return dot(a.w, b.w) + dot(a.v, b.v);
}

static twist momentum(const solid *s, twist a) {
    vector h = s->moment, w = a.w;
    vector J = {s->xx * w.x + s->xy * w.y + s->xz * w.z, s->xy * w.x + s->yy * w.y + s->yz * w.z,
                s->xz * w.x + s->yz * w.y + s->zz * w.z};
    return (twist){add(J, cross(h, a.v)), add(scale(s->mass, a.v), cross(w, h))};
}

static solid add_solid(solid a, const solid *b) {
    return (solid){a.mass + b->mass, add(a.moment, b->moment),
                   a.xx + b->xx,     a.yy + b->yy,
                   a.zz + b->zz,     a.xy + b->xy,
                   a.xz + b->xz,     a.yz + b->yz};
}

/* A link about the origin: R I R' as the sum of I_jk f_j f_k', and Steiner's part. */
static solid placed(const link_data *l, frame f, vector origin) {
    const double *I = l->inertia;
    vector c = add(origin, in_world(f, from(l->centre))), h = scale(l->mass, c);
    vector a = add(scale(I[0], f.x), add(scale(I[3], f.y), scale(I[4], f.z))); // columns of R I
    vector b = add(scale(I[3], f.x), add(scale(I[1], f.y), scale(I[5], f.z)));
    vector d = add(scale(I[4], f.x), add(scale(I[5], f.y), scale(I[2], f.z)));
    return (solid){l->mass,
                   h,
                   a.x * f.x.x + b.x * f.y.x + d.x * f.z.x + h.y * c.y + h.z * c.z,
                   a.y * f.x.y + b.y * f.y.y + d.y * f.z.y + h.z * c.z + h.x * c.x,
                   a.z * f.x.z + b.z * f.y.z + d.z * f.z.z + h.x * c.x + h.y * c.y,
                   a.x * f.x.y + b.x * f.y.y + d.x * f.z.y - h.x * c.y,
                   a.x * f.x.z + b.x * f.y.z + d.x * f.z.z - h.x * c.z,
                   a.y * f.x.z + b.y * f.y.z + d.y * f.z.z - h.y * c.z};
}

static frame turned_frame(frame f, vector e, real angle) {
    return (frame){turned(e, angle, f.x), turned(e, angle, f.y), turned(e, angle, f.z)};
}

/* y: angles, rates. With s_i the joint's axis as a twist, V_i = V_i-1 + s_i q_i' and, at q'' = 0,
 * A_i = A_i-1 + V_i x s_i q_i' with A_0 = -g. A link takes the force I A + V x* I V; what hangs on joint i
 * the sum of these over all links from i on, of which s_i feels its part. M_ij = s_i . (I_j + I_j+1 + ...)
 * s_j, i <= j. */
static void linkage_motion(int size, const real *y, real *f) {
    static real M[LINKS_MOST * LINKS_MOST];
    static twist s[LINKS_MOST], force[LINKS_MOST];
    static solid body[LINKS_MOST];
    const int n = size / 2;
    const real *rate = y + n;
    real *a = f + n;
    frame axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    vector origin = {0, 0, 0};
    twist V = {{0, 0, 0}, {0, 0, 0}}, A = {{0, 0, 0}, {0, 0, JOINTS_G}};
    for (int i = 0; i < n; i++) {
        const link_data *l = &linked.link[i];
        const double(*R)[3] = l->turn;
        origin = add(origin, in_world(axes, from(l->at)));
        axes = (frame){in_world(axes, (vector){R[0][0], R[1][0], R[2][0]}),
                       in_world(axes, (vector){R[0][1], R[1][1], R[2][1]}),
                       in_world(axes, (vector){R[0][2], R[1][2], R[2][2]})};
        vector e = l->axis == 0 ? axes.x : l->axis == 1 ? axes.y : axes.z;
        axes = turned_frame(axes, e, y[i]);
        s[i] = (twist){e, cross(origin, e)};
        V = add_twist(V, rate[i], s[i]);
        twist bend = {cross(V.w, e), add(cross(V.w, s[i].v), cross(V.v, e))};
        A = add_twist(A, rate[i], bend);
        body[i] = placed(l, axes, origin);
        twist P = momentum(&body[i], V);
        twist gyro = {add(cross(V.w, P.w), cross(V.v, P.v)), cross(V.w, P.v)};
        force[i] = add_twist(momentum(&body[i], A), 1, gyro);
    }
    for (int i = n - 1; i >= 0; i--) {
        if (i < n - 1) {
            body[i] = add_solid(body[i], &body[i + 1]);
            force[i] = add_twist(force[i], 1, force[i + 1]);
        }
        f[i] = rate[i];
        a[i] = -linked.damping * rate[i] - power(s[i], force[i]);
        twist P = momentum(&body[i], s[i]);
        for (int j = 0; j <= i; j++)
            M[j * n + i] = power(s[j], P);
    }
    eliminate(n, M, a);
}

static void solve_linkage(linkage c) {
    real *y = allocate(sizeof(real) * 2 * c.n);
    linked = c;
    for (int i = 0; i < c.n; i++)
        y[c.n + i] = c.link[i].rate;
    integrate(linkage_motion, 2 * c.n, y, c.end, LOOSE);
    for (int i = 0; i < c.n; i++)
        print(y[i]);
    free(y);
}

// ---- J3

static platform stage;
static real relaxed[LEGS]; // angles at which the springs are

typedef struct {
    real angle, rate;     // of the crank
    vector out, up;       // along the crank, and across it, to where its tip goes
    vector pin, pin_rate; // from the platform's centre; velocity of the pin
    vector rod;           // from tip to pin
} leg_state;

static vector by_quaternion(const real *q, vector v) { // q v q*, |q| = 1
    vector u = {q[1], q[2], q[3]}, twice = scale(2, cross(u, v));
    return add(v, add(scale(q[0], twice), cross(u, twice)));
}

/* The crank's angle from the pose alone: 2 a (r cos + z sin) = |v|^2 + a^2 - l^2, v from shaft to pin; then
 * its rate, by d . (pin' - tip') = 0. y: centre, quaternion, velocity, angular velocity in world axes. */
static leg_state leg_of(int i, const real *y) {
    const real a = stage.crank, l = stage.rod;
    vector out = from(stage.radial[i]), z = {0, 0, 1}, centre = {y[0], y[1], y[2]};
    leg_state s;
    s.pin = by_quaternion(y + 3, from(stage.pin[i]));
    vector v = add(add(centre, s.pin), scale(-1, from(stage.shaft[i])));
    real r = dot(v, out), reach = (dot(v, v) + a * a - l * l) / (2 * a);
    s.angle = F(atan2)(v.z, r) - F(acos)(reach / F(sqrt)(r * r + v.z * v.z));
    real c = F(cos)(s.angle), sn = F(sin)(s.angle);
    s.out = add(scale(c, out), scale(sn, z));
    s.up = add(scale(-sn, out), scale(c, z));
    s.rod = add(v, scale(-a, s.out));
    s.pin_rate = add((vector){y[7], y[8], y[9]}, cross((vector){y[10], y[11], y[12]}, s.pin));
    s.rate = dot(s.rod, s.pin_rate) / (a * dot(s.rod, s.up));
    return s;
}

/* What a leg asks of its pin: the force F = m b + rest on it for the acceleration b of the pin, m (3 x 3).
 *
 * A rod that does not spin has the energy of its ends A, B: (p (A'^2 + B'^2) + 2 r A' . B')/2 with
 * p = m/4 + J/l^2, r = m/4 - J/l^2. The tip follows the pin: angle'' = c . b + e with c = d/(a d . up), so
 * that A'' = a up (c . b + e) - a angle'^2 out; and a force on the tip, or a torque on the shaft, is felt at
 * the pin through c. */
static void leg_force(int i, const leg_state *s, real m[3][3], vector *rest) {
    const real a = stage.crank, l = stage.rod, heavy = stage.rod_mass / 4, J = stage.rod_inertia[0] / (l * l);
    const real p = heavy + J, r = heavy - J;
    const real shaft = stage.crank_inertia[1] + stage.crank_mass * a * a / 4;
    vector change = add(s->pin_rate, scale(-a * s->rate, s->up)),
           c = scale(1 / (a * dot(s->rod, s->up)), s->rod);
    real e = (dot(change, change) + a * s->rate * s->rate * dot(s->rod, s->out)) / (a * dot(s->rod, s->up));
    vector fixed = add(scale(a * e, s->up), scale(-a * s->rate * s->rate, s->out)); // A'' at b = 0
    vector half = {0, 0, stage.rod_mass * JOINTS_G / 2};                            // on each end, taken away
    real torque = a * dot(add(scale(p, fixed), half), s->up) + shaft * e +
                  stage.stiffness[i] * (s->angle - relaxed[i]) +
                  stage.crank_mass * JOINTS_G * a / 2 * s->up.z;
    *rest = add(add(scale(r, fixed), half), scale(torque, c));
    const real C[] = {c.x, c.y, c.z}, U[] = {a * s->up.x, a * s->up.y, a * s->up.z};
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++)
            m[j][k] = (j == k ? p : 0) + r * (U[j] * C[k] + C[j] * U[k]) + (p * a * a + shaft) * C[j] * C[k];
}

/* d'Alembert for the six freedoms of the platform: b = v' + w' x pin + w x (w x pin) at each pin. */
static void platform_motion(int n, const real *y, real *f) {
    (void)n;
    vector w = {y[10], y[11], y[12]}, axis[3], spin = {0, 0, 0};
    real M[36] = {0}, Q[6] = {0};
    for (int k = 0; k < 3; k++) { // the platform alone: J w' + w x J w
        axis[k] = by_quaternion(y + 3, (vector){k == 0, k == 1, k == 2});
        spin = add(spin, scale(stage.inertia[k] * dot(axis[k], w), axis[k]));
        M[7 * k] = stage.mass;
    }
    spin = cross(w, spin);
    for (int k = 0; k < 3; k++) {
        const real x[] = {axis[k].x, axis[k].y, axis[k].z};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                M[6 * (3 + i) + 3 + j] += stage.inertia[k] * x[i] * x[j];
    }
    Q[2] = -stage.mass * JOINTS_G, Q[3] = -spin.x, Q[4] = -spin.y, Q[5] = -spin.z;
    for (int leg = 0; leg < LEGS; leg++) {
        leg_state s = leg_of(leg, y);
        real m[3][3];
        vector rest, b = cross(w, cross(w, s.pin)), r = s.pin;
        leg_force(leg, &s, m, &rest);
        // b_i = sum of B_ij (v', w')_j
        const real B[3][6] = {{1, 0, 0, 0, r.z, -r.y}, {0, 1, 0, -r.z, 0, r.x}, {0, 0, 1, r.y, -r.x, 0}};
        const real old[] = {b.x, b.y, b.z}, push[] = {rest.x, rest.y, rest.z};
        for (int i = 0; i < 3; i++) {
            real row[6] = {0}, force = push[i];
            for (int j = 0; j < 3; j++) {
                force += m[i][j] * old[j];
                for (int k = 0; k < 6; k++)
                    row[k] += m[i][j] * B[j][k];
            }
            for (int k = 0; k < 6; k++) {
                Q[k] -= B[i][k] * force;
                for (int j = 0; j < 6; j++)
                    M[6 * k + j] += B[i][k] * row[j];
            }
        }
    }
    eliminate(6, M, Q);
    memcpy(f, y + 7, sizeof(real) * 3);
    memcpy(f + 7, Q, sizeof Q);
    const real *q = y + 3; // q' = (0, w) q/2
    f[3] = -(w.x * q[1] + w.y * q[2] + w.z * q[3]) / 2;
    f[4] = (w.x * q[0] + w.y * q[3] - w.z * q[2]) / 2;
    f[5] = (w.y * q[0] + w.z * q[1] - w.x * q[3]) / 2;
    f[6] = (w.z * q[0] + w.x * q[2] - w.y * q[1]) / 2;
}

static void solve_platform(void) {
    real y[13] = {0, 0, PLATFORM_HEIGHT, 1};
    stage = joints_platform();
    for (int i = 0; i < LEGS; i++)
        relaxed[i] = leg_of(i, y).angle;
    integrate(platform_motion, 13, y, PLATFORM_END, LOOSE);
    vector pin = by_quaternion(y + 3, from(stage.pin[0]));
    print(y[0]), print(y[1]), print(y[2]);
    print(y[0] + pin.x), print(y[1] + pin.y), print(y[2] + pin.z);
}

#endif
