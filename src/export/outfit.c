#include "export/outfit.h"

#include "linear/weighted.h"
#include "mech/tree/tree.h"
#include "system/direct.h"
#include "system/natural.h"
#include "system/quantities.h"
#include "system/rates.h"

#include <string.h>

const model *outfit_shown(const outfit *p) {
    return p->sys->full ? p->sys->full->model : p->sys->model;
}

int outfit_parameters(const outfit *p) {
    int count = 0;
    for (int i = 0; i < p->sys->model->params.count; i++)
        count += !p->def->fixed[i];
    return count;
}

const char *outfit_parameter(const outfit *p, int i) {
    text t;
    text_init(&t, p->arena);
    model_label(p->sys->model, p->sys->model->params.at[i].label, &t);
    return text_string(&t);
}

const outfit_stage *outfit_find(const outfit *p, stage_kind kind) {
    for (int i = 0; i < p->stages.count; i++)
        if (p->stages.at[i].kind == kind)
            return &p->stages.at[i];
    return NULL;
}

// ---- kernels

static const trm_system *system_of(const outfit *p, const outfit_stage *s) {
    return s->shown ? p->sys->full : p->sys;
}

// move: from a place in the stage's y to that in the program's, or -1
static void add_stage(outfit *p, outfit_stage s, stage_kind from, int (*move)(const outfit *p, int at),
                      int size) {
    const stage *of = &system_of(p, &s)->stages[from];
    s.size = size;
    if (of->groups.count) {
        const stage_group *g = &of->groups.at[0];
        int outputs = kernel_outputs(g->kernel);
        s.kernel = g->kernel;
        s.scatter = g->scatter;
        s.output = arena_array(p->arena, int, outputs + 1);
        for (int i = 0; i < outputs; i++) {
            int at = g->scatter ? g->scatter[i] : i;
            s.output[i] = move ? move(p, at) : at < size ? at : -1;
        }
    }
    vec_push(p->arena, p->stages, s);
}

static int in_dynamics(const outfit *p, int at) {
    const trm_system *s = p->sys;
    int solution = s->n + s->all.rows + DIRECT_CHECKS;
    if (at < s->w_at)
        return at;
    if (at < s->power_at)
        return s->soft_count ? at : -1;
    if (at < s->power_at + s->work_count)
        return p->power ? p->power_at + at - s->power_at : -1;
    return p->direct && at >= s->direct_at && at < s->direct_at + solution ? p->direct_at + at - s->direct_at
                                                                           : -1;
}

static int in_quasi(const outfit *p, int at) {
    int first = p->sys->rates->s_at;
    return at >= first && at < first + p->sys->n ? at - first : -1;
}

static bool is_energy_first(const outfit *p) {
    return p->sys->mech->needs_energy;
}

static void add_dynamics(outfit *p) {
    const trm_system *s = p->sys;
    p->power_at = s->soft_count ? s->power_at : s->w_at;
    p->direct_at = p->power_at + (p->power ? s->work_count : 0);
    int size = p->direct_at + (p->direct ? s->n + s->all.rows + DIRECT_CHECKS : 0);
    add_stage(p, (outfit_stage){.kind = STAGE_DYNAMICS, .name = "kernel_dynamics"}, STAGE_DYNAMICS,
              in_dynamics, size);
}

static int level_size(const outfit *p, const system_level *l) {
    return l->direct ? l->step_at + p->sys->n + l->m + DIRECT_CHECKS : l->A_at + sparsity_entries(l->A);
}

