/* Sweeps: begun, continued, read, exported. */
#include "api/sweep.h"

#include "api/guard.h"
#include "api/run_settings.h"
#include "api/sized.h"
#include "sweep/stored.h"

#include <math.h>
#include <string.h>

// ---- what was asked for

static bool wrong(trm_sweep_result *r, const char *message, const char *hint) {
    diag_error(&r->diags, (place){0}, "%s", message)->hint = hint;
    return false;
}

static bool check_settings(trm_sweep_result *r, trm_model *m, const trm_run_def *run) {
    trm_result *probe = result_new(r->arena, m, &study_run);
    run_options o;
    bool ok = settings_read(probe, run, true, &o);
    for (int i = 0; i < probe->diags.list.count; i++) {
        vec_push(r->arena, r->diags.list, probe->diags.list.at[i]);
        r->diags.errors++;
    }
    return ok;
}

static bool check_def(trm_sweep_result *r) {
    const trm_sweep_def *d = &r->def;
    if (d->sampling < TRM_GRID || d->sampling > TRM_RANDOM)
        return wrong(r, "there is no such sampling", "TRM_GRID to TRM_RANDOM");
    if (d->cases && d->sampling != TRM_GRID)
        return wrong(r, "cases come from a file, or are combined or drawn, not both", NULL);
    if (d->keep != TRM_KEEP_FINAL && d->keep != TRM_KEEP_SAMPLES)
        return wrong(r, "there is nothing like that to keep", "TRM_KEEP_FINAL or TRM_KEEP_SAMPLES");
    if (d->threads < 0 || d->threads > 1024)
        return wrong(r, "the number of threads must be from 1 to 1024", NULL);
    if (d->deal && (d->deal->size != sizeof *d->deal || d->folder == NULL))
        return wrong(r, "processes that share a sweep need a folder, and a trm_deal of this version", NULL);
    if (!(d->timeout >= 0) || d->stop_after < 0)
        return wrong(r, "the time for a case, and how many may fail, must not be negative", NULL);
    return true;
}

// of the program's settings what is of each case
static bool take_def(trm_sweep_result *r, const trm_sweep_def *given, trm_run_def *run) {
    bool ok = sized_told(&r->diags, &sized_sweep_def, given);
    sized_take(&sized_sweep_def, given, &r->def);
    const trm_run_def *of_run = r->def.run;
    ok = sized_told(&r->diags, &sized_run_def, of_run) && ok;
    sized_take(&sized_run_def, of_run, run);
    run->csv = NULL;
    run->file = NULL;
    run->keep = TRM_KEEP_NOTHING;
    run->progress = NULL;
    run->sample = NULL;
    run->profile = run->along = 0;
    r->def.run = run;
    return ok && check_def(r);
}

// ---- what can be told

static void see_columns(trm_sweep_result *r) {
    const sweep_columns *c = &r->columns;
    r->shown = arena_array(r->arena, int, c->list.count + 1);
    r->values = arena_array(r->arena, double *, c->list.count + 1);
    for (int i = 0; i < c->list.count; i++) {
        r->parameter_count += c->list.at[i].kind == COLUMN_IS_PARAMETER;
        if (c->list.at[i].kind != COLUMN_IS_HIDDEN && !sweep_columns_repeated(c, i))
            r->shown[r->shown_count++] = i;
    }
}

static void see_about(trm_sweep_result *r) {
    const char *at = r->stored, *key, *value;
    vec(const char *) vary = {0};
    r->about.store = &r->store;
    r->about.title = r->about.kind = "";
    while (stored_next(r->arena, &at, &key, &value)) {
        if (strcmp(key, "title") == 0)
            r->about.title = text_tamed(r->arena, value, false);
        if (strcmp(key, "sampling") == 0)
            r->about.kind = value;
        if (strcmp(key, "vary") == 0 || strcmp(key, "cases-file") == 0)
            vec_push(r->arena, vary, text_tamed(r->arena, value, false));
    }
    r->about.vary = vary.at;
    r->about.vary_count = vary.count;
}

// ---- a sweep

typedef struct {
    const trm_sweep_def *def;
    const char *expected; // the text of the plan's file; NULL: it is a new one
    trm_sweep_result *made;
} sweeping;

static trm_sweep_result *new_result(arena *a) {
    trm_sweep_result *r = arena_alloc(a, sizeof *r);
    *r = (trm_sweep_result){.arena = a, .diags = {.arena = a}};
    return r;
}

