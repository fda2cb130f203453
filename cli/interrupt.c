#include "interrupt.h"

#include <errno.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

volatile sig_atomic_t interrupt_flag;
trm_file interrupt_file = {.size = sizeof interrupt_file};

static volatile sig_atomic_t bar_shown, answered;
static const char *file_name = "", *without_file = "";
static const char clearing[] = "\r\033[K";
static const struct timeval PATIENCE = {0, 500000};

// ---- what a handler may do

static void say(const char *text) {
    size_t length = strlen(text);
    while (length) {
        ssize_t count = write(STDERR_FILENO, text, length);
        if (count <= 0)
            return;
        text += count;
        length -= (size_t)count;
    }
}

// kept: the name under which samples are, or NULL
static void answer(const char *kept) {
    static char message[5000];
    const char *name = kept == interrupt_file.place ? file_name : kept;
    const char *const with[] = {"; the samples written so far are kept in '", name, "'"};
    const char *const without[] = {*without_file ? "; " : "", without_file, ""};
    if (answered)
        return;
    answered = 1;
    strcpy(message, "trammel: interrupted");
    for (int i = 0; i < 3; i++)
        strncat(message, kept ? with[i] : without[i], sizeof message - strlen(message) - 2);
    trm_text_tame(message, 0);
    say(strcat(message, "\n"));
}

static void wait_some_time(void) {
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = PATIENCE}, NULL);
}

static void end_now(int signal_number) {
    int error = errno;
    (void)signal_number;
    if (interrupt_file.busy) {
        wait_some_time();
        errno = error;
        return;
    }
    if (bar_shown)
        say(clearing);
    answer(trm_file_rescue(&interrupt_file));
    _exit(TRM_INTERRUPTED);
}

static void on_signal(int signal_number) {
    int error = errno;
    (void)signal_number;
    if (!interrupt_flag)
        wait_some_time();
    interrupt_flag = 1;
    errno = error;
}

// ---- the rest of the program

void interrupt_catch(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, late = action, before;
    late.sa_handler = end_now;
    sigaction(SIGALRM, &late, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        sigaction(numbers[i], NULL, &before);
        if (numbers[i] != SIGHUP || before.sa_handler != SIG_IGN) // nohup
            sigaction(numbers[i], &action, NULL);
    }
}

void interrupt_ignore(void) {
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
}

void interrupt_about(const char *name, const char *otherwise) {
    file_name = name;
    without_file = otherwise;
}

bool interrupt_waits(void) {
    return interrupt_flag && !answered;
}

void interrupt_tell(void) {
    sigset_t late, before;
    sigemptyset(&late);
    sigaddset(&late, SIGALRM); // which would say it too
    sigprocmask(SIG_BLOCK, &late, &before);
    answer(interrupt_file.state == TRM_FILE_IN_PLACE ? interrupt_file.place : NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

void interrupt_settle(void) {
    answered = 1;
}

void interrupt_bar(bool shown) {
    bar_shown = shown;
}
