#include "motion/project_lanes.h"

#include "base/fours.h"
#include "code/native.h"
#include "motion/project.h"
#include "system/direct.h"

struct project_lanes {
    double *change, *ratio, *before, *going, *solved; // (n lanes), then one of lanes each
    const struct loops *loops;
};

typedef struct {
    const abreast *w;
    const system_level *level;
    stage_kind stage, look;
    double *x; // the unknowns
    dense_lanes *solver;
    const double *tolerance, *cut;
} level;

/* ratio: of the worst row to what is allowed; fine becomes 0 where one is not finite. */
typedef struct loops {
    void (*look)(const level *l, double *ratio, double *fine);
    void (*begin)(const level *l, const double *ratio, double *going, double *fine);
    void (*move)(const level *l, const double *change, const double *going, double *fine);
    void (*judge)(const level *l, const double *before, const double *ratio, double *going, double *fine);
    void (*take)(const level *l, double *change, double *solved);
} loops;

#define at(x, i) four_at(x, i, o)

LANES_INLINE void look(const level *l, double *ratio, double *fine, int o) {
    const double *residual = l->w->stages[l->look].y, *allowance = residual + l->level->m * LANES;
    four worst = -FOUR_ONE, tolerance = at(l->tolerance, 0);
    four_bits good = at(fine, 0) != 0;
    for (int i = 0; i < l->level->m; i++) {
        four allowed = at(allowance, i);
        allowed = four_choose(allowed == 0, tolerance, tolerance * allowed);
        four part = four_size(at(residual, i)) / allowed;
        good &= part == part;
        worst = four_choose(part > worst, part, worst);
    }
    four_put(ratio, 0, o, worst);
    four_put(fine, 0, o, four_flags(good));
}

LANES_INLINE four goal_of(four tolerance) {
    return four_larger(PROJECT_GOAL + FOUR_ZERO, PROJECT_ROUNDING / tolerance);
}

// those that are not there, as project.c's is_there
LANES_INLINE void begin(const level *l, const double *ratio, double *going, double *fine, int o) {
    const double *residual = l->w->stages[l->look].y, *allowance = residual + l->level->m * LANES;
    four tolerance = at(l->tolerance, 0), goal = goal_of(tolerance);
    four_bits there = four_true();
    for (int i = 0; i < l->level->m; i++) {
        four allowed = at(allowance, i);
        allowed = four_choose(allowed == 0, tolerance, tolerance * allowed);
        there &= four_size(at(residual, i)) <= goal * allowed;
    }
    four_put(going, 0, o, four_flags((at(ratio, 0) > goal) & (at(fine, 0) != 0) & ~there));
}

// where the kernel solves
LANES_INLINE void take(const level *l, double *change, double *solved, int o) {
    const double *found = l->w->stages[l->stage].y + (long)l->level->step_at * LANES;
    const double *checks = found + (long)(l->w->n + l->level->m) * LANES;
    four_bits sure = (at(checks, DIRECT_MASS) > MASS_DOUBTFUL) & (at(checks, DIRECT_SCHUR) > GRAM_CLEAR) &
                     (at(checks, DIRECT_GRAM) > DIRECT_REMAINDER) & (at(checks, DIRECT_SIGN) > 0);
    for (int i = 0; i < l->w->n; i++)
        four_put(change, i, o, at(found, i));
    four_put(solved, 0, o, four_flags((at(solved, 0) != 0) & sure));
}

LANES_INLINE void move(const level *l, const double *change, const double *going, double *fine, int o) {
    four_bits moves = at(going, 0) != 0;
    four sum = {0};
    for (int i = 0; i < l->w->n; i++) {
        four x = at(l->x, i);
        x = four_choose(moves, x + 1 * at(change, i), x);
        sum += 0 * x;
        four_put(l->x, i, o, x);
    }
    four_put(fine, 0, o, four_flags((at(fine, 0) != 0) & (sum == 0)));
}

LANES_INLINE void judge(const level *l, const double *before, const double *ratio, double *going,
                        double *fine, int o) {
    four_bits was = at(going, 0) != 0, good = at(fine, 0) != 0;
    four now = at(ratio, 0), last = at(before, 0);
    good &= ~was | (now < last); // else it would be shortened
    four_bits ends = (now <= goal_of(at(l->tolerance, 0))) | ((now <= 1) & (now > last / 2));
    four_put(going, 0, o, four_flags(was & good & ~ends));
    four_put(fine, 0, o, four_flags(good));
}

