#include "report/symbols.h"

#include "base/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static const struct {
    const char *word, *sign;
} signs[] = {{"alpha", "α"},   {"beta", "β"},   {"gamma", "γ"}, {"delta", "δ"},   {"epsilon", "ε"},
             {"zeta", "ζ"},    {"eta", "η"},    {"theta", "θ"}, {"iota", "ι"},    {"kappa", "κ"},
             {"lambda", "λ"},  {"mu", "μ"},     {"nu", "ν"},    {"xi", "ξ"},      {"pi", "π"},
             {"rho", "ρ"},     {"sigma", "σ"},  {"tau", "τ"},   {"upsilon", "υ"}, {"phi", "φ"},
             {"chi", "χ"},     {"psi", "ψ"},    {"omega", "ω"}, {"Gamma", "Γ"},   {"Delta", "Δ"},
             {"Theta", "Θ"},   {"Lambda", "Λ"}, {"Xi", "Ξ"},    {"Pi", "Π"},      {"Sigma", "Σ"},
             {"Upsilon", "Υ"}, {"Phi", "Φ"},    {"Psi", "Ψ"},   {"Omega", "Ω"}};

const char *symbols_letter(const char *word, int length) {
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if ((int)strlen(signs[i].word) == length && strncmp(signs[i].word, word, (size_t)length) == 0)
            return signs[i].sign;
    return NULL;
}

static bool in_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static int digits_of(const char *at) {
    return (int)strspn(at, "0123456789");
}

// digits below the line, or above it
static void put_small(text *out, const char *digits, int length, bool above) {
    static const char *const up[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    static const char *const down[] = {"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
    for (int i = 0; i < length; i++)
        text_add(out, (above ? up : down)[(unsigned)(digits[i] - '0') % 10]);
}

// the marks of a derivative: dots above a single letter, else primes behind the word
static void put_marks(text *out, int primes, bool letter) {
    static const char *const dots[] = {"", "\u0307", "\u0308"};
    if (letter && primes <= 2)
        text_add(out, dots[primes]);
    else
        for (int i = 0; i < primes; i++)
            text_add(out, "′");
}

// a name with its index and primes; returns what follows
static const char *put_name(text *out, const char *at) {
    int length = 0, stem, index = 0;
    while (in_word(at[length]))
        length++;
    stem = length;
    while (stem > 0 && isdigit((unsigned char)at[stem - 1]))
        stem--;
    const char *digits = at + stem, *rest = at + length;
    index = length - stem;
    stem -= stem > 1 && index > 0 && at[stem - 1] == '_';
    if (index == 0 && *rest == '[' && digits_of(rest + 1) > 0 && rest[1 + digits_of(rest + 1)] == ']') {
        digits = rest + 1;
        index = digits_of(digits);
        rest = digits + index + 1;
    }
    int primes = (int)strspn(rest, "'");
    const char *sign = symbols_letter(at, stem);
    if (stem == 10 && strncmp(at, "multiplier", 10) == 0 && *rest == '(')
        sign = "λ";
    if (sign)
        text_add(out, sign);
    else
        text_add_bytes(out, at, stem);
    put_marks(out, primes, sign || stem == 1);
    put_small(out, digits, index, false);
    return rest + primes;
}

static const char *put_number(text *out, const char *at) {
    const char *from = at;
    while (isdigit((unsigned char)*at) || *at == '.' ||
           ((*at == 'e' || *at == 'E') && (isdigit((unsigned char)at[1]) || ((at[1] == '-' || at[1] == '+') &&
                                                                             isdigit((unsigned char)at[2])))))
        at += *at == 'e' || *at == 'E' ? 2 : 1;
    text_add_bytes(out, from, (int)(at - from));
    return at;
}

const char *symbols_shown(arena *a, const char *written) {
    text out;
    text_init(&out, a);
    for (const char *at = written; *at;) {
        int power = *at == '^' ? digits_of(at + 1) : 0;
        if (isdigit((unsigned char)*at))
            at = put_number(&out, at);
        else if (isalpha((unsigned char)*at) || *at == '_')
            at = put_name(&out, at);
        else if (power > 0 && at[1 + power] != '.') {
            put_small(&out, at + 1, power, true);
            at += 1 + power;
        } else {
            text_add(&out, *at == '*' ? "\u2009" : *at == '-' ? "−" : *at == '\'' ? "′" : "");
            if (!strchr("*-'", *at))
                text_add_bytes(&out, at, 1);
            at++;
        }
    }
    return text_string(&out);
}
