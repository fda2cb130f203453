#include "report/plot_layout.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MM_PER_POINT (25.4 / 72)

static const double WIDTH = 85, LETTERS = 8; // a column of a paper, and the letters that go with it
/* What is as large as the letters, here for those of 8 pt. */
static const double LINE = 3.7, SAMPLE = 7, EDGE = 1.5, GAP = 1.2, TICK = 2.8; // TICK: a mark and the space
                                                                               // to its number
static const double BOX_HEIGHT = 40, BOX_TALLEST = 95, BOX_LEAST = 8;
static const double Y_LABEL_LONGEST = 0.9; // part of the box; longer ones stand in the legend
static const double MINUS = 0.4;           // by which a minus is wider than a hyphen
enum { TITLE_LINES = 3, MARKS_MOST = 6 };

// ---- axes

// the distance of marks: 1, 2 or 5 times a power of ten, for about so many of them
static double step_of(double length, double marks) {
    double rough = length / marks, power = pow(10, floor(log10(rough))), step = rough / power;
    return (step < 1.5 ? 1 : step < 3.5 ? 2 : step < 7.5 ? 5 : 10) * power;
}

static axis axis_of(range r, double marks) {
    double step = step_of(range_length(r), marks);
    return (axis){step * floor(r.least / step + 1e-9), step * ceil(r.most / step - 1e-9), step, false};
}

// whole decades
static axis log_axis_of(range r, double marks) {
    axis x = {floor(r.least + 1e-9), ceil(r.most - 1e-9), 0, true};
    if (x.to <= x.from)
        x.to = x.from + 1;
    double decades = x.to - x.from;
    x.step = decades <= 2 && marks > 3 * decades ? 0 : fmax(1, ceil(decades / marks));
    return x;
}

static axis axis_along(const model_axis *given, range r, double marks) {
    axis x = given->log ? log_axis_of(r, marks) : axis_of(r, marks);
    x.from = isnan(given->from) ? x.from : r.least;
    x.to = isnan(given->to) ? x.to : r.most;
    return x;
}

