/* Whole runs: any text that is a small model is checked, linearized, evaluated and simulated for a short
 * while. */
#include "fuzz/small_machine.h"

#include <trammel/trammel.h>

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIZE_MOST = 40, STEPS_MOST = 40 };
static const long NANOSECONDS_MOST = 200000000;

static volatile sig_atomic_t stop;
static int steps;

static void count_step(void *context, double part) {
    (void)context;
    if (!(part >= 0 && part <= 1))
        abort();
    if (++steps > STEPS_MOST)
        stop = 1;
}

static void time_is_up(int signal_number) {
    (void)signal_number;
    stop = 1;
}

// a step may hold any number of samples, so the steps alone do not bound the time
static void set_timer(long nanoseconds) {
    static timer_t timer;
    static int made;
    if (!made) {
        struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
        struct sigaction action = {.sa_handler = time_is_up, .sa_flags = SA_RESTART};
        if (sigaction(SIGUSR2, &action, NULL) != 0 || timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
            abort();
        made = 1;
    }
    struct itimerspec span = {.it_value = {.tv_nsec = nanoseconds}};
    timer_settime(timer, 0, &span, NULL);
}

static void read_result(trm_status status, trm_result *r) {
    if (r == NULL) {
        if (status != TRM_NO_MEMORY)
            abort();
        return;
    }
    bool failed = status != TRM_OK && status != TRM_EXPECTATION_FAILED && status != TRM_INTERRUPTED;
    if (failed && trm_result_messages(r, 0)[0] == '\0')
        abort(); // it failed, and nobody says why
    trm_result_messages(r, 1);
    trm_result_summary(r);
    trm_result_json(r);
    trm_result_free(r);
}

static void evaluate(trm_model *m) {
    trm_system *s = NULL;
    trm_state *st = NULL;
    double q[SIZE_MOST], v[SIZE_MOST], qdd[SIZE_MOST], reaction[SIZE_MOST], multiplier[SIZE_MOST];
    for (int i = 0; i < SIZE_MOST; i++) {
        q[i] = 1 + 0.1 * i;
        v[i] = 0.3 * i;
    }
    if (trm_system_create(m, &s) == TRM_OK && trm_state_create(s, &st) == TRM_OK)
        if (trm_acceleration(s, st, 0.5, q, v, qdd, reaction, multiplier) != TRM_OK &&
            trm_state_error(st)[0] == '\0')
            abort();
    trm_state_free(st);
    trm_system_free(s);
}

static void simulate(trm_model *m, const char *integrator) {
    trm_run_def def = trm_run_def_default();
    trm_result *r = NULL;
    def.integrator = integrator;
    def.progress = count_step;
    def.stop = &stop;
    stop = 0;
    steps = 0;
    set_timer(NANOSECONDS_MOST);
    trm_status status = trm_run(m, &def, &r);
    set_timer(0);
    read_result(status, r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const integrators[] = {"rk8", "rk5", "bdf", "adams"};
    char *text = text_of(data, size);
    trm_model *m = NULL;
    trm_status status = trm_model_read_text("test/fuzz/seeds/input.tram", text, NULL, 0, &m);
    if (status == TRM_OK && trm_model_coordinates(m) + trm_model_rows(m) <= SIZE_MOST) {
        trm_run_def def = trm_run_def_default();
        trm_result *r = NULL;
        status = trm_check(m, &def, &r);
        read_result(status, r);
        if (status == TRM_OK || status == TRM_NO_SOLUTION) {
            r = NULL;
            status = trm_linearize(m, &def, &r);
            read_result(status, r);
            r = NULL;
            status = trm_equilibrium(m, &def, &r);
            read_result(status, r);
            evaluate(m);
            simulate(m, integrators[size % 4]);
        }
    }
    trm_model_free(m);
    free(text);
    return 0;
}
