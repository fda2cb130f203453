#include "help.h"

#include <trammel/trammel.h>

#include <stdio.h>
#include <string.h>

static const char options_of_run[] =
    "  --until E           end time (instead of the model's 'simulate until')\n"
    "  --every E           sampling interval\n"
    "  --tolerance E       relative and absolute tolerance (1e-9 if the model gives none)\n"
    "  --integrator NAME   rk8 (default), rk5, or bdf and adams of SUNDIALS\n"
    "  --formulation NAME  default, or one of the papers': fundamental, inverse14, gauss, dalembert,\n"
    "                      gibbs-appell, lagrange, stacked, auxiliary, poincare\n"
    "  --exact             scalar libm everywhere: the same bits on every machine\n"
    "  --profile           where the time went\n"
    "  --json              the summary as one JSON object on standard output\n"
    "  -o FILE.csv         write the samples\n"
    "  --plot              the model's plots, drawn with characters\n"
    "  --set NAME=EXPR     give a parameter another value; may be repeated\n"
    "  --quiet             no summary, no warnings\n";

static const char options_of_check[] =
    "  --json              the findings as one JSON object\n"
    "  --tolerance E       how well the start must satisfy the constraints\n"
    "  --set NAME=EXPR     give a parameter another value; may be repeated\n"
    "  --quiet             no findings, only the exit code and errors\n";

static const char options_of_equations[] =
    "  --latex             as LaTeX instead of text\n"
    "  --mathml            as MathML, for web pages\n"
    "  --set NAME=EXPR     give a parameter another value; may be repeated\n";

static const char options_of_compare[] =
    "  --along             at every sample of the run instead of the start\n"
    "  --json              all accelerations and forces as one JSON object\n"
    "  --until E           end of that run; also --every, --tolerance, --integrator, --exact\n"
    "  --set NAME=EXPR     give a parameter another value; may be repeated\n"
    "  --quiet             no comparison, only the exit code and errors\n";

static const char options_of_import[] =
    "  -o FILE.tram        write the model there, - for standard output; without it NAME.tram beside\n"
    "                      NAME.urdf, which is not overwritten\n"
    "  --loops FILE        add the statements of FILE, such as joints that close loops\n"
    "  --free-base         let the base of the robot move; else it is the ground\n"
    "  --quiet             errors only, not what of the robot is left out\n";

static const char options_of_linearize[] =
    "  --json              matrix, eigenvalues and modes as one JSON object\n"
    "  --tolerance E       how well the start must satisfy the constraints\n"
    "  --set NAME=EXPR     give a parameter another value; may be repeated\n"
    "  --quiet             no result, only the exit code and errors\n";

#define OPTIONS_OF_ITS_RUN                                                                                   \
    "  --until E           end of the run; also --every, --tolerance, --integrator, --formulation, "         \
    "--exact\n"                                                                                              \
    "  --set NAME=EXPR     give a parameter another value; may be repeated\n"

static const char options_of_plot[] =
    "  -o FOLDER           where the pictures go; NAME-plots if it is not given\n"
    "  --format FORMAT     svg (default), png or pdf\n" OPTIONS_OF_ITS_RUN
    "  --quiet             no warnings, no list of files\n\n"
    "gnuplot draws them: NAME-1.svg and so on, and NAME.svg with all of them. Exit code 2 if it is "
    "missing.\n";

static const char options_of_report[] =
    "  -o FILE.html        where the page goes; NAME.html if it is not given\n" OPTIONS_OF_ITS_RUN
    "  --quiet             no warnings\n\n"
    "The page needs no network and no other file.\n";

static const char options_of_view[] =
    "  --port N            the port; without it the system chooses one\n" OPTIONS_OF_ITS_RUN
    "  --quiet             only the address\n\n"
    "It prints the address of the page, which only this machine can open, and serves it until Ctrl-C. A run\n"
    "that takes longer than 10 s is given up.\n";

const command_help command_helps[] = {
    {"new", "trammel new FILE", "write a short commented model to start from",
     "It never overwrites a file.\n", false},
    {"run", "trammel run FILE", "assemble, simulate, summarise", options_of_run, false},
    {"check", "trammel check FILE", "say everything that can be said without simulating", options_of_check,
     false},
    {"equations", "trammel equations FILE", "print the derived M, Q, A, b", options_of_equations, false},
    {"compare", "trammel compare FILE", "hold the papers' formulations against each other",
     options_of_compare, false},
    {"linearize", "trammel linearize FILE", "the linear system about the start, with eigenvalues and modes",
     options_of_linearize, false},
    {"plot", "trammel plot FILE", "the model's plots as pictures", options_of_plot, false},
    {"report", "trammel report FILE", "one page with summary, plots and animation", options_of_report, false},
    {"view", "trammel view FILE", "that page, served, with sliders", options_of_view, false},
    {"import", "trammel import FILE.urdf", "a model from a robot description", options_of_import, false},
    {"emit", "trammel emit FILE", "standalone C", "", true},
    {"sweep", "trammel sweep FILE", "many runs over parameters", "", true},
    {NULL, NULL, NULL, NULL, false},
};

const command_help *help_find(const char *name) {
    for (const command_help *c = command_helps; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

const char *help_guess(const char *name) {
    const char *names[sizeof command_helps / sizeof *command_helps];
    int count = 0;
    for (const command_help *c = command_helps; c->name; c++)
        names[count++] = c->name;
    return trm_closest(name, names, count);
}

void help_print(void) {
    puts("usage: trammel COMMAND FILE [options]\n");
    for (const command_help *c = command_helps; c->name; c++)
        if (!c->later)
            printf("  %-10s %s\n", c->name, c->brief);
    puts("\n'trammel help COMMAND' lists a command's options; 'trammel --version' says what is built in.\n"
         "Exit codes: 0 all went well, 1 an expectation failed, 2 the model or command line is wrong,\n"
         "3 the numbers do not allow it, 4 a file could not be read or written, 130 interrupted.\n\n"
         "Not yet there:");
    for (const command_help *c = command_helps; c->name; c++)
        if (c->later)
            printf("  %-10s %s\n", c->name, c->brief);
}

void help_print_command(const command_help *c) {
    printf("usage: %s%s\n\n%s.\n%s", c->usage, c->text[0] == ' ' ? " [options]" : "", c->brief,
           c->text[0] ? "\n" : "");
    fputs(c->text, stdout);
    if (c->later)
        puts("This command is not yet part of this version.");
}
