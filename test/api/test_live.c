/* Hands on: a motion that goes on while a point of its picture is held or led. */
#include "api/live.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const double NO_OFFSET[3];

static trm_model *read_model(const char *path) {
    trm_model *m = NULL;
    assert_int_equal(trm_model_read(path, NULL, 0, &m), TRM_OK);
    return m;
}

static live *begin(trm_model *m, const live_state *from) {
    trm_run_def def = trm_run_def_default();
    live *l = NULL;
    def.tolerance = "1e-9";
    if (live_create(m, &def, from, &l) != TRM_OK)
        fail_msg("%s", live_messages(l));
    return l;
}

static double distance(const double *a, const double *b) {
    return hypot(a[0] - b[0], a[1] - b[1]);
}

// ---- nobody pulls

static void alone_it_moves_as_a_run(void **state) {
    static const char *const models[] = {
        "models/classics/double-pendulum.tram", "models/classics/appell-hamel.tram",
        "models/mechanisms/stick-slip.tram", "models/mechanisms/four-bar-3d.tram"};
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        trm_model *m = read_model(models[k]), *same = read_model(models[k]);
        live *l = begin(m, NULL);
        trm_session *s;
        trm_run_def def = trm_run_def_default();
        def.tolerance = "1e-9";
        assert_int_equal(trm_session_create(same, &def, &s), TRM_OK);
        for (int i = 1; i <= 30; i++)
            assert_int_equal(live_advance(l, i / 60.0), TRM_OK);
        assert_int_equal(trm_session_advance(s, 0.5, NULL), TRM_OK);
        for (int i = 0; i < trm_model_coordinates(m); i++)
            assert_float_equal(live_q(l)[i], trm_session_values(s)[1 + i], 1e-6);
        assert_true(live_numbers(l)[LIVE_RESIDUAL] < 1);
        trm_session_free(s);
        live_free(l);
        trm_model_free(m);
        trm_model_free(same);
    }
    (void)state;
}

// ---- held

static void a_spring_pulls_and_lets_go(void **state) {
    trm_model *m = read_model("models/classics/double-pendulum.tram");
    live *l = begin(m, NULL);
    const double *now = live_numbers(l), target[3] = {1, 0.5};
    double force[2];
    assert_true(live_hold(l, LIVE_DRAW, 1, 1, NO_OFFSET, 0.3));
    assert_float_equal(now[LIVE_POINT], 2, 1e-12); // the end of the second rod
    live_aim(l, target);
    for (int i = 1; i <= 240; i++)
        assert_int_equal(live_advance(l, i / 60.0), TRM_OK);
    assert_true(distance(now + LIVE_POINT, target) < 0.1);
    memcpy(force, now + LIVE_FORCE, sizeof force);
    assert_true(force[1] > 9); // it bears what hangs there
    assert_true(now[LIVE_RESIDUAL] < 1);
    live_let_go(l);
    assert_int_equal(live_advance(l, 4.1), TRM_OK);
    double energy = now[LIVE_ENERGY];
    for (int i = 1; i <= 60; i++)
        assert_int_equal(live_advance(l, 4.1 + i / 60.0), TRM_OK);
    assert_float_equal(now[LIVE_ENERGY], energy, 1e-6);
    assert_true(now[LIVE_RESIDUAL] < 1);
    assert_float_equal(now[LIVE_FORCE], 0, 0);
    live_free(l);
    trm_model_free(m);
    (void)state;
}

/* The force at a point of a body that turns has the work of its way: what the spring puts in, without its
 * damper's. A pendulum is turned by 90 degrees at its end, slowly, and hangs there by the spring. */
static void a_body_is_turned_by_a_pull_beside_its_centre(void **state) {
    trm_model *m = NULL;
    const char *text = "body2 b: mass = 1, inertia = 1, at = (1, 0), angle = 0\n"
                       "joint a: revolute(ground, b, at = (0, 0))\n"
                       "draw box b (0.2, 0.2)\n"
                       "simulate until 10\n";
    assert_int_equal(trm_model_read_text("b.tram", text, NULL, 0, &m), TRM_OK);
    live *l = begin(m, NULL);
    const double *now = live_numbers(l), offset[3] = {0.5}, target[3] = {0, 1.5};
    assert_true(live_hold(l, LIVE_DRAW_OFFSET, 0, 0, offset, 0.3));
    assert_float_equal(now[LIVE_POINT], 1.5, 1e-12);
    live_aim(l, target);
    for (int i = 1; i <= 600; i++)
        assert_int_equal(live_advance(l, i / 60.0), TRM_OK);
    assert_float_equal(now[LIVE_POINT], 0, 1e-3);
    assert_float_equal(now[LIVE_POINT + 1], 1.5, 1e-3);
    live_free(l);
    trm_model_free(m);
    (void)state;
}

