/* The closed forms that the papers print for their examples, against every formulation that applies and the
 * default solver, at random states on the constraints. Where a form is misprinted, the comment says how it
 * must read. */
#include "papers/fixture.h"

enum { STATES = 200 };

static const double ROUNDING_ERROR = 1e-13; // relative

// the largest |x_j - y_j|, relative to the largest |y_j| or 1
static double off_by(const double *x, mat y) {
    double off = 0;
    for (int j = 0; j < y.rows; j++)
        off = fmax(off, fabs(x[j] - y.at[j]));
    return off / fmax(1, mat_largest(y));
}

// x and force by the default solver and each formulation that applies
static void expect(fixture *f, const random_system *s, mat x, mat force) {
    result r;
    int rank;
    assert_true(by_default(f, s, &r, &rank));
    assert_true(off_by(r.x, x) < ROUNDING_ERROR && off_by(r.force, force) < ROUNDING_ERROR);
    for (int i = 0; i < FORMULATIONS; i++) {
        if (formulations[i]->definite && !s->definite)
            continue;
        by_paper(f, formulations[i], NULL, s, rank, &r);
        if (!(off_by(r.x, x) < ROUNDING_ERROR && off_by(r.force, force) < ROUNDING_ERROR))
            fail_msg("%s is off by %.1e, its force by %.1e", formulations[i]->name, off_by(r.x, x),
                     off_by(r.force, force));
    }
}

static mat column(matrices *w, int n, const double *at) {
    return mat_copy(w, mat_wrap(at, n, 1));
}

/* ---- 001, example 1: y' = z x', unit mass, no forces ---- */

static void nonholonomic_particle(void **state) {
    fixture *f = *state;
    need_lapack();
    for (int k = 0; k < STATES; k++) {
        matrices_reset(&f->w);
        double z = 2 * normal(&f->dice), x_dot = normal(&f->dice), z_dot = normal(&f->dice);
        random_system s = {
            3, 1, true, .M = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .A = {-z, 1, 0}, .b = {z_dot * x_dot}};
        mat direction = column(&f->w, 3, (double[]){-z, 1, 0});
        mat x = mat_scale(&f->w, z_dot * x_dot / (1 + z * z), direction); // eq. 38
        expect(f, &s, x, x);
    }
}

/* ---- 004, Appell's particle: z'^2 = x'^2 + y'^2, and twice that ---- */

typedef struct {
    double mass, F[3], v[3]; // the force is mass F; v = (x', y', -z')
    double v_F, v_v;
    random_system s;
} appell;

static appell appell_state(dice *d) {
    appell a = {.mass = decades(d, 1), .F = {normal(d), normal(d), normal(d)}, .v = {normal(d), normal(d)}};
    double *v = a.v, M = a.mass;
    v[2] = below(d, 2) ? hypot(v[0], v[1]) : -hypot(v[0], v[1]);
    a.v_F = v[0] * a.F[0] + v[1] * a.F[1] + v[2] * a.F[2];
    a.v_v = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    a.s = (random_system){3, 2, true, .M = {M, 0, 0, 0, M, 0, 0, 0, M},
                          .Q = {M * a.F[0], M * a.F[1], M * a.F[2]}};
    for (int j = 0; j < 3; j++) {
        a.s.A[j] = v[j];
        a.s.A[3 + j] = 2 * v[j];
    }
    return a;
}

// eq. 36: F - (v.F / v.v) v; eq. 43: the force is -(v.F / v.v) v for each unit of mass
static void appell_acceleration_and_force(void **state) {
    fixture *f = *state;
    need_lapack();
    for (int k = 0; k < STATES; k++) {
        matrices_reset(&f->w);
        appell a = appell_state(&f->dice);
        mat along = mat_scale(&f->w, -a.v_F / a.v_v, mat_wrap(a.v, 3, 1));
        expect(f, &a.s, mat_add(&f->w, mat_wrap(a.F, 3, 1), along), mat_scale(&f->w, a.mass, along));
    }
}

/* Eq. 39, x eliminated; its off-diagonal entries are both -y'z'/x'^2 (the lower one is printed -yz/x'^2):
 * (R'R + I) (y'', z'') = (F_y - F_x y'/x', F_z + F_x z'/x'). */
