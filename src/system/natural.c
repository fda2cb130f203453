#include "system/natural.h"

#include "base/map.h"
#include "mech/tree/tree.h"
#include "system/element.h"

#include <math.h>
#include <string.h>

/* Entries of a row below this part of its largest are rounding: they join nothing. */
static const double JOINS = 1e-12;
/* Sweeps over the rows, and the change of a logarithm at which they end: scales are rounded to powers of 2.
 */
enum { SWEEPS_MOST = 300 };
static const double SETTLED = 1e-3;
/* Parts of the span: in so long a time the motion shows what lengths it has. A typed value, often a small
 * disturbance, counts no less than this part of that. */
static const double SPAN_PART = 0.01, MOTION_LEAST = 1e-3;

typedef struct {
    arena *scratch;
    const trm_system *sys;
    expr_pool *pool;
    const double *M, *Q, *A; // at the start
    double *stated;          // (n) or 0
    double *argument;        // (n) least 1/|k|, or 0
    bool *vanishes;          // (entries of A) but for rounding: L cos(phi) where phi is pi/2
    int *class;              // (n) of coordinates with one scale: one of its members
    bool *known;             // (n) by class: its scale is
    bool *timed;             // (n) time stands in its force
    double *value;           // (n) by class: logarithm of its scale
    natural *out;
} finding;

// ---- numbers at the start

static double some_value(int index) { // no two alike, none zero
    return 0.6 + 0.3 * sin(1.0 + 2.7 * index);
}

static double constant(void *context, sym_kind kind, int index) {
    const element *at = context;
    if (kind == SYM_PARAM)
        return at->sys->model->params.at[index].value;
    return kind == SYM_NUMBER ? element_number(at, index) : some_value(index);
}

static double magnitude(double x) {
    return isfinite(x) ? fabs(x) : 0;
}

static double mass_at(const finding *f, int j) {
    return magnitude(row_entry(f->sys->M, f->M, j, j));
}

static double typed(const finding *f, int j) {
    return fabs(f->sys->model->position.at[j].value);
}

static double typed_rate(const finding *f, int j) {
    return fabs(f->sys->model->velocity.at[j].value);
}

// ---- arguments of sin, cos, tan

static const unsigned CONSTANTS = 1u << SYM_PARAM | 1u << SYM_NUMBER;

static void note_slope(finding *f, element at, int slot, expr slope) {
    bool same = !expr_has(f->pool, slope, SYM_NUMBER); // for all instances
    double k = 0;
    for (at.instance = 0; at.instance < at.shape->count; at.instance++) {
        if (at.instance == 0 || !same)
            k = fabs(expr_eval(f->pool, slope, constant, &at));
        double *least = &f->argument[element_coordinate(&at, slot)];
        if (k > 0 && isfinite(k) && (*least == 0 || 1 / k < *least))
            *least = 1 / k;
    }
}

static void note_if_constant(finding *f, element at, int slot, expr slope) {
    if (slope && !expr_is_number(f->pool, slope, 0) && !(expr_kinds(f->pool, slope) & ~CONSTANTS))
        note_slope(f, at, slot, slope);
}

// by the coordinates that are in it: many arguments of few, as in a long sum, must not cost their square
static void note_argument(finding *f, element at, expr u) {
    enum { FEW = 8 };
    arena *work = arena_child(f->scratch);
    expr *order;
    vec(int) slots = {0};
    int count = expr_order(f->pool, &u, 1, work, &order);
    for (int i = 0; i < count; i++)
        if (expr_op(f->pool, order[i]) == OP_SYMBOL && expr_kind(f->pool, order[i]) == SYM_P)
            vec_push(work, slots, expr_index(f->pool, order[i]));
    expr *slopes[SYM_KINDS] = {0};
    if (slots.count > FEW) {
        slopes[SYM_P] = arena_array(work, expr, at.shape->slot_count);
        expr_gradient(f->pool, u, at.shape->slot_count, slopes);
    }
    for (int i = 0; i < slots.count; i++)
        note_if_constant(f, at, slots.at[i],
                         slopes[SYM_P] ? slopes[SYM_P][slots.at[i]]
                                       : expr_diff(f->pool, u, SYM_P, slots.at[i]));
    arena_free(work);
}

