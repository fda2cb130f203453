#include "export/pieces.h"

#include "base/map.h"

#include <ctype.h>
#include <string.h>

enum { OVERRIDING = -1 };

typedef struct {
    const char *begin; // with the comment before it
    int length;
    int file; // its number; OVERRIDING
    bool function;
    bool is_static;
    bool is_struct;
    bool printed;
} piece;

typedef struct {
    const char *name;
    int length;
    int piece;
    bool own; // static in a .c file
    const char *as;
    int next; // of the same hash; -1
} definition;

enum { SLOTS = 4096 };

struct pieces {
    arena *arena;
    vec(piece) pieces;
    vec(definition) definitions;
    vec(const char *) files;
    int slots[SLOTS];
};

pieces *pieces_new(arena *a) {
    pieces *p = arena_alloc(a, sizeof *p);
    p->arena = a;
    for (int i = 0; i < SLOTS; i++)
        p->slots[i] = -1;
    return p;
}

// ---- words

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* The next identifier from *c on, outside comments, strings and numbers; its length, 0 at the end. *member:
 * it is that of a field, behind . or -> */
static int next_word(const char **c, const char *end, bool *member) {
    char before = ' ';
    const char *at = *c;
    while (at < end) {
        if (at + 1 < end && at[0] == '/' && (at[1] == '/' || at[1] == '*')) {
            const char *close = at[1] == '/' ? "\n" : "*/";
            const char *to = strstr(at + 2, close);
            at = to && to < end ? to + strlen(close) : end;
        } else if (*at == '"' || *at == '\'') {
            char quote = *at++;
            while (at < end && *at != quote)
                at += *at == '\\' ? 2 : 1;
            at++;
        } else if (isdigit((unsigned char)*at)) {
            while (at < end &&
                   (is_word(*at) || *at == '.' || ((*at == '-' || *at == '+') && (at[-1] == 'e'))))
                at++;
            before = '0';
        } else if (is_word(*at)) {
            const char *from = at;
            while (at < end && is_word(*at))
                at++;
            *member = before == '.' || before == '>';
            *c = from;
            return (int)(at - from);
        } else {
            if (*at == '>' && at[-1] != '-')
                before = ' ';
            else if (!isspace((unsigned char)*at))
                before = *at;
            at++;
        }
    }
    *c = end;
    return 0;
}

static unsigned hash(const char *word, int length) {
    unsigned h = 2166136261u;
    for (int i = 0; i < length; i++)
        h = (h ^ (unsigned char)word[i]) * 16777619u;
    return h % SLOTS;
}

// ---- definitions

static void define(pieces *p, const char *word, int length, int of, bool own) {
    unsigned slot = hash(word, length);
    definition d = {arena_copy(p->arena, word, (size_t)length), length, of, own, NULL, p->slots[slot]};
    d.as = d.name;
    vec_push(p->arena, p->definitions, d);
    p->slots[slot] = p->definitions.count - 1;
}

static bool word_is(const char *word, int length, const char *what) {
    return (int)strlen(what) == length && memcmp(word, what, (size_t)length) == 0;
}

// enumerators of the braces that begin at or after `from`
static void define_enumerators(pieces *p, const char *from, const char *end, int of, bool own) {
    const char *c = memchr(from, '{', (size_t)(end - from));
    bool awaited = true, member;
    int length;
    if (c == NULL)
        return;
    for (c++; (length = next_word(&c, end, &member)) > 0; c += length) {
        if (awaited)
            define(p, c, length, of, own);
        const char *after = c + length;
        while (after < end && *after != ',' && *after != '}')
            after++;
        if (after >= end || *after == '}')
            return;
        c = after + 1;
        length = 0;
    }
}

// the last word before `stop`
static int word_before(const char *begin, const char *stop, const char **word) {
    const char *end = stop;
    while (end > begin && !is_word(end[-1]))
        end--;
    const char *from = end;
    while (from > begin && is_word(from[-1]))
        from--;
    *word = from;
    return (int)(end - from);
}

static const char *find_char(const char *from, const char *end, char c) {
    return memchr(from, c, (size_t)(end - from));
}

// x = 1, y = 2: each word before a =
static void define_variables(pieces *p, const char *from, const char *end, int of, bool own) {
    int depth = 0;
    for (const char *c = from; c < end; c++) {
        depth += *c == '{' || *c == '(' ? 1 : *c == '}' || *c == ')' ? -1 : 0;
        if (depth == 0 && *c == '=') {
            const char *stop = c, *word;
            while (stop > from && (stop[-1] == ' ' || stop[-1] == ']')) { // int x[] =
                if (stop[-1] == ']')
                    while (stop > from && *stop != '[')
                        stop--;
                else
                    stop--;
            }
            int length = word_before(from, stop, &word);
            define(p, word, length, of, own);
        }
    }
}

static void define_typedef(pieces *p, const char *begin, const char *end, int of) {
    const char *brace = find_char(begin, end, '{'), *round = find_char(begin, end, '('), *word;
    const char *stop = end;
    if (brace == NULL && round != NULL)
        stop = round; // typedef int f(int x);
    int length = word_before(begin, stop, &word);
    define(p, word, length, of, false);
}

