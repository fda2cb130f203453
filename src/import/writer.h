/* The text of a model as it is written: what model.c and the files beside it share. */
#ifndef TRAMMEL_IMPORT_WRITER_H
#define TRAMMEL_IMPORT_WRITER_H

#include "import/robot.h"

#include "base/text.h"

typedef struct {
    arena *arena;
    const robot *robot;
    text out;
    double size;         // the largest coordinate, for rounding
    const char *g;       // the parameter of gravity
    const char *loop[2]; // variables of loops
    const char *by;      // "=", or "~" where places are guesses
    bool apart;          // the robot is in another folder than the model
    const char *path;    // of the robot
    int *next;           // of a link: the next one of its body, or -1
} writer;

// naming.c
void write_choose_names(writer *w, robot *r);

// writer.c
const char *write_shown(writer *w,
                        const char *name);         // a text of the file in a comment or a title, on one line
double write_rounded(double number, double scale); // without what rounding leaves at its sixteenth digit
void write_number(writer *w, double number, double scale);
void write_numbers(writer *w, const double *values, int count, double scale);
void write_vector(writer *w, vector v, double scale);
void write_angle(writer *w, double number);
bool write_is_zero(vector v, double scale);
void write_point(writer *w, const robot_link *body, vector p); // in the body's frame; NULL: in the world
const char *write_position(writer *w, const robot_joint *j);   // angle(J) or displacement(J)
const robot_link *write_body_of(const robot *r, int link);     // NULL for the ground
const char *write_body_name(const robot *r, int link);
bool write_connects(const robot *r, const robot_joint *j); // two bodies, not one with itself

// actions.c
void write_actions(writer *w);   // springs, dampers, friction, rotors, couplings, threads, what lifts
void write_actuators(writer *w); // lines to be taken out of comments

// drawing.c
void write_drawing(writer *w);

#endif
