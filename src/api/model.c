/* Models: read, asked, derived once. */
#include "api/callbacks.h"
#include "api/guard.h"
#include "api/objects.h"
#include "base/file.h"
#include "report/columns.h"
#include "report/equations.h"
#include "report/mathml.h"

#include <string.h>

typedef struct {
    const char *path, *text; // text NULL: that of the file
    const trm_setting *settings;
    int count;
    trm_model *made;
} reading;

static const source *read_source(trm_model *m, const char *path, const char *given) {
    const char *why = NULL;
    if (given) {
        source *s = arena_alloc(m->arena, sizeof *s);
        *s = (source){m->path, arena_copy(m->arena, given, strlen(given)), (int)strlen(given)};
        return s;
    }
    const source *s = file_read(m->arena, path, &why);
    if (s == NULL)
        diag_error(&m->problems, (place){0}, "cannot read '%s': %s", path, why);
    return s;
}

void model_elaborate(trm_model *m) {
    const trm_model *first = m->first;
    m->model = mech_read_again(m->arena, m->source, first == m ? NULL : &first->model->sources, m->settings,
                               m->setting_count);
    if (m->model->diags.errors == 0)
        callbacks_supply(m->model, m->callbacks);
    m->told = m->model->diags.list.count;
    m->wrong = m->model->diags.errors > 0;
    m->kept = expr_pool_size(m->model->pool);
    if (first != m) // what is read once finds nothing, and keeps nothing
        expr_pool_set_kernels(m->model->pool, first->kernels);
}

static const char *copied(arena *a, const char *given, size_t room) {
    size_t length = strlen(given);
    char *copy = arena_alloc(a, length < room ? room : length + 1);
    return memcpy(copy, given, length + 1);
}

trm_model *model_again(arena *a, const trm_model *m, const model_setting *more, int count) {
    trm_model *again = arena_alloc(a, sizeof *again);
    model_setting *all = arena_array(a, model_setting, m->setting_count + count + 1);
    int kept = 0;
    for (int i = 0; i < m->setting_count; i++) { // one that is given again takes the place of the first
        bool given = false;
        for (int k = 0; k < count; k++)
            given |= strcmp(more[k].name, m->settings[i].name) == 0;
        if (!given)
            all[kept++] = m->settings[i];
    }
    for (int k = 0; k < count; k++)
        all[kept++] = more[k];
    for (int i = 0; i < kept; i++)
        all[i] = (model_setting){copied(a, all[i].name, 0), copied(a, all[i].value, SETTING_ROOM)};
    *again = (trm_model){.arena = a,
                         .first = m->first,
                         .path = m->first->path,
                         .source = m->first->source,
                         .settings = all,
                         .setting_count = kept,
                         .callbacks = m->first->callbacks,
                         .problems = {.arena = a}};
    again->now = again;
    again->set = arena_doubles(a, (size_t)kept + 1);
    model_elaborate(again);
    again->turn_starts = arena_doubles(a, (size_t)again->model->turn_starts.count + 1);
    for (int i = 0; i < again->model->turn_starts.count; i++)
        again->turn_starts[i] = again->model->turn_starts.at[i];
    again->seconds = m->seconds;
    return again;
}

static void leave_kernels(void *object) {
    kernel_store_leave(((trm_model *)object)->kernels);
}

trm_model *model_new(arena *a, const char *name, const char *given) {
    trm_model *m = arena_alloc(a, sizeof *m);
    m->arena = m->problems.arena = a;
    m->first = m->now = m;
    pthread_mutex_init(&m->taking, NULL);
    arena_when_freed(a, leave_kernels, m);
    m->kernels = kernel_store_new();
    if (m->kernels == NULL)
        arena_give_up(a);
    m->path = arena_copy(a, name, strlen(name));
    m->source = read_source(m, name, given);
    return m;
}

static trm_status read_model(arena *a, void *context) {
    reading *k = context;
    double start = profile_clock();
    trm_model *m = model_new(a, k->path, k->text);
    if (m->source) {
        model_setting *own = arena_array(a, model_setting, k->count + 1);
        for (int i = 0; i < k->count; i++) {
            const char *name = content_name(k->settings[i].name), *value = content_text(k->settings[i].value);
            own[i] = (model_setting){arena_copy(a, name, strlen(name)), arena_copy(a, value, strlen(value))};
        }
        m->settings = own;
        m->setting_count = k->count;
        model_elaborate(m);
    }
    m->seconds = profile_clock() - start;
    k->made = m;
    return m->source == NULL ? TRM_IO_ERROR : m->wrong ? TRM_WRONG_MODEL : TRM_OK;
}

static trm_status read_by(reading *k, trm_model **out) {
    trm_status status = guard_new(NULL, read_model, k);
    *out = k->made;
    return status;
}

trm_status trm_model_read_text(const char *name, const char *given, const trm_setting *settings, int count,
                               trm_model **out) {
    reading k = {content_text(name), content_text(given), settings, count, NULL};
    return read_by(&k, out);
}

trm_status trm_model_read(const char *path, const trm_setting *settings, int count, trm_model **out) {
    reading k = {content_text(path), NULL, settings, count, NULL};
    return read_by(&k, out);
}

// ---- what it says

arena *model_words(trm_model *m) {
    if (m->words == NULL)
        m->words = arena_child(m->arena);
    return m->words;
}

static const char *messages(void *object, int how) {
    trm_model *m = object;
    return diags_text(m->model ? &m->model->diags : &m->problems, model_words(m), how);
}

// why what was asked is refused
static const char *reasons(void *object, int how) {
    const diags *d = object;
    return diags_text(d, d->arena, how);
}

