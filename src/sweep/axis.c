/* One varied parameter: what stands behind its name, and its values. */
#include "sweep/plan.h"

#include <math.h>
#include <string.h>

typedef struct {
    arena *arena;
    const model *model;
    axis *axis;
    bool drawn;
    diags *diags;
} reading;

static bool wrong(const reading *k, const char *what, const char *hint) {
    diag_error(k->diags, (place){0}, SETTING "vary %s: %s", k->axis->given, what)->hint = hint;
    return false;
}

/* Cut at the signs that are in no brackets, at most `most` pieces; without blanks around them. */
static int cut(const reading *k, const char *given, char sign, const char **pieces, int most) {
    int depth = 0, count = 0;
    const char *begin = given;
    for (const char *c = given;; c++) {
        depth += (*c == '(' || *c == '[') - (*c == ')' || *c == ']');
        if (*c && (*c != sign || depth > 0))
            continue;
        const char *end = c;
        while (begin < end && (*begin == ' ' || *begin == '\t'))
            begin++;
        while (end > begin && (end[-1] == ' ' || end[-1] == '\t'))
            end--;
        if (count < most)
            pieces[count] = arena_copy(k->arena, begin, (size_t)(end - begin));
        count++;
        if (*c == '\0')
            return count;
        begin = c + 1;
    }
}

static bool number(const reading *k, const char *given, double *out) {
    if (*given == '\0')
        return wrong(k, "a value is missing", "as in L=0.5:2:16 or m=1,2,5");
    const char *name = arena_print(k->arena, SETTING "vary %s", k->axis->name);
    return model_number(k->arena, k->model, name, given, k->diags, out);
}

static bool count_of(const reading *k, const char *given, long *out) {
    double count;
    if (!number(k, given, &count))
        return false;
    if (!(count >= 1 && count <= (double)PLAN_CASES_MOST && count == floor(count)))
        return wrong(k, "how many values a range has must be a whole number, 1 or more",
                     "FROM:TO:COUNT, as in L=0.5:2:16");
    *out = (long)count;
    return true;
}

static bool check_range(const reading *k) {
    const axis *x = k->axis;
    if (x->kind == AXIS_LOG && !(x->a > 0 && x->b > 0))
        return wrong(k, "both ends of log(...) must be larger than 0", NULL);
    if (x->a == x->b && x->count != 1)
        return wrong(k, "the range is empty: both ends are the same", "one value is NAME=VALUE");
    if (x->count == 1 && x->a != x->b)
        return wrong(k, "a range of one value has no place for its end", "one value is NAME=VALUE");
    return true;
}

// FROM:TO:COUNT, or FROM:TO where values are drawn
static bool range(const reading *k, const char *given) {
    const char *pieces[3];
    int count = cut(k, given, ':', pieces, 3);
    if (count == 2 && !k->drawn)
        return wrong(k, "how many values shall the range have?",
                     "FROM:TO:COUNT, as in L=0.5:2:16; or let them be drawn by " SETTING "lhs N, " SETTING
                     "sobol N or " SETTING "random N");
    if (count == 3 && k->drawn)
        return wrong(k, "where values are drawn a range is FROM:TO",
                     "how many there are is what " SETTING "lhs, " SETTING "sobol or " SETTING "random says");
    if (count < 2 || count > 3)
        return wrong(k, "a range is FROM:TO:COUNT", "as in L=0.5:2:16");
    return number(k, pieces[0], &k->axis->a) && number(k, pieces[1], &k->axis->b) &&
           (count == 2 || count_of(k, pieces[2], &k->axis->count)) && check_range(k);
}

// normal(mu,sigma), uniform(a,b)
static bool distribution(const reading *k, const char *given, axis_kind kind) {
    const char *pieces[2];
    axis *x = k->axis;
    if (!k->drawn)
        return wrong(k, "a distribution is to be drawn from",
                     "say how often: " SETTING "random N, " SETTING "lhs N or " SETTING "sobol N");
    if (cut(k, given, ',', pieces, 2) != 2)
        return wrong(k, "a distribution has two numbers", "normal(MEAN,DEVIATION), uniform(FROM,TO)");
    if (!number(k, pieces[0], &x->a) || !number(k, pieces[1], &x->b))
        return false;
    x->kind = kind;
    if (kind == AXIS_NORMAL && !(x->b > 0))
        return wrong(k, "the deviation must be larger than 0", NULL);
    return kind == AXIS_NORMAL || check_range(k);
}

static bool list(const reading *k, const char *given) {
    axis *x = k->axis;
    int count = cut(k, given, ',', NULL, 0);
    const char **pieces = arena_array(k->arena, const char *, count);
    if (k->drawn && count > 1)
        return wrong(k, "a list has nothing to draw from", "give a range, as in L=0.5:2, or one value");
    x->count = cut(k, given, ',', pieces, count);
    x->values = arena_doubles(k->arena, (size_t)count);
    for (int i = 0; i < count; i++)
        if (!number(k, pieces[i], &x->values[i]))
            return false;
    return true;
}

// what stands in the brackets of NAME(...), which is all there is; NULL if it is no such thing
static const char *inside(const reading *k, const char *given, const char *name) {
    size_t length = strlen(name), all = strlen(given);
    int depth = 0;
    if (strncmp(given, name, length) != 0 || given[length] != '(' || given[all - 1] != ')')
        return NULL;
    for (const char *c = given + length; *c; c++) {
        depth += (*c == '(') - (*c == ')');
        if (depth == 0 && c[1])
            return NULL;
    }
    return arena_copy(k->arena, given + length + 1, all - length - 2);
}

bool axis_read(arena *a, const model *m, bool drawn, axis *x, const char *values, diags *d) {
    reading k = {a, m, x, drawn, d};
    const char *piece, *within;
    cut(&k, values, '\0', &piece, 1); // without blanks around
    if (*piece == '\0')
        return wrong(&k, "there are no values", "as in L=0.5:2:16 or m=1,2,5");
    if ((within = inside(&k, piece, "normal")))
        return distribution(&k, within, AXIS_NORMAL);
    if ((within = inside(&k, piece, "uniform")))
        return distribution(&k, within, AXIS_LINEAR);
    within = inside(&k, piece, "log");
    if (within && cut(&k, within, ':', NULL, 0) > 1) { // else it is a number, log(2)
        x->kind = AXIS_LOG;
        return range(&k, within);
    }
    x->kind = AXIS_LINEAR;
    if (cut(&k, piece, ':', NULL, 0) > 1)
        return range(&k, piece);
    x->kind = AXIS_LIST;
    return list(&k, piece);
}

double axis_value(const axis *x, long i) {
    if (x->kind == AXIS_LIST)
        return x->values[i];
    if (i == 0 || i == x->count - 1)
        return i == 0 ? x->a : x->b;
    double part = (double)i;
    if (x->kind == AXIS_LINEAR)
        return x->a + part * ((x->b - x->a) / (double)(x->count - 1));
    double from = log10(x->a), to = log10(x->b);
    return pow(10, from + part * ((to - from) / (double)(x->count - 1)));
}

double axis_drawn(const axis *x, double u) {
    switch (x->kind) {
    case AXIS_LIST:
        return x->values[0];
    case AXIS_NORMAL:
        return x->a + x->b * draw_normal(u);
    case AXIS_LOG:
        return pow(10, log10(x->a) + u * (log10(x->b) - log10(x->a)));
    default:
        return u * (x->b - x->a) + x->a;
    }
}