static trm_status make_plan(trm_sweep_result *r, trm_model *m) {
    static const plan_kind kinds[] = {PLAN_GRID, PLAN_ZIP, PLAN_LHS, PLAN_SOBOL, PLAN_RANDOM};
    const trm_sweep_def *d = &r->def;
    plan_wish wish = {.kind = kinds[d->sampling],
                      .given = d->vary,
                      .count = d->vary_count,
                      .draws = d->draws,
                      .seed = (uint64_t)d->seed,
                      .file = d->cases};
    r->plan = plan_new(r->arena, m->model, &wish, m->settings, m->setting_count, &r->diags);
    if (r->plan == NULL)
        return TRM_WRONG_MODEL;
    r->columns = sweep_columns_of(r->arena, m, r->plan, d->keep == TRM_KEEP_SAMPLES);
    r->stored = sweep_stored(r->arena, m, d, r->plan, &r->columns);
    return TRM_OK;
}

static const char *line_at(arena *a, const char *from, int line) {
    for (; line > 1 && *from; from++)
        line -= *from == '\n';
    return arena_copy(a, from, strcspn(from, "\n"));
}

// what is asked for now is not what the folder is of
static trm_status check_plan(trm_sweep_result *r, const char *expected) {
    int line;
    if (expected == NULL || journal_compare(expected, r->stored, &line))
        return TRM_OK;
    const char *was = line_at(r->arena, expected, line), *is = line_at(r->arena, r->stored, line);
    diag *d = diag_error(&r->diags, (place){0}, "'%s' cannot be continued", r->def.folder);
    if (strncmp(was, "source ", 7) == 0)
        d->hint = arena_print(r->arena, "'%s' has changed since the sweep began: begin another one",
                              was + 7 + strcspn(was + 7, " ") + 1);
    else if (strncmp(was, "cases-file ", 11) == 0)
        d->hint =
            arena_print(r->arena, "'%s' has changed since the sweep began: begin another one", r->plan->file);
    else if (strncmp(was, "kernel ", 7) == 0)
        d->hint =
            arena_print(r->arena,
                        "it was begun with kernels for %s and these are for %s, whose last bits differ: "
                        "TRAMMEL_KERNEL=%s asks for them, where the processor has them",
                        was + 7, is + 7, was + 7);
    else
        d->hint = arena_print(r->arena, "its plan says '%s', and now that would be '%s'", was, is);
    return TRM_WRONG_MODEL;
}

static trm_status open_as(trm_sweep_result *r, const trm_model *m, journal_how how) {
    bool io;
    const trm_deal *deal = r->def.deal;
    r->journal = journal_open(r->arena, r->def.folder, how, r->stored, m->model->sources.at[0]->text,
                              r->plan->cases, &r->columns, deal ? deal->rank : 0, &r->diags, &io);
    if (r->journal == NULL)
        return io ? TRM_IO_ERROR : TRM_WRONG_MODEL;
    return journal_index(r->journal) ? TRM_OK : TRM_NO_MEMORY;
}

// all go on, or none does
static trm_status agreed(trm_sweep_result *r, trm_status status) {
    const trm_deal *deal = r->def.deal;
    if (deal == NULL || deal->meet(deal->context, status == TRM_OK) || status != TRM_OK)
        return status;
    if (deal->rank > 0) // the others tell why
        return TRM_WRONG_MODEL;
    diag_error(&r->diags, (place){0}, "another of the %d processes cannot take part", deal->ranks);
    return TRM_IO_ERROR;
}

// the first process makes or mends the folder, then the others join
static trm_status open_journal(trm_sweep_result *r, const trm_model *m, trm_status status, bool joins) {
    bool first = r->def.deal == NULL || r->def.deal->rank == 0;
    if (status == TRM_OK && first)
        status = open_as(r, m, joins ? JOURNAL_JOIN : JOURNAL_FRESH);
    status = agreed(r, status);
    if (status == TRM_OK && !first)
        status = open_as(r, m, JOURNAL_SHARE);
    status = r->def.deal ? agreed(r, status) : status;
    if (status == TRM_OK)
        r->store = (sweep_store){.journal = r->journal,
                                 .columns = &r->columns,
                                 .cases = r->plan->cases,
                                 .plan = r->stored,
                                 .model = m->model->sources.at[0]->text,
                                 .version = trm_version()};
    return status;
}

