/* Numbers at a state: the assembled start, matrices, energies, residuals, outputs; against closed forms,
 * against each other, and against what a run samples there. */
#include <trammel/trammel.h>

#include "system/rates.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
    trm_model *model;
    trm_system *system;
    trm_state *state;
    int n, m;
    double *q, *v, *qdd, *reaction;
} subject;

static double *numbers(int count) {
    double *made = calloc((size_t)count + 1, sizeof *made);
    assert_non_null(made);
    return made;
}

// at the assembled start, with the acceleration there
static subject begin(trm_model *m) {
    subject s = {.model = m};
    trm_result *r = NULL;
    int bodies = trm_model_coordinates(m);
    double *q = numbers(bodies), *v = numbers(bodies);
    assert_int_equal(trm_assemble(m, NULL, q, v, &r), TRM_OK);
    trm_result_free(r);
    assert_int_equal(trm_system_create(m, &s.system), TRM_OK);
    assert_int_equal(trm_state_create(s.system, &s.state), TRM_OK);
    s.n = trm_system_coordinates(s.system);
    s.m = trm_system_rows(s.system);
    s.q = numbers(s.n);
    s.v = numbers(s.n);
    s.qdd = numbers(s.n);
    s.reaction = numbers(s.n);
    trm_system_from_bodies(s.system, q, v, s.q, s.v);
    assert_int_equal(trm_acceleration(s.system, s.state, 0, s.q, s.v, s.qdd, s.reaction, NULL), TRM_OK);
    free(q);
    free(v);
    return s;
}

static subject begin_text(const char *given) {
    trm_model *m = NULL;
    assert_int_equal(trm_model_read_text("a.tram", given, NULL, 0, &m), TRM_OK);
    return begin(m);
}

static subject begin_file(const char *path) {
    trm_model *m = NULL;
    if (trm_model_read(path, NULL, 0, &m) != TRM_OK)
        fail_msg("%s", trm_model_messages(m, 0));
    return begin(m);
}

static void end(subject *s) {
    free(s->q);
    free(s->v);
    free(s->qdd);
    free(s->reaction);
    trm_state_free(s->state);
    trm_system_free(s->system);
    trm_model_free(s->model);
}

static double *matrix(const subject *s, trm_matrix which) {
    int rows, columns;
    trm_system_matrix_size(s->system, which, &rows, &columns, NULL);
    double *out = numbers(rows * columns);
    assert_int_equal(trm_state_matrix(s->system, s->state, which, out), TRM_OK);
    return out;
}

static void near(double a, double b, double scale) {
    if (!(fabs(a - b) <= 1e-10 * (1 + scale)))
        fail_msg("%.17g is not %.17g", a, b);
}

static double largest(const double *x, int count) {
    double found = 0;
    for (int i = 0; i < count; i++)
        found = fmax(found, fabs(x[i]));
    return found;
}

// out (rows x columns) = X (rows x k) Y (k x columns)
static double *product(const double *X, const double *Y, int rows, int k, int columns) {
    double *out = numbers(rows * columns);
    for (int i = 0; i < rows; i++)
        for (int l = 0; l < k; l++)
            for (int j = 0; j < columns; j++)
                out[i * columns + j] += X[i * k + l] * Y[l * columns + j];
    return out;
}

static void same(const double *a, const double *b, int count) {
    double scale = fmax(largest(a, count), largest(b, count));
    for (int i = 0; i < count; i++)
        near(a[i], b[i], scale);
}

// ---- closed forms

