/* The cases of a sweep: each a run of the model with its values. */
#include "api/sweep.h"

#include "api/guard.h"
#include "api/session.h"
#include "motion/together.h"
#include "report/columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Behind the columns of samples. */
static const char *const reports[] = {"worst_residual", "balance", "steps"};
enum { REPORTS = 3, SAID_MOST = 600, FEW_CASES = 8 };
_Static_assert((int)TOGETHER_MOST <= (int)GUARDED_MOST, "memory may run out in each of them");

static bool is_structural(const trm_model *m, const plan *p) {
    for (int i = 0; i < p->axis_count; i++) {
        int param = trm_model_parameter_named((trm_model *)m, p->axes[i].name);
        if (param >= 0 && trm_model_parameter_structural(m, param))
            return true;
    }
    return false;
}

static sweep_columns columns_of(arena *a, const trm_model *m, const plan *p, bool samples) {
    sweep_columns out = {0};
    const model *of = m->model;
    int count = columns_count(of), first_output = 1;
    for (int g = 0; g < COLUMN_OUTPUT; g++)
        first_output += columns_length(of, (column_group)g);
    for (int i = 0; i < p->axis_count; i++) {
        sweep_column c = {COLUMN_IS_PARAMETER, p->axes[i].name};
        vec_push(a, out.list, c);
    }
    sweep_column seconds = {COLUMN_IS_HIDDEN, "seconds"};
    vec_push(a, out.list, seconds);
    out.first = out.list.count;
    out.finals = count;
    out.sampled = samples ? count : 0;
    for (int i = 0; i < count; i++) {
        bool shown = i >= first_output && i < first_output + of->outputs.count;
        sweep_column c = {shown ? COLUMN_IS_SHOWN : COLUMN_IS_FINAL, columns_name_at(a, of, i)};
        vec_push(a, out.list, c);
    }
    for (int i = 0; i < of->told.count; i++) {
        sweep_column c = {COLUMN_IS_RESULT, of->told.at[i].name};
        sweep_column when = {COLUMN_IS_WHEN, arena_print(a, "%s at", of->told.at[i].name)};
        vec_push(a, out.list, c);
        vec_push(a, out.list, when);
    }
    for (int i = 0; i < REPORTS; i++) {
        sweep_column c = {COLUMN_IS_REPORT, reports[i]};
        vec_push(a, out.list, c);
    }
    return out;
}

// a model that has the values of the first case, where these decide which columns there are
sweep_columns sweep_columns_of(arena *a, const trm_model *m, const plan *p, bool samples) {
    double *values = arena_doubles(a, (size_t)p->axis_count);
    model_setting *settings = arena_array(a, model_setting, p->axis_count);
    if (!is_structural(m, p))
        return columns_of(a, m, p, samples);
    plan_values(p, 0, values);
    for (int i = 0; i < p->axis_count; i++) {
        char *room = arena_alloc(a, 40);
        settings[i] = (model_setting){p->axes[i].name, content_number(values[i], room, 40)};
    }
    const trm_model *first = model_again(a, m, settings, p->axis_count);
    return columns_of(a, first->wrong ? m : first, p, samples);
}

// ---- one case

// what a case under way has for itself
typedef struct {
    long which;
    trm_result *made; // of its run, or NULL
    trm_status status;
    double begun;
    const sweep_columns *columns;
    model_setting *settings; // (axes)
    char (*numbers)[40];     // (axes) their values as text
    double *values;          // (columns)
    double *wanted;          // (axes)
    double *sampled;         // samples that are kept
    size_t room, taken;      // of that, numbers
    long samples;
    bool no_memory;
    int *among; // (columns of samples) where each is in those of the case, -1: nowhere; NULL: all as they are
    char said[SAID_MOST];
} hand;

typedef struct {
    trm_sweep_result *result;
    const trm_model *model;
    const trm_run_def *run;
    int beside;
    hand *hands;         // (threads x beside)
    together **together; // (threads) runs side by side
} sweeper;

static int count_sampled(const sweep_columns *c) {
    return c->finals;
}

