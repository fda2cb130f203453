/* Friction: what slips and what sticks, against closed solutions. */
#include "support/simulate.h"

#include <math.h>

static double changed_at(const run_report *r, int which) {
    assert_true(which < r->rank_changes.count);
    return r->rank_changes.at[which].time;
}

// ---- one friction

#define INCLINE                                                                                              \
    "param a = 30*deg, m = 2, g = 10\n"                                                                      \
    "coord x, y\n"                                                                                           \
    "initial x = 0, y = 0\n"                                                                                 \
    "kinetic m/2*(x'^2 + y'^2)\n"                                                                            \
    "potential m*g*y\n"                                                                                      \
    "constraint plane: y = -x*tan(a)\n"

static void a_box_held_by_friction_must_not_creep(void **state) {
    (void)state;
    built b;
    run_report *r = simulate(&b,
                             INCLINE "friction plane: mu = 0.5, static = tan(a)*(1 + 1e-9)\n"
                                     "expect always abs(x) < 1e-14 and abs(y) < 1e-14\n"
                                     "expect always rank == 2\n"
                                     "expect always abs(multiplier(plane.stick) + m*g*sin(a)) < 1e-12\n"
                                     "expect always abs(reaction(y) - m*g) < 1e-12\n",
                             100, 1e-9);
    assert_int_equal(r->rank->rank, 2);
    assert_int_equal(r->rank_changes.count, 0);
    demolish(&b);
}

static void box_slides_on_an_incline(void **state) {
    (void)state;
    built b;
    run_report *r =
        simulate(&b,
                 INCLINE "friction plane: mu = 0.3, static = tan(a)*(1 - 1e-9)\n"
                         "expect always abs(sqrt(x^2 + y^2) - g*(sin(a) - 0.3*cos(a))*t^2/2) < 1e-9\n"
                         "expect always rank == 1\n"
                         "expect always abs(multiplier(plane.stick) + 0.3*m*g*cos(a)) < 1e-12\n",
                 3, 1e-10);
    assert_int_equal(r->rank->rank, 1);
    assert_int_equal(r->rank_changes.count, 0);
    demolish(&b);
}

// the same with a body and a joint, in the plane and in space
static void joints_slide_as_constraints_do(void **state) {
    (void)state;
    assert_holds("param a = 30*deg, g = 10\n"
                 "gravity (0, -g)\n"
                 "body2 B: mass = 2, inertia = 1, at = (0, 0), angle = -a, velocity = (0, 0), omega = 0\n"
                 "joint slope: prismatic(ground, B, axis = (cos(a), -sin(a)))\n"
                 "friction slope: mu = 0.3\n"
                 "expect always abs(displacement(slope) - g*(sin(a) - 0.3*cos(a))*t^2/2) < 1e-9\n"
                 "expect always abs(norm(reaction(slope)) - 2*g*cos(a)) < 1e-9\n",
                 2, 1e-10);
    assert_holds("param a = 30*deg, g = 10\n"
                 "gravity (0, 0, -g)\n"
                 "body B: mass = 2, inertia = (1, 2, 2.5), at = (1, 2, 3), rotation = (0, a, 0)\n"
                 "joint slope: prismatic(ground, B, axis = (cos(a), 0, -sin(a)), at = (1, 2, 3))\n"
                 "friction slope: mu = 0.3\n"
                 "expect always abs(displacement(slope) - g*(sin(a) - 0.3*cos(a))*t^2/2) < 1e-8\n"
                 "expect always abs(norm(reaction(slope)) - 2*g*cos(a)) < 1e-8\n",
                 2, 1e-10);
}

static void slides_to_rest(void **state) {
    (void)state;
    built b;
    run_report *r = simulate(&b,
                             "param v = 3, m = 2, g = 10, mu = 0.3\n"
                             "coord x, y\n"
                             "initial x = 1, x' = v\n"
                             "kinetic m/2*(x'^2 + y'^2)\n"
                             "potential m*g*y\n"
                             "constraint floor: y = 0\n"
                             "friction floor: mu = mu, slip = x'\n"
                             "expect finally abs(x - 1 - v^2/(2*mu*g)) < 1e-12 and abs(x') < 1e-14\n",
                             5, 1e-9);
    assert_true(fabs(changed_at(r, 0) - 1) < 1e-12);
    assert_int_equal(r->rank_changes.at[0].rank, 2);
    demolish(&b);
}

