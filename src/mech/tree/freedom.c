/* Which rates of the tree are the velocities along which joints act: see joints/freedom.c for these. */
#include "mech/tree/tree_inside.h"

// the link of the joint that has this freedom; a universal joint has two, the cross first
static int link_of(const mech_tree *t, int part, int freedom) {
    for (int i = 0; i < t->links.count; i++) {
        const tree_link *l = &t->links.at[i];
        if (l->joint == NULL || l->joint->part != part)
            continue;
        if (l->body)
            return i;
        bool flipped = t->links.at[i + 1].flipped; // axis2 is the cross's then
        return i + (freedom == (flipped ? 0 : 1));
    }
    return -1;
}

bool tree_freedom_of(const mech_tree *t, int part, bool turn, int freedom, tree_freedom *out) {
    int link = link_of(t, part, freedom);
    if (link < 0)
        return false;
    const tree_link *l = &t->links.at[link];
    bool cross = l->joint->kind->turning == TURN_CROSS,
         flipped = cross ? t->links.at[link + (l->body == NULL)].flipped : l->flipped;
    if (flipped && (l->ball || (!turn && l->slides > 1)))
        return false; // axes of the other body
    *out = (tree_freedom){.count = 1, .factor = {cross && flipped ? -1 : 1}};
    out->rate[0] = turn ? l->turn : l->first + freedom;
    if (!l->ball)
        return true;
    const vector unit = {freedom == 0, freedom == 1, freedom == 2};
    vector own = vector_cleaned(rotation_apply(l->turned, unit), 1);
    const double factor[] = {own.x, own.y, own.z};
    out->count = 3;
    for (int k = 0; k < 3; k++) {
        out->rate[k] = l->turn + 1 + k;
        out->factor[k] = factor[k];
    }
    return true;
}
