/* Sobol's sequence. Dimension d has a primitive polynomial over {0, 1} and initial numbers m_k; its direction
 * numbers v_k = m_k / 2^k follow by the recurrence of the polynomial's coefficients. Number n is the sum
 * without carry of the v_k for the ones in Gray code n ^ (n >> 1).
 *
 * S. Joe, F. Y. Kuo: Constructing Sobol sequences with better two-dimensional projections, SIAM J. Sci.
 * Comput. 30 (2008), new-joe-kuo-6: the first 21 dimensions. */
#include "sweep/plan.h"

enum { BITS = 30, DEGREE_MOST = 7 };

static const struct {
    int degree, inner; // of the polynomial; its coefficients but the first and the last, as bits
    unsigned m[DEGREE_MOST];
} KUO[PLAN_DIMENSIONS] = {
    {0, 0, {0}},
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

// v[k] from those before it
static unsigned recurred(int dimension, int k, const unsigned *v) {
    int degree = KUO[dimension].degree;
    unsigned out = v[k - degree] ^ (v[k - degree] >> degree);
    for (int i = 1; i < degree; i++)
        if (KUO[dimension].inner >> (degree - 1 - i) & 1)
            out ^= v[k - i];
    return out;
}

double sobol_number(int dimension, long which) {
    unsigned v[BITS], sum = 0, gray = (unsigned)which ^ ((unsigned)which >> 1);
    for (int k = 0; k < BITS && gray >> k; k++) {
        unsigned m = dimension == 0 ? 1 : k < KUO[dimension].degree ? KUO[dimension].m[k] : 0;
        v[k] = m ? m << (BITS - 1 - k) : recurred(dimension, k, v);
        if (gray >> k & 1)
            sum ^= v[k];
    }
    return (double)sum / (double)(1u << BITS);
}