static void pendulum(void **state) {
    subject s = begin_text(
        "param m = 3, L = 2, g = 10\ncoord x, y\ninitial x = 1.2, y ~ -1.5, x' = 0.8\n"
        "kinetic m/2*(x'^2 + y'^2)\npotential m*g*y\nconstraint rod: x^2 + y^2 = L^2\n"
        "output height = y + L\noutput pull = norm((reaction(x), reaction(y)))\nsimulate until 1\n");
    near(s.q[0], 1.2, 1); // typed exactly
    near(s.q[1], -1.6, 1);
    near(s.v[1], 0.6, 1);
    double *M = matrix(&s, TRM_M), *Q = matrix(&s, TRM_Q), *A = matrix(&s, TRM_A), *b = matrix(&s, TRM_B);
    double *C = matrix(&s, TRM_C), T, V, h, off, rate, outputs[2];
    same(M, (double[]){3, 0, 0, 3}, 4);
    same(Q, (double[]){0, -30}, 2);
    same(C, (double[]){0, 0}, 2);
    near(A[1] / A[0], -1.6 / 1.2, 1);
    near(b[0] / A[0], -1 / 1.2, 1); // x x'' + y y'' = -v^2
    assert_int_equal(trm_state_energies(s.system, s.state, &T, &V, &h), TRM_OK);
    near(T, 1.5, 1);
    near(V, -48, 48);
    near(h, -46.5, 48);
    assert_int_equal(trm_state_residuals(s.system, s.state, &off, &rate), TRM_OK);
    near(off, 0, 1);
    near(rate, 0, 1);
    assert_int_equal(trm_system_outputs(s.system), 2);
    assert_string_equal(trm_system_output_name(s.system, 0), "height");
    assert_string_equal(trm_system_output_name(s.system, 1), "pull");
    assert_string_equal(trm_system_output_name(s.system, 2), "");
    assert_int_equal(trm_state_outputs(s.system, s.state, outputs), TRM_OK);
    near(outputs[0], 0.4, 1);
    near(outputs[1], 3 * (0.5 + 10 * 0.8), 30); // m (v^2/L + g cos)
    double *all[] = {M, Q, A, b, C};
    for (int i = 0; i < 5; i++)
        free(all[i]);
    end(&s);
}

static void off_by(void **state) {
    subject s = begin_text("coord x, y\ninitial x = 1\nkinetic x'^2 + y'^2\nconstraint c: x^2 + y^2 = 1\n"
                           "constraint rolling: x' - 2*y' = 0\nsimulate until 1\n");
    double q[] = {2, 1}, v[] = {3, 1}, off[2], rate[2];
    assert_int_equal(trm_acceleration(s.system, s.state, 0, q, v, NULL, NULL, NULL), TRM_OK);
    assert_int_equal(trm_state_residuals(s.system, s.state, off, NULL), TRM_OK);
    assert_int_equal(trm_state_residuals(s.system, s.state, NULL, rate), TRM_OK);
    same(off, (double[]){4, 1}, 2);
    same(rate, (double[]){14, 0}, 2);
    end(&s);
}

// ---- laws

static void equations_of_motion(const subject *s) {
    double *M = matrix(s, TRM_M), *Q = matrix(s, TRM_Q), *A = matrix(s, TRM_A), *b = matrix(s, TRM_B);
    double *Mqdd = product(M, s->qdd, s->n, s->n, 1), *Aqdd = product(A, s->qdd, s->m, s->n, 1);
    for (int i = 0; i < s->n; i++)
        Mqdd[i] -= s->reaction[i];
    same(Mqdd, Q, s->n);
    same(Aqdd, b, s->m);
    double *all[] = {M, Q, A, b, Mqdd, Aqdd};
    for (int i = 0; i < 6; i++)
        free(all[i]);
}

// in another order of numbers, all else being 0
static void entries_are_the_matrix(const subject *s, trm_matrix which) {
    int rows, columns, count;
    trm_system_matrix_size(s->system, which, &rows, &columns, &count);
    double *full = matrix(s, which), *values = numbers(count), *again = numbers(rows * columns);
    int *row = calloc((size_t)count + 1, sizeof *row), *column = calloc((size_t)count + 1, sizeof *column);
    trm_system_matrix_pattern(s->system, which, row, column);
    assert_int_equal(trm_state_entries(s->system, s->state, which, values), TRM_OK);
    for (int i = 0; i < count; i++) {
        assert_true(row[i] >= 0 && row[i] < rows && column[i] >= 0 && column[i] < columns);
        assert_true(again[row[i] * columns + column[i]] == 0); // each once
        again[row[i] * columns + column[i]] = values[i];
    }
    for (int i = 0; i < rows * columns; i++)
        assert_true(full[i] == again[i]);
    free(full);
    free(values);
    free(again);
    free(row);
    free(column);
}

// what the first sample of a run says of the start
static void as_a_run_samples(subject *s) {
    int count = trm_system_outputs(s->system);
    double *outputs = numbers(count);
    trm_run_def def = trm_run_def_default();
    trm_result *r = NULL;
    def.until = "1e-3";
    def.keep = TRM_KEEP_COLUMNS;
    trm_status status = trm_run(s->model, &def, &r);
    assert_true(status == TRM_OK || status == TRM_EXPECTATION_FAILED);
    assert_int_equal(trm_state_outputs(s->system, s->state, outputs), TRM_OK);
    for (int i = 0; i < count; i++) {
        int at = trm_result_column_named(r, trm_system_output_name(s->system, i));
        near(outputs[i], trm_result_column(r, at)[0], fabs(outputs[i]) + 1);
    }
    trm_result_free(r);
    free(outputs);
}

