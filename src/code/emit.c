#include "code/emit.h"

#include <string.h>

// ---- constants, each eight lanes wide

enum { CONSTANT_SIZE = 64 };
enum { ZERO, ONE, MINUS_ONE, SIGN_BIT, OTHER_BITS, CONSTANTS };

void emit_constants(encoder *e) {
    static const double numbers[] = {[ZERO] = 0, [ONE] = 1, [MINUS_ONE] = -1};
    for (int i = 0; i < CONSTANTS; i++) {
        uint64_t bits = (uint64_t)1 << 63;
        if (i == OTHER_BITS)
            bits = ~bits;
        else if (i < SIGN_BIT)
            memcpy(&bits, &numbers[i], sizeof bits);
        for (int k = 0; k < CONSTANT_SIZE; k++)
            vec_push(e->arena, e->bytes, (uint8_t)(bits >> 8 * (k % 8)));
    }
}

static operand constant(int which) {
    return in_memory(RIP, which * CONSTANT_SIZE);
}

operand emit_zero(void) {
    return constant(ZERO);
}

bool emit_is_function(op_code op) {
    static const bool has_instructions[OP_COUNT] = {
        [OP_NUMBER] = true, [OP_SYMBOL] = true, [OP_NEG] = true,   [OP_ADD] = true, [OP_SUB] = true,
        [OP_MUL] = true,    [OP_DIV] = true,    [OP_SQRT] = true,  [OP_ABS] = true, [OP_SIGN] = true,
        [OP_MIN] = true,    [OP_MAX] = true,    [OP_FLOOR] = true, [OP_LT] = true,  [OP_LE] = true,
        [OP_EQ] = true,     [OP_NE] = true,     [OP_AND] = true,   [OP_OR] = true,  [OP_NOT] = true,
        [OP_IF] = true,
    };
    return !has_instructions[op];
}

int emit_scratch(encode_width width) {
    return width == WIDTH_8 ? 31 : 15;
}

int emit_memory_operand(op_code op, encode_width width) {
    switch (op) {
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_DIV:
    case OP_LT:
    case OP_LE:
    case OP_EQ:
    case OP_NE:
        return 1;
    case OP_MIN:
    case OP_MAX:
        return 0;
    case OP_IF:
        return width == WIDTH_1 ? -1 : 1; // the scalar blend would read 16 bytes
    default:
        return -1;
    }
}

// ---- conditions: 1 where they hold, else 0. Eight lanes have mask registers, the others masks of bits

enum { K1 = 1, K2 = 2 };

static void condition(encoder *e, encode_cmp cmp, int to, int a, operand b) {
    if (e->width == WIDTH_8) {
        encode_compare_mask(e, cmp, K1, a, b, 0);
        encode_load_mask(e, to, constant(ONE), K1, true);
    } else {
        encode_compare(e, cmp, to, a, b);
        encode_operation(e, V_AND, to, to, constant(ONE));
    }
}

// a != 0 and b != 0
static void both(encoder *e, int to, int a, int b) {
    if (e->width == WIDTH_8) {
        encode_compare_mask(e, CMP_NE, K1, a, constant(ZERO), 0);
        encode_compare_mask(e, CMP_NE, K1, b, constant(ZERO), K1);
        encode_load_mask(e, to, constant(ONE), K1, true);
    } else {
        int other = emit_scratch(e->width);
        encode_compare(e, CMP_NE, other, a, constant(ZERO));
        condition(e, CMP_NE, to, b, constant(ZERO));
        encode_operation(e, V_AND, to, to, in_register(other));
    }
}

static void either(encoder *e, int to, int a, int b) {
    if (e->width == WIDTH_8) {
        encode_compare_mask(e, CMP_NE, K1, a, constant(ZERO), 0);
        encode_compare_mask(e, CMP_NE, K2, b, constant(ZERO), 0);
        encode_or_mask(e, K1, K1, K2);
        encode_load_mask(e, to, constant(ONE), K1, true);
    } else {
        int other = emit_scratch(e->width);
        condition(e, CMP_NE, other, a, constant(ZERO));
        condition(e, CMP_NE, to, b, constant(ZERO));
        encode_operation(e, V_OR, to, to, in_register(other));
    }
}

// (a > 0) - (a < 0)
static void sign(encoder *e, int to, int a) {
    if (e->width == WIDTH_8) {
        encode_compare_mask(e, CMP_GT, K1, a, constant(ZERO), 0);
        encode_compare_mask(e, CMP_LT, K2, a, constant(ZERO), 0);
        encode_load_mask(e, to, constant(ONE), K1, true);
        encode_load_mask(e, to, constant(MINUS_ONE), K2, false);
    } else {
        int below = emit_scratch(e->width);
        condition(e, CMP_LT, below, a, constant(ZERO));
        condition(e, CMP_GT, to, a, constant(ZERO));
        encode_operation(e, V_SUB, to, to, in_register(below));
    }
}

static void choose(encoder *e, int to, int which, operand a, int b) { // which != 0 ? a : b
    if (e->width == WIDTH_8) {
        encode_compare_mask(e, CMP_NE, K1, which, constant(ZERO), 0);
        encode_blend_mask(e, to, b, a, K1);
    } else {
        int mask = emit_scratch(e->width);
        encode_compare(e, CMP_NE, mask, which, constant(ZERO));
        encode_blend(e, to, b, a, mask);
    }
}

void emit_operation(encoder *e, op_code op, int to, const operand *args) {
    int a = args[0].reg, b = args[1].reg;
    switch (op) {
    case OP_NEG:
        encode_operation(e, V_XOR, to, a, constant(SIGN_BIT));
        break;
    case OP_ADD:
        encode_operation(e, V_ADD, to, a, args[1]);
        break;
    case OP_SUB:
        encode_operation(e, V_SUB, to, a, args[1]);
        break;
    case OP_MUL:
        encode_operation(e, V_MUL, to, a, args[1]);
        break;
    case OP_DIV:
        encode_operation(e, V_DIV, to, a, args[1]);
        break;
    case OP_SQRT:
        encode_sqrt(e, to, a);
        break;
    case OP_ABS:
        encode_operation(e, V_AND, to, a, constant(OTHER_BITS));
        break;
    case OP_SIGN:
        sign(e, to, a);
        break;
    case OP_MIN: // b < a ? b : a
        encode_operation(e, V_MIN, to, b, args[0]);
        break;
    case OP_MAX: // b > a ? b : a
        encode_operation(e, V_MAX, to, b, args[0]);
        break;
    case OP_FLOOR:
        encode_floor(e, to, a);
        break;
    case OP_LT:
        condition(e, CMP_LT, to, a, args[1]);
        break;
    case OP_LE:
        condition(e, CMP_LE, to, a, args[1]);
        break;
    case OP_EQ:
        condition(e, CMP_EQ, to, a, args[1]);
        break;
    case OP_NE:
        condition(e, CMP_NE, to, a, args[1]);
        break;
    case OP_AND:
        both(e, to, a, b);
        break;
    case OP_OR:
        either(e, to, a, b);
        break;
    case OP_NOT:
        condition(e, CMP_EQ, to, a, constant(ZERO));
        break;
    default: // OP_IF
        choose(e, to, a, args[1], args[2].reg);
    }
}
