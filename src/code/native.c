/* Straight-line code with registers chosen by next use (Belady): when a register is needed and none is free,
 * the value whose next use is farthest away leaves, and is stored unless memory has it already. Next uses are
 * known exactly. Inputs and numbers stay where they are and are operands from memory, unless they are needed
 * again soon. Functions go through an array in the workspace, all of a row at once (batch.h); no value stays
 * in a register then. Time and memory are linear in the steps. */
#include "code/native.h"
#include "code/batch.h"
#include "code/emit.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    NEVER = INT_MAX,
    SOON = 40, // steps
    FEW = 2    // one sine and one cosine take 24 ns by libm, 27 by vectors; two of each 42 and 27 (Zen 3)
};

typedef struct {
    arena *scratch;
    const program *p;
    encoder e;
    batch_size batch;
    batch functions[OP_COUNT][BATCH_SIZES]; // those found
    int stride;                             // bytes from a value to the next
    encode_base in, out, work;              // what holds the arguments
    int *reg;                               // by value: its register, or -1
    int *slot;                              // by value: where the workspace has it, or -1
    int *use, *uses;                        // use[uses[v] .. uses[v + 1]]: the steps that use value v
    int *next;                              // by value: its next use, an index of use
    int *output, *other_output;             // by value, by output: an output that it is, the next such; -1
    int held[32];                           // by register: the value in it
    uint32_t free;                          // registers that hold nothing: bits
    vec(int) spare;                         // slots of the workspace not in use
    int slots;
} maker;

// ---- uses

static int values_of(const program *p) {
    return p->first + p->count;
}

static void find_uses(maker *m) {
    const program *p = m->p;
    int values = values_of(p);
    m->uses = arena_array(m->scratch, int, values + 2);
    m->next = arena_array(m->scratch, int, values + 1);
    int *last = arena_array(m->scratch, int, values); // the step after the last one seen; a step counts once
    for (int pass = 0; pass < 2; pass++) {            // count, then fill
        memset(last, 0, (size_t)values * sizeof *last);
        for (int i = 0; i < p->count; i++)
            for (int k = 0; k < ops[p->steps[i].op].arity; k++) {
                int v = p->steps[i].args[k];
                if (last[v] == i + 1)
                    continue;
                last[v] = i + 1;
                if (pass == 0)
                    m->uses[v + 1]++;
                else
                    m->use[m->next[v]++] = i;
            }
        for (int v = 0; pass == 0 && v < values; v++)
            m->uses[v + 1] += m->uses[v];
        if (pass == 0)
            m->use = arena_array(m->scratch, int, m->uses[values] + 1);
        memcpy(m->next, m->uses, (size_t)values * sizeof(int));
    }
}

static void find_outputs(maker *m) {
    m->output = arena_array(m->scratch, int, values_of(m->p));
    m->other_output = arena_array(m->scratch, int, m->p->outputs);
    memset(m->output, -1, (size_t)values_of(m->p) * sizeof(int));
    for (int i = 0; i < m->p->outputs; i++) {
        int v = m->p->output[i];
        m->other_output[i] = m->output[v];
        m->output[v] = i;
    }
}

static int next_use(const maker *m, int v) {
    return m->next[v] < m->uses[v + 1] ? m->use[m->next[v]] : NEVER;
}

static bool used_again_soon(const maker *m, int v, int i) { // after step i, which uses it
    return m->next[v] + 1 < m->uses[v + 1] && m->use[m->next[v] + 1] <= i + SOON;
}

// ---- places in memory

static operand at(const maker *m, encode_base base, int place) {
    return in_memory(base, place * m->stride);
}

static operand home(const maker *m, int v) {
    if (v < m->p->inputs)
        return at(m, m->in, v);
    return at(m, m->work, v < m->p->first ? v : m->slot[v]);
}

static bool in_memory_already(const maker *m, int v) {
    return v < m->p->first || m->slot[v] >= 0;
}

static int new_slot(maker *m) {
    return m->spare.count ? m->spare.at[--m->spare.count] : m->slots++;
}

