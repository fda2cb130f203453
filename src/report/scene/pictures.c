/* All instants are drawn to one scale, and in one frame, about what moves where it goes far. */
#include "report/scene/pictures.h"

#include "base/output.h"
#include "report/scene/film.h"
#include "report/scene/write.h"

#include <math.h>
#include <string.h>

static const double MARGIN = 2.5, CAPTION = 6, GAP = 4;  // mm
static const double WIDTH = 60, HEIGHT = 55;             // of one of several instants, mm
static const double ALONE_WIDTH = 85, ALONE_HEIGHT = 75; // of the only one
static const double FILM_WIDTH = 120, FILM_HEIGHT = 90;
static const double LETTER = 1.6;                          // mm, about as wide as a letter is
static const double SHORTEST = 2, LONGEST = 10, USUAL = 6; // s; a run that lasts so long is shown as it goes
enum { RATE_PLANE = 15, RATE_SPACE = 12, RATE_GIF = 15, RATE_VIDEO = 30, FRAMES_MOST = 300 };

typedef struct {
    arena *arena;
    const picture_wish *wish;
    diags *diags;
    scene scene;
    painting painting;
    const char *stem, *ending; // of the path; ending: "" if none is known
    double *instants;
    int count;
    sheet_of_scenes sheet;
    output video;
    text files;
} maker;

static bool is(const char *a, const char *b) {
    return strcmp(a, b) == 0;
}

// ---- what is wished

static bool refuse(maker *k, const char *what, const char *hint) {
    diag_error(k->diags, (place){0}, "%s", what)->hint = hint;
    return false;
}

static bool set_view(maker *k) {
    const char *name = k->wish->view ? k->wish->view : k->scene.space ? "iso" : "front";
    if (!view_named(&k->scene, name, &k->painting.view))
        return refuse(k, arena_print(k->arena, "there is no view '%s'", name),
                      "front, top, side and iso are there");
    if (!k->scene.space && !is(name, "front"))
        return refuse(k, "a model of the plane is seen from the front", NULL);
    return true;
}

static bool set_style(maker *k) {
    const char *name = k->wish->style ? k->wish->style : "solid";
    if (!is(name, "solid") && !is(name, "lines"))
        return refuse(k, arena_print(k->arena, "there is no style '%s'", name), "solid and lines are there");
    k->painting.style = is(name, "lines") ? STYLE_LINES : STYLE_SOLID;
    return true;
}

static bool is_size(double mm) {
    return mm == 0 || (mm >= 10 && mm <= 1000);
}

static bool set_instants(maker *k) {
    const record *r = k->wish->record;
    double from = record_time(r, 0), to = record_time(r, r->count - 1);
    k->instants = arena_doubles(k->arena, (size_t)k->wish->instant_count + 1);
    for (int i = 0; i < k->wish->instant_count; i++) {
        double t = k->wish->instants[i], near = 1e-9 * fmax(fabs(from), fabs(to));
        if (!(t >= from - near && t <= to + near))
            return refuse(k,
                          arena_print(k->arena, "t = %.6g is not in the run, which goes from %.6g to %.6g", t,
                                      from, to),
                          NULL);
        k->instants[i] = t;
    }
    k->count = k->wish->instant_count;
    return true;
}

static bool is_ending(const char *given, const char *const *known) {
    for (; *known; known++)
        if (is(given, *known))
            return true;
    return false;
}

