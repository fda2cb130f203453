/* Which rows to keep: the decision of rank.h for sparse rows.
 *
 * The pivots of N N' = L D L' are the squares of the rows' remainders over the rows before them. A row whose
 * pivot is clearly below its diagonal is put aside. In the end its remainder over all rows that were kept is
 * found from the least-squares solution r = N_k - c N, N N'c = N N_k, with corrections for r, which make it
 * right to rounding ("corrected seminormal equations", Bjorck 1987). Those above the cut are kept, the
 * largest first, each taken out of the others as in Gram-Schmidt.
 *
 * The order of elimination is not that of the remainders. A row that takes little part in a dependence has a
 * larger remainder, |r|/|c_j| times that of a row that takes part with c_j: the latter goes in its place. And
 * rows once dropped are the first to be put aside the next time. */
#include "linear/sparse_inside.h"

#include "linear/linalg.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Nearly dependent rows are held against each other up to so many, and so many numbers (128 MB, of which only
 * what is used is there); beyond, those that are independent of all others are kept. */
enum { CORRECTIONS = 3, NEAR_MOST = 64, NEAR_NUMBERS = 1 << 24 };

static const double PUT_ASIDE = 1e-4; // squared remainder below which a row is looked at by itself
static const double LARGER = 2;       // part in a dependence from which another row goes in its place
static const double WITHIN = 16;      // that part times this, for rows within one block of M

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

int sparse_repeats(sparse *s, int k, const bool *doubtful) {
    const blocks *p = s->p;
    int begin = p->begin[k], length = p->begin[k + 1] - begin, c = p->block[p->row[k]];
    for (int z = p->touch[c]; z < p->touch[c + 1]; z++) {
        int i = p->who[z];
        if (!s->kept[i] || (doubtful && doubtful[i]) || p->begin[i + 1] - p->begin[i] != length ||
            p->place[p->begin[i]] != p->place[begin])
            continue;
        double cosine =
            linalg_dot(s->N + begin, s->N + p->begin[i], length) / sqrt(s->square[k] * s->square[i]);
        if (fabs(cosine) > 1 - GRAM_CLEAR && beside(s, k, i, cosine > 0 ? 1 : -1, s->v) <= s->cut)
            return i;
    }
    return -1;
}

