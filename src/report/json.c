#include "report/json.h"

#include <math.h>

void json_init(json *j, arena *a) {
    text_init(&j->out, a);
    j->fresh = true;
}

static void separate(json *j) {
    if (!j->fresh)
        text_add(&j->out, ", ");
    j->fresh = false;
}

void json_open(json *j, char bracket) {
    separate(j);
    text_add_bytes(&j->out, &bracket, 1);
    j->fresh = true;
}

void json_close(json *j, char bracket) {
    text_add_bytes(&j->out, &bracket, 1);
    j->fresh = false;
}

static void quoted(json *j, const char *value) {
    text_add(&j->out, "\"");
    for (const char *c = value; *c; c++) {
        if (*c == '"' || *c == '\\')
            text_print(&j->out, "\\%c", *c);
        else if ((unsigned char)*c < ' ')
            text_print(&j->out, "\\u%04x", (unsigned char)*c);
        else
            text_add_bytes(&j->out, c, 1);
    }
    text_add(&j->out, "\"");
}

void json_key(json *j, const char *key) {
    separate(j);
    quoted(j, key);
    text_add(&j->out, ": ");
    j->fresh = true; // its value follows without a comma
}

void json_string(json *j, const char *value) {
    separate(j);
    quoted(j, value);
}

void json_number(json *j, double value) {
    char buffer[32];
    separate(j);
    text_add(&j->out, isfinite(value) ? text_number(buffer, value) : "null");
}

void json_integer(json *j, long value) {
    separate(j);
    text_print(&j->out, "%ld", value);
}

void json_bool(json *j, bool value) {
    separate(j);
    text_add(&j->out, value ? "true" : "false");
}

void json_null(json *j) {
    separate(j);
    text_add(&j->out, "null");
}
