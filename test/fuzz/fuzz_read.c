/* Any text: it is read, its messages are written, and where it is a model, its equations and names. */
#include "fuzz/small_machine.h"

#include <trammel/trammel.h>

#include <stdlib.h>

enum { WRITTEN_MOST = 60 }; // rows and coordinates: the matrices of more fill megabytes

static void write_all(trm_model *m) {
    int n = trm_model_coordinates(m), rows = trm_model_rows(m);
    for (int i = -1; i <= n && i < WRITTEN_MOST; i++)
        trm_model_coordinate_name(m, i);
    for (int i = -1; i <= rows && i < WRITTEN_MOST; i++)
        trm_model_row_name(m, i);
    if (n + rows > WRITTEN_MOST)
        return;
    trm_model_equations(m, 0);
    trm_model_equations(m, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = text_of(data, size);
    trm_model *m = NULL;
    double number;
    trm_status status = trm_model_read_text("test/fuzz/seeds/input.tram", text, NULL, 0, &m);
    if ((m == NULL) != (status == TRM_NO_MEMORY))
        abort();
    if (m && (status == TRM_WRONG_MODEL && trm_model_messages(m, 1)[0] == '\0'))
        abort(); // wrong, and nobody says why
    if (m && status == TRM_OK) {
        write_all(m);
        trm_model_number(m, "2*pi", &number);
        trm_model_messages(m, 0);
    }
    trm_model_free(m);
    free(text);
    return 0;
}
