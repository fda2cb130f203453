/* Rows that others imply. At positions taken at random, rows that depend on others do so everywhere, but for
 * a chance that counts for nothing; which of them stay is decided at the start, where the constraints hold. A
 * row that vanishes at the start, and depends on others at some further positions that satisfy the
 * constraints, found by Newton's method, is left out, too: off the constraints it may be anything, and beside
 * a row that is nearly 0 rounding is large. Other rows that depend on each other only where the constraints
 * hold, as in loops that are closed by the right proportions, stay: which of them are needed changes on the
 * way. What is left out says nothing new, or what no motion changes: its residuals at the samples of a run
 * tell. */
#include "mech/tree/tree_inside.h"

#include <math.h>
#include <string.h>

enum { TRIES = 3, CLOSED_TRIES = 8, NEWTON_MOST = 60 };
/* What is left of a row, as a part of it; the same where the constraints hold to CLOSED. Positions are others
 * if they are so far apart. */
static const double DEPENDS = 1e-9, DEPENDS_CLOSED = 1e-7, CLOSED = 1e-12, APART = 1e-2;

typedef struct {
    const mech_tree *t;
    double *u, *s;
    double time;
    uint64_t seed;
} somewhere;

static double next(somewhere *w) { // from -1 to 1, the same on every machine
    w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(w->seed >> 11) / 4503599627370496.0 - 1;
}

static void normalise(somewhere *w) {
    const mech_tree *t = w->t;
    for (int i = 0; i < t->links.count; i++) {
        const tree_link *l = &t->links.at[i];
        double *p = w->u + l->turn, size = 0;
        for (int k = 0; l->ball && k < 4; k++)
            size += p[k] * p[k];
        for (int k = 0; l->ball && k < 4; k++)
            p[k] /= sqrt(size);
    }
}

static void move(somewhere *w) {
    const mech_tree *t = w->t;
    for (int i = 0; i < t->n; i++) {
        w->u[i] = next(w);
        w->s[i] = next(w);
    }
    w->time = next(w);
    normalise(w);
    for (int i = 0; i < t->links.count; i++)
        if (t->links.at[i].ball)
            w->s[t->links.at[i].turn] = 0;
}

static double get(void *context, sym_kind kind, int index) {
    const somewhere *w = context;
    switch (kind) {
    case SYM_TIME:
        return w->time;
    case SYM_P:
        return w->u[index];
    case SYM_V:
        return w->s[index];
    case SYM_PARAM:
        return w->t->full->model->params.at[index].value;
    default:
        return 0.1;
    }
}

static const mech_shape *derived_row(const mech_tree *t, int row) {
    return &t->shapes.at[t->model->rows.at[row].shape];
}

// rows with weight, which ask for nothing that must be, and those that hold only while a friction sticks stay
static bool always_holds(const mech_tree *t, int row) {
    const model_constraint *c = &t->model->constraints.at[t->model->rows.at[row].constraint];
    return !derived_row(t, row)->weighted && !c->stick;
}

// A_s (rows x n); entries that are not finite count as 0, and so does what need not hold
static void evaluate(somewhere *w, arena *scratch, double *A) {
    const mech_tree *t = w->t;
    vec(expr) e = {0};
    vec(int) to = {0};
    for (int r = 0; r < t->model->rows.count; r++)
        for (int k = 0; k < derived_row(t, r)->entries.count; k++) {
            const mech_entry *entry = &derived_row(t, r)->entries.at[k];
            if (entry->quantity != MECH_A || !always_holds(t, r))
                continue;
            vec_push(scratch, e, entry->e);
            vec_push(scratch, to, r * t->n + entry->i);
        }
    double *values = arena_doubles(scratch, (size_t)e.count + 1);
    expr_eval_all(t->pool, e.at, e.count, get, w, values);
    memset(A, 0, (size_t)t->model->rows.count * (size_t)t->n * sizeof *A);
    for (int i = 0; i < e.count; i++)
        A[to.at[i]] = isfinite(values[i]) ? values[i] : 0;
}

static double norm(const double *a, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * a[i];
    return sqrt(sum);
}

static void take_out(double *row, const double *unit, int n) {
    double dot = 0;
    for (int i = 0; i < n; i++)
        dot += row[i] * unit[i];
    for (int i = 0; i < n; i++)
        row[i] -= dot * unit[i];
}

