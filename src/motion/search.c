#include "motion/search.h"

#include <math.h>

double search_border(search_test happened, void *context, double from, double to, double least) {
    while (to - from > least) {
        double middle = from + (to - from) / 2;
        if (!(middle > from && middle < to))
            break;
        *(happened(context, middle) ? &to : &from) = middle;
    }
    return to;
}

// the lowest that f can be between the ends
static double bound(const search_dip *d) {
    const double *t = d->t, *f = d->f;
    double left = (f[1] - f[0]) / (t[1] - t[0]), right = (f[2] - f[1]) / (t[2] - t[1]);
    return fmin(f[1] + left * (t[2] - t[1]), f[1] - right * (t[1] - t[0]));
}

// where to look next
static double next(const search_dip *d) {
    const double *t = d->t, *f = d->f;
    static const double GOLDEN = 0.381966, CLOSEST = 1e-6;
    double left = (t[1] - t[0]) * (f[1] - f[2]), right = (t[1] - t[2]) * (f[1] - f[0]);
    double at = t[1] - ((t[1] - t[0]) * left - (t[1] - t[2]) * right) / (2 * (left - right));
    double least = CLOSEST * (t[2] - t[0]);
    if (at > t[0] + least && at < t[2] - least && fabs(at - t[1]) > least)
        return at;
    return t[1] + GOLDEN * (t[2] - t[1] > t[1] - t[0] ? t[2] - t[1] : t[0] - t[1]);
}

void search_least(search_dip *d, search_value f, void *context, double enough, bool hopeless, double close,
                  int most) {
    for (int k = 0; k < most && d->f[1] > enough && d->t[2] - d->t[0] > close; k++) {
        if (hopeless && bound(d) > enough)
            return;
        double at = next(d), now = f(context, at);
        bool better = now < d->f[1];
        int end = (at > d->t[1]) == better ? 0 : 2; // which of the ends moves in
        d->t[end] = better ? d->t[1] : at;
        d->f[end] = better ? d->f[1] : now;
        if (better) {
            d->t[1] = at;
            d->f[1] = now;
        }
    }
}