static trm_status status_of(const trm_sweep_result *r) {
    const journal *j = r->journal;
    if (journal_count(j, CASE_NO_SOLUTION) || journal_count(j, CASE_WRONG) ||
        journal_count(j, CASE_NO_MEMORY) || journal_count(j, CASE_TIMEOUT))
        return TRM_NO_SOLUTION;
    return journal_count(j, CASE_EXPECTATION) ? TRM_EXPECTATION_FAILED : TRM_OK;
}

static trm_status tell_end(trm_sweep_result *r, crew_end end) {
    const char *folder = r->def.folder, *why = journal_why(r->journal);
    const char *goes_on = folder ? arena_print(r->arena, "go on with " SETTING "continue %s", folder) : NULL;
    switch (end) {
    case CREW_CANNOT_WRITE:
        diag_error(&r->diags, (place){0}, "cannot write to '%s': %s", folder ? folder : "memory", why)->hint =
            goes_on ? arena_print(r->arena, "what was done is kept; %s", goes_on) : NULL;
        return TRM_IO_ERROR;
    case CREW_NO_MEMORY:
        return TRM_NO_MEMORY;
    case CREW_STOPPED:
        return TRM_INTERRUPTED;
    case CREW_FAILURES:
        diag_warning(&r->diags, (place){0}, "stopped after %ld failures, with %ld of %ld cases done",
                     r->def.stop_after, journal_done(r->journal), r->plan->cases)
            ->hint = goes_on;
        break;
    case CREW_DONE:
        break;
    }
    return status_of(r);
}

static trm_status sweep(arena *a, trm_model *m, void *context) {
    sweeping *k = context;
    trm_sweep_result *r = new_result(a);
    trm_run_def *run = arena_alloc(a, sizeof *run);
    k->made = r;
    bool fine = take_def(r, k->def, run) && !m->wrong && check_settings(r, m, run);
    trm_status status = fine ? make_plan(r, m) : TRM_WRONG_MODEL;
    if (status == TRM_OK)
        status = check_plan(r, k->expected);
    status = open_journal(r, m, status, k->expected != NULL);
    if (status != TRM_OK)
        return status;
    long before = journal_done(r->journal);
    double begun = profile_clock();
    crew_end end = sweep_do(r, m, run);
    journal_end(r->journal);
    if (!journal_index(r->journal))
        return TRM_NO_MEMORY;
    see_columns(r);
    see_about(r);
    r->about.seconds = profile_clock() - begun;
    r->about.done_now = journal_done(r->journal) - before;
    return tell_end(r, end);
}

trm_status trm_sweep(trm_model *m, const trm_sweep_def *def, trm_sweep_result **out) {
    sweeping k = {.def = def};
    trm_status status = m->now->model ? content_use(m, sweep, &k) : TRM_IO_ERROR;
    *out = k.made;
    return status;
}

// ---- one that is there

typedef struct {
    const char *folder;
    const trm_sweep_def *def;
    sweep_asked asked;
    const char *stored;
    trm_sweep_result *made;
} reading;

static trm_status read_stored(arena *a, reading *k) {
    const char *why;
    trm_sweep_result *r = k->made = new_result(a);
    k->stored = journal_file(a, k->folder, "plan", &why);
    if (k->stored && strncmp(k->stored, "trammel-sweep 1\n", 16) == 0)
        return TRM_OK;
    diag_error(&r->diags, (place){0}, "cannot read the sweep '%s': %s", k->folder,
               k->stored ? "its plan is of another version" : why)
        ->hint = "the folder of a sweep is NAME.sweep and has a file 'plan'";
    return k->stored ? TRM_WRONG_MODEL : TRM_IO_ERROR;
}

static trm_status read_asked(arena *a, void *context) {
    reading *k = context;
    trm_status status = read_stored(a, k);
    if (status == TRM_OK)
        sweep_restore(a, k->stored, &k->asked);
    if (status == TRM_OK && k->asked.path == NULL)
        status = TRM_WRONG_MODEL;
    return status;
}

