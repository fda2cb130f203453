/* The loops over the rows of a chain, eight at a time: neighbours where rows do not wait for each other, one
 * of each segment where they do. One text for all processors: vectors of eight, which the compiler cuts to
 * what there is. No operation is fused, so that all give the same bits. */
#include "linear/chain_inside.h"

#include "base/lanes.h"

#include <float.h>
#include <math.h>

/* Rows this near need no refinement: rounding of x alone leaves a part of it. */
static const double ENOUGH = 16 * DBL_EPSILON;
// entry i of eight rows of four, which stand one after the other, to column[i]
LANES_INLINE void take_fours(const double *A, lanes *column) {
    lanes a = lanes_load(A), b = lanes_load(A + 8), c = lanes_load(A + 16), d = lanes_load(A + 24);
    lanes ab = LANES_SHUFFLE(a, b, 0, 4, 8, 12, 1, 5, 9, 13),
          cd = LANES_SHUFFLE(c, d, 0, 4, 8, 12, 1, 5, 9, 13);
    column[0] = LANES_SHUFFLE(ab, cd, 0, 1, 2, 3, 8, 9, 10, 11);
    column[1] = LANES_SHUFFLE(ab, cd, 4, 5, 6, 7, 12, 13, 14, 15);
    ab = LANES_SHUFFLE(a, b, 2, 6, 10, 14, 3, 7, 11, 15),
    cd = LANES_SHUFFLE(c, d, 2, 6, 10, 14, 3, 7, 11, 15);
    column[2] = LANES_SHUFFLE(ab, cd, 0, 1, 2, 3, 8, 9, 10, 11);
    column[3] = LANES_SHUFFLE(ab, cd, 4, 5, 6, 7, 12, 13, 14, 15);
}

/* ---- rows one by one ---- */

void chain_gram(const chain *c, int r, double *D, double *E, double *square) {
    const sparsity *p = &c->A_pattern;
    int row = c->row[r], before = r > 0 ? c->row[r - 1] : row;
    *D = *E = *square = 0;
    for (int e = p->start[row]; e < p->start[row + 1]; e++) {
        *square += c->A[e] * c->A[e];
        *D += c->A[e] * c->A[e] * c->mobility[p->to[e]];
        for (int z = p->start[before]; r > 0 && z < p->start[before + 1]; z++)
            if (p->to[z] == p->to[e])
                *E += c->A[e] * c->A[z] * c->mobility[p->to[e]];
    }
}

// the power of two that brings a row to a length between 1/2 and 1
static double unit_power(double square) {
    int64_t at;
    memcpy(&at, &square, sizeof at);
    at = (1535 - (((at >> 52) + 3) >> 1)) << 52;
    memcpy(&square, &at, sizeof square);
    return square;
}

static bool is_in_next(const chain *c, int r, int coordinate) {
    const sparsity *p = &c->A_pattern;
    int next = r + 1 < c->m ? c->row[r + 1] : -1;
    for (int e = next < 0 ? 0 : p->start[next]; next >= 0 && e < p->start[next + 1]; e++)
        if (p->to[e] == coordinate)
            return true;
    return false;
}

double chain_residual(const chain *c, int r, const double *b, const double *x, chain_look *now) {
    const sparsity *p = &c->A_pattern;
    int row = c->row[r];
    double square = 0, rest = b[row], beside = 0;
    for (int e = p->start[row]; e < p->start[row + 1]; e++) {
        double x_e = x[p->to[e]];
        rest -= c->A[e] * x_e;
        beside += fabs(x_e);
        square += c->A[e] * c->A[e];
        now->size += x_e * x_e;
    }
    double unit = unit_power(square);
    now->near &= fabs(rest) * unit <= ENOUGH * (beside + unit * fabs(b[row]));
    return rest;
}

