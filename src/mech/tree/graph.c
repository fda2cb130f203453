/* Which joints make the tree, and where its links are at u = 0.
 *
 * From the ground on, the joint is taken next that would have the most rows as a closure: what is left then
 * has the fewest. Among those with as many, the one that keeps the tree shallow, and else the first of the
 * model. What no joint connects with the ground is free: there a body hangs on the world by all six freedoms,
 * the first of the model, which has the most joints of all that are left. */
#include "mech/tree/tree_inside.h"

#include <math.h>
#include <string.h>

// ---- choice

static bool is_link(const body *b) {
    return b->rotation >= 0;
}

static bool is_edge(const joint *j) {
    return j->connected && j->kind->rows == NULL && j->kind->connect == NULL;
}

static int body_number(const mech_tree *t, const body *b) {
    return body_is_ground(b) ? -1 : (int)(b - t->parts->bodies.at);
}

int tree_rows_of(const joint *j) {
    const joint_kind *k = j->kind;
    int size = j->planar ? 2 : 3, turns = j->planar ? 1 : 3;
    int meeting = k->meeting == MEET_POINT ? size : k->meeting == MEET_LINE ? size - 1 : 1;
    int turning = k->turning == TURN_NOT     ? turns
                  : k->turning == TURN_CROSS ? 1
                  : k->turning == TURN_ABOUT ? turns - 1
                                             : 0;
    return meeting + turning;
}

// the link of a body that is in the tree; -1 the world's; -2: it is not
static int in_tree(const mech_tree *t, const body *b) {
    return body_is_ground(b) ? -1 : t->link_of[body_number(t, b)];
}

static int depth_of(const mech_tree *t, int link) {
    return link < 0 ? 0 : t->links.at[link].depth + 1;
}

static bool better(const mech_tree *t, const joint *j, int parent, const joint *best, int best_parent) {
    if (best && t->first && t->first[j->part] != t->first[best->part])
        return t->first[j->part];
    if (best == NULL || tree_rows_of(j) != tree_rows_of(best))
        return best == NULL || tree_rows_of(j) > tree_rows_of(best);
    return depth_of(t, parent) < depth_of(t, best_parent);
}

static const joint *next_joint(const mech_tree *t, int *parent) {
    const joint *best = NULL;
    for (int i = 0; i < t->parts->joints.count; i++) {
        const joint *j = t->parts->joints.at[i];
        int a = is_edge(j) ? in_tree(t, j->body[0]) : -2, b = is_edge(j) ? in_tree(t, j->body[1]) : -2;
        int from = a == -2 ? b : a;
        if (!is_edge(j) || (a == -2) == (b == -2) || !better(t, j, from, best, *parent))
            continue;
        best = j;
        *parent = from;
    }
    return best;
}

static int joints_of(const mech_tree *t, const body *b) {
    int count = 0;
    for (int i = 0; i < t->parts->joints.count; i++) {
        const joint *j = t->parts->joints.at[i];
        count += is_edge(j) && (j->body[0] == b || j->body[1] == b);
    }
    return count;
}

static int next_free(const mech_tree *t) {
    int best = -1;
    for (int i = 0; i < t->parts->bodies.count; i++) {
        const body *b = &t->parts->bodies.at[i];
        bool left = is_link(b) && t->link_of[i] == -2;
        if (left &&
            (best < 0 || (t->first == NULL && joints_of(t, b) > joints_of(t, &t->parts->bodies.at[best]))))
            best = i;
    }
    return best;
}

// ---- numbers

static double clean(double x, double size) {
    return fabs(x) <= 1e-15 * size ? 0 : x;
}

vector vector_cleaned(vector v, double size) {
    return (vector){clean(v.x, size), clean(v.y, size), clean(v.z, size)};
}

// where the joints count from
static double typed(const mech_tree *t, int coordinate) {
    return t->parts->typed ? t->parts->typed[coordinate] : t->full->model->position.at[coordinate].value;
}

