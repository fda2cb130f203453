/* What holds statements together: the table of keywords, loops, includes, and reading on after an error, so
 * that independent errors show in one run. */
#include "base/file.h"
#include "lang/elab.h"
#include "lang/parse.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { INCLUDE_DEEPEST = 16, INCLUDE_MOST = 1000 };

static void parse_statement(parser *p, stmt_list *out);

static bool enough(parser *p);

static void parse_body(parser *p, stmt *s, place open) {
    while (p->now.kind != TOKEN_END && !parser_at(p, "}") && !enough(p)) {
        if (p->now.kind == TOKEN_NEWLINE)
            parser_advance(p);
        else
            parse_statement(p, &s->body);
    }
    if (!parser_accept(p, "}"))
        diag_error(p->diags, open, "this '{' is not closed")->hint =
            "write '}' behind the last statement of the loop";
}

// i in 1..N
static void parse_range(parser *p, stmt *s) {
    s->name = parser_variable(p, "a loop variable, as in for i in 1..N: ...");
    if (!p->failed && !parser_accept(p, "in"))
        parser_error(p, "'in' after the loop variable")->hint = "write for i in 1..N: ...";
    s->low = p->failed ? NULL : parse_expr(p);
    if (!p->failed && p->now.kind != TOKEN_RANGE)
        parser_error(p, "'..' of a range")->hint = "write for i in 1..N: ...";
    if (p->failed)
        return;
    parser_advance(p);
    s->high = parse_expr(p);
    if (p->depth >= AST_DEEPEST / 4)
        parser_wrong(p, s->at, "loops are nested too deep");
}

// the range is wrong: what is wrong in the block is told all the same
static void skip_range(parser *p) {
    p->lex.depth = 0;
    while (!parser_at_end(p) && !parser_at(p, "{"))
        parser_advance(p);
}

static void parse_for(parser *p, stmt *s) {
    parse_range(p, s);
    bool wrong = p->failed;
    if (wrong)
        skip_range(p);
    place open = p->now.at;
    p->depth++;
    if (!wrong && parser_accept(p, ":")) {
        if (parser_at(p, "{"))
            diag_error(p->diags, open, "no ':' before '{'")->hint = "write for i in 1..N { ... }";
        else
            parse_statement(p, &s->body);
        open = p->now.at;
    } else if (!wrong && !parser_at(p, "{")) {
        parser_error(p, "':' and a statement, or '{' and several");
        wrong = true;
    }
    if (parser_accept(p, "{"))
        parse_body(p, s, open);
    p->depth--;
    p->failed = wrong; // errors in the body are told
}

// a path by which a file is known again whatever way leads to it
static const char *real_path(arena *a, const char *path) {
    char real[PATH_MAX];
    return realpath(path, real) ? arena_copy(a, real, strlen(real)) : NULL;
}

static bool included_already(const parser *p, const char *real) {
    for (; real && p; p = p->includer)
        if (p->path && strcmp(p->path, real) == 0)
            return true;
    return false;
}

static int include_depth(const parser *p) {
    int depth = 0;
    for (; p; p = p->includer)
        depth++;
    return depth;
}

static void parse_text(parser *p, stmt_list *out);

// that of an earlier reading of the same model, or what stands in the file now
static const source *included_source(const parser *p, const char *path, const char **why) {
    for (int i = 1; p->known && i < p->known->count; i++)
        if (strcmp(p->known->at[i]->path, path) == 0)
            return p->known->at[i];
    return file_read(p->arena, path, why);
}

static void parse_include(parser *p, stmt_list *out) {
    if (p->now.kind != TOKEN_STRING) {
        parser_error(p, "a file name in quotation marks, as in include \"parts.tram\"");
        return;
    }
    place at = p->now.at;
    const char *name = arena_copy(p->arena, at.source->text + at.offset + 1, (size_t)at.length - 2);
    const char *path = file_beside(p->arena, at.source->path, name), *why = NULL;
    parser_advance(p);
    const char *real = real_path(p->arena, path);
    if (included_already(p, real)) {
        bool itself = p->path && strcmp(p->path, real) == 0;
        diag_error(p->diags, at,
                   itself ? "this file includes itself"
                          : "includes go round in a circle: '%s' includes this file",
                   path);
        return;
    }
    if (include_depth(p) >= INCLUDE_DEEPEST) {
        diag_error(p->diags, at, "includes are nested more than %d deep", INCLUDE_DEEPEST);
        return;
    }
    if (++*p->included > INCLUDE_MOST) {
        if (*p->included == INCLUDE_MOST + 1)
            diag_error(p->diags, at, "this includes more than %d files", INCLUDE_MOST);
        return;
    }
    const source *file = included_source(p, path, &why);
    if (file == NULL) {
        diag_error(p->diags, at, "cannot include '%s': %s", path, why)->hint =
            "a file is sought beside the one that includes it";
        return;
    }
    vec_push(p->arena, *p->sources, file);
    parser inner = {.arena = p->arena,
                    .names = p->names,
                    .diags = p->diags,
                    .includer = p,
                    .included = p->included,
                    .known = p->known,
                    .sources = p->sources,
                    .path = real,
                    .depth = p->depth,
                    .sequence = p->sequence};
    lexer_init(&inner.lex, file, p->diags);
    parse_text(&inner, out);
    p->sequence = inner.sequence;
}

