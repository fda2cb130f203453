/* Calls: the functions of the table of operations, of tuples, results known only after solving, and those
 * that the model defines itself. */
#include "lang/elab.h"
#include "lang/token.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    elab *elab;
    const node *node;
    const binding *scope;
} call;

static value wrong_count(call c, const char *form) {
    elab_error(c.elab, c.node->whole, "wrong number of arguments: %d", c.node->count)->hint =
        arena_print(c.elab->arena, "write %s", form);
    return elab_wrong();
}

static scalar op2(elab *L, op_code op, scalar a, scalar b) {
    return elab_op(L, op, (scalar[]){a, b});
}

// ---- functions of numbers and tuples

static value call_operation(call c, op_code op) {
    const node *n = c.node;
    bool any = op == OP_MIN || op == OP_MAX; // of two or more
    if (any ? n->count < 2 : n->count != ops[op].arity)
        return wrong_count(
            c, arena_print(c.elab->arena, "%s(%s)", ops[op].name, ops[op].arity == 1 ? "a" : "a, b"));
    scalar args[3];
    if (!elab_number(c.elab, n->args[0], c.scope, &args[0]))
        return elab_wrong();
    if (ops[op].arity == 1)
        return elab_scalar(elab_op(c.elab, op, args));
    for (int i = 1; i < n->count; i++) {
        if (!elab_number(c.elab, n->args[i], c.scope, &args[1]))
            return elab_wrong();
        args[0] = elab_op(c.elab, op, args);
    }
    return elab_scalar(args[0]);
}

static scalar dot_of(elab *L, value a, value b) {
    scalar sum = op2(L, OP_MUL, a.at[0], b.at[0]);
    for (int i = 1; i < a.size; i++)
        sum = op2(L, OP_ADD, sum, op2(L, OP_MUL, a.at[i], b.at[i]));
    return sum;
}

// a_i b_j - a_j b_i
static scalar minor(elab *L, value a, value b, int i, int j) {
    return op2(L, OP_SUB, op2(L, OP_MUL, a.at[i], b.at[j]), op2(L, OP_MUL, a.at[j], b.at[i]));
}

static value two_tuples(call c, value *b, const char *form) {
    if (c.node->count != 2)
        return wrong_count(c, form);
    value a = elab_eval(c.elab, c.node->args[0], c.scope);
    *b = elab_eval(c.elab, c.node->args[1], c.scope);
    if (a.size == 0 || b->size == 0)
        return elab_wrong();
    if (a.size == b->size && a.size > 1)
        return a;
    elab_error(c.elab, c.node->whole, "%s is of two tuples of one length, such as (1, 2) and (x, y)", form);
    return elab_wrong();
}

static value call_dot(call c) {
    value b, a = two_tuples(c, &b, "dot(a, b)");
    return a.size ? elab_scalar(dot_of(c.elab, a, b)) : a;
}

static value call_cross(call c) {
    value b, a = two_tuples(c, &b, "cross(a, b)");
    if (a.size == 0)
        return a;
    elab *L = c.elab;
    if (a.size == 2)
        return elab_scalar(minor(L, a, b, 0, 1));
    if (a.size == 4) {
        elab_error(L, c.node->at, "cross(a, b) is of pairs or triples");
        return elab_wrong();
    }
    return (value){.size = 3, .at = {minor(L, a, b, 1, 2), minor(L, a, b, 2, 0), minor(L, a, b, 0, 1)}};
}

static value call_norm(call c) {
    if (c.node->count != 1)
        return wrong_count(c, "norm(a)");
    value a = elab_eval(c.elab, c.node->args[0], c.scope);
    if (a.size == 0)
        return a;
    if (a.size == 1) {
        elab_error(c.elab, c.node->whole, "norm(a) is of a tuple")->hint = "write abs(a) for a single number";
        return elab_wrong();
    }
    scalar square = dot_of(c.elab, a, a);
    return elab_scalar(elab_op(c.elab, OP_SQRT, &square));
}

