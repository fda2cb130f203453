/* Meshes, fixed in bodies, and colours. A mesh is only seen: mass and inertia are told beside it. */
#include "mech/bodies.h"

#include <math.h>

typedef struct {
    const node *file, *scale, *at, *rotation; // NULL: not given
} mesh_setting;

// one number for all three, or three
static bool read_scale(elab *L, const node *n, const binding *scope, double *out) {
    value v = elab_known_value(L, n, scope, "the scale of a mesh");
    if (v.size != 1 && v.size != 3) {
        if (v.size)
            elab_error(L, n->whole, "the scale of a mesh is a number, or three: (sx, sy, sz)");
        return false;
    }
    for (int i = 0; i < 3; i++) {
        out[i] = elab_peek(L, &v.at[v.size == 3 ? i : 0]);
        if (out[i] == 0) {
            elab_error(L, n->whole, "the scale of a mesh cannot be 0");
            return false;
        }
    }
    return true;
}

static bool place_mesh(elab *L, const mesh_setting *m, const binding *scope, const body *b, elab_drawing *d) {
    vector origin = {0};
    if (m->at && !setting_vector(L, m->at, scope, b->planar, "the place of a mesh", &origin))
        return false;
    d->at = body_point(L, b, frames_vector(L, origin, b->planar ? 2 : 3));
    d->turn = body_rotation(L, b);
    if (m->rotation == NULL)
        return true;
    if (b->planar) {
        double angle;
        bool single = setting_tuple(L, m->rotation, scope, 1, "the rotation of a mesh", &angle);
        if (single)
            d->turn = elab_scalar(frames_op(L, OP_ADD, d->turn.at[0], frames_number(L, angle)));
        return single;
    }
    quaternion q;
    if (!rotation_read(L, m->rotation, scope, &q))
        return false;
    d->turn = frames_product(L, d->turn, frames_quaternion(L, q));
    return true;
}

static bool draw(elab *L, const mesh_setting *m, const binding *scope, const body *b, elab_drawing *d) {
    d->kind = DRAW_MESH;
    d->colour = b->colour;
    d->size_count = 3;
    d->size[0] = d->size[1] = d->size[2] = 1;
    d->mesh = elab_mesh(L, m->file);
    return d->mesh && (m->scale == NULL || read_scale(L, m->scale, scope, d->size)) &&
           place_mesh(L, m, scope, b, d);
}

bool mesh_draw(elab *L, const stmt *s, const binding *scope, elab_drawing *d) {
    const body *b;
    node *const *n = s->list.at;
    int count = s->list.count;
    mesh_setting m = {n[1], count > 2 ? n[2] : NULL, count > 3 ? n[3] : NULL, count > 4 ? n[4] : NULL};
    return body_find(L, n[0], scope, &b) && draw(L, &m, scope, b, d);
}

static const node *set(elab *L, const stmt *s, const char *name) {
    const item *it = setting_find(L, &s->settings, name);
    return it ? it->value : NULL;
}

bool mesh_check(elab *L, const stmt *s) {
    static const char *const of_mesh[] = {"mesh_scale", "mesh_at", "mesh_rotation"};
    const node *file = set(L, s, "mesh");
    for (int i = 0; i < 3 && file == NULL; i++) {
        const item *it = setting_find(L, &s->settings, of_mesh[i]);
        if (it)
            elab_error(L, it->at, "%s is of a mesh, and there is none", of_mesh[i])->hint =
                "name its file: mesh = \"link.stl\"";
    }
    return file && elab_mesh(L, file);
}

bool mesh_of_body(elab *L, const stmt *s, const binding *scope, const body *b, elab_drawing *d) {
    mesh_setting m = {set(L, s, "mesh"), set(L, s, "mesh_scale"), set(L, s, "mesh_at"),
                      set(L, s, "mesh_rotation")};
    return draw(L, &m, scope, b, d);
}

bool colour_read(elab *L, const node *n, const binding *scope, int *out) {
    double part[3];
    if (!setting_tuple(L, n, scope, 3, "a colour", part))
        return false;
    *out = COLOUR_OWN;
    for (int i = 0; i < 3; i++) {
        if (!(part[i] >= 0 && part[i] <= 1)) {
            elab_error(L, n->whole, "a colour is red, green and blue, each from 0 to 1: this has %.6g",
                       part[i]);
            return false;
        }
        *out |= (int)lround(255 * part[i]) << (16 - 8 * i);
    }
    return true;
}
