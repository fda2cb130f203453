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
    if (taken && out->callback) {
        columns_fill(out->model, s, out->values);
        taken = out->callback(out->context, out->values, columns_count(out->model)) == 0;
        out->refused = !taken;
    }
    out->seconds += profile_clock() - start;
    return taken;
}

static void keep_samples(trm_result *r, const trm_run_def *def, const run_options *o) {
    static const record_extent extents[] = {
        [TRM_KEEP_PLOTS] = RECORD_PLOTS, [TRM_KEEP_PAGE] = RECORD_PAGE, [TRM_KEEP_COLUMNS] = RECORD_COLUMNS};
    r->samples.record = arena_alloc(r->arena, sizeof *r->samples.record);
    record_init(r->samples.record, r->arena, r->findings.sys, extents[def->keep], (double)run_sample_count(o),
                o->tolerance);
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
    if (def->sample) {
        out->callback = def->sample;
        out->context = def->sample_context;
        out->model = r->model->model;
        out->values = arena_doubles(r->arena, (size_t)columns_count(out->model));
    }
    if (def->csv || out->record || out->callback)
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
