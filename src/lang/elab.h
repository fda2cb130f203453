/* Elaboration: the state that its files share. eval.c turns expressions into values, functions.c calls,
 * builder.c values into shapes and instances, walk.c walks over statements, declare.c, describe.c and view.c
 * act on them. */
#ifndef TRAMMEL_LANG_ELAB_H
#define TRAMMEL_LANG_ELAB_H

#include "lang/ast.h"
#include "lang/model.h"
#include "lang/recipe.h"

typedef struct elab elab;

/* One scalar. A number known when the model is read may vary from iteration to iteration of a loop: then it
 * has no expression yet, and becomes a constant slot when it meets one that is not known. */
typedef struct {
    expr e; // EXPR_NONE for a known number that varies
    bool known, varies;
    int step;      // if known: how it follows from what is set, see recipe.h
    double number; // if known
} scalar;

typedef struct {
    int size; // 1 to 4; 0: wrong, told already
    bool condition;
    scalar at[4];
} value;

typedef struct binding {
    const struct binding *next;
    int name;
    value value; // of a loop variable or an argument
    node *body;  // of a let in a loop: evaluated where it is used, in its own scope
    const struct binding *scope;
    bool loop;
} binding;

typedef enum {
    SYMBOL_PARAM,
    SYMBOL_COORD,
    SYMBOL_QUASI,
    SYMBOL_LET,
    SYMBOL_CONSTRAINT,
    SYMBOL_OUTPUT,
    SYMBOL_PART, // a particle, body, spring or joint
    SYMBOL_WRONG // its declaration is wrong: told, so its uses are passed over
} symbol_kind;

typedef struct {
    symbol_kind kind;
    int name;
    place at;
    int sequence;
    bool array;
    bool torn;            // an array of which a member's declaration is wrong: told, so that it is not missed
    int low, high, first; // of a coordinate: x[low..high] are coordinates first ...; low = 0 for a plain one
    bool ready;           // coord and plain param: declared by now
    int id;               // of a plain param, quasi, constraint or part; -1 until known
    const stmt *let;
    const node *body; // of a plain output
    bool busy;        // being evaluated
    long epoch;       // element for which memo holds
    value memo;
} symbol;

/* An output that is a result over the run, or is made of some: then over is -1. */
typedef struct {
    int output, over;
} over_output;

/* A quasi-velocity's definition with the loop variables it was declared under. */
typedef struct {
    const node *body;
    const binding *scope;
    int sequence;
    bool busy, wrong;
} quasi_body;

/* What may stand in the expression at hand. */
typedef struct {
    unsigned kinds;    // bits of sym_kind
    bool ideal_only;   // of the results only energies, and ideal reactions and multipliers
    const char *where; // "a potential"
} allowance;

/* A part: what a statement such as `body B: ...` declares. This room knows its name, its coordinates (B.q0)
 * and its rows (J.1); what it means is told by an extension. */
typedef struct {
    label label;
    place at;
    const char *word;         // the keyword: "body"
    int first, count;         // its coordinates
    const char *const *names; // (count) of these
    int constraint;           // whose rows are its own, or -1
    int record;               // number of the extension's own record of it, -1 while it has none
} elab_part;

/* When an extension sees the statements of its parts. All of them go through a phase before the next begins.
 */
typedef enum {
    PART_DECLARE,  // the part is entered: give it its coordinates
    PART_START,    // the coordinates are numbered: set their initial values
    PART_CONNECT,  // all initial values are known, those of `initial` too
    PART_DESCRIBE, // energies, forces, constraints
    PART_SHOW,     // outputs that it has unasked, behind those of the text
    PART_DRAW      // pictures: what it looks like unless elab_is_drawn, and its forces
} part_phase;

/* One more thing that an animation shows, of the element at hand; values of size 0 are not there. */
typedef struct {
    draw_kind kind;
    const char *label, *text;
    value at, to, turn, radius;
    double size[3];
    int size_count;
    const double *corners;
    int corner_count;
    int colour;
    const source *mesh;
} elab_drawing;