#define BELT                                                                                                 \
    "param u = 0.5, k = 4, m = 1, g = 10\n"                                                                  \
    "coord x, y\n"                                                                                           \
    "initial x = 0, x' = u\n"                                                                                \
    "kinetic m/2*(x'^2 + y'^2)\n"                                                                            \
    "potential m*g*y + k/2*x^2\n"                                                                            \
    "constraint belt: y = 0\n"

/* Stick until k x = static m g; slip about x = mu m g/k with the frequency sqrt(k/m) until the belt's speed
 * is reached again. */
static void stick_and_slip_on_a_belt(void **state) {
    (void)state;
    built b;
    run_report *r = simulate(&b, BELT "friction belt: mu = 0.2, static = 0.4, slip = x' - u\n", 30, 1e-10);
    double slip = acos(-1) - atan(2), stick = 2;
    assert_true(r->rank_changes.count >= 12);
    for (int i = 0; i < 12; i++) {
        double expected = (i + 2) / 2 * stick + (i + 1) / 2 * slip;
        assert_true(fabs(changed_at(r, i) - expected) < 1e-9);
        assert_int_equal(r->rank_changes.at[i].rank, 1 + i % 2);
        assert_int_equal(r->rank_changes.at[i].sticks[0], i % 2);
    }
    demolish(&b);
}

// a bead on a turning wire: r'' = w^2 r - 2 mu w r', as N = 2 m w r'; nothing presses at rest, so nothing
// sticks
static void a_wire_that_turns(void **state) {
    (void)state;
    assert_holds("param w = 2, mu = 0.3, k1 = w*(-mu + sqrt(mu^2 + 1)), k2 = w*(-mu - sqrt(mu^2 + 1))\n"
                 "coord x, y\n"
                 "initial x = 1, y = 0, x' = 0, y' = w\n"
                 "kinetic (x'^2 + y'^2)/2\n"
                 "constraint wire: -x*sin(w*t) + y*cos(w*t) = 0\n"
                 "friction wire: mu = mu\n"
                 "expect always abs(sqrt(x^2 + y^2) - (k1*exp(k2*t) - k2*exp(k1*t))/(k1 - k2)) < 1e-9\n",
                 1.5, 1e-11);
}

// x'' = -k x - mu g sign(x'): 2 mu g/k less at each turn, until the spring is too weak
static void an_oscillator_comes_to_rest(void **state) {
    (void)state;
    built b;
    run_report *r = simulate(&b,
                             "coord x, y\n"
                             "initial x = 1.03, x' = 0\n"
                             "kinetic (x'^2 + y'^2)/2\n"
                             "potential 10*y + 2*x^2\n"
                             "constraint floor: y = 0\n"
                             "friction floor: mu = 0.01, slip = x'\n"
                             "expect finally abs(x - 0.02) < 1e-8\n",
                             60, 1e-10);
    assert_int_equal(r->rank_changes.count, 1);
    assert_true(fabs(changed_at(r, 0) - 21 * acos(-1) / 2) < 1e-7);
    demolish(&b);
}

// the force that is overcome grows and falls again between two steps: nothing moves else
static void a_short_pull_is_not_overlooked(void **state) {
    (void)state;
    built b;
    run_report *r = simulate(&b,
                             "coord x, y\n"
                             "initial x = 0\n"
                             "kinetic (x'^2 + y'^2)/2\n"
                             "potential 10*y\n"
                             "force x = 3.01*exp(-100*(t - 61.7)^2)\n"
                             "constraint floor: y = 0\n"
                             "friction floor: mu = 0.3, slip = x'\n"
                             "expect finally x > 1e-7\n",
                             100, 1e-9);
    assert_int_equal(r->rank_changes.count, 2);
    double half = sqrt(log(3.01 / 3) / 100);
    assert_true(fabs(changed_at(r, 0) - (61.7 - half)) < 1e-9);
    demolish(&b);
}

// ---- where friction changes the reaction that causes it

