#include "motion/integrator.h"

#include <string.h>

const integrator_ops *const integrators[INTEGRATORS] = {&integrator_rk8, &integrator_rk5, &integrator_bdf,
                                                        &integrator_adams};

const integrator_ops *integrator_find(const char *name) {
    for (int i = 0; i < INTEGRATORS; i++)
        if (strcmp(integrators[i]->name, name) == 0)
            return integrators[i];
    return NULL;
}
