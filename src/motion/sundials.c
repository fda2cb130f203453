/* SUNDIALS' library: found, loaded, and looked at before it is trusted. */
#include "motion/sundials.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define LIBRARY "libsundials_cvode.so.6" // vectors, matrices and solvers are in this one, too

typedef struct {
    const char *name;
    size_t offset; // in sundials
} function;

#define PLACE(result, name, parameters) {#name, offsetof(sundials, name)},
static const function functions[] = {SUNDIALS_FUNCTIONS(PLACE)};

/* The library stays in the process once loaded, so that loading it again for the next run costs 10 us. */
static bool find_functions(sundials *lib) {
    void *handle = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    bool complete = handle != NULL;
    for (size_t i = 0; complete && i < sizeof functions / sizeof *functions; i++) {
        void *symbol = dlsym(handle, functions[i].name);
        memcpy((char *)lib + functions[i].offset, &symbol, sizeof symbol);
        complete = symbol != NULL;
    }
    if (handle)
        dlclose(handle);
    return complete;
}

/* SUNDIALS can be built with other reals and indices, and does not say which. So: |-2| in place, which
 * changes no bit of the upper half if reals have four bytes, and no bit of the lower if they have sixteen;
 * and a length, of which only half is written if indices have four bytes. */
static bool sizes_fit(const sundials *lib, sun_vector *vector, const double *numbers) {
    sun_index reals = -1, integers = -1;
    lib->N_VAbs(vector, vector);
    lib->N_VSpace(vector, &reals, &integers);
    return numbers[0] == 2 && reals == 1;
}

/* Whether a solver's table of functions begins as declared: its setup is where we would put ours. */
static bool solvers_fit(const sundials *lib, sun_vector *vector, sun_context *context) {
    sun_matrix *matrix = lib->SUNDenseMatrix(1, 1, context);
    sun_linear *linear = matrix ? lib->SUNLinSol_Dense(vector, matrix, context) : NULL;
    bool fits = linear == NULL || linear->ops->setup == lib->SUNLinSolSetup_Dense;
    if (linear)
        lib->SUNLinSolFree(linear);
    if (matrix)
        lib->SUNMatDestroy(matrix);
    return fits;
}

bool sundials_fits(const sundials *lib) {
    int major = 0, minor, patch;
    char label[64];
    double numbers[2] = {-2, 0}; // room for one real of sixteen bytes
    sun_context *context = NULL;
    if (lib->SUNDIALSGetVersionNumber(&major, &minor, &patch, label, sizeof label) != 0 || major != 6)
        return false;
    if (lib->SUNContext_Create(NULL, &context) != 0)
        return true; // no memory, as the next who asks will find
    sun_vector *vector = lib->N_VMake_Serial(1, numbers, context);
    bool fits = vector == NULL || (sizes_fit(lib, vector, numbers) && solvers_fit(lib, vector, context));
    if (vector)
        lib->N_VDestroy(vector);
    lib->SUNContext_Free(&context);
    return fits;
}

bool sundials_load(sundials *lib) {
    return find_functions(lib) && sundials_fits(lib);
}

const char *sundials_missing(const char **hint) {
    sundials lib;
    *hint = "install the package libsundials-cvode6, or take rk8 or rk5";
    if (!find_functions(&lib))
        return "needs " LIBRARY " of SUNDIALS 6, which cannot be loaded";
    if (!sundials_fits(&lib))
        return "needs SUNDIALS 6 with double precision and 64-bit indices, and " LIBRARY " is another";
    return NULL;
}
