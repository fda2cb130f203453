/* Faces that look at us are painted in flat pieces, from the farthest on: of two that overlap in the picture,
 * planes tell which is nearer. Lines are sharp edges, borders, and those where the surface turns away; of
 * each, what faces hide is a union of intervals, since both are straight. A grid over the picture tells what
 * may overlap. */
#include "report/scene/meshes.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const double SHARP = 0.866025403784; // cosine between faces: 30 degrees make a line
static const double FLAT = 0.99996;         // half a degree is flat
static const double FINE = 1e-7;            // of its size, is at the same depth
static const double EDGE_ON = 2e-3;         // cosine: from its side nobody sees a face

// ---- what does not depend on how it is seen

static vector corner_of(const mesh *m, int face, int k) {
    const double *p = m->points.at[m->faces.at[face].corner[k % 3]].at;
    return (vector){p[0], p[1], p[2]};
}

static vector normal_of(const mesh *m, int face) {
    vector a = corner_of(m, face, 0);
    vector n = vector_cross(vector_difference(corner_of(m, face, 1), a),
                            vector_difference(corner_of(m, face, 2), a));
    double size = vector_norm(n);
    return vector_scaled(size > 0 ? 1 / size : 0, n);
}

typedef struct {
    int from, to, face, side;
} half_edge;

static int by_ends(const void *a, const void *b) {
    const half_edge *e = a, *f = b;
    int e1 = e->from < e->to ? e->from : e->to, f1 = f->from < f->to ? f->from : f->to;
    int e2 = e->from + e->to - e1, f2 = f->from + f->to - f1;
    return e1 != f1 ? (e1 < f1 ? -1 : 1) : e2 != f2 ? (e2 < f2 ? -1 : 1) : e->face - f->face;
}

static bool are_one(const half_edge *e, const half_edge *f) {
    return e->from == f->to && e->to == f->from;
}

// edges of two faces that run in opposite ways; those of more or others are borders
static void find_neighbours(arena *scratch, mesh_shape *s) {
    int count = s->mesh->faces.count;
    half_edge *all = arena_array(scratch, half_edge, 3 * count + 2);
    for (int i = 0; i < 3 * count; i++) {
        const int *c = s->mesh->faces.at[i / 3].corner;
        all[i] = (half_edge){c[i % 3], c[(i + 1) % 3], i / 3, i % 3};
        s->beyond[i / 3][i % 3] = -1;
    }
    qsort(all, 3 * (size_t)count, sizeof *all, by_ends);
    for (int i = 0; i + 1 < 3 * count; i++)
        if (are_one(&all[i], &all[i + 1]) && !(i + 2 < 3 * count && by_ends(&all[i], &all[i + 2]) == 0)) {
            s->beyond[all[i].face][all[i].side] = all[i + 1].face;
            s->beyond[all[i + 1].face][all[i + 1].side] = all[i].face;
        }
}

// from one face on, over edges, while the normal stays that of the first
static void spread(mesh_shape *s, const vector *normal, int first, int number, int *waiting) {
    int count = 1;
    waiting[0] = first;
    s->flat[first] = number;
    while (count > 0) {
        int face = waiting[--count];
        for (int k = 0; k < 3; k++) {
            int next = s->beyond[face][k];
            if (next < 0 || s->flat[next] >= 0 || vector_dot(normal[next], normal[first]) < FLAT)
                continue;
            s->flat[next] = number;
            waiting[count++] = next;
        }
    }
}

