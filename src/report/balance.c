#include "report/balance.h"

#include "report/joints.h"
#include "report/parts.h"

#include <math.h>

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

balance_list balance_parts(arena *a, const trm_system *sys) {
    balance_list list = {0};
    for (int i = 0; i < sys->work_count; i++) {
        const system_work *w = &sys->works[i], *last = w - 1;
        if (i > 0 && w->kind == WORK_ROW && last->kind == WORK_ROW &&
            constraint_of(sys, w->of) == constraint_of(sys, last->of))
            list.at[list.count - 1].count++;
        else
            vec_push(a, list, ((balance_part){name_of(a, sys, w), i, 1}));
    }
    return list;
}

static double done_by(const balance_part *p, const double *done) {
    double sum = 0;
    for (int i = p->first; i < p->first + p->count; i++)
        sum += done[i];
    return sum;
}

void balance_json(json *j, arena *a, const findings *f, const run_report *r) {
    double worst = run_balance(r);
    balance_list list = balance_parts(a, f->sys);
    json_key(j, "balance");
    json_open(j, '{');
    json_key(j, "worst_relative"), json_number(j, worst);
    json_key(j, "at"), json_number(j, isfinite(worst) ? r->balance_at : NAN);
    json_key(j, "work");
    json_open(j, '{');
    for (int i = 0; i < list.count; i++)
        json_key(j, list.at[i].name), json_number(j, r->samples ? done_by(&list.at[i], r->work) : NAN);
    json_close(j, '}');
    json_close(j, '}');
}

static void text_work(text *t, const balance_list *list, const double *done) {
    enum { MOST = 6 };
    for (int i = 0; i < list->count && i < MOST; i++)
        text_print(t, "%s%s %.6g", i ? ", " : "  work: ", list->at[i].name, done_by(&list->at[i], done));
    if (list->count > MOST)
        text_print(t, " and %d more", list->count - MOST);
    if (list->count)
        text_add(t, "\n");
}

void balance_text(text *t, arena *a, const findings *f, const run_report *r) {
    double worst = run_balance(r);
    balance_list list = balance_parts(a, f->sys);
    if (isfinite(worst))
        text_print(t, "  energy balance %.2g, relative to the largest |T| + |V| + |W|\n", worst);
    else if (f->sys->mech->unbalanced)
        text_add(t, "  the masses are given as numbers, so no energy balance is made\n");
    else
        text_add(t, "  the energy or the work is not finite, so no balance is given\n");
    text_work(t, &list, r->work);
}
