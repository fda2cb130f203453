#include "report/scene/tracks.h"

#include <math.h>
#include <string.h>

void tracks_init(tracks *t, arena *a, const record *r) {
    *t = (tracks){.arena = a, .record = r};
    map_init(&t->found, a);
}

static bool is_same(const tracks *t, const track *a, const track *b) {
    size_t count = (size_t)t->record->count * (size_t)a->width;
    if (a->moves != b->moves || a->width != b->width)
        return false;
    return a->moves ? memcmp(a->at, b->at, count * sizeof *a->at) == 0
                    : memcmp(a->still, b->still, sizeof a->still) == 0;
}

static uint64_t hash_of(const tracks *t, const track *a) {
    uint64_t hash = (uint64_t)a->width + (a->moves ? 8 : 0), bits;
    for (int i = 0; i < 4; i++) {
        memcpy(&bits, &a->still[i], sizeof bits);
        hash = map_mix(hash, bits);
    }
    for (long i = 0; a->moves && i < t->record->count * a->width; i++) {
        uint32_t part;
        memcpy(&part, &a->at[i], sizeof part);
        hash = map_mix(hash, part);
    }
    return hash;
}

static int keep(tracks *t, track made) {
    uint64_t hash = hash_of(t, &made);
    int found = map_get(&t->found, hash);
    if (found >= 0 && is_same(t, &t->all.at[found], &made))
        return found;
    vec_push(t->arena, t->all, made);
    if (found < 0)
        map_put(&t->found, hash, t->all.count - 1);
    return t->all.count - 1;
}

static const quaternion NO_TURN = {.w = 1};

static bool is_constant(const tracks *t, model_views v) {
    for (int k = 0; k < v.count; k++)
        for (long i = 1; i < t->record->count; i++)
            if (record_view(t->record, i, v.first + k) != record_view(t->record, 0, v.first + k))
                return false;
    return true;
}

static void as_they_are(const tracks *t, model_views v, long i, double *out) {
    for (int k = 0; k < v.count && k < 4; k++)
        out[k] = record_view(t->record, i, v.first + k);
}

vector tracks_point_at(const tracks *t, model_views v, long i) {
    double at[4] = {0};
    as_they_are(t, v, i, at);
    return (vector){at[0], at[1], at[2]};
}

// an angle about z is (cos a/2, 0, 0, sin a/2)
quaternion tracks_turn_at(const tracks *t, model_views v, long i) {
    double at[4] = {0};
    as_they_are(t, v, i, at);
    if (v.count == 4)
        return (quaternion){at[0], at[1], at[2], at[3]};
    return (quaternion){.w = cos(at[0] / 2), .z = sin(at[0] / 2)};
}

static void evaluate(const tracks *t, const track *a, long i, double *out) {
    if (!a->turn) {
        as_they_are(t, a->from, i, out);
        return;
    }
    quaternion q = tracks_turn_at(t, a->from, i), f = a->first;
    if (f.x != 0 || f.y != 0 || f.z != 0 || f.w != 1)
        q = rotation_product(q, f);
    out[0] = q.w, out[1] = q.x, out[2] = q.y, out[3] = q.z;
}

void track_make(const tracks *t, int number, long i, double *out) {
    double all[4] = {0};
    const track *a = &t->all.at[number];
    evaluate(t, a, i, all);
    memcpy(out, all, (size_t)a->width * sizeof *out);
}

static int make(tracks *t, model_views v, int width, bool turn, quaternion first) {
    if (v.count == 0)
        return NO_TRACK;
    track made = {.width = width, .moves = !is_constant(t, v), .from = v, .turn = turn, .first = first};
    double out[4] = {0};
    if (!made.moves) {
        evaluate(t, &made, 0, made.still);
        return keep(t, made);
    }
    float *at = arena_array(t->arena, float, t->record->count *width);
    for (long i = 0; i < t->record->count; i++) {
        evaluate(t, &made, i, out);
        for (int k = 0; k < width; k++)
            at[i * width + k] = (float)out[k] + 0.0f; // -0 is 0
    }
    made.at = at;
    return keep(t, made);
}

