/* One run, begun and ended: its states, its profile, the times that it took. */
#include "api/session.h"

void drive_begin(drive *d, trm_result *r, const trm_system *sys, const trm_run_def *def,
                 const run_options *o) {
    *d = (drive){.options = *o, .arena = arena_child(r->arena), .began = profile_clock()};
    if (def->profile) {
        d->profile = arena_alloc(r->arena, sizeof *d->profile);
        *d->profile = (profile){.now = PROFILE_START, .since = profile_clock()};
    }
    trm_state *st = o->tree ? o->start_state : solve_new_state(d->arena, sys);
    if (o->tree) {
        d->options.tree_state = solve_new_state(d->arena, o->tree);
        state_set_profile(d->options.tree_state, d->profile);
    }
    if (r->formulation) {
        solve_use(sys, st, r->formulation, NULL);
        solve_choose(st, &r->chosen.choice);
    }
    state_set_profile(st, d->profile);
    if (d->profile)
        profile_turn_to(d->profile, PROFILE_STEPS);
    d->run = run_begin(r->arena, sys, st, &d->options);
}

run_report *drive_end(drive *d, trm_result *r) {
    double writing = r->samples.seconds;
    run_report *report = run_finish(d->run);
    arena_free(d->arena);
    if (d->profile) {
        profile_turn_to(d->profile, PROFILE_STEPS);
        d->profile->seconds[PROFILE_SAMPLE] -= writing;
    }
    r->findings.simulate_seconds = profile_clock() - d->began - writing;
    r->findings.write_seconds = writing;
    r->findings.profile = d->profile;
    return report;
}
