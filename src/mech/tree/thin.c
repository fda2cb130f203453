/* Rows that others imply at every position. At positions and velocities taken at random the rows of A_s that
 * depend on others, or vanish beside the forces that they have on the bodies, do so everywhere, but for a
 * chance that counts for nothing; and then they say nothing new, or what no motion changes: their residuals
 * at the samples of a run tell that. Which of them are kept is decided at the start, where the constraints
 * hold: off them, rows may be independent that vanish on them. */
#include "mech/tree/tree_inside.h"

#include <math.h>
#include <string.h>

enum { TRIES = 3 };
static const double DEPENDS = 1e-9; // what is left of a row, as a part of it

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

static void move(somewhere *w) {
    const mech_tree *t = w->t;
    for (int i = 0; i < t->n; i++) {
        w->u[i] = next(w);
        w->s[i] = next(w);
    }
    w->time = next(w);
    for (int i = 0; i < t->links.count; i++) {
        double *p = w->u + t->links.at[i].turn, size = 0;
        for (int k = 0; t->links.at[i].ball && k < 4; k++)
            size += p[k] * p[k];
        for (int k = 0; t->links.at[i].ball && k < 4; k++)
            p[k] /= sqrt(size);
        if (t->links.at[i].ball)
            w->s[t->links.at[i].turn] = 0;
    }
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

// A_s (rows x n); entries that are not finite count as 0
static void evaluate(somewhere *w, arena *scratch, double *A) {
    const mech_tree *t = w->t;
    vec(expr) e = {0};
    vec(int) to = {0};
    for (int r = 0; r < t->model->rows.count; r++)
        for (int k = 0; k < derived_row(t, r)->entries.count; k++) {
            const mech_entry *entry = &derived_row(t, r)->entries.at[k];
            if (entry->quantity != MECH_A)
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
static bool is_new(double *A, int n, const int *order, int at, const bool *depends, double size) {
    double *row = A + (size_t)order[at] * (size_t)n;
    for (int again = 0; again < 2; again++)
        for (int k = 0; k < at; k++)
            if (!depends[order[k]])
                take_out(row, A + (size_t)order[k] * (size_t)n, n);
    double left = norm(row, n);
    for (int i = 0; left > DEPENDS * size && i < n; i++)
        row[i] /= left;
    return left > DEPENDS * size;
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

// at the start: the row of which most is left comes next
static void order_rows(somewhere *w, arena *scratch, int *order) {
    const mech_tree *t = w->t;
    int rows = t->model->rows.count, n = t->n;
    double *A = arena_doubles(scratch, (size_t)rows * (size_t)n + 1);
    double *size = arena_doubles(scratch, (size_t)rows + 1);
    for (int i = 0; i < n; i++) {
        w->u[i] = t->model->position.at[i].value;
        w->s[i] = t->model->velocity.at[i].value;
    }
    w->time = t->model->simulate.from;
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

static void look(somewhere *w, arena *scratch, const int *order, bool *depends) {
    const mech_tree *t = w->t;
    int rows = t->model->rows.count;
    double *A = arena_doubles(scratch, (size_t)rows * (size_t)t->n + 1);
    bool *here = arena_array(scratch, bool, rows + 1);
    move(w);
    evaluate(w, scratch, A);
    for (int k = 0; k < rows; k++) {
        int r = order[k];
        double own = norm(A + (size_t)r * (size_t)t->n, t->n);
        here[r] = !is_new(A, t->n, order, k, here, fmax(own, size_of(w, scratch, r)));
    }
    for (int r = 0; r < rows; r++)
        depends[r] &= here[r];
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

void tree_thin_rows(mech_tree *t) {
    int rows = t->model->rows.count;
    if (rows == 0)
        return;
    arena *scratch = arena_child(t->arena);
    bool *depends = arena_array(scratch, bool, rows + 1);
    somewhere w = {.t = t, .seed = 1};
    w.u = arena_doubles(scratch, (size_t)t->n + 1);
    w.s = arena_doubles(scratch, (size_t)t->n + 1);
    for (int r = 0; r < rows; r++) {
        const mech_shape *d = derived_row(t, r);
        depends[r] = !d->damped && d->switch_count == 0;
    }
    int *order = arena_array(scratch, int, rows + 1);
    order_rows(&w, scratch, order);
    for (int i = 0; i < TRIES; i++) {
        arena *work = arena_child(scratch);
        look(&w, work, order, depends);
        arena_free(work);
    }
    drop(t, depends);
    arena_free(scratch);
}
