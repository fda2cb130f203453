/* What does not move: supports of joints with the ground and of rods that end at a fixed point, and the base
 * that several supports stand on. */
#include "report/scene/scene.h"

#include "base/hull.h"

#include <math.h>
#include <string.h>

static const char GROUND[] = "ground";
static const double FOOT = 3.05;   // units from a support's point down to its foot
static const double STIFF = 1e-6;  // a rod's length varies by less
static const double LEVEL = 0.2;   // of their distance: supports at heights as different stand on no one base
static const double NARROW = 0.05; // a base that is less wide than long is a beam
enum { FEET_MOST = 60, LOOKS = 50 }; // supports of one base; samples at which a rod is looked at

static void put(scene *s, item out, int kind, vector size, vector offset) {
    out.kind = kind, out.offset = offset;
    out.size[0] = size.x, out.size[1] = size.y, out.size[2] = size.z;
    vec_push(s->arena, s->items, out);
}

static vector upwards(const scene *s, double high) {
    return s->upright ? (vector){0, high, 0} : (vector){0, 0, high};
}

static vector standing(const scene *s, double wide, double high) {
    return s->upright ? (vector){wide, high, wide} : (vector){wide, wide, high};
}

void ground_support(scene *s, item as, double u) {
    as.colour = COLOUR_GROUND, as.turn = NO_TRACK;
    if (!s->space) {
        outline bracket = outline_bracket(s->arena, u);
        double far = outline_reach(&bracket);
        as.layer = 0.5, as.outline = scene_add_outline(s, bracket);
        put(s, as, ITEM_OUTLINE, (vector){far, far, u}, (vector){0});
        return;
    }
    for (int i = 0; i < 2; i++) { // a post on a foot
        double wide = (i ? 3.4 : 1.1) * u, high = (i ? 0.5 : 2.4) * u, below = (i ? -2.8 : -1.4) * u;
        put(s, as, DRAW_BOX, standing(s, wide, high), upwards(s, below));
        as.named = false;
    }
}

// ---- rods that end at a fixed point

static bool is_still(const scene *s, int number) {
    return number != NO_TRACK && !s->tracks.all.at[number].moves;
}

static bool is_rod(const scene *s, const item *i) {
    double least = INFINITY, most = 0;
    if (i->kind != DRAW_LINE || i->to == NO_TRACK || is_still(s, i->at) == is_still(s, i->to))
        return false;
    long samples = s->record->count, step = samples > LOOKS ? samples / LOOKS : 1;
    for (long k = 0; k < samples; k += step) {
        instant when = {k, 0};
        vector way =
            vector_difference(track_point(&s->tracks, i->to, when), track_point(&s->tracks, i->at, when));
        least = fmin(least, vector_norm(way)), most = fmax(most, vector_norm(way));
    }
    return most > 0 && most - least <= STIFF * most;
}

// something stands there already
static bool is_supported(const scene *s, int known, int at) {
    for (int i = known; i < s->items.count; i++)
        if (s->items.at[i].at == at && s->items.at[i].colour == COLOUR_GROUND)
            return true;
    return false;
}

static void add_fixed_ends(scene *s, int known, double u) {
    for (int i = 0; i < known; i++) {
        item rod = s->items.at[i];
        if (!is_rod(s, &rod))
            continue;
        item foot = {.label = rod.label, .joint = "pin", .outline = -1, .layer = 2};
        foot.at = is_still(s, rod.at) ? rod.at : rod.to;
        foot.to = foot.turn = foot.radii = NO_TRACK;
        if (!is_supported(s, known, foot.at))
            ground_support(s, foot, u);
    }
}

// ---- a base

// where joints of the ground are
static int find_feet(const scene *s, vector *out) {
    static const char *const stand[] = {"revolute", "spherical", "universal", NULL};
    int count = 0;
    for (int i = 0; i < s->model->joints.count && count < FEET_MOST; i++) {
        const model_joint *j = &s->model->joints.at[i];
        for (int k = 0; stand[k]; k++)
            if (strcmp(j->kind, stand[k]) == 0 && j->of[0] &&
                (strcmp(j->of[0], GROUND) == 0 || strcmp(j->of[1], GROUND) == 0))
                out[count++] = tracks_point_at(&s->tracks, j->at[0], 0);
    }
    return count;
}

static double height(const scene *s, vector v) {
    return s->upright ? v.y : v.z;
}

// in a plane that is level: x and y of each point, so that a turn from there leads to the world
static void flatten(const scene *s, const vector *feet, int count, vector origin, double *out) {
    for (int i = 0; i < count; i++) {
        vector d = vector_difference(feet[i], origin);
        out[2 * i] = d.x, out[2 * i + 1] = s->upright ? -d.z : d.y;
    }
}

// how far the corners are from the line between the two that are farthest apart, and that line
static double narrowness(const double *corners, int count, int *from, int *to) {
    double most = 0, wide = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++) {
            double d = hypot(corners[2 * i] - corners[2 * k], corners[2 * i + 1] - corners[2 * k + 1]);
            if (d > most)
                *from = k, *to = i, most = d;
        }
    const double *a = corners + 2 * *from, *b = corners + 2 * *to;
    for (int i = 0; i < count && most > 0; i++)
        wide = fmax(wide, fabs((b[0] - a[0]) * (corners[2 * i + 1] - a[1]) -
                               (b[1] - a[1]) * (corners[2 * i] - a[0])) /
                              most);
    return most > 0 ? wide / most : 0;
}

static void add_base(scene *s, double u) {
    vector feet[FEET_MOST], middle = {0};
    double flat[2 * FEET_MOST], corners[2 * FEET_MOST], low = INFINITY, high = -INFINITY;
    int count = find_feet(s, feet), from = 0, to = 0;
    for (int i = 0; i < count; i++) {
        middle = vector_sum(middle, vector_scaled(1.0 / count, feet[i]));
        low = fmin(low, height(s, feet[i])), high = fmax(high, height(s, feet[i]));
    }
    flatten(s, feet, count, middle, flat);
    int found = count > 1 ? hull_wrap(flat, count, corners) : 0;
    if (found < 2)
        return;
    double part = narrowness(corners, found, &from, &to);
    double far = hypot(corners[2 * to] - corners[2 * from], corners[2 * to + 1] - corners[2 * from + 1]);
    if (!(far > 4 * u) || high - low > LEVEL * far)
        return;
    if (part < NARROW) {
        double ends[4] = {corners[2 * from], corners[2 * from + 1], corners[2 * to], corners[2 * to + 1]};
        memcpy(corners, ends, sizeof ends);
        found = 2;
    }
    item base = {.label = "", .joint = "base", .colour = COLOUR_GROUND, .layer = 0.3};
    outline plate = outline_plate(s->arena, corners, found, 2.6 * u, 0.5 * u);
    plate.loops.count = 1; // without holes
    double still[4] = {middle.x, middle.y, middle.z}, turn[4] = {1, 0, 0, 0};
    still[s->upright ? 1 : 2] = low - FOOT * u - 0.25 * u;
    if (s->upright)
        turn[0] = M_SQRT1_2, turn[1] = -M_SQRT1_2; // z upwards along y
    base.at = tracks_still(&s->tracks, still, 3), base.turn = tracks_still(&s->tracks, turn, 4);
    base.to = base.radii = NO_TRACK, base.outline = scene_add_outline(s, plate);
    put(s, base, ITEM_OUTLINE, (vector){outline_reach(&plate), outline_reach(&plate), plate.depth},
        (vector){0});
}

void ground_add(scene *s, int known, double u) {
    add_fixed_ends(s, known, u);
    if (s->space)
        add_base(s, u);
}