#define PENDULUM(body, joint, angle)                                                                         \
    "param m = 2, c = 0.5, J = 0.3, g = 10, mu = 0.3, r = 0.1\n" body joint                                  \
    "friction pin: mu = mu, radius = r\n"                                                                    \
    "let phi = " angle "\n"                                                                                  \
    "let f = multiplier(pin.stick)\n"                                                                        \
    "output final = phi\n"                                                                                   \
    "expect always abs((J + m*c^2)*phi'' + m*g*c*sin(phi) - r*f) < 1e-7\n"                                   \
    "expect always abs(f) <= mu*norm(reaction(pin)) + 1e-9\n"                                                \
    "expect always abs(phi') < 1e-6 or abs(abs(f) - mu*norm(reaction(pin))) < 1e-9\n"                        \
    "expect always abs(phi') < 1e-6 or f*phi' < 0\n"                                                         \
    "expect finally abs(phi') < 1e-14 and abs(m*g*c*sin(phi)) <= mu*r*m*g and abs(phi) > 1e-6\n"

static void pendulum_with_friction_in_its_pin(void **state) {
    (void)state;
    built b, c;
    run_report *planar = simulate(
        &b,
        PENDULUM("gravity (0, -g)\nbody2 B: mass = m, inertia = J, at = (c*sin(1), -c*cos(1)), angle = 1\n",
                 "joint pin: revolute(ground, B, at = (0, 0))\n", "B.angle"),
        30, 1e-10);
    run_report *spatial = simulate(
        &c,
        PENDULUM("gravity (0, 0, -g)\n"
                 "body B: mass = m, inertia = (0.2, J, 0.2), at = (-c*sin(1), 0, -c*cos(1)), rotation = (0, "
                 "1, 0)\n",
                 "joint pin: revolute(ground, B, at = (0, 0, 0), axis = (0, 1, 0))\n", "(angle(pin) + 1)"),
        30, 1e-10);
    assert_int_equal(planar->rank_changes.count, spatial->rank_changes.count);
    for (int i = 0; i < planar->rank_changes.count; i++)
        assert_true(fabs(changed_at(planar, i) - changed_at(spatial, i)) < 1e-6);
    assert_true(fabs(planar->outputs[0] - spatial->outputs[0]) < 1e-7);
    demolish(&c);
    demolish(&b);
}

/* A rod leans over its tip, which slides on the floor: with k = 3 sin cos/(1 + 3 cos^2) and u the reaction
 * without friction, lambda = u - mu |lambda| k dir. With mu k < 1 there is one, else two or none. */
#define ROD(angle, coefficient, direction)                                                                   \
    "param th = " angle ", l = 1, m = 1, g = 10, mu = " coefficient ", dir = " direction "\n"                \
    "gravity (0, -g)\n"                                                                                      \
    "particle P: mass = 0, at = (0, 0)\n"                                                                    \
    "body2 B: mass = m, inertia = m*l^2/3, at = (l*cos(th), l*sin(th)), angle = th, velocity = (dir, 0), "   \
    "omega = 0\n"                                                                                            \
    "constraint tip: P = point(B, (-l, 0))\n"                                                                \
    "constraint floor: P.y = 0\n"                                                                            \
    "friction floor: mu = mu, slip = P.x'\n"                                                                 \
    "let k = 3*sin(th)*cos(th)/(1 + 3*cos(th)^2)\n"                                                          \
    "let u = m*g/(1 + 3*cos(th)^2)\n"

static void reaction_with_the_friction_it_causes(void **state) {
    (void)state;
    assert_holds(ROD("0.5", "1", "1") "expect always abs(multiplier(floor) - u/(1 + mu*k)) < 1e-10\n", 0,
                 1e-9);
    assert_holds(ROD("0.5", "1", "-1") "expect always abs(multiplier(floor) - u/(1 - mu*k)) < 1e-10\n", 0,
                 1e-9);
    assert_holds(ROD("atan(2)", "1.33", "-1") "expect always abs(multiplier(floor) - u/(1 - mu*k)) < 1e-6\n",
                 0, 1e-9);
}

static void assert_fails(const char *given, double until, double t, const char *culprit, const char *piece) {
    built b = build(given);
    run_options o = {.until = until, .every = 1, .tolerance = 1e-9, .method = &integrator_rk8};
    run_report *r = run_simulation(b.arena, b.sys, b.st, &o);
    assert_int_equal(r->end, RUN_FAILED);
    assert_string_equal(r->failure.constraint, culprit);
    assert_non_null(strstr(r->failure.message, piece));
    assert_true(fabs(r->failure.time - t) < 1e-4);
    demolish(&b);
}

