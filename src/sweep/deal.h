/* Who does which cases. A process asks for some, and gets numbers from *first on. */
#ifndef TRAMMEL_SWEEP_DEAL_H
#define TRAMMEL_SWEEP_DEAL_H

#include <stdbool.h>

typedef enum { DEAL_LATER = 0, DEAL_SOME = 1, DEAL_NONE = -1 } deal_answer;

typedef struct {
    /* More cases for this process. DEAL_LATER: ask again in a while; DEAL_NONE: there are no more. */
    deal_answer (*more)(void *context, long done, long *first, long *count);
    /* This process has done all that it got, or gives up: true when all others have, too. Asked again and
     * again until then. */
    bool (*over)(void *context, bool gives_up);
    void (*attend)(void *context); // again and again
    int (*pause)(void *context);   // milliseconds between questions
} deal_ops;

/* All cases to this process. */
typedef struct {
    long cases;
    bool given;
} deal_alone;
extern const deal_ops deal_to_threads;

#endif