static bool set_path(maker *k) {
    static const char *const stills[] = {"svg", "pdf", NULL}, *const films[] = {"svg", "gif", "webm", "mp4",
                                                                                NULL};
    const char *path = k->wish->path, *slash = strrchr(path, '/'), *end = strrchr(slash ? slash : path, '.');
    bool film = k->wish->instant_count == 0;
    k->stem = path, k->ending = film ? "svg" : "";
    if (end == NULL || end == path || end[-1] == '/')
        return true;
    if (is_ending(end + 1, film ? films : stills)) {
        k->stem = arena_copy(k->arena, path, (size_t)(end - path));
        k->ending = end + 1;
        return true;
    }
    if (strlen(end + 1) > 4 || strspn(end + 1, "abcdefghijklmnopqrstuvwxyz0123456789") < strlen(end + 1))
        return true;
    return refuse(k, arena_print(k->arena, "there is no format '%s' of such pictures", end + 1),
                  film ? "svg, gif, webm and mp4 are there" : "svg and pdf are there");
}

static bool understand(maker *k) {
    const record *r = k->wish->record;
    if (k->scene.items.count == 0)
        return refuse(
            k, "the model draws nothing",
            "bodies, particles and joints draw themselves; for coordinates write what to draw, as in draw "
            "line (0, 0) (x, y)");
    if (!is_size(k->wish->width) || !is_size(k->wish->height))
        return refuse(k, "pictures are between 10 and 1000 mm wide and high", NULL);
    if (k->wish->instant_count == 0 && record_time(r, r->count - 1) <= record_time(r, 0))
        return refuse(k, "nothing moves: the run has one instant", "write 'simulate until', or give --until");
    return set_view(k) && set_style(k) && set_instants(k) && set_path(k);
}

// ---- drawings

static drawing *draw_at(maker *k, double t) {
    drawing *d = arena_alloc(k->arena, sizeof *d);
    *d = (drawing){.arena = k->arena};
    paint(&k->painting, instant_at(k->wish->record, t), d);
    return d;
}

// the place about which an instant is drawn
static point origin_of(const maker *k, double t) {
    if (!k->scene.travels)
        return (point){0, 0};
    vector at = scene_centre(&k->scene, instant_at(k->wish->record, t));
    return (point){vector_dot(at, k->painting.view.right), vector_dot(at, k->painting.view.up)};
}

static void add_frame(frame *f, const frame *more, point origin) {
    if (!(more->right >= more->left))
        return;
    frame_add(f, (point){more->left - origin.x, more->bottom - origin.y}, 0);
    frame_add(f, (point){more->right - origin.x, more->top - origin.y}, 0);
}

static void add_texts(frame *f, const drawing *d, point origin, double scale) {
    for (int i = 0; i < d->marks.count; i++) {
        const mark *m = &d->marks.at[i];
        if (m->kind == MARK_TEXT) {
            double width = LETTER * (double)strlen(m->text) / scale;
            frame_add(f, (point){m->at.x - origin.x + width, m->at.y - origin.y + 2 * LETTER / scale}, 0);
        }
    }
}

static double scale_in(const frame *f, double width, double height) {
    double scale = fmin((width - 2 * MARGIN) / frame_width(f), (height - 2 * MARGIN) / frame_height(f));
    return isfinite(scale) && scale > 0 ? scale : 1;
}

// one frame for all instants; gives its scale
static double find_frame(maker *k, double width, double height, frame *out) {
    *out = frame_none();
    for (int pass = 0; pass < 2; pass++) {
        double scale = pass ? scale_in(out, width, height) : 1;
        for (int i = 0; i < k->count; i++) {
            const drawing *d = k->sheet.panels[i].drawing;
            frame f = drawing_frame(d);
            add_frame(out, &f, origin_of(k, k->instants[i]));
            if (pass)
                add_texts(out, d, origin_of(k, k->instants[i]), scale);
        }
    }
    if (!(out->right >= out->left))
        *out = (frame){-1, 1, -1, 1};
    return scale_in(out, width, height);
}

static void place_panel(panel_of_scene *p, const frame *f, point origin, double scale, double left) {
    p->scale = scale;
    p->left = left, p->top = 0;
    p->width = scale * frame_width(f) + 2 * MARGIN;
    p->height = scale * frame_height(f) + 2 * MARGIN;
    p->x = left + MARGIN - scale * (f->left + origin.x);
    p->y = MARGIN + scale * (f->top + origin.y);
}

