#include "code/ctext.h"

#include "code/tape.h"

#include <math.h>
#include <string.h>

/* gcc -O2 takes 0.14 ms per operation in functions of 1000, 0.43 in one of 17 000. */
enum { LONGEST = 4000 };
enum { NOWHERE = -1 };

typedef struct {
    const ctext_kernel *k;
    const kernel *kernel;
    const program *p;
    bool *needed; // (slots) by value
    int *work;    // (slots) where in w a value is, or NOWHERE
    int *part;    // (slots) by value of a step: the function that computes it
    int *last;    // (slots) the last function that uses it
    int parts;
    bool x, w; // what the function at hand reads
    ctext_size size;
} printing;

// ---- what is needed

static void need_arguments(bool *needed, op_code op, const int *args) {
    for (int k = 0; k < ops[op].arity; k++)
        needed[args[k]] = true;
}

static void find_needed(const kernel *k, const int *output, bool *needed) {
    const program *p = &k->program;
    for (int i = 0; i < p->outputs; i++)
        if (output == NULL || output[i] >= 0)
            needed[p->output[i]] = true;
    for (int i = p->count - 1; i >= 0; i--)
        if (needed[p->first + i])
            need_arguments(needed, p->steps[i].op, p->steps[i].args);
    for (int r = k->prepare.count - 1; r >= 0; r--) {
        const run *of = &k->prepare.runs[r];
        for (int i = of->count - 1; i >= 0; i--)
            if (needed[of->first + i])
                need_arguments(needed, of->op, of->args + i * ops[of->op].arity);
    }
}

void ctext_mark_inputs(arena *a, const kernel *k, const int *output, bool *read) {
    arena *scratch = arena_child(a);
    bool *needed = arena_array(scratch, bool, k->slots + 1);
    find_needed(k, output, needed);
    for (int i = 0; i < k->inputs; i++)
        read[i] |= needed[i];
    arena_free(scratch);
}

// ---- values

void ctext_number(text *out, double value) {
    char digits[40];
    if (isnan(value)) {
        text_add(out, "NAN");
        return;
    }
    if (isinf(value)) {
        text_add(out, value < 0 ? "(-INFINITY)" : "INFINITY");
        return;
    }
    number_shortest(digits, value);
    bool whole = strpbrk(digits, ".e") == NULL, negative = signbit(value);
    const char *minus = negative && digits[0] != '-' ? "-" : ""; // of -0
    text_print(out, "%s%s%s%s%s", negative ? "(" : "", minus, digits, whole ? ".0" : "", negative ? ")" : "");
}

static void put_value(printing *s, text *out, int value, int part) {
    const kernel *k = s->kernel;
    if (value < k->inputs) {
        s->x = true;
        text_print(out, "x[%d]", s->k->input[value]);
    } else if (value < k->inputs + k->numbers) {
        ctext_number(out, k->number[value - k->inputs]);
    } else if (value >= s->p->first && s->part[value] == part) {
        text_print(out, "v%d", value - s->p->first);
    } else {
        s->w = true;
        text_print(out, "w[%d]", s->work[value]);
    }
}

