/* What the two halves of the parser share: expressions (parse.c) and statements (statement.c). */
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
    int end;         // offset just behind the last token passed
    bool tight;      // a name and a '(' make a call only if no space is between: draw line p (1, 2)
    int sequence;
    const struct parser *includer;
} parser;

void parser_advance(parser *p);
bool parser_at(const parser *p, const char *text); // the token at hand is this symbol or word
bool parser_accept(parser *p, const char *text);   // passes it if it is there
bool parser_expect(parser *p, const char *text, const char *after); // an error if it is not
int parser_name(parser *p, const char *what); // a name, or an error "expected WHAT"; -1 if failed
/* Tells an error at the token at hand, once per statement. */
diag *parser_error(parser *p, const char *expected);
bool parser_at_end(const parser *p); // of the statement

node *parse_expr(parser *p); // NULL if failed
node *parser_node(parser *p, node_kind kind, place at);

#endif