void chain_add(const chain *c, int r, double l, chain_share share, double *x) {
    const sparsity *p = &c->A_pattern;
    for (int e = p->start[c->row[r]]; e < p->start[c->row[r] + 1]; e++)
        if (share == EVERY || (share == SHARED) == is_in_next(c, r, p->to[e]))
            x[p->to[e]] += c->A[e] * c->mobility[p->to[e]] * l;
}

// rows r .. of a run by eights up to the last one that fits; the others one by one
LANES_INLINE int by_eights(const chain_run *u, int from, int to) {
    return u->width ? from + (to - from) / LANES * LANES : from;
}

// entry i of the rows r .. r + 7 to column[i]
LANES_INLINE void take_entries(const chain *c, const chain_run *u, int r, lanes *column) {
    const double *A = c->A + u->A_at + (r - u->from) * (long)u->A_step;
    if (u->width == 4 && u->A_step == 4)
        take_fours(A, column);
    else
        for (int i = 0; i < u->width; i++)
            column[i] = lanes_take(A + i, u->A_step);
}

/* ---- the matrix ---- */

LANES_INLINE void gram_eight(const chain *c, const chain_run *u, int r, double *D, double *E,
                             double *square) {
    long k = r - u->from;
    lanes mine[CHAIN_WIDTH], theirs[CHAIN_WIDTH], light[CHAIN_WIDTH], d = {0}, e = {0}, sum = {0};
    take_entries(c, u, r, mine);
    take_entries(c, u, r - 1, theirs);
    for (int i = 0; i < u->width; i++) {
        light[i] = lanes_take(c->mobility + u->place[i] + k * u->step[i], u->step[i]);
        lanes product = mine[i] * mine[i];
        sum += product;
        d += product * light[i];
    }
    for (int i = 0; i < u->pairs; i++)
        e += mine[u->mine[i]] * theirs[u->theirs[i]] * light[u->mine[i]];
    lanes_store(D, d);
    lanes_store(E, e);
    lanes_store(square, sum);
}

LANES_INLINE void gram(const chain *c, const chain_run *u, int from, int to, double *D, double *E,
                       double *square) {
    int r = from, whole = by_eights(u, from, to);
    if (u->from == from && r < whole) { // the row before it is not alike
        chain_gram(c, r, D, E, square);
        r++;
        whole = r + (to - r) / LANES * LANES;
    }
    for (; r < whole; r += LANES)
        gram_eight(c, u, r, D + r - from, E + r - from, square + r - from);
    if (r > from + LANES && r < to) { // the last ones, some of them once more
        r = to - LANES;
        gram_eight(c, u, r, D + r - from, E + r - from, square + r - from);
        return;
    }
    for (; r < to; r++)
        chain_gram(c, r, D + r - from, E + r - from, square + r - from);
}

/* Rows 0 .. length - 2 of each segment, from its beginning:
 *
 *     m = E_i / D_(i-1),   D_i -= m E_i,   G_i = - m G_(i-1),   G_0 = E_0
 *
 * with G the coupling to the row that stays before it, from whose diagonal G_i^2 / D_i is taken. */
