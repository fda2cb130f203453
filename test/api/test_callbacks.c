/* The same system as a text and as functions: the same accelerations, forces, multipliers, rank, and the same
 * runs; what functions do wrong is told. */
#include <trammel/trammel.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
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
        const char *json = trm_result_json(r),
                   *worst = strstr(json, "\"largest_difference\": {\"acceleration\": {\"relative\": ");
        assert_non_null(worst);
        assert_true(atof(strstr(worst, "relative") + strlen("relative\": ")) < 1e-12);
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

// ---- functions that fail

/* Which function fails, from when on, and what was called since. */
typedef struct {
    const char *which;
    double from;
    int code, calls_after;
    double value; // with code 0: what it gives instead
} trouble;

static int two_n = 2;

static int fails(void *context, const char *which, double t, double *out) {
    trouble *k = context;
    if (k->code && k->calls_after)
        k->calls_after++;
    if (strcmp(k->which, which) != 0 || t < k->from)
        return 0;
    if (k->code == 0)
        out[0] = k->value;
    k->calls_after += k->code != 0;
    return k->code;
}

static int f_mass(void *context, double t, const double *q, double *M) {
    unit_mass(&two_n, t, q, M);
    return fails(context, "mass", t, M);
}

static int f_force(void *context, double t, const double *q, const double *v, double *Q) {
    weight(NULL, t, q, v, Q);
    return fails(context, "force", t, Q);
}

static int f_rows(void *context, double t, const double *q, const double *v, double *A, double *b) {
    rod(NULL, t, q, v, A, b);
    return fails(context, "constraint", t, A);
}

static int f_nonideal(void *context, double t, const double *q, const double *v, double *C) {
    drag(NULL, t, q, v, C);
    return fails(context, "nonideal", t, C);
}

static int f_position(void *context, double t, const double *q, double *phi) {
    rod_phi(NULL, t, q, phi);
    return fails(context, "position", t, phi);
}

static int f_velocity(void *context, double t, const double *q, const double *v, double *psi) {
    rod_psi(NULL, t, q, v, psi);
    return fails(context, "velocity", t, psi);
}

static int f_energy(void *context, double t, const double *q, const double *v, double *kinetic,
                    double *potential) {
    weight_energy(NULL, t, q, v, kinetic, potential);
    return fails(context, "energy", t, kinetic);
}

static const char *says(void *context, int code) {
    (void)context;
    return code == 7 ? "the wind \033tunnel is off" : NULL;
}

static const char *const names[] = {"mass",     "force",    "constraint", "nonideal",
                                    "position", "velocity", "energy"};
enum { NAMES = sizeof names / sizeof *names };

static trm_callbacks failing(trouble *k) {
    static const double start[] = {0.6, -0.8};
    return (trm_callbacks){.size = sizeof(trm_callbacks),
                           .n = 2,
                           .m = 1,
                           .position_rows = 1,
                           .velocity_rows = 1,
                           .context = k,
                           .coordinates = xy,
                           .rows = rod_name,
                           .q = start,
                           .mass = f_mass,
                           .force = f_force,
                           .constraint = f_rows,
                           .nonideal = f_nonideal,
                           .position = f_position,
                           .velocity = f_velocity,
                           .energy = f_energy,
                           .error = says};
}

static void assert_says(const char *messages, const char *what) {
    if (strstr(messages, what) == NULL)
        fail_msg("'%s' is not in:\n%s", what, messages);
}

static const char *expected(const char *which, int code) {
    static char text[100];
    if (code == 7)
        snprintf(text, sizeof text, "function '%s': the wind ?tunnel is off", which);
    else
        snprintf(text, sizeof text, "function '%s' failed with code %d", which, code);
    return text;
}

static void test_failing_runs(void **state) {
    (void)state;
    for (int i = 0; i < NAMES; i++)
        for (int late = 0; late < 2; late++)
            for (int j = 0; j < 3; j++) {
                static const char *const by[] = {"rk8", "rk5", "bdf"};
                trouble k = {names[i], late ? 0.5 : 0, late ? 7 : 9, 0, 0};
                trm_callbacks c = failing(&k);
                trm_model *m = of_functions(&c);
                trm_run_def def = settings(1);
                trm_result *r;
                def.every = "0.25";
                def.integrator = j < 2 || strstr(trm_parts(), by[j]) ? by[j] : "rk8";
                assert_int_equal(trm_run(m, &def, &r), TRM_NO_SOLUTION);
                assert_says(trm_result_messages(r, 0), expected(names[i], k.code));
                assert_int_equal(trm_result_samples(r) > 1, late);
                // a step at most, in which no other function is asked any more
                assert_in_range(k.calls_after, 1, late ? 2 : 60);
                trm_result_free(r);
                trm_model_free(m);
            }
}

