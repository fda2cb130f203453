/* One step of eight runs at once, as rk.c has it for one:
 *
 *   y_i = y + h sum_j a_ij k_j,  k_i = (v_i, q''(t_i, y_i))      sums and kernels in lanes
 *   the error of y1, y1 projected                                in lanes
 *   f there, what happened in the step, samples, the next step   each by itself
 *
 * Vectors stand number by number, with eight lanes each. What the stages of a lane lead to is put where its
 * integrator would have it, so that all that follows is the same code. Where something is in doubt in a lane
 * (a solution, the nearness to singular positions, a projection) its step is tried again by its integrator
 * alone, from its beginning: that gives the bits that it would have had. */
#include "motion/rk_lanes.h"

#include "base/fours.h"
#include "code/native.h"
#include "motion/project_lanes.h"
#include "motion/rk_inside.h"
#include "motion/running.h"
#include "solve/abreast.h"

#include <math.h>

/* A run of fewer lanes takes longer than one after the other. */
enum { LANES_FROM = 3, SIZE_MOST = 200 };
static const size_t MEMORY_MOST = (size_t)1 << 28;

typedef struct {
    rk_lanes *of;
    running *run; // NULL: the place is free
    bool begun;   // a step is to be tried
} one_run;

typedef struct loops loops;

struct rk_lanes {
    arena *arena; // of what follows; NULL: there is nothing
    int count, now;
    one_run place[LANES];
    abreast *w;
    project_lanes *project;
    const loops *loops;
    const rk_method *method;
    int stages, size, silent; // size: 2 n
    bool whole[RK_STAGES];    // the vector of a stage has its slope when all are done
    double *k[RK_STAGES], *y0, *y1, *last, *floor, *usual; // (size + silent), those of rows (m), lanes each
    // one number for each lane
    double *t0, *t1, *h, *tolerance, *cut, *gram, *least_gram, *fine, *doubt, *nearest, *square[RK_ERRORS];
};

// ---- loops

struct loops {
    void (*combine)(const rk_lanes *w, const rk_row *r, int size, double *out);
    void (*errors)(const rk_lanes *w, const integrator *it);
};

#define at(x, i) four_at(x, i, o)

LANES_INLINE void combine(const rk_lanes *w, const rk_row *r, int size, double *out, int o) {
    four h = at(w->h, 0);
    for (int i = 0; i < size; i++) {
        four sum = {0};
        for (int j = 0; j < r->count; j++)
            sum += r->weight[j] * at(w->k[r->stage[j]], i);
        four_put(out, i, o, at(w->y0, i) + h * sum);
    }
}

// all eight at once
LANES_INLINE void combine_wide(const rk_lanes *w, const rk_row *r, int size, double *out) {
    lanes h = lanes_load(w->h);
    for (long i = 0; i < size; i++) {
        lanes sum = {0};
        for (int j = 0; j < r->count; j++)
            sum += r->weight[j] * lanes_load(w->k[r->stage[j]] + i * LANES);
        lanes_store(out + i * LANES, lanes_load(w->y0 + i * LANES) + h * sum);
    }
}

// as rk_sums.c: components in RK_BLOCK sums, these one after the other
LANES_INLINE void errors(const rk_lanes *w, const integrator *it, int o) {
    four sum[RK_ERRORS][RK_BLOCK] = {0}, finite = {0}, tolerance = at(w->tolerance, 0);
    int count = w->method->errors;
    for (int i = 0; i < w->size; i++) {
        four y = at(w->y1, i), most = four_larger(four_size(y), four_size(at(w->y0, i)));
        four scale = 1 / (tolerance * (at(w->floor, i) + most));
        finite += 0 * y;
        for (int set = 0; set < count; set++) {
            const rk_row *r = &it->e[set];
            four v = {0};
            for (int j = 0; j < r->count; j++)
                v += r->weight[j] * at(w->k[r->stage[j]], i);
            sum[set][i % RK_BLOCK] += (v * scale) * (v * scale);
        }
    }
    for (int set = 0; set < count; set++) {
        four all = {0};
        for (int l = 0; l < RK_BLOCK; l++)
            all += sum[set][l];
        four_put(w->square[set], 0, o, all / (double)w->size + finite); // NaN if y1 is not finite
    }
}