/* What of a going on is said anew. */
static bool take_from(reading *k) {
    trm_sweep_def given;
    trm_run_def run;
    if (!sized_told(&k->made->diags, &sized_sweep_def, k->def))
        return false;
    sized_take(&sized_sweep_def, k->def, &given);
    if (!sized_told(&k->made->diags, &sized_run_def, given.run))
        return false;
    sized_take(&sized_run_def, given.run, &run);
    k->asked.run.stop = run.stop;
    k->asked.def.run = &k->asked.run;
    k->asked.def.folder = k->folder;
    k->asked.def.threads = given.threads;
    k->asked.def.timeout = given.timeout;
    k->asked.def.stop_after = given.stop_after;
    k->asked.def.deal = given.deal;
    k->asked.def.progress = given.progress;
    k->asked.def.progress_context = given.progress_context;
    return true;
}

trm_status trm_sweep_continue(const char *folder, const trm_sweep_def *def, trm_model **m,
                              trm_sweep_result **out) {
    reading k = {.folder = folder, .def = def};
    sweeping next = {.def = &k.asked.def};
    *m = NULL;
    *out = NULL;
    trm_status status = guard_new(NULL, read_asked, &k);
    if (status == TRM_NO_MEMORY)
        return status;
    if (!take_from(&k) && status == TRM_OK)
        status = TRM_WRONG_MODEL;
    if (status == TRM_OK)
        status = trm_model_read(k.asked.path, k.asked.settings, k.asked.setting_count, m);
    const trm_deal *deal = k.asked.def.deal;
    if (deal && !deal->meet(deal->context, status == TRM_OK) && status == TRM_OK)
        status = TRM_IO_ERROR;
    if (status == TRM_OK) {
        next.expected = k.stored;
        status = content_use(*m, sweep, &next);
    }
    *out = next.made ? next.made : k.made;
    if (next.made) { // texts of the plan are of the first
        arena *a = k.made->arena;
        next.made->def.folder = arena_copy(next.made->arena, folder, strlen(folder));
        arena_free(a);
    }
    return status;
}

static trm_status read_folder(arena *a, void *context) {
    reading *k = context;
    bool io;
    const char *why;
    trm_status status = read_stored(a, k);
    trm_sweep_result *r = k->made;
    long cases;
    if (status != TRM_OK)
        return status;
    r->stored = k->stored;
    if (!stored_read_columns(a, k->stored, &cases, &r->columns)) {
        diag_error(&r->diags, (place){0}, "the plan of '%s' is damaged", k->folder);
        return TRM_WRONG_MODEL;
    }
    const char *said = journal_file(a, k->folder, "model.tram", &why);
    const char *version = stored_find(a, k->stored, "version");
    r->journal = journal_open(a, k->folder, JOURNAL_LOOK, NULL, NULL, cases, &r->columns, 0, &r->diags, &io);
    if (r->journal == NULL)
        return TRM_IO_ERROR;
    if (!journal_index(r->journal))
        return TRM_NO_MEMORY;
    r->store =
        (sweep_store){r->journal, &r->columns, cases, r->stored, said ? said : "", version ? version : ""};
    see_columns(r);
    see_about(r);
    return status_of(r);
}

trm_status trm_sweep_read(const char *folder, trm_sweep_result **out) {
    reading k = {.folder = folder};
    trm_status status = guard_new(NULL, read_folder, &k);
    *out = status == TRM_NO_MEMORY ? NULL : k.made;
    return status;
}

void trm_sweep_free(trm_sweep_result *r) {
    if (r)
        arena_free(r->arena);
}

// ---- what is in it

long trm_sweep_cases(const trm_sweep_result *r) {
    return r->store.cases;
}

int trm_sweep_status(const trm_sweep_result *r, long which) {
    return r->journal ? journal_status(r->journal, which) : -1;
}

int trm_sweep_parameters(const trm_sweep_result *r) {
    return r->parameter_count;
}

int trm_sweep_columns(const trm_sweep_result *r) {
    return r->shown_count;
}

int trm_sweep_sampled(const trm_sweep_result *r) {
    return r->columns.sampled;
}

const char *trm_sweep_column_name(trm_sweep_result *r, int i) {
    return i >= 0 && i < r->shown_count ? r->columns.list.at[r->shown[i]].name : "";
}

typedef struct {
    trm_sweep_result *result;
    int which;
    const double *found;
} gathering;

