#include "report/columns.h"

#include "report/parts.h"

#include <string.h>

int columns_length(const model *m, column_group group) {
    switch (group) {
    case COLUMN_QUASI:
        return m->quasis.count;
    case COLUMN_OUTPUT:
        return m->outputs.count;
    case COLUMN_RESIDUAL:
        return m->rows.count;
    default:
        return m->coords.count;
    }
}

const double *columns_values(const sample *s, column_group group) {
    const double *const values[COLUMN_GROUPS] = {s->q, s->v, s->s, s->outputs, s->reaction, s->residual};
    return values[group];
}

static const char *residual_name(arena *a, const model *m, int row) {
    text t;
    text_init(&t, a);
    text_add(&t, "residual(");
    model_row_name(m, row, &t);
    text_add(&t, ")");
    return text_string(&t);
}

const char *columns_name(arena *a, const model *m, column_group group, int which) {
    switch (group) {
    case COLUMN_VELOCITY:
        return parts_label(a, m, m->coords.at[which], "", "'");
    case COLUMN_QUASI:
        return parts_label(a, m, m->quasis.at[which], "", "");
    case COLUMN_OUTPUT:
        return parts_label(a, m, m->outputs.at[which], "", "");
    case COLUMN_REACTION:
        return parts_label(a, m, m->coords.at[which], "reaction(", ")");
    case COLUMN_RESIDUAL:
        return residual_name(a, m, which);
    default:
        return parts_label(a, m, m->coords.at[which], "", "");
    }
}

int columns_count(const model *m) {
    int count = 1;
    for (int g = 0; g < COLUMN_GROUPS; g++)
        count += columns_length(m, (column_group)g);
    return count;
}

const char *columns_name_at(arena *a, const model *m, int i) {
    if (i <= 0)
        return i == 0 ? "t" : NULL;
    i--;
    for (int g = 0; g < COLUMN_GROUPS; i -= columns_length(m, (column_group)g++))
        if (i < columns_length(m, (column_group)g))
            return columns_name(a, m, (column_group)g, i);
    return NULL;
}

void columns_fill(const model *m, const sample *s, double *out) {
    *out++ = s->t;
    for (int g = 0; g < COLUMN_GROUPS; g++) {
        int count = columns_length(m, (column_group)g);
        if (count)
            memcpy(out, columns_values(s, (column_group)g), (size_t)count * sizeof *out);
        out += count;
    }
}
