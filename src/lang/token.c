#include "lang/token.h"

#include "base/number.h"

#include <math.h>
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

// one error for each line: what follows a wrong character is often wrong because of it
static diag *lexical_error(lexer *lex, int length, const char *message) {
    if (lex->offset < lex->quiet)
        return &lex->diags->unkept;
    lex->quiet = lex->offset;
    while (lex->quiet < lex->source->length && lex->source->text[lex->quiet] != '\n')
        lex->quiet++;
    return diag_error(lex->diags, place_here(lex, length), "%s", message);
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

// 2x, 20cm
static token number_and_letters(lexer *lex, int digits) {
    int letters = 1;
    while (is_letter(peek(lex, digits + letters)) || is_digit(peek(lex, digits + letters)))
        letters++;
    const char *at = lex->source->text + lex->offset;
    if (lex->offset < lex->quiet)
        return take(lex, TOKEN_WRONG, digits + letters);
    lexical_error(lex, digits + letters, "a number is followed by a letter")->hint = arena_print(
        lex->diags->arena, "a product needs its sign: write %.*s*%.*s", digits, at, letters, at + digits);
    return take(lex, TOKEN_WRONG, digits + letters);
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
    double value = number_read(lex->source->text + lex->offset, NULL);
    if (is_letter(peek(lex, length)))
        return number_and_letters(lex, length);
    if (!isfinite(value)) {
        lexical_error(lex, length, "this number is too large for a double");
        return take(lex, TOKEN_WRONG, length);
    }
    token t = take(lex, TOKEN_NUMBER, length);
    t.number = value;
    return t;
}

// "say \"hi\"", "say ""hi""": told, and then taken for the text up to the line's last mark
static token quotes_in_text(lexer *lex, int length) {
    for (int at = length; peek(lex, at) != '\n' && lex->offset + at < lex->source->length; at++)
        if (peek(lex, at) == '"')
            length = at + 1;
    lexical_error(lex, length, "a text holds no quotation marks")->hint = "there are no escapes; write '";
    return take(lex, TOKEN_STRING, length);
}

static token string(lexer *lex) {
    int length = 1;
    while (peek(lex, length) != '"' && peek(lex, length) != '\n' && peek(lex, length) != '\r' &&
           lex->offset + length < lex->source->length)
        length++;
    if (peek(lex, length) != '"') {
        lexical_error(lex, length, "this text has no closing \"")->hint =
            "a text ends on the line where it starts";
        return take(lex, TOKEN_WRONG, length);
    }
    char next = peek(lex, length + 1);
    if (is_letter(next) || is_digit(next) || next == '"' || next == '\\')
        return quotes_in_text(lex, length + 1);
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
    {"!", "write 'not' for a negation, != for 'is not equal to'"},
    {"&", "write 'and'"},
    {"|", "write 'or', or abs(x) for |x|"},
    {"%", "there is no remainder; write a - b*floor(a/b)"},
    {"$", "names are made of letters, digits and _; text stands in quotation marks \""},
    {"\\", "no sign is needed where a line goes on in brackets, after an operator or a comma"},
};

// U+03B1 to U+03C9; the place of the second sigma is that of the one at a word's end
static const char *const greek[] = {"alpha", "beta", "gamma", "delta",  "epsilon", "zeta", "eta",
                                    "theta", "iota", "kappa", "lambda", "mu",      "nu",   "xi",
                                    "o",     "pi",   "rho",   "sigma",  "sigma",   "tau",  "upsilon",
                                    "phi",   "chi",  "psi",   "omega"};

// what to write instead of the character at hand
static const char *remedy(lexer *lex, const char *at) {
    if (at[0] == '\\' && at[1] == '"')
        return "a text has no escapes, and holds no quotation marks";
    for (size_t i = 0; i < sizeof look_alikes / sizeof *look_alikes; i++)
        if (strncmp(at, look_alikes[i].bytes, strlen(look_alikes[i].bytes)) == 0)
            return look_alikes[i].hint;
    int code = ((unsigned char)at[0] & 0x1F) << 6 | ((unsigned char)at[1] & 0x3F);
    if (((unsigned char)at[0] & 0xE0) == 0xC0 && code >= 0x3B1 && code <= 0x3C9)
        return arena_print(lex->diags->arena, "names are made of the letters a to z, digits and _: write %s",
                           greek[code - 0x3B1]);
    return "names are made of the letters a to z, digits and _";
}

static token wrong_character(lexer *lex) {
    const char *at = lex->source->text + lex->offset;
    unsigned char first = (unsigned char)*at;
    if (lex->offset < lex->quiet)
        return take(lex, TOKEN_WRONG, 1);
    int length = 1, wanted = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
    while (length < 4 && ((unsigned char)peek(lex, length) & 0xC0) == 0x80)
        length++;
    arena *a = lex->diags->arena;
    if ((first >= 0x80 && first < 0xC2) || length != wanted)
        lexical_error(lex, length, arena_print(a, "a byte with code %d, which is no UTF-8 text", first))
            ->hint = "save the file as UTF-8";
    else if (first <= ' ' || first == 127)
        lexical_error(lex, length, arena_print(a, "unexpected character with code %d", first))->hint =
            "delete it";
    else
        lexical_error(lex, length, arena_print(a, "unexpected character '%.*s'", length, at))->hint =
            remedy(lex, at);
    return take(lex, TOKEN_WRONG, length);
}

// told, and then taken for the end of the line that it is meant to be
static token semicolon(lexer *lex) {
    lexical_error(lex, 1, "unexpected character ';'")->hint =
        "a statement ends at the end of its line: start a new line instead";
    return take(lex, lex->depth ? TOKEN_WRONG : TOKEN_NEWLINE, 1);
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
    if (c == ';')
        return semicolon(lex);
    if (c == '.' && peek(lex, 1) == '.') {
        token t = take(lex, TOKEN_RANGE, 2);
        lex->line_goes_on = true;
        return t;
    }
    return symbol(lex);
}

bool token_is(token t, const char *text) {
    return (t.kind == TOKEN_SYMBOL || t.kind == TOKEN_NAME) && (int)strlen(text) == t.at.length &&
           memcmp(t.at.source->text + t.at.offset, text, (size_t)t.at.length) == 0;
}

bool token_is_taken(const char *name) {
    return strcmp(name, "pi") == 0 || strcmp(name, "deg") == 0 || strcmp(name, "t") == 0;
}

const char *token_shown(token t, arena *a) {
    if (t.kind == TOKEN_END)
        return "the end of the file";
    if (t.kind == TOKEN_NEWLINE)
        return "the end of the line";
    enum { LONGEST = 40 };
    const char *at = t.at.source->text + t.at.offset;
    return t.at.length > LONGEST ? arena_print(a, "'%.*s...'", LONGEST, at)
                                 : arena_print(a, "'%.*s'", t.at.length, at);
}