static value call_if(call c) {
    const node *n = c.node;
    if (n->count != 3)
        return wrong_count(c, "if(condition, a, b)");
    int since = elab_watch(c.elab);
    value cond = elab_eval(c.elab, n->args[0], c.scope);
    elab_watched(c.elab, since, cond.size && cond.at[0].known);
    if (cond.size && !cond.condition) {
        elab_error(c.elab, n->args[0]->whole, "expected a condition such as a < b");
        return elab_wrong();
    }
    if (cond.size == 0)
        return cond;
    if (cond.at[0].known) // the branch not taken may hold what does not exist
        return elab_eval(c.elab, n->args[elab_asks(c.elab, OP_NE, cond.at[0], elab_plain(0)) ? 1 : 2],
                         c.scope);
    value a = elab_eval(c.elab, n->args[1], c.scope), b = elab_eval(c.elab, n->args[2], c.scope);
    if (a.size == 0 || b.size == 0)
        return elab_wrong();
    if (a.size != b.size || a.condition || b.condition) {
        elab_error(c.elab, n->whole, "both branches of if must be numbers, or tuples of one length");
        return elab_wrong();
    }
    for (int i = 0; i < a.size; i++)
        a.at[i] = elab_op(c.elab, OP_IF, (scalar[]){cond.at[0], a.at[i], b.at[i]});
    return a;
}

// ---- results

value elab_result_value(elab *L, const node *n, model_result r) {
    bool ideal = r.kind == RESULT_REACTION || r.kind == RESULT_SHARE || r.kind == RESULT_MULTIPLIER;
    if (L->allowed.ideal_only && !ideal && !model_is_energy(r.kind)) {
        elab_error(L, n->at, "'%s' cannot stand in %s", names_text(L->names, n->name), L->allowed.where)
            ->hint = r.kind == RESULT_START
                         ? "give the value as a parameter: param E = ..."
                         : "of the results only energies (kinetic, potential, energy, jacobi), reactions and "
                           "multipliers can";
        return elab_wrong();
    }
    if (!(L->allowed.kinds & 1u << SYM_RESULT)) {
        elab_error(L, n->at, "'%s' is known only after solving, so it cannot stand in %s",
                   names_text(L->names, n->name), L->allowed.where)
            ->hint = "results may stand in output, plot, expect and draw";
        return elab_wrong();
    }
    return elab_scalar((scalar){.e = elab_result(L, r)});
}

static const struct {
    const char *name;
    result_kind kind;
} plain_results[] = {{"kinetic", RESULT_KINETIC}, {"potential", RESULT_POTENTIAL}, {"energy", RESULT_ENERGY},
                     {"jacobi", RESULT_JACOBI},   {"gaussian", RESULT_GAUSSIAN},   {"rank", RESULT_RANK}};

bool elab_is_result_name(const char *name) {
    for (size_t i = 0; i < sizeof plain_results / sizeof *plain_results; i++)
        if (strcmp(name, plain_results[i].name) == 0)
            return true;
    return false;
}

bool elab_builtin_result(elab *L, const node *n, value *out) {
    const char *name = names_text(L->names, n->name);
    for (size_t i = 0; i < sizeof plain_results / sizeof *plain_results; i++)
        if (strcmp(name, plain_results[i].name) == 0) {
            *out = elab_result_value(L, n, (model_result){.kind = plain_results[i].kind});
            return true;
        }
    return false;
}

static void unknown_constraint(elab *L, const node *n) {
    const char *name = names_text(L->names, n->name);
    diag *d = elab_error(L, n->at, "there is no constraint '%s'", name);
    name_guess best = {0};
    for (int i = 0; i < names_count(L->names); i++)
        if (L->symbols[i] && L->symbols[i]->kind == SYMBOL_CONSTRAINT)
            names_offer(&best, name, names_text(L->names, i));
    elab_suggest(L, d, best);
}

static bool is_called(const char *part, const char *name) {
    return part && strcmp(part, name) == 0;
}

