/* What sticks and what slips, at random: each answer is held against the conditions of friction, and against
 * all combinations of sticking and slipping. */
#include "solve/friction.h"
#include "support/build.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 5, SIDE = MOST * MOST, INPUTS = 3 * SIDE + 6 * MOST };

static double any(void) {
    return 2.0 * rand() / RAND_MAX - 1;
}

/* k blocks x at rest on floors y, coupled by their masses. Slip i is S_i x', and f_i the force along it:
 *
 *   M x'' = g + S'f,   lambda = C x'' - h,   s' = S x''
 *
 * All numbers are coordinates, so that one system serves for all of them; matrices are k x k. */
typedef struct {
    int k;
    double M[SIDE], C[SIDE], S[SIDE], g[MOST], h[MOST], mu[MOST], rest[MOST];
} blocks;

#define BLOCKS                                                                                               \
    "coord x[1..k], y[1..k], M[1..k*k], C[1..k*k], S[1..k*k], g[1..k], h[1..k], mu[1..k], rest[1..k]\n"      \
    "for i in 1..k*k {\nmass M[i] = 1\nmass C[i] = 1\nmass S[i] = 1\n}\n"                                    \
    "for i in 1..k {\n"                                                                                      \
    "mass x[i] = M[(i - 1)*k + i]\n"                                                                         \
    "for j in 1..i - 1: mass x[i] x[j] = M[(i - 1)*k + j]\n"                                                 \
    "for j in 1..k: mass y[i] x[j] = C[(i - 1)*k + j]\n"                                                     \
    "mass y[i] = 1000\nmass g[i] = 1\nmass h[i] = 1\nmass mu[i] = 1\nmass rest[i] = 1\n"                     \
    "force x[i] = g[i]\nforce y[i] = h[i]\n"                                                                 \
    "constraint floor[i]: y[i] = 0\n"                                                                        \
    "friction floor[i]: mu = mu[i], static = rest[i], slip = sum(j in 1..k: S[(i - 1)*k + j]*x[j]')\n"       \
    "}\n"

static built build_blocks(int k) {
    char given[2000];
    snprintf(given, sizeof given, "param k = %d\n" BLOCKS, k);
    return build(given);
}

// mu = static, static > mu, mu = 0; coupling: how much slip changes what it is pressed with
static blocks any_blocks(int k, double coupling) {
    blocks s = {.k = k};
    for (int i = 0; i < k * k; i++) {
        s.S[i] = any();
        s.C[i] = coupling * any();
        s.M[i] = i % (k + 1) == 0 ? 1 + k * fabs(any()) : 0;
    }
    for (int i = 0; i < k; i++) {
        for (int j = 0; j < i; j++)
            s.M[i * k + j] = s.M[j * k + i] = any() / 2;
        s.g[i] = any();
        s.h[i] = any();
        s.mu[i] = rand() % 6 ? fabs(any()) : 0;
        s.rest[i] = s.mu[i] + (rand() % 2 ? fabs(any()) / 2 : 0);
    }
    return s;
}

static outcome settle(const built *b, const blocks *s) {
    static const double still[INPUTS];
    double q[INPUTS] = {0}, *next = q + 2 * s->k;
    const double *const given[] = {s->M, s->C, s->S, s->g, s->h, s->mu, s->rest};
    for (int i = 0; i < 7; i++) {
        int count = i < 3 ? s->k * s->k : s->k;
        memcpy(next, given[i], (size_t)count * sizeof *q);
        next += count;
    }
    return friction_start(b->sys, b->st, &(moment){0, q, still, false}, 1e-9);
}

// ---- the conditions

