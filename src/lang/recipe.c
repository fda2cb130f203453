#include "lang/recipe.h"

#include <math.h>
#include <string.h>

typedef struct {
    op_code op;  // OP_SYMBOL: a number that is set
    int args[3]; // steps; 0: the number below; OP_SYMBOL: which of what is set
    double numbers[3];
} step;

typedef struct {
    int step;
    recipe_pin pin;
    double first; // as the model was read
} pinned;

typedef struct {
    int step;
    double *at;
} kept;

typedef struct {
    bool (*holds)(const recipes *r, const void *object);
    const void *object;
} check;

/* Beyond, 18 MB of them, reading once more is what a model takes. */
enum { STEPS_MOST = 300000 };

struct recipes {
    arena *arena;
    bool lost; // there were too many
    vec(step) steps;
    vec(double) now, before; // (steps) their numbers
    vec(pinned) pins;
    vec(kept) places;
    vec(check) checks;
};

recipes *recipes_new(arena *a) {
    recipes *r = arena_alloc(a, sizeof *r);
    r->arena = a;
    return r;
}

static int add(recipes *r, step s, double number) {
    r->lost |= r->steps.count == STEPS_MOST;
    if (r->lost)
        return 0;
    vec_push(r->arena, r->steps, s);
    vec_push(r->arena, r->now, number);
    vec_push(r->arena, r->before, number);
    return r->steps.count;
}

int recipe_set(recipes *r, int setting, double number) {
    return r ? add(r, (step){.op = OP_SYMBOL, .args = {setting}}, number) : 0;
}

int recipe_step(recipes *r, op_code op, const int *args, const double *numbers, double number) {
    step s = {.op = op};
    bool any = false;
    for (int i = 0; i < ops[op].arity; i++) {
        s.args[i] = args[i];
        s.numbers[i] = numbers[i];
        any |= args[i] != 0;
    }
    return r && any ? add(r, s, number) : 0;
}

double recipe_number(const recipes *r, int which) {
    return r->now.at[which - 1];
}

void recipe_pins(recipes *r, int which, recipe_pin pin) {
    pinned p = {which, pin, which ? recipe_number(r, which) : 0};
    if (r && which)
        vec_push(r->arena, r->pins, p);
}

void recipe_keeps(recipes *r, int which, double *at) {
    for (int i = 0; r && i < r->places.count; i++) // what stood there before does no longer
        if (r->places.at[i].at == at)
            r->places.at[i--] = r->places.at[--r->places.count];
    kept k = {which, at};
    if (r && which)
        vec_push(r->arena, r->places, k);
}

void recipe_checks(recipes *r, bool (*holds)(const recipes *r, const void *object), const void *object) {
    check c = {holds, object};
    if (r)
        vec_push(r->arena, r->checks, c);
}

// ---- other values

static double do_again(const recipes *r, const step *s, const double *set) {
    double a[3];
    if (s->op == OP_SYMBOL)
        return set[s->args[0]];
    for (int i = 0; i < 3; i++)
        a[i] = s->args[i] ? r->now.at[s->args[i] - 1] : s->numbers[i];
    return ops[s->op].value(a[0], a[1], a[2]);
}

static bool same(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

static bool stays(const recipes *r, const pinned *p) {
    double now = recipe_number(r, p->step);
    return p->pin == PIN_FINITE ? isfinite(now) : p->pin == PIN_PICTURE || same(now, p->first);
}

bool recipes_try(recipes *r, const double *set) {
    bool all = !r->lost;
    for (int i = 0; i < r->steps.count; i++) {
        r->before.at[i] = r->now.at[i];
        r->now.at[i] = do_again(r, &r->steps.at[i], set);
    }
    for (int i = 0; i < r->pins.count && all; i++)
        all = stays(r, &r->pins.at[i]);
    for (int i = 0; i < r->checks.count && all; i++)
        all = r->checks.at[i].holds(r, r->checks.at[i].object);
    if (!all)
        memcpy(r->now.at, r->before.at, (size_t)r->steps.count * sizeof *r->now.at);
    return all;
}

void recipes_put(const recipes *r) {
    for (int i = 0; i < r->places.count; i++)
        *r->places.at[i].at = recipe_number(r, r->places.at[i].step);
}

void recipes_back(recipes *r) {
    memcpy(r->now.at, r->before.at, (size_t)r->steps.count * sizeof *r->now.at);
    recipes_put(r);
}

bool recipes_pictures_old(const recipes *r) {
    for (int i = 0; i < r->pins.count; i++)
        if (r->pins.at[i].pin == PIN_PICTURE &&
            !same(recipe_number(r, r->pins.at[i].step), r->pins.at[i].first))
            return true;
    return false;
}
