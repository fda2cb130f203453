// By wrapping a line about the points: count x corners steps.
#include "base/hull.h"

#include <string.h>

static double turn_of(const double *a, const double *b, const double *c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

int hull_wrap(const double *points, int count, double *out) {
    int first = 0, at, corners = 0;
    for (int i = 1; i < count; i++)
        if (points[2 * i] < points[2 * first])
            first = i;
    at = first;
    do {
        memcpy(out + 2 * corners++, points + 2 * at, 2 * sizeof *out);
        int next = at == 0 ? 1 : 0;
        for (int i = 0; i < count; i++)
            if (i != at && turn_of(points + 2 * at, points + 2 * next, points + 2 * i) < 0)
                next = i;
        at = next;
    } while (at != first && corners < count);
    return corners;
}
