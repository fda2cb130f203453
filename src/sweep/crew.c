#include "sweep/crew.h"

#include "base/profile.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A batch ends after so many seconds, so that little is lost if the process is killed, or when so many bytes
 * wait to be written. */
static const double BATCH_SECONDS = 0.2, SYNC_SECONDS = 1, PROGRESS_SECONDS = 0.1;
enum { BATCH_BYTES = 1 << 20, BATCH_MOST = 64, THREADS_MOST = 1024 };

typedef struct crew crew;

/* A case under way; busy and late under the lock. */
typedef struct {
    long which;
    bool busy, late; // there is one; its time was up
    double since;    // when it began
    volatile sig_atomic_t stop;
} seat;

typedef struct {
    crew *crew;
    int number, taken; // seats
    pthread_t thread;
    seat *seats;       // (beside)
    long first, count; // of the batch at hand, not begun
    char *bytes;       // records that wait
    size_t length, room;
    double written; // when the last were
} worker;

struct crew {
    const crew_def *def;
    worker *workers;
    seat *seats; // of all workers
    pthread_mutex_t lock;
    pthread_cond_t change, more; // a worker ended or needs cases; there are more, or there will be none
    long first, count;           // cases that nobody has taken
    long next, next_count;       // and those that follow
    bool dry;                    // there will be no more
    bool ending;                 // nothing new is begun
    bool failed_memory, failed_writing;
    int started, working;
    long done, failed;
};

int crew_threads_wanted(void) {
    const char *given = getenv("TRAMMEL_THREADS");
    cpu_set_t set;
    long count = given                                         ? strtol(given, NULL, 10)
                 : sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                               : 1;
    return count < 1 ? 1 : count > THREADS_MOST ? THREADS_MOST : (int)count;
}

// ---- a worker

// shrinking batches: none waits long for the last one; who has cases under way does not wait for more
static bool take_batch(worker *w) {
    crew *c = w->crew;
    pthread_mutex_lock(&c->lock);
    while (w->taken == 0 && c->count == 0 && c->next_count == 0 && !c->dry && !c->ending) {
        pthread_cond_signal(&c->change);
        pthread_cond_wait(&c->more, &c->lock);
    }
    if (c->count == 0) {
        c->first = c->next;
        c->count = c->next_count;
        c->next_count = 0;
    }
    long share = c->count / (4 * c->def->threads);
    w->count = c->ending ? 0 : share < 1 ? (c->count > 0) : share > BATCH_MOST ? BATCH_MOST : share;
    w->first = c->first;
    c->first += w->count;
    c->count -= w->count;
    pthread_mutex_unlock(&c->lock);
    return w->count > 0;
}

/* Whether a worker may take another seat: where few cases are left others want some, too. */
static bool has_seat(worker *w) {
    crew *c = w->crew;
    if (w->taken == 0 || w->taken == c->def->beside)
        return w->taken == 0;
    pthread_mutex_lock(&c->lock);
    bool enough = (long)w->taken * (c->def->threads - 1) < w->count + c->count + c->next_count;
    pthread_mutex_unlock(&c->lock);
    return enough;
}

static bool to_be_done(const crew *c, long which) {
    int status = journal_status(c->def->journal, which);
    return status < 0 || status == CASE_TIMEOUT || status == CASE_NO_MEMORY;
}

// false: there is none now
static bool next_case(worker *w, long *which) {
    while (w->count > 0 || take_batch(w)) {
        *which = w->first++;
        w->count--;
        if (to_be_done(w->crew, *which))
            return true;
    }
    return false;
}

// NULL: no more are to be begun
static seat *take_seat(worker *w, long which) {
    crew *c = w->crew;
    seat *s = w->seats;
    while (s->busy)
        s++;
    pthread_mutex_lock(&c->lock);
    bool go = !c->ending;
    if (go)
        *s = (seat){.which = which, .busy = true, .since = profile_clock()};
    pthread_mutex_unlock(&c->lock);
    w->taken += go;
    return go ? s : NULL;
}

static bool leave_seat(worker *w, seat *s, bool finished, case_record *r) {
    crew *c = w->crew;
    pthread_mutex_lock(&c->lock);
    s->busy = false;
    w->taken--;
    if (!finished && s->late) {
        r->status = CASE_TIMEOUT;
        finished = true;
    }
    c->done += finished;
    c->failed += finished && r->status != CASE_FINE;
    if (c->def->stop_after && c->failed >= c->def->stop_after && !c->ending) {
        c->ending = true;
        pthread_cond_broadcast(&c->more);
    }
    pthread_mutex_unlock(&c->lock);
    return finished;
}

static void fail(crew *c, bool *what) {
    pthread_mutex_lock(&c->lock);
    *what = c->ending = true;
    pthread_cond_broadcast(&c->more);
    pthread_mutex_unlock(&c->lock);
}

static void write_waiting(worker *w) {
    if (w->length && !journal_append(w->crew->def->journal, w->bytes, w->length))
        fail(w->crew, &w->crew->failed_writing);
    w->length = 0;
    w->written = profile_clock();
}

static bool is_due(const worker *w) {
    return w->length >= BATCH_BYTES || profile_clock() - w->written >= BATCH_SECONDS;
}

static void end_case(worker *w, int number) {
    const crew_def *def = w->crew->def;
    case_record r = {0};
    bool finished = def->end(def->context, number, &r);
    if (leave_seat(w, &w->crew->seats[number], finished, &r) &&
        !journal_pack(def->columns, &r, &w->bytes, &w->length, &w->room))
        fail(w->crew, &w->crew->failed_memory);
    if (is_due(w))
        write_waiting(w);
}

