/* Pictures are 85 mm wide unless that is asked for otherwise, a column of a paper; several together have a
 * column or two of panels. Colours are Okabe and Ito's, which colour-blind readers tell apart, without the
 * yellow that print swallows; each has a dash of its own, so that grey will do. plot_layout.c says where
 * everything stands; gnuplot is left to place nothing but the marks of the axes.
 *
 * Texts reach gnuplot as strings (gnuplot_string), numbers as numbers; nothing else of a model does.
 *
 * A picture is written beside its place and then put there, so that one that is there stays if a new one
 * cannot be made. */
#include "report/plot_print.h"

#include "base/output.h"
#include "report/fonts.h"
#include "report/gnuplot.h"
#include "report/plot_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double MM_PER_INCH = 25.4, PNG_DPI = 300, SVG_DPI = 96; // svg has 96 by definition
static const double LINE_WIDTH = 1.3, COLUMN_GAP = 5;
static const double FINENESS = 4000;    // points nearer than this part of the range are one
static const double OFFSET_PART = 1e-4; // marks have six digits

static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#000000", "#E69F00", "#56B4E9"};
static const char *const dashes[] = {"solid",      "(8,3)",         "(2,2)", "(8,3,2,3)",
                                     "(14,3,2,3)", "(8,3,2,3,2,3)", "(4,2)"};
enum { COLOURS = 7 };

/* What is written: a page of paper with a picture on it, or with several. */
typedef struct {
    text *script;
    double width, height; // mm
    double letters;       // pt
    const fonts *fonts;   // NULL: all characters can be shown
} sheet;

// ---- numbers

typedef vec(long) samples;

// points that could not be told apart on paper are left out; the ends stay
static bool is_seen(const panel *p, long i, long last) {
    double x, y, x0, y0;
    for (int k = 0; k < p->plot->series.count; k++) {
        bool now = panel_point(p, i, k, &x, &y), then = panel_point(p, last, k, &x0, &y0);
        bool far =
            fabs(x - x0) > range_length(p->x) / FINENESS || fabs(y - y0) > range_length(p->y) / FINENESS;
        if (now != then || (now && far))
            return true;
    }
    return i == 0 || i + 1 == p->record->count;
}

static samples seen_samples(arena *a, const panel *p) {
    samples out = {0};
    for (long i = 0; i < p->record->count; i++)
        if (is_seen(p, i, out.count ? out.at[out.count - 1] : 0))
            vec_push(a, out, i);
    return out;
}

static bool is_drawn(const panel *p, const samples *s, int at, int series) {
    double x, y;
    return at >= 0 && at < s->count && panel_point(p, s->at[at], series, &x, &y);
}

// a point that no line leads to or from; all points where they are one
static bool is_alone(const panel *p, const samples *s, int at, int series) {
    bool one = range_length(p->x) == 0 && range_length(p->y) == 0;
    return is_drawn(p, s, at, series) &&
           (one || (!is_drawn(p, s, at - 1, series) && !is_drawn(p, s, at + 1, series)));
}

static bool has_points(const panel *p, const samples *s, int series) {
    for (int i = 0; i < s->count; i++)
        if (is_alone(p, s, i, series))
            return true;
    return false;
}

static void put_number(text *script, double value) {
    char digits[32];
    text_print(script, "%s ", isfinite(value) ? number_shortest(digits, value) : "NaN");
}

// a line for each sample: x and y of each series
static void put_data(text *script, const panel *p, const samples *s, const char *name, int number,
                     bool alone) {
    text_print(script, "$%s%d << end\n", name, number);
    for (int i = 0; i < s->count; i++) {
        for (int k = 0; k < p->plot->series.count; k++) {
            double x, y;
            bool drawn = panel_point(p, s->at[i], k, &x, &y) && (!alone || is_alone(p, s, i, k));
            put_number(script, drawn ? x : NAN);
            put_number(script, drawn ? y : NAN);
        }
        text_add(script, "\n");
    }
    text_add(script, "end\n");
}

// ---- a panel

static void put_place(const sheet *s, double x, double y) {
    text_print(s->script, "screen %.5f,%.5f", x / s->width, y / s->height);
}

static void put_text(const sheet *s, double x, double y, const char *manner, const char *shown) {
    text_add(s->script, "set label ");
    gnuplot_string(s->script, fonts_shown(s->fonts, s->script->arena, shown));
    text_add(s->script, " at ");
    put_place(s, x, y);
    text_print(s->script, " %s noenhanced\n", manner);
}

