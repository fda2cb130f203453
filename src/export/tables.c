#include "export/tables.h"

#include "linear/weighted.h"
#include "mech/tree/tree.h"
#include "motion/failure.h"
#include "report/columns.h"
#include "system/direct.h"
#include "system/natural.h"
#include "system/rates.h"

#include <string.h>

// ---- kernels

void tables_kernels(outfit *p, text *out) {
    for (int i = 0; i < p->stages.count; i++) {
        outfit_stage *s = &p->stages.at[i];
        if (s->kernel)
            s->printed = ctext_print(
                out, p->arena, &(ctext_kernel){s->kernel, s->name, s->input, s->output, s->scatter != NULL});
    }
}

// ---- arrays

enum { PER_LINE = 12 };

static void array_begin(text *out, const char *type, const char *name) {
    text_print(out, "static const %s %s[] = {", type, name);
}

static void array_between(text *out, int i) {
    text_add(out, i == 0 ? "" : i % PER_LINE ? ", " : ",\n    ");
}

static void array_end(text *out, int count) {
    text_add(out, count ? "};\n\n" : "0};\n\n");
}

static void put_integers(text *out, const char *name, const int *values, int count) {
    array_begin(out, "int", name);
    for (int i = 0; i < count; i++) {
        array_between(out, i);
        text_print(out, "%d", values[i]);
    }
    array_end(out, count);
}

static void put_numbers(text *out, const char *name, const double *values, int count) {
    array_begin(out, "double", name);
    for (int i = 0; i < count; i++) {
        array_between(out, i);
        ctext_number(out, values[i]);
    }
    array_end(out, count);
}

static void put_flags(text *out, const char *name, const bool *values, int count) {
    array_begin(out, "bool", name);
    for (int i = 0; i < count; i++) {
        array_between(out, i);
        text_add(out, values && values[i] ? "true" : "false");
    }
    array_end(out, count);
}

static void put_pattern(text *out, arena *a, const char *name, sparsity s) {
    static const int none[] = {0};
    put_integers(out, arena_print(a, "%s_start", name), s.start ? s.start : none, s.rows + 1);
    put_integers(out, arena_print(a, "%s_to", name), s.to, s.start ? sparsity_entries(s) : 0);
}

// ---- the system

static void put_rows(const outfit *p, text *out) {
    static const char *const levels[] = {"ROW_HOLONOMIC", "ROW_NONHOLONOMIC", "ROW_ACCELERATION"};
    const trm_system *s = p->sys;
    text_add(out, "static const system_row the_rows[] = {\n");
    for (int i = 0; i < s->m; i++) {
        const system_row *r = &s->rows[i];
        text_print(out, "    {%s, %s, %s, %d, %d},\n", levels[r->level], r->weighted ? "true" : "false",
                   r->control ? "true" : "false", r->solved, r->velocity);
    }
    text_add(out, s->m ? "};\n\n" : "    {ROW_HOLONOMIC, false, false, 0, 0}};\n\n");
}

static void put_sharing(const outfit *p, text *out) {
    const sharing *sh = p->sys->sharing;
    if (sh == NULL)
        return;
    text_add(out, "static const share_entry the_shares[] = {\n");
    for (int i = 0; i < sh->count; i++) {
        text_print(out, "    {%d, %d, ", sh->entries[i].row, sh->entries[i].of);
        ctext_number(out, sh->entries[i].factor);
        text_add(out, ", ");
        ctext_number(out, sh->entries[i].part);
        text_add(out, "},\n");
    }
    text_print(out, "};\n\nstatic const sharing the_repeats = {%d, the_shares};\n\n", sh->count);
}

static void put_model(const outfit *p, text *out) {
    const trm_system *s = p->sys;
    const model *m = s->model;
    text_add(out, "static const model_row model_rows[] = {");
    for (int i = 0; i < s->m; i++) {
        array_between(out, i);
        text_print(out, "{%d}", m->rows.at[i].constraint);
    }
    text_add(out, s->m ? "};\n\n" : "{0}};\n\n");
    put_integers(out, "model_quaternions", m->quaternions.at, m->quaternions.count);
    put_numbers(out, "model_turn_starts", m->turn_starts.at, m->turn_starts.count);
    text_print(out,
               "static const model the_model = {{%d, model_quaternions}, {model_rows}, {%d}, "
               "{model_turn_starts}};\n\n",
               m->quaternions.count, m->turns.count);
    put_integers(out, "rates_quaternions", s->rates->quaternions, s->rates->quaternion_count);
    text_print(out, "static const system_rates the_rates = {%d, rates_quaternions};\n\n",
               s->rates->quaternion_count);
}

