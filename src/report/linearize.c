#include "report/linearize.h"
#include "report/parts.h"
#include "system/natural.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

static int size_of(const linear_report *r) {
    return r->positions + r->velocities;
}

static int coordinate_of(const linear_report *r, int i) {
    return i < r->positions ? r->position[i] : r->velocity[i - r->positions];
}

// of the deviation number i
static const char *name_of(arena *a, const findings *f, const linear_report *r, int i) {
    const model *m = f->sys->model;
    if (r->names)
        return r->names[i];
    return parts_label(a, m, m->coords.at[coordinate_of(r, i)], "", i < r->positions ? "" : "'");
}

// of the rate that is off
static const char *name_of_rate(arena *a, const findings *f, const linear_report *r) {
    const model *m = f->sys->model;
    int n = f->sys->n;
    return parts_label(a, m, m->coords.at[r->off_where % n], "", r->off_where < n ? "'" : "''");
}

void linear_warn(findings *f, arena *a, const linear_report *r) {
    if (!r->solved || r->steady)
        return;
    const char *warning =
        arena_print(a,
                    "%s belongs to no steady motion: %s is off by %.6g%s. This is the linear system "
                    "at one instant, and its eigenvalues say little",
                    r->about ? r->about : "the start", name_of_rate(a, f, r), r->off,
                    r->timed ? ", or the equations change with time" : "");
    vec_push(a, f->warnings, warning);
}

// ---- JSON

static void json_names(json *j, arena *a, const findings *f, const linear_report *r) {
    json_key(j, "coordinates");
    json_open(j, '[');
    for (int i = 0; r->solved && i < size_of(r); i++)
        json_string(j, name_of(a, f, r, i));
    json_close(j, ']');
}

static void json_matrix(json *j, const char *key, const double *X, int rows, int columns) {
    json_key(j, key);
    json_open(j, '[');
    for (int i = 0; i < rows; i++) {
        json_open(j, '[');
        for (int k = 0; k < columns; k++)
            json_number(j, X[(size_t)i * (size_t)columns + (size_t)k] + 0.0);
        json_close(j, ']');
    }
    json_close(j, ']');
}

static void json_list(json *j, const char *key, const char **list, int count) {
    json_key(j, key);
    json_open(j, '[');
    for (int i = 0; i < count; i++)
        json_string(j, list[i]);
    json_close(j, ']');
}

static void json_zeros(json *j, const response *r) {
    json_key(j, "zeros");
    json_open(j, '[');
    for (int o = 0; o < r->outputs; o++) {
        json_open(j, '[');
        for (int i = 0; i < r->inputs; i++) {
            const transfer_zeros *z = &r->zeros[o * r->inputs + i];
            if (z->count < 0) {
                json_null(j);
                continue;
            }
            json_open(j, '[');
            for (int k = 0; k < z->count; k++) {
                json_open(j, '[');
                json_number(j, z->re[k] + 0.0);
                json_number(j, z->im[k] + 0.0);
                json_close(j, ']');
            }
            json_close(j, ']');
        }
        json_close(j, ']');
    }
    json_close(j, ']');
}

static void json_response(json *j, const response *r) {
    json_list(j, "states", r->state_names, r->states);
    json_list(j, "inputs", r->input_names, r->inputs);
    json_list(j, "outputs", r->output_names, r->outputs);
    json_matrix(j, "A", r->A, r->states, r->states);
    json_matrix(j, "B", r->B, r->states, r->inputs);
    json_matrix(j, "C", r->C, r->outputs, r->states);
    json_matrix(j, "D", r->D, r->outputs, r->inputs);
    json_zeros(j, r);
}

void linear_json_eigenvalues(json *j, const linear_report *r) {
    json_key(j, "eigenvalues");
    json_open(j, '[');
    for (int i = 0; r && r->solved && i < size_of(r); i++) {
        json_open(j, '[');
        json_number(j, r->re[i]);
        json_number(j, r->im[i]);
        json_close(j, ']');
    }
    json_close(j, ']');
}

