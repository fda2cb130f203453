// Bullet: its articulated body (btMultiBody, Featherstone), first order; Debian's build computes in single
// precision.
#include "../report.h"
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

int main(int argc, char **argv) {
    job j = job_read(argc, argv);
    int N = job_is(&j, "p1") ? 2 : j.n;
    if (!job_is(&j, "p1") && !job_is(&j, "p2"))
        return job_unknown(&j);
    const double h = 1e-4, end = job_is(&j, "p1") ? 10 : 1;
    const long steps = lround(end / h);
    double values[4];
    while (job_more(&j)) {
        btDefaultCollisionConfiguration configuration;
        btCollisionDispatcher dispatcher(&configuration);
        btDbvtBroadphase broadphase;
        btMultiBodyConstraintSolver solver;
        btMultiBodyDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
        world.setGravity(btVector3(0, btScalar(-9.81), 0));
        btMultiBody chain(N, 0, btVector3(0, 0, 0), true, false); // fixed base, never asleep
        for (int i = 0; i < N; i++)
            chain.setupRevolute(i, 1, btVector3(0, 0, 0), i - 1, btQuaternion(0, 0, 0, 1), btVector3(0, 0, 1),
                                btVector3(0, 0, 0), btVector3(1, 0, 0),
                                true); // a link's pivot is the mass before it
        chain.finalizeMultiDof();
        chain.setLinearDamping(0);
        chain.setAngularDamping(0);
        chain.setMaxCoordinateVelocity(1e6f);
        world.addMultiBody(&chain);
        job_start(&j);
        for (long k = 0; k < steps; k++)
            world.stepSimulation(btScalar(h), 0);
        job_stop(&j);
        double angle = 0, x = 0, y = 0;
        for (int i = 0; i < N; i++) {
            angle += chain.getJointPos(i), x += cos(angle), y += sin(angle);
            if (i == (N > 2 ? 2 : 0))
                values[0] = x, values[1] = y;
        }
        values[2] = x, values[3] = y;
        world.removeMultiBody(&chain);
    }
    job_print(&j, steps, values, 4, -1);
    return 0;
}
