/* Runs of model texts whose own expectations say what must hold. */
#ifndef TRAMMEL_TEST_SUPPORT_SIMULATE_H
#define TRAMMEL_TEST_SUPPORT_SIMULATE_H

#include "motion/run.h"
#include "support/build.h"

// what was built, to the end, all expectations met; the report belongs to b
static inline run_report *simulate_built(built *b, const char *given, double until, double tolerance) {
    run_options o = {.until = until,
                     .every = until > 0 ? until / 50 : 1,
                     .tolerance = tolerance,
                     .method = &integrator_rk8};
    run_report *r = run_simulation(b->arena, b->sys, b->st, &o);
    if (r->end != RUN_DONE)
        fail_msg("%s\n%s", r->failure.message ? r->failure.message : "?", given);
    for (int i = 0; i < b->model->expects.count; i++)
        if (!r->expects[i].holds)
            fail_msg("at t = %g, off by %g: expect %s\n%s", r->expects[i].failed_at, -r->expects[i].worst,
                     b->model->expects.at[i].text, given);
    return r;
}

static inline run_report *simulate(built *b, const char *given, double until, double tolerance) {
    *b = build(given);
    return simulate_built(b, given, until, tolerance);
}

static inline void assert_holds(const char *given, double until, double tolerance) {
    built b;
    simulate(&b, given, until, tolerance);
    demolish(&b);
}

#endif
