#include "import/elements.h"

#include "base/number.h"
#include "mech/inertia.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* No length, mass or angle of a machine is as large; products of a few such numbers are still finite. */
static const double LARGEST = 1e30;

// ---- elements and attributes

bool element_is(const xml_element *e, const char *name) {
    return strcmp(e->name, name) == 0;
}

bool element_is_among(const xml_element *e, const char *const *list) {
    while (*list && !element_is(e, *list))
        list++;
    return *list != NULL;
}

const xml_element *element_only(reader *r, const xml_element *e, const char *name) {
    const xml_element *found = NULL;
    for (const xml_element *c = e->first; c; c = c->next) {
        if (element_is(c, name) && found)
            diag_other(diag_error(r->diags, c->at, "<%s> is given twice", name), found->at,
                       "first given here");
        else if (element_is(c, name))
            found = c;
    }
    return found;
}

const xml_attribute *element_needed(reader *r, const xml_element *e, const char *name) {
    const xml_attribute *a = xml_attribute_find(e, name);
    if (a && a->value[strspn(a->value, " \t\r\n")])
        return a;
    diag_error(r->diags, a ? a->at : e->at, "<%s> needs %s=\"...\"", e->name, name);
    return NULL;
}

xml_attribute element_text(const xml_element *e) {
    return (xml_attribute){e->name, e->text, e->at};
}

// ---- what is left out

void element_leave_out(reader *r, const char *name, place at) {
    int kind = names_intern(r->leftover_names, name, (int)strlen(name));
    leftover added = {name, at, 0};
    if (kind == r->leftovers.count)
        vec_push(r->arena, r->leftovers, added);
    r->leftovers.at[kind].count++;
}

void element_leave_out_others(reader *r, const xml_element *e, const char *const *known) {
    for (const xml_element *c = e->first; c; c = c->next)
        if (!element_is_among(c, known))
            element_leave_out(r, c->name, c->at);
}

static const leftover_reason of_all[] = {
    {"mesh", "its file, scale and place stand in the model as a comment", "drawn"},
    {"collision", "there are no contacts", NULL},
    {"sensor", "what a model records are its coordinates, forces and 'output' statements", NULL},
    {"limit", "nothing stops a joint at its limits; they stand in the model as comments, to be claimed",
     "enforced"},
    {"light", "it does not change how the robot moves", NULL},
    {0},
};

// the last of a list if it is not there
static const leftover_reason *find_reason(const leftover_reason *list, const char *name) {
    while (list->name && strcmp(list->name, name) != 0)
        list++;
    return list;
}

static void tell_leftover(reader *r, const leftover *it) {
    const leftover_reason *reason = find_reason(r->reasons, it->name);
    if (reason->name == NULL)
        reason = find_reason(of_all, it->name);
    const char *times =
        it->count > 1 ? arena_print(r->arena, " (%d times; the first is here)", it->count) : "";
    diag_warning(r->diags, it->at, "<%s> is not %s%s", it->name, reason->how ? reason->how : "imported",
                 times)
        ->hint = r->mesh_why && strcmp(it->name, "mesh") == 0
                     ? arena_print(r->arena, "%s; %s", r->mesh_why, reason->why)
                     : reason->why;
}

void element_tell_leftovers(reader *r) {
    enum { MOST = DIAG_MOST - 5 }; // others may have warnings, too
    int count = r->leftovers.count;
    for (int i = 0; i < count && i < MOST; i++)
        tell_leftover(r, &r->leftovers.at[i]);
    if (count > MOST)
        diag_warning(r->diags, r->leftovers.at[MOST].at,
                     "<%s> and %d more kinds of elements are not imported", r->leftovers.at[MOST].name,
                     count - MOST - 1);
}

// ---- numbers

static const char *skip_blank(const char *at) {
    return at + strspn(at, " \t\r\n");
}

// a decimal number, not hexadecimal, inf or nan
static bool number(const char **at, double *out) {
    char *end;
    const char *digits = *at + (**at == '-' || **at == '+');
    digits += *digits == '.';
    if (*digits < '0' || *digits > '9' || (digits[0] == '0' && (digits[1] | 32) == 'x'))
        return false;
    *out = number_read(*at, &end);
    *at = end;
    return true;
}

