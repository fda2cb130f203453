/* P2 by hand. The drift of the constraints stays below the error of the motion, so nothing is projected. */
#include "p2.h"
#include "../report.h"
#include "dopri5.h"

typedef struct {
    chain h;
    double worst;
} watched;

static void watch(void *c, const double *y) {
    watched *w = c;
    w->worst = fmax(w->worst, chain_violation(w->h.N, y));
}

static void evaluate(chain *h, double *y, double *f, int times) {
    chain_start(h->N, y);
    for (int k = 0; k < times; k++) {
        chain_rhs(h, y, f);
        y[0] += 1e-12 * f[3 * h->N];
    }
}

int main(int argc, char **argv) {
    job j = job_read(argc, argv);
    int counting = job_is(&j, "p2-evaluate"), N = counting ? 100 : j.n;
    if (!counting && !job_is(&j, "p2"))
        return job_unknown(&j);
    watched w = {chain_create(N), 0};
    double *y = aligned_alloc(64, sizeof(double) * 4 * ((size_t)N + 15)), values[4];
    double *work = aligned_alloc(64, sizeof(double) * 4 * ((size_t)N + 15) * DOPRI5_WORK);
    if (!y || !work)
        return 1;
    long evaluations = j.n;
    if (counting)
        evaluate(&w.h, y, work, j.n); // n evaluations of 100 links, for counting instructions
    while (!counting && job_more(&j)) {
        chain_start(N, y);
        job_start(&j);
        evaluations = dopri5(4 * N, y, chain_end(N), 1e-10, chain_rhs, NULL, NULL, &w.h, work);
        job_stop(&j);
    }
    if (!counting && j.repeats > 1) {
        chain_start(N, y);
        dopri5(4 * N, y, chain_end(N), 1e-10, chain_rhs, NULL, watch, &w, work);
    }
    job_print(&j, evaluations, values, chain_values(N, y, values), w.worst);
    return 0;
}
