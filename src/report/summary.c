/* The summary of a run: a few lines for people, one object for programs. */
#include "report/balance.h"
#include "report/joints.h"
#include "report/parts.h"

#include <float.h>
#include <math.h>

static int rank_of(const run_report *r) {
    return r->rank ? r->rank->rank : 0;
}

static double relative_drift(const findings *f, const run_report *r) {
    if (!f->sys->mech->conserves || r->samples == 0 || r->energy_lost)
        return NAN;
    return r->largest_energy > DBL_MIN ? r->drift / r->largest_energy : 0;
}

// ---- JSON

static void json_final(json *j, arena *a, const findings *f, const run_report *r) {
    json_key(j, "final");
    json_open(j, '{');
    if (r->samples)
        parts_state_json(
            j, a, f, &(parts_state){r->q, r->v, r->s, r->reaction, r->control, r->multiplier, r->outputs});
    json_close(j, '}');
}

static void json_residuals(json *j, arena *a, const findings *f, const run_report *r) {
    text name;
    text_init(&name, a);
    json_key(j, "residual");
    json_open(j, '{');
    for (int i = 0; r->samples && i < f->sys->m; i++) {
        text_clear(&name);
        model_row_name(f->sys->model, i, &name);
        json_key(j, text_string(&name));
        json_open(j, '{');
        json_key(j, "worst"), json_number(j, r->rows[i].worst);
        json_key(j, "at"), json_number(j, r->rows[i].at);
        if (f->sys->rows[i].level == ROW_HOLONOMIC)
            json_key(j, "velocity"), json_number(j, r->rows[i].velocity);
        json_key(j, "allowed"), json_number(j, r->rows[i].allowed);
        json_close(j, '}');
    }
    json_close(j, '}');
}

// rows with weight are not needed either, but depend on nothing
static bool depends(const trm_system *sys, const rank_change *c, int row) {
    return c->dropped[row] && !sys->rows[row].weighted;
}

/* The rows of a change of rank: those that depend on others from then on; of frictions, those that come into
 * force or go out of it. */
static bool is_listed(const trm_system *sys, const rank_change *c, const rank_change *before,
                      const bool *idle, int row) {
    int friction = sys->rows[row].friction;
    if (friction < 0)
        return depends(sys, c, row);
    bool stuck = before ? before->sticks[friction] : !idle[row];
    return stuck != c->sticks[friction] || (c->sticks[friction] && c->dropped[row]);
}

static const char *friction_name(arena *a, const trm_system *sys, int which) {
    const model *m = sys->model;
    return parts_label(a, m, m->constraints.at[m->frictions.at[which].constraint].label, "", "");
}

// the frictions that stick from then on
static void json_sticking(json *j, arena *a, const trm_system *sys, const rank_change *c) {
    json_key(j, "sticks");
    json_open(j, '[');
    for (int f = 0; f < sys->friction_count; f++)
        if (c->sticks[f])
            json_string(j, friction_name(a, sys, f));
    json_close(j, ']');
}

// those that depend on others, rows of frictions apart
static const bool *redundant_rows(arena *a, const trm_system *sys, const rank_change *c) {
    bool *redundant = arena_array(a, bool, sys->m + 1);
    for (int k = 0; k < sys->m; k++)
        redundant[k] = depends(sys, c, k) && sys->rows[k].friction < 0;
    return redundant;
}

