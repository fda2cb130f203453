/* Rows of joints that close loops, from the motion of the links. What a joint asks for depends on how its
 * bodies stand to each other, so only the joints between them and the last link that both hang on, the turn
 * of the loop, have entries: that link counts as the world here, and all vectors are in its axes. With x = P2
 * - P1, the rotation p of body 2 against body 1 (joints.h) and w = omega_2 - omega_1:
 *
 *   point     d . x = 0, d fixed in the turn     d . x'
 *   line      d . x = 0, d fixed in body 1       d . (P2' - the velocity that body 1 has in P2)
 *   turning   2 L e . vec(p) = 0                 g . w,  g = L R1 (p_0 e + vec(p) x e)
 *   cross     L a1 . a2 = 0                      g . w,  g = L a2 x a1
 *
 * The directions d of a point are the axes of the turn of the loop, or e1, e2 and the axis of the joint, as
 * they are there at u = 0: so a loop in a plane has rows that are zero, not nearly so, whatever moves it as a
 * whole. The full form has the world's axes. A rate z about an axis through O adds z x (P - O) to P'. */
#include "mech/tree/tree_inside.h"

#include <string.h>

/* A body of the joint, seen from the turn of the loop. */
typedef struct {
    int link;          // -1: the world; where it is the turn, it does not move
    tree_motion *seen; // (links) of it and those above it
    tree_motion at;    // of it
    tvec point, v, a;  // the joint's point: position, velocity, acceleration where all s' are 0
    tvec omega, alpha;
    quaternion turned; // from the body's axes to the link's
} side;

typedef struct {
    mech_tree *t;
    const joint *j;
    int above; // the turn of the loop
    side of[2];
} loop;

// ---- how the bodies stand

static tree_motion standing(mech_tree *t) {
    return (tree_motion){.R = tm_identity(t->pool), .Q = tq_number(t->pool, (quaternion){.w = 1})};
}

static tree_motion see(loop *l, side *s, int link) {
    if (link == l->above)
        return standing(l->t);
    tree_motion from = see(l, s, l->t->links.at[link].parent);
    return s->seen[link] = tree_move_link(l->t, link, &from);
}

static void set_side(loop *l, int k, arena *scratch) {
    expr_pool *p = l->t->pool;
    const body *b = l->j->body[k];
    side *s = &l->of[k];
    vector own = l->j->point[k];
    s->turned = (quaternion){.w = 1};
    if (!body_is_ground(b)) {
        const tree_link *link = &l->t->links.at[s->link];
        s->turned = link->turned;
        own = vector_sum(link->centre, rotation_apply(link->turned, own));
    }
    s->seen = arena_array(scratch, tree_motion, l->t->links.count + 1);
    s->at = see(l, s, s->link);
    const tree_motion *m = &s->at;
    tvec c = tv_number(p, own);
    s->point = tv_add(p, m->O, tm_apply(p, m->R, c));
    s->v = tm_apply(p, m->R, tv_add(p, m->v, tv_cross(p, m->omega, c)));
    s->a = tm_apply(p, m->R, tv_add(p, m->a, tm_apply(p, m->Omega, c)));
    s->omega = tm_apply(p, m->R, m->omega);
    s->alpha = tm_apply(p, m->R, m->alpha);
}

static int link_of(const mech_tree *t, const body *b) {
    return body_is_ground(b) ? -1 : t->link_of[b - t->parts->bodies.at];
}

static loop look_at(mech_tree *t, const joint *j, arena *scratch) {
    loop l = {.t = t, .j = j};
    for (int k = 0; k < 2; k++)
        l.of[k].link = link_of(t, j->body[k]);
    l.above = tree_above_both(t, l.of[0].link, l.of[1].link);
    set_side(&l, 0, scratch);
    set_side(&l, 1, scratch);
    return l;
}

// ---- entries

static void add_entry(loop *l, int rate, expr e, bool minus, expr *A) {
    A[rate] = minus ? t_sub(l->t->pool, A[rate], e) : t_add(l->t->pool, A[rate], e);
}

// the axis of a rate about which a link turns: component k of its own axes
static tvec axis_of(loop *l, const tree_motion *m, int k, double sign) {
    tvec out;
    for (int i = 0; i < 3; i++)
        out.at[i] = m->R.at[i][k];
    return sign < 0 ? tv_neg(l->t->pool, out) : out;
}

/* Of all rates between one side and the turn: what they add to d . P', P fixed in the side's body, or with
 * at NULL to g . omega. */
