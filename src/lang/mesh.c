/* Files that a model shows: read once, and kept with its texts. */
#include "base/mesh.h"

#include "base/file.h"
#include "base/output.h"
#include "lang/elab.h"

#include <string.h>
#include <sys/stat.h>

static const source *find(const source_list *files, const char *path) {
    for (int i = 1; files && i < files->count; i++)
        if (strcmp(files->at[i]->path, path) == 0)
            return files->at[i];
    return NULL;
}

static const char *hint_for(bool there, bool many) {
    return !there ? "a file is sought beside the model that names it"
           : many ? "programs for meshes make coarser ones, by \"decimating\" them"
                  : "programs for meshes can write it anew, as STL or OBJ";
}

static const source *read_new(elab *L, const node *n, const char *path) {
    model *m = L->model;
    struct stat info;
    int faces = 0;
    const char *why = NULL;
    const source *file = mesh_file(L->arena, path, &faces, &why);
    m->mesh_faces += faces;
    bool many = m->mesh_faces > MESH_FACES_MOST || faces == MESH_FACES_MOST;
    if (file && m->mesh_faces > MESH_FACES_MOST) {
        why = arena_print(L->arena, "with it this model has %d triangles, and %d is the most there may be",
                          m->mesh_faces, MESH_FACES_MOST);
        file = NULL;
    }
    if (file == NULL && !output_has_files())
        diag_warning(L->diags, n->whole, "the mesh '%s' is not shown: a page has no files of its own", path);
    else if (file == NULL)
        elab_error(L, n->whole, "cannot take the mesh '%s': %s", path, why)->hint =
            hint_for(faces || stat(path, &info) == 0, many);
    return file;
}

const source *elab_mesh(elab *L, const node *n) {
    if (n->kind != NODE_TEXT) {
        elab_error(L, n->whole, "a mesh is a file, its name in quotation marks")->hint =
            "as in mesh = \"link.stl\"";
        return NULL;
    }
    place at = n->whole;
    const char *name = arena_copy(L->arena, at.source->text + at.offset + 1, (size_t)at.length - 2);
    const char *path = file_beside(L->arena, at.source->path, name);
    const source *file = find(&L->model->sources, path);
    if (file)
        return file;
    file = find(L->known, path);
    if (file == NULL)
        file = read_new(L, n, path);
    if (file)
        vec_push(L->arena, L->model->sources, file);
    return file;
}