const char *trm_model_messages(trm_model *m, int how) {
    if (m == NULL)
        return OUT_OF_MEMORY;
    trm_model *of = m->refused ? m->refused : m->now;
    return m->asked ? guard_text(m->asked->arena, reasons, m->asked, how, OUT_OF_MEMORY)
                    : guard_text(of->arena, messages, of, how, OUT_OF_MEMORY);
}

const char *trm_model_title(const trm_model *m) {
    return m->now->model && m->now->model->title ? m->now->model->title : "";
}

int trm_model_coordinates(const trm_model *m) {
    return m->now->model ? m->now->model->coords.count : 0;
}

int trm_model_rows(const trm_model *m) {
    return m->now->model ? m->now->model->rows.count : 0;
}

int trm_model_plots(const trm_model *m) {
    return m->now->model ? m->now->model->plots.count : 0;
}

static const char *coordinate_name(void *object, int i) {
    trm_model *m = object;
    return model_coord_name(m->model, i, model_words(m));
}

const char *trm_model_coordinate_name(trm_model *m, int i) {
    bool there = i >= 0 && i < trm_model_coordinates(m);
    return there ? guard_text(m->now->arena, coordinate_name, m->now, i, "") : "";
}

static const char *row_name(void *object, int i) {
    trm_model *m = object;
    text t;
    text_init(&t, model_words(m));
    model_row_name(m->model, i, &t);
    return text_string(&t);
}

const char *trm_model_row_name(trm_model *m, int i) {
    return i >= 0 && i < trm_model_rows(m) ? guard_text(m->now->arena, row_name, m->now, i, "") : "";
}

int trm_model_columns(const trm_model *m) {
    return m->now->model ? columns_count(m->now->model) : 0;
}

static const char *column_name(void *object, int i) {
    trm_model *m = object;
    if (m->column_names == NULL)
        m->column_names = arena_array(m->arena, const char *, columns_count(m->model));
    if (m->column_names[i] == NULL)
        m->column_names[i] = columns_name_at(m->arena, m->model, i);
    return m->column_names[i];
}

const char *content_column_name(trm_model *m, int i) {
    return i >= 0 && i < columns_count(m->model) ? guard_text(m->arena, column_name, m, i, "") : "";
}

const char *trm_model_column_name(trm_model *m, int i) {
    return m->now->model ? content_column_name(m->now, i) : "";
}

typedef struct {
    trm_model *model;
    const char *text;
    double *value;
    diags *said;
} number;

static trm_status find_number(arena *a, void *context) {
    number *k = context;
    diags *said = arena_alloc(a, sizeof *said);
    *said = (diags){.arena = a};
    k->said = said;
    return model_number(a, k->model->model, "expression", k->text, said, k->value) ? TRM_OK : TRM_WRONG_MODEL;
}

static trm_status say_refusal(arena *a, void *context) {
    number *k = context;
    k->said = arena_alloc(a, sizeof *k->said);
    *k->said = (diags){.arena = a};
    diag_error(k->said, (place){0}, "%s", k->text);
    return TRM_OK;
}

bool model_refuse(trm_model *m, const char *why) {
    number k = {m, why, NULL, NULL};
    model_forget_refusal(m);
    if (guard_new(NULL, say_refusal, &k) != TRM_OK)
        return false;
    m->asked = k.said;
    return true;
}

void model_forget_refusal(trm_model *m) {
    if (m->asked)
        arena_free(m->asked->arena);
    m->asked = NULL;
}

trm_status trm_model_number(trm_model *m, const char *given, double *out) {
    number k = {m->now, content_text(given), out, NULL};
    model_forget_refusal(m);
    if (m->now->model == NULL)
        return TRM_IO_ERROR;
    trm_status status = guard_new(m->now->arena, find_number, &k);
    if (status != TRM_NO_MEMORY)
        m->asked = k.said;
    if (status == TRM_OK)
        model_forget_refusal(m);
    model_forget(m->now);
    return status;
}

// ---- its equations

const mech *model_derived(trm_model *m) {
    if (m->model == NULL || m->wrong)
        return NULL;
    if (m->mech == NULL) {
        m->model->diags.list.count = m->told; // an attempt that ran out of memory may have told some of it
        m->model->diags.errors = 0;
        model_forget(m);
        m->mech = mech_derive(m->arena, m->model);
        m->kept = expr_pool_size(m->model->pool);
    }
    return m->model->diags.errors == 0 ? m->mech : NULL;
}

trm_system *model_system(trm_model *m, arena *a, bool exact, double span, double every, evaluate_how how) {
    const mech *d = model_derived(m);
    if (d == NULL)
        return NULL;
    expr_pool_set_exact(m->model->pool, exact);
    return system_new(a, m->model, d, how, span, every);
}

void model_forget(trm_model *m) {
    if (m->model)
        expr_pool_truncate(m->model->pool, m->kept);
}

static const char *equations(void *object, int notation) {
    trm_model *m = object;
    const mech *d = model_derived(m);
    if (d == NULL)
        return NULL;
    print_style style = notation == TRM_TEXT ? PRINT_TEXT : PRINT_LATEX;
    const char *written = equations_text(model_words(m), m->model, d, style);
    return notation == TRM_MATHML ? mathml_from_latex(model_words(m), written) : written;
}

const char *content_equations(trm_model *m, trm_notation notation) {
    return guard_text(m->arena, equations, m, notation, NULL);
}

const char *trm_model_equations(trm_model *m, trm_notation notation) {
    return content_equations(m->now, notation);
}
