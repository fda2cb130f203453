/* Holds what `trammel emit c` wrote against the library: accelerations, forces, outputs and controls at the
 * states of a run. Compiled with -DP=PREFIX -DN=PREFIX_IN_CAPITALS; run as
 *
 *     check MODEL STATES
 *
 * with TRAMMEL_KERNEL=tape, by which the library's functions are those of the C library. STATES has lines of
 * t, q and q' as the model's columns have them. Prints for each kind of number how many there were, how many
 * of them have the same bits, and the largest difference relative to the largest number of its kind at that
 * state. Half of the states are asked of a copy. */
#include HEADER

#include <trammel/trammel.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)
#define F(name)      PASTE(P, _##name)
#define C(name)      PASTE(N, _##name)

enum { ROWS = C(ROWS) > 0 ? C(ROWS) : 1, COORDINATES = C(COORDINATES), BODIES_MOST = 4000 };
enum { ACCELERATION, REACTION, MULTIPLIER, OUTPUT, CONTROL, KINDS };

typedef struct {
    const char *name;
    int count, same;
    double worst;
} kind;

static void hold(kind *k, const double *ours, const double *theirs, int count) {
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fabs(theirs[i]) > most ? fabs(theirs[i]) : most;
    for (int i = 0; i < count; i++) {
        int same = memcmp(&ours[i], &theirs[i], sizeof *ours) == 0 || (isnan(ours[i]) && isnan(theirs[i]));
        double off = same ? 0 : fabs(ours[i] - theirs[i]) / (most > 0 ? most : 1);
        k->count++;
        k->same += same;
        k->worst = !(off <= k->worst) ? off : k->worst;
    }
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

static void hold_forces(reference *r, F(state) * s, double t, const double *q, const double *v) {
    static double qdd[2][COORDINATES], reaction[2][COORDINATES], multiplier[2][ROWS];
    int ours = (int)F(acceleration)(s, t, q, v, qdd[0], reaction[0], multiplier[0]);
    int theirs = trm_acceleration(r->system, r->state, t, q, v, qdd[1], reaction[1], multiplier[1]);
    if (ours != C(OK) || theirs != TRM_OK)
        say("acceleration", trm_state_error(r->state));
    hold(&r->kinds[ACCELERATION], qdd[0], qdd[1], C(COORDINATES));
    hold(&r->kinds[REACTION], reaction[0], reaction[1], C(COORDINATES));
    hold(&r->kinds[MULTIPLIER], multiplier[0], multiplier[1], C(ROWS));
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

static void make_reference(reference *r, const char *path) {
    if (trm_model_read(path, NULL, 0, &r->model) != TRM_OK ||
        trm_system_create(r->model, &r->system) != TRM_OK || trm_state_create(r->system, &r->state) != TRM_OK)
        say(path, r->model ? trm_model_messages(r->model, 0) : "no memory");
    if (trm_system_coordinates(r->system) != C(COORDINATES) || trm_system_rows(r->system) != C(ROWS))
        say(path, "other coordinates or rows");
}

int main(int argc, char **argv) {
    static F(state) s, copy;
    static double q[COORDINATES], v[COORDINATES], body_q[BODIES_MOST], body_v[BODIES_MOST];
    static reference r = {.kinds = {{"acceleration", 0, 0, 0},
                                    {"reaction", 0, 0, 0},
                                    {"multiplier", 0, 0, 0},
                                    {"output", 0, 0, 0},
                                    {"control", 0, 0, 0}}};
    FILE *states = argc == 3 ? fopen(argv[2], "r") : NULL;
    double t;
    if (states == NULL)
        say("check MODEL STATES", "it needs both");
    make_reference(&r, argv[1]);
    int count = trm_model_coordinates(r.model);
    F(init)(&s);
    for (int k = 0; fscanf(states, "%lf", &t) == 1; k++) {
        for (int i = 0; i < 2 * count; i++)
            if (fscanf(states, "%lf", i < count ? &body_q[i] : &body_v[i - count]) != 1)
                say(argv[2], "a line is too short");
        trm_system_from_bodies(r.system, body_q, body_v, q, v);
        copy = s;
        F(state) *at = k % 2 ? &s : &copy;
        hold_forces(&r, at, t, q, v);
#ifdef HAS_OUTPUTS
        hold_outputs(&r, at, t, q, v);
#endif
#ifdef HAS_CONTROL
        hold_control(&r, at, t, q, v);
#endif
        s = *at;
    }
    fclose(states);
    for (int i = 0; i < KINDS; i++)
        if (r.kinds[i].count)
            printf("%s %d %d %.3g\n", r.kinds[i].name, r.kinds[i].count, r.kinds[i].same, r.kinds[i].worst);
    trm_state_free(r.state);
    trm_system_free(r.system);
    trm_model_free(r.model);
    return 0;
}
