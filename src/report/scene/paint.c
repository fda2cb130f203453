/* In the plane, layers say what is above what; in space, what hides what (units.c). Light falls over the left
 * shoulder. */
#include "report/scene/paint.h"

#include <math.h>
#include <string.h>

static const int INK = 0x1d2024, WHITE = 0xffffff, MUTED = 0x626870, BAR = 0xa9b0b8, LINK = 0xdfe3e8,
                 BLACK = 0;
static const int palette[] = {0x0b62a8, 0xcc4c02, 0x00805f, 0x9b3f84, 0xa87400, 0x2b93cf, 0x59626b};
enum { PALETTE = 7, MANY = 60, ROUND = 48 }; // lines, of which each is thin; corners of what is round
static const double TURN = 6.283185307179586;
static const double THICK_LINE = 0.35, LINE = 0.25, THIN_LINE = 0.18; // mm
/* Parts of the scene's scale; but bars and dots are never less than so many mm. */
static const double BAR_PART = 0.012, SPRING_PART = 0.014, DOT_PART = 0.007, HATCH_PART = 0.013,
                    FINENESS = 1.0 / 4000;
static const double BAR_LEAST = 1.2, BAR_LEAST_SPACE = 0.7, SPRING_LEAST = 1.2, DOT_LEAST = 0.6;

typedef struct {
    const painting *p;
    instant when;
    arena *arena;
    drawing *out;
    bool many; // lines, which are thin then
} painter;

// ---- views

static view view_of(vector right, vector up) {
    return (view){right, up, vector_cross(right, up)};
}

bool view_named(const scene *s, const char *name, view *out) {
    static const vector X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1};
    double h = M_SQRT1_2, t = sqrt(1.0 / 6);
    if (strcmp(name, "front") == 0)
        *out = s->upright ? view_of(X, Y) : view_of(X, Z);
    else if (strcmp(name, "top") == 0)
        *out = s->upright ? view_of(X, (vector){0, 0, -1}) : view_of(X, Y);
    else if (strcmp(name, "side") == 0)
        *out = s->upright ? view_of((vector){0, 0, -1}, Y) : view_of(Y, Z);
    else if (strcmp(name, "iso") == 0)
        *out = s->upright ? view_of((vector){h, 0, -h}, (vector){-t, 2 * t, -t})
                          : view_of((vector){h, h, 0}, (vector){-t, t, 2 * t});
    else
        return false;
    return true;
}

static point seen(const painter *k, vector v) {
    return (point){vector_dot(v, k->p->view.right), vector_dot(v, k->p->view.up)};
}

static double towards_eye(const painter *k, vector v) {
    return vector_dot(v, k->p->view.back);
}

// ---- colours

static int mixed(int a, int b, double part) {
    int out = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        int from = a >> shift & 255, to = b >> shift & 255;
        out |= (int)lround(from + (to - from) * part) << shift;
    }
    return out;
}

static bool is_lines(const painter *k) {
    return k->p->style == STYLE_LINES;
}

static int base_of(const item *i) {
    return i->colour >= COLOUR_OWN ? i->colour - COLOUR_OWN
           : i->colour >= 0        ? palette[i->colour % PALETTE]
                                   : BAR;
}

// light from 0, shade, to 1
static int tone(const painter *k, const item *i, double light) {
    if (is_lines(k))
        return WHITE;
    if (!k->p->scene->space)
        return mixed(base_of(i), WHITE, i->colour < 0 ? 0.6 : 0.5);
    return mixed(mixed(base_of(i), BLACK, 0.35 * (1 - light)), WHITE, 0.12 + 0.3 * light);
}

static double light_on(const painter *k, vector normal) {
    static const vector LAMP = {-0.35, 0.63, 0.69}; // to the right, up, towards the eye
    const view *v = &k->p->view;
    double lit = LAMP.x * vector_dot(normal, v->right) + LAMP.y * vector_dot(normal, v->up) +
                 LAMP.z * vector_dot(normal, v->back);
    return fmax(0, 0.3 + 0.7 * lit);
}

static void set_line(const painter *k, mark *m, const item *i) {
    bool space = k->p->scene->space;
    m->width = is_lines(k) ? THICK_LINE : LINE;
    m->stroke = is_lines(k)     ? BLACK
                : i->colour < 0 ? INK
                : space         ? mixed(base_of(i), BLACK, 0.45)
                                : base_of(i);
}