static bool has_room(hand *h, size_t more) {
    if (h->taken + more <= h->room)
        return true;
    size_t room = 2 * (h->taken + more);
    double *grown = realloc(h->sampled, room * sizeof *grown);
    h->no_memory |= grown == NULL;
    if (grown) {
        h->sampled = grown;
        h->room = room;
    }
    return grown != NULL;
}

static int take_sample(void *context, const double *values, int count) {
    hand *h = context;
    int width = count_sampled(h->columns);
    double *last = h->values + h->columns->first;
    (void)count;
    for (int i = 0; i < width; i++)
        last[i] = h->among == NULL ? values[i] : h->among[i] >= 0 ? values[h->among[i]] : NAN;
    h->samples++;
    if (h->columns->sampled == 0)
        return 0;
    if (!has_room(h, (size_t)width))
        return 1;
    memcpy(h->sampled + h->taken, last, (size_t)width * sizeof *last);
    h->taken += (size_t)width;
    return 0;
}

// ---- cases that have other columns

typedef struct {
    const sweep_columns *columns;
    int *among;
    arena *arena;
} matching;

static trm_status match(arena *a, trm_model *m, void *context) {
    matching *k = context;
    int count = m->wrong ? 0 : columns_count(m->model);
    const char **own = arena_array(a, const char *, count + 1);
    k->arena = a;
    for (int i = 0; i < count; i++)
        own[i] = columns_name_at(a, m->model, i);
    for (int i = 0; i < count_sampled(k->columns); i++) {
        k->among[i] = -1;
        for (int n = 0; n < count && k->among[i] < 0; n++)
            if (strcmp(own[n], k->columns->list.at[k->columns->first + i].name) == 0)
                k->among[i] = n;
    }
    return TRM_OK;
}

// ---- what became of it

/* A message as one line: the first error, or the expectations that failed. */
static void say(hand *h, const char *what) {
    size_t length = 0;
    for (; *what == ' ' || *what == '\n'; what++) {
    }
    for (; *what && length < SAID_MOST - 4; what++) {
        if (*what == '\n' && what[strspn(what, " \n")] == '\0')
            break;
        if (*what == '\n') {
            h->said[length++] = ';';
            what += strspn(what, " \n") - 1;
        }
        h->said[length++] = *what == '\n' ? ' ' : *what;
    }
    h->said[length] = '\0';
    trm_text_tame(h->said, 0);
}

static const char *first_error(const diags *d) {
    for (int i = 0; i < d->list.count; i++)
        if (d->list.at[i].severity == DIAG_ERROR)
            return d->list.at[i].message;
    return NULL;
}

static void say_why(hand *h, trm_status status, trm_result *r) {
    const model *m = r ? r->model->model : NULL;
    const char *why = r ? first_error(&r->diags) : NULL;
    h->said[0] = '\0';
    if (why == NULL && m)
        why = first_error(&m->diags);
    if (status == TRM_EXPECTATION_FAILED && r)
        why = trm_result_failures(r);
    if (status == TRM_NO_MEMORY || h->no_memory)
        why = "out of memory";
    if (status != TRM_OK && why)
        say(h, why);
}

static double worst_residual(const run_report *run, const trm_system *sys) {
    double worst = 0;
    for (int i = 0; i < sys->m; i++)
        worst = fmax(worst, run->rows[i].worst);
    return worst;
}

static void fill_reports(hand *h, trm_status status, const trm_result *r) {
    const sweep_columns *c = h->columns;
    double *last = h->values + c->first, *reported = h->values + c->list.count - REPORTS;
    const run_report *run = r ? study_of_run(r) : NULL;
    bool done = status == TRM_OK || status == TRM_EXPECTATION_FAILED;
    for (int i = 0; i < REPORTS; i++)
        reported[i] = NAN;
    for (int i = h->samples ? 1 : 0; !done && i < count_sampled(c); i++)
        last[i] = NAN; // of one that failed, only the time that it reached
    if (run == NULL)
        return;
    if (!done && h->samples)
        last[0] = run->time;
    if (done)
        reported[0] = worst_residual(run, r->findings.sys);
    if (done)
        reported[1] = run_balance(run);
    reported[2] = (double)run->statistics.steps;
}

