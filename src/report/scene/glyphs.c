/* Frames of joints have the axis as z: that about which they turn, that along which they slide (in the plane
 * what slides does so along x of its frame). */
#include "report/scene/scene.h"

#include <math.h>
#include <string.h>

enum { JOINTS_MOST = 120, ITEMS_MOST = 500 }; // of more nobody sees one
static const double UNIT = 0.016;             // of the scale
static const double ROOM = 0.16, SMALLEST = 0.4,
                    SAME = 0.1; // units of a distance, of a unit, of what are one place
static const double YOKE = 1.4; // units of a cross and its forks
static const char GROUND[] = "ground";
static const quaternion Z_TO_X = {M_SQRT1_2, 0, M_SQRT1_2, 0};

typedef struct {
    scene *scene;
    int known; // items of drawings
    double u;  // a small length of this scene
} maker;

static bool is(const char *a, const char *b) {
    return a && strcmp(a, b) == 0;
}

static bool is_flat(const model_joint *j) {
    return j->turn[0].count == 1;
}

static bool is_drawing_of(const item *d, const char *body) {
    bool coloured = d->colour >= 0 && d->kind != DRAW_POINT && d->kind != DRAW_TRACE && d->kind != DRAW_ARROW;
    return coloured && (is(d->label, body) || is(d->of, body));
}

static int colour_of(const maker *k, const char *body, int otherwise) {
    for (int i = 0; i < k->known; i++)
        if (is_drawing_of(&k->scene->items.at[i], body))
            return k->scene->items.at[i].colour;
    return otherwise;
}

// something with a surface is drawn of it
static bool is_solid(const maker *k, const char *body) {
    for (int i = 0; i < k->known; i++)
        if (is_drawing_of(&k->scene->items.at[i], body) && k->scene->items.at[i].kind != DRAW_LINE)
            return true;
    return false;
}

// ---- items

static item glyph(const maker *k, const char *name, const char *kind, int look, int colour) {
    item out = {.kind = look, .label = name, .joint = kind, .colour = colour, .outline = -1, .layer = 2};
    out.to = out.turn = out.radii = NO_TRACK;
    out.named = true;
    for (int i = k->known; i < k->scene->items.count; i++)
        out.named &= !is(k->scene->items.at[i].label, name);
    return out;
}

static void add(maker *k, const model_joint *j, int kind, int at, int turn, vector size, int colour,
                vector offset) {
    item out = glyph(k, j->label, j->kind, kind, colour);
    out.at = at, out.turn = turn, out.offset = offset;
    out.size[0] = size.x, out.size[1] = size.y, out.size[2] = size.z;
    vec_push(k->scene->arena, k->scene->items, out);
}

static void add_outline(maker *k, item out, int at, int turn, outline o, double layer, vector offset) {
    out.at = at, out.turn = turn, out.layer = layer, out.offset = offset;
    out.size[0] = out.size[1] = outline_reach(&o), out.size[2] = o.depth;
    out.outline = scene_add_outline(k->scene, o);
    vec_push(k->scene->arena, k->scene->items, out);
}

static item outlined(const maker *k, const model_joint *j, int colour) {
    return glyph(k, j->label, j->kind, ITEM_OUTLINE, colour);
}

static int point_of(maker *k, const model_joint *j, int side) {
    return tracks_of(&k->scene->tracks, j->at[side], k->scene->space ? 3 : 2);
}

static int turn_of(maker *k, const model_joint *j, int side) {
    return tracks_turn(&k->scene->tracks, j->turn[side]);
}

static vector point_at(const maker *k, const model_joint *j, int side, long at) {
    return tracks_point_at(&k->scene->tracks, j->at[side], at);
}

static vector upon(double z) {
    return (vector){0, 0, z};
}

// ---- what stands still

// a pin of the ground stands on something
static void add_support(maker *k, const model_joint *j, int at) {
    item foot = glyph(k, j->label, j->kind, DRAW_BOX, COLOUR_GROUND);
    foot.at = at;
    if (is(j->of[0], GROUND) || is(j->of[1], GROUND))
        ground_support(k->scene, foot, k->u);
}

static int colour_of_first(const maker *k, const model_joint *j) {
    return is(j->of[0], GROUND) ? COLOUR_GROUND : colour_of(k, j->of[0], COLOUR_METAL);
}

// ---- joints

