/* Which reading of a model is in force, and how long each lives.
 *
 * A reading (trm_model) does not change what it says while anything is made of it. Setting a parameter takes
 * another one in its place: one that nothing uses, with other values (kept.c), or else one more from the same
 * text and the same included files. Results, systems and sessions keep the one they were made of. Since all
 * of them write to the pool of expressions, a reading is used by one thread at a time: while objects of one
 * thread are there, others have another. */
#include "api/guard.h"
#include "api/kept.h"
#include "lang/recipe.h"
#include "report/columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- how long they live

// those that are neither in force nor the first, to which the texts belong
static void free_unused(trm_model *m) {
    const trm_model *first = m->first;
    if (m->uses == 0 && m != first && m != first->now)
        kept_give(m);
}

static void let_go(void *object) {
    trm_model *m = object;
    pthread_mutex_t *taking = &m->first->taking;
    pthread_mutex_lock(taking);
    m->uses--;
    m->first->used -= m->uses == 0;
    free_unused(m);
    pthread_mutex_unlock(taking);
}

static bool take(trm_model *m) {
    pthread_mutex_lock(&m->first->taking);
    bool free = m->uses == 0 || pthread_equal(m->owner, pthread_self());
    if (free) {
        trm_model *first = m->first;
        first->used += m->uses == 0;
        first->most_used = first->used > first->most_used ? first->used : first->most_used;
        m->uses++;
        m->owner = pthread_self();
    }
    pthread_mutex_unlock(&m->first->taking);
    return free;
}

void trm_model_free(trm_model *m) {
    if (m == NULL)
        return;
    if (m->now != m)
        arena_free(m->now->arena);
    kept_free(m);
    if (m->refused)
        arena_free(m->refused->arena);
    model_forget_refusal(m);
    pthread_mutex_destroy(&m->taking);
    arena_free(m->arena);
}

// ---- another reading

typedef struct {
    const trm_model *from;
    const model_setting *more;
    int count;
    bool pictures;
    trm_model *made;
} rereading;

static trm_status reread(arena *a, void *context) {
    rereading *k = context;
    k->made = model_again(a, k->from, k->more, k->count);
    return k->made->wrong ? TRM_WRONG_MODEL : TRM_OK;
}

// one that was read before and can have these values, or from the text
static trm_status find_reading(rereading *k) {
    trm_status status = kept_with(k->from, k->more, k->count, k->pictures, &k->made);
    return status == TRM_WRONG_MODEL ? guard_new(NULL, reread, k) : status;
}

// ---- making something of one

typedef struct {
    trm_model *model;
    content_maker make;
    void *context;
    bool held; // the object's arena will let go of the model
} using;

static trm_status make_of(arena *a, void *context) {
    using *k = context;
    arena_when_freed(a, let_go, k->model);
    k->held = true;
    return k->make(a, k->model, k->context);
}

// of one that was taken
static trm_status use(trm_model *m, content_maker make, void *context) {
    using k = {m, make, context, false};
    trm_status status = guard_new(m->arena, make_of, &k);
    if (status != TRM_NO_MEMORY) // without memory the object, and with it perhaps the model, are gone
        model_forget(m);
    if (!k.held)
        let_go(m);
    return status;
}

static trm_status use_another(rereading *k, content_maker make, void *context) {
    if (find_reading(k) == TRM_NO_MEMORY)
        return TRM_NO_MEMORY;
    take(k->made);
    return use(k->made, make, context);
}

trm_status content_use_with(const trm_model *was, const model_setting *more, int count, bool pictures,
                            content_maker make, void *context) {
    return use_another(&(rereading){was, more, count, pictures, NULL}, make, context);
}

static trm_status use_now(trm_model *m, bool pictures, content_maker make, void *context) {
    const recipes *r = m->now->model->recipes;
    bool shows = !pictures || r == NULL || !recipes_pictures_old(r);
    if (shows && take(m->now))
        return use(m->now, make, context);
    return use_another(&(rereading){m->now, NULL, 0, pictures, NULL}, make, context);
}

