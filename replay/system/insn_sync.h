/* Synchronization of the threads of an instruction trace: which thread created which, and which wake-up ended which
 * wait.
 *
 * A thread is cut into parts, each of which begins when the part of another thread that it waits for is complete:
 *   - a thread that another one created (marker CREATE) begins after that; threads without a creator begin at once;
 *   - a wait in the kernel, futex with FUTEX_WAIT, FUTEX_WAIT_BITSET, FUTEX_LOCK_PI or FUTEX_WAIT_REQUEUE_PI, that
 *     ended well (SYSCALL_END is 0, or was not recorded) continues after the last wake-up by another thread, futex with
 *     FUTEX_WAKE, FUTEX_WAKE_BITSET, FUTEX_WAKE_OP, FUTEX_UNLOCK_PI, FUTEX_REQUEUE or FUTEX_CMP_REQUEUE(_PI), of the
 *     same address between its begin and its end; without a wake-up, after the last end of another thread between
 *     the two, as in a join. So mutexes, condition variables, barriers and joins order threads.
 * Order between threads is that of STAMP, or of TIMESTAMP in traces without; at equal stamps, of the threads' places. A
 * wait whose partner is not found is free, and counted, as is a futex whose arguments are not in the trace. Other calls
 * that wait (pipes, sleep), spinning, and locks taken without the kernel are not known: they are free.
 *
 * Use: insn_sync_init; for each thread in order insn_sync_thread, then insn_sync_event for each of its events;
 * insn_sync_finish; then parts; insn_sync_free. Memory grows with the number of futex calls. */
#ifndef REPLAY_SYSTEM_INSN_SYNC_H
#define REPLAY_SYSTEM_INSN_SYNC_H

#include "base/fault.h"
#include "proto/insn/insn_trace.h"

#define INSN_SYNC_NONE SIZE_MAX

/* From the end of the part before, or 0, to the event before `until`. */
struct insn_part {
    uint64_t until;                      /* event of the thread; UINT64_MAX: its end */
    uint64_t instructions;
    size_t thread, part;                 /* that it waits for; INSN_SYNC_NONE: none */
};

struct insn_sync_counts {
    uint64_t creations, waits, wakes;    /* that order threads; wakes: parts that end for a wait */
    uint64_t unmatched;                  /* waits without a partner */
    uint64_t unknown;                    /* futex calls without arguments */
};

struct insn_sync_mark;
struct insn_sync_thread;

struct insn_sync {
    enum isa isa;
    struct insn_sync_mark *marks;        /* of all threads, thread by thread */
    size_t mark_count, mark_room;
    struct insn_sync_thread *threads;
    size_t thread_count;
    struct insn_sync_counts counts;
};

/* False: out of memory. */
bool insn_sync_init(struct insn_sync *sync, enum isa isa, size_t most_threads);
void insn_sync_free(struct insn_sync *sync);
/* The next thread: events that follow are its. */
void insn_sync_thread(struct insn_sync *sync, uint64_t id);
bool insn_sync_event(struct insn_sync *sync, const struct insn_event *event);
/* All threads are read: makes their parts. is_free: each has one part, without waits. */
bool insn_sync_finish(struct insn_sync *sync, bool is_free);

size_t insn_sync_parts(const struct insn_sync *sync, size_t thread, const struct insn_part **parts);

#endif
