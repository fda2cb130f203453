#include "api/samples.h"

#include "api/files.h"
#include "api/objects.h"

static bool take_sample(void *context, const sample *s) {
    outlet *out = context;
    double start = profile_clock();
    bool taken = out->csv.path == NULL || csv_take(&out->csv, s);
    if (out->follower && out->csv.has_samples)
        out->follower->state = TRM_FILE_HAS_SAMPLES;
    if (taken && out->record)
        record_take(out->record, s);
    out->seconds += profile_clock() - start;
    return taken;
}

static void keep_samples(trm_result *r, const trm_run_def *def, const run_options *o) {
    record_extent extent = def->keep == TRM_KEEP_PLOTS ? RECORD_PLOTS : RECORD_PAGE;
    r->samples.record = arena_alloc(r->arena, sizeof *r->samples.record);
    record_init(r->samples.record, r->arena, r->findings.sys, extent, (double)run_sample_count(o));
}

static void tell_why(trm_result *r) {
    const csv *file = &r->samples.csv;
    diag_error(&r->diags, (place){0}, "cannot write '%s': %s", file->path, output_why(&file->file, r->arena));
}

trm_status samples_open(trm_result *r, const trm_run_def *def, run_options *o) {
    outlet *out = &r->samples;
    r->stop = def->stop;
    r->file = def->file;
    if (def->keep != TRM_KEEP_NOTHING)
        keep_samples(r, def, o);
    if (def->csv || out->record)
        o->sink = (sink){take_sample, out};
    if (def->csv == NULL)
        return TRM_OK;
    if (model_is_source(r->model->model, def->csv, &r->diags))
        return TRM_WRONG_MODEL;
    if (!csv_open(&out->csv, r->arena, r->findings.sys, def->csv)) {
        tell_why(r);
        return TRM_IO_ERROR;
    }
    out->follower = files_follow(def->file, &out->csv.file) ? def->file : NULL;
    return TRM_OK;
}

static bool close_file(outlet *out) {
    if (out->follower)
        out->follower->busy = 1;
    bool written = csv_close(&out->csv);
    if (out->follower) {
        out->follower->state = out->csv.file.placed ? TRM_FILE_IN_PLACE : TRM_FILE_NONE;
        out->follower->busy = 0;
    }
    out->follower = NULL; // it may go before the result does
    return written;
}

bool samples_close(trm_result *r, bool taken) {
    if (close_file(&r->samples) && taken)
        return true;
    tell_why(r);
    return false;
}

void samples_abandon(outlet *out) {
    close_file(out);
}