trm_status content_use(trm_model *m, content_maker make, void *context) {
    return use_now(m, false, make, context);
}

trm_status content_use_pictured(trm_model *m, content_maker make, void *context) {
    return use_now(m, true, make, context);
}

// ---- parameters

int trm_model_parameters(const trm_model *m) {
    return m->now->model ? m->now->model->params.count : 0;
}

static const model_param *param_at(const trm_model *m, int i) {
    return i >= 0 && i < trm_model_parameters(m) ? &m->now->model->params.at[i] : NULL;
}

static const char *param_name(void *object, int i) {
    trm_model *m = object;
    if (m->param_names == NULL)
        m->param_names = arena_array(m->arena, const char *, m->model->params.count);
    if (m->param_names[i] == NULL) {
        text t;
        text_init(&t, m->arena);
        model_label(m->model, m->model->params.at[i].label, &t);
        m->param_names[i] = text_string(&t);
    }
    return m->param_names[i];
}

const char *trm_model_parameter_name(trm_model *m, int i) {
    return param_at(m, i) ? guard_text(m->now->arena, param_name, m->now, i, "") : "";
}

int trm_model_parameter_named(trm_model *m, const char *name) {
    for (int i = 0; i < trm_model_parameters(m); i++)
        if (strcmp(trm_model_parameter_name(m, i), content_text(name)) == 0)
            return i;
    return -1;
}

double trm_model_parameter_value(const trm_model *m, int i) {
    const model_param *p = param_at(m, i);
    return p ? p->value : NAN;
}

int trm_model_parameter_structural(const trm_model *m, int i) {
    const model_param *p = param_at(m, i);
    return p && p->structural;
}

static bool same_structure(const model *a, const model *b) {
    bool same = a->coords.count == b->coords.count && a->rows.count == b->rows.count &&
                a->quasis.count == b->quasis.count && a->outputs.count == b->outputs.count &&
                a->shapes.count == b->shapes.count && columns_count(a) == columns_count(b);
    for (int i = 0; same && i < a->shapes.count; i++)
        same = a->shapes.at[i].kind == b->shapes.at[i].kind && a->shapes.at[i].count == b->shapes.at[i].count;
    return same;
}

// takes the place of what was in force; not where it is wrong: then that stays
static trm_status put_in_force(trm_model *m, trm_model *made, int *rebuilt) {
    trm_model *old = m->now;
    model_forget_refusal(m);
    if (m->refused)
        arena_free(m->refused->arena);
    m->refused = made->wrong ? made : NULL;
    if (made->wrong)
        return TRM_WRONG_MODEL;
    if (rebuilt)
        *rebuilt = !same_structure(old->model, made->model);
    pthread_mutex_lock(&m->taking);
    m->now = made;
    free_unused(old);
    pthread_mutex_unlock(&m->taking);
    return TRM_OK;
}

const char *content_text(const char *given) {
    return given ? given : "";
}

const char *content_name(const char *given) {
    given = content_text(given);
    return given + strspn(given, " ");
}

const char *content_number(double value, char *room, size_t size) {
    if (isfinite(value))
        snprintf(room, size, "%.17g", value);
    else
        snprintf(room, size, "%s", isnan(value) ? "0/0" : "1/0"); // which reading refuses, with a reason
    return room;
}

trm_status trm_model_set(trm_model *m, const char *name, double value, int *rebuilt) {
    char room[40];
    model_setting setting = {content_name(name), content_number(value, room, sizeof room)};
    rereading k = {m->now, &setting, 1, false, NULL};
    if (rebuilt)
        *rebuilt = 0;
    if (m->now->model == NULL)
        return TRM_IO_ERROR;
    trm_status status = find_reading(&k);
    return status == TRM_NO_MEMORY ? status : put_in_force(m, k.made, rebuilt);
}
