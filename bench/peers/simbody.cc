// Simbody: trees of pins (coordinates that cannot violate them), loops closed by constraints with projection,
// Runge-Kutta Merson with accuracy 1e-10 (1e-6 for chains beyond 100). P3 is left out: it fails in the
// singular position.
#include "../report.h"
#include <Simbody.h>
#include <memory>

using namespace SimTK;

struct Problem {
    MultibodySystem system;
    SimbodyMatterSubsystem matter{system};
    GeneralForceSubsystem forces{system};
    std::vector<MobilizedBody> bodies;
    State state;
    Real end = 10, accuracy = 1e-10;
};

static void make_chain(Problem &p, int N) {
    Force::Gravity(p.forces, p.matter, -YAxis, 9.81);
    Body::Rigid mass(MassProperties(1, Vec3(0), Inertia(0)));
    for (int i = 0; i < N; i++) {
        MobilizedBody &parent = i ? p.bodies.back() : static_cast<MobilizedBody &>(p.matter.Ground());
        p.bodies.push_back(MobilizedBody::Pin(parent, Transform(), mass, Transform(Vec3(-1, 0, 0))));
    }
    p.state = p.system.realizeTopology();
}

static void make_bricard(Problem &p) {
    Force::Gravity(p.forces, p.matter, -YAxis, 9.81);
    const Vec3 half[] = {Vec3(.5, 0, 0), Vec3(0, -.5, 0), Vec3(0, 0, .5), Vec3(-.5, 0, 0), Vec3(0, .5, 0)};
    const Rotation to_x(Pi / 2, YAxis), to_y(-Pi / 2, XAxis), to_z; // a pin turns about its z axis
    const Rotation turn[] = {to_y, to_z, to_x, to_y, to_z};
    for (int i = 0; i < 5; i++) {
        Vec3 J(1.01 / 12);
        J[i % 3 == 0 ? 0 : i % 3] = 1.0 / 600; // the rods lie along x, y, z, x, y
        Body::Rigid rod(MassProperties(1, Vec3(0), Inertia(J)));
        MobilizedBody &parent = i ? p.bodies.back() : static_cast<MobilizedBody &>(p.matter.Ground());
        p.bodies.push_back(MobilizedBody::Pin(parent, Transform(turn[i], i ? half[i - 1] : Vec3(0)), rod,
                                              Transform(turn[i], -half[i])));
    }
    MobilizedBody &ground = p.matter.Ground(), &last = p.bodies.back();
    Constraint::Ball(ground, Vec3(0, 0, 1), last, half[4]);
    Constraint::ConstantAngle(ground, UnitVec3(XAxis), last, UnitVec3(YAxis), Pi / 2);
    Constraint::ConstantAngle(ground, UnitVec3(XAxis), last, UnitVec3(ZAxis), Pi / 2);
    p.state = p.system.realizeTopology();
}

static void make_body(Problem &p) {
    Body::Rigid body(MassProperties(1, Vec3(0), Inertia(1, 2, 3)));
    p.bodies.push_back(MobilizedBody::Ball(p.matter.Ground(), Transform(), body, Transform()));
    p.state = p.system.realizeTopology();
    p.bodies[0].setUFromVector(p.state, Vector(Vec3(0.01, 5, 0.01)));
    p.end = 100;
}

static int values_of(const job *j, const Problem &p, const State &s, double *out) {
    p.system.realize(s, Stage::Velocity);
    Vec3 a, b;
    if (j->problem[1] == '4' || j->problem[1] == '5') {
        a = j->problem[1] == '4'
                ? p.bodies[1].findStationLocationInGround(s, Vec3(0, -.5, 0))
                : Vec3(~p.bodies[0].getBodyRotation(s) * p.bodies[0].getBodyAngularVelocity(s));
        for (int k = 0; k < 3; k++)
            out[k] = a[k];
        return 3;
    }
    int N = (int)p.bodies.size();
    a = p.bodies[N > 2 ? 2 : 0].getBodyOriginLocation(s), b = p.bodies[N - 1].getBodyOriginLocation(s);
    for (int k = 0; k < 2; k++)
        out[k] = a[k], out[2 + k] = b[k];
    return 4;
}

int main(int argc, char **argv) {
    job j = job_read(argc, argv);
    Problem p;
    switch (j.problem[1]) {
    case '1':
        make_chain(p, 2);
        break;
    case '2':
        make_chain(p, j.n);
        p.end = 1;
        if (j.n > 100)
            p.accuracy = 1e-6;
        break;
    case '4':
        make_bricard(p);
        break;
    case '5':
        make_body(p);
        break;
    default:
        return job_unknown(&j);
    }
    double values[4], worst = -1, evaluations = 0;
    int count = 0;
    try {
        while (job_more(&j)) {
            RungeKuttaMersonIntegrator integrator(p.system);
            integrator.setAccuracy(p.accuracy);
            integrator.initialize(p.state);
            job_start(&j);
            TimeStepper stepper(p.system, integrator);
            stepper.initialize(p.state);
            stepper.stepTo(p.end);
            job_stop(&j);
            evaluations = integrator.getNumRealizations();
            count = values_of(&j, p, integrator.getState(), values);
        }
        if (j.repeats > 1 && j.problem[1] == '4') {
            RungeKuttaMersonIntegrator integrator(p.system);
            integrator.setAccuracy(p.accuracy);
            TimeStepper stepper(p.system, integrator);
            stepper.initialize(p.state);
            for (int i = 1; i <= 1000; i++) {
                stepper.stepTo(p.end * i / 1000);
                p.system.realize(integrator.getState(), Stage::Position);
                worst = std::max(worst, (double)integrator.getState().getQErr().normInf());
            }
        }
    } catch (const std::exception &e) {
        return fprintf(stderr, "%s\n", e.what()), 1;
    }
    job_print(&j, evaluations, values, count, worst);
    return 0;
}
