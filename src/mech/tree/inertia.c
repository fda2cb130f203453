/* The inertia of the tree.
 *
 * With the accelerations alpha, a that the links have where all s' are 0, Newton's and Euler's equations of
 * each give what is missing there, f - m (a + Omega c) and n - J alpha - omega x J omega - m c x a about its
 * origin: carried to the root, that is S. What s' adds to the accelerations is then without terms of the
 * velocity, and there are two ways to it.
 *
 * Composite bodies: M_s, entry by entry. The links from one on move as one body with its rate; the momentum
 * of that body, carried towards the root, has with each rate on its way one entry.
 *
 * Articulated bodies: M_s = L D L' without being written down. From the leaves on, a link is what can be felt
 * of all that hangs on it: a symmetric 6 x 6 matrix I. A rate z of it takes away U U'/D, U = I z, D = z'U. Of
 * a branch of n joints that costs some 400 n operations, the composite bodies some 8 n^2 + 200 n and n^3/6
 * for the factors. */
#include "mech/tree/tree_inside.h"

// ---- what is missing at s' = 0

static tmat inertia_matrix(expr_pool *p, const tree_link *l) {
    tmat out;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out.at[i][j] = t_number(p, l->inertia[i][j]);
    return out;
}

static wrench inertia_force(mech_tree *t, int i) {
    expr_pool *p = t->pool;
    const tree_link *l = &t->links.at[i];
    const tree_motion *m = &t->motion[i];
    tmat J = inertia_matrix(p, l);
    tvec h = tv_number(p, l->moment);
    wrench w;
    w.force = tv_add(p, tv_scale(p, t_number(p, l->mass), m->a), tm_apply(p, m->Omega, h));
    w.torque = tv_add(p, tm_apply(p, J, m->alpha), tv_cross(p, m->omega, tm_apply(p, J, m->omega)));
    w.torque = tv_add(p, w.torque, tv_cross(p, h, m->a));
    return w;
}

static void take_inertia_off(mech_tree *t, tree_load *load) {
    expr_pool *p = t->pool;
    for (int i = 0; i < t->links.count; i++) {
        wrench w = inertia_force(t, i);
        load->on[i].force = tv_sub(p, load->on[i].force, w.force);
        load->on[i].torque = tv_sub(p, load->on[i].torque, w.torque);
    }
}

// ---- composite bodies

typedef struct {
    expr mass;
    tvec h; // mass times centre
    tmat J; // about the origin
} composite;

/* J of a body that is off by r, with h its moment before that: 2 r.h - r h' - h r' + m (r.r - r r'). Where r
 * is a number, so are the last two. */
static tmat shifted(expr_pool *p, tmat J, expr mass, tvec h, tvec r) {
    tvec with_h, with_r; // r_i h_i, m r_i r_i
    for (int i = 0; i < 3; i++) {
        with_h.at[i] = t_mul(p, r.at[i], h.at[i]);
        with_r.at[i] = t_mul(p, mass, t_mul(p, r.at[i], r.at[i]));
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        expr twice = t_mul(p, expr_number(p, 2), t_add(p, with_h.at[j], with_h.at[k]));
        J.at[i][i] = t_add(p, t_add(p, J.at[i][i], t_add(p, with_r.at[j], with_r.at[k])), twice);
        expr off = t_add(p, t_mul(p, r.at[i], h.at[j]), t_mul(p, r.at[j], h.at[i]));
        expr own = t_mul(p, mass, t_mul(p, r.at[i], r.at[j]));
        J.at[i][j] = J.at[j][i] = t_sub(p, t_sub(p, J.at[i][j], own), off);
    }
    return J;
}

static void add_to_parent(mech_tree *t, int i, const composite *c, composite *to) {
    expr_pool *p = t->pool;
    const tree_motion *m = &t->motion[i];
    tvec h = tm_apply_back(p, m->E, c->h);
    tmat J = shifted(p, tm_turn_back(p, m->E, c->J), c->mass, h, m->r);
    to->J = tm_add(p, to->J, J);
    to->h = tv_add(p, to->h, tv_add(p, h, tv_scale(p, c->mass, m->r)));
    to->mass = t_add(p, to->mass, c->mass);
}

// the rates of a link as motions of it: of its axes by `spin`, of its origin by `shift`
typedef struct {
    int rate;
    tvec spin, shift;
} tree_rate;

static int rates_of(mech_tree *t, int i, tree_rate *out) {
    expr_pool *p = t->pool;
    const tree_link *l = &t->links.at[i];
    int count = 0;
    for (int k = 0; k < 3; k++) {
        if (!l->ball && l->axis != k)
            continue;
        tree_rate r = {.rate = l->ball ? l->turn + 1 + k : l->turn};
        r.spin.at[k] = expr_number(p, l->ball ? 1 : l->sign);
        out[count++] = r;
    }
    for (int k = 0; k < l->slides; k++) {
        tree_rate r = {.rate = l->first + k};
        r.shift = tm_apply(p, t->motion[i].E, tv_number(p, l->slide[k]));
        out[count++] = r;
    }
    return count;
}

