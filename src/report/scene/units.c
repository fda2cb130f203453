/* Which of two things hides the other is found where they overlap in the picture: there, rays to the eye tell
 * which surface is nearer. From that an order follows, unless three hide each other in turn: then the
 * farthest goes first. */
#include "report/scene/paint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ORDERED_MOST = 500 }; // of more, which hides which is not asked for each pair

// ---- hulls

static int by_place(const void *a, const void *b) {
    const point *p = a, *q = b;
    return p->x < q->x ? -1 : p->x > q->x ? 1 : p->y < q->y ? -1 : p->y > q->y;
}

static double turn_of(point o, point a, point b) {
    return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
}

// Andrew's monotone chain
point_list units_hull(arena *a, const point_list *points) {
    point_list sorted = {0}, out = {0};
    for (int i = 0; i < points->count; i++)
        vec_push(a, sorted, points->at[i]);
    if (sorted.count)
        qsort(sorted.at, (size_t)sorted.count, sizeof *sorted.at, by_place);
    for (int way = 0; way < 2; way++) {
        int least = out.count + 1;
        for (int k = 0; k < sorted.count; k++) {
            point p = sorted.at[way ? sorted.count - 1 - k : k];
            while (out.count > least && turn_of(out.at[out.count - 2], out.at[out.count - 1], p) <= 0)
                out.count--;
            vec_push(a, out, p);
        }
        out.count--; // the other chain begins with it
    }
    return out;
}

static bool is_inside(const point_list *edge, point p) {
    for (int i = 0; i < edge->count; i++)
        if (turn_of(edge->at[i], edge->at[(i + 1) % edge->count], p) < 0)
            return false;
    return edge->count > 2;
}

// ---- rays

// the larger root of a s^2 + 2 b s + c = 0
static bool far_root(double a, double b, double c, double *out) {
    double d = b * b - a * c;
    if (!(d >= 0) || !(a > 0))
        return false;
    *out = (-b + sqrt(d)) / a;
    return true;
}

static double ball_front(vector from, vector along, double radius) {
    double s = -INFINITY;
    far_root(vector_dot(along, along), vector_dot(from, along), vector_dot(from, from) - radius * radius, &s);
    return s;
}

// |z| <= h/2 about its own z
static double cylinder_front(vector from, vector d, double radius, double height) {
    double s, best = -INFINITY, half = height / 2;
    double c = from.x * from.x + from.y * from.y - radius * radius;
    if (far_root(d.x * d.x + d.y * d.y, from.x * d.x + from.y * d.y, c, &s) && fabs(from.z + s * d.z) <= half)
        best = s;
    for (int side = -1; side <= 1; side += 2) {
        double at = (side * half - from.z) / d.z;
        if (isfinite(at) && hypot(from.x + at * d.x, from.y + at * d.y) <= radius)
            best = fmax(best, at);
    }
    return best;
}

static double box_front(vector from, vector d, const double *size) {
    double f[3] = {from.x, from.y, from.z}, v[3] = {d.x, d.y, d.z}, low = -INFINITY, high = INFINITY;
    for (int k = 0; k < 3; k++) {
        double a = (-size[k] / 2 - f[k]) / v[k], b = (size[k] / 2 - f[k]) / v[k];
        if (fabs(v[k]) < 1e-12 && fabs(f[k]) > size[k] / 2)
            return -INFINITY;
        if (fabs(v[k]) < 1e-12)
            continue;
        low = fmax(low, fmin(a, b)), high = fmin(high, fmax(a, b));
    }
    return high >= low ? high : -INFINITY;
}

// a line with round ends
static double rod_front(const unit *u, vector from, vector back) {
    vector way = vector_difference(u->to, u->at), start = vector_difference(from, u->at);
    double length = vector_norm(way), best, part = 0;
    vector axis = vector_scaled(length > 0 ? 1 / length : 0, way);
    vector d = vector_difference(back, vector_scaled(vector_dot(back, axis), axis));
    vector c = vector_difference(start, vector_scaled(vector_dot(start, axis), axis));
    best =
        fmax(ball_front(start, back, u->radius), ball_front(vector_difference(from, u->to), back, u->radius));
    double s = ball_front(c, d, u->radius);
    if (isfinite(s))
        part = vector_dot(vector_sum(start, vector_scaled(s, back)), axis);
    return isfinite(s) && part >= 0 && part <= length ? fmax(best, s) : best;
}

