#include "report/equilibrium.h"

#include "base/number.h"
#include "report/linearize.h"
#include "report/parts.h"
#include "system/natural.h"

#include <math.h>
#include <string.h>

static const double NOTHING = 1e-9; // of a direction or force, beside its largest part

// what is rounding beside the largest is 0 to people
static double beside(double x, double largest) {
    return fabs(x) > NOTHING * largest ? x : 0.0;
}

void equilibrium_warn(findings *f, arena *a, const equilibrium_report *r) {
    const char *warning;
    if (r->found && r->still) {
        warning = arena_print(
            a, "the equations change with time: this is an equilibrium while they are as at t = %.9g",
            r->time);
        vec_push(a, f->warnings, warning);
    }
    if (r->found && r->dropped_velocities) {
        warning = "the velocities of the start are not those of a motion of the whole; a rest was sought";
        vec_push(a, f->warnings, warning);
    }
}

// ---- free directions

// the first coordinate of the quaternion that a coordinate is part of; -1: of none
static int quaternion_of(const model *m, int i) {
    for (int k = 0; k < m->quaternions.count; k++)
        if (i >= m->quaternions.at[k] && i < m->quaternions.at[k] + 4)
            return m->quaternions.at[k];
    return -1;
}

// the turn, in space, that the change dp of a quaternion p is: 2 dp o conj(p)
static void turn_of(const double *p, const double *dp, double *w) {
    for (int i = 0; i < 3; i++) {
        int u = 1 + (i + 1) % 3, v = 1 + (i + 2) % 3;
        w[i] = 2 * (dp[1 + i] * p[0] - dp[0] * p[1 + i] - dp[u] * p[v] + dp[v] * p[u]);
    }
}

static const char *name_of(arena *a, const model *m, int i) {
    if (quaternion_of(m, i) < 0)
        return model_coord_name(m, i, a);
    label body = m->coords.at[i];
    body.part = NULL;
    return parts_label(a, m, body, "", "");
}

static string_list joints_taking_part(arena *a, const model *m, const free_direction *d) {
    string_list out = {0};
    vec_push(a, out, parts_label(a, m, m->outputs.at[d->by], "", ""));
    for (int i = 0; i < m->outputs.count; i++)
        if (i != d->by && d->joint[i] != 0)
            vec_push(a, out, parts_label(a, m, m->outputs.at[i], "", ""));
    return out;
}

// the joints, else the coordinates, or bodies that turn, that go with a direction; its own first
static string_list taking_part(arena *a, const findings *f, const free_direction *d) {
    const model *m = f->sys->model;
    string_list out = {0};
    if (d->by >= 0)
        return joints_taking_part(a, m, d);
    const char *own = name_of(a, m, d->leading);
    int turned = quaternion_of(m, d->leading);
    vec_push(a, out, own);
    for (int i = 0; i < f->sys->n; i++) {
        int first = quaternion_of(m, i);
        double size = fabs(d->dq[i]) / f->sys->natural->scale[i];
        bool takes_part = size * f->sys->natural->scale[d->leading] > NOTHING;
        if (!takes_part || i == d->leading || (first >= 0 && first == turned))
            continue;
        const char *name = name_of(a, m, i);
        if (first >= 0)
            turned = first;
        vec_push(a, out, name);
    }
    return out;
}

static void text_free(text *t, arena *a, const findings *f, const equilibrium_report *r,
                      const free_direction *d) {
    enum { MOST = 8 };
    const model *m = f->sys->model;
    string_list part = taking_part(a, f, d);
    int first = d->by >= 0 ? -1 : quaternion_of(m, d->leading);
    text_print(t, "  %s: %s may be ",
               d->family ? "a family of equilibria" : "free to first order, but no further", part.at[0]);
    if (first >= 0) {
        double w[3];
        turn_of(r->q + first, d->dq + first, w);
        double size = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        text_print(t, "turned about (%.4g, %.4g, %.4g)", beside(w[0], size) / size, beside(w[1], size) / size,
                   beside(w[2], size) / size);
    } else {
        text_add(t, d->family ? "anything" : "changed a little");
    }
    if (part.count > 1) {
        string_list others = {.at = part.at + 1, .count = part.count - 1};
        text_add(t, "; with it go ");
        parts_names(t, &others, MOST);
    }
    text_add(t, "\n");
}

