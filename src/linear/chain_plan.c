/* Finds chains in a pattern, in time linear in its entries, and rows in them that are alike: in most models
 * nearly all, and then nothing has to be looked up. */
#include "linear/chain_inside.h"

#include "code/native.h"

enum { NONE = -1, ALIKE_LEAST = LANES };

/* ---- the order of rows ---- */

typedef struct {
    int *next[2]; // (m): neighbours, or NONE
    int *user[2]; // (n): rows of a coordinate, or NONE
} links;

static void put(int **two, int at, int value) {
    two[two[0][at] != NONE][at] = value;
}

static bool has(int **two, int at, int value) {
    return two[0][at] == value || two[1][at] == value;
}

static void clear(arena *a, int **two, int count) {
    for (int side = 0; side < 2; side++) {
        two[side] = arena_array(a, int, count + 1);
        for (int i = 0; i < count; i++)
            two[side][i] = NONE;
    }
}

// who has which coordinate; false if one is in three rows, or a row is empty or long
static bool find_users(links *l, sparsity A) {
    for (int i = 0; i < A.rows; i++) {
        int width = A.start[i + 1] - A.start[i];
        if (width == 0 || width > CHAIN_WIDTH)
            return false;
        for (int e = A.start[i]; e < A.start[i + 1]; e++) {
            if (l->user[1][A.to[e]] != NONE)
                return false;
            put(l->user, A.to[e], i);
        }
    }
    return true;
}

static bool find_neighbours(links *l, sparsity A) {
    for (int i = 0; i < A.rows; i++)
        for (int e = A.start[i]; e < A.start[i + 1]; e++)
            for (int side = 0; side < 2; side++) {
                int other = l->user[side][A.to[e]];
                if (other == NONE || other == i || has(l->next, i, other))
                    continue;
                if (l->next[1][i] != NONE)
                    return false;
                put(l->next, i, other);
            }
    return true;
}

// rows from end to end, one chain after the other; false if one is closed
static bool walk(const links *l, int m, int *row, int *where) {
    int done = 0;
    for (int i = 0; i < m; i++)
        where[i] = NONE;
    for (int end = 0; end < m; end++) {
        if (l->next[1][end] != NONE || where[end] != NONE)
            continue;
        for (int i = end, next; i != NONE; i = next) {
            where[i] = done;
            row[done++] = i;
            next = l->next[0][i] != NONE && where[l->next[0][i]] == NONE ? l->next[0][i] : l->next[1][i];
            next = next != NONE && where[next] == NONE ? next : NONE;
        }
    }
    return done == m;
}

static bool find_order(arena *a, arena *work, chain *c) {
    links l;
    int *row = arena_array(a, int, c->m + 1), *where = arena_array(a, int, c->m + 1);
    clear(work, l.user, c->n);
    clear(work, l.next, c->m);
    c->row = row;
    c->where = where;
    return find_users(&l, c->A_pattern) && find_neighbours(&l, c->A_pattern) && walk(&l, c->m, row, where);
}

/* ---- rows alike ---- */

static int width_of(const chain *c, int r) {
    return c->A_pattern.start[c->row[r] + 1] - c->A_pattern.start[c->row[r]];
}

static const int *places(const chain *c, int r) {
    return c->A_pattern.to + c->A_pattern.start[c->row[r]];
}

// pairs of row r with the one before
static void find_pairs(const chain *c, int r, chain_run *u) {
    u->pairs = 0;
    for (int i = 0; r > 0 && i < width_of(c, r); i++)
        for (int j = 0; j < width_of(c, r - 1); j++)
            if (places(c, r)[i] == places(c, r - 1)[j]) {
                u->mine[u->pairs] = i;
                u->theirs[u->pairs++] = j;
            }
}

