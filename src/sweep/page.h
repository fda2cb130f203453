/* The data of a page that shows a sweep, as one JSON object; docs/page-data.md has its format. */
#ifndef TRAMMEL_SWEEP_PAGE_H
#define TRAMMEL_SWEEP_PAGE_H

#include "sweep/summary.h"

/* run: the model, as JSON (page_model of report/page.h). Safe in a <script> element. NULL, with the reason in
 * d, where there are more numbers than a page can hold. */
const char *sweep_page(arena *a, const sweep_about *s, const char *run, diags *d);

#endif
