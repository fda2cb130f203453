#include "solve/abreast.h"

#include "base/fours.h"
#include "code/native.h"
#include "solve/solve_inside.h"
#include "system/direct.h"
#include "system/natural.h"
#include "system/rates.h"

#include <math.h>
#include <string.h>

static const stage_kind used[] = {STAGE_DYNAMICS, STAGE_POSITION, STAGE_VELOCITY, STAGE_POSITION_LOOK,
                                  STAGE_VELOCITY_LOOK};
enum { USED = 5 };

// the one kernel of a stage, straight from x to y; NULL: it is not that
static const kernel *kernel_of(const trm_system *sys, stage_kind which) {
    const stage *s = &sys->stages[which];
    bool one = s->groups.count == 1 && s->groups.at[0].gather == NULL && s->groups.at[0].scatter == NULL;
    return one ? s->groups.at[0].kernel : NULL;
}

static const system_level *level_of(const trm_system *sys, stage_kind which) {
    bool position = which == STAGE_POSITION || which == STAGE_POSITION_LOOK;
    return which == STAGE_DYNAMICS ? NULL : position ? &sys->position : &sys->velocity;
}

static bool is_needed(const trm_system *sys, stage_kind which) {
    return which == STAGE_DYNAMICS || level_of(sys, which)->m > 0;
}

static bool has_kernels(const trm_system *sys) {
    for (int i = 0; i < USED; i++)
        if (is_needed(sys, used[i]) && kernel_of(sys, used[i]) == NULL)
            return false;
    return true;
}

// rows as they are, each by itself
static bool has_plain_rows(const trm_system *sys) {
    bool plain = !sys->sharing && !sys->soft_count && !sys->friction_count && sys->all.rows == sys->m;
    for (int i = 0; plain && i < sys->m; i++)
        plain = sys->row_scale[i] == 1 && sys->solved_rows[i] == i;
    return plain;
}

static bool is_plain(const trm_system *sys) {
    bool beside = sys->switch_count || sys->nonideal || sys->on_forces;
    return has_plain_rows(sys) && !beside && sys->direct && !sys->moves && !sys->full && !rates_own(sys) &&
           !rates_differ(sys) && !sys->model->quaternions.count && !sys->model->turns.count &&
           !sys->mech->needs_energy;
}

bool abreast_can(const trm_system *sys, const trm_state *st) {
    uintptr_t beside = (uintptr_t)st->supply | (uintptr_t)st->stiff | (uintptr_t)st->formulated |
                       (uintptr_t)st->added_force | (uintptr_t)st->added_ask | (uintptr_t)st->profile |
                       (uintptr_t)st->team;
    return !beside && !st->still && is_plain(sys) && has_kernels(sys);
}

static bool is_quick(const system_level *l, const solver *s) {
    return l->m == 0 || l->direct || (s && !solver_is_sparse(s));
}

bool abreast_is_quick(const trm_system *sys, const trm_state *st) {
    return (!sys->position.m || sys->position.direct || solver_is_quick(st->position)) &&
           (!sys->velocity.m || sys->velocity.direct || solver_is_quick(st->velocity));
}

static dense_lanes *solver_for(arena *a, const trm_system *sys, const system_level *l, const solver *s) {
    return l->m && !l->direct && !solver_is_sparse(s)
               ? dense_lanes_new(a, sys->n, sys->M, l->A, solver_scale(s))
               : NULL;
}

// ---- whether what was found can be trusted

#define at(x, i) four_at(x, i, o)

LANES_INLINE four_bits all_finite(const double *y, int count, int o) {
    four a = {0}, b = {0};
    int i = 0;
    for (; i + 2 <= count; i += 2) {
        a += 0 * at(y, i);
        b += 0 * at(y, i + 1);
    }
    if (i < count)
        a += 0 * at(y, i);
    return (a + b) == 0;
}

// as direct_sure and direct_clear
LANES_INLINE four_bits is_sure(const double *checks, bool added, int o) {
    four mass = at(checks, DIRECT_MASS), schur = at(checks, DIRECT_SCHUR);
    four_bits sure = (mass > MASS_DOUBTFUL) & (schur > GRAM_CLEAR) &
                     (at(checks, DIRECT_GRAM) > DIRECT_REMAINDER) & (at(checks, DIRECT_SIGN) > 0);
    return added ? sure : sure & (mass > DIRECT_CLEAR) & (schur > DIRECT_CLEAR);
}

