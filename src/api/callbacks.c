/* Models of the host's own functions: the public struct becomes a text that declares coordinates and the
 * start, and supplies (mech/supply.h) that call its functions. */
#include "api/callbacks.h"

#include "api/guard.h"
#include "api/kept.h"
#include "base/number.h"
#include "linear/linalg.h"
#include "mech/supply.h"

#include <math.h>
#include <string.h>

struct callbacks {
    trm_callbacks by;
    callbacks *next;
};

// ---- calls

/* What a function came to, in words if not well. */
static int came_to(const trm_callbacks *c, const char *name, int code, char *why, size_t room) {
    const char *said = code && c->error ? c->error(c->context, code) : NULL;
    if (code && said)
        number_print(why, room, "function '%s': %s", name, said);
    else if (code)
        number_print(why, room, "function '%s' failed with code %d", name, code);
    if (code)
        text_tame(why, false);
    return code;
}

static void clear(double *out, int count) {
    memset(out, 0, (size_t)count * sizeof *out);
}

// sums in another order may differ by rounding
static bool is_symmetric(const double *M, int n, int *i, int *j) {
    static const double ROUNDING = 1e-12;
    for (*i = 0; *i < n; ++*i)
        for (*j = *i + 1; *j < n; ++*j) {
            double a = M[*i * n + *j], b = M[*j * n + *i];
            double size = sqrt(fabs(M[*i * n + *i] * M[*j * n + *j])) + fabs(a) + fabs(b);
            if (fabs(a - b) > ROUNDING * size)
                return false;
        }
    return true;
}

static int give_mass(const void *by, double t, const double *q, const double *v, double *out, char *why,
                     size_t room) {
    const trm_callbacks *c = by;
    int i, j;
    (void)v;
    clear(out, c->n * c->n);
    int code = came_to(c, "mass", c->mass(c->context, t, q, out), why, room);
    if (code || is_symmetric(out, c->n, &i, &j))
        return code;
    number_print(why, room,
                 "function 'mass': the matrix is not symmetric: row %d, column %d is %.9g, and row %d, "
                 "column %d is %.9g",
                 i + 1, j + 1, out[i * c->n + j], j + 1, i + 1, out[j * c->n + i]);
    return 1;
}

static int give_force(const void *by, double t, const double *q, const double *v, double *out, char *why,
                      size_t room) {
    const trm_callbacks *c = by;
    clear(out, c->n);
    return came_to(c, "force", c->force(c->context, t, q, v, out), why, room);
}

static int give_rows(const void *by, double t, const double *q, const double *v, double *out, char *why,
                     size_t room) {
    const trm_callbacks *c = by;
    clear(out, c->m * (c->n + 1));
    return came_to(c, "constraint", c->constraint(c->context, t, q, v, out, out + c->m * c->n), why, room);
}

static int give_nonideal(const void *by, double t, const double *q, const double *v, double *out, char *why,
                         size_t room) {
    const trm_callbacks *c = by;
    clear(out, c->n);
    return came_to(c, "nonideal", c->nonideal(c->context, t, q, v, out), why, room);
}

static int give_position(const void *by, double t, const double *q, const double *v, double *out, char *why,
                         size_t room) {
    const trm_callbacks *c = by;
    (void)v;
    clear(out, c->position_rows);
    return came_to(c, "position", c->position(c->context, t, q, out), why, room);
}

static int give_velocity(const void *by, double t, const double *q, const double *v, double *out, char *why,
                         size_t room) {
    const trm_callbacks *c = by;
    clear(out, c->velocity_rows);
    return came_to(c, "velocity", c->velocity(c->context, t, q, v, out), why, room);
}

static int give_energy(const void *by, double t, const double *q, const double *v, double *out, char *why,
                       size_t room) {
    const trm_callbacks *c = by;
    clear(out, 2);
    return came_to(c, "energy", c->energy(c->context, t, q, v, out, out + 1), why, room);
}

// ---- what is wrong

static bool any_beyond(const trm_callbacks *by) { // of a struct of a later version
    const char *bytes = (const char *)by;
    for (size_t i = sizeof *by; i < by->size; i++)
        if (bytes[i])
            return true;
    return false;
}