// takes cases into free seats; false: no more are to be begun
static bool take_cases(worker *w) {
    const crew_def *def = w->crew->def;
    long which;
    for (crew_begun last = CREW_ENDED; last != CREW_ENOUGH && has_seat(w) && next_case(w, &which);) {
        seat *s = take_seat(w, which);
        if (s == NULL)
            return false;
        int number = (int)(s - w->crew->seats);
        last = def->begin(def->context, number, which, &s->stop);
        if (last == CREW_ENDED)
            end_case(w, number);
    }
    return true;
}

static void *work(void *object) {
    worker *w = object;
    crew *c = w->crew;
    w->written = profile_clock();
    for (bool more = true;;) {
        more = more && take_cases(w);
        if (w->taken == 0)
            break;
        end_case(w, c->def->advance(c->def->context, w->number));
    }
    write_waiting(w);
    pthread_mutex_lock(&c->lock);
    c->working--;
    pthread_cond_signal(&c->change);
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

// ---- the thread that watches

static void wait_a_while(crew *c, int milliseconds) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += milliseconds * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&c->change, &c->lock, &until);
}

static void look_at_clocks(crew *c) {
    const crew_def *def = c->def;
    bool stopped = def->stop && *def->stop;
    double now = profile_clock();
    if (stopped) {
        c->ending = true;
        pthread_cond_broadcast(&c->more);
    }
    for (int i = 0; i < c->started * def->beside; i++) {
        seat *s = &c->seats[i];
        bool late = def->timeout > 0 && s->busy && now - s->since > def->timeout;
        s->late |= late && !stopped;
        if (stopped || late)
            s->stop = 1;
    }
}

// before the last case is taken; the lock is held, but not while others are asked
static void ask_for_more(crew *c) {
    const crew_def *def = c->def;
    long first = 0, count = 0, done = c->done;
    if (c->dry || c->ending || c->next_count > 0)
        return;
    pthread_mutex_unlock(&c->lock);
    deal_answer answer = def->deal->more(def->dealing, done, &first, &count);
    pthread_mutex_lock(&c->lock);
    if (answer == DEAL_SOME) {
        c->next = first;
        c->next_count = count;
    }
    c->dry |= answer == DEAL_NONE;
    if (answer != DEAL_LATER)
        pthread_cond_broadcast(&c->more);
}

static void watch(crew *c) {
    const crew_def *def = c->def;
    double begun = profile_clock(), synced = begun, told = 0;
    pthread_mutex_lock(&c->lock);
    while (c->working > 0) {
        ask_for_more(c);
        look_at_clocks(c);
        double now = profile_clock();
        long done = c->done, failed = c->failed;
        pthread_mutex_unlock(&c->lock);
        def->deal->attend(def->dealing);
        if (now - synced >= SYNC_SECONDS) {
            journal_sync(def->journal);
            synced = now;
        }
        if (def->progress && now - told >= PROGRESS_SECONDS) {
            def->progress(def->progress_context, done, failed, now - begun);
            told = now;
        }
        pthread_mutex_lock(&c->lock);
        if (c->working > 0)
            wait_a_while(c, def->deal->pause(def->dealing));
    }
    pthread_mutex_unlock(&c->lock);
    journal_sync(def->journal);
}

static void wait_for_others(crew *c) {
    const crew_def *def = c->def;
    bool gives_up = c->ending;
    while (!def->deal->over(def->dealing, gives_up)) {
        gives_up |= def->stop && *def->stop;
        nanosleep(&(struct timespec){.tv_nsec = def->deal->pause(def->dealing) * 1000000L}, NULL);
    }
}

// ---- all of them

// fewer than were asked for will do
static void start(crew *c) {
    const crew_def *def = c->def;
    c->workers = calloc((size_t)def->threads, sizeof *c->workers);
    c->seats = calloc((size_t)def->threads * (size_t)def->beside, sizeof *c->seats);
    bool began = c->workers && c->seats;
    pthread_mutex_lock(&c->lock);
    while (began && c->started < def->threads) {
        worker *w = &c->workers[c->started];
        *w = (worker){
            .crew = c, .number = c->started, .seats = c->seats + (size_t)c->started * (size_t)def->beside};
        began = pthread_create(&w->thread, NULL, work, w) == 0;
        c->started += began;
    }
    c->working = c->started;
    pthread_mutex_unlock(&c->lock);
}

static void end(crew *c) {
    for (int i = 0; i < c->started; i++) {
        pthread_join(c->workers[i].thread, NULL);
        free(c->workers[i].bytes);
    }
    free(c->workers);
    free(c->seats);
}

static crew_end outcome(const crew *c) {
    const crew_def *def = c->def;
    if (c->failed_memory)
        return CREW_NO_MEMORY;
    if (c->failed_writing || journal_why(def->journal))
        return CREW_CANNOT_WRITE;
    if (!c->ending)
        return CREW_DONE;
    return def->stop && *def->stop ? CREW_STOPPED : CREW_FAILURES;
}

crew_end crew_run(const crew_def *def) {
    crew c = {.def = def};
    pthread_mutex_init(&c.lock, NULL);
    pthread_cond_init(&c.change, NULL);
    pthread_cond_init(&c.more, NULL);
    start(&c);
    watch(&c);
    end(&c);
    c.ending |= c.started == 0;
    wait_for_others(&c);
    pthread_cond_destroy(&c.change);
    pthread_cond_destroy(&c.more);
    pthread_mutex_destroy(&c.lock);
    return c.started ? outcome(&c) : CREW_NO_MEMORY;
}
