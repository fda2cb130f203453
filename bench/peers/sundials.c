/* SUNDIALS, ARKODE: explicit Runge-Kutta of order 8(7) (Fehlberg), tolerance 1e-10, with the hand-written
 * right-hand sides. The library takes any; these are the fastest there are. */
#include "../hand/dopri5.h"
#include "../hand/p1.h"
#include "../hand/p2.h"
#include "../hand/p5.h"
#include "../report.h"
#include <arkode/arkode_erkstep.h>
#include <nvector/nvector_serial.h>

typedef struct {
    rhs_function *rhs;
    void *context;
} problem;

static int call(realtype t, N_Vector y, N_Vector f, void *user) {
    (void)t;
    problem *p = user;
    p->rhs(p->context, N_VGetArrayPointer(y), N_VGetArrayPointer(f));
    return 0;
}

static void start(const job *j, double *y) {
    if (job_is(j, "p1"))
        p1_start(y);
    else if (job_is(j, "p2"))
        chain_start(j->n, y);
    else
        p5_start(y);
}

static double violation(const job *j, const double *y) {
    return job_is(j, "p1") ? p1_violation(y) : job_is(j, "p2") ? chain_violation(j->n, y) : p5_violation(y);
}

int main(int argc, char **argv) {
    job j = job_read(argc, argv);
    problem p;
    chain h;
    int n;
    double end;
    if (job_is(&j, "p1")) {
        p = (problem){p1_rhs, NULL};
        n = P1_SIZE, end = 10;
    } else if (job_is(&j, "p2")) {
        h = chain_create(j.n);
        p = (problem){chain_rhs, &h};
        n = 4 * j.n, end = 1;
    } else if (job_is(&j, "p5")) {
        p = (problem){p5_rhs, NULL};
        n = P5_SIZE, end = 100;
    } else {
        return job_unknown(&j);
    }
    SUNContext context;
    SUNContext_Create(NULL, &context);
    N_Vector v = N_VNew_Serial(n, context);
    double *y = N_VGetArrayPointer(v), worst = 0;
    long evaluations = 0;
    for (int watching = 0; watching < 2; watching++) {
        while (watching || job_more(&j)) {
            start(&j, y);
            void *ark = ERKStepCreate(call, 0, v, context);
            ERKStepSetUserData(ark, &p);
            ERKStepSStolerances(ark, 1e-10, 1e-10);
            ERKStepSetOrder(ark, 8);
            ERKStepSetMaxNumSteps(ark, 10000000);
            ERKStepSetStopTime(ark, end);
            realtype t = 0;
            job_start(&j);
            if (!watching) {
                if (ERKStepEvolve(ark, end, v, &t, ARK_NORMAL) < 0)
                    return 1;
                job_stop(&j);
                ERKStepGetNumRhsEvals(ark, &evaluations);
            } else {
                while (t < end) {
                    if (ERKStepEvolve(ark, end, v, &t, ARK_ONE_STEP) < 0)
                        return 1;
                    worst = fmax(worst, violation(&j, y));
                }
            }
            ERKStepFree(&ark);
            if (watching)
                break;
        }
        if (j.repeats == 1)
            break;
    }
    double values[4];
    int count = job_is(&j, "p2") ? chain_values(j.n, y, values) : job_is(&j, "p1") ? 4 : 3;
    if (!job_is(&j, "p2"))
        memcpy(values, job_is(&j, "p1") ? y : y + 4, sizeof(double) * count);
    job_print(&j, evaluations, values, count, worst);
    return 0;
}
