/* SIGINT, SIGTERM and SIGHUP: asked to stop, the library ends a run at its next step, and the program in
 * order. Where no answer comes in half a second, because a model is read or compiled, or a single evaluation
 * takes longer, the program ends all the same, after putting the samples that are written in place. The exit
 * code is 130.
 *
 * What a command gives goes through program_put and program_write, which give nothing while an interruption
 * waits for its answer, and main looks once more at the end: so no command swallows one. */
#ifndef TRAMMEL_CLI_INTERRUPT_H
#define TRAMMEL_CLI_INTERRUPT_H

#include <trammel/trammel.h>

#include <signal.h>
#include <stdbool.h>

extern volatile sig_atomic_t interrupt_flag; // set by the first signal
extern trm_file interrupt_file;              // what is being written; to be given to the library

void interrupt_catch(void); // from now on
/* For a child process, which is ended by its parent. */
void interrupt_ignore(void);
/* What is told of an interruption: that samples are kept in the file, by the name that was asked for; where
 * there are none, `otherwise`, as "no page was made". */
void interrupt_about(const char *name, const char *otherwise);
/* Whether one came of which nothing has been told. */
bool interrupt_waits(void);
/* Tells of it, once. */
void interrupt_tell(void);
/* What was asked for is done: one that comes now is too late, and only ends what takes longer than it should.
 */
void interrupt_settle(void);
/* There is a progress bar on the terminal to clear. */
void interrupt_bar(bool shown);

#endif
