/* Compiling a kernel, in three parts, each linear in the operations:
 *
 *  1. lower: what the outputs need becomes a list of items, operands first. Whole powers become the
 *     multiplications that ops_power does, in its order; equal items are one, so that x^3 and x^5 share x^2.
 *  2. divide: items that depend on parameters and numbers alone are the steps of kernel_prepare, the rest
 *     those of kernel_run, both in the order of lowering: operands stand close to their uses.
 *  3. make native code of them, or where there is none a tape.
 *
 * None of them looks at numbers, which stand in the workspace, but at exponents and at 1, which whole
 * negative powers bring along. So with a store what is compiled is kept with all else that it is made from,
 * its key, and what has the same key later takes it with numbers of its own. */
#include "code/interval.h"
#include "code/store.h"

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
    int found;      // (found) places in it
    int (*args)[3]; // their places in it
    int *output;    // the same of the outputs
    int outputs;
    int *input;   // by place, of symbols: which input it is
    int *item_of; // by place, from 1; 0: none yet
    int *value;   // by item: its number, as steps have it
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

// what the outputs need; returns the number of inputs if these are numbered as they are met
static int collect(compiler *c, const expr *outputs, kernel_input input, void *context) {
    c->found = expr_order_places(c->pool, outputs, c->outputs, c->scratch, &c->order, &c->args, &c->output);
    c->input = arena_array(c->scratch, int, c->found + 1);
    int met = 0;
    for (int i = 0; i < c->found; i++) {
        if (expr_op(c->pool, c->order[i]) != OP_SYMBOL)
            continue;
        c->input[i] = input(context, expr_kind(c->pool, c->order[i]), expr_index(c->pool, c->order[i]));
        met = c->input[i] < met ? met : c->input[i] + 1;
    }
    return met;
}

