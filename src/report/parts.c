#include "report/parts.h"

#include "mech/tree/tree.h"
#include "system/natural.h"

#include <math.h>

const char *parts_label(arena *a, const model *m, label l, const char *before, const char *after) {
    text t;
    text_init(&t, a);
    text_add(&t, before);
    model_label(m, l, &t);
    text_add(&t, after);
    return text_string(&t);
}

void parts_strings(json *j, const char *key, const string_list *list) {
    json_key(j, key);
    json_open(j, '[');
    for (int i = 0; i < list->count; i++)
        json_string(j, list->at[i]);
    json_close(j, ']');
}

void parts_chosen(json *j, const char *key, const paper_chosen *c) {
    json_key(j, key);
    json_open(j, '{');
    for (int i = 0; i < c->count; i++) {
        json_key(j, c->given[i].what->name);
        json_string(j, c->given[i].text);
    }
    json_close(j, '}');
}

void parts_names(text *t, const string_list *list, int most) {
    for (int i = 0; i < list->count && i < most; i++)
        text_print(t, "%s%s", i ? ", " : "", list->at[i]);
    if (list->count > most)
        text_print(t, " and %d more", list->count - most);
}

void parts_failure(json *j, const failure *f) {
    json_key(j, "error");
    json_open(j, '{');
    json_key(j, "message"), json_string(j, f->message);
    json_key(j, "time"), json_number(j, f->time);
    json_key(j, "constraint");
    if (f->constraint)
        json_string(j, f->constraint);
    else
        json_null(j);
    json_close(j, '}');
}

int parts_rows(const findings *f) {
    int count = f->sys->m;
    for (int i = 0; f->idle && i < f->sys->m; i++)
        count -= f->idle[i];
    return count;
}

bool parts_is_redundant(const findings *f, const rank_report *rank, int row) {
    return !rank->kept[row] && !(f->idle && f->idle[row]);
}

void parts_head(json *j, const findings *f) {
    const model *m = f->sys->model;
    json_key(j, "model"), json_string(j, f->path);
    json_key(j, "title"), json_string(j, m->title ? m->title : "");
    json_key(j, "coordinates"), json_integer(j, f->sys->n);
    json_key(j, "constraints"), json_integer(j, parts_rows(f));
}

void parts_rank(json *j, const trm_system *sys, const rank_report *rank) {
    json_key(j, "rank");
    if (rank)
        json_integer(j, rank->rank);
    else
        json_null(j);
    json_key(j, "degrees_of_freedom");
    if (rank)
        json_integer(j, sys->n - rank->rank);
    else
        json_null(j);
}

void parts_redundant(json *j, arena *a, const findings *f, const rank_report *rank) {
    json_key(j, "redundant");
    json_open(j, '[');
    for (int i = 0; rank && i < f->sys->m; i++)
        if (parts_is_redundant(f, rank, i))
            json_string(j, failure_row_name(a, f->sys, i));
    json_close(j, ']');
}

const char *parts_plural(long count) {
    return count == 1 ? "" : "s";
}

void parts_title(text *t, const findings *f, int rank, bool known) {
    const trm_system *sys = f->sys;
    text_print(t, "%s\n", sys->model->title ? sys->model->title : f->path);
    text_print(t, "  %d coordinate%s, ", sys->n, parts_plural(sys->n));
    int rows = parts_rows(f);
    if (rows == 0) {
        text_print(t, "no constraints: %d degree%s of freedom\n", sys->n, parts_plural(sys->n));
        return;
    }
    text_print(t, "%d constraint row%s", rows, parts_plural(rows));
    if (known)
        text_print(t, " of rank %d: %d degree%s of freedom", rank, sys->n - rank,
                   parts_plural(sys->n - rank));
    text_add(t, "\n");
}