static bool in_dynamics(mech_quantity q) {
    return q == MECH_M || q == MECH_Q || q == MECH_A || q == MECH_B || q == MECH_C || q == MECH_Q_ON_FORCES ||
           q == MECH_POSITION;
}

static void note_arguments(finding *f, element at) {
    vec(expr) roots = {0};
    expr *order;
    for (int i = 0; i < at.derived->entries.count; i++) {
        const mech_entry *e = &at.derived->entries.at[i];
        if (in_dynamics(e->quantity) && expr_has(f->pool, e->e, SYM_P))
            vec_push(f->scratch, roots, e->e);
    }
    int count = roots.count ? expr_order(f->pool, roots.at, roots.count, f->scratch, &order) : 0;
    for (int i = 0; i < count; i++) {
        op_code op = expr_op(f->pool, order[i]);
        expr u = op == OP_SIN || op == OP_COS || op == OP_TAN ? expr_arg(f->pool, order[i], 0) : EXPR_NONE;
        if (u && expr_has(f->pool, u, SYM_P))
            note_argument(f, at, u);
    }
}

// ---- entries that vanish at the start

typedef struct {
    const finding *f;
    element at;
} elsewhere;

// values with all angles turned
static double turned(void *context, sym_kind kind, int index) {
    elsewhere *p = context;
    if (kind != SYM_P)
        return constant(&p->at, kind, index);
    int j = element_coordinate(&p->at, index);
    double unit = p->f->argument[j];
    return unit > 0 ? unit * some_value(index) : p->f->sys->model->position.at[j].value;
}

static bool has_angle(const finding *f, const element *at) {
    for (int slot = 0; slot < at->shape->slot_count; slot++)
        if (f->argument[element_coordinate(at, slot)] > 0)
            return true;
    return false;
}

static void note_vanishing(finding *f, element at) {
    for (int k = 0; k < at.derived->entries.count; k++) {
        const mech_entry *e = &at.derived->entries.at[k];
        if (e->quantity != MECH_A || !expr_has(f->pool, e->e, SYM_P))
            continue;
        for (at.instance = 0; at.instance < at.shape->count; at.instance++) {
            int entry = sparsity_find(f->sys->A, element_target(&at), element_coordinate(&at, e->i));
            elsewhere there = {f, at};
            if (has_angle(f, &at))
                f->vanishes[entry] =
                    magnitude(f->A[entry]) <= JOINS * magnitude(expr_eval(f->pool, e->e, turned, &there));
        }
    }
}

// ---- classes

static int class_of(finding *f, int j) {
    while (f->class[j] != j)
        j = f->class[j] = f->class[f->class[j]];
    return j;
}

static void unite(finding *f, int i, int j) {
    int a = class_of(f, i), b = class_of(f, j);
    f->class[a < b ? b : a] = a < b ? a : b;
}

// what tells apart coordinates of one mass: their scale is known by itself
static uint64_t own_kind(const finding *f, int j) {
    uint64_t bits;
    memcpy(&bits, &f->stated[j], sizeof bits);
    if (f->stated[j] > 0)
        return bits;
    return f->out->why[j] == SCALE_QUATERNION ? 2 : f->argument[j] > 0;
}

// coordinates whose mass is the same, as expressions and in its value
static void unite_masses(finding *f) {
    int n = f->sys->n;
    uint64_t *key = arena_array(f->scratch, uint64_t, n + 1);
    map first;
    map_init(&first, f->scratch);
    for (int i = 0; i < f->sys->model->shapes.count; i++) {
        element at = element_of(f->sys, STAGE_DYNAMICS, i);
        for (int k = 0; k < at.derived->entries.count; k++) {
            const mech_entry *e = &at.derived->entries.at[k];
            for (at.instance = 0; e->quantity == MECH_M && at.instance < at.shape->count; at.instance++) {
                int j = element_coordinate(&at, e->i);
                if (j == element_coordinate(&at, e->j))
                    key[j] += map_mix(map_mix(1, (uint64_t)i), (uint64_t)e->e);
            }
        }
    }
    for (int j = 0; j < n; j++) {
        double mass = mass_at(f, j);
        uint64_t bits;
        if (key[j] == 0)
            continue;
        memcpy(&bits, &mass, sizeof bits);
        uint64_t whole = map_mix(map_mix(key[j], bits), own_kind(f, j));
        int other = map_get(&first, whole);
        if (other < 0)
            map_put(&first, whole, j);
        else
            unite(f, other, j);
    }
}

