/* Removing rows C of A lowers its rank by |C| - rank(L_C), L being a basis of the dependencies L'A = 0: what
 * is left of them without C are the combinations of L that vanish on C. */
#include "report/joints.h"
#include "report/parts.h"

#include "linear/linalg.h"

#include <math.h>

bool joints_is_joint(const model *m, int constraint) {
    const model_constraint *c = &m->constraints.at[constraint];
    const char *part = c->row_count ? m->rows.at[c->first_row].part : NULL;
    return part && part[0] >= '0' && part[0] <= '9';
}

const char *joints_name(arena *a, const model *m, int constraint) {
    label l = m->constraints.at[constraint].label;
    const model_constraint *c = &m->constraints.at[constraint];
    if (c->stick)
        l.part = "stick";
    else if (c->row_count == 1 && !joints_is_joint(m, constraint)) // B.norm
        l.part = m->rows.at[c->first_row].part;
    return parts_label(a, m, l, "", "");
}

// ---- rows that are needed

// entry of dependency `of` (a row that is not kept) at row i
static double dependency(const rank_report *rank, int of, int i) {
    if (i == of)
        return 1;
    for (int k = 0; k < rank->term_count[of]; k++)
        if (rank->terms[of][k].row == i)
            return -rank->terms[of][k].factor;
    return 0;
}

int joints_needed(arena *a, const trm_system *sys, const rank_report *rank, int constraint) {
    static const double ROUNDING = 1e-8;
    const model_constraint *c = &sys->model->constraints.at[constraint];
    int dependent = 0, rows = 0;
    bool unique = true;
    for (int i = c->first_row; i < c->first_row + c->row_count; i++) {
        unique &= rank->unique[i];
        rows += !sys->rows[i].weighted;
    }
    if (unique)
        return rows;
    for (int i = 0; i < rank->m; i++)
        dependent += !rank->kept[i];
    rows = 0;
    arena *scratch = arena_child(a);
    double *L = arena_doubles(scratch, (size_t)c->row_count * (size_t)dependent + 1);
    for (int i = c->first_row; i < c->first_row + c->row_count; i++) {
        if (sys->rows[i].weighted)
            continue;
        double *row = L + (size_t)rows++ * (size_t)dependent;
        for (int of = 0, at = 0; of < rank->m; of++)
            if (!rank->kept[of])
                row[at++] = dependency(rank, of, i);
    }
    int needed = rows - (dependent ? rank_of_rows(scratch, L, rows, dependent, ROUNDING)->rank : 0);
    arena_free(scratch);
    return needed;
}

string_list joints_of_rows(arena *a, const trm_system *sys, const bool *rows) {
    string_list out = {0};
    int last = -1;
    for (int i = 0; i < sys->m; i++) {
        int constraint = sys->model->rows.at[i].constraint;
        if (!rows[i] || constraint == last)
            continue;
        last = constraint;
        const char *name = joints_name(a, sys->model, constraint);
        vec_push(a, out, name);
    }
    return out;
}

string_list joints_not_unique(arena *a, const trm_system *sys, const rank_report *rank) {
    string_list out = {0};
    for (int k = 0; k < sys->model->constraints.count; k++) {
        const model_constraint *c = &sys->model->constraints.at[k];
        int end = c->first_row + c->row_count;
        bool all = c->row_count > 1;
        for (int i = c->first_row; i < end; i++)
            all &= !rank->unique[i];
        for (int i = c->first_row; i < end; i++)
            if (!rank->unique[i]) {
                const char *name = all ? joints_name(a, sys->model, k) : failure_row_name(a, sys, i);
                vec_push(a, out, name);
                if (all)
                    break;
            }
    }
    return out;
}

// rows without weight that are in force
static int rows_by_count(const findings *f) {
    return parts_rows(f) - f->sys->soft_count;
}

void joints_json(json *j, arena *a, const findings *f, const rank_report *rank) {
    const model *m = f->sys->model;
    json_key(j, "degrees_of_freedom_by_count"), json_integer(j, f->sys->n - rows_by_count(f));
    json_key(j, "joints");
    json_open(j, '{');
    for (int i = 0; rank && i < m->constraints.count; i++) {
        if (!joints_is_joint(m, i))
            continue;
        json_key(j, joints_name(a, m, i));
        json_open(j, '{');
        json_key(j, "rows"), json_integer(j, m->constraints.at[i].row_count);
        json_key(j, "needed"), json_integer(j, joints_needed(a, f->sys, rank, i));
        json_close(j, '}');
    }
    json_close(j, '}');
}

