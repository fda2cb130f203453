/* The data of a page: everything that a report or a view shows of a run, as one JSON object. Its format is
 * described in docs/page-data.md. */
#ifndef TRAMMEL_REPORT_PAGE_H
#define TRAMMEL_REPORT_PAGE_H

#include "report/findings.h"
#include "report/scene/scene.h"

typedef struct {
    const char *file;      // name of the model's file
    const char *text;      // of the model
    const char *messages;  // warnings and errors as a terminal shows them
    const char *equations; // as MathML; NULL: they are left out
    const findings *findings;
    const run_report *run;
    const record *record;
    // with which it can be run again: --set and the other options, as they were given
    const model_setting *settings, *options;
    int setting_count, option_count;
} page_content;

/* Safe in a <script> element, whatever the texts hold. */
const char *page_json(arena *a, const page_content *c);

/* What a page must know to run a model: of the content the file, the text, settings and options. */
const char *page_model(arena *a, const page_content *c, const model *m);

/* What there is to be drawn, of a motion that goes on: the fields of a page that draw, with a track for all
 * in which the samples kept in r differ. */
typedef struct {
    const char *json;
    scene scene;
    const int *put; // (count) tracks of the scene, in the order of the page's
    int count;
    int width; // numbers of all of these
} picture;
picture *picture_new(arena *a, const record *r);
/* The numbers of these tracks (width) at the last sample of another record. */
void picture_follow(picture *p, const record *r, float *out);

/* A page's data where there was no run: the messages, and what is known of the model, which may be NULL. */
const char *page_error(arena *a, const char *file, const char *written, const model *m, const char *messages);

#endif
