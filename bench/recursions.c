/* What kernels of rigid-body recursions cost on this processor, beside what the C compiler makes of the same
 * list of operations: ns per operation, and us of preparation per operation.
 *
 * The recursion is that of articulated bodies for a chain of revolute joints in space (Featherstone, Rigid
 * Body Dynamics Algorithms, 2008, chapter 7): q'' from q, q' and torques, all in link axes at the joint. An
 * articulated inertia is (J, H, M), three by three each: moment = J alpha + H a, force = H' alpha + M a.
 * "given": sines and cosines are inputs, so that arithmetic alone is measured.
 *
 * Wall time, the smallest of many runs, ours and the compiler's by turns. Usage: bench_recursions [JOINTS...]
 */
#include "code/kernel.h"
#include "code/native.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { JOINTS_MOST = 128, REPEATS = 2000, STATES = 16 };
enum { C_MOST = 6000 };                     // operations: a compiler takes minutes for ten times as many
enum { Q, V, TORQUE, SINE, COSINE, KINDS }; // inputs: (KINDS x joints)

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- vectors and matrices of expressions

typedef struct {
    expr at[3];
} vector;

typedef struct {
    expr at[3][3];
} matrix;

static expr add(expr_pool *p, expr a, expr b) {
    return expr_op2(p, OP_ADD, a, b);
}

static expr sub(expr_pool *p, expr a, expr b) {
    return expr_op2(p, OP_SUB, a, b);
}

static expr mul(expr_pool *p, expr a, expr b) {
    return expr_op2(p, OP_MUL, a, b);
}

static expr dot(expr_pool *p, vector x, vector y) {
    return add(p, add(p, mul(p, x.at[0], y.at[0]), mul(p, x.at[1], y.at[1])), mul(p, x.at[2], y.at[2]));
}

static vector vector_add(expr_pool *p, vector x, vector y) {
    for (int i = 0; i < 3; i++)
        x.at[i] = add(p, x.at[i], y.at[i]);
    return x;
}

static vector scaled(expr_pool *p, vector x, expr by) {
    for (int i = 0; i < 3; i++)
        x.at[i] = mul(p, x.at[i], by);
    return x;
}

static vector cross(expr_pool *p, vector x, vector y) {
    vector r;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        r.at[i] = sub(p, mul(p, x.at[j], y.at[k]), mul(p, x.at[k], y.at[j]));
    }
    return r;
}

static vector numbers(expr_pool *p, double x, double y, double z) {
    return (vector){{expr_number(p, x), expr_number(p, y), expr_number(p, z)}};
}

static vector along(expr_pool *p, int axis, expr size) {
    vector r = numbers(p, 0, 0, 0);
    r.at[axis] = size;
    return r;
}

static vector row(const matrix *m, int i) {
    return (vector){{m->at[i][0], m->at[i][1], m->at[i][2]}};
}

static vector column(const matrix *m, int i) {
    return (vector){{m->at[0][i], m->at[1][i], m->at[2][i]}};
}

static vector times(expr_pool *p, matrix m, vector x) {
    return (vector){{dot(p, row(&m, 0), x), dot(p, row(&m, 1), x), dot(p, row(&m, 2), x)}};
}

static vector transposed_times(expr_pool *p, matrix m, vector x) {
    return (vector){{dot(p, column(&m, 0), x), dot(p, column(&m, 1), x), dot(p, column(&m, 2), x)}};
}

// x y, or x y'
static matrix product(expr_pool *p, matrix x, matrix y, bool transposed) {
    matrix r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.at[i][j] = dot(p, row(&x, i), transposed ? row(&y, j) : column(&y, j));
    return r;
}

static matrix sum(expr_pool *p, matrix x, matrix y) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            x.at[i][j] = add(p, x.at[i][j], y.at[i][j]);
    return x;
}

// the upper triangle, mirrored: what rounding makes of the lower one is not computed
static matrix symmetric(matrix x) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            x.at[i][j] = x.at[j][i];
    return x;
}

