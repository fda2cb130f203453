/* The page that shows a run: a template that is built from web/ and embedded in the program. */
#ifndef TRAMMEL_CLI_PAGE_H
#define TRAMMEL_CLI_PAGE_H

#include <stdbool.h>
#include <stddef.h>

extern const unsigned char page_template[]; // made when the program is built
extern const size_t page_template_size;     // 0: it was built without
extern const unsigned char engine_text[];   // the engine that a page may carry, as it stands there
extern const size_t engine_text_size;       // 0: it was built without
extern const unsigned char models_text[];   // for the menu of the playground: JSON
extern const size_t models_text_size;       // 0: it was built without

/* What stands before and behind the data in the page; false, after telling what to do, if there is no page.
 */
typedef struct {
    const char *before, *behind;
    size_t before_size, behind_size;
} page_frame;
bool page_find(page_frame *out);
/* The whole page with data and, if that is wanted, the engine; free it. *length may be NULL. NULL without
 * memory.
 */
char *page_make(const page_frame *page, const char *data, size_t data_length, bool engine, size_t *length);

#endif
