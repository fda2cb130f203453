/* The same system as a text and as functions: the same accelerations, forces, multipliers, rank, and the same
 * runs; what functions do wrong is told. */
#include <trammel/trammel.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 8 };

/* A system both ways. */
typedef struct {
    const char *name, *text;
    trm_callbacks by;
    double until;
    double q[MOST], v[MOST]; // a state on the constraints
} both;

// ---- the systems

static int unit_mass(void *context, double t, const double *q, double *M) {
    const int *n = context;
    (void)t, (void)q;
    for (int i = 0; i < *n; i++)
        M[i * *n + i] = 2;
    return 0;
}

static int weight(void *context, double t, const double *q, const double *v, double *Q) {
    (void)context, (void)t, (void)q, (void)v;
    Q[1] = -2 * 9.81;
    return 0;
}

static int rod(void *context, double t, const double *q, const double *v, double *A, double *b) {
    (void)context, (void)t;
    A[0] = 2 * q[0];
    A[1] = 2 * q[1];
    b[0] = -2 * (v[0] * v[0] + v[1] * v[1]);
    return 0;
}

static int rod_phi(void *context, double t, const double *q, double *phi) {
    (void)context, (void)t;
    phi[0] = q[0] * q[0] + q[1] * q[1] - 1;
    return 0;
}

static int rod_psi(void *context, double t, const double *q, const double *v, double *psi) {
    (void)context, (void)t;
    psi[0] = 2 * (q[0] * v[0] + q[1] * v[1]);
    return 0;
}

static int weight_energy(void *context, double t, const double *q, const double *v, double *kinetic,
                         double *potential) {
    (void)context, (void)t;
    *kinetic = v[0] * v[0] + v[1] * v[1];
    *potential = 2 * 9.81 * q[1];
    return 0;
}

// twice the rod, and a row that says both
static int thrice(void *context, double t, const double *q, const double *v, double *A, double *b) {
    rod(context, t, q, v, A, b);
    for (int i = 0; i < 2; i++) {
        A[2 + i] = 3 * A[i];
        A[4 + i] = A[i] * q[0];
    }
    b[1] = 3 * b[0];
    b[2] = b[0] * q[0] - 2 * v[0] * 2 * (q[0] * v[0] + q[1] * v[1]);
    return 0;
}

static int thrice_phi(void *context, double t, const double *q, double *phi) {
    rod_phi(context, t, q, phi);
    phi[1] = 3 * phi[0];
    phi[2] = phi[0] * q[0];
    return 0;
}

static int thrice_psi(void *context, double t, const double *q, const double *v, double *psi) {
    double phi;
    rod_phi(context, t, q, &phi);
    rod_psi(context, t, q, v, psi);
    psi[1] = 3 * psi[0];
    psi[2] = psi[0] * q[0] + phi * v[0];
    return 0;
}

static int drag(void *context, double t, const double *q, const double *v, double *C) {
    (void)context, (void)t, (void)q;
    double speed = sqrt(v[0] * v[0] + v[1] * v[1]);
    for (int i = 0; i < 2; i++)
        C[i] = -0.3 * speed * v[i];
    return 0;
}

static int double_mass(void *context, double t, const double *q, double *M) {
    (void)context, (void)t;
    M[0] = 2;
    M[1] = M[2] = cos(q[0] - q[1]);
    M[3] = 1;
    return 0;
}

static int double_force(void *context, double t, const double *q, const double *v, double *Q) {
    (void)context, (void)t;
    double s = sin(q[0] - q[1]);
    Q[0] = -s * v[1] * v[1] - 2 * 9.81 * sin(q[0]);
    Q[1] = s * v[0] * v[0] - 9.81 * sin(q[1]);
    return 0;
}

static int sleigh_mass(void *context, double t, const double *q, double *M) {
    (void)context, (void)t;
    const double a = 0.25, s = sin(q[2]), c = cos(q[2]);
    const double full[9] = {1, 0, -a * s, 0, 1, a * c, -a * s, a * c, 0.5 + a * a};
    memcpy(M, full, sizeof full);
    return 0;
}

