#include "report/page.h"

#include "base/map.h"
#include "report/json.h"
#include "report/parts.h"
#include "report/symbols.h"

#include <math.h>
#include <string.h>

/* Drawings are seen, not read: seven digits are more than a screen has, and as many as a float. */
enum { DRAWN_DIGITS = 7 };

typedef struct page page;
typedef double (*part_of)(const page *p, model_views v, long at, int which);

// what moves, for each sample: drawings and forces that move alike share it
typedef struct {
    float *at;
    size_t count;
    model_views from;
    int each;
    part_of of;
} track;

struct page {
    json *j;
    arena *arena;
    const page_content *content;
    const model *model;
    const record *record;
    bool space; // else the plane
    vec(track) tracks;
    map tracked;          // hash of a track -> its number
    unsigned char *bytes; // those of a value for each sample
};

static void put_string(page *p, const char *key, const char *value) {
    json_key(p->j, key);
    json_string(p->j, value);
}

// ---- numbers as bytes, the least first

static unsigned char *put_byte_by_byte(unsigned char *to, uint64_t bits, size_t size) {
    for (size_t i = 0; i < size; i++)
        *to++ = (unsigned char)(bits >> 8 * i);
    return to;
}

static unsigned char *put_double(unsigned char *to, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return put_byte_by_byte(to, bits, sizeof bits);
}

static void put_floats(page *p, const track *t) {
    unsigned char *bytes = arena_array(p->arena, unsigned char, t->count * sizeof(float)), *to = bytes;
    for (size_t i = 0; i < t->count; i++) {
        uint32_t bits;
        memcpy(&bits, &t->at[i], sizeof bits);
        to = put_byte_by_byte(to, bits, sizeof bits);
    }
    json_base64(p->j, bytes, (size_t)(to - bytes));
}

// ---- columns and plots

static void put_times(page *p) {
    unsigned char *to = p->bytes;
    for (long i = 0; i < p->record->count; i++)
        to = put_double(to, record_time(p->record, i));
    json_key(p->j, "times");
    json_base64(p->j, p->bytes, (size_t)(to - p->bytes));
}

static const char *const group_names[COLUMN_GROUPS] = {"coordinate", "velocity", "quasi",
                                                       "output",     "reaction", "residual"};

// how its name is set in type, and how accurate its values are
static void put_manner(page *p, const char *name, int number) {
    put_string(p, "shown", symbols_shown(p->arena, name));
    if (p->record->accuracy) {
        json_key(p->j, "accuracy");
        json_number(p->j, p->record->accuracy[number]);
    }
}

static void put_column(page *p, column_group group, int which) {
    json_open(p->j, '{');
    const char *name = columns_name(p->arena, p->model, group, which);
    put_string(p, "name", name);
    put_manner(p, name, p->record->first[group] + which);
    put_string(p, "kind", group_names[group]);
    unsigned char *to = p->bytes;
    for (long i = 0; i < p->record->count; i++)
        to = put_double(to, record_column(p->record, i, group, which));
    json_key(p->j, "values");
    json_base64(p->j, p->bytes, (size_t)(to - p->bytes));
    json_close(p->j, '}');
}

static void put_columns(page *p) {
    json_key(p->j, "columns");
    json_open(p->j, '[');
    for (int g = 0; g < COLUMN_GROUPS; g++)
        for (int i = 0; p->record->first[g] >= 0 && i < p->record->length[g]; i++)
            put_column(p, (column_group)g, i);
    json_close(p->j, ']');
}

// what did not fit
static void put_left_out(page *p) {
    json_key(p->j, "left_out");
    json_open(p->j, '[');
    for (int g = 0; g < COLUMN_GROUPS; g++)
        if (p->record->first[g] < 0 && p->record->length[g])
            json_string(p->j, group_names[g]);
    if (p->record->view_count < p->model->view_count)
        json_string(p->j, "draws");
    json_close(p->j, ']');
}

static void put_series(page *p, const model_series *s) {
    json_open(p->j, '{');
    put_string(p, "label", s->text);
    put_manner(p, s->text, 1 + s->view);
    unsigned char *to = p->bytes;
    for (long i = 0; i < p->record->count; i++)
        to = put_double(to, record_view(p->record, i, s->view));
    json_key(p->j, "values");
    json_base64(p->j, p->bytes, (size_t)(to - p->bytes));
    json_close(p->j, '}');
}

