/* An area is filled line by line: where a line, one of LINES for a row of pixels, crosses its edges; how much
 * of each pixel lies between is its cover. Lines are areas, too: a rectangle for each piece, and discs where
 * they meet, of which it matters only that one covers a place. Texts are made of dots, five by seven for a
 * letter. */
#include "report/scene/pixels.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 4, ROUND = 24, DASHED_MOST = 4000 };
static const double LETTERS = 2.9, DASH = 1.2; // mm
static const double TURN = 6.283185307179586;

typedef struct {
    point a, b;
} edge;

typedef struct {
    double x;
    int way; // 1 upwards, -1 downwards
} crossing;

typedef struct {
    pixels *to;
    const panel_of_scene *panel;
    double dots;
    arena *arena;
    vec(edge) edges;
    bool winding; // filled where anything winds round it; else between edges, in turn
    vec(crossing) crossings;
    double *cover;                // (width) of a row
    int left, right, top, bottom; // pixels to which it is cut
} painter;

pixels pixels_new(arena *a, int width, int height) {
    return (pixels){width, height, arena_alloc(a, (size_t)width * (size_t)height * 3)};
}

static point placed(const painter *k, const mark *m, point p) {
    p = mark_point(m, p);
    return (point){k->dots * (k->panel->x + k->panel->scale * p.x),
                   k->dots * (k->panel->y - k->panel->scale * p.y)};
}

static void add_edge(painter *k, point a, point b) {
    if (isfinite(a.x + a.y + b.x + b.y) && a.y != b.y)
        vec_push(k->arena, k->edges, ((edge){a, b}));
}

static void add_polygon(painter *k, const point *at, int count) {
    for (int i = 0; i < count; i++)
        add_edge(k, at[i], at[(i + 1) % count]);
}

static void add_disc(painter *k, point c, double r) {
    point at[ROUND];
    for (int i = 0; i < ROUND; i++)
        at[i] = (point){c.x + r * cos(TURN * i / ROUND), c.y + r * sin(TURN * i / ROUND)};
    add_polygon(k, at, ROUND);
}

// ---- filling

static int by_x(const void *a, const void *b) {
    const crossing *c = a, *d = b;
    return c->x < d->x ? -1 : c->x > d->x;
}

static void cover_between(painter *k, double from, double to) {
    from = fmax(from, k->left), to = fmin(to, k->right);
    if (!(to > from))
        return;
    int first = (int)floor(from), last = (int)floor(to);
    if (first == last) {
        k->cover[first] += (to - from) / LINES;
        return;
    }
    k->cover[first] += (first + 1 - from) / LINES;
    for (int x = first + 1; x < last; x++)
        k->cover[x] += 1.0 / LINES;
    if (last < k->right)
        k->cover[last] += (to - last) / LINES;
}

static void cover_line(painter *k, double y) {
    int wound = 0;
    k->crossings.count = 0;
    for (int i = 0; i < k->edges.count; i++) {
        const edge *e = &k->edges.at[i];
        if ((e->a.y > y) == (e->b.y > y))
            continue;
        crossing c = {e->a.x + (y - e->a.y) / (e->b.y - e->a.y) * (e->b.x - e->a.x),
                      e->b.y > e->a.y ? 1 : -1};
        vec_push(k->arena, k->crossings, c);
    }
    if (k->crossings.count > 1)
        qsort(k->crossings.at, (size_t)k->crossings.count, sizeof *k->crossings.at, by_x);
    for (int i = 0; i + 1 < k->crossings.count; i++) {
        wound += k->winding ? k->crossings.at[i].way : 1;
        if (k->winding ? wound != 0 : wound % 2)
            cover_between(k, k->crossings.at[i].x, k->crossings.at[i + 1].x);
    }
}

/* The colour of a place: of one, or of what goes from one to another where light falls. */
typedef struct {
    int fill, glow;
    double x, y, wide, high; // of what glows, pixels
} ink;

static void colour_at(const ink *c, double x, double y, double *rgb) {
    double part = 0;
    if (c->glow != NO_PAINT)
        part = 1 - fmin(1, hypot((x - c->x) / c->wide - 0.36, (y - c->y) / c->high - 0.3) / 0.75);
    for (int k = 0; k < 3; k++) {
        int shift = 16 - 8 * k, from = c->fill >> shift & 255, to = c->glow >> shift & 255;
        rgb[k] = c->glow == NO_PAINT ? from : from + (to - from) * part;
    }
}

