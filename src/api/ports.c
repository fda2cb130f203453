/* Names of inputs:
 *
 *   torque(J), force(J)      a force along the angle, or displacement, of a joint
 *   torque(J.angle1)         along one of several; force(J.slide2)
 *   torque(B).x, torque(B)   on a body about its own axes; on a planar one
 *   force(B).x               on a body along an axis of space: the same as B.x
 *   drive(J)                 the motion that a drive prescribes
 *   x, B.x                   a force on a coordinate
 *   NAME                     a parameter
 *
 * Outputs are expressions; each becomes an output of the model, by a name that no text can have. */
#include "api/ports.h"

#include <ctype.h>
#include <string.h>

typedef vec(const char *) words;

// the parts of a list, at commas outside brackets
static words split(arena *a, const char *list) {
    words out = {0};
    int depth = 0;
    for (const char *from = list, *at = list;; at++) {
        depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
        if (*at && !(*at == ',' && depth == 0))
            continue;
        const char *end = at;
        while (from < end && isspace((unsigned char)*from))
            from++;
        while (end > from && isspace((unsigned char)end[-1]))
            end--;
        const char *word = arena_copy(a, from, (size_t)(end - from));
        vec_push(a, out, word);
        if (*at == '\0')
            return out;
        from = at + 1;
    }
}

static bool list_of(trm_result *r, const char *setting, const char *given, words *out) {
    *out = given ? split(r->arena, given) : (words){0};
    for (int i = 0; i < out->count; i++) {
        if (out->at[i][0] == '\0') {
            diag_error(&r->diags, (place){0}, "%s has an empty name in '%s'", setting, given)->hint =
                "write names with commas between, as in " SETTING "inputs torque(elbow),x";
            return false;
        }
        for (int k = 0; k < i; k++)
            if (strcmp(out->at[i], out->at[k]) == 0) {
                diag_error(&r->diags, (place){0}, "%s names '%s' twice", setting, out->at[i]);
                return false;
            }
    }
    return true;
}

// ---- outputs

static const char *hidden_name(arena *a, const char *expression) {
    return arena_print(a, " %s", expression);
}

// WORD(ARGUMENT)REST; false if it is not so
static bool take_apart(arena *a, const char *given, const char **word, const char **argument,
                       const char **rest) {
    const char *open = strchr(given, '('), *close = strrchr(given, ')');
    if (open == NULL || close == NULL || close < open)
        return false;
    *word = arena_copy(a, given, (size_t)(open - given));
    *argument = arena_copy(a, open + 1, (size_t)(close - open - 1));
    *rest = close + 1;
    return true;
}

static int coordinate_called(trm_result *r, const char *name) {
    const model *m = r->model->model;
    for (int i = 0; i < m->coords.count; i++)
        if (strcmp(model_coord_name(m, i, r->arena), name) == 0)
            return i;
    return -1;
}

// torque(B).x is the force along omega(B).x, which must be an output then; NULL: it is something else
static const char *turning(trm_result *r, const char *input) {
    const char *word, *argument, *rest;
    bool is = take_apart(r->arena, input, &word, &argument, &rest) && strcmp(word, "torque") == 0 &&
              rest[0] == '.' && rest[1] && strchr("xyz", rest[1]) && rest[2] == '\0' && r->model->model &&
              coordinate_called(r, arena_print(r->arena, "%s.q0", argument)) >= 0;
    return is ? arena_print(r->arena, "omega(%s)%s", argument, rest) : NULL;
}

static const char *label_text(trm_result *r, label l) {
    text t;
    text_init(&t, r->arena);
    model_label(r->model->model, l, &t);
    return text_string(&t);
}

