/* Trammel: the motion and the forces of constrained mechanical systems.
 *
 * A model text is read into a trm_model, compiled into a trm_system (constant, shared by threads), and
 * evaluated with a trm_state (one trajectory's numbers, one thread at a time). Nothing here prints, exits or
 * keeps global state. Every text that is returned belongs to the object it was asked of and lives as long.
 *
 * For every function, unless it says otherwise:
 *   threads     an object is used by one thread at a time, but a system that is const is shared, and several
 *               threads may make results, sessions and systems of one model at once (trm_run and the other
 *               studies, _create): each uses what it has made, which the others do not see. Functions without
 *               an object may be called by all
 *   allocation  what evaluates at a state does not allocate: trm_acceleration, trm_accelerations,
 *               trm_control, trm_state_* (but _create), trm_system_jacobian, trm_system_from_bodies,
 *               trm_system_to_bodies, nor do sizes, counts, patterns, _init and trm_file_rescue; what makes
 *               an object (_create, _read, studies), returns a text or writes a file does, from arenas that
 *               go with their object
 *   errors      a status; TRM_NO_MEMORY where memory ran out, and a text is then NULL, "" or "out of memory"
 *   NULL        is taken where it says so and by every _free; as a text or a name that is given it is an
 * empty one; as the *out of a study, that nobody asks for the results; _messages of it are "out of memory".
 * Objects and arrays must be there */
#ifndef TRAMMEL_TRAMMEL_H
#define TRAMMEL_TRAMMEL_H

#include <signal.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TRM_API __attribute__((visibility("default")))

/* What a call came to. The values are the program's exit codes; there 2 is also a wrong command line. */
typedef enum {
    TRM_OK = 0,
    TRM_EXPECTATION_FAILED = 1, // a run went well, but a claim of the model does not hold
    TRM_WRONG_MODEL = 2,        // the text is wrong as read: syntax, names, kinds, structure
    TRM_NO_SOLUTION = 3,        // the numbers do not allow it
    TRM_IO_ERROR = 4,           // a file could not be read or written
    TRM_NO_MEMORY = 5,          // more memory than there is, or than the limit allows
    TRM_INTERRUPTED = 130       // stopped by the caller's flag
} trm_status;

typedef struct trm_model trm_model;
typedef struct trm_system trm_system;
typedef struct trm_state trm_state;
typedef struct trm_result trm_result;
typedef struct trm_import trm_import;
typedef struct trm_emission trm_emission;

/* The version of this header, and that of the library that the program found, as "0.1.0". Until 1.0 every
 * minor version may change the interface. */
#define TRM_VERSION_MAJOR 0
#define TRM_VERSION_MINOR 1
#define TRM_VERSION_PATCH 0
TRM_API const char *trm_version(void);

/* Structs that programs fill in, or lend to the library, begin with their size, so that they may grow: _init
 * makes all fields their defaults and keeps sizeof as the program was compiled. What a newer library adds
 * then has its default; a size of 0, or one that the library does not know, is refused with a message.
 * trm_choice and trm_setting are plain values and will never grow. */

/* The optional parts that are built in and can be loaded on this machine, as "bdf, adams (SUNDIALS), import
 * (libxml2)"; "none" if there are none. */
TRM_API const char *trm_parts(void);

/* The kinds of code for the equations that this processor and system allow, as "tape, scalar, avx2", and the
 * one that is used: the last of them, or what the environment's TRAMMEL_KERNEL names if it is among them. */
TRM_API const char *trm_kernels(void);
TRM_API const char *trm_kernel(void);

/* Which of the words is most like a misspelt one, or NULL if none is close. */
TRM_API const char *trm_closest(const char *word, const char *const *among, int count);

/* What can be named where there is a choice, the default first: the name, and what it is in a few words.
 * Beyond the last both are NULL. A method is listed also where what it needs is not on this machine. */
typedef struct {
    const char *name, *about;
} trm_choice;
TRM_API trm_choice trm_integrator_at(int i);
TRM_API trm_choice trm_formulation_at(int i);
TRM_API trm_choice trm_coordinates_at(int i);

/* What the papers' formulations leave open, as alpha of auxiliary: the name, and what it may be; and the
 * formulation that uses it. Beyond the last NULL. */
TRM_API trm_choice trm_paper_choice_at(int i);
TRM_API const char *trm_paper_choice_formulation(int i);

/* Makes a text one that a terminal may show, in place: control characters, those that turn the direction of
 * writing among them, and bytes that are no UTF-8, become '?', but for tabs and, if `lines` is not 0,
 * newlines. All texts for people that the library returns are so. */
TRM_API void trm_text_tame(char *text, int lines);

// ---- models

/* A parameter's value given from outside, as the program's --set NAME=EXPR. */
typedef struct {
    const char *name;
    const char *value; // an expression; it may use earlier parameters
} trm_setting;

/* Reads a model file, or a text (`name` stands in messages, and includes are sought beside it). *out is made
 * also when the text is wrong, so that trm_model_messages can be asked; it is NULL only without memory. Free
 * it with trm_model_free. Returns TRM_OK, TRM_WRONG_MODEL, TRM_IO_ERROR or TRM_NO_MEMORY. */
TRM_API trm_status trm_model_read(const char *path, const trm_setting *settings, int count, trm_model **out);
TRM_API trm_status trm_model_read_text(const char *name, const char *text, const trm_setting *settings,
                                       int count, trm_model **out);
TRM_API void trm_model_free(trm_model *m);

/* How messages are shown: a sum of these. */
enum {
    TRM_COLOUR = 1, /* the words error and warning and the carets stand out */
    TRM_OPTIONS = 2 /* settings are named as options of a command line, --until; else by their name alone */
};

