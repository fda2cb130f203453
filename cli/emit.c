#include "emit.h"

#include "program.h"
#include "terminal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_ROOM = 4400 };

static bool make_folder(const char *path) {
    struct stat is;
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &is) == 0 && S_ISDIR(is.st_mode)))
        return true;
    terminal_say("cannot make the folder '%s': %s", path, strerror(errno));
    return false;
}

// PREFIX of PREFIX.h
static void default_folder(const trm_emission *e, char *out, size_t room) {
    const char *name = trm_emission_file_name(e, 0), *end = strrchr(name, '.');
    snprintf(out, room, "%.*s", (int)(end - name), name);
}

static trm_status write_all(const options *o, const trm_model *m, const trm_emission *e) {
    char folder[PATH_ROOM / 2], path[PATH_ROOM];
    default_folder(e, folder, sizeof folder);
    const char *to = o->output ? o->output : folder;
    if (!make_folder(to))
        return TRM_IO_ERROR;
    for (int i = 0; i < trm_emission_files(e); i++) {
        snprintf(path, sizeof path, "%s/%s", to, trm_emission_file_name(e, i));
        trm_status status = program_spare_model(m, path);
        if (status == TRM_OK)
            status = program_write(path, trm_emission_file_text(e, i), false);
        if (status != TRM_OK)
            return status;
    }
    if (o->quiet)
        return TRM_OK;
    bool told = terminal_name("wrote %s", to);
    for (int i = 0; told && i < trm_emission_files(e); i++)
        told = program_put(i ? ", " : ": ") && program_put(trm_emission_file_name(e, i));
    return told && program_put("\n") && program_put(trm_emission_summary(e)) ? TRM_OK : TRM_IO_ERROR;
}

int command_emit(options *o) {
    trm_model *m = NULL;
    trm_emission *e = NULL;
    if (o->language == NULL || strcmp(o->language, "c") != 0) {
        terminal_say("what is to be emitted? C is what there is: trammel emit c FILE.tram");
        return TRM_WRONG_MODEL;
    }
    if (program_is_stdout(o->output)) {
        terminal_say("several files are written: -o names a folder");
        return TRM_WRONG_MODEL;
    }
    o->emit.coordinates = o->run.coordinates;
    trm_status status = program_read_model(o, &m);
    if (status == TRM_OK) {
        status = trm_emit_c(m, &o->emit, &e);
        if (e == NULL)
            program_out_of_memory();
        else
            fputs(trm_emission_messages(e, program_messages()), stderr);
    }
    if (status == TRM_OK)
        status = write_all(o, m, e);
    trm_emission_free(e);
    trm_model_free(m);
    return program_exit_code(status);
}