static int sleigh_force(void *context, double t, const double *q, const double *v, double *Q) {
    (void)context, (void)t;
    Q[0] = 0.25 * cos(q[2]) * v[2] * v[2];
    Q[1] = 0.25 * sin(q[2]) * v[2] * v[2];
    return 0;
}

static int blade(void *context, double t, const double *q, const double *v, double *A, double *b) {
    (void)context, (void)t;
    A[0] = -sin(q[2]);
    A[1] = cos(q[2]);
    b[0] = v[2] * (v[1] * sin(q[2]) + v[0] * cos(q[2]));
    return 0;
}

static int blade_psi(void *context, double t, const double *q, const double *v, double *psi) {
    (void)context, (void)t;
    psi[0] = v[1] * cos(q[2]) - v[0] * sin(q[2]);
    return 0;
}

// x has mass, y has none and follows it: y = 2 x
static int half_mass(void *context, double t, const double *q, double *M) {
    (void)context, (void)t, (void)q;
    M[0] = 1;
    return 0;
}

static int spring(void *context, double t, const double *q, const double *v, double *Q) {
    (void)context, (void)t, (void)v;
    Q[0] = -4 * q[0];
    Q[1] = 0.5 * sin(3 * t);
    return 0;
}

static int follow(void *context, double t, const double *q, const double *v, double *A, double *b) {
    (void)context, (void)t, (void)q, (void)v, (void)b;
    A[0] = 2;
    A[1] = -1;
    return 0;
}

static int follow_phi(void *context, double t, const double *q, double *phi) {
    (void)context, (void)t;
    phi[0] = 2 * q[0] - q[1];
    return 0;
}

static int follow_psi(void *context, double t, const double *q, const double *v, double *psi) {
    (void)context, (void)t, (void)q;
    psi[0] = 2 * v[0] - v[1];
    return 0;
}

static int two = 2;
static const char *const xy[] = {"x", "y"}, *const ab[] = {"a", "b"},
                         *const sleigh_names[] = {"x", "y", "theta"};
static const char *const rod_name[] = {"rod"}, *const blade_name[] = {"blade"},
                         *const thrice_names[] = {"r1", "r2", "r3"};

#define FALLING "coord x, y\ninitial x = 0.6, y = -0.8\nkinetic x'^2 + y'^2\npotential 2*9.81*y\n"

