/* Expressions of the text to values: numbers known now, and expressions over the slots of the element at
 * hand. */
#include "lang/elab.h"

#include "base/number.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

value elab_wrong(void) {
    return (value){0};
}

value elab_scalar(scalar s) {
    return (value){.size = 1, .at = {s}};
}

scalar elab_constant(elab *L, double number) {
    return (scalar){.e = expr_number(L->pool, number), .number = number, .known = true};
}

diag *elab_error(elab *L, place at, const char *format, ...) {
    char message[512];
    va_list args;
    va_start(args, format);
    number_vprint(message, sizeof message, format, args);
    va_end(args);
    diag *d = diag_error(L->diags, at, "%s", message);
    if (L->use.source && (L->use.source != at.source || L->use.offset != at.offset))
        diag_other(d, L->use, "used here");
    return d;
}

const char *elab_variables(elab *L, const binding *scope) {
    text t;
    text_init(&t, L->arena);
    for (; scope; scope = scope->next)
        if (scope->loop)
            text_print(&t, "%s%s = %.15g", t.bytes.count ? ", " : " (here ",
                       names_text(L->names, scope->name), scope->value.at[0].number);
    if (t.bytes.count)
        text_add(&t, ")");
    return text_string(&t);
}

bool elab_allowed(elab *L, place at, expr e) {
    unsigned wrong =
        expr_kinds(L->pool, e) & ~L->allowed.kinds & ~(1u << SYM_NUMBER | 1u << SYM_PARAM | 1u << SYM_TURN);
    if (wrong == 0)
        return true;
    const char *what = wrong & 1u << SYM_A        ? "an acceleration"
                       : wrong & 1u << SYM_V      ? "a velocity"
                       : wrong & 1u << SYM_P      ? "a coordinate"
                       : wrong & 1u << SYM_RESULT ? "a result that is known only after solving"
                                                  : "the time t";
    diag *d = elab_error(L, at, "%s cannot stand in %s", what, L->allowed.where);
    if (!(L->allowed.kinds & 1u << SYM_P))
        d->hint = "only numbers and parameters are known when the model is read";
    else if (!(L->allowed.kinds & 1u << SYM_V) && wrong & 1u << SYM_V && !(wrong & 1u << SYM_A))
        d->hint = "what depends on velocities is written as kinetic, dissipation, force or constraint";
    else if (wrong & 1u << SYM_A)
        d->hint = "accelerations may stand in constraint (linearly), output, plot, expect, stop and draw";
    else if (wrong & 1u << SYM_RESULT)
        d->hint = "results may stand in output, plot, expect, stop and draw";
    return false;
}

// ---- numbers that are looked at

double elab_peek(elab *L, const scalar *s) {
    recipe_pins(L->recipes, s->step, PIN_SAME);
    return s->number;
}

double elab_picture(elab *L, const scalar *s) {
    recipe_pins(L->recipes, s->step, PIN_PICTURE);
    return s->number;
}

bool elab_asks(elab *L, op_code op, scalar a, scalar b) {
    double answer = ops[op].value(a.number, b.number, 0);
    int step = recipe_step(L->recipes, op, (int[]){a.step, b.step}, (double[]){a.number, b.number}, answer);
    recipe_pins(L->recipes, step, PIN_SAME);
    return answer != 0;
}

// ---- arithmetic on scalars

scalar elab_op(elab *L, op_code op, const scalar *args) {
    int arity = ops[op].arity;
    bool known = true, varies = false, expressed = true;
    for (int i = 0; i < arity; i++) {
        known &= args[i].known;
        varies |= args[i].known && args[i].varies;
        expressed &= args[i].e != EXPR_NONE;
    }
    scalar out = {.known = known, .varies = known && varies};
    if (known) {
        int steps[3] = {0};
        double numbers[3] = {0};
        for (int i = 0; i < arity; i++) {
            steps[i] = args[i].step;
            numbers[i] = args[i].number;
        }
        out.number = ops[op].value(numbers[0], numbers[1], numbers[2]);
        out.step = recipe_step(L->recipes, op, steps, numbers, out.number);
    }
    if (known && !expressed)
        return out;
    expr e[3] = {0};
    for (int i = 0; i < arity; i++)
        e[i] = elab_expr(L, args[i]);
    out.e = arity == 1   ? expr_op1(L->pool, op, e[0])
            : arity == 2 ? expr_op2(L->pool, op, e[0], e[1])
                         : expr_op3(L->pool, op, e[0], e[1], e[2]);
    return out;
}

