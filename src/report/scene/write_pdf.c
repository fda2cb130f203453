/* PDF 1.4, one page, without compression: paths, the shading of balls, and texts in Helvetica, which every
 * viewer has; Greek letters in Symbol. */
#include "report/scene/write.h"

#include <math.h>
#include <string.h>

static const double POINTS = 72 / 25.4;           // of a mm
static const double CAPTION = 3.2, LETTERS = 2.9; // mm
static const double KAPPA = 0.5522847498;         // of a quarter of a circle as a curve

typedef struct {
    text *out, content;
    const sheet_of_scenes *sheet;
    const panel_of_scene *panel;
    vec(const mark *) glows; // pairs of colours that shade balls, each once
} writer;

static double across(const writer *w, double x) {
    return w->panel->x + w->panel->scale * x;
}

static double up(const writer *w, double y) {
    return w->sheet->height - (w->panel->y - w->panel->scale * y);
}

static void put_colour(text *out, int colour, const char *how) {
    text_print(out, "%.3f %.3f %.3f %s\n", (colour >> 16 & 255) / 255.0, (colour >> 8 & 255) / 255.0,
               (colour & 255) / 255.0, how);
}

// ---- texts

// width of letters of Helvetica from ' ' to '~', in thousandths
static const short widths[] = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};

// those of Symbol that stand for Greek letters from U+03B1 on
static const char greek[] = "abgdezhqiklmnxoprVstufcyw";

static double width_of(const char *shown, double size) {
    double sum = 0;
    for (const char *c = shown; *c; c++)
        sum += *c >= ' ' && *c <= '~' ? widths[*c - ' '] : (*c & 0xC0) == 0x80 ? 0 : 556;
    return sum * size / 1000;
}

static void put_letter(text *out, int code) {
    if (code == '(' || code == ')' || code == '\\')
        text_print(out, "\\%c", code);
    else if (code >= ' ' && code <= '~')
        text_print(out, "%c", code);
    else
        text_print(out, "\\%03o", code);
}

static void put_text(writer *w, double x, double y, double size, const char *shown) {
    text *out = &w->content;
    bool symbols = false;
    text_print(out, "BT /F1 %.3f Tf %.3f %.3f Td (", size, x, y);
    for (const char *c = shown; *c;) {
        int length = text_character(c);
        unsigned code = length ? text_code(c, length) : '?';
        bool is_greek = code >= 0x3B1 && code < 0x3B1 + sizeof greek - 1;
        if (is_greek != symbols)
            text_print(out, ") Tj /F%d %.3f Tf (", is_greek ? 2 : 1, size);
        symbols = is_greek;
        bool known = is_greek || (code >= ' ' && code <= '~') || (code >= 0xA1 && code <= 0xFF);
        put_letter(out, !known ? '?' : is_greek ? greek[code - 0x3B1] : (int)code);
        c += length ? length : 1;
    }
    text_add(out, ") Tj ET\n");
}

// ---- marks

static void put_circle(writer *w, double x, double y, double r) {
    double c = KAPPA * r;
    text_print(&w->content,
               "%.3f %.3f m %.3f %.3f %.3f %.3f %.3f %.3f c %.3f %.3f %.3f %.3f %.3f %.3f c %.3f %.3f %.3f "
               "%.3f %.3f %.3f c "
               "%.3f %.3f %.3f %.3f %.3f %.3f c h\n",
               x + r, y, x + r, y + c, x + c, y + r, x, y + r, x - c, y + r, x - r, y + c, x - r, y, x - r,
               y - c, x - c, y - r, x, y - r, x + c, y - r, x + r, y - c, x + r, y);
}

static void put_outline(writer *w, const mark *m) {
    if (m->kind == MARK_CIRCLE)
        put_circle(w, across(w, m->at.x), up(w, m->at.y), w->panel->scale * m->radius);
    for (int i = 0; i < m->loops.count; i++) {
        for (int k = 0; k < m->loops.at[i].count; k++) {
            point p = mark_point(m, m->loops.at[i].at[k]);
            text_print(&w->content, "%.3f %.3f %c\n", across(w, p.x), up(w, p.y), k ? 'l' : 'm');
        }
        if (m->closed)
            text_add(&w->content, "h\n");
    }
}

static int glow_of(writer *w, const mark *m) {
    for (int i = 0; i < w->glows.count; i++)
        if (w->glows.at[i]->fill == m->fill && w->glows.at[i]->glow == m->glow)
            return i;
    vec_push(w->out->arena, w->glows, m);
    return w->glows.count - 1;
}

// a shading for a box of 1 by 1, brought to that of the mark
static void put_glow(writer *w, const mark *m) {
    drawing one = {.arena = w->out->arena};
    vec_push(one.arena, one.marks, *m);
    frame f = drawing_frame(&one);
    double s = w->panel->scale;
    text_add(&w->content, "q ");
    put_outline(w, m);
    text_print(&w->content, "W n %.3f 0 0 %.3f %.3f %.3f cm /G%d sh Q\n", s * frame_width(&f),
               s * frame_height(&f), across(w, f.left), up(w, f.bottom), glow_of(w, m));
}