static bool is_stopped(const maker *k) {
    return k->wish->stop && *k->wish->stop;
}

// false: it is to be stopped
static bool draw_all(maker *k) {
    for (int i = 0; i < k->count && !is_stopped(k); i++)
        k->sheet.panels[i].drawing = draw_at(k, k->instants[i]);
    return !is_stopped(k);
}

static bool lay_out(maker *k, double width, double height, bool beside) {
    frame f;
    double left = 0, scale = 0;
    const model *m = k->scene.model;
    width = k->wish->width > 0 ? k->wish->width : width;
    height = k->wish->height > 0 ? k->wish->height : height;
    k->sheet.title = m->title ? m->title : k->wish->name;
    k->sheet.count = k->count;
    k->sheet.panels = arena_array(k->arena, panel_of_scene, k->count);
    for (int pass = 0; pass < 2;
         pass++) { // how wide bars are depends on the scale, and that a little on them
        k->painting.mm = pass ? 1 / scale : 0;
        if (!draw_all(k))
            return false;
        scale = find_frame(k, width, height, &f);
    }
    for (int i = 0; i < k->count; i++) {
        panel_of_scene *p = &k->sheet.panels[i];
        place_panel(p, &f, origin_of(k, k->instants[i]), scale, left);
        if (beside && k->count > 1)
            p->caption = arena_print(k->arena, "t = %.6g", k->instants[i]);
        left += beside ? p->width + GAP : 0;
        k->sheet.width = p->left + p->width;
        k->sheet.height = p->height + (p->caption ? CAPTION : 0);
    }
    return true;
}

// ---- files

static void discard_video(void *object) {
    maker *k = object;
    output_discard(&k->video);
}

static picture_end write_file(maker *k, const char *ending, const text *bytes) {
    output o = {.file = -1};
    const char *path = arena_print(k->arena, "%s.%s", k->stem, ending);
    if (model_is_source(k->scene.model, path, k->diags))
        return PICTURE_REFUSED;
    bool done = output_open(&o, k->arena, path, OUTPUT_REPLACES) &&
                output_write(&o, text_string(bytes), (size_t)bytes->bytes.count) && output_place(&o);
    if (done) {
        text_print(&k->files, "%s\n", path);
        return PICTURE_DONE;
    }
    diag_error(k->diags, (place){0}, "cannot write '%s': %s", path, output_why(&o, k->arena));
    output_discard(&o);
    return PICTURE_NOT_WRITTEN;
}

static picture_end write_stills(maker *k) {
    static const struct {
        const char *ending;
        void (*write)(text *out, const sheet_of_scenes *s);
    } formats[] = {{"svg", write_svg}, {"pdf", write_pdf}};
    picture_end end = PICTURE_DONE;
    for (int i = 0; i < 2 && end == PICTURE_DONE; i++) {
        text out;
        if (k->ending[0] && !is(k->ending, formats[i].ending))
            continue;
        text_init(&out, k->arena);
        formats[i].write(&out, &k->sheet);
        end = write_file(k, formats[i].ending, &out);
    }
    return end;
}

static picture_end make_stills(maker *k) {
    bool alone = k->count == 1;
    bool done = lay_out(k, alone ? ALONE_WIDTH : WIDTH, alone ? ALONE_HEIGHT : HEIGHT, true);
    return done ? write_stills(k) : PICTURE_STOPPED;
}

// with so many frames a second
static bool lay_out_film(maker *k, double seconds, double rate) {
    const record *r = k->wish->record;
    double from = record_time(r, 0), span = record_time(r, r->count - 1) - from;
    k->count = (int)fmin(FRAMES_MOST, fmax(2, ceil(seconds * rate)));
    k->instants = arena_doubles(k->arena, (size_t)k->count);
    for (int i = 0; i < k->count; i++)
        k->instants[i] = from + span * i / (k->count - 1);
    k->painting.all_of_traces = true;
    return lay_out(k, FILM_WIDTH, FILM_HEIGHT, false);
}

