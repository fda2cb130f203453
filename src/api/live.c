#include "api/live.h"

#include "api/guard.h"
#include "api/run_settings.h"
#include "api/session.h"
#include "linear/linalg.h"
#include "motion/project.h"
#include "report/page.h"
#include "system/grip.h"
#include "system/natural.h"

#include <math.h>
#include <string.h>

// what the function of the host gives: nothing, the spring's force, or a unit force along an axis
typedef enum { PUSH_NOTHING, PUSH_SPRING, PUSH_UNIT } push_kind;

struct live {
    arena *own, *arena; // its own, and that of the result
    trm_result *result;
    const trm_system *sys;
    drive drive;
    trm_status status;
    trm_run_def def;
    const live_state *from;
    // what is shown
    record record; // of one sample
    picture *picture;
    float *tracks;
    double numbers[LIVE_NUMBERS];
    double *q, *v;
    // the hand
    arena *held_in;
    grip held;
    push_kind push;
    int axis;
    double target[3], stiffness, damping;
    trm_state *beside; // in which it is tried what forces do
};

// ---- the force of the hand

static void spring(live *l, const double *v, double *force) {
    const grip *p = &l->held;
    for (int i = 0; i < p->size; i++) {
        double speed = 0;
        for (int j = 0; j < p->count; j++)
            speed += p->slope[i * p->count + j] * v[p->which[j]];
        force[i] = l->stiffness * (l->target[i] - p->at[i]) - l->damping * speed;
    }
}

static int push(void *context, double t, const double *q, const double *v, double *Q) {
    live *l = context;
    const grip *p = &l->held;
    double force[3] = {0};
    if (l->push == PUSH_NOTHING)
        return 0;
    grip_find(p, t, q);
    if (l->push == PUSH_UNIT)
        force[l->axis] = 1;
    else
        spring(l, v, force);
    for (int j = 0; j < p->count; j++)
        for (int i = 0; i < p->size; i++)
            Q[p->which[j]] += p->slope[i * p->count + j] * force[i];
    return 0;
}

// ---- what is shown

static void show_hand(live *l) {
    double *at = l->numbers + LIVE_POINT, *force = l->numbers + LIVE_FORCE;
    memset(at, 0, 6 * sizeof *at);
    if (l->held_in == NULL)
        return;
    grip_find(&l->held, l->numbers[LIVE_TIME], l->q);
    memcpy(at, l->held.at, (size_t)l->held.size * sizeof *at);
    if (l->push == PUSH_SPRING)
        spring(l, l->v, force);
}

static bool take(void *context, const sample *s) {
    live *l = context;
    size_t bytes = (size_t)l->sys->n * sizeof(double);
    if (l->record.count == 0)
        record_take(&l->record, s);
    memcpy(l->record.blocks.at[0] + 1, s->views, (size_t)l->record.view_count * sizeof *s->views);
    memcpy(l->q, s->q, bytes);
    memcpy(l->v, s->v, bytes);
    l->numbers[LIVE_TIME] = s->t;
    return true;
}

static void show(live *l) {
    const run_report *report = run_so_far(l->drive.run);
    l->numbers[LIVE_ENERGY] = report->energy_end;
    l->numbers[LIVE_RESIDUAL] = 0;
    for (int i = 0; i < l->sys->m; i++)
        if (report->rows[i].allowed > 0)
            l->numbers[LIVE_RESIDUAL] =
                fmax(l->numbers[LIVE_RESIDUAL], report->rows[i].worst / report->rows[i].allowed);
    picture_follow(l->picture, &l->record, l->tracks);
    show_hand(l);
}

// some number between 0.5 and 1, another for each i
static double some(int i) {
    double x = 0.6180339887498949 * (i + 1);
    return 0.5 + 0.5 * (x - floor(x));
}

static void record_views(record *r, arena *a, const trm_system *sys, double samples) {
    record_init(r, a, sys, RECORD_PLOTS, samples, 0);
    r->view_count = sys->model->view_count;
    r->width = 1 + r->view_count;
}

/* A sample near the start where all that can move is elsewhere: what differs there is what moves. */
static void make_picture(live *l) {
    const trm_system *sys = l->sys;
    int n = sys->n;
    record both;
    double *q = arena_doubles(l->arena, 2 * (size_t)n), *v = q + n, t = l->numbers[LIVE_TIME];
    record_views(&both, l->arena, sys, 2);
    for (int i = 0; i < n; i++) {
        q[i] = l->q[i] + 0.01 * some(i) * natural_size(sys->natural, i, false);
        v[i] = l->v[i] + 0.01 * some(i + n) * natural_size(sys->natural, i, true);
    }
    record_take(&both, &(sample){.t = t, .q = l->q, .v = l->v, .views = l->record.blocks.at[0] + 1});
    solve_acceleration(sys, l->beside, t + 0.01 * some(0) / sys->natural->rate, q, v);
    solve_forces(sys, l->beside);
    solve_results(sys, l->beside);
    solve_views(sys, l->beside);
    record_take(&both, &(sample){.t = t, .q = q, .v = v, .views = state_output(l->beside, STAGE_VIEW)});
    l->picture = picture_new(l->arena, &both);
    l->tracks = arena_array(l->arena, float, l->picture->width + 1);
}

