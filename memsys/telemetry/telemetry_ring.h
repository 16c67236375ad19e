/* Ring of samples: one writer, any number of readers, in other threads or, over shared memory, in other processes.
 *
 * The writer never waits, and looks at nothing of readers but how often they asked for a sample, the only word that
 * they write. A reader gets each sample whole or not at all; if it is too slow, samples are overwritten before it has
 * read them, and it learns how many. One that dies or stops in the middle changes nothing for others.
 *
 * Use: memory of telemetry_ring_bytes, aligned to 64 bytes, zeroed, from malloc or a shared mapping;
 * telemetry_ring_create there; telemetry_ring_put for each sample; telemetry_ring_end after the last. A reader:
 * telemetry_ring_open on the same memory, telemetry_ring_next until it has nothing new; telemetry_ring_has_ended.
 * A run that serves requests calls telemetry_ring_is_asked now and then, and puts a sample if it returns true.
 * The header is text that describes the samples (replay/record/telemetry_text.h), written before the first of them.
 * Ownership: the memory is the caller's; struct telemetry_ring is a view of it, one a thread. Numbers have the order of
 * bytes of the machine: both ends are on one. */
#ifndef MEMSYS_TELEMETRY_TELEMETRY_RING_H
#define MEMSYS_TELEMETRY_TELEMETRY_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

struct telemetry_ring_head;

struct telemetry_ring {
    struct telemetry_ring_head *head;
    uint32_t word_count, slot_count;     /* words of a sample, samples that the ring holds */
    size_t header_bytes;
    const char *header;
    uint64_t taken;                      /* reader: samples before that one are read or lost */
    uint64_t lost;                       /* reader: overwritten before they were read */
    uint64_t answered;                   /* writer: of the times that readers asked */
};

/* slot_count: a power of two. */
size_t telemetry_ring_bytes(uint32_t word_count, uint32_t slot_count, size_t header_bytes);
void telemetry_ring_create(struct telemetry_ring *ring, void *memory, uint32_t word_count, uint32_t slot_count,
                           const char *header, size_t header_bytes);
/* word_count words are copied. */
void telemetry_ring_put(struct telemetry_ring *ring, const uint64_t *words);
void telemetry_ring_end(struct telemetry_ring *ring);
/* Readers have asked for a sample since the last call. */
bool telemetry_ring_is_asked(struct telemetry_ring *ring);

/* `bytes` of memory that telemetry_ring_create has filled, here or in another process; reading begins with the oldest
 * sample that is still there. FAULT_INPUT if it is no ring, or not all of it. */
struct fault telemetry_ring_open(struct telemetry_ring *ring, void *memory, size_t bytes);
/* Copies the next sample into `words`; false: not yet available. */
bool telemetry_ring_next(struct telemetry_ring *ring, uint64_t *words);
/* The newest one, unless it was taken before; those between count as lost. */
bool telemetry_ring_newest(struct telemetry_ring *ring, uint64_t *words);
/* Asks the writer for a sample, which it puts as soon as it looks. The first page of the memory must be writable. */
void telemetry_ring_ask(struct telemetry_ring *ring);
/* Nothing will be put any more. */
bool telemetry_ring_has_ended(const struct telemetry_ring *ring);

#endif
