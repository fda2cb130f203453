#include "completion.h"

#include "commands.h"
#include "terminal.h"

#include <stdio.h>
#include <string.h>

static void put_names(void) {
    for (const command *c = command_table; c->name; c++)
        if (!c->later)
            printf("%s%s", c == command_table ? "" : " ", c->name);
}

static void put_choices(const option *o) {
    for (int i = 0; o->choices(i).name; i++)
        printf("%s%s", i ? " " : "", o->choices(i).name);
}

// an option may be given to a command
static bool takes(const command *c, const option *o) {
    return !c->later && option_is_of(o, c);
}

// the first row of an option
static bool is_first(const option *o) {
    return option_find(o->name) == o;
}

// ---- bash

static const char bash_start[] =
    "# Completion of trammel's command line for bash; written by 'trammel completion bash'.\n\n"
    "_trammel() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=\"\" file word\n"
    "    local options=\"\" pattern=\"\" names=\"\" commands=\"";

static const char bash_command[] =
    "\"\n\n"
    "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
    "        if [[ \" $commands \" == *\" $word \"* ]]; then\n"
    "            command=$word\n"
    "            break\n"
    "        fi\n"
    "    done\n\n"
    "    # what stands in the command's place and is none has no options\n"
    "    if [[ -z $command && $COMP_CWORD -gt 1 && ${COMP_WORDS[1]} != -* ]]; then\n"
    "        COMPREPLY=()\n"
    "        return\n"
    "    fi\n\n"
    "    case $prev in\n";

static const char bash_end[] =
    "        esac\n"
    "        [[ $cur == -* && -z $names ]] && names=$options\n"
    "        ;;\n"
    "    esac\n\n"
    "    COMPREPLY=()\n"
    "    if [[ -n $names ]]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$names\" -- \"$cur\")\n"
    "        return\n"
    "    fi\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    while IFS= read -r file; do\n"
    "        # shellcheck disable=SC2053 # the right side is a pattern\n"
    "        [[ -z $pattern || -d $file || $file == $pattern ]] && COMPREPLY+=(\"$file\")\n"
    "    done < <(compgen -f -- \"$cur\")\n"
    "}\n\n"
    "complete -F _trammel trammel\n";

static void bash_command_options(const command *c) {
    printf("        %s)", c->name);
    if (strcmp(c->name, "help") == 0)
        printf(" names=$commands");
    else if (strcmp(c->name, "completion") == 0)
        printf(" names=\"bash zsh fish\"");
    else {
        bool any = false;
        for (const option *o = option_table; o->name; o++)
            if (takes(c, o))
                any = printf("%s%s", any ? " " : " options=\"", o->name) > 0;
        printf(any ? "\"" : "");
        if (c->ending && c->ending[0])
            printf(" pattern='*%s'", c->ending);
    }
    puts(" ;;");
}

static void bash(void) {
    fputs(bash_start, stdout);
    put_names();
    fputs(bash_command, stdout);
    for (const option *o = option_table; o->name; o++) {
        if (!is_first(o) || o->kind == VALUE_NONE)
            continue;
        printf("    %s) ", o->name);
        if (o->kind == VALUE_CHOICE) {
            printf("names=\"");
            put_choices(o);
            puts("\" ;;");
        } else
            puts(o->kind == VALUE_FILE ? "pattern= ;;" : "return ;;");
    }
    puts("    *)\n        case $command in\n        \"\") names=\"$commands --version\" ;;");
    for (const command *c = command_table; c->name; c++)
        if (!c->later)
            bash_command_options(c);
    fputs(bash_end, stdout);
}

// ---- zsh

// in single quotes, without what would end a description
static void put_brief(const char *brief) {
    for (; *brief; brief++)
        if (*brief == '\'')
            fputs("'\\''", stdout);
        else if (strchr("[]", *brief) == NULL)
            putchar(*brief == ':' ? ',' : *brief);
}

static void zsh_option(const option *o) {
    printf(" \\\n    '%s%s[", o->value && strcmp(o->value, "NAME=EXPR") == 0 ? "*" : "", o->name);
    put_brief(o->brief);
    printf("]");
    if (o->kind == VALUE_CHOICE) {
        printf(":%s:(", o->value);
        put_choices(o);
        printf(")");
    } else if (o->kind != VALUE_NONE)
        printf(":%s:%s", o->value, o->kind == VALUE_FILE ? "_files" : "");
    printf("'");
}

static void zsh_command(const command *c) {
    printf("%s) ", c->name);
    if (strcmp(c->name, "help") == 0) {
        puts("_describe command commands ;;");
        return;
    }
    printf("_arguments");
    for (const option *o = option_table; o->name; o++)
        if (takes(c, o))
            zsh_option(o);
    if (c->ending)
        printf(c->ending[0] ? " \\\n    '1:file:_files -g \"*%s\"'" : " \\\n    '1:file:_files%s'",
               c->ending);
    else
        printf(" '1:shell:(bash zsh fish)'");
    puts(" ;;");
}