// ---- beginning

static void look_at_end(live *l) {
    const run_report *report = run_so_far(l->drive.run);
    if (report->end == RUN_FAILED)
        l->status = study_told(l->result, &report->failure);
    else if (report->end == RUN_STOPPED)
        l->status = TRM_INTERRUPTED;
    else if (report->stop >= 0)
        l->status = TRM_EXPECTATION_FAILED;
}

static const double FIRST =
    1e-3; // of the run, up to which it begins; of the system's own time where that has no end

static void begin(live *l, run_options *o) {
    const trm_system *sys = l->sys;
    double span = o->until > o->from ? o->until - o->from : 1 / sys->natural->rate;
    o->until = o->from + FIRST * span;
    o->unsampled = true;
    o->sink = (sink){take, l};
    record_views(&l->record, l->arena, sys, 1);
    l->q = arena_doubles(l->arena, (size_t)sys->n);
    l->v = arena_doubles(l->arena, (size_t)sys->n);
    l->beside = solve_new_state(l->arena, sys);
    state_set_cut(l->beside, solve_run_cut(sys, o->tolerance));
    drive_begin(&l->drive, l->result, sys, &l->def, o);
    look_at_end(l);
    if (l->status != TRM_OK)
        return;
    make_picture(l);
    show(l);
}

static void go_on(live *l, trm_run_def *def) {
    trm_result *r = l->result;
    if (l->from == NULL)
        return;
    def->from = arena_print(l->arena, "%.17g", l->from->time);
    def->until = arena_print(l->arena, "%.17g + 1", l->from->time);
    size_t bytes = (size_t)r->model->model->coords.count * sizeof(double);
    double *q = arena_alloc(l->arena, bytes), *v = arena_alloc(l->arena, bytes);
    r->begin_q = memcpy(q, l->from->q, bytes);
    r->begin_v = memcpy(v, l->from->v, bytes);
}

static trm_status make(arena *a, trm_model *m, void *context) {
    live *l = context;
    run_options o;
    trm_system *sys = NULL;
    l->arena = a;
    l->result = result_new(a, m, &study_run);
    l->status = TRM_WRONG_MODEL;
    trm_run_def given = l->def;
    if (!settings_take(l->result, &given, &l->def) || m->wrong)
        return l->status;
    go_on(l, &l->def);
    l->def.keep = TRM_KEEP_PAGE;
    l->def.coordinates = "bodies";
    l->status = study_prepare(l->result, &l->def, false, &o, &sys);
    l->sys = sys;
    if (l->status == TRM_OK)
        begin(l, &o);
    return l->status;
}

static trm_status create(arena *a, void *context) {
    live **l = context;
    *l = arena_alloc(a, sizeof **l);
    (*l)->own = a;
    return TRM_OK;
}

trm_status live_create(trm_model *m, const trm_run_def *def, const live_state *from, live **out) {
    live *l = NULL;
    *out = NULL;
    trm_status status = guard_new(NULL, create, &l);
    if (status != TRM_OK)
        return status;
    trm_callbacks by = {.size = sizeof by, .n = trm_model_coordinates(m), .context = l, .force = push};
    l->def = *def;
    l->from = from;
    status = trm_model_add_callbacks(m, &by);
    if (status == TRM_OK)
        status = content_use(m, make, l);
    l->status = status;
    if (status == TRM_NO_MEMORY)
        arena_free(l->own);
    else
        *out = l;
    return status;
}

void live_free(live *l) {
    if (l == NULL)
        return;
    trm_result_free(l->result);
    arena_free(l->own);
}

const char *live_messages(live *l) {
    return l->result ? trm_result_messages(l->result, 0) : "";
}

const char *live_picture(const live *l) {
    return l->picture ? l->picture->json : "";
}

int live_width(const live *l) {
    return l->picture ? l->picture->width : 0;
}

const float *live_tracks(const live *l) {
    return l->tracks;
}

const double *live_numbers(const live *l) {
    return l->numbers;
}

const double *live_q(const live *l) {
    return l->q;
}

const double *live_v(const live *l) {
    return l->v;
}

// ---- going on

typedef struct {
    live *live;
    double until;
} advancing;

static void advance(void *context) {
    advancing *k = context;
    live *l = k->live;
    l->drive.options.until = k->until;
    if (run_renew(l->drive.run, NULL, NULL) && run_advance(l->drive.run, k->until)) {
        run_show(l->drive.run, k->until);
        run_advance(l->drive.run, INFINITY); // leaves the last step
    }
    look_at_end(l);
    show(l);
}

