/* What the files of the parser share: expressions (parse.c), the forms of statements (forms.c), and what
 * holds them together (statement.c). */
#ifndef TRAMMEL_LANG_PARSE_H
#define TRAMMEL_LANG_PARSE_H

#include "lang/ast.h"
#include "lang/token.h"

typedef struct parser {
    arena *arena;
    names *names;
    diags *diags;
    lexer lex;
    token now, next; // the token at hand and the one after it
    bool failed;     // the statement at hand is wrong: told already
    int depth;       // of brackets and loops
    token last;      // passed just now
    int end;         // offset just behind it
    int longest;     // numbers that a tuple may have: four, or six for an inertia
    bool tight;      // a name and a '(' make a call only if no space is between: draw line p (1, 2)
    int sequence;
    bool alone; // an expression by itself, as in --set NAME=EXPR
    const struct parser *includer;
    int *included;            // files so far, all together
    const source_list *known; // read before; NULL: none
    source_list *sources;     // those that could be read, the text itself first
    const char *path;         // without links and dots, to know a file again; NULL if it cannot be told
} parser;

void parser_advance(parser *p);
bool parser_at(const parser *p, const char *text); // the token at hand is this symbol or word
bool parser_accept(parser *p, const char *text);   // passes it if it is there
bool parser_expect(parser *p, const char *text, const char *after); // an error if it is not
int parser_name(parser *p, const char *what);     // a name, or an error "expected WHAT"; -1 if failed
int parser_variable(parser *p, const char *what); // the same, of a loop variable or an argument
/* Tells an error at the token at hand, once per statement. */
diag *parser_error(parser *p, const char *expected);
/* The same, with the whole message and another place. */
diag *parser_wrong(parser *p, place at, const char *message);
/* A bracket was to be closed here: tells where it opens if the statement has ended without. */
void parser_unclosed(parser *p, place open, const char *close);
/* The line at hand was taken for the continuation of the one before, but is a statement of its own. */
bool parser_cut(const parser *p);
bool parser_at_end(const parser *p); // of the statement

node *parse_expr(parser *p);   // NULL if failed
node *parse_quoted(parser *p); // the text in quotation marks at hand
node *parser_node(parser *p, node_kind kind, place at);

/* The forms of statements (forms.c); the keyword is passed. */
void parse_coordinates(parser *p, stmt *s);
void parse_title(parser *p, stmt *s);
void parse_param(parser *p, stmt *s);
void parse_coord(parser *p, stmt *s);
void parse_initial(parser *p, stmt *s);
void parse_let(parser *p, stmt *s);
void parse_energy(parser *p, stmt *s);
void parse_force(parser *p, stmt *s);
void parse_mass(parser *p, stmt *s);
void parse_constraint(parser *p, stmt *s);
void parse_output(parser *p, stmt *s);
void parse_plot(parser *p, stmt *s);
void parse_draw(parser *p, stmt *s);
void parse_simulate(parser *p, stmt *s);
void parse_expect(parser *p, stmt *s);
void parse_stop(parser *p, stmt *s);
void parse_torque(parser *p, stmt *s);

/* The forms of parts (parts.c). */
void parse_gravity(parser *p, stmt *s);
void parse_part(parser *p, stmt *s); // particle, body, body2
void parse_spring(parser *p, stmt *s);
void parse_joint(parser *p, stmt *s);
void parse_friction(parser *p, stmt *s);

/* What forms share (forms.c): x, x[i], x[1..N], x'; what is declared has neither primes nor parts. */
item parse_target(parser *p, const char *what);
void parser_plain_name(parser *p, const item *it);
node *parser_expression(parser *p, const char *what);
bool parser_keyword(const parser *p); // the word at hand starts a statement

#endif
