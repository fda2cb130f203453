#include "base/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static const char BEHIND[] = ".part";
enum {
    NAME_SHOWN = 200,      // bytes of the name in that of the part, which may have 255
    LINKS_MOST = 40,       // as the system follows
    TRIES = 100,           // random names until one is free
    ATTRIBUTE_MOST = 4096, // bytes of an attribute, and of all their names, that are copied
};

static bool failed(output *o, const char *about) {
    if (o->error == 0) {
        o->error = errno ? errno : EIO;
        o->about = about;
    }
    return false;
}

// ---- where it goes

// the descriptor that a name such as /dev/fd/3 stands for; -1 if it is no such name
static int descriptor_named(const char *path) {
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(folders[i]);
        char *end;
        if (strncmp(path, folders[i], length) != 0 || path[length] < '0' || path[length] > '9')
            continue;
        long number = strtol(path + length, &end, 10);
        if (*end == '\0' && number <= INT_MAX)
            return (int)number;
    }
    return -1;
}

static size_t folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

// what a link says, seen from where it is; NULL if path is no link
static const char *link_target(arena *a, const char *path) {
    char target[PATH_MAX];
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length <= 0)
        return NULL;
    target[length] = '\0';
    if (target[0] == '/')
        return arena_copy(a, target, (size_t)length);
    return arena_print(a, "%.*s%s", (int)folder_length(path), path, target);
}

// follows links of the name itself up to a file, one that is not there yet, or a descriptor
static bool follow_links(output *o, arena *a, const char **path, int *descriptor) {
    for (int i = 0; i < LINKS_MOST; i++) {
        const char *next;
        *descriptor = descriptor_named(*path);
        if (*descriptor >= 0 || (next = link_target(a, *path)) == NULL)
            return true;
        *path = next;
    }
    errno = ELOOP;
    return failed(o, NULL);
}

static bool open_through(output *o, const char *path, int descriptor) {
    do
        o->file = descriptor >= 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
                                  : open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    while (o->file < 0 && errno == EINTR);
    return o->file >= 0 || failed(o, NULL);
}

// ---- the part beside it

static const char *part_start(arena *a, const char *place) {
    size_t folder = folder_length(place);
    return arena_print(a, ".%.*s.", NAME_SHOWN, place + folder);
}

// whether a file of the folder is a part of that name whose writer has gone: PID-RANDOM.part follows
static bool is_left_behind(int folder, const char *name, const char *start) {
    size_t length = strlen(start);
    char *end;
    if (strncmp(name, start, length) != 0 || name[length] < '1' || name[length] > '9')
        return false;
    long writer = strtol(name + length, &end, 10);
    if (*end != '-' || strcmp(end + 1 + strspn(end + 1, "0123456789abcdef"), BEHIND) != 0)
        return false;
    if (writer > INT_MAX || kill((pid_t)writer, 0) == 0 || errno != ESRCH)
        return false;
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool free_to_take = file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0;
    if (file >= 0)
        close(file);
    return free_to_take;
}

static void remove_left_behind(arena *a, const char *place) {
    size_t folder = folder_length(place);
    const char *start = part_start(a, place), *path = folder ? arena_copy(a, place, folder) : ".";
    DIR *list = opendir(path);
    const struct dirent *entry;
    while (list && (entry = readdir(list)))
        if (is_left_behind(dirfd(list), entry->d_name, start))
            unlinkat(dirfd(list), entry->d_name, 0);
    if (list)
        closedir(list);
}

// a new file under a name of its own, locked
static bool open_part(output *o, arena *a, mode_t rights) {
    const char *start = part_start(a, o->place);
    for (int i = 0; i < TRIES; i++) {
        unsigned random = (unsigned)i;
        struct stat info;
        if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
            random += (unsigned)(size_t)o; // taken names are passed over in any case
        o->part = arena_print(a, "%.*s%s%ld-%08x%s", (int)folder_length(o->place), o->place, start,
                              (long)getpid(), random, BEHIND);
        o->file = open(o->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, rights);
        if (o->file < 0 && errno == EEXIST)
            continue;
        if (o->file < 0)
            break;
        flock(o->file, LOCK_EX); // free; where there are no locks it is not removed by others either
        if (fstat(o->file, &info) == 0 && info.st_nlink > 0)
            return true;
        close(o->file); // removed by another writer before it was locked
    }
    o->part = NULL;
    o->file = -1;
    return failed(o, errno == ENOENT ? "there is no such folder" : "no file can be made in its folder");
}

