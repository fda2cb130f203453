/* The last walks: plots and drawings, then what pictures show unasked. Each number that they need is a view:
 * an element of its own, evaluated only in runs that ask for pictures. */
#include "lang/elab.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* More forces and joints than these are not shown unasked: nobody sees one of a thousand arrows. */
enum { FORCES_MOST = 300, JOINTS_MOST = 300, BODIES_MOST = 100 };
/* More parts than these, or constraints among more coordinates, do not draw themselves. */
enum { PARTS_MOST = 20000, COORDS_MOST = 4 * PARTS_MOST };

// ---- views

static model_views add_views(elab *L, place at, value v) {
    model_views out = {L->model->view_count, v.size};
    builder all = L->builder;
    for (int i = 0; i < v.size; i++) {
        int target = L->model->view_count++;
        expr parts[SHAPE_PARTS] = {elab_only(L, elab_expr(L, v.at[i]))};
        elab_finish(L, SHAPE_VIEW, at, parts, &target, 1);
        L->builder = all;
        elab_remark(L);
    }
    return out;
}

const char *elab_owner(elab *L) {
    const model *m = L->model;
    int count = L->builder.slots.count;
    label own = count ? m->coords.at[L->builder.slots.at[0]] : (label){0};
    if (own.part == NULL)
        return NULL;
    for (int i = 1; i < count; i++) {
        label l = m->coords.at[L->builder.slots.at[i]];
        if (l.part == NULL || l.name != own.name || l.index != own.index)
            return NULL;
    }
    own.part = NULL;
    text t;
    text_init(&t, L->arena);
    model_label(m, own, &t);
    return text_string(&t);
}

void elab_draw(elab *L, place at, const elab_drawing *d) {
    model_draw out = {.kind = d->kind, .label = d->label, .text = d->text, .size_count = d->size_count};
    out.at = add_views(L, at, d->at);
    out.to = add_views(L, at, d->to);
    out.turn = add_views(L, at, d->turn);
    out.radius = add_views(L, at, d->radius);
    out.colour = d->colour;
    out.mesh = d->mesh;
    out.corners = d->corners;
    out.corner_count = d->corner_count;
    memcpy(out.size, d->size, sizeof out.size);
    out.of = elab_owner(L);
    vec_push(L->arena, L->model->draws, out);
}

static model_force shown_force(elab *L, place at, const elab_force *f) {
    model_force out = {.label = f->label, .on = {f->on[0], f->on[1]}, .kind = f->kind};
    out.at = add_views(L, at, f->at);
    out.force = add_views(L, at, f->force);
    out.torque = add_views(L, at, f->torque);
    return out;
}

void elab_show_force(elab *L, place at, const elab_force *f) {
    if (L->model->forces.count < FORCES_MOST)
        vec_push(L->arena, L->model->forces, shown_force(L, at, f));
}

void elab_show_load(elab *L, place at, const elab_force *f) {
    if (L->model->loads.count < FORCES_MOST)
        vec_push(L->arena, L->model->loads, shown_force(L, at, f));
}

void elab_show_body(elab *L, place at, const elab_body *b) {
    if (L->model->bodies.count == BODIES_MOST)
        return;
    model_body out = {.label = b->label, .joints_only = b->joints_only};
    out.at = add_views(L, at, b->at);
    out.weight = add_views(L, at, b->weight);
    out.active = add_views(L, at, b->active);
    out.constraint = add_views(L, at, b->constraint);
    out.inertia = add_views(L, at, b->inertia);
    out.active_torque = add_views(L, at, b->active_torque);
    out.constraint_torque = add_views(L, at, b->constraint_torque);
    out.inertia_torque = add_views(L, at, b->inertia_torque);
    vec_push(L->arena, L->model->bodies, out);
}

void elab_show_joint(elab *L, place at, const elab_joint *j) {
    if (L->model->joints.count == JOINTS_MOST)
        return;
    model_joint out = {.label = j->label, .kind = j->kind, .of = {j->of[0], j->of[1]}, .size = j->size};
    for (int i = 0; i < 2; i++) {
        out.at[i] = add_views(L, at, j->at[i]);
        out.turn[i] = add_views(L, at, j->turn[i]);
    }
    vec_push(L->arena, L->model->joints, out);
}

// ---- texts

static const binding *loop_variable(elab *L, const binding *scope, const char *word, int length) {
    int name = names_find(L->names, word, length);
    for (; scope; scope = scope->next)
        if (scope->loop && scope->name == name)
            return scope;
    return NULL;
}