LANES_INLINE void check(const abreast *w, const double *gram, const double *usual, double *least_gram,
                        double *fine, double *doubt, int o) {
    const trm_system *sys = w->sys;
    const double *y = w->stages[STAGE_DYNAMICS].y, *x = y + (long)sys->direct_at * LANES;
    const double *checks = x + (long)(w->n + w->m) * LANES, *square = checks + DIRECT_CHECKS * LANES;
    four here = at(checks, DIRECT_GRAM);
    four_bits good = is_sure(checks, sys->direct_added, o) & all_finite(x, w->n + w->m, o);
    good &= at(fine, 0) != 0;
    if (!sys->mech->constant_mass)
        good &= all_finite(y, sys->power_at, o);
    if (w->m > 0) {
        four least = here * (1 + 1e-11); // of squares: a little more than run_nearness_by asks for
        good &= here > at(gram, 0);
        four_bits longer = good;
        for (int i = 0; i < w->m; i++)
            longer &= at(square, i) > least * at(usual, i);
        four_put(doubt, 0, o, four_flags(good & ~longer));
        four_put(least_gram, 0, o, four_choose(here < at(least_gram, 0), here, at(least_gram, 0)));
    }
    four_put(fine, 0, o, four_flags(good));
}

#define CHECKS(name, level)                                                                                  \
    level static void name##_check(const abreast *w, const double *gram, const double *usual,                \
                                   double *least_gram, double *fine, double *doubt) {                        \
        check(w, gram, usual, least_gram, fine, doubt, 0);                                                   \
        check(w, gram, usual, least_gram, fine, doubt, 4);                                                   \
    }

CHECKS(plain, )
#ifdef __x86_64__
CHECKS(avx2, LANES_AVX2)
#endif

static abreast_checks *checks_here(void) {
#ifdef __x86_64__
    if (native_chosen() >= PATH_AVX2)
        return avx2_check;
#endif
    return plain_check;
}

// ---- states

abreast *abreast_new(arena *a, const trm_system *sys, const trm_state *st) {
    abreast *w = arena_alloc(a, sizeof *w);
    *w = (abreast){.sys = sys, .n = sys->n, .m = sys->m, .check = checks_here()};
    w->projects = is_quick(&sys->position, st->position) && is_quick(&sys->velocity, st->velocity);
    w->x = lanes_room(a, (size_t)sys->x_size);
    for (int i = 0; i < USED; i++) {
        abreast_stage *s = &w->stages[used[i]];
        const kernel *k = is_needed(sys, used[i]) ? kernel_of(sys, used[i]) : NULL;
        s->kernel = k ? kernel_alike(a, k) : NULL;
        if (k && s->kernel == NULL)
            return NULL;
        s->y = lanes_room(a, (size_t)sys->stages[used[i]].y_size);
        s->work = k ? lanes_room(a, kernel_lanes_work_size(s->kernel) / LANES) : NULL;
    }
    w->position = solver_for(a, sys, &sys->position, st->position);
    w->velocity = solver_for(a, sys, &sys->velocity, st->velocity);
    for (int l = 0; l < LANES; l++)
        abreast_take(w, l, sys, st);
    return w;
}

static bool same_pattern(sparsity a, sparsity b) {
    size_t rows = (size_t)a.rows + 1;
    return a.rows == b.rows && memcmp(a.start, b.start, rows * sizeof *a.start) == 0 &&
           memcmp(a.to, b.to, (size_t)sparsity_entries(a) * sizeof *a.to) == 0;
}

static bool same_scale(const trm_system *a, const trm_system *b) {
    const double *one = a->natural->units, *other = b->natural->units;
    return (one == NULL) == (other == NULL) && (!one || !memcmp(one, other, (size_t)a->n * sizeof *one));
}

