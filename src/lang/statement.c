/* Statements: one function for each form, chosen by the keyword in a table. After a wrong statement reading
 * goes on with the next line, so that independent errors show in one run. */
#include "base/file.h"
#include "lang/parse.h"

#include <string.h>

enum { INCLUDE_DEEPEST = 16 };

static void parse_statement(parser *p, stmt_list *out);

static node *expression_of(parser *p, const char *what) {
    if (!p->failed && parser_at_end(p))
        parser_error(p, what);
    return p->failed ? NULL : parse_expr(p);
}

// x, x[i], x[1..N], x', x[i]''
static item parse_target(parser *p, const char *what) {
    item it = {.at = p->now.at};
    it.name = parser_name(p, what);
    if (!p->failed && parser_accept(p, "[")) {
        it.index = parse_expr(p);
        if (!p->failed && p->now.kind == TOKEN_RANGE) {
            parser_advance(p);
            it.first = it.index;
            it.index = NULL;
            it.last = parse_expr(p);
        }
        if (!p->failed)
            parser_expect(p, "]", "after the index");
    }
    while (!p->failed && p->now.kind == TOKEN_PRIME) {
        it.primes++;
        parser_advance(p);
    }
    if (!p->failed && parser_at(p, "["))
        parser_error(p, "an index before the prime")->hint = "write x[i]' instead of x'[i]";
    return it;
}

static void no_primes(parser *p, const item *it) {
    if (it->primes && !p->failed) {
        diag_error(p->diags, it->at, "a derivative cannot be declared")->hint = "leave the ' away";
        p->failed = true;
    }
}

static void parse_equals(parser *p, const char *after, const char *hint) {
    if (p->failed || parser_accept(p, "="))
        return;
    parser_error(p, arena_print(p->arena, "'=' %s", after))->hint = hint;
}

// ---- one function for each form of statement; the keyword is passed

static void parse_title(parser *p, stmt *s) {
    if (p->now.kind != TOKEN_STRING) {
        parser_error(p, "a text in quotation marks, as in title \"Pendulum\"");
        return;
    }
    s->extent = p->now.at;
    parser_advance(p);
}

static void parse_param(parser *p, stmt *s) {
    do {
        item it = parse_target(p, "the name of a parameter, as in param L = 2");
        no_primes(p, &it);
        parse_equals(p, "and the parameter's value", "write param NAME = EXPRESSION");
        it.value = expression_of(p, "the parameter's value");
        vec_push(p->arena, s->items, it);
    } while (!p->failed && parser_accept(p, ","));
}

static void parse_coord(parser *p, stmt *s) {
    do {
        item it = parse_target(p, "the name of a coordinate, as in coord x, y or coord x[1..N]");
        no_primes(p, &it);
        if (!p->failed && (parser_at(p, "=") || parser_at(p, "~")))
            parser_error(p, "',' or the end of the line")->hint =
                "initial values have a statement of their own: initial x = 1";
        vec_push(p->arena, s->items, it);
    } while (!p->failed && parser_accept(p, ","));
}

static void parse_initial(parser *p, stmt *s) {
    do {
        item it = parse_target(p, "a coordinate, as in initial x = 1, x' = 0");
        it.guess = parser_at(p, "~");
        if (!p->failed && !parser_accept(p, "~") && !parser_accept(p, "="))
            parser_error(p, "'=' or '~' and the initial value")->hint =
                "write x = 1 for an exact value, y ~ 0 for a guess that may be moved";
        it.value = expression_of(p, "the initial value");
        vec_push(p->arena, s->items, it);
    } while (!p->failed && parser_accept(p, ","));
}

static void parse_let(parser *p, stmt *s) {
    item it = {.at = p->now.at};
    it.name = parser_name(p, "a name, as in let r = sqrt(x^2 + y^2) or let f(a, b) = a*b");
    if (!p->failed && parser_at(p, "["))
        parser_error(p, "'=' or '('")->hint = "an expression with an index is a function: let r(i) = x[i]^2";
    if (!p->failed && parser_accept(p, "(")) {
        s->function = true;
        do {
            int argument = parser_name(p, "the name of an argument");
            vec_push(p->arena, s->names, argument);
            if (s->names.count == LET_ARGUMENTS && parser_at(p, ","))
                parser_error(p, arena_print(p->arena, "at most %d arguments", LET_ARGUMENTS));
        } while (!p->failed && parser_accept(p, ","));
        if (!p->failed)
            parser_expect(p, ")", "after the arguments");
    }
    parse_equals(p, "and an expression", "write let NAME = EXPRESSION");
    s->value = expression_of(p, "an expression");
    vec_push(p->arena, s->items, it);
}