// K x = r, small; false if K is singular
static bool eliminate(int n, double K[MOST][MOST], double *x) {
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int i = c; i < n; i++)
            best = fabs(K[i][c]) > fabs(K[best][c]) ? i : best;
        if (fabs(K[best][c]) < 1e-12)
            return false;
        for (int j = 0; j < n; j++) {
            double swap = K[c][j];
            K[c][j] = K[best][j];
            K[best][j] = swap;
        }
        double swap = x[c];
        x[c] = x[best];
        x[best] = swap;
        for (int i = 0; i < n; i++) {
            double factor = i == c ? 0 : K[i][c] / K[c][c];
            for (int j = c; j < n; j++)
                K[i][j] -= factor * K[c][j];
            x[i] -= factor * x[c];
        }
    }
    for (int c = 0; c < n; c++)
        x[c] /= K[c][c];
    return true;
}

static double row(const blocks *s, const double *matrix, int i, const double *x) {
    double sum = 0;
    for (int j = 0; j < s->k; j++)
        sum += matrix[i * s->k + j] * x[j];
    return sum;
}

// x'' under these forces of friction, or without g under them alone
static void accelerate(const blocks *s, bool alone, const double *f, double *x) {
    double K[MOST][MOST];
    for (int i = 0; i < s->k; i++) {
        x[i] = alone ? 0 : s->g[i];
        for (int j = 0; j < s->k; j++) {
            K[i][j] = s->M[i * s->k + j];
            x[i] += s->S[j * s->k + i] * f[j];
        }
    }
    assert_true(eliminate(s->k, K, x));
}

// by how much they are violated, at most
static double violated(const blocks *s, const double *f, const int *mode) {
    double x[MOST], worst = 0;
    accelerate(s, false, f, x);
    for (int i = 0; i < s->k; i++) {
        double N = fabs(row(s, s->C, i, x) - s->h[i]), grows = row(s, s->S, i, x);
        double off = mode[i] == 0 ? fmax(fabs(grows), fabs(f[i]) - s->rest[i] * N)
                                  : fmax(-mode[i] * grows, fabs(f[i] + mode[i] * s->mu[i] * N));
        worst = fmax(worst, off);
    }
    return worst;
}

// ---- all combinations

/* lambda = u + W f, s' = a + V f. With the signs of lambda in the bits of `signs`: f of this combination. */
typedef struct {
    double u[MOST], W[MOST][MOST], a[MOST], V[MOST][MOST];
} small;

static small reduce(const blocks *s) {
    small r;
    double f[MOST] = {0}, x[MOST];
    accelerate(s, false, f, x);
    for (int i = 0; i < s->k; i++) {
        r.u[i] = row(s, s->C, i, x) - s->h[i];
        r.a[i] = row(s, s->S, i, x);
    }
    for (int j = 0; j < s->k; j++) {
        memset(f, 0, sizeof f);
        f[j] = 1;
        accelerate(s, true, f, x);
        for (int i = 0; i < s->k; i++) {
            r.W[i][j] = row(s, s->C, i, x);
            r.V[i][j] = row(s, s->S, i, x);
        }
    }
    return r;
}

static bool forces(const blocks *s, const small *r, const int *mode, int signs, double *f) {
    double K[MOST][MOST];
    for (int i = 0; i < s->k; i++) {
        double c = (signs >> i & 1 ? -1 : 1) * mode[i] * s->mu[i];
        for (int j = 0; j < s->k; j++)
            K[i][j] = mode[i] ? (i == j) + c * r->W[i][j] : r->V[i][j];
        f[i] = mode[i] ? -c * r->u[i] : -r->a[i];
    }
    if (!eliminate(s->k, K, f))
        return false;
    for (int i = 0; i < s->k; i++) {
        double lambda = r->u[i];
        for (int j = 0; j < s->k; j++)
            lambda += r->W[i][j] * f[j];
        if (mode[i] && (signs >> i & 1 ? lambda > 0 : lambda < 0))
            return false;
    }
    return true;
}

// how many sets of reactions go with this combination; f: those of one of them
static int reactions(const blocks *s, const small *r, const int *mode, double *f) {
    int found = 0, slipping = 0;
    double one[MOST];
    for (int i = 0; i < s->k; i++)
        slipping |= (mode[i] != 0) << i;
    for (int signs = 0; signs < 1 << s->k; signs++)
        if ((signs & ~slipping) == 0 && forces(s, r, mode, signs, one)) {
            found++;
            memcpy(f, one, sizeof one);
        }
    return found;
}

