/* Model text to tokens. The lexer knows where a line goes on: inside ( and [, and after an operator, a comma
 * or a colon. */
#ifndef TRAMMEL_LANG_TOKEN_H
#define TRAMMEL_LANG_TOKEN_H

#include "base/diag.h"

#include <stdbool.h>

typedef enum {
    TOKEN_END,
    TOKEN_NEWLINE,
    TOKEN_NUMBER,
    TOKEN_NAME,
    TOKEN_STRING,
    TOKEN_PRIME,  // '
    TOKEN_RANGE,  // ..
    TOKEN_SYMBOL, // any other: its text tells
    TOKEN_WRONG   // a character or string that is no token; the error has been told
} token_kind;

typedef struct {
    token_kind kind;
    place at;
    double number;
    bool starts_line; // first on its line
} token;

typedef struct {
    const source *source;
    diags *diags;
    int offset;
    int depth;         // of open ( and [
    bool line_goes_on; // the last token was an operator, a comma or a colon
    bool at_line_start;
    int quiet; // up to this offset errors are not told: one for each line is enough
} lexer;

void lexer_init(lexer *lex, const source *s, diags *d);
token lexer_next(lexer *lex);

bool token_is(token t, const char *text);
bool token_is_taken(const char *name); // pi, deg, t: no name of the model's own
/* For messages: what a token looks like to a person ("'+'", "the end of the line"). */
const char *token_shown(token t, arena *a);

#endif