// the second rates of angles and displacements: where nothing is steady, states that these tell change by
// them
static void add_second_rates(trm_result *r, words *to) {
    const model *m = r->model->model;
    for (int i = 0; r->study == &study_linearize && m && i < m->outputs.count; i++)
        if (m->outputs.at[i].freedom && !m->outputs.at[i].rate) {
            const char *e = arena_print(r->arena, "%s''", label_text(r, m->outputs.at[i]));
            vec_push(r->arena, *to, e);
        }
}

bool ports_extend(trm_result *r, const trm_run_def *def) {
    words outputs, inputs;
    vec(model_setting) more = {0};
    if (!list_of(r, SETTING "outputs", def->outputs, &outputs) ||
        !list_of(r, SETTING "inputs", def->inputs, &inputs))
        return false;
    add_second_rates(r, &outputs);
    for (int i = 0; i < outputs.count + inputs.count; i++) {
        const char *e = i < outputs.count ? outputs.at[i] : turning(r, inputs.at[i - outputs.count]);
        model_setting wanted = {e ? hidden_name(r->arena, e) : NULL, e};
        bool there = e == NULL;
        for (int k = 0; k < more.count && !there; k++)
            there = strcmp(more.at[k].name, wanted.name) == 0;
        if (!there)
            vec_push(r->arena, more, wanted);
    }
    if (more.count)
        r->model = model_again(r->arena, r->model, more.at, more.count);
    return !r->model->wrong;
}

static bool is_output(const model *m, int i, const char *hidden) {
    return strcmp(names_text(m->names, m->outputs.at[i].name), hidden) == 0;
}

// an output that looks back on a run is no function of the state
static bool looks_back(trm_result *r, int which, const char *name) {
    const model *m = r->model->model;
    for (int i = 0; i < m->told.count; i++)
        if (m->told.at[i].output == which) {
            diag_error(&r->diags, (place){0},
                       SETTING "outputs: '%s' looks back on a run, and is no function of the state", name)
                ->hint = "write what it is of: x in place of maximum(x)";
            return true;
        }
    return false;
}

// all components
static bool find_outputs(trm_result *r, const words *list, ports *out) {
    const model *m = r->model->model;
    out->outputs = arena_array(r->arena, int, m->outputs.count + 1);
    out->output_names = arena_array(r->arena, const char *, m->outputs.count + 1);
    for (int k = 0; k < list->count; k++)
        for (int i = 0; i < m->outputs.count; i++)
            if (is_output(m, i, hidden_name(r->arena, list->at[k]))) {
                if (looks_back(r, i, list->at[k]))
                    return false;
                const char *part = m->outputs.at[i].part;
                out->output_names[out->output_count] =
                    part ? arena_print(r->arena, "%s.%s", list->at[k], part) : list->at[k];
                out->outputs[out->output_count++] = i;
            }
    return true;
}

// ---- inputs

static int output_called(trm_result *r, const char *name) {
    const model *m = r->model->model;
    for (int i = 0; i < m->outputs.count; i++)
        if (strcmp(label_text(r, m->outputs.at[i]), name) == 0)
            return i;
    return -1;
}

static int param_called(trm_result *r, const char *name) {
    const model *m = r->model->model;
    for (int i = 0; i < m->params.count; i++)
        if (strcmp(label_text(r, m->params.at[i].label), name) == 0)
            return i;
    return -1;
}

static int row_called(trm_result *r, const char *name) {
    const model *m = r->model->model;
    for (int i = 0; i < m->rows.count; i++) {
        text t;
        text_init(&t, r->arena);
        model_row_name(m, i, &t);
        if (strcmp(text_string(&t), name) == 0)
            return i;
    }
    return -1;
}

// J.angle1, of a torque, or J.slide1, of a force: the output that is its rate
static int part_called(trm_result *r, const char *of, bool torque) {
    const char *dot = strrchr(of, '.');
    bool is = dot && strncmp(dot + 1, torque ? "angle" : "slide", 5) == 0;
    int found = is ? output_called(r, arena_print(r->arena, "%s'", of)) : -1;
    return found >= 0 && r->model->model->outputs.at[found].freedom ? found : -1;
}