/* Errors and warnings as people read them, with places and carets; "" if there are none. */
TRM_API const char *trm_model_messages(trm_model *m, int how);
TRM_API const char *trm_model_title(const trm_model *m); // "" if it has none
TRM_API int trm_model_coordinates(const trm_model *m);
TRM_API int trm_model_rows(const trm_model *m); // scalar constraint rows
TRM_API const char *trm_model_coordinate_name(trm_model *m, int i);
TRM_API const char *trm_model_row_name(trm_model *m, int i);

/* What a page shows, as trm_result_page, where there is no run: the messages, and what is known of the model.
 * NULL: its own messages. */
TRM_API const char *trm_model_page(trm_model *m, const char *messages);

/* How equations are written. */
/* The last is added to one of the others: bodies in their coordinates, too, not as Newton's and Euler's
 * equations. */
typedef enum { TRM_TEXT, TRM_LATEX, TRM_MATHML, TRM_EXPANDED = 4 } trm_notation;

/* The derived M, Q, A, b (and G, C); NULL without memory. */
TRM_API const char *trm_model_equations(trm_model *m, trm_notation notation);

/* How many plots the model asks for. */
TRM_API int trm_model_plots(const trm_model *m);

/* The value of a constant expression such as "2*pi" in the model's parameters. TRM_WRONG_MODEL: it is none,
 * and trm_model_messages says why until the next number or setting. */
TRM_API trm_status trm_model_number(trm_model *m, const char *text, double *out);

/* Parameters, in the order in which the model declares them, by their names as L, m[2]; "" beyond the last,
 * -1 where there is none of that name. Structural are those on which bounds, indices or decided conditions
 * depend. */
TRM_API int trm_model_parameters(const trm_model *m);
TRM_API const char *trm_model_parameter_name(trm_model *m, int i);
TRM_API int trm_model_parameter_named(trm_model *m, const char *name);
TRM_API double trm_model_parameter_value(const trm_model *m, int i);
TRM_API int trm_model_parameter_structural(const trm_model *m, int i);
/* Gives a parameter another value, in all that is made of the model from now on; parameters and initial
 * values that are made of it follow. No file is read again. What was made before keeps the values it was made
 * with, and texts that were asked of the model are gone. *rebuilt (may be NULL): whether coordinates, rows or
 * columns are others than before. Not while another thread uses the model. TRM_WRONG_MODEL: there is no such
 * parameter, or the model is wrong with that value; trm_model_messages says why until the next setting, and
 * everything stays as it was. TRM_IO_ERROR: the model could not be read; TRM_NO_MEMORY. */
TRM_API trm_status trm_model_set(trm_model *m, const char *name, double value, int *rebuilt);

/* Whether the name leads to the model's file or one that it includes, by whatever way: what must not be
 * overwritten. */
TRM_API int trm_model_is_source(const trm_model *m, const char *path);

// ---- functions of your own

/* What a system is made of, M q'' = Q + Q^c with A q'' = b, as functions that give the numbers at time t,
 * positions q (n), velocities v (n). Matrices are full, row by row, and hold zeros when a function is called.
 * A function returns 0, or a code of its own that ends the run, the session or the call, with what `error`
 * says of it. The same t, q and v must give the same numbers: a function is called as often as the numbers
 * are asked for, in any order of times, also beside the motion. States and runs in several threads call it
 * from these. Events cannot be found inside a function: what jumps there costs steps, and forces should be
 * smooth. Set `size` to sizeof(trm_callbacks), and what is not used to 0. */
typedef struct {
    size_t size;
    int n, m;                       // coordinates, rows
    int position_rows;              // so many rows, the first, are phi(q, t) = 0
    int velocity_rows;              // so many, those included, are phi' or psi(q, v, t) = 0; the others are
                                    // known as A q'' = b alone, and are not projected
    void *context;                  // handed to each function
    const char *const *coordinates; // (n) names; NULL: q1, q2 ...
    const char *const *rows;        // (m) names; NULL: row1, row2 ...
    const double *q, *v;            // (n) the start, each NULL: 0. It must satisfy phi and psi
    int (*mass)(void *context, double t, const double *q, double *M);                   // (n x n), symmetric
    int (*force)(void *context, double t, const double *q, const double *v, double *Q); // (n)
    int (*constraint)(void *context, double t, const double *q, const double *v, double *A,
                      double *b);                                                          // (m x n), (m)
    int (*nonideal)(void *context, double t, const double *q, const double *v, double *C); // (n)
    int (*position)(void *context, double t, const double *q, double *phi);                // (position_rows)
    int (*velocity)(void *context, double t, const double *q, const double *v,
                    double *psi); // (velocity_rows)
    int (*energy)(void *context, double t, const double *q, const double *v, double *kinetic,
                  double *potential);              // to be shown; NULL: v'Mv/2 and 0
    const char *(*error)(void *context, int code); // what a code means; may be NULL. The text is copied
} trm_callbacks;

/* A model made of functions alone: `mass` must be there, all others may be NULL. It is run, checked,
 * compared, advanced in sessions and compiled as one that was read; there is no energy balance, since nothing
 * tells what of Q does work. The struct and its arrays are copied; the context must outlive the model and all
 * that is made of it. *out is made also if something is wrong, so that trm_model_messages can be asked; it is
 * NULL only without memory. Free it with trm_model_free. Returns TRM_OK, TRM_WRONG_MODEL or TRM_NO_MEMORY. */
TRM_API trm_status trm_model_from_callbacks(const trm_callbacks *by, trm_model **out);
/* The same, and the system that is compiled from it (trm_system_create): both are to be freed, the system
 * first. *system is NULL if something is wrong; trm_model_messages(*made) says what. */
TRM_API trm_status trm_system_from_callbacks(const trm_callbacks *by, trm_model **made, trm_system **system);

