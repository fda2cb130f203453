/* Numbers to text and back as in the C locale, whatever locale the host has set: 1.5, never 1,5. Nothing of
 * the process is changed, and other threads notice nothing. All that the library formats and all numbers that
 * it reads come through here. */
#ifndef TRAMMEL_BASE_NUMBER_H
#define TRAMMEL_BASE_NUMBER_H

#include <stdarg.h>
#include <stddef.h>

/* vsnprintf, snprintf and strtod. */
int number_vprint(char *buffer, size_t room, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
int number_print(char *buffer, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));
double number_read(const char *digits, char **end); // end may be NULL

/* The shortest decimal form that reads back as the same double ("0.1", "1e-10", "-3"). Not finite: "nan",
 * "inf", "-inf". The buffer holds at least 32 bytes; returns it. */
char *number_shortest(char *buffer, double value);

#endif
