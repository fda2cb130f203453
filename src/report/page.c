#include "report/page.h"

#include "report/balance.h"
#include "report/json.h"
#include "report/parts.h"
#include "report/scene/scene.h"
#include "report/symbols.h"

#include <math.h>
#include <string.h>

/* Drawings are seen, not read: seven digits are more than a screen has, and as many as a float. */
enum { DRAWN_DIGITS = 7 };

typedef struct {
    json *j;
    arena *arena;
    const page_content *content;
    const model *model;
    const record *record;
    scene scene;
    vec(int) tracks,
        put; // those of the scene's that are put, since they move; of each of the scene's: its place there
    unsigned char *bytes; // those of a value for each sample
} page;

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

static void put_floats(page *p, const float *at, size_t count) {
    unsigned char *bytes = arena_array(p->arena, unsigned char, count * sizeof *at), *to = bytes;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &at[i], sizeof bits);
        to = put_byte_by_byte(to, bits, sizeof bits);
    }
    json_base64(p->j, bytes, (size_t)(to - bytes));
}

// what was put there, up to `to`
static void put_bytes(page *p, const char *key, const unsigned char *to) {
    json_key(p->j, key);
    json_base64(p->j, p->bytes, (size_t)(to - p->bytes));
}

// ---- columns and plots

static void put_times(page *p) {
    unsigned char *to = p->bytes;
    for (long i = 0; i < p->record->count; i++)
        to = put_double(to, record_time(p->record, i));
    put_bytes(p, "times", to);
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
    put_bytes(p, "values", to);
    json_close(p->j, '}');
}

// ---- energies, and work and power by what does it

typedef struct {
    int first, count; // of a sample's numbers
} span;

static double sum_of(const double *numbers, span of) {
    double sum = 0;
    for (int k = of.first; k < of.first + of.count; k++)
        sum += numbers[k];
    return sum;
}

// the sum of some, less that of others; as accurate as they are together
static void put_sum(page *p, const char *name, const char *kind, span sum, span less) {
    const record *r = p->record;
    unsigned char *to = p->bytes;
    json_open(p->j, '{');
    put_string(p, "name", name);
    put_string(p, "shown", symbols_shown(p->arena, name));
    if (r->accuracy) {
        json_key(p->j, "accuracy");
        json_number(p->j, sum_of(r->accuracy, sum) + sum_of(r->accuracy, less));
    }
    put_string(p, "kind", kind);
    for (long i = 0; i < r->count; i++)
        to = put_double(to, sum_of(record_numbers(r, i), sum) - sum_of(record_numbers(r, i), less));
    put_bytes(p, "values", to);
    json_close(p->j, '}');
}

static bool is_jacobi(const record *r) {
    for (long i = 0; i < r->count; i++)
        if (record_number(r, i, r->first_energy + 3) != record_number(r, i, r->first_energy + 2))
            return true;
    return false;
}

static void put_energies(page *p) {
    static const char *const energies[] = {"kinetic", "potential", "energy"}, *const kinds[] = {"work",
                                                                                                "power"};
    const record *r = p->record;
    if (r->first_energy < 0)
        return;
    int works = r->first_energy + RECORD_ENERGIES;
    for (int i = 0; i < 3; i++)
        put_sum(p, energies[i], "energy", (span){r->first_energy + i, 1}, (span){0});
    const char *conserved = is_jacobi(r) ? "jacobi" : "energy";
    if (r->work_count)
        conserved = arena_print(p->arena, "%s - work", conserved);
    if (strcmp(conserved, "energy") != 0)
        put_sum(p, conserved, "energy", (span){r->first_energy + 3, 1}, (span){works, r->work_count});
    balance_list parts = balance_parts(p->arena, r->sys);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < parts.count; i++) {
            const balance_part *b = &parts.at[i];
            const char *name = arena_print(p->arena, "%s(%s)", kinds[k], b->name);
            put_sum(p, name, kinds[k], (span){works + k * r->work_count + b->first, b->count}, (span){0});
        }
}