enum { SHOWN = 60 }; // of a value that is wrong

static int no_numbers(reader *r, const xml_attribute *a, int least, int most) {
    const char *wanted = least == most
                             ? arena_print(r->arena, "%s is not %d numbers", a->name, most)
                             : arena_print(r->arena, "%s is not %d to %d numbers", a->name, least, most);
    if (most == 1)
        wanted = arena_print(r->arena, "%s is no number", a->name);
    diag *d = diag_error(r->diags, a->at, "%s: \"%.*s\"", wanted, SHOWN, a->value);
    if (strstr(a->value, "${") || strstr(a->value, "$("))
        d->hint = "this is for xacro: write 'xacro FILE > robot.urdf' first, and import that";
    return 0;
}

int numbers_among(reader *r, const xml_attribute *a, int least, int most, double *out) {
    enum { MOST = 8 };
    const char *at = skip_blank(a->value);
    double found[MOST];
    int count = 0;
    for (; count < most && (*at || count < least); count++) {
        if (!number(&at, &found[count]) || (*at && skip_blank(at) == at))
            return no_numbers(r, a, least, most);
        if (!(fabs(found[count]) <= LARGEST)) {
            diag_error(r->diags, a->at, "%s is too large: no robot has \"%.*s\"", a->name, SHOWN, a->value);
            return 0;
        }
        at = skip_blank(at);
    }
    if (*at)
        return no_numbers(r, a, least, most);
    memcpy(out, found, (size_t)count * sizeof *out);
    return count;
}

bool numbers_in(reader *r, const xml_attribute *a, int count, double *out) {
    return numbers_among(r, a, count, count, out) == count;
}

void numbers_optional(reader *r, const xml_element *e, const char *name, int count, double *out) {
    const xml_attribute *a = e ? xml_attribute_find(e, name) : NULL;
    if (a)
        numbers_in(r, a, count, out);
}

bool number_required(reader *r, const xml_element *e, const char *name, double *out) {
    const xml_attribute *a = element_needed(r, e, name);
    return a && numbers_in(r, a, 1, out);
}

vector vector_of(const double *xyz) {
    return (vector){xyz[0], xyz[1], xyz[2]};
}

vector vector_unit(vector v) {
    double size = vector_norm(v);
    return size > 0 ? vector_scaled(1 / size, v) : v;
}

quaternion turn_of_angles(const double *rpy, double unit) {
    quaternion roll = rotation_about((vector){1, 0, 0}, rpy[0] * unit),
               pitch = rotation_about((vector){0, 1, 0}, rpy[1] * unit);
    quaternion yaw = rotation_about((vector){0, 0, 1}, rpy[2] * unit);
    return rotation_product(yaw, rotation_product(pitch, roll));
}

const char *element_shown(reader *r, const xml_element *link) {
    const char *shown = "collision";
    for (const xml_element *e = link->first; e; e = e->next) {
        if (element_is(e, "visual"))
            shown = "visual";
        if (element_is(e, "collision"))
            element_leave_out(r, e->name, e->at);
    }
    return shown;
}

// ---- names

static int new_name(reader *r, const xml_element *e, const char *prefix, names *table,
                    place (*first)(const robot *, int)) {
    const xml_attribute *a = element_needed(r, e, "name");
    if (a == NULL)
        return -1;
    const char *name = arena_print(r->arena, "%s%s", prefix, a->value);
    int known = names_find(table, name, (int)strlen(name));
    if (known >= 0) {
        diag_other(diag_error(r->diags, a->at, "there are two <%s> of the name '%s'", e->name, name),
                   first(r->robot, known), "the first is here");
        return -1;
    }
    return names_intern(table, name, (int)strlen(name));
}

static place place_of_link(const robot *r, int i) {
    return r->links.at[i].at;
}

static place place_of_joint(const robot *r, int i) {
    return r->joints.at[i].at;
}

int link_new(reader *r, const xml_element *e, const char *prefix) {
    return new_name(r, e, prefix, r->links, place_of_link);
}

int joint_new(reader *r, const xml_element *e, const char *prefix) {
    return new_name(r, e, prefix, r->joints, place_of_joint);
}

