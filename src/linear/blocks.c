/* Blocks of coordinates and the rows' pieces, put in order once per model; then the Gram matrix of the rows,
 * one product of numbers (or of pieces) for each pair of entries that two rows have in a column (block). */
#include "linear/blocks.h"

#include "linear/linalg.h"

enum { NONE = -1 };

/* ---- blocks of coordinates ---- */

// 0, 1, 2, .. for all that is numbered as it is where blocks are single coordinates
static const int *numbers(arena *a, int count) {
    int *number = arena_array(a, int, count);
    for (int i = 0; i < count; i++)
        number[i] = i;
    return number;
}

static void leave_numbers(arena *a, blocks *p, int values) {
    p->single = true;
    p->where = p->coordinate = p->first = p->inside = p->at = numbers(a, (values > p->n ? values : p->n) + 1);
}

// blocks in the order of their first coordinate
static void number_blocks(arena *a, arena *work, blocks *p, const int *label, int values) {
    int n = p->n, *of_label = arena_array(work, int, n + 1), *size = arena_array(work, int, n + 1);
    for (int j = 0; j < n; j++)
        of_label[j] = NONE;
    for (int j = 0; j < n; j++) {
        if (of_label[label[j]] == NONE)
            of_label[label[j]] = p->count++;
        size[of_label[label[j]]]++;
    }
    if (p->count == n) {
        leave_numbers(a, p, values);
        return;
    }
    int *where = arena_array(a, int, n), *coordinate = arena_array(a, int, n);
    int *first = arena_array(a, int, p->count + 1), *inside = arena_array(a, int, p->count + 1);
    for (int c = 0; c < p->count; c++) {
        first[c + 1] = first[c] + size[c];
        inside[c + 1] = inside[c] + size[c] * size[c];
        size[c] = 0;
    }
    for (int j = 0; j < n; j++) {
        int c = of_label[label[j]];
        where[j] = first[c] + size[c]++;
        coordinate[where[j]] = j;
    }
    p->where = where;
    p->coordinate = coordinate;
    p->first = first;
    p->inside = inside;
}

static int *block_of_place(arena *work, const blocks *p) {
    int *of = arena_array(work, int, p->n);
    for (int c = 0; c < p->count; c++)
        for (int j = p->first[c]; j < p->first[c + 1]; j++)
            of[j] = c;
    return of;
}

static const int *places_of_mass(arena *a, const blocks *p, sparsity M, const int *block_of) {
    if (p->single && M.start[p->n] == p->n)
        return p->where;
    int *to = arena_array(a, int, M.start[p->n] + 1);
    for (int i = 0; i < p->n; i++)
        for (int e = M.start[i]; e < M.start[i + 1]; e++) {
            int place = p->where[i], c = block_of[place], size = p->first[c + 1] - p->first[c];
            to[e] = p->inside[c] + (place - p->first[c]) * size + p->where[M.to[e]] - p->first[c];
        }
    return to;
}

/* ---- rows by blocks ---- */

typedef struct {
    int *row, *block; // (m + 1), (pieces): blocks that a row touches, rows as given
} touches;

static touches blocks_of_rows(arena *work, const blocks *p, sparsity A, const int *block_of) {
    touches t = {arena_array(work, int, p->m + 1), arena_array(work, int, A.start[p->m] + 1)};
    int count = 0, *mark = arena_array(work, int, p->count + 1);
    for (int i = 0; i < p->m; i++) {
        for (int e = A.start[i]; e < A.start[i + 1]; e++) {
            int c = block_of[p->where[A.to[e]]];
            if (mark[c] == i + 1)
                continue;
            mark[c] = i + 1;
            t.block[count++] = c;
        }
        t.row[i + 1] = count;
    }
    return t;
}

// pieces by block: touch, with the row of each in who and its number in piece
static void by_block(arena *a, const int *row, const int *block, int m, int blocks_count, const int **touch,
                     int **piece, const int **who) {
    int *start = arena_array(a, int, blocks_count + 2), *of = arena_array(a, int, row[m] + 1);
    int *rows = arena_array(a, int, row[m] + 1);
    for (int q = 0; q < row[m]; q++)
        start[block[q] + 2]++;
    for (int c = 0; c < blocks_count; c++)
        start[c + 2] += start[c + 1];
    for (int k = 0; k < m; k++)
        for (int q = row[k]; q < row[k + 1]; q++) {
            int z = start[block[q] + 1]++;
            of[z] = q;
            rows[z] = k;
        }
    *touch = start;
    *piece = of;
    *who = rows;
}

// rows that touch a common block
static graph neighbours(arena *work, const blocks *p, touches t) {
    const int *touch, *who;
    int *piece;
    by_block(work, t.row, t.block, p->m, p->count, &touch, &piece, &who);
    int *mark = arena_array(work, int, p->m + 1), *start = arena_array(work, int, p->m + 1);
    vec(int) to = {0};
    for (int i = 0; i < p->m; i++) {
        mark[i] = i + 1;
        for (int q = t.row[i]; q < t.row[i + 1]; q++)
            for (int z = touch[t.block[q]]; z < touch[t.block[q] + 1]; z++)
                if (mark[who[z]] != i + 1) {
                    mark[who[z]] = i + 1;
                    vec_push(work, to, who[z]);
                }
        start[i + 1] = to.count;
    }
    return (graph){p->m, start, to.at};
}