// the ends of a pin, so that each hides what it hides
static void add_pin_ends(maker *k, const model_joint *j, int at, int turn, double radius, double from,
                         double to) {
    for (int side = -1; side <= 1; side += 2)
        add(k, j, DRAW_CYLINDER, at, turn, (vector){radius, to - from, 0}, COLOUR_METAL,
            upon(side * (from + to) / 2));
}

static void add_revolute(maker *k, const model_joint *j) {
    double u = k->u;
    int at = point_of(k, j, 0), turn = turn_of(k, j, 0);
    add_support(k, j, at);
    if (is_flat(j)) {
        item pin = glyph(k, j->label, j->kind, ITEM_PIN, COLOUR_METAL);
        pin.at = at, pin.size[0] = 0.5 * u, pin.layer = 3.2;
        vec_push(k->scene->arena, k->scene->items, pin);
        return;
    }
    // a knuckle of one body between two of the other, and the pin through them
    add_pin_ends(k, j, at, turn, 0.42 * u, 1.35 * u, 1.8 * u);
    add(k, j, DRAW_CYLINDER, at, turn_of(k, j, 1), (vector){0.85 * u, 1.1 * u, 0},
        colour_of(k, j->of[1], COLOUR_METAL), upon(0));
    for (int side = -1; side <= 1; side += 2)
        add(k, j, DRAW_CYLINDER, at, turn, (vector){0.85 * u, 0.7 * u, 0}, colour_of_first(k, j),
            upon(side * u));
}

static void add_spherical(maker *k, const model_joint *j) {
    double u = k->u;
    int at = point_of(k, j, 0);
    add_support(k, j, at);
    add(k, j, DRAW_SPHERE, at, NO_TRACK, (vector){0.9 * u, 0, 0}, colour_of(k, j->of[1], COLOUR_METAL),
        upon(0));
    add(k, j, DRAW_CYLINDER, at, turn_of(k, j, 0), (vector){1.15 * u, 0.7 * u, 0},
        is(j->of[0], GROUND) ? COLOUR_GROUND : COLOUR_METAL, upon(0));
}

// where a body leads to from a joint, at the start: to another joint of it, the farthest, else to its centre
static vector leads_to(const maker *k, const model_joint *j, const char *body) {
    const model *m = k->scene->model;
    vector from = point_at(k, j, 0, 0), out = {0};
    for (int i = 0; i < m->joints.count; i++)
        for (int side = 0; side < 2; side++) {
            const model_joint *other = &m->joints.at[i];
            if (other == j || other->at[side].count == 0 || !is(other->of[side], body))
                continue;
            vector way = vector_difference(point_at(k, other, side, 0), from);
            out = vector_norm(way) > vector_norm(out) ? way : out;
        }
    for (int i = 0; i < m->bodies.count && vector_norm(out) == 0; i++)
        if (is(m->bodies.at[i].label, body))
            out = vector_difference(tracks_point_at(&k->scene->tracks, m->bodies.at[i].at, 0), from);
    return out;
}

// a fork that holds a pin (z of its frame) at both ends, on the side where its body is
static void add_yoke(maker *k, const model_joint *j, int side) {
    double u = YOKE * k->u;
    int at = point_of(k, j, 0), colour = colour_of(k, j->of[side], COLOUR_METAL);
    vector way = rotation_apply(rotation_inverse(tracks_turn_at(&k->scene->tracks, j->turn[side], 0)),
                                leads_to(k, j, j->of[side]));
    quaternion towards = rotation_about(upon(1), atan2(way.y, way.x));
    int turn = tracks_turned(&k->scene->tracks, j->turn[side], towards);
    for (int end = -1; end <= 1; end += 2)
        add(k, j, DRAW_BOX, at, turn, (vector){3.4 * u, 1.1 * u, 0.5 * u}, colour,
            (vector){1.1 * u, 0, end * 1.5 * u});
    add(k, j, DRAW_BOX, at, turn, (vector){0.6 * u, 1.1 * u, 3.5 * u}, colour, (vector){2.9 * u, 0, 0});
    add_pin_ends(k, j, at, turn, 0.4 * u, 0.5 * u, 1.25 * u);
}

static void add_universal(maker *k, const model_joint *j) {
    int at = point_of(k, j, 0);
    add(k, j, DRAW_SPHERE, at, NO_TRACK, (vector){0.7 * YOKE * k->u, 0, 0}, COLOUR_METAL, upon(0));
    for (int side = 0; side < 2; side++)
        add_yoke(k, j, side);
    add_support(k, j, at);
}

