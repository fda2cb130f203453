#include "terminal.h"

#include "program.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void terminal_say(const char *format, ...) {
    static char text[1 << 14]; // it is also said that there is no memory
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    trm_text_tame(text, 0);
    fprintf(stderr, "trammel: %s\n", text);
}

bool terminal_name(const char *format, ...) {
    char *text = NULL;
    va_list args;
    va_start(args, format);
    bool put = vasprintf(&text, format, args) < 0;
    if (!put) {
        if (isatty(STDOUT_FILENO))
            trm_text_tame(text, 1);
        put = program_put(text);
        free(text);
    }
    va_end(args);
    return put;
}
