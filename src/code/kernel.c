/* Compiling a kernel, in three parts, each linear in the operations:
 *
 *  1. lower: what the outputs need becomes a list of items, operands first. Whole powers become the
 *     multiplications that ops_power does, in its order; equal items are one, so that x^3 and x^5 share x^2.
 *  2. divide: items that depend on parameters and numbers alone are the steps of kernel_prepare, the rest
 *     those of kernel_run, both in the order of lowering: operands stand close to their uses.
 *  3. make native code of them, or where there is none a tape. */
#include "code/interval.h"
#include "code/tape.h"

#include <string.h>

typedef struct {
    op_code op;
    int args[3];   // items; a symbol: its input; a number: its bits
    bool prepared; // depends on parameters and numbers alone
} item;

typedef struct {
    arena *scratch;
    const expr_pool *pool;
    vec(item) items;
    int *table; // item + 1 by hash, open addressing
    uint32_t mask;
    expr *order;    // what the outputs need, operands first
    int (*args)[3]; // their places in it
    int *output;    // the same of the outputs
    int *item_of;   // by place, from 1; 0: none yet
    int *value;     // by item: its number, as steps have it
} compiler;

// ---- lowering

static uint32_t hash(const item *it) {
    uint64_t h = (uint64_t)it->op;
    for (int i = 0; i < 3; i++) {
        h = (h ^ (uint32_t)it->args[i]) * 0x9E3779B97F4A7C15u; // 2^64 over the golden ratio
        h ^= h >> 32;
    }
    return (uint32_t)h;
}

static uint32_t find(const compiler *c, const item *it) {
    uint32_t slot = hash(it) & c->mask;
    for (; c->table[slot]; slot = (slot + 1) & c->mask) {
        const item *other = &c->items.at[c->table[slot] - 1];
        if (other->op == it->op && memcmp(other->args, it->args, sizeof it->args) == 0)
            break;
    }
    return slot;
}

static void grow_table(compiler *c) {
    c->mask = 2 * c->mask + 1;
    c->table = arena_array(c->scratch, int, (size_t)c->mask + 1);
    for (int i = 0; i < c->items.count; i++)
        c->table[find(c, &c->items.at[i])] = i + 1;
}

static int add_item(compiler *c, item it) {
    if ((uint32_t)c->items.count >= c->mask / 2)
        grow_table(c);
    uint32_t slot = find(c, &it);
    if (c->table[slot] == 0) {
        vec_push(c->scratch, c->items, it);
        c->table[slot] = c->items.count;
    }
    return c->table[slot] - 1;
}

static int add_operation(compiler *c, op_code op, const int *args) {
    item it = {.op = op, .prepared = true};
    for (int k = 0; k < ops[op].arity; k++) {
        it.args[k] = args[k];
        it.prepared &= c->items.at[args[k]].prepared;
    }
    if (op == OP_MUL && args[0] > args[1]) { // x x^2 is x^2 x
        it.args[0] = args[1];
        it.args[1] = args[0];
    }
    return add_item(c, it);
}

static int add_number(compiler *c, double value) {
    item it = {.op = OP_NUMBER, .prepared = true};
    memcpy(it.args, &value, sizeof value);
    return add_item(c, it);
}

// what ops_power does, as items
static int add_power(compiler *c, int x, int n) {
    int result = -1, square = x;
    for (int bits = n < 0 ? -n : n; bits; bits >>= 1) {
        if (bits & 1)
            result = result < 0 ? square : add_operation(c, OP_MUL, (int[]){result, square});
        if (bits > 1)
            square = add_operation(c, OP_MUL, (int[]){square, square});
    }
    if (n == 0)
        return add_number(c, 1);
    return n > 0 ? result : add_operation(c, OP_DIV, (int[]){add_number(c, 1), result});
}

// numbers become items where they are used: exponents are not
static int item_of(compiler *c, int place) {
    if (c->item_of[place] == 0)
        c->item_of[place] = 1 + add_number(c, expr_value(c->pool, c->order[place]));
    return c->item_of[place] - 1;
}

static int lower(compiler *c, int place) {
    expr e = c->order[place];
    op_code op = expr_op(c->pool, e);
    if (op == OP_POW && expr_op(c->pool, expr_arg(c->pool, e, 1)) == OP_NUMBER) {
        double n = expr_value(c->pool, expr_arg(c->pool, e, 1));
        if (ops_power_is_product(n))
            return add_power(c, item_of(c, c->args[place][0]), (int)n);
    }
    int args[3] = {0};
    for (int k = 0; k < ops[op].arity; k++)
        args[k] = item_of(c, c->args[place][k]);
    return add_operation(c, op, args);
}

static void lower_all(compiler *c, const expr *outputs, int count, kernel_input input, void *context) {
    int found = expr_order_places(c->pool, outputs, count, c->scratch, &c->order, &c->args, &c->output);
    vec_reserve(c->scratch, c->items, found + 1);
    for (c->mask = 127; c->mask < (uint32_t)found;)
        c->mask = 2 * c->mask + 1;
    grow_table(c);
    c->item_of = arena_array(c->scratch, int, found + 1);
    for (int i = 0; i < found; i++) {
        expr e = c->order[i];
        if (expr_op(c->pool, e) == OP_SYMBOL) {
            sym_kind kind = expr_kind(c->pool, e);
            item it = {.op = OP_SYMBOL, .prepared = kind == SYM_PARAM};
            it.args[0] = input(context, kind, expr_index(c->pool, e));
            c->item_of[i] = 1 + add_item(c, it);
        } else if (expr_op(c->pool, e) != OP_NUMBER) {
            c->item_of[i] = 1 + lower(c, i);
        }
    }
    for (int i = 0; i < count; i++)
        item_of(c, c->output[i]);
}