static void put_columns(page *p) {
    json_key(p->j, "columns");
    json_open(p->j, '[');
    for (int g = 0; g < COLUMN_GROUPS; g++)
        for (int i = 0; p->record->first[g] >= 0 && i < p->record->length[g]; i++)
            put_column(p, (column_group)g, i);
    put_energies(p);
    json_close(p->j, ']');
}

// what did not fit
static void put_left_out(page *p) {
    json_key(p->j, "left_out");
    json_open(p->j, '[');
    for (int g = 0; g < COLUMN_GROUPS; g++)
        if (p->record->first[g] < 0 && p->record->length[g])
            json_string(p->j, group_names[g]);
    if (p->record->first_energy < 0)
        json_string(p->j, "energy");
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
    put_bytes(p, "values", to);
    json_close(p->j, '}');
}

// what the plot says of its axes, x and y; nothing where it says nothing
static void put_axes(page *p, const model_plot *plot) {
    json_key(p->j, "axes");
    json_open(p->j, '[');
    for (int i = 0; i < 2; i++) {
        const model_axis *axis = &plot->axis[i];
        json_open(p->j, '{');
        if (axis->label)
            put_string(p, "label", axis->label);
        json_key(p->j, "from"), json_number(p->j, axis->from);
        json_key(p->j, "to"), json_number(p->j, axis->to);
        json_key(p->j, "log"), json_bool(p->j, axis->log);
        json_close(p->j, '}');
    }
    json_close(p->j, ']');
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
        put_axes(p, plot);
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

// a track as a number, or its numbers themselves where nothing moves
static void put_track(page *p, const char *key, int number) {
    if (number == NO_TRACK)
        return;
    const track *t = &p->scene.tracks.all.at[number];
    json_key(p->j, key);
    if (!t->moves) {
        json_open(p->j, '[');
        for (int k = 0; k < t->width; k++)
            put_drawn(p, t->still[k]);
        json_close(p->j, ']');
        return;
    }
    while (p->put.count <= number)
        vec_push(p->arena, p->put, -1);
    if (p->put.at[number] < 0) {
        p->put.at[number] = p->tracks.count;
        vec_push(p->arena, p->tracks, number);
    }
    json_integer(p->j, p->put.at[number]);
}

static void put_point(page *p, const char *key, model_views v) {
    put_track(p, key, tracks_of(&p->scene.tracks, v, p->scene.space ? 3 : 2));
}

static void put_torque(page *p, const char *key, model_views v) {
    put_track(p, key, tracks_of(&p->scene.tracks, v, v.count));
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
    put_torque(p, "active_torque", b->active_torque);
    put_torque(p, "constraint_torque", b->constraint_torque);
    put_torque(p, "inertia_torque", b->inertia_torque);
    json_close(p->j, '}');
}

static void put_size(page *p, const item *d) {
    if (d->radii >= 0)
        put_track(p, "size", d->radii);
    else if (d->size[0] > 0 || d->kind == DRAW_MESH) {
        json_key(p->j, "size");
        json_open(p->j, '[');
        for (int i = 0; i < 3; i++)
            json_number(p->j, d->size[i]);
        json_close(p->j, ']');
    }
}

static void put_glyph(page *p, const item *d) {
    double offset[3] = {d->offset.x, d->offset.y, d->offset.z};
    put_string(p, "joint", d->joint);
    put_numbers(p, "offset", offset, vector_norm(d->offset) > 0 ? 3 : 0);
    json_key(p->j, "layer");
    json_number(p->j, d->layer);
    json_key(p->j, "named");
    json_bool(p->j, d->named);
    if (d->kind == ITEM_OUTLINE) {
        json_key(p->j, "outline");
        json_integer(p->j, d->outline);
    }
}

// as seen from the model's folder
static const char *name_of_file(const model *m, const source *file) {
    const char *own = m->sources.at[0]->path, *slash = strrchr(own, '/');
    size_t folder = slash ? (size_t)(slash - own) + 1 : 0;
    return strncmp(file->path, own, folder) == 0 ? file->path + folder : file->path;
}

static void put_draw(page *p, const item *d) {
    json_open(p->j, '{');
    put_string(p, "kind", scene_kind(d->kind));
    put_string(p, "label", d->label);
    put_track(p, "at", d->at);
    put_track(p, "to", d->to);
    put_track(p, "turn", d->turn);
    put_size(p, d);
    json_key(p->j, "colour");
    json_integer(p->j, d->colour);
    if (d->text)
        put_string(p, "text", d->text);
    if (d->joint)
        put_glyph(p, d);
    if (d->kind == DRAW_MESH) {
        put_string(p, "mesh", name_of_file(p->model, p->scene.meshes.at[d->mesh].file));
        json_key(p->j, "reach");
        put_drawn(p, d->reach);
    }
    json_close(p->j, '}');
}

static void put_loops(page *p, const char *key, const point_list *loops, int count) {
    json_key(p->j, key);
    json_open(p->j, '[');
    for (int i = 0; i < count; i++) {
        json_open(p->j, '[');
        for (int k = 0; k < loops[i].count; k++) {
            put_drawn(p, loops[i].at[k].x);
            put_drawn(p, loops[i].at[k].y);
        }
        json_close(p->j, ']');
    }
    json_close(p->j, ']');
}

static void put_outline(page *p, const outline *o) {
    json_open(p->j, '{');
    put_loops(p, "loops", o->loops.at, o->loops.count);
    put_loops(p, "lines", o->lines.at, o->lines.count);
    json_key(p->j, "depth");
    put_drawn(p, o->depth);
    json_close(p->j, '}');
}

// how large it is
static void put_measures(page *p) {
    const scene *s = &p->scene;
    json_key(p->j, "scene");
    json_open(p->j, '{');
    put_numbers(p, "low", s->low, 3);
    put_numbers(p, "high", s->high, 3);
    json_key(p->j, "scale");
    json_number(p->j, s->scale);
    json_key(p->j, "far");
    json_bool(p->j, s->far);
    json_key(p->j, "travels");
    json_bool(p->j, s->travels);
    json_close(p->j, '}');
}

static void put_force(page *p, const model_force *f) {
    json_open(p->j, '{');
    put_string(p, f->kind ? "load" : "constraint", f->label);
    if (f->kind)
        put_string(p, "kind", f->kind);
    put_point(p, "at", f->at);
    put_point(p, "force", f->force);
    put_accuracy(p, f->force);
    put_torque(p, "torque", f->torque);
    if (f->on[1])
        put_names(p, "on", f->on);
    json_close(p->j, '}');
}

static void put_drawings(page *p) {
    bool kept = p->record->view_count == p->model->view_count && p->record->count > 0;
    json_key(p->j, "draws");
    json_open(p->j, '[');
    for (int i = 0; i < p->scene.items.count; i++)
        put_draw(p, &p->scene.items.at[i]);
    json_close(p->j, ']');
    json_key(p->j, "outlines");
    json_open(p->j, '[');
    for (int i = 0; i < p->scene.outlines.count; i++)
        put_outline(p, &p->scene.outlines.at[i]);
    json_close(p->j, ']');
    put_measures(p);
    json_key(p->j, "forces");
    json_open(p->j, '[');
    for (int i = 0; kept && i < p->model->forces.count; i++)
        put_force(p, &p->model->forces.at[i]);
    json_close(p->j, ']');
    json_key(p->j, "loads");
    json_open(p->j, '[');
    for (int i = 0; kept && i < p->model->loads.count; i++)
        put_force(p, &p->model->loads.at[i]);
    json_close(p->j, ']');
    json_key(p->j, "bodies");
    json_open(p->j, '[');
    for (int i = 0; kept && i < p->model->bodies.count; i++)
        put_body(p, &p->model->bodies.at[i]);
    json_close(p->j, ']');
}

static void put_tracks(page *p) {
    json_key(p->j, "tracks");
    json_open(p->j, '[');
    for (int i = 0; i < p->tracks.count; i++) {
        const track *t = &p->scene.tracks.all.at[p->tracks.at[i]];
        put_floats(p, t->at, (size_t)p->record->count * (size_t)t->width);
    }
    json_close(p->j, ']');
}

static void put_space(page *p) {
    json_key(p->j, "dimension");
    json_integer(p->j, p->scene.space ? 3 : 2);
    put_string(p, "up", p->scene.upright ? "y" : "z");
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

// the texts that it includes, and its meshes
static void put_files(page *p) {
    const source_list *files = &p->model->sources;
    json_key(p->j, "files");
    json_open(p->j, '{');
    for (int i = 1; i < files->count; i++) {
        json_key(p->j, name_of_file(p->model, files->at[i]));
        json_string(p->j, files->at[i]->text);
    }
    json_close(p->j, '}');
}

// by what it can be run again
static void put_ways(page *p) {
    const page_content *c = p->content;
    put_parameters(p);
    put_marked(p, "whole", is_whole);
    put_marked(p, "derived", is_derived);
    put_given(p, "settings", c->settings, c->setting_count);
    put_given(p, "options", c->options, c->option_count);
    put_files(p);
}

// ---- a picture alone

picture *picture_new(arena *a, const record *r) {
    json j;
    page p = {.j = &j, .arena = a, .model = r->sys->model, .record = r};
    picture *made = arena_alloc(a, sizeof *made);
    scene_make(&p.scene, a, r);
    p.bytes = arena_array(a, unsigned char, (size_t)r->count * sizeof(double));
    json_init(&j, a);
    json_open(&j, '{');
    put_times(&p);
    put_drawings(&p);
    put_tracks(&p);
    put_space(&p);
    json_close(&j, '}');
    *made =
        (picture){.json = text_string(&j.out), .scene = p.scene, .put = p.tracks.at, .count = p.tracks.count};
    for (int i = 0; i < made->count; i++)
        made->width += p.scene.tracks.all.at[made->put[i]].width;
    return made;
}

void picture_follow(picture *p, const record *r, float *out) {
    double now[4];
    p->scene.tracks.record = r;
    for (int i = 0; i < p->count; i++) {
        track_make(&p->scene.tracks, p->put[i], r->count - 1, now);
        for (int k = 0; k < p->scene.tracks.all.at[p->put[i]].width; k++)
            *out++ = (float)now[k];
    }
}

// ---- all of it

const char *page_json(arena *a, const page_content *c) {
    json j;
    const model *m = c->findings->sys->model;
    page p = {.j = &j, .arena = a, .content = c, .model = m, .record = c->record};
    p.bytes = arena_array(a, unsigned char, (size_t)c->record->count * sizeof(double));
    scene_make(&p.scene, a, c->record);
    json_init(&j, a);
    j.safe = true;
    json_open(&j, '{');
    json_key(&j, "version");
    json_integer(&j, 3);
    put_string(&p, "title", p.model->title ? p.model->title : c->file);
    put_string(&p, "model", c->file);
    put_string(&p, "text", c->text);
    json_key(&j, "summary");
    json_value(&j, run_json(a, c->findings, c->run));
    put_string(&p, "messages", c->messages);
    if (c->equations) {
        put_string(&p, "equations", c->equations);
        put_string(&p, "latex", c->latex);
    }
    put_times(&p);
    put_columns(&p);
    put_left_out(&p);
    put_plots(&p);
    put_drawings(&p);
    put_tracks(&p);
    put_space(&p);
    put_ways(&p);
    json_close(&j, '}');
    return text_string(&j.out);
}

const char *page_model(arena *a, const page_content *c, const model *m) {
    json j;
    page p = {.j = &j, .arena = a, .content = c, .model = m};
    json_init(&j, a);
    j.safe = true;
    json_open(&j, '{');
    put_string(&p, "title", m->title ? m->title : c->file);
    put_string(&p, "model", c->file);
    put_string(&p, "text", c->text);
    put_ways(&p);
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