static void test_failing_studies(void **state) {
    typedef trm_status act(trm_model *, const trm_run_def *, trm_result **);
    act *const acts[] = {trm_check, trm_compare, trm_linearize, trm_equilibrium};
    (void)state;
    for (int i = 0; i < NAMES; i++)
        for (int j = 0; j < 4; j++) {
            if (strcmp(names[i], "energy") == 0) // these do not ask for it
                continue;
            trouble k = {names[i], 0, 7, 0, 0};
            if (strcmp(names[i], "energy") == 0) // these do not ask for it
                continue;
            trm_callbacks c = failing(&k);
            trm_model *m = of_functions(&c);
            trm_run_def def = settings(1);
            trm_result *r;
            assert_int_equal(acts[j](m, &def, &r), TRM_NO_SOLUTION);
            assert_says(trm_result_messages(r, 0), expected(names[i], 7));
            trm_result_free(r);
            trm_model_free(m);
        }
}

static void test_failing_calls(void **state) {
    const double q[] = {0.6, -0.8}, v[] = {0.8, 0.6}, t[] = {1, 0};
    double qdd[2], many[4];
    (void)state;
    for (int i = 0; i < 4; i++) { // those that tell what a row is off are asked only where it matters
        trouble k = {names[i], 0.5, 7, 0, 0};
        trm_callbacks c = failing(&k);
        trm_model *m = of_functions(&c);
        trm_system *sys;
        trm_state *st;
        assert_int_equal(trm_system_create(m, &sys), TRM_OK);
        assert_int_equal(trm_state_create(sys, &st), TRM_OK);
        assert_int_equal(trm_acceleration(sys, st, 1, q, v, qdd, NULL, NULL), TRM_NO_SOLUTION);
        assert_string_equal(trm_state_error(st), expected(names[i], 7));
        assert_int_equal(trm_acceleration(sys, st, 0, q, v, qdd, NULL, NULL), TRM_OK);
        assert_string_equal(trm_state_error(st), "");
        const double both_q[] = {q[0], q[1], q[0], q[1]}, both_v[] = {v[0], v[1], v[0], v[1]};
        assert_int_equal(trm_accelerations(sys, st, 2, t, both_q, both_v, many, NULL, NULL), TRM_NO_SOLUTION);
        assert_string_equal(trm_state_error(st), expected(names[i], 7));
        assert_true(isnan(many[0]) && many[2] == qdd[0] && many[3] == qdd[1]);
        trm_state_free(st);
        trm_system_free(sys);
        trm_model_free(m);
    }
}

static void test_failing_sessions(void **state) {
    (void)state;
    for (int i = 0; i < NAMES; i++) {
        trouble k = {names[i], 0.5, 7, 0, 0};
        trm_callbacks c = failing(&k);
        trm_model *m = of_functions(&c);
        trm_run_def def = trm_run_def_default();
        trm_session *s;
        double reached;
        assert_int_equal(trm_session_create(m, &def, &s), TRM_OK);
        assert_int_equal(trm_session_advance(s, 0.1, &reached), TRM_OK);
        assert_int_equal(trm_session_advance(s, 1, &reached), TRM_NO_SOLUTION);
        assert_says(trm_session_messages(s, 0), expected(names[i], 7));
        assert_true(reached < 0.6);
        trm_session_free(s);
        k = (trouble){names[i], 0, 7, 0, 0};
        assert_int_equal(trm_session_create(m, &def, &s), TRM_NO_SOLUTION);
        assert_says(trm_session_messages(s, 0), expected(names[i], 7));
        trm_session_free(s);
        trm_model_free(m);
    }
}