static void fill_results(hand *h, const trm_result *r) {
    const sweep_columns *c = h->columns;
    for (int i = c->first + c->finals; i < c->list.count - REPORTS; i += 2) {
        h->values[i] = h->values[i + 1] = NAN;
        for (int k = 0; r && k < trm_result_results(r); k++)
            if (strcmp(trm_result_result_name(r, k), c->list.at[i].name) == 0) {
                h->values[i] = trm_result_result(r, k);
                h->values[i + 1] = trm_result_result_at(r, k);
            }
    }
}

static int status_of(trm_status status, const hand *h) {
    if (status == TRM_NO_MEMORY || h->no_memory)
        return CASE_NO_MEMORY;
    return status == TRM_OK                   ? CASE_FINE
           : status == TRM_EXPECTATION_FAILED ? CASE_EXPECTATION
           : status == TRM_WRONG_MODEL        ? CASE_WRONG
                                              : CASE_NO_SOLUTION;
}

static trm_status begin(const sweeper *s, hand *h, const volatile sig_atomic_t *stop) {
    const plan *p = s->result->plan;
    trm_run_def def = *s->run;
    matching k = {h->columns, h->among, NULL};
    trm_status status = TRM_OK;
    def.stop = stop;
    def.sample = take_sample;
    def.sample_context = h;
    if (h->among)
        status = content_use_with(s->model, h->settings, p->axis_count, false, match, &k);
    arena_free(k.arena);
    return status == TRM_OK ? result_begin_with(s->model, h->settings, p->axis_count, &def, &h->made)
                            : status;
}

static void advance_alone(void *context) {
    const hand *h = context;
    run_advance(h->made->drive->run, INFINITY);
}

static void lose(hand *h) {
    trm_result_free(h->made);
    h->made = NULL;
    h->status = TRM_NO_MEMORY;
}

// by itself, where it cannot go on beside others
static crew_begun go_on(const sweeper *s, int seat, hand *h) {
    together *runs = s->together[seat / s->beside];
    if (h->status != TRM_OK)
        return CREW_ENDED;
    if (s->beside > 1 && together_join(runs, h->made->drive->run, seat % s->beside))
        return together_is_full(runs) ? CREW_ENOUGH : CREW_UNDER_WAY;
    if (guard_run(h->made->arena, NULL, advance_alone, h))
        h->status = result_end(h->made);
    else
        h->status = TRM_NO_MEMORY;
    if (h->status == TRM_NO_MEMORY)
        lose(h);
    return CREW_ENDED;
}

static crew_begun begin_case(void *context, int seat, long which, const volatile sig_atomic_t *stop) {
    sweeper *s = context;
    const plan *p = s->result->plan;
    hand *h = &s->hands[seat];
    h->begun = profile_clock();
    h->which = which;
    plan_values(p, which, h->wanted);
    for (int i = 0; i < p->axis_count; i++)
        h->settings[i] = (model_setting){p->axes[i].name,
                                         content_number(h->wanted[i], h->numbers[i], sizeof h->numbers[i])};
    memcpy(h->values, h->wanted, (size_t)p->axis_count * sizeof *h->values);
    h->samples = 0;
    h->taken = 0;
    h->no_memory = false;
    h->made = NULL;
    h->status = begin(s, h, stop);
    return go_on(s, seat, h);
}

typedef struct {
    together *runs;
    int seat;
} advancing;

static void advance(void *context) {
    advancing *k = context;
    k->seat = together_advance(k->runs);
}

static int advance_cases(void *context, int worker) {
    sweeper *s = context;
    hand *hands = s->hands + (size_t)worker * (size_t)s->beside;
    advancing k = {s->together[worker], -1};
    arena *all[TOGETHER_MOST];
    int count = 0;
    for (int i = 0; i < s->beside; i++)
        if (together_has(k.runs, i))
            all[count++] = hands[i].made->arena;
    bool done = guard_run_all(all, count, advance, &k);
    if (!done)
        k.seat = together_drop(k.runs);
    hand *h = &hands[k.seat];
    h->status = done ? result_end(h->made) : TRM_NO_MEMORY;
    if (h->status == TRM_NO_MEMORY)
        lose(h);
    return (int)(h - s->hands);
}

