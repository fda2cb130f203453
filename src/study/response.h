/* The linear system with inputs and outputs, x' = A x + B u, y = C x + D u, in states that have names people
 * know: coordinates, angles and displacements of joints, turns of bodies about the axes of space; no
 * components of quaternions. */
#ifndef TRAMMEL_STUDY_RESPONSE_H
#define TRAMMEL_STUDY_RESPONSE_H

#include "study/chart.h"
#include "study/zeros.h"

typedef enum {
    PORT_FORCE, // on a coordinate, or along the change of an output
    PORT_PARAM,
    PORT_DRIVE // what a row holds moves: the input is the acceleration of that, it and its rate are states
} port_kind;

typedef struct {
    port_kind kind;
    const char *name;
    int of;     // PORT_FORCE: the coordinate, or -1; PORT_PARAM: which; PORT_DRIVE: the row
    int output; // PORT_FORCE: that whose rate, times the force, is its power; PORT_DRIVE: that which is
                // driven
} input_port;

typedef struct {
    int input_count, output_count;
    input_port *inputs;
    int *outputs; // of the model
    const char **output_names;
    /* The system with another value of a parameter; NULL if there is none. */
    trm_system *(*with_param)(void *context, int param, double value);
    void *context;
} ports;

typedef struct {
    int states, inputs, outputs;
    const char **state_names, **input_names, **output_names;
    double *A, *B, *C, *D; // (states x states), (states x inputs), (outputs x states), (outputs x inputs)
    /* Where states with names stand for the independent coordinates d, x = T d with d' = plain d; NULL
     * otherwise. */
    double *plain, *T;          // (states x states)
    double *unit, *sizes;       // (states) what is usual of each of d, of x
    transfer_zeros *zeros;      // (outputs x inputs)
    const char *failure, *hint; // NULL: none
} response;

typedef struct {
    arena *arena;
    const trm_system *sys;
    trm_state *st;
    const slopes_of *of;
    const slopes *s; // there
    const double *S; // of the steady motion
    bool steady;     // there is one
    double t;
    const double *q, *v;
    const ports *ports;
} response_problem;

response *response_find(const response_problem *p);

/* The rate of component `where` of z = (q, v) for a deviation dz: (Df - DX) dz. Natural units. */
double response_rate(const slopes *s, const double *S, int n, const double *dz, int where);

#endif