static mark filled(const painter *k, const item *i, double light) {
    mark m = mark_new(MARK_PATH);
    m.closed = true;
    m.fill = tone(k, i, light);
    set_line(k, &m, i);
    return m;
}

static void put(painter *k, mark m) {
    vec_push(k->arena, k->out->marks, m);
}

// ---- loops with no more points than are seen

static double away(point a, point b, point p) {
    double x = b.x - a.x, y = b.y - a.y, length = hypot(x, y);
    return length > 0 ? fabs(x * (p.y - a.y) - y * (p.x - a.x)) / length : hypot(p.x - a.x, p.y - a.y);
}

// those between two that are kept (Douglas and Peucker)
static void keep_between(const point_list *l, int from, int to, double fine, bool *kept) {
    int most = -1;
    double far = fine;
    for (int i = from + 1; i < to; i++) {
        double d = away(l->at[from], l->at[to], l->at[i]);
        if (d > far || !isfinite(d))
            far = d, most = i;
    }
    if (most < 0)
        return;
    kept[most] = true;
    keep_between(l, from, most, fine, kept);
    keep_between(l, most, to, fine, kept);
}

static point_list thinned(const painter *k, const point_list *l) {
    point_list out = {0};
    bool *kept = arena_array(k->arena, bool, l->count + 1);
    if (l->count > 0)
        kept[0] = kept[l->count / 2] = kept[l->count - 1] = true;
    if (l->count > 2) {
        keep_between(l, 0, l->count / 2, FINENESS * k->p->scene->scale, kept);
        keep_between(l, l->count / 2, l->count - 1, FINENESS * k->p->scene->scale, kept);
    }
    for (int i = 0; i < l->count; i++)
        if (kept[i])
            vec_push(k->arena, out, l->at[i]);
    return out;
}

static void put_loop(const painter *k, mark *m, const point_list *l) {
    point_list thin = thinned(k, l);
    vec_push(k->arena, m->loops, thin);
}

// ---- lines

// a bar with round ends, as one line upon a thicker one
static void put_bar(painter *k, const item *i, point a, point b, double thick) {
    bool space = k->p->scene->space;
    mark m = mark_new(MARK_PATH);
    mark_loop(k->arena, &m, (point[]){a, b}, 2);
    set_line(k, &m, i);
    double edge = 2 * m.width;
    m.width = edge, m.thick = thick;
    put(k, m);
    m.width = 0;
    m.stroke = is_lines(k) ? WHITE : space ? tone(k, i, 0.35) : i->colour < 0 ? LINK : tone(k, i, 0.5);
    put(k, m);
    if (is_lines(k) || !space)
        return;
    m.thick = 0.35 * thick;
    m.stroke = tone(k, i, 0.9);
    put(k, m);
}

static void put_pin(painter *k, point at, double radius, bool ground) {
    mark m = mark_new(MARK_CIRCLE);
    m.at = at, m.radius = radius;
    m.fill = ground ? (is_lines(k) ? BLACK : INK) : WHITE;
    m.stroke = is_lines(k) ? BLACK : INK;
    m.width = LINE;
    put(k, m);
}

static bool is_still(const painter *k, int number) {
    return !k->p->scene->tracks.all.at[number].moves;
}

static double at_least(const painter *k, double part, double mm) {
    return fmax(part * k->p->scene->scale, mm * k->p->mm);
}

static double bar_width(const painter *k) {
    return at_least(k, BAR_PART, k->p->scene->space ? BAR_LEAST_SPACE : BAR_LEAST);
}

static double spring_radius(const painter *k) {
    return at_least(k, SPRING_PART, SPRING_LEAST);
}

static void paint_line(painter *k, const item *i, const unit *u) {
    point a = seen(k, u->at), b = seen(k, u->to);
    double thick = 2 * u->radius;
    if (k->many) {
        mark m = mark_new(MARK_PATH);
        mark_loop(k->arena, &m, (point[]){a, b}, 2);
        m.stroke = is_lines(k) ? BLACK : INK, m.width = LINE;
        put(k, m);
        return;
    }
    put_bar(k, i, a, b, thick);
    if (k->p->scene->space)
        return;
    put_pin(k, a, 0.36 * thick, is_still(k, i->at));
    put_pin(k, b, 0.36 * thick, is_still(k, i->to));
}