static matrix turned(expr_pool *p, matrix rotation, matrix x) { // R x R'
    return product(p, product(p, rotation, x, false), rotation, true);
}

static matrix crossing(expr_pool *p, vector v) { // (v x)
    matrix r;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        r.at[i][i] = expr_number(p, 0);
        r.at[i][j] = expr_op1(p, OP_NEG, v.at[k]);
        r.at[i][k] = v.at[j];
    }
    return r;
}

// ---- the recursion

typedef struct {
    int axis;
    matrix rotation, inertia; // to the parent's axes; about the joint
    vector place, moment;     // in the parent's axes; mass times centre
    expr mass;
    vector w, v, cw, cv, force, torque;
    matrix J, H, M;
    expr inverse, drive; // 1 / D, u
    vector top, bottom;  // U
} link;

static matrix rotation_about(expr_pool *p, int axis, expr s, expr c) {
    int j = (axis + 1) % 3, k = (axis + 2) % 3;
    matrix r = {{{0}}};
    for (int i = 0; i < 9; i++)
        r.at[i / 3][i % 3] = expr_number(p, 0);
    r.at[axis][axis] = expr_number(p, 1);
    r.at[j][j] = r.at[k][k] = c;
    r.at[k][j] = s;
    r.at[j][k] = expr_op1(p, OP_NEG, s);
    return r;
}

static link link_new(expr_pool *p, int i, bool given) {
    static const int axes[] = {1, 0, 2};
    static const double I[3][3] = {{0.10, 0.002, -0.0015}, {0.002, 0.11, 0.001}, {-0.0015, 0.001, 0.02}};
    double mass = 1 + 0.1 * (7 * i % 5);
    link l = {.axis = axes[i % 3], .mass = expr_number(p, mass)};
    expr q = expr_symbol(p, SYM_P, Q * JOINTS_MOST + i);
    expr s = given ? expr_symbol(p, SYM_P, SINE * JOINTS_MOST + i) : expr_op1(p, OP_SIN, q);
    expr c = given ? expr_symbol(p, SYM_P, COSINE * JOINTS_MOST + i) : expr_op1(p, OP_COS, q);
    l.rotation = rotation_about(p, l.axis, s, c);
    l.place = i ? numbers(p, 0.06, 0.04, -0.5) : numbers(p, 0, 0, 0);
    l.moment = numbers(p, 0.02 * mass, -0.03 * mass, -0.25 * mass);
    for (int k = 0; k < 9; k++)
        l.inertia.at[k / 3][k % 3] = expr_number(p, I[k / 3][k % 3] * mass);
    return l;
}

// outwards: velocities, and the forces that they ask for
static void find_velocity(expr_pool *p, link *l, const link *parent, expr rate) {
    vector zero = numbers(p, 0, 0, 0), w = parent ? parent->w : zero, v = parent ? parent->v : zero;
    vector turn = along(p, l->axis, rate);
    w = transposed_times(p, l->rotation, w);
    v = transposed_times(p, l->rotation, vector_add(p, v, cross(p, parent ? parent->w : zero, l->place)));
    l->cw = cross(p, w, turn);
    l->cv = cross(p, v, turn);
    l->w = vector_add(p, w, turn);
    l->v = v;
    vector spin = vector_add(p, times(p, l->inertia, l->w), cross(p, l->moment, v));
    vector momentum = vector_add(p, scaled(p, v, l->mass), cross(p, l->w, l->moment));
    l->torque = vector_add(p, cross(p, l->w, spin), cross(p, v, momentum));
    l->force = cross(p, l->w, momentum);
    l->J = l->inertia;
    l->H = crossing(p, l->moment);
    for (int k = 0; k < 9; k++)
        l->M.at[k / 3][k % 3] = k % 4 ? expr_number(p, 0) : l->mass;
}

static matrix less_outer(expr_pool *p, matrix m, vector x, vector y) { // m - x y'
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m.at[i][j] = sub(p, m.at[i][j], mul(p, x.at[i], y.at[j]));
    return m;
}

