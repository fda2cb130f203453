#include "page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char opening[] = "<script type=\"application/json\" id=\"data\">";
static const char placeholder[] = "null</script>";

bool page_find(page_frame *out) {
    const char *page = (const char *)page_template;
    const char *at =
        page_template_size ? memmem(page, page_template_size, opening, sizeof opening - 1) : NULL;
    const char *data = at ? at + sizeof opening - 1 : NULL, *end = page + page_template_size;
    if (data == NULL || (size_t)(end - data) < sizeof placeholder - 1 ||
        memcmp(data, placeholder, sizeof placeholder - 1) != 0) {
        fprintf(stderr, "trammel: this program was built without its page\n"
                        "    build it again with Node.js 18.18 or newer and npm, and the network at hand:\n"
                        "    on Debian and Ubuntu 'make web' does all of it; elsewhere install them first\n");
        return false;
    }
    *out = (page_frame){page, data + strlen("null"), (size_t)(data - page),
                        (size_t)(end - data) - strlen("null")};
    return true;
}

static const char data_end[] = "</script>";
static const char engine_opening[] = "\n<script type=\"application/wasm+gzip+base64\" id=\"engine\">";

char *page_make(const page_frame *page, const char *data, size_t data_length, bool engine, size_t *length) {
    engine = engine && engine_text_size;
    size_t more = engine ? sizeof data_end - 1 + sizeof engine_opening - 1 + engine_text_size : 0;
    char *text = malloc(page->before_size + data_length + more + page->behind_size + 1), *end = text;
    if (text == NULL)
        return NULL;
    end = mempcpy(end, page->before, page->before_size);
    end = mempcpy(end, data, data_length);
    if (engine) { // in an element behind that of the data, which ends where the page goes on
        end = mempcpy(end, data_end, sizeof data_end - 1);
        end = mempcpy(end, engine_opening, sizeof engine_opening - 1);
        end = mempcpy(end, engine_text, engine_text_size);
    }
    end = mempcpy(end, page->behind, page->behind_size);
    *end = '\0';
    if (length)
        *length = (size_t)(end - text);
    return text;
}