static quaternion typed_rotation(const mech_tree *t, const body *b) {
    if (body_is_ground(b))
        return (quaternion){.w = 1};
    if (b->planar)
        return rotation_about((vector){.z = 1}, typed(t, b->rotation));
    double at[4], size = 0;
    for (int k = 0; k < 4; k++) {
        at[k] = typed(t, b->rotation + k);
        size += at[k] * at[k];
    }
    size = sqrt(size);
    return size > 0 ? (quaternion){at[0] / size, at[1] / size, at[2] / size, at[3] / size}
                    : (quaternion){.w = 1};
}

static vector typed_centre(const mech_tree *t, const body *b) {
    int first = b->position;
    return first < 0 ? b->at
                     : (vector){typed(t, first), typed(t, first + 1), b->planar ? 0 : typed(t, first + 2)};
}

/* Where a link's parent is: its axes and origin, and its body's axes and centre, in the world. */
typedef struct {
    quaternion axes, body;
    vector origin, centre;
    double angle;
} pose;

static pose pose_of(const mech_tree *t, int link) {
    if (link < 0)
        return (pose){.axes = {.w = 1}, .body = {.w = 1}};
    const tree_link *l = &t->links.at[link];
    return (pose){l->world, rotation_product(l->world, l->turned), l->origin,
                  vector_sum(l->origin, rotation_apply(l->world, l->centre)), l->angle};
}

static vector back(quaternion q, vector v) {
    return vector_cleaned(rotation_apply(rotation_inverse(q), v), vector_norm(v));
}

/* The axes of a link that turns about `axis`, a unit vector in the world: those of its parent, if one of them
 * is along it. */
static void choose_axes(tree_link *l, const pose *parent, vector axis) {
    vector seen = back(parent->axes, axis);
    const double along[] = {seen.x, seen.y, seen.z};
    for (int k = 0; k < 3; k++)
        if (along[(k + 1) % 3] == 0 && along[(k + 2) % 3] == 0) { // but for rounding
            l->axis = k;
            l->sign = along[k] < 0 ? -1 : 1;
            l->zero = (quaternion){.w = 1};
            return;
        }
    l->axis = 2;
    l->sign = 1;
    l->zero = rotation_between((vector){.z = 1}, seen);
}