static void put_plots(page *p) {
    json_key(p->j, "plots");
    json_open(p->j, '[');
    for (int i = 0; i < p->model->plots.count; i++) {
        const model_plot *plot = &p->model->plots.at[i];
        json_open(p->j, '{');
        put_string(p, "title", plot->title);
        json_key(p->j, "equal");
        json_bool(p->j, plot->lengths);
        json_key(p->j, "x");
        put_series(p, &plot->across);
        json_key(p->j, "series");
        json_open(p->j, '[');
        for (int k = 0; k < plot->series.count; k++)
            put_series(p, &plot->series.at[k]);
        json_close(p->j, ']');
        json_close(p->j, '}');
    }
    json_close(p->j, ']');
}

// ---- drawings

static void put_drawn(page *p, double value) {
    char digits[32];
    number_print(digits, sizeof digits, "%.*g", DRAWN_DIGITS, value);
    json_value(p->j, isfinite(value) ? digits : "null");
}

static double component(const page *p, model_views v, long at, int which) {
    return which < v.count ? record_view(p->record, at, v.first + which) : 0;
}

// (w, x, y, z); an angle about z is (cos a/2, 0, 0, sin a/2)
static double turned(const page *p, model_views v, long at, int which) {
    if (v.count == 4)
        return component(p, v, at, which);
    double half = component(p, v, at, 0) / 2;
    return which == 0 ? cos(half) : which == 3 ? sin(half) : 0;
}

static bool is_constant(const page *p, model_views v) {
    for (int k = 0; k < v.count; k++)
        for (long i = 1; i < p->record->count; i++)
            if (component(p, v, i, k) != component(p, v, 0, k))
                return false;
    return true;
}

static int find_track(page *p, track t) {
    uint64_t hash = t.count;
    for (size_t i = 0; i < t.count; i++) {
        uint32_t bits;
        memcpy(&bits, &t.at[i], sizeof bits);
        hash = map_mix(hash, bits);
    }
    int found = map_get(&p->tracked, hash);
    if (found >= 0 && p->tracks.at[found].count == t.count &&
        memcmp(p->tracks.at[found].at, t.at, t.count * sizeof *t.at) == 0)
        return found;
    vec_push(p->arena, p->tracks, t);
    if (found < 0)
        map_put(&p->tracked, hash, p->tracks.count - 1);
    return p->tracks.count - 1;
}

// the number of a track with so many numbers for each sample, or such numbers themselves where nothing
// changes
static void put_views(page *p, const char *key, model_views v, int each, part_of of) {
    if (v.count == 0)
        return;
    json_key(p->j, key);
    if (is_constant(p, v)) {
        json_open(p->j, '[');
        for (int k = 0; k < each; k++)
            put_drawn(p, of(p, v, 0, k));
        json_close(p->j, ']');
        return;
    }
    track t = {.at = arena_array(p->arena, float, p->record->count *each), .from = v, .each = each, .of = of};
    for (long i = 0; i < p->record->count; i++)
        for (int k = 0; k < each; k++)
            t.at[t.count++] = (float)of(p, v, i, k) + 0.0f; // -0 is 0
    json_integer(p->j, find_track(p, t));
}

static void put_point(page *p, const char *key, model_views v) {
    put_views(p, key, v, p->space ? 3 : 2, component);
}

static void put_size(page *p, const model_draw *d) {
    if (d->size_count == 0)
        return;
    json_key(p->j, "size");
    json_open(p->j, '[');
    for (int i = 0; i < d->size_count; i++)
        json_number(p->j, d->size[i]);
    json_close(p->j, ']');
}

static void put_numbers(page *p, const char *key, const double *at, int count) {
    if (count == 0)
        return;
    json_key(p->j, key);
    json_open(p->j, '[');
    for (int i = 0; i < count; i++)
        put_drawn(p, at[i]);
    json_close(p->j, ']');
}

static void put_names(page *p, const char *key, const char *const *two) {
    json_key(p->j, key);
    json_open(p->j, '[');
    for (int i = 0; i < 2; i++)
        json_string(p->j, two[i] ? two[i] : "");
    json_close(p->j, ']');
}

// how accurate the worst of these is
static void put_accuracy(page *p, model_views v) {
    double most = 0;
    for (int k = 0; p->record->accuracy && k < v.count; k++)
        most = fmax(most, p->record->accuracy[1 + v.first + k]);
    json_key(p->j, "accuracy");
    json_number(p->j, most);
}

static void put_joint(page *p, const model_joint *m) {
    json_open(p->j, '{');
    put_string(p, "joint", m->label);
    put_string(p, "kind", m->kind);
    put_names(p, "of", m->of);
    put_point(p, "at", m->at[0]);
    put_point(p, "to", m->at[1]);
    if (m->turn[0].count == 1) {
        json_key(p->j, "plane");
        json_bool(p->j, true);
    }
    put_views(p, "turn", m->turn[0], 4, turned);
    put_views(p, "turn2", m->turn[1], 4, turned);
    if (m->size != 0)
        put_numbers(p, "size", &m->size, 1);
    json_close(p->j, '}');
}

