#include "sweep/plan.h"

#include <math.h>
#include <string.h>

typedef struct {
    arena *arena;
    const model *model;
    const plan_wish *wish;
    const model_setting *settings;
    int setting_count;
    diags *diags;
    plan *plan;
} planning;

static const char *const kinds[PLAN_KINDS] = {"grid", "zip", "lhs", "sobol", "random", "cases"};

const char *plan_kind_name(plan_kind kind) {
    return kinds[kind];
}

static bool draws(const plan *p) {
    return p->kind == PLAN_LHS || p->kind == PLAN_SOBOL || p->kind == PLAN_RANDOM;
}

static bool wrong(const planning *k, const char *message, const char *hint) {
    diag_error(k->diags, (place){0}, "%s", message)->hint = hint;
    return false;
}

// ---- names

static const char *name_of(const planning *k, int param) {
    text t;
    text_init(&t, k->arena);
    model_label(k->model, k->model->params.at[param].label, &t);
    return text_string(&t);
}

static const char *suggestion(const planning *k, const char *name) {
    name_guess best = {0};
    for (int i = 0; i < k->model->coords.count; i++)
        if (strcmp(model_coord_name(k->model, i, k->arena), name) == 0)
            return arena_print(k->arena, "'%s' is a coordinate: make its initial value a parameter", name);
    for (int i = 0; i < k->model->params.count; i++)
        names_offer(&best, name, name_of(k, i));
    return best.text ? arena_print(k->arena, "did you mean '%s'?", best.text) : NULL;
}

static bool check_name(const planning *k, const char *name, int before) {
    for (int i = 0; i < before; i++)
        if (strcmp(k->plan->axes[i].name, name) == 0)
            return wrong(k, arena_print(k->arena, "'%s' is varied twice", name),
                         "give all its values at once");
    for (int i = 0; i < k->setting_count; i++)
        if (strcmp(k->settings[i].name, name) == 0)
            return wrong(k, arena_print(k->arena, "'%s' is both set and varied", name),
                         "leave out one of them");
    for (int i = 0; i < k->model->params.count; i++)
        if (strcmp(name_of(k, i), name) == 0)
            return true;
    return wrong(k, arena_print(k->arena, "the model has no parameter '%s'", name), suggestion(k, name));
}

// ---- the plan

static bool read_axis(const planning *k, int i) {
    const char *given = k->wish->given[i], *equals = strchr(given, '=');
    axis *x = &k->plan->axes[i];
    x->given = arena_copy(k->arena, given, strlen(given));
    if (equals == NULL || equals == given)
        return wrong(k, arena_print(k->arena, SETTING "vary needs NAME=VALUES; found '%s'", given),
                     "as in L=0.5:2:16 or m=1,2,5");
    const char *end = equals;
    while (end > given && end[-1] == ' ')
        end--;
    while (*given == ' ')
        given++;
    x->name = arena_copy(k->arena, given, (size_t)(end - given));
    return check_name(k, x->name, i) &&
           axis_read(k->arena, k->model, draws(k->plan), x, equals + 1, k->diags);
}

static bool read_axes(const planning *k) {
    plan *p = k->plan;
    bool ok = true;
    p->axis_count = k->wish->count;
    p->axes = arena_array(k->arena, axis, p->axis_count + 1);
    for (int i = 0; i < p->axis_count; i++)
        ok &= read_axis(k, i);
    return ok;
}

static bool too_many(const planning *k, double cases) {
    return wrong(k, arena_print(k->arena, "%.3g cases are too many", cases),
                 arena_print(k->arena, "at most %ld", PLAN_CASES_MOST));
}

static bool count_grid(const planning *k) {
    double cases = 1;
    for (int i = 0; i < k->plan->axis_count; i++)
        cases *= (double)k->plan->axes[i].count;
    k->plan->cases = cases <= (double)PLAN_CASES_MOST ? (long)cases : 0;
    return k->plan->cases > 0 || too_many(k, cases);
}