// takes the rows before it in the order that are kept out of one, twice; whether something is left
static bool is_new(double *A, int n, const int *order, int at, const bool *depends, double least) {
    double *row = A + (size_t)order[at] * (size_t)n;
    for (int again = 0; again < 2; again++)
        for (int k = 0; k < at; k++)
            if (!depends[order[k]])
                take_out(row, A + (size_t)order[k] * (size_t)n, n);
    double left = norm(row, n);
    for (int i = 0; left > least && i < n; i++)
        row[i] /= left;
    return left > least;
}

// how long a row would be if its terms did not cancel
static double size_of(somewhere *w, arena *scratch, int row) {
    const row_terms *terms = &w->t->terms[w->t->full_row[row]];
    double *values = arena_doubles(scratch, (size_t)terms->entries.count + 1), most = 0;
    expr_eval_all(w->t->pool, terms->entries.at, terms->entries.count, get, w, values);
    for (int i = 0; i < terms->entries.count; i++)
        if (isfinite(values[i]))
            most = fmax(most, fabs(values[i]) * terms->lengths.at[i]);
    return most;
}

static void go_to_start(somewhere *w) {
    const mech_tree *t = w->t;
    for (int i = 0; i < t->n; i++) {
        w->u[i] = t->model->position.at[i].value;
        w->s[i] = t->model->velocity.at[i].value;
    }
    w->time = t->model->simulate.from;
}

// at the start: the row of which most is left comes next
static void order_rows(somewhere *w, arena *scratch, int *order) {
    const mech_tree *t = w->t;
    int rows = t->model->rows.count, n = t->n;
    double *A = arena_doubles(scratch, (size_t)rows * (size_t)n + 1);
    double *size = arena_doubles(scratch, (size_t)rows + 1);
    go_to_start(w);
    evaluate(w, scratch, A);
    for (int r = 0; r < rows; r++) {
        order[r] = r;
        size[r] = fmax(norm(A + (size_t)r * (size_t)n, n), size_of(w, scratch, r));
    }
    for (int k = 0; k < rows; k++) {
        int best = k;
        double most = -1;
        for (int r = k; r < rows; r++) {
            double left = norm(A + (size_t)order[r] * (size_t)n, n) / size[order[r]];
            if (left > most * (1 + 1e-6)) { // as they stand in the model, where it makes no difference
                most = left;
                best = r;
            }
        }
        int row = order[best];
        memmove(order + k + 1, order + k, (size_t)(best - k) * sizeof *order);
        order[k] = row;
        double *unit = A + (size_t)row * (size_t)n, length = norm(unit, n);
        for (int i = 0; length > 0 && i < n; i++)
            unit[i] /= length;
        for (int r = k + 1; length > 0 && r < rows; r++)
            take_out(A + (size_t)order[r] * (size_t)n, unit, n);
    }
}

// those that do not depend on others here do not
static void look(somewhere *w, arena *scratch, const int *order, double least, bool *depends) {
    const mech_tree *t = w->t;
    int rows = t->model->rows.count;
    double *A = arena_doubles(scratch, (size_t)rows * (size_t)t->n + 1);
    bool *here = arena_array(scratch, bool, rows + 1);
    evaluate(w, scratch, A);
    for (int k = 0; k < rows; k++) {
        int r = order[k];
        double own = norm(A + (size_t)r * (size_t)t->n, t->n);
        here[r] = !is_new(A, t->n, order, k, here, least * fmax(own, size_of(w, scratch, r)));
    }
    for (int r = 0; r < rows; r++)
        depends[r] &= here[r];
}

// ---- where the constraints hold

static bool is_on_positions(const mech_tree *t, int row) {
    return derived_row(t, row)->level == ROW_HOLONOMIC && always_holds(t, row);
}

// phi of the rows on positions; NAN of others
static void residuals(somewhere *w, double *phi) {
    const mech_tree *t = w->t;
    for (int r = 0; r < t->model->rows.count; r++) {
        phi[r] = is_on_positions(t, r) ? 0 : NAN;
        for (int k = 0; k < derived_row(t, r)->entries.count; k++)
            if (is_on_positions(t, r) && derived_row(t, r)->entries.at[k].quantity == MECH_POSITION)
                phi[r] = expr_eval(t->pool, derived_row(t, r)->entries.at[k].e, get, w);
    }
}

