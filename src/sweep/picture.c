#include "sweep/picture.h"

#include "base/output.h"
#include "report/gnuplot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PANELS_MOST = 8, COORDINATES_MOST = 4, DOTS_MOST = 5000, CURVES_MOST = 200 };
static const double PANEL_WIDTH = 85, PANEL_HEIGHT = 58, PIXELS_PER_MM = 96 / 25.4; // of an SVG

typedef struct {
    arena *arena;
    const sweep_about *about;
    const sweep_store *store;
    text script;
    int *varied, varied_count; // columns: parameters that have more than one value
    int *shown, shown_count;   // columns: what is drawn
} picture;

// ---- what there is to draw

static bool has_numbers(const case_record *r) {
    return r->status == CASE_FINE || r->status == CASE_EXPECTATION;
}

static bool read_case(const picture *p, long which, case_record *r) {
    return journal_read(p->store->journal, which, r) && has_numbers(r);
}

static void find_varied(picture *p) {
    const sweep_columns *c = p->store->columns;
    double *first = arena_doubles(p->arena, (size_t)c->list.count);
    bool *differs = arena_array(p->arena, bool, c->list.count), known = false;
    for (long i = 0; i < p->store->cases; i++) {
        case_record r;
        if (!journal_read(p->store->journal, i, &r))
            continue;
        for (int k = 0; k < c->list.count; k++)
            if (known)
                differs[k] |= r.values[k] != first[k];
            else
                first[k] = r.values[k];
        known = true;
    }
    p->varied = arena_array(p->arena, int, c->list.count);
    for (int k = 0; k < c->list.count; k++)
        if (c->list.at[k].kind == COLUMN_IS_PARAMETER && differs[k])
            p->varied[p->varied_count++] = k;
}

static bool is_result(const sweep_columns *c, int i, bool bundles) {
    sweep_column_kind kind = c->list.at[i].kind;
    return kind == COLUMN_IS_SHOWN || (!bundles && kind == COLUMN_IS_RESULT && !sweep_columns_repeated(c, i));
}

static void find_shown(picture *p) {
    const sweep_columns *c = p->store->columns;
    p->shown = arena_array(p->arena, int, c->list.count);
    for (int i = 0; i < c->list.count && p->shown_count < PANELS_MOST; i++)
        if (is_result(c, i, c->sampled > 0))
            p->shown[p->shown_count++] = i;
    bool any = p->shown_count > 0;
    for (int i = c->first + 1; !any && i < c->first + c->finals && p->shown_count < COORDINATES_MOST; i++)
        p->shown[p->shown_count++] = i;
}

static const char *name_of(const picture *p, int column) {
    return p->store->columns->list.at[column].name;
}

static bool is_log(const picture *p, int column) {
    return sweep_is_log(p->about, name_of(p, column));
}

// ---- pieces of the script

static void put_number(picture *p, double value) {
    char room[32];
    text_add(&p->script, isfinite(value) ? number_shortest(room, value) : "NaN");
    text_add(&p->script, " ");
}

static void put_label(picture *p, const char *of, int column) {
    text_print(&p->script, "set %slabel ", of);
    gnuplot_string(&p->script, name_of(p, column));
    text_add(&p->script, " noenhanced\n");
}

static void put_scale(picture *p, const char *of, int column) {
    text_print(&p->script, "%sset logscale %s\n", is_log(p, column) ? "" : "un", of);
}

// (varied, shown) of all cases that have numbers
static void put_table(picture *p, long every) {
    text_add(&p->script, "$d << EOD\n");
    for (long i = 0; i < p->store->cases; i += every) {
        case_record r;
        if (!read_case(p, i, &r))
            continue;
        for (int k = 0; k < p->varied_count; k++)
            put_number(p, r.values[p->varied[k]]);
        for (int k = 0; k < p->shown_count; k++)
            put_number(p, r.values[p->shown[k]]);
        text_add(&p->script, "\n");
    }
    text_add(&p->script, "EOD\n");
}

// ---- curves over one parameter

typedef struct {
    double x;
    long which;
} place_of;

static int by_x(const void *a, const void *b) {
    const place_of *p = a, *q = b;
    return p->x < q->x ? -1 : p->x > q->x ? 1 : (p->which > q->which) - (p->which < q->which);
}

// in the order of the parameter; a case that failed breaks the curve
static void put_curve_table(picture *p) {
    place_of *order = arena_array(p->arena, place_of, p->store->cases);
    long count = 0;
    for (long i = 0; i < p->store->cases; i++) {
        case_record r;
        if (journal_read(p->store->journal, i, &r))
            order[count++] = (place_of){r.values[p->varied[0]], i};
    }
    qsort(order, (size_t)count, sizeof *order, by_x);
    text_add(&p->script, "$d << EOD\n");
    for (long i = 0; i < count; i++) {
        case_record r;
        bool there = read_case(p, order[i].which, &r);
        put_number(p, order[i].x);
        for (int k = 0; k < p->shown_count; k++)
            put_number(p, there ? r.values[p->shown[k]] : NAN);
        text_add(&p->script, "\n");
    }
    text_add(&p->script, "EOD\n");
}

