#include "report/gnuplot.h"

#include "report/child.h"

// in any locale
static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// no digit stands as itself: gnuplot would take it for one more of the code before it
void gnuplot_string(text *script, const char *shown) {
    text_add(script, "\"");
    for (const char *c = shown; *c;) {
        int length = text_character(c);
        bool bad = length == 0 || ((unsigned char)*c < ' ' && *c != '\n') || *c == 127;
        for (int i = 0; i < (bad ? 1 : length); i++)
            if (!bad && (is_letter(c[i]) || c[i] == ' '))
                text_add_bytes(script, c + i, 1);
            else
                text_print(script, "\\%03o", bad ? '?' : (unsigned)(unsigned char)c[i]);
        c += length ? length : 1;
    }
    text_add(script, "\"");
}

static bool whole_script(void *context, const char **bytes, size_t *length) {
    const text **script = context;
    if (*script == NULL)
        return false;
    *bytes = text_string(*script);
    *length = (size_t)(*script)->bytes.count;
    *script = NULL;
    return true;
}

gnuplot_end gnuplot_run(arena *a, const text *script, const volatile sig_atomic_t *stop, const char **why) {
    static char *const arguments[] = {"gnuplot", "-d", NULL}; // -d: no settings of the user's
    static const gnuplot_end ends[] = {[CHILD_DONE] = GNUPLOT_DONE,
                                       [CHILD_MISSING] = GNUPLOT_MISSING,
                                       [CHILD_FAILED] = GNUPLOT_FAILED,
                                       [CHILD_STOPPED] = GNUPLOT_STOPPED};
    return ends[child_run(a, arguments, whole_script, &script, stop, why)];
}
