/* Moves W of the state to others that are the same to the equations turn into each other, A W = W K. With
 * components I in which W is the identity and c the others, the eigenvalues of A are those of
 *
 *     K = A_II + A_Ic W_c   and   Y = A_cc - W_c A_Ic.
 *
 * Found together, the zeros of what is ignorable and of the momentum that is conserved for it would be
 * multiple roots, of which rounding leaves half the digits or fewer. */
#include "study/spectrum.h"

#include "linear/lapack.h"
#include "linear/linalg.h"
#include "linear/rank.h"
#include "study/tangent.h"

#include <math.h>
#include <string.h>

static const double DIFFERENT = 1e-7; // of moves, in which 1e-11 is rounding
static const double ROOT = 1e-5;      // what rounding leaves of a multiple zero of K, beside the largest
static const double NOTHING = 1e-12;  // of all of them, beside the largest entry of A

typedef struct {
    int size;
    const double *A;
    tangent *t; // its independent components are c; W_c = -basis'
    int *I;     // the others
    int moves;
    double *K, *Y;
} division;

// keeps those that differ, and says how many
static int different(arena *a, double *moves, int count, int size) {
    double largest = 0;
    int kept = 0;
    for (int k = 0; k < count; k++)
        largest = fmax(largest, linalg_norm(moves + (size_t)k * (size_t)size, size));
    for (int k = 0; k < count; k++) { // some move what the constraints hold, and that by rounding only
        double *move = moves + (size_t)k * (size_t)size;
        if (linalg_norm(move, size) <= DIFFERENT * largest)
            memset(move, 0, (size_t)size * sizeof *move);
    }
    rank_report *rank = rank_of_rows(a, moves, count, size, DIFFERENT);
    for (int k = 0; k < count; k++)
        if (rank->kept[k])
            memmove(moves + (size_t)kept++ * (size_t)size, moves + (size_t)k * (size_t)size,
                    (size_t)size * sizeof *moves);
    return kept;
}

static double entry(const division *d, int i, int j) {
    return d->A[(size_t)i * (size_t)d->size + (size_t)j];
}

// component c of move k
static double move(const division *d, int k, int c) {
    return -d->t->basis[(size_t)d->I[k] * (size_t)d->t->count + (size_t)c];
}

static void fill_K(division *d) {
    for (int i = 0; i < d->moves; i++)
        for (int j = 0; j < d->moves; j++) {
            double sum = entry(d, d->I[i], d->I[j]);
            for (int c = 0; c < d->t->count; c++)
                sum += entry(d, d->I[i], d->t->independent[c]) * move(d, j, c);
            d->K[(size_t)i * (size_t)d->moves + (size_t)j] = sum;
        }
}

static void fill_Y(division *d) {
    const int *rest = d->t->independent;
    for (int i = 0; i < d->t->count; i++)
        for (int j = 0; j < d->t->count; j++) {
            double sum = entry(d, rest[i], rest[j]);
            for (int k = 0; k < d->moves; k++)
                sum -= move(d, k, i) * entry(d, d->I[k], rest[j]);
            d->Y[(size_t)i * (size_t)d->t->count + (size_t)j] = sum;
        }
}

static division divide(arena *a, const double *A, int size, double *moves, int count) {
    division d = {.size = size, .A = A, .moves = different(a, moves, count, size)};
    d.t = tangent_choose(a, moves, d.moves, size, NULL, NULL, 0);
    d.I = arena_array(a, int, size + 1);
    d.K = arena_doubles(a, (size_t)d.moves * (size_t)d.moves + 1);
    d.Y = arena_doubles(a, (size_t)d.t->count * (size_t)d.t->count + 1);
    for (int i = 0, k = 0; i < size; i++)
        if (d.t->dependent[i])
            d.I[k++] = i;
    fill_K(&d);
    fill_Y(&d);
    return d;
}

/* Real parts that are equal up to rounding count as equal; of a pair the one with positive imaginary part
 * comes first. */
static bool comes_before(const double *re, const double *im, int i, int j, double unit) {
    double re_i = round(re[i] / unit), re_j = round(re[j] / unit);
    if (re_i != re_j)
        return re_i > re_j;
    return fabs(im[i]) != fabs(im[j]) ? fabs(im[i]) < fabs(im[j]) : im[i] > im[j];
}

static void sort(double *re, double *im, int size, double largest) {
    double unit = largest > 0 ? 1e-9 * largest : 1;
    for (int i = 1; i < size; i++)
        for (int j = i; j > 0 && comes_before(re, im, j, j - 1, unit); j--) {
            double x = re[j], y = im[j];
            re[j] = re[j - 1], im[j] = im[j - 1];
            re[j - 1] = x, im[j - 1] = y;
        }
}

bool spectrum_find(arena *a, const double *A, int size, double *moves, int count, double *re, double *im) {
    division d = divide(a, A, size, moves, count);
    int rest = d.t->count;
    double *scratch = arena_doubles(a, lapack_scratch(size)), largest = 0, zero = 0;
    if (!linalg_finite(d.K, d.moves * d.moves) || !linalg_finite(d.Y, rest * rest) ||
        !lapack_eigenvalues(d.moves, d.K, re, im, NULL, scratch) ||
        !lapack_eigenvalues(rest, d.Y, re + d.moves, im + d.moves, NULL, scratch))
        return false;
    for (int i = 0; i < size; i++)
        largest = fmax(largest, hypot(re[i], im[i]));
    for (int i = 0; i < size * size; i++)
        zero = fmax(zero, NOTHING * fabs(A[i]));
    for (int i = 0; i < size; i++)
        if (largest <= zero || (i < d.moves && hypot(re[i], im[i]) < ROOT * largest))
            re[i] = im[i] = 0;
    sort(re, im, size, largest);
    return true;
}