static int row_of_part(elab *L, const model_constraint *c, const node *part) {
    const char *name = names_text(L->names, part->name);
    for (int i = 0; i < c->row_count; i++)
        if (is_called(L->model->rows.at[c->first_row + i].part, name))
            return c->first_row + i;
    elab_error(L, part->at, "this constraint has no part '.%s'", name);
    return -1;
}

// NAME.stick, and NAME.stick.1 of several
static bool is_stick(elab *L, const node *n) {
    return n->kind == NODE_PART && strcmp(names_text(L->names, n->name), "stick") == 0;
}

// the rows of the friction on a constraint; `part` is the one asked for, or NULL
static bool stick_rows(elab *L, int constraint, const node *n, const node *part, int *first, int *count) {
    const model *m = L->model;
    for (int i = 0; i < m->frictions.count; i++) {
        const model_friction *f = &m->frictions.at[i];
        if (f->constraint != constraint)
            continue;
        int which = part ? atoi(names_text(L->names, part->name)) : 1;
        if (which < 1 || which > f->stick_count || (part && f->stick_count == 1)) {
            elab_error(L, part->at, "this slip has %d component%s", f->stick_count,
                       f->stick_count == 1 ? "" : "s");
            return false;
        }
        *first = f->stick_first + which - 1;
        *count = part ? 1 : f->stick_count;
        return true;
    }
    elab_error(L, n->at, "there is no friction on this")->hint = "write friction NAME: mu = 0.3";
    return false;
}

bool elab_find_constraint(elab *L, const node *n, const binding *scope, int *id) {
    const node *index = n->kind == NODE_INDEX ? n->b : NULL, *name = index ? n->a : n;
    if (name->kind != NODE_NAME) {
        elab_error(L, n->whole, "expected the name of a constraint");
        return false;
    }
    symbol *s = L->symbols[name->name];
    if (s && s->kind == SYMBOL_WRONG)
        return false;
    if (s == NULL || (s->kind != SYMBOL_CONSTRAINT && s->kind != SYMBOL_PART)) {
        unknown_constraint(L, name);
        return false;
    }
    if (s->array != (index != NULL)) {
        const char *word = names_text(L->names, s->name);
        const char *what = s->kind == SYMBOL_PART ? "" : "constraint ";
        elab_error(L, n->whole, s->array ? "%s'%s' needs an index" : "%s'%s' has no index", what, word)
            ->hint = s->array ? arena_print(L->arena, "write %s[i]", word) : NULL;
        return false;
    }
    int number = 0;
    *id = s->id;
    if (index && !elab_whole(L, index, scope, "an index", &number))
        return false;
    if (index)
        *id = map_get(&L->cells, elab_cell(s->name, number));
    if (*id < 0) {
        if (index && !s->torn)
            elab_error(L, n->at, "there is no constraint %s[%d]%s", names_text(L->names, s->name), number,
                       elab_variables(L, scope));
        return false;
    }
    if (s->kind == SYMBOL_PART && L->parts.at[*id].constraint < 0) {
        if (L->diags->errors == 0)
            elab_error(L, n->at, "this %s has no constraint", L->parts.at[*id].word);
        return false;
    }
    if (s->kind == SYMBOL_PART)
        *id = L->parts.at[*id].constraint;
    return L->model->constraints.at[*id].row_count > 0; // else it is wrong itself
}

// the rows that tip, link[3], tip.x or tip.stick stand for
static bool constraint_rows(call c, const node *n, int *first, int *count) {
    elab *L = c.elab;
    const node *part = n->kind == NODE_PART ? n : NULL;
    const node *stick = is_stick(L, n) ? n : part && is_stick(L, n->a) ? n->a : NULL;
    int id;
    if (!elab_find_constraint(L, stick ? stick->a : part ? part->a : n, c.scope, &id))
        return false;
    if (stick)
        return stick_rows(L, id, stick, stick == n ? NULL : n, first, count);
    const model_constraint *k = &L->model->constraints.at[id];
    *first = part ? row_of_part(L, k, part) : k->first_row;
    *count = part ? 1 : k->row_count;
    return *first >= 0 && *count > 0;
}

