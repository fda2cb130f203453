#include "http.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *http_reason(int status) {
    static const struct {
        int status;
        const char *reason;
    } reasons[] = {{200, "OK"},
                   {400, "Bad Request"},
                   {403, "Forbidden"},
                   {404, "Not Found"},
                   {405, "Method Not Allowed"},
                   {414, "URI Too Long"},
                   {431, "Request Header Fields Too Large"},
                   {503, "Service Unavailable"}};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    return "Error";
}

/* A piece of the head; it ends nowhere with a zero. */
typedef struct {
    const char *at;
    int length;
} piece;

static bool is(piece p, const char *word) {
    return (int)strlen(word) == p.length && strncasecmp(p.at, word, (size_t)p.length) == 0;
}

static bool is_exactly(piece p, const char *word) {
    return (int)strlen(word) == p.length && memcmp(p.at, word, (size_t)p.length) == 0;
}

// up to the character, which is passed; false if it does not come
static bool cut(piece *rest, char end, piece *out) {
    const char *found = memchr(rest->at, end, (size_t)rest->length);
    if (found == NULL)
        return false;
    *out = (piece){rest->at, (int)(found - rest->at)};
    rest->length -= out->length + 1;
    rest->at = found + 1;
    return true;
}

static bool next_line(piece *rest, piece *line) {
    if (!cut(rest, '\n', line))
        return false;
    if (line->length && line->at[line->length - 1] == '\r')
        line->length--;
    return true;
}

static piece trimmed(piece p) {
    while (p.length && (*p.at == ' ' || *p.at == '\t'))
        p.at++, p.length--;
    while (p.length && (p.at[p.length - 1] == ' ' || p.at[p.length - 1] == '\t'))
        p.length--;
    return p;
}

// ---- the first line: GET /path?query HTTP/1.1

static bool is_plain(piece p) {
    for (int i = 0; i < p.length; i++)
        if (p.at[i] <= ' ' || p.at[i] == 127)
            return false;
    return p.length > 0;
}

static bool is_word(piece p) {
    for (int i = 0; i < p.length; i++)
        if (!isupper((unsigned char)p.at[i]))
            return false;
    return p.length > 0 && p.length < 20;
}

static int judge_target(piece target, http_request *out) {
    piece path = target;
    const char *question = memchr(target.at, '?', (size_t)target.length);
    out->query = "";
    out->query_length = 0;
    if (question) {
        path.length = (int)(question - target.at);
        out->query = question + 1;
        out->query_length = target.length - path.length - 1;
    }
    if (!is_plain(target) || path.at[0] != '/')
        return 400;
    snprintf(out->path, sizeof out->path, "%.*s", path.length, path.at); // what is cut off is found nowhere
    return 200;
}

static int judge_first(piece line, http_request *out) {
    piece method, target;
    if (!cut(&line, ' ', &method) || !is_word(method) || !cut(&line, ' ', &target))
        return 400;
    if (!is_exactly(line, "HTTP/1.1") && !is_exactly(line, "HTTP/1.0"))
        return 400;
    if (target.length > HTTP_TARGET_MOST)
        return 414;
    int status = judge_target(target, out);
    return status == 200 && !is_exactly(method, "GET") ? 405 : status;
}

// ---- the fields: who asks

// 127.0.0.1:port or localhost:port, with something before it
static bool is_here(piece p, const char *before, int port) {
    static const char *const hosts[] = {"127.0.0.1", "localhost"};
    char own[64];
    for (int i = 0; i < 2; i++) {
        snprintf(own, sizeof own, "%s%s:%d", before, hosts[i], port);
        if (is(p, own))
            return true;
        snprintf(own, sizeof own, "%s%s", before, hosts[i]);
        if (port == 80 && is(p, own))
            return true;
    }
    return false;
}

static int judge_fields(piece rest, int port) {
    piece line, name;
    int hosts = 0, status = 200;
    while (next_line(&rest, &line) && line.length) {
        if (!cut(&line, ':', &name) || !is_plain(name))
            return 400;
        piece value = trimmed(line);
        hosts += is(name, "Host");
        bool stranger = (is(name, "Host") && !is_here(value, "", port)) ||
                        (is(name, "Origin") && !is_here(value, "http://", port)) ||
                        (is(name, "Sec-Fetch-Site") && (is(value, "cross-site") || is(value, "same-site")));
        if (stranger)
            status = 403;
    }
    return hosts == 1 ? status : 400;
}

int http_judge(const char *head, size_t length, int port, http_request *out) {
    piece all = {head, (int)length}, rest = all, line;
    bool complete = memmem(head, length, "\r\n\r\n", 4) || memmem(head, length, "\n\n", 2);
    bool has_line = memchr(head, '\n', length) != NULL;
    if (!has_line && length > HTTP_TARGET_MOST + 32)
        return 414;
    if (!complete)
        return length >= HTTP_HEAD_MOST ? 431 : 0;
    if (memchr(head, '\0', length))
        return 400;
    next_line(&rest, &line);
    int first = judge_first(line, out), fields = judge_fields(rest, port);
    return first == 400 || first == 414 ? first : fields != 200 ? fields : first;
}

// ---- queries

static int digit_of(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static bool decode(char *at) {
    char *to = at;
    while (*at) {
        char c = *at++;
        if (c == '%') {
            int high = digit_of(at[0]), low = high < 0 ? -1 : digit_of(at[1]);
            if (low < 0 || high + low == 0)
                return false;
            c = (char)(16 * high + low);
            at += 2;
        } else if (c == '+') {
            c = ' ';
        }
        *to++ = c;
    }
    *to = '\0';
    return true;
}

bool http_next(char **at, char **name, char **value, bool *wrong) {
    while (**at == '&')
        ++*at;
    if (**at == '\0')
        return false;
    *name = *at;
    *at += strcspn(*at, "&");
    if (**at)
        *(*at)++ = '\0';
    *value = strchr(*name, '=');
    if (*value == NULL || *value == *name || (*value)[1] == '\0') {
        *wrong = true;
        return false;
    }
    *(*value)++ = '\0';
    *wrong = !decode(*name) || !decode(*value) || **name == '\0' || **value == '\0';
    return !*wrong;
}
