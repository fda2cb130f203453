#include "papers/matrix.h"

#include "linear/lapack.h"

#include <math.h>
#include <string.h>

static size_t size_of(mat x) {
    return (size_t)x.rows * (size_t)x.cols;
}

static double *take(matrices *w, size_t count) {
    if (w->room - w->used < count) { // what is in the old block stays valid
        w->room = 2 * w->room + count;
        w->memory = arena_doubles(w->arena, w->room);
        w->used = 0;
    }
    double *at = w->memory + w->used;
    w->used += count;
    memset(at, 0, count * sizeof *at);
    return at;
}

void matrices_init(matrices *w, arena *a, size_t room) {
    *w = (matrices){.arena = a, .memory = arena_doubles(a, room), .room = room};
}

void matrices_reset(matrices *w) {
    w->used = 0;
    w->failed = false;
}

int *matrices_ints(matrices *w, int count) {
    return (int *)take(w, (size_t)count); // a double has room for an int
}

mat mat_new(matrices *w, int rows, int cols) {
    return (mat){rows, cols, take(w, (size_t)rows * (size_t)cols)};
}

mat mat_copy(matrices *w, mat x) {
    mat y = mat_new(w, x.rows, x.cols);
    if (size_of(x))
        memcpy(y.at, x.at, size_of(x) * sizeof *x.at);
    return y;
}

mat mat_wrap(const double *at, int rows, int cols) {
    return (mat){rows, cols, (double *)at};
}

mat mat_identity(matrices *w, int n) {
    mat x = mat_new(w, n, n);
    for (int i = 0; i < n; i++)
        x.at[i * n + i] = 1;
    return x;
}

static mat combine(matrices *w, mat x, double c, mat y) {
    mat z = mat_copy(w, x);
    for (size_t i = 0; i < size_of(x); i++)
        z.at[i] += c * y.at[i];
    return z;
}

mat mat_add(matrices *w, mat x, mat y) {
    return combine(w, x, 1, y);
}

mat mat_sub(matrices *w, mat x, mat y) {
    return combine(w, x, -1, y);
}

mat mat_scale(matrices *w, double c, mat x) {
    mat y = mat_new(w, x.rows, x.cols);
    for (size_t i = 0; i < size_of(x); i++)
        y.at[i] = c * x.at[i];
    return y;
}

mat mat_mul(matrices *w, mat x, mat y) {
    mat z = mat_new(w, x.rows, y.cols);
    for (int i = 0; i < x.rows; i++)
        for (int k = 0; k < x.cols; k++) {
            double c = x.at[i * x.cols + k];
            for (int j = 0; c != 0 && j < y.cols; j++)
                z.at[i * y.cols + j] += c * y.at[k * y.cols + j];
        }
    return z;
}

mat mat_transpose(matrices *w, mat x) {
    mat y = mat_new(w, x.cols, x.rows);
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.cols; j++)
            y.at[j * x.rows + i] = x.at[i * x.cols + j];
    return y;
}

mat mat_stack(matrices *w, mat upper, mat lower) {
    mat x = mat_new(w, upper.rows + lower.rows, upper.cols);
    if (size_of(upper))
        memcpy(x.at, upper.at, size_of(upper) * sizeof *x.at);
    if (size_of(lower))
        memcpy(x.at + size_of(upper), lower.at, size_of(lower) * sizeof *x.at);
    return x;
}

mat mat_beside(matrices *w, mat left, mat right) {
    mat x = mat_new(w, left.rows, left.cols + right.cols);
    for (int i = 0; i < x.rows; i++) {
        for (int j = 0; j < left.cols; j++)
            x.at[i * x.cols + j] = left.at[i * left.cols + j];
        for (int j = 0; j < right.cols; j++)
            x.at[i * x.cols + left.cols + j] = right.at[i * right.cols + j];
    }
    return x;
}

mat mat_columns(matrices *w, mat x, const int *which, int count) {
    mat y = mat_new(w, x.rows, count);
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < count; j++)
            y.at[i * count + j] = x.at[i * x.cols + which[j]];
    return y;
}

mat mat_rows(matrices *w, mat x, const int *which, int count) {
    mat y = mat_new(w, count, x.cols);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < x.cols; j++)
            y.at[i * x.cols + j] = x.at[which[i] * x.cols + j];
    return y;
}

mat mat_block(matrices *w, mat x, int row, int col, int rows, int cols) {
    mat y = mat_new(w, rows, cols);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            y.at[i * cols + j] = x.at[(row + i) * x.cols + col + j];
    return y;
}

static double *scratch(matrices *w, mat x) {
    return take(w, lapack_scratch(x.rows > x.cols ? x.rows : x.cols));
}

svd mat_svd(matrices *w, mat x) {
    int k = x.rows < x.cols ? x.rows : x.cols;
    svd d = {mat_new(w, x.rows, k), mat_new(w, k, 1), mat_new(w, x.cols, x.cols)};
    mat copy = mat_copy(w, x);
    if (!lapack_svd(x.rows, x.cols, copy.at, d.U.at, d.s.at, d.Vt.at, scratch(w, x)))
        w->failed = true;
    return d;
}

// V_r diag(1/s) U_r'
mat mat_pinv(matrices *w, mat x, int rank) {
    svd d = mat_svd(w, x);
    mat p = mat_new(w, x.cols, x.rows);
    for (int k = 0; k < rank && k < d.s.rows; k++) {
        if (!(d.s.at[k] > 0)) {
            w->failed = true;
            break;
        }
        for (int i = 0; i < x.cols; i++)
            for (int j = 0; j < x.rows; j++)
                p.at[i * x.rows + j] += d.Vt.at[k * x.cols + i] / d.s.at[k] * d.U.at[j * d.U.cols + k];
    }
    return p;
}

mat mat_null(matrices *w, mat x, int rank) {
    svd d = mat_svd(w, x);
    return mat_transpose(w, mat_block(w, d.Vt, rank, 0, x.cols - rank, x.cols));
}

bool mat_roots(matrices *w, mat m, mat *half, mat *inverse_half) {
    const double definite = 1e-13; // smallest eigenvalue, as a part of the largest
    int n = m.rows;
    mat vectors = mat_copy(w, m), values = mat_new(w, n, 1);
    *half = mat_new(w, n, n);
    *inverse_half = mat_new(w, n, n);
    if (!lapack_eigen(n, vectors.at, values.at, scratch(w, m)))
        w->failed = true;
    if (w->failed || (n && !(values.at[0] > definite * values.at[n - 1])))
        return false;
    for (int k = 0; k < n; k++) {
        double root = sqrt(values.at[k]);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double part = vectors.at[k * n + i] * vectors.at[k * n + j];
                half->at[i * n + j] += root * part;
                inverse_half->at[i * n + j] += part / root;
            }
    }
    return true;
}

mat mat_solve(matrices *w, mat k, mat x) {
    mat factors = mat_copy(w, k), y = mat_copy(w, x);
    int *pivot = matrices_ints(w, k.rows);
    int wider = x.cols > k.rows ? x.cols : k.rows;
    if (!lapack_solve(k.rows, x.cols, factors.at, y.at, pivot, take(w, lapack_scratch(wider))))
        w->failed = true;
    return y;
}

double mat_largest(mat x) {
    double largest = 0;
    for (size_t i = 0; i < size_of(x); i++)
        largest = fmax(largest, fabs(x.at[i]));
    return largest;
}

double mat_norm(mat x) {
    double sum = 0;
    for (size_t i = 0; i < size_of(x); i++)
        sum += x.at[i] * x.at[i];
    return sqrt(sum);
}
