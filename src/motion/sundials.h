/* The part of SUNDIALS that cvode.c uses: CVODE with its serial vectors, dense matrices and solvers. Its
 * library is loaded when a method first asks for it (0.2 ms), never linked, and its headers are not needed to
 * build: the 44 functions are declared here as version 6 has them, with real numbers of double precision and
 * 64-bit indices; sundials_missing and sundials_load check that. */
#ifndef TRAMMEL_MOTION_SUNDIALS_H
#define TRAMMEL_MOTION_SUNDIALS_H

#include <stdbool.h>
#include <stdint.h>

// SUNDIALS' own objects, seen from outside
typedef struct sun_context sun_context;
typedef struct sun_vector sun_vector;
typedef struct sun_matrix sun_matrix;
typedef struct sun_linear sun_linear;
typedef struct sun_nonlinear sun_nonlinear;
typedef int64_t sun_index;

/* Of this one the beginning, as far as a solver of our own fills it in. */
typedef struct {
    int (*type)(sun_linear *), (*id)(sun_linear *);
    void (*not_for_direct[4])(void);
    int (*initialize)(sun_linear *);
    int (*setup)(sun_linear *, sun_matrix *);
    int (*solve)(sun_linear *, sun_matrix *, sun_vector *x, sun_vector *b, double tolerance);
} sun_linear_ops;
struct sun_linear {
    void *content;
    sun_linear_ops *ops;
};

enum { SUN_ADAMS = 1, SUN_BDF = 2 }; // methods of CVodeCreate
enum { SUN_ONE_STEP = 2 };           // what CVode is to do

/* What CVODE calls, always with the pointer given to CVodeSetUserData; > 0: try a shorter step, < 0: end. */
typedef int sun_f(double t, sun_vector *y, sun_vector *dydt, void *user);
typedef int sun_jacobian(double t, sun_vector *y, sun_vector *dydt, sun_matrix *J, void *user, sun_vector *a,
                         sun_vector *b, sun_vector *c); // a, b, c: to work in
typedef int sun_system(double t, sun_vector *y, sun_vector *dydt, sun_matrix *M, int keep, int *renewed,
                       double gamma, void *user, sun_vector *a, sun_vector *b, sun_vector *c);
typedef int sun_project(double t, sun_vector *y, sun_vector *correction, double epsilon, sun_vector *error,
                        void *user); // error may be NULL
typedef void sun_complain(int code, const char *module, const char *function, char *message, void *user);

/* Functions that return int return 0 if all went well, those that return a pointer NULL if there was no
 * memory. */
#define SUNDIALS_FUNCTIONS(F)                                                                                \
    F(int, SUNDIALSGetVersionNumber, (int *major, int *minor, int *patch, char *label, int room))            \
    F(int, SUNContext_Create, (void *communicator, sun_context **made))                                      \
    F(int, SUNContext_Free, (sun_context **))                                                                \
    F(sun_vector *, N_VMake_Serial, (sun_index size, double *numbers, sun_context *))                        \
    F(void, N_VDestroy, (sun_vector *))                                                                      \
    F(double *, N_VGetArrayPointer, (sun_vector *))                                                          \
    F(void, N_VSpace, (sun_vector *, sun_index * reals, sun_index * integers))                               \
    F(void, N_VAbs, (sun_vector * from, sun_vector * to))                                                    \
    F(sun_matrix *, SUNDenseMatrix, (sun_index rows, sun_index columns, sun_context *))                      \
    F(double *, SUNDenseMatrix_Data, (sun_matrix *)) /* by columns */                                        \
    F(void, SUNMatDestroy, (sun_matrix *))                                                                   \
    F(sun_linear *, SUNLinSol_Dense, (sun_vector *, sun_matrix *, sun_context *))                            \
    F(sun_linear *, SUNLinSolNewEmpty, (sun_context *))                                                      \
    F(sun_matrix *, SUNMatNewEmpty, (sun_context *))                                                         \
    F(int, SUNLinSolSetup_Dense, (sun_linear *, sun_matrix *))                                               \
    F(int, SUNLinSolFree, (sun_linear *))                                                                    \
    F(sun_nonlinear *, SUNNonlinSol_FixedPoint, (sun_vector *, int remembered, sun_context *))               \
    F(int, SUNNonlinSolFree, (sun_nonlinear *))                                                              \
    F(void *, CVodeCreate, (int method, sun_context *))                                                      \
    F(void, CVodeFree, (void **memory))                                                                      \
    F(int, CVodeInit, (void *memory, sun_f *, double t, sun_vector *y))                                      \
    F(int, CVodeReInit, (void *memory, double t, sun_vector *y))                                             \
    F(int, CVodeSVtolerances, (void *memory, double relative, sun_vector *absolute))                         \
    F(int, CVodeSetUserData, (void *memory, void *user))                                                     \
    F(int, CVodeSetErrHandlerFn, (void *memory, sun_complain *, void *user))                                 \
    F(int, CVodeSetMaxNumSteps, (void *memory, long most))                                                   \
    F(int, CVodeSetMaxErrTestFails, (void *memory, int most))                                                \
    F(int, CVodeSetMaxConvFails, (void *memory, int most))                                                   \
    F(int, CVodeSetMaxHnilWarns, (void *memory, int most))                                                   \
    F(int, CVodeSetMinStep, (void *memory, double step))                                                     \
    F(int, CVodeSetInitStep, (void *memory, double step))                                                    \
    F(int, CVodeSetStopTime, (void *memory, double t))                                                       \
    F(int, CVodeSetLinearSolver, (void *memory, sun_linear *, sun_matrix *))                                 \
    F(int, CVodeSetJacFn, (void *memory, sun_jacobian *))                                                    \
    F(int, CVodeSetLinSysFn, (void *memory, sun_system *))                                                   \
    F(int, CVodeSetNonlinearSolver, (void *memory, sun_nonlinear *))                                         \
    F(int, CVodeSetProjFn, (void *memory, sun_project *))                                                    \
    F(int, CVodeSetMaxNumProjFails, (void *memory, int most))                                                \
    F(int, CVode, (void *memory, double end, sun_vector *y, double *t, int task))                            \
    F(int, CVodeGetDky, (void *memory, double t, int derivative, sun_vector *))                              \
    F(int, CVodeGetLastOrder, (void *memory, int *order))                                                    \
    F(int, CVodeGetCurrentGamma, (void *memory, double *gamma))                                              \
    F(int, CVodeGetNumErrTestFails, (void *memory, long *count))                                             \
    F(int, CVodeGetNumStepSolveFails, (void *memory, long *count))                                           \
    F(int, CVodeGetNumProjFails, (void *memory, long *count))

#define SUNDIALS_POINTER(result, name, parameters) result(*name) parameters;
typedef struct {
    SUNDIALS_FUNCTIONS(SUNDIALS_POINTER)
} sundials;

bool sundials_load(sundials *lib); // false if it is not there, or is not as declared here
bool sundials_fits(const sundials *lib);
const char *sundials_missing(const char **hint); // as integrator_ops.missing

#endif
