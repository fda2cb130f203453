/* What is to be drawn of a run, and where it is: items made of the model's drawings and of how its joints
 * look. The page and all pictures draw the same scene. */
#ifndef TRAMMEL_REPORT_SCENE_SCENE_H
#define TRAMMEL_REPORT_SCENE_SCENE_H

#include "report/scene/meshes.h"
#include "report/scene/outlines.h"
#include "report/scene/tracks.h"

/* Kinds beyond those of drawings (draw_kind). */
enum { ITEM_OUTLINE = DRAW_KINDS, ITEM_PIN, ITEM_KINDS }; // an outline; a pin of the plane

/* Colours are numbers of a palette from 0 on, and these. */
enum { COLOUR_INK = -1, COLOUR_METAL = -1, COLOUR_GROUND = -3 };

typedef struct {
    int kind;
    const char *label, *text; // text: of DRAW_TEXT
    const char *of;           // the body or particle all of whose it is; NULL: it is of none, or of several
    const char *joint;        // the kind of joint that it is of; NULL: of a drawing
    int at, to, turn, radii;  // tracks; to: a second point, of an arrow the vector; radii: of a circle
    double size[3]; // edges of a box, half axes, radius and height of a cylinder, factors of a mesh, radius
                    // of the rest; 0: not given
    vector offset;  // from its point, in its own axes
    int outline;    // of ITEM_OUTLINE
    int mesh;       // of DRAW_MESH
    double reach;   // of a mesh, from its point
    int colour;     // or that of a model_draw, from COLOUR_OWN on
    double layer;   // in the plane: what is above what; 0: as its kind has it
    bool named;     // its name stands here
} item;

typedef struct {
    arena *arena;
    const model *model;
    const record *record;
    bool space, upright; // else the plane; y points up
    tracks tracks;
    vec(item) items;
    vec(outline) outlines;
    vec(mesh_shape) meshes;
    double low[3], high[3]; // all that is drawn, over all of the run
    double extent;          // a diagonal of it, in whatever turn
    double scale; // the largest diagonal at one instant, but for traces: marks and arrows are sized by it
    bool far;     // its parts are small where all of its way is seen
    bool travels; // that, and it does not come back
} scene;

/* r keeps drawings (RECORD_PAGE) and has samples. Nothing is drawn of a model without drawings and joints: no
 * items then. */
void scene_make(scene *s, arena *a, const record *r);
bool scene_is_space(const model *m);
/* How far an item reaches from its point. */
double scene_reach(const scene *s, const item *i);
const char *scene_kind(int kind); // its name
/* Where the moving things are, on the whole: what a view that follows them keeps in its middle. */
vector scene_centre(const scene *s, instant when);
int scene_add_outline(scene *s, outline o); // its number: outlines that are alike are one

// ---- glyphs.c

/* Adds what joints look like, sized by the scene so far: pins with their forks, ball sockets, crosses, guides
 * with sliding blocks, wheels with spokes, gears whose teeth mesh, racks, and what holds them to the ground.
 * Marks where joints are go, and so does what stands for a wheel. */
void glyphs_add(scene *s, double scale);

// ---- ground.c

/* A pin of the plane on hatched ground, or a post on a foot, at a track: `as` says of what. u: a small
 * length. */
void ground_support(scene *s, item as, double u);
/* Supports of rods among the first `known` items that end at a fixed point, and a base under the ground's
 * joints. */
void ground_add(scene *s, int known, double u);

#endif
