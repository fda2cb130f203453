/* A robot as its description has it: links that joints make a tree. urdf.c reads one, tree.c puts it
 * together, model.c writes it as a model. */
#ifndef TRAMMEL_IMPORT_ROBOT_H
#define TRAMMEL_IMPORT_ROBOT_H

#include "base/diag.h"

#include "mech/rotation.h"
#include <stdbool.h>

/* Where a frame is, seen from another: x -> at + turn x. */
typedef struct {
    quaternion turn;
    vector at;
} pose;

pose pose_product(pose a, pose b);                // first b, then a
void robot_turn_inertia(quaternion q, double *J); // J <- R J R', J as in robot_inertia

typedef enum {
    ROBOT_REVOLUTE,
    ROBOT_CONTINUOUS,
    ROBOT_PRISMATIC,
    ROBOT_FIXED,
    ROBOT_FLOATING,
    ROBOT_PLANAR
} robot_kind;

typedef struct {
    double mass;
    vector centre;
    double inertia[6]; // about the centre: xx, yy, zz, xy, xz, yz
} robot_inertia;

typedef struct {
    const char *name; // as in the file
    const char *id;   // in the model
    place at;
    bool has_inertial;
    robot_inertia own; // in its frame
    int joint;         // of which it is the child; -1: the root

    // from tree.c
    int body;            // the link that it is one body with by fixed joints, itself included; -1: the ground
    pose in_body;        // its frame seen from the frame of that link, or from the world
    pose in_world;       // at the start
    robot_inertia total; // of all links of the body, in the frame of the one that `body` names
    int merged;          // how many links the body has
    bool heavy;          // there is mass in what it carries
    const char *mass_id; // the parameter of its mass
} robot_link;

typedef struct {
    const char *name, *id;
    place at;
    robot_kind kind;
    int parent, child; // links
    pose origin;       // seen from the parent's frame
    vector axis;       // of unit length, in the joint's frame
    bool limited;
    double lower, upper;
    double damping;
    const char *leader_name; // whom it mimics: NULL for none
    place leader_at;
    double multiplier, offset; // position = multiplier * that of the leader + offset

    // from tree.c
    int leader;       // joint; -1 for none
    double start;     // position at the start
    pose in_world;    // its frame at the start, before the joint moves
    const char *gear; // the name of the coupling in the model
} robot_joint;

typedef struct {
    const char *name;
    vec(robot_link) links;
    vec(robot_joint) joints;
    int root;
    int *order; // links, parents first
} robot;

/* What the file says. What is not part of a model is told, once for each kind of element. False, and errors,
 * if it is no robot. */
bool robot_read(arena *a, const source *s, diags *d, robot *out);

/* Checks that the joints make a tree, and finds places, bodies and their inertia at the start: 0, or the
 * middle of a joint's limits if 0 lies beyond them. With free_base the root is a body, else the ground. */
bool robot_assemble(arena *a, diags *d, robot *r, bool free_base);

bool robot_turns(robot_kind kind);  // has an angle
bool robot_slides(robot_kind kind); // has a displacement

#endif