static void release_slot(maker *m, int v) { // if it is not used any more
    if (v >= m->p->first && m->slot[v] >= 0 && next_use(m, v) == NEVER) {
        vec_push(m->scratch, m->spare, m->slot[v]);
        m->slot[v] = -1;
    }
}

// ---- registers

static void put(maker *m, int v, int reg) {
    m->reg[v] = reg;
    m->held[reg] = v;
    m->free &= ~(1u << reg);
}

static void drop(maker *m, int v) { // from its register
    m->free |= 1u << m->reg[v];
    m->reg[v] = -1;
}

static void spill(maker *m, int v) { // from its register to memory
    if (!in_memory_already(m, v)) {
        m->slot[v] = new_slot(m);
        encode_store(&m->e, home(m, v), m->reg[v]);
    }
    drop(m, v);
}

static void spill_farthest(maker *m, uint32_t kept) {
    int best = -1, farthest = -1;
    for (int r = 0; r < emit_scratch(m->e.width); r++)
        if (!(kept >> r & 1) && next_use(m, m->held[r]) > farthest) {
            farthest = next_use(m, m->held[r]);
            best = r;
        }
    spill(m, m->held[best]);
}

// a free register; those in kept stay as they are
static int take(maker *m, uint32_t kept) {
    if (m->free == 0)
        spill_farthest(m, kept);
    return __builtin_ctz(m->free);
}

static int fetch(maker *m, int v, uint32_t *kept) {
    if (m->reg[v] < 0) {
        int r = take(m, *kept);
        encode_load(&m->e, r, home(m, v));
        put(m, v, r);
    }
    *kept |= 1u << m->reg[v];
    return m->reg[v];
}

static void count_use(maker *m, int v, int i) { // by step i; its register is free if this was the last
    if (next_use(m, v) == i)
        m->next[v]++;
    if (next_use(m, v) == NEVER && m->reg[v] >= 0)
        drop(m, v);
}

// ---- steps

static void write_outputs(maker *m, int v, int reg) {
    for (int o = m->output[v]; o >= 0; o = m->other_output[o])
        encode_store(&m->e, at(m, m->out, o), reg);
}

/* Of two operands that may change places, the one in memory should be second. Only bits of a nan change. */
static step arranged(const maker *m, step s) {
    bool commutes = s.op == OP_ADD || s.op == OP_MUL || s.op == OP_EQ || s.op == OP_NE;
    if (commutes && m->reg[s.args[0]] < 0 && m->reg[s.args[1]] >= 0)
        return (step){s.op, {s.args[1], s.args[0]}};
    return s;
}

static void compile_step(maker *m, int i) {
    step s = arranged(m, m->p->steps[i]);
    int arity = ops[s.op].arity, free_to_stay = emit_memory_operand(s.op, m->e.width);
    operand args[3] = {0};
    uint32_t kept = 0;
    for (int k = 0; k < arity; k++)
        if (m->reg[s.args[k]] >= 0)
            kept |= 1u << m->reg[s.args[k]];
    for (int k = 0; k < arity; k++) {
        int v = s.args[k];
        bool stays = k == free_to_stay && m->reg[v] < 0 && !used_again_soon(m, v, i);
        args[k] = stays ? home(m, v) : in_register(fetch(m, v, &kept));
    }
    for (int k = 0; k < arity; k++)
        count_use(m, s.args[k], i);
    int v = m->p->first + i, to = take(m, kept);
    emit_operation(&m->e, s.op, to, args);
    for (int k = 0; k < arity; k++) // only now: the operation may read it there
        release_slot(m, s.args[k]);
    write_outputs(m, v, to);
    if (next_use(m, v) != NEVER)
        put(m, v, to);
}

// ---- functions

static int row_length(const maker *m, int i) { // of steps with the same function, independent of each other
    const step *s = m->p->steps + i;
    int count = 1;
    while (i + count < m->p->count && s[count].op == s->op && s[count].args[0] < m->p->first + i &&
           s[count].args[ops[s->op].arity - 1] < m->p->first + i)
        count++;
    return count;
}

