/* Searches along time, for whatever happens at an instant. */
#ifndef TRAMMEL_MOTION_SEARCH_H
#define TRAMMEL_MOTION_SEARCH_H

#include <stdbool.h>

typedef bool (*search_test)(void *context, double t);
typedef double (*search_value)(void *context, double t);

/* Something has happened at `to`, and not at `from`: the first number at which it has, by halving. Ends where
 * both are neighbours, or nearer than `least`. */
double search_border(search_test happened, void *context, double from, double to, double least);

/* Three instants, at the middle one of which a function f is lowest. */
typedef struct {
    double t[3], f[3];
} search_dip;

/* Narrows it, by the lowest points of parabolas, or golden sections where these lead nowhere. Ends when f is
 * at most `enough`, after `most` evaluations, or when the three are nearer than `close`; and if `hopeless` is
 * given, when f cannot come to enough: a function without points of inflexion is above the lines through its
 * middle and its ends. */
void search_least(search_dip *d, search_value f, void *context, double enough, bool hopeless, double close,
                  int most);

#endif
