/* What a model text says, with names resolved, parameters evaluated and loops unrolled into tables.
 *
 * A shape is an expression over slots; its instances are rows of tables that say which coordinate each slot
 * is and which numbers it takes. Statements of one form in a loop are one shape, however often the loop runs:
 * only the tables grow. Within a shape's expressions SYM_P, SYM_V, SYM_A, SYM_NUMBER, SYM_RESULT and SYM_TURN
 * count its own slots, SYM_PARAM counts the parameters of the model. */
#ifndef TRAMMEL_LANG_MODEL_H
#define TRAMMEL_LANG_MODEL_H

#include "base/diag.h"
#include "base/map.h"
#include "base/names.h"
#include "expr/expr.h"

typedef enum {
    SHAPE_KINETIC,
    SHAPE_POTENTIAL,
    SHAPE_DISSIPATION,
    SHAPE_MASS,      // the entry of M of slot 0 with itself
    SHAPE_MASS_PAIR, // the two entries of M of slot 0 with slot 1
    SHAPE_FORCE,     // on the coordinate in slot 0
    SHAPE_ACTUATOR,  // target: actuator; VALUE is its effort, RATE the velocity along which it acts
    SHAPE_NONIDEAL,  // on the coordinate in slot 0
    SHAPE_QUASI,     // target: quasi-velocity
    SHAPE_ROW,       // target: row; a scalar equation VALUE = 0 of a constraint or control
    SHAPE_OUTPUT,    // target: output
    SHAPE_EXPECT,    // target: expectation; VALUE is the condition, MARGIN by how much it holds
    SHAPE_STOP,      // target: stop; VALUE is the condition, MARGIN and REST as stop_kind says
    SHAPE_START,     // target: number of the start(...)
    SHAPE_BEGIN,     // target: entry of begins; VALUE = 0 is what it asks of the start
    SHAPE_TURN,      // target: number of the turn, whose new value VALUE is
    SHAPE_FRICTION,  // target: friction; VALUE is its coefficient, STATIC that of rest
    SHAPE_VIEW,      // target: view; a number that pictures show
    SHAPE_OVER,      // target: over; of a condition MARGIN and REST are as of a stop
    SHAPE_KINDS
} shape_kind;

/* PART_WEIGHT is the row's own weight; behind it stand those that it shares with the next rows of its
 * constraint: where there are any, these have all of them. */
enum { PART_VALUE, PART_DAMPING, PART_STIFFNESS, PART_WEIGHT, WEIGHTS_SHARED = 3 };
enum { PART_SHARED = PART_WEIGHT + 1, SHAPE_PARTS = PART_SHARED + WEIGHTS_SHARED };
enum { PART_MARGIN = PART_DAMPING, PART_REST = PART_STIFFNESS, PART_STATIC = PART_DAMPING };
enum { PART_RATE = PART_DAMPING };

typedef struct {
    shape_kind kind;
    expr part[SHAPE_PARTS]; // EXPR_NONE where there is none
    place at;               // of the first instance, for messages
    int slot_count, number_count, result_count, turn_count, target_count;
    bool on_forces;      // among its results are reactions or multipliers
    bool given;          // what it adds stands in its results as it is, see mech/supply.c
    int count;           // instances; the tables hold that many rows
    vec(int) slots;      // (count x slot_count) coordinates
    vec(double) numbers; // (count x number_count)
    vec(int) steps;      // (the same) how these follow from what is set, see recipe.h; none without recipes
    vec(int) results;    // (count x result_count) entries of model.results
    vec(int) turns;      // (count x turn_count) entries of model.turns
    vec(int) targets;    // (count x target_count)
} shape;

/* A name with an index where it has one. */
typedef struct {
    int name;
    int index;
    const char *part; // "x" of tip.x, or NULL
    const char *call; // "angle" of angle(J), or NULL
    bool indexed;
    bool rate;    // of angle(J)'
    bool freedom; // of a joint, an output that it has unasked: angle(J), J.slide1
} label;

/* Where coordinates are declared: those from `first` on, up to the next declaration. */
typedef struct {
    int first;
    place at;
} model_declaration;

typedef struct {
    label label;
    double value;
    int step;        // how that follows from what is set, see recipe.h
    place at;        // of what gives its value
    bool structural; // bounds, indices or conditions that are decided when a model is read depend on it
    bool counts;     // bounds or indices do
    bool derived;    // it is made of other parameters
} model_param;

