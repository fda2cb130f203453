/* How wide a formula is that LaTeX sets, by the widths of Computer Modern's letters, 10 pt large. */
#include "report/typeset.h"

#include "report/symbols.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const double SCRIPT = 0.85, DIGIT = 5, BINARY = 12.3, WORD = 4.8;

typedef struct {
    const char *at;
} scan;

static double read_row(scan *s);

static bool accept(scan *s, const char *what) {
    size_t length = strlen(what);
    if (strncmp(s->at, what, length) != 0)
        return false;
    s->at += length;
    return true;
}

static double read_group(scan *s) {
    double width = 0;
    if (accept(s, "{")) {
        width = read_row(s);
        accept(s, "}");
    }
    return width;
}

// letters that stand upright
static double read_word(scan *s) {
    double width = 0;
    accept(s, "{");
    for (; *s->at && *s->at != '}'; s->at++)
        width += *s->at == '$' || *s->at == '\\' ? 0 : strchr("mwMW", *s->at) ? 8 : WORD;
    accept(s, "}");
    return width;
}

// rows of cells, up to \end{...}
static double read_table(scan *s) {
    enum { COLUMNS = 64 };
    static const double APART = 10;
    double column[COLUMNS] = {0}, width = 0;
    int at = 0, count = 1;
    s->at += strcspn(s->at, "}");
    accept(s, "}");
    while (*s->at && !accept(s, "\\end")) {
        double cell = read_row(s);
        column[at] = fmax(column[at], cell);
        if (accept(s, "&"))
            at = at + 1 < COLUMNS ? at + 1 : at;
        else if (accept(s, "\\\\"))
            at = 0;
        count = at + 1 > count ? at + 1 : count;
    }
    s->at += strcspn(s->at, "}");
    accept(s, "}");
    for (int i = 0; i < count; i++)
        width += column[i] + APART;
    return width + 7; // brackets
}

// \sin, \theta
static double read_name(scan *s) {
    int length = 1;
    while (isalpha((unsigned char)s->at[length]))
        length++;
    bool letter = symbols_letter(s->at + 1, length - 1) != NULL;
    double width = letter        ? 6.2
                   : length <= 3 ? BINARY + 1
                                 : // <=
                       WORD * (length - 1) + 1.7;
    s->at += length;
    return width;
}

static double read_command(scan *s) {
    if (accept(s, "\\,"))
        return 1.7;
    if (accept(s, "\\quad"))
        return 10;
    if (accept(s, "\\_"))
        return 3.5;
    if (accept(s, "\\cdot") || accept(s, "\\times"))
        return BINARY;
    if (accept(s, "\\dots"))
        return 14;
    if (accept(s, "\\frac")) {
        double above = read_group(s);
        return fmax(above, read_group(s)) + 2.4;
    }
    if (accept(s, "\\sqrt"))
        return read_group(s) + 10;
    if (accept(s, "\\dot") || accept(s, "\\ddot"))
        return read_group(s);
    if (accept(s, "\\mathrm") || accept(s, "\\operatorname") || accept(s, "\\text"))
        return read_word(s) + 1.7;
    if (accept(s, "\\left") || accept(s, "\\right")) {
        accept(s, "\\");
        s->at += isalpha((unsigned char)*s->at) ? (int)strspn(s->at, "abcdefghijklmnopqrstuvwxyz") : 1;
        return 4.3;
    }
    if (accept(s, "\\begin"))
        return read_table(s);
    if (isalpha((unsigned char)s->at[1]))
        return read_name(s);
    s->at += s->at[1] ? 2 : 1;
    return DIGIT;
}

static double read_atom(scan *s) {
    if (*s->at == '{')
        return read_group(s);
    if (*s->at == '\\')
        return read_command(s);
    char c = *s->at++;
    if (c == ' ' || c == '\n')
        return 0;
    if (strchr("+-=<>", c))
        return c == '+' || c == '-' ? BINARY : BINARY + 1;
    if (strchr("()[]|", c))
        return 4;
    if (strchr(".,", c))
        return c == ',' ? 4.5 : 2.8;
    if (strchr("mwMW", c))
        return 9;
    return isupper((unsigned char)c) ? 7.9 : isalpha((unsigned char)c) ? 5.6 : DIGIT;
}

// up to what ends it: a brace, or the end of a cell or row
static double read_row(scan *s) {
    double width = 0;
    while (*s->at && *s->at != '}' && *s->at != '&' && strncmp(s->at, "\\\\", 2) != 0 &&
           strncmp(s->at, "\\end", 4) != 0) {
        double below = 0, above = 0;
        width += read_atom(s);
        if (accept(s, "_"))
            below = read_group(s);
        if (accept(s, "^"))
            above = read_group(s);
        width += SCRIPT * fmax(below, above);
    }
    return width;
}

double typeset_width(const char *latex) {
    double width = 0;
    scan s = {latex};
    while (*s.at) {
        width += read_row(&s);
        s.at += *s.at && strncmp(s.at, "\\\\", 2) == 0 ? 2 : *s.at ? 1 : 0;
    }
    return width;
}