LANES_INLINE void eliminate(chain *c, const chain_part *p, const double *D, const double *E,
                            const double *square, chain_ends *ends) {
    int K = p->length;
    lanes pivot = {0}, g = {0}, e, d, s, before = {0}, worst = {0}, most = {0};
    lane_bits sure = ~(lane_bits){0};
    for (int i = 0; i < K - 1; i++) {
        long at = p->first + LANES * (long)i;
        e = lanes_take(E + i, K);
        d = lanes_take(D + i, K);
        s = lanes_take(square + i, K);
        lanes m = e * pivot;
        g = i ? -m * g : e;
        pivot = 1 / (d - m * e);
        lanes_store(c->E + at, e);
        lanes_store(c->G + at, g);
        lanes_store(c->P + at, pivot);
        before += g * pivot * g;
        worst = lanes_larger(worst, d * pivot);
        most = lanes_larger(most, s * pivot);
        sure &= (pivot > 0) & (s > CHAIN_SQUARE_LEAST) & (s < CHAIN_SQUARE_MOST);
    }
    e = lanes_take(E + K - 1, K);
    d = lanes_take(D + K - 1, K);
    s = lanes_take(square + K - 1, K);
    lanes_store(c->E + p->first + LANES * (long)(K - 1), e);
    for (int l = 0; l < LANES; l++) {
        ends->before[l] = before[l];
        ends->last[l] = e[l] * pivot[l] * e[l];
        ends->coupling[l] = K > 1 ? -e[l] * pivot[l] * g[l] : e[l];
        ends->diagonal[l] = d[l];
        ends->square[l] = s[l];
    }
    ends->smallest = 1 / fmax(1, lanes_largest(worst));
    ends->most = lanes_largest(most);
    ends->sure = lanes_all(sure & (s > CHAIN_SQUARE_LEAST) & (s < CHAIN_SQUARE_MOST));
}

/* ---- right-hand sides ---- */

typedef struct {
    lane_bits near;
    lanes size;
} lane_look;

LANES_INLINE lanes residual_eight(const chain *c, const chain_run *u, int r, const double *b, const double *x,
                                  lane_look *now) {
    long k = r - u->from;
    lanes A[CHAIN_WIDTH], given = lanes_take(b + u->row + k * u->row_step, u->row_step), rest = given;
    lanes square = {0}, beside = {0};
    take_entries(c, u, r, A);
    for (int i = 0; i < u->width; i++) {
        lanes x_i = lanes_take(x + u->place[i] + k * u->step[i], u->step[i]);
        rest -= A[i] * x_i;
        square += A[i] * A[i];
        beside += lanes_size(x_i);
        now->size += x_i * x_i;
    }
    lanes unit = (lanes)((1535 - ((((lane_bits)square >> 52) + 3) >> 1)) << 52); // as unit_power
    now->near &= lanes_size(rest) * unit <= ENOUGH * (beside + unit * lanes_size(given));
    return rest;
}

// the last rows are looked at twice where they are fewer than eight: that they count twice does not matter
LANES_INLINE void residual(const chain *c, const chain_run *u, int from, int to, const double *b,
                           const double *x, double *R, chain_look *now) {
    bool alike = u->width && to - from >= LANES;
    lane_look look = {~(lane_bits){0}, {0}};
    for (int next = from; alike && next < to; next += LANES) {
        int r = next + LANES <= to ? next : to - LANES;
        lanes_store(R + r - from, residual_eight(c, u, r, b, x, &look));
    }
    now->near &= lanes_all(look.near);
    now->size += lanes_total(look.size);
    for (int r = from; !alike && r < to; r++)
        R[r - from] = chain_residual(c, r, b, x, now);
}

LANES_INLINE void forward(chain *c, const chain_part *p, const double *R, chain_ends *ends) {
    int K = p->length;
    lanes pivot = {0}, rest = {0}, e = {0}, g, before = {0}, change = {0}, right;
    for (int i = 0; i < K - 1; i++) {
        long at = p->first + LANES * (long)i;
        right = lanes_take(R + i, K);
        e = lanes_load(c->E + at);
        rest = right - e * pivot * rest;
        g = lanes_load(c->G + at);
        pivot = lanes_load(c->P + at);
        lanes_store(c->R + at, rest);
        before += g * pivot * rest;
        change += rest * pivot * rest;
    }
    right = lanes_take(R + K - 1, K);
    e = lanes_load(c->E + p->first + LANES * (long)(K - 1));
    ends->change = 0;
    for (int l = 0; l < LANES; l++) {
        ends->right_before[l] = before[l];
        ends->right[l] = right[l] - e[l] * pivot[l] * rest[l];
        ends->change += change[l];
    }
}