static void add_fixed(maker *k, const model_joint *j) {
    double u = k->u;
    int side = is(j->of[0], GROUND), at = point_of(k, j, side); // it has no point but the bodies'
    add_support(k, j, at);
    add(k, j, DRAW_BOX, at, turn_of(k, j, side), (vector){u, u, u}, COLOUR_METAL, upon(0));
    k->scene->items.at[k->scene->items.count - 1].layer = 2.5;
}

static void add_planar(maker *k, const model_joint *j) {
    double u = k->u;
    int turn = turn_of(k, j, 0);
    add(k, j, DRAW_CYLINDER, point_of(k, j, 1), turn, (vector){1.2 * u, 0.5 * u, 0},
        colour_of(k, j->of[1], COLOUR_METAL), upon(0));
    add(k, j, DRAW_BOX, point_of(k, j, 0), turn, (vector){14 * u, 14 * u, 0.3 * u}, COLOUR_GROUND,
        upon(-0.5 * u));
}

// ---- guides

// the frame of a joint in one of its bodies, its z along what slides
static quaternion axes_at(const maker *k, const model_joint *j, int side, long at) {
    quaternion q = tracks_turn_at(&k->scene->tracks, j->turn[side], at);
    return is_flat(j) && is(j->kind, "prismatic") ? rotation_product(q, Z_TO_X) : q;
}

typedef struct {
    double from, to;
} range;

static void widen(range *r, double value) {
    r->from = fmin(r->from, value), r->to = fmax(r->to, value);
}

// a point of one side as seen from the frame of the other
static vector seen_from(const maker *k, const model_joint *j, int frame, long at) {
    vector way = vector_difference(point_at(k, j, 1 - frame, at), point_at(k, j, frame, at));
    return rotation_apply(rotation_inverse(axes_at(k, j, frame, at)), way);
}

// along the guide, over the run
static range way_of(const maker *k, const model_joint *j, int rail) {
    enum { LOOKS = 400 };
    range out = {INFINITY, -INFINITY};
    long samples = k->scene->record->count, step = samples > LOOKS ? samples / LOOKS : 1;
    for (long i = 0; i < samples; i += step)
        widen(&out, seen_from(k, j, rail, i).z);
    return isfinite(out.to - out.from) ? out : (range){0, 0};
}

// the model says itself what things slide on
static bool draws_ground(const maker *k) {
    for (int i = 0; i < k->known; i++)
        if (k->scene->items.at[i].kind == DRAW_GROUND)
            return true;
    return false;
}

static void add_flat_guide(maker *k, const model_joint *j, int rail, double length, vector middle) {
    double u = k->u;
    arena *a = k->scene->arena;
    bool fixed = is(j->of[rail], GROUND), said = draws_ground(k);
    outline guide = outline_rectangle(a, length, 0.5 * u, 0.4 * u);
    if (fixed) {
        guide.loops.count = 0;
        outline_hatch(a, &guide, -length / 2, length / 2, -1.05 * u, 0.8 * u, true);
        outline_hatch(a, &guide, -length / 2, length / 2, 1.05 * u, 0.8 * u, false);
    }
    int colour = fixed ? COLOUR_GROUND : colour_of(k, j->of[rail], COLOUR_METAL);
    vector offset = rotation_apply(Z_TO_X, middle);
    if (!said)
        add_outline(k, outlined(k, j, colour), point_of(k, j, rail), turn_of(k, j, rail), guide, 0.6, offset);
    if (!said && !is_solid(k, j->of[1 - rail]))
        add_outline(k, outlined(k, j, 1), point_of(k, j, 1 - rail), turn_of(k, j, 1 - rail),
                    outline_rectangle(a, 3 * u, 1.9 * u, u), 2, (vector){0});
}

