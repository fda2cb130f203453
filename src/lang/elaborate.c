/* From statements to the model, in three walks over them: declarations (parameters, coordinates,
 * quasi-velocities), the system (energies, forces, constraints, initial values), and what needs its
 * constraints to be known (non-ideal forces, outputs, expectations); pictures come last. */
#include "lang/elab.h"

#include <limits.h>
#include <string.h>

static void prepare_tables(elab *L) {
    model *m = L->model;
    int n = m->coords.count;
    L->slot_of = arena_array(L->arena, int, n + 1);
    L->slot_epoch = arena_array(L->arena, long, n + 1);
    vec_reserve(L->arena, m->position, n);
    vec_reserve(L->arena, m->velocity, n);
    vec_reserve(L->arena, m->quasi, m->quasis.count);
    m->position.count = m->velocity.count = n;
    m->quasi.count = m->quasis.count;
}

static bool is_output(const model_setting *given) {
    return given->name[0] == ' ';
}

static void check_settings(elab *L) {
    for (int i = 0; i < L->setting_count; i++) {
        if (L->setting_used[i] || is_output(&L->settings[i]))
            continue;
        const char *name = L->settings[i].name;
        int id = names_find(L->names, name, (int)strcspn(name, "["));
        const symbol *s = id >= 0 ? L->symbols[id] : NULL;
        if (s && s->kind == SYMBOL_WRONG)
            continue;
        diag *d = diag_error(L->diags, (place){0}, SETTING "set %s=%s: the model has no parameter '%s'", name,
                             L->settings[i].value, name);
        name_guess best = {0};
        for (int k = 0; k < L->model->params.count; k++)
            names_offer(&best, name, names_text(L->names, L->model->params.at[k].label.name));
        if (s && s->kind == SYMBOL_PARAM)
            d->hint =
                "it has an index: set one member, as in " SETTING "set m[1]=2, and only such as there are";
        else if (s && s->kind == SYMBOL_COORD)
            d->hint = arena_print(L->arena, "'%s' is a coordinate: make its initial value a parameter", name);
        else
            elab_suggest(L, d, best);
    }
}

// an output that the text has not: behind all statements
static void add_output(elab *L, const model_setting *given, node *body, stmt_list *list) {
    stmt *s = arena_alloc(L->arena, sizeof *s);
    item it = {.at = body->whole,
               .name = names_intern(L->names, given->name, (int)strlen(given->name)),
               .value = body};
    *s = (stmt){.kind = STMT_OUTPUT, .at = body->whole, .extent = body->whole, .sequence = INT_MAX};
    vec_push(L->arena, s->items, it);
    vec_push(L->arena, *list, s);
}

static void parse_settings(elab *L, stmt_list *list) {
    L->setting_values = arena_array(L->arena, node *, L->setting_count + 1);
    L->setting_used = arena_array(L->arena, bool, L->setting_count + 1);
    for (int i = 0; i < L->setting_count; i++) {
        source *s = arena_alloc(L->arena, sizeof *s);
        const model_setting *given = &L->settings[i];
        *s = (source){is_output(given) ? SETTING "outputs"
                                       : arena_print(L->arena, SETTING "set %s", given->name),
                      given->value, (int)strlen(given->value)};
        L->setting_values[i] = parse_expression(L->arena, L->names, L->diags, s);
        if (is_output(given) && L->setting_values[i])
            add_output(L, given, L->setting_values[i], list);
    }
}

static void elaborate(elab *L, const stmt_list *list) {
    L->symbols = arena_array(L->arena, symbol *, names_count(L->names) + 1);
    L->functions = arena_array(L->arena, symbol *, names_count(L->names) + 1);
    L->local = arena_array(L->arena, place, names_count(L->names) + 1);
    elab_begin(L); // lets are kept for the element at hand; there is none yet, but this is not the one before
    elab_declare(L, list);
    prepare_tables(L);
    check_settings(L);
    elab_describe(L, list);
    elab_view(L, list);
    elab_pictures(L, list);
    elab_tell_overs(L);
    elab_mark_structural(L);
    if (L->model->coords.count == 0 && L->diags->errors == 0)
        diag_error(L->diags, (place){0}, "the model has no coordinates")->hint = "declare some: coord x, y";
}

