/* HDF5 files, by the library that is on this machine, if there is one: HDF5 1.10 or later, loaded when it is
 * needed. Old format, no times: the same content is the same bytes. Scales of axes, by which xarray and
 * ncdump know them, are set if its second library is there, too. */
#include "base/output.h"
#include "sweep/export.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the library, as its headers of 1.10 to 1.14 declare it

typedef int64_t hid;
typedef unsigned long long extent;

enum { TRUNCATE = 2, SCALAR = 0, SELECT_SET = 0, UTF8 = 1, BLOCK = 1024, NAME_MOST = 400 };

#define FUNCTIONS(F)                                                                                         \
    F(int, open, (void))                                                                                     \
    F(int, get_libversion, (unsigned *, unsigned *, unsigned *))                                             \
    F(int, Eset_auto2, (hid, void *, void *))                                                                \
    F(hid, Fcreate, (const char *, unsigned, hid, hid))                                                      \
    F(int, Fclose, (hid))                                                                                    \
    F(hid, Gcreate2, (hid, const char *, hid, hid, hid))                                                     \
    F(int, Gclose, (hid))                                                                                    \
    F(hid, Screate, (int))                                                                                   \
    F(hid, Screate_simple, (int, const extent *, const extent *))                                            \
    F(int, Sselect_hyperslab, (hid, int, const extent *, const extent *, const extent *, const extent *))    \
    F(int, Sclose, (hid))                                                                                    \
    F(hid, Dcreate2, (hid, const char *, hid, hid, hid, hid, hid))                                           \
    F(hid, Dopen2, (hid, const char *, hid))                                                                 \
    F(int, Dwrite, (hid, hid, hid, hid, hid, const void *))                                                  \
    F(int, Dclose, (hid))                                                                                    \
    F(hid, Acreate2, (hid, const char *, hid, hid, hid, hid))                                                \
    F(int, Awrite, (hid, hid, const void *))                                                                 \
    F(int, Aclose, (hid))                                                                                    \
    F(hid, Tcopy, (hid))                                                                                     \
    F(int, Tset_size, (hid, size_t))                                                                         \
    F(int, Tset_cset, (hid, int))                                                                            \
    F(int, Tclose, (hid))                                                                                    \
    F(hid, Pcreate, (hid))                                                                                   \
    F(int, Pset_chunk, (hid, int, const extent *))                                                           \
    F(int, Pset_obj_track_times, (hid, unsigned))                                                            \
    F(int, Pclose, (hid))

typedef struct {
#define DECLARE(type, name, arguments) type(*name) arguments;
    FUNCTIONS(DECLARE)
    const hid *real, *byte, *whole, *string, *of_dataset;
    int (*set_scale)(hid dataset, const char *name); // both NULL without the second library
    int (*attach_scale)(hid dataset, hid scale, unsigned axis);
} library;