// as if the rows from r on were like r and r + 1
static chain_run run_from(const chain *c, int r) {
    const int *start = c->A_pattern.start;
    chain_run u = {.from = r, .to = r + 1, .width = width_of(c, r), .row = c->row[r]};
    u.row_step = c->row[r + 1] - c->row[r];
    u.A_at = start[c->row[r]];
    u.A_step = start[c->row[r + 1]] - u.A_at;
    for (int i = 0; i < u.width && i < width_of(c, r + 1); i++) {
        u.place[i] = places(c, r)[i];
        u.step[i] = places(c, r + 1)[i] - places(c, r)[i];
    }
    find_pairs(c, r, &u);
    return u;
}

static bool continues(const chain *c, const chain_run *u, int r) {
    int k = r - u->from;
    if (width_of(c, r) != u->width || c->row[r] != u->row + k * u->row_step ||
        c->A_pattern.start[c->row[r]] != u->A_at + k * u->A_step)
        return false;
    for (int i = 0; i < u->width; i++)
        if (u->step[i] == 0 || places(c, r)[i] != u->place[i] + k * u->step[i])
            return false;
    chain_run own;
    find_pairs(c, r, &own);
    for (int i = 0; i < own.pairs && own.pairs == u->pairs; i++)
        if (own.mine[i] != u->mine[i] || own.theirs[i] != u->theirs[i])
            return false;
    return own.pairs == u->pairs;
}

// rows that are not alike join those before, if these are not either
static void add_run(arena *a, chain *c, const chain_run *u) {
    chain_run *last = c->runs.count ? &c->runs.at[c->runs.count - 1] : NULL;
    if (u->width == 0 && last && last->width == 0)
        last->to = u->to;
    else
        vec_push(a, c->runs, *u);
}

static void find_runs(arena *a, chain *c) {
    for (int r = 0; r < c->m;) {
        chain_run u = {.from = r, .to = r + 1};
        if (r + 1 < c->m)
            u = run_from(c, r);
        while (u.width && u.to < c->m && continues(c, &u, u.to))
            u.to++;
        if (u.to - u.from < ALIKE_LEAST)
            u = (chain_run){.from = r, .to = r + 1};
        add_run(a, c, &u);
        r = u.to;
    }
}

/* ---- parts ---- */

static void cut(arena *a, chain *c) {
    int rows = c->m / LANES, at = 0, run = 0;
    c->parts = (rows + CHAIN_LENGTH - 1) / CHAIN_LENGTH;
    chain_part *part = arena_array(a, chain_part, c->parts);
    for (int p = 0; p < c->parts; p++) {
        int length = rows / c->parts + (p < rows % c->parts);
        while (c->runs.at[run].to <= at)
            run++;
        part[p] = (chain_part){at, length, run};
        at += LANES * length;
    }
    c->part = part;
    c->rest = at;
    c->left = LANES * c->parts + c->m - at;
}

static const chain_loops *loops_here(void) {
#ifdef __x86_64__
    native_path path = native_chosen();
    if (path >= PATH_AVX2)
        return path == PATH_AVX512 ? &chain_avx512 : &chain_avx2;
#endif
    return &chain_plain;
}

chain *chain_new(arena *a, int n, sparsity A) {
    chain *c = arena_alloc(a, sizeof *c);
    arena *work = arena_child(a);
    *c = (chain){.n = n, .m = A.rows, .A_pattern = A, .by = loops_here()};
    bool found = find_order(a, work, c);
    arena_free(work);
    if (!found)
        return NULL;
    find_runs(a, c);
    cut(a, c);
    double **rows[] = {&c->E, &c->G, &c->P, &c->R};
    for (int i = 0; i < 4; i++)
        *rows[i] = arena_doubles(a, (size_t)c->rest);
    c->inverse = arena_doubles(a, (size_t)c->left);
    c->coupling = arena_doubles(a, (size_t)c->left);
    c->stay = arena_doubles(a, (size_t)c->left + 1);
    c->ends = arena_array(a, chain_ends, c->parts);
    return c;
}
