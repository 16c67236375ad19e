/* The two sides of a core that runs a thread: records and fetches of its instructions, as sources for the core.
 *
 * A thread is decoded twice, once for each side: the sides are not coupled, so one may be any number of records ahead
 * of the other. Whoever has the thread gives two decoders of it; what these give are the outputs of
 * proto/depend/depend.h. Use: thread_sides_begin when a core takes the thread; thread_sides_records and
 * thread_sides_fetches, for the core; thread_sides_free. It may begin anew after its end, with the same decoders or
 * others. Ownership: borrows the decoders; must stay where it is while a core has its sources. */
#ifndef REPLAY_SYSTEM_THREAD_SIDES_H
#define REPLAY_SYSTEM_THREAD_SIDES_H

#include "proto/depend/depend.h"
#include "replay/elastic/trace_source.h"

enum thread_step { THREAD_GAVE, THREAD_IS_OVER, THREAD_FAILED };

struct thread_decoders {
    /* The next instruction; error: why it failed. */
    enum thread_step (*next)(void *decoder, struct depend_output *output, struct fault *error);
    void *data, *fetch;                  /* the two; fetch: NULL if there are no fetches */
    /* The core has fetched as many instructions, UINT64_MAX: all; NULL: nobody asks. */
    void (*fetched)(void *context, uint64_t instructions);
    void *context;
};

enum { THREAD_SIDES_WAITING = 6 };

struct thread_waiting_fetch {
    struct packet_record fetch;
    uint64_t before;                     /* instructions before the one that brought it */
};

struct thread_sides {
    struct thread_decoders decoders;

    /* data side */
    struct store_record *records;
    struct store_shape *shapes;
    struct store_lists *lists;           /* of the shape of the same place */
    size_t record_room;
    uint32_t *distances, *edges;
    uint64_t *no_distances;              /* all 0: no distance in records is missing */
    size_t dep_room;

    /* fetch side */
    struct thread_waiting_fetch waiting[THREAD_SIDES_WAITING];
    size_t waiting_count;
    bool fetch_ended, gave_fetch;
    uint64_t last_tick, given_until;     /* given_until: instructions that the fetch given last completes */
    struct store_fetch_shape fetch_shape;
    struct store_fetch store_fetch;
};

/* Decodes until the second fetch is known. sides: all zero, or used before. */
struct fault thread_sides_begin(struct thread_sides *sides, const struct thread_decoders *decoders);
void thread_sides_free(struct thread_sides *sides);

struct record_source thread_sides_records(struct thread_sides *sides, const char *name, uint64_t window);
struct fetch_source thread_sides_fetches(struct thread_sides *sides, const char *name);
/* Of the fetch that is next; 0: there is none. */
uint64_t thread_sides_pc(const struct thread_sides *sides);

#endif