/* %1, %2, %3: the operands. As expr/ops.c has them; conditions are 1 or 0. */
static const char *const forms[OP_COUNT] = {
    [OP_NEG] = "-%1",
    [OP_ADD] = "%1 + %2",
    [OP_SUB] = "%1 - %2",
    [OP_MUL] = "%1 * %2",
    [OP_DIV] = "%1 / %2",
    [OP_POW] = "ops_power(%1, %2)",
    [OP_SQRT] = "sqrt(%1)",
    [OP_SIN] = "sin(%1)",
    [OP_COS] = "cos(%1)",
    [OP_TAN] = "tan(%1)",
    [OP_ASIN] = "asin(%1)",
    [OP_ACOS] = "acos(%1)",
    [OP_ATAN] = "atan(%1)",
    [OP_ATAN2] = "atan2(%1 + 0.0, %2 + 0.0)",
    [OP_SINH] = "sinh(%1)",
    [OP_COSH] = "cosh(%1)",
    [OP_TANH] = "tanh(%1)",
    [OP_EXP] = "exp(%1)",
    [OP_LOG] = "log(%1)",
    [OP_ABS] = "fabs(%1)",
    [OP_SIGN] = "(double)((%1 > 0) - (%1 < 0))",
    [OP_MIN] = "%2 < %1 ? %2 : %1",
    [OP_MAX] = "%1 < %2 ? %2 : %1",
    [OP_FLOOR] = "floor(%1)",
    [OP_LT] = "%1 < %2 ? 1.0 : 0.0",
    [OP_LE] = "%1 <= %2 ? 1.0 : 0.0",
    [OP_EQ] = "%1 == %2 ? 1.0 : 0.0",
    [OP_NE] = "%1 != %2 ? 1.0 : 0.0",
    [OP_AND] = "%1 != 0 && %2 != 0 ? 1.0 : 0.0",
    [OP_OR] = "%1 != 0 || %2 != 0 ? 1.0 : 0.0",
    [OP_NOT] = "%1 == 0 ? 1.0 : 0.0",
    [OP_IF] = "%1 != 0 ? %2 : %3",
};

static void put_operation(printing *s, text *out, op_code op, const int *args, int part) {
    s->size.calls_power |= op == OP_POW;
    for (const char *c = forms[op]; *c; c++)
        if (*c == '%')
            put_value(s, out, args[*++c - '1'], part);
        else
            text_add_bytes(out, c, 1);
}

// ---- kernel_prepare

static void print_prepare(printing *s, text *out, arena *a) {
    const tape *t = &s->kernel->prepare;
    text body;
    text_init(&body, a);
    for (int r = 0; r < t->count; r++)
        for (int i = 0; i < t->runs[r].count; i++) {
            int value = t->runs[r].first + i;
            if (!s->needed[value])
                continue;
            s->work[value] = s->size.work++;
            s->size.prepared++;
            text_print(&body, "    w[%d] = ", s->work[value]);
            put_operation(s, &body, t->runs[r].op, t->runs[r].args + i * ops[t->runs[r].op].arity, NOWHERE);
            text_add(&body, ";\n");
        }
    if (s->size.prepared)
        text_print(out, "static void %s_prepare(const double *x, double *w) {\n%s%s}\n\n", s->k->name,
                   s->x ? "" : "    (void)x;\n", text_string(&body));
}

// ---- kernel_run, in parts

static void divide(printing *s) {
    const program *p = s->p;
    int count = 0;
    for (int i = 0; i < p->count; i++)
        if (s->needed[p->first + i])
            s->part[p->first + i] = count++ / LONGEST;
    s->size.operations = count;
    s->parts = count > LONGEST ? (count + LONGEST - 1) / LONGEST : 1;
    for (int i = 0; i < p->count; i++)
        for (int k = 0; s->needed[p->first + i] && k < ops[p->steps[i].op].arity; k++)
            if (p->steps[i].args[k] >= p->first)
                s->last[p->steps[i].args[k]] = s->part[p->first + i];
}

/* Places in w for what later functions use: those of values that no later one does are used again. */
static void place_carried(printing *s, arena *a) {
    const program *p = s->p;
    int base = s->size.work;
    vec(int) until = {0};
    for (int i = 0; i < p->count; i++) {
        int value = p->first + i, at = 0;
        if (!s->needed[value] || s->last[value] <= s->part[value])
            continue;
        while (at < until.count && until.at[at] >= s->part[value])
            at++;
        if (at == until.count)
            vec_push(a, until, 0);
        until.at[at] = s->last[value];
        s->work[value] = base + at;
    }
    s->size.work = base + until.count;
}

// outputs that are at hand when a function ends: its own, in the first also what is no step
static void print_outputs(printing *s, text *out, int part) {
    const program *p = s->p;
    for (int i = 0; i < p->outputs; i++) {
        int value = p->output[i], from = value >= p->first ? s->part[value] : 0;
        if ((s->k->output && s->k->output[i] < 0) || from != part)
            continue;
        text_print(out, "    y[%d] = %s", s->k->output ? s->k->output[i] : i, s->k->added ? "0 + " : "");
        put_value(s, out, value, part);
        text_add(out, ";\n");
    }
}

