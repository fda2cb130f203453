/* `trammel playground`: a page in which a model is edited and run, by the engine inside. */
#include "interrupt.h"
#include "page.h"
#include "program.h"
#include "starter.h"
#include "terminal.h"

#include <stdlib.h>
#include <string.h>

static bool has_engine(void) {
    if (engine_text_size == 0)
        terminal_say(
            "this program was built without the engine that runs models in a page\n"
            "    build it again with clang, lld, wasi-libc and clang's runtime for WebAssembly at hand:\n"
            "    on Debian and Ubuntu 'make web' does all of it");
    return engine_text_size > 0;
}

// {"playground": true, "models": [...], and what else is known of the model
static char *make_data(const char *known, size_t *length) {
    static const char opening[] = "{\"playground\": true, \"models\": ", none[] = "[]", comma[] = ", ";
    const char *models = models_text_size ? (const char *)models_text : none;
    size_t size = models_text_size ? models_text_size : sizeof none - 1;
    char *text = malloc(sizeof opening + size + sizeof comma + strlen(known)), *end = text;
    if (text == NULL)
        return NULL;
    end = mempcpy(end, opening, sizeof opening - 1);
    end = mempcpy(end, models, size);
    end = mempcpy(end, comma, sizeof comma - 1);
    end = mempcpy(end, known + 1, strlen(known + 1));
    *length = (size_t)(end - text);
    return text;
}

static trm_status write_playground(const page_frame *page, trm_model *m, const char *path) {
    const char *known = trm_model_page(m, NULL);
    size_t length = 0;
    char *data = known[0] == '{' ? make_data(known, &length) : NULL;
    char *text = data ? page_make(page, data, length, true, NULL) : NULL;
    trm_status status = text ? program_write(path, text, false) : program_no_report();
    free(text);
    free(data);
    return status;
}

// a wrong model is no reason not to edit it
static trm_status read_any(const options *o, trm_model **m) {
    trm_status status = o->file ? trm_model_read(o->file, NULL, 0, m)
                                : trm_model_read_text("model.tram", starter, NULL, 0, m);
    if (*m == NULL)
        program_out_of_memory();
    else if (status == TRM_IO_ERROR)
        program_tell_model(*m);
    return status == TRM_WRONG_MODEL ? TRM_OK : status;
}

int command_playground(options *o) {
    trm_model *m = NULL;
    page_frame page;
    const char *path = o->output ? o->output : "playground.html";
    if (!page_find(&page) || !has_engine())
        return TRM_WRONG_MODEL;
    interrupt_about("", "no page was made");
    trm_status status = read_any(o, &m);
    if (status == TRM_OK && o->file)
        status = program_spare_model(m, path);
    if (status == TRM_OK)
        status = write_playground(&page, m, path);
    if (status == TRM_OK && !o->quiet && !program_is_stdout(path) && !terminal_name("%s\n", path))
        status = TRM_IO_ERROR;
    trm_model_free(m);
    return program_exit_code(status);
}