/* Adds to a model that was read, before anything else is made of it: to its M and Q (and C) what the
 * functions give, and rows behind its own. n is that of the model (trm_model_coordinates), `coordinates`, q
 * and v are not used. A force counts in the energy balance as the work of a `force` on each coordinate does.
 * Bodies are integrated by their own coordinates then. May be called several times. By one thread at a time.
 * Returns TRM_OK, TRM_WRONG_MODEL (trm_model_messages says why; the model is as before, but cannot be used if
 * a row has the name of one of its own), TRM_NO_MEMORY (it is as before). */
TRM_API trm_status trm_model_add_callbacks(trm_model *m, const trm_callbacks *by);

// ---- files

/* How far a file is that is being written. */
typedef enum {
    TRM_FILE_NONE,        // there is none, or it was given up: what was there before still is
    TRM_FILE_BEGUN,       // open, without a sample
    TRM_FILE_HAS_SAMPLES, // it holds samples, in whole lines
    TRM_FILE_IN_PLACE     // done, under its name
} trm_file_state;

/* For a program that may end in the midst of it; trm_file_init before. What is written straight through, to a
 * pipe or a device, is none. */
typedef struct {
    size_t size;                  // of this struct
    volatile sig_atomic_t state;  // a trm_file_state
    volatile sig_atomic_t busy;   // files are being put in place: a moment that is not to be cut short
    int file, into;               // its descriptor; whether the old file is written into
    char part[4096], place[4096]; // where it is while it is written, and where it goes
} trm_file;

TRM_API void trm_file_init(trm_file *f, size_t size);

/* For a program that ends in the midst of a run, in a signal's handler, and not while the file is busy: puts
 * the samples that are written in place, or removes a file that has none. Returns the name under which they
 * are, that of the part if they cannot be put in place; NULL if there are none. May be called in a handler.
 */
TRM_API const char *trm_file_rescue(const trm_file *f);

typedef struct {
    size_t size;                       // of this struct: trm_write_def_init
    int fresh;                         // a file that is there is not replaced
    trm_file *file;                    // says how far it is; may be NULL
    const volatile sig_atomic_t *stop; // what was there stays if it becomes non-zero in time; may be NULL
} trm_write_def;

TRM_API void trm_write_def_init(trm_write_def *def, size_t size);

/* Writes a file at once, as the library writes all files: beside its place first, and then put there in one
 * step, so that who reads sees the old one or the new one, each whole. A link stays, and what it points to is
 * replaced; owner, group, permissions and attributes stay. "-", /dev/stdout, pipes and devices are written
 * straight through. def may be NULL. Returns TRM_OK, TRM_INTERRUPTED, TRM_IO_ERROR, or TRM_WRONG_MODEL if def
 * is of an unknown size; the reason is then in why (room bytes). */
TRM_API trm_status trm_file_write(const char *path, const char *text, size_t length, const trm_write_def *def,
                                  char *why, size_t room);

// ---- accelerations and forces

/* Compiles a model, which must outlive the system, as this its states. Free it with trm_system_free.
 * TRM_WRONG_MODEL: see trm_model_messages; *out is NULL then. */
TRM_API trm_status trm_system_create(trm_model *m, trm_system **out);
TRM_API void trm_system_free(trm_system *s);

/* The coordinates of a system, to which q, v and what follows below belong: those of the model, or of its
 * joints if the model says 'coordinates joints'. Of a joint's unit quaternion the four velocities are 0 and
 * its angular velocity in the axes of the second link. Names are as in messages: B.x, angle(J); "" beyond the
 * last. */
TRM_API int trm_system_coordinates(const trm_system *s);
TRM_API int trm_system_rows(const trm_system *s);
TRM_API const char *trm_system_coordinate_name(trm_system *s, int i);
TRM_API const char *trm_system_row_name(trm_system *s, int i);
/* From positions q and velocities v by the model's coordinates (trm_model_coordinates) to the system's u, w,
 * and back. From: where q does not fit the joints, what fits from the ground on. They are copied where both
 * are the same. */
TRM_API void trm_system_from_bodies(const trm_system *s, const double *q, const double *v, double *u,
                                    double *w);
TRM_API void trm_system_to_bodies(const trm_system *s, trm_state *st, const double *u, const double *w,
                                  double *q, double *v);
/* A body by its name, as "arm" or "link[3]", for what follows; -1 if there is none. */
TRM_API int trm_system_body(trm_system *s, const char *name);
/* The Jacobian at positions q (n): how fast a point moves that is fixed in a body, at `point` in the body's
 * axes from its centre on, and how fast the body turns, for each unit of a rate of the system. Row by row, in
 * world axes: linear (3 x n), angular (3 x n); of a planar body (2 x n), (1 x n). Columns are the rates of
 * trm_system_coordinate_name: with 'coordinates joints' those of the joints, loops being open. Either may be
 * NULL. Returns the rows of linear, 0 if there is no such body. Does not allocate. */
TRM_API int trm_system_jacobian(const trm_system *s, trm_state *st, const double *q, int body,
                                const double *point, double *linear, double *angular);
/* The numbers of one trajectory, for one thread at a time. The system must outlive it; free it with
 * trm_state_free. Returns TRM_OK or TRM_NO_MEMORY. */
TRM_API trm_status trm_state_create(const trm_system *s, trm_state **out);
TRM_API void trm_state_free(trm_state *st);

/* The constrained acceleration at time t, positions q (n), velocities v (n). qdd (n); reaction (n) is the
 * total constraint force M q'' - Q; multiplier (rows) those of least norm. Each output may be NULL. Does not
 * allocate. TRM_NO_SOLUTION: trm_state_error says why.
 * q and v need not satisfy the constraints: it is seen how far they are off, and rows that depend on others
 * up to that are left out ('rank' in the model decides otherwise). The result is in error by a few times
 * that: 5 times on a bead that three equations hold on a circle of radius 1, off by 1e-14 to 1e-5. */
