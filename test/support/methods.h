/* All integrators, and whether one can be used here. */
#ifndef TRAMMEL_TEST_METHODS_H
#define TRAMMEL_TEST_METHODS_H

#include "motion/integrator.h"

static const integrator_ops *const methods[] = {&integrator_rk8, &integrator_rk5, &integrator_bdf,
                                                &integrator_adams};

static bool there(const integrator_ops *method) {
    const char *hint;
    return method->missing == NULL || method->missing(&hint) == NULL;
}

#endif
