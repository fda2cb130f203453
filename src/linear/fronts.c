#include "linear/fronts.h"

#include "base/lanes.h"
#include "code/native.h"

#include <math.h>

enum { NONE = -1 };

/* Columns of a front begin `apart` numbers one after the other, those of what is handed on round(rows):
 * filled up with zeros, so that loops need not end within a vector. Above the diagonal is anything. */
static long rounded(long count) {
    return (count + LANES - 1) / LANES * LANES;
}

static long apart_of(const front_group *g) {
    return rounded(g->width + g->rows) + LANES;
}

/* ---- symbolic ---- */

typedef struct {
    arena *a, *work;
    const ldl_plan *p;
    const int *parent;
    fronts *f;
    front_group *group;
    int *of;
} planning;

static int length(const ldl_plan *p, int i) {
    return p->from[i + 1] - p->from[i];
}

static bool begins_part(const ldl_plan *p, int i) {
    for (int k = 0; k <= p->parts; k++)
        if (p->part[k] == i)
            return true;
    return false;
}

// columns one after the other, each the parent of the one before, with the same rows but for their own
static void find_groups(planning *s) {
    const ldl_plan *p = s->p;
    vec(front_group) groups = {0};
    for (int i = 0; i < p->n; i++) {
        bool joins = i > 0 && s->parent[i - 1] == i && length(p, i - 1) == length(p, i) + 1 &&
                     !begins_part(p, i) && groups.at[groups.count - 1].width < FRONT_WIDTH;
        if (!joins)
            vec_push(s->a, groups, ((front_group){.first = i}));
        front_group *g = &groups.at[groups.count - 1];
        g->width++;
        g->rows = length(p, i);
        s->of[i] = groups.count - 1;
    }
    s->f->count = groups.count;
    vec_push(s->a, groups, ((front_group){.first = p->n}));
    s->group = groups.at;
}

static const int *rows_of(const planning *s, const front_group *g) {
    return s->p->below + s->p->from[g->first + g->width - 1];
}

static int parent_of(const planning *s, int k) {
    return s->group[k].rows ? s->of[rows_of(s, &s->group[k])[0]] : NONE;
}

// where row r stands in the front of a group: its own columns, then its rows, which are ascending
static int position(const planning *s, const front_group *g, int r) {
    if (r < g->first + g->width)
        return r - g->first;
    const int *rows = rows_of(s, g);
    int low = 0, high = g->rows;
    while (low < high) {
        int middle = (low + high) / 2;
        if (rows[middle] < r)
            low = middle + 1;
        else
            high = middle;
    }
    return g->width + low;
}

static void find_children(planning *s) {
    int *child = arena_array(s->a, int, s->f->count + 1), total = 0;
    for (int k = 0; k < s->f->count; k++)
        if (parent_of(s, k) != NONE)
            s->group[parent_of(s, k) + 1].children++; // counts, one further
    for (int k = 0; k <= s->f->count; k++)
        s->group[k].children = total += s->group[k].children;
    int *next = arena_array(s->work, int, s->f->count + 1);
    for (int k = 0; k < s->f->count; k++)
        if (parent_of(s, k) != NONE) {
            int to = parent_of(s, k);
            child[s->group[to].children + next[to]++] = k;
        }
    s->f->child = child;
}

static void find_relatives(planning *s) {
    int total = 0;
    for (int k = 0; k < s->f->count; k++) {
        s->group[k].relative = total;
        total += s->group[k].rows;
    }
    int *relative = arena_array(s->a, int, total + 1);
    for (int k = 0; k < s->f->count; k++)
        for (int i = 0; i < s->group[k].rows; i++)
            relative[s->group[k].relative + i] =
                position(s, &s->group[parent_of(s, k)], rows_of(s, &s->group[k])[i]);
    s->f->relative = relative;
}

// entries of K by groups
static void find_entries(planning *s) {
    const ldl_plan *p = s->p;
    int entries = p->row[p->n], total = 0;
    int *entry = arena_array(s->a, int, entries + 1), *place = arena_array(s->a, int, entries + 1);
    int *row = arena_array(s->a, int, entries + 1), *next = arena_array(s->work, int, s->f->count + 1);
    for (int z = 0; z < entries; z++)
        s->group[s->of[p->column[z]] + 1].entries++;
    for (int k = 0; k <= s->f->count; k++)
        s->group[k].entries = total += s->group[k].entries;
    for (int k = 0; k < p->n; k++)
        for (int z = p->row[k]; z < p->row[k + 1]; z++) {
            int j = p->column[z], of = s->of[j];
            const front_group *g = &s->group[of];
            int at = g->entries + next[of]++;
            entry[at] = z;
            row[at] = k;
            place[at] = (int)((j - g->first) * apart_of(g)) + position(s, g, k);
        }
    s->f->entry = entry;
    s->f->place = place;
    s->f->row = row;
}

