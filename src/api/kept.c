#include "api/kept.h"

#include "api/guard.h"
#include "base/number.h"
#include "lang/recipe.h"
#include "lang/renumber.h"
#include "system/seen.h"

#include <math.h>
#include <string.h>

/* One more than were in use at once: the last result of a thread lives on while a value is set. Not so many
 * of large models. */
enum { SPARES_LEAST = 2, TRIES = 4 };
static const size_t BYTES_MOST = (size_t)64 << 20;

// ---- settings

// the last one counts
static const model_setting *find(const model_setting *list, int count, const char *name) {
    for (int i = count - 1; i >= 0; i--)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}

static const model_setting *wanted(const trm_model *was, const model_setting *more, int count,
                                   const char *name) {
    const model_setting *given = find(more, count, name);
    return given ? given : find(was->settings, was->setting_count, name);
}

static bool all_in(const model_setting *list, int count, const trm_model *m) {
    for (int i = 0; i < count; i++)
        if (find(m->settings, m->setting_count, list[i].name) == NULL)
            return false;
    return true;
}

static bool same_names(const trm_model *m, const trm_model *was, const model_setting *more, int count) {
    for (int i = 0; i < m->setting_count; i++)
        if (wanted(was, more, count, m->settings[i].name) == NULL)
            return false;
    return all_in(more, count, m) && all_in(was->settings, was->setting_count, m);
}

// -1.5e-3, as content_number writes it: nothing that has to be parsed
static bool is_plain(const char *given, double *value) {
    static const char digits[] = "0123456789";
    const char *at = given + (*given == '-');
    size_t whole = strspn(at, digits);
    char *end;
    at += whole;
    at += *at == '.' ? 1 + strspn(at + 1, digits) : 0;
    if (*at == 'e') {
        at += 1 + (at[1] == '-' || at[1] == '+');
        at += strspn(at, digits);
    }
    *value = number_read(given, &end);
    return whole > 0 && *at == '\0' && end == at;
}

/* The values to be set; false if one of them has to be read. */
static bool find_values(trm_model *m, const trm_model *was, const model_setting *more, int count, bool *any) {
    *any = false;
    for (int i = 0; i < m->setting_count; i++) {
        const char *now = m->settings[i].value, *then = wanted(was, more, count, m->settings[i].name)->value;
        bool same = strcmp(now, then) == 0, plain = is_plain(then, &m->set[i]);
        double ignored;
        if (!same && (!plain || !is_plain(now, &ignored) || strlen(then) >= SETTING_ROOM))
            return false;
        *any |= !same;
    }
    return true;
}

static void take_texts(trm_model *m, const trm_model *was, const model_setting *more, int count) {
    for (int i = 0; i < m->setting_count; i++) {
        const char *then = wanted(was, more, count, m->settings[i].name)->value;
        if (strcmp(m->settings[i].value, then) != 0)
            strcpy((char *)m->settings[i].value, then); // there is room for it
    }
}

// ---- one spare

typedef struct {
    const mech *mech;
    bool holds;
} looking;

static void look_over(void *context) {
    looking *k = context;
    k->holds = mech_still_holds(k->mech);
}

// TRM_WRONG_MODEL, and it is as it was, if it cannot have the values in m->set
static trm_status put_values(trm_model *m) {
    looking k = {m->mech, false};
    if (!renumber(m->model, m->set))
        return TRM_WRONG_MODEL;
    bool looked = guard_run(m->arena, NULL, look_over, &k);
    if (looked && k.holds)
        return TRM_OK;
    renumber_back(m->model);
    // what is of the start alone follows
    return looked && guard_run(m->arena, NULL, look_over, &k) ? TRM_WRONG_MODEL : TRM_NO_MEMORY;
}

static trm_status revalue(trm_model *m, const trm_model *was, const model_setting *more, int count,
                          bool pictures) {
    bool any;
    arena_free(m->words);
    m->words = NULL;
    if (!find_values(m, was, more, count, &any))
        return TRM_WRONG_MODEL;
    trm_status status = any ? put_values(m) : TRM_OK;
    if (status != TRM_OK)
        return status;
    take_texts(m, was, more, count);
    for (int i = 0; i < m->model->turn_starts.count; i++) // a session may have gone on from elsewhere
        m->model->turn_starts.at[i] = m->turn_starts[i];
    return pictures && recipes_pictures_old(m->model->recipes) ? TRM_WRONG_MODEL : TRM_OK;
}

// ---- all of them