// windings by its length at the start, so that it keeps them
static int windings_of(const painter *k, const item *i) {
    instant start = {0, 0};
    vector d = vector_difference(track_point(&k->p->scene->tracks, i->to, start),
                                 track_point(&k->p->scene->tracks, i->at, start));
    double count = round(vector_norm(d) / (2 * spring_radius(k)));
    return (int)fmin(11, fmax(4, isfinite(count) ? count : 4));
}

// a helix, which seen from aside is a wave; straight at both ends
static void paint_spring(painter *k, const item *i, const unit *u) {
    enum { STEPS = 12 };
    int windings = windings_of(k, i), count = windings * STEPS;
    vector way = vector_difference(u->to, u->at), e1, e2;
    double length = vector_norm(way), r = spring_radius(k);
    if (!(length > 0))
        return;
    vector_frame(vector_scaled(1 / length, way), &e1, &e2);
    if (!k->p->scene->space) // in the plane it is flat
        e1 = vector_cross((vector){0, 0, 1}, vector_scaled(1 / length, way)), e2 = (vector){0};
    mark m = mark_new(MARK_PATH);
    point_list l = {0};
    vec_push(k->arena, l, seen(k, u->at));
    for (int n = 0; n <= count; n++) {
        double angle = TURN * n / STEPS, wide = n == 0 || n == count ? 0 : r;
        vector at = vector_sum(u->at, vector_scaled(0.1 + 0.8 * n / count, way));
        at = vector_sum(at, vector_scaled(wide * sin(angle), e1));
        at = vector_sum(at, vector_scaled(wide * cos(angle), e2));
        vec_push(k->arena, l, seen(k, at));
    }
    vec_push(k->arena, l, seen(k, u->to));
    vec_push(k->arena, m.loops, l);
    m.stroke = is_lines(k) ? BLACK : INK;
    m.width = is_lines(k) ? LINE : 1.2 * LINE;
    put(k, m);
}

// strokes on its right side, as seen from its first end
static void paint_ground(painter *k, const item *i, const unit *u) {
    point a = seen(k, u->at), b = seen(k, u->to);
    double length = hypot(b.x - a.x, b.y - a.y);
    mark m = mark_new(MARK_PATH), strokes = mark_new(MARK_PATH);
    if (k->p->scene->space) {
        put_bar(k, i, a, b, 2 * u->radius);
        return;
    }
    outline hatched = {0};
    outline_hatch(k->arena, &hatched, 0, length, 0, HATCH_PART * k->p->scene->scale, true);
    mark_loop(k->arena, &m, (point[]){a, b}, 2);
    m.stroke = is_lines(k) ? BLACK : INK, m.width = is_lines(k) ? THICK_LINE : LINE;
    put(k, m);
    for (int n = 1; n < hatched.lines.count; n++)
        put_loop(k, &strokes, &hatched.lines.at[n]);
    strokes.framed = true, strokes.at = a, strokes.angle = atan2(b.y - a.y, b.x - a.x);
    strokes.stroke = is_lines(k) ? BLACK : MUTED, strokes.width = THIN_LINE;
    put(k, strokes);
}

static void paint_arrow(painter *k, const item *i, const unit *u) {
    point a = seen(k, u->at), b = seen(k, u->to);
    double length = hypot(b.x - a.x, b.y - a.y), tip = fmin(length, 0.03 * k->p->scene->scale);
    if (!(length > 0))
        return;
    point d = {(b.x - a.x) / length, (b.y - a.y) / length}, foot = {b.x - tip * d.x, b.y - tip * d.y};
    mark shaft = mark_new(MARK_PATH), head = mark_new(MARK_PATH);
    mark_loop(k->arena, &shaft, (point[]){a, foot}, 2);
    shaft.stroke = is_lines(k) ? BLACK : base_of(i), shaft.width = 1.4 * LINE;
    mark_loop(k->arena, &head,
              (point[]){b,
                        {foot.x - 0.35 * tip * d.y, foot.y + 0.35 * tip * d.x},
                        {foot.x + 0.35 * tip * d.y, foot.y - 0.35 * tip * d.x}},
              3);
    head.closed = true;
    head.fill = shaft.stroke;
    put(k, shaft);
    put(k, head);
}