static void put_colour(text *script, int series) {
    int dash = (series + series / COLOURS) % COLOURS;
    text_print(script, "lw %g lc rgb '%s' dt %s", LINE_WIDTH, colours[series % COLOURS], dashes[dash]);
}

static void put_entry(const sheet *s, const layout *l, int entry, double left, double y) {
    double x = left + entry % l->across * l->column;
    if (entry < LAYOUT_LABELS) {
        text_add(s->script, "set arrow from ");
        put_place(s, x, y);
        text_add(s->script, " to ");
        put_place(s, x + l->sample, y);
        text_add(s->script, " nohead ");
        put_colour(s->script, entry);
        text_add(s->script, "\n");
    }
    put_text(s, x + l->sample + 1, y, "left", l->legend.at[entry]);
}

static void put_texts(const sheet *s, const layout *l, double left, double bottom) {
    for (int i = 0; i < l->title.count; i++)
        put_text(s, left + layout_middle(l, l->title.at[i]), bottom + layout_title(l) - l->line * i, "center",
                 l->title.at[i]);
    put_text(s, left + layout_middle(l, l->x_label), bottom + layout_x_label(l), "center", l->x_label);
    double middle = bottom + l->bottom + l->box_height / 2;
    if (l->y_label[0])
        put_text(s, left + layout_y_label(s->script->arena, l), middle, "center rotate by 90", l->y_label);
    if (l->panel->empty)
        put_text(s, left + l->left + l->box_width / 2, middle, "center", panel_nothing(l->panel));
    double legend = left + (l->width - l->across * l->column) / 2;
    for (int i = 0; i < l->legend.count; i++)
        put_entry(s, l, i, legend, bottom + layout_legend(l, i / l->across));
}

static void put_margin(const sheet *s, const char *name, double part) {
    text_print(s->script, "set %smargin at screen %.5f\n", name, part);
}

static void put_decades(const sheet *s, const char *name, const axis *x) {
    char digits[32];
    layout_marks marks = layout_decades(s->script->arena, x);
    text_print(s->script, "set %stics (", name);
    for (int i = 0; i < marks.count; i++) {
        text_add(s->script, i ? ", " : "");
        gnuplot_string(s->script, fonts_shown(s->fonts, s->script->arena, marks.at[i].shown));
        text_print(s->script, " %s %d", number_shortest(digits, marks.at[i].at), !marks.at[i].shown[0]);
    }
    text_add(s->script, ")\n");
}

static void put_axis(const sheet *s, const char *name, const axis *x) {
    char from[32], to[32], step[32];
    text_print(s->script, "set %srange [%s:%s]\n", name, number_shortest(from, x->from),
               number_shortest(to, x->to));
    if (x->log)
        put_decades(s, name, x);
    else
        text_print(s->script, "set %stics %s\n", name, number_shortest(step, x->step));
}

static void put_curves(text *script, const panel *p, const samples *s, int number) {
    if (p->empty)
        text_add(script, "plot NaN");
    for (int k = 0; k < p->plot->series.count && !p->empty; k++) {
        text_print(script, "%s$p%d using %d:%d with lines ", k ? ", \\\n     " : "plot ", number, 2 * k + 1,
                   2 * k + 2);
        put_colour(script, k);
        if (has_points(p, s, k))
            text_print(script, ", $q%d using %d:%d with points pt 7 ps 0.5 lc rgb '%s'", number, 2 * k + 1,
                       2 * k + 2, colours[k % COLOURS]);
    }
    text_add(script, "\n");
}

// left, bottom: of the picture on the sheet
static void put_panel(const sheet *s, const layout *l, const samples *seen, int number, double left,
                      double bottom) {
    put_margin(s, "l", (left + l->left) / s->width);
    put_margin(s, "r", (left + l->left + l->box_width) / s->width);
    put_margin(s, "b", (bottom + l->bottom) / s->height);
    put_margin(s, "t", (bottom + l->bottom + l->box_height) / s->height);
    put_texts(s, l, left, bottom);
    put_axis(s, "x", &l->x);
    put_axis(s, "y", &l->y);
    put_curves(s->script, l->panel, seen, number);
    text_add(s->script, "unset label\nunset arrow\n");
}

// ---- sheets

static bool is_format(const char *format, const char *name) {
    return strcmp(format, name) == 0;
}

