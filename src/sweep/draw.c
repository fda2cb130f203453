/* Numbers that are drawn: each follows from the seed, the parameter and the case alone, so that it does not
 * matter who computes which case, or when. */
#include "sweep/plan.h"

#include <math.h>

static const uint64_t GOLDEN = 0x9e3779b97f4a7c15u;

// the end of splitmix64: G. L. Steele, D. Lea, C. H. Flood: Fast splittable pseudorandom number generators,
// OOPSLA 2014
static uint64_t mixed(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint64_t bits(uint64_t seed, int dimension, uint64_t which) {
    uint64_t key = mixed(seed + GOLDEN * ((uint64_t)dimension + 1));
    return mixed(key + GOLDEN * (which + 1));
}

// neither 0 nor 1
double draw_uniform(uint64_t seed, int dimension, long which) {
    return ((double)(bits(seed, dimension, (uint64_t)which) >> 12) + 0.5) * 0x1p-52;
}

/* A permutation of 0 .. count - 1 that is not stored: a Feistel network on the least even number of bits,
 * applied until the result is below count, at most four times on average. */
static uint64_t permuted(uint64_t seed, int dimension, uint64_t which, uint64_t count) {
    enum { ROUNDS = 6 };
    int half = 1;
    while ((uint64_t)1 << 2 * half < count)
        half++;
    uint64_t mask = ((uint64_t)1 << half) - 1;
    do {
        uint64_t left = which >> half, right = which & mask;
        for (int round = 0; round < ROUNDS; round++) {
            uint64_t next = left ^ (bits(seed ^ GOLDEN, dimension * ROUNDS + round, right) & mask);
            left = right;
            right = next;
        }
        which = left << half | right;
    } while (which >= count);
    return which;
}

double draw_stratum(uint64_t seed, int dimension, long which, long count) {
    double stratum = (double)permuted(seed, dimension, (uint64_t)which, (uint64_t)count);
    return (stratum + draw_uniform(seed, dimension, which)) / (double)count;
}

static double ratio(const double *above, const double *below, double r) {
    double over = above[7], under = below[6];
    for (int i = 6; i >= 0; i--)
        over = over * r + above[i];
    for (int i = 5; i >= 0; i--)
        under = under * r + below[i];
    return over / (under * r + 1);
}

// M. J. Wichura: Algorithm AS 241, Appl. Statist. 37 (1988): relative error about 1e-16
double draw_normal(double u) {
    static const double a[] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                               1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                               3.3430575583588128105e+4, 2.5090809287301226727e+3};
    static const double b[] = {4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
                               2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4,
                               5.2264952788528545610e+3};
    static const double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                               3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                               2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static const double d[] = {2.05319162663775882187e0,  1.67638483018380384940e0,
                               6.89767334985100004550e-1, 1.48103976427480074590e-1,
                               1.51986665636164571966e-2, 5.47593808499534494600e-4,
                               1.05075007164441684324e-9};
    static const double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                               1.78482653991729133580e0,  2.96560571828504891230e-1,
                               2.65321895265761230930e-2, 1.24266094738807843860e-3,
                               2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static const double f[] = {5.99832206555887937690e-1, 1.36929880922735805310e-1,
                               1.48753612908506148525e-2, 7.86869131145613259100e-4,
                               1.84631831751005468180e-5, 1.42151175831644588870e-7,
                               2.04426310338993978564e-15};
    double q = u - 0.5;
    if (fabs(q) <= 0.425)
        return q * ratio(a, b, 0.180625 - q * q);
    double r = sqrt(-log(q < 0 ? u : 1 - u));
    double z = r <= 5 ? ratio(c, d, r - 1.6) : ratio(e, f, r - 5);
    return q < 0 ? -z : z;
}
