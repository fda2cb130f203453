#include "export/emit.h"

#include "export/embedded.h"
#include "export/outfit.h"
#include "export/pieces.h"
#include "export/single.h"
#include "export/tables.h"
#include "linear/linalg.h"
#include "mech/tree/tree.h"
#include "report/columns.h"
#include "solve/solve.h"
#include "system/direct.h"
#include "system/natural.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

// ---- names

bool emit_prefix_fits(const char *prefix) {
    if (!isalpha((unsigned char)prefix[0]) && prefix[0] != '_')
        return false;
    for (const char *c = prefix; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    return strlen(prefix) <= 40;
}

/* Headers of C, which a file of that name would hide. */
static bool is_header(const char *name) {
    static const char *const headers[] = {"assert",   "complex", "ctype",   "errno",  "fenv",   "float",
                                          "inttypes", "iso646",  "limits",  "locale", "math",   "setjmp",
                                          "signal",   "stdarg",  "stdbool", "stddef", "stdint", "stdio",
                                          "stdlib",   "string",  "tgmath",  "time",   "wchar",  "wctype"};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        if (strcmp(headers[i], name) == 0)
            return true;
    return false;
}

const char *emit_identifier(arena *a, const char *name) {
    text t;
    text_init(&t, a);
    if (isdigit((unsigned char)name[0]))
        text_add(&t, "m");
    for (const char *c = name; *c && t.bytes.count < 40; c++)
        text_add_bytes(&t, isalnum((unsigned char)*c) ? c : "_", 1);
    if (t.bytes.count == 0)
        text_add(&t, "model");
    if (is_header(text_string(&t)))
        text_add(&t, "_");
    return text_string(&t);
}

static const char *upper(arena *a, const char *name) {
    char *out = arena_copy(a, name, strlen(name));
    for (char *c = out; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    return out;
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

// name_ and NAME_ at the beginning of words become the prefix
static const char *with_prefix(arena *a, const char *from, const char *prefix) {
    const char *large = upper(a, prefix), *begin = from;
    text t;
    text_init(&t, a);
    for (const char *c = from; *c; c++) {
        bool small_here = strncmp(c, "name_", 5) == 0, large_here = strncmp(c, "NAME_", 5) == 0;
        if ((!small_here && !large_here) || (c > from && is_word(c[-1])))
            continue;
        text_add_bytes(&t, begin, (int)(c - begin));
        text_add(&t, small_here ? prefix : large);
        begin = c + 4;
    }
    text_add(&t, begin);
    return text_string(&t);
}

// runtime.in with the lines that apply
static const char *runtime(const outfit *p, const char *given) {
    text t;
    text_init(&t, p->arena);
    int depth = 0, left_out = 0; // blocks that are open; the outermost of them that does not apply
    for (const char *c = given; *c;) {
        const char *end = strchr(c, '\n');
        int length = end ? (int)(end - c) + 1 : (int)strlen(c);
        if (strncmp(c, "//? ", 4) == 0) {
            bool negated = c[4] == '!';
            const char *word = c + 4 + negated;
            bool holds = outfit_word(p, arena_copy(p->arena, word, strcspn(word, "\n")));
            depth++;
            if (!left_out && holds == negated)
                left_out = depth;
        } else if (strncmp(c, "//.", 3) == 0) {
            left_out = left_out == depth ? 0 : left_out;
            depth--;
        } else if (!left_out) {
            text_add_bytes(&t, c, length);
        }
        c += length;
    }
    return text_string(&t);
}

// ---- the header

static void put_sizes(const outfit *p, text *out) {
    const trm_system *s = p->sys;
    text_print(out, "enum {\n    NAME_COORDINATES = %d,\n    NAME_ROWS = %d,\n", s->n, s->m);
    text_print(out, "    NAME_PARAMETERS = %d,\n    NAME_OUTPUTS = %d", outfit_parameters(p),
               outfit_shown(p)->outputs.count);
    if (s->full)
        text_print(out, ",\n    NAME_BODY_COORDINATES = %d", s->full->n);
    text_add(out, "\n};\n\n");
}

static int at_least_one(int count) {
    return count > 0 ? count : 1;
}

static const char ABOUT[] = "/* C99 and the mathematical part of its library are all that it needs: nothing "
                            "is allocated, nothing is kept\n"
                            " * outside the objects that you have. Compile it without contraction (-std=c99 "
                            "or -ffp-contract=off), and it\n"
                            " * gives the bits of `trammel run --exact`.\n";

static const char ABOUT_SINGLE[] =
    "/* C99 and the mathematical part of its library are all that it needs: nothing is allocated, nothing is "
    "kept\n"
    " * outside the objects that you have. In single precision: times, too, have 24 bits.\n";

static void put_about(const outfit *p, text *out) {
    const model *m = outfit_shown(p);
    const trm_system *s = p->sys;
    text_add(out, "/* ");
    tables_comment(out, m->title ? m->title : "A constrained system");
    text_add(out, "\n *\n * The motion of this system");
    text_print(out, ": %d %s, %d constraint %s; written by 'trammel emit c'. */\n", s->n,
               s->full     ? "joint coordinates"
               : s->n == 1 ? "coordinate"
                           : "coordinates",
               s->m, s->m == 1 ? "row" : "rows");
}

static void put_cautions(const outfit *p, text *out) {
    if (p->sys->switch_count)
        text_add(
            out,
            " *\n * It has conditions on the state, as of if(...). They are evaluated as they are written, "
            "and no step ends\n"
            " * where one changes: a step over such an instant is of first order. Take short ones there.\n");
    if (p->sys->model->turns.count)
        text_add(out, " *\n * Angles of joints count whole turns from the state that an object was last "
                      "asked about, at first "
                      "from the\n"
                      " * model's: let less than half a turn lie between two calls.\n");
    if (p->sys->full)
        text_add(out, " *\n * Coordinates are those of the joints; name_bodies gives those of the bodies.\n");
}

static const char DECLARATIONS[] =
    "typedef enum {\n"
    "    NAME_OK,\n"
    "    NAME_NOT_FINITE,   /* a mass, force or constraint is not finite there */\n"
    "    NAME_UNDETERMINED, /* the motion is not unique: [M; A] lacks full rank */\n"
    "    NAME_INDEFINITE,   /* M has a negative direction, or a weight is negative */\n"
    "    NAME_NOT_HELD,     /* constraints could not be held, or have become dependent */\n"
    "    NAME_UNSURE        /* rows are nearly dependent, or M nearly singular, and there is no general "
    "solver */\n"
    "} name_status;\n"
    "\n"
    "/* The model's parameters, prepared: ready for use. */\n"
    "void name_init(name_state *s);\n"
    "/* After s->parameter was changed. */\n"
    "void name_prepare(name_state *s);\n"
    "/* The assembled start, with the parameters that the model had: NAME_COORDINATES positions and "
    "velocities. */\n"
    "void name_start(const name_state *s, double *q, double *v);\n"
    "\n"
    "/* q'' (NAME_COORDINATES), the constraint force on each coordinate, and the multiplier of each row "
    "(NAME_ROWS), of\n"
    " * least norm where rows depend on each other. The last two may be NULL. */\n"
    "name_status name_acceleration(name_state *s, double t, const double *q, const double *v, double *qdd,\n"
    "                              double *reaction, double *multiplier);\n"
    "/* The least change of q, then of v, in the metric of the mass, that brings them onto the constraints. "
    "*/\n"
    "name_status name_project(name_state *s, double t, double *q, double *v, double tolerance);\n"
    "/* A step of the classical method of order 4, then a projection; *t becomes *t + h. After a failure q, "
    "v and *t\n"
    " * may be anything. */\n"
    "name_status name_step(name_state *s, double *t, double *q, double *v, double h);\n"
    "/* After a failure: the row it is about, -2 - i for coordinate i, -1 if there is none to name. */\n"
    "int name_culprit(const name_state *s);\n";

static void put_declarations(const outfit *p, text *out) {
    const trm_system *s = p->sys;
    text_add(out, DECLARATIONS);
    if (outfit_shown(p)->outputs.count)
        text_add(out, "/* The model's outputs (NAME_OUTPUTS). */\n"
                      "name_status name_outputs(name_state *s, double t, const double *q, const double *v, "
                      "double *output);\n");
    if (p->residuals)
        text_add(out, "/* How far each constraint is off (NAME_ROWS); of those on accelerations, after "
                      "name_acceleration. */\n"
                      "name_status name_residuals(name_state *s, double t, const double *q, const double *v, "
                      "double *off);\n");
    if (s->controls)
        text_print(out,
                   "/* The force that the controls take (NAME_COORDINATES), and its parts: what answers the "
                   "forces at hand, and\n"
                   " * what follows from the constraints alone%s. Each may be NULL. */\n"
                   "name_status name_control(name_state *s, double t, const double *q, const double *v, "
                   "double *control,\n"
                   "                         double *back, double *forward);\n",
                   !p->general           ? ": these take the general solver, NAME_UNSURE without it"
                   : s->mech->prescribed ? ""
                                         : ": NAN, since M, A or b depend on the state");
    if (s->quasi)
        text_add(
            out,
            "/* The quasi-velocities at velocities v. */\n"
            "void name_quasi(name_state *s, double t, const double *q, const double *v, double *quasi);\n");
    if (s->full)
        text_add(
            out,
            "/* The coordinates of the bodies and their velocities (NAME_BODY_COORDINATES). */\n"
            "void name_bodies(name_state *s, double t, const double *q, const double *v, double *body_q,\n"
            "                 double *body_v);\n");
    if (p->def->jacobian)
        text_add(out, "/* After name_acceleration: dq''/dq and dq''/dv (NAME_COORDINATES x NAME_COORDINATES, "
                      "by rows). */\n"
                      "name_status name_jacobian(name_state *s, double *by_q, double *by_v);\n");
    text_add(out, "\n/* Names, with NULL behind the last. */\n");
    text_add(out, "extern const char *const name_coordinate_name[], *const name_row_name[], *const "
                  "name_parameter_name[],\n"
                  "    *const name_output_name[];\n");
    if (s->quasi)
        text_add(out, "extern const char *const name_quasi_name[];\n");
}

static void put_fixed(const outfit *p, text *out) {
    int count = 0;
    for (int i = 0; i < p->sys->model->params.count; i++)
        if (p->def->fixed[i]) {
            text_add(out, count++ ? ", "
                                  : "/* Lengths, masses or bounds were computed of these parameters, which "
                                    "are as they were: ");
            tables_comment(out, outfit_parameter(p, i));
        }
    text_add(out, count ? ". */\n" : "");
}

static void put_header(const outfit *p, text *out) {
    put_about(p, out);
    text_add(out, p->def->single ? ABOUT_SINGLE : ABOUT);
    put_cautions(p, out);
    text_add(out, " */\n#ifndef NAME_H_INCLUDED\n#define NAME_H_INCLUDED\n\n");
    text_add(out, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    put_sizes(p, out);
    put_fixed(p, out);
    text_print(out,
               "/* All memory that there is: as many as you like, which may be copied. Change parameters, "
               "then name_prepare. */\n"
               "typedef struct {\n    double parameter[%d];\n    double work[%d];\n    int culprit, rank;\n} "
               "name_state;\n\n",
               at_least_one(outfit_parameters(p)), p->at.size);
    put_declarations(p, out);
    text_add(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

// ---- the source

static const char *const roots[] = {"init",     "prepare",   "start",   "acceleration", "project",
                                    "outputs",  "residuals", "control", "quasi",        "bodies",
                                    "jacobian", "step",      "culprit"};

static void put_source(outfit *p, const char *tables, text *out) {
    const char *prefix = p->def->prefix;
    pieces *all = pieces_new(p->arena);
    for (int i = 0; i < embedded_count; i++)
        if (i > 0)
            pieces_add(all, embedded_files[i].path, embedded_files[i].text);
    pieces_override(all, with_prefix(p->arena, runtime(p, embedded_files[0].text), prefix));
    pieces_override(all, with_prefix(p->arena, tables, prefix));
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        pieces_print(all, arena_print(p->arena, "%s_%s", prefix, roots[i]), out);
}

/* Residuals of some 1e-7 are rounding then. */
static const double SINGLE_TOLERANCE = 1e-5;

static void put_top(const outfit *p, text *out) {
    put_about(p, out);
    text_print(out,
               "#include \"%s.h\"\n\n#include <float.h>\n#include <math.h>\n#include <stdbool.h>\n#include "
               "<stddef.h>\n#include <string.h>\n\n"
               "#ifdef __clang__\n#pragma STDC FP_CONTRACT OFF\n#endif\n\n",
               p->def->prefix);
    text_print(out,
               "enum { NAME_X_PARAMETER = %d, NAME_ALL_PARAMETERS = %d, AT_STEP = %d, AT_SCRATCH = %d, "
               "AT_QDD = %d };\n\nstatic const "
               "double NAME_TOLERANCE = ",
               p->sys->model->params.count ? p->x_of[p->sys->x_param] : 0, p->sys->model->params.count,
               p->at.step, p->at.scratch, p->at.qdd);
    ctext_number(out, p->def->single ? fmax(p->def->tolerance, SINGLE_TOLERANCE) : p->def->tolerance);
    text_add(out, "; // of projections in name_step\n\n");
}

// ---- main

static int steps_between(const outfit *p) {
    static const double PART =
        2e-4; // of the time in which the system changes: a top that spins fast is right to 1e-8 in a second
    double steps = ceil(p->def->every * p->sys->natural->rate / PART);
    return steps >= 1 && steps <= 2000 ? (int)steps : steps < 1 ? 1 : 2000;
}

static void put_columns(text *out, const char *of, const char *count, const char *begin, const char *end) {
    text_print(out, "    for (i = 0; i < %s; i++)\n        put_name(\"%s\", %s[i], \"%s\");\n", count, begin,
               of, end);
}

static void put_main(const outfit *p, text *out) {
    const trm_system *s = p->sys;
    int outputs = outfit_shown(p)->outputs.count;
    put_about(p, out);
    text_print(out,
               "/* Prints the samples of a run, as 'trammel run -o -' does; with a number, so many steps "
               "between them. */\n"
               "#include \"%s.h\"\n\n#include <stdio.h>\n#include <stdlib.h>\n\n",
               p->def->prefix);
    text_add(out, "static name_state state;\n"
                  "static double q[NAME_COORDINATES], v[NAME_COORDINATES], qdd[NAME_COORDINATES], "
                  "reaction[NAME_COORDINATES];\n");
    if (outputs)
        text_add(out, "static double output[NAME_OUTPUTS];\n");
    if (p->residuals)
        text_add(out, "static double off[NAME_ROWS];\n");
    if (s->quasi)
        text_add(out, "static double quasi[NAME_COORDINATES];\n");
    text_add(out, "\n");
    text_add(out, "static void put_name(const char *begin, const char *name, const char *end) {\n"
                  "    const char *c;\n    int quoted = 0;\n"
                  "    for (c = name; *c; c++)\n        quoted |= *c == ',' || *c == '\"';\n"
                  "    printf(quoted ? \",\\\"%s\" : \",%s\", begin);\n"
                  "    for (c = name; *c; c++)\n        printf(*c == '\"' ? \"\\\"\\\"\" : \"%c\", *c);\n"
                  "    printf(quoted ? \"%s\\\"\" : \"%s\", end);\n}\n\n");
    text_add(out, "static void put_numbers(const double *values, int count) {\n    int i;\n"
                  "    for (i = 0; i < count; i++)\n        printf(\",%.17g\", values[i]);\n}\n\n");
    text_add(out, "static int put_sample(double t) {\n"
                  "    name_status status = name_acceleration(&state, t, q, v, qdd, reaction, NULL);\n");
    if (s->quasi)
        text_add(out, "    name_quasi(&state, t, q, v, quasi);\n");
    if (outputs)
        text_add(out,
                 "    if (status == NAME_OK)\n        status = name_outputs(&state, t, q, v, output);\n");
    if (p->residuals)
        text_add(out, "    if (status == NAME_OK)\n        status = name_residuals(&state, t, q, v, off);\n");
    text_add(out, "    if (status != NAME_OK)\n        return (int)status;\n    printf(\"%.17g\", t);\n"
                  "    put_numbers(q, NAME_COORDINATES);\n    put_numbers(v, NAME_COORDINATES);\n");
    if (s->quasi)
        text_add(out, "    put_numbers(quasi, NAME_COORDINATES);\n");
    if (outputs)
        text_add(out, "    put_numbers(output, NAME_OUTPUTS);\n");
    text_add(out, "    put_numbers(reaction, NAME_COORDINATES);\n");
    if (p->residuals)
        text_add(out, "    put_numbers(off, NAME_ROWS);\n");
    text_add(
        out,
        "    printf(\"\\n\");\n    return 0;\n}\n\nint main(int argc, char **argv) {\n    int i, k, code;\n");
    text_print(out, "    int steps = argc > 1 ? atoi(argv[1]) : %d;\n", steps_between(p));
    text_add(out, "    const double from = ");
    ctext_number(out, p->def->from);
    text_add(out, ", until = ");
    ctext_number(out, p->def->until);
    text_add(out, ", every = ");
    ctext_number(out, p->def->every);
    text_add(out, ";\n    double t = from;\n    long sample;\n    if (steps < 1)\n        steps = 1;\n"
                  "    name_init(&state);\n    name_start(&state, q, v);\n    printf(\"t\");\n");
    put_columns(out, "name_coordinate_name", "NAME_COORDINATES", "", "");
    put_columns(out, "name_coordinate_name", "NAME_COORDINATES", "", "'");
    if (s->quasi)
        put_columns(out, "name_quasi_name", "NAME_COORDINATES", "", "");
    put_columns(out, "name_output_name", "NAME_OUTPUTS", "", "");
    put_columns(out, "name_coordinate_name", "NAME_COORDINATES", "reaction(", ")");
    if (p->residuals)
        put_columns(out, "name_row_name", "NAME_ROWS", "residual(", ")");
    text_add(
        out,
        "    printf(\"\\n\");\n    code = put_sample(t);\n"
        "    for (sample = 1; code == 0 && t < until; sample++) {\n"
        "        double next = from + (double)sample * every, last = t;\n"
        "        if (next > until - 1e-9 * every)\n            next = until;\n"
        "        for (k = 0; code == 0 && k < steps; k++) {\n"
        "            double end = k + 1 == steps ? next : last + (next - last) * (double)(k + 1) / "
        "(double)steps;\n"
        "            code = (int)name_step(&state, &t, q, v, end - t);\n"
        "            t = end;\n        }\n"
        "        if (code == 0)\n            code = put_sample(t);\n    }\n"
        "    if (code != 0)\n"
        "        fprintf(stderr, \"at t = %g: status %d, about %d\\n\", t, code, name_culprit(&state));\n"
        "    return code;\n}\n");
}

// ---- all of it

/* Bytes of code for a Cortex-M7 by gcc -Os. */
static long flash_of(const outfit *p) {
    static const double OPERATION = 9, FRAME = 4000, SOLVER = 9000;
    double operations = 0;
    for (int i = 0; i < p->stages.count; i++)
        operations += p->stages.at[i].printed.operations + p->stages.at[i].printed.prepared;
    return (long)(OPERATION * operations + FRAME + (p->general ? SOLVER : 0));
}

static const char *in_prefix(const outfit *p, void (*put)(const outfit *p, text *out)) {
    text t;
    text_init(&t, p->arena);
    put(p, &t);
    return with_prefix(p->arena, text_string(&t), p->def->prefix);
}

static const char *in_precision(const emit_def *d, arena *a, const char *given) {
    return d->single && given ? single_text(a, given) : given;
}

void emit_c(arena *a, const trm_system *sys, trm_state *st, const emit_def *d, emitted *out) {
    outfit *p = outfit_new(a, sys, st, d);
    text tables, code, named;
    text_init(&tables, a);
    tables_kernels(p, &tables);
    outfit_places_find(p);
    tables_system(p, &tables);
    tables_functions(p, &tables);
    text_init(&code, a);
    text_add(&code, in_prefix(p, put_top));
    put_source(p, text_string(&tables), &code);
    text_init(&named, a);
    tables_names(p, &named);
    text_add(&code, with_prefix(a, text_string(&named), d->prefix));
    const outfit_stage *dynamics = outfit_find(p, STAGE_DYNAMICS);
    *out = (emitted){.header = in_precision(d, a, in_prefix(p, put_header)),
                     .source = in_precision(d, a, text_string(&code)),
                     .main = in_precision(d, a, d->main ? in_prefix(p, put_main) : NULL),
                     .operations = dynamics->printed.operations,
                     .ram = (d->single ? (long)sizeof(float) : (long)sizeof(double)) *
                            (at_least_one(outfit_parameters(p)) + p->at.size + 1),
                     .flash = flash_of(p)};
}

uint64_t emit_fingerprint(arena *a, const trm_system *sys, trm_state *st, const emit_def *d) {
    outfit *p = outfit_new(a, sys, st, d);
    uint64_t h = 14695981039346656037u; // FNV
    text kernels;
    text_init(&kernels, a);
    tables_kernels(p, &kernels);
    for (const char *c = text_string(&kernels); *c; c++)
        h = (h ^ (unsigned char)*c) * 1099511628211u;
    return h;
}

// ---- what cannot be

/* Full matrices of the general solver, three times; a kernel of all instances. */
enum { COORDINATES_MOST = 400 };

// what asks for the general solver where it is left away
static const char *without_general(arena *a, const emit_def *d, const char *what) {
    return arena_print(a, "%s%s", what,
                       d->single ? "; in single precision the general solver is of no use"
                                 : "; leave --solver direct away");
}

static const char *wrong_result(const outfit *p) {
    const model *m = outfit_shown(p);
    for (int i = 0; i < m->results.count; i++) {
        result_kind kind = m->results.at[i].kind;
        if (!p->results[i])
            continue;
        if (kind >= RESULT_WORK && kind <= RESULT_WORK_JOINT)
            return "an output or force depends on work done so far, which is no function of a state";
        if (kind == RESULT_QUASI)
            return "an output depends on a reaction on a quasi-velocity; ask for reactions on coordinates";
        if (kind == RESULT_GAUSSIAN && p->def->direct_only)
            return without_general(p->arena, p->def,
                                   "an output depends on the Gaussian, which takes the general solver");
        if ((kind == RESULT_FEEDBACK || kind == RESULT_FEEDFORWARD) && p->def->direct_only)
            return without_general(
                p->arena, p->def,
                "an output depends on the parts of a control, which take the general solver");
        if (p->sys->full && !model_is_energy(kind) && kind != RESULT_START)
            return "an output depends on forces of the bodies, which are not known in joint coordinates; "
                   "take "
                   "'coordinates bodies'";
    }
    return NULL;
}

static const char *why_not_direct(const trm_system *s) {
    return s->soft_count                 ? "constraints have weights"
           : s->nonideal || s->on_forces ? "a force is built on reactions, or is not ideal"
           : s->all.rows > s->n
               ? "there are more constraint rows than coordinates"
               : "constraint rows depend on each other at the start, or the solution is too long";
}

static bool is_sure(const trm_system *s, trm_state *st, const emit_def *d) {
    outcome found = solve_acceleration(s, st, d->from, d->q, d->v);
    return found.status == SOLVE_OK && state_output(st, STAGE_DYNAMICS) &&
           direct_sure(state_output(st, STAGE_DYNAMICS) + s->direct_at + s->n + s->all.rows);
}

static const char *only_direct(arena *a, const trm_system *s, trm_state *st, const emit_def *d) {
    if (!s->direct)
        return without_general(a, d, why_not_direct(s));
    if (!is_sure(s, st, d))
        return arena_print(
            a,
            "at the start constraint rows are nearly dependent, or the mass matrix is nearly singular, so "
            "that it would never work%s",
            d->single ? " in single precision" : "; leave --solver direct away");
    return d->jacobian ? without_general(a, d, "Jacobians take the general solver") : NULL;
}

const char *emit_refusal(arena *a, const trm_system *s, trm_state *st, const emit_def *d) {
    if (s->friction_count)
        return "friction that may stick is not emitted yet";
    if (s->model->supplies.count)
        return "it has functions of a program";
    if (s->n > COORDINATES_MOST)
        return arena_print(a, "%d coordinates are too many; up to %d are emitted", s->n, COORDINATES_MOST);
    if (s->full && (s->mech->tree->asks || s->mech->needs_energy))
        return "forces are built on reactions or energies of the bodies; take 'coordinates bodies'";
    const char *why = d->direct_only ? only_direct(a, s, st, d) : NULL;
    if (why)
        return why;
    outfit *p = outfit_new(a, s, st, d);
    if (s->full && p->solution)
        return "an output depends on accelerations or forces of the bodies, which are not known in joint "
               "coordinates; "
               "take 'coordinates bodies'";
    return wrong_result(p);
}