// pieces in the order of elimination, and where A's values go in them
static void arrange_rows(arena *a, arena *work, blocks *p, sparsity A, touches t, const int *block_of) {
    int pieces = t.row[p->m], count = 0, values = 0, *position = arena_array(work, int, p->count + 1);
    int *row = arena_array(a, int, p->m + 1), *block = arena_array(a, int, pieces + 1);
    int *at = arena_array(a, int, pieces + 1), *A_to = arena_array(a, int, A.start[p->m] + 1);
    for (int k = 0; k < p->m; k++) {
        int i = p->ldl->order[k];
        for (int q = t.row[i]; q < t.row[i + 1]; q++) {
            int c = t.block[q];
            block[count] = c;
            at[count++] = values;
            position[c] = values;
            values += p->first[c + 1] - p->first[c];
        }
        for (int e = A.start[i]; e < A.start[i + 1]; e++) {
            int place = p->where[A.to[e]], c = block_of[place];
            A_to[e] = position[c] + place - p->first[c];
        }
        row[k + 1] = count;
    }
    at[count] = values;
    p->row = row;
    p->block = block;
    p->at = at;
    p->A_to = A_to;
}

// the same for single coordinates
static void arrange_values(arena *a, blocks *p, sparsity A) {
    int values = 0, *begin = arena_array(a, int, p->m + 1), *place = arena_array(a, int, A.start[p->m] + 1);
    for (int k = 0; k < p->m; k++) {
        int i = p->ldl->order[k];
        for (int e = A.start[i]; e < A.start[i + 1]; e++)
            place[values++] = A.to[e];
        begin[k + 1] = values;
    }
    p->row = p->begin = begin;
    p->block = p->place = place;
}

/* ---- the Gram matrix ---- */

// pieces q of row k with those of a row i < k for the same block, by entries of the lower triangle
static void find_pairs(arena *a, arena *work, blocks *p, const int *piece) {
    const ldl_plan *l = p->ldl;
    int entries = l->row[p->m], *entry = arena_array(work, int, p->m + 1);
    int *pairs = arena_array(a, int, entries + 2), *pair = NULL;
    for (int pass = 0; pass < 2; pass++) { // counts, then fills in
        for (int k = 0; k < p->m; k++) {
            for (int z = l->row[k]; z < l->row[k + 1]; z++)
                entry[l->column[z]] = z;
            for (int q = p->row[k]; q < p->row[k + 1]; q++)
                for (int z = p->touch[p->block[q]]; p->who[z] < k; z++) {
                    int *at = &pairs[entry[p->who[z]] + 2 - pass];
                    if (pass) {
                        pair[2 * *at] = q;
                        pair[2 * *at + 1] = piece[z];
                    }
                    ++*at;
                }
        }
        if (pass)
            break;
        for (int e = 0; e < entries; e++)
            pairs[e + 2] += pairs[e + 1];
        pair = arena_array(a, int, 2 * (size_t)pairs[entries + 1] + 2);
    }
    p->pairs = pairs;
    p->pair = pair;
}

static double product(const blocks *p, const double *B, int q, int r) {
    return linalg_dot(B + p->at[q], B + p->at[r], p->at[q + 1] - p->at[q]);
}

void blocks_gram(const blocks *p, const double *B, ldl *f) {
    int entries = p->ldl->row[p->m];
    for (int k = 0; k < p->m; k++) {
        double square = 0;
        for (int z = p->begin[k]; z < p->begin[k + 1]; z++)
            square += B[z] * B[z];
        f->diagonal[k] = square;
    }
    for (int e = 0; e < entries; e++) {
        double sum = 0;
        if (p->single)
            for (const int *pair = p->pair + 2 * p->pairs[e]; pair < p->pair + 2 * p->pairs[e + 1]; pair += 2)
                sum += B[pair[0]] * B[pair[1]];
        else
            for (const int *pair = p->pair + 2 * p->pairs[e]; pair < p->pair + 2 * p->pairs[e + 1]; pair += 2)
                sum += product(p, B, pair[0], pair[1]);
        f->value[e] = sum;
    }
}

/* ---- all together ---- */

// places of all values
static void index_values(arena *a, blocks *p) {
    int pieces = p->row[p->m];
    int *begin = arena_array(a, int, p->m + 1), *place = arena_array(a, int, p->at[pieces] + 1);
    for (int k = 0; k <= p->m; k++)
        begin[k] = p->at[p->row[k]];
    for (int q = 0; q < pieces; q++)
        for (int z = p->at[q]; z < p->at[q + 1]; z++)
            place[z] = p->first[p->block[q]] + z - p->at[q];
    p->begin = begin;
    p->place = place;
}

static void index_pieces(arena *a, arena *work, blocks *p) {
    int pieces = p->row[p->m], *value;
    by_block(a, p->row, p->block, p->m, p->count, &p->touch, &value, &p->who);
    find_pairs(a, work, p, value);
    for (int q = 0; q < pieces; q++)
        value[q] = p->at[value[q]];
    p->value = value;
}

blocks *blocks_new(arena *a, int n, sparsity M, sparsity A, const int *label) {
    blocks *p = arena_alloc(a, sizeof *p);
    arena *work = arena_child(a);
    p->n = n;
    p->m = A.rows;
    number_blocks(a, work, p, label, A.start[A.rows]);
    const int *block_of = block_of_place(work, p);
    p->M_to = places_of_mass(a, p, M, block_of);
    touches t = blocks_of_rows(work, p, A, block_of);
    p->ldl = ldl_plan_new(a, neighbours(work, p, t));
    if (p->single) {
        arrange_values(a, p, A);
    } else {
        arrange_rows(a, work, p, A, t, block_of);
        index_values(a, p);
    }
    index_pieces(a, work, p);
    arena_free(work);
    return p;
}
