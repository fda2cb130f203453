/* From the coordinates of the bodies to those of the joints, and back: numbers, once for a run. */
#include "mech/tree/tree_inside.h"

#include <math.h>
#include <string.h>

typedef struct {
    quaternion axes; // to the world's
    vector origin;
    vector omega, v; // in the world; v of the origin
} state;

static vector unit(int axis) {
    return (vector){axis == 0, axis == 1, axis == 2};
}

static state state_of_body(const tree_link *l, const double *q, const double *v) {
    const body *b = l->body;
    quaternion turn;
    vector omega = {0}, centre = b->at, rate = {0};
    if (b->planar) {
        turn = rotation_about((vector){.z = 1}, q[b->rotation]);
        omega.z = v[b->rotation];
    } else {
        const double *p = q + b->rotation, *w = v + b->rotation;
        double size = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
        turn = (quaternion){p[0] / size, p[1] / size, p[2] / size, p[3] / size};
        quaternion spin = rotation_product((quaternion){w[0], w[1], w[2], w[3]}, rotation_inverse(turn));
        omega = vector_scaled(2 / size, (vector){spin.x, spin.y, spin.z});
    }
    if (b->position >= 0) {
        const double *x = q + b->position, *y = v + b->position;
        centre = (vector){x[0], x[1], b->planar ? 0 : x[2]};
        rate = (vector){y[0], y[1], b->planar ? 0 : y[2]};
    }
    state s = {.axes = rotation_product(turn, rotation_inverse(l->turned)), .omega = omega};
    vector arm = rotation_apply(s.axes, l->centre);
    s.origin = vector_difference(centre, arm);
    s.v = vector_difference(rate, vector_cross(omega, arm));
    return s;
}

/* The cross of a universal joint: turned about its axis so that it meets the second axis, which the link
 * behind it has. */
static state state_of_cross(const mech_tree *t, int link, const state *parent, const state *child) {
    const tree_link *l = &t->links.at[link], *behind = l + 1;
    quaternion zero = rotation_product(parent->axes, l->zero);
    vector axis = rotation_apply(zero, unit(l->axis)),
           second = rotation_apply(child->axes, unit(behind->axis));
    vector from = rotation_apply(rotation_product(zero, behind->zero), unit(behind->axis));
    double angle = atan2(vector_dot(axis, vector_cross(from, second)), vector_dot(from, second));
    state s = {
        .axes = rotation_product(rotation_about(axis, angle), zero), .origin = child->origin, .v = child->v};
    vector relative = vector_difference(child->omega, parent->omega);
    s.omega = vector_sum(parent->omega, vector_scaled(vector_dot(relative, axis), axis));
    return s;
}

static void lower_link(const mech_tree *t, int link, const state *parent, const state *own, double *u,
                       double *s) {
    const tree_link *l = &t->links.at[link];
    quaternion back = rotation_inverse(parent->axes);
    quaternion p = rotation_product(rotation_inverse(l->zero), rotation_product(back, own->axes));
    vector omega = rotation_apply(rotation_inverse(own->axes), vector_difference(own->omega, parent->omega));
    const double w[] = {omega.x, omega.y, omega.z}, along[] = {p.x, p.y, p.z};
    if (l->ball) {
        memcpy(u + l->turn, &(double[]){p.w, p.x, p.y, p.z}, 4 * sizeof *u);
        s[l->turn] = 0;
        memcpy(s + l->turn + 1, w, sizeof w);
    } else if (l->axis >= 0 && l->joint == NULL) { // a free planar body: its own angle
        u[l->turn] = 0;
        s[l->turn] = w[2];
    } else if (l->axis >= 0) {
        u[l->turn] = l->sign * 2 * atan2(along[l->axis], p.w);
        s[l->turn] = l->sign * w[l->axis];
    }
    vector arm = vector_difference(own->origin, parent->origin);
    vector rate = vector_difference(vector_difference(own->v, parent->v), vector_cross(parent->omega, arm));
    vector off = vector_difference(rotation_apply(back, arm), l->at);
    for (int k = 0; k < l->slides; k++) {
        u[l->first + k] = vector_dot(l->slide[k], off);
        s[l->first + k] = vector_dot(l->slide[k], rotation_apply(back, rate));
    }
}

/* The angle between planar bodies counts whole turns; in space the sign of the quaternions tells one from
 * two, and the start the others. */
static void count_turns(const mech_tree *t, int link, const double *q, double *u) {
    static const double TWICE = 12.566370614359172;
    const tree_link *l = &t->links.at[link];
    if (l->axis >= 0 && l->joint && l->joint->turn >= 0)
        u[l->turn] +=
            TWICE * nearbyint((t->full->model->turn_starts.at[l->joint->turn] - u[l->turn]) / TWICE);
    if (l->body == NULL || !l->body->planar || l->axis < 0)
        return;
    int parent = l->parent;
    double before = parent < 0 ? 0 : q[t->links.at[parent].body->rotation];
    double zero = l->angle - (parent < 0 ? 0 : t->links.at[parent].angle);
    u[l->turn] = l->sign * (q[l->body->rotation] - before - zero);
}

