/* The short evaluation within a step (solve/motion.c), as far as a test asks: the same numbers whether it is
 * looked at closely or not. */
#ifndef TRAMMEL_TEST_SUPPORT_MOVES_H
#define TRAMMEL_TEST_SUPPORT_MOVES_H

#include "support/build.h"

#include <math.h>

enum { MOVES_MOST = 64 }; // coordinates, rows

// q' and s' (n each); false if they cannot be had
static inline bool moves(built *b, double t, const double *q, const double *s, bool held, double *rates) {
    const trm_system *sys = b->sys;
    double y[2 * MOVES_MOST], closely[2 * MOVES_MOST], usual[MOVES_MOST] = {0};
    size_t n = (size_t)sys->n;
    solve_watch w = {.usual = usual, .enough = 1, .nearest = INFINITY};
    assert_true(sys->n <= MOVES_MOST && sys->m <= MOVES_MOST);
    memcpy(y, q, n * sizeof *y);
    memcpy(y + n, s, n * sizeof *y);
    solve_watch_for(b->st, 0, &w);
    solve_moved far = solve_motion(sys, b->st, t, y, held, &w, rates);
    if (far == MOVED && sys->m)
        assert_true(sqrt(w.nearest) == solve_nearness(sys, b->st));
    if (solve_lands(b->st)) { // with all that the end of a step has
        bool landed = solve_landing(sys, b->st, t, y, &w, closely);
        assert_int_equal(landed, far == MOVED);
        if (landed && !sys->moves)
            assert_memory_equal(b->st->qdd, rates + n, n * sizeof *rates);
        if (landed)
            assert_memory_equal(rates, closely, 2 * n * sizeof *rates);
    }
    for (int k = 0; k < DIRECT_CHECKS; k++)
        w.least[k] = INFINITY;
    solve_moved near = solve_motion(sys, b->st, t, y, held, &w, closely);
    assert_int_equal(near, far == MOVED_NOT ? MOVED_NOT : MOVED_DOUBTFULLY);
    if (far != MOVED_NOT)
        assert_memory_equal(rates, closely, 2 * n * sizeof *rates);
    return far != MOVED_NOT;
}

#endif
