#include "report/json.h"

#include <math.h>

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

// what may not stand as it is in a page or, so that no terminal obeys it, anywhere
static bool is_escaped(const json *j, unsigned code) {
    return text_is_control(code) || (j->safe && code == '<');
}

// the character at c; what follows it
static const char *add_character(json *j, const char *c) {
    int length = text_character(c);
    if (length == 0)
        text_add(&j->out, "\\ufffd");
    else if (is_escaped(j, text_code(c, length)))
        text_print(&j->out, "\\u%04x", text_code(c, length));
    else
        text_add_bytes(&j->out, c, length);
    return c + (length ? length : 1);
}

static void quoted(json *j, const char *value) {
    text_add(&j->out, "\"");
    for (const char *c = value; *c;) {
        if (*c == '"' || *c == '\\')
            text_add(&j->out, "\\");
        c = add_character(j, c);
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
    text_add(&j->out, isfinite(value) ? number_shortest(buffer, value) : "null");
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
    for (const char *c = written; *c;)
        c = add_character(j, c);
}

// three bytes as four letters; so many of them are there
static void encode(char *four, const unsigned char *three, size_t have) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned second = have > 1 ? three[1] : 0, third = have > 2 ? three[2] : 0;
    unsigned group = (unsigned)three[0] << 16 | second << 8 | third;
    four[0] = letters[group >> 18];
    four[1] = letters[group >> 12 & 63];
    four[2] = have > 1 ? letters[group >> 6 & 63] : '=';
    four[3] = have > 2 ? letters[group & 63] : '=';
}

void json_base64(json *j, const unsigned char *bytes, size_t count) {
    char piece[1024]; // most of a page goes through here
    int length = 0;
    separate(j);
    text_add(&j->out, "\"");
    for (size_t i = 0; i < count; i += 3) {
        encode(piece + length, bytes + i, count - i);
        length += 4;
        if (length == sizeof piece || i + 3 >= count) {
            text_add_bytes(&j->out, piece, length);
            length = 0;
        }
    }
    text_add(&j->out, "\"");
}