bool sparse_same_dropped(sparse *s) {
    for (int k = 0; k < s->m; k++) {
        bool left_out = s->left_out && s->left_out[s->p->ldl->order[k]];
        if (!s->kept[k] && !left_out && s->square[k] > 0 && sparse_repeats(s, k, s->dropped) < 0)
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

// r (n) <- what remains of row k over the rows in own, with their parts in s->c; its length relative to the
// row
static double reduce(sparse *s, int k, double *r) {
    double length = sqrt(s->square[k]), before, now = 1;
    memset(r, 0, (size_t)s->n * sizeof(double));
    memset(s->c, 0, (size_t)s->m * sizeof(double));
    sparse_add_row(s->p, s->N, k, 1, r);
    for (int pass = 0; pass < 1 + CORRECTIONS; pass++) {
        before = now;
        take_out(s, r);
        linalg_add(s->c, 1, s->e, s->m);
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
enum { SAMPLES = LDL_SIDES, FEW = 2 * SAMPLES, ROOM_AT_ONCE = 20000 };

// normal numbers; a fixed sequence, so that results repeat
static double next_normal(uint64_t *state) {
    double sum = 0;
    for (int i = 0; i < 12; i++) { // uniform ones: variance 1, and tails do not matter
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(*state >> 11) * 0x1p-53;
    }
    return sum - 6;
}

// of a large system only once it is needed, which is rare
static void make_room(sparse *s) {
    if (s->normal)
        return;
    s->normal = arena_doubles(s->arena, (size_t)s->n * SAMPLES);
    s->sample = arena_doubles(s->arena, (size_t)s->n * SAMPLES);
    s->sample_e = arena_doubles(s->arena, (size_t)s->m * SAMPLES);
}

static void make_normals(sparse *s) {
    uint64_t state = 1;
    make_room(s);
    for (int round = 0; round < SAMPLES && !s->normal_known; round++)
        for (int j = 0; j < s->n; j++)
            s->normal[(long)j * SAMPLES + round] = next_normal(&state);
    s->normal_known = true;
}

// e (SAMPLES) <- N_i w
static void dot_samples(const sparse *s, int i, const double *w, double *e) {
    const blocks *p = s->p;
    double sum[SAMPLES] = {0};
    for (int z = p->begin[i]; z < p->begin[i + 1]; z++)
        for (int l = 0; l < SAMPLES; l++)
            sum[l] += s->N[z] * w[(long)p->place[z] * SAMPLES + l];
    memcpy(e, sum, sizeof sum);
}

// take_out for all samples side by side
static void take_out_of_samples(sparse *s, double *w) {
    const blocks *p = s->p;
    for (int i = 0; i < s->m; i++)
        if (s->own->out[i])
            memset(s->sample_e + (long)i * SAMPLES, 0, SAMPLES * sizeof(double));
        else
            dot_samples(s, i, w, s->sample_e + (long)i * SAMPLES);
    ldl_solve_sides(s->own, s->sample_e);
    for (int i = 0; i < s->m; i++) {
        const double *e = s->sample_e + (long)i * SAMPLES;
        for (int z = p->begin[i]; z < p->begin[i + 1] && !s->own->out[i]; z++)
            for (int l = 0; l < SAMPLES; l++)
                w[(long)p->place[z] * SAMPLES + l] += -e[l] * s->N[z];
    }
}

// remainder[k]: the largest of the samples
static void sample(sparse *s, const int *rows, int count) {
    double *w = s->sample, seen[SAMPLES];
    make_normals(s);
    memcpy(w, s->normal, (size_t)s->n * SAMPLES * sizeof *w);
    for (int pass = 0; pass < CORRECTIONS; pass++)
        take_out_of_samples(s, w);
    for (int l = 0; l < count; l++) {
        int k = rows[l];
        double length = sqrt(s->square[k]);
        dot_samples(s, k, w, seen);
        s->remainder[k] = 0;
        for (int round = 0; round < SAMPLES; round++)
            s->remainder[k] = fmax(s->remainder[k], fabs(seen[round]) / length);
    }
}

/* The row of own that takes most part in what was taken out of row k, or -1 if none has clearly more than it.
 * Rows within one block of M count for less: they may be what makes it definite. */
static int largest_part(const sparse *s, int k, double *part) {
    const int *row = s->p->row;
    double most = LARGER / (row[k + 1] - row[k] == 1 ? WITHIN : 1);
    int which = -1;
    for (int j = 0; j < s->m; j++) {
        if (s->c[j] == 0)
            continue;
        double part_j = fabs(s->c[j]) * sqrt(s->square[j] / s->square[k]);
        double counts = part_j / (row[j + 1] - row[j] == 1 ? WITHIN : 1);
        if (counts > most) {
            most = counts;
            *part = part_j;
            which = j;
        }
    }
    return which;
}

// row k joins own, row j leaves it
static void exchange(sparse *s, int k, int j) {
    s->own->out[k] = false;
    s->own->out[j] = true;
    ldl_factor(s->own, 0, LDL_DROP);
    s->kept[k] = true;
    s->kept[j] = false;
    s->spanned[j] = true;
    s->spanned[k] = false;
}

/* Row k, in doubt, of which r (n) remains: whether it is kept beside own. *exchanged becomes true if own is
 * another after it. */
static bool is_independent(sparse *s, int k, bool *exchanged) {
    double part;
    int j = largest_part(s, k, &part);
    if (j >= 0 && s->remainder[k] / part <= s->cut) {
        exchange(s, k, j);
        *exchanged = true;
        return false; // in doubt no longer
    }
    s->kept[k] = s->remainder[k] > s->cut;
    s->spanned[k] = !s->kept[k];
    return s->kept[k];
}

// where what remains of the row in doubt at place l stays, for keep_near; there is not room for all
static double *place_of(const sparse *s, int l) {
    return s->near && l < s->near_most ? s->near + l * (long)s->n : s->f;
}

/* Of the rows in doubt, those that are kept move to the front, with what remains of them if *found; how many.
 * Samples are for many rows that do depend on others: they are not taken before one does. */
static int keep_independent(sparse *s, int count, bool *found) {
    int kept = 0;
    bool sampled = false, exchanged = false;
    if (count > 0)
        sparse_make_near(s);
    for (int l = 0; l < count; l++) {
        int k = s->doubtful[l];
        double *r = place_of(s, kept);
        s->kept[k] = false;
        s->spanned[k] = true;
        if (sampled && !(s->remainder[k] > s->cut / 10))
            continue;
        s->remainder[k] = reduce(s, k, r);
        if (!sampled && count > FEW && !(s->remainder[k] > s->cut)) {
            sampled = true;
            sample(s, s->doubtful + l, count - l);
            if (!(s->remainder[k] > s->cut / 10))
                continue;
            s->remainder[k] = reduce(s, k, r); // the parts of the others, too
        }
        if (is_independent(s, k, &exchanged))
            s->doubtful[kept++] = k;
    }
    *found = !exchanged;
    return kept;
}

/* The row becomes one of the nearly dependent ones that are kept, if enough of it remains beside these; r:
 * its remainder beside own. */
static bool accept_near(sparse *s, int k, const double *remains) {
    double *near = s->near, *r = near + s->near_count * (long)s->n;
    if (remains)
        memmove(r, remains, (size_t)s->n * sizeof *r);
    else
        reduce(s, k, r);
    for (int pass = 0; pass < 2; pass++)
        for (int l = 0; l < s->near_count; l++)
            linalg_add(r, -linalg_dot(near + l * (long)s->n, r, s->n), near + l * (long)s->n, s->n);
    double left = linalg_norm(r, s->n);
    if (left <= s->cut * sqrt(s->square[k]))
        return false;
    linalg_scale(r, 1 / left, s->n);
    s->near_count++;
    return true;
}

void sparse_make_near(sparse *s) {
    int most = s->m < NEAR_MOST ? s->m : NEAR_MOST, room = s->n ? NEAR_NUMBERS / s->n + 1 : 0;
    if (s->near)
        return;
    s->near_most = most < room ? most : room;
    s->near = arena_doubles(s->arena, (size_t)s->near_most * (size_t)s->n);
    if (s->n <= ROOM_AT_ONCE)
        make_room(s);
}

static void exchange_places(double *x, double *y, int n) {
    for (int i = 0; i < n; i++) {
        double z = x[i];
        x[i] = y[i];
        y[i] = z;
    }
}

// found: what remains of each row stands at its place
static void keep_near(sparse *s, int count, bool found) {
    found &= count <= s->near_most;
    s->near_count = 0;
    for (int done = 0; done < count; done++) { // largest remainder first
        int best = done;
        for (int l = done + 1; l < count; l++)
            if (s->remainder[s->doubtful[l]] > s->remainder[s->doubtful[best]])
                best = l;
        int k = s->doubtful[best];
        s->doubtful[best] = s->doubtful[done];
        s->doubtful[done] = k;
        if (found && best != done)
            exchange_places(place_of(s, best), place_of(s, done), s->n);
        s->kept[k] = s->near_count >= s->near_most || accept_near(s, k, found ? place_of(s, done) : NULL);
    }
}

static bool may_be_kept(const sparse *s, int k) {
    return s->square[k] > 0 && !(s->left_out && s->left_out[s->p->ldl->order[k]]);
}

// own <- rows that are independent beyond doubt, those marked as dropped not among them; the others that are
// not repeated go to s->doubtful, how many
static int sort_rows(sparse *s) {
    int count = 0;
    for (int k = 0; k < s->m; k++) {
        s->kept[k] = may_be_kept(s, k);
        s->own->out[k] = !s->kept[k] || s->dropped[k];
        s->spanned[k] = false;
    }
    ldl_factor(s->own, fmax(PUT_ASIDE, 100 * s->cut * s->cut), LDL_DROP);
    for (int k = 0; k < s->m; k++) {
        if (!s->kept[k] || !s->own->out[k])
            continue;
        s->spanned[k] = sparse_repeats(s, k, s->own->out) >= 0;
        if (s->spanned[k])
            s->kept[k] = false;
        else
            s->doubtful[count++] = k;
    }
    return count;
}

// a row that was dropped is no longer near to dependence: it belongs to own
static bool any_returns(const sparse *s, int count) {
    for (int l = 0; l < count; l++)
        if (s->dropped[s->doubtful[l]] && s->remainder[s->doubtful[l]] > sqrt(PUT_ASIDE))
            return true;
    return false;
}

void sparse_choose_rows(sparse *s) {
    blocks_gram(s->p, s->N, s->own);
    bool found;
    int count = keep_independent(s, sort_rows(s), &found);
    if (any_returns(s, count)) {
        memset(s->dropped, 0, (size_t)s->m * sizeof(bool));
        count = keep_independent(s, sort_rows(s), &found);
    }
    keep_near(s, count, found);
    for (int k = 0; k < s->m; k++)
        s->dropped[k] = !s->kept[k];
    s->own_ready = true;
}