// how the freedoms of a joint are inputs that has several, "torque(J.angle1)"; NULL: it has none of the kind
static const char *parts_called(trm_result *r, const char *joint, bool torque) {
    static const char *const called[2][3] = {{"slide1", "slide2"}, {"angle1", "angle2", "angle"}};
    const char *list = NULL;
    for (int i = 0; i < 3 && called[torque][i]; i++) {
        const char *of = arena_print(r->arena, "%s.%s", joint, called[torque][i]);
        if (part_called(r, of, torque) >= 0)
            list = arena_print(r->arena, "%s%s%s(%s)", list ? list : "write ", list ? " or " : "",
                               torque ? "torque" : "force", of);
    }
    return list;
}

// "angle(J)" or "displacement(J)", with what stands behind; -1: the joint has none
static int motion_of(trm_result *r, const char *joint, const char *behind) {
    int found = output_called(r, arena_print(r->arena, "angle(%s)%s", joint, behind));
    return found >= 0 ? found : output_called(r, arena_print(r->arena, "displacement(%s)%s", joint, behind));
}

static bool wrong(trm_result *r, const char *message, const char *what, const char *hint) {
    diag_error(&r->diags, (place){0}, "%s: %s '%s'", SETTING "inputs", message, what)->hint = hint;
    return false;
}

static bool unknown(trm_result *r, const char *name) {
    const model *m = r->model->model;
    const char *joint = output_called(r, arena_print(r->arena, "angle(%s)", name)) >= 0          ? "torque"
                        : output_called(r, arena_print(r->arena, "displacement(%s)", name)) >= 0 ? "force"
                                                                                                 : NULL;
    if (joint)
        return wrong(r, "a joint is no input,", name, arena_print(r->arena, "write %s(%s)", joint, name));
    name_guess best = {0};
    for (int i = 0; i < m->coords.count; i++)
        names_offer(&best, name, model_coord_name(m, i, r->arena));
    for (int i = 0; i < m->params.count; i++)
        names_offer(&best, name, label_text(r, m->params.at[i].label));
    return wrong(
        r, "there is no coordinate or parameter", name,
        best.text
            ? arena_print(r->arena, "did you mean '%s'?", best.text)
            : "inputs are coordinates, parameters, torque(J), force(J), drive(J), torque(B).x, force(B).x");
}

static bool drive_port(trm_result *r, const char *joint, input_port *to) {
    to->kind = PORT_DRIVE;
    to->of = row_called(r, arena_print(r->arena, "%s.motion", joint));
    to->output = motion_of(r, joint, "");
    return (to->of >= 0 && to->output >= 0) ||
           wrong(r, "nothing drives", joint,
                 "a joint is driven by (motion = e), as in joint J (motion = w*t): revolute(...)");
}

// which joint or body the name may be meant for
static const char *alike(trm_result *r, const char *name) {
    const model *m = r->model->model;
    name_guess best = {0};
    for (int i = 0; i < m->outputs.count; i++)
        if (m->outputs.at[i].freedom)
            names_offer(&best, name, names_text(m->names, m->outputs.at[i].name));
    for (int i = 0; i < m->coords.count; i++)
        if (m->coords.at[i].part)
            names_offer(&best, name, names_text(m->names, m->coords.at[i].name));
    return best.text ? arena_print(r->arena, "did you mean '%s'?", best.text) : NULL;
}