LANES_INLINE void backward(const chain *c, const chain_part *p, const double *stay, double *l) {
    int K = p->length;
    lanes before, next, e, g, pivot, rest;
    before = lanes_load(stay);
    next = lanes_load(stay + 1);
    lanes_give(next, l + K - 1, K);
    for (int i = K - 2; i >= 0; i--) {
        long at = p->first + LANES * (long)i;
        e = lanes_load(c->E + at + LANES);
        g = lanes_load(c->G + at);
        pivot = lanes_load(c->P + at);
        rest = lanes_load(c->R + at);
        next = (rest - e * next - g * before) * pivot;
        lanes_give(next, l + i, K);
    }
}

/* ---- accelerations ---- */

enum { GROUP = 128 }; // rows

/* Products first, then entry by entry: of one entry, no two rows have the same coordinate, and of several one
 * would have to wait until the other is written. */
LANES_INLINE void add_group(const chain *c, const chain_run *u, int from, int to, const double *l,
                            double *x) {
    double product[CHAIN_WIDTH][GROUP];
    for (int r = from; r < to; r += LANES) {
        lanes A[CHAIN_WIDTH], l_r = lanes_load(l + r - from);
        take_entries(c, u, r, A);
        for (int i = 0; i < u->width; i++)
            lanes_store(&product[i][r - from], A[i] * l_r);
    }
    for (int i = 0; i < u->width; i++) {
        long at = u->place[i] + (from - u->from) * (long)u->step[i], step = u->step[i];
        for (int r = from; r < to; r += LANES, at += LANES * step) {
            lanes change = lanes_load(&product[i][r - from]) * lanes_take(c->mobility + at, step);
            lanes_give(lanes_take(x + at, step) + change, x + at, step);
        }
    }
}

LANES_INLINE void add(const chain *c, const chain_run *u, int from, int to, const double *l, double *x) {
    int r = from, whole = by_eights(u, from, to);
    for (; r < whole; r += GROUP)
        add_group(c, u, r, whole - r < GROUP ? whole : r + GROUP, l + r - from, x);
    for (r = whole; r < to; r++)
        chain_add(c, r, l[r - from], EVERY, x);
}

/* ---- for each processor ---- */

#define LOOPS(name, level)                                                                                   \
    level static void name##_gram(const chain *c, const chain_run *u, int from, int to, double *D,           \
                                  double *E, double *square) {                                               \
        gram(c, u, from, to, D, E, square);                                                                  \
    }                                                                                                        \
    level static void name##_eliminate(chain *c, const chain_part *p, const double *D, const double *E,      \
                                       const double *square, chain_ends *ends) {                             \
        eliminate(c, p, D, E, square, ends);                                                                 \
    }                                                                                                        \
    level static void name##_residual(const chain *c, const chain_run *u, int from, int to, const double *b, \
                                      const double *x, double *R, chain_look *now) {                         \
        residual(c, u, from, to, b, x, R, now);                                                              \
    }                                                                                                        \
    level static void name##_forward(chain *c, const chain_part *p, const double *R, chain_ends *ends) {     \
        forward(c, p, R, ends);                                                                              \
    }                                                                                                        \
    level static void name##_backward(const chain *c, const chain_part *p, const double *stay, double *l) {  \
        backward(c, p, stay, l);                                                                             \
    }                                                                                                        \
    level static void name##_add(const chain *c, const chain_run *u, int from, int to, const double *l,      \
                                 double *x) {                                                                \
        add(c, u, from, to, l, x);                                                                           \
    }                                                                                                        \
    const chain_loops chain_##name = {.gram = name##_gram,                                                   \
                                      .eliminate = name##_eliminate,                                         \
                                      .residual = name##_residual,                                           \
                                      .forward = name##_forward,                                             \
                                      .backward = name##_backward,                                           \
                                      .add = name##_add};

LOOPS(plain, )
#ifdef __x86_64__
LOOPS(avx2, LANES_AVX2)
LOOPS(avx512, LANES_AVX512)
#endif
