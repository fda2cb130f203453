/* MJCF: what the files that read it share. */
#ifndef TRAMMEL_IMPORT_MJCF_H
#define TRAMMEL_IMPORT_MJCF_H

#include "import/elements.h"

enum { MJCF_KINDS = 8 }; // of elements that have defaults
typedef struct {
    const xml_element *at; // a <default>
    int parent;            // class; -1: none
    const xml_element *of[MJCF_KINDS];
} mjcf_class;

typedef struct {
    int link;
    vector at; // in the world
} mjcf_site;

typedef enum { MJCF_INERTIA_AUTO, MJCF_INERTIA_GIVEN, MJCF_INERTIA_OF_GEOMS } mjcf_inertia;

typedef struct {
    reader *r;
    double unit;         // radians in one unit of angles
    const char *euler;   // a sequence of axes
    mjcf_inertia source; // of a body
    double groups[2];    // the first and last of geoms that weigh
    names *class_names;
    vec(mjcf_class) classes; // class 0 is that of all, if there is any
    names *site_names;
    vec(mjcf_site) sites;
    names *mesh_names;
    const char *mesh_folder; // NULL: that of the file
    vec(const xml_element *) meshes;
} mjcf;

// mjcf_defaults.c
void mjcf_read_defaults(mjcf *m, const xml_element *root);
int mjcf_class_of(mjcf *m, const xml_element *e, const char *attribute, int inherited); // -1: none
int mjcf_kind(const xml_element *e);                                  // -1 if it has no defaults
const xml_element *mjcf_default(const mjcf *m, int kind, int *class); // the next that says something
const xml_attribute *mjcf_find(const mjcf *m, const xml_element *e, int class, const char *name);
void mjcf_numbers(mjcf *m, const xml_element *e, int class, const char *name, int count, double *out);
bool mjcf_says(const mjcf *m, const xml_element *e, int class, const char *name, const char *value);

// mjcf_turn.c
quaternion mjcf_turn(mjcf *m, const xml_element *e, int class);
quaternion mjcf_turn_to(vector z); // the least turn that takes the z axis there
pose mjcf_pose(mjcf *m, const xml_element *e, int class);

// mjcf_geom.c: adds the shape to the link, and what it weighs to its parts
typedef vec(robot_inertia) mjcf_parts;
void mjcf_read_geom(mjcf *m, const xml_element *e, int class, pose frame, bool weighs, robot_link *out,
                    mjcf_parts *parts);
robot_inertia mjcf_sum(const mjcf_parts *parts); // in the frame of them all

// mjcf_links.c
void mjcf_read_world(mjcf *m, const xml_element *world);

// mjcf_loops.c
void mjcf_read_equality(mjcf *m, const xml_element *equality);
void mjcf_read_actuators(mjcf *m, const xml_element *actuator);

#endif
