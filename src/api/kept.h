/* Readings that are kept for other values.
 *
 * A reading that nothing uses any more, with what was derived and compiled of it, is a spare: where its
 * structure is that of other values, these are put in its place (lang/renumber.h), and the derivation
 * (mech_still_holds) and the systems (system_fits) are looked over. That costs no reading, no derivation and
 * no compiling. Otherwise the text is read once more. Several threads have a spare each. */
#ifndef TRAMMEL_API_KEPT_H
#define TRAMMEL_API_KEPT_H

#include "api/objects.h"

/* Finds a spare that now has the values of `was` with others in their place. pictures: what only pictures
 * show has to be of these values, too. TRM_WRONG_MODEL: none can have them; TRM_NO_MEMORY. */
trm_status kept_with(const trm_model *was, const model_setting *more, int count, bool pictures,
                     trm_model **found);
/* Nothing uses it any more: kept, or freed. With the lock of `taking` held. */
void kept_give(trm_model *m);
void kept_free(trm_model *first); // all spares

/* model_system, of which the constant parts stay with the model where its values may change; what it is set
 * to (start, rank, pictures, Jacobian) is the result's own. */
trm_system *kept_system(trm_model *m, arena *a, bool exact, double span, double every, evaluate_how how);

#endif