bool parts_moved(const findings *f, const start_state *start, int k, int i) {
    const model *m = f->sys->model;
    double typed = (k ? start->v_typed : start->q_typed)[i], now = (k ? start->v : start->q)[i];
    bool given = (k ? m->velocity.at[i] : m->position.at[i]).kind != INITIAL_NONE;
    double size = natural_size(f->sys->natural, i, k == 1) + fabs(now);
    return fabs(now - typed) > 1e-9 * size && (given || k == 0 || !f->sys->quasi);
}

// ---- a state

// one text serves for all names: there may be millions
static void json_labelled(json *j, arena *a, const findings *f, const label *labels, int count,
                          const char *before, const char *after, const double *values) {
    text name;
    text_init(&name, a);
    for (int i = 0; i < count; i++) {
        text_clear(&name);
        text_add(&name, before);
        model_label(f->sys->model, labels[i], &name);
        text_add(&name, after);
        json_key(j, text_string(&name));
        json_number(j, values[i]);
    }
}

static void json_multipliers(json *j, arena *a, const findings *f, const double *values) {
    text name;
    text_init(&name, a);
    for (int i = 0; i < f->sys->m; i++) {
        if (f->sys->rows[i].weighted)
            continue; // it has no multiplier
        text_clear(&name);
        text_add(&name, "multiplier(");
        model_row_name(f->sys->model, i, &name);
        text_add(&name, ")");
        json_key(j, text_string(&name));
        json_number(j, values[i]);
    }
}

void parts_state_json(json *j, arena *a, const findings *f, const parts_state *s) {
    const model *m = f->sys->model;
    int n = m->coords.count;
    json_labelled(j, a, f, m->coords.at, n, "", "", s->q);
    json_labelled(j, a, f, m->coords.at, n, "", "'", s->v);
    if (s->s)
        json_labelled(j, a, f, m->quasis.at, m->quasis.count, "", "", s->s);
    json_labelled(j, a, f, m->coords.at, n, "reaction(", ")", s->reaction);
    json_multipliers(j, a, f, s->multiplier);
    if (f->sys->controls)
        json_labelled(j, a, f, m->coords.at, n, "control(", ")", s->control);
    json_labelled(j, a, f, m->outputs.at, m->outputs.count, "", "", s->outputs);
}

void parts_positions_json(json *j, arena *a, const findings *f, const double *q, const double *v,
                          const double *outputs) {
    const model *m = f->sys->model;
    json_labelled(j, a, f, m->coords.at, m->coords.count, "", "", q);
    json_labelled(j, a, f, m->coords.at, m->coords.count, "", "'", v);
    for (int i = 0; outputs && i < m->outputs.count; i++)
        if (m->outputs.at[i].freedom)
            json_labelled(j, a, f, m->outputs.at + i, 1, "", "", outputs + i);
}

// ---- the form

static string_list cut_joints(arena *a, const findings *f) {
    string_list out = {0};
    for (int i = 0; f->tree && i < f->tree->cut.count; i++)
        vec_push(a, out, parts_label(a, f->sys->model, f->tree->cut.at[i]->label, "", ""));
    return out;
}

void parts_form_json(json *j, arena *a, const findings *f) {
    string_list cut = cut_joints(a, f);
    if (!mech_has_bodies(f->sys->model))
        return;
    json_key(j, "form");
    json_open(j, '{');
    json_key(j, "coordinates"), json_string(j, f->tree ? "joints" : "bodies");
    json_key(j, "count"), json_integer(j, f->tree ? f->tree->n : f->sys->n);
    parts_strings(j, "cut", &cut);
    json_close(j, '}');
}

void parts_form_text(text *t, arena *a, const findings *f) {
    enum { MOST = 8 };
    string_list cut = cut_joints(a, f);
    if (f->tree == NULL)
        return;
    text_print(t, "  by %d coordinate%s of joints", f->tree->n, parts_plural(f->tree->n));
    if (cut.count)
        text_add(t, cut.count == 1 ? "; the loop is closed by " : "; loops are closed by ");
    parts_names(t, &cut, MOST);
    text_add(t, "\n");
}
