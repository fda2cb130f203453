#include "linear/sparsity.h"

#include <stdlib.h>
#include <string.h>

int sparsity_find(sparsity p, int i, int j) {
    int low = p.start[i], high = p.start[i + 1] - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2;
        if (p.to[middle] == j)
            return middle;
        if (p.to[middle] < j)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1;
}

double row_entry(sparsity p, const double *A, int i, int j) {
    int e = sparsity_find(p, i, j);
    return e < 0 ? 0 : A[e];
}

void sparsity_fill(sparsity p, const double *A, int n, double *full) {
    for (int i = 0; i < p.rows; i++)
        for (int e = p.start[i]; e < p.start[i + 1]; e++)
            full[(size_t)i * (size_t)n + (size_t)p.to[e]] = A[e];
}

sparsity_builder sparsity_begin(arena *a, int rows) {
    return (sparsity_builder){.arena = a, .rows = rows, .start = arena_array(a, int, rows + 1)};
}

void sparsity_announce(sparsity_builder *b, int row) {
    b->start[row + 1]++;
}

// from announcements to places
static void make_room(sparsity_builder *b) {
    for (int i = 0; i < b->rows; i++)
        b->start[i + 1] += b->start[i];
    b->to = arena_array(b->arena, int, b->start[b->rows] + 1);
    b->next = arena_array(b->arena, int, b->rows + 1);
    memcpy(b->next, b->start, (size_t)b->rows * sizeof(int));
}

void sparsity_put(sparsity_builder *b, int row, int column) {
    if (b->to == NULL)
        make_room(b);
    b->to[b->next[row]++] = column;
}

static int by_number(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

// rows are short as a rule, and nearly sorted
static void sort(int *to, int count) {
    enum { SHORT = 32 };
    if (count > SHORT) {
        qsort(to, (size_t)count, sizeof *to, by_number);
        return;
    }
    for (int i = 1; i < count; i++) {
        int column = to[i], at = i;
        for (; at > 0 && to[at - 1] > column; at--)
            to[at] = to[at - 1];
        to[at] = column;
    }
}

sparsity sparsity_end(sparsity_builder *b) {
    if (b->to == NULL)
        make_room(b);
    int count = 0;
    for (int i = 0; i < b->rows; i++) {
        int begin = b->start[i], end = b->next[i];
        sort(b->to + begin, end - begin);
        b->start[i] = count;
        for (int e = begin; e < end; e++)
            if (e == begin || b->to[e] != b->to[e - 1])
                b->to[count++] = b->to[e];
    }
    b->start[b->rows] = count;
    return (sparsity){b->rows, b->start, b->to};
}

sparsity sparsity_full(arena *a, int rows, int n) {
    int *start = arena_array(a, int, rows + 1), *to = arena_array(a, int, (size_t)rows *(size_t)n + 1);
    for (int i = 0; i <= rows; i++)
        start[i] = i * n;
    for (int e = 0; e < rows * n; e++)
        to[e] = e % n;
    return (sparsity){rows, start, to};
}

sparsity sparsity_rows(arena *a, sparsity p, const int *rows, int count) {
    int *start = arena_array(a, int, count + 1);
    for (int i = 0; i < count; i++)
        start[i + 1] = start[i] + p.start[rows[i] + 1] - p.start[rows[i]];
    int *to = arena_array(a, int, start[count] + 1);
    for (int i = 0; i < count; i++)
        memcpy(to + start[i], p.to + p.start[rows[i]], (size_t)(start[i + 1] - start[i]) * sizeof(int));
    return (sparsity){count, start, to};
}
