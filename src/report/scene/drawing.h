/* A picture as marks on paper: paths, circles and texts, painted one after the other. Places are in units of
 * the model, y upwards; widths of lines in mm. */
#ifndef TRAMMEL_REPORT_SCENE_DRAWING_H
#define TRAMMEL_REPORT_SCENE_DRAWING_H

#include "report/scene/outlines.h"

typedef enum { MARK_PATH, MARK_CIRCLE, MARK_TEXT } mark_kind;

enum { NO_PAINT = -1 };

typedef struct {
    mark_kind kind;
    vec(point_list) loops; // of a path
    bool closed;           // and filled between its loops (even-odd)
    bool framed;           // the loops are in axes of their own, which are turned and stand at `at`
    double angle;
    point at; // of a circle its centre
    double radius;
    int fill, glow;      // 0xRRGGBB or NO_PAINT; glow: what it turns to where light falls on it
    int stroke;          // colour of its line
    double width, thick; // of the line: mm, and units of the model, which are added
    bool dashed;
    bool loose; // what of it does not fit may leave the picture
    const char *text;
} mark;

typedef struct {
    arena *arena;
    vec(mark) marks;
} drawing;

mark mark_new(mark_kind kind);
void mark_loop(arena *a, mark *m, const point *points, int count); // its points are copied
point mark_point(const mark *m, point p);                          // of a loop, where it stands

typedef struct {
    double left, right, bottom, top;
} frame;

frame frame_none(void);
void frame_add(frame *f, point p, double reach);
frame drawing_frame(const drawing *d); // about all marks that are not loose, without widths in mm
double frame_width(const frame *f);
double frame_height(const frame *f);

/* A drawing on a sheet of paper: scale in mm for a unit, and the place of the origin in mm from the left and
 * from the top. What leaves its rectangle is cut off. */
typedef struct {
    const drawing *drawing;
    double scale, x, y;
    double left, top, width, height;
    const char *caption; // below it, in its middle; NULL
} panel_of_scene;

typedef struct {
    double width, height; // mm
    panel_of_scene *panels;
    int count;
    const char *title; // what it shows, for who cannot see it
} sheet_of_scenes;

double panel_width_of(const panel_of_scene *p, const mark *m); // of a mark's line, mm

#endif
