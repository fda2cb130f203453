/* The LaTeX of equations.c, print.c and notation.c is a small language: letters, numbers and signs, groups in
 * braces, scripts, some commands, \left and \right, three environments, and text with $...$ in it. One
 * function reads each form and writes its element. So text, LaTeX and MathML cannot drift apart. */
#include "report/mathml.h"

#include "report/symbols.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* A browser lays out a few hundred rows at once, not a hundred thousand. */
enum { ROWS_MOST = 400, BYTES_MOST = 400000 };

typedef struct {
    const char *at;
    text out;
    int rows, left_out;
} reader;

static void read_row(reader *r);

static bool accept(reader *r, const char *word) {
    size_t length = strlen(word);
    if (strncmp(r->at, word, length) != 0 || (isalpha((unsigned char)word[length - 1]) && word[0] == '\\' &&
                                              isalpha((unsigned char)r->at[length])))
        return false;
    r->at += length;
    return true;
}

static void put_escaped(reader *r, const char *piece, int length) {
    for (int i = 0; i < length; i++)
        if (piece[i] == '<' || piece[i] == '&' || piece[i] == '>')
            text_add(&r->out, piece[i] == '<' ? "&lt;" : piece[i] == '&' ? "&amp;" : "&gt;");
        else
            text_add_bytes(&r->out, piece + i, 1);
}

static void put_element(reader *r, const char *open, const char *piece, int length, const char *close) {
    text_add(&r->out, open);
    put_escaped(r, piece, length);
    text_add(&r->out, close);
}

static void put_operator(reader *r, const char *sign) {
    put_element(r, "<mo>", sign, (int)strlen(sign), "</mo>");
}

// {...} as one element
static void read_group(reader *r) {
    text_add(&r->out, "<mrow>");
    if (accept(r, "{")) {
        read_row(r);
        accept(r, "}");
    }
    text_add(&r->out, "</mrow>");
}

// ---- text

// up to a closing brace, with formulas between $; in a paragraph up to the end of the line
static void read_text(reader *r, char end) {
    bool open = false;
    for (; *r->at && *r->at != end;) {
        if (*r->at == '$') {
            text_add(&r->out, open ? "</mtext>" : "");
            open = false;
            r->at++;
            text_add(&r->out, "<mrow>");
            read_row(r);
            text_add(&r->out, "</mrow>");
            accept(r, "$");
            continue;
        }
        text_add(&r->out, open ? "" : "<mtext>");
        open = true;
        if (accept(r, "\\dots{}"))
            text_add(&r->out, "…");
        else if (accept(r, "\\^{}"))
            text_add(&r->out, "^");
        else if (accept(r, "~"))
            text_add(&r->out, "\xC2\xA0");
        else if (*r->at == '\\' && r->at[1])
            r->at++; // \_
        else {
            bool blank = *r->at == ' ';
            blank ? text_add(&r->out, "\xC2\xA0") : put_escaped(r, r->at, 1);
            r->at++;
        }
    }
    text_add(&r->out, open ? "</mtext>" : "");
}

// a word in braces
static void read_word(reader *r) {
    accept(r, "{");
    int length = (int)strcspn(r->at, "}");
    put_element(r, "<mi mathvariant=\"normal\">", r->at, length, "</mi>");
    r->at += length;
    accept(r, "}");
}

// ---- tables

// cells & cells \\ cells, up to \end{...}
static void read_cells(reader *r) {
    text_add(&r->out, "<mtr><mtd>");
    while (*r->at) {
        read_row(r);
        if (accept(r, "&"))
            text_add(&r->out, "</mtd><mtd>");
        else if (accept(r, "\\\\"))
            text_add(&r->out, "</mtd></mtr><mtr><mtd>");
        else
            break;
    }
    text_add(&r->out, "</mtd></mtr>");
}

static void read_environment(reader *r) {
    bool cases = strncmp(r->at, "{cases}", 7) == 0;
    r->at += strcspn(r->at, "}");
    accept(r, "}");
    text_add(&r->out, cases ? "<mrow><mo>{</mo><mtable columnalign=\"left\">" : "<mrow><mo>(</mo><mtable>");
    read_cells(r);
    text_add(&r->out, cases ? "</mtable></mrow>" : "</mtable><mo>)</mo></mrow>");
    if (accept(r, "\\end")) {
        r->at += strcspn(r->at, "}");
        accept(r, "}");
    }
}

// ---- commands

static const struct {
    const char *name, *written;
} signs[] = {{"\\cdot", "<mo>·</mo>"},
             {"\\times", "<mo>×</mo>"},
             {"\\dots", "<mo>…</mo>"},
             {"\\,", "<mspace width=\"0.17em\"/>"},
             {"\\quad", "<mspace width=\"1em\"/>"},
             {"\\_", "<mi>_</mi>"},
             {"\\le", "<mo>≤</mo>"},
             {"\\ne", "<mo>≠</mo>"},
             {"\\land", "<mo>∧</mo>"},
             {"\\lor", "<mo>∨</mo>"},
             {"\\lnot", "<mo>¬</mo>"}};

// \sin, \theta: a function's name is upright by itself, having several letters
static void read_name(reader *r) {
    int length = 1;
    while (isalpha((unsigned char)r->at[length]))
        length++;
    const char *letter = symbols_letter(r->at + 1, length - 1);
    put_element(r, "<mi>", letter ? letter : r->at + 1, letter ? (int)strlen(letter) : length - 1, "</mi>");
    r->at += length;
}