static void parse_energy(parser *p, stmt *s) {
    if (parser_at(p, "=") || parser_at(p, ":")) {
        parser_error(p, "an expression")->hint = "the energy follows at once: kinetic m/2*x'^2";
        return;
    }
    s->value = expression_of(p, "an expression");
}

static void parse_force(parser *p, stmt *s) {
    item it = parse_target(p, "a coordinate, as in force x = -k*x");
    no_primes(p, &it);
    parse_equals(p, "and an expression", "write force x = -k*x");
    s->value = expression_of(p, "an expression");
    vec_push(p->arena, s->items, it);
}

static void parse_mass(parser *p, stmt *s) {
    item it = parse_target(p, "a coordinate, as in mass x = 2 or mass x y = 0.5");
    no_primes(p, &it);
    vec_push(p->arena, s->items, it);
    if (!p->failed && p->now.kind == TOKEN_NAME) {
        it = parse_target(p, "a coordinate");
        no_primes(p, &it);
        vec_push(p->arena, s->items, it);
    }
    parse_equals(p, "and an expression", "write mass x = 2 or mass x y = 0.5");
    s->value = expression_of(p, "an expression");
}

// (damping = d, stiffness = k, weight = w)
static void parse_options(parser *p, stmt *s) {
    do {
        token t = p->now;
        node **to = token_is(t, "damping")     ? &s->damping
                    : token_is(t, "stiffness") ? &s->stiffness
                    : token_is(t, "weight")    ? &s->weight
                                               : NULL;
        if (to == NULL) {
            parser_error(p, "'damping', 'stiffness' or 'weight'");
            return;
        }
        if (*to) {
            diag_error(p->diags, t.at, "this option is given twice");
            p->failed = true;
        }
        parser_advance(p);
        parse_equals(p, "and a value", "write constraint NAME (damping = 2, stiffness = 1): ...");
        *to = expression_of(p, "a value");
    } while (!p->failed && parser_accept(p, ","));
    if (!p->failed)
        parser_expect(p, ")", "after the options");
}

static const char constraint_form[] = "a constraint has a name: constraint NAME: e1 = e2";

static void parse_constraint(parser *p, stmt *s) {
    if (p->now.kind != TOKEN_NAME) {
        parser_error(p, "a name")->hint = constraint_form;
        return;
    }
    item it = parse_target(p, "a name");
    no_primes(p, &it);
    vec_push(p->arena, s->items, it);
    if (!p->failed && parser_accept(p, "("))
        parse_options(p, s);
    if (!p->failed && !parser_accept(p, ":"))
        parser_error(p, "':' after the constraint's name")->hint = constraint_form;
    s->lhs = expression_of(p, "an equation e1 = e2");
    if (!p->failed && (parser_at(p, "~") || parser_at(p, "==")))
        parser_error(p, "'='")->hint = "constraints are equations with a single =";
    parse_equals(p, "and the other side of the equation", "a constraint is an equation: e1 = e2");
    s->rhs = expression_of(p, "the other side of the equation");
}

static void parse_output(parser *p, stmt *s) {
    item it = parse_target(p, "a name, as in output r = sqrt(x^2 + y^2)");
    no_primes(p, &it);
    parse_equals(p, "and an expression", "write output NAME = EXPRESSION");
    it.value = expression_of(p, "an expression");
    vec_push(p->arena, s->items, it);
}

static void parse_plot(parser *p, stmt *s) {
    parse_title(p, s);
    if (!p->failed)
        parser_expect(p, ":", "after the plot's title, as in plot \"Path\": y vs x");
    do {
        node *n = expression_of(p, "an expression to plot");
        vec_push(p->arena, s->list, n);
    } while (!p->failed && parser_accept(p, ","));
    if (!p->failed && parser_accept(p, "vs"))
        s->value = expression_of(p, "what to plot against");
}