static const double MOST_NUMBERS = 3e7; // of M or A, as of other full matrices

// n: of the model that they are added to; -1: there is none
static const char *mistake_in_sizes(const trm_callbacks *c, int n) {
    if (c->n < 1)
        return "n is less than 1";
    if ((double)c->n * c->n > MOST_NUMBERS || (double)c->m * (c->n + 1.0) > MOST_NUMBERS)
        return "n or m is too large: M and A are full, with 30 million numbers at most";
    if (n >= 0 && c->n != n)
        return "n is not the number of the model's coordinates";
    if (c->position_rows < 0 || c->velocity_rows < c->position_rows || c->m < c->velocity_rows)
        return "0 <= position_rows <= velocity_rows <= m does not hold";
    return NULL;
}

static const char *mistake_in_functions(const trm_callbacks *c, int n) {
    if (n < 0 && c->mass == NULL)
        return "'mass' is NULL";
    if ((c->m > 0) != (c->constraint != NULL))
        return "'constraint' and m do not go together";
    if ((c->position_rows > 0) != (c->position != NULL))
        return "'position' and position_rows do not go together";
    if ((c->velocity_rows > 0) != (c->velocity != NULL))
        return "'velocity' and velocity_rows do not go together";
    return NULL;
}

static bool is_word(const char *name) { // they become part of a text
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return name && *name && !(*name >= '0' && *name <= '9') && name[strspn(name, letters)] == 0;
}

static bool are_words(const char *const *list, int count) {
    for (int i = 0; list && i < count; i++)
        if (!is_word(list[i]))
            return false;
    return true;
}

static const char *mistake_in_start(const trm_callbacks *c) {
    if ((c->q && !linalg_finite(c->q, c->n)) || (c->v && !linalg_finite(c->v, c->n)))
        return "the start is not finite";
    return are_words(c->coordinates, c->n) ? NULL : "a coordinate's name is no word of letters and digits";
}

static const char *mistake_of(const trm_callbacks *by, const trm_callbacks *c, int n) {
    if (by->size < sizeof by->size || any_beyond(by))
        return "its size is not that of trm_callbacks";
    const char *why = mistake_in_sizes(c, n);
    why = why ? why : mistake_in_functions(c, n);
    why = why || n >= 0 ? why : mistake_in_start(c);
    return why || are_words(c->rows, c->m) ? why : "a row's name is no word of letters and digits";
}

static const char *told(arena *a, const char *what) {
    return what ? arena_print(a, "the functions cannot be used: %s", what) : NULL;
}

// ---- copies

static const char *const *own_names(arena *a, const char *const *given, int count, const char *stem) {
    const char **own = arena_array(a, const char *, count + 1);
    for (int i = 0; i < count; i++)
        own[i] = given ? arena_copy(a, given[i], strlen(given[i])) : arena_print(a, "%s%d", stem, i + 1);
    return own;
}

static callbacks *copied(arena *a, const trm_callbacks *by) {
    callbacks *c = arena_alloc(a, sizeof *c);
    size_t known = by->size < sizeof *by ? by->size : sizeof *by;
    memcpy(&c->by, by, known);
    return c;
}

static void own(arena *a, callbacks *c) {
    c->by.rows = own_names(a, c->by.rows, c->by.m, "row");
    c->by.coordinates = NULL;
    c->by.q = c->by.v = NULL;
}

// ---- models

static bool is_label(const model *m, const char *name) {
    int known = names_find(m->names, name, (int)strlen(name));
    for (int i = 0; known >= 0 && i < m->constraints.count; i++)
        if (m->constraints.at[i].label.name == known)
            return true;
    return false;
}

