/* What `check` found, as JSON and as text. */
#include "report/joints.h"
#include "report/parts.h"
#include "report/scales.h"

#include "linear/linalg.h"

#include <math.h>

static void json_dependencies(json *j, arena *a, const findings *f, const rank_report *rank) {
    const trm_system *sys = f->sys;
    int m = sys->m;
    json_key(j, "dependencies");
    json_open(j, '{');
    for (int i = 0; rank && i < m; i++) {
        if (!parts_is_redundant(f, rank, i))
            continue;
        json_key(j, failure_row_name(a, sys, i));
        json_open(j, '{');
        for (int k = 0; k < rank->term_count[i]; k++) {
            json_key(j, failure_row_name(a, sys, rank->terms[i][k].row));
            json_number(j, rank->terms[i][k].factor);
        }
        json_close(j, '}');
    }
    json_close(j, '}');
    json_key(j, "unique_reaction");
    json_open(j, '{');
    for (int i = 0; rank && i < m; i++) {
        if (sys->rows[i].weighted)
            continue;
        json_key(j, failure_row_name(a, sys, i));
        json_bool(j, rank->unique[i]);
    }
    json_close(j, '}');
}

static void json_moved(json *j, arena *a, const findings *f, const check_report *r) {
    const model *m = f->sys->model;
    const double *typed[] = {r->start.q_typed, r->start.v_typed}, *now[] = {r->start.q, r->start.v};
    json_key(j, "moved");
    json_open(j, '{');
    for (int k = 0; r->assembled && k < 2; k++)
        for (int i = 0; i < f->sys->n; i++)
            if (parts_moved(f, &r->start, k, i)) {
                json_key(j, parts_label(a, m, m->coords.at[i], "", k ? "'" : ""));
                json_open(j, '{');
                json_key(j, "from"), json_number(j, typed[k][i]);
                json_key(j, "to"), json_number(j, now[k][i]);
                json_close(j, '}');
            }
    json_close(j, '}');
}

const char *check_json(arena *a, const findings *f, const check_report *r) {
    json j;
    json_init(&j, a);
    json_open(&j, '{');
    parts_head(&j, f);
    parts_form_json(&j, a, f);
    parts_rank(&j, f->sys, r->rank);
    json_key(&j, "rank_of_mass_and_constraints");
    if (r->rank)
        json_integer(&j, r->rank_stacked);
    else
        json_null(&j);
    json_key(&j, "mass_singular"), json_bool(&j, r->mass_singular);
    parts_redundant(&j, a, f, r->rank);
    joints_json(&j, a, f, r->rank);
    joints_power_json(&j, a, f, r->powers, false);
    json_dependencies(&j, a, f, r->rank);
    if (f->sys->model->length > 0)
        json_key(&j, "model_length"), json_number(&j, f->sys->model->length);
    scales_json(&j, a, f->sys);
    json_key(&j, "consistent"), json_bool(&j, r->assembled && r->contradicting < 0);
    json_moved(&j, a, f, r);
    parts_strings(&j, "warnings", &f->warnings);
    if (r->failure.failed)
        parts_failure(&j, &r->failure);
    json_close(&j, '}');
    return text_string(&j.out);
}

// "-2*b + c"
static void text_row(text *t, arena *a, const trm_system *sys, const rank_report *rank, int i) {
    for (int k = 0; k < rank->term_count[i]; k++) {
        double c = rank->terms[i][k].factor;
        text_add(t, k == 0 ? (c < 0 ? "-" : "") : c < 0 ? " - " : " + ");
        if (fabs(fabs(c) - 1) > 1e-9)
            text_print(t, "%.6g*", fabs(c));
        text_add(t, failure_row_name(a, sys, rank->terms[i][k].row));
    }
}

// the joints and constraints behind the row of a dependency
static string_list joints_behind(arena *a, const trm_system *sys, const rank_report *rank, int i) {
    bool *rows = arena_array(a, bool, sys->m + 1);
    for (int k = 0; k < rank->term_count[i]; k++)
        rows[rank->terms[i][k].row] = true;
    return joints_of_rows(a, sys, rows);
}