static void print_part(printing *s, text *out, arena *a, int part) {
    const program *p = s->p;
    const char *constant = s->parts > 1 ? "" : "const ";
    text body;
    text_init(&body, a);
    s->x = s->w = false;
    for (int i = 0; i < p->count; i++) {
        int value = p->first + i;
        if (!s->needed[value] || s->part[value] != part)
            continue;
        text_print(&body, "    const double v%d = ", i);
        put_operation(s, &body, p->steps[i].op, p->steps[i].args, part);
        text_add(&body, ";\n");
        if (s->work[value] >= 0) {
            text_print(&body, "    w[%d] = v%d;\n", s->work[value], i);
            s->w = true;
        }
    }
    int before = body.bytes.count;
    print_outputs(s, &body, part);
    bool y = body.bytes.count > before;
    text_print(out, "static void %s", s->k->name);
    if (s->parts > 1)
        text_print(out, "_%d", part + 1);
    text_print(out, "(const double *restrict x, %sdouble *restrict w, double *restrict y) {\n%s%s%s%s}\n\n",
               constant, s->x ? "" : "    (void)x;\n", s->w ? "" : "    (void)w;\n",
               y ? "" : "    (void)y;\n", text_string(&body));
}

static void print_all_parts(printing *s, text *out) {
    text_print(out, "static void %s(const double *x, double *w, double *y) {\n", s->k->name);
    for (int part = 0; part < s->parts; part++)
        text_print(out, "    %s_%d(x, w, y);\n", s->k->name, part + 1);
    text_add(out, "}\n\n");
}

ctext_size ctext_print(text *out, arena *a, const ctext_kernel *k) {
    arena *scratch = arena_child(a);
    int slots = k->kernel->slots + 1;
    printing s = {.k = k, .kernel = k->kernel, .p = &k->kernel->program};
    s.needed = arena_array(scratch, bool, slots);
    s.work = arena_array(scratch, int, slots);
    s.part = arena_array(scratch, int, slots);
    s.last = arena_array(scratch, int, slots);
    for (int i = 0; i < slots; i++)
        s.work[i] = s.last[i] = NOWHERE;
    find_needed(k->kernel, k->output, s.needed);
    print_prepare(&s, out, scratch);
    divide(&s);
    place_carried(&s, scratch);
    for (int part = 0; part < s.parts; part++)
        print_part(&s, out, scratch, part);
    if (s.parts > 1)
        print_all_parts(&s, out);
    arena_free(scratch);
    return s.size;
}

// ---- in single precision

static double single(double x) {
    return (double)(float)x;
}

static double operate(op_code op, const int *args, const double *values) {
    double x[3] = {0};
    for (int k = 0; k < ops[op].arity; k++)
        x[k] = values[args[k]];
    return single(ops[op].value(x[0], x[1], x[2]));
}

void ctext_run_single(arena *a, const kernel *k, const double *in, double *out) {
    arena *scratch = arena_child(a);
    const program *p = &k->program;
    double *values = arena_doubles(scratch, (size_t)k->slots + 1);
    for (int i = 0; i < k->inputs; i++)
        values[i] = single(in[i]);
    for (int i = 0; i < k->numbers; i++)
        values[k->inputs + i] = single(k->number[i]);
    for (int r = 0; r < k->prepare.count; r++)
        for (int i = 0; i < k->prepare.runs[r].count; i++) {
            const run *of = &k->prepare.runs[r];
            values[of->first + i] = operate(of->op, of->args + i * ops[of->op].arity, values);
        }
    for (int i = 0; i < p->count; i++)
        values[p->first + i] = operate(p->steps[i].op, p->steps[i].args, values);
    for (int i = 0; i < p->outputs; i++)
        out[i] = values[p->output[i]];
    arena_free(scratch);
}