/* The smallest violation over all combinations with one set of reactions: 0, up to rounding, if there is a
 * solution. */
static double least_violation(const blocks *s) {
    small r = reduce(s);
    double least = INFINITY, f[MOST];
    int all = (int)lround(pow(3, s->k)), mode[MOST];
    for (int c = 0; c < all; c++) {
        for (int i = 0, rest = c; i < s->k; i++, rest /= 3)
            mode[i] = rest % 3 - 1;
        if (reactions(s, &r, mode, f) == 1)
            least = fmin(least, violated(s, f, mode));
    }
    return least;
}

// ---- held against each other

static double found_violation(const built *b, const blocks *s) {
    double f[MOST], x[MOST];
    int mode[MOST];
    for (int i = 0; i < s->k; i++)
        f[i] = b->st->multiplier[b->model->frictions.at[i].stick_first];
    accelerate(s, false, f, x);
    for (int i = 0; i < s->k; i++)
        mode[i] = friction_sticks(b->st, i) ? 0 : (f[i] != 0 ? f[i] > 0 : row(s, s->S, i, x) < 0) ? -1 : 1;
    return violated(s, f, mode);
}

typedef struct {
    int solved, failed;
    long most; // bases tried for one
} tally;

static outcome settle_counted(const built *b, const blocks *s, tally *t) {
    long before = b->st->found.evaluations;
    outcome found = settle(b, s);
    long tried = b->st->found.evaluations - before;
    t->most = tried > t->most ? tried : t->most;
    t->solved += found.status == SOLVE_OK;
    t->failed += found.status != SOLVE_OK;
    return found;
}

static void hold(const built *b, const blocks *s, tally *t) {
    double least = least_violation(s);
    outcome found = settle_counted(b, s, t);
    if ((least < 1e-9) != (found.status == SOLVE_OK))
        fail_msg("status %d, but of all combinations the best violates by %g", found.status, least);
    if (found.status == SOLVE_OK)
        assert_near(found_violation(b, s), 0, 1e-8);
    else
        assert_true(found.status >= SOLVE_FRICTION_NONE && found.culprit >= 0 && found.culprit < s->k);
}

// all bases are tried where there is no solution, and another without friction; else few
static void as_all_combinations_say(void **state) {
    (void)state;
    static const double couplings[] = {0, 0.5, 3};
    srand(1);
    for (int k = 1; k <= MOST; k++) {
        built b = build_blocks(k);
        for (int c = 0; c < 3; c++) {
            tally t = {0};
            for (int i = 0; i < 200; i++) {
                blocks s = any_blocks(k, couplings[c]);
                hold(&b, &s, &t);
            }
            assert_true(t.solved > 150 && t.most <= lround(pow(3, k)) + 1);
            assert_true(c == 2 ? t.failed > 0 : t.failed == 0 && t.most <= 3 * k);
        }
        demolish(&b);
    }
}

// two frictions on one slip share what holds it, and more than one share is right
static void several_on_one_slip(void **state) {
    (void)state;
    srand(3);
    built b = build_blocks(4);
    tally t = {0};
    for (int i = 0; i < 500; i++) {
        blocks s = any_blocks(4, 0);
        memcpy(s.S + 4, s.S, 4 * sizeof *s.S);
        for (int j = 8; j < 12; j++)
            s.S[j] = s.S[j - 8] + s.S[j + 4];
        assert_int_equal(settle_counted(&b, &s, &t).status, SOLVE_OK);
        assert_near(found_violation(&b, &s), 0, 1e-8);
    }
    demolish(&b);
}

// ---- slips of two components

enum { PUCKS = 3, WAYS = 2 * PUCKS };

typedef struct {
    double M[WAYS][WAYS], C[PUCKS][WAYS], g[WAYS], h[PUCKS], mu, rest;
} pucks;