typedef struct {
    label label;
    int first_row, row_count;
    place at;
    bool control;
    bool stick; // its rows are the slip velocity of a friction: they hold while it sticks
} model_constraint;

typedef struct {
    int constraint;
    const char *part; // as in a label
    int shape, instance;
} model_row;

/* Friction on a constraint: N is the norm of the force of its rows on some coordinates, and the rows of
 * `stick` are the slip velocity, each component one. */
typedef struct {
    int constraint;
    int first, count;   // rows that press
    const int *pressed; // (pressed_count) coordinates
    int pressed_count;
    int stick_first, stick_count; // rows
    place at;
} model_friction;

/* What acts along a freedom of a joint, on its second body and the opposite on its first: torque J = e. */
typedef struct {
    label label; // torque(J), force(J.slide1)
    int part;    // number of the joint among the parts
    bool torque;
    int freedom;         // which of those that the joint turns about, or slides along
    const char *written; // what it exerts, with the values of loop variables; several statements added
} model_actuator;

typedef struct {
    const char *text;
    bool always;
    place at;
} model_expect;

/* What kind of condition ends a run. An equality, a == b or a == b and REST, is met where the margin b - a
 * changes its sign. One of inequalities has a margin that is > 0 where it is true and < 0 where it is not.
 * Any other has none. */
typedef enum { STOP_OTHER, STOP_INEQUALITY, STOP_EQUALITY } stop_kind;

typedef struct {
    const char *text; // with the values of loop variables
    place at;
    stop_kind kind;
} model_stop;

typedef enum {
    RESULT_KINETIC,
    RESULT_POTENTIAL,
    RESULT_ENERGY,
    RESULT_JACOBI,
    RESULT_GAUSSIAN,
    RESULT_RANK,
    RESULT_MULTIPLIER, // first: row
    RESULT_REACTION,   // coordinate
    RESULT_QUASI,      // first: quasi-velocity, whose component of S^c it is
    RESULT_SHARE,      // coordinate, rows first .. first + count - 1
    RESULT_ACTIVE,     // coordinate: the force on it that is given, Q; what is not ideal is of the reaction
    RESULT_CONTROL,    // coordinate
    RESULT_FEEDBACK,   // coordinate
    RESULT_FEEDFORWARD,
    RESULT_POWER, // rows first .. first + count - 1
    RESULT_POWER_NONIDEAL,
    RESULT_WORK,       // rows first .. first + count - 1
    RESULT_WORK_FORCE, // coordinate
    RESULT_WORK_SHAPE, // first: kind of shape
    RESULT_WORK_JOINT, // first: part whose actuators are meant
    RESULT_POWER_JOINT,
    RESULT_START, // first: which start(...)
    RESULT_OVER,  // first: which result over the run
    RESULT_GIVEN  // by a function of the host: model_supply
} result_kind;

typedef struct {
    result_kind kind;
    int coordinate, first, count;
} model_result;

/* Results over the run: maximum(e), integral(e), duration(c), first(c) ... of the motion up to now. */
typedef enum {
    OVER_MAXIMUM,
    OVER_MINIMUM,
    OVER_MEAN,
    OVER_INTEGRAL,
    OVER_DURATION, // from here on of a condition
    OVER_FIRST,
    OVER_KINDS
} over_kind;

typedef struct {
    over_kind kind;
    const char *text;    // as written, with the values of loop variables
    stop_kind condition; // of its condition
    int shape, instance;
} model_over;

/* One that is told at the end of a run: an output that is made of them, or one that stands elsewhere. */
typedef struct {
    const char *name;
    int over, output; // over: -1 where the output is made of several, or of more; output: -1 if it is none
} model_told;

/* Numbers that a function of the host gives at every state, see mech/supply.h: results from `first` on. */
typedef enum {
    SUPPLY_MASS,     // M (n x n)
    SUPPLY_FORCE,    // Q (n)
    SUPPLY_ROWS,     // A (m x n), b (m) of its rows
    SUPPLY_NONIDEAL, // C (n)
    SUPPLY_POSITION, // phi
    SUPPLY_VELOCITY, // phi', psi
    SUPPLY_ENERGY,   // T, V
    SUPPLY_KINDS
} supply_kind;

