/* Names of the model: those of the file where the language can have them, and else what comes close. */
#include "import/writer.h"

#include "base/names.h"
#include "lang/elab.h"
#include "lang/token.h"

#include <string.h>

typedef struct {
    arena *arena;
    names *taken;
    vec(int) uses; // by number of a name in `taken`: how often a name was made from it
} namer;

static bool has_meaning(const char *name) {
    static const char *const words[] = {"ground", "and", "or", "not", "if", "in", "vs", "at", "from"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i]) == 0)
            return true;
    return token_is_taken(name) || elab_is_result_name(name);
}

static bool take_name(namer *n, const char *name) {
    if (has_meaning(name) || names_find(n->taken, name, (int)strlen(name)) >= 0)
        return false;
    names_intern(n->taken, name, (int)strlen(name));
    vec_push(n->arena, n->uses, 1);
    return true;
}

static bool may_stand(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// letters, digits and _, not a digit first
static const char *spelt(arena *a, const char *name, const char *what) {
    char *out = arena_print(a, "%s%s", *name >= '0' && *name <= '9' ? "_" : "", name);
    for (char *c = out; *c; c++)
        if (!may_stand(*c))
            *c = '_';
    return out[strspn(out, "_")] ? out : what;
}

// NAME, NAME_what, NAME_2, NAME_3, ...
static const char *new_name(namer *n, const char *name, const char *what) {
    const char *base = spelt(n->arena, name, what), *longer = arena_print(n->arena, "%s_%s", base, what);
    if (take_name(n, base))
        return base;
    if (take_name(n, longer))
        return longer;
    int of = names_find(n->taken, longer, (int)strlen(longer));
    for (;;) {
        const char *numbered = arena_print(n->arena, "%s_%d", longer, ++n->uses.at[of]);
        if (take_name(n, numbered))
            return numbered;
    }
}

// NAME_what
static const char *derived(namer *n, const char *name, const char *what) {
    return new_name(n, arena_print(n->arena, "%s_%s", name, what), what);
}

static void name_parts(namer *n, robot_joint *j) {
    bool moves = robot_turns(j->kind) || robot_slides(j->kind);
    if (moves && j->friction > 0) {
        j->part[JOINT_PAD] = derived(n, j->id, "pad");
        j->part[JOINT_DRY] = derived(n, j->id, "dry");
    }
    if (moves && j->armature > 0) {
        j->part[JOINT_ROTOR] = derived(n, j->id, "rotor");
        j->part[JOINT_SHAFT] = derived(n, j->id, "shaft");
    }
    if (j->kind == ROBOT_SCREW)
        j->part[JOINT_THREAD] = derived(n, j->id, "thread");
    if (j->kind == ROBOT_SPHERICAL && j->damping > 0)
        j->part[JOINT_RATE] = derived(n, j->id, "rate");
}

void write_choose_names(writer *w, robot *r) {
    namer n = {.arena = w->arena, .taken = names_new(w->arena)};
    for (int i = r->placed; i < r->links.count; i++)
        r->links.at[i].id = new_name(&n, r->links.at[i].name, "link");
    for (int i = 0; i < r->joints.count; i++)
        r->joints.at[i].id = new_name(&n, r->joints.at[i].name, "joint");
    for (int i = 0; i < r->links.count; i++)
        if (r->links.at[i].body == i)
            r->links.at[i].mass_id =
                new_name(&n, arena_print(w->arena, "%s_mass", r->links.at[i].id), "param");
    for (int i = 0; i < r->couplings.count; i++)
        r->couplings.at[i].id = new_name(&n, r->couplings.at[i].name, "gear");
    for (int i = 0; i < r->joints.count; i++)
        name_parts(&n, &r->joints.at[i]);
    w->g = new_name(&n, "g", "gravity");
    w->loop[0] = new_name(&n, "i", "index");
    w->loop[1] = new_name(&n, "k", "index");
}
