#include "sweep/deal.h"

static deal_answer all_of_them(void *context, long done, long *first, long *count) {
    deal_alone *d = context;
    (void)done;
    if (d->given)
        return DEAL_NONE;
    d->given = true;
    *first = 0;
    *count = d->cases;
    return DEAL_SOME;
}

static bool at_once(void *context, bool gives_up) {
    (void)context;
    (void)gives_up;
    return true;
}

static void nothing(void *context) {
    (void)context;
}

static int now_and_then(void *context) {
    (void)context;
    return 50;
}

const deal_ops deal_to_threads = {all_of_them, at_once, nothing, now_and_then};
