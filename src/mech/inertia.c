/* Mass and inertia of bodies: given, or those of a solid, homogeneous shape. An inertia is that of a body,
 * and not of none, if its principal moments are not negative and none exceeds the sum of the other two. */
#include "mech/inertia.h"

#include "mech/bodies.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static bool not_negative(elab *L, const node *n, const char *what, const scalar *s) {
    if (elab_asks(L, OP_LE, elab_plain(0), *s))
        return true;
    elab_error(L, n->whole, "%s cannot be negative: this is %.6g", what, s->number);
    return false;
}

bool mass_read(elab *L, const stmt *s, const binding *scope, body *b) {
    const item *it = setting_find(L, &s->settings, "mass");
    b->mass = elab_constant(L, 0);
    return it == NULL || (elab_known_scalar(L, it->value, scope, "a mass", &b->mass) &&
                          not_negative(L, it->value, "a mass", &b->mass));
}

// ---- shapes

static scalar product(elab *L, double factor, scalar a, scalar b) {
    return frames_op(L, OP_MUL, elab_constant(L, factor), frames_op(L, OP_MUL, a, b));
}

static scalar square(elab *L, scalar a) {
    return frames_op(L, OP_MUL, a, a);
}

static scalar sum(elab *L, scalar a, scalar b) {
    return frames_op(L, OP_ADD, a, b);
}

/* Content (length, area or volume) and the moments of inertia of mass 1. */
typedef struct {
    scalar content, moment[3];
} solid;

static solid rod(elab *L, const scalar *a) {
    scalar across = product(L, 1. / 12, a[0], a[0]);
    return (solid){a[0], {elab_constant(L, 0), across, across}};
}

static solid box(elab *L, const scalar *a) {
    solid out = {.content = frames_op(L, OP_MUL, a[0], frames_op(L, OP_MUL, a[1], a[2]))};
    for (int i = 0; i < 3; i++)
        out.moment[i] = product(L, 1. / 12, elab_constant(L, 1),
                                sum(L, square(L, a[(i + 1) % 3]), square(L, a[(i + 2) % 3])));
    return out;
}

static solid sphere(elab *L, const scalar *a) {
    scalar moment = product(L, 0.4, a[0], a[0]);
    return (solid){product(L, 4. / 3 * PI, a[0], square(L, a[0])), {moment, moment, moment}};
}

static solid cylinder(elab *L, const scalar *a) {
    scalar across = sum(L, product(L, 0.25, a[0], a[0]), product(L, 1. / 12, a[1], a[1]));
    return (solid){product(L, PI, square(L, a[0]), a[1]), {across, across, product(L, 0.5, a[0], a[0])}};
}

static solid disk(elab *L, const scalar *a) {
    scalar across = product(L, 0.25, a[0], a[0]);
    return (solid){product(L, PI, a[0], a[0]), {across, across, product(L, 0.5, a[0], a[0])}};
}