// the least change of u with A change = -phi, as far as rows are independent
static void newton_step(somewhere *w, arena *scratch, const int *order, double *A, double *phi,
                        double *change) {
    const mech_tree *t = w->t;
    int n = t->n, rows = t->model->rows.count;
    memset(change, 0, (size_t)n * sizeof *change);
    for (int k = 0; k < rows; k++) {
        double *row = A + (size_t)order[k] * (size_t)n,
               size = fmax(norm(row, n), size_of(w, scratch, order[k]));
        double rest = isnan(phi[order[k]]) ? 0 : -phi[order[k]];
        for (int i = 0; i < n; i++)
            rest -= row[i] * change[i];
        for (int l = 0; l < k; l++)
            take_out(row, A + (size_t)order[l] * (size_t)n, n);
        double left = norm(row, n);
        bool counts = left > 1e-6 * size && !isnan(phi[order[k]]);
        for (int i = 0; i < n; i++) {
            row[i] = counts ? row[i] / left : 0;
            change[i] += counts ? rest / left * row[i] : 0;
        }
    }
}

static void turn_by(double *p, const double *w) {
    const double q[4] = {p[0], p[1], p[2], p[3]};
    p[0] -= 0.5 * (q[1] * w[1] + q[2] * w[2] + q[3] * w[3]);
    p[1] += 0.5 * (q[0] * w[1] + q[2] * w[3] - q[3] * w[2]);
    p[2] += 0.5 * (q[0] * w[2] + q[3] * w[1] - q[1] * w[3]);
    p[3] += 0.5 * (q[0] * w[3] + q[1] * w[2] - q[2] * w[1]);
}

static void advance(somewhere *w, double *change) {
    const mech_tree *t = w->t;
    double length = norm(change, t->n), part = length > 0.5 ? 0.5 / length : 1;
    for (int i = 0; i < t->n; i++)
        change[i] *= part;
    for (int i = 0; i < t->links.count; i++) {
        const tree_link *l = &t->links.at[i];
        if (!l->ball)
            continue;
        turn_by(w->u + l->turn, change + l->turn);
        for (int k = 0; k < 4; k++)
            change[l->turn + k] = 0;
    }
    for (int i = 0; i < t->n; i++)
        w->u[i] += change[i];
    normalise(w);
}

// from a position near the start to one that satisfies the constraints; false if none was found
static bool close_loops(somewhere *w, arena *scratch, const int *order) {
    const mech_tree *t = w->t;
    int n = t->n, rows = t->model->rows.count;
    double *A = arena_doubles(scratch, (size_t)rows * (size_t)n + 1),
           *phi = arena_doubles(scratch, (size_t)rows + 1), *change = arena_doubles(scratch, (size_t)n + 1);
    for (int k = 0; k < NEWTON_MOST; k++) {
        arena *work = arena_child(scratch);
        double worst = 0;
        residuals(w, phi);
        evaluate(w, work, A);
        for (int r = 0; r < rows; r++)
            if (is_on_positions(t, r))
                worst = phi[r] == phi[r] ? fmax(worst, fabs(phi[r]) / size_of(w, work, r)) : INFINITY;
        if (worst > CLOSED && isfinite(worst))
            newton_step(w, work, order, A, phi, change);
        arena_free(work);
        if (worst <= CLOSED || !isfinite(worst))
            return worst <= CLOSED;
        advance(w, change);
    }
    return false;
}

static bool is_apart(const somewhere *w) {
    double sum = 0;
    for (int i = 0; i < w->t->n; i++) {
        double off = w->u[i] - w->t->model->position.at[i].value;
        sum += off * off;
    }
    return sqrt(sum) > APART;
}

static void mark_vanishing(somewhere *w, arena *scratch, bool *marked) {
    const mech_tree *t = w->t;
    int rows = t->model->rows.count;
    double *A = arena_doubles(scratch, (size_t)rows * (size_t)t->n + 1);
    go_to_start(w);
    evaluate(w, scratch, A);
    for (int r = 0; r < rows; r++)
        marked[r] &= norm(A + (size_t)r * (size_t)t->n, t->n) <= DEPENDS_CLOSED * size_of(w, scratch, r);
}

