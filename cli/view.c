/* `trammel view`: a server on the loopback address, one process and one loop. It answers
 *
 *   GET /                    the page with what is known of the model before it is run
 *   GET /run?name=value...   the data of a run with these parameters, as JSON
 *   GET /data?name=value...  the same, without equations that would take longer than the run
 *   GET /events              server-sent events: "changed" whenever the model file was saved
 *
 * and nothing else: no file of the disk is ever served. A run is a child process, so that reading,
 * compiling and simulating can all be ended: after LIMIT seconds, when the next run is asked for, or when
 * who asked has gone. */
#include "http.h"
#include "interrupt.h"
#include "page.h"
#include "program.h"
#include "terminal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* In answer to a slider, equations of more coordinates would take longer than the run. */
enum { EQUATIONS_AT_MOST = 12 };
enum { CONNECTIONS = 64, POLL_MILLISECONDS = 250 };
/* Seconds: of a run, of a connection that says or takes nothing, of one that has its answer. */
static const double LIMIT = 10, IDLE_LIMIT = 30, DRAIN_LIMIT = 2;
static const size_t BODY_MOST = (size_t)1 << 30;

typedef struct {
    char *at;
    size_t count, room;
} bytes;

typedef enum { ASKED_PAGE, ASKED_RUN, ASKED_DATA } question;

// DRAINING: all is said; what still comes is passed over, so that the answer is not lost in a reset
typedef enum { FREE, READING, WAITING, WRITING, DRAINING, LISTENING } connection_state;

typedef struct {
    connection_state state;
    int socket;
    double since; // of the last sign of life
    bool deaf;    // nothing more comes from there: the client has said all, or has gone
    char head[HTTP_HEAD_MOST];
    size_t head_length;
    bytes out;
    size_t sent;
} connection;

typedef struct {
    pid_t child; // 0: no run
    int pipe;
    connection *asker;
    question asked;
    double since;
    bytes body;
} job;

typedef struct {
    options *options;
    page_frame page;
    int listener, port;
    connection connections[CONNECTIONS];
    job job;
    struct stat seen; // of the model file
} server;

// false without memory
static bool add(bytes *b, const void *piece, size_t length) {
    if (b->count + length > b->room) {
        size_t room = 2 * b->room > b->count + length ? 2 * b->room : b->count + length + 1024;
        char *grown = room > BODY_MOST ? NULL : realloc(b->at, room);
        if (grown == NULL)
            return false;
        b->at = grown;
        b->room = room;
    }
    if (length)
        memcpy(b->at + b->count, piece, length);
    b->count += length;
    return true;
}

static void clear(bytes *b) {
    free(b->at);
    *b = (bytes){0};
}

// ---- answers

static void drop(connection *c) {
    if (c->state != FREE)
        close(c->socket);
    clear(&c->out);
    c->state = FREE;
}

// how every answer begins, so that it can be said before there is one
static const char beginning[] = "HTTP/1.1 ";

static void answer(connection *c, int status, const char *type, const char *body, size_t length) {
    char head[512];
    int size =
        snprintf(head, sizeof head,
                 "%s%d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%s"
                 "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                 "Content-Security-Policy: frame-ancestors 'none'; base-uri 'none'; form-action 'none'\r\n"
                 "Connection: close\r\n\r\n",
                 beginning, status, http_reason(status), type, length, status == 405 ? "Allow: GET\r\n" : "");
    clear(&c->out);
    if (c->state != WAITING)
        c->sent = 0; // else as much of the beginning as is said already
    c->state = WRITING;
    if (!add(&c->out, head, (size_t)size) || !add(&c->out, body, length))
        drop(c);
}

static void refuse(connection *c, int status) {
    char body[128];
    snprintf(body, sizeof body, "%d %s\n", status, http_reason(status));
    answer(c, status, "text/plain; charset=utf-8", body, strlen(body));
}

static const char too_long[] = "error: the run takes longer than 10 s, and was given up\n"
                               "    shorten it in the model, or with --until\n";
static const char overtaken[] = "{\"error\": \"another run was asked for\"}";
static const char broken[] =
    "{\"error\": \"error: the run came to no result; is there too little memory or time?\\n\"}";

static void answer_run(const server *s, connection *c, int status, question asked, const char *data,
                       size_t length) {
    if (asked != ASKED_PAGE) {
        answer(c, status, "application/json", data, length);
        return;
    }
    size_t count;
    char *whole = page_make(&s->page, data, length, true, &count);
    if (whole)
        answer(c, status, "text/html; charset=utf-8", whole, count);
    else
        drop(c);
    free(whole);
}

// ---- runs

static void write_all(int to, const char *text, size_t length) {
    while (length) {
        ssize_t count = write(to, text, length);
        if (count < 0 && errno != EINTR)
            _exit(1);
        text += count > 0 ? count : 0;
        length -= count > 0 ? (size_t)count : 0;
    }
}

