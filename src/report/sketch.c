#include "report/sketch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 12, MARGIN = 11, COLUMNS_LEAST = 30, COLUMNS_MOST = 200, COLOURS = 6 };
static const char *const paints[COLOURS] = {"\033[34m", "\033[31m", "\033[32m",
                                            "\033[35m", "\033[36m", "\033[33m"};

typedef struct {
    text *out;
    arena *arena;
    const record *record;
    const model_plot *plot;
    bool colour, letters; // letters: one character for each point, instead of dots
    int width;            // in characters
    double x[2], y[2];    // ranges
    unsigned char *dots;  // (ROWS x width) Braille patterns
    int *owner;           // (ROWS x width) which series was there last, from 1; 0: none
} sketch;

// ---- ranges

static void widen(double *range) {
    if (!(range[0] <= range[1]))
        range[0] = range[1] = 0;
    if (range[1] - range[0] <= 1e-12 * fmax(fabs(range[0]), fabs(range[1]))) {
        double by = fmax(0.1 * fabs(range[0]), 1e-9);
        range[0] -= by;
        range[1] += by;
    }
}

static void range_of(const record *r, int view, double *range) {
    for (long i = 0; i < r->count; i++) {
        double value = record_view(r, i, view);
        if (!isfinite(value))
            continue;
        range[0] = fmin(range[0], value);
        range[1] = fmax(range[1], value);
    }
}

static void find_ranges(sketch *s) {
    s->x[0] = s->y[0] = INFINITY;
    s->x[1] = s->y[1] = -INFINITY;
    range_of(s->record, s->plot->across.view, s->x);
    for (int k = 0; k < s->plot->series.count; k++)
        range_of(s->record, s->plot->series.at[k].view, s->y);
    widen(s->x);
    widen(s->y);
}

// ---- dots

static void set_dot(sketch *s, int x, int y, int series) {
    static const unsigned char bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    int cell = y / 4 * s->width + x / 2;
    s->dots[cell] |= bits[y % 4][x % 2];
    s->owner[cell] = series + 1;
}

static int place_of(double value, const double *range, int count) {
    int at = (int)floor((value - range[0]) / (range[1] - range[0]) * count);
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

static void draw_series(sketch *s, int series) {
    int last[2] = {0}, view = s->plot->series.at[series].view;
    bool begun = false;
    for (long i = 0; i < s->record->count; i++) {
        double x = record_view(s->record, i, s->plot->across.view), y = record_view(s->record, i, view);
        if (!isfinite(x) || !isfinite(y)) {
            begun = false;
            continue;
        }
        int at[2] = {place_of(x, s->x, 2 * s->width), 4 * ROWS - 1 - place_of(y, s->y, 4 * ROWS)};
        draw_step(s, begun ? last : at, at, series);
        memcpy(last, at, sizeof last);
        begun = true;
    }
}

// ---- characters

static void put_dots(sketch *s, unsigned char dots) {
    const char braille[] = {(char)0xE2, (char)(0xA0 + (dots >> 6)), (char)(0x80 + (dots & 0x3F)), '\0'};
    text_add(s->out, dots ? braille : " ");
}

static void put_cell(sketch *s, int cell) {
    int series = s->owner[cell] - 1;
    if (s->letters) {
        text_print(s->out, "%c", series < 0 ? ' ' : 'a' + series % 26);
        return;
    }
    bool painted = s->colour && series >= 0;
    text_add(s->out, painted ? paints[series % COLOURS] : "");
    put_dots(s, s->dots[cell]);
    text_add(s->out, painted ? "\033[0m" : "");
}

static void put_rows(sketch *s) {
    for (int row = 0; row < ROWS; row++) {
        if (row == 0 || row == ROWS - 1)
            text_print(s->out, "%*.4g ┤", MARGIN - 2, s->y[row == 0]);
        else
            text_print(s->out, "%*s │", MARGIN - 2, "");
        for (int i = 0; i < s->width; i++)
            put_cell(s, row * s->width + i);
        text_add(s->out, "\n");
    }
}

// a terminal must not obey what a model holds
static void put_plain(sketch *s, const char *shown) {
    for (; *shown; shown++)
        text_print(s->out, "%c", (unsigned char)*shown < ' ' || *shown == 127 ? '?' : *shown);
}

static void put_axis(sketch *s) {
    char left[32], right[32];
    snprintf(left, sizeof left, "%.4g", s->x[0]);
    snprintf(right, sizeof right, "%.4g", s->x[1]);
    text_print(s->out, "%*s └", MARGIN - 2, "");
    for (int i = 0; i < s->width; i++)
        text_add(s->out, "─");
    int between = s->width - (int)strlen(left) - (int)strlen(right);
    text_print(s->out, "\n%*s%s%*s%s  ", MARGIN, "", left, between > 1 ? between : 1, "", right);
    put_plain(s, s->plot->across.text);
    text_add(s->out, "\n");
}

static void put_legend(sketch *s) {
    text_print(s->out, "%*s", MARGIN, "");
    for (int k = 0; k < s->plot->series.count; k++) {
        bool painted = s->colour && !s->letters;
        text_add(s->out, painted ? paints[k % COLOURS] : "");
        if (s->letters)
            text_print(s->out, "%c ", 'a' + k % 26);
        else if (painted)
            text_add(s->out, "── ");
        put_plain(s, s->plot->series.at[k].text);
        text_add(s->out, painted ? "\033[0m" : "");
        text_add(s->out, k + 1 < s->plot->series.count ? "   " : "\n");
    }
}

static void put_plot(sketch *s) {
    size_t cells = (size_t)ROWS * (size_t)s->width;
    s->dots = arena_array(s->arena, unsigned char, cells);
    s->owner = arena_array(s->arena, int, cells);
    s->letters = !s->colour && s->plot->series.count > 1;
    find_ranges(s);
    for (int k = 0; k < s->plot->series.count; k++)
        draw_series(s, k);
    text_print(s->out, "\n%*s", MARGIN, "");
    put_plain(s, s->plot->title);
    text_add(s->out, "\n");
    put_rows(s);
    put_axis(s);
    put_legend(s);
}

const char *sketch_plots(arena *a, const record *r, int columns, bool colour) {
    const model *m = r->sys->model;
    text out;
    text_init(&out, a);
    columns = columns < COLUMNS_LEAST ? COLUMNS_LEAST : columns > COLUMNS_MOST ? COLUMNS_MOST : columns;
    for (int i = 0; i < m->plots.count && r->count; i++) {
        sketch s = {.out = &out, .arena = a, .record = r, .plot = &m->plots.at[i], .colour = colour};
        s.width = columns - MARGIN - 1;
        put_plot(&s);
    }
    return text_string(&out);
}
