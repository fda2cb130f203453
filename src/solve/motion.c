/* q' and s' at each stage of a step, for small systems: by one kernel, with little around it.
 *
 * What it finds is held against a few numbers that stay the same for a step: below which its pivots need a
 * closer look, and how near rows may come to dependence unheeded. Only an evaluation that does not keep to
 * these is asked what it means. */
#include "solve/solve_inside.h"
#include "system/rates.h"

#include <math.h>
#include <string.h>

/* Where everything is, which stays so as long as the state. */
typedef struct motion_places {
    stage_kind stage;
    kernel_entry run; // NULL: every evaluation is looked at closely
    double *x, *q;    // inputs, (n) and v (n) behind them
    double *y, *work;
    const double *found;         // (count) q' and s', or s' alone, and multipliers (all.rows)
    const double *checks;        // (DIRECT_CHECKS)
    const double *sure;          // is positive, too
    const double *squares;       // (rows) of the rows of A, in natural units
    long n, count, first, rows;  // first: of what is found among the rates; no rows if it moves freely
    bool moved;                  // by STAGE_MOTION
    double least[DIRECT_CHECKS]; // as in solve_watch, of what is found alone
} motion_places;

// by STAGE_DYNAMICS, where s is v
static void place_by_positions(const trm_system *sys, motion_places *p) {
    p->found = p->y + sys->direct_at;
    p->count = p->first = sys->n;
    p->checks = p->found + sys->n + sys->all.rows;
    p->sure = p->checks + DIRECT_SIGN;
    p->squares = p->checks + DIRECT_CHECKS;
    p->rows = sys->all.rows;
    if (direct_needs_clear(sys))
        p->least[DIRECT_MASS] = p->least[DIRECT_SCHUR] = DIRECT_CLEAR;
}

static void place_by_rates(const trm_system *sys, motion_places *p) {
    p->found = p->y;
    p->count = 2 * sys->n;
    p->checks = p->y + p->count + sys->all.rows + sparsity_entries(sys->A) + sys->work_count;
    p->squares = p->checks + DIRECT_CHECKS;
    p->rows = sys->moves_freely ? 0 : sys->all.rows;
    p->sure = p->y + sys->stages[STAGE_MOTION].y_size - 1;
}

// whether the kernel's numbers are all there is to an evaluation
static bool is_simple(const trm_system *sys, const stage *s) {
    enum { LEAST = 2 }; // coordinates: numbers are taken by twos
    bool turns = sys->full && sys->rates->quaternion_count;
    bool tells = sys->moves || direct_tells_of_inputs(sys);
    return sys->n >= LEAST && stage_is_kernel(s) && tells && !turns && !sys->sharing && !sys->work_count &&
           !sys->switch_count;
}

void motion_add(const trm_system *sys, trm_state *st) {
    if (!solve_moves(sys))
        return;
    stage_kind kind = sys->moves ? STAGE_MOTION : STAGE_DYNAMICS;
    const stage *s = &sys->stages[kind];
    motion_places *p = arena_alloc(st->arena, sizeof *p);
    *p = (motion_places){
        .stage = kind,
        .run = is_simple(sys, s) ? kernel_native(s->groups.at[0].kernel) : NULL,
        .x = st->x,
        .q = st->x + sys->x_q,
        .y = st->y[kind],
        .work = st->work[kind],
        .n = sys->n,
        .moved = sys->moves,
        .least = {
            [DIRECT_MASS] = MASS_DOUBTFUL, [DIRECT_SCHUR] = GRAM_CLEAR, [DIRECT_GRAM] = DIRECT_REMAINDER}};
    (sys->moves ? place_by_rates : place_by_positions)(sys, p);
    st->motion = p;
}

bool solve_moves(const trm_system *sys) {
    return (sys->moves || (sys->direct && !rates_own(sys))) && !sys->mech->needs_energy;
}

void solve_watch_for(const trm_state *st, double gram, solve_watch *w) {
    memcpy(w->least, st->motion->least, sizeof w->least);
    if (gram > w->least[DIRECT_GRAM] && st->motion->rows > 0)
        w->least[DIRECT_GRAM] = gram;
}

void motion_keep(const trm_system *sys, trm_state *st) {
    const motion_places *p = st->motion;
    const double *multiplier = p->y + 2 * sys->n, *A = multiplier + sys->all.rows;
    double *checks = st->y[STAGE_DYNAMICS] + sys->direct_at + sys->n + sys->all.rows;
    linalg_copy(st->x + sys->x_v, p->y, sys->n);
    linalg_copy(st->M + sys->power_at, A + sparsity_entries(sys->A), sys->work_count);
    linalg_copy(st->lambda, multiplier, sys->all.rows);
    linalg_copy(st->A, A, sparsity_entries(sys->A));
    linalg_copy(checks, p->checks, DIRECT_CHECKS + p->rows);
    st->moved = false;
}