// slots i of a row whose derivative is c q_i with one factor c for all: its coordinates are those of a norm
static void unite_norms(finding *f, element at) {
    static const double SAME = 1e-9;
    int first = -1;
    double factor = 0;
    for (int k = 0; k < at.derived->entries.count; k++) {
        const mech_entry *e = &at.derived->entries.at[k];
        if (e->quantity != MECH_A || !expr_has(f->pool, e->e, SYM_P))
            continue;
        double c = expr_eval(f->pool, e->e, constant, &at) / some_value(e->i);
        if (first >= 0 && fabs(c - factor) <= SAME * fabs(factor))
            for (at.instance = 0; at.instance < at.shape->count; at.instance++) {
                int i = element_coordinate(&at, first), j = element_coordinate(&at, e->i);
                if (own_kind(f, i) == own_kind(f, j))
                    unite(f, i, j);
            }
        at.instance = 0;
        if (first < 0) {
            first = e->i;
            factor = c;
        }
    }
}

static void find_classes(finding *f) {
    for (int j = 0; j < f->sys->n; j++)
        f->class[j] = j;
    unite_masses(f);
    for (int i = 0; i < f->sys->model->shapes.count; i++)
        if (f->sys->model->shapes.at[i].kind == SHAPE_ROW && f->sys->model->shapes.at[i].count)
            unite_norms(f, element_of(f->sys, STAGE_DYNAMICS, i));
    for (int j = 0; j < f->sys->n; j++)
        f->class[j] = class_of(f, j);
}

// ---- what is known of a coordinate by itself

static void know(finding *f, int j, double scale, scale_reason why) {
    int c = f->class[j];
    f->value[c] = f->known[c] ? fmax(f->value[c], log(scale)) : log(scale);
    f->known[c] = true;
    f->out->why[c] = why;
}

static void find_known(finding *f) {
    for (int j = 0; j < f->sys->n; j++) {
        if (f->stated[j] > 0)
            know(f, j, f->stated[j], SCALE_STATED);
        else if (f->out->why[j] == SCALE_QUATERNION)
            know(f, j, 1, SCALE_QUATERNION);
        else if (f->argument[j] > 0)
            know(f, j, f->argument[j], SCALE_ARGUMENT);
    }
}

// ---- over rows

typedef struct {
    int row, class;
    double length; // logarithm of the largest entry of this class
} joined;

typedef vec(joined) joints_of_rows;

// the classes that row i joins, behind the others; none if it is only one
static void list_row(finding *f, int i, int *seen, joints_of_rows *all) {
    sparsity A = f->sys->A;
    int begin = all->count;
    double top = 0;
    for (int e = A.start[i]; e < A.start[i + 1]; e++)
        top = fmax(top, magnitude(f->A[e]));
    for (int e = A.start[i]; e < A.start[i + 1]; e++) {
        double entry = f->vanishes[e] ? 0 : magnitude(f->A[e]);
        int c = f->class[A.to[e]];
        if (!(entry > JOINS * top))
            continue;
        if (seen[c] <= begin) {
            vec_push(f->scratch, *all, ((joined){i, c, log(entry)}));
            seen[c] = all->count;
        } else {
            joined *at = &all->at[seen[c] - 1];
            at->length = fmax(at->length, log(entry));
        }
    }
    if (all->count == begin + 1) {
        seen[all->at[begin].class] = 0;
        all->count = begin;
    }
}

// one more step towards |A_ij| s_j equal in every row; how far it went
static double sweep(finding *f, const joints_of_rows *all, double *sum, int *count) {
    double moved = 0;
    size_t n = (size_t)f->sys->n;
    memset(sum, 0, n * sizeof *sum);
    memset(count, 0, n * sizeof *count);
    for (int i = 0, end; i < all->count; i = end) {
        double total = 0;
        for (end = i; end < all->count && all->at[end].row == all->at[i].row; end++)
            total += all->at[end].length + f->value[all->at[end].class];
        for (int k = i; k < end; k++) {
            sum[all->at[k].class] += total / (end - i) - all->at[k].length;
            count[all->at[k].class]++;
        }
    }
    for (size_t c = 0; c < n; c++)
        if (!f->known[c] && count[c]) {
            moved = fmax(moved, fabs(sum[c] / count[c] - f->value[c]));
            f->value[c] = sum[c] / count[c];
        }
    return moved;
}

