/* C text as pieces: what stands at the outer level of a file, each with the names that it defines. From some
 * of them and all that they need a program is put together, in which everything is static. So a program that
 * is written out has the very functions of the library that it needs, and no others.
 *
 * A name in a piece means, in this order: what a text given by pieces_override defines, a static of its own
 * file, what headers and other files define for all. Where two files have statics of one name, the later one
 * is printed with that of its file before it. Texts are laid out as scripts/format does it: a piece ends with
 * the line on which its braces are closed. */
#ifndef TRAMMEL_EXPORT_PIECES_H
#define TRAMMEL_EXPORT_PIECES_H

#include "base/text.h"

typedef struct pieces pieces;

pieces *pieces_new(arena *a);
/* path: as "linear/dense.c"; what is static there is so for a name that ends with ".c". The text stays. */
void pieces_add(pieces *p, const char *path, const char *given);
/* Its names go before all others. */
void pieces_override(pieces *p, const char *given);
/* The piece that defines a name, after all that it needs and that was not printed before. */
void pieces_print(pieces *p, const char *name, text *out);

#endif