static void painleve(void **state) {
    (void)state;
    assert_fails(ROD("atan(2)", "2", "-1"), 1, 0, "floor", "no reaction");
    assert_fails(ROD("atan(2)", "2", "1"), 1, 0, "floor", "more than one reaction");
    // comes to it: lambda = 2/(2 - mu) while the coefficient grows
    assert_fails("coord mux\n"
                 "initial mux = 1, mux' = 0.1\n"
                 "mass mux = 1\n"
                 "particle P: mass = 1, at = (0, 0), velocity = (-10000, 0)\n"
                 "coord y\n"
                 "mass y = 1\n"
                 "mass y P.x = 1/2\n"
                 "constraint guide: y = 0\n"
                 "friction guide: mu = mux, slip = P.x'\n"
                 "force y = -1\n",
                 30, 10, "guide", "no reaction");
}

static void coefficients_may_vary(void **state) {
    (void)state;
    // mu = 0.3 + x: x'' = -10 (0.3 + x) from v = 1: a quarter of an oscillation about -0.3
    assert_holds("coord x, y\n"
                 "initial x = 0, x' = 1\n"
                 "kinetic (x'^2 + y'^2)/2\n"
                 "potential 10*y\n"
                 "constraint floor: y = 0\n"
                 "friction floor: mu = 0.3 + x, slip = x'\n"
                 "expect finally abs(x - (sqrt(0.3^2 + 0.1) - 0.3)) < 1e-9\n",
                 3, 1e-11);
    assert_fails("coord x, y\n"
                 "initial x = 0, x' = -1\n"
                 "kinetic (x'^2 + y'^2)/2\n"
                 "potential 10*y\n"
                 "constraint floor: y = 0\n"
                 "friction floor: mu = 0.3 - t, static = 0.3, slip = x'\n",
                 3, 0.3, "floor", "coefficient");
}

// ---- several frictions, several components

/* A board on a floor, a box on the board, and a pull F = t: nothing moves, then both as one, then both
 * against each other. */
static void a_box_on_a_board(void **state) {
    (void)state;
    built b;
    run_report *r = simulate(
        &b,
        "param M = 3, m = 1, g = 10, mu1 = 0.1, mu2 = 0.2, F1 = mu1*(M + m)*g, F2 = (mu1 + mu2)*(M + m)*g\n"
        "gravity (0, -g)\n"
        "body2 A: mass = M, inertia = 1, at = (0, 0)\n"
        "body2 B: mass = m, inertia = 1, at = (0, 1)\n"
        "joint floor: prismatic(ground, A, axis = (1, 0))\n"
        "joint board: prismatic(A, B, axis = (1, 0))\n"
        "friction floor: mu = mu1\n"
        "friction board: mu = mu2\n"
        "force A = (t, 0)\n"
        "expect always abs(multiplier(floor.stick)) <= mu1*(M + m)*g + 1e-9\n"
        "expect always t > F2 or abs(A.x - max(0, t - F1)^3/(6*(M + m))) < 1e-8\n"
        "expect always t > F2 or abs(A.x - B.x) < 1e-8\n"
        "expect always t < F2 or abs(B.x'' - mu2*g) < 1e-9\n"
        "expect always t < F2 or abs(A.x'' - (t - F1 - mu2*m*g)/M) < 1e-9\n",
        16, 1e-10);
    assert_int_equal(r->rank_changes.count, 2);
    assert_true(fabs(changed_at(r, 0) - 4) < 1e-9 && fabs(changed_at(r, 1) - 12) < 1e-9);
    demolish(&b);
}

