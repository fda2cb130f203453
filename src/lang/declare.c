/* The first walk: parameters, coordinates, quasi-velocities; and the names of all that is declared. */
#include "lang/elab.h"
#include "lang/token.h"

#include <string.h>

uint64_t elab_cell(int name, int index) {
    return (uint64_t)(uint32_t)name << 32 | (uint32_t)index;
}

// ---- names

static symbol *new_symbol(elab *L, symbol **table, symbol_kind kind, const item *it, const stmt *s) {
    const char *name = names_text(L->names, it->name);
    symbol *old = table[it->name];
    bool array = it->index || it->first;
    if (token_is_taken(name)) {
        elab_error(L, it->at, "the name '%s' is taken", name)->hint =
            "pi and deg are constants, t is the time; choose another name";
        return NULL;
    }
    bool family = array && it->first == NULL && kind != SYMBOL_COORD;
    if (old && !(family && old->array && old->kind == kind)) {
        diag_other(elab_error(L, it->at, "'%s' is declared twice", name), old->at, "first declared here");
        return NULL;
    }
    if (old)
        return old; // one more member of link[...]
    if (table == L->symbols && elab_is_result_name(name))
        diag_warning(L->diags, it->at, "'%s' now means this, not the built-in result", name);
    symbol *added = arena_alloc(L->arena, sizeof *added);
    *added = (symbol){
        .kind = kind, .name = it->name, .at = it->at, .sequence = s->sequence, .array = array, .id = -1};
    return table[it->name] = added;
}

static void wrong_symbol(elab *L, symbol **table, const item *it) {
    if (table[it->name])
        table[it->name]->torn = true;
    if (table[it->name])
        return;
    symbol *s = arena_alloc(L->arena, sizeof *s);
    *s = (symbol){.kind = SYMBOL_WRONG, .name = it->name, .at = it->at, .id = -1};
    table[it->name] = s;
}

static void declare_let(elab *L, const stmt *s, bool in_loop) {
    const item *it = &s->items.at[0];
    const char *name = names_text(L->names, it->name);
    if (s->function && elab_is_function(name) && !elab_is_over(name)) {
        elab_error(L, it->at, "'%s' is a built-in function", name)->hint = "choose another name";
        return;
    }
    if (s->function && in_loop) {
        elab_error(L, it->at, "a function cannot be defined in a loop")->hint = "define it before the loop";
        wrong_symbol(L, L->functions, it);
        return;
    }
    L->local[it->name] = in_loop ? it->at : L->local[it->name];
    if (in_loop)
        return;
    symbol *added = new_symbol(L, s->function ? L->functions : L->symbols, SYMBOL_LET, it, s);
    if (added) {
        added->let = s;
        added->ready = true;
    }
}

// whether what an item declares can be declared in a loop
static bool fits_loop(elab *L, symbol_kind kind, const item *it) {
    const char *name = names_text(L->names, it->name);
    if (it->index && kind != SYMBOL_COORD)
        return true;
    if (kind == SYMBOL_COORD)
        elab_error(L, it->at, "coordinates cannot be declared in a loop")->hint =
            arena_print(L->arena, "declare them together, outside: coord %s[1..N]", name);
    else
        elab_error(L, it->at, "in a loop the name '%s' needs an index", name)->hint =
            arena_print(L->arena, "write %s[i]", name);
    wrong_symbol(L, L->symbols, it);
    return false;
}

static void declare_names(elab *L, const stmt_list *list, bool in_loop) {
    for (int i = 0; i < list->count; i++) {
        const stmt *s = list->at[i];
        symbol_kind kind = s->kind == STMT_PARAM    ? SYMBOL_PARAM
                           : s->kind == STMT_COORD  ? SYMBOL_COORD
                           : s->kind == STMT_QUASI  ? SYMBOL_QUASI
                           : s->kind == STMT_OUTPUT ? SYMBOL_OUTPUT
                           : s->kind == STMT_PART   ? SYMBOL_PART
                                                    : SYMBOL_CONSTRAINT;
        bool declares = kind != SYMBOL_CONSTRAINT || s->kind == STMT_CONSTRAINT || s->kind == STMT_CONTROL;
        if (s->kind == STMT_FOR) {
            L->local[s->name] = s->at;
            declare_names(L, &s->body, true);
        } else if (s->kind == STMT_LET)
            declare_let(L, s, in_loop);
        for (int k = 0; declares && k < s->items.count; k++) {
            const item *it = &s->items.at[k];
            if (in_loop && !fits_loop(L, kind, it))
                continue;
            symbol *added = new_symbol(L, L->symbols, kind, it, s);
            if (added && kind == SYMBOL_OUTPUT) {
                added->body = added->array ? NULL : it->value;
                added->ready = true;
            }
        }
    }
}