static void put_natural(const outfit *p, text *out) {
    const trm_system *s = p->sys;
    const natural *u = s->natural;
    const mech_tree *tree = s->mech->tree;
    put_numbers(out, "natural_scales", u->scale, s->n);
    if (u->units)
        put_numbers(out, "natural_ratios", u->units, s->n);
    text_print(out, "static const natural the_natural = {natural_scales, %s, ",
               u->units ? "natural_ratios" : "NULL");
    ctext_number(out, u->rate);
    text_add(out, "};\n\n");
    if (tree) {
        put_numbers(out, "tree_row_sizes", tree->row_size, s->m);
        text_add(out, "static const mech_tree the_tree = {tree_row_sizes};\n\n");
    }
    text_print(out, "static const mech the_mech = {%s, %s, %s, %s};\n\n", tree ? "&the_tree" : "NULL",
               s->mech->constant_mass ? "true" : "false", s->mech->constant_rows ? "true" : "false",
               s->mech->prescribed ? "true" : "false");
}

static void put_flag(text *out, const char *name, bool flag) {
    text_print(out, "    .%s = %s,\n", name, flag ? "true" : "false");
}

static void put_int(text *out, const char *name, int number) {
    text_print(out, "    .%s = %d,\n", name, number);
}

static const char *name_of_pattern(const outfit *p, sparsity s, const char *own) {
    return s.start == p->sys->A.start ? "A" : own;
}

static void put_level(const outfit *p, text *out, const char *name, const system_level *l) {
    const char *A = name_of_pattern(p, l->A, arena_print(p->arena, "%s_A", name));
    text_print(out, "    .%s = {%d, %s_rows, {%d, %s_start, %s_to}, %d, %d, %d, %s},\n", name, l->m, name,
               l->A.rows, A, A, l->residual_at, l->A_at, l->step_at, l->direct ? "true" : "false");
}

static void put_one_pattern(text *out, const char *field, const char *name, int rows) {
    text_print(out, "    .%s = {%d, %s_start, %s_to},\n", field, rows, name, name);
}

static int x(const outfit *p, int at) {
    return p->x_of[at] < 0 ? 0 : p->x_of[at];
}

static void put_system(const outfit *p, text *out) {
    const trm_system *s = p->sys;
    text_add(out, "static const trm_system name_system = {\n");
    put_int(out, "n", s->n);
    put_int(out, "m", s->m);
    put_int(out, "soft_count", s->soft_count);
    put_int(out, "switch_count", s->switch_count);
    put_int(out, "work_count", s->work_count);
    text_add(out, "    .mech = &the_mech,\n    .model = &the_model,\n    .natural = &the_natural,\n");
    text_print(out, "    .rates = &the_rates,\n    .rows = &the_rows[0],\n    .full = %s,\n",
               s->full ? "&name_system" : "NULL");
    text_print(out, "    .rank = ");
    ctext_number(out, s->rank);
    text_add(out, ",\n");
    put_flag(out, "direct", s->direct);
    put_flag(out, "nonideal", s->nonideal);
    put_flag(out, "controls", s->controls);
    put_flag(out, "shares_weights", s->shares_weights);
    put_flag(out, "on_forces", s->on_forces);
    put_flag(out, "quasi", s->quasi);
    text_print(out, "    .direct_added = %s,\n", s->direct_added ? "the_direct_added" : "NULL");
    text_print(out, "    .soft_rows = the_soft_rows,\n    .solved_rows = the_solved_rows,\n    .row_scale = "
                    "the_row_scale,\n");
    text_print(out, "    .sharing = %s,\n", s->sharing ? "&the_repeats" : "NULL");
    put_level(p, out, "position", &s->position);
    put_level(p, out, "velocity", &s->velocity);
    put_one_pattern(out, "M", "M", s->n);
    put_one_pattern(out, "A", "A", s->m);
    put_one_pattern(out, "all", name_of_pattern(p, s->all, "all"), s->all.rows);
    if (p->def->jacobian)
        put_one_pattern(out, "slope_pattern", "slopes", s->slope_pattern.rows);
    put_int(out, "Q_at", s->Q_at);
    put_int(out, "A_at", s->A_at);
    put_int(out, "b_at", s->b_at);
    put_int(out, "w_at", s->w_at);
    put_int(out, "shared_at", s->shared_at);
    put_int(out, "power_at", p->power_at);
    put_int(out, "direct_at", p->direct_at);
    put_int(out, "Q_on_forces_at", s->Q_on_forces_at);
    put_int(out, "x_q", x(p, s->x_q));
    put_int(out, "x_v", x(p, s->x_v));
    put_int(out, "x_a", x(p, s->x_a));
    put_int(out, "x_result", x(p, s->x_result));
    put_int(out, "x_multiplier", x(p, s->x_multiplier));
    put_int(out, "x_mode", x(p, s->x_mode));
    put_int(out, "x_turn", x(p, s->x_turn));
    text_add(out, "};\n\n");
}

