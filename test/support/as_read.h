/* A model in which parameters were set, held against one that is read with their values. */
#ifndef TRAMMEL_TEST_SUPPORT_AS_READ_H
#define TRAMMEL_TEST_SUPPORT_AS_READ_H

#include <trammel/trammel.h>

enum { AS_READ_MOST = 6, AS_READ_NUMBER = 40 };

typedef struct {
    const char *path;
    trm_model *model; // of that file, with these settings
    trm_setting settings[AS_READ_MOST];
    char numbers[AS_READ_MOST][AS_READ_NUMBER], names[AS_READ_MOST][AS_READ_NUMBER];
    int count;
} as_read;

/* A short run of both is the same to the bit and to the letter, but for times. */
void assert_as_read(const as_read *c, const char *coordinates);

/* Two results say the same, to the letter and to the bit, but for the times that they took; either may be
 * NULL, then both must be. */
void assert_same_results(trm_result *a, trm_result *b, const char *of);

#endif
