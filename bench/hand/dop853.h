/* Dormand and Prince's method of order 8(5,3) for programs in C++: Hairer, Norsett, Wanner I, 2nd ed. 1993,
 * sections II.5 and II.10, with the coefficients, the error estimate and the step control of Hairer's DOP853
 * (safety 0.9, no memory of errors), without dense output.
 *
 * rhs(y, f) computes f(y), both (n). project(y), if it is given, brings a new y back onto the constraints.
 * Returns the number of evaluations: 12 for an accepted step, 11 for a rejected one, and two to begin. */
#ifndef BENCH_DOP853_H
#define BENCH_DOP853_H

#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

/* mean of (v/(tolerance (1 + |y|)))^2 */
template <class Vector>
static inline double dop853_square(int n, const double *y, double tolerance, Vector v) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double ratio = v(i) / (tolerance + tolerance * std::fabs(y[i]));
        sum += ratio * ratio;
    }
    return sum / n;
}

/* A first step from the sizes of y, f and the change of f over a small Euler step. */
template <class Rhs>
static double dop853_first(int n, const double *y, const double *f, double *z, double *g, double end,
                           double tolerance, Rhs &rhs) {
    double d0 = std::sqrt(dop853_square(n, y, tolerance, [&](int i) { return y[i]; }));
    double d1 = std::sqrt(dop853_square(n, y, tolerance, [&](int i) { return f[i]; }));
    double h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    for (int i = 0; i < n; i++)
        z[i] = y[i] + h * f[i];
    rhs(z, g);
    double d2 = std::sqrt(dop853_square(n, y, tolerance, [&](int i) { return (g[i] - f[i]) / h; }));
    double d = std::fmax(d1, d2);
    return std::fmin(std::fmin(100 * h, end),
                     d < 1e-15 ? std::fmax(1e-6, 1e-3 * h) : std::pow(0.01 / d, 0.125));
}

struct dop853_as_it_is {
    void operator()(double *) const {
    }
};

