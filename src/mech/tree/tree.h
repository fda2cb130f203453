// clang-format off
/* Bodies and joints in joint coordinates. The joints that connect all bodies with the ground make a tree; its coordinates
 * u are the angles, slides and unit quaternions of its joints, their rates s are u', or the angular velocity where u is a
 * quaternion. All other rows, those of joints that close loops among them, are constraints on these. With q(u) the
 * coordinates of the bodies, q' = H s, q'' = H s' + h, the equations of motion are (000 eqs. 3.20 to 3.24; there H is square)
 *
 *   M_s s' = S + S^c,   A_s s' = b_s,   M_s = H'MH,  S = H'(Q - M h),  A_s = A H,  b_s = b - A h
 *
 * None of H, h is written down: M_s comes from composite bodies, S from Newton's and Euler's equations along the tree, A_s of
 * a row from what its force does to the bodies, carried to the root. What comes out is a model and its derivation like any
 * other (mech_tree.model, .mech), whose outputs are q, q', q'' and the multipliers of the full model's rows that it has. */
// clang-format on
#ifndef TRAMMEL_MECH_TREE_TREE_H
#define TRAMMEL_MECH_TREE_TREE_H

#include "mech/joints/joints.h"
#include "mech/mech.h"
#include "mech/tree/algebra.h"

/* A body with the joint by which it hangs on its parent. Its axes are fixed in it, with the origin in the
 * joint's point, one of them along the joint's axis, and like the parent's at u = 0 where that allows it. */
typedef struct {
    const body *body;   // NULL: the cross of a universal joint
    const joint *joint; // NULL: it is free
    int parent;         // link; -1: the world
    int depth;          // of the joints above it
    bool flipped;       // the joint's second body is the parent
    // the joint's motion
    int axis;        // of its own, about which it turns by sign u; -1: it does not
    double sign;     // 1 or -1
    bool ball;       // it turns by the unit quaternion u
    int slides;      // how many
    vector slide[3]; // their directions, in the parent's axes
    int turn, first; // coordinates: the angle, or first of a quaternion; the first slide; -1
    // at u = 0, numbers
    quaternion zero;      // takes own axes to the parent's
    vector at;            // its origin, in the parent's axes
    quaternion turned;    // takes the body's axes to its own
    vector centre;        // of the body, in its own axes
    double angle;         // of a planar body against the world
    quaternion world;     // takes own axes to the world's
    vector origin;        // in the world
    double mass;          //
    double inertia[3][3]; // about its origin, in its own axes
    vector moment;        // mass times centre
} tree_link;

/* The same in symbols, in its own axes if nothing else is said. */
typedef struct {
    tmat E;         // takes the parent's components to its own
    tvec r, r_rate; // its origin in the parent's axes, and how that changes
    tmat R;         // to the world's
    tvec O;         // origin in the world
    tquat Q;        // R as a quaternion
    expr angle;     // of a planar body
    tvec omega, v;  // angular velocity, velocity of its origin
    tvec alpha, a;  // accelerations where all s' are 0, gravity taken from them
    tmat Omega;     // alpha~ + omega~ omega~: a point at c has the acceleration a + Omega c
} tree_motion;

/* A switch of a shape here, and the same in the full model. */
typedef struct {
    int shape, number;
    int full_shape, full_instance, full_number;
} tree_switch;

typedef struct {
    expr angle, rate; // k + 2 atan2(...), as joint_angle writes it
} tree_angle;

typedef struct mech_tree {
    arena *arena;
    expr_pool *pool;
    const mech *full;
    const mech_parts *parts;
    vec(tree_link) links; // parents first
    tree_motion *motion;  // (links)
    int *link_of;         // by number of a body
    vec(const joint *) cut;
    const bool *first; // (parts) joints that are taken before others, and then the first body where none
                       // leads on; NULL: none
    int n;             // coordinates u
    int *plain;        // (coordinates of the bodies' form) u of one that is no body's; -1
    int *owner;        // (the same) number of the body whose it is; -1
    vector fall;       // what all bodies with mass are pulled by, and is therefore no force
    expr *position, *velocity; // (the same) q and q' by u and s
    expr *acceleration;        // (the same) q'' by u, s and s'
    bool moves;                // motion is to be with s', else where all of them are 0
    bool falls;                // there is such a pull
    model *model;
    mech *mech;
    vec(mech_shape) shapes;    // of that
    vec(mech_work) works;      // the same
    int *slots, *turns;        // (n), (turns of the model) 0, 1, 2, ...
    bool articulated;          // s' stands in the shapes, M and Q do not
    bool asks;                 // for reactions in every evaluation: those of the bodies' form
    vec(tree_switch) switches; // of all shapes here
    struct row_terms *terms;   // (rows of the full model) what their entries are made of
    int *row_of;               // (rows of the full model) number here; -1: it is none here
    double *row_size;       // (rows here) how long they would be at the start if their terms did not cancel
    int *full_row;          // (rows here) number in the full model
    vec(tree_angle) angles; // in the full model
    tvec *along;            // (rows of the full model) of one on a point here: its direction in the world
} mech_tree;

/* Which joints make the tree. NULL, with the reason in *why, if the model has no bodies, or something that
 * this form does not have. */
mech_tree *mech_tree_new(arena *a, const mech *full, const char **why);
/* Roughly, of one evaluation by it, and what it may have to be faster than the bodies' form (cost.c). */
double mech_tree_operations(const mech_tree *t);
double mech_tree_worth(const mech_tree *t);
/* Its model and derivation. q, v: the start, which satisfies the constraints; there rows are chosen. */
void mech_tree_derive(mech_tree *t, const double *q, const double *v);

/* The coordinate that is the angle of a joint of the tree, by the number of its turn; -1: it is none. */
int mech_tree_angle(const mech_tree *t, int turn);

/* What hangs on its parent by a link: the rows of the full model (listed, as many as returned) that hold the
 * link's body to it, and its coordinates. From the last link to the first, each is held by its own rows and
 * by those of links before. */
int mech_tree_rows(const mech_tree *t, int link, int *rows);
int mech_tree_columns(const mech_tree *t, int link, int *coordinates);

/* From positions and velocities of the bodies' form to u and s (n). Where these do not fit the joints of the
 * tree, the nearest that do by the joints from the root on. */
void mech_tree_lower(const mech_tree *t, const double *q, const double *v, double *u, double *s);
/* And back. */
void mech_tree_raise(const mech_tree *t, const double *u, const double *s, double *q, double *v);
/* Where bodies are with the joints of the model's begins at these values, and with their rates: replaces
 * their initial values, in which joints count from their typed places. Errors go to the model's diags. */
void mech_tree_begin(model *m);
/* The value of a call jacobian(point(B, s), J), jacobian(omega(B), J). */
value mech_tree_partial(elab *L, const node *n, const binding *scope);
/* Of a model with begins: the typed places (coordinates); how far the joints go from there, in radians or as
 * parts of the model's length; and positions moved so that they have gone a part of it. */
const double *mech_tree_typed(const model *m);
double mech_tree_begin_size(const model *m);
void mech_tree_begin_part(arena *work, const model *m, double part, double *q);

#endif