trm_status live_advance(live *l, double until) {
    advancing k = {l, until};
    if (l->status == TRM_OK && until > l->numbers[LIVE_TIME] && !guard_run(l->arena, NULL, advance, &k))
        l->status = TRM_NO_MEMORY;
    return l->status;
}

// ---- the hand

/* What unit forces at the held point do to the accelerations: out (size x n). */
static bool respond(live *l, const double *q, const double *v, double *out) {
    const trm_system *sys = l->sys;
    int n = sys->n;
    double *without = out + l->held.size * n;
    push_kind before = l->push;
    bool known = true;
    for (int i = -1; known && i < l->held.size; i++) {
        l->push = i < 0 ? PUSH_NOTHING : PUSH_UNIT;
        l->axis = i;
        state_ask_again(l->beside);
        known = solve_acceleration(sys, l->beside, l->numbers[LIVE_TIME], q, v).status == SOLVE_OK;
        const double *qdd = state_look(l->beside)->qdd;
        for (int k = 0; known && k < n; k++)
            if (i < 0)
                without[k] = qdd[k];
            else
                out[i * n + k] = qdd[k] - without[k];
    }
    l->push = before;
    return known;
}

// W = J responses' (size x size): accelerations of the point
static void find_mobility(const live *l, const double *responses, double *W) {
    const grip *p = &l->held;
    for (int i = 0; i < p->size; i++)
        for (int k = 0; k < p->size; k++) {
            double sum = 0;
            for (int j = 0; j < p->count; j++)
                sum += p->slope[i * p->count + j] * responses[k * l->sys->n + p->which[j]];
            W[i * p->size + k] = sum;
        }
}

// mobility that is but rounding beside what the masses would allow
static double least_mobility(const live *l) {
    static const double LEAST = 1e-9;
    const grip *p = &l->held;
    const state_found *found = state_look(l->beside);
    double slope = 0, mass = 0;
    for (int i = 0; i < p->size * p->count; i++)
        slope = fmax(slope, fabs(p->slope[i]));
    for (int i = 0; i < sparsity_entries(l->sys->M); i++)
        mass = fmax(mass, fabs(found->M[i]));
    return mass > 0 ? LEAST * slope * slope / mass : 0;
}

static double trace(const double *W, int size) {
    double sum = 0;
    for (int i = 0; i < size; i++)
        sum += W[i * size + i];
    return sum;
}

static model_views views_of(const scene *s, int number) {
    return number == NO_TRACK ? (model_views){0} : s->tracks.all.at[number].from;
}

static bool find_item(const scene *s, int i, double part, const double *offset, grip_place *out) {
    if (i >= s->items.count)
        return false;
    const item *it = &s->items.at[i];
    out->from = views_of(s, it->at);
    if (offset == NULL) {
        out->to = views_of(s, it->to);
        out->part = part;
        return true;
    }
    out->turn = views_of(s, it->turn);
    vector own = {offset[0], offset[1], offset[2]};
    if (it->turn != NO_TRACK)
        own = rotation_apply(s->tracks.all.at[it->turn].first, own);
    out->offset[0] = own.x, out->offset[1] = own.y, out->offset[2] = own.z;
    return true;
}

static bool find_place(const live *l, live_what what, int i, double part, const double *offset,
                       grip_place *out) {
    const model *m = l->sys->model;
    *out = (grip_place){0};
    if (i < 0)
        return false;
    if (what != LIVE_BODY)
        return find_item(&l->picture->scene, i, part, what == LIVE_DRAW ? NULL : offset, out);
    if (i < m->bodies.count)
        out->from = m->bodies.at[i].at;
    return i < m->bodies.count;
}

typedef struct {
    live *live;
    const grip_place *where;
    double time;
    bool held;
} holding;

static const double DAMPED = 0.7; // of what just swings no more

static void hold(void *context) {
    holding *k = context;
    live *l = k->live;
    double W[9];
    l->held_in = arena_child(l->arena);
    if (!grip_new(l->held_in, l->sys, k->where, &l->held))
        return;
    int size = l->held.size;
    double *responses = arena_doubles(l->held_in, (size_t)(size + 1) * (size_t)l->sys->n);
    grip_find(&l->held, l->numbers[LIVE_TIME], l->q);
    if (!respond(l, l->q, l->v, responses))
        return;
    find_mobility(l, responses, W);
    double mass = size / trace(W, size), rate = 2 * acos(-1) / k->time;
    if (!(trace(W, size) > least_mobility(l)) || !isfinite(mass))
        return;
    memcpy(l->target, l->held.at, (size_t)size * sizeof *l->target);
    l->stiffness = mass * rate * rate;
    l->damping = 2 * DAMPED * mass * rate;
    l->push = PUSH_SPRING;
    k->held = true;
}