/* What is not 0 is an error, with the reason in why (room bytes). */
typedef int supply_function(const void *by, double t, const double *q, const double *v, double *out,
                            char *why, size_t room);

typedef struct {
    supply_kind kind;
    int first, count;
    supply_function *give;
    const void *by;
} model_supply;

/* Of energies, which are known with the state: before anything is solved. */
static inline bool model_is_energy(result_kind kind) {
    return kind <= RESULT_JACOBI;
}

/* An angular velocity at the start, in a body's own axes, of the unit quaternion p in coordinates first to
 * first + 3: where assembly has found p, its velocity is p o (0; omega) / 2. */
typedef struct {
    int first;
    double omega[3];
} model_spin;

/* Pictures. What they show are views, numbers that are evaluated at each sample of a run that asks for them;
 * those of plots come first. A plot's quantity has one, a point two or three in a row. */
typedef struct {
    const char *text; // as written, with the values of loop variables
    int view;         // -1: time
} model_series;

typedef struct {
    const char *label; // NULL: it is called as what it shows
    double from, to;   // NAN: as far as the numbers go
    bool log;
} model_axis;

typedef struct {
    const char *title;
    place at;
    model_axis axis[2]; // x, y
    model_series across;
    bool lengths; // of a position against a position: both are drawn to one scale
    vec(model_series) series;
} model_plot;

typedef enum {
    DRAW_LINE,
    DRAW_CIRCLE,
    DRAW_TRACE,
    DRAW_ARROW,
    DRAW_BOX,
    DRAW_SPRING,
    DRAW_TEXT,
    DRAW_CYLINDER, // from a point to another, or with a turn and a size
    DRAW_GROUND,
    DRAW_POINT,
    DRAW_SPHERE,
    DRAW_ELLIPSOID,
    DRAW_PLATE,
    DRAW_MESH,
    DRAW_KINDS
} draw_kind;

enum { COLOUR_OWN = 1 << 24 };

/* A point, vector, rotation or number of a drawing: `count` views from `first`; count 0 if there is none. */
typedef struct {
    int first, count;
} model_views;

typedef struct {
    draw_kind kind;
    const char *label, *text; // text: of DRAW_TEXT, else NULL
    const char *of;           // the particle or body all of whose it is; NULL: it is of none, or of several
    model_views at, to;       // pairs or triples; to is a vector for an arrow
    model_views turn;         // a quaternion, or an angle about z
    model_views radius;       // of a circle, and of a cylinder between points
    double size[3]; // of solids: edges, a radius, a radius and a height, half axes, factors of a mesh
    int size_count;
    int colour;            // 0xRRGGBB + COLOUR_OWN; 0: as it comes
    const source *mesh;    // a text of base/mesh.h
    const double *corners; // of a plate, in the plane of its turn: x and y of each
    int corner_count;
} model_draw;

/* The force of a constraint, shown where it acts, and its torque about that place if it has one. */
typedef struct {
    const char *label;
    model_views at, force, torque;
    const char
        *on[2]; // bodies: it acts on the second, and the opposite on the first; NULL where it is no joint
    const char *kind; // of what is no constraint: "spring", "friction", "applied"; else NULL
} model_force;

/* How a joint is to be drawn: its point as fixed in each body, and a frame in each whose z is its axis; in
 * the plane, what slides does so along x. */
typedef struct {
    const char *label, *kind;
    const char *of[2]; // what it connects: names of bodies, or of joints
    model_views at[2], turn[2];
    double size; // radius of a wheel or rack, ratio of a gear; 0: it has none
} model_joint;

/* What acts on a body or particle at its centre, for its free-body diagram: pairs or triples. All but the
 * constraints' forces on it, which forces have joint by joint; those of constraints in all. */
typedef struct {
    const char *label;
    model_views at, weight, active, constraint, inertia; // active: with the weight; inertia: - m x''
    // about its centre, one number in the plane; none of a particle
    model_views active_torque, constraint_torque, inertia_torque;
    bool joints_only; // what constrains it are joints alone
} model_body;

typedef enum { INITIAL_NONE, INITIAL_GUESS, INITIAL_EXACT } initial_kind;

typedef struct {
    initial_kind kind;
    bool stated; // by an `initial` statement, not by a setting of a body
    double value;
    place at;
} model_initial;