void tables_system(const outfit *p, text *out) {
    const trm_system *s = p->sys;
    const model *m = s->model;
    double *values = arena_doubles(p->arena, (size_t)m->params.count + 1);
    for (int i = 0; i < m->params.count; i++)
        values[i] = m->params.at[i].value;
    put_numbers(out, "initial_parameter", values, m->params.count);
    int *places = arena_array(p->arena, int, m->params.count + 1), count = 0;
    for (int i = 0; i < m->params.count; i++)
        if (!p->def->fixed[i])
            places[count++] = i;
    put_integers(out, "parameter_place", places, count);
    put_numbers(out, "start_q", p->def->q, s->n);
    put_numbers(out, "start_v", p->def->v, s->n);
    put_pattern(out, p->arena, "M", s->M);
    put_pattern(out, p->arena, "A", s->A);
    put_pattern(out, p->arena, "all", s->all);
    put_pattern(out, p->arena, "position_A", s->position.A);
    put_pattern(out, p->arena, "velocity_A", s->velocity.A);
    if (p->def->jacobian)
        put_pattern(out, p->arena, "slopes", s->slope_pattern);
    put_integers(out, "position_rows", s->position.rows, s->position.m);
    put_integers(out, "velocity_rows", s->velocity.rows, s->velocity.m);
    put_integers(out, "the_soft_rows", s->soft_rows, s->soft_count);
    put_integers(out, "the_solved_rows", s->solved_rows, s->all.rows);
    put_numbers(out, "the_row_scale", s->row_scale, s->all.rows);
    if (s->direct_added)
        put_flags(out, "the_direct_added", s->direct_added, s->all.rows);
    put_flags(out, "none_idle", NULL, s->m);
    text_print(out, "enum { WEIGHTS_SHARED = %d };\n\n", WEIGHTS_SHARED);
    put_rows(p, out);
    put_sharing(p, out);
    put_model(p, out);
    put_natural(p, out);
    put_system(p, out);
}

// ---- functions

static const char *stage_name(stage_kind kind) {
    static const char *const known[STAGES] = {
        [STAGE_DYNAMICS] = "STAGE_DYNAMICS", [STAGE_POSITION] = "STAGE_POSITION",
        [STAGE_VELOCITY] = "STAGE_VELOCITY", [STAGE_RESIDUAL] = "STAGE_RESIDUAL",
        [STAGE_ENERGY] = "STAGE_ENERGY",     [STAGE_NONIDEAL] = "STAGE_NONIDEAL",
        [STAGE_QUASI] = "STAGE_QUASI",       [STAGE_OUTPUT] = "STAGE_OUTPUT",
        [STAGE_TURN] = "STAGE_TURN",         [STAGE_SWITCH] = "STAGE_SWITCH",
        [STAGE_JACOBIAN] = "STAGE_JACOBIAN", [STAGE_VIEW] = "STAGE_VIEW"};
    return known[kind];
}

static void put_run(const outfit *p, text *out) {
    text_add(out,
             "static void state_run(const trm_system *sys, trm_state *st, stage_kind which) {\n"
             "    double *y = st->y[which], *w = st->work[which];\n    (void)sys;\n    switch (which) {\n");
    for (int i = 0; i < p->stages.count; i++) {
        const outfit_stage *s = &p->stages.at[i];
        if (s->kernel)
            text_print(out, "    case %s:\n        %s(%s, w, y);\n        break;\n", stage_name(s->kind),
                       s->name, s->shown ? "st->shown" : "st->x");
    }
    text_add(out, "    default:\n        break;\n    }\n}\n\n");
}

