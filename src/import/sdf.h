/* SDF: what the files that read it share. */
#ifndef TRAMMEL_IMPORT_SDF_H
#define TRAMMEL_IMPORT_SDF_H

#include "import/elements.h"

/* A place with a name: a model, link, joint or frame. Names of what stands in a model within another begin
 * with MODEL:: for each but the outermost. */
typedef struct {
    place at;
    pose own;         // seen from its base
    const char *base; // a frame; NULL: the world
    place base_at;
    const char *holder; // the frame that it moves with; NULL: it is a link, or the world
    int link;           // -1: not known
    enum { SDF_UNKNOWN, SDF_AT_WORK, SDF_KNOWN } progress;
    pose in_world;
} sdf_frame;

typedef struct {
    reader *r;
    names *frame_names;
    vec(sdf_frame) frames; // 0 is the world
    bool old_axes;         // before version 1.5: axes of joints are in the model's frame
} sdf;

#define SDF_MODEL "__model__"

// sdf_frames.c
pose sdf_pose(sdf *s, const xml_element *e);                  // what its <pose> says; identity without one
int sdf_add_frame(sdf *s, const char *name, sdf_frame frame); // -1 if the name is taken
// the frame of an element at its <pose>, which is seen from `base` where it does not say from what else
sdf_frame sdf_frame_of(sdf *s, const xml_element *e, const char *prefix, const char *base);
const char *sdf_scoped(sdf *s, const char *prefix, const char *name);
void sdf_resolve(sdf *s); // finds places and links of all
int sdf_find_frame(sdf *s, const xml_attribute *a, const char *prefix, const char *what); // -1 and an error

// sdf_links.c
void sdf_read_link(sdf *s, const xml_element *e, const char *prefix, bool still);

// sdf_joints.c
const char *sdf_joint_child(sdf *s, const xml_element *e, const char *prefix);
void sdf_read_joint(sdf *s, const xml_element *e, const char *prefix);

#endif
