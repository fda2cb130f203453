/* STL: each triangle with its own corners, which are joined again where they are the same. Binary: 80 bytes
 * that mean nothing, the number of triangles, for each 12 floats (normal, corners) and two bytes. OBJ: points
 * by number, from 1 on, or from -1 backwards; faces of more corners become triangles about their first. */
#include "base/mesh.h"

#include "base/file.h"
#include "base/map.h"
#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 64 << 20, HEAD = 84, RECORD = 50 };
static const double FARTHEST = 1e30; // place that is taken for one

typedef struct {
    arena *arena;
    const char *at, *end;
    int line;
    mesh *mesh;
    map found;       // points by their coordinates
    const char *why; // what is wrong with it; NULL: nothing so far
} reader;

static bool fail(reader *r, const char *why) {
    if (r->why == NULL)
        r->why = r->line ? arena_print(r->arena, "line %d: %s", r->line, why) : why;
    return false;
}

static bool is_same(const mesh_point *a, const mesh_point *b) {
    return a->at[0] == b->at[0] && a->at[1] == b->at[1] && a->at[2] == b->at[2];
}

// the number of a point at this place
static int join_point(reader *r, mesh_point p) {
    uint64_t key = 0, bits;
    for (int k = 0; k < 3; k++) {
        p.at[k] = (float)p.at[k] + 0.0; // no -0
        memcpy(&bits, &p.at[k], sizeof bits);
        key = map_mix(key, bits);
    }
    for (int i; (i = map_get(&r->found, key)) >= 0; key = map_mix(key, 1))
        if (is_same(&r->mesh->points.at[i], &p))
            return i;
    map_put(&r->found, key, r->mesh->points.count);
    vec_push(r->arena, r->mesh->points, p);
    return r->mesh->points.count - 1;
}

static bool add_face(reader *r, int a, int b, int c) {
    if (a == b || b == c || c == a)
        return true;
    if (r->mesh->faces.count == MESH_FACES_MOST)
        return fail(r, arena_print(r->arena, "it has more than %d triangles, the most there may be",
                                   MESH_FACES_MOST));
    vec_push(r->arena, r->mesh->faces, ((mesh_face){{a, b, c}}));
    return true;
}

static bool is_placed(const mesh_point *p) {
    return fabs(p->at[0]) <= FARTHEST && fabs(p->at[1]) <= FARTHEST && fabs(p->at[2]) <= FARTHEST;
}

// ---- binary STL