/* What children hand on is on top of the stack when it is their parent's turn: its own takes the place of
 * theirs. Each part has a stack of its own, on whose ground what is for the rows after all parts remains. */
static void find_places(planning *s) {
    long top = 0, end = 0;
    for (int k = 0; k < s->f->count; k++) {
        front_group *g = &s->group[k];
        if (begins_part(s->p, g->first))
            top = end;
        g->at = top;
        for (int c = g->children; c < s->group[k + 1].children; c++) {
            const front_group *child = &s->group[s->f->child[c]];
            bool same = g->first < s->p->part[s->p->parts] || child->first >= s->p->part[s->p->parts];
            g->at = same && child->at < g->at ? child->at : g->at;
        }
        top = g->at + (long)g->rows * g->rows;
        end = top > end ? top : end;
        long size = apart_of(g) * g->width + rounded(g->rows) * g->rows;
        s->f->front = size > s->f->front ? size : s->f->front;
    }
    s->f->stack = end;
}

/* ---- loops ---- */

/* U -= sum over t of l_t y_t', for the columns t of a front: y_t as they are, l_t divided by their pivots. */
LANES_INLINE void take_columns(double *U, int rows, int width, const double *y, long apart,
                               double *const *l) {
    long ld = rounded(rows);
    for (int a = 0; a < rows; a++) {
        double *to = U + a * ld;
        int t = 0;
        for (; t + 4 <= width; t += 4) {
            const double *y0 = y + t * apart, *y1 = y0 + apart, *y2 = y1 + apart, *y3 = y2 + apart;
            double f0 = l[t][a], f1 = l[t + 1][a], f2 = l[t + 2][a], f3 = l[t + 3][a];
            for (long b = a / LANES * LANES; b < ld; b += LANES)
                lanes_store(to + b,
                            lanes_load(to + b) - ((f0 * lanes_load(y0 + b) + f1 * lanes_load(y1 + b)) +
                                                  (f2 * lanes_load(y2 + b) + f3 * lanes_load(y3 + b))));
        }
        for (; t < width; t++) {
            const double *y0 = y + t * apart;
            double f0 = l[t][a];
            for (long b = a / LANES * LANES; b < ld; b += LANES)
                lanes_store(to + b, lanes_load(to + b) - f0 * lanes_load(y0 + b));
        }
    }
}

// y -= f x, from i on
LANES_INLINE void take_column(double *y, double f, const double *x, int i, int count) {
    for (i = i / LANES * LANES; i < count; i += LANES)
        lanes_store(y + i, lanes_load(y + i) - f * lanes_load(x + i));
}

typedef struct front {
    ldl *f;
    const front_group *g;
    double *P, *U;    // columns of the front, (width + rows) long each; what is handed on
    double *const *l; // (width): rows of L below the group
    double least;
} front;

// pivots of a group, as ldl_factor_rows has them
LANES_INLINE double pivot_of(ldl *f, int k, double pivot, double least) {
    double size = f->diagonal[k], beside = size != 0 ? fabs(size) : f->largest;
    f->inverse[k] = 0;
    if (f->out[k])
        return 0;
    f->lowest = pivot < f->lowest * beside ? pivot / beside : f->lowest;
    f->inverse[k] = 1 / (pivot > least * size ? pivot : least * size);
    f->smallest = pivot < f->smallest * size ? pivot / size : f->smallest;
    f->rank++;
    return f->inverse[k];
}

LANES_INLINE void eliminate(const front *x) {
    const front_group *g = x->g;
    int d = g->width + g->rows;
    long apart = apart_of(g);
    for (int t = 0; t < g->width; t++) {
        double *y = x->P + t * apart, *L = x->f->L + x->f->plan->from[g->first + t];
        double inverse = pivot_of(x->f, g->first + t, y[t], x->least);
        for (int i = t + 1; i < d; i++)
            L[i - t - 1] = y[i] * inverse;
        for (int s = t + 1; s < g->width; s++)
            take_column(x->P + s * apart, L[s - t - 1], y, s, d);
    }
    take_columns(x->U, g->rows, g->width, x->P + g->width, apart, x->l);
}

