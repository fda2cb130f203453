/* The robot put together: the joints make a tree of its links; each link, at the start, is where its
 * parent's place, the joint's origin and the joint's position put it:
 *
 *   T_child = T_parent T_origin T_motion(start)
 *
 * Links that fixed joints connect are one body. With R_i, p_i the link's frame seen from the body's,
 *
 *   m = sum m_i    c = sum m_i c_i / m    J = sum R_i J_i R_i' + m_i (|d_i|^2 1 - d_i d_i')    d_i = c_i - c
 */
#include "import/robot.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

bool robot_turns(robot_kind kind) {
    return kind == ROBOT_REVOLUTE || kind == ROBOT_CONTINUOUS;
}

bool robot_slides(robot_kind kind) {
    return kind == ROBOT_PRISMATIC;
}

pose pose_product(pose a, pose b) {
    return (pose){rotation_product(a.turn, b.turn), vector_sum(a.at, rotation_apply(a.turn, b.at))};
}

void robot_turn_inertia(quaternion q, double *J) {
    vector column[3] = {{J[0], J[3], J[4]}, {J[3], J[1], J[5]}, {J[4], J[5], J[2]}}, row[3];
    for (int i = 0; i < 3; i++)
        column[i] = rotation_apply(q, column[i]);
    row[0] = rotation_apply(q, (vector){column[0].x, column[1].x, column[2].x});
    row[1] = rotation_apply(q, (vector){column[0].y, column[1].y, column[2].y});
    row[2] = rotation_apply(q, (vector){column[0].z, column[1].z, column[2].z});
    double turned[6] = {row[0].x, row[1].y, row[2].z, row[0].y, row[0].z, row[1].z};
    memcpy(J, turned, sizeof turned);
}

// ---- a tree

static bool find_parents(diags *d, robot *r) {
    for (int i = 0; i < r->joints.count; i++) {
        const robot_joint *j = &r->joints.at[i];
        robot_link *child = &r->links.at[j->child];
        if (j->parent == j->child) {
            diag_error(d, j->at, "joint '%s' connects '%s' with itself", j->name, child->name);
        } else if (child->joint >= 0) {
            diag *it = diag_error(d, j->at, "'%s' is the child of two joints", child->name);
            diag_other(it, r->joints.at[child->joint].at, "the other one is here");
            it->hint =
                "a robot description is a tree; write what closes a loop to a file, and give it with " SETTING
                "loops";
        }
        child->joint = i;
    }
    return d->errors == 0;
}

static bool find_root(diags *d, robot *r) {
    r->root = -1;
    for (int i = 0; i < r->links.count; i++) {
        if (r->links.at[i].joint >= 0)
            continue;
        if (r->root >= 0) {
            diag *it = diag_error(d, r->links.at[i].at, "no joint leads to '%s', nor to '%s'",
                                  r->links.at[i].name, r->links.at[r->root].name);
            diag_other(it, r->links.at[r->root].at, "the other one is here");
            it->hint = "a robot has one base, from which joints lead to all other links";
            return false;
        }
        r->root = i;
    }
    return true;
}

// links, parents first, in order of their distance from the root
static bool find_order(arena *a, diags *d, robot *r) {
    int links = r->links.count, count = 0;
    int *next = arena_array(a, int, r->joints.count + 1), *first = arena_array(a, int, links); // joints + 1
    bool *reached = arena_array(a, bool, links);
    for (int i = r->joints.count - 1; i >= 0; i--) {
        next[i] = first[r->joints.at[i].parent];
        first[r->joints.at[i].parent] = i + 1;
    }
    r->order = arena_array(a, int, links);
    if (r->root >= 0)
        r->order[count++] = r->root;
    for (int done = 0; done < count; done++) {
        reached[r->order[done]] = true;
        for (int j = first[r->order[done]]; j; j = next[j - 1])
            r->order[count++] = r->joints.at[j - 1].child;
    }
    for (int i = 0; i < links; i++) {
        if (reached[i])
            continue;
        diag_error(d, r->links.at[i].at, "'%s' hangs on itself: the joints that lead to it make a circle",
                   r->links.at[i].name)
            ->hint =
            "a robot description is a tree; write what closes a loop to a file, and give it with " SETTING
            "loops";
        return false;
    }
    return true;
}

// ---- the start

static void choose_start(robot_joint *j) {
    j->start = j->limited && (j->lower > 0 || j->upper < 0) ? j->lower + (j->upper - j->lower) / 2 : 0;
}

static void check_start(diags *d, const robot_joint *j) {
    if (!(fabs(j->start) <= 1e30))
        diag_error(d, j->leader_at, "where '%s' stands, by what it mimics, is out of all bounds", j->name);
    else if (j->limited && (j->start < j->lower || j->start > j->upper))
        diag_warning(d, j->leader_at, "at the start '%s' stands at %.6g, outside its limits", j->name,
                     j->start)
            ->hint = "that is where the joint it mimics puts it";
}

typedef enum { UNKNOWN, AT_WORK, KNOWN } progress;

// a joint that mimics another starts where that one puts it, which may itself mimic one
static void follow(diags *d, robot *r, int joint, progress *of, int *stack) {
    int count = 0, at = joint;
    for (; r->joints.at[at].leader >= 0 && of[at] == UNKNOWN; at = r->joints.at[at].leader) {
        of[at] = AT_WORK;
        stack[count++] = at;
    }
    if (of[at] == AT_WORK)
        diag_error(d, r->joints.at[at].leader_at, "'%s' mimics itself, directly or by way of others",
                   r->joints.at[at].name);
    while (count-- > 0) {
        robot_joint *j = &r->joints.at[stack[count]];
        j->start = j->multiplier * r->joints.at[j->leader].start + j->offset;
        of[stack[count]] = KNOWN;
        check_start(d, j);
    }
}

