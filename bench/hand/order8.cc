/* P1, P2 and P5 by hand once more, with the method that Trammel has by default, so that times can be compared at equal error.
 * P1 is projected after every step, as promise 1 would have it: one Newton step for positions and one for velocities, with
 * the same 2 x 2 matrix. The quaternion of P5 is normalised. */
#define restrict __restrict
#include "p1.h"
#include "p2.h"
#include "p5.h"

#include "../report.h"
#include "dop853.h"

// least change of the positions with |d1| = |d2| = 1; then of the velocities with d.d' = 0
static void p1_project(double *y) {
    for (int level = 0; level < 2; level++) {
        double *to = y + 4 * level;
        double ux = y[2] - y[0], uy = y[3] - y[1];
        double a = y[0] * y[0] + y[1] * y[1], b = -(y[0] * ux + y[1] * uy), u = ux * ux + uy * uy, d = 2 * u;
        double r = level ? -(y[0] * y[4] + y[1] * y[5]) : (1 - a) / 2;
        double s = level ? -(ux * (y[6] - y[4]) + uy * (y[7] - y[5])) : (1 - u) / 2;
        double over = 1 / (a * d - b * b), s1 = (d * r - b * s) * over, s2 = (a * s - b * r) * over;
        to[0] += s1 * y[0] - s2 * ux;
        to[1] += s1 * y[1] - s2 * uy;
        to[2] += s2 * ux;
        to[3] += s2 * uy;
    }
}

static void p5_project(double *y) {
    double over = 1 / sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + y[3] * y[3]);
    for (int i = 0; i < 4; i++)
        y[i] *= over;
}

static int run_p1(job *j) {
    double y[P1_SIZE], worst = 0;
    long evaluations = 0;
    auto rhs = [](const double *from, double *f) { p1_rhs(NULL, from, f); };
    auto watch = [&](double *at) {
        p1_project(at);
        worst = fmax(worst, p1_violation(at));
    };
    while (job_more(j)) {
        p1_start(y);
        job_start(j);
        evaluations = dop853(P1_SIZE, y, 10, 1e-10, rhs, p1_project);
        job_stop(j);
    }
    p1_start(y);
    dop853(P1_SIZE, y, 10, 1e-10, rhs, watch);
    job_print(j, evaluations, y, 4, worst);
    return 0;
}

static int run_p5(job *j) {
    double y[P5_SIZE];
    long evaluations = 0;
    auto rhs = [](const double *from, double *f) { p5_rhs(NULL, from, f); };
    while (job_more(j)) {
        p5_start(y);
        job_start(j);
        evaluations = dop853(P5_SIZE, y, 100, 1e-10, rhs, p5_project);
        job_stop(j);
    }
    job_print(j, evaluations, y + 4, 3, p5_violation(y));
    return 0;
}

static int run_p2(job *j) {
    const int N = j->n;
    chain h = chain_create(N);
    std::vector<double> y(4 * ((size_t)N + 15));
    double values[4], worst = 0;
    long evaluations = 0;
    auto rhs = [&](const double *from, double *f) { chain_rhs(&h, from, f); };
    auto watch = [&](double *at) { worst = fmax(worst, chain_violation(N, at)); };
    while (job_more(j)) {
        chain_start(N, y.data());
        job_start(j);
        evaluations = dop853(4 * N, y.data(), chain_end(N), 1e-10, rhs);
        job_stop(j);
    }
    chain_start(N, y.data());
    dop853(4 * N, y.data(), chain_end(N), 1e-10, rhs, watch);
    job_print(j, evaluations, values, chain_values(N, y.data(), values), worst);
    return 0;
}

int main(int argc, char **argv) {
    job j = job_read(argc, argv);
    return job_is(&j, "p1")   ? run_p1(&j)
           : job_is(&j, "p2") ? run_p2(&j)
           : job_is(&j, "p5") ? run_p5(&j)
                              : job_unknown(&j);
}