typedef void eliminating(const front *x);

static void plain_eliminate(const front *x) {
    eliminate(x);
}
#ifdef __x86_64__
LANES_AVX2 static void avx2_eliminate(const front *x) {
    eliminate(x);
}
LANES_AVX512 static void avx512_eliminate(const front *x) {
    eliminate(x);
}
#endif

static eliminating *eliminating_here(void) {
#ifdef __x86_64__
    native_path path = native_chosen();
    if (path >= PATH_AVX2)
        return path == PATH_AVX512 ? avx512_eliminate : avx2_eliminate;
#endif
    return plain_eliminate;
}

/* ---- numeric ---- */

static void take_entries(const front *x) {
    const ldl *f = x->f;
    const fronts *r = f->plan->fronts;
    const front_group *g = x->g;
    for (int t = 0; t < g->width; t++)
        x->P[t * (apart_of(g) + 1)] = f->diagonal[g->first + t];
    for (int e = g->entries; e < g[1].entries; e++) {
        int z = r->entry[e];
        x->P[r->place[e]] = f->out[r->row[e]] || f->out[f->plan->column[z]] ? 0 : f->value[z];
    }
}

// what a child hands on
static void add_child(const front *x, const front_group *child) {
    const front_group *g = x->g;
    const int *to = x->f->plan->fronts->relative + child->relative;
    const double *from = x->f->stack + child->at;
    long apart = apart_of(g), ld = rounded(g->rows);
    for (int a = 0; a < child->rows; a++, from += child->rows) {
        bool own = to[a] < g->width;
        double *column = own ? x->P + to[a] * apart : x->U + (to[a] - g->width) * ld - g->width;
        for (int b = a; b < child->rows; b++)
            column[to[b]] += from[b];
    }
}

static void hand_on(const front *x) {
    int rows = x->g->rows;
    double *to = x->f->stack + x->g->at;
    for (int a = 0; a < rows; a++)
        memcpy(to + a * (long)(rows + 1), x->U + a * (rounded(rows) + 1), (size_t)(rows - a) * sizeof *to);
}

static void factor_group(ldl *f, const front_group *g, double *room, double least) {
    const fronts *r = f->plan->fronts;
    double *l[FRONT_WIDTH];
    size_t columns = (size_t)apart_of(g) * (size_t)g->width,
           rest = (size_t)rounded(g->rows) * (size_t)g->rows;
    for (int t = 0; t < g->width; t++)
        l[t] = f->L + f->plan->from[g->first + t] + g->width - 1 - t;
    front x = {f, g, room, room + columns, l, least};
    memset(room, 0, (columns + rest) * sizeof *room);
    take_entries(&x);
    for (int c = g->children; c < g[1].children; c++)
        add_child(&x, &r->group[r->child[c]]);
    r->eliminate(&x);
    hand_on(&x);
}

void fronts_factor(ldl *f, int from, int to, double least) {
    const fronts *r = f->plan->fronts;
    int part = 0;
    while (part < f->plan->parts && f->plan->part[part + 1] <= from)
        part++;
    for (int k = from < to ? r->of[from] : r->count; k < r->count && r->group[k].first < to; k++)
        factor_group(f, &r->group[k], f->fronts_room + part * r->front, least);
}

/* ---- all together ---- */

/* Fewer entries in a column are as fast by rows. */
enum { ENTRIES_LEAST = 6, ROWS_LEAST = 100 };

fronts *fronts_new(arena *a, const ldl_plan *p, const int *parent) {
    if (p->n < ROWS_LEAST || p->entries < (long)ENTRIES_LEAST * p->n)
        return NULL;
    fronts *f = arena_alloc(a, sizeof *f);
    planning s = {a, arena_child(a), p, parent, f, NULL, arena_array(a, int, p->n)};
    find_groups(&s);
    find_children(&s);
    find_relatives(&s);
    find_entries(&s);
    find_places(&s);
    f->group = s.group;
    f->of = s.of;
    f->eliminate = eliminating_here();
    arena_free(s.work);
    return f;
}