static void parse_draw(parser *p, stmt *s) {
    static const char *const kinds[] = {"line", "circle", "trace", "arrow", "box"};
    static const int counts[] = {2, 2, 1, 2, 2};
    int kind = -1;
    for (int i = 0; i < 5; i++)
        if (parser_at(p, kinds[i]))
            kind = i;
    if (kind < 0) {
        parser_error(p, "'line', 'circle', 'trace', 'arrow' or 'box'");
        return;
    }
    s->extent = p->now.at;
    s->name = names_intern(p->names, kinds[kind], (int)strlen(kinds[kind]));
    parser_advance(p);
    p->tight = true;
    for (int i = 0; i < counts[kind] && !p->failed; i++) {
        node *n = expression_of(p, kind == 2 ? "a point" : "two points or sizes, separated by a space");
        vec_push(p->arena, s->list, n);
    }
    p->tight = false;
}

static void parse_simulate(parser *p, stmt *s) {
    static const char form[] = "write simulate until 10, every 0.01, tolerance 1e-9";
    while (!p->failed && !parser_at_end(p)) {
        node **to = parser_at(p, "until")       ? &s->until
                    : parser_at(p, "from")      ? &s->from
                    : parser_at(p, "every")     ? &s->every
                    : parser_at(p, "tolerance") ? &s->tolerance
                                                : NULL;
        if (to == NULL) {
            parser_error(p, "'until', 'from', 'every' or 'tolerance'")->hint = form;
            return;
        }
        if (*to) {
            diag_error(p->diags, p->now.at, "this is given twice");
            p->failed = true;
            return;
        }
        parser_advance(p);
        *to = expression_of(p, "a number");
        parser_accept(p, ",");
    }
    if (!p->failed && s->until == NULL) {
        diag_error(p->diags, s->at, "simulate needs the time at which it ends")->hint = form;
        p->failed = true;
    }
}

static void parse_expect(parser *p, stmt *s) {
    s->always = parser_at(p, "always");
    if (!s->always && !parser_at(p, "finally")) {
        parser_error(p, "'always' or 'finally'")->hint =
            "write expect always CONDITION or expect finally CONDITION";
        return;
    }
    parser_advance(p);
    s->extent = p->now.at;
    s->value = expression_of(p, "a condition");
    s->extent.length = p->end - s->extent.offset;
}

static void parse_body(parser *p, stmt *s, place open) {
    while (p->now.kind != TOKEN_END && !parser_at(p, "}")) {
        if (p->now.kind == TOKEN_NEWLINE)
            parser_advance(p);
        else
            parse_statement(p, &s->body);
    }
    if (!parser_accept(p, "}"))
        diag_error(p->diags, open, "this '{' is never closed");
}

static void parse_for(parser *p, stmt *s) {
    s->name = parser_name(p, "a loop variable, as in for i in 1..N: ...");
    if (!p->failed)
        parser_expect(p, "in", "after the loop variable");
    if (p->failed)
        return;
    s->low = parse_expr(p);
    if (!p->failed && p->now.kind != TOKEN_RANGE)
        parser_error(p, "'..' of a range such as 1..N");
    if (p->failed)
        return;
    parser_advance(p);
    s->high = parse_expr(p);
    if (p->failed)
        return;
    if (p->depth >= AST_DEEPEST / 4) {
        diag_error(p->diags, s->at, "loops are nested too deep");
        p->failed = true;
        return;
    }
    place open = p->now.at;
    p->depth++;
    if (parser_accept(p, "{"))
        parse_body(p, s, open);
    else if (parser_accept(p, ":"))
        parse_statement(p, &s->body);
    else
        parser_error(p, "':' and a statement, or '{' and several");
    p->depth--;
}

