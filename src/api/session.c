/* Sessions: a run that is advanced piece by piece, and in which parameters and states can be set.
 *
 * What goes on between two settings is a leg: a run of its own, from the state that was reached on, assembled
 * anew as from guesses. A setting makes the next leg first and lets the one before go when that is under way,
 * so that one that fails changes nothing. A copy begins where the leg at hand began and does again what that
 * has done: how it is cut into pieces changes no bit. */
#include "api/session.h"

#include "api/guard.h"
#include "api/run_settings.h"
#include "api/sized.h"
#include "report/columns.h"
#include "system/natural.h"

#include <math.h>
#include <string.h>

// where a leg begins that is not the first
typedef struct {
    const char *from, *until; // expressions
    int n, turn_count;
    const double *q, *v, *turns; // (n) guesses, (turn_count); NULL: the model's start
} beginning;

typedef struct {
    beginning begun;
    trm_result *result; // of its run so far
    const trm_system *sys;
    drive drive;
    sink out;       // of the samples that are due
    bool asked;     // the sample at hand is not due, but asked for
    double *values; // (columns) of the last sample
    double *q, *v;  // (n) the same
    double reached; // time of that
    trm_status status;
} leg;

struct trm_session {
    arena *arena, *said_in;
    trm_run_def def;
    leg *leg;         // NULL only if memory ran out at once
    const char *said; // of a setting that failed, or NULL
};

// ---- one leg

static bool take(void *context, const sample *s) {
    leg *l = context;
    size_t n = (size_t)l->sys->n;
    columns_fill(l->sys->model, s, l->values);
    memcpy(l->q, s->q, n * sizeof *l->q);
    memcpy(l->v, s->v, n * sizeof *l->v);
    l->reached = s->t;
    return l->asked || l->out.take == NULL || l->out.take(l->out.context, s);
}

static void look_at_end(leg *l) {
    const run_report *report = run_so_far(l->drive.run);
    if (l->status == TRM_OK && report->end == RUN_FAILED)
        l->status = study_told(l->result, &report->failure);
    else if (report->end == RUN_STOPPED || l->result->samples.refused)
        l->status = TRM_INTERRUPTED;
    else if (report->end == RUN_SINK_FAILED)
        l->status = TRM_IO_ERROR;
}

/* Where no end is given: so long a span in units of the system's own time, and then another. How a session is
 * cut into pieces must not show. */
static const double SPAN = 1000;

static void begin(leg *l, const trm_run_def *def, run_options *o) {
    bool samples = o->sink.take != NULL;
    l->values = arena_doubles(l->result->arena, (size_t)columns_count(l->sys->model));
    l->q = arena_doubles(l->result->arena, (size_t)l->sys->n);
    l->v = arena_doubles(l->result->arena, (size_t)l->sys->n);
    l->out = o->sink;
    o->sink = (sink){take, l};
    o->unsampled = !samples;
    if (!(o->until > o->from))
        o->until = o->from + SPAN / l->sys->natural->rate;
    l->reached = o->from;
    drive_begin(&l->drive, l->result, l->sys, def, o);
    look_at_end(l);
}

typedef struct {
    const trm_run_def *def;
    const beginning *from; // NULL: the model's start
    leg *made;
} making;

static const double *kept_doubles(arena *a, const double *given, int count) {
    double *out = arena_doubles(a, (size_t)count);
    if (count > 0)
        memcpy(out, given, (size_t)count * sizeof *out);
    return out;
}

static const char *kept(arena *a, const char *given) {
    return given ? arena_copy(a, given, strlen(given)) : NULL;
}

// the state that was reached as a guess, which is what no start of a model says exactly
static bool go_on(leg *l, const beginning *from, trm_run_def *def) {
    trm_result *r = l->result;
    model *m = r->model->model;
    if (m->coords.count != from->n || m->turns.count != from->turn_count) {
        diag_error(&r->diags, (place){0}, "the model has other coordinates then")->hint =
            "begin another session with it";
        return false;
    }
    l->begun = *from;
    l->begun.from = def->from = kept(r->arena, from->from);
    l->begun.until = def->until = kept(r->arena, from->until);
    l->begun.q = r->begin_q = kept_doubles(r->arena, from->q, from->n);
    l->begun.v = r->begin_v = kept_doubles(r->arena, from->v, from->n);
    l->begun.turns = kept_doubles(r->arena, from->turns, from->turn_count);
    for (int i = 0; i < from->turn_count; i++)
        m->turn_starts.at[i] = from->turns[i];
    return true;
}

