/* The motion of the links in symbols, from the root on. In the axes of a link, with E from the parent's, r
 * its origin there and z s what the joint adds:
 *
 *   omega = E omega_p + z s                v = E (v_p + omega_p x r + r')
 *   alpha = E alpha_p + omega x z s        a = E (a_p + Omega_p r + 2 omega_p x r')
 *
 * alpha and a are accelerations where all s' are 0 (000, the terms of A h and M h); with these alpha has z s'
 * more, and a the slides' E r''. */
#include "mech/tree/tree_inside.h"

#include <math.h>

expr tree_u(const mech_tree *t, int i) {
    return expr_symbol(t->pool, SYM_P, i);
}

expr tree_s(const mech_tree *t, int i) {
    return expr_symbol(t->pool, SYM_V, i);
}

// s' where it counts
static expr rate(const mech_tree *t, int i) {
    return t->moves ? expr_symbol(t->pool, SYM_A, i) : EXPR_NONE;
}

static tvec unit(int axis, expr x) {
    tvec out = {0};
    out.at[axis] = x;
    return out;
}

// the quaternion and the matrix that take the link's axes to those it has at u = 0
static void turn(const mech_tree *t, const tree_link *l, tquat *q, tmat *R) {
    expr_pool *p = t->pool;
    if (l->ball) {
        for (int k = 0; k < 4; k++)
            q->at[k] = tree_u(t, l->turn + k);
        *R = tq_matrix(p, *q);
        return;
    }
    *q = tq_number(p, (quaternion){.w = 1});
    *R = tm_identity(p);
    if (l->axis < 0)
        return;
    expr angle = t_mul(p, expr_number(p, l->sign), tree_u(t, l->turn));
    expr half = t_mul(p, expr_number(p, 0.5 * l->sign), tree_u(t, l->turn));
    *q = tq_of(expr_op1(p, OP_COS, half), unit(l->axis, expr_op1(p, OP_SIN, half)));
    int j = (l->axis + 1) % 3, k = (l->axis + 2) % 3;
    expr c = expr_op1(p, OP_COS, angle), s = expr_op1(p, OP_SIN, angle);
    R->at[j][j] = R->at[k][k] = c;
    R->at[j][k] = t_neg(p, s);
    R->at[k][j] = s;
}

// z s, or z s' with `of` for s
static tvec joint_spin(const mech_tree *t, const tree_link *l, expr (*of)(const mech_tree *t, int i)) {
    expr_pool *p = t->pool;
    if (l->ball)
        return (tvec){{of(t, l->turn + 1), of(t, l->turn + 2), of(t, l->turn + 3)}};
    return l->axis < 0 ? (tvec){0} : unit(l->axis, t_mul(p, expr_number(p, l->sign), of(t, l->turn)));
}

static tmat omega_matrix(expr_pool *p, tvec alpha, tvec omega) {
    tmat out = tm_cross(p, alpha);
    expr square[3];
    for (int i = 0; i < 3; i++)
        square[i] = t_mul(p, omega.at[i], omega.at[i]);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        expr both = t_mul(p, omega.at[i], omega.at[j]);
        out.at[i][j] = t_add(p, both, out.at[i][j]);
        out.at[j][i] = t_add(p, both, out.at[j][i]);
        out.at[i][i] = t_neg(p, t_add(p, square[j], square[k]));
    }
    return out;
}

static tree_motion world(mech_tree *t) {
    expr_pool *p = t->pool;
    return (tree_motion){.R = tm_identity(p),
                         .Q = tq_number(p, (quaternion){.w = 1}),
                         .a = tv_number(p, vector_scaled(-1, t->fall))};
}