static trm_model *unlink_next(trm_model *first, const trm_model *was, const model_setting *more, int count) {
    for (trm_model **link = &first->spare; *link; link = &(*link)->spare) {
        trm_model *m = *link;
        if (!same_names(m, was, more, count))
            continue;
        *link = m->spare;
        first->spares--;
        first->spare_bytes -= m->spare_bytes;
        return m;
    }
    return NULL;
}

static void keep(trm_model *m) {
    trm_model *first = m->first;
    m->spare = first->spare;
    m->spare_bytes = arena_used(m->arena);
    first->spare = m;
    first->spares++;
    first->spare_bytes += m->spare_bytes;
}

static void free_last(trm_model *first) {
    trm_model **link = &first->spare;
    while ((*link)->spare)
        link = &(*link)->spare;
    trm_model *last = *link;
    *link = NULL;
    first->spares--;
    first->spare_bytes -= last->spare_bytes;
    arena_free(last->arena);
}

static trm_model *take_next(trm_model *first, const trm_model *was, const model_setting *more, int count) {
    pthread_mutex_lock(&first->taking);
    trm_model *m = unlink_next(first, was, more, count);
    pthread_mutex_unlock(&first->taking);
    if (m)
        model_forget(m);
    return m;
}

trm_status kept_with(const trm_model *was, const model_setting *more, int count, bool pictures,
                     trm_model **found) {
    trm_model *first = was->first, *others[TRIES], *m = NULL;
    trm_status status = TRM_WRONG_MODEL;
    int tried = 0;
    while (status == TRM_WRONG_MODEL && tried < TRIES && (m = take_next(first, was, more, count))) {
        status = revalue(m, was, more, count, pictures);
        if (status == TRM_WRONG_MODEL)
            others[tried++] = m;
    }
    if (status == TRM_NO_MEMORY) // it is neither as it was nor as it is to be
        arena_free(m->arena);
    pthread_mutex_lock(&first->taking);
    while (tried > 0)
        keep(others[--tried]);
    pthread_mutex_unlock(&first->taking);
    *found = status == TRM_OK ? m : NULL;
    return status;
}

static bool may_stay(const trm_model *m) {
    return m->model && m->model->recipes && m->mech && !m->wrong && m->model->diags.errors == 0;
}

void kept_give(trm_model *m) {
    trm_model *first = m->first;
    if (!may_stay(m)) {
        arena_free(m->arena);
        return;
    }
    keep(m);
    int most = first->most_used < SPARES_LEAST ? SPARES_LEAST : first->most_used + 1;
    while (first->spares > most || (first->spare && first->spare_bytes > BYTES_MOST))
        free_last(first);
}

void kept_free(trm_model *first) {
    while (first->spare)
        free_last(first);
}

// ---- systems

static trm_system *own_of(arena *a, const trm_model *m, const trm_system *of) {
    trm_system *own = arena_alloc(a, sizeof *own);
    *own = *of;
    own->arena = a;
    own->rank = m->model->simulate.rank;
    return own;
}

// where it may stand: in the place of one that was made alike, else in a free one; NULL: these are in use
static system_place *place_of(trm_model *m, bool exact, evaluate_how how) {
    for (int i = 0; i < KEPT_SYSTEMS; i++) {
        system_place *k = &m->systems[i];
        if (k->system && k->exact == exact && k->how == how)
            return k;
    }
    for (int i = 0; i < KEPT_SYSTEMS; i++)
        if (m->systems[i].system == NULL)
            return &m->systems[i];
    return &m->systems[0];
}

trm_system *kept_system(trm_model *m, arena *a, bool exact, double span, double every, evaluate_how how) {
    if (model_derived(m) == NULL)
        return NULL;
    system_place *k = m->model->recipes ? place_of(m, exact, how) : NULL;
    expr_pool_set_exact(m->model->pool, exact);
    if (k && k->system && k->exact == exact && k->how == how && system_fits(k->system, span, every))
        return own_of(a, m, k->system);
    if (k == NULL || (k->arena && m->uses > 1)) // another result may be of that
        return model_system(m, a, exact, span, every, how);
    arena_free(k->arena);
    *k = (system_place){.exact = exact, .how = how}; // there may be no memory for the next
    k->arena = arena_child(m->arena);
    model_forget(m);
    trm_system *made = model_system(m, k->arena, exact, span, every, how);
    k->system = made; // not before it is whole
    return made ? own_of(a, m, made) : NULL;
}