static void put_body(page *p, const model_body *b) {
    json_open(p->j, '{');
    put_string(p, "body", b->label);
    json_key(p->j, "joints_only");
    json_bool(p->j, b->joints_only);
    put_point(p, "at", b->at);
    put_point(p, "weight", b->weight);
    put_point(p, "active", b->active);
    put_point(p, "constraint", b->constraint);
    put_point(p, "inertia", b->inertia);
    json_close(p->j, '}');
}

static void put_draw(page *p, const model_draw *d) {
    static const char *const kinds[DRAW_KINDS] = {"line",   "circle",   "trace",     "arrow",
                                                  "box",    "spring",   "text",      "point",
                                                  "sphere", "cylinder", "ellipsoid", "plate"};
    json_open(p->j, '{');
    put_string(p, "kind", kinds[d->kind]);
    put_string(p, "label", d->label);
    put_point(p, "at", d->at);
    put_point(p, "to", d->to);
    put_views(p, "turn", d->turn, 4, turned);
    put_views(p, "size", d->radius, 1, component);
    put_numbers(p, "corners", d->corners, d->corner_count * 2);
    if (d->radius.count == 0)
        put_size(p, d);
    if (d->text)
        put_string(p, "text", d->text);
    json_close(p->j, '}');
}

static void put_drawings(page *p) {
    bool kept = p->record->view_count == p->model->view_count && p->record->count > 0;
    json_key(p->j, "draws");
    json_open(p->j, '[');
    for (int i = 0; kept && i < p->model->draws.count; i++)
        put_draw(p, &p->model->draws.at[i]);
    json_close(p->j, ']');
    json_key(p->j, "forces");
    json_open(p->j, '[');
    for (int i = 0; kept && i < p->model->forces.count; i++) {
        const model_force *f = &p->model->forces.at[i];
        json_open(p->j, '{');
        put_string(p, "constraint", f->label);
        put_point(p, "at", f->at);
        put_point(p, "force", f->force);
        put_accuracy(p, f->force);
        put_views(p, "torque", f->torque, f->torque.count, component);
        if (f->on[1])
            put_names(p, "on", f->on);
        json_close(p->j, '}');
    }
    json_close(p->j, ']');
    json_key(p->j, "bodies");
    json_open(p->j, '[');
    for (int i = 0; kept && i < p->model->bodies.count; i++)
        put_body(p, &p->model->bodies.at[i]);
    json_close(p->j, ']');
    json_key(p->j, "joints");
    json_open(p->j, '[');
    for (int i = 0; kept && i < p->model->joints.count; i++)
        put_joint(p, &p->model->joints.at[i]);
    json_close(p->j, ']');
}

static void put_tracks(page *p) {
    json_key(p->j, "tracks");
    json_open(p->j, '[');
    for (int i = 0; i < p->tracks.count; i++)
        put_floats(p, &p->tracks.at[i]);
    json_close(p->j, ']');
}

static bool is_space(const model *m) {
    bool space = false;
    for (int i = 0; i < m->draws.count; i++)
        space |= m->draws.at[i].at.count == 3;
    for (int i = 0; i < m->forces.count; i++)
        space |= m->forces.at[i].at.count == 3;
    return space;
}

static void put_space(page *p) {
    json_key(p->j, "dimension");
    json_integer(p->j, p->space ? 3 : 2);
    put_string(p, "up", p->space && !p->model->upright ? "z" : "y");
}

// ---- parameters, and what else it takes to run the model again

static void put_parameters(page *p) {
    json_key(p->j, "parameters");
    json_open(p->j, '[');
    for (int i = 0; i < p->model->params.count; i++) {
        const model_param *param = &p->model->params.at[i];
        place at = param->at;
        json_open(p->j, '{');
        put_string(p, "name", parts_label(p->arena, p->model, param->label, "", ""));
        json_key(p->j, "value");
        json_number(p->j, param->value);
        put_string(p, "text",
                   at.source ? arena_copy(p->arena, at.source->text + at.offset, (size_t)at.length) : "");
        json_close(p->j, '}');
    }
    json_close(p->j, ']');
}

static bool is_whole(const model_param *param) {
    return param->counts;
}

static bool is_derived(const model_param *param) {
    return param->derived;
}