// the data of a page, and that it is served
static void write_data(int to, const char *data) {
    static const char served[] = "{\"served\": true, ";
    if (data[0] != '{')
        return;
    write_all(to, served, strlen(served));
    write_all(to, data + 1, strlen(data + 1));
}

// in the child: what to say if it takes too long, a zero, and the data of a run
static void run(const options *o, const trm_setting *settings, int count, question asked, int to) {
    trm_model *m = NULL;
    trm_result *result = NULL;
    trm_run_def def = o->run;
    def.keep = TRM_KEEP_PAGE;
    trm_status status = trm_model_read(o->file, settings, count, &m);
    if (m == NULL)
        return;
    if (status == TRM_OK)
        write_data(to, trm_model_page(m, too_long));
    write_all(to, "", 1);
    if (status != TRM_OK || asked == ASKED_PAGE) {
        write_data(to, trm_model_page(m, NULL));
        return;
    }
    trm_run(m, &def, &result);
    bool equations = asked == ASKED_RUN || trm_model_coordinates(m) <= EQUATIONS_AT_MOST;
    write_data(to, result ? trm_result_page(result, equations) : "");
}

static void end_job(server *s) {
    job *j = &s->job;
    if (j->child == 0)
        return;
    kill(j->child, SIGKILL);
    while (waitpid(j->child, NULL, 0) < 0 && errno == EINTR)
        continue;
    close(j->pipe);
    clear(&j->body);
    *j = (job){0};
}

// the settings of the command line, then those of the request: the last of a name counts
static bool settings_of(const options *o, char *query, trm_setting *out, int *count) {
    char *name, *value;
    bool wrong = false;
    *count = o->setting_count;
    memcpy(out, o->settings, (size_t)*count * sizeof *out);
    while (http_next(&query, &name, &value, &wrong)) {
        int at = 0;
        while (at < *count && strcmp(out[at].name, name) != 0)
            at++;
        if (at == SETTINGS_MOST)
            return false;
        out[at] = (trm_setting){name, value};
        *count += at == *count;
    }
    return !wrong;
}

static void child_run(server *s, const trm_setting *settings, int count, question asked, int to) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    interrupt_ignore(); // Ctrl-C goes to the server, which ends this
    close(s->listener);
    for (int i = 0; i < CONNECTIONS; i++)
        if (s->connections[i].state != FREE)
            close(s->connections[i].socket);
    run(s->options, settings, count, asked, to);
    _exit(0);
}

static void start_run(server *s, connection *c, const http_request *r, question asked) {
    static trm_setting settings[SETTINGS_MOST];
    char query[HTTP_TARGET_MOST + 1] = "";
    int count, ends[2];
    snprintf(query, sizeof query, "%.*s", asked == ASKED_PAGE ? 0 : r->query_length, r->query);
    if (!settings_of(s->options, query, settings, &count)) {
        refuse(c, 400);
        return;
    }
    if (s->job.child) {
        answer_run(s, s->job.asker, 503, s->job.asked, overtaken, strlen(overtaken));
        end_job(s);
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        refuse(c, 503);
        return;
    }
    pid_t child = fork();
    if (child == 0)
        child_run(s, settings, count, asked, ends[1]);
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        refuse(c, 503);
        return;
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    s->job = (job){.child = child, .pipe = ends[0], .asker = c, .asked = asked, .since = program_clock()};
    c->state = WAITING;
}

static void finish_job(server *s, int status, const char *data, size_t length) {
    answer_run(s, s->job.asker, status, s->job.asked, data, length);
    end_job(s);
}

static void hear_job(server *s) {
    static char buffer[1 << 16];
    ssize_t count = read(s->job.pipe, buffer, sizeof buffer);
    if (count > 0 && add(&s->job.body, buffer, (size_t)count))
        return;
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    const bytes *body = &s->job.body;
    const char *zero = body->count ? memchr(body->at, '\0', body->count) : NULL;
    bool whole = count == 0 && zero && body->at[body->count - 1] == '}';
    if (whole)
        finish_job(s, 200, zero + 1, body->count - (size_t)(zero + 1 - body->at));
    else
        finish_job(s, 200, broken, strlen(broken));
}

// with what the run said of its model, if it came that far
static void give_up_job(server *s) {
    const bytes *body = &s->job.body;
    const char *zero = body->count ? memchr(body->at, '\0', body->count) : NULL;
    if (zero && zero > body->at)
        finish_job(s, 200, body->at, (size_t)(zero - body->at));
    else
        finish_job(s, 200, broken, strlen(broken));
}

// ---- requests