// those that vanish at the start, and depend on others at all of some positions that satisfy the constraints
static void look_closed(somewhere *w, arena *scratch, const int *order, bool *depends) {
    int found = 0;
    bool any = false;
    mark_vanishing(w, scratch, depends);
    for (int r = 0; r < w->t->model->rows.count; r++)
        any |= depends[r];
    if (!any)
        return;
    for (int k = 0; k < CLOSED_TRIES && found < TRIES; k++) {
        arena *work = arena_child(scratch);
        go_to_start(w);
        for (int i = 0; i < w->t->n; i++)
            w->u[i] += 0.2 * next(w);
        normalise(w);
        if (close_loops(w, work, order) && is_apart(w)) {
            look(w, work, order, DEPENDS_CLOSED, depends);
            found++;
        }
        arena_free(work);
    }
    for (int r = 0; r < w->t->model->rows.count && found < TRIES; r++)
        depends[r] = false;
}

static void drop(mech_tree *t, const bool *depends) {
    int kept = 0, rows = t->model->rows.count;
    for (int r = 0; r < rows; r++) {
        int full = t->full_row[r];
        t->row_of[full] = depends[r] ? -1 : kept;
        shape *s = &t->model->shapes.at[t->model->rows.at[r].shape];
        if (depends[r]) {
            s->count = 0;
            t->shapes.at[t->model->rows.at[r].shape].entries.count = 0;
            continue;
        }
        t->full_row[kept] = full;
        t->model->rows.at[kept] = t->model->rows.at[r];
        s->targets.at[0] = kept++;
    }
    t->model->rows.count = kept;
}

static bool vanishes(somewhere *w, arena *scratch, int row) {
    const mech_shape *d = derived_row(w->t, row);
    double sum = 0;
    for (int k = 0; k < d->entries.count; k++) {
        double a =
            d->entries.at[k].quantity == MECH_A ? expr_eval(w->t->pool, d->entries.at[k].e, get, w) : 0;
        sum += a * a;
    }
    return sqrt(sum) <= DEPENDS * size_of(w, scratch, row);
}

/* Of a slip with several components, one that no joint of the tree lets move is nothing but rounding, which
 * has no direction: it becomes 0. */
static void clear_slips(somewhere *w, arena *scratch) {
    const mech_tree *t = w->t;
    for (int r = 0; r < t->model->rows.count; r++) {
        bool none = t->model->constraints.at[t->model->rows.at[r].constraint].stick;
        for (int i = 0; none && i < TRIES; i++) {
            move(w);
            none = vanishes(w, scratch, r);
        }
        if (none)
            t->shapes.at[t->model->rows.at[r].shape].entries.count = 0;
    }
}

void tree_thin_rows(mech_tree *t) {
    int rows = t->model->rows.count;
    if (rows == 0)
        return;
    arena *scratch = arena_child(t->arena);
    bool *depends = arena_array(scratch, bool, rows + 1);
    somewhere w = {.t = t, .seed = 1};
    w.u = arena_doubles(scratch, (size_t)t->n + 1);
    w.s = arena_doubles(scratch, (size_t)t->n + 1);
    bool *closed = arena_array(scratch, bool, rows + 1);
    int *order = arena_array(scratch, int, rows + 1);
    for (int r = 0; r < rows; r++) {
        const mech_shape *d = derived_row(t, r);
        depends[r] = closed[r] = !d->damped && d->switch_count == 0 && always_holds(t, r);
    }
    order_rows(&w, scratch, order);
    for (int i = 0; i < TRIES; i++) {
        arena *work = arena_child(scratch);
        move(&w);
        look(&w, work, order, DEPENDS, depends);
        arena_free(work);
    }
    look_closed(&w, scratch, order, closed);
    for (int r = 0; r < rows; r++)
        depends[r] |= closed[r];
    drop(t, depends);
    clear_slips(&w, scratch);
    t->row_size = arena_doubles(t->arena, (size_t)rows + 1);
    go_to_start(&w);
    for (int r = 0; r < t->model->rows.count; r++)
        t->row_size[r] = size_of(&w, scratch, r);
    arena_free(scratch);
}
