/* Coordinates are whole numbers of grains of paper, so that they are short. */
#include "report/scene/write.h"

#include <math.h>
#include <string.h>

static const double STILL_GRAIN = 0.01, FILM_GRAIN = 0.05; // mm
static const double CAPTION = 3.2, LETTERS = 2.9;          // mm

typedef struct {
    text *out;
    const panel_of_scene *panel;
    double grain;
    int clip;
} writer;

static long grains(const writer *w, double mm) {
    double value = mm / w->grain;
    return isfinite(value) && fabs(value) < 1e9 ? lround(value) : 0;
}

static long across(const writer *w, double x) {
    return grains(w, w->panel->x + w->panel->scale * x);
}

static long down(const writer *w, double y) {
    return grains(w, w->panel->y - w->panel->scale * y);
}

static void put_escaped(text *out, const char *shown) {
    for (const char *c = shown; *c;) {
        int length = text_character(c);
        bool bad = length == 0 || text_is_control(text_code(c, length));
        if (bad)
            text_add(out, "?");
        else if (*c == '<' || *c == '&' || *c == '>' || *c == '"')
            text_print(out, "&#%d;", *c);
        else
            text_add_bytes(out, c, length);
        c += length ? length : 1;
    }
}

// ---- the head

static void put_head(writer *w, const sheet_of_scenes *s, double width, double height) {
    text_print(w->out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.2fmm\" height=\"%.2fmm\" viewBox=\"0 0 "
               "%ld %ld\" "
               "stroke-linejoin=\"round\" stroke-linecap=\"round\" fill-rule=\"evenodd\">\n<title>",
               width, height, grains(w, width), grains(w, height));
    put_escaped(w->out, s->title);
    text_print(w->out, "</title>\n<rect width=\"%ld\" height=\"%ld\" fill=\"#fff\"/>\n", grains(w, width),
               grains(w, height));
}

// what balls and ellipsoids turn to where light falls on them: one gradient for each pair of colours
static void put_glows(writer *w, const sheet_of_scenes *s) {
    vec(long) known = {0};
    for (int p = 0; p < s->count; p++)
        for (int i = 0; i < s->panels[p].drawing->marks.count; i++) {
            const mark *m = &s->panels[p].drawing->marks.at[i];
            long pair = (long)m->fill * (1 << 24) + m->glow;
            bool there = m->glow == NO_PAINT;
            for (int k = 0; k < known.count && !there; k++)
                there = known.at[k] == pair;
            if (there)
                continue;
            vec_push(w->out->arena, known, pair);
            text_print(
                w->out,
                "<radialGradient id=\"g%06x%06x\" cx=\".36\" cy=\".3\" r=\".75\"><stop stop-color=\"#%06x\"/>"
                "<stop offset=\"1\" stop-color=\"#%06x\"/></radialGradient>\n",
                (unsigned)m->fill, (unsigned)m->glow, (unsigned)m->glow, (unsigned)m->fill);
        }
}

// ---- marks

static void put_paint(writer *w, const char *name, int colour) {
    if (colour == NO_PAINT)
        text_print(w->out, " %s=\"none\"", name);
    else
        text_print(w->out, " %s=\"#%06x\"", name, (unsigned)colour);
}

static void put_look(writer *w, const mark *m) {
    if (m->glow != NO_PAINT)
        text_print(w->out, " fill=\"url(#g%06x%06x)\"", (unsigned)m->fill, (unsigned)m->glow);
    else
        put_paint(w, "fill", m->fill);
    if (m->stroke == NO_PAINT)
        return;
    put_paint(w, "stroke", m->stroke);
    text_print(w->out, " stroke-width=\"%ld\"", grains(w, panel_width_of(w->panel, m)));
    if (m->dashed)
        text_print(w->out, " stroke-dasharray=\"%ld\"", grains(w, 1.2));
}

static point placed(const writer *w, const mark *m, point p) {
    if (!m->framed)
        return (point){(double)across(w, p.x), (double)down(w, p.y)};
    return (point){(double)grains(w, w->panel->scale * p.x), (double)grains(w, -w->panel->scale * p.y)};
}

// the first point, and then steps
static void put_path(writer *w, const mark *m) {
    for (int i = 0; i < m->loops.count; i++) {
        point at = {0, 0};
        for (int k = 0; k < m->loops.at[i].count; k++) {
            point p = placed(w, m, m->loops.at[i].at[k]);
            text_print(w->out,
                       k == 0   ? "M%.0f %.0f"
                       : k == 1 ? "l%.0f %.0f"
                                : " %.0f %.0f",
                       p.x - at.x, p.y - at.y);
            at = p;
        }
        if (m->closed)
            text_add(w->out, "z");
    }
}

static void put_turn(writer *w, const mark *m) {
    text_print(w->out, "%.2f", -m->angle * 57.29577951308232 + 0.0);
}

