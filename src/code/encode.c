/* An instruction is prefix, opcode, ModRM byte, offset, and perhaps one byte more. The prefix is VEX (two or
 * three bytes) or EVEX (four): Intel's manual, volume 2, sections 2.3 and 2.7. Both store most register bits
 * inverted. */
#include "code/encode.h"

#include <string.h>

enum { MAP_0F = 1, MAP_0F38 = 2, MAP_0F3A = 3 };
enum { NO_PREFIX = 0, P_66 = 1, P_F3 = 2, P_F2 = 3 };
enum { UNUSED = 0 }; // a register field that is not used is stored as register 0

typedef struct {
    uint8_t map, prefix, opcode;
} form;

// what EVEX says beyond the registers
typedef struct {
    int mask;
    bool zero;
} masking;

static void byte(encoder *e, int value) {
    vec_push(e->arena, e->bytes, (uint8_t)value);
}

static void bytes(encoder *e, uint64_t value, int count) {
    for (int i = 0; i < count; i++)
        byte(e, (int)(value >> (8 * i) & 0xFF));
}

// ---- operands

static int bit(int reg, int which) {
    return reg >> which & 1;
}

/* ModRM with a memory operand. scale: the unit of an offset of one byte; tail: bytes that follow the offset.
 */
static void memory(encoder *e, int reg, operand rm, int scale, int tail) {
    int low = (reg & 7) << 3, base = rm.base & 7;
    if (rm.base == RIP) {
        byte(e, low | 5);
        bytes(e, (uint32_t)rm.offset - (uint32_t)(e->bytes.count + 4 + tail), 4);
        return;
    }
    int32_t units = rm.offset / scale;
    bool one_byte = rm.offset % scale == 0 && units >= -128 && units <= 127;
    bool none = rm.offset == 0 && base != 5; // 5 without offset means RIP
    byte(e, (none ? 0x00 : one_byte ? 0x40 : 0x80) | low | base);
    if (base == 4) // rsp and r12 need a SIB byte
        byte(e, 0x24);
    if (!none)
        bytes(e, (uint32_t)(one_byte ? units : rm.offset), one_byte ? 1 : 4);
}

static void modrm(encoder *e, int reg, operand rm, int scale, int tail) {
    if (rm.memory)
        memory(e, reg, rm, scale, tail);
    else
        byte(e, 0xC0 | (reg & 7) << 3 | (rm.reg & 7));
}

// ---- vector instructions

static void vex(encoder *e, form f, int length, int reg, int second, operand rm) {
    int r = !bit(reg, 3), b = rm.memory ? rm.base == RIP || !bit(rm.base, 3) : !bit(rm.reg, 3);
    int last = (~second & 15) << 3 | length << 2 | f.prefix;
    if (b && f.map == MAP_0F) {
        byte(e, 0xC5);
        byte(e, r << 7 | last);
    } else {
        byte(e, 0xC4);
        byte(e, r << 7 | 1 << 6 | b << 5 | f.map);
        byte(e, last);
    }
    byte(e, f.opcode);
}

static void evex(encoder *e, form f, masking m, int reg, int second, operand rm) {
    int b = rm.memory ? rm.base == RIP || !bit(rm.base, 3) : !bit(rm.reg, 3);
    int x = rm.memory || !bit(rm.reg, 4);
    byte(e, 0x62);
    byte(e, !bit(reg, 3) << 7 | x << 6 | b << 5 | !bit(reg, 4) << 4 | f.map);
    byte(e, 1 << 7 | (~second & 15) << 3 | 1 << 2 | f.prefix);
    byte(e, m.zero << 7 | 2 << 5 | !bit(second, 4) << 3 | m.mask);
    byte(e, f.opcode);
}

static void vector_masked(encoder *e, form f, masking m, int reg, int second, operand rm, int tail) {
    bool wide = e->width == WIDTH_8;
    if (wide)
        evex(e, f, m, reg, second, rm);
    else
        vex(e, f, e->width == WIDTH_4, reg, second, rm);
    modrm(e, reg, rm, wide ? 64 : 1, tail);
}

static void vector(encoder *e, form f, int reg, int second, operand rm) {
    vector_masked(e, f, (masking){0}, reg, second, rm, 0);
}

// with a byte after it
static void vector_byte(encoder *e, form f, masking m, int reg, int second, operand rm, int last) {
    vector_masked(e, f, m, reg, second, rm, 1);
    byte(e, last);
}

// the prefix of double arithmetic: packed, or scalar
static uint8_t kind(const encoder *e) {
    return e->width == WIDTH_1 ? P_F2 : P_66;
}

