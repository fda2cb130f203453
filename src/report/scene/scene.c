#include "report/scene/scene.h"

#include <math.h>
#include <string.h>

enum {
    INSTANTS = 24,     // at which the scale is measured
    CENTRED = 100,     // things, the mean of which tells where all of it goes
    PALETTE_LIMIT = 24 // more bodies than that look better in one colour
};
static const double FAR = 8; // times its size is far

bool scene_is_space(const model *m) {
    bool space = false;
    for (int i = 0; i < m->draws.count; i++)
        space |= m->draws.at[i].at.count == 3;
    for (int i = 0; i < m->forces.count; i++)
        space |= m->forces.at[i].at.count == 3;
    return space;
}

const char *scene_kind(int kind) {
    static const char *const kinds[ITEM_KINDS] = {[DRAW_LINE] = "line",
                                                  [DRAW_CIRCLE] = "circle",
                                                  [DRAW_TRACE] = "trace",
                                                  [DRAW_ARROW] = "arrow",
                                                  [DRAW_BOX] = "box",
                                                  [DRAW_SPRING] = "spring",
                                                  [DRAW_TEXT] = "text",
                                                  [DRAW_POINT] = "point",
                                                  [DRAW_SPHERE] = "sphere",
                                                  [DRAW_CYLINDER] = "cylinder",
                                                  [DRAW_ELLIPSOID] = "ellipsoid",
                                                  [DRAW_GROUND] = "ground",
                                                  [DRAW_PLATE] = "plate",
                                                  [DRAW_MESH] = "mesh",
                                                  [ITEM_OUTLINE] = "outline",
                                                  [ITEM_PIN] = "pin"};
    return kinds[kind];
}

static bool is_alike(const point_list *a, const point_list *b) {
    return a->count == b->count && memcmp(a->at, b->at, (size_t)a->count * sizeof *a->at) == 0;
}

static bool is_same(const outline *a, const outline *b) {
    bool same = a->depth == b->depth && a->loops.count == b->loops.count && a->lines.count == b->lines.count;
    for (int i = 0; same && i < a->loops.count; i++)
        same = is_alike(&a->loops.at[i], &b->loops.at[i]);
    for (int i = 0; same && i < a->lines.count; i++)
        same = is_alike(&a->lines.at[i], &b->lines.at[i]);
    return same;
}

int scene_add_outline(scene *s, outline o) {
    for (int i = 0; i < s->outlines.count; i++)
        if (is_same(&s->outlines.at[i], &o))
            return i;
    vec_push(s->arena, s->outlines, o);
    return s->outlines.count - 1;
}

// ---- what the model draws

static bool is_solid(int kind) {
    return kind == DRAW_CIRCLE || kind == DRAW_BOX || kind == DRAW_SPHERE || kind == DRAW_CYLINDER ||
           kind == DRAW_ELLIPSOID || kind == DRAW_POINT || kind == DRAW_MESH;
}

// what chooses colours: what is of one body has one
typedef struct {
    arena *arena;
    vec(const char *) owners; // those that have a colour, in its order; NULL: a thing of no body
    int solids, traces;       // how many solids there are; traces so far
} palette;

static int own_colour(palette *p, const char *of) {
    for (int i = 0; of && i < p->owners.count; i++)
        if (p->owners.at[i] && strcmp(p->owners.at[i], of) == 0)
            return i;
    vec_push(p->arena, p->owners, of);
    return p->owners.count - 1;
}

static int colour_of(palette *p, const model_draw *d) {
    if (d->colour)
        return d->colour;
    if (is_solid(d->kind) || (d->kind == DRAW_LINE && d->of))
        return p->solids > PALETTE_LIMIT ? (d->kind == DRAW_LINE ? COLOUR_INK : 0) : own_colour(p, d->of);
    switch (d->kind) {
    case DRAW_TRACE:
        return 1 + p->traces++;
    case DRAW_ARROW:
        return 2;
    case DRAW_GROUND:
        return COLOUR_GROUND;
    default:
        return COLOUR_INK;
    }
}

static int mesh_number(scene *s, const source *file) {
    for (int i = 0; i < s->meshes.count; i++)
        if (s->meshes.at[i].file == file)
            return i;
    mesh_shape made = mesh_shape_of(s->arena, file);
    vec_push(s->arena, s->meshes, made);
    return s->meshes.count - 1;
}

