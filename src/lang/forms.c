/* The forms of statements, one function for each. */
#include "lang/parse.h"

#include <string.h>

node *parser_expression(parser *p, const char *what) {
    if (!p->failed && parser_at_end(p))
        parser_error(p, what);
    return p->failed ? NULL : parse_expr(p);
}

// x, x[i], x[1..N], x', x[i]''
item parse_target(parser *p, const char *what) {
    item it = {.at = p->now.at};
    it.name = parser_name(p, what);
    place open = p->now.at;
    if (!p->failed && parser_accept(p, "[")) {
        it.index = parse_expr(p);
        if (!p->failed && p->now.kind == TOKEN_RANGE) {
            parser_advance(p);
            it.first = it.index;
            it.index = NULL;
            it.last = parse_expr(p);
        }
        if (!p->failed && !parser_accept(p, "]"))
            parser_unclosed(p, open, "]");
    }
    if (!p->failed && parser_accept(p, ".")) {
        it.part = p->now.at;
        parser_name(p, "a part such as .x");
    }
    while (!p->failed && p->now.kind == TOKEN_PRIME) {
        it.primes++;
        parser_advance(p);
    }
    if (!p->failed && parser_at(p, "["))
        parser_error(p, "an index before the prime")->hint = "write x[i]' instead of x'[i]";
    it.at.length = p->end - it.at.offset;
    return it;
}

static void no_primes(parser *p, const item *it) {
    if (it->primes)
        parser_wrong(p, it->at, "a derivative cannot stand here")->hint = "leave the ' away";
}

// what is declared has neither primes nor parts
void parser_plain_name(parser *p, const item *it) {
    no_primes(p, it);
    if (it->part.source)
        parser_wrong(p, it->part, "a part cannot be declared")->hint = "choose a name without a point";
}

static void parse_equals(parser *p, const char *after, const char *hint) {
    if (p->failed || parser_accept(p, "="))
        return;
    parser_error(p, arena_print(p->arena, "'=' %s", after))->hint = hint;
}

static const char *closest(const parser *p, const char *const *words, int count) {
    place at = p->now.at;
    const char *wrong = arena_copy(p->arena, at.source->text + at.offset, (size_t)at.length);
    name_guess best = {0};
    for (int i = 0; i < count; i++)
        names_offer(&best, wrong, words[i]);
    return best.text ? arena_print(p->arena, "did you mean '%s'?", best.text) : NULL;
}

// ---- one function for each form of statement; the keyword is passed

void parse_title(parser *p, stmt *s) {
    if (p->now.kind != TOKEN_STRING) {
        parser_error(p, "a text in quotation marks, as in title \"Pendulum\"");
        return;
    }
    s->extent = p->now.at;
    parser_advance(p);
}

// coordinates joints, coordinates bodies
void parse_coordinates(parser *p, stmt *s) {
    if (!parser_at(p, "joints") && !parser_at(p, "bodies")) {
        parser_error(p, "'joints' or 'bodies'")->hint = "'coordinates joints' integrates angles and slides "
                                                        "of joints, 'coordinates bodies' the positions and "
                                                        "rotations of bodies; without it the faster one is "
                                                        "taken. Coordinates of your own are declared by "
                                                        "'coord x, y'";
        return;
    }
    s->extent = p->now.at;
    parser_advance(p);
}

void parse_param(parser *p, stmt *s) {
    do {
        if (s->items.count && p->now.kind == TOKEN_NUMBER)
            parser_error(p, "the name of a parameter")->hint =
                "decimals are written with a point, as in 9.81";
        item it = parse_target(p, "the name of a parameter, as in param L = 2");
        parser_plain_name(p, &it);
        parse_equals(p, "and the parameter's value", "write param NAME = EXPRESSION");
        it.value = parser_expression(p, "the parameter's value");
        vec_push(p->arena, s->items, it);
    } while (!p->failed && parser_accept(p, ","));
}

void parse_coord(parser *p, stmt *s) {
    do {
        item it = parse_target(p, "the name of a coordinate, as in coord x, y or coord x[1..N]");
        parser_plain_name(p, &it);
        if (!p->failed && (parser_at(p, "=") || parser_at(p, "~")))
            parser_error(p, "',' or the end of the line")->hint =
                "initial values have a statement of their own: initial x = 1";
        vec_push(p->arena, s->items, it);
    } while (!p->failed && parser_accept(p, ","));
    if (!p->failed && p->now.kind == TOKEN_NAME && !parser_keyword(p))
        parser_error(p, "',' or the end of the line")->hint = "commas separate names: coord x, y";
}