static void add_side(loop *l, int k, tvec along, const tvec *at, bool minus, expr *A) {
    expr_pool *p = l->t->pool;
    for (int i = l->of[k].link; i != l->above; i = l->t->links.at[i].parent) {
        const tree_link *link = &l->t->links.at[i];
        const tree_motion *m = &l->of[k].seen[i];
        for (int axis = 0; axis < 3; axis++) {
            if (!link->ball && link->axis != axis)
                continue;
            tvec z = axis_of(l, m, axis, link->ball ? 1 : link->sign);
            tvec moved = at ? tv_cross(p, z, tv_sub(p, *at, m->O)) : z;
            add_entry(l, link->ball ? link->turn + 1 + axis : link->turn, tv_dot(p, along, moved), minus, A);
        }
        tmat parent = link->parent == l->above ? tm_identity(p) : l->of[k].seen[link->parent].R;
        for (int s = 0; at && s < link->slides; s++) {
            tvec moved = tm_apply(p, parent, tv_number(p, link->slide[s]));
            add_entry(l, link->first + s, tv_dot(p, along, moved), minus, A);
        }
    }
}

// ---- the kinds of rows

static void meet_in_point(loop *l, vector direction, tree_row *out) {
    expr_pool *p = l->t->pool;
    const side *one = &l->of[0], *two = &l->of[1];
    tvec d = tv_number(p, direction);
    out->along = l->above < 0 ? d : tm_apply(p, l->t->motion[l->above].R, d);
    out->position = tv_dot(p, d, tv_sub(p, two->point, one->point));
    out->velocity = tv_dot(p, d, tv_sub(p, two->v, one->v));
    out->b = tv_dot(p, d, tv_sub(p, one->a, two->a));
    add_side(l, 1, d, &two->point, false, out->A);
    add_side(l, 0, d, &one->point, true, out->A);
}

static tvec in_body1(const loop *l, vector own) {
    return tm_apply(l->t->pool, l->of[0].at.R, tv_number(l->t->pool, rotation_apply(l->of[0].turned, own)));
}

static void meet_along(loop *l, vector direction, tree_row *out) {
    expr_pool *p = l->t->pool;
    const side *one = &l->of[0], *two = &l->of[1];
    const tree_motion *m = &one->at;
    tvec d = in_body1(l, direction), arm = tv_sub(p, two->point, m->O);
    tvec own = tm_apply_back(p, m->R, arm); // P2 in the axes of link 1
    tvec v1 = tm_apply(p, m->R, tv_add(p, m->v, tv_cross(p, m->omega, own)));
    tvec a1 = tm_apply(p, m->R, tv_add(p, m->a, tm_apply(p, m->Omega, own)));
    tvec rate = tv_sub(p, two->v, v1);
    tvec turning = tv_scale(p, expr_number(p, 2), tv_cross(p, one->omega, rate));
    out->position = tv_dot(p, d, tv_sub(p, two->point, one->point));
    out->velocity = tv_dot(p, d, rate);
    out->b = t_neg(p, tv_dot(p, d, tv_sub(p, tv_sub(p, two->a, a1), turning)));
    add_side(l, 1, d, &two->point, false, out->A);
    add_side(l, 0, d, &two->point, true, out->A);
}

// g . w = 0, with what is already in b
static void twist(loop *l, tvec g, tree_row *out) {
    expr_pool *p = l->t->pool;
    const side *one = &l->of[0], *two = &l->of[1];
    tvec w = tv_sub(p, two->omega, one->omega);
    tvec drift = tv_sub(p, tv_sub(p, two->alpha, one->alpha), tv_cross(p, one->omega, w));
    out->velocity = tv_dot(p, g, w);
    out->b = t_sub(p, out->b, tv_dot(p, g, drift));
    add_side(l, 1, g, NULL, false, out->A);
    add_side(l, 0, g, NULL, true, out->A);
}

// p in the axes of link 1: what turns its axes at rest into those that link 2 takes there
static tquat turn_of(const loop *l) {
    expr_pool *p = l->t->pool;
    quaternion back = rotation_inverse(l->of[0].turned),
               after = rotation_product(l->of[1].turned, rotation_product(l->j->c, back));
    tquat one = l->of[0].at.Q;
    for (int k = 1; k < 4; k++)
        one.at[k] = t_neg(p, one.at[k]);
    return tq_product(p, tq_product(p, one, l->of[1].at.Q), tq_number(p, after));
}

