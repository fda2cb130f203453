#include "sweep/page.h"

#include "report/json.h"
#include "report/symbols.h"

#include <math.h>

/* Numbers in columns: some 40 MB of text. Where all columns would be more, those of coordinates and reports
 * are left out. Failures of which messages are told; numbers of samples, and curves that are drawn. */
enum { NUMBERS_MOST = 4000000, TOLD_MOST = 2000, SAMPLED_MOST = 2000000, CURVES_MOST = 200 };

typedef struct {
    json *j;
    arena *arena;
    const sweep_about *about;
    const sweep_store *store;
} page;

static void put_text(page *p, const char *key, const char *value) {
    json_key(p->j, key);
    json_string(p->j, value);
}

static void put_number_of(page *p, const char *key, long value) {
    json_key(p->j, key);
    json_integer(p->j, value);
}

// little-endian, as journals are
static void put_doubles(page *p, const char *key, const double *values, size_t count) {
    json_key(p->j, key);
    json_base64(p->j, (const unsigned char *)values, count * sizeof *values);
}

// ---- columns

static const char *kind_name(sweep_column_kind kind) {
    static const char *const names[COLUMN_KINDS] = {"parameter", "final",  "output", "result",
                                                    "when",      "report", "hidden"};
    return names[kind];
}

static bool is_needed(sweep_column_kind kind) {
    return kind == COLUMN_IS_PARAMETER || kind == COLUMN_IS_SHOWN || kind == COLUMN_IS_RESULT ||
           kind == COLUMN_IS_WHEN;
}

// which columns stand in the page; how many
static int choose_columns(const page *p, bool all, bool *chosen) {
    const sweep_columns *c = p->store->columns;
    int count = 0;
    for (int i = 0; i < c->list.count; i++) {
        sweep_column_kind kind = c->list.at[i].kind;
        chosen[i] = kind != COLUMN_IS_HIDDEN && !sweep_columns_repeated(c, i) && (all || is_needed(kind));
        count += chosen[i];
    }
    return count;
}

static bool fits(const page *p, int columns) {
    return p->store->cases <= NUMBERS_MOST / (columns > 0 ? columns : 1);
}

// (columns x cases); NAN where there is none
static double *gather(const page *p, const bool *chosen, int count) {
    const sweep_columns *c = p->store->columns;
    size_t cases = (size_t)p->store->cases;
    double *out = arena_doubles(p->arena, (size_t)count * cases + 1);
    for (long i = 0; i < p->store->cases; i++) {
        case_record r;
        bool there = journal_read(p->store->journal, i, &r);
        double *to = out + i;
        for (int k = 0; k < c->list.count; k++)
            if (chosen[k]) {
                *to = there ? r.values[k] : NAN;
                to += cases;
            }
    }
    return out;
}

static void put_columns(page *p, const bool *chosen, int count) {
    const sweep_columns *c = p->store->columns;
    const double *values = gather(p, chosen, count);
    json_key(p->j, "columns");
    json_open(p->j, '[');
    for (int i = 0; i < c->list.count; i++) {
        const sweep_column *column = &c->list.at[i];
        if (!chosen[i])
            continue;
        json_open(p->j, '{');
        put_text(p, "name", column->name);
        put_text(p, "shown", symbols_shown(p->arena, column->name));
        put_text(p, "kind", kind_name(column->kind));
        if (column->kind == COLUMN_IS_PARAMETER && sweep_is_log(p->about, column->name)) {
            json_key(p->j, "log");
            json_bool(p->j, true);
        }
        put_doubles(p, "values", values, (size_t)p->store->cases);
        json_close(p->j, '}');
        values += p->store->cases;
    }
    json_close(p->j, ']');
}

// ---- what became of each

enum { NOT_DONE = 255 };

static void put_statuses(page *p) {
    unsigned char *status = arena_array(p->arena, unsigned char, p->store->cases + 1);
    for (long i = 0; i < p->store->cases; i++) {
        int was = journal_status(p->store->journal, i);
        status[i] = was < 0 ? NOT_DONE : (unsigned char)was;
    }
    json_key(p->j, "status");
    json_base64(p->j, status, (size_t)p->store->cases);
}

static void put_failures(page *p) {
    int told = 0;
    json_key(p->j, "failures");
    json_open(p->j, '[');
    for (long i = 0; i < p->store->cases && told < TOLD_MOST; i++) {
        case_record r;
        if (journal_status(p->store->journal, i) <= CASE_FINE || !journal_read(p->store->journal, i, &r))
            continue;
        json_open(p->j, '[');
        json_integer(p->j, i);
        json_string(p->j, r.message);
        json_close(p->j, ']');
        told++;
    }
    json_close(p->j, ']');
}

