#include "report/plot_panel.h"

#include "base/text.h"
#include "report/column_accuracy.h"
#include "report/symbols.h"

#include <math.h>
#include <stdlib.h>

// beyond these, differences of two numbers are none any more; gnuplot counts in doubles too
static const double LARGEST = 1e307, SMALLEST = 1e-304;

double range_length(range r) {
    return r.most - r.least;
}

range range_widened(range r) {
    double middle = r.least / 2 + r.most / 2, around = middle != 0 ? fabs(middle) / 10 : 1;
    if (range_length(r) > 1e-12 * fabs(middle))
        return r;
    return (range){middle - around, middle + around};
}

static void take_in(range *r, double value) {
    r->least = fmin(r->least, value);
    r->most = fmax(r->most, value);
}

static bool number_at(const record *r, long at, int view, double *value) {
    *value = record_view(r, at, view);
    if (fabs(*value) < SMALLEST)
        *value = 0;
    return fabs(*value) < LARGEST;
}

// where a number stands along an axis, if it does
static bool along(const model_axis *axis, double *value) {
    if (!axis->log)
        return true;
    bool has = *value > 0;
    *value = has ? log10(*value) : NAN;
    return has;
}

static bool across_at(const panel *p, long at, double *x) {
    return number_at(p->record, at, p->plot->across.view, x) && along(&p->plot->axis[0], x);
}

bool panel_point(const panel *p, long at, int series, double *x, double *y) {
    bool drawn = across_at(p, at, x);
    drawn &= number_at(p->record, at, p->plot->series.at[series].view, y);
    if (drawn && p->series[series].flat)
        *y = p->series[series].level;
    drawn = drawn && along(&p->plot->axis[1], y);
    *y -= p->offset;
    return drawn;
}

static bool is_in(range r, double value) {
    return value >= r.least && value <= r.most;
}

// what is 0 but for its accuracy is 0
static panel_series series_of(const record *r, int view) {
    range found = {INFINITY, -INFINITY};
    double y;
    for (long i = 0; i < r->count; i++)
        if (number_at(r, i, view, &y))
            take_in(&found, y);
    double accuracy = r->accuracy ? r->accuracy[1 + view] : 0, varies = range_length(found);
    bool flat = r->count > 1 && varies <= accuracy;
    double level = found.least / 2 + found.most / 2;
    return (panel_series){flat, flat && fabs(level) > accuracy ? level : 0, varies};
}

// what was found of an axis, up to the ends that it is given
static range known(range r, const model_axis *axis) {
    r = r.least <= r.most ? r : (range){0, 0};
    double from = axis->from, to = axis->to;
    along(axis, &from);
    along(axis, &to);
    r.least = !isnan(from) ? from : isnan(to) ? r.least : fmin(r.least, to);
    r.most = isnan(to) ? fmax(r.most, r.least) : to;
    return r;
}

static void find_ranges(panel *p) {
    double x, y;
    p->x = p->y = (range){INFINITY, -INFINITY};
    for (long i = 0; i < p->record->count; i++)
        if (across_at(p, i, &x))
            take_in(&p->x, x);
    p->x = known(p->x, &p->plot->axis[0]);
    for (long i = 0; i < p->record->count; i++)
        for (int k = 0; k < p->plot->series.count; k++)
            if (panel_point(p, i, k, &x, &y) && is_in(p->x, x))
                take_in(&p->y, y);
    p->empty = p->y.least > p->y.most;
    p->y = known(p->y, &p->plot->axis[1]);
}

static bool has_range(const model_axis *axis) {
    return !isnan(axis->from) || !isnan(axis->to);
}

// the number with the fewest digits that is no farther from the middle than the range is long
static double short_offset(range r) {
    double middle = r.least / 2 + r.most / 2, offset = middle;
    char digits[32];
    for (int count = 1; count <= 17; count++) {
        number_print(digits, sizeof digits, "%.*g", count, middle);
        offset = number_read(digits, NULL);
        if (fabs(offset - middle) <= range_length(r))
            break;
    }
    return offset;
}

panel panel_of(arena *a, const record *r, const model_plot *plot, double part) {
    panel_series *series = arena_array(a, panel_series, plot->series.count);
    panel p = {.record = r, .plot = plot, .series = series};
    for (int k = 0; k < plot->series.count; k++)
        series[k] = series_of(r, plot->series.at[k].view);
    find_ranges(&p);
    double varies = range_length(p.y), size = fmax(fabs(p.y.least), fabs(p.y.most));
    const model_axis *y = &plot->axis[1];
    p.flat = varies <= 1e-12 * size;
    if (!p.flat && varies < part * size && !y->log && !has_range(y))
        p.offset = short_offset(p.y);
    return p;
}

const char *panel_name(const panel *p, arena *a, int series) {
    const char *name = symbols_shown(a, p->plot->series.at[series].text);
    const panel_series *s = &p->series[series];
    return s->flat ? arena_print(a, "%s (%s)", name, accuracy_words(a, s->varies)) : name;
}

const char *panel_nothing(const panel *p) {
    return p->plot->axis[0].log || p->plot->axis[1].log ? "no values above 0"
           : has_range(&p->plot->axis[0])               ? "no values in this range"
                                                        : "no finite values";
}

const char *panel_across(const panel *p, arena *a) {
    const char *given = p->plot->axis[0].label;
    return given ? given : symbols_shown(a, p->plot->across.text);
}

const char *panel_label(const panel *p, arena *a, const char *name) {
    char digits[32];
    if (p->offset == 0)
        return name;
    return arena_print(a, "%s %s %s", name, p->offset > 0 ? "−" : "+",
                       number_shortest(digits, fabs(p->offset)));
}