static void add_stages(outfit *p) {
    const trm_system *s = p->sys;
    const int *jacobian = s->layout->start[STAGE_JACOBIAN];
    add_dynamics(p);
    if (s->position.m)
        add_stage(p, (outfit_stage){.kind = STAGE_POSITION, .name = "kernel_positions"}, STAGE_POSITION, NULL,
                  level_size(p, &s->position));
    if (s->velocity.m)
        add_stage(p, (outfit_stage){.kind = STAGE_VELOCITY, .name = "kernel_velocities"}, STAGE_VELOCITY,
                  NULL, level_size(p, &s->velocity));
    if (s->m && !s->full)
        add_stage(p, (outfit_stage){.kind = STAGE_RESIDUAL, .name = "kernel_residuals"}, STAGE_RESIDUAL, NULL,
                  s->m);
    if (s->nonideal || s->on_forces)
        add_stage(p, (outfit_stage){.kind = STAGE_NONIDEAL, .name = "kernel_nonideal"}, STAGE_NONIDEAL, NULL,
                  2 * s->n);
    if (s->quasi)
        add_stage(p, (outfit_stage){.kind = STAGE_QUASI, .name = "kernel_quasi_velocities"}, STAGE_QUASI,
                  in_quasi, s->n);
    if (s->model->turns.count)
        add_stage(p, (outfit_stage){.kind = STAGE_TURN, .name = "kernel_turns"}, STAGE_TURN, NULL,
                  s->model->turns.count);
    if (s->switch_count)
        add_stage(p, (outfit_stage){.kind = STAGE_SWITCH, .name = "kernel_switches"}, STAGE_SWITCH, NULL,
                  s->switch_count);
    if (p->def->jacobian)
        add_stage(p, (outfit_stage){.kind = STAGE_JACOBIAN, .name = "kernel_slopes"}, STAGE_JACOBIAN, NULL,
                  jacobian[MECH_QUASI_BY_P]);
    if (s->full)
        add_stage(p, (outfit_stage){.kind = STAGE_OUTPUT, .name = "kernel_bodies"}, STAGE_OUTPUT, NULL,
                  2 * s->full->n);
    if (s->full && s->full->model->outputs.count)
        add_stage(p, (outfit_stage){.kind = STAGE_VIEW, .name = "kernel_outputs", .shown = true},
                  STAGE_OUTPUT, NULL, s->full->model->outputs.count);
    if (!s->full && s->model->outputs.count)
        add_stage(p, (outfit_stage){.kind = STAGE_OUTPUT, .name = "kernel_outputs"}, STAGE_OUTPUT, NULL,
                  s->model->outputs.count);
}

// ---- what they read

static void mark_reads(outfit *p, bool shown, bool *reads) {
    for (int i = 0; i < p->stages.count; i++)
        if (p->stages.at[i].shown == shown && p->stages.at[i].kernel)
            ctext_mark_inputs(p->arena, p->stages.at[i].kernel, p->stages.at[i].output, reads);
}

static bool reads_any(const bool *reads, int from, int count) {
    for (int i = from; i < from + count; i++)
        if (reads[i])
            return true;
    return false;
}

static void find_results(outfit *p, const trm_system *of, const bool *reads) {
    const model *m = of->model;
    p->results = arena_array(p->arena, bool, m->results.count + 1);
    for (int i = 0; i < m->results.count; i++) {
        result_kind kind = m->results.at[i].kind;
        p->results[i] = reads[of->x_result + i];
        p->gaussian |= p->results[i] && kind == RESULT_GAUSSIAN;
        p->power |= p->results[i] && kind == RESULT_POWER_JOINT;
        p->solution |= p->results[i] && !model_is_energy(kind) && kind != RESULT_START;
    }
}

// those that only outputs read
static bool outputs_read(outfit *p, const trm_system *of, int from, int count) {
    const outfit_stage *s = outfit_find(p, of == p->sys ? STAGE_OUTPUT : STAGE_VIEW);
    bool *reads = arena_array(p->arena, bool, of->x_number + 1);
    if (s && s->kernel)
        ctext_mark_inputs(p->arena, s->kernel, s->output, reads);
    return reads_any(reads, from, count);
}

// energies come from a stage of their own, if something reads them
static void add_energy(outfit *p, const trm_system *of) {
    const model *m = of->model;
    bool any = is_energy_first(p);
    for (int i = 0; i < m->results.count; i++)
        any |= p->results[i] && model_is_energy(m->results.at[i].kind);
    if (any)
        add_stage(p, (outfit_stage){.kind = STAGE_ENERGY, .name = "kernel_energies", .shown = of != p->sys},
                  STAGE_ENERGY, NULL, 3);
}