model *model_read(arena *a, const source *file, const model_setting *settings, int setting_count) {
    return elab_read(a, file, NULL, settings, setting_count, NULL);
}

model *elab_read(arena *a, const source *file, const source_list *known, const model_setting *settings,
                 int setting_count, const elab_extension *extension) {
    model *m = arena_alloc(a, sizeof *m);
    m->arena = a;
    m->names = names_new(a);
    m->diags.arena = a;
    m->pool = expr_pool_new(a);
    m->recipes = known ? recipes_new(a) : NULL;
    elab L = {.model = m,
              .arena = a,
              .names = m->names,
              .diags = &m->diags,
              .pool = m->pool,
              .recipes = m->recipes,
              .known = known,
              .settings = settings,
              .setting_count = setting_count,
              .extension = extension};
    map_init(&L.cells, a);
    map_init(&L.shapes, a);
    map_init(&L.results, a);
    map_init(&L.overs, a);
    map_init(&L.alike_by_node, a);
    map_init(&L.pointed, a);
    map_init(&L.drawn, a);
    stmt_list list = {0};
    parse_model(a, m->names, &m->diags, file, known, &m->sources, &list);
    parse_settings(&L, &list);
    if (extension)
        L.extending = extension->begin(&L);
    elaborate(&L, &list);
    m->extension = L.extending;
    return m;
}

// a parameter that has been read, as a symbol to look up again
static void enter_param(elab *L, int id) {
    label l = L->model->params.at[id].label;
    symbol *s = arena_alloc(L->arena, sizeof *s);
    *s = (symbol){.kind = SYMBOL_PARAM, .name = l.name, .array = l.indexed, .ready = true, .id = id};
    L->symbols[l.name] = s;
    if (l.indexed)
        map_put(&L->cells, elab_cell(l.name, l.index), id);
}

bool model_number(arena *a, const model *m, const char *name, const char *expression, diags *d, double *out) {
    model copy = *m;
    copy.recipes = NULL;
    elab L = {.model = &copy,
              .arena = a,
              .names = m->names,
              .diags = d,
              .pool = m->pool,
              .option = true,
              .sequence = 1};
    source *s = arena_alloc(a, sizeof *s);
    *s = (source){name, expression, (int)strlen(expression)};
    node *n = parse_expression(a, m->names, d, s);
    if (n == NULL)
        return false;
    map_init(&L.cells, a);
    L.symbols = arena_array(a, symbol *, names_count(m->names) + 1);
    L.functions = arena_array(a, symbol *, names_count(m->names) + 1);
    for (int i = 0; i < m->params.count; i++)
        enter_param(&L, i);
    return elab_known(&L, n, NULL, "this option", out);
}

// ---- names for people

void model_label(const model *m, label l, text *out) {
    if (l.call)
        text_print(out, "%s(", l.call);
    text_add(out, names_text(m->names, l.name));
    if (l.indexed)
        text_print(out, "[%d]", l.index);
    if (l.part)
        text_print(out, ".%s", l.part);
    if (l.call)
        text_add(out, ")");
    if (l.rate)
        text_add(out, "'");
}

void model_row_name(const model *m, int row, text *out) {
    label l = m->constraints.at[m->rows.at[row].constraint].label;
    l.part = m->rows.at[row].part;
    model_label(m, l, out);
}

const char *model_coord_name(const model *m, int coord, arena *a) {
    text t;
    text_init(&t, a);
    model_label(m, m->coords.at[coord], &t);
    return text_string(&t);
}

place model_coord_place(const model *m, int coord) {
    int low = 0, high = m->declared.count; // the last that is not behind it
    while (high - low > 1) {
        int middle = (low + high) / 2;
        *(m->declared.at[middle].first <= coord ? &low : &high) = middle;
    }
    return m->declared.count ? m->declared.at[low].at : (place){0};
}

place model_quasi_place(const model *m, int quasi) {
    for (int i = 0; i < m->shapes.count; i++)
        for (int k = 0; m->shapes.at[i].kind == SHAPE_QUASI && k < m->shapes.at[i].count; k++)
            if (m->shapes.at[i].targets.at[k] == quasi)
                return m->shapes.at[i].at;
    return (place){0};
}
