/* The same methods where the first half of y' is the second half of y (ode.accelerate), as of positions and
 * velocities: q' = v, v' = a. Then a stage's slope of q is its v, which is a sum of accelerations,
 *
 *     v_j = v + h sum_l a_jl k_l,   sum_j w_j v_j = v sum_j w_j + h sum_l (sum_j w_j a_jl) k_l
 *
 * so that accelerations are all that is kept of a stage, and all sums are over these: half the memory, and of
 * a chain of 1e5 particles 187 bytes read and written per particle and evaluation in place of 251. v at the
 * end of the step, after projection, stands for stage s. */
#include "motion/rk_inside.h"

#include "base/lanes.h"
#include "code/native.h"

#include <string.h>

enum { PART = 8192 }; // components in a part of the work; the last one is longer

static int parts(const integrator *self) {
    int half = self->system.size / 2;
    return half < PART ? 1 : half / PART;
}

static int end_of(const integrator *self, int part) {
    return part + 1 < parts(self) ? (part + 1) * PART : self->system.size / 2;
}

// the row w of weights: those of all accelerations, and what they are for q
static rk_second_row second_row(const rk_method *m, const double *w) {
    rk_second_row r = {.end = w[m->stages]};
    for (int l = 0; l < RK_STAGES; l++) {
        double of_q = 0;
        for (int j = 0; j < RK_STAGES; j++)
            of_q += j == m->stages ? 0 : w[j] * m->a[j][l];
        r.start += l == m->stages ? 0 : w[l];
        if (w[l] == 0 && of_q == 0)
            continue;
        r.stage[r.count] = l;
        r.weight[r.count] = w[l];
        r.of_q[r.count++] = of_q;
    }
    return r;
}

bool rk_second_uses(const rk_method *m, const double *w, int stage) {
    rk_second_row r = second_row(m, w);
    for (int i = 0; i < r.count; i++)
        if (r.stage[i] == stage)
            return true;
    return false;
}

/* ---- loops ---- */

typedef struct {
    const integrator *self;
    const rk_second_row *r;
    double scale;
    const double *y;
    double *out;
} task;

// sums over the accelerations of the components from i on, for v and for q
LANES_INLINE void sums(const integrator *self, const rk_second_row *r, int i, lanes *v, lanes *q) {
    lanes of_v = {0}, of_q = {0};
    for (int j = 0; j < r->count; j++) {
        lanes k = lanes_load(self->k[r->stage[j]] + self->system.size / 2 + i);
        of_v += r->weight[j] * k;
        of_q += r->of_q[j] * k;
    }
    *v = of_v;
    *q = of_q;
}

LANES_INLINE void combine(const task *t, int from, int to) {
    const integrator *self = t->self;
    const rk_second_row *r = t->r;
    int half = self->system.size / 2;
    const double *v0 = self->y0 + half, *v1 = self->y + half;
    for (int next = from; next < to; next += LANES) {
        int i = next + LANES <= to ? next : to - LANES; // the last ones perhaps twice
        lanes v, q, slope, none = {0};
        sums(self, r, i, &v, &q);
        slope = r->start * lanes_load(v0 + i) + self->step * q;
        if (r->end != 0)
            slope += r->end * lanes_load(v1 + i);
        lanes_store(t->out + i, (t->y ? lanes_load(t->y + i) : none) + t->scale * slope);
        lanes_store(t->out + half + i, (t->y ? lanes_load(t->y + half + i) : none) + t->scale * v);
    }
}

// 1 / (tol (floor + max(|y0|, |y1|))) of the components from i on; what is not finite in y1
LANES_INLINE lanes scale_at(const integrator *self, int i, lanes *finite) {
    lanes a = lanes_size(lanes_load(self->y0 + i)), y = lanes_load(self->y + i);
    *finite += 0 * y;
    return 1 / (self->tolerance * (lanes_load(self->floor + i) + lanes_larger(a, lanes_size(y))));
}

static const lane_bits ORDER = {0, 1, 2, 3, 4, 5, 6, 7};

