#include "api/form.h"

#include "motion/assemble.h"
#include "solve/solve.h"

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

static bool refused(trm_result *r, const trm_run_def *def, const char *why) {
    place at = def->coordinates ? (place){0} : r->model->model->form_at;
    diag_error(&r->diags, at, "the coordinates of joints cannot be used: %s", why)->hint =
        "leave it to the program, or ask for bodies: the motion and the forces are the same";
    return false;
}

/* Bodies that hang in no joint have nothing to gain but their quaternions' singular mass; long chains in
 * closed loops fill M. */
static bool pays(const mech_tree *tree) {
    enum { LINKS_MOST = 300 };
    return tree->links.count <= LINKS_MOST;
}

bool form_choose(trm_result *r, const trm_run_def *def, const run_options *o, form *out) {
    model_form wanted;
    const char *why = NULL;
    *out = (form){0};
    if (!asked_for(r, def->coordinates, &wanted))
        return false;
    const mech *derived = model_derived(r->model);
    if (derived == NULL || wanted == FORM_BODIES)
        return true;
    if (r->formulation)
        why = "the papers' formulations are applied to the coordinates of bodies";
    else if (o->method->implicit && wanted == FORM_AUTO)
        why = "implicit methods have a Jacobian by the coordinates of bodies";
    mech_tree *tree = why ? NULL : mech_tree_new(r->arena, derived, &why);
    if (tree == NULL && wanted == FORM_JOINTS)
        return refused(r, def, why);
    if (tree && (wanted == FORM_JOINTS || pays(tree)))
        out->tree = tree;
    return true;
}

trm_system *form_compile(trm_result *r, form *chosen, const trm_system *full, run_options *o) {
    arena *scratch = arena_child(r->arena);
    start_state *start = arena_alloc(r->arena, sizeof *start);
    failure ignored = {0};
    trm_state *st = solve_new_state(scratch, full);
    state_set_cut(st, solve_run_cut(full, o->tolerance));
    bool assembled = assemble(r->arena, full, st, o->from, o->tolerance, start, &ignored);
    arena_free(scratch);
    if (!assembled)
        return NULL;
    o->start = start;
    mech_tree_derive(chosen->tree, start->q, start->v);
    return system_new_tree(r->arena, chosen->tree, full, EVALUATE_AUTO);
}
