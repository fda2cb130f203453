#include "api/choices.h"

#include "api/objects.h"
#include "api/run_settings.h"
#include "linear/lu.h"

#include <math.h>
#include <string.h>

/* Beyond, alpha^2 and the masses of about 1 leave each other too few digits, where both are needed. */
static const double LEAST_ALPHA = 1e-6, MOST_ALPHA = 1e6;

typedef struct {
    trm_result *result;
    const open_choice *what;
    const char *text; // as given
} choosing;

static diag *wrong(const choosing *k, const char *message) {
    return diag_error(&k->result->diags, (place){0}, SETTING "choice %s=%s: %s", k->what->name, k->text,
                      message);
}

static bool is_number(const choosing *k, const char *given, double *out) {
    trm_result *r = k->result;
    return model_number(r->arena, r->model->model, arena_print(r->arena, SETTING "choice %s", k->what->name),
                        given, &r->diags, out);
}

// ---- one of those that have a name

static const char *variants_of(const choosing *k) {
    text t;
    text_init(&t, k->result->arena);
    for (const choice_variant *v = k->what->variants; v->name; v++)
        text_print(&t, "%s%s%s", v == k->what->variants ? "there are " : ", ", v->name,
                   v->arbitrary ? "(SEED)" : "");
    if (k->what->dimensions)
        text_add(&t, k->what->dimensions == 1 ? ", a number or a tuple of numbers"
                                              : ", or a matrix such as ((1, 2), (0, 1))");
    return text_string(&t);
}

// the variant that a text begins with, as a whole word
static const choice_variant *variant_named(const open_choice *what, const char *given, size_t *length) {
    *length = strcspn(given, " (");
    for (const choice_variant *v = what->variants; v && v->name; v++)
        if (strlen(v->name) == *length && strncmp(v->name, given, *length) == 0)
            return v;
    return NULL;
}

// random(7): seeds of several choices are mixed
static bool take_seed(const choosing *k, const choice_variant *v, const char *rest, unsigned *seed) {
    double number = 0;
    while (*rest == ' ')
        rest++;
    if (*rest && !v->arbitrary) {
        wrong(k, arena_print(k->result->arena, "%s takes no number: nothing in it is arbitrary", v->name));
        return false;
    }
    if (*rest && !is_number(k, rest, &number))
        return false;
    if (number != floor(number) || number < 0 || number > 1e9) {
        wrong(k, arena_print(k->result->arena, "a seed is a whole number from 0 to 1e9, not %.15g", number));
        return false;
    }
    *seed = *seed * 31 + (unsigned)number;
    return true;
}

static bool take_variant(const choosing *k, const choice_variant *v, const char *rest) {
    paper_choice *c = &k->result->chosen.choice;
    *(int *)((char *)c + k->what->at) = (int)(v - k->what->variants);
    return take_seed(k, v, rest, &c->seed);
}

// ---- numbers

// where an item of a tuple ends: at a comma or the closing bracket, outside of brackets of its own
static const char *item_end(const char *c) {
    for (int depth = 0; *c; c++) {
        if (depth == 0 && (*c == ',' || *c == ')'))
            break;
        depth += (*c == '(') - (*c == ')');
    }
    return c;
}

static bool all_blank(const char *c) {
    return c[strspn(c, " \t")] == '\0';
}

typedef vec(const char *) item_list;

/* (a, b, c) in its items; any other text is one. */
static item_list items_of(arena *a, const char *given) {
    item_list items = {0};
    given += strspn(given, " \t");
    const char *c = given;
    bool closed = false;
    while (*given == '(' && *c && !closed) {
        const char *begin = c + 1, *end = item_end(begin);
        vec_push(a, items, arena_copy(a, begin, (size_t)(end - begin)));
        closed = *end == ')' && all_blank(end + 1);
        if (*end != ',' && !closed)
            break;
        c = end;
    }
    if (!closed || items.count == 1) { // no tuple, or an expression in brackets
        items.count = 0;
        vec_push(a, items, given);
    }
    return items;
}

static double *numbers_of(const choosing *k, const item_list *items) {
    double *at = arena_doubles(k->result->arena, (size_t)items->count);
    for (int i = 0; i < items->count; i++)
        if (!is_number(k, items->at[i], &at[i]))
            return NULL;
    return at;
}

static bool take_alpha(const choosing *k) {
    double alpha = 0;
    if (!is_number(k, k->text, &alpha))
        return false;
    if (!(fabs(alpha) >= LEAST_ALPHA && fabs(alpha) <= MOST_ALPHA)) {
        wrong(k, alpha == 0 ? "alpha must not be 0" : "alpha is out of reach")->hint =
            "its square is added to masses that are scaled to about 1; from 1e-6 to 1e6 digits are left";
        return false;
    }
    k->result->chosen.choice.alpha = alpha;
    return true;
}