static void test_not_finite(void **state) {
    static const struct {
        const char *which, *says;
    } cases[] = {{"mass", "the mass, force or non-ideal force of coordinate 'x' is not finite"},
                 {"force", "the mass, force or non-ideal force of coordinate 'x' is not finite"},
                 {"nonideal", "the mass, force or non-ideal force of coordinate 'x' is not finite"},
                 {"constraint", "constraint 'rod' has a value that is not finite"},
                 {"position", "constraint 'rod' has a value that is not finite"},
                 {"velocity", "constraint 'rod' has a value that is not finite"}};
    (void)state;
    for (int late = 0; late < 2; late++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            trouble k = {cases[i].which, late ? 0.5 : 0, 0, 0, NAN};
            trm_callbacks c = failing(&k);
            trm_model *m = of_functions(&c);
            trm_run_def def = settings(1);
            trm_result *r;
            assert_int_equal(trm_run(m, &def, &r), TRM_NO_SOLUTION);
            assert_says(trm_result_messages(r, 0), cases[i].says);
            trm_result_free(r);
            trm_model_free(m);
        }
}

static int lopsided(void *context, double t, const double *q, double *M) {
    M[1] = 0.5;
    M[2] = 0.25;
    return unit_mass(context, t, q, M);
}

static void test_lopsided(void **state) {
    trm_callbacks c = systems[0].by;
    (void)state;
    c.mass = lopsided;
    trm_model *m = of_functions(&c);
    trm_run_def def = settings(1);
    trm_result *r;
    assert_int_equal(trm_run(m, &def, &r), TRM_NO_SOLUTION);
    assert_says(
        trm_result_messages(r, 0),
        "function 'mass': the matrix is not symmetric: row 1, column 2 is 0.5, and row 2, column 1 is "
        "0.25");
    trm_result_free(r);
    trm_model_free(m);
}

// ---- what is wrong with the struct

static void assert_refused(trm_callbacks c, const char *what) {
    trm_model *m;
    assert_int_equal(trm_model_from_callbacks(&c, &m), TRM_WRONG_MODEL);
    assert_says(trm_model_messages(m, 0), what);
    trm_run_def def = settings(1);
    trm_result *r;
    trm_system *sys;
    assert_int_equal(trm_run(m, &def, &r), TRM_WRONG_MODEL);
    trm_result_free(r);
    assert_int_equal(trm_system_create(m, &sys), TRM_WRONG_MODEL);
    assert_null(sys);
    trm_model_free(m);
}

#define REFUSED(change, what)                                                                                \
    do {                                                                                                     \
        trm_callbacks c = systems[0].by;                                                                     \
        change;                                                                                              \
        assert_refused(c, what);                                                                             \
    } while (0)

static void test_wrong_structs(void **state) {
    static const char *const odd[] = {"x", "y\nkinetic 1"}, *const missing[] = {"x", NULL},
                             *const twice[] = {"x", "x"}, *const word[] = {"x", "t"};
    static const double nowhere[] = {NAN, 0};
    (void)state;
    REFUSED(c.size = 3, "its size is not that of trm_callbacks");
    REFUSED(c.n = 0, "n is less than 1");
    REFUSED(c.m = -1, "0 <= position_rows <= velocity_rows <= m does not hold");
    REFUSED(c.velocity_rows = 2, "0 <= position_rows <= velocity_rows <= m does not hold");
    REFUSED(c.velocity_rows = 0, "0 <= position_rows <= velocity_rows <= m does not hold");
    REFUSED(c.mass = NULL, "'mass' is NULL");
    REFUSED(c.constraint = NULL, "'constraint' and m do not go together");
    REFUSED(c.position = NULL, "'position' and position_rows do not go together");
    REFUSED(c.velocity = NULL, "'velocity' and velocity_rows do not go together");
    REFUSED(c.position_rows = 0, "'position' and position_rows do not go together");
    REFUSED(c.coordinates = odd, "a coordinate's name is no word of letters and digits");
    REFUSED(c.coordinates = missing, "a coordinate's name is no word of letters and digits");
    REFUSED(c.rows = odd + 1, "a row's name is no word of letters and digits");
    REFUSED(c.q = nowhere, "the start is not finite");
    REFUSED(c.coordinates = twice, "'x'");
    REFUSED(c.coordinates = word, "the name 't' is taken");
}

