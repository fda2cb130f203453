/* Any text as a robot description: what is imported is a model without errors, what is not says why. */
#include "fuzz/small_machine.h"
#include "import/import.h"

#include <trammel/trammel.h>

#include <stdlib.h>
#include <string.h>

static void read_model(const char *text) {
    trm_model *m = NULL;
    trm_status status = trm_model_read_text("robot.tram", text, NULL, 0, &m);
    if (status != TRM_OK && status != TRM_NO_MEMORY)
        abort();
    trm_model_free(m);
}

static void import(arena *a, const char *text) {
    source s = {"robot.urdf", text, (int)strlen(text)};
    import_options o = {.free_base = s.length % 2};
    diags d = {.arena = a};
    const char *model = import_robot(a, &s, &o, &d);
    if ((model == NULL) != (d.errors > 0))
        abort();
    diags_text(&d, a, 0);
    if (model)
        read_model(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = text_of(data, size);
    arena *a = arena_new(0);
    jmp_buf out_of_memory;
    if (a && !setjmp(out_of_memory)) {
        arena_recover(a, &out_of_memory);
        import(a, text);
    }
    arena_free(a);
    free(text);
    return 0;
}
