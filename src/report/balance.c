#include "report/balance.h"

#include "report/joints.h"
#include "report/parts.h"

#include <math.h>

typedef struct {
    const char *name;
    double done;
} named_work;

typedef vec(named_work) work_list;

static int constraint_of(const trm_system *sys, int row) {
    return sys->model->rows.at[row].constraint;
}

// NAME if all rows with weight are of one constraint
static const char *name_of_weighted(arena *a, const trm_system *sys) {
    int first = constraint_of(sys, sys->soft_rows[0]);
    for (int i = 1; i < sys->soft_count; i++)
        if (constraint_of(sys, sys->soft_rows[i]) != first)
            return "weighted";
    return joints_name(a, sys->model, first);
}

static const char *name_of_row(arena *a, const trm_system *sys, int row) {
    int friction = sys->rows[row].friction;
    if (friction < 0)
        return joints_name(a, sys->model, constraint_of(sys, row));
    int pressing = sys->model->frictions.at[friction].constraint;
    return arena_print(a, "friction(%s)", joints_name(a, sys->model, pressing));
}

static const char *name_of_torque(arena *a, const model *m, int coordinate) {
    label body = m->coords.at[coordinate];
    body.part = NULL;
    return parts_label(a, m, body, "torque(", ")");
}

static const char *name_of(arena *a, const trm_system *sys, const system_work *w) {
    switch (w->kind) {
    case WORK_SHAPE:
        return model_work_word((shape_kind)w->of);
    case WORK_FORCE:
        return arena_print(a, "force(%s)", model_coord_name(sys->model, w->of, a));
    case WORK_TORQUE:
        return name_of_torque(a, sys->model, w->of);
    case WORK_ACTUATOR:
        return parts_label(a, sys->model, sys->model->actuators.at[w->of].label, "", "");
    case WORK_ROW:
        return name_of_row(a, sys, w->of);
    default:
        return name_of_weighted(a, sys);
    }
}

// the rows of a constraint follow each other, and count as one
static work_list by_name(arena *a, const trm_system *sys, const double *done) {
    work_list list = {0};
    for (int i = 0; i < sys->work_count; i++) {
        const system_work *w = &sys->works[i], *last = w - 1;
        bool again = i > 0 && w->kind == WORK_ROW && last->kind == WORK_ROW &&
                     constraint_of(sys, w->of) == constraint_of(sys, last->of);
        if (again) {
            list.at[list.count - 1].done += done[i];
            continue;
        }
        named_work work = {name_of(a, sys, w), done[i]};
        vec_push(a, list, work);
    }
    return list;
}

void balance_json(json *j, arena *a, const findings *f, const run_report *r) {
    double worst = run_balance(r);
    work_list list = by_name(a, f->sys, r->work);
    json_key(j, "balance");
    json_open(j, '{');
    json_key(j, "worst_relative"), json_number(j, worst);
    json_key(j, "at"), json_number(j, isfinite(worst) ? r->balance_at : NAN);
    json_key(j, "work");
    json_open(j, '{');
    for (int i = 0; i < list.count; i++)
        json_key(j, list.at[i].name), json_number(j, r->samples ? list.at[i].done : NAN);
    json_close(j, '}');
    json_close(j, '}');
}

static void text_work(text *t, const work_list *list) {
    enum { MOST = 6 };
    for (int i = 0; i < list->count && i < MOST; i++)
        text_print(t, "%s%s %.6g", i ? ", " : "  work: ", list->at[i].name, list->at[i].done);
    if (list->count > MOST)
        text_print(t, " and %d more", list->count - MOST);
    if (list->count)
        text_add(t, "\n");
}

void balance_text(text *t, arena *a, const findings *f, const run_report *r) {
    double worst = run_balance(r);
    work_list list = by_name(a, f->sys, r->work);
    if (isfinite(worst))
        text_print(t, "  energy balance %.2g, relative to the largest |T| + |V| + |W|\n", worst);
    else if (f->sys->mech->unbalanced)
        text_add(t, "  the masses are given as numbers, so no energy balance is made\n");
    else
        text_add(t, "  the energy or the work is not finite, so no balance is given\n");
    text_work(t, &list);
}
