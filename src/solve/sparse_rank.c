/* Which rows to keep: the decision of rank.h for sparse rows.
 *
 * The pivots of N N' = L D L' are the squares of the rows' remainders over the rows before them. Above 1e-8
 * of the diagonal they are right to several digits; a row below is put aside. In the end its remainder over
 * all rows that were kept is found from the least-squares solution r = N_k - c N, N N'c = N N_k, with
 * corrections for r, which make it right to rounding ("corrected seminormal equations", Bjorck 1987). Those
 * above the cut are kept, the largest first, each taken out of the others as in Gram-Schmidt. */
#include "solve/sparse_inside.h"

#include "solve/linalg.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Nearly dependent rows are held against each other up to so many, and so many numbers (128 MB); beyond,
 * those that are independent of all others are kept. */
enum { CORRECTIONS = 3, NEAR_MOST = 64, NEAR_NUMBERS = 1 << 24 };

// what row k leaves of itself when +- a row that is kept is taken out: for rows that are repeated
static double beside(const sparse *s, int k, int i, double cosine, double *v) {
    const blocks *p = s->p;
    double f = cosine * sqrt(s->square[k] / s->square[i]), square = 0;
    sparse_add_row(s->p, s->N, k, 1, v);
    sparse_add_row(s->p, s->N, i, -f, v);
    for (int pass = 0; pass < 2; pass++)
        for (int row = pass ? i : k, z = p->begin[row]; z < p->begin[row + 1]; z++) {
            square += v[p->place[z]] * v[p->place[z]];
            v[p->place[z]] = 0;
        }
    return sqrt(square / s->square[k]);
}

// whether row k is a multiple of a row that is kept, and not in doubt itself
static bool repeated(sparse *s, int k, const bool *doubtful) {
    const blocks *p = s->p;
    int begin = p->begin[k], length = p->begin[k + 1] - begin, c = p->block[p->row[k]];
    for (int z = p->touch[c]; z < p->touch[c + 1]; z++) {
        int i = p->who[z];
        if (!s->kept[i] || doubtful[i] || p->begin[i + 1] - p->begin[i] != length ||
            p->place[p->begin[i]] != p->place[begin])
            continue;
        double cosine =
            linalg_dot(s->N + begin, s->N + p->begin[i], length) / sqrt(s->square[k] * s->square[i]);
        if (fabs(cosine) > 1 - SPARSE_CLEAR && beside(s, k, i, cosine > 0 ? 1 : -1, s->v) <= s->cut)
            return true;
    }
    return false;
}

bool sparse_same_dropped(sparse *s) {
    for (int k = 0; k < s->m; k++) {
        bool left_out = s->left_out && s->left_out[s->p->ldl->order[k]];
        if (!s->kept[k] && !left_out && s->square[k] > 0 && !repeated(s, k, s->dropped))
            return false;
    }
    return true;
}

// r (n) <- what remains of it over the rows in own, by one solution with their Gram matrix
static void take_out(sparse *s, double *r) {
    for (int i = 0; i < s->m; i++)
        s->e[i] = s->own->out[i] ? 0 : sparse_dot_row(s->p, s->N, i, r);
    ldl_solve(s->own, s->e);
    for (int i = 0; i < s->m; i++)
        if (s->e[i] != 0)
            sparse_add_row(s->p, s->N, i, -s->e[i], r);
}

// r (n) <- what remains of row k over the rows in own; how long it is, relative to the row
static double reduce(sparse *s, int k, double *r) {
    double length = sqrt(s->square[k]), before, now = 1;
    memset(r, 0, (size_t)s->n * sizeof(double));
    sparse_add_row(s->p, s->N, k, 1, r);
    for (int pass = 0; pass < 1 + CORRECTIONS; pass++) {
        before = now;
        take_out(s, r);
        now = linalg_norm(r, s->n) / length;
        if (now <= s->cut || (pass > 0 && now > before / 2))
            break;
    }
    return now;
}

/* ---- many rows at once ---- */

/* The remainder r of a row is a part of it, and of a random vector w it sees what remains of w: N_k w' = r w,
 * w' being w with the rows in own taken out. With normal numbers for w that is |r| times a normal number. So
 * a few w tell all rows with |r| below the cut from the others: that ten samples of a row above it are all
 * below a tenth of the cut has a probability of 1e-11; and any sample above means that the row is looked at
 * by itself. Without this, n rows cost n solutions. */
