#include "system/rates.h"

#include "linear/linalg.h"

#include <string.h>

enum { FOUR = 4 };

void quaternion_product(double factor, const double *a, const double *b, double *out) {
    double c[FOUR] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                      a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                      a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                      a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    for (int k = 0; k < FOUR; k++)
        out[k] = factor * c[k];
}

void quaternion_rate(const double *p, const double *v, double *out) {
    const double conjugate[FOUR] = {p[0], -p[1], -p[2], -p[3]};
    quaternion_product(2, conjugate, v, out);
}

bool rates_differ(const trm_system *sys) {
    return sys->full && sys->model->quaternions.count;
}

static int count_of(const trm_system *sys) {
    return sys->full ? sys->model->quaternions.count : 0;
}

void rates_of_positions(const trm_system *sys, const double *q, const double *v, double *out) {
    if (out != v)
        memcpy(out, v, (size_t)sys->n * sizeof *out);
    for (int i = 0; i < count_of(sys); i++) {
        int at = sys->model->quaternions.at[i];
        quaternion_product(0.5, q + at, v + at, out + at);
    }
}

void rates_from_positions(const trm_system *sys, const double *q, const double *rate, double *v) {
    if (v != rate)
        memcpy(v, rate, (size_t)sys->n * sizeof *v);
    for (int i = 0; i < count_of(sys); i++) {
        int at = sys->model->quaternions.at[i];
        quaternion_rate(q + at, rate + at, v + at);
    }
}

// p'' = p w' / 2 + p w w / 4
void rates_curve(const trm_system *sys, const double *q, const double *v, const double *a, double *out) {
    rates_of_positions(sys, q, a, out);
    for (int i = 0; i < count_of(sys); i++) {
        int at = sys->model->quaternions.at[i];
        double turned[FOUR];
        quaternion_product(0.25, q + at, v + at, turned);
        quaternion_product(1, turned, v + at, turned);
        linalg_add(out + at, 1, turned, FOUR);
    }
}

void rates_normalise(const trm_system *sys, double *q, double *v) {
    for (int i = 0; i < count_of(sys); i++) {
        int at = sys->model->quaternions.at[i];
        double size = linalg_norm(q + at, FOUR);
        for (int k = 0; k < FOUR; k++)
            q[at + k] /= size;
        v[at] = 0;
    }
}