/* What a piece defines; false if that is nothing, as of a prototype. `begin` is behind its comment. */
static bool define_all(pieces *p, const char *begin, const char *end, int number, bool in_source) {
    piece *it = &p->pieces.at[number];
    const char *c = begin, *word;
    bool member;
    int length;
    if (*begin == '#') {
        c = begin + 1;
        length = next_word(&c, end, &member);
        if (!word_is(c, length, "define"))
            return false;
        c += length;
        length = next_word(&c, end, &member);
        define(p, c, length, number, in_source);
        return true;
    }
    length = next_word(&c, end, &member);
    it->is_static = word_is(c, length, "static");
    if (word_is(c, length, "extern") || length == 0)
        return false;
    if (word_is(c, length, "typedef")) {
        const char *next = c + length;
        int size = next_word(&next, end, &member);
        it->is_struct = word_is(next, size, "struct");
        define_typedef(p, begin, end, number);
        if (word_is(next, size, "enum"))
            define_enumerators(p, next, end, number, false);
        return true;
    }
    const char *brace = find_char(begin, end, '{'), *round = find_char(begin, end, '('),
               *equals = find_char(begin, end, '=');
    if (word_is(c, length, "enum")) {
        define_enumerators(p, begin, end, number, in_source);
        return true;
    }
    if (word_is(c, length, "struct") && brace && (round == NULL || brace < round)) {
        it->is_struct = true;
        length = word_before(begin, brace, &word);
        define(p, word, length, number, false);
        return true;
    }
    if (equals && (round == NULL || equals < round) && (brace == NULL || equals < brace)) {
        define_variables(p, begin, end, number, in_source && it->is_static);
        return true;
    }
    if (round == NULL || brace == NULL)
        return false;
    it->function = true;
    length = word_before(begin, round, &word);
    define(p, word, length, number, in_source && it->is_static);
    return true;
}

// ---- pieces of a text

// the end of the line at c
static const char *line_end(const char *c) {
    const char *end = strchr(c, '\n');
    return end ? end + 1 : c + strlen(c);
}

// behind a comment that begins at c
static const char *comment_end(const char *c) {
    if (c[1] == '/')
        return line_end(c);
    const char *end = strstr(c, "*/");
    return end ? line_end(end) : c + strlen(c);
}

// behind the line on which all braces are closed; of a line of the preprocessor, on which it does not go on
static const char *item_end(const char *c) {
    int depth = 0;
    bool line = *c == '#';
    for (; *c; c++) {
        if (line) {
            if (*c == '\n' && c[-1] != '\\')
                return c + 1;
            continue;
        }
        if (c[0] == '/' && (c[1] == '*' || c[1] == '/')) {
            c = comment_end(c) - 1;
            if (depth == 0)
                continue;
        } else if (*c == '"' || *c == '\'') {
            char quote = *c++;
            for (; *c && *c != quote; c++)
                c += *c == '\\';
        } else if (*c == '{') {
            depth++;
        } else if (*c == '}') {
            depth--;
            if (depth == 0 && c[1] == '\n')
                return c + 2;
        } else if (*c == ';' && depth == 0) {
            return line_end(c);
        }
    }
    return c;
}

static void cut(pieces *p, int file, const char *path, const char *given) {
    bool in_source = path && strlen(path) > 2 && strcmp(path + strlen(path) - 2, ".c") == 0;
    const char *comment = NULL;
    for (const char *c = given; *c;) {
        if (*c == '\n') {
            comment = NULL;
            c++;
            continue;
        }
        if (c[0] == '/' && (c[1] == '/' || c[1] == '*')) {
            comment = comment ? comment : c;
            c = comment_end(c);
            continue;
        }
        const char *end = item_end(c), *begin = comment ? comment : c;
        piece it = {.begin = begin, .length = (int)(end - begin), .file = file};
        vec_push(p->arena, p->pieces, it);
        if (!define_all(p, c, end, p->pieces.count - 1, in_source))
            p->pieces.count--;
        comment = NULL;
        c = end;
    }
}

void pieces_add(pieces *p, const char *path, const char *given) {
    vec_push(p->arena, p->files, path);
    cut(p, p->files.count - 1, path, given);
}

void pieces_override(pieces *p, const char *given) {
    cut(p, OVERRIDING, NULL, given);
}

// ---- what a name means

static bool same(const definition *d, const char *word, int length) {
    return d->length == length && memcmp(d->name, word, (size_t)length) == 0;
}

// 4: overriding, 3: of the file, 2: of all, 1: another file's own, of use to what overrides; 0: not to be
// seen
static int rank_of(const pieces *p, const definition *d, int file) {
    int from = p->pieces.at[d->piece].file;
    return from == OVERRIDING ? 4 : from == file ? 3 : !d->own ? 2 : file == OVERRIDING ? 1 : 0;
}

static int most(const pieces *p, const char *word, int length, int file) {
    int best = 0;
    for (int i = p->slots[hash(word, length)]; i >= 0; i = p->definitions.at[i].next) {
        const definition *d = &p->definitions.at[i];
        int rank = same(d, word, length) ? rank_of(p, d, file) : 0;
        best = rank > best ? rank : best;
    }
    return best;
}

