#include "motion/cells.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

double cells_place(int n, int j) {
    return 2 * j == n ? 0 : cos(PI * j / n);
}

// c_k = 2/n sum'' u_j cos(pi j k/n), where '' halves the first and the last
void cells_through(const double *values, int n, double *c) {
    double cosine[2 * CELLS_FINE];
    for (int i = 0; i < 2 * n; i++)
        cosine[i] = cos(PI * i / n);
    for (int k = 0; k <= n; k++) {
        double sum = (values[0] + (k % 2 ? -values[n] : values[n])) / 2;
        for (int j = 1; j < n; j++)
            sum += values[j] * cosine[j * k % (2 * n)];
        c[k] = sum * (k == 0 || k == n ? 1 : 2) / n;
    }
}

double cells_error(const double *c, int n) {
    return 2 * fmax(fabs(c[n]), fmax(fabs(c[n - 1]), fabs(c[n - 2])));
}

// Clenshaw's recurrence
double cells_at(const double *c, int n, double x) {
    double b1 = 0, b2 = 0;
    for (int k = n; k > 0; k--) {
        double b = c[k] + 2 * x * b1 - b2;
        b2 = b1;
        b1 = b;
    }
    return c[0] + x * b1 - b2;
}

void cells_derive(const double *c, int n, double *d) {
    double above = 0, two_above = 0;
    d[n] = 0;
    for (int k = n - 1; k >= 0; k--) {
        double own = two_above + 2 * (k + 1) * c[k + 1];
        two_above = above;
        above = own;
        d[k] = k ? own : own / 2;
    }
}

void cells_integrate(const double *c, int n, double *w) {
    double at_begin = 0;
    for (int k = 1; k <= n + 1; k++) {
        double before = k == 1 ? 2 * c[0] : c[k - 1];
        w[k] = (before - (k < n ? c[k + 1] : 0)) / (2 * k);
        at_begin += k % 2 ? -w[k] : w[k];
    }
    w[0] = -at_begin;
}

// between a and b, where u has other signs
static double zero_between(const double *c, int n, double a, double b) {
    double before = cells_at(c, n, a);
    for (int i = 0; i < 60; i++) {
        double middle = a + (b - a) / 2, u = cells_at(c, n, middle);
        if (!(middle > a && middle < b))
            break;
        if ((u < 0) == (before < 0))
            a = middle;
        else
            b = middle;
    }
    return b;
}

// looked for between places that are as near as the points for twice the degree
int cells_zeros(const double *c, int n, double *x) {
    int count = 0;
    double from = -1, before = cells_at(c, n, from);
    for (int j = 1; j <= 2 * n && count < n; j++) {
        double to = j == 2 * n ? 1 : -cos(PI * j / (2 * n)), now = cells_at(c, n, to);
        if ((before < 0) != (now < 0))
            x[count++] = zero_between(c, n, from, to);
        from = to;
        before = now;
    }
    return count;
}