mesh_shape mesh_shape_of(arena *a, const source *file) {
    mesh_shape s = {.file = file, .mesh = mesh_of(a, file), .closed = true};
    arena *scratch = arena_child(a);
    int count = s.mesh->faces.count, pieces = 0;
    vector *normal = arena_array(scratch, vector, count + 1);
    int *waiting = arena_array(scratch, int, 3 * count + 1);
    s.beyond = arena_alloc(a, sizeof *s.beyond * (size_t)(count + 1));
    s.sharp = arena_alloc(a, sizeof *s.sharp * (size_t)(count + 1));
    s.flat = arena_array(a, int, count + 1);
    find_neighbours(scratch, &s);
    for (int i = 0; i < count; i++)
        normal[i] = normal_of(s.mesh, i), s.flat[i] = -1;
    for (int i = 0; i < count; i++) {
        if (s.flat[i] < 0)
            spread(&s, normal, i, pieces++, waiting);
        for (int k = 0; k < 3; k++) {
            int next = s.beyond[i][k];
            s.closed &= next >= 0;
            s.sharp[i][k] = next < 0 || vector_dot(normal[i], normal[next]) < SHARP;
        }
    }
    arena_free(scratch);
    for (int i = 0; i < s.mesh->points.count; i++) {
        const double *p = s.mesh->points.at[i].at;
        s.low = i ? (vector){fmin(s.low.x, p[0]), fmin(s.low.y, p[1]), fmin(s.low.z, p[2])}
                  : (vector){p[0], p[1], p[2]};
        s.high = i ? (vector){fmax(s.high.x, p[0]), fmax(s.high.y, p[1]), fmax(s.high.z, p[2])}
                   : (vector){p[0], p[1], p[2]};
    }
    return s;
}

double mesh_reach(const mesh_shape *s, const double *scale) {
    double most = 0;
    for (int i = 0; i < s->mesh->points.count; i++) {
        const double *p = s->mesh->points.at[i].at;
        most = fmax(most, hypot(hypot(p[0] * scale[0], p[1] * scale[1]), p[2] * scale[2]));
    }
    return most;
}

// ---- as it is seen: z towards us

static vector seen(const mesh_pose *p, const double *at) {
    vector v = {at[0] * p->scale[0], at[1] * p->scale[1], at[2] * p->scale[2]};
    v = vector_sum(p->at, rotation_apply(p->turn, v));
    return (vector){vector_dot(v, p->right), vector_dot(v, p->up), vector_dot(v, p->back)};
}

vector *mesh_points(arena *a, const mesh_shape *s, const mesh_pose *pose) {
    vector *out = arena_array(a, vector, s->mesh->points.count + 1);
    for (int i = 0; i < s->mesh->points.count; i++)
        out[i] = seen(pose, s->mesh->points.at[i].at);
    return out;
}

// all parts as one
typedef struct {
    arena *arena;
    int points, faces, pieces;
    vector *at; // (points)
    // (faces)
    int (*corner)[3], (*beyond)[3], *flat, *part;
    bool (*sharp)[3], *front; // front: it is painted
    vector *normal;           // towards us
    // the grid
    double fine; // depths that are the same
    double left, bottom, cell;
    int across;        // cells in a row, and in all rows
    int *first, *list; // of each cell, where its faces begin in the list
} viewer;

static vector at_corner(const viewer *v, int face, int k) {
    return v->at[v->corner[face][k % 3]];
}

static double turn_of(vector a, vector b, double x, double y) {
    return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}

static void look_at_face(viewer *v, int face, const mesh_part *p) {
    bool mirrored = p->pose.scale[0] * p->pose.scale[1] * p->pose.scale[2] < 0;
    vector a = at_corner(v, face, 0);
    vector n = vector_cross(vector_difference(at_corner(v, face, 1), a),
                            vector_difference(at_corner(v, face, 2), a));
    double length = vector_norm(n);
    n = vector_scaled(length > 0 ? (mirrored ? -1 : 1) / length : 0, n);
    if (n.z < 0 && !p->shape->closed)
        n = vector_scaled(-1, n);
    v->normal[face] = n;
    v->front[face] = n.z > EDGE_ON;
}