int live_hold(live *l, live_what what, int i, double part, const double *offset, double time) {
    grip_place where;
    holding k = {l, &where, time, false};
    live_let_go(l);
    if (l->status != TRM_OK || !find_place(l, what, i, part, offset, &where))
        return false;
    bool done = guard_run(l->arena, NULL, hold, &k) && k.held;
    if (done)
        show_hand(l);
    else
        live_let_go(l);
    return done;
}

void live_aim(live *l, const double *target) {
    memcpy(l->target, target, sizeof l->target);
    show_hand(l);
}

void live_let_go(live *l) {
    if (l->held_in)
        arena_free(l->held_in);
    l->held_in = NULL;
    l->push = PUSH_NOTHING;
}

// ---- leading

/* x of (W + small) x = d, by the small matrix alone: directions in which the point cannot move are left. */
static void solve_small(const double *W, int size, const double *d, double *x) {
    static const double SMALL = 1e-6;
    double K[9], add = SMALL * trace(W, size);
    memcpy(K, W, (size_t)(size * size) * sizeof *K);
    memcpy(x, d, (size_t)size * sizeof *x);
    for (int i = 0; i < size; i++)
        K[i * size + i] += add;
    for (int i = 0; i < size; i++) // positive definite: no pivots
        for (int k = i + 1; k < size; k++) {
            double factor = K[k * size + i] / K[i * size + i];
            for (int j = i; j < size; j++)
                K[k * size + j] -= factor * K[i * size + j];
            x[k] -= factor * x[i];
        }
    for (int i = size - 1; i >= 0; i--) {
        for (int j = i + 1; j < size; j++)
            x[i] -= K[i * size + j] * x[j];
        x[i] /= K[i * size + i];
    }
}

static double distance(const live *l, const double *q) {
    double off[3] = {0};
    grip_find(&l->held, l->numbers[LIVE_TIME], q);
    for (int i = 0; i < l->held.size; i++)
        off[i] = l->target[i] - l->held.at[i];
    return linalg_norm(off, 3);
}

/* One step of Newton's method in what the constraints leave free, by the least change in the metric M;
 * shortened until the point comes nearer. */
static bool step_towards(live *l, double *q, double *v, double *responses, double *tried) {
    const grip *p = &l->held;
    int n = l->sys->n;
    double W[9], off[3], by[3], before = distance(l, q), tolerance = l->drive.options.tolerance;
    for (int i = 0; i < p->size; i++)
        off[i] = l->target[i] - p->at[i];
    if (!respond(l, q, v, responses))
        return false;
    grip_find(p, l->numbers[LIVE_TIME], q);
    find_mobility(l, responses, W);
    solve_small(W, p->size, off, by);
    for (double part = 1; part > 0.05; part /= 2) {
        memcpy(tried, q, (size_t)n * sizeof *q);
        for (int i = 0; i < p->size; i++)
            for (int k = 0; k < n; k++)
                tried[k] += part * by[i] * responses[i * n + k];
        if (project_position(l->sys, l->beside, l->numbers[LIVE_TIME], tried, tolerance, NULL).held &&
            distance(l, tried) < before) {
            memcpy(q, tried, (size_t)n * sizeof *q);
            return distance(l, q) < 0.9 * before;
        }
    }
    return false;
}

static void lead_there(void *context) {
    live *l = context;
    enum { STEPS = 8 };
    size_t n = (size_t)l->sys->n;
    arena *work = arena_child(l->arena);
    double *q = arena_doubles(work, n), *v = arena_doubles(work, n), *tried = arena_doubles(work, n);
    double *responses = arena_doubles(work, (size_t)(l->held.size + 1) * n), t = l->numbers[LIVE_TIME];
    memcpy(q, l->q, n * sizeof *q);
    memcpy(v, l->v, n * sizeof *v);
    for (int i = 0; i < STEPS && step_towards(l, q, v, responses, tried); i++)
        continue;
    if (project_velocity(l->sys, l->beside, t, q, v, l->drive.options.tolerance).held) {
        l->drive.options.until =
            t + (l->drive.options.until > t ? l->drive.options.until - t : 1e-3 * (1 + fabs(t)));
        run_renew(l->drive.run, q, v);
    }
    arena_free(work);
    look_at_end(l);
    show(l);
}

trm_status live_lead(live *l, const double *target) {
    if (l->status != TRM_OK || l->held_in == NULL)
        return l->status;
    push_kind before = l->push;
    memcpy(l->target, target, sizeof l->target);
    l->push = PUSH_NOTHING;
    if (!guard_run(l->arena, NULL, lead_there, l))
        l->status = TRM_NO_MEMORY;
    l->push = before;
    return l->status;
}
