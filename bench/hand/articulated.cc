// The articulated-body algorithm in plain C++ (Featherstone, Rigid Body Dynamics Algorithms, 2008,
// section 7.3), for any tree of bodies on revolute joints: what general programs for robots run, here J1 and
// J2. It knows no problem at compile time, loops over bodies, and integrates angles and rates by Dormand and
// Prince's order 8, tolerance 1e-10.
//
//     PROGRAM j1|j2 N REPEATS               as report.h says; values: the angles at the end
//     PROGRAM j1-evaluate|j2-evaluate N TIMES     only evaluates; prints the ns that one took
//
// Bodies have frames whose z is the joint's axis, chosen when the tree is made. Motions are (w, v), forces
// (n, f), in the body's own axes at its joint; the inertia of a body, alone or articulated, maps one on the
// other:
//
//     n = J w + H v      J = J', M = M'
//     f = H' w + M v
#include "../joints.h"
#include "../report.h"
#include "dop853.h"

struct vec {
    double x, y, z;
};
static inline vec operator+(vec a, vec b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline vec operator*(double c, vec a) {
    return {c * a.x, c * a.y, c * a.z};
}
static inline double dot(vec a, vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline vec cross(vec a, vec b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

struct mat { // by columns
    vec x, y, z;
};
static inline vec operator*(const mat &m, vec v) {
    return v.x * m.x + v.y * m.y + v.z * m.z;
}
static inline vec transposed(const mat &m, vec v) { // m' v
    return {dot(m.x, v), dot(m.y, v), dot(m.z, v)};
}
static inline mat operator*(const mat &a, const mat &b) {
    return {a * b.x, a * b.y, a * b.z};
}

struct sym {
    double xx, yy, zz, xy, xz, yz;
};
static inline vec operator*(const sym &s, vec v) {
    return {s.xx * v.x + s.xy * v.y + s.xz * v.z, s.xy * v.x + s.yy * v.y + s.yz * v.z,
            s.xz * v.x + s.yz * v.y + s.zz * v.z};
}
static inline mat full(const sym &s) {
    return {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}};
}
static inline void operator+=(sym &a, const sym &b) {
    a.xx += b.xx, a.yy += b.yy, a.zz += b.zz, a.xy += b.xy, a.xz += b.xz, a.yz += b.yz;
}
static inline sym rotated(const mat &R, const sym &s) { // R s R'
    mat B = R * full(s);
    vec x = {R.x.x, R.y.x, R.z.x}, y = {R.x.y, R.y.y, R.z.y}, z = {R.x.z, R.y.z, R.z.z};
    vec bx = {B.x.x, B.y.x, B.z.x}, by = {B.x.y, B.y.y, B.z.y}, bz = {B.x.z, B.y.z, B.z.z};
    return {dot(bx, x), dot(by, y), dot(bz, z), dot(bx, y), dot(bx, z), dot(by, z)};
}

struct body {
    // what does not change
    int parent; // -1: the ground
    mat turn;   // at angle 0, from its axes to the parent's
    vec at;     // its joint in the parent's axes
    double mass, damping;
    vec moment;  // mass times centre
    sym inertia; // about the joint
    // of the state
    mat R;      // as turn, at the angle now
    vec w, v;   // velocity
    vec cw, cv; // acceleration from velocities: (w, v) x the joint's rate
    sym J, M;   // articulated inertia
    mat H;
    vec n, f;   // articulated bias force
    vec Un, Uf; // its column of the joint's axis
    double D, u;
    vec dw, dv; // acceleration, with that of gravity taken away
};

static void velocities(body &b, const body *parent, double q, double rate) {
    double s, c;
    sincos(q, &s, &c);
    b.R = {c * b.turn.x + s * b.turn.y, c * b.turn.y + -s * b.turn.x, b.turn.z};
    b.w = b.v = {0, 0, 0};
    if (parent) {
        b.w = transposed(b.R, parent->w);
        b.v = transposed(b.R, parent->v + cross(parent->w, b.at));
    }
    b.cw = {rate * b.w.y, -rate * b.w.x, 0};
    b.cv = {rate * b.v.y, -rate * b.v.x, 0};
    b.w.z += rate;
    const vec h = b.moment, L = b.inertia * b.w + cross(h, b.v), P = b.mass * b.v + cross(b.w, h);
    b.n = cross(b.w, L) + cross(b.v, P);
    b.f = cross(b.w, P);
    b.J = b.inertia;
    b.H = {{0, h.z, -h.y}, {-h.z, 0, h.x}, {h.y, -h.x, 0}};
    b.M = {b.mass, b.mass, b.mass, 0, 0, 0};
}

// What the parent feels of a body that is free to turn about z:
//     I - U U' D, n + (I - U U' D) c + U D u, carried over by R and at
static void give_to(body &parent, const body &b) {
    const vec Kn = b.D * b.Un, Kf = b.D * b.Uf;
    // row and column z of J and row z of H are zero
    const double xx = b.J.xx - Kn.x * b.Un.x, xy = b.J.xy - Kn.x * b.Un.y, yy = b.J.yy - Kn.y * b.Un.y;
    const vec Hx = {b.H.x.x - Kn.x * b.Uf.x, b.H.y.x - Kn.x * b.Uf.y, b.H.z.x - Kn.x * b.Uf.z};
    const vec Hy = {b.H.x.y - Kn.y * b.Uf.x, b.H.y.y - Kn.y * b.Uf.y, b.H.z.y - Kn.y * b.Uf.z};
    const sym M = {b.M.xx - Kf.x * b.Uf.x, b.M.yy - Kf.y * b.Uf.y, b.M.zz - Kf.z * b.Uf.z,
                   b.M.xy - Kf.x * b.Uf.y, b.M.xz - Kf.x * b.Uf.z, b.M.yz - Kf.y * b.Uf.z};
    const vec n =
        b.n + b.u * Kn +
        vec{xx * b.cw.x + xy * b.cw.y + dot(Hx, b.cv), xy * b.cw.x + yy * b.cw.y + dot(Hy, b.cv), 0};
    const vec f = b.f + b.u * Kf + b.cw.x * Hx + b.cw.y * Hy + M * b.cv;

    // turned: J by its two columns, H by its two rows
    const mat &R = b.R;
    const vec jx = xx * R.x + xy * R.y, jy = xy * R.x + yy * R.y, hx = R * Hx, hy = R * Hy;
    const sym M2 = rotated(R, M);
    const mat H2 = {hx.x * R.x + hy.x * R.y, hx.y * R.x + hy.y * R.y, hx.z * R.x + hy.z * R.y};
    const vec f2 = R * f, n2 = R * n + cross(b.at, f2);
    sym J2 = {jx.x * R.x.x + jy.x * R.y.x, jx.y * R.x.y + jy.y * R.y.y, jx.z * R.x.z + jy.z * R.y.z,
              jx.x * R.x.y + jy.x * R.y.y, jx.x * R.x.z + jy.x * R.y.z, jx.y * R.x.z + jy.y * R.y.z};
    // moved by p: H + [p] M, J + [p] H' + ([p] H')' - [p] M [p] = J + [p] H' - (H + [p] M) [p]
    const vec p = b.at;
    const mat PM = {cross(p, {M2.xx, M2.xy, M2.xz}), cross(p, {M2.xy, M2.yy, M2.yz}),
                    cross(p, {M2.xz, M2.yz, M2.zz})};
    const mat H3 = {H2.x + PM.x, H2.y + PM.y, H2.z + PM.z};
    // rows of [p] H' : p x (column of H') = p x (row of H); of -H [p]: p x (row of H), transposed
    const vec a = cross(p, {H2.x.x, H2.y.x, H2.z.x}), d = cross(p, {H2.x.y, H2.y.y, H2.z.y}),
              e = cross(p, {H2.x.z, H2.y.z, H2.z.z}); // columns of [p] H2'
    const vec A = cross(p, {H3.x.x, H3.y.x, H3.z.x}), B = cross(p, {H3.x.y, H3.y.y, H3.z.y}),
              C = cross(p, {H3.x.z, H3.y.z, H3.z.z}); // rows of -H3 [p]
    J2 += {a.x + A.x, d.y + B.y, e.z + C.z, d.x + A.y, e.x + A.z, e.y + B.z};
    parent.J += J2;
    parent.M += M2;
    parent.H.x = parent.H.x + H3.x, parent.H.y = parent.H.y + H3.y, parent.H.z = parent.H.z + H3.z;
    parent.n = parent.n + n2;
    parent.f = parent.f + f2;
}

static double acceleration(body &b, vec dw, vec dv) { // of the parent
    b.dw = transposed(b.R, dw) + b.cw;
    b.dv = transposed(b.R, dv + cross(dw, b.at)) + b.cv;
    double a = (b.u - dot(b.Un, b.dw) - dot(b.Uf, b.dv)) * b.D;
    b.dw.z += a;
    return a;
}

struct tree {
    std::vector<body> bodies; // parents before children

    void operator()(const double *y, double *f) {
        const int n = (int)bodies.size();
        body *b = bodies.data();
        const double *rate = y + n;
        for (int i = 0; i < n; i++)
            velocities(b[i], b[i].parent < 0 ? nullptr : &b[b[i].parent], y[i], rate[i]);
        for (int i = n - 1; i >= 0; i--) {
            b[i].Un = {b[i].J.xz, b[i].J.yz, b[i].J.zz};
            b[i].Uf = {b[i].H.x.z, b[i].H.y.z, b[i].H.z.z};
            b[i].D = 1 / b[i].J.zz;
            b[i].u = -b[i].damping * rate[i] - b[i].n.z;
            if (b[i].parent >= 0)
                give_to(b[b[i].parent], b[i]);
        }
        for (int i = 0; i < n; i++) {
            const body *parent = b[i].parent < 0 ? nullptr : &b[b[i].parent];
            f[i] = rate[i];
            f[n + i] = acceleration(b[i], parent ? parent->dw : vec{0, 0, 0},
                                    parent ? parent->dv : vec{0, 0, JOINTS_G});
        }
    }
};

// the columns of the rotation that makes `axis` the z of a body: axes are taken cyclically
static mat to_z(int axis) {
    const vec e[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    return {e[(axis + 1) % 3], e[(axis + 2) % 3], e[axis]};
}
static mat transpose(const mat &m) {
    return {{m.x.x, m.y.x, m.z.x}, {m.x.y, m.y.y, m.z.y}, {m.x.z, m.y.z, m.z.z}};
}

static tree make_tree(const linkage &c) {
    tree t;
    mat before = to_z(2);
    for (int i = 0; i < c.n; i++) {
        const link_data &l = c.link[i];
        const double(*r)[3] = l.turn, *I = l.inertia;
        const mat turn = {
            {r[0][0], r[1][0], r[2][0]}, {r[0][1], r[1][1], r[2][1]}, {r[0][2], r[1][2], r[2][2]}};
        const mat own = to_z(l.axis);
        const vec centre = transposed(own, {l.centre[0], l.centre[1], l.centre[2]});
        body b = {};
        b.parent = i - 1;
        b.turn = transpose(before) * turn * own;
        b.at = transposed(before, {l.at[0], l.at[1], l.at[2]});
        b.mass = l.mass;
        b.damping = c.damping;
        b.moment = l.mass * centre;
        b.inertia = rotated(transpose(own), {I[0], I[1], I[2], I[3], I[4], I[5]});
        const vec h = b.moment, k = centre;
        b.inertia += {h.y * k.y + h.z * k.z,
                      h.z * k.z + h.x * k.x,
                      h.x * k.x + h.y * k.y,
                      -h.x * k.y,
                      -h.x * k.z,
                      -h.y * k.z};
        t.bodies.push_back(b);
        before = own;
    }
    return t;
}

static void start(const linkage &c, std::vector<double> &y) {
    y.assign(2 * c.n, 0);
    for (int i = 0; i < c.n; i++)
        y[c.n + i] = c.link[i].rate;
}

static int evaluate(const linkage &c, tree &t, int times) {
    std::vector<double> y, f(2 * c.n);
    start(c, y);
    double before = job_now();
    for (int i = 0; i < times; i++) {
        t(y.data(), f.data());
        y[0] += 1e-12 * f[c.n];
    }
    printf("{\"ns\": %.9g}\n", 1e9 * (job_now() - before) / times);
    return 0;
}

int main(int argc, char **argv) {
    job j = job_read(argc, argv);
    if (strncmp(j.problem, "j1", 2) != 0 && strncmp(j.problem, "j2", 2) != 0)
        return job_unknown(&j);
    const linkage c = j.problem[1] == '1' ? joints_chain(j.n) : joints_arm();
    tree t = make_tree(c);
    if (strstr(j.problem, "-evaluate"))
        return evaluate(c, t, atoi(argv[3]));
    std::vector<double> y;
    long evaluations = 0;
    while (job_more(&j)) {
        start(c, y);
        job_start(&j);
        evaluations = dop853(2 * c.n, y.data(), c.end, 1e-10, t);
        job_stop(&j);
    }
    job_print(&j, evaluations, y.data(), c.n, -1);
    return 0;
}