// inwards: what the link is to its parent, with its joint free
static void pass_inertia(expr_pool *p, link *l, link *parent) {
    vector k = scaled(p, l->top, l->inverse), f = scaled(p, l->bottom, l->inverse);
    matrix J = symmetric(less_outer(p, l->J, k, l->top)), H = less_outer(p, l->H, k, l->bottom);
    matrix M = symmetric(less_outer(p, l->M, f, l->bottom));
    for (int i = 0; i < 3; i++)
        J.at[i][l->axis] = J.at[l->axis][i] = H.at[l->axis][i] = expr_number(p, 0);
    vector torque = vector_add(p, vector_add(p, l->torque, scaled(p, k, l->drive)),
                               vector_add(p, times(p, J, l->cw), times(p, H, l->cv)));
    vector force = vector_add(p, vector_add(p, l->force, scaled(p, f, l->drive)),
                              vector_add(p, transposed_times(p, H, l->cw), times(p, M, l->cv)));
    matrix R = l->rotation, P = crossing(p, l->place);
    J = symmetric(turned(p, R, J));
    H = turned(p, R, H);
    M = symmetric(turned(p, R, M));
    force = times(p, R, force);
    torque = vector_add(p, times(p, R, torque), cross(p, l->place, force));
    matrix shifted = sum(p, H, product(p, P, M, false)); // J + P H' + (H + P M) P', P' = -P
    J = symmetric(sum(p, sum(p, J, product(p, P, H, true)), product(p, shifted, P, true)));
    parent->J = symmetric(sum(p, parent->J, J));
    parent->H = sum(p, parent->H, shifted);
    parent->M = symmetric(sum(p, parent->M, M));
    parent->force = vector_add(p, parent->force, force);
    parent->torque = vector_add(p, parent->torque, torque);
}

static void articulated_bodies(expr_pool *p, int joints, bool given, expr *outputs) {
    static link links[JOINTS_MOST];
    for (int i = 0; i < joints; i++) {
        links[i] = link_new(p, i, given);
        find_velocity(p, &links[i], i ? &links[i - 1] : NULL, expr_symbol(p, SYM_P, V * JOINTS_MOST + i));
    }
    for (int i = joints - 1; i >= 0; i--) {
        link *l = &links[i];
        l->top = column(&l->J, l->axis);
        l->bottom = row(&l->H, l->axis);
        l->inverse = expr_op2(p, OP_DIV, expr_number(p, 1), l->top.at[l->axis]);
        l->drive = sub(p, expr_symbol(p, SYM_P, TORQUE * JOINTS_MOST + i), l->torque.at[l->axis]);
        if (i > 0)
            pass_inertia(p, l, &links[i - 1]);
    }
    vector alpha = numbers(p, 0, 0, 0), a = numbers(p, 0, 0, 9.81);
    for (int i = 0; i < joints; i++) {
        link *l = &links[i];
        a = transposed_times(p, l->rotation, vector_add(p, a, cross(p, alpha, l->place)));
        a = vector_add(p, a, l->cv);
        alpha = vector_add(p, transposed_times(p, l->rotation, alpha), l->cw);
        expr rest = sub(p, sub(p, l->drive, dot(p, l->top, alpha)), dot(p, l->bottom, a));
        outputs[i] = mul(p, rest, l->inverse);
        alpha.at[l->axis] = add(p, alpha.at[l->axis], outputs[i]);
    }
}

// ---- the same operations as C

typedef void (*compiled)(const double *in, double *out);

static void write_operand(FILE *file, const expr_pool *p, expr e, int joints) {
    if (expr_op(p, e) == OP_NUMBER)
        fprintf(file, "%.17g", expr_value(p, e));
    else if (expr_op(p, e) == OP_SYMBOL)
        fprintf(file, "in[%d]", expr_index(p, e) / JOINTS_MOST * joints + expr_index(p, e) % JOINTS_MOST);
    else
        fprintf(file, "t%u", e);
}