static void add_slide(maker *k, const model_joint *j) {
    double u = k->u;
    int rail = is(j->of[1], GROUND), block = 1 - rail; // the rail is of what stands still, else of the first
    range way = way_of(k, j, rail);
    double length = way.to - way.from + 8 * u;
    vector middle = seen_from(k, j, rail, 0), end;
    middle.z = (way.from + way.to) / 2;
    if (is_flat(j)) {
        add_flat_guide(k, j, rail, length, middle);
        return;
    }
    bool fixed = is(j->of[rail], GROUND), round = is(j->kind, "cylindrical");
    int colour = fixed ? COLOUR_GROUND : COLOUR_METAL, at = point_of(k, j, rail), turn = turn_of(k, j, rail);
    vector bar = round ? (vector){0.5 * u, length, 0} : (vector){0.7 * u, 0.7 * u, length};
    add(k, j, round ? DRAW_CYLINDER : DRAW_BOX, at, turn, bar, colour, middle);
    for (int side = -1; fixed && side <= 1; side += 2) {
        end = vector_sum(middle, upon(side * length / 2));
        add(k, j, DRAW_BOX, at, turn, (vector){2.2 * u, 2.2 * u, 0.6 * u}, colour, end);
    }
    if (is_solid(k, j->of[block]))
        return;
    vector slider = round ? (vector){1.1 * u, 2.6 * u, 0} : (vector){1.9 * u, 1.9 * u, 3 * u};
    add(k, j, round ? DRAW_CYLINDER : DRAW_BOX, point_of(k, j, block), turn_of(k, j, block), slider, 1,
        upon(0));
}

// ---- wheels

// hatched ground under a wheel of the plane, as far as it rolls
static void add_floor(maker *k, const model_joint *j) {
    double r = j->size;
    range way = {INFINITY, -INFINITY};
    quaternion back = rotation_inverse(tracks_turn_at(&k->scene->tracks, j->turn[0], 0));
    for (long i = 0; i < k->scene->record->count; i++)
        widen(&way, rotation_apply(back, vector_difference(point_at(k, j, 1, i), point_at(k, j, 0, i))).x);
    if (!isfinite(way.to - way.from))
        return;
    outline floor = {0};
    outline_hatch(k->scene->arena, &floor, way.from - 1.5 * r, way.to + 1.5 * r, 0, k->u, true);
    add_outline(k, outlined(k, j, COLOUR_GROUND), point_of(k, j, 0), turn_of(k, j, 0), floor, 0.4,
                (vector){0});
}

// its axis is the z of its frame, its centre the second point
static void add_rolling(maker *k, const model_joint *j) {
    double r = j->size;
    if (is(j->kind, "rolling"))
        add_outline(k, outlined(k, j, colour_of(k, j->of[1], 0)), point_of(k, j, 1), turn_of(k, j, 1),
                    outline_wheel(k->scene->arena, r, fmin(0.1 * r, 1.4 * k->u)), 2, (vector){0});
    if (is_flat(j) && is(j->of[0], GROUND))
        add_floor(k, j);
}

// ---- couplings

static const model_joint *joint_of(const maker *k, const char *name) {
    const model *m = k->scene->model;
    for (int i = 0; i < m->joints.count; i++)
        if (is(name, m->joints.at[i].label))
            return &m->joints.at[i];
    return NULL;
}

// which side of a joint turns or slides: not the ground
static int moving_side(const model_joint *j) {
    return is(j->of[1], GROUND) ? 0 : 1;
}

static const model_joint *turning(const maker *k, const char *name) {
    const model_joint *j = joint_of(k, name);
    return j && j->turn[0].count ? j : NULL;
}

static vector axis_of(const maker *k, const model_joint *j, int side) {
    return rotation_apply(axes_at(k, j, side, 0), upon(1));
}

// the angle at which a direction of the world stands in a frame at the start
static double angle_in(const maker *k, const model_joint *j, int side, vector v) {
    vector local = rotation_apply(rotation_inverse(axes_at(k, j, side, 0)), v);
    return atan2(local.y, local.x);
}

static void add_gear_wheel(maker *k, const model_joint *gear, const model_joint *hub, outline wheel,
                           int colour, double layer) {
    int side = moving_side(hub);
    add_outline(k, outlined(k, gear, colour_of(k, hub->of[side], colour)), point_of(k, hub, side),
                turn_of(k, hub, side), wheel, layer, (vector){0});
}