static void read_delimiter(reader *r) {
    if (accept(r, "\\lfloor"))
        put_operator(r, "⌊");
    else if (accept(r, "\\rfloor"))
        put_operator(r, "⌋");
    else if (*r->at)
        put_element(r, "<mo>", r->at++, 1, "</mo>");
}

static void read_accent(reader *r, const char *accent) {
    text_add(&r->out, "<mover accent=\"true\">");
    read_group(r);
    put_operator(r, accent);
    text_add(&r->out, "</mover>");
}

static void read_pair(reader *r) {
    text_add(&r->out, "<mfrac>");
    read_group(r);
    read_group(r);
    text_add(&r->out, "</mfrac>");
}

static void read_command(reader *r) {
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (accept(r, signs[i].name)) {
            text_add(&r->out, signs[i].written);
            return;
        }
    if (accept(r, "\\frac")) {
        read_pair(r);
    } else if (accept(r, "\\sqrt")) {
        text_add(&r->out, "<msqrt>");
        read_group(r);
        text_add(&r->out, "</msqrt>");
    } else if (accept(r, "\\dot")) {
        read_accent(r, "˙");
    } else if (accept(r, "\\ddot")) {
        read_accent(r, "¨");
    } else if (accept(r, "\\left")) {
        text_add(&r->out, "<mrow>");
        read_delimiter(r);
        read_row(r);
        if (accept(r, "\\right"))
            read_delimiter(r);
        text_add(&r->out, "</mrow>");
    } else if (accept(r, "\\mathrm") || accept(r, "\\operatorname")) {
        read_word(r);
    } else if (accept(r, "\\mathrel")) {
        read_group(r);
    } else if (accept(r, "\\text")) {
        accept(r, "{");
        text_add(&r->out, "<mrow>");
        read_text(r, '}');
        text_add(&r->out, "</mrow>");
        accept(r, "}");
    } else if (accept(r, "\\begin")) {
        read_environment(r);
    } else {
        read_name(r);
    }
}

// ---- rows

static void read_number(reader *r) {
    int length = (int)strspn(r->at, "0123456789.");
    put_element(r, "<mn>", r->at, length, "</mn>");
    r->at += length;
}

static void read_atom(reader *r) {
    if (*r->at == '{')
        read_group(r);
    else if (*r->at == '\\')
        read_command(r);
    else if (isdigit((unsigned char)*r->at))
        read_number(r);
    else if (isalpha((unsigned char)*r->at))
        put_element(r, "<mi>", r->at++, 1, "</mi>");
    else if (accept(r, "-"))
        put_operator(r, "−");
    else
        put_element(r, "<mo>", r->at++, 1, "</mo>");
}

// _{...} and ^{...} behind an atom that began at `from`
static void read_scripts(reader *r, int from) {
    bool below = accept(r, "_"), above = false;
    if (below)
        read_group(r);
    above = accept(r, "^");
    if (above)
        read_group(r);
    if (!below && !above)
        return;
    const char *tag = below && above ? "msubsup" : below ? "msub" : "msup";
    text_insert(&r->out, from, ">");
    text_insert(&r->out, from, tag);
    text_insert(&r->out, from, "<");
    text_print(&r->out, "</%s>", tag);
}

// up to what ends it: a brace, \right, the end of a cell, line or formula
static void read_row(reader *r) {
    for (;;) {
        r->at += strspn(r->at, " \n");
        if (strchr("}&$", *r->at) || strncmp(r->at, "\\\\", 2) == 0 || strncmp(r->at, "\\right", 6) == 0 ||
            strncmp(r->at, "\\end", 4) == 0)
            return;
        int from = r->out.bytes.count;
        read_atom(r);
        read_scripts(r, from);
    }
}

// ---- the page

static bool is_full(const reader *r) {
    return r->rows > ROWS_MOST || r->out.bytes.count > BYTES_MOST;
}

// one cell a row: not all browsers align columns of their own to the sign between them
static void read_align(reader *r) {
    int begin = r->out.bytes.count, kept = 0;
    text_add(&r->out, "<math display=\"block\"><mtable columnalign=\"left\" displaystyle=\"true\">");
    do {
        int from = r->out.bytes.count;
        r->rows++;
        text_add(&r->out, "<mtr><mtd>");
        read_row(r);
        if (accept(r, "&"))
            read_row(r);
        text_add(&r->out, "</mtd></mtr>");
        if (is_full(r)) {
            r->out.bytes.count = from;
            r->left_out++;
        } else {
            kept++;
        }
    } while (accept(r, "\\\\"));
    accept(r, "\\end{align*}");
    text_add(&r->out, "</mtable></math>\n");
    if (kept == 0)
        r->out.bytes.count = begin;
}

static void read_paragraph(reader *r) {
    int begin = r->out.bytes.count;
    text_add(&r->out, "<math display=\"block\">");
    read_text(r, '\n');
    text_add(&r->out, "</math>\n");
    if (is_full(r)) {
        r->out.bytes.count = begin;
        r->left_out++;
    }
}

const char *mathml_from_latex(arena *a, const char *latex) {
    reader r = {.at = latex};
    text_init(&r.out, a);
    while (*(r.at += strspn(r.at, " \n"))) {
        if (*r.at == '%')
            r.at += strcspn(r.at, "\n");
        else if (accept(&r, "\\begin{align*}"))
            read_align(&r);
        else
            read_paragraph(&r);
    }
    if (r.left_out)
        text_print(
            &r.out,
            "<math display=\"block\"><mtext>%d more rows are left out; ‘trammel equations’ prints them "
            "all</mtext></math>\n",
            r.left_out);
    text_add(&r.out, "");
    return text_string(&r.out);
}
