// clang-format off
/* The mechanics in symbols: what each shape of the model contributes to M, Q, A, b, C and the rest, derived once per
 * shape. With slots p, velocities v (vectors of a shape's k slots):
 *
 *   kinetic T     M += d2T/dv dv      Q += dT/dp - (d2T/dv dp) v - d2T/dv dt   (Lagrange; paper 000 eq. 2.12)
 *   potential V   Q -= dV/dp          dissipation D:   Q -= dD/dv
 *   actuator e    Q += e dr/dv        with r(p, v), linear in v, the rate along which it acts
 *   holonomic     phi(p, t) = 0:      A = dphi/dp, b = -(phi'' without its A p'' part)   (004 eqs. 3, 4)
 *   nonholonomic  psi(p, v, t) = 0:   A = dpsi/dv, b = -(dpsi/dp v + dpsi/dt)
 *   with damping d and stiffness k:   b -= d phi' + k phi,   b -= d psi
 *
 * h = T2 - T0 + V changes by the power of what has no potential, and by explicit time (docs/theory.md):
 *
 *   h' = v F - v dD/dv - dT/dt + dV/dt + v M' v / 2 (M given) + v C + v A' multiplier
 *
 * MECH_POWER is what a shape has of the first five terms.
 *
 * A quantity's value for an instance is added to the place that the instance's slots (or target) name. */
// clang-format on
#ifndef TRAMMEL_MECH_MECH_H
#define TRAMMEL_MECH_MECH_H

#include "lang/model.h"

typedef enum {
    MECH_M,        // (i, j): M of slots i, j; both (i, j) and (j, i) are listed
    MECH_Q,        // (i)
    MECH_A,        // (i): A of the row and slot i
    MECH_B,        // b of the row
    MECH_WEIGHT,   // w of the row
    MECH_SHARED,   // (i): the weight that it shares with the row i + 1 behind it
    MECH_POSITION, // phi of the row, holonomic ones only
    MECH_VELOCITY, // phi' or psi of the row
    MECH_KINETIC,  // T
    MECH_JACOBI,   // T2 - T0
    MECH_POTENTIAL,
    MECH_C,            // (i) of the non-ideal force
    MECH_Q_ON_FORCES,  // (i) of Q, where it is built on ideal reactions
    MECH_G,            // (i): G of the quasi-velocity and slot i
    MECH_QUASI,        // s = G v + g
    MECH_QUASI_OFFSET, // g
    MECH_QUASI_RATE,   // s' - G v'
    MECH_OUTPUT,       // (i): the i-th from the target on
    MECH_EXPECT,
    MECH_MARGIN,
    MECH_STOP,
    MECH_STOP_MARGIN,
    MECH_STOP_REST,
    MECH_OVER,
    MECH_OVER_MARGIN,
    MECH_OVER_REST,
    MECH_STOP_WATCHED, // of a tree form, see system/watch.h
    MECH_OVER_WATCHED, // the same
    MECH_START,
    MECH_TURN,
    MECH_MU, // of the friction
    MECH_STATIC,
    MECH_VIEW,
    MECH_EFFORT,          // of an actuator, for forms in which its rate is that of a coordinate
    MECH_POWER,           // of the shape, into T2 - T0 + V; in a tree form (i): of the work i
    MECH_POWER_ON_FORCES, // of that, what is built on ideal reactions
    MECH_RATE,            // (i): s' itself, of a tree form
    MECH_WATCHED,         // what steps watch, see system/watch.h
    MECH_SWITCH,          // (i): switch i of the shape, a number that jumps
    MECH_FORCE_BY_P,      // (i, j): d(M q'' - Q - A' multiplier)_i / dp_j, see mech_derive_jacobian
    MECH_FORCE_BY_V,      // (i, j)
    MECH_ROW_BY_P,        // (0, j): d(A q'' - b) / dp_j of the row
    MECH_ROW_BY_V,        // (0, j)
    MECH_QUASI_BY_P,      // (i): ds/dp_i of the quasi-velocity
    MECH_QUASI_RATE_BY_P, // (i): ds'/dp_i
    MECH_QUASI_RATE_BY_V, // (i)
    MECH_QUANTITIES
} mech_quantity;

typedef struct {
    mech_quantity quantity;
    int i, j; // slots
    expr e;
    expr held; // e with its switches held at SYM_MODE; for M, Q, C, mu, else e itself
} mech_entry;

typedef enum { ROW_HOLONOMIC, ROW_NONHOLONOMIC, ROW_ACCELERATION } row_level;

typedef struct {
    vec(mech_entry) entries;
    int switch_count;
    row_level level;       // of a row
    bool damped, weighted; // of a row
    bool shares_weight;    // with the next rows
    bool may_vanish;       // of a row: A depends on the velocities, so it may be zero
    bool may_work;         // of a row: its force may do work: it depends on time, or A v is not 0
    bool does_nothing;     // of a force or dissipation, with the values of its parameters
    int asked;             // by so many of its entries
    bool homogeneous;      // of a row of velocities: does no work, with the numbers of its instances
    bool unwatched;        // of its entries only MECH_WATCHED are
} mech_shape;

/* Four coordinates, one after the other, whose norm a row holds, at every instant: |p| is a constant or a
 * function of time. Those of a body are its unit quaternion. */
typedef struct {
    int first; // coordinate; none is in two
    int row;   // neither damped nor weighted
} mech_quaternion;

/* What does work in a tree form: shapes of this kind in the full form; of forces, those on a coordinate; of
 * actuators, those of one number. */
typedef struct {
    shape_kind kind;
    int of; // coordinate or actuator; -1: all
} mech_work;

struct mech_tree; // tree/tree.h

typedef struct mech {
    const model *model;
    mech_shape *shapes; // as model->shapes
    vec(mech_quaternion) quaternions;
    bool conserves;               // jacobi is constant in time
    bool needs_energy;            // Q or C depends on energies
    bool needs_ideal;             // C or a part of Q depends on the ideal reactions
    bool prescribed;              // M, A and b depend on time alone
    bool constant_mass;           // M depends on parameters alone
    bool constant_rows;           // A does
    bool unbalanced;              // M is given as numbers: what changes the energy is not known
    bool foreign_energy;          // a body's coordinates have masses that are not the body's own
    const struct mech_tree *tree; // of which this is the form; NULL: of none
    const mech_work *works;       // (works) of a tree form
    const struct mech
        *starting[2]; // with the rows that hold at the start alone: of positions, of velocities; NULL
} mech;

/* Reads and elaborates a text, as model_read does, with particles, bodies and joints. */
model *mech_read(arena *a, const source *file, const model_setting *settings, int setting_count);
/* The same where the files that it includes are known from an earlier reading, whose list this is. */
model *mech_read_again(arena *a, const source *file, const source_list *known, const model_setting *settings,
                       int setting_count);

/* Whether there are bodies, which may be in coordinates of their joints. */
bool mech_has_bodies(const model *m);

/* Derives everything. What is structurally wrong (a velocity of third degree in T, floor where a derivative
 * is needed ...) goes to the model's diags. */
mech *mech_derive(arena *a, model *m);

/* Whether deriving with the numbers that the model has now, by its recipes, would give the same: what a mech
 * has decided by looking at numbers. */
bool mech_still_holds(const mech *m);

/* The quantities for the Jacobian, per shape as in mech.shapes; NULL if something has no derivative
 * (floor in a force). In a row's entries SYM_RESULT number mech_multiplier_of is the row's own multiplier. */
mech_shape *mech_derive_jacobian(arena *a, const mech *m);
int mech_multiplier_of(const shape *s);

#endif
