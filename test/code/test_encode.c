/* Every instruction of the encoder, with many registers and operands, as objdump reads it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "code/encode.h"

static const char *const bases[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8",
                                    "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip"};
static const char *const short_bases[] = {"eax", "ecx", "edx",  "ebx",  "esp",  "ebp",  "esi",  "edi",
                                          "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"};

typedef struct {
    encoder e;
    text expected; // a line for each instruction
    int instructions;
} pad;

static pad pad_new(encode_width width) {
    arena *a = arena_new(0);
    pad p = {.e = {.arena = a, .width = width}};
    text_init(&p.expected, a);
    return p;
}

// ---- what objdump should say

static __attribute__((format(printf, 2, 3))) void expect(pad *p, const char *format, ...) {
    char line[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    text_print(&p->expected, "%s\n", line);
    p->instructions++;
}

typedef struct {
    char text[80];
} word;

static word vector_name(const pad *p, int reg) {
    word w;
    snprintf(w.text, sizeof w.text, "%s%d", ((const char *[]){"xmm", "ymm", "zmm"})[p->e.width], reg);
    return w;
}

static const char *size_of(const pad *p, bool whole) { // whole: 16 bytes also where the width is scalar
    return p->e.width == WIDTH_8   ? "ZMMWORD"
           : p->e.width == WIDTH_4 ? "YMMWORD"
           : whole                 ? "XMMWORD"
                                   : "QWORD";
}

static word address_name(operand o) {
    word w;
    if (o.base == RIP) // objdump writes the offset from here, and the place as a comment that is cut
        snprintf(w.text, sizeof w.text, "[rip+?]");
    else if (o.offset == 0)
        snprintf(w.text, sizeof w.text, "[%s%s]", bases[o.base], (o.base & 7) == 5 ? "+0x0" : "");
    else
        snprintf(w.text, sizeof w.text, "[%s%c0x%x]", bases[o.base], o.offset < 0 ? '-' : '+',
                 (unsigned)(o.offset < 0 ? -(int64_t)o.offset : o.offset));
    return w;
}

static word operand_name(const pad *p, operand o, bool whole) {
    if (!o.memory)
        return vector_name(p, o.reg);
    word w;
    snprintf(w.text, sizeof w.text, "%s PTR %.60s", size_of(p, whole), address_name(o).text);
    return w;
}

// ---- objdump's own lines

static void finish_rip(char *line) { // [rip+0x12], [rip-0x12] become [rip+?]
    char *at = strstr(line, "[rip");
    if (at) {
        char *end = strchr(at, ']');
        memmove(at + 6, end, strlen(end) + 1);
        memcpy(at, "[rip+?", 6);
    }
}

// "   0:\tc5 f8 77 \tvzeroupper " to "vzeroupper", with one blank after the name
static bool instruction_of(char *line, char *out) {
    char *tab = strrchr(line, '\t');
    if (line[0] != ' ' || tab == NULL || tab == strchr(line, '\t'))
        return false;
    char *comment = strchr(tab, '#');
    if (comment)
        *comment = 0;
    size_t length = 0;
    for (const char *c = tab + 1; *c && *c != '\n'; c++)
        if (*c != ' ' || (length && out[length - 1] != ' '))
            out[length++] = *c;
    while (length && out[length - 1] == ' ')
        length--;
    out[length] = 0;
    finish_rip(out);
    return true;
}

static void compare(pad *p, FILE *listing) {
    char line[400], found[400];
    const char *want = text_string(&p->expected);
    int seen = 0;
    while (fgets(line, sizeof line, listing)) {
        if (!instruction_of(line, found))
            continue;
        size_t length = strcspn(want, "\n");
        if (strlen(found) != length || memcmp(found, want, length) != 0)
            fail_msg("instruction %d: objdump reads '%s', not '%.*s'", seen, found, (int)length, want);
        want += length + 1;
        seen++;
    }
    assert_int_equal(seen, p->instructions);
}

static void check(pad *p) {
    char path[] = "/tmp/trammel-encode-XXXXXX", command[200];
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, p->e.bytes.at, (size_t)p->e.bytes.count), p->e.bytes.count);
    close(file);
    snprintf(command, sizeof command, "objdump -D -w -b binary -m i386:x86-64 -M intel %s", path);
    FILE *listing = popen(command, "r");
    assert_non_null(listing);
    compare(p, listing);
    pclose(listing);
    unlink(path);
    arena_free(p->e.arena);
}

// ---- operands to try

static int register_count(const pad *p) {
    return p->e.width == WIDTH_8 ? 32 : 16;
}

static int third(const pad *p, int i) { // registers in another order, all of them
    return (11 * i + 5) % register_count(p);
}

enum { OPERANDS = 40 };

// the i-th second operand: registers and memory by turns
static operand some_operand(const pad *p, int i) {
    static const int32_t offsets[] = {0,    8,    -8,   64,    120,   127,      128,        -128,
                                      -129, 8128, 8192, -8192, -8256, 0x123456, 0x7FFFFFF8, INT32_MIN + 8};
    if (i % 3 == 0)
        return in_register((7 * i + 3) % register_count(p));
    return in_memory((encode_base)(i % 17), offsets[i % 16]);
}

// ---- the instructions

static const encode_width widths[] = {WIDTH_1, WIDTH_4, WIDTH_8};
#define FOR_WIDTHS(w, count) for (int w = 0; w < (count); w++)

static void operations(void **state) {
    static const char *const names[] = {"add", "sub", "mul", "div", "min", "max", "and", "or", "xor"};
    FOR_WIDTHS(w, 3) {
        pad p = pad_new(widths[w]);
        for (int op = V_ADD; op <= V_XOR; op++)
            for (int i = 0; i < 17 * OPERANDS; i++) {
                bool whole = op >= V_AND;
                int to = i % register_count(&p), a = third(&p, i);
                operand b = some_operand(&p, i);
                encode_operation(&p.e, (encode_op)op, to, a, b);
                expect(&p, "v%s%s %s,%s,%s", names[op], w || whole ? "pd" : "sd", vector_name(&p, to).text,
                       vector_name(&p, a).text, operand_name(&p, b, whole).text);
            }
        check(&p);
    }
}

static void moves(void **state) {
    FOR_WIDTHS(w, 3) {
        pad p = pad_new(widths[w]);
        const char *move = w ? "vmovupd" : "vmovsd";
        for (int i = 0; i < 17 * OPERANDS; i++) {
            int to = i % register_count(&p);
            operand b = some_operand(&p, i);
            encode_load(&p.e, to, b);
            expect(&p, "%s %s,%s", b.memory ? move : "vmovapd", vector_name(&p, to).text,
                   operand_name(&p, b, false).text);
            if (!b.memory)
                continue;
            encode_store(&p.e, b, to);
            expect(&p, "%s %s,%s", move, operand_name(&p, b, false).text, vector_name(&p, to).text);
        }
        encode_zero_upper(&p.e);
        expect(&p, "vzeroupper");
        check(&p);
    }
}

static void roots_and_floors(void **state) {
    FOR_WIDTHS(w, 3) {
        pad p = pad_new(widths[w]);
        for (int i = 0; i < 32 * 32; i++) {
            int to = i % register_count(&p), from = i / 32 % register_count(&p);
            word t = vector_name(&p, to), f = vector_name(&p, from);
            encode_sqrt(&p.e, to, from);
            encode_floor(&p.e, to, from);
            if (w == 0) {
                expect(&p, "vsqrtsd %s,%s,%s", t.text, f.text, f.text);
                expect(&p, "vroundsd %s,%s,%s,0x9", t.text, f.text, f.text);
            } else {
                expect(&p, "vsqrtpd %s,%s", t.text, f.text);
                expect(&p, "%s %s,%s,0x9", w == 1 ? "vroundpd" : "vrndscalepd", t.text, f.text);
            }
        }
        check(&p);
    }
}

static const encode_cmp compares[] = {CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT};
static const char *const compare_names[] = {"eq", "neq", "lt_oq", "le_oq", "gt_oq"};

static void comparisons(void **state) {
    FOR_WIDTHS(w, 2) {
        pad p = pad_new(widths[w]);
        for (int i = 0; i < 17 * OPERANDS; i++) {
            int to = i % 16, a = third(&p, i), c = i % 5, mask = i / 3 % 16;
            operand b = some_operand(&p, i);
            encode_compare(&p.e, compares[c], to, a, b);
            expect(&p, "vcmp%s%s %s,%s,%s", compare_names[c], w ? "pd" : "sd", vector_name(&p, to).text,
                   vector_name(&p, a).text, operand_name(&p, b, false).text);
            encode_blend(&p.e, to, a, b, mask);
            expect(&p, "vblendvpd %s,%s,%s,%s", vector_name(&p, to).text, vector_name(&p, a).text,
                   operand_name(&p, b, true).text, vector_name(&p, mask).text);
        }
        check(&p);
    }
}

static void masks(void **state) {
    pad p = pad_new(WIDTH_8);
    for (int i = 0; i < 17 * OPERANDS; i++) {
        int to = i % 32, a = third(&p, i), c = i % 5, k = 1 + i % 7, under = i / 7 % 8;
        operand b = some_operand(&p, i);
        word to_name = vector_name(&p, to), b_name = operand_name(&p, b, false);
        char condition[8] = "";
        if (under)
            snprintf(condition, sizeof condition, "{k%d}", under);
        encode_compare_mask(&p.e, compares[c], k, a, b, under);
        expect(&p, "vcmp%spd k%d%s,%s,%s", compare_names[c], k, condition, vector_name(&p, a).text,
               b_name.text);
        encode_or_mask(&p.e, k, 1 + i / 7 % 7, under);
        expect(&p, "korw k%d,k%d,k%d", k, 1 + i / 7 % 7, under);
        encode_blend_mask(&p.e, to, a, b, k);
        expect(&p, "vblendmpd %s{k%d},%s,%s", to_name.text, k, vector_name(&p, a).text, b_name.text);
        encode_load_mask(&p.e, to, b, k, i % 2);
        expect(&p, "vmovupd %s{k%d}%s,%s", to_name.text, k, i % 2 ? "{z}" : "", b_name.text);
    }
    check(&p);
}

static void whole_numbers(void **state) {
    pad p = pad_new(WIDTH_1);
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            encode_base to = (encode_base)i, from = (encode_base)j;
            encode_move(&p.e, to, from);
            expect(&p, "mov %s,%s", bases[i], bases[j]);
            operand at = in_memory(from, 8 * j - 64);
            encode_address(&p.e, to, from, at.offset);
            expect(&p, "lea %s,%s", bases[i], address_name(at).text);
        }
    for (int i = 0; i < 16; i++) {
        encode_base reg = (encode_base)i;
        encode_push(&p.e, reg);
        expect(&p, "push %s", bases[i]);
        encode_pop(&p.e, reg);
        expect(&p, "pop %s", bases[i]);
        encode_number(&p.e, reg, 0x12345678);
        expect(&p, "mov %s,0x12345678", short_bases[i]);
        encode_number(&p.e, reg, 0x123456789ABCDEF0);
        expect(&p, "movabs %s,0x123456789abcdef0", bases[i]);
        encode_call(&p.e, reg);
        expect(&p, "call %s", bases[i]);
        encode_address(&p.e, reg, RIP, 64);
        expect(&p, "lea %s,[rip+?]", bases[i]);
    }
    encode_return(&p.e);
    expect(&p, "ret");
    check(&p);
}

// offsets from the instruction lead back to the place meant: the comment objdump writes is that place
static void places_in_the_code(void **state) {
    FOR_WIDTHS(w, 3) {
        pad p = pad_new(widths[w]);
        for (int i = 0; i < 30; i++) {
            operand at = in_memory(RIP, 64 * i);
            encode_operation(&p.e, V_ADD, i % 16, 3, at);
            int32_t offset;
            memcpy(&offset, p.e.bytes.at + p.e.bytes.count - 4, 4);
            assert_int_equal(p.e.bytes.count + offset, at.offset);
            if (w == 2)
                encode_compare_mask(&p.e, CMP_LT, 1, 3, at, 0);
            else
                encode_compare(&p.e, CMP_LT, i % 16, 3, at);
            memcpy(&offset, p.e.bytes.at + p.e.bytes.count - 5, 4);
            assert_int_equal(p.e.bytes.count + offset, at.offset);
        }
        arena_free(p.e.arena);
    }
}

int main(void) {
    if (system("objdump --version >/dev/null 2>&1") != 0) {
        printf("skipped: objdump is not here (scripts/install-deps test)\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations),         cmocka_unit_test(moves), cmocka_unit_test(roots_and_floors),
        cmocka_unit_test(comparisons),        cmocka_unit_test(masks), cmocka_unit_test(whole_numbers),
        cmocka_unit_test(places_in_the_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
