/* x86-64 machine code, instruction by instruction: what native kernels need and no more.
 *
 * One set of calls serves three widths: scalar double (VEX, xmm), four lanes (VEX, ymm), eight lanes (EVEX,
 * zmm); the width is that of the code. Registers are numbers, 0 to 15, and to 31 with eight lanes. Code is
 * collected in the arena and may be moved: it refers to itself only relative to the instruction. */
#ifndef TRAMMEL_CODE_ENCODE_H
#define TRAMMEL_CODE_ENCODE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum { WIDTH_1, WIDTH_4, WIDTH_8 } encode_width;

typedef enum {
    RAX,
    RCX,
    RDX,
    RBX,
    RSP,
    RBP,
    RSI,
    RDI,
    R8,
    R9,
    R10,
    R11,
    R12,
    R13,
    R14,
    R15,
    RIP
} encode_base;

typedef struct {
    arena *arena;
    encode_width width;
    vec(uint8_t) bytes;
} encoder;

/* A vector register, or memory at base + offset. With RIP the offset counts from the start of the code. */
typedef struct {
    bool memory;
    int reg;
    encode_base base;
    int32_t offset;
} operand;

static inline operand in_register(int reg) {
    return (operand){.reg = reg};
}

static inline operand in_memory(encode_base base, int32_t offset) {
    return (operand){.memory = true, .base = base, .offset = offset};
}

// ---- vectors. Memory operands are of the width's size, those of and, or, xor and blend with 16 bytes at
// least

/* to = a OP b. The bitwise ones work on whole registers. MIN is a < b ? a : b and MAX a > b ? a : b. */
typedef enum { V_ADD, V_SUB, V_MUL, V_DIV, V_MIN, V_MAX, V_AND, V_OR, V_XOR } encode_op;
void encode_operation(encoder *e, encode_op op, int to, int a, operand b);
void encode_sqrt(encoder *e, int to, int from);
void encode_floor(encoder *e, int to, int from);
void encode_load(encoder *e, int to, operand from);  // of a register: all of it
void encode_store(encoder *e, operand to, int from); // to memory
void encode_zero_upper(encoder *e);                  // before code that knows only xmm

/* Comparisons; a nan compares as in C: != holds, all others do not. */
typedef enum { CMP_EQ = 0x00, CMP_NE = 0x04, CMP_LT = 0x11, CMP_LE = 0x12, CMP_GT = 0x1E } encode_cmp;
void encode_compare(encoder *e, encode_cmp cmp, int to, int a,
                    operand b);                                    // scalar, four lanes: bits all 1 or 0
void encode_blend(encoder *e, int to, int a, operand b, int mask); // scalar, four lanes: b where mask is set

/* Eight lanes have mask registers, 1 to 7. under: a mask that must hold, too, or 0. */
void encode_compare_mask(encoder *e, encode_cmp cmp, int to, int a, operand b, int under);
void encode_or_mask(encoder *e, int to, int a, int b);
void encode_blend_mask(encoder *e, int to, int a, operand b, int mask);
/* to = from where the mask holds, elsewhere 0 or what it was. */
void encode_load_mask(encoder *e, int to, operand from, int mask, bool zero);

// ---- the rest
void encode_push(encoder *e, encode_base reg);
void encode_pop(encoder *e, encode_base reg);
void encode_move(encoder *e, encode_base to, encode_base from);
void encode_address(encoder *e, encode_base to, encode_base base, int32_t offset); // to = base + offset
void encode_number(encoder *e, encode_base to, uint64_t value);
void encode_call(encoder *e, encode_base reg);
void encode_return(encoder *e);

#endif
