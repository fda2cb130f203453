/* Eigenvalues of a general real matrix: balanced by powers of 2, reduced to Hessenberg form by reflections,
 * and then to its real Schur form T by Francis' steps with two shifts (Golub, Van Loan, Matrix
 * Computations, 7.5); eigenvectors by substitution in T. */
#include "linear/eigen.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

typedef double complex number;

typedef struct {
    int n;
    double *T; // (n x n)
    double *Q; // (n x n): K = Q T Q'; NULL: it is not asked for
    double *re, *im, *balance;
    double norm;
} schur;

// ---- balance: rows and columns of about the same size

static bool balance_one(schur *s, int i) {
    double row = 0, column = 0, f = 1;
    for (int j = 0; j < s->n; j++)
        if (j != i) {
            column += fabs(s->T[j * s->n + i]);
            row += fabs(s->T[i * s->n + j]);
        }
    if (!(row > 0 && column > 0))
        return false;
    double sum = row + column;
    for (; column < row / 2; column *= 4)
        f *= 2;
    for (; column >= row * 2; column /= 4)
        f /= 2;
    if (!((column + row) / f < 0.95 * sum))
        return false;
    s->balance[i] *= f;
    for (int j = 0; j < s->n; j++)
        s->T[i * s->n + j] /= f;
    for (int j = 0; j < s->n; j++)
        s->T[j * s->n + i] *= f;
    return true;
}

static void balance(schur *s) {
    bool changed = true;
    for (int i = 0; i < s->n; i++)
        s->balance[i] = 1;
    for (int round = 0; changed && round < 100; round++) {
        changed = false;
        for (int i = 0; i < s->n; i++)
            changed |= balance_one(s, i);
    }
}

// ---- reflections I - beta u u' of the coordinates first .. first + count - 1

// makes x a multiple of the first unit vector: u (count) in its place; returns beta
static double reflection(double *x, int count) {
    double size = 0, sum = 0;
    for (int i = 0; i < count; i++)
        size = fmax(size, fabs(x[i]));
    if (!(size > 0))
        return 0;
    for (int i = 0; i < count; i++) {
        x[i] /= size;
        sum += x[i] * x[i];
    }
    double length = copysign(sqrt(sum), x[0]);
    double head = x[0];
    x[0] += length;
    return 1 / (sum + fabs(head * length));
}

static void reflect_rows(schur *s, const double *u, double beta, int first, int count, int from) {
    for (int j = from; j < s->n; j++) {
        double sum = 0;
        for (int i = 0; i < count; i++)
            sum += u[i] * s->T[(first + i) * s->n + j];
        for (int i = 0; i < count; i++)
            s->T[(first + i) * s->n + j] -= beta * sum * u[i];
    }
}

static void reflect_columns(double *A, int n, const double *u, double beta, int first, int count, int rows) {
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int j = 0; j < count; j++)
            sum += u[j] * A[i * n + first + j];
        for (int j = 0; j < count; j++)
            A[i * n + first + j] -= beta * sum * u[j];
    }
}

static void reflect(schur *s, const double *u, double beta, int first, int count, int from, int rows) {
    reflect_rows(s, u, beta, first, count, from);
    reflect_columns(s->T, s->n, u, beta, first, count, rows);
    if (s->Q)
        reflect_columns(s->Q, s->n, u, beta, first, count, s->n);
}

static void reduce(schur *s, double *u) {
    int n = s->n;
    for (int k = 0; k + 2 < n; k++) {
        for (int i = k + 1; i < n; i++)
            u[i - k - 1] = s->T[i * n + k];
        double beta = reflection(u, n - k - 1);
        reflect(s, u, beta, k + 1, n - k - 1, k, n);
        for (int i = k + 2; i < n; i++)
            s->T[i * n + k] = 0;
    }
}

// ---- Schur form

/* One step on rows and columns low .. high. The shifts are the eigenvalues of the last 2 x 2 block; now and
 * then others, which keep it from going round in circles. */
static void francis_step(schur *s, int low, int high, bool other) {
    int n = s->n;
    const double *T = s->T;
#define AT(i, j) T[(i)*n + (j)]
    double sum = AT(high - 1, high - 1) + AT(high, high);
    double product = AT(high - 1, high - 1) * AT(high, high) - AT(high - 1, high) * AT(high, high - 1);
    if (other) {
        double size = fabs(AT(high, high - 1)) + fabs(AT(high - 1, high - 2));
        sum = 1.5 * size;
        product = size * size;
    }
    double u[3] = {AT(low, low) * (AT(low, low) - sum) + AT(low, low + 1) * AT(low + 1, low) + product,
                   AT(low + 1, low) * (AT(low, low) + AT(low + 1, low + 1) - sum),
                   AT(low + 1, low) * AT(low + 2, low + 1)};
    for (int k = low; k < high; k++) {
        int count = k + 2 < high ? 3 : high - k + 1, rows = (k + 3 < high ? k + 3 : high) + 1;
        double beta = reflection(u, count);
        reflect(s, u, beta, k, count, k > low ? k - 1 : low, rows);
        for (int i = k + 1; k > low && i < k + count; i++)
            s->T[i * n + k - 1] = 0;
        for (int i = 0; i < 3 && k + 1 + i <= high; i++)
            u[i] = AT(k + 1 + i, k);
    }
}