const char *name_new(reader *r, names *table, const char *wanted) {
    const char *name = wanted;
    for (int i = names_count(table); names_find(table, name, (int)strlen(name)) >= 0; i++)
        name = arena_print(r->arena, "%s_%d", wanted, i);
    return names_text(table, names_intern(table, name, (int)strlen(name)));
}

void element_suggest(reader *r, diag *d, const char *wrong, const names *known) {
    name_guess best = {0};
    if (r->diags->errors > DIAG_MOST)
        return; // nobody sees it, and in a large robot it takes time
    for (int i = 0; i < names_count(known); i++)
        names_offer(&best, wrong, names_text(known, i));
    if (best.text)
        d->hint = arena_print(r->arena, "did you mean '%s'?", best.text);
}

static const char *listed(arena *a, const char *const *list) {
    const char *out = arena_print(a, "there are %s", list[0]);
    for (int i = 1; list[i]; i++)
        out = arena_print(a, "%s%s%s", out, list[i + 1] ? ", " : " and ", list[i]);
    return out;
}

int choice_in(reader *r, const xml_attribute *a, const char *what, const char *const *list) {
    name_guess best = {0};
    for (int i = 0; list[i]; i++) {
        if (strcmp(a->value, list[i]) == 0)
            return i;
        names_offer(&best, a->value, list[i]);
    }
    diag_error(r->diags, a->at, "there is no %s '%.*s'", what, SHOWN, a->value)->hint =
        best.text ? arena_print(r->arena, "did you mean '%s'?", best.text) : listed(r->arena, list);
    return -1;
}

int name_find(reader *r, const xml_attribute *a, const char *what, const names *table) {
    int found = names_find(table, a->value, (int)strlen(a->value));
    if (found < 0)
        element_suggest(r, diag_error(r->diags, a->at, "there is no %s '%s'", what, a->value), a->value,
                        table);
    return found;
}

void mimic_find(reader *r, robot_joint *j) {
    if (j->leader_name == NULL)
        return;
    j->leader = names_find(r->joints, j->leader_name, (int)strlen(j->leader_name));
    if (j->leader < 0) {
        element_suggest(r,
                        diag_error(r->diags, j->leader_at, "there is no joint '%s' to mimic", j->leader_name),
                        j->leader_name, r->joints);
        return;
    }
    robot_kind kind = r->robot->joints.at[j->leader].kind;
    if (!robot_turns(kind) && !robot_slides(kind))
        diag_error(r->diags, j->leader_at, "'%s' is a %s joint: it has no position to mimic", j->leader_name,
                   robot_kind_name(kind));
}

// ---- what no machine has

void inertia_check(reader *r, place at, const double *J) {
    double moment[3];
    inertia_fault fault = inertia_judge(J, moment);
    if (fault == INERTIA_FINE)
        return;
    diag_error(r->diags, at, "no body has this inertia: its principal moments are %.6g, %.6g and %.6g",
               moment[0], moment[1], moment[2])
        ->hint = fault == INERTIA_NEGATIVE ? "none of them can be negative"
                                           : "none of them can be larger than the other two together";
}

bool mass_check(reader *r, place at, double mass) {
    if (mass < 0)
        diag_error(r->diags, at, "a mass cannot be negative: this is %.6g", mass);
    return mass >= 0;
}

void axis_check(reader *r, place at, const robot_joint *j, const char *example) {
    if (vector_norm(j->axis) > 0 || j->kind == ROBOT_FIXED || j->kind == ROBOT_FLOATING ||
        j->kind == ROBOT_SPHERICAL)
        return;
    diag_error(r->diags, at, "the axis of a joint cannot be zero")->hint =
        arena_print(r->arena, "write a direction, as in %s", example);
}

void limits_check(reader *r, place at, const robot_joint *j) {
    if (j->lower > j->upper)
        diag_error(r->diags, at, "the lower limit %.6g is above the upper one, %.6g", j->lower, j->upper);
}

void damping_check(reader *r, place at, const char *what, double value) {
    if (value < 0)
        diag_error(r->diags, at, "a %s cannot be negative: this is %.6g", what, value);
}