static scalar op2(elab *L, op_code op, scalar a, scalar b) {
    return elab_op(L, op, (scalar[]){a, b});
}

// componentwise; a scalar goes with every component of a tuple
value elab_map2(elab *L, op_code op, value a, value b) {
    value out = {.size = a.size > b.size ? a.size : b.size};
    for (int i = 0; i < out.size; i++)
        out.at[i] = op2(L, op, a.at[a.size > 1 ? i : 0], b.at[b.size > 1 ? i : 0]);
    return out;
}

// ---- operations

static bool no_condition(elab *L, const node *n, const value *v) {
    if (!v->condition)
        return true;
    elab_error(L, n->whole, "a condition cannot be used as a number")->hint = "write if(condition, 1, 0)";
    return false;
}

static value eval_condition(elab *L, const node *n, const binding *scope) {
    value v = elab_eval(L, n, scope);
    if (v.size && !v.condition) {
        elab_error(L, n->whole, "expected a condition such as a < b");
        return elab_wrong();
    }
    return v;
}

static value eval_logic(elab *L, const node *n, const binding *scope) {
    int since = elab_watch(L);
    value a = eval_condition(L, n->a, scope);
    elab_watched(L, since, n->op != OP_NOT && a.size && a.at[0].known);
    if (a.size == 0)
        return a;
    if (n->op != OP_NOT && a.at[0].known && elab_asks(L, OP_NE, a.at[0], elab_plain(0)) == (n->op == OP_OR))
        return a; // decided: the other side may hold what does not exist, as x[i-1] where i is 1
    value b = n->op == OP_NOT ? a : eval_condition(L, n->b, scope);
    if (b.size == 0)
        return b;
    value out = elab_scalar(elab_op(L, n->op, (scalar[]){a.at[0], b.at[0]}));
    out.condition = true;
    return out;
}

static const char *sizes[] = {"", "a single number", "a pair", "a triple", "a quaternion"};

static value mismatch(elab *L, const node *n, value a, value b) {
    elab_error(L, n->at, "'%s' cannot combine %s and %s", ops[n->op].name, sizes[a.size], sizes[b.size])
        ->hint = n->op == OP_MUL   ? "for products of tuples write dot(a, b) or cross(a, b)"
                 : n->op == OP_POW ? "for the square of a tuple write dot(a, a)"
                 : n->op >= OP_LT  ? "take a part such as .x, or norm(...)"
                                   : NULL;
    return elab_wrong();
}

static bool sizes_fit(op_code op, int a, int b) {
    switch (op) {
    case OP_ADD:
    case OP_SUB:
        return a == b;
    case OP_MUL:
        return a == 1 || b == 1;
    case OP_DIV:
        return b == 1;
    default:
        return a == 1 && b == 1;
    }
}

static value combine(elab *L, const node *n, value a, value b) {
    if (a.size == 0 || b.size == 0 || !no_condition(L, n->a, &a) || !no_condition(L, n->b, &b))
        return elab_wrong();
    if (!sizes_fit(n->op, a.size, b.size))
        return mismatch(L, n, a, b);
    value out = elab_map2(L, n->op, a, b);
    out.condition = n->op >= OP_LT && n->op <= OP_NE;
    return out;
}

// norm(u)^2 is dot(u, u): the root of a square would hide that it is a polynomial in the velocities
static bool squared_norm(elab *L, const node *n, const binding *scope, value *out) {
    if (n->op != OP_POW || n->a->kind != NODE_CALL || n->a->count != 1 || n->b->kind != NODE_NUMBER ||
        n->b->number != 2 || strcmp(names_text(L->names, n->a->name), "norm") != 0)
        return false;
    value u = elab_eval(L, n->a->args[0], scope);
    if (u.size < 2)
        return false; // norm itself will tell what is wrong
    scalar sum = op2(L, OP_MUL, u.at[0], u.at[0]);
    for (int i = 1; i < u.size; i++)
        sum = op2(L, OP_ADD, sum, op2(L, OP_MUL, u.at[i], u.at[i]));
    *out = elab_scalar(sum);
    return true;
}

