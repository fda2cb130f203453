// Simbody: trees of pins and balls (coordinates that cannot violate them), loops closed by constraints with
// projection, Runge-Kutta Merson with accuracy 1e-10 (1e-6 for chains beyond 100). P3 is left out: it fails
// in the singular position.
#include "../joints.h"
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

static Vec3 vec(const double *x) {
    return Vec3(x[0], x[1], x[2]);
}

static Inertia about(const double *I) { // xx, yy, zz, xy, xz, yz
    return Inertia(I[0], I[1], I[2], I[3], I[4], I[5]);
}

// Bodies have their origin in the joint, as in the data; a pin turns about its z axis.
static void make_linkage(Problem &p, const linkage &c) {
    Force::Gravity(p.forces, p.matter, -ZAxis, JOINTS_G);
    for (int i = 0; i < c.n; i++) {
        const link_data &l = c.link[i];
        const double(*R)[3] = l.turn;
        const Mat33 turn(R[0][0], R[0][1], R[0][2], R[1][0], R[1][1], R[1][2], R[2][0], R[2][1], R[2][2]);
        const Rotation pin(UnitVec3(CoordinateAxis(l.axis)), ZAxis), placed(Rotation(turn, true) * pin);
        const Vec3 centre = vec(l.centre);
        Body::Rigid body(
            MassProperties(l.mass, centre, about(l.inertia).shiftFromMassCenter(centre, l.mass)));
        MobilizedBody &parent = i ? p.bodies.back() : static_cast<MobilizedBody &>(p.matter.Ground());
        p.bodies.push_back(
            MobilizedBody::Pin(parent, Transform(placed, vec(l.at)), body, Transform(pin, Vec3(0))));
        if (c.damping > 0)
            Force::MobilityLinearDamper(p.forces, p.bodies.back(), 0, c.damping);
    }
    p.state = p.system.realizeTopology();
    for (int i = 0; i < c.n; i++)
        p.bodies[i].setOneU(p.state, 0, c.link[i].rate);
    p.end = c.end;
}

// Cranks and rods with their origin in the joint, too; the platform comes last.
static void make_platform(Problem &p) {
    const platform d = joints_platform();
    Force::Gravity(p.forces, p.matter, -ZAxis, JOINTS_G);
    const Vec3 arm(d.crank / 2, 0, 0), rod(0, 0, d.rod / 2);
    auto box = [](double mass, const Vec3 &centre, const double *I) {
        return Body::Rigid(
            MassProperties(mass, centre, Inertia(I[0], I[1], I[2]).shiftFromMassCenter(centre, mass)));
    };
    const Rotation to_shaft(UnitVec3(0, -1, 0), ZAxis);
    for (int i = 0; i < LEGS; i++) {
        double x[3], y[3], along[3];
        joints_crank_axes(&d, i, x, y);
        joints_rod_direction(&d, i, along);
        const Rotation crank(UnitVec3(vec(x)), XAxis, vec(y), YAxis), lean(UnitVec3(vec(along)), ZAxis);
        p.bodies.push_back(
            MobilizedBody::Pin(p.matter.Ground(), Transform(Rotation(crank * to_shaft), vec(d.shaft[i])),
                               box(d.crank_mass, arm, d.crank_inertia), Transform(to_shaft, Vec3(0))));
        Force::MobilityLinearSpring(p.forces, p.bodies.back(), 0, d.stiffness[i], 0);
        p.bodies.push_back(MobilizedBody::Ball(p.bodies.back(), Transform(lean, 2 * arm),
                                               box(d.rod_mass, rod, d.rod_inertia), Transform()));
    }
    p.bodies.push_back(MobilizedBody::Free(p.matter.Ground(), Transform(Vec3(0, 0, PLATFORM_HEIGHT)),
                                           box(d.mass, Vec3(0), d.inertia), Transform()));
    for (int i = 0; i < LEGS; i++)
        Constraint::Ball(p.bodies[2 * i + 1], 2 * rod, p.bodies.back(), vec(d.pin[i]));
    p.state = p.system.realizeTopology();
    p.end = PLATFORM_END;
}

static int values_of_joints(const job *j, const Problem &p, const State &s, double *out) {
    if (j->problem[1] != '3') {
        for (size_t i = 0; i < p.bodies.size(); i++)
            out[i] = p.bodies[i].getOneQ(s, 0);
        return (int)p.bodies.size();
    }
    const platform d = joints_platform();
    const Vec3 centre = p.bodies.back().getBodyOriginLocation(s);
    const Vec3 corner = p.bodies.back().findStationLocationInGround(s, vec(d.pin[0]));
    for (int k = 0; k < 3; k++)
        out[k] = centre[k], out[3 + k] = corner[k];
    return 6;
}

static int values_of(const job *j, const Problem &p, const State &s, double *out) {
    p.system.realize(s, Stage::Velocity);
    if (j->problem[0] == 'j')
        return values_of_joints(j, p, s, out);
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

// false where there is no such problem
static bool make_problem(const job *j, Problem &p) {
    const std::string problem = j->problem;
    if (problem == "j1") {
        make_linkage(p, joints_chain(j->n));
    } else if (problem == "j2") {
        make_linkage(p, joints_arm());
    } else if (problem == "j3") {
        make_platform(p);
    } else if (problem == "p1") {
        make_chain(p, 2);
    } else if (problem == "p2") {
        make_chain(p, j->n);
        p.end = 1;
        if (j->n > 100)
            p.accuracy = 1e-6;
    } else if (problem == "p4") {
        make_bricard(p);
    } else if (problem == "p5") {
        make_body(p);
    } else {
        return false;
    }
    return true;
}

int main(int argc, char **argv) {
    job j = job_read(argc, argv);
    Problem p;
    if (!make_problem(&j, p))
        return job_unknown(&j);
    double values[LINKS_MOST], worst = -1, evaluations = 0;
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
        if (j.repeats > 1 && p.matter.getNumConstraints() > 0) {
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