tree_motion tree_move_link(mech_tree *t, int i, const tree_motion *from) {
    expr_pool *p = t->pool;
    const tree_link *l = &t->links.at[i];
    tree_motion out, *m = &out;
    tquat q;
    tmat R;
    turn(t, l, &q, &R);
    tmat to_parent = tm_product(p, tm_number(p, l->zero), R);
    m->E = tm_transpose(to_parent);
    m->r = tv_number(p, l->at);
    m->r_rate = (tvec){0};
    tvec slid = {0}; // r''
    for (int k = 0; k < l->slides; k++) {
        tvec along = tv_number(p, l->slide[k]);
        m->r = tv_add(p, m->r, tv_scale(p, tree_u(t, l->first + k), along));
        m->r_rate = tv_add(p, m->r_rate, tv_scale(p, tree_s(t, l->first + k), along));
        slid = tv_add(p, slid, tv_scale(p, rate(t, l->first + k), along));
    }
    m->R = tm_product(p, from->R, to_parent);
    m->O = tv_add(p, from->O, tm_apply(p, from->R, m->r));
    m->Q = tq_product(p, from->Q, tq_product(p, tq_number(p, l->zero), q));
    tvec spin = joint_spin(t, l, tree_s);
    m->omega = tv_add(p, tm_apply(p, m->E, from->omega), spin);
    m->v = tm_apply(p, m->E, tv_add(p, tv_add(p, from->v, tv_cross(p, from->omega, m->r)), m->r_rate));
    m->alpha = tv_add(p, tm_apply(p, m->E, from->alpha),
                      tv_add(p, tv_cross(p, m->omega, spin), joint_spin(t, l, rate)));
    tvec coriolis = tv_scale(p, expr_number(p, 2), tv_cross(p, from->omega, m->r_rate));
    m->a = tm_apply(p, m->E,
                    tv_add(p, tv_add(p, from->a, tm_apply(p, from->Omega, m->r)), tv_add(p, coriolis, slid)));
    m->Omega = omega_matrix(p, m->alpha, m->omega);
    bool turns = l->axis == 2 && l->body && l->body->planar;
    expr own = turns ? t_mul(p, expr_number(p, l->sign), tree_u(t, l->turn)) : EXPR_NONE;
    double before = l->parent < 0 ? 0 : t->links.at[l->parent].angle;
    m->angle = t_add(p, t_add(p, from->angle, t_number(p, l->angle - before)), own);
    return out;
}

void tree_move(mech_tree *t) {
    tree_motion ground = world(t);
    t->motion = arena_array(t->arena, tree_motion, t->links.count + 1);
    for (int i = 0; i < t->links.count; i++) {
        int parent = t->links.at[i].parent;
        t->motion[i] = tree_move_link(t, i, parent < 0 ? &ground : &t->motion[parent]);
    }
}

// ---- the coordinates of the bodies

static void lift_body(mech_tree *t, int number) {
    expr_pool *p = t->pool;
    const body *b = &t->parts->bodies.at[number];
    const tree_link *l = &t->links.at[t->link_of[number]];
    const tree_motion *m = &t->motion[t->link_of[number]];
    tvec c = tv_number(p, l->centre);
    if (b->position >= 0) {
        tvec at = tv_add(p, m->O, tm_apply(p, m->R, c));
        tvec rate = tm_apply(p, m->R, tv_add(p, m->v, tv_cross(p, m->omega, c)));
        for (int k = 0; k < (b->planar ? 2 : 3); k++) {
            t->position[b->position + k] = at.at[k];
            t->velocity[b->position + k] = rate.at[k];
        }
    }
    if (b->planar) {
        t->position[b->rotation] = m->angle;
        t->velocity[b->rotation] = m->omega.at[2];
        return;
    }
    tquat q = tq_product(p, m->Q, tq_number(p, l->turned));
    tvec omega = tm_apply_back(p, tm_number(p, l->turned), m->omega);
    tquat rate = tq_product(p, q, tq_of(EXPR_NONE, tv_scale(p, expr_number(p, 0.5), omega)));
    for (int k = 0; k < 4; k++) {
        t->position[b->rotation + k] = q.at[k];
        t->velocity[b->rotation + k] = rate.at[k];
    }
}