static void put_row(painter *k, int y, const ink *c) {
    for (int x = k->left; x < k->right; x++) {
        double part = fmin(1, k->cover[x]), rgb[3];
        if (part <= 0)
            continue;
        unsigned char *at = k->to->rgb + 3 * ((size_t)y * (size_t)k->to->width + (size_t)x);
        colour_at(c, x + 0.5, y + 0.5, rgb);
        for (int n = 0; n < 3; n++)
            at[n] = (unsigned char)lround(at[n] + (rgb[n] - at[n]) * part);
        k->cover[x] = 0;
    }
}

// fills what the edges enclose, and forgets them
static void fill(painter *k, const ink *c) {
    double top = INFINITY, bottom = -INFINITY;
    for (int i = 0; i < k->edges.count; i++) {
        top = fmin(top, fmin(k->edges.at[i].a.y, k->edges.at[i].b.y));
        bottom = fmax(bottom, fmax(k->edges.at[i].a.y, k->edges.at[i].b.y));
    }
    int first = (int)fmax(k->top, floor(top)), last = (int)fmin(k->bottom - 1, floor(bottom));
    for (int y = first; y <= last && k->edges.count; y++) {
        for (int line = 0; line < LINES; line++)
            cover_line(k, y + (line + 0.5) / LINES);
        put_row(k, y, c);
    }
    k->edges.count = 0;
}

// ---- lines

static void add_piece(painter *k, point a, point b, double half) {
    double length = hypot(b.x - a.x, b.y - a.y);
    if (length > 0) {
        double x = -(b.y - a.y) / length * half, y = (b.x - a.x) / length * half;
        point at[] = {{a.x - x, a.y - y}, {b.x - x, b.y - y}, {b.x + x, b.y + y}, {a.x + x, a.y + y}};
        add_polygon(k, at, 4);
    }
}

// every other piece of so many pixels
static void add_dashes(painter *k, point a, point b, double half, double *walked) {
    double length = hypot(b.x - a.x, b.y - a.y), dash = DASH * k->dots, at = 0;
    for (int i = 0; i < DASHED_MOST && at < length; i++) {
        double phase = fmod(*walked + at, 2 * dash),
               step = fmin(length - at, dash - fmod(phase, dash) + 1e-9);
        point from = {a.x + (b.x - a.x) * at / length, a.y + (b.y - a.y) * at / length};
        at += step;
        if (phase < dash)
            add_piece(k, from, (point){a.x + (b.x - a.x) * at / length, a.y + (b.y - a.y) * at / length},
                      half);
    }
    *walked += length;
}

static void add_loop_line(painter *k, const mark *m, const point_list *l, double half) {
    double walked = 0;
    for (int i = 0; i < l->count; i++) {
        point a = placed(k, m, l->at[i]), b = placed(k, m, l->at[(i + 1) % l->count]);
        bool last = i + 1 == l->count && !m->closed;
        if (!m->dashed)
            add_disc(k, a, half);
        if (!last && m->dashed)
            add_dashes(k, a, b, half, &walked);
        else if (!last)
            add_piece(k, a, b, half);
    }
}

static void put_line(painter *k, const mark *m) {
    double half = fmax(0.35, k->dots * panel_width_of(k->panel, m) / 2);
    ink c = {m->stroke, NO_PAINT, 0, 0, 0, 0};
    k->winding = true;
    if (m->kind == MARK_CIRCLE) {
        double r = k->dots * k->panel->scale * m->radius;
        point at = placed(k, m, m->at);
        k->winding = false;
        add_disc(k, at, r + half);
        if (r > half)
            add_disc(k, at, r - half);
    }
    for (int i = 0; i < m->loops.count; i++)
        add_loop_line(k, m, &m->loops.at[i], half);
    fill(k, &c);
}

static void put_area(painter *k, const mark *m) {
    frame f = frame_none();
    if (m->kind == MARK_CIRCLE)
        add_disc(k, placed(k, m, m->at), k->dots * k->panel->scale * m->radius);
    for (int i = 0; i < m->loops.count; i++)
        for (int n = 0; n < m->loops.at[i].count; n++)
            add_edge(k, placed(k, m, m->loops.at[i].at[n]),
                     placed(k, m, m->loops.at[i].at[(n + 1) % m->loops.at[i].count]));
    for (int i = 0; i < k->edges.count; i++)
        frame_add(&f, k->edges.at[i].a, 0);
    ink c = {m->fill, m->glow, f.left, f.bottom, fmax(1, frame_width(&f)), fmax(1, frame_height(&f))};
    k->winding = false;
    fill(k, &c);
}

