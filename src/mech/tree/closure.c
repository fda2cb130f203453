/* Joints that close loops, where their bodies meet in a point: the row as the joint has it, P2 - P1 = 0 in
 * world axes, from the motion of the links instead of the bodies' quaternions. */
#include "mech/tree/tree_inside.h"

#include <string.h>

typedef struct {
    tvec at, rate, drift; // in the world
} moving_point;

static moving_point point_of(mech_tree *t, const body *b, vector own) {
    expr_pool *p = t->pool;
    if (body_is_ground(b))
        return (moving_point){.at = tv_number(p, own), .drift = tv_number(p, vector_scaled(-1, t->fall))};
    int link = t->link_of[b - t->parts->bodies.at];
    const tree_link *l = &t->links.at[link];
    const tree_motion *m = &t->motion[link];
    tvec c = tv_number(p, vector_sum(l->centre, rotation_apply(l->turned, own)));
    return (moving_point){tv_add(p, m->O, tm_apply(p, m->R, c)),
                          tm_apply(p, m->R, tv_add(p, m->v, tv_cross(p, m->omega, c))),
                          tm_apply(p, m->R, tv_add(p, m->a, tm_apply(p, m->Omega, c)))};
}

static void push_at(mech_tree *t, tree_load *load, const body *b, vector own, int axis, double size) {
    expr_pool *p = t->pool;
    if (body_is_ground(b))
        return;
    int link = t->link_of[b - t->parts->bodies.at];
    const tree_link *l = &t->links.at[link];
    tvec in_world = {0};
    in_world.at[axis] = expr_number(p, size);
    tvec force = tm_apply_back(p, t->motion[link].R, in_world);
    tvec c = tv_number(p, vector_sum(l->centre, rotation_apply(l->turned, own)));
    load->on[link] = wrench_sum(p, load->on[link], (wrench){tv_cross(p, c, force), force});
}

static const joint *joint_of(const mech_tree *t, int constraint) {
    for (int i = 0; i < t->cut.count; i++)
        if (t->cut.at[i]->constraint == constraint)
            return t->cut.at[i];
    return NULL;
}

bool tree_close(mech_tree *t, int row, tree_row *out) {
    expr_pool *p = t->pool;
    const model_row *r = &t->full->model->rows.at[row];
    const joint *j = joint_of(t, r->constraint);
    int k = r->part && strlen(r->part) == 1 ? r->part[0] - '1' : -1;
    if (j == NULL || j->kind->meeting != MEET_POINT || k < 0 || k >= (j->planar ? 2 : 3))
        return false;
    moving_point one = point_of(t, j->body[0], j->point[0]), two = point_of(t, j->body[1], j->point[1]);
    arena *scratch = arena_child(t->arena);
    tree_load load = tree_load_new(t, scratch);
    push_at(t, &load, j->body[1], j->point[1], k, 1);
    push_at(t, &load, j->body[0], j->point[0], k, -1);
    tree_load_carry(t, &load, out->A);
    out->position = t_sub(p, two.at.at[k], one.at.at[k]);
    out->velocity = t_sub(p, two.rate.at[k], one.rate.at[k]);
    out->b = t_sub(p, one.drift.at[k], two.drift.at[k]);
    arena_free(scratch);
    return true;
}
