/* Which format a robot description has is told by its root element. */
#include "import/elements.h"

#include <string.h>

static const struct {
    const char *root;
    robot_reader *read;
} formats[] = {{"robot", urdf_read}, {"sdf", sdf_read}, {"mujoco", mjcf_read}};
enum { FORMATS = sizeof formats / sizeof *formats };

static robot_reader *reader_of(diags *d, const xml_element *root) {
    for (int i = 0; i < FORMATS; i++)
        if (element_is(root, formats[i].root))
            return formats[i].read;
    diag *it = diag_error(d, root->at, "a robot description begins with <robot>, <sdf> or <mujoco>, not <%s>",
                          root->name);
    if (element_is(root, "mujocoinclude"))
        it->hint = "this is a part of a file, which another one includes; import takes whole ones";
    else if (element_is(root, "gazebo") || element_is(root, "world"))
        it->hint = "this is SDF of old: 'gz sdf -p FILE' writes it as it is today";
    else if (element_is(root, "model"))
        it->hint = "this says where a model is: import the file that it names, as model.sdf";
    else if (strncmp(root->name, "xacro:", 6) == 0)
        it->hint = "write 'xacro FILE > robot.urdf' first, and import that";
    return NULL;
}

bool robot_read(arena *a, const source *s, diags *d, robot *out) {
    static const leftover_reason none = {0};
    const xml_element *root = xml_read(a, s, d);
    robot_reader *read = root ? reader_of(d, root) : NULL;
    reader r = {.arena = a,
                .diags = d,
                .robot = out,
                .links = names_new(a),
                .joints = names_new(a),
                .leftover_names = names_new(a),
                .reasons = &none};
    if (read == NULL)
        return false;
    out->name = "";
    out->gravity = (vector){0, 0, -9.81};
    read(&r, root);
    element_tell_leftovers(&r);
    return d->errors == 0;
}