// x, B.x, angle(J), with primes
static item parse_started(parser *p) {
    static const char what[] = "a coordinate, as in initial x = 1, x' = 0";
    place call = p->now.at;
    if (p->now.kind != TOKEN_NAME || !token_is(p->next, "("))
        return parse_target(p, what);
    parser_advance(p);
    place open = p->now.at;
    parser_advance(p);
    item it = parse_target(p, "a joint, as in initial angle(J) = 0.5");
    no_primes(p, &it);
    if (!p->failed && !parser_accept(p, ")"))
        parser_unclosed(p, open, ")");
    for (; !p->failed && p->now.kind == TOKEN_PRIME; parser_advance(p))
        it.primes++;
    it.call = it.at = call;
    it.at.length = p->end - it.at.offset;
    return it;
}

void parse_initial(parser *p, stmt *s) {
    s->instead = parser_accept(p, "instead");
    do {
        item it = parse_started(p);
        it.guess = parser_at(p, "~");
        if (s->instead && parser_at(p, "="))
            parser_error(p, "'~'")->hint =
                "what takes the place of another start may be moved: initial instead x ~ 1";
        if (!p->failed && !parser_accept(p, "~") && !parser_accept(p, "="))
            parser_error(p, "'=' or '~' and the initial value")->hint =
                "write x = 1 for an exact value, y ~ 0 for a guess that may be moved";
        it.value = parser_expression(p, "the initial value");
        vec_push(p->arena, s->items, it);
    } while (!p->failed && parser_accept(p, ","));
}

void parse_let(parser *p, stmt *s) {
    item it = {.at = p->now.at};
    it.name = parser_name(p, "a name, as in let r = sqrt(x^2 + y^2) or let f(a, b) = a*b");
    if (!p->failed && parser_at(p, "["))
        parser_error(p, "'=' or '('")->hint = "an expression with an index is a function: let r(i) = x[i]^2";
    if (!p->failed && parser_accept(p, "(")) {
        s->function = true;
        if (parser_at(p, ")"))
            parser_error(p, "the name of an argument")->hint =
                "an expression without arguments has no brackets: let r = sqrt(x^2 + y^2)";
        do {
            int argument = parser_variable(p, "the name of an argument");
            for (int i = 0; i < s->names.count && !p->failed; i++)
                if (s->names.at[i] == argument)
                    parser_wrong(p, p->last.at, "two arguments have this name");
            vec_push(p->arena, s->names, argument);
            if (s->names.count == LET_ARGUMENTS && parser_at(p, ","))
                parser_error(p, arena_print(p->arena, "at most %d arguments", LET_ARGUMENTS));
        } while (!p->failed && parser_accept(p, ","));
        if (!p->failed)
            parser_expect(p, ")", "after the arguments");
    }
    parse_equals(p, "and an expression", "write let NAME = EXPRESSION");
    s->value = parser_expression(p, "an expression");
    vec_push(p->arena, s->items, it);
}

void parse_energy(parser *p, stmt *s) {
    if (parser_at(p, "=") || parser_at(p, ":")) {
        parser_error(p, "an expression")->hint = "the energy follows at once: kinetic m/2*x'^2";
        return;
    }
    s->value = parser_expression(p, "an expression");
}

void parse_force(parser *p, stmt *s) {
    item it = parse_target(p, "a coordinate, as in force x = -k*x");
    no_primes(p, &it);
    if (!p->failed && s->kind == STMT_FORCE && parser_accept(p, "at"))
        s->point = parser_expression(p, "a point of the body, as in force B at (0, 0, 1) = (1, 0, 0)");
    parse_equals(p, "and an expression", "write force x = -k*x");
    s->value = parser_expression(p, "an expression");
    vec_push(p->arena, s->items, it);
}

void parse_torque(parser *p, stmt *s) {
    item it = parse_target(p, "a body or joint, as in torque B = (0, 0, 1) or torque J = 1");
    no_primes(p, &it);
    parse_equals(
        p, "and an expression",
        "write torque B = (0, 0, 1) on a body, torque B = 1 on a planar one, torque J = 1 on a joint");
    s->value = parser_expression(p, "an expression");
    vec_push(p->arena, s->items, it);
}

