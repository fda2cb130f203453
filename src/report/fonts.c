#include "report/fonts.h"

#include "base/text.h"
#include "report/letters.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

/* Of fontconfig, unchanged since version 2.0. */
typedef struct {
    int count, room;
    void **patterns; // one for each font
} font_set;
enum { OF_THE_SYSTEM = 0, MATCHED = 0 };

struct fonts {
    void *config;
    const font_set *set;
    void (*destroy)(void *config);
    int (*charset_of)(const void *pattern, const char *what, int which, void **charset);
    int (*has)(const void *charset, unsigned code);
};

static void release(void *object) {
    fonts *f = object;
    if (f->config)
        f->destroy(f->config);
}

// dlsym gives a pointer to an object; POSIX says that it may be used so
static bool find(void *library, const char *name, void *function) {
    *(void **)function = dlsym(library, name);
    return *(void **)function != NULL;
}

static void load(fonts *f, arena *a, void *library) {
    void *(*begin)(void);
    const font_set *(*fonts_of)(void *config, int which);
    if (!find(library, "FcInitLoadConfigAndFonts", &begin) || !find(library, "FcConfigGetFonts", &fonts_of) ||
        !find(library, "FcConfigDestroy", &f->destroy) ||
        !find(library, "FcPatternGetCharSet", &f->charset_of) || !find(library, "FcCharSetHasChar", &f->has))
        return;
    arena_when_freed(a, release, f);
    f->config = begin();
    f->set = f->config ? fonts_of(f->config, OF_THE_SYSTEM) : NULL;
}

const fonts *fonts_load(arena *a) {
    fonts *f = arena_array(a, fonts, 1);
    void *library = dlopen("libfontconfig.so.1", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    *f = (fonts){0};
    if (library) {
        load(f, a, library);
        dlclose(library); // it stays in the process
    }
    return f;
}

static bool have(const fonts *f, unsigned code) {
    void *charset;
    for (int i = 0; i < f->set->count; i++)
        if (f->charset_of(f->set->patterns[i], "charset", 0, &charset) == MATCHED && f->has(charset, code))
            return true;
    return false;
}

const char *fonts_shown(const fonts *f, arena *a, const char *shown) {
    text out;
    if (f == NULL || f->set == NULL)
        return shown;
    text_init(&out, a);
    for (int length; *shown; shown += length) {
        unsigned code = letters_code(shown, &length);
        if (code < 0x80 || letters_in_print(code) == 0 || have(f, code))
            text_add_bytes(&out, shown, length);
        else
            text_add(&out, have(f, 0x25A1) ? "□" : "?");
    }
    return text_string(&out);
}
