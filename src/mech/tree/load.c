/* Forces on the bodies, and what they do along the rates: from the leaves on, each joint takes its part and
 * hands the rest to its parent. So H'f costs two turned vectors for each link, however many forces there are.
 */
#include "mech/tree/tree_inside.h"

wrench wrench_sum(expr_pool *p, wrench a, wrench b) {
    return (wrench){tv_add(p, a.torque, b.torque), tv_add(p, a.force, b.force)};
}

wrench wrench_to_parent(const mech_tree *t, int link, wrench w) {
    expr_pool *p = t->pool;
    const tree_motion *m = &t->motion[link];
    tvec force = tm_apply_back(p, m->E, w.force), torque = tm_apply_back(p, m->E, w.torque);
    return (wrench){tv_add(p, torque, tv_cross(p, m->r, force)), force};
}

tree_load tree_load_new(const mech_tree *t, arena *a) {
    return (tree_load){arena_array(a, wrench, t->links.count + 1), arena_array(a, expr, t->n + 1)};
}

static void add_at_centre(mech_tree *t, tree_load *load, int link, int axis, expr f) {
    expr_pool *p = t->pool;
    tvec in_world = {0};
    in_world.at[axis] = f;
    tvec force = tm_apply_back(p, t->motion[link].R, in_world);
    wrench w = {tv_cross(p, tv_number(p, t->links.at[link].centre), force), force};
    load->on[link] = wrench_sum(p, load->on[link], w);
}

// the torque E(q) f / 2 of a force on component k of the quaternion, in the body's axes: q* o f is (.; E f)
static void add_on_quaternion(mech_tree *t, tree_load *load, int link, const body *b, int k, expr f) {
    expr_pool *p = t->pool;
    tquat conjugate = tq_of(t->position[b->rotation], (tvec){0}), on = {0};
    for (int i = 1; i < 4; i++)
        conjugate.at[i] = t_neg(p, t->position[b->rotation + i]);
    on.at[k] = t_mul(p, expr_number(p, 0.5), f);
    tvec torque = tq_vector(tq_product(p, conjugate, on));
    torque = tm_apply(p, tm_number(p, t->links.at[link].turned), torque);
    load->on[link].torque = tv_add(p, load->on[link].torque, torque);
}

void tree_load_add(mech_tree *t, tree_load *load, int coordinate, expr f) {
    expr_pool *p = t->pool;
    int number = t->owner[coordinate];
    if (number < 0) {
        expr *along = &load->along[t->plain[coordinate]];
        *along = t_add(p, *along, f);
        return;
    }
    const body *b = &t->parts->bodies.at[number];
    int link = t->link_of[number], k = coordinate - b->position;
    if (b->position >= 0 && k >= 0 && k < (b->planar ? 2 : 3))
        add_at_centre(t, load, link, k, f);
    else if (b->planar)
        load->on[link].torque.at[2] = t_add(p, load->on[link].torque.at[2], f);
    else
        add_on_quaternion(t, load, link, b, coordinate - b->rotation, f);
}

static void add_to(expr_pool *p, expr *sum, expr e) {
    *sum = t_add(p, *sum, e);
}

void tree_along(mech_tree *t, int link, wrench w, expr *out) {
    expr_pool *p = t->pool;
    const tree_link *l = &t->links.at[link];
    if (l->ball)
        for (int k = 0; k < 3; k++)
            add_to(p, &out[l->turn + 1 + k], w.torque.at[k]);
    else if (l->axis >= 0)
        add_to(p, &out[l->turn], t_mul(p, expr_number(p, l->sign), w.torque.at[l->axis]));
    tvec force = l->slides ? tm_apply_back(p, t->motion[link].E, w.force) : (tvec){0};
    for (int k = 0; k < l->slides; k++)
        add_to(p, &out[l->first + k], tv_dot(p, tv_number(p, l->slide[k]), force));
}

void tree_load_carry(mech_tree *t, tree_load *load, expr *out) {
    for (int i = 0; i < t->n; i++)
        add_to(t->pool, &out[i], load->along[i]);
    for (int i = t->links.count - 1; i >= 0; i--) {
        wrench w = load->on[i];
        int parent = t->links.at[i].parent;
        if (tv_is_zero(w.force) && tv_is_zero(w.torque))
            continue;
        tree_along(t, i, w, out);
        if (parent >= 0)
            load->on[parent] = wrench_sum(t->pool, load->on[parent], wrench_to_parent(t, i, w));
    }
}