static bool take_vector(const choosing *k) {
    paper_choice *c = &k->result->chosen.choice;
    item_list items = items_of(k->result->arena, k->text);
    int rows = k->result->model->model->rows.count;
    if (items.count > 1 && items.count != rows) {
        wrong(k, arena_print(k->result->arena, "%d components, and the model has %d constraint row%s",
                             items.count, rows, rows == 1 ? "" : "s"))
            ->hint = "give one for each row, or a single number for all";
        return false;
    }
    c->z = Z_GIVEN;
    c->z_given = numbers_of(k, &items);
    c->z_count = items.count;
    return c->z_given != NULL;
}

static bool invertible(arena *a, const double *at, int size) {
    int *pivot = arena_array(a, int, size), sign;
    double *copy = arena_doubles(a, (size_t)(size * size)), *work = arena_doubles(a, (size_t)(2 * size));
    memcpy(copy, at, (size_t)(size * size) * sizeof *at);
    return lu_factor(copy, size, pivot, work, &sign) < 0;
}

static bool take_matrix(const choosing *k) {
    arena *a = k->result->arena;
    paper_choice *c = &k->result->chosen.choice;
    item_list rows = items_of(a, k->text);
    int size = rows.count;
    double *at = arena_doubles(a, (size_t)size * (size_t)size);
    for (int i = 0; i < size; i++) {
        item_list row = items_of(a, rows.at[i]);
        if (row.count != size) {
            wrong(k, arena_print(a, "row %d has %d number%s, and there are %d row%s", i + 1, row.count,
                                 row.count == 1 ? "" : "s", size, size == 1 ? "" : "s"))
                ->hint = "it is a square matrix, one row after the other: ((1, 2), (0, 1))";
            return false;
        }
        const double *numbers = numbers_of(k, &row);
        if (numbers == NULL)
            return false;
        memcpy(at + i * size, numbers, (size_t)size * sizeof *at);
    }
    if (!invertible(a, at, size)) {
        wrong(k, "the matrix is singular, so that V would be no basis")->hint =
            "V V' must be positive definite on the null space: give a matrix that can be inverted";
        return false;
    }
    c->basis = BASIS_GIVEN;
    c->mix = at;
    c->mix_size = size;
    return true;
}

// ---- all of them

static const open_choice *choice_named(trm_result *r, const char *name) {
    for (int i = 0; i < OPEN_CHOICES; i++)
        if (strcmp(open_choices[i].name, name) == 0)
            return &open_choices[i];
    settings_unknown(r, "choice", name, trm_paper_choice_at);
    return NULL;
}

// those that a formulation has
static const char *choices_of(arena *a, const formulation *of) {
    text t;
    text_init(&t, a);
    for (int i = 0; i < OPEN_CHOICES; i++)
        if (open_choices[i].of == of)
            text_print(&t, "%s%s", text_string(&t)[0] ? ", " : "", open_choices[i].name);
    return text_string(&t);
}

// the formulation in use must be the one that leaves it open
static bool belongs(const choosing *k) {
    trm_result *r = k->result;
    if (r->study->needs & COMPARES || r->formulation == k->what->of)
        return true;
    const char *name = r->formulation ? r->formulation->name : trm_formulation_at(0).name;
    const char *own = choices_of(r->arena, r->formulation), *of = k->what->of->name;
    const char *message = own[0] ? arena_print(r->arena, "the formulation %s has only %s", name, own)
                                 : arena_print(r->arena, "the formulation %s leaves nothing to choose", name);
    wrong(k, message)->hint =
        arena_print(r->arena, "%s is a choice of %s: give " SETTING "formulation %s", k->what->name, of, of);
    return false;
}

static bool take_value(const choosing *k) {
    size_t length;
    const choice_variant *v = variant_named(k->what, k->text, &length);
    if (v)
        return take_variant(k, v, k->text + length);
    if (k->what->variants && k->what->dimensions == 0) {
        wrong(k, "there is no such inverse")->hint = variants_of(k);
        return false;
    }
    bool taken = k->what->variants == NULL  ? take_alpha(k)
                 : k->what->dimensions == 1 ? take_vector(k)
                                            : take_matrix(k);
    diags *d = &k->result->diags;
    bool word = strcspn(k->text, "(,") == strlen(k->text); // may be meant for a variant
    if (!taken && word && k->what->variants && d->list.count)
        d->list.at[d->list.count - 1].hint = variants_of(k);
    return taken;
}

static void note(paper_chosen *c, const choosing *k) {
    int i = 0;
    while (i < c->count && c->given[i].what != k->what)
        i++;
    c->count += i == c->count;
    c->given[i].what = k->what; // the last of a name counts
    c->given[i].text = k->text;
}

bool choices_read(trm_result *r, const trm_run_def *def) {
    bool ok = true;
    for (int i = 0; i < def->choice_count; i++) {
        choosing k = {.result = r, .text = text_tamed(r->arena, content_text(def->choices[i].value), false)};
        k.text += strspn(k.text, " \t");
        k.what = choice_named(r, content_name(def->choices[i].name));
        ok &= k.what && belongs(&k) && take_value(&k);
        if (ok)
            note(&r->chosen, &k);
    }
    return ok;
}
