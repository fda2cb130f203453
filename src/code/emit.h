/* One operation of the table as machine code, given where its operands are: the bits that the operation's
 * value gives (ops.c), but for those of a nan. */
#ifndef TRAMMEL_CODE_EMIT_H
#define TRAMMEL_CODE_EMIT_H

#include "code/encode.h"
#include "expr/ops.h"

/* The numbers that the code refers to; they stand before it, emit_constants first of all. */
void emit_constants(encoder *e);
operand emit_zero(void);

/* Whether an operation has no instructions here and is called, by batch.h: sin, pow, and what the table of
 * operations may get in future. */
bool emit_is_function(op_code op);
/* A register that no value is in: operations use it. */
int emit_scratch(encode_width width);
/* Which operand may be in memory; -1 if all must be in registers. */
int emit_memory_operand(op_code op, encode_width width);
/* Not for functions. `to` may be an operand's register. */
void emit_operation(encoder *e, op_code op, int to, const operand *args);

#endif
