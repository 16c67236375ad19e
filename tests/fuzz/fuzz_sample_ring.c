/* Fuzz target: any bytes as the shared memory of a run that publishes samples: a reader takes it or not, and does not
 * crash; samples that it gives have the length that the ring says. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "memsys/telemetry/telemetry_ring.h"
#include "replay/record/telemetry_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ALIGNMENT = 64, MOST_SAMPLES = 64, MOST_WORDS = 1 << 16 };

static void look_at(struct telemetry_ring *ring)
{
    struct telemetry_text text = {.interval_ps = 0};
    uint64_t *const words = calloc(ring->word_count + (size_t)1, sizeof *words);

    if (telemetry_text_read(&text, ring->header, ring->header_bytes).kind == FAULT_NONE)
        telemetry_text_free(&text);
    for (int i = 0; words && i < MOST_SAMPLES && telemetry_ring_next(ring, words); i++) {
    }
    if (words)
        (void)telemetry_ring_newest(ring, words);
    if (words && words[ring->word_count] != 0)
        abort();
    (void)telemetry_ring_has_ended(ring);
    free(words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t const room = (size + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    uint8_t *const memory = aligned_alloc(ALIGNMENT, room);
    struct telemetry_ring ring;
    struct fault fault;

    if (!memory)
        return 0;
    memcpy(memory, data, size);
    fault = telemetry_ring_open(&ring, memory, size);
    if (fault.kind == FAULT_NONE && ring.word_count <= MOST_WORDS)
        look_at(&ring);
    else if (fault.kind != FAULT_NONE && fault_text(fault)[0] == '\0')
        abort();
    free(memory);
    return 0;
}
