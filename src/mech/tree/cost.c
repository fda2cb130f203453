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

static int depth_below(const mech_tree *t, int link, int above) {
    int count = 0;
    for (; link != above; link = t->links.at[link].parent)
        count++;
    return count;
}

static int link_of(const mech_tree *t, const body *b) {
    return body_is_ground(b) ? -1 : t->link_of[b - t->parts->bodies.at];
}

static double operations_of_rows(const mech_tree *t) {
    double rows = 0, sum = 0;
    for (int i = 0; i < t->cut.count; i++) {
        const joint *j = t->cut.at[i];
        int a = link_of(t, j->body[0]), b = link_of(t, j->body[1]), above = tree_above_both(t, a, b);
        double span = depth_below(t, a, above) + depth_below(t, b, above), own = tree_rows_of(j);
        rows += own;
        sum += own * span * (span + 30);
    }
    return sum + rows * rows * rows / 3;
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
    return open && PER_RATE * rates < composite ? PER_RATE * rates : composite + operations_of_rows(t);
}

double mech_tree_worth(const mech_tree *t) {
    double sum = 0;
    for (int i = 0; i < t->links.count; i++)
        if (t->links.at[i].body)
            sum += t->links.at[i].body->planar ? PER_PLANAR_BODY : PER_BODY;
    return sum;
}