// the path up to now, and where it is
static void paint_trace(painter *k, const item *i) {
    const scene *s = k->p->scene;
    long last = k->p->all_of_traces ? s->record->count - 1 : k->when.sample;
    mark m = mark_new(MARK_PATH);
    point_list l = {0};
    for (long n = 0; n <= last + 1; n++) {
        vector v = track_point(&s->tracks, i->at, n > last ? k->when : (instant){n, 0});
        bool there = isfinite(v.x + v.y + v.z) && !(n > last && k->p->all_of_traces);
        if (there)
            vec_push(k->arena, l, seen(k, v));
        if (there || l.count == 0)
            continue;
        put_loop(k, &m, &l);
        l = (point_list){0};
    }
    if (l.count > 1)
        put_loop(k, &m, &l);
    m.stroke =
        is_lines(k) ? BLACK : mixed(palette[i->colour % PALETTE], WHITE, k->p->all_of_traces ? 0.5 : 0.15);
    m.width = is_lines(k) ? THIN_LINE : 1.2 * LINE;
    m.dashed = is_lines(k);
    m.loose = s->travels;
    if (m.loops.count)
        put(k, m);
}

// ---- what is round

static void put_ball(painter *k, const item *i, point at, double radius) {
    mark m = mark_new(MARK_CIRCLE);
    m.at = at, m.radius = radius;
    m.fill = tone(k, i, k->p->scene->space ? 0.15 : 0.5);
    if (k->p->scene->space && !is_lines(k))
        m.glow = tone(k, i, 1.4);
    set_line(k, &m, i);
    put(k, m);
}

static void paint_ball(painter *k, const item *i, const unit *u) {
    bool flat = !k->p->scene->space, dot = i->kind == DRAW_POINT;
    if (i->kind == ITEM_PIN) {
        put_pin(k, seen(k, u->at), u->radius, false);
        return;
    }
    put_ball(k, i, seen(k, u->at), u->radius);
    mark *m = &k->out->marks.at[k->out->marks.count - 1];
    if (flat && i->kind == DRAW_CIRCLE && is_still(k, i->at)) // a path or a rim: the ground is no disc
        m->fill = NO_PAINT, m->stroke = is_lines(k) ? BLACK : MUTED;
    else if (flat)
        m->fill = is_lines(k) ? (dot ? BLACK : WHITE) : base_of(i);
}

static point_list ellipse(const painter *k, vector at, const vector *half, int count) {
    point_list out = {0};
    point from = seen(k, at);
    for (int n = 0; n < ROUND; n++) {
        double c = cos(TURN * n / ROUND), s = sin(TURN * n / ROUND), w[3], norm = 0;
        point p = from;
        for (int i = 0; i < count; i++) {
            w[i] = seen(k, half[i]).x * c + seen(k, half[i]).y * s;
            norm += w[i] * w[i];
        }
        for (int i = 0; i < count && norm > 0; i++) {
            p.x += seen(k, half[i]).x * w[i] / sqrt(norm);
            p.y += seen(k, half[i]).y * w[i] / sqrt(norm);
        }
        vec_push(k->arena, out, p);
    }
    return out;
}

static vector own(const unit *u, double x, double y, double z) {
    return rotation_apply(u->turn, (vector){x, y, z});
}

static void paint_ellipsoid(painter *k, const item *i, const unit *u) {
    mark m = filled(k, i, 0.15);
    vec_push(k->arena, m.loops, u->edge);
    m.glow = is_lines(k) ? NO_PAINT : tone(k, i, 1.4);
    put(k, m);
}

// the rim of an end
static point_list rim(const painter *k, const unit *u, double z) {
    point_list out = {0};
    double r = u->item->size[0];
    vector middle = vector_sum(u->at, own(u, 0, 0, z));
    for (int n = 0; n < ROUND; n++) {
        double angle = TURN * n / ROUND;
        vec_push(k->arena, out, seen(k, vector_sum(middle, own(u, r * cos(angle), r * sin(angle), 0))));
    }
    return out;
}

// what lies along its side where light falls on it
static void put_shine(painter *k, const item *i, const unit *u) {
    const view *v = &k->p->view;
    vector axis = own(u, 0, 0, 1),
           lamp = vector_sum(v->back, vector_difference(v->up, vector_scaled(0.6, v->right)));
    vector side = vector_difference(lamp, vector_scaled(vector_dot(lamp, axis), axis));
    double norm = vector_norm(side), half = 0.3, h = i->size[1] / 2, r = i->size[0];
    if (!(norm > 0.2) || is_lines(k))
        return;
    vector across = vector_cross(axis, vector_scaled(1 / norm, side));
    mark m = mark_new(MARK_PATH);
    point_list l = {0};
    for (int n = 0; n < 4; n++) {
        double s = (n == 0 || n == 3 ? -1 : 1) * half;
        vector out = vector_sum(vector_scaled(r * cos(s) / norm, side), vector_scaled(r * sin(s), across));
        if (towards_eye(k, out) < 0)
            return;
        out = vector_sum(out, vector_scaled(n < 2 ? -h : h, axis));
        vec_push(k->arena, l, seen(k, vector_sum(u->at, out)));
    }
    vec_push(k->arena, m.loops, l);
    m.closed = true;
    m.fill = tone(k, i, 0.95);
    put(k, m);
}

