#include "report/scene/film.h"

#include "report/scene/gif.h"

#include <math.h>
#include <string.h>

static const double GIF_DOTS = 4, VIDEO_DOTS = 8; // for a mm
enum { HUNDREDTHS = 100, SEEN = 12 };             // frames that the palette is of

static pixels canvas(arena *a, const sheet_of_scenes *s, double dots) {
    int width = (int)ceil(s->width * dots), height = (int)ceil(s->height * dots);
    return pixels_new(a, width + width % 2, height + height % 2); // video wants even numbers
}

static void draw(pixels *to, const sheet_of_scenes *s, int at, double dots, arena *memory) {
    arena *scratch = arena_child(memory);
    pixels_paint(to, &s->panels[at], dots, scratch);
    arena_free(scratch);
}

// ---- GIF

bool film_gif(text *out, const sheet_of_scenes *s, double seconds, const volatile sig_atomic_t *stop) {
    arena *a = arena_child(out->arena);
    pixels p = canvas(a, s, GIF_DOTS);
    gif *g = gif_new(a, p.width, p.height);
    int shown = 0;
    for (int i = 0; i < SEEN; i++) {
        draw(&p, s, i * (s->count - 1) / (SEEN - 1), GIF_DOTS, a);
        gif_see(g, &p);
    }
    gif_begin(g, out);
    for (int i = 0; i < s->count && !(stop && *stop); i++) {
        int until = (int)lround(HUNDREDTHS * seconds * (i + 1) / s->count);
        draw(&p, s, i, GIF_DOTS, a);
        gif_add(g, out, &p, until - shown);
        shown = until;
    }
    gif_end(out);
    arena_free(a);
    return !(stop && *stop);
}

// ---- ffmpeg

typedef struct {
    const sheet_of_scenes *sheet;
    arena *arena;
    pixels pixels;
    int next;
} reel;

static bool next_frame(void *context, const char **bytes, size_t *length) {
    reel *r = context;
    if (r->next == r->sheet->count)
        return false;
    draw(&r->pixels, r->sheet, r->next++, VIDEO_DOTS, r->arena);
    *bytes = (const char *)r->pixels.rgb;
    *length = (size_t)r->pixels.width * (size_t)r->pixels.height * 3;
    return true;
}

child_end film_encode(arena *a, const sheet_of_scenes *s, double seconds, const char *ending,
                      const char *path, const volatile sig_atomic_t *stop, const char **why) {
    bool mp4 = strcmp(ending, "mp4") == 0;
    reel r = {.sheet = s, .arena = arena_child(a)};
    r.pixels = canvas(r.arena, s, VIDEO_DOTS);
    char *size = arena_print(a, "%dx%d", r.pixels.width, r.pixels.height);
    char *rate = arena_print(a, "%.6g", s->count / seconds), *to = arena_print(a, "file:%s", path);
    char *const arguments[] = {"ffmpeg",
                               "-v",
                               "error",
                               "-y",
                               "-f",
                               "rawvideo",
                               "-pix_fmt",
                               "rgb24",
                               "-s",
                               size,
                               "-r",
                               rate,
                               "-i",
                               "-",
                               "-an",
                               "-c:v",
                               mp4 ? "libx264" : "libvpx-vp9",
                               "-crf",
                               mp4 ? "20" : "32",
                               "-b:v",
                               "0",
                               "-pix_fmt",
                               "yuv420p",
                               "-f",
                               mp4 ? "mp4" : "webm",
                               to,
                               NULL};
    child_end end = child_run(a, arguments, next_frame, &r, stop, why);
    arena_free(r.arena);
    return end;
}
