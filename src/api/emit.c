/* Models as standalone C. */
#include "export/emit.h"
#include "api/guard.h"
#include "api/objects.h"
#include "api/sized.h"
#include "export/single.h"
#include "mech/tree/tree.h"
#include "report/findings.h"
#include "solve/solve.h"

#include <stdio.h>
#include <string.h>

enum { FILES = 3 };

struct trm_emission {
    arena *arena;
    diags diags;
    const char *told; // messages of others: of the model, of its start
    const char *name[FILES], *text[FILES];
    int files;
    const char *summary;
};

typedef struct {
    trm_model *model;
    const trm_emit_def *given;
    trm_emit_def def;
    double *q, *v; // the assembled start, of the bodies
    trm_emission *made;
    arena *scratch; // of the system
    double *t_run, *q_run,
        *v_run; // (STATES), (STATES x n) states of a run, of the bodies, for single precision
    int states;
    const char *accuracy; // of that, for people
} emitting;

enum { STATES = 20 };

static const double TOLERANCE = 1e-9; // where the model gives none
enum { SAMPLES = 1000 };              // where it does not say how many

trm_choice trm_emit_solver_at(int i) {
    static const trm_choice solvers[] = {
        {"both", "in the kernel, and where that is not sure by a general solver"},
        {"direct", "in the kernel alone"}};
    return i >= 0 && i < 2 ? solvers[i] : (trm_choice){NULL, NULL};
}

// ---- what is asked for

static bool refuse(trm_emission *e, place at, const char *why) {
    diag_error(&e->diags, at, "it cannot be emitted as C: %s", why);
    return false;
}

static bool take_form(const emitting *k, const model *m, bool *joints) {
    const char *name = k->def.coordinates;
    *joints = m->form == FORM_JOINTS;
    if (name == NULL || strcmp(name, "auto") == 0)
        return true;
    *joints = strcmp(name, "joints") == 0;
    if (*joints || strcmp(name, "bodies") == 0)
        return true;
    diag_error(&k->made->diags, (place){0}, "there are no coordinates '%s'", name)->hint =
        "there are auto, joints, bodies";
    return false;
}

static const char *prefix_of(const emitting *k, arena *a) {
    const char *path = k->model->now->path, *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *end = strrchr(name, '.');
    size_t length = end && end > name ? (size_t)(end - name) : strlen(name);
    return k->def.prefix ? k->def.prefix : emit_identifier(a, arena_copy(a, name, length));
}

static bool take_settings(const emitting *k, arena *a, emit_def *d) {
    trm_emission *e = k->made;
    const char *way = k->def.solver ? k->def.solver : "both";
    d->prefix = prefix_of(k, a);
    if (!emit_prefix_fits(d->prefix)) {
        diag_error(&e->diags, (place){0}, "files and functions cannot begin with '%s'", d->prefix)->hint =
            "a prefix is an identifier of C of up to 40 letters, digits and _, which begins with no digit";
        return false;
    }
    d->direct_only = strcmp(way, "direct") == 0 || d->single;
    if (strcmp(way, "direct") == 0 || strcmp(way, "both") == 0)
        return true;
    diag_error(&e->diags, (place){0}, "there is no solver '%s'", way)->hint = "there are both, direct";
    return false;
}

static void take_times(const model *m, emit_def *d) {
    const model_simulate *s = &m->simulate;
    d->from = s->from;
    d->until = s->given ? s->until : s->from;
    d->every = s->every > 0 ? s->every : d->until > d->from ? (d->until - d->from) / SAMPLES : 1;
    d->tolerance = s->tolerance > 0 ? s->tolerance : TOLERANCE;
}

// ---- the system

static evaluate_how how_emitted(const emitting *k) {
    return k->def.single_precision ? EVALUATE_EMITTED_SINGLE : EVALUATE_EMITTED;
}