static void paint_cylinder(painter *k, const item *i, const unit *u) {
    vector axis = own(u, 0, 0, 1);
    double facing = towards_eye(k, axis), near = (facing > 0 ? 0.5 : -0.5) * i->size[1];
    mark m = filled(k, i, 0.3), cap = filled(k, i, light_on(k, vector_scaled(facing > 0 ? 1 : -1, axis)));
    if (fabs(facing) < 0.999) {
        vec_push(k->arena, m.loops, u->edge);
        put(k, m);
        put_shine(k, i, u);
    }
    if (fabs(facing) < 0.02)
        return;
    point_list end = rim(k, u, near);
    vec_push(k->arena, cap.loops, end);
    put(k, cap);
    if (i->joint || i->to >= 0) // of a joint nobody asks whether it turns; between two points nobody knows
        return;
    mark radius = mark_new(MARK_PATH);
    mark_loop(k->arena, &radius, (point[]){seen(k, vector_sum(u->at, own(u, 0, 0, near))), end.at[0]}, 2);
    set_line(k, &radius, i);
    radius.width *= 0.7;
    put(k, radius);
}

// ---- boxes and outlines

static const int CORNERS_OF[6][4] = {{0, 2, 6, 4}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                     {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 5, 7, 6}};

static vector corner(const unit *u, int n) {
    const double *size = u->item->size;
    vector v = own(u, (n & 1 ? 0.5 : -0.5) * size[0], (n & 2 ? 0.5 : -0.5) * size[1],
                   (n & 4 ? 0.5 : -0.5) * size[2]);
    return vector_sum(u->at, v);
}

static void paint_box(painter *k, const item *i, const unit *u) {
    for (int f = 0; f < 6; f++) {
        double sign = f % 2 ? 1 : -1;
        vector normal = own(u, f / 2 == 0 ? sign : 0, f / 2 == 1 ? sign : 0, f / 2 == 2 ? sign : 0);
        point_list l = {0};
        if (!(towards_eye(k, normal) > 1e-6))
            continue;
        mark m = filled(k, i, light_on(k, normal));
        for (int n = 0; n < 4; n++)
            vec_push(k->arena, l, seen(k, corner(u, CORNERS_OF[f][n])));
        vec_push(k->arena, m.loops, l);
        put(k, m);
    }
}

static double area_of(const point_list *l) {
    double sum = 0;
    for (int i = 0; i < l->count; i++) {
        point a = l->at[i], b = l->at[(i + 1) % l->count];
        sum += a.x * b.y - a.y * b.x;
    }
    return sum / 2;
}

static point on_face(const painter *k, const unit *u, point p, double z) {
    return seen(k, vector_sum(u->at, own(u, p.x, p.y, z)));
}

// the wall along edges from one to another, between both faces
static void put_wall(painter *k, const item *i, const unit *u, const point_list *l, int from, int count) {
    double h = i->size[2] / 2;
    mark m = filled(k, i, 0.2);
    point_list wall = {0};
    for (int n = 0; n <= count; n++)
        vec_push(k->arena, wall, on_face(k, u, l->at[(from + n) % l->count], h));
    for (int n = count; n >= 0; n--)
        vec_push(k->arena, wall, on_face(k, u, l->at[(from + n) % l->count], -h));
    vec_push(k->arena, m.loops, wall);
    m.width *= 0.7;
    put(k, m);
}

static bool faces_us(const painter *k, const unit *u, const point_list *l, int n, double way) {
    point a = l->at[n % l->count], b = l->at[(n + 1) % l->count];
    return towards_eye(k, own(u, way * (b.y - a.y), way * (a.x - b.x), 0)) > 0;
}