// a bead on a plane x + y + z = 0 that nothing pulls: a straight line, and a side force: it turns, and stops
static void slip_in_a_plane(void **state) {
    (void)state;
    built b;
    run_report *r = simulate(&b,
                             "coord x, y, z\n"
                             "initial x = 0, y = 0, z = 0, x' = 1, y' = 1, z' = -2\n"
                             "kinetic (x'^2 + y'^2 + z'^2)/2\n"
                             "potential 10*(x + y + z)/sqrt(3)\n"
                             "constraint plane: x + y + z = 0\n"
                             "friction plane: mu = 0.3\n"
                             "expect always abs(x - y) < 1e-12 and abs(z + 2*x) < 1e-12\n"
                             "expect finally abs(x - 1/sqrt(6)) < 1e-9\n",
                             2, 1e-10);
    assert_true(fabs(changed_at(r, 0) - sqrt(6) / 3) < 1e-9);
    assert_int_equal(r->rank_changes.at[0].rank, 3);
    demolish(&b);
    /* With friction c and a side force a < c across it: s' = -c + a cos h, s h' = -a sin h for the angle h
     * between velocity and force; the time to rest is (c v + a v cos h)/(c^2 - a^2). */
    r = simulate(&b,
                 "coord x, y, z\n"
                 "initial x' = 2, y' = 0\n"
                 "kinetic (x'^2 + y'^2 + z'^2)/2\n"
                 "potential 10*z\n"
                 "force x = 1.2*cos(2)\n"
                 "force y = 1.2*sin(2)\n"
                 "constraint table: z = 0\n"
                 "friction table: mu = 0.3, slip = (x', y')\n"
                 "expect always abs(x') < 1e-6 or abs(multiplier(table.stick.1)*y' - "
                 "multiplier(table.stick.2)*x') < 1e-9\n",
                 4, 1e-10);
    double c = 3, a = 1.2, v = 2;
    assert_true(fabs(changed_at(r, 0) - (c * v + a * v * cos(2)) / (c * c - a * a)) < 1e-7);
    demolish(&b);
}

// a puck that turns and slides on a planar joint; balls in spherical, universal and cylindrical joints
static void joints_in_space(void **state) {
    (void)state;
    assert_holds(
        "gravity (0, 0, -10)\n"
        "body B: mass = 2, inertia = (1, 1, 1.5), at = (0, 0, 0), velocity = (3, 4, 0), omega = (0, 0, 0)\n"
        "joint table: planar(ground, B, at = (0, 0, 0), normal = (0, 0, 1))\n"
        "friction table: mu = 0.5\n"
        "expect finally norm(B - (1.5, 2, 0)) < 1e-8 and norm(B') < 1e-12\n",
        2, 1e-10);
    // N = m g: the spin about the vertical loses mu m g r/J of its rate in each second
    assert_holds(
        "gravity (0, 0, -10)\n"
        "body B: mass = 2, inertia = (1, 1, 1.5), at = (0, 0, 0), velocity = (0, 0, 0), omega = (0, 0, 4)\n"
        "joint ball: spherical(ground, B, at = (0, 0, 0))\n"
        "friction ball: mu = 0.5, radius = 0.1\n"
        "expect always abs(omega(B).z - max(0, 4 - 0.5*2*10*0.1/1.5*t)) < 1e-8\n",
        8, 1e-10);
    assert_holds(
        "gravity (0, 0, -10)\n"
        "body B: mass = 2, inertia = (1, 1.5, 1), at = (0, 0, 0), velocity = (0, 0, 0), omega = (0, 4, 0)\n"
        "joint cross: universal(ground, B, at = (0, 0, 0), axis1 = (1, 0, 0), axis2 = (0, 1, 0))\n"
        "friction cross: mu = 0.5, radius = 0.1\n"
        "expect always abs(omega(B).y - max(0, 4 - 0.5*2*10*0.1/1.5*t)) < 1e-8\n",
        8, 1e-10);
    // slides along and turns about its axis: J = m r^2 makes both slow down alike
    assert_holds("param r = 0.5\n"
                 "gravity (0, 0, -10)\n"
                 "body B: mass = 2, inertia = (2*r^2, 1, 1), at = (0, 0, 0), velocity = (3, 0, 0), "
                 "omega = (4/r, 0, 0)\n"
                 "joint shaft: cylindrical(ground, B, at = (0, 0, 0), axis = (1, 0, 0))\n"
                 "friction shaft: mu = 0.2, radius = r\n"
                 "expect always abs(B.x' - 3*max(0, 1 - 2*t/5)) < 1e-8\n"
                 "expect always abs(omega(B).x - 4/r*max(0, 1 - 2*t/5)) < 1e-8\n",
                 4, 1e-10);
}