void tree_lift(mech_tree *t) {
    int full = t->full->model->coords.count;
    t->position = arena_array(t->arena, expr, full + 1);
    t->velocity = arena_array(t->arena, expr, full + 1);
    for (int i = 0; i < t->parts->bodies.count; i++)
        if (t->link_of[i] >= 0)
            lift_body(t, i);
    for (int i = 0; i < full; i++)
        if (t->plain[i] >= 0) {
            t->position[i] = tree_u(t, t->plain[i]);
            t->velocity[i] = tree_s(t, t->plain[i]);
        }
    for (int i = 0; i < full; i++) {
        t->position[i] = t->position[i] ? t->position[i] : expr_number(t->pool, 0);
        t->velocity[i] = t->velocity[i] ? t->velocity[i] : expr_number(t->pool, 0);
    }
}

// a of the centre in the world
static tvec centre_drift(mech_tree *t, const tree_link *l, const tree_motion *m) {
    expr_pool *p = t->pool;
    tvec a = tv_add(p, m->a, tm_apply(p, m->Omega, tv_number(p, l->centre)));
    return tv_add(p, tm_apply(p, m->R, a), tv_number(p, t->fall));
}

// q'' = q o alpha / 2 - |omega|^2 q / 4
static tquat turn_drift(mech_tree *t, const tree_link *l, const tree_motion *m) {
    expr_pool *p = t->pool;
    tquat q = tq_product(p, m->Q, tq_number(p, l->turned));
    tvec alpha = tm_apply_back(p, tm_number(p, l->turned), m->alpha);
    tquat out = tq_product(p, q, tq_of(EXPR_NONE, tv_scale(p, expr_number(p, 0.5), alpha)));
    expr quarter = t_mul(p, expr_number(p, 0.25), tv_dot(p, m->omega, m->omega));
    for (int k = 0; k < 4; k++)
        out.at[k] = t_sub(p, out.at[k], t_mul(p, quarter, q.at[k]));
    return out;
}

expr tree_drift(mech_tree *t, int coordinate) {
    int number = t->owner[coordinate];
    if (number < 0)
        return EXPR_NONE;
    const body *b = &t->parts->bodies.at[number];
    const tree_link *l = &t->links.at[t->link_of[number]];
    const tree_motion *m = &t->motion[t->link_of[number]];
    if (b->position >= 0 && coordinate >= b->position && coordinate < b->position + (b->planar ? 2 : 3))
        return centre_drift(t, l, m).at[coordinate - b->position];
    return b->planar ? m->alpha.at[2] : turn_drift(t, l, m).at[coordinate - b->rotation];
}

static void accelerate_body(mech_tree *t, int number) {
    const body *b = &t->parts->bodies.at[number];
    const tree_link *l = &t->links.at[t->link_of[number]];
    const tree_motion *m = &t->motion[t->link_of[number]];
    tvec a = centre_drift(t, l, m);
    tquat turn = b->planar ? (tquat){{m->alpha.at[2]}} : turn_drift(t, l, m);
    for (int k = 0; b->position >= 0 && k < (b->planar ? 2 : 3); k++)
        t->acceleration[b->position + k] = a.at[k];
    for (int k = 0; k < (b->planar ? 1 : 4); k++)
        t->acceleration[b->rotation + k] = turn.at[k];
}

void tree_accelerate(mech_tree *t) {
    int full = t->full->model->coords.count;
    tree_motion *still = t->motion;
    t->acceleration = arena_array(t->arena, expr, full + 1);
    t->moves = true;
    tree_move(t);
    for (int i = 0; i < t->parts->bodies.count; i++)
        if (t->link_of[i] >= 0)
            accelerate_body(t, i);
    for (int i = 0; i < full; i++) {
        if (t->plain[i] >= 0)
            t->acceleration[i] = rate(t, t->plain[i]);
        t->acceleration[i] = t->acceleration[i] ? t->acceleration[i] : expr_number(t->pool, 0);
    }
    t->moves = false;
    t->motion = still;
}
