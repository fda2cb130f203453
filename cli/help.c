#include "help.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 100, COLUMN = 22 }; // of the page, and where it is said what an option does

const char *help_guess(const char *name) {
    const char *names[OPTIONS_MOST];
    int count = 0;
    for (const command *c = command_table; c->name; c++)
        names[count++] = c->name;
    return trm_closest(name, names, count);
}

// words of a text to lines; the first begins at column `at`, the others are indented
static void print_wrapped(const char *text, int at, int indent) {
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (at > indent && at + 1 + length > WIDTH)
            at = printf("\n%*s", indent, "") - 1;
        at += printf(at > indent ? " %.*s" : "%.*s", length, text);
        text += length + (text[length] == ' ');
    }
    puts("");
}

static void print_choices(const option *o) {
    for (int i = 0; o->choices(i).name; i++)
        printf("%*s%-13s %s%s\n", COLUMN + 2, "", o->choices(i).name, o->choices(i).about,
               option_has_default(o, i) ? " (default)" : "");
}

static void print_option(const option *o) {
    int at = printf("  %s %s", o->name, o->value ? o->value : "");
    at += printf("%*s", at < COLUMN ? COLUMN - at : 2, "");
    print_wrapped(o->brief, at, COLUMN);
    if (o->choices)
        print_choices(o);
}

static void print_commands(void) {
    for (const command *c = command_table; c->name; c++)
        if (!c->later)
            printf("  %-11s %s\n", c->name, c->brief);
}

void help_print(void) {
    puts("usage: trammel COMMAND FILE [options]\n");
    print_commands();
    puts("\n'trammel help COMMAND' lists a command's options; 'trammel --version' says what is built in.\n"
         "Exit codes: 0 all went well, 1 an expectation failed, 2 the model or command line is wrong,\n"
         "3 the numbers do not allow it, 4 a file could not be read or written, 130 interrupted.");
}

void help_print_command(const command *c) {
    bool any = false;
    for (const option *o = option_table; o->name; o++)
        any |= option_is_of(o, c);
    printf("usage: %s%s\n\n%s.\n", c->usage, any ? " [options]" : "", c->brief);
    if (c->more)
        print_wrapped(c->more, 0, 0);
    if (any)
        puts("");
    for (const option *o = option_table; o->name; o++)
        if (option_is_of(o, c))
            print_option(o);
    if (c->later)
        puts("This command is not yet part of this version.");
}