static void write_step(FILE *file, const expr_pool *p, expr e, int joints) {
    op_code op = expr_op(p, e);
    if (op == OP_NUMBER || op == OP_SYMBOL)
        return;
    fprintf(file, "const double t%u = ", e);
    if (op == OP_POW) { // squares are all there is
        fprintf(file, "t%u * t%u;\n", expr_arg(p, e, 0), expr_arg(p, e, 0));
        return;
    }
    bool function = ops[op].precedence == 0;
    if (ops[op].arity == 2)
        write_operand(file, p, expr_arg(p, e, 0), joints);
    fprintf(file, function ? "%s(" : " %s ", ops[op].name);
    write_operand(file, p, expr_arg(p, e, ops[op].arity - 1), joints);
    fprintf(file, function ? ");\n" : ";\n");
}

static void write_c(FILE *file, arena *a, const expr_pool *p, const expr *outputs, int joints) {
    expr *order;
    int count = expr_order(p, outputs, joints, a, &order);
    fprintf(file, "#include <math.h>\nvoid run(const double *restrict in, double *restrict out) {\n");
    for (int i = 0; i < count; i++)
        write_step(file, p, order[i], joints);
    for (int i = 0; i < joints; i++) {
        fprintf(file, "out[%d] = ", i);
        write_operand(file, p, outputs[i], joints);
        fprintf(file, ";\n");
    }
    fprintf(file, "}\n");
}

// NULL if there is no compiler
static compiled compile_c(arena *a, const expr_pool *p, const expr *outputs, int joints) {
    char folder[] = "/tmp/recursionsXXXXXX", path[64], command[300];
    const char *compiler = getenv("CC") ? getenv("CC") : "cc";
    compiled run = NULL;
    if (mkdtemp(folder) == NULL)
        return NULL;
    snprintf(path, sizeof path, "%s/run.c", folder);
    FILE *file = fopen(path, "w");
    if (file) {
        write_c(file, a, p, outputs, joints);
        fclose(file);
        snprintf(command, sizeof command,
                 "%.60s -O2 -mavx2 -ffp-contract=off -fno-math-errno -shared -fPIC -o %s/run.so %s -lm",
                 compiler, folder, path);
        int failed = system(command);
        snprintf(path, sizeof path, "%s/run.so", folder);
        void *library = failed ? NULL : dlopen(path, RTLD_NOW);
        void *symbol = library ? dlsym(library, "run") : NULL;
        memcpy(&run, &symbol, sizeof run);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) ? NULL : run;
}

// ---- measuring

typedef struct {
    const kernel *kernel;
    compiled c;
    double *in[STATES], *out, *work;
} subject;

static void run_ours(const subject *s, int i) {
    kernel_run(s->kernel, s->in[i % STATES], s->out, s->work);
}

static void run_theirs(const subject *s, int i) {
    s->c(s->in[i % STATES], s->out);
}

typedef void (*runner)(const subject *s, int i);

// a run begins when the one before it is done, as in an integrator: its inputs depend on those outputs
static void chain(const subject *s, int i) {
    int joints = kernel_outputs(s->kernel);
    for (int j = 0; j < KINDS * joints; j++)
        s->in[i % STATES][j] += 1e-300 * s->out[j % joints];
}

static double time_of(const subject *s, runner run, bool chained) { // once, ns per operation
    int count = kernel_operations(s->kernel), rounds = 1 + 200000 / count;
    double start = now();
    for (int i = 0; i < rounds; i++) {
        if (chained)
            chain(s, i);
        run(s, i);
    }
    return (now() - start) * 1e9 / rounds / count;
}

static int input_of(void *context, sym_kind kind, int index) {
    (void)kind;
    return index / JOINTS_MOST * *(const int *)context + index % JOINTS_MOST;
}

static double random_between(uint64_t *state, double low, double high) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(*state >> 11) * 0x1p-53;
}

