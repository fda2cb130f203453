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
    table(&t, a, f, c, false);
    table(&t, a, f, c, true);
    text_missing(&t, c);
    if (c->states > 1)
        text_print(&t, "  largest difference between any two, relative, at %ld states\n", c->states);
    else
        text_add(&t, "  largest difference between any two, relative\n");
    text_difference(&t, c, &c->acceleration, "acceleration");
    text_difference(&t, c, &c->force, "constraint force");
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