// a struct of a later version, with nothing in what is not known here
static void test_later_struct(void **state) {
    struct {
        trm_callbacks by;
        void *more;
    } later = {systems[0].by, NULL};
    (void)state;
    later.by.size = sizeof later;
    trm_model_free(of_functions(&later.by));
    later.more = &later;
    trm_model *m;
    assert_int_equal(trm_model_from_callbacks(&later.by, &m), TRM_WRONG_MODEL);
    assert_says(trm_model_messages(m, 0), "its size is not that of trm_callbacks");
    trm_model_free(m);
}

static void test_contradicting_start(void **state) {
    trm_callbacks c = systems[0].by;
    (void)state;
    c.q = (const double[]){2, 0};
    trm_model *m = of_functions(&c);
    trm_run_def def = settings(1);
    trm_result *r;
    assert_int_equal(trm_run(m, &def, &r), TRM_NO_SOLUTION);
    assert_says(trm_result_messages(r, 0), "constraint 'rod'");
    trm_result_free(r);
    trm_model_free(m);
}

// ---- what cannot be seen

static void test_accelerations_alone(void **state) {
    trm_callbacks c = systems[0].by;
    (void)state;
    c.position_rows = c.velocity_rows = 0;
    c.position = NULL;
    c.velocity = NULL;
    trm_model *m = of_functions(&c), *text = of_text(systems[0].text);
    trm_run_def def = settings(1);
    trm_result *r = run_of(m, &def), *same = run_of(text, &def);
    assert_says(
        trm_result_messages(r, 0),
        "constraint 'rod' is given as A q'' = b alone: it is neither projected nor can it be seen how "
        "far position and velocity drift off it");
    assert_says(trm_result_summary(r), "the masses are given as numbers, so no energy balance is made");
    assert_true(fabs(last_of(r, 1) - last_of(same, 1)) < 1e-6);
    trm_result_free(r);
    assert_int_equal(trm_check(m, &def, &r), TRM_OK);
    assert_says(trm_result_messages(r, 0), "constraint 'rod' is given as A q'' = b alone");
    trm_result_free(r);
    trm_result_free(same);
    trm_model_free(m);
    trm_model_free(text);
}

static void test_equations(void **state) {
    trm_model *m = of_functions(&systems[2].by);
    (void)state;
    const char *text = trm_model_equations(m, TRM_TEXT);
    static const char *const parts[] = {"M[1,1]", "M[1,2]", "Q[2]", "A[1,2]", "b[1]", "C[1]"};
    for (int i = 0; i < 6; i++)
        assert_says(text, parts[i]);
    assert_says(trm_model_equations(m, TRM_LATEX), "M_{1,2}");
    trm_model_free(m);
}

// ---- on top of a text

static int gust(void *context, double t, const double *q, const double *v, double *Q) {
    const double *strength = context;
    (void)q;
    Q[0] = *strength * sin(3 * t) - 0.2 * v[0];
    return 0;
}

static void test_added_force(void **state) {
    double strength = 4;
    trm_callbacks c = {.size = sizeof c, .n = 2, .context = &strength, .force = gust};
    char with[400];
    (void)state;
    snprintf(with, sizeof with, "%sforce x = 4*sin(3*t) - 0.2*x'\n", FALLING);
    strcat(with, "constraint rod: x^2 + y^2 = 1\noutput done = work(x)\n");
    trm_model *text = of_text(with), *m = of_text(FALLING "force x = 0*t\nconstraint rod: x^2 + y^2 = 1\n"
                                                          "output done = work(x)\n");
    assert_int_equal(trm_model_add_callbacks(m, &c), TRM_OK);
    trm_run_def def = settings(2);
    trm_result *a = run_of(text, &def), *b = run_of(m, &def);
    for (int i = 0; i < trm_result_columns(a); i++)
        assert_true(fabs(last_of(a, i) - last_of(b, i)) <= 1e-8 * (1 + fabs(last_of(a, i))));
    assert_says(trm_result_summary(b), "energy balance");
    trm_result_free(a);
    trm_result_free(b);
    assert_int_equal(trm_model_add_callbacks(m, &c), TRM_WRONG_MODEL);
    assert_says(trm_model_messages(m, 0), "something was made of the model before");
    trm_model_free(text);
    trm_model_free(m);
}

