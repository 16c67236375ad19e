/* All room is taken at the beginning; pages that are not yet used cost nothing. Of 2^thinning samples one is kept; any
 * other is at the end only until the next sample arrives. */
#include "viz/state/history.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_ROOM = 64 };

struct fault history_init(struct history *history, const struct telemetry *layout, size_t room_bytes)
{
    struct fault fault;
    size_t words;

    *history = (struct history){.layout = layout};
    fault = digest_init(&history->digest, layout);
    if (fault.kind != FAULT_NONE)
        return fault;
    words = (size_t)layout->word_count + history->digest.word_count;
    history->room = room_bytes / (words * sizeof *history->words);
    if (history->room < LEAST_ROOM)
        history->room = LEAST_ROOM;
    history->words = malloc(history->room * layout->word_count * sizeof *history->words);
    history->sums = malloc(history->room * history->digest.word_count * sizeof *history->sums);
    if (!history->words || !history->sums) {
        history_free(history);
        return fault_make(FAULT_MEMORY, "out of memory for %zu samples of %zu words", history->room, words);
    }
    return fault_none();
}

void history_free(struct history *history)
{
    digest_free(&history->digest);
    free(history->words);
    free(history->sums);
    *history = (struct history){0};
}

static uint64_t *sample(struct history *history, size_t index)
{
    return history->words + index * history->layout->word_count;
}

static uint64_t *sums(struct history *history, size_t index)
{
    return history->sums + index * history->digest.word_count;
}

/* Of the sample that was put as number `put`. */
static bool stays(const struct history *history, uint64_t put)
{
    return put % (UINT64_C(1) << history->thinning) == 0;
}

/* Samples 0, 2, 4 ... stay. */
static void thin(struct history *history)
{
    size_t const kept = (history->count + 1) / 2;

    for (size_t i = 1; i < kept; i++) {
        memcpy(sample(history, i), sample(history, 2 * i), history->layout->word_count * sizeof *history->words);
        memcpy(sums(history, i), sums(history, 2 * i), history->digest.word_count * sizeof *history->sums);
    }
    history->count = kept;
    history->thinning++;
}

void history_put(struct history *history, const uint64_t *words)
{
    const uint64_t *before = NULL, *sums_before = NULL;

    if (history->count > 0) {
        before = history_at(history, history->count - 1);
        sums_before = history_sums(history, history->count - 1);
        if (!stays(history, history->put_count - 1))
            history->count--;
    }
    if (history->count == history->room)
        thin(history);                   /* the sample at `before` is at the end of the room, and is not moved */
    digest_add(&history->digest, before, sums_before, words, sums(history, history->count));
    memcpy(sample(history, history->count), words, history->layout->word_count * sizeof *words);
    history->count++;
    history->put_count++;
}

uint64_t history_end_ps(const struct history *history)
{
    return history->count ? history_time_ps(history, history->count - 1) : 0;
}

size_t history_find(const struct history *history, uint64_t time_ps)
{
    size_t low = 0, high = history->count;

    while (low < high) {
        size_t const middle = low + (high - low) / 2;

        if (history_time_ps(history, middle) <= time_ps)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : history->count;
}
