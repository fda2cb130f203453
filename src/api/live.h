/* Hands on: a motion that goes on piece by piece, with what a picture shows of it, while a point of the
 * picture is held by a spring, or led by hand where time stands. It is what the engine of the page offers;
 * programs have sessions and functions of their own for that. */
#ifndef TRAMMEL_API_LIVE_H
#define TRAMMEL_API_LIVE_H

#include <trammel/trammel.h>

typedef struct live live;

/* Where another one was that is to go on: positions and velocities (n), guesses for what is assembled anew.
 */
typedef struct {
    double time;
    const double *q, *v;
} live_state;

/* Of a model that was just read: functions of the host are added to it. The settings are those of a run; from
 * may be NULL: the start. *out is made also if it fails, for its messages; it is NULL only without memory. */
trm_status live_create(trm_model *m, const trm_run_def *def, const live_state *from, live **out);
void live_free(live *l);
const char *live_messages(live *l);

/* What there is to be drawn (report/page.h); the numbers of its tracks as they are now (live_width). */
const char *live_picture(const live *l);
int live_width(const live *l);
const float *live_tracks(const live *l);

/* What else is told. */
enum {
    LIVE_TIME,
    LIVE_ENERGY,   // T + V
    LIVE_RESIDUAL, // largest of all so far, as a part of what a constraint may be off
    LIVE_POINT,    // where the held point is: three numbers
    LIVE_FORCE = LIVE_POINT + 3,
    LIVE_NUMBERS = LIVE_FORCE + 3
};
const double *live_numbers(const live *l);
const double *live_q(const live *l); // (trm_model_coordinates) where it is, for live_state
const double *live_v(const live *l);

/* To a later time. What is not TRM_OK ends it; TRM_EXPECTATION_FAILED: a 'stop when' did. */
trm_status live_advance(live *l, double until);

/* What can be held. */
typedef enum {
    LIVE_DRAW,        // drawing i of the picture, so far on its way from one end to the other
    LIVE_DRAW_OFFSET, // drawing i, at an offset in its own axes
    LIVE_BODY         // the centre of body i
} live_what;
/* False if that does not move, or is none. time: in which a light thing follows the hand. */
int live_hold(live *l, live_what what, int i, double part, const double *offset, double time);
/* Where the hand is. */
void live_aim(live *l, const double *target);
/* The point goes there, as far as the constraints allow, while time stands. */
trm_status live_lead(live *l, const double *target);
void live_let_go(live *l);

#endif
