#include "report/notation.h"

#include <string.h>

static bool is_greek(const char *word, int length) {
    static const char letters[] = " alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi "
                                  "pi rho sigma tau upsilon phi chi "
                                  "psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ";
    for (const char *at = letters; (at = strchr(at, ' ')) && at[1]; at++)
        if (strncmp(at + 1, word, (size_t)length) == 0 && at[1 + length] == ' ')
            return true;
    return false;
}

static int digits_at_end(const char *word, int length) {
    int count = 0;
    while (count < length && word[length - 1 - count] >= '0' && word[length - 1 - count] <= '9')
        count++;
    return count;
}

// theta is \theta, x and 12 stay, words are upright
static void latex_word(text *out, const char *word, int length) {
    if (is_greek(word, length))
        text_print(out, "\\%.*s", length, word);
    else if (length == 1 || digits_at_end(word, length) == length)
        text_add_bytes(out, word, length);
    else
        text_print(out, "\\mathrm{%.*s}", length, word);
}

// what stands behind a name: digits at its end, what follows an underscore, the index, the part
static void latex_subscripts(text *out, const char *rest, label l) {
    const char *between = "_{";
    while (*(rest += strspn(rest, "_"))) {
        int length = (int)strcspn(rest, "_");
        text_add(out, between);
        latex_word(out, rest, length);
        between = ",";
        rest += length;
    }
    if (l.indexed)
        text_print(out, "%s%d", between, l.index);
    if (l.part)
        text_print(out, "%s%s", l.indexed ? "," : between, l.part);
    if (l.indexed || l.part || *between == ',')
        text_add(out, "}");
}

void notation_latex(text *out, const char *name, label l, int primes) {
    static const char *const accents[] = {"", "\\dot{", "\\ddot{"};
    int length = (int)strcspn(name, "_");
    length -= digits_at_end(name, length);
    text_add(out, accents[primes]);
    text_add(out, length == 0 ? "\\_" : "");
    latex_word(out, name, length);
    text_add(out, primes ? "}" : "");
    latex_subscripts(out, name + length, l);
}