// two rails where one would do: reactions of least norm, shared alike; both stick, or both slip
#define RAILS(coefficient)                                                                                   \
    "param a = 30*deg, g = 10, mu = " coefficient "\n"                                                       \
    "gravity (0, -g)\n"                                                                                      \
    "body2 B: mass = 2, inertia = 1, at = (0, 0), angle = -a\n"                                              \
    "joint one: prismatic(ground, B, axis = (cos(a), -sin(a)))\n"                                            \
    "joint two: prismatic(ground, B, axis = (cos(a), -sin(a)))\n"                                            \
    "friction one: mu = mu\n"                                                                                \
    "friction two: mu = mu\n"                                                                                \
    "expect always abs(multiplier(one.stick) - multiplier(two.stick)) < 1e-9\n"                              \
    "expect always abs(norm(reaction(one)) - g*cos(a)) < 1e-9\n"

static void redundant_rows(void **state) {
    (void)state;
    built b;
    run_report *r = simulate(&b,
                             RAILS("0.6") "expect always abs(B.x) < 1e-14 and rank == 3\n"
                                          "expect always abs(multiplier(one.stick) + g*sin(a)) < 1e-9\n",
                             3, 1e-9);
    assert_int_equal(r->rank->rank, 3);
    demolish(&b);
    assert_holds(RAILS("0.3") "expect always abs(displacement(one) - g*(sin(a) - mu*cos(a))*t^2/2) < 1e-9\n"
                              "expect always rank == 2\n",
                 3, 1e-10);
}

#define CRANK                                                                                                \
    "param r = 0.3, l = 0.7, g = 9.81\n"                                                                     \
    "gravity (0, -g)\n"                                                                                      \
    "body2 c: mass = 1, inertia = 0.01, at = (r/2, 0), angle = 0, omega = 3\n"                               \
    "body2 rod: mass = 1, inertia = 0.04, at = (r + l/2, 0), angle = 0\n"                                    \
    "body2 s: mass = 2, inertia = 0.1, at = (r + l, 0)\n"                                                    \
    "joint b: revolute(c, rod, at = (r, 0))\n"                                                               \
    "joint d: revolute(rod, s, at = (r + l, 0))\n"                                                           \
    "joint slide: prismatic(ground, s, axis = (1, 0), at = (r + l, 0))\n"                                    \
    "friction a: mu = 0.1, radius = 0.02\n"                                                                  \
    "friction b: mu = 0.1, radius = 0.02\n"                                                                  \
    "friction d: mu = 0.1, radius = 0.02\n"                                                                  \
    "friction slide: mu = 0.3, static = 0.4\n"                                                               \
    "let gain(m, J, x, y, p) = m*(x'*x'' + y'*(y'' + g)) + J*p'*p''\n"                                       \
    "let rate = gain(1, 0.01, c.x, c.y, c.angle) + gain(1, 0.04, rod.x, rod.y, rod.angle) + "                \
    "gain(2, 0.1, s.x, s.y, s.angle)\n"                                                                      \
    "let lost = power(a.stick) + power(b.stick) + power(d.stick) + power(slide.stick)\n"                     \
    "expect always lost <= 1e-12\n"

/* At dead centre the slider has no slip, but cannot stick: the crank moves it on. Where the crank comes to a
 * rest, all four do, and one of them can hold them all. */
static void slider_crank(void **state) {
    (void)state;
    assert_holds(CRANK "joint a (motion = 3*t): revolute(ground, c, at = (0, 0))\n"
                       "expect always abs(rate - lost - 3*drive(a)) < 1e-6\n"
                       "expect always abs(abs(multiplier(slide.stick)) - 0.3*norm(reaction(slide))) < 1e-9\n",
                 10, 1e-9);
    assert_holds(CRANK "joint a: revolute(ground, c, at = (0, 0))\n"
                       "torque c = 6*sin(2*t)\n"
                       "expect always abs(rate - lost - 6*sin(2*t)*c.angle') < 1e-6\n",
                 5, 1e-9);
}