static double size_part(const model_draw *d, int i) {
    return i < d->size_count && isfinite(d->size[i]) ? fabs(d->size[i]) : 0;
}

static void set_size(item *out, const model_draw *d) {
    for (int i = 0; i < 3; i++)
        out->size[i] = d->mesh ? d->size[i] : size_part(d, d->size_count == 1 ? 0 : i);
    if (d->kind == DRAW_BOX && out->size[2] == 0) // a plate is seen from its side
        out->size[2] = 0.1 * fmin(out->size[0], out->size[1]);
}

static bool stays(const scene *s, int number) {
    return number == NO_TRACK || !s->tracks.all.at[number].moves;
}

// of no body, and nothing of it moves
static bool is_fixture(const scene *s, const item *i) {
    bool solid = i->kind == DRAW_BOX || i->kind == DRAW_CYLINDER || i->kind == DRAW_MESH;
    return solid && i->of == NULL && stays(s, i->at) && stays(s, i->to) && stays(s, i->turn);
}

static void add_drawings(scene *s) {
    const model *m = s->model;
    int width = s->space ? 3 : 2;
    palette colours = {.arena = s->arena};
    for (int i = 0; i < m->draws.count; i++)
        colours.solids += is_solid(m->draws.at[i].kind) && m->draws.at[i].kind != DRAW_POINT;
    for (int i = 0; i < m->draws.count; i++) {
        const model_draw *d = &m->draws.at[i];
        if (d->kind == DRAW_PLATE) // of glyphs
            continue;
        item out = {
            .kind = d->kind, .label = d->label, .text = d->text, .of = d->of, .outline = -1, .named = true};
        out.at = tracks_of(&s->tracks, d->at, width);
        out.to = tracks_of(&s->tracks, d->to, width);
        out.turn = tracks_turn(&s->tracks, d->turn);
        out.radii = tracks_of(&s->tracks, d->radius, 1);
        out.colour = is_fixture(s, &out) && !d->colour ? COLOUR_GROUND : colour_of(&colours, d);
        set_size(&out, d);
        if (d->mesh) {
            out.mesh = mesh_number(s, d->mesh);
            out.reach = mesh_reach(&s->meshes.at[out.mesh], out.size);
        }
        if (out.radii >= 0 && !s->tracks.all.at[out.radii].moves) {
            out.size[0] = out.size[1] = out.size[2] = fabs(s->tracks.all.at[out.radii].still[0]);
            out.radii = NO_TRACK;
        }
        vec_push(s->arena, s->items, out);
    }
}

// ---- how large it is

typedef struct {
    double low[3], high[3];
} box;

