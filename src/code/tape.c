/* A tape of steps: again and again, of all operations, the one that most steps are ready for makes the next
 * run, which goes on while it makes further steps of its own kind ready (a long sum is one run). */
#include "code/tape.h"

#include <string.h>

typedef struct {
    const step *steps; // (count)
    int count, first;
    int *slot_of;          // by step
    int *waiting;          // by step: operands not yet done
    int *users, *users_of; // users_of[users[i] .. users[i + 1]] are the steps that use step i
    int *next;             // by step: the next in its queue
    int head[OP_COUNT], tail[OP_COUNT], ready[OP_COUNT]; // queues of steps whose operands are done
} schedule;

static void enqueue(schedule *s, int i) {
    op_code op = s->steps[i].op;
    if (s->ready[op]++)
        s->next[s->tail[op]] = i;
    else
        s->head[op] = i;
    s->tail[op] = i;
}

// finds who uses whom, and what is ready at the start
static void schedule_init(arena *scratch, schedule *s) {
    int n = s->count, *fill = arena_array(scratch, int, n + 1);
    s->waiting = arena_array(scratch, int, n);
    s->users = arena_array(scratch, int, n + 1);
    s->users_of = arena_array(scratch, int, 3 * (size_t)n);
    s->next = arena_array(scratch, int, n);
    for (int pass = 0; pass < 2; pass++) { // count, then fill
        for (int i = 0; i < n; i++)
            for (int k = 0; k < ops[s->steps[i].op].arity; k++) {
                int from = s->steps[i].args[k] - s->first;
                if (from < 0)
                    continue;
                if (pass == 0)
                    s->waiting[i]++, s->users[from + 1]++;
                else
                    s->users_of[fill[from]++] = i;
            }
        for (int i = 0; pass == 0 && i < n; i++)
            fill[i + 1] = s->users[i + 1] += s->users[i];
    }
    for (int i = 0; i < n; i++)
        if (s->waiting[i] == 0)
            enqueue(s, i);
}

static op_code most_ready(const schedule *s) { // OP_NUMBER if nothing is
    op_code best = OP_NUMBER;
    for (int op = 0; op < OP_COUNT; op++)
        if (s->ready[op] > s->ready[best])
            best = (op_code)op;
    return best;
}

// one run of op: writes its operands' slots from args on, returns where they end
static int *emit(schedule *s, run *r, op_code op, int slot, int *args) {
    *r = (run){.op = op, .first = slot, .args = args};
    while (s->ready[op]) {
        int i = s->head[op];
        s->head[op] = s->next[i];
        s->ready[op]--;
        for (int k = 0; k < ops[op].arity; k++) {
            int v = s->steps[i].args[k];
            *args++ = v < s->first ? v : s->slot_of[v - s->first];
        }
        s->slot_of[i] = slot + r->count++;
        for (int u = s->users[i]; u < s->users[i + 1]; u++)
            if (--s->waiting[s->users_of[u]] == 0)
                enqueue(s, s->users_of[u]);
    }
    return args;
}

tape tape_make(arena *a, arena *scratch, const step *steps, int count, int first, int *slot_of) {
    schedule s = {.steps = steps, .count = count, .first = first, .slot_of = slot_of};
    tape t = {.operations = count};
    if (count == 0)
        return t;
    schedule_init(scratch, &s);
    size_t operands = 0;
    for (int i = 0; i < count; i++)
        operands += (size_t)ops[steps[i].op].arity;
    int *args = arena_array(a, int, operands), slot = first;
    vec(run) runs = {0};
    for (op_code op; (op = most_ready(&s)) != OP_NUMBER;) {
        run r;
        args = emit(&s, &r, op, slot, args);
        slot += r.count;
        vec_push(scratch, runs, r);
    }
    t.count = runs.count;
    t.runs = arena_resize(a, runs.at, (size_t)runs.count * sizeof(run), (size_t)runs.count * sizeof(run));
    return t;
}