static bool included_already(const parser *p, const char *path) {
    for (; p; p = p->includer)
        if (strcmp(p->lex.source->path, path) == 0)
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

static void parse_include(parser *p, stmt_list *out) {
    if (p->now.kind != TOKEN_STRING) {
        parser_error(p, "a file name in quotation marks, as in include \"parts.tram\"");
        return;
    }
    place at = p->now.at;
    const char *name = arena_copy(p->arena, at.source->text + at.offset + 1, (size_t)at.length - 2);
    const char *path = file_beside(p->arena, at.source->path, name), *why = NULL;
    parser_advance(p);
    if (included_already(p, path)) {
        diag_error(p->diags, at, "this file includes itself");
        return;
    }
    if (include_depth(p) >= INCLUDE_DEEPEST) {
        diag_error(p->diags, at, "includes are nested more than %d deep", INCLUDE_DEEPEST);
        return;
    }
    const source *file = file_read(p->arena, path, &why);
    if (file == NULL) {
        diag_error(p->diags, at, "cannot include '%s': %s", path, why)->hint =
            "a file is sought beside the one that includes it";
        return;
    }
    parser inner = {
        .arena = p->arena, .names = p->names, .diags = p->diags, .includer = p, .sequence = p->sequence};
    lexer_init(&inner.lex, file, p->diags);
    parse_text(&inner, out);
    p->sequence = inner.sequence;
}

static void parse_not_yet(parser *p, stmt *s) {
    diag_error(p->diags, s->at, "'%.*s' is not yet part of this version", s->at.length,
               s->at.source->text + s->at.offset)
        ->hint = "write the coordinates, energies and constraints themselves";
    if (p->now.kind == TOKEN_NAME) { // what it declares is known, so that its uses are not errors too
        item it = {.at = p->now.at};
        it.name = parser_name(p, "a name");
        vec_push(p->arena, s->items, it);
    }
    p->failed = true; // passes over the rest
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
    {"expect", STMT_EXPECT, parse_expect},
    {"for", STMT_FOR, parse_for},
    {"gravity", STMT_NOT_YET, parse_not_yet},
    {"particle", STMT_NOT_YET, parse_not_yet},
    {"body", STMT_NOT_YET, parse_not_yet},
    {"body2", STMT_NOT_YET, parse_not_yet},
    {"joint", STMT_NOT_YET, parse_not_yet},
    {"spring", STMT_NOT_YET, parse_not_yet},
    {"torque", STMT_NOT_YET, parse_not_yet},
    {"friction", STMT_NOT_YET, parse_not_yet},
    {"stop", STMT_NOT_YET, parse_not_yet},
};
enum { KEYWORDS = sizeof keywords / sizeof *keywords };

static const struct keyword *keyword_at(const parser *p) {
    for (int i = 0; i < KEYWORDS; i++)
        if (parser_at(p, keywords[i].word))
            return &keywords[i];
    return NULL;
}

static void unknown_statement(parser *p) {
    diag *d = parser_error(p, "a statement");
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
    else if (token_is(p->next, "=") || token_is(p->next, "~") || p->next.kind == TOKEN_PRIME)
        d->hint = arena_print(p->arena,
                              "for a constant write param %s = ..., for an initial value initial %s = ...",
                              word, word);
    else
        d->hint = "statements start with a word such as param, coord, kinetic, constraint, simulate";
}

// after an error: to the end of the statement, or to a keyword at the start of a line if a bracket was left
// open
static void recover(parser *p) {
    while (p->now.kind != TOKEN_END) {
        bool fresh = p->now.starts_line && keyword_at(p);
        if (fresh && p->lex.depth > 0)
            p->lex.depth = 0;
        if (fresh || p->now.kind == TOKEN_NEWLINE || parser_at(p, "}"))
            return;
        parser_advance(p);
    }
}

static void parse_statement(parser *p, stmt_list *out) {
    p->failed = false;
    token first = p->now;
    const struct keyword *word = keyword_at(p);
    if (word == NULL && parser_accept(p, "include")) {
        parse_include(p, out);
    } else if (word == NULL) {
        unknown_statement(p);
    } else {
        stmt *s = arena_alloc(p->arena, sizeof *s);
        s->kind = word->kind;
        s->at = first.at;
        s->sequence = p->sequence++;
        parser_advance(p);
        word->parse(p, s);
        if (!p->failed || s->kind == STMT_NOT_YET || s->kind == STMT_FOR)
            vec_push(p->arena, *out, s);
    }
    if (!p->failed && !parser_at_end(p))
        parser_error(p, "an operator or the end of the line")->hint =
            token_is(p->now, "=") ? "this statement has no '=' here" : NULL;
    if (p->failed)
        recover(p);
}

static void parse_text(parser *p, stmt_list *out) {
    p->next = lexer_next(&p->lex);
    parser_advance(p);
    while (p->now.kind != TOKEN_END) {
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

void parse_model(arena *a, names *table, diags *d, const source *file, stmt_list *out) {
    parser p = {.arena = a, .names = table, .diags = d};
    lexer_init(&p.lex, file, d);
    parse_text(&p, out);
}