static box no_box(void) {
    return (box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static void grow(box *b, vector at, double reach) {
    double v[3] = {at.x, at.y, at.z};
    for (int k = 0; k < 3; k++) {
        b->low[k] = fmin(b->low[k], v[k] - reach);
        b->high[k] = fmax(b->high[k], v[k] + reach);
    }
}

static double diagonal(const box *b) {
    return hypot(hypot(b->high[0] - b->low[0], b->high[1] - b->low[1]), b->high[2] - b->low[2]);
}

double scene_reach(const scene *s, const item *i) {
    double offset = vector_norm(i->offset), most = fabs(i->size[0]);
    switch (i->kind) {
    case DRAW_BOX:
        return hypot(hypot(i->size[0], i->size[1]), i->size[2]) / 2 + offset;
    case DRAW_CYLINDER:
        if (i->to >= 0)
            return most;
        return hypot(i->size[0], i->size[1] / 2) + offset;
    case ITEM_OUTLINE:
        return i->size[0] + offset;
    case DRAW_MESH:
        return i->reach;
    case DRAW_ELLIPSOID:
        return fmax(i->size[0], fmax(i->size[1], i->size[2]));
    case DRAW_CIRCLE:
    case DRAW_SPHERE:
        for (long k = 0; i->radii >= 0 && k < s->record->count; k++)
            most = fmax(most, s->tracks.all.at[i->radii].at[k]);
        return most;
    default:
        return 0;
    }
}

// about a middle, in own axes: half of a box, or of what is round about z
typedef struct {
    vector middle, half;
    bool round;
} solid;

static solid solid_of(const scene *s, const item *i) {
    const double *size = i->size;
    if (i->kind == DRAW_MESH) {
        const mesh_shape *m = &s->meshes.at[i->mesh];
        vector sum = vector_sum(m->low, m->high), way = vector_difference(m->high, m->low);
        return (solid){{sum.x * size[0] / 2, sum.y * size[1] / 2, sum.z * size[2] / 2},
                       {way.x * fabs(size[0]) / 2, way.y * fabs(size[1]) / 2, way.z * fabs(size[2]) / 2},
                       false};
    }
    if (i->kind == DRAW_BOX)
        return (solid){i->offset, {size[0] / 2, size[1] / 2, size[2] / 2}, false};
    if (i->kind == DRAW_CYLINDER)
        return (solid){i->offset, {size[0], size[0], size[1] / 2}, true};
    return (solid){i->offset, {size[0], size[0], size[2] / 2}, true};
}

static bool is_turned_solid(const item *i) {
    return i->kind == DRAW_MESH || i->kind == DRAW_BOX || i->kind == ITEM_OUTLINE ||
           (i->kind == DRAW_CYLINDER && i->to < 0);
}

static void grow_by_solid(box *b, vector at, quaternion q, const solid *s) {
    vector x = rotation_apply(q, (vector){1, 0, 0}), y = rotation_apply(q, (vector){0, 1, 0}),
           z = vector_cross(x, y);
    at = vector_sum(at, rotation_apply(q, s->middle));
    double middle[3] = {at.x, at.y, at.z}, ax[3] = {x.x, x.y, x.z}, ay[3] = {y.x, y.y, y.z},
           az[3] = {z.x, z.y, z.z};
    for (int k = 0; k < 3; k++) {
        double across = s->round ? s->half.x * sqrt(fmax(0, 1 - az[k] * az[k]))
                                 : s->half.x * fabs(ax[k]) + s->half.y * fabs(ay[k]);
        double reach = across + s->half.z * fabs(az[k]);
        b->low[k] = fmin(b->low[k], middle[k] - reach);
        b->high[k] = fmax(b->high[k], middle[k] + reach);
    }
}

static long samples_of(const scene *s, int number) {
    return number != NO_TRACK && s->tracks.all.at[number].moves ? s->record->count : 1;
}

static void grow_by_track(const scene *s, box *b, int number, double reach) {
    for (long k = 0; k < samples_of(s, number); k++)
        grow(b, track_point(&s->tracks, number, (instant){k, 0}), reach);
}

// of one between two points, a solid whose z leads from one to the other
static void grow_by_span(const scene *s, box *b, const item *i) {
    long samples = samples_of(s, i->at), others = samples_of(s, i->to);
    for (long k = 0; k < (samples > others ? samples : others); k++) {
        vector at = track_point(&s->tracks, i->at, (instant){k, 0});
        vector way = vector_difference(track_point(&s->tracks, i->to, (instant){k, 0}), at);
        double length = vector_norm(way);
        solid own = {{0}, {i->size[0], i->size[0], length / 2}, true};
        vector along = vector_scaled(length > 0 ? 1 / length : 0, way);
        grow_by_solid(b, vector_sum(at, vector_scaled(0.5, way)),
                      rotation_between((vector){0, 0, 1}, length > 0 ? along : (vector){0, 0, 1}), &own);
    }
}

static void grow_by_item(const scene *s, box *b, const item *i) {
    if (i->kind == DRAW_CYLINDER && i->to >= 0) {
        grow_by_span(s, b, i);
        return;
    }
    if (!is_turned_solid(i)) {
        grow_by_track(s, b, i->at, scene_reach(s, i));
        return;
    }
    solid own = solid_of(s, i);
    long samples = samples_of(s, i->at), turns = samples_of(s, i->turn);
    for (long k = 0; k < (samples > turns ? samples : turns); k++)
        grow_by_solid(b, track_point(&s->tracks, i->at, (instant){k, 0}),
                      track_turn(&s->tracks, i->turn, (instant){k, 0}), &own);
}

// as it is, or, loosely, by how far things reach in whatever turn: by that marks are sized
static box bounds(const scene *s, bool loose) {
    box b = no_box();
    for (int i = 0; i < s->items.count; i++) {
        const item *it = &s->items.at[i];
        if (loose)
            grow_by_track(s, &b, it->at, scene_reach(s, it));
        else
            grow_by_item(s, &b, it);
        if (it->to >= 0 && it->kind != DRAW_ARROW)
            grow_by_track(s, &b, it->to, 0);
    }
    for (int k = 0; k < 3; k++)
        if (!(b.high[k] >= b.low[k]) || !isfinite(b.high[k] - b.low[k]))
            b.low[k] = -1, b.high[k] = 1;
    if (!s->space)
        b.low[2] = b.high[2] = 0;
    bool nothing = diagonal(&b) == 0;
    for (int k = 0; nothing && k < (s->space ? 3 : 2); k++)
        b.low[k] -= 1, b.high[k] += 1;
    return b;
}

static void bound(scene *s) {
    box tight = bounds(s, false), loose = bounds(s, true);
    memcpy(s->low, tight.low, sizeof tight.low);
    memcpy(s->high, tight.high, sizeof tight.high);
    s->extent = diagonal(&loose);
}

// the largest diagonal at one instant
static double scale_of(const scene *s) {
    double most = 0;
    long samples = s->record->count, count = samples < INSTANTS ? samples : INSTANTS;
    for (long k = 0; k < count; k++) {
        instant when = {lround((double)k * (double)(samples - 1) / (INSTANTS - 1)), 0};
        if (samples <= INSTANTS)
            when.sample = k;
        box b = no_box();
        for (int i = 0; i < s->items.count; i++) {
            const item *it = &s->items.at[i];
            if (it->kind == DRAW_TRACE || it->kind == DRAW_TEXT)
                continue;
            double reach = scene_reach(s, it);
            grow(&b, track_point(&s->tracks, it->at, when), reach);
            if (it->to >= 0 && it->kind != DRAW_ARROW)
                grow(&b, track_point(&s->tracks, it->to, when), reach);
        }
        if (isfinite(diagonal(&b)))
            most = fmax(most, diagonal(&b));
    }
    return most;
}

// by which glyphs are sized: what is drawn, and where joints are at the start
static double joint_scale(const scene *s) {
    box b = no_box();
    for (int i = 0; i < s->model->joints.count; i++) {
        const model_joint *j = &s->model->joints.at[i];
        double reach = strncmp(j->kind, "rolling", 7) == 0 ? j->size : 0;
        for (int k = 0; k < 2; k++)
            if (j->at[k].count)
                grow(&b, tracks_point_at(&s->tracks, j->at[k], 0), reach);
    }
    double joints = diagonal(&b);
    return fmax(scale_of(s), isfinite(joints) ? joints : 0);
}

// ---- where it goes

static bool is_moving(const scene *s, const item *i) {
    return i->kind != DRAW_TRACE && i->kind != DRAW_TEXT && s->tracks.all.at[i->at].moves;
}

vector scene_centre(const scene *s, instant when) {
    vector sum = {0};
    int count = 0;
    for (int i = 0; i < s->items.count && count < CENTRED; i++) {
        if (!is_moving(s, &s->items.at[i]))
            continue;
        vector at = track_point(&s->tracks, s->items.at[i].at, when);
        count++;
        if (isfinite(at.x + at.y + at.z))
            sum = vector_sum(sum, at);
    }
    return vector_scaled(count ? 1.0 / count : 0, sum);
}

// ends far from where it began, and is more than dots
static bool goes_away(const scene *s) {
    bool dots = true;
    for (int i = 0; i < s->items.count; i++)
        if (is_moving(s, &s->items.at[i]))
            dots &= s->items.at[i].kind == DRAW_POINT || s->items.at[i].kind == DRAW_CIRCLE;
    vector way = vector_difference(scene_centre(s, (instant){s->record->count - 1, 0}),
                                   scene_centre(s, (instant){0, 0}));
    return !dots && vector_norm(way) > s->extent / 3;
}

static void measure(scene *s) {
    double size = scale_of(s);
    bool moves = false;
    bound(s);
    size = fmin(s->extent, size > 0 ? size : s->extent);
    for (int i = 0; i < s->items.count; i++)
        moves |= is_moving(s, &s->items.at[i]);
    s->far = moves && s->extent > FAR * size;
    s->travels = s->far && goes_away(s);
    s->scale = s->travels ? size : fmax(size, s->extent / 4);
}

void scene_make(scene *s, arena *a, const record *r) {
    const model *m = r->sys->model;
    *s = (scene){.arena = a, .model = m, .record = r, .space = scene_is_space(m)};
    s->upright = !s->space || m->upright;
    tracks_init(&s->tracks, a, r);
    if (r->view_count < m->view_count || r->count == 0)
        return;
    add_drawings(s);
    glyphs_add(s, joint_scale(s));
    measure(s);
}
