/* States that have names: x = T d with d the independent deviations,
 *
 *     A := T A T^-1,   B := T B,   C := C T^-1.
 *
 * T goes along with a steady motion. Where there is none it changes on the way, and A = R T^-1 with R the
 * slopes of the rates of x: of angles' rates, of second rates, of accelerations.
 *
 * Angles and displacements of joints first, then coordinates, then turns of bodies, as many as are well
 * independent. */
#include "study/response_inside.h"

#include "linear/lapack.h"
#include "linear/linalg.h"

#include <math.h>
#include <string.h>

/* A way to tell positions: a coordinate, an output that is an angle or displacement of a joint, a turn of a
 * body. */
typedef struct {
    const char *name;
    int coordinate, output, quaternion; // one of them is not -1
    int axis;
} teller;

typedef vec(teller) tellers;

static const char *label_text(making *k, label l) {
    text t;
    text_init(&t, k->arena);
    model_label(k->p->sys->model, l, &t);
    return text_string(&t);
}

static bool same_word(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static int rate_of(const model *m, int output) {
    const label *l = &m->outputs.at[output];
    for (int i = 0; i < m->outputs.count; i++) {
        const label *o = &m->outputs.at[i];
        if (o->freedom && o->rate && o->name == l->name && o->indexed == l->indexed && o->index == l->index &&
            same_word(o->call, l->call) && same_word(o->part, l->part))
            return i;
    }
    return -1;
}

static bool in_quaternion(const model *m, int i) {
    for (int k = 0; k < m->quaternions.count; k++)
        if (i >= m->quaternions.at[k] && i < m->quaternions.at[k] + 4)
            return true;
    return false;
}

// those of joints first, then coordinates, then turns
static tellers list_tellers(making *k) {
    const model *m = k->p->sys->model;
    tellers list = {0};
    for (int i = 0; i < m->outputs.count; i++)
        if (m->outputs.at[i].freedom && !m->outputs.at[i].rate && rate_of(m, i) >= 0) {
            teller t = {label_text(k, m->outputs.at[i]), -1, i, -1, 0};
            vec_push(k->arena, list, t);
        }
    for (int i = 0; i < k->n; i++)
        if (!in_quaternion(m, i)) {
            teller t = {label_text(k, m->coords.at[i]), i, -1, -1, 0};
            vec_push(k->arena, list, t);
        }
    for (int i = 0; i < 3 * m->quaternions.count; i++) {
        label body = m->coords.at[m->quaternions.at[i / 3]];
        body.part = NULL;
        teller t = {arena_print(k->arena, "turn(%s).%c", label_text(k, body), "xyz"[i % 3]), -1, -1,
                    m->quaternions.at[i / 3], i % 3};
        vec_push(k->arena, list, t);
    }
    return list;
}

// component of 2 x o conj(p)
static double turn(const double *x, const double *p, int axis) {
    int u = 1 + (axis + 1) % 3, v = 1 + (axis + 2) % 3;
    return 2 * (x[1 + axis] * p[0] - x[0] * p[1 + axis] - x[u] * p[v] + x[v] * p[u]);
}

// how it changes along deviation j, or how its rate does
static double tell(making *k, const teller *t, int j, bool rate) {
    const double *dz = k->dz + (size_t)j * 2 * (size_t)k->n, *dv = dz + k->n, *q = k->p->q, *v = k->p->v;
    double per = j < k->size ? k->unit[j] : 1;
    if (t->coordinate >= 0)
        return (rate ? dv : dz)[t->coordinate] / per;
    if (t->output >= 0) {
        int output = rate ? rate_of(k->p->sys->model, t->output) : t->output;
        return k->dy[(size_t)j * (size_t)k->values + (size_t)(k->n + output)] / per;
    }
    int p = t->quaternion;
    return (rate ? turn(dv + p, q + p, t->axis) + turn(v + p, dz + p, t->axis)
                 : turn(dz + p, q + p, t->axis)) /
           per;
}

static int second_rate_of(making *k, const teller *t) {
    const model *m = k->p->sys->model;
    const char *hidden = arena_print(k->arena, " %s''", t->name);
    for (int i = 0; i < m->outputs.count; i++)
        if (strcmp(names_text(m->names, m->outputs.at[i].name), hidden) == 0)
            return i;
    return -1;
}

// the rate of what is told: the rate of tell(...) while the deviation moves along
static double tell_rate(making *k, const teller *t, int j, bool rate) {
    const double *dz = k->dz + (size_t)j * 2 * (size_t)k->n, *dv = dz + k->n,
                 *dy = k->dy + (size_t)j * (size_t)k->values, *q = k->p->q, *v = k->p->v;
    double per = j < k->size ? k->unit[j] : 1;
    int p = t->quaternion;
    if (p < 0 && !rate)
        return tell(k, t, j, true);
    if (p < 0)
        return dy[t->coordinate >= 0 ? t->coordinate : k->n + second_rate_of(k, t)] / per;
    return (rate ? turn(dy + p, q + p, t->axis) + turn(k->acceleration + p, dz + p, t->axis)
                 : turn(dv + p, q + p, t->axis) + turn(dz + p, v + p, t->axis)) /
           per;
}

// what is left of a teller's row, at unit length, beside the rows that are kept already (found x count)
static double left_of(making *k, const teller *t, int first, int count, bool rate, const double *kept,
                      int found, double *left) {
    for (int j = 0; j < count; j++)
        left[j] = tell(k, t, first + j, rate) * k->unit[first + j];
    double length = linalg_norm(left, count);
    for (int twice = 0; twice < 2; twice++)
        for (int b = 0; b < found; b++)
            linalg_add(left, -linalg_dot(left, kept + (size_t)b * (size_t)count, count),
                       kept + (size_t)b * (size_t)count, count);
    double rest = linalg_norm(left, count);
    linalg_scale(left, rest > 0 ? 1 / rest : 0, count);
    return length > 0 ? rest / length : 0;
}

/* Which tellers tell `count` deviations from `first` on. Little of an angle is better than much of a
 * coordinate: the names are then the same in every position. */
static bool *choose_tellers(making *k, const tellers *list, int first, int count, bool rate) {
    static const struct {
        bool joints; // only
        double least;
    } PASS[] = {{true, 0.3}, {true, 0.01}, {false, 0.3}, {false, 1e-6}};
    double *kept = arena_doubles(k->arena, (size_t)(count * count) + 1);
    bool *used = arena_array(k->arena, bool, list->count + 1);
    int found = 0;
    for (size_t pass = 0; pass < sizeof PASS / sizeof *PASS; pass++)
        for (int i = 0; i < list->count && found < count; i++) {
            if (used[i] || (PASS[pass].joints && list->at[i].output < 0))
                continue;
            double *left = kept + (size_t)found * (size_t)count;
            if (left_of(k, &list->at[i], first, count, rate, kept, found, left) > PASS[pass].least) {
                used[i] = true;
                found++;
            }
        }
    return found == count ? used : NULL;
}

// Rows of T and R (all x all) for these deviations, and the names of the states, in the order of the list
static bool choose_names(making *k, const tellers *list, int first, int count, bool rate, double *T,
                         double *R) {
    const bool *used = choose_tellers(k, list, first, count, rate);
    int next = first;
    for (int i = 0; used && i < list->count; i++) {
        if (!used[i])
            continue;
        for (int j = 0; j < k->all; j++) {
            T[(size_t)next * (size_t)k->all + (size_t)j] = tell(k, &list->at[i], j, rate);
            R[(size_t)next * (size_t)k->all + (size_t)j] = tell_rate(k, &list->at[i], j, rate);
        }
        k->r->state_names[next++] = rate ? arena_print(k->arena, "%s'", list->at[i].name) : list->at[i].name;
    }
    return used != NULL;
}

// X (rows x all) := X T^-1
static bool divide(making *k, double *X, int rows, const double *T) {
    size_t all = (size_t)k->all;
    arena *a = arena_child(k->arena);
    double *K = arena_doubles(a, all * all + 1), *Y = arena_doubles(a, all * (size_t)rows + 1);
    for (size_t i = 0; i < all; i++)
        for (size_t j = 0; j < all; j++)
            K[i * all + j] = T[j * all + i];
    for (size_t i = 0; i < (size_t)rows; i++)
        for (size_t j = 0; j < all; j++)
            Y[j * (size_t)rows + i] = X[i * all + j];
    bool done = lapack_solve(k->all, rows, K, Y, arena_array(a, int, k->all + 1),
                             arena_doubles(a, lapack_scratch(k->all > rows ? k->all : rows)));
    for (size_t i = 0; i < (size_t)rows; i++)
        for (size_t j = 0; j < all; j++)
            X[i * all + j] = Y[j * (size_t)rows + i];
    arena_free(a);
    return done;
}

// X (all x columns) := T X, what differences leave of nothing left out
static void multiply(making *k, const double *T, double *X, int columns) {
    static const double NOTHING = 1e-10; // beside the largest of the products
    size_t all = (size_t)k->all;
    double *Y = arena_doubles(k->arena, all * (size_t)columns + 1);
    for (size_t i = 0; i < all; i++)
        for (size_t j = 0; j < (size_t)columns; j++) {
            double sum = 0, size = 0;
            for (size_t l = 0; l < all; l++) {
                double part = T[i * all + l] * X[l * (size_t)columns + j];
                sum += part;
                size = fmax(size, fabs(part));
            }
            Y[i * (size_t)columns + j] = fabs(sum) > NOTHING * size ? sum : 0;
        }
    memcpy(X, Y, all * (size_t)columns * sizeof *X);
}

/* Entries that differences leave where there are none, in a row whose columns have the natural sizes of
 * states. */
static void clear_rows(double *X, int rows, int columns, const double *size) {
    static const double LEFT = 1e-11;
    for (double *row = X; row < X + (size_t)rows * (size_t)columns; row += columns) {
        double most = 0;
        for (int j = 0; j < columns; j++)
            most = fmax(most, fabs(row[j]) * size[j]);
        for (int j = 0; j < columns; j++)
            row[j] = fabs(row[j]) * size[j] > LEFT * most ? row[j] : 0;
    }
}

// the same names in every position: not those of the coordinates that tell it best
bool response_needs_names(const making *k) {
    const model *m = k->p->sys->model;
    bool joints = false;
    for (int i = 0; i < m->outputs.count; i++)
        joints |= m->outputs.at[i].freedom && rate_of(m, i) >= 0;
    for (int i = 0; i < k->size && !joints; i++)
        joints |= in_quaternion(m, chart_place(&k->chart, i) % k->n);
    return joints;
}

static void plain_names(making *k) {
    const model *m = k->p->sys->model;
    for (int i = 0; i < k->size; i++) {
        int where = chart_place(&k->chart, i);
        k->r->state_names[i] = arena_print(k->arena, "%s%s", model_coord_name(m, where % k->n, k->arena),
                                           where < k->n ? "" : "'");
    }
}

bool response_name_states(making *k) {
    size_t all = (size_t)k->all;
    int p = k->chart.q->count;
    if (!response_needs_names(k)) {
        plain_names(k);
        return true;
    }
    double *T = k->r->T = arena_doubles(k->arena, all * all + 1), *R = arena_doubles(k->arena, all * all + 1);
    k->r->plain = arena_doubles(k->arena, all * all + 1);
    memcpy(k->r->plain, k->r->A, all * all * sizeof *R);
    k->r->unit = k->unit;
    tellers list = list_tellers(k);
    if (!choose_names(k, &list, 0, p, false, T, R) || !choose_names(k, &list, p, k->size - p, true, T, R))
        return response_fail(k, "no coordinates with names tell this state", "is it a singular position?");
    for (int i = k->size; i < k->all; i++)
        T[(size_t)i * all + (size_t)i] = 1;
    if (k->p->steady)
        multiply(k, T, k->r->A, k->all);
    else
        memcpy(k->r->A, R, (size_t)k->size * all * sizeof *R); // those of drives are as they are
    multiply(k, T, k->r->B, k->r->inputs);
    if (!divide(k, k->r->A, k->all, T) || !divide(k, k->r->C, k->r->outputs, T))
        return response_fail(k, "no coordinates with names tell this state", "is it a singular position?");
    double *size = k->r->sizes = arena_doubles(k->arena, all + 1);
    for (size_t i = 0; i < all; i++)
        for (size_t j = 0; j < all; j++)
            size[i] += fabs(T[i * all + j]) * k->unit[j];
    clear_rows(k->r->A, k->all, k->all, size);
    clear_rows(k->r->C, k->r->outputs, k->all, size);
    return true;
}