static int place_inputs_at(int **x_of, int at, int count, int next) {
    for (int i = 0; i < count; i++)
        (*x_of)[at + i] = next + i;
    return next + count;
}

// t, q, v, then what is read of the rest; the parameters are together
static int *place_inputs(outfit *p, const trm_system *s, const bool *reads, bool solves, int *size) {
    const model *m = s->model;
    int *x_of = arena_array(p->arena, int, s->x_number + 1);
    for (int i = 0; i < s->x_number; i++)
        x_of[i] = -1;
    int next = place_inputs_at(&x_of, 0, 1 + 2 * s->n, 0);
    bool slopes = solves && p->def->jacobian;
    if (slopes || reads_any(reads, s->x_a, s->n))
        next = place_inputs_at(&x_of, s->x_a, s->n, next);
    next = place_inputs_at(&x_of, s->x_param, m->params.count, next);
    if (reads_any(reads, s->x_result, m->results.count))
        next = place_inputs_at(&x_of, s->x_result, m->results.count, next);
    if (slopes || reads_any(reads, s->x_multiplier, s->m))
        next = place_inputs_at(&x_of, s->x_multiplier, s->m, next);
    next = place_inputs_at(&x_of, s->x_mode, s->switch_count, next);
    *size = place_inputs_at(&x_of, s->x_turn, m->turns.count, next);
    return x_of;
}

static void find_inputs(outfit *p) {
    const trm_system *s = p->sys, *of = s->full ? s->full : s;
    bool *reads = arena_array(p->arena, bool, s->x_number + 1);
    bool *shown = s->full ? arena_array(p->arena, bool, s->full->x_number + 1) : reads;
    mark_reads(p, false, reads);
    if (s->full)
        mark_reads(p, true, shown);
    find_results(p, of, shown);
    add_energy(p, of);
    mark_reads(p, of != s, shown);
    p->reads = shown;
    p->solution |= outputs_read(p, of, of->x_a, of->n);
    p->accelerations = p->def->jacobian || reads_any(reads, s->x_a, s->n);
    p->x_of = place_inputs(p, s, reads, true, &p->x_size);
    if (s->full)
        p->shown_x = place_inputs(p, s->full, shown, false, &p->shown_size);
    for (int i = 0; i < p->stages.count; i++)
        p->stages.at[i].input = p->stages.at[i].shown ? p->shown_x : p->x_of;
}

outfit *outfit_new(arena *a, const trm_system *sys, trm_state *st, const emit_def *d) {
    outfit *p = arena_alloc(a, sizeof *p);
    const model *m = sys->model;
    *p = (outfit){
        .arena = a, .sys = sys, .st = st, .def = d, .general = !d->direct_only, .direct = sys->direct};
    p->repeats = sys->sharing != NULL;
    p->residuals = sys->m > 0 && !sys->full;
    for (int i = 0; i < m->shown_results; i++)
        p->power |= m->results.at[i].kind == RESULT_POWER_JOINT;
    add_stages(p);
    find_inputs(p);
    return p;
}

// ---- memory

static int take(int *next, int count) {
    int at = *next;
    *next += count;
    return at;
}

/* Stages whose y is asked for at once, and of which nothing stays, have one place; where a kernel leaves out
 * what is 0, that has to be 0 all the time. */
static bool is_passing(const outfit *p, const outfit_stage *s) {
    return s->kind != STAGE_DYNAMICS && s->kind != STAGE_NONIDEAL && s->kind != STAGE_JACOBIAN &&
           s->kind != STAGE_SWITCH && !(s->kind == STAGE_OUTPUT && p->sys->full) && s->scatter == NULL &&
           s->kernel;
}

static void place_stages(outfit *p, int *next) {
    int most = 0;
    for (int i = 0; i < p->stages.count; i++)
        if (is_passing(p, &p->stages.at[i]) && p->stages.at[i].size > most)
            most = p->stages.at[i].size;
    int shared = take(next, most);
    for (int i = 0; i < p->stages.count; i++) {
        outfit_stage *s = &p->stages.at[i];
        s->y_at = is_passing(p, s) ? shared : take(next, s->size);
        s->w_at = take(next, s->printed.work);
    }
}

