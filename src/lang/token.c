#include "lang/token.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void lexer_init(lexer *lex, const source *s, diags *d) {
    *lex = (lexer){.source = s, .diags = d, .at_line_start = true};
    if (s->length >= 3 && memcmp(s->text, "\xEF\xBB\xBF", 3) == 0)
        lex->offset = 3; // byte order mark
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static char peek(const lexer *lex, int ahead) {
    int at = lex->offset + ahead;
    return at < lex->source->length ? lex->source->text[at] : '\0';
}

static place place_here(const lexer *lex, int length) {
    return (place){lex->source, lex->offset, length};
}

// passes spaces, comments, and newlines where the line goes on
static void skip_blank(lexer *lex) {
    for (;;) {
        char c = peek(lex, 0);
        if (c == '#') {
            while (lex->offset < lex->source->length && peek(lex, 0) != '\n')
                lex->offset++;
        } else if (c == '\n' && (lex->depth > 0 || lex->line_goes_on)) {
            lex->offset++;
            lex->at_line_start = true;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            lex->offset++;
        } else {
            return;
        }
    }
}

static token take(lexer *lex, token_kind kind, int length) {
    token t = {.kind = kind, .at = place_here(lex, length), .starts_line = lex->at_line_start};
    lex->offset += length;
    lex->line_goes_on = false;
    lex->at_line_start = kind == TOKEN_NEWLINE;
    return t;
}

static token number(lexer *lex) {
    int length = 0;
    while (is_digit(peek(lex, length)))
        length++;
    if (peek(lex, length) == '.' && peek(lex, length + 1) != '.') { // 1..5 is a range
        length++;
        while (is_digit(peek(lex, length)))
            length++;
    }
    char e = peek(lex, length);
    if (e == 'e' || e == 'E') {
        int sign = peek(lex, length + 1) == '+' || peek(lex, length + 1) == '-';
        if (is_digit(peek(lex, length + 1 + sign))) {
            length += 1 + sign;
            while (is_digit(peek(lex, length)))
                length++;
        }
    }
    double value = strtod(lex->source->text + lex->offset, NULL);
    if (is_letter(peek(lex, length))) {
        int letters = 1;
        while (is_letter(peek(lex, length + letters)) || is_digit(peek(lex, length + letters)))
            letters++;
        diag_error(lex->diags, place_here(lex, length + letters), "a number is followed by a letter")->hint =
            "a product needs its sign: write 2*x, not 2x";
        return take(lex, TOKEN_WRONG, length + letters);
    }
    if (!isfinite(value)) {
        diag_error(lex->diags, place_here(lex, length), "this number is too large for a double");
        return take(lex, TOKEN_WRONG, length);
    }
    token t = take(lex, TOKEN_NUMBER, length);
    t.number = value;
    return t;
}

static token string(lexer *lex) {
    int length = 1;
    while (peek(lex, length) != '"' && peek(lex, length) != '\n' &&
           lex->offset + length < lex->source->length)
        length++;
    if (peek(lex, length) != '"') {
        diag_error(lex->diags, place_here(lex, length), "this text has no closing \"")->hint =
            "a text ends on the line where it starts";
        return take(lex, TOKEN_WRONG, length);
    }
    return take(lex, TOKEN_STRING, length + 1);
}

// characters that editors and word processors put in place of the plain ones
static const struct {
    const char *bytes, *hint;
} look_alikes[] = {
    {"\xE2\x88\x92", "this is a typographic minus: write -"},
    {"\xE2\x80\x93", "this is a dash: write -"},
    {"\xC2\xB7", "this is a raised dot: write *"},
    {"\xC3\x97", "this is a multiplication sign: write *"},
    {"\xE2\x80\x99", "this is a typographic apostrophe: write ' for a derivative"},
    {"\xE2\x80\xB2", "this is a prime sign: write ' for a derivative"},
    {"\xC2\xB2", "write ^2 for a square"},
    {"\xC2\xB3", "write ^3 for a cube"},
    {"\xE2\x80\x9C", "this is a typographic quotation mark: write \""},
    {"\xE2\x80\x9D", "this is a typographic quotation mark: write \""},
    {"\xC2\xA0", "this is a space that does not break: type a plain one"},
    {";", "a statement ends at the end of its line: start a new line instead"},
    {"!", "write 'not' for a negation, != for 'is not equal to'"},
    {"&", "write 'and'"},
    {"|", "write 'or', or abs(x) for |x|"},
    {"%", "there is no remainder; write a - b*floor(a/b)"},
};