static value call_residual(call c) {
    int first, count;
    if (c.node->count != 1)
        return wrong_count(c, "residual(NAME)");
    if (!constraint_rows(c, c.node->args[0], &first, &count))
        return elab_wrong();
    scalar row = {.e = elab_row_value(c.elab, first)};
    if (count == 1)
        return elab_scalar(row);
    scalar sum = op2(c.elab, OP_MUL, row, row);
    for (int i = 1; i < count; i++) {
        row.e = elab_row_value(c.elab, first + i);
        sum = op2(c.elab, OP_ADD, sum, op2(c.elab, OP_MUL, row, row));
    }
    return elab_scalar(elab_op(c.elab, OP_SQRT, &sum));
}

// rows with a weight have no multiplier, so no force of their own
static bool has_force(call c, int row) {
    elab *L = c.elab;
    if (L->model->shapes.at[L->model->rows.at[row].shape].part[PART_WEIGHT] == EXPR_NONE)
        return true;
    elab_error(L, c.node->at, "a constraint with a weight has no multiplier and no force of its own")->hint =
        "reaction(x) holds the force of all constraints";
    return false;
}

static value call_multiplier(call c) {
    int first, count;
    if (c.node->count != 1)
        return wrong_count(c, "multiplier(NAME)");
    if (!constraint_rows(c, c.node->args[0], &first, &count) || !has_force(c, first))
        return elab_wrong();
    value out = {.size = count};
    if (count > 4) {
        elab_error(c.elab, c.node->args[0]->whole, "this joint has %d multipliers, which are no tuple", count)
            ->hint = "take one, as in multiplier(J.1); reaction(J) and torque(J) are its force and torque";
        return elab_wrong();
    }
    for (int i = 0; i < count; i++) {
        value v =
            elab_result_value(c.elab, c.node, (model_result){.kind = RESULT_MULTIPLIER, .first = first + i});
        if (v.size == 0)
            return v;
        out.at[i] = v.at[0];
    }
    return out;
}

// of what is wrong itself, as a body whose statement is
static bool of_wrong(call c) {
    for (int i = 0; i < c.node->count; i++) {
        const node *n = c.node->args[i];
        const symbol *s = n->kind == NODE_NAME ? c.elab->symbols[n->name] : NULL;
        if (s && s->kind == SYMBOL_WRONG)
            return true;
    }
    return false;
}

static value call_of_part(call c) {
    return of_wrong(c) || c.elab->extension == NULL ? elab_wrong()
                                                    : c.elab->extension->call(c.elab, c.node, c.scope);
}

// reaction(u) of a quasi-velocity: a component of S^c = H'Q^c
static value reaction_of_quasi(call c) {
    elab *L = c.elab;
    const node *n = c.node;
    model_result r = {.kind = RESULT_QUASI};
    const char *wrong = n->count == 2           ? "the share of a constraint is that of a coordinate"
                        : L->allowed.ideal_only ? "a force is built on reactions of coordinates"
                                                : NULL;
    if (wrong) {
        elab_error(L, n->args[0]->whole, "%s, not of a quasi-velocity", wrong)->hint =
            "with s = G q' + g, the reaction of x is the sum of G[u, x] reaction(u) over all u";
        return elab_wrong();
    }
    return elab_find_quasi(L, n->args[0], c.scope, &r.first) ? elab_result_value(L, n, r) : elab_wrong();
}

static value call_reaction(call c) {
    const node *n = c.node;
    model_result r = {.kind = n->count == 2 ? RESULT_SHARE : RESULT_REACTION};
    if (n->count != 1 && n->count != 2)
        return wrong_count(c, "reaction(x) or reaction(x, NAME)");
    if (elab_names_part(c.elab, n->args[0], c.scope))
        return call_of_part(c);
    if (elab_names_quasi(c.elab, n->args[0]))
        return reaction_of_quasi(c);
    if (!elab_coordinate(c.elab, n->args[0], c.scope, &r.coordinate))
        return elab_wrong();
    if (n->count == 2 && (!constraint_rows(c, n->args[1], &r.first, &r.count) || !has_force(c, r.first)))
        return elab_wrong();
    return elab_result_value(c.elab, n, r);
}

