#include "lang/renumber.h"

#include "lang/recipe.h"

static void put(model *m) {
    const recipes *r = m->recipes;
    recipes_put(r);
    for (int i = 0; i < m->params.count; i++)
        if (m->params.at[i].step)
            m->params.at[i].value = recipe_number(r, m->params.at[i].step);
    for (int i = 0; i < m->shapes.count; i++) {
        shape *s = &m->shapes.at[i];
        for (int k = 0; k < s->steps.count; k++)
            if (s->steps.at[k])
                s->numbers.at[k] = recipe_number(r, s->steps.at[k]);
    }
}

bool renumber(model *m, const double *set) {
    if (!recipes_try(m->recipes, set))
        return false;
    put(m);
    return true;
}

void renumber_back(model *m) {
    recipes_back(m->recipes);
    put(m);
}