// ---- the table of keywords

static const struct keyword {
    const char *word;
    stmt_kind kind;
    void (*parse)(parser *p, stmt *s);
} keywords[] = {
    {"title", STMT_TITLE, parse_title},
    {"param", STMT_PARAM, parse_param},
    {"coord", STMT_COORD, parse_coord},
    {"initial", STMT_INITIAL, parse_initial},
    {"let", STMT_LET, parse_let},
    {"kinetic", STMT_KINETIC, parse_energy},
    {"potential", STMT_POTENTIAL, parse_energy},
    {"dissipation", STMT_DISSIPATION, parse_energy},
    {"mass", STMT_MASS, parse_mass},
    {"force", STMT_FORCE, parse_force},
    {"nonideal", STMT_NONIDEAL, parse_force},
    {"quasi", STMT_QUASI, parse_output},
    {"constraint", STMT_CONSTRAINT, parse_constraint},
    {"control", STMT_CONTROL, parse_constraint},
    {"output", STMT_OUTPUT, parse_output},
    {"plot", STMT_PLOT, parse_plot},
    {"draw", STMT_DRAW, parse_draw},
    {"simulate", STMT_SIMULATE, parse_simulate},
    {"coordinates", STMT_COORDINATES, parse_coordinates},
    {"expect", STMT_EXPECT, parse_expect},
    {"stop", STMT_STOP, parse_stop},
    {"for", STMT_FOR, parse_for},
    {"gravity", STMT_PART, parse_gravity},
    {"particle", STMT_PART, parse_part},
    {"body", STMT_PART, parse_part},
    {"body2", STMT_PART, parse_part},
    {"joint", STMT_PART, parse_joint},
    {"spring", STMT_PART, parse_spring},
    {"torque", STMT_TORQUE, parse_torque},
    {"friction", STMT_FRICTION, parse_friction},
};
enum { KEYWORDS = sizeof keywords / sizeof *keywords };

static const struct keyword *keyword_at(const parser *p) {
    for (int i = 0; i < KEYWORDS; i++)
        if (parser_at(p, keywords[i].word))
            return &keywords[i];
    return NULL;
}

bool parser_keyword(const parser *p) {
    return keyword_at(p) || parser_at(p, "include");
}

static void unknown_statement(parser *p) {
    diag *d = parser_error(p, "a statement");
    if (parser_at(p, "<") && p->now.at.offset == 0)
        d->hint = "a robot's file? 'trammel import' makes a model of it";
    if (p->now.kind != TOKEN_NAME)
        return;
    place at = p->now.at;
    const char *word = arena_copy(p->arena, at.source->text + at.offset, (size_t)at.length);
    name_guess best = {0};
    for (int i = 0; i < KEYWORDS; i++)
        names_offer(&best, word, keywords[i].word);
    names_offer(&best, word, "include");
    if (best.text)
        d->hint = arena_print(p->arena, "did you mean '%s'?", best.text);
    else if (token_is(p->next, "=") || token_is(p->next, "~") || token_is(p->next, "[") ||
             p->next.kind == TOKEN_PRIME)
        d->hint = "a constant is written as param a = 1, an initial value as initial x = 1, x' = 0";
    else
        d->hint = "statements start with a word such as param, coord, kinetic, constraint, simulate";
}

// ---- after an error

// to the end of the statement, or to a keyword at the start of a line if a bracket was left open
static void recover(parser *p) {
    int braces = 0; // opened in the statement itself
    while (p->now.kind != TOKEN_END) {
        bool fresh = (p->now.starts_line && parser_keyword(p)) || (parser_at(p, "}") && braces == 0);
        if (fresh)
            p->lex.depth = 0;
        if (fresh || p->now.kind == TOKEN_NEWLINE)
            return;
        braces += parser_at(p, "{") - parser_at(p, "}");
        parser_advance(p);
    }
}

// every name between two places, in a statement that only keeps names
static void keep_names(parser *p, stmt_list *out, int from, int to) {
    diags ignored = {.arena = p->arena};
    lexer lex;
    lexer_init(&lex, p->lex.source, &ignored);
    lex.offset = from;
    stmt *s = arena_alloc(p->arena, sizeof *s);
    s->kind = STMT_WRONG;
    for (token t = lexer_next(&lex); t.kind != TOKEN_END && t.at.offset < to; t = lexer_next(&lex)) {
        item it = {.at = t.at};
        if (t.kind != TOKEN_NAME)
            continue;
        it.name = names_intern(p->names, t.at.source->text + t.at.offset, t.at.length);
        vec_push(p->arena, s->items, it);
    }
    vec_push(p->arena, *out, s);
}