enum { MOST_TERMS = 4 };

// a row of many terms tells people nothing but where they come from
static void text_dependency(text *t, arena *a, const findings *f, const rank_report *rank, int i) {
    enum { MOST_NAMES = 8 };
    const trm_system *sys = f->sys;
    int count = rank->term_count[i];
    text_print(t, "  '%s' is redundant: ", failure_row_name(a, sys, i));
    if (count == 0) {
        text_add(t, "its row vanishes");
    } else if (count <= MOST_TERMS) {
        text_add(t, "its row is ");
        text_row(t, a, sys, rank, i);
    } else {
        string_list joints = joints_behind(a, sys, rank, i);
        text_print(t, "its row follows from %d rows of ", count);
        parts_names(t, &joints, MOST_NAMES);
    }
    text_add(t, "\n");
}

static void text_dependencies(text *t, arena *a, const findings *f, const rank_report *rank) {
    enum { MOST = 8 };
    int count = 0;
    bool shortened = false;
    for (int i = 0; i < f->sys->m; i++)
        if (parts_is_redundant(f, rank, i)) {
            if (count++ < MOST)
                text_dependency(t, a, f, rank, i);
            shortened |= rank->term_count[i] > MOST_TERMS;
        }
    if (count > MOST)
        text_print(t, "  and %d more redundant rows\n", count - MOST);
    if (shortened || count > MOST)
        text_add(t, "  (the JSON has all rows in full)\n");
}

static void text_unique(text *t, arena *a, const findings *f, const rank_report *rank) {
    enum { MOST = 8 };
    string_list open = joints_not_unique(a, f->sys, rank);
    if (open.count) {
        text_add(t, "  forces that are not unique (least norm is shown): ");
        parts_names(t, &open, MOST);
        text_add(t, "\n");
    } else if (f->sys->m > f->sys->soft_count)
        text_add(t, "  the force of every constraint is unique\n");
    if (f->sys->model->length > 0)
        text_print(t, "  the model's length, at which torques of joints count as forces: %.6g\n",
                   f->sys->model->length);
}

static void text_moved(text *t, const findings *f, const check_report *r) {
    enum { MOST = 10 };
    const model *m = f->sys->model;
    const double *typed[] = {r->start.q_typed, r->start.v_typed}, *now[] = {r->start.q, r->start.v};
    int count = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < f->sys->n; i++) {
            if (!parts_moved(f, &r->start, k, i) || count++ >= MOST)
                continue;
            text_add(t, count > 1 ? "    " : "  assembly moved\n    ");
            model_label(m, m->coords.at[i], t);
            text_print(t, "%s from %.9g to %.9g\n", k ? "'" : "", typed[k][i], now[k][i]);
        }
    if (count > MOST)
        text_print(t, "    and %d more\n", count - MOST);
    if (count == 0)
        text_add(t, "  the initial state is consistent as typed\n");
}

const char *check_summary(arena *a, const findings *f, const check_report *r) {
    text t;
    text_init(&t, a);
    parts_title(&t, f, r->rank ? r->rank->rank : 0, r->rank != NULL);
    parts_form_text(&t, a, f);
    if (r->rank) {
        text_print(&t, "  [M; A] has rank %d of %d%s\n", r->rank_stacked, f->sys->n,
                   r->mass_singular ? "; the mass matrix alone is singular" : "");
        joints_text(&t, a, f, r->rank);
        text_dependencies(&t, a, f, r->rank);
        text_unique(&t, a, f, r->rank);
    }
    if (r->powers && linalg_norm(r->start.v, f->sys->n) > 0)
        joints_power_text(&t, a, f, r->powers, false);
    if (r->assembled) {
        scales_text(&t, a, f->sys);
        text_moved(&t, f, r);
    }
    return text_string(&t);
}
