/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The shared memory of proto/capture/ring.h, as the tool writes it: a lane for each thread, and the statics lane.
 *
 * Use: lanes_map; then lane_put to the lane of a thread, open_static, put_static, close_static.
 * Valgrind runs one thread at a time, and changes threads between blocks only: nothing here is locked.
 * The address of a ring in this process is `next` + lanes_moved_by: `base` is the same number in each program that the
 * process becomes by exec, wherever the memory is mapped then. */
#ifndef CAPTURE_VALGRIND_LANES_H
#define CAPTURE_VALGRIND_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "../ring.h"

/* Indices of a lane's `own`. */
enum {
    OWN_SINCE_STAMP,
    OWN_THREAD,              /* number of its thread; 0: none */
    OWN_CALL                 /* 1 + number of the system call that it is in; 0: none */
};

extern struct capture_area *area;
extern uint64_t lanes_moved_by;
extern bool lanes_are_unread;            /* a forked child, or the reader is gone: words are discarded */

bool lanes_map(const char *path);
/* The lane of the thread with that index; NULL: it is not recorded. */
struct capture_lane *lane_of_thread(unsigned index);
void lane_begin(struct capture_lane *lane, unsigned index);

/* Called when `next` has reached the limit. False: the reader is gone. */
bool lane_look_for_room(struct capture_lane *lane);

/* There is always room for a word. */
static inline void lane_put(struct capture_lane *lane, uint64_t word)
{
    const uint64_t next = lane->next;

    *(uint64_t *)(next + lanes_moved_by) = word;
    lane->next = next + 8;
    __atomic_store_n(&lane->told, next + 8, __ATOMIC_RELEASE);
    if (__builtin_expect(next + 8 == lane->limit, 0))
        lane_look_for_room(lane);
}

/* Opens a record of `words` words in the statics lane; false: the reader is gone. */
bool open_static(uint64_t words);
void put_static(uint64_t word);
void close_static(void);

#endif
