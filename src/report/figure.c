/* A picture is 85 mm wide, a column of a paper; several together have a column or two of panels. Colours are
 * Okabe and Ito's, which colour-blind readers tell apart, without the yellow that print swallows; each has a
 * dash of its own, so that grey will do. The legend stands below the picture.
 *
 * Texts reach gnuplot as strings (gnuplot_string), numbers as numbers; nothing else of a model does. */
#include "report/figure.h"

#include "report/gnuplot.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double COLUMN = 85, HEIGHT = 58;          // mm
static const double POINT_SIZE = 8;                    // of letters
static const double MM_PER_INCH = 25.4, PNG_DPI = 300; // svg has 96 by definition
enum { LABELS_MOST = 24, LABEL_LENGTH = 48 };          // in a legend
enum { Y_LABEL_LENGTH = 20 };                          // longer ones stand in the legend
static const double FINENESS = 4000;                   // points nearer than this part of the range are one

static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#000000", "#E69F00", "#56B4E9"};
static const char *const dashes[] = {"solid",      "(8,3)",         "(2,2)", "(8,3,2,3)",
                                     "(14,3,2,3)", "(8,3,2,3,2,3)", "(4,2)"};
enum { COLOURS = 7 };

typedef struct {
    double least, most;
} range;

/* What is drawn of a plot. */
typedef struct {
    const model_plot *plot;
    range x, y;
    double offset; // taken off y, where it varies but little about that
    bool flat;     // y does not vary at all, but for rounding
    bool to_scale; // x and y have one scale
} panel;

// ---- ranges

static void take_in(range *r, double value) {
    if (!isfinite(value))
        return;
    r->least = fmin(r->least, value);
    r->most = fmax(r->most, value);
}

static range range_of(const record *r, const model_series *s, int count) {
    range out = {INFINITY, -INFINITY};
    for (int k = 0; k < count; k++)
        for (long i = 0; i < r->count; i++)
            take_in(&out, record_view(r, i, s[k].view));
    return out.least <= out.most ? out : (range){0, 0};
}

static double length_of(range r) {
    return r.most - r.least;
}

static double size_of(range r) {
    return fmax(fabs(r.least), fabs(r.most));
}

static panel panel_of(const record *r, const model_plot *plot) {
    panel p = {.plot = plot};
    p.x = range_of(r, &plot->across, 1);
    p.y = range_of(r, plot->series.at, plot->series.count);
    double varies = length_of(p.y), size = size_of(p.y);
    p.flat = varies <= 1e-12 * size;
    if (!p.flat && varies < 1e-5 * size)
        p.offset = p.y.least;
    double ratio = length_of(p.x) > 0 ? varies / length_of(p.x) : 0;
    p.to_scale = plot->lengths && ratio > 0.25 && ratio < 4 && p.offset == 0;
    return p;
}

// ---- numbers

// points that could not be told apart on paper are left out; the ends stay
static bool is_seen(const record *r, const panel *p, long i, long last) {
    const model_plot *plot = p->plot;
    double x = record_view(r, i, plot->across.view), x0 = record_view(r, last, plot->across.view);
    bool seen = i == 0 || i + 1 == r->count || !(fabs(x - x0) <= length_of(p->x) / FINENESS);
    for (int k = 0; !seen && k < plot->series.count; k++) {
        int view = plot->series.at[k].view;
        seen = !(fabs(record_view(r, i, view) - record_view(r, last, view)) <= length_of(p->y) / FINENESS);
    }
    return seen;
}

static void put_number(text *script, double value) {
    char digits[32];
    text_print(script, "%s ", isfinite(value) ? text_number(digits, value) : "NaN");
}

// $p1 << end: one line for each point, x and the series
static void put_data(text *script, const record *r, const panel *p, int number) {
    long last = 0;
    text_print(script, "$p%d << end\n", number);
    for (long i = 0; i < r->count; i++) {
        if (!is_seen(r, p, i, last))
            continue;
        last = i;
        put_number(script, record_view(r, i, p->plot->across.view));
        for (int k = 0; k < p->plot->series.count; k++)
            put_number(script, record_view(r, i, p->plot->series.at[k].view) - p->offset);
        text_add(script, "\n");
    }
    text_add(script, "end\n");
}

