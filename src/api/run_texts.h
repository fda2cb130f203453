/* What of a run is given as text and decides on its motion. */
#ifndef TRAMMEL_API_RUN_TEXTS_H
#define TRAMMEL_API_RUN_TEXTS_H

#include <trammel/trammel.h>

typedef struct {
    const char *option; // its name
    size_t offset;      // of its place
} run_text;
enum { RUN_TEXTS = 8 };
extern const run_text run_texts[RUN_TEXTS];
const char *run_text_of(const trm_run_def *def, int i);
void run_text_set(trm_run_def *def, int i, const char *value);

#endif
