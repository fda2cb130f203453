/* The quantities that each stage has in its y, one block of numbers after the other: the table in
 * quantities.c is all that is said about their places. */
#ifndef TRAMMEL_SYSTEM_QUANTITIES_H
#define TRAMMEL_SYSTEM_QUANTITIES_H

#include "system/element.h"

/* Where the blocks begin: known when the patterns of M and A are. */
struct system_layout {
    signed char line[STAGES][MECH_QUANTITIES]; // of the table, counted from 1; 0: the stage has it not
    int start[STAGES][MECH_QUANTITIES];
    int end[STAGES]; // of all blocks
};
system_layout *quantities_lay_out(arena *a, const trm_system *s);

/* Where the entry goes in the y of the element's stage; -1 if it has no place there. */
int quantities_place(const element *at, const mech_entry *e);

#endif
