#include "report/scene/drawing.h"

#include <math.h>

mark mark_new(mark_kind kind) {
    return (mark){.kind = kind, .fill = NO_PAINT, .glow = NO_PAINT, .stroke = NO_PAINT};
}

void mark_loop(arena *a, mark *m, const point *points, int count) {
    point_list l = {0};
    for (int i = 0; i < count; i++)
        vec_push(a, l, points[i]);
    vec_push(a, m->loops, l);
}

point mark_point(const mark *m, point p) {
    double c = cos(m->angle), s = sin(m->angle);
    return m->framed ? (point){m->at.x + c * p.x - s * p.y, m->at.y + s * p.x + c * p.y} : p;
}

frame frame_none(void) {
    return (frame){INFINITY, -INFINITY, INFINITY, -INFINITY};
}

void frame_add(frame *f, point p, double reach) {
    f->left = fmin(f->left, p.x - reach), f->right = fmax(f->right, p.x + reach);
    f->bottom = fmin(f->bottom, p.y - reach), f->top = fmax(f->top, p.y + reach);
}

frame drawing_frame(const drawing *d) {
    frame f = frame_none();
    for (int i = 0; i < d->marks.count; i++) {
        const mark *m = &d->marks.at[i];
        if (m->loose)
            continue;
        if (m->kind != MARK_PATH)
            frame_add(&f, m->at, m->kind == MARK_CIRCLE ? m->radius : 0);
        for (int k = 0; k < m->loops.count; k++)
            for (int n = 0; n < m->loops.at[k].count; n++)
                frame_add(&f, mark_point(m, m->loops.at[k].at[n]), m->thick / 2);
    }
    return f;
}

double frame_width(const frame *f) {
    return f->right - f->left;
}

double frame_height(const frame *f) {
    return f->top - f->bottom;
}

double panel_width_of(const panel_of_scene *p, const mark *m) {
    return m->width + p->scale * m->thick;
}