static void laws(void **state) {
    static const char *const models[] = {
        "models/papers/000-euler.tram",         "models/papers/000-groove.tram",
        "models/papers/000-nonideal-ring.tram", "models/papers/000-rolling-disk.tram",
        "models/papers/000-suslov.tram",        "models/classics/double-pendulum.tram",
        "models/mechanisms/stick-slip.tram",
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        subject s = begin_file(models[i]);
        equations_of_motion(&s);
        as_a_run_samples(&s);
        for (int k = TRM_M; k <= TRM_S_REACTION; k++) {
            int rows;
            trm_system_matrix_size(s.system, (trm_matrix)k, &rows, NULL, NULL);
            if (rows)
                entries_are_the_matrix(&s, (trm_matrix)k);
        }
        end(&s);
    }
}

static double *transposed(const double *X, int n) {
    double *out = numbers(n * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[j * n + i] = X[i * n + j];
    return out;
}

// G' M_s G = M, A_s G = A, G'S^c = reaction, G'C_s = C, M_s s' = S + S^c, A_s s' = b_s
static void quasi_laws(const subject *s) {
    int n = s->n, m = s->m;
    double *G = matrix(s, TRM_G), *M = matrix(s, TRM_M), *A = matrix(s, TRM_A), *C = matrix(s, TRM_C);
    double *M_s = matrix(s, TRM_M_S), *A_s = matrix(s, TRM_A_S), *b_s = matrix(s, TRM_B_S);
    double *S = matrix(s, TRM_S), *S_c = matrix(s, TRM_S_REACTION), *C_s = matrix(s, TRM_C_S);
    double *turned = transposed(G, n), *half = product(turned, M_s, n, n, n);
    double *again = product(half, G, n, n, n), *rows = product(A_s, G, m, n, n);
    double *force = product(turned, S_c, n, n, 1), *own = product(turned, C_s, n, n, 1);
    double *rate = product(G, s->qdd, n, n, 1);
    same(again, M, n * n);
    same(rows, A, m * n);
    same(force, s->reaction, n);
    same(own, C, n);
    rates_evaluate(s->system, s->state);
    for (int i = 0; i < n; i++) {
        rate[i] += rates_rest(s->system, s->state)[i];
        S[i] += S_c[i];
    }
    double *left = product(M_s, rate, n, n, 1), *asked = product(A_s, rate, m, n, 1);
    same(left, S, n);
    same(asked, b_s, m);
    double *all[] = {G,      M,    A,     C,    M_s,   A_s, b_s,  S,    S_c,  C_s,
                     turned, half, again, rows, force, own, rate, left, asked};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static void quasi_velocities(void **state) {
    static const char *const models[] = {"models/papers/000-euler.tram", "models/papers/000-groove.tram",
                                         "models/papers/000-nonideal-ring.tram",
                                         "models/papers/000-rolling-disk.tram",
                                         "models/papers/000-suslov.tram"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        subject s = begin_file(models[i]);
        quasi_laws(&s);
        end(&s);
    }
    // s = G q' + g with g
    subject s =
        begin_text("coord x, y\nquasi u = 2*x' + y' + 3\nquasi w = y' - 5*x\ninitial x = 1, x' = 1, y' = 2\n"
                   "kinetic x'^2 + y'^2\nconstraint c: x' = y' - 1\nsimulate until 1\n");
    double *g = matrix(&s, TRM_G_OFFSET), *G = matrix(&s, TRM_G);
    same(g, (double[]){3, -5}, 2);
    same(G, (double[]){2, 1, 0, 1}, 4);
    quasi_laws(&s);
    free(g);
    free(G);
    end(&s);
}

// ---- large, and by joints

static void long_chain(void **state) {
    const trm_setting length = {"N", "300"};
    trm_model *m = NULL;
    assert_int_equal(trm_model_read("models/classics/chain.tram", &length, 1, &m), TRM_OK);
    subject s = begin(m);
    int rows, columns, entries;
    trm_system_matrix_size(s.system, TRM_A, &rows, &columns, &entries);
    assert_true(rows == 300 && columns == 600 && entries == 2 + 299 * 4);
    trm_system_matrix_size(s.system, TRM_M, NULL, NULL, &entries);
    assert_int_equal(entries, 600);
    entries_are_the_matrix(&s, TRM_A);
    entries_are_the_matrix(&s, TRM_M);
    equations_of_motion(&s);
    end(&s);
}

// the same system by bodies and by joints: the same energies, and T = v'M v / 2
static void by_joints(void **state) {
    static const char *const texts[] = {"include \"delta.tram\"\ncoordinates bodies\n",
                                        "include \"delta.tram\"\ncoordinates joints\n"};
    double T[2], V[2], h[2];
    for (int i = 0; i < 2; i++) {
        trm_model *m = NULL;
        if (trm_model_read_text("models/mechanisms/a.tram", texts[i], NULL, 0, &m) != TRM_OK)
            fail_msg("%s", trm_model_messages(m, 0));
        subject s = begin(m);
        double *M = matrix(&s, TRM_M), *Mv = product(M, s.v, s.n, s.n, 1), *Tv = product(s.v, Mv, 1, s.n, 1);
        assert_int_equal(trm_state_energies(s.system, s.state, &T[i], &V[i], &h[i]), TRM_OK);
        near(T[i], *Tv / 2, T[i]);
        equations_of_motion(&s);
        assert_true(trm_system_outputs(s.system) > 0);
        as_a_run_samples(&s);
        free(M);
        free(Mv);
        free(Tv);
        end(&s);
    }
    near(T[0], T[1], T[0]);
    near(V[0], V[1], fabs(V[0]));
    near(h[0], h[1], fabs(h[0]));
}

// ---- what cannot be

static void nothing_was_asked(void **state) {
    trm_model *m = NULL;
    trm_system *s = NULL;
    trm_state *st = NULL;
    double x[4], q[] = {1, 0}, v[] = {0, 0}, t = 0;
    assert_int_equal(
        trm_model_read_text("a", "coord x, y\nkinetic x'^2 + y'^2\nconstraint c: x = 1\n", NULL, 0, &m),
        TRM_OK);
    assert_int_equal(trm_system_create(m, &s), TRM_OK);
    assert_int_equal(trm_state_create(s, &st), TRM_OK);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(trm_state_matrix(s, st, TRM_M, x), TRM_NO_SOLUTION);
        assert_string_equal(trm_state_error(st), "no acceleration was asked for before");
        assert_int_equal(trm_state_entries(s, st, TRM_Q, x), TRM_NO_SOLUTION);
        assert_int_equal(trm_state_energies(s, st, x, x, x), TRM_NO_SOLUTION);
        assert_int_equal(trm_state_residuals(s, st, x, x), TRM_NO_SOLUTION);
        assert_int_equal(trm_state_outputs(s, st, x), TRM_NO_SOLUTION);
        assert_int_equal(trm_acceleration(s, st, 0, q, v, NULL, NULL, NULL), TRM_OK);
        assert_int_equal(trm_state_matrix(s, st, TRM_M, x), TRM_OK);
        assert_int_equal(trm_accelerations(s, st, 1, &t, q, v, x, NULL, NULL), TRM_OK); // these leave none
    }
    int rows = 7, columns = 7, entries = 7;
    trm_system_matrix_size(s, TRM_G, &rows, &columns, &entries);
    assert_true(rows == 0 && columns == 0 && entries == 0);
    assert_int_equal(trm_state_matrix(s, st, TRM_G, x), TRM_WRONG_MODEL); // no quasi-velocities
    assert_int_equal(trm_state_matrix(s, st, (trm_matrix)99, x), TRM_WRONG_MODEL);
    assert_int_equal(trm_state_matrix(s, st, (trm_matrix)-1, x), TRM_WRONG_MODEL);
    trm_state_free(st);
    trm_system_free(s);
    trm_model_free(m);
}

// the masses are to be had where they are to blame
static void no_solution(void **state) {
    trm_model *m = NULL;
    trm_system *s = NULL;
    trm_state *st = NULL;
    double q[] = {1, 0}, v[] = {0, 0}, x[4];
    assert_int_equal(trm_model_read_text("a", "coord x, y\nkinetic x'^2/2\nforce y = 3\n", NULL, 0, &m),
                     TRM_OK);
    assert_int_equal(trm_system_create(m, &s), TRM_OK);
    assert_int_equal(trm_state_create(s, &st), TRM_OK);
    assert_int_equal(trm_acceleration(s, st, 0, q, v, NULL, NULL, NULL), TRM_NO_SOLUTION);
    assert_int_equal(trm_state_matrix(s, st, TRM_M, x), TRM_OK);
    same(x, (double[]){1, 0, 0, 0}, 4);
    assert_int_equal(trm_state_matrix(s, st, TRM_Q, x), TRM_OK);
    same(x, (double[]){0, 3}, 2);
    assert_int_equal(trm_state_matrix(s, st, TRM_C, x), TRM_NO_SOLUTION);
    assert_int_equal(trm_state_residuals(s, st, x, x), TRM_NO_SOLUTION);
    assert_int_equal(trm_state_outputs(s, st, x), TRM_NO_SOLUTION);
    assert_non_null(strstr(trm_state_error(st), "not unique"));
    trm_state_free(st);
    trm_system_free(s);
    trm_model_free(m);
}

static void no_start(void **state) {
    trm_model *m = NULL;
    trm_result *r = NULL;
    double q[] = {7}, v[] = {7};
    assert_int_equal(
        trm_model_read_text("a", "coord x\ninitial x = 2\nkinetic x'^2\nconstraint c: x = 1\n", NULL, 0, &m),
        TRM_OK);
    assert_int_equal(trm_assemble(m, NULL, q, v, &r), TRM_NO_SOLUTION);
    assert_true(q[0] == 7 && v[0] == 7 && strlen(trm_result_messages(r, 0)) > 10);
    assert_string_equal(trm_result_summary(r), "");
    assert_string_equal(trm_result_json(r), "");
    trm_result_free(r);
    trm_model_free(m);
}

// ---- whole turns

static const char wheel[] = "param I = 2, k = 3\n"
                            "body B: mass = 1, inertia = (1, 1, I)\n"
                            "joint hinge: revolute(ground, B, at = (0, 0, 0), axis = (0, 0, 1))\n"
                            "torque hinge = -k*angle(hinge)\n"
                            "output turned = angle(hinge)\n"
                            "coordinates bodies\n";

static double acceleration_at(const subject *s, const double *q, const double *v) {
    enum { COUNT = 8 };                                   // as many as go side by side
    double qdd[7], all[3][COUNT * 7], times[COUNT] = {0}; // q'' is half of w' times q turned
    for (int k = 0; k < COUNT; k++) {
        memcpy(all[0] + 7 * k, q, 7 * sizeof *q);
        memcpy(all[1] + 7 * k, v, 7 * sizeof *v);
    }
    assert_int_equal(trm_acceleration(s->system, s->state, 0, q, v, qdd, NULL, NULL), TRM_OK);
    assert_int_equal(trm_accelerations(s->system, s->state, COUNT, times, all[0], all[1], all[2], NULL, NULL),
                     TRM_OK);
    for (int i = 0; i < 7 * COUNT; i++)
        assert_true(fabs(all[2][i] - qdd[i % 7]) < 1e-9);
    return 2 * (qdd[6] * q[3] - qdd[3] * q[6]);
}

static void turns_are_counted_from_where_they_are_kept(void **state) {
    (void)state;
    subject s = begin_text(wheel);
    double q[7] = {0}, v[7] = {0}, outputs[3]; // the angle of the hinge and its rate come with it
    int turned = 0;
    assert_int_equal(s.n, 7);
    assert_int_equal(trm_system_outputs(s.system), 3);
    while (strcmp(trm_system_output_name(s.system, turned), "turned") != 0)
        turned++;
    for (int i = 0; i <= 40; i++) { // by 0.5 up to 20 rad
        double angle = 0.5 * i;
        q[3] = cos(angle / 2);
        q[6] = sin(angle / 2);
        assert_true(fabs(acceleration_at(&s, q, v) + 3 * angle / 2) < 1e-9);
        assert_int_equal(trm_acceleration(s.system, s.state, 0, q, v, NULL, NULL, NULL), TRM_OK);
        assert_int_equal(trm_state_outputs(s.system, s.state, outputs), TRM_OK);
        assert_true(fabs(outputs[turned] - angle) < 1e-9);
        trm_state_keep_turns(s.system, s.state, 0, q);
        assert_int_equal(trm_state_outputs(s.system, s.state, outputs), TRM_NO_SOLUTION);
    }
    end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum),
        cmocka_unit_test(off_by),
        cmocka_unit_test(laws),
        cmocka_unit_test(quasi_velocities),
        cmocka_unit_test(long_chain),
        cmocka_unit_test(by_joints),
        cmocka_unit_test(nothing_was_asked),
        cmocka_unit_test(no_solution),
        cmocka_unit_test(no_start),
        cmocka_unit_test(turns_are_counted_from_where_they_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