static void put_prepare(const outfit *p, text *out) {
    text_add(out, "static void prepare_stages(trm_state *st) {\n    (void)st;\n");
    if (p->sys->full)
        text_print(out, "    memcpy(st->shown + %d, st->x + %d, %d * sizeof(double));\n",
                   p->shown_x[p->sys->full->x_param] < 0 ? 0 : p->shown_x[p->sys->full->x_param],
                   x(p, p->sys->x_param), p->sys->full->model->params.count);
    for (int i = 0; i < p->stages.count; i++) {
        const outfit_stage *s = &p->stages.at[i];
        if (s->kernel && s->printed.prepared)
            text_print(out, "    %s_prepare(%s, st->work[%s]);\n", s->name, s->shown ? "st->shown" : "st->x",
                       stage_name(s->kind));
    }
    text_add(out, "}\n\n");
}

static void put_part(text *out, const char *field, int at) {
    text_print(out, "    st->%s = work + %d;\n", field, at);
}

static void put_use(const outfit *p, text *out) {
    const trm_system *s = p->sys;
    const outfit_places *at = &p->at;
    text_add(out, "// the parts of an object's memory\nstatic void use(name_state *s, trm_state *st) {\n"
                  "    double *work = s->work;\n");
    put_part(out, "x", at->x);
    if (s->full)
        put_part(out, "shown", at->shown);
    for (int i = 0; i < p->stages.count; i++) {
        const outfit_stage *of = &p->stages.at[i];
        put_part(out, arena_print(p->arena, "y[%s]", stage_name(of->kind)), of->y_at);
        put_part(out, arena_print(p->arena, "work[%s]", stage_name(of->kind)), of->w_at);
    }
    int y = p->stages.at[0].y_at;
    put_part(out, "M", y);
    put_part(out, "Q", y + s->Q_at);
    put_part(out, "A", y + s->A_at);
    put_part(out, "b", y + s->b_at);
    if (s->soft_count) {
        put_part(out, "w", y + s->w_at);
        put_part(out, "shared", y + s->shared_at);
    }
    if (outfit_find(p, STAGE_NONIDEAL))
        put_part(out, "C", outfit_find(p, STAGE_NONIDEAL)->y_at);
    put_part(out, "qdd", at->qdd);
    put_part(out, "multiplier", at->multiplier);
    put_part(out, "reaction", at->reaction);
    if (s->controls) {
        put_part(out, "control", at->control);
        put_part(out, "back", at->back);
        put_part(out, "forward", at->forward);
    }
    if (s->nonideal)
        put_part(out, "force", at->force);
    else
        text_add(out, "    st->force = st->Q;\n");
    put_part(out, "lambda", at->lambda);
    put_part(out, "scratch", at->scratch);
    text_add(out, "    st->idle = none_idle;\n    st->direct = false;\n    st->cut = 0;\n    st->rank = 0;\n"
                  "    st->solver = st->position = st->velocity = NULL;\n");
    bool own = p->general && (s->sharing || s->soft_count);
    text_print(out, "    st->rows.own_A = %s;\n    st->rows.own_b = %s;\n",
               own ? arena_print(p->arena, "work + %d", at->own_A) : "NULL",
               own ? arena_print(p->arena, "work + %d", at->own_b) : "NULL");
    text_print(out, "    st->rows.A = %s;\n    st->rows.b = %s;\n}\n\n", own ? "st->rows.own_A" : "st->A",
               own ? "st->rows.own_b" : "st->b");
}

/* Always in one order, so that what a solver remembers is found where it was. */
static void put_solvers(const outfit *p, text *out) {
    const trm_system *s = p->sys;
    const char *units = s->natural->units ? "natural_ratios" : "NULL";
    text_add(out, "/* In the same places each time: what they remember stays. */\n"
                  "static void build_solvers(trm_state *st) {\n    const trm_system *sys = &name_system;\n");
    text_print(out, "    arena a = {st->x + %d};\n", p->at.solvers - p->at.x);
    text_print(out, "    st->solver = solver_new(&a, sys->n, sys->M, sys->all, %s);\n", units);
    text_print(out, "    st->position = solver_new(&a, sys->n, sys->M, sys->position.A, %s);\n", units);
    text_print(out, "    st->velocity = solver_new(&a, sys->n, sys->M, sys->velocity.A, %s);\n", units);
    if (p->gaussian)
        text_print(out,
                   "    static const int none[] = {0};\n"
                   "    st->free = solver_new(&a, sys->n, sys->M, (sparsity){0, none, none}, %s);\n",
                   units);
    if (s->soft_count)
        text_print(
            out,
            "    st->rows.weighted = weighted_new(&a, sys->n, sys->m - sys->soft_count, sys->soft_count);\n"
            "    st->rows.soft_A = arena_doubles(&a, (size_t)(sys->soft_count * sys->n));\n"
            "    st->rows.soft_b = arena_doubles(&a, (size_t)sys->soft_count);\n"
            "    st->rows.soft_w = arena_doubles(&a, (size_t)sys->soft_count);\n"
            "    st->rows.soft_share = arena_doubles(&a, (size_t)sys->soft_count);\n"
            "    st->rows.soft_L = %s;\n    st->rows.indefinite = -1;\n",
            s->shares_weights ? "arena_doubles(&a, (size_t)(sys->soft_count * WEIGHTS_SHARED))" : "NULL");
    text_add(out, "}\n\n");
}

