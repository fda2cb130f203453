/* What the summaries of run and check have in common. */
#ifndef TRAMMEL_REPORT_PARTS_H
#define TRAMMEL_REPORT_PARTS_H

#include "report/findings.h"
#include "report/json.h"

const char *parts_plural(long count); // "" or "s"
const char *parts_label(arena *a, const model *m, label l, const char *before, const char *after);
/* Whether a row is in force at the start, and depends on others there. */
bool parts_is_redundant(const findings *f, const rank_report *rank, int row);
int parts_rows(const findings *f);                                        // in force at the start
void parts_head(json *j, const findings *f);                              // model, title, sizes
void parts_rank(json *j, const trm_system *sys, const rank_report *rank); // null where it was not found
void parts_redundant(json *j, arena *a, const findings *f, const rank_report *rank);
void parts_strings(json *j, const char *key, const string_list *list);
void parts_chosen(json *j, const char *key, const paper_chosen *c); // {"alpha": "2"}
void parts_names(text *t, const string_list *list, int most);       // "a, b and 3 more"
void parts_failure(json *j, const failure *f);
void parts_title(text *t, const findings *f, int rank, bool known); // first lines for people
/* Whether assembly changed a value by more than rounding in what was typed: k is 0 for positions, 1 for
 * velocities. Velocities that follow from quasi-velocities are not a change. */
bool parts_moved(const findings *f, const start_state *start, int k, int i);

/* One state, by the names of the model: x, x', quasi-velocities, reaction(x), multiplier(c), control(x),
 * outputs; within an object. s NULL: without quasi-velocities. */
typedef struct {
    const double *q, *v, *s, *reaction, *control, *multiplier, *outputs;
} parts_state;
void parts_state_json(json *j, arena *a, const findings *f, const parts_state *s);
/* Of that coordinates, velocities, and the freedoms of joints among the outputs (NULL: none). */
void parts_positions_json(json *j, arena *a, const findings *f, const double *q, const double *v,
                          const double *outputs);

/* In which coordinates bodies are integrated; nothing where there are none. */
void parts_form_json(json *j, arena *a, const findings *f);
void parts_form_text(text *t, arena *a, const findings *f);

#endif
