/* What a tree costs, before anything of it is written down. Composite bodies take some 24 operations for each
 * pair of a rate and one above it in space, factors the square of the depth; articulated bodies 410 for each
 * rate. A row has entries with all rates between its joint and the turn of its loop, and the rows' own
 * factors are full.
 *
 * Worth: by bodies an evaluation of chains in space takes 2.4 us for each body with the sparse solver,
 * and 1.3 in one kernel of up to some ten bodies; in the plane 0.7 us (iftomm-a02-bodies, N = 20). A kernel
 * takes 0.2 ns for an operation. */
#include "mech/tree/tree_inside.h"

enum { PER_PAIR = 24, PER_LINK = 200, PER_RATE = 410, PER_BODY = 6000, PER_PLANAR_BODY = 2500 };

static double rates_of(const tree_link *l) {
    return (l->ball ? 3 : l->axis >= 0) + l->slides;
}

static int link_of(const mech_tree *t, const body *b) {
    return body_is_ground(b) ? -1 : t->link_of[b - t->parts->bodies.at];
}

/* A loop: the links on its two sides, marked, and how many rows close it. */
typedef struct {
    bool *on;
    double span, rows;
} loop;

static loop loop_of(const mech_tree *t, const joint *j, arena *scratch) {
    int a = link_of(t, j->body[0]), b = link_of(t, j->body[1]), above = tree_above_both(t, a, b);
    loop out = {.on = arena_array(scratch, bool, t->links.count + 1), .rows = tree_rows_of(j)};
    const int from[] = {a, b};
    for (int side = 0; side < 2; side++)
        for (int link = from[side]; link != above; link = t->links.at[link].parent) {
            out.on[link] = true;
            out.span++;
        }
    return out;
}

static bool share(const mech_tree *t, const loop *a, const loop *b) {
    for (int i = 0; i < t->links.count; i++)
        if (a->on[i] && b->on[i])
            return true;
    return false;
}

// loops that share a link have entries with each other in the factors
static double operations_of_rows(const mech_tree *t) {
    arena *scratch = arena_child(t->arena);
    loop *loops = arena_array(scratch, loop, t->cut.count + 1);
    double sum = 0;
    for (int i = 0; i < t->cut.count; i++)
        loops[i] = loop_of(t, t->cut.at[i], scratch);
    for (int i = 0; i < t->cut.count; i++) {
        double with = 0;
        for (int k = 0; k < t->cut.count; k++)
            with += share(t, &loops[i], &loops[k]) ? loops[k].rows : 0;
        sum += loops[i].rows * (loops[i].span * (loops[i].span + 30) + with * with / 3);
    }
    arena_free(scratch);
    return sum;
}

double mech_tree_operations(const mech_tree *t) {
    double pairs = 0, fill = 0, rates = 0;
    for (int i = 0; i < t->links.count; i++) {
        double own = rates_of(&t->links.at[i]), depth = t->links.at[i].depth;
        rates += own;
        pairs += own * depth;
        fill += own * depth * depth;
    }
    double composite = PER_LINK * t->links.count + PER_PAIR * pairs + fill;
    bool open = t->cut.count == 0;
    if (t->asks || t->full->foreign_energy)
        return composite + operations_of_rows(t) + mech_tree_worth(t);
    return open && PER_RATE * rates < composite ? PER_RATE * rates : composite + operations_of_rows(t);
}

double mech_tree_worth(const mech_tree *t) {
    double sum = 0;
    for (int i = 0; i < t->links.count; i++)
        if (t->links.at[i].body)
            sum += t->links.at[i].body->planar ? PER_PLANAR_BODY : PER_BODY;
    return sum;
}