// ---- texts

static const char *label_of(arena *a, const char *shown) {
    int bytes = 0, characters = 0;
    for (; shown[bytes] && characters < LABEL_LENGTH; characters++) {
        int length = text_character(shown + bytes);
        bytes += length ? length : 1;
    }
    return shown[bytes] ? arena_print(a, "%.*s…", bytes, shown) : shown;
}

static void put_set(text *script, const char *what, const char *shown) {
    text_print(script, "set %s ", what);
    gnuplot_string(script, shown);
    text_add(script, " noenhanced\n");
}

static bool has_y_label(const model_plot *plot) {
    return plot->series.count == 1 && strlen(plot->series.at[0].text) <= Y_LABEL_LENGTH;
}

static void put_y_label(text *script, const panel *p) {
    char digits[32];
    const char *shown = has_y_label(p->plot) ? p->plot->series.at[0].text : "";
    if (p->offset != 0)
        shown = arena_print(script->arena, "%s − %s", shown, text_number(digits, p->offset));
    put_set(script, "ylabel", shown);
}

// ---- a panel

static void put_range(text *script, const char *axis, double least, double most) {
    char from[32], to[32];
    text_print(script, "set %srange [%s:%s]\n", axis, text_number(from, least), text_number(to, most));
}

// the distance of marks: 1, 2 or 5 times a power of ten, for five or six of them
static double step_of(double length) {
    double rough = length / 5, power = pow(10, floor(log10(rough))), step = rough / power;
    return (step < 1.5 ? 1 : step < 3.5 ? 2 : step < 7.5 ? 5 : 10) * power;
}

static double y_length(const panel *p) {
    double middle = (p->y.least + p->y.most) / 2;
    return !p->flat ? length_of(p->y) : middle != 0 ? fabs(middle) / 5 : 2;
}

// characters at the left of the marks of y; panels above each other take the most that one needs
static double margin_of(const panel *p) {
    double step = step_of(y_length(p)), from = floor((p->y.least - p->offset) / step) * step;
    int longest = 0;
    for (int i = 0; i < 12; i++) {
        double mark = from + i * step;
        int length = snprintf(NULL, 0, "%g", fabs(mark) < step / 1e3 ? 0 : mark);
        longest = length > longest ? length : longest;
    }
    return longest + (has_y_label(p->plot) || p->offset != 0 ? 5.5 : 3.5);
}

static void put_marks(text *script, const char *axis, double length) {
    char digits[32];
    double step = step_of(length);
    if (isfinite(step) && step > 0)
        text_print(script, "set %stics %s\n", axis, text_number(digits, step));
    else
        text_print(script, "set %stics autofreq\n", axis);
}

static void put_ranges(text *script, const panel *p) {
    bool against_time = p->plot->across.view < 0, still = !(length_of(p->x) > 0);
    text_print(script, "set size %s\n", p->to_scale ? "ratio -1" : "noratio");
    if (still)
        put_range(script, "x", p->x.least - 1, p->x.most + 1);
    else if (against_time)
        put_range(script, "x", p->x.least, p->x.most);
    else
        text_add(script, "set xrange [*:*]\n");
    put_marks(script, "x", still ? 2 : length_of(p->x));
    double middle = (p->y.least + p->y.most) / 2, around = middle != 0 ? fabs(middle) / 10 : 1;
    if (p->flat)
        put_range(script, "y", middle - around, middle + around);
    else
        text_add(script, "set yrange [*:*]\n");
    put_marks(script, "y", y_length(p));
}

static void put_series(text *script, const panel *p, int number, int k) {
    const model_plot *plot = p->plot;
    int style = k % COLOURS, dash = (k + k / COLOURS) % COLOURS;
    text_print(script, "%s$p%d using 1:%d with lines lw 1.3 lc rgb '%s' dt %s ", k ? ", \\\n     " : "plot ",
               number, k + 2, colours[style], dashes[dash]);
    if (has_y_label(plot) || k >= LABELS_MOST) {
        text_add(script, "notitle");
        return;
    }
    int more = plot->series.count - LABELS_MOST;
    const char *shown = label_of(script->arena, plot->series.at[k].text);
    if (k + 1 == LABELS_MOST && more > 0)
        shown = arena_print(script->arena, "%s, and %d more", shown, more);
    text_add(script, "title ");
    gnuplot_string(script, shown);
    text_add(script, " noenhanced");
}