// names of statements that are wrong, unless they are declared elsewhere
static void declare_wrong(elab *L, const stmt_list *list) {
    for (int i = 0; i < list->count; i++) {
        const stmt *s = list->at[i];
        if (s->kind == STMT_FOR)
            declare_wrong(L, &s->body);
        for (int k = 0; s->kind == STMT_WRONG && k < s->items.count; k++) {
            const char *name = names_text(L->names, s->items.at[k].name);
            if (!token_is_taken(name) && !elab_is_result_name(name))
                wrong_symbol(L, L->symbols, &s->items.at[k]);
            if (!elab_is_function(name) || elab_is_over(name))
                wrong_symbol(L, L->functions, &s->items.at[k]);
        }
    }
}

// ---- first walk: declarations

bool elab_enter(elab *L, const item *it, int index, int id) {
    uint64_t key = elab_cell(it->name, index);
    if (map_get(&L->cells, key) >= 0) {
        diag *d = elab_error(L, it->at, "%s[%d] is declared twice", names_text(L->names, it->name), index);
        const symbol *s = L->symbols[it->name];
        if (s && s->at.offset != it->at.offset)
            diag_other(d, s->at, "first declared here");
        return false;
    }
    map_put(&L->cells, key, id);
    return true;
}

bool elab_label(elab *L, const item *it, const binding *scope, label *out) {
    *out = (label){.name = it->name, .indexed = it->index != NULL};
    if (it->first) {
        elab_error(L, it->at, "a range cannot stand here")->hint = "use a loop: for i in 1..N: ...";
        return false;
    }
    return it->index == NULL || elab_whole(L, it->index, scope, "an index", &out->index);
}

// ---- what the structure depends on

void elab_note_use(elab *L, int param) {
    if (L->deciding)
        L->model->params.at[param].structural = L->model->params.at[param].counts = true;
    if (L->watching)
        vec_push(L->arena, L->used, param);
    if (L->defining) {
        elab_dependence d = {L->defining - 1, param};
        vec_push(L->arena, L->depends, d);
    }
}

int elab_watch(elab *L) {
    L->watching++;
    return L->used.count;
}

void elab_watched(elab *L, int since, bool decides) {
    for (int i = since; decides && i < L->used.count; i++)
        L->model->params.at[L->used.at[i]].structural = true;
    if (--L->watching == 0)
        L->used.count = 0;
}

// a parameter is made of earlier ones alone
void elab_mark_structural(elab *L) {
    for (int i = L->depends.count - 1; i >= 0; i--) {
        if (L->depends.at[i].user >= L->model->params.count)
            continue;
        model_param *user = &L->model->params.at[L->depends.at[i].user];
        user->derived = true;
        model_param *used = &L->model->params.at[L->depends.at[i].used];
        used->structural |= user->structural;
        used->counts |= user->counts;
    }
}

// ---- parameters

// a number as it is typed is what changes when it is set
static bool is_number(const node *n) {
    return n->kind == NODE_NUMBER || (n->kind == NODE_UNARY && n->op == OP_NEG && n->a->kind == NODE_NUMBER);
}

static bool setting_value(elab *L, int setting, scalar *out) {
    const node *n = L->setting_values[setting];
    L->setting_used[setting] = true;
    L->option = true;
    bool ok = n && elab_known_scalar(L, n, NULL, "a parameter", out);
    L->option = false;
    if (ok && is_number(n)) {
        out->step = recipe_set(L->recipes, setting, out->number);
        recipe_pins(L->recipes, out->step, PIN_FINITE);
    }
    return ok;
}

static bool param_value(elab *L, const item *it, const binding *scope, scalar *number) {
    int found = -1; // the last --set of this name
    for (int i = 0; i < L->setting_count; i++)
        if (it->index == NULL && strcmp(L->settings[i].name, names_text(L->names, it->name)) == 0) {
            L->setting_used[i] = true;
            found = i;
        }
    if (found >= 0)
        return setting_value(L, found, number);
    return it->value && elab_known_scalar(L, it->value, scope, "a parameter", number);
}

// --set m[2]=3
static bool set_member(elab *L, label l, scalar *number) {
    bool ok = true;
    for (int i = 0; l.indexed && i < L->setting_count; i++) {
        if (strchr(L->settings[i].name, '[') == NULL)
            continue;
        text t;
        text_init(&t, L->arena);
        model_label(L->model, l, &t);
        if (strcmp(text_string(&t), L->settings[i].name) != 0)
            continue;
        ok = setting_value(L, i, number);
    }
    return ok;
}