static void start_listening(connection *c) {
    static const char head[] =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\nretry: 1000\n\n";
    c->state = LISTENING;
    c->sent = 0;
    if (!add(&c->out, head, sizeof head - 1))
        drop(c);
}

static void act_on(server *s, connection *c) {
    http_request r;
    int status = http_judge(c->head, c->head_length, s->port, &r);
    if (status == 0)
        return;
    if (status != 200)
        refuse(c, status);
    else if (strcmp(r.path, "/") == 0)
        start_run(s, c, &r, ASKED_PAGE);
    else if (strcmp(r.path, "/run") == 0)
        start_run(s, c, &r, ASKED_RUN);
    else if (strcmp(r.path, "/data") == 0)
        start_run(s, c, &r, ASKED_DATA);
    else if (strcmp(r.path, "/events") == 0)
        start_listening(c);
    else
        refuse(c, 404);
}

static void leave(server *s, connection *c) {
    if (s->job.asker == c)
        end_job(s); // nobody waits for it any more
    drop(c);
}

/* A client that has said all and one that has gone look alike until something is said to it: only the latter
 * answers with a reset, which is heard of as POLLHUP. */
static void hear_end(server *s, connection *c) {
    static const char nothing[] = ":\n\n"; // a comment among events
    bool said = true;
    if (c->deaf || c->state == READING || c->state == DRAINING) {
        leave(s, c);
        return;
    }
    c->deaf = true;
    if (c->state == WAITING)
        said = add(&c->out, beginning, sizeof beginning - 1);
    else if (c->state == LISTENING)
        said = add(&c->out, nothing, sizeof nothing - 1);
    if (!said)
        leave(s, c);
}

static void hear(server *s, connection *c) {
    char ignored[512];
    bool reading = c->state == READING;
    ssize_t count = recv(c->socket, reading ? c->head + c->head_length : ignored,
                         reading ? sizeof c->head - c->head_length : sizeof ignored, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (count < 0) {
        leave(s, c);
        return;
    }
    if (count == 0) {
        hear_end(s, c);
        return;
    }
    if (!reading)
        return;
    c->since = program_clock();
    c->head_length += (size_t)count;
    act_on(s, c);
}

static void say(server *s, connection *c) {
    ssize_t count = send(c->socket, c->out.at + c->sent, c->out.count - c->sent, MSG_NOSIGNAL);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (count < 0) {
        leave(s, c);
        return;
    }
    c->since = program_clock();
    c->sent += (size_t)count;
    if (c->sent < c->out.count || c->state == WAITING)
        return;
    c->out.count = c->sent = 0;
    if (c->state == WRITING) {
        shutdown(c->socket, SHUT_WR);
        c->state = DRAINING;
    }
}

// how readily a connection is given up for a new one: those that wait for or take an answer never are
static int readiness(const connection *c) {
    return c->state == FREE ? 3 : c->state == READING || c->state == DRAINING ? 2 : c->state == LISTENING;
}

// a free one, or that which has been silent for longest
static connection *place_for_one(server *s) {
    connection *best = NULL;
    for (int i = 0; i < CONNECTIONS; i++) {
        connection *c = &s->connections[i];
        int more = readiness(c) - (best ? readiness(best) : 0);
        if (more > 0 || (more == 0 && best && c->since < best->since))
            best = c;
    }
    return best;
}

static void welcome(server *s) {
    int socket = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    connection *c = socket < 0 ? NULL : place_for_one(s);
    if (c == NULL) {
        if (socket >= 0)
            close(socket);
        return;
    }
    drop(c);
    *c = (connection){.state = READING, .socket = socket, .since = program_clock()};
}

// ---- time

static bool is_changed(server *s) {
    struct stat info;
    if (stat(s->options->file, &info) != 0)
        return false; // an editor may be about to put a new one there
    const struct stat *old = &s->seen;
    bool same = info.st_mtim.tv_sec == old->st_mtim.tv_sec && info.st_mtim.tv_nsec == old->st_mtim.tv_nsec &&
                info.st_size == old->st_size && info.st_ino == old->st_ino;
    s->seen = info;
    return !same;
}

static void look_around(server *s) {
    static const char changed[] = "event: changed\ndata: changed\n\n";
    bool tell = is_changed(s);
    double time = program_clock();
    if (s->job.child && time - s->job.since > LIMIT)
        give_up_job(s);
    for (int i = 0; i < CONNECTIONS; i++) {
        connection *c = &s->connections[i];
        double silent = time - c->since;
        bool idle = c->state == DRAINING
                        ? silent > DRAIN_LIMIT
                        : (c->state == READING || c->state == WRITING) && silent > IDLE_LIMIT;
        if (idle || (tell && c->state == LISTENING && !add(&c->out, changed, sizeof changed - 1)))
            leave(s, c);
    }
}

static void serve(server *s) {
    double looked = 0;
    while (!interrupt_flag) {
        struct pollfd ends[CONNECTIONS + 2] = {{s->listener, POLLIN, 0},
                                               {s->job.child ? s->job.pipe : -1, POLLIN, 0}};
        connection *of[CONNECTIONS + 2] = {0};
        int count = 2;
        for (int i = 0; i < CONNECTIONS; i++) {
            connection *c = &s->connections[i];
            if (c->state == FREE)
                continue;
            short wanted = (short)((c->deaf ? 0 : POLLIN) | (c->out.count > c->sent ? POLLOUT : 0));
            of[count] = c;
            ends[count++] = (struct pollfd){c->socket, wanted, 0};
        }
        if (poll(ends, (nfds_t)count, POLL_MILLISECONDS) < 0 && errno != EINTR)
            break;
        if (program_clock() - looked > POLL_MILLISECONDS / 1e3) {
            looked = program_clock();
            look_around(s);
            continue; // what was heard of may have gone
        }
        for (int i = 2; i < count; i++) {
            if (ends[i].revents & POLLOUT && of[i]->state != FREE)
                say(s, of[i]);
            if (ends[i].revents & (POLLIN | POLLHUP | POLLERR) && of[i]->state != FREE &&
                of[i]->socket == ends[i].fd)
                hear(s, of[i]);
        }
        if (ends[1].revents && s->job.child && s->job.pipe == ends[1].fd)
            hear_job(s);
        if (ends[0].revents)
            welcome(s);
    }
}

// ---- the command

static bool read_port(const char *given, int *port) {
    char *end;
    *port = 0;
    if (given == NULL)
        return true;
    long number = strtol(given, &end, 10);
    if (*given && *end == '\0' && number >= 0 && number <= 65535) {
        *port = (int)number;
        return true;
    }
    terminal_say("--port is a number up to 65535, not '%s'", given);
    return false;
}

static bool open_port(server *s, int port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int on = 1;
    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s->listener >= 0 && setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        bind(s->listener, (struct sockaddr *)&address, sizeof address) == 0 &&
        listen(s->listener, CONNECTIONS) == 0 &&
        getsockname(s->listener, (struct sockaddr *)&address, &length) == 0) {
        s->port = ntohs(address.sin_port);
        return true;
    }
    terminal_say("cannot listen on port %d of this machine: %s", port, strerror(errno));
    return false;
}