static void put_terminal(const sheet *s, const char *format) {
    bool png = is_format(format, "png");
    double dpi = png ? PNG_DPI : SVG_DPI, pixels = dpi / MM_PER_INCH;
    if (is_format(format, "pdf"))
        text_print(s->script,
                   "set terminal pdfcairo size %.2fcm,%.2fcm font 'sans-serif,%g' fontscale 0.75 lw 1.5\n",
                   s->width / 10, s->height / 10, s->letters);
    else if (png)
        text_print(s->script,
                   "set terminal pngcairo size %.0f,%.0f font 'sans-serif,%g' lw %.2f dl %.2f "
                   "background '#ffffff'\n",
                   s->width * pixels, s->height * pixels, s->letters * dpi / 96, dpi / 96, dpi / 240);
    else
        text_print(s->script,
                   "set terminal svg size %.0f,%.0f font 'sans-serif,%g' fontscale %.3f lw 1 "
                   "background '#ffffff'\n",
                   s->width * pixels, s->height * pixels, s->letters, dpi / 72);
}

// a name that starts with a point and a slash is no pipe and no option, whatever follows
static const char *path_of(arena *a, const char *folder, const char *file) {
    return arena_print(a, "%s%s/%s", folder[0] == '/' ? "" : "./", folder, file);
}

// of the picture with this number, or of that with all
static const char *file_of(arena *a, const char *stem, int number, const char *format) {
    return number ? arena_print(a, "%s-%d.%s", stem, number, format) : arena_print(a, "%s.%s", stem, format);
}

static void put_style(text *script) {
    text_add(script, "set encoding utf8\n"
                     "set border 3 lw 0.8 lc rgb '#444444'\n"
                     "set tics nomirror out scale 0.6 textcolor rgb '#000000'\n"
                     "set grid lc rgb '#d8d8d8' lw 0.6 dt solid\n"
                     "unset key\n"
                     "set minussign\n"
                     "set format '%g'\n");
}

/* What is drawn, plot by plot. */
typedef struct {
    int count;
    panel *panels;
    samples *seen;
    const char *stem, *folder, *format;
    layout_size size;
    const fonts *fonts;
    output *pictures; // (count + 1), the one with all of them first
} figure;

// its file has a name only later: put_names
static void begin_sheet(const sheet *s, const figure *f, int number) {
    put_terminal(s, f->format);
    text_print(s->script, "set output picture%d\n", number);
}

static void put_one(text *script, const figure *f, int which) {
    layout l = layout_of(script->arena, &f->panels[which], f->size, 0);
    sheet s = {script, l.width, l.height, l.letters, f->fonts};
    begin_sheet(&s, f, which + 1);
    put_panel(&s, &l, &f->seen[which], which + 1, 0, 0);
}

// all plots with one margin at the left; rows are as high as their highest
static void put_together(text *script, const figure *f) {
    arena *a = script->arena;
    int across = f->count > 3 ? 2 : 1, down = (f->count + across - 1) / across;
    layout *all = arena_array(a, layout, f->count);
    double left = 0, *heights = arena_doubles(a, (size_t)down), sum = 0;
    for (int i = 0; i < f->count; i++)
        left = fmax(left, layout_of(a, &f->panels[i], f->size, 0).margin);
    for (int i = 0; i < f->count; i++) {
        all[i] = layout_of(a, &f->panels[i], f->size, left);
        heights[i / across] = fmax(i % across ? heights[i / across] : 0, all[i].height);
    }
    for (int i = 0; i < down; i++)
        sum += heights[i];
    double apart = all[0].width + COLUMN_GAP;
    sheet s = {script, across * apart - COLUMN_GAP, sum, all[0].letters, f->fonts};
    begin_sheet(&s, f, 0);
    text_add(script, "set multiplot\n");
    for (int i = 0; i < f->count; i++) {
        if (i % across == 0)
            sum -= heights[i / across];
        double bottom = sum + heights[i / across] - all[i].height;
        put_panel(&s, &all[i], &f->seen[i], i + 1, i % across * apart, bottom);
    }
    text_add(script, "unset multiplot\n");
}

