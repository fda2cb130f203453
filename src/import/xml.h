/* An XML file as a tree of elements with their attributes and places. Of the text
 * between tags, the first XML_LONGEST bytes within each element are kept. */
#ifndef TRAMMEL_IMPORT_XML_H
#define TRAMMEL_IMPORT_XML_H

#include "base/diag.h"

typedef struct {
    const char *name, *value;
    place at; // of its name
} xml_attribute;

typedef struct xml_element xml_element;
struct xml_element {
    const char *name; // with its prefix, as in xacro:macro
    place at;         // the tag's name
    xml_attribute *attributes;
    int count;
    const char *text;                          // between its tags, that of its children left out; never NULL
    xml_element *parent, *first, *last, *next; // first and last child, next sibling; NULL for none
};

/* The root, or NULL and an error: where the text is no UTF-8 or not well-formed; where it has a DOCTYPE, for
 * an entity could stand for any file or any amount of text; where it is nested deeper than XML_DEEPEST. The
 * tree belongs to the arena. */
enum { XML_DEEPEST = 200, XML_LONGEST = 4096 };
const xml_element *xml_read(arena *a, const source *s, diags *d);

const xml_attribute *xml_attribute_find(const xml_element *e, const char *name); // NULL for none

#endif
