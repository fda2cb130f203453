#include "report/scene/outlines.h"

#include <math.h>

static const double TURN = 6.283185307179586;
static const double ADDENDUM = 0.9, DEDENDUM = 1.2; // in modules
static const double HALF_TOOTH = 0.24; // of a pitch, at the pitch circle: a little air between teeth
static const double PRESSURE = 0.3490658503988659; // 20 degrees, as of common gears

static void put(arena *a, point_list *l, double x, double y) {
    vec_push(a, *l, ((point){x, y}));
}

static void put_polar(arena *a, point_list *l, double r, double angle) {
    put(a, l, r * cos(angle), r * sin(angle));
}

static void add_circle(arena *a, outline *s, double r, int count, double x, double y) {
    point_list l = {0};
    for (int k = 0; k < count; k++)
        put(a, &l, x + r * cos(TURN * k / count), y + r * sin(TURN * k / count));
    vec_push(a, s->loops, l);
}

outline outline_rectangle(arena *a, double width, double height, double depth) {
    outline s = {.depth = depth};
    point_list l = {0};
    for (int k = 0; k < 4; k++)
        put(a, &l, (k == 1 || k == 2 ? 0.5 : -0.5) * width, (k > 1 ? 0.5 : -0.5) * height);
    vec_push(a, s.loops, l);
    return s;
}

// ---- teeth

void outline_teeth(double ratio, int *first, int *second) {
    enum { LEAST = 18, MOST = 36 };
    double miss = INFINITY;
    for (int small = LEAST; small <= MOST; small++) {
        double large = fmax(ratio, 1 / ratio) * small, error = fabs(large - round(large)) / large;
        if (error >= miss - 1e-9)
            continue;
        miss = error;
        *first = ratio >= 1 ? (int)round(large) : small;
        *second = ratio >= 1 ? small : (int)round(large);
    }
}

// half the angle of a tooth at radius r: an involute of the base circle, half as wide as the pitch there
static double half_tooth(double radius, int teeth, double r) {
    double base = radius * cos(PRESSURE), involute[2], at[2] = {radius, r};
    for (int i = 0; i < 2; i++)
        involute[i] = sqrt(fmax(0, at[i] * at[i] / (base * base) - 1)) - acos(fmin(1, base / at[i]));
    return HALF_TOOTH * TURN / teeth + involute[0] - involute[1];
}

static void put_tooth(arena *a, point_list *l, double radius, int teeth, double angle) {
    enum { STEPS = 5 };
    double module = 2 * radius / teeth, tip = radius + ADDENDUM * module, root = radius - DEDENDUM * module;
    double low = fmax(root, radius * cos(PRESSURE));
    put_polar(a, l, root, angle - half_tooth(radius, teeth, low));
    for (int i = 0; i <= STEPS; i++) {
        double r = low + (tip - low) * i / STEPS;
        put_polar(a, l, r, angle - half_tooth(radius, teeth, r));
    }
    for (int i = STEPS; i >= 0; i--) {
        double r = low + (tip - low) * i / STEPS;
        put_polar(a, l, r, angle + half_tooth(radius, teeth, r));
    }
    put_polar(a, l, root, angle + half_tooth(radius, teeth, low));
}

outline outline_gear(arena *a, double radius, int teeth, double phase, double depth) {
    enum { HOLES = 5 };
    outline s = {.depth = depth};
    point_list edge = {0};
    double module = 2 * radius / teeth, root = radius - DEDENDUM * module,
           hub = fmin(0.22 * radius, root / 2);
    for (int k = 0; k < teeth; k++)
        put_tooth(a, &edge, radius, teeth, phase + k * TURN / teeth);
    vec_push(a, s.loops, edge);
    add_circle(a, &s, hub * 0.5, 20, 0, 0);
    for (int k = 0; k < HOLES && root > 6 * module; k++) { // they show that it turns
        double angle = phase + TURN * (k + 0.5) / HOLES, r = (root + hub) / 2;
        add_circle(a, &s, 0.16 * root, 16, r * cos(angle), r * sin(angle));
    }
    return s;
}