static bool is_additive(const node *n) {
    return n->kind == NODE_BINARY && (n->op == OP_ADD || n->op == OP_SUB);
}

// sums of many terms lean to the left: walk down in a loop, then add up
static value eval_spine(elab *L, const node *n, const binding *scope) {
    enum { FEW = 16 };
    const node *few[FEW], **terms = few, *first = n;
    int count = 0;
    for (; is_additive(first); first = first->a)
        count++;
    if (count > FEW)
        terms = arena_array(L->arena, const node *, count);
    for (int i = count - 1; i >= 0; i--, n = n->a)
        terms[i] = n;
    value sum = elab_eval(L, first, scope);
    for (int i = 0; i < count && !L->stopped; i++)
        sum = combine(L, terms[i], sum, elab_eval(L, terms[i]->b, scope));
    return sum;
}

static value eval_binary(elab *L, const node *n, const binding *scope) {
    value out;
    if (n->op == OP_AND || n->op == OP_OR)
        return eval_logic(L, n, scope);
    if (is_additive(n) && is_additive(n->a))
        return eval_spine(L, n, scope);
    if (squared_norm(L, n, scope, &out))
        return out;
    value a = elab_eval(L, n->a, scope), b = elab_eval(L, n->b, scope);
    return combine(L, n, a, b);
}

static value eval_unary(elab *L, const node *n, const binding *scope) {
    if (n->op == OP_NOT)
        return eval_logic(L, n, scope);
    value v = elab_eval(L, n->a, scope);
    if (v.size && !no_condition(L, n->a, &v))
        return elab_wrong();
    for (int i = 0; i < v.size; i++)
        v.at[i] = elab_op(L, OP_NEG, &v.at[i]);
    return v;
}

// all terms of a sum have one length, and a product is of single numbers
static bool fits_before(elab *L, const node *n, value term, value before, bool first,
                        const binding *variable) {
    if (n->kind == NODE_PRODUCT && term.size > 1)
        elab_error(L, n->c->whole, "a product is of single numbers");
    else if (!first && term.size != before.size)
        elab_error(L, n->c->whole, "this is %s%s, but %s before", sizes[term.size],
                   elab_variables(L, variable), sizes[before.size]);
    else
        return true;
    return false;
}

static value eval_repeated(elab *L, const node *n, const binding *scope) {
    int low, high;
    if (!elab_whole(L, n->a, scope, "a bound", &low) || !elab_whole(L, n->b, scope, "a bound", &high))
        return elab_wrong();
    op_code op = n->kind == NODE_SUM ? OP_ADD : OP_MUL;
    value out = elab_scalar(elab_constant(L, n->kind == NODE_SUM ? 0 : 1));
    binding variable = {.next = scope, .name = n->name, .loop = true};
    repetition r;
    elab_repeat(L, &r, n->whole, low, high);
    while (out.size && elab_turn(L, &r)) {
        variable.value = elab_scalar((scalar){.number = (double)r.now, .known = true, .varies = true});
        value term = elab_eval(L, n->c, &variable);
        if (term.size == 0 || !no_condition(L, n->c, &term) ||
            !fits_before(L, n, term, out, r.now == low, &variable))
            out = elab_wrong();
        else
            out = r.now == low ? term : elab_map2(L, op, out, term);
    }
    elab_leave(L, &r);
    return L->stopped ? elab_wrong() : out;
}

static value eval_tuple(elab *L, const node *n, const binding *scope) {
    value out = {.size = n->count};
    if (n->count > 4) { // only an inertia has six numbers, and they are not taken together
        elab_error(L, n->whole, "a tuple has two, three or four numbers, not %d", n->count);
        return elab_wrong();
    }
    for (int i = 0; i < n->count; i++)
        if (!elab_number(L, n->args[i], scope, &out.at[i]))
            out.size = 0;
    return out;
}

const char *elab_component(int size, int which) {
    static const char *const components[] = {"w", "x", "y", "z"};
    return size == 1 ? NULL : components[which + (size < 4)];
}