static void json_modes(json *j, const linear_report *r) {
    json_key(j, "modes");
    json_open(j, '[');
    for (int i = 0; r->solved && i < size_of(r); i++) {
        const double complex *v = r->modes[i].shape;
        if (v == NULL) {
            json_null(j);
            continue;
        }
        json_open(j, '[');
        for (int k = 0; k < size_of(r); k++) {
            json_open(j, '[');
            json_number(j, creal(v[k]) + 0.0); // no negative zeros
            json_number(j, cimag(v[k]) + 0.0);
            json_close(j, ']');
        }
        json_close(j, ']');
    }
    json_close(j, ']');
}

const char *linear_json(arena *a, const findings *f, const linear_report *r) {
    const model *m = f->sys->model;
    json j;
    json_init(&j, a);
    json_open(&j, '{');
    json_key(&j, "model"), json_string(&j, f->path);
    json_key(&j, "title"), json_string(&j, m->title ? m->title : "");
    json_key(&j, "time"), json_number(&j, r->time);
    parts_rank(&j, f->sys, r->rank);
    json_key(&j, "state");
    json_open(&j, '{');
    if (r->solved)
        parts_positions_json(&j, a, f, r->start.q, r->start.v, r->there.outputs);
    json_close(&j, '}');
    json_names(&j, a, f, r);
    json_matrix(&j, "matrix", r->matrix, r->solved ? size_of(r) : 0, r->solved ? size_of(r) : 0);
    linear_json_eigenvalues(&j, r);
    json_modes(&j, r);
    if (r->response && !r->response->failure)
        json_response(&j, r->response);
    json_key(&j, "at_rest"), json_bool(&j, r->resting);
    json_key(&j, "steady"), json_bool(&j, r->steady);
    json_key(&j, "unsteady");
    json_open(&j, '{');
    if (r->solved && !r->steady) {
        json_key(&j, "rate"), json_string(&j, name_of_rate(a, f, r));
        json_key(&j, "off"), json_number(&j, r->off);
    }
    json_close(&j, '}');
    json_key(&j, "exact"), json_bool(&j, r->exact);
    parts_strings(&j, "warnings", &f->warnings);
    if (r->failure.failed)
        parts_failure(&j, &r->failure);
    json_close(&j, '}');
    return text_string(&j.out);
}

// ---- text

enum {
    SHOWN = 12,
    HEAD = 12,
    WIDTH = 13
}; // of a matrix: rows, the least widths of the names and the columns

// X, rows by columns, with names across, and of what the rows are, or the rates; columns are as wide as their
// names
static void text_block(text *t, arena *a, const double *X, int columns, const char **across, const char **of,
                       int rows, bool rates) {
    int head = HEAD;
    for (int i = 0; i < rows; i++) {
        int width = (int)strlen(of[i]) + (rates ? 3 : 0);
        head = width > head ? width : head;
    }
    text_print(t, "    %-*s", head, "");
    for (int k = 0; k < columns; k++)
        text_print(t, " %*s", WIDTH, across[k]);
    text_add(t, "\n");
    for (int i = 0; i < rows; i++) {
        text_print(t, "    %-*s", head, rates ? arena_print(a, "(%s)'", of[i]) : of[i]);
        for (int k = 0; k < columns; k++) { // + 0: no negative zeros
            int width = (int)strlen(across[k]);
            text_print(t, " %*.6g", width > WIDTH ? width : WIDTH,
                       X[(size_t)i * (size_t)columns + (size_t)k] + 0.0);
        }
        text_add(t, "\n");
    }
}

static void text_matrix(text *t, arena *a, const findings *f, const linear_report *r) {
    int size = size_of(r);
    if (size > SHOWN) {
        text_print(t, "  the matrix is %d by %d; the JSON has it\n", size, size);
        return;
    }
    const char *across[SHOWN];
    for (int k = 0; k < size; k++)
        across[k] = name_of(a, f, r, k);
    text_block(t, a, r->matrix, size, across, across, size, true);
}

// rounding is 0 to people; of repeated eigenvalues it leaves half the digits
static double rounded(const linear_report *r, int i, double x, double largest) {
    return fabs(x) > (r->modes[i].times > 1 ? r->same : 1e-10) * largest ? x : 0.0;
}

