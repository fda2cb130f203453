/* Compiling a kernel, in three steps, each linear in the operations:
 *
 *  1. lower: what the outputs need becomes a list of items, operands first. Whole powers become the
 *     multiplications that ops_power does, in its order; equal items are one, so that x^3 and x^5 share x^2.
 *  2. divide: items that depend on parameters and numbers alone belong to kernel_prepare, the rest to
 *     kernel_run.
 *  3. schedule, for the tape: again and again, of all operations, the one that most items are ready for makes
 * the next run, which goes on while it makes further items of its own kind ready (a long sum is one run).
 *
 * Native code is made from the same items, in the order of lowering: operands stand close to their uses. */
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
    int *item_of; // by expression, from 1; 0: none yet
    int *slot_of; // by item
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
    c->mask = c->mask ? 2 * c->mask + 1 : 255;
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
static int item_of(compiler *c, expr e) {
    if (c->item_of[e] == 0)
        c->item_of[e] = 1 + add_number(c, expr_value(c->pool, e));
    return c->item_of[e] - 1;
}

static int lower(compiler *c, expr e) {
    op_code op = expr_op(c->pool, e);
    if (op == OP_POW && expr_op(c->pool, expr_arg(c->pool, e, 1)) == OP_NUMBER) {
        double n = expr_value(c->pool, expr_arg(c->pool, e, 1));
        if (ops_power_is_product(n))
            return add_power(c, item_of(c, expr_arg(c->pool, e, 0)), (int)n);
    }
    int args[3] = {0};
    for (int k = 0; k < ops[op].arity; k++)
        args[k] = item_of(c, expr_arg(c->pool, e, k));
    return add_operation(c, op, args);
}

static void lower_all(compiler *c, const expr *outputs, int count, kernel_input input, void *context) {
    expr *order;
    int found = expr_order(c->pool, outputs, count, c->scratch, &order);
    c->item_of = arena_array(c->scratch, int, expr_pool_size(c->pool));
    for (int i = 0; i < found; i++) {
        expr e = order[i];
        if (expr_op(c->pool, e) == OP_SYMBOL) {
            sym_kind kind = expr_kind(c->pool, e);
            item it = {.op = OP_SYMBOL, .prepared = kind == SYM_PARAM};
            it.args[0] = input(context, kind, expr_index(c->pool, e));
            c->item_of[e] = 1 + add_item(c, it);
        } else if (expr_op(c->pool, e) != OP_NUMBER) {
            c->item_of[e] = 1 + lower(c, e);
        }
    }
    for (int i = 0; i < count; i++)
        item_of(c, outputs[i]);
}

// ---- scheduling

typedef struct {
    int *waiting;          // by item: operands not yet done
    int *users, *users_of; // users_of[users[i] .. users[i + 1]] are the items that use item i
    int *next;             // by item: the next in its queue
    int head[OP_COUNT], tail[OP_COUNT], ready[OP_COUNT]; // queues of items whose operands are done
} schedule;

static bool belongs(const compiler *c, int i, bool prepared) {
    const item *it = &c->items.at[i];
    return ops[it->op].arity > 0 && it->prepared == prepared;
}

static void enqueue(const compiler *c, schedule *s, int i) {
    op_code op = c->items.at[i].op;
    if (s->ready[op]++)
        s->next[s->tail[op]] = i;
    else
        s->head[op] = i;
    s->tail[op] = i;
}

// finds who uses whom within one of the two parts, and what is ready at the start
static void schedule_init(const compiler *c, schedule *s, bool prepared) {
    int n = c->items.count, *fill = arena_array(c->scratch, int, n + 1);
    *s = (schedule){.waiting = arena_array(c->scratch, int, n),
                    .users = arena_array(c->scratch, int, n + 1),
                    .users_of = arena_array(c->scratch, int, 3 * (size_t)n),
                    .next = arena_array(c->scratch, int, n)};
    for (int pass = 0; pass < 2; pass++) { // count, then fill
        for (int i = 0; i < n; i++) {
            const item *it = &c->items.at[i];
            for (int k = 0; belongs(c, i, prepared) && k < ops[it->op].arity; k++) {
                if (!belongs(c, it->args[k], prepared))
                    continue;
                if (pass == 0)
                    s->waiting[i]++, s->users[it->args[k] + 1]++;
                else
                    s->users_of[fill[it->args[k]]++] = i;
            }
        }
        for (int i = 0; pass == 0 && i < n; i++)
            fill[i + 1] = s->users[i + 1] += s->users[i];
    }
    for (int i = 0; i < n; i++)
        if (belongs(c, i, prepared) && s->waiting[i] == 0)
            enqueue(c, s, i);
}

static op_code most_ready(const schedule *s) { // OP_NUMBER if nothing is
    op_code best = OP_NUMBER;
    for (int op = 0; op < OP_COUNT; op++)
        if (s->ready[op] > s->ready[best])
            best = (op_code)op;
    return best;
}

