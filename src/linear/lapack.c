#include "linear/lapack.h"

#include "linear/eigen.h"
#include "linear/lu.h"

#include <dlfcn.h>
#include <string.h>

/* LAPACK's own interface: everything by address, matrices by columns, the lengths of texts at the end. */
#define LIBRARY "liblapack.so.3"

typedef void svd_function(const char *jobu, const char *jobvt, const int *m, const int *n, double *a,
                          const int *lda, double *s, double *u, const int *ldu, double *vt, const int *ldvt,
                          double *work, const int *lwork, int *info, size_t length_u, size_t length_vt);
typedef void eigen_function(const char *jobz, const char *uplo, const int *n, double *a, const int *lda,
                            double *w, double *work, const int *lwork, int *info, size_t length_z,
                            size_t length_uplo);
typedef void general_function(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda,
                              double *re, double *im, double *vl, const int *ldvl, double *vr,
                              const int *ldvr, double *work, const int *lwork, int *info, size_t length_vl,
                              size_t length_vr);
typedef void solve_function(const int *n, const int *columns, double *a, const int *lda, int *pivot,
                            double *b, const int *ldb, int *info);

typedef struct {
    svd_function *svd;
    eigen_function *eigen;
    solve_function *solve;
    general_function *general;
} library;

/* The library stays in the process once loaded: asking again costs less than a microsecond. */
static bool load(library *lib) {
    static const char *const names[] = {"dgesvd_", "dsyev_", "dgesv_", "dgeev_"};
    void *symbols[4] = {0};
    void *handle = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == NULL)
        return false;
    bool complete = true;
    for (int i = 0; i < 4; i++) {
        symbols[i] = dlsym(handle, names[i]);
        complete &= symbols[i] != NULL;
    }
    memcpy(&lib->svd, &symbols[0], sizeof symbols[0]);
    memcpy(&lib->eigen, &symbols[1], sizeof symbols[1]);
    memcpy(&lib->solve, &symbols[2], sizeof symbols[2]);
    memcpy(&lib->general, &symbols[3], sizeof symbols[3]);
    dlclose(handle);
    return complete;
}

const char *lapack_missing(const char **hint) {
    library lib;
    if (load(&lib))
        return NULL;
    *hint = "install the package liblapack3; only compare and the papers' formulations need it";
    return "needs " LIBRARY ", which cannot be loaded";
}

// dgesvd asks for max(3 min + max, 5 min), dsyev for 3 n, dgeev for 4 n; the rest is for the transposed right
// side of dgesv
size_t lapack_scratch(int size) {
    size_t s = (size_t)size;
    return 8 * s + s * s + 1;
}

/* By columns, X is X' (n x m) = Vt' diag(s) U': what LAPACK calls U is our Vt, and the other way round. */
bool lapack_svd(int m, int n, double *X, double *U, double *s, double *Vt, double *scratch) {
    library lib;
    int k = m < n ? m : n, size = m > n ? m : n, room = 8 * size + 1, info = 0;
    if (m == 0 || n == 0) {
        memset(Vt, 0, (size_t)n * (size_t)n * sizeof *Vt);
        for (int i = 0; i < n; i++)
            Vt[i * n + i] = 1;
        return true;
    }
    if (!load(&lib))
        return eigen_svd(m, n, X, U, s, Vt, scratch);
    lib.svd("A", "S", &n, &m, X, &n, s, Vt, &n, U, &k, scratch, &room, &info, 1, 1);
    return info == 0;
}

bool lapack_eigen(int n, double *K, double *w, double *scratch) {
    library lib;
    int room = 8 * n + 1, info = 0;
    if (n == 0)
        return true;
    if (!load(&lib))
        return false;
    lib.eigen("V", "L", &n, K, &n, w, scratch, &room, &info, 1, 1);
    return info == 0;
}

// K' has the eigenvalues of K, and u^H K' = lambda u^H is K conj(u) = lambda conj(u)
bool lapack_eigenvalues(int n, double *K, double *re, double *im, double *V, double *scratch) {
    library lib;
    double none[1];
    int room = 8 * n + 1, one = 1, info = 0;
    if (n == 0)
        return true;
    if (!load(&lib))
        return eigen_values(n, K, re, im, V, scratch);
    lib.general(V ? "V" : "N", "N", &n, K, &n, re, im, V ? V : none, V ? &n : &one, none, &one, scratch,
                &room, &info, 1, 1);
    for (int i = 0; V && i < n * n; i++)
        if (im[i / n] < 0)
            V[i] = -V[i];
    return info == 0;
}

static void transpose(int rows, int columns, const double *from, double *to) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            to[j * rows + i] = from[i * columns + j];
}

static bool solve_without(int n, int k, double *K, double *X, int *pivot, double *scratch) {
    int sign;
    double *x = scratch + 2 * n;
    if (lu_factor(K, n, pivot, scratch, &sign) >= 0)
        return false;
    for (int j = 0; j < k; j++) {
        for (int i = 0; i < n; i++)
            x[i] = X[i * k + j];
        lu_solve(K, n, pivot, x);
        for (int i = 0; i < n; i++)
            X[i * k + j] = x[i];
    }
    return true;
}

bool lapack_solve(int n, int k, double *K, double *X, int *pivot, double *scratch) {
    library lib;
    int info = 0;
    if (n == 0 || k == 0)
        return true;
    if (!load(&lib))
        return solve_without(n, k, K, X, pivot, scratch);
    transpose(n, n, K, scratch);
    memcpy(K, scratch, (size_t)n * (size_t)n * sizeof *K);
    transpose(n, k, X, scratch);
    lib.solve(&n, &k, K, &n, pivot, scratch, &n, &info);
    transpose(k, n, scratch, X);
    return info == 0;
}
