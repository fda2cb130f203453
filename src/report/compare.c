/* A comparison for people and as JSON. */
#include "report/compare.h"
#include "report/parts.h"

#include <math.h>

// ---- text

enum { SHOWN = 6, WIDTH = 15 }; // coordinates in the tables

static void table(text *t, arena *a, const findings *f, const comparison *c, bool force) {
    const model *m = f->sys->model;
    int n = f->sys->n, shown = n < SHOWN ? n : SHOWN;
    text_print(t, "  %-18s", force ? "constraint force" : "acceleration");
    for (int i = 0; i < shown; i++)
        text_print(t, " %*s", WIDTH, parts_label(a, m, m->coords.at[i], "", force ? "" : "''"));
    text_print(t, "%s\n", n > shown ? "  ..." : "");
    for (int k = 0; k < COMPARED; k++) {
        const compared *one = &c->each[k];
        if (!one->applies)
            continue;
        text_print(t, "    %-16s", one->name);
        for (int i = 0; i < shown; i++) // + 0: no negative zeros
            text_print(t, " %*.8g", WIDTH, (force ? one->force : one->qdd)[i] + 0.0);
        text_add(t, "\n");
    }
}

static void text_difference(text *t, const comparison *c, const difference *d, const char *of) {
    if (d->size > 0)
        text_print(t, "    %-17s %.2g (%s and %s, t = %.6g)\n", of, d->size, c->each[d->one].name,
                   c->each[d->other].name, d->time);
    else
        text_print(t, "    %-17s none\n", of);
}

static void text_chosen(text *t, const comparison *c) {
    for (int i = 0; i < c->chosen->count; i++)
        text_print(t, "  %s with %s=%s\n", c->chosen->given[i].what->of->name, c->chosen->given[i].what->name,
                   c->chosen->given[i].text);
}

static void text_choice(text *t, const choice_difference *d, const char *of) {
    if (d->size > 0)
        text_print(t, "    %-17s %.2g (%s, %s)\n", of, d->size, d->of->name, d->choice);
    else
        text_print(t, "    %-17s none\n", of);
}

static void text_freedom(text *t, const freedom *f) {
    if (f->tried == 0)
        return;
    text_print(t, "  largest difference that %d other choices make, of what formulations leave open\n",
               f->tried);
    text_choice(t, &f->acceleration, "acceleration");
    text_choice(t, &f->force, "constraint force");
}

static void text_missing(text *t, const comparison *c) {
    int count = 0;
    for (int i = 0; i < COMPARED; i++)
        if (!c->each[i].applies)
            text_print(t, "%s%s", count++ ? ", " : "  do not apply: ", c->each[i].name);
    if (count)
        text_add(t, " (they take a root of the mass matrix, which is singular)\n");
    for (int i = 0; i < COMPARED; i++)
        if (c->each[i].applies && c->each[i].failure.failed)
            text_print(t, "  from t = %.6g: %s\n", c->each[i].failure.time, c->each[i].failure.message);
}

// of the first columns of a table
static void text_names(text *t, arena *a, const char *what, const label *labels, const int *which, int count,
                       const model *m) {
    text_print(t, "  %-18s", what);
    for (int i = 0; i < count && i < SHOWN; i++)
        text_print(t, " %*s", WIDTH, parts_label(a, m, labels[which[i]], "", ""));
    text_print(t, "%s\n", count > SHOWN ? "  ..." : "");
}

static void text_numbers(text *t, const char *what, const double *v, int count) {
    text_print(t, "    %-16s", what);
    for (int i = 0; i < count && i < SHOWN; i++) // + 0: no negative zeros
        text_print(t, " %*.8g", WIDTH, v[i] + 0.0);
    text_add(t, "\n");
}

static void text_gibbs(text *t, arena *a, const findings *f, const gibbs *g) {
    const model *m = f->sys->model;
    const label *labels = f->sys->quasi ? m->quasis.at : m->coords.at;
    int free = f->sys->n - (g->order ? g->dependent : 0);
    if (g->order == NULL || free == 0)
        return;
    text_print(t, "  Gibbs and Appell: %s", g->dependent ? "" : "all are independent");
    for (int i = 0; i < g->dependent && i < SHOWN; i++)
        text_print(t, "%s%s", i ? ", " : "", parts_label(a, m, labels[g->order[i]], "", ""));
    text_print(t, "%s%s\n", g->dependent > SHOWN ? ", ..." : "",
               g->dependent == 1  ? " depends on the others"
               : g->dependent > 1 ? " depend on the others"
                                  : "");
    text_print(t, "    energy of the accelerations S = %.8g\n", g->energy);
    text_names(t, a, "  independent", labels, g->order + g->dependent, free, m);
    text_numbers(t, "Q_I - R'Q_e", g->force, free);
    text_numbers(t, "dS/dq_I''", g->slope, free);
}