static bool end_case(void *context, int seat, case_record *out) {
    sweeper *s = context;
    hand *h = &s->hands[seat];
    trm_status status = h->status;
    bool interrupted = status == TRM_INTERRUPTED && !h->no_memory;
    say_why(h, status, h->made);
    if (interrupted)
        snprintf(h->said, sizeof h->said, "out of time after %.3g s", profile_clock() - h->begun);
    fill_reports(h, status, h->made);
    fill_results(h, status == TRM_OK || status == TRM_EXPECTATION_FAILED ? h->made : NULL);
    h->values[h->columns->first - 1] = profile_clock() - h->begun;
    trm_result_free(h->made);
    *out = (case_record){.which = h->which,
                         .status = status_of(status, h),
                         .values = h->values,
                         .samples = h->columns->sampled ? (long)(h->taken / (size_t)h->columns->sampled) : 0,
                         .sampled = h->sampled,
                         .message = h->said};
    return !interrupted;
}

// ---- with other processes

typedef struct {
    const trm_deal *by;
    long cases;
} processes;

static deal_answer share_more(void *context, long done, long *first, long *count) {
    processes *s = context;
    return (deal_answer)s->by->more(s->by->context, s->cases, done, first, count);
}

static bool share_over(void *context, bool gives_up) {
    processes *s = context;
    return s->by->over(s->by->context, gives_up) != 0;
}

static void share_attend(void *context) {
    processes *s = context;
    s->by->attend(s->by->context);
}

static int share_pause(void *context) {
    processes *s = context;
    return s->by->pause;
}

static const deal_ops deal_to_processes = {share_more, share_over, share_attend, share_pause};

// ---- all of them

static void tell_progress(void *context, long done, long failed, double seconds) {
    const trm_sweep_result *r = context;
    long before = journal_done(r->journal);
    r->def.progress(r->def.progress_context, before + done, failed, r->plan->cases, seconds);
}

static void free_samples(void *object) {
    hand *h = object;
    free(h->sampled);
}

static void make_hands(sweeper *s, int seats) {
    trm_sweep_result *r = s->result;
    size_t axes = (size_t)r->plan->axis_count + 1;
    bool other = is_structural(s->model, r->plan);
    for (int i = 0; i < seats; i++) {
        hand *h = &s->hands[i];
        h->columns = &r->columns;
        h->settings = arena_array(r->arena, model_setting, axes);
        h->numbers = arena_alloc(r->arena, axes * sizeof *h->numbers);
        h->wanted = arena_doubles(r->arena, axes);
        h->values = arena_doubles(r->arena, (size_t)r->columns.list.count);
        h->among = other ? arena_array(r->arena, int, r->columns.list.count) : NULL;
        arena_when_freed(r->arena, free_samples, h);
    }
}

crew_end sweep_do(trm_sweep_result *r, const trm_model *m, const trm_run_def *run) {
    const plan *p = r->plan;
    int threads = r->def.threads > 0 ? r->def.threads : crew_threads_wanted();
    deal_alone all = {.cases = p->cases};
    processes others = {r->def.deal, p->cases};
    if ((long)threads > p->cases)
        threads = (int)p->cases;
    // where time is limited, a case has it for itself; and kernels in lanes have to be worth it
    bool alone = r->def.timeout > 0 || p->cases < FEW_CASES;
    int beside = alone ? 1 : TOGETHER_MOST, seats = threads * beside;
    sweeper s = {r, m, run, beside, arena_array(r->arena, hand, seats), NULL};
    s.together = arena_array(r->arena, together *, threads);
    for (int i = 0; i < threads; i++)
        s.together[i] = together_new(r->arena);
    make_hands(&s, seats);
    r->about.threads = threads;
    crew_def def = {.threads = threads,
                    .beside = beside,
                    .journal = r->journal,
                    .columns = &r->columns,
                    .deal = others.by ? &deal_to_processes : &deal_to_threads,
                    .dealing = others.by ? (void *)&others : &all,
                    .timeout = r->def.timeout,
                    .stop_after = r->def.stop_after,
                    .stop = run->stop,
                    .begin = begin_case,
                    .advance = advance_cases,
                    .end = end_case,
                    .context = &s,
                    .progress = r->def.progress ? tell_progress : NULL,
                    .progress_context = r};
    return crew_run(&def);
}
