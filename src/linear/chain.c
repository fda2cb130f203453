/* Parts one after the other or by threads, and the rows that stay between them. A part goes through several
 * steps while it is in the cache: what a chain of a million rows costs is what it takes to read its arrays.
 */
#include "linear/chain_inside.h"

#include "linear/accuracy.h"

#include <math.h>
#include <string.h>

enum { PARTS_WORTH_THREADS = 16, COORDINATES = 4096 };

typedef struct {
    chain *c;
    const double *Q, *b;
    double *x, *multiplier;
    bool first; // nothing is in multiplier yet
    bool look;  // at the rows afterwards
} task;

/* ---- rows run by run ---- */

typedef struct {
    int r, to; // rows of the run at hand
    int end, run;
} stretch;

static stretch rows_of(const chain_part *p, int from, int end) {
    return (stretch){.to = from, .end = end, .run = p->run};
}

static const chain_run *next_run(const chain *c, stretch *s) {
    s->r = s->to;
    if (s->r >= s->end)
        return NULL;
    while (c->runs.at[s->run].to <= s->r)
        s->run++;
    const chain_run *u = &c->runs.at[s->run];
    s->to = u->to < s->end ? u->to : s->end;
    return u;
}

static int end_of(const chain_part *p) {
    return p->first + LANES * p->length;
}

/* ---- factorisation ---- */

static void factor_part(void *context, int i) {
    chain *c = ((task *)context)->c;
    const chain_part *p = &c->part[i];
    double D[CHAIN_PART], E[CHAIN_PART], square[CHAIN_PART];
    stretch s = rows_of(p, p->first, end_of(p));
    for (const chain_run *u; (u = next_run(c, &s));) {
        int at = s.r - p->first;
        c->by->gram(c, u, s.r, s.to, D + at, E + at, square + at);
    }
    c->by->eliminate(c, p, D, E, square, &c->ends[i]);
}

// one more of the rows that stay
static bool eliminate_left(chain *c, int j, double diagonal, double taken, double coupling, double square,
                           chain_pivots *found) {
    double m = j ? coupling * c->inverse[j - 1] : 0, pivot = diagonal - taken - m * coupling;
    c->coupling[j] = coupling;
    c->inverse[j] = 1 / pivot;
    found->smallest = fmin(found->smallest, pivot / diagonal);
    found->most = fmax(found->most, square / pivot);
    return pivot > 0;
}

static bool factor_left(chain *c, chain_pivots *found) {
    bool sure = true;
    int j = 0;
    for (; j < LANES * c->parts; j++) {
        const chain_ends *e = &c->ends[j / LANES];
        int l = j % LANES;
        double taken = e->last[l];
        if (j + 1 < LANES * c->parts)
            taken += c->ends[(j + 1) / LANES].before[(j + 1) % LANES];
        sure &= e->sure && eliminate_left(c, j, e->diagonal[l], taken, e->coupling[l], e->square[l], found);
        found->smallest = fmin(found->smallest, e->smallest);
        found->most = fmax(found->most, e->most);
    }
    for (int r = c->rest; r < c->m; r++, j++) {
        double D, E, square;
        chain_gram(c, r, &D, &E, &square);
        sure &= square > CHAIN_SQUARE_LEAST && square < CHAIN_SQUARE_MOST &&
                eliminate_left(c, j, D, 0, E, square, found);
    }
    return sure;
}

bool chain_factor(chain *c, const double *A, const double *mobility, team *t, chain_pivots *found) {
    task all = {.c = c};
    c->A = A;
    c->mobility = mobility;
    *found = (chain_pivots){1, 0};
    team_run(t, c->parts, factor_part, &all);
    return factor_left(c, found) && isfinite(found->most);
}

/* ---- solution ---- */

static void accelerate_freely(void *context, int i) { // x = M^-1 Q, a few coordinates
    const task *t = context;
    int begin = i * COORDINATES, end = t->c->n - begin < COORDINATES ? t->c->n : begin + COORDINATES;
    for (int j = begin; j < end; j++)
        t->x[j] = t->Q[j] * t->c->mobility[j];
}

/* What the rows of a part are off by, but for the last one, whose coordinates may be another part's; and what
 * that leaves for the rows that stay. */
static void forward_rows(const task *t, int i) {
    chain *c = t->c;
    const chain_part *p = &c->part[i];
    chain_look now = {.near = true};
    double R[CHAIN_PART];
    stretch s = rows_of(p, p->first, end_of(p) - 1);
    for (const chain_run *u; (u = next_run(c, &s));)
        c->by->residual(c, u, s.r, s.to, t->b, t->x, R + s.r - p->first, &now);
    R[LANES * p->length - 1] = 0;
    c->by->forward(c, p, R, &c->ends[i]);
    c->ends[i].now = now;
}

static void forward_part(void *context, int i) {
    forward_rows(context, i);
}