static void lower_all(compiler *c) {
    vec_reserve(c->scratch, c->items, c->found + 1);
    for (c->mask = 127; c->mask < (uint32_t)c->found;)
        c->mask = 2 * c->mask + 1;
    grow_table(c);
    c->item_of = arena_array(c->scratch, int, c->found + 1);
    for (int i = 0; i < c->found; i++) {
        expr e = c->order[i];
        if (expr_op(c->pool, e) == OP_SYMBOL) {
            item it = {.op = OP_SYMBOL, .args = {c->input[i]}};
            it.prepared = expr_kind(c->pool, e) == SYM_PARAM;
            c->item_of[i] = 1 + add_item(c, it);
        } else if (expr_op(c->pool, e) != OP_NUMBER) {
            c->item_of[i] = 1 + lower(c, i);
        }
    }
    for (int i = 0; i < c->outputs; i++)
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

static kernel *make(compiler *c, arena *a, int inputs, native_path path) {
    kernel *k = arena_array(a, kernel, 1);
    lower_all(c);
    k->inputs = inputs;
    k->outputs = c->outputs;
    place_leaves(c, a, k);
    make_prepare(c, a, k);
    k->program = make_program(c, a, k);
    k->slots = k->program.first + k->program.count;
    k->path = k->program.count ? path : PATH_TAPE; // copying, at most
    k->code = arena_array(a, kernel_code, 1);
    if (!native_compile(a, c->scratch, &k->program, k->path, false, &k->code->one))
        add_tape(a, k);
    return k;
}

// ---- those that were compiled before

enum { KEY_HEAD = 5, KEY_PLACE = 4 };

// numbers that may be others in what has the same key: none is an exponent, which is an operand last
static bool *find_free(const compiler *c) {
    bool *free = arena_array(c->scratch, bool, c->found + 1);
    for (int i = 0; i < c->found; i++) {
        op_code op = expr_op(c->pool, c->order[i]);
        free[i] = op == OP_NUMBER && expr_value(c->pool, c->order[i]) != 1;
        if (op == OP_POW)
            free[c->args[i][1]] = false;
    }
    return free;
}

static int *make_key(const compiler *c, const bool *free, int inputs, native_path path, size_t *count) {
    size_t places = (size_t)c->found * KEY_PLACE;
    *count = KEY_HEAD + places + (size_t)c->outputs;
    int *key = arena_array(c->scratch, int, *count), *to = key + KEY_HEAD;
    memcpy(key, (int[]){c->found, c->outputs, inputs, (int)path, expr_pool_exact(c->pool)},
           KEY_HEAD * sizeof *key);
    for (int i = 0; i < c->found; i++, to += KEY_PLACE) {
        expr e = c->order[i];
        to[0] = (int)expr_op(c->pool, e);
        memcpy(to + 1, c->args[i], sizeof c->args[i]);
        if (to[0] == OP_SYMBOL) {
            to[1] = c->input[i];
            to[2] = expr_kind(c->pool, e) == SYM_PARAM;
        } else if (to[0] == OP_NUMBER && !free[i]) {
            double value = expr_value(c->pool, e);
            memcpy(to + 1, &value, sizeof value);
            to[3] = 0;
        }
    }
    memcpy(to, c->output, (size_t)c->outputs * sizeof *to);
    return key;
}

// where the numbers of a kernel come from
static int *find_number_places(const compiler *c, arena *a, const bool *free, const kernel *k) {
    int *place = arena_array(a, int, k->numbers + 1);
    memset(place, -1, (size_t)k->numbers * sizeof *place);
    for (int i = 0; i < c->found; i++)
        if (free[i] && c->item_of[i])
            place[c->value[c->item_of[i] - 1] - k->inputs] = i;
    return place;
}

static stored *make_stored(compiler *c, arena *own, const int *key, size_t count, int inputs,
                           native_path path, const bool *free) {
    stored *of = arena_alloc(own, sizeof *of);
    kernel *k = make(c, own, inputs, path);
    int *copy = arena_array(own, int, count);
    memcpy(copy, key, count * sizeof *copy);
    *of = (stored){.own = own,
                   .kernel = k,
                   .number_place = find_number_places(c, own, free, k),
                   .key = copy,
                   .count = count};
    return of;
}

/* The same in an arena of its own, which other threads may free later. */
static stored *make_apart(compiler *c, arena *a, const int *key, size_t count, int inputs, native_path path,
                          const bool *free) {
    jmp_buf out_of_memory;
    arena *own = arena_new(arena_left(a));
    if (own == NULL)
        arena_give_up(a);
    jmp_buf *before = arena_recover(a, &out_of_memory);
    arena_recover(own, &out_of_memory);
    if (setjmp(out_of_memory)) {
        arena_recover(a, before);
        arena_free(own);
        arena_give_up(a);
    }
    stored *of = make_stored(c, own, key, count, inputs, path, free);
    arena_recover(own, NULL);
    arena_recover(a, before);
    return of;
}

static kernel *take(const compiler *c, arena *a, const stored *of) {
    kernel *k = arena_array(a, kernel, 1);
    double *number = arena_array(a, double, of->kernel->numbers + 1);
    *k = *of->kernel;
    k->code = arena_array(a, kernel_code, 1);
    *k->code = *of->kernel->code; // lanes are its own
    for (int i = 0; i < k->numbers; i++)
        number[i] = of->number_place[i] < 0 ? of->kernel->number[i]
                                            : expr_value(c->pool, c->order[of->number_place[i]]);
    k->number = number;
    return k;
}

static kernel *look_up(compiler *c, arena *a, kernel_store *store, int inputs, native_path path) {
    size_t count;
    const bool *free = find_free(c);
    const int *key = make_key(c, free, inputs, path, &count);
    store_use *use = store_ask(a, store, key, count);
    if (use->of == NULL)
        store_give(use, make_apart(c, a, key, count, inputs, path, free));
    return take(c, a, use->of);
}

static kernel *compile(arena *a, const expr_pool *pool, const expr *outputs, int output_count,
                       int input_count, kernel_input input, void *context, native_path path) {
    compiler c = {.scratch = arena_child(a), .pool = pool, .outputs = output_count};
    kernel_store *store = expr_pool_kernels(pool);
    int met = collect(&c, outputs, input, context);
    input_count = input_count == INPUTS_MET ? met : input_count;
    kernel *k = store ? look_up(&c, a, store, input_count, path) : make(&c, a, input_count, path);
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

bool kernel_is_same(const kernel *a, const kernel *b) {
    return a->program.steps == b->program.steps && a->program.output == b->program.output;
}

const kernel *kernel_alike(arena *a, const kernel *k) {
    kernel *alike = arena_array(a, kernel, 1);
    arena *scratch = arena_child(a);
    *alike = *k;
    alike->program.alike = true;
    alike->code = arena_array(a, kernel_code, 1);
    bool made = native_compile(a, scratch, &alike->program, k->path, true, &alike->code->lanes);
    arena_free(scratch);
    return made ? alike : NULL;
}

void kernel_alike_prepare(const kernel *k, int lane, const double *scalar_work, double *work) {
    for (int i = k->inputs; i < k->program.first; i++)
        work[i * KERNEL_LANES + lane] = scalar_work[i];
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