static void add_part(viewer *v, const mesh_part *p, int number) {
    const mesh_shape *s = p->shape;
    const vector *at = mesh_points(v->arena, s, &p->pose);
    int pieces = v->pieces;
    for (int i = 0; i < s->mesh->points.count; i++)
        v->at[v->points + i] = at[i];
    for (int i = 0; i < s->mesh->faces.count; i++) {
        int face = v->faces + i;
        for (int k = 0; k < 3; k++) {
            v->corner[face][k] = v->points + s->mesh->faces.at[i].corner[k];
            v->beyond[face][k] = s->beyond[i][k] < 0 ? -1 : v->faces + s->beyond[i][k];
            v->sharp[face][k] = s->sharp[i][k];
        }
        v->part[face] = number;
        v->flat[face] = pieces + s->flat[i];
        v->pieces = v->flat[face] >= v->pieces ? v->flat[face] + 1 : v->pieces;
        look_at_face(v, face, p);
    }
    v->points += s->mesh->points.count;
    v->faces += s->mesh->faces.count;
}

static void lay_grid(viewer *v) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < v->points; i++) {
        double p[3] = {v->at[i].x, v->at[i].y, v->at[i].z};
        for (int k = 0; k < 3; k++)
            low[k] = fmin(low[k], p[k]), high[k] = fmax(high[k], p[k]);
    }
    double size = fmax(high[0] - low[0], high[1] - low[1]);
    v->fine = FINE * fmax(size, high[2] - low[2]);
    v->left = low[0], v->bottom = low[1];
    v->across = (int)fmax(1, fmin(300, sqrt(v->faces)));
    v->cell = size > 0 ? size / v->across * (1 + 1e-9) : 1;
}

// ---- the grid

typedef struct {
    int from[2], to[2];
} cells;

static int cell_of(const viewer *v, double x, double low) {
    return (int)fmax(0, fmin(v->across - 1, floor((x - low) / v->cell)));
}

static cells cells_about(const viewer *v, double x0, double y0, double x1, double y1) {
    return (cells){{cell_of(v, x0, v->left), cell_of(v, y0, v->bottom)},
                   {cell_of(v, x1, v->left), cell_of(v, y1, v->bottom)}};
}

static cells cells_of_face(const viewer *v, int face) {
    vector a = at_corner(v, face, 0), b = at_corner(v, face, 1), c = at_corner(v, face, 2);
    return cells_about(v, fmin(a.x, fmin(b.x, c.x)), fmin(a.y, fmin(b.y, c.y)), fmax(a.x, fmax(b.x, c.x)),
                       fmax(a.y, fmax(b.y, c.y)));
}

// counts first, then enters
static void fill_grid(viewer *v) {
    int all = v->across * v->across, *next = arena_array(v->arena, int, all + 1);
    v->first = arena_array(v->arena, int, all + 1);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < v->faces; i++) {
            cells c = cells_of_face(v, i);
            for (int y = c.from[1]; v->front[i] && y <= c.to[1]; y++)
                for (int x = c.from[0]; x <= c.to[0]; x++)
                    if (pass)
                        v->list[next[y * v->across + x]++] = i;
                    else
                        v->first[y * v->across + x + 1]++;
        }
        for (int i = 0; i < all && !pass; i++) {
            next[i] = v->first[i];
            v->first[i + 1] += v->first[i];
        }
        if (!pass)
            v->list = arena_array(v->arena, int, v->first[all] + 1);
    }
}

// ---- which of two is nearer

// the part of a polygon on the left of the line from a to b
static int clip(const vector *in, int count, vector a, vector b, vector *out) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
        vector p = in[i], q = in[(i + 1) % count];
        double d = turn_of(a, b, p.x, p.y), e = turn_of(a, b, q.x, q.y);
        if (d >= 0)
            out[kept++] = p;
        if ((d > 0 && e < 0) || (d < 0 && e > 0))
            out[kept++] = vector_sum(p, vector_scaled(d / (d - e), vector_difference(q, p)));
    }
    return kept;
}

static double depth_at(const viewer *v, int face, double x, double y) {
    vector a = at_corner(v, face, 0), n = v->normal[face];
    return a.z - (n.x * (x - a.x) + n.y * (y - a.y)) / n.z;
}