void parse_mass(parser *p, stmt *s) {
    item it = parse_target(p, "a coordinate, as in mass x = 2 or mass x y = 0.5");
    no_primes(p, &it);
    vec_push(p->arena, s->items, it);
    if (!p->failed && p->now.kind == TOKEN_NAME) {
        it = parse_target(p, "a coordinate");
        no_primes(p, &it);
        vec_push(p->arena, s->items, it);
    }
    parse_equals(p, "and an expression", "write mass x = 2 or mass x y = 0.5");
    s->value = parser_expression(p, "an expression");
}

// (damping = d, stiffness = k, weight = w)
static void parse_options(parser *p, stmt *s) {
    do {
        token t = p->now;
        node **to = token_is(t, "damping")     ? &s->damping
                    : token_is(t, "stiffness") ? &s->stiffness
                    : token_is(t, "weight")    ? &s->weight
                                               : NULL;
        if (to == NULL) {
            static const char *const words[] = {"damping", "stiffness", "weight"};
            parser_error(p, "'damping', 'stiffness' or 'weight'")->hint = closest(p, words, 3);
            return;
        }
        if (*to)
            parser_wrong(p, t.at, "this option is given twice");
        parser_advance(p);
        parse_equals(p, "and a value", "write constraint NAME (damping = 2, stiffness = 1): ...");
        *to = parser_expression(p, "a value");
    } while (!p->failed && parser_accept(p, ","));
    if (!p->failed)
        parser_expect(p, ")", "after the options");
}

static const char constraint_form[] = "write constraint NAME: e1 = e2";

// constraint x^2 + y^2 = 1
static bool is_nameless(const parser *p) {
    static const char *const signs[] = {"^", "*", "/", "+", "-", "=", "."};
    for (int i = 0; i < 7; i++)
        if (parser_at(p, signs[i]))
            return true;
    return p->now.kind == TOKEN_PRIME;
}

// an equation that was read as a comparison
static void not_compared(parser *p, const node *n) {
    if (n == NULL || n->kind != NODE_BINARY || n->op < OP_LT || n->op > OP_NE)
        return;
    if (n->op == OP_EQ)
        parser_wrong(p, n->at, "an equation has a single '='")->hint = "write e1 = e2";
    else
        parser_wrong(p, n->at, "a constraint is an equation, not a comparison")->hint =
            "there are no inequalities; write e1 = e2";
}

void parse_constraint(parser *p, stmt *s) {
    token first = p->now;
    bool nameless = first.kind != TOKEN_NAME;
    if (!nameless) {
        item it = parse_target(p, "a name");
        nameless = !p->failed && (is_nameless(p) || it.primes || it.part.source);
        vec_push(p->arena, s->items, it);
    }
    if (nameless)
        parser_wrong(p, first.at, "this constraint has no name")->hint = constraint_form;
    if (!p->failed && parser_accept(p, "("))
        parse_options(p, s);
    if (!p->failed && !parser_accept(p, ":"))
        parser_error(p, "':' after the constraint's name")->hint = constraint_form;
    s->lhs = parser_expression(p, "an equation e1 = e2");
    not_compared(p, s->lhs);
    parse_equals(p, "and the other side of the equation", "a constraint is an equation: e1 = e2");
    s->rhs = parser_expression(p, "the other side of the equation");
    not_compared(p, s->rhs);
}

void parse_output(parser *p, stmt *s) {
    item it = parse_target(p, "a name, as in output r = sqrt(x^2 + y^2)");
    parser_plain_name(p, &it);
    parse_equals(p, "and an expression", "write output NAME = EXPRESSION");
    it.value = parser_expression(p, "an expression");
    vec_push(p->arena, s->items, it);
}

static const char *const plot_options[] = {"xlabel", "xrange", "xlog", "ylabel", "yrange", "ylog"};

// = "x / m"
static void parse_label(parser *p, plot_option *o) {
    parse_equals(p, "and a label in quotation marks", "write xlabel = \"time / s\"");
    if (!p->failed && p->now.kind != TOKEN_STRING)
        parser_error(p, "a label in quotation marks")->hint = "write xlabel = \"time / s\"";
    o->label = p->now.at;
    parser_advance(p);
}