// link + 2 rod - 3 base: its rows, added up, vanish
static void text_null(text *t, arena *a, const findings *f, const rank_report *rows, int row) {
    text_print(t, "    %s", failure_row_name(a, f->sys, row));
    for (int i = 0; i < rows->term_count[row]; i++) {
        double factor = rows->terms[row][i].factor;
        const char *name = failure_row_name(a, f->sys, rows->terms[row][i].row);
        text_print(t, factor > 0 ? " - " : " + ");
        if (fabs(factor) != 1)
            text_print(t, "%.6g ", fabs(factor));
        text_add(t, name);
    }
    text_add(t, "\n");
}

static void text_multipliers(text *t, arena *a, const findings *f, const multipliers *m) {
    int shown = 0, count = 0;
    for (int i = 0; i < f->sys->m; i++)
        count += !m->none[i];
    if (count == 0)
        return;
    text_print(t, "  %-18s", "multipliers");
    for (int i = 0; i < f->sys->m && shown < SHOWN; i++)
        if (!m->none[i] && ++shown)
            text_print(t, " %*s", WIDTH, failure_row_name(a, f->sys, i));
    text_print(t, "%s\n    %-16s", count > shown ? "  ..." : "", m->dimension ? "of least norm" : "unique");
    for (int i = 0; i < f->sys->m && shown > 0; i++)
        if (!m->none[i] && shown--)
            text_print(t, " %*.8g", WIDTH, m->least[i] + 0.0);
    text_add(t, "\n");
    if (m->dimension)
        text_print(t, "  to which any multiple of %s can be added\n",
                   m->dimension == 1 ? "this" : arena_print(a, "these %d", m->dimension));
    for (int i = 0; i < f->sys->m && shown < SHOWN; i++)
        if (!m->none[i] && !m->rows->kept[i] && ++shown)
            text_null(t, a, f, m->rows, i);
    if (m->dimension > SHOWN)
        text_print(t, "    and %d more\n", m->dimension - SHOWN);
}

static void text_certificate(text *t, const certificate *s) {
    text_add(t, "  certificate of the result\n");
    text_print(t, "    A q'' = b to %.2g\n", s->constraints);
    text_print(t, "    the constraint force less C does no work on displacements with A v = 0, to %.2g\n",
               s->work);
    if (s->others)
        text_print(
            t,
            "    the Gaussian of %ld other possible accelerations is larger by u'M u, as it must be, to "
            "%.2g\n",
            s->others, s->gaussian);
    else
        text_add(t, "    no other acceleration is possible\n");
    text_print(t, "    [M; A] has rank %d of %d: the acceleration is unique\n", s->rank, s->unknowns);
}

const char *compare_summary(arena *a, const findings *f, const comparison *c) {
    text t;
    text_init(&t, a);
    if (c->states == 0)
        return "";
    parts_title(&t, f, c->rank, true);
    text_print(&t, "  at t = %.6g\n", c->from);
    text_chosen(&t, c);
    table(&t, a, f, c, false);
    table(&t, a, f, c, true);
    text_multipliers(&t, a, f, &c->multipliers);
    text_gibbs(&t, a, f, &c->gibbs);
    text_missing(&t, c);
    if (c->states > 1)
        text_print(&t, "  largest difference between any two, relative, at %ld states\n", c->states);
    else
        text_add(&t, "  largest difference between any two, relative\n");
    text_difference(&t, c, &c->acceleration, "acceleration");
    text_difference(&t, c, &c->force, "constraint force");
    text_freedom(&t, &c->freedom);
    text_certificate(&t, &c->certificate);
    return text_string(&t);
}

// ---- JSON

static void json_vector(json *j, arena *a, const findings *f, const char *key, const double *v,
                        const char *dots) {
    const model *m = f->sys->model;
    json_key(j, key);
    json_open(j, '{');
    for (int i = 0; i < f->sys->n; i++) {
        json_key(j, parts_label(a, m, m->coords.at[i], "", dots));
        json_number(j, v[i]);
    }
    json_close(j, '}');
}

static void json_compared(json *j, arena *a, const findings *f, const compared *one) {
    json_open(j, '{');
    json_key(j, "name"), json_string(j, one->name);
    json_key(j, "equations"), json_string(j, one->by ? one->by->equations : "");
    json_key(j, "applies"), json_bool(j, one->applies);
    if (one->applies) {
        json_vector(j, a, f, "acceleration", one->qdd, "''");
        json_vector(j, a, f, "force", one->force, "");
    } else {
        json_key(j, "reason"), json_string(j, one->failure.message);
    }
    json_close(j, '}');
}

static void json_difference(json *j, const comparison *c, const char *key, const difference *d) {
    json_key(j, key);
    json_open(j, '{');
    json_key(j, "relative"), json_number(j, d->size);
    json_key(j, "between");
    json_open(j, '[');
    if (d->size > 0) {
        json_string(j, c->each[d->one].name);
        json_string(j, c->each[d->other].name);
    }
    json_close(j, ']');
    json_key(j, "at"), json_number(j, d->size > 0 ? d->time : NAN);
    json_close(j, '}');
}

