#include "report/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The ends of two pipes: what it reads goes in, what it says comes out. */
typedef struct {
    int in[2], out[2];
} pipes;

static void close_end(int *end) {
    if (*end >= 0)
        close(*end);
    *end = -1;
}

static void close_all(pipes *p) {
    for (int i = 0; i < 2; i++) {
        close_end(&p->in[i]);
        close_end(&p->out[i]);
    }
}

static int start(pipes *p, pid_t *child, char *const *arguments) {
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    posix_spawn_file_actions_adddup2(&actions, p->in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, p->out[1], STDERR_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    error = posix_spawnp(child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

enum { LOOK_MILLISECONDS = 100 }; // at the flag that ends it

static bool is_set(const volatile sig_atomic_t *stop) {
    return stop && *stop;
}

// gives it what it reads and takes what it says, at most a page of it, until it ends or is to be ended
static void talk(pipes *p, child_more more, void *context, const volatile sig_atomic_t *stop, char *said,
                 size_t room) {
    const char *bytes = NULL;
    size_t sent = 0, length = 0, heard = 0;
    char rest[512];
    fcntl(p->in[1], F_SETFL, O_NONBLOCK);
    while (p->out[0] >= 0 && !is_set(stop)) {
        if (p->in[1] >= 0 && sent == length) {
            sent = 0;
            if (!more(context, &bytes, &length))
                close_end(&p->in[1]);
        }
        struct pollfd ends[] = {{p->out[0], POLLIN, 0}, {p->in[1], POLLOUT, 0}};
        int ready = poll(ends, p->in[1] >= 0 ? 2 : 1, LOOK_MILLISECONDS);
        if (ready < 0 && errno != EINTR)
            break;
        if (ready <= 0)
            continue;
        if (p->in[1] >= 0 && ends[1].revents) {
            ssize_t count = write(p->in[1], bytes + sent, length - sent);
            sent += count > 0 ? (size_t)count : 0;
            if (count < 0 && errno != EAGAIN && errno != EINTR)
                close_end(&p->in[1]);
        }
        if (ends[0].revents == 0)
            continue;
        bool full = heard + 1 >= room;
        ssize_t count = read(p->out[0], full ? rest : said + heard, full ? sizeof rest : room - 1 - heard);
        if (count == 0 || (count < 0 && errno != EINTR))
            close_end(&p->out[0]);
        heard += count > 0 && !full ? (size_t)count : 0;
    }
    said[heard] = '\0';
}

// a pipe whose reader has gone is an error to us, not a signal
static void block_sigpipe(sigset_t *before) {
    sigset_t pipe_signal;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, before);
}

static void unblock_sigpipe(const sigset_t *before) {
    sigset_t pipe_signal;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    if (!sigismember(before, SIGPIPE))
        while (sigtimedwait(&pipe_signal, NULL, &(struct timespec){0}) > 0)
            continue; // one that came meanwhile
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

child_end child_run(arena *a, char *const *arguments, child_more more, void *context,
                    const volatile sig_atomic_t *stop, const char **why) {
    enum { PAGE = 2000 };
    char *said = arena_alloc(a, PAGE);
    pipes p = {{-1, -1}, {-1, -1}};
    pid_t child;
    int status = 0, error = 0;
    sigset_t before;
    if (pipe2(p.in, O_CLOEXEC) != 0 || pipe2(p.out, O_CLOEXEC) != 0)
        error = errno;
    if (error == 0)
        error = start(&p, &child, arguments);
    if (error) {
        close_all(&p);
        *why = arena_print(a, "%s", strerror(error));
        return error == ENOENT ? CHILD_MISSING : CHILD_FAILED;
    }
    close_end(&p.in[0]);
    close_end(&p.out[1]);
    block_sigpipe(&before);
    talk(&p, more, context, stop, said, PAGE);
    unblock_sigpipe(&before);
    close_all(&p);
    if (is_set(stop))
        kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (is_set(stop))
        return CHILD_STOPPED;
    *why = said[0] ? said : "it ended early";
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return CHILD_MISSING;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? CHILD_DONE : CHILD_FAILED;
}