static picture_end make_svg_film(maker *k, double seconds) {
    text out;
    if (!lay_out_film(k, seconds, k->scene.space ? RATE_SPACE : RATE_PLANE))
        return PICTURE_STOPPED;
    text_init(&out, k->arena);
    write_svg_film(&out, &k->sheet, seconds);
    return write_file(k, k->ending, &out);
}

static picture_end make_gif(maker *k, double seconds) {
    text out;
    arena *scratch = arena_child(k->arena);
    if (!lay_out_film(k, seconds, RATE_GIF))
        return PICTURE_STOPPED;
    text_init(&out, scratch);
    bool done = film_gif(&out, &k->sheet, seconds, k->wish->stop);
    picture_end end = done ? write_file(k, k->ending, &out) : PICTURE_STOPPED;
    arena_free(scratch);
    return end;
}

static picture_end encode(maker *k, output *o, double seconds) {
    const char *why = "";
    output_lend(o);
    switch (film_encode(k->arena, &k->sheet, seconds, k->ending, o->part, k->wish->stop, &why)) {
    case CHILD_DONE:
        return PICTURE_DONE;
    case CHILD_STOPPED:
        return PICTURE_STOPPED;
    case CHILD_MISSING:
        refuse(k, arena_print(k->arena, ".%s is made by ffmpeg, which is not there", k->ending),
               "install it, on Debian and Ubuntu with: apt-get install ffmpeg; .svg and .gif need nothing");
        return PICTURE_REFUSED;
    default:
        diag_error(k->diags, (place){0}, "ffmpeg failed: %s", why);
        return PICTURE_NOT_WRITTEN;
    }
}

static picture_end make_video(maker *k, double seconds) {
    output *o = &k->video;
    const char *path = arena_print(k->arena, "%s.%s", k->stem, k->ending);
    if (model_is_source(k->scene.model, path, k->diags))
        return PICTURE_REFUSED;
    if (!lay_out_film(k, seconds, RATE_VIDEO))
        return PICTURE_STOPPED;
    arena_when_freed(k->arena, discard_video, k); // also where memory runs out meanwhile
    bool open = output_open(o, k->arena, path, OUTPUT_FILE);
    picture_end end = open ? encode(k, o, seconds) : PICTURE_NOT_WRITTEN;
    bool placed = end == PICTURE_DONE && output_place(o);
    if (placed)
        text_print(&k->files, "%s\n", path);
    else if (!open || end == PICTURE_DONE) {
        diag_error(k->diags, (place){0}, "cannot write '%s': %s", path, output_why(o, k->arena));
        end = PICTURE_NOT_WRITTEN;
    }
    discard_video(k);
    return end;
}

static picture_end make_film(maker *k) {
    const record *r = k->wish->record;
    double span = record_time(r, r->count - 1) - record_time(r, 0);
    double seconds = span >= SHORTEST && span <= LONGEST ? span : USUAL;
    return is(k->ending, "svg")   ? make_svg_film(k, seconds)
           : is(k->ending, "gif") ? make_gif(k, seconds)
                                  : make_video(k, seconds);
}

picture_end pictures_make(arena *a, const picture_wish *w, diags *d, const char **files) {
    maker *k = arena_alloc(a, sizeof *k);
    *k = (maker){.arena = a, .wish = w, .diags = d, .video = {.file = -1}};
    text_init(&k->files, a);
    scene_make(&k->scene, a, w->record);
    k->painting.scene = &k->scene;
    if (!understand(k))
        return PICTURE_REFUSED;
    picture_end end = w->instant_count > 0 ? make_stills(k) : make_film(k);
    *files = text_string(&k->files);
    return end;
}