static void put_mark(writer *w, const mark *m) {
    switch (m->kind) {
    case MARK_CIRCLE:
        text_print(w->out, "<circle cx=\"%ld\" cy=\"%ld\" r=\"%ld\"", across(w, m->at.x), down(w, m->at.y),
                   grains(w, w->panel->scale * m->radius));
        break;
    case MARK_TEXT:
        text_print(w->out, "<text x=\"%ld\" y=\"%ld\" font-family=\"sans-serif\" font-size=\"%ld\"",
                   across(w, m->at.x), down(w, m->at.y), grains(w, LETTERS));
        break;
    default:
        text_add(w->out, "<path d=\"");
        put_path(w, m);
        text_add(w->out, "\"");
        if (m->framed) {
            text_print(w->out, " transform=\"translate(%ld %ld) rotate(", across(w, m->at.x),
                       down(w, m->at.y));
            put_turn(w, m);
            text_add(w->out, ")\"");
        }
    }
    put_look(w, m);
}

static void end_mark(writer *w, const mark *m) {
    if (m->kind == MARK_TEXT) {
        text_add(w->out, ">");
        put_escaped(w->out, m->text);
        text_add(w->out, "</text>\n");
    } else
        text_add(w->out, "/>\n");
}

static void put_clip(writer *w, const panel_of_scene *p, int number) {
    text_print(w->out,
               "<clipPath id=\"c%d\"><rect x=\"%ld\" y=\"%ld\" width=\"%ld\" height=\"%ld\"/></clipPath>\n",
               number, grains(w, p->left), grains(w, p->top), grains(w, p->width), grains(w, p->height));
}

void write_svg(text *out, const sheet_of_scenes *s) {
    writer w = {.out = out, .grain = STILL_GRAIN};
    put_head(&w, s, s->width, s->height);
    put_glows(&w, s);
    for (int i = 0; i < s->count; i++) {
        const panel_of_scene *p = w.panel = &s->panels[i];
        put_clip(&w, p, i);
        text_print(out, "<g clip-path=\"url(#c%d)\">\n", i);
        for (int k = 0; k < p->drawing->marks.count; k++) {
            put_mark(&w, &p->drawing->marks.at[k]);
            end_mark(&w, &p->drawing->marks.at[k]);
        }
        text_add(out, "</g>\n");
        if (p->caption == NULL)
            continue;
        text_print(
            out,
            "<text x=\"%ld\" y=\"%ld\" text-anchor=\"middle\" font-family=\"sans-serif\" font-size=\"%ld\">",
            grains(&w, p->left + p->width / 2), grains(&w, p->top + p->height + 1.3 * CAPTION),
            grains(&w, CAPTION));
        put_escaped(out, p->caption);
        text_add(out, "</text>\n");
    }
    text_add(out, "</svg>\n");
}

// ---- films

static bool is_same_shape(const mark *a, const mark *b) {
    bool same = a->kind == b->kind && a->loops.count == b->loops.count && a->framed == b->framed &&
                a->fill == b->fill && a->stroke == b->stroke;
    for (int i = 0; same && i < a->loops.count; i++)
        same = a->loops.at[i].count == b->loops.at[i].count;
    return same;
}

static const mark *mark_of(const sheet_of_scenes *s, int at, int number) {
    return &s->panels[at].drawing->marks.at[number];
}

// whether all frames have the same marks, but for their places
static bool is_steady(const sheet_of_scenes *s) {
    int count = s->panels[0].drawing->marks.count;
    for (int f = 1; f < s->count; f++) {
        if (s->panels[f].drawing->marks.count != count)
            return false;
        for (int i = 0; i < count; i++)
            if (!is_same_shape(mark_of(s, 0, i), mark_of(s, f, i)))
                return false;
    }
    return true;
}

typedef enum { OF_PATH, OF_PLACE, OF_TURN, OF_X, OF_Y, OF_RADIUS } moved_part;

// turns of a frame, so that a half turn never goes the long way round
static double unwound(double angle, double before) {
    return angle - 2 * M_PI * round((angle - before) / (2 * M_PI));
}

static void put_part(writer *w, const mark *m, moved_part part, double angle) {
    switch (part) {
    case OF_PATH:
        put_path(w, m);
        break;
    case OF_PLACE:
        text_print(w->out, "%ld %ld", across(w, m->at.x), down(w, m->at.y));
        break;
    case OF_TURN:
        text_print(w->out, "%.1f", -angle * 57.29577951308232 + 0.0);
        break;
    case OF_X:
        text_print(w->out, "%ld", across(w, m->at.x));
        break;
    case OF_Y:
        text_print(w->out, "%ld", down(w, m->at.y));
        break;
    case OF_RADIUS:
        text_print(w->out, "%ld", grains(w, w->panel->scale * m->radius));
    }
}

