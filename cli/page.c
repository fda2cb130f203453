#include "page.h"

#include <stdio.h>
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