static void appell_independent_coordinates(void **state) {
    fixture *f = *state;
    int tried = 0;
    need_lapack();
    for (int k = 0; k < STATES; k++) {
        appell a = appell_state(&f->dice);
        if (fabs(a.v[0]) < 0.1)
            continue;
        tried++;
        double R[2] = {a.v[1] / a.v[0], a.v[2] / a.v[0]};
        double given[2] = {a.F[1] - a.F[0] * R[0], a.F[2] - a.F[0] * R[1]},
               size = 1 + R[0] * R[0] + R[1] * R[1];
        for (int i = 0; i < FORMULATIONS; i++) {
            result r;
            by_paper(f, formulations[i], NULL, &a.s, 1, &r);
            double turn = R[0] * r.x[1] + R[1] * r.x[2];
            for (int j = 0; j < 2; j++)
                assert_true(fabs(r.x[1 + j] + R[j] * turn - given[j]) < ROUNDING_ERROR * 10 * size);
        }
    }
    assert_true(tried > STATES / 2);
}

/* Eq. 42, for each unit of mass: multipliers -(v.F / 5 v.v) (1, 2), which are those of least norm, and
 * (4/5 -2/5; -2/5 1/5) w with any w, which exert nothing: it is I - A A+. */
static void appell_multipliers(void **state) {
    fixture *f = *state;
    const double null[2][2] = {{0.8, -0.4}, {-0.4, 0.2}};
    need_lapack();
    for (int k = 0; k < STATES; k++) {
        matrices_reset(&f->w);
        appell a = appell_state(&f->dice);
        double force[3], multiplier[2], c = -a.v_F / (5 * a.v_v);
        for (int j = 0; j < 3; j++)
            force[j] = -a.mass * a.v_F / a.v_v * a.v[j];
        assert_true(papers_multipliers(f->papers[3][2], a.s.A, 1, force, multiplier));
        mat printed = column(&f->w, 2, (double[]){a.mass * c, 2 * a.mass * c});
        assert_true(off_by(multiplier, printed) < ROUNDING_ERROR);
        mat A = mat_wrap(a.s.A, 2, 3), AA_plus = mat_mul(&f->w, A, mat_pinv(&f->w, A, 1));
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                assert_true(fabs((i == j) - AA_plus.at[2 * i + j] - null[i][j]) < ROUNDING_ERROR);
    }
}

/* ---- 002, section 4: a rigid body by a unit quaternion u, singular mass matrix ---- */

typedef struct {
    mat E, E_t, J, J_inverse, u, u_dot, omega;
    mat gyration;       // omega x J omega
    mat Gamma_u, Gamma; // generalised torque, and that in the body: E Gamma_u / 2
    random_system s;
} body;

// eq. 80
static mat E_of(matrices *w, mat u) {
    const double *q = u.at,
                 E[] = {-q[1], q[0], q[3], -q[2], -q[2], -q[3], q[0], q[1], -q[3], q[2], -q[1], q[0]};
    return mat_copy(w, mat_wrap(E, 3, 4));
}

static mat random_column(dice *d, matrices *w, int n) {
    mat x = mat_new(w, n, 1);
    for (int i = 0; i < n; i++)
        x.at[i] = normal(d);
    return x;
}

static mat cross(matrices *w, mat x, mat y) {
    const double *p = x.at, *q = y.at;
    return column(
        w, 3, (double[]){p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]});
}

static double dot(mat x, mat y) {
    double sum = 0;
    for (int i = 0; i < x.rows; i++)
        sum += x.at[i] * y.at[i];
    return sum;
}

// M = 4 E'J E, Q = -8 E_dot'J E u' + Gamma_u (eq. 91), u'u'' = -|u'|^2 (eq. 93)
static void body_system(matrices *w, body *b) {
    mat JE = mat_mul(w, b->J, b->E), E_dot_t = mat_transpose(w, E_of(w, b->u_dot));
    mat M = mat_scale(w, 4, mat_mul(w, b->E_t, JE));
    mat Q = mat_add(w, mat_scale(w, -8, mat_mul(w, E_dot_t, mat_mul(w, JE, b->u_dot))), b->Gamma_u);
    b->s = (random_system){4, 1, false, .b = {-dot(b->u_dot, b->u_dot)}};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++)
            b->s.M[4 * i + j] = (M.at[4 * i + j] + M.at[4 * j + i]) / 2;
        b->s.Q[i] = Q.at[i];
        b->s.A[i] = b->u.at[i];
    }
}

