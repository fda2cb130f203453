/* Where things are at each sample of a run: points, turns and lengths as tracks. Things that move alike share
 * one, and what does not move is a few numbers. Points of the plane have two numbers. */
#ifndef TRAMMEL_REPORT_SCENE_TRACKS_H
#define TRAMMEL_REPORT_SCENE_TRACKS_H

#include "base/map.h"
#include "mech/rotation.h"
#include "report/record.h"

typedef struct {
    int width;       // numbers of a sample
    bool moves;      // else it is `still`
    const float *at; // (samples x width)
    double still[4];
    // what it is made of
    model_views from;
    bool turn;        // a turn, of a quaternion or an angle
    quaternion first; // of a turn: the fixed one before it
} track;

typedef struct {
    arena *arena;
    const record *record;
    vec(track) all;
    map found; // hash -> its number
} tracks;

void tracks_init(tracks *t, arena *a, const record *r);
/* All give the number of a track. NO_TRACK where there are no views. */
enum { NO_TRACK = -1 };
int tracks_of(tracks *t, model_views v, int width); // the views as they are; what is missing is 0
int tracks_turn(tracks *t, model_views v);          // a quaternion, or an angle about z
/* A turn after a fixed one: both together. */
int tracks_turned(tracks *t, model_views v, quaternion first);
int tracks_still(tracks *t, const double *at, int width); // numbers that stay
quaternion tracks_turn_at(const tracks *t, model_views v, long i);
vector tracks_point_at(const tracks *t, model_views v, long i);

/* What it is at a sample of now (width), which may be another than when it was made. */
void track_make(const tracks *t, int number, long i, double *out);

/* At time of the run, between samples: on a sample it is the sample; else the cubic through both with the
 * slopes of their neighbours (Catmull-Rom). */
typedef struct {
    long sample;
    double part; // of the way to the next
} instant;
instant instant_at(const record *r, double time);
void track_read(const tracks *t, int number, instant when, double *out);
vector track_point(const tracks *t, int number, instant when);
quaternion track_turn(const tracks *t, int number, instant when); // without a track: none

#endif
