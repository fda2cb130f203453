#include "report/newton_joints.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

static const double WORDS_MOST = 150; // pt; longer ones get a name

// ---- names and words

int *newton_owners(arena *a, const model *m, const mech_parts *parts) {
    int *out = arena_array(a, int, m->coords.count + 1);
    for (int i = 0; i < m->coords.count; i++)
        out[i] = -1;
    for (int i = 0; i < parts->bodies.count; i++) {
        const body *b = &parts->bodies.at[i];
        for (int k = 0; b->position >= 0 && k < (b->planar ? 2 : 3); k++)
            out[b->position + k] = i;
        for (int k = 0; b->rotation >= 0 && k < (b->planar ? 1 : 4); k++)
            out[b->rotation + k] = i;
    }
    return out;
}

const char *newton_plain(newton *w, const char *written) {
    text out;
    text_init(&out, w->t->scratch);
    for (const char *c = written; *c; c++)
        if (w->t->latex && strchr("_^&%#$", *c))
            text_print(&out, *c == '^' ? "\\^{}" : "\\%c", *c);
        else
            text_add_bytes(&out, c, 1);
    return text_string(&out);
}

// the parameters that stand in words of the model
static void note_parameters(newton *w, const char *c) {
    while (*c) {
        int length = (int)strspn(c, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
        int name = length ? names_find(w->model->names, c, length) : -1;
        for (int i = 0; name >= 0 && i < w->model->params.count; i++)
            w->t->used[i] |= w->model->params.at[i].label.name == name;
        c += length ? length : 1;
    }
}

const char *newton_words(newton *w, const char *written) {
    const char *plain = newton_plain(w, written);
    note_parameters(w, written);
    if (!w->t->latex)
        return plain;
    const char *shown = arena_print(w->t->scratch, "\\text{%s}", plain);
    if (typeset_width(shown) <= WORDS_MOST)
        return shown;
    int k = 0;
    while (k < w->phrases.count && strcmp(w->phrases.at[k], plain) != 0)
        k++;
    if (k == w->phrases.count)
        vec_push(w->t->scratch, w->phrases, plain);
    return arena_print(w->t->scratch, "W_{%d}", k + 1);
}

const char *newton_name(newton *w, label l) {
    text name;
    text_init(&name, w->t->scratch);
    model_label(w->model, l, &name);
    return newton_plain(w, text_string(&name));
}

void newton_term(newton *w, typeset_terms *terms, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = number_vprint(NULL, 0, format, arguments);
    char *made = arena_alloc(w->t->scratch, (size_t)length + 1);
    number_vprint(made, (size_t)length + 1, format, again);
    va_end(arguments);
    va_end(again);
    vec_push(w->t->scratch, *terms, (const char *)made);
}

// f[hub], f_{\text{hub}}
static const char *of_joint(newton *w, const char *letter, const joint *j) {
    const char *name = newton_name(w, j->label);
    return w->t->latex ? arena_print(w->t->scratch, "%s_{\\text{%s}}", letter, name)
                       : arena_print(w->t->scratch, "%s[%s]", letter[0] == '\\' ? letter + 1 : letter, name);
}

static const char *of_body(newton *w, const char *letter, const body *b) {
    const char *name = newton_name(w, b->label);
    return w->t->latex ? arena_print(w->t->scratch, "%s_{\\text{%s}}", letter, name)
                       : arena_print(w->t->scratch, "%s[%s]", letter, name);
}

static const char *number_shown(newton *w, double number) {
    char digits[40];
    number_print(digits, sizeof digits, w->t->latex ? "%.7g" : "%.15g", fabs(number) < 1e-15 ? 0 : number);
    double back = number_read(digits, NULL);
    if (!w->t->latex)
        return arena_print(w->t->scratch, "%s", digits);
    expr e = expr_number(w->t->pool, back);
    text page = w->t->out;
    text_init(&w->t->out, w->t->scratch);
    typeset_expr(w->t, e);
    const char *made = text_string(&w->t->out);
    w->t->out = page;
    return made;
}

static const char *vector_shown(newton *w, vector v, bool planar) {
    double at[] = {v.x, v.y, v.z};
    text out;
    text_init(&out, w->t->scratch);
    text_add(&out, "(");
    for (int i = 0; i < (planar ? 2 : 3); i++)
        text_print(&out, "%s%s", i == 0 ? "" : w->t->latex ? ",\\, " : ", ", number_shown(w, at[i]));
    text_add(&out, ")");
    return text_string(&out);
}

const char *newton_scalar(newton *w, scalar s) {
    if (s.known && (s.e == EXPR_NONE || expr_op(w->model->pool, s.e) == OP_NUMBER))
        return number_shown(w, s.number);
    text page = w->t->out;
    text_init(&w->t->out, w->t->scratch);
    expr_print(w->model->pool, s.e, w->t->latex ? PRINT_LATEX : PRINT_TEXT, typeset_symbol, w->t, &w->t->out);
    const char *made = text_string(&w->t->out);
    w->t->out = page;
    return made;
}

// ---- what a joint does

bool newton_has_axis(const joint *j, bool torque) {
    if (j == NULL || j->body[0] == NULL)
        return false;
    return torque ? j->kind->turning == TURN_ABOUT && j->kind->meeting != MEET_PLANE
                  : j->kind->meeting == MEET_LINE;
}

static bool is_body(const newton *w, const body *b, int number) {
    return b == &w->parts->bodies.at[number];
}

static bool is_coupling(const joint *j) {
    return j->coupled[0] != NULL;
}

static bool is_distance(const joint *j) {
    return j->kind->rows == distance_rows;
}

static bool connects(const newton *w, const joint *j, int number) {
    return j->body[0] && (is_body(w, j->body[0], number) || is_body(w, j->body[1], number));
}

bool newton_is_party(const newton *w, const joint *j, int number) {
    if (is_coupling(j))
        return connects(w, j->coupled[0], number) || connects(w, j->coupled[1], number);
    return is_distance(j) ? j->of[0] == number || j->of[1] == number : connects(w, j, number);
}

// along its axis: a motor, a spring, a damper
static bool is_driven(const newton *w, const joint *j, bool torque) {
    bool own = (j->stiffness || j->damping) && j->kind->turns == torque;
    for (int i = 0; i < w->model->actuators.count; i++)
        own |= w->model->actuators.at[i].part == j->part && w->model->actuators.at[i].torque == torque;
    return own && newton_has_axis(j, torque);
}

static bool has_torque(const joint *j) {
    if (is_distance(j) || j->kind->wheel || j->kind->turning == TURN_FREE)
        return false;
    return !j->planar || j->kind->turning == TURN_NOT || j->motion;
}

typedef void (*adding)(newton *w, const joint *j, const char *sign, typeset_terms *terms);

static void force_terms(newton *w, const joint *j, const char *sign, typeset_terms *terms) {
    newton_term(w, terms, "%s %s", sign, of_joint(w, "f", j));
    if (is_driven(w, j, false))
        newton_term(w, terms, "%s %s %s", sign, of_joint(w, "h", j), of_joint(w, "a", j));
}

static const char *cross(const newton *w) {
    return w->t->latex ? "\\times" : "x";
}

static void torque_terms(newton *w, const joint *j, const char *sign, typeset_terms *terms) {
    const char *point = of_joint(w, "P", j);
    if (has_torque(j))
        newton_term(w, terms, "%s %s", sign, of_joint(w, "n", j));
    newton_term(w, terms, "%s (%s - %s) %s %s", sign, point, w->r, cross(w), of_joint(w, "f", j));
    if (is_driven(w, j, true))
        newton_term(w, terms, j->planar ? "%s %s" : "%s %s %s", sign, of_joint(w, "\\tau", j),
                    of_joint(w, "a", j));
    if (is_driven(w, j, false))
        newton_term(w, terms, "%s (%s - %s) %s %s %s", sign, point, w->r, cross(w), of_joint(w, "h", j),
                    of_joint(w, "a", j));
}

static const char *ratio_of(newton *w, const joint *j) {
    return newton_words(w, arena_print(w->t->scratch, "(%s)", j->length));
}

// what couples joints acts along the axis of each, on its second body as `sign` says
static void coupling_terms(newton *w, const joint *j, int number, bool torques, typeset_terms *terms) {
    bool rack = j->kind->rows == rack_rows;
    for (int i = 0; i < 2; i++) {
        const joint *of = j->coupled[i];
        bool slides = i == 1 && rack;
        for (int side = 0; side < 2; side++) {
            if (!is_body(w, of->body[side], number) || (!torques && !slides))
                continue;
            const char *sign = (side == 1) == (i == 1) ? "+" : "-";
            const char *factor = i == 1 ? "" : arena_print(w->t->scratch, "%s ", ratio_of(w, j));
            const char *lambda = of_joint(w, "\\lambda", j);
            if (slides && torques)
                newton_term(w, terms, "%s (%s - %s) %s %s %s", sign, of_joint(w, "P", of), w->r, cross(w),
                            lambda, of_joint(w, "a", of));
            else if (of->planar && !slides)
                newton_term(w, terms, "%s %s%s", sign, factor, lambda);
            else
                newton_term(w, terms, "%s %s%s %s", sign, factor, lambda, of_joint(w, "a", of));
        }
    }
}

static bool is_centre(const char *end) {
    return strncmp(end, "point", 5) != 0;
}

static void distance_terms(newton *w, const joint *j, int number, bool torques, typeset_terms *terms) {
    for (int i = 0; i < 2; i++) {
        const char *sign = i ? "+" : "-", *force = of_joint(w, "f", j);
        if (j->of[i] != number || (torques && is_centre(j->ends[i])))
            continue;
        if (torques)
            newton_term(w, terms, "%s (%s - %s) %s %s", sign, of_joint(w, i ? "P" : "S", j), w->r, cross(w),
                        force);
        else
            newton_term(w, terms, "%s %s", sign, force);
    }
}

static void add_terms(newton *w, int number, bool torques, typeset_terms *terms) {
    adding add = torques ? torque_terms : force_terms;
    for (int i = 0; i < w->parts->joints.count; i++) {
        const joint *j = w->parts->joints.at[i];
        if (is_coupling(j))
            coupling_terms(w, j, number, torques, terms);
        else if (is_distance(j))
            distance_terms(w, j, number, torques, terms);
        for (int side = 0; side < 2 && j->body[0] && !is_coupling(j); side++)
            if (is_body(w, j->body[side], number))
                add(w, j, side ? "+" : "-", terms);
    }
}

void newton_add_forces(newton *w, int number, typeset_terms *terms) {
    add_terms(w, number, false, terms);
}

void newton_add_torques(newton *w, int number, typeset_terms *terms) {
    add_terms(w, number, true, terms);
}

// ---- what a joint holds

// left = first = second; where that is wider than a column, the second on a line of its own
static void put_equation(newton *w, const char *left, const char *first, const char *second) {
    typeset_line(w->t);
    if (!w->t->latex) {
        text_print(&w->t->out, "%s = %s%s%s", left, first, second ? " = " : "", second ? second : "");
        return;
    }
    text_print(&w->t->out, "%s &= %s", left, first);
    if (second == NULL)
        return;
    double width = typeset_width(left) + typeset_width(first) + typeset_width(second) + 26;
    text_print(&w->t->out, width > TYPESET_COLUMN ? " \\\\\n  &= %s" : " = %s", second);
}

// where a point that is fixed in a body is in the world
static const char *place_of(newton *w, const joint *j, int side) {
    const body *b = j->body[side];
    vector s = j->point[side];
    if (body_is_ground(b))
        return vector_shown(w, s, j->planar);
    const char *centre = of_body(w, w->r, b);
    if (vector_norm(s) < 1e-15)
        return centre;
    return arena_print(w->t->scratch, "%s + %s %s", centre, of_body(w, w->R, b),
                       vector_shown(w, s, j->planar));
}

static const char *direction_of(newton *w, const joint *j, int side, vector v) {
    const body *b = j->body[side];
    const char *shown = vector_shown(w, v, j->planar);
    return body_is_ground(b) ? shown : arena_print(w->t->scratch, "%s %s", of_body(w, w->R, b), shown);
}

static bool is_turned(const joint *j) {
    return !j->planar && (j->kind->turning == TURN_ABOUT || j->kind->turning == TURN_NOT);
}

// the axis, or the normal of a plane
static void put_axis(newton *w, const joint *j) {
    bool needed = j->kind->meeting == MEET_LINE || j->kind->meeting == MEET_PLANE || j->kind->wheel ||
                  (is_turned(j) && j->kind->turning == TURN_ABOUT);
    const char *second = is_turned(j) ? direction_of(w, j, 1, rotation_apply(j->c, j->axis)) : NULL;
    if (needed)
        put_equation(w, of_joint(w, "a", j), direction_of(w, j, 0, j->axis), second);
    else if (is_turned(j))
        put_equation(w, direction_of(w, j, 0, j->axis), second, NULL);
}

static void put_turning(newton *w, const joint *j) {
    if (j->planar && j->kind->turning == TURN_NOT) {
        const char *zero = number_shown(w, j->angle0), *first = zero;
        if (!body_is_ground(j->body[0]))
            first = arena_print(w->t->scratch, "%s + %s", of_body(w, w->phi, j->body[0]), zero);
        if (!body_is_ground(j->body[1]))
            put_equation(w, of_body(w, w->phi, j->body[1]), first, NULL);
        else
            put_equation(w, "0", first, NULL);
    }
    if (j->planar)
        return;
    if (j->kind->turning == TURN_NOT)
        put_equation(w, direction_of(w, j, 0, j->e1), direction_of(w, j, 1, rotation_apply(j->c, j->e1)),
                     NULL);
    if (j->kind->turning == TURN_CROSS) {
        put_equation(w, of_joint(w, "a", j), direction_of(w, j, 0, j->axis), NULL);
        put_equation(w, of_joint(w, "b", j), direction_of(w, j, 1, j->axis2), NULL);
        put_equation(w,
                     arena_print(w->t->scratch, "%s %s %s", of_joint(w, "a", j), w->t->latex ? "\\cdot" : ".",
                                 of_joint(w, "b", j)),
                     "0", NULL);
    }
}

static void put_meeting(newton *w, const joint *j) {
    const char *point = of_joint(w, "P", j), *other = place_of(w, j, 1);
    bool meets = j->kind->meeting == MEET_POINT;
    put_equation(w, point, place_of(w, j, 0), meets ? other : NULL);
    put_axis(w, j);
    if (meets)
        return;
    bool line = j->kind->meeting == MEET_LINE;
    put_equation(w,
                 arena_print(w->t->scratch, "(%s - %s) %s %s", other, point,
                             line          ? cross(w)
                             : w->t->latex ? "\\cdot"
                                           : ".",
                             of_joint(w, "a", j)),
                 "0", NULL);
}

static void put_rolling(newton *w, const joint *j) {
    const char *point = of_joint(w, "P", j), *normal = of_joint(w, "a", j),
               *dot = w->t->latex ? "\\cdot" : ".";
    const char *r = newton_scalar(w, j->radius), *centre = of_body(w, w->r, j->body[1]);
    put_axis(w, j);
    if (j->is_disk) {
        const char *up = of_joint(w, "u", j), *axle = of_joint(w, "b", j);
        put_equation(w, axle, direction_of(w, j, 1, j->axis2), NULL);
        put_equation(w, up, arena_print(w->t->scratch, "%s - (%s %s %s) %s", normal, normal, dot, axle, axle),
                     NULL);
        put_equation(w, point, arena_print(w->t->scratch, "%s - %s %s/|%s|", centre, r, up, up), NULL);
    } else {
        put_equation(w, point, arena_print(w->t->scratch, "%s - %s %s", centre, r, normal), NULL);
    }
    put_equation(w, arena_print(w->t->scratch, "(%s - %s) %s %s", point, place_of(w, j, 0), dot, normal), "0",
                 NULL);
    put_equation(w, arena_print(w->t->scratch, "%s(%s)", of_body(w, "v", j->body[1]), point),
                 body_is_ground(j->body[0])
                     ? "0"
                     : arena_print(w->t->scratch, "%s(%s)", of_body(w, "v", j->body[0]), point),
                 NULL);
}

static void put_distance(newton *w, const joint *j) {
    const char *second = of_joint(w, "P", j), *first = of_joint(w, "S", j),
               *length = newton_words(w, j->length);
    put_equation(w, second, newton_words(w, j->ends[1]), NULL);
    put_equation(w, first, newton_words(w, j->ends[0]), NULL);
    put_equation(w, arena_print(w->t->scratch, "|%s - %s|", second, first), length, NULL);
    put_equation(
        w, of_joint(w, "f", j),
        arena_print(w->t->scratch, "%s (%s - %s)/%s", of_joint(w, "\\lambda", j), second, first, length),
        NULL);
}

static const char *motion_of(newton *w, const joint *j, bool turns) {
    const char *call =
        arena_print(w->t->scratch, "%s(%s)", turns ? "angle" : "displacement", newton_name(w, j->label));
    return w->t->latex ? arena_print(w->t->scratch, "\\text{%s}", call) : call;
}

static void put_coupling(newton *w, const joint *j) {
    bool rack = j->kind->rows == rack_rows;
    put_equation(w, motion_of(w, j->coupled[1], !rack),
                 arena_print(w->t->scratch, "%s %s", ratio_of(w, j), motion_of(w, j->coupled[0], true)),
                 NULL);
}

// tau = -k angle - c angle' + what is typed
static void put_effort(newton *w, const joint *j, bool torque) {
    typeset_terms terms = {0};
    const char *motion = motion_of(w, j, torque);
    bool own = j->kind->turns == torque;
    if (own && j->stiffness)
        newton_term(w, &terms, "- %s %s", newton_words(w, arena_print(w->t->scratch, "(%s)", j->stiffness)),
                    motion);
    if (own && j->damping)
        newton_term(w, &terms, "- %s %s'", newton_words(w, arena_print(w->t->scratch, "(%s)", j->damping)),
                    motion);
    for (int i = 0; i < w->model->actuators.count; i++) {
        const model_actuator *a = &w->model->actuators.at[i];
        if (a->part == j->part && a->torque == torque)
            newton_term(w, &terms, "+ %s", newton_words(w, a->written));
    }
    const char *left = of_joint(w, torque ? "\\tau" : "h", j);
    typeset_line(w->t);
    text_print(&w->t->out, w->t->latex ? "%s &= " : "%s = ", left);
    typeset_written(w->t, typeset_width(left) + 14, &terms);
}

static const char *party_name(newton *w, const joint *j, int side) {
    if (is_coupling(j))
        return newton_name(w, j->coupled[side]->label);
    if (is_distance(j))
        return newton_plain(w, j->ends[side]);
    return body_is_ground(j->body[side]) ? "ground" : newton_name(w, j->body[side]->label);
}

void newton_put_joint(newton *w, const joint *j) {
    text_print(&w->t->out, "\n\n%s: %s, %s and %s", newton_name(w, j->label), j->kind->name,
               party_name(w, j, 0), party_name(w, j, 1));
    if (is_coupling(j))
        put_coupling(w, j);
    else if (is_distance(j))
        put_distance(w, j);
    else if (j->kind->wheel)
        put_rolling(w, j);
    else {
        put_meeting(w, j);
        put_turning(w, j);
    }
    if (j->motion)
        put_equation(w, motion_of(w, j, j->kind->turns), newton_words(w, j->motion), NULL);
    for (int torque = 0; torque < 2; torque++)
        if (is_driven(w, j, torque))
            put_effort(w, j, torque);
    typeset_end(w->t);
}