void encode_operation(encoder *e, encode_op op, int to, int a, operand b) {
    static const uint8_t opcode[] = {
        [V_ADD] = 0x58, [V_SUB] = 0x5C, [V_MUL] = 0x59, [V_DIV] = 0x5E, [V_MIN] = 0x5D,
        [V_MAX] = 0x5F, [V_AND] = 0x54, [V_OR] = 0x56,  [V_XOR] = 0x57};
    vector(e, (form){MAP_0F, op >= V_AND ? P_66 : kind(e), opcode[op]}, to, a, b);
}

void encode_sqrt(encoder *e, int to, int from) {
    vector(e, (form){MAP_0F, kind(e), 0x51}, to, e->width == WIDTH_1 ? from : UNUSED, in_register(from));
}

void encode_floor(encoder *e, int to, int from) {
    enum { DOWN = 1, QUIET = 8 };
    bool scalar = e->width == WIDTH_1;
    form f = {MAP_0F3A, P_66, scalar ? 0x0B : 0x09};
    vector_byte(e, f, (masking){0}, to, scalar ? from : UNUSED, in_register(from), DOWN | QUIET);
}

void encode_load(encoder *e, int to, operand from) {
    if (from.memory)
        vector(e, (form){MAP_0F, kind(e), 0x10}, to, UNUSED, from);
    else
        vector(e, (form){MAP_0F, P_66, 0x28}, to, UNUSED, from);
}

void encode_store(encoder *e, operand to, int from) {
    vector(e, (form){MAP_0F, kind(e), 0x11}, from, UNUSED, to);
}

void encode_zero_upper(encoder *e) {
    bytes(e, 0x77F8C5, 3);
}

void encode_compare(encoder *e, encode_cmp cmp, int to, int a, operand b) {
    vector_byte(e, (form){MAP_0F, kind(e), 0xC2}, (masking){0}, to, a, b, cmp);
}

void encode_blend(encoder *e, int to, int a, operand b, int mask) {
    vector_byte(e, (form){MAP_0F3A, P_66, 0x4B}, (masking){0}, to, a, b, mask << 4);
}

// ---- mask registers

void encode_compare_mask(encoder *e, encode_cmp cmp, int to, int a, operand b, int under) {
    vector_byte(e, (form){MAP_0F, P_66, 0xC2}, (masking){.mask = under}, to, a, b, cmp);
}

void encode_or_mask(encoder *e, int to, int a, int b) {
    vex(e, (form){MAP_0F, NO_PREFIX, 0x45}, 1, to, a, in_register(b));
    modrm(e, to, in_register(b), 1, 0);
}

void encode_blend_mask(encoder *e, int to, int a, operand b, int mask) {
    vector_masked(e, (form){MAP_0F38, P_66, 0x65}, (masking){.mask = mask}, to, a, b, 0);
}

void encode_load_mask(encoder *e, int to, operand from, int mask, bool zero) {
    vector_masked(e, (form){MAP_0F, P_66, 0x10}, (masking){mask, zero}, to, UNUSED, from, 0);
}

// ---- the rest

static void short_form(encoder *e, int opcode, encode_base reg) {
    if (reg >= R8)
        byte(e, 0x41);
    byte(e, opcode | (reg & 7));
}

void encode_push(encoder *e, encode_base reg) {
    short_form(e, 0x50, reg);
}

void encode_pop(encoder *e, encode_base reg) {
    short_form(e, 0x58, reg);
}

static void rex(encoder *e, int reg, int base) { // 64 bits
    byte(e, 0x48 | bit(reg, 3) << 2 | bit(base, 3));
}

void encode_move(encoder *e, encode_base to, encode_base from) {
    rex(e, (int)from, (int)to);
    byte(e, 0x89);
    modrm(e, (int)from, in_register((int)to), 1, 0);
}

void encode_address(encoder *e, encode_base to, encode_base base, int32_t offset) {
    rex(e, (int)to, base == RIP ? 0 : (int)base);
    byte(e, 0x8D);
    modrm(e, (int)to, in_memory(base, offset), 1, 0);
}

void encode_number(encoder *e, encode_base to, uint64_t value) {
    bool small = value >> 32 == 0; // writing the lower half clears the upper
    if (!small)
        rex(e, 0, (int)to);
    else if (to >= R8)
        byte(e, 0x41);
    byte(e, 0xB8 | (to & 7));
    bytes(e, value, small ? 4 : 8);
}

void encode_call(encoder *e, encode_base reg) {
    if (reg >= R8)
        byte(e, 0x41);
    byte(e, 0xFF);
    byte(e, 0xD0 | (reg & 7));
}

void encode_return(encoder *e) {
    byte(e, 0xC3);
}