#define BOTH(call)                                                                                           \
    do {                                                                                                     \
        int o = 0;                                                                                           \
        call;                                                                                                \
        o = 4;                                                                                               \
        call;                                                                                                \
    } while (0)

#define LOOPS(name, level_of)                                                                                \
    level_of static void name##_look(const level *l, double *ratio, double *fine) {                          \
        BOTH(look(l, ratio, fine, o));                                                                       \
    }                                                                                                        \
    level_of static void name##_begin(const level *l, const double *ratio, double *going, double *fine) {    \
        BOTH(begin(l, ratio, going, fine, o));                                                               \
    }                                                                                                        \
    level_of static void name##_move(const level *l, const double *change, const double *going,              \
                                     double *fine) {                                                         \
        BOTH(move(l, change, going, fine, o));                                                               \
    }                                                                                                        \
    level_of static void name##_judge(const level *l, const double *before, const double *ratio,             \
                                      double *going, double *fine) {                                         \
        BOTH(judge(l, before, ratio, going, fine, o));                                                       \
    }                                                                                                        \
    level_of static void name##_take(const level *l, double *change, double *solved) {                       \
        BOTH(take(l, change, solved, o));                                                                    \
    }                                                                                                        \
    static const loops name = {name##_look, name##_begin, name##_move, name##_judge, name##_take};

LOOPS(plain, )
#ifdef __x86_64__
LOOPS(avx2, LANES_AVX2)
#endif

static const loops *loops_here(void) {
#ifdef __x86_64__
    if (native_chosen() >= PATH_AVX2)
        return &avx2;
#endif
    return &plain;
}

project_lanes *project_lanes_new(arena *a, const trm_system *sys) {
    project_lanes *p = arena_alloc(a, sizeof *p);
    double *room = lanes_room(a, (size_t)sys->n + 4);
    p->change = room + 4 * LANES;
    p->ratio = room;
    p->before = room + LANES;
    p->going = room + 2 * LANES;
    p->solved = room + 3 * LANES;
    p->loops = loops_here();
    return p;
}

static bool any(const double *lane) {
    double sum = 0;
    for (int l = 0; l < LANES; l++)
        sum += lane[l];
    return sum > 0;
}

// lanes that do not go on may have stood still where there is nothing to be solved
static void find_change(project_lanes *p, const level *l, double *fine) {
    const abreast_stage *s = &l->w->stages[l->stage];
    abreast_run(l->w, l->stage);
    for (int i = 0; i < LANES; i++)
        p->solved[i] = p->going[i];
    if (l->level->direct)
        p->loops->take(l, p->change, p->solved);
    else
        dense_lanes_solve(l->solver, s->y, s->y + (long)l->level->A_at * LANES,
                          s->y + (long)l->level->residual_at * LANES, l->cut, p->change, p->solved);
    for (int i = 0; i < LANES; i++)
        if (p->going[i] != 0 && p->solved[i] == 0)
            fine[i] = p->going[i] = 0;
}

// as project.c's newton_from
static void project_level(project_lanes *p, const level *l, double *fine) {
    if (l->level->m == 0)
        return;
    abreast_run(l->w, l->look);
    p->loops->look(l, p->ratio, fine);
    p->loops->begin(l, p->ratio, p->going, fine);
    for (int k = 0; k < PROJECT_MOST && any(p->going); k++) {
        memcpy(p->before, p->ratio, LANES * sizeof *p->before);
        find_change(p, l, fine);
        p->loops->move(l, p->change, p->going, fine);
        abreast_run(l->w, l->look);
        p->loops->look(l, p->ratio, fine);
        p->loops->judge(l, p->before, p->ratio, p->going, fine);
    }
    for (int i = 0; i < LANES; i++)
        fine[i] = p->going[i] == 0 && p->ratio[i] <= 1 ? fine[i] : 0;
}

void project_abreast(project_lanes *p, const abreast *w, const double *tolerance, const double *cut,
                     double *fine) {
    const trm_system *sys = w->sys;
    double *q = w->x + (long)sys->x_q * LANES, *v = w->x + (long)sys->x_v * LANES;
    project_level(
        p, &(level){w, &sys->position, STAGE_POSITION, STAGE_POSITION_LOOK, q, w->position, tolerance, cut},
        fine);
    project_level(
        p, &(level){w, &sys->velocity, STAGE_VELOCITY, STAGE_VELOCITY_LOOK, v, w->velocity, tolerance, cut},
        fine);
}
