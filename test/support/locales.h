/* A locale whose decimal sign is a comma: one of the system's, or else made with localedef in a folder of its
 * own, which is removed at the end. */
#ifndef TRAMMEL_TEST_LOCALES_H
#define TRAMMEL_TEST_LOCALES_H

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const locales_with_comma[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
static char locales_folder[] = "/tmp/trammel-locales-XXXXXX";

static inline void locales_remove(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", locales_folder);
    if (system(command) != 0)
        fprintf(stderr, "%s is left behind\n", locales_folder);
}

// makes one where the system has none; once
static inline void locales_make(void) {
    static bool made;
    char command[256];
    if (made || mkdtemp(locales_folder) == NULL)
        return;
    made = true;
    atexit(locales_remove);
    snprintf(command, sizeof command, "localedef -f UTF-8 -i de_DE %s/de_DE.UTF-8 >/dev/null 2>&1",
             locales_folder);
    if (system(command) == 0)
        setenv("LOCPATH", locales_folder, 1);
}

// for the whole process; false if there is none and none can be made
static inline bool locales_set_comma(void) {
    for (int attempt = 0; attempt < 2; attempt++) {
        for (size_t i = 0; i < sizeof locales_with_comma / sizeof *locales_with_comma; i++)
            if (setlocale(LC_ALL, locales_with_comma[i]))
                return true;
        locales_make();
    }
    printf("skipped: no locale with a comma, and none could be made (package locales)\n");
    return false;
}

// for a thread; 0 if there is none. (newlocale would do, but the C library leaks there with LOCPATH)
static inline locale_t locales_comma(void) {
    if (!locales_set_comma())
        return (locale_t)0;
    locale_t found = duplocale(LC_GLOBAL_LOCALE);
    setlocale(LC_ALL, "C");
    return found;
}

#endif