// > 0: the first hides the second, < 0: the other way round, 0: neither
static double hides(const viewer *v, int first, int second) {
    enum { MOST = 12 };
    vector room[2][MOST];
    vector t[3] = {at_corner(v, second, 0), at_corner(v, second, 1), at_corner(v, second, 2)};
    double way = turn_of(t[0], t[1], t[2].x, t[2].y);
    int count = 3;
    for (int k = 0; k < 3; k++)
        room[0][k] = at_corner(v, first, k);
    for (int k = 0; k < 3 && count > 2; k++)
        count = way > 0 ? clip(room[k % 2], count, t[k], t[(k + 1) % 3], room[(k + 1) % 2])
                        : clip(room[k % 2], count, t[(k + 1) % 3], t[k], room[(k + 1) % 2]);
    double area = 0, x = 0, y = 0;
    const vector *c = room[1];
    for (int i = 0; i < count; i++) {
        x += c[i].x / count, y += c[i].y / count;
        area += c[i].x * c[(i + 1) % count].y - c[i].y * c[(i + 1) % count].x;
    }
    if (count < 3 || fabs(area) < v->fine * v->cell)
        return 0;
    double apart = depth_at(v, first, x, y) - depth_at(v, second, x, y);
    return fabs(apart) > v->fine ? apart : 0;
}

// ---- pieces, from the farthest on

typedef struct {
    int before, after, next; // the next with the same `before`
} precedence;

typedef struct {
    int *first, *missing; // (pieces) of precedences; how many must still come before
    double *depth;
    vec(precedence) all;
} order;

static void precede(viewer *v, order *o, int before, int after) {
    precedence p = {before, after, o->first[before]};
    o->first[before] = o->all.count;
    vec_push(v->arena, o->all, p);
    o->missing[after]++;
}

static void compare_cell(viewer *v, order *o, int cell) {
    const int *flat = v->flat;
    int from = v->first[cell], to = v->first[cell + 1];
    for (int i = from; i < to; i++)
        for (int k = from; k < i; k++) {
            int a = v->list[i], b = v->list[k];
            double first = flat[a] == flat[b] ? 0 : hides(v, a, b);
            if (first > 0)
                precede(v, o, flat[b], flat[a]);
            if (first < 0)
                precede(v, o, flat[a], flat[b]);
        }
}

typedef struct {
    int piece;
    double depth;
} ranked;

static int by_depth(const void *a, const void *b) {
    const ranked *p = a, *q = b;
    return p->depth < q->depth ? -1 : p->depth > q->depth ? 1 : p->piece - q->piece;
}

/* Those that nothing must precede, and what they were waited for; where pieces hide each other in turn, the
 * farthest. */
static int *ordered(viewer *v, order *o, int pieces) {
    ranked *by = arena_array(v->arena, ranked, pieces + 1);
    int *out = arena_array(v->arena, int, pieces + 1), *ready = arena_array(v->arena, int, pieces + 1);
    bool *done = arena_array(v->arena, bool, pieces + 1);
    int count = 0, waiting = 0;
    for (int i = 0; i < pieces; i++)
        by[i] = (ranked){i, o->depth[i]};
    qsort(by, (size_t)pieces, sizeof *by, by_depth);
    for (int i = 0; i < pieces; i++) {
        for (int k = pieces - 1; i == 0 && k >= 0; k--)
            if (o->missing[by[k].piece] == 0)
                ready[waiting++] = by[k].piece;
        if (!done[by[i].piece] && waiting == 0)
            ready[waiting++] = by[i].piece;
        while (waiting > 0) {
            int piece = ready[--waiting];
            if (done[piece])
                continue;
            done[piece] = true;
            out[count++] = piece;
            for (int p = o->first[piece]; p >= 0; p = o->all.at[p].next)
                if (--o->missing[o->all.at[p].after] == 0)
                    ready[waiting++] = o->all.at[p].after;
        }
    }
    return out;
}

// ---- borders of pieces

typedef struct {
    int from, to, next; // the next that begins there
} border;

typedef struct {
    vec(border) all;
    int *begins; // (points) the first border from there; -1
} borders;