TRM_API trm_status trm_acceleration(const trm_system *s, trm_state *st, double t, const double *q,
                                    const double *v, double *qdd, double *reaction, double *multiplier);
/* The same for many states: t (count), q, v, qdd and reaction (count x n), multiplier (count x rows), row by
 * row. Eight at a time where the system is small enough to be solved by one kernel. Where there is no
 * solution the row is NAN, and TRM_NO_SOLUTION is returned when the others are done. Does not allocate. */
TRM_API trm_status trm_accelerations(const trm_system *s, trm_state *st, int count, const double *t,
                                     const double *q, const double *v, double *qdd, double *reaction,
                                     double *multiplier);
/* Angles of joints, angle(J), count whole turns, where they are no coordinates: at first from the model's
 * start on, after this call from the positions q (n) at time t on. Each is found within a turn of where it
 * was kept, so an integrator of one's own calls this at the end of each of its steps. Does not allocate. */
TRM_API void trm_state_keep_turns(const trm_system *s, trm_state *st, double t, const double *q);
/* Why the last call with the state failed; "" if it did not. The text is constant. */
TRM_API const char *trm_state_error(const trm_state *st);

/* The matrices of the equations of motion, in the coordinates q of the system,
 *
 *   M q'' = Q + reaction,  A q'' = b
 *
 * and, where the model has quasi-velocities s = G q' + g, with H = G^-1 and r = s' - G q'', in these:
 *
 *   M_s s' = S + S^c,  A_s s' = b_s;  M_s = H'M H, S = H'Q + M_s r, A_s = A H, b_s = b + A_s r
 *
 * Rows are all those of the model: rows of friction that slips are 0, and rows with weight are as written,
 * though they hold only as far as their weight goes. */
typedef enum {
    TRM_M,         // (n x n) masses, symmetric
    TRM_Q,         // (n x 1) forces
    TRM_A,         // (rows x n) constraints
    TRM_B,         // (rows x 1) what they ask for
    TRM_C,         // (n x 1) what is not ideal of the reaction, friction included
    TRM_G,         // (n x n) quasi-velocities by velocities
    TRM_G_OFFSET,  // (n x 1) g
    TRM_M_S,       // (n x n) H'M H
    TRM_S,         // (n x 1) H'Q + M_s r
    TRM_A_S,       // (rows x n) A H
    TRM_B_S,       // (rows x 1) b + A_s r
    TRM_C_S,       // (n x 1) H'C
    TRM_S_REACTION // (n x 1) S^c = H'reaction
} trm_matrix;

/* The size of a matrix, and how many entries it may have that are not 0; all 0 for those of quasi-velocities
 * where there are none. Each output may be NULL. */
TRM_API void trm_system_matrix_size(const trm_system *s, trm_matrix which, int *rows, int *columns,
                                    int *entries);
/* Where these entries are: row, column (entries), by rows. It is the same at all states. */
TRM_API void trm_system_matrix_pattern(const trm_system *s, trm_matrix which, int *row, int *column);
/* The numbers at the time and state that trm_acceleration or trm_control was last asked for with st: all of
 * the matrix, row by row, or its entries in the order of the pattern. They do not allocate. M, Q, A, b and G
 * cost a copy; those with H a solution with G for each column. Where that acceleration has no solution, M, Q
 * (but for parts that are built on reactions), A, b and what is made of them is still to be had.
 * TRM_NO_SOLUTION: the quasi-velocities do not determine the velocities, or C or S^c is not known; or nothing
 * was asked for before: trm_state_error says which. TRM_WRONG_MODEL: there is no such matrix. */
TRM_API trm_status trm_state_matrix(const trm_system *s, trm_state *st, trm_matrix which, double *full);
TRM_API trm_status trm_state_entries(const trm_system *s, trm_state *st, trm_matrix which, double *values);

/* At the same state, without allocating: kinetic energy T, potential energy V, and T2 - T0 + V, which is
 * conserved where nothing does work though time or drives stand in T. Each output may be NULL.
 * TRM_NO_SOLUTION as above. */
TRM_API trm_status trm_state_energies(const trm_system *s, trm_state *st, double *kinetic, double *potential,
                                      double *jacobi);
/* How far the constraints are off (rows), e1 - e2, of those on accelerations A q'' - b; and the rate of that
 * (rows) of those on positions, else 0. Either may be NULL. TRM_NO_SOLUTION as above, and where the
 * acceleration has none. */
TRM_API trm_status trm_state_residuals(const trm_system *s, trm_state *st, double *off, double *rate);
/* The outputs of the model, by their names in files; "" beyond the last. */
TRM_API int trm_system_outputs(const trm_system *s);
TRM_API const char *trm_system_output_name(trm_system *s, int i);
/* Their values (outputs). What is built on start(...) or work(...) has 0 there: a state has no past.
 * TRM_NO_SOLUTION as of residuals. */
TRM_API trm_status trm_state_outputs(const trm_system *s, trm_state *st, double *values);

/* For a controller: the force (n) that its `control` statements ask for at time t in the measured state q
 * (n), v (n), which need not satisfy the constraints. back (n) is the part that answers the forces at hand,
 * forward (n) the part that follows from the constraints alone and can be computed beforehand; NAN where M or
 * the constraints depend on the state, so that there is no such division. Each output may be NULL. Does not
 * allocate, nothing is simulated. */
TRM_API trm_status trm_control(const trm_system *s, trm_state *st, double t, const double *q, const double *v,
                               double *control, double *back, double *forward);

// ---- simulation

/* What a run keeps of its samples: nothing, what the model's plots show, all that a page shows, or all
 * columns for trm_result_column. */
