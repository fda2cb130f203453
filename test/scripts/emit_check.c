/* Holds what `trammel emit c` wrote against the library: accelerations, forces, outputs and controls at the
 * states of a run. Compiled with -DP=PREFIX -DN=PREFIX_IN_CAPITALS; run as
 *
 *     check MODEL STATES EVERY
 *
 * with TRAMMEL_KERNEL=tape, by which the library's functions are those of the C library. STATES has lines of
 * t, q and q' as the model's columns have them, with -DHAS_RUN the outputs of that run behind. Prints for
 * each kind of number how many there were, how many of them have the same bits, and the largest difference
 * relative to the largest number of its kind at that state; where all are below LITTLE of the largest at any
 * state, as at rest, relative to that. Half of the states are asked of a copy.
 *
 * An object counts the turns of joints, trm_acceleration counts them from the start. So with -DHAS_TURNS the
 * library is held against a new object at each state, or fails as that does, more than a turn away. With
 * -DHAS_RUN one that goes along must give the outputs of the run. The library is asked at one in EVERY
 * states. With -DHAS_JACOBIAN the derivatives of q'' are held against differences of q'' instead, once more
 * extrapolated, and those at the start are printed behind, as JSON. */
#include HEADER

#include <trammel/trammel.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)
#define F(name)      PASTE(P, _##name)
#define C(name)      PASTE(N, _##name)

enum { ROWS = C(ROWS) > 0 ? C(ROWS) : 1, COORDINATES = C(COORDINATES), BODIES_MOST = 4000 };
enum { ACCELERATION, REACTION, MULTIPLIER, OUTPUT, CONTROL, RUN, BY_Q, BY_V, KINDS, CALLS_MOST = 4000 };
static const double LITTLE = 1e-12;

typedef struct {
    const char *name;
    int count, same, calls;
    double most[CALLS_MOST], off[CALLS_MOST]; // in each call
} kind;

static void hold(kind *k, const double *ours, const double *theirs, int count) {
    double most = 0, worst = 0;
    for (int i = 0; i < count; i++)
        most = fabs(theirs[i]) > most ? fabs(theirs[i]) : most;
    for (int i = 0; i < count; i++) {
        int same = memcmp(&ours[i], &theirs[i], sizeof *ours) == 0 || (isnan(ours[i]) && isnan(theirs[i]));
        double off = same ? 0 : fabs(ours[i] - theirs[i]);
        k->count++;
        k->same += same;
        worst = !(off <= worst) ? off : worst;
    }
    if (k->calls < CALLS_MOST) {
        k->most[k->calls] = most;
        k->off[k->calls++] = worst;
    }
}

static double worst_of(const kind *k) {
    double largest = 0, worst = 0;
    for (int i = 0; i < k->calls; i++)
        largest = k->most[i] > largest ? k->most[i] : largest;
    for (int i = 0; i < k->calls; i++) {
        double size = k->most[i] > LITTLE * largest ? k->most[i] : LITTLE * largest;
        double off = k->off[i] / (size > 0 ? size : 1);
        worst = !(off <= worst) ? off : worst;
    }
    return worst;
}

static void say(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(2);
}

typedef struct {
    trm_model *model;
    trm_system *system;
    trm_state *state;
    kind kinds[KINDS];
} reference;

// as the library's state counts turns
static F(state) * fresh(F(state) * s) {
#ifdef HAS_TURNS
    F(init)(s);
#endif
    return s;
}

// false: both fail
static bool hold_forces(reference *r, F(state) * s, double t, const double *q, const double *v) {
    static double qdd[2][COORDINATES], reaction[2][COORDINATES], multiplier[2][ROWS];
    int ours = (int)F(acceleration)(s, t, q, v, qdd[0], reaction[0], multiplier[0]);
    int theirs = trm_acceleration(r->system, r->state, t, q, v, qdd[1], reaction[1], multiplier[1]);
#ifdef HAS_TURNS
    if (ours != C(OK) && theirs != TRM_OK)
        return false;
#endif
    if (ours != C(OK) || theirs != TRM_OK)
        say("acceleration", trm_state_error(r->state));
    hold(&r->kinds[ACCELERATION], qdd[0], qdd[1], C(COORDINATES));
    hold(&r->kinds[REACTION], reaction[0], reaction[1], C(COORDINATES));
    hold(&r->kinds[MULTIPLIER], multiplier[0], multiplier[1], C(ROWS));
    return true;
}

