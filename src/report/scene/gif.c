/* Colours are counted in cells of 8 by 8 by 8; the cells that are there are halved, at the mean along the
 * longest side of the most used box, until there are as many boxes as the palette has places (median cut). */
#include "report/scene/gif.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 1 << 15, COLOURS = 255, CLEAR_CODE = 256, END_CODE = 257, CODES_MOST = 4096, SAME = 255 };

typedef struct {
    double count, sum[3];
} cell;

typedef struct {
    int *cells, count; // of the list of cells
    double weight, spread;
    int axis;
} bin;

struct gif {
    arena *arena;
    int width, height;
    cell *cells;
    short *place; // of a cell: 1 + that of its colour in the palette; 0: not known yet
    int colours;
    unsigned char palette[COLOURS + 1][3];
    unsigned char *shown, *now; // (height x width) places of what stands there, and of the frame
    bool begun;
    int *next; // (CODES_MOST x 256) of a code and a place: the code for both
};

gif *gif_new(arena *a, int width, int height) {
    gif *g = arena_alloc(a, sizeof *g);
    size_t size = (size_t)width * (size_t)height;
    *g = (gif){.arena = a, .width = width, .height = height};
    g->cells = arena_array(a, cell, CELLS);
    g->place = arena_array(a, short, CELLS);
    g->shown = arena_alloc(a, size);
    g->now = arena_alloc(a, size);
    g->next = arena_array(a, int, CODES_MOST * 256);
    return g;
}

static int cell_of(const unsigned char *rgb) {
    return rgb[0] >> 3 << 10 | rgb[1] >> 3 << 5 | rgb[2] >> 3;
}

void gif_see(gif *g, const pixels *given) {
    size_t size = (size_t)g->width * (size_t)g->height;
    for (size_t i = 0; i < size; i++) {
        cell *c = &g->cells[cell_of(given->rgb + 3 * i)];
        c->count++;
        for (int k = 0; k < 3; k++)
            c->sum[k] += given->rgb[3 * i + (size_t)k];
    }
}

// ---- the palette

static double part_of(const gif *g, int c, int axis) {
    return g->cells[c].sum[axis] / g->cells[c].count;
}

static void measure(const gif *g, bin *b) {
    b->weight = b->spread = 0;
    for (int axis = 0; axis < 3; axis++) {
        double low = 255, high = 0;
        for (int i = 0; i < b->count; i++) {
            low = fmin(low, part_of(g, b->cells[i], axis));
            high = fmax(high, part_of(g, b->cells[i], axis));
        }
        if (high - low > b->spread)
            b->spread = high - low, b->axis = axis;
    }
    for (int i = 0; i < b->count; i++)
        b->weight += g->cells[b->cells[i]].count;
}

// in two, at the mean; false: it is one colour
static bool halve(const gif *g, bin *b, bin *other) {
    double mean = 0;
    int low = 0, high = b->count;
    for (int i = 0; i < b->count; i++)
        mean += part_of(g, b->cells[i], b->axis) / b->count;
    while (low < high)
        if (part_of(g, b->cells[low], b->axis) <= mean)
            low++;
        else {
            int moved = b->cells[low];
            b->cells[low] = b->cells[--high];
            b->cells[high] = moved;
        }
    if (low == 0 || low == b->count)
        return false;
    *other = (bin){.cells = b->cells + low, .count = b->count - low};
    b->count = low;
    measure(g, b);
    measure(g, other);
    return true;
}

static void choose_colours(gif *g) {
    bin bins[COLOURS];
    int count = 1;
    bins[0] = (bin){.cells = arena_array(g->arena, int, CELLS)};
    for (int c = 0; c < CELLS; c++)
        if (g->cells[c].count > 0)
            bins[0].cells[bins[0].count++] = c;
    measure(g, &bins[0]);
    while (count < COLOURS) {
        int widest = -1;
        double most = 0;
        for (int i = 0; i < count; i++)
            if (bins[i].spread * sqrt(sqrt(bins[i].weight)) > most)
                most = bins[i].spread * sqrt(sqrt(bins[i].weight)), widest = i;
        if (widest < 0 || !halve(g, &bins[widest], &bins[count]))
            break;
        count++;
    }
    g->colours = count;
    for (int i = 0; i < count; i++) {
        double sum[3] = {0};
        for (int n = 0; n < bins[i].count; n++) {
            g->place[bins[i].cells[n]] = (short)(i + 1);
            for (int k = 0; k < 3; k++)
                sum[k] += g->cells[bins[i].cells[n]].sum[k];
        }
        for (int k = 0; k < 3 && bins[i].weight > 0; k++)
            g->palette[i][k] = (unsigned char)lround(sum[k] / bins[i].weight);
    }
}