static void json_free(json *j, arena *a, const findings *f, const equilibrium_report *r) {
    const model *m = f->sys->model;
    json_key(j, "free");
    json_open(j, '[');
    for (int k = 0; k < r->free.count; k++) {
        const free_direction *d = &r->free.at[k];
        json_open(j, '{');
        json_key(j, "family"), json_bool(j, d->family);
        const char *own =
            d->by >= 0 ? parts_label(a, m, m->outputs.at[d->by], "", "") : model_coord_name(m, d->leading, a);
        json_key(j, "coordinate"), json_string(j, own);
        json_key(j, "direction");
        json_open(j, '{');
        for (int i = 0; i < m->outputs.count; i++)
            if (d->joint[i] != 0)
                json_key(j, parts_label(a, m, m->outputs.at[i], "", "")), json_number(j, d->joint[i]);
        for (int i = 0; i < f->sys->n; i++)
            if (d->dq[i] != 0)
                json_key(j, model_coord_name(m, i, a)), json_number(j, d->dq[i]);
        json_close(j, '}');
        json_close(j, '}');
    }
    json_close(j, ']');
}

// ---- JSON

static const char *const stability_words[] = {[STABLE_DECAYS] = "decays",
                                              [STABLE_OSCILLATES] = "oscillates",
                                              [STABLE_NEUTRAL] = "neutral",
                                              [STABLE_UNDECIDED] = "undecided",
                                              [STABLE_NOT] = "unstable"};

static void json_stability(json *j, const equilibrium_report *r) {
    bool known = r->linear && r->linear->solved;
    json_key(j, "stable");
    if (known && r->stable != STABLE_UNDECIDED)
        json_bool(j, r->stable != STABLE_NOT);
    else
        json_null(j);
    json_key(j, "stability");
    if (known)
        json_string(j, stability_words[r->stable]);
    else
        json_null(j);
}

static void json_views(json *j, const equilibrium_report *r, const char *key, model_views v) {
    json_key(j, key);
    json_open(j, '[');
    for (int i = 0; i < v.count; i++)
        json_number(j, r->there.views[v.first + i] + 0.0);
    json_close(j, ']');
}