// ---- results

static void put_power_of_joint(const outfit *p, text *out, const model_result *r) {
    const trm_system *s = p->sys;
    int terms = 0;
    for (int i = 0; i < s->work_count; i++)
        if (s->works[i].kind == WORK_ACTUATOR && s->model->actuators.at[s->works[i].of].part == r->first)
            text_print(out, "%sst->M[sys->power_at + %d]", terms++ ? " + " : "", i);
    if (terms == 0)
        text_add(out, "0");
}

static double at_start(const outfit *p, const model_result *r) {
    state_set(p->sys, p->st, p->def->from, p->def->q, p->def->v);
    state_run(p->sys, p->st, STAGE_START);
    return state_output(p->st, STAGE_START)[r->first];
}

static void put_result(const outfit *p, text *out, const model_result *r) {
    switch (r->kind) {
    case RESULT_KINETIC:
        text_add(out, "energy[0]");
        break;
    case RESULT_POTENTIAL:
        text_add(out, "energy[2]");
        break;
    case RESULT_ENERGY:
        text_add(out, "energy[0] + energy[2]");
        break;
    case RESULT_JACOBI:
        text_add(out, "energy[1] + energy[2]");
        break;
    case RESULT_GAUSSIAN:
        text_add(out, "gaussian");
        break;
    case RESULT_RANK:
        text_add(out, "st->rank");
        break;
    case RESULT_MULTIPLIER:
        text_print(out, "st->multiplier[%d]", r->first);
        break;
    case RESULT_REACTION:
        text_print(out, "st->reaction[%d]", r->coordinate);
        break;
    case RESULT_SHARE:
        text_print(out, "share_of(sys, st, %d, %d, %d)", r->first, r->count, r->coordinate);
        break;
    case RESULT_CONTROL:
        text_print(out, "st->control[%d]", r->coordinate);
        break;
    case RESULT_FEEDBACK:
        text_print(out, "st->back[%d]", r->coordinate);
        break;
    case RESULT_FEEDFORWARD:
        text_print(out, "st->forward[%d]", r->coordinate);
        break;
    case RESULT_POWER:
        text_print(out, "power_of_rows(sys, st, %d, %d)", r->first, r->count);
        break;
    case RESULT_POWER_NONIDEAL:
        text_add(out, p->sys->nonideal ? "linalg_dot(st->C, st->x + sys->x_v, sys->n)" : "0");
        break;
    case RESULT_POWER_JOINT:
        put_power_of_joint(p, out, r);
        break;
    default: // RESULT_START
        ctext_number(out, at_start(p, r));
    }
}

static bool has_result(const outfit *p, bool (*is)(result_kind kind)) {
    const model *m = outfit_shown(p);
    for (int i = 0; i < m->results.count; i++)
        if (p->results[i] && is(m->results.at[i].kind))
            return true;
    return false;
}

static bool is_part(result_kind kind) {
    return kind == RESULT_FEEDBACK || kind == RESULT_FEEDFORWARD;
}

static void put_results(const outfit *p, text *out, const char *function, bool energies_alone) {
    const trm_system *of = p->sys->full ? p->sys->full : p->sys;
    const model *m = of->model;
    text_print(out, "static void %s(const trm_system *sys, trm_state *st) {\n    (void)sys;\n", function);
    if (p->sys->full)
        text_add(out, "    lift(st);\n");
    if (has_result(p, is_part) && !energies_alone)
        text_add(out, "    solve_control_parts(sys, st, NULL, NULL);\n");
    if (has_result(p, model_is_energy) || energies_alone)
        text_add(out,
                 "    const double *energy = st->y[STAGE_ENERGY];\n    state_run(sys, st, STAGE_ENERGY);\n");
    if (p->gaussian && !energies_alone)
        text_add(out, "    if (st->solver == NULL)\n        build_solvers(st);\n"
                      "    double gaussian = gaussian_of(sys, st, st->free);\n");
    for (int i = 0; i < m->results.count; i++) {
        if (!p->results[i] || (energies_alone && !model_is_energy(m->results.at[i].kind)))
            continue;
        text_print(out, "    %s[%d] = ", p->sys->full ? "st->shown" : "st->x",
                   (p->sys->full ? p->shown_x : p->x_of)[of->x_result + i]);
        put_result(p, out, &m->results.at[i]);
        text_add(out, ";\n");
    }
    text_add(out, "}\n\n");
}