static void json_choice(json *j, const char *key, const choice_difference *d) {
    json_key(j, key);
    json_open(j, '{');
    json_key(j, "relative"), json_number(j, d->size);
    json_key(j, "formulation"), json_string(j, d->size > 0 ? d->of->name : "");
    json_key(j, "choice"), json_string(j, d->size > 0 ? d->choice : "");
    json_close(j, '}');
}

static void json_freedom(json *j, const comparison *c) {
    json_key(j, "choices");
    json_open(j, '{');
    parts_chosen(j, "given", c->chosen);
    json_key(j, "tried"), json_integer(j, c->freedom.tried);
    json_choice(j, "acceleration", &c->freedom.acceleration);
    json_choice(j, "force", &c->freedom.force);
    json_close(j, '}');
}

static void json_null_vector(json *j, arena *a, const findings *f, const rank_report *rows, int row) {
    json_open(j, '{');
    json_key(j, failure_row_name(a, f->sys, row)), json_number(j, 1);
    for (int i = 0; i < rows->term_count[row]; i++) {
        json_key(j, failure_row_name(a, f->sys, rows->terms[row][i].row));
        json_number(j, -rows->terms[row][i].factor);
    }
    json_close(j, '}');
}

static void json_multipliers(json *j, arena *a, const findings *f, const multipliers *m) {
    json_key(j, "multipliers");
    json_open(j, '{');
    json_key(j, "least_norm");
    json_open(j, '{');
    for (int i = 0; i < f->sys->m; i++)
        if (!m->none[i])
            json_key(j, failure_row_name(a, f->sys, i)), json_number(j, m->least[i]);
    json_close(j, '}');
    json_key(j, "dimension"), json_integer(j, m->dimension);
    json_key(j, "null_space");
    json_open(j, '[');
    for (int i = 0; i < f->sys->m; i++)
        if (!m->none[i] && !m->rows->kept[i])
            json_null_vector(j, a, f, m->rows, i);
    json_close(j, ']');
    json_close(j, '}');
}

static void json_named(json *j, arena *a, const model *m, const char *key, const label *labels,
                       const int *which, const double *v, int count) {
    json_key(j, key);
    json_open(j, v ? '{' : '[');
    for (int i = 0; i < count; i++) {
        const char *name = parts_label(a, m, labels[which[i]], "", "");
        if (v)
            json_key(j, name), json_number(j, v[i]);
        else
            json_string(j, name);
    }
    json_close(j, v ? '}' : ']');
}

static void json_gibbs(json *j, arena *a, const findings *f, const gibbs *g) {
    const model *m = f->sys->model;
    const label *labels = f->sys->quasi ? m->quasis.at : m->coords.at;
    int free = f->sys->n - g->dependent;
    const int *independent = g->order + g->dependent;
    json_key(j, "gibbs_appell");
    json_open(j, '{');
    json_named(j, a, m, "dependent", labels, g->order, NULL, g->dependent);
    json_named(j, a, m, "independent", labels, independent, NULL, free);
    json_key(j, "energy_of_accelerations"), json_number(j, g->energy);
    json_named(j, a, m, "force", labels, independent, g->force, free);
    json_named(j, a, m, "slope", labels, independent, g->slope, free);
    json_close(j, '}');
}

const char *compare_json(arena *a, const findings *f, const comparison *c) {
    const certificate *s = &c->certificate;
    json j;
    json_init(&j, a);
    json_open(&j, '{');
    parts_head(&j, f);
    json_key(&j, "rank"), json_integer(&j, c->rank);
    json_key(&j, "time"), json_number(&j, c->from);
    json_key(&j, "states"), json_integer(&j, c->states);
    json_key(&j, "formulations");
    json_open(&j, '[');
    for (int i = 0; i < COMPARED && c->states; i++)
        json_compared(&j, a, f, &c->each[i]);
    json_close(&j, ']');
    json_key(&j, "largest_difference");
    json_open(&j, '{');
    json_difference(&j, c, "acceleration", &c->acceleration);
    json_difference(&j, c, "force", &c->force);
    json_close(&j, '}');
    json_freedom(&j, c);
    if (c->multipliers.rows)
        json_multipliers(&j, a, f, &c->multipliers);
    if (c->gibbs.order)
        json_gibbs(&j, a, f, &c->gibbs);
    json_key(&j, "certificate");
    json_open(&j, '{');
    json_key(&j, "constraints"), json_number(&j, s->constraints);
    json_key(&j, "virtual_work"), json_number(&j, s->work);
    json_key(&j, "other_accelerations"), json_integer(&j, s->others);
    json_key(&j, "gaussian"), json_number(&j, s->gaussian);
    json_key(&j, "rank_of_mass_and_constraints"), json_integer(&j, s->rank);
    json_close(&j, '}');
    parts_strings(&j, "warnings", &f->warnings);
    if (c->failure.failed)
        parts_failure(&j, &c->failure);
    json_close(&j, '}');
    return text_string(&j.out);
}