/* initial angle(J) = e, J.slide1' ~ e: of a freedom of a joint. */
typedef struct {
    label label;
    int part; // number of the joint among the parts
    bool turn;
    int freedom; // which of those that the joint turns about, or slides along
    int target;  // turn in which the value stands, so that it can be led there
    int counted; // turn of the joint's angle; -1: it has none
    model_initial given;
} model_begin;

typedef struct {
    bool given;
    place at;
    double from, until, every, tolerance; // every <= 0: not given; tolerance <= 0: not given
    double rank;                          // below which rows count as dependent; 0: not given
    double time_scale;                    // 0: not given
    bool equilibrium;                     // it starts in the one near the start
} model_simulate;

/* scale x = 1e-6 */
typedef struct {
    int coordinate;
    double value;
    place at;
} model_scale;

/* coordinates joints, coordinates bodies */
typedef enum { FORM_AUTO, FORM_JOINTS, FORM_BODIES } model_form;

typedef struct model {
    arena *arena;
    names *names;
    diags diags;
    source_list sources; // what it was read from: the text itself, and the files that it includes
    expr_pool *pool;
    const char *title; // NULL if there is none
    int mesh_faces;    // of all meshes
    vec(label) coords;
    vec(model_declaration) declared;
    vec(model_param) params;
    vec(label) quasis;
    vec(model_constraint) constraints;
    vec(model_row) rows;
    vec(model_friction) frictions;
    vec(model_actuator) actuators;
    vec(label) outputs;
    vec(model_expect) expects;
    vec(model_stop) stops; // one for each turn of a loop
    vec(model_result) results;
    vec(model_supply) supplies;
    int shown_results; // so many the statements ask for; what pictures show unasked follows
    int start_count;
    vec(model_over) overs;
    vec(model_told) told;
    vec(label) turns;        // whose they are
    vec(double) turn_starts; // (turns)
    double length;           // by which rows of joints on directions are multiplied; 0: there are none
    vec(shape) shapes;
    vec(model_plot) plots;
    vec(model_draw) draws;
    vec(model_joint) joints;
    vec(model_body) bodies;
    vec(model_force) forces;
    vec(model_force) loads; // what else acts on bodies, for their free-body diagrams
    int view_count, plot_view_count;
    bool upright;                                 // y points up in space: gravity acts along it
    vec(model_initial) position, velocity, quasi; // (coords), (coords), (quasis)
    vec(model_initial) instead; // (2 coords) positions, velocities that the start has instead; or none at all
    vec(int) quaternions;       // the first coordinate of each body's unit quaternion
    vec(model_spin) spins;
    vec(model_begin) begins;
    const void *extension; // what the room that gives parts their meaning keeps of them; NULL: nothing
    model_form form;
    place form_at; // of the statement that says so
    model_simulate simulate;
    vec(model_scale) scales; // those that are stated
    struct recipes *recipes; // how its numbers follow from what is set; NULL: that was not asked for
} model;

typedef struct {
    const char *name, *value; // of --set NAME=EXPR
} model_setting; // a name that begins with a blank is no parameter: the value is an output more, of that name

/* The numbers of an instance are to stay as they are: with others the model has to be read. */
void shape_pins_numbers(const model *m, const shape *s, int instance);

/* Reads and elaborates a text. Returns the model; it may be used only if model->diags.errors is 0. Memory is
 * of the arena; running out of it goes to the arena's recover point. */
model *model_read(arena *a, const source *file, const model_setting *settings, int setting_count);

/* The value of a constant expression in the parameters of a model that was read. False, with the reason in d.
 */
bool model_number(arena *a, const model *m, const char *name, const char *expression, diags *d, double *out);

/* Whether the name leads to a file that the model was read from: tells that it is not overwritten. */
bool model_is_source(const model *m, const char *path, diags *d);

/* The word of the statements whose work is told as one; NULL: there is none. */
const char *model_work_word(shape_kind kind);

/* Names as people write them: x[3], tip.x, link[2]. */
void model_label(const model *m, label l, text *out);
void model_row_name(const model *m, int row, text *out);
const char *model_coord_name(const model *m, int coord, arena *a);
place model_coord_place(const model *m, int coord); // where it is declared
place model_quasi_place(const model *m, int quasi);

#endif