// = 0..5, = 0.. or = ..5
static void parse_range(parser *p, plot_option *o) {
    static const char form[] = "write xrange = 0..5, or one end alone, 0.. or ..5";
    parse_equals(p, "and a range", form);
    if (p->now.kind != TOKEN_RANGE)
        o->from = parser_expression(p, "where the axis begins");
    if (!p->failed && p->now.kind != TOKEN_RANGE)
        parser_error(p, "'..' of a range")->hint = form;
    if (p->failed)
        return;
    parser_advance(p);
    if (o->from == NULL || (!parser_at(p, ",") && !parser_at(p, ")")))
        o->to = parser_expression(p, "where the axis ends");
}

static void parse_plot_option(parser *p, stmt *s) {
    int which = 0;
    while (which < PLOT_OPTIONS && !parser_at(p, plot_options[which]))
        which++;
    if (which == PLOT_OPTIONS) {
        parser_error(p, "'xlabel', 'xrange', 'xlog', 'ylabel', 'yrange' or 'ylog'")->hint =
            closest(p, plot_options, PLOT_OPTIONS);
        return;
    }
    plot_option *o = &s->axes[which];
    if (o->at.source)
        parser_wrong(p, p->now.at, "this option is given twice");
    o->at = p->now.at;
    parser_advance(p);
    if (which % 3 == PLOT_LABEL)
        parse_label(p, o);
    if (which % 3 == PLOT_RANGE)
        parse_range(p, o);
}

// (xlabel = "time / s", yrange = 0..2, ylog)
static void parse_axes(parser *p, stmt *s) {
    s->axes = arena_array(p->arena, plot_option, PLOT_OPTIONS);
    do
        parse_plot_option(p, s);
    while (!p->failed && parser_accept(p, ","));
    if (!p->failed)
        parser_expect(p, ")", "after the options");
}

void parse_plot(parser *p, stmt *s) {
    if (p->now.kind != TOKEN_STRING)
        parser_error(p, "a title in quotation marks")->hint = "write plot \"Path\": y vs x";
    else
        parse_title(p, s);
    if (!p->failed && parser_accept(p, "("))
        parse_axes(p, s);
    if (!p->failed)
        parser_expect(p, ":", "after the plot's title, as in plot \"Path\": y vs x");
    do {
        node *n = parser_expression(p, "an expression to plot");
        vec_push(p->arena, s->list, n);
    } while (!p->failed && parser_accept(p, ","));
    if (!p->failed && parser_accept(p, "vs"))
        s->value = parser_expression(p, "what to plot against");
}

static const struct {
    const char *kind, *then[3]; // what follows the first, NULL where nothing does
    int may;                    // so many of the last may be left out
} drawings[] = {{"line", {"a second point"}, 0},
                {"circle", {"the radius"}, 0},
                {"trace", {NULL}, 0},
                {"arrow", {"the vector"}, 0},
                {"box", {"the size of the box", "where its middle is"}, 1},
                {"spring", {"a second point"}, 0},
                {"text", {NULL}, 0},
                {"cylinder", {"a second point", "the radius"}, 0},
                {"ground", {"a second point"}, 0},
                {"mesh", {"the scale", "where its origin is", "its rotation"}, 3}};
enum { DRAWINGS = sizeof drawings / sizeof *drawings };

static int find_drawing(parser *p) {
    const char *kinds[DRAWINGS];
    for (int i = 0; i < DRAWINGS; i++) {
        kinds[i] = drawings[i].kind;
        if (parser_at(p, kinds[i]))
            return i;
    }
    const char *meant = closest(p, kinds, DRAWINGS);
    parser_error(
        p, "'line', 'circle', 'trace', 'arrow', 'box', 'spring', 'text', 'cylinder', 'ground' or 'mesh'")
        ->hint = meant;
    return -1;
}

// (0, 0) -(1, 1) is one point, a difference
static bool is_difference(const stmt *s) {
    const node *first = s->list.count ? s->list.at[0] : NULL;
    return first && first->kind == NODE_BINARY && (first->op == OP_SUB || first->op == OP_ADD);
}

static void parse_drawn(parser *p, stmt *s, const char *what) {
    if (!p->failed && parser_at(p, ","))
        parser_error(p, what)->hint = "a space separates them, no comma: draw line (0, 0) (x, y)";
    else if (!p->failed && parser_at_end(p) && is_difference(s))
        parser_error(p, what)->hint = "what starts with a sign stands in brackets, or is taken for a "
                                      "difference: draw line (x, 0) (-(1, 1))";
    node *n = parser_expression(p, what);
    vec_push(p->arena, s->list, n);
}