static body body_state(fixture *f) {
    matrices *w = &f->w;
    matrices_reset(w);
    body b = {.u = random_column(&f->dice, w, 4), .omega = random_column(&f->dice, w, 3)};
    b.u = mat_scale(w, 1 / mat_norm(b.u), b.u);
    b.E = E_of(w, b.u);
    b.E_t = mat_transpose(w, b.E);
    b.u_dot = mat_scale(w, 0.5, mat_mul(w, b.E_t, b.omega)); // eq. 79
    b.J = mat_new(w, 3, 3);
    b.J_inverse = mat_new(w, 3, 3);
    for (int i = 0; i < 3; i++) {
        b.J.at[4 * i] = 1 + 2 * uniform(&f->dice);
        b.J_inverse.at[4 * i] = 1 / b.J.at[4 * i];
    }
    b.gyration = cross(w, b.omega, mat_mul(w, b.J, b.omega));
    b.Gamma_u = random_column(&f->dice, w, 4);
    b.Gamma = mat_scale(w, 0.5, mat_mul(w, b.E, b.Gamma_u));
    body_system(w, &b);
    return b;
}

// eq. 112: u'' = -E'J^-1 (omega x J omega) / 2 - |u'|^2 u + E'J^-1 E Gamma_u / 4
static mat equation_112(matrices *w, const body *b) {
    mat E_tJ = mat_mul(w, b->E_t, b->J_inverse);
    mat gyration = mat_scale(w, -0.5, mat_mul(w, E_tJ, b->gyration));
    mat torque = mat_scale(w, 0.25, mat_mul(w, E_tJ, mat_mul(w, b->E, b->Gamma_u)));
    return mat_add(w, mat_add(w, gyration, mat_scale(w, -dot(b->u_dot, b->u_dot), b->u)), torque);
}

// eq. 121: Q^c = -2 (omega'J omega) u - u u'Gamma_u; its last term is 0 where Gamma_u = 2 E'Gamma (eq. 113)
static mat equation_121(matrices *w, const body *b) {
    double c = -2 * dot(b->omega, mat_mul(w, b->J, b->omega)) - dot(b->u, b->Gamma_u);
    return mat_scale(w, c, b->u);
}

static void body_acceleration_and_force(void **state) {
    fixture *f = *state;
    need_lapack();
    for (int k = 0; k < STATES; k++) {
        body b = body_state(f);
        expect(f, &b.s, equation_112(&f->w, &b), equation_121(&f->w, &b));
    }
}

/* Eq. 119, the auxiliary system: (4 E'J E + alpha^2 u u') u'' = -2 E'(omega x J omega) - (alpha^2 / 4)
 * |omega|^2 u
 * + 2 E'Gamma. */
static void body_auxiliary_system(void **state) {
    static const double alphas[] = {0.01, 1, 30};
    fixture *f = *state;
    matrices *w = &f->w;
    need_lapack();
    for (int k = 0; k < STATES; k++) {
        body b = body_state(f);
        double alpha = alphas[k % 3], square = alpha * alpha;
        mat M_A =
            mat_add(w, mat_wrap(b.s.M, 4, 4), mat_scale(w, square, mat_mul(w, b.u, mat_transpose(w, b.u))));
        mat torque = mat_sub(w, mat_scale(w, 2, b.Gamma), mat_scale(w, 2, b.gyration));
        mat along = mat_scale(w, -square / 4 * dot(b.omega, b.omega), b.u);
        mat right = mat_add(w, mat_mul(w, b.E_t, torque), along);
        paper_choice choice = {.alpha = alpha};
        result r;
        by_paper(f, formulation_find("auxiliary"), &choice, &b.s, 1, &r);
        assert_true(off_by(mat_mul(w, M_A, mat_wrap(r.x, 4, 1)).at, right) < ROUNDING_ERROR);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nonholonomic_particle),          cmocka_unit_test(appell_acceleration_and_force),
        cmocka_unit_test(appell_independent_coordinates), cmocka_unit_test(appell_multipliers),
        cmocka_unit_test(body_acceleration_and_force),    cmocka_unit_test(body_auxiliary_system),
    };
    return cmocka_run_group_tests(tests, fixture_start, fixture_stop);
}