static value of_coordinate(call c, result_kind kind, const char *form) {
    model_result r = {.kind = kind};
    if (c.node->count != 1)
        return wrong_count(c, form);
    if (!elab_coordinate(c.elab, c.node->args[0], c.scope, &r.coordinate))
        return elab_wrong();
    return elab_result_value(c.elab, c.node, r);
}

static value call_control(call c) {
    return of_coordinate(c, RESULT_CONTROL, "control(x)");
}

static value call_feedback(call c) {
    return of_coordinate(c, RESULT_FEEDBACK, "feedback(x)");
}

static value call_feedforward(call c) {
    return of_coordinate(c, RESULT_FEEDFORWARD, "feedforward(x)");
}

// of a joint, with what acts along its freedoms
static value with_actuators(call c, model_result rows, result_kind kind) {
    elab *L = c.elab;
    const node *n = c.node->args[0];
    value of_rows = elab_result_value(L, c.node, rows);
    int part, acting = 0;
    if (of_rows.size == 0 || !elab_names_part(L, n, c.scope) ||
        !elab_find_part(L, n, c.scope, "a joint", &part))
        return of_rows;
    for (int i = 0; i < L->model->actuators.count; i++)
        acting += L->model->actuators.at[i].part == part;
    if (acting == 0)
        return of_rows;
    value others = elab_result_value(L, c.node, (model_result){.kind = kind, .first = part});
    return elab_map2(L, OP_ADD, of_rows, others);
}

// ---- power(NAME), power(nonideal), work(NAME), work(x), work(dissipation)

// the statements that do work as a whole, by their words
static const struct {
    const char *word;
    shape_kind kind;
} working[] = {{"dissipation", SHAPE_DISSIPATION},
               {"nonideal", SHAPE_NONIDEAL},
               {"potential", SHAPE_POTENTIAL},
               {"kinetic", SHAPE_KINETIC},
               {"mass", SHAPE_MASS}};

const char *model_work_word(shape_kind kind) {
    for (size_t i = 0; i < sizeof working / sizeof *working; i++)
        if (working[i].kind == kind)
            return working[i].word;
    return NULL;
}

// a word that the model has given no other meaning
static bool is_working(call c, const node *n, int *kind) {
    if (n->kind != NODE_NAME || c.elab->symbols[n->name])
        return false;
    for (size_t i = 0; i < sizeof working / sizeof *working; i++)
        if (strcmp(names_text(c.elab->names, n->name), working[i].word) == 0) {
            *kind = (int)working[i].kind;
            return true;
        }
    return false;
}

static value call_power(call c) {
    model_result r = {.kind = RESULT_POWER};
    int kind;
    if (c.node->count != 1)
        return wrong_count(c, "power(NAME) or power(nonideal)");
    if (is_working(c, c.node->args[0], &kind)) {
        if (kind == SHAPE_NONIDEAL)
            return elab_result_value(c.elab, c.node, (model_result){.kind = RESULT_POWER_NONIDEAL});
        elab_error(c.elab, c.node->args[0]->whole, "of the statements only 'nonideal' has a power here")
            ->hint = arena_print(c.elab->arena, "work(%s) is known", model_work_word((shape_kind)kind));
        return elab_wrong();
    }
    if (!constraint_rows(c, c.node->args[0], &r.first, &r.count) || !has_force(c, r.first))
        return elab_wrong();
    return with_actuators(c, r, RESULT_POWER_JOINT);
}

static bool is_coordinate(call c, const node *n) {
    elab *L = c.elab;
    const node *name = n->kind == NODE_INDEX ? n->a : n;
    int part;
    if (name->kind == NODE_NAME)
        return L->symbols[name->name] && L->symbols[name->name]->kind == SYMBOL_COORD;
    return n->kind == NODE_PART && elab_names_part(L, n->a, c.scope) &&
           elab_find_part(L, n->a, c.scope, "a particle or body", &part) &&
           elab_part_coordinate(L, part, names_text(L->names, n->name)) >= 0;
}