static void parse_mesh(parser *p, stmt *s) {
    if (!p->failed && p->now.kind != TOKEN_STRING)
        parser_error(p, "a file in quotation marks")->hint = "write draw mesh B \"link.stl\"";
    if (p->failed)
        return;
    node *file = parse_quoted(p);
    vec_push(p->arena, s->list, file);
}

void parse_draw(parser *p, stmt *s) {
    int kind = find_drawing(p);
    if (kind < 0)
        return;
    s->name = names_intern(p->names, drawings[kind].kind, (int)strlen(drawings[kind].kind));
    parser_advance(p);
    p->tight = true;
    bool mesh = strcmp(drawings[kind].kind, "mesh") == 0;
    parse_drawn(p, s, mesh ? "a body" : "a point such as (x, y)");
    if (mesh)
        parse_mesh(p, s);
    int count = 0;
    while (count < 3 && drawings[kind].then[count])
        count++;
    for (int i = 0; i < count; i++)
        if (i < count - drawings[kind].may || !parser_at_end(p))
            parse_drawn(p, s, drawings[kind].then[i]);
    p->tight = false;
    if (!p->failed && strcmp(drawings[kind].kind, "text") == 0) {
        s->extent = p->now.at;
        if (p->now.kind != TOKEN_STRING)
            parser_error(p, "a text in quotation marks")->hint = "write draw text (x, y) \"bob\"";
        else
            parser_advance(p);
    }
}

// scale x = 1e-6, scale time = 1e-3
static void parse_scale(parser *p, stmt *s) {
    static const char form[] = "write scale x = 1e-6, or scale time = 1e-3";
    item it = parse_target(p, "a coordinate or 'time', as in scale x = 1e-6");
    parse_equals(p, "and a number", form);
    it.value = parser_expression(p, "a number");
    vec_push(p->arena, s->items, it);
}

void parse_simulate(parser *p, stmt *s) {
    static const char form[] = "write simulate until 10, every 0.01, tolerance 1e-9";
    while (!p->failed && !parser_at_end(p)) {
        if (parser_accept(p, "scale")) {
            parse_scale(p, s);
            parser_accept(p, ",");
            continue;
        }
        node **to = parser_at(p, "until")       ? &s->until
                    : parser_at(p, "from")      ? &s->from
                    : parser_at(p, "every")     ? &s->every
                    : parser_at(p, "tolerance") ? &s->tolerance
                    : parser_at(p, "rank")      ? &s->rank
                                                : NULL;
        if (to == NULL) {
            parser_error(p, "'until', 'from', 'every', 'tolerance', 'rank' or 'scale'")->hint = form;
            return;
        }
        bool from = parser_at(p, "from");
        place at = p->now.at;
        parser_advance(p);
        if (from && parser_at(p, "equilibrium")) {
            if (s->equilibrium.source)
                parser_wrong(p, at, "this is given twice");
            s->equilibrium = p->now.at;
            parser_advance(p);
            parser_accept(p, ",");
            continue;
        }
        if (*to)
            parser_wrong(p, at, "this is given twice");
        if (parser_at(p, "="))
            parser_error(p, "a number, without a '='")->hint = form;
        *to = parser_expression(p, "a number");
        parser_accept(p, ",");
    }
    if (s->until == NULL)
        parser_wrong(p, s->at, "simulate needs the time at which it ends")->hint = form;
}

static void parse_condition(parser *p, stmt *s) {
    s->extent = p->now.at;
    s->value = parser_expression(p, "a condition");
    s->extent.length = p->end - s->extent.offset;
}

void parse_expect(parser *p, stmt *s) {
    s->always = parser_at(p, "always");
    if (!s->always && !parser_at(p, "finally")) {
        static const char *const words[] = {"always", "finally"};
        const char *meant = parser_at_end(p) ? NULL : closest(p, words, 2);
        if (meant || parser_at_end(p)) {
            parser_error(p, "'always' or 'finally'")->hint = meant ? meant : EXPECT_FORM;
            return;
        }
        s->bare = p->now.at;
    } else {
        parser_advance(p);
    }
    parse_condition(p, s);
}

void parse_stop(parser *p, stmt *s) {
    static const char *const words[] = {"when"};
    if (!parser_at(p, "when")) {
        const char *meant = p->now.kind == TOKEN_NAME ? closest(p, words, 1) : NULL;
        parser_error(p, "'when'")->hint = meant ? meant : "write stop when CONDITION, as in stop when y < 0";
        return;
    }
    parser_advance(p);
    parse_condition(p, s);
}