static void random_state(uint64_t *seed, int joints, double *in) {
    for (int i = 0; i < joints; i++) {
        double q = in[Q * joints + i] = random_between(seed, -1, 1);
        in[V * joints + i] = random_between(seed, -1, 1);
        in[TORQUE * joints + i] = random_between(seed, -1, 1);
        in[SINE * joints + i] = sin(q);
        in[COSINE * joints + i] = cos(q);
    }
}

static double compile_time(arena *a, expr_pool *pool, const expr *outputs, int joints, const kernel **k) {
    double best = 1e9;
    arena *home = NULL;
    for (int i = 0; i < 9; i++) {
        arena_free(home);
        home = arena_child(a);
        double start = now();
        *k = kernel_compile(home, pool, outputs, joints, KINDS * joints, input_of, &joints);
        best = fmin(best, now() - start);
    }
    return best;
}

static double largest_difference(const subject *s, double *other, int joints) {
    double worst = 0;
    for (int i = 0; i < STATES; i++) {
        run_ours(s, i);
        s->c(s->in[i], other);
        for (int j = 0; j < joints; j++)
            worst = fmax(worst, fabs(s->out[j] - other[j]) / (1 + fabs(other[j])));
    }
    return worst;
}

static void measure(int joints, bool given, bool exact) {
    arena *a = arena_new(0);
    expr_pool *pool = expr_pool_new(a);
    expr_pool_set_exact(pool, exact);
    expr outputs[JOINTS_MOST];
    articulated_bodies(pool, joints, given, outputs);
    subject s = {.out = arena_doubles(a, (size_t)joints)};
    double prepare = compile_time(a, pool, outputs, joints, &s.kernel);
    s.work = arena_doubles(a, kernel_work_size(s.kernel));
    if (kernel_operations(s.kernel) <= C_MOST)
        s.c = compile_c(a, pool, outputs, joints);
    uint64_t seed = 1;
    for (int i = 0; i < STATES; i++) {
        s.in[i] = arena_doubles(a, (size_t)(KINDS * joints));
        random_state(&seed, joints, s.in[i]);
    }
    kernel_prepare(s.kernel, s.in[0], s.work);
    double best[2][2] = {{1e9, 1e9}, {1e9, 1e9}}; // apart, chained; ours, theirs
    int count = kernel_operations(s.kernel), repeats = 100 + 2000000 / count;
    for (int i = 0; i < 4 * (repeats < REPEATS ? repeats : REPEATS); i++) {
        double *of = &best[i / 2 % 2][i % 2];
        if (i % 2 == 0 || s.c)
            *of = fmin(*of, time_of(&s, i % 2 ? run_theirs : run_ours, i / 2 % 2));
        else
            *of = NAN;
    }
    printf("%-7s %6d %-6s %6d %8.3f %8.3f %8.3f %8.3f %9.3f %9.3f %8.0e\n", native_name(native_chosen()),
           joints,
           given   ? "given"
           : exact ? "exact"
                   : "fast",
           count, best[0][0], best[0][1], best[1][0], best[1][1], prepare * 1e6 / count, prepare * 1e3,
           s.c ? largest_difference(&s, arena_doubles(a, (size_t)joints), joints) : NAN);
    fflush(stdout);
    arena_free(a);
}

int main(int argc, char **argv) {
    static const int some[] = {2, 3, 5, 6, 10, 23, 70};
    int count = argc > 1 ? argc - 1 : (int)(sizeof some / sizeof *some);
    printf(
        "recursions: ns per operation, ours and by the C compiler, runs apart and each from the one before;\n"
        "preparation in us per operation and in ms\n");
    printf("%-7s %6s %-6s %6s %8s %8s %8s %8s %9s %9s %8s\n", "path", "joints", "sines", "ops", "ours", "C",
           "in turn", "C", "prepare", "in all", "differ");
    for (int sines = 0; sines < 3; sines++)
        for (int i = 0; i < count; i++)
            measure(argc > 1 ? atoi(argv[i + 1]) : some[i], sines == 0, sines == 2);
    return 0;
}