#ifdef HAS_OUTPUTS
static void hold_outputs(reference *r, F(state) * s, double t, const double *q, const double *v) {
    static double output[2][C(OUTPUTS)];
    if (F(outputs)(s, t, q, v, output[0]) != C(OK) ||
        trm_state_outputs(r->system, r->state, output[1]) != TRM_OK)
        say("outputs", trm_state_error(r->state));
    hold(&r->kinds[OUTPUT], output[0], output[1], C(OUTPUTS));
}
#endif

#ifdef HAS_CONTROL
static void hold_control(reference *r, F(state) * s, double t, const double *q, const double *v) {
    static double control[2][COORDINATES], back[2][COORDINATES], forward[2][COORDINATES];
#ifdef HAS_PARTS
    int ours = (int)F(control)(s, t, q, v, control[0], back[0], forward[0]);
#else
    int ours = (int)F(control)(s, t, q, v, control[0], NULL, NULL);
#endif
    int theirs = trm_control(r->system, r->state, t, q, v, control[1], back[1], forward[1]);
    if (ours != C(OK) || theirs != TRM_OK)
        say("control", trm_state_error(r->state));
    hold(&r->kinds[CONTROL], control[0], control[1], C(COORDINATES));
#ifdef HAS_PARTS
    hold(&r->kinds[CONTROL], back[0], back[1], C(COORDINATES));
    hold(&r->kinds[CONTROL], forward[0], forward[1], C(COORDINATES));
#endif
}
#endif

#ifdef HAS_JACOBIAN
static void accelerate(F(state) * s, double t, const double *y, double *qdd) {
    if (F(acceleration)(s, t, y, y + COORDINATES, qdd, NULL, NULL) != C(OK))
        say("acceleration", "not beside a state of the run");
}

// (q''(y + h e_k) - q''(y - h e_k)) / 2h
static void slope(F(state) * s, double t, double *y, int k, double h, double *out) {
    double plus[COORDINATES], minus[COORDINATES], at = y[k];
    y[k] = at + h;
    accelerate(s, t, y, plus);
    y[k] = at - h;
    accelerate(s, t, y, minus);
    y[k] = at;
    for (int i = 0; i < COORDINATES; i++)
        out[i] = (plus[i] - minus[i]) / (2 * h);
}

static void hold_jacobian(reference *r, F(state) * s, double t, const double *q, const double *v) {
    static double ours[2][COORDINATES * COORDINATES], theirs[2][COORDINATES * COORDINATES];
    double y[2 * COORDINATES], once[COORDINATES], twice[COORDINATES], qdd[COORDINATES];
    const double STEP = 1e-3;
    memcpy(y, q, sizeof y / 2);
    memcpy(y + COORDINATES, v, sizeof y / 2);
    for (int k = 0; k < 2 * COORDINATES; k++) {
        slope(s, t, y, k, STEP, once);
        slope(s, t, y, k, STEP / 2, twice);
        for (int i = 0; i < COORDINATES; i++)
            theirs[k / COORDINATES][i * COORDINATES + k % COORDINATES] = (4 * twice[i] - once[i]) / 3;
    }
    accelerate(s, t, y, qdd);
    if (F(jacobian)(s, ours[0], ours[1]) != C(OK))
        say("jacobian", "not finite");
    hold(&r->kinds[BY_Q], ours[0], theirs[0], COORDINATES * COORDINATES);
    hold(&r->kinds[BY_V], ours[1], theirs[1], COORDINATES * COORDINATES);
}

