#include "import/writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *write_shown(writer *w, const char *name) {
    char *out = arena_copy(w->arena, name, strlen(name));
    text_tame(out, false);
    for (char *c = out; *c; c++)
        if (*c == '\t' || *c == '"')
            *c = *c == '"' ? '\'' : '?';
    return out;
}

// without what rounding leaves at the sixteenth digit of `scale`
double write_rounded(double number, double scale) {
    char buffer[128];
    int decimals = scale > 0 ? 15 - (int)ceil(log10(scale)) : 0;
    if (decimals <= 0 || decimals > 40)
        return number;
    number_print(buffer, sizeof buffer, "%.*f", decimals, number);
    return number_read(buffer, NULL);
}

void write_number(writer *w, double number, double scale) {
    char buffer[32];
    double shown = write_rounded(number, scale);
    text_add(&w->out, number_shortest(buffer, shown == 0 ? 0 : shown)); // not -0
}

void write_numbers(writer *w, const double *values, int count, double scale) {
    text_add(&w->out, "(");
    for (int i = 0; i < count; i++) {
        text_add(&w->out, i ? ", " : "");
        write_number(w, values[i], scale);
    }
    text_add(&w->out, ")");
}

void write_vector(writer *w, vector v, double scale) {
    write_numbers(w, (double[]){v.x, v.y, v.z}, 3, scale);
}

// k pi/12 as people write it
void write_angle(writer *w, double number) {
    int twelfths = (int)lround(number * 12 / M_PI), size = abs(twelfths), common = 12;
    if (size == 0 || size > 24 || fabs(number - twelfths * M_PI / 12) > 4e-15) {
        write_number(w, number, 1);
        return;
    }
    while (size % common || 12 % common)
        common--;
    text_add(&w->out, number < 0 ? "-" : "");
    if (size / common > 1)
        text_print(&w->out, "%d*", size / common);
    text_add(&w->out, "pi");
    if (12 / common > 1)
        text_print(&w->out, "/%d", 12 / common);
}

bool write_is_zero(vector v, double scale) {
    return write_rounded(v.x, scale) == 0 && write_rounded(v.y, scale) == 0 && write_rounded(v.z, scale) == 0;
}

void write_point(writer *w, const robot_link *body, vector p) {
    if (body == NULL) {
        write_vector(w, p, w->size);
        return;
    }
    text_print(&w->out, "point(%s, ", body->id);
    write_vector(w, vector_difference(p, body->total.centre), w->size);
    text_add(&w->out, ")");
}

const char *write_position(writer *w, const robot_joint *j) {
    return arena_print(w->arena, "%s(%s)", robot_turns(j->kind) ? "angle" : "displacement", j->id);
}

const robot_link *write_body_of(const robot *r, int link) {
    int body = r->links.at[link].body;
    return body < 0 ? NULL : &r->links.at[body];
}

const char *write_body_name(const robot *r, int link) {
    const robot_link *body = write_body_of(r, link);
    return body ? body->id : "ground";
}

bool write_connects(const robot *r, const robot_joint *j) {
    return r->links.at[j->parent].body != r->links.at[j->child].body;
}