// one run of op: writes its operands' slots from args on, returns where they end
static int *emit(compiler *c, schedule *s, run *r, op_code op, int slot, int *args) {
    *r = (run){.op = op, .first = slot, .args = args};
    while (s->ready[op]) {
        int i = s->head[op];
        s->head[op] = s->next[i];
        s->ready[op]--;
        for (int k = 0; k < ops[op].arity; k++)
            *args++ = c->slot_of[c->items.at[i].args[k]];
        c->slot_of[i] = slot + r->count++;
        for (int u = s->users[i]; u < s->users[i + 1]; u++)
            if (--s->waiting[s->users_of[u]] == 0)
                enqueue(c, s, s->users_of[u]);
    }
    return args;
}

static tape make_tape(compiler *c, arena *a, bool prepared, int slot) {
    schedule s;
    schedule_init(c, &s, prepared);
    size_t operands = 0;
    for (int i = 0; i < c->items.count; i++)
        operands += belongs(c, i, prepared) ? (size_t)ops[c->items.at[i].op].arity : 0;
    int *args = arena_array(a, int, operands);
    vec(run) runs = {0};
    tape t = {0};
    for (op_code op; (op = most_ready(&s)) != OP_NUMBER;) {
        run r;
        args = emit(c, &s, &r, op, slot + t.operations, args);
        t.operations += r.count;
        vec_push(c->scratch, runs, r);
    }
    t.count = runs.count;
    t.runs = arena_resize(a, runs.at, (size_t)runs.count * sizeof(run), (size_t)runs.count * sizeof(run));
    return t;
}

// ---- kernels

static void place_leaves(compiler *c, arena *a, kernel *k) {
    vec(double) numbers = {0};
    c->slot_of = arena_array(c->scratch, int, c->items.count);
    for (int i = 0; i < c->items.count; i++) {
        const item *it = &c->items.at[i];
        if (it->op == OP_SYMBOL)
            c->slot_of[i] = it->args[0];
        if (it->op != OP_NUMBER)
            continue;
        double value;
        memcpy(&value, it->args, sizeof value);
        c->slot_of[i] = k->inputs + numbers.count;
        vec_push(a, numbers, value);
    }
    k->number = numbers.at;
    k->numbers = numbers.count;
}

// what kernel_run does, as steps for native code
static program make_program(compiler *c, arena *a, const kernel *k, const expr *outputs, bool exact) {
    program p = {.count = k->run.operations, .inputs = k->inputs, .outputs = k->outputs, .exact = exact};
    p.first = k->slots - k->run.operations;
    step *steps = arena_array(a, step, p.count);
    int *value = arena_array(c->scratch, int, c->items.count), *place = arena_array(c->scratch, int, p.count);
    for (int i = 0, made = 0; i < c->items.count; i++) {
        const item *it = &c->items.at[i];
        value[i] = c->slot_of[i];
        if (!belongs(c, i, false))
            continue;
        value[i] = p.first + made;
        steps[made].op = it->op;
        for (int j = 0; j < ops[it->op].arity; j++)
            steps[made].args[j] = value[it->args[j]];
        made++;
    }
    steps_order(c->scratch, steps, p.count, p.first, place);
    int *output = arena_array(a, int, p.outputs);
    for (int i = 0; i < p.outputs; i++) {
        int v = value[item_of(c, outputs[i])];
        output[i] = v < p.first ? v : p.first + place[v - p.first];
    }
    p.steps = steps;
    p.output = output;
    return p;
}

static kernel *compile(arena *a, const expr_pool *pool, const expr *outputs, int output_count,
                       int input_count, kernel_input input, void *context, native_path path) {
    kernel *k = arena_array(a, kernel, 1);
    compiler c = {.scratch = arena_child(a), .pool = pool};
    lower_all(&c, outputs, output_count, input, context);
    k->inputs = input_count;
    k->outputs = output_count;
    place_leaves(&c, a, k);
    k->slots = k->inputs + k->numbers;
    k->prepare = make_tape(&c, a, true, k->slots);
    k->slots += k->prepare.operations;
    k->run = make_tape(&c, a, false, k->slots);
    k->slots += k->run.operations;
    int *output = arena_array(a, int, output_count);
    for (int i = 0; i < output_count; i++)
        output[i] = c.slot_of[item_of(&c, outputs[i])];
    k->output = output;
    k->path = path;
    k->code = arena_array(a, kernel_code, 1);
    if (k->run.operations == 0) // copying, at most
        k->path = PATH_TAPE;
    if (k->path != PATH_TAPE) {
        k->program = make_program(&c, a, k, outputs, expr_pool_exact(pool));
        native_compile(a, c.scratch, &k->program, k->path, false, &k->code->one);
    }
    arena_free(c.scratch);
    return k;
}

kernel *kernel_compile(arena *a, const expr_pool *pool, const expr *outputs, int output_count,
                       int input_count, kernel_input input, void *context) {
    return compile(a, pool, outputs, output_count, input_count, input, context, native_chosen());
}

kernel *kernel_compile_bounds(arena *a, const expr_pool *pool, const expr *outputs, int output_count,
                              int input_count, kernel_input input, void *context) {
    return compile(a, pool, outputs, output_count, input_count, input, context, PATH_TAPE);
}

void kernel_add_lanes(arena *a, const kernel *k) {
    if (k->path == PATH_TAPE || k->code->lanes.run)
        return;
    arena *scratch = arena_child(a);
    native_compile(a, scratch, &k->program, k->path, true, &k->code->lanes);
    arena_free(scratch);
}

int kernel_operations(const kernel *k) {
    return k->run.operations;
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