static void put_figure(text *script, const record *r, figure *f) {
    const model *m = r->sys->model;
    arena *a = script->arena;
    if (is_format(f->format, "pdf")) // there, what no font has is shown as a number as large as the page
        f->fonts = fonts_load(a);
    f->panels = arena_array(a, panel, f->count);
    f->seen = arena_array(a, samples, f->count);
    for (int i = 0; i < f->count; i++) {
        f->panels[i] = panel_of(a, r, &m->plots.at[i], OFFSET_PART);
        f->seen[i] = seen_samples(a, &f->panels[i]);
        put_data(script, &f->panels[i], &f->seen[i], "p", i + 1, false);
        put_data(script, &f->panels[i], &f->seen[i], "q", i + 1, true);
    }
    put_style(script);
    for (int i = 0; i < f->count; i++)
        put_one(script, f, i);
    put_together(script, f);
    text_add(script, "set output\n");
}

// ---- files

static bool make_level(const char *folder, diags *d) {
    struct stat info;
    if (mkdir(folder, 0777) == 0)
        return true;
    int error = errno;
    bool there = stat(folder, &info) == 0;
    if (there && S_ISDIR(info.st_mode))
        return true;
    if (there)
        diag_error(d, (place){0}, "'%s' is not a folder", folder);
    else
        diag_error(d, (place){0}, "cannot make the folder '%s': %s", folder, strerror(error));
    return false;
}

// with those that it is in
static bool make_folder(arena *a, const char *folder, diags *d) {
    for (const char *slash = folder; (slash = strchr(slash, '/')); slash++)
        if (slash > folder && !make_level(arena_copy(a, folder, (size_t)(slash - folder)), d))
            return false;
    return make_level(folder, d);
}

static figure_end not_written(arena *a, figure *f, int number, const char *why, diags *d) {
    diag_error(d, (place){0}, "cannot write '%s/%s': %s", f->folder, file_of(a, f->stem, number, f->format),
               why);
    return FIGURE_NOT_WRITTEN;
}

static void discard_pictures(void *object) {
    figure *f = object;
    for (int i = 0; i <= f->count; i++)
        output_discard(&f->pictures[i]);
}

// the files that gnuplot is to write; many may be open at once, so none is kept open here
static figure_end open_pictures(arena *a, const model *m, figure *f, diags *d) {
    f->pictures = arena_array(a, output, f->count + 1);
    for (int i = 0; i <= f->count; i++)
        f->pictures[i].file = -1;
    arena_when_freed(a, discard_pictures, f); // also where memory runs out while they are drawn
    for (int i = 0; i <= f->count; i++) {
        output *o = &f->pictures[i];
        const char *path = path_of(a, f->folder, file_of(a, f->stem, i, f->format));
        if (model_is_source(m, path, d))
            return FIGURE_REFUSED;
        if (!output_open(o, a, path, OUTPUT_FILE))
            return not_written(a, f, i, output_why(o, a), d);
        output_lend(o);
    }
    return FIGURE_DONE;
}

// how the file of each format ends: gnuplot does not tell of a full disk
static bool is_whole(const char *path, const char *format) {
    const char *end = is_format(format, "svg") ? "</svg>" : is_format(format, "png") ? "IEND" : "%%EOF";
    char last[32];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    off_t length = file >= 0 ? lseek(file, 0, SEEK_END) : 0;
    ssize_t count =
        length >= (off_t)sizeof last ? pread(file, last, sizeof last, length - (off_t)sizeof last) : 0;
    if (file >= 0)
        close(file);
    return count > 0 && memmem(last, (size_t)count, end, strlen(end)) != NULL;
}

static figure_end place_pictures(arena *a, figure *f, diags *d, const char **files) {
    text list;
    text_init(&list, a);
    for (int i = 0; i <= f->count; i++)
        if (!is_whole(f->pictures[i].part, f->format))
            return not_written(a, f, i, "gnuplot did not finish it; is the disk full?", d);
    for (int i = 1; i <= f->count + 1; i++) {
        int number = i > f->count ? 0 : i;
        if (!output_place(&f->pictures[number]))
            return not_written(a, f, number, output_why(&f->pictures[number], a), d);
        text_print(&list, "%s/%s\n", f->folder, file_of(a, f->stem, number, f->format));
    }
    *files = text_string(&list);
    return FIGURE_DONE;
}