// numbers that a solver takes: those of the library, and its own in runtime.in
static int solver_size(const outfit *p, sparsity A) {
    enum { ITSELF = 16 };
    const trm_system *s = p->sys;
    arena *scratch = arena_child(p->arena);
    dense_new(scratch, s->n, A.rows);
    int size = ITSELF + (int)(arena_asked(scratch) / sizeof(double)) + s->n * (s->n + A.rows);
    arena_free(scratch);
    return size + (s->natural->units ? sparsity_entries(s->M) + sparsity_entries(A) + s->n + 3 : 0);
}

static int weighted_size(const outfit *p) {
    const trm_system *s = p->sys;
    arena *scratch = arena_child(p->arena);
    weighted_new(scratch, s->n, s->m - s->soft_count, s->soft_count);
    int size = (int)(arena_asked(scratch) / sizeof(double));
    arena_free(scratch);
    return size + s->soft_count * (s->n + 3 + WEIGHTS_SHARED);
}

static int solvers_size(const outfit *p) {
    const trm_system *s = p->sys;
    int size = solver_size(p, s->all) + solver_size(p, s->position.A) + solver_size(p, s->velocity.A);
    if (p->gaussian)
        size += solver_size(p, (sparsity){0, (int[]){0}, NULL});
    return size + (s->soft_count ? weighted_size(p) : 0);
}

void outfit_places_find(outfit *p) {
    const trm_system *s = p->sys;
    outfit_places *at = &p->at;
    int next = 0, n = s->n, m = s->m;
    at->x = take(&next, p->x_size);
    at->shown = take(&next, p->shown_size);
    place_stages(p, &next);
    at->qdd = take(&next, n);
    at->multiplier = take(&next, m);
    at->reaction = take(&next, n);
    at->control = take(&next, s->controls ? n : 0);
    at->back = take(&next, s->controls && p->general ? n : 0);
    at->forward = take(&next, s->controls && p->general ? n : 0);
    at->force = take(&next, s->nonideal ? n : 0);
    at->lambda = take(&next, m > s->all.rows ? m : s->all.rows);
    // a step's own numbers lie where a projection works after it, but for n that an acceleration works in
    int projecting = 3 * n + 2 * m, stepping = 5 * n;
    at->scratch = take(&next, p->general ? 4 * (n + m) : projecting > stepping ? projecting : stepping);
    bool own = p->general && (s->sharing || s->soft_count);
    at->own_A = take(&next, own ? sparsity_entries(s->all) : 0);
    at->own_b = take(&next, own ? s->all.rows : 0);
    at->step = p->general ? take(&next, 4 * n) : at->scratch + n;
    at->solvers = take(&next, p->general ? solvers_size(p) : 0);
    at->size = next > 0 ? next : 1;
}

bool outfit_word(const outfit *p, const char *word) {
    const trm_system *s = p->sys;
    const struct {
        const char *word;
        bool holds;
    } words[] = {{"general", p->general},
                 {"direct", p->direct},
                 {"single", p->def->single},
                 {"soft", s->soft_count > 0},
                 {"repeats", p->repeats},
                 {"nonideal", s->nonideal || s->on_forces},
                 {"needs_ideal", s->mech->needs_ideal},
                 {"needs_energy", s->mech->needs_energy},
                 {"switches", s->switch_count > 0},
                 {"turns", s->model->turns.count > 0},
                 {"controls", s->controls},
                 {"quasi", s->quasi},
                 {"quaternions", s->model->quaternions.count > 0},
                 {"tree", s->full != NULL},
                 {"gaussian", p->gaussian},
                 {"outputs", outfit_shown(p)->outputs.count > 0},
                 {"solution", p->solution},
                 {"results", reads_any(p->results, 0, outfit_shown(p)->results.count)},
                 {"accelerations", p->accelerations},
                 {"residuals", p->residuals},
                 {"jacobian", p->def->jacobian}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].word, word) == 0)
            return words[i].holds;
    return false;
}
