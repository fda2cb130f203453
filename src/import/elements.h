/* What the readers of all formats share: elements, attributes and the numbers in them, names, and the list of
 * what is left out. Mistakes are told with their places. */
#ifndef TRAMMEL_IMPORT_ELEMENTS_H
#define TRAMMEL_IMPORT_ELEMENTS_H

#include "import/robot.h"
#include "import/xml.h"

#include "base/names.h"

typedef struct {
    const char *name; // of an element
    place at;         // the first of them
    int count;
} leftover;

typedef struct {
    const char *name, *why; // why it is left out
    const char *how;        // "enforced", or NULL: "imported"
} leftover_reason;

typedef struct {
    arena *arena;
    diags *diags;
    robot *robot;
    names *links, *joints; // numbered as in the robot
    names *leftover_names; // numbered as what follows
    vec(leftover) leftovers;
    int mesh_faces;                 // of meshes that are drawn
    const char *mesh_why;           // why the first of the others is not
    const leftover_reason *reasons; // beside those of all formats; ends with a name NULL
} reader;

/* A reader of a root: each format has one. False, and errors, if it is wrong. */
typedef void robot_reader(reader *r, const xml_element *root);
robot_reader urdf_read, sdf_read, mjcf_read;

bool element_is(const xml_element *e, const char *name);
bool element_is_among(const xml_element *e, const char *const *list);               // which ends with NULL
const xml_element *element_only(reader *r, const xml_element *e, const char *name); // two are an error
const xml_attribute *element_needed(reader *r, const xml_element *e, const char *name);
xml_attribute element_text(const xml_element *e); // what stands between its tags, named as it is

/* For people, once for each kind of element. */
void element_leave_out(reader *r, const char *name, place at);
void element_leave_out_others(reader *r, const xml_element *e, const char *const *known);
void element_tell_leftovers(reader *r);

/* `count` decimal numbers, or from `least` to `most`, of which it gives the count; out keeps its values, and
 * the result is 0, where they are wrong. */
bool numbers_in(reader *r, const xml_attribute *a, int count, double *out);
int numbers_among(reader *r, const xml_attribute *a, int least, int most, double *out);
/* Of an attribute; out keeps its value where there is none, or no element. */
void numbers_optional(reader *r, const xml_element *e, const char *name, int count, double *out);
bool number_required(reader *r, const xml_element *e, const char *name, double *out);

/* The place of a value in a list that ends with NULL; -1 and an error, "there is no WHAT '...'". */
int choice_in(reader *r, const xml_attribute *a, const char *what, const char *const *list);

/* A number for a new name; -1 and an error if it is missing or there already. */
int link_new(reader *r, const xml_element *e, const char *prefix); // stands before the name
int joint_new(reader *r, const xml_element *e, const char *prefix);
const char *name_new(reader *r, names *table, const char *wanted); // one that is not there yet; it is then
int name_find(reader *r, const xml_attribute *a, const char *what, const names *table); // -1 and an error
void element_suggest(reader *r, diag *d, const char *wrong, const names *known);

/* Finds the file of a mesh, whose name is read, in a folder beside the robot's file (NULL: that of the
 * robot), or leaves it out. */
void mesh_find(reader *r, place at, const char *folder, robot_shape *s);

/* Finds the joint that another one mimics, and that it has a position. */
void mimic_find(reader *r, robot_joint *j);

/* What of a link is drawn: "visual", or "collision" where there is nothing to be seen. */
const char *element_shown(reader *r, const xml_element *link);

vector vector_of(const double *xyz);
vector vector_unit(vector v);                              // zero stays zero
quaternion turn_of_angles(const double *rpy, double unit); // about the fixed axes x, y, z, in this order
void inertia_check(reader *r, place at, const double *J);
bool mass_check(reader *r, place at, double mass);
void axis_check(reader *r, place at, const robot_joint *j, const char *example);
void limits_check(reader *r, place at, const robot_joint *j);
void damping_check(reader *r, place at, const char *what, double value);

#endif
