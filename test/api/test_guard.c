/* The guard against exhausted memory: who is told, and that no recover point outlives its frame. */
#include "api/guard.h"
#include "api/objects.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char pendulum[] = "param L = 3\ncoord x, y\ninitial x = L, y = 0\nkinetic x'^2 + y'^2\n"
                               "potential 9.81*y\nconstraint rod: x^2 + y^2 = L^2\nplot \"Path\": y vs x\n"
                               "simulate until 0.1, every 0.05\n";

// ---- the guard itself

enum { LIMIT = 1 << 20 };

typedef struct {
    arena *arena;
    size_t size;
    bool went_on;
} asking;

static void ask(void *context) {
    asking *k = context;
    arena_alloc(k->arena, k->size);
    k->went_on = true;
}

static jmp_buf *recover_of(arena *a) {
    jmp_buf *now = arena_recover(a, NULL);
    arena_recover(a, now);
    return now;
}

// in each of two arenas, with enough memory and without; what was set before is set again
static void recover_points_are_put_back(void **state) {
    jmp_buf before;
    arena *a = arena_new(LIMIT), *b = arena_new(LIMIT);
    arena_recover(b, &before);
    for (int i = 0; i < 4; i++) {
        asking k = {i % 2 ? a : b, i / 2 ? 100 : LIMIT + 1, false};
        assert_int_equal(guard_run(a, b, ask, &k), i / 2);
        assert_int_equal(k.went_on, i / 2);
        assert_null(recover_of(a));
        assert_ptr_equal(recover_of(b), &before);
    }
    arena_free(a);
    arena_free(b);
}

static void ask_within(void *context) {
    asking k = {context, SIZE_MAX / 4, false};
    jmp_buf *outer = recover_of(context);
    assert_false(guard_run(context, NULL, ask, &k));
    assert_ptr_equal(recover_of(context), outer);
    ask(&k); // and the outer guard takes what the inner one does not
}

static void guards_nest(void **state) {
    arena *a = arena_new(LIMIT);
    assert_false(guard_run(a, NULL, ask_within, a));
    assert_null(recover_of(a));
    arena_free(a);
}

static int freed;

static void note_freed(void *object) {
    freed++;
}

static trm_status make(arena *a, void *context) {
    asking *k = context;
    arena_when_freed(a, note_freed, NULL);
    k->arena = a;
    ask(k);
    return TRM_EXPECTATION_FAILED;
}

static void new_objects(void **state) {
    asking k = {NULL, 100, false}, large = {NULL, SIZE_MAX / 4, false};
    freed = 0;
    assert_int_equal(guard_new(NULL, make, &large), TRM_NO_MEMORY);
    assert_int_equal(freed, 1);
    assert_int_equal(guard_new(NULL, make, &k), TRM_EXPECTATION_FAILED);
    assert_int_equal(freed, 1);
    assert_null(recover_of(k.arena));
    arena_free(k.arena);
}

// ---- the public calls

#define CLEAN(arena_of, call)                                                                                \
    do {                                                                                                     \
        call;                                                                                                \
        if (recover_of(arena_of))                                                                            \
            fail_msg("%s leaves a recover point", #call);                                                    \
    } while (0)

static void ask_model(trm_model *m) {
    double value;
    CLEAN(m->arena, trm_model_messages(m, 1));
    CLEAN(m->arena, trm_model_coordinate_name(m, 0));
    CLEAN(m->arena, trm_model_row_name(m, 0));
    CLEAN(m->arena, trm_model_equations(m, TRM_MATHML));
    CLEAN(m->arena, trm_model_number(m, "L + 1", &value));
    CLEAN(m->arena, trm_model_number(m, "1 +", &value));
    CLEAN(m->arena, trm_model_page(m, NULL));
}

static void ask_result(trm_result *r, trm_model *m) {
    const char *files;
    CLEAN(m->arena, (void)0);
    CLEAN(r->arena, (void)0);
    CLEAN(r->arena, trm_result_summary(r));
    CLEAN(r->arena, trm_result_json(r));
    CLEAN(r->arena, trm_result_messages(r, 0));
    CLEAN(r->arena, trm_result_failures(r));
    CLEAN(r->arena, trm_result_model(r, "a.tram"));
    CLEAN(r->arena, trm_result_matrices(r));
    CLEAN(r->arena, trm_result_page(r, 1));
    CLEAN(m->arena, (void)0);
    CLEAN(r->arena, trm_result_sketch(r, 60, 0));
    trm_plot_def figure = trm_plot_def_default();
    figure.folder = "/dev/null/nowhere";
    CLEAN(r->arena, trm_result_plots(r, &figure, &files));
    trm_scene_def shown = trm_scene_def_default();
    shown.path = "/dev/null/nowhere";
    CLEAN(r->arena, trm_result_scene(r, &shown, &files));
    trm_result_free(r);
}

static void no_call_leaves_a_recover_point(void **state) {
    static trm_status (*const studies[])(trm_model *, const trm_run_def *, trm_result **) = {
        trm_run, trm_check, trm_compare, trm_linearize, trm_equilibrium};
    trm_model *m;
    trm_system *s;
    trm_state *st;
    trm_result *r;
    trm_run_def def = trm_run_def_default();
    def.keep = TRM_KEEP_PAGE;
    assert_int_equal(trm_model_read_text("a.tram", pendulum, NULL, 0, &m), TRM_OK);
    CLEAN(m->arena, (void)0);
    ask_model(m);
    CLEAN(m->arena, trm_system_create(m, &s));
    CLEAN(s->arena, trm_state_create(s, &st));
    for (size_t i = 0; i < sizeof studies / sizeof *studies; i++) {
        assert_int_not_equal(studies[i](m, &def, &r), TRM_NO_MEMORY);
        ask_result(r, m);
    }
    def.until = "nothing";
    assert_int_equal(trm_run(m, &def, &r), TRM_WRONG_MODEL);
    ask_result(r, m);
    trm_state_free(st);
    trm_system_free(s);
    trm_model_free(m);
    assert_int_equal(trm_model_read_text("a.tram", "coord x, x\n", NULL, 0, &m), TRM_WRONG_MODEL);
    ask_model(m);
    CLEAN(m->arena, trm_system_create(m, &s));
    trm_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recover_points_are_put_back),
        cmocka_unit_test(guards_nest),
        cmocka_unit_test(new_objects),
        cmocka_unit_test(no_call_leaves_a_recover_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
