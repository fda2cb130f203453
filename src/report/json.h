/* Writing JSON: one call for each value; commas and quotes are seen to. Numbers read back as the same double,
 * those that are not finite are null. */
#ifndef TRAMMEL_REPORT_JSON_H
#define TRAMMEL_REPORT_JSON_H

#include "base/text.h"

#include <stdbool.h>

typedef struct {
    text out;
    bool fresh; // nothing stands yet in the object or array at hand
    bool safe;  // texts may stand in a <script> element: no '<'
} json;

void json_init(json *j, arena *a);
void json_open(json *j, char bracket);  // '{' or '['
void json_close(json *j, char bracket); // '}' or ']'
void json_key(json *j, const char *key);
void json_string(json *j, const char *value);
void json_number(json *j, double value);
void json_integer(json *j, long value);
void json_bool(json *j, bool value);
void json_null(json *j);
void json_value(json *j, const char *written);                       // one that is JSON already, on one line
void json_base64(json *j, const unsigned char *bytes, size_t count); // as a text

#endif