static const both systems[] = {
    {"pendulum",
     FALLING "constraint rod: x^2 + y^2 = 1\n",
     {sizeof(trm_callbacks), 2, 1, 1, 1, &two, xy, rod_name, (const double[]){0.6, -0.8}, NULL, unit_mass,
      weight, rod, NULL, rod_phi, rod_psi, weight_energy, NULL},
     3,
     {0.6, -0.8},
     {0.8, 0.6}},
    {"redundant rows",
     FALLING "constraint r1: x^2 + y^2 = 1\nconstraint r2: 3*(x^2 + y^2 - 1) = 0\n"
             "constraint r3: (x^2 + y^2 - 1)*x = 0\n",
     {sizeof(trm_callbacks), 2, 3, 3, 3, &two, xy, thrice_names, (const double[]){0.6, -0.8}, NULL, unit_mass,
      weight, thrice, NULL, thrice_phi, thrice_psi, weight_energy, NULL},
     1,
     {0.6, -0.8},
     {0.8, 0.6}},
    {"non-ideal",
     FALLING "constraint rod: x^2 + y^2 = 1\nlet s = sqrt(x'^2 + y'^2)\nnonideal x = -0.3*s*x'\n"
             "nonideal y = -0.3*s*y'\n",
     {sizeof(trm_callbacks), 2, 1, 1, 1, &two, xy, rod_name, (const double[]){0.6, -0.8}, NULL, unit_mass,
      weight, rod, drag, rod_phi, rod_psi, weight_energy, NULL},
     2,
     {0.6, -0.8},
     {0.8, 0.6}},
    {"double pendulum",
     "coord a, b\ninitial a = 1, b = 2\nkinetic a'^2 + b'^2/2 + cos(a - b)*a'*b'\n"
     "potential -9.81*(2*cos(a) + cos(b))\n",
     {sizeof(trm_callbacks), 2, 0, 0, 0, NULL, ab, NULL, (const double[]){1, 2}, NULL, double_mass,
      double_force, NULL, NULL, NULL, NULL, NULL, NULL},
     2,
     {1, 2},
     {0.3, -0.7}},
    {"sleigh",
     "coord x, y, theta\ninitial x' = -1, theta' = 1.5\n"
     "let centre = (x + 0.25*cos(theta), y + 0.25*sin(theta))\n"
     "kinetic dot(centre', centre')/2 + theta'^2/4\nconstraint blade: y'*cos(theta) - x'*sin(theta) = 0\n",
     {sizeof(trm_callbacks), 3, 1, 0, 1, NULL, sleigh_names, blade_name, NULL, (const double[]){-1, 0, 1.5},
      sleigh_mass, sleigh_force, blade, NULL, NULL, blade_psi, NULL, NULL},
     5,
     {0.1, 0.2, 0},
     {-1, 0, 1.5}},
    {"semi-definite",
     "coord x, y\ninitial x = 1, y = 2\nmass x = 1\nforce x = -4*x\nforce y = 0.5*sin(3*t)\n"
     "constraint row1: 2*x - y = 0\n",
     {sizeof(trm_callbacks), 2, 1, 1, 1, NULL, xy, NULL, (const double[]){1, 2}, NULL, half_mass, spring,
      follow, NULL, follow_phi, follow_psi, NULL, NULL},
     3,
     {1, 2},
     {0.25, 0.5}},
};
enum { SYSTEMS = sizeof systems / sizeof *systems };

// ---- help

static trm_model *of_text(const char *text) {
    trm_model *m;
    if (trm_model_read_text("text", text, NULL, 0, &m) != TRM_OK)
        fail_msg("%s", trm_model_messages(m, 0));
    return m;
}

static trm_model *of_functions(const trm_callbacks *by) {
    trm_model *m;
    if (trm_model_from_callbacks(by, &m) != TRM_OK)
        fail_msg("%s", trm_model_messages(m, 0));
    return m;
}

static void assert_near(const char *name, const char *what, const double *a, const double *b, int count,
                        double allowed) {
    for (int i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= allowed * (1 + fabs(a[i]))))
            fail_msg("%s: %s %d is %.17g by the text, %.17g by functions", name, what, i, a[i], b[i]);
}

typedef struct {
    double qdd[MOST], reaction[MOST], multiplier[MOST];
} found;

static found solved(trm_model *m, const both *k) {
    trm_system *sys;
    trm_state *st;
    found f, many;
    memset(&f, 0, sizeof f);
    assert_int_equal(trm_system_create(m, &sys), TRM_OK);
    assert_int_equal(trm_state_create(sys, &st), TRM_OK);
    assert_int_equal(trm_acceleration(sys, st, 0.4, k->q, k->v, f.qdd, f.reaction, f.multiplier), TRM_OK);
    many = f;
    assert_int_equal(
        trm_accelerations(sys, st, 1, &(double){0.4}, k->q, k->v, many.qdd, many.reaction, many.multiplier),
        TRM_OK);
    assert_memory_equal(&many, &f, sizeof f);
    trm_state_free(st);
    trm_system_free(sys);
    return f;
}

static trm_run_def settings(double until) {
    static char text[32];
    trm_run_def def = trm_run_def_default();
    snprintf(text, sizeof text, "%g", until);
    def.until = def.every = text;
    def.keep = TRM_KEEP_COLUMNS;
    return def;
}

static trm_result *run_of(trm_model *m, const trm_run_def *def) {
    trm_result *r;
    if (trm_run(m, def, &r) != TRM_OK)
        fail_msg("%s", trm_result_messages(r, 0));
    return r;
}