static bool declares(const stmt *s) {
    return s == NULL || s->kind == STMT_PARAM || s->kind == STMT_COORD || s->kind == STMT_LET ||
           s->kind == STMT_QUASI || s->kind == STMT_CONSTRAINT || s->kind == STMT_CONTROL ||
           s->kind == STMT_OUTPUT || s->kind == STMT_FOR || s->kind == STMT_PART;
}

// something follows where the statement should end
static void tell_rest(parser *p, const stmt *s) {
    bool energy = s && s->kind >= STMT_KINETIC && s->kind <= STMT_DISSIPATION;
    if (parser_at(p, ")") || parser_at(p, "]")) {
        const char *open = parser_at(p, ")") ? "(" : "[";
        parser_wrong(
            p, p->now.at,
            arena_print(p->arena, "there is no '%s' for this %s", open, token_shown(p->now, p->arena)));
        return;
    }
    place before = p->last.at;
    const char *word = arena_copy(p->arena, before.source->text + before.offset, (size_t)before.length);
    diag *d = parser_error(p, "an operator or the end of the line");
    if (energy && (parser_at(p, "=") || parser_at(p, ":")))
        d->hint = "the energy follows at once: kinetic m/2*x'^2";
    else if (s && s->kind == STMT_EXPECT && parser_at(p, "="))
        d->hint = "comparison is ==, or better abs(x - 1) < 1e-9";
    else if (s && s->kind == STMT_STOP && parser_at(p, "="))
        d->hint = "comparison is ==, as in stop when x == 0";
    else if (parser_at(p, "="))
        d->hint = "this statement has no '=' here";
    else if (p->last.kind == TOKEN_NAME && elab_is_function(word))
        d->hint = arena_print(p->arena, "a function takes brackets: %s(...)", word);
    else if (parser_keyword(p))
        d->hint = "a statement starts on a line of its own";
    else if (s && s->kind == STMT_DRAW)
        d->hint = "'draw trace' takes a point; line, circle, arrow and spring take two things, separated by "
                  "a space";
    else if (p->now.kind == TOKEN_NUMBER && p->last.kind == TOKEN_NUMBER)
        d->hint = "a number has one point";
    else if (p->now.kind == TOKEN_NAME || parser_at(p, "("))
        d->hint = "a product needs its sign: *";
}

static void parse_statement(parser *p, stmt_list *out) {
    p->failed = false;
    token first = p->now;
    stmt *s = NULL;
    int depth = p->depth;
    const struct keyword *word = keyword_at(p);
    if (word == NULL && parser_accept(p, "include")) {
        parse_include(p, out);
    } else if (word == NULL) {
        unknown_statement(p);
    } else {
        s = arena_alloc(p->arena, sizeof *s);
        s->kind = word->kind;
        s->at = first.at;
        s->sequence = p->sequence++;
        s->word = names_intern(p->names, word->word, (int)strlen(word->word));
        parser_advance(p);
        word->parse(p, s);
    }
    if (!p->failed && !parser_at_end(p) && !p->now.starts_line)
        tell_rest(p, s);
    bool wrong = p->failed;
    p->depth = depth;
    if (wrong)
        recover(p);
    if (s && !wrong)
        vec_push(p->arena, *out, s);
    else if (wrong && declares(s))
        keep_names(p, out, first.at.offset + (s ? first.at.length : 0), p->end);
}

static bool enough(parser *p) {
    if (p->diags->errors < ERRORS_ENOUGH)
        return false;
    p->lex.offset = p->lex.source->length;
    p->now.kind = p->next.kind = TOKEN_END;
    return true;
}

static void parse_text(parser *p, stmt_list *out) {
    p->next = lexer_next(&p->lex);
    parser_advance(p);
    while (p->now.kind != TOKEN_END && !enough(p)) {
        if (p->now.kind == TOKEN_NEWLINE) {
            parser_advance(p);
        } else if (parser_at(p, "}")) {
            diag_error(p->diags, p->now.at, "there is no '{' for this '}'");
            parser_advance(p);
        } else {
            parse_statement(p, out);
        }
    }
}

void parse_model(arena *a, names *table, diags *d, const source *file, const source_list *known,
                 source_list *sources, stmt_list *out) {
    int included = 0;
    parser p = {.arena = a,
                .known = known,
                .names = table,
                .diags = d,
                .included = &included,
                .sources = sources,
                .path = real_path(a, file->path)};
    vec_push(a, *sources, file);
    lexer_init(&p.lex, file, d);
    parse_text(&p, out);
}