// ---- texts

/* Letters from ' ' to '~', by columns, the lowest bit on top. */
static const unsigned char letters[][5] = {
    {0x00, 0x00, 0x00, 0x00, 0x00}, {0x00, 0x00, 0x5F, 0x00, 0x00}, {0x00, 0x07, 0x00, 0x07, 0x00},
    {0x14, 0x7F, 0x14, 0x7F, 0x14}, {0x24, 0x2A, 0x7F, 0x2A, 0x12}, {0x23, 0x13, 0x08, 0x64, 0x62},
    {0x36, 0x49, 0x56, 0x20, 0x50}, {0x00, 0x08, 0x07, 0x03, 0x00}, {0x00, 0x1C, 0x22, 0x41, 0x00},
    {0x00, 0x41, 0x22, 0x1C, 0x00}, {0x2A, 0x1C, 0x7F, 0x1C, 0x2A}, {0x08, 0x08, 0x3E, 0x08, 0x08},
    {0x00, 0x50, 0x30, 0x00, 0x00}, {0x08, 0x08, 0x08, 0x08, 0x08}, {0x00, 0x60, 0x60, 0x00, 0x00},
    {0x20, 0x10, 0x08, 0x04, 0x02}, {0x3E, 0x51, 0x49, 0x45, 0x3E}, {0x00, 0x42, 0x7F, 0x40, 0x00},
    {0x72, 0x49, 0x49, 0x49, 0x46}, {0x21, 0x41, 0x49, 0x4D, 0x33}, {0x18, 0x14, 0x12, 0x7F, 0x10},
    {0x27, 0x45, 0x45, 0x45, 0x39}, {0x3C, 0x4A, 0x49, 0x49, 0x31}, {0x41, 0x21, 0x11, 0x09, 0x07},
    {0x36, 0x49, 0x49, 0x49, 0x36}, {0x46, 0x49, 0x49, 0x29, 0x1E}, {0x00, 0x00, 0x14, 0x00, 0x00},
    {0x00, 0x40, 0x34, 0x00, 0x00}, {0x00, 0x08, 0x14, 0x22, 0x41}, {0x14, 0x14, 0x14, 0x14, 0x14},
    {0x00, 0x41, 0x22, 0x14, 0x08}, {0x02, 0x01, 0x59, 0x09, 0x06}, {0x3E, 0x41, 0x5D, 0x59, 0x4E},
    {0x7C, 0x12, 0x11, 0x12, 0x7C}, {0x7F, 0x49, 0x49, 0x49, 0x36}, {0x3E, 0x41, 0x41, 0x41, 0x22},
    {0x7F, 0x41, 0x41, 0x41, 0x3E}, {0x7F, 0x49, 0x49, 0x49, 0x41}, {0x7F, 0x09, 0x09, 0x09, 0x01},
    {0x3E, 0x41, 0x41, 0x51, 0x73}, {0x7F, 0x08, 0x08, 0x08, 0x7F}, {0x00, 0x41, 0x7F, 0x41, 0x00},
    {0x20, 0x40, 0x41, 0x3F, 0x01}, {0x7F, 0x08, 0x14, 0x22, 0x41}, {0x7F, 0x40, 0x40, 0x40, 0x40},
    {0x7F, 0x02, 0x1C, 0x02, 0x7F}, {0x7F, 0x04, 0x08, 0x10, 0x7F}, {0x3E, 0x41, 0x41, 0x41, 0x3E},
    {0x7F, 0x09, 0x09, 0x09, 0x06}, {0x3E, 0x41, 0x51, 0x21, 0x5E}, {0x7F, 0x09, 0x19, 0x29, 0x46},
    {0x26, 0x49, 0x49, 0x49, 0x32}, {0x03, 0x01, 0x7F, 0x01, 0x03}, {0x3F, 0x40, 0x40, 0x40, 0x3F},
    {0x1F, 0x20, 0x40, 0x20, 0x1F}, {0x3F, 0x40, 0x38, 0x40, 0x3F}, {0x63, 0x14, 0x08, 0x14, 0x63},
    {0x03, 0x04, 0x78, 0x04, 0x03}, {0x61, 0x59, 0x49, 0x4D, 0x43}, {0x00, 0x7F, 0x41, 0x41, 0x41},
    {0x02, 0x04, 0x08, 0x10, 0x20}, {0x00, 0x41, 0x41, 0x41, 0x7F}, {0x04, 0x02, 0x01, 0x02, 0x04},
    {0x40, 0x40, 0x40, 0x40, 0x40}, {0x00, 0x03, 0x07, 0x08, 0x00}, {0x20, 0x54, 0x54, 0x78, 0x40},
    {0x7F, 0x28, 0x44, 0x44, 0x38}, {0x38, 0x44, 0x44, 0x44, 0x28}, {0x38, 0x44, 0x44, 0x28, 0x7F},
    {0x38, 0x54, 0x54, 0x54, 0x18}, {0x00, 0x08, 0x7E, 0x09, 0x02}, {0x18, 0xA4, 0xA4, 0x9C, 0x78},
    {0x7F, 0x08, 0x04, 0x04, 0x78}, {0x00, 0x44, 0x7D, 0x40, 0x00}, {0x20, 0x40, 0x40, 0x3D, 0x00},
    {0x7F, 0x10, 0x28, 0x44, 0x00}, {0x00, 0x41, 0x7F, 0x40, 0x00}, {0x7C, 0x04, 0x78, 0x04, 0x78},
    {0x7C, 0x08, 0x04, 0x04, 0x78}, {0x38, 0x44, 0x44, 0x44, 0x38}, {0xFC, 0x18, 0x24, 0x24, 0x18},
    {0x18, 0x24, 0x24, 0x18, 0xFC}, {0x7C, 0x08, 0x04, 0x04, 0x08}, {0x48, 0x54, 0x54, 0x54, 0x24},
    {0x04, 0x04, 0x3F, 0x44, 0x24}, {0x3C, 0x40, 0x40, 0x20, 0x7C}, {0x1C, 0x20, 0x40, 0x20, 0x1C},
    {0x3C, 0x40, 0x30, 0x40, 0x3C}, {0x44, 0x28, 0x10, 0x28, 0x44}, {0x4C, 0x90, 0x90, 0x90, 0x7C},
    {0x44, 0x64, 0x54, 0x4C, 0x44}, {0x00, 0x08, 0x36, 0x41, 0x00}, {0x00, 0x00, 0x77, 0x00, 0x00},
    {0x00, 0x41, 0x36, 0x08, 0x00}, {0x02, 0x01, 0x02, 0x04, 0x02}};
