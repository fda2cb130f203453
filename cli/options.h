/* The command line: what was asked for. */
#ifndef TRAMMEL_CLI_OPTIONS_H
#define TRAMMEL_CLI_OPTIONS_H

#include "commands.h"

enum { SETTINGS_MOST = 256 };

typedef struct {
    const char *command; // NULL if none was given
    const char *file;    // the argument of the command
    const char *output;  // -o
    const char *format;  // of pictures
    const char *width, *height, *letters;
    const char *instants, *style, *view; // of scenes
    const char *port;                    // of view
    const char *vary[SETTINGS_MOST];     // of sweep, and what follows
    int vary_count;
    const char *draws, *seed, *cases, *keep, *threads, *timeout, *stop_after, *resume, *export;
    bool tidy;
    bool quiet, json, sketch, animate, version, help, no_engine, no_browser;
    trm_notation notation;
    trm_run_def run;
    trm_import_def import;
    trm_emit_def emit;
    const char *language; // of emit
    trm_setting settings[SETTINGS_MOST];
    int setting_count;
    trm_setting choices[SETTINGS_MOST];
    bool given[OPTIONS_MOST]; // by the table of options
} options;

/* False, after telling what is wrong on standard error. Changes argv's strings (NAME=EXPR is cut in two). */
bool options_read(options *o, int argc, char **argv);

#endif