static void put_panel(text *script, const panel *p, int number, double margin) {
    text_print(script, "set lmargin %g\n", margin);
    put_set(script, "title", p->plot->title);
    put_set(script, "xlabel", label_of(script->arena, p->plot->across.text));
    put_y_label(script, p);
    put_ranges(script, p);
    for (int k = 0; k < p->plot->series.count; k++)
        put_series(script, p, number, k);
    text_add(script, "\n");
}

// ---- files

static bool is_format(const char *format, const char *name) {
    return strcmp(format, name) == 0;
}

// sizes in mm
static void put_terminal(text *script, const char *format, double width, double height) {
    double dpi = is_format(format, "png") ? PNG_DPI : 96, pixels = dpi / MM_PER_INCH;
    if (is_format(format, "pdf"))
        text_print(script, "set terminal pdfcairo size %.2fcm,%.2fcm font 'sans-serif,%g' lw 1\n", width / 10,
                   height / 10, POINT_SIZE);
    else if (is_format(format, "png"))
        text_print(script,
                   "set terminal pngcairo size %.0f,%.0f font 'sans-serif,%.0f' lw %.2f dl %.2f "
                   "background '#ffffff'\n",
                   width * pixels, height * pixels, POINT_SIZE * dpi / 96, dpi / 96, dpi / 240);
    else // letters are taken for larger than they are: space is left for those of 0.84 of the size
        text_print(script,
                   "set terminal svg size %.0f,%.0f font 'sans-serif,%.0f' fontscale 1.19 lw 1 "
                   "background '#ffffff'\n",
                   width * pixels, height * pixels, 0.84 * POINT_SIZE * dpi / 72);
}

// a name that starts with a point and a slash is no pipe and no option, whatever follows
static const char *path_of(arena *a, const char *folder, const char *file) {
    return arena_print(a, "%s%s/%s", folder[0] == '/' ? "" : "./", folder, file);
}

static void put_output(text *script, const char *folder, const char *file) {
    text_add(script, "set output ");
    gnuplot_string(script, path_of(script->arena, folder, file));
    text_add(script, "\n");
}

static const char *file_of(arena *a, const char *stem, int number, const char *format) {
    return number ? arena_print(a, "%s-%d.%s", stem, number, format) : arena_print(a, "%s.%s", stem, format);
}

// rows of the legend, by its longest label: it stands in columns
static double legend_height(const panel *p) {
    int count = p->plot->series.count, longest = 0;
    if (has_y_label(p->plot))
        return 0;
    for (int k = 0; k < count; k++) {
        int length = (int)strlen(p->plot->series.at[k].text);
        longest = length > longest ? length : longest;
    }
    int across = 55 / (fmin(longest, LABEL_LENGTH) + 9);
    across = across < 1 ? 1 : across;
    count = count > LABELS_MOST ? LABELS_MOST : count;
    return 3.8 * ((count + across - 1) / across);
}

static double height_of(const panel *p) {
    double height = HEIGHT;
    if (p->to_scale)
        height = fmax(45, fmin(115, 20 + 65 * length_of(p->y) / length_of(p->x)));
    return height + legend_height(p);
}

static void put_together(text *script, const panel *panels, int count) {
    int across = count > 3 ? 2 : 1, down = (count + across - 1) / across;
    text_print(script, "set multiplot layout %d,%d\n", down, across);
    double margin = 0;
    for (int i = 0; i < count; i++)
        margin = fmax(margin, margin_of(&panels[i]));
    for (int i = 0; i < count; i++)
        put_panel(script, &panels[i], i + 1, margin);
    text_add(script, "unset multiplot\n");
}

static void put_style(text *script) {
    text_add(script, "set encoding utf8\n"
                     "set border 3 lw 0.8 lc rgb '#444444'\n"
                     "set tics nomirror out scale 0.6 textcolor rgb '#000000'\n"
                     "set grid lc rgb '#d8d8d8' lw 0.6 dt solid\n"
                     "set key below center horizontal Left reverse samplen 3 spacing 1.15\n"
                     "set rmargin 3\n"
                     "set tmargin 2.2\n"
                     "set title offset 0,-0.6\n"
                     "set xlabel offset 0,0.4\n"
                     "set minussign\n"
                     "set format '%g'\n");
}