// a 2 x 2 block at k with real eigenvalues becomes triangular; re and im of both
static void split(schur *s, int k) {
    int n = s->n;
    double *T = s->T, a = AT(k, k), b = AT(k, k + 1), c = AT(k + 1, k), d = AT(k + 1, k + 1);
    double half = (a - d) / 2, square = half * half + b * c;
    s->re[k] = s->re[k + 1] = d + half;
    s->im[k] = sqrt(fmax(0, -square));
    s->im[k + 1] = -s->im[k];
    if (square < 0)
        return;
    double u[2] = {half + copysign(sqrt(square), half), c}; // an eigenvector
    if (u[0] == 0 && u[1] == 0)
        u[0] = 1;
    double beta = reflection(u, 2);
    reflect(s, u, beta, k, 2, k, k + 2);
    T[(k + 1) * n + k] = 0;
    s->re[k] = AT(k, k);
    s->re[k + 1] = AT(k + 1, k + 1);
}

// the first row of the block that ends with row `high`: what is left of it is negligible
static int block_start(schur *s, int high) {
    int n = s->n, low = high;
    double *T = s->T;
    for (; low > 0; low--) {
        double beside = fabs(AT(low - 1, low - 1)) + fabs(AT(low, low));
        if (!(fabs(AT(low, low - 1)) > DBL_EPSILON * (beside > 0 ? beside : s->norm)))
            break;
    }
    if (low > 0)
        T[low * n + low - 1] = 0;
    return low;
}

static bool iterate(schur *s) {
    enum { MOST = 60, OTHER = 10 };
    int n = s->n, tries = 0;
    const double *T = s->T;
    for (int high = n - 1; high >= 0;) {
        int low = block_start(s, high);
        if (low + 1 < high) {
            if (++tries > MOST)
                return false;
            francis_step(s, low, high, tries % OTHER == 0);
            continue;
        }
        if (low == high) {
            s->re[high] = AT(high, high);
            s->im[high] = 0;
        } else {
            split(s, low);
        }
        high = low - 1;
        tries = 0;
    }
    return true;
}

// ---- eigenvectors

// x / d, with a d that is but rounding made as large as that
static number divided(const schur *s, number x, number d, double square) {
    double least = DBL_EPSILON * s->norm * (square > 0 ? square : 1);
    return x / (cabs(d) > least ? d : least);
}

// x (k + 1) of T x = lambda x, whose last entries are given, from row `row` up
static void substitute(const schur *s, number lambda, int row, int k, number *x) {
    int n = s->n;
    const double *T = s->T;
    for (int i = row; i >= 0; i--) {
        number r = 0, q = 0;
        bool pair = s->im[i] < 0;
        for (int j = i + 1; j <= k; j++) {
            r -= AT(i, j) * x[j];
            if (pair)
                q -= AT(i - 1, j) * x[j];
        }
        if (!pair) {
            x[i] = divided(s, r, AT(i, i) - lambda, 0);
        } else { // rows i - 1 and i, by Cramer's rule
            number a = AT(i - 1, i - 1) - lambda, d = AT(i, i) - lambda;
            number det = a * d - AT(i - 1, i) * AT(i, i - 1);
            x[i - 1] = divided(s, q * d - AT(i - 1, i) * r, det, s->norm);
            x[i] = divided(s, a * r - AT(i, i - 1) * q, det, s->norm);
            i--;
        }
        if (cabs(x[i]) > 1e100)
            for (int j = i; j <= k; j++)
                x[j] *= 1e-100;
    }
}

// of unit length, its largest entry real
static void normalise(number *x, int n) {
    double sum = 0, most = 0;
    number turn = 1;
    for (int i = 0; i < n; i++)
        most = fmax(most, cabs(x[i]));
    for (int i = 0; i < n && most > 0; i++) {
        x[i] /= most;
        sum += creal(x[i]) * creal(x[i]) + cimag(x[i]) * cimag(x[i]);
        if (cabs(x[i]) == 1 && turn == 1)
            turn = conj(x[i]);
    }
    for (int i = 0; i < n && sum > 0; i++)
        x[i] *= turn / sqrt(sum);
}

// the vector of lambda at k, or at k - 1 and k: row k of V, or both; x and y (n) are workspace
static void vector_at(const schur *s, int k, double *V, number *x, number *y) {
    int n = s->n;
    const double *T = s->T;
    bool pair = s->im[k] < 0;
    number lambda = pair ? s->re[k - 1] + s->im[k - 1] * I : s->re[k];
    x[k] = 1;
    if (pair && fabs(AT(k - 1, k)) > fabs(AT(k, k - 1))) {
        x[k - 1] = 1;
        x[k] = (lambda - AT(k - 1, k - 1)) / AT(k - 1, k);
    } else if (pair) {
        x[k - 1] = (lambda - AT(k, k)) / AT(k, k - 1);
    }
    substitute(s, lambda, k - 1 - pair, k, x);
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int j = 0; j <= k; j++)
            y[i] += s->Q[i * n + j] * x[j];
        y[i] *= s->balance[i];
    }
    normalise(y, n);
    for (int i = 0; i < n; i++) {
        V[(k - pair) * n + i] = creal(y[i]);
        if (pair)
            V[k * n + i] = cimag(y[i]);
    }
}
#undef AT

bool eigen_values(int n, double *K, double *re, double *im, double *V, double *scratch) {
    schur s = {n, K, V ? scratch + 6 * n : NULL, re, im, scratch, 0};
    for (int i = 0; i < n * n; i++)
        if (!isfinite(K[i]))
            return false;
    for (int i = 0; V && i < n * n; i++)
        s.Q[i] = i % (n + 1) == 0;
    balance(&s);
    for (int i = 0; i < n * n; i++)
        s.norm = fmax(s.norm, fabs(K[i]));
    reduce(&s, scratch + n);
    if (!iterate(&s))
        return false;
    number *x = (number *)(scratch + 2 * n), *y = x + n;
    for (int k = n - 1; V && k >= 0; k -= 1 + (im[k] < 0))
        vector_at(&s, k, V, x, y);
    return true;
}
