#include "code/steps.h"
#include "code/emit.h"

#include <string.h>

typedef struct {
    arena *scratch;
    step *steps;
    int count, first;
    int *phase; // by step: the level of a function, of other steps that before which they must be done
    int phases;
} sorting;

// a function's level is 1 more than those of the functions it needs; of other steps the largest below
static void find_levels(sorting *s) {
    for (int i = 0; i < s->count; i++) {
        const step *it = &s->steps[i];
        for (int k = 0; k < ops[it->op].arity; k++) {
            int from = it->args[k] - s->first;
            if (from < 0)
                continue;
            int level = s->phase[from] + emit_is_function(s->steps[from].op);
            if (level > s->phase[i])
                s->phase[i] = level;
        }
        if (s->phase[i] >= s->phases)
            s->phases = s->phase[i] + 1;
    }
    s->phases++; // steps that no function needs come last
}

// steps that are not functions: from the level at which they could stand to the one at which they must
static void find_phases(sorting *s) {
    for (int i = 0; i < s->count; i++)
        if (!emit_is_function(s->steps[i].op))
            s->phase[i] = s->phases - 1;
    for (int i = s->count - 1; i >= 0; i--) {
        const step *it = &s->steps[i];
        for (int k = 0; k < ops[it->op].arity; k++) {
            int from = it->args[k] - s->first;
            if (from >= 0 && !emit_is_function(s->steps[from].op) && s->phase[from] > s->phase[i])
                s->phase[from] = s->phase[i];
        }
    }
}

// from[0 .. count] sorted by key, below keys; equal ones keep their order
static void sort_by(const sorting *s, const int *from, int *to, const int *key, int keys) {
    int *start = arena_array(s->scratch, int, keys + 1);
    for (int i = 0; i < s->count; i++)
        start[key[i] + 1]++;
    for (int i = 0; i < keys; i++)
        start[i + 1] += start[i];
    for (int i = 0; i < s->count; i++)
        to[start[key[from[i]]]++] = from[i];
}

static void rearrange(sorting *s, const int *order, int *place) {
    step *copy = arena_array(s->scratch, step, s->count);
    memcpy(copy, s->steps, (size_t)s->count * sizeof *copy);
    for (int i = 0; i < s->count; i++)
        place[order[i]] = i;
    for (int i = 0; i < s->count; i++) {
        step it = copy[order[i]];
        for (int k = 0; k < ops[it.op].arity; k++)
            if (it.args[k] >= s->first)
                it.args[k] = s->first + place[it.args[k] - s->first];
        s->steps[i] = it;
    }
}

static bool has_functions(const step *steps, int count) {
    for (int i = 0; i < count; i++)
        if (emit_is_function(steps[i].op))
            return true;
    return false;
}

void steps_order(arena *scratch, step *steps, int count, int first, int *place) {
    sorting s = {.scratch = arena_child(scratch), .steps = steps, .count = count, .first = first};
    int *order = arena_array(s.scratch, int, count), *sorted = arena_array(s.scratch, int, count);
    for (int i = 0; i < count; i++)
        order[i] = place[i] = i;
    if (has_functions(steps, count)) {
        s.phase = arena_array(s.scratch, int, count);
        find_levels(&s);
        find_phases(&s);
        int *kind = arena_array(s.scratch, int, count);
        for (int i = 0; i < count; i++)
            kind[i] = emit_is_function(steps[i].op) ? (int)steps[i].op : 0; // functions after what they need
        sort_by(&s, order, sorted, kind, OP_COUNT);
        sort_by(&s, sorted, order, s.phase, s.phases);
        rearrange(&s, order, place);
    }
    arena_free(s.scratch);
}
