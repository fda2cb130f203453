/* What the files of this folder share. */
#ifndef TRAMMEL_MECH_TREE_TREE_INSIDE_H
#define TRAMMEL_MECH_TREE_TREE_INSIDE_H

#include "mech/derive.h"
#include "mech/tree/tree.h"

/* A force and a torque about the origin, both in the axes of a link. */
typedef struct {
    tvec torque, force;
} wrench;

wrench wrench_sum(expr_pool *p, wrench a, wrench b);
/* On the parent, by what acts on the child: E'f, E'n + r x E'f. */
wrench wrench_to_parent(const mech_tree *t, int link, wrench w);

/* Forces on bodies, and on coordinates u by themselves. */
typedef struct {
    wrench *on;  // (links)
    expr *along; // (n)
} tree_load;

tree_load tree_load_new(const mech_tree *t, arena *a);
/* A generalized force f on a coordinate of the bodies' form. */
void tree_load_add(mech_tree *t, tree_load *load, int coordinate, expr f);
/* What it does along each rate: carried to the root, added to out (n). The load is spoiled. */
void tree_load_carry(mech_tree *t, tree_load *load, expr *out);
/* Of one link: the wrench along its rates, added to out. */
void tree_along(mech_tree *t, int link, wrench w, expr *out);

/* Of a row: its entries for the coordinates of the bodies, each with the length of what moves these. */
typedef struct row_terms {
    vec(expr) entries;
    vec(double) lengths;
} row_terms;

// ---- tree.c
bool tree_falls(const mech_tree *t, int shape, int instance); // a force that is in fall
// ---- thin.c
void tree_thin_rows(mech_tree *t);
// ---- graph.c
void tree_span(mech_tree *t);
int tree_above_both(const mech_tree *t, int a, int b); // the last link that both hang on; -1: the world
int tree_rows_of(const joint *j);                      // as a closure
vector vector_cleaned(vector v, double size);          // components that are rounding beside size become 0
// ---- motion.c
expr tree_u(const mech_tree *t, int i);
expr tree_s(const mech_tree *t, int i);
void tree_move(mech_tree *t); // motion, of which fall is known
/* Of one link, where its parent moves like this. */
tree_motion tree_move_link(mech_tree *t, int link, const tree_motion *parent);
void tree_lift(mech_tree *t); // position, velocity
/* q'' where all s' are 0, as the full form counts it; without fall. */
expr tree_drift(mech_tree *t, int coordinate);
void tree_accelerate(mech_tree *t); // acceleration
// ---- lift.c
/* An instance of a shape of the full model, or of the same with angles of the tree as slots. */
typedef struct {
    mech_tree *t;
    const shape *from;         // in the full model, or the same with angles as slots
    const mech_shape *derived; // of that
    const int *slots;          // coordinates of the full model; -1 - u: a coordinate here
    int instance;
    int modes; // number of its first switch in the shape that it goes to
} lifting;

void tree_find_angles(mech_tree *t); // before anything is lifted
lifting lift_begin(mech_tree *t, int shape_number, int instance, mech *notes, arena *scratch);
expr lift_expression(lifting *l, expr e);
/* Its switches become those of the shape `to`, from l->modes on. */
void lift_switches(lifting *l, int to, int shape_number);
void lift_force(lifting *l, tree_load *load, int slot, expr f); // f on what the slot is

// ---- freedom.c
/* A velocity of a joint as a sum of factors times rates of the tree. */
typedef struct {
    int count;
    int rate[3];
    double factor[3];
} tree_freedom;
/* That of a freedom of a joint, by the joint's number among the parts; false where the joint closes a loop,
 * or its rates are others. */
bool tree_freedom_of(const mech_tree *t, int part, bool turn, int freedom, tree_freedom *out);
// ---- elements.c
/* What of the full model's elements is here: forces and masses into one shape, rows and stops into others. */
void tree_elements(mech_tree *t);
/* An empty shape of one instance, over all coordinates and turns, and an entry of a shape. */
shape *tree_new_shape(mech_tree *t, shape_kind kind, place at, int target);
void tree_push(mech_tree *t, int to, mech_quantity quantity, int i, int j, expr e, expr held);
// ---- rows.c
bool tree_has_built_in(const mech_tree *t, int row); // the coordinates hold it by themselves
void tree_add_row(mech_tree *t, int row);
// ---- closure.c
/* Rows of joints that close loops, those on points: false if this is none of them. */
typedef struct {
    expr position, velocity, b;
    expr *A;    // (n)
    tvec along; // of one on a point: in the world, the direction that its multiplier is a force in
} tree_row;
bool tree_close(mech_tree *t, int row, tree_row *out);
// ---- inertia.c
void tree_mass(mech_tree *t, derivation *d);                      // M_s, by composite bodies
void tree_forces(mech_tree *t, tree_load *load, expr *S);         // S (n) of these and the bodies' inertia
void tree_articulated(mech_tree *t, tree_load *load, expr *rate); // s' (n) by articulated bodies

#endif
