/* Classes of defaults: an attribute that an element does not have is sought in its class, the one around
 * that, and so on. */
#include "import/mjcf.h"

#include <string.h>

static const char *const kinds[MJCF_KINDS + 1] = {"joint",    "geom",  "site",     "mesh",
                                                  "equality", "motor", "position", "velocity"};

// what couples and connects is one kind
int mjcf_kind(const xml_element *e) {
    bool equality = e->parent && element_is(e->parent, "equality");
    for (int i = 0; kinds[i]; i++)
        if (strcmp(equality ? "equality" : e->name, kinds[i]) == 0)
            return i;
    return -1;
}

static void add_class(mjcf *m, const xml_element *e, int parent) {
    const xml_attribute *name = xml_attribute_find(e, "class");
    const char *called = name ? name->value : parent < 0 ? "main" : "";
    if (parent >= 0 && name == NULL)
        diag_error(m->r->diags, e->at, "<default> within another needs class=\"...\"");
    int number = names_intern(m->class_names, called, (int)strlen(called));
    mjcf_class added = {.at = e, .parent = parent};
    if (number < m->classes.count) {
        if (parent >= 0 && name)
            diag_other(diag_error(m->r->diags, name->at, "there are two classes of the name '%s'", called),
                       m->classes.at[number].at->at, "the first is here");
        return;
    }
    for (const xml_element *c = e->first; c; c = c->next)
        if (mjcf_kind(c) >= 0)
            added.of[mjcf_kind(c)] = c;
    vec_push(m->r->arena, m->classes, added);
    for (const xml_element *c = e->first; c; c = c->next)
        if (element_is(c, "default"))
            add_class(m, c, number);
}

void mjcf_read_defaults(mjcf *m, const xml_element *root) {
    const xml_element *first = NULL;
    for (const xml_element *e = root->first; e; e = e->next) {
        if (!element_is(e, "default"))
            continue;
        if (first)
            diag_other(diag_error(m->r->diags, e->at, "<default> is given twice"), first->at,
                       "first given here");
        else
            add_class(m, e, -1);
        first = first ? first : e;
    }
}

int mjcf_class_of(mjcf *m, const xml_element *e, const char *attribute, int inherited) {
    const xml_attribute *a = xml_attribute_find(e, attribute);
    if (a == NULL)
        return inherited;
    int class = names_find(m->class_names, a->value, (int)strlen(a->value));
    if (class < 0 && strcmp(a->value, "main") != 0)
        element_suggest(m->r, diag_error(m->r->diags, a->at, "there is no default class '%s'", a->value),
                        a->value, m->class_names);
    return class;
}

const xml_element *mjcf_default(const mjcf *m, int kind, int *class) {
    while (kind >= 0 && *class >= 0) {
        const mjcf_class *at = &m->classes.at[*class];
        *class = at->parent;
        if (at->of[kind])
            return at->of[kind];
    }
    return NULL;
}

const xml_attribute *mjcf_find(const mjcf *m, const xml_element *e, int class, const char *name) {
    int kind = mjcf_kind(e);
    const xml_attribute *found = NULL;
    for (; e && !found; e = mjcf_default(m, kind, &class))
        found = xml_attribute_find(e, name);
    return found;
}

void mjcf_numbers(mjcf *m, const xml_element *e, int class, const char *name, int count, double *out) {
    const xml_attribute *a = mjcf_find(m, e, class, name);
    if (a)
        numbers_in(m->r, a, count, out);
}

bool mjcf_says(const mjcf *m, const xml_element *e, int class, const char *name, const char *value) {
    const xml_attribute *a = mjcf_find(m, e, class, name);
    return a && strcmp(a->value, value) == 0;
}