static trm_system *in_joints(const emitting *k, trm_model *m, arena *a, double **q, double **v) {
    const char *why = NULL;
    mech_tree *tree = mech_tree_new(a, model_derived(m), &why);
    trm_system *full = tree ? model_system(m, a, true, 0, 0, how_emitted(k)) : NULL;
    if (tree == NULL)
        refuse(k->made, m->model->form_at,
               arena_print(k->made->arena, "joint coordinates cannot be used: %s", why));
    if (full == NULL)
        return NULL;
    mech_tree_derive(tree, k->q, k->v);
    trm_system *sys = system_new_tree(a, tree, full, how_emitted(k));
    *q = arena_doubles(a, (size_t)sys->n + 1);
    *v = arena_doubles(a, (size_t)sys->n + 1);
    mech_tree_lower(tree, k->q, k->v, *q, *v);
    return sys;
}

static trm_system *compiled(const emitting *k, trm_model *m, arena *a, bool joints, emit_def *d) {
    double *q = k->q, *v = k->v;
    trm_system *sys = joints ? in_joints(k, m, a, &q, &v) : model_system(m, a, true, 0, 0, how_emitted(k));
    d->q = q;
    d->v = v;
    return sys;
}

// Jacobians
static const char *without(const trm_system *sys) {
    return sys->full             ? "in joint coordinates; take 'coordinates bodies'"
           : sys->soft_count     ? "with weights"
           : sys->friction_count ? "with friction"
           : sys->nonideal || sys->on_forces || sys->mech->needs_energy
               ? "with forces that are not ideal, or are built on reactions or energies"
               : "with a force that has no derivative";
}

// ---- single precision

static const double WORST = 1e-2; // of which nothing is of use

// so many states of a run; without one that comes to its end, the start alone
static void take_states(emitting *k) {
    trm_result *r = NULL;
    trm_run_def def = trm_run_def_default();
    arena *a = k->made->arena;
    size_t n = (size_t)trm_model_coordinates(k->model);
    def.keep = TRM_KEEP_COLUMNS;
    trm_status status = trm_run(k->model, &def, &r);
    long samples = r && (status == TRM_OK || status == TRM_EXPECTATION_FAILED) ? trm_result_samples(r) : 0;
    k->t_run = arena_doubles(a, STATES);
    k->q_run = arena_doubles(a, STATES * n + 1);
    k->v_run = arena_doubles(a, STATES * n + 1);
    for (k->states = 0; k->states < STATES && k->states < samples; k->states++) {
        long at = samples > STATES ? k->states * (samples - 1) / (STATES - 1) : k->states;
        k->t_run[k->states] = trm_result_column(r, 0)[at];
        for (size_t i = 0; i < n; i++) {
            k->q_run[(size_t)k->states * n + i] = trm_result_column(r, (int)(1 + i))[at];
            k->v_run[(size_t)k->states * n + i] = trm_result_column(r, (int)(1 + n + i))[at];
        }
    }
    trm_result_free(r);
}

static const char *compare_single(emitting *k, arena *a, const trm_system *sys, trm_state *st,
                                  const emit_def *d) {
    single_accuracy found = {0};
    size_t n = sys->full ? (size_t)sys->full->n : (size_t)sys->n;
    double *q = arena_doubles(a, (size_t)sys->n + 1), *v = arena_doubles(a, (size_t)sys->n + 1);
    single_compare(a, sys, st, d->from, d->q, d->v, &found);
    if (found.unsure)
        return "at the start constraint rows are too near to dependence, or the mass matrix to being "
               "singular, for single "
               "precision";
    for (int i = 0; i < k->states; i++) {
        trm_system_from_bodies(sys, k->q_run + (size_t)i * n, k->v_run + (size_t)i * n, q, v);
        single_compare(a, sys, st, k->t_run[i], q, v, &found);
    }
    if (found.acceleration > WORST || found.multiplier > WORST)
        return arena_print(
            a, "single precision leaves accelerations to %.1g and multipliers to %.1g of the largest",
            found.acceleration, found.multiplier);
    k->accuracy = arena_print(
        k->made->arena,
        "single precision: accelerations to %.1g, multipliers to %.1g of the largest, at %d states of "
        "its run%s\n",
        found.acceleration, found.multiplier, found.states - found.unsure,
        found.unsure ? arena_print(a, "; not sure at %d others", found.unsure) : "");
    return NULL;
}