static value call_work(call c) {
    const node *n = c.node;
    model_result r = {.kind = RESULT_WORK};
    if (n->count != 1)
        return wrong_count(c, "work(NAME), work(x) or work(dissipation)");
    if (is_working(c, n->args[0], &r.first))
        r.kind = RESULT_WORK_SHAPE;
    else if (is_coordinate(c, n->args[0]))
        return of_coordinate(c, RESULT_WORK_FORCE, "work(x)");
    else if (!constraint_rows(c, n->args[0], &r.first, &r.count) || !has_force(c, r.first))
        return elab_wrong();
    else
        return with_actuators(c, r, RESULT_WORK_JOINT);
    return elab_result_value(c.elab, n, r);
}

// start(e): e is an element of its own, evaluated once at the beginning
static value call_start(call c) {
    elab *L = c.elab;
    if (c.node->count != 1)
        return wrong_count(c, "start(e)");
    builder outer = L->builder;
    L->builder = (builder){0};
    elab_begin(L);
    scalar s = {0};
    bool ok = elab_number(L, c.node->args[0], c.scope, &s);
    int which = L->model->start_count;
    const model_over *over = ok ? elab_holds_over(L) : NULL;
    if (over) {
        elab_error(L, c.node->at, "start(...) is of the start, and '%s' of the run", over->text)->hint =
            "its value there is 0, or that of what it is of";
        ok = false;
    }
    if (ok && !s.known) {
        expr parts[SHAPE_PARTS] = {elab_expr(L, s)};
        L->model->start_count++;
        elab_finish(L, SHAPE_START, c.node->at, parts, &which, 1);
    }
    L->builder = outer;
    elab_remark(L);
    if (!ok)
        return elab_wrong();
    return s.known ? elab_scalar(s)
                   : elab_result_value(L, c.node, (model_result){.kind = RESULT_START, .first = which});
}

// ---- functions that the model defines

static value call_let(call c, const symbol *s) {
    elab *L = c.elab;
    const stmt *let = s->let;
    const char *name = names_text(L->names, s->name);
    if (s->sequence == L->sequence)
        elab_error(L, c.node->at, "'%s' calls itself", name)->hint =
            "functions cannot; sum(i in 1..N: ...) and product(i in 1..N: ...) repeat";
    else if (s->sequence > L->sequence)
        diag_other(elab_error(L, c.node->at, "'%s' is used before it is defined", name), s->at,
                   "it is defined here");
    else if (c.node->count != let->names.count)
        diag_other(elab_error(L, c.node->whole, "'%s' takes %d argument%s, not %d", name, let->names.count,
                              let->names.count == 1 ? "" : "s", c.node->count),
                   s->at, "it is defined here");
    if (s->sequence >= L->sequence || c.node->count != let->names.count)
        return elab_wrong();
    binding args[LET_ARGUMENTS];
    for (int i = 0; i < let->names.count; i++) {
        args[i] = (binding){.next = i ? &args[i - 1] : NULL, .name = let->names.at[i]};
        args[i].value = elab_eval(L, c.node->args[i], c.scope);
        if (args[i].value.size == 0)
            return elab_wrong();
    }
    return elab_elsewhere(L, let->value, &args[let->names.count - 1], s->sequence, c.node->at);
}

// ---- the table