// right-hand sides of the rows that stay; what is known of all rows
static chain_look gather_left(chain *c, const task *t) {
    double *g = c->stay + 1;
    chain_look now = {.near = true};
    int j = 0, ends = LANES * c->parts;
    for (; j < ends; j++) {
        const chain_ends *e = &c->ends[j / LANES];
        g[j] = e->right[j % LANES];
        if (j + 1 < ends)
            g[j] -= c->ends[(j + 1) / LANES].right_before[(j + 1) % LANES];
        if (j % LANES < LANES - 1)
            continue;
        g[j] += chain_residual(c, end_of(&c->part[j / LANES]) - 1, t->b, t->x, &now);
        now.near &= e->now.near;
        now.size += e->now.size;
    }
    for (int r = c->rest; r < c->m; r++, j++)
        g[j] = chain_residual(c, r, t->b, t->x, &now);
    return now;
}

// l of the rows that stay; R'P R of all rows
static double solve_left(chain *c) {
    double change = 0, *g = c->stay + 1;
    for (int p = 0; p < c->parts; p++)
        change += c->ends[p].change;
    for (int j = 0; j < c->left; j++) {
        g[j] -= j ? c->coupling[j] * c->inverse[j - 1] * g[j - 1] : 0;
        change += g[j] * c->inverse[j] * g[j];
    }
    for (int j = c->left - 1; j >= 0; j--)
        g[j] = (g[j] - (j + 1 < c->left ? c->coupling[j + 1] * g[j + 1] : 0)) * c->inverse[j];
    return change;
}

static void keep(const task *t, int from, int to, const double *l) {
    for (int r = from; r < to; r++)
        t->multiplier[t->c->row[r]] = l[r - from] + (t->first ? 0 : t->multiplier[t->c->row[r]]);
}

/* Rows that share coordinates are neighbours. Those that a part shares with the one before are its own, so
 * that it knows x at all its rows but the last. */
static void backward_part(void *context, int i) {
    const task *t = context;
    chain *c = t->c;
    const chain_part *p = &c->part[i];
    const double *stay = c->stay + LANES * (long)i;
    double l[CHAIN_PART];
    int last = end_of(p) - 1;
    c->by->backward(c, p, stay, l);
    keep(t, p->first, last + 1, l);
    if (i > 0)
        chain_add(c, p->first - 1, stay[0], SHARED, t->x);
    stretch s = rows_of(p, p->first, last);
    for (const chain_run *u; (u = next_run(c, &s));)
        c->by->add(c, u, s.r, s.to, l + s.r - p->first, t->x);
    chain_add(c, last, l[last - p->first], OWN, t->x);
    if (t->look)
        forward_rows(t, i);
}

// the rows after all parts
static void backward_rest(const task *t) {
    chain *c = t->c;
    const double *l = c->stay + 1 + LANES * (long)c->parts;
    keep(t, c->rest, c->m, l);
    if (c->parts)
        chain_add(c, c->rest - 1, l[-1], SHARED, t->x);
    for (int r = c->rest; r < c->m; r++)
        chain_add(c, r, l[r - c->rest], EVERY, t->x);
}

/* x + M^-1 A'dl keeps M x = Q + A'l to rounding, so that only the rows can be off: they are looked at while
 * the part is at hand. The change dx of x has dx'M dx = R'P R. */
void chain_solve(chain *c, const double *Q, const double *b, double lightest, team *t, double *x,
                 double *multiplier) {
    task all = {c, Q, b, x, multiplier, .first = true, .look = true};
    team_run(t, (c->n + COORDINATES - 1) / COORDINATES, accelerate_freely, &all);
    team_run(t, c->parts, forward_part, &all);
    for (int pass = 0; pass <= REFINEMENTS && all.look; pass++) {
        chain_look now = gather_left(c, &all);
        if (pass > 0 && now.near)
            return;
        double change = solve_left(c);
        all.look = pass == 0 || change > REFINED * REFINED * lightest * now.size;
        team_run(t, c->parts, backward_part, &all);
        backward_rest(&all);
        all.first = false;
    }
}

/* ---- questions ---- */

double chain_remainder(const chain *c, int row) {
    int r = c->where[row], stay = r < c->rest ? -1 : r - c->rest + LANES * c->parts;
    int p = stay < 0 ? r / (LANES * c->part[0].length) : 0; // the first parts are the longest
    while (stay < 0 && end_of(&c->part[p]) <= r)
        p++;
    double inverse;
    if (stay < 0) {
        int lane = (r - c->part[p].first) / c->part[p].length, i = (r - c->part[p].first) % c->part[p].length;
        stay = i == c->part[p].length - 1 ? LANES * p + lane : -1;
        inverse = c->P[c->part[p].first + LANES * (long)i + lane];
    }
    if (stay >= 0)
        inverse = c->inverse[stay];
    double length = row_norm(c->A_pattern, c->A, row);
    return sqrt(fmin(1, 1 / (inverse * length * length)));
}

bool chain_has_parts(const chain *c) {
    return c->parts >= PARTS_WORTH_THREADS;
}
