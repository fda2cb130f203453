#include "export/single.h"

#include "code/ctext.h"
#include "solve/solve.h"
#include "system/direct.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <string.h>

// ---- the text

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static const char *in_single(const char *word, int length) {
    static const char *const pairs[][2] = {
        {"double", "float"}, {"sqrt", "sqrtf"}, {"sin", "sinf"},
        {"cos", "cosf"},     {"tan", "tanf"},   {"asin", "asinf"},
        {"acos", "acosf"},   {"atan", "atanf"}, {"atan2", "atan2f"},
        {"sinh", "sinhf"},   {"cosh", "coshf"}, {"tanh", "tanhf"},
        {"exp", "expf"},     {"log", "logf"},   {"fabs", "fabsf"},
        {"floor", "floorf"}, {"pow", "powf"},   {"fmax", "fmaxf"},
        {"fmin", "fminf"},   {"ceil", "ceilf"}, {"DBL_EPSILON", "FLT_EPSILON"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if ((int)strlen(pairs[i][0]) == length && memcmp(pairs[i][0], word, (size_t)length) == 0)
            return pairs[i][1];
    return NULL;
}

// the end of a comment or literal that begins at c; c if none does
static const char *behind_text(const char *c) {
    if (c[0] == '/' && (c[1] == '*' || c[1] == '/')) {
        const char *close = c[1] == '*' ? "*/" : "\n", *end = strstr(c + 2, close);
        return end ? end + strlen(close) : c + strlen(c);
    }
    if (*c != '"' && *c != '\'')
        return c;
    char quote = *c++;
    for (; *c && *c != quote; c++)
        c += *c == '\\' && c[1];
    return *c ? c + 1 : c;
}

static const char *behind_number(const char *c) {
    while (is_word(*c) || *c == '.' || ((*c == '-' || *c == '+') && c[-1] == 'e'))
        c++;
    return c;
}

static void put_number(text *out, const char *from, const char *end) {
    int length = (int)(end - from);
    bool real = memchr(from, '.', (size_t)length) || memchr(from, 'e', (size_t)length);
    double value = real ? number_read(from, NULL) : 0;
    if (real && fabs(value) > (double)FLT_MAX)
        text_add(out, "INFINITY");
    else if (real && value != 0 && fabs(value) < (double)FLT_MIN)
        text_add(out, "0.0f");
    else
        text_print(out, "%.*s%s", length, from, real ? "f" : "");
}

const char *single_text(arena *a, const char *given) {
    text t;
    text_init(&t, a);
    for (const char *c = given, *end; *c; c = end) {
        end = behind_text(c);
        if (end > c) {
            text_add_bytes(&t, c, (int)(end - c));
        } else if (isdigit((unsigned char)*c)) {
            end = behind_number(c);
            put_number(&t, c, end);
        } else if (is_word(*c)) {
            for (end = c; is_word(*end);)
                end++;
            const char *other = in_single(c, (int)(end - c));
            text_add_bytes(&t, other ? other : c, other ? (int)strlen(other) : (int)(end - c));
        } else {
            text_add_bytes(&t, c, 1);
            end = c + 1;
        }
    }
    return text_string(&t);
}

// ---- the accuracy

static double apart(const double *x, const double *y, int count) {
    double most = 0, off = 0;
    for (int i = 0; i < count; i++) {
        most = fmax(most, fabs(x[i]));
        off = isfinite(y[i]) ? fmax(off, fabs(x[i] - y[i])) : INFINITY;
    }
    return most > 0 ? off / most : off;
}

// y of STAGE_DYNAMICS by the kernel in single precision
static const double *run_single(arena *a, const trm_system *s, const trm_state *st) {
    const stage *of = &s->stages[STAGE_DYNAMICS];
    const stage_group *g = &of->groups.at[0];
    int inputs = kernel_inputs(g->kernel), outputs = kernel_outputs(g->kernel);
    double *in = arena_doubles(a, (size_t)inputs + 1), *out = arena_doubles(a, (size_t)outputs + 1);
    double *y = arena_doubles(a, (size_t)of->y_size + 1);
    for (int i = 0; i < inputs; i++)
        in[i] = state_input(st, i);
    ctext_run_single(a, g->kernel, in, out);
    for (int i = 0; i < outputs; i++)
        y[g->scatter ? g->scatter[i] : i] = out[i];
    return y;
}

void single_compare(arena *a, const trm_system *s, trm_state *st, double t, const double *q, const double *v,
                    single_accuracy *so_far) {
    arena *scratch = arena_child(a);
    bool found = solve_acceleration(s, st, t, q, v).status == SOLVE_OK;
    const double *x = state_output(st, STAGE_DYNAMICS) + s->direct_at;
    const double *y = run_single(scratch, s, st) + s->direct_at, *checks = y + s->n + s->all.rows;
    bool sure = found && checks[DIRECT_MASS] > SINGLE_MASS && checks[DIRECT_SCHUR] > SINGLE_SCHUR &&
                checks[DIRECT_GRAM] > SINGLE_GRAM && checks[DIRECT_SIGN] > 0;
    so_far->states++;
    so_far->unsure += !sure;
    if (sure) {
        so_far->acceleration = fmax(so_far->acceleration, apart(x, y, s->n));
        so_far->multiplier = fmax(so_far->multiplier, apart(x + s->n, y + s->n, s->all.rows));
    }
    arena_free(scratch);
}