static void close_all(server *s) {
    end_job(s);
    for (int i = 0; i < CONNECTIONS; i++)
        drop(&s->connections[i]);
    close(s->listener);
}

/* In the browser that the desktop prefers, where somebody sits before one. It has its own process group, so
 * that Ctrl-C is for the server alone, and what it says is not ours. */
static bool open_browser(const options *o, const char *address) {
    extern char **environ;
    char *arguments[] = {"xdg-open", (char *)address, NULL};
    posix_spawn_file_actions_t streams;
    posix_spawnattr_t apart;
    pid_t child;
    if (o->no_browser || o->quiet || !isatty(STDERR_FILENO) ||
        !(getenv("DISPLAY") || getenv("WAYLAND_DISPLAY")))
        return false;
    posix_spawn_file_actions_init(&streams);
    posix_spawnattr_init(&apart);
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        posix_spawn_file_actions_addopen(&streams, i, "/dev/null", O_RDWR, 0);
    posix_spawnattr_setflags(&apart, POSIX_SPAWN_SETPGROUP);
    bool opened = posix_spawnp(&child, arguments[0], &streams, &apart, arguments, environ) == 0;
    posix_spawnattr_destroy(&apart);
    posix_spawn_file_actions_destroy(&streams);
    return opened;
}

int command_view(options *o) {
    static server s;
    trm_model *m = NULL;
    int port;
    char address[128];
    s.options = o;
    if (!read_port(o->port, &port) || !page_find(&s.page))
        return TRM_WRONG_MODEL;
    trm_status status = program_read_model(o, &m); // a wrong one is served: the page shows what is wrong
    trm_model_free(m);
    if (status == TRM_IO_ERROR || status == TRM_NO_MEMORY)
        return program_exit_code(status);
    if (!open_port(&s, port))
        return TRM_IO_ERROR;
    stat(o->file, &s.seen);
    snprintf(address, sizeof address, "http://127.0.0.1:%d/", s.port);
    bool printed = program_put(address) && program_put("\n");
    bool opened = printed && open_browser(o, address);
    if (printed && !o->quiet)
        fputs(opened ? "it opens in the browser; Ctrl-C ends\n"
                     : "open this address in a browser; Ctrl-C ends\n",
              stderr);
    if (printed) {
        serve(&s);
        interrupt_settle(); // that is how it ends
    }
    close_all(&s);
    return printed ? 0 : TRM_IO_ERROR;
}