static const struct shape_form {
    const char *name, *form;
    int count;
    solid (*of)(elab *L, const scalar *a);
} shapes[] = {{"rod", "rod(length)", 1, rod},
              {"box", "box(a, b, c)", 3, box},
              {"sphere", "sphere(radius)", 1, sphere},
              {"cylinder", "cylinder(radius, height)", 2, cylinder},
              {"disk", "disk(radius)", 1, disk}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const struct shape_form *find_shape(elab *L, const node *n) {
    static const char all[] = "shapes are rod(l), box(a, b, c), sphere(r), cylinder(r, h) and disk(r)";
    if (n->kind != NODE_CALL) {
        elab_error(L, n->whole, "expected a shape")->hint = all;
        return NULL;
    }
    const char *name = names_text(L->names, n->name);
    name_guess best = {0};
    for (int i = 0; i < SHAPES; i++) {
        if (strcmp(shapes[i].name, name) == 0) {
            if (n->count == shapes[i].count)
                return &shapes[i];
            elab_error(L, n->whole, "wrong number of arguments: %d", n->count)->hint =
                arena_print(L->arena, "write %s", shapes[i].form);
            return NULL;
        }
        names_offer(&best, name, shapes[i].name);
    }
    diag *d = elab_error(L, n->at, "there is no shape '%s'", name);
    if (!elab_suggest(L, d, best))
        d->hint = all;
    return NULL;
}

static bool read_shape(elab *L, const item *it, const item *density, const binding *scope, body *b) {
    const struct shape_form *form = find_shape(L, it->value);
    scalar size[3], rho;
    for (int i = 0; form && i < form->count; i++) {
        const node *n = it->value->args[i];
        if (!elab_known_scalar(L, n, scope, "the size of a shape", &size[i]))
            return false;
        if (!elab_asks(L, OP_LT, elab_plain(0), size[i])) {
            elab_error(L, n->whole, "the size of a shape must be larger than 0, not %.6g", size[i].number);
            return false;
        }
    }
    if (form == NULL)
        return false;
    solid of = form->of(L, size);
    b->form = form->name;
    for (int i = 0; i < form->count; i++)
        b->size[i] = elab_picture(L, &size[i]);
    if (density && (!elab_known_scalar(L, density->value, scope, "a density", &rho) ||
                    !not_negative(L, density->value, "a density", &rho)))
        return false;
    if (density)
        b->mass = frames_op(L, OP_MUL, rho, of.content);
    for (int i = 0; i < 3; i++)
        b->inertia[i] = frames_op(L, OP_MUL, b->mass, of.moment[i]);
    return true;
}

// ---- given inertia

static void swap_down(double *a, double *b) {
    double less = fmin(*a, *b);
    *b = fmax(*a, *b);
    *a = less;
}

// J <- J turned in the plane of i, j so that J_ij = 0; by what angle, from j to i
static double turn_away(double J[3][3], int i, int j) {
    double angle = 0.5 * atan2(2 * J[i][j], J[j][j] - J[i][i]), c = cos(angle), s = sin(angle);
    for (int k = 0; k < 3; k++) {
        double a = J[i][k], b = J[j][k];
        J[i][k] = c * a - s * b;
        J[j][k] = s * a + c * b;
    }
    for (int k = 0; k < 3; k++) {
        double a = J[k][i], b = J[k][j];
        J[k][i] = c * a - s * b;
        J[k][j] = s * a + c * b;
    }
    return angle;
}

// by Jacobi's rotations; four rounds would do
quaternion inertia_axes(const double *m, double *moment) {
    double J[3][3] = {{m[0], m[3], m[4]}, {m[3], m[1], m[5]}, {m[4], m[5], m[2]}};
    quaternion q = {.w = 1};
    for (int round = 0; round < 10; round++) {
        q = rotation_product(q, rotation_about((vector){.z = -1}, turn_away(J, 0, 1)));
        q = rotation_product(q, rotation_about((vector){.y = 1}, turn_away(J, 0, 2)));
        q = rotation_product(q, rotation_about((vector){.x = -1}, turn_away(J, 1, 2)));
    }
    for (int i = 0; i < 3; i++)
        moment[i] = J[i][i];
    return q;
}

inertia_fault inertia_judge(const double *J, double *moment) {
    inertia_axes(J, moment);
    swap_down(&moment[0], &moment[1]);
    swap_down(&moment[1], &moment[2]);
    swap_down(&moment[0], &moment[1]);
    double slack = 1e-9 * (fabs(moment[0]) + fabs(moment[1]) + fabs(moment[2]));
    return moment[0] < -slack                          ? INERTIA_NEGATIVE
           : moment[2] > moment[0] + moment[1] + slack ? INERTIA_LOPSIDED
                                                       : INERTIA_FINE;
}

// with other values, too
static bool stays_physical(const recipes *r, const void *object) {
    const scalar *inertia = object;
    double J[6], moment[3];
    for (int i = 0; i < 6; i++)
        J[i] = inertia[i].step ? recipe_number(r, inertia[i].step) : inertia[i].number;
    return inertia_judge(J, moment) == INERTIA_FINE;
}

static bool is_physical(elab *L, const node *n, const body *b) {
    double J[6], moment[3];
    bool varies = false;
    for (int i = 0; i < 6; i++) {
        J[i] = b->inertia[i].number;
        varies |= b->inertia[i].step != 0;
    }
    if (varies)
        recipe_checks(L->recipes, stays_physical, b->inertia);
    inertia_fault fault = inertia_judge(J, moment);
    if (fault == INERTIA_NEGATIVE)
        elab_error(L, n->whole, "no body has this inertia: a principal moment is %.6g, less than 0",
                   moment[0]);
    if (fault == INERTIA_LOPSIDED)
        elab_error(L, n->whole,
                   "no body has this inertia: the principal moment %.6g exceeds the sum of %.6g and %.6g",
                   moment[2], moment[0], moment[1])
            ->hint = "none of the three can be larger than the other two together";
    return fault == INERTIA_FINE;
}

static bool read_inertia(elab *L, const item *it, const binding *scope, body *b) {
    const node *n = it->value;
    value v = {0};
    if (n->kind == NODE_TUPLE && n->count == 6) {
        for (int i = 0; i < 6; i++)
            if (!elab_known_scalar(L, n->args[i], scope, "an inertia", &b->inertia[i]))
                return false;
        return is_physical(L, n, b);
    }
    if (n->kind != NODE_TUPLE || n->count == 3)
        v = elab_known_value(L, n, scope, "an inertia");
    if (v.size != 3) {
        if (v.size || n->kind == NODE_TUPLE)
            elab_error(L, n->whole, "the inertia of a body is three or six numbers")->hint =
                "write (Jx, Jy, Jz), or the matrix as (Jxx, Jyy, Jzz, Jxy, Jxz, Jyz)";
        return false;
    }
    for (int i = 0; i < 3; i++)
        b->inertia[i] = v.at[i];
    return is_physical(L, n, b);
}

static bool one_way(elab *L, const item *a, const item *b, const char *message) {
    if (a == NULL || b == NULL)
        return true;
    diag_other(elab_error(L, b->at, "%s", message), a->at, "the other is here");
    return false;
}

bool inertia_read(elab *L, const stmt *s, const binding *scope, body *b) {
    const item *inertia = setting_find(L, &s->settings, "inertia"),
               *form = setting_find(L, &s->settings, "shape");
    const item *mass = setting_find(L, &s->settings, "mass"),
               *density = setting_find(L, &s->settings, "density");
    for (int i = 0; i < 6; i++)
        b->inertia[i] = elab_constant(L, 0);
    if (!one_way(L, inertia, form, "a body has an inertia or a shape, not both") ||
        !one_way(L, mass, density, "a body has a mass or a density, not both") || !mass_read(L, s, scope, b))
        return false;
    if (density && form == NULL)
        elab_error(L, density->at, "a density needs a shape")->hint = "as in shape = box(1, 0.2, 0.1)";
    else if (form && mass == NULL && density == NULL)
        elab_error(L, form->at, "a shape needs a mass or a density");
    else if (form)
        return read_shape(L, form, density, scope, b);
    else if (inertia)
        return read_inertia(L, inertia, scope, b);
    else
        elab_error(L, s->items.at[0].at, "this body has no inertia")->hint =
            "give inertia = (Jx, Jy, Jz), or a shape such as shape = sphere(r); what cannot turn is a "
            "particle";
    return false;
}

bool inertia_read_planar(elab *L, const stmt *s, const binding *scope, body *b) {
    const item *inertia = setting_find(L, &s->settings, "inertia"),
               *mass = setting_find(L, &s->settings, "mass");
    if (mass == NULL || inertia == NULL) {
        elab_error(L, s->items.at[0].at, "this body has no %s", mass ? "inertia" : "mass")->hint =
            "write body2 B: mass = 1, inertia = 0.1; zero is fine where the motion stays unique";
        return false;
    }
    return mass_read(L, s, scope, b) &&
           elab_known_scalar(L, inertia->value, scope, "an inertia", &b->inertia[0]) &&
           not_negative(L, inertia->value, "an inertia", &b->inertia[0]);
}