static void add_borders(viewer *v, borders *b, int face) {
    const int *c = v->corner[face];
    for (int k = 0; k < 3; k++) {
        int next = v->beyond[face][k];
        if (next >= 0 && v->flat[next] == v->flat[face] && v->front[next])
            continue;
        border e = {c[k], c[(k + 1) % 3], b->begins[c[k]]};
        b->begins[c[k]] = b->all.count;
        vec_push(v->arena, b->all, e);
    }
}

static void put_loops(viewer *v, arena *a, borders *b, mesh_piece *out) {
    for (int i = 0; i < b->all.count; i++) {
        point_list l = {0};
        for (int at = b->all.at[i].from; b->begins[at] >= 0;) {
            const border *e = &b->all.at[b->begins[at]];
            b->begins[at] = e->next;
            vec_push(a, l, ((point){v->at[at].x, v->at[at].y}));
            at = e->to;
        }
        if (l.count > 2)
            vec_push(a, out->loops, l);
    }
    b->all.count = 0;
}

static vector in_world(const mesh_pose *p, vector n) {
    vector across = vector_sum(vector_scaled(n.x, p->right), vector_scaled(n.y, p->up));
    return vector_sum(across, vector_scaled(n.z, p->back));
}

static void put_pieces(viewer *v, const mesh_part *parts, arena *a, mesh_picture *out) {
    int faces = v->faces, points = v->points, pieces = v->pieces;
    order o = {.first = arena_array(v->arena, int, pieces + 1),
               .missing = arena_array(v->arena, int, pieces + 1),
               .depth = arena_doubles(v->arena, (size_t)pieces + 1)};
    int *member = arena_array(v->arena, int, pieces + 1), *next = arena_array(v->arena, int, faces + 1);
    borders b = {.begins = arena_array(v->arena, int, points + 1)};
    for (int i = 0; i < points; i++)
        b.begins[i] = -1;
    for (int i = 0; i < pieces; i++)
        o.first[i] = member[i] = -1, o.depth[i] = INFINITY;
    for (int i = 0; i < faces; i++) {
        if (!v->front[i])
            continue;
        next[i] = member[v->flat[i]], member[v->flat[i]] = i;
        for (int k = 0; k < 3; k++)
            o.depth[v->flat[i]] = fmin(o.depth[v->flat[i]], at_corner(v, i, k).z);
    }
    for (int cell = 0; cell < v->across * v->across; cell++)
        compare_cell(v, &o, cell);
    const int *sorted = ordered(v, &o, pieces);
    for (int i = 0; i < pieces; i++) {
        mesh_piece piece = {0};
        for (int f = member[sorted[i]]; f >= 0; f = next[f]) {
            add_borders(v, &b, f);
            piece.part = v->part[f];
            piece.normal = in_world(&parts[piece.part].pose, v->normal[f]);
        }
        put_loops(v, a, &b, &piece);
        if (piece.loops.count)
            vec_push(a, out->pieces, piece);
    }
}

// ---- lines

typedef struct {
    double from, to;
} interval;

static int by_start(const void *a, const void *b) {
    double x = ((const interval *)a)->from, y = ((const interval *)b)->from;
    return x < y ? -1 : x > y;
}

// where c + t d > 0
static void narrow(interval *t, double c, double d) {
    double at = -c / d;
    if (d > 0)
        t->from = fmax(t->from, at);
    else if (d < 0)
        t->to = fmin(t->to, at);
    else if (c <= 0)
        t->to = t->from;
}

// of the way from a to b, what a face hides
static interval hidden_by(const viewer *v, int face, vector a, vector b) {
    interval t = {0, 1};
    vector c[3] = {at_corner(v, face, 0), at_corner(v, face, 1), at_corner(v, face, 2)};
    double way = turn_of(c[0], c[1], c[2].x, c[2].y) > 0 ? 1 : -1;
    for (int k = 0; k < 3; k++) {
        double start = way * turn_of(c[k], c[(k + 1) % 3], a.x, a.y);
        narrow(&t, start, way * turn_of(c[k], c[(k + 1) % 3], b.x, b.y) - start);
    }
    double start = depth_at(v, face, a.x, a.y) - a.z - 10 * v->fine;
    narrow(&t, start, depth_at(v, face, b.x, b.y) - b.z - 10 * v->fine - start);
    return t;
}

