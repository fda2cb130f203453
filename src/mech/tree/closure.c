/* Rows of joints that close loops, from the motion of the links. What a joint asks for depends on how its
 * bodies stand to each other, so only the joints between them and the last link that both hang on, the turn
 * of the loop, have entries: that link counts as the world here. In the axes of body 1, with w = omega_2 -
 * omega_1 and the rotation p of body 2 against body 1 (joints.h), p' = w p / 2:
 *
 *   meeting   d . x = 0,  x = P2 - P1       d . x' with x' = v_2 - v_1 - omega_1 x P2
 *   turning   2 L e . vec(p) = 0            g . w,  g = L (p_0 e + vec(p) x e)
 *   cross     L a1 . a2 = 0                 g . w,  g = L a2 x a1
 *
 * d are directions fixed in body 1: the joint's e1, e2 and axis where it has these, in place of the world's
 * axes, which the full form has for points. They leave a loop in a plane with rows that are zero, not nearly
 * so. The force of a row is d at P2, or the torque g, on body 2, and its opposite on body 1. */
#include "mech/tree/tree_inside.h"

#include <string.h>

/* A body of the joint, seen from the turn of the loop. */
typedef struct {
    int link; // -1: the turn itself, or the world
    tree_motion m;
    tvec point;        // of the joint, in the axes of the link
    quaternion turned; // from the body's axes to the link's
} side;

typedef struct {
    mech_tree *t;
    const joint *j;
    int above; // the turn of the loop
    side of[2];
    tmat R;          // from the axes of link 2 to those of link 1
    tvec at2;        // P2 seen from the origin of link 1, in its axes
    tvec gap, rate;  // P2 - P1 and its rate there
    tvec drift;      // the rate of that where all s' are 0
    tvec w, w_drift; // omega_2 - omega_1 there, and its rate
} loop;

// ---- how the bodies stand

static int above_both(const mech_tree *t, int a, int b) {
    while (a != b) {
        bool first = a >= 0 && (b < 0 || t->links.at[a].depth >= t->links.at[b].depth);
        if (first)
            a = t->links.at[a].parent;
        else
            b = t->links.at[b].parent;
    }
    return a;
}

static tree_motion seen_from(mech_tree *t, int link, int above) {
    if (link == above)
        return (tree_motion){.R = tm_identity(t->pool), .Q = tq_number(t->pool, (quaternion){.w = 1})};
    tree_motion from = seen_from(t, t->links.at[link].parent, above);
    return tree_move_link(t, link, &from);
}

static void set_side(loop *l, int k) {
    const body *b = l->j->body[k];
    side *s = &l->of[k];
    vector own = l->j->point[k];
    if (body_is_ground(b)) {
        s->turned = (quaternion){.w = 1};
    } else {
        const tree_link *link = &l->t->links.at[s->link];
        s->turned = link->turned;
        own = vector_sum(link->centre, rotation_apply(link->turned, own));
    }
    s->m = seen_from(l->t, s->link, l->above);
    s->point = tv_number(l->t->pool, own);
}

static int link_of(const mech_tree *t, const body *b) {
    return body_is_ground(b) ? -1 : t->link_of[b - t->parts->bodies.at];
}

// components of link 2, or of the turn of the loop, in the axes of link 1
static tvec from_second(const loop *l, tvec v) {
    return tm_apply(l->t->pool, l->R, v);
}

static loop look_at(mech_tree *t, const joint *j) {
    expr_pool *p = t->pool;
    loop l = {.t = t, .j = j};
    for (int k = 0; k < 2; k++)
        l.of[k].link = link_of(t, j->body[k]);
    l.above = above_both(t, l.of[0].link, l.of[1].link);
    set_side(&l, 0);
    set_side(&l, 1);
    const tree_motion *one = &l.of[0].m, *two = &l.of[1].m;
    tvec c = l.of[1].point;
    l.R = tm_product(p, tm_transpose(one->R), two->R);
    l.at2 = tv_add(p, tm_apply_back(p, one->R, tv_sub(p, two->O, one->O)), from_second(&l, c));
    l.gap = tv_sub(p, l.at2, l.of[0].point);
    tvec v2 = from_second(&l, tv_add(p, two->v, tv_cross(p, two->omega, c)));
    l.rate = tv_sub(p, tv_sub(p, v2, one->v), tv_cross(p, one->omega, l.at2));
    tvec a2 = from_second(&l, tv_add(p, two->a, tm_apply(p, two->Omega, c)));
    tvec turning = tv_scale(p, expr_number(p, 2), tv_cross(p, one->omega, l.rate));
    l.drift = tv_sub(p, tv_sub(p, tv_sub(p, a2, one->a), tm_apply(p, one->Omega, l.at2)), turning);
    tvec omega2 = from_second(&l, two->omega);
    l.w = tv_sub(p, omega2, one->omega);
    tvec alpha = tv_sub(p, from_second(&l, two->alpha), one->alpha);
    l.w_drift = tv_sub(p, alpha, tv_cross(p, one->omega, l.w));
    return l;
}

// ---- what a row does to both

static void carry(loop *l, int link, wrench w, expr *A) {
    for (; link != l->above; link = l->t->links.at[link].parent) {
        tree_along(l->t, link, w, A);
        w = wrench_to_parent(l->t, link, w);
    }
}

