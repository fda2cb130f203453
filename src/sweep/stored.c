#include "sweep/stored.h"

#include <stdlib.h>
#include <string.h>

void stored_put(text *t, const char *key, const char *value) {
    text_print(t, "%s ", key);
    for (; *value; value++) {
        if (*value == '\n' || *value == '\\')
            text_add(t, *value == '\n' ? "\\n" : "\\\\");
        else
            text_add_bytes(t, value, 1);
    }
    text_add(t, "\n");
}

void stored_put_number(text *t, const char *key, double value) {
    char room[32];
    stored_put(t, key, number_shortest(room, value));
}

static const char *const kinds[COLUMN_KINDS] = {"parameter", "final",  "output", "result",
                                                "when",      "report", "hidden"};

void stored_put_columns(text *t, const sweep_columns *columns) {
    for (int i = 0; i < columns->list.count; i++) {
        const sweep_column *c = &columns->list.at[i];
        stored_put(t, kinds[c->kind], c->name);
    }
    stored_put_number(t, "sampled", columns->sampled);
}

static const char *unescaped(arena *a, const char *from, size_t length) {
    char *out = arena_copy(a, from, length), *to = out;
    for (size_t i = 0; i < length; i++) {
        bool escape = from[i] == '\\' && i + 1 < length;
        i += escape;
        *to++ = escape && from[i] == 'n' ? '\n' : from[i];
    }
    *to = '\0';
    return out;
}

bool stored_next(arena *a, const char **at, const char **key, const char **value) {
    size_t length = strcspn(*at, "\n"), name = strcspn(*at, " \n");
    if (**at == '\0')
        return false;
    size_t begin = name < length ? name + 1 : name;
    *key = arena_copy(a, *at, name);
    *value = unescaped(a, *at + begin, length - begin);
    *at += length + ((*at)[length] == '\n');
    return true;
}

const char *stored_find(arena *a, const char *stored, const char *key) {
    const char *found, *value;
    while (stored_next(a, &stored, &found, &value))
        if (strcmp(found, key) == 0)
            return value;
    return NULL;
}

bool sweep_columns_repeated(const sweep_columns *c, int i) {
    for (int k = c->first; c->list.at[i].kind == COLUMN_IS_RESULT && k < c->first + c->finals; k++)
        if (strcmp(c->list.at[k].name, c->list.at[i].name) == 0)
            return true;
    return false;
}

bool stored_read_columns(arena *a, const char *stored, long *cases, sweep_columns *out) {
    const char *key, *value;
    *out = (sweep_columns){0};
    *cases = 0;
    out->first = -1;
    while (stored_next(a, &stored, &key, &value)) {
        for (int k = 0; k < COLUMN_KINDS; k++)
            if (strcmp(key, kinds[k]) == 0) {
                sweep_column c = {(sweep_column_kind)k, value};
                if (out->first < 0 && (k == COLUMN_IS_FINAL || k == COLUMN_IS_SHOWN))
                    out->first = out->list.count;
                out->finals += k == COLUMN_IS_FINAL || k == COLUMN_IS_SHOWN;
                vec_push(a, out->list, c);
            }
        if (strcmp(key, "sampled") == 0)
            out->sampled = (int)strtol(value, NULL, 10);
        if (strcmp(key, "cases") == 0)
            *cases = strtol(value, NULL, 10);
    }
    return *cases > 0 && out->first >= 0;
}