static figure_end failed(diags *d, gnuplot_end ended, const char *why) {
    if (ended == GNUPLOT_STOPPED)
        return FIGURE_STOPPED;
    if (ended == GNUPLOT_FAILED) {
        diag_error(d, (place){0}, "gnuplot failed: %s", why);
        return FIGURE_NOT_WRITTEN;
    }
    diag_error(d, (place){0}, "pictures are made by gnuplot, which is not there")->hint =
        "install it, on Debian and Ubuntu with: apt-get install gnuplot-nox";
    return FIGURE_REFUSED;
}

// an empty script: whether gnuplot is there at all
static gnuplot_end try_gnuplot(arena *a, const figure_wish *w, const char **why) {
    text script;
    text_init(&script, a);
    return gnuplot_run(a, &script, w->stop, why);
}

static void put_names(text *script, const figure *f) {
    for (int i = 0; i <= f->count; i++) {
        text_print(script, "picture%d = ", i);
        gnuplot_string(script, f->pictures[i].part);
        text_add(script, "\n");
    }
}

static figure_end draw_and_place(arena *a, const figure_wish *w, const text *drawing, figure *f, diags *d,
                                 const char **files) {
    const char *why = "";
    text script;
    text_init(&script, drawing->arena);
    put_names(&script, f);
    text_add_bytes(&script, text_string(drawing), drawing->bytes.count);
    gnuplot_end ended = gnuplot_run(a, &script, w->stop, &why);
    return ended == GNUPLOT_DONE ? place_pictures(a, f, d, files) : failed(d, ended, why);
}

/* What is to be drawn may take long to write, so there are no files before that is done. From then on the
 * flag that stops it is looked at in time. */
static figure_end draw(arena *a, const figure_wish *w, figure *f, diags *d, const char **files) {
    arena *own = arena_child(a);
    text drawing;
    text_init(&drawing, own);
    put_figure(&drawing, w->record, f);
    if (w->busy)
        *w->busy = 1;
    figure_end made = open_pictures(a, w->record->sys->model, f, d);
    if (made == FIGURE_DONE)
        made = draw_and_place(a, w, &drawing, f, d, files);
    discard_pictures(f);
    arena_free(own);
    return made;
}

static bool is_between(double given, double least, double most) {
    return given == 0 || (given >= least && given <= most);
}

// whether what is asked for leaves room for what is to be shown
static bool has_room(arena *a, const figure_wish *w, diags *d) {
    const model *m = w->record->sys->model;
    const layout_size *s = &w->size;
    if (!is_between(s->width, 20, 1000) || !is_between(s->height, 20, 1000) ||
        !is_between(s->letters, 4, 40)) {
        diag_error(d, (place){0},
                   "a picture is 20 to 1000 mm wide and high, with letters of 4 to 40 pt; not %g x %g mm and "
                   "%g pt",
                   s->width, s->height, s->letters);
        return false;
    }
    bool fits = true;
    arena *own = arena_child(a);
    for (int i = 0; i < m->plots.count && fits; i++) {
        panel p = panel_of(own, w->record, &m->plots.at[i], OFFSET_PART);
        layout l = layout_of(own, &p, *s, 0);
        fits = layout_fits(&l);
        if (!fits)
            diag_error(d, m->plots.at[i].at,
                       "there is no room for this plot in %g x %g mm with letters of %g pt", l.width,
                       l.height, l.letters)
                ->hint = "make the picture larger, or the letters smaller, or its title and names shorter";
    }
    arena_free(own);
    return fits;
}

figure_end figure_make(arena *a, const figure_wish *w, diags *d, const char **files) {
    const char *why = "", *end = strrchr(w->name, '.');
    const char *stem =
        arena_copy(a, w->name, end && end > w->name ? (size_t)(end - w->name) : strlen(w->name));
    figure *f = arena_alloc(a, sizeof *f);
    *f = (figure){.count = w->record->sys->model->plots.count,
                  .stem = stem,
                  .folder = w->folder,
                  .format = w->format,
                  .size = w->size};
    if (!is_format(w->format, "svg") && !is_format(w->format, "png") && !is_format(w->format, "pdf")) {
        diag_error(d, (place){0}, "there is no format '%s' of pictures", w->format)->hint =
            "svg, png and pdf are there";
        return FIGURE_REFUSED;
    }
    if (!has_room(a, w, d))
        return FIGURE_REFUSED;
    gnuplot_end ended = try_gnuplot(a, w, &why);
    if (ended != GNUPLOT_DONE)
        return failed(d, ended, why);
    return make_folder(a, w->folder, d) ? draw(a, w, f, d, files) : FIGURE_NOT_WRITTEN;
}