enum { SAMPLES = 10, FEW = 2 * SAMPLES };

// normal numbers; a fixed sequence, so that results repeat
static double next_normal(uint64_t *state) {
    double sum = 0;
    for (int i = 0; i < 12; i++) { // uniform ones: variance 1, and tails do not matter
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(*state >> 11) * 0x1p-53;
    }
    return sum - 6;
}

// remainder[k]: the largest of the samples
static void sample(sparse *s, const int *rows, int count) {
    double *w = s->f;
    uint64_t state = 1;
    for (int l = 0; l < count; l++)
        s->remainder[rows[l]] = 0;
    for (int round = 0; round < SAMPLES; round++) {
        for (int j = 0; j < s->n; j++)
            w[j] = next_normal(&state);
        for (int pass = 0; pass < CORRECTIONS; pass++)
            take_out(s, w);
        for (int l = 0; l < count; l++) {
            int k = rows[l];
            double seen = fabs(sparse_dot_row(s->p, s->N, k, w)) / sqrt(s->square[k]);
            s->remainder[k] = fmax(s->remainder[k], seen);
        }
    }
}

// of the rows in doubt, those that are kept move to the front; how many
static int keep_independent(sparse *s, int count) {
    int kept = 0;
    if (count > FEW)
        sample(s, s->doubtful, count);
    for (int l = 0; l < count; l++) {
        int k = s->doubtful[l];
        if (count <= FEW || s->remainder[k] > s->cut / 10)
            s->remainder[k] = reduce(s, k, s->f);
        s->kept[k] = s->remainder[k] > s->cut;
        s->spanned[k] = !s->kept[k];
        if (s->kept[k])
            s->doubtful[kept++] = k;
    }
    return kept;
}

// the row becomes one of the nearly dependent ones that are kept, if enough of it remains beside these
static bool accept_near(sparse *s, int k) {
    if (s->near_count == s->near.count)
        vec_push(s->arena, s->near, arena_doubles(s->arena, (size_t)s->n));
    double *r = s->near.at[s->near_count];
    reduce(s, k, r);
    for (int pass = 0; pass < 2; pass++)
        for (int l = 0; l < s->near_count; l++)
            linalg_add(r, -linalg_dot(s->near.at[l], r, s->n), s->near.at[l], s->n);
    double left = linalg_norm(r, s->n);
    if (left <= s->cut * sqrt(s->square[k]))
        return false;
    linalg_scale(r, 1 / left, s->n);
    s->near_count++;
    return true;
}

static void keep_near(sparse *s, int count) {
    int room = NEAR_NUMBERS / s->n + 1, most = room < NEAR_MOST ? room : NEAR_MOST;
    s->near_count = 0;
    for (int done = 0; done < count; done++) { // largest remainder first
        int best = done;
        for (int l = done + 1; l < count; l++)
            if (s->remainder[s->doubtful[l]] > s->remainder[s->doubtful[best]])
                best = l;
        int k = s->doubtful[best];
        s->doubtful[best] = s->doubtful[done];
        s->doubtful[done] = k;
        s->kept[k] = s->near_count >= most || accept_near(s, k);
    }
}

void sparse_choose_rows(sparse *s) {
    int count = 0;
    for (int k = 0; k < s->m; k++) {
        bool left_out = s->left_out && s->left_out[s->p->ldl->order[k]];
        s->kept[k] = s->square[k] > 0 && !left_out;
        s->own->out[k] = !s->kept[k];
        s->spanned[k] = s->dropped[k] = false;
    }
    blocks_gram(s->p, s->N, s->own);
    ldl_factor(s->own, fmax(SPARSE_CLEAR, 100 * s->cut * s->cut), LDL_DROP);
    for (int k = 0; k < s->m; k++) {
        if (!s->kept[k] || !s->own->out[k])
            continue;
        s->spanned[k] = repeated(s, k, s->own->out);
        if (s->spanned[k])
            s->kept[k] = false;
        else
            s->doubtful[count++] = k;
    }
    keep_near(s, keep_independent(s, count));
    for (int k = 0; k < s->m; k++)
        s->dropped[k] = !s->kept[k] && !(s->left_out && s->left_out[s->p->ldl->order[k]]);
    s->own_ready = true;
}
