#include "sweep/journal.h"

#include "base/crc.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    uint32_t length, sum; // of what follows
    uint64_t which;
    uint32_t status, message;
    uint64_t samples;
} head;
_Static_assert(sizeof(head) == 32, "the records of journals are packed");

enum { HEAD_REST = sizeof(head) - 8, FILES_MOST = 1 << 15 };
static const uint64_t AT_BITS = 48; // of an entry of the index: where in its file, plus 1; above: which file

struct journal {
    arena *arena;
    const char *folder;
    const sweep_columns *columns;
    long cases, done;
    int own;                // the file that is written, -1: none
    int *files, file_count; // all of them, open for reading
    uint64_t *at;           // (cases) 0: not done
    uint8_t *status;        // (cases)
    long counts[CASE_STATUSES], most_samples;
    char *bytes; // of the record that was read last
    size_t room;
    const char *why;
    pthread_mutex_t lock; // of what follows
    long length;          // whole records written to the own file
    bool fresh;           // since the last journal_sync
    int error;
};

// ---- files

static void close_files(journal *j) {
    for (int i = 0; i < j->file_count; i++)
        close(j->files[i]);
    j->file_count = 0;
}

static void close_all(void *object) {
    journal *j = object;
    close_files(j);
    if (j->own >= 0)
        close(j->own);
    free(j->bytes);
    pthread_mutex_destroy(&j->lock);
}

static const char *path_of(const journal *j, const char *name) {
    return arena_print(j->arena, "%s/%s", j->folder, name);
}

const char *journal_file(arena *a, const char *folder, const char *name, const char **why) {
    const source *s = file_read(a, arena_print(a, "%s/%s", folder, name), why);
    return s ? s->text : NULL;
}

bool journal_compare(const char *there, const char *wanted, int *line) {
    *line = 1;
    for (; *there && *there == *wanted; there++, wanted++)
        *line += *there == '\n';
    return *there == *wanted;
}

static bool cannot(diags *d, const char *what, const char *path, int error) {
    diag_error(d, (place){0}, "cannot %s '%s': %s", what, path, strerror(error));
    return false;
}

static bool write_file(journal *j, const char *name, const char *content, diags *d) {
    output o;
    const char *path = path_of(j, name);
    bool ok = output_open(&o, j->arena, path, OUTPUT_REPLACES) &&
              output_write(&o, content, strlen(content)) && output_place(&o);
    if (!ok)
        diag_error(d, (place){0}, "cannot write '%s': %s", path, output_why(&o, j->arena));
    return ok;
}

static bool make_folder(journal *j, const char *plan, const char *model, diags *d, bool *io) {
    if (mkdir(j->folder, 0777) != 0) {
        *io = errno != EEXIST;
        if (*io)
            return cannot(d, "make the folder", j->folder, errno);
        diag_error(d, (place){0}, "'%s' is there already", j->folder)->hint = arena_print(
            j->arena, "go on with " SETTING "continue %s, or remove it, or give another name by -o",
            j->folder);
        return false;
    }
    // the plan last: a folder without one is no sweep
    return write_file(j, "model.tram", model, d) && write_file(j, "plan", plan, d);
}