// the nearest in the palette
static unsigned char place_of(gif *g, const unsigned char *rgb) {
    short *place = &g->place[cell_of(rgb)];
    double least = INFINITY;
    for (int i = 0; i < g->colours && (*place == 0 || least < INFINITY); i++) {
        double far = 0;
        for (int k = 0; k < 3; k++)
            far += (g->palette[i][k] - rgb[k]) * (g->palette[i][k] - rgb[k]);
        if (far < least)
            least = far, *place = (short)(i + 1);
    }
    return (unsigned char)(*place - 1);
}

// ---- the file

static void put_byte(text *out, int byte) {
    char c = (char)byte;
    text_add_bytes(out, &c, 1);
}

static void put_short(text *out, int value) {
    put_byte(out, value & 255);
    put_byte(out, value >> 8);
}

void gif_begin(gif *g, text *out) {
    choose_colours(g);
    text_add(out, "GIF89a");
    put_short(out, g->width);
    put_short(out, g->height);
    put_byte(out, 0xF7); // a palette of 256
    put_short(out, 0);
    text_add_bytes(out, (const char *)g->palette, sizeof g->palette);
    text_add_bytes(out, "\x21\xFF\x0BNETSCAPE2.0\x03\x01\x00\x00\x00", 19); // for ever
}

/* Codes of 9 to 12 bits, the lowest bit first, in blocks of at most 255 bytes. */
typedef struct {
    text *out;
    unsigned bits;
    int count; // of bits that wait
    unsigned char block[255];
    int filled;
} packer;

static void flush(packer *p) {
    if (p->filled == 0)
        return;
    put_byte(p->out, p->filled);
    text_add_bytes(p->out, (const char *)p->block, p->filled);
    p->filled = 0;
}

static void pack(packer *p, int code, int bits) {
    p->bits |= (unsigned)code << p->count;
    for (p->count += bits; p->count >= 8; p->count -= 8, p->bits >>= 8) {
        p->block[p->filled++] = (unsigned char)(p->bits & 255);
        if (p->filled == 255)
            flush(p);
    }
}

typedef struct {
    int left, top, width, height;
} part;

// Lempel, Ziv and Welch's: the longest that is known, and it with one more is known from then on
static void put_image(gif *g, text *out, const part *r) {
    packer p = {.out = out};
    int bits = 9, known = END_CODE + 1, code = -1;
    put_byte(out, 8);
    memset(g->next, 0, (size_t)CODES_MOST * 256 * sizeof *g->next);
    pack(&p, CLEAR_CODE, bits);
    for (int i = 0; i < r->width * r->height; i++) {
        int x = r->left + i % r->width, y = r->top + i / r->width, at = g->now[y * g->width + x];
        if (code < 0 || g->next[code * 256 + at]) {
            code = code < 0 ? at : g->next[code * 256 + at];
            continue;
        }
        pack(&p, code, bits);
        if (known < CODES_MOST) {
            g->next[code * 256 + at] = known++;
            bits += known > 1 << bits && bits < 12;
        } else {
            pack(&p, CLEAR_CODE, bits);
            memset(g->next, 0, (size_t)CODES_MOST * 256 * sizeof *g->next);
            bits = 9, known = END_CODE + 1;
        }
        code = at;
    }
    pack(&p, code, bits);
    pack(&p, END_CODE, bits);
    pack(&p, 0, 7);
    flush(&p);
    put_byte(out, 0);
}

// where anything changed: one pixel where nothing did
static part changed(const gif *g) {
    int left = g->width, right = -1, top = g->height, bottom = -1;
    for (int y = 0; y < g->height; y++)
        for (int x = 0; x < g->width; x++) {
            if (g->begun && g->now[y * g->width + x] == g->shown[y * g->width + x])
                continue;
            left = x < left ? x : left, right = x > right ? x : right;
            top = y < top ? y : top, bottom = y;
        }
    return right < 0 ? (part){0, 0, 1, 1} : (part){left, top, right - left + 1, bottom - top + 1};
}

void gif_add(gif *g, text *out, const pixels *given, int hundredths) {
    int size = g->width * g->height;
    for (int i = 0; i < size; i++)
        g->now[i] = place_of(g, given->rgb + 3 * (size_t)i);
    part r = changed(g);
    for (int i = 0; i < size; i++) {
        bool same = g->begun && g->now[i] == g->shown[i];
        g->shown[i] = g->now[i];
        g->now[i] = same ? SAME : g->now[i];
    }
    text_add_bytes(out, g->begun ? "\x21\xF9\x04\x05" : "\x21\xF9\x04\x04",
                   4); // what is SAME shows what was there
    put_short(out, hundredths);
    put_byte(out, SAME);
    put_byte(out, 0);
    put_byte(out, 0x2C);
    put_short(out, r.left), put_short(out, r.top), put_short(out, r.width), put_short(out, r.height);
    put_byte(out, 0);
    put_image(g, out, &r);
    g->begun = true;
}

void gif_end(text *out) {
    put_byte(out, 0x3B);
}