static void gather(void *context) {
    gathering *k = context;
    trm_sweep_result *r = k->result;
    double *out = arena_doubles(r->arena, (size_t)r->store.cases);
    for (long i = 0; i < r->store.cases; i++) {
        case_record of;
        out[i] = journal_read(r->journal, i, &of) ? of.values[r->shown[k->which]] : NAN;
    }
    k->found = r->values[k->which] = out;
}

const double *trm_sweep_column(trm_sweep_result *r, int i) {
    gathering k = {r, i, NULL};
    if (i < 0 || i >= r->shown_count)
        return NULL;
    if (r->values[i])
        return r->values[i];
    return guard_run(r->arena, NULL, gather, &k) ? k.found : NULL;
}

const char *trm_sweep_message(trm_sweep_result *r, long which) {
    case_record of;
    return r->journal && journal_read(r->journal, which, &of) ? of.message : "";
}

const double *trm_sweep_samples(trm_sweep_result *r, long which, long *count) {
    case_record of;
    *count = 0;
    if (r->journal == NULL || r->columns.sampled == 0 || !journal_read(r->journal, which, &of) ||
        of.samples == 0)
        return NULL;
    *count = of.samples;
    return of.sampled;
}

static const char *in_words(void *object, int json) {
    trm_sweep_result *r = object;
    if (r->about.store == NULL)
        return "";
    return json ? sweep_json(r->arena, &r->about)
                : text_tamed(r->arena, sweep_summary(r->arena, &r->about), true);
}

const char *trm_sweep_summary(trm_sweep_result *r) {
    return guard_text(r->arena, in_words, r, 0, "");
}

const char *trm_sweep_json(trm_sweep_result *r) {
    return guard_text(r->arena, in_words, r, 1, "");
}

static const char *messages(void *object, int how) {
    trm_sweep_result *r = object;
    return diags_text(&r->diags, r->arena, how);
}

const char *trm_sweep_messages(trm_sweep_result *r, int how) {
    return guard_text(r->arena, messages, r, how, "out of memory\n");
}

// ---- exports

typedef struct {
    trm_sweep_result *result;
    const char *path;
    trm_status status;
} exporting;

static bool ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcmp(path + length - tail, ending) == 0;
}

static void export(void *context) {
    exporting *k = context;
    trm_sweep_result *r = k->result;
    const char *hint, *missing;
    bool as_csv = ends_with(k->path, ".csv") || strcmp(k->path, "-") == 0;
    k->status = TRM_WRONG_MODEL;
    if (!as_csv && !ends_with(k->path, ".h5") && !ends_with(k->path, ".hdf5")) {
        wrong(r, arena_print(r->arena, "what kind of file is '%s'?", k->path), "NAME.csv or NAME.h5");
        return;
    }
    if (!as_csv && (missing = export_hdf5_missing(&hint))) {
        wrong(r, arena_print(r->arena, "cannot write '%s': %s", k->path, missing), hint);
        return;
    }
    bool ok = as_csv ? export_csv(r->arena, &r->store, k->path, &r->diags)
                     : export_hdf5(r->arena, &r->store, k->path, &r->diags);
    k->status = ok ? TRM_OK : TRM_IO_ERROR;
}

trm_status trm_sweep_export(trm_sweep_result *r, const char *path) {
    exporting k = {r, path, TRM_WRONG_MODEL};
    if (r->about.store == NULL)
        return TRM_WRONG_MODEL;
    return guard_run(r->arena, NULL, export, &k) ? k.status : TRM_NO_MEMORY;
}

// ---- pictures

static void draw(void *context) {
    static const trm_status status_of_end[] = {[PICTURE_DONE] = TRM_OK,
                                               [PICTURE_REFUSED] = TRM_WRONG_MODEL,
                                               [PICTURE_NOT_WRITTEN] = TRM_IO_ERROR,
                                               [PICTURE_STOPPED] = TRM_INTERRUPTED};
    exporting *k = context;
    trm_sweep_result *r = k->result;
    const volatile sig_atomic_t *stop = r->def.run ? r->def.run->stop : NULL;
    k->status = status_of_end[picture_make(r->arena, &r->about, k->path, stop, &r->diags)];
}

trm_status trm_sweep_plot(trm_sweep_result *r, const char *path) {
    exporting k = {r, path, TRM_WRONG_MODEL};
    if (r->about.store == NULL)
        return TRM_WRONG_MODEL;
    return guard_run(r->arena, NULL, draw, &k) ? k.status : TRM_NO_MEMORY;
}
