/* What the files of the program share. */
#ifndef TRAMMEL_CLI_PROGRAM_H
#define TRAMMEL_CLI_PROGRAM_H

#include "options.h"
#include "page.h"

int program_messages(void); // how they are shown, on standard error
int program_exit_code(trm_status status);
/* Writes to standard output; a full disk or a closed pipe is told, and gives false, as an interruption does
 * of which nothing has been told yet. */
bool program_put(const char *text);
int program_out_of_memory(void);
trm_status program_no_report(void); // there was memory for the run, but not for telling of it
/* Writes a file, if no interruption comes before; what goes wrong is told. With `fresh` one that is there is
 * not replaced. */
trm_status program_write(const char *path, const char *text, bool fresh);
bool program_is_stdout(const char *path); // "-" and the names by which the system knows it
/* Tells if a file that is to be written is one that the model was read from; TRM_WRONG_MODEL then. */
trm_status program_spare_model(const trm_model *m, const char *path);
void program_tell_model(trm_model *m); // what is wrong with it, as read
/* Reads the model and tells what is wrong with it. */
trm_status program_read_model(const options *o, trm_model **m);
/* Runs it, with a progress bar and an ear for interruptions. */
trm_status program_run_model(options *o, trm_model *m, trm_result **result);
/* Tells why a run failed, and of its warnings. */
void program_tell(const options *o, trm_status status, trm_result *result);
/* The same, and which expectations failed, for commands that print no summary. */
void program_tell_all(const options *o, trm_status status, trm_result *result);
/* The number that an option was given, 0 if it was not; `of` is its unit. False, after telling: it is none.
 */
bool program_number(const char *name, const char *of, const char *given, double *out);
double program_clock(void); // seconds of a clock that nobody sets
/* The name of the model's file without folder and ending, with something behind it. */
void program_name(const char *path, const char *behind, char *out, size_t room);

/* Of a run that failed, up to there; who interrupts wants none, and what is there stays. */
static inline bool program_has_picture(trm_status status) {
    return status == TRM_OK || status == TRM_EXPECTATION_FAILED || status == TRM_NO_SOLUTION;
}

// ---- pictures.c and view.c
int command_plot(options *o);
int scene_plot(options *o); // scenes.c
int command_report(options *o);
int command_view(options *o);
int command_playground(options *o); // playground.c

// ---- sweep.c
int command_sweep(options *o);
bool sweep_is_asked(const options *o); // by plot and report: many cases
bool sweep_is_folder(const char *path);
int sweep_plot(options *o, const char *folder);
int sweep_report(options *o, const page_frame *page, const char *path);

#endif