// the names of those of which something is true
static void put_marked(page *p, const char *key, bool (*is)(const model_param *param)) {
    json_key(p->j, key);
    json_open(p->j, '[');
    for (int i = 0; i < p->model->params.count; i++)
        if (is(&p->model->params.at[i]))
            json_string(p->j, parts_label(p->arena, p->model, p->model->params.at[i].label, "", ""));
    json_close(p->j, ']');
}

static void put_given(page *p, const char *key, const model_setting *given, int count) {
    json_key(p->j, key);
    json_open(p->j, '[');
    for (int i = 0; i < count; i++) {
        json_open(p->j, '[');
        json_string(p->j, given[i].name);
        json_string(p->j, given[i].value);
        json_close(p->j, ']');
    }
    json_close(p->j, ']');
}

// the texts that it includes, by their names as seen from the model's folder
static void put_files(page *p) {
    const source_list *files = &p->model->sources;
    const char *own = files->count ? files->at[0]->path : "", *slash = strrchr(own, '/');
    size_t folder = slash ? (size_t)(slash - own) + 1 : 0;
    json_key(p->j, "files");
    json_open(p->j, '{');
    for (int i = 1; i < files->count; i++) {
        const char *path = files->at[i]->path;
        json_key(p->j, strncmp(path, own, folder) == 0 ? path + folder : path);
        json_string(p->j, files->at[i]->text);
    }
    json_close(p->j, '}');
}

// ---- a picture alone

struct page_tracks {
    int count;
    const track *all;
};

const char *page_picture(arena *a, const model *m, const record *r, page_tracks **tracks, int *width) {
    json j;
    page p = {.j = &j, .arena = a, .model = m, .record = r, .space = is_space(m)};
    p.bytes = arena_array(a, unsigned char, (size_t)r->count * sizeof(double));
    map_init(&p.tracked, a);
    json_init(&j, a);
    json_open(&j, '{');
    put_times(&p);
    put_drawings(&p);
    put_tracks(&p);
    put_space(&p);
    json_close(&j, '}');
    *tracks = arena_alloc(a, sizeof **tracks);
    **tracks = (page_tracks){p.tracks.count, p.tracks.at};
    *width = 0;
    for (int i = 0; i < p.tracks.count; i++)
        *width += p.tracks.at[i].each;
    return text_string(&j.out);
}

void page_follow(const page_tracks *tracks, const record *r, float *out) {
    page p = {.record = r};
    for (int i = 0; i < tracks->count; i++)
        for (int k = 0; k < tracks->all[i].each; k++)
            *out++ = (float)tracks->all[i].of(&p, tracks->all[i].from, r->count - 1, k);
}

// ---- all of it

const char *page_json(arena *a, const page_content *c) {
    json j;
    const model *m = c->findings->sys->model;
    page p = {.j = &j, .arena = a, .content = c, .model = m, .record = c->record, .space = is_space(m)};
    p.bytes = arena_array(a, unsigned char, (size_t)c->record->count * sizeof(double));
    map_init(&p.tracked, a);
    json_init(&j, a);
    j.safe = true;
    json_open(&j, '{');
    json_key(&j, "version");
    json_integer(&j, 2);
    put_string(&p, "title", p.model->title ? p.model->title : c->file);
    put_string(&p, "model", c->file);
    put_string(&p, "text", c->text);
    json_key(&j, "summary");
    json_value(&j, run_json(a, c->findings, c->run));
    put_string(&p, "messages", c->messages);
    if (c->equations)
        put_string(&p, "equations", c->equations);
    put_times(&p);
    put_columns(&p);
    put_left_out(&p);
    put_plots(&p);
    put_drawings(&p);
    put_tracks(&p);
    put_space(&p);
    put_parameters(&p);
    put_marked(&p, "whole", is_whole);
    put_marked(&p, "derived", is_derived);
    put_given(&p, "settings", c->settings, c->setting_count);
    put_given(&p, "options", c->options, c->option_count);
    put_files(&p);
    json_close(&j, '}');
    return text_string(&j.out);
}

const char *page_error(arena *a, const char *file, const char *written, const model *m,
                       const char *messages) {
    json j;
    page p = {.j = &j, .arena = a, .model = m};
    json_init(&j, a);
    j.safe = true;
    json_open(&j, '{');
    put_string(&p, "error", messages);
    put_string(&p, "title", m && m->title ? m->title : file);
    put_string(&p, "model", file);
    put_string(&p, "text", written ? written : "");
    if (m) {
        put_parameters(&p);
        put_files(&p);
    }
    json_close(&j, '}');
    return text_string(&j.out);
}
