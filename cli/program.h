/* What the files of the program share. */
#ifndef TRAMMEL_CLI_PROGRAM_H
#define TRAMMEL_CLI_PROGRAM_H

#include "options.h"

#include <signal.h>

extern volatile sig_atomic_t program_interrupted; // set by SIGINT and SIGTERM once they are caught

void program_catch_signals(void);
int program_use_colour(void); // on standard error
int program_exit_code(trm_status status);
/* Writes to standard output; a full disk or a closed pipe is told, and gives false. */
bool program_put(const char *text);
int program_out_of_memory(void);
/* Reads the model and tells what is wrong with it. */
trm_status program_read_model(const options *o, trm_model **m);
/* Runs it, with a progress bar and an ear for interruptions. */
trm_status program_run_model(options *o, trm_model *m, trm_result **result);
/* Tells why a run failed, and of its warnings. */
void program_tell(const options *o, trm_status status, trm_result *result);
/* The same, and which expectations failed, for commands that print no summary. */
void program_tell_all(const options *o, trm_status status, trm_result *result);
/* The name of the model's file without folder and ending, with something behind it. */
void program_name(const char *path, const char *behind, char *out, size_t room);

// ---- pictures.c and view.c
int command_plot(options *o);
int command_report(options *o);
int command_view(options *o);

#endif
