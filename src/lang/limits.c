/* Limits, so that a wrong bound or a row of functions that double does not take hours or all memory: a budget
 * of expressions visited, looked ahead in loops, and of levels of nesting. */
#include "lang/elab.h"

/* How much a model may expand to. A chain of a million particles visits about 1e8 expressions, at 40 ns each.
 * Without a loop or sum, two million are more than anyone writes, and one for each character more than
 * a program writes: functions that call others twice, level upon level. Few nodes of the pool are needed
 * where shapes are few, whatever N. */
static const long long MOST_VISITS = 300000000LL, MOST_WITHOUT_LOOP = 2000000LL;
/* After an error the rest is read only for the sake of other errors: loops in loops would meet the same one
 * millions of times. */
static const long long MOST_AFTER_ERROR = 2000000LL;
enum { MOST_NODES = 10000000, MOST_LEVELS = 1000 };

static bool stop(elab *L, place at, const char *hint) {
    if (!L->stopped)
        elab_error(L, at, "the model grows too large here")->hint = hint;
    L->stopped = true;
    return false;
}

// whether an error was met so long ago that it is time to tell it
static bool faulty_for_long(elab *L) {
    if (L->diags->errors == 0)
        return false;
    if (L->faulty == 0)
        L->faulty = L->spent;
    return L->spent - L->faulty > MOST_AFTER_ERROR;
}

bool elab_spend(elab *L, place at, long long amount) {
    L->spent += amount;
    if (faulty_for_long(L)) {
        L->stopped = true;
        return false;
    }
    if (L->spent > MOST_VISITS)
        return stop(L, at, "check the bounds of loops and sums");
    if (L->spent - L->turned > MOST_WITHOUT_LOOP + (at.source ? at.source->length : 0))
        return stop(L, at,
                    "functions that call others several times multiply; name what is repeated with let");
    if (L->spent >> 12 != (L->spent - amount) >> 12 && expr_pool_size(L->pool) > MOST_NODES)
        return stop(L, at,
                    "a sum inside a function, or a function of functions, that has millions of terms?");
    return !L->stopped;
}

void elab_repeat(elab *L, repetition *r, place at, int low, int high) {
    *r = (repetition){.at = at, .now = (long long)low - 1, .last = high, .check = 1, .start = L->spent};
    r->count = (double)high - low + 1;
    r->outer = L->remaining;
    if (r->count <= (double)MOST_VISITS)
        return;
    elab_error(L, at, "the range %d..%d is too long", low, high)->hint = "check its bounds";
    L->stopped = true;
}

// After 1, 2, 4, ... iterations: would all of them, at the average so far, be far too much? In loops within
// loops the outer ones may run less often than it seems, so there only what is out of all proportion counts.
static bool affordable(elab *L, repetition *r, double done) {
    double expected = (double)(L->spent - r->start) / done * r->count;
    return expected <= 2 * (double)MOST_VISITS && expected * r->outer <= 1000 * (double)MOST_VISITS;
}

bool elab_turn(elab *L, repetition *r) {
    static const char hint[] = "check the bounds of loops and sums";
    double done = r->count - (double)(r->last - r->now);
    L->turned = L->spent;
    if (r->now >= r->last || !elab_spend(L, r->at, 1))
        return elab_leave(L, r);
    if (done == r->check) {
        r->check *= 2;
        if (!affordable(L, r, done))
            return stop(L, r->at, hint);
    }
    r->now++;
    L->remaining = (r->outer > 0 ? r->outer : 1) * (r->count - done);
    return true;
}

bool elab_leave(elab *L, const repetition *r) {
    L->remaining = r->outer;
    return false;
}

bool elab_deeper(elab *L, place at) {
    if (L->level >= MOST_LEVELS) {
        if (!L->stopped)
            elab_error(L, at, "expressions and definitions are nested too deep here")->hint =
                "does a long row of definitions use one another? take several steps in one";
        L->stopped = true;
        return false;
    }
    L->level++;
    return true;
}