void joints_text(text *t, arena *a, const findings *f, const rank_report *rank) {
    enum { MOST = 8 };
    const model *m = f->sys->model;
    int n = f->sys->n, count = rows_by_count(f);
    if (count == rank->rank)
        return;
    text_print(t, "  degrees of freedom by count: %d coordinates - %d rows = %d; by rank %d\n", n, count,
               n - count, n - rank->rank);
    string_list joints = {0};
    for (int i = 0; i < m->constraints.count; i++) {
        int rows = m->constraints.at[i].row_count, needed;
        if (!joints_is_joint(m, i) || (needed = joints_needed(a, f->sys, rank, i)) == rows)
            continue;
        const char *name = joints_name(a, m, i);
        const char *told = needed ? arena_print(a, "%s %d of %d", name, rows - needed, rows)
                                  : arena_print(a, "%s all %d", name, rows);
        vec_push(a, joints, told);
    }
    if (joints.count == 0)
        return;
    text_add(t, "  redundant joints, with the rows that the others give already: ");
    parts_names(t, &joints, MOST);
    text_add(t, "\n");
}

// ---- power

static bool may_work(const trm_system *sys, int constraint) {
    const model_constraint *c = &sys->model->constraints.at[constraint];
    if (c->stick) // friction
        return true;
    for (int i = c->first_row; i < c->first_row + c->row_count; i++)
        if (sys->mech->shapes[sys->model->rows.at[i].shape].may_work)
            return true;
    return false;
}

void joints_power_json(json *j, arena *a, const findings *f, const power_record *powers, bool run) {
    const model *m = f->sys->model;
    json_key(j, "power");
    json_open(j, '{');
    for (int i = 0; powers && i < m->constraints.count; i++) {
        json_key(j, joints_name(a, m, i));
        if (run)
            json_open(j, '{'), json_key(j, "worst");
        json_number(j, powers[i].worst);
        if (run) {
            json_key(j, "at"), json_number(j, powers[i].at);
            json_close(j, '}');
        }
    }
    json_close(j, '}');
}

// the largest power that the force of any constraint could have
static double largest_power(const model *m, const power_record *powers) {
    double most = 0;
    for (int i = 0; i < m->constraints.count; i++)
        most = fmax(most, powers[i].could);
    return most;
}

void joints_power_text(text *t, arena *a, const findings *f, const power_record *powers, bool run) {
    enum { MOST = 6 };
    const model *m = f->sys->model;
    int working = 0;
    double idle = 0, least = f->tolerance * largest_power(m, powers); // what may do work, and does none
    for (int i = 0; i < m->constraints.count; i++) {
        if (!may_work(f->sys, i) || !(fabs(powers[i].worst) > least)) {
            idle = fmax(idle, may_work(f->sys, i) ? 0 : powers[i].part);
            continue;
        }
        if (working++ >= MOST)
            continue;
        text_print(t, "%s%s %.6g",
                   working > 1 ? ", "
                   : run       ? "  largest power of constraints that do work: "
                               : "  power of constraints that do work: ",
                   joints_name(a, m, i), powers[i].worst);
    }
    if (working > MOST)
        text_print(t, " and %d more", working - MOST);
    if (working)
        text_add(t, "\n");
    if (m->constraints.count > working)
        text_print(t, "  the force%s of %s constraint%s do%s no work, to %.2g of what %s could\n",
                   parts_plural(m->constraints.count - working), working ? "the other" : "the",
                   parts_plural(m->constraints.count - working),
                   m->constraints.count - working == 1 ? "es" : "", idle,
                   m->constraints.count - working == 1 ? "it" : "they");
}

void joints_power_warn(findings *f, arena *a, const power_record *powers, double tolerance) {
    static const double NOTHING = 1e-6;
    const model *m = f->sys->model;
    for (int i = 0; powers && i < m->constraints.count; i++) {
        if (may_work(f->sys, i) || powers[i].part <= fmax(NOTHING, 100 * tolerance))
            continue;
        const char *warning = arena_print(
            a,
            "the force of constraint '%s' does work, with a power of %.3g at t = %.6g, though it is "
            "ideal and does not depend on time",
            joints_name(a, m, i), powers[i].worst, powers[i].at);
        vec_push(a, f->warnings, warning);
    }
}