static void put_line(viewer *v, arena *a, mesh_picture *out, int face, int side) {
    static const double LEAST = 1e-6;
    vec(interval) hidden = {0};
    int beyond = v->beyond[face][side];
    vector p = at_corner(v, face, side), q = at_corner(v, face, side + 1);
    cells c = cells_about(v, fmin(p.x, q.x), fmin(p.y, q.y), fmax(p.x, q.x), fmax(p.y, q.y));
    for (int y = c.from[1]; y <= c.to[1]; y++)
        for (int x = c.from[0]; x <= c.to[0]; x++) {
            int cell = y * v->across + x;
            for (int i = v->first[cell]; i < v->first[cell + 1]; i++) {
                if (v->list[i] == face || v->list[i] == beyond)
                    continue;
                interval t = hidden_by(v, v->list[i], p, q);
                if (t.to > t.from + LEAST)
                    vec_push(v->arena, hidden, t);
            }
        }
    if (hidden.count)
        qsort(hidden.at, (size_t)hidden.count, sizeof *hidden.at, by_start);
    double from = 0;
    for (int i = 0; i <= hidden.count; i++) {
        double to = i < hidden.count ? hidden.at[i].from : 1;
        if (to > from + LEAST) {
            mesh_line l = {v->part[face],
                           {p.x + from * (q.x - p.x), p.y + from * (q.y - p.y)},
                           {p.x + to * (q.x - p.x), p.y + to * (q.y - p.y)}};
            vec_push(a, out->lines, l);
        }
        from = i < hidden.count ? fmax(from, hidden.at[i].to) : from;
    }
}

static bool is_line(const viewer *v, int face, int side) {
    int beyond = v->beyond[face][side];
    if (!v->front[face] || (beyond >= 0 && v->front[beyond] && face > beyond))
        return false;
    return v->sharp[face][side] || !v->front[beyond];
}

mesh_picture mesh_seen(arena *a, const mesh_part *parts, int count) {
    mesh_picture out = {0};
    arena *scratch = arena_child(a);
    viewer v = {.arena = scratch};
    int points = 1, faces = 1;
    for (int i = 0; i < count; i++) {
        points += parts[i].shape->mesh->points.count;
        faces += parts[i].shape->mesh->faces.count;
    }
    v.at = arena_array(scratch, vector, points);
    v.corner = arena_alloc(scratch, sizeof *v.corner * (size_t)faces);
    v.beyond = arena_alloc(scratch, sizeof *v.beyond * (size_t)faces);
    v.sharp = arena_alloc(scratch, sizeof *v.sharp * (size_t)faces);
    v.flat = arena_array(scratch, int, faces);
    v.part = arena_array(scratch, int, faces);
    v.front = arena_array(scratch, bool, faces);
    v.normal = arena_array(scratch, vector, faces);
    for (int i = 0; i < count; i++)
        add_part(&v, &parts[i], i);
    lay_grid(&v);
    fill_grid(&v);
    put_pieces(&v, parts, a, &out);
    for (int i = 0; i < v.faces; i++)
        for (int k = 0; k < 3; k++)
            if (is_line(&v, i, k))
                put_line(&v, a, &out, i, k);
    arena_free(scratch);
    return out;
}

double mesh_front(const mesh_shape *s, const vector *points, point at) {
    double best = -INFINITY;
    for (int i = 0; i < s->mesh->faces.count; i++) {
        const int *c = s->mesh->faces.at[i].corner;
        double area = turn_of(points[c[0]], points[c[1]], points[c[2]].x, points[c[2]].y), z = 0;
        bool inside = area != 0;
        for (int k = 0; k < 3 && inside; k++) {
            double part = turn_of(points[c[k]], points[c[(k + 1) % 3]], at.x, at.y) / area;
            inside = part >= 0;
            z += part * points[c[(k + 2) % 3]].z;
        }
        if (inside)
            best = fmax(best, z);
    }
    return best;
}