outline outline_rack(arena *a, double from, double to, double module, double depth) {
    outline s = {.depth = depth};
    point_list l = {0};
    double pitch = TURN / 2 * module, back = (DEDENDUM + 2.5) * module;
    double foot = HALF_TOOTH * pitch + DEDENDUM * module * tan(PRESSURE);
    double head = HALF_TOOTH * pitch - ADDENDUM * module * tan(PRESSURE);
    double first = floor(from / pitch), last = ceil(to / pitch);
    for (double k = first; k < last; k++) {
        double x = (k + 0.5) * pitch;
        put(a, &l, x - foot, DEDENDUM * module), put(a, &l, x - head, -ADDENDUM * module);
        put(a, &l, x + head, -ADDENDUM * module), put(a, &l, x + foot, DEDENDUM * module);
    }
    put(a, &l, last * pitch, DEDENDUM * module), put(a, &l, last * pitch, back);
    put(a, &l, first * pitch, back), put(a, &l, first * pitch, DEDENDUM * module);
    vec_push(a, s.loops, l);
    return s;
}

// ---- the rest

outline outline_wheel(arena *a, double radius, double depth) {
    enum { SPOKES = 8, OUTSIDE = 8, INSIDE = 3 };
    outline s = {.depth = depth};
    double rim = 0.86 * radius, hub = 0.16 * radius;
    double outer = 0.03, inner = outer * rim / hub; // half a spoke, as an angle at the rim and at the hub
    add_circle(a, &s, radius, 64, 0, 0);
    for (int k = 0; k < SPOKES; k++) {
        double from = TURN * k / SPOKES, width = TURN / SPOKES;
        point_list hole = {0};
        for (int i = 0; i <= OUTSIDE; i++)
            put_polar(a, &hole, rim, from + outer + (width - 2 * outer) * i / OUTSIDE);
        for (int i = INSIDE; i >= 0; i--)
            put_polar(a, &hole, hub, from + inner + (width - 2 * inner) * i / INSIDE);
        vec_push(a, s.loops, hole);
    }
    return s;
}

static void put_corner(arena *a, point_list *l, const double *before, const double *p, const double *after,
                       double radius) {
    enum { STEPS = 6 };
    double from = atan2(before[0] - p[0], p[1] - before[1]), to = atan2(p[0] - after[0], after[1] - p[1]);
    while (to < from) // normals of both edges, outwards
        to += TURN;
    for (int k = 0; k <= STEPS; k++) {
        double angle = from + (to - from) * k / STEPS;
        put(a, l, p[0] + radius * cos(angle), p[1] + radius * sin(angle));
    }
}

outline outline_plate(arena *a, const double *corners, int count, double radius, double depth) {
    outline s = {.depth = depth};
    point_list edge = {0};
    for (int i = 0; i < count; i++)
        put_corner(a, &edge, corners + 2 * ((i + count - 1) % count), corners + 2 * i,
                   corners + 2 * ((i + 1) % count), radius);
    vec_push(a, s.loops, edge);
    for (int i = 0; i < count; i++)
        add_circle(a, &s, 0.4 * radius, 14, corners[2 * i], corners[2 * i + 1]);
    return s;
}

static void add_line(arena *a, outline *s, double x0, double y0, double x1, double y1) {
    point_list l = {0};
    put(a, &l, x0, y0), put(a, &l, x1, y1);
    vec_push(a, s->lines, l);
}

void outline_hatch(arena *a, outline *s, double from, double to, double y, double length, bool below) {
    int count = (int)fmax(3, fmin(200, round((to - from) / (0.7 * length))));
    double sign = below ? -1 : 1;
    add_line(a, s, from, y, to, y);
    for (int k = 0; k < count; k++) {
        double x = from + (to - from) * (k + 0.5) / count + length * 0.25;
        add_line(a, s, x, y, x - 0.6 * length, y + sign * length * 0.7);
    }
}

outline outline_bracket(arena *a, double unit) {
    outline s = {.depth = unit};
    point_list l = {0};
    put(a, &l, 0, 0.2 * unit), put(a, &l, -1.2 * unit, -1.8 * unit), put(a, &l, 1.2 * unit, -1.8 * unit);
    vec_push(a, s.loops, l);
    outline_hatch(a, &s, -1.7 * unit, 1.7 * unit, -1.8 * unit, 0.8 * unit, true);
    return s;
}

double outline_reach(const outline *s) {
    double most = 0;
    for (int i = 0; i < s->loops.count; i++)
        for (int k = 0; k < s->loops.at[i].count; k++)
            most = fmax(most, hypot(s->loops.at[i].at[k].x, s->loops.at[i].at[k].y));
    return most;
}
