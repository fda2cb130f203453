#include "report/plot_terminal.h"

#include "report/letters.h"
#include "report/plot_panel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 12, MARGIN_LEAST = 11, COLUMNS_LEAST = 30, COLUMNS_MOST = 200, COLOURS = 6 };
static const char *const paints[COLOURS] = {"\033[34m", "\033[31m", "\033[32m",
                                            "\033[35m", "\033[36m", "\033[33m"};
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
enum { LETTERS = sizeof letters - 1 };
static const char OTHERS = '*';         // curves beyond the letters
static const double OFFSET_PART = 2e-3; // numbers have four digits

typedef struct {
    text *out;
    arena *arena;
    panel panel;
    bool colour, letters; // letters: one character for each point, instead of dots
    int margin, width;    // in characters: left of the axis and the axis itself; the rest
    range x, y;
    unsigned char *dots; // (ROWS x width) Braille patterns
    int *owner;          // (ROWS x width) which series was there last, from 1; 0: none
} sketch;

// ---- ranges

// numbers at an axis, 0 or 1; those of y may need more room than usual
static const char *number(sketch *s, int which, double value) {
    return arena_print(s->arena, "%.4g", s->panel.plot->axis[which].log ? pow(10, value) : value);
}

static void find_ranges(sketch *s, int columns) {
    const panel *p = &s->panel;
    s->x = range_widened(p->x);
    s->y = range_widened((range){p->y.least - p->offset, p->y.most - p->offset});
    int longest = (int)fmax(strlen(number(s, 1, s->y.least)), strlen(number(s, 1, s->y.most)));
    s->margin = longest + 2 > MARGIN_LEAST ? longest + 2 : MARGIN_LEAST;
    s->width = columns - s->margin;
}

// ---- dots

static void set_dot(sketch *s, int x, int y, int series) {
    static const unsigned char bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    int cell = y / 4 * s->width + x / 2;
    s->dots[cell] |= bits[y % 4][x % 2];
    s->owner[cell] = series + 1;
}

static int place_of(double value, range r, int count) {
    int at = (int)floor((value - r.least) / range_length(r) * count);
    return at < 0 ? 0 : at >= count ? count - 1 : at;
}

static void draw_step(sketch *s, const int *from, const int *to, int series) {
    int dx = to[0] - from[0], dy = to[1] - from[1];
    int steps = abs(dx) > abs(dy) ? abs(dx) : abs(dy);
    for (int i = 0; i <= steps; i++) {
        double part = steps ? (double)i / steps : 0;
        set_dot(s, from[0] + (int)lround(part * dx), from[1] + (int)lround(part * dy), series);
    }
}

// of a line from p to q, where it enters the range and where it leaves it; in x first, then in y
static bool clip(double *p, double *q, const range *within) {
    for (int k = 0; k < 2; k++) {
        double *low = p[k] <= q[k] ? p : q, *high = p[k] <= q[k] ? q : p;
        if (high[k] < within[k].least || low[k] > within[k].most)
            return false;
        double slope = (high[1 - k] - low[1 - k]) / (high[k] - low[k]);
        if (low[k] < within[k].least) {
            low[1 - k] += slope * (within[k].least - low[k]);
            low[k] = within[k].least;
        }
        if (high[k] > within[k].most) {
            high[1 - k] += slope * (within[k].most - high[k]);
            high[k] = within[k].most;
        }
    }
    return true;
}

static void draw_line(sketch *s, const double *from, const double *to, int series) {
    double ends[2][2] = {{from[0], from[1]}, {to[0], to[1]}};
    int at[2][2];
    if (!clip(ends[0], ends[1], (const range[2]){s->x, s->y}))
        return;
    for (int i = 0; i < 2; i++) {
        at[i][0] = place_of(ends[i][0], s->x, 2 * s->width);
        at[i][1] = 4 * ROWS - 1 - place_of(ends[i][1], s->y, 4 * ROWS);
    }
    draw_step(s, at[0], at[1], series);
}

static void draw_series(sketch *s, int series) {
    double last[2] = {0}, at[2];
    bool begun = false;
    for (long i = 0; i < s->panel.record->count; i++) {
        if (!panel_point(&s->panel, i, series, &at[0], &at[1])) {
            begun = false;
            continue;
        }
        draw_line(s, begun ? last : at, at, series);
        memcpy(last, at, sizeof last);
        begun = true;
    }
}

// ---- characters

static void put_dots(sketch *s, unsigned char dots) {
    const char braille[] = {(char)0xE2, (char)(0xA0 + (dots >> 6)), (char)(0x80 + (dots & 0x3F)), '\0'};
    text_add(s->out, dots ? braille : " ");
}

static char letter_of(int series) {
    return series < LETTERS ? letters[series] : OTHERS;
}

static void put_cell(sketch *s, int cell) {
    int series = s->owner[cell] - 1;
    bool painted = s->colour && series >= 0;
    text_add(s->out, painted ? paints[series % COLOURS] : "");
    if (s->letters)
        text_print(s->out, "%c", series < 0 ? ' ' : letter_of(series));
    else
        put_dots(s, s->dots[cell]);
    text_add(s->out, painted ? "\033[0m" : "");
}