static bool force_port(trm_result *r, const char *word, const char *of, const char *rest, input_port *to) {
    bool torque = strcmp(word, "torque") == 0;
    const char *own = torque ? "angle" : "displacement", *other = torque ? "displacement" : "angle";
    const char *turned = turning(r, to->name);
    if (turned)
        to->output = output_called(r, hidden_name(r->arena, turned));
    else if (rest[0] == '.' && !torque)
        to->of = coordinate_called(r, arena_print(r->arena, "%s%s", of, rest));
    else if (rest[0] == '\0')
        to->output = output_called(r, arena_print(r->arena, "%s(%s)'", own, of));
    if (to->output < 0 && rest[0] == '\0')
        to->output = part_called(r, of, torque);
    if (to->output < 0 && torque && rest[0] == '\0')
        to->of = coordinate_called(r, arena_print(r->arena, "%s.angle", of));
    if (to->output >= 0 || to->of >= 0)
        return true;
    if (output_called(r, arena_print(r->arena, "%s(%s)", other, of)) >= 0)
        return wrong(r, torque ? "no angle belongs to" : "no displacement belongs to", of,
                     torque ? "it slides: write force(J)" : "it turns: write torque(J)");
    if (coordinate_called(r, arena_print(r->arena, "%s.x", of)) >= 0)
        return wrong(r, rest[0] ? "there is no such axis of" : "it is not told along which axis on", of,
                     torque ? "write torque(B).x" : "write force(B).x");
    if (rest[0] && motion_of(r, of, "") >= 0)
        return wrong(r, "nothing can stand behind the bracket in", to->name, "write torque(J) or force(J)");
    const char *parts = parts_called(r, of, torque), *others = parts_called(r, of, !torque);
    if (parts || others)
        return wrong(r, parts ? "there are several freedoms in" : "it does not move so,", of,
                     parts ? parts : others);
    const char *like = alike(r, of);
    return wrong(r, "there is no joint with an angle or displacement, and no body,", of,
                 like ? like : "with torque J = u and param u = 0 in the model, u is an input for any joint");
}

static bool find_input(trm_result *r, const char *name, input_port *to) {
    const char *word, *argument, *rest;
    *to = (input_port){.name = name, .of = -1, .output = -1, .kind = PORT_FORCE};
    if (take_apart(r->arena, name, &word, &argument, &rest)) {
        if (strcmp(word, "drive") == 0 && rest[0] == '\0')
            return drive_port(r, argument, to);
        if (strcmp(word, "torque") == 0 || strcmp(word, "force") == 0)
            return force_port(r, word, argument, rest, to);
        return wrong(r, "nothing of this kind is an input,", name, "there are torque(J), force(J), drive(J)");
    }
    to->of = coordinate_called(r, name);
    if (to->of >= 0)
        return true;
    to->kind = PORT_PARAM;
    to->of = param_called(r, name);
    return to->of >= 0 || unknown(r, name);
}

// ---- parameters

typedef struct {
    trm_result *result;
    bool exact;
    double span;
} varying;

static trm_system *with_param(void *context, int param, double value) {
    const varying *k = context;
    trm_result *r = k->result;
    char *digits = arena_alloc(r->arena, 32);
    model_setting other = {.name = label_text(r, r->model->model->params.at[param].label),
                           .value = number_shortest(digits, value)};
    trm_model *m = model_again(r->arena, r->model, &other, 1);
    trm_system *sys = m->wrong ? NULL : model_system(m, r->arena, k->exact, k->span, 0, EVALUATE_AUTO);
    if (sys)
        sys->direct = false; // it decides for itself which rows are independent
    return sys;
}

bool ports_find(trm_result *r, const trm_run_def *def, double span, ports *out) {
    words outputs, inputs;
    varying *k = arena_alloc(r->arena, sizeof *k);
    *k = (varying){r, def->exact, span};
    *out = (ports){.with_param = with_param, .context = k};
    if (!list_of(r, SETTING "outputs", def->outputs, &outputs) ||
        !list_of(r, SETTING "inputs", def->inputs, &inputs))
        return false;
    if (!find_outputs(r, &outputs, out))
        return false;
    out->inputs = arena_array(r->arena, input_port, inputs.count + 1);
    for (int i = 0; i < inputs.count; i++)
        if (!find_input(r, inputs.at[i], &out->inputs[out->input_count++]))
            return false;
    return true;
}