static double largest_of(const linear_report *r) {
    double largest = 0;
    for (int i = 0; i < size_of(r); i++)
        largest = fmax(largest, hypot(r->re[i], r->im[i]));
    return largest;
}

void linear_text_eigenvalues(text *t, const linear_report *r) {
    double largest = largest_of(r);
    text_add(t, "  eigenvalues\n");
    for (int i = 0; i < size_of(r); i++) {
        double re = rounded(r, i, r->re[i], largest), im = rounded(r, i, r->im[i], largest);
        if (im == 0)
            text_print(t, "    %.9g\n", re);
        else if (im > 0) // the other one of the pair has the other sign
            text_print(t, "    %.9g +- %.9g i   frequency %.6g, damping ratio %.3g\n", re, im,
                       im / (2 * acos(-1)), re == 0 ? 0.0 : -re / hypot(re, im));
    }
}

// of deviation number i, in lengths and angles alike
static double scale_of(const findings *f, const linear_report *r, int i) {
    return r->sizes ? r->sizes[i] : f->sys->natural->scale[coordinate_of(r, i)];
}

// "x 1, y -0.5, z 0.3 at 90 deg": what takes part, positions only where they do
static void text_shape(text *t, arena *a, const findings *f, const linear_report *r, const mode *m) {
    const double complex *v = m->shape;
    static const double NOTHING = 1e-9, DEGREES = 57.29577951308232;
    double one = 1 / scale_of(f, r, m->leading);
    int shown = 0;
    for (int i = 0; i < size_of(r) && (i < r->positions || shown == 0); i++) {
        double size = cabs(v[i]);
        if (size / scale_of(f, r, i) <= NOTHING * one)
            continue;
        text_print(t, "%s%s ", shown++ ? ", " : "", name_of(a, f, r, i));
        if (fabs(cimag(v[i])) <= NOTHING * size)
            text_print(t, "%.6g", creal(v[i]));
        else
            text_print(t, "%.6g at %.4g deg", size, carg(v[i]) * DEGREES);
    }
    text_add(t, "\n");
}

static void text_mode(text *t, arena *a, const findings *f, const linear_report *r, int i, double largest) {
    const mode *at = &r->modes[i];
    double re = rounded(r, i, r->re[i], largest), im = rounded(r, i, r->im[i], largest);
    if (im < 0)
        return;
    text_print(t, im > 0 ? "    %.6g +- %.6g i" : "    %.6g", re, im);
    text_add(t, at->times > 1 ? ", repeated: " : ": ");
    if (at->shape)
        text_shape(t, a, f, r, at);
    else
        text_add(t, "no mode of its own, deviations grow with a power of time\n");
}

static void text_modes(text *t, arena *a, const findings *f, const linear_report *r) {
    bool repeated = false;
    for (int i = 0; i < size_of(r); i++)
        repeated |= r->modes[i].times > 1;
    if (size_of(r) > SHOWN) {
        text_add(t, "  the JSON has the modes\n");
        return;
    }
    text_print(t, "  modes%s\n",
               repeated ? "; mixtures of those of a repeated eigenvalue are modes, too" : "");
    for (int i = 0; i < size_of(r); i++)
        text_mode(t, a, f, r, i, largest_of(r));
}

static const char *state_of(arena *a, const linear_report *r) {
    const char *about = r->about ? r->about : "the start";
    return r->still || r->resting
               ? (strstr(about, "equilibrium") ? about : arena_print(a, "%s, an equilibrium", about))
           : r->steady ? arena_print(a, "the steady motion from %s", about)
                       : arena_print(a, "%s, which belongs to no steady motion", about);
}

// ---- inputs and outputs

// largest: of the poles; of a zero at 0 that is repeated rounding leaves half the digits
static void text_zeros(text *t, const response *r, int o, int i, double largest) {
    const transfer_zeros *z = &r->zeros[o * r->inputs + i];
    text_print(t, "    from %s to %s: ", r->input_names[i], r->output_names[o]);
    if (z->count < 0)
        text_add(t, "nothing comes through");
    if (z->count == 0)
        text_add(t, "none");
    for (int k = 0; k < z->count; k++) {
        double size = hypot(z->re[k], z->im[k]), re = fabs(z->re[k]) > 1e-9 * size ? z->re[k] : 0.0;
        bool null = size <= 1e-7 * largest;
        if (null || z->im[k] == 0)
            text_print(t, "%s%.6g", k ? ", " : "", null ? 0.0 : re);
        else if (z->im[k] > 0)
            text_print(t, "%s%.6g +- %.6g i", k ? ", " : "", re, z->im[k]);
    }
    text_add(t, "\n");
}

