/* Runs side by side, those that are alike in groups of eight. */
#include "motion/together.h"

#include "motion/rk_lanes.h"

enum { GROUPS = 4 }; // natural scales make several kinds of systems of one model

typedef struct {
    rk_lanes *group; // NULL: the seat is free
    int lane;
} seat;

struct together {
    rk_lanes *group[GROUPS], *now;
    seat seat[TOGETHER_MOST];
};

together *together_new(arena *a) {
    together *w = arena_alloc(a, sizeof *w);
    *w = (together){0};
    for (int i = 0; i < GROUPS; i++)
        w->group[i] = rk_lanes_new(a);
    return w;
}

// groups that have runs come first
static seat find_seat(const together *w, running *r) {
    for (int empty = 0; empty < 2; empty++)
        for (int i = 0; i < GROUPS; i++) {
            bool tried = (rk_lanes_count(w->group[i]) == 0) == (empty == 1);
            int lane = tried ? rk_lanes_join(w->group[i], r) : -1;
            if (lane >= 0)
                return (seat){w->group[i], lane};
        }
    return (seat){NULL, -1};
}

bool together_join(together *w, running *r, int at) {
    if (rk_lanes_can(r))
        w->seat[at] = find_seat(w, r);
    return w->seat[at].group != NULL;
}

bool together_has(const together *w, int at) {
    return w->seat[at].group != NULL;
}

static rk_lanes *fullest(const together *w) {
    rk_lanes *most = w->group[0];
    for (int i = 1; i < GROUPS; i++)
        if (rk_lanes_count(w->group[i]) > rk_lanes_count(most))
            most = w->group[i];
    return most;
}

bool together_is_full(const together *w) {
    return rk_lanes_count(fullest(w)) == KERNEL_LANES;
}

static int leave(together *w, int lane) {
    int at = 0;
    while (w->seat[at].group != w->now || w->seat[at].lane != lane)
        at++;
    w->seat[at].group = NULL;
    rk_lanes_leave(w->now, lane);
    return at;
}

int together_advance(together *w) {
    w->now = fullest(w);
    return leave(w, rk_lanes_advance(w->now));
}

int together_drop(together *w) {
    return leave(w, rk_lanes_now(w->now));
}
