/* The robot put together. In URDF the joints make a tree of its links; each link, with all joints at 0, is
 * where its parent's place and the joint's origin put it:
 *
 *   T_child = T_parent T_origin
 *
 * Other formats say where everything is (robot.placed), and may have loops: there a tree is found, and what
 * is not in it closes them.
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
    return kind == ROBOT_REVOLUTE || kind == ROBOT_CONTINUOUS || kind == ROBOT_SCREW;
}

bool robot_slides(robot_kind kind) {
    return kind == ROBOT_PRISMATIC;
}

const char *robot_kind_name(robot_kind kind) {
    static const char *const names[] = {"revolute", "continuous", "prismatic", "fixed",
                                        "floating", "planar",     "ball",      "screw"};
    return names[kind];
}

pose pose_identity(void) {
    return (pose){.turn = {.w = 1}};
}

vector pose_apply(pose a, vector v) {
    return vector_sum(a.at, rotation_apply(a.turn, v));
}

pose pose_product(pose a, pose b) {
    return (pose){rotation_product(a.turn, b.turn), pose_apply(a, b.at)};
}

pose pose_inverse(pose a) {
    quaternion back = rotation_inverse(a.turn);
    return (pose){back, vector_scaled(-1, rotation_apply(back, a.at))};
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
    for (int i = 0; i < r->links.count; i++)
        r->links.at[i].joint = r->links.at[i].over = -1;
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
        child->over = j->parent;
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

// ---- a tree within what may have loops

typedef struct {
    int *first, *next; // of a link the first of its ends of joints + 1, of an end the next one; 2 for a joint
    bool *reached;     // of a link
    int count;         // of links in the order
} search;

static void list_ends(arena *a, const robot *r, search *s) {
    s->first = arena_array(a, int, r->links.count);
    s->next = arena_array(a, int, 2 * r->joints.count + 1);
    s->reached = arena_array(a, bool, r->links.count);
    for (int end = 2 * r->joints.count - 1; end >= 0; end--) {
        const robot_joint *j = &r->joints.at[end / 2];
        int link = end % 2 ? j->child : j->parent;
        if (j->closes)
            continue;
        s->next[end] = s->first[link];
        s->first[link] = end + 1;
    }
}

// all that joints lead to from a link, nearest first
static void hang(robot *r, search *s, int root) {
    int done = s->count;
    r->links.at[root].joint = r->links.at[root].over = -1;
    r->order[s->count++] = root;
    s->reached[root] = true;
    for (; done < s->count; done++) {
        int link = r->order[done];
        for (int end = s->first[link]; end; end = s->next[end - 1]) {
            const robot_joint *j = &r->joints.at[(end - 1) / 2];
            int other = (end - 1) % 2 ? j->parent : j->child;
            if (s->reached[other])
                continue;
            s->reached[other] = true;
            r->links.at[other].joint = (end - 1) / 2;
            r->links.at[other].over = link;
            r->order[s->count++] = other;
        }
    }
}

// from the ground, then from links that are free; by which no link hangs closes a loop
static bool find_forest(arena *a, diags *d, robot *r) {
    search s = {0};
    bool *hangs = arena_array(a, bool, r->links.count), *used = arena_array(a, bool, r->joints.count + 1);
    for (int i = 0; i < r->joints.count; i++) {
        const robot_joint *j = &r->joints.at[i];
        if (j->parent == j->child)
            diag_error(d, j->at, "joint '%s' connects '%s' with itself", j->name, r->links.at[j->child].name);
        hangs[j->child] |= !j->closes;
    }
    list_ends(a, r, &s);
    r->root = -1;
    r->order = arena_array(a, int, r->links.count);
    hang(r, &s, 0);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < r->links.count; i++)
            if (!s.reached[i] && (pass || !hangs[i]))
                hang(r, &s, i);
    for (int i = 0; i < r->links.count; i++)
        if (r->links.at[i].joint >= 0)
            used[r->links.at[i].joint] = true;
    for (int i = 0; i < r->joints.count; i++)
        r->joints.at[i].closes |= !used[i];
    return d->errors == 0;
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

// ---- places and bodies

static void place_in_world(robot *r, robot_link *l) {
    if (l->joint < 0) {
        l->in_world = pose_identity();
        return;
    }
    robot_joint *j = &r->joints.at[l->joint];
    l->in_world = j->in_world = pose_product(r->links.at[j->parent].in_world, j->origin);
}

// a link that is fixed to another is part of its body
static void place_link(robot *r, int link, bool free_base) {
    robot_link *l = &r->links.at[link];
    bool fixed = l->joint >= 0 && r->joints.at[l->joint].kind == ROBOT_FIXED;
    bool ground = l->joint < 0 && (r->placed ? link == 0 : !free_base);
    if (!r->placed)
        place_in_world(r, l);
    l->body = ground ? -1 : fixed ? r->links.at[l->over].body : link;
    l->in_body = pose_identity();
    if (fixed && r->placed)
        l->in_body = l->body < 0 ? l->in_world
                                 : pose_product(pose_inverse(r->links.at[l->body].in_world), l->in_world);
    else if (fixed)
        l->in_body = pose_product(r->links.at[l->over].in_body, r->joints.at[l->joint].origin);
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

void robot_add_inertia(robot_inertia *whole, pose frame, const robot_inertia *part, vector centre) {
    add_turned(whole->inertia, frame.turn, part->inertia);
    add_steiner(whole->inertia, part->mass, vector_difference(pose_apply(frame, part->centre), centre));
}

// first the masses and centres, then, with the centre known, the inertia
static void add_up(robot *r) {
    for (int i = 0; i < r->links.count; i++) {
        const robot_link *l = &r->links.at[i];
        if (l->body < 0)
            continue;
        robot_link *body = &r->links.at[l->body];
        vector centre = pose_apply(l->in_body, l->own.centre);
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
        robot_add_inertia(total, l->in_body, &l->own, total->centre);
    }
}

// from the leaves: what a link carries
static void find_heavy(robot *r) {
    for (int k = r->links.count - 1; k >= 0; k--) {
        robot_link *l = &r->links.at[r->order[k]];
        l->heavy |= l->own.mass > 0;
        if (l->over >= 0)
            r->links.at[l->over].heavy |= l->heavy;
    }
}

static void warn_of_massless(arena *a, diags *d, const robot *r) {
    text names;
    const robot_link *first = NULL;
    int count = 0, loose = 0;
    text_init(&names, a);
    for (int i = 0; i < r->links.count; i++) {
        const robot_link *l = &r->links.at[i];
        if (l->body != i || l->total.mass > 0 || (l->made && l->heavy))
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
    if (r->placed)
        diag_error(d, r->links.at[0].at, "nothing moves: all that there is is fixed to the ground");
    else
        diag_error(d, r->links.at[r->root].at,
                   "nothing moves: all links are fixed to the base, and that to the ground")
            ->hint = SETTING "free-base lets go of the base";
    return false;
}

// how far a coupling is off at the start
static double misfit(const robot *r, const robot_coupling *c) {
    const robot_joint *follower = &r->joints.at[c->follower];
    const robot_joint *leader = c->leader < 0 ? NULL : &r->joints.at[c->leader];
    double x = leader ? leader->start - leader->zero : 0, sum = 0;
    for (int i = COUPLING_TERMS - 1; i >= 0; i--)
        sum = sum * x + c->factor[i];
    return sum - (follower->start - follower->zero);
}

// what mimics another is coupled to it; whether all holds at the start
static void find_couplings(arena *a, robot *r) {
    for (int i = 0; i < r->joints.count; i++) {
        const robot_joint *j = &r->joints.at[i];
        if (j->leader < 0)
            continue;
        double offset = j->multiplier * r->joints.at[j->leader].zero + j->offset - j->zero;
        robot_coupling c = {
            arena_print(a, "%s_mimic", j->name), NULL, j->leader_at, i, j->leader, {offset, j->multiplier}};
        vec_push(a, r->couplings, c);
    }
    r->meeting = true;
    for (int i = 0; i < r->couplings.count; i++)
        r->meeting &= fabs(misfit(r, &r->couplings.at[i])) <= 1e-12;
    for (int i = 0; i < r->joints.count; i++)
        r->meeting &= !r->joints.at[i].apart;
}

bool robot_assemble(arena *a, diags *d, robot *r, bool free_base) {
    if (r->placed ? !find_forest(a, d, r) : !find_parents(d, r) || !find_root(d, r) || !find_order(a, d, r))
        return false;
    if (!r->placed)
        choose_starts(a, d, r);
    for (int k = 0; k < r->links.count; k++)
        place_link(r, r->order[k], free_base);
    find_couplings(a, r);
    add_up(r);
    find_heavy(r);
    warn_of_massless(a, d, r);
    return d->errors == 0 && something_moves(d, r);
}