// ---- what rows join: the parts of the system that have one size

static int part_of(int *part, int c) {
    while (part[c] != c)
        c = part[c] = part[part[c]];
    return c;
}

static int *find_parts(finding *f, const joints_of_rows *all) {
    int n = f->sys->n, *part = arena_array(f->scratch, int, n + 1);
    for (int c = 0; c < n; c++)
        part[c] = c;
    for (int k = 1; k < all->count; k++)
        if (all->at[k].row == all->at[k - 1].row) {
            int a = part_of(part, all->at[k].class), b = part_of(part, all->at[k - 1].class);
            part[a < b ? b : a] = a < b ? a : b;
        }
    for (int c = 0; c < n; c++)
        part[c] = part_of(part, c);
    return part;
}

static double run_time(const finding *f) {
    return f->sys->span > 0 ? SPAN_PART * f->sys->span : 1;
}

// how large the motion makes coordinate j; a force that changes with time may be anything later
static double moved_by(const finding *f, int j) {
    double T = run_time(f), mass = mass_at(f, j);
    bool tells = mass > 0 && !f->timed[j];
    return fmax(typed_rate(f, j) * T, tells ? magnitude(f->Q[j]) / mass * T * T : 0);
}

static void find_timed(finding *f) {
    for (int i = 0; i < f->sys->model->shapes.count; i++) {
        element at = element_of(f->sys, STAGE_DYNAMICS, i);
        for (int k = 0; k < at.derived->entries.count; k++) {
            const mech_entry *e = &at.derived->entries.at[k];
            if (e->quantity != MECH_Q || !expr_has(f->pool, e->e, SYM_TIME))
                continue;
            for (at.instance = 0; at.instance < at.shape->count; at.instance++)
                f->timed[element_coordinate(&at, e->i)] = true;
        }
    }
}

// parts in which nothing is known: by typed values, or by their motion
static void anchor(finding *f, const int *part) {
    int n = f->sys->n;
    bool *known = arena_array(f->scratch, bool, n + 1);
    double *largest = arena_doubles(f->scratch, (size_t)n + 1),
           *moved = arena_doubles(f->scratch, (size_t)n + 1);
    for (int j = 0; j < n; j++) {
        int c = f->class[j], p = part[c];
        known[p] |= f->known[c];
        largest[p] = fmax(largest[p], typed(f, j) / exp(f->value[c]));
        moved[p] = fmax(moved[p], moved_by(f, j) / exp(f->value[c]));
    }
    for (int c = 0; c < n; c++) {
        int p = part[c];
        if (f->class[c] != c || f->known[c])
            continue;
        bool is_typed = largest[p] > MOTION_LEAST * moved[p];
        double size = is_typed ? largest[p] : largest[p] > 0 ? MOTION_LEAST * moved[p] : moved[p];
        if (known[p])
            f->out->why[c] = SCALE_ROW;
        else if (size > 0)
            f->value[c] += log(size);
        if (!known[p])
            f->out->why[c] = is_typed ? SCALE_TYPED : size > 0 ? SCALE_MOTION : SCALE_UNKNOWN;
    }
}

// ---- all

static double power_of_two(double logarithm) {
    static const double MOST = 300; // its square is a number, too
    double exponent = logarithm / log(2);
    return isfinite(exponent) ? ldexp(1, (int)lround(fmin(fmax(exponent, -MOST), MOST))) : 1;
}

static void find_rate(finding *f) {
    natural *u = f->out;
    double inertia = 0, work = 0, twice_energy = 0;
    for (int j = 0; j < f->sys->n; j++) {
        double mass = mass_at(f, j), v = typed_rate(f, j);
        inertia += mass * u->scale[j] * u->scale[j];
        work += f->timed[j] ? 0 : magnitude(f->Q[j]) * u->scale[j];
        twice_energy += mass * v * v;
    }
    double square = fmax(work, twice_energy) / inertia;
    bool tells = square > 0 && isfinite(square);
    u->timed = f->sys->model->simulate.time_scale > 0 ? SCALE_STATED : tells ? SCALE_MOTION : SCALE_UNKNOWN;
    u->rate = power_of_two(u->timed == SCALE_STATED ? -log(f->sys->model->simulate.time_scale)
                           : tells                  ? log(square) / 2
                                                    : -log(run_time(f)));
}

