/* The samples of a run that a view keeps, oldest first.
 *
 * Memory is bounded: when it is full, every second sample is dropped. Counters are sums since the statistics began, so
 * the remaining samples tell the same with half the resolution; the newest one is always there.
 *
 * Beside each sample lies its digest (viz/state/digest.h), the sums that charts are drawn from.
 *
 * Use: history_init with the layout; history_put for each sample; look at them; history_free.
 * Units: picoseconds. Ownership: the layout is borrowed; samples are copied. Errors: FAULT_MEMORY. */
#ifndef VIZ_STATE_HISTORY_H
#define VIZ_STATE_HISTORY_H

#include "memsys/telemetry/telemetry.h"
#include "viz/state/digest.h"

struct history {
    const struct telemetry *layout;
    uint64_t *words;                     /* count samples of layout->word_count words */
    struct digest digest;
    uint64_t *sums;                      /* of each sample digest.word_count words */
    size_t count, room;
    unsigned thinning;                   /* one of 2^thinning samples is kept, and the newest */
    uint64_t put_count;
};

/* room_bytes: of memory; at least 64 samples fit in any case. */
struct fault history_init(struct history *history, const struct telemetry *layout, size_t room_bytes);
void history_free(struct history *history);
void history_put(struct history *history, const uint64_t *words);

static inline const uint64_t *history_at(const struct history *history, size_t index)
{
    return history->words + index * history->layout->word_count;
}

static inline const uint64_t *history_sums(const struct history *history, size_t index)
{
    return history->sums + index * history->digest.word_count;
}

static inline uint64_t history_time_ps(const struct history *history, size_t index)
{
    return history_at(history, index)[TELEMETRY_TIME];
}

/* Time of the newest sample, or 0 if the history is empty. */
uint64_t history_end_ps(const struct history *history);
/* Index of the last sample at or before that time, or `count` if all are later. */
size_t history_find(const struct history *history, uint64_t time_ps);

#endif
