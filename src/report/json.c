#include "report/json.h"

#include <math.h>
#include <string.h>

void json_init(json *j, arena *a) {
    text_init(&j->out, a);
    j->fresh = true;
    j->safe = false;
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

// in a page: writes what may not stand there as it is, and gives how many bytes that was, 0 if none
static int add_unsafe(json *j, const char *c) {
    int length = text_character(c);
    bool separator = strncmp(c, "\xE2\x80\xA8", 3) == 0 || strncmp(c, "\xE2\x80\xA9", 3) == 0;
    if (length == 0)
        text_add(&j->out, "\\ufffd");
    else if (*c == '<')
        text_add(&j->out, "\\u003c");
    else if (separator)
        text_print(&j->out, "\\u20%x", (unsigned char)c[2] - 0x80u);
    else if (length > 1)
        text_add_bytes(&j->out, c, length);
    else
        return 0;
    return length ? length : 1;
}

static void quoted(json *j, const char *value) {
    text_add(&j->out, "\"");
    for (const char *c = value; *c;) {
        int unsafe = j->safe ? add_unsafe(j, c) : 0;
        if (unsafe == 0 && (*c == '"' || *c == '\\'))
            text_print(&j->out, "\\%c", *c);
        else if (unsafe == 0 && (unsigned char)*c < ' ')
            text_print(&j->out, "\\u%04x", (unsigned char)*c);
        else if (unsafe == 0)
            text_add_bytes(&j->out, c, 1);
        c += unsafe ? unsafe : 1;
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

void json_value(json *j, const char *written) {
    separate(j);
    for (const char *c = written; *c;) {
        int unsafe = j->safe ? add_unsafe(j, c) : 0;
        if (unsafe == 0)
            text_add_bytes(&j->out, c, 1);
        c += unsafe ? unsafe : 1;
    }
}

void json_base64(json *j, const unsigned char *bytes, size_t count) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    separate(j);
    text_add(&j->out, "\"");
    for (size_t i = 0; i < count; i += 3) {
        size_t have = count - i < 3 ? count - i : 3;
        unsigned group = 0;
        for (size_t k = 0; k < 3; k++)
            group = group << 8 | (k < have ? bytes[i + k] : 0);
        char four[4];
        for (size_t k = 0; k < 4; k++)
            four[k] = k <= have ? letters[group >> (18 - 6 * k) & 63] : '=';
        text_add_bytes(&j->out, four, 4);
    }
    text_add(&j->out, "\"");
}