static void json_forces(json *j, arena *a, const findings *f, const equilibrium_report *r) {
    const model *m = f->sys->model;
    json_key(j, "forces");
    json_open(j, '{');
    for (int i = 0; r->there.force && i < f->sys->n; i++)
        json_key(j, model_coord_name(m, i, a)), json_number(j, r->there.force[i] + 0.0);
    json_close(j, '}');
    json_key(j, "reactions");
    json_open(j, '[');
    for (int i = 0; r->there.views && i < m->forces.count; i++) {
        const model_force *at = &m->forces.at[i];
        json_open(j, '{');
        json_key(j, "constraint"), json_string(j, at->label);
        json_views(j, r, "at", at->at);
        json_views(j, r, "force", at->force);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_left(json *j, arena *a, const findings *f, const equilibrium_report *r) {
    const model *m = f->sys->model;
    if (r->search.left == NULL || r->found)
        return;
    json_key(j, "left");
    json_open(j, '{');
    json_key(j, "coordinate"), json_string(j, model_coord_name(m, r->search.worst, a));
    json_key(j, "acceleration"), json_number(j, r->search.left[r->search.worst]);
    json_key(j, "runs_away"), json_bool(j, r->search.end == SETTLE_RUNS_OFF);
    json_close(j, '}');
    json_key(j, "nearest");
    json_open(j, '{');
    for (int i = 0; i < f->sys->n; i++)
        json_key(j, model_coord_name(m, i, a)), json_number(j, r->q[i]);
    json_close(j, '}');
}

static void json_friction(json *j, arena *a, const findings *f, const equilibrium_report *r) {
    const model *m = f->sys->model;
    json_key(j, "sticks");
    json_open(j, '[');
    for (int i = 0; r->sticks && i < m->frictions.count; i++)
        if (r->sticking[i])
            json_string(j, parts_label(a, m, m->constraints.at[m->frictions.at[i].constraint].label, "", ""));
    json_close(j, ']');
}

const char *equilibrium_json(arena *a, const findings *f, const equilibrium_report *r) {
    const linear_report *l = r->linear;
    json j;
    json_init(&j, a);
    json_open(&j, '{');
    parts_head(&j, f);
    json_key(&j, "time"), json_number(&j, r->time);
    parts_rank(&j, f->sys, l ? l->rank : NULL);
    json_key(&j, "found"), json_bool(&j, r->found);
    json_stability(&j, r);
    json_key(&j, "at_rest"), json_bool(&j, r->found && !r->steady);
    json_key(&j, "time_stands"), json_bool(&j, r->still);
    json_key(&j, "steps"), json_integer(&j, r->search.steps);
    json_key(&j, "state");
    json_open(&j, '{');
    if (r->there.reaction)
        parts_state_json(&j, a, f,
                         &(parts_state){r->q, r->v, NULL, r->there.reaction, r->there.control,
                                        r->there.multiplier, r->there.outputs});
    json_close(&j, '}');
    json_forces(&j, a, f, r);
    linear_json_eigenvalues(&j, l);
    json_free(&j, a, f, r);
    json_friction(&j, a, f, r);
    json_left(&j, a, f, r);
    parts_strings(&j, "warnings", &f->warnings);
    if (r->failure.failed)
        parts_failure(&j, &r->failure);
    json_close(&j, '}');
    return text_string(&j.out);
}

// ---- text

static bool is_singular(const equilibrium_report *r) {
    return r->linear->start.branching >= 0 || r->linear->start.near >= 0;
}

static const char *stability_text(arena *a, const equilibrium_report *r) {
    switch (r->stable) {
    case STABLE_DECAYS:
        return r->linear->positions ? "stable: deviations die out" : "held: nothing can deviate";
    case STABLE_OSCILLATES:
        return "stable to first order: deviations oscillate, and nothing ends them";
    case STABLE_NEUTRAL:
        return "no deviation grows but along free directions";
    case STABLE_UNDECIDED:
        return is_singular(r) ? "whether it is stable is not told: it is a singular position, or nearly one"
                              : "whether it is stable is not decided to first order: an eigenvalue is 0";
    default:
        return arena_print(a, "unstable: deviations grow as exp(%.6g t)", r->linear->re[0]);
    }
}

static void text_found(text *t, arena *a, const findings *f, const equilibrium_report *r) {
    const char *what = r->steady ? "a steady motion" : "an equilibrium";
    if (r->sticks)
        text_add(t, "  an equilibrium at the start: friction holds it, and holds positions around it");
    else if (r->search.moved <= 1e-9)
        text_print(t, "  %s at the start", what);
    else
        text_print(t, "  %s %s the start, found in %d steps", what,
                   r->search.near ? "next to" : "reached from", r->search.steps);
    text_print(t, "; %s\n", stability_text(a, r));
    if (f->sys->friction_count && !r->sticks)
        text_add(t, "  friction has nothing to hold there, and holds positions around it\n");
}

enum { SHOWN = 24 };

// after: primes of x; what is rounding beside the scale of the coordinate is 0 to people
static void text_values(text *t, const findings *f, const char *what, const double *x, const char *after) {
    static const double ROUNDING = 1e-12;
    const model *m = f->sys->model;
    int n = f->sys->n;
    double per = pow(f->sys->natural->rate, (double)strlen(after));
    text_print(t, "  %s\n", what);
    for (int i = 0; i < n && i < SHOWN; i++) {
        bool there = fabs(x[i]) > ROUNDING * f->sys->natural->scale[i] * per;
        text_add(t, "    ");
        model_label(m, m->coords.at[i], t);
        text_print(t, "%s = %.9g\n", after, there ? x[i] : 0.0);
    }
    if (n > SHOWN)
        text_print(t, "    and %d more; the JSON has all\n", n - SHOWN);
}

// angles and displacements of joints that they have unasked; their rates only in a steady motion
static void text_outputs(text *t, arena *a, const findings *f, const equilibrium_report *r, bool of_joints) {
    const model *m = f->sys->model;
    for (int i = 0, shown = 0; i < m->outputs.count && shown < SHOWN; i++) {
        const label *l = &m->outputs.at[i];
        if (l->freedom != of_joints || (l->rate && !r->steady))
            continue;
        text_print(t, "%s    %s = %.9g\n",
                   shown++     ? ""
                   : of_joints ? "  joints\n"
                               : "  outputs\n",
                   parts_label(a, m, *l, "", ""), r->there.outputs[i] + 0.0);
    }
}

static void text_force(text *t, const equilibrium_report *r, const model_force *at, double largest) {
    text_print(t, "    %s: (", at->label);
    for (int i = 0; i < at->force.count; i++)
        text_print(t, "%s%.6g", i ? ", " : "", beside(r->there.views[at->force.first + i], largest));
    text_add(t, ")\n");
}

static void text_forces(text *t, arena *a, const findings *f, const equilibrium_report *r) {
    const model *m = f->sys->model;
    double largest = 0;
    if (r->there.views == NULL || (m->forces.count == 0 && f->sys->m == 0))
        return;
    for (int i = 0; i < m->forces.count; i++)
        for (int k = 0; k < m->forces.at[i].force.count; k++)
            largest = fmax(largest, fabs(r->there.views[m->forces.at[i].force.first + k]));
    if (m->forces.count)
        text_add(t, "  forces of joints and constraints\n");
    for (int i = 0; i < m->forces.count && i < SHOWN; i++)
        text_force(t, r, &m->forces.at[i], largest);
    if (m->forces.count == 0) {
        text_add(t, "  multipliers\n");
        for (int i = 0; i < f->sys->m && i < SHOWN; i++)
            text_print(t, "    %s = %.6g\n", failure_row_name(a, f->sys, i), r->there.multiplier[i] + 0.0);
    }
    text_outputs(t, a, f, r, false);
}

const char *equilibrium_summary(arena *a, const findings *f, const equilibrium_report *r) {
    text t;
    text_init(&t, a);
    if (r->q == NULL)
        return "";
    bool known = r->linear && r->linear->solved;
    parts_title(&t, f, known ? r->linear->rank->rank : 0, known);
    if (!r->found) {
        text_values(&t, f, "the nearest approach", r->q, "");
        if (r->search.left)
            text_values(&t, f, "accelerations that are left", r->search.left, "''");
        return text_string(&t);
    }
    if (!known)
        return text_string(&t);
    text_found(&t, a, f, r);
    for (int i = 0; i < r->free.count && i < SHOWN; i++)
        text_free(&t, a, f, r, &r->free.at[i]);
    text_outputs(&t, a, f, r, true);
    text_values(&t, f, "positions", r->q, "");
    if (r->steady)
        text_values(&t, f, "velocities", r->v, "'");
    text_forces(&t, a, f, r);
    if (r->linear->positions + r->linear->velocities > 0)
        linear_text_eigenvalues(&t, r->linear);
    return text_string(&t);
}

// ---- a model

static void text_initial(text *t, const char *name, const char *prime, double value) {
    char number[32];
    text_print(t, "initial instead %s%s ~ %s\n", name, prime, number_shortest(number, value + 0.0));
}

const char *equilibrium_model(arena *a, const findings *f, const equilibrium_report *r, const char *path) {
    const model *m = f->sys->model;
    text t;
    text_init(&t, a);
    text_print(&t, "# %s, from its equilibrium\ninclude \"%s\"\n", m->title ? m->title : path, path);
    for (int i = 0; i < f->sys->n; i++) {
        const char *name = model_coord_name(m, i, a);
        text_initial(&t, name, "", r->q[i]);
        text_initial(&t, name, "'", r->v[i]);
    }
    return text_string(&t);
}
