/* Where the file of a mesh is: beside the robot's; of package://NAME/REST in the folder of that package,
 * which is sought from the robot's folder upwards. What is no mesh that a model can take is left out. */
#include "base/mesh.h"

#include "base/file.h"
#include "import/elements.h"

#include <string.h>
#include <sys/stat.h>

enum { UPWARDS = 8 }; // folders
static const char UP[3 * UPWARDS + 1] = "../../../../../../../../";

static const char *after(const char *name, const char *start) {
    size_t length = strlen(start);
    return strncmp(name, start, length) == 0 ? name + length : NULL;
}

static bool is_there(reader *r, place at, const char *path) {
    struct stat info;
    return stat(file_beside(r->arena, at.source->path, path), &info) == 0 && S_ISREG(info.st_mode);
}

// of "NAME/REST": the folder of the package stands beside one of those above, or is one of them
static const char *in_package(reader *r, place at, const char *name) {
    const char *rest = strchr(name, '/');
    for (int up = 0; rest && up <= UPWARDS; up++) {
        const char *beside = arena_print(r->arena, "%.*s%s", 3 * up, UP, name);
        const char *within = arena_print(r->arena, "%.*s%s", 3 * up, UP, rest + 1);
        if (is_there(r, at, beside))
            return beside;
        if (is_there(r, at, within))
            return within;
    }
    return name;
}

static const char *path_of(reader *r, place at, const char *folder, const char *name) {
    const char *package = after(name, "package://"), *file = after(name, "file://");
    if (package == NULL)
        package = after(name, "model://");
    if (package)
        return in_package(r, at, package);
    if (file)
        return file;
    bool joined = folder && *folder && *name != '/';
    return joined
               ? arena_print(r->arena, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", name)
               : name;
}

void mesh_find(reader *r, place at, const char *folder, robot_shape *s) {
    int faces = 0;
    const char *why = NULL, *path = path_of(r, at, folder, s->file);
    bool good = mesh_file(r->arena, file_beside(r->arena, at.source->path, path), &faces, &why) != NULL;
    if (good && strpbrk(path, "\"\n"))
        why = "a model cannot have its name";
    else if (good && r->mesh_faces + faces > MESH_FACES_MOST)
        why = arena_print(r->arena, "all meshes of a model have %d triangles at most", MESH_FACES_MOST);
    if (why == NULL) {
        s->path = path;
        r->mesh_faces += faces;
        return;
    }
    if (r->mesh_why == NULL)
        r->mesh_why = why;
    element_leave_out(r, "mesh", at);
}
