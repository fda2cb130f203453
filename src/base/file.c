#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 16 << 20 };

// everything from an open file; pipes have no size, so read until the end
static char *read_all(arena *a, FILE *in, int most, int *length, const char **why) {
    vec(char) bytes = {0};
    vec_reserve(a, bytes, 1 << 14);
    for (;;) {
        size_t got = fread(bytes.at + bytes.count, 1, (size_t)(bytes.room - bytes.count - 1), in);
        bytes.count += (int)got;
        if (ferror(in)) {
            *why = arena_print(a, "it cannot be read: %s", strerror(errno));
            return NULL;
        }
        if (bytes.count > most) {
            *why = arena_print(a, "it is larger than %d MiB, the most that %s may be", most >> 20,
                               most == LARGEST ? "a model file" : "such a file");
            return NULL;
        }
        if (feof(in))
            break;
        vec_reserve(a, bytes, bytes.count + 2);
    }
    bytes.at[bytes.count] = '\0';
    *length = bytes.count;
    return bytes.at;
}

// read_all, which goes to the arena's recover point without memory; the file is closed before
static char *read_and_close(arena *a, FILE *in, int most, int *length, const char **why) {
    jmp_buf out_of_memory;
    jmp_buf *outer = arena_recover(a, &out_of_memory);
    if (setjmp(out_of_memory)) {
        fclose(in);
        arena_recover(a, outer);
        arena_give_up(a);
    }
    char *bytes = read_all(a, in, most, length, why);
    arena_recover(a, outer);
    fclose(in);
    return bytes;
}

const char *file_bytes(arena *a, const char *path, int most, int *length, const char **why) {
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        *why = "it is a folder";
        return NULL;
    }
    FILE *in = fopen(path, "rb");
    if (in == NULL) {
        *why = errno == ENOENT ? "there is no such file" : arena_print(a, "%s", strerror(errno));
        return NULL;
    }
    return read_and_close(a, in, most, length, why);
}

const source *file_read(arena *a, const char *path, const char **why) {
    source *s = arena_alloc(a, sizeof *s);
    s->path = arena_copy(a, path, strlen(path));
    s->text = file_bytes(a, path, LARGEST, &s->length, why);
    if (s->text == NULL)
        return NULL;
    if (memchr(s->text, '\0', (size_t)s->length)) {
        *why = "it holds zero bytes, so it is no text";
        return NULL;
    }
    return s;
}

const char *file_beside(arena *a, const char *beside, const char *name) {
    const char *slash = strrchr(beside, '/');
    if (name[0] == '/' || slash == NULL)
        return name;
    return arena_print(a, "%.*s%s", (int)(slash - beside) + 1, beside, name);
}

bool file_is(const char *path, const char *other) {
    struct stat a, b;
    bool there = (strcmp(path, "-") == 0 ? fstat(STDOUT_FILENO, &a) : stat(path, &a)) == 0;
    return there && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool file_among(const source_list *files, const char *path) {
    for (int i = 0; i < files->count; i++)
        if (file_is(path, files->at[i]->path))
            return true;
    return false;
}