static trm_status make_leg(arena *a, trm_model *m, void *context) {
    making *k = context;
    run_options o;
    leg *l = arena_alloc(a, sizeof *l);
    l->result = result_new(a, m, &study_run);
    l->status = TRM_WRONG_MODEL;
    k->made = l;
    trm_system *sys = NULL;
    trm_run_def def;
    bool ok =
        settings_take(l->result, k->def, &def) && !m->wrong && (k->from == NULL || go_on(l, k->from, &def));
    if (ok)
        l->status = study_prepare(l->result, &def, false, &o, &sys);
    l->sys = sys;
    if (l->status == TRM_OK)
        l->status = samples_open(l->result, &def, &o);
    if (l->status == TRM_OK)
        begin(l, &def, &o);
    return l->status;
}

// ---- a session

// what the program gave may go
static void keep_settings(arena *a, const trm_run_def *given, trm_run_def *out) {
    trm_setting *choices;
    sized_take(&sized_run_def, given, out);
    out->from = kept(a, out->from);
    out->until = kept(a, out->until);
    out->every = kept(a, out->every);
    out->tolerance = kept(a, out->tolerance);
    out->rank_tolerance = kept(a, out->rank_tolerance);
    out->integrator = kept(a, out->integrator);
    out->formulation = kept(a, out->formulation);
    out->coordinates = kept(a, out->coordinates);
    out->csv = kept(a, out->csv);
    if (out->choices == NULL || out->choice_count < 0)
        return; // what is wrong with it is said where the session begins
    choices = arena_array(a, trm_setting, out->choice_count + 1);
    for (int i = 0; i < out->choice_count; i++)
        choices[i] = (trm_setting){kept(a, out->choices[i].name), kept(a, out->choices[i].value)};
    out->choices = choices;
}

typedef struct {
    const trm_run_def *def;
    trm_session *made;
} creating;

static trm_status create(arena *a, void *context) {
    creating *k = context;
    trm_session *s = arena_alloc(a, sizeof *s);
    s->arena = a;
    keep_settings(a, k->def, &s->def);
    k->made = s;
    return TRM_OK;
}

trm_status trm_session_create(trm_model *m, const trm_run_def *def, trm_session **out) {
    creating k = {def, NULL};
    *out = NULL;
    if (m->now->model == NULL)
        return TRM_IO_ERROR;
    trm_status status = guard_new(NULL, create, &k);
    if (status != TRM_OK)
        return status;
    trm_run_def given = k.made->def;
    making first = {&given, NULL, NULL};
    if (def) // its size is looked at where there is a place for what is wrong with it
        given.size = def->size;
    status = settings_show_pictures(def) ? content_use_pictured(m, make_leg, &first)
                                         : content_use(m, make_leg, &first);
    k.made->leg = first.made;
    if (status == TRM_NO_MEMORY)
        arena_free(k.made->arena);
    else
        *out = k.made;
    return status;
}

static trm_status refuse(trm_session *s, const char *why) {
    s->said = why;
    return TRM_WRONG_MODEL;
}

// ---- going on

typedef struct {
    leg *leg;
    double until;
} advancing;

// the motion ended; or only its span did, and another as long follows
static bool goes_on(leg *l) {
    run_options *o = &l->drive.options;
    const run_report *report = run_so_far(l->drive.run);
    if (report->end != RUN_DONE || report->stop >= 0)
        return false;
    o->until += o->until - o->from;
    return run_extend(l->drive.run);
}

static void advance(void *context) {
    advancing *k = context;
    leg *l = k->leg;
    bool within;
    while (!(within = run_advance(l->drive.run, k->until)) && goes_on(l)) {
    }
    l->asked = true;
    if (within)
        run_show(l->drive.run, k->until);
    l->asked = false;
    look_at_end(l);
}

trm_status trm_session_advance(trm_session *s, double until, double *reached) {
    leg *l = s->leg;
    advancing k = {l, until};
    s->said = NULL;
    if (l->status == TRM_OK && until > l->reached && !guard_run(l->result->arena, NULL, advance, &k))
        l->status = TRM_NO_MEMORY;
    if (reached)
        *reached = l->reached;
    if (l->status == TRM_OK && isnan(until))
        return refuse(s, "error: the time to which the session is to go on is not a number\n");
    return l->status;
}

const double *trm_session_values(const trm_session *s) {
    return s->leg->values;
}

const char *trm_session_messages(trm_session *s, int how) {
    if (s == NULL)
        return OUT_OF_MEMORY;
    return s->said ? s->said : trm_result_messages(s->leg->result, how);
}

void trm_session_free(trm_session *s) {
    if (s == NULL)
        return;
    if (s->leg)
        trm_result_free(s->leg->result);
    arena_free(s->arena);
}

// ---- setting

typedef struct {
    trm_session *session;
    const char *name;
    double value;
    leg *refused; // one that could not begin
    trm_status status;
} setting;