static void text_response(text *t, arena *a, const response *r, double largest) {
    if (r->inputs + r->outputs == 0)
        return;
    if (r->states > SHOWN || r->inputs > SHOWN || r->outputs > SHOWN) {
        text_print(
            t, "  x' = A x + B u, y = C x + D u with %d states, %d inputs, %d outputs; the JSON has them\n",
            r->states, r->inputs, r->outputs);
        return;
    }
    text_add(t, "  x' = A x + B u, y = C x + D u\n  A\n");
    text_block(t, a, r->A, r->states, r->state_names, r->state_names, r->states, true);
    if (r->inputs) {
        text_add(t, "  B\n");
        text_block(t, a, r->B, r->inputs, r->input_names, r->state_names, r->states, true);
    }
    if (r->outputs) {
        text_add(t, "  C\n");
        text_block(t, a, r->C, r->states, r->state_names, r->output_names, r->outputs, false);
    }
    if (r->inputs && r->outputs) {
        text_add(t, "  D\n");
        text_block(t, a, r->D, r->inputs, r->input_names, r->output_names, r->outputs, false);
        text_add(t, "  zeros; the poles are the eigenvalues\n");
    }
    for (int o = 0; o < r->outputs; o++)
        for (int i = 0; i < r->inputs; i++)
            text_zeros(t, r, o, i, largest);
}

static void csv_name(text *t, const char *name, const char *before, const char *after) {
    text_print(t, "\"%s%s%s\"", before, name, after);
}

static void csv_rows(text *t, const double *X, const double *Y, const response *r, int i) {
    char digits[32];
    for (int k = 0; k < r->states; k++)
        text_print(t, ",%s", number_shortest(digits, X[(size_t)i * (size_t)r->states + (size_t)k] + 0.0));
    for (int k = 0; k < r->inputs; k++)
        text_print(t, ",%s", number_shortest(digits, Y[(size_t)i * (size_t)r->inputs + (size_t)k] + 0.0));
    text_add(t, "\n");
}

const char *linear_csv(arena *a, const linear_report *report) {
    const response *r = report->response;
    text t;
    text_init(&t, a);
    for (int k = 0; k < r->states + r->inputs; k++) {
        text_add(&t, ",");
        csv_name(&t, k < r->states ? r->state_names[k] : r->input_names[k - r->states], "", "");
    }
    text_add(&t, "\n");
    for (int i = 0; i < r->states; i++) {
        csv_name(&t, r->state_names[i], "(", ")'");
        csv_rows(&t, r->A, r->B, r, i);
    }
    for (int i = 0; i < r->outputs; i++) {
        csv_name(&t, r->output_names[i], "", "");
        csv_rows(&t, r->C, r->D, r, i);
    }
    return text_string(&t);
}

const char *linear_summary(arena *a, const findings *f, const linear_report *r) {
    text t;
    text_init(&t, a);
    if (!r->solved)
        return "";
    parts_title(&t, f, r->rank->rank, true);
    text_print(&t, "  linear about %s, at t = %.6g\n", state_of(a, r), r->time);
    if (size_of(r) == 0) {
        text_add(&t, "  the constraints hold everything: nothing can deviate\n");
        return text_string(&t);
    }
    text_print(&t, "  %d independent position%s, %d independent velocit%s; rates of their deviations:\n",
               r->positions, parts_plural(r->positions), r->velocities, r->velocities == 1 ? "y" : "ies");
    text_matrix(&t, a, f, r);
    linear_text_eigenvalues(&t, r);
    text_modes(&t, a, f, r);
    if (r->response && !r->response->failure)
        text_response(&t, a, r->response, largest_of(r));
    return text_string(&t);
}
