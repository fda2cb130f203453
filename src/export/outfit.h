/* What an emitted program has: which kernels with which of their outputs, what stands where in its memory,
 * and which parts of runtime.in it needs. */
#ifndef TRAMMEL_EXPORT_OUTFIT_H
#define TRAMMEL_EXPORT_OUTFIT_H

#include "code/ctext.h"
#include "export/emit.h"

typedef struct {
    stage_kind kind; // in the program
    const char *name;
    const kernel *kernel; // NULL: all of y is 0
    const int *scatter;   // as in its group
    int *output;          // (outputs) places in the program's y; -1
    const int *input;     // (inputs) places in the program's x
    bool shown;           // of the bodies, in the program of a tree form
    int size;             // of y
    int y_at, w_at;       // in the memory
    ctext_size printed;
} outfit_stage;

/* Where things are in the memory, in numbers. */
typedef struct {
    int x, qdd, multiplier, reaction, control, back, forward, force, lambda, scratch, own_A, own_b, step,
        shown, solvers, size;
} outfit_places;

typedef struct {
    arena *arena;
    const trm_system *sys;
    trm_state *st; // of sys, at the start
    const emit_def *def;
    vec(outfit_stage) stages;
    int *x_of;     // (x_number) places in the program's x; -1: nothing reads it
    int *shown_x;  // (x_number of sys->full) the same of the bodies
    bool *reads;   // (x_number)
    bool *results; // (results of the model shown) that something reads
    int x_size, shown_size;
    int power_at, direct_at; // in y of STAGE_DYNAMICS
    bool general, direct, solution, accelerations, gaussian, residuals, repeats, power;
    outfit_places at;
} outfit;

int outfit_parameters(const outfit *p);               // those that may be changed
const char *outfit_parameter(const outfit *p, int i); // a name, of all of them
const model *outfit_shown(const outfit *p);           // the model whose outputs are shown
outfit *outfit_new(arena *a, const trm_system *sys, trm_state *st, const emit_def *d);
const outfit_stage *outfit_find(const outfit *p, stage_kind kind); // NULL: there is none
/* Once the kernels are printed. */
void outfit_places_find(outfit *p);
bool outfit_word(const outfit *p, const char *word); // of runtime.in

#endif