static void put_curves(picture *p) {
    put_curve_table(p);
    put_label(p, "x", p->varied[0]);
    put_scale(p, "x", p->varied[0]);
    for (int k = 0; k < p->shown_count; k++) {
        put_label(p, "y", p->shown[k]);
        text_print(&p->script, "plot $d using 1:%d with linespoints pt 7 ps 0.3 lc rgb '#0072B2'\n", k + 2);
    }
}

// ---- heat maps over two

typedef struct {
    double *values; // in order, each once
    int count;
} grid_axis;

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static grid_axis axis_of(picture *p, int column) {
    grid_axis out = {arena_doubles(p->arena, (size_t)p->store->cases), 0};
    int kept = 0;
    for (long i = 0; i < p->store->cases; i++) {
        case_record r;
        if (journal_read(p->store->journal, i, &r))
            out.values[out.count++] = r.values[column];
    }
    qsort(out.values, (size_t)out.count, sizeof(double), by_value);
    for (int i = 0; i < out.count; i++)
        if (i == 0 || out.values[i] != out.values[i - 1])
            out.values[kept++] = out.values[i];
    out.count = kept;
    return out;
}

// between a value and its neighbour; at the ends as far beyond as on the other side
static double middle(const grid_axis *x, int i, int towards, bool log) {
    int other = i + towards < 0 || i + towards >= x->count ? i - towards : i + towards;
    double own = log ? log10(x->values[i]) : x->values[i];
    double there = log ? log10(x->values[other]) : x->values[other];
    double at = own + (other == i + towards ? 1 : -1) * (there - own) / 2;
    return log ? pow(10, at) : at;
}

static int index_of(const grid_axis *x, double value) {
    const double *found = bsearch(&value, x->values, (size_t)x->count, sizeof value, by_value);
    return found ? (int)(found - x->values) : 0;
}

static void put_maps(picture *p) {
    grid_axis axes[2];
    text_add(&p->script, "$d << EOD\n");
    for (int k = 0; k < 2; k++)
        axes[k] = axis_of(p, p->varied[k]);
    for (long i = 0; i < p->store->cases; i++) {
        case_record r;
        if (!read_case(p, i, &r))
            continue;
        for (int k = 0; k < 2; k++)
            put_number(p, r.values[p->varied[k]]);
        for (int k = 0; k < 2; k++) {
            int at = index_of(&axes[k], r.values[p->varied[k]]);
            put_number(p, middle(&axes[k], at, -1, is_log(p, p->varied[k])));
            put_number(p, middle(&axes[k], at, 1, is_log(p, p->varied[k])));
        }
        for (int k = 0; k < p->shown_count; k++)
            put_number(p, r.values[p->shown[k]]);
        text_add(&p->script, "\n");
    }
    text_add(&p->script,
             "EOD\nset autoscale noextend\nunset grid\nset rmargin 12\nset style fill solid noborder\n");
    for (int k = 0; k < 2; k++) {
        put_label(p, k ? "y" : "x", p->varied[k]);
        put_scale(p, k ? "y" : "x", p->varied[k]);
    }
    for (int k = 0; k < p->shown_count; k++) {
        text_add(&p->script, "set title ");
        gnuplot_string(&p->script, name_of(p, p->shown[k]));
        text_add(&p->script, " noenhanced\n");
        text_print(&p->script, "plot $d using 1:2:3:4:5:6:%d with boxxyerror lc palette\n", k + 7);
    }
}

// ---- dots: each result over each parameter

static void put_dots(picture *p) {
    put_table(p, 1 + p->store->cases / DOTS_MOST);
    for (int k = 0; k < p->shown_count; k++)
        for (int i = 0; i < p->varied_count; i++) {
            put_label(p, "y", p->shown[k]);
            put_label(p, "x", p->varied[i]);
            put_scale(p, "x", p->varied[i]);
            text_print(&p->script, "plot $d using %d:%d with points pt 7 ps 0.25 lc rgb '#0072B2'\n", i + 1,
                       p->varied_count + k + 1);
        }
}

// ---- bundles

static void put_bundles(picture *p) {
    const sweep_columns *c = p->store->columns;
    long every = (p->store->cases + CURVES_MOST - 1) / CURVES_MOST;
    int colour = p->varied_count ? p->varied[0] : -1;
    text_add(&p->script, "$d << EOD\n");
    for (long i = 0; i < p->store->cases; i += every) {
        case_record r;
        if (!journal_read(p->store->journal, i, &r))
            continue;
        for (long s = 0; s < r.samples; s++) {
            const double *sample = r.sampled + s * c->sampled;
            put_number(p, sample[0]);
            put_number(p, colour >= 0 ? r.values[colour] : 0);
            for (int k = 0; k < p->shown_count; k++)
                put_number(p, sample[p->shown[k] - c->first]);
            text_add(&p->script, "\n");
        }
        text_add(&p->script, "\n");
    }
    text_add(&p->script, "EOD\nset xlabel 't'\n");
    if (colour >= 0) {
        put_label(p, "cb", colour);
        put_scale(p, "cb", colour);
    }
    for (int k = 0; k < p->shown_count; k++) {
        put_label(p, "y", p->shown[k]);
        text_print(&p->script, "plot $d using 1:%d:2 with lines lw 0.7 lc palette\n", k + 3);
    }
}

