/* Four coordinates whose norm a row holds: which are recognised, however the row is written, and which are
 * not. */
#include "support/build.h"

#include "base/file.h"

#include <glob.h>
#include <math.h>

static const char head[] = "coord a, p0, p1, p2, p3, b\nparam R = 2, z = 0, one = 1\n"
                           "initial a ~ 1, p0 ~ 1, p1 ~ 1, p2 ~ 0.5, p3 ~ 0.2, b ~ 1\n"
                           "kinetic (a'^2 + p0'^2 + p1'^2 + p2'^2 + p3'^2 + b'^2)/2\n";

static built build_rows(const char *rows) {
    char all[2000];
    snprintf(all, sizeof all, "%s%s", head, rows);
    return build(all);
}

static void assert_found(const char *rows, int count) {
    built b = build_rows(rows);
    if (b.mech->quaternions.count != count)
        fail_msg("%d instead of %d: %s", b.mech->quaternions.count, count, rows);
    if (count) {
        assert_int_equal(b.mech->quaternions.at[0].first, 1);
        assert_int_equal(b.mech->quaternions.at[0].row, 0);
    }
    demolish(&b);
}

static void ways_to_write_it(void **state) {
    static const char *const rows[] = {
        "constraint c: p0^2 + p1^2 + p2^2 + p3^2 = 1\n",
        "constraint c: p3*p3 + p1^2 + p0*p0 + p2^2 - 1 = 0\n",
        "constraint c: 1 - p3^2 = p0^2 + p1^2 + p2^2\n",
        "constraint c: 3*R = 3*dot((p0, p1, p2, p3), (p0, p1, p2, p3))\n",
        "constraint c: p0^2/R + p1^2/R + (p2^2 + p3^2)/2 = 1\n",
        "constraint c: p0^2 + p1^2 + p2^2 + one*p3^2 = R\n",
        "constraint c: 0.1*p0^2 + 0.1*p1^2 + p2*0.1*p2 + p3^2*0.1 = 0.1\n",
        "constraint c: norm((p0, p1, p2, p3)) = R\n",
        "constraint c: norm((p3, p2, p1, p0))/3 = sqrt(R)\n",
        "constraint c: (p0^2 + p1^2 + p2^2 + p3^2)^0.5 = 1\n",
        "constraint c: 1/(p0^2 + p1^2 + p2^2 + p3^2) = 1\n",
        "constraint c: exp(p0^2 + p1^2 + p2^2 + p3^2) = R\n",
        "constraint c: (p0 + p1)^2 + (p0 - p1)^2 + 2*(p2 + p3)^2 - 4*p2*p3 = 2\n",
        "for i in 1..1: constraint c[i]: (i + 2)*(p0^2 + p1^2 + p2^2 + p3^2) = i\n",
        "constraint c: p0^2 + p1^2 + p2^2 + p3^2 = 1 + t\n", // its norm is told at every instant
        "constraint c: p0^2 + p1^2 + p2^2 + p3^2 = 1 + sin(t)*R\n",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_found(rows[i], 1);
}

static void near_misses(void **state) {
    static const char *const rows[] = {
        "constraint c: p0^2 + p1^2 + p2^2 = 1\n",
        "constraint c: a^2 + p0^2 + p1^2 + p2^2 + p3^2 = 1\n",
        "constraint c: p0^2 + p1^2 + p2^2 + 2*p3^2 = 1\n",
        "constraint c: p0^2 + p1^2 + p2^2 + R*p3^2 = 1\n",
        "constraint c: p0^2 + p1^2 + p2^2 - p3^2 = 1\n",
        "constraint c: p0^2 + p1^2 + p2^2 + 1.000000000000001*p3^2 = 1\n",
        "constraint c: p0^2 + p1^2 + p2^2 + p3^2 + p0 = 1\n",
        "constraint c: p0^2 + p1^2 + p2^2 + p3^2 + 1e-14*p0*p1 = 1\n",
        "constraint c: p0^4 + p1^4 + p2^4 + p3^4 = 1\n",
        "constraint c: p0*p1 + p2*p3 = 1\n",
        "constraint c: p0 + p1 + p2 + p3 = 1\n",
        "constraint c: a^2 + p0^2 + p2^2 + p3^2 = 1\n", // not one after the other
        "constraint c: p0^2 + p1^2 + p2^2 + b^2 = 1\n",
        "constraint c: (1 + t)*(p0^2 + p1^2 + p2^2 + p3^2) = 1\n", // a factor of time
        "constraint c: p0*p0' + p1*p1' + p2*p2' + p3*p3' = 0\n",   // on velocities
        "constraint c: p0^2 + p1^2 + p2^2 + p3^2 + p0' = 1\n",
        "constraint c (damping = 1, stiffness = 1): p0^2 + p1^2 + p2^2 + p3^2 = 1\n", // not held
        "constraint c (stiffness = 1): p0^2 + p1^2 + p2^2 + p3^2 = 1\n",
        "constraint c (weight = 5): p0^2 + p1^2 + p2^2 + p3^2 = 1\n",
        "constraint c: z*(p0^2 + p1^2 + p2^2 + p3^2) = 0\n", // that holds nothing
        "for i in 0..0: constraint c[i]: i*(p0^2 + p1^2 + p2^2 + p3^2) = i\n",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_found(rows[i], 0);
}

// each coordinate is in one: of rows that share some, the first counts
static void one_for_each_coordinate(void **state) {
    assert_found("constraint c: p0^2 + p1^2 + p2^2 + p3^2 = 1\n"
                 "constraint d: 2*p0^2 + 2*p1^2 + 2*p2^2 + 2*p3^2 = 2\n"
                 "constraint e: p1^2 + p2^2 + p3^2 + b^2 = 1\n",
                 1);
    built b = build_rows("constraint e: a^2 + p0^2 + p1^2 + p2^2 = 1\nconstraint c: p3 = b\n");
    assert_int_equal(b.mech->quaternions.count, 1);
    assert_int_equal(b.mech->quaternions.at[0].first, 0);
    demolish(&b);
}

static void of_a_loop(void **state) {
    enum { COUNT = 5 };
    built b = build("coord q[1..20], y\ninitial q[1] = 1, q[5] = 1, q[9] = 1, q[13] = 1, q[17] = 1\n"
                    "kinetic y'^2 + sum(i in 1..20: q[i]'^2)\nconstraint first: y = 1\n"
                    "for k in 0..4: constraint unit[k]: (k + 1)*sum(i in 1..4: q[4*k + i]^2) = k + 1\n");
    assert_int_equal(b.mech->quaternions.count, COUNT);
    for (int k = 0; k < COUNT; k++) {
        assert_int_equal(b.mech->quaternions.at[k].first, 4 * k);
        assert_int_equal(b.mech->quaternions.at[k].row, k + 1);
    }
    demolish(&b);
}

static void of_bodies(void **state) {
    built b = build("coord s\nkinetic s'^2\n"
                    "body A: mass = 1, inertia = (1, 2, 2)\n"
                    "particle P: mass = 1, at = (1, 1, 1)\n"
                    "body2 L: mass = 1, inertia = 1, at = (0, 0)\n"
                    "body B: inertia = (1, 1, 1.5)\n"
                    "joint J: spherical(A, B, at = (0, 1, 0))\n");
    const mech *m = b.mech;
    assert_int_equal(m->quaternions.count, 2);
    for (int i = 0; i < 2; i++) {
        const model_row *row = &b.model->rows.at[m->quaternions.at[i].row];
        assert_string_equal(row->part, "norm");
        assert_int_equal(m->quaternions.at[i].first, b.model->quaternions.at[i]);
    }
    demolish(&b);
}

// ---- held against numbers

typedef struct {
    const model *model;
    const shape *shape;
    int instance;
    const double *p;
} point;

static double value_at(void *context, sym_kind kind, int index) {
    const point *c = context;
    switch (kind) {
    case SYM_P:
        return c->p[index];
    case SYM_PARAM:
        return c->model->params.at[index].value;
    case SYM_NUMBER:
        return c->shape->numbers.at[c->instance * c->shape->number_count + index];
    default:
        return 0.3;
    }
}

// whether the gradient has the direction of p, at some points
static bool is_radial(const model *m, const shape *s, int instance) {
    static const double at[3][4] = {
        {0.31, -0.74, 1.27, 0.52}, {-1.13, 0.45, 0.29, -0.86}, {0.67, 0.94, -0.38, 1.41}};
    for (int i = 0; i < 3; i++) {
        double slope[4];
        point c = {m, s, instance, at[i]};
        for (int k = 0; k < 4; k++) {
            expr e = expr_diff(m->pool, s->part[PART_VALUE], SYM_P, k);
            slope[k] = expr_eval(m->pool, e, value_at, &c) / at[i][k];
            if (slope[k] == 0 || !(fabs(slope[k] - slope[0]) <= 1e-12 * fabs(slope[0])))
                return false;
        }
    }
    return true;
}

static bool is_held(const mech *m, const shape *s) {
    const expr_pool *pool = m->model->pool;
    return s->kind == SHAPE_ROW && s->slot_count == 4 && !expr_has(pool, s->part[PART_VALUE], SYM_V) &&
           !expr_has(pool, s->part[PART_VALUE], SYM_A) && !s->part[PART_DAMPING] &&
           !s->part[PART_STIFFNESS] && !s->part[PART_WEIGHT];
}

// in shipped models no two quaternions share coordinates, and all of their coordinates follow on each other
static int counted(const mech *m) {
    int count = 0;
    for (int i = 0; i < m->model->rows.count; i++) {
        const model_row *row = &m->model->rows.at[i];
        const shape *s = &m->model->shapes.at[row->shape];
        count += is_held(m, s) && is_radial(m->model, s, row->instance);
    }
    return count;
}

static void of_shipped_models(void **state) {
    glob_t found;
    int total = 0;
    assert_int_equal(glob("models/*/*.tram", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        arena *a = arena_new(0);
        const char *why = NULL;
        const source *s = file_read(a, found.gl_pathv[i], &why);
        assert_non_null(s);
        model *m = mech_read(a, s, NULL, 0);
        const mech *derived = mech_derive(a, m);
        assert_int_equal(m->diags.errors, 0);
        if (derived->quaternions.count != counted(derived))
            fail_msg("%s: %d instead of %d", found.gl_pathv[i], derived->quaternions.count, counted(derived));
        assert_true(derived->quaternions.count >= m->quaternions.count);
        total += derived->quaternions.count;
        arena_free(a);
    }
    assert_true(total >= 20);
    globfree(&found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_to_write_it),
        cmocka_unit_test(near_misses),
        cmocka_unit_test(one_for_each_coordinate),
        cmocka_unit_test(of_a_loop),
        cmocka_unit_test(of_bodies),
        cmocka_unit_test(of_shipped_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
