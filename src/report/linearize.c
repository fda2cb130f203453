#include "report/linearize.h"
#include "report/parts.h"
#include "system/natural.h"

#include <math.h>

static int size_of(const linear_report *r) {
    return r->positions + r->velocities;
}

static int coordinate_of(const linear_report *r, int i) {
    return i < r->positions ? r->position[i] : r->velocity[i - r->positions];
}

// of the deviation number i
static const char *name_of(arena *a, const findings *f, const linear_report *r, int i) {
    const model *m = f->sys->model;
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
                    "the start belongs to no steady motion: %s is off by %.6g%s. This is the linear system "
                    "at one instant, and its eigenvalues say little",
                    name_of_rate(a, f, r), r->off, r->timed ? ", or the equations change with time" : "");
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

static void json_matrix(json *j, const linear_report *r) {
    int size = size_of(r);
    json_key(j, "matrix");
    json_open(j, '[');
    for (int i = 0; r->solved && i < size; i++) {
        json_open(j, '[');
        for (int k = 0; k < size; k++)
            json_number(j, r->matrix[(size_t)i * (size_t)size + (size_t)k]);
        json_close(j, ']');
    }
    json_close(j, ']');
}

static void json_eigenvalues(json *j, const linear_report *r) {
    json_key(j, "eigenvalues");
    json_open(j, '[');
    for (int i = 0; r->solved && i < size_of(r); i++) {
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
    json_names(&j, a, f, r);
    json_matrix(&j, r);
    json_eigenvalues(&j, r);
    json_modes(&j, r);
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

enum { SHOWN = 12, WIDTH = 13 }; // of the matrix

static void text_matrix(text *t, arena *a, const findings *f, const linear_report *r) {
    int size = size_of(r);
    if (size > SHOWN) {
        text_print(t, "  the matrix is %d by %d; the JSON has it\n", size, size);
        return;
    }
    text_print(t, "    %-12s", "");
    for (int k = 0; k < size; k++)
        text_print(t, " %*s", WIDTH, name_of(a, f, r, k));
    text_add(t, "\n");
    for (int i = 0; i < size; i++) {
        text_print(t, "    %-12s", arena_print(a, "(%s)'", name_of(a, f, r, i)));
        for (int k = 0; k < size; k++) // + 0: no negative zeros
            text_print(t, " %*.6g", WIDTH, r->matrix[(size_t)i * (size_t)size + (size_t)k] + 0.0);
        text_add(t, "\n");
    }
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

static void text_eigenvalues(text *t, const linear_report *r) {
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
    return f->sys->natural->scale[coordinate_of(r, i)];
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

static const char *state_of(const linear_report *r) {
    return r->resting  ? "the start, an equilibrium"
           : r->steady ? "the steady motion from the start"
                       : "the start, which belongs to no steady motion";
}

const char *linear_summary(arena *a, const findings *f, const linear_report *r) {
    text t;
    text_init(&t, a);
    if (!r->solved)
        return "";
    parts_title(&t, f, r->rank->rank, true);
    text_print(&t, "  linear about %s, at t = %.6g\n", state_of(r), r->time);
    if (size_of(r) == 0) {
        text_add(&t, "  the constraints hold everything: nothing can deviate\n");
        return text_string(&t);
    }
    text_print(&t, "  %d independent position%s, %d independent velocit%s; rates of their deviations:\n",
               r->positions, parts_plural(r->positions), r->velocities, r->velocities == 1 ? "y" : "ies");
    text_matrix(&t, a, f, r);
    text_eigenvalues(&t, r);
    text_modes(&t, a, f, r);
    return text_string(&t);
}
