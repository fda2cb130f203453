#include "import.h"

#include "program.h"
#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// robots/arm.urdf -> robots/arm.tram; to be freed
static char *default_output(const char *file) {
    const char *slash = strrchr(file, '/'), *dot = strrchr(slash ? slash : file, '.');
    size_t length = dot && dot != file && dot[-1] != '/' ? (size_t)(dot - file) : strlen(file);
    char *out = malloc(length + sizeof ".tram");
    if (out) {
        memcpy(out, file, length);
        strcpy(out + length, ".tram");
    }
    return out;
}

// what is named is overwritten, what is not is not
static trm_status save(const options *o, const trm_import *made, const char *path) {
    if (trm_import_is_source(made, path)) {
        terminal_say("'%s' is what the model is made from; it is not overwritten", path);
        return TRM_WRONG_MODEL;
    }
    if (o->output == NULL && access(path, F_OK) == 0) {
        terminal_say("'%s' is there already; to overwrite it write: -o %s", path, path);
        return TRM_IO_ERROR;
    }
    trm_status status = program_write(path, trm_import_text(made), o->output == NULL);
    if (status == TRM_OK && !o->quiet && !program_is_stdout(path) &&
        !terminal_name("wrote %s; try: trammel run %s\n", path, path))
        return TRM_IO_ERROR;
    return status;
}

trm_status import_command(const options *o, int how) {
    trm_import *made = NULL;
    trm_import_def def = o->import;
    char *path = default_output(o->file);
    if (path == NULL)
        return TRM_NO_MEMORY;
    const char *to = o->output ? o->output : path;
    def.model = to;
    trm_status status = trm_import_read(o->file, &def, &made);
    if (made == NULL) {
        free(path);
        terminal_say("the robot needs more memory than there is");
        return status;
    }
    if (status != TRM_OK || !o->quiet)
        fputs(trm_import_messages(made, how), stderr);
    if (o->setting_count && !o->quiet)
        terminal_say("--set changes nothing in an import; give it to 'trammel run'");
    if (status == TRM_OK)
        status = save(o, made, to);
    free(path);
    trm_import_free(made);
    return status;
}