static const unsigned char unknown[5] = {0x7F, 0x41, 0x41, 0x41, 0x7F};

static void put_text(painter *k, const mark *m) {
    point at = placed(k, m, m->at);
    double dot = k->dots * LETTERS / 10;
    ink c = {m->fill, NO_PAINT, 0, 0, 0, 0};
    k->winding = true;
    for (const char *s = m->text; *s; at.x += 6 * dot) {
        int length = text_character(s);
        const unsigned char *letter = *s >= ' ' && *s <= '~' ? letters[*s - ' '] : unknown;
        for (int x = 0; x < 5; x++)
            for (int y = 0; y < 8; y++) {
                double left = at.x + x * dot, top = at.y - (7 - y) * dot;
                point square[] = {{left, top}, {left + dot, top}, {left + dot, top + dot}, {left, top + dot}};
                if (letter[x] >> y & 1)
                    add_polygon(k, square, 4);
            }
        s += length ? length : 1;
    }
    fill(k, &c);
}

void pixels_paint(pixels *to, const panel_of_scene *p, double dots, arena *scratch) {
    painter k = {.to = to, .panel = p, .dots = dots, .arena = scratch};
    k.cover = arena_doubles(scratch, (size_t)to->width + 1);
    k.right = to->width, k.bottom = to->height;
    memset(to->rgb, 255, (size_t)to->width * (size_t)to->height * 3);
    for (int i = 0; i < p->drawing->marks.count; i++) {
        const mark *m = &p->drawing->marks.at[i];
        if (m->kind == MARK_TEXT)
            put_text(&k, m);
        else if (m->fill != NO_PAINT)
            put_area(&k, m);
        if (m->stroke != NO_PAINT && m->kind != MARK_TEXT)
            put_line(&k, m);
    }
}