static void add_param(elab *L, const item *it, label l, scalar number) {
    if (!set_member(L, l, &number))
        return;
    symbol *s = L->symbols[it->name];
    int id = L->model->params.count;
    if (l.indexed && !elab_enter(L, it, l.index, id))
        return;
    model_param p = {.label = l,
                     .value = number.number,
                     .step = number.step,
                     .at = it->value ? it->value->whole : (place){0}};
    vec_push(L->arena, L->model->params, p);
    s->ready = true;
    s->id = id;
}

static void act_param(elab *L, const stmt *s, const binding *scope) {
    for (int i = 0; i < s->items.count; i++) {
        const item *it = &s->items.at[i];
        symbol *entry = L->symbols[it->name];
        scalar number;
        if (entry == NULL || entry->kind != SYMBOL_PARAM ||
            (!it->index && !it->first && entry->at.offset != it->at.offset))
            continue; // declared twice: told
        entry->sequence = s->sequence;
        int low, high;
        L->defining = L->model->params.count + 1;
        bool known = param_value(L, it, scope, &number);
        L->defining = 0;
        if (!known || (it->first && (!elab_whole(L, it->first, scope, "a bound", &low) ||
                                     !elab_whole(L, it->last, scope, "a bound", &high)))) {
            entry->kind = SYMBOL_WRONG;
            continue;
        }
        if (it->first) { // m[1..N] = e: the same for all
            repetition r;
            elab_repeat(L, &r, it->at, low, high);
            while (elab_turn(L, &r) && elab_spend(L, it->at, 10))
                add_param(L, it, (label){.name = it->name, .index = (int)r.now, .indexed = true}, number);
            elab_leave(L, &r);
        } else {
            label l;
            if (elab_label(L, it, scope, &l))
                add_param(L, it, l, number);
        }
        // `param a = 1, b = 2*a`: the next item may use this one
        entry->sequence = s->sequence - 1;
    }
    for (int i = 0; i < s->items.count; i++)
        if (L->symbols[s->items.at[i].name])
            L->symbols[s->items.at[i].name]->sequence = s->sequence - 1;
}

// the coordinates that follow are declared there; those of a loop have one place
static void note_declared(elab *L, place at) {
    model *m = L->model;
    const model_declaration *last = m->declared.count ? &m->declared.at[m->declared.count - 1] : NULL;
    model_declaration d = {m->coords.count, at};
    if (last == NULL || last->at.source != at.source || last->at.offset != at.offset)
        vec_push(L->arena, m->declared, d);
}

static void act_coord(elab *L, const stmt *s, const binding *scope) {
    for (int i = 0; i < s->items.count; i++) {
        const item *it = &s->items.at[i];
        symbol *entry = L->symbols[it->name];
        if (entry == NULL || entry->kind != SYMBOL_COORD || entry->at.offset != it->at.offset ||
            entry->at.source != it->at.source)
            continue;
        if (it->index) {
            place index = it->index->whole;
            elab_error(L, it->at, "the coordinates of an array are declared together")->hint =
                arena_print(L->arena, "write coord %s[1..%.*s]", names_text(L->names, it->name), index.length,
                            index.source->text + index.offset);
        }
        repetition r;
        if (it->index || (it->first && (!elab_whole(L, it->first, scope, "a bound", &entry->low) ||
                                        !elab_whole(L, it->last, scope, "a bound", &entry->high)))) {
            entry->kind = SYMBOL_WRONG;
            continue;
        }
        entry->first = L->model->coords.count;
        note_declared(L, it->at);
        elab_repeat(L, &r, it->at, entry->low, entry->high);
        while (elab_turn(L, &r) && elab_spend(L, it->at, 20)) { // 20: its rows in the tables
            label l = {.name = it->name, .index = (int)r.now, .indexed = it->first != NULL};
            vec_push(L->arena, L->model->coords, l);
        }
        elab_leave(L, &r);
        entry->ready = true;
    }
}

static const binding *kept_scope(elab *L, const binding *scope) {
    if (scope == NULL)
        return NULL;
    binding *copy = arena_alloc(L->arena, sizeof *copy);
    *copy = *scope;
    copy->next = kept_scope(L, scope->next);
    if (copy->body)
        copy->scope = copy->next;
    return copy;
}

static void act_quasi(elab *L, const stmt *s, const binding *scope) {
    const item *it = &s->items.at[0];
    symbol *entry = L->symbols[it->name];
    label l;
    int id = L->model->quasis.count;
    if (entry == NULL || entry->kind != SYMBOL_QUASI || !elab_label(L, it, scope, &l))
        return;
    if (l.indexed ? !elab_enter(L, it, l.index, id) : entry->id >= 0)
        return;
    quasi_body body = {.body = it->value, .scope = kept_scope(L, scope), .sequence = s->sequence};
    vec_push(L->arena, L->model->quasis, l);
    vec_push(L->arena, L->quasi_bodies, body);
    entry->id = id;
    entry->ready = true;
}