static void take_scales(finding *f) {
    natural *u = f->out;
    for (int j = f->sys->n - 1; j >= 0; j--) { // a class has its least member for a number
        int c = f->class[j];
        u->scale[j] = power_of_two(f->value[c]);
        u->why[j] = u->why[c];
        u->row[j] = u->row[c];
    }
}

// by the vote of pairs: right if one of them has more than half
static double usual_scale(const natural *u, int n) {
    double usual = 1;
    for (int j = 0, votes = 0; j < n; j++) {
        if (votes == 0)
            usual = u->scale[j];
        votes += u->scale[j] == usual ? 1 : -1;
    }
    return usual;
}

static void find_units(arena *a, natural *u, int n) {
    double usual = usual_scale(u, n);
    bool alike = true;
    for (int j = 0; j < n; j++)
        alike &= u->scale[j] == usual;
    u->units = alike ? NULL : arena_doubles(a, (size_t)n);
    for (int j = 0; j < n && !alike; j++)
        u->units[j] = u->scale[j] / usual;
}

static finding begin(arena *a, const trm_system *sys, expr_pool *pool, const double *y) {
    arena *scratch = arena_child(a);
    finding f = {
        .scratch = scratch, .sys = sys, .pool = pool, .M = y, .Q = y + sys->Q_at, .A = y + sys->A_at};
    size_t n = (size_t)sys->n + 1;
    f.stated = arena_doubles(scratch, n);
    f.argument = arena_doubles(scratch, n);
    f.vanishes = arena_array(scratch, bool, (size_t)sparsity_entries(sys->A) + 1);
    f.class = arena_array(scratch, int, n);
    f.known = arena_array(scratch, bool, n);
    f.timed = arena_array(scratch, bool, n);
    f.value = arena_doubles(scratch, n);
    f.out = arena_alloc(a, sizeof *f.out);
    f.out->scale = arena_doubles(a, n);
    f.out->why = arena_array(a, scale_reason, n);
    f.out->row = arena_array(a, int, n);
    for (int i = 0; i < sys->model->scales.count; i++)
        f.stated[sys->model->scales.at[i].coordinate] = sys->model->scales.at[i].value;
    for (int j = 0; j < sys->n; j++)
        f.out->why[j] = SCALE_UNKNOWN;
    for (int i = 0; i < sys->model->quaternions.count; i++)
        for (int k = 0; k < 4; k++)
            f.out->why[sys->model->quaternions.at[i] + k] = SCALE_QUATERNION;
    return f;
}

const natural *natural_find(arena *a, const trm_system *sys, expr_pool *pool, const double *y) {
    finding f = begin(a, sys, pool, y);
    int pool_before = expr_pool_size(pool);
    for (int i = 0; i < sys->model->shapes.count; i++)
        if (sys->model->shapes.at[i].count)
            note_arguments(&f, element_of(sys, STAGE_DYNAMICS, i));
    for (int i = 0; i < sys->model->shapes.count; i++)
        if (sys->model->shapes.at[i].count && sys->model->shapes.at[i].kind == SHAPE_ROW)
            note_vanishing(&f, element_of(sys, STAGE_DYNAMICS, i));
    find_classes(&f);
    find_known(&f);
    expr_pool_truncate(pool, pool_before);
    joints_of_rows all = {0};
    int *seen = arena_array(f.scratch, int, sys->n + 1);
    for (int i = 0; i < sys->m; i++)
        list_row(&f, i, seen, &all);
    for (int k = 0; k < all.count; k++)
        f.out->row[all.at[k].class] = all.at[k].row;
    double *sum = arena_doubles(f.scratch, (size_t)sys->n + 1);
    for (int k = 0; k < SWEEPS_MOST && sweep(&f, &all, sum, seen) > SETTLED; k++)
        ;
    find_timed(&f);
    anchor(&f, find_parts(&f, &all));
    take_scales(&f);
    find_rate(&f);
    find_units(a, f.out, sys->n);
    arena_free(f.scratch);
    return f.out;
}