template <class Rhs, class Project = dop853_as_it_is>
static long dop853(int n, double *y, double end, double tolerance, Rhs &rhs, Project &&project = Project()) {
    std::vector<double> work(14 * (size_t)n);
    double *const k0 = work.data(), *const k1 = k0 + n, *const k2 = k1 + n, *const k3 = k2 + n;
    double *const k4 = k3 + n, *const k5 = k4 + n, *const k6 = k5 + n, *const k7 = k6 + n;
    double *const k8 = k7 + n, *const k9 = k8 + n, *const k10 = k9 + n, *const k11 = k10 + n;
    double *const z = k11 + n, *const y1 = z + n;
    double t = 0;
    rhs(y, k0);
    double h = dop853_first(n, y, k0, z, k1, end, tolerance, rhs);
    long evaluations = 2;

    auto combine = [&](double *to, auto sum) {
#pragma GCC ivdep
        for (int i = 0; i < n; i++)
            to[i] = y[i] + h * sum(i);
    };
    auto stage = [&](double *k, auto sum) {
        combine(z, sum);
        rhs(z, k);
        evaluations++;
    };
    for (bool rejected = false; t < end;) {
        const bool last = t + 1.01 * h >= end;
        if (last)
            h = end - t;
        stage(k1, [&](int i) { return 0.0526001519587677318786 * k0[i]; });
        stage(k2, [&](int i) { return 0.0197250569845378994545 * k0[i] + 0.0591751709536136983634 * k1[i]; });
        stage(k3, [&](int i) { return 0.0295875854768068491817 * k0[i] + 0.0887627564304205475451 * k2[i]; });
        stage(k4, [&](int i) {
            return 0.241365134159266685502 * k0[i] - 0.884549479328286085345 * k2[i] +
                   0.924834003261792003116 * k3[i];
        });
        stage(k5, [&](int i) {
            return 1.0 / 27 * k0[i] + 0.170828608729473871280 * k3[i] + 0.125467687566822425017 * k4[i];
        });
        stage(k6, [&](int i) {
            return 0.037109375 * k0[i] + 0.170252211019544039315 * k3[i] + 0.0602165389804559606850 * k4[i] -
                   0.017578125 * k5[i];
        });
        stage(k7, [&](int i) {
            return 0.0370920001185047927109 * k0[i] + 0.170383925712239993810 * k3[i] +
                   0.107262030446373284652 * k4[i] - 0.0153194377486244017528 * k5[i] +
                   0.00827378916381402288758 * k6[i];
        });
        stage(k8, [&](int i) {
            return 0.624110958716075717114 * k0[i] - 3.36089262944694129407 * k3[i] -
                   0.868219346841726006818 * k4[i] + 27.5920996994467083049 * k5[i] +
                   20.1540675504778934086 * k6[i] - 43.4898841810699588477 * k7[i];
        });
        stage(k9, [&](int i) {
            return 0.477662536438264365890 * k0[i] - 2.48811461997166764193 * k3[i] -
                   0.590290826836842996371 * k4[i] + 21.2300514481811942347 * k5[i] +
                   15.2792336328824235833 * k6[i] - 33.2882109689848629194 * k7[i] -
                   0.0203312017085086261358 * k8[i];
        });
        stage(k10, [&](int i) {
            return -0.937142430085987325717 * k0[i] + 5.18637242884406370830 * k3[i] +
                   1.09143734899672957819 * k4[i] - 8.14978701074692612514 * k5[i] -
                   18.5200656599969598642 * k6[i] + 22.7394870993505042819 * k7[i] +
                   2.49360555267965238987 * k8[i] - 3.04676447189821950038 * k9[i];
        });
        stage(k11, [&](int i) {
            return 2.27331014751653820792 * k0[i] - 10.5344954667372501984 * k3[i] -
                   2.00087205822486249910 * k4[i] - 17.9589318631187989173 * k5[i] +
                   27.9488845294199600508 * k6[i] - 2.85899827713502369474 * k7[i] -
                   8.87285693353062954434 * k8[i] + 12.3605671757943030647 * k9[i] +
                   0.643392746015763530356 * k10[i];
        });
        auto slope = [&](int i) { // y1 = y + h slope
            return 0.0542937341165687622381 * k0[i] + 4.45031289275240888144 * k5[i] +
                   1.89151789931450038304 * k6[i] - 5.80120396001058478147 * k7[i] +
                   0.311164366957819894409 * k8[i] - 0.152160949662516078556 * k9[i] +
                   0.201365400804030348375 * k10[i] + 0.0447106157277725905177 * k11[i];
        };
        combine(y1, slope);
#pragma GCC ivdep
        for (int i = 0; i < n; i++)
            z[i] = std::fmax(std::fabs(y[i]), std::fabs(y1[i]));
        double e5 = dop853_square(n, z, tolerance, [&](int i) {
            return 0.0131200449941948807325 * k0[i] - 1.22515644637620444072 * k5[i] -
                   0.495758949657250191521 * k6[i] + 1.66437718245498653696 * k7[i] -
                   0.350328848749973681689 * k8[i] + 0.334179118713017479030 * k9[i] +
                   0.0819232064851157124657 * k10[i] - 0.0223553078638862952588 * k11[i];
        });
        double e3 = dop853_square(n, z, tolerance, [&](int i) {
            return slope(i) - 0.244094488188976377953 * k0[i] - 0.733846688281611857341 * k8[i] -
                   0.0220588235294117647059 * k11[i];
        });
        double error = e5 > 0 ? h * e5 / std::sqrt(e5 + 0.01 * e3) : 0;
        double factor = std::fmin(6, std::fmax(1.0 / 3, 0.9 * std::pow(std::fmax(error, 1e-10), -0.125)));
        if (error <= 1) {
            t = last ? end : t + h;
            memcpy(y, y1, sizeof(double) * n);
            project(y);
            if (!last) {
                rhs(y, k0);
                evaluations++;
            }
            h *= rejected ? std::fmin(1, factor) : factor;
        } else {
            h *= factor;
        }
        rejected = error > 1;
    }
    return evaluations;
}

#endif
