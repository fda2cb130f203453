#include "api/form.h"

#include "motion/assemble.h"
#include "solve/many.h"

#include <string.h>

static bool asked_for(trm_result *r, const char *name, model_form *out) {
    static const char *const known[] = {
        [FORM_AUTO] = "auto", [FORM_JOINTS] = "joints", [FORM_BODIES] = "bodies"};
    *out = r->model->model->form;
    for (int i = 0; name && i < 3; i++)
        if (strcmp(name, known[i]) == 0) {
            *out = (model_form)i == FORM_AUTO ? *out : (model_form)i;
            return true;
        }
    if (name == NULL)
        return true;
    diag_error(&r->diags, (place){0}, "there are no coordinates '%s'", name)->hint =
        "there are auto, joints, bodies";
    return false;
}

static const char NOT_JOINTS[] = "the coordinates of joints cannot be used: %s",
                  BODIES_DO[] =
                      "leave it to the program, or ask for bodies: the motion and the forces are the same";

static bool refused(trm_result *r, const trm_run_def *def, const char *why) {
    place at = def->coordinates ? (place){0} : r->model->model->form_at;
    diag_error(&r->diags, at, NOT_JOINTS, why)->hint = BODIES_DO;
    return false;
}

/* Of bodies: some 700 in space, whose kernel has 3e5 operations and takes half a second to compile. */
enum { COORDINATES_MOST = 5000 };
/* Long chains in closed loops make M full. An operation takes as long to compile, with the projections'
 * share, as 10 000 times to run (2 us and 0.2 ns); runs of mechanisms take some 2000 evaluations. */
static bool pays(const mech_tree *tree) {
    static const double COMPILED = 10000, EVALUATIONS = 2000;
    return mech_tree_operations(tree) * (1 + COMPILED / EVALUATIONS) < mech_tree_worth(tree);
}

bool form_choose(trm_result *r, const trm_run_def *def, const run_options *o, mech_tree **out) {
    model_form wanted;
    const char *why = NULL;
    *out = NULL;
    if (!asked_for(r, def->coordinates, &wanted))
        return false;
    const mech *derived = model_derived(r->model);
    if (derived == NULL || wanted == FORM_BODIES)
        return true;
    if (r->formulation)
        why = "the papers' formulations are applied to the coordinates of bodies";
    else if (o->method->implicit && wanted == FORM_AUTO)
        why = "implicit methods have a Jacobian by the coordinates of bodies";
    else if (wanted == FORM_AUTO && derived->model->coords.count > COORDINATES_MOST)
        why = "there are more bodies than one kernel is made for";
    mech_tree *tree = why ? NULL : mech_tree_new(r->arena, derived, &why);
    if (tree == NULL && wanted == FORM_JOINTS)
        return refused(r, def, why);
    if (tree && (wanted == FORM_JOINTS || pays(tree)))
        *out = tree;
    return true;
}

static bool assembled(arena *a, const trm_system *full, trm_state *st, double t, double tolerance,
                      start_state *start) {
    failure ignored = {0};
    state_set_cut(st, solve_run_cut(full, tolerance));
    return assemble(a, full, st, t, tolerance, start, &ignored);
}

trm_system *form_compile(trm_result *r, mech_tree *tree, const trm_system *full, run_options *o) {
    start_state *start = arena_alloc(r->arena, sizeof *start);
    o->start_state = solve_new_state(r->arena, full);
    if (!assembled(r->arena, full, o->start_state, o->from, o->tolerance, start))
        return NULL;
    o->start = start;
    mech_tree_derive(tree, start->q, start->v);
    return system_new_tree(r->arena, tree, full, EVALUATE_AUTO);
}

// ---- for calls from outside

static trm_system *system_of_joints(trm_model *m, arena *a) {
    static const double TOLERANCE = 1e-9;
    const char *why;
    mech_tree *tree = mech_tree_new(a, model_derived(m), &why);
    if (tree == NULL) {
        diag_error(&m->model->diags, m->model->form_at, NOT_JOINTS, why)->hint = BODIES_DO;
        return NULL;
    }
    trm_system *full = model_system(m, a, false, 0, 0, EVALUATE_ASSEMBLED);
    start_state start = {0};
    if (full == NULL)
        return NULL;
    if (!assembled(a, full, solve_new_state(a, full), m->model->simulate.from, TOLERANCE, &start)) {
        diag_error(&m->model->diags, m->model->form_at,
                   "the coordinates of joints cannot be used: the start cannot be assembled")
            ->hint = "'trammel check' says why";
        return NULL;
    }
    mech_tree_derive(tree, start.q, start.v);
    return system_new_tree(a, tree, full, EVALUATE_AUTO);
}

trm_system *form_system(trm_model *m, arena *a) {
    bool joints = model_derived(m) && m->model->form == FORM_JOINTS;
    trm_system *sys = joints ? system_of_joints(m, a) : model_system(m, a, false, 0, 0, EVALUATE_AUTO);
    if (sys)
        many_add(sys);
    return sys;
}