// the values of all frames; false: it does not move
static bool list_values(writer *w, const sheet_of_scenes *s, int number, moved_part part, text *list) {
    text *out = w->out;
    bool moves = false;
    double angle = mark_of(s, 0, number)->angle;
    int first = 0;
    w->out = list;
    text_clear(list);
    for (int f = 0; f < s->count; f++) {
        const mark *m = mark_of(s, f, number);
        int from = list->bytes.count;
        w->panel = &s->panels[f];
        angle = unwound(m->angle, angle);
        put_part(w, m, part, angle);
        int length = list->bytes.count - from;
        if (f == 0)
            first = length;
        else
            moves |= length != first || memcmp(list->bytes.at, list->bytes.at + from, (size_t)length) != 0;
        if (f + 1 < s->count)
            text_add(list, ";");
    }
    w->out = out;
    w->panel = &s->panels[0];
    return moves;
}

static void put_motion(writer *w, const sheet_of_scenes *s, int number, moved_part part, double seconds,
                       text *list) {
    bool words = mark_of(s, 0, number)->kind == MARK_TEXT;
    const char *const begin[] = {
        [OF_PATH] = "<animate attributeName=\"d\"",
        [OF_PLACE] = "<animateTransform attributeName=\"transform\" type=\"translate\"",
        [OF_TURN] = "<animateTransform attributeName=\"transform\" type=\"rotate\" additive=\"sum\"",
        [OF_X] = words ? "<animate attributeName=\"x\"" : "<animate attributeName=\"cx\"",
        [OF_Y] = words ? "<animate attributeName=\"y\"" : "<animate attributeName=\"cy\"",
        [OF_RADIUS] = "<animate attributeName=\"r\""};
    list_values(w, s, number, part, list);
    text_print(w->out, "%s dur=\"%.2fs\" repeatCount=\"indefinite\" values=\"", begin[part], seconds);
    text_add_bytes(w->out, text_string(list), list->bytes.count);
    text_add(w->out, "\"/>");
}

static void put_moving_mark(writer *w, const sheet_of_scenes *s, int number, double seconds, text *list) {
    static const moved_part of_path[] = {OF_PATH, OF_PLACE, OF_TURN}, of_circle[] = {OF_X, OF_Y, OF_RADIUS};
    const mark *m = mark_of(s, 0, number);
    moved_part parts[3];
    int count = 0;
    for (int i = 0; i < (m->kind == MARK_TEXT ? 2 : 3); i++) {
        moved_part part = (m->kind == MARK_PATH ? of_path : of_circle)[i];
        bool placed = m->framed || (part != OF_PLACE && part != OF_TURN);
        if (placed && list_values(w, s, number, part, list))
            parts[count++] = part;
    }
    put_mark(w, m);
    if (count == 0) {
        end_mark(w, m);
        return;
    }
    text_add(w->out, ">");
    // one of both replaces the transform, the other is added to it: so both are there
    if (count == 1 && parts[0] == OF_TURN)
        put_motion(w, s, number, OF_PLACE, seconds, list);
    for (int i = 0; i < count; i++)
        put_motion(w, s, number, parts[i], seconds, list);
    if (count && parts[count - 1] == OF_PLACE)
        put_motion(w, s, number, OF_TURN, seconds, list);
    if (m->kind == MARK_TEXT)
        put_escaped(w->out, m->text);
    text_print(w->out, "</%s>\n", m->kind == MARK_CIRCLE ? "circle" : m->kind == MARK_TEXT ? "text" : "path");
}

static void put_frames(writer *w, const sheet_of_scenes *s, double seconds) {
    text_print(w->out,
               "<style>.f{visibility:hidden;animation:a %.2fs step-end infinite}@keyframes "
               "a{0%%{visibility:visible}%.4f%%"
               "{visibility:hidden}}</style>\n",
               seconds, 100.0 / s->count);
    for (int f = 0; f < s->count; f++) {
        w->panel = &s->panels[f];
        text_print(w->out, "<g class=\"f\" style=\"animation-delay:%.3fs\">\n",
                   seconds * f / s->count - seconds);
        for (int i = 0; i < w->panel->drawing->marks.count; i++) {
            put_mark(w, &w->panel->drawing->marks.at[i]);
            end_mark(w, &w->panel->drawing->marks.at[i]);
        }
        text_add(w->out, "</g>\n");
    }
}

void write_svg_film(text *out, const sheet_of_scenes *s, double seconds) {
    writer w = {.out = out, .grain = FILM_GRAIN, .panel = s->panels};
    text list;
    text_init(&list, out->arena);
    put_head(&w, s, s->width, s->height);
    put_glows(&w, s);
    put_clip(&w, &s->panels[0], 0);
    text_add(out, "<g clip-path=\"url(#c0)\">\n");
    if (is_steady(s))
        for (int i = 0; i < s->panels[0].drawing->marks.count; i++)
            put_moving_mark(&w, s, i, seconds, &list);
    else
        put_frames(&w, s, seconds);
    text_add(out, "</g>\n</svg>\n");
}
