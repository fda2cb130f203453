/* The files that a model was read from, which are not to be overwritten. */
#include "base/file.h"
#include "lang/model.h"

bool model_is_source(const model *m, const char *path, diags *d) {
    if (!file_among(&m->sources, path))
        return false;
    bool itself = file_is(path, m->sources.at[0]->path);
    diag_error(d, (place){0}, "'%s' is %s; it is not overwritten", path,
               itself ? "the model itself" : "a file that the model includes");
    return true;
}
