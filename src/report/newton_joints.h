/* What Newton's and Euler's equations in print have of joints: their forces on bodies, by name, and their
 * rows. Private to newton*.c. */
#ifndef TRAMMEL_REPORT_NEWTON_JOINTS_H
#define TRAMMEL_REPORT_NEWTON_JOINTS_H

#include "mech/joints/joints.h"
#include "report/typeset.h"

/* What acts on bodies, and is not written out. */
typedef struct {
    const char *what;
    bool *acts; // (bodies)
} newton_force;

typedef struct {
    typeset *t;
    const model *model;
    const mech *derived;
    const mech_parts *parts;
    int *owner;             // (coords) number of a body; -1
    const joint **joint_of; // (constraints) NULL: it is no joint's
    bool **known;           // (shapes) (instances) of parts, which tell them in words
    expr (*applied)[4];     // (bodies) what is written out: a force, and in the plane a torque
    /* Letters that no name of the model is: mass, inertia, centre, rotation, angular velocity. In the plane a
     * body has an angle instead, phi or another in LaTeX. */
    const char *m, *I, *r, *R, *omega, *phi;
    vec(newton_force) named;
    vec(const char *) phrases; // W_1, W_2, ...: of the model, too long for a formula
} newton;

int *newton_owners(arena *a, const model *m, const mech_parts *parts); // (coords) numbers of bodies; -1

/* Names, words of the model, numbers: as the page at hand has them. */
const char *newton_name(newton *w, label l);
const char *newton_plain(newton *w, const char *written);
const char *newton_words(newton *w, const char *written); // in a formula; long ones get a name
const char *newton_scalar(newton *w, scalar s);
void newton_term(newton *w, typeset_terms *terms, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether it can have a torque, or a force, along one axis that is fixed in its bodies. */
bool newton_has_axis(const joint *j, bool torque);
/* Whether its force on a body is told by its name. */
bool newton_is_party(const newton *w, const joint *j, int number);

void newton_add_forces(newton *w, int number, typeset_terms *terms);
void newton_add_torques(newton *w, int number, typeset_terms *terms); // about the centre, in world axes

void newton_put_joint(newton *w, const joint *j);

#endif
