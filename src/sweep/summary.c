#include "sweep/summary.h"

#include "report/json.h"

#include <math.h>
#include <string.h>

static const struct {
    case_status status;
    const char *word, *key;
} kinds[] = {{CASE_FINE, "fine", "fine"},
             {CASE_EXPECTATION, "with an expectation that fails", "expectation_failed"},
             {CASE_WRONG, "with a model that is wrong", "wrong_model"},
             {CASE_NO_SOLUTION, "without a solution", "no_solution"},
             {CASE_NO_MEMORY, "out of memory", "no_memory"},
             {CASE_TIMEOUT, "out of time", "timeout"}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void extend(sweep_extremes *x, bool *known, double value, long which) {
    if (!*known || value < x->least) {
        x->least = value;
        x->least_at = which;
    }
    if (!*known || value > x->largest) {
        x->largest = value;
        x->largest_at = which;
    }
    *known = true;
}

bool sweep_extremes_of(const sweep_store *s, sweep_extremes *out, bool *known) {
    bool any = false;
    memset(known, 0, (size_t)s->columns->list.count * sizeof *known);
    for (long i = 0; i < s->cases; i++) {
        case_record r;
        if (!journal_read(s->journal, i, &r))
            continue;
        for (int k = 0; k < s->columns->list.count; k++)
            if (isfinite(r.values[k]) && (r.status == CASE_FINE || r.status == CASE_EXPECTATION)) {
                extend(&out[k], &known[k], r.values[k], i);
                any = true;
            }
    }
    return any;
}

bool sweep_is_log(const sweep_about *s, const char *parameter) {
    size_t length = strlen(parameter);
    for (int i = 0; i < s->vary_count; i++) {
        const char *values = s->vary[i] + length;
        if (strncmp(s->vary[i], parameter, length) == 0 && *values == '=' && strncmp(values, "=log(", 5) == 0)
            return true;
    }
    return false;
}

// ---- for people

static void put_values(text *t, const sweep_store *s, long which) {
    case_record r;
    const char *between = "";
    text_print(t, "case %ld", which);
    if (!journal_read(s->journal, which, &r))
        return;
    text_add(t, ": ");
    for (int i = 0; i < s->columns->list.count; i++)
        if (s->columns->list.at[i].kind == COLUMN_IS_PARAMETER) {
            text_print(t, "%s%s = %.6g", between, s->columns->list.at[i].name, r.values[i]);
            between = ", ";
        }
}

static void put_counts(text *t, const sweep_store *s) {
    const char *between = "  ";
    for (int k = 0; k < KINDS; k++) {
        long count = journal_count(s->journal, kinds[k].status);
        if (count == 0 && kinds[k].status != CASE_FINE)
            continue;
        text_print(t, "%s%ld %s", between, count, kinds[k].word);
        between = ", ";
    }
    long left = s->cases - journal_done(s->journal);
    if (left > 0)
        text_print(t, "%s%ld not done", between, left);
    text_add(t, "\n");
}

// the first case of each status that says why
static void put_reasons(text *t, const sweep_store *s) {
    bool told[CASE_STATUSES] = {[CASE_FINE] = true};
    for (long i = 0; i < s->cases; i++) {
        case_record r;
        int status = journal_status(s->journal, i);
        if (status < 0 || told[status] || !journal_read(s->journal, i, &r))
            continue;
        told[status] = true;
        text_add(t, "    ");
        put_values(t, s, i);
        text_print(t, ": %s\n", r.message);
    }
}

static bool is_told(const sweep_columns *c, int i, bool shown) {
    if (sweep_columns_repeated(c, i))
        return false;
    return c->list.at[i].kind == COLUMN_IS_SHOWN || c->list.at[i].kind == COLUMN_IS_RESULT ||
           (!shown && c->list.at[i].kind == COLUMN_IS_FINAL && i > c->first);
}

static bool shows_something(const sweep_columns *c) {
    for (int i = 0; i < c->list.count; i++)
        if (c->list.at[i].kind == COLUMN_IS_SHOWN || c->list.at[i].kind == COLUMN_IS_RESULT)
            return true;
    return false;
}

enum { TOLD_MOST = 12 }; // without outputs coordinates are told, of which there may be many

static void put_extremes(arena *a, text *t, const sweep_store *s) {
    const sweep_columns *c = s->columns;
    bool *known = arena_array(a, bool, c->list.count), shown = shows_something(c);
    sweep_extremes *x = arena_array(a, sweep_extremes, c->list.count);
    int told = 0;
    if (!sweep_extremes_of(s, x, known))
        return;
    text_add(t, "  at the end\n");
    for (int i = 0; i < c->list.count; i++) {
        if (!known[i] || !is_told(c, i, shown) || (!shown && told++ >= TOLD_MOST))
            continue;
        text_print(t, "    %-14s %.6g (", c->list.at[i].name, x[i].least);
        put_values(t, s, x[i].least_at);
        text_print(t, ") to %.6g (", x[i].largest);
        put_values(t, s, x[i].largest_at);
        text_add(t, ")\n");
    }
}

const char *sweep_summary(arena *a, const sweep_about *s) {
    text t;
    text_init(&t, a);
    text_print(&t, "%s\n  %ld case%s (%s)", s->title, s->store->cases, s->store->cases == 1 ? "" : "s",
               s->kind);
    for (int i = 0; i < s->vary_count; i++)
        text_print(&t, "%s%s", i ? ", " : ": ", s->vary[i]);
    text_add(&t, "\n");
    put_counts(&t, s->store);
    put_reasons(&t, s->store);
    put_extremes(a, &t, s->store);
    if (s->seconds > 0)
        text_print(&t, "  %.3g s, %.3g cases/s in %d thread%s\n", s->seconds,
                   (double)s->done_now / s->seconds, s->threads, s->threads == 1 ? "" : "s");
    return text_string(&t);
}

// ---- as JSON

static void json_extremes(json *j, arena *a, const sweep_store *s) {
    const sweep_columns *c = s->columns;
    bool *known = arena_array(a, bool, c->list.count);
    sweep_extremes *x = arena_array(a, sweep_extremes, c->list.count);
    sweep_extremes_of(s, x, known);
    json_key(j, "final");
    json_open(j, '{');
    for (int i = 0; i < c->list.count; i++) {
        sweep_column_kind kind = c->list.at[i].kind;
        bool shown = kind == COLUMN_IS_FINAL || kind == COLUMN_IS_SHOWN || kind == COLUMN_IS_RESULT;
        if (!known[i] || !shown || sweep_columns_repeated(c, i))
            continue;
        json_key(j, c->list.at[i].name);
        json_open(j, '{');
        json_key(j, "least"), json_number(j, x[i].least);
        json_key(j, "least_case"), json_integer(j, x[i].least_at);
        json_key(j, "largest"), json_number(j, x[i].largest);
        json_key(j, "largest_case"), json_integer(j, x[i].largest_at);
        json_close(j, '}');
    }
    json_close(j, '}');
}

static void json_failures(json *j, const sweep_store *s) {
    enum { MOST = 100 };
    int told = 0;
    json_key(j, "failures");
    json_open(j, '[');
    for (long i = 0; i < s->cases && told < MOST; i++) {
        case_record r;
        if (journal_status(s->journal, i) <= CASE_FINE || !journal_read(s->journal, i, &r))
            continue;
        told++;
        json_open(j, '{');
        json_key(j, "case"), json_integer(j, i);
        json_key(j, "status"), json_integer(j, r.status);
        json_key(j, "parameters");
        json_open(j, '{');
        for (int k = 0; k < s->columns->list.count; k++)
            if (s->columns->list.at[k].kind == COLUMN_IS_PARAMETER)
                json_key(j, s->columns->list.at[k].name), json_number(j, r.values[k]);
        json_close(j, '}');
        json_key(j, "message"), json_string(j, r.message);
        json_close(j, '}');
    }
    json_close(j, ']');
}

const char *sweep_json(arena *a, const sweep_about *s) {
    json j;
    json_init(&j, a);
    json_open(&j, '{');
    json_key(&j, "title"), json_string(&j, s->title);
    json_key(&j, "cases"), json_integer(&j, s->store->cases);
    json_key(&j, "done"), json_integer(&j, journal_done(s->store->journal));
    json_key(&j, "sampling"), json_string(&j, s->kind);
    json_key(&j, "vary");
    json_open(&j, '[');
    for (int i = 0; i < s->vary_count; i++)
        json_string(&j, s->vary[i]);
    json_close(&j, ']');
    json_key(&j, "status");
    json_open(&j, '{');
    for (int k = 0; k < KINDS; k++)
        json_key(&j, kinds[k].key), json_integer(&j, journal_count(s->store->journal, kinds[k].status));
    json_close(&j, '}');
    json_extremes(&j, a, s->store);
    json_failures(&j, s->store);
    json_key(&j, "seconds"), json_number(&j, s->seconds);
    json_key(&j, "threads"), json_integer(&j, s->threads);
    json_close(&j, '}');
    return text_string(&j.out);
}