static built build_pucks(const pucks *s) {
    char given[8000];
    int at = snprintf(given, sizeof given, "coord x[1..%d], y[1..%d]\n", WAYS, PUCKS);
    for (int i = 0; i < WAYS; i++) {
        at += snprintf(given + at, sizeof given - (size_t)at, "mass x[%d] = %.17g\nforce x[%d] = %.17g\n",
                       i + 1, s->M[i][i], i + 1, s->g[i]);
        for (int j = 0; j < i; j++)
            at += snprintf(given + at, sizeof given - (size_t)at, "mass x[%d] x[%d] = %.17g\n", i + 1, j + 1,
                           s->M[i][j]);
    }
    for (int i = 0; i < PUCKS; i++) {
        at += snprintf(given + at, sizeof given - (size_t)at,
                       "mass y[%d] = 1000\nforce y[%d] = %.17g\nconstraint floor[%d]: y[%d] = 0\n"
                       "friction floor[%d]: mu = %.17g, static = %.17g, slip = (x[%d]', x[%d]')\n",
                       i + 1, i + 1, s->h[i], i + 1, i + 1, i + 1, s->mu, s->rest, 2 * i + 1, 2 * i + 2);
        for (int j = 0; j < WAYS; j++)
            at += snprintf(given + at, sizeof given - (size_t)at, "mass y[%d] x[%d] = %.17g\n", i + 1, j + 1,
                           s->C[i][j]);
    }
    return build(given);
}

static pucks any_pucks(double coupling) {
    pucks s = {.mu = fabs(any()), .rest = rand() % 2 ? fabs(any()) / 4 : 0};
    s.rest += s.mu;
    for (int i = 0; i < WAYS; i++) {
        s.g[i] = any();
        s.M[i][i] = exp(2 * any());
        for (int j = 0; j < i; j++)
            s.M[i][j] = s.M[j][i] = any() / WAYS * sqrt(s.M[i][i] * s.M[j][j]);
    }
    for (int i = 0; i < PUCKS; i++) {
        s.h[i] = any();
        for (int j = 0; j < WAYS; j++)
            s.C[i][j] = coupling * any();
    }
    return s;
}

// by how much the conditions and M x'' = g + f are violated, at most
static double pucks_violated(const built *b, const pucks *s) {
    const double *x = b->st->qdd;
    double worst = 0;
    for (int i = 0; i < PUCKS; i++) {
        const double *f = b->st->multiplier + b->model->frictions.at[i].stick_first, *a = x + 2 * i;
        double lambda = -s->h[i], size = hypot(a[0], a[1]);
        for (int j = 0; j < WAYS; j++)
            lambda += s->C[i][j] * x[j];
        for (int k = 0; k < 2; k++) {
            double left = -s->g[2 * i + k] - f[k];
            for (int j = 0; j < WAYS; j++)
                left += s->M[2 * i + k][j] * x[j];
            worst = fmax(worst, fabs(left));
            if (!friction_sticks(b->st, i))
                worst = fmax(worst, fabs(f[k] + s->mu * fabs(lambda) * a[k] / size));
        }
        if (friction_sticks(b->st, i))
            worst = fmax(worst, fmax(size, hypot(f[0], f[1]) - s->rest * fabs(lambda)));
    }
    return worst;
}

// where reactions change little with friction there is a solution
static void slips_of_two_components(void **state) {
    (void)state;
    static const double still[WAYS + PUCKS];
    srand(2);
    for (int i = 0; i < 200; i++) {
        pucks s = any_pucks(i % 2 ? 0 : 0.05);
        built b = build_pucks(&s);
        assert_int_equal(friction_start(b.sys, b.st, &(moment){0, still, still, false}, 1e-9).status,
                         SOLVE_OK);
        assert_near(pucks_violated(&b, &s), 0, 2e-6);
        demolish(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_all_combinations_say),
        cmocka_unit_test(several_on_one_slip),
        cmocka_unit_test(slips_of_two_components),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