static wrench momentum_of(expr_pool *p, const composite *c, const tree_rate *r) {
    return (wrench){tv_add(p, tm_apply(p, c->J, r->spin), tv_cross(p, c->h, r->shift)),
                    tv_add(p, tv_cross(p, r->spin, c->h), tv_scale(p, c->mass, r->shift))};
}

// entries of M of one rate with those of its own link, from `first` on, and of the links above
static void add_entries(mech_tree *t, int i, const tree_rate *rate, wrench momentum, derivation *d) {
    expr *along = arena_array(d->arena, expr, t->n + 1);
    for (int link = i; link >= 0; link = t->links.at[link].parent) {
        tree_along(t, link, momentum, along);
        tree_rate with[6];
        int count = rates_of(t, link, with);
        for (int k = 0; k < count; k++) {
            int other = with[k].rate;
            if (link == i && other > rate->rate)
                continue; // the same as the other one's
            derive_add(d, MECH_M, rate->rate, other, along[other]);
            if (other != rate->rate)
                derive_add(d, MECH_M, other, rate->rate, along[other]);
        }
        momentum = wrench_to_parent(t, link, momentum);
    }
}

// a rate that nothing moves: the length of a quaternion
static void add_lengths(mech_tree *t, derivation *d) {
    for (int i = 0; i < t->links.count; i++)
        if (t->links.at[i].ball)
            derive_add(d, MECH_M, t->links.at[i].turn, t->links.at[i].turn, expr_number(t->pool, 1));
}

void tree_mass(mech_tree *t, derivation *d) {
    expr_pool *p = t->pool;
    composite *all = arena_array(d->arena, composite, t->links.count + 1);
    for (int i = 0; i < t->links.count; i++)
        all[i] = (composite){t_number(p, t->links.at[i].mass), tv_number(p, t->links.at[i].moment),
                             inertia_matrix(p, &t->links.at[i])};
    for (int i = t->links.count - 1; i >= 0; i--) {
        tree_rate rates[6];
        int count = rates_of(t, i, rates);
        for (int k = 0; k < count; k++)
            add_entries(t, i, &rates[k], momentum_of(p, &all[i], &rates[k]), d);
        if (t->links.at[i].parent >= 0)
            add_to_parent(t, i, &all[i], &all[t->links.at[i].parent]);
    }
    add_lengths(t, d);
}

void tree_forces(mech_tree *t, tree_load *load, expr *S) {
    take_inertia_off(t, load);
    tree_load_carry(t, load, S);
}

// ---- articulated bodies

/* ( J  H )  of spin and shift to torque and force. */
/* ( H' M )                                          */
typedef struct {
    tmat J, H, M;
} articulated;

typedef struct {
    int rate;
    tvec spin, shift; // its motion
    wrench U;
    expr inverse; // 1/D
    expr u;       // what is left for it
} elimination;

static wrench felt(expr_pool *p, const articulated *I, tvec spin, tvec shift) {
    return (wrench){tv_add(p, tm_apply(p, I->J, spin), tm_apply(p, I->H, shift)),
                    tv_add(p, tm_apply_back(p, I->H, spin), tm_apply(p, I->M, shift))};
}

static expr work(expr_pool *p, wrench w, tvec spin, tvec shift) {
    return t_add(p, tv_dot(p, w.torque, spin), tv_dot(p, w.force, shift));
}

static tmat symmetric_less(expr_pool *p, tmat a, tvec u, expr factor) {
    for (int i = 0; i < 3; i++) {
        expr part = t_mul(p, factor, u.at[i]);
        for (int j = 0; j <= i; j++)
            a.at[i][j] = a.at[j][i] = t_sub(p, a.at[i][j], t_mul(p, part, u.at[j]));
    }
    return a;
}

static void eliminate(expr_pool *p, articulated *I, wrench *rest, expr along, elimination *e) {
    e->U = felt(p, I, e->spin, e->shift);
    expr D = work(p, e->U, e->spin, e->shift);
    e->inverse = t_div(p, expr_number(p, 1), D ? D : expr_number(p, 0));
    e->u = t_add(p, along, work(p, *rest, e->spin, e->shift));
    expr part = t_mul(p, e->inverse, e->u);
    rest->torque = tv_sub(p, rest->torque, tv_scale(p, part, e->U.torque));
    rest->force = tv_sub(p, rest->force, tv_scale(p, part, e->U.force));
    I->J = symmetric_less(p, I->J, e->U.torque, e->inverse);
    I->M = symmetric_less(p, I->M, e->U.force, e->inverse);
    tvec torque = tv_scale(p, e->inverse, e->U.torque);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            I->H.at[i][j] = t_sub(p, I->H.at[i][j], t_mul(p, torque.at[i], e->U.force.at[j]));
}

