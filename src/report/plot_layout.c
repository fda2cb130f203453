#include "report/plot_layout.h"

#include "report/symbols.h"

#include <math.h>
#include <string.h>

#define MM_PER_POINT (25.4 / 72)

const double LAYOUT_WIDTH = 85, LAYOUT_LETTERS = 8, LAYOUT_LINE = 3.7, LAYOUT_SAMPLE = 7;
static const double LETTER = 8 * MM_PER_POINT;         // the size of letters in mm
static const double EDGE = 1.5, GAP = 1.2, TICK = 2.8; // TICK: a mark and the space to its number
static const double BOX_HEIGHT = 40, BOX_TALLEST = 95;
static const double Y_LABEL_LONGEST = 36; // longer ones stand in the legend
static const double MINUS = 0.4;          // by which a minus is wider than a hyphen
enum { TITLE_LINES = 3, MARKS_MOST = 6 };

// ---- axes

// the distance of marks: 1, 2 or 5 times a power of ten, for about so many of them
static double step_of(double length, double marks) {
    double rough = length / marks, power = pow(10, floor(log10(rough))), step = rough / power;
    return (step < 1.5 ? 1 : step < 3.5 ? 2 : step < 7.5 ? 5 : 10) * power;
}

static axis axis_of(range r, double marks) {
    double step = step_of(range_length(r), marks);
    return (axis){step * floor(r.least / step + 1e-9), step * ceil(r.most / step - 1e-9), step};
}

// of the longest number at an axis
static double marks_width(const axis *x) {
    double widest = 0;
    char digits[32];
    for (double i = ceil(x->from / x->step - 1e-9); i * x->step <= x->to + x->step / 1e3; i++) {
        number_print(digits, sizeof digits, "%g", i * x->step);
        double width = letters_width(digits, letters_in_print);
        for (const char *c = digits; *c; c++)
            width += *c == '-' ? MINUS : 0;
        widest = fmax(widest, width);
    }
    return LETTER * widest;
}

// as many marks as there is room for their numbers
static axis x_axis(const panel *p, double width) {
    range r = range_widened(p->x);
    axis out = {0};
    for (int marks = MARKS_MOST; marks > 0; marks--) {
        out = axis_of(r, marks);
        if (p->plot->across.view < 0) // time has its own ends
            out.from = r.least, out.to = r.most;
        if (marks_width(&out) + 2 * GAP <= width * out.step / (out.to - out.from))
            break;
    }
    return out;
}

static axis y_axis(const panel *p, double height) {
    range r = {p->y.least - p->offset, p->y.most - p->offset};
    return axis_of(p->flat ? range_widened(r) : r, fmin(MARKS_MOST, fmax(2, height / 8)));
}

// ---- the box

static bool is_to_scale(const panel *p) {
    double across = range_length(p->x), ratio = across > 0 ? range_length(p->y) / across : 0;
    return p->plot->lengths && ratio > 0.25 && ratio < 4 && p->offset == 0 && !p->flat;
}

// one scale for x and y: as wide as there is room, unless it is too tall then
static void scale_box(layout *l) {
    double room = l->box_width, ratio = range_length(l->panel->y) / range_length(l->panel->x);
    l->box_width = fmin(room, BOX_TALLEST / ratio);
    l->x = x_axis(l->panel, l->box_width);
    l->y = y_axis(l->panel, l->box_width * ratio);
    ratio = (l->y.to - l->y.from) / (l->x.to - l->x.from);
    l->box_width = fmin(room, BOX_TALLEST / ratio);
    l->box_height = l->box_width * ratio;
    l->left += (room - l->box_width) / 2;
}

static double left_of(const layout *l) {
    return EDGE + (l->y_label[0] ? LAYOUT_LINE + GAP : 0) + marks_width(&l->y) + TICK;
}

