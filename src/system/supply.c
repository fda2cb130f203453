#include "system/supply.h"

#include "system/state_inside.h"

#include <math.h>
#include <string.h>

enum { WHY_ROOM = 512 };

typedef struct supply {
    int count;
    double *at;  // (supplies x (1 + 2 n)) where each was asked last
    bool *asked; // (supplies)
    bool failed;
    char why[WHY_ROOM];
} supply;

static bool is_needed(stage_kind which, supply_kind kind) {
#define BY(kind) 1u << SUPPLY_##kind
    static const unsigned needs[STAGES] = {
        [STAGE_DYNAMICS] = BY(MASS) | BY(FORCE) | BY(ROWS),
        [STAGE_POSITION] = BY(MASS) | BY(ROWS) | BY(POSITION),
        [STAGE_VELOCITY] = BY(MASS) | BY(ROWS) | BY(VELOCITY),
        [STAGE_POSITION_LOOK] = BY(ROWS) | BY(POSITION),
        [STAGE_VELOCITY_LOOK] = BY(ROWS) | BY(VELOCITY),
        [STAGE_RESIDUAL] = BY(POSITION) | BY(VELOCITY),
        [STAGE_ENERGY] = BY(MASS) | BY(ENERGY),
        [STAGE_NONIDEAL] = BY(NONIDEAL),
    };
#undef BY
    return needs[which] & 1u << kind;
}

supply *supply_new(arena *a, const trm_system *sys) {
    int count = sys->model->supplies.count;
    if (count == 0)
        return NULL;
    supply *s = arena_alloc(a, sizeof *s);
    s->count = count;
    s->at = arena_doubles(a, (size_t)count * (1 + 2 * (size_t)sys->n));
    s->asked = arena_array(a, bool, count);
    return s;
}

// its numbers in x; false, and NAN, if it fails
static bool ask(const trm_system *sys, const model_supply *by, double *x, char *why, size_t room) {
    double *out = x + sys->x_result + by->first;
    if (by->give(by->by, x[0], x + sys->x_q, x + sys->x_v, out, why, room) == 0)
        return true;
    for (int i = 0; i < by->count; i++)
        out[i] = NAN;
    return false;
}

void supply_inputs(const trm_system *sys, stage_kind which, double *x) {
    char why[WHY_ROOM];
    for (int i = 0; i < sys->model->supplies.count; i++)
        if (is_needed(which, sys->model->supplies.at[i].kind))
            ask(sys, &sys->model->supplies.at[i], x, why, sizeof why);
}

// t, q and v stand one behind the other in x
static void run_one(const trm_system *sys, trm_state *st, int i) {
    const model_supply *by = &sys->model->supplies.at[i];
    supply *s = st->supply;
    size_t count = 1 + 2 * (size_t)sys->n, bytes = count * sizeof(double);
    double *at = s->at + (size_t)i * count;
    if (s->asked[i] && memcmp(at, st->x, bytes) == 0)
        return;
    s->asked[i] = false;
    s->failed = !ask(sys, by, st->x, s->why, sizeof s->why);
    if (s->failed)
        return;
    s->asked[i] = true;
    memcpy(at, st->x, bytes);
}

static void refuse(const trm_system *sys, trm_state *st, const model_supply *by) {
    for (int i = 0; i < by->count; i++)
        st->x[sys->x_result + by->first + i] = NAN;
}

void supply_run(const trm_system *sys, trm_state *st, stage_kind which) {
    supply *s = st->supply;
    for (int i = 0; i < sys->model->supplies.count; i++) {
        if (!is_needed(which, sys->model->supplies.at[i].kind))
            continue;
        if (!s->failed)
            run_one(sys, st, i);
        if (s->failed) {
            s->asked[i] = false;
            refuse(sys, st, &sys->model->supplies.at[i]);
        }
    }
}

const char *state_refusal(const trm_state *st) {
    return st->supply && st->supply->failed ? st->supply->why : NULL;
}

const char *state_last_refusal(const trm_state *st) {
    return st->supply ? st->supply->why : "";
}

void state_forgive(trm_state *st) {
    if (st->supply)
        st->supply->failed = false;
}

void state_ask_again(trm_state *st) {
    if (st->supply)
        memset(st->supply->asked, 0, (size_t)st->supply->count * sizeof *st->supply->asked);
}
