// DART: a tree of revolute joints, its semi-implicit Euler step (first order).
#include "../report.h"
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>

int main(int argc, char **argv) {
    job j = job_read(argc, argv);
    int N = job_is(&j, "p1") ? 2 : j.n;
    if (!job_is(&j, "p1") && !job_is(&j, "p2"))
        return job_unknown(&j);
    const double h = job_is(&j, "p1") ? 1e-5 : 1e-4, end = job_is(&j, "p1") ? 10 : 1;
    const long steps = lround(end / h);
    double values[4];
    while (job_more(&j)) {
        auto chain = dart::dynamics::Skeleton::create("chain");
        dart::dynamics::BodyNode *parent = nullptr;
        for (int i = 0; i < N; i++) {
            dart::dynamics::RevoluteJoint::Properties pin;
            pin.mName = "pin" + std::to_string(i);
            pin.mAxis = Eigen::Vector3d::UnitZ();
            pin.mT_ParentBodyToJoint.translation() = Eigen::Vector3d(i ? 1 : 0, 0, 0);
            dart::dynamics::BodyNode::Properties body;
            body.mName = "mass" + std::to_string(i);
            body.mInertia =
                dart::dynamics::Inertia(1, Eigen::Vector3d(1, 0, 0), 1e-9 * Eigen::Matrix3d::Identity());
            parent =
                chain->createJointAndBodyNodePair<dart::dynamics::RevoluteJoint>(parent, pin, body).second;
        }
        auto world = dart::simulation::World::create();
        world->setGravity(Eigen::Vector3d(0, -9.81, 0));
        world->setTimeStep(h);
        world->addSkeleton(chain);
        job_start(&j);
        for (long k = 0; k < steps; k++)
            world->step();
        job_stop(&j);
        Eigen::Vector3d a = chain->getBodyNode(N > 2 ? 2 : 0)->getCOM(),
                        b = chain->getBodyNode(N - 1)->getCOM();
        values[0] = a[0], values[1] = a[1], values[2] = b[0], values[3] = b[1];
    }
    job_print(&j, steps, values, 4, -1);
    return 0;
}