// ---- led

static void what_is_led_keeps_the_constraints(void **state) {
    trm_model *m = read_model("models/mechanisms/linkage.tram");
    live *l = begin(m, NULL);
    const double *now = live_numbers(l);
    int led = 0;
    for (int i = 0; i < 4; i++) {
        if (!live_hold(l, LIVE_BODY, i, 0, NO_OFFSET, 1))
            continue;
        double start[3], target[3];
        memcpy(start, now + LIVE_POINT, sizeof start);
        memcpy(target, start, sizeof target);
        target[0] += 0.02;
        target[2] += 0.01;
        assert_int_equal(live_lead(l, target), TRM_OK);
        assert_true(distance(now + LIVE_POINT, target) <= distance(start, target));
        led += distance(now + LIVE_POINT, start) > 1e-3;
        assert_float_equal(now[LIVE_TIME], 0, 0);
        assert_true(now[LIVE_RESIDUAL] < 1);
    }
    assert_true(led > 0);
    assert_int_equal(live_advance(l, 0.1), TRM_OK);
    live_free(l);
    trm_model_free(m);
    (void)state;
}

static void what_is_driven_is_not_held(void **state) {
    trm_model *m = NULL;
    const char *text = "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: x = sin(t)\nconstraint b: y = x\n"
                       "draw circle (x, y) 0.3\ndraw circle (1, 1) 0.3\nsimulate until 1\n";
    assert_int_equal(trm_model_read_text("d.tram", text, NULL, 0, &m), TRM_OK);
    live *l = begin(m, NULL);
    for (int i = -1; i < 3; i++)
        assert_false(live_hold(l, LIVE_DRAW_OFFSET, i, 0, NO_OFFSET, 1));
    assert_int_equal(live_advance(l, 0.5), TRM_OK);
    assert_float_equal(live_q(l)[0], sin(0.5), 1e-8);
    live_free(l);
    trm_model_free(m);
    (void)state;
}

// ---- going on, and ends

static void it_goes_on_where_another_one_was(void **state) {
    trm_model *m = read_model("models/classics/pendulum.tram"),
              *other = read_model("models/classics/pendulum.tram");
    live *l = begin(m, NULL);
    assert_int_equal(live_advance(l, 0.7), TRM_OK);
    live_state there = {live_numbers(l)[LIVE_TIME], live_q(l), live_v(l)};
    live *next = begin(other, &there);
    assert_float_equal(live_numbers(next)[LIVE_TIME], 0.7, 0);
    for (int i = 0; i < trm_model_coordinates(m); i++)
        assert_float_equal(live_q(next)[i], live_q(l)[i], 1e-9);
    assert_int_equal(live_advance(l, 1), TRM_OK);
    assert_int_equal(live_advance(next, 1), TRM_OK);
    for (int i = 0; i < trm_model_coordinates(m); i++)
        assert_float_equal(live_q(next)[i], live_q(l)[i], 1e-6);
    live_free(next);
    live_free(l);
    trm_model_free(m);
    trm_model_free(other);
    (void)state;
}

static void a_stop_ends_it(void **state) {
    trm_model *m = NULL;
    trm_run_def def = trm_run_def_default();
    live *l = NULL;
    assert_int_equal(
        trm_model_read_text("s.tram",
                            "coord x\nkinetic x'^2/2\ninitial x' = 1\nsimulate until 9\nstop when x > 0.5\n",
                            NULL, 0, &m),
        TRM_OK);
    l = begin(m, NULL);
    assert_int_equal(live_advance(l, 0.25), TRM_OK);
    assert_int_equal(live_advance(l, 1), TRM_EXPECTATION_FAILED);
    assert_float_equal(live_numbers(l)[LIVE_TIME], 0.5, 1e-9);
    live_free(l);
    trm_model_free(m);
    assert_int_equal(
        trm_model_read_text("w.tram", "coord x\nkinetic x'^2/2\nconstraint a: x = 1\nconstraint b: x = 2\n",
                            NULL, 0, &m),
        TRM_OK);
    assert_int_equal(live_create(m, &def, NULL, &l), TRM_NO_SOLUTION);
    assert_non_null(strstr(live_messages(l), "constraint"));
    live_free(l);
    trm_model_free(m);
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone_it_moves_as_a_run),
        cmocka_unit_test(a_spring_pulls_and_lets_go),
        cmocka_unit_test(a_body_is_turned_by_a_pull_beside_its_centre),
        cmocka_unit_test(what_is_led_keeps_the_constraints),
        cmocka_unit_test(what_is_driven_is_not_held),
        cmocka_unit_test(it_goes_on_where_another_one_was),
        cmocka_unit_test(a_stop_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
