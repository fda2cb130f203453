/* The little of HTTP that `view` needs: requests are read and judged, nothing is looked up or done. */
#ifndef TRAMMEL_CLI_HTTP_H
#define TRAMMEL_CLI_HTTP_H

#include <stdbool.h>
#include <stddef.h>

enum { HTTP_HEAD_MOST = 16384, HTTP_TARGET_MOST = 8192, HTTP_PATH_MOST = 64 };

typedef struct {
    char path[HTTP_PATH_MOST]; // of the target, up to '?'
    const char *query;         // behind it, in the head; not decoded
    int query_length;
} http_request;

/* Judges the head of a request that came so far (length bytes). 0: more is needed; 200: it is complete and
 * in order, and *out tells what it asks for; else the status with which it is refused:
 *   400 malformed   403 a host or origin that is not this server   405 not GET   414 too long a target
 *   431 too long a head */
int http_judge(const char *head, size_t length, int port, http_request *out);

/* The text of a status, as "Not Found". */
const char *http_reason(int status);

/* Decodes one NAME=VALUE of a query in place: %41 and +. The next begins at *at afterwards. False at the end
 * of the query; *wrong is set where it is malformed. */
bool http_next(char **at, char **name, char **value, bool *wrong);

#endif
