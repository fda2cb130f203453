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
static inline vec operator-(vec a, vec b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
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
static inline mat operator+(const mat &a, const mat &b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline vec operator*(const mat &m, vec v) {
    return v.x * m.x + v.y * m.y + v.z * m.z;
}
static inline mat operator*(const mat &a, const mat &b) {
    return {a * b.x, a * b.y, a * b.z};
}
static inline mat transpose(const mat &m) {
    return {{m.x.x, m.y.x, m.z.x}, {m.x.y, m.y.y, m.z.y}, {m.x.z, m.y.z, m.z.z}};
}
static inline vec transposed(const mat &m, vec v) { // m' v
    return {dot(m.x, v), dot(m.y, v), dot(m.z, v)};
}
static inline mat cross(vec p, const mat &m) { // [p] m
    return {cross(p, m.x), cross(p, m.y), cross(p, m.z)};
}

struct sym {
    double xx, yy, zz, xy, xz, yz;
};
static inline sym operator+(const sym &a, const sym &b) {
    return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}
static inline sym operator-(const sym &a, const sym &b) {
    return {a.xx - b.xx, a.yy - b.yy, a.zz - b.zz, a.xy - b.xy, a.xz - b.xz, a.yz - b.yz};
}
static inline vec operator*(const sym &s, vec v) {
    return {s.xx * v.x + s.xy * v.y + s.xz * v.z, s.xy * v.x + s.yy * v.y + s.yz * v.z,
            s.xz * v.x + s.yz * v.y + s.zz * v.z};
}
static inline sym outer(vec a, vec b) { // a b', for a parallel to b
    return {a.x * b.x, a.y * b.y, a.z * b.z, a.x * b.y, a.x * b.z, a.y * b.z};
}
static inline mat full(const sym &s) {
    return {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}};
}
static inline sym rotated(const mat &R, const sym &s) { // R s R'
    const mat B = transpose(R * full(s)), T = transpose(R);
    return {dot(B.x, T.x), dot(B.y, T.y), dot(B.z, T.z), dot(B.x, T.y), dot(B.x, T.z), dot(B.y, T.z)};
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
    b.R = {c * b.turn.x + s * b.turn.y, c * b.turn.y - s * b.turn.x, b.turn.z};
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

// What the parent feels of a body that is free to turn about z, U being the column of z in its inertia I:
//     I - U U' D, (n, f) + (I - U U' D) c + U D u
// turned by R, and moved from the body's joint to the parent's, by p: H becomes H + [p] M, J becomes
// J + [p] H' - (H + [p] M) [p].
static void give_to(body &parent, const body &b) {
    const vec Kn = b.D * b.Un, Kf = b.D * b.Uf;
    const sym J = b.J - outer(Kn, b.Un), M = b.M - outer(Kf, b.Uf);
    const mat H = {b.H.x - b.Uf.x * Kn, b.H.y - b.Uf.y * Kn, b.H.z - b.Uf.z * Kn};
    const vec n = b.n + b.u * Kn + J * b.cw + H * b.cv;
    const vec f = b.f + b.u * Kf + transposed(H, b.cw) + M * b.cv;

    const mat H2 = b.R * H * transpose(b.R);
    const sym J2 = rotated(b.R, J), M2 = rotated(b.R, M);
    const vec f2 = b.R * f;
    const mat H3 = H2 + cross(b.at, full(M2));
    const mat X = cross(b.at, transpose(H2)),
              Y = cross(b.at, transpose(H3)); // [p] H', ((H + [p] M) [p])' = -Y
    parent.J = parent.J + J2 +
               sym{X.x.x + Y.x.x, X.y.y + Y.y.y, X.z.z + Y.z.z, X.y.x + Y.x.y, X.z.x + Y.x.z, X.z.y + Y.y.z};
    parent.M = parent.M + M2;
    parent.H = parent.H + H3;
    parent.n = parent.n + b.R * n + cross(b.at, f2);
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
        // Steiner: m (|c|^2 1 - c c')
        const double square = dot(centre, b.moment);
        b.inertia = rotated(transpose(own), {I[0], I[1], I[2], I[3], I[4], I[5]}) +
                    sym{square, square, square, 0, 0, 0} - outer(b.moment, centre);
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