static void take_texts(trm_emission *e, const emit_def *d, const emitted *made, const char *accuracy) {
    const char *texts[FILES] = {made->header, made->source, made->main};
    const char *const endings[FILES] = {".h", ".c", "_main.c"};
    for (int i = 0; i < FILES && texts[i]; i++) {
        e->name[i] = arena_print(e->arena, "%s%s", d->prefix, endings[i]);
        e->text[i] = arena_copy(e->arena, texts[i], strlen(texts[i]));
        e->files++;
    }
    e->summary = arena_print(e->arena,
                             "%d operations in an acceleration\n%ld bytes of memory for each object\n"
                             "some %ld kB of code on a small processor (Cortex-M7, -Os)\n%s",
                             made->operations, made->ram, (made->flash + 999) / 1000, accuracy);
}

// ---- parameters of which something was computed

typedef struct {
    const emitting *of;
    const emit_def *def;
    bool joints;
    arena *arena;
    uint64_t fingerprint;
} other_values;

static trm_status take_fingerprint(arena *a, trm_model *m, void *context) {
    other_values *k = context;
    emit_def d = *k->def;
    k->arena = a;
    trm_system *sys = compiled(k->of, m, a, k->joints, &d);
    if (sys == NULL || (d.jacobian && !system_add_jacobian(sys)))
        return TRM_WRONG_MODEL;
    k->fingerprint = emit_fingerprint(a, sys, solve_new_state(a, sys), &d);
    return TRM_OK;
}

/* Whether the program would be another one if the parameters from first to last - 1, but structural ones,
 * were a little larger. */
static bool differs(other_values *k, const trm_model *m, int first, int last, uint64_t from) {
    static const double LITTLE = 1.0 / (1 << 20);
    arena *a = arena_child(k->of->made->arena);
    model_setting *more = arena_array(a, model_setting, last - first);
    int count = 0;
    for (int i = first; i < last; i++) {
        const model_param *p = &m->model->params.at[i];
        text name;
        text_init(&name, a);
        model_label(m->model, p->label, &name);
        double other = p->value == 0 ? LITTLE : p->value * (1 + LITTLE);
        if (!p->structural)
            more[count++] = (model_setting){text_string(&name), arena_print(a, "%.17g", other)};
    }
    trm_status status = count ? content_use_with(m, more, count, false, take_fingerprint, k) : TRM_OK;
    bool other = count && (status != TRM_OK || k->fingerprint != from);
    if (count && status != TRM_NO_MEMORY)
        arena_free(k->arena);
    arena_free(a);
    return other;
}

static const bool *find_fixed(const emitting *k, const trm_model *m, const emit_def *d, bool joints,
                              uint64_t fingerprint) {
    int count = m->model->params.count;
    bool *fixed = arena_array(k->made->arena, bool, count + 1);
    other_values other = {.of = k, .def = d, .joints = joints};
    bool any = differs(&other, m, 0, count, fingerprint);
    for (int i = 0; i < count; i++)
        fixed[i] = m->model->params.at[i].structural || (any && differs(&other, m, i, i + 1, fingerprint));
    return fixed;
}