// ---- samples

typedef struct {
    long *which; // the cases of the curves
    int count;
    double *lengths; // of each
    size_t samples;  // of all
} curves;

static curves choose_curves(const page *p) {
    long every = (p->store->cases + CURVES_MOST - 1) / CURVES_MOST;
    curves out = {arena_array(p->arena, long, CURVES_MOST + 1), 0, arena_doubles(p->arena, CURVES_MOST + 1),
                  0};
    for (long i = 0; i < p->store->cases; i += every) {
        case_record r;
        if (!journal_read(p->store->journal, i, &r) || r.samples == 0)
            continue;
        out.which[out.count] = i;
        out.lengths[out.count++] = (double)r.samples;
        out.samples += (size_t)r.samples;
    }
    return out;
}

// column `at` of the samples of all curves, one behind the other
static void put_sampled(page *p, const curves *c, const char *key, int at) {
    double *values = arena_doubles(p->arena, c->samples + 1), *to = values;
    for (int i = 0; i < c->count; i++) {
        case_record r;
        if (journal_read(p->store->journal, c->which[i], &r))
            for (long s = 0; s < r.samples; s++)
                *to++ = r.sampled[s * p->store->columns->sampled + at];
    }
    put_doubles(p, key, values, (size_t)(to - values));
}

static bool has_shown(const sweep_columns *c) {
    for (int i = 0; i < c->sampled; i++)
        if (c->list.at[c->first + i].kind == COLUMN_IS_SHOWN)
            return true;
    return false;
}

// the time, and outputs over it, or else all there is as far as there is room
static void put_samples(page *p) {
    const sweep_columns *c = p->store->columns;
    curves of = choose_curves(p);
    bool outputs = has_shown(c);
    size_t put = of.samples;
    if (of.count == 0)
        return;
    json_key(p->j, "samples");
    json_open(p->j, '{');
    json_key(p->j, "cases");
    json_open(p->j, '[');
    for (int i = 0; i < of.count; i++)
        json_integer(p->j, of.which[i]);
    json_close(p->j, ']');
    put_doubles(p, "lengths", of.lengths, (size_t)of.count);
    put_sampled(p, &of, "times", 0);
    json_key(p->j, "curves");
    json_open(p->j, '[');
    for (int i = 1; i < c->sampled && put + of.samples <= SAMPLED_MOST; i++) {
        const sweep_column *column = &c->list.at[c->first + i];
        if (outputs && column->kind != COLUMN_IS_SHOWN)
            continue;
        json_open(p->j, '{');
        put_text(p, "name", column->name);
        put_text(p, "shown", symbols_shown(p->arena, column->name));
        put_sampled(p, &of, "values", i);
        json_close(p->j, '}');
        put += of.samples;
    }
    json_close(p->j, ']');
    json_close(p->j, '}');
}

// ---- all of it

static void put_rules(page *p) {
    json_key(p->j, "vary");
    json_open(p->j, '[');
    for (int i = 0; i < p->about->vary_count; i++)
        json_string(p->j, p->about->vary[i]);
    json_close(p->j, ']');
}

const char *sweep_page(arena *a, const sweep_about *s, const char *run, diags *d) {
    json j;
    page p = {&j, a, s, s->store};
    bool *chosen = arena_array(a, bool, s->store->columns->list.count + 1);
    int count = choose_columns(&p, true, chosen);
    bool all = fits(&p, count);
    if (!all)
        count = choose_columns(&p, false, chosen);
    if (!fits(&p, count)) {
        diag_error(d, (place){0}, "a page cannot hold %ld cases with %d columns", s->store->cases, count)
            ->hint = "their CSV or HDF5 file can be drawn by other programs";
        return NULL;
    }
    json_init(&j, a);
    j.safe = true;
    json_open(&j, '{');
    json_key(&j, "sweep");
    json_open(&j, '{');
    put_text(&p, "kind", s->kind);
    put_rules(&p);
    put_number_of(&p, "cases", s->store->cases);
    put_text(&p, "summary", sweep_summary(a, s));
    json_key(&j, "all_columns");
    json_bool(&j, all);
    put_statuses(&p);
    put_failures(&p);
    put_columns(&p, chosen, count);
    if (s->store->columns->sampled)
        put_samples(&p);
    json_close(&j, '}');
    json_key(&j, "run");
    json_value(&j, run);
    json_close(&j, '}');
    return text_string(&j.out);
}