// ---- parts

static void new_part(elab *L, const stmt *s, const binding *scope) {
    const item *it = &s->items.at[0];
    symbol *entry = L->symbols[it->name];
    label l;
    int id = L->parts.count;
    if (entry == NULL || entry->kind != SYMBOL_PART || !elab_label(L, it, scope, &l))
        return;
    if (l.indexed ? !elab_enter(L, it, l.index, id) : entry->id >= 0)
        return;
    elab_part p = {.label = l,
                   .at = it->at,
                   .word = names_text(L->names, s->word),
                   .first = L->model->coords.count,
                   .constraint = -1,
                   .record = -1};
    vec_push(L->arena, L->parts, p);
    entry->id = id;
    entry->ready = true;
    note_declared(L, it->at);
    L->extension->act(L, PART_DECLARE, s, scope, id);
    for (int i = 0; i < L->parts.at[id].count && elab_spend(L, it->at, 20);
         i++) { // 20: its rows in the tables
        l.part = L->parts.at[id].names[i];
        vec_push(L->arena, L->model->coords, l);
    }
}

static void act_part(elab *L, const stmt *s, const binding *scope) {
    if (L->extension == NULL)
        elab_error(L, s->at, "'%s' means nothing here", names_text(L->names, s->word));
    else if (s->items.count)
        new_part(L, s, scope);
    else
        L->extension->act(L, PART_DECLARE, s, scope, -1);
}

// the part that a statement declared, or -1
static int declared_part(elab *L, const stmt *s, const binding *scope) {
    const item *it = &s->items.at[0];
    const symbol *entry = L->symbols[it->name];
    label l;
    if (entry == NULL || entry->kind != SYMBOL_PART || !elab_label(L, it, scope, &l))
        return -1;
    int id = l.indexed ? map_get(&L->cells, elab_cell(l.name, l.index)) : entry->id;
    bool same =
        id >= 0 && L->parts.at[id].at.offset == it->at.offset && L->parts.at[id].at.source == it->at.source;
    return same ? id : -1; // else it is declared twice
}

static bool is_part(const stmt *s) {
    return s->kind == STMT_PART;
}

static void show_part(elab *L, part_phase phase, const stmt *s, const binding *scope) {
    if (s->kind != STMT_PART)
        return;
    int part = s->items.count ? declared_part(L, s, scope) : -1;
    if (part >= 0 || s->items.count == 0)
        L->extension->act(L, phase, s, scope, part);
}

static void start_part(elab *L, const stmt *s, const binding *scope) {
    show_part(L, PART_START, s, scope);
}

static void connect_part(elab *L, const stmt *s, const binding *scope) {
    show_part(L, PART_CONNECT, s, scope);
}

static void show_outputs(elab *L, const stmt *s, const binding *scope) {
    L->allowed = (allowance){WITH_RESULTS, false, "an output"};
    show_part(L, PART_SHOW, s, scope);
}

static void draw_part(elab *L, const stmt *s, const binding *scope) {
    L->allowed = (allowance){WITH_RESULTS, false, "a drawing"};
    show_part(L, PART_DRAW, s, scope);
}

void elab_describe_part(elab *L, const stmt *s, const binding *scope) {
    show_part(L, PART_DESCRIBE, s, scope);
}

void elab_parts(elab *L, part_phase phase, const stmt_list *list) {
    void (*act)(elab *, const stmt *, const binding *) = phase == PART_START     ? start_part
                                                         : phase == PART_CONNECT ? connect_part
                                                         : phase == PART_SHOW    ? show_outputs
                                                                                 : draw_part;
    elab_walk walk = {L, act, is_part};
    if (L->extension)
        elab_list(&walk, list, NULL);
}

static void act_declaration(elab *L, const stmt *s, const binding *scope) {
    if (s->kind == STMT_PARAM)
        act_param(L, s, scope);
    else if (s->kind == STMT_COORD)
        act_coord(L, s, scope);
    else if (s->kind == STMT_QUASI)
        act_quasi(L, s, scope);
    else if (s->kind == STMT_PART)
        act_part(L, s, scope);
}

static bool is_declaration(const stmt *s) {
    return s->kind == STMT_PARAM || s->kind == STMT_COORD || s->kind == STMT_QUASI || is_part(s);
}

void elab_declare(elab *L, const stmt_list *list) {
    elab_walk declarations = {L, act_declaration, is_declaration};
    declare_names(L, list, false);
    declare_wrong(L, list);
    elab_list(&declarations, list, NULL);
}