// J + r~ H' ... about the parent's origin, in its axes
static void hand_over(mech_tree *t, int i, const articulated *I, articulated *to) {
    expr_pool *p = t->pool;
    const tree_motion *m = &t->motion[i];
    tmat M = tm_turn_back(p, m->E, I->M);
    tmat H = tm_product(p, tm_transpose(m->E), tm_product(p, I->H, m->E));
    tmat r = tm_cross(p, m->r), rM = tm_product(p, r, M), Hr;
    tmat J = tm_turn_back(p, m->E, I->J);
    // torque about the parent's origin: n + r x f; a motion (w, v) there is (w, v - r~ w) here
    // H' = H + r~ M,  J' = J - H r~ + r~ H^T - r~ M r~ = J - (H + r~ M) r~ + r~ H^T
    tmat whole = tm_add(p, H, rM);
    Hr = tm_product(p, whole, r);
    tmat rH = tm_product(p, r, tm_transpose(H));
    for (int a = 0; a < 3; a++)
        for (int b = a; b < 3; b++)
            J.at[a][b] = J.at[b][a] = t_add(p, t_sub(p, J.at[a][b], Hr.at[a][b]), rH.at[a][b]);
    to->J = tm_add(p, to->J, J);
    to->H = tm_add(p, to->H, whole);
    to->M = tm_add(p, to->M, M);
}

static articulated alone(expr_pool *p, const tree_link *l) {
    articulated I = {.J = inertia_matrix(p, l), .H = tm_cross(p, tv_number(p, l->moment))};
    for (int k = 0; k < 3; k++)
        I.M.at[k][k] = t_number(p, l->mass);
    return I;
}

// what the links above give, in these axes
static void take_along(mech_tree *t, int i, const tvec *spin, const tvec *shift, tvec *own_spin,
                       tvec *own_shift) {
    expr_pool *p = t->pool;
    const tree_motion *m = &t->motion[i];
    *own_spin = tm_apply(p, m->E, *spin);
    *own_shift = tm_apply(p, m->E, tv_add(p, *shift, tv_cross(p, *spin, m->r)));
}

typedef struct {
    mech_tree *t;
    tree_load *load;
    articulated *I;     // (links)
    elimination *all;   // (6 x links)
    tvec *spin, *shift; // (links) what s' adds to the accelerations
} elimination_of_all;

static void go_to_root(elimination_of_all *x) {
    mech_tree *t = x->t;
    expr_pool *p = t->pool;
    for (int i = t->links.count - 1; i >= 0; i--) {
        tree_rate rates[6];
        int count = rates_of(t, i, rates), parent = t->links.at[i].parent;
        for (int k = 0; k < count; k++) {
            elimination *e = &x->all[6 * i + k];
            *e = (elimination){.rate = rates[k].rate, .spin = rates[k].spin, .shift = rates[k].shift};
            eliminate(p, &x->I[i], &x->load->on[i], x->load->along[e->rate], e);
        }
        if (parent >= 0) {
            wrench *to = &x->load->on[parent];
            hand_over(t, i, &x->I[i], &x->I[parent]);
            *to = wrench_sum(p, *to, wrench_to_parent(t, i, x->load->on[i]));
        }
    }
}

static void go_to_leaves(elimination_of_all *x, expr *out) {
    mech_tree *t = x->t;
    expr_pool *p = t->pool;
    for (int i = 0; i < t->links.count; i++) {
        tree_rate rates[6];
        int parent = t->links.at[i].parent;
        if (parent >= 0)
            take_along(t, i, &x->spin[parent], &x->shift[parent], &x->spin[i], &x->shift[i]);
        for (int k = rates_of(t, i, rates) - 1; k >= 0; k--) {
            const elimination *e = &x->all[6 * i + k];
            expr rate = t_mul(p, e->inverse, t_sub(p, e->u, work(p, e->U, x->spin[i], x->shift[i])));
            out[e->rate] = rate;
            x->spin[i] = tv_add(p, x->spin[i], tv_scale(p, rate, e->spin));
            x->shift[i] = tv_add(p, x->shift[i], tv_scale(p, rate, e->shift));
        }
    }
}

void tree_articulated(mech_tree *t, tree_load *load, expr *out) {
    arena *scratch = arena_child(t->arena);
    size_t count = (size_t)t->links.count + 1;
    elimination_of_all x = {.t = t, .load = load};
    x.I = arena_array(scratch, articulated, count);
    x.all = arena_array(scratch, elimination, 6 * count);
    x.spin = arena_array(scratch, tvec, count);
    x.shift = arena_array(scratch, tvec, count);
    for (int i = 0; i < t->links.count; i++)
        x.I[i] = alone(t->pool, &t->links.at[i]);
    take_inertia_off(t, load);
    go_to_root(&x);
    go_to_leaves(&x, out);
    arena_free(scratch);
}
