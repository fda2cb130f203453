/* Sessions. */
#include "api/session.h"

#include "api/guard.h"
#include "api/run_settings.h"
#include "report/columns.h"
#include "system/natural.h"

#include <math.h>

// ---- one run

void drive_begin(drive *d, trm_result *r, const trm_system *sys, const trm_run_def *def,
                 const run_options *o) {
    *d = (drive){.options = *o, .arena = arena_child(r->arena), .began = profile_clock()};
    if (def->profile) {
        d->profile = arena_alloc(r->arena, sizeof *d->profile);
        *d->profile = (profile){.now = PROFILE_START, .since = profile_clock()};
    }
    trm_state *st = o->tree ? o->start_state : solve_new_state(d->arena, sys);
    if (o->tree) {
        d->options.tree_state = solve_new_state(d->arena, o->tree);
        state_set_profile(d->options.tree_state, d->profile);
    }
    if (r->formulation) {
        solve_use(sys, st, r->formulation, NULL);
        solve_choose(st, &r->chosen.choice);
    }
    state_set_profile(st, d->profile);
    if (d->profile)
        profile_turn_to(d->profile, PROFILE_STEPS);
    d->run = run_begin(r->arena, sys, st, &d->options);
}

run_report *drive_end(drive *d, trm_result *r) {
    double writing = r->samples.seconds;
    run_report *report = run_finish(d->run);
    arena_free(d->arena);
    if (d->profile) {
        profile_turn_to(d->profile, PROFILE_STEPS);
        d->profile->seconds[PROFILE_SAMPLE] -= writing;
    }
    r->findings.simulate_seconds = profile_clock() - d->began - writing;
    r->findings.write_seconds = writing;
    r->findings.profile = d->profile;
    return report;
}

// ---- sessions

struct trm_session {
    trm_result *result; // of its run so far
    const trm_system *sys;
    drive drive;
    sink out;       // of the samples that are due
    bool asked;     // the sample at hand is not due, but asked for
    double *values; // (columns) of the last sample
    double reached; // time of that
    trm_status status;
};

static bool take(void *context, const sample *s) {
    trm_session *k = context;
    columns_fill(k->sys->model, s, k->values);
    k->reached = s->t;
    return k->asked || k->out.take == NULL || k->out.take(k->out.context, s);
}

static void look_at_end(trm_session *s) {
    const run_report *report = run_so_far(s->drive.run);
    if (s->status == TRM_OK && report->end == RUN_FAILED)
        s->status = study_told(s->result, &report->failure);
    else if (report->end == RUN_STOPPED || s->result->samples.refused)
        s->status = TRM_INTERRUPTED;
    else if (report->end == RUN_SINK_FAILED)
        s->status = TRM_IO_ERROR;
}

/* Where no end is given: so long a span in units of the system's own time, and then another. How a session is
 * cut into pieces must not show. */
static const double SPAN = 1000;

static void begin(trm_session *s, const trm_run_def *def, run_options *o) {
    bool samples = o->sink.take != NULL;
    s->values = arena_doubles(s->result->arena, (size_t)columns_count(s->sys->model));
    s->out = o->sink;
    o->sink = (sink){take, s};
    o->unsampled = !samples;
    if (!(o->until > o->from))
        o->until = o->from + SPAN / s->sys->natural->rate;
    s->reached = o->from;
    drive_begin(&s->drive, s->result, s->sys, def, o);
    look_at_end(s);
}

typedef struct {
    trm_model *model;
    const trm_run_def *def;
    trm_session *made;
    arena *arena;
} creating;

static trm_status create(arena *a, void *context) {
    creating *k = context;
    run_options o;
    trm_run_def def;
    trm_session *s = arena_alloc(a, sizeof *s);
    k->arena = a;
    k->made = s;
    s->result = result_new(a, k->model, &study_run);
    trm_system *sys = NULL;
    s->status = TRM_WRONG_MODEL;
    if (settings_take(s->result, k->def, &def))
        s->status = study_prepare(s->result, &def, false, &o, &sys);
    s->sys = sys;
    if (s->status == TRM_OK)
        s->status = samples_open(s->result, &def, &o);
    if (s->status == TRM_OK)
        begin(s, &def, &o);
    return s->status;
}

trm_status trm_session_create(trm_model *m, const trm_run_def *def, trm_session **out) {
    creating k = {m, def, NULL, NULL};
    trm_status status = m->model ? guard_new(m->arena, create, &k) : TRM_IO_ERROR;
    model_forget(m);
    *out = status == TRM_NO_MEMORY ? NULL : k.made;
    return status;
}

typedef struct {
    trm_session *session;
    double until;
} advancing;

// the motion ended; or only its span did, and another as long follows
static bool goes_on(trm_session *s) {
    run_options *o = &s->drive.options;
    const run_report *report = run_so_far(s->drive.run);
    if (report->end != RUN_DONE || report->stop >= 0)
        return false;
    o->until += o->until - o->from;
    return run_extend(s->drive.run);
}

static void advance(void *context) {
    advancing *k = context;
    trm_session *s = k->session;
    bool within;
    while (!(within = run_advance(s->drive.run, k->until)) && goes_on(s)) {
    }
    s->asked = true;
    if (within)
        run_show(s->drive.run, k->until);
    s->asked = false;
    look_at_end(s);
}

trm_status trm_session_advance(trm_session *s, double until, double *reached) {
    advancing k = {s, until};
    if (s->status == TRM_OK && until > s->reached && !guard_run(s->result->arena, NULL, advance, &k))
        s->status = TRM_NO_MEMORY;
    if (reached)
        *reached = s->reached;
    return s->status;
}

const double *trm_session_values(const trm_session *s) {
    return s->values;
}

const char *trm_session_messages(trm_session *s, int how) {
    return trm_result_messages(s->result, how);
}

void trm_session_free(trm_session *s) {
    if (s)
        trm_result_free(s->result);
}