// B.q0
static value part_coordinate(elab *L, const node *n, const binding *scope) {
    const char *name = names_text(L->names, n->name);
    int part;
    if (!elab_find_part(L, n->a, scope, "a body", &part))
        return elab_wrong();
    int id = elab_part_coordinate(L, part, name);
    value v;
    if (L->parts.at[part].count == 0)
        return L->extension->member(L, part, name, n->at, &v) && elab_allowed(L, n->at, v.at[0].e)
                   ? v
                   : elab_wrong();
    if (id < 0) {
        text list;
        text_init(&list, L->arena);
        const elab_part *p = &L->parts.at[part];
        for (int i = 0; i < p->count; i++)
            text_print(&list, "%s.%s", i == 0 ? "it has " : i + 1 < p->count ? ", " : " and ", p->names[i]);
        elab_error(L, n->at, "this %s has no coordinate '.%s'", p->word, name)->hint = text_string(&list);
        return elab_wrong();
    }
    v = elab_coordinate_value(L, id);
    return elab_allowed(L, n->at, v.at[0].e) ? v : elab_wrong();
}

static value eval_part(elab *L, const node *n, const binding *scope) {
    const char *part = names_text(L->names, n->name);
    if (elab_names_part(L, n->a, scope))
        return part_coordinate(L, n, scope);
    if (n->a->kind == NODE_NAME && L->symbols[n->a->name] && L->symbols[n->a->name]->kind == SYMBOL_WRONG)
        return elab_wrong();
    value v = elab_eval(L, n->a, scope);
    if (v.size == 0)
        return v;
    int which = strcmp(part, "x") == 0 ? 0 : strcmp(part, "y") == 0 ? 1 : strcmp(part, "z") == 0 ? 2 : -1;
    if (v.size == 4)
        which = strcmp(part, "w") == 0 ? 0 : which < 0 ? -1 : which + 1;
    if (v.size == 1 || which < 0 || which >= v.size) {
        elab_error(L, n->at, "%s has no part '.%s'", sizes[v.size], part)->hint =
            v.size == 1   ? NULL
            : v.size == 2 ? "a pair has the parts .x and .y"
            : v.size == 3 ? "a triple has the parts .x, .y and .z"
                          : "a quaternion has the parts .w, .x, .y and .z";
        return elab_wrong();
    }
    return elab_scalar(v.at[which]);
}

static bool derivative(elab *L, const node *n, scalar *s) {
    if (s->known) {
        *s = elab_constant(L, 0);
        return true;
    }
    unsigned kinds = expr_kinds(L->pool, s->e);
    expr e = expr_dt(L->pool, s->e);
    if (e == EXPR_NONE) {
        diag *d = elab_error(L, n->at, "this has no time derivative");
        d->hint = kinds & 1u << SYM_A        ? "accelerations are the highest derivatives there are"
                  : kinds & 1u << SYM_RESULT ? "results known only after solving cannot be differentiated"
                                             : "floor and comparisons have no derivative";
        return false;
    }
    *s = (scalar){.e = e};
    return true;
}

static value eval_prime(elab *L, const node *n, const binding *scope) {
    value v = elab_eval(L, n->a, scope);
    if (v.size && !no_condition(L, n->a, &v))
        return elab_wrong();
    for (int k = 0; k < n->count; k++)
        for (int i = 0; i < v.size; i++)
            if (!derivative(L, n, &v.at[i]))
                return elab_wrong();
    return v;
}

static value eval_any(elab *L, const node *n, const binding *scope) {
    switch (n->kind) {
    case NODE_NUMBER:
        return elab_scalar(elab_constant(L, n->number));
    case NODE_TEXT:
        elab_error(L, n->whole, "expected a value, found a text");
        return elab_wrong();
    case NODE_NAME:
        return elab_refer(L, n, scope);
    case NODE_INDEX:
        if (n->a->kind == NODE_NAME)
            return elab_refer(L, n, scope);
        elab_error(L, n->at, "only a name can have an index")->hint =
            n->a->kind == NODE_PRIME ? "write x[i]' instead of x'[i]" : NULL;
        return elab_wrong();
    case NODE_PART:
        return eval_part(L, n, scope);
    case NODE_PRIME:
        return eval_prime(L, n, scope);
    case NODE_CALL:
        return elab_call(L, n, scope);
    case NODE_TUPLE:
        return eval_tuple(L, n, scope);
    case NODE_UNARY:
        return eval_unary(L, n, scope);
    case NODE_BINARY:
        return eval_binary(L, n, scope);
    default:
        return eval_repeated(L, n, scope);
    }
}

