#include "import/xml.h"

#include "import/libxml.h"

#include <stdint.h>
#include <string.h>

typedef struct {
    arena *arena;
    const source *source;
    diags *diags;
    libxml lib;
    libxml_parser *parser;
    xml_element *root, *open; // the innermost element not yet closed
    int depth;
    bool stopped, no_memory;
} reader;

// ---- places: libxml2 says how many bytes it has read; within them the last '<' begins the tag at hand

static int bytes_read(const reader *r) {
    long at = r->lib.xmlByteConsumed(r->parser);
    return at < 0 ? 0 : at > r->source->length ? r->source->length : (int)at;
}

static int length_of_name(const char *at) {
    return (int)strcspn(at, " \t\r\n=/>[");
}

// of the tag's name
static place place_of_tag(const reader *r) {
    int at = bytes_read(r);
    const char *text = r->source->text;
    while (at > 0 && text[at] != '<')
        at--;
    at += text[at] == '<';
    return (place){r->source, at, length_of_name(text + at)};
}

/* Of an attribute's name. The tag is well-formed, so what follows its name is pairs NAME = "VALUE";
 * attributes are asked for in the order in which they stand there, each from where the last one ended, *from.
 */
static place place_of_attribute(const reader *r, place tag, const char *prefix, const char *name,
                                const char **from) {
    size_t before = prefix ? strlen(prefix) + 1 : 0;
    const char *at = *from;
    for (;;) {
        at += strspn(at, " \t\r\n");
        const char *start = at, *quote = strpbrk(at, "\"'>");
        int length = length_of_name(at);
        if (length == 0 || quote == NULL || *quote == '>' || (at = strchr(quote + 1, *quote)) == NULL)
            return tag;
        at++;
        if ((size_t)length == before + strlen(name) && memcmp(start + before, name, strlen(name)) == 0) {
            *from = at;
            return (place){r->source, (int)(start - r->source->text), length};
        }
    }
}

// ---- what the parser calls

static void stop(reader *r) {
    r->stopped = true;
    r->lib.xmlStopParser(r->parser);
}

static diag *wrong(reader *r, place at, const char *message) {
    stop(r);
    return diag_error(r->diags, at, "%s", message);
}

static const char *with_prefix(arena *a, const char *prefix, const char *name) {
    return prefix ? arena_print(a, "%s:%s", prefix, name) : arena_copy(a, name, strlen(name));
}

static void add_element(reader *r, const char *name, const char *prefix, int count, const char **attributes) {
    arena *a = r->arena;
    xml_element *e = arena_alloc(a, sizeof *e), *parent = r->open;
    *e = (xml_element){
        with_prefix(a, prefix, name), place_of_tag(r), NULL, count, "", parent, NULL, NULL, NULL};
    if (r->depth == XML_DEEPEST) {
        wrong(r, e->at, "elements are nested too deeply")->hint =
            arena_print(a, "no robot description needs more than %d levels", XML_DEEPEST);
        return;
    }
    e->attributes = arena_array(a, xml_attribute, count + 1);
    const char *from = r->source->text + e->at.offset + e->at.length;
    for (int i = 0; i < count; i++) {
        const char **five = attributes + (ptrdiff_t)5 * i;
        e->attributes[i] = (xml_attribute){with_prefix(a, five[1], five[0]),
                                           arena_copy(a, five[3], (size_t)(five[4] - five[3])),
                                           place_of_attribute(r, e->at, five[1], five[0], &from)};
    }
    if (parent == NULL)
        r->root = e;
    else if (parent->last)
        parent->last->next = e;
    else
        parent->first = e;
    if (parent)
        parent->last = e;
    r->open = e;
    r->depth++;
}

static void add_text(reader *r, const char *bytes, int length) {
    size_t known = strlen(r->open->text), room = XML_LONGEST - known;
    const char *blank = " \t\r\n";
    int start = 0;
    while (known == 0 && start < length && strchr(blank, bytes[start]))
        start++;
    size_t added = (size_t)(length - start) < room ? (size_t)(length - start) : room;
    if (added == 0)
        return;
    r->open->text = arena_print(r->arena, "%s%.*s", r->open->text, (int)added, bytes + start);
}

/* Without memory the arena goes to its recover point; not through the frames of libxml2, though. `work` is
 * done with a recover point of our own, and read_text goes on from there. */
#define GUARDED(r, work)                                                                                     \
    do {                                                                                                     \
        jmp_buf here;                                                                                        \
        jmp_buf *outer = arena_recover((r)->arena, &here);                                                   \
        if ((r)->stopped)                                                                                    \
            ;                                                                                                \
        else if (setjmp(here)) {                                                                             \
            (r)->no_memory = true;                                                                           \
            stop(r);                                                                                         \
        } else {                                                                                             \
            work;                                                                                            \
        }                                                                                                    \
        arena_recover((r)->arena, outer);                                                                    \
    } while (0)

static void on_start(void *user, const char *name, const char *prefix, const char *space, int spaces,
                     const char **space_list, int count, int defaulted, const char **attributes) {
    reader *r = user;
    (void)space, (void)spaces, (void)space_list, (void)defaulted;
    GUARDED(r, add_element(r, name, prefix, count, attributes));
}

static void on_end(void *user, const char *name, const char *prefix, const char *space) {
    reader *r = user;
    (void)name, (void)prefix, (void)space;
    if (r->stopped || r->open == NULL)
        return;
    r->open = r->open->parent;
    r->depth--;
}

