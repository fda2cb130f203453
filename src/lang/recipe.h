/* How the numbers of a model follow from what is set: the operations on known numbers in the order in which
 * they were done while the model was read, so that doing them again with other values gives, to the bit, the
 * numbers that reading with these would give. What was decided by looking at a number is a pin: where it
 * would come out another way the model has to be read.
 *
 * A step is counted from 1; 0 is a number that no setting changes. A number that is taken out of a scalar and
 * goes elsewhere than to recipe_keeps or a shape's table has to be pinned: elab_peek and elab_asks do so. */
#ifndef TRAMMEL_LANG_RECIPE_H
#define TRAMMEL_LANG_RECIPE_H

#include "base/arena.h"
#include "expr/ops.h"

#include <stdbool.h>

typedef struct recipes recipes;

typedef enum {
    PIN_SAME,   // the very number
    PIN_FINITE, // that it is finite
    PIN_PICTURE // the very number, but only pictures show it
} recipe_pin;

recipes *recipes_new(arena *a);

/* A number that is set, the i-th of the settings; one that an operation gives. */
int recipe_set(recipes *r, int setting, double number);
int recipe_step(recipes *r, op_code op, const int *args, const double *numbers, double number);
/* It is to stay as it is, in the sense of the pin. 0 is passed over, and so is r = NULL. */
void recipe_pins(recipes *r, int step, recipe_pin pin);
/* This place holds it from here on. */
void recipe_keeps(recipes *r, int step, double *at);
/* Something else that has to hold of the numbers there are then. */
void recipe_checks(recipes *r, bool (*holds)(const recipes *r, const void *object), const void *object);
double recipe_number(const recipes *r, int step);

/* Other values of what is set (settings): whether all that is pinned stays. Then numbers are as with these,
 * and are in their places after recipes_put; recipes_back undoes both. */
bool recipes_try(recipes *r, const double *set);
void recipes_put(const recipes *r);
void recipes_back(recipes *r);
/* Whether pictures would be those of other values. */
bool recipes_pictures_old(const recipes *r);

#endif