void callbacks_supply(model *m, const callbacks *list) {
    for (; list; list = list->next) {
        const trm_callbacks *c = &list->by;
        mech_supplies s = {c->m, c->position_rows, c->velocity_rows, c->rows, .by = c};
        s.give[SUPPLY_MASS] = c->mass ? give_mass : NULL;
        s.give[SUPPLY_FORCE] = c->force ? give_force : NULL;
        s.give[SUPPLY_ROWS] = c->constraint ? give_rows : NULL;
        s.give[SUPPLY_NONIDEAL] = c->nonideal ? give_nonideal : NULL;
        s.give[SUPPLY_POSITION] = c->position ? give_position : NULL;
        s.give[SUPPLY_VELOCITY] = c->velocity ? give_velocity : NULL;
        s.give[SUPPLY_ENERGY] = c->energy ? give_energy : NULL;
        for (int i = 0; i < c->m; i++)
            if (is_label(m, c->rows[i]))
                diag_error(&m->diags, (place){0}, "there is a constraint '%s' already", c->rows[i])->hint =
                    "give the rows of functions names of their own";
        mech_supply(m, &s);
    }
}

// coord x, y and initial x = ...: names are looked at as those of any text
static const char *text_of(arena *a, const trm_callbacks *c) {
    const char *const *named = own_names(a, c->coordinates, c->n, "q");
    text t;
    text_init(&t, a);
    for (int i = 0; i < c->n; i++)
        text_print(&t, "coord %s\n", named[i]);
    for (int i = 0; i < c->n; i++)
        text_print(&t, "initial %s = %.17g, %s' = %.17g\n", named[i], c->q ? c->q[i] : 0, named[i],
                   c->v ? c->v[i] : 0);
    return text_string(&t);
}

typedef struct {
    const trm_callbacks *by;
    trm_model *model;
    const char *why; // they cannot be added; NULL
} adding;

static trm_status wrong(trm_model *m, const char *why) {
    diag_error(&m->model->diags, (place){0}, "%s", why);
    m->wrong = true;
    m->told = m->model->diags.list.count;
    return TRM_WRONG_MODEL;
}

static trm_status from_callbacks(arena *a, void *context) {
    adding *k = context;
    callbacks *c = copied(a, k->by);
    const char *why = told(a, mistake_of(k->by, &c->by, -1));
    k->model = model_new(a, "functions", why ? "coord q1\n" : text_of(a, &c->by));
    if (why == NULL)
        own(a, c);
    k->model->callbacks = why ? NULL : c;
    model_elaborate(k->model);
    if (why)
        return wrong(k->model, why);
    return k->model->wrong ? TRM_WRONG_MODEL : TRM_OK;
}

static const trm_callbacks none; // in the place of NULL; its size is refused

trm_status trm_model_from_callbacks(const trm_callbacks *by, trm_model **out) {
    adding k = {by ? by : &none, NULL, NULL};
    trm_status status = guard_new(NULL, from_callbacks, &k);
    *out = status == TRM_NO_MEMORY ? NULL : k.model;
    return status;
}

trm_status trm_system_from_callbacks(const trm_callbacks *by, trm_model **made, trm_system **system) {
    *system = NULL;
    trm_status status = trm_model_from_callbacks(by, made);
    return status == TRM_OK ? trm_system_create(*made, system) : status;
}

static void add(void *context) {
    adding *k = context;
    trm_model *m = k->model;
    callbacks *c = copied(m->arena, k->by), **last = &m->callbacks;
    const char *why =
        told(m->arena, m->mech || m->now != m ? "something was made of the model before, or set in it"
                                              : mistake_of(k->by, &c->by, m->model->coords.count));
    if (why) {
        k->why = why;
        return;
    }
    own(m->arena, c);
    while (*last)
        last = &(*last)->next;
    *last = c;
    model_elaborate(m);
}

trm_status trm_model_add_callbacks(trm_model *m, const trm_callbacks *by) {
    if (m->model == NULL || m->wrong)
        return TRM_WRONG_MODEL;
    model_forget_refusal(m);
    trm_model before = *m;
    callbacks *last = m->callbacks;
    while (last && last->next)
        last = last->next;
    adding k = {by ? by : &none, m, NULL};
    kept_free(m); // they are without these
    if (guard_run(m->arena, NULL, add, &k) && (k.why == NULL || model_refuse(m, k.why)))
        return k.why || m->wrong ? TRM_WRONG_MODEL : TRM_OK;
    *m = before;
    if (last)
        last->next = NULL;
    return TRM_NO_MEMORY;
}