// each run of edges that face us
static void put_walls(painter *k, const item *i, const unit *u, const point_list *l, bool hole) {
    double way = (area_of(l) > 0) == !hole ? 1 : -1; // outwards of what is filled
    int start = 0;
    while (start < l->count && faces_us(k, u, l, start, way))
        start++;
    for (int n = 0; n < l->count; n++) {
        int count = 0;
        while (count < l->count && faces_us(k, u, l, start + n + count, way))
            count++;
        if (count)
            put_wall(k, i, u, l, (start + n) % l->count, count);
        n += count;
    }
}

static void paint_slab(painter *k, const item *i, const unit *u, const outline *o) {
    vector axis = own(u, 0, 0, 1);
    double facing = towards_eye(k, axis), near = (facing > 0 ? 0.5 : -0.5) * o->depth;
    mark face = filled(k, i, light_on(k, vector_scaled(facing > 0 ? 1 : -1, axis)));
    for (int n = o->loops.count - 1; n >= 0; n--) {
        point_list thin = thinned(k, &o->loops.at[n]), l = {0};
        if (fabs(facing) < 0.9995)
            put_walls(k, i, u, &thin, n > 0);
        for (int c = 0; c < thin.count; c++)
            vec_push(k->arena, l, on_face(k, u, thin.at[c], near));
        vec_push(k->arena, face.loops, l);
    }
    if (fabs(facing) > 0.02 && o->loops.count)
        put(k, face);
}

// ---- meshes

static void set_shape(const painter *k, unit *u) {
    const view *v = &k->p->view;
    const double *size = u->item->size;
    u->shape = &k->p->scene->meshes.at[u->item->mesh];
    u->pose = (mesh_pose){u->at, u->turn, {size[0], size[1], size[2]}, v->right, v->up, v->back};
    u->points = mesh_points(k->arena, u->shape, &u->pose);
}

static void paint_meshes(painter *k, const unit *u) {
    int count = 0;
    for (const unit *part = u; part; part = part->next)
        count++;
    mesh_part *parts = arena_array(k->arena, mesh_part, count);
    const item **items = arena_array(k->arena, const item *, count);
    for (int n = 0; n < count; n++, u = u->next) {
        items[n] = u->item;
        parts[n] = (mesh_part){u->shape, u->pose};
    }
    mesh_picture m = mesh_seen(k->arena, parts, count);
    for (int n = 0; n < m.pieces.count; n++) {
        const mesh_piece *piece = &m.pieces.at[n];
        mark face = filled(k, items[piece->part], light_on(k, piece->normal));
        for (int l = 0; l < piece->loops.count; l++)
            vec_push(k->arena, face.loops, piece->loops.at[l]);
        face.stroke = face.fill; // no gap between neighbours, and within the lines about it all
        face.width *= 0.8;
        put(k, face);
    }
    for (int n = 0; n < count; n++) {
        mark lines = mark_new(MARK_PATH);
        for (int l = 0; l < m.lines.count; l++)
            if (m.lines.at[l].part == n)
                mark_loop(k->arena, &lines, (point[]){m.lines.at[l].from, m.lines.at[l].to}, 2);
        set_line(k, &lines, items[n]);
        if (lines.loops.count)
            put(k, lines);
    }
}

// ---- in the plane

static void set_frame(const painter *k, mark *m, const unit *u) {
    m->framed = true;
    m->at = seen(k, u->at);
    m->angle = 2 * atan2(u->turn.z, u->turn.w);
}

static void paint_flat_outline(painter *k, const item *i, const unit *u, const outline *o) {
    mark m = filled(k, i, 0.5), strokes = mark_new(MARK_PATH);
    set_frame(k, &m, u);
    set_frame(k, &strokes, u);
    for (int n = 0; n < o->loops.count; n++)
        put_loop(k, &m, &o->loops.at[n]);
    if (o->loops.count)
        put(k, m);
    for (int n = 0; n < o->lines.count; n++)
        put_loop(k, &strokes, &o->lines.at[n]);
    strokes.stroke = is_lines(k) ? BLACK : MUTED;
    strokes.width = THIN_LINE;
    strokes.loose = k->p->scene->travels && o->loops.count == 0; // a floor is as long as the way
    if (o->lines.count)
        put(k, strokes);
}