// 2 L e . vec(p); of its second derivative, what |w|^2 has
static void turn(loop *l, vector direction, double length, tree_row *out) {
    expr_pool *p = l->t->pool;
    tvec e = tv_number(p, rotation_apply(l->of[0].turned, direction));
    tvec w = tv_sub(p, l->of[1].omega, l->of[0].omega);
    tquat q = turn_of(l);
    expr along = tv_dot(p, e, tq_vector(q));
    tvec g = tv_add(p, tv_scale(p, q.at[0], e), tv_cross(p, tq_vector(q), e));
    out->position = t_mul(p, expr_number(p, 2 * length), along);
    out->b = t_mul(p, t_mul(p, expr_number(p, length / 2), tv_dot(p, w, w)), along);
    twist(l, tv_scale(p, expr_number(p, length), tm_apply(p, l->of[0].at.R, g)), out);
}

static void cross(loop *l, double length, tree_row *out) {
    expr_pool *p = l->t->pool;
    tvec a1 = in_body1(l, l->j->axis), w = tv_sub(p, l->of[1].omega, l->of[0].omega);
    tvec a2 = tm_apply(p, l->of[1].at.R, tv_number(p, rotation_apply(l->of[1].turned, l->j->axis2)));
    expr size = expr_number(p, length);
    out->position = t_mul(p, size, tv_dot(p, a1, a2));
    out->b = t_neg(p, t_mul(p, size, tv_dot(p, a1, tv_cross(p, w, tv_cross(p, w, a2)))));
    twist(l, tv_scale(p, size, tv_cross(p, a2, a1)), out);
}

static void turn_in_plane(loop *l, double length, tree_row *out) {
    expr_pool *p = l->t->pool;
    expr off = t_sub(p, t_sub(p, l->of[1].at.angle, l->of[0].at.angle), t_number(p, l->j->angle0));
    out->position = t_mul(p, expr_number(p, length), off);
    twist(l, (tvec){{EXPR_NONE, EXPR_NONE, expr_number(p, length)}}, out);
}

// ---- which of a joint's rows

static const joint *joint_of(const mech_tree *t, int constraint) {
    for (int i = 0; i < t->cut.count; i++)
        if (t->cut.at[i]->constraint == constraint)
            return t->cut.at[i];
    return NULL;
}

// a direction of body 1 at u = 0, in the axes of the turn of the loop
static vector at_zero(const loop *l, vector own) {
    const mech_tree *t = l->t;
    vector in_link = rotation_apply(l->of[0].turned, own);
    quaternion world = l->of[0].link < 0 ? (quaternion){.w = 1} : t->links.at[l->of[0].link].world;
    quaternion above = l->above < 0 ? (quaternion){.w = 1} : t->links.at[l->above].world;
    return vector_cleaned(rotation_apply(rotation_inverse(above), rotation_apply(world, in_link)), 1);
}

static bool is_along_axis(vector v) {
    return (v.x == 0) + (v.y == 0) + (v.z == 0) == 2;
}

static void meet(loop *l, int k, tree_row *out) {
    static const vector unit[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const joint *j = l->j;
    const vector own[] = {j->e1, j->e2, j->axis};
    bool has_axis = !j->planar && (j->kind->turning == TURN_ABOUT || j->kind->turning == TURN_NOT);
    if (j->kind->meeting == MEET_PLANE)
        meet_along(l, j->axis, out);
    else if (j->kind->meeting == MEET_LINE)
        meet_along(l, own[k], out);
    else if (has_axis && !is_along_axis(at_zero(l, j->axis)))
        meet_in_point(l, at_zero(l, own[k]), out);
    else
        meet_in_point(l, unit[k], out);
}

bool tree_close(mech_tree *t, int row, tree_row *out) {
    const model_row *r = &t->full->model->rows.at[row];
    const joint *j = joint_of(t, r->constraint);
    int k = r->part && strlen(r->part) == 1 ? r->part[0] - '1' : -1;
    if (j == NULL || k < 0)
        return false;
    arena *scratch = arena_child(t->arena);
    const vector e[] = {j->e1, j->e2, j->axis};
    double length = t->full->model->length > 0 ? t->full->model->length : 1;
    int size = j->planar ? 2 : 3;
    int meeting = j->kind->meeting == MEET_PLANE ? 1 : j->kind->meeting == MEET_LINE ? size - 1 : size;
    loop l = look_at(t, j, scratch);
    if (k < meeting)
        meet(&l, k, out);
    else if (j->planar)
        turn_in_plane(&l, length, out);
    else if (j->kind->turning == TURN_CROSS)
        cross(&l, length, out);
    else
        turn(&l, e[k - meeting], length, out);
    arena_free(scratch);
    return true;
}