static double last_of(trm_result *r, int column) {
    return trm_result_column(r, column)[trm_result_samples(r) - 1];
}

// ---- the same numbers

static void test_accelerations(void **state) {
    (void)state;
    for (int i = 0; i < SYSTEMS; i++) {
        const both *k = &systems[i];
        trm_model *text = of_text(k->text), *functions = of_functions(&k->by);
        assert_int_equal(trm_model_rows(text), trm_model_rows(functions));
        for (int j = 0; j < k->by.n; j++)
            assert_string_equal(trm_model_coordinate_name(text, j), trm_model_coordinate_name(functions, j));
        for (int j = 0; j < k->by.m; j++)
            assert_string_equal(trm_model_row_name(text, j), trm_model_row_name(functions, j));
        found a = solved(text, k), b = solved(functions, k);
        assert_near(k->name, "acceleration", a.qdd, b.qdd, k->by.n, 1e-14);
        assert_near(k->name, "reaction", a.reaction, b.reaction, k->by.n, 1e-14);
        assert_near(k->name, "multiplier", a.multiplier, b.multiplier, k->by.m, 1e-14);
        trm_model_free(text);
        trm_model_free(functions);
    }
}

static void compare_runs(const both *k, const char *integrator, const char *formulation) {
    trm_model *text = of_text(k->text), *functions = of_functions(&k->by);
    trm_run_def def = settings(k->until);
    def.integrator = integrator;
    def.formulation = formulation;
    trm_result *a = run_of(text, &def), *b = run_of(functions, &def);
    assert_int_equal(trm_result_columns(a), trm_result_columns(b));
    for (int c = 0; c < trm_result_columns(a); c++) {
        assert_string_equal(trm_result_column_name(a, c), trm_result_column_name(b, c));
        double x = last_of(a, c), y = last_of(b, c);
        if (!(fabs(x - y) <= 1e-6 * (1 + fabs(x))))
            fail_msg("%s by %s: %s is %.17g by the text, %.17g by functions", k->name,
                     integrator ? integrator : formulation, trm_result_column_name(a, c), x, y);
    }
    trm_result_free(a);
    trm_result_free(b);
    trm_model_free(text);
    trm_model_free(functions);
}

static void test_runs(void **state) {
    (void)state;
    for (int i = 0; i < SYSTEMS; i++)
        for (int j = 0; trm_integrator_at(j).name; j++)
            if (strstr(trm_parts(), trm_integrator_at(j).name) ||
                strncmp(trm_integrator_at(j).name, "rk", 2) == 0)
                compare_runs(&systems[i], trm_integrator_at(j).name, NULL);
}

static void test_formulations(void **state) {
    (void)state;
    for (int i = 0; i < SYSTEMS; i++) {
        trm_model *m = of_functions(&systems[i].by);
        trm_result *r;
        trm_run_def def = settings(0.5);
        def.along = 1;
        assert_int_equal(trm_compare(m, &def, &r), TRM_OK);
        const char *json = trm_result_json(r), *worst = strstr(json, "\"worst\"");
        (void)worst;
        trm_result_free(r);
        trm_model_free(m);
    }
    compare_runs(&systems[0], NULL, "auxiliary");
    compare_runs(&systems[5], NULL, "auxiliary");
}

static void test_sessions(void **state) {
    (void)state;
    const both *k = &systems[0];
    trm_model *m = of_functions(&k->by);
    trm_run_def def = settings(k->until);
    trm_result *r = run_of(m, &def);
    trm_session *s;
    def.keep = TRM_KEEP_NOTHING;
    assert_int_equal(trm_session_create(m, &def, &s), TRM_OK);
    for (int i = 1; i <= 10; i++)
        assert_int_equal(trm_session_advance(s, k->until * i / 10, NULL), TRM_OK);
    for (int c = 0; c < trm_result_columns(r); c++)
        assert_true(trm_session_values(s)[c] == last_of(r, c));
    trm_session_free(s);
    trm_result_free(r);
    trm_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accelerations),
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_formulations),
        cmocka_unit_test(test_sessions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
