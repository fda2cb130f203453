/* The part of libxml2 that xml.c uses: its push parser, which calls back for each element. The library is
 * loaded when a file is first imported, never linked, and its headers are not needed to build: what is used
 * of it, unchanged since version 2.6, is declared here. */
#ifndef TRAMMEL_IMPORT_LIBXML_H
#define TRAMMEL_IMPORT_LIBXML_H

#include <stdbool.h>

typedef struct libxml_parser libxml_parser; // seen from outside

typedef void libxml_callback(void);

/* The beginning of libxml2's own structure. */
typedef struct {
    int domain, code;
    const char *message; // ends with a newline
    int level;
} libxml_problem;
enum { LIBXML_FATAL = 3, LIBXML_NO_MEMORY = 2 }; // a level, a code

/* What the parser calls, always with the pointer given to xmlCreatePushParserCtxt. An attribute is five
 * pointers: name, prefix (or NULL), namespace, and the value's first byte and end. */
typedef void libxml_start(void *user, const char *name, const char *prefix, const char *space, int spaces,
                          const char **space_list, int count, int defaulted, const char **attributes);
typedef void libxml_end(void *user, const char *name, const char *prefix, const char *space);
typedef void libxml_characters(void *user, const char *bytes, int length);
typedef void libxml_document_type(void *user, const char *name, const char *id, const char *system);
typedef void libxml_complain(void *user, const libxml_problem *problem);

/* What is not set is not called: above all, no entity is kept or looked for. */
typedef struct {
    libxml_document_type *document_type;
    libxml_callback *unused[16];
    libxml_characters *characters;
    libxml_callback *unused_too[9];
    unsigned magic;
    void *private_data;
    libxml_start *start;
    libxml_end *end;
    libxml_complain *complain;
} libxml_handler;
enum { LIBXML_MAGIC = (int)0xDEEDBEAF };

enum { LIBXML_NO_NETWORK = 1 << 11, LIBXML_IGNORE_ENCODING = 1 << 21 }; // options

#define LIBXML_FUNCTIONS(F)                                                                                  \
    F(libxml_parser *, xmlCreatePushParserCtxt,                                                              \
      (libxml_handler *, void *user, const char *chunk, int size, const char *file))                         \
    F(int, xmlCtxtUseOptions, (libxml_parser *, int options))                                                \
    F(int, xmlParseChunk, (libxml_parser *, const char *chunk, int size, int last))                          \
    F(long, xmlByteConsumed, (libxml_parser *))                                                              \
    F(void, xmlStopParser, (libxml_parser *))                                                                \
    F(void, xmlFreeParserCtxt, (libxml_parser *))

#define LIBXML_POINTER(result, name, parameters) result(*name) parameters;
typedef struct {
    LIBXML_FUNCTIONS(LIBXML_POINTER)
} libxml;

bool libxml_load(libxml *lib);                 // false if it is not there
const char *libxml_missing(const char **hint); // what is missing, or NULL

#endif