// ---- printing

static void print_piece(pieces *p, int number, text *out);

// a type and the structure of the same name may be pieces of their own; the first comes first
static void print_needed(pieces *p, const char *word, int length, int file, text *out) {
    int best = most(p, word, length, file);
    vec(int) found = {0};
    for (int i = p->slots[hash(word, length)]; best && i >= 0; i = p->definitions.at[i].next)
        if (same(&p->definitions.at[i], word, length) && rank_of(p, &p->definitions.at[i], file) == best)
            vec_push(p->arena, found, p->definitions.at[i].piece);
    for (int k = found.count - 1; k >= 0; k--)
        print_piece(p, found.at[k], out);
}

static const char *name_in_print(const pieces *p, const char *word, int length, int file) {
    int best = most(p, word, length, file);
    for (int i = p->slots[hash(word, length)]; best && i >= 0; i = p->definitions.at[i].next)
        if (same(&p->definitions.at[i], word, length) && rank_of(p, &p->definitions.at[i], file) == best)
            return p->definitions.at[i].as;
    return NULL;
}

// in a structure: what a field is called
static bool is_field(const piece *it, const char *word, int length) {
    return it->is_struct && strchr(";,[", word[length]) != NULL;
}

/* A variable or parameter of the piece: once it stands behind a type or a star. */
static bool is_variable(const piece *it, const char *word, int length) {
    const char *c = it->begin, *end = it->begin + it->length;
    bool member;
    for (int size; it->function && (size = next_word(&c, end, &member)) > 0; c += size) {
        if (member || size != length || memcmp(c, word, (size_t)length) != 0 || c == it->begin)
            continue;
        const char *before = c - 1, *behind = c + length, *other;
        bool ends = strchr(",);[", *behind) != NULL || strncmp(behind, " = ", 3) == 0;
        if (!ends || (*before != '*' && (*before != ' ' || !is_word(before[-1]))))
            continue;
        int of = word_before(it->begin, before, &other);
        if (!word_is(other, of, "return") && !word_is(other, of, "else") && !word_is(other, of, "sizeof"))
            return true;
    }
    return false;
}

static bool is_reference(const piece *it, const char *word, int length) {
    return !is_field(it, word, length) && !is_variable(it, word, length);
}

static void put_words(pieces *p, const piece *it, text *out) {
    const char *c = it->begin, *end = it->begin + it->length;
    bool member;
    for (;;) {
        const char *word = c;
        int length = next_word(&word, end, &member);
        text_add_bytes(out, c, (int)(word - c));
        if (length == 0)
            return;
        const char *as =
            member || most(p, word, length, it->file) == 0 || (length && !is_reference(it, word, length))
                ? NULL
                : name_in_print(p, word, length, it->file);
        if (as)
            text_add(out, as);
        else
            text_add_bytes(out, word, length);
        c = word + length;
    }
}

// where another file's static of that name was printed before
static void rename_own(pieces *p, int number) {
    const piece *it = &p->pieces.at[number];
    for (int i = 0; i < p->definitions.count; i++) {
        definition *d = &p->definitions.at[i];
        if (d->piece != number || !d->own)
            continue;
        for (int k = p->slots[hash(d->name, d->length)]; k >= 0; k = p->definitions.at[k].next) {
            const definition *other = &p->definitions.at[k];
            const piece *where = &p->pieces.at[other->piece];
            if (where->printed && where->file != it->file && strcmp(other->as, d->as) == 0) {
                const char *path = p->files.at[it->file], *base = strrchr(path, '/');
                base = base ? base + 1 : path;
                d->as = arena_print(p->arena, "%.*s_%s", (int)strcspn(base, "."), base, d->name);
            }
        }
    }
}

static const char *behind_comment(const piece *it) {
    const char *c = it->begin;
    while (c[0] == '/' && (c[1] == '/' || c[1] == '*'))
        c = comment_end(c);
    return c;
}

static void print_piece(pieces *p, int number, text *out) {
    if (p->pieces.at[number].printed)
        return;
    p->pieces.at[number].printed = true;
    piece it = p->pieces.at[number];
    rename_own(p, number);
    const char *c = it.begin, *end = it.begin + it.length;
    bool member;
    for (int length; (length = next_word(&c, end, &member)) > 0; c += length)
        if (!member && most(p, c, length, it.file) && is_reference(&it, c, length))
            print_needed(p, c, length, it.file, out);
    const char *code = behind_comment(&it);
    text_add_bytes(out, it.begin, (int)(code - it.begin));
    if (it.function && !it.is_static && it.file != OVERRIDING)
        text_add(out, "static ");
    put_words(p,
              &(piece){.begin = code,
                       .length = (int)(end - code),
                       .file = it.file,
                       .is_struct = it.is_struct,
                       .function = it.function},
              out);
    text_add(out, "\n");
}

void pieces_print(pieces *p, const char *name, text *out) {
    print_needed(p, name, (int)strlen(name), OVERRIDING, out);
}