// the faster wheel is the smaller one: r1 w1 = r2 w2
static void add_gear(maker *k, const model_joint *j) {
    const model_joint *a = turning(k, j->of[0]), *b = turning(k, j->of[1]);
    double ratio = fabs(j->size);
    if (a == NULL || b == NULL || !(ratio > 0))
        return;
    int first = moving_side(a), second = moving_side(b), teeth[2] = {0};
    vector d = vector_difference(point_at(k, b, second, 0), point_at(k, a, first, 0)),
           axis = axis_of(k, a, first);
    double apart = vector_norm(vector_difference(d, vector_scaled(vector_dot(d, axis), axis)));
    if (!(apart > 1e-6))
        return;
    double r1 = apart * ratio / (1 + ratio), r2 = apart / (1 + ratio);
    double depth = fmin(0.25 * fmin(r1, r2), 2.5 * k->u);
    outline_teeth(ratio, &teeth[0], &teeth[1]);
    double sees = angle_in(k, a, first, d), seen = angle_in(k, b, second, vector_scaled(-1, d));
    arena *memory = k->scene->arena;
    add_gear_wheel(k, j, a, outline_gear(memory, r1, teeth[0], sees, depth), 0, 1.5);
    add_gear_wheel(k, j, b, outline_gear(memory, r2, teeth[1], seen + M_PI / teeth[1], depth), 1, 1.5);
}

// the turn whose x and y are these unit vectors
static quaternion frame_of(vector x, vector y) {
    vector z = vector_cross(x, y);
    quaternion tilt = rotation_between(upon(1), z);
    vector from = rotation_apply(tilt, (vector){1, 0, 0});
    double angle = atan2(vector_dot(vector_cross(from, x), z), vector_dot(from, x));
    return rotation_product(rotation_about(z, angle), tilt);
}

// how far the bar goes along its slide, from the start
static range way_of_bar(const maker *k, const model_joint *slide, int side, vector along) {
    range out = {INFINITY, -INFINITY};
    vector from = point_at(k, slide, side, 0);
    for (long i = 0; i < k->scene->record->count; i++)
        widen(&out, vector_dot(vector_difference(point_at(k, slide, side, i), from), along));
    return out;
}

static void add_rack(maker *k, const model_joint *j) {
    enum { TEETH = 20 };
    const model_joint *a = turning(k, j->of[0]), *slide = joint_of(k, j->of[1]);
    double r = fabs(j->size), most = 60 * r; // longer ones run away under the wheel
    if (a == NULL || slide == NULL || !(r > 0))
        return;
    int hub = moving_side(a), bar = moving_side(slide);
    double depth = fmin(0.3 * r, 2.5 * k->u);
    vector along = axis_of(k, slide, bar);
    // from the wheel's centre to the pitch line: square to both, on that side on which the wheel drives it
    // along
    vector n = vector_scaled(j->size > 0 ? 1 : -1, vector_cross(along, axis_of(k, a, hub)));
    vector touch = vector_sum(point_at(k, a, hub, 0), vector_scaled(r, n));
    // the rack's own axes: x along the slide, y away from the wheel, fixed in its body
    quaternion body = tracks_turn_at(&k->scene->tracks, slide->turn[bar], 0), back = rotation_inverse(body);
    quaternion own = frame_of(rotation_apply(back, along), rotation_apply(back, n));
    vector local = vector_difference(touch, point_at(k, slide, bar, 0));
    local = rotation_apply(rotation_inverse(rotation_product(body, own)), local);
    range way = way_of_bar(k, slide, bar, along);
    if (!isfinite(way.to - way.from))
        return;
    arena *memory = k->scene->arena;
    outline rack = outline_rack(memory, fmax(-way.to, -most) - 2 * r, fmin(-way.from, most) + 2 * r,
                                2 * r / TEETH, depth);
    add_gear_wheel(k, j, a, outline_gear(memory, r, TEETH, angle_in(k, a, hub, n), depth), 0, 1.6);
    add_outline(k, outlined(k, j, colour_of(k, slide->of[bar], 2)), point_of(k, slide, bar),
                tracks_turned(&k->scene->tracks, slide->turn[bar], own), rack, 1.4, local);
}

// ---- bodies without a shape that join three points or more

static void add_plates(maker *k) {
    const model *m = k->scene->model;
    for (int i = 0; i < m->draws.count; i++) {
        const model_draw *d = &m->draws.at[i];
        if (d->kind != DRAW_PLATE || d->corner_count < 3)
            continue;
        item out = glyph(k, d->label, "plate", ITEM_OUTLINE, colour_of(k, d->label, 0));
        add_outline(k, out, tracks_of(&k->scene->tracks, d->at, k->scene->space ? 3 : 2),
                    tracks_turn(&k->scene->tracks, d->turn),
                    outline_plate(k->scene->arena, d->corners, d->corner_count, 0.8 * k->u, 0.7 * k->u), 1.2,
                    (vector){0});
    }
}