// ---- steps

static bool belongs(const item *it, bool prepared) {
    return ops[it->op].arity > 0 && it->prepared == prepared;
}

// inputs and numbers have their places
static void place_leaves(compiler *c, arena *a, kernel *k) {
    vec(double) numbers = {0};
    c->value = arena_array(c->scratch, int, c->items.count);
    for (int i = 0; i < c->items.count; i++) {
        const item *it = &c->items.at[i];
        if (it->op == OP_SYMBOL)
            c->value[i] = it->args[0];
        if (it->op != OP_NUMBER)
            continue;
        double value;
        memcpy(&value, it->args, sizeof value);
        c->value[i] = k->inputs + numbers.count;
        vec_push(a, numbers, value);
    }
    k->number = numbers.at;
    k->numbers = numbers.count;
}

// the steps of one of the two parts; their results are the values from `first` on
static step *make_steps(compiler *c, arena *a, bool prepared, int first, int *count) {
    *count = 0;
    for (int i = 0; i < c->items.count; i++)
        *count += belongs(&c->items.at[i], prepared);
    step *steps = arena_array(a, step, *count), *next = steps;
    for (int i = 0; i < c->items.count; i++) {
        const item *it = &c->items.at[i];
        if (!belongs(it, prepared))
            continue;
        next->op = it->op;
        for (int j = 0; j < ops[it->op].arity; j++)
            next->args[j] = c->value[it->args[j]];
        c->value[i] = first + (int)(next++ - steps);
    }
    return steps;
}

static void make_prepare(compiler *c, arena *a, kernel *k) {
    int count, first = k->inputs + k->numbers;
    const step *steps = make_steps(c, c->scratch, true, first, &count);
    int *slot_of = arena_array(c->scratch, int, count);
    k->prepare = tape_make(a, c->scratch, steps, count, first, slot_of);
    for (int i = 0; i < c->items.count; i++)
        if (belongs(&c->items.at[i], true))
            c->value[i] = slot_of[c->value[i] - first];
}

// what kernel_run does
static program make_program(compiler *c, arena *a, const kernel *k) {
    program p = {.inputs = k->inputs, .outputs = k->outputs, .exact = expr_pool_exact(c->pool)};
    p.first = k->inputs + k->numbers + k->prepare.operations;
    step *steps = make_steps(c, a, false, p.first, &p.count);
    int *output = arena_array(a, int, p.outputs), *place = arena_array(c->scratch, int, p.count);
    steps_order(c->scratch, steps, p.count, p.first, place);
    for (int i = 0; i < p.outputs; i++) {
        int v = c->value[item_of(c, c->output[i])];
        output[i] = v < p.first ? v : p.first + place[v - p.first];
    }
    p.steps = steps;
    p.output = output;
    return p;
}

// ---- kernels

static void add_tape(arena *a, const kernel *k) { // that of kernel_run, if it is not there
    const program *p = &k->program;
    if (k->code->output)
        return;
    arena *scratch = arena_child(a);
    int *slot_of = arena_array(scratch, int, p->count), *output = arena_array(a, int, p->outputs);
    k->code->tape = tape_make(a, scratch, p->steps, p->count, p->first, slot_of);
    for (int i = 0; i < p->outputs; i++)
        output[i] = p->output[i] < p->first ? p->output[i] : slot_of[p->output[i] - p->first];
    k->code->output = output;
    arena_free(scratch);
}

static kernel *compile(arena *a, const expr_pool *pool, const expr *outputs, int output_count,
                       int input_count, kernel_input input, void *context, native_path path) {
    kernel *k = arena_array(a, kernel, 1);
    compiler c = {.scratch = arena_child(a), .pool = pool};
    lower_all(&c, outputs, output_count, input, context);
    k->inputs = input_count;
    k->outputs = output_count;
    place_leaves(&c, a, k);
    make_prepare(&c, a, k);
    k->program = make_program(&c, a, k);
    k->slots = k->program.first + k->program.count;
    k->path = k->program.count ? path : PATH_TAPE; // copying, at most
    k->code = arena_array(a, kernel_code, 1);
    if (!native_compile(a, c.scratch, &k->program, k->path, false, &k->code->one))
        add_tape(a, k);
    arena_free(c.scratch);
    return k;
}

kernel *kernel_compile(arena *a, const expr_pool *pool, const expr *outputs, int output_count,
                       int input_count, kernel_input input, void *context) {
    return compile(a, pool, outputs, output_count, input_count, input, context, native_chosen());
}

kernel *kernel_compile_tape(arena *a, const expr_pool *pool, const expr *outputs, int output_count,
                            int input_count, kernel_input input, void *context) {
    return compile(a, pool, outputs, output_count, input_count, input, context, PATH_TAPE);
}

void kernel_add_lanes(arena *a, const kernel *k) {
    if (k->code->lanes.run)
        return;
    arena *scratch = arena_child(a);
    if (!native_compile(a, scratch, &k->program, k->path, true, &k->code->lanes))
        add_tape(a, k);
    arena_free(scratch);
}

int kernel_operations(const kernel *k) {
    return k->program.count;
}

int kernel_inputs(const kernel *k) {
    return k->inputs;
}

int kernel_outputs(const kernel *k) {
    return k->outputs;
}

static size_t slots(const kernel *k, const native_code *code) {
    return code->slots > (size_t)k->slots ? code->slots : (size_t)k->slots;
}

size_t kernel_work_size(const kernel *k) {
    return slots(k, &k->code->one);
}

size_t kernel_lanes_work_size(const kernel *k) {
    return slots(k, &k->code->lanes) * KERNEL_LANES;
}
