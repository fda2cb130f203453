/* Joints: what they fix in which body, and the constraint rows that follow.
 *
 * With P_k the joint's point as fixed in body k, and p = q1^-1 o q2 o c the rotation of body 2 against body 1
 * since the typed start (c is what makes it the identity there), in the axes of body 1:
 *
 *   point   P2 - P1 = 0, in world axes                  (3 rows)
 *   line    e1, e2 . (P2 - P1) = 0, e fixed in body 1   (2)      e1, e2 and the axis are perpendicular
 *   plane   axis . (P2 - P1) = 0                        (1)
 *   about   p may turn about the axis only: e1, e2 . vec(p) = 0    (2)
 *   all     vec(p) = 0                                  (3)
 *   cross   axis1 . axis2 = 0, each fixed in its body   (1)
 *
 * vec(p) is zero for the turned-over axis nowhere: a direction that is met upside down is no solution. It is
 * bilinear, e . vec(p) = (q1 o d) . q2 with the constant quaternion d = e o c^-1, and its derivative has the
 * constant length 1/2. Rows on directions are multiplied by 2 L, with the model's length L: then all
 * multipliers are forces, and those of least norm do not depend on the unit of length. */
#ifndef TRAMMEL_MECH_JOINTS_JOINTS_H
#define TRAMMEL_MECH_JOINTS_JOINTS_H

#include "mech/bodies.h"

typedef enum { MEET_NOT, MEET_POINT, MEET_LINE, MEET_PLANE } joint_meeting;
typedef enum { TURN_FREE, TURN_CROSS, TURN_ABOUT, TURN_NOT } joint_turning;

/* A kind is one row of the table in kinds.c. The functions are of kinds that do not follow from their row;
 * where one is NULL the joint does what the kinds of the table do, each for itself. */
typedef struct {
    const char *name;
    bool in_plane, in_space;
    joint_meeting meeting;
    joint_turning turning;
    bool turns, slides; // it has an angle, a displacement
    bool wheel;         // body 2 rolls: where that has no shape, draw shows it
    const char *form;
    const char *const *settings;
    /* What is known at the start: bodies, points, axes. False, and an error, if something is wrong. A joint
     * that leaves body[0] at NULL connects none, and has a force only if it says which. */
    bool (*connect)(elab *L, joint *j, const stmt *s, const binding *scope);
    void (*rows)(elab *L, joint *j, const stmt *s, const binding *scope);
    /* Where it acts, in the world. NULL: at the point that is fixed in body 1. */
    value (*place)(elab *L, joint *j, const binding *scope);
    /* What it does at its place, a force or a torque about it: to body 2, or to what the second argument of
     * the call n names. NULL: what its rows do to the coordinates of the bodies. */
    value (*force)(elab *L, joint *j, const node *n, const binding *scope, bool torque);
    /* How it looks. NULL: a mark at its point, if the text has one, and lines from there to the centres. */
    void (*draw)(elab *L, joint *j, const binding *scope);
} joint_kind;

struct joint {
    int part;
    const joint_kind *kind;
    const body *body[2];
    bool planar, connected;
    bool placed;         // the text says where it is
    vector point[2];     // in the axes of each body
    vector axis, e1, e2; // in the axes of body 1, of unit length; a normal of planes
    vector axis2;        // of a universal joint or a rolling disk: in the axes of body 2
    quaternion c;
    double angle0, slide0; // as typed: in the plane angle 2 - angle 1; how far P2 is from P1 along the axis
    bool is_disk;
    scalar radius;                  // known: of a wheel
    const node *p, *q;              // of a distance
    const struct joint *coupled[2]; // of a gear or rack
    double ratio;                   // of it, if that is known
    label label;
    int constraint; // that has its rows
    int turn;       // number of its turn in the model, -1 while it has none
    int cross[2];   // of a universal joint: those of its two angles
    /* As written, with the values of loop variables; NULL: it has none. */
    const char *ends[2];             // points of a distance
    int of[2];                       // numbers of the bodies that these are of; -1: of none
    const char *length;              // of it; of a gear or rack the ratio or radius
    const char *motion;              // that is prescribed
    const char *stiffness, *damping; // of its own motion
};

/* A freedom that angle(J) and displacement(J) do not tell: J.angle1, J.slide2. */
typedef struct {
    joint_meeting meeting;
    joint_turning turning;
    const char *name;
    bool turn;
    int freedom;
} joint_part;

extern const joint_kind joint_kinds[];
extern const int joint_kind_count;

// ---- joints.c
void joint_act(elab *L, part_phase phase, const stmt *s, const binding *scope, int part);
bool joint_find(elab *L, const node *n, const binding *scope, joint **out);
double joint_length(elab *L);                                        // the model's
const char *joint_row_name(int which);                               // "1", "2", ...
void joint_row(elab *L, const joint *j, const char *name, scalar s); // s = 0, of the element at hand