static bool same_level(const system_level *a, const system_level *b) {
    return a->m == b->m && a->residual_at == b->residual_at && a->A_at == b->A_at && a->direct == b->direct &&
           (!a->direct || a->step_at == b->step_at) && same_pattern(a->A, b->A);
}

static bool same_works(const trm_system *a, const trm_system *b) {
    return a->work_count == b->work_count &&
           (a->work_count == 0 || memcmp(a->works, b->works, (size_t)a->work_count * sizeof *a->works) == 0);
}

bool abreast_is_like(const abreast *w, const trm_system *sys, const trm_state *st) {
    const trm_system *first = w->sys;
    bool same = first->n == sys->n && first->m == sys->m && first->x_size == sys->x_size &&
                first->x_q == sys->x_q && first->x_v == sys->x_v && first->direct_at == sys->direct_at &&
                first->power_at == sys->power_at && first->A_at == sys->A_at && same_works(first, sys) &&
                (first->direct_added == NULL) == (sys->direct_added == NULL) &&
                first->mech->constant_mass == sys->mech->constant_mass;
    for (int i = 0; same && i < USED; i++)
        same =
            !is_needed(sys, used[i]) ||
            (w->stages[used[i]].kernel && kernel_is_same(w->stages[used[i]].kernel, kernel_of(sys, used[i])));
    return same && same_level(&first->position, &sys->position) &&
           same_level(&first->velocity, &sys->velocity) && same_pattern(first->M, sys->M) &&
           same_scale(first, sys) &&
           w->projects == (is_quick(&sys->position, st->position) && is_quick(&sys->velocity, st->velocity));
}

void abreast_take(abreast *w, int lane, const trm_system *sys, const trm_state *st) {
    w->sys = sys;
    for (int i = 0; i < sys->x_size; i++)
        w->x[i * LANES + lane] = st->x[i];
    for (int i = 0; i < USED; i++) {
        const abreast_stage *s = &w->stages[used[i]];
        const double *work = s->kernel ? st->work[used[i]] + sys->stages[used[i]].groups.at[0].work : NULL;
        if (work)
            kernel_alike_prepare(s->kernel, lane, work, s->work);
    }
}

void abreast_run(const abreast *w, stage_kind which) {
    const abreast_stage *s = &w->stages[which];
    kernel_lanes_run(s->kernel, w->x, s->y, s->work);
}

const double *abreast_found(const abreast *w) {
    return w->stages[STAGE_DYNAMICS].y + (size_t)w->sys->direct_at * LANES;
}

void abreast_powers(const abreast *w, double *out) {
    const trm_system *sys = w->sys;
    const double *y = w->stages[STAGE_DYNAMICS].y, *lambda = abreast_found(w) + (size_t)w->n * LANES;
    const double *A = y + (size_t)sys->A_at * LANES, *v = w->x + (size_t)sys->x_v * LANES;
    for (int i = 0; i < sys->work_count; i++, out += LANES) {
        const system_work *k = &sys->works[i];
        if (k->kind != WORK_ROW) {
            memcpy(out, y + (size_t)(sys->power_at + i) * LANES, LANES * sizeof *out);
            continue;
        }
        memset(out, 0, LANES * sizeof *out);
        for (int e = k->of < 0 ? 0 : sys->A.start[k->of]; k->of >= 0 && e < sys->A.start[k->of + 1]; e++)
            for (int l = 0; l < LANES; l++)
                out[l] += A[e * LANES + l] * v[sys->A.to[e] * LANES + l];
        for (int l = 0; k->of >= 0 && l < LANES; l++)
            out[l] *= lambda[k->of * LANES + l];
    }
}

double abreast_give_rows(const abreast *w, int lane, trm_state *st) {
    const trm_system *sys = w->sys;
    const double *A = w->stages[STAGE_DYNAMICS].y + (size_t)sys->A_at * LANES + lane;
    for (int e = 0; e < sparsity_entries(sys->A); e++)
        st->A[e] = A[e * LANES];
    st->direct = true;
    return sqrt(abreast_found(w)[(w->n + w->m + DIRECT_GRAM) * LANES + lane]);
}

void abreast_count(trm_state *st, int evaluations) {
    st->found.evaluations += evaluations;
    st->direct = true;
}