typedef enum { TRM_KEEP_NOTHING, TRM_KEEP_PLOTS, TRM_KEEP_PAGE, TRM_KEEP_COLUMNS } trm_keep;

/* The settings of a run and of the other studies. */
typedef struct {
    size_t size;                                  // of this struct: trm_run_def_init
    const char *from, *until, *every, *tolerance; // expressions; NULL: what the model says. tolerance:
                                                  // relative and absolute, at least 1e-14 and below 1
    const char *rank_tolerance;                   // rows of which less remains, once the others are taken
                                                  // out, count as dependent; NULL: follows from tolerance
    const char *integrator;                       // one of trm_integrator_at; NULL: the first
    const char *formulation;                      // one of trm_formulation_at; NULL: the first
    const char *coordinates;                      // one of trm_coordinates_at, in which the motion is
                                                  // integrated; NULL: what the model says, or the first
    const char *csv;                              // file for the samples; NULL for none
    trm_file *file;                               // says how far that file, or a picture, is; may be NULL
    const char *at;               // trm_linearize: "start", "equilibrium", or a time, to which
                                  // the model is run; NULL: the start
    const char *inputs, *outputs; // trm_linearize: lists with commas between, as the option of
                                  // the program; NULL for none
    int along;                    // trm_compare: at every sample of the run, not the start
    int exact;                    // scalar libm everywhere: the same bits on every machine
    int profile;                  // tell where the time went; costs some itself
    trm_keep keep;                // of the samples, for pictures; nothing by default
    void (*progress)(void *context, double part); // from 0 to 1; may be NULL
    void *progress_context;
    void (*expected)(void *context, double seconds); // by trm_compare and trm_linearize before they begin:
                                                     // about how long it takes; context as above; may be NULL
    const volatile sig_atomic_t *stop; // ends the run, or the making of its pictures, when it becomes
                                       // non-zero; may be NULL
    /* Given each sample as it comes: the values (count) of trm_model_column_name. They are gone after the
     * call. What is not 0 ends the run: TRM_INTERRUPTED. May be NULL. */
    int (*sample)(void *context, const double *values, int count);
    void *sample_context;
    const trm_setting *choices; // of what the formulation leaves open, trm_paper_choice_at; in
                                // trm_compare of all formulations. The motion does not depend on them
    int choice_count;
} trm_run_def;

TRM_API void trm_run_def_init(trm_run_def *def, size_t size);
/* The same in one line of C or C++. */
static inline trm_run_def trm_run_def_default(void) {
    trm_run_def def;
    trm_run_def_init(&def, sizeof def);
    return def;
}

/* In all that follows def may be NULL: all defaults.
 *
 * Reads nothing, prints nothing: assembles, simulates, writes the samples if asked. *out is made whenever a
 * run was tried; free it before the model, with trm_result_free. Returns TRM_OK, TRM_EXPECTATION_FAILED,
 * TRM_WRONG_MODEL (options; see trm_result_messages), TRM_NO_SOLUTION, TRM_IO_ERROR, TRM_NO_MEMORY,
 * TRM_INTERRUPTED. */
TRM_API trm_status trm_run(trm_model *m, const trm_run_def *def, trm_result **out);

/* The start from which a run goes: the initial values of the model, with guesses moved to where the
 * constraints hold, by the model's coordinates (trm_model_coordinates): q, v. From them
 * trm_system_from_bodies leads to those of a system. *out tells why there is none; free it, it is made as by
 * trm_run. Returns TRM_OK, TRM_WRONG_MODEL, TRM_NO_SOLUTION, TRM_NO_MEMORY; q and v are not changed then. */
TRM_API trm_status trm_assemble(trm_model *m, const trm_run_def *def, double *q, double *v, trm_result **out);

/* Everything that can be said without simulating; the findings are in trm_result_summary and trm_result_json.
 */
TRM_API trm_status trm_check(trm_model *m, const trm_run_def *def, trm_result **out);

/* The acceleration and constraint force of every formulation of the papers, at the start or along the run,
 * the largest difference between any two, and a certificate of the result. */
TRM_API trm_status trm_compare(trm_model *m, const trm_run_def *def, trm_result **out);

/* The linear system about the assembled start, or where def->at says, an equilibrium or a state of a steady
 * motion, in independent coordinates, with its eigenvalues and modes, and with A, B, C, D of the inputs and
 * outputs asked for; in trm_result_summary and trm_result_json. */
TRM_API trm_status trm_linearize(trm_model *m, const trm_run_def *def, trm_result **out);
/* Of a linear system: A, B, C, D as one table, a line for the rate of each state and for each output, a
 * column for each state and input, as CSV; "" if there is none. */
TRM_API const char *trm_result_matrices(trm_result *r);

/* An equilibrium near the start, at rest or a steady motion: whether it is stable, what is free there, and
 * the forces; in trm_result_summary and trm_result_json. TRM_NO_SOLUTION: there is none; the results tell the
 * nearest approach. */
TRM_API trm_status trm_equilibrium(trm_model *m, const trm_run_def *def, trm_result **out);
/* Of an equilibrium: the text of a model that includes the one at `path`, the name by which it is found from
 * where the text is to be, and starts in the equilibrium; "" if there is none. */
TRM_API const char *trm_result_model(trm_result *r, const char *path);

TRM_API const char *trm_result_summary(trm_result *r);           // for people
TRM_API const char *trm_result_json(trm_result *r);              // one JSON object
TRM_API const char *trm_result_messages(trm_result *r, int how); // why it failed, and warnings; "" if nothing

/* How many samples a run came to; 0 if it failed before the first, and of other studies. */
TRM_API long trm_result_samples(const trm_result *r);

/* The columns of samples, the time first, in the order and by the names of files: x, x', reaction(x) ... ""
 * beyond the last; -1 where there is none of that name. */