static token wrong_character(lexer *lex) {
    int length = 1;
    while (((unsigned char)peek(lex, length) & 0xC0) == 0x80)
        length++;
    place here = place_here(lex, length);
    const char *at = lex->source->text + lex->offset;
    bool visible = (unsigned char)*at > ' ' && (unsigned char)*at != 127;
    diag *d = visible ? diag_error(lex->diags, here, "unexpected character '%.*s'", length, at)
                      : diag_error(lex->diags, here, "unexpected character with code %d", (unsigned char)*at);
    d->hint = "names are made of the letters a to z, digits and _";
    for (size_t i = 0; i < sizeof look_alikes / sizeof *look_alikes; i++)
        if (strncmp(at, look_alikes[i].bytes, strlen(look_alikes[i].bytes)) == 0)
            d->hint = look_alikes[i].hint;
    return take(lex, TOKEN_WRONG, length);
}

static token symbol(lexer *lex) {
    static const char *const two[] = {"<=", ">=", "==", "!="};
    char c = peek(lex, 0);
    int length = 0;
    for (int i = 0; i < 4; i++)
        if (c == two[i][0] && peek(lex, 1) == two[i][1])
            length = 2;
    if (length == 0 && c && strchr("+-*/^()[]{},:=~<>.", c))
        length = 1;
    if (length == 0)
        return wrong_character(lex);
    token t = take(lex, TOKEN_SYMBOL, length);
    if (c == '(' || c == '[')
        lex->depth++;
    if ((c == ')' || c == ']') && lex->depth > 0)
        lex->depth--;
    lex->line_goes_on = strchr("+-*/^,:=~<>!", c) != NULL;
    return t;
}

static token name(lexer *lex) {
    int length = 1;
    while (is_letter(peek(lex, length)) || is_digit(peek(lex, length)))
        length++;
    token t = take(lex, TOKEN_NAME, length);
    lex->line_goes_on = token_is(t, "and") || token_is(t, "or") || token_is(t, "not");
    return t;
}

token lexer_next(lexer *lex) {
    skip_blank(lex);
    char c = peek(lex, 0);
    if (lex->offset >= lex->source->length)
        return take(lex, TOKEN_END, 0);
    if (c == '\n')
        return take(lex, TOKEN_NEWLINE, 1);
    if (is_letter(c))
        return name(lex);
    if (is_digit(c) || (c == '.' && is_digit(peek(lex, 1))))
        return number(lex);
    if (c == '"')
        return string(lex);
    if (c == '\'')
        return take(lex, TOKEN_PRIME, 1);
    if (c == '.' && peek(lex, 1) == '.') {
        token t = take(lex, TOKEN_RANGE, 2);
        lex->line_goes_on = true;
        return t;
    }
    return symbol(lex);
}

void lexer_skip_line(lexer *lex) {
    lex->depth = 0;
    lex->line_goes_on = false;
    while (lex->offset < lex->source->length && peek(lex, 0) != '\n')
        lex->offset++;
}

bool token_is(token t, const char *text) {
    return (t.kind == TOKEN_SYMBOL || t.kind == TOKEN_NAME) && (int)strlen(text) == t.at.length &&
           memcmp(t.at.source->text + t.at.offset, text, (size_t)t.at.length) == 0;
}

const char *token_shown(token t, arena *a) {
    if (t.kind == TOKEN_END)
        return "the end of the file";
    if (t.kind == TOKEN_NEWLINE)
        return "the end of the line";
    return arena_print(a, "'%.*s'", t.at.length, t.at.source->text + t.at.offset);
}
