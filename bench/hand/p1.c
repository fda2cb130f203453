/* P1 by hand. The drift of the constraints stays below the error of the motion, so nothing is projected. */
#include "p1.h"
#include "../report.h"
#include "dopri5.h"

static void watch(void *c, const double *y) {
    double *worst = c;
    *worst = fmax(*worst, p1_violation(y));
}

int main(int argc, char **argv) {
    job j = job_read(argc, argv);
    double y[P1_SIZE], work[DOPRI5_WORK * P1_SIZE], worst = 0;
    long evaluations = 0;
    if (job_is(&j, "p1-evaluate")) {         // n evaluations, for counting instructions
        rhs_function *volatile rhs = p1_rhs; // or the compiler knows the state
        p1_start(y);
        for (int k = 0; k < j.n; k++) {
            rhs(NULL, y, work);
            y[0] += 1e-12 * work[4];
        }
        job_print(&j, j.n, y, P1_SIZE, 0);
        return 0;
    }
    if (!job_is(&j, "p1"))
        return job_unknown(&j);
    while (job_more(&j)) {
        p1_start(y);
        job_start(&j);
        evaluations = dopri5(P1_SIZE, y, 10, 1e-10, p1_rhs, NULL, NULL, NULL, work);
        job_stop(&j);
    }
    if (j.repeats > 1) {
        p1_start(y);
        dopri5(P1_SIZE, y, 10, 1e-10, p1_rhs, NULL, watch, &worst, work);
    }
    job_print(&j, evaluations, y, 4, worst);
    return 0;
}