static int word_length(const char *at) {
    int length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return length;
}

const char *elab_shown(elab *L, place at, const binding *scope) {
    const char *from = elab_one_line(L, at);
    text out;
    text_init(&out, L->arena);
    for (bool part = false; *from;) {
        int length = word_length(from);
        const binding *b = length && !part ? loop_variable(L, scope, from, length) : NULL;
        if (b)
            text_print(&out, "%.0f", b->value.at[0].number);
        else
            text_add_bytes(&out, from, length ? length : 1);
        part = *from == '.';
        from += length ? length : 1;
    }
    return text_string(&out);
}

static const char *quoted_text(elab *L, place at) {
    return arena_copy(L->arena, at.source->text + at.offset + 1, (size_t)at.length - 2);
}

// ---- plots

// a number of a plot; kinds are those of its symbols
static bool plotted(elab *L, const node *n, const binding *scope, model_series *out, unsigned *kinds) {
    scalar s;
    elab_begin(L);
    if (n == NULL || !elab_number(L, n, scope, &s))
        return false;
    expr e = elab_expr(L, s);
    *kinds = expr_kinds(L->pool, e);
    out->text = elab_shown(L, n->whole, scope);
    out->view = add_views(L, n->whole, elab_scalar((scalar){.e = e})).first;
    return true;
}

// a loop over a plot against time is one plot
static int find_plot(elab *L, const stmt *s) {
    const model *m = L->model;
    for (int i = m->plots.count - 1; i >= 0 && s->value == NULL; i--)
        if (m->plots.at[i].at.source == s->at.source && m->plots.at[i].at.offset == s->at.offset)
            return i;
    return m->plots.count;
}

static bool is_position(unsigned kinds) {
    return kinds & 1u << SYM_P && !(kinds & (1u << SYM_V | 1u << SYM_A | 1u << SYM_RESULT));
}

static bool find_bound(elab *L, const node *n, const binding *scope, bool log, double *out) {
    *out = NAN;
    if (n == NULL)
        return true;
    if (!elab_known(L, n, scope, "the range of a plot", out))
        return false;
    if (log && *out <= 0)
        elab_error(L, n->whole, "a logarithmic axis has numbers above 0 only, not %.15g", *out);
    return !log || *out > 0;
}

// from its three options
static bool find_axis(elab *L, const plot_option *o, const binding *scope, model_axis *out) {
    const plot_option *range = &o[PLOT_RANGE];
    out->label = o[PLOT_LABEL].at.source ? quoted_text(L, o[PLOT_LABEL].label) : NULL;
    out->log = o[PLOT_LOG].at.source != NULL;
    if (!find_bound(L, range->from, scope, out->log, &out->from) ||
        !find_bound(L, range->to, scope, out->log, &out->to))
        return false;
    if (out->to <= out->from)
        elab_error(L, range->at, "this range is empty: it begins at %.15g and ends at %.15g", out->from,
                   out->to);
    return !(out->to <= out->from);
}

static bool is_free(const model_axis *x) {
    return !x->log && isnan(x->from) && isnan(x->to);
}

static void act_plot(elab *L, const stmt *s, const binding *scope) {
    unsigned kinds = 0;
    model_plot plot = {.title = quoted_text(L, s->extent),
                       .at = s->at,
                       .axis = {{NULL, NAN, NAN, false}, {NULL, NAN, NAN, false}},
                       .across = {"t", -1}};
    int which = find_plot(L, s);
    for (int i = 0; s->axes && i < 2; i++)
        if (!find_axis(L, s->axes + (ptrdiff_t)(i * PLOT_OPTIONS / 2), scope, &plot.axis[i]))
            return;
    if (s->value && !plotted(L, s->value, scope, &plot.across, &kinds))
        return;
    plot.lengths = s->value && is_position(kinds) && is_free(&plot.axis[0]) && is_free(&plot.axis[1]);
    if (which < L->model->plots.count)
        plot = L->model->plots.at[which];
    for (int i = 0; i < s->list.count; i++) {
        model_series series;
        if (!plotted(L, s->list.at[i], scope, &series, &kinds))
            return;
        plot.lengths &= is_position(kinds);
        vec_push(L->arena, plot.series, series);
    }
    if (which == L->model->plots.count)
        vec_push(L->arena, L->model->plots, plot);
    L->model->plots.at[which] = plot;
}