// ---- all of them

// joints that are near each other are small, so that one does not hide the other
static double room_for(const maker *k, const model_joint *j) {
    const model *m = k->scene->model;
    double least = INFINITY;
    for (int i = 0; i < m->joints.count && j->at[0].count; i++) {
        if (m->joints.at[i].at[0].count == 0)
            continue;
        double apart =
            vector_norm(vector_difference(point_at(k, &m->joints.at[i], 0, 0), point_at(k, j, 0, 0)));
        if (apart > SAME * k->u)
            least = fmin(least, apart);
    }
    return fmax(SMALLEST, fmin(1, ROOM * least / k->u));
}

static bool is_meshed(const maker *k, const char *body) {
    for (int i = 0; i < k->known; i++)
        if (k->scene->items.at[i].kind == DRAW_MESH && is_drawing_of(&k->scene->items.at[i], body))
            return true;
    return false;
}

// meshes of what it joins show what it looks like
static bool is_shown(const maker *k, const model_joint *j) {
    bool shown = true;
    for (int i = 0; i < 2; i++)
        shown &= is(j->of[i], GROUND) || is_meshed(k, j->of[i]);
    return shown;
}

static void add_joint(maker *k, const model_joint *j) {
    static const struct {
        const char *kind;
        void (*add)(maker *k, const model_joint *j);
    } known[] = {{"revolute", add_revolute}, {"spherical", add_spherical}, {"universal", add_universal},
                 {"fixed", add_fixed},       {"planar", add_planar},       {"prismatic", add_slide},
                 {"cylindrical", add_slide}, {"gear", add_gear},           {"rack", add_rack},
                 {"rolling", add_rolling},   {"rolling ball", add_rolling}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is(j->kind, known[i].kind))
            known[i].add(k, j);
}

static bool has_glyph(const maker *k, const char *name) {
    for (int i = k->known; i < k->scene->items.count; i++)
        if (is(k->scene->items.at[i].label, name))
            return true;
    return false;
}

static bool is_wheel(const maker *k, const char *body) {
    const model *m = k->scene->model;
    for (int i = 0; i < m->joints.count; i++)
        if (is(m->joints.at[i].kind, "rolling") && is(body, m->joints.at[i].of[1]))
            return true;
    return false;
}

static bool is_geared(const maker *k, const char *body) {
    const model *m = k->scene->model;
    for (int i = 0; i < m->joints.count; i++) {
        const model_joint *j = &m->joints.at[i];
        for (int n = 0; n < 2 && (is(j->kind, "gear") || is(j->kind, "rack")); n++) {
            const model_joint *of = joint_of(k, j->of[n]);
            if (of && (is(body, of->of[0]) || is(body, of->of[1])))
                return true;
        }
    }
    return false;
}

static bool is_replaced(const maker *k, const item *d) {
    switch (d->kind) {
    case DRAW_POINT:
        return has_glyph(k, d->label);
    case DRAW_CYLINDER:
        return is_wheel(k, d->label) && d->size[1] <= 0.1 * d->size[0];
    case DRAW_ELLIPSOID:
    case DRAW_BOX:
        return is_geared(k, d->label);
    default:
        return false;
    }
}

static void drop_replaced(maker *k) {
    scene *s = k->scene;
    bool *gone = arena_array(s->arena, bool, s->items.count + 1);
    for (int i = 0; i < k->known; i++)
        gone[i] = is_replaced(k, &s->items.at[i]);
    int kept = 0;
    for (int i = 0; i < s->items.count; i++)
        if (!gone[i])
            s->items.at[kept++] = s->items.at[i];
    s->items.count = kept;
}

void glyphs_add(scene *s, double scale) {
    maker k = {s, s->items.count, UNIT * scale};
    if (s->model->joints.count > JOINTS_MOST || s->items.count > ITEMS_MOST || !(scale > 0))
        return;
    add_plates(&k);
    for (int i = 0; i < s->model->joints.count; i++) {
        maker here = k;
        if (is_shown(&k, &s->model->joints.at[i]))
            continue;
        here.u *= room_for(&k, &s->model->joints.at[i]);
        add_joint(&here, &s->model->joints.at[i]);
    }
    ground_add(s, k.known, k.u);
    drop_replaced(&k);
}