// ---- geometry.c
bool joint_bodies(elab *L, joint *j, const stmt *s, const binding *scope);
bool joint_points(elab *L, joint *j, const stmt *s, const binding *scope);
bool joint_axes(elab *L, joint *j, const stmt *s, const binding *scope);
/* The setting of this name; NULL, and an error, if there is none. */
const item *joint_needed(elab *L, const joint *j, const stmt *s, const char *name);
/* A setting that is a direction, at unit length. */
bool joint_direction(elab *L, const joint *j, const item *it, const binding *scope, vector *out);

// ---- rows.c
void joint_rows(elab *L, joint *j);
value joint_point(elab *L, const joint *j, int side); // world position, over the slots of the element at hand
value joint_vector(elab *L, const joint *j, vector v); // world components of a vector fixed in body 1

// ---- special.c, look.c: distance, rolling, gear, rack; see joint_kind
bool distance_connect(elab *L, joint *j, const stmt *s, const binding *scope);
void distance_rows(elab *L, joint *j, const stmt *s, const binding *scope);
value distance_place(elab *L, joint *j, const binding *scope);
value distance_force(elab *L, joint *j, const node *n, const binding *scope, bool torque);
void distance_draw(elab *L, joint *j, const binding *scope);
bool rolling_connect(elab *L, joint *j, const stmt *s, const binding *scope);
void rolling_rows(elab *L, joint *j, const stmt *s, const binding *scope);
value rolling_place(elab *L, joint *j, const binding *scope);
void rolling_draw(elab *L, joint *j, const binding *scope);
bool coupling_connect(elab *L, joint *j, const stmt *s, const binding *scope);
value coupling_force(elab *L, joint *j, const node *n, const binding *scope, bool torque);
void gear_rows(elab *L, joint *j, const stmt *s, const binding *scope);
void rack_rows(elab *L, joint *j, const stmt *s, const binding *scope);

// ---- motion.c: the free motion of a joint
scalar joint_angle(elab *L, joint *j);
scalar joint_displacement(elab *L, const joint *j);
scalar joint_part_value(elab *L, joint *j, const joint_part *p);
void joint_options(elab *L, joint *j, const stmt *s, const binding *scope);
void joint_show(elab *L, joint *j); // its angles and displacements, and their rates, as outputs

// ---- freedom.c: what slides or turns against what
int joint_slides(const joint *j); // how many directions, and axes
int joint_turns(const joint *j);
const joint_part *joint_part_at(const joint *j, int i);               // NULL behind the last
const joint_part *joint_part_named(const joint *j, const char *name); // NULL: it has none
scalar joint_slide(elab *L, const joint *j, int which); // from P1 on, over the slots of the element at hand
/* The velocities, over the slots of the element at hand; of a spherical joint in world axes. */
scalar joint_slide_rate(elab *L, const joint *j, int which);
scalar joint_turn_rate(elab *L, const joint *j, int which);

// ---- start.c: initial angle(J) = e, J.slide1' ~ e
void joint_start(elab *L, const item *it, const binding *scope, int part);

// ---- actuator.c: torque J = e, force J.slide1 = e
void joint_actuate(elab *L, const stmt *s, const binding *scope, int part);
void joint_show_effort(elab *L, const stmt *s, const binding *scope, int part); // in free-body diagrams

// ---- slip.c: for friction
/* Components of the slip velocity, those of rotation with a radius; 0, and an error, if the joint has none,
 * or lacks the radius, or has one without use. */
int joint_slip_count(elab *L, const joint *j, const item *radius, place at);
/* One of them, over the slots of the element at hand. */
scalar joint_slip(elab *L, const joint *j, int which, scalar radius);
/* First coordinate of a body on which the joint's force is that of its rows; -1 if there is none. */
int joint_pressed(const joint *j);

// ---- look.c
void joint_draw(elab *L, joint *j, const binding *scope);
/* One thing that a joint's draw shows with elab_draw, in an element of its own. */
elab_drawing joint_drawing(elab *L, const joint *j, draw_kind kind);

// ---- reaction.c
/* The force on the second body, where it acts and its torque about that, for pictures; false if there is
 * none. */
bool joint_force(elab *L, joint *j, const model_friction *f, const binding *scope, elab_force *out);
/* Where a joint is to be seen: what slides, at its block. */
value joint_shown_point(elab *L, const joint *j, int side);
value joint_call(elab *L, const node *n, const binding *scope); // angle(J), reaction(J), ...
/* J.angle1, or an error. */
bool joint_member(elab *L, joint *j, const char *name, place at, value *out);

#endif