// ---- drawings

static bool is_point(elab *L, const node *n, const binding *scope, const char *what, value *out) {
    *out = elab_eval(L, n, scope);
    if (out->size == 0 || (out->size > 1 && out->size < 4))
        return out->size > 0;
    elab_error(L, n->whole, "%s is a pair or a triple, such as (x, y)", what);
    return false;
}

static bool draw_box(elab *L, const stmt *s, const binding *scope, elab_drawing *d) {
    value middle = {0}, size = elab_known_value(L, s->list.at[1], scope, "the size of a box");
    if (size.size == 1 || size.size == 4)
        elab_error(L, s->list.at[1]->whole, "the size of a box is a pair or a triple, such as (1, 0.2)");
    if (size.size < 2 || size.size > 3)
        return false;
    if (s->list.count > 2 && (middle = elab_eval(L, s->list.at[2], scope)).size == 0)
        return false;
    if (!L->extension->pose(L, s->list.at[0], scope, s->list.count > 2 ? s->list.at[2]->whole : s->at,
                            size.size, middle, d))
        return false;
    for (int i = 0; i < size.size; i++)
        d->size[i] = elab_picture(L, &size.at[i]);
    d->size_count = 3;
    return true;
}

// both in the plane, or both in space
static bool are_alike(elab *L, const stmt *s, const elab_drawing *d) {
    if (d->at.size == d->to.size)
        return true;
    elab_error(L, s->list.at[1]->whole, "this is a %s, and the point before it a %s",
               d->to.size == 2 ? "pair" : "triple", d->at.size == 2 ? "pair" : "triple")
        ->hint = "a point of the plane has a place in space too: write (x, y, 0)";
    return false;
}

static bool draw_points(elab *L, const stmt *s, const binding *scope, elab_drawing *d) {
    scalar radius;
    if (!is_point(L, s->list.at[0], scope, "a point", &d->at))
        return false;
    if (d->kind == DRAW_TRACE || d->kind == DRAW_TEXT)
        return true;
    if (d->kind != DRAW_CIRCLE &&
        (!is_point(L, s->list.at[1], scope, d->kind == DRAW_ARROW ? "a vector" : "a point", &d->to) ||
         !are_alike(L, s, d)))
        return false;
    bool round = d->kind == DRAW_CIRCLE || d->kind == DRAW_CYLINDER;
    if (!round || !elab_number(L, s->list.at[s->list.count - 1], scope, &radius))
        return !round;
    d->radius = elab_scalar(radius);
    return true;
}

// traces, arrows and texts are added to what draws itself
static bool is_added(draw_kind kind) {
    return kind == DRAW_TRACE || kind == DRAW_ARROW || kind == DRAW_TEXT;
}

static draw_kind kind_of(const char *name) {
    static const char *const kinds[] = {"line",   "circle", "trace",    "arrow", "box",
                                        "spring", "text",   "cylinder", "ground"};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    int kind = 0;
    while (kind < KINDS && strcmp(name, kinds[kind]) != 0)
        kind++;
    return kind < KINDS ? (draw_kind)kind : DRAW_MESH;
}

// what is drawn, as written
static const char *drawn_label(elab *L, const stmt *s, const binding *scope) {
    place from = s->list.at[0]->whole, last = s->list.at[s->list.count - 1]->whole;
    if (s->list.count > 1 && s->list.at[1]->kind == NODE_TEXT) // of a mesh, the body
        last = from;
    from.length = last.offset + last.length - from.offset;
    return elab_shown(L, from, scope);
}

static void act_draw(elab *L, const stmt *s, const binding *scope) {
    elab_drawing d = {.kind = kind_of(names_text(L->names, s->name))};
    elab_begin(L);
    if (!(d.kind == DRAW_BOX    ? draw_box
          : d.kind == DRAW_MESH ? L->extension->mesh
                                : draw_points)(L, s, scope, &d))
        return;
    d.label = drawn_label(L, s, scope);
    d.text = d.kind == DRAW_TEXT ? quoted_text(L, s->extent) : NULL;
    elab_draw(L, s->at, &d);
    for (int i = 0; i < L->builder.slots.count && !is_added(d.kind); i++)
        map_put(&L->drawn, (uint64_t)L->builder.slots.at[i], 0);
}