static void set_inertia(tree_link *l, const body *b) {
    double J[3][3] = {{0}}, turn[3][3], half[3][3] = {{0}}, most = 0;
    const scalar *given = b->inertia;
    if (b->planar) {
        J[2][2] = given[0].number;
    } else {
        for (int i = 0; i < 3; i++)
            J[i][i] = given[i].number;
        J[0][1] = J[1][0] = given[3].number;
        J[0][2] = J[2][0] = given[4].number;
        J[1][2] = J[2][1] = given[5].number;
    }
    const vector unit[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; k++) {
        vector column = vector_cleaned(rotation_apply(l->turned, unit[k]), 1);
        turn[0][k] = column.x;
        turn[1][k] = column.y;
        turn[2][k] = column.z;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                half[i][j] += turn[i][k] * J[k][j];
    const double c[] = {l->centre.x, l->centre.y, l->centre.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = l->mass * ((i == j ? vector_dot(l->centre, l->centre) : 0) - c[i] * c[j]);
            for (int k = 0; k < 3; k++)
                sum += half[i][k] * turn[j][k];
            l->inertia[i][j] = sum;
            most = fmax(most, fabs(sum));
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            l->inertia[i][j] = i < j ? clean(l->inertia[i][j], most) : clean(l->inertia[j][i], most);
}

// the body's axes and its point, in the world, which becomes the link's origin; the rest follows
static void settle(mech_tree *t, tree_link *l, const pose *parent, quaternion body_axes, vector origin,
                   vector point) {
    l->world = rotation_product(parent->axes, l->zero);
    l->origin = origin;
    l->at = vector_cleaned(back(parent->axes, vector_difference(origin, parent->origin)),
                           vector_norm(origin) + vector_norm(parent->origin));
    l->turned = rotation_product(rotation_inverse(l->world), body_axes);
    l->centre = vector_cleaned(rotation_apply(l->turned, vector_scaled(-1, point)), vector_norm(point));
    if (l->body && !t->full->foreign_energy && !isnan(l->body->mass.number)) {
        l->mass = l->body->mass.number;
        set_inertia(l, l->body);
    }
    l->moment = vector_scaled(l->mass, l->centre);
    if (l->body)
        t->link_of[body_number(t, l->body)] = t->links.count;
    vec_push(t->arena, t->links, *l);
}

static tree_link new_link(const mech_tree *t, const body *b, const joint *j, int parent) {
    return (tree_link){.body = b,
                       .joint = j,
                       .parent = parent,
                       .depth = depth_of(t, parent),
                       .axis = -1,
                       .sign = 1,
                       .turn = -1,
                       .first = -1,
                       .zero = {.w = 1}};
}

// ---- joints

// of the child's body against the parent's, at u = 0
static quaternion turn_between(const mech_tree *t, const joint *j, bool flipped) {
    quaternion c; // of body 2 in the axes of body 1
    if (j->planar)
        c = rotation_about((vector){.z = 1}, j->angle0);
    else if (j->kind->turning == TURN_ABOUT || j->kind->turning == TURN_NOT)
        c = rotation_inverse(j->c);
    else
        c = rotation_product(rotation_inverse(typed_rotation(t, j->body[0])), typed_rotation(t, j->body[1]));
    return flipped ? rotation_inverse(c) : c;
}

static void add_slide(tree_link *l, const pose *parent, vector direction) {
    l->slide[l->slides++] = back(parent->axes, direction);
}

// about axis1 on the parent's side a cross, about axis2 the body, perpendicular to it
static void add_universal(mech_tree *t, const joint *j, int parent, bool flipped, quaternion axes,
                          vector point) {
    pose from = pose_of(t, parent);
    const body *b = j->body[!flipped];
    vector first = rotation_apply(from.body, flipped ? j->axis2 : j->axis);
    vector second = rotation_apply(axes, flipped ? j->axis : j->axis2);
    vector across = vector_difference(second, vector_scaled(vector_dot(first, second), first));
    across = vector_scaled(1 / vector_norm(across), across);
    axes = rotation_product(rotation_between(second, across), axes);
    tree_link cross = new_link(t, NULL, j, parent);
    choose_axes(&cross, &from, first);
    settle(t, &cross, &from, rotation_product(from.axes, cross.zero), point, (vector){0});
    tree_link l = new_link(t, b, j, t->links.count - 1);
    l.flipped = flipped;
    from = pose_of(t, t->links.count - 1);
    choose_axes(&l, &from, across);
    settle(t, &l, &from, axes, point, j->point[!flipped]);
}

static void add_joint(mech_tree *t, const joint *j, int parent) {
    bool flipped = in_tree(t, j->body[0]) == -2;
    int side = !flipped; // of the child
    pose from = pose_of(t, parent);
    quaternion axes = rotation_product(from.body, turn_between(t, j, flipped));
    vector point = vector_sum(from.centre, rotation_apply(from.body, j->point[!side]));
    if (j->kind->turning == TURN_CROSS) {
        add_universal(t, j, parent, flipped, axes, point);
        return;
    }
    tree_link l = new_link(t, j->body[side], j, parent);
    l.flipped = flipped;
    quaternion first = flipped ? axes : from.body; // axes of body 1
    vector axis = rotation_apply(first, j->axis), normal = j->planar ? (vector){.z = 1} : axis;
    if (j->kind->turning == TURN_ABOUT)
        choose_axes(&l, &from, normal);
    l.sign = flipped ? -l.sign : l.sign;
    l.ball = j->kind->turning == TURN_FREE;
    if (j->kind->meeting == MEET_LINE) {
        vector along = vector_scaled(flipped ? -1 : 1, axis);
        add_slide(&l, &from, along);
        point = vector_sum(point, vector_scaled(j->slide0, along));
    }
    if (j->kind->meeting == MEET_PLANE) {
        add_slide(&l, &from, rotation_apply(first, j->e1));
        add_slide(&l, &from, rotation_apply(first, j->e2));
    }
    l.angle = from.angle + (flipped ? -j->angle0 : j->angle0);
    settle(t, &l, &from, axes, point, j->point[side]);
}

static void add_free(mech_tree *t, const body *b) {
    tree_link l = new_link(t, b, NULL, -1);
    pose world = pose_of(t, -1);
    const vector unit[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    l.ball = !b->planar;
    if (b->planar)
        l.axis = 2;
    for (int k = 0; b->position >= 0 && k < (b->planar ? 2 : 3); k++)
        add_slide(&l, &world, unit[k]);
    // its coordinates are those of the centre and the quaternion, and count from the world's
    settle(t, &l, &world, (quaternion){.w = 1}, b->position < 0 ? typed_centre(t, b) : (vector){0},
           (vector){0});
}

int tree_above_both(const mech_tree *t, int a, int b) {
    while (a != b) {
        bool first = a >= 0 && (b < 0 || t->links.at[a].depth >= t->links.at[b].depth);
        if (first)
            a = t->links.at[a].parent;
        else
            b = t->links.at[b].parent;
    }
    return a;
}

// ---- all

static void list_cut(mech_tree *t) {
    for (int i = 0; i < t->parts->joints.count; i++) {
        const joint *j = t->parts->joints.at[i];
        bool taken = false;
        for (int k = 0; k < t->links.count; k++)
            taken |= t->links.at[k].joint == j;
        if (is_edge(j) && !taken)
            vec_push(t->arena, t->cut, j);
    }
}

static void number_coordinates(mech_tree *t) {
    const model *m = t->full->model;
    for (int i = 0; i < t->links.count; i++) {
        tree_link *l = &t->links.at[i];
        bool free = l->joint == NULL;
        if (free && l->slides)
            l->first = t->n;
        t->n += free ? l->slides : 0;
        if (l->axis >= 0 || l->ball)
            l->turn = t->n;
        t->n += l->ball ? 4 : l->axis >= 0;
        if (!free && l->slides)
            l->first = t->n;
        t->n += free ? 0 : l->slides;
    }
    for (int i = 0; i < m->coords.count; i++)
        t->plain[i] = t->owner[i] < 0 ? t->n++ : -1;
}

static void find_owners(mech_tree *t) {
    for (int i = 0; i < t->full->model->coords.count; i++)
        t->owner[i] = -1;
    for (int i = 0; i < t->parts->bodies.count; i++) {
        const body *b = &t->parts->bodies.at[i];
        for (int k = 0; is_link(b) && b->position >= 0 && k < (b->planar ? 2 : 3); k++)
            t->owner[b->position + k] = i;
        for (int k = 0; is_link(b) && k < (b->planar ? 1 : 4); k++)
            t->owner[b->rotation + k] = i;
    }
}

void tree_span(mech_tree *t) {
    const model *m = t->full->model;
    t->link_of = arena_array(t->arena, int, t->parts->bodies.count + 1);
    t->plain = arena_array(t->arena, int, m->coords.count + 1);
    t->owner = arena_array(t->arena, int, m->coords.count + 1);
    for (int i = 0; i < t->parts->bodies.count; i++)
        t->link_of[i] = -2;
    find_owners(t);
    for (int i = 0; i < t->parts->bodies.count; i++) // what only turns stands on the ground
        if (is_link(&t->parts->bodies.at[i]) && t->parts->bodies.at[i].position < 0)
            add_free(t, &t->parts->bodies.at[i]);
    for (;;) {
        int parent = -1, free;
        const joint *j = next_joint(t, &parent);
        if (j)
            add_joint(t, j, parent);
        else if ((free = next_free(t)) >= 0)
            add_free(t, &t->parts->bodies.at[free]);
        else
            break;
    }
    list_cut(t);
    number_coordinates(t);
}