void figure_script(text *script, const record *r, const char *stem, const char *folder, const char *format) {
    const model *m = r->sys->model;
    int count = m->plots.count;
    double tallest = 0;
    panel *panels = arena_array(script->arena, panel, count);
    for (int i = 0; i < count; i++) {
        panels[i] = panel_of(r, &m->plots.at[i]);
        put_data(script, r, &panels[i], i + 1);
        tallest = fmax(tallest, height_of(&panels[i]));
    }
    put_style(script);
    for (int i = 0; i < count; i++) {
        put_terminal(script, format, COLUMN, height_of(&panels[i]));
        put_output(script, folder, file_of(script->arena, stem, i + 1, format));
        put_panel(script, &panels[i], i + 1, margin_of(&panels[i]));
    }
    if (count > 1) {
        int across = count > 3 ? 2 : 1, down = (count + across - 1) / across;
        put_terminal(script, format, across * (COLUMN + 5) - 5, down * tallest);
        put_output(script, folder, file_of(script->arena, stem, 0, format));
        put_together(script, panels, count);
    }
    text_add(script, "set output\n");
}

// ---- all of it

static bool make_folder(const char *folder, diags *d) {
    if (mkdir(folder, 0777) == 0 || errno == EEXIST)
        return true;
    diag_error(d, (place){0}, "cannot make the folder '%s': %s", folder, strerror(errno));
    return false;
}

static bool was_written(arena *a, const char *folder, const char *file) {
    struct stat info;
    return stat(path_of(a, folder, file), &info) == 0 && info.st_size > 0;
}

static figure_end list_files(arena *a, const record *r, const char *stem, const char *folder,
                             const char *format, diags *d, const char **files) {
    int count = r->sys->model->plots.count;
    text list;
    text_init(&list, a);
    for (int i = 1; i <= count + (count > 1); i++) {
        const char *file = file_of(a, stem, i > count ? 0 : i, format);
        if (!was_written(a, folder, file)) {
            diag_error(d, (place){0}, "cannot write '%s/%s'", folder, file);
            return FIGURE_NOT_WRITTEN;
        }
        text_print(&list, "%s/%s\n", folder, file);
    }
    *files = text_string(&list);
    return FIGURE_DONE;
}

// what a picture of an earlier run left behind must not be taken for one of this
static void remove_old(arena *a, const record *r, const char *stem, const char *folder, const char *format) {
    for (int i = 0; i <= r->sys->model->plots.count; i++)
        unlink(path_of(a, folder, file_of(a, stem, i, format)));
}

figure_end figure_make(arena *a, const record *r, const char *name, const char *folder, const char *format,
                       diags *d, const char **files) {
    const char *why = "", *end = strrchr(name, '.');
    const char *stem = arena_copy(a, name, end && end > name ? (size_t)(end - name) : strlen(name));
    if (!is_format(format, "svg") && !is_format(format, "png") && !is_format(format, "pdf")) {
        diag_error(d, (place){0}, "there is no format '%s' of pictures", format)->hint =
            "svg, png and pdf are there";
        return FIGURE_REFUSED;
    }
    if (!make_folder(folder, d))
        return FIGURE_NOT_WRITTEN;
    arena *own = arena_child(a);
    text script;
    text_init(&script, own);
    figure_script(&script, r, stem, folder, format);
    remove_old(a, r, stem, folder, format);
    gnuplot_end ended = gnuplot_run(a, &script, &why);
    arena_free(own);
    if (ended == GNUPLOT_MISSING) {
        diag_error(d, (place){0}, "pictures are made by gnuplot, which is not there")->hint =
            "install it, on Debian and Ubuntu with: apt-get install gnuplot-nox";
        return FIGURE_REFUSED;
    }
    if (ended == GNUPLOT_FAILED) {
        diag_error(d, (place){0}, "gnuplot failed: %s", why);
        return FIGURE_NOT_WRITTEN;
    }
    return list_files(a, r, stem, folder, format, d, files);
}