// whether nothing has to be known before, and nothing is asked for beside
static bool may_move(const trm_system *sys, const trm_state *st, bool held) {
    return st->plain && (sys->switch_count == 0 || held);
}

static bool is_found(const trm_system *sys, trm_state *st) {
    const motion_places *p = st->motion;
    return direct_sure(p->checks) && *p->sure > 0 && linalg_finite(p->found, p->count + sys->all.rows) &&
           (sys->moves || direct_is_accurate(sys, st, p->found, p->checks)) &&
           (sys->moves || direct_tells_of_inputs(sys) || solve_inputs_finite(sys, st));
}

/* What the kernel found, with all that may be asked for. */
static __attribute__((noinline)) solve_moved take_closely(const trm_system *sys, trm_state *st,
                                                          const double *y, double *rates) {
    const motion_places *p = st->motion;
    if (!is_found(sys, st))
        return MOVED_NOT;
    st->found.evaluations++;
    st->direct = true;
    st->moved = sys->moves;
    linalg_copy(rates + p->first, p->found, p->count);
    if (sys->work_count && sys->moves)
        motion_keep(sys, st);
    else if (sys->work_count)
        direct_take(sys, st, p->found);
    if (sys->full)
        rates_of_positions(sys, y, y + sys->n, rates);
    return MOVED_DOUBTFULLY;
}

static __attribute__((noinline)) solve_moved move_closely(const trm_system *sys, trm_state *st, double t,
                                                          const double *y, bool held, double *rates) {
    const double *v = y + sys->n;
    if (!may_move(sys, st, held))
        return MOVED_NOT;
    state_set(sys, st, t, y, v);
    linalg_copy(rates, v, sys->n);
    state_run(sys, st, st->motion->stage);
    return take_closely(sys, st, y, rates);
}

// ---- away from all that is watched for

typedef linalg_pair pair;

static inline pair load(const double *from) {
    return *(const pair *)from;
}

/* The same of two numbers that have just been written one by one: read as one, they would have to reach
 * memory first. */
static inline pair gather(const double *from) {
    const volatile double *each = from;
    pair v = {each[0], each[1]};
    return v;
}

static inline void store(double *to, pair v) {
    *(pair *)to = v;
}

// n is 2 at least; the last two may be done twice
static inline void copy(double *to, const double *from, long n) {
    for (long j = 0; j < n - 2; j += 2)
        store(to + j, load(from + j));
    store(to + n - 2, load(from + n - 2));
}

// the same; 0 if all are finite
static inline pair copy_finite(double *to, const double *from, long n) {
    pair off = {0}, v;
    for (long j = 0; j < n - 2; j += 2) {
        store(to + j, v = gather(from + j));
        off += v - v;
    }
    store(to + n - 2, v = gather(from + n - 2));
    return off + (v - v);
}

/* Whether pivots are clear, and each row is long enough, or no nearer to nothing than all are to dependence;
 * rounding allowed for. NaN never is. */
static inline bool is_clear(const motion_places *p, const solve_watch *w) {
    const double *checks = p->checks, *least = w->least;
    double part = checks[DIRECT_GRAM] * (1 + 1e-12);
    part = part < w->enough ? part : w->enough;
    for (int k = 0; k < DIRECT_CHECKS; k++)
        if (!(checks[k] > least[k]))
            return false;
    for (long k = 0; k < p->rows; k++)
        if (!(p->squares[k] > part * w->usual[k]))
            return false;
    return *p->sure > 0;
}

static inline bool can_move(const trm_state *st) {
    return st->motion->run && st->plain && !st->profile;
}

static inline bool move(trm_state *st, double t, const double *y, solve_watch *w, double *rates) {
    const motion_places *p = st->motion;
    p->x[0] = t;
    copy(p->q, y, 2 * p->n);
    copy(rates, y + p->n, p->n); // v is q' for most
    p->run(p->x, p->y, p->work);
    pair off = copy_finite(rates + p->first, p->found, p->count);
    if (!is_clear(p, w) || !(off[0] + off[1] == 0))
        return false;
    st->found.evaluations++;
    st->direct = true;
    st->moved = p->moved;
    w->nearest = p->checks[DIRECT_GRAM] < w->nearest ? p->checks[DIRECT_GRAM] : w->nearest;
    return true;
}

solve_moved solve_motion(const trm_system *sys, trm_state *st, double t, const double *y, bool held,
                         solve_watch *w, double *rates) {
    if (!can_move(st))
        return move_closely(sys, st, t, y, held, rates);
    return move(st, t, y, w, rates) ? MOVED : take_closely(sys, st, y, rates);
}

bool solve_lands(const trm_state *st) {
    return st->motion && can_move(st);
}

bool solve_landing(const trm_system *sys, trm_state *st, double t, const double *y, solve_watch *w,
                   double *rates) {
    if (!move(st, t, y, w, rates))
        return false;
    if (sys->moves)
        motion_keep(sys, st);
    else
        direct_take(sys, st, st->motion->found);
    return true;
}