static void json_ranks(json *j, arena *a, const findings *f, const run_report *r) {
    const trm_system *sys = f->sys;
    parts_rank(j, sys, r->rank);
    json_key(j, "rank_changes");
    json_open(j, '[');
    for (int i = 0; i < r->rank_changes.count; i++) {
        const rank_change *c = &r->rank_changes.at[i];
        json_open(j, '{');
        json_key(j, "time"), json_number(j, c->time);
        json_key(j, "rank"), json_integer(j, c->rank);
        json_key(j, "rows");
        json_open(j, '[');
        for (int k = 0; k < sys->m; k++)
            if (is_listed(sys, c, i ? &r->rank_changes.at[i - 1] : NULL, f->idle, k))
                json_string(j, failure_row_name(a, sys, k));
        json_close(j, ']');
        string_list joints = joints_of_rows(a, sys, redundant_rows(a, sys, c));
        parts_strings(j, "joints", &joints);
        if (sys->friction_count)
            json_sticking(j, a, sys, c);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_passes(json *j, arena *a, const findings *f, const run_report *r) {
    json_key(j, "singular_positions");
    json_open(j, '[');
    for (int i = 0; i < r->passes.count; i++) {
        json_open(j, '{');
        json_key(j, "time"), json_number(j, r->passes.at[i].time);
        string_list joints = joints_of_rows(a, f->sys, r->passes.at[i].involved);
        parts_strings(j, "joints", &joints);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_results(json *j, const findings *f, const run_report *r) {
    const model *m = f->sys->model;
    json_key(j, "results");
    json_open(j, '{');
    for (int i = 0; i < m->told.count; i++) {
        over_record found = run_result(m, r, i);
        json_key(j, m->told.at[i].name);
        json_open(j, '{');
        json_key(j, "value"), json_number(j, found.value);
        json_key(j, "at"), json_number(j, found.at);
        json_close(j, '}');
    }
    json_close(j, '}');
}

static void json_expectations(json *j, const findings *f, const run_report *r) {
    const model *m = f->sys->model;
    json_key(j, "expectations");
    json_open(j, '[');
    for (int i = 0; i < m->expects.count; i++) {
        json_open(j, '{');
        json_key(j, "text"), json_string(j, m->expects.at[i].text);
        json_key(j, "holds"), json_bool(j, r->expects[i].holds && r->end == RUN_DONE);
        json_key(j, "worst"), json_number(j, r->expects[i].worst);
        json_close(j, '}');
    }
    json_close(j, ']');
}

/* The parts of a run in the order in which they come. */
typedef struct {
    const char *name, *what;
    double seconds;
    long calls; // -1: once
} part;

enum { PARTS = PROFILE_PARTS + 4 };

static void list_parts(const findings *f, part *list) {
    static const char *const part_names[PROFILE_PARTS] = {"steps",   "evaluate", "solve",
                                                          "project", "sample",   "start"};
    static const char *const whats[PROFILE_PARTS] = {
        "the integrator itself", "kernels: M, Q, A, b",           "factorisations and solutions",
        "back onto constraints", "outputs, forces, expectations", "patterns, memory, assembly"};
    static const profile_part order[PROFILE_PARTS] = {PROFILE_START,   PROFILE_EVALUATE, PROFILE_SOLVE,
                                                      PROFILE_PROJECT, PROFILE_STEPS,    PROFILE_SAMPLE};
    *list++ = (part){"read", "the text", f->read_seconds, -1};
    *list++ = (part){"derive", "equations in symbols", f->derive_seconds, -1};
    *list++ = (part){"compile", "kernels", f->compile_seconds - f->derive_seconds, -1};
    for (int i = 0; i < PROFILE_PARTS; i++)
        *list++ =
            (part){part_names[order[i]], whats[order[i]], f->profile->seconds[order[i]],
                   order[i] == PROFILE_STEPS || order[i] == PROFILE_START ? -1 : f->profile->calls[order[i]]};
    *list = (part){"write", "the file of samples", f->write_seconds, -1};
}

static void json_profile(json *j, const findings *f) {
    part list[PARTS];
    list_parts(f, list);
    json_key(j, "profile");
    json_open(j, '{');
    for (int i = 0; i < PARTS; i++) {
        json_key(j, list[i].name);
        json_number(j, list[i].seconds);
    }
    json_close(j, '}');
}

static void text_profile(text *t, const findings *f) {
    part list[PARTS];
    double sum = 0;
    list_parts(f, list);
    for (int i = 0; i < PARTS; i++)
        sum += list[i].seconds;
    text_add(t, "  where the time went\n");
    for (int i = 0; i < PARTS; i++) {
        text_print(t, "    %-9s %9.3g ms %5.1f %%  %s", list[i].name, 1e3 * list[i].seconds,
                   100 * list[i].seconds / sum, list[i].what);
        if (list[i].calls > 0)
            text_print(t, "; %ld times, %.3g us each", list[i].calls,
                       1e6 * list[i].seconds / (double)list[i].calls);
        text_add(t, "\n");
    }
}

static void json_numbers(json *j, const findings *f, const run_report *r) {
    json_key(j, "formulation"), json_string(j, f->formulation);
    parts_chosen(j, "choices", f->chosen);
    json_key(j, "integrator"), json_string(j, f->integrator);
    json_key(j, "tolerance"), json_number(j, f->tolerance);
    json_key(j, "time");
    json_open(j, '{');
    json_key(j, "start"), json_number(j, f->from);
    json_key(j, "end"), json_number(j, r->time);
    json_close(j, '}');
    if (r->stop >= 0) {
        json_key(j, "stopped");
        json_open(j, '{');
        json_key(j, "when"), json_string(j, f->sys->model->stops.at[r->stop].text);
        json_key(j, "time"), json_number(j, r->time);
        json_close(j, '}');
    }
    json_key(j, "steps"), json_integer(j, r->statistics.steps);
    json_key(j, "rejected"), json_integer(j, r->statistics.rejected);
    json_key(j, "evaluations"), json_integer(j, r->evaluations);
    json_key(j, "seconds");
    json_open(j, '{');
    json_key(j, "read"), json_number(j, f->read_seconds);
    json_key(j, "compile"), json_number(j, f->compile_seconds);
    json_key(j, "simulate"), json_number(j, f->simulate_seconds);
    json_close(j, '}');
    if (f->profile)
        json_profile(j, f);
}

static void json_energy(json *j, const findings *f, const run_report *r) {
    json_key(j, "energy");
    json_open(j, '{');
    json_key(j, "start"), json_number(j, r->samples ? r->energy_start : NAN);
    json_key(j, "end"), json_number(j, r->samples ? r->energy_end : NAN);
    json_key(j, "worst_relative_drift"), json_number(j, relative_drift(f, r));
    json_close(j, '}');
}

const char *run_json(arena *a, const findings *f, const run_report *r) {
    json j;
    json_init(&j, a);
    json_open(&j, '{');
    parts_head(&j, f);
    parts_form_json(&j, a, f);
    json_ranks(&j, a, f, r);
    json_passes(&j, a, f, r);
    json_numbers(&j, f, r);
    json_final(&j, a, f, r);
    json_residuals(&j, a, f, r);
    json_energy(&j, f, r);
    balance_json(&j, a, f, r);
    joints_power_json(&j, a, f, r->samples ? r->powers : NULL, true);
    parts_redundant(&j, a, f, r->rank);
    json_results(&j, f, r);
    json_expectations(&j, f, r);
    parts_strings(&j, "warnings", &f->warnings);
    if (r->failure.failed)
        parts_failure(&j, &r->failure);
    json_close(&j, '}');
    return text_string(&j.out);
}

// ---- text

static void text_residual(text *t, arena *a, const findings *f, const run_report *r) {
    int worst = -1;
    double largest = -1;
    for (int i = 0; i < f->sys->m; i++)
        if (isfinite(r->rows[i].allowed) && r->rows[i].worst / r->rows[i].allowed > largest) {
            largest = r->rows[i].worst / r->rows[i].allowed;
            worst = i;
        }
    if (worst >= 0)
        text_print(t, "  worst residual %.2g of '%s' at t = %.6g (allowed %.2g)\n", r->rows[worst].worst,
                   failure_row_name(a, f->sys, worst), r->rows[worst].at, r->rows[worst].allowed);
}

static void text_redundant(text *t, arena *a, const findings *f, const rank_report *rank) {
    enum { MOST = 6 };
    int count = 0;
    for (int i = 0; rank && i < f->sys->m; i++)
        if (parts_is_redundant(f, rank, i) && count++ < MOST)
            text_print(t, "%s%s", count == 1 ? "  redundant: " : ", ", failure_row_name(a, f->sys, i));
    if (count > MOST)
        text_print(t, " and %d more", count - MOST);
    if (count)
        text_add(t, "\n");
}

// how much assembly moved; check lists it all
static void text_moved(text *t, const findings *f, const run_report *r) {
    const model *m = f->sys->model;
    const double *typed[] = {r->start.q_typed, r->start.v_typed}, *now[] = {r->start.q, r->start.v};
    int count = 0, most = 0, level = 0;
    double furthest = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < f->sys->n; i++) {
            double by = fabs(now[k][i] - typed[k][i]);
            bool moved = parts_moved(f, &r->start, k, i);
            count += moved;
            if (moved && by > furthest) {
                furthest = by;
                most = i;
                level = k;
            }
        }
    if (count == 0)
        return;
    text_print(t, "  assembly moved %d initial value%s, most ", count, parts_plural(count));
    model_label(m, m->coords.at[most], t);
    text_print(t, "%s by %.3g\n", level ? "'" : "", furthest);
}

static void text_failures(text *t, const findings *f, const run_report *r, const char *indent) {
    const model *m = f->sys->model;
    for (int i = 0; i < m->expects.count; i++) {
        if (r->expects[i].holds)
            continue;
        text_print(t, "%sfailed at t = %.6g: expect %s %s", indent, r->expects[i].failed_at,
                   m->expects.at[i].always ? "always" : "finally", m->expects.at[i].text);
        if (isfinite(r->expects[i].worst))
            text_print(t, "  (off by %.3g)", -r->expects[i].worst);
        text_add(t, "\n");
    }
}

const char *run_failures(arena *a, const findings *f, const run_report *r) {
    text t;
    text_init(&t, a);
    if (r->end == RUN_DONE)
        text_failures(&t, f, r, "");
    return text_string(&t);
}

static void text_expectations(text *t, const findings *f, const run_report *r) {
    const model *m = f->sys->model;
    int held = 0;
    for (int i = 0; i < m->expects.count; i++)
        held += r->expects[i].holds;
    if (m->expects.count == 0 || r->end != RUN_DONE)
        return;
    text_print(t, "  expectations: %d of %d hold\n", held, m->expects.count);
    text_failures(t, f, r, "    ");
}

static void text_stop(text *t, const findings *f, const run_report *r) {
    int line, column;
    if (r->stop < 0)
        return;
    const model_stop *stop = &f->sys->model->stops.at[r->stop];
    place_line(stop->at.source, stop->at.offset, &line, &column);
    text_print(t, "  stopped at t = %.6g: %s (line %d)\n", r->time, stop->text, line);
}

enum { NAMES_MOST = 4 };

static void text_names(text *t, const string_list *joints) {
    for (int i = 0; i < joints->count && i < NAMES_MOST; i++)
        text_print(t, "%s'%s'", i ? ", " : "", joints->at[i]);
    if (joints->count > NAMES_MOST)
        text_print(t, " and %d more", joints->count - NAMES_MOST);
}

// changes of rank, and positions in which it changes for an instant
static void text_ranks(text *t, arena *a, const findings *f, const run_report *r) {
    enum { MOST = 3 };
    int changes = r->rank_changes.count, passes = r->passes.count;
    for (int i = 0; i < changes && i < MOST; i++) {
        const rank_change *c = &r->rank_changes.at[i];
        string_list joints = joints_of_rows(a, f->sys, redundant_rows(a, f->sys, c));
        text_print(t, "  rank %d from t = %.6g", c->rank, c->time);
        if (c->friction >= 0)
            text_print(t, ": '%s' %s", friction_name(a, f->sys, c->friction),
                       c->sticks[c->friction] ? "sticks" : "slips");
        text_add(t, joints.count ? "; redundant: " : "");
        text_names(t, &joints);
        text_add(t, "\n");
    }
    if (changes > MOST)
        text_print(t, "  and %d more changes of rank\n", changes - MOST);
    for (int i = 0; i < passes && i < MOST; i++) {
        string_list joints = joints_of_rows(a, f->sys, r->passes.at[i].involved);
        text_print(t, "  passed a singular position at t = %.6g%s", r->passes.at[i].time,
                   joints.count ? ": " : "");
        text_names(t, &joints);
        text_add(t, "\n");
    }
    if (passes > MOST)
        text_print(t, "  and %d more of them\n", passes - MOST);
}

static void text_results(text *t, const findings *f, const run_report *r) {
    enum { MOST = 10 };
    const model *m = f->sys->model;
    for (int i = 0; i < m->told.count && i < MOST; i++) {
        over_record found = run_result(m, r, i);
        const model_told *told = &m->told.at[i];
        bool first = told->over >= 0 && m->overs.at[told->over].kind == OVER_FIRST;
        text_print(t, "  %s", told->name);
        if (first && isnan(found.value))
            text_add(t, " was never reached");
        else
            text_print(t, " = %.9g", found.value);
        if (!first && !isnan(found.at))
            text_print(t, " at t = %.9g", found.at);
        text_add(t, "\n");
    }
    if (m->told.count > MOST)
        text_print(t, "  and %d more results over the run; the JSON has them\n", m->told.count - MOST);
}

// only if a constraint does work
static void text_power(text *t, arena *a, const findings *f, const run_report *r) {
    const trm_system *sys = f->sys;
    bool work = false;
    for (int i = 0; i < sys->m; i++)
        work |= sys->mech->shapes[sys->model->rows.at[i].shape].may_work && !sys->rows[i].weighted;
    if (work)
        joints_power_text(t, a, f, r->powers, true);
}

const char *run_summary(arena *a, const findings *f, const run_report *r) {
    text t;
    text_init(&t, a);
    if (r->samples == 0)
        return ""; // the message says it all
    parts_title(&t, f, rank_of(r), r->rank != NULL);
    parts_form_text(&t, a, f);
    text_redundant(&t, a, f, r->rank);
    text_moved(&t, f, r);
    if (r->samples) {
        const integrator_statistics *count = &r->statistics;
        text_print(&t,
                   "  t = %.6g to %.6g in %ld step%s (%ld rejected), %ld evaluation%s, %s, tolerance %.2g\n",
                   f->from, r->time, count->steps, parts_plural(count->steps), count->rejected,
                   r->evaluations, parts_plural(r->evaluations), f->integrator, f->tolerance);
        text_stop(&t, f, r);
        text_residual(&t, a, f, r);
        double drift = relative_drift(f, r);
        if (isfinite(drift))
            text_print(&t, "  energy drift %.2g, relative to the largest |T| + |V|\n", drift);
        else if (f->sys->mech->conserves)
            text_add(&t, "  the energy is not finite, so no drift is given\n");
        else
            balance_text(&t, a, f, r);
        text_power(&t, a, f, r);
        text_ranks(&t, a, f, r);
        text_results(&t, f, r);
    }
    text_expectations(&t, f, r);
    text_print(&t, "  %.3g s (read %.3g, compile %.3g, simulate %.3g)\n",
               f->read_seconds + f->compile_seconds + f->simulate_seconds, f->read_seconds,
               f->compile_seconds, f->simulate_seconds);
    if (f->profile)
        text_profile(&t, f);
    return text_string(&t);
}