static void paint_flat_solid(painter *k, const item *i, const unit *u) {
    mark m = filled(k, i, 0.5);
    point_list l = {0};
    double a = i->size[0], b = i->size[1];
    set_frame(k, &m, u);
    for (int n = 0; n < 4 && i->kind == DRAW_BOX; n++)
        vec_push(k->arena, l, ((point){(n == 1 || n == 2 ? 0.5 : -0.5) * a, (n > 1 ? 0.5 : -0.5) * b}));
    for (int n = 0; n < ROUND && i->kind != DRAW_BOX; n++)
        vec_push(
            k->arena, l,
            ((point){a * cos(TURN * n / ROUND), (i->kind == DRAW_CYLINDER ? a : b) * sin(TURN * n / ROUND)}));
    vec_push(k->arena, m.loops, l);
    put(k, m);
    if (i->kind != DRAW_CYLINDER)
        return;
    mark radius = mark_new(MARK_PATH); // it shows that it turns
    set_frame(k, &radius, u);
    mark_loop(k->arena, &radius, (point[]){{0, 0}, {a, 0}}, 2);
    set_line(k, &radius, i);
    put(k, radius);
}

// ---- units

static double radius_of(const painter *k, const item *i) {
    const scene *s = k->p->scene;
    double r = i->size[0], read[4];
    switch (i->kind) {
    case DRAW_LINE:
    case DRAW_GROUND:
        return bar_width(k) / 2;
    case DRAW_SPRING:
        return spring_radius(k);
    case ITEM_PIN:
        return fmax(r, 0.36 * bar_width(k));
    case DRAW_ARROW:
        return 0.002 * s->scale;
    case DRAW_POINT:
        return at_least(k, DOT_PART, DOT_LEAST);
    default:
        if (i->radii != NO_TRACK) {
            track_read(&s->tracks, i->radii, k->when, read);
            r = fabs(read[0]);
        }
        return r > 0 ? r : at_least(k, DOT_PART, DOT_LEAST);
    }
}

static void add_round(const painter *k, point_list *l, vector at, double radius) {
    enum { CORNERS = 12 };
    point p = seen(k, at);
    for (int n = 0; n < CORNERS; n++)
        vec_push(k->arena, *l,
                 ((point){p.x + radius * cos(TURN * n / CORNERS), p.y + radius * sin(TURN * n / CORNERS)}));
}

static void add_all(const painter *k, point_list *l, const point_list *more) {
    for (int i = 0; i < more->count; i++)
        vec_push(k->arena, *l, more->at[i]);
}

static point_list edge_of(const painter *k, const unit *u) {
    const item *i = u->item;
    point_list l = {0}, end;
    vector half[3] = {own(u, i->size[0], 0, 0), own(u, 0, i->size[1], 0), own(u, 0, 0, i->size[2])};
    switch (i->kind) {
    case DRAW_BOX:
        for (int n = 0; n < 8; n++)
            vec_push(k->arena, l, seen(k, corner(u, n)));
        break;
    case DRAW_CYLINDER:
        for (int side = -1; side <= 1; side += 2)
            end = rim(k, u, side * i->size[1] / 2), add_all(k, &l, &end);
        break;
    case DRAW_ELLIPSOID:
        return ellipse(k, u->at, half, 3);
    case DRAW_MESH:
        for (int n = 0; n < u->shape->mesh->points.count; n++)
            vec_push(k->arena, l, ((point){u->points[n].x, u->points[n].y}));
        break;
    case ITEM_OUTLINE: {
        const outline *o = &k->p->scene->outlines.at[i->outline];
        for (int n = 0; o->loops.count && n < 2 * o->loops.at[0].count; n++)
            vec_push(k->arena, l, on_face(k, u, o->loops.at[0].at[n / 2], (n % 2 - 0.5) * o->depth));
        break;
    }
    default:
        add_round(k, &l, u->at, u->radius);
        if (i->to != NO_TRACK)
            add_round(k, &l, u->to, u->radius);
    }
    return units_hull(k->arena, &l);
}

static double layer_of(const painter *k, const item *i) {
    if (i->layer > 0)
        return i->layer;
    switch (i->kind) {
    case DRAW_SPRING:
    case DRAW_GROUND:
        return 0;
    case DRAW_LINE:
        return 1;
    case DRAW_CIRCLE:
        return is_still(k, i->at) ? 0 : 3;
    case DRAW_SPHERE:
        return 3;
    case DRAW_POINT:
        return 3.5;
    case DRAW_ARROW:
        return 4;
    default:
        return 2;
    }
}

