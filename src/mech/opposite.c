/* Which force presses where a constraint lies between two bodies. Its force on one of them is the opposite of
 * that on the other, and only one of the two presses: of w = y the force on w, not on (w, y). Nothing in the
 * coordinates tells to which body they belong, but these are action and reaction:
 *
 *   - the slip velocity is that of one body against the other: it does not change if two velocities grow
 * alike,
 *   - coordinates i, j with A_i = -A_j in each row of the constraint, of which the slip velocity does not
 * tell that they belong to one body: it does not change either if their velocities grow alike.
 *
 * One particle on the plane x = y has A_x = -A_y, too, but slips with x' + y'. */
#include "mech/friction.h"

#include <math.h>

enum { PROBES = 3 };

typedef struct {
    elab *elab;
    expr *rows; // (count) over the slots of the element at hand
    int count;
} row_list;

static row_list rows_from(elab *L, int first, int count) {
    row_list r = {L, arena_array(L->arena, expr, count + 1), count};
    for (int i = 0; i < count; i++)
        r.rows[i] = elab_row_value(L, first + i);
    return r;
}

static double probe(void *context, sym_kind kind, int index) {
    return 0.3 + fmod(0.754877666 * (index + 1) * (kind + 2) + 0.569840291 * *(int *)context, 1.0);
}

static double slope(const row_list *r, int row, int slot, int at) {
    elab *L = r->elab;
    expr d = expr_diff(L->pool, r->rows[row], tangent_level(L, r->rows[row]), slot);
    return d == EXPR_NONE ? NAN : expr_eval(L->pool, d, probe, &at);
}

// whether no row changes if both slots grow alike; *some: one changes if one of them grows
static bool cancel(const row_list *r, int i, int j, bool *some) {
    *some = false;
    for (int row = 0; row < r->count; row++)
        for (int at = 0; at < PROBES; at++) {
            double one = slope(r, row, i, at), other = slope(r, row, j, at);
            if (!(fabs(one + other) <= 1e-12 * fabs(one)) && !(one == 0 && other == 0))
                return false;
            *some |= one != 0;
        }
    return true;
}

static bool is_relative(const row_list *slip, int slots) {
    bool some;
    for (int i = 0; i < slots; i++)
        for (int j = 0; j < i; j++)
            if (cancel(slip, i, j, &some) && some)
                return true;
    return false;
}

int friction_one_side(elab *L, const model_friction *f, int *pressed, int count) {
    elab_begin(L);
    row_list held = rows_from(L, f->first, f->count); // the slots of the pressed coordinates come first
    row_list slip = rows_from(L, f->stick_first, f->stick_count);
    int kept = 0;
    bool some, *gone = arena_array(L->arena, bool, count + 1);
    if (!is_relative(&slip, L->builder.slots.count))
        return count;
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count && !gone[i]; j++)
            if (!gone[j] && cancel(&slip, i, j, &some) && cancel(&held, i, j, &some) && some) {
                gone[j] = true;
                break;
            }
    for (int i = 0; i < count; i++)
        if (!gone[i])
            pressed[kept++] = pressed[i];
    return kept;
}