// one value is the same in all cases
static bool count_zip(const planning *k) {
    const axis *longest = k->plan->axes;
    for (int i = 1; i < k->plan->axis_count; i++)
        if (k->plan->axes[i].count > longest->count)
            longest = &k->plan->axes[i];
    k->plan->cases = longest->count;
    for (int i = 0; i < k->plan->axis_count; i++) {
        const axis *x = &k->plan->axes[i];
        if (x->count != 1 && x->count != longest->count)
            return wrong(k,
                         arena_print(k->arena, "side by side, '%s' has %ld values and '%s' %ld",
                                     longest->name, longest->count, x->name, x->count),
                         "give all as many values, or one; without " SETTING "zip they are combined");
    }
    return true;
}

static bool count_draws(const planning *k) {
    plan *p = k->plan;
    bool spread = false;
    p->cases = k->wish->draws;
    for (int i = 0; i < p->axis_count; i++)
        spread |= p->axes[i].kind != AXIS_LIST;
    if (p->cases < 1 || p->cases > PLAN_CASES_MOST)
        return wrong(k, arena_print(k->arena, "%ld cases cannot be drawn", p->cases),
                     arena_print(k->arena, "1 to %ld", PLAN_CASES_MOST));
    if (!spread)
        return wrong(k, "there is nothing to draw: each parameter has one value", "give a range: L=0.5:2");
    if (p->kind == PLAN_SOBOL && p->axis_count > PLAN_DIMENSIONS)
        return wrong(k,
                     arena_print(k->arena, "Sobol's sequence has %d dimensions here, and %d are varied",
                                 PLAN_DIMENSIONS, p->axis_count),
                     SETTING "lhs N and " SETTING "random N have no such limit");
    return true;
}

static bool read_table(const planning *k) {
    plan *p = k->plan;
    if (k->wish->count)
        return wrong(k, "cases come from a file or from " SETTING "vary, not from both", NULL);
    p->file = k->wish->file;
    if (!plan_read_file(k->arena, p, k->diags))
        return false;
    for (int i = 0; i < p->axis_count; i++)
        if (!check_name(k, p->axes[i].name, i))
            return false;
    return true;
}

plan *plan_new(arena *a, const model *m, const plan_wish *wish, const model_setting *settings,
               int setting_count, diags *d) {
    plan *p = arena_alloc(a, sizeof *p);
    planning k = {a, m, wish, settings, setting_count, d, p};
    p->kind = wish->file ? PLAN_FILE : wish->kind;
    p->seed = wish->seed;
    if (p->kind == PLAN_FILE)
        return read_table(&k) ? p : NULL;
    if (wish->count == 0) {
        wrong(&k, "what is to be varied?",
              "give " SETTING "vary NAME=FROM:TO:COUNT, " SETTING "vary NAME=1,2,5 or " SETTING
              "cases FILE.csv");
        return NULL;
    }
    if (!read_axes(&k))
        return NULL;
    bool counted = p->kind == PLAN_GRID  ? count_grid(&k)
                   : p->kind == PLAN_ZIP ? count_zip(&k)
                                         : count_draws(&k);
    return counted ? p : NULL;
}

// ---- its cases

// Sobol's first number is 0, of which a normal distribution has no quantile: the middle of the finest cell
static double between(const plan *p, int i, long which) {
    static const double HALF = 0x1p-31;
    if (p->kind == PLAN_LHS)
        return draw_stratum(p->seed, i, which, p->cases);
    if (p->kind == PLAN_RANDOM)
        return draw_uniform(p->seed, i, which);
    double u = sobol_number(i, which);
    return p->axes[i].kind == AXIS_NORMAL ? u + HALF : u;
}

void plan_values(const plan *p, long which, double *out) {
    for (int i = p->axis_count - 1; i >= 0; i--) {
        const axis *x = &p->axes[i];
        switch (p->kind) {
        case PLAN_GRID:
            out[i] = axis_value(x, which % x->count);
            which /= x->count;
            break;
        case PLAN_ZIP:
            out[i] = axis_value(x, x->count == 1 ? 0 : which);
            break;
        case PLAN_FILE:
            out[i] = p->table[which * p->axis_count + i];
            break;
        default:
            out[i] = axis_drawn(x, between(p, i, which));
        }
    }
}