static void put_mark(writer *w, const mark *m) {
    text *out = &w->content;
    bool filled = m->fill != NO_PAINT && m->glow == NO_PAINT, lined = m->stroke != NO_PAINT;
    if (m->kind == MARK_TEXT) {
        put_colour(out, m->fill, "rg");
        put_text(w, across(w, m->at.x), up(w, m->at.y), LETTERS, m->text);
        return;
    }
    if (m->glow != NO_PAINT)
        put_glow(w, m);
    if (filled)
        put_colour(out, m->fill, "rg");
    if (lined) {
        put_colour(out, m->stroke, "RG");
        text_print(out, "%.3f w %s d\n", panel_width_of(w->panel, m), m->dashed ? "[1.2] 0" : "[] 0");
    }
    if (!filled && !lined)
        return;
    put_outline(w, m);
    text_add(out, filled && lined ? "B*\n" : filled ? "f*\n" : "S\n");
}

static void put_panel(writer *w, const panel_of_scene *p) {
    text *out = &w->content;
    w->panel = p;
    text_print(out, "q %.3f %.3f %.3f %.3f re W n\n", p->left, w->sheet->height - p->top - p->height,
               p->width, p->height);
    for (int i = 0; i < p->drawing->marks.count; i++)
        put_mark(w, &p->drawing->marks.at[i]);
    text_add(out, "Q\n");
    if (p->caption == NULL)
        return;
    put_colour(out, 0, "rg");
    put_text(w, p->left + p->width / 2 - width_of(p->caption, CAPTION) / 2,
             w->sheet->height - p->top - p->height - 1.3 * CAPTION, CAPTION, p->caption);
}

// ---- the file

static void begin_object(writer *w, long *places, int number) {
    places[number] = w->out->bytes.count;
    text_print(w->out, "%d 0 obj\n", number);
}

static void put_shading(writer *w, const mark *m) {
    text_add(
        w->out,
        "<< /ShadingType 3 /ColorSpace /DeviceRGB /Coords [0.36 0.7 0 0.36 0.7 0.75] /Extend [true true] "
        "/Function << /FunctionType 2 /Domain [0 1] /N 1 /C0 [");
    put_colour(w->out, m->glow, "] /C1 [");
    put_colour(w->out, m->fill, "] >> >>");
    text_add(w->out, "endobj\n");
}

// a text string, in which only ASCII is sure to be read
static void put_title(writer *w) {
    text_add(w->out, "<< /Producer (Trammel) /Title (");
    for (const char *c = w->sheet->title; *c; c++)
        put_letter(w->out, *c >= ' ' && *c <= '~' ? *c : '?');
    text_add(w->out, ") >>\nendobj\n");
}

static void put_page(writer *w, int shadings) {
    text_print(w->out,
               "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %.3f %.3f] /Contents 4 0 R /Resources << /Font "
               "<< /F1 5 0 R "
               "/F2 6 0 R >> /Shading <<",
               w->sheet->width * POINTS, w->sheet->height * POINTS);
    for (int i = 0; i < shadings; i++)
        text_print(w->out, " /G%d %d 0 R", i, 8 + i);
    text_add(w->out, " >> >> >>\nendobj\n");
}

static void put_font(writer *w, const char *name, const char *more) {
    text_print(w->out, "<< /Type /Font /Subtype /Type1 /BaseFont /%s%s >>\nendobj\n", name, more);
}

static void put_places(writer *w, const long *places, int count) {
    long start = w->out->bytes.count;
    text_print(w->out, "xref\n0 %d\n0000000000 65535 f \n", count);
    for (int i = 1; i < count; i++)
        text_print(w->out, "%010ld 00000 n \n", places[i]);
    text_print(w->out, "trailer\n<< /Size %d /Root 1 0 R /Info 7 0 R >>\nstartxref\n%ld\n%%%%EOF\n", count,
               start);
}

void write_pdf(text *out, const sheet_of_scenes *s) {
    writer w = {.out = out, .sheet = s};
    text_init(&w.content, out->arena);
    text_print(&w.content, "%.6f 0 0 %.6f 0 0 cm 1 J 1 j\n", POINTS, POINTS);
    for (int i = 0; i < s->count; i++)
        put_panel(&w, &s->panels[i]);
    int count = 8 + w.glows.count;
    long *places = arena_array(out->arena, long, count);
    text_add(out, "%PDF-1.4\n%\xE2\xE3\xCF\xD3\n");
    begin_object(&w, places, 1);
    text_add(out, "<< /Type /Catalog /Pages 2 0 R >>\nendobj\n");
    begin_object(&w, places, 2);
    text_add(out, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n");
    begin_object(&w, places, 3);
    put_page(&w, w.glows.count);
    begin_object(&w, places, 4);
    text_print(out, "<< /Length %d >>\nstream\n", w.content.bytes.count);
    text_add_bytes(out, text_string(&w.content), w.content.bytes.count);
    text_add(out, "endstream\nendobj\n");
    begin_object(&w, places, 5);
    put_font(&w, "Helvetica", " /Encoding /WinAnsiEncoding");
    begin_object(&w, places, 6);
    put_font(&w, "Symbol", "");
    begin_object(&w, places, 7);
    put_title(&w);
    for (int i = 0; i < w.glows.count; i++) {
        begin_object(&w, places, 8 + i);
        put_shading(&w, w.glows.at[i]);
    }
    put_places(&w, places, count);
}