// ---- the whole

static bool put_terminal(picture *p, const char *path, const char *part, int rows, int columns) {
    const char *dot = strrchr(path, '.');
    double width = columns * PANEL_WIDTH, height = rows * PANEL_HEIGHT;
    if (dot && strcmp(dot, ".svg") == 0)
        text_print(&p->script, "set terminal svg size %.0f,%.0f font 'sans-serif,10' background 'white'\n",
                   width * PIXELS_PER_MM, height * PIXELS_PER_MM);
    else if (dot && strcmp(dot, ".png") == 0)
        text_print(&p->script, "set terminal pngcairo size %.0f,%.0f font 'sans-serif,10'\n",
                   width * PIXELS_PER_MM, height * PIXELS_PER_MM);
    else if (dot && strcmp(dot, ".pdf") == 0)
        text_print(&p->script, "set terminal pdfcairo size %.2fcm,%.2fcm font 'sans-serif,8'\n", width / 10,
                   height / 10);
    else
        return false;
    text_add(&p->script, "set output ");
    gnuplot_string(&p->script, part);
    // Viridis, by eight of its colours
    text_add(&p->script, "\nset palette defined (0 '#440154', 1 '#46327e', 2 '#365c8d', 3 '#277f8e', 4 "
                         "'#1fa187', 5 '#4ac16d', 6 '#a0da39', 7 '#fde725')\nunset key\nset grid lc rgb "
                         "'#dddddd'\nset datafile missing NaN\nset encoding utf8\nset format '%g'\n");
    text_print(&p->script, "set multiplot layout %d,%d title ", rows, columns);
    gnuplot_string(&p->script, p->about->title);
    text_add(&p->script, " noenhanced\n");
    return true;
}

static bool put_all(picture *p, const char *path, const char *part) {
    bool bundles = p->store->columns->sampled > 0, grid = strcmp(p->about->kind, "grid") == 0;
    int panels = p->shown_count, columns = panels > 1 ? 2 : 1;
    text_init(&p->script, p->arena);
    if (!bundles && p->varied_count > 1 && !(grid && p->varied_count == 2)) {
        columns = p->varied_count;
        panels *= columns;
    }
    if (!put_terminal(p, path, part, (panels + columns - 1) / columns, columns))
        return false;
    if (bundles)
        put_bundles(p);
    else if (p->varied_count == 1)
        put_curves(p);
    else if (grid && p->varied_count == 2)
        put_maps(p);
    else
        put_dots(p);
    text_add(&p->script, "unset multiplot\nset output\n");
    return true;
}

static picture_end refuse(diags *d, const char *path, const char *why, const char *hint) {
    diag_error(d, (place){0}, "cannot make the picture '%s': %s", path, why)->hint = hint;
    return PICTURE_REFUSED;
}

static picture_end draw(picture *p, output *o, const char *path, const volatile sig_atomic_t *stop,
                        diags *d) {
    const char *why = "";
    if (!put_all(p, path, o->part))
        return refuse(d, path, "there is no such format", "svg, png and pdf are there");
    output_lend(o);
    switch (gnuplot_run(p->arena, &p->script, stop, &why)) {
    case GNUPLOT_DONE:
        return PICTURE_DONE;
    case GNUPLOT_STOPPED:
        return PICTURE_STOPPED;
    case GNUPLOT_MISSING:
        return refuse(d, path, "it takes gnuplot, which cannot be found", "install the package gnuplot-nox");
    default:
        return refuse(d, path, arena_print(p->arena, "gnuplot says: %s", why), NULL);
    }
}

picture_end picture_make(arena *a, const sweep_about *s, const char *path, const volatile sig_atomic_t *stop,
                         diags *d) {
    picture p = {.arena = a, .about = s, .store = s->store};
    output o;
    find_varied(&p);
    find_shown(&p);
    if (p.varied_count == 0 && s->store->columns->sampled == 0)
        return refuse(d, path, "nothing varies", NULL);
    if (!output_open(&o, a, path, OUTPUT_FILE)) {
        diag_error(d, (place){0}, "cannot write '%s': %s", path, output_why(&o, a));
        return PICTURE_NOT_WRITTEN;
    }
    picture_end end = draw(&p, &o, path, stop, d);
    if (end != PICTURE_DONE) {
        output_discard(&o);
        return end;
    }
    if (output_place(&o))
        return PICTURE_DONE;
    diag_error(d, (place){0}, "cannot write '%s': %s", path, output_why(&o, a));
    return PICTURE_NOT_WRITTEN;
}