const natural *natural_of_tree(arena *a, const trm_system *sys) {
    const mech_tree *tree = sys->mech->tree;
    const natural *full = sys->full->natural;
    natural *out = arena_alloc(a, sizeof *out);
    out->scale = arena_doubles(a, (size_t)sys->n + 1);
    out->why = arena_array(a, scale_reason, sys->n + 1);
    out->row = arena_array(a, int, sys->n + 1);
    out->rate = full->rate;
    out->timed = full->timed;
    for (int j = 0; j < sys->n; j++) {
        out->scale[j] = 1;
        out->why[j] = SCALE_ARGUMENT;
    }
    for (int i = 0; i < tree->links.count; i++) {
        const tree_link *l = &tree->links.at[i];
        for (int k = 0; k < l->slides; k++)
            out->scale[l->first + k] = full->scale[l->body->position + (l->joint ? 0 : k)];
    }
    for (int j = 0; j < sys->full->n; j++)
        if (tree->plain[j] >= 0)
            out->scale[tree->plain[j]] = full->scale[j];
    find_units(a, out, sys->n);
    return out;
}

// ---- in these units

double natural_length(const trm_system *sys, sparsity pattern, const double *A, int row) {
    const double *units = sys->natural->units;
    double largest = 0, sum = 0;
    if (units == NULL)
        return row_norm(pattern, A, row);
    for (int e = pattern.start[row]; e < pattern.start[row + 1]; e++)
        largest = fmax(largest, fabs(A[e] * units[pattern.to[e]]));
    if (!(largest > 0) || !isfinite(largest))
        return largest;
    for (int e = pattern.start[row]; e < pattern.start[row + 1]; e++) {
        double part = A[e] * units[pattern.to[e]] / largest;
        sum += part * part;
    }
    return largest * sqrt(sum);
}

const double *natural_rows(arena *a, const trm_system *sys, sparsity pattern, const double *A) {
    const double *units = sys->natural->units;
    if (units == NULL)
        return A;
    double *out = arena_doubles(a, (size_t)sparsity_entries(pattern) + 1);
    for (int e = 0; e < sparsity_entries(pattern); e++)
        out[e] = A[e] * units[pattern.to[e]];
    return out;
}

/* A row of a tree form may be short where that of the bodies' form is not: it is allowed what a row may be
 * that moves by its size where a coordinate of the scale 1 does. */
double natural_least(const trm_system *sys, const int *rows, int row, bool velocity) {
    const mech_tree *tree = sys->mech->tree;
    return tree ? tree->row_size[rows ? rows[row] : row] * (velocity ? sys->natural->rate : 1) : 0;
}

static const int *rows_of(const trm_system *sys, sparsity pattern) {
    return pattern.start == sys->A.start            ? NULL
           : pattern.start == sys->position.A.start ? sys->position.rows
           : pattern.start == sys->velocity.A.start ? sys->velocity.rows
                                                    : NULL;
}

void natural_allowances(const trm_system *sys, sparsity pattern, const double *A, int from, int to,
                        const double *x, bool velocity, double *out) {
    const double *scale = sys->natural->scale, rate = velocity ? sys->natural->rate : 1;
    const int *rows = rows_of(sys, pattern);
    for (int i = from; i < to; i++) {
        double sum = 0, least = natural_least(sys, rows, i, velocity);
        for (int e = pattern.start[i]; e < pattern.start[i + 1]; e++) {
            int j = pattern.to[e];
            sum += fabs(A[e]) * (scale[j] * rate + (x ? fabs(x[j]) : 0));
        }
        out[i - from] = sum > least ? sum : least; // also if it is no number
    }
}

double natural_allowance(const trm_system *sys, sparsity pattern, const double *A, int row, const double *x,
                         bool velocity) {
    double out;
    natural_allowances(sys, pattern, A, row, row + 1, x, velocity, &out);
    return out;
}

double natural_norm(const trm_system *sys, const double *x, bool velocity) {
    double sum = 0;
    for (int i = 0; i < sys->n; i++) {
        double part = x[i] / natural_size(sys->natural, i, velocity);
        sum += part * part;
    }
    return sqrt(sum);
}

double natural_speed(const trm_system *sys, const double *v) {
    return sys->natural->rate * fmax(natural_norm(sys, v, true), 1);
}