static void fit_box(layout *l) {
    l->left = l->margin;
    l->x = x_axis(l->panel, l->width - l->left - EDGE - 2 * LETTER);
    l->box_width = l->width - l->left - EDGE - marks_width(&l->x) / 2;
    if (is_to_scale(l->panel))
        scale_box(l);
}

// marks need a margin, which leaves less room to a box with one scale, which may have other marks then
static void find_box(layout *l, double left) {
    enum { TRIES = 3 };
    l->box_height = BOX_HEIGHT;
    l->y = y_axis(l->panel, BOX_HEIGHT);
    l->margin = left;
    for (int i = 0; i < TRIES; i++) {
        l->margin = fmax(l->margin, left_of(l));
        fit_box(l);
    }
}

// ---- texts

static bool fits_y(const char *shown) {
    return LETTER * letters_width(shown, letters_in_print) <= Y_LABEL_LONGEST;
}

// a single curve is named at its axis if there is room
static bool find_y_label(layout *l, arena *a) {
    const panel *p = l->panel;
    bool named = false;
    l->y_label = p->offset != 0 ? panel_label(p, a, "values") : "";
    if (p->plot->series.count == 1) {
        const char *shown = panel_label(p, a, panel_name(p, a, 0));
        named = fits_y(shown);
        l->y_label = named ? shown : l->y_label;
    }
    return named;
}

static void find_legend(layout *l, arena *a) {
    int count = l->panel->plot->series.count, more = count - LAYOUT_LABELS;
    double room = l->width - 2 * EDGE, beside = LAYOUT_SAMPLE + 2 * GAP, widest = 0;
    for (int k = 0; k < count && k < LAYOUT_LABELS; k++) {
        const char *shown =
            letters_shorten(a, panel_name(l->panel, a, k), (room - beside) / LETTER, letters_in_print);
        vec_push(a, l->legend, shown);
        widest = fmax(widest, letters_width(shown, letters_in_print));
    }
    if (more > 0) {
        const char *shown = arena_print(a, "and %d more", more);
        vec_push(a, l->legend, shown);
    }
    double column = LETTER * widest + beside;
    l->across = (int)fmax(1, fmin(l->legend.count, floor(room / (column + 2 * GAP))));
    l->column = l->across > 1 ? column + 2 * GAP : column;
}

static int legend_rows(const layout *l) {
    return l->legend.count ? (l->legend.count + l->across - 1) / l->across : 0;
}

double layout_y_label(const layout *l) {
    return l->left - TICK - marks_width(&l->y) - GAP - LAYOUT_LINE / 2;
}

double layout_middle(const layout *l, const char *shown) {
    double half = LETTER * letters_width(shown, letters_in_print) / 2 + EDGE;
    double x = fmin(l->left + l->box_width / 2, l->width - half);
    return fmax(x, fmin(half, l->width / 2));
}

double layout_legend(const layout *l, int row) {
    return EDGE + LAYOUT_LINE * (legend_rows(l) - row - 0.5);
}

double layout_x_label(const layout *l) {
    return EDGE + LAYOUT_LINE * (legend_rows(l) + 0.5) + (l->legend.count ? GAP : 0);
}

double layout_title(const layout *l) {
    return l->height - EDGE - LAYOUT_LINE / 2;
}

layout layout_of(arena *a, const panel *p, double left) {
    layout l = {.panel = p, .width = LAYOUT_WIDTH};
    double room = (l.width - 2 * EDGE) / LETTER;
    l.title = letters_wrap(a, p->plot->title, room, TITLE_LINES, letters_in_print);
    l.x_label = letters_shorten(a, symbols_shown(a, p->plot->across.text), room, letters_in_print);
    if (!find_y_label(&l, a))
        find_legend(&l, a);
    find_box(&l, left);
    l.bottom = layout_x_label(&l) + LAYOUT_LINE / 2 + LAYOUT_LINE + TICK;
    l.height = l.bottom + l.box_height + 2 * GAP + LAYOUT_LINE * l.title.count + EDGE;
    return l;
}