static const char *decade_shown(arena *a, const axis *x, int power, int digit) {
    static const char *const up[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    bool plain = x->from > -4 && x->to < 5, numbered = digit == 1 || digit == 2 || digit == 5;
    if (x->step > 0 ? digit > 1 || fmod(power - floor(x->from + 1e-9), x->step) != 0 : !numbered)
        return "";
    if (plain)
        return arena_print(a, "%g", digit * pow(10, power));
    if (digit > 1)
        return "";
    char digits[16];
    snprintf(digits, sizeof digits, "%d", abs(power));
    text out;
    text_init(&out, a);
    text_add(&out, power < 0 ? "10⁻" : "10");
    for (const char *c = digits; *c; c++)
        text_add(&out, up[*c - '0']);
    return text_string(&out);
}

layout_marks layout_decades(arena *a, const axis *x) {
    layout_marks out = {0};
    int finest = x->to - x->from > 10 ? 1 : 9;
    for (int power = (int)floor(x->from); power <= x->to; power++)
        for (int digit = 1; digit <= finest; digit++) {
            double at = power + log10(digit);
            if (at >= x->from - 1e-9 && at <= x->to + 1e-9)
                vec_push(a, out, ((layout_mark){at, decade_shown(a, x, power, digit)}));
        }
    return out;
}

// of numbers, with a minus for each hyphen
static double number_width(const char *digits) {
    double width = letters_width(digits, letters_in_print);
    for (const char *c = digits; *c; c++)
        width += *c == '-' ? MINUS : 0;
    return width;
}

// of the longest number at an axis, in letters
static double marks_width(arena *a, const axis *x) {
    double widest = 0;
    layout_marks decades = {0};
    char digits[32];
    if (x->log)
        decades = layout_decades(a, x);
    for (int i = 0; i < decades.count; i++)
        widest = fmax(widest, number_width(decades.at[i].shown));
    for (double i = ceil(x->from / x->step - 1e-9); !x->log && i * x->step <= x->to + x->step / 1e3; i++) {
        number_print(digits, sizeof digits, "%g", i * x->step);
        widest = fmax(widest, number_width(digits));
    }
    return widest;
}

// ---- sizes

static double letter(const layout *l) { // in mm
    return l->letters * MM_PER_POINT;
}

// what is given for letters of 8 pt
static double scaled(const layout *l, double mm) {
    return mm * l->letters / LETTERS;
}

static double mm_of_marks(arena *a, const layout *l, const axis *x) {
    return letter(l) * marks_width(a, x);
}

// as many marks as there is room for their numbers
static axis x_axis(arena *a, const layout *l, double width) {
    const panel *p = l->panel;
    range r = range_widened(p->x);
    axis out = {0};
    for (int marks = MARKS_MOST; marks > 0; marks--) {
        out = axis_along(&p->plot->axis[0], r, marks);
        if (p->plot->across.view < 0) // time has its own ends
            out.from = r.least, out.to = r.most;
        double apart = out.step > 0 ? out.step : log10(2);
        if (mm_of_marks(a, l, &out) + 2 * scaled(l, GAP) <= width * apart / (out.to - out.from))
            break;
    }
    return out;
}

static axis y_axis(const layout *l, double height) {
    const panel *p = l->panel;
    range r = {p->y.least - p->offset, p->y.most - p->offset};
    return axis_along(&p->plot->axis[1], p->flat ? range_widened(r) : r,
                      fmin(MARKS_MOST, fmax(2, height / scaled(l, 8))));
}

// ---- the box

static bool is_to_scale(const panel *p) {
    double across = range_length(p->x), ratio = across > 0 ? range_length(p->y) / across : 0;
    return p->plot->lengths && ratio > 0.25 && ratio < 4 && p->offset == 0 && !p->flat;
}

// one scale for x and y: as wide as there is room, unless it is too tall then
static void scale_box(arena *a, layout *l, double tallest) {
    double room = l->box_width, ratio = range_length(l->panel->y) / range_length(l->panel->x);
    l->box_width = fmin(room, tallest / ratio);
    l->x = x_axis(a, l, l->box_width);
    l->y = y_axis(l, l->box_width * ratio);
    ratio = (l->y.to - l->y.from) / (l->x.to - l->x.from);
    l->box_width = fmin(room, tallest / ratio);
    l->box_height = l->box_width * ratio;
    l->left += (room - l->box_width) / 2;
}

static double left_of(arena *a, const layout *l) {
    return scaled(l, EDGE) + (l->y_label[0] ? l->line + scaled(l, GAP) : 0) + mm_of_marks(a, l, &l->y) +
           scaled(l, TICK);
}

static void fit_box(arena *a, layout *l, double tallest) {
    double edge = scaled(l, EDGE);
    l->left = l->margin;
    l->x = x_axis(a, l, l->width - l->left - edge - 2 * letter(l));
    l->box_width = l->width - l->left - edge - mm_of_marks(a, l, &l->x) / 2;
    if (is_to_scale(l->panel) && l->box_width > 0 && tallest > 0)
        scale_box(a, l, tallest);
}

// marks need a margin, which leaves less room to a box with one scale, which may have other marks then
static void find_box(arena *a, layout *l, double left, double height) {
    enum { TRIES = 3 };
    bool given = l->size.height > 0;
    l->box_height = given ? height : BOX_HEIGHT;
    l->y = y_axis(l, l->box_height);
    l->margin = left;
    for (int i = 0; i < TRIES; i++) {
        l->margin = fmax(l->margin, left_of(a, l));
        fit_box(a, l, given ? height : BOX_TALLEST);
    }
}

bool layout_fits(const layout *l) {
    return l->box_width >= BOX_LEAST && l->box_height >= BOX_LEAST;
}

// ---- texts

static double mm_of(const layout *l, const char *shown) {
    return letter(l) * letters_width(shown, letters_in_print);
}

// a single curve is named at its axis if there is room, and a label takes the place of its name
static bool find_y_label(layout *l, arena *a, double height) {
    const panel *p = l->panel;
    const char *given = p->plot->axis[1].label;
    bool named = false, single = p->plot->series.count == 1;
    double room = Y_LABEL_LONGEST * height;
    l->y_label = p->offset != 0 ? panel_label(p, a, "values") : "";
    if (given) {
        l->y_label = letters_shorten(a, panel_label(p, a, given), height / letter(l), letters_in_print);
        return single && !p->series[0].flat;
    }
    if (single) {
        const char *shown = panel_label(p, a, panel_name(p, a, 0));
        named = mm_of(l, shown) <= room;
        l->y_label = named ? shown : l->y_label;
    }
    return named;
}

static void find_legend(layout *l, arena *a) {
    int count = l->panel->plot->series.count, more = count - LAYOUT_LABELS;
    double gap = scaled(l, GAP), room = l->width - 2 * scaled(l, EDGE), beside = l->sample + 2 * gap;
    double widest = 0;
    for (int k = 0; k < count && k < LAYOUT_LABELS; k++) {
        const char *shown =
            letters_shorten(a, panel_name(l->panel, a, k), (room - beside) / letter(l), letters_in_print);
        vec_push(a, l->legend, shown);
        widest = fmax(widest, letters_width(shown, letters_in_print));
    }
    if (more > 0) {
        const char *shown = arena_print(a, "and %d more", more);
        vec_push(a, l->legend, shown);
    }
    double column = letter(l) * widest + beside;
    l->across = (int)fmax(1, fmin(l->legend.count, floor(room / (column + 2 * gap))));
    l->column = l->across > 1 ? column + 2 * gap : column;
}

static int legend_rows(const layout *l) {
    return l->legend.count ? (l->legend.count + l->across - 1) / l->across : 0;
}

double layout_y_label(arena *a, const layout *l) {
    return l->left - scaled(l, TICK) - mm_of_marks(a, l, &l->y) - scaled(l, GAP) - l->line / 2;
}

double layout_middle(const layout *l, const char *shown) {
    double half = mm_of(l, shown) / 2 + scaled(l, EDGE);
    double x = fmin(l->left + l->box_width / 2, l->width - half);
    return fmax(x, fmin(half, l->width / 2));
}

double layout_legend(const layout *l, int row) {
    return scaled(l, EDGE) + l->line * (legend_rows(l) - row - 0.5);
}

double layout_x_label(const layout *l) {
    return scaled(l, EDGE) + l->line * (legend_rows(l) + 0.5) + (l->legend.count ? scaled(l, GAP) : 0);
}

double layout_title(const layout *l) {
    return l->height - scaled(l, EDGE) - l->line / 2;
}

layout layout_of(arena *a, const panel *p, layout_size size, double left) {
    layout l = {.panel = p, .size = size, .width = size.width > 0 ? size.width : WIDTH};
    l.letters = size.letters > 0 ? size.letters : LETTERS;
    l.line = scaled(&l, LINE);
    l.sample = scaled(&l, SAMPLE);
    double room = (l.width - 2 * scaled(&l, EDGE)) / letter(&l);
    l.title = letters_wrap(a, p->plot->title, room, TITLE_LINES, letters_in_print);
    l.x_label = letters_shorten(a, panel_across(p, a), room, letters_in_print);
    // what stands above the box, and below it
    double above = 2 * scaled(&l, GAP) + l.line * l.title.count + scaled(&l, EDGE);
    if (!find_y_label(&l, a, size.height > 0 ? size.height - above : BOX_HEIGHT))
        find_legend(&l, a);
    l.bottom = layout_x_label(&l) + l.line / 2 + l.line + scaled(&l, TICK);
    find_box(a, &l, left, size.height - l.bottom - above);
    l.height = size.height > 0 ? size.height : l.bottom + l.box_height + above;
    return l;
}
