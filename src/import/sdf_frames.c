/* Where things are: each pose is seen from another frame, and that from another one, down to the world. */
#include "import/sdf.h"

#include <math.h>
#include <string.h>

static bool says(const xml_element *e, const char *name, const char *value) {
    const xml_attribute *a = xml_attribute_find(e, name);
    return a && strcmp(a->value, value) == 0;
}

static quaternion of_quaternion(sdf *s, const xml_element *e, const double *v) {
    double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
    if (size > 0)
        return (quaternion){v[3] / size, v[0] / size, v[1] / size, v[2] / size};
    diag_error(s->r->diags, e->at, "a quaternion cannot be zero");
    return (quaternion){.w = 1};
}

pose sdf_pose(sdf *s, const xml_element *e) {
    const xml_element *at = element_only(s->r, e, "pose");
    double v[7];
    if (at == NULL || at->text[0] == '\0')
        return pose_identity();
    xml_attribute given = element_text(at);
    bool quaternions = says(at, "rotation_format", "quat_xyzw");
    if (!numbers_in(s->r, &given, quaternions ? 7 : 6, v))
        return pose_identity();
    double unit = says(at, "degrees", "true") || says(at, "degrees", "1") ? M_PI / 180 : 1;
    return (pose){quaternions ? of_quaternion(s, at, v + 3) : turn_of_angles(v + 3, unit), vector_of(v)};
}

const char *sdf_scoped(sdf *s, const char *prefix, const char *name) {
    if (strcmp(name, "world") == 0)
        return name;
    return arena_print(s->r->arena, "%s%s", prefix, name);
}

sdf_frame sdf_frame_of(sdf *s, const xml_element *e, const char *prefix, const char *base) {
    const xml_element *at = element_only(s->r, e, "pose");
    const xml_attribute *a = at ? xml_attribute_find(at, "relative_to") : NULL;
    if (at && a == NULL)
        a = xml_attribute_find(at, "frame"); // its name before version 1.7
    bool named = a && a->value[0];
    return (sdf_frame){.at = e->at,
                       .own = sdf_pose(s, e),
                       .base = named ? sdf_scoped(s, prefix, a->value) : base,
                       .base_at = named ? a->at : e->at,
                       .link = -1};
}

int sdf_add_frame(sdf *s, const char *name, sdf_frame frame) {
    if (names_find(s->frame_names, name, (int)strlen(name)) >= 0)
        return -1;
    vec_push(s->r->arena, s->frames, frame);
    return names_intern(s->frame_names, name, (int)strlen(name));
}

static int frame_named(sdf *s, const char *name, place at, const char *what) {
    return name_find(s->r, &(xml_attribute){"", name, at}, what, s->frame_names);
}

int sdf_find_frame(sdf *s, const xml_attribute *a, const char *prefix, const char *what) {
    return frame_named(s, sdf_scoped(s, prefix, a->value), a->at, what);
}

// down to one whose place is known, then back
static void place_frame(sdf *s, int frame, int *stack) {
    int count = 0, at = frame;
    while (s->frames.at[at].progress == SDF_UNKNOWN) {
        sdf_frame *f = &s->frames.at[at];
        f->progress = SDF_AT_WORK;
        stack[count++] = at;
        at = f->base ? frame_named(s, f->base, f->base_at, "frame") : 0;
        if (at < 0)
            at = 0;
    }
    if (s->frames.at[at].progress == SDF_AT_WORK)
        diag_error(s->r->diags, s->frames.at[at].base_at,
                   "where '%s' is depends on itself, by way of what its pose is relative to",
                   names_text(s->frame_names, at));
    while (count-- > 0) {
        sdf_frame *f = &s->frames.at[stack[count]];
        f->in_world = pose_product(s->frames.at[at].in_world, f->own);
        f->progress = SDF_KNOWN;
        at = stack[count];
    }
}

// the frame that holds another; the frame itself if it is a link, and -1 with an error if there is none
static int holder_of(sdf *s, int frame) {
    const sdf_frame *f = &s->frames.at[frame];
    return f->link >= 0 || f->holder == NULL ? frame : frame_named(s, f->holder, f->at, "frame");
}

// the link that a frame moves with, also for all on the way to it; more steps than frames are a circle
static void find_link(sdf *s, int frame) {
    int last = frame, next, steps = 0;
    while ((next = holder_of(s, last)) != last) {
        if (next < 0)
            return;
        if (steps++ > s->frames.count) {
            diag_error(s->r->diags, s->frames.at[frame].at, "'%s' is attached to itself, by way of others",
                       names_text(s->frame_names, frame));
            return;
        }
        last = next;
    }
    for (int at = frame; at != last; at = next) {
        next = holder_of(s, at);
        s->frames.at[at].link = s->frames.at[last].link;
    }
}

void sdf_resolve(sdf *s) {
    int *stack = arena_array(s->r->arena, int, s->frames.count);
    for (int i = 0; i < s->frames.count; i++)
        place_frame(s, i, stack);
    for (int i = 0; i < s->frames.count && s->r->diags->errors == 0; i++)
        find_link(s, i);
}