// both sliders of a boxer engine are at dead centre at once
static void two_sliders_at_dead_centre(void **state) {
    (void)state;
    assert_holds("param r = 0.3, l = 0.7\n"
                 "gravity (0, -9.81)\n"
                 "body2 c: mass = 1, inertia = 0.01, at = (0, 0), angle = 0, omega = 3\n"
                 "joint a (motion = 3*t): revolute(ground, c, at = (0, 0))\n"
                 "let side(i) = 3 - 2*i\n"
                 "for i in 1..2 {\n"
                 "body2 rod[i]: mass = 1, inertia = 0.04, at = (side(i)*(r + l/2), 0)\n"
                 "body2 s[i]: mass = 2, inertia = 0.1, at = (side(i)*(r + l), 0)\n"
                 "joint b[i]: revolute(c, rod[i], at = (side(i)*r, 0))\n"
                 "joint d[i]: revolute(rod[i], s[i], at = (side(i)*(r + l), 0))\n"
                 "joint slide[i]: prismatic(ground, s[i], axis = (1, 0), at = (side(i)*(r + l), 0))\n"
                 "friction b[i]: mu = 0.1, radius = 0.02\n"
                 "friction d[i]: mu = 0.1, radius = 0.02\n"
                 "friction slide[i]: mu = 0.3, static = 0.4\n"
                 "expect always abs(abs(multiplier(slide[i].stick)) - 0.3*norm(reaction(slide[i]))) < 1e-9\n"
                 "}\n",
                 5, 1e-9);
}

// what contradicts without friction is not put down to it
static void constraints_that_contradict(void **state) {
    (void)state;
    assert_fails("coord x, y, z\n"
                 "kinetic (x'^2 + y'^2 + z'^2)/2\n"
                 "potential 10*y\n"
                 "constraint floor: y = 0\n"
                 "constraint one: z'' = 1\n"
                 "constraint two: z'' = 2\n"
                 "friction floor: mu = 0.3, slip = x'\n",
                 1, 0, "two", "contradicts");
}

// each pin sticks and slips time and again, until all stick
static void chain_comes_to_rest(void **state) {
    (void)state;
    built b;
    run_report *r = simulate(&b,
                             "param N = 3, l = 0.5\n"
                             "gravity (0, -10)\n"
                             "for i in 1..N: body2 B[i]: mass = 1, inertia = l^2/12, at = ((i - 0.5)*l, 0)\n"
                             "joint J[1]: revolute(ground, B[1], at = (0, 0))\n"
                             "for i in 2..N: joint J[i]: revolute(B[i - 1], B[i], at = ((i - 1)*l, 0))\n"
                             "for i in 1..N: friction J[i]: mu = 0.3, radius = 0.05\n"
                             "expect always energy <= start(energy)\n"
                             "expect finally kinetic < 1e-20 and rank == 3*N\n",
                             40, 1e-8);
    assert_true(r->rank_changes.count > 20);
    demolish(&b);
}

// ---- the rest of the language

static void in_loops_and_with_quasi_velocities(void **state) {
    (void)state;
    assert_holds("param N = 3\n"
                 "coord x[1..N], y[1..N]\n"
                 "for i in 1..N {\n"
                 "initial x[i] = 0, x[i]' = i\n"
                 "kinetic (x[i]'^2 + y[i]'^2)/2\n"
                 "potential 10*y[i]\n"
                 "constraint floor[i]: y[i] = x[i]/i\n"
                 "friction floor[i]: mu = 1/i\n"
                 "expect always abs(residual(floor[i])) < 1e-9\n"
                 "}\n"
                 "expect finally abs(x[1]') < 1e-12 and abs(x[3]') < 1e-12\n",
                 9, 1e-9);
    assert_holds("coord x, y\n"
                 "quasi s = x'/2\n"
                 "quasi w = y' + x'\n"
                 "initial x = 1, x' = 3\n"
                 "kinetic (x'^2 + y'^2)/2\n"
                 "potential 10*y\n"
                 "constraint floor: y = 0\n"
                 "friction floor: mu = 0.3, slip = x'\n"
                 "expect finally abs(x - 1 - 1.5) < 1e-9 and abs(s) < 1e-12\n",
                 5, 1e-9);
}

static void all_integrators_and_formulations(void **state) {
    (void)state;
    static const integrator_ops *const methods[] = {&integrator_rk8, &integrator_rk5, &integrator_bdf,
                                                    &integrator_adams};
    const char *hint, *given = BELT "friction belt: mu = 0.2, static = 0.4, slip = x' - u\n";
    double period = acos(-1) - atan(2) + 2;
    for (int i = 0; i < 4 + FORMULATIONS; i++) {
        const integrator_ops *method = methods[i < 4 ? i : 0];
        if (method->missing && method->missing(&hint))
            continue;
        built b = build(given);
        run_options o = {.until = 10, .every = 1, .tolerance = 1e-9, .method = method};
        if (i >= 4)
            solve_use(b.sys, b.st, formulations[i - 4], NULL);
        run_report *r = run_simulation(b.arena, b.sys, b.st, &o);
        if (r->end != RUN_DONE)
            fail_msg("%d: %s", i, r->failure.message);
        assert_true(fabs(changed_at(r, 2) - 2 - period) < 1e-5);
        demolish(&b);
    }
}