/* The mesh of the file that a NODE_TEXT names; NULL, and an error there, if it is none. */
const source *elab_mesh(elab *L, const node *n);

/* Another room that gives parts their meaning, with the functions of this header. */
typedef struct {
    void *(*begin)(elab *L); // what L->extending is to be
    /* `part` is its number, or -1 of a statement without a name. */
    void (*act)(elab *L, part_phase phase, const stmt *s, const binding *scope, int part);
    /* friction NAME: ..., after all that it can act on */
    void (*friction)(elab *L, const stmt *s, const binding *scope);
    /* force B = e, torque B = e */
    void (*force)(elab *L, const stmt *s, const binding *scope, int part);
    /* the same in pictures; may be NULL */
    void (*show_force)(elab *L, const stmt *s, const binding *scope, int part);
    /* initial angle(J) = e, J.slide1 ~ e; after PART_CONNECT */
    void (*start)(elab *L, const item *it, const binding *scope, int part);
    /* The value of its name: false, and an error, if it has none. */
    bool (*value)(elab *L, int part, place at, value *out);
    /* The value of J.angle1, of a part without coordinates. */
    bool (*member)(elab *L, int part, const char *name, place at, value *out);
    /* point(B, p), reaction(J): a call of one of these functions, some of whose arguments are parts. */
    value (*call)(elab *L, const node *n, const binding *scope);
    /* A drawing to be at a point of a body, given in its axes, by default its centre, with its quaternion or
     * angle, and in its colour; false, and an error, if it is none. The world is of so many dimensions. */
    bool (*pose)(elab *L, const node *n, const binding *scope, place at, int dimensions, value point,
                 elab_drawing *d);
    /* draw mesh B "link.stl" ..., in the same way */
    bool (*mesh)(elab *L, const stmt *s, const binding *scope, elab_drawing *d);
} elab_extension;

typedef struct {
    long epoch;
    vec(int) slots;
    vec(double) numbers;
    vec(int) steps; // (numbers)
    vec(int) results;
    vec(int) turns;
} builder;

/* An expression in a loop whose value may be that of the turn before, see alike.c. */
typedef struct {
    bool fits;  // it is made of numbers, parameters and coordinates
    bool ready; // what follows is known
    value last;
    long long spent;               // on it
    vec(const node *) coordinates; // in the order of evaluation, ...
    vec(int) slots;                // ... and their slots
} alike_value;

/* The value of a parameter that is made of another. */
typedef struct {
    int user, used;
} elab_dependence;

struct elab {
    model *model;
    arena *arena;
    names *names;
    diags *diags;
    expr_pool *pool;
    symbol **symbols;   // by name
    symbol **functions; // let functions, by name
    map cells;          // (name, index) of params, quasis, constraints, outputs, parts to their number
    vec(elab_part) parts;
    const elab_extension *extension; // NULL: there is none
    void *extending;                 // its own state
    vec(quasi_body) quasi_bodies;
    const source_list *known; // files of an earlier reading; NULL: none
    const model_setting *settings;
    node **setting_values;
    recipes *recipes; // of the model
    bool *setting_used;
    int setting_count;
    // the statement and expression at hand
    int sequence;
    allowance allowed;
    int deciding; // what is evaluated decides on the structure: a bound, an index, a condition
    int defining; // number of the parameter whose value is evaluated, from 1; 0: none
    vec(elab_dependence) depends;
    int watching; // a condition that may be decided is evaluated: used are the parameters in it
    vec(int) used;
    place use; // where a let is used, while its body is evaluated; source NULL outside
    builder builder;
    long epochs;
    int *slot_of;     // by coordinate, valid where slot_epoch is the builder's
    long *slot_epoch; // by coordinate
    map shapes, results, overs;
    map alike_by_node;
    vec(alike_value) alikes;
    vec(over_output) over_outputs; // outputs that hold results over the run
    place *local;                  // by name: the loop in which it is a variable or a let
    place title_at;
    map pointed;      // coordinates of points whose forces are shown
    map drawn;        // coordinates that something is drawn at
    bool option;      // the expression at hand is one of the command line
    long long spent;  // expressions visited
    double remaining; // iterations of the loops and sums at hand, all together; 0 outside
    long long turned; // spent when the last iteration of a loop or sum began
    long long faulty; // spent when the first error was seen; 0: none was
    int level;        // how deep evaluation is in expressions and lets
    bool stopped;     // a limit was met: told already
};