static void put_blanks(sketch *s, int count) {
    text_print(s->out, "%*s", count, "");
}

static void put_rows(sketch *s) {
    for (int row = 0; row < ROWS; row++) {
        if (row == 0 || row == ROWS - 1)
            text_print(s->out, "%*s ┤", s->margin - 2, number(s, 1, row ? s->y.least : s->y.most));
        else
            text_print(s->out, "%*s │", s->margin - 2, "");
        for (int i = 0; i < s->width; i++)
            put_cell(s, row * s->width + i);
        text_add(s->out, "\n");
    }
}

static const char *fitted(sketch *s, const char *shown, int room) {
    return letters_shorten(s->arena, text_tamed(s->arena, shown, false), room, letters_in_terminal);
}

static int columns_of(const char *shown) {
    return (int)letters_width(shown, letters_in_terminal);
}

// a line of its own, beside the margin
static void put_line(sketch *s, const char *shown) {
    put_blanks(s, s->margin);
    text_print(s->out, "%s\n", fitted(s, shown, s->width));
}

// the ends of x, and between them what it is
static void put_axis(sketch *s) {
    const char *left = number(s, 0, s->x.least), *right = number(s, 0, s->x.most);
    int room = s->width - (int)strlen(left) - (int)strlen(right);
    const char *name = room > 4 ? fitted(s, panel_across(&s->panel, s->arena), room - 4) : "";
    int blanks = room - columns_of(name), before = blanks > 0 ? blanks / 2 : 0;
    put_blanks(s, s->margin - 2);
    text_add(s->out, " └");
    for (int i = 0; i < s->width; i++)
        text_add(s->out, "─");
    text_add(s->out, "\n");
    put_blanks(s, s->margin);
    text_print(s->out, "%s%*s%s%*s%s\n", left, before, "", name, blanks - before, "", right);
}

// ---- the legend

static const char *mark_of(sketch *s, int series) {
    return s->letters ? arena_print(s->arena, "%c ", letter_of(series)) : s->colour ? "── " : "";
}

// an entry, on a new line where this one has no room for it; column: how much of the line is taken
static void put_entry(sketch *s, const char *mark, const char *shown, int series, int *column) {
    enum { BETWEEN = 3 };
    shown = fitted(s, shown, s->width - columns_of(mark));
    int length = columns_of(mark) + columns_of(shown);
    bool first = *column == 0, fits = *column + BETWEEN + length <= s->width;
    if (!first && !fits)
        text_add(s->out, "\n");
    put_blanks(s, first || !fits ? s->margin : BETWEEN);
    *column = first || !fits ? length : *column + BETWEEN + length;
    text_print(s->out, "%s%s%s%s", s->colour ? paints[series % COLOURS] : "", mark, shown,
               s->colour ? "\033[0m" : "");
}

static void put_legend(sketch *s) {
    const model_plot *plot = s->panel.plot;
    int column = 0, named = s->letters && plot->series.count > LETTERS ? LETTERS : plot->series.count;
    for (int k = 0; k < named; k++)
        put_entry(s, mark_of(s, k), panel_name(&s->panel, s->arena, k), k, &column);
    if (named < plot->series.count)
        put_entry(s, mark_of(s, named), arena_print(s->arena, "%d more", plot->series.count - named), named,
                  &column);
    text_add(s->out, "\n");
}

// ---- a plot

static void put_plot(sketch *s, int columns) {
    const model_plot *plot = s->panel.plot;
    find_ranges(s, columns);
    size_t cells = (size_t)ROWS * (size_t)s->width;
    s->dots = arena_array(s->arena, unsigned char, cells);
    s->owner = arena_array(s->arena, int, cells);
    s->letters = plot->series.count > (s->colour ? COLOURS : 1);
    for (int k = 0; k < plot->series.count; k++)
        draw_series(s, k);
    text_add(s->out, "\n");
    put_line(s, plot->title);
    if (s->panel.empty) {
        put_line(s, panel_nothing(&s->panel));
    } else {
        put_rows(s);
        put_axis(s);
    }
    put_legend(s);
    const char *given = plot->axis[1].label;
    if (s->panel.offset != 0 || given)
        put_line(s, panel_label(&s->panel, s->arena, given ? given : "values"));
}

const char *sketch_plots(arena *a, const record *r, int columns, bool colour) {
    const model *m = r->sys->model;
    text out;
    text_init(&out, a);
    columns = columns < COLUMNS_LEAST ? COLUMNS_LEAST : columns > COLUMNS_MOST ? COLUMNS_MOST : columns;
    for (int i = 0; i < m->plots.count && r->count; i++) {
        sketch s = {.out = &out, .arena = a, .colour = colour};
        s.panel = panel_of(a, r, &m->plots.at[i], OFFSET_PART);
        put_plot(&s, columns);
    }
    return text_string(&out);
}
