#include "report/scales.h"

#include "motion/failure.h"
#include "report/parts.h"
#include "system/natural.h"

static const char *const REASONS[SCALE_REASONS] = {
    [SCALE_STATED] = "stated",  [SCALE_ARGUMENT] = "argument", [SCALE_QUATERNION] = "quaternion",
    [SCALE_ROW] = "row",        [SCALE_TYPED] = "typed",       [SCALE_MOTION] = "motion",
    [SCALE_UNKNOWN] = "unknown"};

static const char *name_of(arena *a, const trm_system *sys, int i) {
    return parts_label(a, sys->model, sys->model->coords.at[i], "", "");
}

static void json_scale(json *j, double scale, scale_reason why) {
    json_key(j, "scale"), json_number(j, scale);
    json_key(j, "reason"), json_string(j, REASONS[why]);
}

void scales_json(json *j, arena *a, const trm_system *sys) {
    const natural *u = sys->natural;
    json_key(j, "scales");
    json_open(j, '{');
    for (int i = 0; i < sys->n; i++) {
        json_key(j, name_of(a, sys, i));
        json_open(j, '{');
        json_scale(j, u->scale[i], u->why[i]);
        if (u->why[i] == SCALE_ROW)
            json_key(j, "row"), json_string(j, failure_row_name(a, sys, u->row[i]));
        json_close(j, '}');
    }
    json_close(j, '}');
    json_key(j, "time_scale");
    json_open(j, '{');
    json_scale(j, 1 / u->rate, u->timed);
    json_close(j, '}');
}

// ---- text

// coordinates from `first` on with its scale, for the same reason; they are marked as told
static string_list alike(arena *a, const trm_system *sys, int first, bool *told) {
    const natural *u = sys->natural;
    string_list list = {0};
    for (int i = first; i < sys->n; i++)
        if (!told[i] && u->scale[i] == u->scale[first] && u->why[i] == u->why[first]) {
            told[i] = true;
            vec_push(a, list, name_of(a, sys, i));
        }
    return list;
}

static const char *because(arena *a, const trm_system *sys, int i, int count) {
    const natural *u = sys->natural;
    static const char *const WORDS[SCALE_REASONS] = {
        [SCALE_STATED] = "stated",         [SCALE_ARGUMENT] = "in sin or cos",
        [SCALE_QUATERNION] = "quaternion", [SCALE_ROW] = "by rows",
        [SCALE_TYPED] = "typed",           [SCALE_MOTION] = "by the motion",
        [SCALE_UNKNOWN] = "unknown"};
    if (u->why[i] == SCALE_ROW && count == 1)
        return arena_print(a, "by '%s'", failure_row_name(a, sys, u->row[i]));
    return WORDS[u->why[i]];
}

static void text_time(text *t, const natural *u) {
    text_print(t, "time %.4g (%s)\n", 1 / u->rate,
               u->timed == SCALE_STATED   ? "stated"
               : u->timed == SCALE_MOTION ? "by forces and velocities"
                                          : "by the span");
}

static void text_unknown(text *t, arena *a, const trm_system *sys) {
    enum { MOST = 2 };
    string_list list = {0};
    for (int i = 0; i < sys->n; i++)
        if (sys->natural->why[i] == SCALE_UNKNOWN)
            vec_push(a, list, name_of(a, sys, i));
    if (list.count == 0)
        return;
    text_add(t, "  nothing tells how large ");
    parts_names(t, &list, MOST);
    text_print(t, " may be: taken as 1; state it with simulate ..., scale %s = 1e-6\n", list.at[0]);
}

void scales_text(text *t, arena *a, const trm_system *sys) {
    enum { GROUPS_MOST = 4, FEW = 6, NAMES_MOST = 2 };
    bool *told = arena_array(a, bool, sys->n + 1);
    int groups = 0;
    text_add(t, "  scales: ");
    for (int i = 0; i < sys->n && groups < GROUPS_MOST; i++) {
        if (told[i])
            continue;
        string_list list = alike(a, sys, i, told);
        parts_names(t, &list, sys->n <= FEW ? FEW : NAMES_MOST);
        text_print(t, " %.4g (%s); ", sys->natural->scale[i], because(a, sys, i, list.count));
        groups++;
    }
    bool all = true;
    for (int i = 0; i < sys->n; i++)
        all &= told[i];
    text_add(t, all ? "" : "others in the JSON; ");
    text_time(t, sys->natural);
    text_unknown(t, a, sys);
}