static void choose_starts(arena *a, diags *d, robot *r) {
    int count = r->joints.count, *stack = arena_array(a, int, count + 1);
    progress *of = arena_array(a, progress, count + 1);
    for (int i = 0; i < count; i++)
        choose_start(&r->joints.at[i]);
    for (int i = 0; i < count; i++)
        follow(d, r, i, of, stack);
}

static pose motion(const robot_joint *j) {
    pose out = {.turn = {.w = 1}};
    if (robot_turns(j->kind))
        out.turn = rotation_about(j->axis, j->start);
    if (robot_slides(j->kind))
        out.at = vector_scaled(j->start, j->axis);
    return out;
}

// ---- places and bodies

static void place_link(robot *r, int link, bool free_base) {
    robot_link *l = &r->links.at[link];
    if (l->joint < 0) {
        l->body = free_base ? link : -1;
        l->in_body = l->in_world = (pose){.turn = {.w = 1}};
        return;
    }
    robot_joint *j = &r->joints.at[l->joint];
    const robot_link *parent = &r->links.at[j->parent];
    j->in_world = pose_product(parent->in_world, j->origin);
    l->in_world = pose_product(j->in_world, motion(j));
    l->body = j->kind == ROBOT_FIXED ? parent->body : link;
    l->in_body = j->kind == ROBOT_FIXED ? pose_product(parent->in_body, j->origin) : (pose){.turn = {.w = 1}};
}

static double *entry(double *J, int i, int k) {
    static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    return &J[at[i][k]];
}

// J += m (|d|^2 1 - d d')
static void add_steiner(double *J, double m, vector d) {
    double v[3] = {d.x, d.y, d.z}, square = vector_dot(d, d);
    for (int i = 0; i < 3; i++)
        for (int k = i; k < 3; k++)
            *entry(J, i, k) += m * ((i == k ? square : 0) - v[i] * v[k]);
}

// J += R K R'
static void add_turned(double *J, quaternion q, const double *K) {
    double copy[6];
    memcpy(copy, K, sizeof copy);
    robot_turn_inertia(q, copy);
    for (int i = 0; i < 6; i++)
        J[i] += copy[i];
}

// first the masses and centres, then, with the centre known, the inertia
static void add_up(robot *r) {
    for (int i = 0; i < r->links.count; i++) {
        const robot_link *l = &r->links.at[i];
        if (l->body < 0)
            continue;
        robot_link *body = &r->links.at[l->body];
        vector centre = vector_sum(l->in_body.at, rotation_apply(l->in_body.turn, l->own.centre));
        body->merged++;
        body->total.mass += l->own.mass;
        body->total.centre = vector_sum(body->total.centre, vector_scaled(l->own.mass, centre));
    }
    for (int i = 0; i < r->links.count; i++) {
        robot_link *l = &r->links.at[i];
        if (l->total.mass > 0)
            l->total.centre = vector_scaled(1 / l->total.mass, l->total.centre);
        if (l->body == i && (l->merged == 1 || !(l->total.mass > 0)))
            l->total.centre = l->own.centre; // without rounding
    }
    for (int i = 0; i < r->links.count; i++) {
        const robot_link *l = &r->links.at[i];
        if (l->body < 0)
            continue;
        robot_inertia *total = &r->links.at[l->body].total;
        vector centre = vector_sum(l->in_body.at, rotation_apply(l->in_body.turn, l->own.centre));
        add_turned(total->inertia, l->in_body.turn, l->own.inertia);
        add_steiner(total->inertia, l->own.mass, vector_difference(centre, total->centre));
    }
}

// from the leaves: what a link carries
static void find_heavy(robot *r) {
    for (int k = r->links.count - 1; k >= 0; k--) {
        robot_link *l = &r->links.at[r->order[k]];
        l->heavy |= l->own.mass > 0;
        if (l->joint >= 0)
            r->links.at[r->joints.at[l->joint].parent].heavy |= l->heavy;
    }
}

static void warn_of_massless(arena *a, diags *d, const robot *r) {
    text names;
    const robot_link *first = NULL;
    int count = 0, loose = 0;
    text_init(&names, a);
    for (int i = 0; i < r->links.count; i++) {
        const robot_link *l = &r->links.at[i];
        if (l->body != i || l->total.mass > 0)
            continue;
        first = first ? first : l;
        loose += !l->heavy;
        if (count++ < 10)
            text_print(&names, "%s'%s'", count > 1 ? ", " : "", l->name);
    }
    if (first == NULL)
        return;
    diag_warning(d, first->at, "without mass, but able to move: %s%s", text_string(&names),
                 count > 10 ? ", ..." : "")
        ->hint =
        loose ? "nothing says how what weighs nothing, and carries nothing, moves: give it an <inertial>, or "
                "make its joint fixed, if neither a mimic nor a loop moves it"
              : "that is fine where what it carries has mass, and the motion is unique";
}

static bool something_moves(diags *d, const robot *r) {
    for (int i = 0; i < r->links.count; i++)
        if (r->links.at[i].body >= 0)
            return true;
    diag_error(d, r->links.at[r->root].at,
               "nothing moves: all links are fixed to the base, and that to the ground")
        ->hint = SETTING "free-base lets go of the base";
    return false;
}

bool robot_assemble(arena *a, diags *d, robot *r, bool free_base) {
    if (!find_parents(d, r) || !find_root(d, r) || !find_order(a, d, r))
        return false;
    choose_starts(a, d, r);
    for (int k = 0; k < r->links.count; k++)
        place_link(r, r->order[k], free_base);
    add_up(r);
    find_heavy(r);
    warn_of_massless(a, d, r);
    return d->errors == 0 && something_moves(d, r);
}