TRM_API int trm_model_columns(const trm_model *m);
TRM_API const char *trm_model_column_name(trm_model *m, int i);
TRM_API int trm_result_columns(const trm_result *r);
TRM_API const char *trm_result_column_name(trm_result *r, int i);
TRM_API int trm_result_column_named(trm_result *r, const char *name);
/* Of a run that kept TRM_KEEP_COLUMNS: column i (trm_result_samples); NULL if there is none. It belongs to
 * the result. */
TRM_API const double *trm_result_column(trm_result *r, int i);

/* The results over a run, maximum(e), integral(e) and the like: how many, and by number the name, that of the
 * output or the text of the expression, the value, and the instant of an extremum or a first one. Of a run
 * that failed they are as far as it came. NAN where there is no value or instant, "" for a name beyond the
 * last; none of other studies. */
TRM_API int trm_result_results(const trm_result *r);
TRM_API const char *trm_result_result_name(const trm_result *r, int i);
TRM_API double trm_result_result(const trm_result *r, int i);
TRM_API double trm_result_result_at(const trm_result *r, int i);

/* The expectations that failed in a run, a line each, as the summary has them; "" if none did. */
TRM_API const char *trm_result_failures(trm_result *r);

/* Of a run that kept TRM_KEEP_PAGE: everything that a page shows, as one JSON object that may stand in a
 * <script> element. With `equations` those of the model are in it, which may take as long as the run. Of a
 * run that failed before its first sample, {"error": the messages}. The format: docs/page-data.md. */
TRM_API const char *trm_result_page(trm_result *r, int equations);

typedef struct {
    size_t size;          // of this struct: trm_plot_def_init
    const char *folder;   // made if need be, with those that it is in
    const char *format;   // "svg", "png" or "pdf"; NULL: svg
    double width, height; // of the picture of one plot, mm, 20 to 1000; 0: 85 mm, and as high as it needs
    double letters;       // their size, pt, 4 to 40; 0: 8
} trm_plot_def;

TRM_API void trm_plot_def_init(trm_plot_def *def, size_t size);
static inline trm_plot_def trm_plot_def_default(void) {
    trm_plot_def def;
    trm_plot_def_init(&def, sizeof def);
    return def;
}

/* Of a run that kept its plots: pictures of them, NAME-1.svg, ... and all together as NAME.svg, made by
 * gnuplot. TRM_WRONG_MODEL: there is no plot, no such format, no room, or no gnuplot; TRM_NO_SOLUTION: there
 * are no samples; TRM_IO_ERROR: a file could not be written; trm_result_messages says which; TRM_INTERRUPTED:
 * by the run's stop. Pictures that are there stay then. *files: the names, each followed by a newline. */
TRM_API trm_status trm_result_plots(trm_result *r, const trm_plot_def *def, const char **files);

typedef struct {
    size_t size;            // of this struct: trm_scene_def_init
    const char *path;       // of the picture; without the ending of a format its name
    const double *instants; // side by side, NULL: a moving picture
    int count;
    const char *style;    // "solid" or "lines"; NULL: solid
    const char *view;     // "front", "top", "side" or "iso"; NULL: iso in space, front in the plane
    double width, height; // of the picture of one instant, mm, 10 to 1000; 0: what suits
} trm_scene_def;

TRM_API void trm_scene_def_init(trm_scene_def *def, size_t size);
static inline trm_scene_def trm_scene_def_default(void) {
    trm_scene_def def;
    trm_scene_def_init(&def, sizeof def);
    return def;
}

/* Of a run that kept TRM_KEEP_PAGE: what the animation of its page shows, as .svg and .pdf, or the one that
 * `path` names; moving as an .svg that plays by itself, a .gif, or by ffmpeg .mp4 and .webm. TRM_WRONG_MODEL:
 * the model draws nothing, an instant is not in the run, there is no such format, style or view, or no
 * ffmpeg; otherwise as trm_result_plots. */
TRM_API trm_status trm_result_scene(trm_result *r, const trm_scene_def *def, const char **files);

/* The plots drawn with characters, so many columns wide; "" if there are none, or no samples. */
TRM_API const char *trm_result_sketch(trm_result *r, int columns, int colour);

TRM_API void trm_result_free(trm_result *r);

// ---- sessions

/* A run that is advanced piece by piece, from the assembled start on. How it is cut into pieces changes no
 * bit of it. A session belongs to one thread at a time, and its model must outlive it. */
typedef struct trm_session trm_session;

/* The settings are those of a run; samples are due only if `csv`, `keep` or `sample` ask for them. Beyond
 * `until` the motion goes on; without an end it has none. *out is made also if that fails, so that
 * trm_session_messages can be asked; it is NULL only without memory. Returns TRM_OK, TRM_WRONG_MODEL,
 * TRM_NO_SOLUTION, TRM_IO_ERROR, TRM_NO_MEMORY. */
TRM_API trm_status trm_session_create(trm_model *m, const trm_run_def *def, trm_session **out);
/* To the time `until`, or to the instant at which a 'stop when' ends the motion: *reached (may be NULL).
 * Steps go beyond, and the state there is interpolated and projected. A time before what was reached changes
 * nothing, nor does what is no number: TRM_WRONG_MODEL. TRM_NO_SOLUTION: the motion ends before,
 * trm_session_messages says when and why, and values and *reached stay as they were, or are those of the last
 * sample where samples are due; TRM_INTERRUPTED: by the flag or the function of the settings; TRM_NO_MEMORY.
 * After these three it goes no further. */
TRM_API trm_status trm_session_advance(trm_session *s, double until, double *reached);
/* The columns there (trm_model_columns). They are of the session, and change as it is advanced; NULL if it
 * could not begin. */