value elab_eval(elab *L, const node *n, const binding *scope) {
    if (!elab_spend(L, n->at, 1) || !elab_deeper(L, n->at))
        return elab_wrong();
    value v = eval_any(L, n, scope);
    L->level--;
    bool reference =
        n->kind == NODE_NAME || n->kind == NODE_INDEX || n->kind == NODE_PRIME || n->kind == NODE_CALL;
    for (int i = 0; reference && i < v.size; i++)
        if (v.at[i].e != EXPR_NONE && !elab_allowed(L, n->at, v.at[i].e))
            return elab_wrong();
    return v;
}

// ---- what statements ask for

static bool single(elab *L, const node *n, const value *v) {
    if (v->size > 1)
        elab_error(L, n->whole, "expected a single number, found %s", sizes[v->size])->hint =
            "take a part such as .x, or norm(...)";
    return v->size == 1;
}

static bool number_of(elab *L, const node *n, value v, scalar *out) {
    if (v.size == 0 && L->diags->errors == 0) // never pass over a term in silence
        elab_error(L, n->whole, "this has no value");
    if (v.size == 0 || !no_condition(L, n, &v) || !single(L, n, &v))
        return false;
    *out = v.at[0];
    return true;
}

bool elab_number(elab *L, const node *n, const binding *scope, scalar *out) {
    return number_of(L, n, elab_eval(L, n, scope), out);
}

bool elab_number_alike(elab *L, const node *n, const binding *scope, scalar *out) {
    return number_of(L, n, elab_eval_alike(L, n, scope), out);
}

value elab_known_value(elab *L, const node *n, const binding *scope, const char *what) {
    allowance old = L->allowed;
    L->allowed = (allowance){.where = what};
    value v = elab_eval(L, n, scope);
    L->allowed = old;
    if (v.size == 0 && L->diags->errors == 0)
        elab_error(L, n->whole, "this has no value");
    if (v.size && !no_condition(L, n, &v))
        return elab_wrong();
    for (int i = 0; i < v.size; i++) {
        recipe_pins(L->recipes, v.at[i].step, PIN_FINITE);
        if (!isfinite(v.at[i].number)) {
            elab_error(L, n->whole, "%s must be a finite number", what)->hint =
                "a division by zero, a root or logarithm of a negative number, or acos beyond 1?";
            return elab_wrong();
        }
    }
    return v;
}

bool elab_known_scalar(elab *L, const node *n, const binding *scope, const char *what, scalar *out) {
    value v = elab_known_value(L, n, scope, what);
    *out = v.at[0];
    return v.size && single(L, n, &v);
}

bool elab_known(elab *L, const node *n, const binding *scope, const char *what, double *out) {
    scalar s;
    if (!elab_known_scalar(L, n, scope, what, &s))
        return false;
    *out = elab_peek(L, &s);
    return true;
}

bool elab_whole(elab *L, const node *n, const binding *scope, const char *what, int *out) {
    double number;
    int nodes;
    if (elab_plain_index(n, scope, out, &nodes))
        return elab_spend(L, n->at, nodes);
    L->deciding++;
    bool known = elab_known(L, n, scope, what, &number);
    L->deciding--;
    if (!known)
        return false;
    double nearest = nearbyint(number);
    if (fabs(number - nearest) > 1e-9 || fabs(nearest) > INT_MAX / 2) {
        diag *d = elab_error(L, n->whole, "%s must be a whole number, not %.15g%s", what, number,
                             elab_variables(L, scope));
        symbol *s = n->kind == NODE_NAME ? L->symbols[n->name] : NULL;
        if (s && s->kind == SYMBOL_PARAM) { // its other uses would say the same
            diag_other(d, s->at, "it is declared here");
            for (int i = 0; i < L->setting_count; i++)
                if (strcmp(L->settings[i].name, names_text(L->names, s->name)) == 0)
                    d->hint = "its value is that of " SETTING "set";
            s->kind = SYMBOL_WRONG;
        }
        return false;
    }
    *out = (int)nearest;
    return true;
}