int tracks_of(tracks *t, model_views v, int width) {
    return make(t, v, width, false, NO_TURN);
}

int tracks_still(tracks *t, const double *at, int width) {
    track made = {.width = width};
    memcpy(made.still, at, (size_t)width * sizeof *at);
    return keep(t, made);
}

int tracks_turn(tracks *t, model_views v) {
    return make(t, v, 4, true, NO_TURN);
}

int tracks_turned(tracks *t, model_views v, quaternion first) {
    return make(t, v, 4, true, first);
}

// ---- at a time

instant instant_at(const record *r, double time) {
    long low = 0, high = r->count - 1;
    while (high - low > 1) {
        long middle = low + (high - low) / 2;
        if (record_time(r, middle) <= time)
            low = middle;
        else
            high = middle;
    }
    if (high <= 0 || time >= record_time(r, high))
        return (instant){high > 0 ? high : 0, 0};
    double from = record_time(r, low), step = record_time(r, high) - from;
    return (instant){low, step > 0 ? fmin(1, fmax(0, (time - from) / step)) : 0};
}

static double step_over(const record *r, long from, long to) {
    return record_time(r, to) - record_time(r, from);
}

static double between(const tracks *t, const track *a, instant when, int k) {
    const record *r = t->record;
    long i = when.sample, left = i > 0 ? i - 1 : i, right = i + 2 < r->count ? i + 2 : i + 1;
    double f = when.part, f2 = f * f, f3 = f2 * f, h = step_over(r, i, i + 1);
    double p = a->at[i * a->width + k], q = a->at[(i + 1) * a->width + k];
    double slope = (q - (double)a->at[left * a->width + k]) * h / step_over(r, left, i + 1);
    double next = ((double)a->at[right * a->width + k] - p) * h / step_over(r, i, right);
    double up = 3 * f2 - 2 * f3;
    return (1 - up) * p + up * q + (f3 - 2 * f2 + f) * slope + (f3 - f2) * next;
}

void track_read(const tracks *t, int number, instant when, double *out) {
    const track *a = &t->all.at[number];
    for (int k = 0; k < a->width; k++)
        if (!a->moves)
            out[k] = a->still[k];
        else if (when.part == 0 || when.sample + 1 >= t->record->count)
            out[k] = a->at[when.sample * a->width + k];
        else
            out[k] = between(t, a, when, k);
}

vector track_point(const tracks *t, int number, instant when) {
    double at[4] = {0};
    track_read(t, number, when, at);
    return (vector){at[0], at[1], at[2]};
}

static quaternion sample_turn(const track *a, long i) {
    if (!a->moves)
        return (quaternion){a->still[0], a->still[1], a->still[2], a->still[3]};
    const float *at = a->at + 4 * i;
    return (quaternion){at[0], at[1], at[2], at[3]};
}

static double turns_dot(quaternion a, quaternion b) {
    return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}

// q and -q mean the same, so neighbours are brought to one side
quaternion track_turn(const tracks *t, int number, instant when) {
    if (number == NO_TRACK)
        return (quaternion){.w = 1};
    const track *a = &t->all.at[number];
    bool on = !a->moves || when.part == 0 || when.sample + 1 >= t->record->count;
    quaternion p = sample_turn(a, when.sample), q = on ? p : sample_turn(a, when.sample + 1);
    double g = turns_dot(p, q) < 0 ? -when.part : when.part, f = 1 - when.part;
    if (on)
        f = 1, g = 0;
    quaternion out = {f * p.w + g * q.w, f * p.x + g * q.x, f * p.y + g * q.y, f * p.z + g * q.z};
    double norm = sqrt(turns_dot(out, out));
    return norm > 0 ? (quaternion){out.w / norm, out.x / norm, out.y / norm, out.z / norm}
                    : (quaternion){1, 0, 0, 0};
}
