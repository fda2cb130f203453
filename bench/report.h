/* What every engine's program shares: its arguments, the clock, and the one line it prints.
 *
 *     PROGRAM PROBLEM N REPEATS
 *
 *     job j = job_read(argc, argv);
 *     while (job_more(&j)) {
 *         ... set up ...
 *         job_start(&j);
 *         ... simulate ...
 *         job_stop(&j);
 *     }
 *     job_print(&j, evaluations, values, count, violation);
 *
 * Prints a JSON object: the seconds of each repeat, evaluations, the final values in the order of
 * reference/values.json, the worst constraint violation along the run (found in a run that is not timed;
 * negative: the engine has coordinates that cannot violate it). C and C++. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { JOB_REPEATS = 200 };
#define JOB_SECONDS 0.5 // of measuring; one repeat at least

typedef struct {
    const char *problem;
    int n, repeats, done;
    double seconds[JOB_REPEATS], total, started;
} job;

/* Processor time, so that what else the machine does counts as little as possible. */
static inline double job_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline job job_read(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s PROBLEM N REPEATS\n", argv[0]);
        exit(2);
    }
    job j;
    memset(&j, 0, sizeof j);
    j.problem = argv[1];
    j.n = atoi(argv[2]);
    j.repeats = atoi(argv[3]);
    if (j.repeats > JOB_REPEATS)
        j.repeats = JOB_REPEATS;
    return j;
}

static inline int job_is(const job *j, const char *problem) {
    return strcmp(j->problem, problem) == 0;
}

/* Tells the driver that this engine does not take part. */
static inline int job_unknown(const job *j) {
    fprintf(stderr, "no problem '%s' here\n", j->problem);
    return 2;
}

static inline int job_more(const job *j) {
    return j->done == 0 || (j->done < j->repeats && j->total < JOB_SECONDS);
}
static inline void job_start(job *j) {
    j->started = job_now();
}
static inline void job_stop(job *j) {
    double s = job_now() - j->started;
    j->seconds[j->done++] = s;
    j->total += s;
}

static inline void job_number(double x) {
    if (isfinite(x))
        printf("%.17g", x);
    else
        printf("null");
}

static inline void job_print(const job *j, double evaluations, const double *values, int count,
                             double violation) {
    printf("{\"seconds\": [");
    for (int i = 0; i < j->done; i++)
        printf("%s%.9g", i ? ", " : "", j->seconds[i]);
    printf("], \"evaluations\": %.0f, \"violation\": ", evaluations);
    job_number(violation);
    printf(", \"values\": [");
    for (int i = 0; i < count; i++) {
        printf("%s", i ? ", " : "");
        job_number(values[i]);
    }
    printf("]}\n");
}

#endif