static const struct {
    const char *name;
    value (*call)(call c);
} functions[] = {
    {"dot", call_dot},           {"cross", call_cross},
    {"norm", call_norm},         {"if", call_if},
    {"residual", call_residual}, {"multiplier", call_multiplier},
    {"reaction", call_reaction}, {"control", call_control},
    {"feedback", call_feedback}, {"feedforward", call_feedforward},
    {"power", call_power},       {"work", call_work},
    {"start", call_start},       {"point", call_of_part},
    {"vector", call_of_part},    {"omega", call_of_part},
    {"torque", call_of_part},    {"drive", call_of_part},
    {"angle", call_of_part},     {"displacement", call_of_part},
    {"jacobian", call_of_part},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

// a loop variable, an argument, or a constant
static bool is_variable(call c, const char *name) {
    for (const binding *b = c.scope; b; b = b->next)
        if (b->name == c.node->name)
            return true;
    return token_is_taken(name);
}

static bool is_operation(op_code op) {
    return op >= OP_SQRT && op <= OP_FLOOR;
}

// what other languages and books call the same
static const struct {
    const char *name, *instead;
} aliases[] = {
    {"ln", "log(x)"},
    {"arcsin", "asin(x)"},
    {"arccos", "acos(x)"},
    {"arctan", "atan(x)"},
    {"tg", "tan(x)"},
    {"sgn", "sign(x)"},
    {"fabs", "abs(x)"},
    {"pow", "x^n"},
    {"sqr", "x^2 for a square, sqrt(x) for a root"},
    {"square", "x^2"},
    {"root", "sqrt(x)"},
    {"log10", "log(x)/log(10)"},
    {"ceil", "-floor(-x)"},
    {"round", "floor(x + 0.5)"},
    {"mod", "a - b*floor(a/b)"},
    {"der", "x'"},
    {"diff", "x'"},
    {"length", "norm(a)"},
    {"prod", "product(i in 1..N: ...)"},
};

static value unknown_function(call c) {
    elab *L = c.elab;
    symbol *told = arena_alloc(L->arena, sizeof *told); // once is enough
    *told = (symbol){.kind = SYMBOL_WRONG, .name = c.node->name, .id = -1};
    L->functions[c.node->name] = told;
    const char *name = names_text(L->names, c.node->name);
    diag *d = elab_error(L, c.node->at, "unknown function '%s'", name);
    name_guess best = {0};
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(name, aliases[i].name) == 0) {
            d->hint = arena_print(L->arena, "write %s", aliases[i].instead);
            return elab_wrong();
        }
    for (op_code op = 0; op < OP_COUNT; op++)
        if (is_operation(op))
            names_offer(&best, name, ops[op].name);
    for (int i = 0; i < FUNCTIONS; i++)
        names_offer(&best, name, functions[i].name);
    for (int i = 0; i < names_count(L->names); i++)
        if (L->functions[i] && L->functions[i]->kind == SYMBOL_LET)
            names_offer(&best, name, names_text(L->names, i));
    if (strcmp(name, "sum") == 0 || strcmp(name, "product") == 0)
        d->hint = arena_print(L->arena, "write %s(i in 1..N: ...)", name);
    else if (L->symbols[c.node->name] || is_variable(c, name))
        d->hint = arena_print(L->arena, "a product needs its sign: write %s*(...)", name);
    else
        elab_suggest(L, d, best);
    return elab_wrong();
}

bool elab_is_function(const char *name) {
    for (op_code op = 0; op < OP_COUNT; op++)
        if (is_operation(op) && strcmp(name, ops[op].name) == 0)
            return true;
    for (int i = 0; i < FUNCTIONS; i++)
        if (strcmp(name, functions[i].name) == 0)
            return true;
    return strcmp(name, "sum") == 0 || strcmp(name, "product") == 0 || elab_is_over(name);
}

value elab_call(elab *L, const node *n, const binding *scope) {
    call c = {L, n, scope};
    const char *name = names_text(L->names, n->name);
    const symbol *own = L->functions[n->name];
    if (own)
        return own->kind == SYMBOL_WRONG ? elab_wrong() : call_let(c, own);
    for (op_code op = 0; op < OP_COUNT; op++)
        if (is_operation(op) && strcmp(name, ops[op].name) == 0)
            return call_operation(c, op);
    for (int i = 0; i < FUNCTIONS; i++)
        if (strcmp(name, functions[i].name) == 0)
            return functions[i].call(c);
    if (elab_is_over(name) && L->symbols[n->name] == NULL && !is_variable(c, name))
        return elab_over(L, n, scope);
    return unknown_function(c);
}
