/* ODE, the Open Dynamics Engine: point masses at fixed distances (the "DBall" joint), its accurate stepper
 * (dWorldStep). It is of first order: the step is what makes a second of computing, more or less. */
#include "../report.h"
#include <ode/ode.h>

static dReal limited(int N) {
    return N <= 2 ? 1e-5 : N <= 10 ? 1e-4 : 1e-3;
}

int main(int argc, char **argv) {
    job j = job_read(argc, argv);
    int N = job_is(&j, "p1") ? 2 : j.n;
    if (!job_is(&j, "p1") && !job_is(&j, "p2"))
        return job_unknown(&j);
    dReal h = limited(N), end = job_is(&j, "p1") ? 10 : 1;
    long steps = lround(end / h);
    double values[4], worst = 0;
    dInitODE2(0);
    dBodyID *body = calloc(N, sizeof(dBodyID));
    for (int watching = 0; watching <= (j.repeats > 1); watching++) {
        while (watching || job_more(&j)) {
            dWorldID world = dWorldCreate();
            dWorldSetGravity(world, 0, -9.81, 0);
            dWorldSetCFM(world, 0);
            for (int i = 0; i < N; i++) {
                dMass m;
                dMassSetParameters(&m, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0);
                body[i] = dBodyCreate(world);
                dBodySetMass(body[i], &m);
                dBodySetPosition(body[i], i + 1, 0, 0);
                dJointID rod = dJointCreateDBall(world, 0);
                dJointAttach(rod, body[i], i ? body[i - 1] : 0);
                dJointSetDBallAnchor1(rod, i + 1, 0, 0);
                dJointSetDBallAnchor2(rod, i, 0, 0);
            }
            job_start(&j);
            for (long k = 0; k < steps; k++) {
                dWorldStep(world, h);
                for (int i = 0; watching && i < N; i++) {
                    const dReal *a = dBodyGetPosition(body[i]), zero[3] = {0},
                                *b = i ? dBodyGetPosition(body[i - 1]) : zero;
                    double x = a[0] - b[0], y = a[1] - b[1];
                    worst = fmax(worst, fabs(x * x + y * y - 1));
                }
            }
            if (watching)
                break;
            job_stop(&j);
            for (int k = 0; k < 2; k++) {
                values[k] = dBodyGetPosition(body[N > 2 ? 2 : 0])[k];
                values[2 + k] = dBodyGetPosition(body[N - 1])[k];
            }
            dWorldDestroy(world);
        }
    }
    job_print(&j, steps, values, 4, worst);
    return 0;
}