// mean squares, and what is not finite, to sum (RK_ERRORS + 1)
LANES_INLINE void add_errors(const task *t, int from, int to, double *sum) {
    const integrator *self = t->self;
    int half = self->system.size / 2;
    lanes square[RK_ERRORS] = {0}, finite = {0};
    for (int next = from; next < to; next += LANES) {
        int i = next + LANES <= to ? next : to - LANES;
        lanes once = (lanes)((lane_bits)(1 + (lanes){0}) & (ORDER >= next - i));
        lanes v, q, scale_q = scale_at(self, i, &finite), scale_v = scale_at(self, half + i, &finite);
        lanes moved = lanes_load(self->y + half + i) - lanes_load(self->y0 + half + i);
        for (int set = 0; set < self->method->errors; set++) {
            const rk_second_row *r = &self->second_e[set];
            sums(self, r, i, &v, &q);
            lanes of_q = (self->step * q + r->end * moved) * scale_q, of_v = v * scale_v;
            square[set] += once * (of_q * of_q + of_v * of_v);
        }
    }
    for (int set = 0; set < RK_ERRORS; set++)
        sum[set] += lanes_total(square[set]);
    sum[RK_ERRORS] += lanes_total(finite);
}

#define LOOPS(name, level)                                                                                   \
    level static void name##_combine(const task *t, int from, int to) {                                      \
        combine(t, from, to);                                                                                \
    }                                                                                                        \
    level static void name##_errors(const task *t, int from, int to, double *sum) {                          \
        add_errors(t, from, to, sum);                                                                        \
    }

LOOPS(plain, )
#ifdef __x86_64__
LOOPS(avx2, LANES_AVX2)
LOOPS(avx512, LANES_AVX512)
#endif

typedef struct rk_loops {
    void (*combine)(const task *t, int from, int to);
    void (*errors)(const task *t, int from, int to, double *sum);
} rk_loops;

static const rk_loops *loops_here(void) {
    static const rk_loops any = {plain_combine, plain_errors};
#ifdef __x86_64__
    static const rk_loops by_avx2 = {avx2_combine, avx2_errors}, by_avx512 = {avx512_combine, avx512_errors};
    native_path path = native_chosen();
    if (path >= PATH_AVX2)
        return path == PATH_AVX512 ? &by_avx512 : &by_avx2;
#endif
    return &any;
}

/* ---- parts ---- */

static void combine_part(void *context, int part) {
    const task *t = context;
    t->self->loops->combine(t, part * PART, end_of(t->self, part));
}

void rk_second_combine(const integrator *self, const rk_second_row *r, double scale, const double *y,
                       double *out) {
    task t = {self, r, scale, y, out};
    team_run(self->system.team, parts(self), combine_part, &t);
}

static void errors_of_part(void *context, int part) {
    const task *t = context;
    double *sum = t->self->second_sums + part * (RK_ERRORS + 1);
    memset(sum, 0, (RK_ERRORS + 1) * sizeof *sum);
    t->self->loops->errors(t, part * PART, end_of(t->self, part), sum);
}

bool rk_second_errors(const integrator *self, double *square) {
    double finite = 0;
    task t = {.self = self};
    team_run(self->system.team, parts(self), errors_of_part, &t);
    memset(square, 0, RK_ERRORS * sizeof *square);
    for (int part = 0; part < parts(self); part++) {
        const double *sum = self->second_sums + part * (RK_ERRORS + 1);
        for (int set = 0; set < RK_ERRORS; set++)
            square[set] += sum[set] / self->system.size;
        finite += sum[RK_ERRORS];
    }
    return finite == 0;
}

void rk_second_create(arena *a, integrator *self) {
    const rk_method *m = self->method;
    self->loops = loops_here();
    self->second_sums = arena_doubles(a, (size_t)parts(self) * (RK_ERRORS + 1));
    for (int i = 0; i < RK_STAGES; i++)
        self->second_a[i] = second_row(m, m->a[i]);
    for (int i = 0; i < m->errors; i++) {
        self->second_e[i] = second_row(m, m->e[i]);
        self->second_e[i].start = -self->second_e[i].end; // the sum of all is 0, but for rounding
    }
    for (int i = 0; i < m->terms; i++)
        self->second_d[i] = second_row(m, m->d[i]);
}