// what the system keeps for itself is not ours to give
static bool is_ours(const char *attribute) {
    return strncmp(attribute, "security.", 9) != 0 && strncmp(attribute, "trusted.", 8) != 0;
}

static bool copy_attribute(const char *from, int to, const char *name) {
    char value[ATTRIBUTE_MOST];
    ssize_t size = getxattr(from, name, value, sizeof value);
    return size >= 0 && fsetxattr(to, name, value, (size_t)size, 0) == 0;
}

// with the access list, if there is one, which brings the permissions with it
static bool copy_attributes(const char *from, int to) {
    char names[ATTRIBUTE_MOST];
    ssize_t length = listxattr(from, names, sizeof names);
    if (length < 0)
        return errno == ENOTSUP;
    for (const char *name = names; name < names + length; name += strlen(name) + 1)
        if (is_ours(name) && !copy_attribute(from, to, name))
            return false;
    return true;
}

/* Gives the part the owner, group, attributes and permissions of the file that it is to replace; false if
 * that cannot be. Nobody may read it who may not read that one, at no time. */
static bool take_identity(output *o, const struct stat *old) {
    struct stat own;
    if (fstat(o->file, &own) != 0)
        return false;
    bool same = own.st_uid == old->st_uid && own.st_gid == old->st_gid;
    if (!same && fchown(o->file, old->st_uid, old->st_gid) != 0)
        return false;
    fremovexattr(o->file, "system.posix_acl_access"); // which a folder may have for its new files
    return copy_attributes(o->place, o->file) && fchmod(o->file, old->st_mode & 07777) == 0;
}

