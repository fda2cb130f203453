/* A robot as its description has it: links and the joints between them. urdf.c, sdf.c and mjcf.c read one,
 * tree.c puts it together, model.c writes it as a model. */
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

pose pose_identity(void);
pose pose_product(pose a, pose b); // first b, then a
pose pose_inverse(pose a);
vector pose_apply(pose a, vector v);
void robot_turn_inertia(quaternion q, double *J); // J <- R J R', J as in robot_inertia

typedef enum {
    ROBOT_REVOLUTE,
    ROBOT_CONTINUOUS,
    ROBOT_PRISMATIC,
    ROBOT_FIXED,
    ROBOT_FLOATING,
    ROBOT_PLANAR,
    ROBOT_SPHERICAL,
    ROBOT_SCREW
} robot_kind;

typedef struct {
    double mass;
    vector centre;
    double inertia[6]; // about the centre: xx, yy, zz, xy, xz, yz
} robot_inertia;

// adds a part, whose frame is seen from that of the whole; the inertia of the whole is about `centre`
void robot_add_inertia(robot_inertia *whole, pose frame, const robot_inertia *part, vector centre);

typedef enum {
    SOLID_BOX,       // its edges
    SOLID_SPHERE,    // its radius
    SOLID_CYLINDER,  // radius, length along z
    SOLID_CAPSULE,   // radius, length along z between the centres of its ends
    SOLID_ELLIPSOID, // its half axes
    SOLID_MESH       // the factors by which a file is scaled
} solid_kind;

/* Solid and homogeneous, about the origin of its frame. */
typedef struct {
    solid_kind kind;
    double size[3];
    pose origin;      // seen from the link's frame
    const char *file; // of a mesh, as it is given
    const char *path; // the same from the robot's folder; NULL: it is not drawn
} robot_shape;

bool solid_is_whole(const robot_shape *s); // its sizes are positive; of a mesh nobody knows
double solid_volume(const robot_shape *s);
robot_inertia solid_inertia(const robot_shape *s, double mass); // in the shape's frame

typedef struct {
    const char *name; // as in the file
    const char *id;   // in the model
    place at;
    bool has_inertial;
    bool unnamed;      // the file has no name for it
    bool made;         // not in the file: it stands between two joints of one link
    robot_inertia own; // in its frame
    double lift;       // the part of its weight that does not act
    vec(robot_shape) shapes;
    pose in_world; // where the file places it, with joints at their `zero`; the same of joints

    // from tree.c
    int joint;           // by which it hangs; -1: none
    int over;            // the link from which it hangs; -1: none
    int body;            // the link that it is one body with by fixed joints, itself included; -1: the ground
    pose in_body;        // its frame seen from the frame of that link, or from the world
    robot_inertia total; // of all links of the body, in the frame of the one that `body` names
    int merged;          // how many links the body has
    bool heavy;          // there is mass in what it carries
    const char *mass_id; // the parameter of its mass
} robot_link;

/* What has a name in the model beside the joint's own: the pad that is pressed for its friction and the
 * constraint that holds it, its rotor and the constraint that turns it, the thread of a screw, the rate of a
 * ball. */
enum { JOINT_PAD, JOINT_DRY, JOINT_ROTOR, JOINT_SHAFT, JOINT_THREAD, JOINT_RATE, JOINT_PARTS };

typedef struct {
    const char *name, *id;
    bool unnamed; // the file has no name for it
    place at;
    robot_kind kind;
    int parent, child; // links
    pose origin;       // seen from the parent's frame; only where the robot is not placed
    vector axis;       // of unit length, in the joint's frame
    bool limited;
    double lower, upper;
    double effort, speed; // limits: 0 for none
    double damping, friction, armature;
    double stiffness, rest;  // a spring, and the position at which it is relaxed
    double pitch;            // of a screw: displacement for each radian
    const char *leader_name; // whom it mimics: NULL for none
    place leader_at;
    double multiplier, offset; // position = multiplier * that of the leader + offset
    bool closes;               // a loop: no link hangs by it
    bool apart;                // its sides do not meet at the start; the child's is `other`
    vector other;              // a point in world axes

    double zero;   // position where the file places everything
    double start;  // position at the start; by tree.c if the robot is not placed
    pose in_world; // its frame where the file places it; by tree.c if the robot is not placed

    // from tree.c
    int leader;                    // joint; -1 for none
    const char *part[JOINT_PARTS]; // names in the model of what else it needs, or NULL
} robot_joint;

/* The position of a joint, from its zero, is a polynomial of that of another. */
enum { COUPLING_TERMS = 5 };
typedef struct {
    const char *name, *id;
    place at;
    int follower, leader; // joints; a leader -1: the follower is held
    double factor[COUPLING_TERMS];
} robot_coupling;

/* Pulls a joint with factor * u + stiffness * (target - position) - damping * position', where the position
 * is from its zero; u is for the reader of the model to write. */
typedef struct {
    const char *name;
    int joint;
    double factor, stiffness, target, damping;
    bool ranged; // u lies between the following
    double lower, upper;
} robot_drive;

typedef struct {
    const char *name;
    vec(robot_link) links;
    vec(robot_joint) joints;
    vec(robot_coupling) couplings;
    vec(robot_drive) drives; // if the format can have them
    bool driven;             // it can
    vector gravity;
    bool placed;  // link 0 is the ground, and links and joints have their places; else a tree gives them
    bool meeting; // all joints and couplings hold at the start
    int root;     // -1: links hang from several
    int *order;   // links, those before it from which one hangs
} robot;

/* What the file says, in the format of its root element. What is not part of a model is told, once for each
 * kind of element. False, and errors, if it is no robot. */
bool robot_read(arena *a, const source *s, diags *d, robot *out);

/* Checks what hangs on what, and finds places, bodies and their inertia at the start. Of a robot that is not
 * placed the start is 0, or the middle of a joint's limits if 0 lies beyond them, and the joints must make a
 * tree; with free_base its root is a body, else the ground. */
bool robot_assemble(arena *a, diags *d, robot *r, bool free_base);

bool robot_turns(robot_kind kind);  // has an angle
bool robot_slides(robot_kind kind); // has a displacement and no angle
const char *robot_kind_name(robot_kind kind);

#endif
