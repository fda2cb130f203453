/* Particles and bodies, and the world that stands still: their coordinates, and what is fixed in them. */
#ifndef TRAMMEL_MECH_BODIES_H
#define TRAMMEL_MECH_BODIES_H

#include "mech/frames.h"
#include "mech/part_settings.h"

typedef struct {
    int part; // -1: the world
    bool planar;
    int position;      // first coordinate of its centre; -1: that stays where it is
    int rotation;      // first coordinate of its quaternion, or its angle; -1: it does not turn
    vector at;         // where its centre is if it stays there
    scalar mass;       // known; of size 0 if there is none
    scalar inertia[6]; // known: xx, yy, zz, xy, xz, yz; planar: the first
    bool described;    // its mass and inertia are known
    bool joined;       // a joint connects it
    bool armed;        // off its centre, so that a line is drawn there
    vector arm[6];     // different points at which joints hold it, in its axes
    int arms;          // how many; more than there is room for: 7
    bool wheel;        // it rolls
    label label;
    int constraint;   // of its unit quaternion; -1 if it has none
    int energies;     // elements of its own kinetic energy
    const char *form; // of its shape: "box"; NULL if it has none
    double size[3];   // of its shape
    int colour;       // of a model_draw
    bool meshed;      // it has a mesh
} body;

/* force B = F, force B at s = F, torque B = tau, as written with the values of loop variables. */
typedef struct {
    int body;          // number
    bool torque;       // in the body's own axes
    const char *value; //
    const char *point; // in the body's own axes; NULL: the centre
} body_load;

/* An instance of a shape of the model. */
typedef struct {
    int shape, instance;
} part_element;

typedef struct joint joint; // joints/joints.h

/* What this room keeps while a model is read. */
typedef struct {
    vec(body) bodies;
    vec(joint *) joints;
    vec(body_load) loads;
    vec(part_element) elements; // of these, and of the stiffness and damping of joints
    const node *gravity;        // NULL: none
    place gravity_at;
    int gravity_sequence;
    double lever;                  // sum of the distances between joints and the centres of their bodies
    int levers;                    // how many
    const struct mech_tree *tree;  // by which jacobian(...) goes; NULL until it is asked for
    const struct mech_tree *begin; // of the joints that have initial values; NULL: none has
    const double
        *typed; // (coordinates) where joints count from, if initial values of theirs move bodies; NULL
    int plain;  // of the constraints, those that are no part's own; counted once all are known, from 1
} mech_parts;

mech_parts *parts_of(elab *L);
/* elab_finish of an element that parts have in words, too. */
void parts_finish(elab *L, shape_kind kind, place at, const expr *parts);

/* parts.c: what gives the parts of a model their meaning, see elab.h. */
extern const elab_extension parts_extension;

/* The body of a node such as B, B[i] or ground; false, and an error, if it is none. The world is planar or
 * not as it is needed: see body_ground. */
bool body_find(elab *L, const node *n, const binding *scope, const body **out);
const body *body_ground(bool planar);
bool body_is_ground(const body *b);
const char *body_name(elab *L, const body *b);

// ---- in symbols, over the slots of the element at hand
value body_centre(elab *L, const body *b);
value body_rotation(elab *L, const body *b);        // quaternion, or the angle
value body_point(elab *L, const body *b, value s);  // world position of a point fixed in it
value body_vector(elab *L, const body *b, value s); // world components of a vector fixed in it
value body_omega(elab *L, const body *b);           // body-fixed, or a single number
value body_world_omega(elab *L, const body *b);     // in world axes; of bodies in space

// ---- as typed
vector body_typed_centre(elab *L, const body *b);
quaternion body_typed_rotation(elab *L, const body *b);           // planar: about z
vector body_typed_into(elab *L, const body *b, vector point);     // a world point in the body's own axes
vector body_typed_direction(elab *L, const body *b, vector axis); // a world direction in the body's own axes

// ---- statements and functions
void body_act(elab *L, part_phase phase, const stmt *s, const binding *scope, int part);
void body_force(elab *L, const stmt *s, const binding *scope, int part);
void body_show_force(elab *L, const stmt *s, const binding *scope, int part); // in its free-body diagram
void gravity_act(elab *L, part_phase phase, const stmt *s, const binding *scope);
void spring_act(elab *L, part_phase phase, const stmt *s, const binding *scope, int part);

// ---- drawing.c: how they look
const char *part_name(elab *L, int part);
void body_draw(elab *L, const stmt *s, const binding *scope, int part);
bool body_draws_itself(elab *L, const body *b); // begins another element
value body_weight(elab *L, const body *b); // over the slots of the element at hand; size 0: there is none
/* It has no shape, and is what spans the points of its joints: a rod, or a plate. */
bool body_is_link(const body *b);
void spring_draw(elab *L, const stmt *s, const binding *scope, int part);

// ---- mesh.c: meshes and colours
bool mesh_draw(elab *L, const stmt *s, const binding *scope, elab_drawing *d); // draw mesh B "link.stl" ...
/* Whether the statement of a body has a mesh; an error if there is something wrong with it. */
bool mesh_check(elab *L, const stmt *s);
/* That mesh. */
bool mesh_of_body(elab *L, const stmt *s, const binding *scope, const body *b, elab_drawing *d);
bool colour_read(elab *L, const node *n, const binding *scope, int *out);
/* A quaternion, normalised, or a rotation vector. */
bool rotation_read(elab *L, const node *n, const binding *scope, quaternion *out);

/* mass, inertia, shape and density of a body in space; false, and an error, if they are wrong. */
bool inertia_read(elab *L, const stmt *s, const binding *scope, body *b);
bool inertia_read_planar(elab *L, const stmt *s, const binding *scope, body *b);
bool mass_read(elab *L, const stmt *s, const binding *scope, body *b);

#endif