void mech_tree_lower(const mech_tree *t, const double *q, const double *v, double *u, double *s) {
    arena *scratch = arena_child(t->arena);
    state *all = arena_array(scratch, state, t->links.count + 1), world = {.axes = {.w = 1}};
    for (int i = 0; i < t->links.count; i++) {
        const tree_link *l = &t->links.at[i];
        const state *parent = l->parent < 0 ? &world : &all[l->parent];
        state behind = l->body ? (state){0} : state_of_body(l + 1, q, v);
        all[i] = l->body ? state_of_body(l, q, v) : state_of_cross(t, i, parent, &behind);
        lower_link(t, i, parent, &all[i], u, s);
        count_turns(t, i, q, u);
    }
    for (int i = 0; i < t->full->model->coords.count; i++)
        if (t->plain[i] >= 0) {
            u[t->plain[i]] = q[i];
            s[t->plain[i]] = v[i];
        }
    arena_free(scratch);
}

// ---- and back

static quaternion turn_of(const tree_link *l, const double *u) {
    const double *p = u + l->turn;
    return l->ball        ? (quaternion){p[0], p[1], p[2], p[3]}
           : l->axis >= 0 ? rotation_about(unit(l->axis), l->sign * p[0])
                          : (quaternion){.w = 1};
}

static state raised(const tree_link *l, const state *parent, const double *u, const double *s) {
    vector arm = l->at, slip = {0}, spin = {0};
    for (int k = 0; k < l->slides; k++) {
        arm = vector_sum(arm, vector_scaled(u[l->first + k], l->slide[k]));
        slip = vector_sum(slip, vector_scaled(s[l->first + k], l->slide[k]));
    }
    if (l->ball)
        spin = (vector){s[l->turn + 1], s[l->turn + 2], s[l->turn + 3]};
    else if (l->axis >= 0)
        spin = vector_scaled(l->sign * s[l->turn], unit(l->axis));
    state own = {.axes = rotation_product(parent->axes, rotation_product(l->zero, turn_of(l, u)))};
    arm = rotation_apply(parent->axes, arm);
    own.origin = vector_sum(parent->origin, arm);
    own.omega = vector_sum(parent->omega, rotation_apply(own.axes, spin));
    own.v = vector_sum(parent->v,
                       vector_sum(vector_cross(parent->omega, arm), rotation_apply(parent->axes, slip)));
    return own;
}

static void put_body(const tree_link *l, const state *own, double angle, double *q, double *v) {
    const body *b = l->body;
    vector arm = rotation_apply(own->axes, l->centre), at = vector_sum(own->origin, arm),
           rate = vector_sum(own->v, vector_cross(own->omega, arm));
    if (b->position >= 0) {
        memcpy(q + b->position, &at, (b->planar ? 2 : 3) * sizeof *q);
        memcpy(v + b->position, &rate, (b->planar ? 2 : 3) * sizeof *v);
    }
    if (b->planar) {
        q[b->rotation] = angle;
        v[b->rotation] = own->omega.z;
        return;
    }
    quaternion turn = rotation_product(own->axes, l->turned);
    quaternion half = {0, own->omega.x / 2, own->omega.y / 2, own->omega.z / 2};
    quaternion spin = rotation_product(half, turn);
    memcpy(q + b->rotation, &turn, sizeof turn);
    memcpy(v + b->rotation, &spin, sizeof spin);
}

void mech_tree_raise(const mech_tree *t, const double *u, const double *s, double *q, double *v) {
    arena *scratch = arena_child(t->arena);
    state *all = arena_array(scratch, state, t->links.count + 1), world = {.axes = {.w = 1}};
    double *angle = arena_doubles(scratch, (size_t)t->links.count + 1);
    for (int i = 0; i < t->links.count; i++) {
        const tree_link *l = &t->links.at[i];
        bool grounded = l->parent < 0;
        all[i] = raised(l, grounded ? &world : &all[l->parent], u, s);
        angle[i] = l->angle + (grounded ? 0 : angle[l->parent] - t->links.at[l->parent].angle);
        angle[i] += l->axis >= 0 ? l->sign * u[l->turn] : 0;
        if (l->body)
            put_body(l, &all[i], angle[i], q, v);
    }
    for (int i = 0; i < t->full->model->coords.count; i++)
        if (t->plain[i] >= 0) {
            q[i] = u[t->plain[i]];
            v[i] = s[t->plain[i]];
        }
    arena_free(scratch);
}
