/* P5 by hand. */
#include "p5.h"
#include "../report.h"
#include "dopri5.h"

static void watch(void *c, const double *y) {
    double *worst = c;
    *worst = fmax(*worst, p5_violation(y));
}

int main(int argc, char **argv) {
    job j = job_read(argc, argv);
    double y[P5_SIZE], work[DOPRI5_WORK * P5_SIZE], worst = 0;
    long evaluations = 0;
    if (!job_is(&j, "p5"))
        return job_unknown(&j);
    while (job_more(&j)) {
        p5_start(y);
        job_start(&j);
        evaluations = dopri5(P5_SIZE, y, 100, 1e-10, p5_rhs, NULL, NULL, NULL, work);
        job_stop(&j);
    }
    if (j.repeats > 1) {
        p5_start(y);
        dopri5(P5_SIZE, y, 100, 1e-10, p5_rhs, NULL, watch, &worst, work);
    }
    job_print(&j, evaluations, y + 4, 3, worst);
    return 0;
}