static void *first_of(const char *const *names) {
    void *handle = NULL;
    for (; *names && handle == NULL; names++)
        handle = dlopen(*names, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    return handle;
}

static bool find(void *handle, const char *name, void *to) {
    void *symbol = dlsym(handle, name);
    memcpy(to, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool load(library *l) {
    static const char *const names[] = {"libhdf5_serial.so.310",
                                        "libhdf5.so.310",
                                        "libhdf5_serial.so.200",
                                        "libhdf5.so.200",
                                        "libhdf5_serial.so.103",
                                        "libhdf5.so.103",
                                        "libhdf5_serial.so",
                                        "libhdf5.so",
                                        NULL};
    static const char *const above[] = {"libhdf5_serial_hl.so.310",
                                        "libhdf5_hl.so.310",
                                        "libhdf5_serial_hl.so.200",
                                        "libhdf5_hl.so.200",
                                        "libhdf5_serial_hl.so.100",
                                        "libhdf5_hl.so.100",
                                        "libhdf5_hl.so",
                                        NULL};
    const char *given = getenv("TRAMMEL_HDF5"); // another one, or "none"
    const char *const wish[] = {given, NULL};
    unsigned major = 0, minor = 0, release;
    void *handle = first_of(given && *given ? wish : names), *more;
    bool ok = handle != NULL;
    *l = (library){0};
    if (handle == NULL)
        return false;
#define FIND(type, name, arguments) ok &= find(handle, "H5" #name, &l->name);
    FUNCTIONS(FIND)
    ok &= find(handle, "H5T_NATIVE_DOUBLE_g", &l->real) && find(handle, "H5T_NATIVE_UINT8_g", &l->byte) &&
          find(handle, "H5T_NATIVE_INT64_g", &l->whole) && find(handle, "H5T_C_S1_g", &l->string) &&
          find(handle, "H5P_CLS_DATASET_CREATE_ID_g", &l->of_dataset);
    ok = ok && l->open() >= 0 && l->get_libversion(&major, &minor, &release) >= 0 &&
         (major > 1 || minor >= 10);
    if (ok && (more = first_of(above)))
        if (!find(more, "H5DSset_scale", &l->set_scale) || !find(more, "H5DSattach_scale", &l->attach_scale))
            l->set_scale = NULL;
    return ok;
}

const char *export_hdf5_missing(const char **hint) {
    library l;
    if (load(&l))
        return NULL;
    *hint = "install the package libhdf5-103-1; the CSV file has all but samples";
    return "libhdf5, 1.10 or later, cannot be loaded";
}

// ---- a file

typedef struct {
    library h;
    arena *arena;
    const sweep_store *store;
    hid file, group, string, cases; // cases: the scale of that axis, -1: none
    bool ok;
} writer;

static hid kept(writer *w, hid id) {
    w->ok &= id >= 0;
    return id;
}

static void did(writer *w, int status) {
    w->ok &= status >= 0;
}

// '/' would be a group
static const char *safe(writer *w, const char *name) {
    char *out = arena_copy(w->arena, name, strlen(name));
    for (char *c = out; *c; c++)
        if (*c == '/')
            *c = '|';
    return strcmp(out, ".") == 0 ? "(.)" : out;
}

static void put_attribute(writer *w, const char *name, const char *value) {
    hid space = kept(w, w->h.Screate(SCALAR));
    hid a = kept(w, w->h.Acreate2(w->file, name, w->string, space, 0, 0));
    did(w, w->h.Awrite(a, w->string, &value));
    w->h.Aclose(a);
    w->h.Sclose(space);
}

// shape: (cases), (cases x samples) in chunks of a case, or (samples)
static hid new_dataset(writer *w, hid in, const char *name, hid type, int rank, const extent *shape) {
    extent chunk[2] = {1, shape[rank - 1]};
    hid space = kept(w, w->h.Screate_simple(rank, shape, NULL)), p = kept(w, w->h.Pcreate(*w->h.of_dataset));
    did(w, w->h.Pset_obj_track_times(p, 0));
    if (rank == 2)
        did(w, w->h.Pset_chunk(p, 2, chunk));
    hid out = kept(w, w->h.Dcreate2(in, safe(w, name), type, space, 0, p, 0));
    w->h.Pclose(p);
    w->h.Sclose(space);
    return out;
}

static void put_part(writer *w, hid dataset, hid type, int rank, const extent *shape, const extent *first,
                     const extent *count, const void *from) {
    hid space = kept(w, w->h.Screate_simple(rank, shape, NULL)),
        memory = kept(w, w->h.Screate_simple(rank, count, NULL));
    did(w, w->h.Sselect_hyperslab(space, SELECT_SET, first, NULL, count, NULL));
    did(w, w->h.Dwrite(dataset, type, memory, space, 0, from));
    w->h.Sclose(memory);
    w->h.Sclose(space);
}

static void put_cases(writer *w, hid dataset, hid type, long first, long count, const void *from) {
    const extent shape[] = {(extent)w->store->cases}, at[] = {(extent)first}, so_many[] = {(extent)count};
    put_part(w, dataset, type, 1, shape, at, so_many, from);
}

static void attach(writer *w, hid dataset, hid scale, unsigned axis) {
    if (w->h.set_scale && scale >= 0)
        did(w, w->h.attach_scale(dataset, scale, axis));
}

static hid new_column(writer *w, hid in, const char *name, hid type) {
    const extent shape[] = {(extent)w->store->cases};
    hid out = new_dataset(w, in, name, type, 1, shape);
    attach(w, out, w->cases, 0);
    return out;
}

static void put_case_numbers(writer *w) {
    int64_t numbers[BLOCK];
    hid out = new_column(w, w->file, "case", *w->h.whole);
    for (long first = 0; first < w->store->cases; first += BLOCK) {
        long count = w->store->cases - first < BLOCK ? w->store->cases - first : BLOCK;
        for (long i = 0; i < count; i++)
            numbers[i] = first + i;
        put_cases(w, out, *w->h.whole, first, count, numbers);
    }
    if (w->h.set_scale)
        did(w, w->h.set_scale(out, "case"));
    w->cases = out;
}

// ---- a number for each case and column

typedef struct {
    hid *columns, status, message, groups[COLUMN_KINDS];
    double *values; // (columns x BLOCK)
    unsigned char codes[BLOCK];
    char *said[BLOCK];
} tables;

static void open_tables(writer *w, tables *t) {
    const sweep_columns *c = w->store->columns;
    static const char *const groups[COLUMN_KINDS] = {[COLUMN_IS_PARAMETER] = "parameters",
                                                     [COLUMN_IS_FINAL] = "final",
                                                     [COLUMN_IS_RESULT] = "results",
                                                     [COLUMN_IS_REPORT] = "report"};
    t->columns = arena_array(w->arena, hid, c->list.count + 1);
    t->values = arena_doubles(w->arena, (size_t)c->list.count * BLOCK);
    for (int k = 0; k < COLUMN_KINDS; k++)
        if (groups[k])
            t->groups[k] = kept(w, w->h.Gcreate2(w->file, groups[k], 0, 0, 0));
    for (int i = 0; i < c->list.count; i++) {
        sweep_column_kind kind = c->list.at[i].kind;
        if (kind != COLUMN_IS_HIDDEN)
            t->columns[i] = new_column(w,
                                       t->groups[kind == COLUMN_IS_SHOWN  ? COLUMN_IS_FINAL
                                                 : kind == COLUMN_IS_WHEN ? COLUMN_IS_RESULT
                                                                          : kind],
                                       c->list.at[i].name, *w->h.real);
    }
    t->status = new_column(w, w->file, "status", *w->h.byte);
    t->message = new_column(w, w->file, "message", w->string);
}

static void close_tables(writer *w, tables *t) {
    const sweep_columns *c = w->store->columns;
    for (int i = 0; i < c->list.count; i++)
        if (c->list.at[i].kind != COLUMN_IS_HIDDEN)
            did(w, w->h.Dclose(t->columns[i]));
    for (int k = 0; k < COLUMN_KINDS; k++)
        if (t->groups[k])
            w->h.Gclose(t->groups[k]);
    did(w, w->h.Dclose(t->status));
    did(w, w->h.Dclose(t->message));
}

enum { NOT_DONE = 255 };

static void fill_block(writer *w, tables *t, arena *scratch, long first, long count) {
    const sweep_columns *c = w->store->columns;
    for (long i = 0; i < count; i++) {
        case_record r = {.status = NOT_DONE, .message = ""};
        journal_read(w->store->journal, first + i, &r);
        t->codes[i] = (unsigned char)r.status;
        t->said[i] = arena_copy(scratch, r.message, strlen(r.message));
        for (int k = 0; k < c->list.count; k++)
            t->values[k * BLOCK + i] = r.values ? r.values[k] : NAN;
    }
}

static void put_tables(writer *w) {
    const sweep_columns *c = w->store->columns;
    tables *t = arena_alloc(w->arena, sizeof *t);
    open_tables(w, t);
    for (long first = 0; w->ok && first < w->store->cases; first += BLOCK) {
        long count = w->store->cases - first < BLOCK ? w->store->cases - first : BLOCK;
        arena *scratch = arena_child(w->arena);
        fill_block(w, t, scratch, first, count);
        for (int k = 0; k < c->list.count; k++)
            if (c->list.at[k].kind != COLUMN_IS_HIDDEN)
                put_cases(w, t->columns[k], *w->h.real, first, count, &t->values[k * BLOCK]);
        put_cases(w, t->status, *w->h.byte, first, count, t->codes);
        put_cases(w, t->message, w->string, first, count, t->said);
        arena_free(scratch);
    }
    close_tables(w, t);
}

// ---- samples

/* Whether all cases have the same times, but for those that ended earlier: then these (most) are it. */
static bool same_times(writer *w, double *times, long most) {
    const sweep_columns *c = w->store->columns;
    long known = 0;
    for (long i = 0; i < w->store->cases; i++) {
        case_record r;
        if (!journal_read(w->store->journal, i, &r))
            continue;
        for (long k = 0; k < r.samples; k++) {
            double t = r.sampled[k * c->sampled];
            if (k < known && times[k] != t)
                return false;
            times[k] = t;
        }
        known = r.samples > known ? r.samples : known;
    }
    return known == most;
}

static void put_row(writer *w, hid dataset, const case_record *r, int column, long most, double *row) {
    const extent shape[] = {(extent)w->store->cases, (extent)most}, at[] = {(extent)r->which, 0},
                 so_many[] = {1, (extent)most};
    for (long k = 0; k < most; k++)
        row[k] = k < r->samples ? r->sampled[k * w->store->columns->sampled + column] : NAN;
    put_part(w, dataset, *w->h.real, 2, shape, at, so_many, row);
}

static void put_times(writer *w, const double *times, long most, hid *scale) {
    const extent shape[] = {(extent)most}, none[] = {0};
    *scale = new_dataset(w, w->file, "t", *w->h.real, 1, shape);
    put_part(w, *scale, *w->h.real, 1, shape, none, shape, times);
    if (w->h.set_scale)
        did(w, w->h.set_scale(*scale, "t"));
}

static void put_samples(writer *w) {
    const sweep_columns *c = w->store->columns;
    long most = journal_most_samples(w->store->journal);
    if (c->sampled == 0 || most == 0)
        return;
    double *row = arena_doubles(w->arena, (size_t)most);
    hid *columns = arena_array(w->arena, hid, c->sampled), scale = -1;
    hid group = kept(w, w->h.Gcreate2(w->file, "samples", 0, 0, 0));
    const extent shape[] = {(extent)w->store->cases, (extent)most};
    bool same = same_times(w, row, most);
    if (same)
        put_times(w, row, most, &scale);
    for (int i = same; i < c->sampled; i++) {
        columns[i] = new_dataset(w, i ? group : w->file, c->list.at[c->first + i].name, *w->h.real, 2, shape);
        attach(w, columns[i], w->cases, 0);
        attach(w, columns[i], scale, 1);
    }
    for (long k = 0; w->ok && k < w->store->cases; k++) {
        case_record r = {.which = k};
        journal_read(w->store->journal, k, &r);
        for (int i = same; i < c->sampled; i++)
            put_row(w, columns[i], &r, i, most, row);
    }
    for (int i = same; i < c->sampled; i++)
        did(w, w->h.Dclose(columns[i]));
    if (same)
        did(w, w->h.Dclose(scale));
    w->h.Gclose(group);
}

// ---- all of it

static bool put_all(writer *w, const char *path) {
    w->h.Eset_auto2(0, NULL, NULL);
    w->file = kept(w, w->h.Fcreate(path, TRUNCATE, 0, 0));
    if (!w->ok)
        return false;
    w->string = kept(w, w->h.Tcopy(*w->h.string));
    did(w, w->h.Tset_size(w->string, (size_t)-1));
    did(w, w->h.Tset_cset(w->string, UTF8));
    put_attribute(w, "version", w->store->version);
    put_attribute(w, "model", w->store->model);
    put_attribute(w, "plan", w->store->plan);
    put_case_numbers(w);
    put_tables(w);
    put_samples(w);
    did(w, w->h.Dclose(w->cases));
    w->h.Tclose(w->string);
    did(w, w->h.Fclose(w->file));
    return w->ok;
}

bool export_hdf5(arena *a, const sweep_store *s, const char *path, diags *d) {
    writer w = {.arena = arena_child(a), .store = s, .cases = -1, .ok = true};
    output o;
    const char *hint = NULL;
    if (!load(&w.h)) {
        const char *missing = export_hdf5_missing(&hint);
        diag_error(d, (place){0}, "cannot write '%s': %s", path, missing)->hint = hint;
        return false;
    }
    bool opened = output_open(&o, a, path, OUTPUT_FILE);
    if (opened && o.part == NULL) {
        diag_error(d, (place){0}, "cannot write '%s': an HDF5 file is no stream", path);
        output_discard(&o);
        return false;
    }
    if (opened)
        output_lend(&o);
    bool ok = opened && put_all(&w, o.part);
    if (opened && !ok)
        diag_error(d, (place){0}, "cannot write '%s': the HDF5 library failed; is the disk full?", path);
    if (opened && !ok)
        output_discard(&o);
    else if (!opened || !output_place(&o)) {
        diag_error(d, (place){0}, "cannot write '%s': %s", path, output_why(&o, a));
        ok = false;
    }
    arena_free(w.arena);
    return ok;
}