// ---- bodies of a tree form

static void put_lift(const outfit *p, text *out) {
    const trm_system *s = p->sys, *full = s->full;
    text_add(out, "// the bodies' state at that of the joints\nstatic void lift(trm_state *st) {\n"
                  "    const double *body = st->y[STAGE_OUTPUT];\n"
                  "    state_run(&name_system, st, STAGE_OUTPUT);\n    st->shown[0] = st->x[0];\n");
    text_print(out, "    memcpy(st->shown + 1, body, %d * sizeof *body);\n", 2 * full->n);
    for (int i = 0; i < full->model->turns.count; i++) {
        int angle = mech_tree_angle(s->mech->tree, i), to = p->shown_x[full->x_turn + i];
        text_print(out, "    st->shown[%d] = st->x[%d];\n", to,
                   angle >= 0 ? x(p, s->x_q + angle) : x(p, s->x_turn + i));
    }
    text_add(out, "}\n\n");
}

void tables_functions(const outfit *p, text *out) {
    put_run(p, out);
    put_prepare(p, out);
    put_use(p, out);
    if (p->general)
        put_solvers(p, out);
    if (p->sys->full)
        put_lift(p, out);
    put_results(p, out, "solve_results", false);
    if (p->sys->mech->needs_energy)
        put_results(p, out, "take_energies", true);
}

// ---- names

static void put_byte(text *out, unsigned char c) {
    if (c == '"' || c == '\\')
        text_print(out, "\\%c", c);
    else if (c < ' ' || c >= 127)
        text_print(out, "\\%03o", c);
    else
        text_add_bytes(out, (const char *)&c, 1);
}

void tables_string(text *out, const char *given) {
    text_add(out, "\"");
    for (const char *c = given; *c; c++) {
        if (c[0] == '?' && c > given && c[-1] == '?') // trigraphs
            text_add(out, "\\");
        put_byte(out, (unsigned char)*c);
    }
    text_add(out, "\"");
}

void tables_comment(text *out, const char *given) {
    for (const char *c = given; *c; c++) {
        unsigned char byte = (unsigned char)*c;
        bool ends =
            (c[0] == '*' && c[1] == '/') || (c[0] == '/' && c[1] == '*') || (c[0] == '?' && c[1] == '?');
        text_add_bytes(out, byte < ' ' || byte == '\\' || byte == 127 ? " " : c, 1);
        if (ends)
            text_add(out, " ");
    }
}

typedef const char *naming(const outfit *p, int i);

static const char *coordinate(const outfit *p, int i) {
    return model_coord_name(p->sys->model, i, p->arena);
}

static const char *row(const outfit *p, int i) {
    return failure_row_name(p->arena, p->sys, i);
}

// number i of those that may be changed
static const char *parameter(const outfit *p, int i) {
    int at = 0;
    for (int left = i; p->def->fixed[at] || left-- > 0;)
        at++;
    return outfit_parameter(p, at);
}

static const char *output(const outfit *p, int i) {
    return columns_name(p->arena, outfit_shown(p), COLUMN_OUTPUT, i);
}

static const char *quasi(const outfit *p, int i) {
    return columns_name(p->arena, p->sys->model, COLUMN_QUASI, i);
}

static void put_names(const outfit *p, text *out, const char *what, naming *name, int count) {
    text_print(out, "const char *const name_%s_name[] = {\n", what);
    for (int i = 0; i < count; i++) {
        text_add(out, "    ");
        tables_string(out, name(p, i));
        text_add(out, ",\n");
    }
    text_add(out, "    NULL};\n\n");
}

void tables_names(const outfit *p, text *out) {
    put_names(p, out, "coordinate", coordinate, p->sys->n);
    put_names(p, out, "row", row, p->sys->m);
    put_names(p, out, "parameter", parameter, outfit_parameters(p));
    put_names(p, out, "output", output, outfit_shown(p)->outputs.count);
    if (p->sys->quasi)
        put_names(p, out, "quasi", quasi, p->sys->n);
}
