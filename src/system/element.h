/* An instance of a shape, as a stage sees it: what its slots and targets are, and where its symbols stand in
 * the system's inputs. */
#ifndef TRAMMEL_SYSTEM_ELEMENT_H
#define TRAMMEL_SYSTEM_ELEMENT_H

#include "system/system.h"

typedef struct {
    const trm_system *sys;
    stage_kind stage;
    int number; // of the shape
    const shape *shape;
    const mech_shape *derived; // what the stage collects from
    int instance;
} element;

element element_of(const trm_system *s, stage_kind kind, int number); // the first instance of a shape

static inline int element_coordinate(const element *at, int slot) {
    return at->shape->slots.at[(size_t)at->instance * (size_t)at->shape->slot_count + (size_t)slot];
}

static inline int element_target(const element *at) {
    return at->shape->targets.at[at->instance];
}

int element_switch(const element *at, int index); // among all of the model
int element_result(const element *at, int index); // among the results of the model and the multipliers behind
int element_turn(const element *at, int index);   // among those of the model
double element_number(const element *at, int index);
int element_input(const element *at, sym_kind kind, int index); // place in x

/* The expression of an entry in this stage. */
expr element_expression(const element *at, const mech_entry *e);

#endif