// as one kernel and shape by shape
static void fused_and_assembled(void **state) {
    (void)state;
    const char *given = INCLINE "friction plane: mu = 0.3 + if(x > 1, 0.1, 0)\n";
    double x[2];
    for (int i = 0; i < 2; i++) {
        built b = build_how(given, i ? EVALUATE_ASSEMBLED : EVALUATE_FUSED);
        run_options o = {.until = 3, .every = 1, .tolerance = 1e-10, .method = &integrator_rk8};
        x[i] = run_simulation(b.arena, b.sys, b.st, &o)->q[0];
        demolish(&b);
    }
    assert_true(fabs(x[0] - x[1]) < 1e-12);
}

/* A block (u, w) slides on a block (x, y) that slides on the floor, until both stick: the contact presses
 * with 10, whatever the number of coordinates in which it is written. Then a block on a wedge that is free to
 * move, against the equations by hand; and a particle between planes, which is one body. */
static void one_of_two_bodies_is_pressed(void **state) {
    (void)state;
    assert_holds("coord x, y, u, w\nkinetic (x'^2 + y'^2)/2 + (u'^2 + w'^2)/2\npotential 10*y + 10*w\n"
                 "initial u' = 4\nconstraint lo: y = 0\nconstraint up: w = y\n"
                 "friction lo: mu = 0.1, slip = x'\nfriction up: mu = 0.4, slip = u' - x'\n"
                 "expect finally abs(x - 4/3) < 1e-6\nexpect finally abs(u - 8/3) < 1e-6\n",
                 10, 1e-9);
    // wedge of mass M at s, block of mass m slides down: a, A of block along the slope and of the wedge
    assert_holds("param m = 1, M = 3, g = 10, mu = 0.2, c = 0.8, k = 0.6\ncoord s, x, y\n"
                 "kinetic M/2*s'^2 + m/2*(x'^2 + y'^2)\npotential m*g*y\n"
                 "initial x' = 1, y' = -k/c, s' = 0\n"
                 "constraint slope: y = -(x - s)*k/c\n"
                 "friction slope: mu = mu, slip = c*(x' - s') - k*y'\n"
                 "param A = -m*g*c*(k - mu*c)/(M + m*k*(k - mu*c))\n" // of the wedge
                 "expect always abs(s - A*t^2/2) < 1e-8\n",
                 1, 1e-9);
    assert_holds("coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nforce x = 3\nforce y = -3\ninitial z' = 1\n"
                 "constraint wall: x = y\nfriction wall: mu = 0.1, slip = z'\n"
                 "expect finally abs(z - 1/(2*0.1*sqrt(18))) < 1e-8\n",
                 10, 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_of_two_bodies_is_pressed),
        cmocka_unit_test(a_box_held_by_friction_must_not_creep),
        cmocka_unit_test(box_slides_on_an_incline),
        cmocka_unit_test(joints_slide_as_constraints_do),
        cmocka_unit_test(slides_to_rest),
        cmocka_unit_test(stick_and_slip_on_a_belt),
        cmocka_unit_test(a_wire_that_turns),
        cmocka_unit_test(an_oscillator_comes_to_rest),
        cmocka_unit_test(a_short_pull_is_not_overlooked),
        cmocka_unit_test(pendulum_with_friction_in_its_pin),
        cmocka_unit_test(reaction_with_the_friction_it_causes),
        cmocka_unit_test(painleve),
        cmocka_unit_test(coefficients_may_vary),
        cmocka_unit_test(a_box_on_a_board),
        cmocka_unit_test(slip_in_a_plane),
        cmocka_unit_test(joints_in_space),
        cmocka_unit_test(redundant_rows),
        cmocka_unit_test(slider_crank),
        cmocka_unit_test(two_sliders_at_dead_centre),
        cmocka_unit_test(constraints_that_contradict),
        cmocka_unit_test(chain_comes_to_rest),
        cmocka_unit_test(in_loops_and_with_quasi_velocities),
        cmocka_unit_test(all_integrators_and_formulations),
        cmocka_unit_test(fused_and_assembled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
