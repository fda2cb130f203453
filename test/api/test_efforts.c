/* Forces that are built on energies and on reactions, against what they are by hand: one state, and several
 * at a time. */
#include <trammel/trammel.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MANY = 19, MOST = 2 }; // more than two blocks of lanes

typedef struct {
    const char *text;
    int n;
    // of a state: q'', and the reaction on each coordinate
    void (*known)(const double *q, const double *v, double *qdd, double *reaction);
} problem;

// m = 2, l = 0.7, g = 9
static void swing(const double *q, const double *v, double *qdd, double *reaction) {
    double J = 2 * 0.7 * 0.7, V = -2 * 9 * 0.7 * cos(q[0]), E = J * v[0] * v[0] / 2 + V;
    qdd[0] = (-2 * 9 * 0.7 * sin(q[0]) - 0.3 * (E - 5) * v[0] + 0.1 * (E - 2 * V)) / J;
    reaction[0] = 0;
}

/* On a floor: the ideal reaction is that with the force that is built on the energy, and without the one that
 * is built on it; the latter is no constraint force. */
static void floor_known(const double *q, const double *v, double *qdd, double *reaction) {
    double E = 2 * (v[0] * v[0] + v[1] * v[1]) / 2 + 2 * 9 * q[1];
    reaction[0] = 0;
    reaction[1] = 2 * 9 + 0.3 * E;
    qdd[0] = -0.3 * reaction[1] / 2;
    qdd[1] = 0;
}

static void floor_nonideal(const double *q, const double *v, double *qdd, double *reaction) {
    floor_known(q, v, qdd, reaction);
    reaction[0] = -0.3 * reaction[1];
}

#define ON_FLOOR                                                                                             \
    "param k = 0.3\ncoord x, y\nkinetic x'^2 + y'^2\npotential 18*y\nconstraint floor: y = 0\n"              \
    "force y = -k*energy\n"

static const problem problems[] = {
    {"coord phi\nkinetic 2*0.7^2*phi'^2/2\npotential -2*9*0.7*cos(phi)\n"
     "force phi = -0.3*(energy - 5)*phi'\nforce phi = 0.1*(kinetic - potential)\n",
     1, swing},
    {ON_FLOOR "force x = -k*reaction(y)\n", 2, floor_known},
    {"let N = multiplier(floor)\n" ON_FLOOR "force x = -k*N\n", 2, floor_known},
    {"coord x, y\nforce x = -0.3*reaction(y, floor)\nconstraint floor: y = 0\nkinetic x'^2 + y'^2\n" // in any
                                                                                                     // order
     "potential 18*y\nforce y = -0.3*jacobi\n",
     2, floor_known},
    {ON_FLOOR "nonideal x = -k*reaction(y)\n", 2, floor_nonideal},
};

static double some(int i) { // from -1 to 1
    return sin(12.9898 * i + 1);
}

static void near_to(const double *a, const double *b, int count) {
    for (int i = 0; i < count; i++)
        assert_true(fabs(a[i] - b[i]) <= 1e-12 * (10 + fabs(b[i])));
}

static void known_at(const problem *p) {
    double t[MANY] = {0}, q[MANY * MOST], v[MANY * MOST], qdd[MANY * MOST], reaction[MANY * MOST],
           multiplier[MANY];
    trm_model *model;
    trm_system *sys;
    trm_state *st;
    trm_model_read_text("test", p->text, NULL, 0, &model);
    assert_string_equal(trm_model_messages(model, 0), "");
    assert_int_equal(trm_system_create(model, &sys), TRM_OK);
    assert_int_equal(trm_state_create(sys, &st), TRM_OK);
    for (int i = 0; i < MANY * p->n; i++) {
        q[i] = i % MOST ? 0 : some(i); // y = 0
        v[i] = i % MOST ? 0 : 3 * some(i + 1000);
    }
    assert_int_equal(trm_accelerations(sys, st, MANY, t, q, v, qdd, reaction, multiplier), TRM_OK);
    for (int i = 0; i < MANY; i++) {
        double expected[MOST], force[MOST], one[MOST], one_force[MOST], one_multiplier[1];
        const double *at = q + (size_t)i * (size_t)p->n, *rate = v + (size_t)i * (size_t)p->n;
        p->known(at, rate, expected, force);
        near_to(qdd + (size_t)i * (size_t)p->n, expected, p->n);
        near_to(reaction + (size_t)i * (size_t)p->n, force, p->n);
        assert_int_equal(trm_acceleration(sys, st, 0, at, rate, one, one_force, one_multiplier), TRM_OK);
        near_to(one, expected, p->n);
        near_to(one_force, force, p->n);
    }
    trm_state_free(st);
    trm_system_free(sys);
    trm_model_free(model);
}

static void test_known(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        known_at(&problems[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