TRM_API const double *trm_session_values(const trm_session *s);
/* Sets a parameter, or a coordinate or velocity by its name, x or x', where the session is. The unfinished
 * step is discarded, and the state is assembled anew as from guesses: trm_session_values has it. From there
 * on it is a run of its own, with its own samples, works and start(...). If that fails, everything is as
 * before: TRM_WRONG_MODEL (no such name, a wrong value, a session that writes or keeps samples),
 * TRM_NO_SOLUTION (it cannot be assembled); trm_session_messages says why. */
TRM_API trm_status trm_session_set(trm_session *s, const char *name, double value);
/* A session that goes on from here like the first, to the bit, without its files, samples and progress. It
 * does again what that has done since something was set. */
TRM_API trm_status trm_session_copy(const trm_session *s, trm_session **out);
TRM_API const char *trm_session_messages(trm_session *s, int how);
TRM_API void trm_session_free(trm_session *s);

// ---- sweeps

/* Many runs of one model with other values of its parameters. What a case gives is what trm_run gives after
 * trm_model_set, to the bit, whichever thread or process does it. A case that fails is a result like others:
 * it has its status and a message. */
typedef struct trm_sweep_result trm_sweep_result;

/* How values are combined: all with all, side by side, or drawn: Latin hypercube, Sobol's sequence (at most
 * 21 parameters), independent. */
typedef enum { TRM_GRID, TRM_ZIP, TRM_LHS, TRM_SOBOL, TRM_RANDOM } trm_sampling;

/* What is kept of each case: its end, or all samples. */
typedef enum { TRM_KEEP_FINAL, TRM_KEEP_SAMPLES } trm_sweep_keep;

/* The status of a case is a trm_status, or this: its time was up. */
enum { TRM_CASE_TIMEOUT = 6 };

/* Where several processes share a sweep and its folder: who does which cases. Only numbers of cases travel.
 * Each process calls trm_sweep with the same wish, and all these functions in the thread that called it. */
typedef struct {
    size_t size;     // of this struct: sizeof(trm_deal)
    void *context;   // handed to each function
    int rank, ranks; // this process, from 0, and how many; 0 makes the folder, and has all at the end
    int pause;       // milliseconds between questions
    /* Waits for all others: whether all are fine. */
    int (*meet)(void *context, int fine);
    /* More cases for this process, of `cases`, of which it has done so many: 1: from *first on *count; 0: ask
     * again; -1: there are no more. */
    int (*more)(void *context, long cases, long done, long *first, long *count);
    /* Called again and again, for answers to others. */
    void (*attend)(void *context);
    /* This process is done, or gives up: 1 when all others are, too, else it is asked again. */
    int (*over)(void *context, int gives_up);
} trm_deal;

typedef struct {
    size_t size;             // of this struct: trm_sweep_def_init
    const char *const *vary; // (vary_count) NAME=VALUES, as of the program's --vary
    int vary_count;
    const char *cases;      // in the place of `vary`: a CSV file with names of parameters in its first line
    const char *folder;     // where what was found is kept while it goes on, NAME.sweep: it must not be there
                            // yet, and stays; NULL: in memory
    int threads;            // 0: one for each processor
    int keep;               // a trm_sweep_keep
    const trm_run_def *run; // settings of each case, and the flag that ends the sweep; `csv`, `file`, `keep`,
                            // `sample`, `progress` and what is of other studies are not used. NULL: defaults
    int sampling;           // a trm_sampling
    long draws;             // so many cases, where they are drawn
    long seed;              // of TRM_LHS, TRM_RANDOM
    double timeout;         // seconds for a case; 0: as long as it takes
    long stop_after;        // ends when so many cases failed; 0: never
    void (*progress)(void *context, long done, long failed, long cases, double seconds); // may be NULL
    void *progress_context;
    const trm_deal *deal; // NULL: this process does all
} trm_sweep_def;

TRM_API void trm_sweep_def_init(trm_sweep_def *def, size_t size);

/* *out is made whenever a sweep was tried, and tells what went wrong; free it before the model. Returns
 * TRM_OK; TRM_EXPECTATION_FAILED or TRM_NO_SOLUTION: in some case, of those without a solution at least one;
 * TRM_WRONG_MODEL: the model or what was asked for is wrong; TRM_IO_ERROR: the folder could not be written;
 * TRM_INTERRUPTED; TRM_NO_MEMORY. A folder keeps what was done, whatever happens. The model is not changed,
 * and not to be set while that goes on. */
TRM_API trm_status trm_sweep(trm_model *m, const trm_sweep_def *def, trm_sweep_result **out);
/* Goes on with one that was broken off: reads its model, which must be as it was, into *m, to be freed after
 * *out. Cases that were out of time or memory are tried again. Of def `threads`, `timeout`, `stop_after`,
 * `progress` and run->stop are used; it may be NULL. */
TRM_API trm_status trm_sweep_continue(const char *folder, const trm_sweep_def *def, trm_model **m,
                                      trm_sweep_result **out);
/* What is in a folder, as it is now; nothing is changed there. */
TRM_API trm_status trm_sweep_read(const char *folder, trm_sweep_result **out);
/* Writes a file of all cases: NAME.csv, or NAME.h5, which needs libhdf5. TRM_WRONG_MODEL: another ending, or
 * there is no libhdf5; TRM_IO_ERROR. trm_sweep_messages says why. */
TRM_API trm_status trm_sweep_export(trm_sweep_result *r, const char *path);

/* Draws what suits the plan, by gnuplot, into NAME.svg, .png or .pdf: curves over one parameter, heat maps
 * over two of a grid, dots over those that were drawn; where samples were kept, all curves over the time.
 * TRM_WRONG_MODEL: nothing varies, no such format, or no gnuplot; TRM_IO_ERROR; TRM_INTERRUPTED. */
