/* Sweeps in many processes, by MPI; the only file that includes it. The first process deals, and does cases
 * like the others. It answers between two looks at its own threads: a process asks before it runs dry, so
 * that nobody waits. Batches shrink with what is left. */
#include "deal.h"
#include "terminal.h"

#include <mpi.h>

enum { ASK = 1, GIVE, OVER, END, BATCH_LEAST = 8 };

typedef struct {
    // of the first process
    long next;               // case that nobody has
    int finished;            // others that are over
    bool stops;              // one gave up
    long elsewhere[1 << 15]; // done by each
    // of the others
    bool asked, told;
    long cases, done;
} state;

static state now;
static trm_deal deal;

static int meet(void *context, int fine) {
    int all = 0;
    (void)context;
    MPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

// the next batch for one process
static void portion(long out[2]) {
    long left = now.stops ? 0 : now.cases - now.next, count = left / (4L * deal.ranks);
    count = count < BATCH_LEAST ? BATCH_LEAST : count;
    out[0] = now.next;
    out[1] = count < left ? count : left;
    now.next += out[1];
}

static void answer(const MPI_Status *from) {
    long told[2], batch[2];
    MPI_Recv(told, 2, MPI_LONG, from->MPI_SOURCE, from->MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    now.elsewhere[from->MPI_SOURCE] = told[0];
    if (from->MPI_TAG == OVER) {
        now.finished++;
        now.stops |= told[1] != 0;
        return;
    }
    now.cases = told[1];
    portion(batch);
    MPI_Send(batch, 2, MPI_LONG, from->MPI_SOURCE, GIVE, MPI_COMM_WORLD);
}

static void attend(void *context) {
    int there = 1;
    MPI_Status from;
    (void)context;
    while (deal.rank == 0 && there) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &from);
        if (there)
            answer(&from);
    }
}

static bool received(int tag, long out[2]) {
    int there = 0;
    MPI_Iprobe(0, tag, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    if (there)
        MPI_Recv(out, 2, MPI_LONG, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return there;
}

static int more(void *context, long cases, long done, long *first, long *count) {
    long batch[2], question[] = {done, cases};
    now.cases = cases;
    now.done = done;
    attend(context);
    if (deal.rank == 0)
        portion(batch);
    else if (!now.asked) {
        MPI_Send(question, 2, MPI_LONG, 0, ASK, MPI_COMM_WORLD);
        now.asked = true;
        return 0;
    } else if (!received(GIVE, batch))
        return 0;
    now.asked = false;
    *first = batch[0];
    *count = batch[1];
    return *count > 0 ? 1 : -1;
}

static int over(void *context, int gives_up) {
    long batch[2], said[] = {now.done, gives_up};
    attend(context);
    if (deal.rank == 0) {
        now.stops |= gives_up;
        if (now.finished < deal.ranks - 1)
            return 0;
        for (int i = 1; i < deal.ranks; i++)
            MPI_Send(said, 2, MPI_LONG, i, END, MPI_COMM_WORLD);
        return 1;
    }
    if (now.asked && !received(GIVE, batch))
        return 0;
    now.asked = false;
    if (!now.told)
        MPI_Send(said, 2, MPI_LONG, 0, OVER, MPI_COMM_WORLD);
    now.told = true;
    return received(END, batch);
}

bool deal_begin(const trm_deal **out) {
    int given;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given);
    deal = (trm_deal){
        .size = sizeof deal, .pause = 1, .meet = meet, .more = more, .attend = attend, .over = over};
    MPI_Comm_rank(MPI_COMM_WORLD, &deal.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &deal.ranks);
    *out = &deal;
    if (given >= MPI_THREAD_FUNNELED && deal.ranks <= 1 << 15)
        return true;
    if (deal.rank == 0)
        terminal_say("this MPI does not allow threads, or there are too many processes");
    MPI_Finalize();
    return false;
}

void deal_end(void) {
    MPI_Finalize();
}

long deal_done_elsewhere(void) {
    long done = 0;
    for (int i = 1; i < deal.ranks; i++)
        done += now.elsewhere[i];
    return done;
}