bool output_open(output *o, arena *a, const char *path, output_kind kind) {
    *o = (output){.file = -1, .fresh = kind == OUTPUT_FRESH};
    struct stat old;
    int descriptor;
    const char *asked = path;
    errno = 0;
    if (*path == '\0') {
        errno = ENOENT;
        return failed(o, "it has no name");
    }
    if (!follow_links(o, a, &path, &descriptor))
        return false;
    bool there = descriptor < 0 && stat(path, &old) == 0;
    if (o->fresh && (there || path != asked)) {
        errno = EEXIST;
        return failed(o, "it is there already");
    }
    if (descriptor >= 0 || (there && !S_ISREG(old.st_mode))) {
        errno = EEXIST;
        return kind == OUTPUT_FILE ? failed(o, "it is no file") : open_through(o, path, descriptor);
    }
    if (there && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
        return failed(o, NULL);
    o->place = arena_copy(a, path, strlen(path));
    remove_left_behind(a, o->place);
    if (!open_part(o, a, there ? S_IRUSR | S_IWUSR : 0666))
        return false;
    o->into = there && !take_identity(o, &old);
    return true;
}

// ---- writing

// how many of them could be written
static size_t write_most(int file, const char *bytes, size_t length) {
    size_t done = 0;
    while (done < length) {
        ssize_t count = write(file, bytes + done, length - done);
        if (count < 0 && errno != EINTR)
            break;
        done += count > 0 ? (size_t)count : 0;
    }
    return done;
}

static bool write_all(int file, const char *bytes, size_t length) {
    return write_most(file, bytes, length) == length;
}

static size_t whole_lines(const char *bytes, size_t length) {
    const char *last = memrchr(bytes, '\n', length);
    return last ? (size_t)(last + 1 - bytes) : 0;
}

bool output_write(output *o, const void *bytes, size_t length) {
    if (o->error)
        return false;
    errno = 0;
    size_t done = write_most(o->file, bytes, length);
    if (done == length) {
        o->length += (long)length;
        return true;
    }
    failed(o, NULL);
    o->length += (long)whole_lines(bytes, done);
    if (o->place && ftruncate(o->file, o->length) == 0)
        lseek(o->file, o->length, SEEK_SET);
    return false;
}

// whether all of it is on the disk; some file systems cannot do it, and say EINVAL
static bool is_synced(int file) {
    return fsync(file) == 0 || errno == EINVAL;
}

static bool copy_bytes(int from, int to) {
    char bytes[1 << 14];
    for (off_t at = 0;;) {
        ssize_t count = pread(from, bytes, sizeof bytes, at);
        if (count == 0)
            return is_synced(to);
        if ((count < 0 && errno != EINTR) || (count > 0 && !write_all(to, bytes, (size_t)count)))
            return false;
        at += count > 0 ? count : 0;
    }
}

// the file that is there is made empty, or one is made with these rights
static int open_place(const char *place, mode_t rights) {
    const int how = O_WRONLY | O_NOFOLLOW | O_CLOEXEC;
    int file = open(place, how | O_TRUNC);
    return file >= 0 || errno != ENOENT ? file : open(place, how | O_CREAT | O_EXCL, rights);
}

static bool copy_over(int from, const char *place) {
    struct stat info, old;
    if (fstat(from, &info) != 0)
        return false;
    if (stat(place, &old) == 0 && old.st_dev == info.st_dev && old.st_ino == info.st_ino)
        return true; // somebody has moved it there
    int to = open_place(place, info.st_mode & 0777);
    bool copied = to >= 0 && copy_bytes(from, to);
    int error = errno;
    if (to >= 0 && close(to) != 0 && copied) {
        copied = false;
        error = errno;
    }
    errno = error;
    return copied;
}

/* Where copying is the remedy for what rename says: a file that can be written but not replaced, since it is
 * mounted by itself or another's in a sticky folder; and a part that was removed, whose bytes are there while
 * it is open. */
static bool may_be_copied(int error) {
    return error == EBUSY || error == EXDEV || error == EPERM || error == EACCES || error == ENOENT;
}

bool output_move(int file, const char *part, const char *to, bool into) {
    if (!into && rename(part, to) == 0)
        return true;
    if ((!into && !may_be_copied(errno)) || !copy_over(file, to))
        return false;
    unlink(part);
    return true;
}

// not over what came to be there meanwhile
static bool place_fresh(output *o) {
    if (renameat2(AT_FDCWD, o->part, AT_FDCWD, o->place, RENAME_NOREPLACE) == 0)
        return true;
    if (errno == EEXIST || link(o->part, o->place) != 0) // not all file systems can rename that way
        return false;
    unlink(o->part);
    return true;
}

void output_lend(output *o) {
    close(o->file);
    o->file = -1;
    o->lent = true;
}

// takes back what was lent
static bool is_open(output *o) {
    if (o->lent)
        o->file = open(o->part, O_RDWR | O_CLOEXEC);
    if (o->lent && o->file < 0)
        failed(o, NULL);
    o->lent = false;
    return o->file >= 0;
}

static bool close_file(output *o) {
    int file = o->file;
    o->file = -1;
    errno = 0;
    return close(file) == 0 || errno == EINTR || failed(o, NULL);
}

bool output_place(output *o) {
    if (!is_open(o))
        return o->error == 0;
    errno = 0;
    bool written = o->place == NULL || is_synced(o->file) || failed(o, NULL);
    o->placed =
        o->place == NULL || (o->fresh ? place_fresh(o) : output_move(o->file, o->part, o->place, o->into));
    int error = errno;
    written = close_file(o) && written;
    if (o->placed)
        return written;
    if (o->fresh)
        unlink(o->part);
    else
        o->error = 0; // that it is elsewhere matters more than what went before
    errno = error;
    return failed(o, !o->fresh         ? "it cannot be put in place"
                     : error == EEXIST ? "it is there already"
                                       : NULL);
}

void output_discard(output *o) {
    bool open_or_lent = o->file >= 0 || o->lent;
    if (o->file >= 0)
        close(o->file);
    if (open_or_lent && o->part)
        unlink(o->part);
    o->file = -1;
    o->lent = false;
}

const char *output_why(const output *o, arena *a) {
    if (o->about == NULL)
        return arena_print(a, "%s", strerror(o->error));
    bool elsewhere = o->place && o->part && o->file < 0 && access(o->part, F_OK) == 0;
    if (!elsewhere && (o->error == ENOENT || o->error == EEXIST))
        return o->about;
    return arena_print(a, "%s: %s%s%s%s", o->about, strerror(o->error), elsewhere ? "; it is kept as '" : "",
                       elsewhere ? o->part : "", elsewhere ? "'" : "");
}

bool output_has_files(void) {
    return true;
}