// x or x' of the model's coordinates, in q or v (n); NULL: it is none of them
static double *find_coordinate(const leg *l, arena *scratch, const char *name, double *q, double *v) {
    const model *m = l->sys->model;
    for (int i = 0; i < m->coords.count; i++) {
        const char *own = model_coord_name(m, i, scratch);
        size_t length = strlen(own);
        if (strncmp(own, name, length) == 0 && (name[length] == 0 || strcmp(name + length, "'") == 0))
            return &(name[length] ? v : q)[i];
    }
    return NULL;
}

static bool is_parameter(const leg *l, arena *scratch, const char *name) {
    const model *m = l->sys->model;
    text t;
    text_init(&t, scratch);
    for (int i = 0; i < m->params.count; i++) {
        text_clear(&t);
        model_label(m, m->params.at[i].label, &t);
        if (strcmp(text_string(&t), name) == 0)
            return true;
    }
    return false;
}

// where a leg has come to, with an end as far away as its own where that is over
static beginning where_it_is(const leg *l, arena *a, double *q, double *v) {
    const run_options *o = &l->drive.options;
    double from = l->reached, until = o->until > from ? o->until : from + (o->until - o->from);
    int turn_count = l->sys->model->turns.count;
    double *turns = arena_doubles(a, (size_t)turn_count);
    memcpy(q, l->q, (size_t)l->sys->n * sizeof *q);
    memcpy(v, l->v, (size_t)l->sys->n * sizeof *v);
    run_turns(l->drive.run, turns);
    return (beginning){
        arena_print(a, "%.17g", from), arena_print(a, "%.17g", until), l->sys->n, turn_count, q, v, turns};
}

static void set(void *context) {
    setting *k = context;
    trm_session *s = k->session;
    char number[40];
    size_t n = (size_t)s->leg->sys->n;
    double *q = arena_doubles(s->said_in, n), *v = arena_doubles(s->said_in, n);
    beginning from = where_it_is(s->leg, s->said_in, q, v);
    making next = {&s->def, &from, NULL};
    double *coordinate = find_coordinate(s->leg, s->said_in, k->name, q, v);
    if (coordinate)
        *coordinate = k->value;
    model_setting param = {k->name, content_number(k->value, number, sizeof number)};
    k->status = content_use_with(s->leg->result->model, &param, coordinate == NULL, false, make_leg, &next);
    if (k->status == TRM_NO_MEMORY)
        return;
    if (k->status != TRM_OK) {
        k->refused = next.made;
        s->said = arena_print(s->said_in, "%s%s", result_messages(next.made->result, 0, true),
                              coordinate || is_parameter(s->leg, s->said_in, k->name)
                                  ? ""
                                  : "    nor is there a coordinate or velocity of that name\n");
        return;
    }
    trm_result_free(s->leg->result);
    s->leg = next.made;
}

static void begin_saying(void *session) {
    trm_session *s = session;
    s->said_in = arena_child(s->arena);
}

trm_status trm_session_set(trm_session *s, const char *name, double value) {
    setting k = {s, content_name(name), value, NULL, TRM_NO_MEMORY};
    s->said = NULL;
    if (s->leg->status != TRM_OK)
        return s->leg->status;
    if (s->def.csv || s->def.keep != TRM_KEEP_NOTHING)
        return refuse(s,
                      "error: nothing can be set in a session that writes or keeps its samples: take them as "
                      "they come\n");
    if (!isfinite(value))
        return refuse(s, "error: what is set must be a finite number\n");
    if (s->said_in)
        arena_free(s->said_in);
    s->said_in = NULL;
    bool said = guard_run(s->arena, NULL, begin_saying, s) && guard_run(s->arena, s->said_in, set, &k);
    if (k.refused)
        trm_result_free(k.refused->result);
    return said ? k.status : TRM_NO_MEMORY;
}

// ---- copies

trm_status trm_session_copy(const trm_session *of, trm_session **out) {
    trm_run_def def = of->def;
    def.csv = NULL;
    def.file = NULL;
    def.keep = TRM_KEEP_NOTHING;
    def.sample = NULL;
    def.progress = NULL;
    creating k = {&def, NULL};
    *out = NULL;
    trm_status status = guard_new(NULL, create, &k);
    if (status != TRM_OK)
        return status;
    making first = {&k.made->def, of->leg->begun.q ? &of->leg->begun : NULL, NULL};
    status = content_use_with(of->leg->result->model, NULL, 0, false, make_leg, &first);
    k.made->leg = status == TRM_NO_MEMORY ? NULL : first.made; // which is gone then
    if (status == TRM_OK)
        status = trm_session_advance(k.made, of->leg->reached, NULL);
    if (status == TRM_NO_MEMORY)
        trm_session_free(k.made);
    else
        *out = k.made;
    return status == TRM_NO_MEMORY ? status : TRM_OK;
}
