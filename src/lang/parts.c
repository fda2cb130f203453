/* The forms of parts: gravity, particles and bodies, springs, joints; and friction, which acts on them. What
 * may be set of each, and what it means, is known to the room that gives them their meaning. */
#include "lang/parse.h"

#include <string.h>

static bool at_setting(const parser *p) {
    return p->now.kind == TOKEN_NAME && (token_is(p->next, "=") || token_is(p->next, "~"));
}

// mass = e, at ~ (0, 1)
static item parse_setting(parser *p) {
    item it = {.at = p->now.at};
    it.name = parser_name(p, "a setting such as mass = 1");
    it.guess = parser_at(p, "~");
    if (!p->failed && !parser_accept(p, "~") && !parser_accept(p, "="))
        parser_error(p, "'=' and a value")->hint = "write NAME = VALUE, or NAME ~ VALUE for a guess";
    bool inertia = strcmp(names_text(p->names, it.name < 0 ? 0 : it.name), "inertia") == 0;
    p->longest = inertia ? 6 : 0;
    it.value = p->now.kind == TOKEN_STRING && !p->failed ? parse_quoted(p) : parser_expression(p, "a value");
    p->longest = 0;
    return it;
}

// expressions and settings, separated by commas
static void parse_arguments(parser *p, stmt *s, const char *what) {
    do {
        if (at_setting(p)) {
            item it = parse_setting(p);
            vec_push(p->arena, s->settings, it);
            continue;
        }
        node *n = parser_expression(p, what);
        if (n && s->settings.count)
            parser_wrong(p, n->whole, "this has no name, but stands behind what has one")->hint =
                "write NAME = VALUE; what has no name comes first";
        vec_push(p->arena, s->list, n);
    } while (!p->failed && parser_accept(p, ","));
}

static void parse_name(parser *p, stmt *s, const char *what, const char *form, bool options) {
    item it = parse_target(p, what);
    parser_plain_name(p, &it);
    vec_push(p->arena, s->items, it);
    if (!p->failed && options && parser_at(p, "("))
        return;
    if (!p->failed && !parser_accept(p, ":"))
        parser_error(p, "':' after the name")->hint = form;
}

void parse_gravity(parser *p, stmt *s) {
    if (parser_at(p, "=") || parser_at(p, ":"))
        parser_error(p, "a tuple")->hint = "it follows at once: gravity (0, 0, -9.81)";
    s->value = parser_expression(p, "a tuple, as in gravity (0, 0, -9.81)");
}

void parse_part(parser *p, stmt *s) {
    static const char form[] = "write body B: mass = 1, inertia = (1, 1, 1), at = (0, 0, 0)";
    parse_name(p, s, "a name, as in body B: mass = 1, inertia = (1, 1, 1)", form, false);
    do {
        if (!p->failed && !at_setting(p))
            parser_error(p, "a setting such as mass = 1")->hint = form;
        item it = parse_setting(p);
        vec_push(p->arena, s->settings, it);
    } while (!p->failed && parser_accept(p, ","));
}

void parse_spring(parser *p, stmt *s) {
    static const char form[] = "write spring S: p, q, stiffness = k, length = l, damping = c";
    parse_name(p, s, "a name, as in spring S: p, q, stiffness = 1", form, false);
    if (!p->failed)
        parse_arguments(p, s, "a point");
}

// (motion = e), (stiffness = k, damping = c)
static void parse_joint_options(parser *p, stmt *s) {
    place open = p->now.at;
    if (!parser_accept(p, "("))
        return;
    do {
        item it = parse_setting(p);
        vec_push(p->arena, s->options, it);
    } while (!p->failed && parser_accept(p, ","));
    if (!p->failed && !parser_accept(p, ")"))
        parser_unclosed(p, open, ")");
    if (!p->failed)
        parser_expect(p, ":", "after the options");
}

void parse_joint(parser *p, stmt *s) {
    static const char form[] = "write joint J: revolute(B1, B2, at = (0, 0, 0), axis = (0, 0, 1))";
    parse_name(p, s, "a name, as in joint J: revolute(B1, B2, at = (0, 0, 0), axis = (0, 0, 1))", form, true);
    if (!p->failed)
        parse_joint_options(p, s);
    if (p->failed)
        return;
    s->extent = p->now.at;
    s->name = parser_name(p, "the kind of the joint, such as revolute");
    place open = p->now.at;
    if (!p->failed && !parser_accept(p, "("))
        parser_error(p, "'(' and what the joint connects")->hint = form;
    if (!p->failed)
        parse_arguments(p, s, "a body");
    if (!p->failed && !parser_accept(p, ")"))
        parser_unclosed(p, open, ")");
}

void parse_friction(parser *p, stmt *s) {
    static const char form[] = "write friction NAME: mu = 0.3, or friction NAME: mu = 0.3, static = 0.4";
    item it = parse_target(p, "the name of a constraint or joint, as in friction NAME: mu = 0.3");
    vec_push(p->arena, s->items, it);
    if (!p->failed && !parser_accept(p, ":"))
        parser_error(p, "':' after the name")->hint = form;
    do {
        if (!p->failed && !at_setting(p))
            parser_error(p, "a setting such as mu = 0.3")->hint = form;
        if (!p->failed && token_is(p->next, "~"))
            parser_wrong(p, p->next.at, "nothing here is a guess")->hint = form;
        item setting = parse_setting(p);
        vec_push(p->arena, s->settings, setting);
    } while (!p->failed && parser_accept(p, ","));
}