static uint32_t number_at(const char *bytes) {
    const unsigned char *b = (const unsigned char *)bytes;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static mesh_point point_at(const char *bytes) {
    mesh_point p;
    for (int k = 0; k < 3; k++) {
        uint32_t bits = number_at(bytes + (size_t)4 * (size_t)k);
        float value;
        memcpy(&value, &bits, sizeof value);
        p.at[k] = value;
    }
    return p;
}

static double size_told(const char *bytes) {
    return HEAD + (double)RECORD * number_at(bytes + 80);
}

static bool read_binary(reader *r) {
    double length = (double)(r->end - r->at), told = length < HEAD ? HEAD : size_told(r->at);
    if (length != told)
        return fail(r, arena_print(r->arena, "it is %s: it should be %.0f bytes long, and is %.0f",
                                   length < told ? "cut off" : "no STL as it should be", told, length));
    uint32_t count = number_at(r->at + 80);
    for (uint32_t i = 0; i < count; i++) {
        const char *record = r->at + HEAD + (size_t)RECORD * i;
        int corner[3];
        for (int k = 0; k < 3; k++) {
            mesh_point p = point_at(record + 12 * (size_t)(k + 1));
            if (!is_placed(&p))
                return fail(r, arena_print(r->arena, "a corner of triangle %u is at no finite place", i + 1));
            corner[k] = join_point(r, p);
        }
        if (!add_face(r, corner[0], corner[1], corner[2]))
            return false;
    }
    return true;
}

// ---- texts: words of a line

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

// the next word of the line, its length; 0 at its end
static int next_word(reader *r, const char **word) {
    while (r->at < r->end && is_space(*r->at))
        r->at++;
    *word = r->at;
    while (r->at < r->end && !is_space(*r->at) && *r->at != '\n')
        r->at++;
    return (int)(r->at - *word);
}

static bool next_line(reader *r) {
    while (r->at < r->end && *r->at != '\n')
        r->at++;
    r->line++;
    return r->at++ < r->end;
}

static bool is_word(const char *word, int length, const char *known) {
    if (length != (int)strlen(known))
        return false;
    for (int i = 0; i < length; i++)
        if (tolower((unsigned char)word[i]) != known[i])
            return false;
    return true;
}

static bool read_point(reader *r, mesh_point *p) {
    for (int k = 0; k < 3; k++) {
        const char *word;
        char *end;
        int length = next_word(r, &word);
        if (length == 0)
            return fail(r, "a point has three coordinates");
        p->at[k] = number_read(word, &end);
        if (end != word + length)
            return fail(r,
                        arena_print(r->arena, "'%s' is no number",
                                    text_tamed(r->arena, arena_copy(r->arena, word, (size_t)length), false)));
    }
    return is_placed(p) || fail(r, "a point is at no finite place");
}

// ---- STL as text

static bool read_stl(reader *r) {
    int corner[3], corners = 0;
    bool inside = false, ended = false;
    do {
        const char *word;
        int length = next_word(r, &word);
        mesh_point p;
        if (is_word(word, length, "facet")) {
            if (inside)
                return fail(r, "a facet begins within another");
            inside = true, ended = false, corners = 0;
        } else if (is_word(word, length, "vertex")) {
            if (!inside || corners == 3)
                return fail(r, inside ? "a facet has three corners" : "a vertex stands in no facet");
            if (!read_point(r, &p))
                return false;
            corner[corners++] = join_point(r, p);
        } else if (is_word(word, length, "endfacet")) {
            if (!inside || corners < 3)
                return fail(r, "a facet has three corners");
            inside = false;
            if (!add_face(r, corner[0], corner[1], corner[2]))
                return false;
        } else if (is_word(word, length, "endsolid")) {
            ended = !inside;
        }
    } while (next_line(r));
    r->line = 0;
    return ended || fail(r, "it is cut off: there is no endsolid at its end");
}

// ---- OBJ

static bool read_corner(reader *r, const char *word, int length, const int *joined, int count, int *out) {
    char *end;
    long number = strtol(word, &end, 10);
    if (end == word || (end != word + length && *end != '/'))
        return fail(r, "a corner of a face is the number of a point");
    long index = number < 0 ? count + number : number - 1;
    if (number == 0 || index < 0 || index >= count)
        return fail(
            r, arena_print(r->arena, "there is no point %ld: there are %d before this line", number, count));
    *out = joined[index];
    return true;
}

static bool read_face(reader *r, const int *joined, int count) {
    int corners = 0, first = 0, last = 0, now = 0, length;
    for (const char *word; (length = next_word(r, &word)) > 0; corners++) {
        if (!read_corner(r, word, length, joined, count, &now))
            return false;
        if (corners >= 2 && !add_face(r, first, last, now))
            return false;
        first = corners ? first : now;
        last = now;
    }
    return corners > 2 || fail(r, "a face has three corners or more");
}

static bool read_obj(reader *r) {
    vec(int) joined = {0}; // of each point of the file, its number here
    do {
        const char *word;
        int length = next_word(r, &word);
        mesh_point p;
        if (is_word(word, length, "v")) {
            if (!read_point(r, &p))
                return false;
            int number = join_point(r, p);
            vec_push(r->arena, joined, number);
        } else if (is_word(word, length, "f") && !read_face(r, joined.at, joined.count)) {
            return false;
        }
    } while (next_line(r));
    r->line = 0;
    return true;
}

// ---- which

static bool is_obj(reader r) {
    do {
        const char *word;
        int length = next_word(&r, &word);
        if (is_word(word, length, "v") || is_word(word, length, "f"))
            return true;
    } while (next_line(&r));
    return false;
}

static bool is_stl(reader r) {
    const char *word;
    int length;
    while ((length = next_word(&r, &word)) == 0 && next_line(&r))
        ;
    return is_word(word, length, "solid");
}

static bool read_any(reader *r) {
    size_t length = (size_t)(r->end - r->at);
    bool told = length >= HEAD && (double)length == size_told(r->at);
    if (told || memchr(r->at, '\0', length))
        return read_binary(r);
    bool obj = is_obj(*r), stl = is_stl(*r);
    r->line = obj || stl;
    return stl ? read_stl(r) : obj ? read_obj(r) : fail(r, "it is neither STL nor OBJ");
}

static mesh *read_bytes(arena *a, const char *bytes, int length, const char **why) {
    reader r = {.arena = a, .at = bytes, .end = bytes + length, .mesh = arena_alloc(a, sizeof *r.mesh)};
    map_init(&r.found, a);
    if (read_any(&r) && r.mesh->faces.count == 0)
        fail(&r, "there is no triangle in it");
    *why = r.why;
    return r.mesh;
}

// ---- as a text

/* What a picture shows: seven digits. */
static void put_text(text *t, const mesh *m) {
    for (int i = 0; i < m->points.count; i++) {
        const double *p = m->points.at[i].at;
        text_print(t, "v %.7g %.7g %.7g\n", p[0], p[1], p[2]);
    }
    for (int i = 0; i < m->faces.count; i++) {
        const int *c = m->faces.at[i].corner;
        text_print(t, "f %d %d %d\n", c[0] + 1, c[1] + 1, c[2] + 1);
    }
}

const source *mesh_file(arena *a, const char *path, int *faces, const char **why) {
    arena *scratch = arena_child(a);
    int length;
    const char *wrong = NULL, *bytes = file_bytes(scratch, path, LARGEST, &length, &wrong);
    const mesh *m = bytes ? read_bytes(scratch, bytes, length, &wrong) : NULL;
    source *s = NULL;
    *faces = m ? m->faces.count : 0;
    if (wrong) {
        *why = arena_copy(a, wrong, strlen(wrong));
    } else {
        text t;
        text_init(&t, scratch);
        put_text(&t, m);
        s = arena_alloc(a, sizeof *s);
        *s = (source){arena_copy(a, path, strlen(path)),
                      arena_copy(a, text_string(&t), (size_t)t.bytes.count), t.bytes.count};
    }
    arena_free(scratch);
    return s;
}

const mesh *mesh_of(arena *a, const source *file) {
    const char *why;
    return read_bytes(a, file->text, file->length, &why);
}