static void print_jacobian(F(state) * s) {
    static double q[COORDINATES], v[COORDINATES], qdd[COORDINATES], by[2][COORDINATES * COORDINATES];
    F(start)(s, q, v);
    F(acceleration)(s, 0, q, v, qdd, NULL, NULL);
    F(jacobian)(s, by[0], by[1]);
    for (int i = 0; i < COORDINATES; i++)
        for (int j = 0; j < 2 * COORDINATES; j++)
            printf("%s%.17g%s", i + j ? ", " : "[", by[j / COORDINATES][i * COORDINATES + j % COORDINATES],
                   i == COORDINATES - 1 && j == 2 * COORDINATES - 1 ? "]\n" : "");
}
#endif

#ifdef HAS_RUN
static void hold_run(reference *r, F(state) * s, double t, const double *q, const double *v, FILE *states) {
    static double output[2][C(OUTPUTS)], qdd[COORDINATES];
    for (int i = 0; i < C(OUTPUTS); i++)
        if (fscanf(states, "%lf", &output[1][i]) != 1)
            say("run", "a line is too short");
    if (F(acceleration)(s, t, q, v, qdd, NULL, NULL) != C(OK) || F(outputs)(s, t, q, v, output[0]) != C(OK))
        say("run", "no acceleration or outputs where the run has them");
    hold(&r->kinds[RUN], output[0], output[1], C(OUTPUTS));
}
#endif

static void make_reference(reference *r, const char *path) {
    if (trm_model_read(path, NULL, 0, &r->model) != TRM_OK ||
        trm_system_create(r->model, &r->system) != TRM_OK || trm_state_create(r->system, &r->state) != TRM_OK)
        say(path, r->model ? trm_model_messages(r->model, 0) : "no memory");
    if (trm_system_coordinates(r->system) != C(COORDINATES) || trm_system_rows(r->system) != C(ROWS))
        say(path, "other coordinates or rows");
}

int main(int argc, char **argv) {
    static F(state) s, copy, along;
    static double q[COORDINATES], v[COORDINATES], body_q[BODIES_MOST], body_v[BODIES_MOST];
    static reference r = {.kinds = {{"acceleration"},
                                    {"reaction"},
                                    {"multiplier"},
                                    {"output"},
                                    {"control"},
                                    {"run"},
                                    {"by_q"},
                                    {"by_v"}}};
    FILE *states = argc == 4 ? fopen(argv[2], "r") : NULL;
    double t;
    if (states == NULL)
        say("check MODEL STATES EVERY", "it needs all three");
    make_reference(&r, argv[1]);
    int count = trm_model_coordinates(r.model), every = atoi(argv[3]);
    F(init)(&s);
    F(init)(&along);
    for (int k = 0; fscanf(states, "%lf", &t) == 1; k++) {
        for (int i = 0; i < 2 * count; i++)
            if (fscanf(states, "%lf", i < count ? &body_q[i] : &body_v[i - count]) != 1)
                say(argv[2], "a line is too short");
        trm_system_from_bodies(r.system, body_q, body_v, q, v);
#ifdef HAS_RUN
        hold_run(&r, &along, t, q, v, states);
#endif
        if (k % every)
            continue;
#ifdef HAS_JACOBIAN
        hold_jacobian(&r, &s, t, q, v);
        continue;
#endif
        copy = s;
        F(state) *at = k / every % 2 ? &s : &copy;
        if (hold_forces(&r, at, t, q, v)) {
#ifdef HAS_OUTPUTS
            hold_outputs(&r, fresh(at), t, q, v);
#endif
#ifdef HAS_CONTROL
            hold_control(&r, fresh(at), t, q, v);
#endif
        }
        s = *fresh(at);
    }
    fclose(states);
    for (int i = 0; i < KINDS; i++)
        if (r.kinds[i].count)
            printf("%s %d %d %.3g\n", r.kinds[i].name, r.kinds[i].count, r.kinds[i].same,
                   worst_of(&r.kinds[i]));
#ifdef HAS_JACOBIAN
    print_jacobian(&s);
#endif
    trm_state_free(r.state);
    trm_system_free(r.system);
    trm_model_free(r.model);
    return 0;
}
