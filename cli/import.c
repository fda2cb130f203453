#include "import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool same_file(const char *one, const char *other) {
    struct stat a, b;
    return other && stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

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

static bool write_all(int file, const char *text) {
    size_t left = strlen(text);
    while (left > 0) {
        ssize_t written = write(file, text, left);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        text += written;
        left -= (size_t)written;
    }
    return true;
}

// what is named is overwritten, what is not is not
static trm_status save(const options *o, const char *path, const char *text) {
    if (same_file(path, o->file) || same_file(path, o->import.loops)) {
        fprintf(stderr, "trammel: '%s' is what the model is made from; it is not overwritten\n", path);
        return TRM_WRONG_MODEL;
    }
    int file = open(path, O_WRONLY | O_CREAT | (o->output ? O_TRUNC : O_EXCL), 0666);
    if (file < 0 && errno == EEXIST) {
        fprintf(stderr, "trammel: '%s' is there already; to overwrite it write: -o %s\n", path, path);
        return TRM_IO_ERROR;
    }
    bool written = file >= 0 && write_all(file, text);
    if ((file >= 0 && close(file) != 0) || !written) {
        fprintf(stderr, "trammel: cannot write '%s': %s\n", path, strerror(errno));
        return TRM_IO_ERROR;
    }
    if (!o->quiet)
        printf("wrote %s; try: trammel run %s\n", path, path);
    return TRM_OK;
}

static trm_status save_by_default(const options *o, const char *text) {
    char *path = default_output(o->file);
    trm_status status = path ? save(o, path, text) : TRM_NO_MEMORY;
    free(path);
    return status;
}

static trm_status print(const char *text) {
    if (fputs(text, stdout) != EOF && fflush(stdout) == 0)
        return TRM_OK;
    fprintf(stderr, "trammel: cannot write to standard output: %s\n", strerror(errno));
    return TRM_IO_ERROR;
}

trm_status import_command(const options *o, int colour) {
    trm_import *made = NULL;
    trm_status status = trm_import_read(o->file, &o->import, &made);
    if (made == NULL) {
        fprintf(stderr, "trammel: the robot needs more memory than there is\n");
        return status;
    }
    if (status != TRM_OK || !o->quiet)
        fputs(trm_import_messages(made, colour), stderr);
    if (o->setting_count && !o->quiet)
        fprintf(stderr, "trammel: --set changes nothing in an import; give it to 'trammel run'\n");
    if (status == TRM_OK) {
        const char *text = trm_import_text(made);
        status = o->output == NULL             ? save_by_default(o, text)
                 : strcmp(o->output, "-") == 0 ? print(text)
                                               : save(o, o->output, text);
    }
    trm_import_free(made);
    return status;
}
