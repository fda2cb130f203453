/* The table of quantities: every one has its place, and what instances add to lies in its stage's y. */
#include "support/build.h"

#include "mech/tree/tree.h"

#include "system/quantities.h"

static const char everything[] =
    "coord x, y, z, u\nparam k = 2\ninitial x = 1, z ~ 0.5\n"
    "kinetic (x'^2 + y'^2 + z'^2 + u'^2)/2\npotential k*x^2/2\ndissipation y'^2\n"
    "constraint rod: x^2 + y^2 = 1\n"
    "constraint same: 2*x^2 + 2*y^2 = 2\n"
    "constraint roll: z' = x*y'\n"
    "constraint soft (weight = 3): u = z\n"
    "nonideal x = -abs(reaction(x))*x'\n"
    "quasi s1 = x'\nquasi s2 = y'\nquasi s3 = z'\nquasi s4 = u' + x\n"
    "output o = x*start(y)\n"
    "expect always x > -10\nexpect finally y < 10\n"
    "stop when x == 5 and y > 0\n"
    "force u = if(z > 0, 1, 2)\n";

static const char with_friction[] =
    "body2 B: mass = 1, inertia = 1, at = (0, 0)\nbody2 C: mass = 1, inertia = 1, at = (1, 0)\n"
    "joint J (stiffness = 2): revolute(ground, B, at = (0, 0))\n"
    "joint K: prismatic(B, C, axis = (1, 0))\nfriction K: mu = 0.1\nforce K = sin(t)\n"
    "body D: mass = 1, inertia = (1, 1, 1), at = (0, 0, 3)\n"
    "joint L (stiffness = 2): revolute(ground, D, at = (0, 0, 3), axis = (1, 0, 0))\n";

static void check_stage(const trm_system *s, stage_kind kind, bool *met) {
    if (kind == STAGE_JACOBIAN && s->slopes == NULL)
        return;
    for (int i = 0; i < s->model->shapes.count; i++) {
        element at = element_of(s, kind, i);
        for (; at.instance < at.shape->count; at.instance++)
            for (int k = 0; k < at.derived->entries.count; k++) {
                const mech_entry *e = &at.derived->entries.at[k];
                int to = quantities_place(&at, e);
                met[e->quantity] |= to >= 0;
                if (to >= s->layout->end[kind])
                    fail_msg("stage %d, quantity %d: %d of %d", kind, e->quantity, to, s->layout->end[kind]);
                assert_true(to < 0 || to >= s->layout->start[kind][e->quantity]);
            }
    }
}

// a long chain of bodies, whose accelerations stand in its tree form
static void check_tree(bool *met) {
    char given[8000] = "gravity (0, 0, -9.81)\n";
    for (int i = 0; i < 30; i++) {
        char more[200];
        snprintf(more, sizeof more,
                 "body b%d: mass = 1, inertia = (1, 1, 1), at = (%d, 0, 0)\n"
                 "joint j%d: revolute(%s%.0d, b%d, at = (%d, 0, 0), axis = (0, 1, 0))\n",
                 i + 1, i, i, i ? "b" : "ground", i, i + 1, i);
        strcat(given, more);
    }
    built b = build_how(given, EVALUATE_ASSEMBLED);
    const char *why;
    mech_tree *tree = mech_tree_new(b.arena, b.mech, &why);
    assert_non_null(tree);
    double *q = arena_doubles(b.arena, (size_t)b.sys->n), *v = arena_doubles(b.arena, (size_t)b.sys->n);
    for (int i = 0; i < b.sys->n; i++)
        q[i] = b.model->position.at[i].value;
    mech_tree_derive(tree, q, v);
    assert_true(tree->articulated);
    const trm_system *sys = system_new_tree(b.arena, tree, b.sys, EVALUATE_AUTO);
    for (int kind = 0; kind < STAGES; kind++)
        check_stage(sys, (stage_kind)kind, met);
    demolish(&b);
}

// each quantity that shapes contribute stands in the y of a stage
static void all_have_places(void **state) {
    bool met[MECH_QUANTITIES] = {false};
    static const char *const texts[] = {everything, with_friction,
                                        "coord x, y\nkinetic x'^2 + y'^2*x^2\nconstraint c: x^2 + y^2 = 1\n"
                                        "quasi s = x'*y\nquasi u = y'*sin(x) + x\n",
                                        "coord x\nkinetic x'^2\nconstraint c (weight = ((1, t), (t, 3))): "
                                        "(x, x) = (t, 2*t)\n",
                                        "coord x, y\nkinetic x'^2 + y'^2\nconstraint c: y = x^2\n"
                                        "force x = -reaction(y)*x'\noutput o = first(x == 1 and y > 2)\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        built b = build_how(texts[i], EVALUATE_ASSEMBLED);
        system_add_views(b.sys);
        system_add_jacobian(b.sys);
        for (int kind = 0; kind < STAGES; kind++)
            check_stage(b.sys, (stage_kind)kind, met);
        demolish(&b);
    }
    check_tree(met);
    for (int quantity = 0; quantity < MECH_QUANTITIES; quantity++)
        if (!met[quantity] && quantity != MECH_WATCHED && quantity != MECH_STOP_WATCHED &&
            quantity != MECH_OVER_WATCHED && quantity != MECH_EFFORT) // for watch.c, tree forms
            fail_msg("quantity %d of mech.h has no place: a line of quantities.c is missing", quantity);
}

// as system.h says, which all readers of y rely on
static void order_in_y(void **state) {
    built b = build_how(everything, EVALUATE_ASSEMBLED);
    const trm_system *s = b.sys;
    const system_layout *l = s->layout;
    int n = 4, m = 4;
    assert_int_equal(s->n, n);
    assert_int_equal(s->m, m);
    assert_int_equal(l->start[STAGE_DYNAMICS][MECH_M], 0);
    assert_int_equal(s->Q_at, sparsity_entries(s->M));
    assert_int_equal(s->A_at, s->Q_at + n);
    assert_int_equal(s->w_at, s->b_at + m);
    assert_int_equal(s->power_at, s->w_at + m);
    assert_int_equal(l->end[STAGE_DYNAMICS], s->power_at + s->work_count);
    assert_int_equal(s->position.m, s->position.A_at - s->position.residual_at);
    assert_int_equal(s->velocity.m, s->velocity.A_at - s->velocity.residual_at);
    assert_int_equal(l->end[STAGE_RESIDUAL], 2 * m);
    assert_int_equal(l->end[STAGE_ENERGY], 3);
    assert_int_equal(l->start[STAGE_QUASI][MECH_QUASI], sparsity_entries(s->G));
    assert_int_equal(l->end[STAGE_QUASI], sparsity_entries(s->G) + 3 * n);
    assert_int_equal(l->start[STAGE_OUTPUT][MECH_EXPECT], 1);
    assert_int_equal(l->end[STAGE_OUTPUT], 1 + 2 * 2);
    assert_int_equal(l->end[STAGE_STOP], 3);
    assert_int_equal(l->end[STAGE_START], 1);
    assert_int_equal(l->end[STAGE_JACOBIAN], 0);
    for (int kind = 0; kind < STAGE_JACOBIAN; kind++)
        assert_int_equal(s->stages[kind].y_size, l->end[kind]);
    demolish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_have_places),
        cmocka_unit_test(order_in_y),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