static bool is_filled(const outline *o, double x, double y) {
    bool odd = false;
    for (int k = 0; k < o->loops.count; k++)
        for (int i = 0; i < o->loops.at[k].count; i++) {
            point a = o->loops.at[k].at[i], b = o->loops.at[k].at[(i + 1) % o->loops.at[k].count];
            if ((a.y > y) != (b.y > y) && x < a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x))
                odd = !odd;
        }
    return odd;
}

static double outline_front(const outline *o, vector from, vector d) {
    double best = -INFINITY;
    for (int side = -1; side <= 1; side += 2) {
        double s = (side * o->depth / 2 - from.z) / d.z;
        if (isfinite(s) && is_filled(o, from.x + s * d.x, from.y + s * d.y))
            best = fmax(best, s);
    }
    return best;
}

static double meshes_front(const unit *u, point at) {
    double best = -INFINITY;
    for (; u; u = u->next)
        best = fmax(best, mesh_front(u->shape, u->points, at));
    return best;
}

/* How far towards the eye its surface is at a place of the picture; -INFINITY: it is not there. */
static double front_of(const painting *p, const unit *u, point at) {
    vector from = vector_sum(vector_scaled(at.x, p->view.right), vector_scaled(at.y, p->view.up));
    quaternion to_own = rotation_inverse(u->turn);
    vector d = rotation_apply(to_own, p->view.back),
           local = rotation_apply(to_own, vector_difference(from, u->at));
    const double *size = u->item->size;
    switch (u->item->kind) {
    case DRAW_LINE:
    case DRAW_GROUND:
    case DRAW_SPRING:
    case DRAW_ARROW:
        return rod_front(u, from, p->view.back);
    case DRAW_BOX:
        return box_front(local, d, size);
    case DRAW_CYLINDER:
        return cylinder_front(local, d, size[0], size[1]);
    case DRAW_ELLIPSOID:
        return ball_front((vector){local.x / size[0], local.y / size[1], local.z / size[2]},
                          (vector){d.x / size[0], d.y / size[1], d.z / size[2]}, 1);
    case DRAW_MESH:
        return meshes_front(u, at);
    case ITEM_OUTLINE:
        return outline_front(&p->scene->outlines.at[u->item->outline], local, d);
    default:
        return ball_front(vector_difference(from, u->at), p->view.back, u->radius);
    }
}

// ---- meshes

typedef struct {
    double low[3], high[3];
} box;

static box box_of(const unit *u) {
    box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (; u; u = u->next)
        for (int i = 0; i < u->shape->mesh->points.count; i++) {
            double at[3] = {u->points[i].x, u->points[i].y, u->points[i].z};
            for (int k = 0; k < 3; k++)
                b.low[k] = fmin(b.low[k], at[k]), b.high[k] = fmax(b.high[k], at[k]);
        }
    return b;
}

static bool meet(const box *a, const box *b) {
    bool apart = false;
    for (int k = 0; k < 3; k++)
        apart |= a->low[k] > b->high[k] || b->low[k] > a->high[k];
    return !apart;
}

static void take_in(unit *u, unit *more, arena *a) {
    for (; more; more = more->next) {
        unit *one = arena_alloc(a, sizeof *one);
        *one = *more;
        one->next = u->next;
        u->next = one;
        for (int i = 0; i < more->edge.count; i++)
            vec_push(a, u->edge, more->edge.at[i]);
    }
    u->edge = units_hull(a, &u->edge);
}

int units_join(unit *units, int count, arena *a) {
    box *boxes = arena_array(a, box, count + 1);
    for (int i = 0; i < count; i++)
        if (units[i].shape)
            boxes[i] = box_of(&units[i]);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count && units[i].shape; k++) {
            if (k == i || units[k].shape == NULL || !meet(&boxes[i], &boxes[k]))
                continue;
            take_in(&units[i], &units[k], a);
            boxes[i] = box_of(&units[i]);
            units[k] = units[--count], boxes[k] = boxes[count];
            i = i == count ? k : i; // it was the last, and stands there now
            k = -1;                 // it is larger
        }
    return count;
}

// ---- pairs

