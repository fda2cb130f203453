/* The one table of what the program can be asked: its commands and their options. The command line is read by
 * it; help, the man page and the completions of shells are written from it. */
#ifndef TRAMMEL_CLI_COMMANDS_H
#define TRAMMEL_CLI_COMMANDS_H

#include <trammel/trammel.h>

#include <stdbool.h>

enum { OPTIONS_MOST = 96 };

typedef struct {
    const char *name, *usage;
    const char *brief;  // a few words
    const char *more;   // sentences; may be NULL
    const char *ending; // of the files that are its argument: ".tram", "" for any; NULL: it is no file
    bool later;         // not yet part of this version
} command;

typedef enum { VALUE_NONE, VALUE_ANY, VALUE_FILE, VALUE_CHOICE } value_kind;

typedef struct {
    const char *name;
    value_kind kind;
    const char *value;            // what it is called in help
    unsigned of;                  // commands, bits in the order of their table
    bool anywhere;                // where it says nothing it does no harm
    const char *brief, *more;     // more may be NULL
    trm_choice (*choices)(int i); // of VALUE_CHOICE; of VALUE_ANY what NAME can be; else NULL
} option;

extern const command command_table[]; // to the first without a name
/* To the first without a name. An option that means one thing to one command and another to the next has
 * several rows, all with a value or all without. */
extern const option option_table[];

const command *command_find(const char *name); // NULL if there is none
const option *option_find(const char *name);   // the first of its rows
/* Whether the choice of that number is what is taken if the option is not given. */
static inline bool option_has_default(const option *o, int choice) {
    return choice == 0 && o->kind == VALUE_CHOICE;
}
/* Whether a row is of a command (NULL: of none). */
bool option_is_of(const option *o, const command *c);

#endif