static trm_status emit(arena *a, trm_model *m, void *context) {
    emitting *k = context;
    k->scratch = a;
    trm_emission *e = k->made;
    emit_def d = {.jacobian = k->def.jacobian, .main = !k->def.no_main, .single = k->def.single_precision};
    bool joints;
    if (!take_settings(k, e->arena, &d) || !take_form(k, m->model, &joints))
        return TRM_WRONG_MODEL;
    take_times(m->model, &d);
    trm_system *sys = compiled(k, m, a, joints, &d);
    if (sys == NULL)
        return TRM_WRONG_MODEL;
    if (d.jacobian && !system_add_jacobian(sys))
        return refuse(e, (place){0}, arena_print(e->arena, "there are no Jacobians %s", without(sys))),
               TRM_WRONG_MODEL;
    trm_state *st = solve_new_state(a, sys);
    state_reset_turns(sys, st);
    const char *why = emit_refusal(a, sys, st, &d);
    if (why == NULL && d.single)
        why = compare_single(k, a, sys, st, &d);
    if (why)
        return refuse(e, (place){0}, arena_copy(e->arena, why, strlen(why))), TRM_WRONG_MODEL;
    d.fixed = find_fixed(k, m, &d, joints, emit_fingerprint(a, sys, st, &d));
    emitted made;
    emit_c(a, sys, st, &d, &made);
    take_texts(e, &d, &made, k->accuracy ? k->accuracy : "");
    return TRM_OK;
}

// ---- the start

static trm_status find_start(emitting *k) {
    trm_result *r = NULL;
    trm_emission *e = k->made;
    size_t n = (size_t)trm_model_coordinates(k->model);
    k->q = arena_doubles(e->arena, n + 1);
    k->v = arena_doubles(e->arena, n + 1);
    trm_status status = trm_assemble(k->model, NULL, k->q, k->v, &r);
    if (status != TRM_OK && r) {
        const char *told = trm_result_messages(r, 0);
        e->told = arena_copy(e->arena, told, strlen(told));
    }
    trm_result_free(r);
    return status;
}

typedef struct {
    emitting *of;
    trm_status status;
} beginning;

static void begin(void *context) {
    beginning *b = context;
    emitting *k = b->of;
    trm_emission *e = k->made;
    if (!sized_take(&sized_emit_def, k->given, &k->def)) {
        char why[300];
        sized_refuse(&sized_emit_def, k->given, why, sizeof why);
        diag_error(&e->diags, (place){0}, "%s", why);
        b->status = TRM_WRONG_MODEL;
        return;
    }
    b->status = find_start(k);
    if (b->status != TRM_OK)
        return;
    if (k->def.single_precision)
        take_states(k);
    b->status = content_use(k->model, emit, k);
    if (b->status != TRM_NO_MEMORY)
        arena_free(k->scratch);
}

static trm_status make(arena *a, void *context) {
    emitting *k = context;
    trm_emission *e = arena_alloc(a, sizeof *e);
    e->arena = e->diags.arena = a;
    e->told = e->summary = "";
    k->made = e;
    return TRM_OK;
}

trm_status trm_emit_c(trm_model *m, const trm_emit_def *def, trm_emission **out) {
    emitting k = {.model = m, .given = def};
    *out = NULL;
    if (m->now->model == NULL)
        return TRM_IO_ERROR;
    if (guard_new(NULL, make, &k) == TRM_NO_MEMORY)
        return TRM_NO_MEMORY;
    beginning b = {&k, TRM_NO_MEMORY};
    bool done = guard_run(k.made->arena, NULL, begin, &b);
    if (!done || b.status == TRM_NO_MEMORY) {
        arena_free(k.made->arena);
        return TRM_NO_MEMORY;
    }
    *out = k.made;
    return b.status;
}

// ---- what came of it

int trm_emission_files(const trm_emission *e) {
    return e->files;
}

const char *trm_emission_file_name(const trm_emission *e, int i) {
    return i >= 0 && i < e->files ? e->name[i] : "";
}

const char *trm_emission_file_text(const trm_emission *e, int i) {
    return i >= 0 && i < e->files ? e->text[i] : "";
}

const char *trm_emission_summary(const trm_emission *e) {
    return e->summary;
}

static const char *messages(void *object, int how) {
    trm_emission *e = object;
    const char *own = diags_text(&e->diags, e->arena, how);
    return e->told[0] ? arena_print(e->arena, "%s%s", e->told, own) : own;
}

const char *trm_emission_messages(trm_emission *e, int how) {
    return guard_text(e->arena, messages, e, how, "out of memory\n");
}

void trm_emission_free(trm_emission *e) {
    if (e)
        arena_free(e->arena);
}