bool elab_is_drawn(const elab *L) {
    for (int i = 0; i < L->builder.slots.count; i++)
        if (map_get(&L->drawn, (uint64_t)L->builder.slots.at[i]) >= 0)
            return true;
    return false;
}

// ---- forces on points that are drawn

/* The coordinates of a point whose components are coordinates: forces on these are those on the point. */
static bool point_coordinates(elab *L, const value *v, int *coordinates) {
    for (int i = 0; i < v->size; i++) {
        expr e = v->at[i].e;
        if (v->at[i].known || e == EXPR_NONE || expr_op(L->pool, e) != OP_SYMBOL ||
            expr_kind(L->pool, e) != SYM_P)
            return false;
        coordinates[i] = L->builder.slots.at[expr_index(L->pool, e)];
    }
    return v->size > 0;
}

const char *elab_force_name(elab *L, const char *on) {
    const model *m = L->model;
    if (m->constraints.count != 1)
        return arena_print(L->arena, "on %s", on);
    text t;
    text_init(&t, L->arena);
    model_label(m, m->constraints.at[0].label, &t);
    return text_string(&t);
}

void elab_show_point_force(elab *L, place where, value at, const char *name) {
    int coordinates[4];
    value force = {.size = at.size};
    if (at.size < 2 || at.size > 3 || !point_coordinates(L, &at, coordinates) ||
        map_get(&L->pointed, (uint64_t)coordinates[0]) >= 0 || L->model->coords.at[coordinates[0]].part)
        return;
    map_put(&L->pointed, (uint64_t)coordinates[0], 0);
    for (int i = 0; i < at.size; i++) {
        model_result r = {.kind = RESULT_REACTION, .coordinate = coordinates[i]};
        force.at[i] = (scalar){.e = elab_result(L, r)};
    }
    elab_force shown = {.label = elab_force_name(L, name), .at = at, .force = force};
    elab_show_force(L, where, &shown);
}

static void show_point_force(elab *L, const node *n, const binding *scope) {
    elab_begin(L);
    value at = elab_eval(L, n, scope);
    elab_show_point_force(L, n->whole, at, elab_shown(L, n->whole, scope));
}

static void act_force(elab *L, const stmt *s, const binding *scope) {
    draw_kind kind = kind_of(names_text(L->names, s->name));
    if (L->model->forces.count == FORCES_MOST || kind == DRAW_BOX || kind == DRAW_MESH)
        return;
    show_point_force(L, s->list.at[0], scope);
    if (kind == DRAW_LINE || kind == DRAW_SPRING)
        show_point_force(L, s->list.at[1], scope);
}

// ---- all of it

static bool is_load(const stmt *s) {
    return s->kind == STMT_FORCE || s->kind == STMT_TORQUE;
}

static void act_if_load(elab *L, const stmt *s, const binding *scope) {
    if (is_load(s))
        elab_show_loads(L, s, scope);
}

static bool is_plot(const stmt *s) {
    return s->kind == STMT_PLOT;
}

static bool is_draw(const stmt *s) {
    return s->kind == STMT_DRAW;
}

static void act_if_plot(elab *L, const stmt *s, const binding *scope) {
    if (is_plot(s))
        act_plot(L, s, scope);
}

static void act_if_draw(elab *L, const stmt *s, const binding *scope) {
    if (is_draw(s))
        act_draw(L, s, scope);
}

static void act_if_force(elab *L, const stmt *s, const binding *scope) {
    if (is_draw(s))
        act_force(L, s, scope);
}

void elab_pictures(elab *L, const stmt_list *list) {
    L->allowed = (allowance){WITH_RESULTS, false, "an output"};
    elab_list(&(elab_walk){L, act_if_plot, is_plot}, list, NULL);
    L->model->plot_view_count = L->model->view_count;
    elab_list(&(elab_walk){L, act_if_draw, is_draw}, list, NULL);
    L->model->shown_results = L->model->results.count;
    if (L->diags->errors)
        return;
    if (L->model->rows.count)
        elab_list(&(elab_walk){L, act_if_force, is_draw}, list, NULL);
    if (L->parts.count <= PARTS_MOST && L->model->coords.count <= COORDS_MOST)
        elab_show_distances(L);
    if (L->extension && L->parts.count && L->parts.count <= PARTS_MOST)
        elab_parts(L, PART_DRAW, list);
    if (L->model->bodies.count)
        elab_list(&(elab_walk){L, act_if_load, is_load}, list, NULL);
}