// one between two points stands in their middle, its axis towards the second; in the plane it is a box
static void stand_between(const painter *k, unit *u) {
    item *own_item = arena_alloc(k->arena, sizeof *own_item);
    vector way = vector_difference(u->to, u->at);
    double length = vector_norm(way);
    *own_item = *u->item;
    own_item->size[1] = length;
    u->at = vector_sum(u->at, vector_scaled(0.5, way));
    if (k->p->scene->space)
        u->turn = rotation_between((vector){0, 0, 1}, vector_scaled(length > 0 ? 1 / length : 0, way));
    else {
        own_item->kind = DRAW_BOX;
        own_item->size[0] = length, own_item->size[1] = 2 * u->item->size[0];
        u->turn = rotation_about((vector){0, 0, 1}, atan2(way.y, way.x));
    }
    u->item = own_item;
}

// false: it has no place
static bool unit_of(const painter *k, const item *i, unit *out) {
    const scene *s = k->p->scene;
    *out = (unit){.item = i, .number = (int)(i - s->items.at), .at = track_point(&s->tracks, i->at, k->when)};
    out->turn = track_turn(&s->tracks, i->turn, k->when);
    out->at = vector_sum(out->at, rotation_apply(out->turn, i->offset));
    out->to = out->at;
    if (i->to != NO_TRACK)
        out->to = track_point(&s->tracks, i->to, k->when);
    if (i->kind == DRAW_ARROW)
        out->to = vector_sum(out->at, out->to);
    out->radius = radius_of(k, i);
    if (i->kind == DRAW_CYLINDER && i->to != NO_TRACK)
        stand_between(k, out);
    vector both = vector_sum(out->at, out->to);
    out->depth = s->space ? towards_eye(k, both) / 2 : layer_of(k, i);
    return isfinite(both.x + both.y + both.z + out->turn.w);
}

static void paint_unit(painter *k, const unit *u) {
    const item *i = u->item;
    bool flat = !k->p->scene->space;
    switch (i->kind) {
    case DRAW_LINE:
        paint_line(k, i, u);
        return;
    case DRAW_GROUND:
        paint_ground(k, i, u);
        return;
    case DRAW_SPRING:
        paint_spring(k, i, u);
        return;
    case DRAW_ARROW:
        paint_arrow(k, i, u);
        return;
    case DRAW_MESH:
        paint_meshes(k, u);
        return;
    case ITEM_OUTLINE:
        (flat ? paint_flat_outline : paint_slab)(k, i, u, &k->p->scene->outlines.at[i->outline]);
        return;
    case DRAW_BOX:
    case DRAW_CYLINDER:
    case DRAW_ELLIPSOID:
        (flat                       ? paint_flat_solid
         : i->kind == DRAW_BOX      ? paint_box
         : i->kind == DRAW_CYLINDER ? paint_cylinder
                                    : paint_ellipsoid)(k, i, u);
        return;
    default:
        paint_ball(k, i, u);
    }
}

// ---- all of it

static void paint_text(painter *k, const item *i) {
    vector v = track_point(&k->p->scene->tracks, i->at, k->when);
    mark m = mark_new(MARK_TEXT);
    m.at = seen(k, v);
    m.text = i->text;
    m.fill = is_lines(k) ? BLACK : INK;
    if (isfinite(v.x + v.y + v.z))
        put(k, m);
}

void paint(const painting *p, instant when, drawing *out) {
    painter k = {p, when, out->arena, out, false};
    const scene *s = p->scene;
    arena *scratch = arena_child(out->arena);
    unit *units = arena_array(scratch, unit, s->items.count + 1);
    int count = 0, lines = 0;
    for (int i = 0; i < s->items.count; i++)
        lines += s->items.at[i].kind == DRAW_LINE;
    k.many = lines > MANY;
    for (int i = 0; i < s->items.count; i++) {
        const item *it = &s->items.at[i];
        if (it->kind == DRAW_TRACE)
            paint_trace(&k, it);
        else if (it->kind != DRAW_TEXT && unit_of(&k, it, &units[count]))
            count++;
    }
    for (int i = 0; i < count && s->space; i++) {
        if (units[i].item->kind == DRAW_MESH)
            set_shape(&k, &units[i]);
        units[i].edge = edge_of(&k, &units[i]);
    }
    if (s->space)
        count = units_join(units, count, k.arena);
    units_order(p, units, count, scratch);
    for (int i = 0; i < count; i++)
        paint_unit(&k, &units[i]);
    for (int i = 0; i < s->items.count; i++)
        if (s->items.at[i].kind == DRAW_TEXT)
            paint_text(&k, &s->items.at[i]);
    arena_free(scratch);
}