static void add_crossing(arena *a, point_list *out, point p, point q, point r, point s) {
    double d1 = turn_of(p, q, r), d2 = turn_of(p, q, s), e1 = turn_of(r, s, p), e2 = turn_of(r, s, q);
    if (d1 * d2 >= 0 || e1 * e2 >= 0)
        return;
    double f = e1 / (e1 - e2);
    vec_push(a, *out, ((point){p.x + f * (q.x - p.x), p.y + f * (q.y - p.y)}));
}

// corners of what they have in common
static point_list common(arena *a, const unit *u, const unit *v) {
    point_list out = {0};
    for (int i = 0; i < u->edge.count; i++)
        if (is_inside(&v->edge, u->edge.at[i]))
            vec_push(a, out, u->edge.at[i]);
    for (int i = 0; i < v->edge.count; i++)
        if (is_inside(&u->edge, v->edge.at[i]))
            vec_push(a, out, v->edge.at[i]);
    for (int i = 0; i < u->edge.count; i++)
        for (int k = 0; k < v->edge.count; k++)
            add_crossing(a, &out, u->edge.at[i], u->edge.at[(i + 1) % u->edge.count], v->edge.at[k],
                         v->edge.at[(k + 1) % v->edge.count]);
    return out;
}

// > 0: the first hides the second, < 0: the other way round, 0: neither
static double hides(const painting *p, const unit *u, const unit *v, arena *scratch) {
    static const double PARTS[] = {0, 0.5, 0.9}; // of the way from the middle to a corner
    point_list corners = common(scratch, u, v);
    point middle = {0, 0};
    double sum = 0;
    for (int i = 0; i < corners.count; i++) {
        middle.x += corners.at[i].x / corners.count;
        middle.y += corners.at[i].y / corners.count;
    }
    for (int i = 0; i < corners.count; i++)
        for (int k = i ? 1 : 0; k < 3; k++) {
            point at = {middle.x + PARTS[k] * (corners.at[i].x - middle.x),
                        middle.y + PARTS[k] * (corners.at[i].y - middle.y)};
            double near = front_of(p, u, at), other = front_of(p, v, at);
            if (isfinite(near) && isfinite(other))
                sum += near - other;
        }
    return sum;
}

static frame frame_of(const unit *u) {
    frame f = frame_none();
    for (int i = 0; i < u->edge.count; i++)
        frame_add(&f, u->edge.at[i], 0);
    return f;
}

static bool overlaps(const frame *a, const frame *b) {
    return a->left < b->right && b->left < a->right && a->bottom < b->top && b->bottom < a->top;
}

// behind[i * count + k]: k must be painted before i
static void find_hidden(const painting *p, const unit *units, int count, bool *behind, arena *scratch) {
    frame *frames = arena_array(scratch, frame, count);
    for (int i = 0; i < count; i++)
        frames[i] = frame_of(&units[i]);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++) {
            if (!overlaps(&frames[i], &frames[k]))
                continue;
            double first = hides(p, &units[i], &units[k], scratch);
            if (first > 0)
                behind[i * count + k] = true;
            if (first < 0)
                behind[k * count + i] = true;
        }
}

static int by_depth(const void *a, const void *b) {
    const unit *u = a, *v = b;
    return u->depth < v->depth ? -1 : u->depth > v->depth ? 1 : u->number - v->number;
}

void units_order(const painting *p, unit *units, int count, arena *scratch) {
    if (count > 1)
        qsort(units, (size_t)count, sizeof *units, by_depth);
    if (!p->scene->space || count < 2 || count > ORDERED_MOST)
        return;
    bool *behind = arena_array(scratch, bool, count *count), *done = arena_array(scratch, bool, count);
    unit *sorted = arena_array(scratch, unit, count);
    find_hidden(p, units, count, behind, scratch);
    for (int n = 0; n < count; n++) {
        int next = -1, farthest = -1;
        for (int i = 0; i < count && next < 0; i++) {
            bool ready = !done[i];
            for (int k = 0; k < count && ready; k++)
                ready = done[k] || !behind[i * count + k];
            if (ready)
                next = i;
            if (farthest < 0 && !done[i])
                farthest = i;
        }
        next = next < 0 ? farthest : next;
        done[next] = true;
        sorted[n] = units[next];
    }
    memcpy(units, sorted, (size_t)count * sizeof *units);
}
