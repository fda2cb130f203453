#include "base/number.h"

#include <float.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// this thread's locale becomes C if its decimal sign is not a point; what it was, or 0 if it stayed
static locale_t enter(void) {
    const char *sign = nl_langinfo(RADIXCHAR);
    return strcmp(sign, ".") == 0 ? (locale_t)0 : uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

static void leave(locale_t before) {
    if (before)
        freelocale(uselocale(before));
}

int number_vprint(char *buffer, size_t room, const char *format, va_list args) {
    locale_t before = enter();
    int length = vsnprintf(buffer, room, format, args);
    leave(before);
    return length;
}

int number_print(char *buffer, size_t room, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int length = number_vprint(buffer, room, format, args);
    va_end(args);
    return length;
}

double number_read(const char *digits, char **end) {
    locale_t before = enter();
    double value = strtod(digits, end);
    leave(before);
    return value;
}

/* Whether so many digits may give the same number, by how far they are from 17 of them: half of the distance
 * between numbers is 2^-53 of them at most, and these are rounded, too. */
static bool may_do(const char *seventeen, int digits) {
    long long all = 0, unit = digits == 15 ? 100 : 10;
    int count = 0;
    for (const char *at = seventeen; *at && *at != 'e'; at++)
        if (*at >= '0' && *at <= '9' && (count > 0 || *at != '0')) {
            all = 10 * all + (*at - '0');
            count++;
        }
    for (; count < 17; count++)
        all *= 10;
    long long rest = all % unit, off = rest < unit - rest ? rest : unit - rest;
    return (double)off <= 2 + 1.2e-16 * (double)all;
}

char *number_shortest(char *buffer, double value) {
    if (isnan(value))
        return strcpy(buffer, "nan");
    if (isinf(value))
        return strcpy(buffer, value > 0 ? "inf" : "-inf");
    locale_t before = enter();
    snprintf(buffer, 32, "%.17g", value);
    // %g leaves trailing zeros away, so 15 digits also find 0.1; subnormal numbers may have as few as one
    for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits < 17; digits++) {
        char shorter[32];
        if (digits >= 15 && !may_do(buffer, digits))
            continue;
        snprintf(shorter, sizeof shorter, "%.*g", digits, value);
        if (strtod(shorter, NULL) == value) {
            strcpy(buffer, shorter);
            break;
        }
    }
    leave(before);
    char *e = strchr(buffer, 'e'); // 1e+06 -> 1e6, 1e-09 -> 1e-9
    if (e) {
        char *digits = e + 1, *to = e + 1;
        if (*digits == '-')
            to++;
        if (*digits == '-' || *digits == '+')
            digits++;
        while (*digits == '0')
            digits++;
        memmove(to, digits, strlen(digits) + 1);
    }
    return buffer;
}