// ---- elaborate.c
/* model_read with parts. */
/* The same once more, with recipes, where the files that the text includes are known from an earlier reading.
 */
model *elab_read(arena *a, const source *file, const source_list *known, const model_setting *settings,
                 int setting_count, const elab_extension *extension);

// ---- eval.c
value elab_eval(elab *L, const node *n, const binding *scope);
value elab_wrong(void);
value elab_scalar(scalar s);
/* A scalar that is no condition, or an error "expected a single number". */
bool elab_number(elab *L, const node *n, const binding *scope, scalar *out);
/* The same of an expression of an element. */
bool elab_number_alike(elab *L, const node *n, const binding *scope, scalar *out);
/* A parameter is used: it is structural if that decides on the structure, and so are those it is made of. */
void elab_note_use(elab *L, int param);
void elab_mark_structural(elab *L);
/* A condition is evaluated from here on, and has been: if it decides, its parameters are structural. */
int elab_watch(elab *L);
void elab_watched(elab *L, int since, bool decides);
/* A known number to be used as it is: with another one the model has to be read again. */
double elab_peek(elab *L, const scalar *s);
/* The same of a question, a < b or a == b: with another answer. */
bool elab_asks(elab *L, op_code op, scalar a, scalar b);
static inline scalar elab_plain(double number) { // without an expression
    return (scalar){.known = true, .number = number};
}
/* The same of a number that nothing but pictures shows. */
double elab_picture(elab *L, const scalar *s);
/* A number known now (bounds, initial values), to be used as it is; `what` names it in messages. */
bool elab_known(elab *L, const node *n, const binding *scope, const char *what, double *out);
/* The same as a scalar, with its expression if it has one: that of a parameter. */
bool elab_known_scalar(elab *L, const node *n, const binding *scope, const char *what, scalar *out);
/* A single number or a tuple, all known; size 0 if not. */
value elab_known_value(elab *L, const node *n, const binding *scope, const char *what);
bool elab_whole(elab *L, const node *n, const binding *scope, const char *what, int *out);
diag *elab_error(elab *L, place at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* False, and an error, if e holds symbols that may not stand here. */
bool elab_allowed(elab *L, place at, expr e);
const char *elab_variables(elab *L, const binding *scope); // " (here i = 3)" or ""
scalar elab_op(elab *L, op_code op, const scalar *args);
value elab_map2(elab *L, op_code op, value a, value b);
scalar elab_constant(elab *L, double number);
/* The name of a component of a tuple of this size, as in tip.x; NULL for a single number. */
const char *elab_component(int size, int which);

// ---- alike.c
/* elab_eval of an expression of an element, quick where it is alike from turn to turn of a loop. */
value elab_eval_alike(elab *L, const node *n, const binding *scope);
/* The value of 3, i, i + 1 or i - 1 with a loop variable i, and of how many nodes it is; false for all else.
 */
bool elab_plain_index(const node *n, const binding *scope, int *out, int *nodes);

// ---- limits.c
/* Spends from the budget of expressions; false, and an error, when it is used up. */
bool elab_spend(elab *L, place at, long long amount);
/* A repetition: elab_repeat(L, &r, at, low, high); while (elab_turn(L, &r)) { ... r.now ... }. It ends early,
 * with an error, as soon as what is spent tells that the budget will not do. Who leaves it early calls
 * elab_leave, which gives false. */
typedef struct {
    place at;
    long long now, last, start;
    double count, outer, check;
} repetition;
void elab_repeat(elab *L, repetition *r, place at, int low, int high);
bool elab_turn(elab *L, repetition *r);
bool elab_leave(elab *L, const repetition *r);
/* Enters a level of evaluation, to be left again with L->level--; false, and an error, if it is too deep. */
bool elab_deeper(elab *L, place at);

// ---- refer.c
/* The value of a name, or of a name with an index. */
value elab_refer(elab *L, const node *n, const binding *scope);
/* The value of a body that stands elsewhere, in its own scope and at its own place in the order of
 * statements. */
value elab_elsewhere(elab *L, const node *body, const binding *scope, int sequence, place use);
/* The coordinate that a name, with its index where it has one, stands for; an error if it is none. */
bool elab_coordinate(elab *L, const node *n, const binding *scope, int *id);
/* Whether a name, with its index where it has one, is that of a part, whatever is wrong with it otherwise. */
bool elab_names_part(elab *L, const node *n, const binding *scope);
/* The part that it stands for; false, and an error, if it is none. `what` is expected: "a body". */
bool elab_find_part(elab *L, const node *n, const binding *scope, const char *what, int *part);
/* The coordinate of a part with this name, or -1. */
int elab_part_coordinate(const elab *L, int part, const char *name);
value elab_coordinate_value(elab *L, int coordinate);
/* Whether u or u[i] names a quasi-velocity, and its number. */
bool elab_names_quasi(elab *L, const node *n);
bool elab_find_quasi(elab *L, const node *n, const binding *scope, int *id);
bool elab_target(elab *L, const item *it, const binding *scope, const char *what, int *id);

// ---- functions.c
value elab_call(elab *L, const node *n, const binding *scope);
/* The constraint that a name such as tip or link[3] stands for, that of a joint too; false if it is none, or
 * wrong itself. */
bool elab_find_constraint(elab *L, const node *n, const binding *scope, int *id);
/* A result, called by n, where results may stand. */
value elab_result_value(elab *L, const node *n, model_result r);
/* kinetic, energy, rank ...: false if the name is none of them. */
bool elab_builtin_result(elab *L, const node *n, value *out);
bool elab_is_result_name(const char *name);
bool elab_is_function(const char *name);
/* Sets a hint "did you mean ..." for a misspelt name, if one is close. */
bool elab_suggest(elab *L, diag *d, name_guess best);
/* A name that is declared nowhere has been told: once is enough. */
void elab_told(elab *L, int name, place at);

// ---- over.c
/* Whether it is maximum, minimum, mean, integral, duration or first: a model may call its own things so. */
bool elab_is_over(const char *name);
value elab_over(elab *L, const node *n, const binding *scope);
/* The first result over the run of the element at hand, or NULL; one may not stand in another. */
const model_over *elab_holds_over(const elab *L);
/* And that each of the element's results over the run is a number: without one a claim fails. */
expr elab_with_overs(elab *L, expr condition);
/* An output of this value, of the element at hand, comes next. */
void elab_note_output(elab *L, expr value);
/* Names of those that are told, once all outputs and plots are there. */
void elab_tell_overs(elab *L);

// ---- builder.c
void elab_begin(elab *L);
void elab_remark(elab *L); // after another element was built in between
int elab_slot(elab *L, int coordinate);
expr elab_expr(elab *L, scalar s); // gives a varying number its slot
expr elab_result(elab *L, model_result r);
expr elab_turn_symbol(elab *L, int turn);
/* Returns its shape, of which it is the last instance. */
int elab_finish(elab *L, shape_kind kind, place at, const expr *parts, const int *targets, int target_count);
/* Begins a new element with just the slots that e, of the element at hand, needs; returns e over those. */
expr elab_only(elab *L, expr e);
/* The expression of a row, over the slots of the element at hand. */
expr elab_row_value(elab *L, int row);

// ---- walk.c
typedef struct {
    elab *elab;
    void (*act)(elab *L, const stmt *s, const binding *scope); // on each statement that is no loop
    bool (*wanted)(const stmt *s);                             // whether a loop's body holds anything to do
} elab_walk;
void elab_list(const elab_walk *w, const stmt_list *list, const binding *scope);

// ---- declare.c
uint64_t elab_cell(int name, int index); // key of a member such as m[3] in cells
/* Enters such a member; false, and an error, if it is there already. */
bool elab_enter(elab *L, const item *it, int index, int id);
/* The label of what an item declares; for x[i] the index is evaluated. */
bool elab_label(elab *L, const item *it, const binding *scope, label *out);
void elab_declare(elab *L, const stmt_list *list);
/* Shows the statements of parts to the extension. */
void elab_parts(elab *L, part_phase phase, const stmt_list *list); // all but PART_DECLARE and PART_DESCRIBE
void elab_describe_part(elab *L, const stmt *s, const binding *scope);

// ---- describe.c and view.c
/* A constraint without rows yet, and a row VALUE = 0 of it, of the element at hand. */
bool elab_option(elab *L, const node *n, const binding *scope, const char *where, scalar *out);
/* Of `weight = ((a, b), (b, c))`, or (a, c), what belongs to one of `size` rows, into its parts. */
bool elab_weights(elab *L, const node *n, const binding *scope, int row, int size, expr *parts);
int elab_new_constraint(elab *L, label l, place at, bool control);
void elab_new_row(elab *L, int constraint, const char *part, const expr *parts);
/* Of a condition: its margin and the rest of an equality, into its parts. */
stop_kind elab_condition_parts(elab *L, expr *parts);
void elab_set_initial(elab *L, const item *it, model_initial *to, double number);
void elab_describe(elab *L, const stmt_list *list); // energies, forces, constraints, initial values
void elab_view(elab *L, const stmt_list *list);     // what needs the constraints to be known
const char *elab_one_line(elab *L, place at);       // what is blank between words becomes a single space

// ---- picture.c
void elab_pictures(elab *L, const stmt_list *list); // plots, drawings and what is shown unasked
/* A text as written, on one line, with the values of loop variables: th[i] is th[3]. */
const char *elab_shown(elab *L, place at, const binding *scope);
void elab_draw(elab *L, place at, const elab_drawing *d);
/* Whether a `draw` of the model shows something at a coordinate of the element at hand: what has it does not
 * draw itself then. */
bool elab_is_drawn(const elab *L);
/* The force of a constraint and where it acts, of the element at hand. */
typedef struct {
    const char *label;
    value at, force, torque;
    const char *on[2];
    const char *kind;
} elab_force;
void elab_show_force(elab *L, place at, const elab_force *f);
/* What acts on bodies beside constraints; force and torque may be of size 0. */
void elab_show_load(elab *L, place at, const elab_force *f);
/* The thing that has all coordinates of the element at hand; NULL: there are none, or they are of several. */
const char *elab_owner(elab *L);
typedef struct {
    const char *label;
    value at, weight, active, constraint, inertia, active_torque, constraint_torque, inertia_torque;
    bool joints_only;
} elab_body;
void elab_show_body(elab *L, place at, const elab_body *b);
typedef struct {
    const char *label, *kind, *of[2];
    value at[2], turn[2];
    double size;
} elab_joint;
void elab_show_joint(elab *L, place at, const elab_joint *j);
/* The constraint force on a point whose components are coordinates of their own, once; else nothing. */
void elab_show_point_force(elab *L, place where, value at, const char *name);
void elab_show_distances(elab *L); // distance.c
/* The name of the force of all constraints on a thing: that of the constraint if there is but one. */
const char *elab_force_name(elab *L, const char *on);

/* An energy as a sum of elements: its terms, taken apart at sums. */
void elab_terms(elab *L, shape_kind kind, const node *n, const binding *scope);
/* mass, force, nonideal. */
/* force B = e, torque B = e of a part, in pictures. */
void elab_show_loads(elab *L, const stmt *s, const binding *scope);
void elab_on_coordinate(elab *L, const stmt *s, const binding *scope);

/* Which symbols may stand in a statement. */
enum {
    WITH_TIME = 1u << SYM_TIME,
    WITH_P = WITH_TIME | 1u << SYM_P,
    WITH_V = WITH_P | 1u << SYM_V,
    WITH_FORCES = WITH_V | 1u << SYM_RESULT,
    WITH_A = WITH_V | 1u << SYM_A,
    WITH_RESULTS = WITH_A | 1u << SYM_RESULT
};

#endif