// force and torque about the origin of link 1, in its axes, on body 2
static void act(loop *l, tvec force, tvec torque, expr *A) {
    expr_pool *p = l->t->pool;
    if (l->of[1].link != l->above) {
        tvec own = tm_apply_back(p, l->R, force);
        wrench w = {tv_add(p, tv_cross(p, l->of[1].point, own), tm_apply_back(p, l->R, torque)), own};
        carry(l, l->of[1].link, w, A);
    }
    wrench back = {tv_neg(p, tv_add(p, tv_cross(p, l->at2, force), torque)), tv_neg(p, force)};
    carry(l, l->of[0].link, back, A);
}

// ---- the kinds of rows

static tvec in_link1(const loop *l, vector own) {
    return tv_number(l->t->pool, rotation_apply(l->of[0].turned, own));
}

static void meet(loop *l, vector direction, tree_row *out) {
    expr_pool *p = l->t->pool;
    tvec d = in_link1(l, direction);
    out->position = tv_dot(p, d, l->gap);
    out->velocity = tv_dot(p, d, l->rate);
    out->b = t_neg(p, tv_dot(p, d, l->drift));
    act(l, d, (tvec){0}, out->A);
}

static void twist(loop *l, tvec g, tree_row *out) {
    expr_pool *p = l->t->pool;
    out->velocity = tv_dot(p, g, l->w);
    out->b = t_sub(p, out->b, tv_dot(p, g, l->w_drift));
    act(l, (tvec){0}, g, out->A);
}

// p in the axes of link 1: what turns its axes at rest into those that link 2 takes there
static tquat turn_of(const loop *l) {
    expr_pool *p = l->t->pool;
    const joint *j = l->j;
    quaternion after =
        rotation_product(l->of[1].turned, rotation_product(j->c, rotation_inverse(l->of[0].turned)));
    tquat back = l->of[0].m.Q;
    for (int k = 1; k < 4; k++)
        back.at[k] = t_neg(p, back.at[k]);
    return tq_product(p, tq_product(p, back, l->of[1].m.Q), tq_number(p, after));
}

// 2 L e . vec(p); of its second derivative, what |w|^2 has
static void turn(loop *l, vector direction, double length, tree_row *out) {
    expr_pool *p = l->t->pool;
    tvec e = in_link1(l, direction);
    tquat q = turn_of(l);
    expr twice = expr_number(p, 2 * length), along = tv_dot(p, e, tq_vector(q));
    tvec g = tv_add(p, tv_scale(p, q.at[0], e), tv_cross(p, tq_vector(q), e));
    out->position = t_mul(p, twice, along);
    out->b = t_mul(p, t_mul(p, expr_number(p, length / 2), tv_dot(p, l->w, l->w)), along);
    twist(l, tv_scale(p, expr_number(p, length), g), out);
}

static void cross(loop *l, double length, tree_row *out) {
    expr_pool *p = l->t->pool;
    tvec a1 = in_link1(l, l->j->axis);
    tvec a2 = from_second(l, tv_number(p, rotation_apply(l->of[1].turned, l->j->axis2)));
    expr size = expr_number(p, length);
    out->position = t_mul(p, size, tv_dot(p, a1, a2));
    tvec curved = tv_cross(p, l->w, tv_cross(p, l->w, a2));
    out->b = t_neg(p, t_mul(p, size, tv_dot(p, a1, curved)));
    twist(l, tv_scale(p, size, tv_cross(p, a2, a1)), out);
}

static void turn_in_plane(loop *l, double length, tree_row *out) {
    expr_pool *p = l->t->pool;
    const joint *j = l->j;
    expr off = t_sub(p, l->of[1].m.angle, l->of[0].m.angle);
    tvec z = {{EXPR_NONE, EXPR_NONE, expr_number(p, length)}};
    out->position = t_mul(p, expr_number(p, length), t_sub(p, off, t_number(p, j->angle0)));
    twist(l, z, out);
}

// ---- which of a joint's rows

static const joint *joint_of(const mech_tree *t, int constraint) {
    for (int i = 0; i < t->cut.count; i++)
        if (t->cut.at[i]->constraint == constraint)
            return t->cut.at[i];
    return NULL;
}

// the directions of the rows in which its bodies meet; how many
static int directions(const joint *j, vector *out) {
    const vector unit[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    bool own = !j->planar && (j->kind->turning == TURN_ABOUT || j->kind->turning == TURN_NOT);
    const vector along[] = {j->e1, j->e2, j->axis};
    if (j->kind->meeting == MEET_PLANE) {
        out[0] = j->axis;
        return 1;
    }
    memcpy(out, own || j->kind->meeting == MEET_LINE ? along : unit, sizeof unit);
    int size = j->planar ? 2 : 3;
    return j->kind->meeting == MEET_LINE ? size - 1 : size;
}

bool tree_close(mech_tree *t, int row, tree_row *out) {
    const model_row *r = &t->full->model->rows.at[row];
    const joint *j = joint_of(t, r->constraint);
    int k = r->part && strlen(r->part) == 1 ? r->part[0] - '1' : -1;
    if (j == NULL || k < 0)
        return false;
    vector d[3], e[] = {j->e1, j->e2, j->axis};
    double length = t->full->model->length > 0 ? t->full->model->length : 1;
    loop l = look_at(t, j);
    int meeting = directions(j, d);
    if (k < meeting)
        meet(&l, d[k], out);
    else if (j->planar)
        turn_in_plane(&l, length, out);
    else if (j->kind->turning == TURN_CROSS)
        cross(&l, length, out);
    else
        turn(&l, e[k - meeting], length, out);
    return true;
}