static void on_characters(void *user, const char *bytes, int length) {
    reader *r = user;
    if (r->open)
        GUARDED(r, add_text(r, bytes, length));
}

static void on_document_type(void *user, const char *name, const char *id, const char *system) {
    reader *r = user;
    (void)name, (void)id, (void)system;
    GUARDED(r, wrong(r, place_of_tag(r),
                     "a DOCTYPE is not read: it could bring in other files, or text without end")
                   ->hint = "delete it, and write out what its entities stand for");
}

static void tell(reader *r, const libxml_problem *problem) {
    int length = (int)strcspn(problem->message ? problem->message : "", "\n");
    int at = bytes_read(r);
    diag *d = diag_error(r->diags, (place){r->source, at, 1}, "this is not well-formed XML: %.*s", length,
                         problem->message ? problem->message : "");
    if (r->source->text[strspn(r->source->text, " \t\r\n")] != '<')
        d->hint = "a robot's file begins with '<'; a model is run as it is: trammel run";
    else if (at == r->source->length && r->source->text[at - (at > 0)] != '>')
        d->hint = "the file ends here: is it whole?";
    stop(r);
}

// prefixes without a namespace, and the like, are no reason to refuse a file
static void on_problem(void *user, const libxml_problem *problem) {
    reader *r = user;
    if (problem->level < LIBXML_FATAL)
        return;
    if (problem->code == LIBXML_NO_MEMORY)
        r->no_memory = r->stopped = true;
    GUARDED(r, tell(r, problem));
}

// ---- the whole text

static void release(void *object) {
    reader *r = object;
    if (r->parser)
        r->lib.xmlFreeParserCtxt(r->parser);
    r->parser = NULL;
}

static void parse(reader *r) {
    enum { CHUNK = 1 << 16 };
    libxml_handler handler = {.document_type = on_document_type,
                              .magic = (unsigned)LIBXML_MAGIC,
                              .characters = on_characters,
                              .start = on_start,
                              .end = on_end,
                              .complain = on_problem};
    r->parser = r->lib.xmlCreatePushParserCtxt(&handler, r, NULL, 0, NULL);
    if (r->parser == NULL)
        arena_give_up(r->arena);
    r->lib.xmlCtxtUseOptions(r->parser, LIBXML_NO_NETWORK | LIBXML_IGNORE_ENCODING);
    for (int at = 0; at < r->source->length && !r->stopped; at += CHUNK) {
        int left = r->source->length - at;
        r->lib.xmlParseChunk(r->parser, r->source->text + at, left < CHUNK ? left : CHUNK, 0);
    }
    if (!r->stopped)
        r->lib.xmlParseChunk(r->parser, "", 0, 1);
    release(r);
    if (r->no_memory)
        arena_give_up(r->arena);
}

// the length of the UTF-8 character at hand, 0 if it is none
static int utf8_length(const unsigned char *c) {
    int length = c[0] < 0x80 ? 1 : c[0] < 0xC2 ? 0 : c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : c[0] < 0xF5 ? 4 : 0;
    for (int i = 1; i < length; i++)
        if ((c[i] & 0xC0) != 0x80)
            return 0;
    return length;
}

// whatever encoding the file says that it has: what we read, and point at, is its bytes
static bool is_utf8(const source *s, diags *d) {
    for (int at = 0; at < s->length;) {
        int length = utf8_length((const unsigned char *)s->text + at);
        if (length == 0) {
            diag_error(d, (place){s, at, 1}, "a byte with code %d, which is no UTF-8 text",
                       (unsigned char)s->text[at])
                ->hint = "save the file as UTF-8";
            return false;
        }
        at += length;
    }
    return true;
}

/* libxml2 compares each attribute of a tag with all before it: a million of them would take an hour. No '<'
 * stands within a tag, so that up to the next one there are at least as many '=' as attributes. */
static bool tags_are_short(const source *s, diags *d) {
    enum { MOST = 1000 };
    const char *tag = s->text;
    int signs = 0;
    for (const char *at = s->text; *at; at++) {
        if (*at == '<') {
            tag = at;
            signs = 0;
        }
        signs += *at == '=' && tag[1] != '!' && tag[1] != '?';
        if (signs > MOST) {
            diag_error(d, (place){s, (int)(tag - s->text), 1}, "this tag has more than %d attributes", MOST);
            return false;
        }
    }
    return true;
}

const xml_element *xml_read(arena *a, const source *s, diags *d) {
    const char *hint, *missing = libxml_missing(&hint);
    if (missing) {
        diag_error(d, (place){0}, "import %s", missing)->hint = hint;
        return NULL;
    }
    if (s->text[strspn(s->text, " \t\r\n")] == '\0') {
        diag_error(d, (place){0}, "'%s' is empty", s->path);
        return NULL;
    }
    if (!is_utf8(s, d) || !tags_are_short(s, d))
        return NULL;
    reader *r = arena_alloc(a, sizeof *r);
    *r = (reader){.arena = a, .source = s, .diags = d};
    libxml_load(&r->lib);
    arena_when_freed(a, release, r);
    parse(r);
    if (r->root == NULL && d->errors == 0)
        diag_error(d, (place){s, 0, 1}, "there is no element in this file");
    return d->errors == 0 ? r->root : NULL;
}

const xml_attribute *xml_attribute_find(const xml_element *e, const char *name) {
    for (int i = 0; i < e->count; i++)
        if (strcmp(e->attributes[i].name, name) == 0)
            return &e->attributes[i];
    return NULL;
}
