#include "mech/part_settings.h"

#include <string.h>

const item *setting_find(elab *L, const item_list *list, const char *name) {
    for (int i = 0; i < list->count; i++)
        if (strcmp(names_text(L->names, list->at[i].name), name) == 0)
            return &list->at[i];
    return NULL;
}

static const char *listed(elab *L, const char *const *known) {
    text t;
    text_init(&t, L->arena);
    for (int i = 0; known[i]; i++)
        text_print(&t, "%s%s", i == 0 ? "" : known[i + 1] ? ", " : " and ", known[i]);
    return text_string(&t);
}

static bool is_known(elab *L, const item *it, const char *const *known, const char *whose) {
    const char *name = names_text(L->names, it->name);
    name_guess best = {0};
    for (int i = 0; known[i]; i++) {
        if (strcmp(known[i], name) == 0)
            return true;
        names_offer(&best, name, known[i]);
    }
    diag *d = elab_error(L, it->at, "%s has no '%s'", whose, name);
    if (!elab_suggest(L, d, best))
        d->hint = known[0] ? arena_print(L->arena, "it takes %s", listed(L, known)) : "it takes none";
    return false;
}

bool setting_check(elab *L, const item_list *list, const char *const *known, const char *whose) {
    bool ok = true;
    for (int i = 0; i < list->count; i++) {
        const item *it = &list->at[i], *first = setting_find(L, list, names_text(L->names, it->name));
        ok &= is_known(L, it, known, whose);
        if (first != it) {
            diag_other(elab_error(L, it->at, "this is given twice"), first->at, "first given here");
            ok = false;
        }
    }
    return ok;
}

const char *setting_form(int size) {
    static const char *const forms[] = {"", "a single number", "a pair (x, y)", "a triple (x, y, z)",
                                        "a quaternion (w, x, y, z)"};
    return forms[size];
}

bool setting_tuple(elab *L, const node *n, const binding *scope, int size, const char *what, double *out) {
    value v = elab_known_value(L, n, scope, what);
    if (v.size == 0)
        return false;
    if (v.size != size) {
        elab_error(L, n->whole, "%s is %s here, not %s", what, setting_form(size), setting_form(v.size));
        return false;
    }
    for (int i = 0; i < size; i++)
        out[i] = elab_peek(L, &v.at[i]);
    return true;
}

bool setting_vector(elab *L, const node *n, const binding *scope, bool planar, const char *what,
                    vector *out) {
    double at[3] = {0};
    if (!setting_tuple(L, n, scope, planar ? 2 : 3, what, at))
        return false;
    *out = (vector){at[0], at[1], at[2]};
    return true;
}