TRM_API trm_status trm_sweep_plot(trm_sweep_result *r, const char *path);

/* The model of a folder that was read, to be freed after the result. TRM_WRONG_MODEL, with a message, if it
 * is no longer as it was, and *m is that all the same; what trm_model_read returns. */
TRM_API trm_status trm_sweep_model(trm_sweep_result *r, trm_model **m);
/* The data of a page that shows it, as JSON (docs/page-data.md). m: its model, which the page can run then;
 * NULL: it cannot. "" without memory, or if it is too large, which a message tells. */
TRM_API const char *trm_sweep_page(trm_sweep_result *r, trm_model *m);

TRM_API long trm_sweep_cases(const trm_sweep_result *r);
TRM_API int trm_sweep_status(const trm_sweep_result *r, long which);    // of a case; -1: it was not done
TRM_API const char *trm_sweep_message(trm_sweep_result *r, long which); // until the next one is asked for
/* The columns: the parameters that were varied, what a run has at its end by the names of files, the worst
 * residual, the energy balance (relative) and the number of steps. NAN where a case has none: the end of one
 * that failed is but its time. "" or NULL beyond the last. Arrays belong to the result. */
TRM_API int trm_sweep_parameters(const trm_sweep_result *r); // how many the first are
TRM_API int trm_sweep_columns(const trm_sweep_result *r);
TRM_API const char *trm_sweep_column_name(trm_sweep_result *r, int i);
TRM_API const double *trm_sweep_column(trm_sweep_result *r, int i); // (cases)
/* Where samples were kept: those of a case, (*count x trm_sweep_sampled), the columns that follow the
 * parameters. They are gone with the next ones. NULL if there are none. */
TRM_API int trm_sweep_sampled(const trm_sweep_result *r);
TRM_API const double *trm_sweep_samples(trm_sweep_result *r, long which, long *count);
TRM_API const char *trm_sweep_summary(trm_sweep_result *r);           // for people
TRM_API const char *trm_sweep_json(trm_sweep_result *r);              // one JSON object
TRM_API const char *trm_sweep_messages(trm_sweep_result *r, int how); // "" if nothing is to be said
TRM_API void trm_sweep_free(trm_sweep_result *r);

// ---- robot descriptions

typedef struct {
    size_t size;       // of this struct: trm_import_def_init
    const char *loops; // file with statements to add, such as joints that close loops; NULL for none
    int free_base;     // the base is a body that moves; else it is the ground
    const char *model; // where the text is to stand, so that it names meshes from there; NULL: here
} trm_import_def;

TRM_API void trm_import_def_init(trm_import_def *def, size_t size);
static inline trm_import_def trm_import_def_default(void) {
    trm_import_def def;
    trm_import_def_init(&def, sizeof def);
    return def;
}

/* Turns a robot description in URDF, SDF or MJCF, told by its root element, into the text of a model. Needs
 * libxml2, which is loaded then. def may be NULL. *out is made also when the
 * file is wrong, so that its messages can be asked for; it is NULL only without memory. Free it with
 * trm_import_free. Returns TRM_OK, TRM_WRONG_MODEL, TRM_IO_ERROR or TRM_NO_MEMORY. */
TRM_API trm_status trm_import_read(const char *path, const trm_import_def *def, trm_import **out);
TRM_API const char *trm_import_text(const trm_import *m); // "" if the file is wrong
/* What is wrong, and what of the file is not in the model; "" if nothing. */
TRM_API const char *trm_import_messages(trm_import *m, int how);
/* Whether the name leads to a file that was read for it, by whatever way. */
TRM_API int trm_import_is_source(const trm_import *m, const char *path);
TRM_API void trm_import_free(trm_import *m);

// ---- standalone C

typedef struct {
    size_t size;        // of this struct: trm_emit_def_init
    const char *prefix; // what files and functions begin with, an identifier; NULL: the model's file name
    const char *solver; // "both", or "direct": without the general solver; NULL: both
    const char *coordinates; // as in trm_run_def; NULL: as the model says
    int jacobian;            // its derivatives, too
    int no_main;             // without the program that prints samples
    int single_precision;    // float in the place of double
} trm_emit_def;

TRM_API void trm_emit_def_init(trm_emit_def *def, size_t size);
static inline trm_emit_def trm_emit_def_default(void) {
    trm_emit_def def;
    trm_emit_def_init(&def, sizeof def);
    return def;
}
TRM_API trm_choice trm_emit_solver_at(int i); // what `solver` can be

/* The equations of motion, their solution, projection, outputs and controls as C99 that needs nothing but the
 * mathematical part of the C library, with the parameters' values as they are now. def may be NULL. *out is
 * made also when it cannot be done, so that its messages can be asked for; it is NULL only without memory.
 * Free it with trm_emission_free. Returns TRM_OK, TRM_WRONG_MODEL (or not emitted yet: the message says why),
 * TRM_NO_SOLUTION (the start cannot be assembled) or TRM_NO_MEMORY. */
TRM_API trm_status trm_emit_c(trm_model *m, const trm_emit_def *def, trm_emission **out);
/* The files: PREFIX.h, PREFIX.c and, unless that is not asked for, PREFIX_main.c. Beyond the last "". */
TRM_API int trm_emission_files(const trm_emission *e);
TRM_API const char *trm_emission_file_name(const trm_emission *e, int i);
TRM_API const char *trm_emission_file_text(const trm_emission *e, int i);
/* Sizes, for people: operations of an acceleration, bytes of memory of one object, and of code as expected on
 * a small processor. */
TRM_API const char *trm_emission_summary(const trm_emission *e);
TRM_API const char *trm_emission_messages(trm_emission *e, int how); // why not; "" if all went well
TRM_API void trm_emission_free(trm_emission *e);

#ifdef __cplusplus
}
#endif

#endif