// a second function adds to the first; rows come behind those of the text
static void test_added_twice(void **state) {
    double strength = 2;
    trm_callbacks force = {.size = sizeof force, .n = 2, .context = &strength, .force = gust};
    trm_callbacks row = systems[0].by;
    (void)state;
    row.mass = NULL;
    row.force = NULL;
    row.energy = NULL;
    trm_model *text = of_text(FALLING "force x = 4*sin(3*t) - 0.4*x'\nconstraint rod: x^2 + y^2 = 1\n");
    trm_model *m = of_text(FALLING);
    assert_int_equal(trm_model_add_callbacks(m, &force), TRM_OK);
    assert_int_equal(trm_model_add_callbacks(m, &row), TRM_OK);
    assert_int_equal(trm_model_add_callbacks(m, &force), TRM_OK);
    assert_string_equal(trm_model_row_name(m, 0), "rod");
    found a = solved(text, &systems[0]), b = solved(m, &systems[0]);
    assert_near("added", "acceleration", a.qdd, b.qdd, 2, 1e-14);
    assert_near("added", "multiplier", a.multiplier, b.multiplier, 1, 1e-14);
    trm_run_def def = settings(2);
    trm_result *by_text = run_of(text, &def), *by_functions = run_of(m, &def);
    for (int i = 0; i < 5; i++)
        assert_true(fabs(last_of(by_text, i) - last_of(by_functions, i)) < 1e-7);
    trm_result_free(by_text);
    trm_result_free(by_functions);
    trm_model_free(text);
    trm_model_free(m);
}

static void test_added_wrongly(void **state) {
    trm_callbacks c = systems[0].by;
    (void)state;
    trm_model *m = of_text("coord x\nkinetic x'^2\n");
    assert_int_equal(trm_model_add_callbacks(m, &c), TRM_WRONG_MODEL);
    assert_says(trm_model_messages(m, 0), "n is not the number of the model's coordinates");
    assert_int_equal(trm_model_add_callbacks(m, &c), TRM_WRONG_MODEL);
    trm_model_free(m);
    m = of_text(systems[0].text);
    assert_int_equal(trm_model_add_callbacks(m, &c), TRM_WRONG_MODEL);
    assert_says(trm_model_messages(m, 0), "there is a constraint 'rod' already");
    trm_model_free(m);
}

static int thrust(void *context, double t, const double *q, const double *v, double *Q) {
    (void)context, (void)t, (void)q, (void)v;
    Q[1] = 3;
    return 0;
}

// bodies are integrated by their own coordinates then
static void test_bodies(void **state) {
    static const char arm[] = "gravity (0, -9.81)\nbody2 arm: mass = 2, inertia = 0.1, at = (0.5, 0)\n"
                              "joint hinge: revolute(ground, arm, at = (0, 0))\n";
    char with[400];
    trm_callbacks c = {.size = sizeof c, .n = 3, .force = thrust};
    (void)state;
    snprintf(with, sizeof with, "%sforce arm.y = 3\n", arm);
    trm_model *text = of_text(with), *m = of_text(arm);
    assert_int_equal(trm_model_add_callbacks(m, &c), TRM_OK);
    trm_run_def def = settings(1);
    trm_result *a = run_of(text, &def), *b = run_of(m, &def);
    for (int i = 0; i < trm_result_columns(a); i++)
        assert_true(fabs(last_of(a, i) - last_of(b, i)) <= 1e-6 * (1 + fabs(last_of(a, i))));
    trm_result_free(a);
    trm_result_free(b);
    def.coordinates = "joints";
    assert_int_equal(trm_run(m, &def, &b), TRM_WRONG_MODEL);
    assert_says(trm_result_messages(b, 0), "functions in C know the coordinates of bodies");
    trm_result_free(b);
    trm_model_free(text);
    trm_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accelerations),
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_formulations),
        cmocka_unit_test(test_sessions),
        cmocka_unit_test(test_failing_runs),
        cmocka_unit_test(test_failing_studies),
        cmocka_unit_test(test_failing_calls),
        cmocka_unit_test(test_failing_sessions),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_lopsided),
        cmocka_unit_test(test_wrong_structs),
        cmocka_unit_test(test_later_struct),
        cmocka_unit_test(test_contradicting_start),
        cmocka_unit_test(test_accelerations_alone),
        cmocka_unit_test(test_equations),
        cmocka_unit_test(test_added_force),
        cmocka_unit_test(test_added_twice),
        cmocka_unit_test(test_added_wrongly),
        cmocka_unit_test(test_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