static void zsh(void) {
    puts("#compdef trammel\n# Completion of trammel's command line for zsh; written by 'trammel completion "
         "zsh'.\n\n"
         "local -a commands\ncommands=(");
    for (const command *c = command_table; c->name; c++) {
        if (c->later)
            continue;
        printf("    '%s:", c->name);
        put_brief(c->brief);
        puts("'");
    }
    puts(")\n\nif ((CURRENT == 2)); then\n    _describe command commands\n    return\nfi\n"
         "local command=$words[2]\nshift words\n((CURRENT--))\ncase $command in");
    for (const command *c = command_table; c->name; c++)
        if (!c->later)
            zsh_command(c);
    puts("esac");
}

// ---- fish

static void put_quoted(const char *text) {
    putchar('\'');
    for (; *text; text++)
        printf(*text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
    putchar('\'');
}

static void fish_option(const option *o) {
    printf("complete -c trammel -n '__fish_seen_subcommand_from");
    for (const command *c = command_table; c->name; c++)
        if (takes(c, o))
            printf(" %s", c->name);
    printf("' %s %s", o->name[1] == '-' ? "-l" : "-s", o->name + (o->name[1] == '-' ? 2 : 1));
    if (o->kind == VALUE_CHOICE) {
        printf(" -x -a '");
        put_choices(o);
        printf("'");
    } else if (o->kind != VALUE_NONE)
        printf(o->kind == VALUE_FILE ? " -r" : " -x");
    printf(" -d ");
    put_quoted(o->brief);
    puts("");
}

static void fish(void) {
    puts("# Completion of trammel's command line for fish; written by 'trammel completion fish'.\n");
    for (const command *c = command_table; c->name; c++) {
        if (c->later)
            continue;
        printf("complete -c trammel -n __fish_use_subcommand -f -a %s -d ", c->name);
        put_quoted(c->brief);
        puts("");
    }
    puts("complete -c trammel -n __fish_use_subcommand -l version -d 'the version and what is built in'\n"
         "complete -c trammel -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'");
    for (const option *o = option_table; o->name; o++)
        if (o->of)
            fish_option(o);
}

// ---- the man page

// hyphens as they are typed, options in bold; no line begins with a dot
static void put_roff(const char *text) {
    bool bold = false, inside = false; // within an option, within a word
    for (; *text; text++) {
        bool begins = !inside && text[0] == '-' && (text[1] == '-' || text[1] == 'o');
        inside = *text != ' ' && *text != '(' && *text != '\'';
        if (begins)
            fputs("\\fB", stdout);
        if (bold && !begins && strchr(" ,.;:)'", *text)) {
            fputs("\\fR", stdout);
            bold = false;
        }
        bold |= begins;
        if (*text == '-')
            fputs("\\-", stdout);
        else if (*text == '\'')
            fputs("\\(aq", stdout);
        else
            putchar(*text);
    }
    fputs(bold ? "\\fR" : "", stdout);
}

// the first letter large, a full stop behind it
static void put_sentence(const char *brief, const char *more) {
    char first[2] = {brief[0] >= 'a' && brief[0] <= 'z' ? (char)(brief[0] - 'a' + 'A') : brief[0], '\0'};
    put_roff(first);
    put_roff(brief + 1);
    puts(".");
    if (more) {
        put_roff(more);
        puts("");
    }
}

static void man_choices(const option *o) {
    puts(".RS");
    for (int i = 0; o->choices(i).name; i++) {
        printf(".TP\n.B ");
        put_roff(o->choices(i).name);
        puts("");
        put_roff(o->choices(i).about);
        puts(option_has_default(o, i) ? " (the default)" : "");
    }
    puts(".RE");
}

static void man_option(const option *o) {
    printf(".TP\n.BI ");
    for (const char *c = o->name; *c; c++)
        printf(*c == '-' ? "\\-" : "%c", *c);
    if (o->value)
        printf(" \" %s\"", o->value);
    puts("");
    bool any = false;
    for (const command *c = command_table; c->name; c++)
        if (takes(c, o) && !o->anywhere)
            any = printf("%s%s", any ? ", " : "(", c->name) > 0;
    fputs(any ? ")\n" : "", stdout);
    put_sentence(o->brief, o->more);
    if (o->choices)
        man_choices(o);
}

static void man(void) {
    puts(".SH COMMANDS");
    for (const command *c = command_table; c->name; c++) {
        printf(".TP\n.BI %s \" %s\"\n", c->name, strrchr(c->usage, ' ') + 1);
        put_sentence(c->brief, c->more);
        if (c->later)
            puts("Not yet part of this version.");
    }
    puts(".SH OPTIONS");
    for (const option *o = option_table; o->name; o++)
        man_option(o);
}

int completion_command(const char *shell) {
    static const struct {
        const char *name;
        void (*write)(void);
    } kinds[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}, {"man", man}};
    for (size_t i = 0; shell && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, shell) == 0) {
            kinds[i].write();
            return 0;
        }
    terminal_say("'completion' is for bash, zsh or fish, as in: trammel completion bash");
    return TRM_WRONG_MODEL;
}