#define LOOPS(name, level)                                                                                   \
    level static void name##_combine(const rk_lanes *w, const rk_row *r, int size, double *out) {            \
        combine(w, r, size, out, 0);                                                                         \
        combine(w, r, size, out, 4);                                                                         \
    }                                                                                                        \
    level static void name##_errors(const rk_lanes *w, const integrator *it) {                               \
        errors(w, it, 0);                                                                                    \
        errors(w, it, 4);                                                                                    \
    }                                                                                                        \
    static const loops name = {name##_combine, name##_errors};

LOOPS(plain, )
#ifdef __x86_64__
LOOPS(avx2, LANES_AVX2)

LANES_AVX512 static void avx512_combine(const rk_lanes *w, const rk_row *r, int size, double *out) {
    combine_wide(w, r, size, out);
}

static const loops avx512 = {avx512_combine, avx2_errors};
#endif

static const loops *loops_here(void) {
#ifdef __x86_64__
    native_path path = native_chosen();
    if (path >= PATH_AVX2)
        return path == PATH_AVX512 ? &avx512 : &avx2;
#endif
    return &plain;
}

// ---- between lanes and the vectors of an integrator

static void gather(const double *from, int count, int lane, double *to) {
    for (int i = 0; i < count; i++)
        to[i * LANES + lane] = from[i];
}

static void scatter(const double *from, int count, int lane, double *to) {
    for (int i = 0; i < count; i++)
        to[i] = from[i * LANES + lane];
}

// with the silent components
static void gather_whole(const rk_lanes *w, const integrator *it, const double *from, int lane, double *to) {
    gather(from, w->size, lane, to);
    gather(from + it->padded, w->silent, lane, to + w->size * LANES);
}

static void scatter_whole(const rk_lanes *w, const integrator *it, const double *from, int lane, double *to) {
    scatter(from, w->size, lane, to);
    scatter(from + w->size * LANES, w->silent, lane, to + it->padded);
}

// ---- places

static void let_go(void *object) {
    rk_lanes *w = object;
    arena_free(w->arena);
    w->arena = NULL;
}

rk_lanes *rk_lanes_new(arena *a) {
    rk_lanes *w = arena_alloc(a, sizeof *w);
    arena_when_freed(a, let_go, w);
    return w;
}

bool rk_lanes_can(const running *r) {
    const run_options *o = r->options;
    return r->it && r->goes_on && !r->window.open && o->method->step == rk_step && !run_has_tree(r) &&
           r->moves && !r->system.accelerate && r->sys->n + r->sys->m <= SIZE_MOST &&
           abreast_can(r->sys, r->st);
}

static void make_room(rk_lanes *w, const running *r) {
    arena *a = w->arena;
    const integrator *it = r->it;
    size_t size = (size_t)(2 * r->sys->n + it->system.silent), rows = (size_t)r->sys->m;
    w->w = abreast_new(a, r->sys, r->st);
    w->project = project_lanes_new(a, r->sys);
    w->loops = loops_here();
    w->method = it->method;
    w->stages = it->method->stages;
    w->size = 2 * r->sys->n;
    w->silent = it->system.silent;
    double **vectors[] = {&w->y0, &w->y1, &w->last, &w->floor};
    for (int i = 0; i < 4; i++)
        *vectors[i] = lanes_room(a, size);
    w->usual = lanes_room(a, rows);
    double **each[] = {&w->t0,   &w->t1,         &w->h,    &w->tolerance, &w->cut,
                       &w->gram, &w->least_gram, &w->fine, &w->doubt,     &w->nearest};
    for (int i = 0; i < 10; i++)
        *each[i] = lanes_room(a, 1);
    for (int i = 0; i < RK_ERRORS; i++)
        w->square[i] = lanes_room(a, 1);
    for (int i = 0; i <= w->stages; i++) { // stages share vectors as those of an integrator do
        int with = 0;
        while (it->k[with] != it->k[i])
            with++;
        w->k[i] = with < i ? w->k[with] : lanes_room(a, size);
        w->whole[i] = true;
        for (int j = 0; j < i; j++)
            w->whole[j] &= it->k[j] != it->k[i];
    }
}

// for runs like this one
static bool begin_with(rk_lanes *w, const running *r) {
    jmp_buf out_of_memory;
    let_go(w);
    arena *own = arena_new(MEMORY_MOST);
    if (own == NULL)
        return false;
    w->arena = own;
    arena_recover(own, &out_of_memory);
    bool made = false;
    if (setjmp(out_of_memory) == 0) {
        make_room(w, r);
        made = w->w != NULL;
    }
    arena_recover(own, NULL);
    if (!made)
        let_go(w);
    return made;
}

static void take_lane(rk_lanes *w, int lane, const running *r) {
    abreast_take(w->w, lane, r->sys, r->st);
    gather(r->it->floor, w->size, lane, w->floor);
    gather(r->it->y, w->size, lane, w->y0);
    w->tolerance[lane] = r->options->tolerance;
    w->cut[lane] = state_cut(r->st);
    w->h[lane] = 0;
}

int rk_lanes_join(rk_lanes *w, running *r) {
    int lane = 0;
    bool fits = w->count > 0
                    ? w->count < LANES && w->method == r->it->method && abreast_is_like(w->w, r->sys, r->st)
                    : begin_with(w, r);
    if (!fits)
        return -1;
    while (w->place[lane].run)
        lane++;
    take_lane(w, lane, r);
    w->place[lane] = (one_run){w, r, false};
    w->count++;
    return lane;
}

int rk_lanes_count(const rk_lanes *w) {
    return w->count;
}

int rk_lanes_now(const rk_lanes *w) {
    return w->now;
}

void rk_lanes_leave(rk_lanes *w, int lane) {
    rk_fetch(w->place[lane].run->it);
    w->place[lane].run = NULL;
    w->count--;
    for (int l = 0; l < LANES; l++)
        if (w->place[l].run)
            w->w->sys = w->place[l].run->sys;
}

// ---- a run by itself

// up to where a step is to be tried; false if the run has ended
static bool begin_step(running *r) {
    int status;
    while (run_to_step(r)) {
        if (rk_plan(r->it, &status))
            return true;
        run_stepped(r, status);
        run_leave(r, INFINITY);
    }
    return false;
}

// after a try that returned this
static void end_try(one_run *p, int status) {
    running *r = p->run;
    p->begun = rk_judge(r->it, &status);
    if (p->begun)
        return;
    run_stepped(r, status);
    run_leave(r, INFINITY);
}

// ---- in lanes

// whether a step would be tried by solve_motion and quick projections
static bool is_plain(const running *r) {
    return !r->moved_in_vain && !r->singular.near && isnan(r->settled) && r->rank == r->sys->m &&
           !(r->options->stop && *r->options->stop);
}

static void set_lane(rk_lanes *w, int lane) {
    const running *r = w->place[lane].run;
    const integrator *it = r->it;
    double largest = r->singular.largest;
    w->t0[lane] = it->t0;
    w->t1[lane] = it->trying.t1;
    w->h[lane] = it->trying.t1 - it->t0;
    gather_whole(w, it, it->y0, lane, w->y0);
    gather_whole(w, it, it->k[0], lane, w->k[0]);
    gather(r->singular.row_square, r->sys->m, lane, w->usual);
    // near is what is less than RUN_NEARING of the largest: here of squares, and a little more
    w->gram[lane] = RUN_NEARING * RUN_NEARING * (1 + 1e-11) * largest * largest;
    w->least_gram[lane] = INFINITY;
    w->nearest[lane] = r->sys->m ? INFINITY : 1;
    w->doubt[lane] = 0;
    w->fine[lane] = 1;
}

static bool any(const double *fine) {
    double sum = 0;
    for (int l = 0; l < LANES; l++)
        sum += fine[l];
    return sum > 0;
}

static void set_times(rk_lanes *w, int which) {
    double c = w->method->c[which], *t = w->w->x;
    if (c == 1)
        memcpy(t, w->t1, LANES * sizeof *t);
    else
        for (int l = 0; l < LANES; l++)
            t[l] = w->t0[l] + c * w->h[l];
}

// a row may have become short
static void look_at_rows(rk_lanes *w, int lane) {
    running *r = w->place[lane].run;
    double nearness = run_nearness_of_rows(r, abreast_give_rows(w->w, lane, r->st));
    w->nearest[lane] = fmin(w->nearest[lane], nearness);
    if (run_is_near(r, nearness))
        w->fine[lane] = 0;
}

// the state of a stage, which stands among the inputs, and what is found there
static void try_stage(rk_lanes *w, int which, const rk_row *r, double *state) {
    const trm_system *sys = w->w->sys;
    size_t half = (size_t)w->size / 2 * LANES;
    double *x = w->w->x;
    w->loops->combine(w, r, which == w->stages ? w->size + w->silent : w->size, state);
    memcpy(x + (size_t)sys->x_q * LANES, state, half * sizeof *x);
    memcpy(x + (size_t)sys->x_v * LANES, state + half, half * sizeof *x);
    set_times(w, which);
    abreast_run(w->w, STAGE_DYNAMICS);
    w->w->check(w->w, w->gram, w->usual, w->least_gram, w->fine, w->doubt);
    for (int l = 0; any(w->doubt) && l < LANES; l++)
        if (w->doubt[l] != 0)
            look_at_rows(w, l);
    memcpy(w->k[which], state + half, half * sizeof *x);
    memcpy(w->k[which] + half, abreast_found(w->w), half * sizeof *x);
    if (w->silent)
        abreast_powers(w->w, w->k[which] + 2 * half);
}

static void try_stages(rk_lanes *w, const integrator *it) {
    int s = w->stages;
    for (int i = 1; i < s && any(w->fine); i++)
        try_stage(w, i, &it->a[i], w->last);
    if (it->error_uses_last)
        try_stage(w, s, &it->a[s], w->y1);
    else
        w->loops->combine(w, &it->a[s], w->size + w->silent, w->y1);
    w->loops->errors(w, it);
}

// for those who look into the step, before the next one
static void fetch(void *context, integrator *it) {
    const one_run *p = context;
    const rk_lanes *w = p->of;
    for (int i = 1; i < w->stages; i++)
        if (w->whole[i])
            scatter_whole(w, it, w->k[i], (int)(p - w->place), it->k[i]);
}

// what the stages of a lane came to becomes that of its run
static void take_stages(rk_lanes *w, int lane) {
    running *r = w->place[lane].run;
    integrator *it = r->it;
    int s = w->stages, evaluations = s - 1 + it->error_uses_last;
    double square[RK_ERRORS] = {0}, nearest = fmin(w->nearest[lane], sqrt(w->least_gram[lane]));
    it->fetch = fetch;
    it->fetched_from = &w->place[lane];
    scatter(w->k[s - 1], w->size, lane, it->k[s - 1]); // by which stiffness is told
    if (it->error_uses_last)
        scatter_whole(w, it, w->k[s], lane, it->k[s]);
    scatter_whole(w, it, w->y1, lane, it->y);
    scatter(w->last, w->size, lane, it->work);
    it->second = false;
    it->step = w->h[lane];
    it->count.evaluations += evaluations;
    abreast_count(r->st, evaluations);
    r->trouble.solve = SOLVED;
    r->trouble.of_full = false;
    r->trouble.time = w->w->x[lane];
    if (nearest < r->singular.nearest)
        r->singular.nearest = nearest;
    for (int i = 0; i < w->method->errors; i++)
        square[i] = w->square[i][lane];
    it->trying.error = rk_error_norm(square, w->h[lane]);
}

// lanes that passed the error test; returns whether there are any
static bool sort_out(rk_lanes *w, const bool *lane, int *status, bool *ended) {
    bool some = false;
    for (int l = 0; l < LANES; l++) {
        bool fine = lane[l] && w->fine[l] != 0;
        w->fine[l] = 0;
        ended[l] = !lane[l];
        if (!fine)
            continue;
        take_stages(w, l);
        w->fine[l] = w->place[l].run->it->trying.error <= 1;
        some |= w->fine[l] != 0;
        ended[l] = w->fine[l] == 0;
        if (ended[l])
            status[l] = rk_end_attempt(w->place[l].run->it, 0);
    }
    return some;
}

static void project(rk_lanes *w) {
    const trm_system *sys = w->w->sys;
    size_t half = (size_t)w->size / 2 * LANES;
    double *x = w->w->x;
    if (!w->w->projects) {
        memset(w->fine, 0, LANES * sizeof *w->fine);
        return;
    }
    memcpy(x + (size_t)sys->x_q * LANES, w->y1, half * sizeof *x);
    memcpy(x + (size_t)sys->x_v * LANES, w->y1 + half, half * sizeof *x);
    for (int l = 0; l < LANES; l++) {
        const running *r = w->place[l].run;
        if (w->fine[l] != 0 && !abreast_is_quick(r->sys, r->st))
            w->fine[l] = 0;
    }
    memcpy(x, w->t1, LANES * sizeof *x);
    project_abreast(w->project, w->w, w->tolerance, w->cut, w->fine);
    memcpy(w->y1, x + (size_t)sys->x_q * LANES, half * sizeof *x);
    memcpy(w->y1 + half, x + (size_t)sys->x_v * LANES, half * sizeof *x);
}

static int settle(rk_lanes *w, int lane) {
    running *r = w->place[lane].run;
    integrator *it = r->it;
    double *projected = it->F[0]; // which is of no use before the step is
    if (w->fine[lane] != 0)
        scatter(w->y1, w->size, lane, projected);
    bool done = w->fine[lane] != 0 && run_take_projected(r, it->trying.t1, projected, it->y);
    return done ? rk_end_projected(it) : rk_end_passed(it);
}

/* The lanes marked; status: what their attempts return. */
static void attempt_in_lanes(rk_lanes *w, const bool *lane, int *status) {
    const integrator *it = NULL;
    bool ended[LANES], tried[LANES];
    for (int l = 0; l < LANES; l++) {
        w->fine[l] = 0;
        if (lane[l])
            set_lane(w, l);
        it = lane[l] ? w->place[l].run->it : it;
    }
    try_stages(w, it);
    for (int l = 0; l < LANES; l++)
        tried[l] = lane[l] && w->fine[l] != 0;
    if (sort_out(w, lane, status, ended))
        project(w);
    for (int l = 0; l < LANES; l++) {
        w->now = l;
        if (lane[l] && !tried[l])
            status[l] = rk_attempt(w->place[l].run->it);
        else if (lane[l] && !ended[l])
            status[l] = settle(w, l);
    }
}

static void attempt(rk_lanes *w) {
    bool lane[LANES] = {false};
    int count = 0, status[LANES];
    for (int l = 0; l < LANES; l++) {
        lane[l] = w->place[l].run && is_plain(w->place[l].run);
        count += lane[l];
    }
    if (count >= LANES_FROM)
        attempt_in_lanes(w, lane, status);
    for (int l = 0; l < LANES; l++) {
        w->now = l;
        if (w->place[l].run == NULL)
            continue;
        if (count < LANES_FROM || !lane[l])
            status[l] = rk_attempt(w->place[l].run->it);
        end_try(&w->place[l], status[l]);
    }
}

int rk_lanes_advance(rk_lanes *w) {
    for (;;) {
        for (int l = 0; l < LANES; l++) {
            one_run *p = &w->place[l];
            w->now = l;
            if (p->run && !p->begun && !(p->begun = begin_step(p->run)))
                return l;
        }
        attempt(w);
    }
}