// an operand of a function to a place in the workspace
static void pass(maker *m, int v, int place, op_code op) {
    int reg = m->reg[v];
    if (reg < 0) {
        reg = emit_scratch(m->e.width);
        encode_load(&m->e, reg, home(m, v));
    }
    if (op == OP_ATAN2) { // of x + 0 and y + 0: see ops.c
        encode_operation(&m->e, V_ADD, emit_scratch(m->e.width), reg, emit_zero());
        reg = emit_scratch(m->e.width);
    }
    encode_store(&m->e, at(m, m->work, place), reg);
}

static batch_size size_for(const maker *m, int count) {
    if (m->e.width != WIDTH_1 && !m->p->alike)
        return m->batch;
    if (count < FEW)
        return BATCH_1;
    return count <= 4 && m->batch == BATCH_8 ? BATCH_4 : m->batch;
}

static batch *function_for(maker *m, op_code op, int count) {
    batch_size size = size_for(m, count);
    batch *b = &m->functions[op][size];
    if (b->run == NULL)
        *b = batch_find(op, size, m->e.width == WIDTH_4);
    return b;
}

static void call(maker *m, op_code op, int x, int y, int count) {
    encoder *e = &m->e;
    batch *b = function_for(m, op, count);
    for (int r = 0; r < emit_scratch(e->width); r++)
        if (!(m->free >> r & 1))
            spill(m, m->held[r]);
    if (e->width != WIDTH_1)
        encode_zero_upper(e);
    encode_address(e, RDI, m->work, x * m->stride);
    encode_address(e, RSI, m->work, y * m->stride);
    encode_number(e, RDX, (uint64_t)count * (e->width == WIDTH_8 ? 8 : 1));
    encode_number(e, RCX, (uint64_t)(uintptr_t)b->f);
    encode_number(e, RAX, (uint64_t)(uintptr_t)b->run);
    encode_call(e, RAX);
}

static int compile_row(maker *m, int i) { // returns its length
    op_code op = m->p->steps[i].op;
    int count = row_length(m, i), x = m->slots, y = ops[op].arity > 1 ? x + count : x;
    m->slots = y + count;
    for (int k = 0; k < count; k++) {
        const int *args = m->p->steps[i + k].args;
        for (int j = 0; j < ops[op].arity; j++)
            pass(m, args[j], (j ? y : x) + k, op);
        for (int j = 0; j < ops[op].arity; j++) {
            count_use(m, args[j], i + k);
            release_slot(m, args[j]);
        }
    }
    call(m, op, x, y, count);
    for (int k = 0; k < count; k++) {
        int v = m->p->first + i + k;
        m->slot[v] = x + k;
        if (m->output[v] >= 0) {
            encode_load(&m->e, emit_scratch(m->e.width), home(m, v));
            write_outputs(m, v, emit_scratch(m->e.width));
        }
        release_slot(m, v);
        if (y > x)
            vec_push(m->scratch, m->spare, y + k);
    }
    return count;
}

// ---- whole programs

static bool has_functions(const program *p) {
    for (int i = 0; i < p->count; i++)
        if (emit_is_function(p->steps[i].op))
            return true;
    return false;
}

// the arguments are in rdi, rsi, rdx, where they may stay if nothing is called; three pushes align the stack
static void begin(maker *m, bool calls) {
    m->in = RDI, m->out = RSI, m->work = RDX;
    if (!calls)
        return;
    static const encode_base kept[] = {R14, R15, RBX};
    for (int i = 0; i < 3; i++)
        encode_push(&m->e, kept[i]);
    encode_move(&m->e, R14, RDI);
    encode_move(&m->e, R15, RSI);
    encode_move(&m->e, RBX, RDX);
    m->in = R14, m->out = R15, m->work = RBX;
}

static void end(maker *m, bool calls) {
    if (m->e.width != WIDTH_1)
        encode_zero_upper(&m->e);
    if (calls) {
        encode_pop(&m->e, RBX);
        encode_pop(&m->e, R15);
        encode_pop(&m->e, R14);
    }
    encode_return(&m->e);
}

static void copy_outputs(maker *m) { // those that are no step's result
    for (int i = 0; i < m->p->outputs; i++)
        if (m->p->output[i] < m->p->first) {
            encode_load(&m->e, emit_scratch(m->e.width), home(m, m->p->output[i]));
            encode_store(&m->e, at(m, m->out, i), emit_scratch(m->e.width));
        }
}