// locked, so that no two processes go on with one sweep
static bool open_own(journal *j, int rank, diags *d) {
    const char *path = path_of(j, arena_print(j->arena, "journal.%d", rank));
    j->own = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (j->own < 0)
        return cannot(d, "write", path, errno);
    if (flock(j->own, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return true;
    diag_error(d, (place){0}, "another process is at work on '%s'", j->folder);
    return false;
}

// ---- looking through them

static void note(journal *j, const head *h, int file, long offset) {
    if (h->which >= (uint64_t)j->cases || h->status >= CASE_STATUSES)
        return;
    bool may_change =
        j->at[h->which] && (j->status[h->which] == CASE_TIMEOUT || j->status[h->which] == CASE_NO_MEMORY);
    if (j->at[h->which] && !may_change)
        return;
    if (j->at[h->which])
        j->counts[j->status[h->which]]--;
    else
        j->done++;
    if ((long)h->samples > j->most_samples)
        j->most_samples = (long)h->samples;
    j->at[h->which] = (uint64_t)file << AT_BITS | (uint64_t)(offset + 1);
    j->status[h->which] = (uint8_t)h->status;
    j->counts[h->status]++;
}

static bool read_at(int file, void *to, size_t length, long offset) {
    for (size_t got = 0; got < length;) {
        ssize_t count = pread(file, (char *)to + got, length - got, offset + (long)got);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        got += (size_t)count;
    }
    return true;
}

static bool make_room(journal *j, size_t length) {
    if (length <= j->room)
        return true;
    char *more = realloc(j->bytes, length + length / 2);
    if (more) {
        j->bytes = more;
        j->room = length + length / 2;
    }
    return more != NULL;
}

static bool is_whole(const journal *j, const head *h) {
    uint64_t numbers = (uint64_t)j->columns->list.count + h->samples * (uint64_t)j->columns->sampled;
    return h->length >= HEAD_REST && h->samples < (uint64_t)1 << 40 &&
           h->length == HEAD_REST + numbers * sizeof(double) + h->message;
}

/* One record, into j->bytes; 1: there; 0: it is not whole; -1: no memory. */
static int fetch(journal *j, int file, long offset, long end) {
    head h;
    if (offset + (long)sizeof h > end || !read_at(file, &h, sizeof h, offset) || !is_whole(j, &h) ||
        offset + 8 + (long)h.length > end)
        return 0;
    if (!make_room(j, h.length + 9))
        return -1;
    if (!read_at(file, j->bytes, h.length + 8, offset) || crc_add(0, j->bytes + 8, h.length) != h.sum)
        return 0;
    j->bytes[h.length + 8] = '\0';
    return 1;
}

// where its whole records end; -1 without memory
static long look_through(journal *j, int number) {
    struct stat info;
    long offset = 0;
    int got = 0, file = j->files[number];
    if (fstat(file, &info) != 0)
        return 0;
    while ((got = fetch(j, file, offset, info.st_size)) > 0) {
        const head *h = (const head *)(const void *)j->bytes;
        note(j, h, number, offset);
        offset += 8 + (long)h->length;
    }
    return got < 0 ? -1 : offset;
}

static int by_number(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// numbers of the journals that are there
static int list_files(journal *j, int *numbers, int most) {
    DIR *folder = opendir(j->folder);
    int count = 0;
    if (folder == NULL)
        return -1;
    for (struct dirent *e; (e = readdir(folder)) && count < most;) {
        char *end;
        if (strncmp(e->d_name, "journal.", 8) != 0)
            continue;
        long number = strtol(e->d_name + 8, &end, 10);
        if (*end == '\0' && end > e->d_name + 8 && number >= 0 && number < FILES_MOST)
            numbers[count++] = (int)number;
    }
    closedir(folder);
    qsort(numbers, (size_t)count, sizeof *numbers, by_number);
    return count;
}

static bool open_files(journal *j, bool write, diags *d) {
    int *numbers = arena_array(j->arena, int, FILES_MOST), count = list_files(j, numbers, FILES_MOST);
    if (count < 0)
        return cannot(d, "read", j->folder, errno);
    close_files(j);
    j->files = arena_array(j->arena, int, count + 1);
    for (int i = 0; i < count; i++) {
        const char *path = path_of(j, arena_print(j->arena, "journal.%d", numbers[i]));
        int file = open(path, (write ? O_RDWR : O_RDONLY) | O_CLOEXEC);
        if (file < 0)
            return cannot(d, write ? "write" : "read", path, errno);
        j->files[j->file_count++] = file;
    }
    return true;
}

bool journal_index(journal *j) {
    diags unheard = {.arena = j->arena};
    if (j->at == NULL) {
        j->at = arena_array(j->arena, uint64_t, j->cases + 1);
        j->status = arena_array(j->arena, uint8_t, j->cases + 1);
    }
    memset(j->at, 0, (size_t)j->cases * sizeof *j->at);
    memset(j->counts, 0, sizeof j->counts);
    j->done = j->most_samples = 0;
    if (j->folder && !open_files(j, false, &unheard)) // others may have come
        return false;
    for (int i = 0; i < j->file_count; i++)
        if (look_through(j, i) < 0)
            return false;
    return true;
}

// what is damaged is cut off, so that what is written next can be found
static bool cut_damaged(journal *j, diags *d) {
    j->at = arena_array(j->arena, uint64_t, j->cases + 1);
    j->status = arena_array(j->arena, uint8_t, j->cases + 1);
    for (int i = 0; i < j->file_count; i++) {
        struct stat info;
        long end = look_through(j, i);
        if (end < 0)
            arena_give_up(j->arena);
        if (fstat(j->files[i], &info) != 0 || end == info.st_size)
            continue;
        diag_warning(d, (place){0}, "journal %d of '%s' is damaged behind %ld bytes; %ld bytes are cut off",
                     i, j->folder, end, (long)info.st_size - end)
            ->hint = "the cases that stood there are done again";
        if (ftruncate(j->files[i], end) != 0)
            return cannot(d, "write", j->folder, errno);
    }
    return true;
}

static bool open_memory(journal *j, diags *d) {
    j->own = memfd_create("trammel-sweep", MFD_CLOEXEC);
    j->files = arena_array(j->arena, int, 1);
    if (j->own < 0)
        return cannot(d, "make", "a file in memory", errno);
    j->files[0] = dup(j->own);
    j->file_count = j->files[0] >= 0;
    return true;
}

journal *journal_open(arena *a, const char *folder, journal_how how, const char *plan, const char *model,
                      long cases, const sweep_columns *columns, int rank, diags *d, bool *io) {
    journal *j = arena_alloc(a, sizeof *j);
    *j = (journal){.arena = a, .folder = folder, .columns = columns, .cases = cases, .own = -1};
    pthread_mutex_init(&j->lock, NULL);
    arena_when_freed(a, close_all, j);
    *io = true;
    if (folder == NULL)
        return open_memory(j, d) ? j : NULL;
    if (how == JOURNAL_FRESH && !make_folder(j, plan, model, d, io))
        return NULL;
    bool ok = (how == JOURNAL_LOOK || open_own(j, rank, d)) && open_files(j, how == JOURNAL_JOIN, d) &&
              (how != JOURNAL_JOIN || cut_damaged(j, d));
    if (ok && j->own >= 0)
        j->length = lseek(j->own, 0, SEEK_END);
    return ok ? j : NULL;
}

// ---- writing

int journal_pack(const sweep_columns *columns, const case_record *r, char **bytes, size_t *length,
                 size_t *room) {
    size_t values = (size_t)columns->list.count * sizeof(double), said = strlen(r->message);
    size_t samples = (size_t)r->samples * (size_t)columns->sampled * sizeof(double);
    size_t whole = sizeof(head) + values + samples + said;
    if (whole - 8 > UINT32_MAX)
        return 0;
    if (*length + whole > *room) {
        size_t more = 2 * (*length + whole);
        char *grown = realloc(*bytes, more);
        if (grown == NULL)
            return 0;
        *bytes = grown;
        *room = more;
    }
    char *to = *bytes + *length;
    head h = {.length = (uint32_t)(whole - 8),
              .which = (uint64_t)r->which,
              .status = (uint32_t)r->status,
              .message = (uint32_t)said,
              .samples = (uint64_t)r->samples};
    memcpy(to, &h, sizeof h);
    memcpy(to + sizeof h, r->values, values);
    if (samples)
        memcpy(to + sizeof h + values, r->sampled, samples);
    memcpy(to + sizeof h + values + samples, r->message, said);
    h.sum = crc_add(0, to + 8, h.length);
    memcpy(to, &h, 8);
    *length += whole;
    return 1;
}

static bool write_all(int file, const char *bytes, size_t length) {
    while (length) {
        ssize_t count = write(file, bytes, length);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        bytes += count;
        length -= (size_t)count;
    }
    return true;
}

bool journal_append(journal *j, const char *bytes, size_t length) {
    pthread_mutex_lock(&j->lock);
    bool ok = j->error == 0;
    if (ok && !write_all(j->own, bytes, length)) {
        j->error = errno ? errno : EIO;
        ok = false;
        if (ftruncate(j->own, j->length) != 0) // half a record; reading stops there, too
            j->length = -1;
    } else if (ok)
        j->length += (long)length;
    j->fresh |= ok;
    pthread_mutex_unlock(&j->lock);
    return ok;
}

void journal_sync(journal *j) {
    pthread_mutex_lock(&j->lock);
    bool fresh = j->fresh && j->folder;
    j->fresh = false;
    pthread_mutex_unlock(&j->lock);
    if (!fresh || fdatasync(j->own) == 0 || errno == EINVAL ||
        errno == EROFS) // these: nothing to bring there
        return;
    int error = errno;
    pthread_mutex_lock(&j->lock);
    j->error = j->error ? j->error : error;
    pthread_mutex_unlock(&j->lock);
}

const char *journal_why(journal *j) {
    pthread_mutex_lock(&j->lock);
    int error = j->error;
    pthread_mutex_unlock(&j->lock);
    return error ? strerror(error) : NULL;
}

void journal_end(journal *j) {
    if (j->folder && j->own >= 0) {
        close(j->own);
        j->own = -1;
    }
}

// ---- reading

long journal_done(const journal *j) {
    return j->done;
}

long journal_most_samples(const journal *j) {
    return j->most_samples;
}

long journal_count(const journal *j, case_status status) {
    return j->counts[status];
}

int journal_status(const journal *j, long which) {
    return which >= 0 && which < j->cases && j->at && j->at[which] ? j->status[which] : -1;
}

bool journal_read(journal *j, long which, case_record *r) {
    if (journal_status(j, which) < 0)
        return false;
    uint64_t at = j->at[which];
    long offset = (long)(at & (((uint64_t)1 << AT_BITS) - 1)) - 1;
    struct stat info;
    int file = j->files[at >> AT_BITS];
    if (fstat(file, &info) != 0 || fetch(j, file, offset, info.st_size) <= 0)
        return false;
    const head *h = (const head *)(const void *)j->bytes;
    const double *numbers = (const double *)(const void *)(j->bytes + sizeof *h);
    *r = (case_record){.which = which,
                       .status = (int)h->status,
                       .values = numbers,
                       .samples = (long)h->samples,
                       .sampled = numbers + j->columns->list.count};
    r->message =
        (const char *)(numbers + j->columns->list.count + (long)h->samples * (long)j->columns->sampled);
    return true;
}