static void make(maker *m) {
    size_t values = (size_t)values_of(m->p);
    find_uses(m);
    find_outputs(m);
    m->reg = arena_array(m->scratch, int, values);
    m->slot = arena_array(m->scratch, int, values);
    memset(m->reg, -1, values * sizeof(int));
    memset(m->slot, -1, values * sizeof(int));
    m->free = (1u << emit_scratch(m->e.width)) - 1;
    m->slots = m->p->first;
    bool calls = has_functions(m->p);
    begin(m, calls);
    copy_outputs(m);
    for (int i = 0; i < m->p->count;)
        if (emit_is_function(m->p->steps[i].op))
            i += compile_row(m, i);
        else
            compile_step(m, i++);
    end(m, calls);
}

// ---- executable memory

typedef struct {
    void *at;
    size_t size;
} mapping;

static void unmap(void *object) {
    mapping *map = object;
    if (map->at)
        munmap(map->at, map->size);
}

static bool map_code(mapping *map, const void *bytes, size_t size) {
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return false;
    memcpy(at, bytes, size);
    *map = (mapping){at, size};
    if (mprotect(at, size, PROT_READ | PROT_EXEC) == 0)
        return true;
    unmap(map);
    map->at = NULL;
    return false;
}

// ---- paths

static const char *const names[PATHS] = {"tape", "scalar", "avx2", "avx512"};

const char *native_name(native_path path) {
    return names[path];
}

native_path native_best(void) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return PATH_AVX512;
    if (__builtin_cpu_supports("avx2"))
        return PATH_AVX2;
    if (__builtin_cpu_supports("avx"))
        return PATH_SCALAR;
#endif
    return PATH_TAPE;
}

bool native_allowed(void) {
    mapping map = {0};
    bool allowed = map_code(&map, "\xC3", 1);
    unmap(&map);
    return allowed;
}

// what TRAMMEL_KERNEL wishes, of what is there
static native_path wished(native_path best) {
    const char *wish = getenv("TRAMMEL_KERNEL");
    for (int path = 0; wish && path < (int)best; path++)
        if (strcmp(wish, names[path]) == 0)
            return (native_path)path;
    return best;
}

native_path native_chosen(void) {
    return wished(native_best());
}

static encode_width width_of(native_path path, bool lanes) {
    return !lanes ? WIDTH_1 : path == PATH_AVX2 ? WIDTH_4 : WIDTH_8;
}

// lanes of AVX2 and its scalar code go by fours, so that AVX2 means AVX2
static batch_size batch_of(native_path path, bool exact) {
    if (exact || native_best() < PATH_AVX2)
        return BATCH_1;
    return path == PATH_AVX512 ? BATCH_8 : BATCH_4;
}

static bool too_large(const program *p, int stride) { // for offsets of 32 bits
    long long places = (long long)p->first + 3LL * p->count + p->outputs;
    return places * stride > INT32_MAX;
}

bool native_compile(arena *a, arena *scratch, const program *p, native_path path, bool lanes,
                    native_code *code) {
    maker m = {.scratch = scratch, .p = p, .stride = lanes ? 64 : 8, .batch = batch_of(path, p->exact)};
    *code = (native_code){0};
    if (path < (lanes ? PATH_AVX2 : PATH_SCALAR) || too_large(p, m.stride))
        return false;
    mapping *map = arena_array(a, mapping, 1);
    arena_when_freed(a, unmap, map);
    m.e = (encoder){.arena = scratch, .width = width_of(path, lanes)};
    vec_reserve(scratch, m.e.bytes, 512 + 10 * p->count); // 8 bytes each in recursions
    emit_constants(&m.e);
    int entry = m.e.bytes.count;
    make(&m);
    bool mapped = map_code(map, m.e.bytes.at, (size_t)m.e.bytes.count);
    if (mapped) {
        const char *start = (const char *)map->at + entry;
        memcpy(&code->run, &start, sizeof code->run);
        code->slots = (size_t)m.slots;
    }
    return mapped;
}
